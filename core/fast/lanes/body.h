/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers on lanes, for any instruction set. A back end includes this file once. Before, it
 * defines these macros:
 *
 *   LANES(name)                       the name with the back end's prefix
 *   LANES_TARGET                      the function attribute of its instruction set
 *   LANES_LAYOUTS(do)                 do(name) for each value of LANES(layout)
 *   LANES_ZERO, LANES_BROADCAST(byte) vectors: zero, and a byte in every lane
 *   LANES_ADD(x, y), LANES_SUB(x, y), LANES_MIN(x, y)
 *                                     lane by lane, on unsigned bytes
 *   LANES_ADD_IF_LESS(d, x, y, a)     d, plus a in the lanes where x < y
 *   LANES_REDUCE_LAZY(how, x, reducer)
 *                                     reduces an unreduced difference by load_reducer's vector
 *   LANES_HAS_RECENT(how)             whether recent symbols stay in registers (see below)
 *   LANES_TOGETHER(how, groups)       how many groups are unrolled in a layer; if it is not defined,
 *                                     all
 *
 * and these types and functions, all named by LANES():
 *
 *   vec, table                        a vector of bytes; an S-box in registers, or where it lies
 *   layout                            the layouts of a table, an enum; `how` is one of them
 *   layout_of(radix)
 *   load_table(how, bytes)
 *   look_up_sum(how, table, index), look_up_difference(how, table, index)
 *   index_reduction(how), result_reduction(how)
 *   is_lazy(how)                      whether decryption may leave differences unreduced
 *   lazy_rounds(how, radix)           in so many rounds in a row; SIZE_MAX: in any number
 *   load_reducer(how, job)
 *
 * Every function here is inlined with a constant layout and a constant number of groups. */

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(add_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    if (reduction == LANES_REDUCE_COMPARE) { /* sums exceed a byte */
        LANES(vec) less = LANES_SUB(radix, y);
        return LANES_ADD_IF_LESS(LANES_SUB(x, less), x, less, radix);
    }
    LANES(vec) sum = LANES_ADD(x, y);
    return reduction == LANES_REDUCE_NONE ? sum : LANES_MIN(sum, LANES_SUB(sum, radix));
}

TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_mod)(lanes_reduction reduction, LANES(vec) x, LANES(vec) y, LANES(vec) radix)
{
    LANES(vec) difference = LANES_SUB(x, y);
    if (reduction == LANES_REDUCE_COMPARE) {
        return LANES_ADD_IF_LESS(difference, x, y, radix);
    }
    return reduction == LANES_REDUCE_NONE ? difference
                                          : LANES_MIN(difference, LANES_ADD(difference, radix));
}

/* (x - y) mod a, where x is a table's entry and y a symbol that may be unreduced. */
TALLY_INLINE LANES_TARGET LANES(vec)
    LANES(sub_result)(LANES(layout) how, LANES(vec) x, LANES(vec) y, LANES(vec) radix,
                      LANES(vec) reducer)
{
    if (!LANES(is_lazy)(how)) {
        return LANES(sub_mod)(LANES(result_reduction)(how), x, y, radix);
    }
    return LANES_REDUCE_LAZY(how, LANES_SUB(x, y), reducer);
}

#if !defined(LANES_TOGETHER)
#define LANES_TOGETHER(how, groups) (groups)
#endif

/* Prefetches a round's part of the memory that comes next: all of it at once would make a core wait. */
TALLY_INLINE void LANES(prefetch)(const tally_fast_lane_job *job, size_t round)
{
#if defined(__GNUC__)
    const tally_fast_prefetch *const next = job->next;
    if (next == NULL) {
        return;
    }
    const size_t first = round * job->each, left = first < next->size ? next->size - first : 0,
                 end = first + (left < job->each ? left : job->each);
    for (size_t at = first; at < end; at += 64) {
        if (next->read != next->written) {
            __builtin_prefetch(next->read + at);
        }
        __builtin_prefetch(next->written + at, 1);
    }
#else
    (void)job, (void)round;
#endif
}

