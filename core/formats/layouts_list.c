/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of several characters: dates, months, departments. Tables of some kilobytes stand for the
 * list of all texts. */
#include <string.h>

#include "base/allocator.h"
#include "formats/layouts_lanes.h"

enum { LIST_STEP = 16, LIST_SETS = 255 };

static uint8_t list_character(uint64_t text, uint32_t width, uint32_t place)
{
    return (uint8_t)(text >> (8 * (width - 1 - place)));
}

/* Numbers the characters of each place, in their order. */
static void list_make_codes(tally_choices *to, const uint64_t *texts, size_t count)
{
    tally_list *list = to->list;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t p = 0; p < to->width; p++) {
            tally_characters_add(&to->characters[p], list_character(texts[i], to->width, p));
        }
    }
    memset(list->code, 0xff, sizeof list->code);
    for (uint32_t p = 0; p < to->width; p++) {
        for (uint32_t c = 0; c < 128; c++) {
            if (tally_characters_have(&to->characters[p], c)) {
                list->code[p][c] = (uint8_t)list->codes[p]++;
            }
        }
    }
}

/* The number that the codes of characters first .. end - 1 make. */
static uint32_t list_number(const tally_list *list, uint64_t text, uint32_t width, uint32_t first,
                            uint32_t end)
{
    uint32_t number = 0;
    for (uint32_t p = first; p < end; p++) {
        number = number * list->codes[p] + list->code[p][list_character(text, width, p)];
    }
    return number;
}

static uint32_t list_numbers(const tally_list *list, uint32_t first, uint32_t end)
{
    uint32_t count = 1;
    for (uint32_t p = first; p < end; p++) {
        count *= list->codes[p];
    }
    return count;
}

/* Where the texts end that have the head of text i. */
static size_t list_head_end(const uint64_t *texts, size_t count, size_t i, uint32_t tail)
{
    size_t end = i;
    while (end < count && texts[end] >> (8 * tail) == texts[i] >> (8 * tail)) {
        end++;
    }
    return end;
}

/* The state while a list is made. */
typedef struct list_job {
    const uint64_t *texts;
    size_t count;
    uint32_t width, tail;
    tally_list *list;
    uint32_t sets;
    struct {
        uint32_t first, size; /* the texts of its first head */
    } set[LIST_SETS];
} list_job;

/* The set of tails of the texts first .. first + size - 1, a new one if need be; LIST_SETS: there
 * are too many. */
static uint32_t list_set(list_job *job, uint32_t first, uint32_t size)
{
    const uint64_t mask = (UINT64_C(1) << (8 * job->tail)) - 1;
    for (uint32_t s = 0; s < job->sets; s++) {
        uint32_t i = 0;
        while (job->set[s].size == size && i < size &&
               ((job->texts[first + i] ^ job->texts[job->set[s].first + i]) & mask) == 0) {
            i++;
        }
        if (i == size) {
            return s;
        }
    }
    if (job->sets < LIST_SETS) {
        job->set[job->sets].first = first;
        job->set[job->sets].size = size;
        return job->sets++;
    }
    return LIST_SETS;
}

static int list_make_heads(list_job *job)
{
    tally_list *list = job->list;
    uint32_t head = 0;
    for (size_t i = 0, end; i < job->count; i = end, head++) {
        end = list_head_end(job->texts, job->count, i, job->tail);
        uint32_t set = list_set(job, (uint32_t)i, (uint32_t)(end - i));
        if (set == LIST_SETS) {
            return 0;
        }
        list->first[head] = (uint32_t)i;
        list->set_of[head] = (uint8_t)set;
        list->head_of[list_number(list, job->texts[i], job->width, 0, list->head)] =
            (uint16_t)(head + 1);
        for (uint32_t p = 0; p < list->head; p++) {
            list->head_text[head * TALLY_LIST_WIDTH + p] =
                list_character(job->texts[i], job->width, p);
        }
        for (size_t digit = (i + LIST_STEP - 1) / LIST_STEP * LIST_STEP; digit < end;
             digit += LIST_STEP) {
            list->head_at[digit / LIST_STEP] = (uint16_t)head;
        }
    }
    list->first[head] = (uint32_t)job->count;
    return 1;
}

