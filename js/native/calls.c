/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of the core, and those of js/core/binding.h and go/internal/core/binding.h, with
 * arguments that were checked. Their order is that of `Exports` in src/exports.ts. */
#include "../core/binding.h"
#include "internal/core/binding.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 1 << 30, CALLS_TEXT = 1 };

void native_free(native_kind kind, void *pointer)
{
    switch (kind) {
    case NATIVE_ARRAY:
        tally_js_array_free(pointer);
        break;
    case NATIVE_WORKER:
        tally_worker_free(pointer);
        break;
    case NATIVE_TOKENIZER:
        tally_tokenizer_free(pointer);
        break;
    case NATIVE_FORMAT:
        tally_format_free(pointer);
        break;
    case NATIVE_POLICY:
        tally_policy_free(pointer);
        break;
    case NATIVE_RING:
        tally_keyring_free(pointer);
        break;
    case NATIVE_NONE:
        break;
    }
}

/* Bytes whose size is the argument behind them. */
static const void *call_bytes(native_call *call, uint32_t index)
{
    return native_in(call, index, native_number(call, index + 1, CALLS_MOST), 1);
}

static tally_problem *call_problem(native_call *call, uint32_t index)
{
    return native_out(call, index, sizeof(tally_problem), 1);
}

static size_t call_size(const native_call *call, uint32_t index)
{
    return (size_t)call->arguments[index];
}

/* Gives what was made to JavaScript, which finds its number where argument `out` says. */
static int64_t call_keep(native_call *call, tally_status status, native_kind kind, void *made,
                         uint64_t needs, uint32_t *out)
{
    if (status != TALLY_OK) {
        return (int64_t)status;
    }
    *out = native_keep(call->core, kind, made, native_index(needs), false);
    return *out != 0 ? TALLY_OK : TALLY_ERROR_MEMORY;
}

static int64_t call_free(native_call *call, native_kind kind)
{
    if (call->arguments[0] != 0 && native_object_of(call, 0, kind) != NULL) {
        native_close(call->core, call->arguments[0], kind);
    }
    return 0;
}

static int64_t call_version(native_call *call)
{
    call->text = tally_version();
    return 0;
}

static int64_t call_status_text(native_call *call)
{
    call->text = tally_status_text((tally_status)native_number(call, 0, INT32_MAX));
    return 0;
}

/* Formats. */
static int64_t call_format_new(native_call *call)
{
    tally_format *made = NULL;
    const char *text = call_bytes(call, 1);
    uint32_t *out = native_out(call, 3, sizeof *out, sizeof *out);
    tally_problem *problem = call_problem(call, 4);
    if (call->refused) {
        return 0;
    }
    const tally_status status = tally_format_new(NULL, text, call_size(call, 2), &made, problem);
    return call_keep(call, status, NATIVE_FORMAT, made, 0, out);
}

static int64_t call_format_free(native_call *call)
{
    return call_free(call, NATIVE_FORMAT);
}

static int64_t call_format_name_at(native_call *call)
{
    call->text = tally_format_name_at(native_number(call, 0, UINT32_MAX));
    return 0;
}

/* Functions of a format alone. */
#define CALL_TEXT_OF_FORMAT(name)                                                                  \
    static int64_t call_##name(native_call *call)                                                  \
    {                                                                                              \
        const tally_format *format = native_object_of(call, 0, NATIVE_FORMAT);                     \
        call->text = format != NULL ? tally_##name(format) : NULL;                                 \
        return 0;                                                                                  \
    }
#define CALL_NUMBER_OF_FORMAT(name)                                                                \
    static int64_t call_##name(native_call *call)                                                  \
    {                                                                                              \
        const tally_format *format = native_object_of(call, 0, NATIVE_FORMAT);                     \
        return format != NULL ? (int64_t)tally_##name(format) : 0;                                 \
    }
CALL_TEXT_OF_FORMAT(format_name)
CALL_TEXT_OF_FORMAT(format_identity)
CALL_TEXT_OF_FORMAT(format_cipher)
CALL_NUMBER_OF_FORMAT(format_is_one_way)
CALL_NUMBER_OF_FORMAT(format_is_keyed)
CALL_NUMBER_OF_FORMAT(format_may_be_formula)
CALL_NUMBER_OF_FORMAT(format_forbids_keep)
CALL_NUMBER_OF_FORMAT(format_needs_tweak)
CALL_NUMBER_OF_FORMAT(format_key_size)

static int64_t call_format_example(native_call *call)
{
    const tally_format *format = native_object_of(call, 0, NATIVE_FORMAT);
    const size_t index = native_number(call, 1, UINT32_MAX);
    call->text = format != NULL ? tally_format_example(format, index) : NULL;
    return 0;
}

static int64_t call_format_smallest_domain(native_call *call)
{
    const tally_format *format = native_object_of(call, 0, NATIVE_FORMAT);
    tally_domain *out = native_out(call, 1, sizeof *out, sizeof(uint64_t));
    if (!call->refused) {
        tally_format_smallest_domain(format, out);
    }
    return 0;
}

