//go:build cgo

#if !defined(__APPLE__)
#pragma weak tally_aes_ctr
#pragma weak tally_aes_key_init
#pragma weak tally_allocate
#pragma weak tally_allocate_many
#pragma weak tally_format_free
#pragma weak tally_format_new
#pragma weak tally_hkdf_sha256
#pragma weak tally_hmac_sha256_init
#pragma weak tally_hmac_sha256_update
#pragma weak tally_hmac_sha256_final
#pragma weak tally_json_free
#pragma weak tally_json_is
#pragma weak tally_json_key_is
#pragma weak tally_json_member
#pragma weak tally_json_parse
#pragma weak tally_key_id_parse
#pragma weak tally_layouts_reason
#pragma weak tally_luhn_digit
#pragma weak tally_phone_is_planned
#pragma weak tally_release
#pragma weak tally_release_wiped
#pragma weak tally_sort
#pragma weak tally_table_at
#pragma weak tally_table_problem
#pragma weak tally_table_read
#pragma weak tally_table_wrong
#pragma weak tally_wipe
#pragma weak tally_write
#pragma weak tally_write_bytes
#pragma weak tally_write_char
#pragma weak tally_write_instead
#pragma weak tally_write_path
#pragma weak tally_write_uint
#pragma weak tally_writer_init
#pragma weak tally_writer_problem
#endif
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: scan, text. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/scan/addresses.c ---- */
/*
 * Addresses: IPv4, IPv6, MAC, UUID, e-mail, URLs with a password. */

/* ---- core/scan/scanner.h ---- */
/*
 * A text on its way. The first pass (scanner.c) finds places where a finding may begin, from the
 * classes of bytes. A recognizer looks at one place, at a bounded number of bytes around it, and adds
 * the findings that pass its check. */
#ifndef TALLY_SCAN_SCANNER_H
#define TALLY_SCAN_SCANNER_H

/* ---- core/scan/rules.h ---- */
/*
 * What a scanner looks for: formats that check numbers, patterns, and the terms of lists. */
#ifndef TALLY_SCAN_RULES_H
#define TALLY_SCAN_RULES_H

/* ---- core/formats/format.h ---- */
/*
 * The inside of every format. A format is one C file with two constants, tally_format_NAME and
 * tally_about_NAME; registry.c lists the names. */
#ifndef TALLY_FORMATS_FORMAT_H
#define TALLY_FORMATS_FORMAT_H

/* ---- core/arrow/type.h ---- */
/*
 * The types of Arrow's columns, from the format strings of its C data interface. */
#ifndef TALLY_ARROW_TYPE_H
#define TALLY_ARROW_TYPE_H

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

/* ---- core/base/writer.h ---- */
/*
 * Text into a buffer of fixed size: messages, identities, JSON. It is always zero-terminated. Text
 * that does not fit is cut at the end of a character, and the rest is counted alone. */
#ifndef TALLY_BASE_WRITER_H
#define TALLY_BASE_WRITER_H

/* ---- core/base/utf8.h ---- */
/*
 * UTF-8 as RFC 3629 has it: no longer form than necessary, no surrogates, nothing beyond U+10FFFF. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

enum { TALLY_UTF8_MAX_BYTES = 4 /* of a character */ };

/* Reads the character of UTF-8 that begins at `at`, in the bytes before `end`. Returns how many
 * bytes it has, 1..4. Returns 0, and leaves *point as it is, if at == end or if the bytes are not
 * UTF-8. */
