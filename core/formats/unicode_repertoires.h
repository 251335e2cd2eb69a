/* SPDX-License-Identifier: Apache-2.0
 *
 * Repertoires: the letters of Latin that names of one language have, so that tokens look like them.
 * As scripts, repertoires never change. */
#ifndef TALLY_FORMATS_UNICODE_REPERTOIRES_H
#define TALLY_FORMATS_UNICODE_REPERTOIRES_H

#include "formats/unicode_scripts.h"

typedef struct tally_repertoire {
    const char *name;
    tally_script script;
} tally_repertoire;

enum { TALLY_REPERTOIRES = 21 };

extern const tally_repertoire tally_repertoires[TALLY_REPERTOIRES];

#endif
