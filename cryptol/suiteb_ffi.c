/* SPDX-License-Identifier: Apache-2.0
 *
 * The C side of SuiteB_FFI.cry: AES and SHA-2 of the core by the calling convention of Cryptol's
 * foreign function interface (reference manual, "Foreign Function Interface"). Each function stands
 * beside its type in the module.
 *
 * An AES key schedule crosses as three arrays of big-endian words: the first round key, k + 5 round
 * keys, and the last one, k being the key's size in words. A message is a number with the first
 * byte at the top; its size comes with it, since a number has no leading zeros. Buffers are aligned
 * to their elements, and results hold garbage before. */
#include <gmp.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "tallystick/aes.h"
#include "tallystick/sha2.h"

#if GMP_NUMB_BITS != 64
#error "numbers are taken apart in limbs of 64 bits"
#endif

#define EXPORT __attribute__((visibility("default")))

enum { BLOCK = TALLY_AES_BLOCK, MOST_ROUND_KEYS = 15, PIECE = 4096 };

/* How a schedule crosses, as parameters and as arguments. */
#define SCHEDULE           const uint32_t *first, const uint32_t *middle, const uint32_t *last
#define OUT_SCHEDULE(name) uint32_t *name##_first, uint32_t *name##_middle, uint32_t *name##_last

static void store_round_key(const uint32_t words[4], uint8_t *out)
{
    for (size_t i = 0; i < 4; i++) {
        tally_store_be32(words[i], out + 4 * i);
    }
}

static void load_round_key(const uint8_t *in, uint32_t words[4])
{
    for (size_t i = 0; i < 4; i++) {
        words[i] = tally_load_be32(in + 4 * i);
    }
}

/* Doubles each byte of a word in GF(2^8). */
static uint32_t doubled(uint32_t word)
{
    return (word & 0x7f7f7f7f) << 1 ^ (word >> 7 & 0x01010101) * 0x1b;
}

/* FIPS 197, section 5.1.3: byte i becomes 2 a[i] + 3 a[i+1] + a[i+2] + a[i+3]. */
static uint32_t mixed_column(uint32_t a)
{
    uint32_t next = a << 8 | a >> 24, opposite = a << 16 | a >> 16, before = a << 24 | a >> 8;
    return doubled(a ^ next) ^ next ^ opposite ^ before;
}

static void mix_columns(uint32_t words[4])
{
    for (size_t i = 0; i < 4; i++) {
        words[i] = mixed_column(words[i]);
    }
}

/* MixColumns has order 4, so its inverse is its cube. */
static void unmix_columns(uint32_t words[4])
{
    for (int time = 0; time < 3; time++) {
        mix_columns(words);
    }
}

/* The key of an encryption schedule. The module passes k = 4, 6 and 8 alone; for any other, 0. */
static int encryption_key(size_t k, SCHEDULE, tally_aes_key *key)
{
    uint8_t round_keys[BLOCK * MOST_ROUND_KEYS];
    if (k != 4 && k != 6 && k != 8) {
        return 0;
    }
    store_round_key(first, round_keys);
    for (size_t i = 0; i < k + 5; i++) {
        store_round_key(middle + 4 * i, round_keys + BLOCK * (i + 1));
    }
    store_round_key(last, round_keys + BLOCK * (k + 6));
    tally_status status = tally_aes_key_init_round_keys(round_keys, BLOCK * (k + 7), key);
    tally_wipe(round_keys, sizeof round_keys);
    return status == TALLY_OK;
}

/* The same of a schedule of the equivalent inverse cipher (FIPS 197, section 5.3.5): the round keys
 * of encryption backwards, all but the first and the last after InvMixColumns. */
static int decryption_key(size_t k, SCHEDULE, tally_aes_key *key)
{
    uint32_t round_keys[4 * (MOST_ROUND_KEYS - 2)];
    if (k != 4 && k != 6 && k != 8) {
        return 0;
    }
    for (size_t i = 0; i < k + 5; i++) {
        uint32_t *words = round_keys + 4 * (k + 4 - i);
        memcpy(words, middle + 4 * i, 4 * sizeof *words);
        mix_columns(words);
    }
    int good = encryption_key(k, last, round_keys, first, key);
    tally_wipe(round_keys, sizeof round_keys);
    return good;
}

/* Key schedules of a key of k words, which crosses in words of 64 bits. What is not wanted is
 * NULL. */
