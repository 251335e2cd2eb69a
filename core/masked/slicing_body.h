/* SPDX-License-Identifier: Apache-2.0
 *
 * AES on shares for words of one size. The including file defines MASKED(name), the name with the
 * prefix of the file, and BITS, and then includes words_c99.h or words_vector.h, which have the
 * operations on words. This body undefines all their macros, and its own.
 *
 * A state is an array of PLANES, one for each share. Plane p of a share holds bit p of every byte.
 * Linear functions take one share after the other. Constants are added to share 0 alone. */
typedef struct MASKED(planes) {
    WORD plane[8];
} MASKED(planes);

#define PLANES MASKED(planes)
#define PAIRS  (8 / PAIR_PLANES)

#include "masked/sbox_order1.h"
#if !defined(TALLY_MASKED_SMALL)
#include "masked/sbox_order2.h"
#endif

#define EACH_PLANE(p) UNROLL for (size_t p = 0; p < 8; p++)
#define EACH_PAIR(p)  UNROLL for (size_t p = 0; p < PAIRS; p++)

#if PAIR_PLANES == 1
INLINE TARGET PAIR MASKED(load_pair)(const WORD *from)
{
    return *from;
}

INLINE TARGET void MASKED(store_pair)(PAIR x, WORD *to)
{
    *to = x;
}
#endif

