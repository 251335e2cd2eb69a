/* SPDX-License-Identifier: Apache-2.0
 *
 * What Node.js calls: the module, its memory, and the arguments of each call. */
#include "native.h"

#include "tallystick/base.h"

#include <stdlib.h>
#include <string.h>

enum { NODE_START = 16 /* no memory begins at 0, which stands for NULL */ };

/* An address in bytes of JavaScript that were lent has the number of the loan in its upper half. */
#define NODE_LENT      UINT64_C(0x100000000)
#define NODE_MOST_SIZE UINT64_C(0x7fff0000)

/* A function of a core. */
typedef struct node_binding {
    const native_function *function;
    native_core *core;
} node_binding;

/* Throws, unless an exception is on its way already. */
static napi_value node_throw(napi_env env, const char *message)
{
    bool is_pending = false;
    if (napi_is_exception_pending(env, &is_pending) == napi_ok && !is_pending) {
        (void)napi_throw_range_error(env, "TALLYSTICK_NATIVE", message);
    }
    return NULL;
}

/* Where the memory is now: JavaScript may have taken it away. */
static void node_memory(native_core *core, uint8_t **memory, size_t *size)
{
    napi_value buffer = NULL;
    void *data = NULL;
    *memory = NULL;
    *size = 0;
    if (napi_get_reference_value(core->env, core->memory, &buffer) == napi_ok && buffer != NULL &&
        napi_get_arraybuffer_info(core->env, buffer, &data, size) == napi_ok) {
        *memory = data;
    }
}

/* Replaces the memory by one of another size, with what is in use. */
static bool node_resize(native_core *core, size_t size)
{
    napi_env env = core->env;
    napi_value holder = NULL, buffer = NULL;
    napi_ref made = NULL;
    uint8_t *old = NULL;
    void *fresh = NULL;
    size_t old_size = 0;
    if (napi_get_reference_value(env, core->holder, &holder) != napi_ok || holder == NULL ||
        napi_create_arraybuffer(env, size, &fresh, &buffer) != napi_ok ||
        napi_create_reference(env, buffer, 1, &made) != napi_ok) {
        return false;
    }
    if (core->memory != NULL) {
        node_memory(core, &old, &old_size);
        const size_t kept = old_size < core->top ? old_size : core->top;
        if (kept > 0 && kept <= size) {
            memcpy(fresh, old, kept);
        }
        if (old_size > 0) {
            tally_wipe(old, old_size);
        }
    }
    if (napi_set_named_property(env, holder, "buffer", buffer) != napi_ok) {
        (void)napi_delete_reference(env, made);
        return false;
    }
    if (core->memory != NULL) {
        (void)napi_delete_reference(env, core->memory);
    }
    core->memory = made;
    return true;
}

static size_t node_aligned(uint64_t size)
{
    return (size_t)((size + 15) & ~UINT64_C(15));
}

static int64_t node_alloc(native_call *call)
{
    native_core *core = call->core;
    const uint64_t asked = call->arguments[0];
    if (asked == 0 || asked > NODE_MOST_SIZE || core->top + node_aligned(asked) > NODE_MOST_SIZE) {
        return 0;
    }
    const size_t size = node_aligned(asked), at = core->top;
    if (at + size > call->memory_size && !node_resize(core, at + size)) {
        bool is_pending = false;
        napi_value thrown = NULL; /* there is no memory: 0 says so */
        if (napi_is_exception_pending(core->env, &is_pending) == napi_ok && is_pending) {
            (void)napi_get_and_clear_last_exception(core->env, &thrown);
        }
        return 0;
    }
    core->top += size;
    core->pieces++;
    return (int64_t)at;
}

/* Memory is freed in the opposite order, or all of it is kept until the last piece is free. */
static int64_t node_free(native_call *call)
{
    native_core *core = call->core;
    const size_t size = (size_t)native_number(call, 1, NODE_MOST_SIZE);
    uint8_t *memory = native_out(call, 0, size, 1);
    const size_t at = (size_t)call->arguments[0];
    if (memory == NULL || core->pieces == 0 || at < NODE_START ||
        at + node_aligned(size) > core->top) {
        native_refuse(call, 0);
        return 0;
    }
    tally_wipe(memory, size);
    if (at + node_aligned(size) == core->top) {
        core->top = at;
    }
    core->pieces--;
    if (core->pieces == 0) {
        core->top = NODE_START;
        (void)node_resize(core, NODE_START);
    }
    return 0;
}

