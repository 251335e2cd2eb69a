/* SPDX-License-Identifier: Apache-2.0
 *
 * Which national numbers there are behind each calling code. */
#ifndef TALLY_FORMATS_PHONE_PLANS_H
#define TALLY_FORMATS_PHONE_PLANS_H

#include <stddef.h>
#include <stdint.h>

#include "base/unroll.h"

enum {
    TALLY_PHONE_PLANS = 559,
    TALLY_PHONE_REGIONS = 245,
    TALLY_PHONE_DEPTH = 6,  /* digits that decide a number's plan, at most */
    TALLY_PHONE_DIGITS = 15 /* of a number with its calling code, at most */
};

/* Whether a number is one of its plan: its first digits lead from the plan's root through rows of
 * ten to the row at 10 (it is) or at 0, from which no digit leads away. */
extern const uint16_t tally_phone_nodes[];

/* Returns 1 or 0 for the number whose digits, as characters, are `stride` bytes apart; there are
 * TALLY_PHONE_DEPTH characters. Those that are no digits give any result. */
static inline uint16_t tally_phone_in_plan(uint16_t root, const uint8_t *text, size_t stride)
{
    uint32_t node = root;
    TALLY_UNROLL(6)
    for (size_t i = 0; i < TALLY_PHONE_DEPTH; i++) { /* without a branch on a digit */
        const uint32_t digit = (uint32_t)(text[i * stride] - '0') & 15;
        node = tally_phone_nodes[node + (digit < 10 ? digit : 9)];
    }
    return node != 0;
}

/* The national numbers of one size behind one calling code. Those that are of the plan and those
 * that are not are two classes: class 0 is of the plan, class 1 is not. */
typedef struct tally_phone_plan {
    uint16_t code;
    uint8_t size; /* digits */
    uint8_t zero; /* whether numbers may begin with one 0; else none does, and none with 00 here */
    uint16_t root;
    uint64_t numbers[2];
} tally_phone_plan;

extern const tally_phone_plan tally_phone_plans[TALLY_PHONE_PLANS];

/* A region, by its letters of ISO 3166: its calling code, and what comes before national numbers
 * within it. */
typedef struct tally_phone_region {
    char name[3], trunk[4];
    uint16_t code;
} tally_phone_region;

extern const tally_phone_region tally_phone_regions[TALLY_PHONE_REGIONS];

#endif
