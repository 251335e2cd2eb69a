/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on lanes with AVX2, whose byte shuffle looks 16 entries up by the low four bits of an index
 * and gives zero where its high bit is set. Eight of them do 128 entries: see fast/lanes/avx2.c. */
#include "base/arch.h"
#include "columns/translate.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#include "base/unroll.h"

#define TRANSLATE(name)  translate_avx2_##name
#define TRANSLATE_TARGET __attribute__((target("avx2")))

typedef __m256i translate_avx2_vec;
typedef const uint8_t *translate_avx2_table;

#define TRANSLATE_ZERO             _mm256_setzero_si256()
#define TRANSLATE_SPREAD(byte)     _mm256_set1_epi8((char)(byte))
#define TRANSLATE_LOAD(p)          _mm256_load_si256((const __m256i *)(p))
#define TRANSLATE_STORE(p, v)      _mm256_store_si256((__m256i *)(p), v)
#define TRANSLATE_ADD(x, y)        _mm256_add_epi8(x, y)
#define TRANSLATE_SUB(x, y)        _mm256_sub_epi8(x, y)
#define TRANSLATE_MIN(x, y)        _mm256_min_epu8(x, y)
#define TRANSLATE_MAX(x, y)        _mm256_max_epu8(x, y)
#define TRANSLATE_AND(x, y)        _mm256_and_si256(x, y)
#define TRANSLATE_OR(x, y)         _mm256_or_si256(x, y)
#define TRANSLATE_XOR(x, y)        _mm256_xor_si256(x, y)
#define TRANSLATE_CHOOSE(by, x, y) _mm256_blendv_epi8(x, y, by)

TALLY_INLINE TRANSLATE_TARGET translate_avx2_table
translate_avx2_load_table(const uint8_t bytes[128])
{
    return bytes;
}

/* Entries of a chunk are picked where its number is the index's upper half. */
TALLY_INLINE TRANSLATE_TARGET translate_avx2_vec translate_avx2_look_up(translate_avx2_table t,
                                                                        translate_avx2_vec index)
{
    translate_avx2_vec found = TRANSLATE_ZERO;
    TALLY_UNROLL(16)
    for (int chunk = 0; chunk < 8; chunk++) {
        translate_avx2_vec entries =
            _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(t + 16 * chunk)));
        /* 0..15 for an index of this chunk; any other gets the high bit. */
        translate_avx2_vec own = _mm256_sub_epi8(index, TRANSLATE_SPREAD(16 * chunk));
        translate_avx2_vec place =
            _mm256_or_si256(own, _mm256_cmpgt_epi8(own, TRANSLATE_SPREAD(15)));
        found = TRANSLATE_OR(found, _mm256_shuffle_epi8(entries, place));
    }
    return found;
}

#include "columns/translate_body.h"

const tally_translate tally_translate_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, translate_avx2_read, translate_avx2_write};

#else
typedef int tally_translate_avx2_is_for_x86_64; /* a file may not be empty */
#endif
