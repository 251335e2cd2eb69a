/* SPDX-License-Identifier: Apache-2.0
 *
 * The name that a misspelt one may have meant: the answers of Python's difflib.get_close_matches
 * with n = 1 and its cutoff of 0.6, for names whose ASCII letters are all in lower case. */
#ifndef TALLY_BASE_NEAREST_H
#define TALLY_BASE_NEAREST_H

#include "base/writer.h"

enum { TALLY_NEAREST_CHARACTERS = 128 }; /* longer names are never near, nor have near ones */

/* The choices are offered one after the other. */
typedef struct tally_nearest {
    uint32_t name[TALLY_NEAREST_CHARACTERS];
    size_t characters; /* of the name; 0 for one that is too long */
    const char *best;  /* the nearest choice until now, or NULL */
    size_t best_size;
    uint32_t matches, total; /* its ratio is 2 * matches / total */
} tally_nearest;

void tally_nearest_init(tally_nearest *nearest, const char *name, size_t size);
void tally_nearest_offer(tally_nearest *nearest, const char *choice, size_t size);

/* Says what a name may have meant: "; did you mean 'mask'?" */
void tally_write_meant(tally_writer *writer, const char *name, size_t size);

/* Says what a misspelt name may have meant, of some choices. Returns 0, and says nothing, if
 * no choice is near. The choices are zero-terminated. */
int tally_write_nearest(tally_writer *writer, const char *name, size_t size,
                        const char *const *choices, size_t count);

/* Says what a misspelt name may have meant, or what there is: "; did you mean 'mask'?" or
 * "; there are: card, mask". The choices are zero-terminated. */
void tally_write_instead(tally_writer *writer, const char *name, size_t size,
                         const char *const *choices, size_t count);

#endif
