/* SPDX-License-Identifier: Apache-2.0
 *
 * Every format against the vectors of all languages, vectors/formats_*.json: what it says of itself,
 * tokens of single values and of arrays in both directions, faults, types, and refusals. And the
 * older vectors, which have tokens alone. */
#include <stdlib.h>

#include "arrow_made.h"
#include "check.h"
#include "formats/format.h"
#include "random.h"
#include "tallystick/sha2.h"
#include "tallystick/tokens.h"
#include "tokens/worker.h"
#include "json/json.h"

enum { HELD = 1 << 16, LARGEST_OF_ARRAYS = 2000 };

/* Memory of one case. */
static void *held[HELD];
static size_t held_count;

static void *hold(size_t size)
{
    if (held_count == HELD || (held[held_count] = calloc(size + 1, 1)) == NULL) {
        abort();
    }
    return held[held_count++];
}

static void let_go(void)
{
    while (held_count > 0) {
        free(held[--held_count]);
    }
}

typedef struct text {
    const uint8_t *bytes; /* NULL: none, or null */
    size_t size;
} text;

static const text nothing;

static char *read_file(const char *name, size_t *size)
{
    char path[512];
    (void)snprintf(path, sizeof path, TALLY_VECTORS "/%s.json", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: can't be read\n", path);
        exit(2);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    char *out = malloc(*size + 1);
    if (out == NULL || fread(out, 1, *size, file) != *size) {
        exit(2);
    }
    fclose(file);
    return out;
}

static const tally_json *member(const tally_json *node, const char *name)
{
    const tally_json *found = tally_json_member(node, name);
    if (found == NULL) {
        fprintf(stderr, "a vector has no %s [%s]\n", name, check_totals.about);
        exit(2);
    }
    return found;
}

static text of_node(const tally_json *node)
{
    text out = {(const uint8_t *)node->text, node->size};
    return out;
}

static text of_hex(const tally_json *node)
{
    uint8_t *out = hold(node->size / 2);
    for (size_t i = 0; i < node->size / 2; i++) {
        unsigned byte = 0;
        (void)sscanf(node->text + 2 * i, "%2x", &byte);
        out[i] = (uint8_t)byte;
    }
    text found = {out, node->size / 2};
    return found;
}

/* {"repeat": "ab", "times": 3} is "ababab". */
static text of_repeat(const tally_json *node)
{
    const tally_json *unit = member(node, "repeat");
    const size_t times = (size_t)member(node, "times")->integer;
    uint8_t *out = hold(unit->size * times);
    for (size_t i = 0; i < times; i++) {
        memcpy(out + i * unit->size, unit->text, unit->size);
    }
    text found = {out, unit->size * times};
    return found;
}

static text value_of(const tally_json *row)
{
    if (tally_json_member(row, "hex") != NULL) {
        return of_hex(member(row, "hex"));
    }
    if (tally_json_member(row, "repeat") != NULL) {
        return of_repeat(row);
    }
    return of_node(member(row, "value"));
}

/* The tweak of a row: its own, or that of its case. */
static text tweak_of(const tally_json *row, const tally_json *vector)
{
    const tally_json *own = tally_json_member(row, "tweak");
    if (own == NULL && vector != NULL) {
        own = tally_json_member(vector, "tweak");
    }
    return own == NULL ? nothing : own->kind == TALLY_JSON_OBJECT ? of_repeat(own) : of_node(own);
}

/* Whether a result is what a row says: the text, its bytes, or their digest. */
static void check_result(text found, const tally_json *row, const char *name)
{
    char other[32];
    (void)snprintf(other, sizeof other, "%s_sha256", name);
    const tally_json *digest = tally_json_member(row, other);
    if (digest != NULL) {
        uint8_t own[32];
        tally_sha256_digest(found.bytes, found.size, own);
        CHECK_BYTES(own, of_hex(digest).bytes, 32);
        return;
    }
    (void)snprintf(other, sizeof other, "%s_hex", name);
    const tally_json *hex = tally_json_member(row, other);
    const text expected = hex != NULL ? of_hex(hex) : of_node(member(row, name));
    CHECK_EQUAL(found.size, expected.size);
    if (found.size == expected.size) {
        CHECK_BYTES(found.bytes, expected.bytes, found.size);
    }
}

static text run_value(tally_worker *worker, int reveal, text value, text tweak, tally_fault *fault)
{
    text out = nothing;
    for (size_t capacity = value.size + 64;;) {
        uint8_t *memory = hold(capacity);
        size_t size = 0;
        memset(fault, 0x55, sizeof *fault);
        const tally_status status = (reveal ? tally_reveal_value : tally_protect_value)(
            worker, value.bytes, value.size, tweak.bytes, tweak.size, memory, capacity, &size,
            fault);
        if (status == TALLY_ERROR_CAPACITY && size > capacity) {
            capacity = size;
            continue;
        }
        CHECK_EQUAL(status, TALLY_OK);
        out.bytes = memory;
        out.size = size;
        return out;
    }
}

static void check_same(text found, text expected)
{
    CHECK_EQUAL(found.size, expected.size);
    if (found.size == expected.size) {
        CHECK_BYTES(found.bytes, expected.bytes, found.size);
    }
}

static void check_value(const tally_json *vector, const tally_format *format, tally_worker *worker,
                        const tally_json *row)
{
    const text value = value_of(row);
    const tally_json *domain = tally_json_member(row, "domain");
    tally_fault fault;
    if (domain != NULL) {
        tally_domain found;
        tally_format_domain_of(format, value.bytes, value.size, &found);
        CHECK_EQUAL(found.known, domain->kind == TALLY_JSON_TEXT);
        if (domain->kind == TALLY_JSON_TEXT) {
            const uint64_t size = domain->size > 20 ? UINT64_MAX : strtoull(domain->text, NULL, 10);
            CHECK_EQUAL(found.size, size);
        }
    }
    for (int tweaked = 0; tweaked < 2; tweaked++) {
        const char *name = tweaked ? "tweaked" : "token";
        const text tweak = tweaked ? tweak_of(row, vector) : nothing;
        char other[32];
        if (tweaked && tweak.bytes == NULL) {
            continue;
        }
        const text token = run_value(worker, 0, value, tweak, &fault);
        (void)snprintf(other, sizeof other, "%s_reason", name);
        if (tally_json_member(row, other) != NULL) {
            CHECK_EQUAL(fault.reason, member(row, other)->integer);
            check_same(token, value);
            continue;
        }
        CHECK_EQUAL(fault.reason, TALLY_REASON_NONE);
        if (tally_json_member(row, "token_hex") != NULL && tweaked) {
            continue; /* the vector has it without a tweak alone */
        }
        check_result(token, row, name);
        if (!tally_format_is_one_way(format)) {
            check_same(run_value(worker, 1, token, tweak, &fault), value);
            CHECK_EQUAL(fault.reason, TALLY_REASON_NONE);
        }
    }
}

static int character_of(const tally_json *row)
{
    static const char *const names[] = {"letter", "digit", "space", "control", "other"};
    const tally_json *name = tally_json_member(row, "class");
    for (int i = 0; name != NULL && i < 5; i++) {
        if (tally_json_is(name, names[i])) {
            return i;
        }
    }
    return -1;
}

static int fails(const tally_json *row, int reveal)
{
    const tally_json *direction = tally_json_member(row, "direction");
    return direction == NULL || tally_json_is(direction, reveal ? "reveal" : "protect");
}

/* The answer without a key. It makes a cipher, so some values of each format are enough. */
static void check_keyless(const tally_format *format, const tally_json *rows)
{
    enum { SOME = 2 };
    size_t count = 0;
    for (const tally_json *row = rows; row != NULL && count < SOME; row = row->next) {
        const text value = value_of(row);
        const tally_json *reason = tally_json_member(row, "reason");
        if (tally_json_member(row, "tweak") != NULL ||
            tally_json_member(row, "null_tweak") != NULL ||
            (reason != NULL && (!fails(row, 0) || reason->integer == TALLY_REASON_TWEAK))) {
            continue;
        }
        tally_fault fault;
        CHECK_EQUAL(tally_format_check(format, value.bytes, value.size, &fault), TALLY_OK);
        CHECK_EQUAL(fault.reason, reason == NULL ? 0 : reason->integer);
        const tally_json *position = tally_json_member(row, "position");
        CHECK_EQUAL(fault.position, position == NULL ? 0 : position->integer);
        count++;
    }
}

static void check_invalid(const tally_format *format, tally_worker *worker, const tally_json *row)
{
    const text value = value_of(row), tweak = tweak_of(row, NULL);
    const tally_json *position = tally_json_member(row, "position");
    if (tally_json_member(row, "null_tweak") != NULL) {
        return; /* of columns alone */
    }
    for (int reveal = 0; reveal < 2; reveal++) {
        tally_fault fault;
        if (!fails(row, reveal) || (reveal && tally_format_is_one_way(format))) {
            continue;
        }
        check_same(run_value(worker, reveal, value, tweak, &fault), value);
        CHECK_EQUAL(fault.reason, member(row, "reason")->integer);
        CHECK_EQUAL(fault.position, position == NULL ? 0 : position->integer);
        if (position != NULL) {
            CHECK_EQUAL(fault.character, character_of(row));
        }
    }
}

/* ------------------------------------------------------------------ arrays */

/* An array of text; a row without bytes is null. */
static made *array_of(const char *type, const text *rows, size_t count)
{
    made *out = made_new(type, (int64_t)count, 3);
    const int large = type[0] == 'U';
    uint8_t *bits = calloc(count / 8 + 1, 1), *offsets = calloc(count + 1, 8);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += rows[i].bytes == NULL ? 3 : rows[i].size;
    }
    uint8_t *values = malloc(size + 1);
    for (size_t i = 0, at = 0; i < count; i++) {
        if (rows[i].bytes == NULL) {
            memcpy(values + at, "\xff*1", 3); /* what lies under a null does not matter */
            at += 3;
        } else {
            memcpy(values + at, rows[i].bytes, rows[i].size);
            at += rows[i].size;
            bits[i / 8] |= (uint8_t)(1 << (i % 8));
        }
        const int64_t wide = (int64_t)at;
        const int32_t narrow = (int32_t)at;
        if (large) {
            memcpy(offsets + 8 * (i + 1), &wide, 8);
        } else {
            memcpy(offsets + 4 * (i + 1), &narrow, 4);
        }
    }
    out->buffers[0] = made_copy(bits, (count + 7) / 8);
    out->buffers[1] = made_copy(offsets, (count + 1) * (large ? 8 : 4));
    out->buffers[2] = made_copy(values, size);
    free(bits);
    free(offsets);
    free(values);
    return out;
}

