/* SPDX-License-Identifier: Apache-2.0
 *
 * Fisher-Yates shuffles, their targets drawn by Lemire's method (docs/fast.md). */
#include "fast/shuffle.h"

#include <string.h>

#include "base/bytes.h"

void tally_fast_words_open(tally_fast_read *read, const void *source, tally_fast_words *out)
{
    out->read = read;
    out->source = source;
    out->block = 0;
    out->next = out->end = 0;
}

/* The next `count` words, at most 255; reads up to `wanted` if it must read. */
static const uint8_t *ahead(tally_fast_words *words, size_t count, size_t wanted)
{
    size_t left = words->end - words->next;
    if (left < 4 * count) {
        memmove(words->bytes, words->bytes + words->next, left);
        size_t size = (4 * wanted - left + 15) / 16 * 16;
        size_t room = (sizeof words->bytes - left) / 16 * 16;
        size = size < room ? size : room;
        words->read(words->source, words->block, size, words->bytes + left);
        words->block += size / 16;
        words->next = 0;
        words->end = left + size;
    }
    return words->bytes + words->next;
}

int tally_fast_targets(uint32_t radix, const uint8_t *words, uint8_t *targets)
{
    uint32_t least = UINT32_MAX, bound = radix;
    for (; bound > 2; bound -= 2, words += 8, targets += 2) {
        uint64_t both = tally_load_be64(words);
        uint64_t first = (both >> 32) * bound, second = (both & UINT32_MAX) * (bound - 1);
        least = (uint32_t)first < least ? (uint32_t)first : least;
        least = (uint32_t)second < least ? (uint32_t)second : least;
        targets[0] = (uint8_t)(first >> 32);
        targets[1] = (uint8_t)(second >> 32);
    }
    if (bound == 2) {
        *targets = words[0] >> 7; /* 2^32 is a multiple of 2: never drawn again */
    }
    return least >= radix;
}

/* 0..bound-1 without bias. A word drawn again was never used for anything. */
static uint8_t uniform(tally_fast_words *words, uint32_t bound)
{
    for (;;) {
        uint64_t product = (uint64_t)tally_load_be32(ahead(words, 1, 1)) * bound;
        uint32_t low = (uint32_t)product;
        words->next += 4;
        if (low >= bound || low >= (0 - bound) % bound) {
            return (uint8_t)(product >> 32);
        }
    }
}

void tally_fast_draw(uint32_t radix, size_t batches, tally_fast_words *words,
                     tally_fast_batch *batch)
{
    size_t swaps = radix - 1, wanted = batches * TALLY_FAST_TOGETHER * swaps;
    for (size_t k = 0; k < TALLY_FAST_TOGETHER; k++, wanted -= swaps) {
        if (tally_fast_targets(radix, ahead(words, swaps, wanted), batch->targets[k])) {
            words->next += 4 * swaps;
            continue;
        }
        for (uint32_t bound = radix; bound > 1; bound--) {
            batch->targets[k][radix - bound] = uniform(words, bound);
        }
    }
}

void tally_fast_swap(uint32_t radix, tally_fast_batch *batch)
{
    for (uint32_t i = 0; i < radix; i++) {
        batch->sboxes[0][i] = (uint8_t)i;
    }
    for (size_t k = 1; k < TALLY_FAST_TOGETHER; k++) {
        tally_fast_copy16(batch->sboxes[0], radix, batch->sboxes[k]);
    }
    for (uint32_t i = radix - 1; i > 0; i--) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
        for (size_t k = 0; k < TALLY_FAST_TOGETHER; k++) {
            uint8_t *other = batch->sboxes[k] + batch->targets[k][radix - 1 - i];
            uint8_t value = *other;
            *other = batch->sboxes[k][i];
            batch->sboxes[k][i] = value;
            batch->inverses[k][value] = (uint8_t)i;
        }
    }
    for (size_t k = 0; k < TALLY_FAST_TOGETHER; k++) {
        batch->inverses[k][batch->sboxes[k][0]] = 0;
    }
}
