/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on lanes with AVX-512, VAES and IFMA, whose products have 104 bits. Eight numbers are in a
 * vector, and four blocks. Words go through the rounds in groups: while the numbers of one are
 * added, another is encrypted. */
#include "base/arch.h"
#include "ff1/lanes.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>
#include <string.h>

#include "base/unroll.h"
#include "fast/lanes/transpose.h"

#define FF1_AVX512_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512ifma,vaes,aes")))
#define FF1_AVX512_INLINE TALLY_INLINE FF1_AVX512_TARGET

enum {
    FF1_AVX512_VECTORS = 4,                     /* of numbers of a half in a group */
    FF1_AVX512_BLOCKS = 2 * FF1_AVX512_VECTORS, /* vectors of blocks */
    FF1_AVX512_GROUP = 8 * FF1_AVX512_VECTORS,  /* words */
    FF1_AVX512_GROUPS = TALLY_FF1_ROWS / FF1_AVX512_GROUP,
    FF1_AVX512_BITS = 50,   /* of the greatest modulus that is no power of two */
    FF1_AVX512_CHUNKS = 64, /* of a half, at most: of one symbol of one bit each */
    FF1_AVX512_FEW = 12     /* words that plain C takes no longer for */
};

#define FF1_AVX512_EACH(i, count) TALLY_UNROLL(8) for (int i = 0; i < (count); i++)

/* How numbers are added. */
typedef enum ff1_avx512_kind {
    FF1_AVX512_POWER,      /* modulo a power of two; y has 64 bits */
    FF1_AVX512_LONG_POWER, /* y has 96 */
    FF1_AVX512_SMALL,      /* modulo at most 2^12; y has 64 */
    FF1_AVX512_SHORT,      /* modulo more; y has 64 */
    FF1_AVX512_LONG_LOW,   /* modulo 2^13 to 2^32; y has 96 */
    FF1_AVX512_LONG        /* modulo more; y has 96 */
} ff1_avx512_kind;

/* A modulus as vectors need it. */
typedef struct ff1_avx512_modulus {
    uint64_t value, mask, inverse; /* as in plan.h; of a small one, those of a multiple */
    uint64_t next_value;           /* of a small one: the modulus itself */
    uint64_t next_inverse; /* of a small one: 2^52 / value; of a long one: 2^(34 + k) / value */
    uint32_t shift;        /* of a long one: 50 - k, where value < 2^k */
} ff1_avx512_modulus;

/* Neighbouring symbols of a half: one digit to a base that 16 bits hold. */
typedef struct ff1_avx512_chunks {
    uint32_t symbols, base, bits; /* base <= 2^bits */
    uint32_t count[2];            /* of the halves; the first chunk may have fewer symbols */
    uint64_t inverse;             /* x / base is x * 4 * inverse / 2^(52 + bits) for x < 2^50 */
    uint16_t radix_inverse;       /* x / radix is x * inverse / 2^16, shifted, for a chunk x */
    uint32_t radix_shift, radix;
    int is_power;
} ff1_avx512_chunks;

