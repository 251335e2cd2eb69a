/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects that JavaScript has numbers of. A number is an index, and above it a turn, which differs
 * when the index is used again. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS_BITS = 20, OBJECTS_TURNS = 1 << 12 };

uint32_t native_index(uint64_t number)
{
    return (uint32_t)(number & ((1u << OBJECTS_BITS) - 1));
}

static uint32_t objects_number(const native_core *core, uint32_t index)
{
    return core->objects[index].turn << OBJECTS_BITS | index;
}

native_object *native_find(native_core *core, uint64_t number, native_kind kind)
{
    const uint32_t index = native_index(number);
    if (number > UINT32_MAX || index == 0 || index >= core->objects_count) {
        return NULL;
    }
    native_object *found = &core->objects[index];
    const bool is_it =
        found->kind == kind && !found->is_closed && objects_number(core, index) == (uint32_t)number;
    return is_it ? found : NULL;
}

/* The index of a free place; 0 if there is none. */
static uint32_t objects_place(native_core *core)
{
    for (uint32_t index = core->objects_free; index > 0 && index < core->objects_count; index++) {
        core->objects_free = index;
        if (core->objects[index].kind == NATIVE_NONE) {
            return index;
        }
    }
    if (core->objects_count == core->objects_capacity) {
        const uint32_t capacity = core->objects_capacity * 2 + 16;
        native_object *more = NULL;
        if (capacity <= 1u << OBJECTS_BITS) {
            more = realloc(core->objects, capacity * sizeof *more);
        }
        if (more == NULL) {
            return 0;
        }
        memset(more + core->objects_capacity, 0,
               (capacity - core->objects_capacity) * sizeof *more);
        core->objects = more;
        core->objects_capacity = capacity;
    }
    core->objects_count += core->objects_count == 0; /* the first place stays empty */
    core->objects_free = core->objects_count;
    return core->objects_count++;
}

static void objects_clear(native_core *core, uint32_t index)
{
    core->objects[index].kind = NATIVE_NONE;
    core->objects[index].pointer = NULL;
    core->objects_free = index < core->objects_free ? index : core->objects_free;
}

uint32_t native_keep(native_core *core, native_kind kind, void *pointer, uint32_t needs,
                     bool is_part)
{
    const uint32_t index = objects_place(core);
    if (index == 0) {
        if (!is_part) {
            native_free(kind, pointer);
        }
        return 0;
    }
    native_object *made = &core->objects[index];
    const uint32_t turn = (made->turn + 1) % OBJECTS_TURNS;
    memset(made, 0, sizeof *made);
    made->kind = kind;
    made->pointer = pointer;
    made->turn = turn;
    made->is_part = is_part;
    /* What is made of a part needs the whole. */
    made->needs = !is_part && core->objects[needs].is_part ? core->objects[needs].needs : needs;
    if (!is_part && made->needs != 0) {
        core->objects[made->needs].uses++;
    }
    return objects_number(core, index);
}

/* Views of an array have no memory from now on. */
static void objects_detach(native_core *core, native_object *object)
{
    for (int i = 0; i < NATIVE_VIEWS; i++) {
        napi_value view = NULL;
        if (object->views[i] == NULL) {
            continue;
        }
        if (napi_get_reference_value(core->env, object->views[i], &view) == napi_ok &&
            view != NULL) {
            (void)napi_detach_arraybuffer(core->env, view);
        }
        (void)napi_delete_reference(core->env, object->views[i]);
        object->views[i] = NULL;
    }
}

void native_unshare(native_shared *shared)
{
    if (--shared->uses == 0) {
        native_free(NATIVE_ARRAY, shared->array);
        free(shared);
    }
}

/* Frees an object that nobody uses any more, and what is then not used either. */
static void objects_release(native_core *core, uint32_t index)
{
    while (index != 0) {
        native_object *object = &core->objects[index];
        if (!object->is_closed || object->uses > 0 || object->kind == NATIVE_NONE) {
            return;
        }
        for (uint32_t part = 1; part < core->objects_count; part++) {
            native_object *other = &core->objects[part];
            if (other->kind != NATIVE_NONE && other->is_part && other->needs == index) {
                objects_detach(core, other);
                objects_clear(core, part);
            }
        }
        objects_detach(core, object);
        if (object->shared != NULL) {
            native_unshare(object->shared);
        } else {
            native_free(object->kind, object->pointer);
        }
        objects_clear(core, index);
        index = object->needs;
        if (index != 0) {
            core->objects[index].uses--;
        }
    }
}

void native_close(native_core *core, uint64_t number, native_kind kind)
{
    native_object *object = native_find(core, number, kind);
    if (object != NULL && !object->is_part) {
        object->is_closed = true;
        objects_release(core, native_index(number));
    }
}

void native_close_all(native_core *core)
{
    for (uint32_t index = 1; index < core->objects_count; index++) {
        native_object *object = &core->objects[index];
        if (object->kind != NATIVE_NONE && !object->is_part && !object->is_closed) {
            object->is_closed = true;
            objects_release(core, index);
        }
    }
    free(core->objects);
    core->objects = NULL;
    core->objects_count = core->objects_capacity = 0;
}
