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
#include <stddef.h>
#include <stdint.h>
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
/* ---- core/base/allocator.c ---- */
/*
 * See allocator.h. */
#define _DEFAULT_SOURCE 1 /* strict C11 hides madvise */

/* ---- core/base/allocator.h ---- */
/*
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif

#if __STDC_HOSTED__
TALLY_VISIBILITY_DEFAULT
#include <stdlib.h>
TALLY_VISIBILITY_POP
#if defined(__linux__)
TALLY_VISIBILITY_DEFAULT
#include <sys/mman.h>
TALLY_VISIBILITY_POP
#endif

/* Large memory comes new from the system at each call, page by page as it is written: with small
 * pages that is a fifth of the time of a column. Only asks for large ones. */
static void *allocator_malloc(size_t size)
{
    void *memory = malloc(size);
#if defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t)1 << 21, start = (uintptr_t)memory;
    const uintptr_t first = (start + page - 1) / page * page, end = (start + size) / page * page;
    if (memory != NULL && size >= 2 * page && first < end) {
        (void)madvise((void *)first, (size_t)(end - first), MADV_HUGEPAGE);
    }
#endif
    return memory;
}
#endif

void *tally_allocate(const tally_allocator *allocator, size_t size)
{
    if (size == 0) {
        size = 1;
    }
    if (allocator != NULL && allocator->allocate != NULL) {
        return allocator->allocate(allocator->context, size);
    }
#if __STDC_HOSTED__
    return allocator_malloc(size);
#else
    return NULL;
#endif
}

void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size)
{
    return count > SIZE_MAX / size ? NULL : tally_allocate(allocator, count * size);
}

void tally_release(const tally_allocator *allocator, void *memory, size_t size)
{
    if (memory == NULL) {
        return;
    }
    if (allocator != NULL && allocator->release != NULL) {
        allocator->release(allocator->context, memory, size == 0 ? 1 : size);
        return;
    }
#if __STDC_HOSTED__
    free(memory);
#endif
}

void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size)
{
    if (memory != NULL) {
        tally_wipe(memory, size);
        tally_release(allocator, memory, size);
    }
}

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

/* ---- core/base/nearest.c ---- */
/*
 * See nearest.h. The similarity of two names is twice the characters that match, by the total of
 * both. Matches are the longest common run, and those on its left and on its right. */

/* ---- core/base/nearest.h ---- */
/*
 * The name that a misspelt one may have meant: the answers of Python's difflib.get_close_matches
 * with n = 1 and its cutoff of 0.6. */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

/* ---- core/base/writer.h ---- */
/*
 * Text into a buffer of fixed size: messages, identities, JSON. It is always zero-terminated. Text
 * that does not fit is cut at the end of a character, and the rest is counted alone. */
#ifndef TALLY_BASE_WRITER_H
#define TALLY_BASE_WRITER_H

/* ---- core/base/utf8.h ---- */
/*
 * UTF-8 as RFC 3629 has it: no longer form than necessary, no surrogates, nothing beyond U+10FFFF. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

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

typedef struct tally_writer {
    char *text;
    size_t capacity; /* with the zero, at least 1 */
    size_t size;     /* written, without the zero */
    size_t needed;   /* what the size would be without the limit: cut if needed > size */
} tally_writer;

/* Begins an empty text in a buffer of `capacity` bytes, at least 1. */
void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity);

/* Begins the text of a problem. Its place becomes empty. */
void tally_writer_problem(tally_writer *writer, tally_problem *problem);

void tally_write(tally_writer *writer, const char *text); /* zero-terminated */
void tally_write_bytes(tally_writer *writer, const char *text, size_t size);
void tally_write_char(tally_writer *writer, char c);
void tally_write_int(tally_writer *writer, int64_t value);
void tally_write_uint(tally_writer *writer, uint64_t value);

/* UTF-8 in quotes, as Python's repr writes a str: 'a', "it's", 'line\n'. Characters that many
 * terminals do not show are escaped; which code points are unassigned is not known here. */
