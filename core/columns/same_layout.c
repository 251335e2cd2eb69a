/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the same layout: equal in size, and with bytes of the same kind at each position. The
 * first row gives the layout, and the translation finds the rows that differ from it. */
#include <string.h>

#include "columns/job.h"
#include "columns/luhn.h"
#include "columns/symbols.h"
#include "fast/words/run.h"

enum {
    SAME_LAYOUT_FEWEST = 16, /* fewer rows of a size are left to each_row.c */
    SAME_LAYOUT_LEADERS = 4, /* rows that may give the layout, if the first ones are invalid */
    SAME_LAYOUT_SKIPS = 15   /* batches skipped after one of which more than half was left */
};

void tally_same_layout_init(tally_column_job *job)
{
    const tally_shape *shape = job->shape;
    /* Rows on lanes have one tweak. */
    int differ = job->row_tweaks != NULL || job->delimiters != 0 ||
                 (shape->tweak_kept && (shape->keep | shape->keep_last) != 0);
    size_t tail = shape->tweak_kept ? 4 : 0; /* the size of kept symbols: 0 */
    if (differ || !job->has_tables || job->common_tweak + tail > sizeof job->tweak) {
        job->translate = NULL;
        return;
    }
    job->translate = tally_translate_choose(job->cipher->pool->lanes);
    memset(job->tweak + job->common_tweak, 0, tail);
}

void tally_same_layout_wipe(tally_column_job *job)
{
    tally_wipe(job->memory->text, job->most_text);
    tally_wipe(job->cipher->lane_state, job->most_text);
    if (job->most_text != 0) { /* below the top bits, a mixture of bytes of values */
        tally_wipe(job->memory->bad, sizeof job->memory->bad);
    }
}

/* Sets job->layout to that of a value, and returns the length of its word; 0: it is invalid. */
static size_t same_layout_of(tally_column_job *job, const uint8_t *value, size_t width)
{
    const tally_shape *shape = job->shape;
    tally_translate_layout *layout = &job->layout;
    size_t count = 0;
    for (size_t p = 0; p < width; p++) {
        uint8_t kind = shape->kind[value[p]];
        int is_symbol = kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
        if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && p != 0)) {
            return 0;
        }
        layout->role[p] = is_symbol ? TALLY_TRANSLATE_KEPT : TALLY_TRANSLATE_OTHER;
        layout->upper[p] = kind == TALLY_BYTE_UPPER ? 128 : 0;
        layout->code[p] = (uint8_t)(128 | kind);
        count += (size_t)is_symbol;
    }
    layout->width = width;
    layout->luhn = shape->luhn != TALLY_LUHN_NONE;
    size_t length = 0, symbol = 0, check = 0;
    for (size_t p = 0; p < width; p++) {
        if (layout->role[p] == TALLY_TRANSLATE_OTHER) {
            continue;
        }
        layout->doubled[p] = (count - symbol) % 2 == 0;
        if (tally_symbol_is_free(shape, symbol++, count)) {
            layout->role[p] = TALLY_TRANSLATE_FREE;
            check = p;
            length++;
        }
    }
    if (length < shape->min_symbols + (size_t)layout->luhn) {
        return 0;
    }
    if (layout->luhn) {
        layout->role[check] = TALLY_TRANSLATE_CHECK;
        length--;
        for (uint32_t sum = 0; sum < 10; sum++) {
            int invalid = shape->luhn == TALLY_LUHN_INVALID;
            uint8_t digit = tally_luhn_digit_for(sum, layout->doubled[check]);
            uint8_t other = (uint8_t)((digit + 1) % 10);
            layout->read_digit[sum] = invalid && job->direction == TALLY_DECRYPT ? other : digit;
            layout->write_digit[sum] = invalid && job->direction == TALLY_ENCRYPT ? other : digit;
        }
    }
    return length > shape->max_symbols ? 0 : length;
}

/* Counts the values that are bad. */
static size_t same_layout_count_bad(const uint8_t *bad, size_t count)
{
    size_t found = 0, i = 0;
    uint64_t any = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t eight;
        memcpy(&eight, bad + i, 8);
        any |= eight;
    }
    if ((any & UINT64_C(0x8080808080808080)) != 0) {
        i = 0;
    }
    for (; i < count; i++) {
        found += bad[i] >> 7;
    }
    return found;
}

