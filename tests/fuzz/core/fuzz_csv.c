/* SPDX-License-Identifier: Apache-2.0
 *
 * CSV: a text at once and cut in two, all columns and some, gathering beside a plain unescaping;
 * written back unchanged, and with new content, which then reads as it was given. */
#include "fuzz.h"
#include "tallystick/csv.h"

enum { MOST_COLUMNS = 6, MOST_TEXT = 2048, MOST_VALUE = 12 };

typedef struct scanned {
    tally_csv_scan scan;
    tally_csv_field *fields;
} scanned;

static scanned scan_text(const tally_csv_dialect *dialect, const uint8_t *bytes, uint64_t size,
                         int last, uint32_t columns, const uint32_t *wanted, uint32_t count,
                         uint64_t most)
{
    scanned made = {.fields = FUZZ_ARRAY(tally_csv_field, most * count)};
    CHECK_EQUAL(tally_csv_scan_records(dialect, bytes, size, last, columns, wanted, count,
                                       made.fields, most, &made.scan),
                TALLY_OK);
    const tally_csv_scan *scan = &made.scan;
    CHECK(scan->records <= most && scan->consumed <= size && scan->error <= TALLY_CSV_TOO_LARGE);
    CHECK(scan->error == TALLY_CSV_OK ||
          (scan->error_at >= scan->consumed && scan->error_at <= size));
    for (uint64_t i = 0; i < scan->records * count; i++) {
        CHECK(made.fields[i].start + made.fields[i].size <= scan->consumed);
        CHECK(i % count == 0 ||
              made.fields[i - 1].start + made.fields[i - 1].size < made.fields[i].start);
    }
    return made;
}

static bool same_field(const tally_csv_field *a, const tally_csv_field *b, uint64_t shift)
{
    return a->start == b->start + shift && a->size == b->size && a->quoted == b->quoted &&
           a->escaped == b->escaped;
}

/* What is found in a first part and then in the rest, from where its last record ends, is what is
 * found at once. */
static void check_cut(const tally_csv_dialect *dialect, const uint8_t *text, uint64_t size,
                      uint64_t cut, const scanned *whole, uint32_t columns, const uint32_t *wanted,
                      uint32_t count, uint64_t most)
{
    uint8_t *bytes = fuzz_buffer((size_t)cut);
    memcpy(bytes, text, (size_t)cut);
    scanned head = scan_text(dialect, bytes, cut, 0, columns, wanted, count, most);
    const uint64_t first = head.scan.records, from = head.scan.consumed;
    for (uint64_t i = 0; i < first * count; i++) {
        CHECK(same_field(&whole->fields[i], &head.fields[i], 0));
    }
    if (head.scan.error != TALLY_CSV_OK) {
        CHECK_EQUAL(head.scan.error, whole->scan.error);
        CHECK_EQUAL(head.scan.error_at, whole->scan.error_at);
        CHECK_EQUAL(first, whole->scan.records);
        return;
    }
    bytes = fuzz_buffer((size_t)(size - from));
    memcpy(bytes, text + from, (size_t)(size - from));
    scanned tail = scan_text(dialect, bytes, size - from, 1, columns, wanted, count, most - first);
    CHECK_EQUAL(first + tail.scan.records, whole->scan.records);
    CHECK_EQUAL(tail.scan.error, whole->scan.error);
    CHECK(from + tail.scan.consumed == whole->scan.consumed || whole->scan.records == most);
    for (uint64_t i = 0; i < tail.scan.records * count; i++) {
        CHECK(same_field(&whole->fields[first * count + i], &tail.fields[i], from));
    }
}

/* A column as Arrow strings. */
typedef struct gathered {
    int32_t *offsets;
    uint8_t *values, *validity;
} gathered;

static gathered gather(const tally_csv_dialect *dialect, const uint8_t *text, uint64_t size,
                       const scanned *found, uint32_t count, uint32_t index)
{
    const uint64_t records = found->scan.records;
    const uint64_t capacity = tally_csv_gather_capacity(found->fields, records, count, index);
    gathered made = {.offsets = FUZZ_ARRAY(int32_t, records + 1),
                     .values = fuzz_buffer((size_t)capacity),
                     .validity = fuzz_buffer((size_t)(records + 7) / 8)};
    uint64_t nulls = 0, expected_nulls = 0;
    uint8_t ascii = 2, expected_ascii = 1;
    CHECK_EQUAL(tally_csv_gather(text, size, dialect->quote, found->fields, records, count, index,
                                 made.offsets, made.values, capacity, made.validity, &nulls,
                                 &ascii),
                TALLY_OK);
    size_t at = 0;
    CHECK_EQUAL(made.offsets[0], 0);
    for (uint64_t i = 0; i < records; i++) {
        const tally_csv_field *field = &found->fields[i * count + index];
        for (uint32_t k = 0; k < field->size; k++) {
            const uint8_t byte = text[field->start + k];
            if (field->escaped != 0 && byte == dialect->quote) {
                k++; /* the second of two */
            }
            CHECK(made.values[at++] == byte);
            expected_ascii &= byte < 0x80;
        }
        CHECK_EQUAL(made.offsets[i + 1], at);
        const int valid = made.validity[i / 8] >> i % 8 & 1;
        CHECK_EQUAL(valid, made.offsets[i + 1] != made.offsets[i]);
        expected_nulls += valid == 0;
    }
    CHECK_EQUAL(nulls, expected_nulls);
    CHECK_EQUAL(ascii, expected_ascii);
    return made;
}

