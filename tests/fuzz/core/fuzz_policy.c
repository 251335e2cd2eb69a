/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies of tables and of text, of any bytes: a refusal says where and why, and what is accepted
 * holds together. */
#include "fuzz_allocator.h"
#include "policy/check.h"
#include "tallystick/text.h"

enum { MOST = 64 /* texts of a list, for one check */ };

static void check_text(tally_policy_text text)
{
    CHECK(text.text != NULL && text.text[text.size] == '\0');
}

/* What is written of a path has no quotes that it does not need. Returns whether the path had none. */
static int check_path(tally_policy_text column)
{
    char first[300], second[300];
    tally_writer writer, again;
    tally_writer_init(&writer, first, sizeof first);
    tally_writer_init(&again, second, sizeof second);
    const int as_given = tally_path_write(column, &writer);
    if (!as_given) {
        CHECK(writer.needed < column.size);
    }
    if (!as_given && writer.size == writer.needed) {
        CHECK(tally_path_write((tally_policy_text){first, writer.size}, &again));
        CHECK(strcmp(first, second) == 0);
    }
    return as_given;
}

/* What was accepted is accepted again, as the rules of a program. */
static void check_policy(const tally_policy *policy)
{
    tally_policy_text keep[MOST] = {{0}}, mixed[MOST] = {{0}};
    tally_csv_options csv;
    tally_problem problem;
    size_t count = 0, keep_count = 0, mixed_count = 0;
    for (const tally_rule *rule; (rule = tally_policy_rule(policy, count)) != NULL; count++) {
        check_text(rule->column);
        check_text(rule->name_space);
        CHECK(check_path(rule->column));
        CHECK(rule->format != NULL && (uint32_t)rule->on_invalid <= TALLY_INVALID_KEEP);
        CHECK((rule->key.version != 0) == tally_format_is_keyed(rule->format));
        CHECK((rule->key.version != 0) == (rule->name_space.size > 0));
        CHECK(rule->key.version != 0 || rule->tweak.text == NULL);
    }
    CHECK(count > 0);
    while (keep_count < MOST && tally_policy_keep(policy, keep_count).text != NULL) {
        keep[keep_count] = tally_policy_keep(policy, keep_count);
        check_text(keep[keep_count++]);
    }
    while (mixed_count < MOST && tally_policy_mixed_format(policy, mixed_count).text != NULL) {
        mixed[mixed_count] = tally_policy_mixed_format(policy, mixed_count);
        check_text(mixed[mixed_count++]);
    }
    if (mixed_count < MOST) {
        CHECK_EQUAL(tally_rules_check(NULL, tally_policy_rule(policy, 0), count, keep, keep_count,
                                      mixed, mixed_count, &problem),
                    TALLY_OK);
    }
    tally_policy_csv(policy, &csv);
    CHECK((csv.delimiter == '\0' ? ',' : csv.delimiter) != csv.quote);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_pieces pieces = fuzz_pieces_of(&input);
    const tally_allocator allocator = {fuzz_pieces_give, fuzz_pieces_take, &pieces};
    const size_t text_size = input.size;
    const char *const text = (const char *)fuzz_bytes(&input, text_size);
    tally_policy *policy = NULL;
    tally_problem problem;
    const tally_status status = tally_policy_new(&allocator, text, text_size, &policy, &problem);
    CHECK((status == TALLY_OK) == (policy != NULL));
    if (status == TALLY_OK) {
        check_policy(policy);
    } else if (status == TALLY_ERROR_POLICY) {
        fuzz_described(&problem);
    } else {
        CHECK_EQUAL(status, TALLY_ERROR_MEMORY);
    }
    tally_policy_free(policy);
    const tally_status of_text = tally_text_policy_check(&allocator, text, text_size, &problem);
    if (of_text == TALLY_ERROR_POLICY) {
        fuzz_described(&problem);
    } else {
        CHECK(of_text == TALLY_OK || of_text == TALLY_ERROR_MEMORY);
    }
    (void)check_path((tally_policy_text){text, text_size});
    CHECK_EQUAL(pieces.out, 0);
    return fuzz_end();
}
