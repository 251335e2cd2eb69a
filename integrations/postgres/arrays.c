/* SPDX-License-Identifier: Apache-2.0
 *
 * text[]: many values at once, as a column of the core. That is several times as fast as a call for each
 * value. */
#include "tally_postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

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
    *out = (tally_pg_column){"u", count, 0, valid, offsets, text};
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

uint64 tally_pg_spread(const struct ArrowArray *from, Datum *values, bool *nulls)
{
    const int count = (int)from->length;
    const uint8_t *const valid = from->buffers[0];
    const int32_t *const offsets = from->buffers[1];
    const char *const bytes = from->buffers[2];
    uint64 there = 0;
    Size size = 0;
    for (int i = 0; i < count; i++) {
        nulls[i] = valid != NULL && (valid[i / 8] >> i % 8 & 1) == 0;
        size += nulls[i] ? 0 : MAXALIGN(VARHDRSZ + (Size)(offsets[i + 1] - offsets[i]));
        there += !nulls[i];
    }
    char *at = palloc(size + 1);
    for (int i = 0; i < count; i++) {
        const Size value_size = (Size)(offsets[i + 1] - offsets[i]);
        if (!nulls[i]) {
            SET_VARSIZE(at, VARHDRSZ + value_size);
            memcpy(VARDATA(at), bytes + offsets[i], value_size);
            values[i] = PointerGetDatum(at);
            at += MAXALIGN(VARHDRSZ + value_size);
        }
    }
    return there;
}

/* Describes a column to the core. */
static struct ArrowArray arrays_describe(const tally_pg_column *column, const void **buffers,
                                         struct ArrowSchema *type)
{
    const bool is_text = strcmp(column->type, "u") == 0;
    buffers[0] = column->valid;
    buffers[1] = column->offsets;
    buffers[2] = column->text;
    *type = (struct ArrowSchema){.format = column->type, .release = arrays_release_type};
    return (struct ArrowArray){.length = column->count,
                               .null_count = column->nulls,
                               .n_buffers = is_text ? 3 : 2,
                               .buffers = buffers,
                               .release = arrays_release};
}

bool tally_pg_transform(const tally_pg_call *call, const tally_pg_column *values,
                        const tally_pg_column *tweaks, struct ArrowArray *out,
                        tally_invalid *invalid)
{
    const void *buffers[2][3];
    struct ArrowSchema types[2];
    struct ArrowArray in[2];
    tally_problem problem = {"", ""};
    in[0] = arrays_describe(values, buffers[0], &types[0]);
    if (tweaks != NULL) {
        in[1] = arrays_describe(tweaks, buffers[1], &types[1]);
    }
    const tally_status status = (call->reveal ? tally_reveal_array : tally_protect_array)(
        call->rule->worker, &types[0], &in[0], tweaks == NULL ? NULL : &types[1],
        tweaks == NULL ? NULL : &in[1], out, NULL, invalid, &problem);
    if (status != TALLY_OK && status != TALLY_ERROR_INVALID) {
        tally_pg_refuse(call, status, &problem);
    }
    return status == TALLY_OK;
}

/* Transforms texts, and replaces them by what comes out. */
static void arrays_run(const tally_pg_call *call, const tally_pg_column *column, Datum *values,
                       bool *nulls)
{
    struct ArrowArray out;
    tally_invalid invalid;
    if (!tally_pg_transform(call, column, NULL, &out, &invalid)) {
        (void)tally_pg_invalid(call, &invalid.fault);
    }
    PG_TRY();
    {
        const uint64 there = tally_pg_spread(&out, values, nulls);
        if (call->reveal && there > 0) {
            tally_pg_audit(call->rule->name, there);
        }
    }
    PG_FINALLY();
    {
        out.release(&out);
    }
    PG_END_TRY();
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
    arrays_run(&call, &column, values, nulls);
    PG_RETURN_ARRAYTYPE_P(construct_md_array(values, nulls, ARR_NDIM(array), ARR_DIMS(array),
                                             ARR_LBOUND(array), TEXTOID, -1, false, TYPALIGN_INT));
}

TALLY_PG_FUNCTION(texts, protect, TALLY_PG_PROTECT)
TALLY_PG_FUNCTION(texts, reveal, TALLY_PG_REVEAL)
