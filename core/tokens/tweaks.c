/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows' own tweaks, as text: integers are written in decimal, and dictionaries decoded. */
#include <string.h>

#include "base/writer.h"
#include "tokens/column.h"

static const char tweaks_place[] = "tweaks";

enum { TWEAKS_DIGITS = 20 /* of an integer, with its minus, at most */ };

static tally_status tweaks_refuse(tokens_call *call, const char *format)
{
    char name[128];
    (void)tally_arrow_type_name(format, name, sizeof name);
    return tally_tokens_problem(call, TALLY_ERROR_TWEAKS, tweaks_place,
                                "tweaks must be text, binary or integers, not ", name);
}

/* An integer of any width at an address of any alignment. */
static uint64_t tweaks_integer(const uint8_t *at, const tally_arrow_type *type)
{
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } held;
    memcpy(&held, at, type->width);
    switch (type->width) {
    case 1:
        return type->is_signed ? (uint64_t)(int8_t)held.u8 : held.u8;
    case 2:
        return type->is_signed ? (uint64_t)(int16_t)held.u16 : held.u16;
    case 4:
        return type->is_signed ? (uint64_t)(int32_t)held.u32 : held.u32;
    default:
        return held.u64;
    }
}

static uint8_t *tweaks_write_integer(uint64_t value, int is_signed, uint8_t *out)
{
    uint8_t digits[TWEAKS_DIGITS];
    size_t count = 0;
    if (is_signed && (int64_t)value < 0) {
        *out++ = '-';
        value = 0 - value;
    }
    do {
        digits[count++] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *out++ = digits[--count];
    }
    return out;
}

static tally_status tweaks_of_integers(tokens_call *call, const tally_array *array,
                                       tokens_column *out)
{
    const uint64_t rows = array->rows;
    const uint8_t *in = array->buffers[1];
    uint64_t *offsets =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_OFFSETS, rows + 1, sizeof *offsets);
    uint8_t *values =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_VALUES, rows + 1, TWEAKS_DIGITS);
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    if (rows > 0 && in == NULL) {
        return tally_tokens_damaged(call, tweaks_place, "its values are missing");
    }
    uint8_t *at = values;
    offsets[0] = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const uint8_t *value = in + (array->offset + i) * array->type.width;
        at = tweaks_write_integer(tweaks_integer(value, &array->type), array->type.is_signed, at);
        offsets[i + 1] = (uint64_t)(at - values);
    }
    (void)tally_arrow_type_read("Z", &out->type);
    out->offsets = offsets;
    out->values = values;
    return TALLY_OK;
}

static tally_status tweaks_of_fixed(tokens_call *call, const tally_array *array, tokens_column *out)
{
    const uint64_t rows = array->rows, width = array->type.width;
    const uint8_t *in = array->buffers[1];
    uint64_t *offsets =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_OFFSETS, rows + 1, sizeof *offsets);
    if (offsets == NULL || array->rows + array->offset > SIZE_MAX / 2 / (width + 1)) {
        return TALLY_ERROR_MEMORY;
    }
    if (rows > 0 && width > 0 && in == NULL) {
        return tally_tokens_damaged(call, tweaks_place, "its values are missing");
    }
    for (uint64_t i = 0; i <= rows; i++) {
        offsets[i] = i * width;
    }
    static const uint8_t nothing[1];
    (void)tally_arrow_type_read("Z", &out->type);
    out->offsets = offsets;
    out->values = in == NULL ? nothing : in + array->offset * width;
    return TALLY_OK;
}

static tally_status tweaks_of_text(tokens_call *call, const tally_array *array, tokens_column *out)
{
    void *offsets =
        tokens_scratch_many(call->worker, TOKENS_TWEAK_OFFSETS, array->rows + 1, array->type.width);
    return offsets == NULL ? TALLY_ERROR_MEMORY
                           : tally_tokens_open_text(call, array, tweaks_place, offsets, out);
}

