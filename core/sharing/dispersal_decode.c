/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal: the decoder. */
#include "sharing/dispersal.h"

#include <string.h>

#include "aes/cmac.h"
#include "base/bytes.h"
#include "tallystick/reed_solomon.h"

enum { DISPERSAL_DECODE_RECORDS = 255 /* that are verified together; one stripe has no more */ };

/* The records of some stripes. Entry k * count + i is the record of stripe k in share
 * indices[i]. */
typedef struct dispersal_decode_window {
    tally_dispersal *dispersal;
    uint64_t stripe;
    const uint8_t *indices;
    size_t count;
    const uint8_t *records[DISPERSAL_DECODE_RECORDS]; /* NULL: the share has no whole one */
    uint32_t headers[DISPERSAL_DECODE_RECORDS];
    uint8_t good[DISPERSAL_DECODE_RECORDS];
} dispersal_decode_window;

/* Finds the record of a stripe in a share: a full one, or the last one, which may be shorter. What
 * follows the last one, such as a newline of an editor, does no harm: its tag says that it is the
 * last. Returns NULL if there is none. */
static const uint8_t *dispersal_decode_find(const tally_dispersal *dispersal, size_t place,
                                            const uint8_t *records, size_t size, uint32_t *header)
{
    const size_t most = tally_dispersal_stripe_size(dispersal);
    const size_t at = place * TALLY_DISPERSAL_RECORD;
    if (at > size || size - at < TALLY_RECORD_HEADER + TALLY_RECORD_TAG) {
        return NULL;
    }
    *header = tally_load_be32(records + at);
    const size_t data = *header & ~TALLY_RECORD_LAST;
    const size_t part = tally_record_part(dispersal, data);
    const size_t whole = TALLY_RECORD_HEADER + part + TALLY_RECORD_TAG;
    if (data > most || whole > size - at || ((*header & TALLY_RECORD_LAST) == 0 && data != most)) {
        return NULL;
    }
    return records + at;
}

/* Compares in constant time. */
static int dispersal_decode_equal(const uint8_t a[TALLY_RECORD_TAG],
                                  const uint8_t b[TALLY_RECORD_TAG])
{
    uint8_t differ = 0;
    for (size_t i = 0; i < TALLY_RECORD_TAG; i++) {
        differ |= a[i] ^ b[i];
    }
    return differ == 0;
}

/* Records to be verified. Their tags are computed side by side, so their parts have one size. */
typedef struct dispersal_decode_batch {
    size_t count, part, entries[TALLY_RECORD_BATCH];
    uint8_t first_blocks[TALLY_RECORD_BATCH][16];
    const uint8_t *parts[TALLY_RECORD_BATCH];
} dispersal_decode_batch;

static void dispersal_decode_verify_batch(dispersal_decode_window *window,
                                          dispersal_decode_batch *batch)
{
    uint8_t tags[TALLY_RECORD_BATCH][16];
    tally_cmac_with_heads(&window->dispersal->mac, (const uint8_t(*)[16])batch->first_blocks,
                          batch->parts, batch->part, batch->count, tags);
    for (size_t k = 0; k < batch->count; k++) {
        window->good[batch->entries[k]] =
            (uint8_t)dispersal_decode_equal(tags[k], batch->parts[k] + batch->part);
    }
    tally_wipe(tags, sizeof tags);
    batch->count = 0;
}

static void dispersal_decode_verify(dispersal_decode_window *window, size_t entries)
{
    dispersal_decode_batch batch = {.count = 0};
    memset(window->good, 0, sizeof window->good);
    for (size_t k = 0; k < entries; k++) {
        if (window->records[k] == NULL) {
            continue;
        }
        const size_t part =
            tally_record_part(window->dispersal, window->headers[k] & ~TALLY_RECORD_LAST);
        if (batch.count == TALLY_RECORD_BATCH || part != batch.part) {
            dispersal_decode_verify_batch(window, &batch);
            batch.part = part;
        }
        tally_record_first_block(window->stripe + k / window->count, window->records[k],
                                 window->indices[k % window->count],
                                 batch.first_blocks[batch.count]);
        batch.parts[batch.count] = window->records[k] + TALLY_RECORD_HEADER;
        batch.entries[batch.count++] = k;
    }
    dispersal_decode_verify_batch(window, &batch);
}

/* Decrypts stripe k of a window from `threshold` authentic parts. Missing parts of the data are
 * computed first. Returns the size of the stripe's data. */
