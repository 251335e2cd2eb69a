/* SPDX-License-Identifier: Apache-2.0
 *
 * The format "phone". Without a country, plain digits with separators. With one, numbers keep their
 * calling code, and a right length behind it: the national digits change among those of the same
 * plan (phone_plans.h). Separators, prefixes and extensions stay. */
#include <stdatomic.h>
#include <string.h>

#include "base/allocator.h"
#include "base/nearest.h"
#include "formats/layouts_run.h"
#include "formats/phone.h"
#include "formats/phone_plans.h"
#include "formats/text.h"

enum {
    PHONE_CODES = 1000,
    PHONE_SIZES = TALLY_PHONE_DIGITS + 1,
    PHONE_EXTENSION = 7, /* digits of an extension */
    PHONE_PIECE = 6144,  /* bytes that a layout takes, at most */
    PHONE_NONE = TALLY_LAYOUTS_NONE
};

/* The scratches of a run. */
enum { PHONE_SCRATCH_ROWS = TALLY_LAYOUTS_SCRATCHES, PHONE_SCRATCH_SLOTS };

/* A layout, with the memory that it is in. */
typedef struct phone_layout {
    tally_arena arena;
    const tally_layout *layout;
} phone_layout;

typedef struct phone {
    tally_layouts layouts;                   /* how many, and the tweak's part: none is in it */
    const tally_phone_region *region;        /* NULL: no number is without its calling code */
    uint16_t plan[PHONE_CODES][PHONE_SIZES]; /* by calling code and digits: its place plus one */
    _Atomic(phone_layout *) made[TALLY_PHONE_LAYOUTS]; /* when a number first needs it */
} phone;

/* A number in a text: its national digits are those from digit `skip` on. */
typedef struct phone_found {
    uint8_t digit[TALLY_PHONE_SLOT]; /* as characters */
    uint16_t layout;                 /* PHONE_NONE: it is no number */
    uint8_t skip, size;
    uint64_t places; /* of the national digits in the text, as bits; 0: they are not known */
} phone_found;

static int phone_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static int phone_is_separator(uint8_t c)
{
    return c == ' ' || c == '-' || c == '(' || c == ')' || c == '.' || c == '/';
}

/* Passes over a word in letters of either case. */
static size_t phone_skip_word(const uint8_t *text, size_t size, size_t at, const char *word)
{
    size_t i = 0;
    while (word[i] != '\0' && at + i < size && (text[at + i] | 0x20) == (uint8_t)word[i]) {
        i++;
    }
    return word[i] == '\0' ? at + i : at;
}

/* Whether the rest of a text is an extension: "ext. 12", "x12", "#12", ";ext=12". */
static int phone_is_extension(const uint8_t *text, size_t size, size_t at)
{
    size_t digits = 0;
    at += text[at] == ';';
    size_t end = phone_skip_word(text, size, at, "ext");
    end = end == at ? phone_skip_word(text, size, at, "x") : end;
    end += end == at && end < size && text[end] == '#';
    if (end == at) {
        return 0;
    }
    while (end < size &&
           (text[end] == '.' || text[end] == ':' || text[end] == '=' || text[end] == ' ')) {
        end++;
    }
    for (; end < size && phone_is_digit(text[end]); end++) {
        digits++;
    }
    return end == size && digits >= 1 && digits <= PHONE_EXTENSION;
}

/* Reads a text; returns its size, or where a character is that no number has there. */
static size_t phone_read(const uint8_t *text, size_t size, tally_phone_text *out)
{
    out->digits = out->international = 0;
    out->places = 0;
    out->zero = TALLY_PHONE_MOST;
    memset(out->digit, 0, sizeof out->digit);
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = text[i];
        if (phone_is_digit(c)) {
            if (out->digits == TALLY_PHONE_MOST) {
                return i;
            }
            if (c == '0' && i > 0 && text[i - 1] == '(' && i + 1 < size && text[i + 1] == ')' &&
                out->zero == TALLY_PHONE_MOST) {
                out->zero = out->digits;
            }
            out->digit[out->digits++] = c;
        } else if (c == '+' && out->digits == 0 && !out->international) {
            out->international = 1;
        } else if (!phone_is_separator(c)) {
            return out->digits > 0 && phone_is_extension(text, size, i) ? size : i;
        }
    }
    return size;
}

