/* SPDX-License-Identifier: Apache-2.0
 *
 * Ready formats of text: a new one is a row of the table, a line at the end and two in
 * registry.c. */
#include <string.h>

#include "formats/text.h"

#define TEXT_DIGITS "0123456789"
#define TEXT_LOWER  "abcdefghijklmnopqrstuvwxyz"
#define TEXT_UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define TEXT_ASCII  " !\"#$%&'()*+,-./" TEXT_DIGITS ":;<=>?@" TEXT_UPPER "[\\]^_`" TEXT_LOWER "{|}~"

typedef struct text_preset {
    const char *name;
    const char *alphabet; /* NULL: it is an option */
    const char *separators, *leading;
    uint64_t keep_positions;
    int64_t min_length, max_length; /* 0: the usual one */
    const char *example[TALLY_EXAMPLES];
    const char *lower, *upper; /* the example where case is lower or upper; NULL: the first */
    char usual_case;           /* the first letter of the option's default: keep, lower, mixed */
    tally_luhn usual_luhn;
} text_preset;

static const text_preset text_presets[] = {
    {.name = "digits",
     .alphabet = TEXT_DIGITS,
     .separators = " -",
     .example = {"5304218", "53-042 18"}},
    {.name = "hex",
     .alphabet = TEXT_DIGITS "abcdef",
     .example = {"abcdef09"},
     .upper = "ABCDEF09",
     .usual_case = 'l'},
    {.name = "letters",
     .alphabet = TEXT_LOWER,
     .separators = " -.'",
     .example = {"Anne O'Neill"},
     .lower = "anne o'neill",
     .upper = "ANNE O'NEILL",
     .usual_case = 'k'},
    {.name = "alphanumeric",
     .alphabet = TEXT_DIGITS TEXT_LOWER,
     .separators = " -",
     .example = {"Unit 9B"},
     .lower = "unit 9b",
     .upper = "AB12 CDE",
     .usual_case = 'm'},
    {.name = "base64url",
     .alphabet = TEXT_UPPER TEXT_LOWER TEXT_DIGITS "-_",
     .separators = "=",
     .example = {"dGFsbHk_c3RpY2s="}},
    {.name = "ascii", .alphabet = TEXT_ASCII, .example = {"Hello, world!"}},
    {.name = "alphabet"},
    {.name = "card",
     .alphabet = TEXT_DIGITS,
     .separators = " -",
     .min_length = 12,
     .max_length = 19,
     .example = {"4111 1111 1111 1111", "378282246310005"},
     .usual_luhn = TALLY_LUHN_VALID},
    {.name = "ssn",
     .alphabet = TEXT_DIGITS,
     .separators = "- ",
     .min_length = 9,
     .max_length = 9,
     .example = {"078-05-1120", "078051120"}},
    {.name = "phone",
     .alphabet = TEXT_DIGITS,
     .separators = " -()./",
     .leading = "+",
     .min_length = 6,
     .max_length = 15,
     .example = {"+1 (202) 555-0143", "030/901820"}},
    {.name = "uuid",
     .alphabet = TEXT_DIGITS "abcdef",
     .separators = "-",
     .keep_positions = UINT64_C(1) << 12 | UINT64_C(1) << 16, /* version and variant */
     .min_length = 32,
     .max_length = 32,
     .example = {"f81d4fae-7dec-41d0-a765-00a0c91e6bf6"},
     .upper = "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6",
     .usual_case = 'l'},
    {.name = "imei",
     .alphabet = TEXT_DIGITS,
     .separators = " -/",
     .min_length = 15,
     .max_length = 15,
     .example = {"49-015420-323751-8", "490154203237518"},
     .usual_luhn = TALLY_LUHN_VALID},
};

/* An option by its name; one that a preset does not have is not given. */
static tally_option_value text_option(const tally_format *format, const tally_option_value *values,
                                      const char *name)
{
    const tally_option *options = format->of->options;
    for (size_t i = 0; options[i].name != NULL; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return values[i];
        }
    }
    return (tally_option_value){0};
}

/* A whole number beyond 64 bits becomes the nearest one within, which is refused as well. */
static void text_option_integer(tally_option_value option, int64_t *out)
{
    if (option.given) {
        *out = option.text == NULL ? option.integer : option.text[0] == '-' ? INT64_MIN : INT64_MAX;
    }
}

static void text_option_characters(tally_option_value option, tally_text_characters *out)
{
    if (option.given) {
        *out = (tally_text_characters){option.text, option.size};
    }
}

static tally_text_characters text_characters(const char *text)
{
    return (tally_text_characters){text, text != NULL ? strlen(text) : 0};
}