typedef struct ff1_avx512_state {
    _Alignas(64) uint64_t half[2][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t bases[TALLY_FF1_ROWS][16]; /* of a vector of numbers: those of its even
                                                     * words, then those of its odd ones */
    _Alignas(64) uint16_t chunks[FF1_AVX512_CHUNKS][TALLY_FF1_ROWS];
    _Alignas(64) uint8_t symbols[2 * FF1_AVX512_CHUNKS][TALLY_FF1_ROWS];
} ff1_avx512_state;

FF1_AVX512_INLINE __m512i ff1_avx512_load(const void *from)
{
    return _mm512_loadu_si512(from);
}

FF1_AVX512_INLINE __m512i ff1_avx512_each(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

static uint32_t ff1_avx512_log(uint64_t x)
{
    return 63 - (uint32_t)__builtin_clzll(x);
}

static ff1_avx512_kind ff1_avx512_kind_of(const tally_ff1_plan *plan, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    if (modulus->mask != 0) {
        return plan->prf_size == 8 ? FF1_AVX512_POWER : FF1_AVX512_LONG_POWER;
    }
    if (plan->prf_size == 8) {
        return modulus->value >> 12 == 0 ? FF1_AVX512_SMALL : FF1_AVX512_SHORT;
    }
    return modulus->value >> 32 == 0 ? FF1_AVX512_LONG_LOW : FF1_AVX512_LONG;
}

/* Whether there is code for these numbers. */
static int ff1_avx512_serves(const tally_ff1_plan *plan)
{
    return plan->modulus[1].mask != 0 || plan->modulus[1].value >> FF1_AVX512_BITS == 0;
}

static int ff1_avx512_takes_lanes(const tally_ff1_plan *plan)
{
    return plan->symbol_size == 1 && ff1_avx512_serves(plan);
}

static ff1_avx512_modulus ff1_avx512_set_modulus(const tally_ff1_plan *plan, uint32_t half)
{
    const tally_ff1_modulus *modulus = &plan->modulus[half];
    ff1_avx512_modulus made = {
        .value = modulus->value, .mask = modulus->mask, .inverse = modulus->inverse};
    const ff1_avx512_kind kind = ff1_avx512_kind_of(plan, half);
    if (kind == FF1_AVX512_SMALL) {
        made.next_value = modulus->value;
        made.next_inverse = (UINT64_C(1) << 52) / modulus->value;
        made.value = modulus->value << 12;
        made.inverse = modulus->inverse >> 12;
    } else if (kind == FF1_AVX512_LONG) {
        const uint32_t bits = ff1_avx512_log(modulus->value) + 1;
        made.shift = FF1_AVX512_BITS - bits;
        made.next_inverse = modulus->long_inverse >> (62 - bits);
    }
    return made;
}

static ff1_avx512_chunks ff1_avx512_set_chunks(const tally_ff1_plan *plan)
{
    const uint32_t radix = plan->cipher->radix;
    ff1_avx512_chunks made = {.symbols = 1, .base = radix, .radix = radix};
    made.is_power = (radix & (radix - 1)) == 0;
    const uint32_t most = made.is_power ? 1 << 16 : 1 << 15;
    while (plan->symbol_size == 1 && made.base * radix <= most) {
        made.base *= radix;
        made.symbols++;
    }
    made.bits = made.base == 1 ? 0 : ff1_avx512_log(made.base - 1) + 1;
    for (int half = 0; half < 2; half++) {
        made.count[half] = (plan->half[half] + made.symbols - 1) / made.symbols;
    }
    const uint64_t power = UINT64_C(1) << 63, rest = (power % made.base) << made.bits;
    made.inverse = (((power / made.base << made.bits) + rest / made.base) >> 13) + 1;
    made.radix_shift = plan->radix_shift;
    made.radix_inverse =
        (uint16_t)((UINT32_C(1) << (16 + made.radix_shift)) / radix + (made.is_power ? 0 : 1));
    return made;
}

/* Symbols on lanes to chunks: one half, whose first symbol is number `first`. A symbol that is not
 * below the radix becomes the last one: it is a lane without a word, or of a bad one. */
FF1_AVX512_INLINE void ff1_avx512_join(const ff1_avx512_chunks *by, uint32_t first, uint32_t count,
                                       uint32_t chunks, const uint8_t *lanes, size_t stride,
                                       ff1_avx512_state *state)
{
    const __m256i last = _mm256_set1_epi8((char)(by->radix - 1));
    const __m512i radix = _mm512_set1_epi16((int16_t)by->radix);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_AVX512_EACH(v, 2)
        {
            __m512i x = _mm512_setzero_si512();
            for (uint32_t i = at; i < end; i++) {
                const __m256i symbols = _mm256_min_epu8(
                    _mm256_loadu_si256((const void *)(lanes + i * stride + 32 * v)), last);
                x = _mm512_add_epi16(_mm512_mullo_epi16(x, radix), _mm512_cvtepu8_epi16(symbols));
            }
            _mm512_storeu_si512(state->chunks[c] + 32 * v, x);
        }
        at = end;
    }
}

/* The inverse. */
FF1_AVX512_INLINE void ff1_avx512_part(const ff1_avx512_chunks *by, uint32_t first, uint32_t count,
                                       uint32_t chunks, const ff1_avx512_state *state,
                                       uint8_t *lanes, size_t stride)
{
    const __m512i radix = _mm512_set1_epi16((int16_t)by->radix),
                  inverse = _mm512_set1_epi16((int16_t)by->radix_inverse);
    const __m128i shift = _mm_cvtsi32_si128((int)by->radix_shift);
    uint32_t at = first, end = first + count - (chunks - 1) * by->symbols;
    for (uint32_t c = 0; c < chunks; c++, end += by->symbols) {
        FF1_AVX512_EACH(v, 2)
        {
            __m512i x = ff1_avx512_load(state->chunks[c] + 32 * v);
            for (uint32_t i = end; i-- > at;) {
                __m512i rest = _mm512_mulhi_epu16(x, inverse);
                rest = _mm512_srl_epi16(rest, shift);
                x = _mm512_sub_epi16(x, _mm512_mullo_epi16(rest, radix));
                _mm256_storeu_si256((void *)(lanes + i * stride + 32 * v), _mm512_cvtepi16_epi8(x));
                x = rest;
            }
        }
        at = end;
    }
}

/* Chunks to numbers. */
FF1_AVX512_INLINE void ff1_avx512_sum(const ff1_avx512_chunks *by, uint32_t chunks,
                                      const ff1_avx512_state *state, uint64_t *numbers)
{
    const __m512i base = ff1_avx512_each(by->base);
    const __m128i shift = _mm_cvtsi32_si128((int)by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += 8) {
        __m512i x = _mm512_setzero_si512();
        for (uint32_t c = 0; c < chunks; c++) {
            const __m512i chunk =
                _mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)(state->chunks[c] + row)));
            x = by->is_power ? _mm512_or_si512(_mm512_sll_epi64(x, shift), chunk)
                             : _mm512_madd52lo_epu64(chunk, x, base);
        }
        _mm512_storeu_si512(numbers + row, x);
    }
}

