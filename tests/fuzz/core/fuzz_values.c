/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of every format, and text that is none: a column gives what single values give, and what
 * was protected is revealed. */
#include "fuzz.h"
#include "tallystick/tokens.h"

enum { ROWS = 40, WIDTH = 120, TOKEN = 1 << 12 };

static const char *const descriptions[] = {
    "\"digits\"",
    "{\"type\": \"hex\", \"keep_last\": 2}",
    "\"letters\"",
    "{\"type\": \"alphanumeric\", \"case\": \"upper\"}",
    "\"base64url\"",
    "\"ascii\"",
    "\"card\"",
    "\"ssn\"",
    "\"phone\"",
    "\"email\"",
    "{\"type\": \"email\", \"part\": \"all\", \"at\": \"t.invalid\"}",
    "\"uuid\"",
    "\"date\"",
    "{\"type\": \"date\", \"notation\": \"DD.MM.YYYY\", \"first\": \"0001-01-01\"}",
    "\"date_shift\"",
    "{\"type\": \"date_shift\", \"notation\": \"YYYYMMDD\"}",
    "{\"type\": \"integer\", \"min\": -5000, \"max\": 999999999999999999}",
    "{\"type\": \"integer\", \"min\": -9, \"max\": 12345678, \"grouping_separator\": \"\\u202f\"}",
    "{\"type\": \"pattern\", \"pattern\": \"AA-999-(A)\"}",
    "\"iban\"",
    "{\"type\": \"national_id\", \"kind\": \"br.cpf\"}",
    "\"unicode\"",
    "{\"type\": \"decimal\", \"min\": \"-99.99\", \"max\": \"9999.99\", \"scale\": 2}",
    "{\"type\": \"decimal\", \"min\": \"-1\", \"max\": \"1\", \"scale\": 17, "
    "\"decimal_separator\": \",\"}",
    "{\"type\": \"decimal\", \"min\": 0, \"max\": 1000000, \"scale\": 3, "
    "\"decimal_separator\": \",\", \"grouping_separator\": \".\"}",
    "\"timestamp\"",
    "{\"type\": \"timestamp\", \"resolution\": \"us\"}",
    "\"imei\"",
    "\"ipv4\"",
    "{\"type\": \"ipv4\", \"prefix\": 16}",
    "\"ipv6\"",
    "{\"type\": \"ipv6\", \"prefix\": 64}",
    "{\"type\": \"mask\", \"keep_last\": 4}",
    "\"pseudonym\"",
    "{\"type\": \"bucket\", \"width\": 5, \"top\": 90}",
    "{\"type\": \"bucket\", \"width\": \"0.125\", \"origin\": \"-3.5\"}",
    "{\"type\": \"bucket\", \"edges\": [-5, 0, \"17.5\"]}",
    "{\"type\": \"bucket\", \"unit\": \"quarter\", \"label\": \"low\"}",
    "{\"type\": \"truncate\", \"characters\": 3, \"replacement\": \"\\u2022\"}",
    "{\"type\": \"truncate\", \"decimals\": 2}",
    "{\"type\": \"unicode\", \"script\": \"japanese\", \"keep_first\": 1}",
    "{\"type\": \"unicode\", \"repertoire\": \"german\"}",
    "{\"type\": \"unicode\", \"script\": \"devanagari\"}",
    "{\"type\": \"unicode\", \"script\": \"greek\", \"keep_last\": 1}",
    "\"ipcrypt\"",
};

/* A value: an example with some bytes changed, or any bytes. */
static size_t fuzz_value(fuzz_input *input, const tally_format *format, uint8_t out[WIDTH])
{
    const char *example = tally_format_example(format, fuzz_below(input, 2));
    size_t size = 0;
    if (fuzz_below(input, 8) == 0) {
        size = fuzz_below(input, WIDTH);
        memcpy(out, fuzz_bytes(input, size), size);
        return size;
    }
    example = example != NULL ? example : tally_format_example(format, 0);
    size = strlen(example) < WIDTH ? strlen(example) : WIDTH;
    memcpy(out, example, size);
    for (uint32_t k = fuzz_below(input, 6); k > 0 && size > 0; k--) {
        const size_t at = fuzz_below(input, size);
        switch (fuzz_below(input, 4)) {
        case 0:
            memmove(out + at, out + at + 1, size - at - 1);
            size--;
            break;
        case 1:
            if (size < WIDTH) {
                memmove(out + at + 1, out + at, size - at);
                out[at] = (uint8_t)fuzz_number(input, 1);
                size++;
            }
            break;
        default:
            out[at] = (uint8_t)('0' + fuzz_below(input, 10));
        }
    }
    return size;
}

/* An array of text, of memory that has its size. */
typedef struct fuzz_text {
    struct ArrowSchema type;
    struct ArrowArray array;
    const void *buffers[3];
    int32_t *offsets;
    uint8_t *validity, *values;
} fuzz_text;

/* The target's memory is released at its end. */
static void fuzz_keep_type(struct ArrowSchema *type)
{
    (void)type;
}

static void fuzz_keep_array(struct ArrowArray *array)
{
    (void)array;
}

