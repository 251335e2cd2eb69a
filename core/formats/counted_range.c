/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of numbers and their notation. */
#include "formats/counted_range.h"

#include "numbers/digits.h"

/* A number of 128 bits; limb 0 is the lowest. */
typedef struct counted_wide {
    uint32_t limb[4];
    int overflow;
} counted_wide;

static void counted_wide_append(counted_wide *number, uint32_t digit)
{
    uint64_t carry = digit;
    for (size_t i = 0; i < 4; i++) {
        carry += (uint64_t)number->limb[i] * 10;
        number->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    number->overflow |= carry != 0;
}

/* Multiplies by a power of ten. */
static void counted_wide_raise(counted_wide *number, int64_t power)
{
    for (int64_t i = 0; i < power && i < 64; i++) {
        counted_wide_append(number, 0);
    }
}

static int counted_wide_is_zero(const counted_wide *number)
{
    return (number->limb[0] | number->limb[1] | number->limb[2] | number->limb[3]) == 0 &&
           !number->overflow;
}

static int counted_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether text is a word, in either case. */
static int counted_is_word(const char *text, size_t size, const char *word)
{
    size_t i = 0;
    for (; i < size && word[i] != '\0'; i++) {
        if ((text[i] | 0x20) != word[i]) {
            return 0;
        }
    }
    return i == size && word[i] == '\0';
}

/* Reads the exponent behind e; returns 0 if it is none. */
static int counted_read_exponent(const char *text, size_t size, int64_t *out)
{
    size_t i = size > 0 && (text[0] == '-' || text[0] == '+');
    int64_t number = 0;
    if (i == size) {
        return 0;
    }
    for (size_t k = i; k < size; k++) {
        if (text[k] < '0' || text[k] > '9') {
            return 0;
        }
        number = number < 100000 ? number * 10 + (text[k] - '0') : number;
    }
    *out += i != 0 && text[0] == '-' ? -number : number;
    return 1;
}

/* Reads digits, at most one point, and an exponent: number * 10^*power. */
static int counted_read_number(const char *text, size_t size, counted_wide *number, int64_t *power)
{
    int64_t zeros = 0, digits = 0;
    int point = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            digits++;
            *power -= point;
            zeros++;
            if (text[i] != '0') { /* zeros at the end are no part of it */
                counted_wide_raise(number, zeros - 1);
                counted_wide_append(number, (uint32_t)(text[i] - '0'));
                zeros = 0;
            } else if (counted_wide_is_zero(number)) {
                zeros = 0;
            }
        } else if (text[i] == '.' && !point) {
            point = 1;
        } else if ((text[i] == 'e' || text[i] == 'E') && digits != 0) {
            *power += zeros;
            return counted_read_exponent(text + i + 1, size - i - 1, power);
        } else if (text[i] != '_') {
            return 0;
        }
    }
    *power += zeros;
    return digits != 0;
}

tally_counted_end_kind tally_counted_end_read(const tally_option_value *value, uint32_t scale,
                                              tally_counted_end *out)
{
    counted_wide number = {{0, 0, 0, 0}, 0};
    int64_t power = 0;
    int negative = 0;
    *out = (tally_counted_end){0, 0, 0};
    if (value->text == NULL) {
        const uint64_t size =
            value->integer < 0 ? 0 - (uint64_t)value->integer : (uint64_t)value->integer;
        negative = value->integer < 0;
        number.limb[0] = (uint32_t)size;
        number.limb[1] = (uint32_t)(size >> 32);
    } else {
        const char *text = value->text;
        size_t size = value->size;
        for (; size > 0 && counted_is_space(text[0]); size--) {
            text++;
        }
        for (; size > 0 && counted_is_space(text[size - 1]);) {
            size--;
        }
        if (size > 0 && (text[0] == '-' || text[0] == '+')) {
            negative = text[0] == '-';
            text++;
            size--;
        }
        if (counted_is_word(text, size, "inf") || counted_is_word(text, size, "infinity") ||
            counted_is_word(text, size, "nan") || counted_is_word(text, size, "snan")) {
            return TALLY_COUNTED_END_FINE;
        }
        if (!counted_read_number(text, size, &number, &power)) {
            return TALLY_COUNTED_END_NONE;
        }
    }
    if (counted_wide_is_zero(&number)) {
        return TALLY_COUNTED_END_EXACT;
    }
    power += scale;
    if (power < 0) {
        return TALLY_COUNTED_END_FINE;
    }
    counted_wide_raise(&number, power);
    out->negative = (uint8_t)negative;
    out->magnitude = number.limb[0] | (uint64_t)number.limb[1] << 32;
    out->beyond = number.overflow || (number.limb[2] | number.limb[3]) != 0;
    return TALLY_COUNTED_END_EXACT;
}