/* The inverse. */
FF1_AVX512_INLINE void ff1_avx512_split(const ff1_avx512_chunks *by, uint32_t chunks,
                                        const uint64_t *numbers, ff1_avx512_state *state)
{
    const __m512i inverse = ff1_avx512_each(by->inverse),
                  minus = ff1_avx512_each((UINT64_C(1) << 52) - by->base),
                  mask = ff1_avx512_each(by->base - 1), zero = _mm512_setzero_si512();
    const __m128i shift = _mm_cvtsi32_si128((int)by->bits);
    for (size_t row = 0; row < TALLY_FF1_ROWS; row += 8) {
        __m512i x = ff1_avx512_load(numbers + row);
        for (uint32_t c = chunks; c-- > 0;) {
            __m512i rest, chunk;
            if (by->is_power) {
                rest = _mm512_srl_epi64(x, shift);
                chunk = _mm512_and_si512(x, mask);
            } else {
                rest = _mm512_madd52hi_epu64(zero, _mm512_slli_epi64(x, 2), inverse);
                rest = _mm512_srl_epi64(rest, shift);
                chunk = _mm512_madd52lo_epu64(x, rest, minus); /* its last 16 bits */
            }
            _mm_storeu_si128((void *)(state->chunks[c] + row), _mm512_cvtepi64_epi16(chunk));
            x = rest;
        }
    }
}

/* Chunks of one symbol of two bytes. */
static void ff1_avx512_gather(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                              ff1_avx512_state *state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(&state->chunks[p][i], batch->in[i] + 2 * (size_t)(first + p), 2);
        }
    }
}

static void ff1_avx512_scatter(const tally_ff1_batch *batch, uint32_t first, uint32_t count,
                               const ff1_avx512_state *state)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (uint32_t p = 0; p < count; p++) {
            memcpy(batch->out[i] + 2 * (size_t)(first + p), &state->chunks[p][i], 2);
        }
    }
}

FF1_AVX512_TARGET static void ff1_avx512_read(const tally_ff1_batch *batch,
                                              const ff1_avx512_chunks *by, ff1_avx512_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        tally_transpose_avx512.to_lanes(batch->in, batch->count, plan->length, TALLY_FF1_ROWS,
                                        state->symbols[0]);
    }
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        if (plan->symbol_size == 1) {
            ff1_avx512_join(by, first, plan->half[half], by->count[half], lanes, stride, state);
        } else {
            ff1_avx512_gather(batch, first, plan->half[half], state);
        }
        ff1_avx512_sum(by, by->count[half], state, state->half[half]);
    }
}

FF1_AVX512_TARGET static void ff1_avx512_write(const tally_ff1_batch *batch,
                                               const ff1_avx512_chunks *by, ff1_avx512_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    uint8_t *lanes = batch->lanes != NULL ? batch->lanes : state->symbols[0];
    const size_t stride = batch->lanes != NULL ? batch->stride : TALLY_FF1_ROWS;
    for (uint32_t half = 0, first = 0; half < 2; first += plan->half[half++]) {
        ff1_avx512_split(by, by->count[half], state->half[half], state);
        if (plan->symbol_size == 1) {
            ff1_avx512_part(by, first, plan->half[half], by->count[half], state, lanes, stride);
        } else {
            ff1_avx512_scatter(batch, first, plan->half[half], state);
        }
    }
    if (plan->symbol_size == 1 && batch->lanes == NULL) {
        tally_transpose_avx512.from_lanes(state->symbols[0], TALLY_FF1_ROWS, batch->count,
                                          plan->length, batch->out);
    }
}

