/* SPDX-License-Identifier: Apache-2.0
 *
 * FF3-1 and FF3: samples of NIST and ACVP, and vectors of a plain model, then errors. */
#include <math.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "ff1/ff3_1.h"
#include "ff1_others.h"
#include "json.h"

enum { COPIES = 70, MOST = 256 };

typedef struct instance {
    uint8_t *memory;
    tally_ff3_1 *cipher;
} instance;

static instance instance_make(uint32_t radix, const uint8_t *key, size_t key_size)
{
    instance made = {.memory = malloc(tally_ff3_1_size())};
    CHECK_EQUAL(
        tally_ff3_1_init(radix, key, key_size, made.memory, tally_ff3_1_size(), &made.cipher),
        TALLY_OK);
    return made;
}

static void instance_dispose(instance *made)
{
    tally_ff3_1_wipe(made->cipher);
    free(made->memory);
}

/* Symbols of a vector, of two bytes big-endian above radix 256. */
static size_t read_word(const json_case *c, const char *name, uint32_t radix, uint8_t *out)
{
    const size_t size = json_hex(c, name, out, MOST);
    for (size_t i = 0; radix > 256 && i < size; i += 2) {
        const uint16_t symbol = (uint16_t)(out[i] << 8 | out[i + 1]);
        memcpy(out + i, &symbol, 2);
    }
    return size;
}

static void test_vectors(void)
{
    static uint8_t words[COPIES * MOST];
    json_file *file = json_load(TALLY_VECTORS "/ff3_1.json");
    CHECK(json_count(file) > 600);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t key[32], tweak[8], plain[MOST], token[MOST];
        const size_t key_size = json_hex(c, "key", key, sizeof key),
                     tweak_size = json_hex(c, "tweak", tweak, sizeof tweak);
        const uint32_t radix = (uint32_t)json_int(c, "radix"),
                       length = (uint32_t)json_int(c, "length");
        CHECK_ABOUT("ff3_1 case %zu: radix %u, length %u", i, radix, length);
        const size_t size = read_word(c, "plaintext", radix, plain);
        CHECK_EQUAL(read_word(c, "ciphertext", radix, token), size);
        instance made = instance_make(radix, key, key_size);
        const uint8_t *rows[COPIES];
        size_t sizes[COPIES];
        uint8_t *places[COPIES];
        for (size_t k = 0; k < COPIES; k++) {
            memcpy(words + size * k, token, size);
            places[k] = words + size * k;
            rows[k] = tweak;
            sizes[k] = tweak_size;
        }
        CHECK_EQUAL(
            tally_ff3_1_decrypt_words(made.cipher, length, tweak, tweak_size, words, COPIES, words),
            TALLY_OK);
        for (size_t k = 0; k < COPIES; k++) {
            CHECK_BYTES(places[k], plain, size);
            memcpy(places[k], token, size);
        }
        const tally_ff1_tweaks each = {.rows = rows, .row_sizes = sizes};
        CHECK_EQUAL(tally_ff3_1_run(made.cipher, length, &each, places, 3), TALLY_OK);
        CHECK_BYTES(places[2], plain, size);
        CHECK_BYTES(places[3], token, size);
        instance_dispose(&made);
    }
    json_free(file);
}

static void check_other(const ff1_other *other)
{
    uint8_t word[FF1_OTHERS_MOST];
    instance made = instance_make(other->radix, other->key, other->key_size);
    CHECK_EQUAL(tally_ff3_1_decrypt_words(made.cipher, other->length, other->tweak,
                                          other->tweak_size, other->token, 1, word),
                TALLY_OK);
    CHECK_BYTES(word, other->plain, other->length);
    instance_dispose(&made);
}

