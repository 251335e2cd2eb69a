/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that protects one card number. docs/how-to/use-the-c-library.md has what follows. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tallystick/tallystick.h"

enum { DIGITS = 16 };

static void check(const char *step, tally_status status)
{
    if (status != TALLY_OK) {
        fprintf(stderr, "%s: %s\n", step, tally_status_text(status));
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static const uint8_t tweak[] = "card";
    const char *card = "4111111111111111";
    uint8_t key[32], word[DIGITS], token[DIGITS];
    check("key",
          tally_entropy(key, sizeof key)); /* a real key is kept, or nothing can be revealed */

    size_t pool_size = tally_fast_pool_size(10), cipher_size = tally_fast_cipher_size(1);
    void *pool_memory = malloc(pool_size), *cipher_memory = malloc(cipher_size);
    if (pool_memory == NULL || cipher_memory == NULL) {
        return EXIT_FAILURE;
    }
    tally_fast_pool *pool = NULL;
    tally_fast_cipher *cipher = NULL;
    tally_fast_params params;
    check("pool",
          tally_fast_pool_init(TALLY_FAST, 10, key, sizeof key, pool_memory, pool_size, &pool));
    check("cipher", tally_fast_cipher_init(pool, 1, cipher_memory, cipher_size, &cipher));
    check("parameters", tally_fast_recommended(TALLY_FAST, 10, DIGITS, &params));
    tally_wipe(key, sizeof key);

    for (int i = 0; i < DIGITS; i++) { /* symbols are numbers, not characters */
        word[i] = (uint8_t)(card[i] - '0');
    }
    check("protect",
          tally_fast_encrypt_words(cipher, &params, tweak, sizeof tweak - 1, word, 1, token));
    printf("token ");
    for (int i = 0; i < DIGITS; i++) {
        putchar('0' + token[i]);
    }
    putchar('\n');

    check("reveal",
          tally_fast_decrypt_words(cipher, &params, tweak, sizeof tweak - 1, token, 1, token));
    int same = memcmp(token, word, DIGITS) == 0;
    printf("revealed: %s\n", same ? "the card number" : "something else");

    tally_wipe(word, sizeof word);
    tally_wipe(token, sizeof token);
    tally_fast_cipher_wipe(cipher);
    tally_wipe(pool_memory, pool_size);
    free(cipher_memory);
    free(pool_memory);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
