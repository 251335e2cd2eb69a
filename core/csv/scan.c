/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the fields of CSV records (RFC 4180, with bare CR and LF as line ends too). This is the
 * complete reader, which also reports errors. regular.h has the fast one. */
#include "csv/regular.h"

/* Returns the special bytes in order. `mask` has the remaining ones of the 64 bytes from `base`. */
typedef struct csv_scan_cursor {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t base;
    uint64_t mask;
    tally_csv_special special;
} csv_scan_cursor;

static void csv_scan_cursor_load(csv_scan_cursor *c)
{
    uint64_t left = c->size - c->base;
    tally_csv_masks found;
    if (left >= 64) {
        found = tally_csv_find(&c->special, c->bytes + c->base);
    } else {
        uint8_t tail[64] = {0};
        memcpy(tail, c->bytes + c->base, (size_t)left);
        found = tally_csv_find(&c->special, tail);
    }
    c->mask = found.quotes | found.ends;
}

/* Moves the cursor to byte `at`, which is not beyond the last one. */
static void csv_scan_cursor_seek(csv_scan_cursor *c, uint64_t at)
{
    c->base = at & ~UINT64_C(63);
    csv_scan_cursor_load(c);
    c->mask &= ~UINT64_C(0) << (at & 63);
}

/* The place of the next special byte, or the size if there is none. */
static inline uint64_t csv_scan_cursor_next(csv_scan_cursor *c)
{
    while (c->mask == 0) {
        if (c->size - c->base <= 64) {
            return c->size;
        }
        c->base += 64;
        csv_scan_cursor_load(c);
    }
    uint64_t at = c->base + (uint64_t)__builtin_ctzll(c->mask);
    c->mask &= c->mask - 1;
    return at;
}

/* A result of reading a field or a record, beside a tally_csv_error. */
enum { CSV_SCAN_MORE_BYTES = -1 };

/* Reads the field at `at` into *field; *end is the byte after it: a delimiter, CR, LF or the end.
 * The cursor is after *end. */
static inline int csv_scan_read_field(csv_scan_cursor *c, const tally_csv_dialect *d, int last,
                                      uint64_t at, tally_csv_field *field, uint64_t *end)
{
    const uint8_t *bytes = c->bytes;
    uint64_t size = c->size, stop;
    uint8_t quote = d->quote;
    if (d->skip_initial_space) {
        while (at < size && bytes[at] == ' ') {
            at++;
        }
    }
    field->start = at;
    field->quoted = field->escaped = 0;
    field->reserved[0] = field->reserved[1] = 0;
    if (quote != 0 && at < size && bytes[at] == quote) {
        field->start = csv_scan_cursor_next(c) + 1;
        field->quoted = 1;
        for (;;) {
            do {
                stop = csv_scan_cursor_next(c);
            } while (stop < size && bytes[stop] != quote);
            if (stop == size) {
                return last ? TALLY_CSV_OPEN : CSV_SCAN_MORE_BYTES;
            }
            if (size - stop < 2 || bytes[stop + 1] != quote) {
                break;
            }
            field->escaped = 1;
            csv_scan_cursor_next(c);
        }
        *end = csv_scan_cursor_next(c);
        if (*end != stop + 1) {
            return stop + 1 == size ? CSV_SCAN_MORE_BYTES : TALLY_CSV_QUOTE;
        }
    } else {
        do {
            stop = csv_scan_cursor_next(c);
        } while (stop < size && bytes[stop] == quote && quote != 0);
        *end = stop;
    }
    if (*end == size && !last) {
        return CSV_SCAN_MORE_BYTES;
    }
    if (stop - field->start > INT32_MAX) {
        return TALLY_CSV_TOO_LARGE;
    }
    field->size = (uint32_t)(stop - field->start);
    return TALLY_CSV_OK;
}

