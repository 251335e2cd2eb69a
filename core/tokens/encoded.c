/* SPDX-License-Identifier: Apache-2.0
 *
 * Dictionaries and run ends. Without tweaks of the rows' own, each value is protected once. With
 * them, or under a random format, equal values have unlike tokens: the rows are decoded, protected
 * and encoded again. */
#include <string.h>

#include "tokens/column.h"

static int tokens_call_is_random(const tokens_call *call)
{
    const tally_worker *worker = call->worker;
    return worker->run.direction == TALLY_ENCRYPT && worker->tokenizer->format->is_random;
}

/* Makes the array of a result in the type that the schema says: text may have come from views. */
static tally_status encoded_export(tokens_call *call, const tally_arrow_type *type,
                                   tokens_result *result, struct ArrowArray *out)
{
    if (tally_arrow_is_view(type)) {
        return tally_tokens_export_views(call, result, out);
    }
    tally_tokens_export(result, out);
    return TALLY_OK;
}

/* The type that distinct values are held in until they are exported. */
static tally_arrow_type encoded_storage(const tally_arrow_type *type, const tokens_result *result)
{
    return tally_arrow_is_view(type) ? result->type : *type;
}

/* The largest number of entries that indices of a type can number. */
static uint64_t encoded_most(const tally_arrow_type *type)
{
    const unsigned bits = 8 * type->width - type->is_signed;
    return bits >= 32 ? TOKENS_NO_ROW : (uint64_t)1 << bits;
}

/* Writes the indices of rows, and makes the array with its dictionary. */
static tally_status encoded_export_indices(tokens_call *call, const tally_array *array,
                                           const uint32_t *index, const uint32_t *map,
                                           struct ArrowArray *dictionary, struct ArrowArray *out)
{
    tokens_result result;
    const uint32_t width = array->type.width;
    tally_status status = tally_tokens_result_new(call, &array->type, array->rows, &result);
    if (status != TALLY_OK) {
        return status;
    }
    memset(result.validity, 0, (size_t)(array->rows / 8 + 1));
    for (uint64_t i = 0; i < array->rows; i++) {
        uint32_t entry = index == NULL ? (uint32_t)i : index[i];
        if (map != NULL && entry != TOKENS_NO_ROW) {
            entry = map[entry];
        }
        const int valid = entry != TOKENS_NO_ROW;
        result.validity[i / 8] |= (uint8_t)((unsigned)valid << i % 8);
        result.nulls += !valid;
        const uint64_t wide = valid ? entry : 0;
        uint8_t *to = result.values + i * width;
        if (width == 1) {
            *to = (uint8_t)wide;
        } else if (width == 2) {
            *(uint16_t *)(void *)to = (uint16_t)wide;
        } else if (width == 4) {
            *(uint32_t *)(void *)to = (uint32_t)wide;
        } else {
            *(uint64_t *)(void *)to = wide;
        }
    }
    result.owned->dictionary = *dictionary;
    dictionary->release = NULL;
    tally_tokens_export(&result, out);
    return TALLY_OK;
}

/* Counts the rows of each entry, and lists the entries that have rows by their first ones; returns
 * the number of rows that are null. */
static uint64_t encoded_count(const uint32_t *index, uint64_t rows, const tokens_column *entries,
                              tokens_use *uses, uint32_t *order, uint64_t *listed)
{
    uint64_t nulls = 0;
    *listed = 0;
    memset(uses, 0, (size_t)entries->rows * sizeof *uses);
    for (uint64_t i = 0; i < rows; i++) {
        if (index[i] == TOKENS_NO_ROW) {
            nulls++;
            continue;
        }
        tokens_use *use = &uses[index[i]];
        if (use->count++ == 0) {
            use->first = i;
            order[(*listed)++] = index[i];
        }
    }
    for (uint64_t i = 0; entries->validity != NULL && i < entries->rows; i++) {
        nulls += tokens_is_valid(entries->validity, i) ? 0 : uses[i].count;
    }
    return nulls;
}

static int encoded_any(const uint8_t *status, uint64_t rows)
{
    uint8_t any = 0;
    for (uint64_t i = 0; i < rows; i++) {
        any |= status[i];
    }
    return any != 0;
}