/* Reads an array that is no dictionary. */
static tally_status tweaks_flat(tokens_call *call, const tally_array *array, const uint8_t *mask,
                                tokens_column *out)
{
    uint8_t *validity =
        tally_tokens_scratch(call->worker, TOKENS_TWEAK_VALIDITY, array->rows / 8 + 1);
    if (validity == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(out, 0, sizeof *out);
    tally_status status;
    switch (array->type.kind) {
    case TALLY_ARROW_INTEGER:
        status = tweaks_of_integers(call, array, out);
        break;
    case TALLY_ARROW_TEXT_VIEW:
    case TALLY_ARROW_BINARY_VIEW:
        status = tally_tokens_gather_views(call, array, tweaks_place, TOKENS_TWEAK_OFFSETS,
                                           TOKENS_TWEAK_VALUES, NULL, out);
        break;
    case TALLY_ARROW_TEXT:
        status = tweaks_of_text(call, array, out);
        break;
    case TALLY_ARROW_BINARY:
        status = array->type.fixed ? tweaks_of_fixed(call, array, out)
                                   : tweaks_of_text(call, array, out);
        break;
    default:
        status = tweaks_refuse(call, array->schema->format);
    }
    if (status != TALLY_OK) {
        return status;
    }
    const char *why;
    if (!tally_array_validity(array, validity, &out->nulls, &why)) {
        return tally_tokens_damaged(call, tweaks_place, why);
    }
    for (uint64_t i = 0; mask != NULL && i < (array->rows + 7) / 8; i++) {
        validity[i] &= mask[i];
    }
    out->rows = array->rows;
    out->validity = out->nulls > 0 || mask != NULL ? validity : NULL;
    return TALLY_OK;
}

/* Whether a row has a tweak. */
static int tweaks_has(const tokens_column *entries, uint32_t index)
{
    return index != TOKENS_NO_ROW && tokens_is_valid(entries->validity, index);
}

/* Row i becomes row index[i]. */
static tally_status tweaks_take(tokens_call *call, const tokens_column *entries,
                                const uint32_t *index, uint64_t rows, tokens_column *out)
{
    tally_worker *worker = call->worker;
    const uint32_t width = entries->type.width;
    uint64_t size = 0;
    if (entries->offsets == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint64_t i = 0; i < rows; i++) {
        if (tweaks_has(entries, index[i])) {
            size += tokens_offset(entries->offsets, width, (uint64_t)index[i] + 1) -
                    tokens_offset(entries->offsets, width, index[i]);
            if (size > INT64_MAX) {
                return TALLY_ERROR_MEMORY;
            }
        }
    }
    uint8_t *validity = tally_tokens_scratch(worker, TOKENS_DECODED_VALIDITY, rows / 8 + 1);
    uint64_t *offsets =
        tokens_scratch_many(worker, TOKENS_DECODED_OFFSETS, rows + 1, sizeof *offsets);
    uint8_t *values = tally_tokens_scratch(worker, TOKENS_DECODED_VALUES, size);
    if (validity == NULL || offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(validity, 0, (size_t)(rows / 8 + 1));
    uint64_t at = 0;
    offsets[0] = 0;
    for (uint64_t i = 0; i < rows; i++) {
        if (tweaks_has(entries, index[i])) {
            const uint64_t start = tokens_offset(entries->offsets, width, index[i]);
            const uint64_t own =
                tokens_offset(entries->offsets, width, (uint64_t)index[i] + 1) - start;
            tokens_copy(values + at, entries->values + start, own);
            at += own;
            validity[i / 8] |= (uint8_t)(1U << i % 8);
        }
        offsets[i + 1] = at;
    }
    memset(out, 0, sizeof *out);
    (void)tally_arrow_type_read("Z", &out->type);
    out->rows = rows;
    out->validity = validity;
    out->offsets = offsets;
    out->values = values;
    return TALLY_OK;
}

/* The entries of a dictionary, and which of them each row has. */
static tally_status tweaks_dictionary(tokens_call *call, const tally_array *array,
                                      const uint8_t *mask, const uint32_t *repeat, uint64_t rows,
                                      tokens_column *entries, const uint32_t **out)
{
    tally_array dictionary;
    const char *why;
    uint32_t *index;
    uint64_t nulls;
    if (!tally_array_open_dictionary(array, &dictionary, &why)) {
        return tally_tokens_damaged(call, tweaks_place, why);
    }
    if (dictionary.array->dictionary != NULL) {
        return tweaks_refuse(call, dictionary.schema->format);
    }
    tally_status status = tweaks_flat(call, &dictionary, NULL, entries);
    if (status == TALLY_OK) {
        status = tally_tokens_indices(call, array, entries->rows, tweaks_place,
                                      TOKENS_TWEAK_INDICES, &index, &nulls);
    }
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; mask != NULL && i < array->rows; i++) {
        index[i] = tokens_is_valid(mask, i) ? index[i] : TOKENS_NO_ROW;
    }
    *out = index;
    if (repeat != NULL) {
        uint32_t *repeated =
            tokens_scratch_many(call->worker, TOKENS_REPEATED, rows + 1, sizeof *repeated);
        if (repeated == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        for (uint64_t i = 0; i < rows; i++) {
            repeated[i] = index[repeat[i]];
        }
        *out = repeated;
    }
    return TALLY_OK;
}

tally_status tally_tokens_tweaks(tokens_call *call, const tally_array *array, const uint8_t *mask,
                                 const uint32_t *repeat, uint64_t rows, tally_strings *out)
{
    tokens_column entries = {.rows = 0}, column = {.rows = 0};
    const uint32_t *index = repeat;
    if (repeat == NULL && array->rows != rows) {
        return tally_tokens_problem(call, TALLY_ERROR_TWEAKS, tweaks_place,
                                    "tweaks must be an Arrow array with one tweak for each value",
                                    "");
    }
    tally_status status = array->array->dictionary != NULL
                              ? tweaks_dictionary(call, array, mask, repeat, rows, &entries, &index)
                              : tweaks_flat(call, array, mask, &entries);
    if (status == TALLY_OK && index != NULL) {
        status = tweaks_take(call, &entries, index, rows, &column);
    } else {
        column = entries;
    }
    if (status == TALLY_OK) {
        memset(out, 0, sizeof *out);
        out->offsets = column.offsets;
        out->offset_size = column.type.width;
        out->validity = column.validity;
        out->values = column.values;
        out->rows = rows;
    }
    return status;
}
