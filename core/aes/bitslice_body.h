/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES (FIPS 197) in constant time, a group of blocks at a time, as eight planes: plane p
 * has bit p of all their bytes. There is no ShiftRows: after each round, row r of the state is
 * rotated by r more columns (A. Adomnicai and T. Peyrin, "Fixslicing AES-like ciphers", TCHES
 * 2021). Round keys are stored with the same rotations, and all but the first contain the S-box's
 * constant. At the end two columns of odd rows remain to be rotated, or nothing. The including
 * file, one for each width, defines
 *
 *     BITSLICE(name)             the name of a static function or type
 *     BITSLICE_INLINE, BITSLICE_TARGET  for functions, with the instruction set's attribute
 *     BITSLICE_PLANE             a word or a GCC vector of 64-bit numbers
 *     BITSLICE_GROUP             the blocks of a group
 *     BITSLICE_KEYS              the type of round keys, and
 *     BITSLICE_ROUND_KEY         (keys, round, i): plane i of a round's key, for all blocks
 *     BITSLICE(load), BITSLICE(store)  of a group, to planes and back
 *     BITSLICE_NEXT_ROW          place (row, column) gets (row + 1, column + rotation), modulo 4
 *     BITSLICE_OPPOSITE_ROW      the same from (row + 2, column + 2 rotation)
 *     BITSLICE_ROTATE_ODD_ROWS   rotates rows 1 and 3 by two columns
 *
 * and includes aes/bitslice_undef.h at its end. */
#include "aes/bitslice.h"
#include "aes/counter.h"

#include "aes/bitslice_sbox.h"

#include <string.h>

/* Planes live in registers only if loops over them are unrolled. GCC at -O2 does so on request. */
#define BITSLICE_EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

