/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit-sliced AES (FIPS 197) in constant time: GROUP blocks at a time as eight planes, plane p holding
 * bit p of all their bytes. ShiftRows is not done: row r of the state lies turned by r columns more
 * after each round (A. Adomnicai and T. Peyrin, "Fixslicing AES-like ciphers", TCHES 2021), round
 * keys are stored turned likewise, with the S-box's constant in all but the first, and what is left
 * at the end is two columns of odd rows, or nothing. The including file, one for each width, defines
 *
 *     INLINE, TARGET        for functions, with the instruction set's attribute
 *     plane, GROUP          a word or a GCC vector of 64-bit numbers, and its blocks
 *     load, store           of GROUP blocks, to planes and back
 *     next_row              in place (row, column) what is in (row + 1, column + turn), both modulo 4
 *     opposite_row          the same from (row + 2, column + 2 turn)
 *     turn_odd_rows         rows 1 and 3 turned by two columns
 *     round_key             (keys, round, i): plane i of a round's key, for all blocks */
#include "aes/bitslice.h"
#include "aes/counter.h"

#define BITSLICE_INLINE INLINE
#include "aes/bitslice_sbox.h"

#include <string.h>

/* The planes belong in registers, so loops over them must be unrolled; GCC at -O2 must be told. */
#define EACH_PLANE(i) _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i++)

INLINE plane swapped(plane *a, plane b, int shift, uint64_t mask)
{
    plane t = ((*a >> shift) ^ b) & mask;
    *a ^= t << shift;
    return b ^ t;
}

/* Transposes the 8 x 8 matrices of bits that the same byte of all planes makes; its own inverse. */
INLINE void transpose(plane q[8])
{
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += 2)
    {
        q[i + 1] = swapped(&q[i], q[i + 1], 1, UINT64_C(0x5555555555555555));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 8; i += (i & 1) != 0 ? 3 : 1)
    {
        q[i + 2] = swapped(&q[i], q[i + 2], 2, UINT64_C(0x3333333333333333));
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < 4; i++)
    {
        q[i + 4] = swapped(&q[i], q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    }
}

INLINE void add_round_key(plane q[8], const round_keys *keys, size_t round)
{
    EACH_PLANE(i)
    {
        q[i] ^= round_key(keys, round, i);
    }
}

/* With d = a xor the row below it, a row becomes 2 d, plus the row below, plus the d of the
 * opposite row. Doubling moves each plane up by one and adds the top one to planes 0, 1, 3, 4. */
INLINE void mix_columns(plane q[8], const int turn)
{
    plane below[8], d[8];
    EACH_PLANE(i)
    {
        below[i] = next_row(q[i], turn);
        d[i] = q[i] ^ below[i];
    }
    EACH_PLANE(i)
    {
        q[i] = below[i] ^ opposite_row(d[i], turn) ^ d[(i + 7) % 8];
    }
    q[1] ^= d[7];
    q[3] ^= d[7];
    q[4] ^= d[7];
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0): so add four times the sum of a
 * row and its opposite, then mix. */
INLINE void inverse_mix_columns(plane q[8], const int turn)
{
    plane d[8];
    EACH_PLANE(i)
    {
        d[i] = q[i] ^ opposite_row(q[i], turn);
    }
    EACH_PLANE(i)
    {
        q[i] ^= d[(i + 6) % 8];
    }
    q[1] ^= d[6];
    q[2] ^= d[7];
    q[3] ^= d[6];
    q[4] ^= d[6] ^ d[7];
    q[5] ^= d[7];
    mix_columns(q, turn);
}

INLINE void turn_ends(plane q[8], size_t rounds)
{
    if (rounds % 4 == 2) { /* not 12 */
        EACH_PLANE(i)
        {
            q[i] = turn_odd_rows(q[i]);
        }
    }
}

INLINE void encrypt_round(plane q[8], const round_keys *keys, size_t round, const int turn)
{
    tally_bitslice_sbox_linear(q);
    mix_columns(q, turn);
    add_round_key(q, keys, round);
}

