/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of the Arrow C data interface, which may lie. Their structures are checked once,
 * and copied where another thread could change it between the check and its use. How large a buffer
 * is no structure says, but for those of text views: lengths and offsets are taken at their word. */
#ifndef TALLY_ARROW_ARRAY_H
#define TALLY_ARROW_ARRAY_H

#include "arrow/type.h"
#include "tallystick/arrow_c.h"

/* An array with the number of buffers and children that its type has, and a length and an offset
 * whose sum times 64 fits in memory's addresses. */
typedef struct tally_array {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    tally_arrow_type type; /* of a dictionary's indices, if there is one */
    uint64_t rows, offset;
    uint64_t whole; /* offset and rows as it came, if it was narrowed since */
    int64_t nulls;  /* as the array says: -1 if it does not */
    const uint8_t *validity;
    const void *const *buffers;
    uint64_t buffer_count;
    uint64_t child_count;
} tally_array;

/* Opens an array. On failure returns 0, and *why names the damage. */
int tally_array_open(const struct ArrowSchema *schema, const struct ArrowArray *array,
                     tally_array *out, const char **why);

/* Opens the dictionary or a child (below child_count) of an open array. */
int tally_array_open_dictionary(const tally_array *array, tally_array *out, const char **why);
int tally_array_open_child(const tally_array *array, uint64_t child, tally_array *out,
                           const char **why);

/* Copies the bits of the rows, from the first on, to a bitmap of (rows + 7) / 8 bytes, and counts
 * those that are 0. Bits behind the last row become 0. Returns 0 if the number is not what the
 * array says. An array without a bitmap has no zeros. */
int tally_array_validity(const tally_array *array, uint8_t *out, uint64_t *nulls, const char **why);

/* Copies the offsets of rows first..first+rows (rows + 1 of them, of `size` bytes each), less the
 * first, which *start receives. Returns 0 if one is negative or below the one before. `out` is
 * aligned to its integers; `offsets` need not be, and may be NULL if there are no rows. */
int tally_offsets_copy(const void *offsets, uint32_t size, uint64_t first, uint64_t rows, void *out,
                       uint64_t *start, const char **why);

/* Whether text of an open array that ends at `end`, an offset, does so within the text of the array
 * as it came: the offsets of a part may lead beyond its last one. */
int tally_array_has_text(const tally_array *array, uint64_t end, const char **why);

/* A text view: its bytes are in `inlined`, if there are at most 12, or in a buffer. */
typedef struct tally_text_view {
    int32_t size;
    union {
        uint8_t inlined[12];
        struct {
            uint8_t prefix[4];
            int32_t buffer, offset;
        } in;
    } at;
} tally_text_view;

enum { TALLY_VIEW_INLINED = 12 };

/* The bytes of a view of an open array; NULL if it is damaged. `view` must be a copy. */
const uint8_t *tally_array_view(const tally_array *array, const tally_text_view *view);

#endif
