/* SPDX-License-Identifier: Apache-2.0
 *
 * The first pass over a text, and which of overlapping findings stays: the more certain one, of
 * these the longer one, of these the first. */
#include "scan/scanner.h"

#include <string.h>

#include "base/allocator.h"
#include "base/bits.h"
#include "scan/masks.h"

void tally_scan_add(tally_scanner *s, const uint8_t *at, size_t size, tally_scan_kind kind,
                    uint32_t rule, uint32_t certainty)
{
    if (certainty < s->rules->least || !scan_wants(s, kind)) {
        return;
    }
    const uint32_t place = (uint32_t)(scan_offset(s, at) % SCAN_WINDOW);
    scan_candidate *there = &s->candidates[place];
    const uint64_t bit = UINT64_C(1) << (place % 64);
    if ((s->is_candidate[place / 64] & bit) == 0 || certainty > there->certainty ||
        (certainty == there->certainty && size > there->size)) {
        *there = (scan_candidate){(uint32_t)size, kind, certainty, rule};
        s->is_candidate[place / 64] |= bit;
    }
}

static void scan_emit(tally_scanner *s)
{
    if (s->held.size != 0) {
        s->out[s->count++] = (tally_scan_finding){s->held_at, s->held.size, s->held.kind,
                                                  s->held.certainty, s->held.rule};
    }
    s->held.size = 0;
}

/* Chooses between the candidates of a block and the one that is held. `block`: the offset of the
 * block, modulo 2^64. */
static void scan_choose(tally_scanner *s, uint64_t block)
{
    uint64_t *bits = &s->is_candidate[block % SCAN_WINDOW / 64];
    for (; *bits != 0; *bits &= *bits - 1) {
        const uint64_t at = block + tally_bits_lowest(*bits);
        const scan_candidate *one = &s->candidates[at % SCAN_WINDOW];
        if (s->held.size == 0 || at >= s->held_at + s->held.size) {
            scan_emit(s);
            s->held = *one;
            s->held_at = at;
        } else if (one->certainty > s->held.certainty ||
                   (one->certainty == s->held.certainty && one->size > s->held.size)) {
            s->held = *one;
            s->held_at = at;
        }
    }
    if (s->held.size != 0 && s->held_at + s->held.size <= block + SCAN_BLOCK) {
        scan_emit(s); /* what begins later does not overlap it */
    }
}

/* The digits at a place, 64 or more as 64. `bits` has those of the block, `left` bytes. */
static size_t scan_digits(const uint8_t *at, uint64_t bits, uint32_t left)
{
    uint32_t size = ~bits != 0 ? tally_bits_lowest(~bits) : SCAN_BLOCK;
    if (size == left) { /* it may go on in the next block */
        while (size < SCAN_BLOCK && scan_is(at[size], SCAN_DIGIT)) {
            size++;
        }
    }
    return size;
}

/* The bits behind which so many bits follow, in the block or the one before. */
static uint64_t scan_longer(uint64_t bits, uint64_t before, uint64_t *before_out, uint32_t by)
{
    *before_out = before & before << by;
    return bits & (bits << by | before >> (64 - by));
}

static void scan_each(tally_scanner *s, const uint8_t *p, uint64_t places,
                      void (*recognize)(tally_scanner *s, const uint8_t *at))
{
    for (; places != 0; places &= places - 1) {
        recognize(s, p + tally_bits_lowest(places));
    }
}

/* The places with a bit of `bits` at a distance behind them, or with the next block there. */
static uint64_t scan_before(uint64_t bits, uint32_t distance)
{
    return bits >> distance | UINT64_MAX << (SCAN_BLOCK - distance);
}