static text row_of(const char *type, const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->buffers[0], *values = array->buffers[2];
    const int64_t *wide = array->buffers[1];
    const int32_t *narrow = array->buffers[1];
    if (bits != NULL && (bits[row / 8] >> (row % 8) & 1) == 0) {
        return nothing;
    }
    const int64_t first = type[0] == 'U' ? wide[row] : narrow[row],
                  last = type[0] == 'U' ? wide[row + 1] : narrow[row + 1];
    static const uint8_t none[1];
    text out = {values == NULL ? none : values + first, (size_t)(last - first)};
    return out;
}

/* Runs an array, of which the first `skip` rows are passed over, and compares every row. */
static void check_array(tally_worker *worker, int reveal, const char *type, const text *rows,
                        const text *tweaks, const text *expected, size_t count, size_t skip)
{
    made *values = array_of(type, rows, count), *own = NULL;
    struct ArrowArray out;
    tally_counts counts = {0};
    tally_invalid invalid;
    tally_problem problem;
    if (tweaks != NULL) {
        own = array_of("u", tweaks, count);
        own->array.offset = (int64_t)skip;
        own->array.length -= (int64_t)skip;
    }
    values->array.offset = (int64_t)skip;
    values->array.length -= (int64_t)skip;
    problem.text[0] = '\0';
    const tally_status status = (reveal ? tally_reveal_array : tally_protect_array)(
        worker, &values->schema, &values->array, own == NULL ? NULL : &own->schema,
        own == NULL ? NULL : &own->array, &out, &counts, &invalid, &problem);
    CHECK_EQUAL(status, TALLY_OK);
    if (status != TALLY_OK) {
        fprintf(stderr, "    %s: row %d, reason %d: %s\n", type, (int)invalid.row,
                (int)invalid.fault.reason, problem.text);
    } else {
        CHECK_EQUAL(counts.rows, count - skip);
        for (size_t i = skip; i < count; i++) {
            const text found = row_of(type, &out, (int64_t)(i - skip));
            CHECK_EQUAL(found.bytes == NULL, expected[i].bytes == NULL);
            if (found.bytes != NULL && expected[i].bytes != NULL) {
                check_same(found, expected[i]);
            }
        }
        out.release(&out);
    }
    made_free(values);
    made_free(own);
}