/* The bases in the order of blocks: of eight words those of even ones, then those of odd ones. */
FF1_AVX512_TARGET static void ff1_avx512_set_bases(const tally_ff1_batch *batch,
                                                   ff1_avx512_state *state)
{
    const __m512i even = _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13),
                  odd = _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15);
    if (batch->base_step == 0) {
        const __m512i base = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)batch->bases[0]));
        for (size_t i = 0; i < TALLY_FF1_ROWS; i += 4) {
            _mm512_storeu_si512(state->bases[i], base);
        }
        return;
    }
    if (batch->count < TALLY_FF1_ROWS) {
        memset(state->bases[0], 0, sizeof state->bases);
    }
    memcpy(state->bases[0], batch->bases[0], 16 * batch->count);
    for (size_t i = 0; i < TALLY_FF1_ROWS; i += 8) {
        const __m512i first = ff1_avx512_load(state->bases[i]),
                      second = ff1_avx512_load(state->bases[i + 4]);
        _mm512_storeu_si512(state->bases[i], _mm512_permutex2var_epi64(first, even, second));
        _mm512_storeu_si512(state->bases[i + 4], _mm512_permutex2var_epi64(first, odd, second));
    }
}

/* x less some moduli, unless it is below; x is below twice that. */
FF1_AVX512_INLINE __m512i ff1_avx512_less(__m512i x, __m512i moduli)
{
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, moduli));
}

/* Adds y, of 64 bits and perhaps 32 more, to numbers, or subtracts it. Quotients are too small by 2 at
 * most, so that rests are below three times the modulus. */
FF1_AVX512_INLINE __m512i ff1_avx512_add(const ff1_avx512_kind kind,
                                         const tally_direction direction,
                                         const ff1_avx512_modulus *modulus, __m512i number,
                                         __m512i high, __m512i low)
{
    const __m512i zero = _mm512_setzero_si512(), mask52 = ff1_avx512_each((UINT64_C(1) << 52) - 1);
    if (kind == FF1_AVX512_POWER || kind == FF1_AVX512_LONG_POWER) {
        const __m512i y =
            kind == FF1_AVX512_POWER ? high : _mm512_or_si512(_mm512_slli_epi64(high, 32), low);
        return _mm512_and_si512(direction == TALLY_ENCRYPT ? _mm512_add_epi64(number, y)
                                                           : _mm512_sub_epi64(number, y),
                                ff1_avx512_each(modulus->mask));
    }
    const __m512i minus = ff1_avx512_each((UINT64_C(1) << 52) - modulus->value);
    __m512i quotient =
        _mm512_madd52hi_epu64(zero, _mm512_srli_epi64(high, 12), ff1_avx512_each(modulus->inverse));
    __m512i rest = _mm512_and_si512(_mm512_madd52lo_epu64(high, quotient, minus), mask52);
    uint64_t value = modulus->value;
    if (kind == FF1_AVX512_SMALL) {
        value = modulus->next_value;
        quotient = _mm512_madd52hi_epu64(zero, rest, ff1_avx512_each(modulus->next_inverse));
        rest = _mm512_madd52lo_epu64(rest, quotient, ff1_avx512_each((UINT64_C(1) << 52) - value));
        rest = _mm512_and_si512(rest, mask52);
    }
    const __m512i once = ff1_avx512_each(value), twice = ff1_avx512_each(2 * value);
    if (kind == FF1_AVX512_LONG_LOW) {
        rest = ff1_avx512_less(ff1_avx512_less(rest, twice), once);
        high = _mm512_or_si512(_mm512_slli_epi64(rest, 32), low);
        quotient = _mm512_madd52hi_epu64(zero, _mm512_srli_epi64(high, 12),
                                         ff1_avx512_each(modulus->inverse));
        rest = _mm512_and_si512(_mm512_madd52lo_epu64(high, quotient, minus), mask52);
    }
    if (kind == FF1_AVX512_LONG) {
        const __m128i shift = _mm_cvtsi32_si128((int)modulus->shift);
        quotient = _mm512_madd52hi_epu64(zero, _mm512_sll_epi64(rest, shift),
                                         ff1_avx512_each(modulus->next_inverse));
        rest = _mm512_or_si512(_mm512_slli_epi64(rest, 32), low);
        rest = _mm512_and_si512(_mm512_madd52lo_epu64(rest, quotient, minus), mask52);
    }
    const __m512i sum =
        direction == TALLY_ENCRYPT
            ? _mm512_add_epi64(number, rest)
            : _mm512_sub_epi64(_mm512_add_epi64(number, ff1_avx512_each(3 * value)), rest);
    return ff1_avx512_less(ff1_avx512_less(sum, twice), once);
}