static inline uint32_t tally_utf8_decode(const uint8_t *at, const uint8_t *end, uint32_t *point)
{
    size_t size = (size_t)(end - at);
    if (size == 0) {
        return 0;
    }
    uint32_t first = at[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2) {
        return 0;
    }
    if (size < 2 || (at[1] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t second = at[1] & 0x3Fu;
    if (first < 0xE0) {
        *point = (first & 0x1F) << 6 | second;
        return 2;
    }
    if (size < 3 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t third = at[2] & 0x3Fu;
    if (first < 0xF0) {
        uint32_t three = (first & 0x0F) << 12 | second << 6 | third;
        if (three < 0x800 || three - 0xD800 < 0x800) {
            return 0;
        }
        *point = three;
        return 3;
    }
    if (first > 0xF4 || size < 4 || (at[3] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t four = (first & 0x07) << 18 | second << 12 | third << 6 | (at[3] & 0x3Fu);
    if (four - 0x10000 >= 0x100000) {
        return 0;
    }
    *point = four;
    return 4;
}

/* Writes a character as UTF-8 and returns how many bytes it has. `point` is at most U+10FFFF and no
 * surrogate; `out` has room for 4 bytes. */
static inline uint32_t tally_utf8_encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Decodes the character at text[*at], and moves *at behind it. A byte that does not begin valid
 * UTF-8 gives 0xdc00 plus the byte, and moves by one. *at < size. */
static inline uint32_t tally_utf8_next(const char *text, size_t size, size_t *at)
{
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t point = 0xdc00U + bytes[*at];
    const uint32_t width = tally_utf8_decode(bytes + *at, bytes + size, &point);
    *at += width != 0 ? width : 1;
    return point;
}

#endif

typedef struct tally_writer {
    char *text;
    size_t capacity; /* with the zero, at least 1 */
    size_t size;     /* written, without the zero */
    size_t needed;   /* the size without the limit: the text is cut if needed > size */
} tally_writer;

/* Begins an empty text in a buffer of `capacity` bytes, at least 1. */
void tally_writer_init(tally_writer *writer, char *buffer, size_t capacity);

/* Begins the text of a problem. Its place becomes empty. */
void tally_writer_problem(tally_writer *writer, tally_problem *problem);

void tally_write(tally_writer *writer, const char *text); /* zero-terminated */
void tally_write_bytes(tally_writer *writer, const char *text, size_t size);
void tally_write_char(tally_writer *writer, char c);
void tally_write_int(tally_writer *writer, int64_t value);
void tally_write_uint(tally_writer *writer, uint64_t value);

/* UTF-8 in quotes, as Python's repr writes a str: 'a', "it's", 'line\n'. Characters that many
 * terminals do not show are escaped; which code points are unassigned is not known here. */
void tally_write_repr(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of JSON in ASCII, as json.dumps(ensure_ascii=True) writes it. */
void tally_write_json(tally_writer *writer, const char *text, size_t size);

/* UTF-8 as a string of TOML. */
void tally_write_toml(tally_writer *writer, const char *text, size_t size);

/* A key as TOML writes it: bare, or in double quotes. */
void tally_write_key(tally_writer *writer, const char *key, size_t size);

/* Appends a key to a dotted path: the path's first key has no dot before it. */
void tally_write_path(tally_writer *writer, const char *key, size_t size);

/* Whether a character is shown: no control, no space but that of ASCII, nothing invisible, no
 * private use. As str.isprintable, but for code points that are not assigned. */
int tally_is_shown(uint32_t c);

#endif

/* ---- core/formats/ciphers.h ---- */
/*
 * The cipher of a format: FAST, or FF1 where the standard is needed. Every format that has words or
 * numbers takes the options `cipher` and `tweak_hex`. */
#ifndef TALLY_FORMATS_CIPHERS_H
#define TALLY_FORMATS_CIPHERS_H

/* ---- core/formats/options.h ---- */
/*
 * The options of a format, read from its description. Each format has a table of its options; what
 * is not in it, of another type or outside its choices is refused here, once for all formats. */
#ifndef TALLY_FORMATS_OPTIONS_H
#define TALLY_FORMATS_OPTIONS_H

/* ---- core/json/json.h ---- */
/*
 * JSON that a binding hands over, as a tree: RFC 8259 and nothing else, without a key that is there
 * twice. It is nested at most TALLY_JSON_DEPTH deep, and has TALLY_JSON_VALUES_MAX values at most, each
 * of which takes 73 bytes of memory.
 *
 * Values of TOML that JSON has not come as a table with one key: {"$date": "2000-12-31"},
 * {"$datetime": "2000-12-31T23:59:59"}, {"$time": "23:59:59"}, {"$float": "nan"}. */
#ifndef TALLY_JSON_JSON_H
#define TALLY_JSON_JSON_H

enum {
    TALLY_JSON_DEPTH = 64,          /* arrays and objects that lie in each other */
    TALLY_JSON_SIZE_MAX = 1 << 24,  /* bytes */
    TALLY_JSON_VALUES_MAX = 1 << 19 /* no policy and no key ring of 1 MiB has more */
};

typedef enum tally_json_kind {
    TALLY_JSON_NULL,
    TALLY_JSON_FALSE,
    TALLY_JSON_TRUE,
    TALLY_JSON_INTEGER,  /* within int64_t */
    TALLY_JSON_BIG,      /* a whole number beyond it */
    TALLY_JSON_FRACTION, /* a number with a fraction or exponent */
    TALLY_JSON_TEXT,
    TALLY_JSON_ARRAY,
    TALLY_JSON_OBJECT
} tally_json_kind;

typedef struct tally_json tally_json;
struct tally_json {
    tally_json_kind kind;
    uint32_t count;   /* items or members */
    const char *key;  /* of a member, decoded and zero-terminated; else NULL */
    size_t key_size;  /* without the zero; the key itself may have zeros */
    const char *text; /* a text, decoded; a number, as it was written; zero-terminated, else NULL */
    size_t size;      /* without the zero */
    int64_t integer;  /* of TALLY_JSON_INTEGER */
    const tally_json *first; /* item or member, in the order of the text, or NULL */
    const tally_json *next;  /* of the same array or object, or NULL */
};

typedef struct tally_json_document {
    const tally_json *root;
    const tally_allocator *allocator;
    void *memory;
    size_t size;
} tally_json_document;

/* Reads JSON in UTF-8, which need not be zero-terminated, into one allocation. The allocator must
 * live as long as the document.
 *
 * TALLY_ERROR_MEMORY; TALLY_ERROR_PROBLEM: it is not such JSON, and the problem names the byte.
 * `problem` may be NULL. */
TALLY_MUST_CHECK tally_status tally_json_parse(const tally_allocator *allocator, const char *text,
                                               size_t size, tally_json_document *out,
                                               tally_problem *problem);

/* Wipes and releases a document. One that was never read must be zeroed. */
void tally_json_free(tally_json_document *document);

/* The member of an object that has this name, or NULL. Any node but an object has none. */
const tally_json *tally_json_member(const tally_json *node, const char *name);

/* Whether a text, or a key, is equal to a zero-terminated one. */
int tally_json_is(const tally_json *node, const char *text);
int tally_json_key_is(const tally_json *node, const char *key);

/* The text of a value of TOML that JSON has not, such as "$date"; else NULL. */
const tally_json *tally_json_tagged(const tally_json *node, const char *tag);

/* The type of a value, in the words of TOML: "text", "true or false", "a date", "a table". */
const char *tally_json_kind_text(const tally_json *node);

#endif

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

typedef enum tally_cipher {
    TALLY_CIPHER_FAST = 0,
    TALLY_CIPHER_FF1,      /* domains of 1,000,000 values and more */
    TALLY_CIPHER_FF1_2016, /* of 100 and more, with allow_tiny_domain */
    TALLY_CIPHER_FF3_1     /* tokens are revealed, and never made */
} tally_cipher;

enum {
    TALLY_FF1_DOMAIN = 1000000, /* values, by Revision 1 of SP 800-38G */
    TALLY_FF1_2016_DOMAIN = 100,
    TALLY_PLAIN_TWEAK = 256
};

typedef struct tally_cipher_choice {
    tally_cipher cipher;
    /* 1: the plain cipher, as other programs have it. The key is the data key itself, and the tweak
     * is `tweak`, then the row's own, and nothing else. */
    int is_plain;
    size_t tweak_size;
    uint8_t tweak[TALLY_PLAIN_TWEAK];
} tally_cipher_choice;

/* The two options, which end with an empty one. */
extern const tally_option tally_cipher_options[];

/* Reads the values of the options. Returns 0 with the problem if they make no choice. */
int tally_cipher_read(const tally_option_value *values, tally_cipher_choice *out,
                      tally_problem *problem);

/* The cipher that makes the tokens: both profiles of FF1 make the same. */
static inline tally_cipher tally_cipher_algorithm(tally_cipher cipher)
{
    return cipher == TALLY_CIPHER_FF1_2016 ? TALLY_CIPHER_FF1 : cipher;
}

/* Its name in descriptions, such as "ff1". */
const char *tally_cipher_name(tally_cipher cipher);

#endif

/* ---- core/formats/run.h ---- */
/*
 * The means and the values of a format's call. A tokenizer's worker makes a run for each call. */
#ifndef TALLY_FORMATS_RUN_H
#define TALLY_FORMATS_RUN_H

/* ---- core/arrow/strings.h ---- */
/*
 * Columns of text in memory, as Apache Arrow lays them out: offsets of either size, and nulls. */
#ifndef TALLY_ARROW_STRINGS_H
#define TALLY_ARROW_STRINGS_H

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Hides an address, so that it is computed as it is written. */
static inline const uint8_t *tally_barrier_address(const uint8_t *address)
{
#if defined(__GNUC__) && !defined(__FRAMAC__)
    __asm__("" : "+r"(address));
#endif
    return address;
}

/* Whether bytes are equal. The time depends on `size` alone. */
static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

/* An Arrow string or binary array. Row i is values[offset(i) .. offset(i+1)), in `values`.
 *
 * If another thread changes the memory behind the pointers during a call, the call stays within
 * values[offset(0) .. offset(rows)), with the two offsets read once at the beginning. It returns
 * TALLY_ERROR_ARGUMENT after writing some rows, or its results are useless. To compare offset(rows)
 * with the memory of `values`, copy the offsets, compare in the copy, and pass the copy. */
typedef struct tally_strings {
    const void *offsets;  /* rows + 1 of int32_t or int64_t, ascending from 0 or more */
    uint32_t offset_size; /* 4 or 8 bytes */
    uint32_t reserved;
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
    const uint8_t *values;
    uint64_t rows;
} tally_strings;

/* Offsets are processed in runs of a fixed length, which every compiler vectorizes at -O2. A row of
 * 16 bytes takes about 12 ns in all. */
enum { TALLY_STRINGS_RUN = 32 };

static inline int tally_row_is_null(const tally_strings *strings, uint64_t row)
{
    uint64_t bit = strings->validity_start + row;
    return strings->validity != NULL && (strings->validity[bit / 8] >> (bit % 8) & 1) == 0;
}

/* Rows first .. first + count - 1. */
static inline tally_strings tally_strings_slice(const tally_strings *strings, uint64_t first,
                                                uint64_t count)
{
    tally_strings slice = *strings;
    slice.offsets = (const uint8_t *)strings->offsets + first * strings->offset_size;
    slice.validity_start += first;
    slice.rows = count;
    return slice;
}

/* The rows of an array, one after the other. Another thread may change offsets during
 * a call: each is read once, and reading ends at one that is out of range. */
typedef struct tally_strings_reader {
    const tally_strings *strings;
    uint64_t row; /* the next one */
    uint64_t at;  /* its first byte */
    uint64_t end; /* of the last row */
    /* The size of every row, if tally_strings_init finds that they have one; else 0. Offsets are
     * then not read again by tally_strings_read. */
    uint64_t each;
} tally_strings_reader;

/* Begins to read; returns 0 if the first or last offset is out of range. */
int tally_strings_init_ends(const tally_strings *strings, tally_strings_reader *out);

/* The same, and returns 0 if offsets do not ascend. */
int tally_strings_init(const tally_strings *strings, tally_strings_reader *out);

/* Reads the next `count` rows: row i is at start[i] .. start[i + 1], within the array; `start`
 * receives count + 1 offsets. *common is the size that all rows have, or 0. Returns 0 if the
 * offsets have changed. */
int tally_strings_read(tally_strings_reader *reader, size_t count, uint64_t *start,
                       uint64_t *common);

/* The same for rows of one size, without their offsets. */
static inline void tally_strings_skip(tally_strings_reader *reader, size_t count)
{
    reader->at += count * reader->each;
    reader->row += count;
}

/* Reads an offset once; the barrier keeps compilers from reading it again. */
static inline uint64_t tally_offset_once(const tally_strings *strings, uint64_t i)
{
    if (strings->offset_size == 4) {
        return tally_barrier((uint64_t)((const int32_t *)strings->offsets)[i]);
    }
    return tally_barrier((uint64_t)((const int64_t *)strings->offsets)[i]);
}

/* Reads the next row. Returns 0 if its offset has changed. */
static inline int tally_strings_next(tally_strings_reader *reader, uint64_t *start, uint64_t *size)
{
    const uint64_t end = tally_offset_once(reader->strings, reader->row + 1);
    if (end < reader->at || end > reader->end) {
        return 0;
    }
    *start = reader->at;
    *size = end - reader->at;
    reader->at = end;
    reader->row++;
    return 1;
}

/* Any row of an array of which none was read. Returns 0 if its offsets have changed. */
static inline int tally_strings_row(const tally_strings_reader *reader, uint64_t row,
                                    uint64_t *start, uint64_t *size)
{
    if (reader->each != 0) {
        *start = reader->at + row * reader->each;
        *size = reader->each;
        return 1;
    }
    const uint64_t end = tally_offset_once(reader->strings, row + 1);
    *start = tally_offset_once(reader->strings, row);
    *size = end - *start;
    return reader->at <= *start && *start <= end && end <= reader->end;
}

#endif

/* ---- core/base/direction.h ---- */
/*
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif

/* ---- core/fast/words/workspace.h ---- */
/*
 * Memory that calls on columns of text, and on words or numbers with row tweaks, work in. It depends
 * on no key or radix, so one workspace serves any number of ciphers, for one call at a time. A call
 * lays its own struct over it, such as tally_row_tweaks_memory. Each struct's file asserts that it fits. Each call wipes what it wrote there of values and
 * sequences. */
#ifndef TALLY_FAST_WORDS_WORKSPACE_H
#define TALLY_FAST_WORDS_WORKSPACE_H

enum {
    TALLY_FAST_WORKSPACE = 14040 * 64, /* bytes */
    TALLY_FAST_MAX_ROW_TWEAK = 1024,   /* bytes of a row's whole tweak */
    TALLY_FAST_GROUPED = 1 << 20       /* rows that are grouped by tweak together, at most */
};

typedef struct tally_fast_workspace {
    _Alignas(64) uint8_t memory[TALLY_FAST_WORKSPACE];
    void *grouping; /* memory for grouping rows, or NULL */
    size_t grouping_size;
} tally_fast_workspace;

/* Bytes of memory for a workspace. */
size_t tally_fast_workspace_size(void);

/* Sets a workspace up in `memory`, of tally_fast_workspace_size() bytes and any alignment. It need
 * not be zeroed. TALLY_ERROR_ARGUMENT: memory too small. */
TALLY_MUST_CHECK tally_status tally_fast_workspace_init(void *memory, size_t memory_size,
                                                        tally_fast_workspace **out);

/* Bytes of memory with which a call groups so many rows by tweak: eight for each, and some. 0: rows are
 * too few to gain. */
size_t tally_fast_grouping_size(uint64_t rows);

/* Sets memory, of any alignment, in which the following calls on columns group rows of equal tweaks.
 * They run faster, with the same results. NULL unsets it. Calls leave the order of tweaks in this
 * memory. That order is not secret. */
void tally_fast_workspace_set_grouping(tally_fast_workspace *workspace, void *memory, size_t size);

/* Wipes all of a workspace. It cannot be used afterwards. */
void tally_fast_workspace_wipe(tally_fast_workspace *workspace);

#endif

typedef struct tally_run tally_run;

struct tally_run {
    tally_direction direction;

    /* Part 1 of the tweak; it has room for `tweak_capacity` bytes, so a format may append its part 2
     * for a call, and takes it off again. */
    uint8_t *tweak;
    size_t tweak_size, tweak_capacity;

    /* Part 3: a row for each value, or NULL. Offsets and nulls as of any tally_strings. */
    const tally_strings *row_tweaks;

    uint64_t small; /* a format adds the rows whose domain is smaller than TALLY_SMALL_DOMAIN */

    /* The cipher of a radix; NULL: there is no memory. The workspace; the same. */
    tally_fast_cipher *(*cipher)(tally_run *run, uint32_t radix);
    tally_fast_workspace *(*workspace)(tally_run *run);

    /* Memory of at least `size` bytes, aligned to 64, until the end of the call, when it is wiped;
     * NULL: there is none. `place`, 0..TALLY_SCRATCHES-1, says which: a place has one piece, which
     * grows and is kept between calls, so no call allocates in the end. */
    void *(*scratch)(tally_run *run, unsigned place, size_t size);

    /* The key, for a format with a plain_key. */
    const uint8_t *key;
    size_t key_size;

    /* Derives 32 bytes from the key: HKDF-SHA-256 without salt. */
    tally_status (*derive)(tally_run *run, const char *info, uint8_t out[32]);
};

enum {
    TALLY_SCRATCH_GROUPS = 12, /* for grouping rows, by text_run.c */
    TALLY_SCRATCHES
};
enum { TALLY_BLOCK_ROWS = 4096 /* a good number to work on together */ };

/* Texts that are written one after the other, as Arrow has them. */
typedef struct tally_text_out {
    uint8_t *values;
    uint64_t size, capacity; /* bytes */
    void *offsets;           /* rows + 1, of offset_size; the first is 0 */
    uint32_t offset_size;
    uint64_t row;  /* the next */
    uint64_t most; /* bytes that the offsets can number */
    int (*grow)(struct tally_text_out *out, uint64_t more);
    void *context;
} tally_text_out;

/* Makes room for `more` bytes at out->values + out->size. TALLY_ERROR_MEMORY. */
static inline tally_status tally_text_out_reserve(tally_text_out *out, uint64_t more)
{
    return more <= out->capacity - out->size || out->grow(out, more) ? TALLY_OK
                                                                     : TALLY_ERROR_MEMORY;
}

/* Ends a row of `size` bytes, which were written there. Whoever made `out` looks, after the call,
 * whether its size is more than `most`. */
static inline void tally_text_out_end(tally_text_out *out, uint64_t size)
{
    out->size += size;
    out->row++;
    if (out->offset_size == 4) {
        ((uint32_t *)out->offsets)[out->row] = (uint32_t)out->size;
    } else {
        ((uint64_t *)out->offsets)[out->row] = out->size;
    }
}

/* A column of text. A format writes status[i], a tally_reason, for every row; 0 for null rows. Rows
 * that are not valid keep their bytes; null rows have none, or zeros if the format keeps sizes. */
typedef struct tally_text_column {
    tally_strings in; /* offsets are checked: they ascend, within the values */
    uint8_t *status;
    uint8_t *values;     /* keeps_size: receives the bytes, at the same offsets less the first */
    tally_text_out *out; /* else: receives the rows */
} tally_text_column;

/* A column of values of a fixed size: integers, dates, timestamps, decimals. `values` and `out` are
 * at the first row, and aligned as their type; they may be the same. Rows that are not valid keep
 * their value; null rows become zeros. */
typedef struct tally_fixed_column {
    const tally_arrow_type *type;
    const void *values;
    const uint8_t *validity; /* a bitmap; NULL: no row is null */
    uint64_t validity_start;
    uint64_t rows;
    uint8_t *status;
    void *out;
} tally_fixed_column;

/* One value of text. out[0..capacity) receives the result, *out_size its size; TALLY_ERROR_CAPACITY of
 * tokens.h says that there is too little room. If the reason is not 0, nothing need be written. */
typedef struct tally_one {
    const uint8_t *value;
    size_t size;
    const uint8_t *row_tweak; /* NULL: there is none */
    size_t row_tweak_size;
    uint8_t *out;
    size_t capacity, out_size;
    tally_reason reason;
} tally_one;

#endif

enum { TALLY_EXAMPLES = 9, TALLY_FORMATS_MOST = 64 };

typedef struct tally_format_class tally_format_class;

/* The input that a class gives a cipher. It decides which ciphers the class takes. */
typedef enum tally_format_words {
    TALLY_WORDS_NONE = 0, /* nothing */
    TALLY_WORDS_ANY,      /* words or numbers */
    TALLY_WORDS_IN_PLACE  /* a value's own symbols: a plain cipher is possible */
} tally_format_words;

struct tally_format {
    const tally_format_class *of;
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    tally_cipher_choice cipher;
    int one_way, keyed, may_be_formula;
    int allow_tiny_domain;
    int keeps_size;   /* a token has its value's bytes in number, at the same place of the column */
    int forbids_keep; /* on_invalid = "keep" can't go with it: a token may be no valid value */
    uint32_t plain_key; /* not 0: the key is that of another standard, and serves nothing else */
    uint32_t key_size;  /* bytes that the key must have; 0: 16, 24 or 32 */
    int is_random;      /* equal values have unlike tokens */
    int needs_tweak;    /* values without a tweak of their row are invalid */
    tally_domain smallest;
    uint64_t work;  /* layers of FAST for a value, whatever its size; 0: a keyless format */
    char *identity; /* JSON */
    const char *example[TALLY_EXAMPLES + 1]; /* ending with NULL */
    void *own;                               /* the class's; tally_format_own makes it, */
    size_t own_size;                         /* of this size. 0: `destroy` releases it */
};

struct tally_format_class {
    const char *name;
    const tally_option *options;
    tally_format_words words;

    /* Fills a format in that is zero but for `of`, `allocator` and keyed = 1: own, smallest,
     * examples, and the identity last; the cipher is chosen. Messages have the format's name before them. Returns
     * TALLY_ERROR_FORMAT with the problem, or TALLY_ERROR_MEMORY; the format is freed after. */
    tally_status (*make)(tally_format *format, const tally_option_value *values,
                         tally_problem *problem);

    /* Releases what `own`, which is not NULL but may be half made, points to; NULL: nothing. */
    void (*destroy)(tally_format *format);

    /* Says whether a type is taken; if not, writes why after "format 'x'". NULL: text alone. */
    int (*takes)(const tally_format *format, const char *type, const tally_arrow_type *read,
                 tally_writer *why);

    /* Says whether a key of the right size is taken; if not, writes why after "format 'x': ". NULL:
     * each is. */
    int (*takes_key)(const tally_format *format, const uint8_t *key, tally_writer *why);

    /* Runs a column of text. See run.h. */
    tally_status (*text)(const tally_format *format, tally_run *run, tally_text_column *column);

    /* Runs one value of text, where that is faster than a column of one row; else NULL. */
    tally_status (*one)(const tally_format *format, tally_run *run, tally_one *one);

    /* Runs a column of a type with values of a fixed size; NULL: none is taken. */
    tally_status (*fixed)(const tally_format *format, tally_run *run, tally_fixed_column *column);

    /* The domain of a value; NULL: the smallest. */
    void (*domain_of)(const tally_format *format, const uint8_t *value, size_t size,
                      tally_domain *out);

    /* The layers of FAST that the values of `size` bytes need, at most; NULL: format->work. */
    uint64_t (*work)(const tally_format *format, size_t size);

    /* The byte of the character at fault, or SIZE_MAX if none is; NULL: none ever is. */
    size_t (*place_of_fault)(const tally_format *format, tally_reason reason, const uint8_t *value,
                             size_t size);
};

/* What a format is, for programs that offer formats to choose from. Those that do not leave it out. */
typedef struct tally_format_about {
    const char *about;  /* what it is for, in a sentence of one line */
    const char *sample; /* the options that it needs, as JSON; NULL: none */
} tally_format_about;

/* The classes, ending with NULL, and what is said about each. */
extern const tally_format_class *const tally_format_classes[];
extern const tally_format_about *const tally_format_abouts[];

/* Makes a format from a description that is read already; see tally_format_new. A problem's place
 * is relative to the description: "keep_last", or empty. */
TALLY_MUST_CHECK tally_status tally_format_from_json(const tally_allocator *allocator,
                                                     const tally_json *description,
                                                     tally_format **out, tally_problem *problem);

/* Whether the format of a description encrypts words, and so takes a cipher; 0 if it has no name of
 * a format. */
int tally_format_takes_cipher(const tally_json *description);

/* As tally_format_from_json, with values of the options of tally_cipher_options that stand outside the description;
 * NULL: one does not. */
TALLY_MUST_CHECK tally_status
tally_format_with_cipher(const tally_allocator *allocator, const tally_json *description,
                         const tally_json *const given[TALLY_SHARED_OPTIONS], tally_format **out,
                         tally_problem *problem);

/* For memory that lives as long as the format: NULL stands for malloc and free. */
const tally_allocator *tally_format_allocator(const tally_format *format);

/* Makes format->own: `size` bytes of zeros, which are released with the format. NULL: there is no
 * memory. */
void *tally_format_own(tally_format *format, size_t size);

/* Sets the identity: `size` bytes, within that of the cipher if it is not FAST.
 * TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_format_identify(tally_format *format, const char *identity,
                                                    size_t size);

/* Writes the refusal of a format, "name: ...", with the option at fault; returns
 * TALLY_ERROR_FORMAT. The writer version is for messages with numbers. */
tally_status tally_format_refuse(const tally_format *format, tally_problem *problem,
                                 const char *option, const char *text);
void tally_format_refusal(const tally_format *format, tally_problem *problem, const char *option,
                          tally_writer *out);

/* As tally_format_takes, for a type that was read already. */
TALLY_MUST_CHECK tally_status tally_format_takes_read(const tally_format *format, const char *type,
                                                      const tally_arrow_type *read,
                                                      tally_problem *problem);

/* Writes that a format can't be used for a type, and which types it takes. */
void tally_format_refuse_type(const tally_format *format, const char *type,
                              const tally_arrow_type *read, tally_writer *out);

/* The values that the smallest domain must have: with FAST TALLY_SMALLEST_DOMAIN, or what
 * allow_tiny_domain allows; else the cipher's bound. */
uint64_t tally_format_least_domain(const tally_format *format);

/* Refuses a domain that is smaller than that. */
tally_status tally_format_check_domain(const tally_format *format, tally_problem *problem);

/* A domain of `size` values, or of radix^length. */
tally_domain tally_domain_of_size(uint64_t size);
tally_domain tally_domain_of_words(uint32_t radix, uint64_t length);

/* The layers of FAST for a word; a quarter more for cycle walking. */
uint64_t tally_format_layers(uint32_t radix, uint64_t length, int walks);

#endif

/* ---- core/scan/knowledge.h ---- */
/*
 * What the scanner knows: tables that a program writes (tables.h). */
#ifndef TALLY_SCAN_KNOWLEDGE_H
#define TALLY_SCAN_KNOWLEDGE_H

/* Classes of bytes. */
enum {
    SCAN_WORD = 1, /* letters and digits of ASCII, and _ */
    SCAN_DIGIT = 2,
    SCAN_HEX = 4,
    SCAN_BASE64URL = 8,
    SCAN_BASE64 = 16,   /* both alphabets */
    SCAN_LOCAL = 32,    /* of an e-mail address, before the @ */
    SCAN_LABEL = 64,    /* of a name of a host */
    SCAN_CAPITAL = 128, /* A-Z, 0-9 */
    SCAN_JOINT = 256,   /* . , - / +: a number goes on behind them */
    SCAN_GAP = 512      /* space . - / +: inside an identifier */
};

extern const uint16_t tally_scan_classes[256];

static inline int scan_is(uint8_t byte, uint32_t classes)
{
    return (tally_scan_classes[byte] & classes) != 0;
}

enum { SCAN_ENTROPY_MOST = 256 };

/* count * log2(count) in 65536ths; count <= SCAN_ENTROPY_MOST. */
uint32_t tally_scan_weight(uint32_t count);

/* Whether a network issues cards of a number that begins with these six digits and has so many. */
int tally_scan_is_card(uint32_t first_six, uint32_t digits);

typedef struct scan_national {
    const char *name, *format;
    uint8_t certainty[2]; /* without and with punctuation */
} scan_national;

const scan_national *tally_scan_national(size_t index); /* NULL from the last one on */

enum { SCAN_NATIONALS_MOST = 32 };

typedef enum scan_check { SCAN_CHECK_NONE = 0, SCAN_CHECK_CRC32 } scan_check;

typedef struct scan_key {
    const char *name, *pattern;
    uint32_t certainty;
    scan_check check;
} scan_key;

const scan_key *tally_scan_key(size_t index); /* NULL from the last one on */

/* Words before a finding. */
enum {
    SCAN_CONTEXT_CARD = 1,
    SCAN_CONTEXT_NATIONAL_ID = 2,
    SCAN_CONTEXT_PHONE = 4,
    SCAN_CONTEXT_SECRET = 8,
    SCAN_CONTEXT_VERSION = 16
};

enum { SCAN_WORD_MOST = 24 };

/* The contexts of a word of two letters and digits or more, in any case. */
uint32_t tally_scan_word(const uint8_t *word, size_t size);

#endif

/* A character or class of a pattern, and how often it may stand: as often as possible is taken. */
typedef struct scan_item {
    uint64_t bytes[4];
    uint16_t least, most;
} scan_item;

typedef struct scan_pattern {
    const scan_item *item;
    uint32_t items, rule, kind, certainty;
    scan_check check;
} scan_pattern;

typedef struct scan_term {
    const uint8_t *text; /* ASCII in lower case */
    uint32_t size, rule;
} scan_term;

enum {
    SCAN_WIDTHS = 24,
    SCAN_GAPS = 12,
    SCAN_PATTERN_WORDS = 5 /* of 64 bits, one for each pattern */
};

struct tally_scan_rules {
    tally_allocator allocator;
    int has_allocator;
    uint32_t kinds; /* as bits */
    uint32_t least;
    tally_format *national[SCAN_NATIONALS_MOST], *iban, *phone;
    /* By width and separators: the national identifiers that may have them, as bits. */
    uint32_t of_shape[SCAN_WIDTHS][SCAN_GAPS];
    /* By place and separator, whose low three bits differ: those that may have it there, as bits. */
    uint32_t of_gap[SCAN_WIDTHS][8];
    /* Without and with punctuation: those that are certain enough, alone or with a word before. */
    uint32_t certain[2], with_word[2];
    /* Where words of two bytes may begin a pattern or a term, as bits. */
    uint8_t begins[65536 / 8];
    uint64_t of_first[256][SCAN_PATTERN_WORDS]; /* the patterns that begin with a byte */
    scan_pattern *pattern;
    size_t patterns, pattern_capacity;
    scan_item *item;
    size_t items, item_capacity;
    scan_term *term;
    const void **sorted; /* the terms in the order of their bytes */
    size_t terms, term_capacity;
    uint8_t *text; /* of terms */
    size_t text_size, text_capacity;
    size_t names, name_capacity; /* of rules of the user */
    char (*name)[72];
    int wide;                    /* whether a term begins with a character that is not ASCII */
    size_t first_key, first_own; /* numbers of rules: kinds, national identifiers, keys, own ones */
};

static inline int scan_begins(const tally_scan_rules *rules, const uint8_t *at)
{
    const uint32_t both = at[0] | (uint32_t)at[1] << 8;
    return rules->begins[both >> 3] >> (both & 7) & 1;
}

static inline int scan_item_has(const scan_item *item, uint8_t byte)
{
    return (int)(item->bytes[byte / 64] >> (byte % 64) & 1);
}

static inline uint8_t scan_fold(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* Reads a pattern into `items`, at most TALLY_SCAN_MAX_ITEMS; returns how many, or 0 and why it is
 * refused. */
size_t tally_scan_parse(const char *text, size_t size, scan_item *items, const char **why);

/* The bytes from `at` on that match a pattern, or 0. *steps grows by the bytes that were read. */
size_t tally_scan_match(const scan_pattern *pattern, const uint8_t *at, uint64_t *steps);

/* Whether the last six characters of a token are the CRC-32 of those behind its prefix. */
int tally_scan_crc32(const uint8_t *at, size_t size);

#endif

enum {
    SCAN_BLOCK = 64,
    SCAN_BEHIND = 128,                        /* bytes before a place that may be read */
    SCAN_AHEAD = TALLY_SCAN_MAX_FINDING + 64, /* bytes from a place on, at most */
    SCAN_CAPACITY = 128 * 1024,               /* of the text in memory */
    SCAN_WINDOW = 4 * SCAN_BLOCK              /* places of candidates in flight */
};

/* The best finding that begins at a place. */
typedef struct scan_candidate {
    uint32_t size, kind, certainty, rule; /* size 0: none is held */
} scan_candidate;

struct tally_scanner {
    const tally_scan_rules *rules;
    uint64_t base;     /* of the text: buffer[SCAN_BEHIND] at first, which is offset 0 */
    size_t size, done; /* of the buffer: bytes, and those that the first pass has seen */
    int ended;
    uint64_t word_before, base64_before; /* masks of the block before */
    uint64_t colons_until; /* offset: colons before it belong to a run that was read */
    scan_candidate candidates[SCAN_WINDOW];  /* circular, by offset */
    uint64_t is_candidate[SCAN_WINDOW / 64]; /* a bit for each place that has one */
    uint64_t held_at;
    scan_candidate held; /* what overlaps it is compared with it */
    tally_scan_finding *out;
    size_t count, capacity;
    uint64_t steps; /* bytes that recognizers have read: a test bounds them */
    uint8_t buffer[SCAN_CAPACITY + SCAN_BEHIND + 2 * SCAN_BLOCK];
};

static inline uint64_t scan_offset(const tally_scanner *s, const uint8_t *at)
{
    return s->base + (uint64_t)(at - s->buffer) - SCAN_BEHIND;
}

/* Whether a byte is one of a text's; 0 is none. */
static inline int scan_one_of(const char *text, uint8_t byte)
{
    return byte != 0 && strchr(text, byte) != NULL;
}

static inline int scan_wants(const tally_scanner *s, tally_scan_kind kind)
{
    return (int)(s->rules->kinds >> kind & 1);
}

/* Adds a finding, if the rules want it. */
void tally_scan_add(tally_scanner *s, const uint8_t *at, size_t size, tally_scan_kind kind,
                    uint32_t rule, uint32_t certainty);

/* The contexts of the words in the 48 bytes before a place. */
uint32_t tally_scan_context(tally_scanner *s, const uint8_t *at);

/* The recognizers. `at` is the place of: a word's first character, and of `run` digits; 64 of them
 * may be more. */
void tally_scan_number(tally_scanner *s, const uint8_t *at, size_t run);
void tally_scan_letters(tally_scanner *s, const uint8_t *at); /* another first character */
void tally_scan_plus(tally_scanner *s, const uint8_t *at);    /* + before a digit */
void tally_scan_colon(tally_scanner *s, const uint8_t *at);   /* : */
void tally_scan_at(tally_scanner *s, const uint8_t *at);      /* @ */
void tally_scan_hyphens(tally_scanner *s, const uint8_t *at); /* the first of five - */
void tally_scan_run(tally_scanner *s, const uint8_t *at);     /* 20 characters of base64 or more */
void tally_scan_prefixed(tally_scanner *s,
                         const uint8_t *at); /* a word that may be a key or term */
void tally_scan_hexadecimal(tally_scanner *s, const uint8_t *at); /* a word: UUIDs and MACs */
void tally_scan_ipv4(tally_scanner *s, const uint8_t *at);        /* digits before a dot */
void tally_scan_jwt(tally_scanner *s, const uint8_t *at);         /* eyJ */

#endif

enum {
    ADDRESSES_LOCAL = 64,   /* of an e-mail address, before the @: RFC 5321 */
    ADDRESSES_DOMAIN = 253, /* behind it */
    ADDRESSES_SCHEME = 12,
    ADDRESSES_USER = 64,
    ADDRESSES_PASSWORD = 256,
    ADDRESSES_IPV6 = 45
};

/* Reads a number of 0..255 without leading zeros; returns its digits, or 0. */
static size_t addresses_octet(const uint8_t *at)
{
    uint32_t value = 0;
    size_t size = 0;
    while (size < 4 && scan_is(at[size], SCAN_DIGIT)) {
        value = value * 10 + (uint32_t)(at[size++] - '0');
    }
    return size > 3 || value > 255 || (size > 1 && at[0] == '0') ? 0 : size;
}

/* The bytes of four numbers with dots between them, or 0. *large: one of them has three digits. */
static size_t addresses_dotted(const uint8_t *at, int *large)
{
    size_t size = 0;
    *large = 0;
    for (int i = 0; i < 4; i++) {
        const size_t octet = addresses_octet(at + size);
        *large |= octet == 3;
        size += octet;
        if (octet == 0 || (i < 3 && at[size++] != '.')) {
            return 0;
        }
    }
    return size;
}

void tally_scan_ipv4(tally_scanner *s, const uint8_t *at)
{
    int large;
    if (at[-1] == '.' || at[-1] == '-') {
        return;
    }
    const size_t size = addresses_dotted(at, &large);
    s->steps += 16;
    if (size == 0 || scan_is(at[size], SCAN_WORD) || at[size] == '-' ||
        (at[size] == '.' && scan_is(at[size + 1], SCAN_WORD))) {
        return;
    }
    /* Versions have small numbers. */
    const uint32_t version = large ? 0 : tally_scan_context(s, at) & SCAN_CONTEXT_VERSION;
    tally_scan_add(s, at, size, TALLY_SCAN_IPV4, TALLY_SCAN_IPV4,
                   version != 0 ? TALLY_SCAN_WEAK : TALLY_SCAN_FAIR);
}

/* The bytes of `groups` groups of two digits with one separator, or 0. */
static size_t addresses_pairs(const uint8_t *at, size_t groups, uint8_t separator)
{
    for (size_t i = 0; i < groups; i++) {
        if (!scan_is(at[3 * i], SCAN_HEX) || !scan_is(at[3 * i + 1], SCAN_HEX) ||
            (i + 1 < groups && at[3 * i + 2] != separator)) {
            return 0;
        }
    }
    return 3 * groups - 1;
}

static void addresses_mac(tally_scanner *s, const uint8_t *at, size_t size, uint8_t separator)
{
    if (size != 0 && !scan_is(at[-1], SCAN_WORD) && at[-1] != separator &&
        !scan_is(at[size], SCAN_WORD) && at[size] != separator) {
        tally_scan_add(s, at, size, TALLY_SCAN_MAC, TALLY_SCAN_MAC, TALLY_SCAN_FAIR);
    }
}

static size_t addresses_hexadecimal(const uint8_t *at, size_t most)
{
    size_t size = 0;
    while (size < most && scan_is(at[size], SCAN_HEX)) {
        size++;
    }
    return size;
}

void tally_scan_hexadecimal(tally_scanner *s, const uint8_t *at)
{
    if (!scan_is(at[0], SCAN_HEX) || (at[2] != '-' && at[4] != '.' && at[8] != '-')) {
        return;
    }
    s->steps += 40;
    if (at[2] == '-') {
        addresses_mac(s, at, addresses_pairs(at, 6, '-'), '-');
    } else if (at[4] == '.' && at[9] == '.' && addresses_hexadecimal(at, 5) == 4 &&
               addresses_hexadecimal(at + 5, 5) == 4 && addresses_hexadecimal(at + 10, 5) == 4) {
        addresses_mac(s, at, 14, '.');
    } else if (at[8] == '-' && addresses_hexadecimal(at, 9) == 8 &&
               addresses_hexadecimal(at + 9, 5) == 4 && at[13] == '-' &&
               addresses_hexadecimal(at + 14, 5) == 4 && at[18] == '-' &&
               addresses_hexadecimal(at + 19, 5) == 4 && at[23] == '-' &&
               addresses_hexadecimal(at + 24, 13) == 12 && !scan_is(at[36], SCAN_WORD) &&
               at[36] != '-' && at[-1] != '-') {
        /* Versions 1 to 8 of the variant of RFC 9562 are strong. */
        const int known = at[14] >= '1' && at[14] <= '8' && scan_one_of("89abAB", at[19]);
        tally_scan_add(s, at, 36, TALLY_SCAN_UUID, TALLY_SCAN_UUID,
                       known ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
    }
}

/* The bytes of an IPv6 address in any notation of RFC 4291, or 0. */
static size_t addresses_ipv6(const uint8_t *at)
{
    uint32_t groups = 0, written = 0;
    int gap = 0, global = 0;
    size_t size = 0;
    if (at[0] == ':' && at[1] == ':') {
        gap = 1;
        size = 2;
    }
    for (;;) {
        const size_t hex = addresses_hexadecimal(at + size, 5);
        if (hex == 0 || hex > 4) {
            break;
        }
        if (at[size + hex] == '.' && groups <= 6 && (groups == 6 || gap)) {
            int large;
            const size_t dotted = addresses_dotted(at + size, &large);
            groups += dotted != 0 ? 2 : 0;
            written += dotted != 0 ? 3 : 0;
            size += dotted;
            break;
        }
        if (groups == 0 && !gap && hex == 4) { /* 2000::/3, fc00::/7, fe80::/10, ff00::/8 */
            global = at[size] == '2' || at[size] == '3' || (at[size] | 0x20) == 'f';
        }
        groups++;
        written++;
        size += hex;
        if (groups == 8 || at[size] != ':') {
            break;
        }
        if (at[size + 1] == ':') {
            if (gap) {
                break;
            }
            gap = 1;
            size += 2;
        } else if (scan_is(at[size + 1], SCAN_HEX)) {
            size++;
        } else {
            break;
        }
    }
    const int loopback = size == 3 && at[0] == ':' && at[2] == '1';
    return (gap ? groups < 8 && (written >= 3 || global || loopback) : groups == 8) ? size : 0;
}

static void addresses_colons(tally_scanner *s, const uint8_t *colon)
{
    enum { LEAST = 13 }; /* 0:0:0:0:0:0:0, before the rest of an IPv4 address */
    const uint8_t *at = colon, *end = colon;
    int gap = 0;
    if (scan_offset(s, colon) < s->colons_until) {
        return;
    }
    while (colon - at < 5 && scan_is(at[-1], SCAN_HEX)) {
        at--;
    }
    while (end - colon < ADDRESSES_IPV6 && (scan_is(*end, SCAN_HEX) || *end == ':')) {
        gap |= end[0] == ':' && end[1] == ':';
        end++;
    }
    s->steps += 2 * (uint64_t)(end - at);
    s->colons_until = scan_offset(s, end);
    if (scan_is(at[-1], SCAN_WORD) || at[-1] == ':' || colon - at > 4 ||
        (end - at < LEAST && !gap)) { /* a time, most often */
        return;
    }
    addresses_mac(s, at, addresses_pairs(at, 6, ':'), ':');
    const size_t size = addresses_ipv6(at);
    if (size != 0 && !scan_is(at[size], SCAN_WORD) && at[size] != ':') {
        tally_scan_add(s, at, size, TALLY_SCAN_IPV6, TALLY_SCAN_IPV6, TALLY_SCAN_FAIR);
    }
}

static int addresses_is_host(uint8_t byte)
{
    return scan_is(byte, SCAN_LABEL) || byte == '.' || byte == ':' || byte == '_';
}

/* scheme://user:password@host */
static void addresses_url(tally_scanner *s, const uint8_t *colon)
{
    const uint8_t *at = colon, *p = colon + 3;
    size_t user = 0, password = 0, host = 0;
    while (colon - at <= ADDRESSES_SCHEME && scan_is(at[-1], SCAN_BASE64) && at[-1] != '/') {
        at--;
    }
    while (user < ADDRESSES_USER && (scan_is(p[user], SCAN_LOCAL | SCAN_WORD) || p[user] == '%')) {
        user++;
    }
    s->steps += user + 1;
    if (p[user] != ':' || colon - at < 2 || colon - at > ADDRESSES_SCHEME) {
        return;
    }
    p += user + 1;
    while (password < ADDRESSES_PASSWORD && p[password] > ' ' && p[password] != '@' &&
           !scan_one_of("\"'`<>/\\:", p[password])) {
        password++;
    }
    s->steps += password + 1;
    if (p[password] != '@' || password == 0) {
        return;
    }
    const int placeholder = scan_one_of("${*[x", p[0]) && (p[0] != 'x' || p[1] == 'x');
    p += password + 1;
    while (host < ADDRESSES_DOMAIN && addresses_is_host(p[host])) {
        host++;
    }
    s->steps += host + 1;
    while (host > 0 && !scan_is(p[host - 1], SCAN_WORD)) {
        host--;
    }
    if (host > 0) {
        tally_scan_add(s, at, (size_t)(p + host - at), TALLY_SCAN_URL, TALLY_SCAN_URL,
                       placeholder ? TALLY_SCAN_WEAK : TALLY_SCAN_STRONG);
    }
}

void tally_scan_colon(tally_scanner *s, const uint8_t *at)
{
    if (at[1] == '/' && at[2] == '/' && scan_wants(s, TALLY_SCAN_URL)) {
        addresses_url(s, at);
    } else if ((scan_is(at[-1], SCAN_HEX) || at[1] == ':') &&
               (scan_is(at[1], SCAN_HEX) || at[1] == ':')) {
        addresses_colons(s, at);
    }
}

/* Whether two bytes are a letter of Latin, Greek or Cyrillic, or a mark on one, in UTF-8: other
 * characters that are not ASCII are often punctuation, or stand without spaces. */
static int addresses_is_letter(const uint8_t *at)
{
    return at[0] >= 0xc3 && at[0] <= 0xd4 && (at[1] & 0xc0) == 0x80;
}

/* The bytes of a domain with a top-level domain of letters, or 0. *steps grows by what was read. */
static size_t addresses_domain(const uint8_t *at, uint64_t *steps)
{
    size_t size = 0, found = 0, label = 0;
    int letters = 1;
    for (; size <= ADDRESSES_DOMAIN; size++) {
        const uint8_t byte = at[size];
        if (addresses_is_letter(at + size)) {
            size++;
            continue;
        }
        if (scan_is(byte, SCAN_LABEL)) {
            letters &= !scan_is(byte, SCAN_DIGIT) && byte != '-';
            continue;
        }
        const size_t width = size - label;
        const int punycode = width > 4 && memcmp(at + label, "xn--", 4) == 0;
        if (width == 0 || at[label] == '-' || at[size - 1] == '-') {
            break;
        }
        if (label > 0 && width >= 2 && (letters || punycode)) {
            found = size;
        } else if (label > 0) {
            found = 0;
        }
        if (byte != '.') {
            break;
        }
        label = size + 1;
        letters = 1;
    }
    *steps += size + 1;
    return size > ADDRESSES_DOMAIN || scan_is(at[found], SCAN_WORD) ? 0 : found;
}

void tally_scan_at(tally_scanner *s, const uint8_t *at)
{
    size_t local = 0;
    if (!scan_wants(s, TALLY_SCAN_EMAIL)) {
        return;
    }
    while (local <= ADDRESSES_LOCAL) {
        if (scan_is(*(at - local - 1), SCAN_LOCAL)) {
            local++;
        } else if (addresses_is_letter(at - local - 2)) {
            local += 2;
        } else {
            break;
        }
    }
    const size_t before = local;
    while (local > 0 && *(at - local) < 0x80 && !scan_is(*(at - local), SCAN_WORD)) {
        local--;
    }
    const size_t domain = addresses_domain(at + 1, &s->steps);
    s->steps += before + 1;
    if (local > 0 && before <= ADDRESSES_LOCAL && at[-1] != '.' && domain > 0) {
        tally_scan_add(s, at - local, local + 1 + domain, TALLY_SCAN_EMAIL, TALLY_SCAN_EMAIL,
                       TALLY_SCAN_FAIR);
    }
}

/* ---- core/scan/knowledge.c ---- */
/*
 * The tables of the scanner, and how they are read. */

typedef struct scan_card {
    uint32_t first, last; /* six digits */
    uint32_t sizes;       /* as bits */
} scan_card;

typedef struct scan_word {
    const char *text;
    uint32_t contexts;
} scan_word;

/* ---- core/scan/tables.h ---- */
/*
 * Written by `python -m tools.scan` from tools/scan/knowledge.toml and from
 * python/tallystick/inspection/knowledge.toml. Included by knowledge.c alone. */

const uint16_t tally_scan_classes[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    512, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 816, 256, 888, 800, 784,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0,
    0, 253, 253, 253, 253, 253, 253, 249, 249, 249, 249, 249, 249, 249, 249, 249,
    249, 249, 249, 249, 249, 249, 249, 249, 249, 249, 249, 0, 0, 0, 0, 57,
    0, 125, 125, 125, 125, 125, 125, 121, 121, 121, 121, 121, 121, 121, 121, 121,
    121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

static const scan_card scan_cards[] = {
    {400000, 499999, 0x92000},
    {510000, 559999, 0x10000},
    {222100, 272099, 0x10000},
    {340000, 349999, 0x8000},
    {370000, 379999, 0x8000},
    {601100, 601199, 0x90000},
    {644000, 659999, 0x90000},
    {352800, 358999, 0x90000},
    {360000, 369999, 0x94000},
    {380000, 399999, 0x94000},
    {300000, 305999, 0x94000},
    {309500, 309599, 0x94000},
    {620000, 629999, 0xf0000},
    {810000, 817199, 0xf0000},
    {501800, 501899, 0x10000},
    {502000, 502099, 0x10000},
    {503800, 503899, 0x10000},
    {589300, 589399, 0x10000},
    {630400, 630499, 0x10000},
    {675900, 675999, 0x10000},
    {676100, 676399, 0x10000},
    {220000, 220499, 0x90000},
    {979200, 979299, 0x10000},
};

static const scan_national scan_nationals[] = {
    {"national_id.au.tfn", "{\"type\":\"national_id\",\"kind\":\"au.tfn\"}", {1, 2}},
    {"national_id.br.cnpj", "{\"type\":\"national_id\",\"kind\":\"br.cnpj\"}", {2, 3}},
    {"national_id.br.cpf", "{\"type\":\"national_id\",\"kind\":\"br.cpf\"}", {2, 3}},
    {"national_id.ca.sin", "{\"type\":\"national_id\",\"kind\":\"ca.sin\"}", {1, 2}},
    {"national_id.ch.ssn", "{\"type\":\"national_id\",\"kind\":\"ch.ssn\"}", {2, 3}},
    {"national_id.de.idnr", "{\"type\":\"national_id\",\"kind\":\"de.idnr\"}", {1, 2}},
    {"national_id.es.dni", "{\"type\":\"national_id\",\"kind\":\"es.dni\"}", {1, 2}},
    {"national_id.es.nie", "{\"type\":\"national_id\",\"kind\":\"es.nie\"}", {1, 2}},
    {"national_id.fi.hetu", "{\"type\":\"national_id\",\"kind\":\"fi.hetu\"}", {2, 3}},
    {"national_id.fr.nir", "{\"type\":\"national_id\",\"kind\":\"fr.nir\"}", {3, 3}},
    {"national_id.gb.nhs", "{\"type\":\"national_id\",\"kind\":\"gb.nhs\"}", {1, 2}},
    {"national_id.hr.oib", "{\"type\":\"national_id\",\"kind\":\"hr.oib\"}", {1, 2}},
    {"national_id.in.aadhaar", "{\"type\":\"national_id\",\"kind\":\"in_.aadhaar\"}", {1, 2}},
    {"national_id.it.codicefiscale", "{\"type\":\"national_id\",\"kind\":\"it.codicefiscale\"}", {2, 3}},
    {"national_id.nl.bsn", "{\"type\":\"national_id\",\"kind\":\"nl.bsn\"}", {1, 2}},
    {"national_id.pl.pesel", "{\"type\":\"national_id\",\"kind\":\"pl.pesel\"}", {1, 2}},
    {"national_id.se.personnummer", "{\"type\":\"national_id\",\"kind\":\"se.personnummer\"}", {1, 2}},
    {"national_id.tr.tckimlik", "{\"type\":\"national_id\",\"kind\":\"tr.tckimlik\"}", {2, 3}},
    {"national_id.za.idnr", "{\"type\":\"national_id\",\"kind\":\"za.idnr\"}", {1, 2}},
    {"national_id.us.ssn", "{\"type\":\"ssn\",\"assignable\":true}", {1, 1}},
};

static const scan_key scan_keys[] = {
    {"key.aws.access_key", "A[KS]IA[A-Z2-7]{16}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.github.token", "gh[pousr]_[A-Za-z0-9]{36}", TALLY_SCAN_STRONG, SCAN_CHECK_CRC32},
    {"key.github.fine_grained", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.gitlab.personal", "glpat-[A-Za-z0-9_\\-]{20,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.gitlab.deploy", "gldt-[A-Za-z0-9_\\-]{20,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.gitlab.runner", "glrt-[A-Za-z0-9_\\-]{20,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.gitlab.trigger", "glptt-[A-Za-z0-9_\\-]{20,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.gitlab.feed", "glft-[A-Za-z0-9_\\-]{20,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.gitlab.ci_job", "glcbt-[A-Za-z0-9_\\-]{20,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.slack.token", "xox[abeoprs]-[A-Za-z0-9\\-]{20,250}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.slack.app", "xapp-[0-9]-[A-Z0-9]{8,16}-[0-9]{10,16}-[a-z0-9]{32,128}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.slack.webhook", "hooks.slack.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,28}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.stripe.secret", "sk_live_[A-Za-z0-9]{16,240}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.stripe.restricted", "rk_live_[A-Za-z0-9]{16,240}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.stripe.webhook", "whsec_[A-Za-z0-9+/]{32,64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.google.api_key", "AIza[A-Za-z0-9_\\-]{35}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.google.oauth_secret", "GOCSPX-[A-Za-z0-9_\\-]{28}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.google.oauth_token", "ya29.[A-Za-z0-9_\\-]{30,512}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.openai.project", "sk-proj-[A-Za-z0-9_\\-]{40,200}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.openai.service", "sk-svcacct-[A-Za-z0-9_\\-]{40,200}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.openai.legacy", "sk-[A-Za-z0-9]{48}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.anthropic.api_key", "sk-ant-[a-z0-9]{5,8}-[A-Za-z0-9_\\-]{80,120}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.huggingface.token", "hf_[A-Za-z]{34}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.replicate.token", "r8_[A-Za-z0-9]{37}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.groq.api_key", "gsk_[A-Za-z0-9]{52}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.npm.token", "npm_[A-Za-z0-9]{36}", TALLY_SCAN_STRONG, SCAN_CHECK_CRC32},
    {"key.pypi.token", "pypi-AgE[A-Za-z0-9_\\-]{50,250}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.rubygems.api_key", "rubygems_[a-f0-9]{48}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.docker.token", "dckr_pat_[A-Za-z0-9_\\-]{27}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.sendgrid.api_key", "SG.[A-Za-z0-9_\\-]{22}.[A-Za-z0-9_\\-]{43}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.twilio.api_key", "SK[a-f0-9]{32}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.shopify.token", "shp[acps][at]t?_[a-fA-F0-9]{32}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.digitalocean.token", "do[opr]_v1_[a-f0-9]{64}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.databricks.token", "dapi[a-f0-9]{32}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.hashicorp.vault", "hv[sbr].[A-Za-z0-9_\\-]{24,256}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.grafana.service_account", "glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.linear.api_key", "lin_api_[A-Za-z0-9]{40}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.newrelic.user_key", "NRAK-[A-Z0-9]{27}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.postman.api_key", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.pulumi.token", "pul-[a-f0-9]{40}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.supabase.token", "sbp_[a-f0-9]{40}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.square.token", "sq0[acip][dst]p-[A-Za-z0-9_\\-]{22,43}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.mailgun.api_key", "key-[a-f0-9]{32}", TALLY_SCAN_FAIR, SCAN_CHECK_NONE},
    {"key.azure.storage_key", "AccountKey=[A-Za-z0-9+/]{86}==", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
    {"key.age.secret_key", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", TALLY_SCAN_STRONG, SCAN_CHECK_NONE},
};

static const scan_word scan_words[] = {
    {"aadhaar", 2},
    {"aadhar", 2},
    {"ahv", 2},
    {"amex", 1},
    {"apikey", 8},
    {"auth", 8},
    {"authorization", 8},
    {"avs", 2},
    {"bearer", 8},
    {"bsn", 2},
    {"build", 16},
    {"burgerservicenummer", 2},
    {"call", 4},
    {"card", 1},
    {"cartao", 1},
    {"ccnum", 1},
    {"cell", 4},
    {"cellphone", 4},
    {"cellulare", 4},
    {"celular", 4},
    {"citizen", 2},
    {"clave", 8},
    {"cnpj", 2},
    {"codicefiscale", 2},
    {"contrasena", 8},
    {"cpf", 2},
    {"credential", 8},
    {"credentials", 8},
    {"creditcard", 1},
    {"cvc", 8},
    {"cvv", 8},
    {"cvv2", 8},
    {"dni", 2},
    {"documento", 2},
    {"fax", 4},
    {"handy", 4},
    {"handynummer", 4},
    {"haslo", 8},
    {"henkilotunnus", 2},
    {"hetu", 2},
    {"idnr", 2},
    {"insee", 2},
    {"kaart", 1},
    {"kaartnummer", 1},
    {"karta", 1},
    {"kartennummer", 1},
    {"kennwort", 8},
    {"key", 8},
    {"keys", 8},
    {"komorka", 4},
    {"kortnummer", 1},
    {"kreditkarte", 1},
    {"kreditkartennummer", 1},
    {"losenord", 8},
    {"mastercard", 1},
    {"matkapuhelin", 4},
    {"mobil", 4},
    {"mobile", 4},
    {"mobilnummer", 4},
    {"movil", 4},
    {"msisdn", 4},
    {"nhs", 2},
    {"nie", 2},
    {"nif", 2},
    {"nir", 2},
    {"oib", 2},
    {"pan", 1},
    {"passphrase", 8},
    {"passwd", 8},
    {"password", 8},
    {"passwort", 8},
    {"personnummer", 2},
    {"pesel", 2},
    {"phone", 4},
    {"pin", 8},
    {"portable", 4},
    {"puhelin", 4},
    {"puhelinnumero", 4},
    {"pwd", 8},
    {"release", 16},
    {"rufnummer", 4},
    {"salasana", 8},
    {"secret", 8},
    {"secrets", 8},
    {"security", 2},
    {"senha", 8},
    {"sifre", 8},
    {"signature", 8},
    {"sin", 2},
    {"sms", 4},
    {"social", 2},
    {"ssn", 2},
    {"steuer", 2},
    {"steuerid", 2},
    {"steueridnr", 2},
    {"steuernummer", 2},
    {"tarjeta", 1},
    {"tax", 2},
    {"tckimlik", 2},
    {"tel", 4},
    {"telefon", 4},
    {"telefone", 4},
    {"telefonnummer", 4},
    {"telefono", 4},
    {"telefoon", 4},
    {"telefoonnummer", 4},
    {"telemovel", 4},
    {"telephone", 4},
    {"tfn", 2},
    {"token", 8},
    {"tokens", 8},
    {"upgrade", 16},
    {"upgraded", 16},
    {"ver", 16},
    {"version", 16},
    {"versions", 16},
    {"visa", 1},
    {"wachtwoord", 8},
    {"whatsapp", 4},
};

static const uint64_t scan_hashes[16] = {
    UINT64_C(0x9300008110b20400), UINT64_C(0xc1000080000049), UINT64_C(0x40a22830a0090446), UINT64_C(0x9090804014500008), UINT64_C(0x80820d0002462400), UINT64_C(0x80100010000405), UINT64_C(0x8000000010000020), UINT64_C(0x8000010200000), UINT64_C(0x8000020200000), UINT64_C(0x80001080000000), UINT64_C(0x8000a000800000), UINT64_C(0x2010000000000400), UINT64_C(0xa01a200002020002), UINT64_C(0x810000000000013), UINT64_C(0x81200000900008), UINT64_C(0xc8000400000a8004)
};

/* count * log2(count), times 65536. */
static const uint32_t scan_weights[] = {
    0, 0, 131072, 311616, 524288, 760849, 1016449, 1287880, 1572864, 1869698,
    2177059, 2493890, 2819329, 3152656, 3493263, 3840630, 4194304, 4553891, 4919044, 5289451,
    5664838, 6044953, 6429573, 6818492, 7211522, 7608494, 8009248, 8413640, 8821535, 9232807,
    9647339, 10065024, 10485760, 10909451, 11336007, 11765344, 12197383, 12632049, 13069271, 13508981,
    13951115, 14395614, 14842418, 15291475, 15742730, 16196134, 16651639, 17109200, 17568773, 18030316,
    18493788, 18959151, 19426369, 19895405, 20366225, 20838795, 21313085, 21789064, 22266701, 22745969,
    23226839, 23709285, 24193281, 24678802, 25165824, 25654323, 26144277, 26635664, 27128462, 27622650,
    28118208, 28615118, 29113359, 29612913, 30113762, 30615890, 31119277, 31623909, 32129769, 32636841,
    33145110, 33654561, 34165179, 34676950, 35189861, 35703897, 36219045, 36735293, 37252627, 37771036,
    38290508, 38811029, 39332590, 39855179, 40378784, 40903395, 41429002, 41955593, 42483159, 43011690,
    43541176, 44071607, 44602975, 45135269, 45668482, 46202603, 46737625, 47273540, 47810337, 48348010,
    48886551, 49425951, 49966203, 50507299, 51049232, 51591994, 52135579, 52679978, 53225186, 53771194,
    54317998, 54865589, 55413962, 55963110, 56513026, 57063705, 57615140, 58167326, 58720256, 59273925,
    59828327, 60383456, 60939307, 61495874, 62053152, 62611135, 63169819, 63729198, 64289268, 64850022,
    65411457, 65973567, 66536347, 67099794, 67663902, 68228666, 68794082, 69360146, 69926853, 70494199,
    71062179, 71630790, 72200027, 72769886, 73340363, 73911454, 74483155, 75055462, 75628371, 76201878,
    76775981, 77350674, 77925954, 78501818, 79078263, 79655283, 80232877, 80811040, 81389770, 81969062,
    82548914, 83129321, 83710282, 84291793, 84873850, 85456450, 86039591, 86623269, 87207481, 87792224,
    88377495, 88963292, 89549611, 90136450, 90723805, 91311674, 91900054, 92488942, 93078337, 93668234,
    94258631, 94849526, 95440916, 96032798, 96625170, 97218030, 97811374, 98405201, 98999508, 99594292,
    100189552, 100785284, 101381487, 101978157, 102575294, 103172894, 103770955, 104369475, 104968452, 105567883,
    106167767, 106768101, 107368883, 107970111, 108571783, 109173897, 109776450, 110379442, 110982869, 111586729,
    112191022, 112795744, 113400894, 114006470, 114612470, 115218892, 115825734, 116432995, 117040672, 117648764,
    118257268, 118866184, 119475509, 120085242, 120695380, 121305922, 121916867, 122528213, 123139957, 123752099,
    124364636, 124977567, 125590890, 126204604, 126818708, 127433198, 128048075, 128663336, 129278980, 129895005,
    130511410, 131128193, 131745352, 132362887, 132980796, 133599076, 134217728,
};

#define SCAN_COUNT(table) (sizeof(table) / sizeof *(table))

uint32_t tally_scan_weight(uint32_t count)
{
    return scan_weights[count];
}

int tally_scan_is_card(uint32_t first_six, uint32_t digits)
{
    for (size_t i = 0; i < SCAN_COUNT(scan_cards); i++) {
        if (first_six >= scan_cards[i].first && first_six <= scan_cards[i].last &&
            (scan_cards[i].sizes >> digits & 1) != 0) {
            return 1;
        }
    }
    return 0;
}

const scan_national *tally_scan_national(size_t index)
{
    return index < SCAN_COUNT(scan_nationals) ? &scan_nationals[index] : NULL;
}

const scan_key *tally_scan_key(size_t index)
{
    return index < SCAN_COUNT(scan_keys) ? &scan_keys[index] : NULL;
}

uint32_t tally_scan_word(const uint8_t *word, size_t size)
{
    char text[SCAN_WORD_MOST + 1];
    /* With bit 5 letters are in lower case, and digits as they were. */
    const uint32_t hash = ((word[0] | 0x20U) + (word[1] | 0x20U) * 8 +
                           (word[size - 1] | 0x20U) * 64 + (uint32_t)size * 3) %
                          1024;
    if (size > SCAN_WORD_MOST || (scan_hashes[hash / 64] >> (hash % 64) & 1) == 0) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)(word[i] | 0x20);
    }
    text[size] = '\0';
    for (size_t low = 0, high = SCAN_COUNT(scan_words); low < high;) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(scan_words[middle].text, text);
        if (order == 0) {
            return scan_words[middle].contexts;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return 0;
}

/* ---- core/scan/numbers.c ---- */
/*
 * Numbers with a check: cards, IBANs, national identifiers, phone numbers. The formats of the library
 * check them; here is what may stand around and inside them. */

/* ---- core/columns/luhn.h ---- */
/*
 * The Luhn formula (ISO/IEC 7812-1, annex B), for one digit at any place. */
#ifndef TALLY_COLUMNS_LUHN_H
#define TALLY_COLUMNS_LUHN_H

/* The one value of digits[place] with which all `count` digits satisfy the formula. */
uint8_t tally_luhn_digit(const uint8_t *digits, size_t count, size_t place);

/* The digit that makes a number valid. `sum` is that of the other digits, of which the formula
 * doubles some; is_doubled: it doubles this digit too. */
uint8_t tally_luhn_digit_for(uint32_t sum, int is_doubled);

#endif

/* ---- core/formats/layouts.h ---- */
/*
 * Layouts: how values of one width are made of characters that stay, fields that change and check
 * characters (docs/reference/tokens.md, "Layouts"). A format has one or more of them. A value has
 * at most one, and its token has the same.
 *
 * Rows are worked on in blocks of 64 with the characters of a place side by side. */
#ifndef TALLY_FORMATS_LAYOUTS_H
#define TALLY_FORMATS_LAYOUTS_H

/* ---- core/numbers/mixed.h ---- */
/*
 * Numbers of mixed radix at work, on digits and symbols that are known to fit: no branch and no
 * address depends on them. */
#ifndef TALLY_NUMBERS_MIXED_H
#define TALLY_NUMBERS_MIXED_H

/* ---- core/base/dispatch.h ---- */
/*
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. It may be NULL, where a module has other code for
 * every CPU. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that needs no CPU features but these, or else the last one. Cast the
 * result to the module's struct. */
static inline const tally_backend *tally_dispatch_within(const tally_backend *const table[],
                                                         size_t count, uint32_t features)
{
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

/* The first back end of a table that lacks nothing. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    return tally_dispatch_within(table, count, tally_cpu_features());
}

#endif

enum {
    TALLY_MIXED_MAX_POSITIONS = 64,
    TALLY_MIXED_MAX_SIZE = 65536,
    TALLY_MIXED_MAX_LENGTH = 32,                    /* symbols of a word, at most */
    TALLY_MIXED_LIMBS = TALLY_MIXED_MAX_LENGTH / 2, /* of 16 bits */
    TALLY_MIXED_WIDE = 35,                          /* bits of a wide limb */
    TALLY_MIXED_RUNS = 31, /* at most: two neighbours multiply to more than 2^16 */
    TALLY_MIXED_ROWS = 64  /* rows of a block, side by side */
};

/* Numbers of mixed radix: position i holds a digit below sizes[i], most significant first. They
 * represent 0 .. N - 1, where N, the product of the sizes, is 2..2^256. */
typedef struct tally_mixed {
    const uint32_t *sizes; /* 1..TALLY_MIXED_MAX_SIZE each */
    uint32_t positions;    /* 1..TALLY_MIXED_MAX_POSITIONS */
} tally_mixed;

/* How numbers of 16 bits are divided by one of 2..2^16, by products: the upper half h of x *
 * inverse, or of 16 bits more, (x - h) / 2 + h, shifted. */
typedef struct tally_mixed_divisor {
    uint16_t inverse;
    uint8_t shift, is_longer; /* whether the inverse has 17 bits, of which the first is not there */
} tally_mixed_divisor;

/* Neighbouring positions whose sizes multiply to at most 2^16: one digit of the long arithmetic. The
 * quotient of 35 bits behind a rest: the bits from 52 on of x * inverse, shifted. */
typedef struct tally_mixed_run {
    uint64_t inverse;
    uint32_t size;
    uint8_t shift;
    uint8_t top; /* the highest bit of the greatest number of its positions and those before it */
    uint8_t first, positions;
} tally_mixed_run;

/* Numbers that depend on the sizes. Formats have many of them, so it is small. Words that carry the
 * numbers have the least length from 2 on with 256^length >= N, then the least radix from 4 on with
 * radix^length >= N: the rule of tally_fast_range_params for any N. */
typedef struct tally_mixed_plan {
    uint16_t last[TALLY_MIXED_LIMBS]; /* the greatest number, the product of the sizes less 1 */
    uint32_t radix, length, pairs;    /* symbols are worked on two by two */
    uint32_t positions, sizes[TALLY_MIXED_MAX_POSITIONS];
    uint32_t runs;
    tally_mixed_divisor by_size[TALLY_MIXED_MAX_POSITIONS], by_radix;
    tally_mixed_run run[TALLY_MIXED_RUNS], pair; /* of symbols, of which the size is used */
    uint8_t reach[TALLY_MIXED_LIMBS]; /* the highest bit of the greatest number of pairs 0..i */
} tally_mixed_plan;

/* The digits of a block: those of a position side by side. */
typedef uint16_t tally_mixed_digits[TALLY_MIXED_MAX_POSITIONS][TALLY_MIXED_ROWS];

typedef struct tally_mixed_lanes {
    tally_backend backend;
    /* The numbers of `rows` rows, 1..TALLY_MIXED_ROWS, become words: symbol s of row i goes to
     * symbols[s * stride + i]. All rows up to TALLY_MIXED_ROWS may be read, so that their digits
     * must have been written once, and written. */
    void (*write)(const tally_mixed_plan *plan, tally_mixed_digits digits, size_t rows,
                  uint8_t *symbols, size_t stride);
    /* The inverse. outside[i] is 1 if word i is no number of the plan, and its digits are 0. */
    void (*read)(const tally_mixed_plan *plan, const uint8_t *symbols, size_t stride, size_t rows,
                 tally_mixed_digits digits, uint8_t outside[TALLY_MIXED_ROWS]);
} tally_mixed_lanes;

/* TALLY_ERROR_ARGUMENT: a field is outside its range, or N is 1. TALLY_ERROR_LENGTH: N is above
 * 2^256. */
tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out);

/* The fastest back end for the CPU features in use. */
const tally_mixed_lanes *tally_mixed_lanes_choose(void);

extern const tally_mixed_lanes tally_mixed_ifma, tally_mixed_avx512, tally_mixed_avx2,
    tally_mixed_portable;

#endif

enum {
    TALLY_LAYOUTS = 256,      /* of a pattern, at most */
    TALLY_LAYOUT_WIDTH = 256, /* characters of a value, at most */
    TALLY_LAYOUT_CHECKS = 2,
    TALLY_LAYOUT_ROWS = TALLY_MIXED_ROWS,
    TALLY_LAYOUT_RANGES = 48, /* of a set of printable characters, at most */
    TALLY_LAYOUT_PLANS = 64,
    TALLY_LIST_WIDTH = 8,
    TALLY_LIST_TAIL = 3 /* characters at the end of a list's texts, at most */
};

/* Characters first .. first + count - 1, which have the digits from `base` on. */
typedef struct tally_layout_range {
    uint8_t first, count, base;
} tally_layout_range;

/* A set of printable ASCII characters, as bits. */
typedef struct tally_characters {
    uint64_t bits[2];
} tally_characters;

/* The texts of a field of several characters, in the order of their bytes. A text is a head, which
 * has a number, and a tail of at most three characters, which the head's set of tails has. */
typedef struct tally_list {
    uint8_t code[TALLY_LIST_WIDTH][256]; /* the number of a character among those of its place;
                                          * 0xff: none */
    uint16_t codes[TALLY_LIST_WIDTH];
    uint32_t head;       /* characters of a head */
    uint32_t heads;      /* how many */
    uint32_t tails;      /* combinations of characters of a tail */
    uint16_t *head_of;   /* by a head's codes: its number plus one, or 0 */
    uint32_t *first;     /* of heads + 1: the digit of a head's first text */
    uint8_t *head_text;  /* TALLY_LIST_WIDTH bytes a head */
    uint8_t *set_of;     /* the set of a head's tails */
    uint16_t *offset_of; /* by set and a tail's codes: its place in the set plus one, or 0 */
    uint8_t *tail_text;  /* by set and place: TALLY_LIST_TAIL bytes */
    uint16_t *head_at;   /* by digit / 16: the head of digit - digit % 16 */
} tally_list;

/* Some of the numbers 000 to 999. */
typedef struct tally_prefixes {
    uint16_t digit[1000]; /* of a number; 0xffff: it is none of them */
    uint16_t number[];
} tally_prefixes;

/* The characters of a field. */
typedef struct tally_choices {
    const struct tally_choices *before; /* made before them */
    uint32_t size;                      /* how many, at most 65535 */
    uint32_t width;                     /* characters of each */
    uint32_t ranges;
    tally_layout_range range[TALLY_LAYOUT_RANGES]; /* if the width is 1 */
    tally_characters characters[TALLY_LIST_WIDTH]; /* by place */
    tally_list *list;                              /* if the width is more, */
    tally_prefixes *prefixes;                      /* or instead, for three digits */
} tally_choices;

/* One part of a layout: a literal (the character), choices, or a check character (neither). */
typedef struct tally_layout_part {
    const tally_choices *choices;
    uint8_t literal;
} tally_layout_part;

typedef struct tally_layout_field {
    const tally_choices *choices;
    uint32_t place;
} tally_layout_field;

typedef struct tally_layout_literal {
    uint8_t place, character;
} tally_layout_literal;

typedef struct tally_layout {
    uint32_t width;
    uint32_t literals, fields, checks, symbols;
    const tally_layout_literal *literal;
    const tally_layout_field *field; /* the first weighs most */
    const uint8_t *symbol;           /* the places of all characters of fields */
    uint8_t check[TALLY_LAYOUT_CHECKS];
    uint32_t check_rule; /* a tally_check_rule */
    uint16_t root;       /* TALLY_CHECK_PHONE: of its plan */
    uint16_t in_plan;    /* whether numbers are those of the plan, or those that can be assigned */
    uint32_t kept_size;  /* bytes of a value that are part of its tweak */
    uint8_t kept[32];
    uint64_t size; /* how many values; UINT64_MAX: that many or more */
    const tally_mixed_plan *plan;
    tally_fast_params params;
} tally_layout;

/* Values of one width: which of their layouts it is, which some places decide. */
typedef struct tally_layouts_width {
    uint32_t count; /* layouts */
    uint32_t words; /* of 64 bits that have a bit for each layout */
    uint32_t places;
    const uint16_t *layout;
    const uint8_t *place;
    const uint64_t *possible; /* [places][128][words]: the layouts that allow a character there */
} tally_layouts_width;

/* Memory that is released in one. */
typedef struct tally_arena {
    const tally_allocator *allocator;
    size_t piece; /* bytes that it takes at once; 0: 16 kB */
    struct tally_arena_piece *last;
} tally_arena;

/* `size` zeroed bytes, aligned for any object; NULL: there is no memory. */
void *tally_arena_allocate(tally_arena *arena, size_t size);
void tally_arena_release(tally_arena *arena);

typedef struct tally_layouts {
    tally_arena arena;
    const tally_choices *last;                            /* of one character each */
    const tally_choices *prefixes[TALLY_LAYOUT_PLANS];    /* by a hash */
    struct tally_layouts_plan *plans[TALLY_LAYOUT_PLANS]; /* by a hash of their sizes */
    uint32_t most, count, most_kept;
    tally_layout *layout;                               /* of `most` */
    tally_layouts_width *width[TALLY_LAYOUT_WIDTH + 1]; /* NULL: no value has it */
} tally_layouts;

/* Begins an empty set of at most `most` layouts; NULL: there is no memory. Release it with
 * tally_layouts_free. */
tally_layouts *tally_layouts_new(const tally_allocator *allocator, uint32_t most);
void tally_layouts_free(tally_layouts *layouts);

/* Choices of one character each; equal ones are made once. NULL: there is no memory. */
const tally_choices *tally_layouts_choose(tally_layouts *layouts, tally_characters characters);

/* Choices of texts of one width of 2..8, given in the order of their bytes: text i is the low
 * `width` bytes of texts[i], most significant first. Tails have `tail` characters. NULL: there is
 * no memory, or the texts have too many heads or sets of tails. */
const tally_choices *tally_layouts_list(tally_layouts *layouts, const uint64_t *texts, size_t count,
                                        uint32_t width, uint32_t tail);

/* Choices of three digits: the numbers whose `chosen` is not 0. Equal ones are made once. NULL: there
 * is no memory. */
const tally_choices *tally_layouts_prefixes(tally_layouts *layouts, const uint8_t chosen[1000]);

/* Appends a layout of parts, whose width is at most TALLY_LAYOUT_WIDTH and which has at most
 * TALLY_MIXED_MAX_POSITIONS fields. TALLY_ERROR_MEMORY; TALLY_ERROR_LENGTH: it has no field, too
 * many, or more than 2^256 values. */
tally_status tally_layouts_add(tally_layouts *layouts, const tally_layout_part *parts, size_t count,
                               uint32_t check_rule, const uint8_t *kept, size_t kept_size);

/* Finds two layouts of which a value could be: returns 1 and their numbers, the first pair. */
int tally_layouts_overlap(const tally_layouts *layouts, uint32_t *first, uint32_t *second);

/* Makes the tables that find a value's layout. TALLY_ERROR_MEMORY. */
tally_status tally_layouts_final(tally_layouts *layouts);

/* Sets the smallest domain and the work of a format with these layouts. */
void tally_layouts_describe(const tally_layouts *layouts, tally_format *format);

/* Why a value is invalid, without a key. */
tally_reason tally_layouts_reason(const tally_layouts *layouts, const uint8_t *value, size_t size);

/* The functions of a class whose format->own is a tally_layouts. */
tally_status tally_layouts_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_layouts_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_layouts_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                             tally_domain *out);
size_t tally_layouts_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size);
void tally_layouts_destroy(tally_format *format);

static inline int tally_characters_have(const tally_characters *set, uint32_t character)
{
    return character < 128 && (set->bits[character / 64] >> (character % 64) & 1) != 0;
}

static inline void tally_characters_add(tally_characters *set, uint32_t character)
{
    set->bits[character / 64] |= UINT64_C(1) << (character % 64);
}

#endif

/* ---- core/formats/phone.h ---- */
/*
 * The digits of phone numbers in texts. */
#ifndef TALLY_FORMATS_PHONE_H
#define TALLY_FORMATS_PHONE_H

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

/* A module of WebAssembly has SIMD128 as a whole or not at all: there is nothing to detect. */
#if defined(__wasm_simd128__)
#define TALLY_ARCH_WASM_SIMD128 1
#endif

#endif

/* ---- core/formats/phone_plans.h ---- */
/*
 * Which national numbers there are behind each calling code. */
#ifndef TALLY_FORMATS_PHONE_PLANS_H
#define TALLY_FORMATS_PHONE_PLANS_H

/* ---- core/base/unroll.h ---- */
/*
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

enum {
    TALLY_PHONE_PLANS = 559,
    TALLY_PHONE_REGIONS = 245,
    TALLY_PHONE_DEPTH = 6,  /* digits that decide a number's plan, at most */
    TALLY_PHONE_DIGITS = 15 /* of a number with its calling code, at most */
};

/* Whether a number is one of its plan: its first digits lead from the plan's root through rows of
 * ten to the row at 10 (it is) or at 0, from which no digit leads away. */
extern const uint16_t tally_phone_nodes[];

/* Returns 1 or 0 for the number whose digits, as characters, are `stride` bytes apart; there are
 * TALLY_PHONE_DEPTH characters. Those that are no digits give any result. */
static inline uint16_t tally_phone_in_plan(uint16_t root, const uint8_t *text, size_t stride)
{
    uint32_t node = root;
    TALLY_UNROLL(6)
    for (size_t i = 0; i < TALLY_PHONE_DEPTH; i++) { /* without a branch on a digit */
        const uint32_t digit = (uint32_t)(text[i * stride] - '0') & 15;
        node = tally_phone_nodes[node + (digit < 10 ? digit : 9)];
    }
    return node != 0;
}

/* The national numbers of one size behind one calling code. Those that are of the plan and those
 * that are not are two classes: class 0 is of the plan, class 1 is not. */
typedef struct tally_phone_plan {
    uint16_t code;
    uint8_t size; /* digits */
    uint8_t zero; /* whether numbers may begin with one 0; else none does, and none with 00 here */
    uint16_t root;
    uint64_t numbers[2];
} tally_phone_plan;

extern const tally_phone_plan tally_phone_plans[TALLY_PHONE_PLANS];

/* A region, by its letters of ISO 3166: its calling code, and what comes before national numbers
 * within it. */
typedef struct tally_phone_region {
    char name[3], trunk[4];
    uint16_t code;
} tally_phone_region;

extern const tally_phone_region tally_phone_regions[TALLY_PHONE_REGIONS];

#endif

enum {
    TALLY_PHONE_LAYOUTS = 2 * TALLY_PHONE_PLANS, /* one for each class of a plan */
    TALLY_PHONE_WORK = 195,                      /* layers of FAST of any of them, at most */
    TALLY_PHONE_SLOT = 16,                       /* bytes of a number's national digits */
    TALLY_PHONE_MOST = 18 /* digits of a text before its extension: 00 or 011, too */
};

/* The digits of a text. */
typedef struct tally_phone_text {
    uint8_t digit[64]; /* as characters, zeros behind them */
    uint32_t digits;
    uint32_t international; /* whether it begins with + */
    uint32_t zero;          /* the first digit that is written "(0)"; TALLY_PHONE_MOST: none is */
    uint64_t places;        /* of the digits, as bits; 0: they are not known */
} tally_phone_text;

/* With vectors. Texts that are short and have no extension are read at once. */
typedef struct tally_phone_vectors {
    tally_backend backend;
    /* Returns 0 if the text is another one. */
    int (*read)(const uint8_t *text, size_t size, tally_phone_text *out);
    /* The places of `size` digits from digit `skip` on. */
    uint64_t (*choose)(uint64_t places, uint32_t skip, uint32_t size);
    void (*write)(uint64_t places, const uint8_t digits[TALLY_PHONE_SLOT], uint8_t *text);
} tally_phone_vectors;

extern const tally_phone_vectors tally_phone_avx512;

/* The layout of class number % 2 of plan number / 2, which stays with the format; NULL: the class is
 * empty, or there is no memory. */
const tally_layout *tally_phone_layout(const tally_format *format, size_t number);

/* Whether a text is a number of the plan of its calling code, for a format with a country. */
int tally_phone_is_planned(const tally_format *format, const uint8_t *text, size_t size);

#endif

enum {
    NUMBERS_CARD_MOST = 19, /* digits */
    NUMBERS_ID_LEAST = 9,   /* letters and digits of a national identifier */
    NUMBERS_ID_MOST = 16,
    NUMBERS_ID_WIDTH = SCAN_WIDTHS - 1,
    NUMBERS_IBAN_LEAST = 15,
    NUMBERS_IBAN_MOST = 42, /* with spaces */
    NUMBERS_PHONE_LEAST = 8,
    NUMBERS_PHONE_MOST = 15, /* digits */
    NUMBERS_PHONE_WIDTH = 32
};

static int numbers_is_digit(uint8_t byte)
{
    return scan_is(byte, SCAN_DIGIT);
}

/* Whether a number goes on before a place: 1.5, 1,5, 2-5. */
static int numbers_is_joined(const uint8_t *at)
{
    return scan_is(at[-1], SCAN_JOINT) && scan_is(at[-2], SCAN_WORD);
}

/* Whether a number goes on behind it. */
static int numbers_goes_on(const uint8_t *end)
{
    return scan_is(*end, SCAN_WORD) || (scan_is(*end, SCAN_JOINT) && numbers_is_digit(end[1]));
}

/* `size` bytes with `digits` digits. */
static void numbers_card(tally_scanner *s, const uint8_t *at, size_t size)
{
    uint8_t digit[NUMBERS_CARD_MOST];
    uint32_t first_six = 0, digits = 0;
    for (size_t i = 0; i < size; i++) {
        if (numbers_is_digit(at[i])) {
            digit[digits] = at[i] - '0';
            first_six = digits < 6 ? first_six * 10 + digit[digits] : first_six;
            digits++;
        }
    }
    s->steps += size;
    if (tally_scan_is_card(first_six, digits) &&
        tally_luhn_digit(digit, digits, digits - 1) == digit[digits - 1]) {
        uint32_t certainty = size > digits  ? TALLY_SCAN_STRONG
                             : digits >= 15 ? TALLY_SCAN_FAIR
                                            : TALLY_SCAN_WEAK;
        if (certainty < TALLY_SCAN_STRONG && (tally_scan_context(s, at) & SCAN_CONTEXT_CARD) != 0) {
            certainty++;
        }
        tally_scan_add(s, at, size, TALLY_SCAN_CARD, TALLY_SCAN_CARD, certainty);
    }
}

/* The digits of a group at a place. */
static size_t numbers_group(const uint8_t *at, size_t most)
{
    size_t size = 0;
    while (size < most && numbers_is_digit(at[size])) {
        size++;
    }
    return size;
}

/* Groups as cards have them: 4-4-4-4, 4-4-4-4-3, 4-6-5, 4-6-4, 4-4-5. */
static void numbers_card_groups(tally_scanner *s, const uint8_t *at)
{
    static const uint8_t layouts[][6] = {{4, 4, 4, 4, 3, 0},
                                         {4, 4, 4, 4, 0, 0},
                                         {4, 6, 5, 0, 0, 0},
                                         {4, 6, 4, 0, 0, 0},
                                         {4, 4, 5, 0, 0, 0}};
    const uint8_t separator = at[4];
    if (at[-1] == separator && numbers_is_digit(at[-2]) && numbers_is_digit(at[-3]) &&
        scan_is(at[-4], SCAN_CAPITAL) && scan_is(at[-5], SCAN_CAPITAL) &&
        !scan_is(at[-6], SCAN_WORD)) { /* a group of four comes before it, as in an IBAN */
        return;
    }
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        size_t size = 0, group = 0;
        while (layouts[i][group] != 0) {
            if (group > 0 && at[size++] != separator) {
                break;
            }
            if (numbers_group(at + size, 7) != layouts[i][group]) {
                break;
            }
            size += layouts[i][group++];
        }
        s->steps += size;
        if (layouts[i][group] == 0 && !numbers_goes_on(at + size)) {
            numbers_card(s, at, size);
        }
    }
}

/* A national identifier of one width, of some kinds. */
static void numbers_id(tally_scanner *s, const uint8_t *at, size_t size, size_t gaps,
                       int punctuated, uint32_t kinds)
{
    const tally_scan_rules *rules = s->rules;
    kinds &= gaps < SCAN_GAPS ? rules->of_shape[size][gaps] : 0;
    if (kinds == 0) {
        return;
    }
    /* The words before it are looked at first: they cost less than checks that they make useless. */
    const uint32_t more = (tally_scan_context(s, at) & SCAN_CONTEXT_NATIONAL_ID) != 0;
    kinds &= more != 0 ? rules->with_word[punctuated] : rules->certain[punctuated];
    for (uint32_t i = 0; kinds != 0; i++, kinds >>= 1) {
        s->steps += size * (kinds & 1);
        if ((kinds & 1) != 0 &&
            tally_layouts_reason(rules->national[i]->own, at, size) == TALLY_REASON_NONE) {
            const uint32_t certainty = tally_scan_national(i)->certainty[punctuated] + more;
            tally_scan_add(s, at, size, TALLY_SCAN_NATIONAL_ID, TALLY_SCAN_KINDS + i,
                           certainty < TALLY_SCAN_STRONG ? certainty : TALLY_SCAN_STRONG);
        }
    }
}

/* Whether the least that a national identifier has may be one. Without branches: in logs each number
 * has other neighbors. */
static int numbers_may_be_id(const uint8_t *at)
{
    uint32_t other = 0;
    for (size_t i = 0; i < NUMBERS_ID_LEAST; i++) {
        other |= !scan_is(at[i], SCAN_CAPITAL | SCAN_GAP);
    }
    return other == 0;
}

/* National identifiers that begin here: each end before a space is tried. */
static void numbers_ids(tally_scanner *s, const uint8_t *at)
{
    size_t count = 0, size = 0;
    uint32_t kinds = UINT32_MAX;
    int punctuated = 0;
    s->steps += SCAN_WIDTHS;
    if (!numbers_may_be_id(at) || numbers_is_joined(at)) {
        return;
    }
    while (size < NUMBERS_ID_WIDTH && count <= NUMBERS_ID_MOST) {
        if (scan_is(at[size], SCAN_CAPITAL)) {
            count++;
        } else if (scan_is(at[size], SCAN_GAP) && size > 0 && scan_is(at[size - 1], SCAN_CAPITAL) &&
                   scan_is(at[size + 1], SCAN_CAPITAL)) {
            if (at[size] == ' ' && count >= NUMBERS_ID_LEAST) {
                numbers_id(s, at, size, size - count, punctuated, kinds);
            }
            punctuated |= at[size] != ' ';
            kinds &= s->rules->of_gap[size][at[size] & 7];
            if (kinds == 0) {
                return;
            }
        } else {
            break;
        }
        size++;
    }
    if (count >= NUMBERS_ID_LEAST && count <= NUMBERS_ID_MOST && size < SCAN_WIDTHS &&
        !numbers_goes_on(at + size)) {
        numbers_id(s, at, size, size - count, punctuated, kinds);
    }
}

static void numbers_iban_of(tally_scanner *s, const uint8_t *at, size_t size)
{
    s->steps += size;
    if (tally_layouts_reason(s->rules->iban->own, at, size) == TALLY_REASON_NONE) {
        tally_scan_add(s, at, size, TALLY_SCAN_IBAN, TALLY_SCAN_IBAN, TALLY_SCAN_STRONG);
    }
}

static void numbers_iban(tally_scanner *s, const uint8_t *at)
{
    size_t size = 0;
    const int spaced = at[4] == ' ';
    while (size < NUMBERS_IBAN_MOST) {
        const int gap = spaced && size % 5 == 4;
        if (gap ? at[size] != ' ' : !scan_is(at[size], SCAN_CAPITAL)) {
            break;
        }
        if (gap && size >= NUMBERS_IBAN_LEAST) {
            numbers_iban_of(s, at, size);
        }
        size++;
    }
    s->steps += size;
    if (size >= NUMBERS_IBAN_LEAST && !numbers_goes_on(at + size)) {
        numbers_iban_of(s, at, size);
    }
}

void tally_scan_number(tally_scanner *s, const uint8_t *at, size_t run)
{
    s->steps += run;
    if (run <= 3 && at[run] == '.') {
        tally_scan_ipv4(s, at);
    }
    if (scan_wants(s, TALLY_SCAN_CARD) && !numbers_is_joined(at)) {
        if (run >= 12 && run <= NUMBERS_CARD_MOST && !numbers_goes_on(at + run)) {
            numbers_card(s, at, run);
        } else if (run == 4 && (at[4] == ' ' || at[4] == '-') && numbers_is_digit(at[5]) &&
                   numbers_is_digit(at[7])) { /* no date */
            numbers_card_groups(s, at);
        }
    }
    if (scan_wants(s, TALLY_SCAN_NATIONAL_ID) && run <= NUMBERS_ID_MOST &&
        (run >= NUMBERS_ID_LEAST || scan_is(at[run], SCAN_GAP | SCAN_CAPITAL))) {
        numbers_ids(s, at);
    }
}

void tally_scan_letters(tally_scanner *s, const uint8_t *at)
{
    if (at[0] < 'A' || at[0] > 'Z') {
        return;
    }
    if (scan_is(at[1], SCAN_CAPITAL) && numbers_is_digit(at[2]) && numbers_is_digit(at[3]) &&
        scan_wants(s, TALLY_SCAN_IBAN)) {
        numbers_iban(s, at);
    }
    /* NIE, and codice fiscale: the only ones that begin with a letter. */
    if (((at[0] >= 'X' && at[0] <= 'Z') || (numbers_is_digit(at[6]) && numbers_is_digit(at[7]))) &&
        scan_wants(s, TALLY_SCAN_NATIONAL_ID)) {
        numbers_ids(s, at);
    }
}

void tally_scan_plus(tally_scanner *s, const uint8_t *at)
{
    size_t digits = 0, end[NUMBERS_PHONE_WIDTH], ends = 0, size = 1;
    if (!numbers_is_digit(at[1]) || scan_is(at[-1], SCAN_BASE64) ||
        !scan_wants(s, TALLY_SCAN_PHONE)) {
        return;
    }
    for (; size < NUMBERS_PHONE_WIDTH && digits <= NUMBERS_PHONE_MOST; size++) {
        if (numbers_is_digit(at[size])) {
            digits++;
            if (digits >= NUMBERS_PHONE_LEAST && !scan_is(at[size + 1], SCAN_WORD)) {
                end[ends++] = size + 1;
            }
        } else if (!scan_one_of(" -.()/", at[size]) ||
                   (!numbers_is_digit(at[size + 1]) && at[size + 1] != '(' &&
                    !(at[size] == ')' && scan_one_of(" -./", at[size + 1])))) {
            break;
        }
    }
    s->steps += size;
    while (ends-- > 0) {
        s->steps += end[ends];
        if (tally_phone_is_planned(s->rules->phone, at, end[ends])) {
            const uint32_t context = tally_scan_context(s, at) & SCAN_CONTEXT_PHONE;
            tally_scan_add(s, at, end[ends], TALLY_SCAN_PHONE, TALLY_SCAN_PHONE,
                           context != 0 ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
            return;
        }
    }
}

/* ---- core/scan/patterns.c ---- */
/*
 * Patterns: characters and classes, each repeated within bounds. A match takes as many characters of
 * an item as it can and never gives one back, so it reads each byte once. */

/* A position in the text of a pattern. */
typedef struct scan_cursor {
    const char *at, *end;
    const char *why;
} scan_cursor;

static void scan_item_add(scan_item *item, uint32_t first, uint32_t last)
{
    for (uint32_t byte = first; byte <= last; byte++) {
        item->bytes[byte / 64] |= UINT64_C(1) << (byte % 64);
    }
}

/* One character, which \ may stand before; 0: there is none. */
static uint8_t scan_read_character(scan_cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '\\') {
        cursor->at++;
    }
    if (cursor->at == cursor->end || (uint8_t)*cursor->at < 0x20 || (uint8_t)*cursor->at >= 0x7f) {
        cursor->why = "a pattern has printable ASCII characters alone, and one behind each \\";
        return 0;
    }
    return (uint8_t)*cursor->at++;
}

static void scan_read_class(scan_cursor *cursor, scan_item *item)
{
    const char *begin = ++cursor->at;
    while (cursor->why == NULL && cursor->at < cursor->end && *cursor->at != ']') {
        const uint8_t first = scan_read_character(cursor);
        uint8_t last = first;
        if (cursor->end - cursor->at >= 2 && cursor->at[0] == '-' && cursor->at[1] != ']') {
            cursor->at++;
            last = scan_read_character(cursor);
        }
        if (cursor->why == NULL && last < first) {
            cursor->why = "a range of a class ends before it begins";
        }
        if (cursor->why == NULL) {
            scan_item_add(item, first, last);
        }
    }
    if (cursor->why == NULL && (cursor->at == cursor->end || cursor->at == begin)) {
        cursor->why = "a class is empty, or has no ]";
    }
    cursor->at++;
}

static uint32_t scan_read_number(scan_cursor *cursor)
{
    uint32_t number = 0;
    const char *begin = cursor->at;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9' &&
           number <= TALLY_SCAN_MAX_PATTERN) {
        number = number * 10 + (uint32_t)(*cursor->at++ - '0');
    }
    if (cursor->at == begin || number > TALLY_SCAN_MAX_PATTERN) {
        cursor->why = "braces hold one or two numbers up to 1024: {6} or {4,8}";
    }
    return number;
}

static void scan_read_count(scan_cursor *cursor, scan_item *item)
{
    item->least = item->most = 1;
    if (cursor->at < cursor->end && *cursor->at == '?') {
        item->least = 0;
        cursor->at++;
    } else if (cursor->at < cursor->end && *cursor->at == '{') {
        cursor->at++;
        item->least = item->most = (uint16_t)scan_read_number(cursor);
        if (cursor->why == NULL && cursor->at < cursor->end && *cursor->at == ',') {
            cursor->at++;
            item->most = (uint16_t)scan_read_number(cursor);
        }
        if (cursor->why == NULL && (cursor->at == cursor->end || *cursor->at++ != '}' ||
                                    item->most < item->least || item->most == 0)) {
            cursor->why = "braces hold one or two numbers up to 1024: {6} or {4,8}";
        }
    }
}

size_t tally_scan_parse(const char *text, size_t size, scan_item *items, const char **why)
{
    scan_cursor cursor = {text, text + size, NULL};
    size_t count = 0, longest = 0;
    while (cursor.at < cursor.end && cursor.why == NULL) {
        if (count == TALLY_SCAN_MAX_ITEMS) {
            cursor.why = "a pattern has at most 64 characters and classes";
            break;
        }
        scan_item *item = &items[count++];
        memset(item, 0, sizeof *item);
        if (*cursor.at == '[') {
            scan_read_class(&cursor, item);
        } else if (strchr("{}]?*+()|^$", *cursor.at) != NULL) {
            cursor.why = "put \\ before { } ] ? * + ( ) | ^ $ if the character itself is meant";
        } else {
            const uint8_t character = scan_read_character(&cursor);
            scan_item_add(item, character, character);
        }
        if (cursor.why == NULL) {
            scan_read_count(&cursor, item);
            longest += item->most;
        }
    }
    if (cursor.why == NULL && longest > TALLY_SCAN_MAX_PATTERN) {
        cursor.why = "a pattern matches at most 1024 characters";
    }
    if (cursor.why == NULL &&
        (count < 2 || items[0].least != 1 || items[0].most != 1 || items[1].least == 0)) {
        cursor.why = "a pattern begins with two characters or classes, and the first has no count";
    }
    for (uint32_t byte = 0; byte < 128 && cursor.why == NULL; byte++) {
        if (scan_item_has(&items[0], (uint8_t)byte) && !scan_is((uint8_t)byte, SCAN_WORD)) {
            cursor.why = "a pattern begins with a letter, a digit or _";
        }
    }
    *why = cursor.why;
    return cursor.why == NULL ? count : 0;
}

size_t tally_scan_match(const scan_pattern *pattern, const uint8_t *at, uint64_t *steps)
{
    const uint8_t *begin = at;
    for (uint32_t i = 0; i < pattern->items; i++) {
        const scan_item *item = &pattern->item[i];
        uint32_t count = 0;
        while (count < item->most && scan_item_has(item, at[count])) {
            count++;
        }
        at += count;
        if (count < item->least) {
            *steps += (uint64_t)(at - begin) + 1;
            return 0;
        }
    }
    *steps += (uint64_t)(at - begin) + 1;
    return (size_t)(at - begin);
}

int tally_scan_crc32(const uint8_t *at, size_t size)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const uint8_t *begin = memchr(at, '_', size), *end = at + size - 6;
    uint32_t crc = UINT32_MAX;
    if (begin == NULL || begin >= end) {
        return 0;
    }
    for (begin++; begin < end; begin++) {
        crc ^= *begin;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
        }
    }
    crc = ~crc;
    for (int i = 5; i >= 0; i--, crc /= 62) {
        if (end[i] != (uint8_t)digits[crc % 62]) {
            return 0;
        }
    }
    return 1;
}

/* ---- core/scan/rules.c ---- */
/*
 * Rules from their description in JSON. */

/* ---- core/base/allocator.h ---- */
/*
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif

/* ---- core/base/sort.h ---- */
/*
 * Sorting of pointers in place, in a time that no order of them makes long. Equal ones may change
 * places. */
#ifndef TALLY_BASE_SORT_H
#define TALLY_BASE_SORT_H

/* As strcmp: below 0 if a comes before b, 0 if they are equal. */
typedef int tally_compare(const void *a, const void *b);

void tally_sort(const void **items, size_t count, tally_compare *compare);

/* The first of sorted items that does not come before `wanted`; `count` if there is none. */
size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare);

#endif

static const char *const scan_kinds[TALLY_SCAN_KINDS] = {
    "card", "iban", "national_id", "email", "phone", "ipv4",    "ipv6", "mac",
    "uuid", "jwt",  "pem",         "url",   "key",   "entropy", "list", "pattern"};

static const char *const scan_certainties[] = {"weak", "fair", "strong"};

const char *tally_scan_kind_name(uint32_t kind)
{
    return kind < TALLY_SCAN_KINDS ? scan_kinds[kind] : NULL;
}

const char *tally_scan_rule_name(const tally_scan_rules *rules, uint32_t rule)
{
    if (rule < TALLY_SCAN_KINDS) {
        return scan_kinds[rule];
    }
    if (rule < rules->first_key) {
        return tally_scan_national(rule - TALLY_SCAN_KINDS)->name;
    }
    if (rule < rules->first_own) {
        return tally_scan_key(rule - rules->first_key)->name;
    }
    return rule - rules->first_own < rules->names ? rules->name[rule - rules->first_own] : NULL;
}

static const tally_allocator *scan_allocator(const tally_scan_rules *rules)
{
    return rules->has_allocator ? &rules->allocator : NULL;
}

static tally_status scan_refuse(tally_problem *problem, const char *place, const char *name,
                                size_t size, const char *text)
{
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, text);
    tally_writer_init(&out, problem->place, sizeof problem->place);
    tally_write(&out, place);
    if (name != NULL) {
        tally_write_path(&out, name, size);
    }
    return TALLY_ERROR_PROBLEM;
}

void tally_scan_rules_free(tally_scan_rules *rules)
{
    if (rules == NULL) {
        return;
    }
    const tally_allocator copy = rules->allocator;
    const tally_allocator *allocator = rules->has_allocator ? &copy : NULL;
    for (size_t i = 0; i < SCAN_NATIONALS_MOST; i++) {
        tally_format_free(rules->national[i]);
    }
    tally_format_free(rules->iban);
    tally_format_free(rules->phone);
    tally_release(allocator, rules->pattern, rules->pattern_capacity * sizeof *rules->pattern);
    tally_release(allocator, rules->item, rules->item_capacity * sizeof *rules->item);
    tally_release(allocator, rules->term, rules->term_capacity * sizeof *rules->term);
    tally_release(allocator, rules->sorted, rules->term_capacity * sizeof *rules->sorted);
    tally_release_wiped(allocator, rules->text, rules->text_capacity);
    tally_release(allocator, rules->name, rules->name_capacity * sizeof *rules->name);
    tally_release(allocator, rules, sizeof *rules);
}

static tally_status scan_format(const tally_scan_rules *rules, const char *description,
                                tally_format **out)
{
    tally_problem problem;
    return tally_format_new(scan_allocator(rules), description, strlen(description), out, &problem);
}

static void scan_add_gap(tally_scan_rules *rules, size_t number, uint32_t place, uint8_t character)
{
    if (place < SCAN_WIDTHS && scan_is(character, SCAN_GAP)) {
        rules->of_gap[place][character & 7] |= UINT32_C(1) << number;
    }
}

/* The widths of a national identifier, with the separators in each. */
static void scan_add_shapes(tally_scan_rules *rules, size_t number)
{
    const tally_layouts *layouts = rules->national[number]->own;
    for (uint32_t i = 0; i < layouts->count; i++) {
        const tally_layout *layout = &layouts->layout[i];
        uint32_t separators = 0, inside = 0;
        for (uint32_t j = 0; j < layout->literals; j++) {
            separators += (uint32_t)scan_is(layout->literal[j].character, SCAN_GAP);
            scan_add_gap(rules, number, layout->literal[j].place, layout->literal[j].character);
        }
        for (uint32_t j = 0; j < layout->fields; j++) {
            const tally_choices *choices = layout->field[j].choices;
            for (uint32_t k = 0; choices->list != NULL && k < choices->width; k++) {
                inside |= (uint32_t)tally_characters_have(&choices->characters[k], '-');
                for (uint32_t character = ' '; character <= '/'; character++) {
                    if (tally_characters_have(&choices->characters[k], character)) {
                        scan_add_gap(rules, number, layout->field[j].place + k, (uint8_t)character);
                    }
                }
            }
        }
        if (layout->width < SCAN_WIDTHS && separators + 1 < SCAN_GAPS) {
            rules->of_shape[layout->width][separators] |= UINT32_C(1) << number;
            rules->of_shape[layout->width][separators + 1] |= inside << number;
        }
    }
}

static tally_status scan_make_formats(tally_scan_rules *rules)
{
    tally_status status = TALLY_OK;
    for (size_t i = 0; tally_scan_national(i) != NULL && status == TALLY_OK; i++) {
        status = scan_format(rules, tally_scan_national(i)->format, &rules->national[i]);
        if (status == TALLY_OK) {
            scan_add_shapes(rules, i);
            for (size_t j = 0; j < 2; j++) {
                const uint32_t certainty = tally_scan_national(i)->certainty[j];
                rules->certain[j] |= (uint32_t)(certainty >= rules->least) << i;
                rules->with_word[j] |= (uint32_t)(certainty + 1 >= rules->least) << i;
            }
        }
    }
    status = status == TALLY_OK ? scan_format(rules, "\"iban\"", &rules->iban) : status;
    return status == TALLY_OK
               ? scan_format(rules, "{\"type\":\"phone\",\"country\":\"US\"}", &rules->phone)
               : status;
}

/* Appends a pattern, for which there is room. */
static const char *scan_add_pattern(tally_scan_rules *rules, const char *text, size_t size,
                                    scan_pattern pattern)
{
    const char *why;
    scan_item *item = rules->item + rules->items;
    pattern.items = (uint32_t)tally_scan_parse(text, size, item, &why);
    pattern.item = item;
    if (pattern.items == 0) {
        return why;
    }
    for (uint32_t first = 0; first < 256; first++) {
        if (!scan_item_has(&item[0], (uint8_t)first)) {
            continue;
        }
        rules->of_first[first][rules->patterns / 64] |= UINT64_C(1) << (rules->patterns % 64);
        for (uint32_t second = 0; second < 256; second++) {
            const uint32_t both = first | second << 8;
            rules->begins[both >> 3] |=
                (uint8_t)(scan_item_has(&item[1], (uint8_t)second) << (both & 7));
        }
    }
    rules->items += pattern.items;
    rules->pattern[rules->patterns++] = pattern;
    return NULL;
}

static tally_status scan_make_keys(tally_scan_rules *rules, size_t own)
{
    const tally_allocator *allocator = scan_allocator(rules);
    const size_t keys = rules->first_own - rules->first_key;
    rules->pattern_capacity = keys + own;
    rules->item_capacity = rules->pattern_capacity * TALLY_SCAN_MAX_ITEMS;
    rules->pattern =
        tally_allocate_many(allocator, rules->pattern_capacity, sizeof *rules->pattern);
    rules->item = tally_allocate_many(allocator, rules->item_capacity, sizeof *rules->item);
    if (rules->pattern == NULL || rules->item == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < keys; i++) {
        const scan_key *key = tally_scan_key(i);
        if (scan_add_pattern(rules, key->pattern, strlen(key->pattern),
                             (scan_pattern){.kind = TALLY_SCAN_KEY,
                                            .rule = (uint32_t)(rules->first_key + i),
                                            .certainty = key->certainty,
                                            .check = key->check}) != NULL) {
            return TALLY_ERROR_ARGUMENT; /* a test reads all of them */
        }
    }
    return TALLY_OK;
}

/* Names a rule of the user: "list." or "pattern." and the name. */
static tally_status scan_name(tally_scan_rules *rules, const char *kind, const tally_json *named,
                              tally_problem *problem)
{
    tally_writer out;
    if (named->key_size == 0 || named->key_size > 48) {
        return scan_refuse(problem, kind, named->key, named->key_size,
                           "a name has 1 to 48 bytes: choose another one");
    }
    tally_writer_init(&out, rules->name[rules->names], sizeof rules->name[0]);
    tally_write(&out, kind);
    tally_write_char(&out, '.');
    tally_write_bytes(&out, named->key, named->key_size);
    rules->names++;
    return TALLY_OK;
}

static tally_status scan_read_patterns(tally_scan_rules *rules, const tally_json *patterns,
                                       tally_problem *problem)
{
    const tally_json *one = patterns == NULL ? NULL : patterns->first;
    for (; one != NULL; one = one->next) {
        if (one->kind != TALLY_JSON_TEXT) {
            return scan_refuse(problem, "patterns", one->key, one->key_size,
                               "a pattern is a text, such as \"ID-[0-9]{6}\"");
        }
        const scan_pattern pattern = {.kind = TALLY_SCAN_PATTERN,
                                      .rule = (uint32_t)(rules->first_own + rules->names),
                                      .certainty = TALLY_SCAN_STRONG};
        const tally_status status = scan_name(rules, "pattern", one, problem);
        if (status != TALLY_OK) {
            return status;
        }
        const char *why = scan_add_pattern(rules, one->text, one->size, pattern);
        if (why != NULL) {
            return scan_refuse(problem, "patterns", one->key, one->key_size, why);
        }
    }
    return TALLY_OK;
}

static const char *scan_add_term(tally_scan_rules *rules, const tally_json *term, uint32_t rule)
{
    if (term->kind != TALLY_JSON_TEXT || term->size < 2 || term->size > TALLY_SCAN_MAX_TERM) {
        return "a list has texts of 2 to 128 bytes";
    }
    uint8_t *text = rules->text + rules->text_size;
    for (size_t i = 0; i < term->size; i++) {
        text[i] = scan_fold((uint8_t)term->text[i]);
        if (text[i] < 0x20) {
            return "a term has no control characters";
        }
    }
    rules->wide |= text[0] >= 0x80;
    if (text[0] < 0x80 && !scan_is(text[0], SCAN_WORD)) {
        return "a term begins with a letter, a digit or _";
    }
    for (uint32_t upper = 0; upper < 4; upper++) {
        const uint8_t first =
                          upper & 1 && text[0] >= 'a' && text[0] <= 'z' ? text[0] ^ 32 : text[0],
                      second =
                          upper & 2 && text[1] >= 'a' && text[1] <= 'z' ? text[1] ^ 32 : text[1];
        const uint32_t both = first | (uint32_t)second << 8;
        rules->begins[both >> 3] |= (uint8_t)(1 << (both & 7));
    }
    rules->term[rules->terms++] = (scan_term){text, (uint32_t)term->size, rule};
    rules->text_size += term->size;
    return NULL;
}

static int scan_term_order(const void *x, const void *y)
{
    const scan_term *a = x, *b = y;
    const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static tally_status scan_read_lists(tally_scan_rules *rules, const tally_json *lists,
                                    tally_problem *problem)
{
    const tally_allocator *allocator = scan_allocator(rules);
    size_t terms = 0, bytes = 0;
    const tally_json *one = lists == NULL ? NULL : lists->first;
    for (; one != NULL; one = one->next) {
        if (one->kind != TALLY_JSON_ARRAY) {
            return scan_refuse(problem, "lists", one->key, one->key_size,
                               "a list is an array of texts");
        }
        for (const tally_json *term = one->first; term != NULL; term = term->next, terms++) {
            bytes += term->size;
        }
    }
    if (terms > TALLY_SCAN_MAX_TERMS) {
        return scan_refuse(problem, "lists", NULL, 0,
                           "all lists together have at most 262144 terms");
    }
    rules->term_capacity = terms + 1;
    rules->text_capacity = bytes + 1;
    rules->term = tally_allocate_many(allocator, rules->term_capacity, sizeof *rules->term);
    rules->text = tally_allocate(allocator, rules->text_capacity);
    rules->sorted = tally_allocate_many(allocator, rules->term_capacity, sizeof *rules->sorted);
    if (rules->term == NULL || rules->text == NULL || rules->sorted == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (one = lists == NULL ? NULL : lists->first; one != NULL; one = one->next) {
        const uint32_t rule = (uint32_t)(rules->first_own + rules->names);
        const tally_status status = scan_name(rules, "list", one, problem);
        if (status != TALLY_OK) {
            return status;
        }
        for (const tally_json *term = one->first; term != NULL; term = term->next) {
            const char *why = scan_add_term(rules, term, rule);
            if (why != NULL) {
                return scan_refuse(problem, "lists", one->key, one->key_size, why);
            }
        }
    }
    for (size_t i = 0; i < rules->terms; i++) {
        rules->sorted[i] = &rules->term[i];
    }
    tally_sort(rules->sorted, rules->terms, scan_term_order);
    return TALLY_OK;
}

static tally_status scan_read_choice(tally_scan_rules *rules, const tally_json *kinds,
                                     const tally_json *least, tally_problem *problem)
{
    rules->kinds = kinds == NULL ? (1U << TALLY_SCAN_KINDS) - 1 : 0;
    rules->least = least == NULL ? TALLY_SCAN_FAIR : 0;
    for (const tally_json *one = kinds == NULL ? NULL : kinds->first; one != NULL;
         one = one->next) {
        uint32_t kind = 0;
        while (kind < TALLY_SCAN_KINDS && !tally_json_is(one, scan_kinds[kind])) {
            kind++;
        }
        if (kind == TALLY_SCAN_KINDS) {
            return scan_refuse(problem, "kinds", NULL, 0,
                               "kinds are card, iban, national_id, email, phone, ipv4, ipv6, mac, "
                               "uuid, jwt, pem, url, key, entropy, list, pattern");
        }
        rules->kinds |= 1U << kind;
    }
    for (uint32_t i = 0; i < 3 && least != NULL; i++) {
        rules->least = tally_json_is(least, scan_certainties[i]) ? i + 1 : rules->least;
    }
    return rules->least != 0 ? TALLY_OK
                             : scan_refuse(problem, "least", NULL, 0,
                                           "least is \"weak\", \"fair\" or \"strong\"");
}

/* Finds the members of a description, all of which may be missing. */
static tally_status scan_members(const tally_json *root, const tally_json *out[4],
                                 tally_problem *problem)
{
    static const char *const names[4] = {"kinds", "least", "lists", "patterns"};
    static const tally_json_kind kinds[4] = {TALLY_JSON_ARRAY, TALLY_JSON_TEXT, TALLY_JSON_OBJECT,
                                             TALLY_JSON_OBJECT};
    if (root->kind != TALLY_JSON_OBJECT) {
        return scan_refuse(problem, "", NULL, 0, "rules are a table");
    }
    for (const tally_json *one = root->first; one != NULL; one = one->next) {
        size_t i = 0;
        while (i < 4 && !tally_json_key_is(one, names[i])) {
            i++;
        }
        if (i == 4) {
            return scan_refuse(problem, "", one->key, one->key_size,
                               "rules have kinds, least, lists and patterns alone");
        }
        if (one->kind != kinds[i]) {
            return scan_refuse(problem, names[i], NULL, 0,
                               "kinds is an array, least a text, lists and patterns are tables");
        }
        out[i] = one;
    }
    return TALLY_OK;
}

static tally_status scan_make(tally_scan_rules *rules, const tally_json *root,
                              tally_problem *problem)
{
    const tally_json *member[4] = {NULL, NULL, NULL, NULL};
    tally_status status = scan_members(root, member, problem);
    const size_t lists = member[2] == NULL ? 0 : member[2]->count,
                 patterns = member[3] == NULL ? 0 : member[3]->count;
    if (status == TALLY_OK && patterns > TALLY_SCAN_MAX_PATTERNS) {
        return scan_refuse(problem, "patterns", NULL, 0, "there are at most 256 patterns");
    }
    rules->name_capacity = lists + patterns + 1;
    rules->name =
        tally_allocate_many(scan_allocator(rules), rules->name_capacity, sizeof *rules->name);
    for (rules->first_key = TALLY_SCAN_KINDS;
         tally_scan_national(rules->first_key - TALLY_SCAN_KINDS) != NULL;) {
        rules->first_key++;
    }
    for (rules->first_own = rules->first_key;
         tally_scan_key(rules->first_own - rules->first_key) != NULL;) {
        rules->first_own++;
    }
    status = status == TALLY_OK && rules->name == NULL ? TALLY_ERROR_MEMORY : status;
    status = status == TALLY_OK ? scan_read_choice(rules, member[0], member[1], problem) : status;
    status = status == TALLY_OK ? scan_make_keys(rules, patterns) : status;
    status = status == TALLY_OK ? scan_read_lists(rules, member[2], problem) : status;
    status = status == TALLY_OK ? scan_read_patterns(rules, member[3], problem) : status;
    return status == TALLY_OK ? scan_make_formats(rules) : status;
}

tally_status tally_scan_rules_new(const tally_allocator *allocator, const char *json, size_t size,
                                  tally_scan_rules **out, tally_problem *problem)
{
    tally_json_document document = {0};
    *out = NULL;
    tally_scan_rules *rules = tally_allocate(allocator, sizeof *rules);
    if (rules == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(rules, 0, sizeof *rules);
    rules->has_allocator = allocator != NULL;
    if (allocator != NULL) {
        rules->allocator = *allocator;
    }
    tally_status status = tally_json_parse(allocator, json, size, &document, problem);
    if (status == TALLY_OK) {
        status = scan_make(rules, document.root, problem);
        tally_json_free(&document);
    }
    if (status != TALLY_OK) {
        tally_scan_rules_free(rules);
        return status;
    }
    *out = rules;
    return TALLY_OK;
}

/* ---- core/scan/scanner.c ---- */
/*
 * The first pass over a text, and which of overlapping findings stays: the more certain one, of
 * these the longer one, of these the first. */

/* ---- core/base/bits.h ---- */
/*
 * Bits of a number: the lowest, and how many. Numbers are public. */
#ifndef TALLY_BASE_BITS_H
#define TALLY_BASE_BITS_H

/* The place of the lowest bit that is set; at least one is. */
static inline uint32_t tally_bits_lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t place = 0;
    while ((bits >> place & 1) == 0) {
        place++;
    }
    return place;
#endif
}

/* How many are set. */
static inline uint32_t tally_bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

#endif

/* ---- core/scan/masks.h ---- */
/*
 * The classes of 64 bytes: bit i stands for byte i. With the vectors that every machine of an
 * architecture has, or else by a table. */
#ifndef TALLY_SCAN_MASKS_H
#define TALLY_SCAN_MASKS_H

typedef struct scan_masks {
    uint64_t word, digit, base64, at, colon, plus, hyphen, dot;
    uint64_t under; /* _ */
    uint64_t wide;  /* first bytes of characters of UTF-8 that are not ASCII */
} scan_masks;

/* scan_find gives the masks of the 64 bytes at p. */
#if defined(__SSE2__)

/* ---- core/scan/masks_sse2.h ---- */
/*
 * Classes of bytes with SSE2, which every 64-bit x86 has. Included by masks.h alone. */

TALLY_VISIBILITY_DEFAULT
#include <emmintrin.h>
TALLY_VISIBILITY_POP

/* The bytes first .. first + count - 1, as all ones. */
static inline __m128i scan_range(__m128i bytes, char first, char count)
{
    const __m128i moved =
        _mm_add_epi8(bytes, _mm_set1_epi8((char)(-128 - first))); /* first becomes the least */
    return _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(-128 + count)));
}

static inline uint64_t scan_bits(__m128i bytes)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(bytes);
}

static inline scan_masks scan_find(const uint8_t *p)
{
    scan_masks masks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 64; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        const __m128i digit = scan_range(bytes, '0', 10),
                      plain = _mm_or_si128(digit, scan_range(lower, 'a', 26)),
                      under = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')),
                      plus = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+')),
                      slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')),
                      hyphen = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-'));
        const __m128i named = _mm_or_si128(plain, under);
        masks.word |= scan_bits(named) << i;
        masks.under |= scan_bits(under) << i;
        masks.digit |= scan_bits(digit) << i;
        masks.base64 |=
            scan_bits(_mm_or_si128(_mm_or_si128(named, plus), _mm_or_si128(slash, hyphen))) << i;
        masks.at |= scan_bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('@'))) << i;
        masks.colon |= scan_bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(':'))) << i;
        masks.plus |= scan_bits(plus) << i;
        masks.hyphen |= scan_bits(hyphen) << i;
        masks.dot |= scan_bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'))) << i;
        masks.wide |= scan_bits(_mm_and_si128(bytes, _mm_slli_epi16(bytes, 1))) << i; /* 11...... */
    }
    return masks;
}

#elif defined(TALLY_ARCH_AARCH64)

/* ---- core/scan/masks_neon.h ---- */
/*
 * Classes of bytes with NEON, which every AArch64 has. Included by masks.h alone. */

TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

/* The highest bits of 64 bytes that are all zeros or all ones. */
static inline uint64_t scan_bits(const uint8x16_t part[4])
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights);
    const uint8x16_t low = vpaddq_u8(vandq_u8(part[0], weight), vandq_u8(part[1], weight)),
                     high = vpaddq_u8(vandq_u8(part[2], weight), vandq_u8(part[3], weight));
    const uint8x16_t sums = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

static inline uint8x16_t scan_range(uint8x16_t bytes, uint8_t first, uint8_t count)
{
    return vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8(count));
}

