/* SPDX-License-Identifier: Apache-2.0
 *
 * AES, counter mode and CMAC: any back end beside the portable one, in pieces and at once, and
 * back. */
#include "base/cpu.h"
#include "fuzz.h"
#include "tallystick/aes.h"

enum { MOST = 1200, MOST_KEYS = 40, MOST_MESSAGES = 40 };

static void check_blocks(fuzz_input *input, const tally_aes_key *fast, const tally_aes_key *slow)
{
    const size_t blocks = fuzz_below(input, MOST / 16), size = 16 * blocks;
    const uint8_t *in = fuzz_bytes(input, size);
    uint8_t *out = fuzz_buffer(size), *other = fuzz_buffer(size);
    tally_aes_encrypt_blocks(fast, in, blocks, out);
    tally_aes_encrypt_blocks(slow, in, blocks, other);
    CHECK_BYTES(out, other, size);
    tally_aes_decrypt_blocks(fast, out, blocks, out);
    CHECK_BYTES(out, in, size);
    tally_aes_decrypt_blocks(slow, other, blocks, other);
    CHECK_BYTES(other, in, size);
}

static void check_ctr(fuzz_input *input, const tally_aes_key *fast, const tally_aes_key *slow)
{
    const size_t size = fuzz_below(input, MOST);
    const uint8_t *start = fuzz_bytes(input, 16), *in = fuzz_bytes(input, size);
    uint8_t counter[16], end[16], *whole = fuzz_buffer(size), *pieces = fuzz_buffer(size);
    memcpy(end, start, 16);
    tally_aes_ctr(slow, end, in, size, whole);
    memcpy(counter, start, 16);
    for (size_t at = 0; at < size;) {
        const size_t blocks = 1 + fuzz_below(input, 40), left = size - at;
        const size_t some = left < 16 * blocks ? left : 16 * blocks;
        memcpy(pieces + at, in + at, some);
        tally_aes_ctr(fast, counter, pieces + at, some, pieces + at);
        at += some;
    }
    CHECK_BYTES(pieces, whole, size);
    CHECK_BYTES(counter, end, 16);

    /* Any part of the stream, and the stream itself. */
    const size_t from = fuzz_below(input, size + 1), some = fuzz_below(input, size - from + 1);
    uint8_t *part = fuzz_buffer(some);
    tally_aes_ctr_at(fast, start, from, in + from, some, part);
    CHECK_BYTES(part, whole + from, some);
    tally_aes_ctr_at(fast, start, from, NULL, some, part);
    for (size_t i = 0; i < some; i++) {
        CHECK((part[i] ^ in[from + i]) == whole[from + i]);
    }
    const uint64_t far = fuzz_number(input, 8);
    tally_aes_ctr_at(slow, start, far, in, some, pieces);
    tally_aes_ctr_at(fast, start, far, in, some, part);
    CHECK_BYTES(part, pieces, some);
}

static void check_cmac(fuzz_input *input, const tally_aes_key *fast, const tally_aes_key *slow)
{
    tally_cmac_key quick, plain;
    tally_cmac_key_init_aes(fast, &quick);
    tally_cmac_key_init_aes(slow, &plain);
    const size_t size = fuzz_below(input, MOST), count = fuzz_below(input, MOST_MESSAGES);
    const uint8_t *message = fuzz_bytes(input, size), *messages[MOST_MESSAGES];
    size_t sizes[MOST_MESSAGES];
    uint8_t tag[16], other[16], tags[MOST_MESSAGES][16];
    tally_cmac(&plain, message, size, tag);
    tally_cmac(&quick, message, size, other);
    CHECK_BYTES(other, tag, 16);
    tally_cmac_state state;
    tally_cmac_init(&state, &quick);
    for (size_t at = 0; at < size;) {
        const size_t left = size - at, wanted = fuzz_below(input, 64);
        const size_t some = input->size == 0 || wanted > left ? left : wanted;
        uint8_t *piece = fuzz_buffer(some);
        memcpy(piece, message + at, some);
        tally_cmac_update(&state, piece, some);
        at += some;
    }
    tally_cmac_final(&state, other);
    CHECK_BYTES(other, tag, 16);
    for (size_t i = 0; i < count; i++) {
        const size_t at = fuzz_below(input, size + 1);
        sizes[i] = fuzz_below(input, size - at + 1);
        uint8_t *copy = fuzz_buffer(sizes[i]);
        memcpy(copy, message + at, sizes[i]);
        messages[i] = copy;
    }
    tally_cmac_many(&quick, messages, sizes, count, tags);
    for (size_t i = 0; i < count; i++) {
        tally_cmac(&plain, messages[i], sizes[i], tag);
        CHECK_BYTES(tags[i], tag, 16);
    }
}

