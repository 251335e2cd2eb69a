/* SPDX-License-Identifier: Apache-2.0
 *
 * Check characters of IBANs and national identifiers, for one instruction set: rows side by side, a
 * lane of 16 bits each. Characters that are not of the layout give any result, and no harm.
 *
 * layouts_body.h includes this. */

/* x modulo 5..97, for x below 2^15: the quotient is the upper half of a product, shifted. */
#define LAYOUTS_SHIFT(m) ((m) > 64 ? 6 : (m) > 32 ? 5 : (m) > 16 ? 4 : (m) > 8 ? 3 : 2)
#define LAYOUTS_REST(x, m)                                                                         \
    ((x) -                                                                                         \
     (LAYOUTS_HIGH(x, (uint16_t)((0x10000U << LAYOUTS_SHIFT(m)) / (m) + 1)) >> LAYOUTS_SHIFT(m)) * \
         (uint16_t)(m))

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(load)(const uint8_t *from)
{
    LAYOUTS(bytes) bytes;
    memcpy(&bytes, from, sizeof bytes);
    return LAYOUTS(widen)(bytes);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(store)(uint8_t *to, LAYOUTS(vec) value)
{
    LAYOUTS(bytes) bytes = LAYOUTS(narrow)(value);
    memcpy(to, &bytes, sizeof bytes);
}

/* Character i of a value's fields. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(symbol)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(load)(text + (size_t)layout->symbol[i] * TALLY_LAYOUT_ROWS + row);
}

TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(digit)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row)
{
    return LAYOUTS(symbol)(layout, text, i, row) - '0';
}

/* All bits where x is below y, else none; for numbers below 2^15. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(below)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    return 0 - ((x - y) >> 15);
}

/* All bits where x is 0. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(zero)(LAYOUTS(vec) x)
{
    return 0 - ((~x & (x - 1)) >> 15);
}

/* The sum of the first digits, each times a weight. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(weigh)(const tally_layout *layout, const uint8_t *text, size_t row,
                   const uint8_t *weights, size_t count)
{
    LAYOUTS(vec) sum = LAYOUTS(digit)(layout, text, 0, row) * (uint16_t)weights[0];
    for (size_t i = 1; i < count; i++) {
        sum += LAYOUTS(digit)(layout, text, i, row) * (uint16_t)weights[i];
    }
    return sum;
}

/* All bits where every digit is 0. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(zeros)(const tally_layout *layout, const uint8_t *text, size_t row)
{
    LAYOUTS(vec) any = LAYOUTS(digit)(layout, text, 0, row);
    for (size_t i = 1; i < layout->symbols; i++) {
        any |= LAYOUTS(digit)(layout, text, i, row);
    }
    return LAYOUTS(zero)(any);
}

/* (10 - x) modulo 10. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(to_ten)(LAYOUTS(vec) x)
{
    LAYOUTS(vec) rest = 10 - LAYOUTS_REST(x, 10);
    return LAYOUTS_REST(rest, 10);
}

/* A number below 100 as two digits. */
TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(two_digits)(tally_layout_checks *out, size_t row,
                                                     LAYOUTS(vec) number)
{
    LAYOUTS(vec) tens = number * 205 >> 11;
    LAYOUTS(store)(out->character[0] + row, tens + '0');
    LAYOUTS(store)(out->character[1] + row, number - tens * 10 + '0');
}

/* The number of a digit or letter, 0..35; *letter: all bits where it is a letter, of two digits. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec)
    LAYOUTS(iban_number)(const tally_layout *layout, const uint8_t *text, size_t i, size_t row,
                         LAYOUTS(vec) * letter)
{
    LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
    *letter = 0 - (('9' - c) >> 15);
    return c - '0' - (*letter & 7);
}

/* Two characters at a time, since each step waits for the one before. */
LAYOUTS_TARGET static void LAYOUTS(check_iban)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, one, two;
    size_t i = layout->symbols % 2;
    if (i != 0) {
        rest = LAYOUTS(iban_number)(layout, text, 0, row, &one);
    }
    for (; i < layout->symbols; i += 2) {
        LAYOUTS(vec)
        first = LAYOUTS(iban_number)(layout, text, i, row, &one),
        second = LAYOUTS(iban_number)(layout, text, i + 1, row, &two);
        LAYOUTS(vec) by = 10 - (two & 7); /* 10, or 100 modulo 97 */
        /* 100, 1000 and 10000 are 3, 30 and 9 modulo 97. */
        LAYOUTS(vec) both = 3 + ((one ^ two) & 27) + (one & two & 6);
        rest = rest * both + (first * by + second); /* at most 96 * 30 + 35 * 11 */
        rest = LAYOUTS_REST(rest, 97);
    }
    for (i = 0; i < 2; i++) {
        rest = rest * 100 + (uint16_t)(layout->literal[i].character - 'A' + 10);
        rest = LAYOUTS_REST(rest, 97);
    }
    rest = rest * 100;
    LAYOUTS(two_digits)(out, row, 98 - LAYOUTS_REST(rest, 97));
}

