/* SPDX-License-Identifier: Apache-2.0
 *
 * The format "pattern": codes of some letters and digits, each in its place. */
#include "formats/pattern.h"

#include <string.h>

enum { PATTERN_PATTERN, PATTERN_TINY };

static const tally_option pattern_options[] = {
    [PATTERN_PATTERN] = {"pattern", TALLY_OPTION_TEXT, 1, NULL, NULL},
    [PATTERN_TINY] = {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},
    TALLY_OPTIONS_END,
};

/* The character with a number among choices. */
static char pattern_character(const tally_choices *choices, uint32_t number)
{
    uint32_t r = 0;
    while (number >= choices->range[r].count) {
        number -= choices->range[r++].count;
    }
    return (char)(choices->range[r].first + number);
}

/* A value with all optional parts; NULL: there is no memory. */
static char *pattern_example(tally_layouts *layouts)
{
    const tally_layout *longest = &layouts->layout[0];
    for (uint32_t i = 1; i < layouts->count; i++) {
        longest = layouts->layout[i].width > longest->width ? &layouts->layout[i] : longest;
    }
    char *example = tally_arena_allocate(&layouts->arena, longest->width + 1);
    if (example == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < longest->literals; i++) {
        example[longest->literal[i].place] = (char)longest->literal[i].character;
    }
    for (uint32_t i = 0; i < longest->fields; i++) {
        const tally_choices *choices = longest->field[i].choices;
        example[longest->field[i].place] = pattern_character(choices, (i * 7 + 3) % choices->size);
    }
    return example;
}

static tally_status pattern_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    const tally_option_value *pattern = &values[PATTERN_PATTERN];
    format->allow_tiny_domain = (int)values[PATTERN_TINY].integer;
    format->keeps_size = 1;
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_status status =
        tally_pattern_add(format, layouts, pattern->text, pattern->size, NULL, problem);
    if (status != TALLY_OK) {
        return status;
    }
    tally_layouts_describe(layouts, format);
    status = tally_format_check_domain(format, problem);
    if (status != TALLY_OK) {
        return status;
    }
    format->example[0] = pattern_example(layouts);
    if (format->example[0] == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    status = tally_layouts_final(layouts);
    return status == TALLY_OK ? tally_format_identify(format, "[\"pattern\"]", 11) : status;
}

const tally_format_about tally_about_pattern = {"Codes by a pattern: plates, postal codes.",
                                                "{\"pattern\":\"AA-999-A\"}"};

const tally_format_class tally_format_pattern = {
    .name = "pattern",
    .options = pattern_options,
    .words = TALLY_WORDS_ANY,
    .make = pattern_make,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};
