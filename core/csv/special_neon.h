/* SPDX-License-Identifier: Apache-2.0
 *
 * Special bytes with NEON, which every AArch64 has. Included by special.h alone. */

#include <arm_neon.h>

static inline uint64_t tally_csv_special_mask(const tally_csv_special *s, const uint8_t *p)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t delimiter = vdupq_n_u8((uint8_t)s->delimiter);
    const uint8x16_t quote = vdupq_n_u8((uint8_t)s->quote);
    const uint8x16_t carriage_return = vdupq_n_u8('\r'), line_feed = vdupq_n_u8('\n');
    const uint8x16_t weight = vld1q_u8(weights);
    uint8x16_t part[4];
    for (unsigned i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8(p + 16 * i);
        uint8x16_t fields = vorrq_u8(vceqq_u8(bytes, delimiter), vceqq_u8(bytes, quote));
        uint8x16_t lines = vorrq_u8(vceqq_u8(bytes, carriage_return), vceqq_u8(bytes, line_feed));
        part[i] = vandq_u8(vorrq_u8(fields, lines), weight);
    }
    /* Sums of neighbours, three times: eight bytes of one bit each become one byte. */
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(part[0], part[1]), vpaddq_u8(part[2], part[3]));
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}