static size_t dispersal_decode_stripe(const dispersal_decode_window *window, size_t k, uint8_t *out)
{
    tally_dispersal *dispersal = window->dispersal;
    const size_t threshold = dispersal->threshold;
    const uint8_t *of_share[256] = {NULL}, *in[DISPERSAL_DECODE_RECORDS];
    uint8_t from[DISPERSAL_DECODE_RECORDS], to[DISPERSAL_DECODE_RECORDS],
        *made[DISPERSAL_DECODE_RECORDS], last[TALLY_DISPERSAL_PART];
    uint32_t header = 0;
    size_t inputs = 0, outputs = 0;
    for (size_t i = 0; i < window->count; i++) {
        if (window->good[k * window->count + i]) {
            header = window->headers[k * window->count + i];
            of_share[window->indices[i]] =
                window->records[k * window->count + i] + TALLY_RECORD_HEADER;
        }
    }
    const size_t size = header & ~TALLY_RECORD_LAST, part = tally_record_part(dispersal, size);
    for (size_t share = 1; share <= dispersal->count; share++) {
        const size_t at = (share - 1) * part;
        if (of_share[share] != NULL && inputs < threshold) {
            from[inputs] = (uint8_t)share;
            in[inputs++] = of_share[share];
        } else if (share <= threshold && at < size) {
            to[outputs] = (uint8_t)share;
            made[outputs++] = size - at < part ? last : out + at;
        }
    }
    if (outputs != 0) {
        tally_record_matrix(dispersal, from, to, outputs);
        tally_reed_solomon_apply(dispersal->matrix, in, threshold, outputs, part, made);
    }
    for (size_t i = 0; i < outputs; i++) {
        of_share[to[i]] = made[i];
    }
    for (size_t at = 0, share = 1; at < size; at += part, share++) {
        const size_t some = size - at < part ? size - at : part;
        tally_record_crypt(dispersal, window->stripe + k, at, of_share[share], some, out + at);
    }
    return size;
}

/* Counts the authentic records of stripe k. Records whose header differs from the first one do not
 * count, and are no longer good. */
static size_t dispersal_decode_count(dispersal_decode_window *window, size_t k, uint32_t *header)
{
    size_t good = 0;
    for (size_t i = 0; i < window->count; i++) {
        const size_t entry = k * window->count + i;
        *header = window->good[entry] && good == 0 ? window->headers[entry] : *header;
        window->good[entry] &= window->headers[entry] == *header;
        good += window->good[entry];
    }
    return good;
}

static int dispersal_decode_indices_valid(const tally_dispersal *dispersal, const uint8_t *indices,
                                          size_t count)
{
    uint8_t used[256] = {1};
    for (size_t i = 0; i < count; i++) {
        if (i == DISPERSAL_DECODE_RECORDS || indices[i] > dispersal->count ||
            used[indices[i]]++ != 0) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                    const uint8_t *indices, const uint8_t *const records[],
                                    const size_t sizes[], size_t count, uint8_t *out,
                                    uint64_t *damaged, tally_dispersal_found *found)
{
    dispersal_decode_window window = {.dispersal = dispersal, .indices = indices, .count = count};
    if (!dispersal_decode_indices_valid(dispersal, indices, count)) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(found, 0, sizeof *found);
    const size_t together =
        count == 0 || count > TALLY_RECORD_BATCH ? 1 : TALLY_RECORD_BATCH / count;
    while (found->stripes < stripes && !found->is_last) {
        const size_t first = found->stripes, left = stripes - first;
        const size_t places = left < together ? left : together;
        window.stripe = stripe + first;
        for (size_t k = 0; k < places * count; k++) {
            window.headers[k] = 0;
            window.records[k] =
                dispersal_decode_find(dispersal, first + k / count, records[k % count],
                                      sizes[k % count], &window.headers[k]);
        }
        dispersal_decode_verify(&window, places * count);
        for (size_t k = 0; k < places && !found->is_last; k++) {
            uint32_t header = 0;
            if (dispersal_decode_count(&window, k, &header) < dispersal->threshold) {
                for (size_t i = 0; i < count; i++) {
                    found->missing[indices[i] / 8] |=
                        (uint8_t)(!window.good[k * count + i] << indices[i] % 8);
                }
                return TALLY_ERROR_SHARES_FEW;
            }
            for (size_t i = 0; i < count; i++) {
                damaged[i] += !window.good[k * count + i];
            }
            found->size += dispersal_decode_stripe(&window, k, out + found->size);
            found->is_last = (header & TALLY_RECORD_LAST) != 0;
            found->stripes++;
        }
    }
    return TALLY_OK;
}