/* A round of a group, whose half `half` changes. */
FF1_AVX512_INLINE void ff1_avx512_round(const ff1_avx512_kind kind, const tally_direction direction,
                                        const tally_aes_key *aes, __m512i first_key,
                                        const ff1_avx512_modulus *modulus, const uint8_t *bases,
                                        const uint64_t *from, uint64_t *to)
{
    const uint8_t(*keys)[16] = aes->round_keys.bytes[TALLY_ENCRYPT];
    const __m512i even = _mm512_broadcast_i32x4(
                      _mm_set_epi64x(0x0001020304050607, (long long)0x8080808080808080)),
                  odd = _mm512_broadcast_i32x4(
                      _mm_set_epi64x(0x08090a0b0c0d0e0f, (long long)0x8080808080808080)),
                  reverse = _mm512_broadcast_i32x4(
                      _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607)),
                  reverse_low = _mm512_broadcast_i32x4(
                      _mm_set_epi64x((long long)0x8080808008090a0b, (long long)0x8080808000010203));
    __m512i b[FF1_AVX512_BLOCKS];
    FF1_AVX512_EACH(i, FF1_AVX512_VECTORS)
    {
        const __m512i numbers = ff1_avx512_load(from + 8 * i);
        b[2 * i] = _mm512_ternarylogic_epi64(_mm512_shuffle_epi8(numbers, even), first_key,
                                             ff1_avx512_load(bases + 128 * i), 0x96);
        b[2 * i + 1] = _mm512_ternarylogic_epi64(_mm512_shuffle_epi8(numbers, odd), first_key,
                                                 ff1_avx512_load(bases + 128 * i + 64), 0x96);
    }
    const uint32_t rounds = aes->rounds;
    for (uint32_t r = 1; r < rounds; r++) {
        const __m512i key = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)keys[r]));
        FF1_AVX512_EACH(i, FF1_AVX512_BLOCKS)
        {
            b[i] = _mm512_aesenc_epi128(b[i], key);
        }
    }
    const __m512i last = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)keys[rounds]));
    FF1_AVX512_EACH(i, FF1_AVX512_VECTORS)
    {
        const __m512i x = _mm512_aesenclast_epi128(b[2 * i], last),
                      y = _mm512_aesenclast_epi128(b[2 * i + 1], last);
        const __m512i high = _mm512_shuffle_epi8(_mm512_unpacklo_epi64(x, y), reverse),
                      low = _mm512_shuffle_epi8(_mm512_unpackhi_epi64(x, y), reverse_low);
        _mm512_storeu_si512(to + 8 * i, ff1_avx512_add(kind, direction, modulus,
                                                       ff1_avx512_load(to + 8 * i), high, low));
    }
}

/* All rounds of all groups; the kinds of the two halves may differ. */
FF1_AVX512_INLINE void ff1_avx512_rounds(const ff1_avx512_kind kind0, const ff1_avx512_kind kind1,
                                         const tally_direction direction,
                                         const tally_ff1_batch *batch, ff1_avx512_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const ff1_avx512_modulus modulus[2] = {ff1_avx512_set_modulus(plan, 0),
                                           ff1_avx512_set_modulus(plan, 1)};
    const __m128i first = _mm_loadu_si128((const void *)aes->round_keys.bytes[TALLY_ENCRYPT][0]);
    const size_t groups = (batch->count + FF1_AVX512_GROUP - 1) / FF1_AVX512_GROUP;
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        _Alignas(16) uint8_t number[16] = {0};
        number[15 - plan->number_size] = (uint8_t)round;
        const __m512i key =
            _mm512_broadcast_i32x4(_mm_xor_si128(first, _mm_loadu_si128((const void *)number)));
        for (size_t g = 0; g < groups; g++) {
            const size_t row = FF1_AVX512_GROUP * g;
            if (round % 2 == 0) {
                ff1_avx512_round(kind0, direction, aes, key, &modulus[0], state->bases[row],
                                 state->half[1] + row, state->half[0] + row);
            } else {
                ff1_avx512_round(kind1, direction, aes, key, &modulus[1], state->bases[row],
                                 state->half[0] + row, state->half[1] + row);
            }
        }
    }
}

