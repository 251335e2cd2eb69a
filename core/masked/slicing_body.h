/* SPDX-License-Identifier: Apache-2.0
 *
 * AES on shares for words of one size. The including file defines MASKED(name), the name with the
 * prefix of the file, and MASKED_BITS, and then includes words_c99.h or words_vector.h, which have
 * the operations on words. This body undefines all their macros, and its own.
 *
 * A state is an array of MASKED_PLANES, one for each share. Plane p of a share holds bit p of every
 * byte. Linear functions take one share after the other. Constants are added to share 0 alone. */
typedef struct MASKED(planes) {
    MASKED_WORD plane[8];
} MASKED(planes);

#define MASKED_PLANES MASKED(planes)
#define MASKED_PAIRS  (8 / MASKED_PAIR_PLANES)

#include "masked/sbox_order1.h"
#if !defined(TALLY_MASKED_SMALL)
#include "masked/sbox_order2.h"
#endif

#define MASKED_EACH_PLANE(p) MASKED_UNROLL for (size_t p = 0; p < 8; p++)
#define MASKED_EACH_PAIR(p)  MASKED_UNROLL for (size_t p = 0; p < MASKED_PAIRS; p++)

#if MASKED_PAIR_PLANES == 1
MASKED_INLINE MASKED_TARGET MASKED_PAIR MASKED(load_pair)(const MASKED_WORD *from)
{
    return *from;
}

MASKED_INLINE MASKED_TARGET void MASKED(store_pair)(MASKED_PAIR x, MASKED_WORD *to)
{
    *to = x;
}
#endif

