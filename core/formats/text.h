/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of text over an alphabet: symbols are replaced in place, everything else stays.
 * text_presets.c has the ready ones; email.c and ipv6.c use the same machinery. */
#ifndef TALLY_FORMATS_TEXT_H
#define TALLY_FORMATS_TEXT_H

#include "columns/one_value.h"
#include "formats/format.h"

enum {
    TALLY_TEXT_KEEP = 64, /* keep_first and keep_positions are of so many symbols */
    TALLY_TEXT_MAX_SYMBOLS = 1 << 16,
    TALLY_TEXT_IDENTITY = 1024 /* bytes, at most */
};

/* Characters in UTF-8. */
typedef struct tally_text_characters {
    const char *text;
    size_t size;
} tally_text_characters;

/* The settings of a text format; docs/reference/formats explains each. */
typedef struct tally_text_settings {
    tally_text_characters alphabet, separators, leading, delimiter;
    int fold_case, keep_after_delimiter, kept_as_tweak;
    int64_t keep_first, keep_last, min_length, max_length;
    uint64_t keep_positions; /* bit i: position i */
    tally_luhn luhn;
} tally_text_settings;

/* A text format as a part of a format; it has the shape, and no secret. */
typedef struct tally_text {
    tally_one_value_format *one;
    void *memory;     /* of `one` */
    char example[96]; /* of a format that has none of its own */
} tally_text;

/* Checks the settings, and makes a text of them; `identity` receives its identity, as JSON.
 * Messages name the format, whose allow_tiny_domain counts. Release it with tally_text_final. */
tally_status tally_text_init(const tally_format *format, const tally_text_settings *settings,
                             char identity[TALLY_TEXT_IDENTITY], tally_text *out,
                             tally_problem *problem);
void tally_text_final(const tally_format *format, tally_text *text);

/* Makes a whole format with the functions of TALLY_TEXT_FUNCTIONS. */
tally_status tally_text_make(tally_format *format, const tally_text_settings *settings,
                             tally_problem *problem);

/* The domain of the shortest valid value, and that of a value. */
tally_domain tally_text_smallest(const tally_text *text);
tally_domain tally_text_domain(const tally_text *text, const uint8_t *value, size_t size);

/* The byte of a value at fault, or SIZE_MAX. A byte `delimiter` stands for the delimiter too, if it
 * is not 0. */
size_t tally_text_place(const tally_text *text, tally_reason reason, const uint8_t *value,
                        size_t size, uint8_t delimiter);

/* Runs a column. values[0] receives its first byte; `values` may be where that is (in place). */
tally_status tally_text_run(const tally_text *text, tally_run *run, const tally_strings *column,
                            const tally_strings *row_tweaks, uint8_t *values, uint8_t *status);

/* The same for a shape. */
tally_status tally_text_run_shape(const tally_shape *shape, tally_run *run,
                                  const tally_strings *column, const tally_strings *row_tweaks,
                                  uint8_t *values, uint8_t *status);

/* Runs a value in place, with the row's tweak of `one`. */
tally_status tally_text_run_value(const tally_text *text, tally_run *run, const tally_one *one,
                                  uint8_t *value, size_t size, tally_reason *reason);

/* The functions of a class whose formats tally_text_make makes. */
void tally_text_destroy(tally_format *format);
tally_status tally_text_column_of(const tally_format *format, tally_run *run,
                                  tally_text_column *column);
tally_status tally_text_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_text_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                          tally_domain *out);
uint64_t tally_text_work(const tally_format *format, size_t size);
size_t tally_text_place_of_fault(const tally_format *format, tally_reason reason,
                                 const uint8_t *value, size_t size);

/* Makes a preset, by the format's name; options are found by name. */
tally_status tally_text_preset_make(tally_format *format, const tally_option_value *values,
                                    tally_problem *problem);

/* Refuses options of a preset that differ from their defaults, since they can't go with `option`. */
tally_status tally_text_preset_refuse_changed(const tally_format *format,
                                              const tally_option_value *values, const char *option,
                                              tally_problem *problem);

/* clang-format off */
/* The options that presets share, which end a table, with the defaults that differ. */
#define TALLY_TEXT_COMMON(separators, least, most)                                                 \
    {"separators", TALLY_OPTION_TEXT, 0, NULL, "\"" separators "\""},                              \
        {"keep_first", TALLY_OPTION_WHOLE, 0, NULL, "0"},                                          \
        {"keep_last", TALLY_OPTION_WHOLE, 0, NULL, "0"},                                           \
        {"kept_as_tweak", TALLY_OPTION_BOOLEAN, 0, NULL, "true"},                                  \
        {"min_length", TALLY_OPTION_WHOLE, 0, NULL, least},                                        \
        {"max_length", TALLY_OPTION_WHOLE, 0, NULL, most},                                         \
        {"allow_tiny_domain", TALLY_OPTION_BOOLEAN, 0, NULL, "false"},                             \
    TALLY_OPTIONS_END

#define TALLY_TEXT_FUNCTIONS                                                                       \
    .words = TALLY_WORDS_IN_PLACE, .destroy = tally_text_destroy, .text = tally_text_column_of, .one = tally_text_one,            \
    .domain_of = tally_text_domain_of, .work = tally_text_work,                                    \
    .place_of_fault = tally_text_place_of_fault
/* clang-format on */

#endif
