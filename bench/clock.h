/* SPDX-License-Identifier: Apache-2.0
 *
 * Time, and the speed that the core runs at while it is measured: both are of the calling thread,
 * so that cycles are those of the code that was timed. */
#ifndef TALLY_BENCH_CLOCK_H
#define TALLY_BENCH_CLOCK_H

#include <time.h>

static inline double nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds since some moment. */
static inline double now(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

/* Nanoseconds that this thread has run: what other programs take of the core is not in it. For work
 * of milliseconds, because asking takes a part of a microsecond. */
static inline double worked(void)
{
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ADD "add %1, %0\n\t" /* of registers: those of constants need no cycle on new cores */
#elif defined(__GNUC__) && defined(__aarch64__)
#define TALLY_ADD "add %0, %0, %1\n\t"
#endif

/* Cycles in a nanosecond: additions that wait for each other take one each. About 20 microseconds;
 * the best of a few, because interrupts only lengthen one. 0: not known for this CPU. */
static inline double core_clock(void)
{
#ifdef TALLY_ADD
    double best = 0;
    for (int i = 0; i < 5; i++) {
        unsigned long x = 0, one = 1;
        double start = now();
        for (int k = 0; k < 800; k++) {
            __asm__ volatile(
                TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD
                    TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD TALLY_ADD
                : "+r"(x)
                : "r"(one));
        }
        double clock = 800 * 16 / (now() - start);
        best = clock > best ? clock : best;
    }
    return best;
#else
    return 0;
#endif
}

#endif
