/* SPDX-License-Identifier: Apache-2.0
 *
 * text[]: many values at once, as a column of the core. That is several times as fast as a call for each
 * value. */
#include "tally_postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

/* The memory is the caller's. */
static void arrays_release_type(struct ArrowSchema *type)
{
    type->release = NULL;
}

static void arrays_release(struct ArrowArray *array)
{
    array->release = NULL;
}

static void arrays_gather(Datum *values, bool *nulls, int count, tally_pg_column *out)
{
    Size size = 0;
    for (int i = 0; i < count; i++) {
        if (!nulls[i]) {
            values[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(values[i]));
            size += VARSIZE_ANY_EXHDR(DatumGetPointer(values[i]));
        }
    }
    if (size > INT32_MAX) {
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("tallystick: the array has more than 2^31 bytes"), TALLY_PG_QUIET));
    }
    int32_t *const offsets = palloc(((Size)count + 1) * sizeof *offsets);
    uint8_t *const valid = palloc0((Size)count / 8 + 1);
    char *const text = palloc(size + 1);
    int32_t at = 0;
    *out = (tally_pg_column){count, 0, valid, offsets, text};
    offsets[0] = 0;
    for (int i = 0; i < count; i++) {
        if (nulls[i]) {
            out->nulls++;
        } else {
            const struct varlena *const value = (struct varlena *)DatumGetPointer(values[i]);
            const int32_t value_size = (int32_t)VARSIZE_ANY_EXHDR(value);
            memcpy(text + at, VARDATA_ANY(value), (size_t)value_size);
            at += value_size;
            valid[i / 8] |= (uint8_t)(1 << i % 8);
        }
        offsets[i + 1] = at;
    }
}

static void arrays_failed(const tally_pg_call *call, tally_status status,
                          const tally_invalid *invalid, const tally_problem *problem)
{
    if (status == TALLY_ERROR_INVALID) {
        (void)tally_pg_invalid(call, &invalid->fault);
    }
    tally_pg_refuse(call, status, problem);
}

/* Makes values of the result, in one piece of memory; *there receives how many are not null. */
static char *arrays_spread(const struct ArrowArray *from, int count, Datum *values, bool *nulls,
                           uint64 *there)
{
    const uint8_t *const valid = from->buffers[0];
    const int32_t *const offsets = from->buffers[1];
    const char *const bytes = from->buffers[2];
    Size size = 0;
    *there = 0;
    for (int i = 0; i < count; i++) {
        nulls[i] = valid != NULL && (valid[i / 8] >> i % 8 & 1) == 0;
        size += nulls[i] ? 0 : MAXALIGN(VARHDRSZ + (Size)(offsets[i + 1] - offsets[i]));
        *there += !nulls[i];
    }
    char *const memory = palloc(size + 1), *at = memory;
    for (int i = 0; i < count; i++) {
        const Size value_size = (Size)(offsets[i + 1] - offsets[i]);
        if (!nulls[i]) {
            SET_VARSIZE(at, VARHDRSZ + value_size);
            memcpy(VARDATA(at), bytes + offsets[i], value_size);
            values[i] = PointerGetDatum(at);
            at += MAXALIGN(VARHDRSZ + value_size);
        }
    }
    return memory;
}

char *tally_pg_transform(const tally_pg_call *call, const tally_pg_column *column, Datum *values,
                         bool *nulls)
{
    const void *buffers[] = {column->valid, column->offsets, column->text};
    struct ArrowSchema type = {.format = "u", .release = arrays_release_type};
    struct ArrowArray in = {.length = column->count,
                            .null_count = column->nulls,
                            .n_buffers = 3,
                            .buffers = buffers,
                            .release = arrays_release};
    struct ArrowArray out;
    tally_counts counts = {0};
    tally_invalid invalid;
    tally_problem problem = {"", ""};
    const tally_status status = (call->reveal ? tally_reveal_array : tally_protect_array)(
        call->rule->worker, &type, &in, NULL, NULL, &out, &counts, &invalid, &problem);
    if (status != TALLY_OK) {
        arrays_failed(call, status, &invalid, &problem);
    }
    char *volatile memory = NULL;
    PG_TRY();
    {
        uint64 there;
        memory = arrays_spread(&out, column->count, values, nulls, &there);
        if (call->reveal && there > 0) {
            tally_pg_audit(call->rule->name, there);
        }
    }
    PG_FINALLY();
    {
        out.release(&out);
    }
    PG_END_TRY();
    return memory;
}

static Datum functions_texts(FunctionCallInfo fcinfo, tally_pg_act act)
{
    tally_pg_call call;
    if (PG_ARGISNULL(0)) {
        PG_RETURN_NULL();
    }
    tally_pg_begin(fcinfo, act, &call);
    ArrayType *const array = PG_GETARG_ARRAYTYPE_P(0);
    Datum *values;
    bool *nulls;
    int count;
    deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, &count);
    if (count == 0) {
        PG_RETURN_ARRAYTYPE_P(array);
    }
    tally_pg_column column;
    arrays_gather(values, nulls, count, &column);
    (void)tally_pg_transform(&call, &column, values, nulls);
    PG_RETURN_ARRAYTYPE_P(construct_md_array(values, nulls, ARR_NDIM(array), ARR_DIMS(array),
                                             ARR_LBOUND(array), TEXTOID, -1, false, TYPALIGN_INT));
}

TALLY_PG_FUNCTION(texts, protect, TALLY_PG_PROTECT)
TALLY_PG_FUNCTION(texts, reveal, TALLY_PG_REVEAL)
