/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of string.h that the core uses, for compilers without a C library; memory.c has
 * it. */
#ifndef TALLY_FIRMWARE_STRING_H
#define TALLY_FIRMWARE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

/* Sizes that are known are not worth a call, which compilers do not know of functions of ours. */
#define memcpy(to, from, size)  __builtin_memcpy(to, from, size)
#define memset(to, value, size) __builtin_memset(to, value, size)

#endif
