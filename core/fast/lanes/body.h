/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers on lanes, for any instruction set. The file that includes this has defined
 *
 *   TARGET               the function attribute of its instruction set
 *   vec, table           a vector of bytes; an S-box in registers
 *   ZERO, ADD, SUB, MIN  on vectors, byte by byte, MIN unsigned
 *   SPREAD(byte)         a byte in every lane
 *   ADD_IF_LESS(d, x, y, a)  d, plus a in those lanes where x < y, unsigned
 *   layout, FOR_LAYOUTS  how tables are laid out: an enum, and a list of it for KERNELS
 *   layout_of(radix)
 *   load_table(layout, bytes), look_up_sum(layout, t, index), look_up_difference(layout, t, index)
 *   index_reduction(layout), result_reduction(layout), strays(layout)
 *   plain_rounds(layout, radix)  rounds backwards whose results may stray (SIZE_MAX: any number)
 *   NEAR(layout)                 whether layers that need the last few symbols get them in registers
 *   settling_of(layout, job), SETTLE(layout, difference, settling)
 *                                a vector, and what it makes of a strayed difference
 *
 * Every function here is inlined with a constant layout and number of groups. */

INLINE TARGET vec add_mod(reduction how, vec x, vec y, vec radix)
{
    if (how == COMPARED) { /* sums exceed a byte */
        vec less = SUB(radix, y);
        return ADD_IF_LESS(SUB(x, less), x, less, radix);
    }
    vec sum = ADD(x, y);
    return how == NONE ? sum : MIN(sum, SUB(sum, radix));
}

INLINE TARGET vec sub_mod(reduction how, vec x, vec y, vec radix)
{
    vec difference = SUB(x, y);
    if (how == COMPARED) {
        return ADD_IF_LESS(difference, x, y, radix);
    }
    return how == NONE ? difference : MIN(difference, ADD(difference, radix));
}

INLINE TARGET vec settle(layout how, vec x, vec y, vec radix, vec settling)
{
    if (!strays(how)) {
        return sub_mod(result_reduction(how), x, y, radix);
    }
    return SETTLE(how, SUB(x, y), settling);
}

/* The ring's three places that a layer needs move on together, in runs that end where one wraps. */
INLINE TARGET void run_forward(const tally_fast_lane_job *job, const layout how,
                               const size_t groups, const int each)
{
    const vec radix = SPREAD(job->radix);
    const reduction reduce = index_reduction(how);
    const size_t length = job->length;
    const int subtracts = job->w != 0;
    size_t here = 0, ahead = job->w, back = length - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    vec *const ring = (vec *)job->ring;
    for (size_t done = 0; done < job->count;) {
        size_t run = length - here;
        run = length - ahead < run ? length - ahead : run;
        run = length - back < run ? length - back : run;
        vec *x = ring + here * groups;
        const vec *xw = ring + ahead * groups, *y = ring + back * groups;
        const uint8_t *index = job->indices + done, *const stop = index + run;
        for (; index != stop; index++, x += groups, xw += groups, y += groups) {
            table s = load_table(how, tables + *index * stride);
            UNROLL
            for (size_t g = 0; g < groups; g++) {
                if (each) {
                    s = load_table(how, tables + index[g * TALLY_FAST_SLOT_LAYERS] * stride);
                }
                vec t = look_up_sum(how, s, add_mod(reduce, x[g], y[g], radix));
                vec less = subtracts ? xw[g] : ZERO;
                x[g] = look_up_difference(how, s, sub_mod(reduce, t, less, radix));
            }
        }
        done += run;
        here = here + run == length ? 0 : here + run;
        ahead = ahead + run == length ? 0 : ahead + run;
        back = back + run == length ? 0 : back + run;
    }
}

/* Layers need symbols of the last few layers: w' of them forwards, w backwards. What was stored a
 * moment ago is slow to load; so where they are few they stay in registers, in turn. Layer j of every
 * `near`; a loop over j would leave them in memory. */
enum { NEAR_MOST = 5 };

#define NEAR_LAYERS(LAYER)                                                                         \
    LAYER(0)                                                                                       \
    LAYER(1)                                                                                       \
    LAYER(2)                                                                                       \
    LAYER(3)                                                                                       \
    LAYER(4)

