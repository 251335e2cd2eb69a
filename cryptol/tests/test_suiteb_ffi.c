/* SPDX-License-Identifier: Apache-2.0
 *
 * The library under SuiteB_FFI.cry, called as Cryptol calls it: symbols by name, a size_t for each
 * type parameter, flattened schedules, buffers of the exact size that are aligned to their elements
 * alone and hold garbage, no pointer to follow where n is 0, numbers of GMP that were used before.
 * What it must give is computed from FIPS 197 here, byte by byte, from schedules of any round keys.
 * The argument is the library. */
#include <dlfcn.h>
#include <gmp.h>
#include <stdlib.h>

#include "aes_backends.h"
#include "base/bytes.h"
#include "check.h"
#include "json.h"
#include "random.h"
#include "sha2_backends.h"

static void *library;
static uint32_t (*lower)(uint32_t allowed);

/* ISO C has no conversion of an object's pointer to a function's; POSIX has. */
static void (*symbol(const char *name))(void)
{
    void *found = dlsym(library, name);
    void (*function)(void) = NULL;
    if (found == NULL) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(2);
    }
    memcpy(&function, &found, sizeof found);
    return function;
}

#define CALL(type, name) ((type *)symbol(name))

/* --- what must come out: FIPS 197, a byte at a time --- */

static uint8_t sbox[256], inverse_sbox[256];

static uint8_t product(uint8_t a, uint8_t b)
{
    uint8_t sum = 0;
    for (; b != 0; b >>= 1) {
        sum = (uint8_t)(sum ^ (b & 1 ? a : 0));
        a = (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);
    }
    return sum;
}

static void make_sboxes(void)
{
    for (unsigned x = 0; x < 256; x++) {
        unsigned inverse = 0, y = 0x63;
        while (x != 0 && product((uint8_t)x, (uint8_t)inverse) != 1) {
            inverse++;
        }
        for (int turn = 0; turn < 5; turn++) {
            y ^= inverse << turn | inverse >> (8 - turn);
        }
        sbox[x] = (uint8_t)y;
        inverse_sbox[(uint8_t)y] = (uint8_t)x;
    }
}

/* A schedule as it crosses, and as bytes in the same order. */
struct schedule {
    size_t k;
    uint32_t first[4], middle[13 * 4], last[4];
};

static void take_schedule(struct schedule *s, size_t k, const uint8_t *bytes)
{
    s->k = k;
    for (size_t i = 0; i < 4 * (k + 7); i++) {
        uint32_t word = tally_load_be32(bytes + 4 * i);
        *(i < 4             ? &s->first[i]
          : i < 4 * (k + 6) ? &s->middle[i - 4]
                            : &s->last[i - 4 * (k + 6)]) = word;
    }
}

static void give_schedule(const struct schedule *s, uint8_t *bytes)
{
    for (size_t i = 0; i < 4 * (s->k + 7); i++) {
        tally_store_be32(i < 4                ? s->first[i]
                         : i < 4 * (s->k + 6) ? s->middle[i - 4]
                                              : s->last[i - 4 * (s->k + 6)],
                         bytes + 4 * i);
    }
}

static void mix(uint8_t state[16], const uint8_t by[4])
{
    for (size_t c = 0; c < 16; c += 4) {
        uint8_t column[4];
        memcpy(column, state + c, 4);
        for (size_t r = 0; r < 4; r++) {
            state[c + r] = 0;
            for (size_t i = 0; i < 4; i++) {
                state[c + r] ^= product(by[(i + 4 - r) % 4], column[i]);
            }
        }
    }
}

static const uint8_t mixing[4] = {2, 3, 1, 1}, unmixing[4] = {14, 11, 13, 9};

/* The cipher, or the equivalent inverse cipher (section 5.3.5), with whatever round keys. */
static void crypt_block(const struct schedule *s, bool encrypt, const uint8_t in[16],
                        uint8_t out[16])
{
    uint8_t keys[15 * 16], state[16], moved[16];
    const size_t rounds = s->k + 6;
    give_schedule(s, keys);
    for (size_t i = 0; i < 16; i++) {
        state[i] = in[i] ^ keys[i];
    }
    for (size_t round = 1; round <= rounds; round++) {
        for (size_t i = 0; i < 16; i++) {
            size_t from = encrypt ? (i + 4 * (i % 4)) % 16 : (i + 16 - 4 * (i % 4)) % 16;
            moved[i] = (encrypt ? sbox : inverse_sbox)[state[from]];
        }
        if (round < rounds) {
            mix(moved, encrypt ? mixing : unmixing);
        }
        for (size_t i = 0; i < 16; i++) {
            state[i] = moved[i] ^ keys[16 * round + i];
        }
    }
    memcpy(out, state, 16);
}

