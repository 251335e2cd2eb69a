/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU features: one table with where CPUID reports each (Intel SDM, volume 2A, CPUID), and which
 * register state the operating system must save for it (XCR0, volume 1, section 13.3). Detected on
 * first use, because CPUID traps in virtual machines and then costs microseconds. */
#include "base/cpu.h"
#include "base/arch.h"
#include "tallystick/base.h"

#include <stdatomic.h>

#define CPU_DETECTED (UINT32_C(1) << 31) /* so that 0 means: not yet detected */

static _Atomic uint32_t cpu_features_found, cpu_features_in_use;

#if defined(TALLY_ARCH_X86_64)
#include <cpuid.h>

enum { CPU_EAX, CPU_EBX, CPU_ECX, CPU_EDX };
enum {
    CPU_STATE_SSE = 1 << 1,
    CPU_STATE_AVX = CPU_STATE_SSE | 1 << 2,
    CPU_STATE_AVX512 = CPU_STATE_AVX | 1 << 5 | 1 << 6 | 1 << 7
};

#define CPU_BIT(n) (UINT32_C(1) << (n))

/* A feature needs every row that names it. Rows of one leaf follow each other, leaf 1 first. */
static const struct {
    uint32_t feature;
    uint32_t leaf, cpuid_register, bits;
    uint32_t state;
} cpu_table[] = {
    {TALLY_CPU_SSE2, 1, CPU_EDX, CPU_BIT(26), CPU_STATE_SSE},
    {TALLY_CPU_SSSE3, 1, CPU_ECX, CPU_BIT(9), CPU_STATE_SSE},
    {TALLY_CPU_AESNI, 1, CPU_ECX, CPU_BIT(25), CPU_STATE_SSE},
    {TALLY_CPU_AVX2, 7, CPU_EBX, CPU_BIT(5), CPU_STATE_AVX},
    /* AVX512F, BW and VL, then VBMI or VBMI2; VBMI2's code uses BMI and IFMA too. */
    {TALLY_CPU_AVX512VBMI, 7, CPU_EBX, CPU_BIT(16) | CPU_BIT(30) | CPU_BIT(31), CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI, 7, CPU_ECX, CPU_BIT(1), CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, CPU_EBX,
     CPU_BIT(3) | CPU_BIT(8) | CPU_BIT(16) | CPU_BIT(21) | CPU_BIT(30) | CPU_BIT(31),
     CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, CPU_ECX, CPU_BIT(1) | CPU_BIT(6), CPU_STATE_AVX512},
    {TALLY_CPU_VAES, 7, CPU_ECX, CPU_BIT(9), CPU_STATE_AVX},
    {TALLY_CPU_GFNI, 7, CPU_ECX, CPU_BIT(8), CPU_STATE_SSE},
    {TALLY_CPU_SHANI, 7, CPU_EBX, CPU_BIT(29), CPU_STATE_SSE},
    {TALLY_CPU_AVX512, 7, CPU_EBX, CPU_BIT(16) | CPU_BIT(30) | CPU_BIT(31), CPU_STATE_AVX512},
    {TALLY_CPU_BMI2, 7, CPU_EBX, CPU_BIT(8), 0},
};

static void cpu_id(uint32_t leaf, uint32_t registers[4])
{
    registers[CPU_EAX] = registers[CPU_EBX] = registers[CPU_ECX] = registers[CPU_EDX] = 0;
    (void)__get_cpuid_count(leaf, 0, &registers[CPU_EAX], &registers[CPU_EBX], &registers[CPU_ECX],
                            &registers[CPU_EDX]);
}

/* XCR0. Without XSAVE it can't be read, but every 64-bit system saves SSE's registers. */
static uint32_t cpu_saved_state(const uint32_t leaf1[4])
{
    if ((leaf1[CPU_ECX] >> 27 & 1) == 0) { /* OSXSAVE */
        return CPU_STATE_SSE;
    }
    uint32_t low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static uint32_t cpu_detect(void)
{
    uint32_t found = 0, missing = 0, leaf = 1, registers[4];
    cpu_id(leaf, registers);
    uint32_t state = cpu_saved_state(registers);
    for (size_t i = 0; i < sizeof cpu_table / sizeof cpu_table[0]; i++) {
        if (cpu_table[i].leaf != leaf) {
            leaf = cpu_table[i].leaf;
            cpu_id(leaf, registers);
        }
        if ((registers[cpu_table[i].cpuid_register] & cpu_table[i].bits) == cpu_table[i].bits &&
            (state & cpu_table[i].state) == cpu_table[i].state) {
            found |= cpu_table[i].feature;
        } else {
            missing |= cpu_table[i].feature;
        }
    }
    return found & ~missing;
}

#elif defined(TALLY_ARCH_AARCH64)

#if defined(__linux__)
#include <sys/auxv.h>

/* The features that the kernel lets programs use. */
static uint32_t cpu_detect_crypto(void)
{
    unsigned long found = getauxval(AT_HWCAP);
    return ((found & HWCAP_AES) != 0 ? TALLY_CPU_ARM_AES : 0) |
           ((found & HWCAP_SHA2) != 0 ? TALLY_CPU_ARM_SHA256 : 0) |
           ((found & HWCAP_SHA512) != 0 ? TALLY_CPU_ARM_SHA512 : 0);
}

#elif defined(__APPLE__)
#include <sys/sysctl.h>

static uint32_t cpu_if_present(const char *name, uint32_t feature)
{
    int present = 0;
    size_t size = sizeof present;
    return sysctlbyname(name, &present, &size, NULL, 0) == 0 && present != 0 ? feature : 0;
}

static uint32_t cpu_detect_crypto(void)
{
    return cpu_if_present("hw.optional.arm.FEAT_AES", TALLY_CPU_ARM_AES) |
           cpu_if_present("hw.optional.arm.FEAT_SHA256", TALLY_CPU_ARM_SHA256) |
           cpu_if_present("hw.optional.arm.FEAT_SHA512", TALLY_CPU_ARM_SHA512);
}

#else

/* The features that the compiler may use on every target machine. */
static uint32_t cpu_detect_crypto(void)
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

static uint32_t cpu_detect(void)
{
    return TALLY_CPU_NEON | cpu_detect_crypto(); /* every AArch64 system has NEON */
}

#else

static uint32_t cpu_detect(void)
{
    return 0;
}

#endif

uint32_t tally_cpu_features(void)
{
    uint32_t features = atomic_load_explicit(&cpu_features_in_use, memory_order_relaxed);
    if (features == 0) {
        return tally_cpu_lower(UINT32_MAX);
    }
    return features & ~CPU_DETECTED;
}

uint32_t tally_cpu_lower(uint32_t allowed)
{
    uint32_t found = atomic_load_explicit(&cpu_features_found, memory_order_relaxed);
    if (found == 0) {
        found = cpu_detect() | CPU_DETECTED;
        atomic_store_explicit(&cpu_features_found, found, memory_order_relaxed);
    }
    const uint32_t features = found & ~CPU_DETECTED & allowed;
    atomic_store_explicit(&cpu_features_in_use, features | CPU_DETECTED, memory_order_relaxed);
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