/* A layer replaces the symbol at one position, p. It reads the symbols at p, p + w and p - w', all
 * modulo the length. The three positions advance together, in runs that end where one wraps. */
TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int subtracts = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = 0, p_plus = job->w, p_minus = length - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t done = 0, round = 0; done < job->count;) {
        size_t run = length - p;
        if (p == 0) {
            LANES(prefetch)(job, round++);
        }
        run = length - p_plus < run ? length - p_plus : run;
        run = length - p_minus < run ? length - p_minus : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        const uint8_t *index = job->indices + done, *const stop = index + run;
        for (; index != stop; index++, x += groups, xw += groups, y += groups) {
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) sum = LANES(add_mod)(reduction, x[g], y[g], radix);
                    LANES(vec) t = LANES(look_up_sum)(how, s, sum);
                    LANES(vec) less = subtracts ? xw[g] : LANES_ZERO;
                    LANES(vec) difference = LANES(sub_mod)(reduction, t, less, radix);
                    x[g] = LANES(look_up_difference)(how, s, difference);
                }
            }
        }
        done += run;
        p = p + run == length ? 0 : p + run;
        p_plus = p_plus + run == length ? 0 : p_plus + run;
        p_minus = p_minus + run == length ? 0 : p_minus + run;
    }
}

/* A layer reads a symbol that was stored w' layers before (encryption) or w layers before
 * (decryption). A load soon after its store is slow. So if the distance is small, the symbols of so
 * many recent layers stay in registers, in a circular buffer: layer j modulo the distance owns
 * recent[j]. The layers of a buffer are a macro, because a loop would keep the buffer in memory. */
enum { LANES(MAX_DISTANCE) = 5 };

#define LANES_EACH_RECENT(LAYER)                                                                   \
    LAYER(0)                                                                                       \
    LAYER(1)                                                                                       \
    LAYER(2)                                                                                       \
    LAYER(3)                                                                                       \
    LAYER(4)

TALLY_INLINE LANES_TARGET void
LANES(encrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *index)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state, *x = state;
    LANES(vec) *const end = state + job->length * groups;
    const LANES(vec) *xw = state + job->w * groups;
    const uint8_t *const tables = job->tables, *const stop = index + job->length;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (end - (distance - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) sum = LANES(add_mod)(reduction, x[g], recent[j][g], radix);                 \
            LANES(vec) t = LANES(look_up_sum)(how, s, sum);                                        \
            LANES(vec) difference = LANES(sub_mod)(reduction, t, xw[g], radix);                    \
            recent[j][g] = LANES(look_up_difference)(how, s, difference);                          \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x += groups;                                                                               \
        xw = xw + groups == end ? state : xw + groups;                                             \
        if (++index == stop) {                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

TALLY_INLINE LANES_TARGET void LANES(encrypt_rounds_recent)(const tally_fast_lane_job *job,
                                                            const LANES(layout) how,
                                                            const int per_group,
                                                            const size_t distance)
{
    for (size_t done = 0, round = 0; done < job->count; done += job->length) {
        LANES(prefetch)(job, round++);
        LANES(encrypt_round_recent)(job, how, per_group, distance, job->indices + done);
    }
}

/* One round of decryption. If `reduced` is 0, its results are congruent to the symbols modulo a,
 * but lie outside 0..a-1; the tables have entries for them. */
TALLY_INLINE LANES_TARGET void LANES(decrypt_round)(const tally_fast_lane_job *job,
                                                    const LANES(layout) how, const size_t groups,
                                                    const int per_group, const uint8_t *indices,
                                                    const LANES(vec) reducer, const int reduced)
{
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    const size_t length = job->length;
    const int adds = job->w != 0;
    const size_t together = LANES_TOGETHER(how, groups);
    size_t p = length - 1, p_plus = job->w != 0 ? job->w - 1 : length - 1;
    size_t p_minus = length - 1 - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    LANES(vec) *const state = (LANES(vec) *)job->state;
    for (size_t left = length; left > 0;) {
        size_t run = left;
        run = p_plus + 1 < run ? p_plus + 1 : run;
        run = p_minus + 1 < run ? p_minus + 1 : run;
        LANES(vec) *x = state + p * groups;
        const LANES(vec) *xw = state + p_plus * groups, *y = state + p_minus * groups;
        for (size_t i = 0; i < run; i++, x -= groups, xw -= groups, y -= groups) {
            const uint8_t *index = indices + --left;
            LANES(table) s = LANES(load_table)(how, tables + *index * stride);
            for (size_t from = 0; from < groups; from += together) {
                TALLY_UNROLL(16)
                for (size_t k = 0; k < together; k++) {
                    const size_t g = from + k;
                    if (per_group) {
                        const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;
                        s = LANES(load_table)(how, own);
                    }
                    LANES(vec) more = adds ? xw[g] : LANES_ZERO;
                    LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);
                    LANES(vec)
                    first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, more, radix));
                    x[g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)
                                   : LANES_SUB(first, y[g]);
                }
            }
        }
        p -= run;
        p_plus = p_plus + 1 == run ? length - 1 : p_plus - run;
        p_minus = p_minus + 1 == run ? length - 1 : p_minus - run;
    }
}

