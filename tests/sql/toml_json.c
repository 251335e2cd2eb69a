/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads texts from standard input, each after a line with its size, and writes what TOML of it is as
 * JSON, in the same way; '!' and the message if it is none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "toml.h"

int main(void)
{
    size_t size;
    while (scanf("%zu", &size) == 1 && getchar() == '\n') {
        char *const text = malloc(size);
        if (text == NULL || fread(text, 1, size, stdin) != size) return EXIT_FAILURE;
        tally_problem problem = {"", ""};
        char *json = NULL;
        size_t json_size = 0;
        if (tally_toml_to_json(text, size, &json, &json_size, &problem) == TALLY_OK) {
            printf("%zu\n", json_size);
            fwrite(json, 1, json_size, stdout);
        } else {
            char message[2048];
            const int written =
                snprintf(message, sizeof message, "!%s: %s", problem.place, problem.text);
            printf("%d\n%s", written, message);
        }
        free(json);
        free(text);
    }
    return EXIT_SUCCESS;
}
