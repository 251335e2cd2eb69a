/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats from their descriptions, and the functions of all formats. */
#include "formats/format.h"

#include <string.h>

#include "base/allocator.h"
#include "base/nearest.h"
#include "unicode/unicode.h"

const char *tally_reason_text(tally_reason reason)
{
    static const char *const texts[TALLY_REASONS] = {
        [TALLY_REASON_NONE] = "it is valid",
        [TALLY_REASON_SHORT] = "it has too few symbols to encrypt",
        [TALLY_REASON_LONG] = "it has more symbols than the format allows (max_length)",
        [TALLY_REASON_FOREIGN] = "it has a character that the format does not allow there",
        [TALLY_REASON_DELIMITER] = "its delimiter is missing or repeated",
        [TALLY_REASON_CHECK] = "its check digit is wrong",
        [TALLY_REASON_TWEAK] =
            "its tweak is null, too long, or not of the size that the cipher needs",
        [TALLY_REASON_NOTATION] = "it is not written in the format's notation",
        [TALLY_REASON_RANGE] = "it is outside the format's range",
        [TALLY_REASON_NORMAL] = "it is not in Unicode normal form NFC",
    };
    return (unsigned)reason < TALLY_REASONS ? texts[reason] : "it is invalid";
}

void tally_fault_text(const tally_fault *fault, char *out, size_t capacity)
{
    static const char *const classes[] = {"a letter", "a digit", "a space", "a control character",
                                          "another character"};
    tally_writer writer;
    tally_writer_init(&writer, out, capacity);
    tally_write(&writer, tally_reason_text(fault->reason));
    if (fault->position != 0 && (unsigned)fault->character <= TALLY_CHARACTER_OTHER) {
        tally_write(&writer, " (");
        tally_write(&writer, classes[fault->character]);
        tally_write(&writer, ", character ");
        tally_write_uint(&writer, fault->position);
        tally_write_char(&writer, ')');
    }
}

static size_t format_count(void)
{
    size_t count = 0;
    while (tally_format_classes[count] != NULL) {
        count++;
    }
    return count;
}

const char *tally_format_name_at(size_t index)
{
    return index < format_count() ? tally_format_classes[index]->name : NULL;
}

static void format_describe_option(const tally_option *option, tally_writer *out)
{
    static const char *const kinds[] = {
        [TALLY_OPTION_TEXT] = "text",         [TALLY_OPTION_INTEGER] = "integer",
        [TALLY_OPTION_BOOLEAN] = "boolean",   [TALLY_OPTION_CHOICE] = "choice",
        [TALLY_OPTION_LIST] = "list",         [TALLY_OPTION_NUMBER] = "number",
        [TALLY_OPTION_WHOLE] = "whole",       [TALLY_OPTION_DATE] = "date",
        [TALLY_OPTION_DATETIME] = "datetime",
    };
    tally_write(out, "{\"name\":\"");
    tally_write(out, option->name);
    tally_write(out, "\",\"kind\":\"");
    tally_write(out, kinds[option->kind]);
    tally_write(out, "\",\"required\":");
    tally_write(out, option->required ? "true" : "false");
    tally_write(out, ",\"choices\":[");
    for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++) {
        tally_write(out, i == 0 ? "\"" : ",\"");
        tally_write(out, option->choices[i]);
        tally_write_char(out, '"');
    }
    tally_write(out, "],\"default\":");
    tally_write(out, option->usual != NULL ? option->usual : "null");
    tally_write_char(out, '}');
}

size_t tally_format_describe(size_t index, char *out, size_t capacity)
{
    if (index >= format_count()) {
        return 0;
    }
    const tally_format_class *const of = tally_format_classes[index];
    const tally_format_about *const about = tally_format_abouts[index];
    tally_writer writer;
    tally_writer_init(&writer, out, capacity);
    tally_write(&writer, "{\"name\":\"");
    tally_write(&writer, of->name);
    tally_write(&writer, "\",\"about\":\"");
    tally_write(&writer, about->about);
    tally_write(&writer, "\",\"sample\":");
    tally_write(&writer, about->sample != NULL ? about->sample : "{}");
    tally_write(&writer, ",\"ciphers\":");
    tally_write(&writer, of->words != TALLY_WORDS_NONE ? "true" : "false");
    tally_write(&writer, ",\"options\":[");
    for (const tally_option *option = of->options; option->name != NULL; option++) {
        tally_write(&writer, option == of->options ? "" : ",");
        format_describe_option(option, &writer);
    }
    tally_write(&writer, "]}");
    return writer.needed;
}

