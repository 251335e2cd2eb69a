/* SPDX-License-Identifier: Apache-2.0
 *
 * What bench/aes.c and OpenSSL's program measure alike. In place, and in the first cache. */
#ifndef TALLY_BENCH_AES_SIZES_H
#define TALLY_BENCH_AES_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum { AES_MOST = 16384 /* bytes */ };

#define AES_ENOUGH 4e6 /* nanoseconds of work that are timed together */

static const struct {
    size_t size;
    const char *name;
} aes_sizes[] = {
    {16, "16 bytes"}, {32, "32 bytes"}, {64, "64 bytes"},  {256, "256 bytes"},
    {1024, "1 KiB"},  {4096, "4 KiB"},  {16384, "16 KiB"},
};

/* How often work is done between two looks at the clock, which take a part of a microsecond. */
static inline long aes_calls(size_t bytes)
{
    return (long)((1 << 20) / bytes);
}

/* FIPS 197, appendix B. For 256 bits the key is followed by zeros. */
#define AES_KEY                                                                                    \
    {                                                                                              \
        0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f,  \
            0x3c                                                                                   \
    }
#define AES_PLAIN                                                                                  \
    {                                                                                              \
        0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07,  \
            0x34                                                                                   \
    }
#define AES_CIPHER                                                                                 \
    {                                                                                              \
        0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b,  \
            0x32                                                                                   \
    }

#endif
