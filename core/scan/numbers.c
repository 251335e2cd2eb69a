/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers with a check: cards, IBANs, national identifiers, phone numbers. The formats of the library
 * check them; here is what may stand around and inside them. */
#include <string.h>

#include "columns/luhn.h"
#include "formats/layouts.h"
#include "formats/phone.h"
#include "scan/scanner.h"

enum {
    NUMBERS_CARD_MOST = 19, /* digits */
    NUMBERS_ID_LEAST = 9,   /* letters and digits of a national identifier */
    NUMBERS_ID_MOST = 16,
    NUMBERS_ID_WIDTH = SCAN_WIDTHS - 1,
    NUMBERS_IBAN_LEAST = 15,
    NUMBERS_IBAN_MOST = 42, /* with spaces */
    NUMBERS_PHONE_LEAST = 8,
    NUMBERS_PHONE_MOST = 15, /* digits */
    NUMBERS_PHONE_WIDTH = 32
};

static int numbers_is_digit(uint8_t byte)
{
    return scan_is(byte, SCAN_DIGIT);
}

/* Whether a number goes on before a place: 1.5, 1,5, 2-5. */
static int numbers_is_joined(const uint8_t *at)
{
    return scan_is(at[-1], SCAN_JOINT) && scan_is(at[-2], SCAN_WORD);
}

/* Whether a number goes on behind it. */
static int numbers_goes_on(const uint8_t *end)
{
    return scan_is(*end, SCAN_WORD) || (scan_is(*end, SCAN_JOINT) && numbers_is_digit(end[1]));
}

/* `size` bytes with `digits` digits. */
static void numbers_card(tally_scanner *s, const uint8_t *at, size_t size)
{
    uint8_t digit[NUMBERS_CARD_MOST];
    uint32_t first_six = 0, digits = 0;
    for (size_t i = 0; i < size; i++) {
        if (numbers_is_digit(at[i])) {
            digit[digits] = at[i] - '0';
            first_six = digits < 6 ? first_six * 10 + digit[digits] : first_six;
            digits++;
        }
    }
    s->steps += size;
    if (tally_scan_is_card(first_six, digits) &&
        tally_luhn_digit(digit, digits, digits - 1) == digit[digits - 1]) {
        uint32_t certainty = size > digits  ? TALLY_SCAN_STRONG
                             : digits >= 15 ? TALLY_SCAN_FAIR
                                            : TALLY_SCAN_WEAK;
        if (certainty < TALLY_SCAN_STRONG && (tally_scan_context(s, at) & SCAN_CONTEXT_CARD) != 0) {
            certainty++;
        }
        tally_scan_add(s, at, size, TALLY_SCAN_CARD, TALLY_SCAN_CARD, certainty);
    }
}

/* The digits of a group at a place. */
static size_t numbers_group(const uint8_t *at, size_t most)
{
    size_t size = 0;
    while (size < most && numbers_is_digit(at[size])) {
        size++;
    }
    return size;
}

/* Groups as cards have them: 4-4-4-4, 4-4-4-4-3, 4-6-5, 4-6-4, 4-4-5. */
static void numbers_card_groups(tally_scanner *s, const uint8_t *at)
{
    static const uint8_t layouts[][6] = {{4, 4, 4, 4, 3, 0},
                                         {4, 4, 4, 4, 0, 0},
                                         {4, 6, 5, 0, 0, 0},
                                         {4, 6, 4, 0, 0, 0},
                                         {4, 4, 5, 0, 0, 0}};
    const uint8_t separator = at[4];
    if (at[-1] == separator && numbers_is_digit(at[-2]) && numbers_is_digit(at[-3]) &&
        scan_is(at[-4], SCAN_CAPITAL) && scan_is(at[-5], SCAN_CAPITAL) &&
        !scan_is(at[-6], SCAN_WORD)) { /* a group of four comes before it, as in an IBAN */
        return;
    }
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        size_t size = 0, group = 0;
        while (layouts[i][group] != 0) {
            if (group > 0 && at[size++] != separator) {
                break;
            }
            if (numbers_group(at + size, 7) != layouts[i][group]) {
                break;
            }
            size += layouts[i][group++];
        }
        s->steps += size;
        if (layouts[i][group] == 0 && !numbers_goes_on(at + size)) {
            numbers_card(s, at, size);
        }
    }
}