tally_status tally_counted_range_init(tally_format *format, tally_counted *counted,
                                      const tally_counted_range *range)
{
    const tally_counted_end *first = &range->first, *last = &range->last;
    const uint64_t half = UINT64_C(1) << 63;
    const uint64_t a = first->negative ? 0 - first->magnitude : first->magnitude;
    const uint64_t b = last->negative ? 0 - last->magnitude : last->magnitude;
    const int ascends = first->negative != last->negative ? first->negative
                        : first->negative                 ? first->magnitude > last->magnitude
                                                          : first->magnitude < last->magnitude;
    if (first->beyond || last->beyond || !ascends || (first->negative && first->magnitude > half) ||
        (first->negative && !last->negative && first->magnitude > UINT64_MAX - last->magnitude)) {
        return TALLY_ERROR_ARGUMENT;
    }
    counted->first = a;
    counted->negative = first->negative ? first->magnitude : 0;
    return tally_counted_init(format, counted, b - a + 1);
}

int tally_counted_range_fits(const tally_counted_range *range, uint64_t bound)
{
    return tally_counted_range_within(range, bound - 1, bound - 1);
}

int tally_counted_range_within(const tally_counted_range *range, uint64_t negative,
                               uint64_t positive)
{
    return (!range->first.negative || range->first.magnitude <= negative) &&
           (range->last.negative || range->last.magnitude <= positive);
}

int tally_counted_takes_float(const tally_counted_range *range, tally_writer *why)
{
    if (tally_counted_range_fits(range, UINT64_C(1000000000000000))) {
        return 1;
    }
    tally_write(why, "type double holds 15 decimal digits, but the range has more; narrow min and "
                     "max, or convert the column to text, integers or decimals");
    return 0;
}

void tally_counted_end_write(const tally_counted_end *end, tally_writer *writer)
{
    if (end->negative) {
        tally_write_char(writer, '-');
    }
    tally_write_uint(writer, end->magnitude);
}

void tally_counted_range_write(const tally_counted_range *range, tally_writer *writer)
{
    tally_counted_end_write(&range->first, writer);
    tally_write_char(writer, ',');
    tally_counted_end_write(&range->last, writer);
}

