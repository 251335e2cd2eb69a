/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns of values with layouts. The rows of a block are grouped by layout. The words of a layout
 * are encrypted side by side; those that are no value of the format stay for the next turn, with
 * new ones (cycle walking). */
#include <string.h>

#include "base/arch.h"
#include "base/bits.h"
#include "base/bytes.h"
#include "fast/words/by_direction.h"
#include "fast/words/row_tweaks.h"
#include "fast/words/run.h"
#include "formats/layouts_run.h"

enum {
    LAYOUTS_WORDS = 1024,      /* words in flight */
    LAYOUTS_WORDS_ROWS = 4096, /* with row tweaks, of which equal ones are sought */
    LAYOUTS_FEWEST = 16,       /* fewer words are not worth lanes of their own */
};

static void layouts_choose(tally_layouts_job *job)
{
    job->mixed = tally_mixed_lanes_choose();
    job->lanes = tally_layout_lanes_choose();
    job->transpose = tally_fast_lanes_choose()->transpose;
#if defined(TALLY_ARCH_X86_64)
    if (tally_backend_lacks(&tally_layout_packing_avx512.backend) == 0) {
        job->packing = &tally_layout_packing_avx512;
    }
    if (tally_backend_lacks(&tally_layout_idnr_avx512.backend) == 0) {
        job->idnr = &tally_layout_idnr_avx512;
    }
#endif
}

/* Rows of text come side by side. */
static void layouts_gather(const tally_layouts_job *job, const uint8_t *const *rows, size_t count)
{
    const size_t width = job->layout->width;
    if (count > 1) {
        job->transpose->to_lanes(rows, count, width, TALLY_LAYOUT_ROWS, job->block->text);
        return;
    }
    for (size_t p = 0; p < width; p++) {
        job->block->text[p * TALLY_LAYOUT_ROWS] = rows[0][p];
    }
}

static void layouts_scatter(const tally_layouts_job *job, uint8_t *const *rows, size_t count)
{
    const size_t width = job->layout->width;
    if (count > 1) {
        job->transpose->from_lanes(job->block->text, TALLY_LAYOUT_ROWS, count, width, rows);
        return;
    }
    for (size_t p = 0; p < width; p++) {
        rows[0][p] = job->block->text[p * TALLY_LAYOUT_ROWS];
    }
}

/* Reads up to TALLY_LAYOUT_ROWS rows of the layout, and appends the words of valid ones; returns
 * how many those are. */
static size_t layouts_take(tally_layouts_job *job, const uint16_t *rows, size_t count, size_t at)
{
    tally_layouts_block *block = job->block;
    const tally_layout *layout = job->layout;
    const uint8_t *from[TALLY_LAYOUT_ROWS];
    for (size_t i = 0; i < count; i++) {
        from[i] = job->column->in.values + job->groups->start[rows[i]];
    }
    layouts_gather(job, from, count);
    job->lanes->read(layout, block->text, count, block->digits, block->status);
    job->mixed->write(layout->plan, block->digits, count, job->symbols + at, job->stride);
    uint8_t *status = job->column->status + job->first_row;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        status[rows[i]] = block->status[i];
        job->row[at + taken] = rows[i];
        taken += block->status[i] == 0;
    }
    if (taken < count) {
        for (size_t s = 0; s < layout->plan->length; s++) {
            uint8_t *symbol = job->symbols + s * job->stride + at;
            for (size_t i = 0, to = 0; i < count; i++) {
                symbol[to] = symbol[i];
                to += block->status[i] == 0;
            }
        }
    }
    return taken;
}

/* Words one behind the other, and back. */
static void layouts_to_words(const tally_layouts_job *job, size_t first, size_t count,
                             uint8_t *words)
{
    const size_t length = job->layout->plan->length;
    for (size_t s = 0; s < length; s++) {
        const uint8_t *symbol = job->symbols + s * job->stride + first;
        for (size_t i = 0; i < count; i++) {
            words[i * length + s] = symbol[i];
        }
    }
}