static int64_t call_format_domain_of(native_call *call)
{
    const tally_format *format = native_object_of(call, 0, NATIVE_FORMAT);
    const uint8_t *value = call_bytes(call, 1);
    tally_domain *out = native_out(call, 3, sizeof *out, sizeof(uint64_t));
    if (!call->refused) {
        tally_format_domain_of(format, value, call_size(call, 2), out);
    }
    return 0;
}

static int64_t call_format_explain(native_call *call)
{
    const tally_format *format = native_object_of(call, 0, NATIVE_FORMAT);
    const uint8_t *value = call_bytes(call, 1);
    const tally_reason reason = (tally_reason)native_number(call, 3, TALLY_REASONS - 1);
    tally_fault *out = native_out(call, 4, sizeof *out, sizeof(uint64_t));
    if (!call->refused) {
        tally_format_explain(format, value, call_size(call, 2), reason, out);
    }
    return 0;
}

static int64_t call_reason_text(native_call *call)
{
    call->text = tally_reason_text((tally_reason)native_number(call, 0, TALLY_REASONS - 1));
    return 0;
}

/* Tokenizers, and values alone. */
static int64_t call_tokenizer_new(native_call *call)
{
    tally_tokenizer *made = NULL;
    const tally_format *format = native_object_of(call, 1, NATIVE_FORMAT);
    const uint8_t *key = call->arguments[2] != 0 ? call_bytes(call, 2) : NULL;
    const char *name_space = call_bytes(call, 4);
    const uint32_t on_invalid = native_number(call, 6, TALLY_INVALID_KEEP);
    uint32_t *out = native_out(call, 7, sizeof *out, sizeof *out);
    tally_problem *problem = call_problem(call, 8);
    if (call->refused) {
        return 0;
    }
    const tally_status status =
        tally_tokenizer_new(NULL, format, key, key != NULL ? call_size(call, 3) : 0, name_space,
                            call_size(call, 5), (tally_on_invalid)on_invalid, &made, problem);
    return call_keep(call, status, NATIVE_TOKENIZER, made, call->arguments[1], out);
}

static int64_t call_tokenizer_free(native_call *call)
{
    return call_free(call, NATIVE_TOKENIZER);
}

static int64_t call_worker_new(native_call *call)
{
    tally_worker *made = NULL;
    const tally_tokenizer *tokenizer = native_object_of(call, 0, NATIVE_TOKENIZER);
    uint32_t *out = native_out(call, 1, sizeof *out, sizeof *out);
    if (call->refused) {
        return 0;
    }
    const tally_status status = tally_worker_new(tokenizer, &made);
    return call_keep(call, status, NATIVE_WORKER, made, call->arguments[0], out);
}

static int64_t call_worker_free(native_call *call)
{
    return call_free(call, NATIVE_WORKER);
}

static int64_t call_value(native_call *call)
{
    size_t written = 0;
    tally_worker *worker = native_object_of(call, 0, NATIVE_WORKER);
    const uint32_t reveal = native_number(call, 1, 1);
    const uint8_t *value = call_bytes(call, 2), *tweak = call_bytes(call, 4);
    const uint32_t is_tweaked = native_number(call, 6, 1);
    const size_t capacity = native_number(call, 8, CALLS_MOST);
    uint8_t *out = native_out(call, 7, capacity, 1);
    uint32_t *size = native_out(call, 9, sizeof *size, sizeof *size);
    uint32_t *reason = native_out(call, 10, sizeof *reason, sizeof *reason);
    if (call->refused) {
        return 0;
    }
    const uint32_t status =
        tally_go_value(worker, reveal, value, call_size(call, 3), tweak, call_size(call, 5),
                       is_tweaked, out, capacity, &written, reason);
    *size = written <= UINT32_MAX ? (uint32_t)written : UINT32_MAX;
    return status;
}

/* Columns. One is described in memory by addresses, which are looked up when it is used. */
typedef struct call_column {
    uint64_t type, validity, first, second, dictionary;
    uint32_t rows, nulls;
} call_column;

static int64_t call_column_size(native_call *call)
{
    (void)call;
    return (int64_t)sizeof(call_column);
}

static int64_t call_column_init(native_call *call)
{
    call_column *out = native_out(call, 0, sizeof *out, sizeof(uint64_t));
    const uint32_t rows = native_number(call, 2, INT32_MAX);
    const uint32_t nulls = native_number(call, 3, INT32_MAX);
    if (!call->refused) {
        const uint64_t *given = call->arguments;
        *out = (call_column){given[1], given[4], given[5], given[6], given[7], rows, nulls};
    }
    return 0;
}

/* The bytes of a value of a type; 0: it has offsets of so many bytes, or is not known. */
static uint32_t call_width(const char *type, uint32_t *offset)
{
    static const struct {
        const char *start;
        uint32_t width;
    } known[] = {{"tdD", 4}, {"tdm", 8}, {"ts", 8}, {"c", 1}, {"C", 1}, {"s", 2},
                 {"S", 2},   {"i", 4},   {"I", 4},  {"l", 8}, {"L", 8}};
    *offset = strcmp(type, "u") == 0 ? 4 : strcmp(type, "U") == 0 ? 8 : 0;
    if (strncmp(type, "d:", 2) == 0) {
        const char *comma = strchr(type, ',');
        const char *bits = comma != NULL ? strchr(comma + 1, ',') : NULL;
        const unsigned long width = bits != NULL ? strtoul(bits + 1, NULL, 10) : 128;
        return width == 32 || width == 64 || width == 128 || width == 256 ? (uint32_t)width / 8 : 0;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const bool is_whole =
            known[i].width != 8 || known[i].start[0] != 't' || known[i].start[1] != 's';
        if (is_whole ? strcmp(type, known[i].start) == 0 : strncmp(type, known[i].start, 2) == 0) {
            return known[i].width;
        }
    }
    return 0;
}

