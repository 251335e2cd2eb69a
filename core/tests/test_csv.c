/* SPDX-License-Identifier: Apache-2.0
 *
 * CSV: fields of RFC 4180 records, with input cut at every byte; gathering; splicing; errors.
 * python/tests/test_csv.py compares with another reader on random files. */
#include "tallystick/csv.h"

#include <stdlib.h>

#include "check.h"
#include "random.h"

enum { COLUMNS = 3, MOST = 64, BUFFER = 512 };

static const tally_csv_dialect PLAIN = {sizeof(tally_csv_dialect), ',', '"', 0, 0};
static const tally_csv_dialect SPACED = {sizeof(tally_csv_dialect), ',', '"', 1, 0};
static const tally_csv_dialect UNQUOTED = {sizeof(tally_csv_dialect), '\t', 0, 0, 0};
static const uint32_t ALL[COLUMNS] = {0, 1, 2};

/* A copy of exactly its size, so that a tool for memory errors sees a read beyond it. */
static uint8_t *copy_of(const char *text, uint64_t size)
{
    uint8_t *copy = malloc(size > 0 ? (size_t)size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, text, (size_t)size);
    return copy;
}

static tally_csv_scan scan_text(tally_csv_dialect dialect, const char *text, uint32_t columns,
                                tally_csv_field *fields)
{
    tally_csv_scan scan = {0};
    uint64_t size = strlen(text);
    uint8_t *bytes = copy_of(text, size);
    CHECK_ABOUT("%.100s", text);
    CHECK_EQUAL(tally_csv_scan_records(&dialect, bytes, size, 1, columns, ALL,
                                       columns == 0 ? 0 : columns, fields, MOST, &scan),
                TALLY_OK);
    free(bytes);
    return scan;
}

/* Checks that `text` has the given fields, each "content" or "content" after q (quoted) or
 * e (quoted, with doubled quotes). */
static void check_fields(tally_csv_dialect dialect, const char *text, uint32_t columns,
                         uint64_t count, const char *const *expected)
{
    tally_csv_field fields[MOST * COLUMNS];
    tally_csv_scan scan = scan_text(dialect, text, columns, fields);
    CHECK_EQUAL(scan.error, TALLY_CSV_OK);
    CHECK_EQUAL(scan.consumed, strlen(text));
    CHECK_EQUAL(scan.records * columns, count);
    CHECK_EQUAL(scan.fields, columns);
    for (uint64_t i = 0; i < count && i < scan.records * columns; i++) {
        char kind = expected[i][0];
        CHECK_EQUAL(fields[i].quoted, kind != '-');
        CHECK_EQUAL(fields[i].escaped, kind == 'e');
        CHECK_EQUAL(fields[i].size, strlen(expected[i] + 1));
        CHECK_BYTES(text + fields[i].start, expected[i] + 1, fields[i].size);
    }
}

static void test_fields(void)
{
    static const char *const abc[] = {"-a", "-b", "-c", "-d", "-e", "-f"};
    check_fields(PLAIN, "a,b,c\nd,e,f\n", 3, 6, abc);
    check_fields(PLAIN, "a,b,c\r\nd,e,f\r\n", 3, 6, abc);
    check_fields(PLAIN, "a,b,c\rd,e,f\r", 3, 6, abc);
    check_fields(PLAIN, "a,b,c\r\nd,e,f", 3, 6, abc);
    check_fields(PLAIN, "\n\r\na,b,c\n\n\r\r\nd,e,f\n\n", 3, 6, abc);
    check_fields(SPACED, "a, b,  c\nd,e, f", 3, 6, abc);
    check_fields(SPACED, "   a,b,c\nd,e,f", 3, 6, abc);
    check_fields(UNQUOTED, "a\tb\tc\nd\te\tf\n", 3, 6, abc);

    static const char *const quoted[] = {"qa,b", "q", "ea\"\"b\r\n", "-x", "-y\"z", "q \n"};
    check_fields(PLAIN, "\"a,b\",\"\",\"a\"\"b\r\n\"\nx,y\"z,\" \n\"", 3, 6, quoted);
    check_fields(SPACED, "\"a,b\", \"\",  \"a\"\"b\r\n\"\n  x, y\"z,\" \n\"\n", 3, 6, quoted);

    static const char *const doubled[] = {"e\"\"", "e\"\"\"\"", "q"};
    check_fields(PLAIN, "\"\"\"\",\"\"\"\"\"\",\"\"", 3, 3, doubled);
    static const char *const literal[] = {"-\"a", "-b\"", "-"};
    check_fields(UNQUOTED, "\"a\tb\"\t", 3, 3, literal);
    static const char *const empty[] = {"-", "-", "-", "-", "-", "-"};
    check_fields(PLAIN, ",,\n,,", 3, 6, empty);
    check_fields(SPACED, " , ,  \n,,", 3, 6, empty);
    static const char *const one[] = {"-a", "-", "-b"};
    check_fields(PLAIN, "a\n\nb\n", 1, 3, one);
    check_fields(PLAIN, "a\r\rb", 1, 3, one);
}

/* Quotes, delimiters and line ends at every place of a 64-byte block and over its border. */
static void test_block_borders(void)
{
    for (size_t shift = 0; shift < 140; shift++) {
        char text[2 * BUFFER], pad[BUFFER];
        memset(pad, 'x', shift);
        pad[shift] = '\0';
        (void)snprintf(text, sizeof text, "%s,\"a\"\"b,\",c\r\n1,2,\"\"\r\n", pad);
        char first[BUFFER + 1];
        (void)snprintf(first, sizeof first, "-%s", pad);
        const char *expected[] = {first, "ea\"\"b,", "-c", "-1", "-2", "q"};
        check_fields(PLAIN, text, 3, 6, expected);
    }
}

/* Cut anywhere, a text gives its first records; from where they end, the rest gives the others. */
static void test_cuts(void)
{
    const char *text = "a,\"b\r\nb\",c\r\n\r\n\"d\"\"\",,\"\"\r\n\nx,y,z\r1,2,3";
    uint64_t size = strlen(text);
    for (uint64_t cut = 0; cut <= size; cut++) {
        tally_csv_field fields[MOST * COLUMNS];
        tally_csv_scan head = {0}, tail = {0};
        uint8_t *bytes = copy_of(text, cut);
        CHECK_ABOUT("cut at %d", (int)cut);
        CHECK_EQUAL(tally_csv_scan_records(&PLAIN, bytes, cut, 0, COLUMNS, ALL, COLUMNS, fields,
                                           MOST, &head),
                    TALLY_OK);
        free(bytes);
        CHECK_EQUAL(head.error, TALLY_CSV_OK);
        CHECK(head.consumed <= cut);
        bytes = copy_of(text + head.consumed, size - head.consumed);
        CHECK_EQUAL(tally_csv_scan_records(&PLAIN, bytes, size - head.consumed, 1, COLUMNS, ALL,
                                           COLUMNS, fields, MOST, &tail),
                    TALLY_OK);
        free(bytes);
        CHECK_EQUAL(tail.error, TALLY_CSV_OK);
        CHECK_EQUAL(head.records + tail.records, 4);
        CHECK_EQUAL(head.consumed + tail.consumed, size);
    }
}

static void test_selection(void)
{
    static const uint32_t wanted[] = {0, 2};
    tally_csv_field fields[2 * MOST];
    tally_csv_scan scan = {0};
    const uint8_t *bytes = (const uint8_t *)"a,b,c\nd,e,f\ng,h,i\n";
    CHECK_ABOUT("selection");
    CHECK_EQUAL(tally_csv_scan_records(&PLAIN, bytes, 18, 1, 3, wanted, 2, fields, 2, &scan),
                TALLY_OK);
    CHECK_EQUAL(scan.records, 2);
    CHECK_EQUAL(scan.consumed, 12);
    CHECK_EQUAL(bytes[fields[0].start], 'a');
    CHECK_EQUAL(bytes[fields[1].start], 'c');
    CHECK_EQUAL(bytes[fields[2].start], 'd');
    CHECK_EQUAL(bytes[fields[3].start], 'f');

    scan = scan_text(PLAIN, "\r\na,\"b\nc\",d,e\nf\n", 0, NULL);
    CHECK_EQUAL(scan.error, TALLY_CSV_FIELDS);
    CHECK_EQUAL(scan.records, 1);
    CHECK_EQUAL(scan.consumed, 14);
    CHECK_EQUAL(scan.fields, 1);
    scan = scan_text(PLAIN, "a,\"b\nc\",d,e\n", 0, NULL);
    CHECK_EQUAL(scan.fields, 4);
}

static void check_error(const char *text, uint32_t error, uint64_t records, uint64_t at)
{
    tally_csv_field fields[MOST * COLUMNS];
    tally_csv_scan scan = scan_text(PLAIN, text, COLUMNS, fields);
    CHECK_EQUAL(scan.error, error);
    CHECK_EQUAL(scan.records, records);
    CHECK_EQUAL(scan.error_at, at);
}

static void test_errors(void)
{
    check_error("a,b,c\nd,e\nf,g,h\n", TALLY_CSV_FIELDS, 1, 6);
    check_error("a,b,c\nd,e,f,g\n", TALLY_CSV_FIELDS, 1, 6);
    check_error("a,b,c\n \n", TALLY_CSV_FIELDS, 1, 6);
    check_error("a,b,c\nd,\"e,f\ng,h,i\n", TALLY_CSV_OPEN, 1, 8);
    check_error("a,b,c\nd,\"e\"e,f\n", TALLY_CSV_QUOTE, 1, 8);
    check_error("\"a\" ,b,c\n", TALLY_CSV_QUOTE, 0, 0);

    tally_csv_scan scan = {.records = 77};
    static const uint32_t descending[] = {1, 0}, beyond[] = {3};
    enum { SIZE = sizeof(tally_csv_dialect) };
    static const tally_csv_dialect wrong[] = {
        {SIZE, 0, '"', 0, 0},        {SIZE, ',', ',', 0, 0},  {SIZE, '\n', '"', 0, 0},
        {SIZE, ',', '\r', 0, 0},     {SIZE, ',', '"', 2, 0},  {SIZE, ' ', '"', 1, 0},
        {SIZE, 0xa7, '"', 0, 0},     {SIZE, ',', 0x80, 0, 0}, {SIZE, ',', '"', 0, 1},
        {SIZE - 1, ',', '"', 0, 0},  {0, ',', '"', 0, 0},     {SIZE + 1, ',', '"', 0, 0},
        {UINT32_MAX, ',', '"', 0, 0}};
    tally_csv_field field;
    const uint8_t *bytes = (const uint8_t *)"a,b,c\n";
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_ABOUT("dialect %d", (int)i);
        CHECK_EQUAL(tally_csv_scan_records(&wrong[i], bytes, 6, 1, 3, ALL, 1, &field, 1, &scan),
                    TALLY_ERROR_ARGUMENT);
    }
    CHECK_EQUAL(tally_csv_scan_records(&PLAIN, bytes, 6, 1, 3, descending, 2, &field, 1, &scan),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_csv_scan_records(&PLAIN, bytes, 6, 1, 3, beyond, 1, &field, 1, &scan),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(scan.records, 77);
}

static void test_gather(void)
{
    tally_csv_field fields[MOST * COLUMNS];
    const char *text = "a,\"x\"\"y\"\"\"\"\",\nb,,1\nc,\"\",2\nd,a longer value than sixteen,3\n";
    tally_csv_scan scan = scan_text(PLAIN, text, COLUMNS, fields);
    CHECK_EQUAL(scan.records, 4);
    uint64_t size = strlen(text), nulls = 0;
    uint64_t capacity = tally_csv_gather_capacity(fields, 4, COLUMNS, 1);
    CHECK_EQUAL(capacity, 8 + 27);
    int32_t offsets[5];
    uint8_t validity[1], ascii = 7;
    uint8_t *bytes = copy_of(text, size), *values = copy_of(text, capacity);
    CHECK_EQUAL(tally_csv_gather(bytes, size, '"', fields, 4, COLUMNS, 1, offsets, values,
                                 capacity - 1, validity, &nulls, &ascii),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_csv_gather(bytes, size, '"', fields, 4, COLUMNS, 1, offsets, values, capacity,
                                 validity, &nulls, &ascii),
                TALLY_OK);
    CHECK_EQUAL(ascii, 1);
    CHECK_EQUAL(nulls, 2);
    CHECK_EQUAL(validity[0], 1 | 8);
    static const int32_t expected[] = {0, 5, 5, 5, 32};
    CHECK_BYTES(offsets, expected, sizeof expected);
    CHECK_BYTES(values, "x\"y\"\"a longer value than sixteen", 32);
    /* A byte that is not ASCII, wherever it stands among the values. */
    for (uint64_t at = 0; at < fields[10].size; at++) {
        bytes[fields[10].start + at] |= 0x80;
        CHECK_EQUAL(tally_csv_gather(bytes, size, '"', fields, 4, COLUMNS, 1, offsets, values,
                                     capacity, validity, &nulls, &ascii),
                    TALLY_OK);
        CHECK_EQUAL(ascii, 0);
        bytes[fields[10].start + at] &= 0x7f;
    }
    free(values);
    free(bytes);
}

