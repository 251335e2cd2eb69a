/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of tests of tokens: workers with formats that move letters on, and memory that is counted. */
#ifndef TALLY_TESTS_TOKENS_CALLS_H
#define TALLY_TESTS_TOKENS_CALLS_H

#include <stdlib.h>

#include "arrow_made.h"
#include "tallystick/tokens.h"
#include "tokens_fake.h"

static const uint8_t key[16] = {1, 2, 3};
static tally_problem problem;
static tally_invalid invalid;
static tally_counts counts;

/* An allocator that counts what is out, and gives nothing after some allocations. */
static struct {
    long out, left;
    unsigned long made;
} heap = {0, -1, 0};

static inline void *heap_allocate(void *context, size_t size)
{
    (void)context;
    if (heap.left == 0) {
        return NULL;
    }
    heap.left -= heap.left > 0;
    heap.out += (long)size;
    heap.made++;
    void *memory = malloc(size);
    if (memory != NULL) {
        memset(memory, 0xa5, size);
    }
    return memory;
}

/* The beginnings of values that tests protect, reveal or keep: no memory holds them when it is
 * released. */
static inline bool heap_is_wiped(const uint8_t *memory, size_t size)
{
    static const char *const values[] = {"anne", "elizabeth", "SECRET"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const uint8_t *at = memory;
        while ((at = memchr(at, values[i][0], size - (size_t)(at - memory))) != NULL) {
            const size_t rest = size - (size_t)(at - memory), own = strlen(values[i]);
            if (rest >= own && memcmp(at, values[i], own) == 0) {
                return false;
            }
            at++;
        }
    }
    return true;
}

static inline void heap_release(void *context, void *memory, size_t size)
{
    (void)context;
    CHECK(heap_is_wiped(memory, size));
    heap.out -= (long)size;
    free(memory);
}

static const tally_allocator allocator = {heap_allocate, heap_release, NULL};

static inline tally_tokenizer *new_tokenizer(const tally_format *format,
                                             tally_on_invalid on_invalid)
{
    tally_tokenizer *tokenizer = NULL;
    CHECK_EQUAL(tally_tokenizer_new(&allocator, format, key, sizeof key, "names", 5, on_invalid,
                                    &tokenizer, &problem),
                TALLY_OK);
    return tokenizer;
}

static inline tally_worker *new_worker(const tally_tokenizer *tokenizer)
{
    tally_worker *worker = NULL;
    CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
    return worker;
}

/* A worker with its tokenizer. */
typedef struct pair {
    tally_tokenizer *tokenizer;
    tally_worker *worker;
} pair;

static inline pair pair_new(const tally_format *format, tally_on_invalid on_invalid)
{
    pair out = {new_tokenizer(format, on_invalid), NULL};
    out.worker = new_worker(out.tokenizer);
    return out;
}

static inline void pair_free(pair *it)
{
    tally_worker_free(it->worker);
    tally_tokenizer_free(it->tokenizer);
}

/* Calls with an array and maybe tweaks. */
static inline tally_status protect(tally_worker *worker, const made *values, const made *tweaks,
                                   struct ArrowArray *out)
{
    memset(&counts, 0, sizeof counts);
    memset(&problem, 0, sizeof problem);
    return tally_protect_array(
        worker, &values->schema, &values->array, tweaks == NULL ? NULL : &tweaks->schema,
        tweaks == NULL ? NULL : &tweaks->array, out, &counts, &invalid, &problem);
}

static inline void check_rows(const struct ArrowSchema *schema, const struct ArrowArray *array,
                              const char *const *expected, int64_t count)
{
    CHECK_EQUAL(array->length, count);
    CHECK_EQUAL(array->offset, 0);
    for (int64_t i = 0; i < count && i < array->length; i++) {
        const char *row = made_row(schema, array, i);
        const bool equal =
            row == NULL || expected[i] == NULL ? row == expected[i] : strcmp(row, expected[i]) == 0;
        CHECK(equal);
        if (!equal) {
            fprintf(stderr, "    row %d is %s, not %s\n", (int)i, row == NULL ? "null" : row,
                    expected[i] == NULL ? "null" : expected[i]);
        }
    }
}

/* Protects an array, compares the rows, and reveals them. */
static inline void check_array(tally_worker *worker, made *values, const made *tweaks,
                               const char *const *plain, const char *const *expected, int64_t count)
{
    struct ArrowArray out, back;
    const tally_status status = protect(worker, values, tweaks, &out);
    CHECK_EQUAL(status, TALLY_OK);
    if (status != TALLY_OK) {
        fprintf(stderr, "    %s: %s\n", problem.place, problem.text);
        return;
    }
    CHECK_EQUAL(counts.rows, count);
    check_rows(&values->schema, &out, expected, count);
    if (plain != NULL) {
        CHECK_EQUAL(tally_reveal_array(
                        worker, &values->schema, &out, tweaks == NULL ? NULL : &tweaks->schema,
                        tweaks == NULL ? NULL : &tweaks->array, &back, NULL, &invalid, &problem),
                    TALLY_OK);
        check_rows(&values->schema, &back, plain, count);
        back.release(&back);
        CHECK(back.release == NULL);
    }
    out.release(&out);
}

#endif
