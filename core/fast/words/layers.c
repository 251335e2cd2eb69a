/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word (paper, section 4). The word does not rotate: a layer overwrites
 * its own first symbol, so position k mod l is the first one of layer k.
 *
 * What limits the speed is the chain from a new symbol to the one w' layers later that needs it:
 * two dependent look-ups. So the last w' symbols stay in registers where w' is small (up to 4,
 * which serves lengths up to 25), sums are folded into addresses, and the reduction modulo the
 * radix is of one of three kinds.
 *
 * S-boxes are looked up at secret indices: docs/explanation/side-channels.md has the details. */
#include "fast/words/layers.h"

#include "base/unroll.h"

/* How indices are reduced: by tables that hold every sum and difference (LAYERS_EXPANDED), by a
 * masked subtraction (LAYERS_MASKED), or by a byte's own overflow at radix 256 (LAYERS_WRAPPED). */
typedef enum layers_reduction { LAYERS_EXPANDED, LAYERS_MASKED, LAYERS_WRAPPED } layers_reduction;

typedef struct layers_word {
    const uint8_t *table;
    size_t stride;
    int32_t radix;
    uint32_t length, w, w_prime;
} layers_word;

TALLY_INLINE int32_t layers_wrap_negative(int32_t x, int32_t radix)
{
    return x + (radix & (x >> 31));
}

/* S[(base + x) mod a] */
TALLY_INLINE int32_t layers_look_up_sum(const uint8_t *sbox, int32_t base, int32_t x, int32_t radix,
                                        layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return (sbox + base)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(base + x)];
    }
    return sbox[layers_wrap_negative(base - radix + x, radix)];
}

/* S[(x - minus) mod a] */
TALLY_INLINE int32_t layers_look_up_difference(const uint8_t *sbox, int32_t minus, int32_t x,
                                               int32_t radix, layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return (sbox - minus)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(x - minus)];
    }
    return sbox[layers_wrap_negative(x - minus, radix)];
}

/* The position `distance` < length before another one, cyclically. */
TALLY_INLINE uint32_t layers_before(uint32_t place, uint32_t distance, uint32_t length)
{
    return place >= distance ? place - distance : place + length - distance;
}

/* `recent` is the constant w' if it is small. If it is 0, symbols at_w_prime are read from
 * memory. */
TALLY_INLINE void layers_forward(const layers_word *run, uint32_t start, const uint8_t *indices,
                                 size_t count, uint8_t *word, layers_reduction kind,
                                 uint32_t recent)
{
    const uint32_t length = run->length, w = run->w;
    const int32_t radix = run->radix;
    uint32_t at = start,
             at_w_prime = layers_before(start, recent != 0 ? recent : run->w_prime, length);
    uint32_t at_w = start + w < length ? start + w : start + w - length;
    /* The symbols made one to four layers ago. */
    int32_t made1 = recent >= 1 ? word[layers_before(start, 1, length)] : 0;
    int32_t made2 = recent >= 2 ? word[layers_before(start, 2, length)] : 0;
    int32_t made3 = recent >= 3 ? word[layers_before(start, 3, length)] : 0;
    int32_t made4 = recent >= 4 ? word[layers_before(start, 4, length)] : 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *sbox = run->table + indices[i] * run->stride;
        int32_t far = recent == 1   ? made1
                      : recent == 2 ? made2
                      : recent == 3 ? made3
                      : recent == 4 ? made4
                                    : word[at_w_prime];
        int32_t sum = layers_look_up_sum(sbox, word[at], far, radix, kind);
        /* w = 0: nothing is subtracted. */
        int32_t minus = w != 0 ? word[at_w] : 0;
        int32_t fresh = layers_look_up_difference(sbox, minus, sum, radix, kind);
        word[at] = (uint8_t)fresh;
        made4 = made3;
        made3 = made2;
        made2 = made1;
        made1 = fresh;
        at = at + 1 == length ? 0 : at + 1;
        at_w_prime = at_w_prime + 1 == length ? 0 : at_w_prime + 1;
        at_w = at_w + 1 == length ? 0 : at_w + 1;
    }
}

