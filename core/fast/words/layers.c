/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of FAST on one word (paper, section 4). A layer takes away the first symbol and
 * appends one, so symbols form a line: symbol i before layer k is number i + k of the line. Short
 * words are worked on as such a line. Longer ones are circular buffers: number n is at n mod l,
 * where the new symbol replaces the one that its layer took.
 *
 * The speed is limited by the chain from a new symbol to the one w' layers later that needs it:
 * two dependent look-ups. (Backwards it is one look-up, w layers later.) So these symbols stay in
 * registers where words are up to 25 symbols long, all else of an address is computed before they
 * come, and the reduction modulo the radix is of one of three kinds.
 *
 * S-boxes are looked up at secret indices: docs/explanation/side-channels.md has the details. */
#include "fast/words/layers.h"

#include <string.h>

#include "base/barrier.h"
#include "base/unroll.h"

enum {
    LAYERS_SHORT = 64, /* symbols of a word that is worked on as a line, at most */
    LAYERS_PART = 720, /* layers at a time */
    LAYERS_NEAR = 5    /* symbols that stay in registers, at most */
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

/* S[(base + x) mod a]. `x` comes late: the address it is added to is computed before. */
TALLY_INLINE ptrdiff_t layers_look_up_sum(const uint8_t *sbox, ptrdiff_t base, ptrdiff_t x,
                                          ptrdiff_t radix, layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return tally_barrier_address(sbox + base)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(base + x)];
    }
    return sbox[layers_wrap_negative(base - radix + x, radix)];
}

/* S[(x - minus) mod a]. Again `x` comes late. */
TALLY_INLINE ptrdiff_t layers_look_up_difference(const uint8_t *sbox, ptrdiff_t minus, ptrdiff_t x,
                                                 ptrdiff_t radix, layers_reduction kind)
{
    if (kind == LAYERS_EXPANDED) {
        return tally_barrier_address(sbox - minus)[x];
    }
    if (kind == LAYERS_WRAPPED) {
        return sbox[(uint8_t)(x - minus)];
    }
    return sbox[layers_wrap_negative(x - minus, radix)];
}

/* What a layer subtracts if w is 0. */
static const uint8_t layers_nothing[LAYERS_PART] = {0};

/* Where the symbols of some layers are, in the order of the layers. */
typedef struct layers_places {
    uint8_t *taken, *made;
    const uint8_t *at_w, *at_w_prime; /* number w of the word, and the one made w' layers before */
} layers_places;

/* The symbol that a layer makes; `far` is the one made w' layers before, `minus` symbol w. */
TALLY_INLINE ptrdiff_t layers_make(const layers_word *run, uint8_t index, ptrdiff_t taken,
                                   ptrdiff_t far, ptrdiff_t minus, layers_reduction kind)
{
    const uint8_t *sbox = run->table + index * run->stride;
    const ptrdiff_t sum = layers_look_up_sum(sbox, taken, far, run->radix, kind);
    return layers_look_up_difference(sbox, minus, sum, run->radix, kind);
}

/* The symbol that a layer took; `far` and `minus` are those that it was made of. */
TALLY_INLINE ptrdiff_t layers_restore(const layers_word *run, uint8_t index, ptrdiff_t made,
                                      ptrdiff_t far, ptrdiff_t minus, layers_reduction kind)
{
    const uint8_t *sbox = run->table + index * run->stride;
    const ptrdiff_t sum = layers_look_up_sum(sbox, sbox[made], minus, run->radix, kind) - far;
    return kind == LAYERS_WRAPPED ? (uint8_t)sum : layers_wrap_negative(sum, run->radix);
}

TALLY_INLINE void layers_forward(const layers_word *run, const uint8_t *indices, size_t first,
                                 size_t count, const layers_places *places, layers_reduction kind)
{
    const uint8_t *const taken = places->taken, *const at_w = places->at_w,
                         *const at_w_prime = places->at_w_prime;
    for (size_t i = first; i < count; i++) {
        places->made[i] =
            (uint8_t)layers_make(run, indices[i], taken[i], at_w_prime[i], at_w[i], kind);
    }
}

/* Layers in groups of w', a constant here; returns the number of layers done. The symbols that the
 * next group needs stay in registers. */
TALLY_INLINE size_t layers_forward_by(uint32_t w_prime, const layers_word *run,
                                      const uint8_t *indices, size_t count,
                                      const layers_places *places, layers_reduction kind)
{
    const uint8_t *const taken = places->taken, *const at_w = places->at_w;
    uint8_t *const made = places->made;
    ptrdiff_t last[LAYERS_NEAR];
    size_t i = 0;
    TALLY_UNROLL(LAYERS_NEAR)
    for (size_t k = 0; k < w_prime; k++) {
        last[k] = places->at_w_prime[k];
    }
    for (; count - i >= w_prime; i += w_prime) {
        TALLY_UNROLL(LAYERS_NEAR)
        for (size_t k = 0; k < w_prime; k++) {
            last[k] = layers_make(run, indices[i + k], taken[i + k], last[k], at_w[i + k], kind);
            made[i + k] = (uint8_t)last[k];
        }
    }
    return i;
}

