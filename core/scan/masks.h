/* SPDX-License-Identifier: Apache-2.0
 *
 * The classes of 64 bytes: bit i stands for byte i. With the vectors that every machine of an
 * architecture has, or else by a table. */
#ifndef TALLY_SCAN_MASKS_H
#define TALLY_SCAN_MASKS_H

#include "base/arch.h"
#include "scan/knowledge.h"

typedef struct scan_masks {
    uint64_t word, digit, base64, at, colon, plus, hyphen, dot;
    uint64_t under; /* _ */
    uint64_t wide;  /* first bytes of characters of UTF-8 that are not ASCII */
} scan_masks;

/* scan_find gives the masks of the 64 bytes at p. */
#if defined(__SSE2__)
#include "scan/masks_sse2.h"
#elif defined(TALLY_ARCH_AARCH64)
#include "scan/masks_neon.h"
#else
static inline scan_masks scan_find(const uint8_t *p)
{
    scan_masks masks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 64; i++) {
        masks.word |= (uint64_t)scan_is(p[i], SCAN_WORD) << i;
        masks.digit |= (uint64_t)scan_is(p[i], SCAN_DIGIT) << i;
        masks.base64 |= (uint64_t)scan_is(p[i], SCAN_BASE64) << i;
        masks.at |= (uint64_t)(p[i] == '@') << i;
        masks.colon |= (uint64_t)(p[i] == ':') << i;
        masks.plus |= (uint64_t)(p[i] == '+') << i;
        masks.hyphen |= (uint64_t)(p[i] == '-') << i;
        masks.dot |= (uint64_t)(p[i] == '.') << i;
        masks.under |= (uint64_t)(p[i] == '_') << i;
        masks.wide |= (uint64_t)(p[i] >= 0xc0) << i;
    }
    return masks;
}
#endif

#endif