static void expand(size_t k, const uint64_t *key, OUT_SCHEDULE(enc), OUT_SCHEDULE(dec))
{
    uint8_t bytes[32], round_keys[BLOCK * MOST_ROUND_KEYS];
    for (size_t i = 0; i < k / 2; i++) {
        tally_store_be64(key[i], bytes + 8 * i);
    }
    const tally_status status = tally_aes_expand(bytes, 4 * k, round_keys);
    (void)status; /* k is 4, 6 or 8: it cannot fail */
    if (enc_first != NULL) {
        load_round_key(round_keys, enc_first);
        for (size_t i = 0; i < k + 5; i++) {
            load_round_key(round_keys + BLOCK * (i + 1), enc_middle + 4 * i);
        }
        load_round_key(round_keys + BLOCK * (k + 6), enc_last);
    }
    if (dec_first != NULL) {
        load_round_key(round_keys + BLOCK * (k + 6), dec_first);
        for (size_t i = 0; i < k + 5; i++) {
            load_round_key(round_keys + BLOCK * (k + 5 - i), dec_middle + 4 * i);
            unmix_columns(dec_middle + 4 * i);
        }
        load_round_key(round_keys, dec_last);
    }
    tally_wipe(bytes, sizeof bytes);
    tally_wipe(round_keys, sizeof round_keys);
}

/* () -> Bit */
EXPORT uint8_t tallyAvailable(void);
uint8_t tallyAvailable(void)
{
    return 1;
}

/* [k/2][64] -> a schedule, or two. */
#define EXPANSIONS(bits)                                                                           \
    EXPORT void tallyExpand##bits##Encrypt(const uint64_t *key, OUT_SCHEDULE(enc));                \
    EXPORT void tallyExpand##bits##Decrypt(const uint64_t *key, OUT_SCHEDULE(dec));                \
    EXPORT void tallyExpand##bits##Both(const uint64_t *key, OUT_SCHEDULE(enc),                    \
                                        OUT_SCHEDULE(dec));                                        \
    void tallyExpand##bits##Encrypt(const uint64_t *key, OUT_SCHEDULE(enc))                        \
    {                                                                                              \
        expand(bits / 32, key, enc_first, enc_middle, enc_last, NULL, NULL, NULL);                 \
    }                                                                                              \
    void tallyExpand##bits##Decrypt(const uint64_t *key, OUT_SCHEDULE(dec))                        \
    {                                                                                              \
        expand(bits / 32, key, NULL, NULL, NULL, dec_first, dec_middle, dec_last);                 \
    }                                                                                              \
    void tallyExpand##bits##Both(const uint64_t *key, OUT_SCHEDULE(enc), OUT_SCHEDULE(dec))        \
    {                                                                                              \
        expand(bits / 32, key, enc_first, enc_middle, enc_last, dec_first, dec_middle, dec_last);  \
    }
EXPANSIONS(128)
EXPANSIONS(192)
EXPANSIONS(256)

typedef int get_key(size_t k, SCHEDULE, tally_aes_key *key);
typedef void crypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks, uint8_t *out);

static void store_blocks(const uint64_t *in, size_t blocks, uint8_t *out)
{
    for (size_t i = 0; i < 2 * blocks; i++) {
        tally_store_be64(in[i], out + 8 * i);
    }
}

/* Blocks as pairs of words. They go through a piece on the stack, so that nothing is asked of the
 * alignment of `out`. */
static void blocks_as_words(get_key *get, crypt_blocks *crypt, size_t k, size_t n, SCHEDULE,
                            const uint64_t *in, uint64_t *out)
{
    tally_aes_key key;
    uint8_t piece[PIECE];
    size_t some = 0;
    if (n == 0) {
        return;
    }
    if (!get(k, first, middle, last, &key)) {
        memset(out, 0, n * BLOCK);
        return;
    }
    for (size_t at = 0; at < n; at += some) {
        some = n - at < PIECE / BLOCK ? n - at : PIECE / BLOCK;
        store_blocks(in + 2 * at, some, piece);
        crypt(&key, piece, some, piece);
        for (size_t i = 0; i < 2 * some; i++) {
            out[2 * at + i] = tally_load_be64(piece + 8 * i);
        }
    }
    tally_wipe(piece, BLOCK * (n < PIECE / BLOCK ? n : PIECE / BLOCK));
    tally_wipe(&key, sizeof key);
}

