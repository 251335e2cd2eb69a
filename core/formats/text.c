/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of text: their limits, the identity, and the shape that the core runs. */
#include "formats/text.h"

#include <string.h>

#include "base/allocator.h"

enum { TEXT_SYMBOLS_LEAST = 4, TEXT_SYMBOLS_MOST = 95 };

/* How many characters there are; TEXT_SYMBOLS_MOST + 1 for more. With `distinct`, whether they
 * differ. */
static size_t text_count(tally_text_characters of, int *distinct)
{
    uint32_t found[TEXT_SYMBOLS_MOST];
    size_t count = 0;
    *distinct = 1;
    for (size_t at = 0; at < of.size;) {
        const uint32_t point = tally_utf8_next(of.text, of.size, &at);
        if (count == TEXT_SYMBOLS_MOST) {
            return count + 1;
        }
        for (size_t i = 0; i < count; i++) {
            *distinct &= found[i] != point;
        }
        found[count++] = point;
    }
    return count;
}

static int text_is_printable(tally_text_characters of)
{
    for (size_t i = 0; i < of.size; i++) {
        if (of.text[i] < ' ' || of.text[i] > '~') {
            return 0;
        }
    }
    return 1;
}

static int text_is_lower(tally_text_characters of)
{
    for (size_t i = 0; i < of.size; i++) {
        if (of.text[i] < 'a' || of.text[i] > 'z') {
            return 0;
        }
    }
    return of.size > 0;
}

static uint8_t text_upper(char lower)
{
    return (uint8_t)(lower - 'a' + 'A');
}

/* Counts the characters of a group in counts of all bytes. Returns 0 at the first that was there. */
static int text_once(tally_text_characters of, int upper, uint8_t seen[256])
{
    for (size_t i = 0; i < of.size; i++) {
        const uint8_t byte = upper ? text_upper(of.text[i]) : (uint8_t)of.text[i];
        if (seen[byte]) {
            return 0;
        }
        seen[byte] = 1;
    }
    return 1;
}

static tally_status text_check_characters(const tally_format *format, const tally_text_settings *s,
                                          tally_problem *problem)
{
    int distinct, any;
    const size_t count = text_count(s->alphabet, &distinct);
    if (count < TEXT_SYMBOLS_LEAST || count > TEXT_SYMBOLS_MOST || !distinct) {
        return tally_format_refuse(format, problem, "alphabet",
                                   "the alphabet must have 4..95 distinct characters");
    }
    if (s->fold_case && !text_is_lower(s->alphabet)) {
        return tally_format_refuse(format, problem, "fold_case",
                                   "to keep case, use an alphabet of lower-case letters only, "
                                   "because a digit can't show the case of its letter");
    }
    if (text_count(s->delimiter, &any) > 1) {
        return tally_format_refuse(format, problem, "delimiter",
                                   "the delimiter must be one character");
    }
    if (!text_is_printable(s->alphabet) || !text_is_printable(s->separators) ||
        !text_is_printable(s->leading) || !text_is_printable(s->delimiter)) {
        return tally_format_refuse(
            format, problem, text_is_printable(s->alphabet) ? "separators" : "alphabet",
            "alphabet, separators, leading and delimiter must be printable ASCII");
    }
    uint8_t seen[256] = {0};
    if (!text_once(s->alphabet, 0, seen) || (s->fold_case && !text_once(s->alphabet, 1, seen)) ||
        !text_once(s->separators, 0, seen) || !text_once(s->leading, 0, seen) ||
        !text_once(s->delimiter, 0, seen)) {
        return tally_format_refuse(format, problem, "separators",
                                   "a character is given twice; give it once, as a symbol, a "
                                   "separator, leading or the delimiter");
    }
    return TALLY_OK;
}

static int text_keeps(const tally_text_settings *s)
{
    return s->keep_first != 0 || s->keep_last != 0 || s->keep_positions != 0 ||
           s->keep_after_delimiter;
}

static uint64_t text_keep_mask(const tally_text_settings *s)
{
    const uint64_t first =
        s->keep_first == TALLY_TEXT_KEEP ? UINT64_MAX : (UINT64_C(1) << s->keep_first) - 1;
    return first | s->keep_positions;
}

/* The symbols of a value of so many that are encrypted freely; below 0 if it lacks some. */
static int64_t text_word_length(uint64_t keep, int64_t keep_last, tally_luhn luhn, int64_t symbols)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < symbols && i < TALLY_TEXT_KEEP; i++) {
        kept += (keep >> i & 1) != 0 && keep_last < symbols - i;
    }
    return symbols - kept - (symbols < keep_last ? symbols : keep_last) - (luhn != TALLY_LUHN_NONE);
}

/* The least length from 2 on of which there are so many words. */
static uint32_t text_length_for(uint64_t radix, uint64_t values)
{
    uint32_t length = 2;
    for (uint64_t words = radix * radix; words < values; words *= radix) {
        length++;
    }
    return length;
}

