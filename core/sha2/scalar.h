/* SPDX-License-Identifier: Apache-2.0
 *
 * A lane of rounds_body.h in C: a vector is a word. */
#include "base/bytes.h"

typedef word vec;

#define LANES         1
#define ADD(x, y)     ((x) + (y))
#define ROR(x, n)     ((x) >> (n) | (x) << (8 * sizeof(word) - (n)))
#define SHR(x, n)     ((x) >> (n))
#define XOR3(x, y, z) ((x) ^ (y) ^ (z))
#define CH(x, y, z)   ((z) ^ ((x) & ((y) ^ (z))))
#define MAJ(x, y, z)  (((x) & (y)) | ((z) & ((x) | (y))))
#define SPREAD(x)     (x)
#define LOAD(from)    (*(from))
#define STORE(x, to)  (*(to) = (x))

static inline void load_block(const uint8_t *const data[], size_t offset, vec w[16])
{
    for (size_t i = 0; i < 16; i++) {
        w[i] = LOAD_WORD(data[0] + offset + i * sizeof(word));
    }
}
