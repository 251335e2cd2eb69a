/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole arrays of the Arrow C data interface. */
#include <string.h>

#include "tokens/array.h"

/* The type that is asked of a format: that of the values. */
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
    return schema->format != NULL ? schema->format : "";
}

static tally_status array_flat(tokens_call *call, const tally_array *array, const char *place,
                               struct ArrowArray *out)
{
    tokens_column column;
    tokens_result result;
    uint8_t *reasons;
    tally_status status = tally_tokens_open_flat(call, array, place, &column, &result);
    if (status == TALLY_OK) {
        status = tally_tokens_run(call, &column, &result, &reasons);
    }
    if (status == TALLY_OK) {
        call->counts.nulls += column.nulls;
        status = tally_tokens_apply_on_invalid(call, &column, reasons, NULL, &result);
    }
    if (status == TALLY_OK) {
        if (tally_arrow_is_text(&array->type) || !tally_arrow_is_text(&column.type)) {
            tally_tokens_export(&result, out);
        } else {
            status = tally_tokens_export_views(call, &result, out);
        }
    }
    tally_tokens_owned_free(result.owned);
    return status;
}

/* An array of the type null: nothing is to be done. */
static tally_status array_of_nulls(tokens_call *call, const tally_array *array,
                                   struct ArrowArray *out)
{
    tally_arrow_type none;
    tokens_result result;
    (void)tally_arrow_type_read("n", &none);
    const tally_status status = tally_tokens_result_new(call, &none, 0, &result);
    if (status == TALLY_OK) {
        tally_tokens_export_owned(result.owned, array->rows, array->rows, 0, 0, out);
        call->counts.nulls += array->rows;
    }
    return status;
}

static tally_status array_run(tokens_call *call, const tokens_job *job, tally_strings *row_tweaks,
                              struct ArrowArray *out)
{
    const tally_array *array = job->values;
    tally_status status = tally_tokens_begin(call->worker, job->direction, NULL);
    if (status != TALLY_OK) {
        return status;
    }
    if (array->type.kind == TALLY_ARROW_NULL) {
        return array_of_nulls(call, array, out);
    }
    status = tally_format_takes(call->worker->tokenizer->format, array_values_type(array->schema),
                                call->problem);
    if (status == TALLY_OK && job->tweaks != NULL) {
        status = tally_tokens_tweaks(call, job->tweaks, job->tweak_mask, job->repeat, array->rows,
                                     row_tweaks);
        call->row_tweaks = row_tweaks;
        if (status == TALLY_OK) {
            status = tally_tokens_begin(call->worker, job->direction, row_tweaks);
        }
    }
    if (status != TALLY_OK) {
        return status;
    }
    const int is_encoded =
        array->array->dictionary != NULL || array->type.kind == TALLY_ARROW_RUN_ENDS;
    if (job->reasons != NULL && is_encoded) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (array->array->dictionary != NULL) {
        return tally_tokens_dictionary(call, array, job->place, out);
    }
    if (array->type.kind == TALLY_ARROW_RUN_ENDS) {
        return tally_tokens_runs(call, array, job->place, out);
    }
    if (!tally_tokens_is_flat(&array->type)) {
        return TALLY_ERROR_ARGUMENT; /* what tally_format_takes refuses */
    }
    return array_flat(call, array, job->place, out);
}

void tally_tokens_add_counts(tally_counts *to, const tally_counts *from)
{
    to->rows += from->rows;
    to->nulls += from->nulls;
    to->small += from->small;
    for (size_t i = 0; i < sizeof to->invalid / sizeof *to->invalid; i++) {
        to->invalid[i] += from->invalid[i];
    }
}

tally_status tally_tokens_array(const tokens_job *job, struct ArrowArray *out, tally_counts *counts,
                                tally_invalid *invalid, tally_problem *problem)
{
    tokens_call call = {.worker = job->worker,
                        .mask = job->mask,
                        .reasons = job->reasons,
                        .in_clear = job->direction == TALLY_DECRYPT,
                        .invalid = invalid,
                        .problem = problem};
    tally_strings row_tweaks;
    struct ArrowArray made;
    memset(&made, 0, sizeof made);
    memset(out, 0, sizeof *out);
    if (job->reasons != NULL && job->values->rows > 0) {
        memset(job->reasons, 0, (size_t)job->values->rows);
    }
    const tally_status status = array_run(&call, job, &row_tweaks, &made);
    tally_tokens_end(job->worker);
    if (status == TALLY_OK) {
        call.counts.rows = job->values->rows;
        if (counts != NULL) {
            tally_tokens_add_counts(counts, &call.counts);
        }
        *out = made;
    }
    return status;
}

/* Opens both arrays, and runs them. */
static tally_status array_call(tally_worker *worker, tally_direction direction,
                               const struct ArrowSchema *type, const struct ArrowArray *values,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, struct ArrowArray *out,
                               uint8_t *reasons, tally_counts *counts, tally_invalid *invalid,
                               tally_problem *problem)
{
    tokens_call call = {.problem = problem};
    tally_array opened, opened_tweaks;
    const char *why;
    memset(out, 0, sizeof *out);
    if (!tally_array_open(type, values, &opened, &why)) {
        return tally_tokens_damaged(&call, "values", why);
    }
    if (tweaks != NULL && !tally_array_open(tweak_type, tweaks, &opened_tweaks, &why)) {
        return tally_tokens_damaged(&call, "tweaks", why);
    }
    const tokens_job job = {.worker = worker,
                            .direction = direction,
                            .values = &opened,
                            .tweaks = tweaks == NULL ? NULL : &opened_tweaks,
                            .place = "values",
                            .reasons = reasons};
    return tally_tokens_array(&job, out, counts, invalid, problem);
}

tally_status tally_protect_array(tally_worker *worker, const struct ArrowSchema *type,
                                 const struct ArrowArray *values,
                                 const struct ArrowSchema *tweak_type,
                                 const struct ArrowArray *tweaks, struct ArrowArray *out,
                                 tally_counts *counts, tally_invalid *invalid,
                                 tally_problem *problem)
{
    return array_call(worker, TALLY_ENCRYPT, type, values, tweak_type, tweaks, out, NULL, counts,
                      invalid, problem);
}

tally_status tally_reveal_array(tally_worker *worker, const struct ArrowSchema *type,
                                const struct ArrowArray *tokens,
                                const struct ArrowSchema *tweak_type,
                                const struct ArrowArray *tweaks, struct ArrowArray *out,
                                tally_counts *counts, tally_invalid *invalid,
                                tally_problem *problem)
{
    return array_call(worker, TALLY_DECRYPT, type, tokens, tweak_type, tweaks, out, NULL, counts,
                      invalid, problem);
}

/* reasons[i] is written where there are rows alone. */
static tally_status array_rows(tally_worker *worker, tally_direction direction,
                               const struct ArrowSchema *type, const struct ArrowArray *values,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, struct ArrowArray *out,
                               uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    uint8_t none;
    return array_call(worker, direction, type, values, tweak_type, tweaks, out,
                      reasons != NULL ? reasons : &none, counts, NULL, problem);
}

tally_status tally_protect_rows(tally_worker *worker, const struct ArrowSchema *type,
                                const struct ArrowArray *values,
                                const struct ArrowSchema *tweak_type,
                                const struct ArrowArray *tweaks, struct ArrowArray *out,
                                uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    return array_rows(worker, TALLY_ENCRYPT, type, values, tweak_type, tweaks, out, reasons, counts,
                      problem);
}

tally_status tally_reveal_rows(tally_worker *worker, const struct ArrowSchema *type,
                               const struct ArrowArray *tokens,
                               const struct ArrowSchema *tweak_type,
                               const struct ArrowArray *tweaks, struct ArrowArray *out,
                               uint8_t *reasons, tally_counts *counts, tally_problem *problem)
{
    return array_rows(worker, TALLY_DECRYPT, type, tokens, tweak_type, tweaks, out, reasons, counts,
                      problem);
}
