/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes against the one-word code: every back end that this machine has, every radix and number of
 * groups, one sequence or one per group, any parameters, full and partial batches, every lane. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "fast/lanes/lanes.h"
#include "fast/lanes/transpose.h"
#include "fast/schedule/pool.h"
#include "fast/schedule/sequence.h"
#include "fast/words/layers.h"
#include "fast_instance.h"
#include "random.h"
#include "tallystick/base.h"

enum { SHORT = 40, MAX_LENGTH = 300, MAX_WORDS = 700, FEW = 4 };

/* The CPU features that choose each back end. */
static const uint32_t levels[] = {UINT32_MAX, TALLY_CPU_AVX2, 0};

/* A length of 2, for which w is 0, in one case of eight, and a long one in another. */
static uint32_t random_length(void)
{
    switch (random_below(8)) {
    case 0:
        return 2;
    case 1:
        return 2 + random_below(MAX_LENGTH - 1);
    default:
        return 2 + random_below(SHORT - 1);
    }
}

/* Recommended, or any that there may be. */
static tally_fast_params random_params(tally_fast_profile profile, uint32_t radix)
{
    uint32_t length = random_length();
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_recommended(profile, radix, length, &params), TALLY_OK);
    if (profile == TALLY_FAST && random_below(2) == 0) {
        params.w = random_below(length - 1);
        params.w_prime = 1 + random_below(length - 1);
        /* In one of four cases so many that layers.c does them in two parts. */
        params.layers = length * (random_below(4) == 0 ? 720 / length + 1 : 1 + random_below(12));
    }
    return params;
}

/* One job in both directions; `per_group`: every group has its own sequence. */
static void test_job(const tally_fast_pool *pool, size_t groups, int per_group)
{
    static uint8_t indices[TALLY_FAST_GROUPS * TALLY_FAST_CACHE_LAYERS];
    const tally_fast_lanes *lanes = pool->lanes;
    tally_fast_params params = random_params(TALLY_FAST, pool->radix);
    if (params.layers > TALLY_FAST_CACHE_LAYERS) { /* a window of them */
        params.layers = TALLY_FAST_CACHE_LAYERS / params.length * params.length;
    }
    size_t width = groups * lanes->width, size = width * params.length;
    uint8_t *memory = malloc(size + 63), *plain = malloc(size);
    uint8_t *state = memory + (-(uintptr_t)memory & 63); /* Windows has no aligned_alloc */
    random_bytes(indices, sizeof indices);
    for (size_t i = 0; i < size; i++) {
        state[i] = plain[i] = (uint8_t)random_below(pool->radix);
    }
    tally_fast_lane_job job = {.tables = pool->lane_tables[TALLY_ENCRYPT],
                               .stride = pool->lane_stride,
                               .radix = pool->radix,
                               .length = params.length,
                               .w = params.w,
                               .w_prime = params.w_prime,
                               .indices = indices,
                               .per_group = per_group,
                               .count = params.layers,
                               .groups = groups,
                               .state = state};
    lanes->run(TALLY_ENCRYPT, &job);
    size_t wrong = 0;
    for (size_t k = 0; k < width; k++) {
        uint8_t word[MAX_LENGTH];
        size_t own = per_group ? k / lanes->width * TALLY_FAST_CACHE_LAYERS : 0;
        for (size_t p = 0; p < params.length; p++) {
            word[p] = plain[p * width + k];
        }
        tally_fast_layers(pool, &params, TALLY_ENCRYPT, 0, indices + own, params.layers, word);
        for (size_t p = 0; p < params.length; p++) {
            wrong += state[p * width + k] != word[p];
        }
    }
    CHECK_EQUAL(wrong, 0);
    job.tables = pool->lane_tables[TALLY_DECRYPT];
    lanes->run(TALLY_DECRYPT, &job);
    CHECK_BYTES(state, plain, size);
    free(memory);
    free(plain);
}