/* A column as the core takes it. */
typedef struct call_view {
    tally_js_column column;
    uint32_t width, offset;
} call_view;

static void call_read_column(native_call *call, uint32_t index, uint64_t address, call_view *out,
                             call_view *dictionary)
{
    const call_column *given =
        native_range_at(call, index, address, sizeof *given, sizeof(uint64_t), false);
    if (given == NULL) {
        return;
    }
    const char *type = native_range_at(call, index, given->type, CALLS_TEXT, 1, false);
    if (type == NULL || given->type >= call->memory_size ||
        memchr(type, 0, call->memory_size - (size_t)given->type) == NULL) {
        native_refuse(call, index);
        return;
    }
    const uint64_t rows = given->rows;
    const void *validity = NULL, *first = NULL, *second = NULL;
    if (given->validity != 0) {
        validity = native_range_at(call, index, given->validity, (rows + 7) / 8, 1, false);
    }
    out->width = call_width(type, &out->offset);
    if (out->offset != 0) {
        const uint8_t *offsets = native_range_at(call, index, given->first,
                                                 (rows + 1) * out->offset, out->offset, false);
        uint64_t end = 0; /* the core checks that no offset exceeds the last one */
        if (offsets != NULL && out->offset == 4) {
            uint32_t narrow = 0;
            memcpy(&narrow, offsets + rows * 4, sizeof narrow);
            end = narrow;
        } else if (offsets != NULL) {
            memcpy(&end, offsets + rows * 8, sizeof end);
        }
        first = offsets;
        second = native_range_at(call, index, given->second, end, 1, false);
    } else if (out->width != 0) {
        const size_t alignment = out->width < 8 ? out->width : 8;
        first = native_range_at(call, index, given->first, rows * out->width, alignment, false);
    } else {
        native_refuse(call, index);
    }
    if (given->dictionary != 0 && dictionary != NULL) {
        call_read_column(call, index, given->dictionary, dictionary, NULL);
    } else if (given->dictionary != 0) {
        native_refuse(call, index);
    }
    if (!call->refused) {
        tally_js_column_init(&out->column, type, given->rows, given->nulls, validity, first, second,
                             given->dictionary != 0 ? &dictionary->column : NULL);
    }
}

static int64_t call_array(native_call *call)
{
    call_view values, tweaks, inner, inner_tweaks;
    struct ArrowArray *made = NULL;
    tally_worker *worker = native_object_of(call, 0, NATIVE_WORKER);
    const uint32_t reveal = native_number(call, 1, 1);
    const bool is_tweaked = call->arguments[3] != 0;
    memset(&inner, 0, sizeof inner);
    call_read_column(call, 2, call->arguments[2], &values, &inner);
    if (is_tweaked) {
        call_read_column(call, 3, call->arguments[3], &tweaks, &inner_tweaks);
    }
    uint32_t *out = native_out(call, 4, sizeof *out, sizeof *out);
    tally_counts *counts = native_out(call, 5, sizeof *counts, sizeof(uint64_t));
    tally_invalid *invalid = native_out(call, 6, sizeof *invalid, sizeof(uint64_t));
    tally_problem *problem = call_problem(call, 7);
    if (call->refused) {
        return 0;
    }
    const uint32_t status =
        tally_js_array(worker, reveal, &values.column, is_tweaked ? &tweaks.column : NULL, &made,
                       counts, invalid, problem);
    const int64_t kept = call_keep(call, (tally_status)status, NATIVE_ARRAY, made, 0, out);
    if (kept == TALLY_OK) {
        native_object *object = native_find(call->core, *out, NATIVE_ARRAY);
        object->is_text = values.offset != 0;
        object->width = object->is_text ? values.offset : values.width;
        object->is_inner_text = inner.offset != 0;
        object->inner_width = object->is_inner_text ? inner.offset : inner.width;
    }
    return kept;
}

static int64_t call_array_length(native_call *call)
{
    const struct ArrowArray *array = native_object_of(call, 0, NATIVE_ARRAY);
    return array != NULL ? array->length : 0;
}

static int64_t call_array_nulls(native_call *call)
{
    const struct ArrowArray *array = native_object_of(call, 0, NATIVE_ARRAY);
    return array != NULL ? array->null_count : 0;
}

/* The bytes of a buffer of an array. */
static uint64_t call_buffer_size(const native_object *object, uint32_t index)
{
    const struct ArrowArray *array = object->pointer;
    const uint64_t rows = (uint64_t)array->length;
    if (tally_js_array_buffer(array, index) == NULL) {
        return 0;
    }
    if (index == 0) {
        return (rows + 7) / 8;
    }
    if (index == 1) {
        return object->width * (rows + object->is_text);
    }
    return object->width == 4 ? (uint64_t)((const int32_t *)array->buffers[1])[rows]
                              : (uint64_t)((const int64_t *)array->buffers[1])[rows];
}

