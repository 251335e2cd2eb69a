/* SPDX-License-Identifier: Apache-2.0
 *
 * A sentence for each status of every module. */
#include "tallystick/aes.h"
#include "tallystick/base.h"
#include "tallystick/fast.h"
#include "tallystick/ff1.h"
#include "tallystick/keyring.h"
#include "tallystick/masked_modes.h"
#include "tallystick/policy.h"
#include "tallystick/shares.h"
#include "tallystick/text.h"
#include "tallystick/tokens.h"

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
    case TALLY_ERROR_TAG:
        return "the tag is not that of the message under this key";
    case TALLY_ERROR_RADIX:
        return "the radix is not from 4 to 256, or not that of the cipher or its profile";
    case TALLY_ERROR_LENGTH:
        return "the length is outside its range";
    case TALLY_ERROR_PARAMS:
        return "these layers and branch distances do not make a FAST cipher";
    case TALLY_ERROR_SYMBOL:
        return "a symbol is not below the radix, or a number is outside its range; symbols are "
               "numbers from 0, not characters";
    case TALLY_ERROR_SHARES_FEW:
        return "fewer good shares of one set than its threshold";
    case TALLY_ERROR_SHARES_SETS:
        return "more than one set has enough shares";
    case TALLY_ERROR_SHARES_FALSE:
        return "the shares were not made from one secret";
    case TALLY_ERROR_FORMAT:
        return "the description makes no format; its problem says why";
    case TALLY_ERROR_TYPE:
        return "the format does not take columns of this type";
    case TALLY_ERROR_ONE_WAY:
        return "tokens of this format can't be revealed";
    case TALLY_ERROR_READ_ONLY:
        return "cipher ff3-1 reveals tokens and makes none";
    case TALLY_ERROR_NAMESPACE:
        return "a namespace must have 1 to 256 bytes of UTF-8";
    case TALLY_ERROR_INVALID:
        return "a value is invalid for its format";
    case TALLY_ERROR_ARRAY:
        return "an Arrow structure is damaged";
    case TALLY_ERROR_CAPACITY:
        return "there is too little room for the result";
    case TALLY_ERROR_TWEAKS:
        return "the tweaks do not fit the values";
    case TALLY_ERROR_PROTECT_ONLY:
        return "the key may only protect: the key ring gives it no right to reveal";
    case TALLY_ERROR_REVEAL_ONLY:
        return "the key may only reveal: the key ring gives it no right to protect";
    case TALLY_ERROR_KEYRING:
        return "not a key ring, or a damaged or edited one";
    case TALLY_ERROR_ROOT_KEY:
        return "the root key is not that of the key ring";
    case TALLY_ERROR_NO_KEY:
        return "the key ring has no such key";
    case TALLY_ERROR_REFERENCE:
        return "a key reference has the form name:version, for example people:1";
    case TALLY_ERROR_POLICY:
        return "this is no policy; its problem says why";
    case TALLY_ERROR_FF1_RADIX:
        return "a radix of FF1 must be from 2 to 65536";
    case TALLY_ERROR_FF1_LENGTH:
        return "the length is outside the range for this radix";
    case TALLY_ERROR_FF1_SYMBOL:
        return "a symbol is not below the radix; symbols are numbers from 0, not characters";
    case TALLY_ERROR_FF1_TWEAK_SIZE:
        return "a tweak of FF1 has at most 4294967295 bytes, and one of FF3-1 has 7 or 8";
    case TALLY_ERROR_TEXT_CHECK_BITS:
        return "the check of a token in text has 40 to 128 bits, in steps of 8";
    case TALLY_ERROR_TEXT_KIND:
        return "a kind has 1 to 32 of a-z, 0-9 and '_', begins with a letter and does not end in "
               "tly";
    case TALLY_ERROR_TEXT_VALUE:
        return "a value in text has 1 to 4096 bytes";
    case TALLY_ERROR_TEXT_KEYS:
        return "a restorer has 1 to 16 keys with one number of check bits";
    default:
        return "unknown status";
    }
}
