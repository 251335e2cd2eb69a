/* SPDX-License-Identifier: Apache-2.0
 *
 * The format "iban" (ISO 13616): the account changes, the country stays, the check digits are
 * right. Check digits inside the account part, which some countries have, are encrypted like its
 * other digits. */
#include <string.h>

#include "formats/layouts_lanes.h"

enum { IBAN_ACCOUNT = 30 /* characters, at most */, IBAN_GROUP = 4 };

/* How each country makes the account part (BBAN) of its IBANs, from SWIFT's IBAN registry, version
 * 101: n digits, a letters A-Z, c letters or digits, each behind how many there are. Tokens of a
 * country depend on its line. Countries may be added; a line is not changed, or the country's
 * tokens could not be revealed any more. */
static const struct {
    char country[3], structure[10];
} iban_structures[] = {
    {"AD", "8n12c"},    {"AE", "19n"},      {"AL", "8n16c"},    {"AT", "16n"},
    {"AZ", "4a20c"},    {"BA", "16n"},      {"BE", "12n"},      {"BG", "4a6n8c"},
    {"BH", "4a14c"},    {"BI", "23n"},      {"BR", "23n1a1c"},  {"BY", "4c4n16c"},
    {"CH", "5n12c"},    {"CR", "18n"},      {"CY", "8n16c"},    {"CZ", "20n"},
    {"DE", "18n"},      {"DJ", "23n"},      {"DK", "14n"},      {"DO", "4c20n"},
    {"EE", "16n"},      {"EG", "25n"},      {"ES", "20n"},      {"FI", "14n"},
    {"FK", "2a12n"},    {"FO", "14n"},      {"FR", "10n11c2n"}, {"GB", "4a14n"},
    {"GE", "2a16n"},    {"GI", "4a15c"},    {"GL", "14n"},      {"GR", "7n16c"},
    {"GT", "24c"},      {"HN", "4a20n"},    {"HR", "17n"},      {"HU", "24n"},
    {"IE", "4a14n"},    {"IL", "19n"},      {"IQ", "4a15n"},    {"IS", "22n"},
    {"IT", "1a10n12c"}, {"JO", "4a4n18c"},  {"KW", "4a22c"},    {"KZ", "3n13c"},
    {"LB", "4n20c"},    {"LC", "4a24c"},    {"LI", "5n12c"},    {"LT", "16n"},
    {"LU", "3n13c"},    {"LV", "4a13c"},    {"LY", "21n"},      {"MC", "10n11c2n"},
    {"MD", "20c"},      {"ME", "18n"},      {"MK", "3n10c2n"},  {"MN", "16n"},
    {"MR", "23n"},      {"MT", "4a5n18c"},  {"MU", "4a19n3a"},  {"NI", "4a20n"},
    {"NL", "4a10n"},    {"NO", "11n"},      {"OM", "3n16c"},    {"PK", "4a16c"},
    {"PL", "24n"},      {"PS", "4a21c"},    {"PT", "21n"},      {"QA", "4a21c"},
    {"RO", "4a16c"},    {"RS", "18n"},      {"RU", "14n15c"},   {"SA", "2n18c"},
    {"SC", "4a20n3a"},  {"SD", "14n"},      {"SE", "20n"},      {"SI", "15n"},
    {"SK", "20n"},      {"SM", "1a10n12c"}, {"SO", "19n"},      {"ST", "21n"},
    {"SV", "4a20n"},    {"TL", "19n"},      {"TN", "20n"},      {"TR", "6n16c"},
    {"UA", "6n19c"},    {"VA", "18n"},      {"VG", "4a16n"},    {"XK", "16n"},
    {"YE", "4a4n18c"},
};

static const tally_option iban_options[] = {TALLY_OPTIONS_END};

/* The characters of a structure's letter; NULL: there is no memory. */
static const tally_choices *iban_choices(tally_layouts *layouts, char kind)
{
    tally_characters characters = {{0, 0}};
    if (kind != 'a') {
        characters.bits[0] = UINT64_C(0x3ff) << '0';
    }
    if (kind != 'n') {
        characters.bits[1] = UINT64_C(0x3ffffff) << ('A' - 64);
    }
    return tally_layouts_choose(layouts, characters);
}

/* The parts of an IBAN without spaces; returns how many, or 0 without memory. */
static size_t iban_parts(tally_layouts *layouts, const char *country, const char *structure,
                         tally_layout_part parts[4 + IBAN_ACCOUNT])
{
    size_t count = 4;
    memset(parts, 0, (4 + IBAN_ACCOUNT) * sizeof *parts);
    parts[0].literal = (uint8_t)country[0];
    parts[1].literal = (uint8_t)country[1];
    for (size_t number = 0; *structure != '\0'; structure++) {
        if (*structure >= '0' && *structure <= '9') {
            number = number * 10 + (size_t)(*structure - '0');
            continue;
        }
        const tally_choices *choices = iban_choices(layouts, *structure);
        if (choices == NULL) {
            return 0;
        }
        for (; number > 0; number--) {
            parts[count++].choices = choices;
        }
    }
    return count;
}

static tally_status iban_add(tally_layouts *layouts, const char *country,
                             const tally_layout_part *parts, size_t count, int spaced)
{
    tally_layout_part written[(4 + IBAN_ACCOUNT) * 5 / 4 + 1];
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        if (spaced && i > 0 && i % IBAN_GROUP == 0) {
            written[width++] = (tally_layout_part){.literal = ' '};
        }
        written[width++] = parts[i];
    }
    return tally_layouts_add(layouts, written, width, TALLY_CHECK_IBAN, (const uint8_t *)country,
                             2);
}

static tally_status iban_make(tally_format *format, const tally_option_value *values,
                              tally_problem *problem)
{
    (void)values, (void)problem;
    format->keeps_size = 1;
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof iban_structures / sizeof *iban_structures; i++) {
        tally_layout_part parts[4 + IBAN_ACCOUNT];
        const char *country = iban_structures[i].country;
        size_t count = iban_parts(layouts, country, iban_structures[i].structure, parts);
        for (int spaced = 0; spaced < 2; spaced++) {
            if (count == 0 || iban_add(layouts, country, parts, count, spaced) != TALLY_OK) {
                return TALLY_ERROR_MEMORY;
            }
        }
    }
    tally_layouts_describe(layouts, format);
    format->example[0] = "DE89 3704 0044 0532 0130 00"; /* the registry's own */
    format->example[1] = "GB29NWBK60161331926819";
    const tally_status final = tally_layouts_final(layouts);
    return final == TALLY_OK ? tally_format_identify(format, "[\"iban\"]", 8) : final;
}

const tally_format_about tally_about_iban = {"IBANs, with check digits; the country stays.", NULL};

const tally_format_class tally_format_iban = {
    .name = "iban",
    .options = iban_options,
    .words = TALLY_WORDS_ANY,
    .make = iban_make,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};
