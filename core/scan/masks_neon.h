/* SPDX-License-Identifier: Apache-2.0
 *
 * Classes of bytes with NEON, which every AArch64 has. Included by masks.h alone. */

#include <arm_neon.h>

/* The highest bits of 64 bytes that are all zeros or all ones. */
static inline uint64_t scan_bits(const uint8x16_t part[4])
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights);
    const uint8x16_t low = vpaddq_u8(vandq_u8(part[0], weight), vandq_u8(part[1], weight)),
                     high = vpaddq_u8(vandq_u8(part[2], weight), vandq_u8(part[3], weight));
    const uint8x16_t sums = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

static inline uint8x16_t scan_range(uint8x16_t bytes, uint8_t first, uint8_t count)
{
    return vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8(count));
}

static inline scan_masks scan_find(const uint8_t *p)
{
    uint8x16_t word[4], digit[4], base64[4], at[4], colon[4], plus[4], hyphen[4], dot[4], under[4],
        wide[4];
    for (uint32_t i = 0; i < 4; i++) {
        const uint8x16_t bytes = vld1q_u8(p + 16 * i), lower = vorrq_u8(bytes, vdupq_n_u8(0x20));
        under[i] = vceqq_u8(bytes, vdupq_n_u8('_'));
        digit[i] = scan_range(bytes, '0', 10);
        plus[i] = vceqq_u8(bytes, vdupq_n_u8('+'));
        hyphen[i] = vceqq_u8(bytes, vdupq_n_u8('-'));
        dot[i] = vceqq_u8(bytes, vdupq_n_u8('.'));
        wide[i] = vcgeq_u8(bytes, vdupq_n_u8(0xc0));
        word[i] = vorrq_u8(vorrq_u8(digit[i], scan_range(lower, 'a', 26)), under[i]);
        base64[i] = vorrq_u8(vorrq_u8(word[i], plus[i]),
                             vorrq_u8(hyphen[i], vceqq_u8(bytes, vdupq_n_u8('/'))));
        at[i] = vceqq_u8(bytes, vdupq_n_u8('@'));
        colon[i] = vceqq_u8(bytes, vdupq_n_u8(':'));
    }
    const scan_masks masks = {scan_bits(word),  scan_bits(digit), scan_bits(base64), scan_bits(at),
                              scan_bits(colon), scan_bits(plus),  scan_bits(hyphen), scan_bits(dot),
                              scan_bits(under), scan_bits(wide)};
    return masks;
}