/* One function for each order, so that two shares need less stack than three. */
#define MASKED_SUB_BYTES(order, randoms)                                                           \
    MASKED_INLINE MASKED_TARGET tally_status MASKED(sub_bytes_##order)(                            \
        MASKED_PLANES * q, const tally_mask_source *source)                                        \
    {                                                                                              \
        MASKED_WORD random[randoms];                                                               \
        tally_status status = source->fill(source->context, (uint8_t *)random, sizeof random);     \
        if (status == TALLY_OK) {                                                                  \
            MASKED(sbox_order##order)(q, random);                                                  \
        }                                                                                          \
        return status;                                                                             \
    }
MASKED_SUB_BYTES(1, 32)
#if !defined(TALLY_MASKED_SMALL)
MASKED_SUB_BYTES(2, 96)
#endif

MASKED_INLINE MASKED_TARGET tally_status MASKED(sub_bytes)(MASKED_PLANES *q, const size_t shares,
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
MASKED_INLINE MASKED_TARGET void MASKED(inverse_affine)(MASKED_PLANES *q, const size_t shares)
{
    for (size_t s = 0; s < shares; s++) {
        MASKED_WORD x[8];
        MASKED_EACH_PLANE(p)
        {
            x[p] = q[s].plane[p];
        }
        MASKED_EACH_PLANE(p)
        {
            q[s].plane[p] = MASKED_XOR(MASKED_XOR(x[(p + 2) % 8], x[(p + 5) % 8]), x[(p + 7) % 8]);
        }
    }
    q[0].plane[0] = MASKED_NOT(q[0].plane[0]);
    q[0].plane[2] = MASKED_NOT(q[0].plane[2]);
}

/* The S-box is S(x) = A(I(x)), where A is the affine map and I the inversion. I is its own inverse,
 * so the inverse S-box is I(A^-1(x)) = A^-1(S(A^-1(x))). */
MASKED_INLINE MASKED_TARGET tally_status MASKED(inverse_sub_bytes)(MASKED_PLANES *q,
                                                                   const size_t shares,
                                                                   const tally_mask_source *source)
{
    MASKED(inverse_affine)(q, shares);
    tally_status status = MASKED(sub_bytes)(q, shares, source);
    MASKED(inverse_affine)(q, shares);
    return status;
}

/* One share of a state. */
MASKED_INLINE MASKED_TARGET void MASKED(add_round_key)(MASKED_PLANES *q, const MASKED_PLANES *key)
{
    MASKED_EACH_PAIR(p)
    {
        MASKED_PAIR k = MASKED(load_pair)(key->plane + MASKED_PAIR_PLANES * p);
        MASKED(store_pair)
        (MASKED_XOR(MASKED(load_pair)(q->plane + MASKED_PAIR_PLANES * p), k),
         q->plane + MASKED_PAIR_PLANES * p);
    }
}

/* Adds 2 d: doubling moves each plane up by one, and adds the top one to planes 0, 1, 3 and 4. */
MASKED_INLINE MASKED_TARGET void MASKED(add_double)(MASKED_PAIR q[MASKED_PAIRS],
                                                    const MASKED_PAIR d[MASKED_PAIRS])
{
#if MASKED_PAIR_PLANES == 1
    MASKED_EACH_PAIR(p)
    {
        q[p] = MASKED_XOR(q[p], d[(p + 7) % 8]);
    }
    q[1] = MASKED_XOR(q[1], d[7]);
    q[3] = MASKED_XOR(q[3], d[7]);
    q[4] = MASKED_XOR(q[4], d[7]);
#else
    MASKED_EACH_PAIR(p)
    {
        q[p] = MASKED_XOR(q[p], MASKED(middle_pair)(d[(p + 3) % 4], d[p]));
    }
    const MASKED_PAIR top = MASKED(middle_pair)(d[3], d[3]); /* planes 7 and 6 */
    q[0] = MASKED_XOR(q[0], MASKED(only_second)(d[3]));
    q[1] = MASKED_XOR(q[1], MASKED(only_second)(d[3]));
    q[2] = MASKED_XOR(q[2], MASKED(only_first)(top));
#endif
}

/* Adds 4 d. */
MASKED_INLINE MASKED_TARGET void MASKED(add_quadruple)(MASKED_PAIR q[MASKED_PAIRS],
                                                       const MASKED_PAIR d[MASKED_PAIRS])
{
    MASKED_EACH_PAIR(p)
    {
        q[p] = MASKED_XOR(q[p], d[(p + MASKED_PAIRS - 2 / MASKED_PAIR_PLANES) % MASKED_PAIRS]);
    }
#if MASKED_PAIR_PLANES == 1
    q[1] = MASKED_XOR(q[1], d[6]);
    q[2] = MASKED_XOR(q[2], d[7]);
    q[3] = MASKED_XOR(q[3], d[6]);
    q[4] = MASKED_XOR(MASKED_XOR(q[4], d[6]), d[7]);
    q[5] = MASKED_XOR(q[5], d[7]);
#else
    const MASKED_PAIR top = MASKED(middle_pair)(d[3], d[3]);
    q[0] = MASKED_XOR(q[0], MASKED(only_second)(top));
    q[1] = MASKED_XOR(q[1], top);
    q[2] = MASKED_XOR(MASKED_XOR(q[2], d[3]), MASKED(only_first)(top));
#endif
}

/* d is the sum of a row and the row below it. MixColumns makes of a row the sum of 2 d, the row
 * below, and the d of the opposite row. */
MASKED_INLINE MASKED_TARGET void MASKED(mix_columns)(MASKED_PAIR q[MASKED_PAIRS])
{
    MASKED_PAIR d[MASKED_PAIRS];
    MASKED_EACH_PAIR(p)
    {
        MASKED_PAIR below = MASKED(next_row)(q[p]);
        d[p] = MASKED_XOR(q[p], below);
        q[p] = MASKED_XOR(below, MASKED(opposite_row)(d[p]));
    }
    MASKED(add_double)(q, d);
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0). So add four times the sum of
 * each row and its opposite row, and then apply MixColumns. */
MASKED_INLINE MASKED_TARGET void MASKED(inverse_mix_columns)(MASKED_PLANES *q)
{
    MASKED_PAIR x[MASKED_PAIRS], d[MASKED_PAIRS];
    MASKED_EACH_PAIR(p)
    {
        x[p] = MASKED(load_pair)(q->plane + MASKED_PAIR_PLANES * p);
        d[p] = MASKED_XOR(x[p], MASKED(opposite_row)(x[p]));
    }
    MASKED(add_quadruple)(x, d);
    MASKED(mix_columns)(x);
    MASKED_EACH_PAIR(p)
    {
        MASKED(store_pair)(x[p], q->plane + MASKED_PAIR_PLANES * p);
    }
}

/* The linear part of a round, on one share: ShiftRows, MixColumns (if `mixes`) and the round
 * key. */
MASKED_INLINE MASKED_TARGET void MASKED(linear_layer)(MASKED_PLANES *q, const MASKED_PLANES *key,
                                                      const int mixes)
{
    MASKED_PAIR x[MASKED_PAIRS];
    MASKED_EACH_PAIR(p)
    {
        x[p] = MASKED(shift_rows)(MASKED(load_pair)(q->plane + MASKED_PAIR_PLANES * p));
    }
    if (mixes) {
        MASKED(mix_columns)(x);
    }
    MASKED_EACH_PAIR(p)
    {
        MASKED(store_pair)
        (MASKED_XOR(x[p], MASKED(load_pair)(key->plane + MASKED_PAIR_PLANES * p)),
         q->plane + MASKED_PAIR_PLANES * p);
    }
}

MASKED_INLINE MASKED_TARGET tally_status MASKED(encrypt)(const MASKED_PLANES *key,
                                                         const size_t shares, uint32_t rounds,
                                                         const tally_mask_source *source,
                                                         MASKED_PLANES *q)
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

MASKED_INLINE MASKED_TARGET tally_status MASKED(decrypt)(const MASKED_PLANES *key,
                                                         const size_t shares, uint32_t rounds,
                                                         const tally_mask_source *source,
                                                         MASKED_PLANES *q)
{
    key += rounds * shares;
    for (size_t s = 0; s < shares; s++) {
        MASKED(add_round_key)(&q[s], &key[s]);
    }
    for (uint32_t round = rounds; round > 0; round--) {
        for (size_t s = 0; s < shares; s++) {
            MASKED_EACH_PAIR(p)
            {
                MASKED_WORD *at = q[s].plane + MASKED_PAIR_PLANES * p;
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
MASKED_INLINE MASKED_TARGET tally_status MASKED(next_columns)(
    MASKED_PLANES *q, const MASKED_PLANES *others, size_t from, const int substitutes,
    const unsigned constant, const size_t shares, const tally_mask_source *source)
{
    MASKED_PLANES step[TALLY_MASKED_MAX_SHARES];
    MASKED_WORD added[8];
    MASKED_EACH_PLANE(p)
    {
        added[p] = MASKED(first_byte)(constant >> p & 1);
    }
    for (size_t s = 0; s < shares; s++) {
        MASKED_EACH_PAIR(p)
        {
            MASKED_PAIR x = MASKED(load_pair)(others[s].plane + MASKED_PAIR_PLANES * p);
            if (constant != 0) {
                x = MASKED(next_row)(x);
            }
            MASKED(store_pair)(x, step[s].plane + MASKED_PAIR_PLANES * p);
        }
    }
    tally_status status = substitutes ? MASKED(sub_bytes)(step, shares, source) : TALLY_OK;
    for (size_t s = 0; s < shares && status == TALLY_OK; s++) {
        MASKED_EACH_PAIR(p)
        {
            MASKED_PAIR x = MASKED(take_column)(
                MASKED(load_pair)(step[s].plane + MASKED_PAIR_PLANES * p), from);
            if (s == 0 && constant != 0) {
                x = MASKED_XOR(x, MASKED(load_pair)(added + MASKED_PAIR_PLANES * p));
            }
            x = MASKED_XOR(MASKED(load_pair)(q[s].plane + MASKED_PAIR_PLANES * p), x);
            x = MASKED_XOR(x, MASKED(put_columns)(x, 1));
            MASKED(store_pair)
            (MASKED_XOR(x, MASKED(put_columns)(x, 2)), q[s].plane + MASKED_PAIR_PLANES * p);
        }
    }
    tally_wipe(step, shares * sizeof *step); /* all shares of a part of the key */
    return status;
}

/* Appends `count` columns, 2 or 4, to the `at` columns of the round keys so far. `at` is even. */
MASKED_INLINE MASKED_TARGET void MASKED(append)(MASKED_PLANES *keys, size_t at,
                                                const MASKED_PLANES *q, size_t count,
                                                const size_t shares)
{
    MASKED_PLANES *key = keys + at / 4 * shares;
    for (size_t s = 0; s < shares; s++) {
        MASKED_EACH_PAIR(p)
        {
            const MASKED_PAIR x = MASKED(load_pair)(q[s].plane + MASKED_PAIR_PLANES * p);
            MASKED_WORD *to = key[s].plane + MASKED_PAIR_PLANES * p;
            if (at % 4 == 0) {
                MASKED(store_pair)(x, to);
                continue;
            }
            MASKED(store_pair)
            (MASKED_XOR(MASKED(take_columns)(MASKED(load_pair)(to), 0), MASKED(put_columns)(x, 2)),
             to);
            if (count == 4) {
                MASKED(store_pair)
                (MASKED(take_columns)(x, 2), key[shares + s].plane + MASKED_PAIR_PLANES * p);
            }
        }
    }
}

/* FIPS 197, section 5.2. Columns are computed in groups as long as the key: first four columns of a
 * group, and then its remaining ones. */
MASKED_INLINE MASKED_TARGET tally_status MASKED(expand)(const MASKED_PLANES *states,
                                                        size_t key_size, const size_t shares,
                                                        const tally_mask_source *source,
                                                        MASKED_PLANES *keys)
{
    const size_t more = key_size / 4 - 4, end = key_size + 28;
    MASKED_PLANES first[TALLY_MASKED_MAX_SHARES], second[TALLY_MASKED_MAX_SHARES];
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

MASKED_INLINE MASKED_TARGET void MASKED(slice)(const uint8_t *const share[], const size_t shares,
                                               size_t blocks, MASKED_PLANES *q)
{
    uint8_t some[8 * sizeof(MASKED_WORD)] = {0};
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

MASKED_INLINE MASKED_TARGET void MASKED(unslice)(const MASKED_PLANES *q, const size_t shares,
                                                 size_t blocks, uint8_t *const share[])
{
    uint8_t some[8 * sizeof(MASKED_WORD)];
    for (size_t s = 0; s < shares; s++) {
        MASKED_PLANES own = q[s];
        if (16 * blocks == sizeof some) {
            MASKED(store_planes)(own.plane, share[s]);
            continue;
        }
        MASKED(store_planes)(own.plane, some);
        memcpy(share[s], some, 16 * blocks);
    }
    tally_wipe(some, 16 * blocks == sizeof some ? 0 : sizeof some);
}

#define MASKED_FOR_SHARES(n)                                                                       \
    static inline MASKED_TARGET void MASKED(slice_##n)(const uint8_t *const shares[],              \
                                                       size_t blocks, void *state)                 \
    {                                                                                              \
        MASKED(slice)(shares, n, blocks, state);                                                   \
    }                                                                                              \
    static inline MASKED_TARGET void MASKED(unslice_##n)(const void *state, size_t blocks,         \
                                                         uint8_t *const shares[])                  \
    {                                                                                              \
        MASKED(unslice)(state, n, blocks, shares);                                                 \
    }                                                                                              \
    static inline MASKED_TARGET tally_status MASKED(expand_##n)(                                   \
        const void *states, size_t key_size, const tally_mask_source *source, void *round_keys)    \
    {                                                                                              \
        return MASKED(expand)(states, key_size, n, source, round_keys);                            \
    }                                                                                              \
    static inline MASKED_TARGET tally_status MASKED(encrypt_##n)(                                  \
        const void *round_keys, uint32_t rounds, const tally_mask_source *source, void *state)     \
    {                                                                                              \
        return MASKED(encrypt)(round_keys, n, rounds, source, state);                              \
    }                                                                                              \
    static inline MASKED_TARGET tally_status MASKED(decrypt_##n)(                                  \
        const void *round_keys, uint32_t rounds, const tally_mask_source *source, void *state)     \
    {                                                                                              \
        return MASKED(decrypt)(round_keys, n, rounds, source, state);                              \
    }
MASKED_FOR_SHARES(2)
#if !defined(TALLY_MASKED_SMALL)
MASKED_FOR_SHARES(3)
#endif
#undef MASKED_FOR_SHARES

/* Of words_c99.h. */
#undef MASKED_AND
#undef MASKED_NARROW
#undef MASKED_COLUMN_BITS
#undef MASKED_ROW_BITS
#undef MASKED_ROW
#undef MASKED_ROWS
#undef MASKED_EVERY_ROW
/* Of words_vector.h. */
#undef MASKED_UNITS
#undef MASKED_REGISTER
#undef MASKED_TERNARY
#undef MASKED_UNIT
#undef MASKED_EACH_UNIT
#undef MASKED_ORDER
/* Of both, and of this body. MASKED is undefined by the including file. */
#undef MASKED_EACH_PLANE
#undef MASKED_EACH_PAIR
#undef MASKED_SUB_BYTES
#undef MASKED_PLANES
#undef MASKED_PAIRS
#undef MASKED_BITS
#undef MASKED_TARGET
#undef MASKED_WORD
#undef MASKED_PAIR
#undef MASKED_PAIR_PLANES
#undef MASKED_XOR
#undef MASKED_NOT
#undef MASKED_XOR_AND
#undef MASKED_INLINE
#undef MASKED_APART
#undef MASKED_OPAQUE
#undef MASKED_UNROLL
