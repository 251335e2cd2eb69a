/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks from a true random generator that is one register. A chip whose generator must be switched
 * on, waited for or checked needs its own version of this file. */
#include "firmware.h"

#if !defined(TALLY_RANDOM_REGISTER)
#define TALLY_RANDOM_REGISTER 0x40000000 /* the emulator's */
#endif

/* Words that may lie over any type. */
typedef uint32_t __attribute__((may_alias)) any_word;

static tally_status fill(void *context, uint8_t *out, size_t size)
{
    const volatile uint32_t *source = (const volatile uint32_t *)TALLY_RANDOM_REGISTER;
    (void)context;
    if (((uintptr_t)out | size) % 4 == 0) {
        any_word *words = (void *)out;
        const any_word *const end = words + size / 4;
        for (; end - words >= 8; words += 8) { /* an S-box takes 32 */
            words[0] = *source;
            words[1] = *source;
            words[2] = *source;
            words[3] = *source;
            words[4] = *source;
            words[5] = *source;
            words[6] = *source;
            words[7] = *source;
        }
        for (; words < end; words++) {
            *words = *source;
        }
        return TALLY_OK;
    }
    for (size_t i = 0; i < size; i++) {
        out[i] = (uint8_t)*source;
    }
    return TALLY_OK;
}

const tally_mask_source random_register = {fill, NULL};
