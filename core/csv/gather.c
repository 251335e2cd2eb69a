/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies the scanned CSV fields of one column to an Arrow string array (Arrow columnar format,
 * "Variable-size Binary Layout"). An empty field is null, whether quoted or not. */
#include "csv/special.h"

/* Copies 1 to 16 bytes as 16, if both buffers have as many: most fields are short, and a call of
 * memcpy would cost more than the copy. The next field overwrites the bytes beyond `size`. */
static inline void csv_gather_copy(uint8_t *to, uint64_t to_capacity, const uint8_t *from,
                                   uint64_t from_size, uint64_t size)
{
    if (size <= 16 && to_capacity >= 16 && from_size >= 16) {
        memcpy(to, from, 16);
    } else if (size > 0) {
        memcpy(to, from, (size_t)size);
    }
}

/* Copies a field's content with single quotes for doubled ones, and returns its new size. */
static uint64_t csv_gather_unescape(const uint8_t *from, uint64_t size, uint8_t quote, uint8_t *to)
{
    uint64_t written = 0;
    for (uint64_t i = 0; i < size; i++) {
        to[written++] = from[i];
        i += from[i] == quote; /* content doubles every quote: the second is skipped */
    }
    return written;
}

/* Whether no byte has its highest bit. */
static uint8_t csv_gather_is_ascii(const uint8_t *values, uint64_t size)
{
    uint64_t high = 0;
    for (; size >= 32; values += 32, size -= 32) {
        high |= tally_csv_load(values) | tally_csv_load(values + 8) | tally_csv_load(values + 16) |
                tally_csv_load(values + 24);
    }
    for (uint64_t i = 0; i < size; i++) {
        high |= values[i];
    }
    return (high & ~TALLY_CSV_LOW7) == 0;
}

uint64_t tally_csv_gather_capacity(const tally_csv_field *fields, uint64_t records,
                                   uint32_t wanted_count, uint32_t index)
{
    uint64_t size = 0;
    for (uint64_t r = 0; r < records; r++) {
        size += fields[r * wanted_count + index].size;
    }
    return size;
}

tally_status tally_csv_gather(const uint8_t *bytes, uint64_t size, uint8_t quote,
                              const tally_csv_field *fields, uint64_t records,
                              uint32_t wanted_count, uint32_t index, int32_t *offsets,
                              uint8_t *values, uint64_t capacity, uint8_t *validity,
                              uint64_t *null_count, uint8_t *ascii)
{
    uint64_t needed = tally_csv_gather_capacity(fields, records, wanted_count, index);
    if (capacity < needed || needed > INT32_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint64_t written = 0, nulls = 0;
    uint8_t bits = 0;
    offsets[0] = 0;
    for (uint64_t r = 0; r < records; r++) {
        const tally_csv_field *field = &fields[r * wanted_count + index];
        const uint8_t *from = bytes + field->start;
        if (field->escaped) {
            written += csv_gather_unescape(from, field->size, quote, values + written);
        } else {
            csv_gather_copy(values + written, capacity - written, from, size - field->start,
                            field->size);
            written += field->size;
        }
        offsets[r + 1] = (int32_t)written;
        uint8_t valid = field->size != 0;
        nulls += !valid;
        bits = (uint8_t)(bits | valid << (r & 7));
        if ((r & 7) == 7 || r + 1 == records) {
            validity[r >> 3] = bits;
            bits = 0;
        }
    }
    *null_count = nulls;
    *ascii = csv_gather_is_ascii(values, written);
    return TALLY_OK;
}
