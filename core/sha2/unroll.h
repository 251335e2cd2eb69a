/* SPDX-License-Identifier: Apache-2.0
 *
 * What engines share that keep a whole block in registers. */
#ifndef TALLY_SHA2_UNROLL_H
#define TALLY_SHA2_UNROLL_H

#include "base/unroll.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL TALLY_UNROLL(40)

#endif