static void layouts_from_words(const tally_layouts_job *job, size_t first, size_t count,
                               const uint8_t *words)
{
    const size_t length = job->layout->plan->length;
    for (size_t s = 0; s < length; s++) {
        uint8_t *symbol = job->symbols + s * job->stride + first;
        for (size_t i = 0; i < count; i++) {
            symbol[i] = words[i * length + s];
        }
    }
}

/* Encrypts or decrypts all words in flight under one tweak. */
static tally_status layouts_words(tally_layouts_job *job, size_t count)
{
    tally_run *run = job->run;
    const tally_fast_params *params = &job->layout->params;
    const tally_fast_lanes *lanes = job->cipher->pool->lanes;
    const size_t length = params->length, fewest = lanes->min_words(params->radix);
    size_t first = 0;
    while (lanes->width >= LAYOUTS_FEWEST && count - first >= LAYOUTS_FEWEST &&
           count - first >= fewest) {
        const size_t groups = tally_fast_groups(lanes, length, count - first);
        const size_t capacity = groups * lanes->width,
                     part = count - first < capacity ? count - first : capacity;
        uint8_t *state = job->cipher->lane_state;
        for (size_t s = 0; s < length; s++) {
            memcpy(state + s * capacity, job->symbols + s * job->stride + first, part);
            memset(state + s * capacity + part, 0, capacity - part);
        }
        tally_fast_run_lanes(job->cipher, params, run->direction, run->tweak, run->tweak_size,
                             groups, NULL);
        for (size_t s = 0; s < length; s++) {
            memcpy(job->symbols + s * job->stride + first, state + s * capacity, part);
        }
        job->lane_state_used =
            length * capacity > job->lane_state_used ? length * capacity : job->lane_state_used;
        first += part;
    }
    while (first < count) {
        uint8_t words[64 * TALLY_MIXED_MAX_LENGTH];
        const size_t part = count - first < 64 ? count - first : 64;
        layouts_to_words(job, first, part, words);
        tally_status status = tally_fast_words(job->cipher, run->direction, params, run->tweak,
                                               run->tweak_size, words, part, words);
        if (status != TALLY_OK) {
            return status;
        }
        layouts_from_words(job, first, part, words);
        tally_wipe(words, part * length);
        first += part;
    }
    return TALLY_OK;
}

/* The same with a tweak for each row. */
static tally_status layouts_words_rows(tally_layouts_job *job, size_t count)
{
    tally_run *run = job->run;
    const tally_strings *tweaks = run->row_tweaks;
    uint8_t *words = run->scratch(run, TALLY_LAYOUTS_SCRATCH_WORDS,
                                  LAYOUTS_WORDS_ROWS * (TALLY_MIXED_MAX_LENGTH + sizeof(uint64_t)) +
                                      sizeof(uint64_t));
    tally_fast_workspace *workspace = run->workspace(run);
    if (words == NULL || workspace == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint64_t *offsets = (uint64_t *)(void *)words;
    words += (LAYOUTS_WORDS_ROWS + 1) * sizeof(uint64_t);
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start, own;
        if (!tally_strings_row(&job->tweaks, job->first_row + job->row[i], &start, &own) ||
            own > job->capacity) {
            return TALLY_ERROR_ARGUMENT; /* changed since it was checked */
        }
        offsets[i] = size;
        size += own;
    }
    offsets[count] = size;
    uint8_t *values = run->scratch(run, TALLY_LAYOUTS_SCRATCH_TWEAKS, (size_t)size + 1);
    if (values == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t start, own;
        if (!tally_strings_row(&job->tweaks, job->first_row + job->row[i], &start, &own) ||
            own != offsets[i + 1] - offsets[i]) {
            return TALLY_ERROR_ARGUMENT;
        }
        memcpy(values + offsets[i], tweaks->values + start, (size_t)own);
    }
    const tally_strings given = {
        .offsets = offsets, .offset_size = 8, .values = values, .rows = count};
    layouts_to_words(job, 0, count, words);
    tally_status status =
        tally_fast_words_rows(job->cipher, workspace, run->direction, &job->layout->params,
                              run->tweak, run->tweak_size, &given, words, words);
    if (status == TALLY_OK) {
        layouts_from_words(job, 0, count, words);
    }
    return status;
}

