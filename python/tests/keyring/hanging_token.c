/* SPDX-License-Identifier: Apache-2.0
 *
 * A library of PKCS#11 (2.40) all of whose functions hang, for tests of the bounded wait. */
#include <stddef.h>
#include <unistd.h>

enum { FUNCTIONS = 68 };

static unsigned long hang(void)
{
    while (1) {
        pause();
    }
    return 0;
}

static struct {
    unsigned char major, minor;
    unsigned long (*functions[FUNCTIONS])(void);
} list = {2, 40, {NULL}};

unsigned long C_GetFunctionList(void **out)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        list.functions[i] = hang;
    }
    *out = &list;
    return 0;
}
