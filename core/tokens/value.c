/* SPDX-License-Identifier: Apache-2.0
 *
 * One value: by the format's own function for one, or as a column of one row. */
#include <string.h>

#include "tokens/worker.h"

/* Where the result of a column of one row goes: to the caller's memory as long as it has room, then
 * to a piece of the worker's, so that the size is known. */
typedef struct value_memory {
    tally_worker *worker;
    uint8_t *own;
} value_memory;

static int value_grow(tally_text_out *out, uint64_t more)
{
    value_memory *memory = out->context;
    const uint64_t wanted = out->size + more;
    uint8_t *grown;
    if (memory->own == NULL) {
        grown = tally_tokens_scratch(memory->worker, TOKENS_ONE, 2 * wanted);
        if (grown != NULL && out->size > 0) {
            memcpy(grown, out->values, (size_t)out->size);
        }
    } else {
        /* A piece that grows forgets, so its content waits in another. */
        uint8_t *other = tally_tokens_scratch(memory->worker, TOKENS_VALUES, out->size + 1);
        if (other == NULL) {
            return 0;
        }
        memcpy(other, out->values, (size_t)out->size);
        grown = tally_tokens_scratch(memory->worker, TOKENS_ONE, 2 * wanted);
        if (grown != NULL) {
            memcpy(grown, other, (size_t)out->size);
        }
    }
    if (grown == NULL) {
        return 0;
    }
    memory->own = out->values = grown;
    out->capacity = 2 * wanted;
    return 1;
}

static tally_status value_column(tally_worker *worker, const tally_strings *row_tweak,
                                 tally_one *one)
{
    const tally_format *format = worker->tokenizer->format;
    uint32_t offsets[2] = {0, (uint32_t)one->size}, out_offsets[2] = {0, 0};
    uint8_t status = 0, spare[1];
    value_memory memory = {worker, NULL};
    tally_text_out out = {.values = one->capacity > 0 ? one->out : spare,
                          .capacity = one->capacity,
                          .offsets = out_offsets,
                          .offset_size = 4,
                          .most = INT32_MAX,
                          .grow = value_grow,
                          .context = &memory};
    tally_text_column column = {.in = {.offsets = offsets,
                                       .offset_size = 4,
                                       .values = one->size > 0 ? one->value : spare,
                                       .rows = 1},
                                .status = &status};
    spare[0] = 0;
    if (format->keeps_size) {
        column.values = one->capacity >= one->size    ? out.values
                        : value_grow(&out, one->size) ? out.values
                                                      : NULL;
        if (column.values == NULL) {
            return TALLY_ERROR_MEMORY;
        }
    } else {
        column.out = &out;
    }
    worker->run.row_tweaks = row_tweak;
    const tally_status result = format->of->text(format, &worker->run, &column);
    if (result != TALLY_OK) {
        return result;
    }
    one->reason = (tally_reason)status;
    one->out_size = format->keeps_size ? one->size : (size_t)out.size;
    if (status == 0 && memory.own != NULL) {
        if (one->out_size > one->capacity) {
            return TALLY_ERROR_CAPACITY;
        }
        memcpy(one->out, out.values, one->out_size);
    }
    return TALLY_OK;
}

static tally_status value_run(tally_worker *worker, tally_direction direction, const uint8_t *value,
                              size_t size, const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                              size_t capacity, size_t *out_size, tally_fault *fault)
{
    const tally_format *format = worker->tokenizer->format;
    if (size > TALLY_MAX_VALUE || tweak_size > TALLY_MAX_VALUE) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint32_t tweak_offsets[2] = {0, (uint32_t)tweak_size};
    const tally_strings row_tweak = {
        .offsets = tweak_offsets, .offset_size = 4, .values = tweak, .rows = 1};
    const tally_strings *rows = tweak == NULL ? NULL : &row_tweak;
    tally_one one = {.value = value,
                     .size = size,
                     .row_tweak = tweak,
                     .row_tweak_size = tweak_size,
                     .out = out,
                     .capacity = capacity};
    tally_status status = tally_tokens_begin(worker, direction, rows);
    if (status == TALLY_OK) {
        status = format->of->one != NULL ? format->of->one(format, &worker->run, &one)
                                         : value_column(worker, rows, &one);
    }
    if ((status == TALLY_OK || status == TALLY_ERROR_CAPACITY) && one.reason != TALLY_REASON_NONE) {
        /* It stays as it is. */
        one.out_size = size;
        status = size <= capacity ? TALLY_OK : TALLY_ERROR_CAPACITY;
        if (status == TALLY_OK && size > 0) {
            memcpy(out, value, size);
        }
    }
    tally_tokens_end(worker);
    if (status == TALLY_OK || status == TALLY_ERROR_CAPACITY) {
        *out_size = one.out_size;
    }
    if (status == TALLY_OK) {
        memset(fault, 0, sizeof *fault);
        if (one.reason != TALLY_REASON_NONE) {
            tally_format_explain(format, value, size, one.reason, fault);
        }
    }
    return status;
}