/* Copies the bytes whose bit is set side by side. */
static void layouts_pack(const tally_layouts_job *job, uint64_t chosen, const uint8_t *from,
                         size_t count, uint8_t *to)
{
    if (job->packing != NULL) {
        job->packing->pack(chosen, from, to);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if ((chosen >> i & 1) != 0) {
            *to++ = from[i];
        }
    }
}

/* Moves the words from `first` on whose bit is set to those from `left` on. */
static void layouts_keep(const tally_layouts_job *job, uint64_t chosen, size_t first, size_t count,
                         size_t left)
{
    for (size_t s = 0; s < job->layout->plan->length; s++) {
        uint8_t *symbol = job->symbols + s * job->stride;
        layouts_pack(job, chosen, symbol + first, count, symbol + left);
    }
    if (job->packing != NULL) {
        job->packing->pack_rows(chosen, job->row + first, job->row + left);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if ((chosen >> i & 1) != 0) {
            job->row[left++] = job->row[first + i];
        }
    }
}

/* Writes the first values that a rule with few of them has collected. */
static void layouts_give_few(const tally_layouts_job *job)
{
    tally_layouts_few *few = job->few;
    tally_layouts_block *block = job->block;
    const tally_layout *layout = job->layout;
    const size_t rows = few->rows < TALLY_LAYOUT_ROWS ? few->rows : TALLY_LAYOUT_ROWS;
    if (rows == 0) {
        return;
    }
    job->mixed->read(layout->plan, few->symbols[0], sizeof few->symbols[0], rows, block->digits,
                     block->outside);
    job->lanes->write(layout, block->digits, rows, block->text, block->status);
    layouts_scatter(job, few->to, rows);
    few->rows -= rows;
    for (size_t s = 0; s < layout->plan->length; s++) {
        memmove(few->symbols[s], few->symbols[s] + rows, few->rows);
    }
    memmove(few->to, few->to + rows, few->rows * sizeof *few->to);
}

/* Collects words that are values: rows of those in flight from `first` on. */
static void layouts_collect(const tally_layouts_job *job, uint64_t values, size_t first,
                            size_t count)
{
    tally_layouts_few *few = job->few;
    for (size_t s = 0; s < job->layout->plan->length; s++) {
        layouts_pack(job, values, job->symbols + s * job->stride + first, count,
                     few->symbols[s] + few->rows);
    }
    for (; values != 0; values &= values - 1) {
        const uint16_t row = job->row[first + tally_bits_lowest(values)];
        few->to[few->rows++] = job->column->values + (job->groups->start[row] - job->begin);
    }
    if (few->rows >= TALLY_LAYOUT_ROWS) {
        layouts_give_few(job);
    }
}

