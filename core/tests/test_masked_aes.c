/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES, with words of every size and both orders: published vectors, the AES of aes.h on
 * random keys and blocks, randomness counted and watched, and errors. */
#include "base/cpu.h"
#include "check.h"
#include "json.h"
#include "random.h"
#include "tallystick/masked_aes.h"

#include <stdlib.h>

enum { MOST = 70, MEMORY = 1 << 17, ALL = 512 / 16 };

#if defined(TALLY_SLICE_BITS) /* a build of these words alone */
enum { WIDEST_OF_C99 = TALLY_SLICE_BITS };
#else
enum { WIDEST_OF_C99 = 64 };
#endif

#if defined(TALLY_MASKED_SMALL) /* AES-128 on two shares alone */
enum { LONGEST = 16, ORDERS = 1 };
#else
enum { LONGEST = 32, ORDERS = 2 };
#endif

static const unsigned all_bits[] = {16, 32, 64, 128, 256, 512};

static uint8_t memory[MEMORY];

/* A source that counts, flips a bit of one byte, or fails. */
typedef struct meter {
    size_t given, flipped, allowed;
} meter;

static tally_status fill(void *context, uint8_t *out, size_t size)
{
    meter *m = context;
    random_bytes(out, size);
    if (m->flipped >= m->given && m->flipped - m->given < size) {
        out[m->flipped - m->given] ^= 1;
    }
    m->given += size;
    return m->given > m->allowed ? TALLY_ERROR_ENTROPY : TALLY_OK;
}

static meter counting = {0, SIZE_MAX, SIZE_MAX};
static const tally_mask_source source = {fill, &counting};

static void restart(void)
{
    counting = (meter){0, SIZE_MAX, SIZE_MAX};
}

typedef struct states {
    _Alignas(TALLY_MASKED_ALIGNMENT) uint8_t bytes[2][3 * 512];
} states;

static tally_masked_key *set_key(const tally_masked_slicing *slicing, const uint8_t *keys,
                                 size_t key_size, size_t count)
{
    tally_masked_key *key = NULL;
    CHECK_EQUAL(
        tally_masked_key_init(slicing, keys, key_size, count, &source, memory, sizeof memory, &key),
        TALLY_OK);
    return key;
}

static void check_vectors(const tally_masked_slicing *slicing)
{
    json_file *file = json_load(TALLY_VECTORS "/aes_blocks.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t key[32], plain[64], cipher[64], out[64];
        const size_t key_size = json_hex(c, "key", key, sizeof key);
        const size_t size = json_hex(c, "plaintext", plain, sizeof plain);
        json_hex(c, "ciphertext", cipher, sizeof cipher);
        if (key_size > LONGEST) {
            continue;
        }
        tally_masked_key *masked = set_key(slicing, key, key_size, 1);
        CHECK_EQUAL(tally_masked_encrypt_blocks(masked, &source, plain, size / 16, out), TALLY_OK);
        CHECK_BYTES(out, cipher, size);
        CHECK_EQUAL(tally_masked_decrypt_blocks(masked, &source, cipher, size / 16, out), TALLY_OK);
        CHECK_BYTES(out, plain, size);
    }
    json_free(file);
}

