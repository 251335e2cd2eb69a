/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a back end of lanes: undefines the macros of its file, so that another back end may
 * follow in the same unit. It may be included any number of times. */
#undef LANES
#undef LANES_TARGET
#undef LANES_LAYOUTS
#undef LANES_ZERO
#undef LANES_ADD
#undef LANES_SUB
#undef LANES_MIN
#undef LANES_AND
#undef LANES_BROADCAST
#undef LANES_ADD_IF_LESS
#undef LANES_REDUCE_LAZY
#undef LANES_HAS_RECENT
#undef LANES_TOGETHER
