/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with SIMD128 of WebAssembly: a swizzle looks up 16 entries and returns zero for an
 * index beyond them, so eight of them look up a table. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_WASM_SIMD128)

#include <wasm_simd128.h>

#include "base/unroll.h"

#define TRANSLATE(name) translate_simd128_##name
#define TRANSLATE_TARGET

typedef v128_t translate_simd128_vec;
typedef const uint8_t *translate_simd128_table;

#define TRANSLATE_ZERO         wasm_i8x16_splat(0)
#define TRANSLATE_SPREAD(byte) wasm_u8x16_splat((uint8_t)(byte))
#define TRANSLATE_LOAD(p)      wasm_v128_load(p)
#define TRANSLATE_STORE(p, v)  wasm_v128_store(p, v)
#define TRANSLATE_ADD(x, y)    wasm_i8x16_add(x, y)
#define TRANSLATE_SUB(x, y)    wasm_i8x16_sub(x, y)
#define TRANSLATE_MIN(x, y)    wasm_u8x16_min(x, y)
#define TRANSLATE_MAX(x, y)    wasm_u8x16_max(x, y)
#define TRANSLATE_AND(x, y)    wasm_v128_and(x, y)
#define TRANSLATE_OR(x, y)     wasm_v128_or(x, y)
#define TRANSLATE_XOR(x, y)    wasm_v128_xor(x, y)
/* As signed numbers, bytes with the top bit are below zero. */
#define TRANSLATE_CHOOSE(by, x, y) wasm_v128_bitselect(y, x, wasm_i8x16_shr(by, 7))

TALLY_INLINE translate_simd128_table translate_simd128_load_table(const uint8_t bytes[128])
{
    return bytes;
}

TALLY_INLINE translate_simd128_vec translate_simd128_look_up(translate_simd128_table t,
                                                             translate_simd128_vec index)
{
    translate_simd128_vec found = TRANSLATE_ZERO;
    TALLY_UNROLL(8)
    for (int k = 0; k < 8; k++) {
        const translate_simd128_vec here = TRANSLATE_SUB(index, TRANSLATE_SPREAD(16 * k));
        found = TRANSLATE_OR(found, wasm_i8x16_swizzle(TRANSLATE_LOAD(t + 16 * k), here));
    }
    return found;
}

#include "columns/translate_body.h"

const tally_translate tally_translate_simd128 = {
    {"simd128", 0}, translate_simd128_read, translate_simd128_write};

#else
typedef int tally_translate_simd128_is_for_wasm; /* a file may not be empty */
#endif