/* Batches through the public functions, beside each word by itself. A sequence that is too long for
 * the cache would be derived for each of them: after a few words it is derived once. */
static void test_batch(tally_fast_profile profile, instance *made, tally_fast_cipher *single,
                       size_t count)
{
    static uint8_t words[MAX_WORDS * MAX_LENGTH], many[sizeof words], one[sizeof words];
    tally_fast_params params = random_params(profile, made->pool->radix);
    size_t size = count * params.length;
    for (size_t i = 0; i < size; i++) {
        words[i] = (uint8_t)random_below(params.radix);
    }
    CHECK_EQUAL(tally_fast_encrypt_words(made->cipher, &params, words, 2, words, count, many),
                TALLY_OK);
    const bool cached = params.layers <= TALLY_FAST_CACHE_LAYERS;
    uint8_t *indices = malloc(params.layers);
    tally_fast_stream stream;
    tally_fast_sequence_init(single->pool, &params, words, 2, NULL, &stream);
    tally_fast_sequence_read(profile, &stream, 0, params.layers, indices);
    memcpy(one, words, size);
    for (size_t i = 0; i < count; i++) {
        size_t at = i * params.length;
        if (cached || i < FEW) {
            CHECK_EQUAL(
                tally_fast_encrypt_words(single, &params, words, 2, words + at, 1, one + at),
                TALLY_OK);
        } else {
            tally_fast_layers(single->pool, &params, TALLY_ENCRYPT, 0, indices, params.layers,
                              one + at);
        }
    }
    free(indices);
    CHECK_BYTES(many, one, size);
    CHECK_EQUAL(tally_fast_decrypt_words(made->cipher, &params, words, 2, many, count, many),
                TALLY_OK);
    CHECK_BYTES(many, words, size);
}

