/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that are laid out alike: equal in size, and with bytes of the same kind at each position. The
 * first of some rows says how, and the engine of text finds those that are not like it. */
#include <string.h>

#include "columns/job.h"
#include "columns/luhn.h"
#include "columns/symbols.h"
#include "fast/words/run.h"

enum {
    FEW = 16,    /* rows of a size that are left to be taken one by one */
    LEADERS = 4, /* rows that are asked how the others are laid out, if they do not fit */
    REST = 15    /* batches left alone after one with fewer than half of its rows alike */
};

void tally_column_begin_alike(tally_column_job *job)
{
    const tally_shape *shape = job->shape;
    /* What a row's tweak has of its own would part it from the others. */
    int alone = job->row_tweaks != NULL || job->marks != 0 ||
                (shape->tweak_kept && (shape->keep | shape->keep_last) != 0);
    size_t tail = shape->tweak_kept ? 4 : 0; /* nothing is kept: its size, zero */
    if (alone || !job->has_tables || job->common_tweak + tail > sizeof job->tweak) {
        job->text = NULL;
        return;
    }
    job->text = tally_translate_choose(job->cipher->pool->lanes);
    memset(job->tweak + job->common_tweak, 0, tail);
}

void tally_column_end_alike(tally_column_job *job)
{
    tally_wipe(job->cipher->text, job->most_text);
    tally_wipe(job->cipher->ring, job->most_text);
    if (job->most_text != 0) { /* below their top bits, bytes of values put together */
        tally_wipe(job->cipher->bad, sizeof job->cipher->bad);
    }
}

/* Describes a value; 0 if it does not fit its shape. */
static size_t lay_out(tally_column_job *job, const uint8_t *value, size_t width)
{
    const tally_shape *shape = job->shape;
    tally_text_layout *layout = &job->layout;
    size_t count = 0;
    for (size_t p = 0; p < width; p++) {
        uint8_t kind = shape->kind[value[p]];
        int is_symbol = kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
        if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && p != 0)) {
            return 0;
        }
        layout->role[p] = is_symbol ? TALLY_TEXT_KEPT : TALLY_TEXT_OTHER;
        layout->upper[p] = kind == TALLY_BYTE_UPPER ? 128 : 0;
        layout->code[p] = (uint8_t)(128 | kind);
        count += (size_t)is_symbol;
    }
    layout->width = width;
    layout->luhn = shape->luhn != TALLY_LUHN_NONE;
    size_t length = 0, symbol = 0, check = 0;
    for (size_t p = 0; p < width; p++) {
        if (layout->role[p] == TALLY_TEXT_OTHER) {
            continue;
        }
        layout->doubled[p] = (count - symbol) % 2 == 0;
        if (tally_symbol_is_free(shape, symbol++, count)) {
            layout->role[p] = TALLY_TEXT_FREE;
            check = p;
            length++;
        }
    }
    if (length < shape->min_symbols + (size_t)layout->luhn) {
        return 0;
    }
    if (layout->luhn) {
        layout->role[check] = TALLY_TEXT_CHECK;
        length--;
        for (uint32_t sum = 0; sum < 10; sum++) {
            int invalid = shape->luhn == TALLY_LUHN_INVALID;
            uint8_t digit = tally_luhn_digit_for(sum, layout->doubled[check]);
            uint8_t other = (uint8_t)((digit + 1) % 10);
            layout->read_digit[sum] = invalid && job->decrypt ? other : digit;
            layout->write_digit[sum] = invalid && !job->decrypt ? other : digit;
        }
    }
    return length > shape->max_symbols ? 0 : length;
}

/* How many values are bad. */
static size_t count_bad(const uint8_t *bad, size_t count)
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

/* Rows of one size, at most as many as the groups for them have lanes. If at least half of them are alike, they
 * are done; the others, or all, are left. Returns how many, and which. */