#define FF1_AVX512_ROUNDS(name, kind0, kind1)                                                      \
    FF1_AVX512_TARGET static void ff1_avx512_rounds_##name(const tally_ff1_batch *batch,           \
                                                           ff1_avx512_state *state)                \
    {                                                                                              \
        if (batch->direction == TALLY_ENCRYPT) {                                                   \
            ff1_avx512_rounds(kind0, kind1, TALLY_ENCRYPT, batch, state);                          \
        } else {                                                                                   \
            ff1_avx512_rounds(kind0, kind1, TALLY_DECRYPT, batch, state);                          \
        }                                                                                          \
    }

FF1_AVX512_ROUNDS(power, FF1_AVX512_POWER, FF1_AVX512_POWER)
FF1_AVX512_ROUNDS(long_power, FF1_AVX512_LONG_POWER, FF1_AVX512_LONG_POWER)
FF1_AVX512_ROUNDS(small, FF1_AVX512_SMALL, FF1_AVX512_SMALL)
FF1_AVX512_ROUNDS(mixed, FF1_AVX512_SMALL, FF1_AVX512_SHORT)
FF1_AVX512_ROUNDS(short, FF1_AVX512_SHORT, FF1_AVX512_SHORT)
FF1_AVX512_ROUNDS(long_low, FF1_AVX512_LONG_LOW, FF1_AVX512_LONG)
FF1_AVX512_ROUNDS(long, FF1_AVX512_LONG, FF1_AVX512_LONG)

FF1_AVX512_TARGET static void ff1_avx512_run(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    if (batch->lanes == NULL && (batch->count <= FF1_AVX512_FEW || !ff1_avx512_serves(plan))) {
        tally_ff1_lanes_portable.run(batch);
        return;
    }
    ff1_avx512_state state;
    const ff1_avx512_chunks by = ff1_avx512_set_chunks(plan);
    if (batch->count < TALLY_FF1_ROWS) { /* lanes without a word are run too */
        memset(&state, 0, sizeof state);
    }
    ff1_avx512_set_bases(batch, &state);
    ff1_avx512_read(batch, &by, &state);
    const ff1_avx512_kind first = ff1_avx512_kind_of(plan, 0), second = ff1_avx512_kind_of(plan, 1);
    if (second == FF1_AVX512_POWER) {
        ff1_avx512_rounds_power(batch, &state);
    } else if (second == FF1_AVX512_LONG_POWER) {
        ff1_avx512_rounds_long_power(batch, &state);
    } else if (second == FF1_AVX512_SMALL) {
        ff1_avx512_rounds_small(batch, &state);
    } else if (first == FF1_AVX512_SMALL) {
        ff1_avx512_rounds_mixed(batch, &state);
    } else if (second == FF1_AVX512_SHORT) {
        ff1_avx512_rounds_short(batch, &state);
    } else if (first == FF1_AVX512_LONG_LOW) {
        ff1_avx512_rounds_long_low(batch, &state);
    } else {
        ff1_avx512_rounds_long(batch, &state);
    }
    ff1_avx512_write(batch, &by, &state);
    tally_wipe(state.half, sizeof state.half);
    tally_wipe(state.bases, sizeof state.bases);
    tally_wipe(state.chunks, sizeof state.chunks[0] * by.count[1]);
    if (batch->lanes == NULL) {
        tally_wipe(state.symbols, sizeof state.symbols[0] * plan->length);
    }
}

const tally_ff1_lanes tally_ff1_lanes_avx512 = {
    {"avx512", TALLY_CPU_VAES | TALLY_CPU_AVX512VBMI | TALLY_CPU_AVX512VBMI2 | TALLY_CPU_AVX512 |
                   TALLY_CPU_BMI2 | TALLY_CPU_AVX2 | TALLY_CPU_AESNI | TALLY_CPU_SSSE3},
    ff1_avx512_run,
    ff1_avx512_takes_lanes};

#else
typedef int tally_ff1_avx512_is_for_x86_64; /* a file may not be empty */
#endif