static text token_of(const tally_json *row, const char *name)
{
    const tally_json *found = tally_json_member(row, name);
    return found == NULL ? nothing : of_node(found);
}

/* A worker's ciphers, without end: every 32 radices are those of another worker with its tokenizer,
 * which it is made for. So none takes the place of another. That they do, for the 119 radices of
 * phone numbers, is met by the first arrays and by test_tokens; it takes most of the time. */
static struct {
    tally_worker *worker[TALLY_FAST_MAX_RADIX / TOKENS_CIPHERS + 1];
    tally_fast_cipher *(*own)(tally_run *run, uint32_t radix);
} kept;

static tally_fast_cipher *kept_cipher(tally_run *run, uint32_t radix)
{
    tally_worker **worker = &kept.worker[radix / TOKENS_CIPHERS];
    if (*worker == NULL) {
        CHECK_EQUAL(tally_worker_new(((tally_worker *)run)->tokenizer, worker), TALLY_OK);
    }
    return kept.own(&(*worker)->run, radix);
}

static void keep_ciphers(tally_worker *worker)
{
    if (worker->run.cipher != kept_cipher) {
        kept.own = worker->run.cipher;
        worker->run.cipher = kept_cipher;
    }
}

static void release_kept(void)
{
    for (size_t i = 0; i < sizeof kept.worker / sizeof *kept.worker; i++) {
        tally_worker_free(kept.worker[i]);
        kept.worker[i] = NULL;
    }
}

