/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns, IBANs and national identifiers: vectors; columns against single values, with nulls and
 * tweaks; all back ends against each other; messages. */
#include <stdio.h>

#include "base/arch.h"
#include "check.h"
#include "format_run.h"
#include "formats/layouts_lanes.h"
#include "formats/phone.h"
#include "random.h"
#include "json/json.h"

enum { ROWS = 9000, WIDTH = 64, SEEDS = 3 };

static const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Formats with valid values of some of their layouts, beside the examples. */
static const struct {
    const char *description, *value[SEEDS];
} cases[] = {
    {"{\"type\": \"pattern\", \"pattern\": \"AA-999-A\"}", {"AB-123-C"}},
    {"{\"type\": \"pattern\", \"pattern\": \"A(A)9(X) 9AA\"}", {"M1 1AE", "SW1 1AA"}},
    {"{\"type\": \"pattern\", \"pattern\": \"[02468ace!#$%]9(-)9X\"}", {"!99Z", "e9-9A"}},
    {"\"iban\"", {"FR7630006000011234567890189", "BR1800360305000010009795493C1"}},
    {"{\"type\": \"phone\", \"country\": \"any\"}", {"+49 (0)151 23456789", "0044/20 7946 0958"}},
    {"{\"type\": \"phone\", \"country\": \"DE\"}", {"(0151) 23456789 ext. 12", "030.90-1820"}},
    {"{\"type\": \"phone\", \"country\": \"US\"}", {"1-202-555-0143", "(202) 555-0143#7"}},
    {"{\"type\": \"phone\", \"country\": \"IT\"}", {"06 1234567", "0039 06 1234567"}},
    {"{\"type\": \"ssn\", \"assignable\": true}", {"078 05 1120", "899999999"}},
    {"{\"type\": \"ssn\", \"assignable\": false}", {"666 12 3456", "987654321"}},
    {"{\"type\": \"national_id\", \"kind\": \"au.tfn\"}", {"123456782"}},
    {"{\"type\": \"national_id\", \"kind\": \"br.cnpj\"}", {"16727230000197"}},
    {"{\"type\": \"national_id\", \"kind\": \"br.cpf\"}", {"39053344705"}},
    {"{\"type\": \"national_id\", \"kind\": \"ca.sin\"}", {"123456782"}},
    {"{\"type\": \"national_id\", \"kind\": \"ch.ssn\"}", {"7569217076985"}},
    {"{\"type\": \"national_id\", \"kind\": \"de.idnr\"}", {"36574261809"}},
    {"{\"type\": \"national_id\", \"kind\": \"es.dni\"}", {"54362315K"}},
    {"{\"type\": \"national_id\", \"kind\": \"es.nie\"}", {"X2482300W"}},
    {"{\"type\": \"national_id\", \"kind\": \"fi.hetu\"}", {"131052-308T"}},
    {"{\"type\": \"national_id\", \"kind\": \"fr.nir\"}", {"295109912611193"}},
    {"{\"type\": \"national_id\", \"kind\": \"gb.nhs\"}", {"9434765870"}},
    {"{\"type\": \"national_id\", \"kind\": \"hr.oib\"}", {"33392005961"}},
    {"{\"type\": \"national_id\", \"kind\": \"in_.aadhaar\"}", {"234123412346"}},
    {"{\"type\": \"national_id\", \"kind\": \"it.codicefiscale\"}", {"RCCMNL83S18D969H"}},
    {"{\"type\": \"national_id\", \"kind\": \"nl.bsn\"}", {"111222333"}},
    {"{\"type\": \"national_id\", \"kind\": \"pl.pesel\"}", {"44051401359"}},
    {"{\"type\": \"national_id\", \"kind\": \"se.personnummer\"}", {"8803200016", "880320+0016"}},
    {"{\"type\": \"national_id\", \"kind\": \"tr.tckimlik\"}", {"17291716060"}},
    {"{\"type\": \"national_id\", \"kind\": \"za.idnr\"}", {"7503305044089"}},
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "%s: can't be read\n", path);
        exit(2);
    }
    const size_t size = (size_t)ftell(file);
    char *text = malloc(size + 1);
    rewind(file);
    if (text == NULL || fread(text, 1, size, file) != size) {
        exit(2);
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

static tally_format *make(const char *description)
{
    tally_format *format = NULL;
    tally_problem problem;
    if (tally_format_new(NULL, description, strlen(description), &format, &problem) != TALLY_OK) {
        fprintf(stderr, "%s: %s: %s\n", description, problem.place, problem.text);
        exit(2);
    }
    return format;
}

/* One value; returns the reason. The result is zero-terminated. */
static int run_one(const tally_format *format, format_run *run, tally_direction direction,
                   const char *value, size_t size, const char *tweak, char out[WIDTH * 2])
{
    tally_one one = {.value = (const uint8_t *)value,
                     .size = size,
                     .row_tweak = (const uint8_t *)tweak,
                     .row_tweak_size = tweak != NULL ? strlen(tweak) : 0,
                     .out = (uint8_t *)out,
                     .capacity = WIDTH * 2 - 1};
    run->run.direction = direction;
    CHECK_EQUAL(format->of->one(format, &run->run, &one), TALLY_OK);
    out[one.reason == 0 ? one.out_size : 0] = '\0';
    return (int)one.reason;
}

static void check_vectors(void)
{
    size_t checked = 0;
    char *text = read_file(TALLY_VECTORS "/tokens_mixed.json");
    tally_json_document document;
    tally_problem problem;
    CHECK_EQUAL(tally_json_parse(NULL, text, strlen(text), &document, &problem), TALLY_OK);
    for (const tally_json *c = document.root->first; c != NULL; c = c->next) {
        const tally_json *value = tally_json_member(c, "value"), *tweak,
                         *token = tally_json_member(c, "token");
        tally_format *format;
        char out[WIDTH * 2];
        if (tally_format_from_json(NULL, tally_json_member(c, "format"), &format, &problem) !=
            TALLY_OK) {
            continue; /* of another module */
        }
        tweak = tally_json_member(c, "tweak");
        format_run *run = format_run_new(format, key, sizeof key,
                                         tally_json_member(c, "namespace")->text, tweak != NULL);
        CHECK_ABOUT("%s: %s", tally_format_identity(format), value->text);
        for (int direction = 0; direction < 2; direction++) {
            const tally_json *from = direction ? token : value, *to = direction ? value : token;
            CHECK_EQUAL(run_one(format, run, (tally_direction)direction, from->text, from->size,
                                tweak != NULL ? tweak->text : NULL, out),
                        0);
            CHECK(strcmp(out, to->text) == 0);
        }
        checked++;
        format_run_free(run);
        tally_format_free(format);
    }
    CHECK(checked > 30);
    tally_json_free(&document);
    free(text);
}

/* A value, which is a token of another one, or something like it. */
static size_t random_value(const tally_format *format, format_run *run, size_t which, char *out)
{
    static const char others[] = "0123456789AZaz -.+/\x80\xff";
    const char *value = cases[which].value[random_below(SEEDS)];
    char tweak[16];
    value = value == NULL ? tally_format_example(format, 0) : value;
    snprintf(tweak, sizeof tweak, "%u", random_below(1000));
    CHECK_EQUAL(run_one(format, run, TALLY_ENCRYPT, value, strlen(value), tweak, out), 0);
    size_t size = strlen(value);
    for (uint32_t k = random_below(4) == 0 ? random_below(3) : 0; k > 0; k--) {
        const size_t at = random_below(size);
        switch (random_below(3)) {
        case 0:
            memmove(out + at + 1, out + at, size++ - at);
            out[at] = others[random_below(sizeof others - 1)];
            break;
        case 1:
            memmove(out + at, out + at + 1, --size - at);
            break;
        default:
            out[at] = others[random_below(sizeof others - 1)];
        }
    }
    return size;
}

static char values[ROWS * WIDTH], tweaks[ROWS * 8];
static int32_t offsets[ROWS + 1];
static int64_t tweak_offsets[ROWS + 1];
static uint8_t validity[ROWS / 8 + 2], tweak_validity[ROWS / 8 + 2], status[ROWS];

/* A column gives what single values give, in both directions. Returns how many values were valid. */
static size_t check_column(size_t which, size_t rows, int with_tweaks, int with_nulls)
{
    tally_format *format = make(cases[which].description);
    format_run *run = format_run_new(format, key, sizeof key, "n", with_tweaks);
    size_t at = 5, tweak_at = 0, valid = 0;
    for (size_t i = 0; i < sizeof validity; i++) {
        validity[i] = (uint8_t)(random_u64() | random_u64());
        tweak_validity[i] = (uint8_t)(random_u64() | random_u64() | random_u64());
    }
    for (size_t i = 0; i < rows; i++) {
        offsets[i] = (int32_t)at;
        tweak_offsets[i] = (int64_t)tweak_at;
        at += random_value(format, run, which, values + at);
        tweak_at += (size_t)snprintf(tweaks + tweak_at, 8, "t%u", random_below(30));
    }
    offsets[rows] = (int32_t)at;
    tweak_offsets[rows] = (int64_t)tweak_at;
    /* Exactly as large as it must be, for sanitizers. */
    uint8_t *held = malloc(at);
    memcpy(held, values, at);
    const tally_strings in = {.offsets = offsets,
                              .offset_size = 4,
                              .validity = with_nulls ? validity : NULL,
                              .validity_start = 3,
                              .values = held,
                              .rows = rows};
    const tally_strings own = {.offsets = tweak_offsets,
                               .offset_size = 8,
                               .validity = with_nulls ? tweak_validity : NULL,
                               .validity_start = 1,
                               .values = (const uint8_t *)tweaks,
                               .rows = rows};
    for (int direction = 0; direction < 2; direction++) {
        uint8_t *out;
        uint64_t *ends;
        run->run.direction = (tally_direction)direction;
        run->run.row_tweaks = with_tweaks ? &own : NULL;
        memset(status, 77, sizeof status);
        CHECK_ABOUT("%s, tweaks %d, nulls %d", cases[which].description, with_tweaks, with_nulls);
        CHECK_EQUAL(format_run_text(format, run, &in, status, &out, &ends), TALLY_OK);
        run->run.row_tweaks = NULL;
        for (size_t i = 0; i < rows; i++) {
            const char *value = values + offsets[i];
            const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
            char tweak[8] = {0}, expected[WIDTH * 2];
            memcpy(tweak, tweaks + tweak_offsets[i],
                   (size_t)(tweak_offsets[i + 1] - tweak_offsets[i]));
            CHECK_ABOUT("%s: %.*s", cases[which].description, (int)size, value);
            int reason = run_one(format, run, (tally_direction)direction, value, size,
                                 with_tweaks ? tweak : NULL, expected);
            if (with_tweaks && tally_row_is_null(&own, i)) {
                reason = TALLY_REASON_TWEAK;
            }
            if (tally_row_is_null(&in, i)) {
                reason = 0;
                memset(expected, 0, size);
            } else if (reason != 0) {
                memcpy(expected, value, size);
            } else {
                valid++;
            }
            CHECK_EQUAL(status[i], reason);
            CHECK_BYTES(out + ends[i], expected, size);
        }
        free(out);
        free(ends);
    }
    free(held);
    format_run_free(run);
    tally_format_free(format);
    return valid;
}

/* Every back end reads and writes as the portable one. */
static void check_lanes(const tally_layout_lanes *lanes, const tally_layout *layout)
{
    static uint8_t text[TALLY_LAYOUT_WIDTH * TALLY_LAYOUT_ROWS], made[sizeof text],
        expected[sizeof text];
    static tally_mixed_digits digits, other;
    uint8_t one[TALLY_LAYOUT_ROWS], two[TALLY_LAYOUT_ROWS];
    const size_t rows = 1 + random_below(TALLY_LAYOUT_ROWS);
    if (tally_backend_lacks(&lanes->backend) != 0) {
        return;
    }
    for (size_t f = 0; f < layout->fields; f++) {
        for (size_t i = 0; i < TALLY_LAYOUT_ROWS; i++) {
            digits[f][i] = (uint16_t)random_below(layout->field[f].choices->size);
        }
    }
    tally_layout_portable.write(layout, digits, rows, expected, one);
    lanes->write(layout, digits, rows, made, two);
    for (size_t i = 0; i < rows; i++) {
        CHECK_EQUAL(two[i] != 0, one[i] != 0);
        for (size_t p = 0; p < layout->width; p++) {
            /* Of a check digit that is none, anything is left. */
            CHECK(one[i] != 0 ||
                  made[p * TALLY_LAYOUT_ROWS + i] == expected[p * TALLY_LAYOUT_ROWS + i]);
            text[p * TALLY_LAYOUT_ROWS + i] =
                random_below(40) == 0 ? (uint8_t)random_u64() : expected[p * TALLY_LAYOUT_ROWS + i];
        }
    }
    tally_layout_portable.read(layout, text, rows, digits, one);
    lanes->read(layout, text, rows, other, two);
    CHECK_BYTES(two, one, rows);
    for (size_t f = 0; f < layout->fields; f++) {
        CHECK_BYTES(other[f], digits[f], rows * sizeof **digits);
    }
}

static void check_back_ends(size_t which)
{
    tally_format *format = make(cases[which].description);
    if (strcmp(tally_format_name(format), "phone") == 0) {
        tally_format_free(format); /* its layouts are not its own */
        return;
    }
    const tally_layouts *layouts = format->own;
    CHECK_ABOUT("%s", cases[which].description);
    for (int i = 0; i < random_cases(40); i++) {
        const tally_layout *layout = &layouts->layout[random_below(layouts->count)];
        check_lanes(&tally_layout_portable, layout);
#if defined(__GNUC__)
        check_lanes(&tally_layout_one, layout);
#endif
#if defined(TALLY_ARCH_X86_64)
        check_lanes(&tally_layout_avx2, layout);
        check_lanes(&tally_layout_avx512, layout);
#endif
    }
    tally_format_free(format);
}

/* Tokens of SSNs stay among those that can be assigned, or among the others. */
static void check_ssn(void)
{
    static const struct {
        const char *value;
        int assignable; /* -1: of another notation */
    } given[] = {{"078-05-1120", 1},  {"899999999", 1},   {"001 01 0001", 1},  {"000-12-3456", 0},
                 {"666-12-3456", 0},  {"900-12-3456", 0}, {"123-00-4567", 0},  {"123-45-0000", 0},
                 {"12-345-6789", -1}, {"12345678", -1},   {"123-45-67890", -1}};
    for (int assignable = 0; assignable < 2; assignable++) {
        tally_format *format = make(assignable ? "{\"type\": \"ssn\", \"assignable\": true}"
                                               : "{\"type\": \"ssn\", \"assignable\": false}");
        format_run *run = format_run_new(format, key, sizeof key, "n", 0);
        for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
            char out[WIDTH * 2], back[WIDTH * 2];
            const char *value = given[i].value;
            const int expected = given[i].assignable == assignable ? 0
                                 : given[i].assignable < 0         ? TALLY_REASON_NOTATION
                                                                   : TALLY_REASON_RANGE;
            CHECK_ABOUT("%s, assignable %d", value, assignable);
            CHECK_EQUAL(run_one(format, run, TALLY_ENCRYPT, value, strlen(value), NULL, out),
                        expected);
            if (expected == 0) {
                CHECK_EQUAL(run_one(format, run, TALLY_DECRYPT, out, strlen(out), NULL, back), 0);
                CHECK(strcmp(back, value) == 0);
            }
        }
        format_run_free(run);
        tally_format_free(format);
    }
}

