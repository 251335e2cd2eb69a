/* SPDX-License-Identifier: Apache-2.0
 *
 * AES on shares, for words of any size, on which words_c99.h or words_vector.h has the operations. A
 * state is planes[shares]: plane p of a share holds bit p of every byte. What is linear goes share by
 * share; constants are added to share 0 alone. */
typedef struct planes {
    word plane[8];
} planes;

#include "masked/sbox_order1.h"
#include "masked/sbox_order2.h"

enum { SHARES = TALLY_MASKED_MAX_SHARES, PAIRS = 8 / PAIR };

#define EACH_PLANE(p) UNROLL for (size_t p = 0; p < 8; p++)
#define EACH_PAIR(p)  UNROLL for (size_t p = 0; p < PAIRS; p++)

#if PAIR == 1
INLINE TARGET pair take_pair(const word *from)
{
    return *from;
}

INLINE TARGET void put_pair(pair x, word *to)
{
    *to = x;
}
#endif

/* Each order has its own random words: two shares take no stack for those of three. */
#define SUB_BYTES(order, randoms)                                                                  \
    INLINE TARGET tally_status sub_bytes_##order(planes *q, const tally_mask_source *source)       \
    {                                                                                              \
        word random[randoms];                                                                      \
        tally_status status = source->fill(source->context, (uint8_t *)random, sizeof random);     \
        if (status == TALLY_OK) {                                                                  \
            sbox_order##order(q, random);                                                          \
        }                                                                                          \
        return status;                                                                             \
    }
SUB_BYTES(1, 32)
SUB_BYTES(2, 96)

INLINE TARGET tally_status sub_bytes(planes *q, const size_t shares,
                                     const tally_mask_source *source)
{
    return shares == 2 ? sub_bytes_1(q, source) : sub_bytes_2(q, source);
}

/* The inverse of the S-box's affine map (FIPS 197, section 5.3.2): bit i becomes the sum of bits
 * i + 2, i + 5 and i + 7 of the byte xor 0x63, which is that of the byte, xor 0x05. */
INLINE TARGET void inverse_affine(planes *q, const size_t shares)
{
    for (size_t s = 0; s < shares; s++) {
        word x[8];
        EACH_PLANE(p)
        {
            x[p] = q[s].plane[p];
        }
        EACH_PLANE(p)
        {
            q[s].plane[p] = XOR(XOR(x[(p + 2) % 8], x[(p + 5) % 8]), x[(p + 7) % 8]);
        }
    }
    q[0].plane[0] = NOT(q[0].plane[0]);
    q[0].plane[2] = NOT(q[0].plane[2]);
}

/* With S(x) = A(I(x)), A the affine map and I the inversion, which is its own inverse, the inverse
 * S-box is I(A^-1(x)) = A^-1(S(A^-1(x))). */
INLINE TARGET tally_status inverse_sub_bytes(planes *q, const size_t shares,
                                             const tally_mask_source *source)
{
    inverse_affine(q, shares);
    tally_status status = sub_bytes(q, shares, source);
    inverse_affine(q, shares);
    return status;
}

/* One share of a state. */
INLINE TARGET void add_round_key(planes *q, const planes *key)
{
    EACH_PAIR(p)
    {
        pair k = take_pair(key->plane + PAIR * p);
        put_pair(XOR(take_pair(q->plane + PAIR * p), k), q->plane + PAIR * p);
    }
}

/* Adds 2 d: doubling moves each plane up by one, and adds the top one to planes 0, 1, 3 and 4. */
INLINE TARGET void add_double(pair q[PAIRS], const pair d[PAIRS])
{
#if PAIR == 1
    EACH_PAIR(p)
    {
        q[p] = XOR(q[p], d[(p + 7) % 8]);
    }
    q[1] = XOR(q[1], d[7]);
    q[3] = XOR(q[3], d[7]);
    q[4] = XOR(q[4], d[7]);
#else
    EACH_PAIR(p)
    {
        q[p] = XOR(q[p], between(d[(p + 3) % 4], d[p]));
    }
    const pair top = between(d[3], d[3]); /* planes 7 and 6 */
    q[0] = XOR(q[0], only_second(d[3]));
    q[1] = XOR(q[1], only_second(d[3]));
    q[2] = XOR(q[2], only_first(top));
#endif
}

/* Adds 4 d. */
INLINE TARGET void add_quadruple(pair q[PAIRS], const pair d[PAIRS])
{
    EACH_PAIR(p)
    {
        q[p] = XOR(q[p], d[(p + PAIRS - 2 / PAIR) % PAIRS]);
    }
#if PAIR == 1
    q[1] = XOR(q[1], d[6]);
    q[2] = XOR(q[2], d[7]);
    q[3] = XOR(q[3], d[6]);
    q[4] = XOR(XOR(q[4], d[6]), d[7]);
    q[5] = XOR(q[5], d[7]);
#else
    const pair top = between(d[3], d[3]);
    q[0] = XOR(q[0], only_second(top));
    q[1] = XOR(q[1], top);
    q[2] = XOR(XOR(q[2], d[3]), only_first(top));
#endif
}

