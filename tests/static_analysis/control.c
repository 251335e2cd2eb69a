/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults that the analyzers must find; no program has this. */
#include <stddef.h>

int uninitialized(int which);
int null(int which);
int clone(int which);

int uninitialized(int which)
{
    int values[2];
    values[1] = which;
    return values[0] + values[1];
}

int null(int which)
{
    static const int table[1] = {1};
    const int *entry = which > 3 ? table : NULL;
    return *entry;
}

int clone(int which)
{
    if (which > 3) {
        return which + 1;
    } else {
        return which + 1;
    }
}
