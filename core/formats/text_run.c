/* SPDX-License-Identifier: Apache-2.0
 *
 * Text through FAST: columns and single values, and the functions of a class. */
#include <string.h>

#include "fast/words/cipher.h"
#include "formats/text.h"

/* Gives the workspace memory to group rows by tweak, if that pays. Without memory the call only
 * takes longer. */
static void text_set_grouping(const tally_shape *shape, tally_run *run,
                              const tally_fast_cipher *cipher, tally_fast_workspace *workspace,
                              uint64_t rows, const tally_strings *row_tweaks)
{
    const int kept = shape->keep != 0 || shape->keep_last != 0 || shape->keep_after_delimiter;
    const size_t size = tally_fast_grouping_size(rows);
    if (size != 0 && tally_fast_pool_is_fast(cipher->pool) &&
        (row_tweaks != NULL || (shape->tweak_kept && kept))) {
        tally_fast_workspace_set_grouping(workspace, run->scratch(run, TALLY_SCRATCH_GROUPS, size),
                                          size);
    }
}

tally_status tally_text_run(const tally_text *text, tally_run *run, const tally_strings *column,
                            const tally_strings *row_tweaks, uint8_t *values, uint8_t *status)
{
    return tally_text_run_shape(&text->one->shape, run, column, row_tweaks, values, status);
}

tally_status tally_text_run_shape(const tally_shape *shape, tally_run *run,
                                  const tally_strings *column, const tally_strings *row_tweaks,
                                  uint8_t *values, uint8_t *status)
{
    if (column->rows == 0) {
        return TALLY_OK;
    }
    tally_fast_cipher *cipher = run->cipher(run, shape->radix);
    tally_fast_workspace *workspace = run->workspace(run);
    if (cipher == NULL || workspace == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_column_report report;
    text_set_grouping(shape, run, cipher, workspace, column->rows, row_tweaks);
    const tally_status result =
        tally_fast_column(cipher, workspace, run->direction, shape, column, run->tweak,
                          run->tweak_size, row_tweaks, values, status, &report);
    tally_fast_workspace_set_grouping(workspace, NULL, 0); /* the memory is this call's */
    if (result == TALLY_OK) {
        run->small += report.small;
    }
    return result;
}

tally_status tally_text_run_value(const tally_text *text, tally_run *run, const tally_one *one,
                                  uint8_t *value, size_t size, tally_reason *reason)
{
    if (size <= TALLY_ONE_VALUE) {
        tally_fast_cipher *cipher = run->cipher(run, text->one->shape.radix);
        tally_row row;
        if (cipher == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        const tally_status status =
            tally_one_value(cipher, text->one, run->direction, run->tweak, run->tweak_size,
                            one->row_tweak, one->row_tweak_size, value, size, &row);
        *reason = (tally_reason)row;
        return status;
    }
    const int64_t offsets[2] = {0, (int64_t)size}, tweaks[2] = {0, (int64_t)one->row_tweak_size};
    const tally_strings column = {.offsets = offsets, .offset_size = 8, .values = value, .rows = 1};
    const tally_strings tweak = {
        .offsets = tweaks, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    uint8_t row = 0;
    const tally_status status =
        tally_text_run(text, run, &column, one->row_tweak != NULL ? &tweak : NULL, value, &row);
    *reason = (tally_reason)row;
    return status;
}

tally_status tally_text_column_of(const tally_format *format, tally_run *run,
                                  tally_text_column *column)
{
    return tally_text_run(format->own, run, &column->in, run->row_tweaks, column->values,
                          column->status);
}

tally_status tally_text_one(const tally_format *format, tally_run *run, tally_one *one)
{
    one->out_size = one->size;
    if (one->size > one->capacity) {
        return TALLY_ERROR_CAPACITY;
    }
    if (one->size != 0) {
        memcpy(one->out, one->value, one->size);
    }
    return tally_text_run_value(format->own, run, one, one->out, one->size, &one->reason);
}

void tally_text_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                          tally_domain *out)
{
    *out = tally_text_domain(format->own, value, size);
}

uint64_t tally_text_work(const tally_format *format, size_t size)
{
    const tally_text *text = format->own;
    const tally_shape *shape = &text->one->shape;
    return tally_format_layers(shape->radix, size < shape->max_symbols ? size : shape->max_symbols,
                               0);
}

size_t tally_text_place_of_fault(const tally_format *format, tally_reason reason,
                                 const uint8_t *value, size_t size)
{
    return tally_text_place(format->own, reason, value, size, 0);
}
