/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES for keys that stay: refreshed shares; CTR, CBC and CMAC beside published vectors,
 * OpenSSL's and the modes of aes.h; health tests on sources that are sound, stuck or biased; and the
 * generator on shares beside the same of aes.h. Each with a source that fails at every call. */
#include "check.h"
#include "json.h"
#include "random.h"
#include "tallystick/masked_modes.h"
#include "tallystick/masked_random.h"

#include <math.h>

enum { MOST = 3000, MEMORY = 1 << 17 };

#if defined(TALLY_MASKED_SMALL)
enum { LONGEST = 16, ORDERS = 1 };
#else
enum { LONGEST = 32, ORDERS = 2 };
#endif

static uint8_t memory[MEMORY];

/* A source that counts its calls, and fails from one on. */
typedef struct meter {
    size_t calls, allowed, bytes;
} meter;

static tally_status fill(void *context, uint8_t *out, size_t size)
{
    meter *m = context;
    random_bytes(out, size);
    m->bytes += size;
    return m->calls++ < m->allowed ? TALLY_OK : TALLY_ERROR_ENTROPY;
}

static meter counting = {0, SIZE_MAX, 0};
static const tally_mask_source source = {fill, &counting};

static void allow(size_t calls)
{
    counting = (meter){0, calls, 0};
}

static int is_zero(const void *bytes, size_t size)
{
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++) {
        any |= ((const uint8_t *)bytes)[i];
    }
    return any == 0;
}

static tally_masked_key *set_key(const tally_masked_slicing *slicing, const uint8_t *bytes,
                                 size_t key_size)
{
    tally_masked_key *key = NULL;
    CHECK_EQUAL(tally_masked_key_init(slicing, bytes, key_size, 1, &source, memory, MEMORY, &key),
                TALLY_OK);
    return key;
}

/* The shares of all round keys, after a key's head. */
static const uint8_t *round_keys(const tally_masked_key *key)
{
    const size_t head = sizeof(void *) + 2 * sizeof(uint32_t);
    return (const uint8_t *)key +
           (head + TALLY_MASKED_ALIGNMENT - 1) / TALLY_MASKED_ALIGNMENT * TALLY_MASKED_ALIGNMENT;
}

static void check_refresh(const tally_masked_slicing *slicing, size_t key_size)
{
    static uint8_t before[15 * 3 * 512], after[15 * 3 * 512];
    const size_t shares = tally_masked_shares(slicing), bits = tally_masked_bits(slicing);
    const size_t states = key_size / 4 + 7, size = states * shares * bits;
    const size_t calls = states * shares * (shares - 1) / 2;
    uint8_t bytes[32], in[32], out[32], expected[32];
    random_bytes(bytes, sizeof bytes);
    random_bytes(in, sizeof in);
    tally_masked_key *key = set_key(slicing, bytes, key_size);
    CHECK_EQUAL(tally_masked_encrypt_blocks(key, &source, in, 2, expected), TALLY_OK);
    /* Once it succeeds; before, it fails at each of its calls. */
    for (size_t allowed = 0; allowed <= calls; allowed++) {
        memcpy(before, round_keys(key), size);
        allow(allowed);
        CHECK_EQUAL(tally_masked_refresh(key, &source),
                    allowed == calls ? TALLY_OK : TALLY_ERROR_ENTROPY);
        CHECK_EQUAL(counting.bytes, allowed == calls ? tally_masked_refresh_cost(slicing, key_size)
                                                     : (allowed + 1) * bits);
        memcpy(after, round_keys(key), size);
        allow(SIZE_MAX);
        CHECK_EQUAL(tally_masked_encrypt_blocks(key, &source, in, 2, out), TALLY_OK);
        CHECK_BYTES(out, expected, 32);
        for (size_t r = 0; r < states; r++) {
            const uint8_t *one = before + r * shares * bits, *two = after + r * shares * bits;
            const size_t pairs = shares * (shares - 1) / 2, done = allowed / pairs;
            uint8_t difference = 0;
            for (size_t s = 0; s < shares; s++) {
                /* By chance a share of 16 bytes stays as it is once in 2^128. */
                CHECK_EQUAL(memcmp(one + s * bits, two + s * bits, bits) != 0,
                            r < done || (r == done &&
                                         (s == 0 ? allowed % pairs > 0 : allowed % pairs >= s)));
            }
            for (size_t i = 0; i < bits; i++) {
                uint8_t sum = 0;
                for (size_t s = 0; s < shares; s++) {
                    sum ^= one[s * bits + i] ^ two[s * bits + i];
                }
                difference |= sum;
            }
            CHECK_EQUAL(difference, 0);
        }
    }
    CHECK_EQUAL(tally_masked_decrypt_blocks(key, &source, expected, 2, out), TALLY_OK);
    CHECK_BYTES(out, in, 32);
    tally_masked_key_wipe(key);
    CHECK_EQUAL(tally_masked_refresh(key, &source), TALLY_ERROR_ARGUMENT);
}