/* Reads the options that presets share. */
static void text_read_common(tally_format *format, const tally_option_value *values,
                             tally_text_settings *settings)
{
    const tally_option_value kept = text_option(format, values, "kept_as_tweak");
    settings->kept_as_tweak = !kept.given || kept.integer != 0;
    format->allow_tiny_domain = text_option(format, values, "allow_tiny_domain").integer != 0;
    text_option_characters(text_option(format, values, "separators"), &settings->separators);
    text_option_integer(text_option(format, values, "keep_first"), &settings->keep_first);
    text_option_integer(text_option(format, values, "keep_last"), &settings->keep_last);
    text_option_integer(text_option(format, values, "min_length"), &settings->min_length);
    text_option_integer(text_option(format, values, "max_length"), &settings->max_length);
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

/* The first option that is given and differs from its default; NULL: there is none. */
static const char *text_preset_changed(const tally_format *format, const tally_option_value *values)
{
    const text_preset *preset = text_preset_of(format);
    tally_text_settings given = {.separators = text_characters(preset->separators),
                                 .min_length = preset->min_length,
                                 .max_length = preset->max_length};
    tally_format other = *format;
    text_read_common(&other, values, &given);
    return given.separators.size != strlen(preset->separators) ||
                   memcmp(given.separators.text, preset->separators, given.separators.size) != 0
               ? "separators"
           : given.keep_first != 0                  ? "keep_first"
           : given.keep_last != 0                   ? "keep_last"
           : !given.kept_as_tweak                   ? "kept_as_tweak"
           : given.min_length != preset->min_length ? "min_length"
           : given.max_length != preset->max_length ? "max_length"
           : other.allow_tiny_domain != 0           ? "allow_tiny_domain"
                                                    : NULL;
}

tally_status tally_text_preset_refuse_changed(const tally_format *format,
                                              const tally_option_value *values, const char *option,
                                              tally_problem *problem)
{
    const char *changed = text_preset_changed(format, values);
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
    const tally_option_value given_case = text_option(format, values, "case"),
                             given_luhn = text_option(format, values, "luhn");
    const char which = *(given_case.given ? given_case.text : &preset->usual_case);
    char capacity[128];
    tally_text_settings settings = {
        .alphabet = text_characters(preset->alphabet),
        .separators = text_characters(preset->separators),
        .leading = text_characters(preset->leading),
        .keep_positions = preset->keep_positions,
        .min_length = preset->min_length,
        .max_length = preset->max_length != 0 ? preset->max_length : TALLY_TEXT_USUAL_SYMBOLS,
        .luhn = given_luhn.given ? (tally_luhn)given_luhn.integer : preset->usual_luhn,
    };
    text_read_common(format, values, &settings);
    text_option_characters(text_option(format, values, "alphabet"), &settings.alphabet);
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

static const tally_option text_common[] = {TALLY_TEXT_COMMON};
static const tally_option text_hex_options[] = {{"case", TALLY_OPTION_CHOICE, 0, text_lower_upper},
                                                TALLY_TEXT_COMMON};
static const tally_option text_letters_options[] = {
    {"case", TALLY_OPTION_CHOICE, 0, text_keep_lower_upper_mixed}, TALLY_TEXT_COMMON};
static const tally_option text_alphanumeric_options[] = {
    {"case", TALLY_OPTION_CHOICE, 0, text_lower_upper_mixed}, TALLY_TEXT_COMMON};
static const tally_option text_alphabet_options[] = {{"alphabet", TALLY_OPTION_TEXT, 1, NULL},
                                                     TALLY_TEXT_COMMON};
static const tally_option text_luhn_options[] = {
    {"luhn", TALLY_OPTION_CHOICE, 0, text_luhn_choices}, TALLY_TEXT_COMMON};
static const tally_option text_uuid_options[] = {{"case", TALLY_OPTION_CHOICE, 0, text_lower_upper},
                                                 {NULL, TALLY_OPTION_TEXT, 0, NULL}};

#define TEXT_PRESET(name_, options_)                                                               \
    const tally_format_class tally_format_##name_ = {                                              \
        .name = #name_, .options = options_, .make = tally_text_preset_make, TALLY_TEXT_FUNCTIONS}

TEXT_PRESET(digits, text_common);
TEXT_PRESET(hex, text_hex_options);
TEXT_PRESET(letters, text_letters_options);
TEXT_PRESET(alphanumeric, text_alphanumeric_options);
TEXT_PRESET(base64url, text_common);
TEXT_PRESET(ascii, text_common);
TEXT_PRESET(alphabet, text_alphabet_options);
TEXT_PRESET(card, text_luhn_options);
TEXT_PRESET(uuid, text_uuid_options);
TEXT_PRESET(imei, text_luhn_options);
