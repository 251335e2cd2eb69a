/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by a CPU's AES instructions: runs of blocks, counter mode and CBC-MAC, for vectors of one,
 * two or four blocks. The including file, one for each instruction set, defines
 *
 *     AES(name)                      the name of a static function or type
 *     AES_INLINE, AES_TARGET         for functions, with the instruction set's attribute
 *     AES_VEC, AES_PER               a vector, and its blocks
 *     AES_WIDE                       how many vectors go through the rounds together
 *     AES_LOAD, AES_STORE            of a whole vector
 *     AES_LOAD_PART, AES_STORE_PART  of the first 1 .. 16 AES_PER - 1 bytes; others are loaded as 0
 *     AES_FEW                        AES_FEW_BLOCKS, AES_FEW_CTR and AES_FEW_CBC_MAC process up to
 *                                    this number of blocks or messages; may be 0
 *     AES(gather)                    one block each of AES_PER messages
 *     AES_ROUND_KEY                  a round key, AES_PER times
 *     AES_XOR                        of two vectors
 *     AES_BEGIN, AES_MIDDLE, AES_END with the first round key before the rounds; with a round key
 *                                    in all rounds but the last; with the last two in the last
 *     AES_KEY_OF_MIDDLE              0: round i ends by adding key i; -1: it begins with key i - 1
 *     AES(counter)                   a counter, with AES(counter_load), AES(counter_block) (vector
 *                                    i from it), AES(counter_skip) and AES(counter_store)
 *
 * which are undefined again at the end.
 *
 * Several vectors are in flight, because an instruction takes several cycles and one or two can
 * start in each. The last vectors go through in halves, which the CPU overlaps. Decryption is the
 * equivalent inverse cipher (FIPS 197, section 5.3.5). */

#include "base/unroll.h"

#define AES_BYTES          (16 * AES_PER) /* of a vector */
#define AES_UNROLL         TALLY_UNROLL(16)
#define AES_EACH(i, count) AES_UNROLL for (int i = 0; i < (count); i++)

/* Some middle rounds of some vectors, which stay in registers. All arguments but b and keys are
 * constants, and the loops are unrolled: at the end of a loop GCC would move the vectors. */
AES_INLINE void AES(middle_rounds)(const uint8_t (*keys)[16], const tally_direction direction,
                                   const int first, const int after, const int count, AES_VEC *b)
{
    AES_EACH(round, after - first)
    {
        AES_VEC k = AES_ROUND_KEY(keys[first + round + AES_KEY_OF_MIDDLE]);
        AES_EACH(i, count)
        {
            b[i] = AES_MIDDLE(b[i], direction, k);
        }
    }
}

AES_INLINE void AES(rounds)(const tally_aes_key *key, const tally_direction direction,
                            const int count, AES_VEC *b)
{
    const uint8_t(*keys)[16] = key->round_keys.bytes[direction];
    const AES_VEC first = AES_ROUND_KEY(keys[0]);
    (void)first;
    AES_EACH(i, count)
    {
        b[i] = AES_BEGIN(b[i], direction, first);
    }
    AES(middle_rounds)(keys, direction, 1, 10, count, b);
    if (key->rounds > 10) {
        AES(middle_rounds)(keys, direction, 10, 12, count, b);
    }
    if (key->rounds > 12) {
        AES(middle_rounds)(keys, direction, 12, 14, count, b);
    }
    const AES_VEC before = AES_ROUND_KEY(keys[key->rounds - 1]),
                  last = AES_ROUND_KEY(keys[key->rounds]);
    (void)before;
    AES_EACH(i, count)
    {
        b[i] = AES_END(b[i], direction, before, last);
    }
}

AES_INLINE void AES(run_some)(const tally_aes_key *key, const tally_direction direction,
                              const int count, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(in + AES_BYTES * i);
    }
    AES(rounds)(key, direction, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(b[i], out + AES_BYTES * i);
    }
}

/* `count` of the remaining vectors, if their number has this power of two. */
#define AES_RUN_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(run_some)(key, direction, (count), in, out);                                           \
        in += (count)*AES_BYTES;                                                                   \
        out += (count)*AES_BYTES;                                                                  \
    }

AES_INLINE void AES(run)(const tally_aes_key *key, const tally_direction direction,
                         const uint8_t *in, size_t size, uint8_t *out)
{
    for (; size >= AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
        AES(run_some)(key, direction, AES_WIDE, in, out);
        in += AES_WIDE * AES_BYTES;
        out += AES_WIDE * AES_BYTES;
    }
    AES_RUN_IF(8)
    AES_RUN_IF(4)
    AES_RUN_IF(2)
    AES_RUN_IF(1)
    if (AES_PER > 1 && size % AES_BYTES != 0) {
        AES_VEC b = AES_LOAD_PART(in, size % AES_BYTES);
        AES(rounds)(key, direction, 1, &b);
        AES_STORE_PART(b, size % AES_BYTES, out);
    }
}

