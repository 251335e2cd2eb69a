/* SPDX-License-Identifier: Apache-2.0
 *
 * Buckets in columns of numbers and dates: a value becomes the low end of its range, or the first
 * day of its month, quarter or year. */
#include <string.h>

#include "formats/bucket.h"
#include "numbers/digits.h"

/* A number as it is in a column, with so many digits after the point, and the other way. They
 * return a reason. Numbers of 10^18 or more are outside the range. */
static uint8_t bucket_load(const tally_arrow_type *type, const uint8_t *value, int64_t *out)
{
    int64_t words[4] = {0};
    int32_t four;
    int16_t two;
    uint8_t one;
    uint32_t count = 1;
    memcpy(words, value, type->width);
    switch (type->width) {
    case 1:
        memcpy(&one, value, 1);
        *out = type->is_signed ? (int8_t)one : one;
        break;
    case 2:
        memcpy(&two, value, 2);
        *out = type->is_signed ? two : (uint16_t)two;
        break;
    case 4:
        memcpy(&four, value, 4);
        *out =
            type->kind == TALLY_ARROW_INTEGER && !type->is_signed ? (int64_t)(uint32_t)four : four;
        break;
    default:
        count = type->width / 8;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        *out = words[count - 1];
#else
        *out = words[0];
#endif
        break;
    }
    int beyond = type->kind == TALLY_ARROW_INTEGER && !type->is_signed && *out < 0;
    for (uint32_t i = 0; count > 1 && i < count; i++) { /* all words but the lowest are its sign */
        beyond |= words[i] != *out && words[i] != (*out < 0 ? -1 : 0);
    }
    return beyond || *out <= -TALLY_BUCKET_BOUND || *out >= TALLY_BUCKET_BOUND ? TALLY_REASON_RANGE
                                                                               : 0;
}

static uint8_t bucket_store(const tally_arrow_type *type, int64_t number, uint8_t *out)
{
    const uint32_t bits = 8 * type->width < 63 ? 8 * type->width : 63;
    int64_t words[4];
    if (type->kind == TALLY_ARROW_INTEGER && bits < 63) {
        const int64_t low = type->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
        if (number < low || number >= low + (INT64_C(1) << bits)) {
            return TALLY_REASON_RANGE;
        }
    } else if (type->kind == TALLY_ARROW_INTEGER && !type->is_signed && number < 0) {
        return TALLY_REASON_RANGE;
    } else if (type->kind == TALLY_ARROW_DECIMAL && type->precision <= TALLY_BUCKET_DIGITS) {
        const int64_t power = (int64_t)tally_digits_power((uint32_t)type->precision);
        if (number <= -power || number >= power) {
            return TALLY_REASON_RANGE;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        words[i] = number < 0 ? -1 : 0;
    }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    words[type->width > 8 ? type->width / 8 - 1 : 0] =
        type->width < 8 ? (int64_t)((uint64_t)number << (64 - 8 * type->width)) : number;
#else
    words[0] = number;
#endif
    memcpy(out, words, type->width);
    return 0;
}

/* The low end of a number's range. */
static uint8_t bucket_replace_number(const tally_bucket *own, const tally_arrow_type *type,
                                     const uint8_t *value, uint8_t *out)
{
    int64_t number, low, factor = 1;
    uint8_t reason = bucket_load(type, value, &number);
    if (reason != 0) {
        return reason;
    }
    if (type->kind == TALLY_ARROW_DECIMAL) {
        factor = (int64_t)tally_digits_power((uint32_t)(type->scale - (int32_t)own->scale));
    }
    if (!tally_bucket_low(own, tally_bucket_of(own, tally_bucket_floor(number, factor)), &low) ||
        low > INT64_MAX / factor || low < INT64_MIN / factor) {
        return TALLY_REASON_RANGE;
    }
    return bucket_store(type, low * factor, out);
}

static uint8_t bucket_replace_float(const tally_bucket *own, const uint8_t *value, uint8_t *out)
{
    const double power = (double)tally_digits_power(own->scale), most = 1e15;
    double number;
    memcpy(&number, value, sizeof number);
    const double scaled = number * power;
    if (!(scaled > -most && scaled < most)) {
        return number == number ? TALLY_REASON_RANGE : TALLY_REASON_NOTATION;
    }
    int64_t whole = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5), low;
    whole -= (double)whole / power > number; /* the decimal that is nearest to it, or below */
    if (!tally_bucket_low(own, tally_bucket_of(own, whole), &low)) {
        return TALLY_REASON_RANGE;
    }
    number = (double)low / power;
    memcpy(out, &number, sizeof number);
    return 0;
}