static void check_refresh_shares(void)
{
    uint8_t share[3][100], before[3][100];
    uint8_t *const shares[] = {share[0], share[1], share[2]};
    for (size_t count = 0; count < 5; count++) {
        for (size_t size = 0; size <= 96; size += size < 4 ? 1 : 23) {
            random_bytes(share, sizeof share);
            memcpy(before, share, sizeof share);
            allow(SIZE_MAX);
            if (count != 2 && count != 3) {
                CHECK_EQUAL(tally_masked_refresh_shares(shares, count, size, &source),
                            TALLY_ERROR_ARGUMENT);
                CHECK_BYTES(share, before, sizeof share);
                continue;
            }
            CHECK_EQUAL(tally_masked_refresh_shares(shares, count, size, &source), TALLY_OK);
            CHECK_EQUAL(counting.bytes, count == 2 ? size : 3 * size);
            const size_t calls = counting.calls;
            for (size_t s = 0; s < count; s++) {
                CHECK(size < 16 || memcmp(share[s], before[s], size) != 0);
                CHECK_BYTES(share[s] + size, before[s] + size, sizeof share[s] - size);
            }
            for (size_t allowed = 0; allowed <= calls; allowed++) {
                for (size_t i = 0; i < size; i++) {
                    CHECK_EQUAL(share[0][i] ^ share[1][i] ^ (count == 3 ? share[2][i] : 0),
                                before[0][i] ^ before[1][i] ^ (count == 3 ? before[2][i] : 0));
                }
                allow(allowed);
                CHECK_EQUAL(tally_masked_refresh_shares(shares, count, size, &source),
                            allowed == calls ? TALLY_OK : TALLY_ERROR_ENTROPY);
            }
        }
    }
    allow(SIZE_MAX);
}

static void check_ctr_vectors(const tally_masked_slicing *slicing)
{
    static uint8_t in[MOST], out[MOST], expected[MOST];
    json_file *file = json_load(TALLY_VECTORS "/aes_ctr.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t bytes[32], counter[16];
        const size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
        const size_t size = json_hex(c, "plaintext", in, sizeof in);
        json_hex(c, "counter", counter, sizeof counter);
        json_hex(c, "ciphertext", expected, sizeof expected);
        if (key_size > LONGEST) {
            continue;
        }
        tally_masked_key *key = set_key(slicing, bytes, key_size);
        CHECK_EQUAL(tally_masked_ctr(key, &source, counter, in, size, out), TALLY_OK);
        CHECK_BYTES(out, expected, size);
    }
    json_free(file);
}

