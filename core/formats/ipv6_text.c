/* SPDX-License-Identifier: Apache-2.0
 *
 * IPv6 addresses as text, for any CPU, and the choice of a back end. */
#include "formats/ipv6_text.h"

#include <string.h>

#include "base/arch.h"

static int ipv6_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') <= 9 || (uint8_t)(c - 'a') <= 5;
}

/* The zero groups among digits. */
static uint32_t ipv6_zero_groups(const uint8_t digits[TALLY_IPV6_DIGITS])
{
    uint32_t zeros = 0;
    for (uint32_t g = 0; g < 8; g++) {
        zeros |= (uint32_t)(memcmp(digits + 4 * g, "0000", 4) == 0) << g;
    }
    return zeros;
}

static int ipv6_read(const uint8_t *text, uint64_t size, uint8_t digits[TALLY_IPV6_DIGITS])
{
    uint32_t groups = 0, before = 8, empty = 0; /* `before`: groups before the empty piece */
    uint64_t at = 0;
    if (size < 2 || size > TALLY_IPV6_TEXT) {
        return 0;
    }
    memset(digits, '0', TALLY_IPV6_DIGITS);
    while (at < size) {
        uint64_t end = at;
        while (end < size && ipv6_is_digit(text[end])) {
            end++;
        }
        const size_t width = (size_t)(end - at);
        if (width > 4 || groups == 8 || (width > 1 && text[at] == '0')) {
            return 0;
        }
        if (width != 0) {
            memcpy(digits + 4 * groups + 4 - width, text + at, width);
            groups++;
        } else if (at != 0 || end + 1 >= size || text[end] != ':' || text[end + 1] != ':') {
            return 0; /* only `::` at the beginning has no digits before it */
        }
        at = end;
        if (at == size) {
            break;
        }
        if (text[at++] != ':') {
            return 0;
        }
        if (at < size && text[at] == ':') {
            before = groups;
            empty++;
            at++;
        } else if (at == size) {
            return 0;
        }
    }
    if (empty > 1 || (empty == 1) != (groups < 8)) {
        return 0;
    }
    const uint32_t after = groups - (empty != 0 ? before : groups);
    memmove(digits + TALLY_IPV6_DIGITS - 4 * after, digits + 4 * (groups - after), 4 * after);
    if (empty != 0) {
        memset(digits + 4 * before, '0', 4 * (8 - groups));
    }
    const tally_ipv6_gap gap = tally_ipv6_gap_of(ipv6_zero_groups(digits));
    return empty != 0 ? gap.first == before && gap.count == 8 - groups : gap.count == 0;
}

static size_t ipv6_write(const uint8_t digits[TALLY_IPV6_DIGITS], uint8_t out[TALLY_IPV6_CAPACITY])
{
    uint32_t nonzero = 0;
    for (uint32_t d = 0; d < TALLY_IPV6_DIGITS; d++) {
        nonzero |= (uint32_t)(digits[d] != '0') << d;
    }
    const uint32_t written = tally_ipv6_written(nonzero);
    uint64_t left = 0;
    for (uint32_t g = 0; g < 8; g++) {
        left |= (uint64_t)(written >> 4 * g & 15) << 5 * g;
    }
    left = tally_ipv6_left(left, tally_ipv6_gap_of(ipv6_zero_groups(digits)));
    size_t size = 0;
    for (uint32_t g = 0; g < 8; g++, left >>= 5) {
        for (uint32_t d = 0; d < 4; d++) {
            out[size] = digits[4 * g + d];
            size += left >> d & 1;
        }
        out[size] = ':';
        size += left >> 4 & 1;
    }
    return size;
}

const tally_ipv6_text tally_ipv6_text_portable = {{"portable", 0}, ipv6_read, ipv6_write};

static const tally_backend *const ipv6_text_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_ipv6_text_avx512.backend,
#endif
    &tally_ipv6_text_portable.backend,
};

const tally_ipv6_text *tally_ipv6_text_choose(void)
{
    return (const tally_ipv6_text *)tally_dispatch(
        ipv6_text_backends, sizeof ipv6_text_backends / sizeof *ipv6_text_backends);
}
