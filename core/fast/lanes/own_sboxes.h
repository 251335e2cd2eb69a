/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers on lanes with an S-box for each lane, for words that have their own sequences. A layer
 * looks up the whole S-box of every lane by its number, and then an entry of each, all in
 * registers: no address depends on a symbol or on the number of an S-box. Lanes of lanes.h share an
 * S-box, which takes a sixth of the time for as many lanes. */
#ifndef TALLY_FAST_LANES_OWN_SBOXES_H
#define TALLY_FAST_LANES_OWN_SBOXES_H

#include "base/direction.h"
#include "base/dispatch.h"
#include "fast/lanes/lanes.h"

enum {
    TALLY_OWN_SBOXES_LANES = 64,
    TALLY_OWN_SBOXES_RADIX = 16, /* at most: two entries share a byte */
    TALLY_OWN_SBOXES_TABLES = TALLY_OWN_SBOXES_RADIX / 2 * TALLY_FAST_POOL_SIZE /* bytes */
};

/* Layers to run: a whole number of rounds. */
typedef struct tally_own_sboxes_job {
    const uint8_t *tables; /* by tally_own_sboxes_lay_out; as all that follows, aligned to 64 */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-box of word k in layer i is indices[i * 64 + k] */
    size_t count;           /* layers */
    uint8_t *state;         /* the symbol of word k at position p is state[p * 64 + k] */
} tally_own_sboxes_job;

typedef struct tally_own_sboxes {
    tally_backend backend;
    void (*run)(tally_direction direction, const tally_own_sboxes_job *job);
} tally_own_sboxes;

/* The back end for the CPU features in use and a radix; NULL: there is none. */
const tally_own_sboxes *tally_own_sboxes_choose(uint32_t radix);

/* Writes the tables of a pool's S-boxes, whose one-word tables have `radix` entries each, `stride`
 * bytes apart: entries 2i and 2i + 1 of S-box k are the halves of out[i * TALLY_FAST_POOL_SIZE +
 * k], the lower one first. */
void tally_own_sboxes_lay_out(uint32_t radix, const uint8_t *sboxes, size_t stride, uint8_t *out);

extern const tally_own_sboxes tally_own_sboxes_avx512;

#endif
