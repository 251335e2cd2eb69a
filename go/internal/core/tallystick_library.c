//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/library as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"


/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/library/status.c ---- */
/*
 * A sentence for each status of every module. */

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
    case TALLY_ERROR_FORMAT:
        return "the description makes no format; its problem says why";
    case TALLY_ERROR_TYPE:
        return "the format does not take columns of this type";
    case TALLY_ERROR_ONE_WAY:
        return "tokens of this format can't be revealed";
    case TALLY_ERROR_NAMESPACE:
        return "a namespace must have 1 to 256 bytes of UTF-8";
    case TALLY_ERROR_INVALID:
        return "a value is invalid for its format";
    case TALLY_ERROR_ARRAY:
        return "an Arrow structure is damaged";
    case TALLY_ERROR_ROOM:
        return "there is too little room for the result";
    case TALLY_ERROR_TWEAKS:
        return "the tweaks do not fit the values";
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
        return "the length is above 65536, or too short for this radix";
    case TALLY_ERROR_FF1_SYMBOL:
        return "a symbol is not below the radix";
    case TALLY_ERROR_FF1_TWEAK_SIZE:
        return "a tweak must have at most 4294967295 bytes";
    default:
        return "unknown status";
    }
}

/* ---- core/library/version.c ---- */
/*
 * The version of the library: that of python/tallystick/__init__.py, to which a test compares
 * it. */

const char *tally_version(void)
{
    return "0.1.0";
}

TALLY_VISIBILITY_POP
