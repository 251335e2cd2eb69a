/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds tokens in text that arrives in chunks. Each unit of the text is looked at once: a new opening
 * ends the candidate before it, and none of the characters inside a body can begin one. So the time
 * is linear, and one candidate is held back at most. */
#include <string.h>

#include "base/allocator.h"
#include "text/text.h"

enum {
    RESTORE_UNIT = 64,      /* bytes that a unit needs at most to be recognized */
    RESTORE_GAP = 64,       /* bytes between two characters of a token, at most */
    RESTORE_KIND_UNITS = 64 /* translated kinds may be longer than ours */
};

typedef enum restore_state {
    RESTORE_NONE = 0,
    RESTORE_KIND, /* behind the opening */
    RESTORE_BODY, /* behind the kind */
    RESTORE_TAIL  /* the body is complete, and its closing bracket may follow */
} restore_state;

struct tally_text_restorer {
    tally_allocator allocator;
    int has_allocator;
    const tally_text_key *keys[TALLY_TEXT_KEYS_MAX];
    size_t count;
    tally_text_context context;
    uint64_t restored, refused;

    restore_state state;
    tally_text_frame frame;
    uint32_t letters;    /* of tly that the text ended with, 0..3 */
    size_t letters_at;   /* where they begin */
    size_t start;        /* of the candidate */
    size_t body_end;     /* of a body that is complete */
    uint32_t kind_units; /* so far */
    uint32_t symbols, wanted, bits, bit_count;
    int at_sign;   /* whether the body of an address goes on behind its @ */
    size_t domain; /* characters of the domain behind the body, so far */
    size_t gap;    /* bytes since the last character */
    int line;      /* whether an end of a line is among them */
    size_t value_size, body_size;
    uint8_t body[TALLY_TEXT_BODY_MAX];

    size_t written, at, end; /* in `held`: what was written, what was read, what is there */
    uint8_t held[TALLY_TEXT_HELD_MAX + 4096 + RESTORE_UNIT];
};

typedef struct restore_out {
    uint8_t *at;
} restore_out;

tally_status tally_text_restorer_new(const tally_allocator *allocator,
                                     const tally_text_key *const keys[], size_t count,
                                     tally_text_context context, tally_text_restorer **out)
{
    if (count == 0 || count > TALLY_TEXT_KEYS_MAX) {
        return TALLY_ERROR_TEXT_KEYS;
    }
    for (size_t i = 1; i < count; i++) {
        if (keys[i]->check_size != keys[0]->check_size) {
            return TALLY_ERROR_TEXT_KEYS;
        }
    }
    if (context != TALLY_TEXT_PLAIN && context != TALLY_TEXT_JSON && context != TALLY_TEXT_HTML) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_text_restorer *const made = tally_allocate(allocator, sizeof *made);
    if (made == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    if (allocator != NULL) {
        made->allocator = *allocator;
        made->has_allocator = 1;
    }
    memcpy(made->keys, keys, count * sizeof *keys);
    made->count = count;
    made->context = context;
    *out = made;
    return TALLY_OK;
}

void tally_text_restorer_free(tally_text_restorer *restorer)
{
    if (restorer != NULL) {
        const tally_allocator allocator = restorer->allocator;
        const int has_allocator = restorer->has_allocator;
        tally_release_wiped(has_allocator ? &allocator : NULL, restorer, sizeof *restorer);
    }
}

size_t tally_text_restore_capacity(const tally_text_restorer *restorer, size_t size)
{
    /* Five bytes of a value take eight characters, and an escape six bytes: 30 for 8. */
    const size_t most = restorer->end - restorer->written;
    const size_t times = restorer->context == TALLY_TEXT_PLAIN ? 1 : 4;
    return size > (SIZE_MAX - times * most) / times ? SIZE_MAX : times * (most + size);
}

uint64_t tally_text_restored(const tally_text_restorer *restorer)
{
    return restorer->restored;
}

uint64_t tally_text_refused(const tally_text_restorer *restorer)
{
    return restorer->refused;
}

/* The number of a symbol of a body, or 32. */
static uint32_t restore_symbol(uint8_t character)
{
    static const uint8_t letters[26] = {10, 11, 12, 13, 14, 15, 16, 17, 32, 18, 19, 32, 20,
                                        21, 32, 22, 23, 24, 25, 26, 32, 27, 28, 29, 30, 31};
    if (character >= '0' && character <= '9') {
        return (uint32_t)(character - '0');
    }
    return character >= 'a' && character <= 'z' ? letters[character - 'a'] : 32;
}

static void restore_put(restore_out *out, const void *bytes, size_t size)
{
    if (size != 0) {
        memcpy(out->at, bytes, size);
        out->at += size;
    }
}

/* Writes the text up to `until` as it came. */
static void restore_pass(tally_text_restorer *r, size_t until, restore_out *out)
{
    if (until > r->written) {
        restore_put(out, r->held + r->written, until - r->written);
        r->written = until;
    }
}

static void restore_json(const uint8_t *value, size_t size, restore_out *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = value[i];
        if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&') { /* for JSON in HTML too */
            const uint8_t escape[] = {
                '\\', 'u', '0', '0', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
            restore_put(out, escape, sizeof escape);
        } else {
            if (c == '"' || c == '\\') {
                *out->at++ = '\\';
            }
            *out->at++ = c;
        }
    }
}