/* Words, of which masks leave few to look at: in logs most are short numbers, dates and names. */
static void scan_each_word(tally_scanner *s, const uint8_t *p, uint64_t starts,
                           const scan_masks *masks)
{
    const uint64_t digit = masks->digit, hyphen = masks->hyphen, dot = masks->dot;
    const uint64_t goes_on = (dot | hyphen) << 1 & masks->word << 2; /* 5 and 7 in 2.5-7 */
    uint64_t left = starts & digit & ~goes_on;
    for (; left != 0; left &= left - 1) {
        const uint32_t place = tally_bits_lowest(left);
        tally_scan_number(s, p + place, scan_digits(p + place, digit >> place, SCAN_BLOCK - place));
    }
    scan_each(s, p,
              starts & ~digit &
                  (scan_before(digit | hyphen, 1) | scan_before(digit, 2) | scan_before(digit, 6)),
              tally_scan_letters);
    scan_each(s, p,
              starts & (scan_before(hyphen, 2) | scan_before(dot, 4) | scan_before(hyphen, 8)),
              tally_scan_hexadecimal);
    for (; starts != 0; starts &= starts - 1) {
        const uint8_t *at = p + tally_bits_lowest(starts);
        if (scan_begins(s->rules, at)) {
            tally_scan_prefixed(s, at);
        }
        if (at[0] == 'e' && at[1] == 'y' && at[2] == 'J') {
            tally_scan_jwt(s, at);
        }
    }
}

/* Looks at one block, of which `some` bits are of the text. */
static void scan_block(tally_scanner *s, const uint8_t *p, uint64_t some)
{
    scan_masks masks = scan_find(p);
    masks.word &= some;
    const uint64_t word_before = s->word_before,
                   starts = masks.word & ~(masks.word << 1 | word_before >> 63);
    scan_each_word(s, p, starts, &masks);
    s->word_before = masks.word;
    /* Runs of 20: bit i is set if bits i - 19 .. i are. */
    uint64_t before = s->base64_before, run = masks.base64 & some;
    s->base64_before = run;
    if (run != 0) {
        uint64_t two = scan_longer(run, before, &before, 1);
        uint64_t four = scan_longer(two, before, &before, 2);
        const uint64_t four_before = before;
        uint64_t eight = scan_longer(four, before, &before, 4);
        uint64_t sixteen = scan_longer(eight, before, &before, 8);
        const uint64_t twenty = sixteen & (four << 16 | four_before >> 48);
        const uint64_t last = before & four_before << 16; /* its bit 63 alone is needed */
        scan_each(s, p - 19, twenty & ~(twenty << 1 | last >> 63), tally_scan_run);
    }
    if (s->rules->wide) {
        scan_each(s, p, masks.wide & some & ~(masks.word << 1 | word_before >> 63),
                  tally_scan_prefixed);
    }
    scan_each(s, p, masks.at & some, tally_scan_at);
    scan_each(s, p, masks.colon & some, tally_scan_colon);
    if (masks.plus != 0) {
        scan_each(s, p, masks.plus & some, tally_scan_plus);
    }
    const uint64_t hyphens = masks.hyphen;
    if ((hyphens & hyphens >> 1) != 0 || hyphens >> 63 != 0) {
        scan_each(s, p, hyphens & some & (hyphens >> 1 | UINT64_C(1) << 63), tally_scan_hyphens);
    }
    scan_choose(s, scan_offset(s, p) - 2 * SCAN_BLOCK);
}

uint32_t tally_scan_context(tally_scanner *s, const uint8_t *at)
{
    enum { BEFORE = 48 };
    const scan_masks masks = scan_find(at - SCAN_BLOCK);
    const uint64_t word = masks.word & ~masks.under;
    uint64_t starts = word & ~(word << 1) & UINT64_MAX << (SCAN_BLOCK - BEFORE);
    uint32_t found = 0;
    for (; starts != 0; starts &= starts - 1) {
        const uint32_t first = tally_bits_lowest(starts);
        const uint64_t behind = ~word >> first;
        const uint32_t size = behind != 0 ? tally_bits_lowest(behind) : SCAN_BLOCK - first;
        found |= size > 1 ? tally_scan_word(at - SCAN_BLOCK + first, size) : 0;
    }
    s->steps += BEFORE;
    return found;
}

