/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that may have no memory left, and that must get all of it back. */
#ifndef TALLY_FUZZ_ALLOCATOR_H
#define TALLY_FUZZ_ALLOCATOR_H

#include "fuzz.h"

typedef struct fuzz_pieces {
    size_t left; /* pieces that it gives */
    size_t out;  /* bytes that it has not got back */
} fuzz_pieces;

static void *fuzz_pieces_give(void *context, size_t size)
{
    fuzz_pieces *const pieces = context;
    CHECK(size > 0);
    if (pieces->left == 0) {
        return NULL;
    }
    uint8_t *const memory = malloc(size);
    if (memory != NULL) {
        memset(memory, FUZZ_GUARD, size);
        pieces->left--;
        pieces->out += size;
    }
    return memory;
}

static void fuzz_pieces_take(void *context, void *memory, size_t size)
{
    fuzz_pieces *const pieces = context;
    CHECK(memory != NULL && size <= pieces->out);
    pieces->out -= size;
    free(memory);
}

/* Gives few pieces once in eight inputs, else any number. */
static inline fuzz_pieces fuzz_pieces_of(fuzz_input *input)
{
    const uint8_t number = (uint8_t)fuzz_number(input, 1);
    return (fuzz_pieces){number % 8 == 7 ? number / 8 : SIZE_MAX, 0};
}

/* What is refused is described: in text that has an end, and that is not cut within a character. */
static inline void fuzz_described(const tally_problem *problem)
{
    const char *const texts[] = {problem->place, problem->text};
    const size_t sizes[] = {sizeof problem->place, sizeof problem->text};
    CHECK(problem->text[0] != '\0');
    for (size_t i = 0; i < 2; i++) {
        const char *const end = memchr(texts[i], '\0', sizes[i]);
        CHECK(end != NULL);
        for (const char *c = texts[i]; end != NULL && c < end; c++) {
            CHECK((uint8_t)*c >= ' ' && *c != 0x7f);
        }
    }
}

#endif