const tally_allocator *tally_format_allocator(const tally_format *format)
{
    return format->has_allocator ? &format->allocator : NULL;
}

void *tally_format_own(tally_format *format, size_t size)
{
    format->own = tally_allocate(tally_format_allocator(format), size);
    if (format->own != NULL) {
        memset(format->own, 0, size);
        format->own_size = size;
    }
    return format->own;
}

tally_status tally_format_identify(tally_format *format, const char *identity, size_t size)
{
    const tally_cipher_choice *choice = &format->cipher;
    char head[32 + 2 * TALLY_PLAIN_TWEAK];
    tally_writer out;
    tally_writer_init(&out, head, sizeof head);
    if (choice->cipher != TALLY_CIPHER_FAST || choice->is_plain) {
        tally_write(&out, "[\"");
        tally_write(&out, tally_cipher_name(tally_cipher_algorithm(choice->cipher)));
        tally_write(&out, "\",");
        if (choice->is_plain) {
            tally_write_char(&out, '"');
            for (size_t i = 0; i < choice->tweak_size; i++) {
                tally_write_char(&out, "0123456789abcdef"[choice->tweak[i] >> 4]);
                tally_write_char(&out, "0123456789abcdef"[choice->tweak[i] & 15]);
            }
            tally_write(&out, "\",");
        }
    }
    const size_t whole = out.size + size + (out.size != 0);
    format->identity = tally_allocate(tally_format_allocator(format), whole + 1);
    if (format->identity == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memcpy(format->identity, head, out.size);
    memcpy(format->identity + out.size, identity, size);
    if (out.size != 0) {
        format->identity[whole - 1] = ']';
    }
    format->identity[whole] = '\0';
    return TALLY_OK;
}

void tally_format_refusal(const tally_format *format, tally_problem *problem, const char *option,
                          tally_writer *out)
{
    tally_writer_problem(out, problem);
    tally_writer place;
    tally_writer_init(&place, problem->place, sizeof problem->place);
    if (option != NULL) {
        tally_write(&place, option);
    }
    tally_write(out, format->of->name);
    tally_write(out, ": ");
}

tally_status tally_format_refuse(const tally_format *format, tally_problem *problem,
                                 const char *option, const char *text)
{
    tally_writer out;
    tally_format_refusal(format, problem, option, &out);
    tally_write(&out, text);
    return TALLY_ERROR_FORMAT;
}

uint64_t tally_format_least_domain(const tally_format *format)
{
    switch (format->cipher.cipher) {
    case TALLY_CIPHER_FAST:
        return format->allow_tiny_domain ? 0 : TALLY_SMALLEST_DOMAIN;
    case TALLY_CIPHER_FF1_2016:
        return format->allow_tiny_domain ? TALLY_FF1_2016_DOMAIN : TALLY_FF1_DOMAIN;
    default:
        return TALLY_FF1_DOMAIN;
    }
}

/* Whether a format has the option that lets a domain be tiny. A class without `make` is that of other
 * options, such as a phone's country, with which it can't go. */
static int format_may_be_tiny(const tally_format *format)
{
    const tally_option *option = format->of->options;
    while (option->name != NULL && strcmp(option->name, "allow_tiny_domain") != 0) {
        option++;
    }
    return option->name != NULL && format->of->make != NULL;
}

tally_status tally_format_check_domain(const tally_format *format, tally_problem *problem)
{
    const tally_domain *smallest = &format->smallest;
    const uint64_t least = tally_format_least_domain(format);
    if (!smallest->known || smallest->size >= least) {
        return TALLY_OK;
    }
    tally_writer out;
    tally_format_refusal(format, problem, NULL, &out);
    tally_write(&out, "the smallest domain has only ");
    tally_write_uint(&out, smallest->size);
    if (format->cipher.cipher != TALLY_CIPHER_FAST) {
        tally_write(&out, " values, and ");
        tally_write(&out, tally_cipher_name(format->cipher.cipher));
        tally_write(&out, " needs ");
        tally_write_uint(&out, least);
        tally_write(&out, least > TALLY_FF1_2016_DOMAIN && format_may_be_tiny(format)
                              ? " or more; widen the format, or use FAST, or cipher = 'ff1-2016' "
                                "with allow_tiny_domain = true for 100 or more"
                              : " or more; widen the format, or use FAST");
        return TALLY_ERROR_FORMAT;
    }
    tally_write(&out, " values, so anyone who can protect values can compute all its tokens; widen "
                      "the format, or set allow_tiny_domain = true");
    return TALLY_ERROR_FORMAT;
}

tally_domain tally_domain_of_words(uint32_t radix, uint64_t length)
{
    tally_domain domain = {.size = 1, .known = 1};
    for (uint64_t i = 0; i < length; i++) {
        if (domain.size > UINT64_MAX / radix) {
            domain.size = UINT64_MAX;
            break;
        }
        domain.size *= radix;
    }
    return domain;
}

tally_domain tally_domain_of_size(uint64_t size)
{
    return (tally_domain){.size = size, .known = 1};
}

uint64_t tally_format_layers(uint32_t radix, uint64_t length, int walks)
{
    tally_fast_params params;
    if (length > TALLY_FAST_MAX_LENGTH) {
        length = TALLY_FAST_MAX_LENGTH;
    }
    if (length < TALLY_FAST_MIN_LENGTH) {
        length = TALLY_FAST_MIN_LENGTH;
    }
    if (tally_fast_recommended(TALLY_FAST, radix, (uint32_t)length, &params) != TALLY_OK) {
        return 0;
    }
    return walks ? (uint64_t)params.layers * 5 / 4 : params.layers;
}

/* The place in messages of an option that was not read yet. */
static tally_status format_unknown(const char *name, size_t size, tally_problem *problem)
{
    const char *names[TALLY_FORMATS_MOST];
    const size_t count = format_count();
    for (size_t i = 0; i < count; i++) {
        names[i] = tally_format_classes[i]->name;
    }
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, "there is no format ");
    tally_write_repr(&out, name, size);
    tally_write_instead(&out, name, size, names, count);
    return TALLY_ERROR_FORMAT;
}