INLINE TARGET void round_forward_near(const tally_fast_lane_job *job, const layout how,
                                      const int each, const size_t near, const uint8_t *index)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const vec radix = SPREAD(job->radix);
    const reduction reduce = index_reduction(how);
    vec recent[NEAR_MOST][TALLY_FAST_GROUPS];
    vec *const ring = (vec *)job->ring, *x = ring, *const end = ring + job->length * groups;
    const vec *xw = ring + job->w * groups;
    const uint8_t *const tables = job->tables, *const stop = index + job->length;
    const size_t stride = job->stride;
    UNROLL
    for (size_t j = 0; j < near; j++) {
        UNROLL
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (end - (near - j) * groups)[g];
        }
    }
    for (;;) {
#define LAYER(j)                                                                                   \
    if (j < near) {                                                                                \
        table s = load_table(how, tables + *index * stride);                                       \
        UNROLL                                                                                     \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (each) {                                                                            \
                s = load_table(how, tables + index[g * TALLY_FAST_SLOT_LAYERS] * stride);          \
            }                                                                                      \
            vec t = look_up_sum(how, s, add_mod(reduce, x[g], recent[j][g], radix));               \
            recent[j][g] = look_up_difference(how, s, sub_mod(reduce, t, xw[g], radix));           \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x += groups;                                                                               \
        xw = xw + groups == end ? ring : xw + groups;                                              \
        if (++index == stop) {                                                                     \
            return;                                                                                \
        }                                                                                          \
    }
        NEAR_LAYERS(LAYER)
#undef LAYER
    }
}

INLINE TARGET void run_forward_near(const tally_fast_lane_job *job, const layout how,
                                    const int each, const size_t near)
{
    for (size_t done = 0; done < job->count; done += job->length) {
        round_forward_near(job, how, each, near, job->indices + done);
    }
}

/* One round backwards. Unless `settled`, its results may lie outside 0..a-1 by multiples of a, as
 * far as the tables reach; the next rounds take them so. */
INLINE TARGET void round_backward(const tally_fast_lane_job *job, const layout how,
                                  const size_t groups, const int each, const uint8_t *indices,
                                  const vec settling, const int settled)
{
    const vec radix = SPREAD(job->radix);
    const reduction reduce = index_reduction(how);
    const size_t length = job->length;
    const int adds = job->w != 0;
    size_t here = length - 1, ahead = job->w != 0 ? job->w - 1 : length - 1;
    size_t back = length - 1 - job->w_prime;
    const uint8_t *const tables = job->tables;
    const size_t stride = job->stride;
    vec *const ring = (vec *)job->ring;
    for (size_t left = length; left > 0;) {
        size_t run = left;
        run = ahead + 1 < run ? ahead + 1 : run;
        run = back + 1 < run ? back + 1 : run;
        vec *x = ring + here * groups;
        const vec *xw = ring + ahead * groups, *y = ring + back * groups;
        for (size_t i = 0; i < run; i++, x -= groups, xw -= groups, y -= groups) {
            const uint8_t *index = indices + --left;
            table s = load_table(how, tables + *index * stride);
            UNROLL
            for (size_t g = 0; g < groups; g++) {
                if (each) {
                    s = load_table(how, tables + index[g * TALLY_FAST_SLOT_LAYERS] * stride);
                }
                vec more = adds ? xw[g] : ZERO;
                vec t = add_mod(reduce, look_up_sum(how, s, x[g]), more, radix);
                vec first = look_up_sum(how, s, t);
                x[g] = settled ? settle(how, first, y[g], radix, settling) : SUB(first, y[g]);
            }
        }
        here -= run;
        ahead = ahead + 1 == run ? length - 1 : ahead - run;
        back = back + 1 == run ? length - 1 : back - run;
    }
}

INLINE TARGET void round_backward_near(const tally_fast_lane_job *job, const layout how,
                                       const int each, const size_t near, const uint8_t *indices,
                                       const vec settling, const int settled)
{
    const size_t groups = TALLY_FAST_GROUPS;
    const vec radix = SPREAD(job->radix);
    const reduction reduce = index_reduction(how);
    vec recent[NEAR_MOST][TALLY_FAST_GROUPS];
    vec *const ring = (vec *)job->ring, *const last = ring + (job->length - 1) * groups, *x = last;
    const vec *y = last - job->w_prime * groups;
    const uint8_t *const tables = job->tables, *index = indices + job->length - 1;
    const size_t stride = job->stride;
    UNROLL
    for (size_t j = 0; j < near; j++) {
        UNROLL
        for (size_t g = 0; g < groups; g++) {
            recent[j][g] = (ring + (near - 1 - j) * groups)[g];
        }
    }
    for (;;) {
#define LAYER(j)                                                                                   \
    if (j < near) {                                                                                \
        table s = load_table(how, tables + *index * stride);                                       \
        UNROLL                                                                                     \
        for (size_t g = 0; g < groups; g++) {                                                      \
            if (each) {                                                                            \
                s = load_table(how, tables + index[g * TALLY_FAST_SLOT_LAYERS] * stride);          \
            }                                                                                      \
            vec t = add_mod(reduce, look_up_sum(how, s, x[g]), recent[j][g], radix);               \
            vec first = look_up_sum(how, s, t);                                                    \
            recent[j][g] = settled ? settle(how, first, y[g], radix, settling) : SUB(first, y[g]); \
            x[g] = recent[j][g];                                                                   \
        }                                                                                          \
        x -= groups;                                                                               \
        y = y == ring ? last : y - groups;                                                         \
        if (index-- == indices) {                                                                  \
            return;                                                                                \
        }                                                                                          \
    }
        NEAR_LAYERS(LAYER)
#undef LAYER
    }
}

