/* SPDX-License-Identifier: Apache-2.0
 *
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns 1 if every byte is below `limit`, 1..256, else 0. Of runs of a fixed length, which every
 * compiler vectorizes at -O2, the largest byte is found; the rest goes eight bytes at a time. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 256 };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    /* A byte's lower seven bits plus `to_top` set its top bit if they are at least limit, or limit
     * less 128. */
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        uint8_t most = 0;
        for (size_t i = 0; i < BELOW_RUN; i++) {
            most = bytes[i] > most ? bytes[i] : most;
        }
        outside |= (uint64_t)((limit - 1 - most) >> 31) << 7;
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif
