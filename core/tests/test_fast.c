/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST on words and ranges: published vectors, then properties, then errors. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "fast/words/cipher.h"
#include "fast_instance.h"
#include "json.h"
#include "random.h"
#include "tallystick/fast.h"

enum { SLOTS = 8 };

/* Both directions of one word, out of place and in place. */
static void check_word(const instance *made, const tally_fast_params *params, const uint8_t *tweak,
                       size_t tweak_size, const uint8_t *plain, const uint8_t *expected)
{
    uint8_t *word = malloc(params->length + 1);
    word[params->length] = 0xa5;
    CHECK_EQUAL(tally_fast_encrypt_words(made->cipher, params, tweak, tweak_size, plain, 1, word),
                TALLY_OK);
    CHECK_BYTES(word, expected, params->length);
    CHECK_EQUAL(tally_fast_decrypt_words(made->cipher, params, tweak, tweak_size, word, 1, word),
                TALLY_OK);
    CHECK_BYTES(word, plain, params->length);
    CHECK_EQUAL(word[params->length], 0xa5);
    free(word);
}

static void test_word_vectors(const char *path, size_t count)
{
    json_file *file = json_load(path);
    CHECK_EQUAL(json_count(file), count);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        CHECK_ABOUT("%s case %zu", path + strlen(TALLY_VECTORS), i);
        uint8_t key[32], tweak[256], plain[256], expected[256];
        size_t key_size = json_hex(c, "key", key, sizeof key);
        size_t tweak_size = json_hex(c, "tweak", tweak, sizeof tweak);
        json_bytes(c, "plaintext", plain, sizeof plain);
        json_bytes(c, "ciphertext", expected, sizeof expected);
        uint32_t radix = (uint32_t)json_int(c, "radix");
        tally_fast_params params = {0};
        CHECK_EQUAL(
            tally_fast_recommended(TALLY_FAST, radix, (uint32_t)json_int(c, "length"), &params),
            TALLY_OK);
        CHECK_EQUAL(params.layers, json_int(c, "layers"));
        CHECK_EQUAL(params.w, json_int(c, "w"));
        CHECK_EQUAL(params.w_prime, json_int(c, "w_prime"));
        instance made = instance_make(TALLY_FAST, radix, key, key_size, SLOTS);
        check_word(&made, &params, tweak, tweak_size, plain, expected);
        instance_dispose(&made);
    }
    json_free(file);
}

static void test_legacy_vectors(void)
{
    json_file *file = json_load(TALLY_VECTORS "/fast_bytes_legacy.json");
    CHECK_EQUAL(json_count(file), 64);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        CHECK_ABOUT("fast_bytes_legacy case %zu", i);
        uint8_t key[32], tweak[256], plain[1024], expected[1024];
        size_t key_size = json_hex(c, "Key", key, sizeof key);
        size_t tweak_size = json_hex(c, "Tweak", tweak, sizeof tweak);
        size_t length = json_hex(c, "Plaintext", plain, sizeof plain);
        json_hex(c, "Ciphertext", expected, sizeof expected);
        tally_fast_params params = {0};
        CHECK_EQUAL(tally_fast_recommended(TALLY_FAST_BYTES_LEGACY, 256, (uint32_t)length, &params),
                    TALLY_OK);
        instance made = instance_make(TALLY_FAST_BYTES_LEGACY, 256, key, key_size, SLOTS);
        check_word(&made, &params, tweak, tweak_size, plain, expected);
        instance_dispose(&made);
    }
    json_free(file);
}

/* A key whose radix-256 pool needs a draw to be repeated, and explicit parameters. */
static void test_special_vectors(void)
{
    json_file *file = json_load(TALLY_VECTORS "/fast_special.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        CHECK_ABOUT("fast_special: %s", json_string(c, "about"));
        uint8_t key[32], tweak[64], plain[64], expected[64];
        size_t key_size = json_hex(c, "key", key, sizeof key);
        size_t tweak_size = json_hex(c, "tweak", tweak, sizeof tweak);
        size_t length = json_bytes(c, "plaintext", plain, sizeof plain);
        json_bytes(c, "ciphertext", expected, sizeof expected);
        tally_fast_params params = {(uint32_t)json_int(c, "radix"), (uint32_t)length,
                                    (uint32_t)json_int(c, "layers"), (uint32_t)json_int(c, "w"),
                                    (uint32_t)json_int(c, "w_prime")};
        instance made = instance_make(TALLY_FAST, params.radix, key, key_size, SLOTS);
        check_word(&made, &params, tweak, tweak_size, plain, expected);
        instance_dispose(&made);
    }
    json_free(file);
}

/* Every recommended instance up to length 256, against a hash of exact results. */
static void test_recommended(void)
{
    json_file *file = json_load(TALLY_VECTORS "/fast_recommended.json");
    const json_case *c = json_at(file, 0);
    uint64_t hash = 0xcbf29ce484222325;
    for (uint32_t radix = 4; radix <= 256; radix++) {
        for (uint32_t length = 2; length <= 256; length++) {
            tally_fast_params p = {0};
            CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, radix, length, &p), TALLY_OK);
            uint32_t fields[3] = {p.layers, p.w, p.w_prime};
            for (int i = 0; i < 12; i++) {
                uint8_t byte = (uint8_t)(fields[i / 4] >> (24 - 8 * (i % 4)));
                hash = (hash ^ byte) * 0x100000001b3;
            }
        }
    }
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    CHECK(strcmp(text, json_string(c, "fnv1a64")) == 0);
    json_free(file);
}

/* Random instances: decryption inverts encryption, words of a batch are independent, and a cipher
 * that keeps one sequence agrees with one that keeps several. */
static void test_round_trips(void)
{
    for (int i = 0; i < random_cases(400); i++) {
        uint8_t key[32], tweak[300], words[3 * 200], many[3 * 200], single[3 * 200];
        uint32_t radix = i % 8 == 0 ? 256 : 4 + random_below(253);
        uint32_t length = 2 + random_below(i % 4 == 0 ? 199 : 30);
        size_t key_size = 16 + 8 * (size_t)random_below(3);
        size_t tweak_size = random_below(sizeof tweak);
        random_bytes(key, sizeof key);
        random_bytes(tweak, sizeof tweak);
        for (size_t k = 0; k < 3 * length; k++) {
            words[k] = (uint8_t)random_below(radix);
        }
        CHECK_ABOUT("radix %u, length %u", radix, length);
        instance several = instance_make(TALLY_FAST, radix, key, key_size, SLOTS);
        instance one = instance_make(TALLY_FAST, radix, key, key_size, 1);
        tally_fast_params params;
        CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, radix, length, &params), TALLY_OK);
        if (i % 3 == 0) { /* any parameters that make a cipher */
            params.layers = length * (1 + random_below(20));
            params.w = random_below(length - 1);
            params.w_prime = 1 + random_below(length - 1);
        }
        CHECK_EQUAL(
            tally_fast_encrypt_words(several.cipher, &params, tweak, tweak_size, words, 3, many),
            TALLY_OK);
        for (size_t k = 0; k < 3; k++) {
            CHECK_EQUAL(tally_fast_encrypt_words(one.cipher, &params, tweak, tweak_size,
                                                 words + k * length, 1, single + k * length),
                        TALLY_OK);
            /* Another sequence takes the only slot. */
            uint8_t other[200];
            CHECK_EQUAL(tally_fast_encrypt_words(one.cipher, &params, key, 1, words, 1, other),
                        TALLY_OK);
        }
        CHECK_BYTES(many, single, 3 * length);
        CHECK_EQUAL(tally_fast_decrypt_words(one.cipher, &params, tweak, tweak_size, many, 3, many),
                    TALLY_OK);
        CHECK_BYTES(many, words, 3 * length);
        instance_dispose(&several);
        instance_dispose(&one);
    }
}

/* The longest words, whose sequences no slot can hold. All 82 million layers that are recommended run
 * where size_t has 32 bits, and else in test_column.c; here 20 rounds, 640 windows. */
static void test_long_words(void)
{
    uint8_t key[16] = {1};
    tally_fast_params params;
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, SLOTS);
    uint8_t *word = malloc(TALLY_FAST_LEGACY_MAX_LENGTH);
    uint8_t *plain = malloc(TALLY_FAST_LEGACY_MAX_LENGTH);
    for (size_t i = 0; i < TALLY_FAST_LEGACY_MAX_LENGTH; i++) {
        plain[i] = (uint8_t)(i * i % 10);
    }
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, TALLY_FAST_MAX_LENGTH, &params), TALLY_OK);
    if (sizeof(size_t) > 4) {
        params.layers = 20 * params.length;
    }
    CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, NULL, 0, plain, 1, word), TALLY_OK);
    CHECK(memcmp(word, plain, params.length) != 0);
    CHECK_EQUAL(tally_fast_decrypt_words(made.cipher, &params, NULL, 0, word, 1, word), TALLY_OK);
    CHECK_BYTES(word, plain, params.length);
    instance_dispose(&made);

    made = instance_make(TALLY_FAST_BYTES_LEGACY, 256, key, sizeof key, SLOTS);
    CHECK_EQUAL(
        tally_fast_recommended(TALLY_FAST_BYTES_LEGACY, 256, TALLY_FAST_LEGACY_MAX_LENGTH, &params),
        TALLY_OK);
    CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, NULL, 0, plain, 1, word), TALLY_OK);
    CHECK(memcmp(word, plain, params.length) != 0);
    CHECK_EQUAL(tally_fast_decrypt_words(made.cipher, &params, NULL, 0, word, 1, word), TALLY_OK);
    CHECK_BYTES(word, plain, params.length);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST_BYTES_LEGACY, 256, 0, &params), TALLY_OK);
    CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, key, 16, NULL, 1, NULL), TALLY_OK);
    instance_dispose(&made);
    free(word);
    free(plain);
}

/* An empty tweak is the same one whether its pointer is NULL or not, and whichever came first. */
/* Lanes that hold no word may hold anything. */
static void test_idle_lanes(void)
{
    enum { MOST = 600, LENGTH = 6 };
    static uint8_t words[MOST * LENGTH], tokens[MOST * LENGTH];
    const uint8_t key[16] = {0};
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, SLOTS);
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, LENGTH, &params), TALLY_OK);
    for (size_t count = 1; count <= MOST; count++) {
        CHECK_ABOUT("%zu words", count);
        memset(made.cipher->lane_state, 0xa5, sizeof made.cipher->lane_state);
        CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, NULL, 0, words, count, tokens),
                    TALLY_OK);
        CHECK_BYTES(tokens, tokens + (count - 1) * LENGTH, LENGTH);
        memset(made.cipher->lane_state, 0xa5, sizeof made.cipher->lane_state);
        CHECK_EQUAL(tally_fast_decrypt_words(made.cipher, &params, NULL, 0, tokens, count, tokens),
                    TALLY_OK);
        CHECK_BYTES(tokens, words, count * LENGTH);
    }
    instance_dispose(&made);
}

static void test_empty_tweak(void)
{
    static const uint8_t key[16] = {2}, plain[4] = {1, 2, 3, 4};
    static const uint64_t number = 77;
    for (int profile = TALLY_FAST; profile <= TALLY_FAST_BYTES_LEGACY; profile++) {
        for (uint32_t length = 2; length <= 4; length++) {
            CHECK_ABOUT("an empty tweak, profile %d, length %u", profile, length);
            uint8_t words[2][4] = {{0}};
            uint64_t numbers[2] = {0};
            for (size_t i = 0; i < 2; i++) {
                const uint8_t *tweak = i == 0 ? NULL : key;
                tally_fast_params params;
                instance made =
                    instance_make((tally_fast_profile)profile, 256, key, sizeof key, SLOTS);
                CHECK_EQUAL(
                    tally_fast_recommended((tally_fast_profile)profile, 256, length, &params),
                    TALLY_OK);
                CHECK_EQUAL(
                    tally_fast_encrypt_words(made.cipher, &params, tweak, 0, plain, 1, words[i]),
                    TALLY_OK);
                if (profile == TALLY_FAST) {
                    CHECK_EQUAL(tally_fast_encrypt_range(made.cipher, UINT64_C(1) << 32, tweak, 0,
                                                         &number, 1, &numbers[i]),
                                TALLY_OK);
                }
                instance_dispose(&made);
            }
            CHECK_BYTES(words[0], words[1], length);
            CHECK(numbers[0] == numbers[1]);
        }
    }
}

