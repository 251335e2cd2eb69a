/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats: which values are valid, and which tokens they get. A format is made once from its
 * description, checked then, and never changes: any number of threads may share it. */
#ifndef TALLYSTICK_FORMATS_H
#define TALLYSTICK_FORMATS_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 64..79. */
enum {
    TALLY_ERROR_FORMAT = 64,    /* a description makes no format; a tally_problem says why */
    TALLY_ERROR_TYPE = 65,      /* a format does not take a type; a tally_problem says why */
    TALLY_ERROR_ONE_WAY = 66,   /* tokens of a one-way format can't be revealed */
    TALLY_ERROR_READ_ONLY = 67, /* tokens of cipher "ff3-1" are revealed, and never made */
    TALLY_ERROR_CAPACITY = 68,  /* the result has more bytes than there is room for */
    TALLY_ERROR_TWEAKS = 69     /* the tweaks do not fit: their number or their type */
};

enum {
    TALLY_SMALLEST_DOMAIN = 100, /* of fewer values, a format needs allow_tiny_domain */
    TALLY_SMALL_DOMAIN = 1000000 /* of fewer values, anyone who protects values can list tokens */
};

/* Why a value is invalid. The numbers never change. */
typedef enum tally_reason {
    TALLY_REASON_NONE = 0,
    TALLY_REASON_SHORT,     /* too few symbols to encrypt */
    TALLY_REASON_LONG,      /* more symbols than max_length */
    TALLY_REASON_FOREIGN,   /* a character that is not allowed there */
    TALLY_REASON_DELIMITER, /* the delimiter is missing or repeated */
    TALLY_REASON_CHECK,     /* a wrong check digit */
    TALLY_REASON_TWEAK, /* the row's tweak is null, too long, or not of the size that the cipher needs */
    TALLY_REASON_NOTATION, /* another notation */
    TALLY_REASON_RANGE,    /* outside the range */
    TALLY_REASON_NORMAL    /* not in Unicode normal form NFC */
} tally_reason;

enum { TALLY_REASONS = 10 };

/* The reason in words that follow "row 3: "; never NULL, static storage. */
TALLY_API const char *tally_reason_text(tally_reason reason);

/* What is wrong with a value. */
typedef struct tally_fault {
    tally_reason reason;
    tally_character character; /* of the character at fault, if position is not 0 */
    uint64_t position;         /* of that character, from 1, in characters; 0: no character is */
} tally_fault;

enum { TALLY_FAULT_TEXT = 160 /* bytes that the text of any fault fits in */ };

/* Writes a fault in words that follow "row 3: ", zero-terminated and cut to `capacity` bytes, 1 or
 * more: the reason, then place and class of the character at fault, if there is one. */
TALLY_API void tally_fault_text(const tally_fault *fault, char *out, size_t capacity);

/* How many values a domain has. */
typedef struct tally_domain {
    uint64_t size;  /* UINT64_MAX: that many or more */
    uint32_t known; /* 0: it depends on the values */
    uint32_t reserved;
} tally_domain;

typedef struct tally_format tally_format;

/* Makes a format from its description in JSON: its name, such as "card", or an object with the
 * name as "type" and options: {"type": "card", "keep_last": 4}. docs/reference/formats has names
 * and options. `allocator` may be NULL (malloc and free); it is copied. Free the format with
 * tally_format_free, after all that was made with it.
 *
 * TALLY_ERROR_FORMAT: *problem names the option in `place`, and says what is allowed.
 * TALLY_ERROR_MEMORY: there is not enough. On both *out is NULL. */
TALLY_API TALLY_MUST_CHECK tally_status tally_format_new(const tally_allocator *allocator,
                                                         const char *description, size_t size,
                                                         tally_format **out,
                                                         tally_problem *problem);

/* Releases a format; NULL is allowed. */
TALLY_API void tally_format_free(tally_format *format);

/* The names of all formats, in their order in the documentation; NULL from the last one on. */
TALLY_API const char *tally_format_name_at(size_t index);

