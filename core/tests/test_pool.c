/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool of FAST: shuffles beside a plain one, with words that must be drawn again at chosen
 * places, and the tables that are made of them. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "check.h"
#include "fast/schedule/pool.h"
#include "fast/schedule/shuffle.h"
#include "fast_instance.h"
#include "random.h"

enum { WORDS = 2 * 256 * 255 };

static const uint64_t TWO_32 = UINT64_C(1) << 32;

/* A source that is held as a whole, and how many blocks of it were read. */
typedef struct tape {
    uint8_t bytes[4 * WORDS];
    size_t words;
    uint64_t blocks;
} tape;

static tape source;

static void read_tape(const void *from, uint64_t first, size_t size, uint8_t *out)
{
    const tape *t = from;
    CHECK_EQUAL(size % 16, 0);
    CHECK_EQUAL(first, t->blocks); /* in order, nothing twice */
    CHECK(16 * first + size <= sizeof t->bytes);
    memcpy(out, t->bytes + 16 * first, size);
    source.blocks = first + size / 16;
}

/* uniform(bound) of docs/reference/fast.md, to the letter, which writes its words itself: `often`
 * in 1000 are such that the lower half of the product is below the bound, where words are drawn
 * again or just not. Counts those that are. */
static uint32_t reference_uniform(uint32_t bound, uint32_t often, size_t *again)
{
    for (;;) {
        uint64_t word = (uint32_t)random_u64();
        if (random_below(1000) < often) {
            word = (((uint64_t)random_below(bound) << 32) + bound - 1) / bound;
        }
        tally_store_be32((uint32_t)word, source.bytes + 4 * source.words++);
        uint64_t product = (word & UINT32_MAX) * bound;
        if (product % TWO_32 >= (TWO_32 - bound) % bound) {
            return (uint32_t)(product >> 32);
        }
        ++*again;
    }
}

/* Returns how many words were drawn again. */
static size_t check_shuffle(const tally_fast_shuffle *shuffle, uint32_t radix, uint32_t often)
{
    static uint8_t expected[TALLY_FAST_POOL_SIZE][256];
    size_t again = 0;
    source.words = 0;
    source.blocks = 0;
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
        uint8_t *sbox = expected[k];
        for (uint32_t i = 0; i < radix; i++) {
            sbox[i] = (uint8_t)i;
        }
        for (uint32_t i = radix - 1; i > 0; i--) {
            uint32_t j = reference_uniform(i + 1, often, &again);
            uint8_t swapped = sbox[i];
            sbox[i] = sbox[j];
            sbox[j] = swapped;
        }
    }

    static tally_fast_shuffle_words words;
    static tally_fast_shuffle_batch batch;
    static uint8_t made[2][TALLY_FAST_SHUFFLE_MAX_BATCH * 256 + 16];
    size_t together = shuffle->batch_size(radix), stride = (radix + 15) / 16 * 16;
    CHECK(together * stride <= TALLY_FAST_SHUFFLE_MAX_BYTES);
    tally_fast_shuffle_words_init(read_tape, &source, &words);
    tally_fast_shuffle_batch_init(radix, &batch);
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k += together) {
        tally_fast_shuffle_draw(shuffle, radix, together, TALLY_FAST_POOL_SIZE - k - together,
                                &words, &batch);
        memset(made, 0xee, sizeof made);
        shuffle->swap(radix, batch.targets, stride, made[0], made[1]);
        for (size_t at = 0; at < together; at++) {
            size_t wrong = 0;
            CHECK_BYTES(made[0] + at * stride, expected[k + at], radix);
            for (uint32_t i = 0; i < radix; i++) {
                wrong += made[1][at * stride + expected[k + at][i]] != i;
            }
            CHECK_EQUAL(wrong, 0);
        }
        CHECK_EQUAL(made[0][together * stride], 0xee); /* nothing behind them is written */
        CHECK_EQUAL(made[1][together * stride], 0xee);
    }
    CHECK_EQUAL(source.blocks, (source.words + 3) / 4); /* no more is read than is needed */
    return again;
}

static void test_shuffles(const tally_fast_shuffle *shuffle)
{
    for (uint32_t radix = 4; radix <= 256; radix++) {
        CHECK_ABOUT("shuffle, radix %u", (unsigned)radix);
        check_shuffle(shuffle, radix, 0);
        CHECK(check_shuffle(shuffle, radix, 1 + 1000 / radix) > 0);
    }
    /* Runs of them, in every S-box. */
    static const uint32_t radices[] = {4, 5, 10, 43, 44, 62, 63, 64, 80, 81, 255, 256};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        CHECK_ABOUT("shuffle, radix %u, many again", (unsigned)radices[i]);
        CHECK(check_shuffle(shuffle, radices[i], 300) > 10);
    }
}