/* Sizes about a word's blocks, in pieces and in place; the counter passes 2^128 in between. */
static void check_ctr(const tally_masked_slicing *slicing, size_t key_size)
{
    static uint8_t in[MOST], out[MOST], expected[MOST];
    const size_t word = 16 * tally_masked_blocks(slicing);
    for (int round = random_cases(4); round > 0; round--) {
        uint8_t bytes[32], counter[16], own[16];
        tally_aes_key plain;
        const size_t size = random_below(4 * word + 2), first = random_below(size / 16 + 1) * 16;
        random_bytes(bytes, sizeof bytes);
        random_bytes(counter, sizeof counter);
        if (round % 2 == 0) {
            memset(counter, 0xff, sizeof counter);
        }
        memcpy(own, counter, sizeof own);
        random_bytes(in, size);
        CHECK_EQUAL(tally_aes_key_init(bytes, key_size, &plain), TALLY_OK);
        tally_aes_ctr(&plain, counter, in, size, expected);
        tally_masked_key *key = set_key(slicing, bytes, key_size);
        memcpy(out, in, first);
        out[size] = 0x5a;
        CHECK_EQUAL(tally_masked_ctr(key, &source, own, out, first, out), TALLY_OK);
        CHECK_EQUAL(tally_masked_ctr(key, &source, own, in + first, size - first, out + first),
                    TALLY_OK);
        CHECK_BYTES(out, expected, size);
        CHECK_BYTES(own, counter, 16);
        CHECK_EQUAL(out[size], 0x5a);
    }
}

static void check_cbc(const tally_masked_slicing *slicing)
{
    static uint8_t in[MOST], out[MOST], expected[MOST];
    json_file *file = json_load(TALLY_VECTORS "/aes_cbc.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t bytes[32], start[16], iv[16];
        const size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
        const size_t size = json_hex(c, "plaintext", in, sizeof in);
        json_hex(c, "iv", start, sizeof start);
        json_hex(c, "ciphertext", expected, sizeof expected);
        if (key_size > LONGEST) {
            continue;
        }
        tally_masked_key *key = set_key(slicing, bytes, key_size);
        const uint8_t *const last = size == 0 ? start : expected + size - 16;
        for (size_t first = 0; first <= size; first += 16) {
            memcpy(iv, start, 16);
            memcpy(out, in, size);
            CHECK_EQUAL(tally_masked_cbc_encrypt(key, &source, iv, out, first, out), TALLY_OK);
            CHECK_EQUAL(
                tally_masked_cbc_encrypt(key, &source, iv, in + first, size - first, out + first),
                TALLY_OK);
            CHECK_BYTES(out, expected, size);
            CHECK_BYTES(iv, last, 16);
            memcpy(iv, start, 16);
            CHECK_EQUAL(tally_masked_cbc_decrypt(key, &source, iv, out, first, out), TALLY_OK);
            CHECK_EQUAL(tally_masked_cbc_decrypt(key, &source, iv, expected + first, size - first,
                                                 out + first),
                        TALLY_OK);
            CHECK_BYTES(out, in, size);
            CHECK_BYTES(iv, last, 16);
        }
        for (size_t wrong = 1; wrong < 16; wrong++) {
            memset(out, 1, 16);
            CHECK_EQUAL(tally_masked_cbc_encrypt(key, &source, iv, in, wrong, out),
                        TALLY_ERROR_ARGUMENT);
            CHECK_EQUAL(tally_masked_cbc_decrypt(key, &source, iv, in, 16 + wrong, out),
                        TALLY_ERROR_ARGUMENT);
            CHECK_EQUAL(out[0], 1);
            CHECK_BYTES(iv, last, 16);
        }
    }
    json_free(file);
}

static void check_cmac_vectors(const tally_masked_slicing *slicing)
{
    static uint8_t in[MOST];
    json_file *file = json_load(TALLY_VECTORS "/aes_cmac.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t bytes[32], expected[16], tag[16];
        const size_t key_size = json_hex(c, "key", bytes, sizeof bytes);
        const size_t size = json_hex(c, "message", in, sizeof in);
        json_hex(c, "tag", expected, sizeof expected);
        if (key_size > LONGEST) {
            continue;
        }
        tally_masked_key *key = set_key(slicing, bytes, key_size);
        CHECK_EQUAL(tally_masked_cmac(key, &source, size == 0 ? NULL : in, size, tag), TALLY_OK);
        CHECK_BYTES(tag, expected, 16);
    }
    json_free(file);
}

