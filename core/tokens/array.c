/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole arrays of the Arrow C data interface. */
#include <string.h>

#include "tokens/array.h"

/* The type that is asked of a format: that of the values, as text without views. */
static const char *array_values_type(const struct ArrowSchema *schema)
{
    for (int depth = 0; depth < 2; depth++) {
        if (schema->dictionary != NULL) {
            schema = schema->dictionary;
        } else if (schema->format != NULL && strcmp(schema->format, "+r") == 0 &&
                   schema->n_children == 2 && schema->children != NULL &&
                   schema->children[1] != NULL) {
            schema = schema->children[1];
        }
    }
    if (schema->format == NULL) {
        return "";
    }
    return strcmp(schema->format, "vu") == 0   ? "u"
           : strcmp(schema->format, "vz") == 0 ? "z"
                                               : schema->format;
}

static tally_status array_flat(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out)
{
    tokens_column column;
    tokens_result result;
    uint8_t *reasons;
    tally_status status = tokens_open_flat(call, array, place, &column, &result);
    if (status == TALLY_OK) {
        status = tokens_run(call, &column, &result, &reasons);
    }
    if (status == TALLY_OK) {
        call->counts.nulls += column.nulls;
        status = tokens_settle(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        if (tokens_is_text(&array->type) || !tokens_is_text(&column.type)) {
            tokens_export(&result, out);
        } else {
            status = tokens_export_views(call, &result, out);
        }
    }
    tokens_owned_free(result.owned);
    return status;
}

/* An array of the type null: nothing is to be done. */
static tally_status array_of_nulls(tokens_call *call, const tally_array *array,
                                   struct ArrowArray *out)
{
    tally_arrow_type none;
    tokens_result result;
    (void)tally_arrow_type_read("n", &none);
    const tally_status status = tokens_result_new(call, &none, 0, &result);
    if (status == TALLY_OK) {
        tokens_export_owned(result.owned, array->rows, array->rows, 0, 0, out);
        call->counts.nulls += array->rows;
    }
    return status;
}

static tally_status array_run(tokens_call *call, tally_direction direction,
                              const tally_array *array, const struct ArrowSchema *tweak_type,
                              const struct ArrowArray *tweaks, const char *place,
                              struct ArrowArray *out)
{
    tally_strings row_tweaks;
    tally_status status = tokens_begin(call->worker, direction, NULL);
    if (status != TALLY_OK) {
        return status;
    }
    if (array->type.kind == TALLY_ARROW_NULL) {
        return array_of_nulls(call, array, out);
    }
    status = tally_format_takes(call->worker->tokenizer->format, array_values_type(array->schema),
                                call->problem);
    if (status == TALLY_OK && tweaks != NULL) {
        status = tokens_tweaks(call, tweak_type, tweaks, array->rows, &row_tweaks);
        call->row_tweaks = &row_tweaks;
        if (status == TALLY_OK) {
            status = tokens_begin(call->worker, direction, &row_tweaks);
        }
    }
    if (status != TALLY_OK) {
        return status;
    }
    if (call->reasons != NULL && !tokens_is_flat(&array->type)) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (array->array->dictionary != NULL) {
        return tokens_dictionary(call, array, place, out);
    }
    if (array->type.kind == TALLY_ARROW_RUN_ENDS) {
        return tokens_runs(call, array, place, out);
    }
    if (!tokens_is_flat(&array->type)) {
        return TALLY_ERROR_ARGUMENT; /* what tally_format_takes refuses */
    }
    return array_flat(call, array, place, out);
}

static void array_add_counts(tally_counts *to, const tally_counts *from)
{
    to->rows += from->rows;
    to->nulls += from->nulls;
    to->small += from->small;
    for (size_t i = 0; i < sizeof to->invalid / sizeof *to->invalid; i++) {
        to->invalid[i] += from->invalid[i];
    }
}

static tally_status array_call(tokens_call *call, tally_direction direction,
                               const struct ArrowSchema *type, const struct ArrowArray *values,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, const char *place,
                               struct ArrowArray *out, tally_counts *counts)
{
    tally_array array;
    const char *why;
    struct ArrowArray made;
    memset(out, 0, sizeof *out);
    memset(&made, 0, sizeof made);
    if (!tally_array_open(type, values, &array, &why)) {
        return tokens_problem(call, TALLY_ERROR_ARRAY, place, "a damaged Arrow array: ", why);
    }
    if (call->reasons != NULL && array.rows != 0) {
        memset(call->reasons, 0, (size_t)array.rows);
    }
    const tally_status status =
        array_run(call, direction, &array, tweak_type, tweaks, place, &made);
    tokens_end(call->worker);
    if (status == TALLY_OK) {
        call->counts.rows = array.rows;
        if (counts != NULL) {
            array_add_counts(counts, &call->counts);
        }
        *out = made;
    }
    return status;
}

tally_status tokens_array(tally_worker *worker, tally_direction direction,
                          const struct ArrowSchema *type, const struct ArrowArray *values,
                          const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks,
                          const char *place, struct ArrowArray *out, tally_counts *counts,
                          tally_invalid *invalid, tally_problem *problem)
{
    tokens_call call = {.worker = worker, .invalid = invalid, .problem = problem};
    return array_call(&call, direction, type, values, tweak_type, tweaks, place, out, counts);
}

tally_status tally_transform_rows(tally_worker *worker, int reveal, const struct ArrowSchema *type,
                                  const struct ArrowArray *values,
                                  const struct ArrowSchema *tweak_type,
                                  const struct ArrowArray *tweaks, struct ArrowArray *out,
                                  uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    uint8_t none;
    tokens_call call = {.worker = worker, .problem = problem};
    call.reasons = reasons != NULL ? reasons : &none; /* of no rows */
    return array_call(&call, reveal ? TALLY_DECRYPT : TALLY_ENCRYPT, type, values, tweak_type,
                      tweaks, "values", out, counts);
}

tally_status tally_protect_array(tally_worker *worker, const struct ArrowSchema *type,
                                 const struct ArrowArray *values,
                                 const struct ArrowSchema *tweak_type,
                                 const struct ArrowArray *tweaks, struct ArrowArray *out,
                                 tally_counts *counts, tally_invalid *invalid,
                                 tally_problem *problem)
{
    return tokens_array(worker, TALLY_ENCRYPT, type, values, tweak_type, tweaks, "values", out,
                        counts, invalid, problem);
}

tally_status tally_reveal_array(tally_worker *worker, const struct ArrowSchema *type,
                                const struct ArrowArray *tokens,
                                const struct ArrowSchema *tweak_type,
                                const struct ArrowArray *tweaks, struct ArrowArray *out,
                                tally_counts *counts, tally_invalid *invalid,
                                tally_problem *problem)
{
    return tokens_array(worker, TALLY_DECRYPT, type, tokens, tweak_type, tweaks, "values", out,
                        counts, invalid, problem);
}
