/* SPDX-License-Identifier: Apache-2.0
 *
 * FF1: NIST's samples and vectors of a plain model, then properties, then errors. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "ff1/lanes.h"
#include "ff1_others.h"
#include "json.h"
#include "random.h"
#include "tallystick/sha2.h"

/* A cipher with its memory. */
typedef struct instance {
    uint8_t *memory;
    tally_ff1 *cipher;
    size_t symbol_size;
} instance;

static instance instance_make(tally_ff1_profile profile, uint32_t radix, const uint8_t *key,
                              size_t key_size)
{
    instance made = {.memory = malloc(tally_ff1_size()), .symbol_size = radix <= 256 ? 1 : 2};
    CHECK_EQUAL(
        tally_ff1_init(profile, radix, key, key_size, made.memory, tally_ff1_size(), &made.cipher),
        TALLY_OK);
    return made;
}

static void instance_dispose(instance *made)
{
    tally_ff1_wipe(made->cipher);
    free(made->memory);
}

/* Symbols of the vectors, which are bytes or big-endian, in the order of the machine. */
static void to_machine(uint32_t radix, uint8_t *symbols, size_t size)
{
    for (size_t i = 0; radix > 256 && i < size; i += 2) {
        const uint16_t symbol = (uint16_t)(symbols[i] << 8 | symbols[i + 1]);
        memcpy(symbols + i, &symbol, 2);
    }
}

static void to_vectors(uint32_t radix, uint8_t *symbols, size_t size)
{
    for (size_t i = 0; radix > 256 && i < size; i += 2) {
        uint16_t symbol;
        memcpy(&symbol, symbols + i, 2);
        symbols[i] = (uint8_t)(symbol >> 8);
        symbols[i + 1] = (uint8_t)symbol;
    }
}

enum { COPIES = 67, LONGEST = 2 * TALLY_FF1_MAX_LENGTH, LONGEST_TWEAK = 100000 };

static size_t check_addresses = 2; /* even and odd ones */

/* A word of a case that is written out: alone, in place, several, and at odd addresses. */
static void check_case(const json_case *c, const instance *made, uint32_t radix, uint32_t length)
{
    static uint8_t plain[1024], expected[1024], tweak[256], many[COPIES * 1024 + 2];
    const size_t tweak_size = json_hex(c, "tweak", tweak, sizeof tweak);
    const size_t size = json_hex(c, "plaintext", plain, sizeof plain);
    CHECK_EQUAL(size, length * made->symbol_size);
    CHECK_EQUAL(json_hex(c, "ciphertext", expected, sizeof expected), size);
    to_machine(radix, plain, size);
    to_machine(radix, expected, size);
    for (size_t odd = 0; odd < check_addresses; odd++) {
        uint8_t *at = many + odd;
        for (size_t i = 0; i < COPIES; i++) {
            memcpy(at + size * i, plain, size);
        }
        at[COPIES * size] = 0xa5;
        CHECK_EQUAL(
            tally_ff1_encrypt_words(made->cipher, length, tweak, tweak_size, at, COPIES, at),
            TALLY_OK);
        for (size_t i = 0; i < COPIES; i++) {
            CHECK_BYTES(at + size * i, expected, size);
        }
        CHECK_EQUAL(
            tally_ff1_decrypt_words(made->cipher, length, tweak, tweak_size, expected, 1, at),
            TALLY_OK);
        CHECK_BYTES(at, plain, size);
        CHECK_BYTES(at + size, expected, size);
        CHECK_EQUAL(at[COPIES * size], 0xa5);
    }
}

