/* SPDX-License-Identifier: Apache-2.0
 *
 * AES properties and differences on random input: every back end against modes written here from
 * their definitions over the portable back end, one block at a time. */
#include "aes/cmac.h"
#include "aes_backends.h"
#include "base/cpu.h"
#include "check.h"
#include "random.h"

#define BLOCKS 140 /* more than twice as many as any back end takes at a time */
#define SIZE   (16 * BLOCKS)
#define MARGIN 16 /* bytes around an output, which must keep their value */

/* A key set up twice: in the back end under test, and in the portable one as a reference. */
struct keys {
    tally_aes_key tested, reference;
};

static struct keys random_keys(const struct aes_backend_row *row, size_t key_size)
{
    uint8_t bytes[32];
    struct keys keys;
    random_bytes(bytes, sizeof bytes);
    tally_cpu_lower(0);
    CHECK_EQUAL(tally_aes_key_init(bytes, key_size, &keys.reference), TALLY_OK);
    tally_cpu_lower(row->features);
    CHECK_EQUAL(tally_aes_key_init(bytes, key_size, &keys.tested), TALLY_OK);
    return keys;
}

static void reference_blocks(const tally_aes_key *key, bool encrypt, const uint8_t *in,
                             size_t blocks, uint8_t *out)
{
    for (size_t i = 0; i < blocks; i++) {
        if (encrypt) {
            tally_aes_encrypt_blocks(key, in + 16 * i, 1, out + 16 * i);
        } else {
            tally_aes_decrypt_blocks(key, in + 16 * i, 1, out + 16 * i);
        }
    }
}

/* The counter's increment as it is written down: from the last byte, as long as bytes become 0. */
static void increment(uint8_t counter[16])
{
    for (size_t i = 16; i-- > 0 && ++counter[i] == 0;) {
    }
}

static void reference_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                          size_t size, uint8_t *out)
{
    uint8_t stream[16];
    for (size_t i = 0; i < size; i++) {
        if (i % 16 == 0) {
            tally_aes_encrypt_blocks(key, counter, 1, stream);
            increment(counter);
        }
        out[i] = (uint8_t)((in == NULL ? 0 : in[i]) ^ stream[i % 16]);
    }
}

/* Steps of RFC 4493, section 2.4, on the padded message. */
static void reference_cmac(const tally_aes_key *key, const uint8_t *message, size_t size,
                           uint8_t tag[16])
{
    uint8_t subkey[16] = {0}, padded[SIZE + 16] = {0}, chain[16] = {0};
    bool complete = size > 0 && size % 16 == 0;
    tally_aes_encrypt_blocks(key, subkey, 1, subkey);
    for (int doubling = 0; doubling < (complete ? 1 : 2); doubling++) {
        bool carry = subkey[0] >> 7 != 0;
        for (size_t i = 0; i < 16; i++) {
            subkey[i] = (uint8_t)(subkey[i] << 1 | (i < 15 ? subkey[i + 1] >> 7 : 0));
        }
        subkey[15] ^= carry ? 0x87 : 0;
    }
    memcpy(padded, message, size);
    if (!complete) {
        padded[size] = 0x80;
    }
    size_t blocks = complete ? size / 16 : size / 16 + 1;
    for (size_t block = 0; block < blocks; block++) {
        for (size_t i = 0; i < 16; i++) {
            chain[i] ^= padded[16 * block + i] ^ (block + 1 == blocks ? subkey[i] : 0);
        }
        tally_aes_encrypt_blocks(key, chain, 1, chain);
    }
    memcpy(tag, chain, 16);
}

/* Input and output at random alignments, or the output in the input's place. */
struct buffers {
    uint8_t in[SIZE + 16], out[MARGIN + SIZE + 16 + MARGIN], expected[SIZE];
    uint8_t *input, *output;
};

static void random_buffers(struct buffers *b, size_t size, bool in_place)
{
    random_bytes(b->in, sizeof b->in);
    memset(b->out, 0xa5, sizeof b->out);
    b->output = b->out + MARGIN + random_below(16);
    b->input = b->in + random_below(16);
    if (in_place) {
        memcpy(b->output, b->input, size);
        b->input = b->output;
    }
}

