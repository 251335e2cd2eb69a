/* SPDX-License-Identifier: Apache-2.0
 *
 * For proofs by Frama-C's Eva: a program here calls the core with arguments of which Eva considers
 * every value at once, and must show that no execution has undefined behaviour. tests/proofs.py
 * runs them. */
#ifndef TALLY_TESTS_ARBITRARY_H
#define TALLY_TESTS_ARBITRARY_H

#include <__fc_builtin.h>
#include <stddef.h>
#include <stdint.h>

/* Any bytes. */
static inline void arbitrary(uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = Frama_C_unsigned_char_interval(0, 255);
    }
}

/* Any bytes below a bound, as symbols of a radix. */
static inline void arbitrary_below(uint32_t bound, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = Frama_C_unsigned_char_interval(0, (unsigned char)(bound - 1));
    }
}

static inline uint32_t any_32(void)
{
    return Frama_C_unsigned_int_interval(0, UINT32_MAX);
}

static inline uint64_t any_64(void)
{
    return Frama_C_unsigned_long_interval(0, UINT64_MAX);
}

/* Some execution has either. */
static inline int either(void)
{
    return Frama_C_interval(0, 1);
}

#endif
