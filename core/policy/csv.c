/* SPDX-License-Identifier: Apache-2.0
 *
 * See csv.h. */
#include "policy/csv.h"

#include <string.h>

enum { CSV_DELIMITER, CSV_QUOTE, CSV_SKIP, CSV_HEADER, CSV_ENCODING, CSV_FIELDS };

static const tally_table_field csv_fields[] = {
    {"delimiter", TALLY_TABLE_TEXT, "text", 0, NULL},
    {"quote", TALLY_TABLE_TEXT, "text", 0, NULL},
    {"skip_initial_space", TALLY_TABLE_BOOLEAN, "true or false", 0, NULL},
    {"header", TALLY_TABLE_BOOLEAN, "true or false", 0, NULL},
    {"encoding", TALLY_TABLE_TEXT, "text", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

void tally_csv_defaults(tally_csv_options *out)
{
    memset(out, 0, sizeof *out);
    out->quote = '"';
    out->header = 1;
}

/* Reads one ASCII character that ends no line; returns 0 if it is not. */
static int csv_character(const tally_json *value, char *out)
{
    *out = value->text[0];
    return value->size == 1 && *out != '\0' && *out != '\r' && *out != '\n' && (uint8_t)*out < 0x80;
}

/* Makes a dialect of the values that are given. Returns its fault, or NULL. */
static const char *csv_make(const tally_json *const values[CSV_FIELDS], tally_csv_options *out)
{
    tally_csv_defaults(out);
    if (values[CSV_DELIMITER] != NULL && !csv_character(values[CSV_DELIMITER], &out->delimiter)) {
        return "the CSV delimiter must be one ASCII character, but not a line end";
    }
    if (values[CSV_QUOTE] != NULL && values[CSV_QUOTE]->size == 0) {
        out->quote = '\0';
    } else if (values[CSV_QUOTE] != NULL && !csv_character(values[CSV_QUOTE], &out->quote)) {
        return "the CSV quote must be one ASCII character, but not a line end";
    }
    if (values[CSV_SKIP] != NULL) {
        out->skip_initial_space = values[CSV_SKIP]->kind == TALLY_JSON_TRUE;
    }
    if (values[CSV_HEADER] != NULL) {
        out->header = values[CSV_HEADER]->kind == TALLY_JSON_TRUE;
    }
    if (values[CSV_ENCODING] != NULL) {
        out->encoding = (tally_policy_text){values[CSV_ENCODING]->text, values[CSV_ENCODING]->size};
    }
    if ((out->delimiter == '\0' ? ',' : out->delimiter) == out->quote) {
        return "the CSV delimiter and quote must be different characters";
    }
    if (out->skip_initial_space && (out->delimiter == ' ' || out->quote == ' ')) {
        return "a space can't be skipped and be the CSV delimiter or quote";
    }
    return NULL;
}

/* The first key that is wrong whatever the others say; NULL: none is. */
static const tally_json *csv_blamed(const tally_json *table)
{
    for (const tally_json *member = table->first; member != NULL; member = member->next) {
        const tally_json *alone[CSV_FIELDS] = {NULL};
        tally_csv_options made;
        for (size_t i = 0; i < CSV_FIELDS; i++) {
            if (tally_json_key_is(member, csv_fields[i].name)) {
                alone[i] = member;
            }
        }
        if (csv_make(alone, &made) != NULL) {
            return member;
        }
    }
    return NULL;
}

tally_status tally_csv_read(const tally_json *table, const tally_table_place *place,
                            tally_csv_options *out, tally_problem *problem)
{
    const tally_json *values[CSV_FIELDS];
    const tally_status status = tally_table_read(csv_fields, table, place, NULL, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const char *const wrong = csv_make(values, out);
    if (wrong == NULL) {
        return TALLY_OK;
    }
    const tally_json *const blamed = csv_blamed(table);
    if (blamed == NULL) {
        return tally_table_wrong(place, problem, wrong);
    }
    const tally_table_place at = {place, blamed->key, blamed->key_size};
    return tally_table_wrong(&at, problem, wrong);
}
