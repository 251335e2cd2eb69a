/* SPDX-License-Identifier: Apache-2.0
 *
 * FF3-1 and FF3: decryption of old data. In these the first symbol is the least significant one. The
 * key and all blocks are reversed, so that numbers are little-endian. */
#include "ff1/ff3_1.h"

#include <string.h>

#include "aes/backend.h"
#include "base/align.h"
#include "base/bytes.h"
#include "ff1/limbs.h"
#include "ff1/symbols.h"

enum {
    FF3_1_ROUNDS = 8,
    FF3_1_ROWS = 64, /* words at once */
    FF3_1_LIMBS = 3, /* of a number below 2^96 */
    FF3_1_HALF = 96  /* symbols of a half, at most */
};

struct tally_ff3_1 {
    tally_ff1 cipher; /* of the reversed key */
};

size_t tally_ff3_1_size(void)
{
    return sizeof(tally_ff3_1) + TALLY_ALIGNMENT - 1;
}

tally_status tally_ff3_1_init(uint32_t radix, const uint8_t *key, size_t key_size, void *memory,
                              size_t memory_size, tally_ff3_1 **out)
{
    uint8_t reversed[32];
    tally_ff1 *cipher = NULL;
    if (key_size > sizeof reversed) {
        return TALLY_ERROR_KEY_SIZE;
    }
    for (size_t i = 0; i < key_size; i++) {
        reversed[i] = key[key_size - 1 - i];
    }
    const tally_status status =
        tally_ff1_init(TALLY_FF1_2016, radix, reversed, key_size, memory, memory_size, &cipher);
    tally_wipe(reversed, sizeof reversed);
    if (status == TALLY_OK) {
        *out = (tally_ff3_1 *)(void *)cipher;
    }
    return status;
}

void tally_ff3_1_wipe(tally_ff3_1 *cipher)
{
    tally_ff1_wipe(&cipher->cipher);
}

uint32_t tally_ff3_1_min_length(size_t tweak_size, uint32_t radix)
{
    return tweak_size != TALLY_FF3_1_TWEAK && tweak_size != TALLY_FF3_TWEAK
               ? 0
               : tally_ff1_min_length(tweak_size == TALLY_FF3_1_TWEAK ? TALLY_FF1 : TALLY_FF1_2016,
                                      radix);
}

uint32_t tally_ff3_1_max_length(uint32_t radix)
{
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX) {
        return 0;
    }
    uint32_t half = 0;
    uint64_t high = UINT64_C(1) << 48,
             low = 0; /* 2^96 over powers of the radix: high * 2^48 + low */
    for (; (high | low) != 0; half++) {
        low |= high % radix << 48;
        high /= radix;
        low /= radix;
    }
    return 2 * (half - 1);
}

/* The halves of a tweak that rounds xor to numbers: of odd rounds, of even ones. */
static void ff3_1_tweaks(const uint8_t *tweak, size_t size, uint32_t out[2])
{
    out[1] = tally_load_be32(tweak);
    if (size == TALLY_FF3_TWEAK) {
        out[0] = tally_load_be32(tweak + 4);
    } else {
        out[0] = (uint32_t)tweak[4] << 24 | (uint32_t)tweak[5] << 16 | (uint32_t)tweak[6] << 8 |
                 (out[1] & 0x0f) << 4;
        out[1] &= UINT32_C(0xfffffff0);
    }
}

/* Symbols of a half in the other order. */
static void ff3_1_reverse(size_t symbol_size, const uint8_t *symbols, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(out + symbol_size * i, symbols + symbol_size * (count - 1 - i), symbol_size);
    }
}

/* A call. */
typedef struct ff3_1_job {
    tally_ff1_plan plan;
    tally_ff1_limbs limbs; /* for numbers that are not short */
    uint64_t limbs_memory[16];
} ff3_1_job;