/* The rest modulo 11 of a weighted sum, if it is a digit. */
TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_eleven)(LAYOUTS(vec) rest, size_t row,
                                                       tally_layout_checks *out)
{
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(below)(rest & 0, rest - 9) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_au_tfn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 4, 3, 7, 5, 8, 6, 9};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(check_eleven)(LAYOUTS_REST(sum, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_gb_nhs)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = 11 - LAYOUTS_REST(sum, 11);
    LAYOUTS(check_eleven)(LAYOUTS_REST(rest, 11), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_nl_bsn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {9, 8, 7, 6, 5, 4, 3, 2};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    LAYOUTS(store)(out->character[0] + row, rest + '0');
    LAYOUTS(vec) invalid = LAYOUTS(below)(rest & 0, rest - 9) | LAYOUTS(zeros)(layout, text, row);
    LAYOUTS(store)(out->invalid + row, invalid & 1);
}

/* Brazil's digit: 11 less the rest modulo 11, and 0 instead of 10 and 11. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(brazil)(LAYOUTS(vec) sum)
{
    LAYOUTS(vec) rest = LAYOUTS_REST(sum, 11);
    return (11 - rest) & ~LAYOUTS(below)(rest, (rest & 0) + 2);
}

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_brazil)(const tally_layout *layout,
                                                       const uint8_t *text, size_t row,
                                                       const uint8_t *first, const uint8_t *second,
                                                       size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) one = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, first, count));
    LAYOUTS(vec) two = LAYOUTS(brazil)(LAYOUTS(weigh)(layout, text, row, second, count) + one * 2);
    LAYOUTS(store)(out->character[0] + row, one + '0');
    LAYOUTS(store)(out->character[1] + row, two + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zeros)(layout, text, row) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cnpj)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_br_cpf)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t first[] = {10, 9, 8, 7, 6, 5, 4, 3, 2},
                         second[] = {11, 10, 9, 8, 7, 6, 5, 4, 3};
    LAYOUTS(check_brazil)(layout, text, row, first, second, sizeof first, out);
}

/* Luhn's digit for the last `count` digits. */
TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(check_luhn_of)(const tally_layout *layout,
                                                        const uint8_t *text, size_t row,
                                                        size_t count, tally_layout_checks *out)
{
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 1; i <= count; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, layout->symbols - i, row);
        sum += digit;
        if (i % 2 == 1) { /* doubled, less 9 above 9 */
            sum += digit - (LAYOUTS(below)((digit & 0) + 4, digit) & 9);
        }
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_luhn)(const tally_layout *layout, const uint8_t *text,
                                               size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, layout->symbols, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_se)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    LAYOUTS(check_luhn_of)(layout, text, row, 9, out); /* without the century */
}

LAYOUTS_TARGET static void LAYOUTS(check_ch_ssn)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    sum += 7 * 1 + 5 * 3 + 6 * 1;
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

/* ISO 7064, mod 11,10, of ten digits. */
LAYOUTS_TARGET static void LAYOUTS(check_hr_oib)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) check = (LAYOUTS(load)(text) & 0) + 5, twice;
    for (size_t i = 0; i < 10; i++) {
        twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
        check = LAYOUTS_REST(twice, 11) + LAYOUTS(digit)(layout, text, i, row);
        check = LAYOUTS_REST(check, 10);
    }
    twice = (check + (LAYOUTS(zero)(check) & 10)) * 2;
    check = 11 - LAYOUTS_REST(twice, 11);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(check, 10) + '0');
}

/* The digits that came so often, as bits. */
typedef struct LAYOUTS(counts) {
    LAYOUTS(vec) once, twice, thrice, more;
} LAYOUTS(counts);

TALLY_INLINE LAYOUTS_TARGET void LAYOUTS(count)(LAYOUTS(counts) * to, LAYOUTS(vec) digit)
{
    LAYOUTS(vec) bit = ((digit & 0) + 1) << (digit & 15);
    to->more |= to->thrice & bit;
    to->thrice |= to->twice & bit;
    to->twice |= to->once & bit;
    to->once |= bit;
}

/* All bits where exactly one digit came more than once, and at most three times. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(one_repeated)(const LAYOUTS(counts) * counts)
{
    return LAYOUTS(zero)(counts->more) & LAYOUTS(zero)(counts->twice & (counts->twice - 1)) &
           ~LAYOUTS(zero)(counts->twice);
}

LAYOUTS_TARGET static void LAYOUTS(check_de_idnr)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) none = LAYOUTS(load)(text) & 0;
    LAYOUTS(counts) counts = {none, none, none, none};
    for (size_t i = 0; i < 10; i++) {
        LAYOUTS(count)(&counts, LAYOUTS(digit)(layout, text, i, row));
    }
    LAYOUTS(check_hr_oib)(layout, text, row, out);
    LAYOUTS(store)(out->invalid + row, ~LAYOUTS(one_repeated)(&counts) & 1);
}

/* Of the German number, of which four in a hundred are values. */
LAYOUTS_TARGET static void LAYOUTS(exclude)(const tally_layout *layout, tally_mixed_digits digits,
                                            size_t rows, uint8_t excluded[TALLY_LAYOUT_ROWS])
{
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(vec) digit, none;
        memcpy(&digit, digits[0] + row, sizeof digit);
        none = digit & 0;
        LAYOUTS(counts) counts = {none, none, none, none};
        LAYOUTS(count)(&counts, digit + 1); /* it is 1 to 9 */
        for (size_t p = 1; p < layout->fields; p++) {
            memcpy(&digit, digits[p] + row, sizeof digit);
            LAYOUTS(count)(&counts, digit);
        }
        LAYOUTS(store)(excluded + row, ~LAYOUTS(one_repeated)(&counts) & 1);
    }
}

/* The character of a text that has a rest's number. Rests of characters that are no digits may be
 * anything. */
LAYOUTS_TARGET static void LAYOUTS(check_by_text)(LAYOUTS(vec) rest, const char text[33],
                                                  size_t row, tally_layout_checks *out)
{
    uint8_t *to = out->character[0] + row;
    LAYOUTS(store)(to, rest & 31);
    for (size_t i = 0; i < LAYOUTS_LANES; i++) {
        to[i] = (uint8_t)text[to[i]];
    }
}

/* The digits first .. end - 1, appended to a rest modulo m. */
#define LAYOUTS_NUMBER(rest, first, end, m)                                                        \
    for (size_t i_ = (first); i_ < (end); i_++) {                                                  \
        rest = rest * 10 + LAYOUTS(digit)(layout, text, i_, row);                                  \
        rest = LAYOUTS_REST(rest, m);                                                              \
    }

static const char LAYOUTS(spanish)[33] = "TRWAGMYFPDXBNJZSQVHLCKE         ";

