/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes: one layer of many words at once. Words that share key, radix, length and tweak meet the
 * same S-box at the same layer, so word k lies in lane k of a vector, one vector a position, and a
 * layer is additions and byte permutes in registers. No address depends on a symbol.
 *
 * An engine is a file named after its instruction set; lanes.c chooses. */
#ifndef TALLY_FAST_LANES_LANES_H
#define TALLY_FAST_LANES_LANES_H

#include "fast/lanes/transpose.h"
#include "tallystick/fast.h"

/* The one-word code's tables, which lanes without vectors use too: up to this radix the table of an
 * S-box holds S at every index from -(a-1) to 2a-2. */
enum { TALLY_FAST_MAX_EXPANDED = 43 };

enum {
    TALLY_FAST_MAX_LANES = 64,     /* words of a group, at most */
    TALLY_FAST_SLOT_LAYERS = 2048, /* layers of a sequence that is held as a whole */
    TALLY_FAST_GROUPS = 8          /* groups of a wide ring, which hide each other's latency */
};

/* Layers to run: those of a whole number of rounds. */
typedef struct tally_fast_lane_job {
    const uint8_t *tables; /* the engine's, of S-box 0 or its inverse */
    size_t stride;         /* bytes from one S-box's table to the next */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-boxes of `count` layers */
    int each;               /* 1: of TALLY_FAST_GROUPS groups each has its own indices, which lie
                             * TALLY_FAST_SLOT_LAYERS bytes behind those of the one before */
    size_t count;           /* a multiple of length */
    size_t groups;          /* 1, 2, 4 or TALLY_FAST_GROUPS */
    uint8_t *ring;          /* aligned to 64; the symbol of word k of group g at position p is
                             * ring[(p * groups + g) * lanes + k] */
} tally_fast_lane_job;

typedef struct tally_fast_lanes {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
    size_t lanes;   /* words of a group */
    /* Bytes of an S-box's table, a multiple of 64 and at most 256; 0: the engine has none of its
     * own, but works on those of the one-word code, and lays out nothing. */
    size_t (*stride)(uint32_t radix);
    /* The words of a group from which on it is not slower than the one-word code. */
    size_t (*fewest)(uint32_t radix);
    /* Lays all S-boxes out, or all inverses: the plain ones are `radix` bytes each, `step` bytes
     * apart. The inverse tables have 64 bytes more behind them. */
    void (*lay_out_forward)(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables);
    void (*lay_out_inverse)(uint32_t radix, const uint8_t *sboxes, size_t step, uint8_t *tables);
    void (*forward)(const tally_fast_lane_job *job);
    void (*backward)(const tally_fast_lane_job *job);
    const tally_transpose *transpose;
} tally_fast_lanes;

/* The best engine for the CPU features in use. */
const tally_fast_lanes *tally_fast_choose_lanes(void);

/* Bytes that the tables of a pool take at most, whichever engine is chosen; a multiple of 64. */
size_t tally_fast_lane_room(uint32_t radix);

extern const tally_fast_lanes tally_fast_lanes_avx512, tally_fast_lanes_avx2, tally_fast_lanes_neon,
    tally_fast_lanes_portable;

#endif
