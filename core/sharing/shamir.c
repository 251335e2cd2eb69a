/* SPDX-License-Identifier: Apache-2.0
 *
 * Shamir's secret sharing, raw: Vault's layout. */
#include "tallystick/shamir.h"

#include <string.h>

#include "aes/key.h"
#include "base/bytes.h"
#include "sharing/shamir.h"

enum {
    SHAMIR_KEY = 32,
    SHAMIR_STREAM = 16384, /* bytes of coefficients that are computed at a time */
    SHAMIR_CHUNK = 4096,   /* bytes of the secret at a time, at most: the L1 cache holds them */
    SHAMIR_PREFETCH_STEP = 512,  /* bytes of a stream between two prefetches */
    SHAMIR_PREFETCH_OUTPUTS = 8, /* more outputs are not prefetched */
    SHAMIR_DRAW = 64             /* random bytes for coordinates, at a time */
};

/* Computes `size` bytes of the stream of one coefficient, from byte `first` on. Meanwhile it
 * prefetches the lines of the outputs that the evaluation will write: AES keeps the CPU busy and
 * the evaluation waits for memory. */
static void shamir_stream(const tally_aes_key *key, uint64_t coefficient, size_t first, size_t size,
                          uint8_t *stream, uint8_t *const out[], size_t outputs, size_t at)
{
    uint8_t counter[16];
    tally_store_be64(coefficient, counter);
    tally_store_be64(first / 16, counter + 8);
    for (size_t done = 0, some; done < size; done += some) {
        some = size - done < SHAMIR_PREFETCH_STEP ? size - done : SHAMIR_PREFETCH_STEP;
        tally_aes_ctr(key, counter, NULL, some, stream + done);
#if defined(__GNUC__)
        for (size_t j = 0; j < outputs; j++) {
            for (size_t line = 0; line < some; line += 64) {
                __builtin_prefetch(out[j] + at + done + line, 1);
            }
        }
#else
        (void)out;
        (void)outputs;
        (void)at;
#endif
    }
}

void tally_shamir_evaluate(tally_gf256_field field, const tally_aes_key *key, const uint8_t *secret,
                           size_t first, size_t size, size_t threshold, const uint8_t *x,
                           size_t count, uint8_t *const out[])
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t prefetched = size > SHAMIR_CHUNK && count <= SHAMIR_PREFETCH_OUTPUTS ? count : 0;
    uint8_t stream[SHAMIR_STREAM];
    size_t stride = SHAMIR_STREAM / (threshold - 1) / 64 * 64, used = 0;
    stride = stride < SHAMIR_CHUNK ? stride : SHAMIR_CHUNK;
    for (size_t done = 0; done < size; done += used) {
        used = size - done < stride ? size - done : stride;
        for (size_t i = 1; i < threshold; i++) {
            shamir_stream(key, i, first + done, used, stream + (i - 1) * stride, out,
                          i == 1 ? prefetched : 0, done);
        }
        gf->evaluate(field, secret + done, stream, stride, threshold, x, count, used, out, done);
    }
    tally_wipe(stream, size < stride ? (threshold - 2) * stride + size : sizeof stream);
}

/* Distinct coordinates: the first `count` numbers of a random permutation of 1..255 (Durstenfeld's
 * shuffle). To choose among n numbers, bytes from the largest multiple of n on are rejected, so
 * that no number is likelier. Coordinates are public. */
static void shamir_draw_coordinates(const tally_aes_key *key, size_t count, uint8_t *x)
{
    uint8_t left[TALLY_GF256_POINTS], drawn[SHAMIR_DRAW], counter[16] = {0};
    size_t next = SHAMIR_DRAW;
    for (size_t i = 0; i < TALLY_GF256_POINTS; i++) {
        left[i] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < count;) {
        const unsigned choices = (unsigned)(TALLY_GF256_POINTS - i);
        if (next == SHAMIR_DRAW) {
            tally_aes_ctr(key, counter, NULL, SHAMIR_DRAW, drawn);
            next = 0;
        }
        const unsigned byte = drawn[next++];
        if (byte < 256 - 256 % choices) {
            const size_t at = i + byte % choices;
            x[i] = left[at];
            left[at] = left[i];
            i++;
        }
    }
}

static int shamir_field_valid(tally_gf256_field field)
{
    return field == TALLY_GF256_AES || field == TALLY_GF256_RS;
}

tally_status tally_shamir_split(tally_gf256_field field, const uint8_t *secret, size_t size,
                                size_t threshold, size_t count, uint8_t *const shares[])
{
    uint8_t bytes[SHAMIR_KEY], x[TALLY_GF256_POINTS];
    tally_aes_key key;
    if (!shamir_field_valid(field) || size == 0 || threshold < 2 || threshold > count ||
        count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = tally_entropy(bytes, sizeof bytes);
    if (status != TALLY_OK) {
        return status;
    }
    tally_aes_key_init_256(bytes, &key);
    shamir_draw_coordinates(&key, count, x);
    tally_shamir_evaluate(field, &key, secret, 0, size, threshold, x, count, shares);
    for (size_t j = 0; j < count; j++) {
        shares[j][size] = x[j];
    }
    tally_wipe(bytes, sizeof bytes);
    tally_wipe(&key, sizeof key);
    return TALLY_OK;
}

tally_status tally_shamir_recover(tally_gf256_field field, const uint8_t *const shares[],
                                  size_t count, size_t share_size, uint8_t *secret)
{
    uint8_t x[TALLY_GF256_POINTS], weights[TALLY_GF256_POINTS], used[256] = {0};
    if (!shamir_field_valid(field) || share_size < 2 || count < 2 || count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    used[0] = 1;
    for (size_t i = 0; i < count; i++) {
        x[i] = shares[i][share_size - 1];
        if (used[x[i]]++ != 0) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    tally_gf256_weights(field, x, count, 0, weights);
    tally_gf256()->combine(field, weights, shares, count, 1, 0, share_size - 1, &secret);
    return TALLY_OK;
}
