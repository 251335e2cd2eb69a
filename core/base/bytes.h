/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value); /* as in tally_store_be64 */
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

/* Without memcpy, GCC builds vectors from the bytes of two numbers, which takes ten times as
 * long. */
static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

/* Up to eight bytes as a number that differs for different bytes of one size. memcpy of a size that
 * is not constant is a call, which takes longer. */
static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last; /* which overlap */
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
}

#endif
