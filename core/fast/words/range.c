/* SPDX-License-Identifier: Apache-2.0
 *
 * A permutation of the numbers 0..size-1: FAST on their digits, walked until it lands among them
 * (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002, cycle walking). The
 * number of steps depends on the secret; docs/explanation/side-channels.md says more. */
#include "fast/words/range.h"

#include <string.h>

#include "fast/words/by_direction.h"
#include "fast/words/run.h"

/* Whether radix^length numbers, below 2^64, go beyond `last`. */
static int range_reaches(uint32_t radix, uint32_t length, uint64_t last)
{
    uint64_t power = 1;
    for (uint32_t i = 0; i < length; i++) {
        power *= radix;
    }
    return power > last;
}

tally_status tally_fast_range_params(uint64_t size, tally_fast_params *out)
{
    if (size == 1) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint64_t last = size - 1; /* the greatest number to be written */
    uint32_t length = TALLY_FAST_MIN_LENGTH;
    while (length < TALLY_RANGE_LENGTH && last >> 8 * length != 0) {
        length++;
    }
    uint32_t least = TALLY_FAST_MIN_RADIX, most = TALLY_FAST_MAX_RADIX; /* the last one reaches */
    while (least < most) {
        const uint32_t middle = (least + most) / 2;
        if (range_reaches(middle, length, last)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return tally_fast_recommended(TALLY_FAST, least, length, out);
}

static tally_status range_init(tally_fast_cipher *cipher, const tally_fast_params *params,
                               uint64_t size, tally_direction direction, tally_range *out)
{
    const uint64_t radix = params->radix;
    out->params = *params;
    if (cipher->pool->radix != radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    out->cipher = cipher;
    out->last = size - 1;
    out->half = radix * radix * radix * radix;
    out->reciprocal = (UINT64_C(1) << 32) / radix + 1;
    out->direction = direction;
    return TALLY_OK;
}

tally_status tally_range_init(tally_fast_cipher *cipher, uint64_t size, tally_direction direction,
                              tally_range *out)
{
    tally_fast_params params;
    tally_status status = tally_fast_range_params(size, &params);
    return status == TALLY_OK ? range_init(cipher, &params, size, direction, out) : status;
}

/* What numbers are divided by; copied, since symbols that are stored may be anywhere for all that a
 * compiler knows. */
typedef struct range_divisors {
    uint32_t radix, square;
    uint64_t half, reciprocal;
} range_divisors;

/* Two symbols of a number below radix^2 <= 2^16, where the product with the reciprocal is off by less
 * than 1 / radix. */
static inline void range_write_two(range_divisors by, uint32_t number, uint8_t *word, size_t stride)
{
    const uint32_t upper = (uint32_t)(number * by.reciprocal >> 32);
    word[0] = (uint8_t)upper;
    word[stride] = (uint8_t)(number - upper * by.radix);
}

/* The last 1..4 symbols of a number below radix^length <= 2^32. */
static inline void range_write_half(range_divisors by, uint32_t number, size_t length,
                                    uint8_t *word, size_t stride)
{
    if (length == 4) {
        const uint32_t upper = number / by.square;
        range_write_two(by, upper, word, stride);
        range_write_two(by, number - upper * by.square, word + 2 * stride, stride);
    } else if (length == 3) { /* below 2^24, where the product is exact too */
        const uint32_t upper = (uint32_t)(number * by.reciprocal >> 32);
        word[2 * stride] = (uint8_t)(number - upper * by.radix);
        range_write_two(by, upper, word, stride);
    } else if (length == 2) {
        range_write_two(by, number, word, stride);
    } else {
        word[0] = (uint8_t)number;
    }
}

static inline void range_write(const tally_range *range, uint64_t number, uint8_t *word,
                               size_t stride)
{
    const size_t length = range->params.length;
    const uint32_t radix = range->params.radix;
    const range_divisors by = {radix, radix * radix, range->half, range->reciprocal};
    if (length > 4) {
        const uint64_t high = number / by.half;
        range_write_half(by, (uint32_t)high, length - 4, word, stride);
        range_write_half(by, (uint32_t)(number - high * by.half), 4, word + (length - 4) * stride,
                         stride);
    } else {
        range_write_half(by, (uint32_t)number, length, word, stride);
    }
}

void tally_range_write(const tally_range *range, uint64_t number, uint8_t *word, size_t stride)
{
    range_write(range, number, word, stride);
}

uint64_t tally_range_read(const tally_range *range, const uint8_t *word, size_t stride)
{
    uint64_t number = 0;
    for (size_t i = 0; i < range->params.length; i++) {
        number = number * range->params.radix + word[i * stride];
    }
    return number;
}

enum {
    RANGE_BATCH = TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES,
    RANGE_FEWEST = 3 /* fewer are faster one by one */
};

/* Encrypts some numbers once, as words side by side. */
static void range_step_words(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                             uint64_t *numbers, size_t count)
{
    uint8_t words[RANGE_BATCH * TALLY_RANGE_LENGTH];
    uint8_t *rows[RANGE_BATCH];
    for (size_t i = 0; i < count; i++) {
        rows[i] = words + i * range->params.length;
        tally_range_write(range, numbers[i], rows[i], 1);
    }
    tally_fast_run_words(range->cipher, &range->params, range->direction, tweak, tweak_size, rows,
                         count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = tally_range_read(range, rows[i], 1);
    }
    tally_wipe(words, count * range->params.length);
}

/* Encrypts some numbers once, written straight to lanes; returns the bytes of lane_state in use. */
static size_t range_step_lanes(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                               uint64_t *numbers, size_t count)
{
    tally_fast_cipher *cipher = range->cipher;
    const tally_fast_lanes *lanes = cipher->pool->lanes;
    size_t length = range->params.length, groups = tally_fast_groups(lanes, length, count);
    size_t width = groups * lanes->width;
    for (size_t i = 0; i < count; i++) {
        range_write(range, numbers[i], cipher->lane_state + i, width);
    }
    for (size_t i = 0; i < length && count < width; i++) {
        memset(cipher->lane_state + i * width + count, 0, width - count);
    }
    tally_fast_run_lanes(cipher, &range->params, range->direction, tweak, tweak_size, groups, NULL);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = tally_range_read(range, cipher->lane_state + i, width);
    }
    return length * width;
}

void tally_range_walk(const tally_range *range, const uint8_t *tweak, size_t tweak_size,
                      const uint64_t *numbers, const uint16_t *rows, size_t count, uint64_t *out)
{
    const tally_fast_lanes *lanes = range->cipher->pool->lanes;
    size_t capacity = TALLY_FAST_GROUPS * lanes->width;
    uint64_t walking[RANGE_BATCH]; /* not below the size yet; new ones take free places */
    size_t place[RANGE_BATCH], left = 0, most = 0, used = 0;
    for (size_t next = 0; left > 0 || next < count;) {
        for (; left < capacity && next < count; next++, left++) {
            place[left] = rows != NULL ? rows[next] : next;
            walking[left] = tally_range_load(range, &numbers[place[left]]);
        }
        most = left > most ? left : most;
        if (left < RANGE_FEWEST) {
            range_step_words(range, tweak, tweak_size, walking, left);
        } else {
            size_t bytes = range_step_lanes(range, tweak, tweak_size, walking, left);
            used = bytes > used ? bytes : used;
        }
        size_t outside = 0;
        for (size_t i = 0; i < left; i++) {
            if (walking[i] <= range->last) {
                out[place[i]] = walking[i];
            } else {
                walking[outside] = walking[i];
                place[outside++] = place[i];
            }
        }
        left = outside;
    }
    tally_wipe(walking, most * sizeof *walking);
    tally_wipe(range->cipher->lane_state, used);
}

tally_status tally_fast_range_by(tally_fast_cipher *cipher, tally_direction direction,
                                 const tally_fast_params *params, uint64_t size,
                                 const uint8_t *tweak, size_t tweak_size, const uint64_t *numbers,
                                 size_t count, uint64_t *out)
{
    tally_range range;
    tally_status status = range_init(cipher, params, size, direction, &range);
    if (status != TALLY_OK) {
        return status;
    }
    int outside = 0;
    for (size_t i = 0; i < count; i++) {
        outside |= numbers[i] > range.last;
    }
    if (outside) {
        return TALLY_ERROR_SYMBOL;
    }
    tally_range_walk(&range, tweak, tweak_size, numbers, NULL, count, out);
    return TALLY_OK;
}

tally_status tally_fast_range(tally_fast_cipher *cipher, tally_direction direction, uint64_t size,
                              const uint8_t *tweak, size_t tweak_size, const uint64_t *numbers,
                              size_t count, uint64_t *out)
{
    tally_fast_params params;
    const tally_status status = tally_fast_range_params(size, &params);
    return status == TALLY_OK ? tally_fast_range_by(cipher, direction, &params, size, tweak,
                                                    tweak_size, numbers, count, out)
                              : status;
}

tally_status tally_fast_encrypt_range(tally_fast_cipher *cipher, uint64_t size,
                                      const uint8_t *tweak, size_t tweak_size,
                                      const uint64_t *numbers, size_t count, uint64_t *out)
{
    return tally_fast_range(cipher, TALLY_ENCRYPT, size, tweak, tweak_size, numbers, count, out);
}

tally_status tally_fast_decrypt_range(tally_fast_cipher *cipher, uint64_t size,
                                      const uint8_t *tweak, size_t tweak_size,
                                      const uint64_t *numbers, size_t count, uint64_t *out)
{
    return tally_fast_range(cipher, TALLY_DECRYPT, size, tweak, tweak_size, numbers, count, out);
}