/* One function for each order, so that two shares need less stack than three. */
#define SUB_BYTES(order, randoms)                                                                  \
    INLINE TARGET tally_status MASKED(sub_bytes_##order)(PLANES * q,                               \
                                                         const tally_mask_source *source)          \
    {                                                                                              \
        WORD random[randoms];                                                                      \
        tally_status status = source->fill(source->context, (uint8_t *)random, sizeof random);     \
        if (status == TALLY_OK) {                                                                  \
            MASKED(sbox_order##order)(q, random);                                                  \
        }                                                                                          \
        return status;                                                                             \
    }
SUB_BYTES(1, 32)
#if !defined(TALLY_MASKED_SMALL)
SUB_BYTES(2, 96)
#endif

INLINE TARGET tally_status MASKED(sub_bytes)(PLANES *q, const size_t shares,
                                             const tally_mask_source *source)
{
#if !defined(TALLY_MASKED_SMALL)
    if (shares == 3) {
        return MASKED(sub_bytes_2)(q, source);
    }
#endif
    (void)shares;
    return MASKED(sub_bytes_1)(q, source);
}

/* The inverse of the S-box's affine map (FIPS 197, section 5.3.2): bit i of the result is the sum
 * of the bits i + 2, i + 5 and i + 7 of the byte, and bit i of 0x05. */
INLINE TARGET void MASKED(inverse_affine)(PLANES *q, const size_t shares)
{
    for (size_t s = 0; s < shares; s++) {
        WORD x[8];
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

/* The S-box is S(x) = A(I(x)), where A is the affine map and I the inversion. I is its own inverse,
 * so the inverse S-box is I(A^-1(x)) = A^-1(S(A^-1(x))). */
INLINE TARGET tally_status MASKED(inverse_sub_bytes)(PLANES *q, const size_t shares,
                                                     const tally_mask_source *source)
{
    MASKED(inverse_affine)(q, shares);
    tally_status status = MASKED(sub_bytes)(q, shares, source);
    MASKED(inverse_affine)(q, shares);
    return status;
}

/* One share of a state. */
INLINE TARGET void MASKED(add_round_key)(PLANES *q, const PLANES *key)
{
    EACH_PAIR(p)
    {
        PAIR k = MASKED(load_pair)(key->plane + PAIR_PLANES * p);
        MASKED(store_pair)
        (XOR(MASKED(load_pair)(q->plane + PAIR_PLANES * p), k), q->plane + PAIR_PLANES * p);
    }
}

/* Adds 2 d: doubling moves each plane up by one, and adds the top one to planes 0, 1, 3 and 4. */
INLINE TARGET void MASKED(add_double)(PAIR q[PAIRS], const PAIR d[PAIRS])
{
#if PAIR_PLANES == 1
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
        q[p] = XOR(q[p], MASKED(middle_pair)(d[(p + 3) % 4], d[p]));
    }
    const PAIR top = MASKED(middle_pair)(d[3], d[3]); /* planes 7 and 6 */
    q[0] = XOR(q[0], MASKED(only_second)(d[3]));
    q[1] = XOR(q[1], MASKED(only_second)(d[3]));
    q[2] = XOR(q[2], MASKED(only_first)(top));
#endif
}

/* Adds 4 d. */
INLINE TARGET void MASKED(add_quadruple)(PAIR q[PAIRS], const PAIR d[PAIRS])
{
    EACH_PAIR(p)
    {
        q[p] = XOR(q[p], d[(p + PAIRS - 2 / PAIR_PLANES) % PAIRS]);
    }
#if PAIR_PLANES == 1
    q[1] = XOR(q[1], d[6]);
    q[2] = XOR(q[2], d[7]);
    q[3] = XOR(q[3], d[6]);
    q[4] = XOR(XOR(q[4], d[6]), d[7]);
    q[5] = XOR(q[5], d[7]);
#else
    const PAIR top = MASKED(middle_pair)(d[3], d[3]);
    q[0] = XOR(q[0], MASKED(only_second)(top));
    q[1] = XOR(q[1], top);
    q[2] = XOR(XOR(q[2], d[3]), MASKED(only_first)(top));
#endif
}

/* d is the sum of a row and the row below it. MixColumns makes of a row the sum of 2 d, the row
 * below, and the d of the opposite row. */
INLINE TARGET void MASKED(mix_columns)(PAIR q[PAIRS])
{
    PAIR d[PAIRS];
    EACH_PAIR(p)
    {
        PAIR below = MASKED(next_row)(q[p]);
        d[p] = XOR(q[p], below);
        q[p] = XOR(below, MASKED(opposite_row)(d[p]));
    }
    MASKED(add_double)(q, d);
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0). So add four times the sum of
 * each row and its opposite row, and then apply MixColumns. */
INLINE TARGET void MASKED(inverse_mix_columns)(PLANES *q)
{
    PAIR x[PAIRS], d[PAIRS];
    EACH_PAIR(p)
    {
        x[p] = MASKED(load_pair)(q->plane + PAIR_PLANES * p);
        d[p] = XOR(x[p], MASKED(opposite_row)(x[p]));
    }
    MASKED(add_quadruple)(x, d);
    MASKED(mix_columns)(x);
    EACH_PAIR(p)
    {
        MASKED(store_pair)(x[p], q->plane + PAIR_PLANES * p);
    }
}

/* The linear part of a round, on one share: ShiftRows, MixColumns (if `mixes`) and the round
 * key. */
INLINE TARGET void MASKED(linear_layer)(PLANES *q, const PLANES *key, const int mixes)
{
    PAIR x[PAIRS];
    EACH_PAIR(p)
    {
        x[p] = MASKED(shift_rows)(MASKED(load_pair)(q->plane + PAIR_PLANES * p));
    }
    if (mixes) {
        MASKED(mix_columns)(x);
    }
    EACH_PAIR(p)
    {
        MASKED(store_pair)
        (XOR(x[p], MASKED(load_pair)(key->plane + PAIR_PLANES * p)), q->plane + PAIR_PLANES * p);
    }
}

INLINE TARGET tally_status MASKED(encrypt)(const PLANES *key, const size_t shares, uint32_t rounds,
                                           const tally_mask_source *source, PLANES *q)
{
    for (size_t s = 0; s < shares; s++) {
        MASKED(add_round_key)(&q[s], &key[s]);
    }
    for (uint32_t round = 1;; round++) {
        key += shares;
        tally_status status = MASKED(sub_bytes)(q, shares, source);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t s = 0; s < shares; s++) {
            if (round != rounds) {
                MASKED(linear_layer)(&q[s], &key[s], 1);
            } else {
                MASKED(linear_layer)(&q[s], &key[s], 0);
            }
        }
        if (round == rounds) {
            return TALLY_OK;
        }
    }
}

INLINE TARGET tally_status MASKED(decrypt)(const PLANES *key, const size_t shares, uint32_t rounds,
                                           const tally_mask_source *source, PLANES *q)
{
    key += rounds * shares;
    for (size_t s = 0; s < shares; s++) {
        MASKED(add_round_key)(&q[s], &key[s]);
    }
    for (uint32_t round = rounds; round > 0; round--) {
        for (size_t s = 0; s < shares; s++) {
            EACH_PAIR(p)
            {
                WORD *at = q[s].plane + PAIR_PLANES * p;
                MASKED(store_pair)(MASKED(inverse_shift_rows)(MASKED(load_pair)(at)), at);
            }
        }
        tally_status status = MASKED(inverse_sub_bytes)(q, shares, source);
        if (status != TALLY_OK) {
            return status;
        }
        key -= shares;
        for (size_t s = 0; s < shares; s++) {
            MASKED(add_round_key)(&q[s], &key[s]);
            if (round != 1) {
                MASKED(inverse_mix_columns)(&q[s]);
            }
        }
    }
    return TALLY_OK;
}

/* One step of the key schedule on four columns: adds SubWord of column `from` of `others` to the
 * first column, and then to each column the one before it. */
INLINE TARGET tally_status MASKED(next_columns)(PLANES *q, const PLANES *others, size_t from,
                                                const int substitutes, const unsigned constant,
                                                const size_t shares,
                                                const tally_mask_source *source)
{
    PLANES step[TALLY_MASKED_MAX_SHARES];
    WORD added[8];
    EACH_PLANE(p)
    {
        added[p] = MASKED(first_byte)(constant >> p & 1);
    }
    for (size_t s = 0; s < shares; s++) {
        EACH_PAIR(p)
        {
            PAIR x = MASKED(load_pair)(others[s].plane + PAIR_PLANES * p);
            if (constant != 0) {
                x = MASKED(next_row)(x);
            }
            MASKED(store_pair)(x, step[s].plane + PAIR_PLANES * p);
        }
    }
    tally_status status = substitutes ? MASKED(sub_bytes)(step, shares, source) : TALLY_OK;
    for (size_t s = 0; s < shares && status == TALLY_OK; s++) {
        EACH_PAIR(p)
        {
            PAIR x = MASKED(take_column)(MASKED(load_pair)(step[s].plane + PAIR_PLANES * p), from);
            if (s == 0 && constant != 0) {
                x = XOR(x, MASKED(load_pair)(added + PAIR_PLANES * p));
            }
            x = XOR(MASKED(load_pair)(q[s].plane + PAIR_PLANES * p), x);
            x = XOR(x, MASKED(put_columns)(x, 1));
            MASKED(store_pair)(XOR(x, MASKED(put_columns)(x, 2)), q[s].plane + PAIR_PLANES * p);
        }
    }
    tally_wipe(step, shares * sizeof *step); /* all shares of a part of the key */
    return status;
}

/* Appends `count` columns, 2 or 4, to the `at` columns of the round keys so far. `at` is even. */
INLINE TARGET void MASKED(append)(PLANES *keys, size_t at, const PLANES *q, size_t count,
                                  const size_t shares)
{
    PLANES *key = keys + at / 4 * shares;
    for (size_t s = 0; s < shares; s++) {
        EACH_PAIR(p)
        {
            const PAIR x = MASKED(load_pair)(q[s].plane + PAIR_PLANES * p);
            WORD *to = key[s].plane + PAIR_PLANES * p;
            if (at % 4 == 0) {
                MASKED(store_pair)(x, to);
                continue;
            }
            MASKED(store_pair)
            (XOR(MASKED(take_columns)(MASKED(load_pair)(to), 0), MASKED(put_columns)(x, 2)), to);
            if (count == 4) {
                MASKED(store_pair)
                (MASKED(take_columns)(x, 2), key[shares + s].plane + PAIR_PLANES * p);
            }
        }
    }
}

/* FIPS 197, section 5.2. Columns are computed in groups as long as the key: first four columns of a
 * group, and then its remaining ones. */
INLINE TARGET tally_status MASKED(expand)(const PLANES *states, size_t key_size,
                                          const size_t shares, const tally_mask_source *source,
                                          PLANES *keys)
{
    const size_t more = key_size / 4 - 4, end = key_size + 28;
    PLANES first[TALLY_MASKED_MAX_SHARES], second[TALLY_MASKED_MAX_SHARES];
    tally_status status = TALLY_OK;
    unsigned constant = 1;
    memcpy(first, states, shares * sizeof *first);
    MASKED(append)(keys, 0, first, 4, shares);
    if (more != 0) {
        memcpy(second, states + shares, shares * sizeof *second);
        MASKED(append)(keys, 4, second, more, shares);
    }
    for (size_t at = key_size / 4; at < end && status == TALLY_OK;) {
        status = MASKED(next_columns)(first, more != 0 ? second : first, more != 0 ? more - 1 : 3,
                                      1, constant, shares, source);
        constant = constant << 1 ^ (constant >> 7) * 0x11b;
        MASKED(append)(keys, at, first, 4, shares);
        at += 4;
        if (status == TALLY_OK && more != 0 && at < end) {
            status = MASKED(next_columns)(second, first, 3, more == 4, 0, shares, source);
            MASKED(append)(keys, at, second, more, shares);
            at += more;
        }
    }
    tally_wipe(first, sizeof first);
    tally_wipe(second, sizeof second);
    return status;
}

INLINE TARGET void MASKED(slice)(const uint8_t *const share[], const size_t shares, size_t blocks,
                                 PLANES *q)
{
    uint8_t some[8 * sizeof(WORD)] = {0};
    for (size_t s = 0; s < shares; s++) {
        if (16 * blocks == sizeof some) {
            MASKED(load_planes)(share[s], q[s].plane);
            continue;
        }
        memcpy(some, share[s], 16 * blocks);
        MASKED(load_planes)(some, q[s].plane);
    }
    tally_wipe(some, 16 * blocks == sizeof some ? 0 : sizeof some);
}

INLINE TARGET void MASKED(unslice)(const PLANES *q, const size_t shares, size_t blocks,
                                   uint8_t *const share[])
{
    uint8_t some[8 * sizeof(WORD)];
    for (size_t s = 0; s < shares; s++) {
        PLANES own = q[s];
        if (16 * blocks == sizeof some) {
            MASKED(store_planes)(own.plane, share[s]);
            continue;
        }
        MASKED(store_planes)(own.plane, some);
        memcpy(share[s], some, 16 * blocks);
    }
    tally_wipe(some, 16 * blocks == sizeof some ? 0 : sizeof some);
}

#define FOR_SHARES(n)                                                                              \
    static inline TARGET void MASKED(slice_##n)(const uint8_t *const shares[], size_t blocks,      \
                                                void *state)                                       \
    {                                                                                              \
        MASKED(slice)(shares, n, blocks, state);                                                   \
    }                                                                                              \
    static inline TARGET void MASKED(unslice_##n)(const void *state, size_t blocks,                \
                                                  uint8_t *const shares[])                         \
    {                                                                                              \
        MASKED(unslice)(state, n, blocks, shares);                                                 \
    }                                                                                              \
    static inline TARGET tally_status MASKED(expand_##n)(                                          \
        const void *states, size_t key_size, const tally_mask_source *source, void *round_keys)    \
    {                                                                                              \
        return MASKED(expand)(states, key_size, n, source, round_keys);                            \
    }                                                                                              \
    static inline TARGET tally_status MASKED(encrypt_##n)(                                         \
        const void *round_keys, uint32_t rounds, const tally_mask_source *source, void *state)     \
    {                                                                                              \
        return MASKED(encrypt)(round_keys, n, rounds, source, state);                              \
    }                                                                                              \
    static inline TARGET tally_status MASKED(decrypt_##n)(                                         \
        const void *round_keys, uint32_t rounds, const tally_mask_source *source, void *state)     \
    {                                                                                              \
        return MASKED(decrypt)(round_keys, n, rounds, source, state);                              \
    }
FOR_SHARES(2)
#if !defined(TALLY_MASKED_SMALL)
FOR_SHARES(3)
#endif
#undef FOR_SHARES

/* Of words_c99.h. */
#undef AND
#undef NARROW
#undef COLUMN_BITS
#undef ROW_BITS
#undef ROW
#undef ROWS
#undef EVERY_ROW
/* Of words_vector.h. */
#undef UNITS
#undef REGISTER
#undef TERNARY
#undef UNIT
#undef EACH_UNIT
#undef ORDER
/* Of both, and of this body. MASKED is undefined by the including file. */
#undef EACH_PLANE
#undef EACH_PAIR
#undef SUB_BYTES
#undef PLANES
#undef PAIRS
#undef BITS
#undef TARGET
#undef WORD
#undef PAIR
#undef PAIR_PLANES
#undef XOR
#undef NOT
#undef XOR_AND
#undef INLINE
#undef APART
#undef OPAQUE
#undef UNROLL