/* Random blocks and keys, beside the AES of aes.h, and their costs. */
static void check_random(const tally_masked_slicing *slicing, size_t key_size, int own_keys)
{
    const size_t together = tally_masked_blocks(slicing), count = own_keys ? together : 1;
    const size_t extra = tally_masked_shares(slicing) - 1;
    uint8_t keys[ALL * 32], in[16 * MOST], out[16 * MOST], expected[16 * MOST];
    for (int round = random_cases(6); round > 0; round--) {
        const size_t blocks = random_below(MOST + 1);
        random_bytes(keys, count * key_size);
        random_bytes(in, 16 * blocks);
        for (size_t b = 0; b < blocks; b++) {
            tally_aes_key plain;
            CHECK_EQUAL(tally_aes_key_init(keys + b % count * key_size, key_size, &plain),
                        TALLY_OK);
            tally_aes_encrypt_blocks(&plain, in + 16 * b, 1, expected + 16 * b);
        }
        restart();
        tally_masked_key *key = set_key(slicing, keys, key_size, count);
        CHECK_EQUAL(counting.given,
                    extra * count * key_size + tally_masked_expand_cost(slicing, key_size));
        restart();
        CHECK_EQUAL(tally_masked_encrypt_blocks(key, &source, in, blocks, out), TALLY_OK);
        CHECK_BYTES(out, expected, 16 * blocks);
        CHECK_EQUAL(counting.given, (blocks + together - 1) / together *
                                        (tally_masked_share_cost(slicing) +
                                         tally_masked_crypt_cost(slicing, key_size)));
        CHECK_EQUAL(tally_masked_decrypt_blocks(key, &source, out, blocks, out), TALLY_OK);
        CHECK_BYTES(out, in, 16 * blocks);
    }
}

/* A bit at the place that the header states. */
static uint8_t bit_at(const tally_masked_slicing *slicing, const uint8_t *share, size_t block,
                      size_t byte, size_t plane)
{
    const size_t bits = tally_masked_bits(slicing), blocks = bits / 16;
    const size_t r = byte % 4, c = byte / 4, units = bits / 128;
    const uint8_t *word = share + plane * bits / 8;
    if (bits <= 64) {
        uint64_t value = 0;
        if (bits == 16) {
            uint16_t x;
            memcpy(&x, word, sizeof x);
            value = x;
        } else if (bits == 32) {
            uint32_t x;
            memcpy(&x, word, sizeof x);
            value = x;
        } else {
            memcpy(&value, word, sizeof value);
        }
        return value >> ((4 * r + c) * blocks + block) & 1;
    }
    return word[16 * (block % units) + 4 * r + c] >> (block / units) & 1;
}

static void check_layout(const tally_masked_slicing *slicing)
{
    const size_t shares = tally_masked_shares(slicing), blocks = tally_masked_blocks(slicing);
    uint8_t share[3][16 * ALL], back[3][16 * ALL];
    const uint8_t *const in[] = {share[0], share[1], share[2]};
    uint8_t *const out[] = {back[0], back[1], back[2]};
    for (size_t some = 0; some <= blocks; some += some < 2 || some == blocks ? 1 : blocks - some) {
        states state;
        random_bytes(share, sizeof share);
        tally_masked_slice(slicing, in, some, state.bytes[0]);
        for (size_t i = 0; i < shares * blocks * 128; i++) {
            const size_t s = i / (blocks * 128), block = i / 128 % blocks, bit = i % 128;
            const uint8_t *own = state.bytes[0] + s * tally_masked_bits(slicing);
            const int expected = block < some ? share[s][16 * block + bit / 8] >> bit % 8 & 1 : 0;
            CHECK_EQUAL(bit_at(slicing, own, block, bit / 8, bit % 8), expected);
        }
        memset(back, 0, sizeof back);
        tally_masked_unslice(slicing, state.bytes[0], some, out);
        for (size_t s = 0; s < shares; s++) {
            CHECK_BYTES(back[s], share[s], 16 * some);
            CHECK_EQUAL(back[s][some == ALL ? 0 : 16 * some],
                        some == ALL ? share[s][0] : 0); /* nothing beyond */
        }
    }
}

