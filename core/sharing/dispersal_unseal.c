/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal: stripes on their way back. */
#include "sharing/dispersal.h"

#include <string.h>

#include "aes/cmac.h"
#include "base/bytes.h"
#include "tallystick/reed_solomon.h"

enum { MOST = 255 /* records that are looked at together; those of a stripe at least */ };

/* Records of some stripes: entry k * count + i is of stripe k and of the share indices[i]. */
typedef struct window {
    tally_dispersal *dispersal;
    uint64_t stripe;
    const uint8_t *indices;
    size_t count;
    const uint8_t *records[MOST]; /* NULL: the share has none that could be one */
    uint32_t headers[MOST];
    uint8_t good[MOST];
} window;

/* The record of a stripe, if the share has one: a whole one, or a shorter last one with nothing
 * behind it. */
static const uint8_t *find_record(const tally_dispersal *dispersal, size_t place,
                                  const uint8_t *records, size_t size, uint32_t *header)
{
    const size_t most = tally_dispersal_stripe(dispersal);
    const size_t at = place * TALLY_DISPERSAL_RECORD;
    if (at > size || size - at < TALLY_RECORD_HEADER + TALLY_RECORD_TAG) {
        return NULL;
    }
    *header = tally_load_be32(records + at);
    const size_t data = *header & ~TALLY_RECORD_LAST;
    const size_t part = tally_record_part(dispersal, data);
    const size_t whole = TALLY_RECORD_HEADER + part + TALLY_RECORD_TAG;
    if (data > most || whole > size - at) {
        return NULL;
    }
    if ((*header & TALLY_RECORD_LAST) != 0 ? whole != size - at : data != most) {
        return NULL;
    }
    return records + at;
}

/* Compares without an early end. */
static int equal(const uint8_t a[TALLY_RECORD_TAG], const uint8_t b[TALLY_RECORD_TAG])
{
    uint8_t differ = 0;
    for (size_t i = 0; i < TALLY_RECORD_TAG; i++) {
        differ |= a[i] ^ b[i];
    }
    return differ == 0;
}

/* Tags that are to be made side by side, of parts of one size. */
typedef struct waiting {
    size_t count, part, entries[TALLY_RECORD_MOST];
    uint8_t heads[TALLY_RECORD_MOST][16];
    const uint8_t *parts[TALLY_RECORD_MOST];
} waiting;

static void check_waiting(window *found, waiting *all)
{
    uint8_t tags[TALLY_RECORD_MOST][16];
    tally_cmac_with_heads(&found->dispersal->mac, (const uint8_t(*)[16])all->heads, all->parts,
                          all->part, all->count, tags);
    for (size_t k = 0; k < all->count; k++) {
        found->good[all->entries[k]] = (uint8_t)equal(tags[k], all->parts[k] + all->part);
    }
    tally_wipe(tags, sizeof tags);
    all->count = 0;
}

static void check_tags(window *found, size_t entries)
{
    waiting all = {.count = 0};
    memset(found->good, 0, sizeof found->good);
    for (size_t k = 0; k < entries; k++) {
        if (found->records[k] == NULL) {
            continue;
        }
        const size_t part =
            tally_record_part(found->dispersal, found->headers[k] & ~TALLY_RECORD_LAST);
        if (all.count == TALLY_RECORD_MOST || part != all.part) {
            check_waiting(found, &all);
            all.part = part;
        }
        tally_record_head(found->stripe + k / found->count, found->records[k],
                          found->indices[k % found->count], all.heads[all.count]);
        all.parts[all.count] = found->records[k] + TALLY_RECORD_HEADER;
        all.entries[all.count++] = k;
    }
    check_waiting(found, &all);
}

/* Decrypts stripe k of a window out of `threshold` authentic parts, those of the data itself first.
 * Returns how many bytes of data it has. */
static size_t release(const window *found, size_t k, uint8_t *out)
{
    tally_dispersal *dispersal = found->dispersal;
    const size_t threshold = dispersal->threshold;
    const uint8_t *of_share[256] = {NULL}, *in[MOST];
    uint8_t from[MOST], to[MOST], *made[MOST], last[TALLY_DISPERSAL_PART];
    uint32_t header = 0;
    size_t inputs = 0, outputs = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->good[k * found->count + i]) {
            header = found->headers[k * found->count + i];
            of_share[found->indices[i]] =
                found->records[k * found->count + i] + TALLY_RECORD_HEADER;
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
        tally_record_crypt(dispersal, found->stripe + k, at, of_share[share], some, out + at);
    }
    return size;
}

/* The authentic records of stripe k; those of another header than the first are none. */
static size_t count_good(window *found, size_t k, uint32_t *header)
{
    size_t good = 0;
    for (size_t i = 0; i < found->count; i++) {
        const size_t entry = k * found->count + i;
        *header = found->good[entry] && good == 0 ? found->headers[entry] : *header;
        found->good[entry] &= found->headers[entry] == *header;
        good += found->good[entry];
    }
    return good;
}

static int indices_fit(const tally_dispersal *dispersal, const uint8_t *indices, size_t count)
{
    uint8_t used[256] = {1};
    for (size_t i = 0; i < count; i++) {
        if (i == MOST || indices[i] > dispersal->count || used[indices[i]]++ != 0) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_dispersal_unseal(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                    const uint8_t *indices, const uint8_t *const records[],
                                    const size_t sizes[], size_t count, uint8_t *out,
                                    uint64_t *damaged, tally_dispersal_found *found)
{
    window some = {.dispersal = dispersal, .indices = indices, .count = count};
    if (!indices_fit(dispersal, indices, count)) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(found, 0, sizeof *found);
    const size_t together = count == 0 || count > TALLY_RECORD_MOST ? 1 : TALLY_RECORD_MOST / count;
    while (found->stripes < stripes && !found->is_last) {
        const size_t first = found->stripes, left = stripes - first;
        const size_t places = left < together ? left : together;
        some.stripe = stripe + first;
        for (size_t k = 0; k < places * count; k++) {
            some.headers[k] = 0;
            some.records[k] = find_record(dispersal, first + k / count, records[k % count],
                                          sizes[k % count], &some.headers[k]);
        }
        check_tags(&some, places * count);
        for (size_t k = 0; k < places && !found->is_last; k++) {
            uint32_t header = 0;
            if (count_good(&some, k, &header) < dispersal->threshold) {
                for (size_t i = 0; i < count; i++) {
                    found->missing[indices[i] / 8] |=
                        (uint8_t)(!some.good[k * count + i] << indices[i] % 8);
                }
                return TALLY_ERROR_SHARES_FEW;
            }
            for (size_t i = 0; i < count; i++) {
                damaged[i] += !some.good[k * count + i];
            }
            found->size += release(&some, k, out + found->size);
            found->is_last = (header & TALLY_RECORD_LAST) != 0;
            found->stripes++;
        }
    }
    return TALLY_OK;
}