/* Bytes of JavaScript that calls may read where they are, until `unlend`. */
static int64_t node_lend(native_call *call)
{
    (void)call; /* its argument is no number: see node_call */
    return 0;
}

static napi_value node_lend_view(native_core *core, napi_value view)
{
    napi_env env = core->env;
    napi_value buffer = NULL, address = NULL;
    napi_typedarray_type type = napi_uint8_array;
    size_t size = 0, offset = 0;
    void *data = NULL;
    bool is_view = false, is_own = false;
    if (napi_is_typedarray(env, view, &is_view) != napi_ok || !is_view ||
        napi_get_typedarray_info(env, view, &type, &size, &data, &buffer, &offset) != napi_ok ||
        type != napi_uint8_array || napi_is_arraybuffer(env, buffer, &is_own) != napi_ok ||
        !is_own || size >= NODE_LENT || core->lent_count == NATIVE_LENT) {
        return node_throw(env, "tallystick: lend a Uint8Array of memory that is not shared");
    }
    if (napi_create_reference(env, view, 1, &core->lent[core->lent_count]) != napi_ok) {
        return node_throw(env, "tallystick: there is not enough memory");
    }
    core->lent_count++;
    (void)napi_create_double(env, (double)(core->lent_count * NODE_LENT), &address);
    return address;
}

static int64_t node_unlend(native_call *call)
{
    native_core *core = call->core;
    while (core->lent_count > 0) {
        (void)napi_delete_reference(core->env, core->lent[--core->lent_count]);
    }
    return 0;
}

void native_refuse(native_call *call, uint32_t index)
{
    if (call->refused == 0) {
        call->refused = (int)index + 1;
    }
}

uint32_t native_number(native_call *call, uint32_t index, uint64_t most)
{
    if (call->arguments[index] > most || call->arguments[index] > UINT32_MAX) {
        native_refuse(call, index);
        return 0;
    }
    return (uint32_t)call->arguments[index];
}

const void *native_range_at(native_call *call, uint32_t index, uint64_t address, uint64_t size,
                            size_t alignment, bool is_written)
{
    const uint64_t loan = address / NODE_LENT, offset = address % NODE_LENT;
    const uint8_t *start = call->memory;
    size_t whole = call->memory_size;
    if (loan > 0 && loan <= call->core->lent_count && !is_written) {
        napi_env env = call->core->env;
        napi_value view = NULL;
        void *data = NULL;
        whole = 0;
        if (napi_get_reference_value(env, call->core->lent[loan - 1], &view) == napi_ok &&
            napi_get_typedarray_info(env, view, NULL, &whole, &data, NULL, NULL) == napi_ok) {
            start = data;
        }
    } else if (loan > 0 || address < NODE_START) {
        native_refuse(call, index);
        return NULL;
    }
    if (offset > whole || size > whole - offset || call->ranges_count == NATIVE_RANGES) {
        native_refuse(call, index);
        return NULL;
    }
    static const uint8_t nothing[8] = {0};
    start = start != NULL ? start + offset : nothing; /* of bytes of which there are none */
    if (((uintptr_t)start & (alignment - 1)) != 0) {
        native_refuse(call, index);
        return NULL;
    }
    const native_range range = {start, (size_t)size, is_written};
    for (uint32_t i = 0; i < call->ranges_count; i++) {
        const native_range *other = &call->ranges[i];
        if ((other->is_written || is_written) && other->start < start + size &&
            start < other->start + other->size) {
            native_refuse(call, index);
            return NULL;
        }
    }
    call->ranges[call->ranges_count++] = range;
    return start;
}

const void *native_in(native_call *call, uint32_t index, uint64_t size, size_t alignment)
{
    return native_range_at(call, index, call->arguments[index], size, alignment, false);
}

