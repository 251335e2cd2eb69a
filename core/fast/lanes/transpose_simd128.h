/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks of a transpose with SIMD128 of WebAssembly. */
#ifndef TALLY_FAST_LANES_TRANSPOSE_SIMD128_H
#define TALLY_FAST_LANES_TRANSPOSE_SIMD128_H

#include <wasm_simd128.h>

typedef v128_t transpose_vec;

#define TRANSPOSE_LOAD(p)          wasm_v128_load(p)
#define TRANSPOSE_LOAD_HALF(p)     wasm_v128_load64_zero(p)
#define TRANSPOSE_STORE(p, v)      wasm_v128_store(p, v)
#define TRANSPOSE_STORE_LOW(p, v)  wasm_v128_store64_lane(p, v, 0)
#define TRANSPOSE_STORE_HIGH(p, v) wasm_v128_store64_lane(p, v, 1)
#define TRANSPOSE_LOWS(x, y)                                                                       \
    wasm_i8x16_shuffle(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TRANSPOSE_HIGHS(x, y)                                                                      \
    wasm_i8x16_shuffle(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TRANSPOSE_SPREAD(byte) wasm_u8x16_splat(byte)
#define TRANSPOSE_ADD(x, y)    wasm_i8x16_add(x, y)
#define TRANSPOSE_SUB(x, y)    wasm_i8x16_sub(x, y)

#include "fast/lanes/transpose_block.h"

#endif