/* The array of the first two arguments, and the buffer that they mean; NULL: refused. */
static native_object *call_buffer(native_call *call, void **data, size_t *size)
{
    native_object *object = native_find(call->core, call->arguments[0], NATIVE_ARRAY);
    const uint32_t index = native_number(call, 1, NATIVE_VIEWS - 1);
    if (object == NULL) {
        native_refuse(call, 0);
    }
    if (call->refused) {
        return NULL;
    }
    *data = (void *)(uintptr_t)tally_js_array_buffer(object->pointer, index);
    *size = (size_t)call_buffer_size(object, index);
    return object;
}

/* A buffer of an array, as an ArrayBuffer of its memory: it has none any more when the array is freed. */
static int64_t call_view_of(native_call *call)
{
    napi_env env = call->core->env;
    void *data = NULL;
    size_t size = 0;
    native_object *object = call_buffer(call, &data, &size);
    if (object == NULL) {
        return 0;
    }
    napi_ref *view = &object->views[call->arguments[1]];
    if (*view != NULL) {
        (void)napi_get_reference_value(env, *view, &call->value);
        if (call->value != NULL) {
            return 0;
        }
        (void)napi_delete_reference(env, *view);
        *view = NULL;
    }
    if (size == 0) {
        (void)napi_create_arraybuffer(env, 0, &data, &call->value);
    } else if (napi_create_external_arraybuffer(env, data, size, NULL, NULL, &call->value) ==
                   napi_ok &&
               napi_create_reference(env, call->value, 0, view) != napi_ok) {
        (void)napi_detach_arraybuffer(env, call->value);
        call->value = NULL;
    }
    return 0;
}

static void call_collected(napi_env env, void *data, void *hint)
{
    (void)env, (void)data;
    native_unshare(hint);
}

/* The same, but it keeps the memory: it is freed when the ArrayBuffer is collected. */
static int64_t call_take(native_call *call)
{
    napi_env env = call->core->env;
    void *data = NULL;
    size_t size = 0;
    native_object *object = call_buffer(call, &data, &size);
    if (object != NULL && size == 0) {
        (void)napi_create_arraybuffer(env, 0, &data, &call->value);
    }
    if (object == NULL || size == 0) {
        return 0;
    }
    native_object *whole = object->is_part ? &call->core->objects[object->needs] : object;
    if (whole->shared == NULL) {
        whole->shared = malloc(sizeof *whole->shared);
        if (whole->shared == NULL) {
            return 0;
        }
        *whole->shared = (native_shared){whole->pointer, 1};
    }
    whole->shared->uses++;
    if (napi_create_external_arraybuffer(env, data, size, call_collected, whole->shared,
                                         &call->value) != napi_ok) {
        whole->shared->uses--;
        call->value = NULL;
    }
    return 0;
}

static int64_t call_array_dictionary(native_call *call)
{
    const native_object *object = native_find(call->core, call->arguments[0], NATIVE_ARRAY);
    if (object == NULL || object->is_part || tally_js_array_dictionary(object->pointer) == NULL) {
        native_refuse(call, 0);
        return 0;
    }
    const bool is_text = object->is_inner_text;
    const uint32_t width = object->inner_width;
    void *dictionary = (void *)(uintptr_t)tally_js_array_dictionary(object->pointer);
    const uint32_t number =
        native_keep(call->core, NATIVE_ARRAY, dictionary, native_index(call->arguments[0]), true);
    native_object *part = native_find(call->core, number, NATIVE_ARRAY);
    if (part != NULL) {
        part->is_text = is_text;
        part->width = width;
    }
    return number;
}

static int64_t call_array_free(native_call *call)
{
    return call_free(call, NATIVE_ARRAY);
}

/* Policies. */
static int64_t call_policy_toml(native_call *call)
{
    tally_policy *made = NULL;
    const char *text = call_bytes(call, 0);
    uint32_t *out = native_out(call, 2, sizeof *out, sizeof *out);
    tally_problem *problem = call_problem(call, 3);
    if (call->refused) {
        return 0;
    }
    const uint32_t status = tally_js_policy_new(text, call_size(call, 1), &made, problem);
    return call_keep(call, (tally_status)status, NATIVE_POLICY, made, 0, out);
}

static int64_t call_policy_new(native_call *call)
{
    tally_policy *made = NULL;
    const char *json = call_bytes(call, 1);
    uint32_t *out = native_out(call, 3, sizeof *out, sizeof *out);
    tally_problem *problem = call_problem(call, 4);
    if (call->refused) {
        return 0;
    }
    const tally_status status = tally_policy_new(NULL, json, call_size(call, 2), &made, problem);
    return call_keep(call, status, NATIVE_POLICY, made, 0, out);
}

static int64_t call_policy_free(native_call *call)
{
    return call_free(call, NATIVE_POLICY);
}

static int64_t call_policy_unlisted(native_call *call)
{
    const tally_policy *policy = native_object_of(call, 0, NATIVE_POLICY);
    return policy != NULL ? (int64_t)tally_policy_unlisted(policy) : 0;
}

