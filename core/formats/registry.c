/* SPDX-License-Identifier: Apache-2.0
 *
 * All formats, in the order of the documentation: a new one is a file, and two lines here. */
#include "formats/format.h"

const tally_format_class *const tally_format_classes[] = {
    NULL,
};
