/* SPDX-License-Identifier: Apache-2.0
 *
 * The digits of phone numbers in texts. */
#ifndef TALLY_FORMATS_PHONE_H
#define TALLY_FORMATS_PHONE_H

#include "base/arch.h"
#include "base/dispatch.h"
#include "formats/layouts.h"
#include "formats/phone_plans.h"

enum {
    TALLY_PHONE_LAYOUTS = 2 * TALLY_PHONE_PLANS, /* one for each class of a plan */
    TALLY_PHONE_WORK = 195,                      /* layers of FAST of any of them, at most */
    TALLY_PHONE_SLOT = 16,                       /* bytes of a number's national digits */
    TALLY_PHONE_MOST = 18 /* digits of a text before its extension: 00 or 011, too */
};

/* The digits of a text. */
typedef struct tally_phone_text {
    uint8_t digit[64]; /* as characters, zeros behind them */
    uint32_t digits;
    uint32_t international; /* whether it begins with + */
    uint32_t zero;          /* the first digit that is written "(0)"; TALLY_PHONE_MOST: none is */
    uint64_t places;        /* of the digits, as bits; 0: they are not known */
} tally_phone_text;

/* With vectors. Texts that are short and have no extension are read at once. */
typedef struct tally_phone_vectors {
    tally_backend backend;
    /* Returns 0 if the text is another one. */
    int (*read)(const uint8_t *text, size_t size, tally_phone_text *out);
    /* The places of `size` digits from digit `skip` on. */
    uint64_t (*choose)(uint64_t places, uint32_t skip, uint32_t size);
    void (*write)(uint64_t places, const uint8_t digits[TALLY_PHONE_SLOT], uint8_t *text);
} tally_phone_vectors;

extern const tally_phone_vectors tally_phone_avx512;

/* The layout of class number % 2 of plan number / 2, which stays with the format; NULL: the class is
 * empty, or there is no memory. */
const tally_layout *tally_phone_layout(const tally_format *format, size_t number);

/* Whether a text is a number of the plan of its calling code, for a format with a country. */
int tally_phone_is_planned(const tally_format *format, const uint8_t *text, size_t size);

#endif
