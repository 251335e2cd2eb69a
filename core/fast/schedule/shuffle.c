/* SPDX-License-Identifier: Apache-2.0
 *
 * Fisher-Yates shuffles, whose targets are drawn by Lemire's method (docs/reference/fast.md). The
 * swaps read and write at secret indices: see docs/explanation/side-channels.md. */
#include "fast/schedule/shuffle.h"

#include <string.h>

#include "base/arch.h"
#include "base/barrier.h"
#include "base/bytes.h"
#include "tallystick/base.h"

enum { SHUFFLE_BATCH = 8 };

#if defined(__GNUC__) && !defined(__clang__)
#define SHUFFLE_UNROLL _Pragma("GCC unroll 8")
#else
#define SHUFFLE_UNROLL
#endif

void tally_fast_shuffle_words_init(tally_fast_shuffle_read *read, const void *source,
                                   tally_fast_shuffle_words *out)
{
    out->read = read;
    out->source = source;
    out->block = 0;
    out->next = out->end = 0;
}

/* Returns the next `count` words, at most TALLY_FAST_SHUFFLE_WORDS. If it must read, it reads
 * `wanted` words or as many as the buffer takes. */
static const uint8_t *shuffle_peek(tally_fast_shuffle_words *words, size_t count, size_t wanted)
{
    size_t left = words->end - words->next;
    if (left < 4 * count) {
        memmove(words->bytes, words->bytes + words->next, left);
        size_t size = (4 * wanted - left + 15) / 16 * 16;
        size_t capacity = (sizeof words->bytes - left) / 16 * 16;
        size = size < capacity ? size : capacity;
        words->read(words->source, words->block, size, words->bytes + left);
        words->block += size / 16;
        words->next = 0;
        words->end = left + size;
    }
    return words->bytes + words->next;
}

void tally_fast_shuffle_batch_init(uint32_t radix, tally_fast_shuffle_batch *out)
{
    uint32_t bound = radix;
    for (size_t i = 0; i < radix + 31; i++) {
        out->bounds[i] = bound;
        bound = bound == 2 ? radix : bound - 1;
    }
}

/* Returns 0..bound-1 without bias. A rejected word is not used for anything. */
static uint8_t shuffle_uniform(tally_fast_shuffle_words *words, uint32_t bound)
{
    for (;;) {
        uint64_t product = (uint64_t)tally_load_be32(shuffle_peek(words, 1, 1)) * bound;
        uint32_t low = (uint32_t)product;
        words->next += 4;
        if (low >= bound || low >= (0 - bound) % bound) {
            return (uint8_t)(product >> 32);
        }
    }
}

/* Draws targets one by one: any word may be rejected. */
static void shuffle_draw_one_by_one(uint32_t radix, size_t count, tally_fast_shuffle_words *words,
                                    uint8_t *targets)
{
    for (size_t k = 0; k < count; k++) {
        for (uint32_t bound = radix; bound > 1; bound--) {
            *targets++ = shuffle_uniform(words, bound);
        }
    }
}

void tally_fast_shuffle_draw(const tally_fast_shuffle *shuffle, uint32_t radix, size_t count,
                             size_t more, tally_fast_shuffle_words *words,
                             tally_fast_shuffle_batch *batch)
{
    size_t swaps = radix - 1, most = TALLY_FAST_SHUFFLE_WORDS / swaps;
    uint8_t *targets = batch->targets;
    for (size_t left = count; left > 0;) {
        size_t part = left < most ? left : most, draws = part * swaps;
        const uint8_t *next = shuffle_peek(words, draws, (left + more) * swaps);
        if (shuffle->targets(radix, batch->bounds, next, draws, targets)) {
            words->next += 4 * draws;
        } else {
            shuffle_draw_one_by_one(radix, part, words, targets);
        }
        left -= part;
        targets += draws;
    }
}

static size_t shuffle_batch_size(uint32_t radix)
{
    (void)radix;
    return SHUFFLE_BATCH;
}

