/* SPDX-License-Identifier: Apache-2.0
 *
 * Dictionaries as indices: which rows they mean, and the distinct values of a column. */
#include <string.h>

#include "base/siphash.h"
#include "tokens/column.h"

/* Reads the indices of one type. Returns 0 if one of a valid row is not below `entries`. */
#define TAKE_DEFINE_INDICES(name, type)                                                            \
    static int name(const uint8_t *in, uint64_t rows, const uint8_t *validity, uint64_t entries,   \
                    uint32_t *out)                                                                 \
    {                                                                                              \
        int inside = 1;                                                                            \
        for (uint64_t i = 0; i < rows; i++) {                                                      \
            type index;                                                                            \
            memcpy(&index, in + i * sizeof index, sizeof index);                                   \
            const uint64_t wide = tally_barrier((uint64_t)index);                                  \
            if (!tokens_is_valid(validity, i)) {                                                   \
                out[i] = TOKENS_NO_ROW;                                                            \
            } else {                                                                               \
                inside &= wide < entries;                                                          \
                out[i] = (uint32_t)wide;                                                           \
            }                                                                                      \
        }                                                                                          \
        return inside;                                                                             \
    }

TAKE_DEFINE_INDICES(take_indices_8, uint8_t)
TAKE_DEFINE_INDICES(take_indices_16, uint16_t)
TAKE_DEFINE_INDICES(take_indices_32, uint32_t)
TAKE_DEFINE_INDICES(take_indices_64, uint64_t)

