/* SPDX-License-Identifier: Apache-2.0
 *
 * See ff1_rows.h. Words, the symbols that stay, and tails are in memory of each_row.c, which has no
 * rows meanwhile. */
#include "columns/ff1_rows.h"

#include <string.h>

#include "base/below.h"
#include "base/bytes.h"

enum {
    FF1_ROWS_SIZE = 4, /* bytes of the number of symbols that stay, before them in a tweak */
    FF1_ROWS_TAIL = TALLY_COLUMN_TAILS / TALLY_FF1_ROWS_MOST, /* bytes of a tail with both parts */
    FF1_ROWS_RUN = 64 /* bytes: a fixed number is vectorized at -O2 */
};

_Static_assert(TALLY_TRANSLATE_WIDTH *TALLY_FF1_ROWS_MOST <= TALLY_FAST_MAX_LENGTH,
               "symbols of rows on lanes fit where each_row.c has its own");

/* What all rows have: the common part of the tweak and the number of symbols that stay. The symbols
 * that stay in row k are at kept + k * step. Returns 0 if some row has no valid tweak; with `bad`,
 * it is marked there. */
static int ff1_rows_set_tweaks(tally_column_job *job, uint64_t first, const uint16_t *rows,
                               const uint8_t *kept, size_t step, uint8_t *bad, tally_ff1_rows *out)
{
    const tally_strings_reader *own = job->row_tweaks;
    size_t common = job->common_tweak, kept_size = 0;
    if (job->shape->tweak_kept) {
        kept_size = job->kept;
        tally_store_be32((uint32_t)kept_size, job->tweak + common);
        common += FF1_ROWS_SIZE;
    }
    out->tweaks = (tally_ff1_tweaks){job->tweak, common,
                                     own != NULL || kept_size != 0 ? out->tails : NULL, out->sizes};
    if (common + kept_size > sizeof job->tweak) {
        return 0;
    }
    if (own == NULL) {
        for (size_t k = 0; k < out->count && kept_size != 0; k++) {
            out->tails[k] = kept + k * step;
            out->sizes[k] = kept_size;
        }
        return 1;
    }
    const size_t capacity = sizeof job->tweak - common - kept_size,
                 most = kept_size == 0 || capacity < FF1_ROWS_TAIL - kept_size
                            ? capacity
                            : FF1_ROWS_TAIL - kept_size;
    int valid = 1;
    for (size_t k = 0; k < out->count; k++) {
        const uint64_t number = first + (rows != NULL ? rows[k] : k);
        uint64_t start, size;
        if (tally_row_is_null(own->strings, number) ||
            !tally_strings_row(own, number, &start, &size) || size > most) {
            valid = 0;
            if (bad == NULL) {
                return 0;
            }
            bad[k] |= 128;
            start = size = 0;
        }
        const uint8_t *bytes = size != 0 ? own->strings->values + start : NULL;
        out->tails[k] = bytes;
        out->sizes[k] = (size_t)size + kept_size;
        if (kept_size != 0) {
            uint8_t *tail = job->memory->tails + k * FF1_ROWS_TAIL;
            memcpy(tail, kept + k * step, kept_size);
            if (size != 0) {
                memcpy(tail + kept_size, bytes, (size_t)size);
            }
            out->tails[k] = tail;
        }
    }
    if (kept_size != 0) {
        tally_column_used(out->count * FF1_ROWS_TAIL, &job->most_tails);
    }
    return valid;
}

/* Symbols from lanes, on which rows are in order, to words side by side, and back. */
static void ff1_rows_from_lanes(const tally_column_job *job, const tally_ff1_rows *rows,
                                const uint8_t *lanes, size_t length, uint8_t *words)
{
    const tally_transpose *transpose = job->cipher->pool->lanes->transpose;
    uint8_t *places[TALLY_FF1_ROWS_MOST];
    for (size_t k = 0; k < rows->count; k++) {
        places[k] = words + k * length;
    }
    transpose->from_lanes(lanes, rows->stride, rows->count, length, places);
}

static void ff1_rows_to_lanes(const tally_column_job *job, const tally_ff1_rows *rows,
                              const uint8_t *words, size_t length, uint8_t *lanes)
{
    const tally_transpose *transpose = job->cipher->pool->lanes->transpose;
    const uint8_t *places[TALLY_FF1_ROWS_MOST];
    for (size_t k = 0; k < rows->count; k++) {
        places[k] = words + k * length;
    }
    transpose->to_lanes(places, rows->count, length, rows->stride, lanes);
}

