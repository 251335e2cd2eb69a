/* SPDX-License-Identifier: Apache-2.0
 *
 * Shamir's secret sharing, raw: Vault's layout. */
#include "tallystick/shamir.h"

#include <string.h>

#include "aes/key.h"
#include "base/bytes.h"
#include "sharing/shamir.h"

enum {
    KEY = 32,
    STREAM = 16384, /* bytes of coefficients that are made at a time */
    RUN = 4096,     /* at most, of the secret: all that a run touches stays in the first cache */
    STEP = 512,     /* of a stream, between which lines are fetched for FEW outputs */
    FEW = 8,
    DRAWN = 64 /* random bytes for coordinates, at a time */
};

/* Some bytes of the stream of one coefficient, from byte `first` on. If there are outputs, the lines
 * that are to be written there are brought near meanwhile: the stream waits for no memory, and
 * evaluation for little else. */
static void make_stream(const tally_aes_key *key, uint64_t coefficient, size_t first, size_t size,
                        uint8_t *stream, uint8_t *const out[], size_t outputs, size_t at)
{
    uint8_t counter[16];
    tally_store_be64(coefficient, counter);
    tally_store_be64(first / 16, counter + 8);
    for (size_t done = 0, some; done < size; done += some) {
        some = size - done < STEP ? size - done : STEP;
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
    const size_t fetched = size > RUN && count <= FEW ? count : 0;
    uint8_t stream[STREAM];
    size_t stride = STREAM / (threshold - 1) / 64 * 64, used = 0;
    stride = stride < RUN ? stride : RUN;
    for (size_t done = 0; done < size; done += used) {
        used = size - done < stride ? size - done : stride;
        for (size_t i = 1; i < threshold; i++) {
            make_stream(key, i, first + done, used, stream + (i - 1) * stride, out,
                        i == 1 ? fetched : 0, done);
        }
        gf->evaluate(field, secret + done, stream, stride, threshold, x, count, used, out, done);
    }
    tally_wipe(stream, size < stride ? (threshold - 2) * stride + size : sizeof stream);
}

/* Distinct coordinates: the first of a shuffle of 1..255 (Durstenfeld). Each is drawn from bytes
 * below a multiple of what is left, so that none is likelier. Coordinates are public. */
static void draw_coordinates(const tally_aes_key *key, size_t count, uint8_t *x)
{
    uint8_t left[TALLY_GF256_POINTS], drawn[DRAWN], counter[16] = {0};
    size_t next = DRAWN;
    for (size_t i = 0; i < TALLY_GF256_POINTS; i++) {
        left[i] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < count;) {
        const unsigned choices = (unsigned)(TALLY_GF256_POINTS - i);
        if (next == DRAWN) {
            tally_aes_ctr(key, counter, NULL, DRAWN, drawn);
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

static int is_field(tally_gf256_field field)
{
    return field == TALLY_GF256_AES || field == TALLY_GF256_RS;
}

tally_status tally_shamir_split(tally_gf256_field field, const uint8_t *secret, size_t size,
                                size_t threshold, size_t count, uint8_t *const shares[])
{
    uint8_t bytes[KEY], x[TALLY_GF256_POINTS];
    tally_aes_key key;
    if (!is_field(field) || size == 0 || threshold < 2 || threshold > count ||
        count > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = tally_entropy(bytes, sizeof bytes);
    if (status != TALLY_OK) {
        return status;
    }
    tally_aes_key_init_256(bytes, &key);
    draw_coordinates(&key, count, x);
    tally_shamir_evaluate(field, &key, secret, 0, size, threshold, x, count, shares);
    for (size_t j = 0; j < count; j++) {
        shares[j][size] = x[j];
    }
    tally_wipe(bytes, sizeof bytes);
    tally_wipe(&key, sizeof key);
    return TALLY_OK;
}

tally_status tally_shamir_combine(tally_gf256_field field, const uint8_t *const shares[],
                                  size_t count, size_t share_size, uint8_t *secret)
{
    uint8_t x[TALLY_GF256_POINTS], weights[TALLY_GF256_POINTS], used[256] = {0};
    if (!is_field(field) || share_size < 2 || count < 2 || count > TALLY_GF256_POINTS) {
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

const char *tally_gf256_backend_name(void)
{
    return tally_gf256()->name;
}