static tally_status format_nameless(tally_problem *problem)
{
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, "must be the name of a format: ");
    for (size_t i = 0; tally_format_classes[i] != NULL; i++) {
        tally_write(&out, i == 0 ? "" : ", ");
        tally_write(&out, tally_format_classes[i]->name);
    }
    return TALLY_ERROR_FORMAT;
}

static const tally_format_class *format_class(const char *name, size_t size)
{
    for (size_t i = 0; tally_format_classes[i] != NULL; i++) {
        const char *known = tally_format_classes[i]->name;
        if (strlen(known) == size && memcmp(known, name, size) == 0) {
            return tally_format_classes[i];
        }
    }
    return NULL;
}

/* Refuses a cipher that a format has no use for. */
static tally_status format_check_cipher(const tally_format *format, tally_problem *problem)
{
    const tally_cipher_choice *choice = &format->cipher;
    if (choice->cipher != TALLY_CIPHER_FAST && format->of->words == TALLY_WORDS_NONE) {
        return tally_format_refuse(
            format, problem, "cipher",
            "it encrypts no words, so it takes no cipher; remove the option");
    }
    if (choice->is_plain && format->of->words != TALLY_WORDS_IN_PLACE) {
        return tally_format_refuse(
            format, problem, "tweak_hex",
            "tweak_hex is for a plain cipher, which replaces the symbols of a text; use a format "
            "of text such as 'digits' or 'alphabet', or remove tweak_hex");
    }
    return TALLY_OK;
}

int tally_format_takes_cipher(const tally_json *description)
{
    const tally_json *const type = tally_json_member(description, "type");
    const tally_json *const name = type != NULL ? type : description;
    const tally_format_class *const of =
        name->kind == TALLY_JSON_TEXT ? format_class(name->text, name->size) : NULL;
    return of != NULL && of->words != TALLY_WORDS_NONE;
}