/* Words at work. */
typedef struct ff3_1_state {
    uint32_t number[2][FF3_1_ROWS][FF3_1_LIMBS + 1];
    uint8_t blocks[FF3_1_ROWS][16];
    uint8_t symbols[2 * FF3_1_HALF];
    uint32_t tweaks[FF3_1_ROWS][2];
} ff3_1_state;

static uint64_t ff3_1_short(const uint32_t *number)
{
    return (uint64_t)number[1] << 32 | number[0];
}

static void ff3_1_set_short(uint32_t *number, uint64_t value)
{
    number[0] = (uint32_t)value;
    number[1] = (uint32_t)(value >> 32);
    number[2] = 0;
}

/* The number of the `size` bytes of symbols, most significant one first. */
static void ff3_1_read(ff3_1_job *job, uint32_t half, const uint8_t *symbols, uint32_t *number)
{
    const tally_ff1_plan *plan = &job->plan;
    if (!plan->is_short) {
        tally_ff1_limbs_read(&job->limbs, half, symbols, number);
        return;
    }
    ff3_1_set_short(number, tally_ff1_symbols_read(symbols, plan->half[half], plan->symbol_size,
                                                   plan->cipher->radix));
}

static void ff3_1_write(ff3_1_job *job, uint32_t half, uint32_t *number, uint8_t *symbols)
{
    const tally_ff1_plan *plan = &job->plan;
    if (!plan->is_short) {
        tally_ff1_limbs_write(&job->limbs, half, number, symbols);
        return;
    }
    tally_ff1_symbols_write(ff3_1_short(number), plan->half[half], plan->symbol_size, plan,
                            symbols);
}

/* Subtracts the number of a block, which is little-endian. */
static void ff3_1_subtract(ff3_1_job *job, uint32_t half, const uint8_t block[16], uint32_t *number)
{
    const tally_ff1_modulus *modulus = &job->plan.modulus[half];
    if (!job->plan.is_short) {
        for (size_t i = 0; i <= FF3_1_LIMBS; i++) {
            job->limbs.scratch[i] = tally_load_le32(block + 4 * i);
        }
        tally_ff1_limbs_add(&job->limbs, TALLY_DECRYPT, half, number);
        return;
    }
    if (modulus->mask != 0) {
        ff3_1_set_short(number, (ff3_1_short(number) - tally_load_le64(block)) & modulus->mask);
        return;
    }
    uint64_t y =
        tally_ff1_reduce_long(modulus, tally_load_le64(block + 8), tally_load_le32(block + 4));
    y = tally_ff1_reduce_next(modulus, tally_ff1_less(y, modulus->value), tally_load_le32(block));
    y = tally_ff1_less(y, modulus->value);
    ff3_1_set_short(number,
                    tally_ff1_less(ff3_1_short(number) + modulus->value - y, modulus->value));
}