TALLY_INLINE LANES_TARGET void
LANES(decrypt_round_recent)(const tally_fast_lane_job *job, const LANES(layout) how,
                            const int per_group, const size_t distance, const uint8_t *indices,
                            const LANES(vec) reducer, const int reduced)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const LANES(vec) radix = LANES_BROADCAST(job->radix);
    const lanes_reduction reduction = LANES(index_reduction)(how);
    LANES(vec) recent[LANES(MAX_DISTANCE)][TALLY_FAST_GROUPS];
    LANES(vec) *const state = (LANES(vec) *)job->state;
    LANES(vec) *const last = state + (job->length - 1) * groups, *x = last;
    const LANES(vec) *y = last - job->w_prime * groups;
    const uint8_t *const tables = job->tables, *index = indices + job->length - 1;
    const size_t stride = job->stride;
    TALLY_UNROLL(16)
    for (size_t j = 0; j < distance; j++) {
        TALLY_UNROLL(16)
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (state + (distance - 1 - j) * groups)[g];
        }
    }
    for (;;) {
#define LANES_LAYER(j)                                                                             \
    if (j < distance) {                                                                            \
        LANES(table) s = LANES(load_table)(how, tables + *index * stride);                         \
        TALLY_UNROLL(16)                                                                           \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (per_group) {                                                                       \
                const uint8_t *own = tables + index[g * TALLY_FAST_CACHE_LAYERS] * stride;         \
                s = LANES(load_table)(how, own);                                                   \
            }                                                                                      \
            LANES(vec) t = LANES(look_up_sum)(how, s, x[g]);                                       \
            LANES(vec)                                                                             \
            first = LANES(look_up_sum)(how, s, LANES(add_mod)(reduction, t, recent[j][g], radix)); \
            recent[j][g] = reduced ? LANES(sub_result)(how, first, y[g], radix, reducer)           \
                                   : LANES_SUB(first, y[g]);                                       \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x -= groups;                                                                               \
        y = y == state ? last : y - groups;                                                        \
        if (index-- == indices) {                                                                  \
            return;                                                                                \
        }                                                                                          \
    }
        LANES_EACH_RECENT(LANES_LAYER)
#undef LANES_LAYER
    }
}