/* Everything shared, from keys to results. */
static void check_shared(const tally_masked_slicing *slicing, size_t key_size)
{
    const size_t shares = tally_masked_shares(slicing), blocks = tally_masked_blocks(slicing);
    uint8_t keys[3][ALL * 32], share[3][16 * ALL], part[3][16 * ALL], expected[16 * ALL];
    const uint8_t *const key_shares[] = {keys[0], keys[1], keys[2]};
    const uint8_t *const in[] = {share[0], share[1], share[2]};
    const uint8_t *const parts[] = {part[0], part[1], part[2]};
    uint8_t *const out[] = {share[0], share[1], share[2]};
    random_bytes(keys, sizeof keys);
    random_bytes(share, sizeof share);
    for (size_t b = 0; b < blocks; b++) {
        uint8_t key[32] = {0}, block[16] = {0};
        for (size_t s = 0; s < shares; s++) {
            for (size_t i = 0; i < key_size; i++) {
                key[i] ^= keys[s][b * key_size + i];
            }
            for (size_t i = 0; i < 16; i++) {
                block[i] ^= share[s][16 * b + i];
            }
        }
        tally_aes_key plain;
        CHECK_EQUAL(tally_aes_key_init(key, key_size, &plain), TALLY_OK);
        tally_aes_encrypt_blocks(&plain, block, 1, expected + 16 * b);
    }
    states sliced, own;
    tally_masked_slice(slicing, in, blocks, sliced.bytes[0]);
    for (int bit_sliced = 0; bit_sliced < 2; bit_sliced++) {
        tally_masked_key *key = NULL;
        if (bit_sliced) {
            for (size_t at = 0; at < key_size; at += 16) {
                memset(part, 0, sizeof part);
                for (size_t i = 0; i < shares * blocks; i++) {
                    const size_t s = i / blocks, b = i % blocks;
                    memcpy(part[s] + 16 * b, keys[s] + b * key_size + at,
                           key_size - at < 16 ? key_size - at : 16);
                }
                tally_masked_slice(slicing, parts, blocks,
                                   own.bytes[0] + at / 16 * tally_masked_state_size(slicing));
            }
            CHECK_EQUAL(tally_masked_key_init_state(slicing, own.bytes[0], key_size, &source,
                                                    memory, sizeof memory, &key),
                        TALLY_OK);
        } else {
            CHECK_EQUAL(tally_masked_key_init_shares(slicing, key_shares, key_size, blocks, &source,
                                                     memory, sizeof memory, &key),
                        TALLY_OK);
        }
        memcpy(own.bytes[0], sliced.bytes[0], sizeof own.bytes[0]);
        CHECK_EQUAL(tally_masked_encrypt_state(key, &source, own.bytes[0]), TALLY_OK);
        tally_masked_unslice(slicing, own.bytes[0], blocks, out);
        uint8_t found[16 * ALL] = {0};
        for (size_t i = 0; i < shares * 16 * blocks; i++) {
            found[i % (16 * blocks)] ^= share[i / (16 * blocks)][i % (16 * blocks)];
        }
        CHECK_BYTES(found, expected, 16 * blocks);
        CHECK_EQUAL(tally_masked_decrypt_state(key, &source, own.bytes[0]), TALLY_OK);
        for (size_t i = 0; i < tally_masked_bits(slicing); i++) {
            uint8_t now = 0, before = 0;
            for (size_t s = 0; s < shares; s++) {
                now ^= own.bytes[0][s * tally_masked_bits(slicing) + i];
                before ^= sliced.bytes[0][s * tally_masked_bits(slicing) + i];
            }
            CHECK_EQUAL(now, before);
        }
    }
}

/* With one random bit flipped, the result stays the same. Each random word of an S-box changes
 * shares, unless the AND that comes next happens to drop the change. */