static inline scan_masks scan_find(const uint8_t *p)
{
    uint8x16_t word[4], digit[4], base64[4], at[4], colon[4], plus[4], hyphen[4], dot[4], under[4],
        wide[4];
    for (uint32_t i = 0; i < 4; i++) {
        const uint8x16_t bytes = vld1q_u8(p + 16 * i), lower = vorrq_u8(bytes, vdupq_n_u8(0x20));
        under[i] = vceqq_u8(bytes, vdupq_n_u8('_'));
        digit[i] = scan_range(bytes, '0', 10);
        plus[i] = vceqq_u8(bytes, vdupq_n_u8('+'));
        hyphen[i] = vceqq_u8(bytes, vdupq_n_u8('-'));
        dot[i] = vceqq_u8(bytes, vdupq_n_u8('.'));
        wide[i] = vcgeq_u8(bytes, vdupq_n_u8(0xc0));
        word[i] = vorrq_u8(vorrq_u8(digit[i], scan_range(lower, 'a', 26)), under[i]);
        base64[i] = vorrq_u8(vorrq_u8(word[i], plus[i]),
                             vorrq_u8(hyphen[i], vceqq_u8(bytes, vdupq_n_u8('/'))));
        at[i] = vceqq_u8(bytes, vdupq_n_u8('@'));
        colon[i] = vceqq_u8(bytes, vdupq_n_u8(':'));
    }
    const scan_masks masks = {scan_bits(word),  scan_bits(digit), scan_bits(base64), scan_bits(at),
                              scan_bits(colon), scan_bits(plus),  scan_bits(hyphen), scan_bits(dot),
                              scan_bits(under), scan_bits(wide)};
    return masks;
}

