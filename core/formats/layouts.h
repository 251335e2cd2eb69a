/* SPDX-License-Identifier: Apache-2.0
 *
 * Layouts: how values of one width are made of characters that stay, fields that change and check
 * characters (docs/reference/tokens.md, "Layouts"). A format has one or more of them. A value has
 * at most one, and its token has the same.
 *
 * Rows are worked on in blocks of 64 with the characters of a place side by side. */
#ifndef TALLY_FORMATS_LAYOUTS_H
#define TALLY_FORMATS_LAYOUTS_H

#include "formats/format.h"
#include "numbers/mixed.h"

enum {
    TALLY_LAYOUTS = 256,      /* of a pattern, at most */
    TALLY_LAYOUT_WIDTH = 256, /* characters of a value, at most */
    TALLY_LAYOUT_CHECKS = 2,
    TALLY_LAYOUT_ROWS = TALLY_MIXED_ROWS,
    TALLY_LAYOUT_RANGES = 48, /* of a set of printable characters, at most */
    TALLY_LAYOUT_PLANS = 64,
    TALLY_LIST_WIDTH = 8,
    TALLY_LIST_TAIL = 3 /* characters at the end of a list's texts, at most */
};

/* Characters first .. first + count - 1, which have the digits from `base` on. */
typedef struct tally_layout_range {
    uint8_t first, count, base;
} tally_layout_range;

/* A set of printable ASCII characters, as bits. */
typedef struct tally_characters {
    uint64_t bits[2];
} tally_characters;

/* The texts of a field of several characters, in the order of their bytes. A text is a head, which
 * has a number, and a tail of at most three characters, which the head's set of tails has. */
typedef struct tally_list {
    uint8_t code[TALLY_LIST_WIDTH][256]; /* the number of a character among those of its place;
                                          * 0xff: none */
    uint16_t codes[TALLY_LIST_WIDTH];
    uint32_t head;       /* characters of a head */
    uint32_t heads;      /* how many */
    uint32_t tails;      /* combinations of characters of a tail */
    uint16_t *head_of;   /* by a head's codes: its number plus one, or 0 */
    uint32_t *first;     /* of heads + 1: the digit of a head's first text */
    uint8_t *head_text;  /* TALLY_LIST_WIDTH bytes a head */
    uint8_t *set_of;     /* the set of a head's tails */
    uint16_t *offset_of; /* by set and a tail's codes: its place in the set plus one, or 0 */
    uint8_t *tail_text;  /* by set and place: TALLY_LIST_TAIL bytes */
    uint16_t *head_at;   /* by digit / 16: the head of digit - digit % 16 */
} tally_list;

/* Some of the numbers 000 to 999. */
typedef struct tally_prefixes {
    uint16_t digit[1000]; /* of a number; 0xffff: it is none of them */
    uint16_t number[];
} tally_prefixes;

/* The characters of a field. */
typedef struct tally_choices {
    const struct tally_choices *before; /* made before them */
    uint32_t size;                      /* how many, at most 65535 */
    uint32_t width;                     /* characters of each */
    uint32_t ranges;
    tally_layout_range range[TALLY_LAYOUT_RANGES]; /* if the width is 1 */
    tally_characters characters[TALLY_LIST_WIDTH]; /* by place */
    tally_list *list;                              /* if the width is more, */
    tally_prefixes *prefixes;                      /* or instead, for three digits */
} tally_choices;

/* One part of a layout: a literal (the character), choices, or a check character (neither). */
typedef struct tally_layout_part {
    const tally_choices *choices;
    uint8_t literal;
} tally_layout_part;

typedef struct tally_layout_field {
    const tally_choices *choices;
    uint32_t place;
} tally_layout_field;

typedef struct tally_layout_literal {
    uint8_t place, character;
} tally_layout_literal;

typedef struct tally_layout {
    uint32_t width;
    uint32_t literals, fields, checks, symbols;
    const tally_layout_literal *literal;
    const tally_layout_field *field; /* the first weighs most */
    const uint8_t *symbol;           /* the places of all characters of fields */
    uint8_t check[TALLY_LAYOUT_CHECKS];
    uint32_t check_rule; /* a tally_check_rule */
    uint16_t root;       /* TALLY_CHECK_PHONE: of its plan */
    uint16_t in_plan;    /* whether numbers are those of the plan, or those that can be assigned */
    uint32_t kept_size;  /* bytes of a value that are part of its tweak */
    uint8_t kept[32];
    uint64_t size; /* how many values; UINT64_MAX: that many or more */
    const tally_mixed_plan *plan;
    tally_fast_params params;
} tally_layout;

