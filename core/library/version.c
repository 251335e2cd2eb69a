/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of the library: that of python/tallystick/__init__.py, to which a test compares
 * it. */
#include "tallystick/base.h"

const char *tally_version(void)
{
    return "0.1.0";
}
