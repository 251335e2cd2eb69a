/* SPDX-License-Identifier: Apache-2.0
 *
 * The control: of two executions one hands the core a byte too few, so Eva must raise an alarm, and
 * there, not here. It calls nothing else of its unit, and that must be seen as well. */
#include "arbitrary.h"
#include "gf256/gf256.h"

int main(void)
{
    static uint8_t secret, coefficient, x[1], first, second;
    uint8_t *const out[2] = {&first, &second};
    arbitrary(&secret, 1);
    arbitrary(&coefficient, 1);
    arbitrary(x, sizeof x);
    tally_gf256_portable.evaluate(TALLY_GF256_AES, &secret, &coefficient, 1, 2, x,
                                  sizeof x + (size_t)either(), 1, out, 0);
    return 0;
}