/* A national identifier of one width, of some kinds. */
static void numbers_id(tally_scanner *s, const uint8_t *at, size_t size, size_t gaps,
                       int punctuated, uint32_t kinds)
{
    const tally_scan_rules *rules = s->rules;
    kinds &= gaps < SCAN_GAPS ? rules->of_shape[size][gaps] : 0;
    if (kinds == 0) {
        return;
    }
    /* The words before it are looked at first: they cost less than checks that they make useless. */
    const uint32_t more = (tally_scan_context(s, at) & SCAN_CONTEXT_NATIONAL_ID) != 0;
    kinds &= more != 0 ? rules->with_word[punctuated] : rules->certain[punctuated];
    for (uint32_t i = 0; kinds != 0; i++, kinds >>= 1) {
        s->steps += size * (kinds & 1);
        if ((kinds & 1) != 0 &&
            tally_layouts_reason(rules->national[i]->own, at, size) == TALLY_REASON_NONE) {
            const uint32_t certainty = tally_scan_national(i)->certainty[punctuated] + more;
            tally_scan_add(s, at, size, TALLY_SCAN_NATIONAL_ID, TALLY_SCAN_KINDS + i,
                           certainty < TALLY_SCAN_STRONG ? certainty : TALLY_SCAN_STRONG);
        }
    }
}

/* Whether the least that a national identifier has may be one. Without branches: in logs each number
 * has other neighbors. */
static int numbers_may_be_id(const uint8_t *at)
{
    uint32_t other = 0;
    for (size_t i = 0; i < NUMBERS_ID_LEAST; i++) {
        other |= !scan_is(at[i], SCAN_CAPITAL | SCAN_GAP);
    }
    return other == 0;
}

/* National identifiers that begin here: each end before a space is tried. */
static void numbers_ids(tally_scanner *s, const uint8_t *at)
{
    size_t count = 0, size = 0;
    uint32_t kinds = UINT32_MAX;
    int punctuated = 0;
    s->steps += SCAN_WIDTHS;
    if (!numbers_may_be_id(at) || numbers_is_joined(at)) {
        return;
    }
    while (size < NUMBERS_ID_WIDTH && count <= NUMBERS_ID_MOST) {
        if (scan_is(at[size], SCAN_CAPITAL)) {
            count++;
        } else if (scan_is(at[size], SCAN_GAP) && size > 0 && scan_is(at[size - 1], SCAN_CAPITAL) &&
                   scan_is(at[size + 1], SCAN_CAPITAL)) {
            if (at[size] == ' ' && count >= NUMBERS_ID_LEAST) {
                numbers_id(s, at, size, size - count, punctuated, kinds);
            }
            punctuated |= at[size] != ' ';
            kinds &= s->rules->of_gap[size][at[size] & 7];
            if (kinds == 0) {
                return;
            }
        } else {
            break;
        }
        size++;
    }
    if (count >= NUMBERS_ID_LEAST && count <= NUMBERS_ID_MOST && size < SCAN_WIDTHS &&
        !numbers_goes_on(at + size)) {
        numbers_id(s, at, size, size - count, punctuated, kinds);
    }
}

static void numbers_iban_of(tally_scanner *s, const uint8_t *at, size_t size)
{
    s->steps += size;
    if (tally_layouts_reason(s->rules->iban->own, at, size) == TALLY_REASON_NONE) {
        tally_scan_add(s, at, size, TALLY_SCAN_IBAN, TALLY_SCAN_IBAN, TALLY_SCAN_STRONG);
    }
}