void tally_ff1_rows_init(tally_column_job *job, uint64_t first, const uint16_t *rows, size_t stride,
                         size_t count, tally_ff1_rows *out)
{
    uint8_t *kept = job->memory->symbols + count * job->length;
    out->stride = stride;
    out->count = count;
    if (job->shape->tweak_kept && job->kept != 0) {
        tally_column_used(count * (job->length + job->kept), &job->most_symbols);
        ff1_rows_from_lanes(job, out, job->cipher->lane_state + job->length * stride, job->kept,
                            kept);
    }
    if (!ff1_rows_set_tweaks(job, first, rows, kept, job->kept, job->memory->bad, out) &&
        job->row_tweaks == NULL) { /* all alike: the tweak is too long */
        memset(job->memory->bad, 128, count);
    }
}

/* Runs words under their tweaks. */
static void ff1_rows_encrypt(tally_column_job *job, const tally_ff1_rows *rows,
                             uint8_t *const *words)
{
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(job->cipher, job->length, &spare);
    tally_ff1_words_tweaks(job->cipher, params, job->direction, &rows->tweaks, words, rows->count);
}

void tally_ff1_rows_run(tally_column_job *job, tally_ff1_rows *rows, int any_bad)
{
    uint8_t *const words = job->memory->symbols, *const lanes = job->cipher->lane_state;
    const size_t length = job->length, size = rows->count * length;
    uint8_t *places[TALLY_FF1_ROWS_MOST];
    tally_column_used(size, &job->most_symbols);
    ff1_rows_from_lanes(job, rows, lanes, length, words);
    for (size_t i = 0; i < size && any_bad; i++) {
        words[i] &= (uint8_t)(0 - (words[i] < job->shape->radix));
    }
    for (size_t k = 0; k < rows->count; k++) {
        places[k] = words + k * length;
    }
    ff1_rows_encrypt(job, rows, places);
    ff1_rows_to_lanes(job, rows, words, length, lanes);
}

/* How many positions from `first` on have a role. */
static size_t ff1_rows_with_role(const tally_translate_layout *layout, size_t first, uint8_t role)
{
    size_t end = first;
    while (end < layout->width && layout->role[end] == role) {
        end++;
    }
    return end - first;
}

int tally_ff1_rows_are_plain(const tally_column_job *job)
{
    const tally_translate_layout *layout = &job->layout;
    if (!job->tables.is_run || layout->luhn || job->kept + job->length != layout->width) {
        return 0;
    }
    const size_t kept = ff1_rows_with_role(layout, 0, TALLY_TRANSLATE_KEPT);
    return (kept == 0 || kept == job->kept) &&
           ff1_rows_with_role(layout, kept, TALLY_TRANSLATE_FREE) == job->length;
}

/* Adds a number to each byte. */
static void ff1_rows_add(const uint8_t *from, size_t size, uint8_t number, uint8_t *to)
{
    uint8_t run[FF1_ROWS_RUN];
    for (; size >= FF1_ROWS_RUN; size -= FF1_ROWS_RUN, from += FF1_ROWS_RUN, to += FF1_ROWS_RUN) {
        memcpy(run, from, sizeof run);
        for (size_t i = 0; i < FF1_ROWS_RUN; i++) {
            run[i] = (uint8_t)(run[i] + number);
        }
        memcpy(to, run, sizeof run);
    }
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)(from[i] + number);
    }
    tally_wipe(run, sizeof run);
}

int tally_ff1_rows_run_plain(tally_column_job *job, uint64_t first, const uint8_t *from,
                             size_t count, uint8_t *to)
{
    const size_t width = job->layout.width, size = count * width;
    const size_t before = ff1_rows_with_role(&job->layout, 0, TALLY_TRANSLATE_KEPT);
    const uint8_t zero = job->tables.letter[0][0];
    uint8_t *const symbols = job->memory->symbols;
    uint8_t *places[TALLY_FF1_ROWS_MOST];
    tally_ff1_rows rows;
    rows.count = count;
    tally_column_used(size, &job->most_symbols);
    ff1_rows_add(from, size, (uint8_t)(0 - zero), symbols);
    if (!tally_all_below(job->shape->radix, symbols, size) ||
        !ff1_rows_set_tweaks(job, first, NULL, symbols + (before == 0 ? job->length : 0), width,
                             NULL, &rows)) {
        return 0;
    }
    for (size_t k = 0; k < count; k++) {
        places[k] = symbols + k * width + before;
    }
    ff1_rows_encrypt(job, &rows, places);
    ff1_rows_add(symbols, size, zero, to);
    return 1;
}
