/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of layouts in portable C, and the choice of a back end. */
#include <string.h>

#include "base/arch.h"
#include "base/unroll.h"
#include "formats/layouts_lanes.h"

#define LAYOUTS(name) layouts_portable_##name
#define LAYOUTS_TARGET
#if defined(__GNUC__)
#define LAYOUTS_LANES 8
typedef uint16_t layouts_portable_vec __attribute__((vector_size(16)));
typedef uint32_t layouts_portable_wide __attribute__((vector_size(32)));
typedef uint8_t layouts_portable_bytes __attribute__((vector_size(8)));
#define LAYOUTS_CONVERT(type, from) __builtin_convertvector(from, type)
#define LAYOUTS_BELOW(x, y)         ((layouts_portable_bytes)((x) < (y)))
#else
#define LAYOUTS_LANES               1
typedef uint16_t layouts_portable_vec;
typedef uint32_t layouts_portable_wide;
typedef uint8_t layouts_portable_bytes;
#define LAYOUTS_CONVERT(type, from) ((type)(from))
#define LAYOUTS_BELOW(x, y)         ((uint8_t)(0 - ((x) < (y))))
#endif
#define LAYOUTS_HIGH(x, y)                                                                         \
    LAYOUTS_CONVERT(layouts_portable_vec,                                                          \
                    LAYOUTS_CONVERT(layouts_portable_wide, x) * (uint32_t)(y) >> 16)

TALLY_INLINE layouts_portable_vec layouts_portable_widen(layouts_portable_bytes bytes)
{
    return LAYOUTS_CONVERT(layouts_portable_vec, bytes);
}

TALLY_INLINE layouts_portable_bytes layouts_portable_narrow(layouts_portable_vec wide)
{
    return LAYOUTS_CONVERT(layouts_portable_bytes, wide);
}

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH
#undef LAYOUTS_BELOW
#undef LAYOUTS_CONVERT

const tally_layout_lanes tally_layout_portable = {
    {"portable", 0}, layouts_portable_read, layouts_portable_exclude, layouts_portable_write};

/* The fastest first. */
static const tally_backend *const layouts_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_layout_avx512.backend,
    &tally_layout_avx2.backend,
#endif
    &tally_layout_portable.backend,
};

const tally_layout_lanes *tally_layout_lanes_choose(void)
{
    return (const tally_layout_lanes *)tally_dispatch(
        layouts_backends, sizeof layouts_backends / sizeof *layouts_backends);
}
