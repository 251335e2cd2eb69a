/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU features: one table with where CPUID reports each (Intel SDM, volume 2A, CPUID), and which
 * register state the operating system must save for it (XCR0, volume 1, section 13.3). Detected on
 * first use, because CPUID traps in virtual machines and then costs microseconds. */
#include "base/arch.h"
#include "tallystick/base.h"

#include <stdatomic.h>

#define DETECTED (UINT32_C(1) << 31) /* tells "no features" from "not yet looked" */

static _Atomic uint32_t features_in_use;

#if defined(TALLY_ARCH_X86_64)
#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };
enum { STATE_SSE = 1 << 1 };

static const struct {
    uint32_t feature;
    uint32_t leaf, subleaf, cpuid_register, bit;
    uint32_t state;
} table[] = {
    {TALLY_CPU_SSSE3, 1, 0, ECX, 9, STATE_SSE},
    {TALLY_CPU_AESNI, 1, 0, ECX, 25, STATE_SSE},
};

static void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    registers[EAX] = registers[EBX] = registers[ECX] = registers[EDX] = 0;
    (void)__get_cpuid_count(leaf, subleaf, &registers[EAX], &registers[EBX], &registers[ECX],
                            &registers[EDX]);
}

/* XCR0. Without XSAVE it can't be read, but every 64-bit system saves SSE's registers. */
static uint32_t saved_state(void)
{
    uint32_t registers[4];
    cpuid(1, 0, registers);
    if ((registers[ECX] >> 27 & 1) == 0) { /* OSXSAVE */
        return STATE_SSE;
    }
    uint32_t low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint32_t detect(void)
{
    uint32_t found = 0, state = saved_state();
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint32_t registers[4];
        cpuid(table[i].leaf, table[i].subleaf, registers);
        if ((registers[table[i].cpuid_register] >> table[i].bit & 1) != 0 &&
            (state & table[i].state) == table[i].state) {
            found |= table[i].feature;
        }
    }
    return found;
}

#else

static uint32_t detect(void)
{
    return 0;
}

#endif

uint32_t tally_cpu_features(void)
{
    uint32_t features = atomic_load_explicit(&features_in_use, memory_order_relaxed);
    if (features == 0) {
        return tally_cpu_lower(UINT32_MAX);
    }
    return features & ~DETECTED;
}

uint32_t tally_cpu_lower(uint32_t allowed)
{
    uint32_t features = detect() & allowed;
    atomic_store_explicit(&features_in_use, features | DETECTED, memory_order_relaxed);
    return features;
}