static const uint8_t *splice(const tally_csv_dialect *dialect, const uint8_t *text, uint64_t size,
                             const scanned *found, const tally_csv_column *columns, uint32_t count,
                             tally_csv_splice_result *result)
{
    const uint64_t capacity = tally_csv_splice_capacity(size, columns, count, found->scan.records);
    uint8_t *out = fuzz_buffer((size_t)capacity);
    CHECK_EQUAL(tally_csv_splice(dialect, text, size, found->fields, found->scan.records, columns,
                                 count, out, capacity, result),
                TALLY_OK);
    CHECK(result->size <= capacity);
    return out;
}

/* New content for every column, made of what is special and what is not. */
static tally_csv_column take_column(fuzz_input *input, const tally_csv_dialect *dialect,
                                    uint64_t records)
{
    const uint8_t special[] = {dialect->delimiter, dialect->quote, '\n', '\r', ' '};
    uint8_t *values = fuzz_buffer((size_t)records * MOST_VALUE);
    int32_t *offsets = FUZZ_ARRAY(int32_t, records + 1), at = 0;
    const bool nulls = fuzz_below(input, 2) == 0;
    for (uint64_t i = 0; i < records; i++) {
        offsets[i] = at;
        for (uint32_t left = fuzz_below(input, MOST_VALUE); left > 0; left--) {
            const uint8_t byte = (uint8_t)fuzz_number(input, 1);
            values[at++] = byte < 15 ? special[byte % 5] : byte;
        }
    }
    offsets[records] = at;
    tally_csv_column column = {.offsets = offsets, .values = values};
    if (nulls) {
        column.validity_start = fuzz_below(input, 16);
        column.validity = fuzz_bytes(input, (size_t)(column.validity_start + records + 7) / 8);
    }
    return column;
}

static bool is_null(const tally_csv_column *column, uint64_t row)
{
    const uint64_t bit = column->validity_start + row;
    return column->validity != NULL && (column->validity[bit / 8] >> bit % 8 & 1) == 0;
}

static void check_new_content(fuzz_input *input, const tally_csv_dialect *dialect,
                              const uint8_t *text, uint64_t size, const scanned *found,
                              uint32_t columns)
{
    const uint64_t records = found->scan.records;
    tally_csv_column given[MOST_COLUMNS];
    for (uint32_t j = 0; j < columns; j++) {
        given[j] = take_column(input, dialect, records);
    }
    tally_csv_splice_result result, other;
    const uint8_t *out = splice(dialect, text, size, found, given, columns, &result);
    uint8_t *bytes = fuzz_buffer((size_t)size);
    uint64_t left = 0;
    memcpy(bytes, text, (size_t)size);
    CHECK_EQUAL(tally_csv_overwrite(dialect, bytes, found->fields, records, given, columns, &left),
                TALLY_OK);
    const uint8_t *again = splice(dialect, bytes, size, found, given, columns, &other);
    CHECK_EQUAL(result.error, other.error);
    if (result.error != TALLY_CSV_OK) {
        CHECK_EQUAL(result.error, TALLY_CSV_UNQUOTABLE);
        CHECK(dialect->quote == 0 && result.error_record < records);
        CHECK(result.error_record == other.error_record &&
              result.error_column == other.error_column);
        return;
    }
    CHECK_EQUAL(result.size, other.size);
    CHECK_BYTES(out, again, (size_t)result.size);
    if (left == 0) {
        CHECK_EQUAL(result.size, size);
        CHECK_BYTES(bytes, out, (size_t)size);
    }
    bool lost = false; /* an only column's empty field may be, as tally_csv_splice says */
    for (uint64_t i = 0; i < records && columns == 1; i++) {
        lost |= is_null(given, i) || given->offsets[i + 1] == given->offsets[i];
    }
    if (found->scan.consumed != size || lost) {
        return; /* what follows is an error, or was not looked at */
    }
    uint32_t all[MOST_COLUMNS];
    for (uint32_t j = 0; j < columns; j++) {
        all[j] = j;
    }
    scanned back = scan_text(dialect, out, result.size, 1, columns, all, columns, records + 1);
    CHECK_EQUAL(back.scan.records, records);
    CHECK_EQUAL(back.scan.error, TALLY_CSV_OK);
    for (uint32_t j = 0; j < columns; j++) {
        const gathered read = gather(dialect, out, result.size, &back, columns, j);
        for (uint64_t i = 0; i < back.scan.records; i++) {
            const int32_t there = read.offsets[i + 1] - read.offsets[i];
            const int32_t wanted =
                is_null(&given[j], i) ? 0 : given[j].offsets[i + 1] - given[j].offsets[i];
            CHECK_EQUAL(there, wanted);
            if (there == wanted && there > 0) {
                CHECK_BYTES(read.values + read.offsets[i], given[j].values + given[j].offsets[i],
                            (size_t)there);
            }
        }
    }
}

