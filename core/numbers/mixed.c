/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of mixed radix as words of one radix, and back: the plan, the choice of a back end, and
 * rows one behind the other. */
#include "numbers/mixed.h"

#include <string.h>

#include "base/arch.h"
#include "base/below.h"
#include "base/unroll.h"

enum { MIXED_LIMB_BITS = 16, MIXED_LIMB_MASK = 0xffff };

#define MIXED(name) mixed_portable_##name
#define MIXED_TARGET
#define MIXED_CHAINS 1

#if defined(__GNUC__) && !defined(__FRAMAC__) /* which does not know vectors */
#define MIXED_ROWS 4
typedef uint32_t mixed_portable_vec __attribute__((vector_size(16)));
typedef uint64_t mixed_portable_wide __attribute__((vector_size(32)));
typedef uint16_t mixed_portable_halves __attribute__((vector_size(8)));
typedef mixed_portable_halves mixed_portable_stored;
typedef uint8_t mixed_portable_bytes __attribute__((vector_size(4)));
#define MIXED_CONVERT(type, from) __builtin_convertvector(from, type)
#define MIXED_BELOW(x, y)         ((mixed_portable_vec)((x) < (y)))
#define MIXED_HALF(x)             ((uint16_t)(x))
#else
#define MIXED_ROWS                1
typedef uint32_t mixed_portable_vec;
typedef uint64_t mixed_portable_wide;
typedef uint32_t mixed_portable_halves; /* in 16 bits, products would be signed */
typedef uint16_t mixed_portable_stored;
typedef uint8_t mixed_portable_bytes;
#define MIXED_CONVERT(type, from) ((type)(from))
#define MIXED_BELOW(x, y)         (0 - (uint32_t)((x) < (y)))
#define MIXED_HALF(x)             (x)
#endif
#define MIXED_HIGH(x, y)                                                                           \
    MIXED_CONVERT(mixed_portable_vec, MIXED_CONVERT(mixed_portable_wide, x) * (uint64_t)(y) >> 32)
#define MIXED_HALF_HIGH(x, y)                                                                      \
    MIXED_CONVERT(mixed_portable_halves, MIXED_CONVERT(mixed_portable_vec, x) * (uint32_t)(y) >> 16)

typedef struct mixed_portable_pack {
    mixed_portable_vec of[MIXED_CHAINS];
} mixed_portable_pack;

TALLY_INLINE mixed_portable_halves mixed_portable_load(const uint8_t *from)
{
    mixed_portable_bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return MIXED_CONVERT(mixed_portable_halves, bytes);
}

TALLY_INLINE void mixed_portable_store(uint8_t *to, mixed_portable_halves value)
{
    const mixed_portable_bytes bytes = MIXED_CONVERT(mixed_portable_bytes, value);
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE mixed_portable_halves mixed_portable_narrow(const mixed_portable_pack *from)
{
    return MIXED_CONVERT(mixed_portable_halves, from->of[0]);
}

TALLY_INLINE mixed_portable_pack mixed_portable_widen(mixed_portable_halves from)
{
    const mixed_portable_pack wide = {{MIXED_CONVERT(mixed_portable_vec, from)}};
    return wide;
}

#include "numbers/mixed_limbs_body.h"

#include "numbers/mixed_body.h"

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_CHAINS
#undef MIXED_HIGH
#undef MIXED_HALF_HIGH
#undef MIXED_BELOW
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_LIMB_BITS

const tally_mixed_lanes tally_mixed_portable = {
    {"portable", 0}, mixed_portable_write, mixed_portable_read};

/* The fastest first. */
static const tally_backend *const mixed_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_mixed_ifma.backend,
    &tally_mixed_avx512.backend,
    &tally_mixed_avx2.backend,
#endif
    &tally_mixed_portable.backend,
};

const tally_mixed_lanes *tally_mixed_lanes_choose(void)
{
    return (const tally_mixed_lanes *)tally_dispatch(mixed_backends, sizeof mixed_backends /
                                                                         sizeof *mixed_backends);
}

/* The highest bit of a number, and 0 of zero. */
static uint8_t mixed_top(const uint32_t number[TALLY_MIXED_LIMBS])
{
    uint32_t limb = TALLY_MIXED_LIMBS - 1, bit = MIXED_LIMB_BITS - 1;
    while (limb > 0 && number[limb] == 0) {
        limb--;
    }
    while (bit > 0 && number[limb] >> bit == 0) {
        bit--;
    }
    return (uint8_t)(limb * MIXED_LIMB_BITS + bit);
}

/* number * size + size - 1; returns the overflow. */
static uint32_t mixed_grow(uint32_t number[TALLY_MIXED_LIMBS], uint32_t size)
{
    uint32_t carry = size - 1;
    for (size_t k = 0; k < TALLY_MIXED_LIMBS; k++) {
        uint32_t sum = number[k] * size + carry;
        number[k] = sum & MIXED_LIMB_MASK;
        carry = sum >> MIXED_LIMB_BITS;
    }
    return carry;
}