static void numbers_iban(tally_scanner *s, const uint8_t *at)
{
    size_t size = 0;
    const int spaced = at[4] == ' ';
    while (size < NUMBERS_IBAN_MOST) {
        const int gap = spaced && size % 5 == 4;
        if (gap ? at[size] != ' ' : !scan_is(at[size], SCAN_CAPITAL)) {
            break;
        }
        if (gap && size >= NUMBERS_IBAN_LEAST) {
            numbers_iban_of(s, at, size);
        }
        size++;
    }
    s->steps += size;
    if (size >= NUMBERS_IBAN_LEAST && !numbers_goes_on(at + size)) {
        numbers_iban_of(s, at, size);
    }
}

void tally_scan_number(tally_scanner *s, const uint8_t *at, size_t run)
{
    s->steps += run;
    if (run <= 3 && at[run] == '.') {
        tally_scan_ipv4(s, at);
    }
    if (scan_wants(s, TALLY_SCAN_CARD) && !numbers_is_joined(at)) {
        if (run >= 12 && run <= NUMBERS_CARD_MOST && !numbers_goes_on(at + run)) {
            numbers_card(s, at, run);
        } else if (run == 4 && (at[4] == ' ' || at[4] == '-') && numbers_is_digit(at[5]) &&
                   numbers_is_digit(at[7])) { /* no date */
            numbers_card_groups(s, at);
        }
    }
    if (scan_wants(s, TALLY_SCAN_NATIONAL_ID) && run <= NUMBERS_ID_MOST &&
        (run >= NUMBERS_ID_LEAST || scan_is(at[run], SCAN_GAP | SCAN_CAPITAL))) {
        numbers_ids(s, at);
    }
}

void tally_scan_letters(tally_scanner *s, const uint8_t *at)
{
    if (at[0] < 'A' || at[0] > 'Z') {
        return;
    }
    if (scan_is(at[1], SCAN_CAPITAL) && numbers_is_digit(at[2]) && numbers_is_digit(at[3]) &&
        scan_wants(s, TALLY_SCAN_IBAN)) {
        numbers_iban(s, at);
    }
    /* NIE, and codice fiscale: the only ones that begin with a letter. */
    if (((at[0] >= 'X' && at[0] <= 'Z') || (numbers_is_digit(at[6]) && numbers_is_digit(at[7]))) &&
        scan_wants(s, TALLY_SCAN_NATIONAL_ID)) {
        numbers_ids(s, at);
    }
}

void tally_scan_plus(tally_scanner *s, const uint8_t *at)
{
    size_t digits = 0, end[NUMBERS_PHONE_WIDTH], ends = 0, size = 1;
    if (!numbers_is_digit(at[1]) || scan_is(at[-1], SCAN_BASE64) ||
        !scan_wants(s, TALLY_SCAN_PHONE)) {
        return;
    }
    for (; size < NUMBERS_PHONE_WIDTH && digits <= NUMBERS_PHONE_MOST; size++) {
        if (numbers_is_digit(at[size])) {
            digits++;
            if (digits >= NUMBERS_PHONE_LEAST && !scan_is(at[size + 1], SCAN_WORD)) {
                end[ends++] = size + 1;
            }
        } else if (!scan_one_of(" -.()/", at[size]) ||
                   (!numbers_is_digit(at[size + 1]) && at[size + 1] != '(' &&
                    !(at[size] == ')' && scan_one_of(" -./", at[size + 1])))) {
            break;
        }
    }
    s->steps += size;
    while (ends-- > 0) {
        s->steps += end[ends];
        if (tally_phone_is_planned(s->rules->phone, at, end[ends])) {
            const uint32_t context = tally_scan_context(s, at) & SCAN_CONTEXT_PHONE;
            tally_scan_add(s, at, end[ends], TALLY_SCAN_PHONE, TALLY_SCAN_PHONE,
                           context != 0 ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
            return;
        }
    }
}
