/* SPDX-License-Identifier: Apache-2.0
 *
 * Options by their tables: presence, types and choices, with the messages of a policy. */
#include "formats/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/writer.h"

static size_t options_count(const tally_option *options)
{
    size_t count = 0;
    while (options[count].name != NULL) {
        count++;
    }
    return count;
}

/* Begins a problem at an option. */
static void options_problem(const char *name, size_t size, tally_problem *problem,
                            tally_writer *out)
{
    tally_writer_problem(out, problem);
    tally_writer place;
    tally_writer_init(&place, problem->place, sizeof problem->place);
    tally_write_path(&place, name, size);
}

static void options_expected(const tally_option *option, tally_writer *out)
{
    static const char *const texts[] = {
        [TALLY_OPTION_TEXT] = "text",
        [TALLY_OPTION_INTEGER] = "a whole number",
        [TALLY_OPTION_BOOLEAN] = "true or false",
        [TALLY_OPTION_LIST] = "an array",
        [TALLY_OPTION_NUMBER] = "text or a whole number",
        [TALLY_OPTION_WHOLE] = "a whole number",
        [TALLY_OPTION_DATE] = "a date, such as 2000-12-31",
        [TALLY_OPTION_DATETIME] = "a date with a time, such as 2000-12-31T23:59:59",
    };
    if (option->kind != TALLY_OPTION_CHOICE) {
        tally_write(out, texts[option->kind]);
        return;
    }
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        tally_write(out, i == 0 ? "" : option->choices[i + 1] != NULL ? ", " : " or ");
        tally_write_repr(out, option->choices[i], strlen(option->choices[i]));
    }
}

static void options_found(const tally_option *option, const tally_json *value, tally_writer *out)
{
    if (option->kind == TALLY_OPTION_CHOICE && value->kind == TALLY_JSON_TEXT) {
        size_t count = 0;
        while (option->choices[count] != NULL) {
            count++;
        }
        tally_write_repr(out, value->text, value->size);
        (void)tally_write_nearest(out, value->text, value->size, option->choices, count);
    } else if (option->kind == TALLY_OPTION_CHOICE &&
               (value->kind == TALLY_JSON_INTEGER || value->kind == TALLY_JSON_BIG)) {
        tally_write_bytes(out, value->text, value->size);
    } else {
        tally_write(out, tally_json_kind_text(value));
    }
}

static int options_take_text(const tally_json *value, tally_option_value *out)
{
    if (value == NULL || value->kind != TALLY_JSON_TEXT) {
        return 0;
    }
    out->text = value->text;
    out->size = value->size;
    return 1;
}

static int options_take_choice(const tally_option *option, const tally_json *value,
                               tally_option_value *out)
{
    if (value->kind != TALLY_JSON_TEXT) {
        return 0;
    }
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        if (tally_json_is(value, option->choices[i])) {
            out->integer = (int64_t)i;
            return options_take_text(value, out);
        }
    }
    return 0;
}

/* Returns 0 if the value is of another type. */
static int options_take(const tally_option *option, const tally_json *value,
                        tally_option_value *out)
{
    out->given = 1;
    switch (option->kind) {
    case TALLY_OPTION_TEXT:
        return options_take_text(value, out);
    case TALLY_OPTION_NUMBER:
    case TALLY_OPTION_WHOLE:
        if (value->kind == TALLY_JSON_BIG) {
            out->text = value->text;
            out->size = value->size;
            return 1;
        }
        if (option->kind == TALLY_OPTION_NUMBER && options_take_text(value, out)) {
            return 1;
        }
        out->integer = value->integer;
        return value->kind == TALLY_JSON_INTEGER;
    case TALLY_OPTION_INTEGER:
        out->integer = value->integer;
        return value->kind == TALLY_JSON_INTEGER;
    case TALLY_OPTION_BOOLEAN:
        out->integer = value->kind == TALLY_JSON_TRUE;
        return value->kind == TALLY_JSON_TRUE || value->kind == TALLY_JSON_FALSE;
    case TALLY_OPTION_CHOICE:
        return options_take_choice(option, value, out);
    case TALLY_OPTION_LIST:
        out->list = value;
        return value->kind == TALLY_JSON_ARRAY;
    case TALLY_OPTION_DATE:
        return options_take_text(value, out) ||
               options_take_text(tally_json_tagged(value, "$date"), out);
    case TALLY_OPTION_DATETIME:
        return options_take_text(value, out) ||
               options_take_text(tally_json_tagged(value, "$datetime"), out);
    }
    return 0;
}

