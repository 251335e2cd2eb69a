/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with AVX2, whose byte shuffle looks 16 entries up by the low four bits of an index
 * and gives zero where its high bit is set. Eight of them do 128 entries: see lanes_avx2.c. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "fast/lanes/macros.h"

#define TARGET __attribute__((target("avx2")))

typedef __m256i vec;
typedef const uint8_t *table;

#define ZERO             _mm256_setzero_si256()
#define SPREAD(byte)     _mm256_set1_epi8((char)(byte))
#define LOAD(p)          _mm256_load_si256((const __m256i *)(p))
#define STORE(p, v)      _mm256_store_si256((__m256i *)(p), v)
#define ADD(x, y)        _mm256_add_epi8(x, y)
#define SUB(x, y)        _mm256_sub_epi8(x, y)
#define MIN(x, y)        _mm256_min_epu8(x, y)
#define AND(x, y)        _mm256_and_si256(x, y)
#define OR(x, y)         _mm256_or_si256(x, y)
#define XOR(x, y)        _mm256_xor_si256(x, y)
#define CHOOSE(by, x, y) _mm256_blendv_epi8(x, y, by)

INLINE TARGET table load_table(const uint8_t bytes[128])
{
    return bytes;
}

/* Entries of a chunk are picked where its number is the index's upper half. */
INLINE TARGET vec look_up(table t, vec index)
{
    vec found = ZERO;
    UNROLL
    for (int chunk = 0; chunk < 8; chunk++) {
        vec entries =
            _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(t + 16 * chunk)));
        /* 0..15 for an index of this chunk; any other gets the high bit. */
        vec own = _mm256_sub_epi8(index, SPREAD(16 * chunk));
        vec place = _mm256_or_si256(own, _mm256_cmpgt_epi8(own, SPREAD(15)));
        found = OR(found, _mm256_shuffle_epi8(entries, place));
    }
    return found;
}

#include "columns/translate_body.h"

const tally_translate tally_translate_avx2 = {{"avx2", TALLY_CPU_AVX2}, read, write};

#else
typedef int tally_translate_avx2_is_for_x86_64; /* a file may not be empty */
#endif
