/* SPDX-License-Identifier: Apache-2.0
 *
 * The cipher of a format: FAST, or FF1 where the standard is needed. Every format that has words or
 * numbers takes the options `cipher` and `tweak_hex`. */
#ifndef TALLY_FORMATS_CIPHERS_H
#define TALLY_FORMATS_CIPHERS_H

#include "formats/options.h"
#include "tallystick/ff1.h"

typedef enum tally_cipher {
    TALLY_CIPHER_FAST = 0,
    TALLY_CIPHER_FF1,      /* domains of 1,000,000 values and more */
    TALLY_CIPHER_FF1_2016, /* of 100 and more, with allow_tiny_domain */
    TALLY_CIPHER_FF3_1     /* tokens are revealed, and never made */
} tally_cipher;

enum {
    TALLY_FF1_DOMAIN = 1000000, /* values, by Revision 1 of SP 800-38G */
    TALLY_FF1_2016_DOMAIN = 100,
    TALLY_PLAIN_TWEAK = 256
};

typedef struct tally_cipher_choice {
    tally_cipher cipher;
    /* 1: the plain cipher, as other programs have it. The key is the data key itself, and the tweak
     * is `tweak`, then the row's own, and nothing else. */
    int is_plain;
    size_t tweak_size;
    uint8_t tweak[TALLY_PLAIN_TWEAK];
} tally_cipher_choice;

/* The two options, which end with an empty one. */
extern const tally_option tally_cipher_options[];

/* Reads the values of the options. Returns 0 with the problem if they make no choice. */
int tally_cipher_read(const tally_option_value *values, tally_cipher_choice *out,
                      tally_problem *problem);

/* The cipher that makes the tokens: both profiles of FF1 make the same. */
static inline tally_cipher tally_cipher_algorithm(tally_cipher cipher)
{
    return cipher == TALLY_CIPHER_FF1_2016 ? TALLY_CIPHER_FF1 : cipher;
}

/* Its name in descriptions, such as "ff1". */
const char *tally_cipher_name(tally_cipher cipher);

#endif
