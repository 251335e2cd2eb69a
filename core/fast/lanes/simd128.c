/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes with SIMD128 of WebAssembly: 16 words a vector. A swizzle looks up 16 entries. For an index
 * beyond them it returns zero, so the results of a table's chunks are joined by OR. */
#include "base/arch.h"
#include "fast/lanes/lanes.h"

#if defined(TALLY_ARCH_WASM_SIMD128)

#include <wasm_simd128.h>

#include "base/unroll.h"
#include "fast/lanes/reduction.h"

#define LANES(name) lanes_simd128_##name
#define LANES_TARGET

typedef v128_t lanes_simd128_vec;

#include "fast/lanes/chunks.h"

#define LANES_ZERO                    wasm_i8x16_splat(0)
#define LANES_ADD(x, y)               wasm_i8x16_add(x, y)
#define LANES_SUB(x, y)               wasm_i8x16_sub(x, y)
#define LANES_MIN(x, y)               wasm_u8x16_min(x, y)
#define LANES_AND(x, y)               wasm_v128_and(x, y)
#define LANES_BROADCAST(byte)         wasm_u8x16_splat((uint8_t)(byte))
#define LANES_ADD_IF_LESS(d, x, y, a) wasm_i8x16_add(d, wasm_v128_and(wasm_u8x16_lt(x, y), a))

/* Few groups in the body of a loop, and one where look-ups take many chunks: programs load this code
 * over a network, and it is no slower. */
#define LANES_TOGETHER(how, groups) ((how) < lanes_simd128_CHUNKS4 && (groups) > 1 ? 2 : 1)

static void lanes_simd128_lay_out_one(uint32_t radix, const uint8_t *sbox, uint8_t *out)
{
    memset(out, 0, lanes_simd128_stride(radix));
    memcpy(out, sbox, radix);
}

TALLY_INLINE lanes_simd128_vec lanes_simd128_look_up_sum(const lanes_simd128_layout how,
                                                         lanes_simd128_table t,
                                                         lanes_simd128_vec index)
{
    lanes_simd128_vec found = wasm_i8x16_swizzle(wasm_v128_load(t), index);
    TALLY_UNROLL(16)
    for (size_t k = 1; k < lanes_simd128_chunks(how); k++) {
        const lanes_simd128_vec here = LANES_SUB(index, LANES_BROADCAST(16 * k));
        found = wasm_v128_or(found, wasm_i8x16_swizzle(wasm_v128_load(t + 16 * k), here));
    }
    return found;
}

TALLY_INLINE lanes_simd128_vec lanes_simd128_load_reducer(const lanes_simd128_layout how,
                                                          const tally_fast_lane_job *job)
{
    (void)how;
    return wasm_v128_load(job->tables + TALLY_FAST_POOL_SIZE * job->stride);
}

#include "fast/lanes/body.h"

static size_t lanes_simd128_min_words(uint32_t radix)
{
    (void)radix;
    return 1;
}

const tally_fast_lanes tally_fast_lanes_simd128 = {
    .backend = {"simd128", 0},
    .width = 16,
    .stride = lanes_simd128_stride,
    .min_words = lanes_simd128_min_words,
    .lay_out = lanes_simd128_lay_out,
    .run = lanes_simd128_run,
    .transpose = &tally_transpose_portable,
};

#include "fast/lanes/undef.h"

#else
typedef int tally_fast_lanes_simd128_is_for_wasm; /* a file may not be empty */
#endif
