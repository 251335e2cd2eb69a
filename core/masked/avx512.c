/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES with AVX-512: 32 blocks at a time. */
#include "base/arch.h"
#include "masked/slicing.h"

#if defined(TALLY_ARCH_X86_64) && !defined(TALLY_SLICE_BITS)
#include <immintrin.h>

#define MASKED(name)    masked_avx512_##name
#define MASKED_BITS     512
#define MASKED_TARGET   __attribute__((target("avx512f,avx512bw")))
#define MASKED_REGISTER "+v"
#define MASKED_TERNARY(r, a, b)                                                                    \
    ((MASKED_WORD)_mm512_ternarylogic_epi64((__m512i)(r), (__m512i)(a), (__m512i)(b), 0x78))
#include "masked/words_vector.h"

#include "masked/slicing_body.h"

#undef MASKED

const tally_masked_slicings tally_masked_avx512 =
    TALLY_MASKED_SLICINGS(masked_avx512, "avx512", TALLY_CPU_AVX512, 512);

#endif