BITSLICE_INLINE BITSLICE_PLANE BITSLICE(swapped)(BITSLICE_PLANE *a, BITSLICE_PLANE b, int shift,
                                                 uint64_t mask)
{
    BITSLICE_PLANE t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

/* Transposes the 8 x 8 matrices of bits that the same byte of all planes makes; its own inverse. */
BITSLICE_INLINE void BITSLICE(transpose)(BITSLICE_PLANE q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = BITSLICE(swapped)(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = BITSLICE(swapped)(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = BITSLICE(swapped)(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

BITSLICE_INLINE void BITSLICE(add_round_key)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round)
{
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= BITSLICE_ROUND_KEY(keys, round, i);
    }
}

/* With d = a xor the row below it, a row becomes 2 d, plus the row below, plus the d of the
 * opposite row. Doubling moves each plane up by one and adds the top one to planes 0, 1, 3, 4. */
BITSLICE_INLINE void BITSLICE(mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE below[8], d[8];
    BITSLICE_EACH_PLANE(i)
    {
        below[i] = BITSLICE_NEXT_ROW(q[i], rotation);
        d[i] = q[i] ^ below[i];
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] = below[i] ^ BITSLICE_OPPOSITE_ROW(d[i], rotation) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0): so add four times the sum of a
 * row and its opposite, then mix. */
BITSLICE_INLINE void BITSLICE(inverse_mix_columns)(BITSLICE_PLANE q[8], const int rotation)
{
    BITSLICE_PLANE d[8];
    BITSLICE_EACH_PLANE(i)
    {
        d[i] = q[i] ^ BITSLICE_OPPOSITE_ROW(q[i], rotation);
    }
    BITSLICE_EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    BITSLICE(mix_columns)(q, rotation);
}

BITSLICE_INLINE void BITSLICE(rotate_last)(BITSLICE_PLANE q[8], size_t rounds)
{
    if (rounds % 4 == 2) { /* not 12 */
        BITSLICE_EACH_PLANE(i)
        {
            q[i] = BITSLICE_ROTATE_ODD_ROWS(q[i]);
        }
    }
}

BITSLICE_INLINE void BITSLICE(encrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(sbox_linear)(q);
    BITSLICE(mix_columns)(q, rotation);
    BITSLICE(add_round_key)(q, keys, round);
}

BITSLICE_TARGET static void BITSLICE(encrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    BITSLICE(load)(in, q);
    BITSLICE(add_round_key)(q, keys, 0);
    for (size_t round = 1;; round += 4) { /* to 9, 11 or 13 */
        BITSLICE(encrypt_round)(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 1, 2);
        BITSLICE(encrypt_round)(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        BITSLICE(encrypt_round)(q, keys, round + 3, 0);
    }
    BITSLICE(sbox_linear)(q);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(store)(q, out);
}

BITSLICE_INLINE void BITSLICE(decrypt_round)(BITSLICE_PLANE q[8], const BITSLICE_KEYS *keys,
                                             size_t round, const int rotation)
{
    BITSLICE(add_round_key)(q, keys, round);
    BITSLICE(inverse_mix_columns)(q, rotation);
    BITSLICE(inverse_sbox_linear)(q);
}

BITSLICE_TARGET static void BITSLICE(decrypt_group)(const BITSLICE_KEYS *keys, size_t rounds,
                                                    const uint8_t *in, uint8_t *out)
{
    BITSLICE_PLANE q[8];
    size_t round = rounds - 1;
    BITSLICE(load)(in, q);
    BITSLICE(rotate_last)(q, rounds);
    BITSLICE(add_round_key)(q, keys, rounds);
    BITSLICE(inverse_sbox_linear)(q);
    if (round % 4 == 3) {
        BITSLICE(decrypt_round)(q, keys, round, 3);
        BITSLICE(decrypt_round)(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) { /* to 1; GCC 12 miscounts a loop while (round > 1) on POWER and s390x */
        BITSLICE(decrypt_round)(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        BITSLICE(decrypt_round)(q, keys, round - 1, 0);
        BITSLICE(decrypt_round)(q, keys, round - 2, 3);
        BITSLICE(decrypt_round)(q, keys, round - 3, 2);
    }
    BITSLICE(add_round_key)(q, keys, 0);
    BITSLICE(store)(q, out);
}

typedef void BITSLICE(group_function)(const BITSLICE_KEYS *keys, size_t rounds, const uint8_t *in,
                                      uint8_t *out);

/* Whole groups, then an incomplete last one in a buffer. */
BITSLICE_INLINE void BITSLICE(run_groups)(BITSLICE(group_function) * function,
                                          const BITSLICE_KEYS *keys, size_t rounds,
                                          const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= BITSLICE_GROUP; blocks -= BITSLICE_GROUP) {
        function(keys, rounds, in, out);
        in += 16 * BITSLICE_GROUP;
        out += 16 * BITSLICE_GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * BITSLICE_GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (BITSLICE_GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

BITSLICE_INLINE void BITSLICE(xor_bytes)(const uint8_t *a, const uint8_t *b, size_t size,
                                         uint8_t *out)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++) {
        out[i] = a[i] ^ b[i];
    }
}

BITSLICE_INLINE void BITSLICE(count_group)(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < BITSLICE_GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

/* Counter mode, a group at a time. Counters are written one group early: a load of a whole vector
 * waits for recent stores of its halves. */
BITSLICE_INLINE void BITSLICE(ctr_groups)(const BITSLICE_KEYS *keys, size_t rounds,
                                          uint8_t counter[16], const uint8_t *in, size_t size,
                                          uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * BITSLICE_GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    BITSLICE(count_group)(&next, streams[0]);
    for (size_t current = 0, used; size > 0; current ^= 1, size -= used) {
        uint8_t *stream = streams[current];
        used = size < 16 * BITSLICE_GROUP ? size : 16 * BITSLICE_GROUP;
        if (used < size) {
            BITSLICE(count_group)(&next, streams[current ^ 1]);
        }
        BITSLICE(encrypt_group)(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            BITSLICE(xor_bytes)(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}
