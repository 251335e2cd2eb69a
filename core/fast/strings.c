/* SPDX-License-Identifier: Apache-2.0
 *
 * What an Arrow string array must be before its rows are looked at. */
#include "fast/strings.h"

enum { RUN = TALLY_STRINGS_RUN };

#define DEFINE_DESCEND(name, type)                                                                 \
    static int name(const type *offsets, uint64_t rows)                                            \
    {                                                                                              \
        type descending = 0;                                                                       \
        uint64_t i = 0;                                                                            \
        for (; rows - i >= RUN; i += RUN) {                                                        \
            for (size_t j = 0; j < RUN; j++) {                                                     \
                descending |= offsets[i + j + 1] < offsets[i + j];                                 \
            }                                                                                      \
        }                                                                                          \
        for (; i < rows; i++) {                                                                    \
            descending |= offsets[i + 1] < offsets[i];                                             \
        }                                                                                          \
        return descending != 0;                                                                    \
    }

DEFINE_DESCEND(descend_32, int32_t)
DEFINE_DESCEND(descend_64, int64_t)

int tally_strings_fit(const tally_strings *strings)
{
    if (strings->offset_size != 4 && strings->offset_size != 8) {
        return 0;
    }
    if (strings->rows == 0) {
        return 1;
    }
    if (strings->offsets == NULL || tally_offset_at(strings, 0) > INT64_MAX) {
        return 0;
    }
    /* Ascending from what is not negative, none of them is. */
    return strings->offset_size == 4 ? !descend_32(strings->offsets, strings->rows)
                                     : !descend_64(strings->offsets, strings->rows);
}
