/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows with equal tweaks on lanes. The first row gives the layout, as in same_layout.c, and the
 * translation finds the rows that differ from it. */
#include "columns/grouped_lanes.h"

#include <string.h>

#include "base/bytes.h"
#include "fast/words/run.h"

enum {
    GROUPED_LEAST_LANES = 16, /* of a group: with fewer, each_row.c is as fast */
    GROUPED_MISSES = 512 /* rows of another width more than of this one, until it is given up */
};

void tally_grouped_lanes_init(const tally_column_job *job, tally_grouped_lanes *out)
{
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    memset(out, 0, sizeof *out);
    if (job->has_tables && job->delimiters == 0 && lanes->width >= GROUPED_LEAST_LANES &&
        job->common_tweak + 4 + TALLY_TRANSLATE_WIDTH <= sizeof job->tweak) {
        out->translate = tally_translate_choose(lanes);
    }
}

void tally_grouped_find_own(const tally_column_job *job, uint64_t number, tally_grouped_row *row)
{
    static const uint8_t nothing;
    const tally_strings_reader *tweaks = job->row_tweaks;
    uint64_t start, size;
    row->own = NULL;
    if (!tally_row_is_null(tweaks->strings, number) &&
        tally_strings_row(tweaks, number, &start, &size) &&
        size <= sizeof job->tweak - job->common_tweak - 4 - TALLY_TRANSLATE_WIDTH) {
        row->own = size != 0 ? tweaks->strings->values + start : &nothing;
        row->own_size = (uint32_t)size;
    }
}

void tally_grouped_run_apart(tally_column_job *job, const tally_grouped_lanes *lanes,
                             const tally_grouped_row *row, uint8_t *row_status)
{
    const uint64_t number = lanes->first + row->number;
    row_status[number] = (uint8_t)tally_each_row_add(job, row->value, row->size, number);
}

/* Lists the windows that have positions of `kept`. Short rows have none, and are compared byte by
 * byte. */
static void grouped_find_windows(tally_grouped_lanes *lanes)
{
    lanes->windows = 0;
    for (size_t p = 0; lanes->width >= 8 && p < lanes->width; p += 8) {
        const size_t first = p + 8 <= lanes->width ? p : lanes->width - 8;
        uint8_t bytes[8];
        for (size_t i = 0; i < 8; i++) {
            bytes[i] = (lanes->kept >> (first + i) & 1) != 0 ? 255 : 0;
        }
        memcpy(&lanes->window_mask[lanes->windows], bytes, 8);
        lanes->window[lanes->windows] = (uint8_t)first;
        lanes->windows += lanes->window_mask[lanes->windows] != 0;
    }
}

static inline int grouped_keeps_alike(const tally_grouped_lanes *lanes, const uint8_t *x,
                                      const uint8_t *y)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < lanes->windows; i++) {
        uint64_t a, b;
        memcpy(&a, x + lanes->window[i], 8);
        memcpy(&b, y + lanes->window[i], 8);
        differ |= (a ^ b) & lanes->window_mask[i];
    }
    for (size_t p = 0; lanes->width < 8 && p < lanes->width; p++) {
        differ |= (lanes->kept >> p & 1) != 0 && x[p] != y[p];
    }
    return differ == 0;
}

/* Takes the layout of a row. */
static void grouped_take_layout(tally_column_job *job, tally_grouped_lanes *lanes,
                                const tally_grouped_row *row)
{
    tally_fast_params spare;
    tally_same_layout_of(job, row->value, (size_t)row->size);
    lanes->width = (size_t)row->size;
    lanes->taken = lanes->missed = 0;
    lanes->kept = 0;
    for (size_t p = 0; job->shape->tweak_kept && p < lanes->width; p++) {
        lanes->kept |= (uint64_t)(job->layout.role[p] == TALLY_TRANSLATE_KEPT) << p;
    }
    grouped_find_windows(lanes);
    if (job->length != 0 && tally_fast_cipher_params(job->cipher, job->length, &spare)->layers >
                                TALLY_FAST_CACHE_LAYERS) {
        job->length = 0;
    }
}

/* Whether the rows' own tweaks are equal. */
static int grouped_own_is_alike(const tally_grouped_row *first, const tally_grouped_row *other)
{
    const size_t size = first->own_size;
    if (other->own == NULL || other->own_size != size) {
        return 0;
    }
    return size <= 8 ? tally_load_few(first->own, size) == tally_load_few(other->own, size)
                     : memcmp(first->own, other->own, size) == 0;
}

/* Whether the symbols that stay are equal, and so is the row's own tweak. They are public. */
static int grouped_is_alike(const tally_column_job *job, const tally_grouped_lanes *lanes,
                            const tally_grouped_row *first, const tally_grouped_row *other)
{
    return other->size == lanes->width && grouped_keeps_alike(lanes, first->value, other->value) &&
           (job->row_tweaks == NULL || grouped_own_is_alike(first, other));
}

size_t tally_grouped_lanes_alike(tally_column_job *job, tally_grouped_lanes *lanes,
                                 const tally_grouped_row *rows, size_t count)
{
    const size_t least = job->cipher->pool->lanes->width / 8;
    size_t alike = 1;
    if (lanes->translate == NULL || rows->size == 0 || rows->size > TALLY_TRANSLATE_WIDTH) {
        return 0;
    }
    if (rows->size != lanes->width || job->length == 0) {
        lanes->missed++;
        if (lanes->groups != 0 ||
            (lanes->width != 0 && lanes->missed < lanes->taken + GROUPED_MISSES)) {
            return 0;
        }
        grouped_take_layout(job, lanes, rows);
        if (job->length == 0) {
            return 0;
        }
    }
    if (job->row_tweaks != NULL && rows->own == NULL) {
        return 0;
    }
    while (alike < count && grouped_is_alike(job, lanes, rows, &rows[alike])) {
        alike++;
    }
    lanes->taken += alike;
    return alike >= least ? alike : 0;
}

