/* SPDX-License-Identifier: Apache-2.0
 *
 * In the place of core/base/cpu.c: an Armv6-M has no feature to detect, and some compilers have no
 * atomic variables for it. */
#include "tallystick/base.h"

uint32_t tally_cpu_features(void)
{
    return 0;
}
