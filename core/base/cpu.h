/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU features for tests: one machine reaches every back end that it has. Not part of the public
 * API. */
#ifndef TALLY_BASE_CPU_H
#define TALLY_BASE_CPU_H

#include "tallystick/base.h"

/* Disables the CPU features that are not in `allowed` and returns the features that remain.
 * UINT32_MAX restores all features. Existing keys and pools do not change their back end. Do not
 * call it while other threads set up keys. */
uint32_t tally_cpu_lower(uint32_t allowed);

#endif