static void fuzz_text_init(fuzz_text *text, uint8_t (*held)[WIDTH], const size_t *size,
                           const uint8_t *is_null, size_t rows)
{
    size_t at = 0;
    memset(text, 0, sizeof *text);
    text->offsets = FUZZ_ARRAY(int32_t, rows + 1);
    text->validity = fuzz_buffer((rows + 7) / 8);
    for (size_t i = 0; i < rows; i++) {
        text->offsets[i] = (int32_t)at;
        at += size[i];
    }
    text->offsets[rows] = (int32_t)at;
    text->values = fuzz_buffer(at);
    for (size_t i = 0; i < rows; i++) {
        const uint8_t bit = (uint8_t)(1 << i % 8);
        if (size[i] > 0) {
            memcpy(text->values + text->offsets[i], held[i], size[i]);
        }
        text->validity[i / 8] = (uint8_t)((text->validity[i / 8] & ~bit) | (is_null[i] ? 0 : bit));
    }
    text->buffers[0] = text->validity;
    text->buffers[1] = text->offsets;
    text->buffers[2] = text->values;
    text->type = (struct ArrowSchema){
        .format = "u", .name = "", .flags = ARROW_FLAG_NULLABLE, .release = fuzz_keep_type};
    text->array = (struct ArrowArray){.length = (int64_t)rows,
                                      .null_count = -1,
                                      .n_buffers = 3,
                                      .buffers = text->buffers,
                                      .release = fuzz_keep_array};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t key[16] = {1, 2, 3};
    fuzz_input input = {data, size};
    const char *description =
        descriptions[fuzz_below(&input, sizeof descriptions / sizeof *descriptions)];
    const size_t rows = fuzz_below(&input, ROWS);
    const uint32_t with_tweaks = fuzz_below(&input, 2);
    static uint8_t held[ROWS][WIDTH], tweak[ROWS][WIDTH], token[TOKEN], back[TOKEN];
    size_t held_size[ROWS], tweak_size[ROWS];
    uint8_t is_null[ROWS], never_null[ROWS] = {0};
    tally_format *format = NULL;
    tally_tokenizer *tokenizer = NULL;
    tally_worker *worker = NULL;
    tally_problem problem;
    CHECK_ABOUT("%s", description);
    CHECK_EQUAL(tally_format_new(NULL, description, strlen(description), &format, &problem),
                TALLY_OK);
    const int keyed = tally_format_is_keyed(format), tweaked = keyed && with_tweaks != 0;
    CHECK_EQUAL(tally_tokenizer_new(NULL, format, keyed ? key : NULL, keyed ? sizeof key : 0, "n",
                                    1, TALLY_INVALID_NULL, &tokenizer, &problem),
                TALLY_OK);
    CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
    for (size_t i = 0; i < rows; i++) {
        held_size[i] = fuzz_value(&input, format, held[i]);
        is_null[i] = fuzz_below(&input, 10) == 0;
        tweak_size[i] = 1;
        tweak[i][0] = (uint8_t)('a' + fuzz_below(&input, 4));
    }
    fuzz_text values, tweaks;
    fuzz_text_init(&values, held, held_size, is_null, rows);
    fuzz_text_init(&tweaks, tweak, tweak_size, never_null, rows);
    struct ArrowArray out;
    tally_counts counts = {0};
    tally_invalid invalid;
    CHECK_EQUAL(tally_protect_array(worker, &values.type, &values.array,
                                    tweaked ? &tweaks.type : NULL, tweaked ? &tweaks.array : NULL,
                                    &out, &counts, &invalid, &problem),
                TALLY_OK);
    for (size_t i = 0; i < rows; i++) {
        const uint8_t *validity = out.buffers[0];
        const int32_t *offsets = out.buffers[1];
        const int valid = validity == NULL || (validity[i / 8] >> i % 8 & 1) != 0;
        size_t token_size, back_size;
        tally_fault fault;
        CHECK_EQUAL(tally_protect_value(worker, held[i], held_size[i], tweaked ? tweak[i] : NULL,
                                        tweaked ? 1 : 0, token, sizeof token, &token_size, &fault),
                    TALLY_OK);
        CHECK_EQUAL(valid, !is_null[i] && fault.reason == TALLY_REASON_NONE);
        if (valid) {
            CHECK_EQUAL(offsets[i + 1] - offsets[i], token_size);
            CHECK_BYTES((const uint8_t *)out.buffers[2] + offsets[i], token, token_size);
        }
        if (fault.reason == TALLY_REASON_NONE && !tally_format_is_one_way(format)) {
            CHECK_EQUAL(tally_reveal_value(worker, token, token_size, tweaked ? tweak[i] : NULL,
                                           tweaked ? 1 : 0, back, sizeof back, &back_size, &fault),
                        TALLY_OK);
            CHECK_EQUAL(fault.reason, TALLY_REASON_NONE);
            CHECK_EQUAL(back_size, held_size[i]);
            CHECK_BYTES(back, held[i], held_size[i]);
        }
    }
    out.release(&out);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
    return fuzz_end();
}