static void expand_key(const uint8_t *key, size_t k, struct schedule *enc, struct schedule *dec)
{
    uint8_t words[60][4], turned[15][16], constant = 1;
    memcpy(words, key, 4 * k);
    for (size_t i = k; i < 4 * (k + 7); i++) {
        uint8_t word[4], before[4];
        memcpy(before, words[i - 1], 4);
        memcpy(word, before, 4);
        if (i % k == 0) {
            for (size_t j = 0; j < 4; j++) {
                word[j] = sbox[before[(j + 1) % 4]];
            }
            word[0] ^= constant;
            constant = product(constant, 2);
        } else if (k == 8 && i % 8 == 4) {
            for (size_t j = 0; j < 4; j++) {
                word[j] = sbox[before[j]];
            }
        }
        for (size_t j = 0; j < 4; j++) {
            words[i][j] = words[i - k][j] ^ word[j];
        }
    }
    take_schedule(enc, k, words[0]);
    for (size_t round = 0; round <= k + 6; round++) {
        memcpy(turned[round], words[4 * (k + 6 - round)], 16);
        if (round > 0 && round < k + 6) {
            mix(turned[round], unmixing);
        }
    }
    take_schedule(dec, k, turned[0]);
}

/* --- buffers and numbers as Cryptol makes them --- */

/* `count` elements of `size` bytes at an address that is a multiple of `size` and not of more, up
 * to the end of what was allocated; with none, an address that can't be read. */
struct buffer {
    uint8_t *allocated, *at;
};

static struct buffer new_buffer(size_t count, size_t size)
{
    struct buffer b = {.allocated = malloc((count + 1) * size)};
    if (b.allocated == NULL) {
        exit(2);
    }
    b.at = count == 0 ? (uint8_t *)(uintptr_t)size : b.allocated + size;
    random_bytes(b.at, count * size);
    return b;
}

static struct buffer words_of(const uint8_t *bytes, size_t size)
{
    struct buffer b = new_buffer(size / 8, 8);
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = tally_load_be64(bytes + i);
        memcpy(b.at + i, &word, 8);
    }
    return b;
}

static void bytes_of(struct buffer b, size_t size, uint8_t *out)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word;
        memcpy(&word, b.at + i, 8);
        tally_store_be64(word, out + i);
    }
}

static void number_of(const uint8_t *bytes, size_t size, mpz_t out)
{
    mpz_init_set_ui(out, 77);
    mpz_import(out, size, 1, 1, 1, 0, bytes);
}

/* The number must be of this many bytes; leading zeros come back. */
static void bytes_of_number(const mpz_t number, size_t size, uint8_t *out)
{
    size_t used = 0, digits = mpz_sgn(number) == 0 ? 0 : mpz_sizeinbase(number, 256);
    memset(out, 0, size);
    CHECK(mpz_sgn(number) >= 0);
    if (CHECK_EQUAL(digits <= size, 1), digits <= size) {
        mpz_export(out + size - digits, &used, 1, 1, 1, 0, number);
        CHECK_EQUAL(used, digits);
    }
}

#define SCHEDULE     const uint32_t *, const uint32_t *, const uint32_t *
#define OUT_SCHEDULE uint32_t *, uint32_t *, uint32_t *
typedef uint8_t no_argument(void);
typedef void expand_one(const uint64_t *, OUT_SCHEDULE);
typedef void expand_both(const uint64_t *, OUT_SCHEDULE, OUT_SCHEDULE);
typedef void one_block(size_t, SCHEDULE, const uint64_t *, uint64_t *);
typedef void many_blocks(size_t, size_t, SCHEDULE, const uint64_t *, uint64_t *);
typedef void blocks_of_number(size_t, size_t, SCHEDULE, mpz_srcptr, mpz_ptr);
typedef void counter_mode(size_t, size_t, SCHEDULE, const uint64_t *, mpz_srcptr, mpz_ptr);
typedef void message_tag(size_t, size_t, SCHEDULE, mpz_srcptr, uint64_t *);

/* --- AES --- */

enum { MAX_BLOCKS = 1000, MAX = 16 * MAX_BLOCKS };

static uint8_t input[MAX], expected[MAX], output[MAX];

static bool same_schedule(const struct schedule *a, const uint32_t *first, const uint32_t *middle,
                          const uint32_t *last)
{
    return memcmp(a->first, first, 16) == 0 && memcmp(a->last, last, 16) == 0 &&
           memcmp(a->middle, middle, 16 * (a->k + 5)) == 0;
}

static void check_expansion(size_t k)
{
    struct schedule enc, dec;
    uint8_t key[32];
    char name[40];
    struct buffer out[6];
    random_bytes(key, sizeof key);
    expand_key(key, k, &enc, &dec);
    struct buffer words = words_of(key, 4 * k);
    for (size_t i = 0; i < 6; i++) {
        out[i] = new_buffer(i % 3 == 1 ? 4 * (k + 5) : 4, 4);
    }
    const uint64_t *in = (const uint64_t *)(void *)words.at;
    uint32_t *o[6];
    for (size_t i = 0; i < 6; i++) {
        o[i] = (uint32_t *)(void *)out[i].at;
    }
    snprintf(name, sizeof name, "tallyExpand%zuEncrypt", 32 * k);
    CALL(expand_one, name)(in, o[0], o[1], o[2]);
    CHECK(same_schedule(&enc, o[0], o[1], o[2]));
    snprintf(name, sizeof name, "tallyExpand%zuDecrypt", 32 * k);
    CALL(expand_one, name)(in, o[0], o[1], o[2]);
    CHECK(same_schedule(&dec, o[0], o[1], o[2]));
    snprintf(name, sizeof name, "tallyExpand%zuBoth", 32 * k);
    CALL(expand_both, name)(in, o[3], o[4], o[5], o[0], o[1], o[2]);
    CHECK(same_schedule(&enc, o[3], o[4], o[5]));
    CHECK(same_schedule(&dec, o[0], o[1], o[2]));
    free(words.allocated);
    for (size_t i = 0; i < 6; i++) {
        free(out[i].allocated);
    }
}

static void check_blocks(const struct schedule *s, bool encrypt, size_t n)
{
    const char *names[3][2] = {{"tallyDecryptBlock", "tallyEncryptBlock"},
                               {"tallyDecryptBlocks", "tallyEncryptBlocks"},
                               {"tallyDecryptWords", "tallyEncryptWords"}};
    CHECK_ABOUT("%s of %zu blocks, k = %zu", encrypt ? "encryption" : "decryption", n, s->k);
    random_bytes(input, sizeof input);
    memset(input, 0, random_below(2) * (n < 3 ? 16 * n : 41)); /* zeros that a number has not */
    for (size_t i = 0; i < n; i++) {
        crypt_block(s, encrypt, input + 16 * i, expected + 16 * i);
    }
    struct buffer in = words_of(input, 16 * n), out = new_buffer(2 * n, 8);
    const uint64_t *from = (const uint64_t *)(void *)in.at;
    uint64_t *to = (uint64_t *)(void *)out.at;
    CALL(many_blocks, names[1][encrypt])(s->k, n, s->first, s->middle, s->last, from, to);
    bytes_of(out, 16 * n, output);
    CHECK_BYTES(output, expected, 16 * n);
    if (n > 0) {
        memset(out.at, 0xa5, 16);
        CALL(one_block, names[0][encrypt])(s->k, s->first, s->middle, s->last, from, to);
        bytes_of(out, 16, output);
        CHECK_BYTES(output, expected, 16);
    }
    mpz_t number, result;
    number_of(input, 16 * n, number);
    number_of(output, random_below(2) * 300, result);
    CALL(blocks_of_number, names[2][encrypt])
    (s->k, n, s->first, s->middle, s->last, number, result);
    bytes_of_number(result, 16 * n, output);
    CHECK_BYTES(output, expected, 16 * n);
    mpz_clears(number, result, NULL);
    free(in.allocated);
    free(out.allocated);
}

static void check_ctr(const struct schedule *s, size_t size)
{
    uint8_t counter[16], block[16];
    CHECK_ABOUT("CTR of %zu bytes, k = %zu", size, s->k);
    random_bytes(input, sizeof input);
    random_bytes(counter, sizeof counter);
    memset(input, 0, random_below(2) * (size < 9 ? size : 9));
    memset(counter + random_below(16), 0xff, 1);
    memset(counter + 8, random_below(2) ? 0xff : 0x3c, 8); /* carries into the upper half */
    struct buffer start = words_of(counter, 16);
    for (size_t i = 0; i < size; i++) {
        if (i % 16 == 0) {
            crypt_block(s, true, counter, block);
            for (size_t j = 16; j-- > 0 && ++counter[j] == 0;) {
            }
        }
        expected[i] = input[i] ^ block[i % 16];
    }
    mpz_t number, result;
    number_of(input, size, number);
    number_of(input, random_below(2) * 20, result);
    CALL(counter_mode, "tallyCtr")
    (s->k, size, s->first, s->middle, s->last, (const uint64_t *)(void *)start.at, number, result);
    bytes_of_number(result, size, output);
    CHECK_BYTES(output, expected, size);
    mpz_clears(number, result, NULL);
    free(start.allocated);
}

/* SP 800-38B, section 6.2, on the padded message. */
static void check_cmac(const struct schedule *s, size_t size)
{
    uint8_t subkey[16] = {0}, chain[16] = {0}, got[16];
    const bool complete = size > 0 && size % 16 == 0;
    const size_t blocks = complete ? size / 16 : size / 16 + 1;
    CHECK_ABOUT("CMAC of %zu bytes, k = %zu", size, s->k);
    memset(input, 0, sizeof input);
    random_bytes(input + size / 3 * random_below(2), size - size / 3);
    memset(input + size, 0, sizeof input - size);
    crypt_block(s, true, subkey, subkey);
    for (int time = 0; time < (complete ? 1 : 2); time++) {
        const bool carry = subkey[0] >> 7;
        for (size_t i = 0; i < 16; i++) {
            subkey[i] = (uint8_t)(subkey[i] << 1 | (i < 15 ? subkey[i + 1] >> 7 : 0));
        }
        subkey[15] = (uint8_t)(subkey[15] ^ (carry ? 0x87 : 0));
    }
    mpz_t number;
    number_of(input, size, number);
    if (!complete) {
        input[size] = 0x80;
    }
    for (size_t b = 0; b < blocks; b++) {
        for (size_t i = 0; i < 16; i++) {
            chain[i] ^= input[16 * b + i] ^ (b + 1 == blocks ? subkey[i] : 0);
        }
        crypt_block(s, true, chain, chain);
    }
    struct buffer tag = new_buffer(2, 8);
    CALL(message_tag, "tallyCmac")
    (s->k, size, s->first, s->middle, s->last, number, (uint64_t *)(void *)tag.at);
    bytes_of(tag, 16, got);
    CHECK_BYTES(got, chain, 16);
    mpz_clear(number);
    free(tag.allocated);
}

static void check_aes(size_t k)
{
    static const size_t counts[] = {0,  1,  2,  3,   4,   5,   15,  16,
                                    17, 33, 64, 130, 255, 256, 257, MAX_BLOCKS};
    static const size_t sizes[] = {0,  1,  2,  7,  8,   9,   15,   16,   17,   23,   24,  31,
                                   32, 33, 63, 64, 127, 255, 4087, 4095, 4096, 4097, 8190};
    struct schedule enc, dec;
    uint8_t bytes[240];
    check_expansion(k);
    for (int any = 0; any < 2; any++) { /* the schedules of a key, and any round keys */
        random_bytes(bytes, sizeof bytes);
        expand_key(bytes, k, &enc, &dec);
        if (any) {
            take_schedule(&enc, k, bytes);
            random_bytes(bytes, sizeof bytes);
            take_schedule(&dec, k, bytes);
        }
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            check_blocks(&enc, true, counts[i]);
            check_blocks(&dec, false, counts[i]);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            check_ctr(&enc, sizes[i]);
            check_cmac(&enc, sizes[i]);
        }
    }
}

