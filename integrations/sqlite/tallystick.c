/* SPDX-License-Identifier: Apache-2.0
 *
 * A loadable extension of SQLite (docs/reference/sqlite.md): tally_open, tally_protect, tally_reveal,
 * and the table tally_policy. What a connection has opened is its own.
 *
 * Views, triggers and indexes belong to a database, which somebody else may have made. They can't
 * call functions with SQLITE_DIRECTONLY: only the program's own SQL can open keys, reveal, or read
 * the policy. tally_protect has no such flag, so that indexes can be of tokens; where
 * PRAGMA trusted_schema is off, schemas can't call it either. */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opened.h"

/* What a connection has. Functions and the module share it, and SQLite destroys each alone. */
typedef struct connection {
    tally_opened *opened; /* NULL until tally_open */
    uint8_t *out;         /* a result */
    size_t capacity;
    int users;
} connection;

/* A table, and a reading of it. */
typedef struct policy_table {
    sqlite3_vtab base;
    connection *shared;
} policy_table;

typedef struct policy_cursor {
    sqlite3_vtab_cursor base;
    size_t row;
} policy_cursor;

static const char sqlite_not_open[] =
    "nothing is open; run SELECT tally_open(POLICY, RING, ROOT) first, with paths";

static void sqlite_destroy(void *memory)
{
    connection *const shared = memory;
    if (--shared->users > 0) return;
    tally_opened_free(shared->opened);
    free(shared->out);
    free(shared);
}

/* The text of an argument, or NULL if it is another type. */
static const char *sqlite_text(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value)
                                                    : NULL;
}

/* tally_open(policy, ring, root[, 'reveal']) */
static void sqlite_open(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    connection *const shared = sqlite3_user_data(context);
    const char *text[4] = {NULL, NULL, NULL, NULL};
    char message[TALLY_OPENED_MESSAGE];
    for (int i = 0; i < count; i++) {
        text[i] = sqlite_text(arguments[i]);
        /* A zero in a text would end a path early. */
        if (text[i] == NULL || strlen(text[i]) != (size_t)sqlite3_value_bytes(arguments[i])) {
            sqlite3_result_error(context,
                                 "tally_open: the arguments must be TEXT: the paths of a "
                                 "policy and a key ring, and the root key's source",
                                 -1);
            return;
        }
    }
    if (shared->opened != NULL) {
        sqlite3_result_error(context,
                             "tally_open: this connection has a policy open already, and keeps it; "
                             "open another connection",
                             -1);
        return;
    }
    if (count == 4 && strcmp(text[3], "reveal") != 0) {
        sqlite3_result_error(context, "tally_open: the fourth argument is 'reveal' or missing", -1);
        return;
    }
    const tally_status status =
        tally_opened_new(text[0], text[1], text[2], count == 4, &shared->opened, message);
    if (status == TALLY_ERROR_MEMORY) {
        sqlite3_result_error_nomem(context);
    } else if (status != TALLY_OK) {
        char *const whole = sqlite3_mprintf("tally_open: %s", message);
        sqlite3_result_error(context, whole == NULL ? message : whole, -1);
        sqlite3_free(whole);
    } else {
        int columns = 0;
        while (tally_opened_at(shared->opened, (size_t)columns) != NULL) {
            columns++;
        }
        sqlite3_result_int(context, columns);
    }
}

/* Whether the result has room for `size` bytes. What it had is lost. */
static int sqlite_has_capacity(connection *shared, size_t size)
{
    if (size <= shared->capacity) return 1;
    uint8_t *const out = malloc(size);
    if (out == NULL) return 0;
    free(shared->out);
    shared->out = out;
    shared->capacity = size;
    return 1;
}

/* What a call works with. */
typedef struct sqlite_call {
    sqlite3_context *context;
    connection *shared;
    tally_opened_column *column;
    sqlite3_value *value;
    int reveal;
    const uint8_t *tweak;
    size_t tweak_size;
} sqlite_call;

static void sqlite_fail(const sqlite_call *call, tally_status status, const tally_problem *problem)
{
    char message[TALLY_OPENED_MESSAGE];
    if (status == TALLY_ERROR_MEMORY) {
        sqlite3_result_error_nomem(call->context);
        return;
    }
    tally_opened_say_status(call->column, call->reveal, status, problem, message);
    sqlite3_result_error(call->context, message, -1);
}

