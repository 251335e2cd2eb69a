/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU features: one table with where CPUID reports each (Intel SDM, volume 2A, CPUID), and which
 * register state the operating system must save for it (XCR0, volume 1, section 13.3). Detected on
 * first use, because CPUID traps in virtual machines and then costs microseconds. */
#include "base/arch.h"
#include "base/cpu.h"
#include "tallystick/base.h"

#include <stdatomic.h>

#define DETECTED (UINT32_C(1) << 31) /* tells "no features" from "not yet looked" */

static _Atomic uint32_t features_in_use;

#if defined(TALLY_ARCH_X86_64)
#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };
enum {
    STATE_SSE = 1 << 1,
    STATE_AVX = STATE_SSE | 1 << 2,
    STATE_AVX512 = STATE_AVX | 1 << 5 | 1 << 6 | 1 << 7
};

#define BIT(n) (UINT32_C(1) << (n))

/* A feature needs every row that names it. Rows of one leaf follow each other, leaf 1 first. */

static const struct {
    uint32_t feature;
    uint32_t leaf, cpuid_register, bits;
    uint32_t state;
} table[] = {
    {TALLY_CPU_SSE2, 1, EDX, BIT(26), STATE_SSE},
    {TALLY_CPU_SSSE3, 1, ECX, BIT(9), STATE_SSE},
    {TALLY_CPU_AESNI, 1, ECX, BIT(25), STATE_SSE},
    {TALLY_CPU_AVX2, 7, EBX, BIT(5), STATE_AVX},
    /* AVX512F, BW and VL, then VBMI or VBMI2; VBMI2's code uses BMI too. */
    {TALLY_CPU_AVX512VBMI, 7, EBX, BIT(16) | BIT(30) | BIT(31), STATE_AVX512},
    {TALLY_CPU_AVX512VBMI, 7, ECX, BIT(1), STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, EBX, BIT(3) | BIT(8) | BIT(16) | BIT(30) | BIT(31), STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, ECX, BIT(1) | BIT(6), STATE_AVX512},
    {TALLY_CPU_VAES, 7, ECX, BIT(9), STATE_AVX},
    {TALLY_CPU_GFNI, 7, ECX, BIT(8), STATE_SSE},
    {TALLY_CPU_SHANI, 7, EBX, BIT(29), STATE_SSE},
    {TALLY_CPU_AVX512, 7, EBX, BIT(16) | BIT(30) | BIT(31), STATE_AVX512},
    {TALLY_CPU_BMI2, 7, EBX, BIT(8), 0},
};

static void cpuid(uint32_t leaf, uint32_t registers[4])
{
    registers[EAX] = registers[EBX] = registers[ECX] = registers[EDX] = 0;
    (void)__get_cpuid_count(leaf, 0, &registers[EAX], &registers[EBX], &registers[ECX],
                            &registers[EDX]);
}

/* XCR0. Without XSAVE it can't be read, but every 64-bit system saves SSE's registers. */
static uint32_t saved_state(const uint32_t leaf1[4])
{
    if ((leaf1[ECX] >> 27 & 1) == 0) { /* OSXSAVE */
        return STATE_SSE;
    }
    uint32_t low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint32_t detect(void)
{
    uint32_t found = 0, missing = 0, leaf = 1, registers[4];
    cpuid(leaf, registers);
    uint32_t state = saved_state(registers);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].leaf != leaf) {
            leaf = table[i].leaf;
            cpuid(leaf, registers);
        }
        if ((registers[table[i].cpuid_register] & table[i].bits) == table[i].bits &&
            (state & table[i].state) == table[i].state) {
            found |= table[i].feature;
        } else {
            missing |= table[i].feature;
        }
    }
    return found & ~missing;
}

#elif defined(TALLY_ARCH_AARCH64)

#if defined(__linux__)
#include <sys/auxv.h>

/* What the kernel says that programs may use. */
static uint32_t detect_crypto(void)
{
    unsigned long found = getauxval(AT_HWCAP);
    return ((found & HWCAP_AES) != 0 ? TALLY_CPU_ARM_AES : 0) |
           ((found & HWCAP_SHA2) != 0 ? TALLY_CPU_ARM_SHA256 : 0) |
           ((found & HWCAP_SHA512) != 0 ? TALLY_CPU_ARM_SHA512 : 0);
}

#elif defined(__APPLE__)
#include <sys/sysctl.h>

static uint32_t if_there(const char *name, uint32_t feature)
{
    int there = 0;
    size_t size = sizeof there;
    return sysctlbyname(name, &there, &size, NULL, 0) == 0 && there != 0 ? feature : 0;
}

static uint32_t detect_crypto(void)
{
    return if_there("hw.optional.arm.FEAT_AES", TALLY_CPU_ARM_AES) |
           if_there("hw.optional.arm.FEAT_SHA256", TALLY_CPU_ARM_SHA256) |
           if_there("hw.optional.arm.FEAT_SHA512", TALLY_CPU_ARM_SHA512);
}

#else

/* What the compiler may take for granted on every machine that it compiles for. */
static uint32_t detect_crypto(void)
{
    uint32_t found = 0;
#if defined(__ARM_FEATURE_AES)
    found |= TALLY_CPU_ARM_AES;
#endif
#if defined(__ARM_FEATURE_SHA2)
    found |= TALLY_CPU_ARM_SHA256;
#endif
#if defined(__ARM_FEATURE_SHA512)
    found |= TALLY_CPU_ARM_SHA512;
#endif
    return found;
}

#endif

static uint32_t detect(void)
{
    return TALLY_CPU_NEON | detect_crypto(); /* no system leaves NEON out */
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

const char *tally_cpu_feature_name(uint32_t feature)
{
    static const char *const names[] = {"ssse3",       "aes",       "avx2",       "avx512vbmi",
                                        "avx512vbmi2", "vaes",      "neon",       "gfni",
                                        "sha_ni",      "avx512",    "sha2 (Arm)", "sha512 (Arm)",
                                        "bmi2",        "aes (Arm)", "sse2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (feature == UINT32_C(1) << i) {
            return names[i];
        }
    }
    return NULL;
}
