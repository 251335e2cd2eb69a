/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool: 256 S-boxes and their inverses, in tables for the one-word code and in tables for lanes.
 *
 * A layer looks S up at sums and differences of symbols. Up to radix TALLY_FAST_MAX_EXPANDED the
 * table of an S-box holds S at each of them. Then dependent look-ups need no reduction modulo a
 * between them, and the pool still fits the first-level cache. */
#ifndef TALLY_FAST_SCHEDULE_POOL_H
#define TALLY_FAST_SCHEDULE_POOL_H

#include "fast/lanes/lanes.h"
#include "tallystick/aes.h"
#include "tallystick/fast.h"
#include "tallystick/ff1.h"

struct tally_fast_pool {
    tally_cmac_key cmac; /* of the master key */
    tally_fast_profile profile;
    uint32_t radix;
    uint32_t stride;               /* bytes from one S-box's one-word table to the next */
    const uint8_t *tables[2];      /* by direction: entry 0 of S-box 0, and of its inverse. If they
                                    * are expanded, a-1 entries come before that of an S-box, and
                                    * its inverse has 2a-1 entries */
    const tally_fast_lanes *lanes; /* the back end of lanes */
    size_t lane_stride;            /* the same for the back end's tables, */
    const uint8_t *lane_tables[2]; /* which may be the one-word tables */
    /* If one of these is not NULL, words of the pool's radix go through it instead, and there are no
     * tables (words/ff1_words.h). Tweaks of FF3-1 have TALLY_FF3_1_TWEAK bytes in whole. */
    const tally_ff1 *ff1;
    const tally_ff3_1 *ff3_1;
};

/* Whether words go through FAST. */
static inline int tally_fast_pool_is_fast(const tally_fast_pool *pool)
{
    return pool->ff1 == NULL && pool->ff3_1 == NULL;
}

/* Whether whole tweaks may have so many bytes. */
static inline int tally_fast_pool_takes_tweak(const tally_fast_pool *pool, size_t size)
{
    return pool->ff3_1 == NULL || size == TALLY_FF3_1_TWEAK;
}

#endif