static void check_each_random_masks(const tally_masked_slicing *slicing)
{
    enum { TRIES = 30, ROUNDS = 10 };
    const size_t shares = tally_masked_shares(slicing), bits = tally_masked_bits(slicing);
    const size_t cost = tally_masked_crypt_cost(slicing, 16), words = cost / ROUNDS / (bits / 8);
    CHECK_EQUAL(words, 32 * shares * (shares - 1) / 2);
    uint8_t bytes[16];
    random_bytes(bytes, sizeof bytes);
    tally_masked_key *key = set_key(slicing, bytes, 16, 1);
    states start, first, second;
    random_bytes(&start, sizeof start);
    const uint64_t seed = random_u64();
    uint64_t next = seed + 1;
    restart();
    random_state = seed;
    first = start;
    CHECK_EQUAL(tally_masked_encrypt_state(key, &source, first.bytes[0]), TALLY_OK);
    CHECK_EQUAL(counting.given, cost);
    for (size_t w = 0; w < words; w++) {
        bool changed = false;
        for (size_t i = 0; i < TRIES && !changed; i++) {
            random_state = next;
            const size_t round = random_below(ROUNDS), byte = random_below(bits / 8);
            next = random_u64();
            random_state = seed;
            counting = (meter){0, (round * words + w) * (bits / 8) + byte, SIZE_MAX};
            second = start;
            CHECK_EQUAL(tally_masked_encrypt_state(key, &source, second.bytes[0]), TALLY_OK);
            changed = memcmp(&first, &second, shares * bits) != 0;
            uint8_t difference = 0;
            for (size_t k = 0; k < bits; k++) {
                uint8_t both = 0;
                for (size_t s = 0; s < shares; s++) {
                    both ^= first.bytes[0][s * bits + k] ^ second.bytes[0][s * bits + k];
                }
                difference |= both;
            }
            CHECK_EQUAL(difference, 0);
        }
        CHECK(changed);
    }
    random_state = next;
    restart();
}

/* All shares but the last of a result that is always the same: each byte of each is uniform. One
 * chi-square value of 255 degrees of freedom is above 400 with a probability of 1.7e-8, so a false
 * alarm among all 160 has one of 3e-6. Random numbers are the same in every run. */
static void check_uniform(const tally_masked_slicing *slicing)
{
    enum { RUNS = 8192 };
    static uint32_t counts[2][16][256];
    const size_t last = tally_masked_shares(slicing) - 1;
    const uint8_t key_bytes[16] = {0};
    uint8_t share[3][16 * ALL];
    uint8_t *const out[] = {share[0], share[1], share[2]};
    tally_masked_key *key = set_key(slicing, key_bytes, 16, 1);
    memset(counts, 0, sizeof counts);
    for (size_t run = 0; run < RUNS / tally_masked_blocks(slicing); run++) {
        states state = {0};
        CHECK_EQUAL(tally_masked_encrypt_state(key, &source, state.bytes[0]), TALLY_OK);
        tally_masked_unslice(slicing, state.bytes[0], tally_masked_blocks(slicing), out);
        for (size_t i = 0; i < last * 16 * tally_masked_blocks(slicing); i++) {
            const size_t s = i / (16 * tally_masked_blocks(slicing));
            const size_t at = i % (16 * tally_masked_blocks(slicing));
            counts[s][at % 16][share[s][at]]++;
        }
    }
    for (size_t i = 0; i < last * 16; i++) {
        double chi_square = 0;
        for (size_t v = 0; v < 256; v++) {
            const double off = counts[i / 16][i % 16][v] - RUNS / 256.0;
            chi_square += off * off / (RUNS / 256.0);
        }
        CHECK(chi_square < 400);
    }
}

