/* SPDX-License-Identifier: Apache-2.0
 *
 * Ready formats of text: a new one is a row of the table, a line at the end and one in
 * registry.c. */
#include <string.h>

#include "formats/text.h"

#define TEXT_DIGITS "0123456789"
#define TEXT_LOWER  "abcdefghijklmnopqrstuvwxyz"
#define TEXT_UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define TEXT_ASCII  " !\"#$%&'()*+,-./" TEXT_DIGITS ":;<=>?@" TEXT_UPPER "[\\]^_`" TEXT_LOWER "{|}~"

typedef struct text_preset {
    const char *name;
    const char *alphabet;   /* NULL: it is an option */
    const char *separators; /* where they are no option */
    const char *leading;
    uint64_t keep_positions;
    int64_t length; /* in symbols, where it is no option */
    const char *example[TALLY_EXAMPLES];
    const char *lower, *upper; /* the example where case is lower or upper; NULL: the first */
} text_preset;

static const text_preset text_presets[] = {
    {.name = "digits", .alphabet = TEXT_DIGITS, .example = {"5304218", "53-042 18"}},
    {.name = "hex", .alphabet = TEXT_DIGITS "abcdef", .example = {"abcdef09"}, .upper = "ABCDEF09"},
    {.name = "letters",
     .alphabet = TEXT_LOWER,
     .example = {"Anne O'Neill"},
     .lower = "anne o'neill",
     .upper = "ANNE O'NEILL"},
    {.name = "alphanumeric",
     .alphabet = TEXT_DIGITS TEXT_LOWER,
     .example = {"Unit 9B"},
     .lower = "unit 9b",
     .upper = "AB12 CDE"},
    {.name = "base64url",
     .alphabet = TEXT_UPPER TEXT_LOWER TEXT_DIGITS "-_",
     .example = {"dGFsbHk_c3RpY2s="}},
    {.name = "ascii", .alphabet = TEXT_ASCII, .example = {"Hello, world!"}},
    {.name = "alphabet"},
    {.name = "card",
     .alphabet = TEXT_DIGITS,
     .example = {"4111 1111 1111 1111", "378282246310005"}},
    {.name = "ssn", .alphabet = TEXT_DIGITS, .example = {"078-05-1120", "078051120"}},
    {.name = "phone",
     .alphabet = TEXT_DIGITS,
     .leading = "+",
     .example = {"+1 (202) 555-0143", "030/901820"}},
    {.name = "uuid",
     .alphabet = TEXT_DIGITS "abcdef",
     .separators = "-",
     .keep_positions = UINT64_C(1) << 12 | UINT64_C(1) << 16, /* version and variant */
     .length = 32,
     .example = {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"},
     .upper = "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6"},
    {.name = "imei", .alphabet = TEXT_DIGITS, .example = {"49-015420-323751-8", "490154203237518"}},
};

/* An option by its name; NULL: the preset does not have it. */
static const tally_option_value *text_option(const tally_format *format,
                                             const tally_option_value *values, const char *name)
{
    const tally_option *options = format->of->options;
    for (size_t i = 0; options[i].name != NULL; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &values[i];
        }
    }
    return NULL;
}

/* A whole number beyond 64 bits becomes the nearest one within, which is refused as well. */
static int64_t text_option_integer(const tally_option_value *option)
{
    return option->text == NULL ? option->integer : option->text[0] == '-' ? INT64_MIN : INT64_MAX;
}

static tally_text_characters text_characters(const char *text)
{
    return (tally_text_characters){text, text != NULL ? strlen(text) : 0};
}

