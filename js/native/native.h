/* SPDX-License-Identifier: Apache-2.0
 *
 * The core as an addon for Node.js. JavaScript calls the functions of `Exports` in src/exports.ts, as
 * it calls them in WebAssembly: an address is an offset into an ArrayBuffer, and an object is a number.
 * Here each address is a range that lies in the buffer, and each number an object of its kind, or the
 * call is refused before the core sees it. */
#ifndef TALLY_JS_NATIVE_H
#define TALLY_JS_NATIVE_H

#define NAPI_VERSION 8
#include <node_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NATIVE_ARGUMENTS = 13,
    NATIVE_RANGES = 32, /* memory that one call names */
    NATIVE_LENT = 16,
    NATIVE_VIEWS = 3
};

/* What a number of JavaScript may stand for. */
typedef enum native_kind {
    NATIVE_NONE = 0,
    NATIVE_ARRAY,
    NATIVE_WORKER,
    NATIVE_TOKENIZER,
    NATIVE_FORMAT,
    NATIVE_POLICY,
    NATIVE_RING
} native_kind;

/* An array whose buffers JavaScript has as its own, until the last of them is collected. */
typedef struct native_shared {
    void *array;
    uint32_t uses;
} native_shared;

/* An object, which lives until JavaScript has freed it, and all that was made of it. */
typedef struct native_object {
    native_kind kind; /* NATIVE_NONE: free */
    bool is_closed;   /* JavaScript has freed it */
    bool is_part;     /* of `needs`: it ends with that */
    uint32_t uses;    /* by objects that were made of it */
    uint32_t needs;   /* the index of what it was made of; 0: nothing */
    uint32_t turn;    /* in its number, so that an old one is found out */
    uint32_t width;   /* of an array: bytes of a value, or of an offset */
    bool is_text;     /* of an array: it has offsets */
    uint32_t inner_width;
    bool is_inner_text; /* the same of its dictionary */
    napi_ref views[NATIVE_VIEWS];
    native_shared *shared; /* of an array: NULL until a buffer of it is JavaScript's */
    void *pointer;
} native_object;

/* One core, as `open` makes it for an instance of Tallystick. */
typedef struct native_core {
    napi_env env;
    bool is_closed;
    bool is_awaited; /* its finalizer will come */
    bool is_orphan;  /* the environment ended before that */
    napi_ref holder; /* weak: the object whose property `buffer` is the memory */
    napi_ref memory;
    size_t top;    /* memory in use */
    size_t pieces; /* that were allocated and not freed */
    napi_ref lent[NATIVE_LENT];
    uint32_t lent_count;
    native_object *objects; /* [0] is none */
    uint32_t objects_count, objects_capacity;
    uint32_t objects_free;    /* no place before this one is free */
    struct native_core *next; /* of the same environment */
} native_core;

typedef struct native_range {
    const uint8_t *start;
    size_t size;
    bool is_written;
} native_range;

/* A call from JavaScript. */
typedef struct native_call {
    native_core *core;
    uint64_t arguments[NATIVE_ARGUMENTS];
    uint8_t *memory;
    size_t memory_size;
    native_range ranges[NATIVE_RANGES];
    uint32_t ranges_count;
    int refused;      /* the number of the argument at fault, from 1; 0: none is */
    const char *text; /* the result of a function that returns text */
    size_t text_size;
    napi_value value; /* the result of a function that makes one */
} native_call;

typedef enum native_result {
    NATIVE_NOTHING = 0,
    NATIVE_NUMBER, /* signed */
    NATIVE_BIGINT,
    NATIVE_TEXT, /* 0 for NULL */
    NATIVE_VALUE
} native_result;

typedef struct native_function {
    const char *name;
    int64_t (*run)(native_call *call);
    uint32_t arguments;
    native_result result;
} native_function;

/* The functions; the name of the last one is NULL. */
extern const native_function native_functions[];

/* Arguments, by index. What is refused is NULL or 0, and the call's `refused` says so. */
uint32_t native_number(native_call *call, uint32_t index, uint64_t most);
const void *native_in(native_call *call, uint32_t index, uint64_t size, size_t alignment);
void *native_out(native_call *call, uint32_t index, uint64_t size, size_t alignment);
void *native_object_of(native_call *call, uint32_t index, native_kind kind);

/* The same for an address that is no argument; `index` is for the message. */
const void *native_range_at(native_call *call, uint32_t index, uint64_t address, uint64_t size,
                            size_t alignment, bool is_written);
void native_refuse(native_call *call, uint32_t index);

/* Objects by their numbers. native_keep returns 0 if there is no memory: then it has freed the object. */
native_object *native_find(native_core *core, uint64_t number, native_kind kind);
uint32_t native_keep(native_core *core, native_kind kind, void *pointer, uint32_t needs,
                     bool is_part);
uint32_t native_index(uint64_t number);
void native_close(native_core *core, uint64_t number, native_kind kind);
void native_close_all(native_core *core);

/* Ends a use of an array. */
void native_unshare(native_shared *shared);

/* Frees what the core made. */
void native_free(native_kind kind, void *pointer);

#endif
