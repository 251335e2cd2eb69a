/* SPDX-License-Identifier: Apache-2.0
 *
 * A node of a query's plan that protects or reveals columns of many rows at once: it reads rows of the
 * plan below it, hands columns of them to the core, and gives the rows on one by one. batch_plan.c
 * puts it into plans. */
#include "batch.h"

#include "catalog/pg_proc.h"
#include "common/int.h"
#include "datatype/timestamp.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

enum {
    BATCH_FIRST = 16,     /* rows, so that a LIMIT reads little more than it needs */
    BATCH_MOST = 4096,    /* rows */
    BATCH_SIZE = 1 << 20, /* bytes of text, after which a batch ends */
    BATCH_DAYS = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE
};

/* Bytes of a column as Arrow has them. */
typedef struct batch_column {
    uint8_t *valid;
    int32_t *offsets; /* of text */
    StringInfoData bytes;
    int64 nulls;
} batch_column;

typedef struct batch_call {
    int column, tweak; /* of the rows below, from 0; -1: there is no tweak */
    tally_pg_kind kind;
    bool reveal;
    Datum rule;
    FmgrInfo function;
    batch_column values, tweaks;
    uint8_t *odd;   /* rows whose value no Arrow type has */
    Datum *results; /* and before that, values that are odd */
    bool *nulls;
} batch_call;

typedef struct batch_state {
    CustomScanState base;
    int calls_count, width, below; /* columns of the rows above and below */
    batch_call *calls;
    int *sources;         /* of each column: a column below, or -1 - call */
    MemoryContext memory; /* of the rows */
    Datum **values;       /* of each column below that is given on */
    bool **nulls;
    int count, next, capacity; /* rows */
    bool is_last;
    int failed; /* row that is invalid, or count */
    const batch_call *failed_call;
    tally_fault fault;
} batch_state;

static void batch_column_make(batch_column *column, bool is_text)
{
    column->valid = palloc(BATCH_MOST / 8);
    column->offsets = is_text ? palloc((BATCH_MOST + 1) * sizeof(int32_t)) : NULL;
    initStringInfo(&column->bytes);
}

static void batch_column_reset(batch_column *column)
{
    memset(column->valid, 0, BATCH_MOST / 8);
    resetStringInfo(&column->bytes);
    column->nulls = 0;
    if (column->offsets != NULL) {
        column->offsets[0] = 0;
    }
}

static void batch_add_text(batch_column *column, int row, Datum value, bool is_null)
{
    if (is_null) {
        column->nulls++;
    } else {
        text *const packed = DatumGetTextPP(value);
        appendBinaryStringInfoNT(&column->bytes, VARDATA_ANY(packed),
                                 (int)VARSIZE_ANY_EXHDR(packed));
        column->valid[row / 8] |= (uint8_t)(1 << row % 8);
        if (PointerGetDatum(packed) != value) {
            pfree(packed);
        }
    }
    column->offsets[row + 1] = column->bytes.len;
}

/* Writes a number as Arrow has it. Returns whether Arrow has it. */
static bool batch_number(tally_pg_kind kind, Datum value, int64 *out)
{
    int32 days;
    switch (kind) {
    case TALLY_PG_INT2:
        *out = DatumGetInt16(value);
        return true;
    case TALLY_PG_INT4:
        *out = DatumGetInt32(value);
        return true;
    case TALLY_PG_DATE:
        if (DATE_NOT_FINITE(DatumGetDateADT(value)) ||
            pg_add_s32_overflow(DatumGetDateADT(value), BATCH_DAYS, &days)) {
            return false;
        }
        *out = days;
        return true;
    case TALLY_PG_TIMESTAMP:
    case TALLY_PG_TIMESTAMPTZ:
        return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)) &&
               !pg_add_s64_overflow(DatumGetTimestamp(value), BATCH_DAYS * USECS_PER_DAY, out);
    default:
        *out = DatumGetInt64(value);
        return true;
    }
}

static Datum batch_datum(tally_pg_kind kind, const char *bytes, int row)
{
    int16 small;
    int32 middle;
    int64 large;
    switch (kind) {
    case TALLY_PG_INT2:
        memcpy(&small, bytes + (size_t)row * sizeof small, sizeof small);
        return Int16GetDatum(small);
    case TALLY_PG_INT4:
    case TALLY_PG_DATE:
        memcpy(&middle, bytes + (size_t)row * sizeof middle, sizeof middle);
        return kind == TALLY_PG_DATE ? DateADTGetDatum(middle - BATCH_DAYS) : Int32GetDatum(middle);
    default:
        memcpy(&large, bytes + (size_t)row * sizeof large, sizeof large);
        return kind == TALLY_PG_INT8 ? Int64GetDatum(large)
                                     : TimestampGetDatum(large - BATCH_DAYS * USECS_PER_DAY);
    }
}