#else
static inline scan_masks scan_find(const uint8_t *p)
{
    scan_masks masks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 64; i++) {
        masks.word |= (uint64_t)scan_is(p[i], SCAN_WORD) << i;
        masks.digit |= (uint64_t)scan_is(p[i], SCAN_DIGIT) << i;
        masks.base64 |= (uint64_t)scan_is(p[i], SCAN_BASE64) << i;
        masks.at |= (uint64_t)(p[i] == '@') << i;
        masks.colon |= (uint64_t)(p[i] == ':') << i;
        masks.plus |= (uint64_t)(p[i] == '+') << i;
        masks.hyphen |= (uint64_t)(p[i] == '-') << i;
        masks.dot |= (uint64_t)(p[i] == '.') << i;
        masks.under |= (uint64_t)(p[i] == '_') << i;
        masks.wide |= (uint64_t)(p[i] >= 0xc0) << i;
    }
    return masks;
}
#endif

#endif

void tally_scan_add(tally_scanner *s, const uint8_t *at, size_t size, tally_scan_kind kind,
                    uint32_t rule, uint32_t certainty)
{
    if (certainty < s->rules->least || !scan_wants(s, kind)) {
        return;
    }
    const uint32_t place = (uint32_t)(scan_offset(s, at) % SCAN_WINDOW);
    scan_candidate *there = &s->candidates[place];
    const uint64_t bit = UINT64_C(1) << (place % 64);
    if ((s->is_candidate[place / 64] & bit) == 0 || certainty > there->certainty ||
        (certainty == there->certainty && size > there->size)) {
        *there = (scan_candidate){(uint32_t)size, kind, certainty, rule};
        s->is_candidate[place / 64] |= bit;
    }
}

