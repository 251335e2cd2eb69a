/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks from the STM32L0's random number generator, with time-outs and health tests. */
#ifndef TALLY_STM32L0_RNG_H
#define TALLY_STM32L0_RNG_H

#include "tallystick/masked_random.h"

/* Switches the generator and its 48 MHz clock on, clears old errors, and does the start-up test:
 * 77,000 to 114,000 cycles. Call it after a reset, and again after any TALLY_ERROR_ENTROPY: a seed error
 * needs a restart of the generator (RM0376, "Error management"). TALLY_ERROR_ENTROPY: the clock or
 * a word did not come in time, the generator reports an error, or a test failed. */
TALLY_MUST_CHECK tally_status rng_start(void);

/* The source for the functions of masked_aes.h, after rng_start. */
extern const tally_mask_source rng_masks;

#endif
