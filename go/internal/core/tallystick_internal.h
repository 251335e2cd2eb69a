/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: internal headers for the binding of Go as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#ifndef TALLYSTICK_INTERNAL_H
#define TALLYSTICK_INTERNAL_H

#include "tallystick.h"

/* ---- core/fast/words/by_direction.h ---- */
/*
 * The functions of tallystick/fast.h with the direction as an argument, for the core and for
 * bindings. Arguments and results are those of the public pairs. */
#ifndef TALLY_FAST_WORDS_BY_DIRECTION_H
#define TALLY_FAST_WORDS_BY_DIRECTION_H

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

TALLY_MUST_CHECK tally_status tally_fast_words(tally_fast_cipher *cipher, tally_direction direction,
                                               const tally_fast_params *params,
                                               const uint8_t *tweak, size_t tweak_size,
                                               const uint8_t *words, size_t count, uint8_t *out);

TALLY_MUST_CHECK tally_status tally_fast_range(tally_fast_cipher *cipher, tally_direction direction,
                                               uint64_t size, const uint8_t *tweak,
                                               size_t tweak_size, const uint64_t *numbers,
                                               size_t count, uint64_t *out);

/* The same with the parameters of tally_fast_range_params for this size, which take as long to find
 * as a number to encrypt. */
TALLY_MUST_CHECK tally_status tally_fast_range_by(tally_fast_cipher *cipher,
                                                  tally_direction direction,
                                                  const tally_fast_params *params, uint64_t size,
                                                  const uint8_t *tweak, size_t tweak_size,
                                                  const uint64_t *numbers, size_t count,
                                                  uint64_t *out);

#endif

/* ---- core/ff1/ff3_1.h ---- */
/*
 * Decryption by FF3-1 inside the core, as ff1.h has it for FF1. If the tweaks have rows, each row is
 * a whole tweak of 7 or 8 bytes, and there is no common part. */
#ifndef TALLY_FF1_FF3_1_H
#define TALLY_FF1_FF3_1_H

/* ---- core/ff1/ff1.h ---- */
/*
 * FF1 inside the core: the direction as an argument, a tweak for each word, words anywhere in
 * memory. */
#ifndef TALLY_FF1_FF1_H
#define TALLY_FF1_FF1_H

/* The tweak of word i is the `common_size` bytes of `common`, then the row_sizes[i] bytes at rows[i].
 * If `rows` is NULL, all words have the common tweak alone. A pointer may be NULL if its size is 0.
 *
 * What depends on the common part is computed once in a call. A word with a tweak of its own costs
 * one more encryption of a block only if the tweak does not fit into the last block beside a number
 * of half the symbols: 11 bytes do at 16 digits. */
typedef struct tally_ff1_tweaks {
    const uint8_t *common;
    size_t common_size;
    const uint8_t *const *rows;
    const size_t *row_sizes;
} tally_ff1_tweaks;

/* As tally_ff1_encrypt_words and tally_ff1_decrypt_words. If the tweaks have rows, one for each
 * word. */
TALLY_MUST_CHECK tally_status tally_ff1_words(const tally_ff1 *cipher, tally_direction direction,
                                              uint32_t length, const tally_ff1_tweaks *tweaks,
                                              const void *words, size_t count, void *out);

/* The same in place on words[0 .. count), which lie anywhere and have any alignment. Symbols must be
 * below the radix: this function does not check that. For an error no word was changed. Memory for
 * long words comes from the allocator, or from malloc if that is NULL.
 * TALLY_ERROR_FF1_LENGTH, TALLY_ERROR_FF1_TWEAK_SIZE, TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_ff1_run(const tally_ff1 *cipher, tally_direction direction,
                                            uint32_t length, const tally_ff1_tweaks *tweaks,
                                            uint8_t *const *words, size_t count,
                                            const tally_allocator *allocator);

/* Whether words of so many symbols can run on lanes of bytes, as they are. */
int tally_ff1_takes_lanes(const tally_ff1 *cipher, uint32_t length);

/* Runs them, if they can: `count` words, a multiple of 64, of one tweak. Symbol p of word k is
 * lanes[p * stride + k]; if it is not below the radix, the word becomes anything. Returns 0, with
 * nothing changed, if they can't, or the tweak is too long. */
int tally_ff1_run_lanes(const tally_ff1 *cipher, tally_direction direction, uint32_t length,
                        const uint8_t *tweak, size_t tweak_size, uint8_t *lanes, size_t stride,
                        size_t count);

#endif

TALLY_MUST_CHECK tally_status tally_ff3_1_words(const tally_ff3_1 *cipher, uint32_t length,
                                                const tally_ff1_tweaks *tweaks, const void *words,
                                                size_t count, void *out);

/* In place, on words anywhere, whose symbols are below the radix. */
TALLY_MUST_CHECK tally_status tally_ff3_1_run(const tally_ff3_1 *cipher, uint32_t length,
                                              const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                              size_t count);

#endif

#endif
