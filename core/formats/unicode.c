/* SPDX-License-Identifier: Apache-2.0
 *
 * unicode: text in one script, or of several. Letters are encrypted; signs and separators stay in
 * their places. */
#include <string.h>

#include "base/allocator.h"
#include "formats/unicode_repertoires.h"
#include "formats/unicode_text.h"
#include "numbers/mixed.h"
#include "unicode/unicode.h"

enum {
    UNICODE_MAX_LETTERS = 1 << 16,
    UNICODE_MAX_PAIRS = 256, /* letters at most, where two symbols stand for each: longer values
                                   * would walk too long */
    UNICODE_MAX_KEPT = 32,
    UNICODE_MAX_SEPARATORS = 256
};

static const char *const unicode_scripts[] = {"any",    "latin",  "greek",      "cyrillic",
                                              "arabic", "hebrew", "devanagari", "kana",
                                              "hangul", "cjk",    "japanese",   NULL};

/* In the order of tally_repertoires. */
static const char *const unicode_repertoires[] = {
    "english",   "latin-1", "croatian",   "czech",     "danish",    "dutch",
    "finnish",   "french",  "german",     "hungarian", "icelandic", "italian",
    "norwegian", "polish",  "portuguese", "romanian",  "slovak",    "spanish",
    "swedish",   "turkish", "vietnamese", NULL};

_Static_assert(sizeof unicode_repertoires / sizeof *unicode_repertoires == TALLY_REPERTOIRES + 1,
               "all of them");

/* Characters that stay in text of every script. */
#define UNICODE_USUAL_SEPARATORS                                                                   \
    " -'."                                                                                         \
    "\xc2\xa0\xc2\xb7\xca\xbb\xca\xbc\xe2\x80\x90\xe2\x80\x91\xe2\x80\x98\xe2\x80\x99"             \
    "\xe3\x80\x80\xe3\x83\xbb"

static const tally_option unicode_options[] = {
    {"script", TALLY_OPTION_CHOICE, 0, unicode_scripts, "\"any\""},
    {"repertoire", TALLY_OPTION_CHOICE, 0, unicode_repertoires, NULL},
    {"separators", TALLY_OPTION_TEXT, 0, NULL, "\"" UNICODE_USUAL_SEPARATORS "\""},
    {"keep_first", TALLY_OPTION_INTEGER, 0, NULL, "0"},
    {"keep_last", TALLY_OPTION_INTEGER, 0, NULL, "0"},
    {"kept_as_tweak", TALLY_OPTION_BOOLEAN, 0, NULL, "true"},
    {"min_length", TALLY_OPTION_INTEGER, 0, NULL, "0"},
    {"max_length", TALLY_OPTION_INTEGER, 0, NULL, "1024"},
    TALLY_OPTIONS_END,
};

enum {
    UNICODE_SCRIPT,
    UNICODE_REPERTOIRE,
    UNICODE_SEPARATORS,
    UNICODE_KEEP_FIRST,
    UNICODE_KEEP_LAST,
    UNICODE_KEPT_AS_TWEAK,
    UNICODE_MIN_LENGTH,
    UNICODE_MAX_LENGTH
};

/* The options, read. */
typedef struct unicode_wanted {
    int64_t keep_first, keep_last, min_length, max_length;
    uint16_t separators[UNICODE_MAX_SEPARATORS];
    size_t separator_count;
} unicode_wanted;

/* The scripts that options choose. */
typedef struct unicode_choice {
    const char *name;       /* for the identity */
    const char *repertoire; /* or NULL */
    const tally_script *scripts;
    uint32_t count;
} unicode_choice;

