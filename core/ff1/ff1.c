/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1: the common part of a call, tweaks, and the batches of words. */
#include "ff1/ff1.h"

#include <string.h>

#include "aes/backend.h"
#include "base/align.h"
#include "base/allocator.h"
#include "base/below.h"
#include "base/bytes.h"
#include "ff1/lanes.h"
#include "ff1/limbs.h"

enum { FF1_STACK = 8192 /* bytes for long words; longer ones take memory */ };

size_t tally_ff1_size(void)
{
    return sizeof(tally_ff1) + TALLY_ALIGNMENT - 1;
}

tally_status tally_ff1_init(tally_ff1_profile profile, uint32_t radix, const uint8_t *key,
                            size_t key_size, void *memory, size_t memory_size, tally_ff1 **out)
{
    if (profile != TALLY_FF1 && profile != TALLY_FF1_2016) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (radix < TALLY_FF1_MIN_RADIX || radix > TALLY_FF1_MAX_RADIX) {
        return TALLY_ERROR_FF1_RADIX;
    }
    if (memory_size < tally_ff1_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_ff1 *cipher = tally_align(memory);
    const tally_status status = tally_aes_key_init(key, key_size, &cipher->aes);
    if (status != TALLY_OK) {
        return status;
    }
    cipher->lanes = tally_ff1_lanes_choose();
    cipher->radix = radix;
    cipher->profile = profile;
    *out = cipher;
    return TALLY_OK;
}

void tally_ff1_wipe(tally_ff1 *cipher)
{
    tally_wipe(cipher, sizeof *cipher);
}

/* The encryption of the first block for one size of tweak, and the blocks of the common part behind
 * it. Words that follow each other mostly have tweaks of one size. */
typedef struct ff1_common {
    uint64_t tweak_size; /* UINT64_MAX: none yet */
    uint64_t blocks;     /* of the common part, at most those before the number's */
    uint64_t before;     /* all blocks before the number's */
    uint8_t chain[1][16];
    uint64_t ended[2]; /* the chain, xored with the end of the common part: little-endian */
} ff1_common;

static size_t ff1_row_size(const tally_ff1_tweaks *tweaks, size_t word)
{
    return tweaks->rows == NULL ? 0 : tweaks->row_sizes[word];
}

/* Xors bytes at .. at + 15 of a tweak, and zeros behind it, to a block. */
static void ff1_xor_tweak(const tally_ff1_tweaks *tweaks, size_t word, uint64_t at,
                          uint8_t block[16])
{
    const uint64_t common = tweaks->common_size, all = common + ff1_row_size(tweaks, word);
    const uint64_t end = at + 16 < all ? at + 16 : all;
    size_t i = 0;
    for (; at < end && at < common; at++) {
        block[i++] ^= tweaks->common[at];
    }
    const uint8_t *row = tweaks->rows == NULL ? NULL : tweaks->rows[word];
    for (; row != NULL && at < end; at++) {
        block[i++] ^= row[at - common];
    }
}

static void ff1_set_common(const tally_ff1_plan *plan, const tally_ff1_tweaks *tweaks,
                           uint64_t tweak_size, ff1_common *out)
{
    if (out->tweak_size == tweak_size) {
        return;
    }
    const tally_aes_key *aes = &plan->cipher->aes;
    const uint64_t before = tally_ff1_tweak_blocks(plan, tweak_size),
                   whole = tweaks->common_size / 16;
    uint8_t first[16];
    const uint8_t *message = first;
    tally_ff1_first_block(plan, tweak_size, first);
    memset(out->chain, 0, 16);
    aes->backend->cbc_mac(aes, 1, &message, 1, out->chain);
    out->tweak_size = tweak_size;
    out->blocks = before < whole ? before : whole;
    out->before = before;
    if (out->blocks > 0) {
        aes->backend->cbc_mac(aes, 1, &tweaks->common, (size_t)out->blocks, out->chain);
    }
    const tally_ff1_tweaks common = {.common = tweaks->common, .common_size = tweaks->common_size};
    uint8_t ended[16];
    memcpy(ended, out->chain, 16);
    ff1_xor_tweak(&common, 0, 16 * out->blocks, ended);
    out->ended[0] = tally_load_le64(ended);
    out->ended[1] = tally_load_le64(ended + 8);
    tally_wipe(ended, sizeof ended);
}

/* Up to eight bytes as a little-endian number, without reading beyond them. */
static uint64_t ff1_load_up_to_8(const uint8_t *bytes, size_t size)
{
    if (size >= 8) {
        return tally_load_le64(bytes);
    }
    if (size >= 4) {
        return tally_load_le32(bytes) | (uint64_t)tally_load_le32(bytes + size - 4)
                                            << 8 * (size - 4);
    }
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number |= (uint64_t)bytes[i] << 8 * i;
    }
    return number;
}

