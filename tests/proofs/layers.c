/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word: any S-boxes, any sequence, any word, in each of the three kinds
 * of reduction, in a short word and in a long one, with tables that begin or end where memory
 * does. */
#include "fast/words/layers.h"
#include "arbitrary.h"
#include "fast/schedule/pool.h"

enum { SBOXES = 4, LAYERS = 26, MOST = 72 };

static uint8_t tables[SBOXES * 256], word[MOST], indices[LAYERS];

/* Radices up to TALLY_FAST_MAX_EXPANDED have a - 1 entries before the first and 2a - 2 behind
 * it. */
static void check_at(int at_end, uint32_t radix, uint32_t length, uint32_t w, uint32_t w_prime)
{
    const int expanded = radix <= TALLY_FAST_MAX_EXPANDED;
    const uint32_t stride = expanded ? 3 * radix - 2 : radix;
    const uint8_t *first = at_end ? tables + sizeof tables - SBOXES * stride : tables;
    uint8_t *at = at_end ? word + MOST - length : word;
    static tally_fast_pool pool;
    const tally_fast_params params = {radix, length, LAYERS, w, w_prime};
    arbitrary_below(radix, tables, sizeof tables);
    arbitrary_below(radix, word, MOST);
    arbitrary_below(SBOXES, indices, LAYERS);
    pool.radix = radix;
    pool.stride = stride;
    pool.tables[TALLY_ENCRYPT] = expanded ? first + radix - 1 : first;
    pool.tables[TALLY_DECRYPT] = first;
    const uint32_t late = length > LAYERS ? length - 8 : 0; /* so that each round ends */
    tally_fast_layers(&pool, &params, TALLY_ENCRYPT, late, indices, LAYERS, at);
    tally_fast_layers(&pool, &params, TALLY_DECRYPT, late + 3, indices, LAYERS, at);
    tally_fast_layers(&pool, &params, TALLY_DECRYPT, late, indices, 1, at); /* fewer than w */
}

/* At the beginning of memory and at its end, so that one step beyond either would be seen. */
static void check(uint32_t radix, uint32_t length, uint32_t w, uint32_t w_prime)
{
    check_at(0, radix, length, w, w_prime);
    check_at(1, radix, length, w, w_prime);
}

int main(void)
{
    static const uint32_t radices[] = {4, 10, 43, 44, 200, 256};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        check(radices[i], 2, 0, 1);
        check(radices[i], 3, 1, 1);
        check(radices[i], 5, 2, 2);
        check(radices[i], 7, 3, 3);
        check(radices[i], 9, 4, 4);
        check(radices[i], 11, 5, 4);
        check(radices[i], 13, 6, 5);
        check(radices[i], 65, 0, 2);
        check(radices[i], 65, 7, 8);
    }
    return 0;
}
