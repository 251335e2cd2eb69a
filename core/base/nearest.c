/* SPDX-License-Identifier: Apache-2.0
 *
 * See nearest.h. The similarity of two names is twice the characters that match, by the total of
 * both. Matches are the longest common run, and those on its left and on its right. */
#include "base/nearest.h"

#include <string.h>

typedef struct nearest_range {
    uint8_t a, a_end, b, b_end;
} nearest_range;

/* Decodes a name, with ASCII letters in lower case; returns its number of characters, or 0 if there are too many. */
static size_t nearest_decode(const char *text, size_t size, uint32_t *out)
{
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        if (count == TALLY_NEAREST_CHARACTERS) {
            return 0;
        }
        const uint32_t next = tally_utf8_next(text, size, &at);
        out[count++] = next - 'A' < 26 ? next + ('a' - 'A') : next;
    }
    return count;
}

/* The longest common run in a range; of several the first in a, and then the first in b. */
static size_t nearest_run(const uint32_t *a, const uint32_t *b, nearest_range range, size_t *at_a,
                          size_t *at_b)
{
    uint8_t runs[TALLY_NEAREST_CHARACTERS + 1] = {0}; /* [j + 1]: that which ends at a[i], b[j] */
    size_t longest = 0;
    for (size_t i = range.a; i < range.a_end; i++) {
        uint8_t diagonal = 0;
        for (size_t j = range.b; j < range.b_end; j++) {
            const uint8_t above = runs[j + 1];
            runs[j + 1] = a[i] == b[j] ? (uint8_t)(diagonal + 1) : 0;
            diagonal = above;
            if (runs[j + 1] > longest) {
                longest = runs[j + 1];
                *at_a = i + 1 - longest;
                *at_b = j + 1 - longest;
            }
        }
    }
    return longest;
}

static uint32_t nearest_matches(const uint32_t *a, size_t a_count, const uint32_t *b,
                                size_t b_count)
{
    /* Ranges that wait are disjoint in a, and none is empty. */
    nearest_range waiting[TALLY_NEAREST_CHARACTERS + 1];
    size_t count = 0;
    uint32_t matches = 0;
    waiting[count++] = (nearest_range){0, (uint8_t)a_count, 0, (uint8_t)b_count};
    while (count > 0) {
        const nearest_range range = waiting[--count];
        size_t i = 0, j = 0;
        const size_t run = nearest_run(a, b, range, &i, &j);
        if (run == 0) {
            continue;
        }
        matches += (uint32_t)run;
        if (range.a < i && range.b < j) {
            waiting[count++] = (nearest_range){range.a, (uint8_t)i, range.b, (uint8_t)j};
        }
        if (i + run < range.a_end && j + run < range.b_end) {
            waiting[count++] =
                (nearest_range){(uint8_t)(i + run), range.a_end, (uint8_t)(j + run), range.b_end};
        }
    }
    return matches;
}

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size)
{
    nearest->characters = nearest_decode(name, size, nearest->name);
    nearest->best = NULL;
    nearest->best_size = 0;
    nearest->matches = 0;
    nearest->total = 1;
}

/* Whether `choice` comes after the best one in the order of code points, which is that of bytes. */
static int nearest_is_greater(const tally_nearest *nearest, const char *choice, size_t size)
{
    const size_t common = size < nearest->best_size ? size : nearest->best_size;
    const int order = common == 0 ? 0 : memcmp(choice, nearest->best, common);
    return order > 0 || (order == 0 && size > nearest->best_size);
}

void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size)
{
    uint32_t decoded[TALLY_NEAREST_CHARACTERS];
    const size_t count = nearest_decode(choice, size, decoded);
    const uint32_t total = (uint32_t)(count + nearest->characters);
    uint32_t matches = 0;
    if (count == 0 || nearest->characters == 0) {
        return;
    }
    matches = nearest_matches(decoded, count, nearest->name, nearest->characters);
    const uint32_t ours = matches * nearest->total, best = nearest->matches * total;
    if (10 * matches >= 3 * total &&
        (nearest->best == NULL || ours > best ||
         (ours == best && nearest_is_greater(nearest, choice, size)))) {
        nearest->best = choice;
        nearest->best_size = size;
        nearest->matches = matches;
        nearest->total = total;
    }
}

void tally_write_meant(tally_writer *writer, const char *name, size_t size)
{
    tally_write(writer, "; did you mean ");
    tally_write_repr(writer, name, size);
    tally_write_char(writer, '?');
}

int tally_write_nearest(tally_writer *writer, const char *name, size_t size,
                        const char *const *choices, size_t count)
{
    tally_nearest nearest;
    tally_nearest_init(&nearest, name, size);
    for (size_t i = 0; i < count; i++) {
        tally_nearest_offer(&nearest, choices[i], strlen(choices[i]));
    }
    if (nearest.best == NULL) {
        return 0;
    }
    tally_write_meant(writer, nearest.best, nearest.best_size);
    return 1;
}

void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count)
{
    if (tally_write_nearest(writer, name, size, choices, count)) {
        return;
    }
    tally_write(writer, "; there are: ");
    for (size_t i = 0; i < count; i++) {
        tally_write(writer, i == 0 ? "" : ", ");
        tally_write(writer, choices[i]);
    }
}