/* All two-symbol words of a radix have distinct tokens. */
static void test_bijection(void)
{
    for (uint32_t radix = 4; radix <= 256; radix += radix < 16 ? 1 : 60) {
        uint8_t key[24] = {(uint8_t)radix}, seen[65536] = {0};
        instance made = instance_make(TALLY_FAST, radix, key, sizeof key, SLOTS);
        tally_fast_params params;
        CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, radix, 2, &params), TALLY_OK);
        size_t repeated = 0;
        for (uint32_t value = 0; value < radix * radix; value++) {
            uint8_t word[2] = {(uint8_t)(value / radix), (uint8_t)(value % radix)};
            CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, NULL, 0, word, 1, word),
                        TALLY_OK);
            repeated += seen[word[0] * radix + word[1]]++;
        }
        CHECK_ABOUT("radix %u", radix);
        CHECK_EQUAL(repeated, 0);
        instance_dispose(&made);
    }
}

static void test_ranges(void)
{
    static const uint64_t sizes[] = {2,     3,     15,        16,         17,
                                     100,   255,   256,       257,        1000,
                                     65536, 65537, 888931098, 4294967296, UINT64_C(1) << 63,
                                     0 /* 2^64 */};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t size = sizes[i], last = size - 1;
        CHECK_ABOUT("range of %" PRIu64, size);
        tally_fast_params params;
        CHECK_EQUAL(tally_fast_range_params(size, &params), TALLY_OK);
        uint8_t key[16] = {7};
        instance made = instance_make(TALLY_FAST, params.radix, key, sizeof key, SLOTS);
        if (last < 65536) {
            uint8_t *seen = calloc((size_t)size, 1);
            size_t repeated = 0;
            for (uint64_t x = 0; x <= last; x++) {
                uint64_t y = size, back;
                CHECK_EQUAL(tally_fast_encrypt_range(made.cipher, size, key, 3, &x, 1, &y),
                            TALLY_OK);
                CHECK(y <= last);
                repeated += seen[y]++;
                CHECK_EQUAL(tally_fast_decrypt_range(made.cipher, size, key, 3, &y, 1, &back),
                            TALLY_OK);
                CHECK_EQUAL(back, x);
            }
            CHECK_EQUAL(repeated, 0);
            free(seen);
        } else {
            uint64_t numbers[5] = {0, 1, last / 3, last - 1, last}, out[5];
            CHECK_EQUAL(tally_fast_encrypt_range(made.cipher, size, NULL, 0, numbers, 5, out),
                        TALLY_OK);
            for (size_t k = 0; k < 5; k++) {
                CHECK(out[k] <= last);
            }
            CHECK_EQUAL(tally_fast_decrypt_range(made.cipher, size, NULL, 0, out, 5, out),
                        TALLY_OK);
            CHECK_BYTES(out, numbers, sizeof numbers);
        }
        if (size != 0) {
            uint64_t numbers[2] = {0, size}, out[2] = {5, 5};
            CHECK_EQUAL(tally_fast_encrypt_range(made.cipher, size, NULL, 0, numbers, 2, out),
                        TALLY_ERROR_SYMBOL);
            CHECK(out[0] == 5 && out[1] == 5);
        }
        instance_dispose(&made);
    }
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_range_params(1, &params), TALLY_ERROR_ARGUMENT);
}

/* After a call no word is left, and after wiping no sequence, wherever in the cipher it was. */
static void test_wiping(void)
{
    CHECK_ABOUT("wiping");
    uint8_t key[16] = {3}, words[600], tokens[600];
    instance made = instance_make(TALLY_FAST, 256, key, sizeof key, SLOTS);
    size_t size = tally_fast_cipher_size(SLOTS), left = 0, same = 0;
    const uint8_t *memory = made.cipher_memory;
    random_bytes(words, sizeof words);
    tally_fast_params params;
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 256, 30, &params), TALLY_OK);
    CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, key, 16, words, 20, tokens),
                TALLY_OK);
    for (size_t i = 0; i + 8 <= size; i++) {
        left += memcmp(memory + i, words, 8) == 0 || memcmp(memory + i, tokens, 8) == 0;
    }
    CHECK_EQUAL(left, 0);
    CHECK(made.cipher->tags[0].used != 0);
    const tally_fast_cache_entry *entry = &made.cipher->entries[0];
    uint8_t indices[64], zeros[64] = {0};
    memcpy(indices, entry->indices, sizeof indices);
    CHECK(memcmp(indices, zeros, sizeof zeros) != 0);
    tally_fast_cipher_wipe(made.cipher);
    for (size_t i = 0; i + 8 <= size; i++) {
        same += memcmp(memory + i, indices, 8) == 0;
    }
    CHECK_EQUAL(same, 0);
    instance_dispose(&made);
}