static void list_make_tails(const list_job *job)
{
    tally_list *list = job->list;
    for (uint32_t s = 0; s < job->sets; s++) {
        for (uint32_t i = 0; i < job->set[s].size; i++) {
            uint64_t text = job->texts[job->set[s].first + i];
            uint32_t number = list_number(list, text, job->width, list->head, job->width);
            list->offset_of[s * list->tails + number] = (uint16_t)(i + 1);
            for (uint32_t p = 0; p < job->tail; p++) {
                list->tail_text[(s * list->tails + i) * TALLY_LIST_TAIL + p] =
                    list_character(text, job->width, list->head + p);
            }
        }
    }
}

static uint32_t list_count_heads(const list_job *job)
{
    uint32_t heads = 0;
    for (size_t i = 0; i < job->count; heads++) {
        i = list_head_end(job->texts, job->count, i, job->tail);
    }
    return heads;
}

/* Counts the sets of tails, or returns LIST_SETS. */
static uint32_t list_count_sets(list_job *job)
{
    for (size_t i = 0, end; i < job->count; i = end) {
        end = list_head_end(job->texts, job->count, i, job->tail);
        if (list_set(job, (uint32_t)i, (uint32_t)(end - i)) == LIST_SETS) {
            return LIST_SETS;
        }
    }
    return job->sets;
}

static int list_allocate(tally_arena *arena, tally_list *list, uint32_t sets, size_t count)
{
    list->head_of =
        tally_arena_allocate(arena, list_numbers(list, 0, list->head) * sizeof(uint16_t));
    list->first = tally_arena_allocate(arena, (list->heads + 1) * sizeof(uint32_t));
    list->head_text = tally_arena_allocate(arena, (size_t)list->heads * TALLY_LIST_WIDTH);
    list->set_of = tally_arena_allocate(arena, list->heads);
    list->offset_of = tally_arena_allocate(arena, (size_t)sets * list->tails * sizeof(uint16_t));
    list->tail_text = tally_arena_allocate(arena, (size_t)sets * list->tails * TALLY_LIST_TAIL);
    list->head_at = tally_arena_allocate(arena, (count / LIST_STEP + 1) * sizeof(uint16_t));
    return list->head_of != NULL && list->first != NULL && list->head_text != NULL &&
           list->set_of != NULL && list->offset_of != NULL && list->tail_text != NULL &&
           list->head_at != NULL;
}

const tally_choices *tally_layouts_list(tally_layouts *layouts, const uint64_t *texts, size_t count,
                                        uint32_t width, uint32_t tail)
{
    tally_choices *choices = tally_arena_allocate(&layouts->arena, sizeof *choices);
    tally_list *list = tally_arena_allocate(&layouts->arena, sizeof *list);
    list_job job = {.texts = texts, .count = count, .width = width, .tail = tail, .list = list};
    if (choices == NULL || list == NULL) {
        return NULL;
    }
    choices->size = (uint32_t)count;
    choices->width = width;
    choices->list = list;
    list->head = width - tail;
    list_make_codes(choices, texts, count);
    list->heads = list_count_heads(&job);
    list->tails = list_numbers(list, list->head, width);
    uint32_t sets = list_count_sets(&job);
    if (list->heads > UINT16_MAX - 1 || sets == LIST_SETS ||
        !list_allocate(&layouts->arena, list, sets, count) || !list_make_heads(&job)) {
        return NULL;
    }
    list_make_tails(&job);
    return choices;
}

static uint32_t list_read(const tally_list *list, uint32_t width, const uint8_t *text)
{
    uint32_t head = 0, tail = 0, foreign = 0;
    for (uint32_t p = 0; p < list->head; p++) {
        uint32_t code = list->code[p][text[p * TALLY_LAYOUT_ROWS]];
        foreign |= code;
        head = head * list->codes[p] + code;
    }
    for (uint32_t p = list->head; p < width; p++) {
        uint32_t code = list->code[p][text[p * TALLY_LAYOUT_ROWS]];
        foreign |= code;
        tail = tail * list->codes[p] + code;
    }
    if (foreign >= 128) {
        return 0xffff;
    }
    uint32_t number = list->head_of[head];
    if (number == 0) {
        return 0xffff;
    }
    uint32_t offset = list->offset_of[list->set_of[number - 1] * list->tails + tail];
    return offset == 0 ? 0xffff : list->first[number - 1] + offset - 1;
}

