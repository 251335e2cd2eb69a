/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of layouts with what every machine has, and the choice of a back end. */
#include <string.h>

#include "base/arch.h"
#include "base/unroll.h"
#include "formats/layouts_lanes.h"

#define LAYOUTS(name) layouts_portable_##name
#define LAYOUTS_TARGET
#if defined(__GNUC__)
#define LAYOUTS_LANES 8
typedef uint32_t layouts_portable_wide __attribute__((vector_size(32)));
#define LAYOUTS_HIGH(x, y)                                                                         \
    __builtin_convertvector(__builtin_convertvector(x, layouts_portable_wide) * (uint32_t)(y) >>   \
                                16,                                                                \
                            layouts_portable_vec)
#else
#define LAYOUTS_LANES      1
#define LAYOUTS_HIGH(x, y) ((uint16_t)((uint32_t)(x) * (y) >> 16))
#endif

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_HIGH

const tally_layout_lanes tally_layout_portable = {
    {"portable", 0}, layouts_portable_read, layouts_portable_write};

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