static void check_spliced(const tally_csv_splice_result *result, const uint8_t *out,
                          uint64_t records, const char *expected)
{
    if (expected == NULL) {
        CHECK_EQUAL(result->error, TALLY_CSV_UNQUOTABLE);
        CHECK_EQUAL(result->error_record, records - 1);
        CHECK_EQUAL(result->error_column, 1);
    } else {
        CHECK_EQUAL(result->error, TALLY_CSV_OK);
        CHECK_EQUAL(result->size, strlen(expected));
        CHECK_BYTES(out, expected, (size_t)result->size);
    }
}

/* Replaces column 1 of the three of `text` with the rows given (NULL: null), with a splice alone
 * and with one of the bytes that were overwritten before, where `left` fields are left. */
static void check_splice(tally_csv_dialect dialect, const char *text, uint64_t records,
                         const char *const *rows, const char *expected, uint64_t left)
{
    tally_csv_field fields[MOST * COLUMNS];
    CHECK_EQUAL(scan_text(dialect, text, COLUMNS, fields).records, records);
    char content[BUFFER] = "";
    int32_t offsets[MOST + 1] = {0};
    uint8_t validity[MOST / 8] = {0};
    for (uint64_t r = 0; r < records; r++) {
        uint64_t bit = r + 3;
        if (rows[r] != NULL) {
            strncat(content, rows[r], sizeof content - strlen(content) - 1);
            validity[bit >> 3] = (uint8_t)(validity[bit >> 3] | 1 << (bit & 7));
        } else {
            strncat(content, "gone", sizeof content - strlen(content) - 1);
        }
        offsets[r + 1] = (int32_t)strlen(content);
    }
    tally_csv_column columns[COLUMNS] = {{0}};
    columns[1] = (tally_csv_column){offsets, (const uint8_t *)content, validity, 3};
    uint64_t size = strlen(text);
    uint64_t capacity = tally_csv_splice_capacity(size, columns, COLUMNS, records);
    uint8_t *bytes = copy_of(text, size), *out = malloc((size_t)capacity);
    if (out == NULL) {
        abort();
    }
    tally_csv_splice_result result = {0};
    CHECK_EQUAL(tally_csv_splice(&dialect, bytes, size, fields, records, columns, COLUMNS, out,
                                 capacity - 1, &result),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_csv_splice(&dialect, bytes, size, fields, records, columns, COLUMNS, out,
                                 capacity, &result),
                TALLY_OK);
    check_spliced(&result, out, records, expected);
    uint64_t remaining = 77;
    CHECK_EQUAL(tally_csv_overwrite(&dialect, bytes, fields, records, columns, COLUMNS, &remaining),
                TALLY_OK);
    CHECK_EQUAL(remaining, left);
    if (left == 0 && expected != NULL) {
        CHECK_EQUAL(size, strlen(expected));
        CHECK_BYTES(bytes, expected, (size_t)size);
    }
    CHECK_EQUAL(tally_csv_splice(&dialect, bytes, size, fields, records, columns, COLUMNS, out,
                                 capacity, &result),
                TALLY_OK);
    check_spliced(&result, out, records, expected);
    free(out);
    free(bytes);
}

