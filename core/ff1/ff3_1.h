/* SPDX-License-Identifier: Apache-2.0
 *
 * Decryption by FF3-1 inside the core, as ff1.h has it for FF1. If the tweaks have rows, each row is
 * a whole tweak of 7 or 8 bytes, and there is no common part. */
#ifndef TALLY_FF1_FF3_1_H
#define TALLY_FF1_FF3_1_H

#include "ff1/ff1.h"

TALLY_MUST_CHECK tally_status tally_ff3_1_words(const tally_ff3_1 *cipher, uint32_t length,
                                                const tally_ff1_tweaks *tweaks, const void *words,
                                                size_t count, void *out);

/* In place, on words anywhere, whose symbols are below the radix. */
TALLY_MUST_CHECK tally_status tally_ff3_1_run(const tally_ff3_1 *cipher, uint32_t length,
                                              const tally_ff1_tweaks *tweaks, uint8_t *const *words,
                                              size_t count);

#endif
