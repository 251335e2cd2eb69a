/* SPDX-License-Identifier: Apache-2.0
 *
 * The direction of a cipher. */
#ifndef TALLY_BASE_DIRECTION_H
#define TALLY_BASE_DIRECTION_H

typedef enum tally_direction { TALLY_ENCRYPT = 0, TALLY_DECRYPT = 1 } tally_direction;

#endif