static tally_status unicode_check_numbers(const tally_format *format, const unicode_wanted *wanted,
                                          tally_problem *problem)
{
    const int first = wanted->keep_first >= 0 && wanted->keep_first <= UNICODE_MAX_KEPT,
              last = wanted->keep_last >= 0 && wanted->keep_last <= UNICODE_MAX_KEPT;
    if (!first || !last) {
        return tally_format_refuse(format, problem, first ? "keep_last" : "keep_first",
                                   "keep_first and keep_last must be 0..32");
    }
    if (wanted->min_length < 0 || wanted->max_length < wanted->min_length ||
        wanted->max_length > UNICODE_MAX_LETTERS) {
        return tally_format_refuse(format, problem,
                                   wanted->min_length < 0 ? "min_length" : "max_length",
                                   "lengths must be 0 <= min_length <= max_length <= 65536");
    }
    return TALLY_OK;
}

/* Whether a script has a letter or sign, and so no such separator. */
static int unicode_spans_have(tally_unicode_spans spans, uint32_t point)
{
    for (size_t i = 0; i < spans.count; i++) {
        if (point >= spans.span[i].first && point <= spans.span[i].last) {
            return 1;
        }
    }
    return 0;
}

static int unicode_script_has(const tally_script *script, uint32_t point)
{
    int found =
        unicode_spans_have(script->lower, point) || unicode_spans_have(script->upper, point) ||
        unicode_spans_have(script->signs, point) || (script->final != 0 && point == script->final);
    for (size_t i = 0; i < script->mark_count; i++) {
        found |= unicode_spans_have((tally_unicode_spans){&script->marks[i].span, 1}, point);
    }
    return found;
}

static tally_status unicode_refuse_separator(const tally_format *format, const tally_script *script,
                                             tally_problem *problem)
{
    tally_writer out;
    tally_format_refusal(format, problem, "separators", &out);
    tally_write(&out, "a separator must not be a letter or sign of the script ");
    tally_write(&out, script->name);
    return TALLY_ERROR_FORMAT;
}

static tally_status unicode_read_separators(const tally_format *format, const char *text,
                                            size_t size, const tally_script *scripts,
                                            uint32_t count, unicode_wanted *wanted,
                                            tally_problem *problem)
{
    /* All are read once to see whether one is given twice, before each is looked at. */
    for (size_t at = 0; at < size;) {
        const uint32_t point = tally_utf8_next(text, size, &at);
        for (size_t again = at; again < size;) {
            if (tally_utf8_next(text, size, &again) == point) {
                return tally_format_refuse(format, problem, "separators",
                                           "a separator is given twice");
            }
        }
    }
    for (size_t at = 0; at < size;) {
        const uint32_t point = tally_utf8_next(text, size, &at);
        if (point > 0xFFFF || (point >= 0xD800 && point < 0xE000) ||
            tally_combining_class(point) != 0) {
            return tally_format_refuse(format, problem, "separators",
                                       "separators must be characters of the Basic Multilingual "
                                       "Plane, without combining marks");
        }
        for (uint32_t i = 0; i < count; i++) {
            if (unicode_script_has(&scripts[i], point)) {
                return unicode_refuse_separator(format, &scripts[i], problem);
            }
        }
        if (wanted->separator_count == UNICODE_MAX_SEPARATORS) {
            return tally_format_refuse(format, problem, "separators",
                                       "there must be at most 256 separators");
        }
        wanted->separators[wanted->separator_count++] = (uint16_t)point;
    }
    return TALLY_OK;
}

/* The letters of the shortest and the longest word. */
static int64_t unicode_least(const tally_format *format, const unicode_wanted *wanted,
                             const tally_unicode_letters *letters)
{
    const int64_t own = wanted->min_length - wanted->keep_first - wanted->keep_last;
    int64_t least = 3 - (int64_t)letters->digits;
    while (format->cipher.cipher != TALLY_CIPHER_FAST &&
           tally_domain_of_words(letters->size, (uint64_t)least).size <
               tally_format_least_domain(format)) {
        least++;
    }
    return own > least ? own : least;
}