static tally_status text_check_numbers(const tally_format *format, const tally_text_settings *s,
                                       tally_problem *problem)
{
    if (s->keep_first < 0 || s->keep_last < 0 || s->keep_first > TALLY_TEXT_KEEP) {
        return tally_format_refuse(format, problem, NULL,
                                   "keep_first must be 0..64, and keep_last 0 or more");
    }
    int64_t last = 0;
    for (int i = 0; i < TALLY_TEXT_KEEP; i++) {
        last = (s->keep_positions >> i & 1) != 0 ? i : last;
    }
    if (s->keep_positions != 0 &&
        (s->keep_last > TALLY_TEXT_MAX_SYMBOLS || last + s->keep_last + 2 > s->min_length)) {
        /* Else the number of symbols that are kept would depend on the value, and the length of its
         * word would not tell which are. */
        return tally_format_refuse(format, problem, "keep_positions",
                                   "min_length must be so large that keep_positions and keep_last "
                                   "are different symbols of every value");
    }
    if (s->luhn != TALLY_LUHN_NONE &&
        (s->alphabet.size != 10 || memcmp(s->alphabet.text, "0123456789", 10) != 0)) {
        return tally_format_refuse(format, problem, "luhn",
                                   "a Luhn check digit needs the alphabet 0123456789");
    }
    if (s->kept_as_tweak && text_keeps(s) && format->cipher.is_plain) {
        return tally_format_refuse(format, problem, "kept_as_tweak",
                                   "with tweak_hex kept symbols can't be part of the tweak; set "
                                   "kept_as_tweak = false");
    }
    if (s->min_length < 0 || s->min_length > s->max_length ||
        s->max_length > TALLY_TEXT_MAX_SYMBOLS) {
        return tally_format_refuse(format, problem, NULL,
                                   "lengths must be 0 <= min_length <= max_length <= 65536; the "
                                   "default of max_length is 1024");
    }
    return TALLY_OK;
}

/* Sets the lengths of words. */
static tally_status text_check_words(const tally_format *format, const tally_text_settings *s,
                                     tally_shape *shape, tally_problem *problem)
{
    const uint32_t radix = (uint32_t)s->alphabet.size;
    const uint64_t keep = text_keep_mask(s);
    int64_t least = text_length_for(radix, tally_format_least_domain(format));
    const int64_t shortest = text_word_length(keep, s->keep_last, s->luhn, s->min_length);
    int64_t longest = text_word_length(keep, s->keep_last, s->luhn, s->max_length);
    if (format->cipher.cipher == TALLY_CIPHER_FF3_1) {
        const int64_t most = tally_ff3_1_max_length(radix);
        longest = longest < most ? longest : most;
    }
    least = shortest > least ? shortest : least;
    if (longest < least) {
        tally_writer out;
        tally_format_refusal(format, problem, NULL, &out);
        tally_write(&out, "a value of ");
        tally_write_int(&out, s->max_length);
        tally_write(&out, " symbols has fewer than ");
        tally_write_int(&out, least);
        tally_write(&out, " to encrypt; keep fewer in clear, or allow longer values");
        return TALLY_ERROR_FORMAT;
    }
    shape->radix = radix;
    shape->min_symbols = (uint32_t)least;
    shape->max_symbols = (uint32_t)longest;
    shape->small_symbols = text_length_for(radix, TALLY_SMALL_DOMAIN);
    shape->keep = keep;
    shape->keep_last = (uint32_t)s->keep_last;
    return TALLY_OK;
}

static void text_set_kind(tally_shape *shape, tally_text_characters of, tally_byte_kind kind)
{
    for (size_t i = 0; i < of.size; i++) {
        const uint8_t byte =
            kind == TALLY_BYTE_UPPER ? text_upper(of.text[i]) : (uint8_t)of.text[i];
        shape->kind[byte] = (uint8_t)kind;
        if (kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER) {
            shape->symbol[byte] = (uint8_t)i;
            shape->letter[kind == TALLY_BYTE_UPPER][i] = byte;
        }
    }
}

static void text_shape(const tally_text_settings *s, tally_shape *shape)
{
    text_set_kind(shape, s->separators, TALLY_BYTE_KEPT);
    text_set_kind(shape, s->leading, TALLY_BYTE_LEADING);
    text_set_kind(shape, s->delimiter, TALLY_BYTE_DELIMITER);
    text_set_kind(shape, s->alphabet, TALLY_BYTE_SYMBOL);
    if (s->fold_case) {
        text_set_kind(shape, s->alphabet, TALLY_BYTE_UPPER);
    }
    shape->keep_after_delimiter = s->keep_after_delimiter != 0;
    shape->tweak_kept = s->kept_as_tweak && text_keeps(s);
    shape->luhn = (uint8_t)s->luhn;
}

static void text_write_boolean(tally_writer *out, int value)
{
    tally_write(out, value ? ",true" : ",false");
}

