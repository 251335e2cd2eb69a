//go:build cgo

#if !defined(__APPLE__)
#pragma weak tally_aes_ctr
#pragma weak tally_aes_key_init
#pragma weak tally_allocate
#pragma weak tally_hkdf_sha256
#pragma weak tally_hmac_sha256_init
#pragma weak tally_hmac_sha256_update
#pragma weak tally_hmac_sha256_final
#pragma weak tally_release_wiped
#pragma weak tally_wipe
#endif
/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: text. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/text/restore.c ---- */
/*
 * Finds tokens in text that arrives in chunks. Each unit of the text is looked at once: a new opening
 * ends the candidate before it, and none of the characters inside a body can begin one. So the time
 * is linear, and one candidate is held back at most. */

/* ---- core/base/allocator.h ---- */
/*
 * Memory from a tally_allocator, or from malloc where the caller has none: a pointer that is NULL, or
 * a copy that is zero. */
#ifndef TALLY_BASE_ALLOCATOR_H
#define TALLY_BASE_ALLOCATOR_H

/* Returns `size` bytes, which are not zeroed, or NULL. A size of 0 gives one byte. */
void *tally_allocate(const tally_allocator *allocator, size_t size);

/* The same for `count` items of `size` bytes, 1 or more; NULL too if the product is too large. */
void *tally_allocate_many(const tally_allocator *allocator, size_t count, size_t size);

/* Gives memory back; `size` is that of its allocation. NULL is left alone. */
void tally_release(const tally_allocator *allocator, void *memory, size_t size);

/* The same, for memory that held a key or a value. */
void tally_release_wiped(const tally_allocator *allocator, void *memory, size_t size);

#endif

/* ---- core/text/text.h ---- */
/*
 * Tokens in text: the parts that protecting and restoring share. */
#ifndef TALLY_TEXT_TEXT_H
#define TALLY_TEXT_TEXT_H

enum {
    TALLY_TEXT_HEADER = 3, /* symbols that tell the size of the value */
    TALLY_TEXT_BODY_MAX = TALLY_TEXT_CHECK_BITS_MAX / 8 + TALLY_TEXT_VALUE_SIZE_MAX
};

/* The symbols of bodies: no i, l, o, u. So `tly-` never begins inside a body. */
#define TALLY_TEXT_SYMBOLS "0123456789abcdefghjkmnpqrstvwxyz"

/* Reveals check and value in place, and returns whether the key made them: `body` has the check's
 * bytes and then `size` bytes of the value, 1..4096. If it returns 0, `body` is wiped. */
int tally_text_open(const tally_text_key *key, uint8_t *body, size_t size);

/* What a stretch of text stands for, whatever escapes it is written with. */
typedef enum tally_text_class {
    TALLY_TEXT_MORE = 0, /* more bytes are needed to tell */
    TALLY_TEXT_OTHER,    /* nothing that a token has */
    TALLY_TEXT_HIGH,     /* a character beyond ASCII: may stand in a translated kind */
    TALLY_TEXT_GAP,      /* a space, or something invisible */
    TALLY_TEXT_LINE,     /* the end of a line */
    TALLY_TEXT_QUOTE,    /* what stands at the beginning of a quoted or commented line */
    TALLY_TEXT_OPEN,     /* U+27E6 */
    TALLY_TEXT_CLOSE,    /* U+27E7 */
    TALLY_TEXT_CHARACTER /* a letter in lower case, a digit, '_', '-' or ':' */
} tally_text_class;

typedef struct tally_text_unit {
    tally_text_class class;
    uint8_t character;
    size_t size; /* bytes of the text */
} tally_text_unit;

/* Reads the unit that begins at `at`; size >= 1. `final`: no bytes follow, so it never needs more. */
tally_text_unit tally_text_unit_read(const uint8_t *at, size_t size, int final);

