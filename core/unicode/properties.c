/* SPDX-License-Identifier: Apache-2.0 */
#include "unicode/properties.h"

uint32_t tally_unicode_property(const tally_unicode_runs *table, uint32_t point)
{
    size_t low = 0, high = table->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (table->runs[middle] >> TALLY_UNICODE_PROPERTY_BITS <= point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return table->runs[low] & ((1u << TALLY_UNICODE_PROPERTY_BITS) - 1);
}

uint8_t tally_combining_class(uint32_t point)
{
    if (point < 0x300) {
        return 0;
    }
    return (uint8_t)(tally_unicode_property(&tally_unicode_normal, point) & TALLY_UNICODE_CLASS);
}

tally_character tally_character_class(uint32_t point)
{
    return (tally_character)tally_unicode_property(&tally_unicode_categories, point);
}