/* With d = a xor the row below it, a row becomes 2 d, plus the row below, plus the d of the opposite
 * row. */
INLINE TARGET void mix_columns(pair q[PAIRS])
{
    pair d[PAIRS];
    EACH_PAIR(p)
    {
        pair below = next_row(q[p]);
        d[p] = XOR(q[p], below);
        q[p] = XOR(below, opposite_row(d[p]));
    }
    add_double(q, d);
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0): so add four times the sum of a row
 * and its opposite, then mix. */
INLINE TARGET void inverse_mix_columns(planes *q)
{
    pair x[PAIRS], d[PAIRS];
    EACH_PAIR(p)
    {
        x[p] = take_pair(q->plane + PAIR * p);
        d[p] = XOR(x[p], opposite_row(x[p]));
    }
    add_quadruple(x, d);
    mix_columns(x);
    EACH_PAIR(p)
    {
        put_pair(x[p], q->plane + PAIR * p);
    }
}

/* ShiftRows, MixColumns but in the last round, and the round key, of one share. */
INLINE TARGET void end_round(planes *q, const planes *key, const int mixes)
{
    pair x[PAIRS];
    EACH_PAIR(p)
    {
        x[p] = shift_rows(take_pair(q->plane + PAIR * p));
    }
    if (mixes) {
        mix_columns(x);
    }
    EACH_PAIR(p)
    {
        put_pair(XOR(x[p], take_pair(key->plane + PAIR * p)), q->plane + PAIR * p);
    }
}

INLINE TARGET tally_status encrypt(const planes *key, const size_t shares, uint32_t rounds,
                                   const tally_mask_source *source, planes *q)
{
    for (size_t s = 0; s < shares; s++) {
        add_round_key(&q[s], &key[s]);
    }
    for (uint32_t round = 1;; round++) {
        key += shares;
        tally_status status = sub_bytes(q, shares, source);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t s = 0; s < shares; s++) {
            if (round != rounds) {
                end_round(&q[s], &key[s], 1);
            } else {
                end_round(&q[s], &key[s], 0);
            }
        }
        if (round == rounds) {
            return TALLY_OK;
        }
    }
}

INLINE TARGET tally_status decrypt(const planes *key, const size_t shares, uint32_t rounds,
                                   const tally_mask_source *source, planes *q)
{
    key += rounds * shares;
    for (size_t s = 0; s < shares; s++) {
        add_round_key(&q[s], &key[s]);
    }
    for (uint32_t round = rounds; round > 0; round--) {
        for (size_t s = 0; s < shares; s++) {
            EACH_PAIR(p)
            {
                word *at = q[s].plane + PAIR * p;
                put_pair(inverse_shift_rows(take_pair(at)), at);
            }
        }
        tally_status status = inverse_sub_bytes(q, shares, source);
        if (status != TALLY_OK) {
            return status;
        }
        key -= shares;
        for (size_t s = 0; s < shares; s++) {
            add_round_key(&q[s], &key[s]);
            if (round != 1) {
                inverse_mix_columns(&q[s]);
            }
        }
    }
    return TALLY_OK;
}

/* Adds to four columns of a key the substitution of column `from` of others, then to each of the four
 * the one before. */
INLINE TARGET tally_status next_columns(planes *q, const planes *others, size_t from,
                                        const int substitutes, const unsigned constant,
                                        const size_t shares, const tally_mask_source *source)
{
    planes step[SHARES];
    word added[8];
    EACH_PLANE(p)
    {
        added[p] = first_byte(constant >> p & 1);
    }
    for (size_t s = 0; s < shares; s++) {
        EACH_PAIR(p)
        {
            pair x = take_pair(others[s].plane + PAIR * p);
            if (constant != 0) {
                x = next_row(x);
            }
            put_pair(x, step[s].plane + PAIR * p);
        }
    }
    tally_status status = substitutes ? sub_bytes(step, shares, source) : TALLY_OK;
    for (size_t s = 0; s < shares && status == TALLY_OK; s++) {
        EACH_PAIR(p)
        {
            pair x = take_column(take_pair(step[s].plane + PAIR * p), from);
            if (s == 0 && constant != 0) {
                x = XOR(x, take_pair(added + PAIR * p));
            }
            x = XOR(take_pair(q[s].plane + PAIR * p), x);
            x = XOR(x, put_columns(x, 1));
            put_pair(XOR(x, put_columns(x, 2)), q[s].plane + PAIR * p);
        }
    }
    tally_wipe(step, shares * sizeof *step); /* all shares of a part of the key */
    return status;
}