static void scan_emit(tally_scanner *s)
{
    if (s->held.size != 0) {
        s->out[s->count++] = (tally_scan_finding){s->held_at, s->held.size, s->held.kind,
                                                  s->held.certainty, s->held.rule};
    }
    s->held.size = 0;
}

/* Chooses between the candidates of a block and the one that is held. `block`: the offset of the
 * block, modulo 2^64. */
static void scan_choose(tally_scanner *s, uint64_t block)
{
    uint64_t *bits = &s->is_candidate[block % SCAN_WINDOW / 64];
    for (; *bits != 0; *bits &= *bits - 1) {
        const uint64_t at = block + tally_bits_lowest(*bits);
        const scan_candidate *one = &s->candidates[at % SCAN_WINDOW];
        if (s->held.size == 0 || at >= s->held_at + s->held.size) {
            scan_emit(s);
            s->held = *one;
            s->held_at = at;
        } else if (one->certainty > s->held.certainty ||
                   (one->certainty == s->held.certainty && one->size > s->held.size)) {
            s->held = *one;
            s->held_at = at;
        }
    }
    if (s->held.size != 0 && s->held_at + s->held.size <= block + SCAN_BLOCK) {
        scan_emit(s); /* what begins later does not overlap it */
    }
}

/* The digits at a place, 64 or more as 64. `bits` has those of the block, `left` bytes. */
static size_t scan_digits(const uint8_t *at, uint64_t bits, uint32_t left)
{
    uint32_t size = ~bits != 0 ? tally_bits_lowest(~bits) : SCAN_BLOCK;
    if (size == left) { /* it may go on in the next block */
        while (size < SCAN_BLOCK && scan_is(at[size], SCAN_DIGIT)) {
            size++;
        }
    }
    return size;
}