/* Treats an invalid value as the policy says. */
static void sqlite_invalid(const sqlite_call *call, const tally_fault *fault)
{
    char message[TALLY_OPENED_MESSAGE];
    switch (tally_opened_rule(call->column)->on_invalid) {
    case TALLY_INVALID_NULL:
        sqlite3_result_null(call->context);
        break;
    case TALLY_INVALID_KEEP:
        sqlite3_result_value(call->context, call->value);
        break;
    case TALLY_INVALID_ERROR:
    default:
        tally_opened_say_invalid(call->column, call->reveal, fault, message);
        sqlite3_result_error(call->context, message, -1);
    }
}

static void sqlite_integer(const sqlite_call *call, tally_worker *worker)
{
    int64_t number = sqlite3_value_int64(call->value);
    tally_fault fault = {TALLY_REASON_NONE, TALLY_CHARACTER_OTHER, 0};
    tally_problem problem = {"", ""};
    const tally_status status = (call->reveal ? tally_reveal_fixed : tally_protect_fixed)(
        worker, "l", &number, call->tweak, call->tweak_size, &number, &fault, &problem);
    if (status != TALLY_OK) {
        sqlite_fail(call, status, &problem);
    } else if (fault.reason != TALLY_REASON_NONE) {
        sqlite_invalid(call, &fault);
    } else {
        sqlite3_result_int64(call->context, number);
    }
}