/* Writes what a format of that index is, as JSON in UTF-8, zero-terminated and cut to `capacity`
 * bytes, 1 or more, for programs that offer formats to choose from:
 *
 *     {"name": "card", "about": "Payment card numbers, with check digit.", "sample": {},
 *      "ciphers": true, "options": [{"name": "luhn", "kind": "choice", "required": false,
 *      "choices": ["none", "valid", "invalid"], "default": "valid"}, ...]}
 *
 * "sample" has options with which it can be made; "ciphers": it takes "cipher" and "tweak_hex" too.
 * Kinds are "text", "integer", "boolean", "choice", "list", "number" (integer or text), "date" and
 * "datetime" (text in ISO 8601). Returns the size without the zero, 0 from the last format on. */
TALLY_API size_t tally_format_describe(size_t index, char *out, size_t capacity);

/* The format's name in descriptions and messages. Like all texts of a format it lives as long. */
TALLY_API const char *tally_format_name(const tally_format *format);

/* The identity, as JSON: with equal keys and namespaces, equal identities give equal tokens. */
TALLY_API const char *tally_format_identity(const tally_format *format);

/* Whether tokens can't be revealed; whether a key is needed; whether a token may begin with a
 * character that spreadsheets read as a formula although values do not. */
TALLY_API int tally_format_is_one_way(const tally_format *format);
TALLY_API int tally_format_is_keyed(const tally_format *format);
TALLY_API int tally_format_may_be_formula(const tally_format *format);

/* The bytes that a key must have; 0: 16, 24 or 32, or the format has no key. */
TALLY_API size_t tally_format_key_size(const tally_format *format);

/* The algorithm of another standard whose key the format takes: a plain cipher (tweak_hex) or a mode
 * of "ipcrypt". Such a key serves only formats with the same number. 0: none. */
TALLY_API uint32_t tally_format_algorithm(const tally_format *format);

/* Whether values need a tweak of their row, without which they are invalid (TALLY_REASON_TWEAK). */
TALLY_API int tally_format_needs_tweak(const tally_format *format);

/* The cipher: "fast", "ff1", "ff1-2016" or "ff3-1"; NULL: the format encrypts no words. A format of
 * "ff3-1" reveals tokens and makes none. */
TALLY_API const char *tally_format_cipher(const tally_format *format);

/* Whether on_invalid = TALLY_INVALID_KEEP can't go with the format, whose tokens are no valid values:
 * a value that is kept as invalid could be taken for a token. */
TALLY_API int tally_format_forbids_keep(const tally_format *format);

/* The work to protect or reveal a value of `size` bytes, at most, in layers of FAST: for text of
 * order size^1.5. A layer takes some nanoseconds. Other ciphers count as FAST does. 0: no cipher. */
TALLY_API uint64_t tally_format_work(const tally_format *format, size_t size);

/* A valid value, as text in UTF-8, for an index from 0; NULL from the last one on. There is one at
 * least. */
TALLY_API const char *tally_format_example(const tally_format *format, size_t index);

/* The domain of the shortest valid value, and that of a valid value (NULL is not allowed). */
TALLY_API void tally_format_smallest_domain(const tally_format *format, tally_domain *out);
TALLY_API void tally_format_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                                      tally_domain *out);

/* Says whether the format takes columns of an Arrow type, given as the format string of the C data
 * interface: "u", "d:10,2", "tss:UTC". TALLY_ERROR_TYPE: it does not; *problem says what would. */
TALLY_API TALLY_MUST_CHECK tally_status tally_format_takes(const tally_format *format,
                                                           const char *type,
                                                           tally_problem *problem);

/* Completes the fault of an invalid value: position and class of its character, for a reason that
 * is known. For values as text, UTF-8 or not. */
TALLY_API void tally_format_explain(const tally_format *format, const uint8_t *value, size_t size,
                                    tally_reason reason, tally_fault *out);

#ifdef __cplusplus
}
#endif
#endif
