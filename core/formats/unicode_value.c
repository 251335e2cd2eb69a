/* SPDX-License-Identifier: Apache-2.0
 *
 * The characters of one value of a script as symbols, and back. */
#include "formats/unicode_value.h"

#include <string.h>

#include "base/bytes.h"
#include "base/unroll.h"
#include "formats/unicode_short.h"
#include "unicode/unicode.h"

enum { UNICODE_VALUE_ODD = 0xFF /* a value that is looked at closer */ };

static uint32_t unicode_value_width(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* Whether text is UTF-8. */
static int unicode_value_is_utf8(const uint8_t *at, const uint8_t *end)
{
    uint32_t point;
    while (at < end) {
        const uint32_t width = tally_utf8_decode(at, end, &point);
        if (width == 0) {
            return 0;
        }
        at += width;
    }
    return 1;
}

/* Why a value is invalid that has more than letters and separators; 0: it is valid. */
static tally_reason unicode_value_reason(const tally_unicode_letters *letters, const uint8_t *value,
                                         size_t size)
{
    const uint8_t *end = value + size;
    uint32_t before = TALLY_UNICODE_KEPT;
    int is_first = 1, apart = 0, foreign = 0, notation = 0, order = 0;
    if (!unicode_value_is_utf8(value, end)) {
        return TALLY_REASON_FOREIGN;
    }
    for (const uint8_t *at = value; at < end;) {
        uint32_t point = 0, next = 0;
        at += tally_utf8_decode(at, end, &point);
        const uint32_t code = tally_unicode_code(letters, point);
        foreign |= code == TALLY_UNICODE_FOREIGN;
        if (tally_unicode_is_mark(code)) {
            order |= tally_unicode_is_mark(before) && code < before;
            for (size_t i = 0; i < TALLY_UNICODE_COMPOSED; i++) {
                apart |= point == TALLY_UNICODE_NUKTA && before == letters->bases[i];
            }
        }
        if (code == letters->medial || code == letters->final) {
            const int behind = at < end && tally_utf8_decode(at, end, &next) != 0 &&
                               tally_unicode_is_letter(tally_unicode_code(letters, next));
            const int ends = !is_first && tally_unicode_is_letter(before) && !behind;
            notation |= ends != (code == letters->final);
        }
        before = code;
        is_first = 0;
    }
    if (apart || (foreign && !tally_is_nfc(value, size, NULL))) {
        return TALLY_REASON_NORMAL;
    }
    return foreign    ? TALLY_REASON_FOREIGN
           : notation ? TALLY_REASON_NOTATION
           : order    ? TALLY_REASON_NORMAL
                      : TALLY_REASON_NONE;
}

/* Whether letter i of a value's characters is at the end of a word. */
static inline int unicode_value_ends(const uint16_t *codes, size_t chars, size_t i)
{
    return i > 0 && codes[i - 1] < TALLY_UNICODE_MARK &&
           (i + 1 == chars || codes[i + 1] >= TALLY_UNICODE_MARK);
}

/* Whether the letter with a final form is written as its places say. */
static int unicode_value_finals_fit(const tally_unicode_letters *letters, const uint16_t *codes,
                                    size_t chars)
{
    int wrong = 0;
    for (size_t i = 0; i < chars; i++) {
        if (codes[i] == letters->medial || codes[i] == letters->final) {
            wrong |= unicode_value_ends(codes, chars, i) != (codes[i] == letters->final);
        }
    }
    return !wrong;
}

/* Reads the characters of a value. Returns UNICODE_VALUE_ODD where one is neither letter nor separator nor
 * a sign without combining class, or a mark that may not stand there. */
static inline int unicode_value_read(const tally_unicode_letters *letters, const uint8_t *value,
                                     size_t size, tally_unicode_value *text)
{
    const uint8_t *at = value, *const end = value + size;
    uint16_t *code_at = text->codes;
    uint8_t *symbol = text->symbols;
    const uint32_t radix = letters->radix, shift = letters->shift;
    const int pairs = letters->digits == 2;
    uint32_t before = TALLY_UNICODE_KEPT;
    while (at < end) {
        uint32_t code;
        if (*at < 0x80) {
            code = letters->ascii[*at++];
        } else {
            uint32_t point;
            const uint32_t width = tally_utf8_decode(at, end, &point);
            if (width == 0) {
                return UNICODE_VALUE_ODD;
            }
            at += width;
            code = tally_unicode_code(letters, point);
        }
        *code_at++ = (uint16_t)code;
        if (code < TALLY_UNICODE_MARK) {
            if (pairs) {
                symbol[0] = (uint8_t)(code / radix);
                symbol[1] = (uint8_t)(code % radix);
                symbol += 2;
            } else {
                *symbol++ = (uint8_t)((code == letters->final ? letters->medial : code) >> shift);
            }
        } else if (code != TALLY_UNICODE_KEPT) {
            if (code == TALLY_UNICODE_FOREIGN) {
                return UNICODE_VALUE_ODD;
            }
            if (code >= TALLY_UNICODE_WHOLE) {
                *symbol++ = (uint8_t)(letters->bases[code - TALLY_UNICODE_WHOLE] >> shift);
            } else if (tally_unicode_is_mark(before) && code < before) {
                return UNICODE_VALUE_ODD;
            } else {
                for (size_t i = 0; i < TALLY_UNICODE_COMPOSED; i++) {
                    if (before == letters->bases[i]) {
                        return UNICODE_VALUE_ODD; /* perhaps a nukta that NFC does not leave apart */
                    }
                }
            }
        }
        before = code;
    }
    text->chars = (size_t)(code_at - text->codes);
    text->letters = (size_t)(symbol - text->symbols) >> pairs;
    return letters->final != TALLY_UNICODE_NONE &&
                   !unicode_value_finals_fit(letters, text->codes, text->chars)
               ? UNICODE_VALUE_ODD
               : 0;
}

/* Reads a value that unicode_value_read found odd, if it is valid. */
static tally_reason unicode_value_read_marked(const tally_unicode_letters *letters,
                                              const uint8_t *value, size_t size,
                                              tally_unicode_value *text)
{
    const tally_reason reason = unicode_value_reason(letters, value, size);
    if (reason != TALLY_REASON_NONE) {
        return reason;
    }
    text->chars = text->letters = 0;
    for (const uint8_t *at = value, *const end = value + size; at < end;) {
        uint32_t point = 0;
        at += tally_utf8_decode(at, end, &point);
        const uint32_t code = tally_unicode_code(letters, point);
        text->codes[text->chars++] = (uint16_t)code;
        if (code >= TALLY_UNICODE_WHOLE && code < TALLY_UNICODE_WHOLE + TALLY_UNICODE_COMPOSED) {
            text->symbols[text->letters++] =
                (uint8_t)(letters->bases[code - TALLY_UNICODE_WHOLE] >> letters->shift);
        } else if (code < TALLY_UNICODE_MARK) { /* no script of two symbols has marks */
            text->symbols[text->letters++] =
                (uint8_t)((code == letters->final ? letters->medial : code) >> letters->shift);
        }
    }
    return TALLY_REASON_NONE;
}

/* A value that is being written. */
typedef struct unicode_value_written {
    const tally_unicode_letters *letters;
    const tally_unicode_value *text;
    const uint8_t *symbol, *value; /* the next ones */
    size_t at;                     /* the next character */
    uint8_t *out;
} unicode_value_written;

/* Writes the letter before `at`, of a code and so many bytes in the value. */
typedef void unicode_value_write_letter(unicode_value_written *to, uint32_t code, uint32_t width);

/* Characters that are no letters are copied. */
TALLY_INLINE uint8_t *unicode_value_write_with(const tally_unicode_letters *letters,
                                               const tally_unicode_value *text,
                                               const uint8_t *value, uint8_t *out,
                                               unicode_value_write_letter *write)
{
    unicode_value_written to = {letters, text, text->symbols, value, 0, out};
    while (to.at < text->chars) {
        const uint32_t code = text->codes[to.at++], width = unicode_value_width(*to.value);
        const uint8_t *from = to.value;
        to.value += width;
        if (tally_unicode_is_letter(code)) {
            write(&to, code, width);
        } else {
            memcpy(to.out, from, width);
            to.out += width;
        }
    }
    return to.out;
}

/* Writes the bytes of a code. */
static inline void unicode_value_write_code(unicode_value_written *to, uint32_t code)
{
    const tally_unicode_bytes bytes = to->letters->bytes[code];
    tally_store_le32(bytes, to->out);
    to->out += bytes >> TALLY_UNICODE_WIDTH_SHIFT;
}

/* Of a script whose letters have one or two forms, and no more to them. */
TALLY_INLINE void unicode_value_write_plain(unicode_value_written *to, uint32_t code,
                                            uint32_t width)
{
    const uint32_t shift = to->letters->shift, forms = (1u << shift) - 1;
    (void)width;
    unicode_value_write_code(to, ((uint32_t)*to->symbol++ << shift) | (code & forms));
}

/* Of letters that are side by side, of two symbols each. */
TALLY_INLINE void unicode_value_write_pair(unicode_value_written *to, uint32_t code, uint32_t width)
{
    const tally_unicode_letters *letters = to->letters;
    (void)code, (void)width;
    to->out += tally_utf8_encode(letters->direct + to->symbol[0] * letters->radix + to->symbol[1],
                                 to->out);
    to->symbol += 2;
}

/* Of a script with final forms, or with characters that NFC composes. */
static inline void unicode_value_write_special(unicode_value_written *to, uint32_t code,
                                               uint32_t width)
{
    static const uint8_t nukta[3] = {0xE0, 0xA4, 0xBC};
    const tally_unicode_letters *letters = to->letters;
    const tally_unicode_value *text = to->text;
    const uint32_t shift = letters->shift, forms = (1u << shift) - 1;
    const int whole = code >= TALLY_UNICODE_WHOLE;
    const uint32_t form = whole || code == letters->final ? 0 : code & forms;
    const uint32_t written = ((uint32_t)*to->symbol++ << shift) | form;
    if (written == letters->medial && unicode_value_ends(text->codes, text->chars, to->at - 1)) {
        to->out += tally_utf8_encode(letters->script->final, to->out);
        return;
    }
    const int behind = to->at < text->chars && width == sizeof nukta &&
                       memcmp(to->value, nukta, sizeof nukta) == 0;
    size_t base = TALLY_UNICODE_COMPOSED;
    for (size_t j = 0; j < TALLY_UNICODE_COMPOSED; j++) {
        base = letters->bases[j] == written ? j : base;
    }
    if (base < TALLY_UNICODE_COMPOSED && (whole || behind)) {
        to->out += tally_utf8_encode(letters->script->composed[base].whole, to->out);
        if (!whole) {
            to->value += sizeof nukta;
            to->at++;
        }
        return;
    }
    unicode_value_write_code(to, written);
    if (whole) {
        memcpy(to->out, nukta, sizeof nukta);
        to->out += sizeof nukta;
    }
}

tally_reason tally_unicode_read(const tally_unicode_letters *letters, const uint8_t *value,
                                size_t size, int has_short, tally_unicode_value *out)
{
    out->is_short = has_short && size <= TALLY_UNICODE_SHORT && letters->digits == 1 &&
                    tally_unicode_short_read(letters, value, size, out->codes, out->symbols,
                                             &out->chars, &out->letters);
    const int reason = out->is_short ? 0 : unicode_value_read(letters, value, size, out);
    return reason == UNICODE_VALUE_ODD ? unicode_value_read_marked(letters, value, size, out)
                                       : (tally_reason)reason;
}

uint8_t *tally_unicode_write(const tally_unicode_letters *letters, const tally_unicode_value *text,
                             const uint8_t *value, size_t size, uint8_t *out)
{
    if (text->is_short) {
        return tally_unicode_short_write(letters, value, size, text->codes, text->symbols, out);
    }
    if (letters->digits == 2) {
        return unicode_value_write_with(letters, text, value, out, unicode_value_write_pair);
    }
    if (letters->script->final != 0 || letters->script->composed != NULL) {
        return unicode_value_write_with(letters, text, value, out, unicode_value_write_special);
    }
    return unicode_value_write_with(letters, text, value, out, unicode_value_write_plain);
}
