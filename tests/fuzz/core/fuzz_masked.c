/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES in every slicing, beside the portable AES, and back: whatever the masks are, and on
 * memory of any alignment. A source that fails ends a call, and leaves nothing. */
#include "fuzz.h"
#include "tallystick/masked_modes.h"

enum { MOST_BLOCKS = 70 };

/* Masks: cheap ones, and none after so many calls. */
typedef struct masks {
    uint64_t state, calls;
} masks;

static tally_status fill(void *context, uint8_t *out, size_t size)
{
    masks *from = context;
    if (from->calls-- == 0) {
        from->calls = 0;
        return TALLY_ERROR_ENTROPY;
    }
    for (size_t i = 0; i < size; i++) {
        from->state = from->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[i] = (uint8_t)(from->state >> 56);
    }
    return TALLY_OK;
}

/* Modes under new shares of the key, beside those of the portable AES. */
static void use_modes(tally_masked_key *masked, const uint8_t *key, size_t key_size, size_t keys,
                      const tally_mask_source *source, fuzz_input *input)
{
    const size_t size = fuzz_below(input, 16 * MOST_BLOCKS), rest = size % 16;
    uint8_t counter[16], own[16], expected[16] = {0}, tag[16];
    uint8_t *in = fuzz_bytes(input, size), *out = fuzz_buffer(size), *stream = fuzz_buffer(size);
    for (size_t i = 0; i < 16; i++) {
        counter[i] = own[i] = (uint8_t)(0xff * (i & size));
    }
    if (keys != 1) {
        CHECK_EQUAL(tally_masked_cmac(masked, source, in, size, tag), TALLY_ERROR_ARGUMENT);
        return;
    }
    tally_cmac_key cmac;
    tally_aes_key plain;
    fuzz_portable();
    CHECK_EQUAL(tally_aes_key_init(key, key_size, &plain), TALLY_OK);
    CHECK_EQUAL(tally_cmac_key_init(key, key_size, &cmac), TALLY_OK);
    tally_status status = tally_masked_refresh(masked, source);
    CHECK(status == TALLY_OK || status == TALLY_ERROR_ENTROPY);
    status = tally_masked_ctr(masked, source, own, in, size, out);
    memset(stream, 0, size); /* as all results are when the source fails */
    if (status == TALLY_OK) {
        tally_aes_ctr(&plain, counter, in, size, stream);
    }
    CHECK_BYTES(out, stream, size);
    CHECK_BYTES(own, counter, 16);
    status = tally_masked_cmac(masked, source, in, size, tag);
    if (status == TALLY_OK) {
        tally_cmac(&cmac, in, size, expected);
    }
    CHECK_BYTES(tag, expected, 16);
    memcpy(own, counter, 16);
    status = tally_masked_cbc_encrypt(masked, source, own, in, size - rest, out);
    memset(stream, 0, size);
    if (status == TALLY_OK) {
        memcpy(own, counter, 16);
        status = tally_masked_cbc_decrypt(masked, source, own, out, size - rest, out);
    }
    CHECK_BYTES(out, status == TALLY_OK ? in : stream, size - rest);
    if (status != TALLY_OK) {
        CHECK_EQUAL(status, TALLY_ERROR_ENTROPY);
        CHECK_BYTES(own, counter, 16);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned widths[] = {0, 16, 32, 64, 128, 256, 512, 8, 1024};
    fuzz_input input = {data, size};
    fuzz_cpu(&input);
    const unsigned order = 1 + fuzz_below(&input, 2), bits = widths[fuzz_below(&input, 9)];
    const size_t blocks = fuzz_below(&input, MOST_BLOCKS), key_size = fuzz_below(&input, 64);
    masks given = {.calls = UINT64_MAX, .state = fuzz_number(&input, 8)};
    if (fuzz_below(&input, 8) == 0) {
        given.calls = fuzz_below(&input, 40);
    }
    const tally_mask_source source = {fill, &given};
    const tally_masked_slicing *slicing;
    if (tally_masked_choose(order, bits, blocks, &slicing) != TALLY_OK) {
        return fuzz_end();
    }
    const size_t width = tally_masked_blocks(slicing), real = 16 + 8 * (key_size % 3);
    const size_t keys = fuzz_below(&input, 2) == 0 ? 1 : width;
    const uint8_t *key = fuzz_bytes(&input, keys * real);
    const size_t memory_size = tally_masked_key_size(slicing, real);
    uint8_t *memory = fuzz_buffer(memory_size + 64) + fuzz_below(&input, 64);
    tally_masked_key *masked = NULL;
    tally_status status =
        tally_masked_key_init(slicing, key, real, keys, &source, memory, memory_size, &masked);
    CHECK(status == TALLY_OK || (status == TALLY_ERROR_ENTROPY && given.calls == 0));
    uint8_t *in = fuzz_bytes(&input, 16 * blocks), *out = fuzz_buffer(16 * blocks);
    if (status == TALLY_OK) {
        status = tally_masked_encrypt_blocks(masked, &source, in, blocks, out);
        for (size_t i = 0; i < blocks; i++) {
            tally_aes_key plain;
            uint8_t block[16] = {0};
            fuzz_portable();
            if (status == TALLY_OK) {
                CHECK_EQUAL(
                    tally_aes_key_init(key + (keys == 1 ? 0 : i % width) * real, real, &plain),
                    TALLY_OK);
                tally_aes_encrypt_blocks(&plain, in + 16 * i, 1, block);
            }
            CHECK_BYTES(out + 16 * i, block, 16);
        }
        if (status == TALLY_OK) {
            status = tally_masked_decrypt_blocks(masked, &source, out, blocks, out);
            if (status != TALLY_OK) {
                memset(in, 0, 16 * blocks);
            }
            CHECK_BYTES(out, in, 16 * blocks);
        }
        CHECK(status == TALLY_OK || (status == TALLY_ERROR_ENTROPY && given.calls == 0));
        use_modes(masked, key, real, keys, &source, &input);
    }
    return fuzz_end();
}