static tally_status format_make(const tally_allocator *allocator, const tally_format_class *of,
                                const tally_option_value *values, const tally_cipher_choice *cipher,
                                tally_format **out, tally_problem *problem)
{
    tally_format *format = tally_allocate(allocator, sizeof *format);
    if (format == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(format, 0, sizeof *format);
    format->of = of;
    if (allocator != NULL) {
        format->allocator = *allocator;
        format->has_allocator = 1;
    }
    format->keyed = 1;
    format->cipher = *cipher;
    tally_status status = format_check_cipher(format, problem);
    if (status == TALLY_OK) {
        status = of->make(format, values, problem);
    }
    if (status == TALLY_OK) {
        status = format_check_cipher(format, problem); /* options may have chosen another class */
    }
    if (status == TALLY_OK && cipher->cipher != TALLY_CIPHER_FAST) {
        status = tally_format_check_domain(format, problem);
    }
    if (status != TALLY_OK) {
        tally_format_free(format);
        return status;
    }
    *out = format;
    return TALLY_OK;
}

/* A refusal names an option that was given: the only one, or else none if it was not. */
static void format_blame_given(const tally_json *options, tally_problem *problem)
{
    const tally_json *only = NULL;
    size_t given = 0;
    for (const tally_json *one = options != NULL ? options->first : NULL; one != NULL;
         one = one->next) {
        if (tally_json_key_is(one, problem->place)) {
            return;
        }
        if (!tally_json_key_is(one, "type")) {
            only = one;
            given++;
        }
    }
    tally_writer place;
    tally_writer_init(&place, problem->place, sizeof problem->place);
    if (given == 1) {
        tally_write_path(&place, only->key, only->key_size);
    }
}

/* Names the one option without which there would be a format, if there is one. */
static void format_blame(const tally_allocator *allocator, const tally_format_class *of,
                         const tally_json *object, tally_option_value *values,
                         const tally_cipher_choice *cipher, tally_problem *problem)
{
    const char *blamed = NULL;
    tally_problem other;
    for (size_t i = 0; of->options[i].name != NULL; i++) {
        if (!values[i].given || of->options[i].required) {
            continue;
        }
        const tally_option_value given = values[i];
        tally_format *format;
        values[i] = tally_option_usual(&of->options[i]);
        if (format_make(allocator, of, values, cipher, &format, &other) == TALLY_OK) {
            tally_format_free(format);
            if (blamed != NULL) {
                blamed = NULL;
                break;
            }
            blamed = of->options[i].name;
        }
        values[i] = given;
    }
    if (blamed != NULL) {
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        tally_write(&place, blamed);
    } else {
        format_blame_given(object, problem);
    }
}

/* Reads the options of the cipher, in the description or beside it. */
static int format_read_cipher(const tally_json *const *given, tally_option_value *values,
                              tally_cipher_choice *out, tally_problem *problem)
{
    for (size_t i = 0; i < TALLY_SHARED_OPTIONS; i++) {
        const tally_option *option = &tally_cipher_options[i];
        if (given[i] == NULL) {
            continue;
        }
        if (values[i].given) {
            tally_writer out_text, place;
            tally_writer_problem(&out_text, problem);
            tally_write(&out_text, "it is given twice, in the format and beside it; remove one");
            tally_writer_init(&place, problem->place, sizeof problem->place);
            tally_write(&place, option->name);
            return 0;
        }
        if (!tally_option_take(option, given[i], &values[i], problem)) {
            return 0;
        }
    }
    return tally_cipher_read(values, out, problem);
}

/* Whether a problem is of an option of the cipher, which may stand beside the description. */
static int format_blames_cipher(const tally_problem *problem)
{
    int found = 0;
    for (size_t i = 0; i < TALLY_SHARED_OPTIONS; i++) {
        found |= strcmp(problem->place, tally_cipher_options[i].name) == 0;
    }
    return found;
}

tally_status tally_format_from_json(const tally_allocator *allocator, const tally_json *description,
                                    tally_format **out, tally_problem *problem)
{
    const tally_json *const given[TALLY_SHARED_OPTIONS] = {NULL};
    return tally_format_with_cipher(allocator, description, given, out, problem);
}

tally_status tally_format_with_cipher(const tally_allocator *allocator,
                                      const tally_json *description,
                                      const tally_json *const given[TALLY_SHARED_OPTIONS],
                                      tally_format **out, tally_problem *problem)
{
    *out = NULL;
    const tally_json *name = description, *options = NULL;
    if (description->kind == TALLY_JSON_OBJECT) {
        options = description;
        name = tally_json_member(description, "type");
    }
    if (name == NULL || name->kind != TALLY_JSON_TEXT) {
        const tally_status status = format_nameless(problem);
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        tally_write(&place, options != NULL ? "type" : "");
        return status;
    }
    const tally_format_class *of = format_class(name->text, name->size);
    if (of == NULL) {
        const tally_status status = format_unknown(name->text, name->size, problem);
        tally_writer place;
        tally_writer_init(&place, problem->place, sizeof problem->place);
        tally_write(&place, options != NULL ? "type" : "");
        return status;
    }
    tally_option_value values[TALLY_OPTIONS] = {{0}}, shared[TALLY_SHARED_OPTIONS] = {{0}};
    tally_cipher_choice cipher;
    const int takes_cipher = of->words != TALLY_WORDS_NONE;
    if (!tally_options_read(of->options,
                            &tally_cipher_options[takes_cipher ? 0 : TALLY_SHARED_OPTIONS], options,
                            values, shared, problem) ||
        !format_read_cipher(given, shared, &cipher, problem)) {
        return TALLY_ERROR_FORMAT;
    }
    const tally_status status = format_make(allocator, of, values, &cipher, out, problem);
    if (status == TALLY_ERROR_FORMAT && !format_blames_cipher(problem)) {
        format_blame(allocator, of, options, values, &cipher, problem);
    }
    return status;
}

tally_status tally_format_new(const tally_allocator *allocator, const char *description,
                              size_t size, tally_format **out, tally_problem *problem)
{
    *out = NULL;
    tally_json_document document;
    tally_status status = tally_json_parse(allocator, description, size, &document, problem);
    if (status != TALLY_OK) {
        return status == TALLY_ERROR_MEMORY ? status : TALLY_ERROR_FORMAT;
    }
    status = tally_format_from_json(allocator, document.root, out, problem);
    tally_json_free(&document);
    return status;
}

void tally_format_free(tally_format *format)
{
    if (format == NULL) {
        return;
    }
    const tally_allocator allocator = format->allocator;
    const int has_allocator = format->has_allocator;
    if (format->own != NULL && format->of->destroy != NULL) {
        format->of->destroy(format);
    }
    if (format->own_size != 0) {
        tally_release(tally_format_allocator(format), format->own, format->own_size);
    }
    if (format->identity != NULL) {
        tally_release(tally_format_allocator(format), format->identity,
                      strlen(format->identity) + 1);
    }
    tally_release(has_allocator ? &allocator : NULL, format, sizeof *format);
}

const char *tally_format_name(const tally_format *format)
{
    return format->of->name;
}

const char *tally_format_identity(const tally_format *format)
{
    return format->identity;
}

int tally_format_is_one_way(const tally_format *format)
{
    return format->one_way;
}

int tally_format_is_keyed(const tally_format *format)
{
    return format->keyed;
}

size_t tally_format_key_size(const tally_format *format)
{
    return format->key_size;
}

uint32_t tally_format_algorithm(const tally_format *format)
{
    return format->cipher.is_plain ? 1 + (uint32_t)tally_cipher_algorithm(format->cipher.cipher)
                                   : format->plain_key << 8;
}

int tally_format_may_be_formula(const tally_format *format)
{
    return format->may_be_formula;
}

int tally_format_needs_tweak(const tally_format *format)
{
    return format->needs_tweak;
}

const char *tally_format_cipher(const tally_format *format)
{
    return format->of->words == TALLY_WORDS_NONE ? NULL : tally_cipher_name(format->cipher.cipher);
}

int tally_format_forbids_keep(const tally_format *format)
{
    return format->forbids_keep;
}

uint64_t tally_format_work(const tally_format *format, size_t size)
{
    return format->of->work != NULL ? format->of->work(format, size) : format->work;
}

const char *tally_format_example(const tally_format *format, size_t index)
{
    return index < TALLY_EXAMPLES ? format->example[index] : NULL;
}

void tally_format_smallest_domain(const tally_format *format, tally_domain *out)
{
    *out = format->smallest;
}

void tally_format_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                            tally_domain *out)
{
    if (format->of->domain_of != NULL) {
        format->of->domain_of(format, value, size, out);
    } else {
        *out = format->smallest;
    }
}

