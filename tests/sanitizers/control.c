/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults on purpose, which a sanitizer or valgrind must see; all but the leak in code of the core,
 * which shows that the core too is looked at. One argument names a fault to be done. More of them
 * name each a fault, for a process of its own, and the words that must then be said. */
#include <sys/wait.h>
#include <unistd.h>

#include "tallystick/fast.h"
#include "tests/check.h"

#include <stdlib.h>

static void do_fault(const char *fault)
{
    volatile uint32_t length = 8;
    tally_status status;
    tally_fast_params *volatile out = malloc(strcmp(fault, "address") == 0 ? 4 : sizeof *out + 1);
    if (strcmp(fault, "undefined") == 0) { /* an address that is not aligned */
        status = tally_fast_recommended(TALLY_FAST, 10, length, (void *)((char *)out + 1));
    } else if (strcmp(fault, "memory") == 0) { /* a length that nobody has set */
        status = tally_fast_recommended(TALLY_FAST, 10, out->length, out);
    } else {
        status = tally_fast_recommended(TALLY_FAST, 10, length, out);
    }
    (void)status;
    if (strcmp(fault, "leak") != 0) {
        free(out);
    }
    out = NULL;
}

/* Does a fault, and looks for the words in what is said of it. */
static void check_seen(const char *fault, const char *words)
{
    static char said[1 << 16];
    int ends[2], status = 0;
    size_t size = 0;
    CHECK_ABOUT("%s", fault);
    fflush(NULL);
    if (pipe(ends) != 0) {
        abort();
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        do_fault(fault);
        exit(0);
    }
    close(ends[1]);
    for (ssize_t some = 1; some > 0 && size < sizeof said - 1; size += (size_t)some) {
        some = read(ends[0], said + size, sizeof said - 1 - size);
        some = some < 0 ? 0 : some;
    }
    said[size] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    CHECK(status != 0);
    if (!check_that(strstr(said, words) != NULL, __FILE__, __LINE__, words)) {
        fprintf(stderr, "%s\n", said);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        do_fault(argv[1]);
        return 0;
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        check_seen(argv[i], argv[i + 1]);
    }
    return check_end("sanitizers");
}