/* Which digits of a phone number stay, and which texts are none. */
static void check_phone(void)
{
    static const struct {
        const char *country, *value;
        size_t kept; /* characters at the beginning, at least */
        int reason;
    } given[] = {{"any", "+49 30 901820", 3, 0},
                 {"any", "+49 (0)30 901820", 7, 0},
                 {"any", "(+1) 202-555-0143", 5, 0},
                 {"any", "0049/30 901820", 5, 0},
                 {"any", "+39 06 1234567", 4, 0},
                 {"any", "+49 030 901820", 0, TALLY_REASON_NOTATION},
                 {"any", "030 901820", 0, TALLY_REASON_NOTATION},
                 {"any", "+999 901820", 0, TALLY_REASON_NOTATION},
                 {"any", "+49", 0, TALLY_REASON_NOTATION},
                 {"any", "+1 202 555 014", 0, TALLY_REASON_NOTATION},
                 {"any", "+49 30 901820 a", 0, TALLY_REASON_FOREIGN},
                 {"any", "+49 30 901820 ext", 0, TALLY_REASON_FOREIGN},
                 {"any", "+49 30 901820 x12345678", 0, TALLY_REASON_FOREIGN},
                 {"any", "++49 30 901820", 0, TALLY_REASON_FOREIGN},
                 {"any", "", 0, TALLY_REASON_NOTATION},
                 {"DE", "030 901820", 1, 0},
                 {"DE", "30 901820", 0, 0},
                 {"DE", "+1 202 555 0143", 3, 0},
                 {"DE", "030 901820 Ext. 12", 1, 0},
                 {"DE", "030 901820;ext=12", 1, 0},
                 {"US", "1 202 555 0143", 1, 0},
                 {"US", "011 49 30 901820", 6, 0},
                 {"US", "202 555 0143", 0, 0}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char description[64], out[WIDTH * 2], back[WIDTH * 2];
        const char *value = given[i].value;
        snprintf(description, sizeof description, "{\"type\": \"phone\", \"country\": \"%s\"}",
                 given[i].country);
        tally_format *format = make(description);
        format_run *run = format_run_new(format, key, sizeof key, "n", 0);
        CHECK_ABOUT("%s: %s", given[i].country, value);
        CHECK_EQUAL(run_one(format, run, TALLY_ENCRYPT, value, strlen(value), NULL, out),
                    given[i].reason);
        if (given[i].reason == 0) {
            const char *extension = strpbrk(value, "E;");
            CHECK(strcmp(out, value) != 0);
            CHECK_BYTES(out, value, given[i].kept);
            CHECK(extension == NULL || strcmp(out + (extension - value), extension) == 0);
            CHECK_EQUAL(run_one(format, run, TALLY_DECRYPT, out, strlen(out), NULL, back), 0);
            CHECK(strcmp(back, value) == 0);
        }
        format_run_free(run);
        tally_format_free(format);
    }
}