#endif

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
    size_t gap; /* bytes since the last character */
    int line;   /* whether an end of a line is among them */
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
    r->letters = 0;
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
    const uint8_t end = r->frame == TALLY_TEXT_ASCII ? '-' : ':';
    if (is_character && unit.character == end && r->kind_units > 0) {
        restore_begin_body(r);
        return;
    }
    const int in_kind = is_character ? unit.character != '-' && unit.character != ':'
                                     : unit.class == TALLY_TEXT_HIGH && end == ':';
    if (!in_kind || ++r->kind_units > RESTORE_KIND_UNITS) {
        r->state = RESTORE_NONE;
    }
}

static void restore_body(tally_text_restorer *r, tally_text_unit unit, restore_out *out)
{
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
    if (r->state == RESTORE_TAIL) {
        restore_complete(r, unit.class == TALLY_TEXT_CLOSE ? r->at : r->body_end, out);
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
        const size_t room = sizeof r->held - r->end, taken = size < room ? size : room;
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

/* ---- core/text/seal.c ---- */
/*
 * A value becomes a token: a check of zeros before it, all of it encrypted by four rounds of an
 * unbalanced Feistel network (Luby and Rackoff), whose halves are the check and the value. A short
 * check would repeat the counters of a plain SIV mode: equal checks of two values would then give
 * their sum away. Here that takes two collisions at once. */

/* ---- core/base/barrier.h ---- */
/*
 * Barriers against optimization. tally_barrier hides a value, so that a compiler cannot turn
 * arithmetic on secrets into a branch or a loop count. It costs no instruction. */
#ifndef TALLY_BASE_BARRIER_H
#define TALLY_BASE_BARRIER_H

static inline uint64_t tally_barrier(uint64_t value)
{
#if defined(__GNUC__) && !defined(__FRAMAC__) /* it assumes that assembly changes the value */
    __asm__("" : "+r"(value));
#endif
    return value;
}

/* Whether bytes are equal. The time depends on `size` alone. */
static inline int tally_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < size; i++) {
        differ |= (uint64_t)(a[i] ^ b[i]);
    }
    return tally_barrier(differ) == 0;
}

/* Hides the content of memory: after it, copied data is read from the copy and not again from its
 * source. */
#if defined(__GNUC__)
#define TALLY_MEMORY_BARRIER() __asm__ volatile("" : : : "memory")
#else
#define TALLY_MEMORY_BARRIER() ((void)0)
#endif

#endif

static const char seal_purpose[] = "tallystick text 1";

