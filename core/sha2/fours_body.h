/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by instructions that do four rounds or two, of one message or of two side by side: each
 * instruction waits for the one before, and the other message fills that time. The file that
 * includes this defines TARGET, `vec` of four words, ADD, CONSTANTS (of four rounds from i on),
 * read_words (four of the message), `chain` (the chaining value, in two vectors) with load_chain and
 * store_chain, four_rounds (by the words plus constants), and next_words (four of the message
 * schedule, by the sixteen before). */
enum { MOST_MESSAGES = 2 };

INLINE TARGET void run(const size_t messages, const uint8_t *const data[], size_t blocks,
                       uint32_t *state)
{
    chain chains[MOST_MESSAGES];
    UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        for (size_t i = 0; i < 8; i++) {
            own[i] = state[i * messages + k];
        }
        chains[k] = load_chain(own);
    }
    for (size_t block = 0; block < blocks; block++) {
        chain x[MOST_MESSAGES];
        vec w[MOST_MESSAGES][4];
        UNROLL
        for (size_t k = 0; k < messages; k++) {
            x[k] = chains[k];
            UNROLL
            for (size_t i = 0; i < 4; i++) {
                w[k][i] = read_words(data[k] + 64 * block + 16 * i);
            }
        }
        UNROLL
        for (size_t i = 0; i < 16; i++) {
            UNROLL
            for (size_t k = 0; k < messages; k++) {
                four_rounds(&x[k], ADD(w[k][i % 4], CONSTANTS(4 * i)));
                if (i < 12) {
                    w[k][i % 4] = next_words(w[k][i % 4], w[k][(i + 1) % 4], w[k][(i + 2) % 4],
                                             w[k][(i + 3) % 4]);
                }
            }
        }
        UNROLL
        for (size_t k = 0; k < messages; k++) {
            chains[k].first = ADD(chains[k].first, x[k].first);
            chains[k].second = ADD(chains[k].second, x[k].second);
        }
    }
    UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        store_chain(chains[k], own);
        for (size_t i = 0; i < 8; i++) {
            state[i * messages + k] = own[i];
        }
    }
}

TARGET static void compress(const uint8_t *const data[], size_t blocks, uint32_t *state)
{
    run(1, data, blocks, state);
}

TARGET static void compress_2(const uint8_t *const data[], size_t blocks, uint32_t *state)
{
    run(2, data, blocks, state);
}