static void check_keys(fuzz_input *input, const uint8_t *key, size_t key_size, uint32_t features)
{
    const size_t count = fuzz_below(input, MOST_KEYS), schedule = 16 * (key_size / 4 + 7);
    const uint8_t *more = fuzz_bytes(input, count * key_size), block[16] = {1};
    tally_aes_key *keys = FUZZ_ARRAY(tally_aes_key, count), one;
    uint8_t *round_keys = fuzz_buffer(schedule), out[16], other[16];
    tally_cpu_lower(features);
    CHECK_EQUAL(tally_aes_keys_init(more, key_size, count, keys), TALLY_OK);
    CHECK_EQUAL(tally_aes_expand(key, key_size, round_keys), TALLY_OK);
    for (size_t i = 0; i < count; i++) {
        fuzz_portable();
        CHECK_EQUAL(tally_aes_key_init(more + i * key_size, key_size, &one), TALLY_OK);
        tally_aes_encrypt_blocks(&one, block, 1, out);
        tally_aes_encrypt_blocks(&keys[i], block, 1, other);
        CHECK_BYTES(other, out, 16);
    }
    CHECK_EQUAL(tally_aes_key_init_round_keys(round_keys, schedule, &one), TALLY_OK);
    tally_aes_encrypt_blocks(&one, block, 1, out);
    CHECK_EQUAL(tally_aes_key_init(key, key_size, &one), TALLY_OK);
    tally_aes_encrypt_blocks(&one, block, 1, other);
    CHECK_BYTES(out, other, 16);

    /* Round keys of no key. */
    const uint8_t *any = fuzz_bytes(input, schedule);
    tally_aes_key fast;
    CHECK_EQUAL(tally_aes_key_init_round_keys(any, schedule, &one), TALLY_OK);
    tally_cpu_lower(features);
    CHECK_EQUAL(tally_aes_key_init_round_keys(any, schedule, &fast), TALLY_OK);
    tally_aes_encrypt_blocks(&one, block, 1, out);
    tally_aes_encrypt_blocks(&fast, block, 1, other);
    CHECK_BYTES(out, other, 16);
    tally_aes_decrypt_blocks(&fast, out, 1, out);
    CHECK_BYTES(out, block, 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t features = fuzz_cpu(&input), kind = fuzz_below(&input, 16);
    const size_t key_size = kind < 12 ? 16 + 8 * (kind % 3) : fuzz_below(&input, 300);
    const uint8_t *key = fuzz_bytes(&input, key_size);
    const bool fits = key_size == 16 || key_size == 24 || key_size == 32;
    const size_t capacity = fuzz_below(&input, 256), schedule = fuzz_below(&input, 256);
    uint8_t *text = fuzz_buffer(capacity);
    const size_t text_size = tally_aes_explain((char *)text, capacity);
    CHECK(capacity == 0 || text[text_size < capacity ? text_size : capacity - 1] == 0);
    tally_aes_key fast, slow;
    CHECK_EQUAL(tally_aes_key_init(key, key_size, &fast), fits ? TALLY_OK : TALLY_ERROR_KEY_SIZE);
    CHECK_EQUAL(tally_aes_key_init_round_keys(fuzz_bytes(&input, schedule), schedule, &slow),
                schedule == 176 || schedule == 208 || schedule == 240 ? TALLY_OK
                                                                      : TALLY_ERROR_KEY_SIZE);
    fuzz_portable();
    if (fits) {
        CHECK_EQUAL(tally_aes_key_init(key, key_size, &slow), TALLY_OK);
        CHECK(strcmp(tally_aes_backend_name(&slow), "bitslice") == 0);
        check_blocks(&input, &fast, &slow);
        check_ctr(&input, &fast, &slow);
        check_cmac(&input, &fast, &slow);
        check_keys(&input, key, key_size, features);
    }
    return fuzz_end();
}
