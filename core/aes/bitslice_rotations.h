/* SPDX-License-Identifier: Apache-2.0
 *
 * Rotations of rows as shuffles of a lane's 16 bytes: the source of each byte. */
#ifndef TALLY_AES_BITSLICE_ROTATIONS_H
#define TALLY_AES_BITSLICE_ROTATIONS_H

#include <stdint.h>

/* Place 4 c + r gets the byte some rows and columns further. */
#define BITSLICE_ROTATE_PLACE(i, rows, columns)                                                    \
    ((4 * ((i) / 4 + (columns)) + ((i) % 4 + (rows)) % 4) % 16)
#define BITSLICE_ROTATE_COLUMN(c, rows, columns)                                                   \
    BITSLICE_ROTATE_PLACE(4 * (c), rows, columns),                                                 \
        BITSLICE_ROTATE_PLACE(4 * (c) + 1, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 2, rows, columns),                                         \
        BITSLICE_ROTATE_PLACE(4 * (c) + 3, rows, columns)
#define BITSLICE_ROTATE(rows, columns)                                                             \
    {                                                                                              \
        BITSLICE_ROTATE_COLUMN(0, rows, columns), BITSLICE_ROTATE_COLUMN(1, rows, columns),        \
            BITSLICE_ROTATE_COLUMN(2, rows, columns), BITSLICE_ROTATE_COLUMN(3, rows, columns)     \
    }

static const _Alignas(16) uint8_t tally_bitslice_next_row[4][16] = {
    BITSLICE_ROTATE(1, 0), BITSLICE_ROTATE(1, 1), BITSLICE_ROTATE(1, 2), BITSLICE_ROTATE(1, 3)};
static const _Alignas(16) uint8_t tally_bitslice_opposite_row[2][16] = {BITSLICE_ROTATE(2, 0),
                                                                        BITSLICE_ROTATE(2, 2)};
static const _Alignas(16) uint8_t tally_bitslice_odd_rows[16] = {0, 9, 2,  11, 4,  13, 6,  15,
                                                                 8, 1, 10, 3,  12, 5,  14, 7};

#endif