/* The calling code at digit `at`; 0: there is none. *end: where it ends. */
static uint32_t phone_code(const phone *own, const tally_phone_text *text, uint32_t at,
                           uint32_t *end)
{
    uint32_t code = 0;
    for (uint32_t i = at; i < at + 3 && i < text->digits; i++) {
        code = code * 10 + (uint32_t)(text->digit[i] - '0');
        if (code == 0) {
            return 0;
        }
        if (own->plan[code][0] != 0) { /* no code begins with another one */
            *end = i + 1;
            return code;
        }
    }
    return 0;
}

/* The plan of the digits from `skip` on, plus one; 0: there is none. */
static uint32_t phone_plan(const phone *own, const tally_phone_text *text, uint32_t code,
                           uint32_t skip)
{
    const uint32_t size = text->digits - skip;
    return size > 0 && size < PHONE_SIZES ? own->plan[code][size] : 0;
}

/* Finds the plan and the first national digit of a text; returns the plan plus one, or 0. */
static uint32_t phone_resolve(const phone *own, const tally_phone_text *text, uint32_t *skip)
{
    const tally_phone_region *region = own->region;
    uint32_t begin = TALLY_PHONE_MOST;
    if (text->international) {
        begin = 0;
    } else if (text->digits > 2 && text->digit[0] == '0' && text->digit[1] == '0') {
        begin = 2;
    } else if (region != NULL && region->code == 1 && text->digits > 3 &&
               memcmp(text->digit, "011", 3) == 0) {
        begin = 3;
    }
    if (begin < TALLY_PHONE_MOST) {
        const uint32_t code = phone_code(own, text, begin, skip);
        if (code == 0) {
            return 0;
        }
        if (text->zero == *skip && *skip + 1 < text->digits) {
            /* "+49 (0)30": the prefix of national numbers. */
            const uint32_t plan = phone_plan(own, text, code, *skip + 1);
            if (plan != 0 && !tally_phone_plans[plan - 1].zero) {
                ++*skip;
                return plan;
            }
        }
        return phone_plan(own, text, code, *skip);
    }
    if (region == NULL) {
        return 0;
    }
    const uint32_t trunk = (uint32_t)strlen(region->trunk);
    if (trunk > 0 && text->digits > trunk && memcmp(text->digit, region->trunk, trunk) == 0 &&
        phone_plan(own, text, region->code, trunk) != 0) {
        *skip = trunk;
        return phone_plan(own, text, region->code, trunk);
    }
    *skip = 0;
    return phone_plan(own, text, region->code, 0);
}

/* Finds the number of a text that was read. */
static void phone_find(const phone *own, const tally_phone_text *text, phone_found *out)
{
    uint32_t skip = 0;
    const uint32_t found = phone_resolve(own, text, &skip);
    out->layout = PHONE_NONE;
    if (found == 0) {
        return;
    }
    const tally_phone_plan *plan = &tally_phone_plans[found - 1];
    const uint8_t *digit = text->digit + skip;
    if (digit[0] == '0' && (!plan->zero || digit[1] == '0')) {
        return;
    }
    memcpy(out->digit, digit, TALLY_PHONE_SLOT);
    out->places = text->places;
    out->skip = (uint8_t)skip;
    out->size = plan->size;
    const uint32_t class = !tally_phone_in_plan(plan->root, digit, 1);
    out->layout = plan->numbers[class] == 0 ? PHONE_NONE : (uint16_t)((found - 1) * 2 + class);
}

