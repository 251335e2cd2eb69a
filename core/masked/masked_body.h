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

enum { SHARES = TALLY_MASKED_MAX_SHARES, MOST_RANDOMS = 96 };

#define EACH_PLANE(p) UNROLL for (size_t p = 0; p < 8; p++)

INLINE TARGET tally_status sub_bytes(planes *q, const size_t shares,
                                     const tally_mask_source *source)
{
    word random[MOST_RANDOMS];
    const size_t size = tally_masked_sbox_randoms(shares) * sizeof(word);
    tally_status status = source->fill(source->context, (uint8_t *)random, size);
    if (status == TALLY_OK) {
        shares == 2 ? sbox_order1(q, random) : sbox_order2(q, random);
    }
    return status;
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

INLINE TARGET void add_round_key(planes *q, const planes *key, const size_t shares)
{
    for (size_t s = 0; s < shares; s++) {
        EACH_PLANE(p)
        {
            q[s].plane[p] = XOR(q[s].plane[p], key[s].plane[p]);
        }
    }
}

/* With d = a xor the row below it, a row becomes 2 d, plus the row below, plus the d of the opposite
 * row. Doubling moves each plane up by one, and adds the top one to planes 0, 1, 3 and 4. */
INLINE TARGET void mix_columns(word q[8])
{
    word below[8], d[8];
    EACH_PLANE(p)
    {
        below[p] = next_row(q[p]);
        d[p] = XOR(q[p], below[p]);
    }
    EACH_PLANE(p)
    {
        q[p] = XOR(XOR(below[p], opposite_row(d[p])), d[(p + 7) % 8]);
    }
    q[1] = XOR(q[1], d[7]);
    q[3] = XOR(q[3], d[7]);
    q[4] = XOR(q[4], d[7]);
}

/* The inverse matrix is that of MixColumns times circ(5, 0, 4, 0): so add four times the sum of a row
 * and its opposite, then mix. */
INLINE TARGET void inverse_mix_columns(word q[8])
{
    word d[8];
    EACH_PLANE(p)
    {
        d[p] = XOR(q[p], opposite_row(q[p]));
    }
    const word top = XOR(d[6], d[7]);
    q[0] = XOR(q[0], d[6]);
    q[1] = XOR(q[1], top);
    q[2] = XOR(XOR(q[2], d[0]), d[7]);
    q[3] = XOR(XOR(q[3], d[1]), d[6]);
    q[4] = XOR(XOR(q[4], d[2]), top);
    q[5] = XOR(XOR(q[5], d[3]), d[7]);
    q[6] = XOR(q[6], d[4]);
    q[7] = XOR(q[7], d[5]);
    mix_columns(q);
}

INLINE TARGET tally_status encrypt(const planes *key, const size_t shares, uint32_t rounds,
                                   const tally_mask_source *source, planes *q)
{
    add_round_key(q, key, shares);
    for (uint32_t round = 1;; round++) {
        key += shares;
        tally_status status = sub_bytes(q, shares, source);
        if (status != TALLY_OK) {
            return status;
        }
        for (size_t s = 0; s < shares; s++) {
            EACH_PLANE(p)
            {
                q[s].plane[p] = shift_rows(q[s].plane[p]);
            }
            if (round != rounds) {
                mix_columns(q[s].plane);
            }
        }
        add_round_key(q, key, shares);
        if (round == rounds) {
            return TALLY_OK;
        }
    }
}

INLINE TARGET tally_status decrypt(const planes *key, const size_t shares, uint32_t rounds,
                                   const tally_mask_source *source, planes *q)
{
    key += rounds * shares;
    add_round_key(q, key, shares);
    for (uint32_t round = rounds; round > 0; round--) {
        for (size_t s = 0; s < shares; s++) {
            EACH_PLANE(p)
            {
                q[s].plane[p] = inverse_shift_rows(q[s].plane[p]);
            }
        }
        tally_status status = inverse_sub_bytes(q, shares, source);
        if (status != TALLY_OK) {
            return status;
        }
        key -= shares;
        add_round_key(q, key, shares);
        for (size_t s = 0; s < shares && round != 1; s++) {
            inverse_mix_columns(q[s].plane);
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
    for (size_t s = 0; s < shares; s++) {
        EACH_PLANE(p)
        {
            word x = others[s].plane[p];
            if (constant != 0) {
                x = next_row(x);
            }
            step[s].plane[p] = x;
        }
    }
    tally_status status = substitutes ? sub_bytes(step, shares, source) : TALLY_OK;
    for (size_t s = 0; s < shares && status == TALLY_OK; s++) {
        EACH_PLANE(p)
        {
            word x = take_column(step[s].plane[p], from);
            if (s == 0 && constant != 0) {
                x = XOR(x, first_byte(constant >> p & 1));
            }
            x = XOR(q[s].plane[p], x);
            x = XOR(x, put_columns(x, 1));
            q[s].plane[p] = XOR(x, put_columns(x, 2));
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
        EACH_PLANE(p)
        {
            word x = q[s].plane[p];
            if (at % 4 == 0) {
                key[s].plane[p] = x;
                continue;
            }
            key[s].plane[p] = XOR(take_columns(key[s].plane[p], 0), put_columns(x, 2));
            if (count == 4) {
                key[shares + s].plane[p] = take_columns(x, 2);
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

#define SLICING(n, needs)                                                                          \
    {                                                                                              \
        .bits = TALLY_SLICE_BITS, .shares = n, .features = needs, .slice = slice_##n,              \
        .unslice = unslice_##n, .expand = expand_##n, .encrypt = encrypt_##n,                      \
        .decrypt = decrypt_##n                                                                     \
    }