/* No-break space, narrow no-break space, thin space, right single quotation mark. */
static const char *const counted_separators[] = {
    ".", ",", " ", "'", "_", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", NULL};

tally_status tally_grouping_init(const tally_format *format, const tally_option_value *separator,
                                 const tally_option_value *point, tally_grouping *out,
                                 tally_problem *problem)
{
    *out = (tally_grouping){.point = '.'};
    if (point != NULL) {
        if (point->size != 1 || (point->text[0] != '.' && point->text[0] != ',')) {
            return tally_format_refuse(format, problem, "decimal_separator",
                                       "decimal_separator must be \".\" or \",\"");
        }
        out->point = (uint8_t)point->text[0];
    }
    if (separator->size == 0) {
        return TALLY_OK;
    }
    for (size_t i = 0; counted_separators[i] != NULL; i++) {
        const size_t size = strlen(counted_separators[i]);
        if (separator->size == size && memcmp(separator->text, counted_separators[i], size) == 0) {
            out->size = (uint32_t)size;
            memcpy(out->separator, counted_separators[i], size);
        }
    }
    if (out->size == 0) {
        return tally_format_refuse(format, problem, "grouping_separator",
                                   "grouping_separator must be \".\", \",\", \"'\", \"_\", an "
                                   "apostrophe (U+2019) or a space (U+0020, U+00A0, U+2009 or "
                                   "U+202F)");
    }
    if (point != NULL && out->size == 1 && out->separator[0] == out->point) {
        return tally_format_refuse(format, problem, "grouping_separator",
                                   "grouping_separator and decimal_separator must differ");
    }
    return TALLY_OK;
}

uint64_t tally_grouping_remove(const tally_grouping *grouping, const uint8_t *text, uint64_t size,
                               uint32_t scale, uint8_t *plain)
{
    const uint64_t minus = size > 0 && text[0] == '-', fraction = scale != 0 ? scale + 1 : 0;
    const uint64_t step = 3 + grouping->size;
    memset(plain, 0, TALLY_GROUPING_PLAIN);
    if (size <= minus + fraction || size > TALLY_GROUPING_PLAIN) {
        return 0;
    }
    const uint64_t whole = size - minus - fraction;
    const uint64_t groups = grouping->size != 0 ? (whole - 1) / step : 0;
    uint64_t digits = whole - groups * step; /* of the first group */
    if ((grouping->size != 0 && digits > 3) ||
        digits + 3 * groups + scale > TALLY_DIGITS_MOST + 1 ||
        (fraction != 0 && text[minus + whole] != grouping->point)) {
        return 0;
    }
    uint64_t at = minus + digits, out = at;
    memcpy(plain, text, (size_t)at);
    for (uint64_t i = 0; i < groups; i++, at += step, out += 3) {
        if (memcmp(text + at, grouping->separator, grouping->size) != 0) {
            return 0;
        }
        memcpy(plain + out, text + at + grouping->size, 3);
    }
    if (fraction != 0) {
        plain[out] = '.';
        memcpy(plain + out + 1, text + at + 1, scale);
    }
    return out + fraction;
}

uint64_t tally_grouping_insert(const tally_grouping *grouping, const uint8_t *plain, uint64_t size,
                               uint32_t scale, uint8_t *out)
{
    const uint64_t minus = plain[0] == '-', fraction = scale != 0 ? scale + 1 : 0;
    const uint64_t whole = size - minus - fraction;
    const uint64_t groups = grouping->size != 0 ? (whole - 1) / 3 : 0;
    uint64_t from = size - fraction - groups * 3, at = from;
    memcpy(out, plain, (size_t)from);
    for (uint64_t i = 0; i < groups; i++, from += 3) {
        memcpy(out + at, grouping->separator, grouping->size);
        memcpy(out + at + grouping->size, plain + from, 3);
        at += 3 + grouping->size;
    }
    if (fraction != 0) {
        out[at] = grouping->point;
        memcpy(out + at + 1, plain + from + 1, scale);
    }
    return at + fraction;
}

size_t tally_grouping_place_of_fault(const tally_grouping *grouping, uint32_t scale,
                                     const uint8_t *value, size_t size)
{
    int point = scale == 0;
    for (size_t i = 0; i < size; i++) {
        if (value[i] == grouping->point && !point) {
            point = 1;
        } else if (grouping->size != 0 && size - i >= grouping->size && i > 0 &&
                   (scale == 0 || !point) &&
                   memcmp(value + i, grouping->separator, grouping->size) == 0) {
            i += grouping->size - 1;
        } else if ((value[i] < '0' || value[i] > '9') && !(value[i] == '-' && i == 0)) {
            return i;
        }
    }
    return SIZE_MAX;
}

void tally_counted_end_example(const tally_counted_end *end, uint32_t scale,
                               const tally_grouping *grouping, char *out)
{
    uint8_t digits[48], plain[48];
    uint64_t size = tally_digits_write(end->magnitude, digits), at = 0;
    if (end->negative) {
        plain[at++] = '-';
    }
    for (; size <= scale; size++) { /* a zero before the point at least */
        memmove(digits + 1, digits, (size_t)size);
        digits[0] = '0';
    }
    memcpy(plain + at, digits, (size_t)(size - scale));
    at += size - scale;
    if (scale != 0) {
        plain[at++] = '.';
        memcpy(plain + at, digits + (size - scale), scale);
        at += scale;
    }
    out[tally_grouping_insert(grouping, plain, at, scale, (uint8_t *)out)] = '\0';
}
