/* SPDX-License-Identifier: Apache-2.0
 *
 * tally_protect_rows and tally_reveal_rows: window functions, which look at the rows that follow. So
 * many rows are handled at once, as a column of the core, where a function of one row can't. */
#include "tally_postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "windowapi.h"

enum { ROWS_BATCH = 4096 };

typedef struct rows_state {
    int64 first; /* row of the partition that is the batch's first */
    int count;
    Datum *results;
    bool *nulls;
    char *memory; /* of the results */
    StringInfoData text;
    int32_t *offsets;
    uint8_t *valid;
} rows_state;

static void rows_make(rows_state *state)
{
    state->results = palloc(ROWS_BATCH * sizeof *state->results);
    state->nulls = palloc(ROWS_BATCH * sizeof *state->nulls);
    state->offsets = palloc((ROWS_BATCH + 1) * sizeof *state->offsets);
    state->valid = palloc(ROWS_BATCH / 8);
    initStringInfo(&state->text);
}

/* Gathers the rows from one on. Returns how many of them are null. */
static int64 rows_gather(WindowObject window, int64 row, rows_state *state)
{
    int64 nulls = 0;
    int count = 0;
    resetStringInfo(&state->text);
    memset(state->valid, 0, ROWS_BATCH / 8);
    state->offsets[0] = 0;
    while (count < ROWS_BATCH && state->text.len < TALLY_MAX_VALUE) {
        bool is_null, is_out;
        CHECK_FOR_INTERRUPTS();
        const Datum value = WinGetFuncArgInPartition(window, 0, count, WINDOW_SEEK_CURRENT, false,
                                                     &is_null, &is_out);
        if (is_out) {
            break;
        }
        if (is_null) {
            nulls++;
        } else {
            text *const packed = DatumGetTextPP(value);
            appendBinaryStringInfoNT(&state->text, VARDATA_ANY(packed),
                                     (int)VARSIZE_ANY_EXHDR(packed));
            state->valid[count / 8] |= (uint8_t)(1 << count % 8);
            if (PointerGetDatum(packed) != value) {
                pfree(packed);
            }
        }
        state->offsets[++count] = state->text.len;
    }
    state->first = row;
    state->count = count;
    return nulls;
}

/* The rule is a constant of the query: rows of one batch have the same. */
static void rows_begin(FunctionCallInfo fcinfo, tally_pg_act act, tally_pg_call *call)
{
    LOCAL_FCINFO(arguments, 2);
    WindowObject window = PG_WINDOW_OBJECT();
    bool is_null;
    if (!get_fn_expr_arg_stable(fcinfo->flinfo, 1)) {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("tallystick: the rule must be the same for all rows"),
                        errhint("Use tally_protect or tally_reveal."), TALLY_PG_QUIET));
    }
    InitFunctionCallInfoData(*arguments, fcinfo->flinfo, 2, InvalidOid, NULL, NULL);
    arguments->args[0].isnull = true;
    arguments->args[1].value = WinGetFuncArgCurrent(window, 1, &is_null);
    arguments->args[1].isnull = is_null;
    tally_pg_begin(arguments, act, call);
}

static void rows_fetch(FunctionCallInfo fcinfo, tally_pg_act act, int64 row, rows_state *state)
{
    tally_pg_call call;
    rows_begin(fcinfo, act, &call);
    const int64 nulls = rows_gather(PG_WINDOW_OBJECT(), row, state);
    const tally_pg_column column = {state->count, nulls, state->valid, state->offsets,
                                    state->text.data};
    if (state->memory != NULL) {
        pfree(state->memory);
        state->memory = NULL;
    }
    state->memory = tally_pg_transform(&call, &column, state->results, state->nulls);
}

static Datum functions_rows(FunctionCallInfo fcinfo, tally_pg_act act)
{
    WindowObject window = PG_WINDOW_OBJECT();
    const int64 row = WinGetCurrentPosition(window);
    rows_state *const state = WinGetPartitionLocalMemory(window, sizeof *state);
    if (state->results == NULL || row >= state->first + state->count) {
        MemoryContext before = MemoryContextSwitchTo(GetMemoryChunkContext(state));
        if (state->results == NULL) {
            rows_make(state);
        }
        rows_fetch(fcinfo, act, row, state);
        MemoryContextSwitchTo(before);
        WinSetMarkPosition(window, row);
    }
    const int at = (int)(row - state->first);
    if (state->nulls[at]) {
        PG_RETURN_NULL();
    }
    return state->results[at];
}

TALLY_PG_FUNCTION(rows, protect, TALLY_PG_PROTECT)
TALLY_PG_FUNCTION(rows, reveal, TALLY_PG_REVEAL)
