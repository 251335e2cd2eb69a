/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that protects one card number. docs/how-to/use-the-c-library.md has what follows. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tallystick/tallystick.h"

static void check(tally_status status, const tally_problem *problem)
{
    if (status != TALLY_OK) {
        fprintf(stderr, "%s %s\n", tally_status_text(status), problem->text);
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static const char description[] = "{\"type\": \"card\", \"keep_last\": 4}";
    static const char name[] = "card"; /* the namespace */
    static const char card[] = "4111 1111 1111 1111";
    const size_t size = sizeof card - 1;
    uint8_t key[32], token[64], value[64];
    size_t token_size, value_size;
    tally_problem problem = {"", ""};
    tally_fault fault;
    check(tally_entropy(key, sizeof key), &problem); /* keep a real key, to reveal tokens */

    tally_format *format;
    tally_tokenizer *tokenizer;
    tally_worker *worker; /* one for each thread */
    check(tally_format_new(NULL, description, sizeof description - 1, &format, &problem), &problem);
    check(tally_tokenizer_new(NULL, format, key, sizeof key, name, sizeof name - 1,
                              TALLY_INVALID_ERROR, &tokenizer, &problem),
          &problem);
    check(tally_worker_new(tokenizer, &worker), &problem);
    tally_wipe(key, sizeof key);

    check(tally_protect_value(worker, (const uint8_t *)card, size, NULL, 0, token, sizeof token,
                              &token_size, &fault),
          &problem);
    if (fault.reason != TALLY_REASON_NONE) {
        char why[TALLY_FAULT_TEXT];
        tally_fault_text(&fault, why, sizeof why);
        fprintf(stderr, "an invalid value: %s\n", why);
        return EXIT_FAILURE;
    }
    printf("token %.*s\n", (int)token_size, (const char *)token);

    check(tally_reveal_value(worker, token, token_size, NULL, 0, value, sizeof value, &value_size,
                             &fault),
          &problem);
    const int same = value_size == size && memcmp(value, card, size) == 0;
    printf("revealed: %s\n", same ? "the card number" : "something else");

    tally_wipe(value, sizeof value);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