static int64_t call_rule(native_call *call)
{
    const tally_policy *policy = native_object_of(call, 0, NATIVE_POLICY);
    const size_t index = native_number(call, 1, UINT32_MAX);
    uint32_t *out = native_out(call, 2, TALLY_JS_RULE * sizeof *out, sizeof *out);
    const tally_rule *rule = call->refused ? NULL : tally_policy_rule(policy, index);
    if (rule == NULL) {
        return 0;
    }
    out[0] = native_keep(call->core, NATIVE_FORMAT, (void *)(uintptr_t)rule->format,
                         native_index(call->arguments[0]), true);
    out[1] = rule->key.version;
    out[2] = rule->on_invalid;
    return out[0] != 0;
}

static int64_t call_policy_text(native_call *call)
{
    const tally_policy *policy = native_object_of(call, 0, NATIVE_POLICY);
    const uint32_t which = native_number(call, 1, TALLY_JS_ENCODING);
    const size_t index = native_number(call, 2, UINT32_MAX);
    const size_t capacity = native_number(call, 4, CALLS_MOST);
    char *out = capacity > 0 ? native_out(call, 3, capacity, 1) : NULL;
    return call->refused ? 0 : tally_js_policy_text(policy, which, index, out, capacity);
}

static int64_t call_policy_csv(native_call *call)
{
    const tally_policy *policy = native_object_of(call, 0, NATIVE_POLICY);
    uint32_t *out = native_out(call, 1, TALLY_JS_CSV * sizeof *out, sizeof *out);
    if (!call->refused) {
        tally_js_policy_csv(policy, out);
    }
    return 0;
}

/* Sizes have 32 bits, as in WebAssembly. */
static int64_t call_path_step(native_call *call)
{
    const char *column = call_bytes(call, 0);
    const size_t size = call_size(call, 1), capacity = native_number(call, 4, CALLS_MOST);
    uint32_t *at = native_out(call, 2, sizeof *at, sizeof *at);
    char *out = native_out(call, 3, capacity, 1);
    uint32_t *name_size = native_out(call, 5, sizeof *name_size, sizeof *name_size);
    if (call->refused || *at > size || capacity == 0) {
        return TALLY_STEP_NONE;
    }
    size_t next = *at, name = 0;
    const tally_step step = tally_path_step(column, size, &next, out, capacity, &name);
    *at = (uint32_t)next;
    *name_size = (uint32_t)name;
    return step;
}

/* Key rings. */
static int64_t call_ring_read(native_call *call)
{
    tally_keyring *made = NULL;
    const uint8_t *file = call_bytes(call, 0);
    uint32_t *out = native_out(call, 2, sizeof *out, sizeof *out);
    tally_problem *problem = call_problem(call, 3);
    if (call->refused) {
        return 0;
    }
    const uint32_t status = tally_go_ring_read(file, call_size(call, 1), &made, problem);
    return call_keep(call, (tally_status)status, NATIVE_RING, made, 0, out);
}

static int64_t call_ring_unlock(native_call *call)
{
    tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    const uint8_t *root_key = native_in(call, 1, TALLY_ROOT_KEY_SIZE, 1);
    tally_problem *problem = call_problem(call, 2);
    return call->refused ? 0 : tally_go_ring_unlock(ring, root_key, problem);
}

static int64_t call_ring_root(native_call *call)
{
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    uint32_t *out = native_out(call, 1, TALLY_JS_ROOT * sizeof *out, sizeof *out);
    if (!call->refused) {
        tally_js_ring_root(ring, out);
    }
    return 0;
}

static int64_t call_ring_free(native_call *call)
{
    return call_free(call, NATIVE_RING);
}

static int64_t call_ring_id(native_call *call)
{
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    call->text = ring != NULL ? tally_keyring_id(ring) : NULL;
    return 0;
}

static int64_t call_ring_holder(native_call *call)
{
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    const size_t index = native_number(call, 1, UINT32_MAX);
    call->text = ring != NULL ? tally_keyring_holder(ring, index) : NULL;
    return 0;
}

static int64_t call_ring_signer(native_call *call)
{
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    const size_t index = native_number(call, 1, UINT32_MAX);
    call->text = ring != NULL ? tally_keyring_signer(ring, index) : NULL;
    return 0;
}

static int64_t call_ring_count(native_call *call)
{
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    return ring != NULL ? (int64_t)tally_keyring_count(ring) : 0;
}

static int64_t call_ring_at(native_call *call)
{
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    const size_t index = native_number(call, 1, UINT32_MAX);
    tally_key_info *out = native_out(call, 2, sizeof *out, sizeof(uint32_t));
    return call->refused ? 0 : tally_keyring_at(ring, index, out);
}

static int64_t call_ring_key(native_call *call)
{
    size_t size = 0;
    const tally_keyring *ring = native_object_of(call, 0, NATIVE_RING);
    const uint8_t *reference = call_bytes(call, 1);
    uint8_t *out = native_out(call, 3, TALLY_DATA_KEY_SIZE_MAX, 1);
    uint32_t *out_size = native_out(call, 4, sizeof *out_size, sizeof *out_size);
    tally_problem *problem = call_problem(call, 5);
    if (call->refused) {
        return 0;
    }
    const uint32_t status =
        tally_go_ring_key(ring, reference, call_size(call, 2), out, &size, problem);
    *out_size = (uint32_t)size;
    return status;
}