static int64_t unicode_most(const unicode_wanted *wanted, uint32_t digits)
{
    const int64_t limit = digits == 1 ? UNICODE_MAX_LETTERS : UNICODE_MAX_PAIRS,
                  most = wanted->max_length < limit ? wanted->max_length : limit;
    return most - wanted->keep_first - wanted->keep_last;
}

/* Sets the limits of Japanese, of which one kanji is enough. */
static tally_status unicode_limit_japanese(tally_format *format, const unicode_wanted *wanted,
                                           tally_problem *problem)
{
    tally_unicode_format *own = format->own;
    const int64_t keeps = wanted->keep_first + wanted->keep_last;
    own->min_letters = (uint32_t)wanted->min_length;
    own->max_letters = (uint32_t)wanted->max_length;
    if (wanted->max_length <= keeps) {
        return tally_format_refuse(
            format, problem, "max_length",
            "a value has no letter to encrypt; keep fewer in clear, or allow "
            "longer values");
    }
    if (wanted->min_length - keeps > TALLY_JAPANESE_LETTERS) {
        return tally_format_refuse(format, problem, "min_length",
                                   "at most 39 letters of Japanese are encrypted; keep more in "
                                   "clear, or allow shorter values");
    }
    const int64_t least = wanted->min_length - keeps;
    format->smallest = tally_domain_of_words(TALLY_JAPANESE_KANA, least > 2 ? (uint64_t)least : 2);
    return TALLY_OK;
}

static tally_status unicode_make_part(tally_format *format, const unicode_wanted *wanted,
                                      const tally_script *script, tally_unicode_part *part,
                                      tally_problem *problem)
{
    const tally_status status =
        tally_unicode_letters_init(tally_format_allocator(format), script, wanted->separators,
                                   wanted->separator_count, &part->letters);
    if (status != TALLY_OK) {
        return status;
    }
    if (script == &tally_script_japanese) {
        return unicode_limit_japanese(format, wanted, problem);
    }
    const uint32_t digits = part->letters.digits;
    const int64_t least = unicode_least(format, wanted, &part->letters),
                  most = unicode_most(wanted, digits);
    if (most < least) {
        tally_writer out;
        const int by_least = wanted->min_length - wanted->keep_first - wanted->keep_last == least;
        tally_format_refusal(format, problem, by_least ? "min_length" : "max_length", &out);
        tally_write(&out, "a value of ");
        tally_write_int(&out, wanted->max_length);
        tally_write(&out, " letters has fewer than ");
        tally_write_int(&out, least);
        tally_write(&out, " to encrypt; keep fewer in clear, or allow longer values");
        return TALLY_ERROR_FORMAT;
    }
    part->least = (uint32_t)least * digits;
    part->most = (uint32_t)most * digits;
    uint32_t small = 1;
    while (tally_domain_of_words(part->letters.size, small).size < TALLY_SMALL_DOMAIN) {
        small++;
    }
    part->small_symbols = small * digits;
    const tally_domain domain = tally_domain_of_words(part->letters.size, (uint64_t)least);
    if (!format->smallest.known || domain.size < format->smallest.size) {
        format->smallest = domain;
    }
    return TALLY_OK;
}

static tally_status unicode_name(tally_format *format, const tally_unicode_format *own,
                                 const unicode_choice *choice)
{
    char identity[128];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"unicode\",");
    tally_write_uint(&out, own->keep_first);
    tally_write_char(&out, ',');
    tally_write_uint(&out, own->keep_last);
    tally_write(&out, own->tweak_kept ? ",true,\"" : ",false,\"");
    tally_write(&out, choice->name);
    if (choice->repertoire != NULL) {
        tally_write(&out, "\",\"");
        tally_write(&out, choice->repertoire);
    }
    tally_write(&out, "\"]");
    return tally_format_identify(format, identity, out.size);
}

