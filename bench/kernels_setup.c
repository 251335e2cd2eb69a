/* SPDX-License-Identifier: Apache-2.0
 *
 * What `kernels` works with: instances on every back end, and rows. */
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "kernels.h"

enum { SLOTS = 4, MOST_TWEAKS = 1 << 20 };

int set_up(tally_fast_profile profile, uint32_t radix, instance made[LEVELS])
{
    static const uint8_t key[16] = "bench key";
    size_t pool_size = tally_fast_pool_size(radix), cipher_size = tally_fast_cipher_size(SLOTS);
    size_t workspace_size = tally_fast_workspace_size();
    size_t grouping_size = tally_fast_grouping_size(UINT64_MAX);
    uint32_t features = tally_cpu_lower(UINT32_MAX);
    int count = 0;
    for (uint32_t needs = 1; needs != 0 && count < LEVELS; count++) {
        const tally_fast_lanes *lanes = tally_fast_lanes_choose();
        instance *x = &made[count];
        *x =
            (instance){.level = lanes->backend.name,
                       .features = features,
                       .profile = profile,
                       .radix = radix,
                       .memory = {allocate(pool_size), allocate(cipher_size), allocate(cipher_size),
                                  allocate(workspace_size), allocate(grouping_size)}};
        must(tally_fast_pool_init(profile, radix, key, sizeof key, x->memory[0], pool_size,
                                  &x->pool));
        must(tally_fast_cipher_init(x->pool, SLOTS, x->memory[1], cipher_size, &x->cipher));
        must(tally_fast_cipher_init(x->pool, SLOTS, x->memory[2], cipher_size, &x->single));
        must(tally_fast_workspace_init(x->memory[3], workspace_size, &x->workspace));
        tally_fast_workspace_set_grouping(x->workspace, x->memory[4], grouping_size);
        needs = lanes->backend.needs;
        /* What it needs, and every better feature: bits ascend. */
        features = tally_cpu_lower(features & ((needs & (~needs + 1)) - 1));
    }
    tally_cpu_lower(UINT32_MAX);
    return count;
}

void free_instances(instance *made, int count)
{
    for (int i = 0; i < count; i++) {
        free(made[i].memory[0]);
        free(made[i].memory[1]);
        free(made[i].memory[2]);
        free(made[i].memory[3]);
        free(made[i].memory[4]);
    }
}

rows make_rows(uint64_t count)
{
    rows made = {.count = count, .tweak_count = count < MOST_TWEAKS ? count : MOST_TWEAKS};
    if (count < CHECKED || count > INT32_MAX / MAX_LENGTH) {
        fail("too few rows, or too many");
    }
    made.words = allocate(count * MAX_LENGTH);
    made.text = allocate(count * MAX_LENGTH);
    made.status = allocate(count);
    made.offsets = allocate((count + 1) * sizeof *made.offsets);
    made.tweaks = allocate(made.tweak_count * TWEAK_SIZE);
    made.tweak_offsets = allocate((made.tweak_count + 1) * sizeof *made.tweak_offsets);
    for (uint64_t i = 0; i <= made.tweak_count; i++) {
        made.tweak_offsets[i] = (int32_t)(i * TWEAK_SIZE);
        if (i < made.tweak_count) {
            memcpy(made.tweaks + i * TWEAK_SIZE, &i, TWEAK_SIZE);
        }
    }
    return made;
}

void free_rows(rows *data)
{
    free(data->words);
    free(data->text);
    free(data->status);
    free(data->offsets);
    free(data->tweaks);
    free(data->tweak_offsets);
}

void fill(rows *data, uint32_t radix, uint32_t length)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    data->radix = radix;
    data->length = length;
    data->base = radix <= 10 ? '0' : radix <= 95 ? ' ' : 0;
    for (size_t i = 0; i < data->count * length; i += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        for (size_t k = 0; k < 8; k++) {
            uint32_t byte = (uint32_t)(state >> 8 * k) & 255;
            data->words[i + k] = (uint8_t)(byte * radix >> 8);
            data->text[i + k] = (uint8_t)(data->base + data->words[i + k]);
        }
    }
    for (uint64_t i = 0; i <= data->count; i++) {
        data->offsets[i] = (int32_t)(i * length);
    }
}