tally_status tally_format_takes_read(const tally_format *format, const char *type,
                                     const tally_arrow_type *read, tally_problem *problem)
{
    tally_writer out;
    tally_arrow_type seen = *read;
    const char *seen_type = type;
    /* Views become text before a format sees them. Binary is text that nobody promised to be UTF-8:
     * so files have it that older programs wrote. */
    if (tally_arrow_is_text(read) || tally_arrow_is_view(read)) {
        seen_type = "u";
        (void)tally_arrow_type_read(seen_type, &seen);
    }
    tally_writer_problem(&out, problem);
    if (format->of->takes != NULL) {
        if (format->of->takes(format, seen_type, &seen, &out)) {
            return TALLY_OK;
        }
    } else if (seen.kind == TALLY_ARROW_TEXT) {
        return TALLY_OK;
    }
    if (out.size == 0) {
        tally_format_refuse_type(format, type, read, &out);
    }
    return TALLY_ERROR_TYPE;
}

tally_status tally_format_takes(const tally_format *format, const char *type,
                                tally_problem *problem)
{
    tally_arrow_type read;
    (void)tally_arrow_type_read(type, &read);
    return tally_format_takes_read(format, type, &read, problem);
}

void tally_format_refuse_type(const tally_format *format, const char *type,
                              const tally_arrow_type *read, tally_writer *out)
{
    char name[96];
    tally_arrow_type_name(type, name, sizeof name);
    tally_write(out, "format ");
    tally_write_repr(out, format->of->name, strlen(format->of->name));
    tally_write(out, " can't be used for a column of type ");
    tally_write(out, name);
    if (format->one_way) {
        tally_write(out, "; convert it to text");
    } else if (read->kind == TALLY_ARROW_INTEGER) {
        tally_write(out, "; use the format 'integer', or convert the column to text");
    } else if (read->kind == TALLY_ARROW_FLOAT && read->width == 8) {
        tally_write(out, "; use the format 'decimal' or 'integer', or convert the column to text");
    } else if (read->kind == TALLY_ARROW_FLOAT) {
        tally_write(out, "; no format takes this type: convert the column to text, integers or "
                         "decimals");
    }
}

