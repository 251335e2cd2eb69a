/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice among translations, and the tables of a shape. */
#include "columns/translate.h"

#include <string.h>

#include "base/arch.h"

/* The fastest first. */
static const tally_backend *const translate_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_translate_avx512.backend,
    &tally_translate_avx2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_translate_neon.backend,
#elif defined(TALLY_ARCH_WASM_SIMD128)
    &tally_translate_simd128.backend,
#endif
    NULL,
};

const tally_translate *tally_translate_choose(const tally_fast_lanes *lanes)
{
    return (const tally_translate *)tally_dispatch_within(
        translate_backends, sizeof translate_backends / sizeof *translate_backends,
        lanes->backend.needs);
}

/* Whether the symbols are bytes that follow each other, in order: digits, or letters of one case. */
static int translate_is_run(const tally_shape *shape)
{
    const uint32_t first = shape->letter[0][0];
    for (uint32_t byte = 0; byte < 256; byte++) {
        const int inside = byte - first < shape->radix;
        const uint8_t kind = shape->kind[byte];
        if (kind == TALLY_BYTE_UPPER || (kind == TALLY_BYTE_SYMBOL) != inside ||
            (inside &&
             (shape->symbol[byte] != byte - first || shape->letter[0][byte - first] != byte))) {
            return 0;
        }
    }
    return 1;
}

int tally_translate_tables_init(const tally_shape *shape, tally_translate_tables *out)
{
    memset(out, 0, sizeof *out);
    if (shape->radix > 128) {
        return 0;
    }
    for (int byte = 0; byte < 256; byte++) {
        uint8_t kind = shape->kind[byte];
        if (byte >= 128) {
            if (kind != TALLY_BYTE_FOREIGN) {
                return 0;
            }
            continue;
        }
        int is_symbol = kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
        out->code[byte] = is_symbol ? shape->symbol[byte] : (uint8_t)(128 | kind);
        out->upper[byte] = kind == TALLY_BYTE_UPPER ? 128 : 0;
        out->delimiters |= kind == TALLY_BYTE_DELIMITER;
        out->has_upper |= kind == TALLY_BYTE_UPPER;
    }
    out->last = (uint8_t)(shape->radix - 1);
    out->is_run = translate_is_run(shape);
    memcpy(out->letter[0], shape->letter[0], 128);
    memcpy(out->letter[1], shape->letter[1], 128);
    return 1;
}