/* A case that is described by a rule and a hash. */
static void check_ruled(const json_case *c, const instance *made, uint32_t radix, uint32_t length)
{
    static uint8_t tweak[LONGEST_TWEAK], plain[LONGEST], token[LONGEST];
    uint8_t expected[32], digest[32];
    const size_t tweak_size = (size_t)json_int(c, "tweak_size");
    const size_t size = length * made->symbol_size;
    for (size_t i = 0; i < tweak_size; i++) {
        tweak[i] = (uint8_t)(37 * i + 1);
    }
    for (uint64_t i = 0; i < length; i++) {
        const uint16_t symbol = (uint16_t)((i * i * 7919 + i * 104729 + 12345) % radix);
        if (made->symbol_size == 1) {
            plain[i] = (uint8_t)symbol;
        } else {
            memcpy(plain + 2 * i, &symbol, 2);
        }
    }
    CHECK_EQUAL(tally_ff1_encrypt_words(made->cipher, length, tweak, tweak_size, plain, 1, token),
                TALLY_OK);
    to_vectors(radix, token, size);
    tally_sha256_digest(token, size, digest);
    CHECK_EQUAL(json_hex(c, "sha256", expected, sizeof expected), 32);
    CHECK_BYTES(digest, expected, 32);
    to_machine(radix, token, size);
    CHECK_EQUAL(tally_ff1_decrypt_words(made->cipher, length, tweak, tweak_size, token, 1, token),
                TALLY_OK);
    CHECK_BYTES(token, plain, size);
}

static void test_vectors(bool with_ruled)
{
    json_file *file = json_load(TALLY_VECTORS "/ff1.json");
    CHECK(json_count(file) > 600);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t key[32];
        const size_t key_size = json_hex(c, "key", key, sizeof key);
        const uint32_t radix = (uint32_t)json_int(c, "radix"),
                       length = (uint32_t)json_int(c, "length");
        const int is_2016 = strcmp(json_string(c, "profile"), "FF1_2016") == 0;
        const tally_ff1_profile profile = is_2016 ? TALLY_FF1_2016 : TALLY_FF1;
        CHECK_ABOUT("ff1 case %zu: radix %u, length %u", i, radix, length);
        if (json_has(c, "sha256") && !with_ruled) {
            continue;
        }
        instance made = instance_make(profile, radix, key, key_size);
        if (json_has(c, "sha256")) {
            check_ruled(c, &made, radix, length);
        } else {
            check_case(c, &made, radix, length);
        }
        instance_dispose(&made);
    }
    json_free(file);
}

static void check_other(const ff1_other *other)
{
    uint8_t word[FF1_OTHERS_MOST];
    instance made = instance_make(TALLY_FF1_2016, other->radix, other->key, other->key_size);
    CHECK_EQUAL(tally_ff1_encrypt_words(made.cipher, other->length, other->tweak, other->tweak_size,
                                        other->plain, 1, word),
                TALLY_OK);
    CHECK_BYTES(word, other->token, other->length);
    CHECK_EQUAL(tally_ff1_decrypt_words(made.cipher, other->length, other->tweak, other->tweak_size,
                                        word, 1, word),
                TALLY_OK);
    CHECK_BYTES(word, other->plain, other->length);
    instance_dispose(&made);
}

static void random_word(uint32_t radix, size_t symbols, uint8_t *out)
{
    for (size_t i = 0; i < symbols; i++) {
        const uint16_t symbol = (uint16_t)random_below(radix);
        if (radix <= 256) {
            out[i] = (uint8_t)symbol;
        } else {
            memcpy(out + 2 * i, &symbol, 2);
        }
    }
}

enum { ROWS = 150, ROW_TWEAK = 70, MOST = 90 };

/* Words with tweaks of their own, side by side and anywhere, are those of single calls with the
 * whole tweak; decryption inverts encryption. */
static void test_rows(void)
{
    static const uint32_t radixes[] = {2, 10, 10, 10, 16, 26, 36, 62, 94, 256, 257, 1000, 65536};
    static uint8_t words[2 * ROWS * MOST], side_by_side[2 * ROWS * MOST], apart[2 * ROWS * MOST],
        single[2 * MOST], own[ROWS][ROW_TWEAK];
    for (int i = 0; i < random_cases(300); i++) {
        const uint32_t radix = radixes[random_below(sizeof radixes / sizeof *radixes)];
        const uint32_t least = tally_ff1_min_length(TALLY_FF1, radix);
        const uint32_t length = least + random_below(i % 4 == 0 ? MOST - least : 16);
        const size_t count = i % 5 == 0 ? 1 + random_below(3) : 1 + random_below(ROWS);
        const size_t common_size = random_below(i % 2 == 0 ? 8 : 60);
        const size_t most = 1 + random_below(i % 3 == 0 ? ROW_TWEAK : 12);
        const int is_one_size = i % 2;
        uint8_t key[32], common[60];
        const uint8_t *rows[ROWS];
        uint8_t *places[ROWS];
        size_t sizes[ROWS];
        random_bytes(key, sizeof key);
        random_bytes(common, sizeof common);
        random_bytes(own, sizeof own);
        instance made = instance_make(TALLY_FF1, radix, key, 16 + 8 * (size_t)random_below(3));
        const size_t size = length * made.symbol_size;
        random_word(radix, count * length, words);
        CHECK_ABOUT("radix %u, length %u, %zu words", radix, length, count);
        memcpy(apart, words, count * size);
        for (size_t k = 0; k < count; k++) {
            rows[k] = own[k];
            sizes[k] = is_one_size ? most - 1 : random_below(most);
            places[k] = apart + size * (count - 1 - k);
            memcpy(places[k], words + size * k, size);
        }
        tally_ff1_tweaks tweaks = {common, common_size, rows, sizes};
        CHECK_EQUAL(tally_ff1_words(made.cipher, TALLY_ENCRYPT, length, &tweaks, words, count,
                                    side_by_side),
                    TALLY_OK);
        CHECK_EQUAL(tally_ff1_run(made.cipher, TALLY_ENCRYPT, length, &tweaks, places, count, NULL),
                    TALLY_OK);
        for (size_t k = 0; k < count; k++) {
            uint8_t whole[sizeof common + ROW_TWEAK];
            memcpy(whole, common, common_size);
            memcpy(whole + common_size, own[k], sizes[k]);
            CHECK_EQUAL(tally_ff1_encrypt_words(made.cipher, length, whole, common_size + sizes[k],
                                                words + size * k, 1, single),
                        TALLY_OK);
            CHECK_BYTES(side_by_side + size * k, single, size);
            CHECK_BYTES(places[k], single, size);
        }
        CHECK_EQUAL(tally_ff1_run(made.cipher, TALLY_DECRYPT, length, &tweaks, places, count, NULL),
                    TALLY_OK);
        CHECK_EQUAL(tally_ff1_words(made.cipher, TALLY_DECRYPT, length, &tweaks, side_by_side,
                                    count, side_by_side),
                    TALLY_OK);
        CHECK_BYTES(side_by_side, words, count * size);
        for (size_t k = 0; k < count; k++) {
            CHECK_BYTES(places[k], words + size * k, size);
        }
        instance_dispose(&made);
    }
}

enum { LANES_WORDS = TALLY_FF1_ROWS, LANES_MOST = 128 };

/* The back end in use does what plain C does, for all lengths whose halves fit in lanes: words of
 * first and last symbols alone, where numbers and sums are extreme, and random ones. */
static void test_lanes(void)
{
    static const uint32_t radixes[] = {2,  3,   7,   10,  16,   26,    36,   62,
                                       94, 255, 256, 257, 1000, 65535, 65536};
    static uint8_t words[2 * LANES_WORDS * LANES_MOST], out[2 * LANES_WORDS * LANES_MOST],
        expected[2 * LANES_WORDS * LANES_MOST];
    for (size_t r = 0; r < sizeof radixes / sizeof *radixes; r++) {
        const uint32_t radix = radixes[r];
        uint8_t key[16];
        random_bytes(key, sizeof key);
        instance made = instance_make(TALLY_FF1_2016, radix, key, sizeof key);
        const tally_ff1_lanes *lanes = made.cipher->lanes;
        uint32_t length = tally_ff1_min_length(TALLY_FF1_2016, radix);
        tally_ff1_plan plan;
        for (;; length++) {
            CHECK_EQUAL(tally_ff1_make_plan(made.cipher, length, &plan), TALLY_OK);
            if (!plan.is_short) {
                break;
            }
            const tally_ff1_modulus *modulus = &plan.modulus[1];
            made.cipher->lanes = lanes;
            CHECK_EQUAL(tally_ff1_takes_lanes(made.cipher, length),
                        lanes->takes_lanes != NULL && made.symbol_size == 1 &&
                            (modulus->mask != 0 || modulus->value >> 60 == 0));
            const size_t size = length * made.symbol_size,
                         count = length % 4 == 0 ? 1 + random_below(LANES_WORDS) : LANES_WORDS;
            CHECK_ABOUT("radix %u, length %u, %zu words", radix, length, count);
            random_word(radix, count * length, words);
            for (size_t k = 0; k < count && k < 2; k++) {
                for (size_t i = 0; i < length; i++) {
                    const uint16_t symbol = (uint16_t)(k == 0 ? 0 : radix - 1);
                    if (made.symbol_size == 1) {
                        words[size * k + i] = (uint8_t)symbol;
                    } else {
                        memcpy(words + size * k + 2 * i, &symbol, 2);
                    }
                }
            }
            for (int direction = TALLY_ENCRYPT; direction <= TALLY_DECRYPT; direction++) {
                const tally_ff1_tweaks tweaks = {.common = key, .common_size = 3};
                made.cipher->lanes = lanes;
                CHECK_EQUAL(tally_ff1_words(made.cipher, (tally_direction)direction, length,
                                            &tweaks, words, count, out),
                            TALLY_OK);
                made.cipher->lanes = &tally_ff1_lanes_portable;
                CHECK_EQUAL(tally_ff1_words(made.cipher, (tally_direction)direction, length,
                                            &tweaks, words, count, expected),
                            TALLY_OK);
                CHECK_BYTES(out, expected, count * size);
            }
        }
        CHECK(length > 6 || radix > 256);
        instance_dispose(&made);
    }
}

