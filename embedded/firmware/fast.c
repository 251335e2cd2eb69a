/* SPDX-License-Identifier: Apache-2.0
 *
 * FAST with radix 10: two generators on the masked AES, and the layers. No time depends on a
 * secret, since this chip has no cache, but for a draw that is repeated, which one pool in 800,000
 * has. */
#include "fast.h"

#include <string.h>

#include "derive.h"
#include "fast/schedule/encoding.h"

/* The counter stream under a derived key, two blocks at a time. */
typedef struct generator {
    const tally_mask_source *source;
    tally_masked_key *key;
    uint32_t counter[4]; /* the most significant word first */
    uint32_t words[8];   /* of the stream, big-endian */
    uint32_t next;       /* of these */
} generator;

static tally_status generator_init(fast_cipher *cipher, const tally_masked_key *master,
                                   const tally_mask_source *source, const tally_fast_encoding *head,
                                   const uint8_t *tweak, size_t tweak_size, generator *out)
{
    const tally_masked_slicing *slicing = NULL;
    shared_blocks derived;
    const uint8_t *const shares[] = {(uint8_t *)derived.share[0], (uint8_t *)derived.share[1]};
    tally_status status = derive_shares(master, source, head, tweak, tweak_size, &derived);
    if (status == TALLY_OK) {
        status = tally_masked_choose(1, 32, 0, &slicing);
    }
    if (status == TALLY_OK) {
        status = tally_masked_key_init_shares(slicing, shares, 16, 1, source, cipher->key_memory,
                                              sizeof cipher->key_memory, &out->key);
    }
    for (size_t i = 0; i < 4; i++) { /* the IV is no key */
        out->counter[i] = __builtin_bswap32(derived.share[0][4 + i] ^ derived.share[1][4 + i]);
    }
    out->source = source;
    out->next = 8;
    tally_wipe(&derived, sizeof derived);
    return status;
}

static void generator_wipe(fast_cipher *cipher, generator *x)
{
    tally_wipe(cipher->key_memory, sizeof cipher->key_memory);
    tally_wipe(x, sizeof *x);
}

/* Adds 1 to the counter, in the same time whatever it is, and stores it as a block. */
static void count_up(uint32_t counter[4], uint32_t block[4])
{
    uint32_t carry = 1;
    for (size_t i = 4; i-- > 0;) {
        const uint32_t before = counter[i];
        counter[i] += carry;
        carry = (before & ~counter[i]) >> 31;
        block[i] = __builtin_bswap32(counter[i]);
    }
}

static tally_status generator_next(generator *x, uint32_t *out)
{
    if (x->next == 8) {
        count_up(x->counter, x->words);
        count_up(x->counter, x->words + 4);
        uint8_t *blocks = (uint8_t *)x->words;
        tally_status status = tally_masked_encrypt_blocks(x->key, x->source, blocks, 2, blocks);
        if (status != TALLY_OK) {
            return status;
        }
        x->next = 0;
    }
    *out = __builtin_bswap32(x->words[x->next++]);
    return TALLY_OK;
}

/* 2^32 modulo b for bounds b up to the radix. A word whose product is below it is drawn again: it
 * would favor some results. */
#define REMAINDER(b) [b] = (0 - UINT32_C(b)) % (b)
static const uint8_t remainders[FAST_RADIX + 1] = {REMAINDER(2), REMAINDER(3), REMAINDER(4),
                                                   REMAINDER(5), REMAINDER(6), REMAINDER(7),
                                                   REMAINDER(8), REMAINDER(9), REMAINDER(10)};

/* 0..bound-1 without bias. */
static tally_status generator_uniform(generator *x, uint32_t bound, uint32_t *out)
{
    for (;;) {
        uint32_t word;
        tally_status status = generator_next(x, &word);
        if (status != TALLY_OK) {
            return status;
        }
        if (word * bound >= remainders[bound]) {
            *out = ((word >> 16) * bound + ((word & 0xFFFF) * bound >> 16)) >> 16;
            return TALLY_OK;
        }
    }
}

/* Shuffles the identity in the lower halves of the bytes, and puts its inverse in the upper
 * ones. */
static tally_status draw_sbox(generator *x, uint8_t sbox[FAST_RADIX])
{
    for (uint32_t i = 0; i < FAST_RADIX; i++) {
        sbox[i] = (uint8_t)i;
    }
    for (uint32_t i = FAST_RADIX - 1; i > 0; i--) {
        uint32_t j;
        tally_status status = generator_uniform(x, i + 1, &j);
        if (status != TALLY_OK) {
            return status;
        }
        const uint8_t other = sbox[j];
        sbox[j] = sbox[i];
        sbox[i] = other;
    }
    for (uint32_t i = 0; i < FAST_RADIX; i++) {
        sbox[sbox[i] & 15] |= (uint8_t)(i << 4);
    }
    return TALLY_OK;
}

tally_status fast_draw_pool(fast_cipher *cipher, const tally_masked_key *master,
                            const tally_mask_source *source)
{
    tally_fast_encoding head;
    generator x;
    fast_wipe(cipher);
    tally_fast_encode_pool(FAST_RADIX, &head);
    tally_status status = generator_init(cipher, master, source, &head, NULL, 0, &x);
    for (size_t k = 0; k < TALLY_FAST_POOL_SIZE && status == TALLY_OK; k++) {
        status = draw_sbox(&x, cipher->sboxes[k]);
    }
    generator_wipe(cipher, &x);
    if (status != TALLY_OK) {
        tally_wipe(cipher->sboxes, sizeof cipher->sboxes);
    }
    cipher->has_pool = status == TALLY_OK;
    return status;
}

/* The core's parameters, for words that a cipher has memory for. */
static tally_status recommend(uint32_t length, tally_fast_params *out)
{
    tally_status status = TALLY_ERROR_LENGTH;
    if (length <= FAST_MOST_SYMBOLS) {
        status = tally_fast_recommended(TALLY_FAST, FAST_RADIX, length, out);
    }
    if (status == TALLY_OK && out->layers > FAST_MOST_LAYERS) {
        status = TALLY_ERROR_PARAMS;
    }
    return status;
}

tally_status fast_draw_sequence(fast_cipher *cipher, const tally_masked_key *master,
                                const tally_mask_source *source, uint32_t length,
                                const uint8_t *tweak, size_t tweak_size)
{
    tally_fast_params params;
    tally_fast_encoding head;
    generator x;
    tally_wipe(cipher->sequence, sizeof cipher->sequence);
    cipher->params.length = 0;
    tally_status status = recommend(length, &params);
    if (status != TALLY_OK) {
        return status;
    }
    tally_fast_encode_sequence(&params, tweak_size, &head);
    status = generator_init(cipher, master, source, &head, tweak, tweak_size, &x);
    x.counter[3] &= 0xFFFF0000;
    for (size_t i = 0; i < params.layers && status == TALLY_OK; i++) {
        uint32_t word = 0;
        status = generator_next(&x, &word);
        cipher->sequence[i] = (uint8_t)(word >> 24);
    }
    generator_wipe(cipher, &x);
    if (status != TALLY_OK) {
        tally_wipe(cipher->sequence, sizeof cipher->sequence);
        return status;
    }
    cipher->params = params;
    return TALLY_OK;
}

/* x modulo 10, of -10..9. */
static inline uint32_t wrap(uint32_t x)
{
    return x + (FAST_RADIX & (0 - (x >> 31)));
}

/* A layer moves its start instead of the symbols: symbol i before layer k is word[(i + k) mod
 * l]. */
static void run_layers(const fast_cipher *cipher, uint8_t *word)
{
    const uint32_t w = cipher->params.w, symbol = w != 0 ? 15 : 0; /* w = 0: no subtraction */
    uint8_t *const end = word + cipher->params.length;
    uint8_t *first = word, *addend = end - cipher->params.w_prime, *subtrahend = word + w;
    const uint8_t *index = cipher->sequence, *const stop = index + cipher->params.layers;
    for (; index < stop; index++) {
        const uint8_t *sbox = cipher->sboxes[*index];
        const uint32_t less = *subtrahend & symbol;
        const uint32_t sum = sbox[wrap((uint32_t)*first + *addend - FAST_RADIX)] & 15;
        *first = sbox[wrap(sum - less)] & 15;
        first = first + 1 == end ? word : first + 1;
        addend = addend + 1 == end ? word : addend + 1;
        subtrahend = subtrahend + 1 == end ? word : subtrahend + 1;
    }
}

static void run_layers_back(const fast_cipher *cipher, uint8_t *word)
{
    const uint32_t w = cipher->params.w, symbol = w != 0 ? 15 : 0;
    uint8_t *const end = word + cipher->params.length - 1;
    uint8_t *last = end, *addend = end - cipher->params.w_prime;
    uint8_t *subtrahend = w != 0 ? word + w - 1 : end;
    const uint8_t *index = cipher->sequence + cipher->params.layers;
    while (index > cipher->sequence) {
        const uint8_t *sbox = cipher->sboxes[*--index];
        const uint32_t sum = (uint32_t)(sbox[*last] >> 4) + (*subtrahend & symbol);
        *last = (uint8_t)wrap((sbox[wrap(sum - FAST_RADIX)] >> 4) - (uint32_t)*addend);
        last = last == word ? end : last - 1;
        addend = addend == word ? end : addend - 1;
        subtrahend = subtrahend == word ? end : subtrahend - 1;
    }
}

/* Looks at all symbols, so that its time depends on nothing but whether one is wrong. */
static tally_status check(const fast_cipher *cipher, const uint8_t *word, size_t length)
{
    if (!cipher->has_pool || cipher->params.length == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (length != cipher->params.length) {
        return TALLY_ERROR_LENGTH;
    }
    uint32_t wrong = 0;
    for (size_t i = 0; i < length; i++) {
        wrong |= (FAST_RADIX - 1 - (uint32_t)word[i]) >> 31;
    }
    return wrong ? TALLY_ERROR_SYMBOL : TALLY_OK;
}

tally_status fast_encrypt_word(const fast_cipher *cipher, uint8_t *word, size_t length)
{
    const tally_status status = check(cipher, word, length);
    if (status == TALLY_OK) {
        run_layers(cipher, word);
    }
    return status;
}

tally_status fast_decrypt_word(const fast_cipher *cipher, uint8_t *word, size_t length)
{
    const tally_status status = check(cipher, word, length);
    if (status == TALLY_OK) {
        run_layers_back(cipher, word);
    }
    return status;
}

void fast_wipe(fast_cipher *cipher)
{
    if (cipher->has_pool || cipher->params.length != 0) {
        tally_wipe(cipher, sizeof *cipher);
    }
}
