/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the fields of CSV records (RFC 4180, with bare CR and LF as line ends too). Here is the
 * reader that understands every record, and says what is wrong with one; regular.h has the fast one
 * for most of them. */
#include "csv/regular.h"

/* Gives the special bytes in order. `mask` holds those not given yet, of the 64 from `base`. */
typedef struct cursor {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t base;
    uint64_t mask;
    tally_csv_special special;
} cursor;

static void cursor_load(cursor *c)
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

/* Lets the byte at `at`, which is not beyond the last one, be the first to come. */
static void cursor_seek(cursor *c, uint64_t at)
{
    c->base = at & ~UINT64_C(63);
    cursor_load(c);
    c->mask &= ~UINT64_C(0) << (at & 63);
}

/* The next special byte; the size, again and again, if there is none. */
static inline uint64_t cursor_next(cursor *c)
{
    while (c->mask == 0) {
        if (c->size - c->base <= 64) {
            return c->size;
        }
        c->base += 64;
        cursor_load(c);
    }
    uint64_t at = c->base + (uint64_t)__builtin_ctzll(c->mask);
    c->mask &= c->mask - 1;
    return at;
}

/* What reading a field or a record led to, besides a tally_csv_error. */
enum { MORE_BYTES = -1 };

/* Reads the field at `at` into *field; *end is the byte after it: a delimiter, CR, LF or the end.
 * The cursor stands after *end. */
static inline int read_field(cursor *c, const tally_csv_dialect *d, int last, uint64_t at,
                             tally_csv_field *field, uint64_t *end)
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
        field->start = cursor_next(c) + 1;
        field->quoted = 1;
        for (;;) {
            do {
                stop = cursor_next(c);
            } while (stop < size && bytes[stop] != quote);
            if (stop == size) {
                return last ? TALLY_CSV_OPEN : MORE_BYTES;
            }
            if (size - stop < 2 || bytes[stop + 1] != quote) {
                break;
            }
            field->escaped = 1;
            cursor_next(c);
        }
        *end = cursor_next(c);
        if (*end != stop + 1) {
            return stop + 1 == size ? MORE_BYTES : TALLY_CSV_QUOTE;
        }
    } else {
        do {
            stop = cursor_next(c);
        } while (stop < size && bytes[stop] == quote && quote != 0);
        *end = stop;
    }
    if (*end == size && !last) {
        return MORE_BYTES;
    }
    if (stop - field->start > INT32_MAX) {
        return TALLY_CSV_TOO_LARGE;
    }
    field->size = (uint32_t)(stop - field->start);
    return TALLY_CSV_OK;
}

/* Steps over the line end at *at, if there is one. The cursor stands after *at. */
static inline int read_line_end(cursor *c, int last, uint64_t *at)
{
    if (*at == c->size) {
        return TALLY_CSV_OK;
    }
    if (c->bytes[*at] == '\r') {
        if (c->size - *at < 2) {
            if (!last) {
                return MORE_BYTES; /* perhaps half of CR LF */
            }
        } else if (c->bytes[*at + 1] == '\n') {
            cursor_next(c);
            *at += 1;
        }
    }
    *at += 1;
    return TALLY_CSV_OK;
}

/* Reads the record at *at, keeps its wanted fields, and moves *at to the next one. */
static inline int read_record(cursor *c, const tally_csv_dialect *d, int last,
                              const uint32_t *wanted, uint32_t wanted_count,
                              tally_csv_field *fields, uint64_t record, uint64_t *at,
                              uint64_t *error_at, uint32_t *count)
{
    uint32_t column = 0, kept = 0;
    uint64_t start = *at, end;
    for (;; start = end + 1) {
        tally_csv_field field = {0};
        int error = read_field(c, d, last, start, &field, &end);
        if (error != TALLY_CSV_OK) {
            *error_at = field.quoted ? field.start - 1 : field.start;
            return error;
        }
        if (kept < wanted_count && wanted[kept] == column) {
            fields[record * wanted_count + kept++] = field;
        }
        column++;
        if (end == c->size || c->bytes[end] != d->delimiter) {
            break;
        }
    }
    *count = column;
    *error_at = *at;
    int error = read_line_end(c, last, &end);
    *at = end;
    return error;
}

static int wanted_valid(const uint32_t *wanted, uint32_t count, uint32_t columns)
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
                                    uint64_t max_records, tally_csv_field *fields,
                                    tally_csv_scan *out)
{
    tally_csv_dialect d = *dialect;
    if (!tally_csv_dialect_valid(&d) || !wanted_valid(wanted, wanted_count, columns)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_csv_scan scan = {0};
    cursor c = {bytes, size, 0, 0, tally_csv_special_of(&d)};
    if (size > 0) {
        cursor_load(&c);
    }
    /* Where the fast reader may be tried: it needs to know the columns, and skips no spaces. */
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
            cursor_seek(&c, at);
        }
        if (columns != 1 && (bytes[at] == '\n' || bytes[at] == '\r')) {
            cursor_next(&c);
            if (read_line_end(&c, last, &at) != TALLY_CSV_OK) {
                break;
            }
            scan.consumed = at;
            continue;
        }
        uint32_t count = 0;
        uint64_t error_at = 0;
        int error = read_record(&c, &d, last, wanted, wanted_count, fields, scan.records, &at,
                                &error_at, &count);
        if (error == MORE_BYTES) {
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
