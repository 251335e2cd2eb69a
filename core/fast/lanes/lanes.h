/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes: the layers of many words at once. Words that share key, radix, length and tweak meet the
 * same S-box in the same layer. So word k lies in lane k of a vector, with one vector for each
 * position, and a layer is additions and byte permutes in registers. No address depends on a
 * symbol.
 *
 * A back end is a file named after its instruction set; lanes.c has the table of them. */
#ifndef TALLY_FAST_LANES_LANES_H
#define TALLY_FAST_LANES_LANES_H

#include "base/direction.h"
#include "base/dispatch.h"
#include "fast/lanes/transpose.h"
#include "tallystick/fast.h"

/* Up to this radix the one-word table of an S-box S holds S at every index from -(a-1) to 2a-2. The
 * portable lanes use these tables. */
enum { TALLY_FAST_MAX_EXPANDED = 43 };

enum {
    TALLY_FAST_MAX_LANES = 64,      /* words of a group, at most */
    TALLY_FAST_CACHE_LAYERS = 2048, /* layers of a sequence that is stored as a whole, at most */
    TALLY_FAST_GROUPS = 8           /* groups that run together, at most: each hides the latency
                                     * of the others */
};

/* Memory to prefetch while layers run, which leave the memory bus idle. */
typedef struct tally_fast_prefetch {
    const uint8_t *read;
    uint8_t *written;
    size_t size; /* of each, bytes */
} tally_fast_prefetch;

/* Layers to run: a whole number of rounds. */
typedef struct tally_fast_lane_job {
    const uint8_t *tables; /* the back end's, for S-boxes (encryption) or inverses (decryption) */
    size_t stride;         /* bytes from one S-box's table to the next */
    uint32_t radix, length, w, w_prime;
    const uint8_t *indices; /* the S-boxes of `count` layers */
    int per_group;          /* 1: each of TALLY_FAST_GROUPS groups has its own sequence. It lies
                             * TALLY_FAST_CACHE_LAYERS bytes after the one of the group before */
    size_t count;           /* a multiple of length */
    size_t groups;          /* 1, 2, 4 or TALLY_FAST_GROUPS */
    uint8_t *state;         /* the symbol of word k of group g at position p is
                             * state[(p * groups + g) * width + k]; aligned to 64 bytes */
    const tally_fast_prefetch *next; /* or NULL */
    size_t each;                     /* bytes of it to prefetch in a round */
} tally_fast_lane_job;

typedef struct tally_fast_lanes {
    tally_backend backend;
    size_t width; /* words of a group: the lanes of a vector */
    /* Bytes of an S-box's table: a multiple of 64, at most 256. 0: the back end works on the
     * one-word tables, and its lay_out is NULL. */
    size_t (*stride)(uint32_t radix);
    /* The fewest words for which a group is not slower than the one-word code. */
    size_t (*min_words)(uint32_t radix);
    /* Makes the tables of all S-boxes for encryption, or of all inverses for decryption. The
     * one-word entries are `radix` bytes for each, `step` bytes apart. 64 bytes follow the tables
     * for decryption: they reduce a difference (body.h). */
    void (*lay_out)(tally_direction direction, uint32_t radix, const uint8_t *sboxes, size_t step,
                    uint8_t *tables);
    void (*run)(tally_direction direction, const tally_fast_lane_job *job);
    const tally_transpose *transpose;
} tally_fast_lanes;

/* The fastest back end for the CPU features in use. */
const tally_fast_lanes *tally_fast_lanes_choose(void);

/* The last back end of the table, for fewer words than min_words of the fastest. */
const tally_fast_lanes *tally_fast_lanes_for_few(void);

/* The most bytes that the tables of a pool take with any back end; a multiple of 64. */
size_t tally_fast_lanes_size(uint32_t radix);

extern const tally_fast_lanes tally_fast_lanes_avx512, tally_fast_lanes_avx2, tally_fast_lanes_neon,
    tally_fast_lanes_simd128, tally_fast_lanes_portable;

#endif
