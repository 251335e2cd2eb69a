/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and loops of back ends that keep a whole block in registers. */
#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#include "base/unroll.h"

#define SHA2_INLINE static inline __attribute__((always_inline))
#define SHA2_UNROLL TALLY_UNROLL(40)

#endif