/* All words of small domains have distinct tokens. */
static void test_bijection(void)
{
    for (uint32_t radix = 2; radix <= 256; radix += radix < 16 ? 1 : 60) {
        const uint32_t length = tally_ff1_min_length(TALLY_FF1_2016, radix);
        const uint8_t key[24] = {(uint8_t)radix};
        size_t count = 1;
        for (uint32_t i = 0; i < length; i++) {
            count *= radix;
        }
        CHECK_ABOUT("radix %u, length %u", radix, length);
        uint8_t *words = malloc(count * length), *seen = calloc(1, count);
        for (size_t i = 0; i < count; i++) {
            size_t rest = i;
            for (uint32_t k = 0; k < length; k++, rest /= radix) {
                words[i * length + k] = (uint8_t)(rest % radix);
            }
        }
        instance made = instance_make(TALLY_FF1_2016, radix, key, sizeof key);
        CHECK_EQUAL(tally_ff1_encrypt_words(made.cipher, length, key, 3, words, count, words),
                    TALLY_OK);
        size_t distinct = 0;
        for (size_t i = 0; i < count; i++) {
            size_t number = 0;
            for (uint32_t k = 0; k < length; k++) {
                CHECK(words[i * length + k] < radix);
                number = number * radix + words[i * length + k];
            }
            distinct += seen[number] == 0;
            seen[number] = 1;
        }
        CHECK_EQUAL(distinct, count);
        instance_dispose(&made);
        free(words);
        free(seen);
    }
}

static void test_lengths(void)
{
    for (uint32_t radix = 2; radix <= TALLY_FF1_MAX_RADIX; radix++) {
        for (int profile = TALLY_FF1; profile <= TALLY_FF1_2016; profile++) {
            const double least = profile == TALLY_FF1 ? 1e6 : 100;
            const uint32_t length = tally_ff1_min_length((tally_ff1_profile)profile, radix);
            double words = 1, before = 1;
            for (uint32_t i = 0; i < length; i++) {
                before = words;
                words *= radix;
            }
            if (!(length >= 2 && words >= least && (length == 2 || before < least))) {
                CHECK_ABOUT("radix %u, profile %d", radix, profile);
                CHECK_EQUAL(length, 0);
            }
        }
    }
    CHECK_EQUAL(tally_ff1_min_length(TALLY_FF1, 10), 6);
    CHECK_EQUAL(tally_ff1_min_length(TALLY_FF1_2016, 10), 2);
    CHECK_EQUAL(tally_ff1_min_length(TALLY_FF1, 1), 0);
    CHECK_EQUAL(tally_ff1_min_length(TALLY_FF1, 65537), 0);
    CHECK_EQUAL(tally_ff1_min_length((tally_ff1_profile)2, 10), 0);
}

/* An allocator that gives nothing, or counts. */
typedef struct counting {
    int gives;
    size_t taken, held;
} counting;

