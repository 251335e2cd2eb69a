/* SPDX-License-Identifier: Apache-2.0
 *
 * One value of a layout. Vectors have one lane, which compilers keep in ordinary registers: more
 * lanes would be worked on for nothing. */
#include "formats/layouts_lanes.h"

#if defined(__GNUC__)

#include <string.h>

#include "base/unroll.h"

#define LAYOUTS(name) layouts_one_##name
#define LAYOUTS_TARGET
#define LAYOUTS_LANES       1
#define LAYOUTS_BELOW(x, y) ((layouts_one_bytes)((x) < (y)))
#define LAYOUTS_HIGH(x, y)  layouts_one_high(x, y)

typedef uint16_t layouts_one_vec __attribute__((vector_size(2)));
typedef uint8_t layouts_one_bytes __attribute__((vector_size(1)));

TALLY_INLINE layouts_one_vec layouts_one_widen(layouts_one_bytes bytes)
{
    return (layouts_one_vec){bytes[0]};
}

TALLY_INLINE layouts_one_bytes layouts_one_narrow(layouts_one_vec wide)
{
    return (layouts_one_bytes){(uint8_t)wide[0]};
}

TALLY_INLINE layouts_one_vec layouts_one_high(layouts_one_vec x, uint32_t y)
{
    return (layouts_one_vec){(uint16_t)(x[0] * y >> 16)};
}

#include "formats/layouts_body.h"

#undef LAYOUTS
#undef LAYOUTS_TARGET
#undef LAYOUTS_LANES
#undef LAYOUTS_BELOW
#undef LAYOUTS_HIGH

const tally_layout_lanes tally_layout_one = {
    {"one", 0}, layouts_one_read, layouts_one_exclude, layouts_one_write};

#else
typedef int tally_layouts_one_needs_vectors_of_the_compiler; /* a file may not be empty */
#endif
