/* SPDX-License-Identifier: Apache-2.0
 *
 * Words whose halves do not fit in lanes: numbers in limbs of 32 bits. */
#ifndef TALLY_FF1_LIMBS_H
#define TALLY_FF1_LIMBS_H

#include "ff1/plan.h"

enum { TALLY_FF1_LIMBS_WORDS = 16 /* words at once, at most */ };

/* Bytes of memory for words of a plan that is not short, of which `words` are worked on at
 * once: 1..TALLY_FF1_LIMBS_WORDS. */
size_t tally_ff1_limbs_size(const tally_ff1_plan *plan, size_t words);

/* The common part of all words, in memory of tally_ff1_limbs_size bytes, which is aligned to 8. */
typedef struct tally_ff1_limbs {
    const tally_ff1_plan *plan;
    size_t limbs;         /* of a number; y has one more */
    uint32_t *modulus[2]; /* radix^u, radix^v, if the radix is no power of two */
    uint32_t bits[2];     /* of the greatest numbers of the halves */
    uint32_t radix_bits;  /* of a symbol, if the radix is a power of two; else 0 */
    uint32_t inverse[2][3];
    uint32_t *scratch;             /* limbs + 2 */
    uint32_t chunk, chunk_symbols; /* radix^chunk_symbols < 2^32 */
    uint32_t chunk_log;            /* 2^chunk_log <= chunk */
    uint64_t chunk_inverse;        /* 2^64 / chunk */
    uint8_t *words;                /* memory of the words */
} tally_ff1_limbs;

void tally_ff1_limbs_init(const tally_ff1_plan *plan, void *memory, tally_ff1_limbs *out);

/* The number of a half's symbols, and the inverse, which changes the number. */
void tally_ff1_limbs_read(const tally_ff1_limbs *limbs, uint32_t half, const uint8_t *symbols,
                          uint32_t *number);
void tally_ff1_limbs_write(const tally_ff1_limbs *limbs, uint32_t half, uint32_t *number,
                           uint8_t *symbols);

/* Adds y to a number of a half, or subtracts it. All limbs of y, one more than a number has, are in
 * the scratch, which is changed. */
void tally_ff1_limbs_add(const tally_ff1_limbs *limbs, tally_direction direction, uint32_t half,
                         uint32_t *number);

/* Encrypts or decrypts words, at most as many as the memory is for; in[i] may equal out[i]. Base
 * i * base_step is that of word i, as in lanes.h. */
void tally_ff1_limbs_run(const tally_ff1_limbs *limbs, tally_direction direction,
                         const uint8_t (*bases)[16], size_t base_step, const uint8_t *const *in,
                         uint8_t *const *out, size_t count);

#endif