/* The scripts that a description asks for. */
static tally_status unicode_choose(const tally_format *format, const tally_option_value *values,
                                   unicode_choice *out, tally_problem *problem)
{
    const size_t chosen = (size_t)values[UNICODE_SCRIPT].integer; /* "any" is the first */
    out->name = unicode_scripts[chosen];
    out->scripts =
        chosen == 0 || chosen > TALLY_SCRIPTS ? tally_scripts : &tally_scripts[chosen - 1];
    out->count = chosen == 0 ? TALLY_SCRIPTS : 1;
    out->repertoire = NULL;
    if (chosen > TALLY_SCRIPTS) {
        out->scripts = &tally_script_japanese;
    }
    if (values[UNICODE_REPERTOIRE].given) {
        const tally_repertoire *repertoire = &tally_repertoires[values[UNICODE_REPERTOIRE].integer];
        if (values[UNICODE_SCRIPT].given && out->scripts != &tally_scripts[TALLY_SCRIPT_LATIN]) {
            return tally_format_refuse(format, problem, "repertoire",
                                       "repertoire needs script = 'latin'");
        }
        out->name = tally_scripts[TALLY_SCRIPT_LATIN].name;
        out->scripts = &repertoire->script;
        out->count = 1;
        out->repertoire = repertoire->name;
    }
    return TALLY_OK;
}

/* Reads the options that are numbers and texts. */
static tally_status unicode_read_wanted(const tally_format *format,
                                        const tally_option_value *values,
                                        const unicode_choice *choice, unicode_wanted *out,
                                        tally_problem *problem)
{
    const tally_option_value *separators = &values[UNICODE_SEPARATORS];
    out->keep_first = values[UNICODE_KEEP_FIRST].integer;
    out->keep_last = values[UNICODE_KEEP_LAST].integer;
    out->min_length = values[UNICODE_MIN_LENGTH].integer;
    out->max_length = values[UNICODE_MAX_LENGTH].integer;
    out->separator_count = 0;
    const tally_status status = unicode_check_numbers(format, out, problem);
    if (status != TALLY_OK) {
        return status;
    }
    return unicode_read_separators(format, separators->text, separators->size, choice->scripts,
                                   choice->count, out, problem);
}

static tally_status unicode_make(tally_format *format, const tally_option_value *values,
                                 tally_problem *problem)
{
    const tally_allocator *allocator = tally_format_allocator(format);
    tally_unicode_format *own = tally_format_own(format, sizeof *own);
    if (own == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    unicode_choice choice;
    unicode_wanted wanted;
    tally_status status = unicode_choose(format, values, &choice, problem);
    if (status == TALLY_OK) {
        status = unicode_read_wanted(format, values, &choice, &wanted, problem);
    }
    if (status != TALLY_OK) {
        return status;
    }
    own->keep_first = (uint32_t)wanted.keep_first;
    own->keep_last = (uint32_t)wanted.keep_last;
    own->tweak_kept =
        values[UNICODE_KEPT_AS_TWEAK].integer != 0 && own->keep_first + own->keep_last != 0;
    own->any = choice.count > 1;
    own->japanese = choice.scripts == &tally_script_japanese;
    own->parts = tally_allocate_many(allocator, choice.count, sizeof *own->parts);
    if (own->parts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(own->parts, 0, choice.count * sizeof *own->parts);
    own->count = choice.count;
    for (uint32_t i = 0; i < own->count && status == TALLY_OK; i++) {
        status = unicode_make_part(format, &wanted, &choice.scripts[i], &own->parts[i], problem);
        format->example[i] = choice.scripts[i].sample;
    }
    if (status == TALLY_OK) {
        tally_unicode_find_parts(own);
        status = tally_format_check_domain(format, problem);
    }
    return status == TALLY_OK ? unicode_name(format, own, &choice) : status;
}

static void unicode_destroy(tally_format *format)
{
    const tally_allocator *allocator = tally_format_allocator(format);
    tally_unicode_format *own = format->own;
    for (uint32_t i = 0; i < own->count; i++) {
        tally_unicode_letters_free(allocator, &own->parts[i].letters);
    }
    tally_release(allocator, own->parts, own->count * sizeof *own->parts);
}

/* The words of as many letters, in the script that has the most of them. */
static void unicode_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                              tally_domain *out)
{
    const tally_unicode_format *own = format->own;
    const uint64_t keeps = own->keep_first + own->keep_last;
    if (own->japanese) {
        tally_unicode_japanese_domain(own, value, size, out);
        return;
    }
    *out = tally_domain_of_size(1);
    for (uint32_t i = 0; i < own->count; i++) {
        const tally_unicode_letters *letters = &own->parts[i].letters;
        uint64_t count = 0;
        for (size_t at = 0; at < size;) {
            const uint32_t point = tally_utf8_next((const char *)value, size, &at);
            count += tally_unicode_code(letters, point) < TALLY_UNICODE_MARK;
        }
        if (count > keeps) {
            const tally_domain domain = tally_domain_of_words(letters->size, count - keeps);
            *out = domain.size > out->size ? domain : *out;
        }
    }
}

static tally_status unicode_text(const tally_format *format, tally_run *run,
                                 tally_text_column *column)
{
    const tally_unicode_format *own = format->own;
    return own->japanese ? tally_unicode_japanese_text(format, run, column)
                         : tally_unicode_text(format, run, column);
}

static tally_status unicode_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_unicode_format *own = format->own;
    return own->japanese ? tally_unicode_japanese_one(format, run, one)
                         : tally_unicode_one(format, run, one);
}