LAYOUTS_TARGET static void LAYOUTS(check_es_dni)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_es_nie)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(symbol)(layout, text, 0, row) - 'X';
    LAYOUTS_NUMBER(rest, 1, 8, 23)
    LAYOUTS(check_by_text)(rest, LAYOUTS(spanish), row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fi_hetu)(const tally_layout *layout, const uint8_t *text,
                                                  size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0;
    LAYOUTS_NUMBER(rest, 0, 6, 31) /* not the century */
    LAYOUTS_NUMBER(rest, 7, 10, 31)
    LAYOUTS(check_by_text)(rest, "0123456789ABCDEFHJKLMNPRSTUVWXY ", row, out);
}

LAYOUTS_TARGET static void LAYOUTS(check_fr_nir)(const tally_layout *layout, const uint8_t *text,
                                                 size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec) rest = LAYOUTS(load)(text) & 0, last = LAYOUTS(symbol)(layout, text, 6, row);
    LAYOUTS(vec) corsica = 0 - (('9' - last) >> 15), department;
    LAYOUTS_NUMBER(rest, 0, 5, 97)
    /* 2A counts as 19, and 2B as 18. */
    department = (LAYOUTS(digit)(layout, text, 5, row) * 10 + (last - '0')) & ~corsica;
    department |= (19 + 'A' - last) & corsica;
    rest = rest * 100 + department;
    rest = LAYOUTS_REST(rest, 97);
    LAYOUTS_NUMBER(rest, 7, 13, 97)
    LAYOUTS(two_digits)(out, row, 97 - rest);
}

/* The product in the group of Verhoeff's scheme, the symmetries of a pentagon: 5..9 are
 * reflections. */
TALLY_INLINE LAYOUTS_TARGET LAYOUTS(vec) LAYOUTS(pentagon)(LAYOUTS(vec) x, LAYOUTS(vec) y)
{
    LAYOUTS(vec)
    four = (x & 0) + 4, turned = LAYOUTS(below)(four, x), turns = LAYOUTS(below)(four, y);
    LAYOUTS(vec) from = x - (turned & 5), by = y - (turns & 5);
    LAYOUTS(vec) sum = from + ((by & ~turned) | ((5 - by) & turned));
    return LAYOUTS_REST(sum, 5) + ((turned ^ turns) & 5);
}