static void check_output(const struct buffers *b, size_t size)
{
    uint8_t margin[MARGIN];
    memset(margin, 0xa5, MARGIN);
    CHECK_BYTES(b->output, b->expected, size);
    CHECK_BYTES(b->output - MARGIN, margin, MARGIN);
    CHECK_BYTES(b->output + size, margin, MARGIN);
}

static void check_blocks(const struct aes_backend_row *row, size_t key_size)
{
    struct buffers b;
    for (size_t i = 0; i <= 4 * BLOCKS + 3; i++) {
        size_t blocks = i / 4;
        bool encrypt = i % 2 == 0, in_place = i / 2 % 2 == 0;
        struct keys keys = random_keys(row, key_size);
        random_buffers(&b, 16 * blocks, in_place);
        reference_blocks(&keys.reference, encrypt, b.input, blocks, b.expected);
        if (encrypt) {
            tally_aes_encrypt_blocks(&keys.tested, b.input, blocks, b.output);
        } else {
            tally_aes_decrypt_blocks(&keys.tested, b.input, blocks, b.output);
        }
        check_output(&b, 16 * blocks);
    }
}

static void check_inverse(const struct aes_backend_row *row, size_t key_size)
{
    uint8_t plain[SIZE], cipher[SIZE];
    struct keys keys = random_keys(row, key_size);
    random_bytes(plain, SIZE);
    tally_aes_encrypt_blocks(&keys.tested, plain, BLOCKS, cipher);
    CHECK(memcmp(plain, cipher, SIZE) != 0);
    tally_aes_decrypt_blocks(&keys.tested, cipher, BLOCKS, cipher);
    CHECK_BYTES(cipher, plain, SIZE);
}

static void check_ctr(const struct aes_backend_row *row, size_t key_size)
{
    struct buffers b;
    for (size_t i = 0; i < 3 * SIZE; i += 7) {
        size_t size = i / 3;
        uint8_t counter[16], expected_counter[16];
        struct keys keys = random_keys(row, key_size);
        random_buffers(&b, size, i % 3 == 0);
        const uint8_t *input = i % 3 == 2 ? NULL : b.input;
        random_bytes(counter, 16);
        memcpy(expected_counter, counter, 16);
        reference_ctr(&keys.reference, expected_counter, input, size, b.expected);
        tally_aes_ctr(&keys.tested, counter, input, size, b.output);
        check_output(&b, size);
        CHECK_BYTES(counter, expected_counter, 16);
    }
}

/* Counters that pass 2^32, 2^64, .. 2^128 at each of the first blocks. */
static void check_ctr_wraps(const struct aes_backend_row *row)
{
    static uint8_t out[SIZE], expected[SIZE];
    struct keys keys = random_keys(row, 16);
    for (size_t bytes = 1; bytes <= 16; bytes++) {
        for (unsigned until_wrap = 0; until_wrap < 80; until_wrap++) {
            uint8_t counter[16], expected_counter[16];
            random_bytes(counter, 16);
            memset(counter + 16 - bytes, 0xff, bytes);
            counter[15] = (uint8_t)(counter[15] - until_wrap);
            memcpy(expected_counter, counter, 16);
            reference_ctr(&keys.reference, expected_counter, NULL, 16 * 130 + 3, expected);
            tally_aes_ctr(&keys.tested, counter, NULL, 16 * 130 + 3, out);
            CHECK_BYTES(out, expected, 16 * 130 + 3);
            CHECK_BYTES(counter, expected_counter, 16);
        }
    }
}

static void check_ctr_pieces(const struct aes_backend_row *row)
{
    static uint8_t in[SIZE], whole[SIZE], pieces[SIZE];
    struct keys keys = random_keys(row, 32);
    for (int i = 0; i < 100; i++) {
        uint8_t counter[16], counter_of_pieces[16];
        random_bytes(in, SIZE);
        random_bytes(counter, 16);
        memcpy(counter_of_pieces, counter, 16);
        tally_aes_ctr(&keys.tested, counter, in, SIZE, whole);
        for (size_t done = 0; done < SIZE;) {
            size_t size = 16 * random_below(20);
            size = size < SIZE - done ? size : SIZE - done;
            tally_aes_ctr(&keys.tested, counter_of_pieces, in + done, size, pieces + done);
            done += size;
        }
        CHECK_BYTES(pieces, whole, SIZE);
        CHECK_BYTES(counter_of_pieces, counter, 16);
    }
}

