/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a pool: 256 S-boxes and their inverses, laid out for the one-word code and for
 * lanes.
 *
 * A layer looks S up at sums and differences of symbols. Up to TALLY_FAST_MAX_EXPANDED the table of
 * an S-box holds S at each of them, so that no reduction modulo a is left on the chain of dependent
 * look-ups, and the pool still fits the first-level cache. */
#ifndef TALLY_FAST_SCHEDULE_POOL_H
#define TALLY_FAST_SCHEDULE_POOL_H

#include "fast/lanes/lanes.h"
#include "tallystick/aes.h"
#include "tallystick/fast.h"

struct tally_fast_pool {
    tally_cmac_key cmac; /* of the master key */
    tally_fast_profile profile;
    uint32_t radix;
    uint32_t stride;               /* bytes from one S-box's table to the next, for both kinds */
    const uint8_t *forward;        /* entry 0 of S-box 0; expanded: a-1 entries precede it */
    const uint8_t *inverse;        /* entry 0 of its inverse; expanded: 2a-1 entries */
    const tally_fast_lanes *lanes; /* the engine */
    size_t lane_stride;            /* of the engine's tables, which may be those above */
    const uint8_t *lane_forward;
    const uint8_t *lane_inverse;
};

#endif
