/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a file that includes rounds_body.h or fours_body.h: the next one defines these
 * anew. */
#undef SHA2
#undef SHA2_ADD
#undef SHA2_AND
#undef SHA2_BLOCK
#undef SHA2_CH
#undef SHA2_CHAIN
#undef SHA2_CONSTANTS
#undef SHA2_EIGHT_NEXT
#undef SHA2_EIGHT_ROUNDS
#undef SHA2_FOUR_CONSTANTS
#undef SHA2_LANES
#undef SHA2_LOAD
#undef SHA2_LOAD_WORD
#undef SHA2_LOWER
#undef SHA2_MAJ
#undef SHA2_MOST_MESSAGES
#undef SHA2_NEXT
#undef SHA2_OR
#undef SHA2_PAIR
#undef SHA2_PICK
#undef SHA2_READ
#undef SHA2_ROR
#undef SHA2_ROUND
#undef SHA2_ROUNDS
#undef SHA2_SCHEDULE0
#undef SHA2_SCHEDULE1
#undef SHA2_SHR
#undef SHA2_SPREAD
#undef SHA2_STORE
#undef SHA2_SUM0
#undef SHA2_SUM1
#undef SHA2_TARGET
#undef SHA2_UPPER
#undef SHA2_VEC
#undef SHA2_WORD
#undef SHA2_WORDS
#undef SHA2_XOR
#undef SHA2_XOR3
