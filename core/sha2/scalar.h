/* SPDX-License-Identifier: Apache-2.0
 *
 * A lane of rounds_body.h in C: a vector is a word. */
#include "base/bytes.h"

#define SHA2_VEC SHA2_WORD

#define SHA2_LANES         1
#define SHA2_ADD(x, y)     ((x) + (y))
#define SHA2_ROR(x, n)     ((x) >> (n) | (x) << (8 * sizeof(SHA2_WORD) - (n)))
#define SHA2_SHR(x, n)     ((x) >> (n))
#define SHA2_XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define SHA2_CH(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define SHA2_MAJ(x, y, z)  (((x) & (y)) | ((z) & ((x) | (y))))
#define SHA2_SPREAD(x)     (x)
#define SHA2_LOAD(from)    (*(from))
#define SHA2_STORE(x, to)  (*(to) = (x))

static inline void SHA2(load_block)(const uint8_t *const data[], size_t offset, SHA2_VEC w[16])
{
    for (size_t i = 0; i < 16; i++) {
        w[i] = SHA2_LOAD_WORD(data[0] + offset + i * sizeof(SHA2_WORD));
    }
}