static void test_splice(void)
{
    static const char *const same[] = {"b", "x\"y", "p\"q"};
    const char *text = "a,b,c\r\n1,\"x\"\"y\",3\n\n 4 ,p\"q,\"\"";
    check_splice(PLAIN, text, 3, same, text, 2); /* with quotes in them */
    static const char *const other[] = {"BB", "\"", "longer than eight bytes"};
    check_splice(PLAIN, text, 3, other,
                 "a,BB,c\r\n1,\"\"\"\",3\n\n 4 ,longer than eight bytes,\"\"", 3);
    static const char *const nulls[] = {NULL, NULL, ""};
    check_splice(PLAIN, text, 3, nulls, "a,,c\r\n1,\"\",3\n\n 4 ,,\"\"", 3);
    static const char *const special[] = {"b,", "\n", "12345678\r"};
    check_splice(PLAIN, text, 3, special, "a,\"b,\",c\r\n1,\"\n\",3\n\n 4 ,\"12345678\r\",\"\"", 3);
    static const char *const quotes[] = {"\"", " q", "1234567\"9"};
    check_splice(PLAIN, text, 3, quotes, "a,\"\"\"\",c\r\n1,\" q\",3\n\n 4 ,\"1234567\"\"9\",\"\"",
                 3);
    static const char *const spaces[] = {" b", " x", "p "};
    check_splice(SPACED, "a,  b,c\n1, \"x\",3\n4, p,6", 3, spaces,
                 "a,  \" b\",c\n1, \" x\",3\n4, p ,6", 3);
    static const char *const bare[] = {"\"", "x y", "p\tq"};
    check_splice(UNQUOTED, "a\tb\tc\n1\tx\t3\n4\tp\t6", 3, bare, NULL, 2);
    check_splice(UNQUOTED, "a\tb\tc\n1\tx\t3", 2, bare, "a\t\"\tc\n1\tx y\t3", 1);
    static const char *const filled[] = {"new", "new"};
    check_splice(PLAIN, ",,\n,\"\",", 2, filled, ",new,\n,\"new\",", 2);
}

/* A column without a byte, whose value buffer Arrow allows to be absent. (A sum with NULL, be it of
 * NULL and 0, is what clang's sanitizer would report.) */
static void test_no_values(void)
{
    static const int32_t offsets[3] = {0};
    static const uint8_t invalid[1] = {0};
    const char *text = "a,b,c\n1,,3\n", *expected = "a,,c\n1,,3\n";
    const uint8_t *validity[2] = {NULL, invalid};
    for (size_t i = 0; i < 2; i++) {
        tally_csv_field fields[2 * COLUMNS];
        CHECK_EQUAL(scan_text(PLAIN, text, COLUMNS, fields).records, 2);
        tally_csv_column columns[COLUMNS] = {{0}};
        columns[1] = (tally_csv_column){offsets, NULL, validity[i], 0};
        uint8_t *bytes = copy_of(text, strlen(text)), out[BUFFER];
        uint64_t left = 77;
        tally_csv_splice_result result = {0};
        CHECK_EQUAL(tally_csv_overwrite(&PLAIN, bytes, fields, 2, columns, COLUMNS, &left),
                    TALLY_OK);
        CHECK_EQUAL(left, 1);
        CHECK_EQUAL(tally_csv_splice(&PLAIN, bytes, strlen(text), fields, 2, columns, COLUMNS, out,
                                     sizeof out, &result),
                    TALLY_OK);
        check_spliced(&result, out, 2, expected);
        free(bytes);
    }
}

