/* SPDX-License-Identifier: Apache-2.0
 *
 * All formats, in the order of the documentation: a new one is a file, and a line here. */
#include "formats/format.h"

/* clang-format off */
#define REGISTRY_FORMATS(X)                                                                        \
    X(digits)                                                                                      \
    X(hex)                                                                                         \
    X(letters)                                                                                     \
    X(alphanumeric)                                                                                \
    X(base64url)                                                                                   \
    X(ascii)                                                                                       \
    X(alphabet)                                                                                    \
    X(card)                                                                                        \
    X(ssn)                                                                                         \
    X(phone)                                                                                       \
    X(email)                                                                                       \
    X(uuid)                                                                                        \
    X(date)                                                                                        \
    X(date_shift)                                                                                  \
    X(integer)                                                                                     \
    X(pattern)                                                                                     \
    X(iban)                                                                                        \
    X(national_id)                                                                                 \
    X(unicode)                                                                                     \
    X(decimal)                                                                                     \
    X(timestamp)                                                                                   \
    X(imei)                                                                                        \
    X(ipv4)                                                                                        \
    X(ipv6)                                                                                        \
    X(ipcrypt)                                                                                     \
    X(mask)                                                                                        \
    X(pseudonym)                                                                                   \
    X(bucket)                                                                                      \
    X(truncate)
/* clang-format on */

#define REGISTRY_DECLARE(name)                                                                     \
    extern const tally_format_class tally_format_##name;                                           \
    extern const tally_format_about tally_about_##name;
#define REGISTRY_LIST(name)  &tally_format_##name,
#define REGISTRY_ABOUT(name) &tally_about_##name,

REGISTRY_FORMATS(REGISTRY_DECLARE)

const tally_format_class *const tally_format_classes[] = {REGISTRY_FORMATS(REGISTRY_LIST) NULL};

const tally_format_about *const tally_format_abouts[] = {REGISTRY_FORMATS(REGISTRY_ABOUT)};
