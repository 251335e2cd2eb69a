/* SPDX-License-Identifier: Apache-2.0
 *
 * Text, and what other types share: values as text. */
#include "tally_postgres.h"

#include "utils/builtins.h"
#include "utils/uuid.h"

text *tally_pg_bytes(const tally_pg_call *call, const char *value, size_t size, bool *is_kept)
{
    tally_worker *const worker = call->rule->worker;
    size_t capacity = size + 32, written = 0;
    tally_fault fault = {TALLY_REASON_TWEAK, TALLY_CHARACTER_OTHER, 0};
    text *out = NULL;
    *is_kept = false;
    if (!call->tweak_missing) {
        for (;;) {
            out = palloc(VARHDRSZ + capacity);
            const tally_status status = (call->reveal ? tally_reveal_value : tally_protect_value)(
                worker, (const uint8_t *)value, size, call->tweak, call->tweak_size,
                (uint8_t *)VARDATA(out), capacity, &written, &fault);
            if (status == TALLY_OK) {
                break;
            }
            pfree(out);
            if (status != TALLY_ERROR_CAPACITY) {
                const tally_problem problem = {"", "a value or tweak has more than 1 MiB; shorten "
                                                   "it, or leave its row out"};
                tally_pg_refuse(call, status, status == TALLY_ERROR_ARGUMENT ? &problem : NULL);
            }
            capacity = written;
        }
    }
    if (fault.reason != TALLY_REASON_NONE) {
        *is_kept = tally_pg_invalid(call, &fault);
        return NULL;
    }
    SET_VARSIZE(out, VARHDRSZ + written);
    if (call->reveal) {
        tally_pg_counted(call);
    }
    return out;
}

text *tally_pg_text(const tally_pg_call *call, text *value)
{
    bool is_kept;
    if (call->skip) {
        if (call->is_value) {
            tally_pg_counted(call);
        }
        return value;
    }
    text *const out = tally_pg_bytes(call, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), &is_kept);
    return is_kept ? value : out;
}

static Datum functions_text(FunctionCallInfo fcinfo, tally_pg_act act)
{
    tally_pg_call call;
    if (PG_ARGISNULL(0)) {
        PG_RETURN_NULL();
    }
    tally_pg_begin(fcinfo, act, &call);
    text *const out = tally_pg_text(&call, PG_GETARG_TEXT_PP(0));
    if (out == NULL) {
        PG_RETURN_NULL();
    }
    PG_RETURN_TEXT_P(out);
}

TALLY_PG_FUNCTIONS(text)