static int shuffle_targets(uint32_t radix, const uint32_t *bounds, const uint8_t *words,
                           size_t count, uint8_t *targets)
{
    (void)bounds;
    uint32_t least = UINT32_MAX;
    for (size_t left = count; left > 0; left -= radix - 1) {
        uint32_t bound = radix;
        for (; bound > 2; bound -= 2, words += 8, targets += 2) {
            uint64_t both = tally_load_be64(words);
            uint64_t first = (both >> 32) * bound, second = (both & UINT32_MAX) * (bound - 1);
            least = (uint32_t)first < least ? (uint32_t)first : least;
            least = (uint32_t)second < least ? (uint32_t)second : least;
            targets[0] = (uint8_t)(first >> 32);
            targets[1] = (uint8_t)(second >> 32);
        }
        if (bound == 2) {
            *targets++ = words[0] >> 7; /* 2^32 is a multiple of 2: never rejected */
            words += 4;
        }
    }
    return least >= radix;
}

static inline void shuffle_swap_one(uint64_t j, uint32_t i, uint32_t n, uint8_t *inverse)
{
    uint8_t *here = inverse + i, *other = inverse + j;
    here[n] = *other;
    *other = (uint8_t)(i + n);
}

/* Does swaps i to i + 7, whose targets lie in reverse. The barriers make compilers take two targets
 * with each shift, and keep the eight sums out of registers, which are too few. */
static inline void shuffle_swap_eight(const uint8_t *targets, uint32_t i, uint8_t *inverse)
{
    uint64_t eight = tally_load_be64(targets);
    i = (uint32_t)tally_barrier(i);
    SHUFFLE_UNROLL
    for (uint32_t n = 0; n < 8; n += 2) {
        shuffle_swap_one(eight & 255, i, n, inverse);
        shuffle_swap_one(eight >> 8 & 255, i, n + 1, inverse);
        eight = tally_barrier(eight >> 16);
    }
}

/* Does swaps 1, 2, .. a-1 on the inverses: I[i] = I[j], I[j] = i. No entry has to be written
 * before. Swaps of one S-box wait for each other's stores, so those of eight S-boxes are
 * interleaved. An S-box is then the inverse of its inverse. */
static void shuffle_swap(uint32_t radix, const uint8_t *targets, size_t stride, uint8_t *sboxes,
                         uint8_t *inverses)
{
    const size_t swaps = radix - 1;
    for (size_t k = 0; k < SHUFFLE_BATCH; k++) {
        inverses[k * stride] = 0;
    }
    uint32_t i = 1;
    for (; i + 8 <= radix; i += 8) {
        for (size_t k = 0; k < SHUFFLE_BATCH; k++) {
            shuffle_swap_eight(targets + (k + 1) * swaps - i - 7, i, inverses + k * stride);
        }
    }
    for (; i < radix; i++) {
        for (size_t k = 0; k < SHUFFLE_BATCH; k++) {
            shuffle_swap_one(targets[(k + 1) * swaps - i], i, 0, inverses + k * stride);
        }
    }
    for (size_t k = 0; k < SHUFFLE_BATCH; k++, sboxes += stride, inverses += stride) {
        for (i = 0; i + 8 <= radix; i += 8) {
            uint64_t eight = tally_load_be64(inverses + i);
            SHUFFLE_UNROLL
            for (uint32_t n = 8; n > 0; n -= 2) {
                sboxes[eight & 255] = (uint8_t)(i + n - 1);
                sboxes[eight >> 8 & 255] = (uint8_t)(i + n - 2);
                eight = tally_barrier(eight >> 16);
            }
        }
        for (; i < radix; i++) {
            sboxes[inverses[i]] = (uint8_t)i;
        }
    }
}

const tally_fast_shuffle tally_fast_shuffle_portable = {
    .backend = {"portable", 0},
    .batch_size = shuffle_batch_size,
    .targets = shuffle_targets,
    .swap = shuffle_swap,
};

/* The fastest first. */
static const tally_backend *const shuffle_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_fast_shuffle_avx512.backend,
    &tally_fast_shuffle_avx2.backend,
#endif
    &tally_fast_shuffle_portable.backend,
};

const tally_fast_shuffle *tally_fast_shuffle_choose(void)
{
    return (const tally_fast_shuffle *)tally_dispatch(
        shuffle_backends, sizeof shuffle_backends / sizeof *shuffle_backends);
}
