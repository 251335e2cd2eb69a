/* SPDX-License-Identifier: Apache-2.0
 *
 * IPv6 addresses as section 4 of RFC 5952 writes them, and their 32 hexadecimal digits. An address
 * has one notation: lower case, no leading zeros, `::` for the first of the longest runs of two or
 * more zero groups, no dotted part, no zone. */
#ifndef TALLY_FORMATS_IPV6_TEXT_H
#define TALLY_FORMATS_IPV6_TEXT_H

#include "base/dispatch.h"
#include "base/unroll.h"

enum {
    TALLY_IPV6_DIGITS = 32,
    TALLY_IPV6_TEXT = 39,    /* bytes of an address, at most */
    TALLY_IPV6_CAPACITY = 64 /* bytes that `write` may write */
};

typedef struct tally_ipv6_text {
    tally_backend backend;
    /* Reads an address of any size; returns 0 if it is none, or is written in another way. Then
     * the digits are anything. */
    int (*read)(const uint8_t *text, uint64_t size, uint8_t digits[TALLY_IPV6_DIGITS]);
    /* Writes an address; returns its size. */
    size_t (*write)(const uint8_t digits[TALLY_IPV6_DIGITS], uint8_t out[TALLY_IPV6_CAPACITY]);
} tally_ipv6_text;

extern const tally_ipv6_text tally_ipv6_text_avx512, tally_ipv6_text_portable;

/* The fastest that this CPU has. */
const tally_ipv6_text *tally_ipv6_text_choose(void);

/* The run of zero groups that is written `::`: groups first .. first + count - 1, or a count of 0.
 * Bit g of `zeros`: group g is zero. */
typedef struct tally_ipv6_gap {
    uint32_t first, count;
} tally_ipv6_gap;

static inline tally_ipv6_gap tally_ipv6_gap_of(uint32_t zeros)
{
    /* Bit g: a run of two, four or eight begins at group g, or one of so many as were found. */
    const uint32_t two = zeros & zeros >> 1, four = two & two >> 2, eight = four & four >> 4;
    const uint32_t runs[3] = {four, two, zeros};
    uint32_t found = 0xff;
    tally_ipv6_gap gap = {0, 0};
    TALLY_UNROLL(3)
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t longer = found & runs[i] >> gap.count;
        found = longer != 0 ? longer : found;
        gap.count += longer != 0 ? 4U >> i : 0;
    }
    gap.count += eight;
    gap.count = gap.count > 1 ? gap.count : 0;
#if defined(__GNUC__)
    gap.first = (uint32_t)__builtin_ctz(found);
#else
    for (uint32_t g = 8; g-- > 0;) { /* the first one */
        gap.first = (found >> g & 1) != 0 ? g : gap.first;
    }
#endif
    return gap;
}

/* The digits that are written in groups that are: bit d of `nonzero` says that digit d is not 0. */
static inline uint32_t tally_ipv6_written(uint32_t nonzero)
{
    uint32_t digits = nonzero; /* from the first of each group that is not 0 on, and its last */
    digits |= digits << 1 & UINT32_C(0xeeeeeeee);
    digits |= digits << 2 & UINT32_C(0xcccccccc);
    return digits | UINT32_C(0x88888888);
}

/* Which of the 39 characters of an address of full length, such as
 * 0000:0000:0000:0000:0000:0000:0000:0000, are left. Of `digits` those that are written are set, at
 * their places among the characters. */
static inline uint64_t tally_ipv6_left(uint64_t digits, tally_ipv6_gap gap)
{
    uint64_t left = digits | (UINT64_C(0x4210842108) << 1 & ((UINT64_C(1) << TALLY_IPV6_TEXT) - 1));
    if (gap.count != 0) { /* all of the run but the colon behind it, and one where none is before */
        uint64_t gone = ((UINT64_C(1) << (5 * gap.count - 1)) - 1) << 5 * gap.first;
        gone &= gap.first == 0 ? ~(UINT64_C(1) << 4) : UINT64_MAX;
        gone &= gap.first + gap.count == 8 ? ~(UINT64_C(1) << 34) : UINT64_MAX;
        left &= ~gone;
    }
    return left;
}

#endif
