/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by a CPU's AES instructions: runs of blocks, counter mode and CBC-MAC, for vectors of one, two
 * or four blocks. The including file, one for each instruction set, defines
 *
 *     INLINE, TARGET        for functions, with the instruction set's attribute
 *     vec, PER, WIDE        a vector, its blocks, and how many vectors go through rounds together
 *     load, store           of a whole vector
 *     load_part, store_part of the first 1 .. 16 PER - 1 bytes of one; what is not loaded is 0
 *     FEW                   up to how many blocks, or messages of cbc_mac, are left to encrypt_few,
 *                           decrypt_few, ctr_few and cbc_mac_few, or 0
 *     gather                one block each of PER messages
 *     round_key             a round key, PER times
 *     xor_vec
 *     BEGIN, MIDDLE, END    what is done before the rounds with the first round key, in all rounds
 *                           but the last, and in that with the last two keys
 *     KEY_OF_MIDDLE         0 if round i ends by adding key i, -1 if it begins by adding key i - 1
 *     counting              a counter; begin_counting, count (vector i from it), skip, end_counting
 *
 * Several vectors are in flight, because an instruction takes several cycles and one or two can
 * start in each. What is left at the end goes through in halves, which the CPU overlaps. Decryption
 * is the equivalent inverse cipher (FIPS 197, section 5.3.5). */

#include "base/unroll.h"

enum { BYTES = 16 * PER /* of a vector */ };

#define UNROLL         TALLY_UNROLL(16)
#define EACH(i, count) UNROLL for (int i = 0; i < (count); i++)

/* Some middle rounds of some vectors, which stay in registers; all but b and keys are constants, and
 * there is no loop, at whose end GCC would move the vectors about. */
INLINE void middle_rounds(const uint8_t (*keys)[16], const tally_direction direction,
                          const int first, const int after, const int count, vec *b)
{
    EACH(round, after - first)
    {
        vec k = round_key(keys[first + round + KEY_OF_MIDDLE]);
        EACH(i, count)
        {
            b[i] = MIDDLE(b[i], direction, k);
        }
    }
}

INLINE void rounds(const tally_aes_key *key, const tally_direction direction, const int count,
                   vec *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    const vec first = round_key(keys[0]);
    (void)first;
    EACH(i, count)
    {
        b[i] = BEGIN(b[i], direction, first);
    }
    middle_rounds(keys, direction, 1, 10, count, b);
    if (key->rounds > 10) {
        middle_rounds(keys, direction, 10, 12, count, b);
    }
    if (key->rounds > 12) {
        middle_rounds(keys, direction, 12, 14, count, b);
    }
    const vec before = round_key(keys[key->rounds - 1]), last = round_key(keys[key->rounds]);
    (void)before;
    EACH(i, count)
    {
        b[i] = END(b[i], direction, before, last);
    }
}

INLINE void run_some(const tally_aes_key *key, const tally_direction direction, const int count,
                     const uint8_t *in, uint8_t *out)
{
    vec b[WIDE];
    EACH(i, count)
    {
        b[i] = load(in + BYTES * i);
    }
    rounds(key, direction, count, b);
    EACH(i, count)
    {
        store(b[i], out + BYTES * i);
    }
}

/* The vectors that are left, if their number has this power of two. */
#define RUN_IF(count)                                                                              \
    if (WIDE > (count) && (size & (count)*BYTES) != 0) {                                           \
        run_some(key, direction, (count), in, out);                                                \
        in += (count)*BYTES;                                                                       \
        out += (count)*BYTES;                                                                      \
    }

INLINE void run(const tally_aes_key *key, const tally_direction direction, const uint8_t *in,
                size_t size, uint8_t *out)
{
    for (; size >= WIDE * BYTES; size -= WIDE * BYTES) {
        run_some(key, direction, WIDE, in, out);
        in += WIDE * BYTES;
        out += WIDE * BYTES;
    }
    RUN_IF(8)
    RUN_IF(4)
    RUN_IF(2)
    RUN_IF(1)
    if (PER > 1 && size % BYTES != 0) {
        vec b = load_part(in, size % BYTES);
        rounds(key, direction, 1, &b);
        store_part(b, size % BYTES, out);
    }
}

/* Without FEW there are none of these. */
#if FEW == 0
#define encrypt_few(key, in, blocks, out)                 ((void)0)
#define decrypt_few(key, in, blocks, out)                 ((void)0)
#define ctr_few(key, counter, in, size, out)              ((void)0)
#define cbc_mac_few(key, lanes, messages, blocks, chains) ((void)0)
#endif

TARGET static void encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    if (blocks <= FEW) {
        encrypt_few(key, in, blocks, out);
    } else {
        run(key, TALLY_ENCRYPT, in, 16 * blocks, out);
    }
}

TARGET static void decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                  uint8_t *out)
{
    if (blocks <= FEW) {
        decrypt_few(key, in, blocks, out);
    } else {
        run(key, TALLY_DECRYPT, in, 16 * blocks, out);
    }
}

INLINE void count_some(counting *counter, const int count_, vec *b)
{
    EACH(i, count_)
    {
        b[i] = count(counter, i);
    }
    skip(counter, (uint64_t)count_ * PER);
}

/* Counters in b through all rounds, and with or without `in` to `out`. */
INLINE void stream_some(const tally_aes_key *key, const int count, const int xors, vec *b,
                        const uint8_t *in, uint8_t *out)
{
    rounds(key, TALLY_ENCRYPT, count, b);
    EACH(i, count)
    {
        store(xors ? xor_vec(b[i], load(in + BYTES * i)) : b[i], out + BYTES * i);
    }
}

INLINE void ctr_some(const tally_aes_key *key, const int count, counting *counter, const int xors,
                     const uint8_t *in, uint8_t *out)
{
    vec b[WIDE];
    count_some(counter, count, b);
    stream_some(key, count, xors, b, in, out);
}

#define CTR_IF(count)                                                                              \
    if (WIDE > (count) && (size & (count)*BYTES) != 0) {                                           \
        ctr_some(key, (count), counter, xors, in, out);                                            \
        in = xors ? in + (count)*BYTES : NULL;                                                     \
        out += (count)*BYTES;                                                                      \
    }

/* `in` is not looked at unless it is to be xored. */
INLINE void ctr_run(const tally_aes_key *key, counting *counter, const int xors, const uint8_t *in,
                    size_t size, uint8_t *out)
{
    if (size >= 2 * WIDE * BYTES) { /* counters are made while the ones before are encrypted */
        vec b[WIDE], next[WIDE];
        count_some(counter, WIDE, next);
        for (; size >= 2 * WIDE * BYTES; size -= WIDE * BYTES) {
            memcpy(b, next, sizeof b);
            count_some(counter, WIDE, next);
            stream_some(key, WIDE, xors, b, in, out);
            in = xors ? in + WIDE * BYTES : NULL;
            out += WIDE * BYTES;
        }
        stream_some(key, WIDE, xors, next, in, out);
        in = xors ? in + WIDE * BYTES : NULL;
        out += WIDE * BYTES;
        size -= WIDE * BYTES;
    }
    if (size >= WIDE * BYTES) {
        ctr_some(key, WIDE, counter, xors, in, out);
        in = xors ? in + WIDE * BYTES : NULL;
        out += WIDE * BYTES;
        size -= WIDE * BYTES;
    }
    CTR_IF(8)
    CTR_IF(4)
    CTR_IF(2)
    CTR_IF(1)
    const size_t rest = size % BYTES;
    if (rest != 0) {
        vec b = count(counter, 0);
        skip(counter, (rest + 15) / 16);
        rounds(key, TALLY_ENCRYPT, 1, &b);
        store_part(xors ? xor_vec(b, load_part(in, rest)) : b, rest, out);
    }
}

TARGET static void ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                       size_t size, uint8_t *out)
{
    if (size <= 16 * FEW) {
        ctr_few(key, counter, in, size, out);
        return;
    }
    counting now = begin_counting(counter);
    if (in != NULL) {
        ctr_run(key, &now, 1, in, size, out);
    } else {
        ctr_run(key, &now, 0, NULL, size, out);
    }
    end_counting(&now, counter);
}

/* The key as if it were another one each time. Else compilers load all round keys before a loop, which
 * leaves no registers for blocks, and copies of the keys on the stack. */
INLINE const tally_aes_key *hidden(const tally_aes_key *key)
{
    __asm__ __volatile__("" : "+r"(key));
    return key;
}

/* CBC-MAC of PER * count messages, PER in a vector. */
INLINE void cbc_mac_all(const tally_aes_key *key, const int count, const uint8_t *const messages[],
                        size_t blocks, uint8_t chains[][16])
{
    vec b[WIDE];
    EACH(i, count)
    {
        b[i] = load(chains[PER * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        EACH(i, count)
        {
            b[i] = xor_vec(b[i], gather(messages + PER * i, 16 * block));
        }
        rounds(hidden(key), TALLY_ENCRYPT, count, b);
    }
    EACH(i, count)
    {
        store(b[i], chains[PER * i]);
    }
}

/* The same of at most so many; what is left of the last vectors goes along with message 0. */
INLINE void cbc_mac_some(const tally_aes_key *key, const int count, size_t lanes,
                         const uint8_t *const messages[], size_t blocks, uint8_t chains[][16])
{
    const size_t all = PER * (size_t)count;
    if (lanes == all) {
        cbc_mac_all(key, count, messages, blocks, chains);
        return;
    }
    const uint8_t *of_lane[PER * WIDE];
    uint8_t ends[PER * WIDE][16];
    for (size_t i = 0; i < all; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    memset(ends + lanes, 0, 16 * (all - lanes));
    cbc_mac_all(key, count, of_lane, blocks, ends);
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, 16 * all);
}

TARGET static void cbc_mac(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                           size_t blocks, uint8_t chains[][16])
{
    if (lanes <= FEW) {
        cbc_mac_few(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < PER * WIDE ? lanes : PER * WIDE;
        if (WIDE > 8 && some > 8 * PER) {
            cbc_mac_some(key, WIDE, some, messages, blocks, chains);
        } else if (some > 4 * PER) {
            cbc_mac_some(key, 8, some, messages, blocks, chains);
        } else if (some > 2 * PER) {
            cbc_mac_some(key, 4, some, messages, blocks, chains);
        } else if (some > PER) {
            cbc_mac_some(key, 2, some, messages, blocks, chains);
        } else {
            cbc_mac_some(key, 1, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}