static void check_cmac(const tally_masked_slicing *slicing, size_t key_size)
{
    uint8_t bytes[32], in[100], tag[16], expected[16];
    tally_cmac_key plain;
    random_bytes(bytes, sizeof bytes);
    random_bytes(in, sizeof in);
    CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &plain), TALLY_OK);
    tally_masked_key *key = set_key(slicing, bytes, key_size);
    for (size_t size = 0; size <= 70; size += size % 16 < 14 ? 7 : 1) {
        tally_cmac(&plain, in, size, expected);
        CHECK_EQUAL(tally_masked_cmac(key, &source, in, size, tag), TALLY_OK);
        CHECK_BYTES(tag, expected, 16);
    }
    for (size_t size = 0; size <= 17; size++) {
        const tally_status right = size >= 4 && size <= 16 ? TALLY_OK : TALLY_ERROR_ARGUMENT;
        tally_cmac(&plain, in, 33, tag);
        CHECK_EQUAL(tally_masked_cmac_verify(key, &source, in, 33, tag, size), right);
        for (size_t at = 0; at < size && right == TALLY_OK; at++) {
            tag[at] ^= (uint8_t)(1 << at % 8);
            CHECK_EQUAL(tally_masked_cmac_verify(key, &source, in, 33, tag, size), TALLY_ERROR_TAG);
            tag[at] ^= (uint8_t)(1 << at % 8);
        }
    }
}

/* One of the modes on `size` bytes of `data`, in place; the last two are CMAC's. */
enum { CTR, CBC_ENCRYPT, CBC_DECRYPT, CMAC, VERIFY, MODES };

static tally_status use(int mode, const tally_masked_key *key, uint8_t iv[16], uint8_t *data,
                        size_t size)
{
    switch (mode) {
    case CTR:
        return tally_masked_ctr(key, &source, iv, data, size, data);
    case CBC_ENCRYPT:
        return tally_masked_cbc_encrypt(key, &source, iv, data, size, data);
    case CBC_DECRYPT:
        return tally_masked_cbc_decrypt(key, &source, iv, data, size, data);
    case CMAC:
        return tally_masked_cmac(key, &source, (const uint8_t *)"text", 4, data);
    default:
        return tally_masked_cmac_verify(key, &source, data, size, iv, 16);
    }
}

/* A source that fails at each call: outputs are zeros, and the IV is as before. */
static void check_mode_failures(const tally_masked_slicing *slicing)
{
    const size_t blocks = 2 * tally_masked_blocks(slicing), size = 16 * (blocks < 4 ? blocks : 4);
    static uint8_t keys[512];
    uint8_t data[64];
    tally_masked_key *key = set_key(slicing, keys, 16);
    for (int mode = 0; mode < MODES; mode++) {
        uint8_t iv[16] = {9};
        const uint8_t before[16] = {9};
        allow(SIZE_MAX);
        memset(data, 7, sizeof data);
        CHECK_EQUAL(use(mode, key, iv, data, size), mode == VERIFY ? TALLY_ERROR_TAG : TALLY_OK);
        const size_t calls = counting.calls, written = mode == CMAC ? 16 : size;
        CHECK(calls > 10);
        for (size_t allowed = 0; allowed < calls; allowed++) {
            memset(data, 7, sizeof data);
            memcpy(iv, before, 16);
            allow(allowed);
            CHECK_EQUAL(use(mode, key, iv, data, size), TALLY_ERROR_ENTROPY);
            CHECK_BYTES(iv, before, 16);
            CHECK(mode == VERIFY || is_zero(data, written));
            CHECK_EQUAL(data[written - 1], mode == VERIFY ? 7 : 0);
            CHECK(written == sizeof data || data[written] == 7);
        }
    }
    allow(SIZE_MAX);
    /* Keys of their own for each block are none for a mode, nor is a wiped key. */
    tally_masked_key_wipe(key);
    for (int wiped = 0; wiped < 2; wiped++) {
        if (!wiped) {
            const size_t count = tally_masked_blocks(slicing);
            CHECK_EQUAL(
                tally_masked_key_init(slicing, keys, 16, count, &source, memory, MEMORY, &key),
                TALLY_OK);
            if (count == 1) {
                continue;
            }
        } else {
            tally_masked_key_wipe(key);
        }
        for (int mode = 0; mode < MODES; mode++) {
            uint8_t iv[16] = {9};
            memset(data, 7, sizeof data);
            CHECK_EQUAL(use(mode, key, iv, data, 32), TALLY_ERROR_ARGUMENT);
            CHECK_EQUAL(data[0], 7);
            CHECK_EQUAL(iv[0], 9);
        }
    }
}

