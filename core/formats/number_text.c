/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a range as text, for any CPU, and the choice of a back end. */
#include "formats/number_text.h"

#include "base/allocator.h"
#include "base/arch.h"
#include "numbers/digits.h"

_Static_assert((int)TALLY_NUMBER_MOST == (int)TALLY_DIGITS_MOST, "the same");

TALLY_INLINE uint8_t number_parse(const tally_number_format *own, uint8_t point,
                                  const uint8_t *text, uint64_t size, uint64_t *rank)
{
    const uint32_t scale = own->counted.scale;
    const uint64_t minus = text[0] == '-';
    const uint64_t whole = size - minus - (scale != 0 ? scale + 1 : 0);
    uint64_t wrong = 0;
    if (whole - 1 >= TALLY_DIGITS_MOST) {
        return TALLY_REASON_NOTATION; /* also if there is less than the fraction */
    }
    if (text[minus] == '0' ? whole > 1 : whole + scale > TALLY_DIGITS_MOST) {
        return TALLY_REASON_NOTATION;
    }
    uint64_t number = tally_digits_read(text + minus, whole, &wrong);
    if (scale != 0) {
        const uint8_t *fraction = text + minus + whole;
        wrong |= fraction[0] ^ point;
        number = number * own->power + tally_digits_read(fraction + 1, scale, &wrong);
    }
    if (wrong != 0 || (minus != 0 && number == 0)) {
        return TALLY_REASON_NOTATION;
    }
    return tally_number_rank(&own->counted, minus, number, rank);
}

TALLY_INLINE uint64_t number_print(const tally_number_format *own, uint8_t point, uint64_t rank,
                                   uint8_t *out)
{
    const uint32_t scale = own->counted.scale;
    const uint64_t minus = rank < own->counted.negative;
    uint64_t number = rank + own->counted.first;
    number = minus != 0 ? 0 - number : number;
    out[0] = '-';
    if (scale == 0) {
        return minus + tally_digits_write(number, out + minus);
    }
    const uint64_t whole = number / own->power;
    const uint64_t size = minus + tally_digits_write(whole, out + minus);
    out[size] = point;
    tally_digits_write_all(number - whole * own->power, scale, out + size + 1);
    return size + 1 + scale;
}

static inline uint8_t number_read_row(const tally_counted *counted, const uint8_t *text,
                                      uint64_t size, uint64_t *rank)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    return number_parse(own, own->grouping.point, text, size, rank);
}

static inline uint64_t number_write_row(const tally_counted *counted, uint64_t rank, uint8_t *out)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    return number_print(own, own->grouping.point, rank, out);
}

/* Digits in groups: text is rewritten, so that both notations have one reader and one writer. */
static inline uint8_t number_read_grouped_row(const tally_counted *counted, const uint8_t *text,
                                              uint64_t size, uint64_t *rank)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t plain_size =
        tally_grouping_remove(&own->grouping, text, size, counted->scale, plain);
    const uint8_t status = number_parse(own, '.', plain, plain_size, rank);
    tally_wipe(plain, sizeof plain);
    return status;
}

static inline uint64_t number_write_grouped_row(const tally_counted *counted, uint64_t rank,
                                                uint8_t *out)
{
    const tally_number_format *own = (const tally_number_format *)counted;
    uint8_t plain[TALLY_GROUPING_PLAIN];
    const uint64_t size = number_print(own, '.', rank, plain);
    const uint64_t written =
        tally_grouping_insert(&own->grouping, plain, size, counted->scale, out);
    tally_wipe(plain, sizeof plain);
    return written;
}

static void number_read(const tally_counted *counted, const tally_counted_rows *rows)
{
    if (((const tally_number_format *)counted)->grouping.size != 0) {
        tally_counted_read_rows(counted, rows, number_read_grouped_row);
    } else {
        tally_counted_read_rows(counted, rows, number_read_row);
    }
}

static void number_write(const tally_counted *counted, const tally_counted_rows *rows,
                         const uint8_t *chosen, uint8_t *out, uint64_t *end)
{
    if (((const tally_number_format *)counted)->grouping.size != 0) {
        tally_counted_write_rows(counted, rows, chosen, out, end, number_write_grouped_row);
    } else {
        tally_counted_write_rows(counted, rows, chosen, out, end, number_write_row);
    }
}

const tally_number_text tally_number_text_portable = {{"portable", 0}, number_read, number_write};

static const tally_backend *const number_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_number_text_avx512.backend,
#endif
    &tally_number_text_portable.backend,
};

/* Finds the places of the longest number, from its end. */
static void number_find_places(const tally_grouping *grouping, uint32_t scale,
                               tally_number_places *out)
{
    size_t place = 64;
    for (uint32_t i = 0; i < TALLY_NUMBER_DIGITS; i++) {
        if (i == scale && scale != 0) {
            out->other[--place] = grouping->point;
        } else if (i > scale && (i - scale) % 3 == 0) {
            place -= grouping->size;
            memcpy(out->other + place, grouping->separator, grouping->size);
        }
        place--;
        out->digits |= UINT64_C(1) << place;
        out->digit[place] = (uint8_t)((31 - i) % 8 * 8 + i / 8);
        out->least |= (uint64_t)(i == scale) << place;
        out->place[31 - i] = (uint8_t)place;
    }
}

void tally_number_text_init(tally_format *format, tally_number_format *own, uint32_t scale)
{
    const tally_number_text *text = (const tally_number_text *)tally_dispatch(
        number_backends, sizeof number_backends / sizeof *number_backends);
    number_find_places(&own->grouping, scale, &own->places);
    own->power = tally_digits_power(scale);
    own->counted.scale = scale;
    own->counted.has_no_text =
        !tally_counted_range_fits(&own->range, tally_digits_power(TALLY_DIGITS_MOST));
    own->counted.read = text->read;
    own->counted.write = text->write;
    /* 20 digits of 2^64, even if text has fewer. */
    own->counted.most = 3 + 20 + own->grouping.size * (TALLY_DIGITS_MOST / 3);
    for (size_t i = 0; i < 2; i++) {
        tally_counted_end_example(i == 0 ? &own->range.first : &own->range.last, scale,
                                  &own->grouping, own->example[i]);
        format->example[i] = own->example[i];
    }
}
