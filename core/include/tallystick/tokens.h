/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens: a format with a key. A *tokenizer* has a format, a key and a namespace; it never changes,
 * and any number of threads may share it. A *worker* works for one tokenizer, in one thread at a
 * time: it has ciphers, which it makes when they are first needed, and memory to work in. */
#ifndef TALLYSTICK_TOKENS_H
#define TALLYSTICK_TOKENS_H

#include "tallystick/arrow_c.h"
#include "tallystick/formats.h"
#include "tallystick/keyring.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_MAX_NAMESPACE = 256, /* bytes */
    TALLY_MAX_VALUE = 1 << 20, /* bytes of one value */
    TALLY_FINGERPRINT = 32     /* bytes */
};

/* Statuses 80..95. */
enum {
    TALLY_ERROR_NAMESPACE = 80,    /* a namespace is empty, too long or not UTF-8 */
    TALLY_ERROR_INVALID = 81,      /* a value is invalid, and on_invalid is TALLY_INVALID_ERROR */
    TALLY_ERROR_ARRAY = 82,        /* an Arrow structure is damaged; a tally_problem says where */
    TALLY_ERROR_PROTECT_ONLY = 83, /* the key has no right to reveal */
    TALLY_ERROR_REVEAL_ONLY = 84   /* the key has no right to protect */
};

/* What becomes of an invalid value. */
typedef enum tally_on_invalid {
    TALLY_INVALID_ERROR = 0, /* the call fails, and says which */
    TALLY_INVALID_NULL,      /* it is replaced by a null */
    TALLY_INVALID_KEEP       /* it stays, in clear */
} tally_on_invalid;

typedef struct tally_tokenizer tally_tokenizer;
typedef struct tally_worker tally_worker;

/* Makes a tokenizer. The key has 16, 24 or 32 bytes, and is copied; for a format without a key it
 * is NULL. The namespace, 1..256 bytes of UTF-8, names what the values mean (without a key it may
 * be empty). The format must outlive the tokenizer.
 *
 * TALLY_ERROR_KEY_SIZE, TALLY_ERROR_NAMESPACE, TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: on_invalid
 * is none of its values, or can't go with the format; *problem says why. */
TALLY_API TALLY_MUST_CHECK tally_status tally_tokenizer_new(
    const tally_allocator *allocator, const tally_format *format, const uint8_t *key,
    size_t key_size, const char *name_space, size_t name_space_size, tally_on_invalid on_invalid,
    tally_tokenizer **out, tally_problem *problem);

/* Takes the rights away that are not in `rights` (TALLY_MAY_PROTECT, TALLY_MAY_REVEAL); a new
 * tokenizer has both. Calls without the right fail with TALLY_ERROR_PROTECT_ONLY or
 * TALLY_ERROR_REVEAL_ONLY. Call it before the tokenizer is shared. */
TALLY_API void tally_tokenizer_limit(tally_tokenizer *tokenizer, uint32_t rights);

/* Wipes the key, and releases a tokenizer; NULL is allowed. Its workers must be freed before. */
TALLY_API void tally_tokenizer_free(tally_tokenizer *tokenizer);

/* 32 public bytes that identify the key (docs/explanation/what-a-token-reveals.md). Zeros without
 * a key. */
TALLY_API void tally_tokenizer_fingerprint(const tally_tokenizer *tokenizer,
                                           uint8_t out[TALLY_FINGERPRINT]);

/* What tokens depend on beside the key: encode("tallystick 1", namespace, identity, kind) of
 * docs/reference/tokens.md. `rows`: whether a tweak of each row's own follows. Returns its size,
 * and writes as much of it as there is room for. */
TALLY_API size_t tally_tokenizer_head(const tally_tokenizer *tokenizer, int rows, uint8_t *out,
                                      size_t capacity);

/* Makes a worker; it takes little memory until its first call. Free it with tally_worker_free,
 * which wipes what depends on the key or on values. */
TALLY_API TALLY_MUST_CHECK tally_status tally_worker_new(const tally_tokenizer *tokenizer,
                                                         tally_worker **out);
TALLY_API void tally_worker_free(tally_worker *worker);