/* Steps over the line end at *at, if there is one. The cursor is after *at. */
static inline int csv_scan_read_line_end(csv_scan_cursor *c, int last, uint64_t *at)
{
    if (*at == c->size) {
        return TALLY_CSV_OK;
    }
    if (c->bytes[*at] == '\r') {
        if (c->size - *at < 2) {
            if (!last) {
                return CSV_SCAN_MORE_BYTES; /* perhaps half of CR LF */
            }
        } else if (c->bytes[*at + 1] == '\n') {
            csv_scan_cursor_next(c);
            *at += 1;
        }
    }
    *at += 1;
    return TALLY_CSV_OK;
}

/* Reads the record at *at, writes its wanted fields, and moves *at to the next record. */
static inline int csv_scan_read_record(csv_scan_cursor *c, const tally_csv_dialect *d, int last,
                                       const uint32_t *wanted, uint32_t wanted_count,
                                       tally_csv_field *fields, uint64_t record, uint64_t *at,
                                       uint64_t *error_at, uint32_t *count)
{
    uint32_t column = 0, found = 0;
    uint64_t start = *at, end;
    for (;; start = end + 1) {
        tally_csv_field field = {0};
        int error = csv_scan_read_field(c, d, last, start, &field, &end);
        if (error != TALLY_CSV_OK) {
            *error_at = field.quoted ? field.start - 1 : field.start;
            return error;
        }
        if (found < wanted_count && wanted[found] == column) {
            fields[record * wanted_count + found++] = field;
        }
        column++;
        if (end == c->size || c->bytes[end] != d->delimiter) {
            break;
        }
    }
    *count = column;
    *error_at = *at;
    int error = csv_scan_read_line_end(c, last, &end);
    *at = end;
    return error;
}

static int csv_scan_wanted_valid(const uint32_t *wanted, uint32_t count, uint32_t columns)
{
    for (uint32_t j = 0; j < count; j++) {
        if (wanted[j] >= columns || (j > 0 && wanted[j] <= wanted[j - 1])) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_csv_scan_records(const tally_csv_dialect *dialect, const uint8_t *bytes,
                                    uint64_t size, int last, uint32_t columns,
                                    const uint32_t *wanted, uint32_t wanted_count,
                                    tally_csv_field *fields, uint64_t max_records,
                                    tally_csv_scan *out)
{
    tally_csv_dialect d = *dialect;
    if (!tally_csv_dialect_valid(&d) || !csv_scan_wanted_valid(wanted, wanted_count, columns)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_csv_scan scan = {0};
    csv_scan_cursor c = {bytes, size, 0, 0, tally_csv_special_of(&d)};
    if (size > 0) {
        csv_scan_cursor_load(&c);
    }
    /* The fast reader needs the number of columns, and cannot skip spaces. */
    uint64_t at = 0, regular_from = columns == 0 || d.skip_initial_space ? size : 0;
    while (scan.records < max_records && at < size) {
        if (at >= regular_from) {
            regular_from = tally_csv_scan_regular(&d, bytes, size, columns, wanted, wanted_count,
                                                  max_records, fields, &at, &scan.records);
            scan.fields = columns;
            scan.consumed = at;
            if (scan.records == max_records || at == size) {
                break;
            }
            csv_scan_cursor_seek(&c, at);
        }
        if (columns != 1 && (bytes[at] == '\n' || bytes[at] == '\r')) {
            csv_scan_cursor_next(&c);
            if (csv_scan_read_line_end(&c, last, &at) != TALLY_CSV_OK) {
                break;
            }
            scan.consumed = at;
            continue;
        }
        uint32_t count = 0;
        uint64_t error_at = 0;
        int error = csv_scan_read_record(&c, &d, last, wanted, wanted_count, fields, scan.records,
                                         &at, &error_at, &count);
        if (error == CSV_SCAN_MORE_BYTES) {
            break;
        }
        if (error == TALLY_CSV_OK && columns == 0) {
            columns = count;
        }
        if (error == TALLY_CSV_OK && count != columns) {
            error = TALLY_CSV_FIELDS;
        }
        scan.fields = error == TALLY_CSV_FIELDS ? count : columns;
        if (error != TALLY_CSV_OK) {
            scan.error = (uint32_t)error;
            scan.error_at = error_at;
            break;
        }
        scan.records++;
        scan.consumed = at;
    }
    *out = scan;
    return TALLY_OK;
}