/* Reads the options that presets share, which follow each other. */
static void text_read_common(tally_format *format, const tally_option_value *values,
                             tally_text_settings *settings)
{
    enum { SEPARATORS, KEEP_FIRST, KEEP_LAST, KEPT_AS_TWEAK, MIN_LENGTH, MAX_LENGTH, TINY };
    const tally_option_value *common = text_option(format, values, "separators");
    settings->kept_as_tweak = 1;
    if (common == NULL) {
        return;
    }
    settings->separators =
        (tally_text_characters){common[SEPARATORS].text, common[SEPARATORS].size};
    settings->keep_first = text_option_integer(&common[KEEP_FIRST]);
    settings->keep_last = text_option_integer(&common[KEEP_LAST]);
    settings->kept_as_tweak = common[KEPT_AS_TWEAK].integer != 0;
    settings->min_length = text_option_integer(&common[MIN_LENGTH]);
    settings->max_length = text_option_integer(&common[MAX_LENGTH]);
    format->allow_tiny_domain = common[TINY].integer != 0;
}

/* Writes an alphabet with letters in lower case as `which` has them: upper, lower, both (mixed), or
 * either, in its place (keep). */
static void text_in_case(char which, tally_text_settings *settings, char capacity[128])
{
    tally_text_characters *alphabet = &settings->alphabet;
    if (which == 'k') {
        settings->fold_case = 1;
    } else if (which == 'u') {
        for (size_t i = 0; i < alphabet->size; i++) {
            const char c = alphabet->text[i];
            capacity[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        alphabet->text = capacity;
    } else if (which == 'm') {
        memcpy(capacity, alphabet->text, alphabet->size);
        for (size_t i = 0; i < 26; i++) {
            capacity[alphabet->size + i] = (char)('A' + i);
        }
        *alphabet = (tally_text_characters){capacity, alphabet->size + 26};
    }
}

static const text_preset *text_preset_of(const tally_format *format)
{
    const text_preset *preset = text_presets;
    while (strcmp(preset->name, format->of->name) != 0) {
        preset++;
    }
    return preset;
}

/* The beginning of the alphabet, where there is no ready example. */
static void text_make_example(tally_format *format, const tally_text_settings *settings)
{
    tally_text *text = format->own;
    size_t size = settings->min_length > 6 ? (size_t)settings->min_length : 6;
    size = size < settings->alphabet.size ? size : settings->alphabet.size;
    const size_t least = text->one->shape.min_symbols, most = sizeof text->example - 1;
    size = size > least ? size : least;
    size = size < most ? size : most;
    for (size_t i = 0, symbol = 0; i < size; i++) {
        text->example[i] = settings->alphabet.text[symbol];
        symbol = symbol + 1 < settings->alphabet.size ? symbol + 1 : 0;
    }
    text->example[size] = '\0';
    format->example[0] = text->example;
}

tally_status tally_text_preset_refuse_changed(const tally_format *format,
                                              const tally_option_value *values, const char *option,
                                              tally_problem *problem)
{
    const char *changed = tally_options_changed(format->of->options, values);
    if (changed == NULL) {
        return TALLY_OK;
    }
    tally_writer out;
    tally_format_refusal(format, problem, changed, &out);
    tally_write(&out, changed);
    tally_write(&out, " can't go with ");
    tally_write(&out, option);
    return TALLY_ERROR_FORMAT;
}

tally_status tally_text_preset_make(tally_format *format, const tally_option_value *values,
                                    tally_problem *problem)
{
    const text_preset *preset = text_preset_of(format);
    const tally_option_value *given_case = text_option(format, values, "case"),
                             *luhn = text_option(format, values, "luhn"),
                             *alphabet = text_option(format, values, "alphabet");
    const char which = *(given_case != NULL ? given_case->text : "");
    char capacity[128];
    tally_text_settings settings = {
        .alphabet = alphabet == NULL ? text_characters(preset->alphabet)
                                     : (tally_text_characters){alphabet->text, alphabet->size},
        .separators = text_characters(preset->separators),
        .leading = text_characters(preset->leading),
        .keep_positions = preset->keep_positions,
        .min_length = preset->length,
        .max_length = preset->length,
        .luhn = luhn != NULL ? (tally_luhn)luhn->integer : TALLY_LUHN_NONE,
    };
    text_read_common(format, values, &settings);
    text_in_case(which, &settings, capacity);
    const tally_status status = tally_text_make(format, &settings, problem);
    if (status != TALLY_OK) {
        return status;
    }
    memcpy(format->example, preset->example, sizeof preset->example);
    if (which == 'l' && preset->lower != NULL) {
        format->example[0] = preset->lower;
    } else if (which == 'u' && preset->upper != NULL) {
        format->example[0] = preset->upper;
    } else if (format->example[0] == NULL) {
        text_make_example(format, &settings);
    }
    return TALLY_OK;
}

static const char *const text_keep_lower_upper_mixed[] = {"keep", "lower", "upper", "mixed", NULL};
static const char *const text_lower_upper_mixed[] = {"lower", "upper", "mixed", NULL};
static const char *const text_lower_upper[] = {"lower", "upper", NULL};
static const char *const text_luhn_choices[] = {"none", "valid", "invalid", NULL};

#define TEXT_CASE(choices, usual)                                                                  \
    {                                                                                              \
        "case", TALLY_OPTION_CHOICE, 0, choices, "\"" usual "\""                                   \
    }
#define TEXT_LUHN                                                                                  \
    {                                                                                              \
        "luhn", TALLY_OPTION_CHOICE, 0, text_luhn_choices, "\"valid\""                             \
    }

/* The name, what it is, the option that it needs, and its options. */
#define TEXT_PRESET(name_, about_, sample_, ...)                                                   \
    static const tally_option text_##name_##_options[] = {__VA_ARGS__};                            \
    const tally_format_about tally_about_##name_ = {about_, sample_};                              \
    const tally_format_class tally_format_##name_ = {.name = #name_,                               \
                                                     .options = text_##name_##_options,            \
                                                     .make = tally_text_preset_make,               \
                                                     TALLY_TEXT_FUNCTIONS}

TEXT_PRESET(digits, "Decimal digits.", NULL, TALLY_TEXT_COMMON(" -", "0", "1024"));
TEXT_PRESET(hex, "Hexadecimal digits.", NULL, TEXT_CASE(text_lower_upper, "lower"),
            TALLY_TEXT_COMMON("", "0", "1024"));
TEXT_PRESET(letters, "Letters a to z: names.", NULL, TEXT_CASE(text_keep_lower_upper_mixed, "keep"),
            TALLY_TEXT_COMMON(" -.'", "0", "1024"));
TEXT_PRESET(alphanumeric, "Letters and digits.", NULL, TEXT_CASE(text_lower_upper_mixed, "mixed"),
            TALLY_TEXT_COMMON(" -", "0", "1024"));
TEXT_PRESET(base64url, "Base64url (RFC 4648); padding stays.", NULL,
            TALLY_TEXT_COMMON("=", "0", "1024"));
TEXT_PRESET(ascii, "All 95 printable ASCII characters.", NULL, TALLY_TEXT_COMMON("", "0", "1024"));
TEXT_PRESET(alphabet, "Characters of one's own alphabet.", "{\"alphabet\":\"ACGT\"}",
            {"alphabet", TALLY_OPTION_TEXT, 1, NULL, NULL}, TALLY_TEXT_COMMON("", "0", "1024"));
TEXT_PRESET(card, "Payment card numbers, with check digit.", NULL, TEXT_LUHN,
            TALLY_TEXT_COMMON(" -", "12", "19"));
TEXT_PRESET(uuid, "UUIDs; version and variant stay.", NULL, TEXT_CASE(text_lower_upper, "lower"),
            TALLY_OPTIONS_END);
TEXT_PRESET(imei, "IMEI of mobile devices, with check digit.", NULL, TEXT_LUHN,
            TALLY_TEXT_COMMON(" -/", "15", "15"));
