/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1 on lanes in plain C: numbers in scalar registers, and the last blocks of all words in one call
 * of the AES back end, whichever that is. */
#include "aes/backend.h"
#include "base/bytes.h"
#include "ff1/lanes.h"
#include "ff1/symbols.h"
#include "ff1/wide.h"

typedef struct ff1_portable_state {
    uint64_t half[2][TALLY_FF1_ROWS];
    uint8_t blocks[TALLY_FF1_ROWS][16];
} ff1_portable_state;

/* The numbers of all words, or the symbols. */
TALLY_INLINE void ff1_portable_read(const tally_ff1_batch *batch, const uint32_t symbol_size,
                                    ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint32_t first = plan->half[0], second = plan->half[1], radix = plan->cipher->radix;
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *word = batch->in[i];
        state->half[0][i] = tally_ff1_symbols_read(word, first, symbol_size, radix);
        state->half[1][i] =
            tally_ff1_symbols_read(word + symbol_size * first, second, symbol_size, radix);
    }
}

TALLY_INLINE void ff1_portable_write(const tally_ff1_batch *batch, const uint32_t symbol_size,
                                     const ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const uint32_t first = plan->half[0], second = plan->half[1];
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t *word = batch->out[i];
        tally_ff1_symbols_write(state->half[0][i], first, symbol_size, plan, word);
        tally_ff1_symbols_write(state->half[1][i], second, symbol_size, plan,
                                word + symbol_size * first);
    }
}

/* The same if a number may not be in the range of the radix's inverse before its last symbol is off. */
static void ff1_portable_write_wide(const tally_ff1_batch *batch, const ff1_portable_state *state)
{
    const tally_ff1_plan *plan = batch->plan;
    const size_t size = plan->symbol_size;
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t *symbols = batch->out[i];
        for (int half = 0; half < 2; half++) {
            const uint32_t before = plan->half[half] - 1;
            const uint64_t number = state->half[half][i],
                           rest = tally_ff1_wide_quotient(plan, number);
            const uint16_t last = (uint16_t)(number - rest * plan->cipher->radix);
            if (size == 1) {
                tally_ff1_symbols_write(rest, before, 1, plan, symbols);
                symbols[before] = (uint8_t)last;
            } else {
                tally_ff1_symbols_write(rest, before, 2, plan, symbols);
                memcpy(symbols + 2 * before, &last, 2);
            }
            symbols += size * (before + 1);
        }
    }
}

/* The last blocks with the numbers of one half. */
TALLY_INLINE void ff1_portable_fill(const tally_ff1_batch *batch, uint32_t round,
                                    const uint64_t *numbers, uint8_t (*blocks)[16])
{
    const uint32_t size = batch->plan->number_size;
    const uint64_t high = size == 8 ? round : 0, low = size == 8 ? 0 : (uint64_t)round << 8 * size;
    for (size_t i = 0; i < batch->count; i++) {
        const uint8_t *base = batch->bases[i * batch->base_step];
        tally_store_be64(tally_load_be64(base) ^ high, blocks[i]);
        tally_store_be64(tally_load_be64(base + 8) ^ low ^ numbers[i], blocks[i] + 8);
    }
}

/* Adds y to the numbers of a half, or subtracts it. */
TALLY_INLINE void ff1_portable_add(const tally_ff1_batch *batch, const uint8_t (*blocks)[16],
                                   const tally_ff1_modulus *modulus, uint64_t *numbers)
{
    const int is_long = batch->plan->prf_size == 12;
    const uint64_t value = modulus->value, mask = modulus->mask;
    if (mask != 0) {
        const uint64_t flip = batch->direction == TALLY_ENCRYPT ? 0 : 1;
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t y = tally_load_be64(blocks[i] + (is_long ? 4 : 0));
            numbers[i] = (numbers[i] + ((y ^ (0 - flip)) + flip)) & mask;
        }
        return;
    }
    if (value >> TALLY_FF1_LANE_BITS != 0) {
        for (size_t i = 0; i < batch->count; i++) {
            const uint64_t y = tally_ff1_wide_reduce(modulus, tally_load_be64(blocks[i]),
                                                     tally_load_be32(blocks[i] + 8));
            numbers[i] = tally_ff1_wide_add(modulus, batch->direction, numbers[i], y);
        }
        return;
    }
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t y = tally_load_be64(blocks[i]);
        y = is_long ? tally_ff1_reduce_long(modulus, y, tally_load_be32(blocks[i] + 8))
                    : tally_ff1_reduce(modulus, y);
        y = tally_ff1_less(y, value);
        y = batch->direction == TALLY_ENCRYPT ? y : value - y;
        numbers[i] = tally_ff1_less(numbers[i] + y, value);
    }
}

static void ff1_portable_run(const tally_ff1_batch *batch)
{
    const tally_ff1_plan *plan = batch->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    ff1_portable_state state;
    if (plan->symbol_size == 1) {
        ff1_portable_read(batch, 1, &state);
    } else {
        ff1_portable_read(batch, 2, &state);
    }
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = batch->direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        const uint32_t half = round % 2;
        ff1_portable_fill(batch, round, state.half[1 - half], state.blocks);
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, state.blocks[0], batch->count,
                                   state.blocks[0]);
        ff1_portable_add(batch, (const uint8_t(*)[16])state.blocks, &plan->modulus[half],
                         state.half[half]);
    }
    if (plan->is_wide) {
        ff1_portable_write_wide(batch, &state);
    } else if (plan->symbol_size == 1) {
        ff1_portable_write(batch, 1, &state);
    } else {
        ff1_portable_write(batch, 2, &state);
    }
    tally_wipe(state.half[0], 8 * batch->count);
    tally_wipe(state.half[1], 8 * batch->count);
    tally_wipe(state.blocks, 16 * batch->count);
}

const tally_ff1_lanes tally_ff1_lanes_portable = {{"portable", 0}, ff1_portable_run, NULL};
