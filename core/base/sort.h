/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting of pointers in place, in a time that no order of them makes long. Equal ones may change
 * places. */
#ifndef TALLY_BASE_SORT_H
#define TALLY_BASE_SORT_H

#include <stddef.h>

/* As strcmp: below 0 if a comes before b, 0 if they are equal. */
typedef int tally_compare(const void *a, const void *b);

void tally_sort(const void **items, size_t count, tally_compare *compare);

/* The first of sorted items that does not come before `wanted`; `count` if there is none. */
size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare);

#endif
