/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of lanes with AVX-512 VBMI, in their widest form. */
#include <stddef.h>

#include "base/arch.h"
#include "ports.h"

#if defined(TALLY_ARCH_X86_64)

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define CLOBBERS                                                                                   \
    "memory", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",  \
        "xmm14", "xmm15", "k1", "k2"

#define THREE(op, n) op " %%zmm0, %%zmm1, %%zmm" #n "\n\t"
#define ADD(n)       THREE("vpaddb", n)
#define PERMUTE(n)   THREE("vpermb", n)
#define MINIMUM(n)   THREE("vpminub", n)
#define SUBTRACT(n)  THREE("vpsubb", n)
#define MASK_AND(n)  THREE("vpandq", n)
#define PERMUTE_2(n) THREE("vpermi2b", n)
#define PERMUTE_T(n) THREE("vpermt2b", n)
#define COMPARE(n)   "vpcmpltub %%zmm0, %%zmm1, %%k1\n\t"
#define TOP_BITS(n)  "vpmovb2m %%zmm0, %%k1\n\t"
#define ADD_IF(n)    "vpaddb %%zmm0, %%zmm1, %%zmm" #n "%{%%k2%}\n\t"
#define BLEND(n)     "vpblendmb %%zmm0, %%zmm1, %%zmm" #n "%{%%k2%}\n\t"
#define REPEAT(n)    "vpbroadcastb %%xmm0, %%zmm" #n "\n\t"
#define COPY(n)      "vmovdqa64 %%zmm0, %%zmm" #n "\n\t"
#define LOAD(n)      "vmovdqa64 (%0), %%zmm" #n "\n\t"
#define STORE(n)     "vmovdqa64 %%zmm0, (%0)\n\t"

/* clang-format off */
#define INSTRUCTIONS(do) \
    do(vpaddb, ADD) do(vpermb, PERMUTE) do(vpminub, MINIMUM) do(vpsubb, SUBTRACT) \
    do(vpandq, MASK_AND) do(vpermi2b, PERMUTE_2) do(vpermt2b, PERMUTE_T) do(vpcmpub, COMPARE) \
    do(vpmovb2m, TOP_BITS) do(vpaddb_masked, ADD_IF) do(vpblendmb, BLEND) \
    do(vpbroadcastb, REPEAT) do(copy, COPY) do(load, LOAD) do(store, STORE)
/* clang-format on */

INSTRUCTIONS(PORTS_BLOCKS)

/* clang-format off */
#define VISIT(g) \
    "vmovdqa64 " #g "*64(%0), %%zmm4\n\t" \
    "vpaddb " #g "*64(%2), %%zmm1, %%zmm5\n\t" \
    "vpermb %%zmm0, %%zmm1, %%zmm6\n\t" \
    "vpsubb " #g "*64(%1), %%zmm1, %%zmm7\n\t" \
    "vpermb %%zmm0, %%zmm1, %%zmm8\n\t" \
    "vmovdqa64 %%zmm1, " #g "*64(%0)\n\t"
/* clang-format on */
PORTS_LAYER(VISIT, 64)

static const ports_instruction instructions[] = {INSTRUCTIONS(PORTS_ROW)};
const ports_set ports_avx512 = {"avx512", instructions,
                                sizeof instructions / sizeof instructions[0], layer};

#else
const ports_set ports_avx512 = {"avx512", NULL, 0, NULL};
#endif
