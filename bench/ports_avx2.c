/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions of lanes with AVX2. */
#include <stddef.h>

#include "base/arch.h"
#include "ports.h"

#if defined(TALLY_ARCH_X86_64)

#define TARGET __attribute__((target("avx2")))
#define CLOBBERS                                                                                   \
    "memory", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",  \
        "xmm14", "xmm15"

#define THREE(op, n)  op " %%ymm0, %%ymm1, %%ymm" #n "\n\t"
#define ADD(n)        THREE("vpaddb", n)
#define PERMUTE(n)    THREE("vpshufb", n)
#define MINIMUM(n)    THREE("vpminub", n)
#define SUBTRACT(n)   THREE("vpsubb", n)
#define SATURATING(n) THREE("vpsubusb", n)
#define SIGNED(n)     THREE("vpsubsb", n)
#define MAXIMUM(n)    THREE("vpmaxub", n)
#define EQUAL(n)      THREE("vpcmpeqb", n)
#define MASK_AND(n)   THREE("vpand", n)
#define AND_NOT(n)    THREE("vpandn", n)
#define XOR(n)        THREE("vpxor", n)
#define REPEAT(n)     "vpbroadcastb %%xmm0, %%ymm" #n "\n\t"
#define COPY(n)       "vmovdqa %%ymm0, %%ymm" #n "\n\t"
#define LOAD(n)       "vmovdqa (%0), %%ymm" #n "\n\t"
#define STORE(n)      "vmovdqa %%ymm0, (%0)\n\t"

/* clang-format off */
#define INSTRUCTIONS(do) \
    do(vpaddb, ADD) do(vpshufb, PERMUTE) do(vpminub, MINIMUM) do(vpsubb, SUBTRACT) \
    do(vpsubusb, SATURATING) do(vpsubsb, SIGNED) do(vpmaxub, MAXIMUM) do(vpcmpeqb, EQUAL) \
    do(vpand, MASK_AND) do(vpandn, AND_NOT) do(vpxor, XOR) do(vpbroadcastb, REPEAT) do(copy, COPY) \
    do(load, LOAD) do(store, STORE)
/* clang-format on */

INSTRUCTIONS(PORTS_BLOCKS)

/* clang-format off */
#define VISIT(g) \
    "vmovdqa " #g "*32(%0), %%ymm4\n\t" \
    "vpaddb " #g "*32(%2), %%ymm1, %%ymm5\n\t" \
    "vpshufb %%ymm0, %%ymm1, %%ymm6\n\t" \
    "vpsubb " #g "*32(%1), %%ymm1, %%ymm7\n\t" \
    "vpshufb %%ymm0, %%ymm1, %%ymm8\n\t" \
    "vmovdqa %%ymm1, " #g "*32(%0)\n\t"
/* clang-format on */
PORTS_LAYER(VISIT, 32)

static const ports_instruction instructions[] = {INSTRUCTIONS(PORTS_ROW)};
const ports_set ports_avx2 = {"avx2", instructions, sizeof instructions / sizeof instructions[0],
                              layer};

#else
const ports_set ports_avx2 = {"avx2", NULL, 0, NULL};
#endif