/* Every size and place of a special byte, in fields with and without quotes. */
static void test_overwrite(void)
{
    static const char *const special = "\",\r\n";
    for (size_t size = 1; size < 70; size++) {
        char old[80], new[80], text[BUFFER], expected[BUFFER];
        memset(old, 'x', size);
        for (size_t i = 0; i < size; i++) {
            new[i] = (char)('a' + i % 26);
        }
        old[size] = new[size] = '\0';
        const char *rows[] = {new, new};
        (void)snprintf(text, sizeof text, "1,%s,2\n3,\"%s\",4", old, old);
        (void)snprintf(expected, sizeof expected, "1,%s,2\n3,\"%s\",4", new, new);
        check_splice(PLAIN, text, 2, rows, expected, 0);
        for (size_t at = 0; at < size; at++) {
            char byte = new[at];
            for (const char *s = special; *s != '\0'; s++) {
                new[at] = *s;
                size_t head = at + 1;
                const char *again = *s == '"' ? "\"" : "", *rest = new + head;
                (void)snprintf(expected, sizeof expected, "1,\"%.*s%s%s\",2\n3,\"%.*s%s%s\",4",
                               (int)head, new, again, rest, (int)head, new, again, rest);
                check_splice(PLAIN, text, 2, rows, expected, *s == '"' ? 2 : 1);
            }
            new[at] = byte;
        }
    }
    static const char *const spaces[] = {" b", " b"};
    check_splice(SPACED, "1, xx,2\n3, \"xx\",4", 2, spaces, "1, \" b\",2\n3, \" b\",4", 1);

    tally_csv_dialect wrong = {sizeof(tally_csv_dialect), ',', ',', 0, 0};
    uint64_t left = 77;
    CHECK_EQUAL(tally_csv_overwrite(&wrong, NULL, NULL, 0, NULL, 0, &left), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(left, 77);
}

/* Adds a field to `text`: mostly an ordinary one, at times what only some readers take. */
static void add_field(char *text)
{
    static const char *const rare[] = {"\"a\"\"b\"", "a\"b", "\"a\"b", "\"",
                                       "\"\"\"\"",   "\"\"", "\"\"a",  "a\",\""};
    static const char *const inner[] = {",", "\n", "\r\n", "x", ""};
    uint32_t choice = random_below(400), size = random_below(12);
    char plain[16] = "";
    memset(plain, 'x', size);
    if (choice < sizeof rare / sizeof rare[0]) {
        strcat(text, rare[choice]);
    } else if (choice < 150) {
        strcat(strcat(strcat(text, "\""), plain), inner[choice % 5]);
        strcat(strcat(text, plain), "\"");
    } else {
        strcat(text, plain);
    }
}

/* The reader for regular records finds what the other does, which reads all of a dialect that skips
 * spaces: in texts without spaces the dialects are the same. */
static void test_readers_agree(void)
{
    enum { RECORDS = 40, TEXT = 8192 };
    static char text[TEXT];
    static tally_csv_field fast[RECORDS * COLUMNS], slow[RECORDS * COLUMNS];
    static const uint32_t some[] = {0, 2};
    static const char *const line_ends[] = {"\n", "\n", "\r\n", "\r\n", "\r", "\n\n", "\r\n\r"};
    uint64_t ended[TALLY_CSV_UNQUOTABLE] = {0};
    for (int round = 0; round < 20000; round++) {
        uint32_t records = random_below(RECORDS), ends = random_below(7);
        text[0] = '\0';
        for (uint32_t r = 0; r < records; r++) {
            uint32_t columns = COLUMNS + (random_below(200) == 0);
            for (uint32_t j = 0; j < columns; j++) {
                add_field(text);
                strcat(text, j + 1 < columns ? "," : "");
            }
            strcat(text, line_ends[random_below(30) == 0 ? 6 : ends]);
        }
        uint64_t size = strlen(text);
        size -= size > 0 && round % 3 == 0 ? random_below(size) : 0;
        uint8_t *bytes = copy_of(text, size);
        tally_csv_scan a = {0}, b = {0};
        memset(fast, 0, sizeof fast);
        memset(slow, 0, sizeof slow);
        uint64_t most = round % 5 == 0 ? RECORDS / 4 : RECORDS;
        CHECK_ABOUT("round %d", round);
        CHECK_EQUAL(tally_csv_scan_records(&PLAIN, bytes, size, round & 1, COLUMNS, some, 2, fast,
                                           most, &a),
                    TALLY_OK);
        CHECK_EQUAL(tally_csv_scan_records(&SPACED, bytes, size, round & 1, COLUMNS, some, 2, slow,
                                           most, &b),
                    TALLY_OK);
        CHECK_EQUAL(a.records, b.records);
        CHECK_EQUAL(a.consumed, b.consumed);
        CHECK_EQUAL(a.error, b.error);
        CHECK_EQUAL(a.error_at, b.error_at);
        CHECK_BYTES(fast, slow, (size_t)(2 * a.records) * sizeof fast[0]);
        ended[a.error]++;
        free(bytes);
    }
    CHECK_ABOUT("all of it was met");
    for (uint32_t error = TALLY_CSV_OK; error <= TALLY_CSV_QUOTE; error++) {
        CHECK(ended[error] > 20);
    }
}

int main(void)
{
    test_fields();
    test_block_borders();
    test_cuts();
    test_selection();
    test_readers_agree();
    test_errors();
    test_gather();
    test_splice();
    test_no_values();
    test_overwrite();
    return check_end("csv");
}