/* The reasons for which a character may be at fault: that for a check digit if it is none. */
static int format_may_place(tally_reason reason)
{
    return reason == TALLY_REASON_FOREIGN || reason == TALLY_REASON_DELIMITER ||
           reason == TALLY_REASON_CHECK || reason == TALLY_REASON_NOTATION ||
           reason == TALLY_REASON_NORMAL;
}

void tally_format_explain(const tally_format *format, const uint8_t *value, size_t size,
                          tally_reason reason, tally_fault *out)
{
    *out = (tally_fault){.reason = reason};
    if (!format_may_place(reason)) {
        return;
    }
    size_t place = SIZE_MAX;
    if (format->of->place_of_fault != NULL) {
        place = format->of->place_of_fault(format, reason, value, size);
    }
    const char *text = (const char *)value;
    uint64_t position = 0;
    for (size_t at = 0; at < size;) {
        const size_t begin = at;
        const uint32_t point = tally_utf8_next(text, size, &at);
        position++;
        /* A byte that is not UTF-8 is at fault where the format found nothing else. */
        const int broken = point >= 0xdc80 && point <= 0xdcff && at == begin + 1;
        if (place == SIZE_MAX ? broken : place < at) {
            out->position = position;
            out->character = broken ? TALLY_CHARACTER_OTHER : tally_character_class(point);
            return;
        }
    }
}