/* {k} (fin k) => schedule -> [2][64] -> [2][64], and
 * {k, n} (fin k, fin n) => schedule -> [n][2][64] -> [n][2][64] */
#define BLOCKS(name, get, crypt)                                                                   \
    EXPORT void name##Block(size_t k, SCHEDULE, const uint64_t *in, uint64_t *out);                \
    EXPORT void name##Blocks(size_t k, size_t n, SCHEDULE, const uint64_t *in, uint64_t *out);     \
    void name##Block(size_t k, SCHEDULE, const uint64_t *in, uint64_t *out)                        \
    {                                                                                              \
        blocks_as_words(get, crypt, k, 1, first, middle, last, in, out);                           \
    }                                                                                              \
    void name##Blocks(size_t k, size_t n, SCHEDULE, const uint64_t *in, uint64_t *out)             \
    {                                                                                              \
        blocks_as_words(get, crypt, k, n, first, middle, last, in, out);                           \
    }
BLOCKS(tallyEncrypt, encryption_key, tally_aes_encrypt_blocks)
BLOCKS(tallyDecrypt, decryption_key, tally_aes_decrypt_blocks)

/* Bytes `at` .. `at` + count - 1 of a number of `size` bytes, `size` - `at` being a multiple of 8
 * unless all that is left is wanted. Bytes above the number are 0, those above `size` left out. */
static void get_bytes(mpz_srcptr number, size_t size, size_t at, size_t count, uint8_t *out)
{
    size_t left = size - at, done = 0;
    uint8_t top[8];
    if (count == 0) {
        return;
    }
    if (left % 8 != 0) {
        done = left % 8 < count ? left % 8 : count;
        tally_store_be64(mpz_getlimbn(number, (mp_size_t)(left / 8)), top);
        memcpy(out, top + 8 - left % 8, done);
        tally_wipe(top, sizeof top);
        left -= done;
    }
    for (; done < count; done += 8, left -= 8) {
        tally_store_be64(mpz_getlimbn(number, (mp_size_t)(left / 8) - 1), out + done);
    }
}

/* Reads a message in pieces, each ending at a limb: size -> the first piece's, which is the odd
 * one. */
static size_t next_piece(size_t size, size_t at)
{
    size_t odd = (size - at) % PIECE;
    return odd != 0 ? odd : PIECE;
}

/* A message of `size` bytes into the limbs of `out`, its bytes in order; they begin where it says.
 * Then `finish` makes a number of them. The convention knows no errors: where there is no memory,
 * and from 2^31 limbs on, which the module does not pass, GMP says so and ends the program. */
static uint8_t *begin_number(mpz_srcptr in, size_t size, mpz_ptr out)
{
    const size_t limbs = size / 8 + (size % 8 != 0);
    uint8_t *bytes = (uint8_t *)mpz_limbs_write(out, (mp_size_t)limbs) + (8 * limbs - size);
    get_bytes(in, size, 0, size, bytes);
    return bytes;
}

static void finish_number(size_t size, mpz_ptr out)
{
    const size_t limbs = size / 8 + (size % 8 != 0);
    mp_limb_t *limb = mpz_limbs_modify(out, (mp_size_t)limbs);
    uint8_t *bytes = (uint8_t *)limb;
    memset(bytes, 0, 8 * limbs - size);
    for (size_t low = 0, high = limbs - 1; low <= high && high < limbs; low++, high--) {
        uint64_t top = tally_load_be64(bytes + 8 * low);
        limb[low] = tally_load_be64(bytes + 8 * high);
        limb[high] = top;
    }
    mpz_limbs_finish(out, (mp_size_t)limbs);
}

/* {k, n} (fin k, fin n) => schedule -> Integer -> Integer, of n blocks */
static void blocks_of_number(get_key *get, crypt_blocks *crypt, size_t k, size_t n, SCHEDULE,
                             mpz_srcptr in, mpz_ptr out)
{
    tally_aes_key key;
    const size_t size =
        n <= SIZE_MAX / BLOCK ? BLOCK * n : SIZE_MAX; /* either is too much for GMP */
    if (n == 0 || !get(k, first, middle, last, &key)) {
        mpz_set_ui(out, 0);
        return;
    }
    uint8_t *bytes = begin_number(in, size, out);
    crypt(&key, bytes, n, bytes);
    finish_number(size, out);
    tally_wipe(&key, sizeof key);
}