void tally_write_repr(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of JSON in ASCII, as json.dumps(ensure_ascii=True) writes it. */
void tally_write_json(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of TOML. */
void tally_write_toml(tally_writer *writer, const char *text, size_t size);

/* A key as TOML writes it: bare, or in double quotes. */
void tally_write_key(tally_writer *writer, const char *key, size_t size);

/* Appends a key to a dotted path: the path's first key has no dot before it. */
void tally_write_path(tally_writer *writer, const char *key, size_t size);

/* Whether a character is shown: no control, no space but that of ASCII, nothing invisible, no
 * private use. As str.isprintable, but for code points that are not assigned. */
int tally_is_shown(uint32_t c);

#endif

enum { TALLY_NEAREST_CHARACTERS = 128 }; /* longer names are never near, nor have near ones */

/* The choices are offered one after the other. */
typedef struct tally_nearest {
    uint32_t name[TALLY_NEAREST_CHARACTERS];
    size_t characters; /* of the name; 0 for one that is too long */
    const char *best;  /* the nearest choice until now, or NULL */
    size_t best_size;
    uint32_t matches, total; /* its ratio is 2 * matches / total */
} tally_nearest;

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size);
void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size);

/* Says what a misspelt name may have meant, or what there is: "; did you mean 'mask'?" or
 * "; there are: card, mask". The choices are zero-terminated. */
void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count);

#endif

typedef struct nearest_range {
    uint8_t a, a_end, b, b_end;
} nearest_range;

/* Decodes a name; returns its number of characters, or 0 if there are too many. */
static size_t nearest_decode(const char *text, size_t size, uint32_t *out)
{
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        if (count == TALLY_NEAREST_CHARACTERS) {
            return 0;
        }
        out[count++] = tally_utf8_next(text, size, &at);
    }
    return count;
}

/* The longest common run in a range; of several the first in a, and then the first in b. */
static size_t nearest_run(const uint32_t *a, const uint32_t *b, nearest_range range, size_t *at_a,
                          size_t *at_b)
{
    uint8_t runs[TALLY_NEAREST_CHARACTERS + 1] = {0}; /* [j + 1]: that which ends at a[i], b[j] */
    size_t longest = 0;
    for (size_t i = range.a; i < range.a_end; i++) {
        uint8_t diagonal = 0;
        for (size_t j = range.b; j < range.b_end; j++) {
            const uint8_t above = runs[j + 1];
            runs[j + 1] = a[i] == b[j] ? (uint8_t)(diagonal + 1) : 0;
            diagonal = above;
            if (runs[j + 1] > longest) {
                longest = runs[j + 1];
                *at_a = i + 1 - longest;
                *at_b = j + 1 - longest;
            }
        }
    }
    return longest;
}

static uint32_t nearest_matches(const uint32_t *a, size_t a_count, const uint32_t *b,
                                size_t b_count)
{
    /* Ranges that wait are disjoint in a, and none is empty. */
    nearest_range waiting[TALLY_NEAREST_CHARACTERS + 1];
    size_t count = 0;
    uint32_t matches = 0;
    waiting[count++] = (nearest_range){0, (uint8_t)a_count, 0, (uint8_t)b_count};
    while (count > 0) {
        const nearest_range range = waiting[--count];
        size_t i = 0, j = 0;
        const size_t run = nearest_run(a, b, range, &i, &j);
        if (run == 0) {
            continue;
        }
        matches += (uint32_t)run;
        if (range.a < i && range.b < j) {
            waiting[count++] = (nearest_range){range.a, (uint8_t)i, range.b, (uint8_t)j};
        }
        if (i + run < range.a_end && j + run < range.b_end) {
            waiting[count++] =
                (nearest_range){(uint8_t)(i + run), range.a_end, (uint8_t)(j + run), range.b_end};
        }
    }
    return matches;
}

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size)
{
    nearest->characters = nearest_decode(name, size, nearest->name);
    nearest->best = NULL;
    nearest->best_size = 0;
    nearest->matches = 0;
    nearest->total = 1;
}

/* Whether `choice` comes after the best one in the order of code points, which is that of bytes. */
static int nearest_is_greater(const tally_nearest *nearest, const char *choice, size_t size)
{
    const size_t common = size < nearest->best_size ? size : nearest->best_size;
    const int order = common == 0 ? 0 : memcmp(choice, nearest->best, common);
    return order > 0 || (order == 0 && size > nearest->best_size);
}

