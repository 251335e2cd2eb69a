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

#endif
