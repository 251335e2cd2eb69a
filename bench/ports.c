/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles that instructions of lanes take on this machine. Each line is a JSON object: an
 * instruction, the cycles of one by itself, and the cycles that one adds among additions, permutes
 * and minima that keep their units busy. "layer" is no instruction, but the plainest layer of one
 * group: what every engine executes at least, without waiting for results. The argument is how many times all are gone through. */
#define _POSIX_C_SOURCE 199309L
#include "ports.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "tallystick/base.h"

/* Cycles of each instruction measured, with those of the fillers behind it: the best of some tries,
 * because these are to be limits. */
static double best_of(int tries, ports_block *block)
{
    static _Alignas(64) unsigned char memory[RING_LENGTH * PORTS_COUNT * 64];
    double best = 0;
    for (int i = 0; i < tries; i++) {
        double start = now();
        block(PORTS_LOOPS, memory);
        double elapsed = now() - start;
        double each = elapsed * core_clock() / (PORTS_LOOPS * PORTS_COUNT);
        best = i == 0 || each < best ? each : best;
    }
    return best;
}

static double cycles(ports_block *block)
{
    return best_of(3, block);
}

static void measure(const ports_set *set)
{
    const ports_instruction *fillers = set->instructions;
    /* Fillers among themselves are one more in a group of as many as follow each instruction. */
    const double share = PORTS_COUNT / (PORTS_COUNT + 1.0);
    double adds = share * cycles(fillers[0].among_adds);
    double permutes = share * cycles(fillers[1].among_permutes);
    double minima = share * cycles(fillers[2].among_minima);
    for (const ports_instruction *x = fillers; x < fillers + set->count; x++) {
        printf("{\"set\": \"%s\", \"instruction\": \"%s\", \"alone\": %.3f, \"adds\": %.3f, "
               "\"permutes\": %.3f, \"minima\": %.3f}\n",
               set->name, x->name, cycles(x->alone), cycles(x->among_adds) - adds,
               cycles(x->among_permutes) - permutes, cycles(x->among_minima) - minima);
    }
    printf("{\"set\": \"%s\", \"instruction\": \"layer\", \"alone\": %.3f, \"adds\": 0, "
           "\"permutes\": 0, \"minima\": 0}\n",
           set->name, best_of(100, set->layer));
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
