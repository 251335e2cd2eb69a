/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share. A target is a function of some bytes, which it takes from a cursor;
 * a CHECK that fails (core/tests/check.h) ends the program, as does whatever a sanitizer finds.
 * Memory is allocated with just the size that a call may touch, so that ASan sees a byte beyond
 * it. */
#ifndef TALLY_FUZZ_H
#define TALLY_FUZZ_H

#include <stdlib.h>

#include "base/cpu.h"
#include "tallystick/base.h"
#include "tests/check.h"

enum { FUZZ_GUARD = 0xA5 }; /* what all memory is filled with */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is left of an input, taken from the front; when there is no more, zeros. */
typedef struct fuzz_input {
    const uint8_t *bytes;
    size_t size;
} fuzz_input;

/* The memory of this input. */
static struct {
    void **blocks;
    size_t count, capacity;
} fuzz_memory;

static inline uint8_t *fuzz_buffer(size_t size)
{
    if (fuzz_memory.count == fuzz_memory.capacity) {
        fuzz_memory.capacity = 2 * fuzz_memory.capacity + 64;
        fuzz_memory.blocks =
            realloc(fuzz_memory.blocks, fuzz_memory.capacity * sizeof *fuzz_memory.blocks);
    }
    uint8_t *block = malloc(size);
    if (fuzz_memory.blocks == NULL || (block == NULL && size != 0)) {
        abort();
    }
    if (size > 0) {
        memset(block, FUZZ_GUARD, size);
    }
    fuzz_memory.blocks[fuzz_memory.count++] = block;
    return block;
}

/* A function that failed has written nothing to its outputs. */
static inline void fuzz_untouched(const void *memory, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        CHECK(((const uint8_t *)memory)[i] == FUZZ_GUARD);
    }
}

/* The same for `count` of `type`. */
#define FUZZ_ARRAY(type, count) ((type *)(void *)fuzz_buffer((size_t)(count) * sizeof(type)))

/* Ends a target: `return fuzz_end();`. */
static inline int fuzz_end(void)
{
    while (fuzz_memory.count > 0) {
        free(fuzz_memory.blocks[--fuzz_memory.count]);
    }
    free(fuzz_memory.blocks);
    fuzz_memory.blocks = NULL;
    fuzz_memory.capacity = 0;
    if (check_totals.failed != 0) {
        abort();
    }
    return 0;
}

/* `size` bytes, in memory of just that size. */
static inline uint8_t *fuzz_bytes(fuzz_input *input, size_t size)
{
    uint8_t *out = fuzz_buffer(size);
    size_t there = size < input->size ? size : input->size;
    if (there > 0) {
        memcpy(out, input->bytes, there);
        input->bytes += there;
        input->size -= there;
    }
    if (size > there) {
        memset(out + there, 0, size - there);
    }
    return out;
}

/* An unsigned number of `size` bytes, 1..8, the least significant first. */
static inline uint64_t fuzz_number(fuzz_input *input, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size && input->size > 0; i++, input->size--) {
        number |= (uint64_t)*input->bytes++ << 8 * i;
    }
    return number;
}

/* A number below `bound`, 1..2^32, from as many bytes as it needs. */
static inline uint32_t fuzz_below(fuzz_input *input, uint64_t bound)
{
    size_t size = bound <= 1 << 8 ? 1 : bound <= 1 << 16 ? 2 : 4;
    return (uint32_t)(fuzz_number(input, size) % bound);
}

/* A number below `few`; once in 256 one up to `most`, the documented maximum, and then often that.
 * So an input is small as a rule, and the limits come up all the same. */
static inline uint32_t fuzz_size(fuzz_input *input, uint32_t few, uint32_t most)
{
    const size_t size = few <= 1 << 8 ? 1 : 2;
    const uint32_t number = (uint32_t)fuzz_number(input, size);
    if (number >> (8 * size - 8) != 255) {
        return number % few;
    }
    if (fuzz_below(input, 4) == 0 || most == 0) {
        return fuzz_below(input, (uint64_t)most + 1);
    }
    return most - fuzz_below(input, 2);
}

/* Leaves any set of the CPU's features, so that any mix of back ends comes up. */
static inline uint32_t fuzz_cpu(fuzz_input *input)
{
    return tally_cpu_lower((uint32_t)fuzz_number(input, 2));
}

/* The features of portable code: none. What is done then is what any other back end must do. */
static inline void fuzz_portable(void)
{
    tally_cpu_lower(0);
}

#endif
