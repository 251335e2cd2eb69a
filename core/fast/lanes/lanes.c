/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice among engines of lanes. */
#include "fast/lanes/lanes.h"

#include "base/arch.h"

/* The best first. */
static const tally_fast_lanes *const engines[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_fast_lanes_avx512,
    &tally_fast_lanes_avx2,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_fast_lanes_neon,
#endif
    &tally_fast_lanes_portable,
};
enum { ENGINES = sizeof engines / sizeof *engines };

const tally_fast_lanes *tally_fast_choose_lanes(void)
{
    const tally_fast_lanes *const *engine = engines;
    uint32_t features = tally_cpu_features();
    while (((*engine)->needs & ~features) != 0) {
        engine++; /* the last one needs nothing */
    }
    return *engine;
}

size_t tally_fast_lane_room(uint32_t radix)
{
    size_t stride = 0;
    for (size_t i = 0; i < ENGINES; i++) {
        size_t own = engines[i]->stride(radix);
        stride = own > stride ? own : stride;
    }
    /* Forward and inverse tables, and what lies behind the latter. */
    return stride == 0 ? 0 : 2 * TALLY_FAST_POOL_SIZE * stride + 64;
}
