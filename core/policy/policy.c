/* SPDX-License-Identifier: Apache-2.0
 *
 * A policy from JSON: its rules, and the keys above them. */
#include "base/allocator.h"
#include "formats/format.h"
#include "policy/check.h"
#include "policy/csv.h"
#include "policy/table.h"

#include <string.h>

struct tally_policy {
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    int has_csv;
    tally_json_document json; /* all texts are its */
    tally_rule *rules;
    tally_format **formats;                  /* those of the rules; equal ones are made once */
    struct policy_description *descriptions; /* theirs */
    const tally_json *cipher;                /* of all formats that have no other, or NULL */
    size_t count, capacity, format_count;
    tally_policy_text *keep, *mixed;
    size_t keep_count, mixed_count;
    tally_unlisted unlisted;
    tally_csv_options csv;
};

/* The source of a format: its description, and the options of its cipher beside it. */
typedef struct policy_description {
    const tally_json *format, *cipher[TALLY_SHARED_OPTIONS];
} policy_description;

enum { POLICY_REMEMBERED = 256 /* formats that are compared with a new one */ };

enum {
    POLICY_COLUMNS,
    POLICY_VERSION,
    POLICY_CSV,
    POLICY_UNLISTED,
    POLICY_KEEP,
    POLICY_MIXED,
    POLICY_CIPHER
};

static const char *const policy_ciphers[] = {"fast", "ff1", "ff1-2016", NULL};
static const char *const policy_unlisted[] = {"keep", "error", NULL};

