/* SPDX-License-Identifier: Apache-2.0
 *
 * What instructions cost in their execution units. Each is run by itself, and among instructions
 * that keep one kind of unit busy already; the cycles that it adds there are its share of that
 * unit. So nothing is believed of tables made on other machines. */
#ifndef TALLY_BENCH_PORTS_H
#define TALLY_BENCH_PORTS_H

enum { PORTS_LOOPS = 4000, PORTS_COUNT = 8 };

/* A block of PORTS_COUNT of one instruction, each followed by as many of the busy unit's, if any;
 * run `loops` times. */
typedef void ports_block(long loops, void *memory);

typedef struct ports_instruction {
    const char *name;
    ports_block *alone, *among_adds, *among_permutes, *among_minima;
} ports_instruction;

/* A lane state as kernels have it, of STATE_LENGTH positions of PORTS_COUNT vectors: each layer
 * loads those of three places and stores those of one. */
enum { STATE_LENGTH = 16, STATE_W = 4, STATE_W_PRIME = 3 };

/* A table, the fillers of its units being its first three: additions, permutes, minima. */
typedef struct ports_set {
    const char *name;
    const ports_instruction *instructions;
    int count;
    ports_block *layer; /* `loops` layers of what every kernel does, none waiting for another */
} ports_set;

extern const ports_set ports_avx512, ports_avx2;

/* The blocks of one instruction; OP(n) is its text with destination register n, and TARGET, ADD,
 * PERMUTE, MINIMUM and CLOBBERS are the file's. Destinations of instructions measured are registers
 * 8..15, those of fillers 4..7; sources are 0..3, so that nothing waits. */
#define PORTS_FILL(F) F(4) F(5) F(6) F(7) F(4) F(5) F(6) F(7)
#define PORTS_NONE(n)
#define PORTS_EACH(OP, F)                                                                          \
    OP(8)                                                                                          \
    PORTS_FILL(F)                                                                                  \
    OP(9)                                                                                          \
    PORTS_FILL(F)                                                                                  \
    OP(10)                                                                                         \
    PORTS_FILL(F)                                                                                  \
    OP(11)                                                                                         \
    PORTS_FILL(F)                                                                                  \
    OP(12) PORTS_FILL(F) OP(13) PORTS_FILL(F) OP(14) PORTS_FILL(F) OP(15) PORTS_FILL(F)
#define PORTS_BLOCK(name, OP, F)                                                                   \
    static TARGET void name(long loops, void *memory)                                              \
    {                                                                                              \
        for (; loops > 0; loops--) {                                                               \
            __asm__ volatile(PORTS_EACH(OP, F) : : "r"(memory) : CLOBBERS);                        \
        }                                                                                          \
    }
#define PORTS_BLOCKS(name, OP)                                                                     \
    PORTS_BLOCK(name##_alone, OP, PORTS_NONE)                                                      \
    PORTS_BLOCK(name##_among_adds, OP, ADD)                                                        \
    PORTS_BLOCK(name##_among_permutes, OP, PERMUTE)                                                \
    PORTS_BLOCK(name##_among_minima, OP, MINIMUM)

/* Layers; VISIT(g) is the text of what is done for group g: three loads and a store, at g vectors
 * from operands 0 to 2, two permutes, an addition and a subtraction. */
#define PORTS_LAYER(VISIT, BYTES)                                                                  \
    static TARGET void layer(long loops, void *memory)                                             \
    {                                                                                              \
        enum { PLACE = PORTS_COUNT * BYTES };                                                      \
        unsigned char *x = memory;                                                                 \
        for (unsigned long i = 0; i < (unsigned long)loops; i++) {                                 \
            unsigned long after = (i + STATE_W) % STATE_LENGTH,                                    \
                          back = i + STATE_LENGTH - STATE_W_PRIME;                                 \
            __asm__ volatile(VISIT(0) VISIT(1) VISIT(2) VISIT(3) VISIT(4) VISIT(5) VISIT(6)        \
                                 VISIT(7)                                                          \
                             :                                                                     \
                             : "r"(x + i % STATE_LENGTH * PLACE), "r"(x + after * PLACE),          \
                               "r"(x + back % STATE_LENGTH * PLACE)                                \
                             : CLOBBERS);                                                          \
        }                                                                                          \
    }
#define PORTS_ROW(name, OP)                                                                        \
    {#name, name##_alone, name##_among_adds, name##_among_permutes, name##_among_minima},

#endif
