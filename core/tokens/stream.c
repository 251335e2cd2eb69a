/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of tables: each is protected when it is asked for. */
#include <string.h>

#include "base/writer.h"
#include "tokens/array.h"

/* Results of the interface's functions: errno's numbers, the same everywhere. */
enum { STREAM_NO_MEMORY = 12, STREAM_INVALID = 22 };

enum { STREAM_MESSAGE = 1200 };

typedef struct stream_wrap {
    tally_allocator allocator;
    tally_direction direction;
    tally_field *fields;
    size_t count;
    struct ArrowArrayStream source;
    struct ArrowSchema type;
    uint64_t rows; /* of the tables so far */
    tally_status status;
    tally_table_fault fault;
    tally_problem problem;
    char message[STREAM_MESSAGE]; /* empty: the source's is the last one */
} stream_wrap;

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_wrap *wrap = stream->private_data;
    wrap->message[0] = '\0';
    return wrap->source.get_schema(&wrap->source, out);
}

/* Writes the error with the row of the stream, and nothing of the value. */
static void stream_explain(stream_wrap *wrap)
{
    char why[TALLY_FAULT_TEXT];
    tally_writer writer;
    tally_writer_init(&writer, wrap->message, sizeof wrap->message);
    if (wrap->problem.place[0] != '\0') {
        tally_write(&writer, wrap->problem.place);
        tally_write(&writer, ": ");
    }
    if (wrap->status == TALLY_ERROR_INVALID) {
        tally_write(&writer, "row ");
        tally_write_uint(&writer, wrap->fault.invalid.row);
        tally_write(&writer, ": ");
        tally_fault_text(&wrap->fault.invalid.fault, why, sizeof why);
        tally_write(&writer, why);
    } else {
        tally_write(&writer, wrap->problem.text[0] != '\0' ? wrap->problem.text
                                                           : tally_status_text(wrap->status));
    }
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_wrap *wrap = stream->private_data;
    struct ArrowArray table;
    memset(out, 0, sizeof *out);
    memset(&table, 0, sizeof table);
    memset(&wrap->problem, 0, sizeof wrap->problem);
    wrap->message[0] = '\0';
    wrap->status = TALLY_OK;
    const int failed = wrap->source.get_next(&wrap->source, &table);
    if (failed != 0 || table.release == NULL) {
        return failed;
    }
    const uint64_t rows = (uint64_t)table.length;
    wrap->status = tally_tokens_table(wrap->direction, wrap->fields, wrap->count, &wrap->type,
                                      &table, out, &wrap->fault, &wrap->problem);
    if (wrap->status == TALLY_OK) {
        wrap->rows += rows;
        return 0;
    }
    wrap->fault.invalid.row += wrap->rows;
    table.release(&table);
    stream_explain(wrap);
    return wrap->status == TALLY_ERROR_MEMORY ? STREAM_NO_MEMORY : STREAM_INVALID;
}

static const char *stream_get_last_error(struct ArrowArrayStream *stream)
{
    stream_wrap *wrap = stream->private_data;
    return wrap->message[0] != '\0' ? wrap->message : wrap->source.get_last_error(&wrap->source);
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stream_wrap *wrap = stream->private_data;
    const tally_allocator allocator = wrap->allocator;
    if (wrap->type.release != NULL) {
        wrap->type.release(&wrap->type);
    }
    if (wrap->source.release != NULL) {
        wrap->source.release(&wrap->source);
    }
    tally_release(&allocator, wrap, sizeof *wrap);
    stream->release = NULL;
}

static tally_status stream_new(tally_direction direction, tally_field *fields, size_t count,
                               struct ArrowArrayStream *source, struct ArrowArrayStream *out,
                               tally_problem *problem)
{
    memset(out, 0, sizeof *out);
    if (count == 0 || fields[0].worker == NULL || source->release == NULL) {
        return TALLY_ERROR_ARGUMENT;
    }
    const tally_allocator *allocator = &fields[0].worker->tokenizer->allocator;
    stream_wrap *wrap = tally_allocate(allocator, sizeof *wrap);
    if (wrap == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(wrap, 0, sizeof *wrap);
    wrap->allocator = *allocator;
    wrap->direction = direction;
    wrap->fields = fields;
    wrap->count = count;
    if (source->get_schema(source, &wrap->type) != 0) {
        tally_writer writer;
        const char *text = source->get_last_error(source);
        tally_writer_problem(&writer, problem);
        tally_write(&writer, text == NULL ? "the stream gives no schema" : text);
        tally_release(allocator, wrap, sizeof *wrap);
        return TALLY_ERROR_ARRAY;
    }
    wrap->source = *source;
    source->release = NULL;
    out->get_schema = stream_get_schema;
    out->get_next = stream_get_next;
    out->get_last_error = stream_get_last_error;
    out->release = stream_release;
    out->private_data = wrap;
    return TALLY_OK;
}

tally_status tally_protect_stream(tally_field *fields, size_t count,
                                  struct ArrowArrayStream *source, struct ArrowArrayStream *out,
                                  tally_problem *problem)
{
    return stream_new(TALLY_ENCRYPT, fields, count, source, out, problem);
}

tally_status tally_reveal_stream(tally_field *fields, size_t count, struct ArrowArrayStream *source,
                                 struct ArrowArrayStream *out, tally_problem *problem)
{
    return stream_new(TALLY_DECRYPT, fields, count, source, out, problem);
}

tally_status tally_stream_status(const struct ArrowArrayStream *stream, tally_table_fault *fault,
                                 tally_problem *problem)
{
    if (stream->release != stream_release) {
        return TALLY_ERROR_ARGUMENT;
    }
    const stream_wrap *wrap = stream->private_data;
    *fault = wrap->fault;
    *problem = wrap->problem;
    return wrap->status;
}