/* An allocator that counts what is out, and gives nothing more once `left` pieces are gone. */
static struct {
    size_t out, largest, left;
} counted;

static void *counted_allocate(void *context, size_t size)
{
    (void)context;
    if (counted.left == 0) {
        return NULL;
    }
    counted.left--;
    counted.out += size;
    counted.largest = size > counted.largest ? size : counted.largest;
    return malloc(size);
}

static void counted_release(void *context, void *memory, size_t size)
{
    (void)context;
    counted.out -= size;
    free(memory);
}

/* A format takes memory for the countries that it sees. */
static void check_phone_memory(void)
{
    static const tally_allocator allocator = {counted_allocate, counted_release, NULL};
    static const char description[] = "{\"type\": \"phone\", \"country\": \"DE\"}";
    static const char *const numbers[] = {"030 901820", "+49 30 9018201"};
    tally_format *format = NULL;
    tally_problem problem;
    char out[WIDTH * 2], again[WIDTH * 2];
    CHECK_ABOUT("memory of phone");
    counted.left = SIZE_MAX;
    CHECK_EQUAL(tally_format_new(&allocator, description, strlen(description), &format, &problem),
                TALLY_OK);
    format_run *run = format_run_new(format, key, sizeof key, "n", 0);
    counted.left = 0;
    tally_one one = {.value = (const uint8_t *)numbers[0],
                     .size = strlen(numbers[0]),
                     .out = (uint8_t *)out,
                     .capacity = WIDTH};
    CHECK_EQUAL(format->of->one(format, &run->run, &one), TALLY_ERROR_MEMORY);
    const int32_t ends[2] = {0, (int32_t)one.size};
    uint8_t reason;
    tally_text_column column = {
        .in = {.offsets = ends, .offset_size = 4, .values = one.value, .rows = 1},
        .status = &reason,
        .values = (uint8_t *)out};
    CHECK_EQUAL(format->of->text(format, &run->run, &column), TALLY_ERROR_MEMORY);
    counted.left = SIZE_MAX;
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQUAL(run_one(format, run, TALLY_ENCRYPT, numbers[i], strlen(numbers[i]), NULL, out),
                    0);
        const size_t before = counted.out;
        CHECK_EQUAL(
            run_one(format, run, TALLY_ENCRYPT, numbers[i], strlen(numbers[i]), NULL, again), 0);
        CHECK(strcmp(again, out) == 0 && counted.out == before); /* made once */
    }
    CHECK(counted.out < 64 << 10);
    /* All of them at last; the work is that of the longest. */
    uint64_t work = 0;
    size_t made = 0;
    counted.largest = 0;
    for (size_t i = 0; i < TALLY_PHONE_LAYOUTS; i++) {
        const tally_layout *layout = tally_phone_layout(format, i);
        CHECK((layout == NULL) == (tally_phone_plans[i / 2].numbers[i % 2] == 0));
        if (layout != NULL) {
            CHECK(tally_phone_layout(format, i) == layout);
            CHECK_EQUAL(layout->size, tally_phone_plans[i / 2].numbers[i % 2]);
            const uint64_t own =
                tally_format_layers(layout->params.radix, layout->params.length, 1);
            work = own > work ? own : work;
            made++;
        }
    }
    CHECK_EQUAL(work, TALLY_PHONE_WORK);
    CHECK_EQUAL(tally_format_work(format, 1), TALLY_PHONE_WORK);
    CHECK(counted.largest <= 6144 && counted.out < (64 << 10) + made * 6144);
    format_run_free(run);
    tally_format_free(format);
    CHECK_EQUAL(counted.out, 0);
}