static int batch_width(tally_pg_kind kind)
{
    return kind == TALLY_PG_INT2 ? 2 : kind == TALLY_PG_INT4 || kind == TALLY_PG_DATE ? 4 : 8;
}

static void batch_add_value(batch_call *call, int row, Datum value, bool is_null)
{
    int64 number = 0;
    const int width = batch_width(call->kind);
    call->odd[row] = false;
    if (call->kind == TALLY_PG_TEXT) {
        batch_add_text(&call->values, row, value, is_null);
        return;
    }
    if (!is_null && !batch_number(call->kind, value, &number)) {
        call->odd[row] = true;
        call->results[row] = value; /* all of these types are passed by value */
        is_null = true;
    }
    call->values.nulls += is_null;
#ifdef WORDS_BIGENDIAN
    const char *const bytes = (const char *)&number + sizeof number - width;
#else
    const char *const bytes = (const char *)&number;
#endif
    appendBinaryStringInfoNT(&call->values.bytes, bytes, width);
    if (!is_null) {
        call->values.valid[row / 8] |= (uint8_t)(1 << row % 8);
    }
}

/* Copies rows of the plan below. */
static void batch_read(batch_state *state)
{
    PlanState *const below = outerPlanState(state);
    TupleDesc types = ExecGetResultType(below);
    int row = 0, size = 0;
    for (int i = 0; i < state->calls_count; i++) {
        batch_column_reset(&state->calls[i].values);
        batch_column_reset(&state->calls[i].tweaks);
    }
    while (row < state->capacity && size < BATCH_SIZE) {
        TupleTableSlot *const slot = ExecProcNode(below);
        if (TupIsNull(slot)) {
            state->is_last = true;
            break;
        }
        slot_getallattrs(slot);
        MemoryContext before = MemoryContextSwitchTo(state->memory);
        for (int i = 0; i < state->calls_count; i++) {
            batch_call *const call = &state->calls[i];
            batch_add_value(call, row, slot->tts_values[call->column],
                            slot->tts_isnull[call->column]);
            size = Max(size, call->values.bytes.len);
            if (call->tweak >= 0) {
                batch_add_text(&call->tweaks, row, slot->tts_values[call->tweak],
                               slot->tts_isnull[call->tweak]);
                size = Max(size, call->tweaks.bytes.len);
            }
        }
        for (int i = 0; i < state->below; i++) {
            if (state->values[i] != NULL) {
                Form_pg_attribute type = TupleDescAttr(types, i);
                const bool is_null = slot->tts_isnull[i];
                state->nulls[i][row] = is_null;
                state->values[i][row] =
                    is_null ? (Datum)0
                            : datumCopy(slot->tts_values[i], type->attbyval, type->attlen);
                size += type->attbyval || is_null || type->attlen != -1
                            ? 0
                            : (int)VARSIZE_ANY(DatumGetPointer(state->values[i][row]));
            }
        }
        MemoryContextSwitchTo(before);
        row++;
    }
    state->count = state->failed = row;
}

/* A row is invalid: those before it can still be given on. */
static void batch_fail(batch_state *state, const batch_call *call, int row,
                       const tally_fault *fault)
{
    if (row < state->failed) {
        state->failed = row;
        state->failed_call = call;
        state->fault = *fault;
    }
}

/* What becomes of values that Arrow does not have. */
static void batch_patch_odd(batch_state *state, batch_call *call, const tally_pg_call *known)
{
    static const tally_fault out_of_range = {TALLY_REASON_RANGE, TALLY_CHARACTER_OTHER, 0};
    const tally_on_invalid then = known->rule->rule->on_invalid;
    for (int row = 0; row < state->count; row++) {
        if (call->odd[row]) {
            call->nulls[row] = then != TALLY_INVALID_KEEP;
            if (then == TALLY_INVALID_ERROR) {
                batch_fail(state, call, row, &out_of_range);
            }
        }
    }
}