TALLY_INLINE void layers_forward_by_distance(const layers_word *run, uint32_t start,
                                             const uint8_t *indices, size_t count, uint8_t *word,
                                             layers_reduction kind)
{
    switch (run->w_prime) {
    case 1:
        layers_forward(run, start, indices, count, word, kind, 1);
        break;
    case 2:
        layers_forward(run, start, indices, count, word, kind, 2);
        break;
    case 3:
        layers_forward(run, start, indices, count, word, kind, 3);
        break;
    case 4:
        layers_forward(run, start, indices, count, word, kind, 4);
        break;
    default:
        layers_forward(run, start, indices, count, word, kind, 0);
        break;
    }
}

/* A layer reads a restored symbol w layers later at the earliest, so all symbols are in memory. */
TALLY_INLINE void layers_backward(const layers_word *run, uint32_t start, const uint8_t *indices,
                                  size_t count, uint8_t *word, layers_reduction kind)
{
    const uint32_t length = run->length, w = run->w;
    const int32_t radix = run->radix;
    uint32_t at = start;
    uint32_t at_w_prime = layers_before(start, run->w_prime, length);
    uint32_t at_w = start + w < length ? start + w : start + w - length;
    for (size_t i = count; i-- > 0;) {
        const uint8_t *sbox = run->table + indices[i] * run->stride;
        int32_t more = w != 0 ? word[at_w] : 0;
        int32_t sum = layers_look_up_sum(sbox, more, sbox[word[at]], radix, kind);
        int32_t first = sum - word[at_w_prime];
        word[at] = (uint8_t)(kind == LAYERS_WRAPPED ? first : layers_wrap_negative(first, radix));
        at = at == 0 ? length - 1 : at - 1;
        at_w_prime = at_w_prime == 0 ? length - 1 : at_w_prime - 1;
        at_w = at_w == 0 ? length - 1 : at_w - 1;
    }
}

static layers_reduction layers_reduction_of(uint32_t radix)
{
    if (radix <= TALLY_FAST_MAX_EXPANDED) {
        return LAYERS_EXPANDED;
    }
    return radix == 256 ? LAYERS_WRAPPED : LAYERS_MASKED;
}

static layers_word layers_word_of(const tally_fast_pool *pool, const uint8_t *table,
                                  const tally_fast_params *params)
{
    layers_word run = {table,          pool->stride, (int32_t)pool->radix,
                       params->length, params->w,    params->w_prime};
    return run;
}

void tally_fast_layers_forward(const tally_fast_pool *pool, const tally_fast_params *params,
                               uint64_t first, const uint8_t *indices, size_t count, uint8_t *word)
{
    layers_word run = layers_word_of(pool, pool->tables[TALLY_ENCRYPT], params);
    uint32_t start = (uint32_t)(first % params->length);
    switch (layers_reduction_of(pool->radix)) {
    case LAYERS_EXPANDED:
        layers_forward_by_distance(&run, start, indices, count, word, LAYERS_EXPANDED);
        break;
    case LAYERS_MASKED:
        layers_forward_by_distance(&run, start, indices, count, word, LAYERS_MASKED);
        break;
    case LAYERS_WRAPPED:
        layers_forward_by_distance(&run, start, indices, count, word, LAYERS_WRAPPED);
        break;
    }
}

void tally_fast_layers_backward(const tally_fast_pool *pool, const tally_fast_params *params,
                                uint64_t first, const uint8_t *indices, size_t count, uint8_t *word)
{
    if (count == 0) {
        return;
    }
    layers_word run = layers_word_of(pool, pool->tables[TALLY_DECRYPT], params);
    uint32_t start = (uint32_t)((first + count - 1) % params->length);
    switch (layers_reduction_of(pool->radix)) {
    case LAYERS_EXPANDED:
        layers_backward(&run, start, indices, count, word, LAYERS_EXPANDED);
        break;
    case LAYERS_MASKED:
        layers_backward(&run, start, indices, count, word, LAYERS_MASKED);
        break;
    case LAYERS_WRAPPED:
        layers_backward(&run, start, indices, count, word, LAYERS_WRAPPED);
        break;
    }
}