/* Registers in memory: nothing else changes them here. The firmware's emulator has real ones. */
static void check_polled(void)
{
    volatile uint32_t status = 0, data = 0;
    tally_polled_register polled = {&status, &data, 1, 0x66, 5};
    const uint32_t given = 0x04030201;
    uint8_t out[12], bytes[4]; /* of a word, in the CPU's order */
    memcpy(bytes, &given, 4);
    for (unsigned ready = 0; ready < 2; ready++) {
        for (uint32_t bits = 0; bits < 0x80; bits += 2) {
            for (uint32_t word = 0; word < 2; word++) {
                status = bits | ready;
                data = word * given;
                const int sound = ready && (bits & 0x66) == 0 && word != 0;
                for (size_t size = 1; size < 11; size++) {
                    memset(out, 9, sizeof out);
                    CHECK_EQUAL(tally_polled_fill(&polled, out, size),
                                sound ? TALLY_OK : TALLY_ERROR_ENTROPY);
                    for (size_t i = 0; i < size; i++) {
                        CHECK_EQUAL(out[i], sound ? bytes[i % 4] : 0);
                    }
                    CHECK_EQUAL(out[size], 9);
                }
                CHECK_EQUAL(tally_polled_fill(&polled, NULL, 0),
                            (bits & 0x66) == 0 ? TALLY_OK : TALLY_ERROR_ENTROPY);
            }
        }
    }
}

/* A raw source with a fault from word `from` on. */
enum { SOUND, STUCK_WORD, STUCK_ONE, STUCK_ZERO, FEW, REPEATED, FAULTS };

typedef struct raw {
    size_t given, from;
    int fault;
    uint32_t last;
} raw;

static tally_status raw_fill(void *context, uint8_t *out, size_t size)
{
    raw *own = context;
    CHECK_EQUAL(size % 4, 0);
    for (size_t at = 0; at < size; at += 4, own->given++) {
        uint32_t word = (uint32_t)random_u64();
        if (own->given >= own->from) {
            switch (own->fault) {
            case STUCK_WORD:
                word = 0xdeadbeef;
                break;
            case STUCK_ONE:
                word |= 0x100;
                break;
            case STUCK_ZERO:
                word &= ~(uint32_t)0x80000000;
                break;
            case FEW: /* 5 bits of entropy, never twice in a row */
                word = ((word & 31) == own->last % 64 ? 32 : word & 31) * 0x01010101;
                break;
            case REPEATED:
                word = own->given % 2 == 1 ? own->last : word;
                break;
            default:
                break;
            }
        }
        own->last = word;
        memcpy(out + at, &word, 4);
    }
    return TALLY_OK;
}

/* The parameters that the header states are those of SP 800-90B, section 4.4. */
static void check_noise_parameters(void)
{
    CHECK_EQUAL(TALLY_NOISE_REPETITIONS,
                1 + (TALLY_NOISE_ALPHA + TALLY_NOISE_ENTROPY - 1) / TALLY_NOISE_ENTROPY);
    const double p = ldexp(1, -TALLY_NOISE_ENTROPY), alpha = ldexp(1, -TALLY_NOISE_ALPHA);
    double term = pow(1 - p, TALLY_NOISE_WINDOW), tail = 1 - term;
    int k = 0;
    while (tail > alpha) { /* critbinom: the least k of which more have a probability of alpha */
        term *= (TALLY_NOISE_WINDOW - k) * p / ((k + 1) * (1 - p));
        tail -= term;
        k++;
    }
    CHECK_EQUAL(TALLY_NOISE_PROPORTION, 1 + k);
    CHECK(TALLY_NOISE_STARTUP >= 1024);
}