/* The beginning of a month, quarter or year; of timestamps in UTC. */
static uint8_t bucket_replace_date(const tally_bucket *own, const tally_arrow_type *type,
                                   const uint8_t *value, uint8_t *out)
{
    int64_t number, per_day = 1;
    int32_t days;
    if (type->width == 4) {
        memcpy(&days, value, sizeof days);
        number = days;
    } else {
        memcpy(&number, value, sizeof number);
        per_day =
            TALLY_TIMES_DAY * (type->kind == TALLY_ARROW_DATE ? 1000 : (int64_t)type->per_second);
    }
    number = tally_bucket_floor(number, per_day);
    if (number < TALLY_DATES_MIN_DAY || number > TALLY_DATES_MAX_DAY) {
        return TALLY_REASON_RANGE;
    }
    days = tally_bucket_first_day(own, (int32_t)number);
    if (type->width == 4) {
        memcpy(out, &days, sizeof days);
        return 0;
    }
    if (days > INT64_MAX / per_day || days < INT64_MIN / per_day) {
        return TALLY_REASON_RANGE;
    }
    number = days * per_day;
    memcpy(out, &number, sizeof number);
    return 0;
}

tally_status tally_bucket_fixed(const tally_format *format, tally_run *run,
                                tally_fixed_column *column)
{
    const tally_bucket *own = format->own;
    const tally_arrow_type *type = column->type;
    (void)run;
    for (uint64_t i = 0; i < column->rows; i++) {
        const uint8_t *value = (const uint8_t *)column->values + i * type->width;
        uint8_t *out = (uint8_t *)column->out + i * type->width, reason = 0;
        const uint64_t bit = column->validity_start + i;
        if (column->validity != NULL && (column->validity[bit / 8] >> bit % 8 & 1) == 0) {
            memset(out, 0, type->width);
        } else {
            reason = own->unit != TALLY_BUCKET_NUMBER ? bucket_replace_date(own, type, value, out)
                     : type->kind == TALLY_ARROW_FLOAT
                         ? bucket_replace_float(own, value, out)
                         : bucket_replace_number(own, type, value, out);
            if (reason != 0 && out != value) {
                memcpy(out, value, type->width);
            }
        }
        column->status[i] = reason;
    }
    return TALLY_OK;
}

int tally_bucket_takes(const tally_format *format, const char *type, const tally_arrow_type *read,
                       tally_writer *why)
{
    const tally_bucket *own = format->own;
    const int is_date = own->unit != TALLY_BUCKET_NUMBER;
    if (read->kind == TALLY_ARROW_TEXT ||
        (is_date && (read->kind == TALLY_ARROW_DATE || read->kind == TALLY_ARROW_TIMESTAMP)) ||
        (!is_date && read->kind == TALLY_ARROW_FLOAT && read->width == 8)) {
        return 1;
    }
    if (!is_date && (read->kind == TALLY_ARROW_INTEGER || read->kind == TALLY_ARROW_DECIMAL)) {
        const int32_t more =
            (read->kind == TALLY_ARROW_DECIMAL ? read->scale : 0) - (int32_t)own->scale;
        if (more >= 0 && more <= TALLY_BUCKET_DIGITS) {
            return 1;
        }
        char name[96];
        (void)tally_arrow_type_name(type, name, sizeof name);
        tally_write(why, "type ");
        tally_write(why, name);
        tally_write(why, " can't hold the ends of ranges with ");
        tally_write_uint(why, own->scale);
        tally_write(why, " digits after the point; cast the column, or change width, origin or "
                         "edges");
    }
    return 0;
}
