/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

#include "tallystick/base.h"

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif
