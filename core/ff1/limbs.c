/* SPDX-License-Identifier: Apache-2.0
 *
 * See limbs.h. Lengths are public; numbers are not: all of their limbs are always worked on. */
#include "ff1/limbs.h"

#include <string.h>

#include "aes/backend.h"
#include "base/bytes.h"
#include "ff1/multiply.h"

enum { LIMBS_INVERSE = 3 };

static size_t limbs_count(const tally_ff1_plan *plan)
{
    return plan->prf_size / 4 - 1;
}

/* Blocks of y behind the first. */
static size_t limbs_more(const tally_ff1_plan *plan)
{
    return (plan->prf_size + 15) / 16 - 1;
}

static size_t limbs_even(size_t count)
{
    return (count + 1) / 2 * 2; /* so that the next array is aligned to 8 bytes */
}

/* For all words: two moduli, and scratch memory. */
static size_t limbs_shared_size(const tally_ff1_plan *plan)
{
    return 4 * (2 * limbs_even(limbs_count(plan)) + limbs_even(limbs_count(plan) + 2));
}

size_t tally_ff1_limbs_size(const tally_ff1_plan *plan, size_t words)
{
    const size_t word = 8 * limbs_even(limbs_count(plan)) + 16 * tally_ff1_number_blocks(plan) +
                        16 * limbs_more(plan) + 16 /* a chain */;
    return limbs_shared_size(plan) + words * word;
}

/* number * factor + carry, for a number of so many limbs; returns the overflow. */
static uint32_t limbs_grow(uint32_t *number, size_t limbs, uint32_t factor, uint32_t carry)
{
    uint64_t sum = carry;
    for (size_t i = 0; i < limbs; i++) {
        sum += (uint64_t)number[i] * factor;
        number[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

/* x - y; returns the borrow, 0 or 1. */
static uint32_t limbs_subtract(uint32_t *x, const uint32_t *y, size_t limbs)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < limbs; i++) {
        const uint64_t difference = (uint64_t)x[i] - y[i] - borrow;
        x[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return (uint32_t)borrow;
}

/* x + y if the mask has all bits, or x if it has none; returns the carry. */
static uint32_t limbs_add(uint32_t *x, const uint32_t *y, size_t limbs, uint32_t mask)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < limbs; i++) {
        sum += (uint64_t)x[i] + (y[i] & mask);
        x[i] = (uint32_t)sum;
        sum >>= 32;
    }
    return (uint32_t)sum;
}

static uint32_t limbs_mask(uint32_t bit)
{
    return (uint32_t)tally_barrier(0 - (uint64_t)bit);
}

/* x less the modulus, unless x is below it. `over` is limb number `limbs` of x. */
static void limbs_less(uint32_t *x, uint32_t over, const uint32_t *modulus, size_t limbs)
{
    const uint32_t borrow = limbs_subtract(x, modulus, limbs);
    /* Either the limb above takes the borrow, or x was below. */
    limbs_add(x, modulus, limbs, limbs_mask(borrow & (1 - over)));
}

/* radix^symbols, which is no power of two, and of so many bits; 2^(32 (limbs + 1) + 2) divided by
 * it, bit by bit. */
static void limbs_set_modulus(tally_ff1_limbs *limbs, uint32_t which)
{
    const uint32_t radix = limbs->plan->cipher->radix;
    const size_t count = limbs->limbs;
    uint32_t *modulus = limbs->modulus[which], *rest = limbs->scratch, left;
    size_t used = 1;
    memset(modulus, 0, 4 * count);
    modulus[0] = 1;
    for (left = limbs->plan->half[which]; left >= limbs->chunk_symbols;
         left -= limbs->chunk_symbols) {
        const uint32_t carry = limbs_grow(modulus, used, limbs->chunk, 0);
        if (carry != 0) {
            modulus[used++] = carry;
        }
    }
    for (; left > 0; left--) {
        const uint32_t carry = limbs_grow(modulus, used, radix, 0);
        if (carry != 0) {
            modulus[used++] = carry;
        }
    }
    uint32_t bits = 32 * (uint32_t)used;
    while (modulus[used - 1] >> (bits - 1) % 32 == 0) {
        bits--;
    }
    limbs->bits[which] = bits;
    memset(rest, 0, 4 * (count + 2));
    rest[(bits - 1) / 32] = UINT32_C(1) << (bits - 1) % 32; /* below the modulus, times 2 is not */
    uint32_t *inverse = limbs->inverse[which];
    for (uint32_t bit = bits - 1; bit < 32 * (count + 1) + 2; bit++) {
        limbs_grow(rest, count + 2, 2, 0);
        const uint32_t borrow = limbs_subtract(rest, modulus, count);
        const uint32_t over = rest[count];
        rest[count] -= borrow & over;
        const uint32_t below = borrow & (1 - over);
        limbs_add(rest, modulus, count, 0 - below);
        limbs_grow(inverse, LIMBS_INVERSE, 2, 1 - below);
    }
}

void tally_ff1_limbs_init(const tally_ff1_plan *plan, void *memory, tally_ff1_limbs *out)
{
    const uint32_t radix = plan->cipher->radix;
    const size_t count = limbs_count(plan);
    *out = (tally_ff1_limbs){.plan = plan, .limbs = count, .chunk = radix, .chunk_symbols = 1};
    out->modulus[0] = memory;
    out->modulus[1] = out->modulus[0] + limbs_even(count);
    out->scratch = out->modulus[1] + limbs_even(count);
    out->words = (uint8_t *)memory + limbs_shared_size(plan);
    while ((uint64_t)out->chunk * radix < UINT64_C(1) << 32) {
        out->chunk *= radix;
        out->chunk_symbols++;
    }
    while (out->chunk >> 1 >> out->chunk_log != 0) {
        out->chunk_log++;
    }
    out->chunk_inverse = UINT64_MAX / out->chunk; /* of a power of two, 1 less */
    if ((radix & (radix - 1)) == 0) {
        while (radix >> out->radix_bits != 1) {
            out->radix_bits++;
        }
        out->bits[0] = out->radix_bits * plan->half[0];
        out->bits[1] = out->radix_bits * plan->half[1];
    } else {
        limbs_set_modulus(out, 0);
        limbs_set_modulus(out, 1);
    }
}

static uint32_t limbs_load_symbol(const tally_ff1_plan *plan, const uint8_t *symbols, size_t i)
{
    uint16_t symbol = 0;
    if (plan->symbol_size == 1) {
        return symbols[i];
    }
    memcpy(&symbol, symbols + 2 * i, 2);
    return symbol;
}

static void limbs_store_symbol(const tally_ff1_plan *plan, uint8_t *symbols, size_t i,
                               uint32_t value)
{
    const uint16_t symbol = (uint16_t)value;
    if (plan->symbol_size == 1) {
        symbols[i] = (uint8_t)value;
    } else {
        memcpy(symbols + 2 * i, &symbol, 2);
    }
}

/* The same numbers as below, if the radix is a power of two. */
static void limbs_read_bits(const tally_ff1_limbs *limbs, uint32_t symbols_count,
                            const uint8_t *symbols, uint32_t *number)
{
    memset(number, 0, 4 * limbs->limbs);
    for (size_t i = symbols_count, bit = 0; i-- > 0; bit += limbs->radix_bits) {
        const uint64_t symbol = limbs_load_symbol(limbs->plan, symbols, i);
        const size_t at = bit / 32;
        number[at] |= (uint32_t)(symbol << bit % 32);
        if (bit % 32 + limbs->radix_bits > 32) {
            number[at + 1] = (uint32_t)(symbol << bit % 32 >> 32);
        }
    }
}

static void limbs_write_bits(const tally_ff1_limbs *limbs, uint32_t symbols_count,
                             const uint32_t *number, uint8_t *symbols)
{
    const uint32_t mask = (UINT32_C(1) << limbs->radix_bits) - 1;
    for (size_t i = symbols_count, bit = 0; i-- > 0; bit += limbs->radix_bits) {
        uint64_t part = number[bit / 32];
        if (bit % 32 + limbs->radix_bits > 32) {
            part |= (uint64_t)number[bit / 32 + 1] << 32;
        }
        limbs_store_symbol(limbs->plan, symbols, i, (uint32_t)(part >> bit % 32) & mask);
    }
}

/* Chunk by chunk, the most significant one first. */
void tally_ff1_limbs_read(const tally_ff1_limbs *limbs, uint32_t half, const uint8_t *symbols,
                          uint32_t *number)
{
    const tally_ff1_plan *plan = limbs->plan;
    const uint32_t symbols_count = plan->half[half];
    if (limbs->radix_bits != 0) {
        limbs_read_bits(limbs, symbols_count, symbols, number);
        return;
    }
    size_t used = 0, first = symbols_count % limbs->chunk_symbols;
    first = first == 0 ? limbs->chunk_symbols : first;
    memset(number, 0, 4 * limbs->limbs);
    for (size_t i = 0, end = first; i < symbols_count; end += limbs->chunk_symbols) {
        uint32_t chunk = 0;
        for (; i < end; i++) {
            chunk = chunk * plan->cipher->radix + limbs_load_symbol(plan, symbols, i);
        }
        const uint32_t carry = limbs_grow(number, used, limbs->chunk, chunk);
        if (used < limbs->limbs) {
            number[used++] = carry;
        }
    }
}

void tally_ff1_limbs_write(const tally_ff1_limbs *limbs, uint32_t which, uint32_t *number,
                           uint8_t *symbols)
{
    const tally_ff1_plan *plan = limbs->plan;
    const uint32_t radix = plan->cipher->radix;
    size_t left = plan->half[which], bits = limbs->bits[which];
    if (limbs->radix_bits != 0) {
        limbs_write_bits(limbs, plan->half[which], number, symbols);
        return;
    }
    while (left > 0) {
        uint64_t rest = 0;
        for (size_t i = (bits + 31) / 32; i-- > 0;) {
            const uint64_t part = rest << 32 | number[i];
            uint64_t quotient = tally_ff1_high(part, limbs->chunk_inverse); /* or up to 2 less */
            rest = part - quotient * limbs->chunk;
            for (int again = 0; again < 2; again++) {
                const uint64_t below = (rest - limbs->chunk) >> 63;
                rest -= limbs->chunk & (tally_barrier(below) - 1);
                quotient += 1 - below;
            }
            number[i] = (uint32_t)quotient;
        }
        const size_t end = left > limbs->chunk_symbols ? left - limbs->chunk_symbols : 0;
        while (left > end) {
            const uint64_t quotient =
                tally_ff1_high(rest, plan->radix_inverse) >> plan->radix_shift;
            limbs_store_symbol(plan, symbols, --left, (uint32_t)(rest - quotient * radix));
            rest = quotient;
        }
        bits = bits > limbs->chunk_log ? bits - limbs->chunk_log : 1;
    }
}

/* A limb of y, which is big-endian in the blocks. */
static uint32_t limbs_prf_limb(const tally_ff1_limbs *limbs, const uint8_t chain[16],
                               const uint8_t *more, size_t limb)
{
    const size_t at = limbs->plan->prf_size - 4 * (limb + 1);
    return tally_load_be32(at < 16 ? chain + at : more + at - 16);
}

/* y modulo the modulus; y has one limb more. As many bits of y as the quotient has, and two more,
 * times the inverse give the quotient, or one less. */
static void limbs_reduce(const tally_ff1_limbs *limbs, uint32_t which, uint32_t *y)
{
    const size_t count = limbs->limbs;
    const uint32_t *modulus = limbs->modulus[which], *inverse = limbs->inverse[which];
    const uint32_t bits = limbs->bits[which], from = bits - 2;
    uint32_t top[LIMBS_INVERSE], product[2 * LIMBS_INVERSE + 1] = {0}, quotient[LIMBS_INVERSE];
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        const size_t at = from / 32 + i;
        const uint64_t low = at <= count ? y[at] : 0, high = at + 1 <= count ? y[at + 1] : 0;
        top[i] = (uint32_t)((high << 32 | low) >> from % 32);
    }
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < LIMBS_INVERSE; j++) {
            sum += (uint64_t)top[i] * inverse[j] + product[i + j];
            product[i + j] = (uint32_t)sum;
            sum >>= 32;
        }
        product[i + LIMBS_INVERSE] = (uint32_t)sum;
    }
    const uint32_t shift = 32 * ((uint32_t)count + 1) - bits + 4;
    for (size_t i = 0; i < LIMBS_INVERSE; i++) {
        const size_t at = shift / 32 + i;
        quotient[i] = (uint32_t)(((uint64_t)product[at + 1] << 32 | product[at]) >> shift % 32);
    }
    for (size_t j = 0; j < LIMBS_INVERSE; j++) { /* y - quotient * modulus */
        uint64_t borrow = 0;
        for (size_t i = 0; i + j <= count; i++) {
            const uint64_t part = (uint64_t)quotient[j] * (i < count ? modulus[i] : 0) + borrow;
            const uint32_t less = (uint32_t)part;
            borrow = (part >> 32) + (((uint64_t)y[i + j] - less) >> 63);
            y[i + j] -= less;
        }
    }
    limbs_less(y, y[count], modulus, count);
    tally_wipe(top, sizeof top);
    tally_wipe(product, sizeof product);
    tally_wipe(quotient, sizeof quotient);
}

/* Drops the bits of a number that its half does not have. */
static void limbs_cut(uint32_t *number, size_t limbs, uint32_t bits)
{
    for (size_t i = bits / 32; i < limbs; i++) {
        number[i] &= i == bits / 32 ? (UINT32_C(1) << bits % 32) - 1 : 0;
    }
}

void tally_ff1_limbs_add(const tally_ff1_limbs *limbs, tally_direction direction, uint32_t which,
                         uint32_t *number)
{
    const size_t count = limbs->limbs;
    uint32_t *y = limbs->scratch;
    if (limbs->radix_bits != 0) {
        if (direction == TALLY_ENCRYPT) {
            limbs_add(number, y, count, UINT32_MAX);
        } else {
            limbs_subtract(number, y, count);
        }
        limbs_cut(number, count, limbs->bits[which]);
        return;
    }
    const uint32_t *modulus = limbs->modulus[which];
    limbs_reduce(limbs, which, y);
    if (direction == TALLY_ENCRYPT) {
        const uint32_t carry = limbs_add(number, y, count, UINT32_MAX);
        limbs_less(number, carry, modulus, count);
    } else {
        const uint32_t borrow = limbs_subtract(number, y, count);
        limbs_add(number, modulus, count, limbs_mask(borrow));
    }
}

/* The blocks with the round and a number, which is big-endian and ends them. */
static void limbs_fill(const tally_ff1_limbs *limbs, uint32_t round, const uint32_t *number,
                       uint8_t *message, size_t number_blocks)
{
    const size_t size = limbs->plan->number_size, start = 16 * number_blocks - size;
    message[start - 1] = (uint8_t)round;
    for (size_t i = 0; i < size / 4; i++) {
        tally_store_be32(number[i], message + start + size - 4 * (i + 1));
    }
    for (size_t i = 0; i < size % 4; i++) {
        message[start + i] = (uint8_t)(number[size / 4] >> 8 * (size % 4 - 1 - i));
    }
}

/* The blocks of y behind the first, which is the chain: the encryptions of the chain xored with 1,
 * 2, .. */
static void limbs_fill_more(const uint8_t chain[16], size_t blocks, uint8_t *more)
{
    for (size_t i = 0; i < blocks; i++) {
        memcpy(more + 16 * i, chain, 12);
        tally_store_be32(tally_load_be32(chain + 12) ^ (uint32_t)(i + 1), more + 16 * i + 12);
    }
}

void tally_ff1_limbs_run(const tally_ff1_limbs *limbs, tally_direction direction,
                         const uint8_t (*bases)[16], size_t base_step, const uint8_t *const *in,
                         uint8_t *const *out, size_t count)
{
    const tally_ff1_plan *plan = limbs->plan;
    const tally_aes_key *aes = &plan->cipher->aes;
    const size_t more = limbs_more(plan), stride = limbs_even(limbs->limbs);
    const size_t number_blocks = tally_ff1_number_blocks(plan);
    const size_t second = (size_t)plan->symbol_size * plan->half[0];
    const uint8_t *messages[TALLY_FF1_LIMBS_WORDS];
    uint32_t *const numbers = (uint32_t *)(void *)limbs->words;
    uint8_t(*const chains)[16] = (uint8_t(*)[16])(void *)(numbers + 2 * stride * count);
    uint8_t *const blocks = chains[count], *const blocks_more = blocks + 16 * number_blocks * count;
    memset(blocks, 0, 16 * number_blocks * count);
    for (size_t i = 0; i < count; i++) {
        messages[i] = blocks + 16 * number_blocks * i;
        tally_ff1_limbs_read(limbs, 0, in[i], numbers + 2 * stride * i);
        tally_ff1_limbs_read(limbs, 1, in[i] + second, numbers + 2 * stride * i + stride);
    }
    for (uint32_t i = 0; i < TALLY_FF1_ROUNDS; i++) {
        const uint32_t round = direction == TALLY_ENCRYPT ? i : TALLY_FF1_ROUNDS - 1 - i;
        const uint32_t which = round % 2;
        for (size_t k = 0; k < count; k++) {
            limbs_fill(limbs, round, numbers + 2 * stride * k + stride * (1 - which),
                       blocks + 16 * number_blocks * k, number_blocks);
            memcpy(chains[k], bases[k * base_step], 16);
        }
        aes->backend->cbc_mac(aes, count, messages, number_blocks, chains);
        for (size_t k = 0; k < count; k++) {
            limbs_fill_more(chains[k], more, blocks_more + 16 * more * k);
        }
        aes->backend->crypt_blocks(aes, TALLY_ENCRYPT, blocks_more, more * count, blocks_more);
        for (size_t k = 0; k < count; k++) {
            for (size_t limb = 0; limb <= limbs->limbs; limb++) {
                limbs->scratch[limb] =
                    limbs_prf_limb(limbs, chains[k], blocks_more + 16 * more * k, limb);
            }
            tally_ff1_limbs_add(limbs, direction, which, numbers + 2 * stride * k + stride * which);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tally_ff1_limbs_write(limbs, 0, numbers + 2 * stride * i, out[i]);
        tally_ff1_limbs_write(limbs, 1, numbers + 2 * stride * i + stride, out[i] + second);
    }
}