static void *count_allocate(void *context, size_t size)
{
    counting *count = context;
    count->taken++;
    count->held += size;
    return count->gives ? calloc(1, size) : NULL;
}

static void count_release(void *context, void *memory, size_t size)
{
    counting *count = context;
    size_t left = 0;
    for (size_t i = 0; i < size; i++) {
        left |= ((uint8_t *)memory)[i];
    }
    CHECK_EQUAL(left, 0); /* it was wiped */
    count->held -= size;
    free(memory);
}

static void test_memory(void)
{
    const uint8_t key[16] = {3};
    static uint8_t word[20000], before[20000];
    instance made = instance_make(TALLY_FF1, 10, key, sizeof key);
    const tally_ff1_tweaks none = {0};
    uint8_t *const place = word;
    for (int gives = 0; gives < 2; gives++) {
        counting count = {.gives = gives};
        const tally_allocator allocator = {count_allocate, count_release, &count};
        memset(word, 7, sizeof word);
        memcpy(before, word, sizeof word);
        CHECK_EQUAL(
            tally_ff1_run(made.cipher, TALLY_ENCRYPT, sizeof word, &none, &place, 1, &allocator),
            gives ? TALLY_OK : TALLY_ERROR_MEMORY);
        CHECK_EQUAL(count.taken, 1);
        CHECK_EQUAL(memcmp(word, before, sizeof word) != 0, gives);
        CHECK_EQUAL(tally_ff1_run(made.cipher, TALLY_ENCRYPT, 1000, &none, &place, 1, &allocator),
                    TALLY_OK); /* without memory */
        CHECK_EQUAL(count.taken, 1);
        CHECK(gives == 0 || count.held == 0);
    }
    instance_dispose(&made);
}

static void test_refusals(void)
{
    const uint8_t key[32] = {0};
    uint8_t memory[2048], wide[16];
    const size_t size = tally_ff1_size();
    tally_ff1 *cipher = NULL;
    CHECK(size <= sizeof memory);
    CHECK_EQUAL(tally_ff1_init(TALLY_FF1, 1, key, 16, memory, size, &cipher),
                TALLY_ERROR_FF1_RADIX);
    CHECK_EQUAL(tally_ff1_init(TALLY_FF1, 65537, key, 16, memory, size, &cipher),
                TALLY_ERROR_FF1_RADIX);
    CHECK_EQUAL(tally_ff1_init(TALLY_FF1, 10, key, 17, memory, size, &cipher),
                TALLY_ERROR_KEY_SIZE);
    CHECK_EQUAL(tally_ff1_init(TALLY_FF1, 10, key, 16, memory, size - 1, &cipher),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_ff1_init((tally_ff1_profile)2, 10, key, 16, memory, size, &cipher),
                TALLY_ERROR_ARGUMENT);
    CHECK(cipher == NULL);

    uint8_t words[14] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 10}, out[14];
    static const uint8_t nines[14] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    memcpy(out, nines, sizeof out);
    instance made = instance_make(TALLY_FF1, 10, key, 32);
    instance old = instance_make(TALLY_FF1_2016, 10, key, 32);
    instance pairs = instance_make(TALLY_FF1, 60000, key, 32);
    const uint16_t outside[2] = {59999, 60000};
    memcpy(wide, outside, sizeof outside);
    for (int direction = TALLY_ENCRYPT; direction <= TALLY_DECRYPT; direction++) {
        tally_status (*const call)(const tally_ff1 *, uint32_t, const uint8_t *, size_t,
                                   const void *, size_t, void *) =
            direction == TALLY_ENCRYPT ? tally_ff1_encrypt_words : tally_ff1_decrypt_words;
        CHECK_EQUAL(call(made.cipher, 7, NULL, 0, words, 2, out), TALLY_ERROR_FF1_SYMBOL);
        CHECK_EQUAL(call(made.cipher, 5, NULL, 0, words, 1, out), TALLY_ERROR_FF1_LENGTH);
        CHECK_EQUAL(call(made.cipher, 0, NULL, 0, words, 1, out), TALLY_ERROR_FF1_LENGTH);
        CHECK_EQUAL(call(made.cipher, 65537, NULL, 0, words, 1, out), TALLY_ERROR_FF1_LENGTH);
        CHECK_EQUAL(call(old.cipher, 1, NULL, 0, words, 1, out), TALLY_ERROR_FF1_LENGTH);
        CHECK_EQUAL(call(made.cipher, 6, NULL, 0, words, SIZE_MAX / 5, out), TALLY_ERROR_ARGUMENT);
        CHECK_EQUAL(call(pairs.cipher, 2, NULL, 0, wide, 1, out), TALLY_ERROR_FF1_SYMBOL);
#if SIZE_MAX > UINT32_MAX
        CHECK_EQUAL(call(made.cipher, 6, words, (size_t)UINT32_MAX + 1, words, 1, out),
                    TALLY_ERROR_FF1_TWEAK_SIZE);
#endif
        CHECK_BYTES(out, nines, sizeof out);
        CHECK_EQUAL(call(made.cipher, 6, NULL, 0, NULL, 0, NULL), TALLY_OK);
    }
    const uint8_t *const rows[1] = {words};
    const size_t sizes[1] = {UINT32_MAX};
    const tally_ff1_tweaks too_long = {words, 1, rows, sizes};
    uint8_t *const place = out;
    CHECK_EQUAL(tally_ff1_run(made.cipher, TALLY_ENCRYPT, 6, &too_long, &place, 1, NULL),
                TALLY_ERROR_FF1_TWEAK_SIZE);
    CHECK_EQUAL(tally_ff1_run(made.cipher, TALLY_ENCRYPT, 5, &too_long, &place, 1, NULL),
                TALLY_ERROR_FF1_LENGTH);
    CHECK_BYTES(out, nines, sizeof out);
    CHECK_EQUAL(tally_ff1_encrypt_words(old.cipher, 2, NULL, 0, words, 1, out), TALLY_OK);
    for (int i = 0; i < 14; i++) { /* in place too, what is before an invalid symbol stays */
        words[i] = i == 13 ? 10 : 1;
    }
    memcpy(out, words, sizeof out);
    CHECK_EQUAL(tally_ff1_encrypt_words(made.cipher, 7, NULL, 0, words, 2, words),
                TALLY_ERROR_FF1_SYMBOL);
    CHECK_BYTES(words, out, sizeof out);
    instance_dispose(&made);
    instance_dispose(&old);
    instance_dispose(&pairs);
}