tally_status tally_scanner_new(const tally_scan_rules *rules, tally_scanner **out)
{
    tally_scanner *s = tally_allocate(rules->has_allocator ? &rules->allocator : NULL, sizeof *s);
    *out = NULL;
    if (s == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(s, 0, sizeof *s);
    s->rules = rules;
    s->size = s->done = SCAN_BEHIND; /* zeros come before the text */
    *out = s;
    return TALLY_OK;
}

void tally_scanner_free(tally_scanner *scanner)
{
    if (scanner != NULL) {
        const tally_scan_rules *rules = scanner->rules;
        tally_release_wiped(rules->has_allocator ? &rules->allocator : NULL, scanner,
                            sizeof *scanner);
    }
}

/* Moves what is still needed to the front. */
static void scan_compact(tally_scanner *s)
{
    const size_t gone = s->done - SCAN_BEHIND;
    memmove(s->buffer, s->buffer + gone, s->size - gone);
    s->base += gone;
    s->size -= gone;
    s->done = SCAN_BEHIND;
}

static int scan_has_capacity(const tally_scanner *s)
{
    return s->capacity - s->count >= TALLY_SCAN_CAPACITY;
}

tally_status tally_scanner_update(tally_scanner *scanner, const uint8_t *bytes, size_t size,
                                  tally_scan_finding *findings, size_t capacity, size_t *used,
                                  size_t *count)
{
    tally_scanner *s = scanner;
    size_t taken = 0;
    if (capacity < TALLY_SCAN_CAPACITY || s->ended) {
        return TALLY_ERROR_ARGUMENT;
    }
    s->out = findings;
    s->capacity = capacity;
    s->count = 0;
    for (;;) {
        if (s->size == SCAN_CAPACITY) {
            scan_compact(s);
        }
        const size_t free_bytes = SCAN_CAPACITY - s->size,
                     some = size - taken < free_bytes ? size - taken : free_bytes;
        if (some > 0) {
            memcpy(s->buffer + s->size, bytes + taken, some);
        }
        s->size += some;
        taken += some;
        while (s->size - s->done >= SCAN_AHEAD + SCAN_BLOCK && scan_has_capacity(s)) {
            scan_block(s, s->buffer + s->done, UINT64_MAX);
            s->done += SCAN_BLOCK;
        }
        if (taken == size || !scan_has_capacity(s)) {
            break;
        }
    }
    *used = taken;
    *count = s->count;
    s->out = NULL;
    return TALLY_OK;
}

tally_status tally_scanner_final(tally_scanner *scanner, tally_scan_finding *findings,
                                 size_t capacity, size_t *count, int *more)
{
    tally_scanner *s = scanner;
    if (capacity < TALLY_SCAN_CAPACITY) {
        return TALLY_ERROR_ARGUMENT;
    }
    s->out = findings;
    s->capacity = capacity;
    s->count = 0;
    if (!s->ended) {
        scan_compact(s);
        memset(s->buffer + s->size, 0, 2 * SCAN_BLOCK); /* recognizers stop at a zero */
        s->ended = 1;
    }
    while (s->done < s->size && scan_has_capacity(s)) {
        const size_t left = s->size - s->done;
        scan_block(s, s->buffer + s->done,
                   left < SCAN_BLOCK ? (UINT64_C(1) << left) - 1 : UINT64_MAX);
        s->done += left < SCAN_BLOCK ? left : SCAN_BLOCK;
    }
    *more = !scan_has_capacity(s) && s->held.size != 0;
    if (s->done == s->size && scan_has_capacity(s)) {
        const uint64_t end = (scan_offset(s, s->buffer + s->size) + SCAN_BLOCK - 1) / SCAN_BLOCK;
        scan_choose(s, (end - 2) * SCAN_BLOCK);
        scan_choose(s, (end - 1) * SCAN_BLOCK);
        scan_emit(s);
        *more = 0;
    } else {
        *more = 1;
    }
    *count = s->count;
    s->out = NULL;
    return TALLY_OK;
}
