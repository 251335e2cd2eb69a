/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_FAST_LANES_MACROS_H
#define TALLY_FAST_LANES_MACROS_H

#include "base/unroll.h"

#define INLINE TALLY_INLINE
#define UNROLL TALLY_UNROLL(16)

#endif