static void check_failures(const tally_masked_slicing *slicing)
{
    const uint8_t keys[ALL * 32] = {0}, zeros[16 * MOST] = {0};
    const uint8_t *const shares[] = {keys, keys, keys};
    const size_t blocks = tally_masked_blocks(slicing);
    uint8_t out[16 * MOST];
    states state = {0};
    tally_masked_key *key = (void *)out, *const untouched = key;
    for (size_t size = 0; size <= 33; size++) {
        if (size <= LONGEST && (size == 16 || size == 24 || size == 32)) {
            continue;
        }
        CHECK_EQUAL(tally_masked_key_init(slicing, keys, size, 1, &source, memory, MEMORY, &key),
                    TALLY_ERROR_KEY_SIZE);
        CHECK_EQUAL(
            tally_masked_key_init_shares(slicing, shares, size, 1, &source, memory, MEMORY, &key),
            TALLY_ERROR_KEY_SIZE);
        CHECK_EQUAL(
            tally_masked_key_init_state(slicing, &state, size, &source, memory, MEMORY, &key),
            TALLY_ERROR_KEY_SIZE);
    }
    const size_t counts[] = {0, blocks + 1, blocks == 1 ? 3 : blocks - 1};
    for (size_t i = 0; i < 3; i++) {
        if (counts[i] != 1) {
            CHECK_EQUAL(
                tally_masked_key_init(slicing, keys, 16, counts[i], &source, memory, MEMORY, &key),
                TALLY_ERROR_ARGUMENT);
            CHECK_EQUAL(tally_masked_key_init_shares(slicing, shares, 16, counts[i], &source,
                                                     memory, MEMORY, &key),
                        TALLY_ERROR_ARGUMENT);
        }
    }
    CHECK_EQUAL(tally_masked_key_init(slicing, keys, 16, 1, &source, memory, MEMORY, &key),
                TALLY_OK);
    tally_masked_key_wipe(key);
    tally_masked_key_wipe(key); /* of a wiped key it does nothing */
    key = untouched;
    const size_t size = tally_masked_key_size(slicing, LONGEST);
    CHECK(size <= MEMORY);
    CHECK_EQUAL(tally_masked_key_init(slicing, keys, LONGEST, 1, &source, memory, size - 1, &key),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_masked_key_init(slicing, keys, LONGEST, 1, &source, NULL, size, &key),
                TALLY_ERROR_ARGUMENT);

    /* The source fails at its first, its last, or any other byte. */
    const size_t costs[] = {
        (tally_masked_shares(slicing) - 1) * 16 + tally_masked_expand_cost(slicing, 16),
        tally_masked_crypt_cost(slicing, 16),
        tally_masked_share_cost(slicing) + tally_masked_crypt_cost(slicing, 16)};
    for (int i = 0; i < 20; i++) {
        size_t allowed[3];
        for (size_t k = 0; k < 3; k++) {
            allowed[k] = i == 0 ? 0 : i == 1 ? costs[k] - 1 : random_below(costs[k]);
        }
        counting = (meter){0, SIZE_MAX, allowed[0]};
        memset(memory, 1, sizeof memory);
        CHECK_EQUAL(tally_masked_key_init(slicing, keys, 16, 1, &source, memory, MEMORY, &key),
                    TALLY_ERROR_ENTROPY);
        CHECK(key == untouched);
        CHECK(memory[0] == 1 || memory[MEMORY - 1] == 0);
        restart();
        tally_masked_key *good = set_key(slicing, keys, 16, 1);
        counting = (meter){0, SIZE_MAX, allowed[1]};
        memset(&state, 1, sizeof state);
        CHECK_EQUAL(tally_masked_encrypt_state(good, &source, &state), TALLY_ERROR_ENTROPY);
        CHECK_BYTES(&state, zeros,
                    tally_masked_state_size(slicing) < sizeof zeros
                        ? tally_masked_state_size(slicing)
                        : sizeof zeros);
        counting = (meter){0, SIZE_MAX, allowed[1]};
        memset(&state, 1, sizeof state);
        CHECK_EQUAL(tally_masked_decrypt_state(good, &source, &state), TALLY_ERROR_ENTROPY);
        CHECK_EQUAL(state.bytes[0][0], 0);
        for (int decrypt = 0; decrypt < 2; decrypt++) {
            counting = (meter){0, SIZE_MAX, allowed[2] + (i % 2 == 0 ? costs[2] : 0)};
            memset(out, 1, sizeof out);
            CHECK_EQUAL((decrypt ? tally_masked_decrypt_blocks : tally_masked_encrypt_blocks)(
                            good, &source, zeros, blocks + 1, out),
                        TALLY_ERROR_ENTROPY);
            CHECK_BYTES(out, zeros, 16 * (blocks + 1));
        }
        restart();
    }
}