static void batch_begin_call(const batch_call *call, tally_pg_call *out)
{
    LOCAL_FCINFO(arguments, 3);
    InitFunctionCallInfoData(*arguments, (FmgrInfo *)&call->function, call->tweak >= 0 ? 3 : 2,
                             InvalidOid, NULL, NULL);
    arguments->args[0].isnull = true;
    arguments->args[1].value = call->rule;
    arguments->args[1].isnull = false;
    arguments->args[2].value = call->rule; /* says that there is a tweak */
    arguments->args[2].isnull = false;
    tally_pg_begin(arguments, call->reveal ? TALLY_PG_REVEAL : TALLY_PG_PROTECT, out);
}

static void batch_spread_fixed(const batch_call *call, const struct ArrowArray *from)
{
    const uint8_t *const valid = from->buffers[0];
    for (int row = 0; row < (int)from->length; row++) {
        call->nulls[row] = valid != NULL && (valid[row / 8] >> row % 8 & 1) == 0;
        if (!call->nulls[row]) {
            call->results[row] = batch_datum(call->kind, from->buffers[1], row);
        }
    }
}

static const char *const batch_types[] = {"u", "s", "i", "l", "tdD", "tsu:", "tsu:UTC"};

static void batch_transform(batch_state *state, batch_call *call)
{
    tally_pg_call known;
    tally_invalid invalid = {0};
    struct ArrowArray out;
    int odd = 0;
    for (int row = 0; row < state->count; row++) {
        odd += call->odd[row];
    }
    const bool is_text = call->kind == TALLY_PG_TEXT;
    const tally_pg_column tweaks = {"u",
                                    state->count,
                                    call->tweaks.nulls,
                                    call->tweaks.valid,
                                    call->tweaks.offsets,
                                    call->tweaks.bytes.data};
    tally_pg_column values = {batch_types[call->kind],
                              state->count,
                              call->values.nulls,
                              call->values.valid,
                              is_text ? (const void *)call->values.offsets
                                      : (const void *)call->values.bytes.data,
                              call->values.bytes.data};
    memset(call->nulls, true, (Size)state->count * sizeof *call->nulls);
    if (call->values.nulls - odd == state->count) {
        return; /* a strict function is not called */
    }
    batch_begin_call(call, &known);
    if (call->values.nulls < state->count) {
        const tally_pg_column *const given = call->tweak >= 0 ? &tweaks : NULL;
        if (!tally_pg_transform(&known, &values, given, &out, &invalid)) {
            batch_fail(state, call, (int)invalid.row, &invalid.fault);
            values.count = (int)invalid.row;
            values.nulls = -1;
            if (values.count == 0) {
                return;
            }
            tally_pg_column first = tweaks;
            first.count = values.count;
            first.nulls = -1;
            if (!tally_pg_transform(&known, &values, given == NULL ? NULL : &first, &out,
                                    &invalid)) {
                elog(ERROR, "tallystick: a row was valid before");
            }
        }
        PG_TRY();
        {
            if (is_text) {
                tally_pg_spread(&out, call->results, call->nulls);
            } else {
                batch_spread_fixed(call, &out);
            }
            if (call->reveal) {
                uint64 there = 0;
                for (int row = 0; row < values.count; row++) {
                    there += !call->nulls[row];
                }
                if (there > 0) {
                    tally_pg_audit(known.rule->name, there);
                }
            }
        }
        PG_FINALLY();
        {
            out.release(&out);
        }
        PG_END_TRY();
    }
    if (odd > 0) {
        batch_patch_odd(state, call, &known);
    }
}

static TupleTableSlot *batch_next(PlanState *plan_state)
{
    batch_state *const state = (batch_state *)plan_state;
    ScanState *const scan = &state->base.ss;
    TupleTableSlot *const slot = scan->ss_ScanTupleSlot;
    CHECK_FOR_INTERRUPTS();
    if (state->next == state->count && !state->is_last) {
        MemoryContextReset(state->memory);
        state->next = 0;
        batch_read(state);
        MemoryContext before = MemoryContextSwitchTo(state->memory);
        for (int i = 0; i < state->calls_count; i++) {
            batch_transform(state, &state->calls[i]);
        }
        MemoryContextSwitchTo(before);
        state->capacity = Min(2 * state->capacity, BATCH_MOST);
    }
    ExecClearTuple(slot);
    if (state->next < state->count) {
        const int row = state->next++;
        if (row == state->failed) {
            tally_pg_call known;
            batch_begin_call(state->failed_call, &known);
            (void)tally_pg_invalid(&known, &state->fault);
        }
        for (int i = 0; i < state->width; i++) {
            const int source = state->sources[i];
            if (source >= 0) {
                slot->tts_values[i] = state->values[source][row];
                slot->tts_isnull[i] = state->nulls[source][row];
            } else {
                slot->tts_values[i] = state->calls[-1 - source].results[row];
                slot->tts_isnull[i] = state->calls[-1 - source].nulls[row];
            }
        }
        ExecStoreVirtualTuple(slot);
    }
    if (scan->ps.ps_ProjInfo == NULL || TupIsNull(slot)) {
        return slot;
    }
    ResetExprContext(scan->ps.ps_ExprContext);
    scan->ps.ps_ExprContext->ecxt_scantuple = slot;
    return ExecProject(scan->ps.ps_ProjInfo);
}