/* `near` is 0: the other way. */
INLINE TARGET void run_backward(const tally_fast_lane_job *job, const layout how,
                                const size_t groups, const int each, const size_t near)
{
    /* Results stray a little further with each round; where a layer takes one of its own round, by
     * more than that was counted on. */
    const size_t plain = 2 * job->w_prime <= job->length ? plain_rounds(how, job->radix) : 0;
    const size_t rounds = job->count / job->length;
    const vec settling = settling_of(how, job);
    for (size_t strayed = 0, round = rounds; round-- > 0;) {
        const uint8_t *indices = job->indices + round * job->length;
        const int settled = round == 0 || strayed == plain;
        if (near == 0) {
            settled ? round_backward(job, how, groups, each, indices, settling, 1)
                    : round_backward(job, how, groups, each, indices, settling, 0);
        } else {
            settled ? round_backward_near(job, how, each, near, indices, settling, 1)
                    : round_backward_near(job, how, each, near, indices, settling, 0);
        }
        strayed = settled ? 0 : strayed + 1;
    }
}

#define FORWARD_CASE(near)                                                                         \
    case near:                                                                                     \
        run_forward_near(job, how, each, near);                                                    \
        return;

INLINE TARGET void forward_groups(const tally_fast_lane_job *job, const layout how,
                                  const size_t groups, const int each)
{
    if (NEAR(how) && groups == TALLY_FAST_GROUPS && job->w != 0) {
        switch (job->w_prime) {
            FORWARD_CASE(2)
            FORWARD_CASE(3)
            FORWARD_CASE(4)
        }
    }
    run_forward(job, how, groups, each);
}
#undef FORWARD_CASE

#define BACKWARD_CASE(near)                                                                        \
    case near:                                                                                     \
        run_backward(job, how, groups, each, near);                                                \
        return;

INLINE TARGET void backward_groups(const tally_fast_lane_job *job, const layout how,
                                   const size_t groups, const int each)
{
    if (NEAR(how) && groups == TALLY_FAST_GROUPS) {
        switch (job->w) {
            BACKWARD_CASE(3)
            BACKWARD_CASE(4)
            BACKWARD_CASE(5)
        }
    }
    run_backward(job, how, groups, each, 0);
}
#undef BACKWARD_CASE

#define CASES(run, how)                                                                            \
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
        job->each ? run(job, how, TALLY_FAST_GROUPS, 1) : run(job, how, TALLY_FAST_GROUPS, 0);     \
    }
#define KERNELS(how)                                                                               \
    static TARGET void forward_##how(const tally_fast_lane_job *job)                               \
    {                                                                                              \
        CASES(forward_groups, how)                                                                 \
    }                                                                                              \
    static TARGET void backward_##how(const tally_fast_lane_job *job)                              \
    {                                                                                              \
        CASES(backward_groups, how)                                                                \
    }
FOR_LAYOUTS(KERNELS)
#undef KERNELS
#undef CASES

typedef void kernel(const tally_fast_lane_job *job);

#define FORWARD(how)  [how] = forward_##how,
#define BACKWARD(how) [how] = backward_##how,

static void forward(const tally_fast_lane_job *job)
{
    static kernel *const kernels[] = {FOR_LAYOUTS(FORWARD)};
    kernels[layout_of(job->radix)](job);
}

static void backward(const tally_fast_lane_job *job)
{
    static kernel *const kernels[] = {FOR_LAYOUTS(BACKWARD)};
    kernels[layout_of(job->radix)](job);
}

#undef FORWARD
#undef BACKWARD
