/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with AVX-512 VBMI, whose byte permute with two sources has 128 entries. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"

#define TRANSLATE(name)  translate_avx512_##name
#define TRANSLATE_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

typedef __m512i translate_avx512_vec;
typedef struct translate_avx512_table {
    translate_avx512_vec low, high;
} translate_avx512_table;

#define TRANSLATE_ZERO             _mm512_setzero_si512()
#define TRANSLATE_SPREAD(byte)     _mm512_set1_epi8((char)(byte))
#define TRANSLATE_LOAD(p)          _mm512_load_si512(p)
#define TRANSLATE_STORE(p, v)      _mm512_store_si512(p, v)
#define TRANSLATE_ADD(x, y)        _mm512_add_epi8(x, y)
#define TRANSLATE_SUB(x, y)        _mm512_sub_epi8(x, y)
#define TRANSLATE_MIN(x, y)        _mm512_min_epu8(x, y)
#define TRANSLATE_MAX(x, y)        _mm512_max_epu8(x, y)
#define TRANSLATE_AND(x, y)        _mm512_and_si512(x, y)
#define TRANSLATE_OR(x, y)         _mm512_or_si512(x, y)
#define TRANSLATE_XOR(x, y)        _mm512_xor_si512(x, y)
#define TRANSLATE_CHOOSE(by, x, y) _mm512_mask_blend_epi8(_mm512_movepi8_mask(by), x, y)

TALLY_INLINE TRANSLATE_TARGET translate_avx512_table
translate_avx512_load_table(const uint8_t bytes[128])
{
    return (translate_avx512_table){_mm512_load_si512(bytes), _mm512_load_si512(bytes + 64)};
}

TALLY_INLINE TRANSLATE_TARGET translate_avx512_vec
translate_avx512_look_up(translate_avx512_table t, translate_avx512_vec index)
{
    return _mm512_permutex2var_epi8(t.low, index, t.high);
}

#include "columns/translate_body.h"

const tally_translate tally_translate_avx512 = {
    {"avx512", TALLY_CPU_AVX512VBMI}, translate_avx512_read, translate_avx512_write};

#else
typedef int tally_translate_avx512_is_for_x86_64; /* a file may not be empty */
#endif
