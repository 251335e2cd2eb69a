/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word (paper, section 4). The word does not rotate: a layer overwrites
 * its own first symbol, so layer k works on the ring around position k mod l.
 *
 * What limits the speed is the chain from a new symbol to the one w' layers later that needs it:
 * two dependent look-ups. So the last w' symbols stay in registers where w' is small (up to 4,
 * which serves lengths up to 25), sums are folded into addresses, and the reduction modulo the
 * radix is of one of three kinds.
 *
 * S-boxes are looked up at secret indices: docs/explanation/side-channels.md has the details. */
#include "fast/words/layers.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

/* How indices are reduced: by tables that hold every sum and difference (EXPANDED), by a masked
 * subtraction (MASKED), or by a byte's own overflow at radix 256 (WRAPPED). */
typedef enum reduction { EXPANDED, MASKED, WRAPPED } reduction;

typedef struct word_ring {
    const uint8_t *table;
    size_t stride;
    int32_t radix;
    uint32_t length, w, w_prime;
} word_ring;

INLINE int32_t wrap_negative(int32_t x, int32_t radix)
{
    return x + (radix & (x >> 31));
}

/* S[(base + x) mod a] */
INLINE int32_t look_up_sum(const uint8_t *sbox, int32_t base, int32_t x, int32_t radix,
                           reduction kind)
{
    if (kind == EXPANDED) {
        return (sbox + base)[x];
    }
    if (kind == WRAPPED) {
        return sbox[(uint8_t)(base + x)];
    }
    return sbox[wrap_negative(base - radix + x, radix)];
}

/* S[(x - less) mod a] */
INLINE int32_t look_up_difference(const uint8_t *sbox, int32_t less, int32_t x, int32_t radix,
                                  reduction kind)
{
    if (kind == EXPANDED) {
        return (sbox - less)[x];
    }
    if (kind == WRAPPED) {
        return sbox[(uint8_t)(x - less)];
    }
    return sbox[wrap_negative(x - less, radix)];
}

/* The place `distance` < length places before another one in the ring. */
INLINE uint32_t before(uint32_t place, uint32_t distance, uint32_t length)
{
    return place >= distance ? place - distance : place + length - distance;
}

/* `recent` is the constant w' if that is small, else 0: then the ring's memory serves. */
INLINE void forward(const word_ring *ring, uint32_t start, const uint8_t *indices, size_t count,
                    uint8_t *word, reduction kind, uint32_t recent)
{
    const uint32_t length = ring->length, w = ring->w;
    const int32_t radix = ring->radix;
    uint32_t here = start, back = before(start, recent != 0 ? recent : ring->w_prime, length);
    uint32_t ahead = start + w < length ? start + w : start + w - length;
    /* The symbols made one to four layers ago. */
    int32_t made1 = recent >= 1 ? word[before(start, 1, length)] : 0;
    int32_t made2 = recent >= 2 ? word[before(start, 2, length)] : 0;
    int32_t made3 = recent >= 3 ? word[before(start, 3, length)] : 0;
    int32_t made4 = recent >= 4 ? word[before(start, 4, length)] : 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *sbox = ring->table + indices[i] * ring->stride;
        int32_t far = recent == 1   ? made1
                      : recent == 2 ? made2
                      : recent == 3 ? made3
                      : recent == 4 ? made4
                                    : word[back];
        int32_t sum = look_up_sum(sbox, word[here], far, radix, kind);
        /* w = 0: nothing is subtracted. */
        int32_t less = w != 0 ? word[ahead] : 0;
        int32_t fresh = look_up_difference(sbox, less, sum, radix, kind);
        word[here] = (uint8_t)fresh;
        made4 = made3;
        made3 = made2;
        made2 = made1;
        made1 = fresh;
        here = here + 1 == length ? 0 : here + 1;
        back = back + 1 == length ? 0 : back + 1;
        ahead = ahead + 1 == length ? 0 : ahead + 1;
    }
}

INLINE void forward_by_distance(const word_ring *ring, uint32_t start, const uint8_t *indices,
                                size_t count, uint8_t *word, reduction kind)
{
    switch (ring->w_prime) {
    case 1:
        forward(ring, start, indices, count, word, kind, 1);
        break;
    case 2:
        forward(ring, start, indices, count, word, kind, 2);
        break;
    case 3:
        forward(ring, start, indices, count, word, kind, 3);
        break;
    case 4:
        forward(ring, start, indices, count, word, kind, 4);
        break;
    default:
        forward(ring, start, indices, count, word, kind, 0);
        break;
    }
}

/* No symbol that a layer restores is needed by the next ones but through memory, w layers on. */
INLINE void backward(const word_ring *ring, uint32_t start, const uint8_t *indices, size_t count,
                     uint8_t *word, reduction kind)
{
    const uint32_t length = ring->length, w = ring->w;
    const int32_t radix = ring->radix;
    uint32_t here = start;
    uint32_t back = before(start, ring->w_prime, length);
    uint32_t ahead = start + w < length ? start + w : start + w - length;
    for (size_t i = count; i-- > 0;) {
        const uint8_t *sbox = ring->table + indices[i] * ring->stride;
        int32_t more = w != 0 ? word[ahead] : 0;
        int32_t sum = look_up_sum(sbox, more, sbox[word[here]], radix, kind);
        int32_t first = sum - word[back];
        word[here] = (uint8_t)(kind == WRAPPED ? first : wrap_negative(first, radix));
        here = here == 0 ? length - 1 : here - 1;
        back = back == 0 ? length - 1 : back - 1;
        ahead = ahead == 0 ? length - 1 : ahead - 1;
    }
}

static reduction kind_of(uint32_t radix)
{
    if (radix <= TALLY_FAST_MAX_EXPANDED) {
        return EXPANDED;
    }
    return radix == 256 ? WRAPPED : MASKED;
}

static word_ring ring_of(const tally_fast_pool *pool, const uint8_t *table,
                         const tally_fast_params *params)
{
    word_ring ring = {table,          pool->stride, (int32_t)pool->radix,
                      params->length, params->w,    params->w_prime};
    return ring;
}

void tally_fast_layers_forward(const tally_fast_pool *pool, const tally_fast_params *params,
                               uint64_t first, const uint8_t *indices, size_t count, uint8_t *word)
{
    word_ring ring = ring_of(pool, pool->forward, params);
    uint32_t start = (uint32_t)(first % params->length);
    switch (kind_of(pool->radix)) {
    case EXPANDED:
        forward_by_distance(&ring, start, indices, count, word, EXPANDED);
        break;
    case MASKED:
        forward_by_distance(&ring, start, indices, count, word, MASKED);
        break;
    case WRAPPED:
        forward_by_distance(&ring, start, indices, count, word, WRAPPED);
        break;
    }
}

void tally_fast_layers_backward(const tally_fast_pool *pool, const tally_fast_params *params,
                                uint64_t first, const uint8_t *indices, size_t count, uint8_t *word)
{
    if (count == 0) {
        return;
    }
    word_ring ring = ring_of(pool, pool->inverse, params);
    uint32_t start = (uint32_t)((first + count - 1) % params->length);
    switch (kind_of(pool->radix)) {
    case EXPANDED:
        backward(&ring, start, indices, count, word, EXPANDED);
        break;
    case MASKED:
        backward(&ring, start, indices, count, word, MASKED);
        break;
    case WRAPPED:
        backward(&ring, start, indices, count, word, WRAPPED);
        break;
    }
}
