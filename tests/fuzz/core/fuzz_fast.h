/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools and ciphers for fuzz targets. A pool takes longer to set up than most inputs to run, so
 * those used last are kept; a cipher, which remembers what it did, is set up anew for each
 * input. */
#ifndef TALLY_FUZZ_FAST_H
#define TALLY_FUZZ_FAST_H

#include "base/cpu.h"
#include "fuzz.h"
#include "tests/fast_instance.h"

enum { FUZZ_POOLS = 32, FUZZ_SLOTS = 3 };

/* Sets of the CPU's features, few enough for pools to be kept: all; without VBMI; without AES
 * instructions; AVX2 with and without them; less; none. */
static inline uint32_t fuzz_level(fuzz_input *input)
{
    static const uint32_t vbmi = TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2;
    static const uint32_t aes = TALLY_CPU_VAES | TALLY_CPU_AESNI | TALLY_CPU_ARM_AES;
    static const uint32_t wide = TALLY_CPU_AVX512 | TALLY_CPU_VAES | vbmi;
    static const uint32_t levels[] = {
        UINT32_MAX,    ~(uint32_t)TALLY_CPU_AVX512VBMI2, ~vbmi, ~aes, ~wide,
        ~(wide | aes), TALLY_CPU_SSSE3 | TALLY_CPU_SSE2, 0};
    return levels[fuzz_below(input, sizeof levels / sizeof *levels)];
}

/* A pool of a fixed key, as set up under some of the CPU's features, and a new cipher. Leaves
 * nothing to dispose of. */
static inline instance fuzz_instance(tally_fast_profile profile, uint32_t radix, uint32_t features)
{
    static struct {
        instance made;
        tally_fast_profile profile;
        uint32_t radix, features;
        uint64_t used; /* the time of the last use; the least recently used one is replaced */
    } pools[FUZZ_POOLS];
    static const uint8_t key[16] = {3, 1, 4, 1, 5};
    static uint64_t clock;
    size_t i = 0, oldest = 0;
    features = tally_cpu_lower(features);
    while (i < FUZZ_POOLS && !(pools[i].made.pool != NULL && pools[i].profile == profile &&
                               pools[i].radix == radix && pools[i].features == features)) {
        oldest = pools[i].used < pools[oldest].used ? i : oldest;
        i++;
    }
    if (i == FUZZ_POOLS) {
        i = oldest;
        instance_dispose(&pools[i].made);
        pools[i].made = instance_make(profile, radix, key, sizeof key, FUZZ_SLOTS);
        pools[i].profile = profile;
        pools[i].radix = radix;
        pools[i].features = features;
    }
    pools[i].used = ++clock;
    instance out = pools[i].made;
    CHECK_EQUAL(tally_fast_cipher_init(out.pool, FUZZ_SLOTS, out.cipher_memory,
                                       tally_fast_cipher_size(FUZZ_SLOTS), &out.cipher),
                TALLY_OK);
    return out;
}

#endif