/* One block under a key that is used once; the slicing is chosen there. */
static void check_once(void)
{
    const tally_masked_slicing *slicing = NULL;
    CHECK_EQUAL(tally_masked_choose(1, 0, 2, &slicing), TALLY_OK);
    const size_t cost = tally_masked_expand_cost(slicing, 16) + tally_masked_share_cost(slicing) +
                        tally_masked_crypt_cost(slicing, 16);
    uint8_t key[32], share[2][16], plain[64], cipher[64], out[16 + 1];
    const uint8_t *const shares[2] = {share[0], share[1]}, zeros[16] = {0};
    size_t done = 0;
    json_file *file = json_load(TALLY_VECTORS "/aes_blocks.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        if (json_hex(c, "key", key, sizeof key) != 16) {
            continue;
        }
        const size_t size = json_hex(c, "plaintext", plain, sizeof plain);
        json_hex(c, "ciphertext", cipher, sizeof cipher);
        for (size_t at = 0; at < size; at += 16, done++) {
            random_bytes(share[0], 16);
            for (size_t k = 0; k < 16; k++) {
                share[1][k] = key[k] ^ share[0][k];
            }
            out[16] = 1;
            restart();
            CHECK_EQUAL(tally_masked_encrypt_once(shares, &source, plain + at, out), TALLY_OK);
            CHECK_BYTES(out, cipher + at, 16);
            CHECK_EQUAL(counting.given, cost);
            memcpy(out, plain + at, 16);
            CHECK_EQUAL(tally_masked_encrypt_once(shares, &source, out, out), TALLY_OK);
            CHECK_BYTES(out, cipher + at, 16);
            CHECK_EQUAL(out[16], 1);
        }
    }
    json_free(file);
    CHECK(done > 0);
    /* The source fails at its first, its last, or any other byte. */
    for (int i = 0; i < 20; i++) {
        counting = (meter){0, SIZE_MAX, i == 0 ? 0 : i == 1 ? cost - 1 : random_below(cost)};
        memset(out, 1, sizeof out);
        CHECK_EQUAL(tally_masked_encrypt_once(shares, &source, plain, out), TALLY_ERROR_ENTROPY);
        CHECK_BYTES(out, zeros, 16);
        CHECK_EQUAL(out[16], 1);
    }
    counting = (meter){0, SIZE_MAX, cost};
    CHECK_EQUAL(tally_masked_encrypt_once(shares, &source, plain, out), TALLY_OK);
    restart();
}

static void check_generator(const tally_masked_slicing *slicing)
{
    tally_mask_generator one, two;
    CHECK_EQUAL(tally_mask_generator_init(&one), TALLY_OK);
    CHECK_EQUAL(tally_mask_generator_init(&two), TALLY_OK);
    CHECK_EQUAL(one.key.rounds, 10); /* AES-128 */
    uint8_t first[80], other[80], stream[160], counter[16] = {0};
    tally_aes_ctr(&one.key, counter, NULL, sizeof stream, stream);
    CHECK_EQUAL(tally_mask_generator_fill(&one, first, sizeof first), TALLY_OK);
    CHECK_BYTES(first, stream, sizeof first);
    CHECK_EQUAL(tally_mask_generator_fill(&one, first, sizeof first), TALLY_OK);
    CHECK_BYTES(first, stream + sizeof first, sizeof first);
    /* The rest of a block is not given again. */
    uint8_t odd[24], next[24];
    CHECK_EQUAL(tally_mask_generator_fill(&one, odd, sizeof odd), TALLY_OK);
    CHECK_EQUAL(tally_mask_generator_fill(&one, next, sizeof next), TALLY_OK);
    for (size_t i = 0; i + 8 <= sizeof odd; i += 8) {
        for (size_t j = 0; j + 8 <= sizeof next; j += 8) {
            CHECK(memcmp(odd + i, next + j, 8) != 0);
        }
    }
    CHECK_EQUAL(tally_mask_generator_fill(&two, other, sizeof other), TALLY_OK);
    CHECK(memcmp(stream, other, sizeof other) != 0);

    const tally_mask_source ready = {tally_mask_generator_fill, &one};
    const uint8_t bytes[16] = {1};
    uint8_t in[16] = {2}, out[16];
    tally_masked_key *key = NULL;
    CHECK_EQUAL(tally_masked_key_init(slicing, bytes, 16, 1, &ready, memory, MEMORY, &key),
                TALLY_OK);
    CHECK_EQUAL(tally_masked_encrypt_blocks(key, &ready, in, 1, out), TALLY_OK);
    CHECK(memcmp(in, out, 16) != 0);
    CHECK_EQUAL(tally_masked_decrypt_blocks(key, &ready, out, 1, out), TALLY_OK);
    CHECK_BYTES(out, in, 16);
}

