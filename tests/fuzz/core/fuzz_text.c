/* SPDX-License-Identifier: Apache-2.0
 *
 * A restorer on any bytes, in which 0x01 and 0x02 stand for tokens: chunks of any sizes give what the
 * whole text gives, nothing is held back beyond its bound, and text without a token stays as it is. */
#include "fuzz.h"
#include "text/text.h"

static size_t restore_by(const tally_text_key *key, tally_text_context context, const uint8_t *text,
                         size_t size, const uint8_t *steps, size_t step_count, uint8_t *out,
                         uint64_t *found)
{
    tally_text_restorer *restorer = NULL;
    size_t written = 0, part = 0;
    CHECK_EQUAL(tally_text_restorer_new(NULL, &key, 1, context, &restorer), TALLY_OK);
    for (size_t at = 0, i = 0; at < size; i++) {
        const size_t wanted = step_count == 0 ? size : 1 + (size_t)steps[i % step_count] % 64;
        const size_t chunk = size - at < wanted ? size - at : wanted;
        const size_t capacity = tally_text_restore_capacity(restorer, chunk);
        uint8_t *const to = fuzz_buffer(capacity);
        CHECK_EQUAL(tally_text_restore(restorer, text + at, chunk, 0, to, capacity, &part),
                    TALLY_OK);
        CHECK(part <= capacity);
        memcpy(out + written, to, part);
        written += part;
        at += chunk;
    }
    const size_t capacity = tally_text_restore_capacity(restorer, 0);
    uint8_t *const to = fuzz_buffer(capacity);
    CHECK(capacity <= 4 * (TALLY_TEXT_HELD_MAX + 64));
    CHECK_EQUAL(tally_text_restore(restorer, NULL, 0, 1, to, capacity, &part), TALLY_OK);
    if (part > 0) {
        memcpy(out + written, to, part);
    }
    *found = tally_text_restored(restorer);
    tally_text_restorer_free(restorer);
    return written + part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[16] = {7};
    fuzz_input input = {data, size};
    uint8_t tokens[3][200], head[2];
    size_t token_sizes[3];
    tally_text_key key;
    CHECK_EQUAL(tally_text_key_init(secret, 16, secret, 1, NULL, 0, 64, &key), TALLY_OK);
    for (int frame = 0; frame < 3; frame++) {
        CHECK_EQUAL(tally_text_protect(&key, (tally_text_frame)frame, "k", 1,
                                       (const uint8_t *)"<\"&@\n>\\", 7, tokens[frame],
                                       &token_sizes[frame]),
                    TALLY_OK);
    }
    memcpy(head, fuzz_bytes(&input, 2), 2);
    const size_t steps = input.size < 8 ? input.size : 8;
    const uint8_t *const step = fuzz_bytes(&input, steps);
    uint8_t *const text = fuzz_buffer(200 * input.size + 1);
    size_t text_size = 0, made = 0;
    for (size_t i = 0; i < input.size; i++) {
        const size_t which = (size_t)input.bytes[i] - 1;
        if (which < 3) {
            memcpy(text + text_size, tokens[which], token_sizes[which]);
            text_size += token_sizes[which];
            made++;
        } else {
            text[text_size++] = input.bytes[i];
        }
    }
    const tally_text_context context = (tally_text_context)(head[0] % 3);
    uint8_t *const whole = fuzz_buffer(4 * text_size + 1), *const parts =
                                                               fuzz_buffer(4 * text_size + 1);
    uint64_t found = 0, found_again = 0;
    const size_t whole_size = restore_by(&key, context, text, text_size, NULL, 0, whole, &found),
                 parts_size =
                     restore_by(&key, context, text, text_size, step, steps, parts, &found_again);
    CHECK_EQUAL(whole_size, parts_size);
    CHECK_BYTES(whole, parts, whole_size);
    CHECK_EQUAL(found, found_again);
    CHECK(found <= made); /* nobody invents a token */
    if (made == 0) {
        CHECK_EQUAL(whole_size, text_size);
        CHECK_BYTES(whole, text, text_size);
    }
    tally_text_key_wipe(&key);
    return fuzz_end();
}