tally_option_value tally_option_usual(const tally_option *option)
{
    tally_option_value value = {0};
    if (option->usual == NULL) {
        return value;
    }
    if (option->usual[0] == '"') {
        value.text = option->usual + 1;
        value.size = strlen(value.text) - 1;
    }
    if (option->kind == TALLY_OPTION_CHOICE && value.text != NULL) {
        for (size_t i = 0; option->choices[i] != NULL; i++) {
            if (strlen(option->choices[i]) == value.size &&
                memcmp(option->choices[i], value.text, value.size) == 0) {
                value.text = option->choices[i];
                value.integer = (int64_t)i;
            }
        }
    } else if (option->kind == TALLY_OPTION_BOOLEAN) {
        value.integer = option->usual[0] == 't';
    } else if (value.text == NULL) {
        value.integer = strtoll(option->usual, NULL, 10);
    }
    return value;
}

const char *tally_options_changed(const tally_option *options, const tally_option_value *values)
{
    for (size_t i = 0; options[i].name != NULL; i++) {
        const tally_option_value usual = tally_option_usual(&options[i]), *value = &values[i];
        const int same = value->integer == usual.integer && value->size == usual.size &&
                         (usual.size == 0 || memcmp(value->text, usual.text, usual.size) == 0);
        if (value->given && options[i].usual != NULL && !same) {
            return options[i].name;
        }
    }
    return NULL;
}

static int options_unknown(const tally_option *options, const tally_option *shared,
                           const tally_json *member, tally_problem *problem)
{
    const char *names[TALLY_OPTIONS + TALLY_SHARED_OPTIONS];
    size_t count = 0;
    for (; options->name != NULL; options++) {
        names[count++] = options->name;
    }
    for (; shared->name != NULL; shared++) {
        names[count++] = shared->name;
    }
    tally_writer out;
    options_problem(member->key, member->key_size, problem, &out);
    tally_write(&out, "there is no such key");
    tally_write_instead(&out, member->key, member->key_size, names, count);
    return 0;
}

int tally_option_take(const tally_option *option, const tally_json *value, tally_option_value *out,
                      tally_problem *problem)
{
    if (options_take(option, value, out)) {
        return 1;
    }
    tally_writer text;
    options_problem(option->name, strlen(option->name), problem, &text);
    tally_write(&text, "must be ");
    options_expected(option, &text);
    tally_write(&text, ", not ");
    options_found(option, value, &text);
    return 0;
}

/* The option of a name; NULL: there is none. */
static const tally_option *options_find(const tally_option *options, const tally_json *member)
{
    while (options->name != NULL && !tally_json_key_is(member, options->name)) {
        options++;
    }
    return options->name != NULL ? options : NULL;
}

int tally_options_read(const tally_option *options, const tally_option *shared,
                       const tally_json *object, tally_option_value *values,
                       tally_option_value *shared_values, tally_problem *problem)
{
    const size_t count = options_count(options);
    memset(values, 0, TALLY_OPTIONS * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = tally_option_usual(&options[i]);
    }
    memset(shared_values, 0, TALLY_SHARED_OPTIONS * sizeof *shared_values);
    const tally_json *member = object != NULL ? object->first : NULL;
    for (; member != NULL; member = member->next) {
        if (tally_json_key_is(member, "type")) {
            continue;
        }
        const tally_option *option = options_find(options, member);
        const int own = option != NULL;
        option = own ? option : options_find(shared, member);
        if (option == NULL) {
            return options_unknown(options, shared, member, problem);
        }
        if (!tally_option_take(option, member,
                               own ? &values[option - options] : &shared_values[option - shared],
                               problem)) {
            return 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].required && !values[i].given) {
            tally_writer out;
            options_problem(options[i].name, strlen(options[i].name), problem, &out);
            tally_write(&out, "is missing; it must be ");
            options_expected(&options[i], &out);
            return 0;
        }
    }
    return 1;
}