/* The bits behind which so many bits follow, in the block or the one before. */
static uint64_t scan_longer(uint64_t bits, uint64_t before, uint64_t *before_out, uint32_t by)
{
    *before_out = before & before << by;
    return bits & (bits << by | before >> (64 - by));
}

static void scan_each(tally_scanner *s, const uint8_t *p, uint64_t places,
                      void (*recognize)(tally_scanner *s, const uint8_t *at))
{
    for (; places != 0; places &= places - 1) {
        recognize(s, p + tally_bits_lowest(places));
    }
}

/* The places with a bit of `bits` at a distance behind them, or with the next block there. */
static uint64_t scan_before(uint64_t bits, uint32_t distance)
{
    return bits >> distance | UINT64_MAX << (SCAN_BLOCK - distance);
}

/* Words, of which masks leave few to look at: in logs most are short numbers, dates and names. */
static void scan_each_word(tally_scanner *s, const uint8_t *p, uint64_t starts,
                           const scan_masks *masks)
{
    const uint64_t digit = masks->digit, hyphen = masks->hyphen, dot = masks->dot;
    const uint64_t goes_on = (dot | hyphen) << 1 & masks->word << 2; /* 5 and 7 in 2.5-7 */
    uint64_t left = starts & digit & ~goes_on;
    for (; left != 0; left &= left - 1) {
        const uint32_t place = tally_bits_lowest(left);
        tally_scan_number(s, p + place, scan_digits(p + place, digit >> place, SCAN_BLOCK - place));
    }
    scan_each(s, p,
              starts & ~digit &
                  (scan_before(digit | hyphen, 1) | scan_before(digit, 2) | scan_before(digit, 6)),
              tally_scan_letters);
    scan_each(s, p,
              starts & (scan_before(hyphen, 2) | scan_before(dot, 4) | scan_before(hyphen, 8)),
              tally_scan_hexadecimal);
    for (; starts != 0; starts &= starts - 1) {
        const uint8_t *at = p + tally_bits_lowest(starts);
        if (scan_begins(s->rules, at)) {
            tally_scan_prefixed(s, at);
        }
        if (at[0] == 'e' && at[1] == 'y' && at[2] == 'J') {
            tally_scan_jwt(s, at);
        }
    }
}

/* Looks at one block, of which `some` bits are of the text. */
static void scan_block(tally_scanner *s, const uint8_t *p, uint64_t some)
{
    scan_masks masks = scan_find(p);
    masks.word &= some;
    const uint64_t word_before = s->word_before,
                   starts = masks.word & ~(masks.word << 1 | word_before >> 63);
    scan_each_word(s, p, starts, &masks);
    s->word_before = masks.word;
    /* Runs of 20: bit i is set if bits i - 19 .. i are. */
    uint64_t before = s->base64_before, run = masks.base64 & some;
    s->base64_before = run;
    if (run != 0) {
        uint64_t two = scan_longer(run, before, &before, 1);
        uint64_t four = scan_longer(two, before, &before, 2);
        const uint64_t four_before = before;
        uint64_t eight = scan_longer(four, before, &before, 4);
        uint64_t sixteen = scan_longer(eight, before, &before, 8);
        const uint64_t twenty = sixteen & (four << 16 | four_before >> 48);
        const uint64_t last = before & four_before << 16; /* its bit 63 alone is needed */
        scan_each(s, p - 19, twenty & ~(twenty << 1 | last >> 63), tally_scan_run);
    }
    if (s->rules->wide) {
        scan_each(s, p, masks.wide & some & ~(masks.word << 1 | word_before >> 63),
                  tally_scan_prefixed);
    }
    scan_each(s, p, masks.at & some, tally_scan_at);
    scan_each(s, p, masks.colon & some, tally_scan_colon);
    if (masks.plus != 0) {
        scan_each(s, p, masks.plus & some, tally_scan_plus);
    }
    const uint64_t hyphens = masks.hyphen;
    if ((hyphens & hyphens >> 1) != 0 || hyphens >> 63 != 0) {
        scan_each(s, p, hyphens & some & (hyphens >> 1 | UINT64_C(1) << 63), tally_scan_hyphens);
    }
    scan_choose(s, scan_offset(s, p) - 2 * SCAN_BLOCK);
}

uint32_t tally_scan_context(tally_scanner *s, const uint8_t *at)
{
    enum { BEFORE = 48 };
    const scan_masks masks = scan_find(at - SCAN_BLOCK);
    const uint64_t word = masks.word & ~masks.under;
    uint64_t starts = word & ~(word << 1) & UINT64_MAX << (SCAN_BLOCK - BEFORE);
    uint32_t found = 0;
    for (; starts != 0; starts &= starts - 1) {
        const uint32_t first = tally_bits_lowest(starts);
        const uint64_t behind = ~word >> first;
        const uint32_t size = behind != 0 ? tally_bits_lowest(behind) : SCAN_BLOCK - first;
        found |= size > 1 ? tally_scan_word(at - SCAN_BLOCK + first, size) : 0;
    }
    s->steps += BEFORE;
    return found;
}

tally_status tally_scanner_new(const tally_scan_rules *rules, tally_scanner **out)
{
    tally_scanner *s = tally_allocate(rules->has_allocator ? &rules->allocator : NULL, sizeof *s);
    *out = NULL;
    if (s == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(s, 0, sizeof *s);
    s->rules = rules;
    s->size = s->done = SCAN_BEHIND; /* zeros come before the text */
    *out = s;
    return TALLY_OK;
}

void tally_scanner_free(tally_scanner *scanner)
{
    if (scanner != NULL) {
        const tally_scan_rules *rules = scanner->rules;
        tally_release_wiped(rules->has_allocator ? &rules->allocator : NULL, scanner,
                            sizeof *scanner);
    }
}

/* Moves what is still needed to the front. */
static void scan_compact(tally_scanner *s)
{
    const size_t gone = s->done - SCAN_BEHIND;
    memmove(s->buffer, s->buffer + gone, s->size - gone);
    s->base += gone;
    s->size -= gone;
    s->done = SCAN_BEHIND;
}

static int scan_has_capacity(const tally_scanner *s)
{
    return s->capacity - s->count >= TALLY_SCAN_CAPACITY;
}

tally_status tally_scanner_update(tally_scanner *scanner, const uint8_t *bytes, size_t size,
                                  tally_scan_finding *findings, size_t capacity, size_t *used,
                                  size_t *count)
{
    tally_scanner *s = scanner;
    size_t taken = 0;
    if (capacity < TALLY_SCAN_CAPACITY || s->ended) {
        return TALLY_ERROR_ARGUMENT;
    }
    s->out = findings;
    s->capacity = capacity;
    s->count = 0;
    for (;;) {
        if (s->size == SCAN_CAPACITY) {
            scan_compact(s);
        }
        const size_t free_bytes = SCAN_CAPACITY - s->size,
                     some = size - taken < free_bytes ? size - taken : free_bytes;
        if (some > 0) {
            memcpy(s->buffer + s->size, bytes + taken, some);
        }
        s->size += some;
        taken += some;
        while (s->size - s->done >= SCAN_AHEAD + SCAN_BLOCK && scan_has_capacity(s)) {
            scan_block(s, s->buffer + s->done, UINT64_MAX);
            s->done += SCAN_BLOCK;
        }
        if (taken == size || !scan_has_capacity(s)) {
            break;
        }
    }
    *used = taken;
    *count = s->count;
    s->out = NULL;
    return TALLY_OK;
}

tally_status tally_scanner_final(tally_scanner *scanner, tally_scan_finding *findings,
                                 size_t capacity, size_t *count, int *more)
{
    tally_scanner *s = scanner;
    if (capacity < TALLY_SCAN_CAPACITY) {
        return TALLY_ERROR_ARGUMENT;
    }
    s->out = findings;
    s->capacity = capacity;
    s->count = 0;
    if (!s->ended) {
        scan_compact(s);
        memset(s->buffer + s->size, 0, 2 * SCAN_BLOCK); /* recognizers stop at a zero */
        s->ended = 1;
    }
    while (s->done < s->size && scan_has_capacity(s)) {
        const size_t left = s->size - s->done;
        scan_block(s, s->buffer + s->done,
                   left < SCAN_BLOCK ? (UINT64_C(1) << left) - 1 : UINT64_MAX);
        s->done += left < SCAN_BLOCK ? left : SCAN_BLOCK;
    }
    *more = !scan_has_capacity(s) && s->held.size != 0;
    if (s->done == s->size && scan_has_capacity(s)) {
        const uint64_t end = (scan_offset(s, s->buffer + s->size) + SCAN_BLOCK - 1) / SCAN_BLOCK;
        scan_choose(s, (end - 2) * SCAN_BLOCK);
        scan_choose(s, (end - 1) * SCAN_BLOCK);
        scan_emit(s);
        *more = 0;
    } else {
        *more = 1;
    }
    *count = s->count;
    s->out = NULL;
    return TALLY_OK;
}

/* ---- core/scan/secrets.c ---- */
/*
 * Secrets: keys by their prefixes, JWTs, PEM blocks, random strings; and the terms and patterns of a
 * user, which are found like keys. */

enum {
    SECRETS_HEADER = 1024, /* characters of the parts of a JWT */
    SECRETS_PAYLOAD = 12288,
    SECRETS_SIGNATURE = 2048,
    SECRETS_LABEL = 64, /* of a PEM block */
    SECRETS_RUN_LEAST = 20,
    SECRETS_HEX_LEAST = 32,
    SECRETS_DIFFERENT = 8, /* characters of a key, at least; else it is a placeholder */
    SECRETS_BIT = 65536
};

/* Whether a match of a key looks like one of a manual: AKIA...EXAMPLE, ghp_xxxx. */
static int secrets_is_placeholder(const uint8_t *at, size_t size)
{
    uint64_t seen[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < size; i++) {
        seen[at[i] / 64] |= UINT64_C(1) << (at[i] % 64);
    }
    return tally_bits_count(seen[0]) + tally_bits_count(seen[1]) < SECRETS_DIFFERENT ||
           (size >= 7 && memcmp(at + size - 7, "EXAMPLE", 7) == 0);
}

static void secrets_patterns(tally_scanner *s, const uint8_t *at)
{
    const tally_scan_rules *rules = s->rules;
    for (size_t word = 0; word * 64 < rules->patterns; word++) {
        for (uint64_t left = rules->of_first[at[0]][word]; left != 0; left &= left - 1) {
            const scan_pattern *pattern = &rules->pattern[word * 64 + tally_bits_lowest(left)];
            const size_t size = tally_scan_match(pattern, at, &s->steps);
            uint32_t certainty = pattern->certainty;
            if (size == 0 || (scan_is(at[size - 1], SCAN_WORD) && scan_is(at[size], SCAN_WORD))) {
                continue;
            }
            s->steps += (pattern->kind == TALLY_SCAN_KEY) * size +
                        (pattern->check == SCAN_CHECK_CRC32) * size;
            if (pattern->kind == TALLY_SCAN_KEY &&
                (secrets_is_placeholder(at, size) ||
                 (pattern->check == SCAN_CHECK_CRC32 && !tally_scan_crc32(at, size)))) {
                certainty = TALLY_SCAN_WEAK;
            }
            tally_scan_add(s, at, size, (tally_scan_kind)pattern->kind, pattern->rule, certainty);
        }
    }
}

/* The first of terms low .. high - 1, equal before `depth`, whose byte there is not below `byte`. */
static size_t secrets_bound(const tally_scan_rules *rules, size_t low, size_t high, uint32_t depth,
                            uint32_t byte)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const scan_term *term = rules->sorted[middle];
        if (term->size <= depth || term->text[depth] < byte) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The longest term that begins here and ends at the end of a word. */
static void secrets_terms(tally_scanner *s, const uint8_t *at)
{
    const tally_scan_rules *rules = s->rules;
    const scan_term *found = NULL;
    size_t low = 0, high = rules->terms;
    for (uint32_t depth = 0; low < high && depth < TALLY_SCAN_MAX_TERM; depth++) {
        const uint32_t byte = scan_fold(at[depth]);
        low = secrets_bound(rules, low, high, depth, byte);
        high = secrets_bound(rules, low, high, depth, byte + 1);
        const scan_term *term = low < high ? rules->sorted[low] : NULL;
        if (term != NULL && term->size == depth + 1 &&
            !(scan_is(at[depth], SCAN_WORD) && scan_is(at[depth + 1], SCAN_WORD))) {
            found = term;
        }
        s->steps++;
    }
    if (found != NULL) {
        tally_scan_add(s, at, found->size, TALLY_SCAN_LIST, found->rule, TALLY_SCAN_STRONG);
    }
}

void tally_scan_prefixed(tally_scanner *s, const uint8_t *at)
{
    if (!scan_begins(s->rules, at)) {
        return;
    }
    secrets_patterns(s, at);
    if (s->rules->terms > 0) {
        secrets_terms(s, at);
    }
}

static size_t secrets_part(const uint8_t *at, size_t most)
{
    size_t size = 0;
    while (size < most && scan_is(at[size], SCAN_BASE64URL)) {
        size++;
    }
    return size;
}

static uint32_t secrets_six_bits(uint8_t c)
{
    return c >= 'a'   ? c - 'a' + 26U
           : c == '_' ? 63U
           : c >= 'A' ? (uint32_t)(c - 'A')
           : c == '-' ? 62U
                      : c - '0' + 52U;
}

/* Memory for the only allocation of tally_json_parse. */
typedef struct secrets_memory {
    _Alignas(16) uint8_t bytes[32 * 1024];
    int taken;
} secrets_memory;

static void *secrets_allocate(void *context, size_t size)
{
    secrets_memory *memory = context;
    return memory->taken++ == 0 && size <= sizeof memory->bytes ? memory->bytes : NULL;
}

static void secrets_release(void *context, void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
}

/* Whether base64url is a JSON object that has "alg". */
static int secrets_is_header(const uint8_t *at, size_t size)
{
    char text[SECRETS_HEADER];
    size_t count = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 6 | secrets_six_bits(at[i]);
        if (i % 4 != 0) {
            text[count++] = (char)(uint8_t)(bits >> (2 * (3 - i % 4)));
        }
    }
    secrets_memory memory;
    memory.taken = 0;
    const tally_allocator allocator = {secrets_allocate, secrets_release, &memory};
    tally_json_document document = {0};
    if (size % 4 == 1 || tally_json_parse(&allocator, text, count, &document, NULL) != TALLY_OK) {
        return 0;
    }
    const int found = tally_json_member(document.root, "alg") != NULL;
    tally_json_free(&document);
    return found;
}

void tally_scan_jwt(tally_scanner *s, const uint8_t *at)
{
    if (!scan_wants(s, TALLY_SCAN_JWT) || at[-1] == '-' || at[-1] == '.') {
        return;
    }
    const size_t header = secrets_part(at, SECRETS_HEADER);
    s->steps += header;
    if (header == SECRETS_HEADER || at[header] != '.') {
        return;
    }
    s->steps += 2 * header;
    if (!secrets_is_header(at, header)) {
        return;
    }
    const uint8_t *p = at + header + 1;
    const size_t payload = secrets_part(p, SECRETS_PAYLOAD);
    s->steps += payload;
    if (payload == 0 || payload == SECRETS_PAYLOAD || p[payload] != '.') {
        return;
    }
    p += payload + 1;
    const size_t signature = secrets_part(p, SECRETS_SIGNATURE);
    s->steps += signature;
    if (signature < SECRETS_SIGNATURE) { /* none with "alg": "none" */
        tally_scan_add(s, at, (size_t)(p + signature - at), TALLY_SCAN_JWT, TALLY_SCAN_JWT,
                       TALLY_SCAN_STRONG);
    }
}

/* What may stand in a PEM block, also one that is a string of JSON. */
static int secrets_is_body(uint8_t byte)
{
    return scan_is(byte, SCAN_BASE64) ? byte != '-'
                                      : byte != 0 && strchr("= \t\r\n\\:,;.()\"", byte) != NULL;
}

void tally_scan_hyphens(tally_scanner *s, const uint8_t *at)
{
    static const char begin[] = "-----BEGIN ", end[] = "-----END ";
    size_t label = sizeof begin - 1, size;
    int private_key;
    if (at[1] != '-' || at[-1] == '-' || memcmp(at, begin, label) != 0 ||
        !scan_wants(s, TALLY_SCAN_PEM)) {
        return;
    }
    while (label < SECRETS_LABEL && (scan_is(at[label], SCAN_CAPITAL) || at[label] == ' ')) {
        label++;
    }
    private_key = label > 11 + 11 && memcmp(at + label - 11, "PRIVATE KEY", 11) == 0;
    private_key |= label > 11 + 16 && memcmp(at + label - 17, "PRIVATE KEY BLOCK", 17) == 0;
    private_key |= label == 11 + 11 && memcmp(at + 11, "PRIVATE KEY", 11) == 0;
    if (memcmp(at + label, "-----", 5) != 0) {
        return;
    }
    size = label + 5;
    const size_t most = TALLY_SCAN_MAX_FINDING - 128;
    while (size < most && (secrets_is_body(at[size]) || (at[size] == '-' && at[size + 1] != '-'))) {
        size++;
    }
    s->steps += size;
    const int ended = memcmp(at + size, end, sizeof end - 1) == 0 &&
                      memcmp(at + size + 9, at + 11, label - 11 + 5) == 0;
    size += ended ? 9 + label - 11 + 5 : 0;
    if (ended || private_key) {
        tally_scan_add(s, at, size, TALLY_SCAN_PEM, TALLY_SCAN_PEM,
                       private_key && ended ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
    }
}

/* The entropy of a run per character, in 65536ths of a bit: log2(n) - sum(c * log2(c)) / n. */
static uint32_t secrets_entropy(const uint8_t *at, uint32_t size)
{
    uint16_t count[128] = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size; i++) {
        count[at[i]]++;
    }
    for (uint32_t i = '+'; i <= 'z'; i++) {
        sum += tally_scan_weight(count[i]);
    }
    return (uint32_t)((tally_scan_weight(size) - sum) / size);
}

/* Whether more than one in eight of fewer than 64 characters are no letters and digits, as in a path
 * or a name in parts. */
static int secrets_is_path(const uint8_t *at, uint32_t size)
{
    const scan_masks masks = scan_find(at);
    const uint64_t plain = masks.word & ~masks.under & ((UINT64_C(1) << size) - 1);
    return (size - tally_bits_count(plain)) * 8 > size;
}

void tally_scan_run(tally_scanner *s, const uint8_t *at)
{
    uint32_t size = SECRETS_RUN_LEAST, digits = 0, upper = 0, lower = 0, hex = 0, others = 0;
    if (!scan_wants(s, TALLY_SCAN_ENTROPY)) {
        return;
    }
    while (size <= SCAN_ENTROPY_MOST && scan_is(at[size], SCAN_BASE64)) {
        size++;
    }
    s->steps += size;
    if (size > SCAN_ENTROPY_MOST) {
        return;
    }
    if (size < SCAN_BLOCK && secrets_is_path(at, size)) {
        return;
    }
    s->steps += 2 * (uint64_t)size; /* here and for the entropy */
    for (uint32_t i = 0; i < size; i++) {
        digits += (uint32_t)scan_is(at[i], SCAN_DIGIT);
        upper += at[i] >= 'A' && at[i] <= 'Z';
        lower += at[i] >= 'a' && at[i] <= 'z';
        hex += (uint32_t)scan_is(at[i], SCAN_HEX);
    }
    others = size - digits - upper - lower;
    if (digits == 0 || digits == size || (upper == 0 && lower == 0)) {
        return;
    }
    const int is_hex = hex == size && (upper == 0 || lower == 0);
    if (is_hex ? size < SECRETS_HEX_LEAST : others * 8 > size) { /* a path or a name in parts */
        return;
    }
    const uint64_t entropy = secrets_entropy(at, size), most = tally_scan_weight(size) / size;
    const uint64_t wanted = is_hex                                    ? 3 * SECRETS_BIT
                            : most * 88 / 100 < 43 * SECRETS_BIT / 10 ? most * 88 / 100
                                                                      : 43 * SECRETS_BIT / 10;
    if (entropy < wanted) {
        return;
    }
    uint32_t certainty = !is_hex && upper > 0 && lower > 0 ? TALLY_SCAN_FAIR : TALLY_SCAN_WEAK;
    certainty += (tally_scan_context(s, at) & SCAN_CONTEXT_SECRET) != 0;
    for (uint32_t i = 0; i < 2 && at[size] == '='; i++) {
        size++;
    }
    tally_scan_add(s, at, size, TALLY_SCAN_ENTROPY, TALLY_SCAN_ENTROPY, certainty);
}

