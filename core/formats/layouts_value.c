/* SPDX-License-Identifier: Apache-2.0
 *
 * One value with a layout: the first row of a block, without groups and words in flight. */
#include <string.h>

#include "base/bytes.h"
#include "fast/words/by_direction.h"
#include "formats/layouts_run.h"
#include "formats/phone_plans.h"

/* A value at work. Symbol s is at symbols[s * TALLY_LAYOUT_ROWS]. */
typedef struct layouts_value {
    const tally_layout *layout;
    const tally_layout_lanes *lanes;
    const tally_mixed_lanes *mixed;
    tally_layouts_block block;
    uint8_t symbols[TALLY_LAYOUT_ROWS * TALLY_MIXED_MAX_LENGTH];
} layouts_value;

/* Other rows are worked on, too, so they are zeros. */
static void layouts_value_init(const tally_layout *layout, const uint8_t *text, layouts_value *out)
{
    out->layout = layout;
    out->mixed = tally_mixed_lanes_choose();
#if defined(__GNUC__)
    out->lanes = &tally_layout_one;
#else
    out->lanes = tally_layout_lanes_choose();
#endif
    /* A plan is followed through so many digits, if a number has fewer too. */
    const size_t width = layout->width > TALLY_PHONE_DEPTH ? layout->width : TALLY_PHONE_DEPTH;
    memset(out->block.text, 0, width * TALLY_LAYOUT_ROWS);
    memset(out->block.digits, 0, layout->fields * sizeof *out->block.digits);
    memset(out->symbols, 0, (size_t)layout->plan->length * TALLY_LAYOUT_ROWS);
    for (size_t p = 0; p < layout->width; p++) {
        out->block.text[p * TALLY_LAYOUT_ROWS] = text[p];
    }
}

static void layouts_value_wipe(layouts_value *value)
{
    const tally_layout *layout = value->layout;
    tally_wipe(value->block.text, (size_t)layout->width * TALLY_LAYOUT_ROWS);
    tally_wipe(value->block.digits, layout->fields * sizeof *value->block.digits);
    tally_wipe(value->symbols, (size_t)layout->plan->length * TALLY_LAYOUT_ROWS);
}

/* Encrypts a value that was read, until its word is a value. */
static tally_status layouts_value_walk(layouts_value *value, tally_run *run, const uint8_t *tweak,
                                       size_t tweak_size)
{
    const tally_layout *layout = value->layout;
    tally_layouts_block *block = &value->block;
    const size_t length = layout->plan->length;
    const int sparse = tally_layout_is_sparse(layout);
    uint8_t word[TALLY_MIXED_MAX_LENGTH];
    tally_fast_cipher *cipher = run->cipher(run, layout->params.radix);
    tally_status status = cipher == NULL ? TALLY_ERROR_MEMORY : TALLY_OK;
    value->mixed->write(layout->plan, block->digits, 1, value->symbols, TALLY_LAYOUT_ROWS);
    for (size_t s = 0; s < length; s++) {
        word[s] = value->symbols[s * TALLY_LAYOUT_ROWS];
    }
    block->outside[0] = 1;
    while (status == TALLY_OK && (block->outside[0] | block->status[0]) != 0) {
        status = tally_fast_words(cipher, run->direction, &layout->params, tweak, tweak_size, word,
                                  1, word);
        for (size_t s = 0; s < length; s++) {
            value->symbols[s * TALLY_LAYOUT_ROWS] = word[s];
        }
        value->mixed->read(layout->plan, value->symbols, TALLY_LAYOUT_ROWS, 1, block->digits,
                           block->outside);
        if (sparse) {
            value->lanes->exclude(layout, block->digits, 1, block->status);
        } else {
            value->lanes->write(layout, block->digits, 1, block->text, block->status);
        }
    }
    if (sparse && status == TALLY_OK) {
        value->lanes->write(layout, block->digits, 1, block->text, block->status);
    }
    tally_wipe(word, sizeof word);
    return status;
}

tally_status tally_layouts_run_one(const tally_layout *layout, tally_run *run, tally_one *one,
                                   const uint8_t *text, uint8_t *out)
{
    layouts_value value;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
    tally_status status = TALLY_OK;
    layouts_value_init(layout, text, &value);
    value.lanes->read(layout, value.block.text, 1, value.block.digits, value.block.status);
    one->reason = (tally_reason)value.block.status[0];
    if (one->reason == TALLY_REASON_NONE) {
        size_t size = run->tweak_size;
        memcpy(tweak, run->tweak, size);
        tally_store_be32(layout->kept_size, tweak + size);
        memcpy(tweak + size + 4, layout->kept, layout->kept_size);
        size += 4 + layout->kept_size;
        if (one->row_tweak_size != 0) {
            memcpy(tweak + size, one->row_tweak, one->row_tweak_size);
            size += one->row_tweak_size;
        }
        run->small += layout->size < TALLY_SMALL_DOMAIN;
        status = layouts_value_walk(&value, run, tweak, size);
        for (size_t p = 0; p < layout->width; p++) {
            out[p] = value.block.text[p * TALLY_LAYOUT_ROWS];
        }
        tally_wipe(tweak, size);
    }
    layouts_value_wipe(&value);
    return status;
}

tally_status tally_layouts_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_layouts *layouts = format->own;
    const uint32_t found = tally_layouts_find(layouts, one->value, one->size);
    one->reason = TALLY_REASON_NOTATION;
    one->out_size = one->size;
    if (one->row_tweak_size > tally_layouts_capacity(run, layouts)) {
        one->reason = TALLY_REASON_TWEAK;
        return TALLY_OK;
    }
    if (found == TALLY_LAYOUTS_NONE) {
        return TALLY_OK;
    }
    if (one->capacity < one->size) {
        return TALLY_ERROR_CAPACITY;
    }
    return tally_layouts_run_one(&layouts->layout[found], run, one, one->value, one->out);
}

tally_reason tally_layouts_reason(const tally_layouts *layouts, const uint8_t *value, size_t size)
{
    const uint32_t found = tally_layouts_find(layouts, value, size);
    if (found == TALLY_LAYOUTS_NONE) {
        return TALLY_REASON_NOTATION;
    }
    const tally_layout *layout = &layouts->layout[found];
    for (uint32_t i = 0; i < layout->literals; i++) {
        if (value[layout->literal[i].place] != layout->literal[i].character) {
            return TALLY_REASON_NOTATION;
        }
    }
    layouts_value work;
    layouts_value_init(layout, value, &work);
    work.lanes->read(work.layout, work.block.text, 1, work.block.digits, work.block.status);
    const tally_reason reason = (tally_reason)work.block.status[0];
    layouts_value_wipe(&work);
    return reason;
}