static void test_lengths(void)
{
    for (uint32_t radix = 2; radix <= TALLY_FF1_MAX_RADIX; radix++) {
        const uint32_t half = tally_ff3_1_max_length(radix) / 2;
        const double bits = half * log2(radix), next = (half + 1) * log2(radix);
        if (!(bits < 96 + 1e-9 && next > 96 - 1e-9)) {
            CHECK_ABOUT("radix %u", radix);
            CHECK_EQUAL(half, 0);
        }
    }
    CHECK_EQUAL(tally_ff3_1_max_length(2), 192);
    CHECK_EQUAL(tally_ff3_1_max_length(10), 56);
    CHECK_EQUAL(tally_ff3_1_max_length(65536), 12);
    CHECK_EQUAL(tally_ff3_1_max_length(1), 0);
    CHECK_EQUAL(tally_ff3_1_max_length(65537), 0);
    CHECK_EQUAL(tally_ff3_1_min_length(7, 10), 6);
    CHECK_EQUAL(tally_ff3_1_min_length(8, 10), 2);
    CHECK_EQUAL(tally_ff3_1_min_length(6, 10), 0);
}

static void test_refusals(void)
{
    const uint8_t key[33] = {0}, tweak[8] = {1};
    uint8_t word[60] = {0}, out[60], memory[2048];
    tally_ff3_1 *cipher = NULL;
    const size_t size = tally_ff3_1_size();
    CHECK(size <= sizeof memory);
    CHECK_EQUAL(tally_ff3_1_init(1, key, 16, memory, size, &cipher), TALLY_ERROR_FF1_RADIX);
    CHECK_EQUAL(tally_ff3_1_init(10, key, 15, memory, size, &cipher), TALLY_ERROR_KEY_SIZE);
    CHECK_EQUAL(tally_ff3_1_init(10, key, 33, memory, size, &cipher), TALLY_ERROR_KEY_SIZE);
    CHECK_EQUAL(tally_ff3_1_init(10, key, 16, memory, size - 1, &cipher), TALLY_ERROR_ARGUMENT);
    CHECK(cipher == NULL);
    instance made = instance_make(10, key, 16);
    static const struct {
        size_t tweak_size;
        uint32_t length;
        tally_status status;
    } cases[] = {
        {6, 10, TALLY_ERROR_FF1_TWEAK_SIZE}, {9, 10, TALLY_ERROR_FF1_TWEAK_SIZE},
        {0, 10, TALLY_ERROR_FF1_TWEAK_SIZE}, {7, 5, TALLY_ERROR_FF1_LENGTH},
        {8, 1, TALLY_ERROR_FF1_LENGTH},      {7, 57, TALLY_ERROR_FF1_LENGTH},
        {7, 10, TALLY_ERROR_FF1_SYMBOL},
    };
    word[3] = 10;
    memset(out, 9, sizeof out);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_ABOUT("refusal %zu", i);
        CHECK_EQUAL(tally_ff3_1_decrypt_words(made.cipher, cases[i].length, tweak,
                                              cases[i].tweak_size, word, 1, out),
                    cases[i].status);
        CHECK(out[0] == 9 && out[59] == 9);
    }
    CHECK_EQUAL(tally_ff3_1_decrypt_words(made.cipher, 10, tweak, 7, word, SIZE_MAX / 9, out),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_ff3_1_decrypt_words(made.cipher, 10, tweak, 7, NULL, 0, NULL), TALLY_OK);
    const uint8_t *const rows[1] = {tweak};
    const size_t sizes[1] = {7};
    const tally_ff1_tweaks both = {tweak, 1, rows, sizes};
    uint8_t *const place = out;
    CHECK_EQUAL(tally_ff3_1_run(made.cipher, 10, &both, &place, 1), TALLY_ERROR_FF1_TWEAK_SIZE);
    CHECK(out[0] == 9);
    instance_dispose(&made);
    uint8_t none[2048] = {0};
    memset(memory, 0, sizeof memory);
    CHECK_EQUAL(tally_ff3_1_init(10, key, 16, memory, size, &cipher), TALLY_OK);
    tally_ff3_1_wipe(cipher);
    CHECK_BYTES(memory, none, sizeof memory);
}

int main(int argc, char **argv)
{
    test_vectors();
    ff1_others(TALLY_VECTORS "/ff3_1_acvp.json", 28, check_other);
    ff1_others(TALLY_VECTORS "/ff3_1_peers.json", 80, check_other);
    tally_cpu_lower(0);
    test_vectors();
    tally_cpu_lower(UINT32_MAX);
    if (!check_vectors_only(argc, argv)) {
        test_lengths();
        test_refusals();
    }
    return check_end("ff3_1");
}
