/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by instructions that do four rounds or two, of one message or of two side by side: each
 * instruction waits for the one before, and the other message fills that time. The file that
 * includes this defines
 *
 *     SHA2(name)              the name of a static function or type
 *     SHA2_TARGET             the instruction set's attribute
 *     SHA2_VEC                a vector of four words
 *     SHA2_ADD                the sum of two vectors
 *     SHA2_FOUR_CONSTANTS(i)  the constants of rounds i..i+3
 *     SHA2(read_words)        four words of the message
 *     SHA2(chain)             the chaining value in two vectors, `first` and `second`
 *     SHA2(load_chain), SHA2(store_chain)
 *     SHA2(four_rounds)       by four words plus constants
 *     SHA2(next_words)        four words of the message schedule, from the sixteen before
 *
 * and includes sha2/undef.h at its end. */
#define SHA2_MOST_MESSAGES 2

SHA2_INLINE SHA2_TARGET void SHA2(run)(const size_t messages, const uint8_t *const data[],
                                       size_t blocks, uint32_t *state)
{
    SHA2(chain) chains[SHA2_MOST_MESSAGES];
    SHA2_UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        for (size_t i = 0; i < 8; i++) {
            own[i] = state[i * messages + k];
        }
        chains[k] = SHA2(load_chain)(own);
    }
    for (size_t block = 0; block < blocks; block++) {
        SHA2(chain) x[SHA2_MOST_MESSAGES];
        SHA2_VEC w[SHA2_MOST_MESSAGES][4];
        SHA2_UNROLL
        for (size_t k = 0; k < messages; k++) {
            x[k] = chains[k];
            SHA2_UNROLL
            for (size_t i = 0; i < 4; i++) {
                w[k][i] = SHA2(read_words)(data[k] + 64 * block + 16 * i);
            }
        }
        SHA2_UNROLL
        for (size_t i = 0; i < 16; i++) {
            SHA2_UNROLL
            for (size_t k = 0; k < messages; k++) {
                SHA2(four_rounds)(&x[k], SHA2_ADD(w[k][i % 4], SHA2_FOUR_CONSTANTS(4 * i)));
                if (i < 12) {
                    w[k][i % 4] = SHA2(next_words)(w[k][i % 4], w[k][(i + 1) % 4],
                                                   w[k][(i + 2) % 4], w[k][(i + 3) % 4]);
                }
            }
        }
        SHA2_UNROLL
        for (size_t k = 0; k < messages; k++) {
            chains[k].first = SHA2_ADD(chains[k].first, x[k].first);
            chains[k].second = SHA2_ADD(chains[k].second, x[k].second);
        }
    }
    SHA2_UNROLL
    for (size_t k = 0; k < messages; k++) {
        uint32_t own[8];
        SHA2(store_chain)(chains[k], own);
        for (size_t i = 0; i < 8; i++) {
            state[i * messages + k] = own[i];
        }
    }
}

SHA2_TARGET static void SHA2(compress)(const uint8_t *const data[], size_t blocks, uint32_t *state)
{
    SHA2(run)(1, data, blocks, state);
}

SHA2_TARGET static void SHA2(compress_2)(const uint8_t *const data[], size_t blocks,
                                         uint32_t *state)
{
    SHA2(run)(2, data, blocks, state);
}
