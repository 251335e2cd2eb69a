/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with AVX-512 VBMI, whose byte permute with two sources has 128 entries. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "fast/lanes/macros.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

typedef __m512i vec;
typedef struct table {
    vec low, high;
} table;

#define ZERO             _mm512_setzero_si512()
#define SPREAD(byte)     _mm512_set1_epi8((char)(byte))
#define LOAD(p)          _mm512_load_si512(p)
#define STORE(p, v)      _mm512_store_si512(p, v)
#define ADD(x, y)        _mm512_add_epi8(x, y)
#define SUB(x, y)        _mm512_sub_epi8(x, y)
#define MIN(x, y)        _mm512_min_epu8(x, y)
#define AND(x, y)        _mm512_and_si512(x, y)
#define OR(x, y)         _mm512_or_si512(x, y)
#define XOR(x, y)        _mm512_xor_si512(x, y)
#define CHOOSE(by, x, y) _mm512_mask_blend_epi8(_mm512_movepi8_mask(by), x, y)

INLINE TARGET table load_table(const uint8_t bytes[128])
{
    return (table){_mm512_load_si512(bytes), _mm512_load_si512(bytes + 64)};
}

INLINE TARGET vec look_up(table t, vec index)
{
    return _mm512_permutex2var_epi8(t.low, index, t.high);
}

#include "columns/translate_body.h"

const tally_translate tally_translate_avx512 = {{"avx512", TALLY_CPU_AVX512VBMI}, read, write};

#else
typedef int tally_translate_avx512_is_for_x86_64; /* a file may not be empty */
#endif