static void restore_html(const uint8_t *value, size_t size, restore_out *out)
{
    for (size_t i = 0; i < size; i++) {
        const char *escape = NULL;
        switch (value[i]) {
        case '&':
            escape = "&amp;";
            break;
        case '<':
            escape = "&lt;";
            break;
        case '>':
            escape = "&gt;";
            break;
        case '"':
            escape = "&quot;";
            break;
        case '\'':
            escape = "&#39;";
            break;
        case '`':
            escape = "&#96;";
            break;
        default:
            *out->at++ = value[i];
            continue;
        }
        restore_put(out, escape, strlen(escape));
    }
}

/* Tries the keys on the body that is complete. If one made it, its value replaces start..end. */
static void restore_complete(tally_text_restorer *r, size_t end, restore_out *out)
{
    uint8_t body[TALLY_TEXT_BODY_MAX];
    const size_t check = r->keys[0]->check_size;
    int opened = 0;
    for (size_t i = 0; i < r->count && !opened; i++) {
        memcpy(body, r->body, r->body_size);
        opened = tally_text_open(r->keys[i], body, r->value_size);
    }
    r->state = RESTORE_NONE;
    if (!opened) {
        r->refused++;
        return;
    }
    restore_pass(r, r->start, out);
    if (r->context == TALLY_TEXT_JSON) {
        restore_json(body + check, r->value_size, out);
    } else if (r->context == TALLY_TEXT_HTML) {
        restore_html(body + check, r->value_size, out);
    } else {
        restore_put(out, body + check, r->value_size);
    }
    tally_wipe(body, r->body_size);
    r->restored++;
    r->written = end;
    if (r->letters_at < end) {
        r->letters = 0;
    }
}

static void restore_begin(tally_text_restorer *r, tally_text_frame frame, size_t start)
{
    r->state = RESTORE_KIND;
    r->frame = frame;
    r->start = start;
    r->kind_units = 0;
    r->letters = 0;
}

static void restore_begin_body(tally_text_restorer *r)
{
    r->state = RESTORE_BODY;
    r->symbols = 0;
    r->wanted = TALLY_TEXT_HEADER;
    r->bits = r->bit_count = 0;
    r->body_size = 0;
    r->at_sign = 0;
    r->domain = 0;
}

/* Follows tly- wherever it stands. Returns whether it is complete. */
static int restore_follow(tally_text_restorer *r, uint8_t character, size_t at)
{
    static const uint8_t opening[] = {'t', 'l', 'y'};
    if (character == '-' && r->letters == 3) {
        return 1;
    }
    if (character == 't') {
        r->letters = 1;
        r->letters_at = at;
    } else if (r->letters != 0 && r->letters < 3 && character == opening[r->letters]) {
        r->letters++;
    } else {
        r->letters = 0;
    }
    return 0;
}