tally_status tally_text_key_init(const uint8_t *key, size_t key_size, const uint8_t *space,
                                 size_t space_size, const uint8_t *scope, size_t scope_size,
                                 uint32_t check_bits, tally_text_key *out)
{
    enum { ROUND_KEY = 32, PURPOSE = sizeof seal_purpose - 1 };
    uint8_t info[PURPOSE + 3 + 256 + TALLY_TEXT_SCOPE_SIZE_MAX], keys[4 * ROUND_KEY];
    if (key_size != 16 && key_size != 24 && key_size != 32) {
        return TALLY_ERROR_KEY_SIZE;
    }
    if (check_bits < TALLY_TEXT_CHECK_BITS_MIN || check_bits > TALLY_TEXT_CHECK_BITS_MAX ||
        check_bits % 8 != 0) {
        return TALLY_ERROR_TEXT_CHECK_BITS;
    }
    if (space_size == 0 || space_size > 256 || scope_size > TALLY_TEXT_SCOPE_SIZE_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(info, seal_purpose, PURPOSE);
    info[PURPOSE] = (uint8_t)(check_bits / 8);
    info[PURPOSE + 1] = (uint8_t)(space_size >> 8);
    info[PURPOSE + 2] = (uint8_t)space_size;
    memcpy(info + PURPOSE + 3, space, space_size);
    if (scope_size != 0) {
        memcpy(info + PURPOSE + 3 + space_size, scope, scope_size);
    }
    tally_status status = tally_hkdf_sha256(
        NULL, 0, key, key_size, info, PURPOSE + 3 + space_size + scope_size, keys, sizeof keys);
    tally_text_key made;
    memset(&made, 0, sizeof made);
    made.check_size = check_bits / 8;
    tally_hmac_sha256_init(&made.first, keys, ROUND_KEY);
    tally_hmac_sha256_init(&made.third, keys + 2 * ROUND_KEY, ROUND_KEY);
    if (status == TALLY_OK) {
        status = tally_aes_key_init(keys + ROUND_KEY, ROUND_KEY, &made.second);
    }
    if (status == TALLY_OK) {
        status = tally_aes_key_init(keys + 3 * ROUND_KEY, ROUND_KEY, &made.fourth);
    }
    if (status == TALLY_OK) {
        *out = made;
    }
    tally_wipe(keys, sizeof keys);
    tally_wipe(&made, sizeof made);
    return status;
}

void tally_text_key_wipe(tally_text_key *key)
{
    tally_wipe(key, sizeof *key);
}

/* check ^= the beginning of HMAC(value) */
static void seal_check(const tally_hmac_sha256 *keyed, const uint8_t *value, size_t size,
                       uint8_t *check, size_t check_size)
{
    tally_hmac_sha256 context = *keyed;
    uint8_t tag[TALLY_SHA256_SIZE];
    tally_hmac_sha256_update(&context, value, size);
    tally_hmac_sha256_final(&context, tag);
    for (size_t i = 0; i < check_size; i++) {
        check[i] ^= tag[i];
    }
    tally_wipe(tag, sizeof tag);
}

/* value ^= AES-CTR from the counter block of the check and zeros */
static void seal_value(const tally_aes_key *key, const uint8_t *check, size_t check_size,
                       uint8_t *value, size_t size)
{
    uint8_t counter[16] = {0};
    memcpy(counter, check, check_size);
    tally_aes_ctr(key, counter, value, size, value);
    tally_wipe(counter, sizeof counter);
}

int tally_text_open(const tally_text_key *key, uint8_t *body, size_t size)
{
    static const uint8_t zeros[TALLY_TEXT_CHECK_BITS_MAX / 8];
    const size_t check = key->check_size;
    uint8_t *const value = body + check;
    seal_value(&key->fourth, body, check, value, size);
    seal_check(&key->third, value, size, body, check);
    seal_value(&key->second, body, check, value, size);
    seal_check(&key->first, value, size, body, check);
    if (!tally_equal(body, zeros, check)) {
        tally_wipe(body, check + size);
        return 0;
    }
    return 1;
}

/* The bytes of a body as symbols of five bits, most significant first, behind the value's size in
 * three. Returns the end of the text. */
static uint8_t *seal_write(const uint8_t *body, size_t body_size, size_t size, uint8_t *out)
{
    static const char symbols[] = TALLY_TEXT_SYMBOLS;
    uint32_t bits = (uint32_t)(size - 1), count = 5 * TALLY_TEXT_HEADER;
    for (size_t i = 0; i <= body_size; i++) {
        while (count >= 5) {
            count -= 5;
            *out++ = (uint8_t)symbols[bits >> count & 31];
        }
        if (i < body_size) {
            bits = bits << 8 | body[i];
            count += 8;
        }
    }
    while (count > 0) { /* the last bits, and zeros */
        const uint32_t taken = count < 5 ? count : 5;
        count -= taken;
        *out++ = (uint8_t)symbols[(bits >> count << (5 - taken)) & 31];
    }
    return out;
}

static int seal_is_kind(const char *kind, size_t size)
{
    if (size == 0 || size > TALLY_TEXT_KIND_SIZE_MAX || kind[0] < 'a' || kind[0] > 'z' ||
        (size >= 3 && memcmp(kind + size - 3, "tly", 3) == 0)) {
        return 0; /* tly- begins another token */
    }
    for (size_t i = 0; i < size; i++) {
        const char c = kind[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_text_protect(const tally_text_key *key, tally_text_frame frame, const char *kind,
                                size_t kind_size, const uint8_t *value, size_t size, uint8_t *out,
                                size_t *out_size)
{
    static const char *const frames[][3] = {{"\xe2\x9f\xa6", ":", "\xe2\x9f\xa7"},
                                            {"tly-", "-", ""}};
    uint8_t body[TALLY_TEXT_BODY_MAX];
    const size_t check = key->check_size;
    if (frame != TALLY_TEXT_UNICODE && frame != TALLY_TEXT_ASCII) {
        return TALLY_ERROR_ARGUMENT;
    }
    if (!seal_is_kind(kind, kind_size)) {
        return TALLY_ERROR_TEXT_KIND;
    }
    if (size == 0 || size > TALLY_TEXT_VALUE_SIZE_MAX) {
        return TALLY_ERROR_TEXT_VALUE;
    }
    memset(body, 0, check);
    memcpy(body + check, value, size);
    seal_check(&key->first, body + check, size, body, check);
    seal_value(&key->second, body, check, body + check, size);
    seal_check(&key->third, body + check, size, body, check);
    seal_value(&key->fourth, body, check, body + check, size);
    const char *const *const parts = frames[frame];
    uint8_t *at = out;
    memcpy(at, parts[0], strlen(parts[0]));
    at += strlen(parts[0]);
    memcpy(at, kind, kind_size);
    at += kind_size;
    *at++ = (uint8_t)parts[1][0];
    at = seal_write(body, check + size, size, at);
    memcpy(at, parts[2], strlen(parts[2]));
    *out_size = (size_t)(at - out) + strlen(parts[2]);
    return TALLY_OK;
}

/* ---- core/text/unit.c ---- */
/*
 * What bytes of text stand for: characters as they are, and escaped as JSON, HTML, Markdown, URLs
 * and quoted-printable do. A unit has at most 40 bytes. */

/* ---- core/base/utf8.h ---- */
/*
 * UTF-8 as RFC 3629 has it: no longer form than necessary, no surrogates, nothing beyond U+10FFFF. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

enum { TALLY_UTF8_MAX_BYTES = 4 /* of a character */ };

/* Reads the character of UTF-8 that begins at `at`, in the bytes before `end`. Returns how many
 * bytes it has, 1..4. Returns 0, and leaves *point as it is, if at == end or if the bytes are not
 * UTF-8. */
static inline uint32_t tally_utf8_decode(const uint8_t *at, const uint8_t *end, uint32_t *point)
{
    size_t size = (size_t)(end - at);
    if (size == 0) {
        return 0;
    }
    uint32_t first = at[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first < 0xC2) {
        return 0;
    }
    if (size < 2 || (at[1] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t second = at[1] & 0x3Fu;
    if (first < 0xE0) {
        *point = (first & 0x1F) << 6 | second;
        return 2;
    }
    if (size < 3 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t third = at[2] & 0x3Fu;
    if (first < 0xF0) {
        uint32_t three = (first & 0x0F) << 12 | second << 6 | third;
        if (three < 0x800 || three - 0xD800 < 0x800) {
            return 0;
        }
        *point = three;
        return 3;
    }
    if (first > 0xF4 || size < 4 || (at[3] & 0xC0) != 0x80) {
        return 0;
    }
    uint32_t four = (first & 0x07) << 18 | second << 12 | third << 6 | (at[3] & 0x3Fu);
    if (four - 0x10000 >= 0x100000) {
        return 0;
    }
    *point = four;
    return 4;
}

/* Writes a character as UTF-8 and returns how many bytes it has. `point` is at most U+10FFFF and no
 * surrogate; `out` has room for 4 bytes. */
static inline uint32_t tally_utf8_encode(uint32_t point, uint8_t *out)
{
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (uint8_t)(0xC0 | point >> 6);
        out[1] = (uint8_t)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (uint8_t)(0xE0 | point >> 12);
        out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | point >> 18);
    out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (point & 0x3F));
    return 4;
}

/* Decodes the character at text[*at], and moves *at behind it. A byte that does not begin valid
 * UTF-8 gives 0xdc00 plus the byte, and moves by one. *at < size. */
static inline uint32_t tally_utf8_next(const char *text, size_t size, size_t *at)
{
    const uint8_t *bytes = (const uint8_t *)text;
    uint32_t point = 0xdc00U + bytes[*at];
    const uint32_t width = tally_utf8_decode(bytes + *at, bytes + size, &point);
    *at += width != 0 ? width : 1;
    return point;
}

#endif

enum { UNIT_BACKSLASHES = 8, UNIT_AMPERSANDS = 3 };

static tally_text_unit unit_of(tally_text_class class, size_t size)
{
    const tally_text_unit unit = {class, 0, size};
    return unit;
}

static tally_text_unit unit_character(uint32_t character, size_t size)
{
    const tally_text_unit unit = {TALLY_TEXT_CHARACTER, (uint8_t)character, size};
    return unit;
}

static tally_text_unit unit_ascii(uint32_t point, size_t size)
{
    if (point >= 'A' && point <= 'Z') {
        return unit_character(point - 'A' + 'a', size);
    }
    if ((point >= 'a' && point <= 'z') || (point >= '0' && point <= '9') || point == '_' ||
        point == '-' || point == ':') {
        return unit_character(point, size);
    }
    switch (point) {
    case ' ':
    case '\t':
        return unit_of(TALLY_TEXT_GAP, size);
    case '\n':
    case '\r':
        return unit_of(TALLY_TEXT_LINE, size);
    case '>':
    case '|':
    case '#':
    case '/':
    case '*':
    case ';':
        return unit_of(TALLY_TEXT_QUOTE, size);
    default:
        return unit_of(TALLY_TEXT_OTHER, size);
    }
}

static tally_text_unit unit_point(uint32_t point, size_t size)
{
    if (point < 0x80) {
        return unit_ascii(point, size);
    }
    switch (point) {
    case 0x27e6:
        return unit_of(TALLY_TEXT_OPEN, size);
    case 0x27e7:
        return unit_of(TALLY_TEXT_CLOSE, size);
    case 0x2010: /* hyphens, dashes and the minus, as typography puts them for '-' */
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212:
        return unit_character('-', size);
    case 0xff1a:
        return unit_character(':', size);
    case 0xa0: /* spaces, the soft hyphen, and what has no width */
    case 0xad:
    case 0x2009:
    case 0x200b:
    case 0x200c:
    case 0x200d:
    case 0x202f:
    case 0x2060:
    case 0xfeff:
        return unit_of(TALLY_TEXT_GAP, size);
    case 0x2028:
    case 0x2029:
        return unit_of(TALLY_TEXT_LINE, size);
    default:
        return unit_of(TALLY_TEXT_HIGH, size);
    }
}

static uint32_t unit_lower(uint32_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

static uint32_t unit_digit(uint32_t byte)
{
    const uint32_t lower = unit_lower(byte);
    if (lower >= '0' && lower <= '9') {
        return lower - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* Whether text begins with a word in lower case, in any case: 1, 0, or -1 if the text ends before
 * that is clear. */
static int unit_begins(const uint8_t *at, size_t size, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (i == size) {
            return -1;
        }
        if (unit_lower(at[i]) != (uint8_t)word[i]) {
            return 0;
        }
    }
    return 1;
}

/* A character of UTF-8 beyond ASCII. A byte that begins none stands for itself. */
static tally_text_unit unit_utf8(const uint8_t *at, size_t size, int final)
{
    const size_t wanted = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t point = 0;
    if (at[0] < 0xc2 || at[0] > 0xf4) {
        return unit_of(TALLY_TEXT_HIGH, 1);
    }
    for (size_t i = 1; i < size && i < wanted; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return unit_of(TALLY_TEXT_HIGH, 1);
        }
    }
    if (size < wanted && !final) {
        return unit_of(TALLY_TEXT_MORE, 0);
    }
    const uint32_t width = tally_utf8_decode(at, at + size, &point);
    return width == 0 ? unit_of(TALLY_TEXT_HIGH, 1) : unit_point(point, width);
}

/* Backslashes, and what follows them: JSON's \uXXXX, \n, \r and \t, however often they are escaped
 * again. Before anything else they change nothing. */
static tally_text_unit unit_backslash(const uint8_t *at, size_t size, int final)
{
    size_t run = 1;
    while (run < size && run < UNIT_BACKSLASHES && at[run] == '\\') {
        run++;
    }
    if (run == size) {
        return final || run == UNIT_BACKSLASHES ? unit_of(TALLY_TEXT_GAP, run)
                                                : unit_of(TALLY_TEXT_MORE, 0);
    }
    const uint8_t *const behind = at + run;
    const size_t rest = size - run;
    uint32_t point = 0;
    switch (unit_lower(*behind)) {
    case 'u':
        for (size_t i = 1; i <= 4; i++) {
            if (i == rest) {
                return final ? unit_of(TALLY_TEXT_GAP, run) : unit_of(TALLY_TEXT_MORE, 0);
            }
            if (unit_digit(behind[i]) == 16) {
                return unit_of(TALLY_TEXT_GAP, run);
            }
            point = point << 4 | unit_digit(behind[i]);
        }
        return unit_point(point, run + 5);
    case 'n':
    case 'r':
    case '\n':
    case '\r':
        return unit_of(TALLY_TEXT_LINE, run + 1);
    case 't': { /* a tabulator, or a path's backslash before a token */
        const int token = unit_begins(behind, rest, "tly");
        if (token < 0 && !final) {
            return unit_of(TALLY_TEXT_MORE, 0);
        }
        return unit_of(TALLY_TEXT_GAP, token > 0 ? run : run + 1);
    }
    default:
        return unit_of(TALLY_TEXT_GAP, run);
    }
}

/* A reference of HTML, or one that was escaped again: &#x27e6; &amp;#10214; &lobrk; */
static tally_text_unit unit_reference(const uint8_t *at, size_t size, int final)
{
    static const struct {
        const char *name;
        uint32_t point;
    } names[] = {
        {"lobrk;", 0x27e6},  {"leftdoublebracket;", 0x27e6},
        {"robrk;", 0x27e7},  {"rightdoublebracket;", 0x27e7},
        {"colon;", ':'},     {"lowbar;", '_'},
        {"hyphen;", 0x2010}, {"dash;", 0x2010},
        {"shy;", 0xad},      {"nbsp;", 0xa0},
        {"gt;", '>'},
    };
    const tally_text_unit more = unit_of(final ? TALLY_TEXT_OTHER : TALLY_TEXT_MORE, final ? 1 : 0);
    size_t i = 1;
    for (int k = 0; k < UNIT_AMPERSANDS; k++) {
        const int again = unit_begins(at + i, size - i, "amp;");
        if (again < 0) {
            return more;
        }
        i += again > 0 ? 4 : 0;
    }
    if (i == size) {
        return more;
    }
    if (at[i] != '#') {
        int open = 0;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const int found = unit_begins(at + i, size - i, names[k].name);
            if (found > 0) {
                return unit_point(names[k].point, i + strlen(names[k].name));
            }
            open |= found < 0;
        }
        return open ? more : unit_of(TALLY_TEXT_OTHER, 1);
    }
    i++;
    uint32_t base = 10, point = 0;
    if (i < size && unit_lower(at[i]) == 'x') {
        base = 16;
        i++;
    }
    for (size_t digits = 0; i < size && digits < 8; i++, digits++) {
        if (at[i] == ';') {
            return digits == 0 || point > 0x10ffff ? unit_of(TALLY_TEXT_OTHER, 1)
                                                   : unit_point(point, i + 1);
        }
        const uint32_t digit = unit_digit(at[i]);
        if (digit >= base) {
            return unit_of(TALLY_TEXT_OTHER, 1);
        }
        point = point * base + digit;
    }
    return i == size ? more : unit_of(TALLY_TEXT_OTHER, 1);
}

/* Reads a byte that is escaped as `prefix` and two digits: 1, 0, or -1 if the text ends before. */
static int unit_byte(const uint8_t *at, size_t size, const char *prefix, uint8_t *byte)
{
    const size_t prefix_size = strlen(prefix);
    const int begins = unit_begins(at, size, prefix);
    if (begins <= 0) {
        return begins;
    }
    uint32_t value = 0;
    for (size_t i = prefix_size; i < prefix_size + 2; i++) {
        if (i == size) {
            return -1;
        }
        if (unit_digit(at[i]) == 16) {
            return 0;
        }
        value = value << 4 | unit_digit(at[i]);
    }
    *byte = (uint8_t)value;
    return 1;
}

/* A character whose bytes are escaped each: %E2%9F%A6 in URLs (%25E2 if that was done again), and
 * =E2=9F=A6 in quoted-printable, which also ends lines with =. */
static tally_text_unit unit_bytes(const uint8_t *at, size_t size, int final)
{
    static const char *const prefixes[] = {"%25", "%", "="};
    if (at[0] == '=' && size > 1 && (at[1] == '\n' || at[1] == '\r')) {
        return unit_of(TALLY_TEXT_LINE, 2);
    }
    int open = 0;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        const size_t each = strlen(prefixes[k]) + 2;
        uint8_t bytes[4] = {0};
        size_t wanted = 1, have = 0;
        int found = 1;
        while (have < wanted && found > 0) {
            found = unit_byte(at + have * each, size - have * each, prefixes[k], &bytes[have]);
            have += found > 0;
            if (have == 1 && bytes[0] >= 0xc2 && bytes[0] <= 0xf4) {
                wanted = bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
            }
        }
        open |= found < 0;
        if (found > 0 && bytes[0] < 0x80) {
            return unit_ascii(bytes[0], each);
        }
        uint32_t point = 0;
        if (found > 0 && tally_utf8_decode(bytes, bytes + wanted, &point) != 0) {
            return unit_point(point, wanted * each);
        }
        if (found < 0 && !final) {
            break;
        }
    }
    return open && !final ? unit_of(TALLY_TEXT_MORE, 0) : unit_of(TALLY_TEXT_OTHER, 1);
}

/* A tag of HTML that breaks a line, or allows it. */
static tally_text_unit unit_tag(const uint8_t *at, size_t size, int final)
{
    static const char *const tags[] = {"<br>", "<br/>", "<br />", "<wbr>"};
    int open = 0;
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++) {
        const int found = unit_begins(at, size, tags[k]);
        if (found > 0) {
            return unit_of(TALLY_TEXT_LINE, strlen(tags[k]));
        }
        open |= found < 0;
    }
    return open && !final ? unit_of(TALLY_TEXT_MORE, 0) : unit_of(TALLY_TEXT_OTHER, 1);
}

tally_text_unit tally_text_unit_read(const uint8_t *at, size_t size, int final)
{
    switch (at[0]) {
    case '\\':
        return unit_backslash(at, size, final);
    case '&':
        return unit_reference(at, size, final);
    case '%':
    case '=':
        return unit_bytes(at, size, final);
    case '<':
        return unit_tag(at, size, final);
    default:
        return at[0] < 0x80 ? unit_ascii(at[0], 1) : unit_utf8(at, size, final);
    }
}

TALLY_VISIBILITY_POP
