/* SPDX-License-Identifier: Apache-2.0
 *
 * SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, with one
 * round for eight bytes and three at the end): for hash tables of values that an attacker chose. */
#ifndef TALLY_BASE_SIPHASH_H
#define TALLY_BASE_SIPHASH_H

#include "base/bytes.h"

static inline uint64_t tally_siphash_rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline void tally_siphash_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = tally_siphash_rotate(v[1], 13) ^ v[0];
    v[3] = tally_siphash_rotate(v[3], 16) ^ v[2];
    v[0] = tally_siphash_rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = tally_siphash_rotate(v[1], 17) ^ v[2];
    v[3] = tally_siphash_rotate(v[3], 21) ^ v[0];
    v[2] = tally_siphash_rotate(v[2], 32);
}

/* The hash of bytes under a secret key. */
static inline uint64_t tally_siphash(const uint64_t key[2], const uint8_t *bytes, uint64_t size)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                     key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    uint64_t last = size << 56;
    for (; size >= 8; bytes += 8, size -= 8) {
        const uint64_t word = tally_load_le64(bytes);
        v[3] ^= word;
        tally_siphash_round(v);
        v[0] ^= word;
    }
    for (unsigned i = 0; i < size; i++) {
        last |= (uint64_t)bytes[i] << 8 * i;
    }
    v[3] ^= last;
    tally_siphash_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) {
        tally_siphash_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
