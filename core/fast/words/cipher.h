/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a cipher: a pool, the sequences seen last, and scratch memory. */
#ifndef TALLY_FAST_WORDS_CIPHER_H
#define TALLY_FAST_WORDS_CIPHER_H

#include "aes/cmac.h"
#include "fast/words/buckets.h"
#include "fast/schedule/pool.h"
#include "columns/short.h"

enum {
    TALLY_FAST_SLOT_TWEAK = 256, /* bytes; a sequence of a longer tweak is not kept */
    TALLY_FAST_RING = 1 << 17,   /* bytes of lanes; words too long for it go one by one */
    TALLY_FAST_TEXT = TALLY_TEXT_WIDTH * TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES,
    TALLY_FAST_TAILS = 1 << 17 /* bytes of their own tweaks */
};

/* What is looked at first to find a sequence; together, so that a search touches little memory. */
typedef struct tally_fast_mark {
    uint64_t used; /* the cipher's clock at its last use; 0: the slot is free */
    uint64_t hash; /* of params and tweak */
} tally_fast_mark;

/* A sequence kept. */
typedef struct tally_fast_slot {
    tally_fast_params params;
    uint32_t tweak_size;
    uint8_t tweak[TALLY_FAST_SLOT_TWEAK];
    uint8_t indices[TALLY_FAST_SLOT_LAYERS];
} tally_fast_slot;

/* A row of a column at work. */
typedef struct tally_fast_row {
    uint8_t *value;
    uint64_t size;
    uint64_t after;      /* where the bytes after a mark begin */
    uint8_t *word;       /* the symbols to encrypt */
    const uint8_t *tail; /* of its tweak */
    uint32_t tail_size;
    uint32_t count;    /* all symbols of the value */
    uint32_t length;   /* those of the word */
    uint32_t check;    /* which symbol is the check digit, if there is one */
    uint16_t bundle;   /* of those rows that have the same length and tail */
    uint16_t is_short; /* of at most 64 bytes, and `where` says where its symbols are */
    tally_short_value where;
} tally_fast_row;

struct tally_fast_cipher {
    const tally_fast_pool *pool;
    uint64_t clock;
    size_t slot_count;
    tally_fast_mark *marks; /* of the slots */
    tally_fast_slot *slots;
    tally_cmac_trail trail;                      /* of sequences that no slot keeps */
    uint8_t window[15 + TALLY_FAST_SLOT_LAYERS]; /* of a sequence that no slot holds */
    uint8_t sequences[TALLY_FAST_GROUPS][TALLY_FAST_SLOT_LAYERS]; /* of groups side by side */
    _Alignas(64) uint8_t ring[TALLY_FAST_RING];
    _Alignas(64) uint8_t text[TALLY_FAST_TEXT]; /* bytes of values on lanes */
    _Alignas(64) uint8_t bad[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint64_t starts[TALLY_FAST_ROWS + 1]; /* of a batch of rows */
    uint16_t left[2 * TALLY_FAST_ROWS];   /* rows of a batch, in two orders */
    tally_fast_finder finder;
    uint8_t *bundled[TALLY_FAST_ROWS];         /* words, bundle by bundle */
    uint8_t words[TALLY_FAST_MAX_LENGTH + 64]; /* the symbols of a column's rows */
    uint8_t tails[TALLY_FAST_TAILS];
    tally_fast_row rows[TALLY_FAST_ROWS];
};

/* The sequence of params with at most TALLY_FAST_SLOT_LAYERS layers, and a tweak of at most
 * TALLY_FAST_SLOT_TWEAK bytes: that of the slot that holds it, or of the one used longest ago, which
 * then takes it. Good until the next call. */
const uint8_t *tally_fast_kept_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                                        const uint8_t *tweak, size_t tweak_size);

/* Writes the sequence of params with at most TALLY_FAST_SLOT_LAYERS layers. `keep`: a slot is looked
 * for, and takes the sequence if none has it; else cipher->trail is used, and is to be wiped. */
void tally_fast_sequence(tally_fast_cipher *cipher, const tally_fast_params *params,
                         const uint8_t *tweak, size_t tweak_size, int keep, uint8_t *out);

#endif