static TupleTableSlot *batch_exec(CustomScanState *node)
{
    return batch_next(&node->ss.ps);
}

static void batch_make_call(batch_call *call, const List *from)
{
    const Oid function = (Oid)intVal(list_nth(from, 0));
#if PG_VERSION_NUM >= 160000
    const AclResult right =
        object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
#else
    const AclResult right = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
#endif
    if (right != ACLCHECK_OK) {
        aclcheck_error(right, OBJECT_FUNCTION, get_func_name(function));
    }
    call->kind = (tally_pg_kind)intVal(list_nth(from, 1));
    call->reveal = intVal(list_nth(from, 2)) != 0;
    call->column = intVal(list_nth(from, 3));
    call->tweak = intVal(list_nth(from, 4));
    call->rule = castNode(Const, list_nth(from, 5))->constvalue;
    fmgr_info(function, &call->function);
    batch_column_make(&call->values, call->kind == TALLY_PG_TEXT);
    batch_column_make(&call->tweaks, true);
    call->odd = palloc0(BATCH_MOST);
    call->results = palloc(BATCH_MOST * sizeof *call->results);
    call->nulls = palloc(BATCH_MOST * sizeof *call->nulls);
}

static void batch_begin(CustomScanState *node, EState *estate, int flags)
{
    batch_state *const state = (batch_state *)node;
    const CustomScan *const plan = (CustomScan *)node->ss.ps.plan;
    const List *const calls = linitial(plan->custom_private);
    const List *const sources = lsecond(plan->custom_private);
    outerPlanState(state) = ExecInitNode(outerPlan(plan), estate, flags);
    state->below = ExecGetResultType(outerPlanState(state))->natts;
    state->width = list_length(sources);
    state->calls_count = list_length(calls);
    state->calls = palloc0((Size)state->calls_count * sizeof *state->calls);
    state->sources = palloc((Size)state->width * sizeof *state->sources);
    state->values = palloc0(((Size)state->below + 1) * sizeof *state->values);
    state->nulls = palloc0(((Size)state->below + 1) * sizeof *state->nulls);
    state->memory =
        AllocSetContextCreate(CurrentMemoryContext, "tallystick batch", ALLOCSET_DEFAULT_SIZES);
    state->capacity = BATCH_FIRST;
    for (int i = 0; i < state->calls_count; i++) {
        batch_make_call(&state->calls[i], list_nth(calls, i));
    }
    for (int i = 0; i < state->width; i++) {
        const int source = list_nth_int(sources, i);
        state->sources[i] = source;
        if (source >= 0 && state->values[source] == NULL) {
            state->values[source] = palloc(BATCH_MOST * sizeof **state->values);
            state->nulls[source] = palloc(BATCH_MOST * sizeof **state->nulls);
        }
    }
}

static void batch_end(CustomScanState *node)
{
    batch_state *const state = (batch_state *)node;
    MemoryContextDelete(state->memory);
    ExecEndNode(outerPlanState(state));
}

static void batch_rescan(CustomScanState *node)
{
    batch_state *const state = (batch_state *)node;
    state->count = state->next = 0;
    state->is_last = false;
    state->capacity = BATCH_FIRST;
    MemoryContextReset(state->memory);
    if (outerPlanState(state)->chgParam == NULL) {
        ExecReScan(outerPlanState(state));
    }
}

static const CustomExecMethods batch_exec_methods = {
    .CustomName = TALLY_PG_BATCH,
    .BeginCustomScan = batch_begin,
    .ExecCustomScan = batch_exec,
    .EndCustomScan = batch_end,
    .ReScanCustomScan = batch_rescan,
};

static Node *batch_create_state(CustomScan *plan)
{
    (void)plan;
    batch_state *const state = (batch_state *)newNode(sizeof *state, T_CustomScanState);
    state->base.methods = &batch_exec_methods;
    return (Node *)state;
}

const CustomScanMethods tally_pg_batch_methods = {TALLY_PG_BATCH, batch_create_state};