/* The narrowest that is wide enough, or the widest there is; and what there is not. */
static void check_choice(void)
{
    const tally_masked_slicing *slicing = NULL, *widest = NULL;
#if defined(TALLY_SLICE_BITS)
    for (size_t i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
        CHECK_EQUAL(tally_masked_choose(1, all_bits[i], 1, &slicing),
                    all_bits[i] == TALLY_SLICE_BITS ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    }
#endif
    for (size_t blocks = 0; blocks <= 40; blocks++) {
        CHECK_EQUAL(tally_masked_choose(1, 0, blocks, &slicing), TALLY_OK);
        for (size_t i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
            const tally_masked_slicing *one;
            if (tally_masked_choose(1, all_bits[i], 0, &one) == TALLY_OK) {
                widest = one;
                CHECK(tally_masked_blocks(one) < blocks ||
                      tally_masked_bits(slicing) <= tally_masked_bits(one));
            }
        }
        CHECK(tally_masked_blocks(slicing) >= blocks || slicing == widest);
    }
    const tally_masked_slicing *before = slicing;
    CHECK_EQUAL(tally_masked_choose(0, 0, 1, &slicing), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_masked_choose(ORDERS + 1, 0, 1, &slicing), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_masked_choose(1, 48, 1, &slicing), TALLY_ERROR_ARGUMENT);
    CHECK(slicing == before);
    tally_cpu_lower(0);
    CHECK_EQUAL(tally_masked_choose(ORDERS, 0, 40, &slicing), TALLY_OK);
    CHECK_EQUAL(tally_masked_bits(slicing), WIDEST_OF_C99);
    CHECK_EQUAL(tally_masked_choose(1, 512, 1, &slicing), TALLY_ERROR_ARGUMENT);
    tally_cpu_lower(UINT32_MAX);
}

int main(void)
{
    for (size_t i = 0; i < sizeof all_bits / sizeof *all_bits; i++) {
        for (unsigned order = 1; order <= ORDERS; order++) {
            const tally_masked_slicing *slicing;
            if (tally_masked_choose(order, all_bits[i], 0, &slicing) != TALLY_OK) {
                printf("skipped: this CPU has no words of %u bits\n", all_bits[i]);
                continue;
            }
            CHECK_ABOUT("%u bits, order %u", all_bits[i], order);
            CHECK_EQUAL(tally_masked_bits(slicing), all_bits[i]);
            CHECK_EQUAL(tally_masked_shares(slicing), order + 1);
            check_vectors(slicing);
            check_layout(slicing);
            check_each_random_masks(slicing);
            check_uniform(slicing);
            check_failures(slicing);
            check_generator(slicing);
            for (size_t key_size = 16; key_size <= LONGEST; key_size += 8) {
                check_random(slicing, key_size, 0);
                check_random(slicing, key_size, 1);
                check_shared(slicing, key_size);
            }
        }
    }
    check_once();
    check_choice();
    return check_end("masked_aes");
}