/* ---- core/text/restore.c ---- */
/*
 * Finds tokens in text that arrives in chunks. Each unit of the text is looked at once: a new opening
 * ends the candidate before it, and none of the characters inside a body can begin one. So the time
 * is linear, and one candidate is held back at most. */

/* ---- core/text/text.h ---- */
/*
 * Tokens in text: the parts that protecting and restoring share. */
#ifndef TALLY_TEXT_TEXT_H
#define TALLY_TEXT_TEXT_H

enum {
    TALLY_TEXT_HEADER = 3, /* symbols that tell the size of the value */
    TALLY_TEXT_BODY_MAX = TALLY_TEXT_CHECK_BITS_MAX / 8 + TALLY_TEXT_VALUE_SIZE_MAX
};

/* The symbols of bodies: no i, l, o, u. So `tly-` never begins inside a body. */
#define TALLY_TEXT_SYMBOLS "0123456789abcdefghjkmnpqrstvwxyz"

/* Where addresses that are tokens end. Nobody can have a domain in .example (RFC 2606). */
#define TALLY_TEXT_DOMAIN "tly.example"

/* Reveals check and value in place, and returns whether the key made them: `body` has the check's
 * bytes and then `size` bytes of the value, 1..4096. If it returns 0, `body` is wiped. */
int tally_text_open(const tally_text_key *key, uint8_t *body, size_t size);

/* Whether it is a kind: 1 to 32 of a-z, 0-9 and '_', a letter first, not tly last. */
int tally_text_is_kind(const char *kind, size_t size);

/* What a stretch of text stands for, whatever escapes it is written with. */
typedef enum tally_text_class {
    TALLY_TEXT_MORE = 0, /* more bytes are needed to tell */
    TALLY_TEXT_OTHER,    /* nothing that a token has */
    TALLY_TEXT_HIGH,     /* a character beyond ASCII: may stand in a translated kind */
    TALLY_TEXT_GAP,      /* a space, or something invisible */
    TALLY_TEXT_LINE,     /* the end of a line */
    TALLY_TEXT_QUOTE,    /* what stands at the beginning of a quoted or commented line */
    TALLY_TEXT_OPEN,     /* U+27E6 */
    TALLY_TEXT_CLOSE,    /* U+27E7 */
    TALLY_TEXT_CHARACTER /* a letter in lower case, a digit, '_', '-', ':', '@' or '.' */
} tally_text_class;

typedef struct tally_text_unit {
    tally_text_class class;
    uint8_t character;
    size_t size; /* bytes of the text */
} tally_text_unit;

/* Reads the unit that begins at `at`; size >= 1. `final`: no bytes follow, so it never needs more. */
tally_text_unit tally_text_unit_read(const uint8_t *at, size_t size, int final);

#endif

enum {
    RESTORE_UNIT = 64,      /* bytes that a unit needs at most to be recognized */
    RESTORE_GAP = 64,       /* bytes between two characters of a token, at most */
    RESTORE_KIND_UNITS = 64 /* translated kinds may be longer than ours */
};

typedef enum restore_state {
    RESTORE_NONE = 0,
    RESTORE_KIND, /* behind the opening */
    RESTORE_BODY, /* behind the kind */
    RESTORE_TAIL  /* the body is complete, and its closing bracket may follow */
} restore_state;

struct tally_text_restorer {
    tally_allocator allocator;
    int has_allocator;
    const tally_text_key *keys[TALLY_TEXT_KEYS_MAX];
    size_t count;
    tally_text_context context;
    uint64_t restored, refused;

    restore_state state;
    tally_text_frame frame;
    uint32_t letters;    /* of tly that the text ended with, 0..3 */
    size_t letters_at;   /* where they begin */
    size_t start;        /* of the candidate */
    size_t body_end;     /* of a body that is complete */
    uint32_t kind_units; /* so far */
    uint32_t symbols, wanted, bits, bit_count;
    int at_sign;   /* whether the body of an address goes on behind its @ */
    size_t domain; /* characters of the domain behind the body, so far */
    size_t gap;    /* bytes since the last character */
    int line;      /* whether an end of a line is among them */
    size_t value_size, body_size;
    uint8_t body[TALLY_TEXT_BODY_MAX];

    size_t written, at, end; /* in `held`: what was written, what was read, what is there */
    uint8_t held[TALLY_TEXT_HELD_MAX + 4096 + RESTORE_UNIT];
};

typedef struct restore_out {
    uint8_t *at;
} restore_out;

tally_status tally_text_restorer_new(const tally_allocator *allocator,
                                     const tally_text_key *const keys[], size_t count,
                                     tally_text_context context, tally_text_restorer **out)
{
    if (count == 0 || count > TALLY_TEXT_KEYS_MAX) {
        return TALLY_ERROR_TEXT_KEYS;
    }
    for (size_t i = 1; i < count; i++) {
        if (keys[i]->check_size != keys[0]->check_size) {
            return TALLY_ERROR_TEXT_KEYS;
        }
    }
    if (context != TALLY_TEXT_PLAIN && context != TALLY_TEXT_JSON && context != TALLY_TEXT_HTML) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_text_restorer *const made = tally_allocate(allocator, sizeof *made);
    if (made == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    if (allocator != NULL) {
        made->allocator = *allocator;
        made->has_allocator = 1;
    }
    memcpy(made->keys, keys, count * sizeof *keys);
    made->count = count;
    made->context = context;
    *out = made;
    return TALLY_OK;
}

void tally_text_restorer_free(tally_text_restorer *restorer)
{
    if (restorer != NULL) {
        const tally_allocator allocator = restorer->allocator;
        const int has_allocator = restorer->has_allocator;
        tally_release_wiped(has_allocator ? &allocator : NULL, restorer, sizeof *restorer);
    }
}

size_t tally_text_restore_capacity(const tally_text_restorer *restorer, size_t size)
{
    /* Five bytes of a value take eight characters, and an escape six bytes: 30 for 8. */
    const size_t most = restorer->end - restorer->written;
    const size_t times = restorer->context == TALLY_TEXT_PLAIN ? 1 : 4;
    return size > (SIZE_MAX - times * most) / times ? SIZE_MAX : times * (most + size);
}

uint64_t tally_text_restored(const tally_text_restorer *restorer)
{
    return restorer->restored;
}

uint64_t tally_text_refused(const tally_text_restorer *restorer)
{
    return restorer->refused;
}

/* The number of a symbol of a body, or 32. */
static uint32_t restore_symbol(uint8_t character)
{
    static const uint8_t letters[26] = {10, 11, 12, 13, 14, 15, 16, 17, 32, 18, 19, 32, 20,
                                        21, 32, 22, 23, 24, 25, 26, 32, 27, 28, 29, 30, 31};
    if (character >= '0' && character <= '9') {
        return (uint32_t)(character - '0');
    }
    return character >= 'a' && character <= 'z' ? letters[character - 'a'] : 32;
}

static void restore_put(restore_out *out, const void *bytes, size_t size)
{
    if (size != 0) {
        memcpy(out->at, bytes, size);
        out->at += size;
    }
}

/* Writes the text up to `until` as it came. */
static void restore_pass(tally_text_restorer *r, size_t until, restore_out *out)
{
    if (until > r->written) {
        restore_put(out, r->held + r->written, until - r->written);
        r->written = until;
    }
}

static void restore_json(const uint8_t *value, size_t size, restore_out *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = value[i];
        if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&') { /* for JSON in HTML too */
            const uint8_t escape[] = {
                '\\', 'u', '0', '0', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
            restore_put(out, escape, sizeof escape);
        } else {
            if (c == '"' || c == '\\') {
                *out->at++ = '\\';
            }
            *out->at++ = c;
        }
    }
}

static void restore_html(const uint8_t *value, size_t size, restore_out *out)
{
    for (size_t i = 0; i < size; i++) {
        const char *escape = NULL;
        switch (value[i]) {
        case '&':
            escape = "&amp;";
            break;
        case '<':
            escape = "&lt;";
            break;
        case '>':
            escape = "&gt;";
            break;
        case '"':
            escape = "&quot;";
            break;
        case '\'':
            escape = "&#39;";
            break;
        case '`':
            escape = "&#96;";
            break;
        default:
            *out->at++ = value[i];
            continue;
        }
        restore_put(out, escape, strlen(escape));
    }
}

/* Tries the keys on the body that is complete. If one made it, its value replaces start..end. */
static void restore_complete(tally_text_restorer *r, size_t end, restore_out *out)
{
    uint8_t body[TALLY_TEXT_BODY_MAX];
    const size_t check = r->keys[0]->check_size;
    int opened = 0;
    for (size_t i = 0; i < r->count && !opened; i++) {
        memcpy(body, r->body, r->body_size);
        opened = tally_text_open(r->keys[i], body, r->value_size);
    }
    r->state = RESTORE_NONE;
    if (!opened) {
        r->refused++;
        return;
    }
    restore_pass(r, r->start, out);
    if (r->context == TALLY_TEXT_JSON) {
        restore_json(body + check, r->value_size, out);
    } else if (r->context == TALLY_TEXT_HTML) {
        restore_html(body + check, r->value_size, out);
    } else {
        restore_put(out, body + check, r->value_size);
    }
    tally_wipe(body, r->body_size);
    r->restored++;
    r->written = end;
    if (r->letters_at < end) {
        r->letters = 0;
    }
}

static void restore_begin(tally_text_restorer *r, tally_text_frame frame, size_t start)
{
    r->state = RESTORE_KIND;
    r->frame = frame;
    r->start = start;
    r->kind_units = 0;
    r->letters = 0;
}

static void restore_begin_body(tally_text_restorer *r)
{
    r->state = RESTORE_BODY;
    r->symbols = 0;
    r->wanted = TALLY_TEXT_HEADER;
    r->bits = r->bit_count = 0;
    r->body_size = 0;
    r->at_sign = 0;
    r->domain = 0;
}

/* Follows tly- wherever it stands. Returns whether it is complete. */
static int restore_follow(tally_text_restorer *r, uint8_t character, size_t at)
{
    static const uint8_t opening[] = {'t', 'l', 'y'};
    if (character == '-' && r->letters == 3) {
        return 1;
    }
    if (character == 't') {
        r->letters = 1;
        r->letters_at = at;
    } else if (r->letters != 0 && r->letters < 3 && character == opening[r->letters]) {
        r->letters++;
    } else {
        r->letters = 0;
    }
    return 0;
}

static void restore_kind(tally_text_restorer *r, tally_text_unit unit)
{
    const int is_character = unit.class == TALLY_TEXT_CHARACTER;
    if (is_character && unit.character == '.' && r->frame == TALLY_TEXT_ASCII &&
        r->kind_units > 0) {
        r->frame = TALLY_TEXT_EMAIL;
        restore_begin_body(r);
        return;
    }
    const uint8_t end = r->frame == TALLY_TEXT_ASCII ? '-' : ':';
    if (is_character && unit.character == end && r->kind_units > 0) {
        restore_begin_body(r);
        return;
    }
    const int in_kind = is_character ? strchr("-:@.", unit.character) == NULL
                                     : unit.class == TALLY_TEXT_HIGH && end == ':';
    if (!in_kind || ++r->kind_units > RESTORE_KIND_UNITS) {
        r->state = RESTORE_NONE;
    }
}

/* Whether a unit is the @ in the body of an address, or a dot behind it. */
static int restore_is_joint(tally_text_restorer *r, tally_text_unit unit)
{
    if (r->frame != TALLY_TEXT_EMAIL || unit.class != TALLY_TEXT_CHARACTER) {
        return 0;
    }
    if (unit.character == '@' && !r->at_sign) {
        r->at_sign = 1;
        return 1;
    }
    return unit.character == '.' && r->at_sign;
}

static void restore_body(tally_text_restorer *r, tally_text_unit unit, restore_out *out)
{
    if (restore_is_joint(r, unit)) {
        return;
    }
    const uint32_t symbol =
        unit.class == TALLY_TEXT_CHARACTER ? restore_symbol(unit.character) : 32;
    if (symbol == 32) {
        r->state = RESTORE_NONE;
        return;
    }
    r->bits = r->bits << 5 | symbol;
    r->symbols++;
    if (r->symbols <= TALLY_TEXT_HEADER) {
        if (r->symbols == 1 && symbol > 3) { /* three bits of later versions */
            r->state = RESTORE_NONE;
        } else if (r->symbols == TALLY_TEXT_HEADER) {
            r->value_size = r->bits + 1;
            const size_t bytes = r->keys[0]->check_size + r->value_size;
            r->wanted += (uint32_t)((8 * bytes + 4) / 5);
            r->bits = 0;
        }
        return;
    }
    r->bit_count += 5;
    if (r->bit_count >= 8) {
        r->bit_count -= 8;
        r->body[r->body_size++] = (uint8_t)(r->bits >> r->bit_count);
        r->bits &= (1u << r->bit_count) - 1;
    }
    if (r->symbols < r->wanted) {
        return;
    }
    if (r->bits != 0) { /* a body has one spelling */
        r->state = RESTORE_NONE;
        return;
    }
    r->body_end = r->at;
    r->state = RESTORE_TAIL;
    if (r->frame == TALLY_TEXT_ASCII) {
        restore_complete(r, r->body_end, out);
    }
}

/* Takes a unit behind a complete body: what closes the token, or not. Returns whether it may still be
 * closed. */
static int restore_tail(tally_text_restorer *r, tally_text_unit unit, restore_out *out)
{
    static const char domain[] = TALLY_TEXT_DOMAIN;
    if (r->frame != TALLY_TEXT_EMAIL) {
        restore_complete(r, unit.class == TALLY_TEXT_CLOSE ? r->at : r->body_end, out);
        return 0;
    }
    const uint8_t joint = r->at_sign ? '.' : '@';
    const uint8_t wanted = r->domain == 0 ? joint : (uint8_t)domain[r->domain - 1];
    if (unit.class != TALLY_TEXT_CHARACTER || unit.character != wanted) {
        restore_complete(r, r->body_end, out);
    } else if (++r->domain == sizeof domain) {
        restore_complete(r, r->at, out);
    }
    return r->state == RESTORE_TAIL;
}

/* Takes the unit that begins at `from` and ends at r->at. */
static void restore_step(tally_text_restorer *r, tally_text_unit unit, size_t from,
                         restore_out *out)
{
    const int gap = unit.class == TALLY_TEXT_GAP || unit.class == TALLY_TEXT_LINE ||
                    (unit.class == TALLY_TEXT_QUOTE && r->line);
    if (gap) {
        r->gap += unit.size;
        r->line |= unit.class == TALLY_TEXT_LINE;
        if (r->gap <= RESTORE_GAP) {
            return;
        }
    } else {
        r->gap = 0;
        r->line = 0;
    }
    if (r->state == RESTORE_TAIL && restore_tail(r, unit, out)) {
        (void)restore_follow(r, unit.character, from);
        return;
    }
    if (unit.class == TALLY_TEXT_OPEN) {
        restore_begin(r, TALLY_TEXT_UNICODE, from);
        return;
    }
    if (restore_follow(r, unit.class == TALLY_TEXT_CHARACTER ? unit.character : 0, from)) {
        restore_begin(r, TALLY_TEXT_ASCII, r->letters_at);
    } else if (gap) {
        r->state = RESTORE_NONE;
    } else if (r->state == RESTORE_KIND) {
        restore_kind(r, unit);
    } else if (r->state == RESTORE_BODY) {
        restore_body(r, unit, out);
    }
}

/* The bytes that may begin an opening, or the first letter of one. */
static const uint8_t restore_matters[256] = {
    ['t'] = 1, ['T'] = 1, [0xe2] = 1, ['&'] = 1, ['\\'] = 1, ['%'] = 1, ['='] = 1};

static void restore_scan(tally_text_restorer *r, int finish, restore_out *out)
{
    while (r->at < r->end) {
        if (r->state == RESTORE_NONE && r->letters == 0) {
            r->gap = 0;
            r->line = 0;
            while (r->at < r->end && !restore_matters[r->held[r->at]]) {
                r->at++;
            }
            if (r->at == r->end) {
                break;
            }
        }
        const tally_text_unit unit = tally_text_unit_read(r->held + r->at, r->end - r->at, finish);
        if (unit.class == TALLY_TEXT_MORE) {
            break;
        }
        const size_t from = r->at;
        r->at += unit.size;
        if (r->state != RESTORE_NONE && r->at - r->start > TALLY_TEXT_HELD_MAX) {
            r->state = RESTORE_NONE;
        }
        restore_step(r, unit, from, out);
    }
    if (finish && r->state == RESTORE_TAIL) {
        restore_complete(r, r->body_end, out);
    }
    if (finish) {
        r->state = RESTORE_NONE;
        r->letters = 0;
    }
    size_t until = r->at;
    if (r->state != RESTORE_NONE) {
        until = r->start;
    } else if (r->letters != 0) {
        until = r->letters_at;
    }
    restore_pass(r, until, out);
}

/* Moves what is held to the beginning. */
static void restore_compact(tally_text_restorer *r)
{
    const size_t by = r->written;
    if (by == 0) {
        return;
    }
    memmove(r->held, r->held + by, r->end - by);
    tally_wipe(r->held + r->end - by, by);
    r->written = 0;
    r->end -= by;
    r->at -= by;
    r->start -= by;
    r->body_end -= by;
    r->letters_at -= by;
}

tally_status tally_text_restore(tally_text_restorer *restorer, const uint8_t *chunk, size_t size,
                                int finish, uint8_t *out, size_t capacity, size_t *out_size)
{
    tally_text_restorer *const r = restorer;
    restore_out to = {out};
    if (capacity < tally_text_restore_capacity(r, size)) {
        return TALLY_ERROR_ARGUMENT;
    }
    do {
        const size_t left = sizeof r->held - r->end, taken = size < left ? size : left;
        if (taken != 0) {
            memcpy(r->held + r->end, chunk, taken);
            chunk += taken;
            size -= taken;
            r->end += taken;
        }
        restore_scan(r, finish && size == 0, &to);
        restore_compact(r);
    } while (size != 0);
    *out_size = (size_t)(to.at - out);
    return TALLY_OK;
}

/* ---- core/text/seal.c ---- */
/*
 * A value becomes a token: a check of zeros before it, all of it encrypted by four rounds of an
 * unbalanced Feistel network (Luby and Rackoff), whose halves are the check and the value. A short
 * check would repeat the counters of a plain SIV mode: equal checks of two values would then give
 * their sum away. Here that takes two collisions at once. */

static const char seal_purpose[] = "tallystick text 1";

tally_status tally_text_key_init(const uint8_t *key, size_t key_size, const uint8_t *space,
                                 size_t space_size, const uint8_t *scope, size_t scope_size,
                                 uint32_t check_bits, tally_text_key *out)
{
    enum { ROUND_KEY = 32, PURPOSE = sizeof seal_purpose - 1 };
    uint8_t info[PURPOSE + 3 + TALLY_TEXT_SPACE_SIZE_MAX + TALLY_TEXT_SCOPE_SIZE_MAX],
        keys[4 * ROUND_KEY];
    if (key_size != 16 && key_size != 24 && key_size != 32) {
        return TALLY_ERROR_KEY_SIZE;
    }
    if (check_bits < TALLY_TEXT_CHECK_BITS_MIN || check_bits > TALLY_TEXT_CHECK_BITS_MAX ||
        check_bits % 8 != 0) {
        return TALLY_ERROR_TEXT_CHECK_BITS;
    }
    if (space_size == 0 || space_size > TALLY_TEXT_SPACE_SIZE_MAX ||
        scope_size > TALLY_TEXT_SCOPE_SIZE_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(info, seal_purpose, PURPOSE);
    info[PURPOSE] = (uint8_t)(check_bits / 8);
    info[PURPOSE + 1] = (uint8_t)(space_size >> 8);
    info[PURPOSE + 2] = (uint8_t)space_size;
    memcpy(info + PURPOSE + 3, space, space_size);
    if (scope_size != 0) {
        memcpy(info + PURPOSE + 3 + space_size, scope, scope_size);
    }
    tally_status status = tally_hkdf_sha256(
        NULL, 0, key, key_size, info, PURPOSE + 3 + space_size + scope_size, keys, sizeof keys);
    tally_text_key made;
    memset(&made, 0, sizeof made);
    made.check_size = check_bits / 8;
    tally_hmac_sha256_init(&made.first, keys, ROUND_KEY);
    tally_hmac_sha256_init(&made.third, keys + 2 * ROUND_KEY, ROUND_KEY);
    if (status == TALLY_OK) {
        status = tally_aes_key_init(keys + ROUND_KEY, ROUND_KEY, &made.second);
    }
    if (status == TALLY_OK) {
        status = tally_aes_key_init(keys + 3 * ROUND_KEY, ROUND_KEY, &made.fourth);
    }
    if (status == TALLY_OK) {
        *out = made;
    }
    tally_wipe(keys, sizeof keys);
    tally_wipe(&made, sizeof made);
    return status;
}

void tally_text_key_wipe(tally_text_key *key)
{
    tally_wipe(key, sizeof *key);
}

/* check ^= the beginning of HMAC(value) */
static void seal_check(const tally_hmac_sha256 *keyed, const uint8_t *value, size_t size,
                       uint8_t *check, size_t check_size)
{
    tally_hmac_sha256 context = *keyed;
    uint8_t tag[TALLY_SHA256_SIZE];
    tally_hmac_sha256_update(&context, value, size);
    tally_hmac_sha256_final(&context, tag);
    for (size_t i = 0; i < check_size; i++) {
        check[i] ^= tag[i];
    }
    tally_wipe(tag, sizeof tag);
}

/* value ^= AES-CTR from the counter block of the check and zeros */
static void seal_value(const tally_aes_key *key, const uint8_t *check, size_t check_size,
                       uint8_t *value, size_t size)
{
    uint8_t counter[16] = {0};
    memcpy(counter, check, check_size);
    tally_aes_ctr(key, counter, value, size, value);
    tally_wipe(counter, sizeof counter);
}

/* A body is a check and then a value of `size` bytes. */
static void seal_encrypt(const tally_text_key *key, uint8_t *body, size_t size)
{
    const size_t check = key->check_size;
    uint8_t *const value = body + check;
    seal_check(&key->first, value, size, body, check);
    seal_value(&key->second, body, check, value, size);
    seal_check(&key->third, value, size, body, check);
    seal_value(&key->fourth, body, check, value, size);
}

static void seal_decrypt(const tally_text_key *key, uint8_t *body, size_t size)
{
    const size_t check = key->check_size;
    uint8_t *const value = body + check;
    seal_value(&key->fourth, body, check, value, size);
    seal_check(&key->third, value, size, body, check);
    seal_value(&key->second, body, check, value, size);
    seal_check(&key->first, value, size, body, check);
}

int tally_text_open(const tally_text_key *key, uint8_t *body, size_t size)
{
    static const uint8_t zeros[TALLY_TEXT_CHECK_BITS_MAX / 8];
    seal_decrypt(key, body, size);
    if (!tally_equal(body, zeros, key->check_size)) {
        tally_wipe(body, key->check_size + size);
        return 0;
    }
    return 1;
}

/* The bytes of a body as symbols of five bits, most significant first, behind the value's size in
 * three. Returns the end of the text. */
static uint8_t *seal_write(const uint8_t *body, size_t body_size, size_t size, uint8_t *out)
{
    static const char symbols[] = TALLY_TEXT_SYMBOLS;
    uint32_t bits = (uint32_t)(size - 1), count = 5 * TALLY_TEXT_HEADER;
    for (size_t i = 0; i <= body_size; i++) {
        while (count >= 5) {
            count -= 5;
            *out++ = (uint8_t)symbols[bits >> count & 31];
        }
        if (i < body_size) {
            bits = bits << 8 | body[i];
            count += 8;
        }
    }
    while (count > 0) { /* the last bits, and zeros */
        const uint32_t taken = count < 5 ? count : 5;
        count -= taken;
        *out++ = (uint8_t)symbols[(bits >> count << (5 - taken)) & 31];
    }
    return out;
}

int tally_text_is_kind(const char *kind, size_t size)
{
    if (size == 0 || size > TALLY_TEXT_KIND_SIZE_MAX || kind[0] < 'a' || kind[0] > 'z' ||
        (size >= 3 && memcmp(kind + size - 3, "tly", 3) == 0)) {
        return 0; /* tly- begins another token */
    }
    for (size_t i = 0; i < size; i++) {
        const char c = kind[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
            return 0;
        }
    }
    return 1;
}

/* Whether a value is written as an e-mail address: text with one @ inside. */
static int seal_is_address(const uint8_t *value, size_t size)
{
    const uint8_t *const at = size < 3 ? NULL : memchr(value + 1, '@', size - 2);
    return at != NULL && value[0] != '@' && value[size - 1] != '@' &&
           memchr(at + 1, '@', (size_t)(value + size - at - 1)) == NULL;
}

/* Makes an address of a token in the frame of ASCII: the hyphen behind the kind becomes a dot, and as
 * much of the body as has no room in the local part becomes labels of the domain. Returns its size, or
 * 0 if it is too long for an address. */
static size_t seal_address(uint8_t *token, size_t size, size_t kind_size)
{
    enum { LOCAL = 64, LABEL = 63, ADDRESS = 254 };
    static const char domain[] = TALLY_TEXT_DOMAIN;
    uint8_t made[ADDRESS];
    size_t end = size < LOCAL ? size : LOCAL;
    if (size + (size - end) / LABEL + 2 + sizeof domain - 1 > ADDRESS) {
        return 0;
    }
    memcpy(made, token, end);
    made[4 + kind_size] = '.';
    made[end++] = '@';
    for (size_t at = end - 1; at < size;) {
        const size_t label = size - at < LABEL ? size - at : LABEL;
        memcpy(made + end, token + at, label);
        at += label;
        end += label;
        made[end++] = '.';
    }
    memcpy(made + end, domain, sizeof domain - 1);
    end += sizeof domain - 1;
    memcpy(token, made, end);
    return end;
}

tally_status tally_text_protect(const tally_text_key *key, tally_text_frame frame, const char *kind,
                                size_t kind_size, const uint8_t *value, size_t size, uint8_t *out,
                                size_t *out_size)
{
    static const char *const frames[][3] = {{"\xe2\x9f\xa6", ":", "\xe2\x9f\xa7"},
                                            {"tly-", "-", ""}};
    uint8_t body[TALLY_TEXT_BODY_MAX];
    const size_t check = key->check_size;
    if (frame != TALLY_TEXT_UNICODE && frame != TALLY_TEXT_ASCII && frame != TALLY_TEXT_EMAIL) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!tally_text_is_kind(kind, kind_size)) {
        return TALLY_ERROR_TEXT_KIND;
    }
    if (size == 0 || size > TALLY_TEXT_VALUE_SIZE_MAX) {
        return TALLY_ERROR_TEXT_VALUE;
    }
    memset(body, 0, check);
    memcpy(body + check, value, size);
    seal_encrypt(key, body, size);
    const char *const *const parts = frames[frame != TALLY_TEXT_UNICODE];
    uint8_t *at = out;
    memcpy(at, parts[0], strlen(parts[0]));
    at += strlen(parts[0]);
    memcpy(at, kind, kind_size);
    at += kind_size;
    *at++ = (uint8_t)parts[1][0];
    at = seal_write(body, check + size, size, at);
    memcpy(at, parts[2], strlen(parts[2]));
    *out_size = (size_t)(at - out) + strlen(parts[2]);
    if (frame == TALLY_TEXT_EMAIL && seal_is_address(value, size)) {
        const size_t address = seal_address(out, *out_size, kind_size);
        *out_size = address != 0 ? address : *out_size;
    }
    return TALLY_OK;
}