static void sqlite_characters(const sqlite_call *call, tally_worker *worker)
{
    connection *const shared = call->shared;
    const uint8_t *const text = sqlite3_value_text(call->value);
    const size_t size = (size_t)sqlite3_value_bytes(call->value);
    tally_fault fault = {TALLY_REASON_NONE, TALLY_CHARACTER_OTHER, 0};
    size_t out_size = size + 64;
    tally_status status = text == NULL ? TALLY_ERROR_MEMORY : TALLY_ERROR_CAPACITY;
    while (status == TALLY_ERROR_CAPACITY) {
        status = TALLY_ERROR_MEMORY;
        if (!sqlite_has_capacity(shared, out_size)) break;
        status = (call->reveal ? tally_reveal_value : tally_protect_value)(
            worker, text, size, call->tweak, call->tweak_size, shared->out, shared->capacity,
            &out_size, &fault);
    }
    if (status != TALLY_OK) {
        const tally_problem problem = {"", "a value or tweak has more than 1 MiB; shorten it, or "
                                           "leave its row out"};
        sqlite_fail(call, status, status == TALLY_ERROR_ARGUMENT ? &problem : NULL);
    } else if (fault.reason != TALLY_REASON_NONE) {
        sqlite_invalid(call, &fault);
    } else {
        sqlite3_result_text64(call->context, (const char *)shared->out, out_size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    }
    /* It may be a value that was revealed, or that is invalid and stays. */
    if (shared->out != NULL)
        tally_wipe(shared->out, status == TALLY_OK ? out_size : shared->capacity);
}

/* Reads the tweak: text, bytes, or an integer in decimal. Returns 0 on other types. */
static int sqlite_read_tweak(sqlite_call *call, sqlite3_value *tweak, char decimal[24])
{
    switch (sqlite3_value_type(tweak)) {
    case SQLITE_INTEGER:
        (void)snprintf(decimal, 24, "%lld", (long long)sqlite3_value_int64(tweak));
        call->tweak = (const uint8_t *)decimal;
        call->tweak_size = strlen(decimal);
        return 1;
    case SQLITE_TEXT:
        call->tweak = sqlite3_value_text(tweak);
        break;
    case SQLITE_BLOB:
        call->tweak = sqlite3_value_blob(tweak);
        break;
    default:
        return 0;
    }
    call->tweak_size = (size_t)sqlite3_value_bytes(tweak);
    if (call->tweak == NULL && call->tweak_size == 0) call->tweak = (const uint8_t *)"";
    return 1;
}

/* tally_protect(name, value[, tweak]) and tally_reveal(name, token[, tweak]) */
static void sqlite_transform(sqlite3_context *context, int count, sqlite3_value **arguments,
                             int reveal)
{
    connection *const shared = sqlite3_user_data(context);
    char message[TALLY_OPENED_MESSAGE], decimal[24];
    sqlite_call call = {
        .context = context, .shared = shared, .value = arguments[1], .reveal = reveal};
    if (shared->opened == NULL) {
        sqlite3_result_error(context, sqlite_not_open, -1);
        return;
    }
    if (reveal && !tally_opened_reveals(shared->opened)) {
        sqlite3_result_error(context,
                             "tally_reveal: this connection was opened to protect alone; pass "
                             "'reveal' as fourth argument of tally_open",
                             -1);
        return;
    }
    const char *const name = sqlite_text(arguments[0]);
    if (name != NULL) {
        call.column =
            tally_opened_find(shared->opened, name, (size_t)sqlite3_value_bytes(arguments[0]));
    }
    if (call.column == NULL) {
        tally_opened_say_name(shared->opened, reveal, message);
        sqlite3_result_error(context, message, -1);
        return;
    }
    const int type = sqlite3_value_type(call.value);
    if (type == SQLITE_NULL) return; /* NULL stays NULL */
    const int has_tweak = tally_opened_rule(call.column)->tweak.text != NULL;
    if (has_tweak != (count == 3)) {
        tally_opened_say_tweak(call.column, reveal, message);
        sqlite3_result_error(context, message, -1);
        return;
    }
    if (type != SQLITE_TEXT && type != SQLITE_INTEGER) {
        static const tally_problem wrong = {"", "values must be TEXT or INTEGER"};
        sqlite_fail(&call, TALLY_ERROR_TYPE, &wrong);
        return;
    }
    if (has_tweak) {
        if (sqlite3_value_type(arguments[2]) == SQLITE_NULL) {
            const tally_fault fault = {TALLY_REASON_TWEAK, TALLY_CHARACTER_OTHER, 0};
            sqlite_invalid(&call, &fault);
            return;
        }
        if (!sqlite_read_tweak(&call, arguments[2], decimal)) {
            static const tally_problem wrong = {"", "tweaks must be TEXT, BLOB or INTEGER"};
            sqlite_fail(&call, TALLY_ERROR_TWEAKS, &wrong);
            return;
        }
        if (call.tweak == NULL) {
            sqlite3_result_error_nomem(context);
            return;
        }
    }
    tally_worker *const worker = tally_opened_take(call.column);
    if (worker == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (type == SQLITE_INTEGER) {
        sqlite_integer(&call, worker);
    } else {
        sqlite_characters(&call, worker);
    }
    tally_opened_give(call.column, worker);
}

static void sqlite_protect(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    sqlite_transform(context, count, arguments, 0);
}

static void sqlite_reveal(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    sqlite_transform(context, count, arguments, 1);
}

/* The table tally_policy. */

static int sqlite_policy_connect(sqlite3 *database, void *shared, int count,
                                 const char *const *arguments, sqlite3_vtab **out, char **error)
{
    (void)count;
    (void)arguments;
    (void)error;
    int code = sqlite3_declare_vtab(
        database, "CREATE TABLE tally_policy(name TEXT, format TEXT, cipher TEXT, key TEXT, "
                  "namespace TEXT, tweak TEXT, on_invalid TEXT, one_way INTEGER)");
    if (code == SQLITE_OK) code = sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
    if (code != SQLITE_OK) return code;
    policy_table *const table = sqlite3_malloc(sizeof *table);
    if (table == NULL) return SQLITE_NOMEM;
    memset(table, 0, sizeof *table);
    table->shared = shared;
    *out = &table->base;
    return SQLITE_OK;
}

static int sqlite_policy_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int sqlite_policy_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 10;
    return SQLITE_OK;
}

static int sqlite_policy_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    policy_cursor *const cursor = sqlite3_malloc(sizeof *cursor);
    if (cursor == NULL) return SQLITE_NOMEM;
    memset(cursor, 0, sizeof *cursor);
    *out = &cursor->base;
    return SQLITE_OK;
}