static void ff3_1_run_batch(ff3_1_job *job, ff3_1_state *state, const uint8_t *const *in,
                            uint8_t *const *out, size_t count)
{
    const tally_ff1_plan *plan = &job->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t size = plan->symbol_size, second = size * plan->half[0];
    for (size_t i = 0; i < count; i++) {
        for (uint32_t half = 0; half < 2; half++) {
            ff3_1_reverse(size, in[i] + second * half, plan->half[half], state->symbols);
            ff3_1_read(job, half, state->symbols, state->number[half][i]);
        }
    }
    for (uint32_t round = FF3_1_ROUNDS; round-- > 0;) {
        const uint32_t half = round % 2;
        for (size_t i = 0; i < count; i++) {
            const uint32_t *from = state->number[1 - half][i];
            for (size_t limb = 0; limb < FF3_1_LIMBS; limb++) {
                tally_store_le32(from[limb], state->blocks[i] + 4 * limb);
            }
            tally_store_le32(state->tweaks[i][half] ^ round, state->blocks[i] + 12);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, state->blocks[0], count, state->blocks[0]);
        for (size_t i = 0; i < count; i++) {
            ff3_1_subtract(job, half, state->blocks[i], state->number[half][i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t half = 0; half < 2; half++) {
            ff3_1_write(job, half, state->number[half][i], state->symbols);
            ff3_1_reverse(size, state->symbols, plan->half[half], out[i] + second * half);
        }
    }
}

static tally_status ff3_1_check(const tally_ff3_1 *cipher, uint32_t length,
                                const tally_ff1_tweaks *tweaks, size_t count)
{
    for (size_t i = 0; i < (tweaks->rows == NULL ? 1 : count); i++) {
        const size_t size = tweaks->rows == NULL ? tweaks->common_size : tweaks->row_sizes[i];
        const uint32_t least = tally_ff3_1_min_length(size, cipher->cipher.radix);
        if (least == 0 || (tweaks->rows != NULL && tweaks->common_size != 0)) {
            return TALLY_ERROR_FF1_TWEAK_SIZE;
        }
        if (length < least || length > tally_ff3_1_max_length(cipher->cipher.radix)) {
            return TALLY_ERROR_FF1_LENGTH;
        }
    }
    return TALLY_OK;
}

/* Words anywhere, or side by side if `rows` is NULL. */
static void ff3_1_run(const tally_ff3_1 *cipher, uint32_t length, const tally_ff1_tweaks *tweaks,
                      uint8_t *const *rows, const uint8_t *from, uint8_t *to, size_t count)
{
    const uint8_t *in[FF3_1_ROWS];
    uint8_t *out[FF3_1_ROWS];
    ff3_1_job job;
    ff3_1_state state;
    tally_ff1_plan_halves(&cipher->cipher, length - length / 2, length / 2, &job.plan);
    job.plan.prf_size = 16; /* y is a block */
    if (!job.plan.is_short) {
        tally_ff1_limbs_init(&job.plan, job.limbs_memory, &job.limbs);
    }
    const size_t size = (size_t)length * job.plan.symbol_size;
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < FF3_1_ROWS ? count - first : FF3_1_ROWS;
        for (size_t i = 0; i < some; i++) {
            const size_t at = first + i;
            in[i] = rows == NULL ? from + size * at : rows[at];
            out[i] = rows == NULL ? to + size * at : rows[at];
            ff3_1_tweaks(tweaks->rows == NULL ? tweaks->common : tweaks->rows[at],
                         tweaks->rows == NULL ? tweaks->common_size : tweaks->row_sizes[at],
                         state.tweaks[i]);
        }
        ff3_1_run_batch(&job, &state, in, out, some);
    }
    tally_wipe(&state, sizeof state);
    tally_wipe(job.limbs_memory, sizeof job.limbs_memory);
}

tally_status tally_ff3_1_run(const tally_ff3_1 *cipher, uint32_t length,
                             const tally_ff1_tweaks *tweaks, uint8_t *const *words, size_t count)
{
    const tally_status status = ff3_1_check(cipher, length, tweaks, count);
    if (status == TALLY_OK && count > 0) {
        ff3_1_run(cipher, length, tweaks, words, NULL, NULL, count);
    }
    return status;
}

tally_status tally_ff3_1_words(const tally_ff3_1 *cipher, uint32_t length,
                               const tally_ff1_tweaks *tweaks, const void *words, size_t count,
                               void *out)
{
    const uint32_t radix = cipher->cipher.radix;
    const tally_status status = ff3_1_check(cipher, length, tweaks, count);
    if (status != TALLY_OK) {
        return status;
    }
    if (count > SIZE_MAX / length / (radix <= 256 ? 1 : 2)) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_ff1_all_below(radix, words, count * length)) {
        return TALLY_ERROR_FF1_SYMBOL;
    }
    if (count > 0) {
        ff3_1_run(cipher, length, tweaks, NULL, words, out, count);
    }
    return TALLY_OK;
}

tally_status tally_ff3_1_decrypt_words(const tally_ff3_1 *cipher, uint32_t length,
                                       const uint8_t *tweak, size_t tweak_size, const void *words,
                                       size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff3_1_words(cipher, length, &tweaks, words, count, out);
}
