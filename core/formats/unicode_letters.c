/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/unicode_letters.h"

#include <string.h>

#include "base/allocator.h"
#include "unicode/unicode.h"

enum { LETTERS_LEAST_RADIX = 16 /* of letters of two symbols */ };

uint32_t tally_unicode_count(tally_unicode_spans spans)
{
    uint32_t count = 0;
    for (size_t i = 0; i < spans.count; i++) {
        count += (uint32_t)(spans.span[i].last - spans.span[i].first) + 1;
    }
    return count;
}

static uint32_t letters_page(uint32_t point)
{
    return point >> TALLY_UNICODE_PAGE_BITS;
}

static void letters_want(tally_unicode_letters *letters, uint32_t point)
{
    letters->page_of[letters_page(point)] = 1;
}

static void letters_want_spans(tally_unicode_letters *letters, tally_unicode_spans spans)
{
    for (size_t i = 0; i < spans.count; i++) {
        for (uint32_t page = letters_page(spans.span[i].first);
             page <= letters_page(spans.span[i].last); page++) {
            letters->page_of[page] = 1;
        }
    }
}

static void letters_set(tally_unicode_letters *letters, uint32_t point, uint32_t code)
{
    letters->pages[letters->page_of[letters_page(point)]][point & (TALLY_UNICODE_PAGE - 1)] =
        (uint16_t)code;
}

static void letters_set_span(tally_unicode_letters *letters, tally_unicode_span span, uint32_t code)
{
    for (uint32_t point = span.first; point <= span.last; point++) {
        letters_set(letters, point, code);
    }
}

/* Numbers the pages that are wanted. */
static size_t letters_number_pages(tally_unicode_letters *letters, const uint16_t *separators,
                                   size_t count)
{
    const tally_script *script = letters->script;
    letters->page_of[0] = letters->page_of[1] = 1; /* ASCII */
    if (letters->digits == 1) {
        letters_want_spans(letters, script->lower);
        letters_want_spans(letters, script->upper);
    }
    letters_want_spans(letters, script->signs);
    for (size_t i = 0; i < script->mark_count; i++) {
        letters_want_spans(letters, (tally_unicode_spans){&script->marks[i].span, 1});
    }
    for (size_t i = 0; script->composed != NULL && i < TALLY_UNICODE_COMPOSED; i++) {
        letters_want(letters, script->composed[i].whole);
    }
    letters_want(letters, script->final);
    for (size_t i = 0; i < count; i++) {
        letters_want(letters, separators[i]);
    }
    size_t pages = 1;
    for (size_t i = 0; i < TALLY_UNICODE_PAGES; i++) {
        if (letters->page_of[i] != 0) {
            letters->page_of[i] = (uint16_t)pages++;
        }
    }
    return pages + 1; /* vectors read a code more than there is */
}

static tally_unicode_bytes letters_bytes(uint32_t point)
{
    uint8_t text[TALLY_UTF8_MAX_BYTES] = {0};
    const uint32_t width = tally_utf8_encode(point, text);
    return (uint32_t)text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 |
           width << TALLY_UNICODE_WIDTH_SHIFT;
}

static void letters_fill_form(tally_unicode_letters *letters, tally_unicode_spans spans,
                              uint32_t form)
{
    uint32_t symbol = 0;
    for (size_t i = 0; i < spans.count; i++) {
        for (uint32_t point = spans.span[i].first; point <= spans.span[i].last; point++) {
            const uint32_t code = (symbol++ << letters->shift) + form;
            letters_set(letters, point, code);
            letters->bytes[code] = letters_bytes(point);
        }
    }
}

static void letters_fill(tally_unicode_letters *letters, const uint16_t *separators, size_t count)
{
    const tally_script *script = letters->script;
    for (size_t page = 0; page < letters->page_count; page++) {
        for (size_t i = 0; i < TALLY_UNICODE_PAGE; i++) {
            letters->pages[page][i] = TALLY_UNICODE_FOREIGN;
        }
    }
    if (letters->digits == 1) {
        letters_fill_form(letters, script->lower, 0);
        letters_fill_form(letters, script->upper, 1);
    }
    for (size_t i = 0; i < script->signs.count; i++) {
        letters_set_span(letters, script->signs.span[i], TALLY_UNICODE_KEPT);
    }
    for (size_t i = 0; i < count; i++) {
        letters_set(letters, separators[i], TALLY_UNICODE_KEPT);
    }
    for (size_t i = 0; i < script->mark_count; i++) {
        letters_set_span(letters, script->marks[i].span,
                         (uint32_t)(TALLY_UNICODE_MARK + script->marks[i].order));
    }
    for (uint32_t i = 0; i < TALLY_UNICODE_COMPOSED; i++) {
        letters->bases[i] = TALLY_UNICODE_NONE;
        if (script->composed != NULL) {
            letters->bases[i] = tally_unicode_code(letters, script->composed[i].letter);
            letters_set(letters, script->composed[i].whole, TALLY_UNICODE_WHOLE + i);
        }
    }
    letters->medial = letters->final = TALLY_UNICODE_NONE;
    if (script->final != 0) {
        letters->medial = tally_unicode_code(letters, script->medial);
        letters->final = (uint16_t)(letters->size << letters->shift);
        letters_set(letters, script->final, letters->final);
        letters->final_bytes = letters_bytes(script->final);
    }
    for (size_t i = 0; i < TALLY_UNICODE_SHORT_PAGES; i++) {
        letters->short_page_of[i] = (uint8_t)letters->page_of[i];
    }
    for (uint32_t point = 0; point < 128; point++) {
        letters->ascii[point] = tally_unicode_code(letters, point);
        letters->short_ascii[point] = (uint8_t)letters->ascii[point];
    }
}

tally_status tally_unicode_letters_init(const tally_allocator *allocator,
                                        const tally_script *script, const uint16_t *separators,
                                        size_t separator_count, tally_unicode_letters *out)
{
    memset(out, 0, sizeof *out);
    out->script = script;
    out->size = tally_unicode_count(script->lower);
    out->shift = script->upper.count != 0;
    out->digits = 1;
    out->radix = out->size;
    if (out->size > 256) {
        out->digits = 2;
        out->radix = LETTERS_LEAST_RADIX;
        while (out->radix * out->radix < out->size) {
            out->radix++;
        }
    }
    tally_unicode_span direct = script->direct;
    if (out->digits == 2) {
        direct = script->lower.span[0];
    }
    if (direct.first != 0) {
        out->direct = direct.first;
        out->direct_size = (uint32_t)(direct.last - direct.first) + 1;
        out->direct_code = out->digits == 2 ? 0 : TALLY_UNICODE_KANJI;
    }
    out->page_count = letters_number_pages(out, separators, separator_count);
    out->pages = tally_allocate_many(allocator, out->page_count, sizeof *out->pages);
    if (out->digits == 1) {
        out->bytes =
            tally_allocate_many(allocator, (size_t)out->size << out->shift, sizeof *out->bytes);
    }
    if (out->pages == NULL || (out->digits == 1 && out->bytes == NULL)) {
        return TALLY_ERROR_MEMORY;
    }
    letters_fill(out, separators, separator_count);
    return TALLY_OK;
}

void tally_unicode_letters_free(const tally_allocator *allocator, tally_unicode_letters *letters)
{
    tally_release(allocator, letters->pages, letters->page_count * sizeof *letters->pages);
    tally_release(allocator, letters->bytes,
                  ((size_t)letters->size << letters->shift) * sizeof *letters->bytes);
}