static void restore_kind(tally_text_restorer *r, tally_text_unit unit)
{
    const int is_character = unit.class == TALLY_TEXT_CHARACTER;
    if (is_character && unit.character == '.' && r->frame == TALLY_TEXT_ASCII &&
        r->kind_units > 0) {
        r->frame = TALLY_TEXT_EMAIL;
        restore_begin_body(r);
        return;
    }
    const uint8_t end = r->frame == TALLY_TEXT_ASCII ? '-' : ':';
    if (is_character && unit.character == end && r->kind_units > 0) {
        restore_begin_body(r);
        return;
    }
    const int in_kind = is_character ? strchr("-:@.", unit.character) == NULL
                                     : unit.class == TALLY_TEXT_HIGH && end == ':';
    if (!in_kind || ++r->kind_units > RESTORE_KIND_UNITS) {
        r->state = RESTORE_NONE;
    }
}

/* Whether a unit is the @ in the body of an address, or a dot behind it. */
static int restore_is_joint(tally_text_restorer *r, tally_text_unit unit)
{
    if (r->frame != TALLY_TEXT_EMAIL || unit.class != TALLY_TEXT_CHARACTER) {
        return 0;
    }
    if (unit.character == '@' && !r->at_sign) {
        r->at_sign = 1;
        return 1;
    }
    return unit.character == '.' && r->at_sign;
}

static void restore_body(tally_text_restorer *r, tally_text_unit unit, restore_out *out)
{
    if (restore_is_joint(r, unit)) {
        return;
    }
    const uint32_t symbol =
        unit.class == TALLY_TEXT_CHARACTER ? restore_symbol(unit.character) : 32;
    if (symbol == 32) {
        r->state = RESTORE_NONE;
        return;
    }
    r->bits = r->bits << 5 | symbol;
    r->symbols++;
    if (r->symbols <= TALLY_TEXT_HEADER) {
        if (r->symbols == 1 && symbol > 3) { /* three bits of later versions */
            r->state = RESTORE_NONE;
        } else if (r->symbols == TALLY_TEXT_HEADER) {
            r->value_size = r->bits + 1;
            const size_t bytes = r->keys[0]->check_size + r->value_size;
            r->wanted += (uint32_t)((8 * bytes + 4) / 5);
            r->bits = 0;
        }
        return;
    }
    r->bit_count += 5;
    if (r->bit_count >= 8) {
        r->bit_count -= 8;
        r->body[r->body_size++] = (uint8_t)(r->bits >> r->bit_count);
        r->bits &= (1u << r->bit_count) - 1;
    }
    if (r->symbols < r->wanted) {
        return;
    }
    if (r->bits != 0) { /* a body has one spelling */
        r->state = RESTORE_NONE;
        return;
    }
    r->body_end = r->at;
    r->state = RESTORE_TAIL;
    if (r->frame == TALLY_TEXT_ASCII) {
        restore_complete(r, r->body_end, out);
    }
}

/* Takes a unit behind a complete body: what closes the token, or not. Returns whether it may still be
 * closed. */
static int restore_tail(tally_text_restorer *r, tally_text_unit unit, restore_out *out)
{
    static const char domain[] = TALLY_TEXT_DOMAIN;
    if (r->frame != TALLY_TEXT_EMAIL) {
        restore_complete(r, unit.class == TALLY_TEXT_CLOSE ? r->at : r->body_end, out);
        return 0;
    }
    const uint8_t joint = r->at_sign ? '.' : '@';
    const uint8_t wanted = r->domain == 0 ? joint : (uint8_t)domain[r->domain - 1];
    if (unit.class != TALLY_TEXT_CHARACTER || unit.character != wanted) {
        restore_complete(r, r->body_end, out);
    } else if (++r->domain == sizeof domain) {
        restore_complete(r, r->at, out);
    }
    return r->state == RESTORE_TAIL;
}

