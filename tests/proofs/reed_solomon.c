/* SPDX-License-Identifier: Apache-2.0
 *
 * Reed-Solomon: matrices for any coordinates, good and bad, and what they are applied to. */
#include "tallystick/reed_solomon.h"
#include "arbitrary.h"
#include "gf256/gf256.h"

enum { MOST = 4, SIZE = 9 };

uint32_t tally_cpu_features(void)
{
    return 0;
}

int main(void)
{
    static uint8_t from[MOST], to[MOST], matrix[MOST * MOST], bytes[2 * MOST][SIZE];
    const uint8_t *in[MOST];
    uint8_t *out[MOST];
    arbitrary(from, sizeof from);
    arbitrary(to, sizeof to);
    arbitrary(bytes[0], sizeof bytes);
    for (size_t i = 0; i < MOST; i++) {
        in[i] = bytes[i];
        out[i] = bytes[MOST + i];
    }
    for (size_t inputs = 0; inputs <= MOST; inputs++) {
        for (size_t outputs = 0; outputs <= MOST; outputs++) {
            uint8_t *end = matrix + MOST * MOST - inputs * outputs;
            if (tally_reed_solomon_matrix(from + MOST - inputs, inputs, to + MOST - outputs,
                                          outputs, end) == TALLY_OK) {
                tally_reed_solomon_apply(end, in, inputs, outputs, SIZE, out);
            }
        }
    }
    return 0;
}
