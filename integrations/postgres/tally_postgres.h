/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the PostgreSQL extension. Each file says what it does. */
#ifndef TALLY_POSTGRES_H
#define TALLY_POSTGRES_H

#include "postgres.h"

#include "fmgr.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#include "tallystick/tallystick.h"

/* Leaves statement and context of an error out of the server's log: they may hold values. */
#define TALLY_PG_QUIET errhidestmt(true), errhidecontext(true)

/* extension.c: the settings. */
extern char *tally_pg_keyring_path;
extern char *tally_pg_root_path;
extern bool tally_pg_log_reveal;
extern bool tally_pg_require_locked;

/* memory.c: memory for keys, which is locked and in no core dump. */

/* Of this process alone, and of the postmaster and all that it forks; what is shared is only
 * readable after tally_pg_seal. */
extern const tally_allocator tally_pg_private, tally_pg_shared;
extern void tally_pg_seal(void);

/* Bytes that are held, and those of them that mlock refused. */
extern void tally_pg_memory_held(uint64 *held, uint64 *unlocked);

/* keys.c: the key ring. */

/* Opens the ring in the postmaster, if the settings name one. Never fails: a ring that can't be
 * opened is a warning in the log. */
extern void tally_pg_keys_preload(void);

/* The settings changed: the next use opens the ring anew. */
extern void tally_pg_keys_changed(void);

/* Unwraps a key into `out`, which has room for TALLY_DATA_KEY_SIZE_MAX bytes and is wiped by the
 * caller. Opens the ring first if it is not open. Returns the key's size, or raises an error that
 * begins with `who`. */
extern size_t tally_pg_key(const tally_key_id *id, uint8_t *out, const char *who);

/* tally_rule_open with the ring, for a rule with a key. An error of opening the ring is raised. */
extern tally_status tally_pg_rule_open(const tally_rule *rule, const char *who,
                                       tally_tokenizer **out, tally_problem *problem);

/* rules.c: policies of the table, and the rules that calls use. */

typedef struct tally_pg_rule {
    const char *name; /* "policy.column" */
    const char *column;
    const tally_rule *rule; /* the policy's */
    tally_tokenizer *tokenizer;
    tally_worker *worker;
    int scale; /* of a decimal: digits after the point */
} tally_pg_rule;

/* What a call has to do. */
typedef enum tally_pg_act {
    TALLY_PG_PROTECT,
    TALLY_PG_REVEAL,
    TALLY_PG_PROTECT_UNLESS, /* unless the user may reveal */
    TALLY_PG_REVEAL_IF       /* if the user may reveal */
} tally_pg_act;

typedef struct tally_pg_call {
    FunctionCallInfo fcinfo;
    tally_pg_rule *rule;
    bool reveal;
    bool skip;            /* the value stays: dynamic masking says so */
    bool is_value;        /* and what stays is a value in clear */
    const char *name;     /* of the SQL function */
    const uint8_t *tweak; /* NULL: the call has none */
    size_t tweak_size;
    bool tweak_missing; /* it is NULL in SQL */
} tally_pg_call;

/* Finds the rule that argument 1 names, and reads the tweak if there is an argument 2. */
extern void tally_pg_begin(FunctionCallInfo fcinfo, tally_pg_act act, tally_pg_call *out);

/* The same for documents, for which the argument may name a whole policy: calls `each` for every
 * rule that it names. */
extern void tally_pg_begin_each(FunctionCallInfo fcinfo, tally_pg_act act,
                                void (*each)(tally_pg_call *call, void *context), void *context);

/* Counts a value that was revealed. */
extern void tally_pg_counted(const tally_pg_call *call);

/* Says that a status other than TALLY_OK ended the call; `problem` may be NULL. */
extern _Noreturn void tally_pg_refuse(const tally_pg_call *call, tally_status status,
                                      const tally_problem *problem);

/* What becomes of an invalid value. Returns whether it is kept, else it becomes NULL; or raises an
 * error, if on_invalid says so. */
extern bool tally_pg_invalid(const tally_pg_call *call, const tally_fault *fault);

/* The policies changed in this session. */
extern void tally_pg_rules_init(void);
extern Oid tally_pg_namespace(FunctionCallInfo fcinfo);
extern void tally_pg_check_label(const char *label);

/* functions.c */

/* Protects or reveals text. Returns what stands in its place, which may be `value` itself, or NULL. */
extern text *tally_pg_text(const tally_pg_call *call, text *value);
extern text *tally_pg_bytes(const tally_pg_call *call, const char *value, size_t size,
                            bool *is_kept);

/* arrays.c: many values at once, in Arrow's layout. */
typedef struct tally_pg_column {
    const char *type; /* the format string of the C data interface */
    int count;
    int64 nulls; /* -1: they are not counted */
    const uint8_t *valid;
    const void *offsets; /* of text; else the values */
    const char *text;
} tally_pg_column;

/* Protects or reveals a column; `tweaks` is text, or NULL. Returns whether all rows are valid, or
 * treated as on_invalid says; else *invalid says which row is not. *out is released by the caller. */
extern bool tally_pg_transform(const tally_pg_call *call, const tally_pg_column *values,
                               const tally_pg_column *tweaks, struct ArrowArray *out,
                               tally_invalid *invalid);

/* Makes SQL's texts of a column. Returns how many are not null. */
extern uint64 tally_pg_spread(const struct ArrowArray *from, Datum *values, bool *nulls);

/* batch_plan.c: plans of queries call the core for many rows at once. */
extern void tally_pg_batch_init(void);

/* The four SQL functions of a type: TYPE_protect and so on, by functions_TYPE. */
#define TALLY_PG_FUNCTION(type, name, act)                                                         \
    PG_FUNCTION_INFO_V1(tally_pg_##type##_##name);                                                 \
    Datum tally_pg_##type##_##name(PG_FUNCTION_ARGS)                                               \
    {                                                                                              \
        return functions_##type(fcinfo, act);                                                      \
    }
#define TALLY_PG_FUNCTIONS(type)                                                                   \
    TALLY_PG_FUNCTION(type, protect, TALLY_PG_PROTECT)                                             \
    TALLY_PG_FUNCTION(type, reveal, TALLY_PG_REVEAL)                                               \
    TALLY_PG_FUNCTION(type, protect_unless_granted, TALLY_PG_PROTECT_UNLESS)                       \
    TALLY_PG_FUNCTION(type, reveal_if_granted, TALLY_PG_REVEAL_IF)

/* audit.c: what the server's log says of reveals. */
extern void tally_pg_audit_init(void);
extern void tally_pg_audit(const char *rule, uint64 count);

#endif