/* Rows at any stride that occurs: the width of one or more groups. */
static void test_transpose(const tally_transpose *transpose, size_t group)
{
    for (int i = 0; i < 2000; i++) {
        uint8_t words[64 * 70], back[64 * 70] = {0};
        _Alignas(64) uint8_t lanes[70 * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
        const uint8_t *rows[64];
        uint8_t *out[64];
        size_t stride = group << random_below(4), most = stride < 64 ? stride : 64;
        size_t count = 1 + random_below(most), length = 1 + random_below(70), wrong = 0;
        if (i % 4 == 0) { /* whole blocks of 16 bytes a row, mostly side by side */
            count = most;
            length = 16;
        }
        random_bytes(words, sizeof words);
        for (size_t k = 0; k < count; k++) {
            rows[k] = words + k * length;
            out[k] = back + k * length;
        }
        if (i % 8 == 0) { /* not side by side */
            const size_t other = random_below(count);
            rows[0] = words + other * length;
            rows[other] = words;
            out[0] = back + other * length;
            out[other] = back;
        }
        CHECK_ABOUT("%zu rows of %zu, %zu lanes", count, length, stride);
        transpose->to_lanes(rows, count, length, stride, lanes);
        size_t padded = (count + 15) / 16 * 16; /* idle lanes have copies of some row's symbols */
        padded = padded < stride ? padded : stride;
        for (size_t p = 0; p < length; p++) {
            for (size_t k = 0; k < padded; k++) {
                size_t r = k < count ? k : 0;
                while (k >= count && r < count - 1 && lanes[p * stride + k] != rows[r][p]) {
                    r++;
                }
                wrong += lanes[p * stride + k] != rows[r][p];
            }
        }
        CHECK_EQUAL(wrong, 0);
        transpose->from_lanes(lanes, stride, count, length, out);
        CHECK_BYTES(back, words, count * length);
        CHECK(count * length == sizeof back || back[count * length] == 0);
    }
}

/* Words side by side: every lane has one of the same 64 words, and in a block that is not full its
 * own; they come back to where they were, and a symbol that is not below the limit is found. */
static void test_transpose_words(const tally_transpose *transpose, size_t group)
{
    enum { BLOCK = 64, WORDS = 200 };
    for (int i = 0; i < 1000; i++) {
        uint8_t words[WORDS * 70 + 1], back[sizeof words];
        _Alignas(64) uint8_t lanes[70 * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
        const size_t stride = group << random_below(4), most = stride < WORDS ? stride : WORDS;
        const size_t count = 1 + random_below(most);
        const size_t length = 1 + random_below(i % 2 == 0 ? 20 : 70), size = count * length;
        const uint8_t zero = (uint8_t)(random_below(2) * random_below(256));
        const uint32_t limit = 1 + random_below(256);
        size_t wrong = 0;
        for (size_t k = 0; k < size; k++) {
            words[k] = (uint8_t)(zero + random_below(limit));
        }
        memset(back, 0x5a, sizeof back);
        CHECK_ABOUT("%zu words of %zu, %zu lanes", count, length, stride);
        CHECK(transpose->words_to_lanes(words, count, length, stride, zero, limit, lanes));
        for (size_t k = 0; k < count; k++) {
            const size_t block = k / BLOCK * BLOCK;
            const size_t own = count - block < BLOCK;
            size_t found = 0;
            for (size_t w = own ? k : block; w < (own ? k + 1 : block + BLOCK) && w < count; w++) {
                size_t same = 0;
                while (same < length &&
                       lanes[same * stride + k] == (uint8_t)(words[w * length + same] - zero)) {
                    same++;
                }
                found |= same == length;
            }
            wrong += !found;
        }
        CHECK_EQUAL(wrong, 0);
        transpose->words_from_lanes(lanes, stride, count, length, zero, back);
        CHECK_BYTES(back, words, size);
        CHECK_EQUAL(back[size], 0x5a);
        if (limit < 256) {
            words[random_below((uint32_t)size)] =
                (uint8_t)(zero + limit + random_below(256 - limit));
            CHECK(!transpose->words_to_lanes(words, count, length, stride, zero, limit, lanes));
        }
    }
}

static void test_radix(tally_fast_profile profile, uint32_t radix, uint8_t level)
{
    uint8_t key[16] = {(uint8_t)radix, level};
    instance made = instance_make(profile, radix, key, sizeof key, 4);
    instance single = instance_make(profile, radix, key, sizeof key, 4);
    CHECK_ABOUT("lanes %s, radix %u, profile %d", made.pool->lanes->backend.name, radix,
                (int)profile);
    for (size_t groups = 1; groups <= TALLY_FAST_GROUPS; groups *= 2) {
        test_job(made.pool, groups, 0);
    }
    test_job(made.pool, TALLY_FAST_GROUPS, 1);
    test_batch(profile, &made, single.cipher, 1 + random_below(10));
    test_batch(profile, &made, single.cipher, 1 + random_below(MAX_WORDS));
    instance_dispose(&made);
    instance_dispose(&single);
}

int main(void)
{
    test_transpose(&tally_transpose_portable, 16);
    test_transpose_words(&tally_transpose_portable, 16);
    const tally_fast_lanes *lanes = NULL;
    for (uint8_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        tally_cpu_lower(levels[level]);
        if (tally_fast_lanes_choose() == lanes) {
            continue; /* nothing to take away */
        }
        lanes = tally_fast_lanes_choose();
        CHECK((lanes->backend.needs & ~levels[level]) == 0);
        test_transpose(lanes->transpose, lanes->width);
        test_transpose_words(lanes->transpose, lanes->width);
        for (uint32_t radix = 4; radix <= 256; radix++) {
            test_radix(TALLY_FAST, radix, level);
        }
        test_radix(TALLY_FAST_BYTES_LEGACY, 256, level);
    }
    tally_cpu_lower(UINT32_MAX);
    return check_end("lanes");
}