/* A long column of words, at places in a cache line: each word is what it is in a short one. */
static void test_long_columns(void)
{
    enum { LENGTH = 16, COUNT = (1 << 16) + 700, PART = 500 };
    static const size_t places[] = {0, 16, 48, 5};
    static _Alignas(64) uint8_t whole[64 + COUNT * LENGTH], parts[COUNT * LENGTH];
    uint8_t key[16] = {7};
    tally_fast_params params;
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, SLOTS);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, LENGTH, &params), TALLY_OK);
    for (size_t k = 0; k < sizeof parts; k++) {
        parts[k] = (uint8_t)random_below(10);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int decrypts = i % 2 == 1; /* back to what it was */
        uint8_t *words = whole + places[i];
        CHECK_ABOUT("%d words at byte %zu of a line", COUNT, places[i]);
        memcpy(words, parts, sizeof parts);
        CHECK_EQUAL((decrypts ? tally_fast_decrypt_words : tally_fast_encrypt_words)(
                        made.cipher, &params, key, 3, words, COUNT, words),
                    TALLY_OK);
        for (size_t first = 0; first < COUNT; first += PART) {
            const size_t left = COUNT - first, count = left < PART ? left : PART;
            uint8_t *part = parts + first * LENGTH;
            CHECK_EQUAL((decrypts ? tally_fast_decrypt_words : tally_fast_encrypt_words)(
                            made.cipher, &params, key, 3, part, count, part),
                        TALLY_OK);
        }
        CHECK_BYTES(words, parts, sizeof parts);
    }
    instance_dispose(&made);
}

/* One symbol that is none among many words: nothing is changed. */
static void test_refused_words(void)
{
    enum { LENGTH = 16, MOST = 3000 };
    static const size_t counts[] = {1, 2, 5, 70, 513, 1100, MOST};
    static uint8_t words[MOST * LENGTH], out[sizeof words];
    uint8_t key[16] = {9};
    tally_fast_params params;
    instance made = instance_make(TALLY_FAST, 10, key, sizeof key, SLOTS);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, LENGTH, &params), TALLY_OK);
    for (size_t i = 0; i < 2 * sizeof counts / sizeof *counts; i++) {
        const size_t count = counts[i / 2], size = count * LENGTH;
        const size_t at = i % 2 == 0 ? random_below((uint32_t)size) : size - 1;
        size_t changed = 0;
        CHECK_ABOUT("a symbol that is none, at %zu of %zu", at, size);
        for (size_t k = 0; k < size; k++) {
            words[k] = (uint8_t)random_below(10);
        }
        words[at] = (uint8_t)(10 + random_below(246));
        memcpy(out, words, size);
        CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, NULL, 0, words, count, words),
                    TALLY_ERROR_SYMBOL);
        CHECK_BYTES(words, out, size);
        CHECK_EQUAL(tally_fast_decrypt_words(made.cipher, &params, NULL, 0, words, count, words),
                    TALLY_ERROR_SYMBOL);
        CHECK_BYTES(words, out, size);
        memset(out, 0x5a, size);
        CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &params, NULL, 0, words, count, out),
                    TALLY_ERROR_SYMBOL);
        for (size_t k = 0; k < size; k++) {
            changed += out[k] != 0x5a;
        }
        CHECK_EQUAL(changed, 0);
    }
    instance_dispose(&made);
}

