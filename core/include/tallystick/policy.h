/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies: which columns of a table are protected, how and under which key
 * (docs/reference/policy.md). A binding reads TOML with a library of its language and hands it over
 * as JSON: a table is an object, with its keys in their order. A value that JSON has not is an object
 * with one member: {"$date": "2000-12-31"}, {"$datetime": "2000-12-31T23:59:59"}, {"$time":
 * "23:59:59"}, {"$float": "nan"}. */
#ifndef TALLYSTICK_POLICY_H
#define TALLYSTICK_POLICY_H

#include "tallystick/formats.h"
#include "tallystick/keyring.h"
#include "tallystick/tokens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 112..127. */
enum { TALLY_ERROR_POLICY = 112 /* this is no policy; a tally_problem says where and why */ };

enum {
    TALLY_PATH_DEPTH = 16,          /* steps down from a table; the values of a map are two */
    TALLY_POLICY_SIZE_MAX = 1 << 20 /* bytes of a policy's TOML */
};

/* What becomes of columns that a policy does not name. */
typedef enum tally_unlisted {
    TALLY_UNLISTED_UNSAID = 0, /* the policy does not say: they pass in clear, with a warning */
    TALLY_UNLISTED_KEEP,       /* they pass in clear */
    TALLY_UNLISTED_ERROR       /* they are an error */
} tally_unlisted;

/* A text in UTF-8, zero-terminated; the size is without the zero. */
typedef struct tally_policy_text {
    const char *text; /* NULL: there is none */
    size_t size;
} tally_policy_text;

/* How one column is protected. */
typedef struct tally_rule {
    tally_policy_text column; /* its name or path, as the policy writes it */
    const tally_format *format;
    tally_key_id key;             /* version 0: the format has no key */
    tally_policy_text name_space; /* empty without a key */
    tally_policy_text tweak;      /* the tweak column, if there is one */
    tally_on_invalid on_invalid;
} tally_rule;

/* The CSV dialect. What the policy does not say has its default. */
typedef struct tally_csv_options {
    char delimiter; /* 0: a tab in .tsv files, else a comma */
    char quote;     /* 0: there is none; '"' by default */
    uint8_t skip_initial_space;
    uint8_t header;             /* 1 by default */
    tally_policy_text encoding; /* none: UTF-8 */
} tally_csv_options;

typedef struct tally_policy tally_policy;

/* Checks the TOML of a policy before a library reads it, whose memory and time may grow with the
 * square of the depth. It has at most TALLY_POLICY_SIZE_MAX bytes. Tables and lists lie in each other
 * at most 16 deep, by brackets or by the dots of one key. Nothing else of it is looked at.
 *
 * TALLY_ERROR_POLICY: the problem has no place. */
TALLY_API TALLY_MUST_CHECK tally_status tally_policy_check_text(const char *toml, size_t size,
                                                                tally_problem *problem);

/* Makes a policy from JSON; formats are made with it. `allocator` may be NULL (malloc and free); it
 * is copied. The policy never changes, and any number of threads may share it.
 *
 * TALLY_ERROR_POLICY: the problem's place is the key at fault, or empty, which stands for all of the
 * policy. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_policy_new(const tally_allocator *allocator,
                                                         const char *json, size_t size,
                                                         tally_policy **out,
                                                         tally_problem *problem);

/* Releases a policy with its formats; NULL is allowed. */
TALLY_API void tally_policy_free(tally_policy *policy);

/* The rules, in the order of the policy; NULL from the last one on. They and their texts live as
 * long as the policy. */
TALLY_API const tally_rule *tally_policy_rule(const tally_policy *policy, size_t index);

TALLY_API tally_unlisted tally_policy_unlisted(const tally_policy *policy);

/* Columns that pass in clear on purpose, and namespaces in which one key may serve several formats.
 * There is no text from the last one on. */
TALLY_API tally_policy_text tally_policy_keep(const tally_policy *policy, size_t index);
TALLY_API tally_policy_text tally_policy_mixed_format(const tally_policy *policy, size_t index);

/* The CSV dialect. Returns 0, and the defaults, if the policy has none. */
TALLY_API int tally_policy_csv(const tally_policy *policy, tally_csv_options *out);

/* Checks rules that a program has made, as those of a policy are checked. Refused are a column with
 * two rules, a column with a rule that is also kept or a tweak, and one key with two formats in a
 * namespace. TALLY_ERROR_POLICY: the problem has no place. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_rules_check(
    const tally_allocator *allocator, const tally_rule *rules, size_t count,
    const tally_policy_text *keep, size_t keep_count, const tally_policy_text *mixed_formats,
    size_t mixed_count, tally_problem *problem);

/* Makes the tokenizer of a rule with the key that an unlocked ring has for it, and obeys what the ring
 * says: the tokenizer has the rights of the key that are in `rights` too, those of whoever opened the
 * ring (TALLY_MAY_PROTECT | TALLY_MAY_REVEAL for the root key itself). A ring that demands signed
 * policies is refused. The rule's format must outlive the tokenizer.
 *
 * TALLY_ERROR_KEYRING: the ring is damaged, or demands signed policies. TALLY_ERROR_NO_KEY;
 * TALLY_ERROR_ARGUMENT: the ring is locked. The errors of tally_tokenizer_new. */
TALLY_API TALLY_MUST_CHECK tally_status tally_rule_open(const tally_allocator *allocator,
                                                        const tally_rule *rule,
                                                        const tally_keyring *ring, uint32_t rights,
                                                        tally_tokenizer **out,
                                                        tally_problem *problem);

/* Where a column of a table is: the index of a child of the table, then of that child's, ... */
typedef struct tally_path {
    uint32_t depth;
    uint32_t child[TALLY_PATH_DEPTH];
} tally_path;

/* Finds the column that a rule means in a table, which is a struct. A column that has the whole
 * text as its name comes first. Else the text is a path: names of fields with dots between them,
 * "[]" for the items of a list, "{}" for the values of a map: contact.email, orders[].phone,
 * attributes{}. A name with one of .[]{}" is in double quotes, and in those a backslash stands
 * before a double quote or backslash. A name alone is no path.
 *
 * Returns 1, or 0 if there is no such column, or -1 if several fields have the name. */
TALLY_API TALLY_MUST_CHECK int tally_path_find(const struct ArrowSchema *table, const char *column,
                                               size_t size, tally_path *out);

/* A step of a path. */
typedef enum tally_step {
    TALLY_STEP_NONE = 0, /* what stands there is no step */
    TALLY_STEP_FIELD,    /* to a field, by its name */
    TALLY_STEP_ITEMS,    /* to the items of a list */
    TALLY_STEP_VALUES    /* to the values of a map */
} tally_step;

/* Reads the step of a path that begins at *at, below `size`, and moves *at behind it. The first one
 * begins at 0. The name of a field is written to `out` without quotes, zero-terminated and cut to
 * `capacity` bytes, 1 or more. *name_size receives its size without the zero, at most `size`. */
TALLY_API tally_step tally_path_step(const char *column, size_t size, size_t *at, char *out,
                                     size_t capacity, size_t *name_size);

#ifdef __cplusplus
}
#endif
#endif