LAYOUTS_TARGET static void LAYOUTS(check_in_aadhaar)(const tally_layout *layout,
                                                     const uint8_t *text, size_t row,
                                                     tally_layout_checks *out)
{
    /* Of each power of the permutation: four bits for each of 0..3, of 4..7, and of 8 and 9. */
    static const uint16_t powers[8][3] = {{0x3210, 0x7654, 0x98}, {0x6751, 0x0382, 0x49},
                                          {0x3085, 0x1697, 0x24}, {0x6198, 0x5340, 0x72},
                                          {0x3549, 0x8621, 0x07}, {0x6824, 0x9375, 0x10},
                                          {0x3972, 0x4608, 0x51}, {0x6407, 0x2319, 0x85}};
    LAYOUTS(vec) check = LAYOUTS(load)(text) & 0, differs = check;
    for (size_t i = 1; i <= 11; i++) {
        LAYOUTS(vec) digit = LAYOUTS(digit)(layout, text, 11 - i, row);
        LAYOUTS(vec) third = (check & 0) + 3, seventh = third + 4, place = (digit & 3) * 4;
        LAYOUTS(vec) middle = LAYOUTS(below)(third, digit), end = LAYOUTS(below)(seventh, digit);
        const uint16_t *power = powers[i % 8];
        LAYOUTS(vec) from = (power[0] & ~middle) | (power[1] & middle & ~end) | (power[2] & end);
        check = LAYOUTS(pentagon)(check, from >> place & 15);
    }
    LAYOUTS(vec) turned = LAYOUTS(below)((check & 0) + 4, check), back = 5 - check;
    check = (check & turned) | (LAYOUTS_REST(back, 5) & ~turned);
    LAYOUTS(store)(out->character[0] + row, check + '0');
    for (size_t i = 1; i < 6; i++) {
        differs |=
            LAYOUTS(symbol)(layout, text, i, row) ^ LAYOUTS(symbol)(layout, text, 11 - i, row);
    }
    differs |= LAYOUTS(symbol)(layout, text, 0, row) ^ (check + '0');
    LAYOUTS(store)(out->invalid + row, LAYOUTS(zero)(differs) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_it)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t odd[32] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    const uint8_t *year = text + (size_t)layout->symbol[6] * TALLY_LAYOUT_ROWS + row;
    uint8_t number[LAYOUTS_LANES];
    LAYOUTS(vec) sum = LAYOUTS(load)(text) & 0;
    for (size_t i = 0; i < 15; i++) {
        LAYOUTS(vec) c = LAYOUTS(symbol)(layout, text, i, row);
        LAYOUTS(vec) letter = 0 - (('9' - c) >> 15);
        LAYOUTS(vec) value = (c - '0' - (letter & ('A' - '0'))) & 31;
        if (i % 2 == 0) {
            LAYOUTS(store)(number, value);
            for (size_t k = 0; k < LAYOUTS_LANES; k++) {
                number[k] = odd[number[k]];
            }
            value = LAYOUTS(load)(number);
        }
        sum += value;
    }
    LAYOUTS(store)(out->character[0] + row, LAYOUTS_REST(sum, 26) + 'A');
    /* A 29th of February, B29 or B69, of another year than a leap year. */
    LAYOUTS(vec) years = (LAYOUTS(load)(year) - '0') * 10 + LAYOUTS(digit)(layout, text, 7, row);
    LAYOUTS(vec) tens = LAYOUTS(symbol)(layout, text, 9, row);
    LAYOUTS(vec)
    leap_day = LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 8, row) ^ 'B') &
               LAYOUTS(zero)(LAYOUTS(symbol)(layout, text, 10, row) ^ '9') &
               (LAYOUTS(zero)(tens ^ '2') | LAYOUTS(zero)(tens ^ '6'));
    LAYOUTS(store)(out->invalid + row, leap_day & ~LAYOUTS(zero)(years & 3) & 1);
}

LAYOUTS_TARGET static void LAYOUTS(check_pl_pesel)(const tally_layout *layout, const uint8_t *text,
                                                   size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3};
    LAYOUTS(vec) sum = LAYOUTS(weigh)(layout, text, row, weights, sizeof weights);
    LAYOUTS(store)(out->character[0] + row, LAYOUTS(to_ten)(sum) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_tr)(const tally_layout *layout, const uint8_t *text,
                                             size_t row, tally_layout_checks *out)
{
    static const uint8_t weights[] = {3, 1, 3, 1, 3, 1, 3, 1, 3},
                         ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    LAYOUTS(vec)
    first = LAYOUTS(to_ten)(LAYOUTS(weigh)(layout, text, row, weights, sizeof weights));
    LAYOUTS(vec) second = LAYOUTS(weigh)(layout, text, row, ones, sizeof ones) + first;
    LAYOUTS(store)(out->character[0] + row, first + '0');
    LAYOUTS(store)(out->character[1] + row, LAYOUTS_REST(second, 10) + '0');
}

LAYOUTS_TARGET static void LAYOUTS(check_ssn)(const tally_layout *layout, const uint8_t *text,
                                              size_t row, tally_layout_checks *out)
{
    LAYOUTS(vec)
    part[3] = {LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0, LAYOUTS(load)(text) & 0};
    for (size_t i = 0; i < 9; i++) {
        LAYOUTS(vec) *number = &part[i < 3 ? 0 : i < 5 ? 1 : 2];
        *number = *number * 10 + LAYOUTS(digit)(layout, text, i, row);
    }
    /* Never assigned are the areas 000, 666 and 900 to 999, the group 00 and the serial 0000. */
    LAYOUTS(vec) most = (part[0] & 0) + 899;
    LAYOUTS(vec)
    never = LAYOUTS(zero)(part[0]) | LAYOUTS(zero)(part[0] ^ 666) | LAYOUTS(below)(most, part[0]) |
            LAYOUTS(zero)(part[1]) | LAYOUTS(zero)(part[2]);
    LAYOUTS(store)(out->invalid + row, (layout->in_plan != 0 ? never : ~never) & 1);
}