void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size)
{
    uint32_t decoded[TALLY_NEAREST_CHARACTERS];
    const size_t count = nearest_decode(choice, size, decoded);
    const uint32_t total = (uint32_t)(count + nearest->characters);
    uint32_t matches = 0;
    if (count == 0 || nearest->characters == 0) {
        return;
    }
    matches = nearest_matches(decoded, count, nearest->name, nearest->characters);
    const uint32_t ours = matches * nearest->total, best = nearest->matches * total;
    if (10 * matches >= 3 * total &&
        (nearest->best == NULL || ours > best ||
         (ours == best && nearest_is_greater(nearest, choice, size)))) {
        nearest->best = choice;
        nearest->best_size = size;
        nearest->matches = matches;
        nearest->total = total;
    }
}

void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count)
{
    tally_nearest nearest;
    tally_nearest_init(&nearest, name, size);
    for (size_t i = 0; i < count; i++) {
        tally_nearest_offer(&nearest, choices[i], strlen(choices[i]));
    }
    if (nearest.best != NULL) {
        tally_write(writer, "; did you mean ");
        tally_write_repr(writer, nearest.best, nearest.best_size);
        tally_write_char(writer, '?');
        return;
    }
    tally_write(writer, "; there are: ");
    for (size_t i = 0; i < count; i++) {
        tally_write(writer, i == 0 ? "" : ", ");
        tally_write(writer, choices[i]);
    }
}

/* ---- core/base/sort.c ---- */
/*
 * See sort.h: a heap. */

/* ---- core/base/sort.h ---- */
/*
 * Sorting of pointers in place, in a time that no order of them makes long. Equal ones may change
 * places. */
#ifndef TALLY_BASE_SORT_H
#define TALLY_BASE_SORT_H

/* As strcmp: below 0 if a comes before b, 0 if they are equal. */
typedef int tally_compare(const void *a, const void *b);

void tally_sort(const void **items, size_t count, tally_compare *compare);

/* The first of sorted items that does not come before `wanted`; `count` if there is none. */
size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare);

#endif

static void sort_swap(const void **a, const void **b)
{
    const void *const swapped = *a;
    *a = *b;
    *b = swapped;
}

static void sort_sift(const void **heap, size_t count, size_t at, tally_compare *compare)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(heap[child], heap[child + 1]) < 0) {
            child++;
        }
        if (compare(heap[at], heap[child]) >= 0) {
            return;
        }
        sort_swap(&heap[at], &heap[child]);
        at = child;
    }
}

void tally_sort(const void **items, size_t count, tally_compare *compare)
{
    for (size_t i = count / 2; i-- > 0;) {
        sort_sift(items, count, i, compare);
    }
    for (size_t left = count; left-- > 1;) {
        sort_swap(&items[0], &items[left]);
        sort_sift(items, left, 0, compare);
    }
}