/* `distance`: of recent symbols in registers; 0: none are. */
TALLY_INLINE LANES_TARGET void LANES(decrypt_rounds)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group, const size_t distance)
{
    /* A lazy round widens the range of its results, and more so where a result depends on another
     * one of this round. lazy_rounds allows for chains of two: the longest ones if 2 w' <= l. */
    const size_t lazy = 2 * job->w_prime <= job->length ? LANES(lazy_rounds)(how, job->radix) : 0;
    const size_t rounds = job->count / job->length;
    const LANES(vec) reducer = LANES(load_reducer)(how, job);
    for (size_t unreduced = 0, round = rounds; round-- > 0;) {
        const uint8_t *indices = job->indices + round * job->length;
        const int reduced = round == 0 || unreduced == lazy;
        LANES(prefetch)(job, round);
        if (distance == 0) {
            reduced ? LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 1)
                    : LANES(decrypt_round)(job, how, groups, per_group, indices, reducer, 0);
        } else {
            reduced
                ? LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 1)
                : LANES(decrypt_round_recent)(job, how, per_group, distance, indices, reducer, 0);
        }
        unreduced = reduced ? 0 : unreduced + 1;
    }
}

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(encrypt_rounds_recent)(job, how, per_group, distance);                               \
        return;

TALLY_INLINE LANES_TARGET void LANES(encrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS && job->w != 0) {
        switch (job->w_prime) {
            LANES_CASE(2)
            LANES_CASE(3)
            LANES_CASE(4)
        }
    }
    LANES(encrypt_rounds)(job, how, groups, per_group);
}
#undef LANES_CASE

#define LANES_CASE(distance)                                                                       \
    case distance:                                                                                 \
        LANES(decrypt_rounds)(job, how, groups, per_group, distance);                              \
        return;

TALLY_INLINE LANES_TARGET void LANES(decrypt_groups)(const tally_fast_lane_job *job,
                                                     const LANES(layout) how, const size_t groups,
                                                     const int per_group)
{
    if (LANES_HAS_RECENT(how) && groups == TALLY_FAST_GROUPS) {
        switch (job->w) {
            LANES_CASE(3)
            LANES_CASE(4)
            LANES_CASE(5)
        }
    }
    LANES(decrypt_rounds)(job, how, groups, per_group, 0);
}
#undef LANES_CASE
#undef LANES_EACH_RECENT

/* One kernel for each direction and layout. */
#define LANES_BY_GROUPS(run, how)                                                                  \
    switch (job->groups) {                                                                         \
    case 1:                                                                                        \
        run(job, how, 1, 0);                                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        run(job, how, 2, 0);                                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        run(job, how, 4, 0);                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        job->per_group ? run(job, how, TALLY_FAST_GROUPS, 1)                                       \
                       : run(job, how, TALLY_FAST_GROUPS, 0);                                      \
    }
#define LANES_KERNELS(how)                                                                         \
    static LANES_TARGET void LANES(encrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(encrypt_groups), LANES(how))                                         \
    }                                                                                              \
    static LANES_TARGET void LANES(decrypt_##how)(const tally_fast_lane_job *job)                  \
    {                                                                                              \
        LANES_BY_GROUPS(LANES(decrypt_groups), LANES(how))                                         \
    }
LANES_LAYOUTS(LANES_KERNELS)
#undef LANES_KERNELS
#undef LANES_BY_GROUPS

typedef void LANES(kernel)(const tally_fast_lane_job *job);

#define LANES_ENCRYPT(how) [LANES(how)] = LANES(encrypt_##how),
#define LANES_DECRYPT(how) [LANES(how)] = LANES(decrypt_##how),

static void LANES(run)(tally_direction direction, const tally_fast_lane_job *job)
{
    static LANES(kernel) *const encrypt[] = {LANES_LAYOUTS(LANES_ENCRYPT)};
    static LANES(kernel) *const decrypt[] = {LANES_LAYOUTS(LANES_DECRYPT)};
    const LANES(layout) how = LANES(layout_of)(job->radix);
    (direction == TALLY_DECRYPT ? decrypt : encrypt)[how](job);
}

#undef LANES_ENCRYPT
#undef LANES_DECRYPT
