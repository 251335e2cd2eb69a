/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of constant time under valgrind's memcheck: secrets are marked as undefined, and memcheck
 * reports each branch and each address that depends on them (A. Langley's ctgrind). A program that
 * includes this defines `check`, and is run as
 *
 *     valgrind --error-exitcode=1 PROGRAM            must report nothing
 *     valgrind --error-exitcode=1 PROGRAM branch     a branch on a secret; memcheck must report it
 *     valgrind --error-exitcode=1 PROGRAM address    a table look-up by a secret; likewise
 *
 * Exit code 2: the check itself does not work, for one because it does not run under valgrind. */
#ifndef TALLY_TESTS_SECRET_H
#define TALLY_TESTS_SECRET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

static void check(void);

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "constant time: %s\n", what);
    exit(2);
}

static void make_secret(void *memory, size_t size)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(memory, size);
}

/* An output must be undefined too: otherwise the secrets were lost on the way, and nothing was
 * checked. */
static void expect_secret(const uint8_t *memory, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t undefined_bits = 0;
        (void)VALGRIND_GET_VBITS(memory + i, &undefined_bits, 1);
        if (undefined_bits != 0xff) {
            fail("an output does not depend on the secrets");
        }
    }
}

/* The controls, which do what the core must not. */
static int leak(bool by_branch)
{
    static const uint8_t table[256] = {7};
    uint8_t secret = 42;
    make_secret(&secret, 1);
    volatile uint8_t result = 0;
    if (!by_branch) {
        result = table[secret];
    } else if (secret == 42) {
        result = 1;
    }
    (void)result;
    return 0;
}

int main(int argc, char **argv)
{
    if (RUNNING_ON_VALGRIND == 0) {
        fail("must run under valgrind");
    }
    if (argc == 2 && (strcmp(argv[1], "branch") == 0 || strcmp(argv[1], "address") == 0)) {
        return leak(strcmp(argv[1], "branch") == 0);
    }
    if (argc != 1) {
        fail("the only arguments are \"branch\" and \"address\"");
    }
    check();
    return 0;
}

#endif
