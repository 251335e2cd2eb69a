/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word (paper, section 4). A layer takes away the first symbol and
 * appends one, so symbols form a line: symbol i before layer k is number i + k of the line. Short
 * words are worked on as such a line. Longer ones are circular buffers: number n is at n mod l,
 * where the new symbol replaces the one that its layer took.
 *
 * The speed is limited by the chain from a new symbol to the one w' layers later that needs it:
 * two dependent look-ups. So the last w' symbols of a line stay in registers where w' is small (up
 * to 4, which serves lengths up to 25), sums are folded into addresses, and the reduction modulo
 * the radix is of one of three kinds.
 *
 * S-boxes are looked up at secret indices: docs/explanation/side-channels.md has the details. */
#include "fast/words/layers.h"

#include <string.h>

#include "base/unroll.h"

enum {
    LAYERS_SHORT = 64, /* symbols of a word that is worked on as a line, at most */
    LAYERS_PART = 448  /* layers of a line; the next ones begin another */
};

/* How indices are reduced: by tables that hold every sum and difference (LAYERS_EXPANDED), by a
 * masked subtraction (LAYERS_MASKED), or by a byte's own overflow at radix 256 (LAYERS_WRAPPED). */
typedef enum layers_reduction { LAYERS_EXPANDED, LAYERS_MASKED, LAYERS_WRAPPED } layers_reduction;

typedef struct layers_word {
    const uint8_t *table;
    size_t stride;
    ptrdiff_t radix;
    uint32_t length, w, w_prime;
} layers_word;

TALLY_INLINE ptrdiff_t layers_wrap_negative(ptrdiff_t x, ptrdiff_t radix)
{
    return x + (radix & (x >> (8 * sizeof x - 1)));
}

/* S[(base + x) mod a] */
TALLY_INLINE ptrdiff_t layers_look_up_sum(const uint8_t *sbox, ptrdiff_t base, ptrdiff_t x,
                                          ptrdiff_t radix, layers_reduction kind)
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
TALLY_INLINE ptrdiff_t layers_look_up_difference(const uint8_t *sbox, ptrdiff_t minus, ptrdiff_t x,
                                                 ptrdiff_t radix, layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return (sbox - minus)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(x - minus)];
    }
    return sbox[layers_wrap_negative(x - minus, radix)];
}

/* Where the symbols of some layers are, in the order of the layers. */
typedef struct layers_places {
    uint8_t *taken, *made;
    const uint8_t *at_w, *at_w_prime; /* number w of the word, and the one made w' layers before */
} layers_places;

/* `recent` is the constant w' if it is small. If it is 0, symbols at_w_prime are read from
 * memory. */
TALLY_INLINE void layers_forward(const layers_word *run, const uint8_t *indices, size_t count,
                                 const layers_places *places, layers_reduction kind,
                                 uint32_t recent)
{
    const uint8_t *const taken = places->taken, *const at_w = places->at_w,
                         *const at_w_prime = places->at_w_prime, *const table = run->table;
    uint8_t *const made = places->made;
    const size_t stride = run->stride;
    const uint32_t w = run->w;
    const ptrdiff_t radix = run->radix;
    /* The symbols made one to four layers ago. */
    ptrdiff_t made1 = recent >= 1 ? at_w_prime[recent - 1] : 0;
    ptrdiff_t made2 = recent >= 2 ? at_w_prime[recent - 2] : 0;
    ptrdiff_t made3 = recent >= 3 ? at_w_prime[recent - 3] : 0;
    ptrdiff_t made4 = recent >= 4 ? at_w_prime[recent - 4] : 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *sbox = table + indices[i] * stride;
        ptrdiff_t far = recent == 1   ? made1
                        : recent == 2 ? made2
                        : recent == 3 ? made3
                        : recent == 4 ? made4
                                      : at_w_prime[i];
        ptrdiff_t sum = layers_look_up_sum(sbox, taken[i], far, radix, kind);
        /* w = 0: nothing is subtracted. */
        ptrdiff_t minus = w != 0 ? at_w[i] : 0;
        ptrdiff_t fresh = layers_look_up_difference(sbox, minus, sum, radix, kind);
        made[i] = (uint8_t)fresh;
        made4 = made3;
        made3 = made2;
        made2 = made1;
        made1 = fresh;
    }
}

/* A layer reads a restored symbol w layers later at the earliest, so all symbols are in memory. */
TALLY_INLINE void layers_backward(const layers_word *run, const uint8_t *indices, size_t count,
                                  const layers_places *places, layers_reduction kind)
{
    const uint8_t *const made = places->made, *const at_w = places->at_w,
                         *const at_w_prime = places->at_w_prime, *const table = run->table;
    uint8_t *const taken = places->taken;
    const size_t stride = run->stride;
    const uint32_t w = run->w;
    const ptrdiff_t radix = run->radix;
    for (size_t i = count; i-- > 0;) {
        const uint8_t *sbox = table + indices[i] * stride;
        ptrdiff_t more = w != 0 ? at_w[i] : 0;
        ptrdiff_t sum = layers_look_up_sum(sbox, more, sbox[made[i]], radix, kind);
        ptrdiff_t first = sum - at_w_prime[i];
        taken[i] = (uint8_t)(kind == LAYERS_WRAPPED ? first : layers_wrap_negative(first, radix));
    }
}

