/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast reader, for blocks in which every quote opens or closes a field. Most blocks of most
 * files are such. A byte is between quotes if the number of quotes before it is odd, so the ends of
 * fields follow from masks of 64 bytes (as in Langdale and Lemire, "Parsing Gigabytes of JSON per
 * Second", 2019). scan.c reads all other blocks, also those with doubled quotes. */
#ifndef TALLY_CSV_REGULAR_H
#define TALLY_CSV_REGULAR_H

#include "csv/special.h"

typedef struct tally_csv_regular {
    const uint8_t *bytes;
    uint64_t size;
    tally_csv_special special;
    uint64_t has_quotes; /* all ones, or 0 in a dialect without them */
    uint64_t base;       /* the place of the 64 loaded bytes */
    uint64_t ends;       /* ends of fields in these bytes, but for those returned */
    uint64_t inside;     /* all ones if the next 64 bytes begin between quotes */
    uint64_t after_end,
        after_close; /* 1: they begin after the end of a field, or a closing quote */
} tally_csv_regular;

/* Bit i is the parity of the bits 0 to i. */
static inline uint64_t tally_csv_parities(uint64_t x)
{
    x ^= x << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    x ^= x << 16;
    return x ^ x << 32;
}

/* Loads those of the 64 bytes at base that `selected` has. 0: they are not regular, or fewer than
 * 64. */
static inline int tally_csv_regular_load(tally_csv_regular *r, uint64_t selected)
{
    if (r->size - r->base < 64) {
        return 0;
    }
    tally_csv_masks found = tally_csv_find(&r->special, r->bytes + r->base);
    uint64_t quotes = found.quotes & r->has_quotes & selected;
    uint64_t inside = tally_csv_parities(quotes) ^ r->inside;
    uint64_t ends = found.ends & selected & ~inside;
    uint64_t opens = quotes & inside, closes = quotes & ~inside;
    uint64_t first = selected & (~selected + 1) & (0 - r->after_end);
    uint64_t irregular = (opens & ~(ends << 1 | first)) | ((closes << 1 | r->after_close) & ~ends);
    r->ends = ends;
    r->inside = 0 - (inside >> 63);
    r->after_end = ends >> 63;
    r->after_close = closes >> 63;
    return irregular == 0;
}

/* The end of the next field. The size: the fast reader cannot find it. */
static inline uint64_t tally_csv_regular_end(tally_csv_regular *r)
{
    while (r->ends == 0) {
        r->base += 64;
        if (!tally_csv_regular_load(r, ~UINT64_C(0))) {
            return r->size;
        }
    }
    uint64_t end = r->base + (uint64_t)__builtin_ctzll(r->ends);
    r->ends &= r->ends - 1;
    return end;
}

static inline int tally_csv_is_line_end(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

/* Scans records of `columns` fields from *at on, as tally_csv_scan_records does, and advances *at
 * and *records. Stops before the first record that it cannot read. Returns the place from which on
 * it may be tried again. */
static uint64_t tally_csv_scan_regular(const tally_csv_dialect *d, const uint8_t *bytes,
                                       uint64_t size, uint32_t columns, const uint32_t *wanted,
                                       uint32_t wanted_count, uint64_t max_records,
                                       tally_csv_field *fields, uint64_t *at, uint64_t *records)
{
    tally_csv_regular r = {.bytes = bytes, .size = size, .after_end = 1};
    r.special = tally_csv_special_of(d);
    r.has_quotes = d->quote != 0 ? ~UINT64_C(0) : 0;
    r.base = *at & ~UINT64_C(63);
    if (!tally_csv_regular_load(&r, ~UINT64_C(0) << (*at & 63))) {
        return r.base + 64;
    }
    while (*records < max_records && *at < size) {
        if (columns != 1 && tally_csv_is_line_end(bytes[*at])) {
            return *at + 1;
        }
        uint32_t column = 0, found = 0;
        uint64_t start = *at, end;
        for (;; start = end + 1) {
            end = tally_csv_regular_end(&r);
            if (end == size) {
                return r.base + 64;
            }
            if (found < wanted_count && wanted[found] == column) {
                uint8_t quoted = bytes[start] == d->quote && d->quote != 0;
                uint64_t content = end - start - 2 * (uint64_t)quoted;
                if (content > INT32_MAX) {
                    return size;
                }
                tally_csv_field field = {start + quoted, (uint32_t)content, quoted, 0, {0, 0}};
                fields[*records * wanted_count + found++] = field;
            }
            column++;
            if (bytes[end] != d->delimiter) {
                break;
            }
        }
        uint64_t next = end + 1;
        if (bytes[end] == '\r') {
            if (next == size) {
                return size;
            }
            if (bytes[next] == '\n' && tally_csv_regular_end(&r) != next++) {
                return r.base + 64;
            }
        }
        if (column != columns) {
            return size;
        }
        *records += 1;
        *at = next;
    }
    return size;
}

#endif