tally_status tally_protect_value(tally_worker *worker, const uint8_t *value, size_t size,
                                 const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                                 size_t capacity, size_t *out_size, tally_fault *fault)
{
    return value_run(worker, TALLY_ENCRYPT, value, size, tweak, tweak_size, out, capacity, out_size,
                     fault);
}

tally_status tally_reveal_value(tally_worker *worker, const uint8_t *token, size_t size,
                                const uint8_t *tweak, size_t tweak_size, uint8_t *out,
                                size_t capacity, size_t *out_size, tally_fault *fault)
{
    return value_run(worker, TALLY_DECRYPT, token, size, tweak, tweak_size, out, capacity, out_size,
                     fault);
}

static tally_status value_fixed(tally_worker *worker, tally_direction direction, const char *type,
                                const void *value, const uint8_t *tweak, size_t tweak_size,
                                void *out, tally_fault *fault, tally_problem *problem)
{
    const tally_format *format = worker->tokenizer->format;
    union {
        uint64_t align[4];
        uint8_t bytes[32];
    } held;
    tally_arrow_type read;
    if (tweak_size > TALLY_MAX_VALUE) {
        return TALLY_ERROR_ARGUMENT;
    }
    (void)tally_arrow_type_read(type, &read);
    tally_status status = tally_format_takes_read(format, type, &read, problem);
    if (status != TALLY_OK) {
        return status;
    }
    /* Of the types that formats take, all but text and binary have values of a fixed size. */
    if (format->of->fixed == NULL || read.kind == TALLY_ARROW_TEXT ||
        read.kind == TALLY_ARROW_BINARY || read.width == 0 || read.width > sizeof held.bytes) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint32_t tweak_offsets[2] = {0, (uint32_t)tweak_size};
    const tally_strings row_tweak = {
        .offsets = tweak_offsets, .offset_size = 4, .values = tweak, .rows = 1};
    status = tally_tokens_begin(worker, direction, tweak == NULL ? NULL : &row_tweak);
    uint8_t reason = 0;
    memcpy(held.bytes, value, read.width);
    if (status == TALLY_OK) {
        tally_fixed_column column = {
            .type = &read, .values = &held, .rows = 1, .status = &reason, .out = &held};
        status = format->of->fixed(format, &worker->run, &column);
    }
    tally_tokens_end(worker);
    if (status == TALLY_OK) {
        memcpy(out, reason == 0 ? (const void *)held.bytes : value, read.width);
        memset(fault, 0, sizeof *fault);
        fault->reason = (tally_reason)reason;
    }
    tally_wipe(&held, sizeof held);
    return status;
}

tally_status tally_protect_fixed(tally_worker *worker, const char *type, const void *value,
                                 const uint8_t *tweak, size_t tweak_size, void *out,
                                 tally_fault *fault, tally_problem *problem)
{
    return value_fixed(worker, TALLY_ENCRYPT, type, value, tweak, tweak_size, out, fault, problem);
}

tally_status tally_reveal_fixed(tally_worker *worker, const char *type, const void *token,
                                const uint8_t *tweak, size_t tweak_size, void *out,
                                tally_fault *fault, tally_problem *problem)
{
    return value_fixed(worker, TALLY_DECRYPT, type, token, tweak, tweak_size, out, fault, problem);
}
