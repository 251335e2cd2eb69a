/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of back ends of lanes. */
#include "fast/lanes/lanes.h"

#include "base/arch.h"

/* The fastest first. */
static const tally_backend *const lanes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_fast_lanes_avx512.backend, &tally_fast_lanes_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_fast_lanes_neon.backend,
#endif
#if defined(TALLY_ARCH_WASM_SIMD128)
    &tally_fast_lanes_simd128.backend, /* always there, so no portable code is loaded beside it */
#else
    &tally_fast_lanes_portable.backend,
#endif
};

enum { LANES_BACKENDS = sizeof lanes_backends / sizeof *lanes_backends };

const tally_fast_lanes *tally_fast_lanes_choose(void)
{
    return (const tally_fast_lanes *)tally_dispatch(lanes_backends, LANES_BACKENDS);
}

const tally_fast_lanes *tally_fast_lanes_for_few(void)
{
    return (const tally_fast_lanes *)lanes_backends[LANES_BACKENDS - 1];
}

size_t tally_fast_lanes_size(uint32_t radix)
{
    size_t stride = 0;
    for (size_t i = 0; i < LANES_BACKENDS; i++) {
        size_t own = ((const tally_fast_lanes *)lanes_backends[i])->stride(radix);
        stride = own > stride ? own : stride;
    }
    /* The tables for encryption and for decryption, and the 64 bytes after the latter. */
    return stride == 0 ? 0 : 2 * TALLY_FAST_POOL_SIZE * stride + 64;
}