/* Takes the unit that begins at `from` and ends at r->at. */
static void restore_step(tally_text_restorer *r, tally_text_unit unit, size_t from,
                         restore_out *out)
{
    const int gap = unit.class == TALLY_TEXT_GAP || unit.class == TALLY_TEXT_LINE ||
                    (unit.class == TALLY_TEXT_QUOTE && r->line);
    if (gap) {
        r->gap += unit.size;
        r->line |= unit.class == TALLY_TEXT_LINE;
        if (r->gap <= RESTORE_GAP) {
            return;
        }
    } else {
        r->gap = 0;
        r->line = 0;
    }
    if (r->state == RESTORE_TAIL && restore_tail(r, unit, out)) {
        (void)restore_follow(r, unit.character, from);
        return;
    }
    if (unit.class == TALLY_TEXT_OPEN) {
        restore_begin(r, TALLY_TEXT_UNICODE, from);
        return;
    }
    if (restore_follow(r, unit.class == TALLY_TEXT_CHARACTER ? unit.character : 0, from)) {
        restore_begin(r, TALLY_TEXT_ASCII, r->letters_at);
    } else if (gap) {
        r->state = RESTORE_NONE;
    } else if (r->state == RESTORE_KIND) {
        restore_kind(r, unit);
    } else if (r->state == RESTORE_BODY) {
        restore_body(r, unit, out);
    }
}

/* The bytes that may begin an opening, or the first letter of one. */
static const uint8_t restore_matters[256] = {
    ['t'] = 1, ['T'] = 1, [0xe2] = 1, ['&'] = 1, ['\\'] = 1, ['%'] = 1, ['='] = 1};

static void restore_scan(tally_text_restorer *r, int finish, restore_out *out)
{
    while (r->at < r->end) {
        if (r->state == RESTORE_NONE && r->letters == 0) {
            r->gap = 0;
            r->line = 0;
            while (r->at < r->end && !restore_matters[r->held[r->at]]) {
                r->at++;
            }
            if (r->at == r->end) {
                break;
            }
        }
        const tally_text_unit unit = tally_text_unit_read(r->held + r->at, r->end - r->at, finish);
        if (unit.class == TALLY_TEXT_MORE) {
            break;
        }
        const size_t from = r->at;
        r->at += unit.size;
        if (r->state != RESTORE_NONE && r->at - r->start > TALLY_TEXT_HELD_MAX) {
            r->state = RESTORE_NONE;
        }
        restore_step(r, unit, from, out);
    }
    if (finish && r->state == RESTORE_TAIL) {
        restore_complete(r, r->body_end, out);
    }
    if (finish) {
        r->state = RESTORE_NONE;
        r->letters = 0;
    }
    size_t until = r->at;
    if (r->state != RESTORE_NONE) {
        until = r->start;
    } else if (r->letters != 0) {
        until = r->letters_at;
    }
    restore_pass(r, until, out);
}

/* Moves what is held to the beginning. */
static void restore_compact(tally_text_restorer *r)
{
    const size_t by = r->written;
    if (by == 0) {
        return;
    }
    memmove(r->held, r->held + by, r->end - by);
    tally_wipe(r->held + r->end - by, by);
    r->written = 0;
    r->end -= by;
    r->at -= by;
    r->start -= by;
    r->body_end -= by;
    r->letters_at -= by;
}

tally_status tally_text_restore(tally_text_restorer *restorer, const uint8_t *chunk, size_t size,
                                int finish, uint8_t *out, size_t capacity, size_t *out_size)
{
    tally_text_restorer *const r = restorer;
    restore_out to = {out};
    if (capacity < tally_text_restore_capacity(r, size)) {
        return TALLY_ERROR_ARGUMENT;
    }
    do {
        const size_t left = sizeof r->held - r->end, taken = size < left ? size : left;
        if (taken != 0) {
            memcpy(r->held + r->end, chunk, taken);
            chunk += taken;
            size -= taken;
            r->end += taken;
        }
        restore_scan(r, finish && size == 0, &to);
        restore_compact(r);
    } while (size != 0);
    *out_size = (size_t)(to.at - out);
    return TALLY_OK;
}
