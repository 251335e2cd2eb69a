/* SPDX-License-Identifier: Apache-2.0
 *
 * A loadable extension of DuckDB (docs/reference/duckdb.md): tally_open, tally_protect, tally_reveal
 * and the table tally_policy. What is opened belongs to the database instance, whose threads share
 * it.
 *
 * A function gets 2,048 rows at a time. Numbers and dates go to the core where they lie, with their
 * validity: both are as Arrow has them. Text is gathered, since DuckDB has the first 12 bytes of a
 * value in place of a pointer, and tokens are written to one piece of the result's memory. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "opened.h"
#include "toml.h"

enum {
    DUCK_GATHER = 1 << 30, /* bytes of text at once, which Arrow's offsets must hold */
    DUCK_KEPT = 1 << 20    /* bytes of memory that is kept for the next call of a thread */
};

/* The types of values, and how Arrow writes them. */
static const struct duck_kind {
    int type;
    const char *arrow;
    size_t width; /* 0: text */
} duck_kinds[] = {
    {DUCK_VARCHAR, "u", 0},         {DUCK_INTEGER, "i", 4},
    {DUCK_BIGINT, "l", 8},          {DUCK_UBIGINT, "L", 8},
    {DUCK_DATE, "tdD", 4},          {DUCK_TIMESTAMP, "tsu:", 8},
    {DUCK_TIMESTAMP_S, "tss:", 8},  {DUCK_TIMESTAMP_MS, "tsm:", 8},
    {DUCK_TIMESTAMP_NS, "tsn:", 8}, {DUCK_TIMESTAMP_TZ, "tsu:UTC", 8},
};

enum { DUCK_KINDS = sizeof duck_kinds / sizeof *duck_kinds };

/* A function of a set: what its calls know of it. */
typedef struct duck_form {
    struct duck_shared *shared;
    const struct duck_kind *kind;
    int reveal;
} duck_form;

/* Memory to gather text in, which is kept: allocating it for 2,048 rows costs as much as the tokens do
 * in part. It is wiped after each use. */
typedef struct duck_scratch {
    struct duck_scratch *next;
    char *memory;
    size_t capacity;
} duck_scratch;

/* What all functions share. DuckDB destroys them one by one. */
typedef struct duck_shared {
    atomic_int users;
    pthread_mutex_t lock; /* of opening, and of what is idle */
    duck_scratch *idle;
    _Atomic(tally_opened *) opened;
    duck_form forms[2][DUCK_KINDS];
} duck_shared;

/* There is one DuckDB in a process for each copy of this library. */
static duck_api duck;

static const char duck_not_open[] =
    "nothing is open; run CALL tally_open(POLICY, RING, ROOT) first, with paths";

static void duck_release(duck_shared *shared)
{
    if (atomic_fetch_sub(&shared->users, 1) > 1) return;
    tally_opened_free(atomic_load(&shared->opened));
    while (shared->idle != NULL) {
        duck_scratch *const scratch = shared->idle;
        shared->idle = scratch->next;
        free(scratch->memory);
        free(scratch);
    }
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

/* Takes memory of `size` bytes or more, or NULL. */
static duck_scratch *duck_take(duck_shared *shared, size_t size)
{
    pthread_mutex_lock(&shared->lock);
    duck_scratch *scratch = shared->idle;
    if (scratch != NULL) shared->idle = scratch->next;
    pthread_mutex_unlock(&shared->lock);
    if (scratch == NULL) scratch = calloc(1, sizeof *scratch);
    if (scratch != NULL && scratch->capacity < size) {
        free(scratch->memory);
        scratch->memory = malloc(size);
        scratch->capacity = size;
        if (scratch->memory == NULL) {
            free(scratch);
            scratch = NULL;
        }
    }
    return scratch;
}

/* Wipes `size` bytes and gives memory back. What is large is not kept. */
static void duck_give(duck_shared *shared, duck_scratch *scratch, size_t size)
{
    tally_wipe(scratch->memory, size);
    if (scratch->capacity > DUCK_KEPT) {
        free(scratch->memory);
        free(scratch);
        return;
    }
    pthread_mutex_lock(&shared->lock);
    scratch->next = shared->idle;
    shared->idle = scratch;
    pthread_mutex_unlock(&shared->lock);
}

static void duck_release_form(void *form)
{
    duck_release(((duck_form *)form)->shared);
}

static void duck_release_shared(void *shared)
{
    duck_release(shared);
}

static int duck_is_valid(const uint64_t *validity, size_t row)
{
    return validity == NULL || (validity[row / 64] >> (row % 64) & 1) != 0;
}

static const char *duck_text(const duck_string *string)
{
    const char *data;
    if (string->size <= DUCK_INLINED) return string->at.inlined;
    memcpy(&data, string->at.far.data, sizeof data);
    return data;
}

/* Memory that callers of Arrow own themselves needs no release. */
static void duck_release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void duck_release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

/* Rows of a vector as an Arrow array. */
typedef struct duck_rows {
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *buffers[3];
    duck_scratch *gathered; /* offsets, and then text */
    size_t size;            /* of them, in bytes */
    uint64_t any;           /* bytes of text, or-ed */
} duck_rows;

static void duck_rows_init(duck_rows *rows, const char *arrow, const uint64_t *validity,
                           size_t begin, size_t end)
{
    memset(rows, 0, sizeof *rows);
    rows->schema.format = arrow;
    rows->schema.flags = ARROW_FLAG_NULLABLE;
    rows->schema.release = duck_release_schema;
    rows->array.length = (int64_t)(end - begin);
    rows->array.offset = (int64_t)begin;
    rows->array.null_count = validity == NULL ? 0 : -1;
    rows->array.n_buffers = 2;
    rows->array.buffers = rows->buffers;
    rows->array.release = duck_release_array;
    rows->buffers[0] = validity;
}

/* Copies a text of `size` bytes to where 16 bytes may be written. */
static void duck_copy(char *out, const duck_string *string)
{
    const size_t size = string->size;
    if (size <= DUCK_INLINED) {
        memcpy(out, string->at.inlined, DUCK_INLINED);
        return;
    }
    const char *const text = duck_text(string);
    if (size <= 16) { /* two halves that overlap */
        uint64_t first, last;
        memcpy(&first, text, 8);
        memcpy(&last, text + size - 8, 8);
        memcpy(out, &first, 8);
        memcpy(out + size - 8, &last, 8);
    } else {
        memcpy(out, text, size);
    }
}

/* Whether rows of a vector have no null, and all have the size of the first, 13 to 16 bytes: so cards,
 * accounts and other numbers are. */
static int duck_is_regular(const duck_string *strings, const uint64_t *validity, size_t begin,
                           size_t end)
{
    const uint32_t size = strings[begin].size;
    uint32_t differ = 0;
    if (validity != NULL || size <= DUCK_INLINED || size > 16) return 0;
    for (size_t i = begin; i < end; i++) {
        differ |= strings[i].size ^ size;
    }
    return differ == 0;
}

/* 16 bytes, as a register of vectors has them. */
typedef uint64_t duck_pair __attribute__((vector_size(16)));

/* The bytes of a text, or-ed. */
static uint64_t duck_any(const char *text, size_t size)
{
    enum { BLOCK = 64 };
    duck_pair any = {0};
    uint64_t rest = 0;
    for (; size >= BLOCK; text += BLOCK, size -= BLOCK) {
        for (size_t i = 0; i < BLOCK; i += sizeof any) {
            duck_pair next;
            memcpy(&next, text + i, sizeof next);
            any |= next;
        }
    }
    for (size_t i = 0; i < size; i++) {
        rest |= (unsigned char)text[i];
    }
    return any[0] | any[1] | rest;
}

/* Gathers text. *end is where it must stop, to hold it at once. Returns 0 if memory ran out or one
 * value is too large. */
static int duck_gather(duck_rows *rows, duck_shared *shared, const duck_string *strings,
                       const uint64_t *validity, size_t begin, size_t *end)
{
    size_t bytes = 0, row = begin;
    const int regular = duck_is_regular(strings, validity, begin, *end);
    if (regular) {
        row = *end;
        bytes = (row - begin) * strings[begin].size;
    }
    for (; row < *end; row++) {
        const size_t size = duck_is_valid(validity, row) ? strings[row].size : 0;
        if (bytes + size > DUCK_GATHER) break;
        bytes += size;
    }
    if (row == begin && *end > begin) return 0;
    *end = row;
    duck_rows_init(rows, "u", validity, begin, row);
    /* Offsets are at the places of their rows. */
    const size_t offsets_size = (row + 1) * sizeof(int32_t);
    rows->size = offsets_size + bytes + 16;
    rows->gathered = duck_take(shared, rows->size);
    if (rows->gathered == NULL) return 0;
    int32_t *const offsets = (int32_t *)(void *)rows->gathered->memory;
    char *const text = rows->gathered->memory + offsets_size;
    size_t at = 0;
    uint64_t any = 0;
    if (regular) {
        const size_t size = strings[begin].size;
        for (size_t i = begin; i < row; i++) {
            const char *from;
            uint64_t first, last;
            memcpy(&from, strings[i].at.far.data, sizeof from);
            memcpy(&first, from, 8);
            memcpy(&last, from + size - 8, 8); /* two halves that overlap */
            memcpy(text + at, &first, 8);
            memcpy(text + at + size - 8, &last, 8);
            any |= first | last;
            offsets[i] = (int32_t)at;
            at += size;
        }
    }
    for (size_t i = begin; i < row && !regular; i++) {
        offsets[i] = (int32_t)at;
        if (!duck_is_valid(validity, i)) continue;
        duck_copy(text + at, &strings[i]);
        at += strings[i].size;
    }
    rows->any = regular ? any : duck_any(text, at);
    offsets[row] = (int32_t)at;
    rows->array.n_buffers = 3;
    rows->buffers[1] = offsets;
    rows->buffers[2] = text;
    return 1;
}

/* Whether gathered text is UTF-8, as DuckDB has it to be. It does not check what comes from Arrow. */
static int duck_is_utf8(const duck_rows *rows)
{
    const int32_t *const offsets = (const int32_t *)rows->buffers[1] + rows->array.offset;
    const char *const text = rows->buffers[2];
    const size_t count = (size_t)rows->array.length;
    if ((rows->any & UINT64_C(0x8080808080808080)) == 0) return 1; /* ASCII */
    for (size_t row = 0; row < count; row++) {
        if (tally_utf8_end(text + offsets[row], (size_t)(offsets[row + 1] - offsets[row])) !=
            NULL) {
            return 0;
        }
    }
    return 1;
}

static void duck_rows_free(duck_rows *rows, duck_shared *shared)
{
    if (rows->gathered != NULL) duck_give(shared, rows->gathered, rows->size);
    rows->gathered = NULL;
}

/* Copies up to 12 bytes, and zeros behind them. */
static void duck_inline(char out[DUCK_INLINED], const char *text, size_t size)
{
    memset(out, 0, DUCK_INLINED);
    if (size >= 8) {
        uint64_t first;
        uint32_t last;
        memcpy(&first, text, 8);
        memcpy(&last, text + size - 4, 4);
        memcpy(out, &first, 8);
        memcpy(out + size - 4, &last, 4);
    } else {
        for (size_t i = 0; i < size; i++) {
            out[i] = text[i];
        }
    }
}

/* Writes an Arrow array of text to rows of a vector. */
static void duck_write_text(duck_vector output, size_t begin, const struct ArrowArray *array)
{
    const size_t count = (size_t)array->length;
    const int32_t *const offsets = array->buffers[1];
    const char *text = array->buffers[2];
    const size_t bytes = (size_t)offsets[count];
    duck_string *strings = duck.vector_get_data(output);
    if (bytes > DUCK_INLINED) {
        /* All text in one piece, as the value of a row: the vector owns its memory from then on. */
        duck.vector_assign_string_element_len(output, begin, text, bytes);
        strings = duck.vector_get_data(output);
        text = duck_text(&strings[begin]);
    }
    for (size_t i = 0; i < count; i++) {
        duck_string *const string = &strings[begin + i];
        const char *const from = text + offsets[i];
        const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        string->size = (uint32_t)size;
        if (size <= DUCK_INLINED) {
            duck_inline(string->at.inlined, from, size);
        } else {
            memcpy(string->at.far.prefix, from, sizeof string->at.far.prefix);
            memcpy(string->at.far.data, &from, sizeof from);
        }
    }
}

/* Writes an array's nulls to rows of a vector. */
static void duck_write_nulls(duck_vector output, size_t begin, const struct ArrowArray *array)
{
    const uint8_t *const valid = array->buffers[0];
    if (valid == NULL || array->null_count == 0) return;
    duck.vector_ensure_validity_writable(output);
    uint64_t *const validity = duck.vector_get_validity(output);
    for (size_t i = 0; i < (size_t)array->length; i++) {
        if ((valid[i / 8] >> (i % 8) & 1) == 0) {
            validity[(begin + i) / 64] &= ~(UINT64_C(1) << ((begin + i) % 64));
        }
    }
}

static int duck_is_too_large(const duck_string *strings, const uint64_t *validity, size_t row,
                             int is_text)
{
    return is_text && strings != NULL && duck_is_valid(validity, row) &&
           strings[row].size > DUCK_GATHER;
}

/* A call of tally_protect or tally_reveal: its vectors, flat. */
typedef struct duck_input {
    const duck_form *form;
    tally_opened *opened;
    const duck_string *names, *tweaks; /* NULL: there are no tweaks */
    const uint64_t *names_validity, *validity, *tweaks_validity;
    const void *values;
    duck_vector output;
} duck_input;

/* Transforms rows [begin, *end) of one column, or as many of them as go at once. Returns 0, and a
 * message, on an error. */
static int duck_transform(const duck_input *input, tally_opened_column *column, size_t begin,
                          size_t *end, char message[TALLY_OPENED_MESSAGE])
{
    const struct duck_kind *const kind = input->form->kind;
    duck_shared *const shared = input->form->shared;
    const int reveal = input->form->reveal, is_text = kind->width == 0;
    duck_rows values = {.gathered = NULL}, tweaks = {.gathered = NULL};
    int gathered = 1;
    if (is_text) {
        gathered = duck_gather(&values, shared, input->values, input->validity, begin, end);
    }
    if (gathered && input->tweaks != NULL) {
        const size_t wanted = *end;
        gathered = duck_gather(&tweaks, shared, input->tweaks, input->tweaks_validity, begin, end);
        if (gathered && is_text && *end != wanted) { /* fewer values at once */
            duck_rows_free(&values, shared);
            gathered = duck_gather(&values, shared, input->values, input->validity, begin, end);
        }
    }
    if (!is_text) {
        duck_rows_init(&values, kind->arrow, input->validity, begin, *end);
        values.buffers[1] = input->values;
    }
    const int is_utf8 = !gathered || !is_text || duck_is_utf8(&values);
    tally_worker *const worker = gathered && is_utf8 ? tally_opened_take(column) : NULL;
    tally_status status = is_utf8 ? TALLY_ERROR_MEMORY : TALLY_ERROR_ARGUMENT;
    struct ArrowArray out = {.release = NULL};
    tally_invalid invalid;
    tally_problem problem = {"", ""};
    if (!is_utf8) {
        (void)snprintf(
            problem.text, sizeof problem.text,
            "a value is not UTF-8, as text in DuckDB is; correct it, or leave its row out");
    } else if (!gathered && (duck_is_too_large(input->values, input->validity, begin, is_text) ||
                             duck_is_too_large(input->tweaks, input->tweaks_validity, begin, 1))) {
        status = TALLY_ERROR_ARGUMENT;
        (void)snprintf(problem.text, sizeof problem.text,
                       "a value or tweak has more than 1 GiB; shorten it, or leave its row out");
    }
    if (worker != NULL) {
        status = (reveal ? tally_reveal_array : tally_protect_array)(
            worker, &values.schema, &values.array, input->tweaks == NULL ? NULL : &tweaks.schema,
            input->tweaks == NULL ? NULL : &tweaks.array, &out, NULL, &invalid, &problem);
        tally_opened_give(column, worker);
    }
    if (is_text) duck_rows_free(&values, shared);
    duck_rows_free(&tweaks, shared);
    if (status == TALLY_ERROR_INVALID) {
        tally_opened_say_invalid(column, reveal, &invalid.fault, message);
    } else if (status != TALLY_OK) {
        tally_opened_say_status(column, reveal, status, &problem, message);
    } else {
        if (is_text) {
            duck_write_text(input->output, begin, &out);
        } else {
            char *const data = duck.vector_get_data(input->output);
            memcpy(data + begin * kind->width, out.buffers[1], (size_t)out.length * kind->width);
        }
        duck_write_nulls(input->output, begin, &out);
        out.release(&out);
    }
    return status == TALLY_OK;
}

/* Writes nulls to rows [begin, end) if all values are null, which may have another type than the
 * column: a NULL of no type comes as any. */
static int duck_write_if_null(const duck_input *input, size_t begin, size_t end)
{
    for (size_t row = begin; row < end; row++) {
        if (duck_is_valid(input->validity, row)) return 0;
    }
    duck.vector_ensure_validity_writable(input->output);
    uint64_t *const validity = duck.vector_get_validity(input->output);
    for (size_t row = begin; row < end; row++) {
        validity[row / 64] &= ~(UINT64_C(1) << (row % 64));
    }
    return 1;
}

/* Returns where the rows end whose names are that of row `begin`. Those of one constant are equal bit for
 * bit, so that is looked at first, for many rows without a branch. */
static size_t duck_same_names(const duck_input *input, size_t begin, size_t count)
{
    enum { BLOCK = 64 };
    const duck_string *const names = input->names, *const name = &names[begin];
    duck_pair first;
    size_t end = begin + 1;
    memcpy(&first, name, sizeof first);
    while (end < count) {
        if (input->names_validity == NULL && count - end >= BLOCK) {
            duck_pair differ = {0};
            for (size_t i = 0; i < BLOCK; i++) {
                duck_pair other;
                memcpy(&other, &names[end + i], sizeof other);
                differ |= other ^ first;
            }
            if ((differ[0] | differ[1]) == 0) {
                end += BLOCK;
                continue;
            }
        }
        if (!duck_is_valid(input->names_validity, end) || names[end].size != name->size ||
            memcmp(duck_text(&names[end]), duck_text(name), name->size) != 0) {
            break;
        }
        end++;
    }
    return end;
}

static void duck_run(duck_call call, duck_chunk chunk, duck_vector output)
{
    char message[TALLY_OPENED_MESSAGE];
    const duck_form *const form = duck.scalar_function_get_extra_info(call);
    const size_t count = (size_t)duck.data_chunk_get_size(chunk);
    tally_opened *const opened = atomic_load_explicit(&form->shared->opened, memory_order_acquire);
    if (opened == NULL) {
        duck.scalar_function_set_error(call, duck_not_open);
        return;
    }
    if (form->reveal && !tally_opened_reveals(opened)) {
        duck.scalar_function_set_error(
            call, "tally_reveal: this database was opened to protect alone; pass reveal := true to "
                  "tally_open");
        return;
    }
    duck_vector names = duck.data_chunk_get_vector(chunk, 0);
    duck_vector values = duck.data_chunk_get_vector(chunk, 1);
    duck_input input = {
        .form = form,
        .opened = opened,
        .names = duck.vector_get_data(names),
        .names_validity = duck.vector_get_validity(names),
        .values = duck.vector_get_data(values),
        .validity = duck.vector_get_validity(values),
        .output = output,
    };
    if (duck.data_chunk_get_column_count(chunk) == 3) {
        duck_vector tweaks = duck.data_chunk_get_vector(chunk, 2);
        input.tweaks = duck.vector_get_data(tweaks);
        input.tweaks_validity = duck.vector_get_validity(tweaks);
    }
    size_t begin = 0;
    while (begin < count) {
        const duck_string *const name = &input.names[begin];
        tally_opened_column *const column =
            duck_is_valid(input.names_validity, begin)
                ? tally_opened_find(opened, duck_text(name), name->size)
                : NULL;
        if (column == NULL) {
            tally_opened_say_name(opened, form->reveal, message);
            duck.scalar_function_set_error(call, message);
            return;
        }
        size_t end = duck_same_names(&input, begin, count);
        if ((tally_opened_rule(column)->tweak.text != NULL) != (input.tweaks != NULL)) {
            tally_opened_say_tweak(column, form->reveal, message);
            duck.scalar_function_set_error(call, message);
            return;
        }
        if (!duck_write_if_null(&input, begin, end) &&
            !duck_transform(&input, column, begin, &end, message)) {
            duck.scalar_function_set_error(call, message);
            return;
        }
        begin = end;
    }
}

/* tally_open(policy, ring, root, reveal := false) */

typedef struct duck_places {
    char *policy, *ring, *root; /* DuckDB's memory */
    bool reveal;
} duck_places;

static void duck_free_places(void *memory)
{
    duck_places *const places = memory;
    duck.free(places->policy);
    duck.free(places->ring);
    duck.free(places->root);
    free(places);
}

static char *duck_parameter(duck_bind bind, uint64_t index)
{
    duck_value value = duck.bind_get_parameter(bind, index);
    char *const text = duck.is_null_value(value) ? NULL : duck.get_varchar(value);
    duck.destroy_value(&value);
    return text;
}

static void duck_add_column(duck_bind bind, const char *name, int type)
{
    duck_type made = duck.create_logical_type(type);
    duck.bind_add_result_column(bind, name, made);
    duck.destroy_logical_type(&made);
}

static void duck_open_bind(duck_bind bind)
{
    duck_places *const places = calloc(1, sizeof *places);
    if (places == NULL) {
        duck.bind_set_error(bind, tally_status_text(TALLY_ERROR_MEMORY));
        return;
    }
    places->policy = duck_parameter(bind, 0);
    places->ring = duck_parameter(bind, 1);
    places->root = duck_parameter(bind, 2);
    duck_value reveal = duck.bind_get_named_parameter(bind, "reveal");
    if (reveal != NULL) {
        places->reveal = !duck.is_null_value(reveal) && duck.get_bool(reveal);
        duck.destroy_value(&reveal);
    }
    duck.bind_set_bind_data(bind, places, duck_free_places);
    if (places->policy == NULL || places->ring == NULL || places->root == NULL) {
        duck.bind_set_error(bind,
                            "tally_open: the arguments must be text: the paths of a policy and "
                            "a key ring, and the root key's source");
    }
    duck_add_column(bind, "columns", DUCK_BIGINT);
}

/* A row to read next, for a table that one thread reads. */
static void duck_table_init(duck_init init)
{
    size_t *const next = calloc(1, sizeof *next);
    if (next == NULL) {
        duck.init_set_error(init, tally_status_text(TALLY_ERROR_MEMORY));
        return;
    }
    duck.init_set_init_data(init, next, free);
    duck.init_set_max_threads(init, 1);
}

/* Opens when the query runs, so that EXPLAIN and PREPARE open nothing. */
static void duck_open_run(duck_call call, duck_chunk output)
{
    char message[TALLY_OPENED_MESSAGE], whole[TALLY_OPENED_MESSAGE + 16];
    size_t *const next = duck.function_get_init_data(call);
    if ((*next)++ > 0) {
        duck.data_chunk_set_size(output, 0);
        return;
    }
    duck_shared *const shared = duck.function_get_extra_info(call);
    const duck_places *const places = duck.function_get_bind_data(call);
    pthread_mutex_lock(&shared->lock);
    tally_opened *opened = NULL;
    if (atomic_load(&shared->opened) != NULL) {
        (void)snprintf(
            message, sizeof message,
            "this database has a policy open already, and keeps it; connect to another one");
    } else if (tally_opened_new(places->policy, places->ring, places->root, places->reveal, &opened,
                                message) == TALLY_OK) {
        atomic_store_explicit(&shared->opened, opened, memory_order_release);
    }
    pthread_mutex_unlock(&shared->lock);
    if (opened == NULL) {
        (void)snprintf(whole, sizeof whole, "tally_open: %s", message);
        duck.function_set_error(call, whole);
        return;
    }
    int64_t count = 0;
    while (tally_opened_at(opened, (size_t)count) != NULL) {
        count++;
    }
    int64_t *const column = duck.vector_get_data(duck.data_chunk_get_vector(output, 0));
    *column = count;
    duck.data_chunk_set_size(output, 1);
}

/* tally_policy() */

static void duck_policy_bind(duck_bind bind)
{
    static const char *const names[] = {"name",      "format", "cipher",    "key",
                                        "namespace", "tweak",  "on_invalid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        duck_add_column(bind, names[i], DUCK_VARCHAR);
    }
    duck_add_column(bind, "one_way", DUCK_BOOLEAN);
}

static void duck_policy_run(duck_call call, duck_chunk output)
{
    enum { TEXTS = 7 };
    duck_shared *const shared = duck.function_get_extra_info(call);
    tally_opened *const opened = atomic_load(&shared->opened);
    size_t *const next = duck.function_get_init_data(call);
    if (opened == NULL) {
        duck.function_set_error(call, duck_not_open);
        return;
    }
    const uint64_t capacity = duck.vector_size();
    uint64_t row = 0;
    tally_opened_column *column;
    while (row < capacity && (column = tally_opened_at(opened, *next)) != NULL) {
        tally_opened_row about;
        tally_opened_describe(column, &about);
        const char *const texts[TEXTS] = {
            about.column,     about.format, about.cipher,     about.key[0] ? about.key : NULL,
            about.name_space, about.tweak,  about.on_invalid,
        };
        for (uint64_t i = 0; i < TEXTS; i++) {
            duck_vector vector = duck.data_chunk_get_vector(output, i);
            if (texts[i] != NULL) {
                duck.vector_assign_string_element_len(vector, row, texts[i], strlen(texts[i]));
            } else {
                duck.vector_ensure_validity_writable(vector);
                duck.vector_get_validity(vector)[row / 64] &= ~(UINT64_C(1) << (row % 64));
            }
        }
        bool *const one_way = duck.vector_get_data(duck.data_chunk_get_vector(output, TEXTS));
        one_way[row] = about.is_one_way != 0;
        ++*next;
        row++;
    }
    duck.data_chunk_set_size(output, row);
}

/* Registration */

/* Adds one function to a set. */
static int duck_add_scalar(duck_scalars set, const char *name, duck_form *form, int has_tweak)
{
    duck_scalar function = duck.create_scalar_function();
    duck_type text = duck.create_logical_type(DUCK_VARCHAR);
    duck_type type = duck.create_logical_type(form->kind->type);
    duck.scalar_function_set_name(function, name);
    duck.scalar_function_add_parameter(function, text);
    duck.scalar_function_add_parameter(function, type);
    if (has_tweak) duck.scalar_function_add_parameter(function, text);
    duck.scalar_function_set_return_type(function, type);
    duck.scalar_function_set_special_handling(function); /* NULL is ours to treat */
    if (strncmp(duck.library_version(), "v1.", 3) == 0) {
        /* Else version 1 calls it for each entry of a column's dictionary, and an invalid one that no
         * row has ends the query. The price is that calls of constants are not folded. */
        duck.scalar_function_set_volatile(function);
    }
    atomic_fetch_add(&form->shared->users, 1);
    duck.scalar_function_set_extra_info(function, form, duck_release_form);
    duck.scalar_function_set_function(function, duck_run);
    const int failed = duck.add_scalar_function_to_set(set, function);
    duck.destroy_logical_type(&text);
    duck.destroy_logical_type(&type);
    duck.destroy_scalar_function(&function);
    return !failed;
}

static int duck_register_scalars(duck_connection connection, duck_shared *shared, int reveal)
{
    const char *const name = reveal ? "tally_reveal" : "tally_protect";
    duck_scalars set = duck.create_scalar_function_set(name);
    int good = 1;
    for (size_t i = 0; i < DUCK_KINDS && good; i++) {
        duck_form *const form = &shared->forms[reveal][i];
        *form = (duck_form){shared, &duck_kinds[i], reveal};
        good = duck_add_scalar(set, name, form, 0) && duck_add_scalar(set, name, form, 1);
    }
    good = good && duck.register_scalar_function_set(connection, set) == 0;
    duck.destroy_scalar_function_set(&set);
    return good;
}

static int duck_register_table(duck_connection connection, duck_shared *shared, const char *name,
                               duck_bind_run bind, duck_table_run run, int has_paths)
{
    duck_table table = duck.create_table_function();
    duck.table_function_set_name(table, name);
    if (has_paths) {
        duck_type text = duck.create_logical_type(DUCK_VARCHAR);
        duck_type truth = duck.create_logical_type(DUCK_BOOLEAN);
        for (int i = 0; i < 3; i++) {
            duck.table_function_add_parameter(table, text);
        }
        duck.table_function_add_named_parameter(table, "reveal", truth);
        duck.destroy_logical_type(&text);
        duck.destroy_logical_type(&truth);
    }
    atomic_fetch_add(&shared->users, 1);
    duck.table_function_set_extra_info(table, shared, duck_release_shared);
    duck.table_function_set_bind(table, bind);
    duck.table_function_set_init(table, duck_table_init);
    duck.table_function_set_function(table, run);
    const int failed = duck.register_table_function(connection, table);
    duck.destroy_table_function(&table);
    return !failed;
}

/* DuckDB finds this function by the name of the file. */
__attribute__((visibility("default"))) bool tallystick_init_c_api(duck_extension extension,
                                                                  const duck_access *access);

bool tallystick_init_c_api(duck_extension extension, const duck_access *access)
{
    typedef void (*slot)(void);
    const slot *const slots = access->get_api(extension, DUCK_API_VERSION);
    duck_database *const database = access->get_database(extension);
    duck_connection connection = NULL;
    if (slots == NULL || database == NULL) return false; /* DuckDB says why */
#define DUCK_TAKE(place, result, name, parameters) duck.name = (result(*) parameters)slots[place];
    DUCK_CALLS(DUCK_TAKE)
#undef DUCK_TAKE
    duck_shared *const shared = calloc(1, sizeof *shared);
    if (shared == NULL || pthread_mutex_init(&shared->lock, NULL) != 0) {
        free(shared);
        access->set_error(extension, tally_status_text(TALLY_ERROR_MEMORY));
        return false;
    }
    atomic_init(&shared->users, 1); /* this function, until its end */
    int good = duck.connect(*database, &connection) == 0;
    good =
        good && duck_register_scalars(connection, shared, 0) &&
        duck_register_scalars(connection, shared, 1) &&
        duck_register_table(connection, shared, "tally_open", duck_open_bind, duck_open_run, 1) &&
        duck_register_table(connection, shared, "tally_policy", duck_policy_bind, duck_policy_run,
                            0);
    if (connection != NULL) duck.disconnect(&connection);
    duck_release(shared);
    if (!good) access->set_error(extension, "Tallystick's functions can't be registered");
    return good;
}
