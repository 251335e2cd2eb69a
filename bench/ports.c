/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles that instructions of lanes take on this machine. Each line is a JSON object: an
 * instruction, the cycles of one by itself, and of one with PORTS_COUNT additions, permutes or
 * minima behind it, which keep their units busy. "layer" is no instruction, but the plainest layer
 * of one group: what every kernel executes at least, without waiting for results; once more for as
 * long as kernels are measured. The argument is how many times all are gone through. */
#define _POSIX_C_SOURCE 199309L
#include "ports.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "tallystick/base.h"

enum { HELD = 3000000 }; /* layers; some milliseconds */

static _Alignas(64) unsigned char memory[STATE_LENGTH * PORTS_COUNT * 64];

/* Cycles of each of the block's instructions, with those of the fillers behind it: the best of some
 * tries, because these are to be limits. The clock may change with each; the faster of before and
 * after, so that no try comes out too good. */
static double cycles(ports_block *block, int tries)
{
    double best = 0, before = core_clock();
    for (int i = 0; i < tries; i++) {
        double start = now();
        block(PORTS_LOOPS, memory);
        double elapsed = now() - start, after = core_clock();
        double clock = before > after ? before : after;
        double each = elapsed * clock / (PORTS_LOOPS * PORTS_COUNT);
        before = after;
        best = i == 0 || each < best ? each : best;
    }
    return best;
}

/* The same for many loops, in which other programs may take the core. */
static double cycles_held(ports_block *block, long loops)
{
    double start = worked();
    block(loops, memory);
    return (worked() - start) * core_clock() / ((double)loops * PORTS_COUNT);
}

static void print(const ports_set *set, const char *name, const double each[4])
{
    printf("{\"set\": \"%s\", \"instruction\": \"%s\", \"alone\": %.4f, \"adds\": %.4f, "
           "\"permutes\": %.4f, \"minima\": %.4f}\n",
           set->name, name, each[0], each[1], each[2], each[3]);
}

static void measure(const ports_set *set)
{
    for (const ports_instruction *x = set->instructions; x < set->instructions + set->count; x++) {
        ports_block *const blocks[4] = {x->alone, x->among_adds, x->among_permutes,
                                        x->among_minima};
        double each[4];
        for (int i = 0; i < 4; i++) {
            each[i] = cycles(blocks[i], 6);
        }
        print(set, x->name, each);
    }
    print(set, "layer", (double[4]){cycles(set->layer, 100)});
    print(set, "layer, held", (double[4]){cycles_held(set->layer, HELD)});
}

int main(int argc, char **argv)
{
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    uint32_t features = tally_cpu_features();
    for (long run = 0; run < runs; run++) {
        if ((features & TALLY_CPU_AVX512VBMI) != 0) {
            measure(&ports_avx512);
        }
        if ((features & TALLY_CPU_AVX2) != 0) {
            measure(&ports_avx2);
        }
    }
    return EXIT_SUCCESS;
}