size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(items[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
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

/* ---- core/base/writer.c ---- */
/*
 * See writer.h. */

void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity)
{
    writer->text = buffer;
    writer->capacity = capacity;
    writer->size = 0;
    writer->needed = 0;
    buffer[0] = '\0';
}

void tally_writer_problem(tally_writer *writer, tally_problem *problem)
{
    problem->place[0] = '\0';
    tally_writer_init(writer, problem->text, sizeof problem->text);
}

void tally_write_bytes(tally_writer *writer, const char *text, size_t size)
{
    size_t fits = writer->capacity - 1 - writer->size;
    if (writer->needed > writer->size) { /* cut already: what follows would not adjoin */
        fits = 0;
    }
    writer->needed += size;
    if (size > fits) {
        size = fits;
        while (size > 0 && ((uint8_t)text[size] & 0xc0) == 0x80) {
            size--; /* not within a character */
        }
    }
    if (size > 0) {
        memcpy(writer->text + writer->size, text, size);
        writer->size += size;
        writer->text[writer->size] = '\0';
    }
}

void tally_write(tally_writer *writer, const char *text)
{
    tally_write_bytes(writer, text, strlen(text));
}

void tally_write_char(tally_writer *writer, char c)
{
    tally_write_bytes(writer, &c, 1);
}

void tally_write_uint(tally_writer *writer, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    tally_write_bytes(writer, digits + at, sizeof digits - at);
}

void tally_write_int(tally_writer *writer, int64_t value)
{
    if (value < 0) {
        tally_write_char(writer, '-');
    }
    tally_write_uint(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void writer_hex(tally_writer *writer, uint32_t value, int digits)
{
    char text[8];
    for (int i = 0; i < digits; i++) {
        text[i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15];
    }
    tally_write_bytes(writer, text, (size_t)digits);
}

int tally_is_shown(uint32_t c)
{
    static const uint32_t hidden[][2] = {
        {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},        {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},      {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x1680, 0x1680},   {0x180e, 0x180e},    {0x2000, 0x200f},
        {0x2028, 0x202f},   {0x205f, 0x206f},   {0x3000, 0x3000},    {0xd800, 0xf8ff},
        {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},    {0x110bd, 0x110bd},
        {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a},
        {0x1fffe, 0x1ffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff},
    };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden && c >= hidden[i][0]; i++) {
        if (c <= hidden[i][1]) {
            return 0;
        }
    }
    return 1;
}

void tally_write_repr(tally_writer *writer, const char *text, size_t size)
{
    const int single = size > 0 && memchr(text, '\'', size) != NULL;
    const char quote = single && memchr(text, '"', size) == NULL ? '"' : '\'';
    tally_write_char(writer, quote);
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const uint32_t c = tally_utf8_next(text, size, &at);
        if (c == (uint8_t)quote || c == '\\') {
            tally_write_char(writer, '\\');
            tally_write_char(writer, (char)c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            tally_write(writer, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        } else if (tally_is_shown(c)) {
            tally_write_bytes(writer, text + start, at - start);
        } else {
            tally_write(writer, c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U");
            writer_hex(writer, c, c < 0x100 ? 2 : c < 0x10000 ? 4 : 8);
        }
    }
    tally_write_char(writer, quote);
}

static void writer_unit(tally_writer *writer, uint32_t unit)
{
    tally_write(writer, "\\u");
    writer_hex(writer, unit, 4);
}

/* A string of JSON; what is not ASCII stays if `ascii` is 0. */
static void writer_string(tally_writer *writer, const char *text, size_t size, int ascii)
{
    static const char named[] = "\b\f\n\r\t\"\\", names[] = "bfnrt\"\\";
    tally_write_char(writer, '"');
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const uint32_t c = tally_utf8_next(text, size, &at);
        const char *name = c > 0 && c < 0x80 ? strchr(named, (int)c) : NULL;
        if (name != NULL) {
            tally_write_char(writer, '\\');
            tally_write_char(writer, names[name - named]);
        } else if ((c >= 0x20 && c < 0x7f) || (c >= 0x80 && !ascii)) {
            tally_write_bytes(writer, text + start, at - start);
        } else if (c < 0x10000) {
            writer_unit(writer, c);
        } else {
            writer_unit(writer, 0xd800 + ((c - 0x10000) >> 10));
            writer_unit(writer, 0xdc00 + (c & 0x3ff));
        }
    }
    tally_write_char(writer, '"');
}

void tally_write_json(tally_writer *writer, const char *text, size_t size)
{
    writer_string(writer, text, size, 1);
}

void tally_write_toml(tally_writer *writer, const char *text, size_t size)
{
    writer_string(writer, text, size, 0);
}

void tally_write_key(tally_writer *writer, const char *key, size_t size)
{
    int bare = size > 0, shown = 1;
    for (size_t at = 0; at < size;) {
        const uint32_t c = tally_utf8_next(key, size, &at);
        const uint32_t lower = c | 0x20;
        bare &= (lower >= 'a' && lower <= 'z' && c < 0x80) || (c >= '0' && c <= '9') || c == '_' ||
                c == '-';
        shown &= tally_is_shown(c);
    }
    if (bare) {
        tally_write_bytes(writer, key, size);
    } else {
        writer_string(writer, key, size, !shown);
    }
}

void tally_write_path(tally_writer *writer, const char *key, size_t size)
{
    if (writer->needed > 0) {
        tally_write_char(writer, '.');
    }
    tally_write_key(writer, key, size);
}

TALLY_VISIBILITY_POP