static void text_identity(const tally_text_settings *s, char identity[TALLY_TEXT_IDENTITY])
{
    static const char *const luhn[] = {"none", "valid", "invalid"};
    tally_writer out;
    tally_writer_init(&out, identity, TALLY_TEXT_IDENTITY);
    tally_write(&out, "[\"text\",");
    tally_write_json(&out, s->alphabet.text, s->alphabet.size);
    text_write_boolean(&out, s->fold_case);
    text_write_boolean(&out, s->keep_after_delimiter);
    tally_write_char(&out, ',');
    tally_write_int(&out, s->keep_first);
    tally_write_char(&out, ',');
    tally_write_int(&out, s->keep_last);
    tally_write(&out, ",[");
    for (int i = 0, listed = 0; i < TALLY_TEXT_KEEP; i++) {
        if ((s->keep_positions >> i & 1) != 0) {
            tally_write(&out, listed++ != 0 ? "," : "");
            tally_write_int(&out, i);
        }
    }
    tally_write_char(&out, ']');
    text_write_boolean(&out, s->kept_as_tweak && text_keeps(s));
    tally_write(&out, ",\"");
    tally_write(&out, luhn[s->luhn]);
    tally_write(&out, "\"]");
}

tally_status tally_text_init(const tally_format *format, const tally_text_settings *settings,
                             char identity[TALLY_TEXT_IDENTITY], tally_text *out,
                             tally_problem *problem)
{
    memset(out, 0, sizeof *out);
    tally_shape shape = {0};
    tally_status status = text_check_characters(format, settings, problem);
    if (status == TALLY_OK) {
        status = text_check_numbers(format, settings, problem);
    }
    if (status == TALLY_OK) {
        status = text_check_words(format, settings, &shape, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    text_shape(settings, &shape);
    const size_t size = tally_one_value_format_size();
    out->memory = tally_allocate(tally_format_allocator(format), size);
    if (out->memory == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    text_identity(settings, identity);
    return tally_one_value_format_init(&shape, out->memory, size, &out->one);
}

void tally_text_final(const tally_format *format, tally_text *text)
{
    tally_release(tally_format_allocator(format), text->memory, tally_one_value_format_size());
    text->memory = NULL;
}

static int text_may_be_formula(const tally_text_settings *s)
{
    int found = 0;
    for (size_t i = 0; i < s->alphabet.size; i++) {
        const char c = s->alphabet.text[i];
        found |= c == '=' || c == '+' || c == '-' || c == '@';
    }
    return found && s->keep_first == 0;
}

tally_status tally_text_make(tally_format *format, const tally_text_settings *settings,
                             tally_problem *problem)
{
    char identity[TALLY_TEXT_IDENTITY];
    tally_text *text = tally_format_own(format, sizeof *text);
    if (text == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_status status = tally_text_init(format, settings, identity, text, problem);
    if (status != TALLY_OK) {
        return status;
    }
    format->smallest = tally_text_smallest(text);
    format->may_be_formula = text_may_be_formula(settings);
    format->keeps_size = 1;
    format->forbids_keep = settings->luhn == TALLY_LUHN_INVALID;
    return tally_format_identify(format, identity, strlen(identity));
}

void tally_text_destroy(tally_format *format)
{
    tally_text_final(format, format->own);
}

tally_domain tally_text_smallest(const tally_text *text)
{
    const tally_shape *shape = &text->one->shape;
    return tally_domain_of_words(shape->radix, shape->min_symbols);
}

tally_domain tally_text_domain(const tally_text *text, const uint8_t *value, size_t size)
{
    const tally_shape *shape = &text->one->shape;
    int64_t symbols = 0;
    for (size_t i = 0; i < size; i++) {
        const uint8_t kind = shape->kind[value[i]];
        if (kind == TALLY_BYTE_DELIMITER && shape->keep_after_delimiter) {
            break;
        }
        symbols += kind == TALLY_BYTE_SYMBOL || kind == TALLY_BYTE_UPPER;
    }
    const int64_t length =
        text_word_length(shape->keep, shape->keep_last, (tally_luhn)shape->luhn, symbols);
    return tally_domain_of_words(shape->radix, length > 0 ? (uint64_t)length : 0);
}

size_t tally_text_place(const tally_text *text, tally_reason reason, const uint8_t *value,
                        size_t size, uint8_t delimiter)
{
    const tally_shape *shape = &text->one->shape;
    int delimiters = 0;
    for (size_t i = 0; i < size; i++) {
        const int delimits = delimiter != 0 && value[i] == delimiter;
        const uint8_t kind = delimits ? TALLY_BYTE_DELIMITER : shape->kind[value[i]];
        if (reason == TALLY_REASON_DELIMITER) { /* the second one, if it is not missing */
            delimiters += kind == TALLY_BYTE_DELIMITER;
            if (delimiters == 2) {
                return i;
            }
        } else if (kind == TALLY_BYTE_DELIMITER && shape->keep_after_delimiter) {
            return SIZE_MAX;
        } else if (kind == TALLY_BYTE_FOREIGN || (kind == TALLY_BYTE_LEADING && i != 0)) {
            return i;
        }
    }
    return SIZE_MAX;
}
