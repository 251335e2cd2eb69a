/* SPDX-License-Identifier: Apache-2.0
 *
 * The compression function (FIPS 180-4, sections 6.2.2 and 6.4.2) on lanes: word k of a vector is
 * message k's. The file that includes this has included rounds_256.h or rounds_512.h, defines
 *
 *     SHA2(name)             the name of a static function
 *     SHA2_TARGET            the instruction set's attribute
 *     SHA2_VEC, SHA2_LANES   a vector, and its words
 *     SHA2_ADD, SHA2_ROR, SHA2_SHR, SHA2_XOR3, SHA2_CH, SHA2_MAJ
 *     SHA2_SPREAD            a word to all lanes
 *     SHA2_LOAD, SHA2_STORE  of a vector of the chaining value
 *     SHA2(load_block)       words 0..15 of the block at an offset, in vectors
 *
 * and includes sha2/undef.h at its end. */
#define SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                      \
    h = SHA2_ADD(SHA2_ADD(SHA2_ADD(h, SHA2_ADD(w[i], SHA2_SPREAD(k[i]))), SHA2_CH(e, f, g)),       \
                 SHA2_SUM1(e));                                                                    \
    d = SHA2_ADD(d, h);                                                                            \
    h = SHA2_ADD(h, SHA2_ADD(SHA2_SUM0(a), SHA2_MAJ(a, b, c)));

#define SHA2_EIGHT_ROUNDS(i)                                                                       \
    SHA2_ROUND(a, b, c, d, e, f, g, h, i)                                                          \
    SHA2_ROUND(h, a, b, c, d, e, f, g, i + 1)                                                      \
    SHA2_ROUND(g, h, a, b, c, d, e, f, i + 2)                                                      \
    SHA2_ROUND(f, g, h, a, b, c, d, e, i + 3)                                                      \
    SHA2_ROUND(e, f, g, h, a, b, c, d, i + 4)                                                      \
    SHA2_ROUND(d, e, f, g, h, a, b, c, i + 5)                                                      \
    SHA2_ROUND(c, d, e, f, g, h, a, b, i + 6)                                                      \
    SHA2_ROUND(b, c, d, e, f, g, h, a, i + 7)

/* Word i of the next sixteen of the message schedule, in the place of the one 16 before it. */
#define SHA2_NEXT(i)                                                                               \
    w[i] = SHA2_ADD(SHA2_ADD(w[i], w[(i + 9) % 16]),                                               \
                    SHA2_ADD(SHA2_SCHEDULE0(w[(i + 1) % 16]), SHA2_SCHEDULE1(w[(i + 14) % 16])));
#define SHA2_EIGHT_NEXT(i)                                                                         \
    SHA2_NEXT(i)                                                                                   \
    SHA2_NEXT(i + 1)                                                                               \
    SHA2_NEXT(i + 2)                                                                               \
    SHA2_NEXT(i + 3) SHA2_NEXT(i + 4) SHA2_NEXT(i + 5) SHA2_NEXT(i + 6) SHA2_NEXT(i + 7)

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, SHA2_WORD *state)
{
    SHA2_VEC a = SHA2_LOAD(state), b = SHA2_LOAD(state + SHA2_LANES),
             c = SHA2_LOAD(state + 2 * SHA2_LANES), d = SHA2_LOAD(state + 3 * SHA2_LANES),
             e = SHA2_LOAD(state + 4 * SHA2_LANES), f = SHA2_LOAD(state + 5 * SHA2_LANES),
             g = SHA2_LOAD(state + 6 * SHA2_LANES), h = SHA2_LOAD(state + 7 * SHA2_LANES);
    for (size_t block = 0; block < blocks; block++) {
        SHA2_VEC w[16];
        SHA2(load_block)(data, block * SHA2_BLOCK, w);
        const SHA2_WORD *k = SHA2_CONSTANTS;
        SHA2_EIGHT_ROUNDS(0)
        SHA2_EIGHT_ROUNDS(8)
        for (k += 16; k < SHA2_CONSTANTS + SHA2_ROUNDS; k += 16) {
            SHA2_EIGHT_NEXT(0)
            SHA2_EIGHT_ROUNDS(0)
            SHA2_EIGHT_NEXT(8)
            SHA2_EIGHT_ROUNDS(8)
        }
#define SHA2_CHAIN(x, i)                                                                           \
    x = SHA2_ADD(x, SHA2_LOAD(state + (i)*SHA2_LANES));                                            \
    SHA2_STORE(x, state + (i)*SHA2_LANES);
        SHA2_CHAIN(a, 0)
        SHA2_CHAIN(b, 1)
        SHA2_CHAIN(c, 2)
        SHA2_CHAIN(d, 3)
        SHA2_CHAIN(e, 4)
        SHA2_CHAIN(f, 5)
        SHA2_CHAIN(g, 6)
        SHA2_CHAIN(h, 7)
    }
}