/* Lists where rows of one size are. */
static void same_layout_list(const tally_column_batch *batch, const uint16_t *rows, size_t count,
                             size_t width, const uint8_t **source, uint8_t **values)
{
    if ((size_t)(rows[count - 1] - rows[0]) == count - 1) { /* side by side */
        const uint8_t *from = batch->source + batch->start[rows[0]];
        uint8_t *to = batch->values + batch->start[rows[0]];
        for (size_t i = 0; i < count; i++, from += width, to += width) {
            source[i] = from;
            values[i] = to;
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        source[i] = batch->source + batch->start[rows[i]];
        values[i] = batch->values + batch->start[rows[i]];
    }
}

/* Runs rows of one size, at most as many as fit on lanes, if at least half of them have the same
 * layout. Returns the number of rows that are left, and lists them. */
static size_t same_layout_run_chunk(tally_column_job *job, tally_column_batch *batch,
                                    const uint16_t *rows, size_t count, size_t width,
                                    uint16_t *left)
{
    tally_fast_cipher *cipher = job->cipher;
    tally_column_memory *memory = job->memory;
    const tally_fast_lanes *lanes = cipher->pool->lanes;
    const uint8_t *source[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint8_t *values[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    size_t length = 0;
    for (size_t i = 0; i < SAME_LAYOUT_LEADERS && i < count && length == 0; i++) {
        length = same_layout_of(job, batch->source + batch->start[rows[i]], width);
    }
    size_t groups = tally_fast_groups(lanes, width, count), stride = groups * lanes->width;
    const tally_translate_job text = {.tables = &job->tables,
                                      .layout = &job->layout,
                                      .lanes = stride,
                                      .text = memory->text,
                                      .symbols = cipher->lane_state,
                                      .bad = memory->bad};
    size_t bad = count;
    if (length != 0) {
        same_layout_list(batch, rows, count, width, source, values);
        size_t used = width * stride;
        job->most_text = used > job->most_text ? used : job->most_text;
        lanes->transpose->to_lanes(source, count, width, stride, memory->text);
        job->translate->read(&text);
        bad = same_layout_count_bad(memory->bad, count);
    }
    if (2 * bad > count) {
        if (!batch->copied) { /* then the rows are side by side */
            tally_column_copy(batch, rows[0], count);
        }
        memmove(left, rows, count * sizeof *rows);
        return count;
    }
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(job->cipher, length, &spare);
    const uint64_t next = batch->start[rows[count - 1] + 1], rest = batch->end - next;
    const tally_fast_prefetch prefetch = {
        .read = batch->source + next,
        .written = batch->values + next,
        .size = rest < count * width ? (size_t)rest : count * width,
    };
    tally_fast_run_lanes(cipher, params, job->direction, job->tweak,
                         job->common_tweak + (job->shape->tweak_kept ? 4 : 0), groups, &prefetch);
    job->translate->write(&text);
    lanes->transpose->from_lanes(memory->text, stride, count, width, values);
    job->report->small += length < job->shape->small_symbols ? count - bad : 0;
    size_t listed = 0;
    for (size_t i = 0; i < count && listed < bad; i++) {
        left[listed] = rows[i];
        listed += memory->bad[i] >> 7;
    }
    return listed;
}

/* Runs rows of one size. Returns the number of rows that are left, and lists them. */
static size_t same_layout_run_size(tally_column_job *job, tally_column_batch *batch,
                                   const uint16_t *rows, size_t count, size_t width, uint16_t *left)
{
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    size_t listed = 0;
    while (count > 0) {
        size_t capacity = tally_fast_groups(lanes, width, count) * lanes->width;
        size_t part = count < capacity ? count : capacity;
        listed += same_layout_run_chunk(job, batch, rows, part, width, left + listed);
        rows += part;
        count -= part;
    }
    return listed;
}

/* Runs the rows of each size; too large, empty or few ones are left. */
static void same_layout_run_sizes(tally_column_job *job, tally_column_batch *batch)
{
    size_t end[TALLY_TRANSLATE_WIDTH + 2] = {0};
    uint16_t *sorted = batch->rows + TALLY_FAST_ROWS;
    for (size_t i = 0; i < batch->pending; i++) {
        uint64_t size = tally_column_size(batch, batch->rows[i]);
        end[1 + (size <= TALLY_TRANSLATE_WIDTH ? size : 0)]++;
    }
    for (size_t size = 0; size <= TALLY_TRANSLATE_WIDTH; size++) {
        end[size + 1] += end[size];
    }
    for (size_t i = 0; i < batch->pending; i++) {
        uint64_t size = tally_column_size(batch, batch->rows[i]);
        sorted[end[size <= TALLY_TRANSLATE_WIDTH ? size : 0]++] = batch->rows[i];
    }
    batch->pending = end[0];
    memcpy(batch->rows, sorted, batch->pending * sizeof *sorted);
    for (size_t size = 1; size <= TALLY_TRANSLATE_WIDTH; size++) {
        const uint16_t *rows = sorted + end[size - 1];
        size_t count = end[size] - end[size - 1];
        uint16_t *left = batch->rows + batch->pending;
        if (count < SAME_LAYOUT_FEWEST) {
            memcpy(left, rows, count * sizeof *rows);
            batch->pending += count;
        } else {
            batch->pending += same_layout_run_size(job, batch, rows, count, size, left);
        }
    }
}

void tally_same_layout_run(tally_column_job *job, tally_column_batch *batch)
{
    if (job->translate == NULL || batch->pending < SAME_LAYOUT_FEWEST) {
        return;
    }
    if (job->skipped > 0) {
        job->skipped--;
        return;
    }
    size_t before = batch->pending;
    if (batch->common != 0 && batch->common <= TALLY_TRANSLATE_WIDTH) {
        size_t width = (size_t)batch->common;
        batch->pending = same_layout_run_size(job, batch, batch->rows, before, width, batch->rows);
        batch->copied = 1; /* chunk by chunk */
    } else if (batch->common == 0) {
        if (!batch->copied) {
            tally_column_copy(batch, 0, batch->count);
            batch->copied = 1;
        }
        same_layout_run_sizes(job, batch);
    }
    job->skipped = 2 * batch->pending > before ? SAME_LAYOUT_SKIPS : 0;
}
