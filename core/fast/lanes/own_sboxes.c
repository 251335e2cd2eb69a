/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice of a back end of lanes with an S-box each, and their tables. */
#include "fast/lanes/own_sboxes.h"

#include "base/arch.h"

const tally_own_sboxes *tally_own_sboxes_choose(uint32_t radix)
{
#if defined(TALLY_ARCH_X86_64)
    if (radix <= TALLY_OWN_SBOXES_RADIX &&
        tally_backend_lacks(&tally_own_sboxes_avx512.backend) == 0) {
        return &tally_own_sboxes_avx512;
    }
#else
    (void)radix;
#endif
    return NULL;
}

void tally_own_sboxes_lay_out(uint32_t radix, const uint8_t *sboxes, size_t stride, uint8_t *out)
{
    for (uint32_t entry = 0; entry < radix; entry += 2, out += TALLY_FAST_POOL_SIZE) {
        const int both = entry + 1 < radix;
        for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
            const uint8_t *sbox = sboxes + k * stride + entry;
            out[k] = (uint8_t)(sbox[0] | (both ? sbox[1] << 4 : 0));
        }
    }
}
