/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a format, read from its description. Each format has a table of its options; what
 * is not in it, of another type or outside its choices is refused here, once for all formats. */
#ifndef TALLY_FORMATS_OPTIONS_H
#define TALLY_FORMATS_OPTIONS_H

#include "tallystick/formats.h"
#include "json/json.h"

typedef enum tally_option_kind {
    TALLY_OPTION_TEXT,
    TALLY_OPTION_INTEGER,
    TALLY_OPTION_BOOLEAN,
    TALLY_OPTION_CHOICE,  /* a text, one of `choices` */
    TALLY_OPTION_LIST,    /* an array; the format reads its items */
    TALLY_OPTION_NUMBER,  /* an integer or a text: the ends of decimals */
    TALLY_OPTION_WHOLE,   /* an integer of any size; its text, if it is beyond int64_t */
    TALLY_OPTION_DATE,    /* a date, or text in ISO 8601 */
    TALLY_OPTION_DATETIME /* a date with a time, or text in ISO 8601 */
} tally_option_kind;

typedef struct tally_option {
    const char *name;           /* NULL after the last one */
    uint8_t kind;               /* a tally_option_kind */
    uint8_t required;           /* 1: it can't be left out */
    const char *const *choices; /* ending with NULL */
    const char *usual;          /* the default, as JSON without escapes; NULL: there is none */
} tally_option;

/* Ends a table. */
#define TALLY_OPTIONS_END                                                                          \
    {                                                                                              \
        NULL, TALLY_OPTION_TEXT, 0, NULL, NULL                                                     \
    }

enum { TALLY_OPTIONS = 16 /* of a format, at most */ };

/* A description's value of an option, valid as long as the description's JSON; or the default. */
typedef struct tally_option_value {
    int given;              /* 0: the description has none */
    int64_t integer;        /* INTEGER, BOOLEAN, WHOLE, the index of a CHOICE, an integral NUMBER */
    const char *text;       /* TEXT, NUMBER, DATE, DATETIME; NULL for an integral NUMBER */
    size_t size;            /* of the text */
    const tally_json *list; /* LIST: the array */
} tally_option_value;

/* Options that several formats have, at most. */
enum { TALLY_SHARED_OPTIONS = 2 };

/* Reads a value of an option. Returns 0 with the problem if it is of another type or choice. */
int tally_option_take(const tally_option *option, const tally_json *value, tally_option_value *out,
                      tally_problem *problem);

/* The default of an option; without one, zeros. */
tally_option_value tally_option_usual(const tally_option *option);

/* The first option that is given and differs from its default, if it has one; NULL: none does. */
const char *tally_options_changed(const tally_option *options, const tally_option_value *values);

/* Reads the members of an object (or nothing, if it is NULL) by a format's table, and by one that
 * formats share; "type" is passed over. values[i] is of options[i], and shared_values[i] of
 * shared[i]; what is not given has its default. Returns 0 with the problem if it can't. */
int tally_options_read(const tally_option *options, const tally_option *shared,
                       const tally_json *object, tally_option_value *values,
                       tally_option_value *shared_values, tally_problem *problem);

#endif