/* All values of a case, again and again, with nulls among them. */
static void check_arrays(const tally_json *vector, const tally_format *format, tally_worker *worker,
                         const char *name)
{
    enum { MOST = 400, TIMES = 3 };
    static text rows[MOST * TIMES], tokens[MOST * TIMES], tweaks[MOST * TIMES];
    size_t count = 0;
    const int tweaked = strcmp(name, "tweaked") == 0;
    for (int time = 0; time < TIMES; time++) {
        const tally_json *row = member(vector, "values")->first;
        for (; row != NULL && count < MOST * TIMES; row = row->next) {
            const text token = token_of(row, name);
            if (token.bytes == NULL || token.size > LARGEST_OF_ARRAYS) {
                continue;
            }
            rows[count] = value_of(row);
            tokens[count] = token;
            tweaks[count] = tweak_of(row, vector);
            if (count % 7 == 3) {
                rows[count] = tokens[count] = nothing;
            }
            count++;
        }
    }
    for (int large = 0; large < 2 && count > 0; large++) {
        for (size_t skip = 0; skip < count && skip < 12; skip += 11) {
            const char *type = large ? "U" : "u";
            check_array(worker, 0, type, rows, tweaked ? tweaks : NULL, tokens, count, skip);
            if (!tally_format_is_one_way(format)) {
                check_array(worker, 1, type, tokens, tweaked ? tweaks : NULL, rows, count, skip);
            }
            keep_ciphers(worker);
        }
    }
}

/* Values and invalid ones by turns: those become nulls, and are counted by their reasons. */
static void check_mixed(const tally_json *vector, tally_worker *nulls, int reveal)
{
    enum { MOST = 600 };
    static text rows[MOST], expected[MOST];
    static uint8_t reasons[MOST];
    uint64_t wanted[16] = {0};
    size_t count = 0;
    const tally_json *bad = tally_json_member(vector, "invalid");
    const tally_json *good = member(vector, "values")->first;
    for (bad = bad == NULL ? NULL : bad->first; bad != NULL && count + 2 < MOST; bad = bad->next) {
        const text value = value_of(bad);
        if (!fails(bad, reveal) || tally_json_member(bad, "tweak") != NULL ||
            tally_json_member(bad, "null_tweak") != NULL) {
            continue;
        }
        const text token = good == NULL ? nothing : token_of(good, "token");
        if (token.bytes != NULL && token.size <= LARGEST_OF_ARRAYS) {
            rows[count] = reveal ? token : value_of(good);
            expected[count] = reveal ? value_of(good) : token;
            count++;
        }
        good = good == NULL || good->next == NULL ? member(vector, "values")->first : good->next;
        rows[count] = value;
        expected[count] = nothing;
        reasons[count] = (uint8_t)member(bad, "reason")->integer;
        wanted[reasons[count]]++;
        count++;
    }
    if (count == 0) {
        return;
    }
    check_array(nulls, reveal, "u", rows, NULL, expected, count, 0);
    made *values = array_of("u", rows, count);
    struct ArrowArray out;
    tally_counts counts = {0};
    tally_invalid invalid;
    tally_problem problem;
    const tally_status status = (reveal ? tally_reveal_array : tally_protect_array)(
        nulls, &values->schema, &values->array, NULL, NULL, &out, &counts, &invalid, &problem);
    CHECK_EQUAL(status, TALLY_OK);
    if (status == TALLY_OK) {
        for (int reason = 0; reason < 16; reason++) {
            CHECK_EQUAL(counts.invalid[reason], wanted[reason]);
        }
        out.release(&out);
    }
    static uint8_t found[MOST];
    const tally_status result = (reveal ? tally_reveal_rows : tally_protect_rows)(
        nulls, &values->schema, &values->array, NULL, NULL, &out, found, NULL, &problem);
    CHECK_EQUAL(result, TALLY_OK);
    if (result == TALLY_OK) {
        for (size_t i = 0; i < count; i++) {
            const text row = row_of("u", &out, (int64_t)i);
            CHECK_EQUAL(found[i], expected[i].bytes == NULL ? reasons[i] : 0);
            check_same(row, expected[i].bytes == NULL ? rows[i] : expected[i]);
        }
        out.release(&out);
    }
    made_free(values);
}

/* A row whose tweak is null. */
static void check_null_tweaks(const tally_json *vector, tally_worker *worker)
{
    const tally_json *row = tally_json_member(vector, "invalid");
    for (row = row == NULL ? NULL : row->first; row != NULL; row = row->next) {
        if (tally_json_member(row, "null_tweak") == NULL) {
            continue;
        }
        const text value = value_of(row);
        made *values = array_of("u", &value, 1), *tweaks = array_of("u", &nothing, 1);
        struct ArrowArray out;
        tally_invalid invalid;
        tally_problem problem;
        CHECK_EQUAL(tally_protect_array(worker, &values->schema, &values->array, &tweaks->schema,
                                        &tweaks->array, &out, NULL, &invalid, &problem),
                    TALLY_ERROR_INVALID);
        CHECK_EQUAL(invalid.row, 0);
        CHECK_EQUAL(invalid.fault.reason, member(row, "reason")->integer);
        made_free(values);
        made_free(tweaks);
    }
}

/* ------------------------------------------------------------------ columns of numbers */

