/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes new content into scanned CSV fields in place. Tokens have the size of their values, so
 * most fields can be written so, and no other byte changes. */
#include "csv/special.h"

static void csv_overwrite_store(uint8_t *p, uint64_t word)
{
    memcpy(p, &word, sizeof word);
}

/* Copies 8 bytes or more, unless one of them is special. The last words may overlap others. All
 * bytes are checked before the first is written, so up to 32 bytes stay in registers. */
static inline int csv_overwrite_copy_plain(const tally_csv_special *special, uint8_t *to,
                                           const uint8_t *from, uint64_t size)
{
    uint64_t low = tally_csv_load(from), high = tally_csv_load(from + size - 8);
    uint64_t found = tally_csv_special_bytes(special, low) | tally_csv_special_bytes(special, high);
    if (size <= 16) {
        if (found != 0) {
            return 0;
        }
        csv_overwrite_store(to, low);
        csv_overwrite_store(to + size - 8, high);
        return 1;
    }
    if (size <= 32) {
        uint64_t second = tally_csv_load(from + 8), third = tally_csv_load(from + size - 16);
        found |= tally_csv_special_bytes(special, second) | tally_csv_special_bytes(special, third);
        if (found != 0) {
            return 0;
        }
        csv_overwrite_store(to, low);
        csv_overwrite_store(to + 8, second);
        csv_overwrite_store(to + size - 16, third);
        csv_overwrite_store(to + size - 8, high);
        return 1;
    }
    for (uint64_t i = 8; i < size - 8; i += 8) {
        found |= tally_csv_special_bytes(special, tally_csv_load(from + i));
    }
    if (found != 0) {
        return 0;
    }
    memcpy(to, from, (size_t)size);
    return 1;
}

static inline int csv_overwrite_copy_few(const tally_csv_special *special, uint8_t *to,
                                         const uint8_t *from, uint64_t size)
{
    uint64_t word = 0;
    for (uint64_t i = 0; i < size; i++) {
        word = word << 8 | from[i];
    }
    if (tally_csv_special_bytes(special, word) != 0) { /* the zeros above are not special */
        return 0;
    }
    for (uint64_t i = 0; i < size; i++) {
        to[i] = from[i];
    }
    return 1;
}

tally_status tally_csv_overwrite(const tally_csv_dialect *dialect, uint8_t *bytes,
                                 const tally_csv_field *fields, uint64_t records,
                                 const tally_csv_column *columns, uint32_t wanted_count,
                                 uint64_t *remaining)
{
    if (!tally_csv_dialect_valid(dialect)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_csv_special plain = tally_csv_special_of(dialect), quoted = plain;
    quoted.delimiter = quoted.carriage_return = quoted.line_feed = plain.quote;
    uint8_t skipped = dialect->skip_initial_space ? ' ' : 0;
    uint64_t others = 0;
    for (uint64_t r = 0; r < records; r++) {
        for (uint32_t j = 0; j < wanted_count; j++) {
            const tally_csv_column *column = &columns[j];
            if (column->offsets == NULL) {
                continue;
            }
            const tally_csv_field *field = &fields[r * wanted_count + j];
            uint64_t size;
            const uint8_t *from = tally_csv_content(column, r, &size);
            if (size == 0 && field->size == 0) {
                continue;
            }
            if (size != field->size || field->escaped ||
                (skipped != 0 && !field->quoted && from[0] == skipped)) {
                others++;
                continue;
            }
            const tally_csv_special *special = field->quoted ? &quoted : &plain;
            uint8_t *to = bytes + field->start;
            others += (uint64_t) !(size >= 8 ? csv_overwrite_copy_plain(special, to, from, size)
                                             : csv_overwrite_copy_few(special, to, from, size));
        }
    }
    *remaining = others;
    return TALLY_OK;
}