static void test_refusals(void)
{
    CHECK_ABOUT("refusals");
    uint8_t key[32] = {0}, *memory = malloc(tally_fast_pool_size(256));
    size_t size = tally_fast_pool_size(256);
    tally_fast_pool *pool = NULL;
    CHECK_EQUAL(tally_fast_pool_size(3), 0);
    CHECK_EQUAL(tally_fast_pool_size(257), 0);
    CHECK_EQUAL(tally_fast_pool_init(TALLY_FAST, 3, key, 16, memory, size, &pool),
                TALLY_ERROR_RADIX);
    CHECK_EQUAL(tally_fast_pool_init(TALLY_FAST_BYTES_LEGACY, 10, key, 16, memory, size, &pool),
                TALLY_ERROR_RADIX);
    CHECK_EQUAL(tally_fast_pool_init(TALLY_FAST, 10, key, 17, memory, size, &pool),
                TALLY_ERROR_KEY_SIZE);
    CHECK_EQUAL(tally_fast_pool_init(TALLY_FAST, 256, key, 16, memory, size - 1, &pool),
                TALLY_ERROR_ARGUMENT);
    CHECK(pool == NULL);
    free(memory);

    tally_fast_params params = {0}, untouched = {0};
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 3, 8, &params), TALLY_ERROR_RADIX);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 257, 8, &params), TALLY_ERROR_RADIX);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, 1, &params), TALLY_ERROR_LENGTH);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST, 10, 65537, &params), TALLY_ERROR_LENGTH);
    CHECK_EQUAL(tally_fast_recommended(TALLY_FAST_BYTES_LEGACY, 256, (1 << 20) + 1, &params),
                TALLY_ERROR_LENGTH);
    CHECK_BYTES(&params, &untouched, sizeof params);

    instance made = instance_make(TALLY_FAST, 10, key, 32, SLOTS);
    tally_fast_cipher *cipher = NULL;
    CHECK(tally_fast_cipher_size(64) <= 320000);
    CHECK_EQUAL(tally_fast_cipher_size(0), 0);
    CHECK_EQUAL(tally_fast_cipher_size(4097), 0);
    CHECK_EQUAL(tally_fast_cipher_init(made.pool, SLOTS, made.cipher_memory, 100, &cipher),
                TALLY_ERROR_ARGUMENT);
    CHECK(cipher == NULL);

    uint8_t word[8] = {1, 2, 3, 4, 5, 6, 7, 10}, out[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    const uint8_t nines[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    static const struct {
        tally_fast_params params;
        tally_status status;
    } cases[] = {
        {{10, 8, 336, 3, 2}, TALLY_ERROR_SYMBOL}, {{16, 8, 336, 3, 2}, TALLY_ERROR_RADIX},
        {{10, 1, 336, 0, 1}, TALLY_ERROR_LENGTH}, {{10, 65537, 65537, 3, 2}, TALLY_ERROR_LENGTH},
        {{10, 8, 335, 3, 2}, TALLY_ERROR_PARAMS}, {{10, 8, 0, 3, 2}, TALLY_ERROR_PARAMS},
        {{10, 8, 336, 7, 2}, TALLY_ERROR_PARAMS}, {{10, 8, 336, 3, 0}, TALLY_ERROR_PARAMS},
        {{10, 8, 336, 3, 8}, TALLY_ERROR_PARAMS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_ABOUT("refusal %zu", i);
        CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &cases[i].params, NULL, 0, word, 1, out),
                    cases[i].status);
        CHECK_EQUAL(tally_fast_decrypt_words(made.cipher, &cases[i].params, NULL, 0, word, 1, out),
                    cases[i].status);
        CHECK_BYTES(out, nines, sizeof out);
    }
    instance_dispose(&made);

    made = instance_make(TALLY_FAST_BYTES_LEGACY, 256, key, 32, SLOTS);
    tally_fast_params other = {256, 8, 400, 3, 2};
    CHECK_EQUAL(tally_fast_encrypt_words(made.cipher, &other, NULL, 0, word, 1, out),
                TALLY_ERROR_PARAMS);
    instance_dispose(&made);
}

int main(int argc, char **argv)
{
    /* Everything with each back end of AES and of lanes that this machine has. */
    static const uint32_t levels[] = {UINT32_MAX,
                                      TALLY_CPU_SSSE3 | TALLY_CPU_AESNI | TALLY_CPU_AVX2,
                                      TALLY_CPU_SSSE3 | TALLY_CPU_AESNI, 0};
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (tally_cpu_lower(levels[i]) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        test_word_vectors(TALLY_VECTORS "/fast_words.json", 120);
        test_word_vectors(TALLY_VECTORS "/spec_fast.json", 12); /* of cryptol/Fast.cry */
        test_legacy_vectors();
        test_special_vectors();
        if (!check_vectors_only(argc, argv)) {
            test_round_trips();
            test_long_columns();
            test_refused_words();
            test_idle_lanes();
        }
    }
    tally_cpu_lower(UINT32_MAX);
    test_recommended();
    if (check_vectors_only(argc, argv)) {
        return check_end("fast");
    }
    test_long_words();
    test_empty_tweak();
    test_bijection();
    test_ranges();
    test_wiping();
    test_refusals();
    return check_end("fast");
}