/* Writes `count` columns, 2 or 4, behind `at` even ones of the round keys. */
INLINE TARGET void append(planes *keys, size_t at, const planes *q, size_t count,
                          const size_t shares)
{
    planes *key = keys + at / 4 * shares;
    for (size_t s = 0; s < shares; s++) {
        EACH_PAIR(p)
        {
            const pair x = take_pair(q[s].plane + PAIR * p);
            word *to = key[s].plane + PAIR * p;
            if (at % 4 == 0) {
                put_pair(x, to);
                continue;
            }
            put_pair(XOR(take_columns(take_pair(to), 0), put_columns(x, 2)), to);
            if (count == 4) {
                put_pair(take_columns(x, 2), key[shares + s].plane + PAIR * p);
            }
        }
    }
}

/* FIPS 197, section 5.2: columns come in groups as long as the key, the first four of a group
 * together, and then what is left of it. */
INLINE TARGET tally_status expand(const planes *states, size_t key_size, const size_t shares,
                                  const tally_mask_source *source, planes *keys)
{
    const size_t more = key_size / 4 - 4, end = key_size + 28;
    planes first[SHARES], second[SHARES];
    tally_status status = TALLY_OK;
    unsigned constant = 1;
    memcpy(first, states, shares * sizeof *first);
    append(keys, 0, first, 4, shares);
    if (more != 0) {
        memcpy(second, states + shares, shares * sizeof *second);
        append(keys, 4, second, more, shares);
    }
    for (size_t at = key_size / 4; at < end && status == TALLY_OK;) {
        status = next_columns(first, more != 0 ? second : first, more != 0 ? more - 1 : 3, 1,
                              constant, shares, source);
        constant = constant << 1 ^ (constant >> 7) * 0x11b;
        append(keys, at, first, 4, shares);
        at += 4;
        if (status == TALLY_OK && more != 0 && at < end) {
            status = next_columns(second, first, 3, more == 4, 0, shares, source);
            append(keys, at, second, more, shares);
            at += more;
        }
    }
    tally_wipe(first, sizeof first);
    tally_wipe(second, sizeof second);
    return status;
}

INLINE TARGET void slice(const uint8_t *const share[], const size_t shares, size_t blocks,
                         planes *q)
{
    uint8_t some[8 * sizeof(word)] = {0};
    for (size_t s = 0; s < shares; s++) {
        if (16 * blocks == sizeof some) {
            load_planes(share[s], q[s].plane);
            continue;
        }
        memcpy(some, share[s], 16 * blocks);
        load_planes(some, q[s].plane);
    }
    tally_wipe(some, 16 * blocks == sizeof some ? 0 : sizeof some);
}

INLINE TARGET void unslice(const planes *q, const size_t shares, size_t blocks,
                           uint8_t *const share[])
{
    uint8_t some[8 * sizeof(word)];
    for (size_t s = 0; s < shares; s++) {
        planes own = q[s];
        if (16 * blocks == sizeof some) {
            store_planes(own.plane, share[s]);
            continue;
        }
        store_planes(own.plane, some);
        memcpy(share[s], some, 16 * blocks);
    }
    tally_wipe(some, 16 * blocks == sizeof some ? 0 : sizeof some);
}

#define FOR_SHARES(n)                                                                              \
    static inline TARGET void slice_##n(const uint8_t *const shares[], size_t blocks, void *state) \
    {                                                                                              \
        slice(shares, n, blocks, state);                                                           \
    }                                                                                              \
    static inline TARGET void unslice_##n(const void *state, size_t blocks,                        \
                                          uint8_t *const shares[])                                 \
    {                                                                                              \
        unslice(state, n, blocks, shares);                                                         \
    }                                                                                              \
    static inline TARGET tally_status expand_##n(                                                  \
        const void *states, size_t key_size, const tally_mask_source *source, void *round_keys)    \
    {                                                                                              \
        return expand(states, key_size, n, source, round_keys);                                    \
    }                                                                                              \
    static inline TARGET tally_status encrypt_##n(const void *round_keys, uint32_t rounds,         \
                                                  const tally_mask_source *source, void *state)    \
    {                                                                                              \
        return encrypt(round_keys, n, rounds, source, state);                                      \
    }                                                                                              \
    static inline TARGET tally_status decrypt_##n(const void *round_keys, uint32_t rounds,         \
                                                  const tally_mask_source *source, void *state)    \
    {                                                                                              \
        return decrypt(round_keys, n, rounds, source, state);                                      \
    }
FOR_SHARES(2)
FOR_SHARES(3)

#define SLICING(n, features)                                                                       \
    {                                                                                              \
        .bits = TALLY_SLICE_BITS, .shares = n, .needs = features, .slice = slice_##n,              \
        .unslice = unslice_##n, .expand = expand_##n, .encrypt = encrypt_##n,                      \
        .decrypt = decrypt_##n                                                                     \
    }
