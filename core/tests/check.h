/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks for the C tests. A check that fails prints its file and line and the test goes on; main
 * ends with `return check_end("name");`, which prints the totals and is nonzero if any check failed
 * or none ran. */
#ifndef TALLY_TESTS_CHECK_H
#define TALLY_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A condition that must hold. */
#define CHECK(condition) ((void)check_that((condition), __FILE__, __LINE__, #condition))

/* Two integers that must be equal; both are printed if they are not. */
#define CHECK_EQUAL(actual, expected)                                                              \
    ((void)check_equal((int64_t)(actual), (int64_t)(expected), __FILE__, __LINE__,                 \
                       #actual " == " #expected))

/* Two runs of `size` bytes that must be equal; the first that differs is printed. */
#define CHECK_BYTES(actual, expected, size)                                                        \
    ((void)check_bytes((actual), (expected), (size), __FILE__, __LINE__, #actual " == " #expected))

/* What the checks that follow are about (a back end, a case), printed with a failure. */
#define CHECK_ABOUT(...)                                                                           \
    ((void)snprintf(check_totals.about, sizeof check_totals.about, __VA_ARGS__))

static struct {
    unsigned long passed, failed;
    char about[160];
} check_totals;

static inline bool check_that(bool holds, const char *file, int line, const char *text)
{
    if (holds) {
        check_totals.passed++;
        return true;
    }
    check_totals.failed++;
    fprintf(stderr, "%s:%d: failed: %s%s%s%s\n", file, line, text,
            check_totals.about[0] != '\0' ? " [" : "", check_totals.about,
            check_totals.about[0] != '\0' ? "]" : "");
    return false;
}

static inline bool check_equal(int64_t actual, int64_t expected, const char *file, int line,
                               const char *text)
{
    if (check_that(actual == expected, file, line, text)) {
        return true;
    }
    fprintf(stderr, "    %" PRId64 " is not %" PRId64 "\n", actual, expected);
    return false;
}

static inline bool check_bytes(const void *actual, const void *expected, size_t size,
                               const char *file, int line, const char *text)
{
    const uint8_t *a = (const uint8_t *)actual, *e = (const uint8_t *)expected;
    if (check_that(size == 0 || memcmp(a, e, size) == 0, file, line, text)) {
        return true;
    }
    size_t i = 0;
    while (a[i] == e[i]) {
        i++;
    }
    fprintf(stderr, "    byte %zu of %zu is %02x, not %02x\n", i, size, a[i], e[i]);
    return false;
}

/* Whether main was asked for its vectors alone, by the argument "vectors". */
static inline bool check_vectors_only(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "vectors") == 0;
}

static inline int check_end(const char *name)
{
    printf("%s: %lu passed, %lu failed\n", name, check_totals.passed, check_totals.failed);
    return check_totals.failed == 0 && check_totals.passed > 0 ? 0 : 1;
}

#endif
