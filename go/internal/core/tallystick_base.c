//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/base as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif

#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#if !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif
#if !defined(__BSD_VISIBLE)
#define __BSD_VISIBLE 1
#endif
#if !defined(_NETBSD_SOURCE)
#define _NETBSD_SOURCE 1
#endif

#include "tallystick.h"

#include <stdatomic.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/base/cpu.c ---- */
/*
 * CPU features: one table with where CPUID reports each (Intel SDM, volume 2A, CPUID), and which
 * register state the operating system must save for it (XCR0, volume 1, section 13.3). Detected on
 * first use, because CPUID traps in virtual machines and then costs microseconds. */

/* ---- core/base/cpu.h ---- */
/*
 * CPU features for tests: one machine reaches every back end that it has. Not part of the public
 * API. */
#ifndef TALLY_BASE_CPU_H
#define TALLY_BASE_CPU_H

/* Disables the CPU features that are not in `allowed` and returns the features that remain.
 * UINT32_MAX restores all features. Existing keys and pools do not change their back end. Do not
 * call it while other threads set up keys. */
uint32_t tally_cpu_lower(uint32_t allowed);

#endif

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

#endif

#define CPU_DETECTED (UINT32_C(1) << 31) /* so that 0 means: not yet detected */

static _Atomic uint32_t cpu_features_in_use;

#if defined(TALLY_ARCH_X86_64)
TALLY_VISIBILITY_DEFAULT
#include <cpuid.h>
TALLY_VISIBILITY_POP

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
    /* AVX512F, BW and VL, then VBMI or VBMI2; VBMI2's code uses BMI too. */
    {TALLY_CPU_AVX512VBMI, 7, CPU_EBX, CPU_BIT(16) | CPU_BIT(30) | CPU_BIT(31), CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI, 7, CPU_ECX, CPU_BIT(1), CPU_STATE_AVX512},
    {TALLY_CPU_AVX512VBMI2, 7, CPU_EBX,
     CPU_BIT(3) | CPU_BIT(8) | CPU_BIT(16) | CPU_BIT(30) | CPU_BIT(31), CPU_STATE_AVX512},
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
TALLY_VISIBILITY_DEFAULT
#include <sys/auxv.h>
TALLY_VISIBILITY_POP

/* The features that the kernel lets programs use. */
static uint32_t cpu_detect_crypto(void)
{
    unsigned long found = getauxval(AT_HWCAP);
    return ((found & HWCAP_AES) != 0 ? TALLY_CPU_ARM_AES : 0) |
           ((found & HWCAP_SHA2) != 0 ? TALLY_CPU_ARM_SHA256 : 0) |
           ((found & HWCAP_SHA512) != 0 ? TALLY_CPU_ARM_SHA512 : 0);
}

#elif defined(__APPLE__)
TALLY_VISIBILITY_DEFAULT
#include <sys/sysctl.h>
TALLY_VISIBILITY_POP

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
    uint32_t features = cpu_detect() & allowed;
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

/* ---- core/base/entropy.c ---- */
/*
 * Entropy from the operating system's generator. entropy_fill writes up to `size` bytes
 * and returns how many, 0 on failure: system calls may write fewer bytes than requested. */
/* Strict C11 hides these calls; these macros declare them on each system. */

#if defined(_WIN32)
TALLY_VISIBILITY_DEFAULT
#include <windows.h>
TALLY_VISIBILITY_POP

TALLY_VISIBILITY_DEFAULT
#include <bcrypt.h>
TALLY_VISIBILITY_POP

static size_t entropy_fill(uint8_t *out, size_t size)
{
    ULONG chunk = size < 0x10000000 ? (ULONG)size : 0x10000000;
    NTSTATUS status = BCryptGenRandom(NULL, out, chunk, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status >= 0 ? chunk : 0;
}

#elif defined(__linux__)
TALLY_VISIBILITY_DEFAULT
#include <errno.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <sys/random.h>
TALLY_VISIBILITY_POP

static size_t entropy_fill(uint8_t *out, size_t size)
{
    ssize_t got;
    do {
        got = getrandom(out, size, 0);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
TALLY_VISIBILITY_DEFAULT
#include <sys/random.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <unistd.h>
TALLY_VISIBILITY_POP

static size_t entropy_fill(uint8_t *out, size_t size)
{
    size_t chunk = size < 256 ? size : 256; /* the most that getentropy gives at once */
    return getentropy(out, chunk) == 0 ? chunk : 0;
}

#else

static size_t entropy_fill(uint8_t *out, size_t size)
{
    (void)out;
    (void)size;
    return 0;
}

#endif

tally_status tally_entropy(uint8_t *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t got = entropy_fill(out + done, size - done);
        if (got == 0) {
            tally_wipe(out, size);
            return TALLY_ERROR_ENTROPY;
        }
        done += got;
    }
    return TALLY_OK;
}

/* ---- core/base/wipe.c ---- */
/*
 * Wiping. A compiler may drop a memset of memory that is not read again, so the empty assembly
 * below claims to read it. Other compilers write through a volatile pointer. */

void tally_wipe(void *memory, size_t size)
{
    if (size == 0) {
        return;
    }
#if defined(__GNUC__)
    memset(memory, 0, size);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
#else
    volatile unsigned char *bytes = memory;
    while (size-- > 0) {
        *bytes++ = 0;
    }
#endif
}

TALLY_VISIBILITY_POP