static void check_noise(void)
{
    tally_noise noise;
    uint8_t out[132];
    for (int fault = 0; fault < FAULTS; fault++) {
        /* At once: the start-up test sees it. Two equal words in a row are no fault. */
        raw own = {0, 0, fault, 0};
        const tally_mask_source from = {raw_fill, &own};
        const int seen = fault != SOUND && fault != REPEATED;
        const tally_status expected = seen ? TALLY_ERROR_ENTROPY : TALLY_OK;
        CHECK_ABOUT("fault %d", fault);
        CHECK_EQUAL(tally_noise_init(&noise, &from), expected);
        if (!seen) {
            CHECK_EQUAL(own.given, TALLY_NOISE_STARTUP);
        }
        memset(out, 9, sizeof out);
        CHECK_EQUAL(tally_noise_fill(&noise, out, 128), expected);
        CHECK_EQUAL(is_zero(out, 128), seen);
        /* Later: within two windows. It stays failed, until a new start. */
        own = (raw){0, TALLY_NOISE_STARTUP + 600, fault, 0};
        CHECK_EQUAL(tally_noise_init(&noise, &from), TALLY_OK);
        tally_status status = TALLY_OK;
        size_t words = 0;
        for (; words < 600 + 2 * TALLY_NOISE_WINDOW && status == TALLY_OK; words += 33) {
            memset(out, 9, sizeof out);
            status = tally_noise_fill(&noise, out, sizeof out);
            CHECK_EQUAL(is_zero(out, sizeof out), status != TALLY_OK);
        }
        CHECK_EQUAL(status, expected);
        CHECK(!seen || words >= 600);
        CHECK(fault != STUCK_WORD || words <= 600 + 66);
        own.fault = SOUND;
        CHECK_EQUAL(tally_noise_fill(&noise, out, 4), expected);
        CHECK_EQUAL(tally_noise_fill(&noise, NULL, 0), expected);
        CHECK_EQUAL(tally_noise_init(&noise, &from), TALLY_OK);
        CHECK_EQUAL(tally_noise_fill(&noise, out, 4), TALLY_OK);
        CHECK_EQUAL(tally_noise_fill(&noise, NULL, 0), TALLY_OK);
    }
    CHECK_ABOUT("%s", "");
    /* Sizes that are no words; and a raw source that fails at each call. */
    for (size_t size = 1; size < 12; size++) {
        raw own = {0, 0, SOUND, 0};
        const tally_mask_source from = {raw_fill, &own};
        CHECK_EQUAL(tally_noise_init(&noise, &from), TALLY_OK);
        own.given = 0;
        memset(out, 9, sizeof out);
        CHECK_EQUAL(tally_noise_fill(&noise, out, size), TALLY_OK);
        CHECK_EQUAL(own.given, (size + 3) / 4);
        CHECK_EQUAL(out[size], 9);
    }
    for (size_t allowed = 0; allowed < 70; allowed++) {
        allow(allowed);
        const tally_status started = tally_noise_init(&noise, &source);
        const size_t calls = (size_t)TALLY_NOISE_STARTUP / 16;
        CHECK_EQUAL(started, allowed < calls ? TALLY_ERROR_ENTROPY : TALLY_OK);
        memset(out, 9, sizeof out);
        const tally_status filled = tally_noise_fill(&noise, out, 5);
        CHECK_EQUAL(filled, allowed < calls + 2 ? TALLY_ERROR_ENTROPY : TALLY_OK);
        CHECK_EQUAL(is_zero(out, 5), filled != TALLY_OK);
    }
    allow(SIZE_MAX);
    /* A wiped one remembers no word, and fails. */
    CHECK_EQUAL(tally_noise_init(&noise, &source), TALLY_OK);
    tally_noise_wipe(&noise);
    CHECK(noise.raw.fill == NULL && noise.last == 0 && noise.first == 0 && noise.ones == 0);
    memset(out, 9, sizeof out);
    CHECK_EQUAL(tally_noise_fill(&noise, out, 5), TALLY_ERROR_ENTROPY);
    CHECK(is_zero(out, 5));
    CHECK_EQUAL(tally_noise_fill(&noise, NULL, 0), TALLY_ERROR_ENTROPY);
}