void *native_out(native_call *call, uint32_t index, uint64_t size, size_t alignment)
{
    return (void *)(uintptr_t)native_range_at(call, index, call->arguments[index], size, alignment,
                                              true);
}

void *native_object_of(native_call *call, uint32_t index, native_kind kind)
{
    native_object *found = native_find(call->core, call->arguments[index], kind);
    if (found == NULL) {
        native_refuse(call, index);
        return NULL;
    }
    return found->pointer;
}

/* A number or bigint that is not negative. */
static bool node_argument(napi_env env, napi_value given, uint64_t *out)
{
    double number = 0;
    if (napi_get_value_double(env, given, &number) == napi_ok) {
        if (!(number >= 0 && number <= 9007199254740992.0)) {
            return false;
        }
        *out = (uint64_t)number;
        return (double)*out == number;
    }
    bool is_lossless = false;
    return napi_get_value_bigint_uint64(env, given, out, &is_lossless) == napi_ok && is_lossless;
}

static napi_value node_result(napi_env env, const native_call *call, native_result kind,
                              int64_t number)
{
    napi_value result = NULL;
    if (kind == NATIVE_VALUE) {
        return call->value;
    }
    if (kind == NATIVE_TEXT && call->text != NULL) {
        (void)napi_create_string_utf8(env, call->text, call->text_size, &result);
    } else if (kind == NATIVE_BIGINT) {
        (void)napi_create_bigint_uint64(env, (uint64_t)number, &result);
    } else if (kind != NATIVE_NOTHING) {
        (void)napi_create_int64(env, number, &result);
    }
    return result;
}

static napi_value node_call(napi_env env, napi_callback_info info)
{
    napi_value given[NATIVE_ARGUMENTS];
    size_t count = NATIVE_ARGUMENTS;
    void *data = NULL;
    if (napi_get_cb_info(env, info, &count, given, NULL, &data) != napi_ok) {
        return NULL;
    }
    const node_binding *binding = data;
    const native_function *function = binding->function;
    native_core *core = binding->core;
    if (core->is_closed || count != function->arguments) {
        return node_throw(env, "tallystick: another number of arguments is needed");
    }
    if (function->run == node_lend) {
        return node_lend_view(core, given[0]);
    }
    native_call call;
    memset(&call, 0, offsetof(native_call, ranges));
    call.core = core;
    call.ranges_count = 0;
    call.refused = 0;
    call.text = NULL;
    call.text_size = NAPI_AUTO_LENGTH;
    call.value = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!node_argument(env, given[i], &call.arguments[i])) {
            return node_throw(env, "tallystick: an argument is no number from 0");
        }
    }
    node_memory(core, &call.memory, &call.memory_size);
    const int64_t number = function->run(&call);
    if (call.refused != 0) {
        char message[] = "tallystick: argument 00 is outside its range";
        message[21] = (char)('0' + call.refused / 10);
        message[22] = (char)('0' + call.refused % 10);
        return node_throw(env, message);
    }
    return node_result(env, &call, function->result, number);
}

/* Wipes all that a core has. */
static void node_close(native_core *core)
{
    napi_env env = core->env;
    uint8_t *memory = NULL;
    size_t size = 0;
    if (core->is_closed) {
        return;
    }
    core->is_closed = true;
    native_close_all(core);
    while (core->lent_count > 0) {
        (void)napi_delete_reference(env, core->lent[--core->lent_count]);
    }
    if (core->memory != NULL) {
        node_memory(core, &memory, &size);
        if (size > 0) {
            tally_wipe(memory, size);
        }
        (void)napi_delete_reference(env, core->memory);
    }
    if (core->holder != NULL) {
        (void)napi_delete_reference(env, core->holder);
    }
}

/* JavaScript holds a core no longer. */
static void node_finalize(napi_env env, void *data, void *hint)
{
    native_core *core = data;
    (void)env, (void)hint;
    node_close(core);
    core->is_awaited = false;
    if (core->is_orphan) {
        free(core);
    }
}

static const native_function node_functions[] = {
    {"tally_go_alloc", node_alloc, 1, NATIVE_NUMBER},
    {"tally_go_free", node_free, 2, NATIVE_NOTHING},
    {"lend", node_lend, 1, NATIVE_NUMBER},
    {"unlend", node_unlend, 0, NATIVE_NOTHING},
    {NULL, NULL, 0, NATIVE_NOTHING},
};

/* What functions of cores point to: it lives as long as the environment, since a function may be kept
 * longer than its core. */
typedef struct node_cores {
    native_core *first;
} node_cores;

static bool node_add_functions(napi_env env, napi_value out, const native_function *functions,
                               node_binding *bindings, native_core *core)
{
    for (size_t i = 0; functions[i].name != NULL; i++) {
        napi_value made = NULL;
        bindings[i].function = &functions[i];
        bindings[i].core = core;
        if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, node_call, &bindings[i],
                                 &made) != napi_ok ||
            napi_set_named_property(env, out, functions[i].name, made) != napi_ok) {
            return false;
        }
    }
    return true;
}

static size_t node_count(const native_function *functions)
{
    size_t count = 0;
    while (functions[count].name != NULL) {
        count++;
    }
    return count;
}

/* Makes a core: its functions and its memory. */
static napi_value node_open(napi_env env, napi_callback_info info)
{
    const size_t own = node_count(node_functions), all = own + node_count(native_functions);
    void *data = NULL;
    napi_value out = NULL, holder = NULL;
    if (napi_get_cb_info(env, info, NULL, NULL, NULL, &data) != napi_ok) {
        return NULL;
    }
    node_cores *cores = data;
    native_core *core = calloc(1, sizeof *core + all * sizeof(node_binding));
    if (core == NULL) {
        return node_throw(env, "tallystick: there is not enough memory");
    }
    node_binding *bindings = (void *)(core + 1);
    core->env = env;
    core->top = NODE_START;
    core->next = cores->first;
    cores->first = core; /* its end is that of the environment, at the latest */
    if (napi_create_object(env, &out) != napi_ok || napi_create_object(env, &holder) != napi_ok ||
        napi_wrap(env, out, core, node_finalize, NULL, NULL) != napi_ok) {
        core->is_closed = true;
        return node_throw(env, "tallystick: Node.js refused to make the core");
    }
    core->is_awaited = true;
    if (napi_create_reference(env, holder, 0, &core->holder) != napi_ok ||
        !node_resize(core, NODE_START) ||
        napi_set_named_property(env, out, "memory", holder) != napi_ok ||
        !node_add_functions(env, out, node_functions, bindings, core) ||
        !node_add_functions(env, out, native_functions, bindings + own, core) ||
        napi_object_freeze(env, out) != napi_ok) {
        return node_throw(env, "tallystick: Node.js refused to make the core");
    }
    return out;
}

static void node_end(napi_env env, void *data, void *hint)
{
    node_cores *cores = data;
    (void)env, (void)hint;
    while (cores->first != NULL) {
        native_core *core = cores->first;
        cores->first = core->next;
        core->is_orphan = true;
        if (!core->is_awaited) {
            free(core);
        }
    }
    free(cores);
}

NAPI_MODULE_INIT()
{
    napi_value open = NULL, version = NULL;
    node_cores *cores = calloc(1, sizeof *cores);
    if (cores == NULL) {
        return node_throw(env, "tallystick: there is not enough memory");
    }
    if (napi_set_instance_data(env, cores, node_end, NULL) != napi_ok) {
        free(cores);
        return node_throw(env, "tallystick: Node.js refused to load the addon");
    }
    if (napi_create_function(env, "open", NAPI_AUTO_LENGTH, node_open, cores, &open) != napi_ok ||
        napi_set_named_property(env, exports, "open", open) != napi_ok ||
        napi_create_string_utf8(env, tally_version(), NAPI_AUTO_LENGTH, &version) != napi_ok ||
        napi_set_named_property(env, exports, "version", version) != napi_ok) {
        return node_throw(env, "tallystick: Node.js refused to load the addon");
    }
    return exports;
}