/* A bit for each of `count` rows of the block that is no value. */
static uint64_t layouts_again(const tally_layouts_block *block, size_t count)
{
    uint64_t again = 0;
    for (size_t i = 0; i < TALLY_LAYOUT_ROWS; i += 8) {
        const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f),
                       bad =
                           tally_load_le64(block->outside + i) | tally_load_le64(block->status + i),
                       tops = (((bad & low) + low) | bad) & ~low;
        again |= ((tops >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return count == TALLY_LAYOUT_ROWS ? again : again & ((UINT64_C(1) << count) - 1);
}

/* The same of words, for a rule with few values, which are collected. */
static uint64_t layouts_give_sparse(tally_layouts_job *job, size_t first, size_t count)
{
    tally_layouts_block *block = job->block;
    const tally_layout *layout = job->layout;
    const uint8_t *symbols = job->symbols + first;
    const uint64_t all = UINT64_MAX >> (TALLY_LAYOUT_ROWS - count);
    uint64_t again;
    if (job->idnr != NULL) {
        again = ~job->idnr->values(symbols, job->stride) & all;
    } else {
        job->mixed->read(layout->plan, symbols, job->stride, count, block->digits, block->outside);
        job->lanes->exclude(layout, block->digits, count, block->status);
        again = layouts_again(block, count);
    }
    layouts_collect(job, all & ~again, first, count);
    return again;
}

/* The same, for other rules. */
static uint64_t layouts_give_block(tally_layouts_job *job, size_t first, size_t count)
{
    tally_layouts_block *block = job->block;
    const tally_layout *layout = job->layout;
    uint8_t *to[TALLY_LAYOUT_ROWS];
    job->mixed->read(layout->plan, job->symbols + first, job->stride, count, block->digits,
                     block->outside);
    job->lanes->write(layout, block->digits, count, block->text, block->status);
    const uint64_t again = layouts_again(block, count);
    for (size_t i = 0; i < count; i++) {
        to[i] = job->column->values + (job->groups->start[job->row[first + i]] - job->begin);
    }
    for (uint64_t bad = again; bad != 0; bad &= bad - 1) {
        to[tally_bits_lowest(bad)] = block->spare;
    }
    layouts_scatter(job, to, count);
    return again;
}

/* Writes the words of up to TALLY_LAYOUT_ROWS rows that are values; the others become the words in
 * flight from `left` on. Returns how many are left in all. */
static size_t layouts_give(tally_layouts_job *job, size_t first, size_t count, size_t left)
{
    const uint64_t again = tally_layout_is_sparse(job->layout)
                               ? layouts_give_sparse(job, first, count)
                               : layouts_give_block(job, first, count);
    if (again != 0) {
        layouts_keep(job, again, first, count, left);
    }
    return left + tally_bits_count(again);
}

/* The rows of one layout. */
static tally_status layouts_layout(tally_layouts_job *job, const uint16_t *rows, size_t count)
{
    tally_run *run = job->run;
    const tally_layout *layout = job->layout;
    const size_t most = job->stride - TALLY_LAYOUT_ROWS;
    const size_t head = run->tweak_size;
    tally_status status = TALLY_OK;
    job->cipher = run->cipher(run, layout->params.radix);
    if (job->cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_store_be32(layout->kept_size, run->tweak + head);
    memcpy(run->tweak + head + 4, layout->kept, layout->kept_size);
    run->tweak_size += 4 + layout->kept_size;
    for (size_t next = 0, left = 0; (next < count || left > 0) && status == TALLY_OK;) {
        size_t flying = left;
        while (next < count && most - flying >= TALLY_LAYOUT_ROWS) {
            size_t part = count - next < TALLY_LAYOUT_ROWS ? count - next : TALLY_LAYOUT_ROWS;
            size_t taken = layouts_take(job, rows + next, part, flying);
            run->small += layout->size < TALLY_SMALL_DOMAIN ? taken : 0;
            flying += taken;
            next += part;
        }
        for (size_t s = 0; s < layout->plan->length; s++) { /* lanes of no word are words, too */
            memset(job->symbols + s * job->stride + flying, 0, TALLY_LAYOUT_ROWS);
        }
        status =
            run->row_tweaks != NULL ? layouts_words_rows(job, flying) : layouts_words(job, flying);
        left = 0;
        for (size_t first = 0; first < flying && status == TALLY_OK; first += TALLY_LAYOUT_ROWS) {
            size_t part = flying - first < TALLY_LAYOUT_ROWS ? flying - first : TALLY_LAYOUT_ROWS;
            left = layouts_give(job, first, part, left);
        }
    }
    layouts_give_few(job);
    run->tweak_size = head;
    return status;
}

uint32_t tally_layouts_find(const tally_layouts *layouts, const uint8_t *value, uint64_t size)
{
    const tally_layouts_width *width = size <= TALLY_LAYOUT_WIDTH ? layouts->width[size] : NULL;
    if (width == NULL) {
        return TALLY_LAYOUTS_NONE;
    }
    if (width->count == 1) {
        return width->layout[0];
    }
    for (uint32_t w = 0; w < width->words; w++) {
        const uint64_t *possible = width->possible + w;
        uint64_t found = UINT64_MAX;
        for (uint32_t p = 0; p < width->places; p++, possible += (size_t)128 * width->words) {
            uint32_t c = value[width->place[p]];
            found &= c < 128 ? possible[(size_t)c * width->words] : 0;
        }
        if (found != 0) { /* one bit: the places tell all layouts apart */
            return width->layout[w * 64 + tally_bits_lowest(found)];
        }
    }
    return TALLY_LAYOUTS_NONE;
}

int tally_layouts_lacks_tweak(const tally_layouts_job *job, uint64_t row, int *broken)
{
    uint64_t start, own;
    *broken = !tally_strings_row(&job->tweaks, row, &start, &own);
    return own > job->capacity || tally_row_is_null(job->run->row_tweaks, row);
}

/* Says of each row of a block which layout it may have. */
static tally_status layouts_group(tally_layouts_job *job, tally_strings_reader *reader,
                                  size_t count)
{
    const tally_text_column *column = job->column;
    const tally_layouts_groups *groups = job->groups;
    const uint64_t end = tally_offset_once(&column->in, job->first_row + count);
    if (end < reader->at || end > reader->end) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (end > reader->at && column->values != column->in.values + job->begin) {
        /* Block by block, so that it is in the cache then. */
        memcpy(column->values + (reader->at - job->begin), column->in.values + reader->at,
               (size_t)(end - reader->at));
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = job->first_row + i;
        uint8_t *status = &column->status[row];
        uint64_t size;
        int broken = 0;
        groups->layout[i] = TALLY_LAYOUTS_NONE;
        *status = TALLY_REASON_NOTATION;
        if (!tally_strings_next(reader, &groups->start[i], &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        if (tally_row_is_null(&column->in, row)) {
            memset(column->values + (groups->start[i] - job->begin), 0, (size_t)size);
            *status = 0;
        } else if (job->tweaks.strings != NULL && tally_layouts_lacks_tweak(job, row, &broken)) {
            *status = TALLY_REASON_TWEAK;
        } else {
            groups->layout[i] = (uint16_t)tally_layouts_find(
                job->layouts, column->in.values + groups->start[i], size);
        }
        if (broken) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    return TALLY_OK;
}

tally_status tally_layouts_run_block(tally_layouts_job *job, size_t count)
{
    tally_layouts_groups *groups = job->groups;
    const size_t layouts = job->layouts->count;
    uint32_t first = 0;
    memset(groups->at, 0, layouts * sizeof *groups->at);
    for (size_t i = 0; i < count; i++) {
        if (groups->layout[i] != TALLY_LAYOUTS_NONE) {
            groups->at[groups->layout[i]]++;
        }
    }
    for (size_t k = 0; k < layouts; k++) {
        const uint32_t rows = groups->at[k];
        groups->at[k] = groups->first[k] = first;
        first += rows;
    }
    groups->first[layouts] = first;
    for (size_t i = 0; i < count; i++) {
        if (groups->layout[i] != TALLY_LAYOUTS_NONE) {
            groups->order[groups->at[groups->layout[i]]++] = (uint16_t)i;
        }
    }
    tally_status status = TALLY_OK;
    for (size_t k = 0; k < layouts && status == TALLY_OK; k++) {
        if (groups->first[k + 1] > groups->first[k]) {
            job->layout =
                job->layout_at != NULL ? job->layout_at(job->context, k) : &job->layouts->layout[k];
            status = job->layout == NULL ? TALLY_ERROR_MEMORY
                                         : layouts_layout(job, groups->order + groups->first[k],
                                                          groups->first[k + 1] - groups->first[k]);
            if (job->cipher != NULL) {
                tally_wipe(job->cipher->lane_state, job->lane_state_used);
                job->lane_state_used = 0;
            }
        }
    }
    return status;
}

size_t tally_layouts_capacity(const tally_run *run, const tally_layouts *layouts)
{
    const size_t common = run->tweak_size + 4 + layouts->most_kept;
    return common < TALLY_FAST_MAX_ROW_TWEAK ? TALLY_FAST_MAX_ROW_TWEAK - common : 0;
}

tally_status tally_layouts_begin(tally_layouts_job *job, tally_layouts_groups *groups,
                                 uint64_t rows)
{
    tally_run *run = job->run;
    const size_t most = run->row_tweaks != NULL ? LAYOUTS_WORDS_ROWS : LAYOUTS_WORDS,
                 words = rows < most ? ((size_t)rows + TALLY_LAYOUT_ROWS - 1) / TALLY_LAYOUT_ROWS *
                                           TALLY_LAYOUT_ROWS
                                     : most,
                 layouts = job->layouts->count,
                 block = rows < TALLY_LAYOUTS_BLOCK ? (size_t)rows : TALLY_LAYOUTS_BLOCK;
    if ((run->row_tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &job->tweaks)) ||
        run->tweak_capacity < run->tweak_size + 4 + job->layouts->most_kept) {
        return TALLY_ERROR_ARGUMENT;
    }
    job->capacity = tally_layouts_capacity(run, job->layouts);
    job->stride = words + TALLY_LAYOUT_ROWS;
    groups->start = run->scratch(
        run, TALLY_LAYOUTS_SCRATCH_GROUPS,
        block * (sizeof *groups->start + sizeof *groups->layout + sizeof *groups->order) +
            (2 * layouts + 1) * sizeof *groups->first);
    job->block =
        run->scratch(run, TALLY_LAYOUTS_SCRATCH_WORK, sizeof *job->block + sizeof *job->few);
    job->symbols = run->scratch(run, TALLY_LAYOUTS_SCRATCH_SYMBOLS,
                                job->stride * (TALLY_MIXED_MAX_LENGTH + sizeof *job->row));
    if (groups->start == NULL || job->block == NULL || job->symbols == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    job->row = (uint16_t *)(void *)(job->symbols + job->stride * TALLY_MIXED_MAX_LENGTH);
    groups->first = (uint32_t *)(void *)(groups->start + block);
    groups->at = groups->first + layouts + 1;
    groups->layout = (uint16_t *)(void *)(groups->at + layouts);
    groups->order = groups->layout + block;
    job->groups = groups;
    layouts_choose(job);
    job->few = (tally_layouts_few *)(void *)(job->block + 1);
    memset(job->few, 0, sizeof *job->few);
    memset(job->block, 0, sizeof *job->block); /* lanes without a row are worked on, too */
    return TALLY_OK;
}

tally_status tally_layouts_text(const tally_format *format, tally_run *run,
                                tally_text_column *column)
{
    tally_strings_reader reader;
    tally_layouts_groups groups;
    tally_layouts_job job = {.run = run, .layouts = format->own, .column = column};
    const uint64_t rows = column->in.rows;
    if (rows == 0) {
        return TALLY_OK;
    }
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    job.begin = reader.at;
    tally_status status = tally_layouts_begin(&job, &groups, rows);
    for (; job.first_row < rows && status == TALLY_OK; job.first_row += TALLY_LAYOUTS_BLOCK) {
        const uint64_t rest = rows - job.first_row;
        const size_t count = rest < TALLY_LAYOUTS_BLOCK ? (size_t)rest : TALLY_LAYOUTS_BLOCK;
        status = layouts_group(&job, &reader, count);
        if (status == TALLY_OK) {
            status = tally_layouts_run_block(&job, count);
        }
    }
    return status;
}