/* A source that keeps all that it gave. */
typedef struct record {
    uint8_t bytes[1 << 17];
    size_t size;
} record;

static tally_status record_fill(void *context, uint8_t *out, size_t size)
{
    record *own = context;
    CHECK(own->size + size <= sizeof own->bytes);
    random_bytes(out, size);
    if (own->size + size <= sizeof own->bytes) {
        memcpy(own->bytes + own->size, out, size);
        own->size += size;
    }
    return TALLY_OK;
}

/* The generator as its header describes it, by the AES of aes.h: `state` is key and V. */
static void model_block(const uint8_t state[32], uint8_t i, uint8_t out[16])
{
    tally_aes_key key;
    uint8_t block[16];
    CHECK_EQUAL(tally_aes_key_init(state, 16, &key), TALLY_OK);
    memcpy(block, state + 16, 16);
    block[15] ^= i;
    tally_aes_encrypt_blocks(&key, block, 1, out);
}

static void model_update(uint8_t state[32], uint8_t i)
{
    uint8_t next[32];
    model_block(state, i, next);
    model_block(state, (uint8_t)(i + 1), next + 16);
    memcpy(state, next, 32);
}

/* Adds the seeds that the record has, after the masks of each update. */
static void model_seed(uint8_t state[32], const record *made, size_t *at)
{
    const tally_masked_slicing *slicing = NULL;
    CHECK_EQUAL(tally_masked_choose(1, 0, 2, &slicing), TALLY_OK);
    const size_t words = tally_masked_blocks(slicing) == 1 ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        model_update(state, 1);
        *at += tally_masked_expand_cost(slicing, 16) +
               words * (tally_masked_share_cost(slicing) + tally_masked_crypt_cost(slicing, 16));
        for (size_t k = 0; k < 32; k++) {
            state[k] ^= made->bytes[*at + k] ^ made->bytes[*at + 32 + k];
        }
        *at += 64;
    }
}

static void check_drbg(void)
{
    static record made;
    static tally_masked_drbg drbg;
    const tally_mask_source recorded = {record_fill, &made};
    uint8_t state[32] = {0}, out[TALLY_MASKED_DRBG_BUFFER + 1], expected[16];
    size_t at = 32;
    made.size = 0;
    CHECK_EQUAL(tally_masked_drbg_init(&drbg, &recorded), TALLY_OK);
    model_seed(state, &made, &at);
    CHECK_EQUAL(at, made.size);
    /* In pieces of every size, over several buffers, and over the interval. */
    size_t given = 0, buffers = 0;
    uint8_t buffer[TALLY_MASKED_DRBG_BUFFER];
    const bool emulated = random_is_emulated();
    const size_t all = (emulated ? 20 : TALLY_MASKED_DRBG_INTERVAL + 3) * sizeof buffer;
    for (size_t piece = 0; given < all; piece = (piece + 1) % sizeof out) {
        made.size = 0;
        at = 0;
        CHECK_EQUAL(tally_masked_drbg_fill(&drbg, out, piece), TALLY_OK);
        for (size_t i = 0; i < piece; i++, given++) {
            if (given % sizeof buffer == 0) {
                if (buffers++ == TALLY_MASKED_DRBG_INTERVAL) {
                    buffers = 1;
                    model_seed(state, &made, &at);
                }
                for (uint8_t b = 0; b < sizeof buffer / 16; b++) {
                    model_block(state, (uint8_t)(b + 1), buffer + (size_t)16 * b);
                }
                model_update(state, sizeof buffer / 16 + 1);
            }
            CHECK_EQUAL(out[i], buffer[given % sizeof buffer]);
        }
        /* What was given is not there any more, and the key is on shares. */
        CHECK(is_zero(drbg.buffer, sizeof buffer - drbg.left));
        for (size_t k = 0; k < 32; k++) {
            CHECK_EQUAL(drbg.state[0][k] ^ drbg.state[1][k], state[k]);
        }
        CHECK(memcmp(drbg.state[0], state, 32) != 0 && memcmp(drbg.state[1], state, 32) != 0);
    }
    made.size = 0;
    at = 0;
    CHECK_EQUAL(tally_masked_drbg_reseed(&drbg), TALLY_OK);
    model_seed(state, &made, &at);
    CHECK_EQUAL(tally_masked_drbg_fill(&drbg, out, 16), TALLY_OK);
    model_block(state, 1, expected);
    CHECK_BYTES(out, expected, 16);
    tally_masked_drbg_wipe(&drbg);
    tally_masked_drbg_wipe(&drbg);
    CHECK(is_zero(&drbg, sizeof drbg));
    CHECK_EQUAL(tally_masked_drbg_reseed(&drbg), TALLY_ERROR_ENTROPY);
    memset(out, 1, sizeof out);
    CHECK_EQUAL(tally_masked_drbg_fill(&drbg, out, 20), TALLY_ERROR_ENTROPY);
    CHECK(is_zero(out, 20));
    CHECK_EQUAL(out[20], 1);
    CHECK_EQUAL(tally_masked_drbg_fill(&drbg, NULL, 0), TALLY_ERROR_ENTROPY);
}