/* The base of a word whose tweak ends in the block in which the common part ends. */
static void ff1_end_base(const ff1_common *common, size_t common_size, const uint8_t *row,
                         size_t size, uint8_t base[16])
{
    uint64_t low = ff1_load_up_to_8(row, size),
             high = size > 8 ? ff1_load_up_to_8(row + 8, size - 8) : 0;
    const size_t bits = 8 * (common_size % 8);
    if (bits != 0) {
        high = high << bits | low >> (64 - bits);
        low <<= bits;
    }
    if (common_size % 16 >= 8) {
        high = low;
        low = 0;
    }
    tally_store_le64(common->ended[0] ^ low, base);
    tally_store_le64(common->ended[1] ^ high, base + 8);
}

/* The bases of words first .. first + count - 1: their chains before the blocks of a number, xored
 * with the end of the tweak. */
static void ff1_set_bases(const tally_ff1_plan *plan, const tally_ff1_tweaks *tweaks, size_t first,
                          size_t count, ff1_common *common, uint8_t (*bases)[16])
{
    const tally_aes_key *aes = &plan->cipher->aes;
    uint8_t blocks[TALLY_FF1_ROWS][16];
    uint64_t begun[TALLY_FF1_ROWS], before[TALLY_FF1_ROWS];
    size_t waiting[TALLY_FF1_ROWS], left = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t size = (uint64_t)tweaks->common_size + ff1_row_size(tweaks, first + i);
        ff1_set_common(plan, tweaks, size, common);
        if (common->blocks == common->before && tweaks->rows != NULL) {
            ff1_end_base(common, tweaks->common_size, tweaks->rows[first + i],
                         tweaks->row_sizes[first + i], bases[i]);
            continue;
        }
        memcpy(bases[i], common->chain, 16);
        begun[i] = common->blocks;
        before[i] = common->before;
        ff1_xor_tweak(tweaks, first + i, 16 * begun[i], bases[i]);
        if (begun[i] < before[i]) {
            waiting[left++] = i;
        }
    }
    while (left > 0) { /* one block of each tweak that has more */
        size_t next = 0;
        for (size_t k = 0; k < left; k++) {
            memcpy(blocks[k], bases[waiting[k]], 16);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, blocks[0], left, blocks[0]);
        for (size_t k = 0; k < left; k++) {
            const size_t i = waiting[k];
            begun[i]++;
            ff1_xor_tweak(tweaks, first + i, 16 * begun[i], blocks[k]);
            memcpy(bases[i], blocks[k], 16);
            if (begun[i] < before[i]) {
                waiting[next++] = i;
            }
        }
        left = next;
    }
    tally_wipe(blocks, 16 * (count < TALLY_FF1_ROWS ? count : TALLY_FF1_ROWS));
}

static tally_status ff1_check_tweaks(const tally_ff1_tweaks *tweaks, size_t count)
{
    const uint64_t most = UINT32_MAX;
    if (tweaks->common_size > most) {
        return TALLY_ERROR_FF1_TWEAK_SIZE;
    }
    for (size_t i = 0; tweaks->rows != NULL && i < count; i++) {
        if (tweaks->row_sizes[i] > most - tweaks->common_size) {
            return TALLY_ERROR_FF1_TWEAK_SIZE;
        }
    }
    return TALLY_OK;
}

/* Where words come from and go to: pointers, or side by side if those are NULL. */
typedef struct ff1_words {
    uint8_t *const *rows;
    const uint8_t *from;
    uint8_t *to;
    size_t size; /* bytes of a word */
} ff1_words;

/* The words of a plan, by batches. */
static tally_status ff1_run(const tally_ff1_plan *plan, tally_direction direction,
                            const tally_ff1_tweaks *tweaks, const ff1_words *words, size_t count,
                            const tally_allocator *allocator)
{
    const uint8_t *in[TALLY_FF1_ROWS];
    uint8_t *out[TALLY_FF1_ROWS], bases[TALLY_FF1_ROWS][16];
    _Alignas(8) uint8_t stack[FF1_STACK];
    void *memory = stack;
    size_t most = TALLY_FF1_ROWS, size = 0;
    tally_ff1_limbs limbs;
    ff1_common common = {.tweak_size = UINT64_MAX};
    if (!plan->is_short) {
        most = count < TALLY_FF1_LIMBS_WORDS ? count : TALLY_FF1_LIMBS_WORDS;
        while (most > 1 && tally_ff1_limbs_size(plan, most) > sizeof stack) {
            most /= 2;
        }
        size = tally_ff1_limbs_size(plan, most);
        if (size > sizeof stack) {
            memory = tally_allocate(allocator, size);
            if (memory == NULL) {
                return TALLY_ERROR_MEMORY;
            }
        }
        tally_ff1_limbs_init(plan, memory, &limbs);
    }
    const int is_common = tweaks->rows == NULL;
    if (is_common) {
        ff1_set_bases(plan, tweaks, 0, 1, &common, bases);
    }
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < most ? count - first : most;
        for (size_t i = 0; i < some; i++) {
            const size_t at = (first + i) * words->size;
            in[i] = words->rows == NULL ? words->from + at : words->rows[first + i];
            out[i] = words->rows == NULL ? words->to + at : words->rows[first + i];
        }
        if (!is_common) {
            ff1_set_bases(plan, tweaks, first, some, &common, bases);
        }
        if (plan->is_short) {
            const tally_ff1_batch batch = {.plan = plan,
                                           .direction = direction,
                                           .bases = (const uint8_t(*)[16])bases,
                                           .base_step = is_common ? 0 : 1,
                                           .in = in,
                                           .out = out,
                                           .count = some};
            plan->cipher->lanes->run(&batch);
        } else {
            tally_ff1_limbs_run(&limbs, direction, (const uint8_t(*)[16])bases, is_common ? 0 : 1,
                                in, out, some);
        }
    }
    tally_wipe(&common, sizeof common);
    tally_wipe(bases, sizeof bases);
    tally_wipe(memory, size);
    if (memory != stack) {
        tally_release(allocator, memory, size);
    }
    return TALLY_OK;
}

tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                           const tally_ff1_tweaks *tweaks, uint8_t *const *words, size_t count,
                           const tally_allocator *allocator)
{
    tally_ff1_plan plan;
    tally_status status = tally_ff1_make_plan(cipher, length, &plan);
    if (status == TALLY_OK) {
        status = ff1_check_tweaks(tweaks, count);
    }
    const ff1_words rows = {.rows = words};
    return status != TALLY_OK || count == 0
               ? status
               : ff1_run(&plan, direction, tweaks, &rows, count, allocator);
}

static int ff1_lanes_plan(const tally_ff1 *cipher, uint32_t length, tally_ff1_plan *out)
{
    return cipher->lanes->takes_lanes != NULL &&
           tally_ff1_make_plan(cipher, length, out) == TALLY_OK && out->is_short &&
           cipher->lanes->takes_lanes(out);
}

int tally_ff1_takes_lanes(const tally_ff1 *cipher, uint32_t length)
{
    tally_ff1_plan plan;
    return ff1_lanes_plan(cipher, length, &plan);
}

int tally_ff1_run_lanes(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                        const uint8_t *tweak, size_t tweak_size, uint8_t *lanes, size_t stride,
                        size_t count)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    tally_ff1_plan plan;
    uint8_t base[1][16];
    ff1_common common = {.tweak_size = UINT64_MAX};
    if (!ff1_lanes_plan(cipher, length, &plan) || ff1_check_tweaks(&tweaks, 0) != TALLY_OK) {
        return 0;
    }
    ff1_set_bases(&plan, &tweaks, 0, 1, &common, base);
    for (size_t first = 0; first < count; first += TALLY_FF1_ROWS) {
        const tally_ff1_batch batch = {.plan = &plan,
                                       .direction = direction,
                                       .bases = (const uint8_t(*)[16])base,
                                       .count = TALLY_FF1_ROWS,
                                       .lanes = lanes + first,
                                       .stride = stride};
        cipher->lanes->run(&batch);
    }
    tally_wipe(&common, sizeof common);
    tally_wipe(base, sizeof base);
    return 1;
}

int tally_ff1_all_below(uint32_t radix, const uint8_t *symbols, size_t count)
{
    if (radix <= 256) {
        return tally_all_below(radix, symbols, count);
    }
    uint32_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t symbol;
        memcpy(&symbol, symbols + 2 * i, 2);
        outside |= radix - 1 - symbol; /* its top bit */
    }
    return outside >> 31 == 0;
}

tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                             const tally_ff1_tweaks *tweaks, const void *words, size_t count,
                             void *out)
{
    tally_ff1_plan plan;
    tally_status status = tally_ff1_make_plan(cipher, length, &plan);
    if (status == TALLY_OK) {
        status = ff1_check_tweaks(tweaks, count);
    }
    if (status != TALLY_OK) {
        return status;
    }
    const size_t size = (size_t)length * plan.symbol_size;
    if (count > SIZE_MAX / size) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (count == 0) {
        return TALLY_OK;
    }
    if (!tally_ff1_all_below(cipher->radix, words, count * length)) {
        return TALLY_ERROR_FF1_SYMBOL;
    }
    const ff1_words side_by_side = {.from = words, .to = out, .size = size};
    return ff1_run(&plan, direction, tweaks, &side_by_side, count, NULL);
}

tally_status tally_ff1_encrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                                     size_t tweak_size, const void *words, size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff1_words(cipher, TALLY_ENCRYPT, length, &tweaks, words, count, out);
}

tally_status tally_ff1_decrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                                     size_t tweak_size, const void *words, size_t count, void *out)
{
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = tweak_size};
    return tally_ff1_words(cipher, TALLY_DECRYPT, length, &tweaks, words, count, out);
}