static void test_wiping(void)
{
    const uint8_t key[16] = {5};
    uint8_t *memory = calloc(1, tally_ff1_size()), *none = calloc(1, tally_ff1_size());
    tally_ff1 *cipher;
    CHECK_EQUAL(tally_ff1_init(TALLY_FF1, 10, key, sizeof key, memory, tally_ff1_size(), &cipher),
                TALLY_OK);
    CHECK(memcmp(memory, none, tally_ff1_size()) != 0);
    tally_ff1_wipe(cipher);
    CHECK_BYTES(memory, none, tally_ff1_size());
    free(memory);
    free(none);
}

int main(int argc, char **argv)
{
    /* Everything with each back end of AES and of lanes that this machine has. */
    static const uint32_t levels[] = {
        UINT32_MAX, TALLY_CPU_SSE2 | TALLY_CPU_SSSE3 | TALLY_CPU_AESNI | TALLY_CPU_AVX2,
        TALLY_CPU_SSE2 | TALLY_CPU_SSSE3 | TALLY_CPU_AESNI, 0};
    uint32_t last = UINT32_MAX;
    check_addresses = check_vectors_only(argc, argv) ? 1 : 2;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (tally_cpu_lower(levels[i]) == last) {
            continue; /* nothing to take away */
        }
        last = tally_cpu_features();
        test_vectors(i == 0 && !check_vectors_only(argc, argv));
        ff1_others(TALLY_VECTORS "/ff1_acvp.json", 48, check_other);
        ff1_others(TALLY_VECTORS "/ff1_peers.json", 80, check_other);
        if (!check_vectors_only(argc, argv)) {
            test_rows();
            test_lanes();
            test_bijection();
        }
    }
    tally_cpu_lower(UINT32_MAX);
    if (!check_vectors_only(argc, argv)) {
        test_lengths();
        test_memory();
        test_refusals();
        test_wiping();
    }
    return check_end("ff1");
}
