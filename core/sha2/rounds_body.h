/* SPDX-License-Identifier: Apache-2.0
 *
 * The compression function (FIPS 180-4, sections 6.2.2 and 6.4.2) on lanes: word k of a vector is
 * message k's. The file that includes this has included rounds_256.h or rounds_512.h, and defines
 * TARGET, `vec`, LANES, ADD, ROR, SHR, XOR3, CH, MAJ, SPREAD (a word to all lanes), LOAD and STORE
 * (of a vector of the chaining value), and load_block, which brings words 0..15 of the block at an
 * offset into vectors. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                           \
    h = ADD(ADD(ADD(h, ADD(w[i], SPREAD(k[i]))), CH(e, f, g)), SUM1(e));                           \
    d = ADD(d, h);                                                                                 \
    h = ADD(h, ADD(SUM0(a), MAJ(a, b, c)));

#define EIGHT_ROUNDS(i)                                                                            \
    ROUND(a, b, c, d, e, f, g, h, i)                                                               \
    ROUND(h, a, b, c, d, e, f, g, i + 1)                                                           \
    ROUND(g, h, a, b, c, d, e, f, i + 2)                                                           \
    ROUND(f, g, h, a, b, c, d, e, i + 3)                                                           \
    ROUND(e, f, g, h, a, b, c, d, i + 4)                                                           \
    ROUND(d, e, f, g, h, a, b, c, i + 5)                                                           \
    ROUND(c, d, e, f, g, h, a, b, i + 6)                                                           \
    ROUND(b, c, d, e, f, g, h, a, i + 7)

/* Word i of the next sixteen of the message schedule, in the place of the one 16 before it. */
#define NEXT(i)                                                                                    \
    w[i] = ADD(ADD(w[i], w[(i + 9) % 16]),                                                         \
               ADD(SCHEDULE0(w[(i + 1) % 16]), SCHEDULE1(w[(i + 14) % 16])));
#define EIGHT_NEXT(i)                                                                              \
    NEXT(i) NEXT(i + 1) NEXT(i + 2) NEXT(i + 3) NEXT(i + 4) NEXT(i + 5) NEXT(i + 6) NEXT(i + 7)

TARGET static void compress(const uint8_t *const data[], size_t blocks, word *state)
{
    vec a = LOAD(state), b = LOAD(state + LANES), c = LOAD(state + 2 * LANES),
        d = LOAD(state + 3 * LANES), e = LOAD(state + 4 * LANES), f = LOAD(state + 5 * LANES),
        g = LOAD(state + 6 * LANES), h = LOAD(state + 7 * LANES);
    for (size_t block = 0; block < blocks; block++) {
        vec w[16];
        load_block(data, block * BLOCK, w);
        const word *k = constants;
        EIGHT_ROUNDS(0)
        EIGHT_ROUNDS(8)
        for (k += 16; k < constants + ROUNDS; k += 16) {
            EIGHT_NEXT(0)
            EIGHT_ROUNDS(0)
            EIGHT_NEXT(8)
            EIGHT_ROUNDS(8)
        }
#define CHAIN(x, i)                                                                                \
    x = ADD(x, LOAD(state + (i)*LANES));                                                           \
    STORE(x, state + (i)*LANES);
        CHAIN(a, 0)
        CHAIN(b, 1)
        CHAIN(c, 2)
        CHAIN(d, 3)
        CHAIN(e, 4)
        CHAIN(f, 5)
        CHAIN(g, 6)
        CHAIN(h, 7)
#undef CHAIN
    }
}