static bool dialect_fits(const tally_csv_dialect *d)
{
    return d->delimiter != 0 && d->delimiter < 0x80 && d->quote < 0x80 &&
           d->delimiter != d->quote && d->delimiter != '\n' && d->delimiter != '\r' &&
           d->quote != '\n' && d->quote != '\r' && d->skip_initial_space <= 1 &&
           !(d->skip_initial_space != 0 && (d->delimiter == ' ' || d->quote == ' '));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tally_csv_dialect dialects[] = {{sizeof(tally_csv_dialect), ',', '"', 0, 0},
                                                 {sizeof(tally_csv_dialect), ',', '"', 1, 0},
                                                 {sizeof(tally_csv_dialect), '\t', 0, 0, 0},
                                                 {sizeof(tally_csv_dialect), ';', '\'', 0, 0}};
    fuzz_input input = {data, size};
    const uint32_t kind = fuzz_below(&input, 8);
    tally_csv_dialect dialect = dialects[kind % 4];
    if (kind == 7) {
        dialect.delimiter = (uint8_t)fuzz_number(&input, 1);
        dialect.quote = (uint8_t)fuzz_number(&input, 1);
        dialect.skip_initial_space = (uint8_t)fuzz_below(&input, 3);
    }
    const uint32_t columns = 1 + fuzz_below(&input, MOST_COLUMNS), mask = fuzz_below(&input, 256);
    uint32_t all[MOST_COLUMNS], some[MOST_COLUMNS], count = 0;
    for (uint32_t j = 0; j < columns; j++) {
        all[j] = j;
        if ((mask >> j & 1) != 0) {
            some[count++] = j;
        }
    }
    const uint64_t most = fuzz_below(&input, 4) == 0 ? fuzz_below(&input, 16) : MOST_TEXT;
    const uint64_t cut = fuzz_below(&input, MOST_TEXT);
    fuzz_input content = {data + size - size / 4, size / 4}; /* for new content */
    const uint64_t there = input.size < MOST_TEXT ? input.size : MOST_TEXT;
    const uint8_t *text = fuzz_bytes(&input, (size_t)there);
    if (!dialect_fits(&dialect)) {
        tally_csv_scan scan;
        memset(&scan, FUZZ_GUARD, sizeof scan);
        CHECK_EQUAL(
            tally_csv_scan_records(&dialect, text, there, 1, columns, all, 0, NULL, most, &scan),
            TALLY_ERROR_ARGUMENT);
        fuzz_untouched(&scan, sizeof scan);
        return fuzz_end();
    }
    scanned whole = scan_text(&dialect, text, there, 1, columns, all, columns, most);
    scanned part = scan_text(&dialect, text, there, 1, columns, some, count, most);
    CHECK_BYTES(&whole.scan, &part.scan, sizeof whole.scan);
    for (uint64_t i = 0; i < part.scan.records * count; i++) {
        CHECK(same_field(&part.fields[i], &whole.fields[i / count * columns + some[i % count]], 0));
    }
    check_cut(&dialect, text, there, cut < there ? cut : there, &whole, columns, all, columns,
              most);
    tally_csv_column same[MOST_COLUMNS];
    for (uint32_t j = 0; j < columns; j++) {
        const gathered read = gather(&dialect, text, there, &whole, columns, j);
        same[j] = (tally_csv_column){
            .offsets = read.offsets, .values = read.values, .validity = read.validity};
    }
    tally_csv_splice_result result;
    const uint8_t *out = splice(&dialect, text, there, &whole, same, columns, &result);
    CHECK_EQUAL(result.size, there);
    CHECK_BYTES(out, text, (size_t)there);
    check_new_content(&content, &dialect, text, there, &whole, columns);
    return fuzz_end();
}
