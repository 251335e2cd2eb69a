/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of Arrow's columns, from the format strings of its C data interface. */
#ifndef TALLY_ARROW_TYPE_H
#define TALLY_ARROW_TYPE_H

#include "tallystick/base.h"

typedef enum tally_arrow_kind {
    TALLY_ARROW_OTHER = 0, /* a type that no format takes */
    TALLY_ARROW_NULL,      /* "n" */
    TALLY_ARROW_TEXT,      /* "u", "U" */
    TALLY_ARROW_BINARY,    /* "z", "Z", "w:16" */
    TALLY_ARROW_TEXT_VIEW, /* "vu" */
    TALLY_ARROW_BINARY_VIEW,
    TALLY_ARROW_BOOLEAN,
    TALLY_ARROW_INTEGER,   /* "c".."L" */
    TALLY_ARROW_FLOAT,     /* "e", "f", "g" */
    TALLY_ARROW_DECIMAL,   /* "d:10,2", "d:10,2,256" */
    TALLY_ARROW_DATE,      /* "tdD": days, "tdm": milliseconds */
    TALLY_ARROW_TIMESTAMP, /* "tsu:Europe/Berlin" */
    TALLY_ARROW_STRUCT,    /* "+s" */
    TALLY_ARROW_LIST,      /* "+l", "+L", "+w:3" */
    TALLY_ARROW_LIST_VIEW, /* "+vl", "+vL" */
    TALLY_ARROW_MAP,       /* "+m" */
    TALLY_ARROW_RUN_ENDS   /* "+r" */
} tally_arrow_kind;

typedef struct tally_arrow_type {
    tally_arrow_kind kind;
    uint32_t width; /* bytes of a value; of an offset, where values have none; of a list's size */
    uint8_t is_signed; /* integers */
    uint8_t fixed;     /* binary or list of a fixed size, which is `width` */
    int32_t precision; /* decimals */
    int32_t scale;
    uint64_t per_second;  /* timestamps: units in a second */
    const char *timezone; /* within the format string; "" without one */
} tally_arrow_type;

/* Text, or binary of any size, with offsets. */
static inline int tally_arrow_is_text(const tally_arrow_type *type)
{
    return type->kind == TALLY_ARROW_TEXT || (type->kind == TALLY_ARROW_BINARY && !type->fixed);
}

/* Views of text or binary. */
static inline int tally_arrow_is_view(const tally_arrow_type *type)
{
    return type->kind == TALLY_ARROW_TEXT_VIEW || type->kind == TALLY_ARROW_BINARY_VIEW;
}

/* Reads a format string; returns 0 if it is none (then the kind is TALLY_ARROW_OTHER). */
int tally_arrow_type_read(const char *format, tally_arrow_type *out);

/* Writes a type as people know it from pyarrow: "string", "decimal128(10, 2)", "timestamp[s]".
 * Returns the name's size, and writes as much of it as there is room for, with a zero behind it. */
size_t tally_arrow_type_name(const char *format, char *out, size_t size);

#endif
