/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text in any pieces: findings are those of the whole text, in order, inside it and within their
 * limits. Rules of any JSON are made or refused. */
#include "fuzz_allocator.h"
#include "scan/scanner.h"

enum { CAPACITY = 512 };

static size_t scan_pieces(const tally_scan_rules *rules, const uint8_t *text, size_t size,
                          size_t step, tally_scan_finding found[CAPACITY])
{
    tally_scanner *scanner = NULL;
    size_t count = 0, used = 0, some = 0;
    if (tally_scanner_new(rules, &scanner) != TALLY_OK) {
        return SIZE_MAX;
    }
    for (size_t at = 0; at < size; at += used) {
        const size_t piece = size - at < step ? size - at : step;
        CHECK_EQUAL(tally_scanner_update(scanner, text + at, piece, found + count, CAPACITY - count,
                                         &used, &some),
                    TALLY_OK);
        count += some;
        CHECK(CAPACITY - count >= TALLY_SCAN_CAPACITY);
    }
    for (int more = 1; more;) {
        CHECK_EQUAL(tally_scanner_final(scanner, found + count, CAPACITY - count, &some, &more),
                    TALLY_OK);
        count += some;
    }
    CHECK(scanner->steps <= 256 * (uint64_t)size);
    tally_scanner_free(scanner);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char usual[] =
        "{\"least\":\"weak\",\"lists\":{\"l\":[\"acme corp\",\"acme\",\"\\u00fcmit\"]},"
        "\"patterns\":{\"p\":\"ID-[0-9]{2,6}x?\"}}";
    static tally_scan_rules *shared;
    fuzz_input input = {data, size};
    tally_problem problem;
    if (fuzz_number(&input, 1) == 'R') { /* rules */
        fuzz_pieces pieces = fuzz_pieces_of(&input);
        const tally_allocator allocator = {fuzz_pieces_give, fuzz_pieces_take, &pieces};
        tally_scan_rules *rules = NULL;
        const size_t json = input.size;
        const tally_status status = tally_scan_rules_new(
            &allocator, (const char *)fuzz_bytes(&input, json), json, &rules, &problem);
        CHECK((status == TALLY_OK) == (rules != NULL));
        if (status == TALLY_ERROR_PROBLEM) {
            fuzz_described(&problem);
        }
        tally_scan_rules_free(rules);
        CHECK_EQUAL(pieces.out, 0);
        return fuzz_end();
    }
    if (shared == NULL) { /* for all inputs: it takes milliseconds */
        CHECK_EQUAL(tally_scan_rules_new(NULL, usual, sizeof usual - 1, &shared, &problem),
                    TALLY_OK);
    }
    const size_t step = 1 + fuzz_below(&input, 64), most = input.size < 700 ? input.size : 700;
    const uint8_t *text = fuzz_bytes(&input, most);
    tally_scan_finding whole[CAPACITY], parts[CAPACITY];
    const size_t count = scan_pieces(shared, text, most, most + 1, whole);
    CHECK_EQUAL(scan_pieces(shared, text, most, step, parts), count);
    CHECK(memcmp(whole, parts, count * sizeof *whole) == 0);
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(whole[i].offset >= end && whole[i].size > 0);
        CHECK(whole[i].kind < TALLY_SCAN_KINDS && whole[i].certainty >= TALLY_SCAN_WEAK);
        CHECK(tally_scan_rule_name(shared, whole[i].rule) != NULL);
        end = whole[i].offset + whole[i].size;
        CHECK(end <= most);
    }
    return fuzz_end();
}