static int sqlite_policy_close(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int sqlite_policy_filter(sqlite3_vtab_cursor *base, int index, const char *text, int count,
                                sqlite3_value **values)
{
    (void)index;
    (void)text;
    (void)count;
    (void)values;
    const policy_table *const table = (const policy_table *)base->pVtab;
    ((policy_cursor *)base)->row = 0;
    if (table->shared->opened != NULL) return SQLITE_OK;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("tally_policy: %s", sqlite_not_open);
    return SQLITE_ERROR;
}

static tally_opened_column *sqlite_policy_at(sqlite3_vtab_cursor *base)
{
    const policy_table *const table = (const policy_table *)base->pVtab;
    return tally_opened_at(table->shared->opened, ((policy_cursor *)base)->row);
}

static int sqlite_policy_next(sqlite3_vtab_cursor *base)
{
    ((policy_cursor *)base)->row++;
    return SQLITE_OK;
}

static int sqlite_policy_eof(sqlite3_vtab_cursor *base)
{
    return sqlite_policy_at(base) == NULL;
}

static int sqlite_policy_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    tally_opened_row row;
    tally_opened_describe(sqlite_policy_at(base), &row);
    const char *const texts[] = {
        row.column,     row.format, row.cipher,     row.key[0] == '\0' ? NULL : row.key,
        row.name_space, row.tweak,  row.on_invalid,
    };
    if (index < (int)(sizeof texts / sizeof *texts)) {
        if (texts[index] != NULL) {
            sqlite3_result_text(context, texts[index], -1, SQLITE_TRANSIENT);
        }
    } else {
        sqlite3_result_int(context, row.is_one_way);
    }
    return SQLITE_OK;
}

static int sqlite_policy_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((policy_cursor *)base)->row;
    return SQLITE_OK;
}

static sqlite3_module sqlite_policy = {
    .xConnect = sqlite_policy_connect,
    .xBestIndex = sqlite_policy_best_index,
    .xDisconnect = sqlite_policy_disconnect,
    .xOpen = sqlite_policy_open,
    .xClose = sqlite_policy_close,
    .xFilter = sqlite_policy_filter,
    .xNext = sqlite_policy_next,
    .xEof = sqlite_policy_eof,
    .xColumn = sqlite_policy_column,
    .xRowid = sqlite_policy_rowid,
};

/* SQLite finds this function by the name of the file. */
__attribute__((visibility("default"))) int sqlite3_tallystick_init(sqlite3 *database, char **error,
                                                                   const sqlite3_api_routines *api);

int sqlite3_tallystick_init(sqlite3 *database, char **error, const sqlite3_api_routines *api)
{
    /* SQLite forgets SQLITE_DIRECTONLY in a CHECK unless a function is deterministic too. */
    static const struct {
        const char *name;
        int arguments, flags;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"tally_open", 3, SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, sqlite_open},
        {"tally_open", 4, SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, sqlite_open},
        {"tally_protect", 2, SQLITE_DETERMINISTIC, sqlite_protect},
        {"tally_protect", 3, SQLITE_DETERMINISTIC, sqlite_protect},
        {"tally_reveal", 2, SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, sqlite_reveal},
        {"tally_reveal", 3, SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, sqlite_reveal},
    };
    SQLITE_EXTENSION_INIT2(api);
    if (sqlite3_libversion_number() < 3031000) { /* it would not know SQLITE_DIRECTONLY */
        *error = sqlite3_mprintf("Tallystick needs SQLite 3.31 or newer");
        return SQLITE_ERROR;
    }
    connection *const shared = calloc(1, sizeof *shared);
    if (shared == NULL) return SQLITE_NOMEM;
    shared->users = 1; /* this function, until its end */
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++) {
        shared->users++; /* SQLite calls sqlite_destroy, also if this fails */
        code = sqlite3_create_function_v2(database, functions[i].name, functions[i].arguments,
                                          SQLITE_UTF8 | functions[i].flags, shared,
                                          functions[i].function, NULL, NULL, sqlite_destroy);
    }
    if (code == SQLITE_OK) {
        shared->users++;
        code = sqlite3_create_module_v2(database, "tally_policy", &sqlite_policy, shared,
                                        sqlite_destroy);
    }
    sqlite_destroy(shared);
    return code;
}