/* The counter `blocks` further, digit by digit. */
static void advance(uint8_t counter[16], uint64_t blocks)
{
    unsigned carry = 0;
    for (size_t i = 16; i-- > 0; blocks >>= 8) {
        carry += counter[i] + (unsigned)(blocks & 0xff);
        counter[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

/* Any place of a stream, near its beginning and far away. */
static void check_ctr_at(const struct aes_backend_row *row, size_t key_size)
{
    static struct buffers b;
    static uint8_t stream[16 + SIZE];
    for (size_t i = 0; i < 300; i++) {
        const size_t size = i < 40 ? i : random_below(SIZE);
        uint64_t offset = i % 5;
        uint8_t counter[16], from[16], before[16];
        struct keys keys = random_keys(row, key_size);
        if (i % 4 != 0) {
            random_bytes((uint8_t *)&offset, sizeof offset);
            offset >>= random_below(64);
        }
        random_buffers(&b, size, i % 3 == 0);
        const uint8_t *input = i % 3 == 2 ? NULL : b.input;
        random_bytes(counter, 16);
        memset(counter + 8, i % 2 == 0 ? 0xff : counter[8], 7);
        memcpy(from, counter, 16);
        memcpy(before, counter, 16);
        advance(from, offset / 16);
        reference_ctr(&keys.reference, from, NULL, 16 + size, stream);
        for (size_t k = 0; k < size; k++) {
            b.expected[k] = (uint8_t)((input == NULL ? 0 : input[k]) ^ stream[offset % 16 + k]);
        }
        tally_aes_ctr_at(&keys.tested, counter, offset, input, size, b.output);
        check_output(&b, size);
        CHECK_BYTES(counter, before, 16);
    }
}

/* Pairs with more or less of a beginning in common with the pair before. */
static void check_prefix_cache(size_t key_size)
{
    uint8_t bytes[32], messages[2][TALLY_CMAC_PREFIX_CACHE], expected[2][16], tags[2][16];
    tally_cmac_key key;
    static tally_cmac_prefix_cache prefix_cache;
    memset(&prefix_cache, 0xa5, sizeof prefix_cache);
    prefix_cache.blocks = 0;
    random_bytes(bytes, sizeof bytes);
    random_bytes(messages[0], sizeof messages[0]);
    CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &key), TALLY_OK);
    for (int i = 0; i < 500; i++) {
        size_t size = 4 + random_below(sizeof messages[0] - 3), first = random_below(size);
        if (random_below(4) != 0) {
            random_bytes(messages[0] + first, size - first);
        }
        memcpy(messages[1], messages[0], size);
        messages[1][3] ^= 1; /* as key derivation does */
        tally_cmac(&key, messages[0], size, expected[0]);
        tally_cmac(&key, messages[1], size, expected[1]);
        tally_cmac_pair(&key, messages[0], messages[1], size, &prefix_cache, tags[0], tags[1]);
        CHECK_BYTES(tags[0], expected[0], 16);
        CHECK_BYTES(tags[1], expected[1], 16);
    }
}

static void check_cmac(const struct aes_backend_row *row, size_t key_size)
{
    static uint8_t messages[2][SIZE];
    uint8_t bytes[32], expected[2][16], tag[2][16];
    for (size_t size = 0; size <= 300; size++) {
        tally_cmac_key key;
        tally_aes_key reference;
        random_bytes(bytes, sizeof bytes);
        random_bytes(messages, sizeof messages);
        tally_cpu_lower(0);
        CHECK_EQUAL(tally_aes_key_init(bytes, key_size, &reference), TALLY_OK);
        tally_cpu_lower(row->features);
        CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &key), TALLY_OK);
        for (int i = 0; i < 2; i++) {
            reference_cmac(&reference, messages[i], size, expected[i]);
            tally_cmac(&key, messages[i], size, tag[i]);
            CHECK_BYTES(tag[i], expected[i], 16);
        }
        tally_cmac_pair(&key, messages[0], messages[1], size, NULL, tag[1], tag[0]);
        CHECK_BYTES(tag[1], expected[0], 16);
        CHECK_BYTES(tag[0], expected[1], 16);

        tally_cmac_state state;
        tally_cmac_init(&state, &key);
        for (size_t done = 0; done < size;) {
            size_t piece = random_below(40);
            piece = piece < size - done ? piece : size - done;
            tally_cmac_update(&state, piece == 0 ? NULL : messages[0] + done, piece);
            done += piece;
        }
        tally_cmac_final(&state, tag[0]);
        CHECK_BYTES(tag[0], expected[0], 16);
        CHECK_BYTES(&state, (const uint8_t[sizeof state]){0}, sizeof state);

        tally_cmac(&key, messages[1], size, messages[1]); /* the tag over the message */
        CHECK_BYTES(messages[1], expected[1], 16);
    }
    tally_cmac_key key;
    CHECK_EQUAL(tally_cmac_key_init(bytes, key_size, &key), TALLY_OK);
    tally_cmac(&key, messages[0], 0, expected[0]);
    tally_cmac(&key, NULL, 0, tag[0]);
    CHECK_BYTES(tag[0], expected[0], 16);
}

/* A key is copied with its bytes, and works without the original. */
static void check_copy(const struct aes_backend_row *row)
{
    uint8_t in[16] = {1}, out[16], expected[16];
    struct keys keys = random_keys(row, 24);
    tally_aes_encrypt_blocks(&keys.tested, in, 1, expected);
    tally_aes_key copy = keys.tested;
    tally_wipe(&keys.tested, sizeof keys.tested);
    tally_aes_encrypt_blocks(&copy, in, 1, out);
    CHECK_BYTES(out, expected, 16);
}

static void check_key_sizes(void)
{
    uint8_t bytes[64] = {0};
    tally_cmac_key key, untouched;
    for (size_t size = 0; size <= sizeof bytes; size++) {
        bool valid = size == 16 || size == 24 || size == 32;
        tally_status expected = valid ? TALLY_OK : TALLY_ERROR_KEY_SIZE;
        memset(&key, 0x5a, sizeof key);
        memset(&untouched, 0x5a, sizeof untouched);
        CHECK_EQUAL(tally_aes_key_init(bytes, size, &key.aes), expected);
        CHECK((memcmp(&key, &untouched, sizeof key) != 0) == valid);
        memset(&key, 0x5a, sizeof key);
        CHECK_EQUAL(tally_cmac_key_init(bytes, size, &key), expected);
        CHECK((memcmp(&key, &untouched, sizeof key) != 0) == valid);
    }
}

/* Many messages side by side, of every number up to some, as each by itself. */
static void check_cmac_with_heads(size_t key_size)
{
    enum { MOST = 70, REST = 200 };
    static uint8_t messages[MOST][16 + REST], tags[MOST + 1][16];
    uint8_t key_bytes[32], heads[MOST][16], expected[16];
    const uint8_t *rest[MOST];
    tally_cmac_key key;
    random_bytes(key_bytes, sizeof key_bytes);
    random_bytes(messages, sizeof messages);
    CHECK_EQUAL(tally_cmac_key_init(key_bytes, key_size, &key), TALLY_OK);
    for (size_t count = 0; count <= MOST; count++) {
        const size_t size = count % 7 == 0 ? 0 : random_below(REST + 1);
        for (size_t i = 0; i < count; i++) {
            memcpy(heads[i], messages[i], 16);
            rest[i] = size == 0 ? NULL : messages[i] + 16;
        }
        memset(tags, 0xA5, sizeof tags);
        tally_cmac_with_heads(&key, (const uint8_t(*)[16])heads, rest, size, count, tags);
        for (size_t i = 0; i < count; i++) {
            tally_cmac(&key, messages[i], 16 + size, expected);
            CHECK_BYTES(tags[i], expected, 16);
        }
        CHECK_EQUAL(tags[count][0], 0xA5);
    }
}

/* Messages whose first blocks are chained, and then the rest, as each by itself. */
static void check_cmac_continue(size_t key_size)
{
    enum { MOST = 140, CHAINED = 4, LAST = 70 };
    static uint8_t messages[MOST][16 * CHAINED + LAST], tags[MOST + 1][16];
    uint8_t key_bytes[32], expected[16];
    const uint8_t *at[MOST];
    tally_cmac_key key;
    random_bytes(key_bytes, sizeof key_bytes);
    random_bytes(messages, sizeof messages);
    CHECK_EQUAL(tally_cmac_key_init(key_bytes, key_size, &key), TALLY_OK);
    for (size_t count = 1; count <= MOST; count += 1 + count / 4) {
        const size_t blocks = random_below(CHAINED + 1), rest = 1 + random_below(LAST);
        memset(tags, 0, sizeof tags);
        for (size_t i = 0; i < count; i++) {
            at[i] = messages[i];
        }
        tally_cmac_chain(&key, count, at, blocks, tags);
        for (size_t i = 0; i < count; i++) {
            at[i] += 16 * blocks;
        }
        tally_cmac_continue(&key, at, rest, count, tags);
        for (size_t i = 0; i < count; i++) {
            tally_cmac(&key, messages[i], 16 * blocks + rest, expected);
            CHECK_BYTES(tags[i], expected, 16);
        }
        CHECK_EQUAL(tags[count][0], 0);
    }
}

/* Messages of all lengths at once, as each by itself. */
static void check_cmac_many(size_t key_size)
{
    enum { MOST = 150, LONGEST = 200 };
    static uint8_t text[MOST + LONGEST], tags[MOST + 1][16];
    uint8_t key_bytes[32], expected[16];
    const uint8_t *messages[MOST];
    size_t sizes[MOST];
    tally_cmac_key key;
    random_bytes(key_bytes, sizeof key_bytes);
    random_bytes(text, sizeof text);
    CHECK_EQUAL(tally_cmac_key_init(key_bytes, key_size, &key), TALLY_OK);
    for (size_t count = 0; count <= MOST; count++) {
        const size_t longest = count % 5 == 0 ? 16 : LONGEST;
        for (size_t i = 0; i < count; i++) {
            sizes[i] = count % 3 == 0 ? longest : random_below(longest + 1);
            messages[i] = sizes[i] == 0 ? NULL : text + i;
        }
        memset(tags, 0xa5, sizeof tags);
        tally_cmac_many(&key, messages, sizes, count, tags);
        for (size_t i = 0; i < count; i++) {
            tally_cmac(&key, messages[i], sizes[i], expected);
            CHECK_BYTES(tags[i], expected, 16);
        }
        CHECK_EQUAL(tags[count][0], 0xa5);
    }
}

/* Runs as long as the widest groups of all back ends, whose ends are not full. */
static void check_long(const struct aes_backend_row *row, size_t key_size)
{
    enum { LONG = 16 * 350 };
    static uint8_t in[LONG + 16], out[LONG + 16], expected[LONG];
    for (size_t i = 0; i < 6; i++) {
        const size_t blocks = 250 + random_below(100), size = 16 * blocks - random_below(16);
        uint8_t counter[16], expected_counter[16];
        struct keys keys = random_keys(row, key_size);
        uint8_t *from = in + random_below(16), *to = i % 2 == 0 ? from : out + random_below(16);
        random_bytes(in, sizeof in);
        reference_blocks(&keys.reference, true, from, blocks, expected);
        tally_aes_encrypt_blocks(&keys.tested, from, blocks, to);
        CHECK_BYTES(to, expected, 16 * blocks);
        reference_blocks(&keys.reference, false, from, blocks, expected);
        tally_aes_decrypt_blocks(&keys.tested, from, blocks, to);
        CHECK_BYTES(to, expected, 16 * blocks);
        random_bytes(counter, 16);
        memset(counter + 8, 0xff, 7);
        memcpy(expected_counter, counter, 16);
        const uint8_t *text = i % 3 == 0 ? NULL : from;
        reference_ctr(&keys.reference, expected_counter, text, size, expected);
        tally_aes_ctr(&keys.tested, counter, text, size, to);
        CHECK_BYTES(to, expected, size);
        CHECK_BYTES(counter, expected_counter, 16);
    }
}

/* Keys many at a time are those one at a time, to the byte. */
static void check_set_keys(size_t key_size)
{
    enum { MOST = 40 };
    static tally_aes_key keys[MOST + 1], one, untouched;
    uint8_t bytes[32 * MOST];
    memset(&untouched, 0xa5, sizeof untouched);
    for (size_t count = 0; count <= MOST; count++) {
        random_bytes(bytes, sizeof bytes);
        memset(keys, 0xa5, sizeof keys);
        CHECK_EQUAL(tally_aes_keys_init(bytes, key_size, count, keys), TALLY_OK);
        for (size_t i = 0; i < count; i++) {
            memset(&one, 0xa5, sizeof one);
            CHECK_EQUAL(tally_aes_key_init(bytes + key_size * i, key_size, &one), TALLY_OK);
            CHECK_BYTES(&keys[i], &one, sizeof one);
        }
        CHECK_BYTES(&keys[count], &untouched, sizeof untouched);
    }
    memset(&one, 0xa5, sizeof one);
    CHECK_EQUAL(tally_aes_keys_init(bytes, key_size + 1, 1, &one), TALLY_ERROR_KEY_SIZE);
    CHECK_BYTES(&one, &untouched, sizeof one);
}

/* The text names the features that each better back end lacks, and is cut to the buffer. */
static void check_explained(const struct aes_backend_row *row)
{
    char text[600], small[600];
    tally_aes_choice choice;
    size_t index = 0;
    const size_t length = tally_aes_explain(text, sizeof text);
    CHECK_EQUAL(strlen(text), length);
    CHECK(strncmp(text, row->name, strlen(row->name)) == 0);
    for (; tally_aes_backend_at(index, &choice) && choice.lacks != 0; index++) {
        CHECK(strstr(text, choice.name) != NULL);
        for (uint32_t left = choice.lacks; left != 0; left &= left - 1) {
            const char *name = tally_cpu_feature_name(left & (~left + 1));
            CHECK(name != NULL && strstr(text, name) != NULL);
        }
        CHECK_EQUAL(choice.lacks & ~choice.needs, 0);
        CHECK_EQUAL(choice.lacks & row->features, 0);
    }
    CHECK(strcmp(choice.name, row->name) == 0);
    CHECK_EQUAL(choice.needs, row->features);
    while (tally_aes_backend_at(index, &choice)) {
        index++;
    }
    CHECK(strcmp(choice.name, "bitslice") == 0);
    CHECK_EQUAL(choice.needs, 0);
    for (size_t size = 0; size <= length; size++) {
        memset(small, '?', sizeof small);
        CHECK_EQUAL(tally_aes_explain(size == 0 ? NULL : small, size), length);
        CHECK(size == 0 || (strlen(small) == size - 1 && memcmp(small, text, size - 1) == 0));
        CHECK_EQUAL(small[size], '?');
    }
    CHECK(tally_cpu_feature_name(0) == NULL);
    CHECK(tally_cpu_feature_name(3) == NULL);
    CHECK(tally_cpu_feature_name(UINT32_C(1) << 31) == NULL);
}

/* With any feature less than it needs, a back end is not chosen. */
static void check_needs(const struct aes_backend_row *row)
{
    const uint8_t zeros[16] = {0};
    for (uint32_t left = row->features; left != 0; left &= left - 1) {
        tally_aes_key key;
        tally_cpu_lower(row->features & ~(left & (~left + 1)));
        CHECK_EQUAL(tally_aes_key_init(zeros, sizeof zeros, &key), TALLY_OK);
        CHECK(strcmp(tally_aes_backend_name(&key), row->name) != 0);
    }
    tally_cpu_lower(row->features);
}

int main(void)
{
    for (size_t i = 0; i < AES_BACKENDS; i++) {
        const struct aes_backend_row *row = &aes_backends[i];
        if (!aes_use_backend(row)) {
            continue;
        }
        for (size_t key_size = 16; key_size <= 32; key_size += 8) {
            CHECK_ABOUT("%s, a key of %zu bytes", row->name, key_size);
            check_blocks(row, key_size);
            check_inverse(row, key_size);
            check_ctr(row, key_size);
            check_cmac(row, key_size);
            check_prefix_cache(key_size);
            check_cmac_with_heads(key_size);
            check_cmac_continue(key_size);
            check_cmac_many(key_size);
            check_ctr_at(row, key_size);
            check_set_keys(key_size);
            check_long(row, key_size);
        }
        CHECK_ABOUT("%s", row->name);
        check_explained(row);
        check_needs(row);
        check_ctr_wraps(row);
        check_ctr_pieces(row);
        check_copy(row);
        check_key_sizes();
    }
    return check_end("aes back ends");
}