tally_status tally_tokens_indices(tokens_call *call, const tally_array *array, uint64_t entries,
                                  const char *place, unsigned piece, uint32_t **out,
                                  uint64_t *nulls)
{
    tally_worker *worker = call->worker;
    const uint64_t rows = array->rows;
    const uint32_t width = array->type.width;
    const char *why;
    uint32_t *index = tokens_scratch_many(worker, piece, rows + 1, sizeof *index);
    uint8_t *validity = tally_tokens_scratch(worker, TOKENS_VALIDITY, rows / 8 + 1);
    if (index == NULL || validity == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    *out = index;
    if (!tally_array_validity(array, validity, nulls, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    if (piece == TOKENS_INDICES) { /* not of tweaks */
        tally_tokens_mask(call, validity, rows, nulls);
    }
    if (rows > 0 && array->buffers[1] == NULL) {
        return tally_tokens_damaged(call, place, "its indices are missing");
    }
    /* A negative index is a large one without its sign: more than a signed type can number. */
    const uint64_t signed_most = (uint64_t)1 << (8 * width - 1);
    if (array->type.is_signed && entries > signed_most) {
        entries = signed_most;
    }
    if (entries > TOKENS_NO_ROW) {
        entries = TOKENS_NO_ROW;
    }
    const uint8_t *in = array->buffers[1];
    if (rows > 0) {
        in += array->offset * width;
    }
    int inside;
    switch (width) {
    case 1:
        inside = take_indices_8(in, rows, validity, entries, index);
        break;
    case 2:
        inside = take_indices_16(in, rows, validity, entries, index);
        break;
    case 4:
        inside = take_indices_32(in, rows, validity, entries, index);
        break;
    default:
        inside = take_indices_64(in, rows, validity, entries, index);
    }
    return inside ? TALLY_OK
                  : tally_tokens_damaged(call, place, "an index is not one of its dictionary");
}

tally_status tally_tokens_take(tokens_call *call, const tokens_column *column,
                               const uint32_t *index, uint64_t rows, tokens_column *out,
                               tokens_result *result)
{
    tally_worker *worker = call->worker;
    const uint32_t width = column->type.width;
    const int is_text = tally_arrow_is_text(&column->type);
    tally_arrow_type type = column->type;
    uint64_t size = 0;
    for (uint64_t i = 0; is_text && i < rows; i++) {
        if (index[i] != TOKENS_NO_ROW) {
            size += tokens_offset(column->offsets, width, (uint64_t)index[i] + 1) -
                    tokens_offset(column->offsets, width, index[i]);
            if (size > INT64_MAX) {
                return TALLY_ERROR_MEMORY;
            }
        }
    }
    if (is_text && size > INT32_MAX / 2) {
        type.width = 8; /* tokens may be longer; the dictionary's type is looked at after */
    }
    const tally_status status = tally_tokens_result_new(call, &type, rows, result);
    if (status != TALLY_OK) {
        return status;
    }
    memset(out, 0, sizeof *out);
    out->type = type;
    out->rows = rows;
    out->size = size;
    void *offsets = is_text
                        ? tokens_scratch_many(worker, TOKENS_TAKEN_OFFSETS, rows + 1, type.width)
                        : result->values;
    uint8_t *values =
        is_text ? tally_tokens_scratch(worker, TOKENS_TAKEN_VALUES, size) : result->values;
    if (offsets == NULL || values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(result->validity, 0, (size_t)(rows / 8 + 1));
    uint64_t at = 0;
    if (is_text) {
        tokens_set_offset(offsets, type.width, 0, 0);
    }
    for (uint64_t i = 0; i < rows; i++) {
        const uint32_t from = index[i];
        const int valid = from != TOKENS_NO_ROW && tokens_is_valid(column->validity, from);
        result->validity[i / 8] |= (uint8_t)((unsigned)valid << i % 8);
        result->nulls += !valid;
        if (!is_text) {
            if (valid) {
                memcpy(values + i * width, column->values + (uint64_t)from * width, width);
            } else {
                memset(values + i * width, 0, width);
            }
            continue;
        }
        if (valid) {
            const uint64_t start = tokens_offset(column->offsets, width, from);
            const uint64_t own = tokens_offset(column->offsets, width, (uint64_t)from + 1) - start;
            tokens_copy(values + at, column->values + start, own);
            at += own;
        }
        tokens_set_offset(offsets, type.width, i + 1, at);
    }
    out->size = at;
    out->offsets = is_text ? offsets : NULL;
    out->values = values;
    out->nulls = result->nulls;
    out->validity = result->nulls > 0 ? result->validity : NULL;
    if (is_text && worker->tokenizer->format->keeps_size) {
        memcpy(result->offsets, offsets, (size_t)((rows + 1) * type.width));
    }
    return TALLY_OK;
}

/* The key of hashes, so that nobody can choose values that collide. Without entropy it is derived;
 * then only formats with a key have a secret one. */
static tally_status take_seed(tally_worker *worker)
{
    uint8_t seed[32] = {0};
    if (worker->has_seed) {
        return TALLY_OK;
    }
    tally_status status = tally_entropy(seed, sizeof worker->hash_seed);
    if (status != TALLY_OK) {
        status = worker->run.derive(&worker->run, "tallystick distinct values 1", seed);
    }
    memcpy(worker->hash_seed, seed, sizeof worker->hash_seed);
    worker->has_seed = status == TALLY_OK;
    tally_wipe(seed, sizeof seed);
    return status;
}

static const uint8_t *take_value(const tokens_result *result, uint64_t row, uint64_t *size)
{
    const uint32_t width = result->type.width;
    if (!tally_arrow_is_text(&result->type)) {
        *size = width;
        return result->values + row * width;
    }
    const uint64_t start = tokens_offset(result->offsets, width, row);
    *size = tokens_offset(result->offsets, width, row + 1) - start;
    return result->values + start;
}

/* Where a table has the number of a row's value, from 1, or is free for it: 0. `firsts` has the rows
 * of the values. */
static uint32_t *take_slot(const tally_worker *worker, const tokens_result *result, uint64_t row,
                           uint32_t *table, uint64_t slots, const uint32_t *firsts)
{
    uint64_t own, other;
    const uint8_t *value = take_value(result, row, &own);
    uint64_t slot = tally_siphash(worker->hash_seed, value, own) & (slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
        const uint8_t *held = take_value(result, firsts[table[slot] - 1], &other);
        if (own == other && (own == 0 || memcmp(value, held, (size_t)own) == 0)) {
            break;
        }
    }
    return &table[slot];
}

tally_status tally_tokens_distinct(tokens_call *call, const tokens_result *result,
                                   const uint32_t *order, uint64_t listed, int merges,
                                   const tally_arrow_type *type, uint32_t **map_out,
                                   tokens_result *out)
{
    tally_worker *worker = call->worker;
    uint64_t slots = 16, count = 0, size = 0;
    if (result->rows >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    while (merges && slots < 2 * listed) {
        slots *= 2;
    }
    uint32_t *map = tokens_scratch_many(worker, TOKENS_MAP, result->rows + 1, sizeof *map);
    uint32_t *firsts = tokens_scratch_many(worker, TOKENS_FIRSTS, listed + 1, sizeof *firsts);
    uint32_t *table = tokens_scratch_many(worker, TOKENS_TABLE, slots, sizeof *table);
    if (map == NULL || firsts == NULL || table == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status seeded = take_seed(worker);
    if (seeded != TALLY_OK) {
        return seeded;
    }
    memset(table, 0, (size_t)slots * sizeof *table); /* a value's number from 1; 0: free */
    for (uint64_t k = 0; k < listed; k++) {
        const uint64_t i = order == NULL ? k : order[k];
        if (!tokens_is_valid(result->validity, i)) {
            map[i] = TOKENS_NO_ROW;
            continue;
        }
        uint32_t fresh = 0,
                 *slot = merges ? take_slot(worker, result, i, table, slots, firsts) : &fresh;
        if (*slot == 0) {
            uint64_t own;
            (void)take_value(result, i, &own);
            firsts[count++] = (uint32_t)i;
            *slot = (uint32_t)count;
            size += own;
        }
        map[i] = *slot - 1;
    }
    *map_out = map;
    if (tally_arrow_is_text(type) && type->width == 4 && size > INT32_MAX) {
        return tally_tokens_problem(
            call, TALLY_ERROR_CAPACITY, "values.dictionary",
            "the tokens have more than 2147483647 bytes, which a dictionary of this "
            "type can't hold; decode the column to large_string",
            "");
    }
    const tally_status status = tally_tokens_result_new(call, type, count, out);
    if (status != TALLY_OK) {
        return status;
    }
    memset(out->validity, 0xff, (size_t)(count / 8 + 1));
    if (tally_arrow_is_text(type)) {
        out->values = tally_tokens_owned_block(out->owned, 1, size);
        if (out->values == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        tokens_set_offset(out->offsets, type->width, 0, 0);
    }
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t own;
        const uint8_t *value = take_value(result, firsts[i], &own);
        if (own > 0) {
            memcpy(out->values + at, value, (size_t)own);
        }
        at += own;
        if (tally_arrow_is_text(type)) {
            tokens_set_offset(out->offsets, type->width, i + 1, at);
        }
    }
    out->size = at;
    return TALLY_OK;
}
