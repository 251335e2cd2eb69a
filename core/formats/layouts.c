/* SPDX-License-Identifier: Apache-2.0
 *
 * Layouts as a format makes them, and which of them a value has. */
#include "formats/layouts.h"

#include <string.h>

#include "base/allocator.h"
#include "formats/layouts_lanes.h"

enum { LAYOUTS_PIECE = 1 << 14, LAYOUTS_ALIGNMENT = 16, LAYOUTS_CHARACTERS = 128 };

typedef struct tally_arena_piece {
    struct tally_arena_piece *before;
    size_t size, used; /* with this header */
} tally_arena_piece;

void *tally_arena_allocate(tally_arena *arena, size_t size)
{
    const size_t header =
        (sizeof(tally_arena_piece) + LAYOUTS_ALIGNMENT - 1) / LAYOUTS_ALIGNMENT * LAYOUTS_ALIGNMENT;
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + LAYOUTS_ALIGNMENT - 1) / LAYOUTS_ALIGNMENT * LAYOUTS_ALIGNMENT;
    tally_arena_piece *piece = arena->last;
    if (piece == NULL || piece->size - piece->used < size) {
        const size_t usual = arena->piece != 0 ? arena->piece : LAYOUTS_PIECE;
        size_t whole = header + size > usual ? header + size : usual;
        piece = tally_allocate(arena->allocator, whole);
        if (piece == NULL) {
            return NULL;
        }
        piece->before = arena->last;
        piece->size = whole;
        piece->used = header;
        arena->last = piece;
    }
    void *memory = (uint8_t *)piece + piece->used;
    piece->used += size;
    memset(memory, 0, size);
    return memory;
}

void tally_arena_release(tally_arena *arena)
{
    while (arena->last != NULL) {
        tally_arena_piece *piece = arena->last;
        arena->last = piece->before;
        tally_release(arena->allocator, piece, piece->size);
    }
}

tally_layouts *tally_layouts_new(const tally_allocator *allocator, uint32_t most)
{
    tally_layouts *layouts = tally_allocate(allocator, sizeof *layouts);
    if (layouts != NULL) {
        memset(layouts, 0, sizeof *layouts);
        layouts->arena.allocator = allocator;
        layouts->most = most;
        layouts->layout = tally_arena_allocate(&layouts->arena, most * sizeof *layouts->layout);
        if (layouts->layout == NULL) {
            tally_layouts_free(layouts);
            return NULL;
        }
    }
    return layouts;
}

void tally_layouts_free(tally_layouts *layouts)
{
    if (layouts != NULL) {
        tally_arena_release(&layouts->arena);
        tally_release(layouts->arena.allocator, layouts, sizeof *layouts);
    }
}

const tally_choices *tally_layouts_choose(tally_layouts *layouts, tally_characters characters)
{
    const tally_choices *made = layouts->last;
    while (made != NULL && memcmp(&made->characters[0], &characters, sizeof characters) != 0) {
        made = made->before;
    }
    if (made != NULL) {
        return made;
    }
    tally_choices *choices = tally_arena_allocate(&layouts->arena, sizeof *choices);
    if (choices == NULL) {
        return NULL;
    }
    choices->before = layouts->last;
    layouts->last = choices;
    choices->width = 1;
    choices->characters[0] = characters;
    for (uint32_t c = 0; c < LAYOUTS_CHARACTERS; c++) {
        if (!tally_characters_have(&characters, c)) {
            continue;
        }
        if (c == 0 || !tally_characters_have(&characters, c - 1)) {
            tally_layout_range *range = &choices->range[choices->ranges++];
            range->first = (uint8_t)c;
            range->base = (uint8_t)choices->size;
        }
        choices->range[choices->ranges - 1].count++;
        choices->size++;
    }
    return choices;
}

/* A plan that layouts share. */
typedef struct tally_layouts_plan {
    struct tally_layouts_plan *before; /* made before it */
    tally_mixed_plan plan;
} tally_layouts_plan;