TALLY_INLINE void layers_run_kind(const layers_word *run, tally_direction direction,
                                  const uint8_t *indices, size_t count, const layers_places *places,
                                  layers_reduction kind, int is_line)
{
    if (direction == TALLY_DECRYPT) {
        layers_backward(run, indices, count, places, kind);
    } else if (is_line && run->w_prime == 1) {
        layers_forward(run, indices, count, places, kind, 1);
    } else if (is_line && run->w_prime == 2) {
        layers_forward(run, indices, count, places, kind, 2);
    } else if (is_line && run->w_prime == 3) {
        layers_forward(run, indices, count, places, kind, 3);
    } else if (is_line && run->w_prime == 4) {
        layers_forward(run, indices, count, places, kind, 4);
    } else {
        layers_forward(run, indices, count, places, kind, 0);
    }
}

TALLY_INLINE void layers_run(const layers_word *run, tally_direction direction,
                             const uint8_t *indices, size_t count, const layers_places *places,
                             int is_line)
{
    if (run->radix <= TALLY_FAST_MAX_EXPANDED) {
        layers_run_kind(run, direction, indices, count, places, LAYERS_EXPANDED, is_line);
    } else if (run->radix != 256) {
        layers_run_kind(run, direction, indices, count, places, LAYERS_MASKED, is_line);
    } else {
        layers_run_kind(run, direction, indices, count, places, LAYERS_WRAPPED, is_line);
    }
}

/* Copies a word that begins at a place of its circular buffer to a line, and back. */
static void layers_unroll(const uint8_t *word, uint32_t length, uint32_t place, uint8_t *line)
{
    memcpy(line, word + place, length - place);
    if (place != 0) {
        memcpy(line + (length - place), word, place);
    }
}

static void layers_roll(const uint8_t *line, uint32_t length, uint32_t place, uint8_t *word)
{
    memcpy(word + place, line, length - place);
    if (place != 0) {
        memcpy(word, line + (length - place), place);
    }
}

/* Layers of a short word, at most LAYERS_PART. */
static void layers_run_line(const layers_word *run, tally_direction direction, uint64_t first,
                            const uint8_t *indices, size_t count, uint8_t *word)
{
    uint8_t line[LAYERS_SHORT + LAYERS_PART];
    const uint32_t length = run->length, before = (uint32_t)(first % length),
                   after = (uint32_t)((first + count) % length);
    const layers_places places = {line, line + length, line + run->w, line + length - run->w_prime};
    if (direction == TALLY_DECRYPT) {
        layers_unroll(word, length, after, line + count);
    } else {
        layers_unroll(word, length, before, line);
    }
    layers_run(run, direction, indices, count, &places, 1);
    if (direction == TALLY_DECRYPT) {
        layers_roll(line, length, before, word);
    } else {
        layers_roll(line + count, length, after, word);
    }
    tally_wipe(line, length + count);
}

/* The place `distance` <= length behind another one in a circular buffer. */
TALLY_INLINE uint32_t layers_behind(uint32_t place, uint32_t distance, uint32_t length)
{
    return place < length - distance ? place + distance : place - (length - distance);
}

TALLY_INLINE uint32_t layers_most(const uint32_t places[3])
{
    const uint32_t most = places[0] > places[1] ? places[0] : places[1];
    return most > places[2] ? most : places[2];
}

TALLY_INLINE uint32_t layers_least(const uint32_t places[3])
{
    const uint32_t least = places[0] < places[1] ? places[0] : places[1];
    return least < places[2] ? least : places[2];
}

/* Layers of a longer word: as many at a time as reach neither end of the buffer. */
static void layers_run_circular(const layers_word *run, tally_direction direction, uint64_t first,
                                const uint8_t *indices, size_t count, uint8_t *word)
{
    const uint32_t length = run->length;
    const int back = direction == TALLY_DECRYPT;
    uint32_t place = (uint32_t)((back ? first + count : first) % length);
    for (size_t left = count; left > 0;) {
        /* Of the layer that is the next one; when decrypting, of the one behind it. */
        uint32_t at[3] = {place, layers_behind(place, run->w, length),
                          layers_behind(place, length - run->w_prime, length)};
        for (size_t i = 0; i < 3; i++) {
            at[i] = back && at[i] == 0 ? length : at[i];
        }
        const uint32_t most = back ? layers_least(at) : length - layers_most(at);
        const uint32_t part = left < most ? (uint32_t)left : most, step = back ? part : 0;
        const layers_places places = {word + (at[0] - step), word + (at[0] - step),
                                      word + (at[1] - step), word + (at[2] - step)};
        layers_run(run, direction, indices + (back ? left - part : count - left), part, &places, 0);
        left -= part;
        place = back ? at[0] - part : layers_behind(place, part, length);
    }
}

void tally_fast_layers(const tally_fast_pool *pool, const tally_fast_params *params,
                       tally_direction direction, uint64_t first, const uint8_t *indices,
                       size_t count, uint8_t *word)
{
    const layers_word run = {pool->tables[direction], pool->stride, (ptrdiff_t)pool->radix,
                             params->length,          params->w,    params->w_prime};
    if (run.length > LAYERS_SHORT) {
        layers_run_circular(&run, direction, first, indices, count, word);
        return;
    }
    for (size_t left = count; left > 0;) {
        const size_t part = left < LAYERS_PART ? left : LAYERS_PART,
                     at = direction == TALLY_DECRYPT ? left - part : count - left;
        layers_run_line(&run, direction, first + at, indices + at, part, word);
        left -= part;
    }
}
