/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of any description: a refusal says why, and a format says what it is. */
#include "base/writer.h"
#include "fuzz_allocator.h"
#include "tallystick/formats.h"
#include "json/json.h"

/* What a format tells of itself. */
static void check_format(const tally_format *format, fuzz_input *input)
{
    static const char *const types[] = {
        "u", "z", "l",  "d:10,2", "tdD", "tsu:UTC", "+s", "vu", "g",
        "n", "",  "d:", "w:0",    "tsu", "+w:",     "e",  "b",  "d:38,-3,256"};
    const char *const identity = tally_format_identity(format);
    tally_json_document read = {0};
    tally_domain domain, of_value;
    tally_fault fault;
    CHECK_EQUAL(tally_json_parse(NULL, identity, strlen(identity), &read, NULL), TALLY_OK);
    tally_json_free(&read);
    CHECK(tally_format_example(format, 0) != NULL);
    tally_format_smallest_domain(format, &domain);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        tally_problem problem;
        const tally_status status = tally_format_takes(format, types[i], &problem);
        CHECK(status == TALLY_OK || status == TALLY_ERROR_TYPE);
        if (status != TALLY_OK) {
            fuzz_described(&problem);
        }
    }
    const size_t size = input->size < 100 ? input->size : 100;
    const uint8_t *const value = fuzz_bytes(input, size);
    tally_format_domain_of(format, value, size, &of_value);
    for (uint32_t reason = 0; reason < TALLY_REASONS; reason++) {
        tally_format_explain(format, value, size, (tally_reason)reason, &fault);
        CHECK(fault.reason == (tally_reason)reason && fault.position <= size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_pieces pieces = fuzz_pieces_of(&input);
    const tally_allocator allocator = {fuzz_pieces_give, fuzz_pieces_take, &pieces};
    const size_t text_size = input.size < 8192 ? input.size : 8192;
    const char *const text = (const char *)fuzz_bytes(&input, text_size);
    tally_format *format = NULL, *again = NULL;
    tally_problem problem;
    const tally_status status = tally_format_new(&allocator, text, text_size, &format, &problem);
    CHECK((status == TALLY_OK) == (format != NULL));
    if (status == TALLY_OK) {
        fuzz_input value = {data, size};
        check_format(format, &value);
        CHECK_EQUAL(tally_format_new(NULL, text, text_size, &again, &problem), TALLY_OK);
        CHECK(again != NULL &&
              strcmp(tally_format_identity(format), tally_format_identity(again)) == 0);
        tally_format_free(again);
    } else if (status == TALLY_ERROR_FORMAT) {
        fuzz_described(&problem);
    } else {
        CHECK_EQUAL(status, TALLY_ERROR_MEMORY);
    }
    tally_format_free(format);
    CHECK_EQUAL(pieces.out, 0);
    return fuzz_end();
}
