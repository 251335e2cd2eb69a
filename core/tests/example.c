/* SPDX-License-Identifier: Apache-2.0
 *
 * The example of docs/reference/c.md, which has the text below this comment: it protects a column
 * of two numbers in place, and reveals it again. test_example.c runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tallystick/tallystick.h"

static void check(tally_status status)
{
    if (status != TALLY_OK) {
        fprintf(stderr, "%s\n", tally_status_text(status));
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static const uint8_t tweak[] = "customer numbers"; /* not secret: names the kind of value */
    uint8_t key[16];
    check(tally_entropy(key, sizeof key));

    /* In memory of the caller: a pool for key and radix; for one thread, a cipher and a
     * workspace. */
    size_t pool_size = tally_fast_pool_size(10), cipher_size = tally_fast_cipher_size(8);
    size_t workspace_size = tally_fast_workspace_size();
    void *pool_memory = malloc(pool_size), *cipher_memory = malloc(cipher_size);
    void *workspace_memory = malloc(workspace_size);
    if (pool_memory == NULL || cipher_memory == NULL || workspace_memory == NULL) {
        exit(EXIT_FAILURE);
    }
    tally_fast_pool *pool = NULL;
    tally_fast_cipher *cipher = NULL;
    tally_fast_workspace *workspace = NULL;
    check(tally_fast_pool_init(TALLY_FAST, 10, key, sizeof key, pool_memory, pool_size, &pool));
    check(tally_fast_cipher_init(pool, 8, cipher_memory, cipher_size, &cipher));
    check(tally_fast_workspace_init(workspace_memory, workspace_size, &workspace));
    tally_wipe(key, sizeof key);

    /* The format: decimal digits are symbols, and a hyphen stays where it is. */
    tally_shape shape = {
        .struct_size = sizeof shape, .radix = 10, .min_symbols = 6, .max_symbols = 12};
    for (uint8_t digit = 0; digit < 10; digit++) {
        shape.kind['0' + digit] = TALLY_BYTE_SYMBOL;
        shape.symbol['0' + digit] = digit;
        shape.letter[0][digit] = shape.letter[1][digit] = (uint8_t)('0' + digit);
    }
    shape.kind['-'] = TALLY_BYTE_KEPT;

    /* A column in Arrow's layout: row i is values[offsets[i] .. offsets[i + 1]). */
    uint8_t values[] = "0815-4711271828";
    static const int32_t offsets[] = {0, 9, 15};
    tally_strings column = {
        .offsets = offsets, .offset_size = sizeof offsets[0], .values = values, .rows = 2};
    uint8_t row_status[2];
    tally_column_report report;
    check(tally_fast_encrypt_column(cipher, workspace, &shape, &column, tweak, sizeof tweak - 1,
                                    NULL, values, row_status, &report));
    printf("tokens %s, valid rows: %d of 2\n", (char *)values, (int)report.rows[TALLY_ROW_OK]);
    check(tally_fast_decrypt_column(cipher, workspace, &shape, &column, tweak, sizeof tweak - 1,
                                    NULL, values, row_status, &report));
    printf("values %s\n", (char *)values);

    tally_fast_cipher_wipe(cipher);
    tally_wipe(pool_memory, pool_size);
    free(workspace_memory);
    free(cipher_memory);
    free(pool_memory);
    return strcmp((char *)values, "0815-4711271828") == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
