/* SPDX-License-Identifier: Apache-2.0
 *
 * Special bytes with NEON, which every AArch64 has. Included by special.h alone. */

#include <arm_neon.h>

/* The highest bits of 64 bytes that are all zeros or all ones. */
static inline uint64_t tally_csv_bits(const uint8x16_t part[4])
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights);
    /* Sums of neighbours, three times: eight bytes of one bit each become one byte. */
    uint8x16_t low = vpaddq_u8(vandq_u8(part[0], weight), vandq_u8(part[1], weight));
    uint8x16_t high = vpaddq_u8(vandq_u8(part[2], weight), vandq_u8(part[3], weight));
    uint8x16_t sums = vpaddq_u8(low, high);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}

static inline tally_csv_masks tally_csv_find(const tally_csv_special *s, const uint8_t *p)
{
    const uint8x16_t delimiter = vdupq_n_u8((uint8_t)s->delimiter);
    const uint8x16_t quote = vdupq_n_u8((uint8_t)s->quote);
    const uint8x16_t carriage_return = vdupq_n_u8('\r'), line_feed = vdupq_n_u8('\n');
    uint8x16_t quotes[4], ends[4];
    for (unsigned i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8(p + 16 * i);
        uint8x16_t lines = vorrq_u8(vceqq_u8(bytes, carriage_return), vceqq_u8(bytes, line_feed));
        quotes[i] = vceqq_u8(bytes, quote);
        ends[i] = vorrq_u8(vceqq_u8(bytes, delimiter), lines);
    }
    tally_csv_masks masks = {tally_csv_bits(quotes), tally_csv_bits(ends)};
    return masks;
}