/* Replaces a value by its token, or a token by its value. Values of numbers and dates are given as
 * text. `tweak` is the row's own tweak, or NULL if there is none (an empty one is not NULL).
 * *out_size receives the size of the result. The result of an invalid value is the value itself,
 * whatever on_invalid is: the caller looks at fault->reason, which is TALLY_REASON_NONE if all is
 * well. `out` must not overlap `value`.
 *
 * TALLY_ERROR_TYPE: the format does not take text, because its numbers have too many digits.
 * TALLY_ERROR_CAPACITY: `capacity` is too small; *out_size says what is needed. TALLY_ERROR_ONE_WAY.
 * TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: the value has more than TALLY_MAX_VALUE bytes. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_value(tally_worker *worker,
                                                            const uint8_t *value, size_t size,
                                                            const uint8_t *tweak, size_t tweak_size,
                                                            uint8_t *out, size_t capacity,
                                                            size_t *out_size, tally_fault *fault);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_value(tally_worker *worker,
                                                           const uint8_t *token, size_t size,
                                                           const uint8_t *tweak, size_t tweak_size,
                                                           uint8_t *out, size_t capacity,
                                                           size_t *out_size, tally_fault *fault);

/* The same for one integer, date, timestamp or decimal, with the bytes that an array has for it.
 * `type` is the format string of the C data interface, such as "l" or "tdD". `out` may equal
 * `value`. If the value is invalid, `out` receives the value.
 *
 * TALLY_ERROR_TYPE: the format does not take the type; *problem says what it takes.
 * TALLY_ERROR_ONE_WAY, TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: the type is of text, or the tweak
 * has more than TALLY_MAX_VALUE bytes. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_fixed(tally_worker *worker, const char *type,
                                                            const void *value, const uint8_t *tweak,
                                                            size_t tweak_size, void *out,
                                                            tally_fault *fault,
                                                            tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_fixed(tally_worker *worker, const char *type,
                                                           const void *token, const uint8_t *tweak,
                                                           size_t tweak_size, void *out,
                                                           tally_fault *fault,
                                                           tally_problem *problem);

/* Counts of an array's rows. */
typedef struct tally_counts {
    uint64_t rows, nulls;
    uint64_t invalid[16]; /* by tally_reason: rows that became null or were kept */
    uint64_t small;       /* rows of a domain smaller than TALLY_SMALL_DOMAIN */
} tally_counts;

/* The first invalid row of a call that failed with TALLY_ERROR_INVALID. */
typedef struct tally_invalid {
    uint64_t row; /* from 0, of the array */
    tally_fault fault;
} tally_invalid;

/* Replaces every value of an array by its token, or the other way. `type` describes `values`; the
 * result is an array of the same type and length, with offset 0 and memory of its own from the
 * tokenizer's allocator, released by its callback. Nulls stay null. Accepted are the types that the
 * format takes, as text views too, and dictionaries and run ends of them. The bytes of an invalid
 * value that becomes null are nowhere in the result. The callback wipes a result that was revealed,
 * or in which invalid values were kept.
 *
 * Each value of a dictionary is protected once. The new dictionary has no equal tokens, and no
 * invalid values that no row uses. With tweaks, the rows are encoded again.
 *
 * `tweaks`, with its type, has one row for each value: text, binary or integers (in decimal), or
 * dictionaries and views of them; NULL if there are none. A null makes its row invalid.
 *
 * Rows are added to *counts, unless it is NULL. The first one that is invalid ends the call if
 * on_invalid is TALLY_INVALID_ERROR.
 *
 * The structures may be wrong: lengths, offsets, nulls and children are checked. The sizes of
 * buffers can't be checked, except those of text views. Another thread may change the arrays'
 * memory during a call: the call then stays within the lengths and offsets that it has checked, and
 * its result is useless.
 *
 * On any error out->release is NULL. TALLY_ERROR_INVALID: *invalid says which row and why.
 * TALLY_ERROR_TYPE, TALLY_ERROR_TWEAKS, TALLY_ERROR_ARRAY: *problem. TALLY_ERROR_CAPACITY: the tokens
 * have too many bytes for the type's offsets, or are too many for the type of a dictionary's
 * indices; *problem. TALLY_ERROR_ONE_WAY, TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_array(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *values,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    tally_counts *counts, tally_invalid *invalid, tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_array(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *tokens,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    tally_counts *counts, tally_invalid *invalid, tally_problem *problem);

/* The same, whatever on_invalid is: reasons[i] receives the tally_reason of row i, and a row that is
 * invalid keeps its value. `reasons` has as many bytes as `values` has rows; NULL if there are none.
 * Not for dictionaries and run ends: TALLY_ERROR_ARGUMENT. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_rows(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *values,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    uint8_t *reasons, tally_counts *counts, tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_rows(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *tokens,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    uint8_t *reasons, tally_counts *counts, tally_problem *problem);

/* Checks an array of another program, and all that lies in it, before it is handed to a library that
 * takes it at its word: types, lengths, offsets, numbers of nulls, buffers and children, that buffers
 * are there, and that children have the rows that their parents need. Values, and offsets within
 * their buffers, are not read. `values` may be NULL: then the type alone is checked.
 * TALLY_ERROR_ARRAY: *problem. */
