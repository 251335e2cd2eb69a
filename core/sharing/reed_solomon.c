/* SPDX-License-Identifier: Apache-2.0
 *
 * Reed-Solomon by interpolation: a row of a matrix is Lagrange's weights for one point. */
#include "tallystick/reed_solomon.h"

#include "gf256/gf256.h"

enum {
    REED_SOLOMON_CHUNK = 1 << 18 /* bytes of inputs that the L2 cache holds for all outputs */
};

tally_status tally_reed_solomon_matrix(const uint8_t *from, size_t inputs, const uint8_t *to,
                                       size_t outputs, uint8_t *matrix)
{
    uint8_t used[256] = {1};
    if (inputs < 1 || inputs > TALLY_GF256_POINTS || outputs < 1 || outputs > TALLY_GF256_POINTS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < inputs + outputs; i++) {
        if (used[i < inputs ? from[i] : to[i - inputs]]++ != 0) {
            return TALLY_ERROR_ARGUMENT;
        }
    }
    for (size_t j = 0; j < outputs; j++) {
        tally_gf256_weights(TALLY_GF256_AES, from, inputs, to[j], matrix + j * inputs);
    }
    return TALLY_OK;
}

void tally_reed_solomon_apply(const uint8_t *matrix, const uint8_t *const in[], size_t inputs,
                              size_t outputs, size_t size, uint8_t *const out[])
{
    const struct tally_gf256_backend *gf = tally_gf256();
    const size_t most = (REED_SOLOMON_CHUNK / inputs + 63) / 64 * 64;
    for (size_t done = 0; done < size; done += most) {
        gf->combine(TALLY_GF256_AES, matrix, in, inputs, outputs, done,
                    size - done < most ? size - done : most, out);
    }
}
