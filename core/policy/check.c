/* SPDX-License-Identifier: Apache-2.0
 *
 * See check.h. Rules are sorted first, so that a policy of many columns is checked in time. */
#include "policy/check.h"
#include "base/allocator.h"
#include "base/sort.h"
#include "base/writer.h"
#include "formats/format.h"
#include "keyring/key_id.h"

#include <string.h>

static int check_compare_texts(tally_policy_text a, tally_policy_text b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common == 0 ? 0 : memcmp(a.text, b.text, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Rules are of one array, so their addresses are in the order of the policy. */
static int check_compare_places(const void *one, const void *other)
{
    const tally_rule *const a = one, *const b = other;
    return (a > b) - (a < b);
}

static int check_compare_columns(const void *one, const void *other)
{
    const tally_rule *const a = one, *const b = other;
    return check_compare_texts(a->column, b->column);
}

static int check_compare_keys(const tally_rule *a, const tally_rule *b)
{
    const int order = strcmp(a->key.name, b->key.name);
    const int newer = (a->key.version > b->key.version) - (a->key.version < b->key.version);
    return order != 0   ? order
           : newer != 0 ? newer
                        : check_compare_texts(a->name_space, b->name_space);
}

static int check_compare_keys_places(const void *one, const void *other)
{
    const int order = check_compare_keys(one, other);
    return order != 0 ? order : check_compare_places(one, other);
}

tally_status tally_check_init(const tally_allocator *allocator, const tally_rule *rules,
                              size_t count, tally_check *out)
{
    *out = (tally_check){allocator, rules, count, NULL, NULL};
    out->by_column = tally_allocate_many(allocator, count, sizeof *out->by_column);
    out->by_key = tally_allocate_many(allocator, count, sizeof *out->by_key);
    if (out->by_column == NULL || out->by_key == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        out->by_column[i] = out->by_key[i] = &rules[i];
    }
    tally_sort(out->by_column, count, check_compare_columns);
    tally_sort(out->by_key, count, check_compare_keys_places);
    return TALLY_OK;
}

void tally_check_free(tally_check *check)
{
    tally_release(check->allocator, check->by_column, check->count * sizeof *check->by_column);
    tally_release(check->allocator, check->by_key, check->count * sizeof *check->by_key);
    check->by_column = check->by_key = NULL;
}

size_t tally_check_rules_of(const tally_check *check, tally_policy_text column)
{
    const tally_rule wanted = {.column = column};
    const size_t first =
        tally_sorted_place(check->by_column, check->count, &wanted, check_compare_columns);
    size_t end = first;
    while (end < check->count && check_compare_columns(check->by_column[end], &wanted) == 0) {
        end++;
    }
    return end - first;
}

void tally_check_write_tweak(tally_writer *writer, tally_policy_text tweak)
{
    tally_write(writer, "column ");
    tally_write_repr(writer, tweak.text, tweak.size);
    tally_write(writer, " is protected too, so its values would not be available to reveal this "
                        "column; use a column that is not protected");
}

void tally_check_write_kept(tally_writer *writer, tally_policy_text column)
{
    tally_write(writer, "column ");
    tally_write_repr(writer, column.text, column.size);
    tally_write(writer, " has a rule in [columns] too; remove one of the two");
}

static void check_write_mixed(tally_writer *writer, const tally_rule *first,
                              const tally_rule *other)
{
    tally_write(writer, "columns ");
    tally_write_repr(writer, first->column.text, first->column.size);
    tally_write(writer, " and ");
    tally_write_repr(writer, other->column.text, other->column.size);
    tally_write(writer, " have two formats under key ");
    tally_write_key_id(writer, &other->key);
    tally_write(writer, " in namespace ");
    tally_write_repr(writer, other->name_space.text, other->name_space.size);
    tally_write(writer, ", so equal values get different tokens and no longer join; give both "
                        "columns one format, or one of them another namespace, or allow it with "
                        "mixed_formats = [");
    tally_write_toml(writer, other->name_space.text, other->name_space.size);
    tally_write(writer, "]");
}

tally_status tally_check_quotes(tally_policy_text column, tally_writer *writer)
{
    char none[1];
    tally_writer nowhere;
    tally_writer_init(&nowhere, none, sizeof none);
    if (tally_path_write(column, &nowhere)) {
        return TALLY_OK;
    }
    tally_write(writer, "the path ");
    tally_write_repr(writer, column.text, column.size);
    tally_write(writer, " has quotes that it does not need; write ");
    (void)tally_path_write(column, writer);
    return TALLY_ERROR_POLICY;
}

/* The fault of a column's own name. */
static tally_status check_columns(const tally_check *check, tally_problem *problem)
{
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = check->by_column[i];
        if (i > 0 && check_compare_columns(check->by_column[i - 1], rule) == 0) {
            tally_write(&writer, "column ");
            tally_write_repr(&writer, rule->column.text, rule->column.size);
            tally_write(&writer, " has ");
            tally_write_uint(&writer, tally_check_rules_of(check, rule->column));
            tally_write(&writer, " rules");
            return TALLY_ERROR_POLICY;
        }
        if (tally_check_quotes(rule->column, &writer) != TALLY_OK ||
            (rule->tweak.text != NULL && tally_check_quotes(rule->tweak, &writer) != TALLY_OK)) {
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

static int check_compare_text_pointers(const void *a, const void *b)
{
    return check_compare_texts(*(const tally_policy_text *)a, *(const tally_policy_text *)b);
}

/* Texts that are looked up. */
typedef struct check_set {
    const void **sorted;
    size_t count;
} check_set;

static tally_status check_set_init(const tally_allocator *allocator, const tally_policy_text *texts,
                                   size_t count, check_set *out)
{
    out->count = count;
    out->sorted = tally_allocate_many(allocator, count, sizeof *out->sorted);
    if (out->sorted == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        out->sorted[i] = &texts[i];
    }
    tally_sort(out->sorted, count, check_compare_text_pointers);
    return TALLY_OK;
}

static void check_set_free(const tally_allocator *allocator, check_set *set)
{
    tally_release(allocator, set->sorted, set->count * sizeof *set->sorted);
}

static int check_set_has(const check_set *set, tally_policy_text text)
{
    const size_t place =
        tally_sorted_place(set->sorted, set->count, &text, check_compare_text_pointers);
    return place < set->count && check_compare_text_pointers(set->sorted[place], &text) == 0;
}

tally_status tally_check_mixed(const tally_check *check, const tally_policy_text *allowed,
                               size_t allowed_count, tally_problem *problem)
{
    const tally_rule *first = NULL, *wrong = NULL, *wrong_first = NULL;
    check_set allowed_set;
    int counts = 0;
    if (check_set_init(check->allocator, allowed, allowed_count, &allowed_set) != TALLY_OK) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = check->by_key[i];
        if (first == NULL || check_compare_keys(first, rule) != 0) {
            first = rule;
            counts = rule->key.version != 0 && !check_set_has(&allowed_set, rule->name_space);
        } else if (counts && (wrong == NULL || rule < wrong) &&
                   strcmp(tally_format_identity(first->format),
                          tally_format_identity(rule->format)) != 0) {
            wrong = rule;
            wrong_first = first;
        }
    }
    check_set_free(check->allocator, &allowed_set);
    if (wrong == NULL) {
        return TALLY_OK;
    }
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    check_write_mixed(&writer, wrong_first, wrong);
    return TALLY_ERROR_POLICY;
}

static int check_shares_key(const tally_rule *one, const tally_rule *other)
{
    return one->key.version != 0 && strcmp(one->key.name, other->key.name) == 0 &&
           one->key.version == other->key.version;
}

tally_status tally_check_plain(const tally_check *check, tally_problem *problem)
{
    for (size_t i = 1; i < check->count; i++) {
        const tally_rule *const one = check->by_key[i - 1], *const other = check->by_key[i];
        const uint32_t algorithm = tally_format_algorithm(one->format);
        if (!check_shares_key(one, other) || algorithm == tally_format_algorithm(other->format)) {
            continue;
        }
        const tally_rule *const plain = algorithm != 0 ? one : other;
        const tally_rule *const second = plain == one ? other : one;
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "key ");
        tally_write_key_id(&writer, &plain->key);
        tally_write(&writer, plain->format->plain_key != 0
                                 ? " serves format 'ipcrypt' in column "
                                 : " serves a plain cipher (tweak_hex) in column ");
        tally_write_repr(&writer, plain->column.text, plain->column.size);
        tally_write(&writer, ", and something else in column ");
        tally_write_repr(&writer, second->column.text, second->column.size);
        tally_write(&writer, "; give one of them another key");
        return TALLY_ERROR_POLICY;
    }
    return TALLY_OK;
}

tally_status tally_check_tweaks(const tally_check *check, tally_problem *problem)
{
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = &check->rules[i];
        const tally_cipher_choice *const choice = &rule->format->cipher;
        const int is_whole = choice->tweak_size == TALLY_FF3_1_TWEAK;
        if (choice->cipher != TALLY_CIPHER_FF3_1 || is_whole == (rule->tweak.text == NULL)) {
            continue;
        }
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "column ");
        tally_write_repr(&writer, rule->column.text, rule->column.size);
        tally_write(&writer, is_whole ? ": its tweak_hex is a whole tweak of ff3-1, which has 7 "
                                        "bytes; remove tweak, or give fewer digits"
                                      : ": a tweak of ff3-1 has 7 bytes; give tweak_hex 14 digits, "
                                        "or name the column that has the rest (tweak)");
        return TALLY_ERROR_POLICY;
    }
    return TALLY_OK;
}

