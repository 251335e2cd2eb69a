/* SPDX-License-Identifier: Apache-2.0
 *
 * A sentence for each status of every module. */
#include "tallystick/aes.h"
#include "tallystick/base.h"
#include "tallystick/fast.h"
#include "tallystick/shares.h"

const char *tally_status_text(tally_status status)
{
    switch (status) {
    case TALLY_OK:
        return "success";
    case TALLY_ERROR_ARGUMENT:
        return "an argument is outside its documented range";
    case TALLY_ERROR_ENTROPY:
        return "the operating system gave no entropy";
    case TALLY_ERROR_MEMORY:
        return "there is not enough memory";
    case TALLY_ERROR_PROBLEM:
        return "refused; the description of the problem says why";
    case TALLY_ERROR_KEY_SIZE:
        return "a key must have 16, 24 or 32 bytes";
    case TALLY_ERROR_RADIX:
        return "the radix is not from 4 to 256, or not that of the cipher or its profile";
    case TALLY_ERROR_LENGTH:
        return "the length is outside its range";
    case TALLY_ERROR_PARAMS:
        return "these layers and branch distances do not make a FAST cipher";
    case TALLY_ERROR_SYMBOL:
        return "a symbol is not below the radix, or a number is outside its range";
    case TALLY_ERROR_SHARES_FEW:
        return "fewer good shares of one set than its threshold";
    case TALLY_ERROR_SHARES_SETS:
        return "more than one set has enough shares";
    case TALLY_ERROR_SHARES_FALSE:
        return "the shares were not made from one secret";
    default:
        return "unknown status";
    }
}