static void check_refusals(void)
{
    static const char *const wrong[][2] = {
        {"", "pattern: a pattern must be 1 to 256 printable ASCII characters"},
        {"99\xc3\xa9", "pattern: a pattern must be 1 to 256 printable ASCII characters"},
        {"99(9", "pattern: a '(' is never closed; write '\\(' for the character"},
        {"999)", "pattern: a ')' has no '(' before it; write '\\)' for the character"},
        {"999[ab", "pattern: a '[' is never closed"},
        {"999[]", "pattern: a set is empty; write '\\[' for the character '['"},
        {"999[a-cb]", "pattern: a set has a character twice"},
        {"999[c-a]", "pattern: in a set, the range 'c-a' must begin with the lower character"},
        {"-'-", "pattern: \"-'-\" has nothing to encrypt"},
        {"A(9)(X)99",
         "pattern: a value may match both 'A999' and 'AX99', so its token could not be revealed; "
         "make a set smaller, or nest optional parts, as in 'A(A(A))'"},
        {"999(9)(9)(9)(9)(9)(9)(9)(9)(9)",
         "pattern: optional parts make more than 256 layouts; use fewer of them"},
        {"9", "pattern: the smallest domain has only 10 values, so anyone who can protect values "
              "can compute all its tokens; widen the format, or set allow_tiny_domain = true"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char description[1024];
        tally_writer out;
        tally_format *format;
        tally_problem problem;
        tally_writer_init(&out, description, sizeof description);
        tally_write(&out, "{\"type\": \"pattern\", \"pattern\": ");
        tally_write_json(&out, wrong[i][0], strlen(wrong[i][0]));
        tally_write(&out, "}");
        CHECK_ABOUT("%s", wrong[i][0]);
        CHECK_EQUAL(tally_format_new(NULL, description, out.size, &format, &problem),
                    TALLY_ERROR_FORMAT);
        CHECK(strcmp(problem.text, wrong[i][1]) == 0);
    }
}

#if defined(TALLY_ARCH_X86_64)

/* Whether the ten digits of a number are those of a German one. */
static bool idnr_is_value(uint64_t number)
{
    unsigned count[10] = {0}, distinct = 0, most = 0;
    if (number >= UINT64_C(9000000000)) {
        return false;
    }
    number += UINT64_C(1000000000); /* the first digit is 1 to 9 */
    for (unsigned i = 0; i < 10; i++, number /= 10) {
        count[number % 10]++;
    }
    for (unsigned d = 0; d < 10; d++) {
        distinct += count[d] != 0;
        most = count[d] > most ? count[d] : most;
    }
    return (distinct == 9 && most == 2) || (distinct == 8 && most == 3);
}

/* Numbers as words, of which a block is full. */
static struct {
    uint8_t symbols[5 * 80];
    uint64_t number[TALLY_LAYOUT_ROWS];
    size_t count, values;
} idnr;

static void idnr_add(uint64_t number)
{
    uint64_t left = number;
    for (size_t s = 5; s-- > 0; left /= 98) {
        idnr.symbols[80 * s + idnr.count] = (uint8_t)(left % 98);
    }
    if (left != 0) { /* it has no word */
        return;
    }
    idnr.number[idnr.count++] = number;
    if (idnr.count == TALLY_LAYOUT_ROWS) {
        const uint64_t found = tally_layout_idnr_avx512.values(idnr.symbols, 80);
        for (size_t i = 0; i < TALLY_LAYOUT_ROWS; i++) {
            CHECK_EQUAL(found >> i & 1, idnr_is_value(idnr.number[i]));
            idnr.values += found >> i & 1;
        }
        idnr.count = 0;
    }
}

#endif

/* Quotients by 10^4 grow with the number, so they are right if they are around all multiples. */
static void check_german_words(void)
{
#if defined(TALLY_ARCH_X86_64)
    if (tally_backend_lacks(&tally_layout_idnr_avx512.backend) != 0) {
        return;
    }
    for (uint64_t k = 0; k <= 903921; k++) {
        idnr_add(10000 * k);
        idnr_add(10000 * k + 9999);
    }
    for (uint64_t low = 0; low < 10000; low++) { /* behind 1234 and 5, and behind 12 and 3567 */
        idnr_add(UINT64_C(234560000) + low);
        idnr_add(UINT64_C(230000123) + 10000 * low);
    }
    for (unsigned i = 0; i < 100000; i++) {
        idnr_add(random_u64() % UINT64_C(9039207968));
    }
    CHECK(idnr.values > 3000);
#endif
}

int main(int argc, char **argv)
{
    check_vectors();
    if (!check_vectors_only(argc, argv)) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            check_back_ends(i);
            size_t rows = 0, valid = 0;
            for (int k = 0; k < 4; k++) {
                const size_t some = k == 0 ? (size_t)random_cases(ROWS) : 1 + random_below(300);
                valid += check_column(i, some, k & 1, k >> 1);
                rows += some;
            }
            CHECK_ABOUT("%s", cases[i].description);
            CHECK(valid > rows / 8); /* of all four: few rows may all be null or invalid */
        }
        check_ssn();
        check_german_words();
        check_phone();
        check_phone_memory();
        check_refusals();
    }
    return check_end("formats with layouts");
}
