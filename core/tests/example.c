/* SPDX-License-Identifier: Apache-2.0
 *
 * The example of docs/reference/c.md, which has the text below this comment: it protects an Arrow
 * array of two numbers, and reveals it again. test_example.c runs it. */
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

/* Memory that the program owns needs no release, but its callback must not be NULL. */
static void release_type(struct ArrowSchema *type)
{
    type->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

int main(void)
{
    static const char description[] = "{\"type\": \"digits\", \"separators\": \"-\"}";
    static const char name[] = "customer numbers"; /* the namespace */
    uint8_t key[32];
    tally_problem problem = {"", ""};
    tally_format *format;
    tally_tokenizer *tokenizer;
    tally_worker *worker;                            /* one for each thread */
    check(tally_entropy(key, sizeof key), &problem); /* keep a real key, to reveal tokens */
    check(tally_format_new(NULL, description, sizeof description - 1, &format, &problem), &problem);
    check(tally_tokenizer_new(NULL, format, key, sizeof key, name, sizeof name - 1,
                              TALLY_INVALID_ERROR, &tokenizer, &problem),
          &problem);
    check(tally_worker_new(tokenizer, &worker), &problem);
    tally_wipe(key, sizeof key);

    /* An array of text in Arrow's layout: row i is text[offsets[i] .. offsets[i + 1]). The first
     * buffer would say which rows are null. */
    static const char text[] = "0815-4711271828";
    static const int32_t offsets[] = {0, 9, 15};
    const void *buffers[] = {NULL, offsets, text};
    struct ArrowSchema type = {.format = "u", .release = release_type};
    struct ArrowArray values = {
        .length = 2, .n_buffers = 3, .buffers = buffers, .release = release_array};

    struct ArrowArray tokens, revealed;
    tally_counts counts = {0};
    tally_invalid invalid;
    check(tally_protect_array(worker, &type, &values, NULL, NULL, &tokens, &counts, &invalid,
                              &problem),
          &problem);
    printf("tokens %.15s, rows: %d\n", (const char *)tokens.buffers[2], (int)counts.rows);
    check(tally_reveal_array(worker, &type, &tokens, NULL, NULL, &revealed, &counts, &invalid,
                             &problem),
          &problem);
    printf("values %.15s\n", (const char *)revealed.buffers[2]);
    const int same = memcmp(revealed.buffers[2], text, sizeof text - 1) == 0;

    tokens.release(&tokens);
    revealed.release(&revealed);
    tally_worker_free(worker);
    tally_tokenizer_free(tokenizer);
    tally_format_free(format);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