#if !defined(LAYOUTS_OWN_PHONE)
LAYOUTS_TARGET static void LAYOUTS(check_phone)(const tally_layout *layout, const uint8_t *text,
                                                size_t row, tally_layout_checks *out)
{
    for (size_t i = row; i < row + LAYOUTS_LANES; i++) {
        /* None begins with 00, behind which a calling code comes. */
        out->invalid[i] =
            tally_phone_in_plan(layout->root, text + i, TALLY_LAYOUT_ROWS) != layout->in_plan ||
            (text[i] == '0' && text[i + TALLY_LAYOUT_ROWS] == '0');
    }
}
#endif

typedef void LAYOUTS(check)(const tally_layout *layout, const uint8_t *text, size_t row,
                            tally_layout_checks *out);

/* By rule. */
static LAYOUTS(check) *const LAYOUTS(rules)[] = {
    [TALLY_CHECK_IBAN] = LAYOUTS(check_iban),
    [TALLY_CHECK_AU_TFN] = LAYOUTS(check_au_tfn),
    [TALLY_CHECK_BR_CNPJ] = LAYOUTS(check_br_cnpj),
    [TALLY_CHECK_BR_CPF] = LAYOUTS(check_br_cpf),
    [TALLY_CHECK_LUHN] = LAYOUTS(check_luhn),
    [TALLY_CHECK_CH_SSN] = LAYOUTS(check_ch_ssn),
    [TALLY_CHECK_DE_IDNR] = LAYOUTS(check_de_idnr),
    [TALLY_CHECK_ES_DNI] = LAYOUTS(check_es_dni),
    [TALLY_CHECK_ES_NIE] = LAYOUTS(check_es_nie),
    [TALLY_CHECK_FI_HETU] = LAYOUTS(check_fi_hetu),
    [TALLY_CHECK_FR_NIR] = LAYOUTS(check_fr_nir),
    [TALLY_CHECK_GB_NHS] = LAYOUTS(check_gb_nhs),
    [TALLY_CHECK_HR_OIB] = LAYOUTS(check_hr_oib),
    [TALLY_CHECK_IN_AADHAAR] = LAYOUTS(check_in_aadhaar),
    [TALLY_CHECK_IT_CODICEFISCALE] = LAYOUTS(check_it),
    [TALLY_CHECK_NL_BSN] = LAYOUTS(check_nl_bsn),
    [TALLY_CHECK_PL_PESEL] = LAYOUTS(check_pl_pesel),
    [TALLY_CHECK_SE_PERSONNUMMER] = LAYOUTS(check_se),
    [TALLY_CHECK_TR_TCKIMLIK] = LAYOUTS(check_tr),
    [TALLY_CHECK_SSN] = LAYOUTS(check_ssn),
    [TALLY_CHECK_PHONE] = LAYOUTS(check_phone),
};

/* The check characters of a block. */
LAYOUTS_TARGET static void LAYOUTS(make_checks)(const tally_layout *layout, const uint8_t *text,
                                                size_t rows, tally_layout_checks *out)
{
    memset(out->invalid, 0, sizeof out->invalid);
    for (size_t row = 0; row < rows; row += LAYOUTS_LANES) {
        LAYOUTS(rules)[layout->check_rule](layout, text, row, out);
    }
}

#undef LAYOUTS_REST
#undef LAYOUTS_SHIFT
#undef LAYOUTS_NUMBER