static void list_write(const tally_list *list, uint32_t width, uint32_t digit, uint8_t *text)
{
    uint32_t head = list->head_at[digit / LIST_STEP];
    while (list->first[head + 1] <= digit) {
        head++;
    }
    const uint8_t *head_text = list->head_text + (size_t)head * TALLY_LIST_WIDTH;
    const uint8_t *tail_text =
        list->tail_text +
        ((size_t)list->set_of[head] * list->tails + digit - list->first[head]) * TALLY_LIST_TAIL;
    for (uint32_t p = 0; p < list->head; p++) {
        text[p * TALLY_LAYOUT_ROWS] = head_text[p];
    }
    for (uint32_t p = list->head; p < width; p++) {
        text[p * TALLY_LAYOUT_ROWS] = tail_text[p - list->head];
    }
}

const tally_choices *tally_layouts_prefixes(tally_layouts *layouts, const uint8_t chosen[1000])
{
    uint16_t digit[1000], size = 0;
    for (size_t number = 0; number < 1000; number++) {
        const uint16_t is = chosen[number] != 0; /* without a branch: it would be foreseen badly */
        digit[number] = (uint16_t)(size | (is - 1));
        size = (uint16_t)(size + is);
    }
    const uint32_t hash = size + digit[250] * 3U + digit[500] * 5U + digit[750] * 7U;
    const tally_choices **place = &layouts->prefixes[hash % TALLY_LAYOUT_PLANS], *made = *place;
    while (made != NULL &&
           (made->size != size || memcmp(made->prefixes->digit, digit, sizeof digit) != 0)) {
        made = made->before;
    }
    if (made != NULL) {
        return made;
    }
    tally_choices *choices = tally_arena_allocate(&layouts->arena, sizeof *choices);
    tally_prefixes *prefixes =
        tally_arena_allocate(&layouts->arena, sizeof *prefixes + size * sizeof *prefixes->number);
    if (choices == NULL || prefixes == NULL) {
        return NULL;
    }
    choices->before = *place;
    choices->width = 3;
    choices->size = size;
    choices->prefixes = prefixes;
    *place = choices;
    memcpy(prefixes->digit, digit, sizeof digit);
    for (uint16_t number = 0; number < 1000; number++) {
        if (digit[number] != 0xffff) {
            prefixes->number[digit[number]] = number;
        }
    }
    return choices;
}

static uint32_t list_read_prefix(const tally_prefixes *prefixes, const uint8_t *text)
{
    const uint32_t one = text[0] - (uint32_t)'0', two = text[TALLY_LAYOUT_ROWS] - (uint32_t)'0',
                   three = text[2 * TALLY_LAYOUT_ROWS] - (uint32_t)'0';
    return one > 9 || two > 9 || three > 9 ? 0xffff : prefixes->digit[one * 100 + two * 10 + three];
}

static void list_write_prefix(const tally_prefixes *prefixes, uint32_t digit, uint8_t *text)
{
    const uint32_t number = prefixes->number[digit];
    text[0] = (uint8_t)('0' + number / 100);
    text[TALLY_LAYOUT_ROWS] = (uint8_t)('0' + number / 10 % 10);
    text[2 * TALLY_LAYOUT_ROWS] = (uint8_t)('0' + number % 10);
}

uint32_t tally_choices_read(const tally_choices *choices, const uint8_t *text)
{
    return choices->list != NULL ? list_read(choices->list, choices->width, text)
                                 : list_read_prefix(choices->prefixes, text);
}

void tally_choices_write(const tally_choices *choices, uint32_t digit, uint8_t *text)
{
    if (choices->list != NULL) {
        list_write(choices->list, choices->width, digit, text);
    } else {
        list_write_prefix(choices->prefixes, digit, text);
    }
}
