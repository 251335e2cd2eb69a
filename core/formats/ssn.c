/* SPDX-License-Identifier: Apache-2.0
 *
 * The format "ssn". Without "assignable", plain digits with separators. With it, values and tokens
 * are numbers that can be assigned, or numbers that never are. */
#include <string.h>

#include "formats/layouts_lanes.h"
#include "formats/pattern.h"
#include "formats/text.h"

enum { SSN_ASSIGNABLE = 898 * 99 * 9999, SSN_NUMBERS = 1000000000 };

static const tally_option ssn_options[] = {{"assignable", TALLY_OPTION_BOOLEAN, 0, NULL, NULL},
                                           TALLY_TEXT_COMMON("- ", "9", "9")};

static const tally_format_class ssn_layouts;

static tally_status ssn_make_layouts(tally_format *format, int assignable, tally_problem *problem)
{
    static const char *const notations[] = {"999(-)99(-)9999", "999 99 9999"};
    const tally_pattern_names names = {TALLY_CHECK_SSN, NULL, NULL};
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    format->of = &ssn_layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        const tally_status status =
            tally_pattern_add(format, layouts, notations[i], strlen(notations[i]), &names, problem);
        if (status != TALLY_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < layouts->count; i++) {
        layouts->layout[i].in_plan = (uint16_t)assignable;
        layouts->layout[i].size = assignable ? SSN_ASSIGNABLE : SSN_NUMBERS - SSN_ASSIGNABLE;
    }
    const char *identity = assignable ? "[\"ssn\",true]" : "[\"ssn\",false]";
    format->keeps_size = 1;
    format->example[0] = assignable ? "078-05-1120" : "987-65-4321";
    format->example[1] = assignable ? "078051120" : "987654321";
    tally_layouts_describe(layouts, format);
    const tally_status final = tally_layouts_final(layouts);
    return final == TALLY_OK ? tally_format_identify(format, identity, strlen(identity)) : final;
}

static tally_status ssn_make(tally_format *format, const tally_option_value *values,
                             tally_problem *problem)
{
    if (!values[0].given) {
        return tally_text_preset_make(format, values, problem);
    }
    const tally_status status =
        tally_text_preset_refuse_changed(format, values, "assignable", problem);
    if (status != TALLY_OK) {
        return status;
    }
    return ssn_make_layouts(format, values[0].integer != 0, problem);
}

static const tally_format_class ssn_layouts = {
    .name = "ssn",
    .options = ssn_options,
    .words = TALLY_WORDS_ANY,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};

const tally_format_about tally_about_ssn = {"US social security numbers.", NULL};

const tally_format_class tally_format_ssn = {
    .name = "ssn", .options = ssn_options, .make = ssn_make, TALLY_TEXT_FUNCTIONS};
