/* SPDX-License-Identifier: Apache-2.0
 *
 * Text policies: what one may say, and why it is refused. */
#include "policy/table.h"
#include "tallystick/scan.h"
#include "text/text.h"

#include "base/nearest.h"

#include <string.h>

enum { KINDS_VERSION, KINDS_FRAME, KINDS_CHECK_BITS, KINDS_KINDS };

static const char *const kinds_frames[] = {"unicode", "ascii", "email", NULL};

static const tally_table_field kinds_top[] = {
    {"version", TALLY_TABLE_ONE, "1", 0, NULL},
    {"frame", TALLY_TABLE_CHOICE, "'unicode', 'ascii' or 'email'", 0, kinds_frames},
    {"check_bits", TALLY_TABLE_INTEGER, "a whole number", 0, NULL},
    {"kinds", TALLY_TABLE_TABLE, "a table", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

enum { KIND_KEY, KIND_NAMESPACE, KIND_SCAN };

#define KINDS_TEXTS   "a list of texts that are not empty"
#define KINDS_EXAMPLE "{ key = \"people:1\", namespace = \"e-mail\" }"

static const tally_table_field kinds_kind[] = {
    {"key", TALLY_TABLE_TEXT, "a data key with its version, such as \"people:1\"", 1, NULL},
    {"namespace", TALLY_TABLE_TEXT, "text that names the values, such as \"e-mail\"", 1, NULL},
    {"scan", TALLY_TABLE_FULL_TEXTS, KINDS_TEXTS, 0, NULL},
    {"patterns", TALLY_TABLE_FULL_TEXTS, KINDS_TEXTS, 0, NULL},
    {"words", TALLY_TABLE_FULL_TEXTS, KINDS_TEXTS, 0, NULL},
    {"ignore_case", TALLY_TABLE_BOOLEAN, "true or false", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

/* What the kinds until now have. */
typedef struct kinds_seen {
    const tally_json *scanning[TALLY_SCAN_KINDS]; /* the kind that a kind of the scanner is of */
    tally_key_id key[TALLY_TEXT_KEYS_MAX];        /* each with the namespace beside it */
    const tally_json *name_space[TALLY_TEXT_KEYS_MAX];
    size_t pairs;
} kinds_seen;

static tally_status kinds_check_scan(kinds_seen *seen, const tally_json *kind,
                                     const tally_json *scan, const tally_table_place *place,
                                     tally_problem *problem)
{
    const tally_table_place at = tally_table_at(place, "scan");
    const char *names[TALLY_SCAN_KINDS];
    tally_writer writer;
    for (uint32_t i = 0; i < TALLY_SCAN_KINDS; i++) {
        names[i] = tally_scan_kind_name(i);
    }
    for (const tally_json *item = scan == NULL ? NULL : scan->first; item != NULL;
         item = item->next) {
        size_t i = 0;
        while (i < TALLY_SCAN_KINDS && !tally_json_is(item, names[i])) {
            i++;
        }
        if (i < TALLY_SCAN_KINDS && seen->scanning[i] == NULL) {
            seen->scanning[i] = kind;
            continue;
        }
        tally_table_problem(&at, problem, &writer);
        if (i == TALLY_SCAN_KINDS) {
            tally_write(&writer, "no such kind");
            tally_write_instead(&writer, item->text, item->size, names, TALLY_SCAN_KINDS);
        } else {
            tally_write(&writer, names[i]);
            tally_write(&writer, " is of kinds");
            tally_write_path(&writer, seen->scanning[i]->key, seen->scanning[i]->key_size);
            tally_write(&writer, " too");
        }
        return TALLY_ERROR_POLICY;
    }
    return TALLY_OK;
}

static tally_status kinds_check_pair(kinds_seen *seen, const tally_key_id *key,
                                     const tally_json *name_space, tally_problem *problem)
{
    for (size_t i = 0; i < seen->pairs; i++) {
        if (seen->key[i].version == key->version && strcmp(seen->key[i].name, key->name) == 0 &&
            seen->name_space[i]->size == name_space->size &&
            memcmp(seen->name_space[i]->text, name_space->text, name_space->size) == 0) {
            return TALLY_OK;
        }
    }
    if (seen->pairs == TALLY_TEXT_KEYS_MAX) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "a text policy has at most ");
        tally_write_uint(&writer, TALLY_TEXT_KEYS_MAX);
        tally_write(&writer, " pairs of key and namespace");
        return TALLY_ERROR_POLICY;
    }
    seen->key[seen->pairs] = *key;
    seen->name_space[seen->pairs++] = name_space;
    return TALLY_OK;
}

static tally_status kinds_check_kind(kinds_seen *seen, const tally_json *kind,
                                     const tally_table_place *kinds, tally_problem *problem)
{
    const tally_table_place place = {kinds, kind->key, kind->key_size};
    const tally_json *values[TALLY_TABLE_FIELDS];
    tally_key_id id;
    tally_problem reference;
    tally_status status =
        tally_table_read(kinds_kind, kind, &place, KINDS_EXAMPLE, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_text_is_kind(kind->key, kind->key_size)) {
        return tally_table_wrong(&place, problem,
                                 "a kind has 1 to 32 of a-z, 0-9 and _, begins with a letter and "
                                 "does not end in tly");
    }
    if (tally_key_id_parse(values[KIND_KEY]->text, values[KIND_KEY]->size, &id, &reference) !=
        TALLY_OK) {
        const tally_table_place at = tally_table_at(&place, "key");
        return tally_table_wrong(&at, problem, reference.text);
    }
    if (values[KIND_NAMESPACE]->size == 0 ||
        values[KIND_NAMESPACE]->size > TALLY_TEXT_SPACE_SIZE_MAX) {
        const tally_table_place at = tally_table_at(&place, "namespace");
        return tally_table_wrong(&at, problem, "must have 1 to 256 bytes of UTF-8");
    }
    status = kinds_check_scan(seen, kind, values[KIND_SCAN], &place, problem);
    return status == TALLY_OK ? kinds_check_pair(seen, &id, values[KIND_NAMESPACE], problem)
                              : status;
}

static tally_status kinds_check(const tally_json *top, tally_problem *problem)
{
    const tally_table_place kinds = tally_table_at(NULL, "kinds");
    const tally_json *values[TALLY_TABLE_FIELDS];
    kinds_seen seen = {{NULL}, {{{0}, 0}}, {NULL}, 0};
    if (tally_json_member(top, "columns") != NULL) {
        const tally_table_place at = tally_table_at(NULL, "columns");
        return tally_table_wrong(&at, problem,
                                 "this is a policy for tables; a text policy has [kinds], see "
                                 "docs/reference/text-tokens.md");
    }
    tally_status status = tally_table_read(kinds_top, top, NULL, NULL, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const tally_json *const bits = values[KINDS_CHECK_BITS];
    if (bits != NULL &&
        (bits->kind != TALLY_JSON_INTEGER || bits->integer % 8 != 0 ||
         bits->integer < TALLY_TEXT_CHECK_BITS_MIN || bits->integer > TALLY_TEXT_CHECK_BITS_MAX)) {
        const tally_table_place at = tally_table_at(NULL, "check_bits");
        return tally_table_wrong(&at, problem, "must be 40 to 128, in steps of 8");
    }
    if (values[KINDS_KINDS] == NULL || values[KINDS_KINDS]->first == NULL) {
        return tally_table_wrong(NULL, problem,
                                 "a text policy needs a kind: add [kinds.email] or the like");
    }
    for (const tally_json *kind = values[KINDS_KINDS]->first; kind != NULL && status == TALLY_OK;
         kind = kind->next) {
        status = kinds_check_kind(&seen, kind, &kinds, problem);
    }
    return status;
}

tally_status tally_text_policy_check(const tally_allocator *allocator, const char *json,
                                     size_t size, tally_problem *problem)
{
    tally_json_document document;
    tally_status status = tally_json_parse(allocator, json, size, &document, problem);
    if (status == TALLY_OK) {
        status = kinds_check(document.root, problem);
        tally_json_free(&document);
    }
    return status == TALLY_ERROR_PROBLEM ? TALLY_ERROR_POLICY : status;
}
