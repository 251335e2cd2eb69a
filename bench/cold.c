/* SPDX-License-Identifier: Apache-2.0
 *
 * A cold start: the nanoseconds from the beginning of a process to its first word, of 16 symbols of
 * the radix that is the argument. Fresh memory and the look for CPU features are in it. One number
 * is printed; whoever wants a median starts the program again. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "tallystick/fast.h"

enum { LENGTH = 16, SLOTS = 64 };

static tally_status first_word(uint32_t radix)
{
    static const uint8_t key[16] = {1};
    uint8_t word[LENGTH] = {0};
    size_t pool_size = tally_fast_pool_size(radix), cipher_size = tally_fast_cipher_size(SLOTS);
    void *pool_memory = malloc(pool_size), *cipher_memory = malloc(cipher_size);
    tally_fast_params params;
    tally_fast_pool *pool;
    tally_fast_cipher *cipher;
    tally_status status = TALLY_ERROR_ARGUMENT;
    if (pool_memory != NULL && cipher_memory != NULL) {
        status = tally_fast_recommended(TALLY_FAST, radix, LENGTH, &params);
    }
    if (status == TALLY_OK) {
        status =
            tally_fast_pool_init(TALLY_FAST, radix, key, sizeof key, pool_memory, pool_size, &pool);
    }
    if (status == TALLY_OK) {
        status = tally_fast_cipher_init(pool, SLOTS, cipher_memory, cipher_size, &cipher);
    }
    if (status == TALLY_OK) {
        status = tally_fast_encrypt_words(cipher, &params, NULL, 0, word, 1, word);
    }
    return status; /* memory goes with the process */
}

int main(int arguments, char **argument)
{
    double start = now();
    tally_status status = first_word(arguments == 2 ? (uint32_t)atoi(argument[1]) : 0);
    double ns = now() - start;
    if (status != TALLY_OK) {
        fprintf(stderr, "cold: %s\n", tally_status_text(status));
        return EXIT_FAILURE;
    }
    printf("%.0f\n", ns);
    return EXIT_SUCCESS;
}
