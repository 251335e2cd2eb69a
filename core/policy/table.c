/* SPDX-License-Identifier: Apache-2.0
 *
 * See table.h. Messages speak of TOML: text, table, whole number. */
#include "policy/table.h"

#include "base/nearest.h"

#include <string.h>

tally_table_place tally_table_at(const tally_table_place *above, const char *key)
{
    return (tally_table_place){above, key, strlen(key)};
}

void tally_table_problem(const tally_table_place *place, tally_problem *problem, tally_writer *text)
{
    const tally_table_place *keys[4];
    size_t count = 0;
    tally_writer path;
    for (; place != NULL && count < 4; place = place->above) {
        keys[count++] = place;
    }
    tally_writer_problem(text, problem);
    tally_writer_init(&path, problem->place, sizeof problem->place);
    while (count-- > 0) {
        tally_write_path(&path, keys[count]->key, keys[count]->size);
    }
}

tally_status tally_table_wrong(const tally_table_place *place, tally_problem *problem,
                               const char *text)
{
    tally_writer writer;
    tally_table_problem(place, problem, &writer);
    tally_write(&writer, text);
    return TALLY_ERROR_POLICY;
}

/* The name that a key has now; NULL: it never had another. */
static const char *table_renamed(const tally_json *member)
{
    return tally_json_key_is(member, "unfit")    ? "on_invalid"
           : tally_json_key_is(member, "domain") ? "namespace"
                                                 : NULL;
}

static size_t table_index(const tally_table_field *fields, const char *name)
{
    size_t i = 0;
    while (fields[i].name != NULL && (name == NULL || strcmp(fields[i].name, name) != 0)) {
        i++;
    }
    return i;
}

static int table_is_texts(const tally_json *value, size_t least)
{
    const tally_json *item = value->first;
    while (item != NULL && item->kind == TALLY_JSON_TEXT && item->size >= least) {
        item = item->next;
    }
    return value->kind == TALLY_JSON_ARRAY && item == NULL;
}

static int table_is_table(const tally_json *value)
{
    return value->kind == TALLY_JSON_OBJECT && strcmp(tally_json_kind_text(value), "a table") == 0;
}

static int table_is_choice(const tally_table_field *field, const tally_json *value)
{
    size_t i = 0;
    while (field->choices[i] != NULL && !tally_json_is(value, field->choices[i])) {
        i++;
    }
    return field->choices[i] != NULL;
}

static int table_fits(const tally_table_field *field, const tally_json *value)
{
    switch (field->kind) {
    case TALLY_TABLE_TABLE:
        return table_is_table(value);
    case TALLY_TABLE_TEXT:
        return value->kind == TALLY_JSON_TEXT;
    case TALLY_TABLE_BOOLEAN:
        return value->kind == TALLY_JSON_TRUE || value->kind == TALLY_JSON_FALSE;
    case TALLY_TABLE_TEXTS:
        return table_is_texts(value, 0);
    case TALLY_TABLE_FULL_TEXTS:
        return table_is_texts(value, 1);
    case TALLY_TABLE_CHOICE:
        return table_is_choice(field, value);
    case TALLY_TABLE_ONE:
        return value->kind == TALLY_JSON_INTEGER && value->integer == 1;
    case TALLY_TABLE_INTEGER:
        return value->kind == TALLY_JSON_INTEGER || value->kind == TALLY_JSON_BIG;
    default:
        return value->kind == TALLY_JSON_TEXT || table_is_table(value);
    }
}

static void table_write_found(const tally_table_field *field, const tally_json *value,
                              tally_writer *writer)
{
    const int shown = field->kind == TALLY_TABLE_CHOICE || field->kind == TALLY_TABLE_ONE;
    if (shown && value->kind == TALLY_JSON_TEXT) {
        tally_write_repr(writer, value->text, value->size);
    } else if (shown && value->kind == TALLY_JSON_INTEGER) {
        tally_write_int(writer, value->integer);
    } else if (shown && value->kind == TALLY_JSON_BIG) {
        tally_write_bytes(writer, value->text, value->size);
    } else {
        tally_write(writer, tally_json_kind_text(value));
    }
}

static tally_status table_check_key(const tally_table_field *fields, const tally_json *member,
                                    const tally_table_place *place, tally_problem *problem)
{
    const tally_table_place at = {place, member->key, member->key_size};
    const char *const renamed = table_renamed(member);
    const char *names[TALLY_TABLE_FIELDS];
    size_t count = 0;
    tally_writer writer;
    if (renamed != NULL && fields[table_index(fields, renamed)].name != NULL) {
        tally_table_problem(&at, problem, &writer);
        tally_write(&writer, "this key is called '");
        tally_write(&writer, renamed);
        tally_write(&writer, "' now; rename it");
        return TALLY_ERROR_POLICY;
    }
    for (; fields[count].name != NULL; count++) {
        if (tally_json_key_is(member, fields[count].name)) {
            return TALLY_OK;
        }
        names[count] = fields[count].name;
    }
    tally_table_problem(&at, problem, &writer);
    tally_write(&writer, "there is no such key");
    tally_write_instead(&writer, member->key, member->key_size, names, count);
    return TALLY_ERROR_POLICY;
}

static tally_status table_check_value(const tally_table_field *field, const tally_json *value,
                                      const tally_table_place *place, tally_problem *problem)
{
    const tally_table_place at = tally_table_at(place, field->name);
    tally_writer writer;
    if (value == NULL ? !field->required : table_fits(field, value)) {
        return TALLY_OK;
    }
    tally_table_problem(&at, problem, &writer);
    tally_write(&writer, value == NULL ? "is missing; it must be " : "must be ");
    tally_write(&writer, field->expected);
    const int is_list =
        value != NULL && value->kind == TALLY_JSON_ARRAY && field->kind == TALLY_TABLE_FULL_TEXTS;
    if (value != NULL && !is_list) {
        tally_write(&writer, ", not ");
        table_write_found(field, value, &writer);
    }
    return TALLY_ERROR_POLICY;
}

tally_status tally_table_read(const tally_table_field *fields, const tally_json *table,
                              const tally_table_place *place, const char *example,
                              const tally_json **values, tally_problem *problem)
{
    tally_status status = TALLY_OK;
    if (!table_is_table(table)) {
        tally_writer writer;
        tally_table_problem(place, problem, &writer);
        tally_write(&writer, "must be a table");
        tally_write(&writer, example == NULL ? "" : ", such as ");
        tally_write(&writer, example == NULL ? "" : example);
        tally_write(&writer, ", not ");
        tally_write(&writer, tally_json_kind_text(table));
        return TALLY_ERROR_POLICY;
    }
    const tally_json *member = table->first;
    for (; member != NULL && status == TALLY_OK; member = member->next) {
        status = table_check_key(fields, member, place, problem);
    }
    for (size_t i = 0; fields[i].name != NULL && status == TALLY_OK; i++) {
        values[i] = tally_json_member(table, fields[i].name);
        status = table_check_value(&fields[i], values[i], place, problem);
    }
    return status;
}