static const tally_table_field policy_top[] = {
    {"columns", TALLY_TABLE_TABLE, "a table", 1, NULL},
    {"version", TALLY_TABLE_ONE, "1", 0, NULL},
    {"csv", TALLY_TABLE_TABLE, "a table", 0, NULL},
    {"unlisted", TALLY_TABLE_CHOICE, "'keep' or 'error'", 0, policy_unlisted},
    {"keep", TALLY_TABLE_TEXTS, "an array of column names", 0, NULL},
    {"mixed_formats", TALLY_TABLE_TEXTS, "an array of namespaces", 0, NULL},
    {"cipher", TALLY_TABLE_CHOICE, "'fast', 'ff1' or 'ff1-2016'", 0, policy_ciphers},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

enum {
    COLUMN_FORMAT,
    COLUMN_KEY,
    COLUMN_NAMESPACE,
    COLUMN_TWEAK,
    COLUMN_ON_INVALID,
    COLUMN_CIPHER, /* and the next ones: in the order of tally_cipher_options */
    COLUMN_TWEAK_HEX
};

#define POLICY_KEY_WORDS       "a data key with its version, such as \"people:1\""
#define POLICY_NAMESPACE_WORDS "text that names the values, such as \"person id\""
#define POLICY_EXAMPLE         "{ format = \"digits\", key = \"people:1\", namespace = \"person id\" }"

static const char *const policy_column_ciphers[] = {"fast", "ff1", "ff1-2016", "ff3-1", NULL};
static const char *const policy_on_invalid[] = {"error", "null", "keep", NULL};

static const tally_table_field policy_column[] = {
    {"format", TALLY_TABLE_FORMAT, "a format's name, such as \"digits\", or a table with its type",
     1, NULL},
    {"key", TALLY_TABLE_TEXT, POLICY_KEY_WORDS, 0, NULL},
    {"namespace", TALLY_TABLE_TEXT, POLICY_NAMESPACE_WORDS, 0, NULL},
    {"tweak", TALLY_TABLE_TEXT, "a column's name", 0, NULL},
    {"on_invalid", TALLY_TABLE_CHOICE, "'error', 'null' or 'keep'", 0, policy_on_invalid},
    {"cipher", TALLY_TABLE_CHOICE, "'fast', 'ff1', 'ff1-2016' or 'ff3-1'", 0,
     policy_column_ciphers},
    {"tweak_hex", TALLY_TABLE_TEXT, "text of hexadecimal digits", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

static const tally_allocator *policy_allocator(const tally_policy *policy)
{
    return policy->has_allocator ? &policy->allocator : NULL;
}

static tally_policy_text policy_text(const tally_json *value)
{
    return value == NULL ? (tally_policy_text){NULL, 0}
                         : (tally_policy_text){value->text, value->size};
}

/* The place of a choice in its list; 0 if nothing is given. */
static int policy_choice(const tally_json *value, const char *const *choices)
{
    int i = 0;
    while (value != NULL && choices[i + 1] != NULL && !tally_json_is(value, choices[i])) {
        i++;
    }
    return i;
}

static tally_status policy_texts(tally_policy *policy, const tally_json *array,
                                 tally_policy_text **out, size_t *count)
{
    if (array == NULL || array->count == 0) {
        return TALLY_OK;
    }
    *out = tally_allocate_many(policy_allocator(policy), array->count, sizeof **out);
    if (*out == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (const tally_json *item = array->first; item != NULL; item = item->next) {
        (*out)[(*count)++] = policy_text(item);
    }
    return TALLY_OK;
}

/* Whether two values are equal, written alike, or both NULL. JSON's depth bounds the recursion. */
static int policy_is_equal(const tally_json *one, const tally_json *other)
{
    if (one == other || one == NULL || other == NULL) {
        return one == other;
    }
    if (one->kind != other->kind || one->count != other->count || one->size != other->size ||
        one->integer != other->integer || one->key_size != other->key_size ||
        (one->size > 0 && memcmp(one->text, other->text, one->size) != 0) ||
        (one->key_size > 0 && memcmp(one->key, other->key, one->key_size) != 0)) {
        return 0;
    }
    const tally_json *a = one->first, *b = other->first;
    while (a != NULL && b != NULL && policy_is_equal(a, b)) {
        a = a->next;
        b = b->next;
    }
    return a == NULL && b == NULL;
}

static int policy_is_described(const policy_description *one, const policy_description *other)
{
    int equal = policy_is_equal(one->format, other->format);
    for (size_t i = 0; i < TALLY_SHARED_OPTIONS && equal; i++) {
        const tally_json *const a = one->cipher[i], *const b = other->cipher[i];
        /* The texts are compared, not the keys: one may stand for the whole policy. */
        equal = a == b || (a != NULL && b != NULL && a->size == b->size &&
                           memcmp(a->text, b->text, a->size) == 0);
    }
    return equal;
}

/* One of the last formats, if it has this description: some take megabytes. */
static tally_format *policy_made(const tally_policy *policy, const policy_description *description)
{
    const size_t last = policy->format_count;
    for (size_t i = last; i > 0 && last - i < POLICY_REMEMBERED; i--) {
        if (policy_is_described(&policy->descriptions[i - 1], description)) {
            return policy->formats[i - 1];
        }
    }
    return NULL;
}

/* Writes the problem of a format at its place: below the rule's key `format`, or at the option of
 * the cipher beside it. */
static void policy_format_problem(const policy_description *description,
                                  const tally_table_place *place, const tally_problem *inner,
                                  tally_problem *problem)
{
    for (size_t i = 0; i < TALLY_SHARED_OPTIONS; i++) {
        const char *const option = tally_cipher_options[i].name;
        if (description->cipher[i] != NULL && strcmp(inner->place, option) == 0) {
            const tally_table_place at = tally_table_at(place, option);
            (void)tally_table_wrong(&at, problem, inner->text);
            return;
        }
    }
    const tally_table_place at = tally_table_at(place, "format");
    (void)tally_table_wrong(&at, problem, inner->text);
    if (inner->place[0] != '\0') {
        tally_writer writer;
        const size_t size = strlen(problem->place);
        tally_writer_init(&writer, problem->place + size, sizeof problem->place - size);
        tally_write_char(&writer, '.');
        tally_write(&writer, inner->place);
    }
}

/* The cipher beside a rule's format: its own, or the policy's if the format takes one and names no
 * other. */
static const tally_json *policy_cipher_of(const tally_policy *policy,
                                          const tally_json *const *values)
{
    const tally_json *const own = values[COLUMN_CIPHER], *const format = values[COLUMN_FORMAT];
    return own != NULL                                   ? own
           : tally_json_member(format, "cipher") != NULL ? NULL
           : tally_format_takes_cipher(format)           ? policy->cipher
                                                         : NULL;
}

/* Makes the format of a rule. */
static tally_status policy_format(tally_policy *policy, const tally_json *const *values,
                                  const tally_table_place *place, const tally_format **out,
                                  tally_problem *problem)
{
    tally_problem inner;
    const policy_description description = {
        values[COLUMN_FORMAT], {policy_cipher_of(policy, values), values[COLUMN_TWEAK_HEX]}};
    tally_format *made = policy_made(policy, &description);
    if (made != NULL) {
        *out = made;
        return TALLY_OK;
    }
    const tally_status status = tally_format_with_cipher(
        policy_allocator(policy), description.format, description.cipher, &made, &inner);
    if (status == TALLY_OK) {
        policy->formats[policy->format_count] = made;
        policy->descriptions[policy->format_count++] = description;
        *out = made;
        return TALLY_OK;
    }
    if (status == TALLY_ERROR_MEMORY) {
        return status;
    }
    policy_format_problem(&description, place, &inner, problem);
    return TALLY_ERROR_POLICY;
}

/* A rule of a format that has no key has neither namespace nor tweak. */
static tally_status policy_check_keyless(const tally_format *format,
                                         const tally_json *const *values,
                                         const tally_table_place *place, tally_problem *problem)
{
    for (int i = COLUMN_KEY; i <= COLUMN_TWEAK; i++) {
        if (values[i] != NULL) {
            const char *const name = tally_format_name(format), *const option =
                                                                    policy_column[i].name;
            const tally_table_place at = tally_table_at(place, option);
            tally_writer writer;
            tally_table_problem(&at, problem, &writer);
            tally_write(&writer, "format ");
            tally_write_repr(&writer, name, strlen(name));
            tally_write(&writer, " takes no ");
            tally_write(&writer, option);
            tally_write(&writer, "; remove it");
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

/* The keys that a rule with a data key must have. */
static tally_status policy_read_keyed(const tally_json *const *values,
                                      const tally_table_place *place, tally_rule *rule,
                                      tally_problem *problem)
{
    const tally_table_place key = tally_table_at(place, "key");
    const tally_table_place name_space = tally_table_at(place, "namespace");
    const tally_table_place on_invalid = tally_table_at(place, "on_invalid");
    tally_problem reference;
    if (values[COLUMN_KEY] == NULL) {
        return tally_table_wrong(&key, problem, "is missing; it must be " POLICY_KEY_WORDS);
    }
    if (values[COLUMN_NAMESPACE] == NULL) {
        return tally_table_wrong(&name_space, problem,
                                 "is missing; it must be " POLICY_NAMESPACE_WORDS);
    }
    if (values[COLUMN_NAMESPACE]->size == 0) {
        return tally_table_wrong(&name_space, problem, "must not be empty; name the values");
    }
    if (tally_key_id_parse(values[COLUMN_KEY]->text, values[COLUMN_KEY]->size, &rule->key,
                           &reference) != TALLY_OK) {
        return tally_table_wrong(&key, problem, reference.text);
    }
    if (rule->on_invalid == TALLY_INVALID_KEEP && tally_format_forbids_keep(rule->format)) {
        return tally_table_wrong(
            &on_invalid, problem,
            "'keep' can't go with this format, whose tokens are no valid values: a value kept as "
            "invalid could be taken for a token; use 'error' or 'null'");
    }
    rule->name_space = policy_text(values[COLUMN_NAMESPACE]);
    rule->tweak = policy_text(values[COLUMN_TWEAK]);
    if (values[COLUMN_TWEAK] == NULL && tally_format_needs_tweak(rule->format)) {
        const tally_table_place tweak = tally_table_at(place, "tweak");
        return tally_table_wrong(&tweak, problem,
                                 "is missing; it must be a column's name: this format needs to "
                                 "know which values belong together");
    }
    return TALLY_OK;
}

/* Refuses quotes that a path does not need. */
static tally_status policy_check_quotes(tally_policy_text column, const tally_table_place *place,
                                        tally_problem *problem)
{
    tally_writer writer;
    tally_table_problem(place, problem, &writer);
    return tally_check_quotes(column, &writer);
}

/* Appends the rule of a column. */
static tally_status policy_read_rule(tally_policy *policy, const tally_json *column,
                                     const tally_table_place *columns, tally_problem *problem)
{
    const tally_table_place place = {columns, column->key, column->key_size};
    const tally_json *values[TALLY_TABLE_FIELDS];
    tally_rule *const rule = &policy->rules[policy->count];
    memset(rule, 0, sizeof *rule);
    tally_status status =
        tally_table_read(policy_column, column, &place, POLICY_EXAMPLE, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const tally_json *const tweak = values[COLUMN_TWEAK];
    if (tweak != NULL && tweak->size == column->key_size &&
        memcmp(tweak->text, column->key, tweak->size) == 0) {
        const tally_table_place at = tally_table_at(&place, "tweak");
        return tally_table_wrong(&at, problem,
                                 "a column can't be its own tweak; name another column");
    }
    status = policy_format(policy, values, &place, &rule->format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    policy->count++;
    rule->column = (tally_policy_text){column->key, column->key_size};
    status = policy_check_quotes(rule->column, &place, problem);
    if (status == TALLY_OK && tweak != NULL) {
        const tally_table_place at = tally_table_at(&place, "tweak");
        status = policy_check_quotes(policy_text(tweak), &at, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    rule->name_space = (tally_policy_text){"", 0};
    rule->on_invalid =
        (tally_on_invalid)policy_choice(values[COLUMN_ON_INVALID], policy_on_invalid);
    return tally_format_is_keyed(rule->format)
               ? policy_read_keyed(values, &place, rule, problem)
               : policy_check_keyless(rule->format, values, &place, problem);
}

/* Contradictions, with the keys at fault. */
static tally_status policy_check_rules(const tally_policy *policy, const tally_check *check,
                                       const tally_table_place *columns, tally_problem *problem)
{
    tally_writer writer;
    for (size_t i = 0; i < policy->count; i++) {
        const tally_rule *const rule = &policy->rules[i];
        const tally_table_place column = {columns, rule->column.text, rule->column.size};
        const tally_table_place at = tally_table_at(&column, "tweak");
        if (rule->tweak.text != NULL && tally_check_rules_of(check, rule->tweak) > 0) {
            tally_table_problem(&at, problem, &writer);
            tally_check_write_tweak(&writer, rule->tweak);
            return TALLY_ERROR_POLICY;
        }
    }
    for (size_t i = 0; i < policy->keep_count; i++) {
        const tally_table_place at = tally_table_at(NULL, "keep");
        const tally_status status = policy_check_quotes(policy->keep[i], &at, problem);
        if (status != TALLY_OK) {
            return status;
        }
        if (tally_check_rules_of(check, policy->keep[i]) > 0) {
            tally_table_problem(&at, problem, &writer);
            tally_check_write_kept(&writer, policy->keep[i]);
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

static tally_status policy_read_rules(tally_policy *policy, const tally_json *columns,
                                      tally_problem *problem)
{
    const tally_table_place place = tally_table_at(NULL, "columns");
    tally_status status = TALLY_OK;
    if (columns->count == 0) {
        return tally_table_wrong(&place, problem, "no column is protected; name at least one");
    }
    policy->capacity = columns->count;
    policy->rules =
        tally_allocate_many(policy_allocator(policy), columns->count, sizeof *policy->rules);
    policy->formats =
        tally_allocate_many(policy_allocator(policy), columns->count, sizeof *policy->formats);
    policy->descriptions =
        tally_allocate_many(policy_allocator(policy), columns->count, sizeof *policy->descriptions);
    if (policy->rules == NULL || policy->formats == NULL || policy->descriptions == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_json *column = columns->first;
    for (; column != NULL && status == TALLY_OK; column = column->next) {
        status = policy_read_rule(policy, column, &place, problem);
    }
    return status;
}

/* The whole policy. The order of the checks says which of several mistakes is named. */
static tally_status policy_read(tally_policy *policy, tally_problem *problem)
{
    const tally_table_place columns = tally_table_at(NULL, "columns");
    const tally_table_place csv = tally_table_at(NULL, "csv");
    const tally_json *values[TALLY_TABLE_FIELDS];
    tally_check check = {0};
    tally_status status =
        tally_table_read(policy_top, policy->json.root, NULL, NULL, values, problem);
    if (status == TALLY_OK) {
        policy->cipher = values[POLICY_CIPHER];
        status = policy_read_rules(policy, values[POLICY_COLUMNS], problem);
    }
    if (status == TALLY_OK) {
        status = policy_texts(policy, values[POLICY_KEEP], &policy->keep, &policy->keep_count);
    }
    if (status == TALLY_OK) {
        status = policy_texts(policy, values[POLICY_MIXED], &policy->mixed, &policy->mixed_count);
    }
    if (status != TALLY_OK) {
        return status;
    }
    policy->unlisted =
        values[POLICY_UNLISTED] == NULL
            ? TALLY_UNLISTED_UNSAID
            : (tally_unlisted)(1 + policy_choice(values[POLICY_UNLISTED], policy_unlisted));
    status = tally_check_init(policy_allocator(policy), policy->rules, policy->count, &check);
    if (status == TALLY_OK) {
        status = policy_check_rules(policy, &check, &columns, problem);
    }
    if (status == TALLY_OK && values[POLICY_CSV] != NULL) {
        policy->has_csv = 1;
        status = tally_csv_read(values[POLICY_CSV], &csv, &policy->csv, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_mixed(&check, policy->mixed, policy->mixed_count, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_plain(&check, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_tweaks(&check, problem);
    }
    tally_check_free(&check);
    return status;
}

tally_status tally_policy_new(const tally_allocator *allocator, const char *json, size_t size,
                              tally_policy **out, tally_problem *problem)
{
    tally_policy *const policy = tally_allocate(allocator, sizeof *policy);
    *out = NULL;
    if (policy == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(policy, 0, sizeof *policy);
    if (allocator != NULL) {
        policy->allocator = *allocator;
        policy->has_allocator = 1;
    }
    tally_csv_defaults(&policy->csv);
    tally_status status =
        tally_json_parse(policy_allocator(policy), json, size, &policy->json, problem);
    status = status == TALLY_OK              ? policy_read(policy, problem)
             : status == TALLY_ERROR_PROBLEM ? TALLY_ERROR_POLICY
                                             : status;
    if (status == TALLY_OK) {
        *out = policy;
    } else {
        tally_policy_free(policy);
    }
    return status;
}

void tally_policy_free(tally_policy *policy)
{
    if (policy == NULL) {
        return;
    }
    const tally_allocator copy = policy->allocator;
    const tally_allocator *const allocator = policy->has_allocator ? &copy : NULL;
    for (size_t i = 0; i < policy->format_count; i++) {
        tally_format_free(policy->formats[i]);
    }
    tally_release(allocator, policy->rules, policy->capacity * sizeof *policy->rules);
    tally_release(allocator, policy->formats, policy->capacity * sizeof *policy->formats);
    tally_release(allocator, policy->descriptions, policy->capacity * sizeof *policy->descriptions);
    tally_release(allocator, policy->keep, policy->keep_count * sizeof *policy->keep);
    tally_release(allocator, policy->mixed, policy->mixed_count * sizeof *policy->mixed);
    tally_json_free(&policy->json);
    tally_release(allocator, policy, sizeof *policy);
}

const tally_rule *tally_policy_rule(const tally_policy *policy, size_t index)
{
    return index < policy->count ? &policy->rules[index] : NULL;
}

tally_unlisted tally_policy_unlisted(const tally_policy *policy)
{
    return policy->unlisted;
}

tally_policy_text tally_policy_keep(const tally_policy *policy, size_t index)
{
    return index < policy->keep_count ? policy->keep[index] : (tally_policy_text){NULL, 0};
}

tally_policy_text tally_policy_mixed_format(const tally_policy *policy, size_t index)
{
    return index < policy->mixed_count ? policy->mixed[index] : (tally_policy_text){NULL, 0};
}

int tally_policy_csv(const tally_policy *policy, tally_csv_options *out)
{
    *out = policy->csv;
    return policy->has_csv;
}
