/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns of rows as shuffles of a lane's 16 bytes: which byte comes to each place. */
#ifndef TALLY_AES_BITSLICE_TURNS_H
#define TALLY_AES_BITSLICE_TURNS_H

#include <stdint.h>

/* Place 4 c + r gets what is some rows and columns further. */
#define TURN_PLACE(i, rows, columns) ((4 * ((i) / 4 + (columns)) + ((i) % 4 + (rows)) % 4) % 16)
#define TURN_COLUMN(c, rows, columns)                                                              \
    TURN_PLACE(4 * (c), rows, columns), TURN_PLACE(4 * (c) + 1, rows, columns),                    \
        TURN_PLACE(4 * (c) + 2, rows, columns), TURN_PLACE(4 * (c) + 3, rows, columns)
#define TURN(rows, columns)                                                                        \
    {                                                                                              \
        TURN_COLUMN(0, rows, columns), TURN_COLUMN(1, rows, columns),                              \
            TURN_COLUMN(2, rows, columns), TURN_COLUMN(3, rows, columns)                           \
    }

static const _Alignas(16) uint8_t tally_turns_next[4][16] = {TURN(1, 0), TURN(1, 1), TURN(1, 2),
                                                             TURN(1, 3)};
static const _Alignas(16) uint8_t tally_turns_opposite[2][16] = {TURN(2, 0), TURN(2, 2)};
static const _Alignas(16) uint8_t tally_turns_odd[16] = {0, 9, 2,  11, 4,  13, 6,  15,
                                                         8, 1, 10, 3,  12, 5,  14, 7};

#endif
