/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels alone: layers on words that are in lanes already. */
#include <stdlib.h>
#include <string.h>

#include "fast/schedule/pool.h"
#include "fast/words/layers.h"
#include "kernels.h"

enum { STATE = TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES * MAX_LENGTH, MAX_LAYERS = 4096 };

static _Alignas(64) uint8_t state[STATE];
/* Which S-boxes: a fixed sequence, for the kernel's speed does not depend on it. */
static uint8_t indices[MAX_LAYERS];

uint64_t words_of_lanes(const instance *x)
{
    return TALLY_FAST_GROUPS * x->pool->lanes->width;
}

tally_fast_lane_job job_of(const instance *x, const tally_fast_params *params, int decrypt)
{
    if (params->layers > MAX_LAYERS) {
        fail("more layers than indices");
    }
    for (size_t i = 0; i < params->layers; i++) {
        indices[i] = (uint8_t)(i * 167 + (i >> 3));
    }
    return (tally_fast_lane_job){.tables = x->pool->lane_tables[decrypt],
                                 .stride = x->pool->lane_stride,
                                 .radix = x->radix,
                                 .length = params->length,
                                 .w = params->w,
                                 .w_prime = params->w_prime,
                                 .indices = indices,
                                 .count = params->layers,
                                 .groups = TALLY_FAST_GROUPS,
                                 .state = state};
}

void work_lanes(instance *x, rows *data, const tally_fast_params *params, int decrypt,
                uint64_t count)
{
    (void)data;
    tally_fast_lane_job job = job_of(x, params, decrypt);
    for (uint64_t done = 0; done < count; done += words_of_lanes(x)) {
        x->pool->lanes->run(decrypt, &job);
    }
}

void check_lanes(instance *x, const rows *data, const tally_fast_params *params)
{
    const size_t width = words_of_lanes(x), length = params->length;
    if (width > data->count || width * length > STATE) {
        fail("too few rows, or too little memory, for all lanes");
    }
    for (size_t i = 0; i < width * length; i++) {
        state[i % length * width + i / length] = data->words[i];
    }
    tally_fast_lane_job job = job_of(x, params, 0);
    x->pool->lanes->run(TALLY_ENCRYPT, &job);
    for (size_t k = 0; k < width; k++) {
        uint8_t word[MAX_LENGTH];
        memcpy(word, data->words + k * length, length);
        tally_fast_layers(x->pool, params, TALLY_ENCRYPT, 0, indices, params->layers, word);
        for (size_t p = 0; p < length; p++) {
            if (state[p * width + k] != word[p]) {
                fail("a back end's layers are not those of the one-word code");
            }
        }
    }
    job = job_of(x, params, 1);
    x->pool->lanes->run(TALLY_DECRYPT, &job);
    for (size_t i = 0; i < width * length; i++) {
        if (state[i % length * width + i / length] != data->words[i]) {
            fail("a back end's layers backwards do not undo those forwards");
        }
    }
}