/* A source that fails at each call of a seed, of a buffer and of a new seed. */
static void check_drbg_failures(void)
{
    static tally_masked_drbg drbg;
    uint8_t out[100];
    allow(SIZE_MAX);
    CHECK_EQUAL(tally_masked_drbg_init(&drbg, &source), TALLY_OK);
    const size_t seeding = counting.calls;
    CHECK_EQUAL(tally_masked_drbg_fill(&drbg, out, sizeof out), TALLY_OK);
    const size_t filled = counting.calls;
    CHECK_EQUAL(tally_masked_drbg_reseed(&drbg), TALLY_OK);
    const size_t calls = counting.calls;
    for (size_t allowed = 0; allowed < calls; allowed++) {
        allow(allowed);
        memset(&drbg, 1, sizeof drbg);
        tally_status status = tally_masked_drbg_init(&drbg, &source);
        CHECK_EQUAL(status, allowed < seeding ? TALLY_ERROR_ENTROPY : TALLY_OK);
        if (allowed >= seeding) {
            memset(out, 1, sizeof out);
            status = tally_masked_drbg_fill(&drbg, out, sizeof out);
            CHECK_EQUAL(status, allowed < filled ? TALLY_ERROR_ENTROPY : TALLY_OK);
            CHECK_EQUAL(is_zero(out, sizeof out), allowed < filled);
        }
        if (allowed >= filled) {
            CHECK_EQUAL(tally_masked_drbg_reseed(&drbg), TALLY_ERROR_ENTROPY);
        }
        CHECK(is_zero(&drbg, sizeof drbg));
    }
    allow(SIZE_MAX);
}

int main(void)
{
    static const unsigned all_bits[] = {16, 32, 64, 128, 256, 512};
    for (size_t i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
        for (unsigned order = 1; order <= ORDERS; order++) {
            const tally_masked_slicing *slicing;
            if (tally_masked_choose(order, all_bits[i], 0, &slicing) != TALLY_OK) {
                printf("skipped: there are no words of %u bits\n", all_bits[i]);
                continue;
            }
            CHECK_ABOUT("%u bits, order %u", all_bits[i], order);
            check_ctr_vectors(slicing);
            check_cbc(slicing);
            check_cmac_vectors(slicing);
            check_mode_failures(slicing);
            for (size_t key_size = 16; key_size <= LONGEST; key_size += 8) {
                check_refresh(slicing, key_size);
                check_ctr(slicing, key_size);
                check_cmac(slicing, key_size);
            }
        }
    }
    CHECK_ABOUT("%s", "");
    check_refresh_shares();
    check_polled();
    check_noise_parameters();
    check_noise();
    check_drbg();
    check_drbg_failures();
    return check_end("masked_modes");
}
