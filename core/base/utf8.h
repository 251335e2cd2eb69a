/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8 as RFC 3629 has it: no longer form than necessary, no surrogates, nothing beyond U+10FFFF. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_UTF8_MAX_BYTES = 4 /* of a character */ };

/* Reads the character of UTF-8 that begins at `at`, in the bytes before `end`. Returns how many
 * bytes it has, 1..4. Returns 0, and leaves *point as it is, if at == end or if the bytes are not
 * UTF-8. */
static inline uint32_t tally_utf8_decode(const uint8_t *at, const uint8_t *end, uint32_t *point)
{
    size_t size = (size_t)(end - at);
    if (size == 0) {
        return 0;
    }
    uint32_t first = at[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2) {
        return 0;
    }
    if (size < 2 || (at[1] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t second = at[1] & 0x3Fu;
    if (first < 0xE0) {
        *point = (first & 0x1F) << 6 | second;
        return 2;
    }
    if (size < 3 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t third = at[2] & 0x3Fu;
    if (first < 0xF0) {
        uint32_t three = (first & 0x0F) << 12 | second << 6 | third;
        if (three < 0x800 || three - 0xD800 < 0x800) {
            return 0;
        }
        *point = three;
        return 3;
    }
    if (first > 0xF4 || size < 4 || (at[3] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t four = (first & 0x07) << 18 | second << 12 | third << 6 | (at[3] & 0x3Fu);
    if (four - 0x10000 >= 0x100000) {
        return 0;
    }
    *point = four;
    return 4;
}

/* Writes a character as UTF-8 and returns how many bytes it has. `point` is at most U+10FFFF and no
 * surrogate; `out` has room for 4 bytes. */
static inline uint32_t tally_utf8_encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Decodes the character at text[*at], and moves *at behind it. A byte that does not begin valid
 * UTF-8 gives 0xdc00 plus the byte, and moves by one. *at < size. */
static inline uint32_t tally_utf8_next(const char *text, size_t size, size_t *at)
{
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t point = 0xdc00U + bytes[*at];
    const uint32_t width = tally_utf8_decode(bytes + *at, bytes + size, &point);
    *at += width != 0 ? width : 1;
    return point;
}

#endif
