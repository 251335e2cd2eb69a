/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes against the one-word code: every engine that this machine has, every radix, any parameters,
 * full and partial batches, every lane. */
#include <stdlib.h>

#include "check.h"
#include "fast/lanes.h"
#include "fast/layers.h"
#include "fast/pool.h"
#include "fast/transpose.h"
#include "fast_instance.h"
#include "random.h"
#include "tallystick/base.h"

enum { MAX_LENGTH = 40, MAX_WORDS = 700 };

/* The CPU features with which each engine is the best; those of a machine without them repeat
 * another one. */
static const uint32_t levels[] = {UINT32_MAX, TALLY_CPU_AVX2, 0};

static tally_fast_params random_params(uint32_t radix)
{
    uint32_t length = 2 + random_below(MAX_LENGTH - 1);
    tally_fast_params params;
    tally_fast_recommended(TALLY_FAST, radix, length, &params);
    if (random_below(2) == 0) {
        params.w = random_below(length - 1);
        params.w_prime = 1 + random_below(length - 1);
        params.layers = length * (1 + random_below(12));
    }
    return params;
}

/* One job of an engine, both ways, over one group or a full ring. */
static void test_engine(const tally_fast_pool *pool)
{
    const tally_fast_lanes *lanes = pool->lanes;
    tally_fast_params params = random_params(pool->radix);
    size_t groups = random_below(2) == 0 ? 1 : TALLY_FAST_GROUPS;
    size_t width = groups * lanes->lanes, size = width * params.length;
    uint8_t *ring = aligned_alloc(64, (size + 63) / 64 * 64), *plain = malloc(size);
    uint8_t *indices = malloc(params.layers);
    random_bytes(indices, params.layers);
    for (size_t i = 0; i < size; i++) {
        ring[i] = plain[i] = (uint8_t)random_below(pool->radix);
    }
    tally_fast_lane_job job = {.tables = pool->lane_forward,
                               .stride = lanes->stride(pool->radix),
                               .radix = pool->radix,
                               .length = params.length,
                               .w = params.w,
                               .w_prime = params.w_prime,
                               .indices = indices,
                               .count = params.layers,
                               .groups = groups,
                               .ring = ring};
    lanes->forward(&job);
    size_t wrong = 0;
    for (size_t k = 0; k < width; k++) {
        uint8_t word[MAX_LENGTH];
        for (size_t p = 0; p < params.length; p++) {
            word[p] = plain[p * width + k];
        }
        tally_fast_layers_forward(pool, &params, 0, indices, params.layers, word);
        for (size_t p = 0; p < params.length; p++) {
            wrong += ring[p * width + k] != word[p];
        }
    }
    CHECK_EQUAL(wrong, 0);
    job.tables = pool->lane_inverse;
    lanes->backward(&job);
    CHECK_BYTES(ring, plain, size);
    free(ring);
    free(plain);
    free(indices);
}

/* Batches through the public functions, beside each word by itself. */
static void test_batch(instance *made, tally_fast_cipher *single)
{
    static uint8_t words[MAX_WORDS * MAX_LENGTH], many[sizeof words], one[sizeof words];
    tally_fast_params params = random_params(made->pool->radix);
    size_t count = 1 + random_below(MAX_WORDS), size = count * params.length;
    for (size_t i = 0; i < size; i++) {
        words[i] = (uint8_t)random_below(params.radix);
    }
    CHECK_EQUAL(tally_fast_encrypt_words(made->cipher, &params, words, 3, words, count, many),
                TALLY_OK);
    for (size_t i = 0; i < count; i++) {
        size_t at = i * params.length;
        tally_fast_encrypt_words(single, &params, words, 3, words + at, 1, one + at);
    }
    CHECK_BYTES(many, one, size);
    CHECK_EQUAL(tally_fast_decrypt_words(made->cipher, &params, words, 3, many, count, many),
                TALLY_OK);
    CHECK_BYTES(many, words, size);
}

static void test_transpose(const tally_transpose *engine)
{
    for (int i = 0; i < 2000; i++) {
        uint8_t words[64 * 70], back[64 * 70] = {0};
        _Alignas(64) uint8_t lanes[70 * 64];
        const uint8_t *rows[64];
        uint8_t *out[64];
        size_t count = 1 + random_below(64), length = 1 + random_below(70), wrong = 0;
        random_bytes(words, sizeof words);
        for (size_t k = 0; k < count; k++) {
            rows[k] = words + k * length;
            out[k] = back + k * length;
        }
        CHECK_ABOUT("%zu rows of %zu", count, length);
        engine->to_lanes(rows, count, length, 64, lanes);
        for (size_t k = 0; k < count; k++) {
            for (size_t p = 0; p < length; p++) {
                wrong += lanes[p * 64 + k] != rows[k][p];
            }
        }
        CHECK_EQUAL(wrong, 0);
        engine->from_lanes(lanes, 64, count, length, out);
        CHECK_BYTES(back, words, count * length);
        CHECK(count * length == sizeof back || back[count * length] == 0);
    }
}

int main(void)
{
    test_transpose(&tally_transpose_portable);
    for (size_t level = 0; level < sizeof levels / sizeof *levels; level++) {
        tally_cpu_lower(levels[level]);
        if (tally_fast_choose_lanes() != NULL) {
            test_transpose(tally_fast_choose_lanes()->transpose);
        }
        for (uint32_t radix = 4; radix <= 256; radix++) {
            uint8_t key[16] = {(uint8_t)radix, (uint8_t)level};
            instance made = instance_make(TALLY_FAST, radix, key, sizeof key, 4);
            instance single = instance_make(TALLY_FAST, radix, key, sizeof key, 4);
            const char *name = made.pool->lanes == NULL ? "none" : made.pool->lanes->name;
            CHECK_ABOUT("lanes %s, radix %u", name, radix);
            for (int i = 0; i < 6 && made.pool->lanes != NULL; i++) {
                test_engine(made.pool);
            }
            for (int i = 0; i < 2; i++) {
                test_batch(&made, single.cipher);
            }
            instance_dispose(&made);
            instance_dispose(&single);
        }
    }
    tally_cpu_lower(UINT32_MAX);
    return check_end("lanes");
}
