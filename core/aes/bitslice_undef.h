/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a file that includes bitslice_body.h or bitslice_sbox.h: the next one defines these
 * anew. */
#undef BITSLICE
#undef BITSLICE_EACH
#undef BITSLICE_EACH_PLANE
#undef BITSLICE_FEW
#undef BITSLICE_GROUP
#undef BITSLICE_INLINE
#undef BITSLICE_KEYS
#undef BITSLICE_LANES
#undef BITSLICE_MANY
#undef BITSLICE_NEXT_ROW
#undef BITSLICE_OPPOSITE_ROW
#undef BITSLICE_PLANE
#undef BITSLICE_ROTATE_ODD_ROWS
#undef BITSLICE_ROUND_KEY
#undef BITSLICE_SUB_AND_SHIFT
#undef BITSLICE_TARGET