/* Finds the plan of those sizes among those of its hash; *place: where to look, or to add one. */
static tally_layouts_plan *layouts_plan_of(tally_layouts *layouts, const uint32_t *sizes,
                                           uint32_t fields, tally_layouts_plan ***place)
{
    uint32_t hash = fields;
    for (uint32_t i = 0; i < fields; i++) {
        hash = hash * 31 + sizes[i];
    }
    *place = &layouts->plans[hash % TALLY_LAYOUT_PLANS];
    tally_layouts_plan *made = **place;
    while (made != NULL && (made->plan.positions != fields ||
                            memcmp(made->plan.sizes, sizes, fields * sizeof *sizes) != 0)) {
        made = made->before;
    }
    return made;
}

/* Finds or makes the plan of a layout's fields. */
static tally_status layouts_plan(tally_layouts *layouts, tally_layout *layout)
{
    uint32_t sizes[TALLY_MIXED_MAX_POSITIONS] = {0};
    uint64_t size = 1;
    for (uint32_t i = 0; i < layout->fields; i++) {
        const uint32_t field = layout->field[i].choices->size;
        sizes[i] = field;
        size = size > UINT64_MAX / field ? UINT64_MAX : size * field;
    }
    layout->size = size;
    tally_layouts_plan **place, *made = layouts_plan_of(layouts, sizes, layout->fields, &place);
    if (made == NULL) {
        made = tally_arena_allocate(&layouts->arena, sizeof *made);
        if (made == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        const tally_mixed mixed = {sizes, layout->fields};
        if (tally_mixed_make_plan(&mixed, &made->plan) != TALLY_OK) {
            return TALLY_ERROR_LENGTH;
        }
        made->before = *place;
        *place = made;
    }
    const tally_mixed_plan *plan = layout->plan = &made->plan;
    return tally_fast_recommended(TALLY_FAST, plan->radix, plan->length, &layout->params);
}

tally_status tally_layouts_add(tally_layouts *layouts, const tally_layout_part *parts, size_t count,
                               uint32_t check_rule, const uint8_t *kept, size_t kept_size)
{
    tally_layout *layout = &layouts->layout[layouts->count];
    uint32_t literals = 0, fields = 0, symbols = 0;
    for (size_t i = 0; i < count; i++) {
        literals += parts[i].choices == NULL && parts[i].literal != 0;
        fields += parts[i].choices != NULL;
        symbols += parts[i].choices != NULL ? parts[i].choices->width : 0;
    }
    if (layouts->count == layouts->most || fields == 0 || fields > TALLY_MIXED_MAX_POSITIONS) {
        return TALLY_ERROR_LENGTH;
    }
    tally_layout_literal *literal =
        tally_arena_allocate(&layouts->arena, literals * sizeof *literal);
    tally_layout_field *field = tally_arena_allocate(&layouts->arena, fields * sizeof *field);
    uint8_t *symbol = tally_arena_allocate(&layouts->arena, symbols);
    if (literal == NULL || field == NULL || symbol == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(layout, 0, sizeof *layout);
    layout->literal = literal;
    layout->field = field;
    layout->symbol = symbol;
    for (size_t i = 0; i < count; i++) {
        const tally_choices *choices = parts[i].choices;
        uint32_t place = layout->width, width = choices == NULL ? 1 : choices->width;
        if (place + width > TALLY_LAYOUT_WIDTH) {
            return TALLY_ERROR_LENGTH;
        }
        layout->width += width;
        if (choices != NULL) {
            field[layout->fields].choices = choices;
            field[layout->fields++].place = place;
            for (uint32_t k = 0; k < width; k++) {
                symbol[layout->symbols++] = (uint8_t)(place + k);
            }
        } else if (parts[i].literal != 0) {
            literal[layout->literals].place = (uint8_t)place;
            literal[layout->literals++].character = parts[i].literal;
        } else if (layout->checks < TALLY_LAYOUT_CHECKS) {
            layout->check[layout->checks++] = (uint8_t)place;
        }
    }
    layout->check_rule = check_rule;
    layout->kept_size = (uint32_t)kept_size;
    if (kept_size != 0) {
        memcpy(layout->kept, kept, kept_size);
    }
    tally_status status = layouts_plan(layouts, layout);
    if (status != TALLY_OK) {
        return status;
    }
    layouts->most_kept =
        layout->kept_size > layouts->most_kept ? layout->kept_size : layouts->most_kept;
    layouts->count++;
    return TALLY_OK;
}

/* The characters of each place. With `widened`, characters of fields of several characters stand
 * for their whole class: naming the one at fault would reveal the others. */
static void layouts_characters(const tally_layout *layout, int widened,
                               tally_characters out[TALLY_LAYOUT_WIDTH])
{
    const tally_characters digits = {{UINT64_C(0x3ff) << '0', 0}},
                           letters = {{0, UINT64_C(0x3ffffff) << ('A' - 64)}};
    for (uint32_t place = 0; place < layout->width; place++) {
        out[place].bits[0] = digits.bits[0];
        out[place].bits[1] = letters.bits[1];
    }
    for (uint32_t i = 0; i < layout->literals; i++) {
        memset(&out[layout->literal[i].place], 0, sizeof *out);
        tally_characters_add(&out[layout->literal[i].place], layout->literal[i].character);
    }
    for (uint32_t i = 0; i < layout->fields; i++) {
        const tally_choices *choices = layout->field[i].choices;
        for (uint32_t k = 0; k < choices->width; k++) {
            tally_characters *to = &out[layout->field[i].place + k];
            *to = choices->characters[k];
            if (widened && choices->width > 1) {
                to->bits[0] |= (to->bits[0] & digits.bits[0]) != 0 ? digits.bits[0] : 0;
                to->bits[1] |= (to->bits[1] & letters.bits[1]) != 0 ? letters.bits[1] : 0;
            }
        }
    }
}

/* A place where no character is of both layouts; their width if there is none. */
static uint32_t layouts_difference(const tally_layout *one, const tally_characters *of_one,
                                   const tally_characters *of_two)
{
    uint32_t place = 0;
    while (place < one->width && ((of_one[place].bits[0] & of_two[place].bits[0]) |
                                  (of_one[place].bits[1] & of_two[place].bits[1])) != 0) {
        place++;
    }
    return place;
}

int tally_layouts_overlap(const tally_layouts *layouts, uint32_t *first, uint32_t *second)
{
    tally_characters one[TALLY_LAYOUT_WIDTH], two[TALLY_LAYOUT_WIDTH];
    for (uint32_t i = 0; i < layouts->count; i++) {
        layouts_characters(&layouts->layout[i], 0, one);
        for (uint32_t k = 0; k < i; k++) {
            if (layouts->layout[k].width != layouts->layout[i].width) {
                continue;
            }
            layouts_characters(&layouts->layout[k], 0, two);
            if (layouts_difference(&layouts->layout[i], one, two) == layouts->layout[i].width) {
                *first = k;
                *second = i;
                return 1;
            }
        }
    }
    return 0;
}

/* Chooses places whose characters distinguish the layouts of a width, and notes which layouts each
 * character leaves. */
static tally_status layouts_make_width(tally_layouts *layouts, tally_layouts_width *made,
                                       const uint16_t *chosen)
{
    const uint32_t width = layouts->layout[chosen[0]].width;
    const size_t sets = (size_t)made->count * TALLY_LAYOUT_WIDTH;
    tally_characters *all = tally_allocate_many(layouts->arena.allocator, sets, sizeof *all);
    if (all == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint8_t places[TALLY_LAYOUT_WIDTH] = {0};
    uint32_t taken[TALLY_LAYOUT_WIDTH] = {0};
    for (uint32_t i = 0; i < made->count; i++) {
        const tally_characters *one = all + (size_t)i * TALLY_LAYOUT_WIDTH;
        layouts_characters(&layouts->layout[chosen[i]], 0, all + (size_t)i * TALLY_LAYOUT_WIDTH);
        for (uint32_t k = 0; k < i; k++) {
            const tally_characters *two = all + (size_t)k * TALLY_LAYOUT_WIDTH;
            uint32_t apart = 0;
            for (uint32_t p = 0; p < made->places && !apart; p++) {
                apart = ((one[places[p]].bits[0] & two[places[p]].bits[0]) |
                         (one[places[p]].bits[1] & two[places[p]].bits[1])) == 0;
            }
            uint32_t place =
                apart ? width : layouts_difference(&layouts->layout[chosen[i]], one, two);
            if (place < width && !taken[place]) {
                taken[place] = 1;
                places[made->places++] = (uint8_t)place;
            }
        }
    }
    const size_t step = (size_t)LAYOUTS_CHARACTERS * made->words;
    uint8_t *place = tally_arena_allocate(&layouts->arena, made->places);
    uint64_t *possible =
        tally_arena_allocate(&layouts->arena, made->places * step * sizeof *possible);
    if (place != NULL && possible != NULL) {
        memcpy(place, places, made->places);
        for (uint32_t i = 0; i < made->count; i++) {
            for (uint32_t p = 0; p < made->places; p++) {
                for (uint32_t c = 0; c < LAYOUTS_CHARACTERS; c++) {
                    if (tally_characters_have(&all[(size_t)i * TALLY_LAYOUT_WIDTH + places[p]],
                                              c)) {
                        possible[p * step + c * made->words + i / 64] |= UINT64_C(1) << (i % 64);
                    }
                }
            }
        }
        made->place = place;
        made->possible = possible;
    }
    tally_release(layouts->arena.allocator, all, sets * sizeof *all);
    return made->possible != NULL ? TALLY_OK : TALLY_ERROR_MEMORY;
}

tally_status tally_layouts_final(tally_layouts *layouts)
{
    for (uint32_t width = 1; width <= TALLY_LAYOUT_WIDTH; width++) {
        uint16_t chosen[TALLY_LAYOUTS];
        uint32_t count = 0;
        for (uint32_t i = 0; i < layouts->count; i++) {
            if (layouts->layout[i].width == width) {
                chosen[count++] = (uint16_t)i;
            }
        }
        if (count == 0) {
            continue;
        }
        tally_layouts_width *made = tally_arena_allocate(&layouts->arena, sizeof *made);
        uint16_t *layout = tally_arena_allocate(&layouts->arena, count * sizeof *layout);
        if (made == NULL || layout == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        memcpy(layout, chosen, count * sizeof *layout);
        made->count = count;
        made->words = (count + 63) / 64;
        made->layout = layout;
        layouts->width[width] = made;
        tally_status status = count == 1 ? TALLY_OK : layouts_make_width(layouts, made, chosen);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

void tally_layouts_describe(const tally_layouts *layouts, tally_format *format)
{
    uint64_t size = UINT64_MAX;
    for (uint32_t i = 0; i < layouts->count; i++) {
        const tally_layout *layout = &layouts->layout[i];
        const uint64_t work = tally_format_layers(layout->params.radix, layout->params.length, 1);
        size = layout->size < size ? layout->size : size;
        format->work = work > format->work ? work : format->work;
    }
    format->smallest = tally_domain_of_size(size);
}

void tally_layouts_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                             tally_domain *out)
{
    const tally_layouts *layouts = format->own;
    uint64_t smallest = UINT64_MAX;
    int found = 0;
    for (uint32_t i = 0; i < layouts->count; i++) {
        const tally_layout *layout = &layouts->layout[i];
        uint32_t alike = layout->width == size;
        for (uint32_t k = 0; alike && k < layout->literals; k++) {
            alike = value[layout->literal[k].place] == layout->literal[k].character;
        }
        if (alike) {
            found = 1;
            smallest = layout->size < smallest ? layout->size : smallest;
        }
    }
    *out = found ? tally_domain_of_size(smallest) : format->smallest;
}

size_t tally_layouts_place_of_fault(const tally_format *format, tally_reason reason,
                                    const uint8_t *value, size_t size)
{
    const tally_layouts *layouts = format->own;
    size_t farthest = 0;
    (void)reason;
    for (uint32_t i = 0; i < layouts->count; i++) {
        tally_characters places[TALLY_LAYOUT_WIDTH];
        size_t place = 0;
        layouts_characters(&layouts->layout[i], 1, places);
        while (place < size && place < layouts->layout[i].width &&
               tally_characters_have(&places[place], value[place])) {
            place++;
        }
        farthest = place > farthest ? place : farthest;
    }
    return farthest < size ? farthest : SIZE_MAX;
}

void tally_layouts_destroy(tally_format *format)
{
    tally_layouts_free(format->own);
    format->own = NULL;
}