static uint64_t unicode_work(const tally_format *format, size_t size)
{
    const tally_unicode_format *own = format->own;
    uint64_t most = 0;
    if (own->japanese) { /* two symbols of 8 bits hold a letter */
        const uint64_t symbols = size / 3 * 2;
        return tally_format_layers(
            256, symbols < TALLY_MIXED_MAX_LENGTH ? symbols : TALLY_MIXED_MAX_LENGTH, 1);
    }
    for (uint32_t i = 0; i < own->count; i++) {
        const tally_unicode_part *part = &own->parts[i];
        const uint32_t digits = part->letters.digits;
        const uint64_t symbols = digits == 1 ? size : (uint64_t)size / 3 * 2,
                       length = symbols < part->most ? symbols : part->most,
                       layers = tally_format_layers(part->letters.radix, length, 0) * digits;
        most = layers > most ? layers : most;
    }
    return most;
}

static size_t unicode_place_of_fault(const tally_format *format, tally_reason reason,
                                     const uint8_t *value, size_t size)
{
    const tally_unicode_format *own = format->own;
    if (reason == TALLY_REASON_NORMAL) {
        size_t place;
        return tally_is_nfc(value, size, &place) ? SIZE_MAX : place;
    }
    if (reason == TALLY_REASON_NOTATION) { /* the form of one letter: its place would tell it */
        return SIZE_MAX;
    }
    const tally_unicode_letters *letters = &own->parts[0].letters;
    if (own->any) {
        letters = &own->parts[tally_unicode_part_of(own, value, size)].letters;
    }
    for (size_t at = 0; at < size;) {
        const size_t begin = at;
        const uint32_t point = tally_utf8_next((const char *)value, size, &at);
        const int broken = point >= 0xD800 && point < 0xE000;
        if (broken || tally_unicode_code(letters, point) == TALLY_UNICODE_FOREIGN) {
            return begin;
        }
    }
    return SIZE_MAX;
}

const tally_format_about tally_about_unicode = {"Letters of a script: names of the world.", NULL};

const tally_format_class tally_format_unicode = {
    .name = "unicode",
    .options = unicode_options,
    .words = TALLY_WORDS_ANY,
    .make = unicode_make,
    .destroy = unicode_destroy,
    .text = unicode_text,
    .one = unicode_one,
    .domain_of = unicode_domain_of,
    .work = unicode_work,
    .place_of_fault = unicode_place_of_fault,
};