TALLY_API TALLY_MUST_CHECK tally_status tally_array_check(const struct ArrowSchema *type,
                                                          const struct ArrowArray *values,
                                                          tally_problem *problem);

/* A column of a table that is protected or revealed. A table is an array of structs, such as a
 * record batch. A path says where the column is: the index of a child of the table, then of a child
 * of that child, and so on. A list has child 0. A map has child 0, whose child 1 has the values.
 * tally_path_find of policy.h finds a path by name. Each column has a worker of its own. */
typedef struct tally_field {
    tally_worker *worker;
    const uint32_t *path;
    const uint32_t *tweak; /* the column with the rows' own tweaks; it is not protected */
    uint32_t depth;        /* of the path, at most 32; 0: the table itself is the column */
    uint32_t tweak_depth;  /* 0: there are no tweaks */
    tally_counts counts;   /* a call that succeeds adds its values here */
} tally_field;

/* The column at fault in a call on a table or stream. */
typedef struct tally_table_fault {
    size_t field;          /* its index */
    tally_invalid invalid; /* of TALLY_ERROR_INVALID; the row is the table's or stream's */
} tally_table_fault;

/* Protects columns of a table. On success `table` is moved to *out: its release becomes NULL. What
 * is not protected is not copied; it is released with the last part of *out. On an error `table`
 * stays, and out->release is NULL.
 *
 * A value in a list has the tweak of its row. If the tweak column is in the same list, the value
 * has the tweak of its item. Values under a null struct or list become null.
 *
 * Errors are those of tally_protect_array, with fault->field, and problem->place as a path of names:
 * orders[].phone. TALLY_ERROR_ARGUMENT too: a path leads nowhere, or to a column above another.
 * TALLY_ERROR_TYPE: a path leads through an array of another type. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_table(
    tally_field *fields, size_t count, const struct ArrowSchema *type, struct ArrowArray *table,
    struct ArrowArray *out, tally_table_fault *fault, tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_table(
    tally_field *fields, size_t count, const struct ArrowSchema *type, struct ArrowArray *table,
    struct ArrowArray *out, tally_table_fault *fault, tally_problem *problem);

/* Wraps a stream of tables: each one that is asked for is protected. On success `source` is moved to
 * *out (its release becomes NULL), which is released by its callback. Fields with their workers must
 * live as long, and are for the thread that asks for tables. There is one field at least.
 *
 * get_next fails with EINVAL or ENOMEM; the message has column and row. After that, and after any
 * call, tally_stream_status returns the status with fault and problem, which have the row from the
 * beginning of the stream. TALLY_ERROR_ARRAY: `source` gives no schema. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_stream(tally_field *fields, size_t count,
                                                             struct ArrowArrayStream *source,
                                                             struct ArrowArrayStream *out,
                                                             tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_stream(tally_field *fields, size_t count,
                                                            struct ArrowArrayStream *source,
                                                            struct ArrowArrayStream *out,
                                                            tally_problem *problem);

/* The status of the last table of such a stream. TALLY_ERROR_ARGUMENT: the stream is another. */
TALLY_API TALLY_MUST_CHECK tally_status tally_stream_status(const struct ArrowArrayStream *stream,
                                                            tally_table_fault *fault,
                                                            tally_problem *problem);

/* Says whether a value is valid for a format, without a key: fault->reason is 0, or why it is not, with
 * the position and class of its character. A format of "ff3-1" is asked about a token. It takes some
 * tens of microseconds; a tokenizer checks each value that it protects.
 *
 * TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: the value has more than TALLY_MAX_VALUE bytes.
 * TALLY_ERROR_TYPE: the format takes no text. */
TALLY_API TALLY_MUST_CHECK tally_status tally_format_check(const tally_format *format,
                                                           const uint8_t *value, size_t size,
                                                           tally_fault *fault);

#ifdef __cplusplus
}
#endif
#endif
