/* SPDX-License-Identifier: Apache-2.0
 *
 * Statuses, the version, CPU features, the choice of a back end, and wiping. */
#include "base/arch.h"
#include "base/below.h"
#include "base/bytes.h"
#include "base/cpu.h"
#include "base/dispatch.h"
#include "check.h"
#include "tallystick/aes.h"
#include "tallystick/base.h"
#include "tallystick/fast.h"
#include "tallystick/ff1.h"
#include "tallystick/keyring.h"
#include "tallystick/masked_modes.h"
#include "tallystick/policy.h"
#include "tallystick/shares.h"
#include "tallystick/text.h"
#include "tallystick/tokens.h"

#include <stdlib.h>

#if defined(TALLY_ARCH_AARCH64) && defined(__linux__)
#include <sys/auxv.h>
#endif

static void check_statuses(void)
{
    static const tally_status all[] = {
        TALLY_OK,
        TALLY_ERROR_ARGUMENT,
        TALLY_ERROR_ENTROPY,
        TALLY_ERROR_MEMORY,
        TALLY_ERROR_PROBLEM,
        TALLY_ERROR_KEY_SIZE,
        TALLY_ERROR_TAG,
        TALLY_ERROR_RADIX,
        TALLY_ERROR_LENGTH,
        TALLY_ERROR_PARAMS,
        TALLY_ERROR_SYMBOL,
        TALLY_ERROR_SHARES_FEW,
        TALLY_ERROR_SHARES_SETS,
        TALLY_ERROR_SHARES_FALSE,
        TALLY_ERROR_FORMAT,
        TALLY_ERROR_TYPE,
        TALLY_ERROR_ONE_WAY,
        TALLY_ERROR_READ_ONLY,
        TALLY_ERROR_CAPACITY,
        TALLY_ERROR_TWEAKS,
        TALLY_ERROR_NAMESPACE,
        TALLY_ERROR_INVALID,
        TALLY_ERROR_ARRAY,
        TALLY_ERROR_PROTECT_ONLY,
        TALLY_ERROR_REVEAL_ONLY,
        TALLY_ERROR_KEYRING,
        TALLY_ERROR_ROOT_KEY,
        TALLY_ERROR_NO_KEY,
        TALLY_ERROR_REFERENCE,
        TALLY_ERROR_POLICY,
        TALLY_ERROR_FF1_RADIX,
        TALLY_ERROR_FF1_LENGTH,
        TALLY_ERROR_FF1_SYMBOL,
        TALLY_ERROR_FF1_TWEAK_SIZE,
        TALLY_ERROR_TEXT_CHECK_BITS,
        TALLY_ERROR_TEXT_KIND,
        TALLY_ERROR_TEXT_VALUE,
        TALLY_ERROR_TEXT_KEYS,
    };
    const size_t count = sizeof all / sizeof *all;
    const char *unknown = tally_status_text(1000);
    size_t known = 0;
    CHECK(unknown != NULL && strcmp(unknown, tally_status_text(-1)) == 0);
    for (size_t i = 0; i < count; i++) {
        const char *text = tally_status_text(all[i]);
        CHECK(text != NULL && strlen(text) > 0 && strcmp(text, unknown) != 0);
        for (size_t j = 0; j < i; j++) {
            CHECK(all[j] < all[i] && strcmp(text, tally_status_text(all[j])) != 0);
        }
    }
    for (tally_status status = 0; status < 256; status++) {
        known += strcmp(tally_status_text(status), unknown) != 0;
    }
    CHECK_EQUAL(known, count);
}

static void check_version(void)
{
    unsigned parts[3] = {0};
    CHECK_EQUAL(sscanf(tally_version(), "%u.%u.%u", &parts[0], &parts[1], &parts[2]), 3);
}

/* The features that the compiler's own detection finds. */
static uint32_t expected_features(void)
{
#if defined(TALLY_ARCH_X86_64)
    /* Its argument must be a literal. */
#define HAS(name) (__builtin_cpu_supports(name) != 0)
    const bool avx512 = HAS("avx512f") && HAS("avx512bw") && HAS("avx512vl");
    const struct {
        uint32_t feature;
        bool here;
    } features[] = {
        {TALLY_CPU_SSSE3, HAS("ssse3")},
        {TALLY_CPU_AESNI, HAS("aes")},
        {TALLY_CPU_AVX2, HAS("avx2")},
        {TALLY_CPU_AVX512VBMI, avx512 && HAS("avx512vbmi")},
        {TALLY_CPU_AVX512VBMI2,
         avx512 && HAS("avx512vbmi") && HAS("avx512vbmi2") && HAS("bmi") && HAS("bmi2")},
#if !defined(__clang__) || __clang_major__ >= 19 /* older ones do not know the name */
        {TALLY_CPU_VAES, HAS("vaes")},
        {TALLY_CPU_GFNI, HAS("gfni")},
        {TALLY_CPU_SHANI, HAS("sha")},
#else
        {TALLY_CPU_VAES, (tally_cpu_features() & TALLY_CPU_VAES) != 0},
        {TALLY_CPU_GFNI, (tally_cpu_features() & TALLY_CPU_GFNI) != 0},
        {TALLY_CPU_SHANI, (tally_cpu_features() & TALLY_CPU_SHANI) != 0},
#endif
        {TALLY_CPU_AVX512, avx512},
        {TALLY_CPU_BMI2, HAS("bmi2")},
        {TALLY_CPU_SSE2, HAS("sse2")},
    };
#undef HAS
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        found |= features[i].here ? features[i].feature : 0;
    }
    return found;