TALLY_INLINE void layers_backward(const layers_word *run, const uint8_t *indices, size_t count,
                                  const layers_places *places, layers_reduction kind)
{
    const uint8_t *const made = places->made, *const at_w = places->at_w,
                         *const at_w_prime = places->at_w_prime;
    for (size_t left = count; left > 0; left--) {
        const size_t i = left - 1;
        places->taken[i] =
            (uint8_t)layers_restore(run, indices[i], made[i], at_w_prime[i], at_w[i], kind);
    }
}

/* Layers in groups of w, a constant here, from the last one on; returns the number of layers left.
 * The symbols that the next group needs stay in registers. */
TALLY_INLINE size_t layers_backward_by(uint32_t w, const layers_word *run, const uint8_t *indices,
                                       size_t count, const layers_places *places,
                                       layers_reduction kind)
{
    const uint8_t *const made = places->made, *const at_w_prime = places->at_w_prime;
    uint8_t *const taken = places->taken;
    ptrdiff_t last[LAYERS_NEAR];
    size_t left = count;
    if (count < w) {
        return count;
    }
    TALLY_UNROLL(LAYERS_NEAR)
    for (size_t k = 0; k < w; k++) {
        last[k] = places->at_w[count - 1 - k];
    }
    for (; left >= w; left -= w) {
        TALLY_UNROLL(LAYERS_NEAR)
        for (size_t k = 0; k < w; k++) {
            const size_t i = left - 1 - k;
            last[k] = layers_restore(run, indices[i], made[i], at_w_prime[i], last[k], kind);
            taken[i] = (uint8_t)last[k];
        }
    }
    return left;
}

/* Other w and w' than those of words of up to 25 symbols leave all layers to the general loop. */
TALLY_INLINE void layers_run_kind(const layers_word *run, tally_direction direction,
                                  const uint8_t *indices, size_t count, const layers_places *places,
                                  layers_reduction kind, int is_line)
{
    if (direction == TALLY_ENCRYPT) {
        const uint32_t w_prime = is_line ? run->w_prime : 0;
        const size_t done = w_prime == 1   ? layers_forward_by(1, run, indices, count, places, kind)
                            : w_prime == 2 ? layers_forward_by(2, run, indices, count, places, kind)
                            : w_prime == 3 ? layers_forward_by(3, run, indices, count, places, kind)
                            : w_prime == 4 ? layers_forward_by(4, run, indices, count, places, kind)
                                           : 0;
        layers_forward(run, indices, done, count, places, kind);
    } else {
        const uint32_t w = is_line ? run->w : 0;
        const size_t left = w == 1   ? layers_backward_by(1, run, indices, count, places, kind)
                            : w == 2 ? layers_backward_by(2, run, indices, count, places, kind)
                            : w == 3 ? layers_backward_by(3, run, indices, count, places, kind)
                            : w == 4 ? layers_backward_by(4, run, indices, count, places, kind)
                            : w == 5 ? layers_backward_by(5, run, indices, count, places, kind)
                                     : count;
        layers_backward(run, indices, left, places, kind);
    }
}

TALLY_INLINE void layers_run(const layers_word *given, tally_direction direction,
                             const uint8_t *indices, size_t count, const layers_places *places,
                             int is_line)
{
    const layers_word run = *given; /* which no symbol that is written can change */
    if (run.radix <= TALLY_FAST_MAX_EXPANDED) {
        layers_run_kind(&run, direction, indices, count, places, LAYERS_EXPANDED, is_line);
    } else if (run.radix != 256) {
        layers_run_kind(&run, direction, indices, count, places, LAYERS_MASKED, is_line);
    } else {
        layers_run_kind(&run, direction, indices, count, places, LAYERS_WRAPPED, is_line);
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
    const layers_places places = {line, line + length, run->w != 0 ? line + run->w : layers_nothing,
                                  line + length - run->w_prime};
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
        const uint32_t room = back ? layers_least(at) : length - layers_most(at),
                       most = room < LAYERS_PART ? room : LAYERS_PART,
                       part = left < most ? (uint32_t)left : most, step = back ? part : 0;
        const layers_places places = {word + (at[0] - step), word + (at[0] - step),
                                      run->w != 0 ? word + (at[1] - step) : layers_nothing,
                                      word + (at[2] - step)};
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