/* A dictionary whose entries are protected, once each. Tokens come in the order of the rows, and
 * those that no row uses are left out: entries may be in the order of their values, which their
 * tokens must not show. */
static tally_status encoded_entries(tokens_call *call, const tally_array *array,
                                    const tally_array *dictionary, const tokens_column *entries,
                                    tokens_result *result, const uint32_t *index,
                                    struct ArrowArray *out)
{
    uint8_t *reasons;
    uint64_t listed;
    tokens_use *uses =
        tokens_scratch_many(call->worker, TOKENS_USES, entries->rows + 1, sizeof *uses);
    uint32_t *order =
        tokens_scratch_many(call->worker, TOKENS_ORDER, entries->rows + 1, sizeof *order);
    if (uses == NULL || order == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status = tally_tokens_run(call, entries, result, &reasons);
    if (status != TALLY_OK) {
        return status;
    }
    call->counts.nulls += encoded_count(index, array->rows, entries, uses, order, &listed);
    const int invalid = encoded_any(reasons, entries->rows);
    status = tally_tokens_apply_on_invalid(call, entries, reasons, uses, result);
    if (status != TALLY_OK) {
        return status;
    }
    struct ArrowArray values;
    memset(&values, 0, sizeof values);
    uint32_t *map = NULL;
    if (invalid || call->worker->run.direction == TALLY_ENCRYPT) {
        /* Some libraries refuse dictionaries that have nulls or equal entries. */
        const int merges = invalid || call->worker->tokenizer->format->one_way;
        const tally_arrow_type storage = encoded_storage(&dictionary->type, result);
        tokens_result distinct = {.owned = NULL};
        status =
            tally_tokens_distinct(call, result, order, listed, merges, &storage, &map, &distinct);
        if (status == TALLY_OK) {
            status = encoded_export(call, &dictionary->type, &distinct, &values);
        }
        tally_tokens_owned_free(distinct.owned);
    } else {
        status = encoded_export(call, &dictionary->type, result, &values);
    }
    if (status == TALLY_OK) {
        status = encoded_export_indices(call, array, index, map, &values, out);
    }
    if (values.release != NULL) {
        values.release(&values);
    }
    return status;
}

/* A dictionary whose rows have tweaks of their own. */
static tally_status encoded_rows(tokens_call *call, const tally_array *array,
                                 const tally_array *dictionary, const tokens_column *entries,
                                 const uint32_t *index, struct ArrowArray *out)
{
    tokens_column column;
    tokens_result result = {.owned = NULL}, distinct = {.owned = NULL};
    struct ArrowArray values;
    uint8_t *reasons;
    uint32_t *map;
    memset(&values, 0, sizeof values);
    tally_status status = tally_tokens_take(call, entries, index, array->rows, &column, &result);
    if (status == TALLY_OK) {
        status = tally_tokens_run(call, &column, &result, &reasons);
    }
    if (status == TALLY_OK) {
        call->counts.nulls += column.nulls;
        status = tally_tokens_apply_on_invalid(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        const tally_arrow_type storage = encoded_storage(&dictionary->type, &result);
        status =
            tally_tokens_distinct(call, &result, NULL, result.rows, 1, &storage, &map, &distinct);
    }
    if (status == TALLY_OK && distinct.rows > encoded_most(&array->type)) {
        status =
            tally_tokens_problem(call, TALLY_ERROR_CAPACITY, "values",
                                 "the dictionary's indices can't number all tokens; decode the "
                                 "dictionary column first",
                                 "");
    }
    if (status == TALLY_OK) {
        status = encoded_export(call, &dictionary->type, &distinct, &values);
    }
    if (status == TALLY_OK) {
        status = encoded_export_indices(call, array, NULL, map, &values, out);
    }
    if (values.release != NULL) {
        values.release(&values);
    }
    tally_tokens_owned_free(distinct.owned);
    tally_tokens_owned_free(result.owned);
    return status;
}

/* Opens the values of a dictionary or of runs, which must be flat. */
static tally_status encoded_open(tokens_call *call, const tally_array *array, const char *place,
                                 tokens_column *out, tokens_result *result)
{
    if (array->array->dictionary != NULL || !tally_tokens_is_flat(&array->type)) {
        return tally_tokens_problem(
            call, TALLY_ERROR_TYPE, place,
            "dictionaries and run ends of such values are not supported; decode "
            "the column first",
            "");
    }
    /* Not entries are masked, but rows. */
    const uint8_t *const mask = call->mask;
    call->mask = NULL;
    const tally_status status = tally_tokens_open_flat(call, array, place, out, result);
    call->mask = mask;
    return status;
}

tally_status tally_tokens_dictionary(tokens_call *call, const tally_array *array, const char *place,
                                     struct ArrowArray *out)
{
    tally_array dictionary;
    tokens_column entries = {.rows = 0};
    tokens_result result = {.owned = NULL};
    uint32_t *index = NULL;
    uint64_t nulls;
    const char *why;
    if (!tally_array_open_dictionary(array, &dictionary, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    tally_status status = encoded_open(call, &dictionary, place, &entries, &result);
    if (status == TALLY_OK) {
        status =
            tally_tokens_indices(call, array, entries.rows, place, TOKENS_INDICES, &index, &nulls);
    }
    if (status == TALLY_OK) {
        status = call->row_tweaks == NULL && !tokens_call_is_random(call)
                     ? encoded_entries(call, array, &dictionary, &entries, &result, index, out)
                     : encoded_rows(call, array, &dictionary, &entries, index, out);
    }
    tally_tokens_owned_free(result.owned);
    return status;
}

/* The end of a run. */
static uint64_t encoded_run_end(const tally_array *ends, uint64_t run)
{
    const uint8_t *at = (const uint8_t *)ends->buffers[1] + (ends->offset + run) * ends->type.width;
    union {
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } held;
    memcpy(&held, at, ends->type.width);
    return ends->type.width == 2   ? (uint64_t)held.i16
           : ends->type.width == 4 ? (uint64_t)held.i32
                                   : (uint64_t)held.i64;
}

/* Reads the runs that the rows of an array touch: *first is the first of them, and uses[i] the rows
 * of run *first + i. */
static tally_status encoded_uses(tokens_call *call, const tally_array *array,
                                 const tally_array *ends, const char *place, uint64_t *first,
                                 uint64_t *runs, tokens_use **out)
{
    const uint64_t end = array->offset + array->rows;
    tokens_use *uses = tokens_scratch_many(call->worker, TOKENS_USES, ends->rows + 1, sizeof *uses);
    if (uses == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t before = 0, count = 0, run = 0;
    *first = 0;
    for (; run < ends->rows && before < end && array->rows > 0; run++) {
        const uint64_t own = tally_barrier(encoded_run_end(ends, run));
        if (own <= before || own > INT64_MAX) {
            return tally_tokens_damaged(call, place, "its run ends do not ascend");
        }
        if (own > array->offset) {
            const uint64_t start = before < array->offset ? array->offset : before;
            *first = count == 0 ? run : *first;
            uses[count].first = start - array->offset;
            uses[count].count = (own < end ? own : end) - start;
            count++;
        }
        before = own;
    }
    for (uint64_t last = before; run < ends->rows; run++) { /* beyond the last row */
        const uint64_t own = encoded_run_end(ends, run);
        if (own <= last || own > INT64_MAX) {
            return tally_tokens_damaged(call, place, "its run ends do not ascend");
        }
        last = own;
    }
    if (array->rows > 0 && before < end) {
        return tally_tokens_damaged(call, place, "its runs end before its last row");
    }
    *runs = count;
    *out = uses;
    return TALLY_OK;
}

/* Makes the array of runs; `uses` has the rows of each. */
static tally_status encoded_export_runs(tokens_call *call, const tally_array *array,
                                        const tally_array *ends, const tokens_use *uses,
                                        uint64_t runs, struct ArrowArray *values,
                                        struct ArrowArray *out)
{
    tokens_result parent, result;
    tally_arrow_type none;
    (void)tally_arrow_type_read("n", &none);
    tally_status status = tally_tokens_result_new(call, &ends->type, runs, &result);
    if (status != TALLY_OK) {
        return status;
    }
    for (uint64_t i = 0; i < runs; i++) {
        const uint64_t end = uses == NULL ? i + 1 : uses[i].first + uses[i].count;
        uint8_t *to = result.values + i * ends->type.width;
        if (ends->type.width == 2) {
            *(int16_t *)(void *)to = (int16_t)end;
        } else if (ends->type.width == 4) {
            *(int32_t *)(void *)to = (int32_t)end;
        } else {
            *(int64_t *)(void *)to = (int64_t)end;
        }
    }
    status = tally_tokens_result_new(call, &none, 0, &parent);
    if (status != TALLY_OK) {
        tally_tokens_owned_free(result.owned);
        return status;
    }
    tally_tokens_export(&result, &parent.owned->nodes[0]);
    parent.owned->nodes[1] = *values;
    values->release = NULL;
    tally_tokens_export_owned(parent.owned, array->rows, 0, 0, 2, out);
    return TALLY_OK;
}

/* Runs whose rows have tweaks of their own, or are null for what they lie in: each row becomes a
 * run. */
static tally_status encoded_run_rows(tokens_call *call, const tally_array *array,
                                     const tokens_column *runs, const tokens_use *uses,
                                     tokens_column *column, tokens_result *result)
{
    uint32_t *index =
        tokens_scratch_many(call->worker, TOKENS_INDICES, array->rows + 1, sizeof *index);
    if (index == NULL || uses == NULL || runs->rows >= TOKENS_NO_ROW) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint64_t i = 0, row = 0; i < runs->rows; i++) {
        for (uint64_t left = uses[i].count; left > 0; left--, row++) {
            index[row] = tokens_is_valid(call->mask, row) ? (uint32_t)i : TOKENS_NO_ROW;
        }
    }
    return tally_tokens_take(call, runs, index, array->rows, column, result);
}

tally_status tally_tokens_runs(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out)
{
    tally_array ends, values;
    const char *why;
    uint64_t first = 0, count = 0;
    tokens_use *uses = NULL;
    if (!tally_array_open_child(array, 0, &ends, &why) ||
        !tally_array_open_child(array, 1, &values, &why)) {
        return tally_tokens_damaged(call, place, why);
    }
    if (ends.type.kind != TALLY_ARROW_INTEGER || !ends.type.is_signed || ends.type.width < 2 ||
        ends.array->dictionary != NULL || ends.nulls > 0 || ends.rows > values.rows ||
        (ends.rows > 0 && ends.buffers[1] == NULL)) {
        return tally_tokens_damaged(call, place,
                                    "its run ends are not one integer for each of its values");
    }
    tally_status status = encoded_uses(call, array, &ends, place, &first, &count, &uses);
    if (status != TALLY_OK) {
        return status;
    }
    /* The runs that are touched alone; how many of them are null the array does not say. */
    values.offset += first;
    values.rows = count;
    values.nulls = -1;
    tokens_column runs = {.rows = 0}, column = {.rows = 0};
    tokens_result result = {.owned = NULL}, rows = {.owned = NULL};
    uint8_t *reasons = NULL;
    struct ArrowArray made;
    memset(&made, 0, sizeof made);
    status = encoded_open(call, &values, place, &runs, &result);
    if (status == TALLY_OK &&
        (call->row_tweaks != NULL || call->mask != NULL || tokens_call_is_random(call))) {
        status = encoded_run_rows(call, array, &runs, uses, &column, &rows);
        tally_tokens_owned_free(result.owned);
        result = rows;
        runs = column;
        uses = NULL;
        count = array->rows;
    }
    if (status == TALLY_OK) {
        status = tally_tokens_run(call, &runs, &result, &reasons);
    }
    if (status == TALLY_OK) {
        for (uint64_t i = 0; i < runs.rows; i++) {
            call->counts.nulls += tokens_is_valid(runs.validity, i) ? 0
                                  : uses == NULL                    ? 1
                                                                    : uses[i].count;
        }
        status = tally_tokens_apply_on_invalid(call, &runs, reasons, uses, &result);
    }
    if (status == TALLY_OK) {
        status = encoded_export(call, &values.type, &result, &made);
    }
    if (status == TALLY_OK) {
        status = encoded_export_runs(call, array, &ends, uses, count, &made, out);
    }
    if (made.release != NULL) {
        made.release(&made);
    }
    tally_tokens_owned_free(result.owned);
    return status;
}