/* ---- core/text/unit.c ---- */
/*
 * What bytes of text stand for: characters as they are, and escaped as JSON, HTML, Markdown, URLs
 * and quoted-printable do. A unit has at most 40 bytes. */

enum { UNIT_BACKSLASHES = 8, UNIT_AMPERSANDS = 3 };

static tally_text_unit unit_of(tally_text_class class, size_t size)
{
    const tally_text_unit unit = {class, 0, size};
    return unit;
}

static tally_text_unit unit_character(uint32_t character, size_t size)
{
    const tally_text_unit unit = {TALLY_TEXT_CHARACTER, (uint8_t)character, size};
    return unit;
}

static tally_text_unit unit_ascii(uint32_t point, size_t size)
{
    if (point >= 'A' && point <= 'Z') {
        return unit_character(point - 'A' + 'a', size);
    }
    if ((point >= 'a' && point <= 'z') || (point >= '0' && point <= '9') || point == '_' ||
        point == '-' || point == ':' || point == '@' || point == '.') {
        return unit_character(point, size);
    }
    switch (point) {
    case ' ':
    case '\t':
        return unit_of(TALLY_TEXT_GAP, size);
    case '\n':
    case '\r':
        return unit_of(TALLY_TEXT_LINE, size);
    case '>':
    case '|':
    case '#':
    case '/':
    case '*':
    case ';':
        return unit_of(TALLY_TEXT_QUOTE, size);
    default:
        return unit_of(TALLY_TEXT_OTHER, size);
    }
}

static tally_text_unit unit_point(uint32_t point, size_t size)
{
    if (point < 0x80) {
        return unit_ascii(point, size);
    }
    switch (point) {
    case 0x27e6:
        return unit_of(TALLY_TEXT_OPEN, size);
    case 0x27e7:
        return unit_of(TALLY_TEXT_CLOSE, size);
    case 0x2010: /* hyphens, dashes and the minus, as typography puts them for '-' */
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
        return unit_character('-', size);
    case 0xff1a:
        return unit_character(':', size);
    case 0xff20:
        return unit_character('@', size);
    case 0xff0e:
        return unit_character('.', size);
    case 0xa0: /* spaces, the soft hyphen, and what has no width */
    case 0xad:
    case 0x2009:
    case 0x200b:
    case 0x200c:
    case 0x200d:
    case 0x202f:
    case 0x2060:
    case 0xfeff:
        return unit_of(TALLY_TEXT_GAP, size);
    case 0x2028:
    case 0x2029:
        return unit_of(TALLY_TEXT_LINE, size);
    default:
        return unit_of(TALLY_TEXT_HIGH, size);
    }
}

static uint32_t unit_lower(uint32_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

static uint32_t unit_digit(uint32_t byte)
{
    const uint32_t lower = unit_lower(byte);
    if (lower >= '0' && lower <= '9') {
        return lower - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* Whether text begins with a word in lower case, in any case: 1, 0, or -1 if the text ends before
 * that is clear. */
static int unit_begins(const uint8_t *at, size_t size, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (i == size) {
            return -1;
        }
        if (unit_lower(at[i]) != (uint8_t)word[i]) {
            return 0;
        }
    }
    return 1;
}

/* A character of UTF-8 beyond ASCII. A byte that begins none stands for itself. */
static tally_text_unit unit_utf8(const uint8_t *at, size_t size, int final)
{
    const size_t wanted = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t point = 0;
    if (at[0] < 0xc2 || at[0] > 0xf4) {
        return unit_of(TALLY_TEXT_HIGH, 1);
    }
    for (size_t i = 1; i < size && i < wanted; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return unit_of(TALLY_TEXT_HIGH, 1);
        }
    }
    if (size < wanted && !final) {
        return unit_of(TALLY_TEXT_MORE, 0);
    }
    const uint32_t width = tally_utf8_decode(at, at + size, &point);
    return width == 0 ? unit_of(TALLY_TEXT_HIGH, 1) : unit_point(point, width);
}

/* Backslashes, and what follows them: JSON's \uXXXX, \n, \r and \t, however often they are escaped
 * again. Before anything else they change nothing. */
static tally_text_unit unit_backslash(const uint8_t *at, size_t size, int final)
{
    size_t run = 1;
    while (run < size && run < UNIT_BACKSLASHES && at[run] == '\\') {
        run++;
    }
    if (run == size) {
        return final ? unit_of(TALLY_TEXT_GAP, run) : unit_of(TALLY_TEXT_MORE, 0);
    }
    const uint8_t *const behind = at + run;
    const size_t rest = size - run;
    uint32_t point = 0;
    switch (unit_lower(*behind)) {
    case 'u':
        for (size_t i = 1; i <= 4; i++) {
            if (i == rest) {
                return final ? unit_of(TALLY_TEXT_GAP, run) : unit_of(TALLY_TEXT_MORE, 0);
            }
            if (unit_digit(behind[i]) == 16) {
                return unit_of(TALLY_TEXT_GAP, run);
            }
            point = point << 4 | unit_digit(behind[i]);
        }
        return unit_point(point, run + 5);
    case 'n':
    case 'r':
    case '\n':
    case '\r':
        return unit_of(TALLY_TEXT_LINE, run + 1);
    case 't': { /* a tabulator, or a path's backslash before a token */
        const int token = unit_begins(behind, rest, "tly");
        if (token < 0 && !final) {
            return unit_of(TALLY_TEXT_MORE, 0);
        }
        return unit_of(TALLY_TEXT_GAP, token > 0 ? run : run + 1);
    }
    default:
        return unit_of(TALLY_TEXT_GAP, run);
    }
}

/* A reference of HTML, or one that was escaped again: &#x27e6; &amp;#10214; &lobrk; */
static tally_text_unit unit_reference(const uint8_t *at, size_t size, int final)
{
    static const struct {
        const char *name;
        uint32_t point;
    } names[] = {
        {"lobrk;", 0x27e6},  {"leftdoublebracket;", 0x27e6},
        {"robrk;", 0x27e7},  {"rightdoublebracket;", 0x27e7},
        {"colon;", ':'},     {"lowbar;", '_'},
        {"hyphen;", 0x2010}, {"dash;", 0x2010},
        {"shy;", 0xad},      {"nbsp;", 0xa0},
        {"gt;", '>'},        {"commat;", '@'},
        {"period;", '.'},
    };
    const tally_text_unit more = unit_of(final ? TALLY_TEXT_OTHER : TALLY_TEXT_MORE, final ? 1 : 0);
    size_t i = 1;
    for (int k = 0; k < UNIT_AMPERSANDS; k++) {
        const int again = unit_begins(at + i, size - i, "amp;");
        if (again < 0) {
            return more;
        }
        i += again > 0 ? 4 : 0;
    }
    if (i == size) {
        return more;
    }
    if (at[i] != '#') {
        int open = 0;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const int found = unit_begins(at + i, size - i, names[k].name);
            if (found > 0) {
                return unit_point(names[k].point, i + strlen(names[k].name));
            }
            open |= found < 0;
        }
        return open ? more : unit_of(TALLY_TEXT_OTHER, 1);
    }
    i++;
    uint32_t base = 10, point = 0;
    if (i < size && unit_lower(at[i]) == 'x') {
        base = 16;
        i++;
    }
    for (size_t digits = 0; i < size && digits < 8; i++, digits++) {
        if (at[i] == ';') {
            return digits == 0 || point > 0x10ffff ? unit_of(TALLY_TEXT_OTHER, 1)
                                                   : unit_point(point, i + 1);
        }
        const uint32_t digit = unit_digit(at[i]);
        if (digit >= base) {
            return unit_of(TALLY_TEXT_OTHER, 1);
        }
        point = point * base + digit;
    }
    return i == size ? more : unit_of(TALLY_TEXT_OTHER, 1);
}

/* Reads a byte that is escaped as `prefix` and two digits: 1, 0, or -1 if the text ends before. */
static int unit_byte(const uint8_t *at, size_t size, const char *prefix, uint8_t *byte)
{
    const size_t prefix_size = strlen(prefix);
    const int begins = unit_begins(at, size, prefix);
    if (begins <= 0) {
        return begins;
    }
    uint32_t value = 0;
    for (size_t i = prefix_size; i < prefix_size + 2; i++) {
        if (i == size) {
            return -1;
        }
        if (unit_digit(at[i]) == 16) {
            return 0;
        }
        value = value << 4 | unit_digit(at[i]);
    }
    *byte = (uint8_t)value;
    return 1;
}

/* A character whose bytes are escaped each: %E2%9F%A6 in URLs (%25E2 if that was done again), and
 * =E2=9F=A6 in quoted-printable, which also ends lines with =. */
static tally_text_unit unit_bytes(const uint8_t *at, size_t size, int final)
{
    static const char *const prefixes[] = {"%25", "%", "="};
    if (at[0] == '=' && size > 1 && (at[1] == '\n' || at[1] == '\r')) {
        return unit_of(TALLY_TEXT_LINE, 2);
    }
    int open = 0;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        const size_t each = strlen(prefixes[k]) + 2;
        uint8_t bytes[4] = {0};
        size_t wanted = 1, have = 0;
        int found = 1;
        while (have < wanted && found > 0) {
            found = unit_byte(at + have * each, size - have * each, prefixes[k], &bytes[have]);
            have += found > 0;
            if (have == 1 && bytes[0] >= 0xc2 && bytes[0] <= 0xf4) {
                wanted = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
            }
        }
        open |= found < 0;
        if (found > 0 && bytes[0] < 0x80) {
            return unit_ascii(bytes[0], each);
        }
        uint32_t point = 0;
        if (found > 0 && tally_utf8_decode(bytes, bytes + wanted, &point) != 0) {
            return unit_point(point, wanted * each);
        }
        if (found < 0 && !final) {
            break;
        }
    }
    return open && !final ? unit_of(TALLY_TEXT_MORE, 0) : unit_of(TALLY_TEXT_OTHER, 1);
}

/* A tag of HTML that breaks a line, or allows it. */
static tally_text_unit unit_tag(const uint8_t *at, size_t size, int final)
{
    static const char *const tags[] = {"<br>", "<br/>", "<br />", "<wbr>"};
    int open = 0;
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++) {
        const int found = unit_begins(at, size, tags[k]);
        if (found > 0) {
            return unit_of(TALLY_TEXT_LINE, strlen(tags[k]));
        }
        open |= found < 0;
    }
    return open && !final ? unit_of(TALLY_TEXT_MORE, 0) : unit_of(TALLY_TEXT_OTHER, 1);
}

tally_text_unit tally_text_unit_read(const uint8_t *at, size_t size, int final)
{
    switch (at[0]) {
    case '\\':
        return unit_backslash(at, size, final);
    case '&':
        return unit_reference(at, size, final);
    case '%':
    case '=':
        return unit_bytes(at, size, final);
    case '<':
        return unit_tag(at, size, final);
    default:
        return at[0] < 0x80 ? unit_ascii(at[0], 1) : unit_utf8(at, size, final);
    }
}

/* ---- core/policy/kinds.c ---- */
/*
 * Text policies: what one may say, and why it is refused. */

/* ---- core/policy/table.h ---- */
/*
 * Tables of a policy: which keys a table has, what each must be, and where it is. */
#ifndef TALLY_POLICY_TABLE_H
#define TALLY_POLICY_TABLE_H

typedef enum tally_table_kind {
    TALLY_TABLE_TABLE,
    TALLY_TABLE_TEXT,
    TALLY_TABLE_BOOLEAN,
    TALLY_TABLE_TEXTS,      /* an array of texts */
    TALLY_TABLE_FULL_TEXTS, /* the same, none of which is empty */
    TALLY_TABLE_CHOICE,     /* a text, one of `choices` */
    TALLY_TABLE_ONE,        /* the number 1 */
    TALLY_TABLE_INTEGER,
    TALLY_TABLE_FORMAT /* a text or a table */
} tally_table_kind;

typedef struct tally_table_field {
    const char *name; /* NULL ends the fields */
    tally_table_kind kind;
    const char *expected; /* the text after "must be" */
    int required;
    const char *const *choices; /* ending with NULL */
} tally_table_field;

enum { TALLY_TABLE_FIELDS = 8 /* of a table, at most */ };

/* Where a table is: the keys that lead to it. NULL stands for the whole policy. */
typedef struct tally_table_place {
    const struct tally_table_place *above;
    const char *key;
    size_t size;
} tally_table_place;

/* The place of a key in a table. */
tally_table_place tally_table_at(const tally_table_place *above, const char *key);

/* Begins the text of a problem there. */
void tally_table_problem(const tally_table_place *place, tally_problem *problem,
                         tally_writer *text);

/* Writes the fault there; returns TALLY_ERROR_POLICY. */
tally_status tally_table_wrong(const tally_table_place *place, tally_problem *problem,
                               const char *text);

/* Reads a table: values[i] is that of fields[i], or NULL. `example` is what such a table may be, or
 * NULL. TALLY_ERROR_POLICY: it is no table, has a key that it can't have, lacks one, or has a value
 * of another type. */
tally_status tally_table_read(const tally_table_field *fields, const tally_json *table,
                              const tally_table_place *place, const char *example,
                              const tally_json **values, tally_problem *problem);

#endif

/* ---- core/base/nearest.h ---- */
/*
 * The name that a misspelt one may have meant: the answers of Python's difflib.get_close_matches
 * with n = 1 and its cutoff of 0.6, for names whose ASCII letters are all in lower case. */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

enum { TALLY_NEAREST_CHARACTERS = 128 }; /* longer names are never near, nor have near ones */

/* The choices are offered one after the other. */
typedef struct tally_nearest {
    uint32_t name[TALLY_NEAREST_CHARACTERS];
    size_t characters; /* of the name; 0 for one that is too long */
    const char *best;  /* the nearest choice until now, or NULL */
    size_t best_size;
    uint32_t matches, total; /* its ratio is 2 * matches / total */
} tally_nearest;

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size);
void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size);

/* Says what a name may have meant: "; did you mean 'mask'?" */
void tally_write_meant(tally_writer *writer, const char *name, size_t size);

/* Says what a misspelt name may have meant, of some choices. Returns 0, and says nothing, if
 * no choice is near. The choices are zero-terminated. */
int tally_write_nearest(tally_writer *writer, const char *name, size_t size,
                        const char *const *choices, size_t count);

/* Says what a misspelt name may have meant, or what there is: "; did you mean 'mask'?" or
 * "; there are: card, mask". The choices are zero-terminated. */
void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count);

#endif

enum { KINDS_VERSION, KINDS_FRAME, KINDS_CHECK_BITS, KINDS_KINDS };

static const char *const kinds_frames[] = {"unicode", "ascii", "email", NULL};

static const tally_table_field kinds_top[] = {
    {"version", TALLY_TABLE_ONE, "1", 0, NULL},
    {"frame", TALLY_TABLE_CHOICE, "'unicode', 'ascii' or 'email'", 0, kinds_frames},
    {"check_bits", TALLY_TABLE_INTEGER, "a whole number", 0, NULL},
    {"kinds", TALLY_TABLE_TABLE, "a table", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

enum { KIND_KEY, KIND_NAMESPACE, KIND_SCAN };

#define KINDS_TEXTS   "a list of texts that are not empty"
#define KINDS_EXAMPLE "{ key = \"people:1\", namespace = \"e-mail\" }"

static const tally_table_field kinds_kind[] = {
    {"key", TALLY_TABLE_TEXT, "a data key with its version, such as \"people:1\"", 1, NULL},
    {"namespace", TALLY_TABLE_TEXT, "text that names the values, such as \"e-mail\"", 1, NULL},
    {"scan", TALLY_TABLE_FULL_TEXTS, KINDS_TEXTS, 0, NULL},
    {"patterns", TALLY_TABLE_FULL_TEXTS, KINDS_TEXTS, 0, NULL},
    {"words", TALLY_TABLE_FULL_TEXTS, KINDS_TEXTS, 0, NULL},
    {"ignore_case", TALLY_TABLE_BOOLEAN, "true or false", 0, NULL},
    {NULL, TALLY_TABLE_TEXT, NULL, 0, NULL},
};

/* What the kinds until now have. */
typedef struct kinds_seen {
    const tally_json *scanning[TALLY_SCAN_KINDS]; /* the kind that a kind of the scanner is of */
    tally_key_id key[TALLY_TEXT_KEYS_MAX];        /* each with the namespace beside it */
    const tally_json *name_space[TALLY_TEXT_KEYS_MAX];
    size_t pairs;
} kinds_seen;

static tally_status kinds_check_scan(kinds_seen *seen, const tally_json *kind,
                                     const tally_json *scan, const tally_table_place *place,
                                     tally_problem *problem)
{
    const tally_table_place at = tally_table_at(place, "scan");
    const char *names[TALLY_SCAN_KINDS];
    tally_writer writer;
    for (uint32_t i = 0; i < TALLY_SCAN_KINDS; i++) {
        names[i] = tally_scan_kind_name(i);
    }
    for (const tally_json *item = scan == NULL ? NULL : scan->first; item != NULL;
         item = item->next) {
        size_t i = 0;
        while (i < TALLY_SCAN_KINDS && !tally_json_is(item, names[i])) {
            i++;
        }
        if (i < TALLY_SCAN_KINDS && seen->scanning[i] == NULL) {
            seen->scanning[i] = kind;
            continue;
        }
        tally_table_problem(&at, problem, &writer);
        if (i == TALLY_SCAN_KINDS) {
            tally_write(&writer, "no such kind");
            tally_write_instead(&writer, item->text, item->size, names, TALLY_SCAN_KINDS);
        } else {
            tally_write(&writer, names[i]);
            tally_write(&writer, " is of kinds");
            tally_write_path(&writer, seen->scanning[i]->key, seen->scanning[i]->key_size);
            tally_write(&writer, " too");
        }
        return TALLY_ERROR_POLICY;
    }
    return TALLY_OK;
}

static tally_status kinds_check_pair(kinds_seen *seen, const tally_key_id *key,
                                     const tally_json *name_space, tally_problem *problem)
{
    for (size_t i = 0; i < seen->pairs; i++) {
        if (seen->key[i].version == key->version && strcmp(seen->key[i].name, key->name) == 0 &&
            seen->name_space[i]->size == name_space->size &&
            memcmp(seen->name_space[i]->text, name_space->text, name_space->size) == 0) {
            return TALLY_OK;
        }
    }
    if (seen->pairs == TALLY_TEXT_KEYS_MAX) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "a text policy has at most ");
        tally_write_uint(&writer, TALLY_TEXT_KEYS_MAX);
        tally_write(&writer, " pairs of key and namespace");
        return TALLY_ERROR_POLICY;
    }
    seen->key[seen->pairs] = *key;
    seen->name_space[seen->pairs++] = name_space;
    return TALLY_OK;
}

static tally_status kinds_check_kind(kinds_seen *seen, const tally_json *kind,
                                     const tally_table_place *kinds, tally_problem *problem)
{
    const tally_table_place place = {kinds, kind->key, kind->key_size};
    const tally_json *values[TALLY_TABLE_FIELDS];
    tally_key_id id;
    tally_problem reference;
    tally_status status =
        tally_table_read(kinds_kind, kind, &place, KINDS_EXAMPLE, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (!tally_text_is_kind(kind->key, kind->key_size)) {
        return tally_table_wrong(&place, problem,
                                 "a kind has 1 to 32 of a-z, 0-9 and _, begins with a letter and "
                                 "does not end in tly");
    }
    if (tally_key_id_parse(values[KIND_KEY]->text, values[KIND_KEY]->size, &id, &reference) !=
        TALLY_OK) {
        const tally_table_place at = tally_table_at(&place, "key");
        return tally_table_wrong(&at, problem, reference.text);
    }
    if (values[KIND_NAMESPACE]->size == 0 ||
        values[KIND_NAMESPACE]->size > TALLY_TEXT_SPACE_SIZE_MAX) {
        const tally_table_place at = tally_table_at(&place, "namespace");
        return tally_table_wrong(&at, problem, "must have 1 to 256 bytes of UTF-8");
    }
    status = kinds_check_scan(seen, kind, values[KIND_SCAN], &place, problem);
    return status == TALLY_OK ? kinds_check_pair(seen, &id, values[KIND_NAMESPACE], problem)
                              : status;
}

static tally_status kinds_check(const tally_json *top, tally_problem *problem)
{
    const tally_table_place kinds = tally_table_at(NULL, "kinds");
    const tally_json *values[TALLY_TABLE_FIELDS];
    kinds_seen seen = {{NULL}, {{{0}, 0}}, {NULL}, 0};
    if (tally_json_member(top, "columns") != NULL) {
        const tally_table_place at = tally_table_at(NULL, "columns");
        return tally_table_wrong(&at, problem,
                                 "this is a policy for tables; a text policy has [kinds], see "
                                 "docs/reference/text-tokens.md");
    }
    tally_status status = tally_table_read(kinds_top, top, NULL, NULL, values, problem);
    if (status != TALLY_OK) {
        return status;
    }
    const tally_json *const bits = values[KINDS_CHECK_BITS];
    if (bits != NULL &&
        (bits->kind != TALLY_JSON_INTEGER || bits->integer % 8 != 0 ||
         bits->integer < TALLY_TEXT_CHECK_BITS_MIN || bits->integer > TALLY_TEXT_CHECK_BITS_MAX)) {
        const tally_table_place at = tally_table_at(NULL, "check_bits");
        return tally_table_wrong(&at, problem, "must be 40 to 128, in steps of 8");
    }
    if (values[KINDS_KINDS] == NULL || values[KINDS_KINDS]->first == NULL) {
        return tally_table_wrong(NULL, problem,
                                 "a text policy needs a kind: add [kinds.email] or the like");
    }
    for (const tally_json *kind = values[KINDS_KINDS]->first; kind != NULL && status == TALLY_OK;
         kind = kind->next) {
        status = kinds_check_kind(&seen, kind, &kinds, problem);
    }
    return status;
}

tally_status tally_text_policy_check(const tally_allocator *allocator, const char *json,
                                     size_t size, tally_problem *problem)
{
    tally_json_document document;
    tally_status status = tally_json_parse(allocator, json, size, &document, problem);
    if (status == TALLY_OK) {
        status = kinds_check(document.root, problem);
        tally_json_free(&document);
    }
    return status == TALLY_ERROR_PROBLEM ? TALLY_ERROR_POLICY : status;
}

TALLY_VISIBILITY_POP