static size_t width_of(const char *type)
{
    const char first = type[0];
    return first == 'c' || first == 'C'   ? 1
           : first == 's' || first == 'S' ? 2
           : first == 'i' || first == 'I' ? 4
           : first == 'd'                 ? 16
           : strcmp(type, "tdD") == 0     ? 4
                                          : 8;
}

/* Writes a decimal number as a column of a type has it: two's complement, in the machine's order. */
static void number_of(const char *type, const char *digits, uint8_t out[16])
{
    const int minus = digits[0] == '-';
    const uint16_t order = 1;
    const size_t width = width_of(type);
    memset(out, 0, 16);
    for (digits += minus; *digits != '\0'; digits++) {
        unsigned carry = (unsigned)(*digits - '0');
        for (int i = 0; i < 16; i++) {
            carry += out[i] * 10u;
            out[i] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    for (int i = 0, carry = 1; minus && i < 16; i++) {
        carry += (uint8_t)~out[i];
        out[i] = (uint8_t)carry;
        carry >>= 8;
    }
    for (size_t i = 0; *(const uint8_t *)&order == 0 && i < width / 2; i++) {
        const uint8_t byte = out[i];
        out[i] = out[width - 1 - i];
        out[width - 1 - i] = byte;
    }
}

static void check_fixed(tally_worker *worker, int reveal, const char *type, const char *from,
                        const char *to, text tweak, int reason)
{
    uint8_t value[16], expected[16], out[16];
    tally_fault fault;
    tally_problem problem;
    number_of(type, from, value);
    number_of(type, to, expected);
    CHECK_EQUAL((reveal ? tally_reveal_fixed : tally_protect_fixed)(
                    worker, type, value, tweak.bytes, tweak.size, out, &fault, &problem),
                TALLY_OK);
    CHECK_EQUAL(fault.reason, reason);
    CHECK_BYTES(out, expected, width_of(type));
}

static void check_fixed_array(tally_worker *worker, int reveal, const tally_json *column,
                              text tweak)
{
    enum { MOST = 60 };
    static text rows[MOST];
    static uint8_t values[16 * MOST], expected[16 * MOST];
    const char *type = member(column, "type")->text;
    const size_t width = width_of(type);
    uint8_t bits[MOST / 8 + 1] = {0};
    size_t count = 0;
    for (const tally_json *row = member(column, "values")->first; row != NULL && count + 1 < MOST;
         row = row->next) {
        uint8_t from[16], to[16];
        const char *token = member(row, tweak.bytes == NULL ? "token" : "tweaked")->text;
        number_of(type, member(row, "value")->text, from);
        number_of(type, token, to);
        memcpy(values + width * count, reveal ? to : from, width);
        memcpy(expected + width * count, reveal ? from : to, width);
        bits[count / 8] |= (uint8_t)(1 << (count % 8));
        count++;
        if (count % 3 == 1) {
            memset(values + width * count, 0x5a, width); /* a null */
            count++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        rows[i] = tweak;
    }
    made *array = made_fixed(type, values, width, count, bits);
    made *tweaks = tweak.bytes == NULL ? NULL : array_of("u", rows, count);
    struct ArrowArray out;
    tally_invalid invalid;
    tally_problem problem;
    const tally_status status = (reveal ? tally_reveal_array : tally_protect_array)(
        worker, &array->schema, &array->array, tweaks == NULL ? NULL : &tweaks->schema,
        tweaks == NULL ? NULL : &tweaks->array, &out, NULL, &invalid, &problem);
    CHECK_EQUAL(status, TALLY_OK);
    if (status == TALLY_OK) {
        const uint8_t *valid = out.buffers[0], *found = out.buffers[1];
        for (size_t i = 0; i < count; i++) {
            const int given = bits[i / 8] >> (i % 8) & 1;
            CHECK_EQUAL(valid == NULL ? 1 : valid[i / 8] >> (i % 8) & 1, given);
            if (given) {
                CHECK_BYTES(found + width * i, expected + width * i, width);
            }
        }
        out.release(&out);
    }
    made_free(array);
    made_free(tweaks);
}

static void check_columns(const tally_json *vector, int one_way, tally_worker *worker)
{
    static const char *const names[] = {"token", "tweaked"}, *const reasons[] = {"token_reason",
                                                                                 "tweaked_reason"};
    const tally_json *column = tally_json_member(vector, "columns");
    const text tweaks[] = {nothing, tweak_of(vector, NULL)};
    for (column = column == NULL ? NULL : column->first; column != NULL; column = column->next) {
        const char *type = member(column, "type")->text;
        const tally_json *row = member(column, "values")->first;
        for (int own = 0; own < (tweaks[1].bytes == NULL ? 1 : 2); own++) {
            const int has_tokens = row != NULL && tally_json_member(row, names[own]) != NULL;
            for (int reveal = 0; has_tokens && reveal < 2 - one_way; reveal++) {
                check_fixed_array(worker, reveal, column, tweaks[own]);
            }
        }
        for (; row != NULL; row = row->next) {
            const char *value = member(row, "value")->text;
            for (int own = 0; own < (tweaks[1].bytes == NULL ? 1 : 2); own++) {
                const tally_json *reason = tally_json_member(row, reasons[own]);
                const char *token = reason != NULL ? value : member(row, names[own])->text;
                check_fixed(worker, 0, type, value, token, tweaks[own],
                            reason == NULL ? 0 : (int)reason->integer);
                if (!one_way && reason == NULL) {
                    check_fixed(worker, 1, type, token, value, tweaks[own], 0);
                }
            }
        }
        const tally_json *bad = tally_json_member(column, "invalid");
        for (row = bad == NULL ? NULL : bad->first; row != NULL; row = row->next) {
            const char *value = member(row, "value")->text;
            for (int reveal = 0; reveal < 2 - one_way; reveal++) {
                check_fixed(worker, reveal, type, value, value, nothing,
                            (int)member(row, "reason")->integer);
            }
        }
    }
}

static void check_types(const tally_json *vector, const tally_format *format)
{
    const tally_json *types = tally_json_member(vector, "types"), *type;
    tally_problem problem;
    if (types == NULL) {
        return;
    }
    for (type = member(types, "accepted")->first; type != NULL; type = type->next) {
        if (!tally_json_is(type, "n")) { /* of tokenizers */
            CHECK_ABOUT("%.60s: %s", tally_format_identity(format), type->text);
            CHECK_EQUAL(tally_format_takes(format, type->text, &problem), TALLY_OK);
        }
    }
    for (type = member(types, "refused")->first; type != NULL; type = type->next) {
        CHECK_ABOUT("%.60s: %s", tally_format_identity(format), type->key);
        CHECK_EQUAL(tally_format_takes(format, type->key, &problem), TALLY_ERROR_TYPE);
        if (strcmp(problem.text, type->text) != 0) {
            CHECK(strcmp(problem.text, type->text) == 0);
            fprintf(stderr, "    %s\n    %s\n", problem.text, type->text);
        }
    }
}

/* ------------------------------------------------------------------ cases */

static void check_facts(const tally_json *vector, const tally_format *format)
{
    const tally_json *domain = member(vector, "smallest_domain");
    tally_domain found;
    size_t examples = 0;
    CHECK(strcmp(tally_format_identity(format), member(vector, "identity")->text) == 0);
    CHECK_EQUAL(tally_format_is_one_way(format),
                member(vector, "one_way")->kind == TALLY_JSON_TRUE);
    CHECK_EQUAL(tally_format_is_keyed(format), member(vector, "keyed")->kind == TALLY_JSON_TRUE);
    CHECK_EQUAL(tally_format_may_be_formula(format),
                member(vector, "may_be_formula")->kind == TALLY_JSON_TRUE);
    tally_format_smallest_domain(format, &found);
    CHECK_EQUAL(found.known, domain->kind == TALLY_JSON_TEXT);
    if (domain->kind == TALLY_JSON_TEXT) {
        CHECK_EQUAL(found.size, domain->size > 20 ? UINT64_MAX : strtoull(domain->text, NULL, 10));
    }
    for (const tally_json *one = member(vector, "examples")->first; one != NULL; one = one->next) {
        const char *own = tally_format_example(format, examples++);
        CHECK(own != NULL && strcmp(own, one->text) == 0);
    }
    CHECK(tally_format_example(format, examples) == NULL);
}

static tally_tokenizer *tokenizer_of(const tally_json *vector, const tally_format *format,
                                     tally_on_invalid on_invalid)
{
    const tally_json *key = tally_json_member(vector, "key"),
                     *name_space = tally_json_member(vector, "namespace");
    const text bytes = key == NULL ? nothing : of_hex(key);
    const text none = {(const uint8_t *)"n", key == NULL ? 0 : 1}, /* ipcrypt takes any */
        name = name_space == NULL ? none : of_node(name_space);
    tally_tokenizer *out;
    tally_problem problem;
    if (tally_tokenizer_new(NULL, format, bytes.bytes, bytes.size, (const char *)name.bytes,
                            name.size, on_invalid, &out, &problem) != TALLY_OK) {
        fprintf(stderr, "no tokenizer for %s\n", check_totals.about);
        exit(2);
    }
    return out;
}

static void check_case(const tally_json *vector)
{
    const tally_json *row, *invalid = tally_json_member(vector, "invalid");
    const char *identity = member(vector, "identity")->text;
    tally_format *format;
    tally_problem problem;
    tally_worker *worker;
    CHECK_ABOUT("%.100s", identity);
    const tally_status status =
        tally_format_from_json(NULL, member(vector, "format"), &format, &problem);
    CHECK_EQUAL(status, TALLY_OK);
    if (status != TALLY_OK) {
        fprintf(stderr, "    %s: %s\n", problem.place, problem.text);
        return;
    }
    check_facts(vector, format);
    check_types(vector, format);
    tally_tokenizer *tokenizer = tokenizer_of(vector, format, TALLY_INVALID_ERROR),
                    *lenient = tokenizer_of(vector, format, TALLY_INVALID_NULL);
    CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
    for (row = member(vector, "values")->first; row != NULL; row = row->next) {
        const text value = value_of(row);
        CHECK_ABOUT("%.60s: %.*s", identity, (int)(value.size < 60 ? value.size : 60),
                    (const char *)value.bytes);
        check_value(vector, format, worker, row);
    }
    row = tally_json_member(vector, "revealed"); /* of a cipher that makes no tokens */
    for (row = row == NULL ? NULL : row->first; row != NULL; row = row->next) {
        tally_fault fault;
        check_same(run_value(worker, 1, of_node(member(row, "token")), nothing, &fault),
                   of_node(member(row, "value")));
        CHECK_EQUAL(fault.reason, TALLY_REASON_NONE);
    }
    for (row = invalid == NULL ? NULL : invalid->first; row != NULL; row = row->next) {
        const text value = value_of(row);
        CHECK_ABOUT("%.60s: invalid %.*s", identity, (int)(value.size < 60 ? value.size : 60),
                    (const char *)value.bytes);
        check_invalid(format, worker, row);
    }
    CHECK_ABOUT("%.100s", identity);
    if (tally_format_takes(format, "u", &problem) == TALLY_OK) {
        check_keyless(format, member(vector, "values")->first);
        check_keyless(format, invalid == NULL ? NULL : invalid->first);
    }
    check_arrays(vector, format, worker, "token");
    check_arrays(vector, format, worker, "tweaked");
    worker->tokenizer = lenient; /* with the same ciphers, which depend on the key alone */
    check_mixed(vector, worker, 0);
    if (!tally_format_is_one_way(format)) {
        check_mixed(vector, worker, 1);
    }
    worker->tokenizer = tokenizer;
    check_null_tweaks(vector, worker);
    check_columns(vector, tally_format_is_one_way(format), worker);
    release_kept();
    tally_worker_free(worker);
    tally_tokenizer_free(lenient);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
    let_go();
}

/* ------------------------------------------------------------------ tokens alone */

/* Of a format, rows that begin with `row`. */
static void check_rows(const tally_json *description, const tally_json *vector,
                       const tally_json *row, int tweak_is_hex)
{
    tally_format *format;
    tally_problem problem;
    tally_worker *worker;
    CHECK_EQUAL(tally_format_from_json(NULL, description, &format, &problem), TALLY_OK);
    tally_tokenizer *tokenizer = tokenizer_of(vector, format, TALLY_INVALID_ERROR);
    CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
    for (; row != NULL; row = tweak_is_hex ? NULL : row->next) {
        const text value = of_node(member(row, "value")), token = of_node(member(row, "token"));
        text tweak = tweak_of(row, NULL);
        if (tweak_is_hex) {
            tweak = tweak.size == 0 ? nothing : of_hex(member(row, "tweak"));
        }
        tally_fault fault;
        CHECK_ABOUT("%.60s: %.60s", tally_format_identity(format), (const char *)value.bytes);
        check_same(run_value(worker, 0, value, tweak, &fault), token);
        CHECK_EQUAL(fault.reason, TALLY_REASON_NONE);
        check_same(run_value(worker, 1, token, tweak, &fault), value);
        CHECK_EQUAL(fault.reason, TALLY_REASON_NONE);
    }
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
}

static void check_tokens(const tally_json *vector)
{
    check_rows(member(vector, "format"), vector, member(vector, "tokens")->first, 0);
}

/* Their descriptions lack the type. */
static void check_unicode(const tally_json *vector)
{
    tally_json type = {.kind = TALLY_JSON_TEXT, .key = "type", .key_size = 4}, form;
    form = *member(vector, "format");
    type.text = "unicode";
    type.size = strlen(type.text);
    type.next = form.first;
    form.first = &type;
    form.count++;
    check_rows(&form, vector, member(vector, "tokens")->first, 0);
}

/* Their format is a mode, and each is a row. */
static void check_ipcrypt(const tally_json *vector)
{
    tally_json mode = *member(vector, "mode"), type = {.kind = TALLY_JSON_TEXT};
    type.key = "type";
    type.key_size = strlen(type.key);
    type.text = "ipcrypt";
    type.size = strlen(type.text);
    type.next = &mode;
    mode.next = NULL;
    const tally_json form = {.kind = TALLY_JSON_OBJECT, .count = 2, .first = &type};
    check_rows(&form, vector, vector, 1);
}

/* A description that is refused; where Python blames all options, the core may blame one. */
static void check_refused(const tally_json *vector)
{
    const tally_json *place = member(vector, "place"), *message = member(vector, "message"),
                     *description = member(vector, "format");
    tally_format *format;
    tally_problem problem;
    char name[128], own[300];
    const tally_json *type = tally_json_member(description, "type");
    (void)snprintf(name, sizeof name, "%s",
                   description->kind == TALLY_JSON_TEXT            ? description->text
                   : type != NULL && type->kind == TALLY_JSON_TEXT ? type->text
                                                                   : "");
    CHECK_ABOUT("%s: %s: %s", name, place->text, message->text);
    const tally_status status = tally_format_from_json(NULL, description, &format, &problem);
    CHECK_EQUAL(status, TALLY_ERROR_FORMAT);
    CHECK(format == NULL);
    if (status != TALLY_ERROR_FORMAT) {
        tally_format_free(format);
        return;
    }
    (void)snprintf(own, sizeof own, "format%s%s", problem.place[0] != '\0' ? "." : "",
                   problem.place);
    /* A list of what there is grows with new options and formats. */
    const char *list = strstr(message->text, ": digits, ");
    list = list != NULL ? list : strstr(message->text, " or 'cjk', not ");
    list = list != NULL ? list : strstr(message->text, "; there are: ");
    const size_t same = list == NULL ? message->size + 1 : (size_t)(list - message->text);
    if (strncmp(problem.text, message->text, same) != 0) {
        CHECK(strncmp(problem.text, message->text, same) == 0);
        fprintf(stderr, "    %s\n", problem.text);
    }
    if (strcmp(own, place->text) != 0 && !tally_json_is(place, "format")) {
        CHECK(strcmp(own, place->text) == 0);
        fprintf(stderr, "    %s\n", own);
    }
}

static void check_file(const char *name, void (*check)(const tally_json *vector))
{
    size_t size;
    char *content = read_file(name, &size);
    tally_json_document document;
    tally_problem problem;
    CHECK_EQUAL(tally_json_parse(NULL, content, size, &document, &problem), TALLY_OK);
    /* An emulator takes minutes for all; each file has more cases than there are formats. */
    const size_t step = check == check_case && random_is_emulated() ? 5 : 1;
    size_t number = 0;
    for (const tally_json *one = document.root->first; one != NULL; one = one->next) {
        if (number++ % step == 0) {
            check(one);
            let_go();
        }
    }
    tally_json_free(&document);
    free(content);
}

static void check_reasons(const tally_json *vector)
{
    const tally_json *number = member(vector, "reason");
    const tally_fault none = {.reason = (tally_reason)number->integer};
    char why[TALLY_FAULT_TEXT], cut[4];
    tally_fault_text(&none, why, sizeof why);
    CHECK(strcmp(why, member(vector, "text")->text) == 0);
    const tally_fault fault = {none.reason, TALLY_CHARACTER_CONTROL, UINT64_MAX};
    tally_fault_text(&fault, why, sizeof why);
    CHECK(strstr(why, " (a control character, character 18446744073709551615)") != NULL);
    tally_fault_text(&fault, cut, sizeof cut);
    CHECK(memcmp(cut, "it", 2) == 0 && cut[3] == '\0');
}

/* Every format says what it is, and can be made of its sample. */
static void check_descriptions(void)
{
    char json[4096], cut[8];
    size_t count = 0;
    for (size_t size; (size = tally_format_describe(count, json, sizeof json)) != 0; count++) {
        tally_json_document document;
        CHECK_EQUAL(size, strlen(json));
        CHECK_EQUAL(tally_format_describe(count, cut, sizeof cut), size);
        CHECK(memcmp(cut, json, 7) == 0 && cut[7] == '\0');
        CHECK_EQUAL(tally_json_parse(NULL, json, size, &document, NULL), TALLY_OK);
        CHECK(tally_json_is(member(document.root, "name"), tally_format_name_at(count)));
        CHECK(member(document.root, "about")->size > 0);
        const tally_json *sample = member(document.root, "sample");
        tally_option_value values[TALLY_OPTIONS], shared[TALLY_SHARED_OPTIONS];
        CHECK_EQUAL(tally_options_read(tally_format_classes[count]->options, tally_cipher_options,
                                       sample, values, shared, &(tally_problem){"", ""}),
                    1);
        tally_json_free(&document);
    }
    CHECK(count > 0 && tally_format_name_at(count) == NULL);
}

int main(void)
{
    size_t size;
    check_descriptions();
    char *content = read_file("formats_reasons", &size);
    tally_json_document document;
    CHECK_EQUAL(tally_json_parse(NULL, content, size, &document, NULL), TALLY_OK);
    for (const tally_json *one = document.root->first; one != NULL; one = one->next) {
        check_reasons(one);
    }
    tally_json_free(&document);
    free(content);
    check_file("formats_text", check_case);
    check_file("formats_presets", check_case);
    check_file("formats_numbers", check_case);
    check_file("formats_grouped", check_case);
    check_file("formats_layouts", check_case);
    check_file("formats_plans", check_case);
    check_file("formats_scripts", check_case);
    check_file("formats_names", check_case);
    check_file("formats_one_way", check_case);
    check_file("formats_coarser", check_case);
    check_file("formats_ciphers", check_case);
    check_file("formats_refused", check_refused);
    check_file("tokens", check_tokens);
    check_file("tokens_ciphers", check_tokens);
    check_file("tokens_email", check_tokens);
    check_file("tokens_unicode", check_unicode);
    check_file("ipcrypt", check_ipcrypt);
    return check_end("test_formats");
}
