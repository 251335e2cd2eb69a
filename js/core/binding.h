/* SPDX-License-Identifier: Apache-2.0
 *
 * The core as JavaScript calls it, beside go/internal/core/binding.h: columns, policies and the root
 * of a key ring as plain pointers and numbers. In WebAssembly pointers and sizes have 32 bits. */
#ifndef TALLY_JS_BINDING_H
#define TALLY_JS_BINDING_H

#include "tallystick/arrow_c.h"
#include "tallystick/csv.h"
#include "tallystick/policy.h"

/* A column as an Arrow array that belongs to somebody else. It lies in memory of
 * tally_js_column_size bytes, and points to all that it was made of. */
typedef struct tally_js_column {
    struct ArrowSchema type;
    struct ArrowArray array;
    const void *buffers[3];
} tally_js_column;

size_t tally_js_column_size(void);

/* `type` is a format string of Arrow's C data interface. validity may be NULL. `second` is NULL unless
 * the type has offsets. A column with a dictionary has the type of its indices. */
void tally_js_column_init(tally_js_column *out, const char *type, uint32_t rows, uint32_t nulls,
                          const void *validity, const void *first, const void *second,
                          tally_js_column *dictionary);

/* Protects or reveals a column; `tweaks` may be NULL. *out is read by the functions below, and ends
 * with tally_js_array_free. */
uint32_t tally_js_array(tally_worker *worker, uint32_t reveal, const tally_js_column *values,
                        const tally_js_column *tweaks, struct ArrowArray **out,
                        tally_counts *counts, tally_invalid *invalid, tally_problem *problem);
uint32_t tally_js_array_length(const struct ArrowArray *array);
uint32_t tally_js_array_nulls(const struct ArrowArray *array);
const void *tally_js_array_buffer(const struct ArrowArray *array, uint32_t index);
const struct ArrowArray *tally_js_array_dictionary(const struct ArrowArray *array);
void tally_js_array_free(struct ArrowArray *array);

/* Makes a policy of TOML. */
uint32_t tally_js_policy_new(const char *toml, size_t size, tally_policy **out,
                             tally_problem *problem);

/* A rule as numbers: its format, the version of its key, on_invalid. Returns 0 from the last one on. */
enum { TALLY_JS_RULE = 3 };
uint32_t tally_js_rule(const tally_policy *policy, size_t index, uintptr_t out[TALLY_JS_RULE]);

/* Copies a text of a policy, if there is room for it, and returns its size; -1: there is none. The
 * first four are those of a rule, the next two of lists; from the last index on there is none. */
enum {
    TALLY_JS_COLUMN,
    TALLY_JS_NAMESPACE,
    TALLY_JS_TWEAK,
    TALLY_JS_KEY,
    TALLY_JS_KEEP,
    TALLY_JS_MIXED,
    TALLY_JS_ENCODING
};
int32_t tally_js_policy_text(const tally_policy *policy, uint32_t which, size_t index, char *out,
                             size_t capacity);

/* The CSV dialect: delimiter, quote, skip_initial_space, header. */
enum { TALLY_JS_CSV = 4 };
void tally_js_policy_csv(const tally_policy *policy, uint32_t out[TALLY_JS_CSV]);

/* The strings of an array as new content of a CSV column. */
enum { TALLY_JS_CSV_COLUMN = 24 /* bytes, where a pointer has 4 */ };
void tally_js_csv_column(const struct ArrowArray *array, tally_csv_column *out);

/* The root of a ring: kind, threshold, count, scrypt's n, r and p, the set of the shares and the salt,
 * of 16 bytes each. */
enum { TALLY_JS_ROOT = 14 };
void tally_js_ring_root(const tally_keyring *ring, uint32_t out[TALLY_JS_ROOT]);

#endif