#if AES_FEW == 0
#define AES_FEW_BLOCKS(key, direction, in, blocks, out)       ((void)0)
#define AES_FEW_CTR(key, counter, in, size, out)              ((void)0)
#define AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains) ((void)0)
#endif

AES_TARGET static void AES(crypt_blocks)(const tally_aes_key *key, const tally_direction direction,
                                         const uint8_t *in, size_t blocks, uint8_t *out)
{
    if (blocks <= AES_FEW) {
        AES_FEW_BLOCKS(key, direction, in, blocks, out);
    } else if (direction == TALLY_ENCRYPT) {
        AES(run)(key, TALLY_ENCRYPT, in, 16 * blocks, out);
    } else {
        AES(run)(key, TALLY_DECRYPT, in, 16 * blocks, out);
    }
}

AES_INLINE void AES(count_some)(AES(counter) * counter, const int vectors, AES_VEC *b)
{
    AES_EACH(i, vectors)
    {
        b[i] = AES(counter_block)(counter, i);
    }
    AES(counter_skip)(counter, (uint64_t)vectors * AES_PER);
}

/* Encrypts the counters in b and writes them to `out`, xored with `in` or not. */
AES_INLINE void AES(stream_some)(const tally_aes_key *key, const int count, const int xors,
                                 AES_VEC *b, const uint8_t *in, uint8_t *out)
{
    AES(rounds)(key, TALLY_ENCRYPT, count, b);
    AES_EACH(i, count)
    {
        AES_STORE(xors ? AES_XOR(b[i], AES_LOAD(in + AES_BYTES * i)) : b[i], out + AES_BYTES * i);
    }
}

AES_INLINE void AES(ctr_some)(const tally_aes_key *key, const int count, AES(counter) * counter,
                              const int xors, const uint8_t *in, uint8_t *out)
{
    AES_VEC b[AES_WIDE];
    AES(count_some)(counter, count, b);
    AES(stream_some)(key, count, xors, b, in, out);
}

#define AES_CTR_IF(count)                                                                          \
    if (AES_WIDE > (count) && (size & (count)*AES_BYTES) != 0) {                                   \
        AES(ctr_some)(key, (count), counter, xors, in, out);                                       \
        in = xors ? in + (count)*AES_BYTES : NULL;                                                 \
        out += (count)*AES_BYTES;                                                                  \
    }

/* Does not read `in` unless `xors` is 1. */
AES_INLINE void AES(ctr_run)(const tally_aes_key *key, AES(counter) * counter, const int xors,
                             const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >=
        2 * AES_WIDE * AES_BYTES) { /* the next counters are computed during an encryption */
        AES_VEC b[AES_WIDE], next[AES_WIDE];
        AES(count_some)(counter, AES_WIDE, next);
        for (; size >= 2 * AES_WIDE * AES_BYTES; size -= AES_WIDE * AES_BYTES) {
            memcpy(b, next, sizeof b);
            AES(count_some)(counter, AES_WIDE, next);
            AES(stream_some)(key, AES_WIDE, xors, b, in, out);
            in = xors ? in + AES_WIDE * AES_BYTES : NULL;
            out += AES_WIDE * AES_BYTES;
        }
        AES(stream_some)(key, AES_WIDE, xors, next, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    if (size >= AES_WIDE * AES_BYTES) {
        AES(ctr_some)(key, AES_WIDE, counter, xors, in, out);
        in = xors ? in + AES_WIDE * AES_BYTES : NULL;
        out += AES_WIDE * AES_BYTES;
        size -= AES_WIDE * AES_BYTES;
    }
    AES_CTR_IF(8)
    AES_CTR_IF(4)
    AES_CTR_IF(2)
    AES_CTR_IF(1)
    const size_t rest = size % AES_BYTES;
    if (rest != 0) {
        AES_VEC b = AES(counter_block)(counter, 0);
        AES(counter_skip)(counter, (rest + 15) / 16);
        AES(rounds)(key, TALLY_ENCRYPT, 1, &b);
        AES_STORE_PART(xors ? AES_XOR(b, AES_LOAD_PART(in, rest)) : b, rest, out);
    }
}

AES_TARGET static void AES(ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                                size_t size, uint8_t *out)
{
    if (size <= 16 * AES_FEW) {
        AES_FEW_CTR(key, counter, in, size, out);
        return;
    }
    AES(counter) now = AES(counter_load)(counter);
    if (in != NULL) {
        AES(ctr_run)(key, &now, 1, in, size, out);
    } else {
        AES(ctr_run)(key, &now, 0, NULL, size, out);
    }
    AES(counter_store)(&now, counter);
}

/* Hides that the key is the same in each iteration. Otherwise compilers load all round keys before
 * a loop, which leaves no registers for blocks, and copies of the keys on the stack. */
AES_INLINE const tally_aes_key *AES(hidden)(const tally_aes_key *key)
{
    __asm__ __volatile__("" : "+r"(key));
    return key;
}

/* CBC-MAC of AES_PER * count messages, AES_PER in a vector. */
AES_INLINE void AES(cbc_mac_all)(const tally_aes_key *key, const int count,
                                 const uint8_t *const messages[], size_t blocks,
                                 uint8_t chains[][16])
{
    AES_VEC b[AES_WIDE];
    AES_EACH(i, count)
    {
        b[i] = AES_LOAD(chains[AES_PER * i]);
    }
    for (size_t block = 0; block < blocks; block++) {
        AES_EACH(i, count)
        {
            b[i] = AES_XOR(b[i], AES(gather)(messages + AES_PER * i, 16 * block));
        }
        AES(rounds)(AES(hidden)(key), TALLY_ENCRYPT, count, b);
    }
    AES_EACH(i, count)
    {
        AES_STORE(b[i], chains[AES_PER * i]);
    }
}

/* The same for at most that number; the free places of the last vectors repeat message 0. */
AES_INLINE void AES(cbc_mac_some)(const tally_aes_key *key, const int count, size_t lanes,
                                  const uint8_t *const messages[], size_t blocks,
                                  uint8_t chains[][16])
{
    const size_t all = AES_PER * (size_t)count;
    if (lanes == all) {
        AES(cbc_mac_all)(key, count, messages, blocks, chains);
        return;
    }
    const uint8_t *of_lane[AES_PER * AES_WIDE];
    uint8_t ends[AES_PER * AES_WIDE][16];
    for (size_t i = 0; i < all; i++) {
        of_lane[i] = messages[i < lanes ? i : 0];
    }
    memcpy(ends, chains, 16 * lanes);
    memset(ends + lanes, 0, 16 * (all - lanes));
    AES(cbc_mac_all)(key, count, of_lane, blocks, ends);
    memcpy(chains, ends, 16 * lanes);
    tally_wipe(ends, 16 * all);
}

AES_TARGET static void AES(cbc_mac)(const tally_aes_key *key, size_t lanes,
                                    const uint8_t *const messages[], size_t blocks,
                                    uint8_t chains[][16])
{
    if (lanes <= AES_FEW) {
        AES_FEW_CBC_MAC(key, lanes, messages, blocks, chains);
        return;
    }
    while (lanes > 0) {
        const size_t some = lanes < AES_PER * AES_WIDE ? lanes : AES_PER * AES_WIDE;
        if (AES_WIDE > 8 && some > 8 * AES_PER) {
            AES(cbc_mac_some)(key, AES_WIDE, some, messages, blocks, chains);
        } else if (some > 4 * AES_PER) {
            AES(cbc_mac_some)(key, 8, some, messages, blocks, chains);
        } else if (some > 2 * AES_PER) {
            AES(cbc_mac_some)(key, 4, some, messages, blocks, chains);
        } else if (some > AES_PER) {
            AES(cbc_mac_some)(key, 2, some, messages, blocks, chains);
        } else {
            AES(cbc_mac_some)(key, 1, some, messages, blocks, chains);
        }
        messages += some;
        chains += some;
        lanes -= some;
    }
}

#undef AES
#undef AES_BEGIN
#undef AES_BYTES
#undef AES_CTR_IF
#undef AES_EACH
#undef AES_END
#undef AES_FEW
#undef AES_FEW_BLOCKS
#undef AES_FEW_CBC_MAC
#undef AES_FEW_CTR
#undef AES_INLINE
#undef AES_KEY_OF_MIDDLE
#undef AES_LOAD
#undef AES_LOAD_PART
#undef AES_MIDDLE
#undef AES_PER
#undef AES_ROUND_KEY
#undef AES_RUN_IF
#undef AES_STORE
#undef AES_STORE_PART
#undef AES_TARGET
#undef AES_UNROLL
#undef AES_VEC
#undef AES_WIDE
#undef AES_XOR