#elif defined(TALLY_ARCH_AARCH64) && defined(__linux__)
    /* Bits of Linux's documentation, "ARM64 ELF hwcaps", in the order of asm/hwcap.h. */
    unsigned long found = getauxval(AT_HWCAP);
    return TALLY_CPU_NEON | ((found >> 3 & 1) != 0 ? TALLY_CPU_ARM_AES : 0) |
           ((found >> 6 & 1) != 0 ? TALLY_CPU_ARM_SHA256 : 0) |
           ((found >> 21 & 1) != 0 ? TALLY_CPU_ARM_SHA512 : 0);
#elif defined(TALLY_ARCH_AARCH64)
    return tally_cpu_lower(UINT32_MAX) | TALLY_CPU_NEON;
#else
    return 0;
#endif
}

static void check_cpu(void)
{
    const uint32_t newest = TALLY_CPU_SSE2;
    uint32_t all = tally_cpu_features();
    CHECK_EQUAL(all, expected_features());
    CHECK_EQUAL(tally_cpu_lower(0), 0);
    CHECK_EQUAL(tally_cpu_features(), 0);
    for (uint32_t feature = 1; feature <= newest; feature <<= 1) {
        CHECK_EQUAL(tally_cpu_lower(feature), all & feature);
        CHECK_EQUAL(tally_cpu_features(), all & feature);
        CHECK_EQUAL(tally_cpu_lower(~feature), all & ~feature);
        CHECK_EQUAL(tally_cpu_features(), all & ~feature);
    }
    CHECK_EQUAL(tally_cpu_lower(UINT32_MAX), all);
    CHECK_EQUAL(tally_cpu_features(), all);
}

/* The first back end whose features are all there, and the last one where none is. */
static void check_dispatch(void)
{
    static const tally_backend none = {"none", 0}, one = {"one", 1 << 20}, two = {"two", 1 << 21};
    const tally_backend *const table[] = {&two, &one, &none};
    const uint32_t all = tally_cpu_features();
    CHECK(tally_dispatch(table, 3) == &none);
    CHECK(tally_dispatch(table + 2, 1) == &none);
    CHECK_EQUAL(tally_backend_lacks(&one), 1 << 20);
    CHECK_EQUAL(tally_backend_lacks(&none), 0);
    for (uint32_t bit = 1; bit != 0 && bit <= all; bit <<= 1) {
        const tally_backend present = {"present", bit};
        const tally_backend *const some[] = {&two, &present, &none};
        CHECK(tally_dispatch(some, 3) == ((all & bit) != 0 ? &present : &none));
        tally_cpu_lower(~bit);
        CHECK(tally_dispatch(some, 3) == &none);
        CHECK_EQUAL(tally_backend_lacks(&present), bit);
        tally_cpu_lower(UINT32_MAX);
    }
}

static void check_all_below(void)
{
    uint8_t bytes[19];
    for (uint32_t limit = 1; limit <= 256; limit++) {
        memset(bytes, (int)limit - 1, sizeof bytes);
        for (size_t size = 0; size <= sizeof bytes; size++) {
            CHECK(tally_all_below(limit, bytes, size));
            for (size_t i = 0; i < size && limit < 256; i++) {
                bytes[i] = (uint8_t)limit;
                CHECK(!tally_all_below(limit, bytes, size));
                bytes[i] = 255;
                CHECK(!tally_all_below(limit, bytes, size));
                bytes[i] = (uint8_t)(limit - 1);
            }
        }
    }
}

static void check_wipe(void)
{
    uint8_t memory[64], expected[64];
    tally_wipe(NULL, 0);
    for (size_t size = 0; size <= 48; size++) {
        memset(memory, 0xee, sizeof memory);
        memset(expected, 0xee, sizeof expected);
        memset(expected + 8, 0, size);
        tally_wipe(memory + 8, size);
        CHECK_BYTES(memory, expected, sizeof memory);
    }
}

static void check_bytes_order(void)
{
    const uint8_t bytes[8] = {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8};
    uint8_t out[8];
    CHECK(tally_load_le32(bytes) == UINT32_C(0xb4a39281));
    CHECK(tally_load_be32(bytes) == UINT32_C(0x8192a3b4));
    CHECK(tally_load_be64(bytes) == UINT64_C(0x8192a3b4c5d6e7f8));
    tally_store_le32(UINT32_C(0xb4a39281), out);
    CHECK_BYTES(out, bytes, 4);
    tally_store_be32(UINT32_C(0x8192a3b4), out);
    CHECK_BYTES(out, bytes, 4);
    tally_store_be64(UINT64_C(0x8192a3b4c5d6e7f8), out);
    CHECK_BYTES(out, bytes, 8);
}

/* Every byte counts, and no byte beside them is read: the sanitizers see that. */
static void check_few_bytes(void)
{
    for (size_t size = 0; size <= 8; size++) {
        uint8_t *bytes = calloc(1, size + (size == 0));
        CHECK(bytes != NULL && tally_load_few(bytes, size) == 0);
        for (size_t i = 0; bytes != NULL && i < size; i++) {
            for (unsigned value = 1; value <= UINT8_MAX; value++) {
                bytes[i] = (uint8_t)value;
                CHECK(tally_load_few(bytes, size) != 0);
            }
            bytes[i] = 0;
        }
        free(bytes);
    }
}

int main(void)
{
    check_statuses();
    check_version();
    check_cpu();
    check_dispatch();
    check_all_below();
    check_wipe();
    check_bytes_order();
    check_few_bytes();
    return check_end("base");
}