/* Completes job->tweak for a row; returns its size. */
static size_t grouped_tweak(tally_column_job *job, const tally_grouped_lanes *lanes,
                            const tally_grouped_row *row)
{
    uint8_t *const tail = job->tweak + job->common_tweak, *at = tail;
    if (job->shape->tweak_kept) {
        at += 4;
        for (size_t p = 0; p < lanes->width; p++) {
            if ((lanes->kept >> p & 1) != 0) {
                *at++ = job->shape->symbol[row->value[p]];
            }
        }
        tally_store_be32((uint32_t)(at - tail - 4), tail);
    }
    if (job->row_tweaks != NULL) {
        memcpy(at, row->own, row->own_size);
        at += row->own_size;
    }
    return (size_t)(at - job->tweak);
}

/* Runs the words of all groups. */
static void grouped_run_words(tally_column_job *job, const tally_grouped_lanes *lanes)
{
    tally_fast_cipher *cipher = job->cipher;
    const size_t width = cipher->pool->lanes->width;
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(cipher, job->length, &spare);
    if (lanes->runs == 1) {
        const size_t size = grouped_tweak(job, lanes, &lanes->rows[0]);
        tally_fast_run_lanes(cipher, params, job->direction, job->tweak, size, TALLY_FAST_GROUPS,
                             NULL);
        return;
    }
    for (size_t g = 0; g < TALLY_FAST_GROUPS; g++) {
        if (g >= lanes->groups || (g > 0 && lanes->run[g] == lanes->run[g - 1])) {
            memcpy(cipher->sequences[g], cipher->sequences[g - 1], params->layers);
        } else {
            const size_t size = grouped_tweak(job, lanes, &lanes->rows[g * width]);
            tally_fast_sequence(cipher, params, job->tweak, size, 0, cipher->sequences[g]);
        }
    }
    tally_fast_run_groups(cipher, cipher->pool->lanes, params, job->direction, TALLY_FAST_GROUPS);
}

void tally_grouped_lanes_flush(tally_column_job *job, tally_grouped_lanes *lanes,
                               uint8_t *row_status)
{
    const tally_fast_lanes *own = job->cipher->pool->lanes;
    const size_t stride = TALLY_FAST_GROUPS * own->width, width = lanes->width;
    const uint8_t *from[TALLY_GROUPED_LANES];
    uint8_t *to[TALLY_GROUPED_LANES];
    size_t rows = 0, bad = 0;
    if (lanes->groups == 0) {
        return;
    }
    for (size_t i = 0; i < stride; i++) {
        const int idle = i >= lanes->groups * own->width || lanes->rows[i].value == NULL;
        from[i] = idle ? lanes->rows[0].value : lanes->rows[i].value;
        to[i] = idle ? lanes->spare : lanes->rows[i].value;
        rows += !idle;
    }
    tally_translate_job text = tally_same_layout_text(job, width, stride);
    own->transpose->to_lanes(from, stride, width, stride, text.text);
    lanes->translate->read(&text);
    text.any_bad = tally_same_layout_count_bad(text.bad, stride) != 0;
    grouped_run_words(job, lanes);
    lanes->translate->write(&text);
    own->transpose->from_lanes(text.text, stride, stride, width, to);
    for (size_t i = 0; text.any_bad && i < lanes->groups * own->width; i++) {
        if (to[i] != lanes->spare && text.bad[i] >> 7 != 0) {
            tally_grouped_run_apart(job, lanes, &lanes->rows[i], row_status);
            bad++;
        }
    }
    job->report->small += job->length < job->shape->small_symbols ? rows - bad : 0;
    lanes->groups = lanes->runs = 0;
    if (2 * bad > rows) {
        job->length = 0; /* the layout of another row may do better */
        lanes->missed = lanes->taken + GROUPED_MISSES;
    }
}

size_t tally_grouped_lanes_add(tally_column_job *job, tally_grouped_lanes *lanes,
                               const tally_grouped_row *rows, size_t count, uint8_t *row_status)
{
    const size_t width = job->cipher->pool->lanes->width;
    size_t added = 0;
    lanes->runs++;
    while (added < count && job->length != 0) {
        const size_t left = count - added, part = left < width ? left : width;
        tally_grouped_row *lane = &lanes->rows[lanes->groups * width];
        for (size_t i = 0; i < width; i++) {
            if (i < part) {
                lane[i] = rows[added + i];
            } else {
                lane[i].value = NULL;
            }
        }
        lanes->run[lanes->groups++] = lanes->runs;
        added += part;
        if (lanes->groups == TALLY_FAST_GROUPS) {
            tally_grouped_lanes_flush(job, lanes, row_status);
            lanes->runs += added < count && job->length != 0;
        }
    }
    return added;
}

void tally_grouped_lanes_wipe(tally_column_job *job, const tally_grouped_lanes *lanes)
{
    tally_fast_cipher *cipher = job->cipher;
    if (lanes->translate != NULL) {
        tally_wipe(cipher->sequences, sizeof cipher->sequences);
        tally_wipe(&cipher->prefix_cache, sizeof cipher->prefix_cache);
    }
}
