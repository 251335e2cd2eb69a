/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences for statuses. */
#include "tallystick/base.h"

const char *tally_status_text(tally_status status)
{
    switch (status) {
    case TALLY_OK:
        return "success";
    case TALLY_ERROR_KEY_SIZE:
        return "a key must have 16, 24 or 32 bytes";
    case TALLY_ERROR_RADIX:
        return "the radix must be from 4 to 256, and 256 in the bytes-legacy profile";
    case TALLY_ERROR_LENGTH:
        return "the word's length is outside the profile's range";
    case TALLY_ERROR_PARAMS:
        return "these layers and branch distances do not make a FAST cipher";
    case TALLY_ERROR_SYMBOL:
        return "a symbol is not below the radix, or a value is outside its range";
    case TALLY_ERROR_ARGUMENT:
        return "an argument is outside its documented range";
    case TALLY_ERROR_ENTROPY:
        return "the operating system gave no entropy";
    case TALLY_ERROR_SHARES_FEW:
        return "fewer good shares of one set than its threshold";
    case TALLY_ERROR_SHARES_SETS:
        return "enough shares of more than one set";
    case TALLY_ERROR_SHARES_FALSE:
        return "the shares are not the sharing of one secret";
    }
    return "unknown status";
}