static size_t run_some(tally_column_job *job, tally_column_batch *batch, const uint16_t *rows,
                       size_t count, size_t width, uint16_t *left)
{
    tally_fast_cipher *cipher = job->cipher;
    const tally_fast_lanes *engine = cipher->pool->lanes;
    const uint8_t *source[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint8_t *values[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    size_t length = 0;
    for (size_t i = 0; i < LEADERS && i < count && length == 0; i++) {
        length = lay_out(job, batch->source + batch->start[rows[i]], width);
    }
    size_t groups = tally_fast_groups(engine, width, count), lanes = groups * engine->lanes;
    const tally_text_job text = {.tables = &job->tables,
                                 .layout = &job->layout,
                                 .lanes = lanes,
                                 .text = cipher->text,
                                 .ring = cipher->ring,
                                 .bad = cipher->bad};
    size_t bad = count;
    if (length != 0) {
        for (size_t i = 0; i < count; i++) {
            source[i] = batch->source + batch->start[rows[i]];
            values[i] = batch->values + batch->start[rows[i]];
        }
        size_t used = width * lanes;
        job->most_text = used > job->most_text ? used : job->most_text;
        engine->transpose->to_lanes(source, count, width, lanes, cipher->text);
        job->text->read(&text);
        bad = count_bad(cipher->bad, count);
    }
    if (2 * bad > count) {
        if (!batch->copied) { /* then the rows lie one after the other */
            tally_column_copy(batch, rows[0], count);
        }
        memmove(left, rows, count * sizeof *rows);
        return count;
    }
    tally_fast_params spare;
    const tally_fast_params *params = tally_column_params(job, length, &spare);
    const uint64_t next = batch->start[rows[count - 1] + 1], rest = batch->end - next;
    const tally_fast_ahead ahead = {
        .read = batch->source + next,
        .written = batch->values + next,
        .size = rest < count * width ? (size_t)rest : count * width,
    };
    tally_fast_run_ring(cipher, params, job->decrypt, job->tweak,
                        job->common_tweak + (job->shape->tweak_kept ? 4 : 0), groups, &ahead);
    job->text->write(&text);
    engine->transpose->from_lanes(cipher->text, lanes, count, width, values);
    job->report->small += length < job->shape->small_symbols ? count - bad : 0;
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < bad; i++) {
        left[kept] = rows[i];
        kept += cipher->bad[i] >> 7;
    }
    return kept;
}

/* Rows of one size. Returns how many are left, and which. */
static size_t run_size(tally_column_job *job, tally_column_batch *batch, const uint16_t *rows,
                       size_t count, size_t width, uint16_t *left)
{
    const tally_fast_lanes *engine = job->cipher->pool->lanes;
    size_t kept = 0;
    while (count > 0) {
        size_t room = tally_fast_groups(engine, width, count) * engine->lanes;
        size_t part = count < room ? count : room;
        kept += run_some(job, batch, rows, part, width, left + kept);
        rows += part;
        count -= part;
    }
    return kept;
}

/* Rows of one size after the other; those that are too large, empty or few are left. */
static void run_sizes(tally_column_job *job, tally_column_batch *batch)
{
    size_t end[TALLY_TEXT_WIDTH + 2] = {0};
    uint16_t *sorted = batch->rows + TALLY_FAST_ROWS;
    for (size_t i = 0; i < batch->left; i++) {
        uint64_t size = tally_column_size(batch, batch->rows[i]);
        end[1 + (size <= TALLY_TEXT_WIDTH ? size : 0)]++;
    }
    for (size_t size = 0; size <= TALLY_TEXT_WIDTH; size++) {
        end[size + 1] += end[size];
    }
    for (size_t i = 0; i < batch->left; i++) {
        uint64_t size = tally_column_size(batch, batch->rows[i]);
        sorted[end[size <= TALLY_TEXT_WIDTH ? size : 0]++] = batch->rows[i];
    }
    batch->left = end[0];
    memcpy(batch->rows, sorted, batch->left * sizeof *sorted);
    for (size_t size = 1; size <= TALLY_TEXT_WIDTH; size++) {
        const uint16_t *rows = sorted + end[size - 1];
        size_t count = end[size] - end[size - 1];
        uint16_t *left = batch->rows + batch->left;
        if (count < FEW) {
            memcpy(left, rows, count * sizeof *rows);
            batch->left += count;
        } else {
            batch->left += run_size(job, batch, rows, count, size, left);
        }
    }
}

void tally_column_run_alike(tally_column_job *job, tally_column_batch *batch)
{
    if (job->text == NULL || batch->left < FEW) {
        return;
    }
    if (job->rest > 0) {
        job->rest--;
        return;
    }
    size_t before = batch->left;
    if (batch->common != 0 && batch->common <= TALLY_TEXT_WIDTH) {
        size_t width = (size_t)batch->common;
        batch->left = run_size(job, batch, batch->rows, before, width, batch->rows);
        batch->copied = 1; /* chunk by chunk */
    } else if (batch->common == 0) {
        if (!batch->copied) {
            tally_column_copy(batch, 0, batch->count);
            batch->copied = 1;
        }
        run_sizes(job, batch);
    }
    job->rest = 2 * batch->left > before ? REST : 0;
}
