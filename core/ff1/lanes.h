/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of one length side by side, with a lane of 64 bits for each half. A back end is a file named
 * after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FF1_LANES_H
#define TALLY_FF1_LANES_H

#include "base/dispatch.h"
#include "ff1/plan.h"

enum { TALLY_FF1_ROWS = 64 /* words of a batch, at most */ };

/* Words to encrypt or decrypt, in[i] to out[i], which may be equal; or in place on lanes of bytes:
 * symbol p of word i is lanes[p * stride + i]. The last block of word i before it is encrypted is that
 * of bases[i * base_step], xored with the round and the number of a half. */
typedef struct tally_ff1_batch {
    const tally_ff1_plan *plan;
    tally_direction direction;
    const uint8_t (*bases)[16];
    size_t base_step; /* 0: all words have one tweak; 1 */
    const uint8_t *const *in;
    uint8_t *const *out;
    size_t count;   /* 1..TALLY_FF1_ROWS; on lanes, all that are there are run */
    uint8_t *lanes; /* or NULL */
    size_t stride;
} tally_ff1_batch;

typedef struct tally_ff1_lanes {
    tally_backend backend;
    void (*run)(const tally_ff1_batch *batch); /* a short plan's */
    /* Whether _run takes lanes of bytes of such a plan; symbols of any value are allowed there, and
     * what comes of those that are not below the radix is anything. NULL: it takes none. */
    int (*takes_lanes)(const tally_ff1_plan *plan);
} tally_ff1_lanes;

/* The fastest back end for the CPU features in use. */
const tally_ff1_lanes *tally_ff1_lanes_choose(void);

extern const tally_ff1_lanes tally_ff1_lanes_avx512, tally_ff1_lanes_avx2, tally_ff1_lanes_neon,
    tally_ff1_lanes_portable;

#endif
