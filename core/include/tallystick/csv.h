/* SPDX-License-Identifier: Apache-2.0
 *
 * CSV (RFC 4180) in place: finds fields and keeps every byte around them. A file can be written
 * back with some fields replaced and everything else unchanged, including quotes and line ends.
 *
 * Scan a block, gather each wanted column into Arrow's layout, change it, and write it back:
 * in place if the sizes are equal, else with a splice into another buffer. */
#ifndef TALLYSTICK_CSV_H
#define TALLYSTICK_CSV_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The dialect of a file. Delimiter and quote are two different ASCII bytes, neither CR nor LF. A
 * later version may append options. */
typedef struct tally_csv_dialect {
    uint32_t struct_size;       /* sizeof(tally_csv_dialect) */
    uint8_t delimiter;          /* not 0; with skip_initial_space not a space */
    uint8_t quote;              /* usually '"'; 0: fields are never quoted */
    uint8_t skip_initial_space; /* 1: spaces before a field are not part of it */
    uint8_t reserved;           /* 0 */
} tally_csv_dialect;

/* Where the content of a field is, in the scanned bytes: without its quotes. */
typedef struct tally_csv_field {
    uint64_t start;
    uint32_t size;
    uint8_t quoted;  /* 1: it stands between quotes */
    uint8_t escaped; /* 1: it holds doubled quotes */
    uint8_t reserved[2];
} tally_csv_field;

typedef enum tally_csv_error {
    TALLY_CSV_OK = 0,
    TALLY_CSV_FIELDS,    /* a record has not `columns` fields */
    TALLY_CSV_OPEN,      /* a quote is never closed */
    TALLY_CSV_QUOTE,     /* bytes between a closing quote and the delimiter */
    TALLY_CSV_TOO_LARGE, /* a field of 2^31 bytes or more */
    TALLY_CSV_UNQUOTABLE /* new content needs quotes in a dialect without them */
} tally_csv_error;

/* The result of a scan. */
typedef struct tally_csv_scan {
    uint64_t records;  /* complete records found; with an error, it is in the one after them */
    uint64_t consumed; /* bytes of them and of skipped lines, line ends included */
    uint64_t error_at; /* with an error: where its record, or its opening quote, begins */
    uint32_t error;    /* a tally_csv_error */
    uint32_t fields;   /* TALLY_CSV_FIELDS: those of the record in error; else of every record */
} tally_csv_scan;

/* Scans complete records of `columns` fields each, at most `max_records`. Writes the fields of the
 * `wanted_count` columns listed in `wanted` (ascending indices) to fields[r * wanted_count + j]. If
 * columns is 0, the first record sets the number of columns, and wanted_count must be 0.
 *
 * last = 1: no bytes follow, so the last record needs no line end. A record ends with LF,
 * CR LF or CR; an empty line is skipped. If columns is 1, it is a record with an empty field.
 * A quote that is not the first byte of a field is part of an unquoted field's content.
 * Stops at the first record in error, with the records before it complete.
 * TALLY_ERROR_ARGUMENT: a dialect or index outside its range. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_csv_scan_records(const tally_csv_dialect *dialect, const uint8_t *bytes, uint64_t size,
                       int last, uint32_t columns, const uint32_t *wanted, uint32_t wanted_count,
                       tally_csv_field *fields, uint64_t max_records, tally_csv_scan *out);

/* The maximum bytes of values from gathering column `index` of `wanted_count`. */
TALLY_API uint64_t tally_csv_gather_capacity(const tally_csv_field *fields, uint64_t records,
                                             uint32_t wanted_count, uint32_t index);

/* Gathers one column of scanned fields, unescaped, as an Arrow string array. It has records + 1
 * offsets, values, and a validity bitmap of (records + 7) / 8 bytes. Empty fields are null. *ascii
 * receives 1 if all values are ASCII, else 0: then they may or may not be UTF-8.
 * `size` is that of the scanned bytes; `quote` the dialect's.
 * TALLY_ERROR_ARGUMENT: `capacity` is below tally_csv_gather_capacity, or that is 2^31 or more. */
TALLY_API TALLY_MUST_CHECK tally_status tally_csv_gather(
    const uint8_t *bytes, uint64_t size, uint8_t quote, const tally_csv_field *fields,
    uint64_t records, uint32_t wanted_count, uint32_t index, int32_t *offsets, uint8_t *values,
    uint64_t capacity, uint8_t *validity, uint64_t *null_count, uint8_t *ascii);

/* New content for one column: an Arrow string array of as many rows as there are records. */
typedef struct tally_csv_column {
    const int32_t *offsets;  /* records + 1, ascending; NULL: the column stays as it is */
    const uint8_t *values;   /* may be NULL if there is no byte of them */
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
} tally_csv_column;

/* Writes new content in place, into the fields of the same size that need no quotes and no doubled
 * quotes for it. *remaining receives the number of fields that were not written. If it is 0,
 * `bytes` equals the result of tally_csv_splice. Otherwise call tally_csv_splice on the changed
 * bytes, with the same fields and columns. TALLY_ERROR_ARGUMENT: a dialect outside its range. */
TALLY_API TALLY_MUST_CHECK tally_status tally_csv_overwrite(
    const tally_csv_dialect *dialect, uint8_t *bytes, const tally_csv_field *fields,
    uint64_t records, const tally_csv_column *columns, uint32_t wanted_count, uint64_t *remaining);

/* The result of a splice. */
typedef struct tally_csv_splice_result {
    uint64_t size;         /* bytes written */
    uint64_t error_record; /* with an error: where */
    uint32_t error_column; /* its index in `columns` */
    uint32_t error;        /* a tally_csv_error */
} tally_csv_splice_result;

/* The maximum bytes that a splice writes. */
TALLY_API uint64_t tally_csv_splice_capacity(uint64_t size, const tally_csv_column *columns,
                                             uint32_t wanted_count, uint64_t records);

/* Copies the scanned bytes to `out` with the content of fields replaced, columns[j] for wanted
 * column j. A null row becomes an empty field. Content that does not change is copied byte for
 * byte. A quoted field stays quoted. Another field gets quotes only if its new content needs
 * them: if it holds the delimiter, a quote, CR or LF, or begins with a space that would be skipped.
 *
 * In a file of one column, a field may become empty without quotes. If nothing follows it, or if it
 * lies between CR and LF, it is no longer a record.
 *
 * TALLY_ERROR_ARGUMENT: a dialect outside its range, `capacity` below tally_csv_splice_capacity. */
TALLY_API TALLY_MUST_CHECK tally_status tally_csv_splice(
    const tally_csv_dialect *dialect, const uint8_t *bytes, uint64_t size,
    const tally_csv_field *fields, uint64_t records, const tally_csv_column *columns,
    uint32_t wanted_count, uint8_t *out, uint64_t capacity, tally_csv_splice_result *result);

#ifdef __cplusplus
}
#endif
#endif