/* A rejected word is found at any place in some S-boxes. */
static void test_places(const tally_fast_shuffle *shuffle)
{
    for (uint32_t radix = 4; radix <= 256; radix++) {
        CHECK_ABOUT("targets, radix %u", (unsigned)radix);
        static tally_fast_shuffle_batch batch;
        static uint8_t words[4 * 8 * 255];
        uint32_t swaps = radix - 1;
        size_t counts[] = {(size_t)8 * swaps, swaps}; /* the latter for legacy */
        tally_fast_shuffle_batch_init(radix, &batch);
        memset(words, 0x55, sizeof words);
        for (size_t n = 0; n < 2; n++) {
            size_t count = counts[n];
            if (count < 16) {
                continue;
            }
            memset(batch.targets, 0xee, sizeof batch.targets);
            CHECK(shuffle->targets(radix, batch.bounds, words, count, batch.targets));
            for (uint32_t i = 0; i < count; i++) {
                CHECK_EQUAL(batch.targets[i], (uint64_t)0x55555555 * (radix - i % swaps) >> 32);
            }
            CHECK_EQUAL(batch.targets[count], 0xee);
            for (uint32_t i = 0; i < count; i += 1 + (i < count - 32) * (uint32_t)count / 256) {
                /* The lower half of the product is below the radix, if only just. */
                uint32_t bound = radix - i % swaps;
                if (bound == 2) {
                    continue; /* 2^32 is a multiple of it: never */
                }
                tally_store_be32(0, words + 4 * i);
                CHECK(!shuffle->targets(radix, batch.bounds, words, count, batch.targets));
                tally_store_be32((uint32_t)((TWO_32 + bound - 1) / bound), words + 4 * i);
                CHECK(!shuffle->targets(radix, batch.bounds, words, count, batch.targets));
                memset(words + 4 * i, 0x55, 4);
            }
        }
    }
}

/* The tables of a pool: permutations and their inverses; the expanded ones at every sum and
 * difference. */
static void test_tables(void)
{
    for (uint32_t radix = 4; radix <= 256; radix++) {
        CHECK_ABOUT("tables, radix %u", (unsigned)radix);
        uint8_t key[16];
        random_bytes(key, sizeof key);
        instance made = instance_make(TALLY_FAST, radix, key, sizeof key, 1);
        const tally_fast_pool *pool = made.pool;
        int32_t a = (int32_t)radix, more = radix <= TALLY_FAST_MAX_EXPANDED ? a - 1 : 0;
        for (size_t k = 0; k < TALLY_FAST_POOL_SIZE; k++) {
            const uint8_t *forward = pool->tables[TALLY_ENCRYPT] + k * pool->stride;
            const uint8_t *inverse = pool->tables[TALLY_DECRYPT] + k * pool->stride;
            int wrong = 0;
            for (int32_t i = -more; i < a + more; i++) {
                wrong += forward[i] >= radix || inverse[forward[i]] != (i + a) % a;
            }
            for (int32_t i = 0; i < a + more; i++) {
                wrong += inverse[i] != inverse[i % a];
            }
            CHECK_EQUAL(wrong, 0);
        }
        instance_dispose(&made);
    }
}

/* A pool that was wiped leaves no byte. */
static void test_wipe(void)
{
    static const uint32_t radices[] = {4, 10, 62, 256};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        const size_t size = tally_fast_pool_size(radices[i]);
        uint8_t key[16], *memory = calloc(1, size);
        tally_fast_pool *pool;
        size_t left = 0;
        CHECK_ABOUT("wipe, radix %u", (unsigned)radices[i]);
        random_bytes(key, sizeof key);
        CHECK_EQUAL(
            tally_fast_pool_init(TALLY_FAST, radices[i], key, sizeof key, memory, size, &pool),
            TALLY_OK);
        tally_fast_pool_wipe(pool);
        for (size_t at = 0; at < size; at++) {
            left += memory[at] != 0;
        }
        CHECK_EQUAL(left, 0);
        free(memory);
    }
}

int main(void)
{
    const tally_fast_shuffle *tested = NULL;
    uint32_t last = UINT32_MAX;
    static const uint32_t levels[] = {UINT32_MAX, ~(uint32_t)TALLY_CPU_AVX512VBMI, 0};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (tally_cpu_lower(levels[i]) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        const tally_fast_shuffle *shuffle = tally_fast_shuffle_choose();
        if (shuffle != tested) {
            test_shuffles(shuffle);
            test_places(shuffle);
        }
        tested = shuffle;
        test_tables();
        test_wipe();
    }
    tally_cpu_lower(UINT32_MAX);
    return check_end("pool");
}
