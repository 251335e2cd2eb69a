/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers of 1, 2, 4 or 8 bytes in memory of any alignment, in the machine's byte order. */
#ifndef TALLY_TESTS_PACKED_H
#define TALLY_TESTS_PACKED_H

#include <stdint.h>
#include <string.h>

static inline void packed_put(void *out, int64_t value, size_t width)
{
    const int8_t one = (int8_t)value;
    const int16_t two = (int16_t)value;
    const int32_t four = (int32_t)value;
    memcpy(out,
           width == 1   ? (const void *)&one
           : width == 2 ? (const void *)&two
           : width == 4 ? (const void *)&four
                        : (const void *)&value,
           width);
}

/* Without a sign, but for eight bytes. */
static inline int64_t packed_get(const void *in, size_t width)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    int64_t eight;
    switch (width) {
    case 1:
        memcpy(&one, in, 1);
        return one;
    case 2:
        memcpy(&two, in, 2);
        return two;
    case 4:
        memcpy(&four, in, 4);
        return four;
    default:
        memcpy(&eight, in, 8);
        return eight;
    }
}

#endif