/* Shares. */
static tally_go_set *call_set(native_call *call, uint32_t index)
{
    return native_out(call, index, sizeof(tally_go_set), sizeof(uint32_t));
}

static int64_t call_shares_size(native_call *call)
{
    tally_go_set *set = call_set(call, 0);
    if (set != NULL && set->label_size < sizeof set->label) {
        tally_go_shares_size(set);
    } else {
        native_refuse(call, 0);
    }
    return 0;
}

static int64_t call_shares_split(native_call *call)
{
    tally_go_set *set = call_set(call, 0);
    if (set == NULL || set->label_size >= sizeof set->label) {
        native_refuse(call, 0);
        return 0;
    }
    tally_go_shares_size(set); /* whatever JavaScript wrote */
    if (set->size == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    const uint8_t *secret = native_in(call, 1, set->secret_size, 1);
    uint8_t *shares = native_out(call, 2, (uint64_t)set->size * set->count, 1);
    return call->refused ? 0 : tally_go_shares_split(set, secret, shares);
}

static int64_t call_shares_read(native_call *call)
{
    const uint8_t *share = call_bytes(call, 0);
    tally_go_set *out = call_set(call, 2);
    return call->refused ? 0 : tally_go_shares_read(share, call_size(call, 1), out);
}

static int64_t call_shares_recover(native_call *call)
{
    const uint32_t count = native_number(call, 2, TALLY_SHARES_MAX_GIVEN);
    const uint64_t *offsets =
        native_in(call, 1, ((uint64_t)count + 1) * sizeof *offsets, sizeof *offsets);
    for (uint32_t i = 0; offsets != NULL && i < count; i++) {
        if (offsets[i] > offsets[i + 1]) {
            native_refuse(call, 1);
        }
    }
    const uint8_t *shares = native_in(call, 0, offsets != NULL ? offsets[count] : 0, 1);
    const uint8_t *set = call->arguments[3] != 0 ? native_in(call, 3, 16, 1) : NULL;
    uint8_t *verdicts = native_out(call, 4, count, 1);
    tally_go_set *first = call_set(call, 5);
    uint32_t *good = native_out(call, 6, sizeof *good, sizeof *good);
    uint32_t *sets = native_out(call, 7, sizeof *sets, sizeof *sets);
    uint8_t *secret = native_out(call, 8, TALLY_SHARES_MAX_SECRET, 1);
    return call->refused ? 0
                         : tally_go_shares_recover(shares, offsets, count, set, verdicts, first,
                                                   good, sets, secret);
}

/* CSV. Fields come from memory that JavaScript may have written: those that a call uses are checked
 * each time, which are all, or a column's. */
enum { CALLS_ALL_COLUMNS = -1 };
static const tally_csv_field *call_fields(native_call *call, uint32_t index, uint64_t records,
                                          uint32_t width, int64_t column, uint64_t size)
{
    if (records > CALLS_MOST || (width > 0 && records > CALLS_MOST / width)) {
        native_refuse(call, index);
        return NULL;
    }
    const uint64_t count = records * width;
    const tally_csv_field *fields =
        native_in(call, index, count * sizeof *fields, sizeof(uint64_t));
    const uint64_t first = column == CALLS_ALL_COLUMNS ? 0 : (uint64_t)column;
    const uint64_t step = column == CALLS_ALL_COLUMNS ? 1 : width;
    uint64_t end = 0;
    for (uint64_t i = first; fields != NULL && i < count; i += step) {
        if (fields[i].start < end || fields[i].start > size ||
            fields[i].size > size - fields[i].start) {
            native_refuse(call, index);
            return NULL;
        }
        end = fields[i].start + fields[i].size;
    }
    return fields;
}

static int64_t call_csv_scan(native_call *call)
{
    const tally_csv_dialect *dialect = native_in(call, 0, sizeof *dialect, sizeof(uint32_t));
    const uint64_t size = native_number(call, 2, CALLS_MOST);
    const uint8_t *bytes = native_in(call, 1, size, 1);
    const int last = (int)native_number(call, 3, 1);
    const uint32_t columns = native_number(call, 4, UINT32_MAX);
    const uint32_t width = native_number(call, 6, CALLS_MOST / sizeof(uint32_t));
    const uint64_t most = native_number(call, 8, CALLS_MOST);
    const uint32_t *wanted = native_in(call, 5, width * sizeof *wanted, sizeof *wanted);
    tally_csv_field *fields = NULL;
    if (width > 0 && most > CALLS_MOST / width) {
        native_refuse(call, 8);
    } else {
        fields = native_out(call, 7, most * width * sizeof *fields, sizeof(uint64_t));
    }
    tally_csv_scan *out = native_out(call, 9, sizeof *out, sizeof(uint64_t));
    return call->refused ? 0
                         : (int64_t)tally_csv_scan_records(dialect, bytes, size, last, columns,
                                                           wanted, width, fields, most, out);
}

static int64_t call_csv_gather_capacity(native_call *call)
{
    const uint32_t width = native_number(call, 2, CALLS_MOST);
    const uint32_t index = native_number(call, 3, CALLS_MOST);
    const tally_csv_field *fields =
        call_fields(call, 0, call->arguments[1], width, index, (uint64_t)CALLS_MOST);
    if (fields == NULL || index >= width) {
        native_refuse(call, 3);
        return 0;
    }
    return (int64_t)tally_csv_gather_capacity(fields, call->arguments[1], width, index);
}

static int64_t call_csv_gather(native_call *call)
{
    const uint64_t size = native_number(call, 1, CALLS_MOST);
    const uint64_t records = native_number(call, 4, CALLS_MOST);
    const uint8_t *bytes = native_in(call, 0, size, 1);
    const uint8_t quote = (uint8_t)native_number(call, 2, UINT8_MAX);
    const uint32_t width = native_number(call, 5, CALLS_MOST);
    const uint32_t index = native_number(call, 6, CALLS_MOST);
    const tally_csv_field *fields = call_fields(call, 3, records, width, index, size);
    const uint64_t capacity = native_number(call, 9, CALLS_MOST);
    int32_t *offsets = native_out(call, 7, (records + 1) * sizeof *offsets, sizeof *offsets);
    uint8_t *values = native_out(call, 8, capacity, 1);
    uint8_t *validity = native_out(call, 10, (records + 7) / 8, 1);
    uint64_t *nulls = native_out(call, 11, sizeof *nulls, sizeof *nulls);
    uint8_t *ascii = native_out(call, 12, sizeof *ascii, 1);
    if (call->refused || index >= width) {
        native_refuse(call, 6);
        return 0;
    }
    return (int64_t)tally_csv_gather(bytes, size, quote, fields, records, width, index, offsets,
                                     values, capacity, validity, nulls, ascii);
}

/* A column of new content in memory: the number of an array, or 0. */
static int64_t call_csv_column(native_call *call)
{
    uint64_t *out = native_out(call, 1, sizeof(tally_csv_column), sizeof(uint64_t));
    const native_object *array = native_find(call->core, call->arguments[0], NATIVE_ARRAY);
    if (array == NULL || !array->is_text || array->width != 4) {
        native_refuse(call, 0);
    } else if (out != NULL) {
        out[0] = call->arguments[0];
    }
    return 0;
}

/* The columns of a splice; NULL if there is no memory, or the call is refused. */
static tally_csv_column *call_csv_columns(native_call *call, uint32_t index, uint32_t width,
                                          uint64_t records)
{
    const uint8_t *numbers =
        native_in(call, index, (uint64_t)width * TALLY_JS_CSV_COLUMN, sizeof(uint64_t));
    tally_csv_column *columns = calloc(width > 0 ? width : 1, sizeof *columns);
    for (uint32_t i = 0; numbers != NULL && columns != NULL && i < width; i++) {
        uint64_t number = 0;
        memcpy(&number, numbers + (size_t)i * TALLY_JS_CSV_COLUMN, sizeof number);
        const native_object *array = native_find(call->core, number, NATIVE_ARRAY);
        if (array != NULL && array->is_text && array->width == 4 &&
            (uint64_t)((const struct ArrowArray *)array->pointer)->length == records) {
            tally_js_csv_column(array->pointer, &columns[i]);
        } else if (number != 0) {
            native_refuse(call, index);
        }
    }
    if (call->refused) {
        free(columns);
        return NULL;
    }
    return columns;
}

static int64_t call_csv_splice_capacity(native_call *call)
{
    const uint32_t width = native_number(call, 2, CALLS_MOST / TALLY_JS_CSV_COLUMN);
    const uint64_t size = native_number(call, 0, CALLS_MOST);
    const uint64_t records = native_number(call, 3, CALLS_MOST);
    tally_csv_column *columns = call_csv_columns(call, 1, width, records);
    if (columns == NULL) {
        return -1; /* more than there is memory for */
    }
    const uint64_t capacity = tally_csv_splice_capacity(size, columns, width, records);
    free(columns);
    return (int64_t)capacity;
}

static int64_t call_csv_splice(native_call *call)
{
    const tally_csv_dialect *dialect = native_in(call, 0, sizeof *dialect, sizeof(uint32_t));
    const uint64_t size = native_number(call, 2, CALLS_MOST);
    const uint8_t *bytes = native_in(call, 1, size, 1);
    const uint64_t records = native_number(call, 4, CALLS_MOST);
    const uint32_t width = native_number(call, 6, CALLS_MOST / TALLY_JS_CSV_COLUMN);
    const tally_csv_field *fields = call_fields(call, 3, records, width, CALLS_ALL_COLUMNS, size);
    const uint64_t capacity = native_number(call, 8, UINT32_MAX);
    uint8_t *out = native_out(call, 7, capacity, 1);
    tally_csv_splice_result *result = native_out(call, 9, sizeof *result, sizeof(uint64_t));
    tally_csv_column *columns = call_csv_columns(call, 5, width, records);
    if (columns == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status status = tally_csv_splice(dialect, bytes, size, fields, records, columns,
                                                 width, out, capacity, result);
    free(columns);
    return (int64_t)status;
}

const native_function native_functions[] = {
    {"tally_version", call_version, 0, NATIVE_TEXT},
    {"tally_status_text", call_status_text, 1, NATIVE_TEXT},
    {"tally_format_new", call_format_new, 5, NATIVE_NUMBER},
    {"tally_format_free", call_format_free, 1, NATIVE_NOTHING},
    {"tally_format_name_at", call_format_name_at, 1, NATIVE_TEXT},
    {"tally_format_name", call_format_name, 1, NATIVE_TEXT},
    {"tally_format_identity", call_format_identity, 1, NATIVE_TEXT},
    {"tally_format_cipher", call_format_cipher, 1, NATIVE_TEXT},
    {"tally_format_is_one_way", call_format_is_one_way, 1, NATIVE_NUMBER},
    {"tally_format_is_keyed", call_format_is_keyed, 1, NATIVE_NUMBER},
    {"tally_format_may_be_formula", call_format_may_be_formula, 1, NATIVE_NUMBER},
    {"tally_format_forbids_keep", call_format_forbids_keep, 1, NATIVE_NUMBER},
    {"tally_format_needs_tweak", call_format_needs_tweak, 1, NATIVE_NUMBER},
    {"tally_format_key_size", call_format_key_size, 1, NATIVE_NUMBER},
    {"tally_format_example", call_format_example, 2, NATIVE_TEXT},
    {"tally_format_smallest_domain", call_format_smallest_domain, 2, NATIVE_NOTHING},
    {"tally_format_domain_of", call_format_domain_of, 4, NATIVE_NOTHING},
    {"tally_format_explain", call_format_explain, 5, NATIVE_NOTHING},
    {"tally_reason_text", call_reason_text, 1, NATIVE_TEXT},
    {"tally_tokenizer_new", call_tokenizer_new, 9, NATIVE_NUMBER},
    {"tally_tokenizer_free", call_tokenizer_free, 1, NATIVE_NOTHING},
    {"tally_worker_new", call_worker_new, 2, NATIVE_NUMBER},
    {"tally_worker_free", call_worker_free, 1, NATIVE_NOTHING},
    {"tally_go_value", call_value, 11, NATIVE_NUMBER},
    {"tally_js_column_size", call_column_size, 0, NATIVE_NUMBER},
    {"tally_js_column_init", call_column_init, 8, NATIVE_NOTHING},
    {"tally_js_array", call_array, 8, NATIVE_NUMBER},
    {"tally_js_array_length", call_array_length, 1, NATIVE_NUMBER},
    {"tally_js_array_nulls", call_array_nulls, 1, NATIVE_NUMBER},
    {"view", call_view_of, 2, NATIVE_VALUE},
    {"take", call_take, 2, NATIVE_VALUE},
    {"tally_js_array_dictionary", call_array_dictionary, 1, NATIVE_NUMBER},
    {"tally_js_array_free", call_array_free, 1, NATIVE_NOTHING},
    {"tally_js_policy_new", call_policy_toml, 4, NATIVE_NUMBER},
    {"tally_policy_new", call_policy_new, 5, NATIVE_NUMBER},
    {"tally_policy_free", call_policy_free, 1, NATIVE_NOTHING},
    {"tally_policy_unlisted", call_policy_unlisted, 1, NATIVE_NUMBER},
    {"tally_js_rule", call_rule, 3, NATIVE_NUMBER},
    {"tally_js_policy_text", call_policy_text, 5, NATIVE_NUMBER},
    {"tally_js_policy_csv", call_policy_csv, 2, NATIVE_NOTHING},
    {"tally_path_step", call_path_step, 6, NATIVE_NUMBER},
    {"tally_go_ring_read", call_ring_read, 4, NATIVE_NUMBER},
    {"tally_go_ring_unlock", call_ring_unlock, 3, NATIVE_NUMBER},
    {"tally_js_ring_root", call_ring_root, 2, NATIVE_NOTHING},
    {"tally_keyring_free", call_ring_free, 1, NATIVE_NOTHING},
    {"tally_keyring_id", call_ring_id, 1, NATIVE_TEXT},
    {"tally_keyring_holder", call_ring_holder, 2, NATIVE_TEXT},
    {"tally_keyring_signer", call_ring_signer, 2, NATIVE_TEXT},
    {"tally_keyring_count", call_ring_count, 1, NATIVE_NUMBER},
    {"tally_keyring_at", call_ring_at, 3, NATIVE_NUMBER},
    {"tally_go_ring_key", call_ring_key, 6, NATIVE_NUMBER},
    {"tally_go_shares_size", call_shares_size, 1, NATIVE_NOTHING},
    {"tally_go_shares_split", call_shares_split, 3, NATIVE_NUMBER},
    {"tally_go_shares_read", call_shares_read, 3, NATIVE_NUMBER},
    {"tally_go_shares_recover", call_shares_recover, 9, NATIVE_NUMBER},
    {"tally_csv_scan_records", call_csv_scan, 10, NATIVE_NUMBER},
    {"tally_csv_gather_capacity", call_csv_gather_capacity, 4, NATIVE_BIGINT},
    {"tally_csv_gather", call_csv_gather, 13, NATIVE_NUMBER},
    {"tally_csv_splice_capacity", call_csv_splice_capacity, 4, NATIVE_BIGINT},
    {"tally_csv_splice", call_csv_splice, 10, NATIVE_NUMBER},
    {"tally_js_csv_column", call_csv_column, 2, NATIVE_NOTHING},
    {NULL, NULL, 0, NATIVE_NOTHING},
};