/* A key size that the module never passes gives zeros, not what lay there. */
static void check_refusal(void)
{
    struct schedule s = {.k = 4};
    struct buffer out = new_buffer(4, 8), zero = new_buffer(4, 8);
    memset(zero.at, 0, 32);
    CALL(many_blocks, "tallyEncryptBlocks")
    (5, 2, s.first, s.middle, s.last, (uint64_t *)(void *)zero.at, (uint64_t *)(void *)out.at);
    CHECK_BYTES(out.at, zero.at, 32);
    free(out.allocated);
    free(zero.allocated);
}

/* Published blocks: that what is expected here is AES. */
static void check_published(const json_case *c)
{
    uint8_t key[32], plain[64], cipher[64], got[16];
    struct schedule enc, dec;
    size_t size = json_hex(c, "key", key, sizeof key);
    CHECK_ABOUT("%s", json_string(c, "source"));
    expand_key(key, size / 4, &enc, &dec);
    json_hex(c, "plaintext", plain, sizeof plain);
    json_hex(c, "ciphertext", cipher, sizeof cipher);
    crypt_block(&enc, true, plain, got);
    CHECK_BYTES(got, cipher, 16);
    crypt_block(&dec, false, cipher, got);
    CHECK_BYTES(got, plain, 16);
}

/* --- SHA-2 --- */

typedef void digest32(size_t, mpz_srcptr, uint32_t *);
typedef void digest64(size_t, mpz_srcptr, uint64_t *);

static void check_digest(unsigned bits, const uint8_t *message, size_t size, const uint8_t *digest)
{
    char name[24];
    uint8_t got[64];
    mpz_t number;
    CHECK_ABOUT("SHA-%u of %zu bytes", bits, size);
    snprintf(name, sizeof name, "tallySha%u", bits);
    number_of(message, size, number);
    if (bits == 224) {
        struct buffer out = new_buffer(7, 4);
        CALL(digest32, name)(8 * size, number, (uint32_t *)(void *)out.at);
        for (size_t i = 0; i < 7; i++) {
            uint32_t word;
            memcpy(&word, out.at + 4 * i, 4);
            tally_store_be32(word, got + 4 * i);
        }
        free(out.allocated);
    } else {
        struct buffer out = new_buffer(bits / 64, 8);
        CALL(digest64, name)(8 * size, number, (uint64_t *)(void *)out.at);
        bytes_of(out, bits / 8, got);
        free(out.allocated);
    }
    CHECK_BYTES(got, digest, bits / 8);
    mpz_clear(number);
}

static void check_digests(unsigned bits)
{
    static uint8_t message[1 << 20];
    char path[256];
    snprintf(path, sizeof path, TALLY_VECTORS "/sha%u.json", bits);
    json_file *file = json_load(path);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t digest[64];
        size_t once = json_hex(c, "message", message, sizeof message), size = once;
        size_t repeat = json_has(c, "repeat") ? (size_t)json_int(c, "repeat") : 1;
        for (; size < repeat * once; size += once) {
            memcpy(message + size, message, once);
        }
        json_hex(c, "digest", digest, sizeof digest);
        check_digest(bits, message, size, digest);
    }
    json_free(file);
}

int main(int count, char **arguments)
{
    library = dlopen(count == 2 ? arguments[1] : "no argument", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    lower = (uint32_t(*)(uint32_t))symbol("tallyLower");
    CHECK_EQUAL(CALL(no_argument, "tallyAvailable")(), 1);
    make_sboxes();
    json_file *file = json_load(TALLY_VECTORS "/aes_blocks.json");
    for (size_t i = 0; i < json_count(file); i++) {
        check_published(json_at(file, i));
    }
    json_free(file);
    for (size_t i = 0; i < AES_BACKENDS; i++) {
        if (lower(aes_backends[i].features) != aes_backends[i].features) {
            printf("skipped: this CPU has no %s\n", aes_backends[i].name);
            continue;
        }
        for (size_t k = 4; k <= 8; k += 2) {
            check_aes(k);
        }
        check_refusal();
    }
    for (size_t kind = 0; kind < SHA2_KINDS; kind++) {
        for (size_t i = 0; i < SHA2_BACKENDS; i++) {
            const uint32_t features = sha2_kinds[kind].backends[i].features;
            if (lower(features) != features) {
                continue;
            }
            check_digests(kind == 0 ? 224 : 384);
            check_digests(kind == 0 ? 256 : 512);
        }
    }
    dlclose(library);
    return check_end("suiteb_ffi");
}
