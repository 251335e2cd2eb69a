/* SPDX-License-Identifier: Apache-2.0
 *
 * How an index is reduced modulo the radix a before a look-up. */
#ifndef TALLY_FAST_LANES_REDUCTION_H
#define TALLY_FAST_LANES_REDUCTION_H

typedef enum lanes_reduction {
    LANES_REDUCE_NONE, /* the table has an entry for every sum or difference, or a is 256 */
    LANES_REDUCE_MIN,  /* the smaller one of x and x - a (or x + a), as bytes; up to radix 128 */
    LANES_REDUCE_COMPARE
} lanes_reduction;

#endif