/* Values of one width: which of their layouts it is, which some places decide. */
typedef struct tally_layouts_width {
    uint32_t count; /* layouts */
    uint32_t words; /* of 64 bits that have a bit for each layout */
    uint32_t places;
    const uint16_t *layout;
    const uint8_t *place;
    const uint64_t *possible; /* [places][128][words]: the layouts that allow a character there */
} tally_layouts_width;

/* Memory that is released in one. */
typedef struct tally_arena {
    const tally_allocator *allocator;
    size_t piece; /* bytes that it takes at once; 0: 16 kB */
    struct tally_arena_piece *last;
} tally_arena;

/* `size` zeroed bytes, aligned for any object; NULL: there is no memory. */
void *tally_arena_allocate(tally_arena *arena, size_t size);
void tally_arena_release(tally_arena *arena);

typedef struct tally_layouts {
    tally_arena arena;
    const tally_choices *last;                            /* of one character each */
    const tally_choices *prefixes[TALLY_LAYOUT_PLANS];    /* by a hash */
    struct tally_layouts_plan *plans[TALLY_LAYOUT_PLANS]; /* by a hash of their sizes */
    uint32_t most, count, most_kept;
    tally_layout *layout;                               /* of `most` */
    tally_layouts_width *width[TALLY_LAYOUT_WIDTH + 1]; /* NULL: no value has it */
} tally_layouts;

/* Begins an empty set of at most `most` layouts; NULL: there is no memory. Release it with
 * tally_layouts_free. */
tally_layouts *tally_layouts_new(const tally_allocator *allocator, uint32_t most);
void tally_layouts_free(tally_layouts *layouts);

/* Choices of one character each; equal ones are made once. NULL: there is no memory. */
const tally_choices *tally_layouts_choose(tally_layouts *layouts, tally_characters characters);

/* Choices of texts of one width of 2..8, given in the order of their bytes: text i is the low
 * `width` bytes of texts[i], most significant first. Tails have `tail` characters. NULL: there is
 * no memory, or the texts have too many heads or sets of tails. */
const tally_choices *tally_layouts_list(tally_layouts *layouts, const uint64_t *texts, size_t count,
                                        uint32_t width, uint32_t tail);

/* Choices of three digits: the numbers whose `chosen` is not 0. Equal ones are made once. NULL: there
 * is no memory. */
const tally_choices *tally_layouts_prefixes(tally_layouts *layouts, const uint8_t chosen[1000]);

/* Appends a layout of parts, whose width is at most TALLY_LAYOUT_WIDTH and which has at most
 * TALLY_MIXED_MAX_POSITIONS fields. TALLY_ERROR_MEMORY; TALLY_ERROR_LENGTH: it has no field, too
 * many, or more than 2^256 values. */
tally_status tally_layouts_add(tally_layouts *layouts, const tally_layout_part *parts, size_t count,
                               uint32_t check_rule, const uint8_t *kept, size_t kept_size);

/* Finds two layouts of which a value could be: returns 1 and their numbers, the first pair. */
int tally_layouts_overlap(const tally_layouts *layouts, uint32_t *first, uint32_t *second);

/* Makes the tables that find a value's layout. TALLY_ERROR_MEMORY. */
tally_status tally_layouts_final(tally_layouts *layouts);

/* Sets the smallest domain and the work of a format with these layouts. */
void tally_layouts_describe(const tally_layouts *layouts, tally_format *format);

/* Why a value is invalid, without a key. */
tally_reason tally_layouts_reason(const tally_layouts *layouts, const uint8_t *value, size_t size);

/* The functions of a class whose format->own is a tally_layouts. */
tally_status tally_layouts_text(const tally_format *format, tally_run *run,
                                tally_text_column *column);
tally_status tally_layouts_one(const tally_format *format, tally_run *run, tally_one *one);
void tally_layouts_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                             tally_domain *out);
size_t tally_layouts_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size);
void tally_layouts_destroy(tally_format *format);

static inline int tally_characters_have(const tally_characters *set, uint32_t character)
{
    return character < 128 && (set->bits[character / 64] >> (character % 64) & 1) != 0;
}

static inline void tally_characters_add(tally_characters *set, uint32_t character)
{
    set->bits[character / 64] |= UINT64_C(1) << (character % 64);
}

#endif
