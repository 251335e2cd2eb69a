/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of back ends of lanes. */
#include "ff1/lanes.h"

#include "base/arch.h"

/* The fastest first. */
static const tally_backend *const ff1_lanes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_ff1_lanes_avx512.backend,
    &tally_ff1_lanes_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_ff1_lanes_neon.backend,
#endif
    &tally_ff1_lanes_portable.backend,
};

const tally_ff1_lanes *tally_ff1_lanes_choose(void)
{
    return (const tally_ff1_lanes *)tally_dispatch(
        ff1_lanes_backends, sizeof ff1_lanes_backends / sizeof *ff1_lanes_backends);
}
