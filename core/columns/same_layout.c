/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the same layout: equal in size, and with bytes of the same kind at each position. The
 * first row gives the layout, and the translation finds the rows that differ from it. */
#include <string.h>

#include "columns/ff1_rows.h"
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
    /* Rows on lanes have one tweak, except those of FF1. */
    const int own =
        job->row_tweaks != NULL || (shape->tweak_kept && (shape->keep | shape->keep_last) != 0);
    const int differ = job->delimiters != 0 || (own && job->cipher->pool->ff1 == NULL);
    size_t tail = shape->tweak_kept ? 4 : 0; /* the size of kept symbols: 0 */
    if (differ || !tally_fast_pool_takes_tweak(job->cipher->pool, job->common_tweak) ||
        !job->has_tables || job->common_tweak + tail > sizeof job->tweak) {
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

static int same_layout_is_on_lanes(const tally_column_job *job)
{
    const tally_fast_pool *pool = job->cipher->pool;
    return pool->ff1 == NULL ||
           (job->row_tweaks == NULL && (!job->shape->tweak_kept || job->kept == 0) &&
            tally_ff1_words_like_lanes(pool, job->length));
}

void tally_same_layout_of(tally_column_job *job, const uint8_t *value, size_t width)
{
    const tally_shape *shape = job->shape;
    tally_translate_layout *layout = &job->layout;
    size_t count = 0;
    job->length = 0;
    for (size_t p = 0; p < width; p++) {
        uint8_t kind = shape->kind[value[p]];
        int is_symbol = kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
        if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && p != 0)) {
            return;
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
    job->kept = count - length;
    if (length < shape->min_symbols + (size_t)layout->luhn) {
        return;
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
    job->length = length > shape->max_symbols ? 0 : length;
    job->on_lanes = same_layout_is_on_lanes(job);
}

size_t tally_same_layout_count_bad(const uint8_t *bad, size_t count)
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

tally_translate_job tally_same_layout_text(tally_column_job *job, size_t width, size_t lanes)
{
    const size_t used = width * lanes;
    job->most_text = used > job->most_text ? used : job->most_text;
    return (tally_translate_job){.tables = &job->tables,
                                 .layout = &job->layout,
                                 .lanes = lanes,
                                 .text = job->memory->text,
                                 .symbols = job->cipher->lane_state,
                                 .kept = job->cipher->pool->ff1 != NULL && job->shape->tweak_kept
                                             ? job->cipher->lane_state + job->length * lanes
                                             : NULL,
                                 .bad = job->memory->bad};
}

/* Runs the words of `count` rows on lanes. The next rows, to be prefetched, are at `next`. */
static void same_layout_run_words(tally_column_job *job, const tally_column_batch *batch,
                                  size_t groups, size_t width, size_t count, uint64_t next)
{
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(job->cipher, job->length, &spare);
    const uint64_t rest = batch->end - next, size = count * width;
    const tally_fast_prefetch prefetch = {.read = batch->source + next,
                                          .written = batch->values + next,
                                          .size = (size_t)(rest < size ? rest : size)};
    const size_t tail = job->shape->tweak_kept ? 4 : 0;
    memset(job->tweak + job->common_tweak, 0, tail); /* rows before may have kept some */
    tally_fast_run_lanes(job->cipher, params, job->direction, job->tweak, job->common_tweak + tail,
                         groups, &prefetch);
}

/* Runs rows of one size, at most as many as fit on lanes, if at least half of them have the same
 * layout. Returns the number of rows that are left, and lists them. */
static size_t same_layout_run_chunk(tally_column_job *job, tally_column_batch *batch,
                                    const uint16_t *rows, size_t count, size_t width,
                                    uint16_t *left)
{
    tally_column_memory *memory = job->memory;
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    const uint8_t *source[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    uint8_t *values[TALLY_FAST_GROUPS * TALLY_FAST_MAX_LANES];
    job->length = 0;
    for (size_t i = 0; i < SAME_LAYOUT_LEADERS && i < count && job->length == 0; i++) {
        tally_same_layout_of(job, batch->source + batch->start[rows[i]], width);
    }
    const size_t groups = tally_fast_groups(lanes, width, count), stride = groups * lanes->width;
    tally_translate_job text = tally_same_layout_text(job, width, stride);
    tally_ff1_rows ff1;
    size_t bad = count;
    if (job->length != 0) {
        same_layout_list(batch, rows, count, width, source, values);
        lanes->transpose->to_lanes(source, count, width, stride, memory->text);
        job->translate->read(&text);
        if (!job->on_lanes) {
            tally_ff1_rows_init(job, batch->first, rows, stride, count, &ff1);
        }
        bad = tally_same_layout_count_bad(memory->bad, count);
        text.any_bad = bad != 0;
    }
    if (2 * bad > count) {
        if (!batch->copied) { /* then the rows are side by side */
            tally_column_copy(batch, rows[0], count);
        }
        memmove(left, rows, count * sizeof *rows);
        return count;
    }
    if (!job->on_lanes) {
        tally_ff1_rows_run(job, &ff1, text.any_bad);
    } else {
        same_layout_run_words(job, batch, groups, width, count, batch->start[rows[count - 1] + 1]);
    }
    job->translate->write(&text);
    lanes->transpose->from_lanes(memory->text, stride, count, width, values);
    job->report->small += job->length < job->shape->small_symbols ? count - bad : 0;
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

/* Runs `count` rows side by side, from number `first` of the batch on, if they have the layout of
 * rows before them, or of the first. Which row is on which lane matters only if each row has a tweak
 * of its own: transposes of words side by side have an order that depends on their length. */
static int same_layout_run_packed_chunk(tally_column_job *job, const tally_column_batch *batch,
                                        size_t first, size_t count, size_t groups)
{
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    const tally_transpose *transpose = lanes->transpose;
    const size_t width = (size_t)batch->common, stride = groups * lanes->width;
    const uint64_t at = batch->begin + first * width, next = at + count * width;
    const uint8_t *from = batch->source + at;
    uint8_t *to = batch->values + at;
    if (job->length == 0 || job->layout.width != width) {
        tally_same_layout_of(job, from, width);
    }
    if (job->length == 0) {
        return 0;
    }
    tally_translate_job text = tally_same_layout_text(job, width, stride);
    if (!job->on_lanes && tally_ff1_rows_are_plain(job)) {
        if (!tally_ff1_rows_run_plain(job, batch->first + first, from, count, to)) {
            job->length = 0;
            return 0;
        }
    } else if (job->on_lanes && job->tables.is_run && job->length == width) { /* only the word's */
        const uint8_t zero = job->tables.letter[0][0];
        if (!transpose->words_to_lanes(from, count, width, stride, zero, job->shape->radix,
                                       text.symbols)) {
            job->length = 0;
            return 0;
        }
        same_layout_run_words(job, batch, groups, width, count, next);
        transpose->words_from_lanes(text.symbols, stride, count, width, zero, to);
    } else if (!job->on_lanes) {
        const uint8_t *in[TALLY_FF1_ROWS_MOST];
        uint8_t *out[TALLY_FF1_ROWS_MOST];
        tally_ff1_rows ff1;
        for (size_t k = 0; k < count; k++) {
            in[k] = from + k * width;
            out[k] = to + k * width;
        }
        transpose->to_lanes(in, count, width, stride, text.text);
        job->translate->read(&text);
        tally_ff1_rows_init(job, batch->first + first, NULL, stride, count, &ff1);
        if (tally_same_layout_count_bad(text.bad, count) != 0) {
            job->length = 0;
            return 0;
        }
        tally_ff1_rows_run(job, &ff1, 0);
        job->translate->write(&text);
        transpose->from_lanes(text.text, stride, count, width, out);
    } else {
        (void)transpose->words_to_lanes(from, count, width, stride, 0, 256, text.text);
        job->translate->read(&text);
        if (tally_same_layout_count_bad(text.bad, count) != 0) {
            job->length = 0;
            return 0;
        }
        same_layout_run_words(job, batch, groups, width, count, next);
        job->translate->write(&text);
        transpose->words_from_lanes(text.text, stride, count, width, 0, to);
    }
    job->report->small += job->length < job->shape->small_symbols ? count : 0;
    return 1;
}

size_t tally_same_layout_run_packed(tally_column_job *job, const tally_column_batch *batch)
{
    const uint64_t width = batch->common;
    size_t done = 0;
    if (job->translate == NULL || width == 0 || width > TALLY_TRANSLATE_WIDTH) {
        return 0;
    }
    if (job->unlike > 0) {
        job->unlike--;
        return 0;
    }
    while (batch->count - done >= SAME_LAYOUT_FEWEST) {
        const tally_fast_lanes *lanes = job->cipher->pool->lanes;
        const size_t left = batch->count - done;
        const size_t groups = tally_fast_groups(lanes, (size_t)width, left);
        const size_t most = groups * lanes->width, part = left < most ? left : most;
        if (!same_layout_run_packed_chunk(job, batch, done, part, groups)) {
            job->unlike = SAME_LAYOUT_SKIPS;
            break;
        }
        done += part;
    }
    return done;
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
            tally_column_copy(batch, batch->done, batch->count - batch->done);
            batch->copied = 1;
        }
        same_layout_run_sizes(job, batch);
    }
    job->skipped = 2 * batch->pending > before ? SAME_LAYOUT_SKIPS : 0;
}
