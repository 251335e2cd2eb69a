/* SPDX-License-Identifier: Apache-2.0
 *
 * See sort.h: a heap. */
#include "base/sort.h"

static void sort_swap(const void **a, const void **b)
{
    const void *const swapped = *a;
    *a = *b;
    *b = swapped;
}

static void sort_sift(const void **heap, size_t count, size_t at, tally_compare *compare)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(heap[child], heap[child + 1]) < 0) {
            child++;
        }
        if (compare(heap[at], heap[child]) >= 0) {
            return;
        }
        sort_swap(&heap[at], &heap[child]);
        at = child;
    }
}

void tally_sort(const void **items, size_t count, tally_compare *compare)
{
    for (size_t i = count / 2; i-- > 0;) {
        sort_sift(items, count, i, compare);
    }
    for (size_t left = count; left-- > 1;) {
        sort_swap(&items[0], &items[left]);
        sort_sift(items, left, 0, compare);
    }
}

size_t tally_sorted_place(const void *const *items, size_t count, const void *wanted,
                          tally_compare *compare)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(items[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