TARGET static void encrypt_group(const round_keys *keys, size_t rounds, const uint8_t *in,
                                 uint8_t *out)
{
    plane q[8];
    load(in, q);
    add_round_key(q, keys, 0);
    for (size_t round = 1;; round += 4) { /* to 9, 11 or 13 */
        encrypt_round(q, keys, round, 1);
        if (round + 1 == rounds) {
            break;
        }
        encrypt_round(q, keys, round + 1, 2);
        encrypt_round(q, keys, round + 2, 3);
        if (round + 3 == rounds) {
            break;
        }
        encrypt_round(q, keys, round + 3, 0);
    }
    tally_bitslice_sbox_linear(q);
    add_round_key(q, keys, rounds);
    turn_ends(q, rounds);
    store(q, out);
}

INLINE void decrypt_round(plane q[8], const round_keys *keys, size_t round, const int turn)
{
    add_round_key(q, keys, round);
    inverse_mix_columns(q, turn);
    tally_bitslice_inverse_sbox_linear(q);
}

TARGET static void decrypt_group(const round_keys *keys, size_t rounds, const uint8_t *in,
                                 uint8_t *out)
{
    plane q[8];
    size_t round = rounds - 1;
    load(in, q);
    turn_ends(q, rounds);
    add_round_key(q, keys, rounds);
    tally_bitslice_inverse_sbox_linear(q);
    if (round % 4 == 3) {
        decrypt_round(q, keys, round, 3);
        decrypt_round(q, keys, round - 1, 2);
        round -= 2;
    }
    for (;; round -= 4) { /* to 1; GCC 12 miscounts a loop while (round > 1) on POWER and s390x */
        decrypt_round(q, keys, round, 1);
        if (round == 1) {
            break;
        }
        decrypt_round(q, keys, round - 1, 0);
        decrypt_round(q, keys, round - 2, 3);
        decrypt_round(q, keys, round - 3, 2);
    }
    add_round_key(q, keys, 0);
    store(q, out);
}

typedef void group_function(const round_keys *keys, size_t rounds, const uint8_t *in, uint8_t *out);

/* Whole groups, then a last one that is not full in a buffer. */
INLINE void run_groups(group_function *function, const round_keys *keys, size_t rounds,
                       const uint8_t *in, size_t blocks, uint8_t *out)
{
    for (; blocks >= GROUP; blocks -= GROUP) {
        function(keys, rounds, in, out);
        in += 16 * GROUP;
        out += 16 * GROUP;
    }
    if (blocks > 0) {
        uint8_t buffer[16 * GROUP];
        memcpy(buffer, in, 16 * blocks);
        memset(buffer + 16 * blocks, 0, 16 * (GROUP - blocks));
        function(keys, rounds, buffer, buffer);
        memcpy(out, buffer, 16 * blocks);
        tally_wipe(buffer, sizeof buffer);
    }
}

INLINE void xor_bytes(const uint8_t *a, const uint8_t *b, size_t size, uint8_t *out)
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

INLINE void count_group(struct tally_counter *next, uint8_t *out)
{
    for (size_t i = 0; i < GROUP; i++) {
        tally_counter_store(*next, out + 16 * i);
        tally_counter_add(next, 1);
    }
}

/* Counter mode, a group at a time. Counters are written one group ahead, because what was stored in
 * halves can't be loaded whole at once. */
INLINE void ctr_groups(const round_keys *keys, size_t rounds, uint8_t counter[16],
                       const uint8_t *in, size_t size, uint8_t *out)
{
    struct tally_counter end = tally_counter_load(counter), next = end;
    uint8_t streams[2][16 * GROUP];
    tally_counter_add(&end, size / 16 + (size % 16 != 0));
    count_group(&next, streams[0]);
    for (size_t turn = 0, used; size > 0; turn ^= 1, size -= used) {
        uint8_t *stream = streams[turn];
        used = size < 16 * GROUP ? size : 16 * GROUP;
        if (used < size) {
            count_group(&next, streams[turn ^ 1]);
        }
        encrypt_group(keys, rounds, stream, stream);
        if (in == NULL) {
            memcpy(out, stream, used);
        } else {
            xor_bytes(in, stream, used, out);
            in += used;
        }
        out += used;
    }
    tally_counter_store(end, counter);
    tally_wipe(streams, sizeof streams);
}
