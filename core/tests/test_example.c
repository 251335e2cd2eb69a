/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the example of docs/reference/c.md. */
#define main example
#include "example.c"
#undef main

#include "check.h"

int main(void)
{
    CHECK_EQUAL(example(), EXIT_SUCCESS);
    return check_end("example");
}
