/* SPDX-License-Identifier: Apache-2.0
 *
 * A policy with its keys: what an extension of a database opens once. POSIX. */
#ifndef TALLY_OPENED_H
#define TALLY_OPENED_H

#include "tallystick/policy.h"

enum { TALLY_OPENED_MESSAGE = 2048 /* bytes of a message, with its zero */ };

typedef struct tally_opened tally_opened;
typedef struct tally_opened_column tally_opened_column;

/* Reads a policy (TOML), a key ring, and its root key; `root` is file:PATH or env:NAME, as on the
 * command line. `reveal`: whether tokens may be revealed. Any number of threads may share *out.
 *
 * On an error `message` says why, without a key or `root` itself, which may be one that somebody
 * pasted. TALLY_ERROR_ARGUMENT, TALLY_ERROR_PROBLEM, TALLY_ERROR_MEMORY, and the errors of
 * policy.h and keyring.h. */
tally_status tally_opened_new(const char *policy, const char *ring, const char *root, int reveal,
                              tally_opened **out, char message[TALLY_OPENED_MESSAGE]);

/* Wipes all keys; NULL is allowed. No worker may be in use. */
void tally_opened_free(tally_opened *opened);

int tally_opened_reveals(const tally_opened *opened);

/* The column of a name, or NULL. */
tally_opened_column *tally_opened_find(const tally_opened *opened, const char *name, size_t size);

/* The columns in the order of the policy; NULL from the last one on. */
tally_opened_column *tally_opened_at(const tally_opened *opened, size_t index);

const tally_rule *tally_opened_rule(const tally_opened_column *column);

/* Takes an idle worker, or makes one: NULL if memory ran out. Give it back afterwards. */
tally_worker *tally_opened_take(tally_opened_column *column);
void tally_opened_give(tally_opened_column *column, tally_worker *worker);

/* Write messages of a call of tally_protect or tally_reveal: that the first argument is no column,
 * that a value is invalid, that the column has or lacks a tweak, and why else a call failed. None has
 * a value in it. */
void tally_opened_say_name(const tally_opened *opened, int reveal,
                           char message[TALLY_OPENED_MESSAGE]);
void tally_opened_say_invalid(const tally_opened_column *column, int reveal,
                              const tally_fault *fault, char message[TALLY_OPENED_MESSAGE]);
void tally_opened_say_tweak(const tally_opened_column *column, int reveal,
                            char message[TALLY_OPENED_MESSAGE]);
void tally_opened_say_status(const tally_opened_column *column, int reveal, tally_status status,
                             const tally_problem *problem, char message[TALLY_OPENED_MESSAGE]);

/* Describes a column for people: a row of the table that shows the policy, without secrets. Texts
 * live as long as `opened`, but `key`. NULL: there is none. */
typedef struct tally_opened_row {
    const char *column, *format, *cipher, *name_space, *tweak, *on_invalid;
    int is_one_way;
    char key[TALLY_KEY_NAME_SIZE_MAX + 16]; /* people:1; empty: there is none */
} tally_opened_row;
void tally_opened_describe(const tally_opened_column *column, tally_opened_row *out);

#endif