/* Whether words of that radix and length reach `last`, of so many limbs. */
static int mixed_reaches(const uint32_t *last, size_t limbs, uint32_t radix, uint32_t length)
{
    uint32_t word[TALLY_MIXED_LIMBS] = {0}; /* the greatest */
    size_t used = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t carry = radix - 1;
        for (size_t k = 0; k < used; k++) {
            const uint32_t sum = word[k] * radix + carry;
            word[k] = sum & MIXED_LIMB_MASK;
            carry = sum >> MIXED_LIMB_BITS;
        }
        if (carry != 0 && used == limbs) {
            return 1;
        }
        if (carry != 0) {
            word[used++] = carry;
        }
    }
    for (size_t k = limbs; k-- > 0;) {
        if (word[k] != last[k]) {
            return word[k] > last[k];
        }
    }
    return 1;
}

/* How to divide numbers below 2^16 by 2..2^16, exactly. */
static tally_mixed_divisor mixed_divisor(uint32_t number)
{
    uint32_t shift = 0; /* 2^shift < number <= 2^(shift + 1) */
    while (number > UINT32_C(2) << shift) {
        shift++;
    }
    const uint64_t power = UINT64_C(0x10000) << shift, inverse = (power + number - 1) / number;
    if ((inverse * number - power) * MIXED_LIMB_MASK < power) {
        return (tally_mixed_divisor){.inverse = (uint16_t)inverse, .shift = (uint8_t)shift};
    }
    return (tally_mixed_divisor){
        .inverse = (uint16_t)(2 * power / number + 1), .shift = (uint8_t)shift, .is_longer = 1};
}

/* Notes a run's size of 2..2^16, and how to divide by it. */
static void mixed_set_size(tally_mixed_run *run, uint32_t size)
{
    run->size = size;
    while (size > UINT32_C(2) << run->shift) {
        run->shift++;
    }
    /* 2^(52 + shift) / size, rounded up. */
    const uint64_t power = UINT64_C(1) << 52, rest = (power % size) << run->shift;
    run->inverse = (power / size << run->shift) + (rest + size - 1) / size;
}

/* Makes runs of as many positions as 2^16 holds. */
static void mixed_make_runs(tally_mixed_plan *plan)
{
    uint32_t number[TALLY_MIXED_LIMBS] = {0};
    for (uint32_t p = 0; p < plan->positions;) {
        tally_mixed_run *run = &plan->run[plan->runs++];
        uint32_t size = 1;
        run->first = (uint8_t)p;
        for (; p < plan->positions && (uint64_t)size * plan->sizes[p] <= TALLY_MIXED_MAX_SIZE;
             p++) {
            size *= plan->sizes[p];
        }
        run->positions = (uint8_t)(p - run->first);
        mixed_set_size(run, size);
        (void)mixed_grow(number, size);
        run->top = mixed_top(number);
    }
}

/* Notes how long numbers become as symbols are appended. */
static void mixed_measure(tally_mixed_plan *plan)
{
    uint32_t word[TALLY_MIXED_LIMBS] = {0};
    for (uint32_t i = 0; i < plan->pairs; i++) {
        const int single = i == 0 && plan->length % 2 != 0;
        (void)mixed_grow(word, single ? plan->radix : plan->radix * plan->radix);
        plan->reach[i] = mixed_top(word);
    }
}

tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out)
{
    uint32_t last[TALLY_MIXED_LIMBS] = {0}, wide = 0; /* whether there are two numbers at all */
    memset(out, 0, sizeof *out);
    if (mixed->positions < 1 || mixed->positions > TALLY_MIXED_MAX_POSITIONS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t p = 0; p < mixed->positions; p++) {
        if (mixed->sizes[p] < 1 || mixed->sizes[p] > TALLY_MIXED_MAX_SIZE) {
            return TALLY_ERROR_ARGUMENT;
        }
        out->sizes[p] = mixed->sizes[p];
        wide |= mixed->sizes[p] - 1;
        if (mixed_grow(last, mixed->sizes[p]) != 0) {
            return TALLY_ERROR_LENGTH;
        }
    }
    if (wide == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    out->positions = mixed->positions;
    const uint32_t top = mixed_top(last);
    const size_t limbs = top / MIXED_LIMB_BITS + 1;
    out->length = top < 16 ? 2 : top / 8 + 1; /* as few as 256 reaches it with */
    uint32_t below = 3;
    out->radix = 256; /* reaches, and `below` does not count as one that does */
    while (out->radix - below > 1) {
        uint32_t middle = (below + out->radix) / 2;
        if (mixed_reaches(last, limbs, middle, out->length)) {
            out->radix = middle;
        } else {
            below = middle;
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        out->last[k] = (uint16_t)last[k];
    }
    out->pairs = (out->length + 1) / 2;
    out->by_radix = mixed_divisor(out->radix);
    mixed_set_size(&out->pair, out->radix * out->radix);
    for (size_t p = 0; p < out->positions; p++) {
        out->by_size[p] = p > 0 && out->sizes[p] == out->sizes[p - 1]
                              ? out->by_size[p - 1]
                              : mixed_divisor(out->sizes[p]);
    }
    mixed_make_runs(out);
    mixed_measure(out);
    return TALLY_OK;
}