/* Columns of rules that are also tweaks, or kept. */
static tally_status check_others(const tally_check *check, const tally_policy_text *keep,
                                 size_t keep_count, tally_problem *problem)
{
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    for (size_t i = 0; i < check->count; i++) {
        const tally_rule *const rule = &check->rules[i];
        if (rule->tweak.text != NULL && tally_check_rules_of(check, rule->tweak) > 0) {
            tally_write(&writer, "tweak of column ");
            tally_write_repr(&writer, rule->column.text, rule->column.size);
            tally_write(&writer, ": ");
            tally_check_write_tweak(&writer, rule->tweak);
            return TALLY_ERROR_POLICY;
        }
    }
    for (size_t i = 0; i < keep_count; i++) {
        if (tally_check_quotes(keep[i], &writer) != TALLY_OK) {
            return TALLY_ERROR_POLICY;
        }
        if (tally_check_rules_of(check, keep[i]) > 0) {
            tally_write(&writer, "keep: ");
            tally_check_write_kept(&writer, keep[i]);
            return TALLY_ERROR_POLICY;
        }
    }
    return TALLY_OK;
}

tally_status tally_rules_check(const tally_allocator *allocator, const tally_rule *rules,
                               size_t count, const tally_policy_text *keep, size_t keep_count,
                               const tally_policy_text *mixed_formats, size_t mixed_count,
                               tally_problem *problem)
{
    tally_check check;
    tally_status status = tally_check_init(allocator, rules, count, &check);
    if (status == TALLY_OK) {
        status = check_columns(&check, problem);
    }
    if (status == TALLY_OK) {
        status = check_others(&check, keep, keep_count, problem);
    }
    if (status == TALLY_OK) {
        status = tally_check_mixed(&check, mixed_formats, mixed_count, problem);
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