#define WORDS(name, get, crypt)                                                                    \
    EXPORT void name(size_t k, size_t n, SCHEDULE, mpz_srcptr in, mpz_ptr out);                    \
    void name(size_t k, size_t n, SCHEDULE, mpz_srcptr in, mpz_ptr out)                            \
    {                                                                                              \
        blocks_of_number(get, crypt, k, n, first, middle, last, in, out);                          \
    }
WORDS(tallyEncryptWords, encryption_key, tally_aes_encrypt_blocks)
WORDS(tallyDecryptWords, decryption_key, tally_aes_decrypt_blocks)

/* {k, n} (fin k, fin n) => schedule -> [2][64] -> Integer -> Integer, of n bytes */
EXPORT void tallyCtr(size_t k, size_t n, SCHEDULE, const uint64_t *counter, mpz_srcptr in,
                     mpz_ptr out);
void tallyCtr(size_t k, size_t n, SCHEDULE, const uint64_t *counter, mpz_srcptr in, mpz_ptr out)
{
    tally_aes_key key;
    uint8_t block[BLOCK];
    if (n == 0 || !encryption_key(k, first, middle, last, &key)) {
        mpz_set_ui(out, 0);
        return;
    }
    store_blocks(counter, 1, block);
    uint8_t *bytes = begin_number(in, n, out);
    tally_aes_ctr(&key, block, bytes, n, bytes);
    finish_number(n, out);
    tally_wipe(&key, sizeof key);
}

/* {k, n} (fin k, fin n) => schedule -> Integer -> [2][64], of n bytes */
EXPORT void tallyCmac(size_t k, size_t n, SCHEDULE, mpz_srcptr message, uint64_t *tag);
void tallyCmac(size_t k, size_t n, SCHEDULE, mpz_srcptr message, uint64_t *tag)
{
    tally_aes_key key;
    tally_cmac_key cmac;
    tally_cmac_state state;
    uint8_t piece[PIECE], out[BLOCK];
    if (!encryption_key(k, first, middle, last, &key)) {
        memset(tag, 0, BLOCK);
        return;
    }
    tally_cmac_key_init_aes(&key, &cmac);
    tally_cmac_init(&state, &cmac);
    for (size_t at = 0, some; at < n; at += some) {
        some = next_piece(n, at);
        get_bytes(message, n, at, some, piece);
        tally_cmac_update(&state, piece, some);
    }
    tally_cmac_final(&state, out);
    tag[0] = tally_load_be64(out);
    tag[1] = tally_load_be64(out + 8);
    tally_wipe(piece, n < sizeof piece ? n : sizeof piece);
    tally_wipe(&key, sizeof key);
    tally_wipe(&cmac, sizeof cmac);
}

/* {L} (fin L) => Integer -> words of the digest, of L bits, a multiple of 8 */
#define SHA(bits, of, word, load)                                                                  \
    EXPORT void tallySha##bits(size_t L, mpz_srcptr message, word *digest);                        \
    void tallySha##bits(size_t L, mpz_srcptr message, word *digest)                                \
    {                                                                                              \
        tally_sha##of context;                                                                     \
        uint8_t piece[PIECE], out[of / 8];                                                         \
        const size_t size = L / 8;                                                                 \
        tally_sha##bits##_init(&context);                                                          \
        for (size_t at = 0, some; at < size; at += some) {                                         \
            some = next_piece(size, at);                                                           \
            get_bytes(message, size, at, some, piece);                                             \
            tally_sha##of##_update(&context, piece, some);                                         \
        }                                                                                          \
        tally_sha##of##_final(&context, out);                                                      \
        for (size_t i = 0; i < bits / 8 / sizeof *digest; i++) {                                   \
            digest[i] = load(out + i * sizeof *digest);                                            \
        }                                                                                          \
        tally_wipe(piece, size < sizeof piece ? size : sizeof piece);                              \
    }
SHA(224, 256, uint32_t, tally_load_be32)
SHA(256, 256, uint64_t, tally_load_be64)
SHA(384, 512, uint64_t, tally_load_be64)
SHA(512, 512, uint64_t, tally_load_be64)

/* Not for Cryptol: tally_cpu_lower, by which the tests reach every back end. */
EXPORT uint32_t tallyLower(uint32_t allowed);
uint32_t tallyLower(uint32_t allowed)
{
    return tally_cpu_lower(allowed);
}