/* The three digits with which the numbers of a class of a plan begin. */
static const tally_choices *phone_prefixes(tally_layouts *layouts, const tally_phone_plan *plan,
                                           uint32_t class)
{
    uint8_t chosen[1000] = {0};
    const uint16_t wanted = class == 0 ? 10 : 0;
    for (uint32_t tens = plan->zero ? 1 : 10; tens < 100; tens++) {
        const uint16_t first = tally_phone_nodes[plan->root + tens / 10],
                       *row = tally_phone_nodes + tally_phone_nodes[first + tens % 10];
        for (uint32_t digit = 0; digit < 10; digit++) {
            /* Behind a node that is neither, there are numbers of both classes. */
            chosen[tens * 10 + digit] = (row[digit] > 10) | (row[digit] == wanted);
        }
    }
    return tally_layouts_prefixes(layouts, chosen);
}

/* Makes the layout of a class of a plan. */
static tally_status phone_make_layout(tally_layouts *layouts, const tally_phone_plan *plan,
                                      uint32_t class)
{
    tally_layout_part parts[TALLY_PHONE_DIGITS] = {{NULL, 0}};
    uint8_t code[3];
    uint32_t digits = 0;
    const tally_choices *digit =
        tally_layouts_choose(layouts, (tally_characters){{UINT64_C(0x3ff) << '0', 0}});
    parts[0].choices = phone_prefixes(layouts, plan, class);
    if (digit == NULL || parts[0].choices == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (uint32_t i = 3; i < plan->size; i++) {
        parts[i - 2].choices = digit;
    }
    for (uint32_t divisor = 100; divisor > 0; divisor /= 10) {
        if (plan->code >= divisor) {
            code[digits++] = (uint8_t)('0' + plan->code / divisor % 10);
        }
    }
    const tally_status status =
        tally_layouts_add(layouts, parts, plan->size - 2U, TALLY_CHECK_PHONE, code, digits);
    layouts->layout->root = plan->root;
    layouts->layout->in_plan = (uint16_t)(1 - class);
    layouts->layout->size = plan->numbers[class];
    return status;
}

/* The layout of a class of a plan, by its number. It is made when it is first needed: those of all
 * countries take megabytes and milliseconds. Threads that need it at once may each make it, and the
 * first one stays: no thread waits for another. NULL: there is no memory. */
static const tally_layout *phone_layout_at(const void *context, size_t number)
{
    phone *own = (phone *)(uintptr_t)context; /* whose `made` alone changes */
    phone_layout *made = atomic_load_explicit(&own->made[number], memory_order_acquire);
    if (made != NULL) {
        return made->layout;
    }
    const tally_phone_plan *plan = &tally_phone_plans[number / 2];
    tally_layouts layouts = {.arena = {own->layouts.arena.allocator, PHONE_PIECE, NULL}, .most = 1};
    made = tally_arena_allocate(&layouts.arena, sizeof *made);
    layouts.layout = tally_arena_allocate(&layouts.arena, sizeof *layouts.layout);
    if (made == NULL || layouts.layout == NULL ||
        phone_make_layout(&layouts, plan, number % 2) != TALLY_OK) {
        tally_arena_release(&layouts.arena);
        return NULL;
    }
    *made = (phone_layout){layouts.arena, layouts.layout};
    phone_layout *before = NULL;
    if (!atomic_compare_exchange_strong_explicit(&own->made[number], &before, made,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        tally_arena_release(&layouts.arena);
        return before->layout;
    }
    return made->layout;
}

const tally_layout *tally_phone_layout(const tally_format *format, size_t number)
{
    return tally_phone_plans[number / 2].numbers[number % 2] == 0
               ? NULL
               : phone_layout_at(format->own, number);
}

int tally_phone_is_planned(const tally_format *format, const uint8_t *text, size_t size)
{
    tally_phone_text read;
    phone_found found;
    if (phone_read(text, size, &read) != size) {
        return 0;
    }
    phone_find(format->own, &read, &found);
    return found.layout != PHONE_NONE && found.layout % 2 == 0;
}

static const tally_phone_vectors *phone_vectors(void)
{
#if defined(TALLY_ARCH_X86_64)
    return tally_backend_lacks(&tally_phone_avx512.backend) == 0 ? &tally_phone_avx512 : NULL;
#else
    return NULL;
#endif
}

/* Replaces the national digits of a text. */
static void phone_write(const phone_found *found, const uint8_t *digits, uint8_t *text)
{
    for (uint32_t seen = 0, end = (uint32_t)found->skip + found->size; seen < end; text++) {
        if (phone_is_digit(*text)) {
            *text = seen < found->skip ? *text : digits[seen - found->skip];
            seen++;
        }
    }
}

/* The rows of a block of the column. */
typedef struct phone_rows {
    uint64_t *start;
    phone_found *found;
    uint8_t *digits, *made; /* national digits of each row before and after */
} phone_rows;

static tally_status phone_group(const phone *own, tally_layouts_job *job,
                                const tally_text_column *column, tally_strings_reader *reader,
                                size_t count, const phone_rows *rows)
{
    const uint64_t begin = tally_offset_once(&column->in, 0), from = reader->at,
                   end = tally_offset_once(&column->in, job->first_row + count);
    if (end < from || end > reader->end || begin > from) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint8_t *values = column->values + (from - begin);
    const tally_phone_vectors *vectors = phone_vectors();
    if (end > from && values != column->in.values + from) {
        memcpy(values, column->in.values + from, (size_t)(end - from));
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = job->first_row + i;
        uint8_t *status = &column->status[row];
        phone_found *found = &rows->found[i];
        uint64_t start, size;
        int broken = 0;
        found->layout = PHONE_NONE;
        *status = 0;
        if (!tally_strings_next(reader, &start, &size)) {
            return TALLY_ERROR_ARGUMENT;
        }
        rows->start[i] = start - from;
        if (tally_row_is_null(&column->in, row)) {
            memset(values + rows->start[i], 0, (size_t)size);
        } else if (job->run->row_tweaks != NULL && tally_layouts_lacks_tweak(job, row, &broken)) {
            *status = TALLY_REASON_TWEAK;
        } else {
            tally_phone_text text;
            const uint8_t *value = values + rows->start[i];
            if ((vectors == NULL || !vectors->read(value, (size_t)size, &text)) &&
                phone_read(value, (size_t)size, &text) != size) {
                *status = TALLY_REASON_FOREIGN;
            } else {
                phone_find(own, &text, found);
                *status = found->layout == PHONE_NONE ? TALLY_REASON_NOTATION : 0;
                memcpy(rows->digits + i * TALLY_PHONE_SLOT, found->digit, TALLY_PHONE_SLOT);
                if (found->layout != PHONE_NONE && found->places != 0) {
                    found->places = vectors->choose(found->places, found->skip, found->size);
                }
            }
        }
        job->groups->layout[i] = found->layout;
        job->groups->start[i] = i * TALLY_PHONE_SLOT;
        if (broken) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    return TALLY_OK;
}

static tally_status phone_run(const tally_format *format, tally_run *run, tally_text_column *column)
{
    const phone *own = format->own;
    const uint64_t rows = column->in.rows;
    const size_t most = rows < TALLY_LAYOUTS_BLOCK ? (size_t)rows : TALLY_LAYOUTS_BLOCK;
    tally_strings_reader reader;
    tally_layouts_groups groups;
    if (rows == 0) {
        return TALLY_OK;
    }
    phone_rows block = {
        .start = run->scratch(run, PHONE_SCRATCH_ROWS,
                              most * (sizeof *block.start + sizeof *block.found)),
        .digits = run->scratch(run, PHONE_SCRATCH_SLOTS, 2 * most * TALLY_PHONE_SLOT),
    };
    if (block.start == NULL || block.digits == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    block.found = (phone_found *)(void *)(block.start + most);
    block.made = block.digits + most * TALLY_PHONE_SLOT;
    const tally_text_column digits = {.in = {.values = block.digits, .rows = rows},
                                      .status = column->status,
                                      .values = block.made};
    tally_layouts_job job = {.run = run,
                             .layouts = &own->layouts,
                             .layout_at = phone_layout_at,
                             .context = own,
                             .column = &digits};
    if (!tally_strings_init_ends(&column->in, &reader)) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint64_t begin = reader.at;
    const tally_phone_vectors *vectors = phone_vectors();
    tally_status status = tally_layouts_begin(&job, &groups, rows);
    for (; job.first_row < rows && status == TALLY_OK; job.first_row += TALLY_LAYOUTS_BLOCK) {
        const uint64_t rest = rows - job.first_row;
        const size_t count = rest < TALLY_LAYOUTS_BLOCK ? (size_t)rest : TALLY_LAYOUTS_BLOCK;
        uint8_t *values = column->values + (reader.at - begin);
        status = phone_group(own, &job, column, &reader, count, &block);
        if (status == TALLY_OK) {
            status = tally_layouts_run_block(&job, count);
        }
        for (size_t i = 0; i < count && status == TALLY_OK; i++) {
            if (block.found[i].layout == PHONE_NONE) {
                continue;
            }
            if (block.found[i].places != 0) {
                vectors->write(block.found[i].places, block.made + i * TALLY_PHONE_SLOT,
                               values + block.start[i]);
            } else {
                phone_write(&block.found[i], block.made + i * TALLY_PHONE_SLOT,
                            values + block.start[i]);
            }
        }
    }
    return status;
}

static tally_status phone_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const phone *own = format->own;
    tally_phone_text text;
    phone_found found;
    uint8_t made[TALLY_PHONE_SLOT];
    tally_status status = TALLY_OK;
    one->out_size = one->size;
    one->reason = TALLY_REASON_TWEAK;
    if (one->row_tweak_size > tally_layouts_capacity(run, &own->layouts)) {
        return TALLY_OK;
    }
    one->reason = TALLY_REASON_FOREIGN;
    if (phone_read(one->value, one->size, &text) != one->size) {
        return TALLY_OK;
    }
    one->reason = TALLY_REASON_NOTATION;
    phone_find(own, &text, &found);
    if (found.layout != PHONE_NONE) {
        if (one->capacity < one->size) {
            return TALLY_ERROR_CAPACITY;
        }
        const tally_layout *layout = phone_layout_at(own, found.layout);
        status = layout == NULL ? TALLY_ERROR_MEMORY
                                : tally_layouts_run_one(layout, run, one, found.digit, made);
        if (status == TALLY_OK) {
            memcpy(one->out, one->value, one->size);
            phone_write(&found, made, one->out);
        }
        tally_wipe(made, sizeof made);
        tally_wipe(&found, sizeof found);
    }
    tally_wipe(&text, sizeof text);
    return status;
}

static void phone_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                            tally_domain *out)
{
    const phone *own = format->own;
    tally_phone_text text;
    phone_found found = {.layout = PHONE_NONE};
    if (phone_read(value, size, &text) == size) {
        phone_find(own, &text, &found);
    }
    *out =
        found.layout == PHONE_NONE
            ? format->smallest
            : tally_domain_of_size(tally_phone_plans[found.layout / 2].numbers[found.layout % 2]);
}

static size_t phone_place_of_fault(const tally_format *format, tally_reason reason,
                                   const uint8_t *value, size_t size)
{
    tally_phone_text text;
    (void)format, (void)reason;
    const size_t place = phone_read(value, size, &text);
    return place < size ? place : SIZE_MAX;
}

static void phone_destroy(tally_format *format)
{
    phone *own = format->own;
    for (size_t i = 0; i < TALLY_PHONE_LAYOUTS; i++) {
        phone_layout *made = atomic_load_explicit(&own->made[i], memory_order_relaxed);
        if (made != NULL) {
            tally_arena arena = made->arena; /* which has it inside */
            tally_arena_release(&arena);
        }
    }
}

static const tally_format_class phone_planned;

static tally_status phone_make_planned(tally_format *format, const tally_phone_region *region)
{
    phone *own = tally_format_own(format, sizeof *own);
    format->of = &phone_planned;
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    own->region = region;
    own->layouts.arena.allocator = tally_format_allocator(format);
    own->layouts.count = TALLY_PHONE_LAYOUTS;
    own->layouts.most_kept = 3; /* digits of a calling code */
    uint64_t smallest = UINT64_MAX;
    for (uint32_t i = 0; i < TALLY_PHONE_PLANS; i++) {
        const tally_phone_plan *plan = &tally_phone_plans[i];
        own->plan[plan->code][0] = 1; /* there is such a code */
        own->plan[plan->code][plan->size] = (uint16_t)(i + 1);
        for (uint32_t class = 0; class < 2; class ++) {
            const uint64_t numbers = plan->numbers[class];
            smallest = numbers != 0 && numbers < smallest ? numbers : smallest;
        }
    }
    char identity[32];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"phone\",\"");
    tally_write(&out, region != NULL ? region->name : "any");
    tally_write(&out, "\"]");
    format->keeps_size = 1;
    format->example[0] = "+1 (202) 555-0143";
    format->example[1] = "+49 30/901820";
    format->smallest = tally_domain_of_size(smallest);
    format->work = TALLY_PHONE_WORK;
    return tally_format_identify(format, identity, out.size);
}

static const tally_option phone_options[] = {{"country", TALLY_OPTION_TEXT, 0, NULL, NULL},
                                             TALLY_TEXT_COMMON(" -()./", "6", "15")};

static const tally_phone_region *phone_region(const char *name)
{
    for (size_t i = 0; i < TALLY_PHONE_REGIONS; i++) {
        if (memcmp(name, tally_phone_regions[i].name, 2) == 0) {
            return &tally_phone_regions[i];
        }
    }
    return NULL;
}

/* All names of two letters are near each other. So the right one is named for a name in small letters
 * and for those that others use than ISO 3166: the United Kingdom's own, and the EU's of Greece. */
static tally_status phone_refuse_country(tally_format *format, const tally_option_value *country,
                                         tally_problem *problem)
{
    static const char others[][2][3] = {{"UK", "GB"}, {"EL", "GR"}};
    tally_writer out;
    tally_format_refusal(format, problem, "country", &out);
    tally_write(&out,
                "country must be 'any' or the two letters of a country, such as 'DE' or 'US'");
    if (country->size == 2) {
        char name[3] = {0};
        for (size_t i = 0; i < 2; i++) {
            const char c = country->text[i];
            name[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            if (memcmp(name, others[i][0], 2) == 0) {
                memcpy(name, others[i][1], 2);
            }
        }
        if (phone_region(name) != NULL) {
            tally_write_meant(&out, name, 2);
        }
    }
    return TALLY_ERROR_FORMAT;
}

static tally_status phone_make(tally_format *format, const tally_option_value *values,
                               tally_problem *problem)
{
    const tally_option_value *country = &values[0];
    if (!country->given) {
        return tally_text_preset_make(format, values, problem);
    }
    const tally_status status =
        tally_text_preset_refuse_changed(format, values, "country", problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (country->size == 3 && memcmp(country->text, "any", 3) == 0) {
        return phone_make_planned(format, NULL);
    }
    const tally_phone_region *region = country->size == 2 ? phone_region(country->text) : NULL;
    return region != NULL ? phone_make_planned(format, region)
                          : phone_refuse_country(format, country, problem);
}

static const tally_format_class phone_planned = {
    .name = "phone",
    .options = phone_options,
    .words = TALLY_WORDS_ANY,
    .destroy = phone_destroy,
    .text = phone_run,
    .one = phone_one,
    .domain_of = phone_domain_of,
    .place_of_fault = phone_place_of_fault,
};

const tally_format_about tally_about_phone = {"Phone numbers.", NULL};

const tally_format_class tally_format_phone = {
    .name = "phone", .options = phone_options, .make = phone_make, TALLY_TEXT_FUNCTIONS};
