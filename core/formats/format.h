/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of every format. A format is one C file with two constants, tally_format_NAME and
 * tally_about_NAME; registry.c lists the names. */
#ifndef TALLY_FORMATS_FORMAT_H
#define TALLY_FORMATS_FORMAT_H

#include "arrow/type.h"
#include "base/writer.h"
#include "formats/ciphers.h"
#include "formats/options.h"
#include "formats/run.h"
#include "tallystick/formats.h"

enum { TALLY_EXAMPLES = 9, TALLY_FORMATS_MOST = 64 };

typedef struct tally_format_class tally_format_class;

/* The input that a class gives a cipher. It decides which ciphers the class takes. */
typedef enum tally_format_words {
    TALLY_WORDS_NONE = 0, /* nothing */
    TALLY_WORDS_ANY,      /* words or numbers */
    TALLY_WORDS_IN_PLACE  /* a value's own symbols: a plain cipher is possible */
} tally_format_words;

struct tally_format {
    const tally_format_class *of;
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    tally_cipher_choice cipher;
    int one_way, keyed, may_be_formula;
    int allow_tiny_domain;
    int keeps_size;   /* a token has its value's bytes in number, at the same place of the column */
    int forbids_keep; /* on_invalid = "keep" can't go with it: a token may be no valid value */
    uint32_t plain_key; /* not 0: the key is that of another standard, and serves nothing else */
    uint32_t key_size;  /* bytes that the key must have; 0: 16, 24 or 32 */
    int is_random;      /* equal values have unlike tokens */
    int needs_tweak;    /* values without a tweak of their row are invalid */
    tally_domain smallest;
    uint64_t work;  /* layers of FAST for a value, whatever its size; 0: a keyless format */
    char *identity; /* JSON */
    const char *example[TALLY_EXAMPLES + 1]; /* ending with NULL */
    void *own;                               /* the class's; tally_format_own makes it, */
    size_t own_size;                         /* of this size. 0: `destroy` releases it */
};

struct tally_format_class {
    const char *name;
    const tally_option *options;
    tally_format_words words;

    /* Fills a format in that is zero but for `of`, `allocator` and keyed = 1: own, smallest,
     * examples, and the identity last; the cipher is chosen. Messages have the format's name before them. Returns
     * TALLY_ERROR_FORMAT with the problem, or TALLY_ERROR_MEMORY; the format is freed after. */
    tally_status (*make)(tally_format *format, const tally_option_value *values,
                         tally_problem *problem);

    /* Releases what `own`, which is not NULL but may be half made, points to; NULL: nothing. */
    void (*destroy)(tally_format *format);

    /* Says whether a type is taken; if not, writes why after "format 'x'". NULL: text alone. */
    int (*takes)(const tally_format *format, const char *type, const tally_arrow_type *read,
                 tally_writer *why);

    /* Says whether a key of the right size is taken; if not, writes why after "format 'x': ". NULL:
     * each is. */
    int (*takes_key)(const tally_format *format, const uint8_t *key, tally_writer *why);

    /* Runs a column of text. See run.h. */
    tally_status (*text)(const tally_format *format, tally_run *run, tally_text_column *column);

    /* Runs one value of text, where that is faster than a column of one row; else NULL. */
    tally_status (*one)(const tally_format *format, tally_run *run, tally_one *one);

    /* Runs a column of a type with values of a fixed size; NULL: none is taken. */
    tally_status (*fixed)(const tally_format *format, tally_run *run, tally_fixed_column *column);

    /* The domain of a value; NULL: the smallest. */
    void (*domain_of)(const tally_format *format, const uint8_t *value, size_t size,
                      tally_domain *out);

    /* The layers of FAST that the values of `size` bytes need, at most; NULL: format->work. */
    uint64_t (*work)(const tally_format *format, size_t size);

    /* The byte of the character at fault, or SIZE_MAX if none is; NULL: none ever is. */
    size_t (*place_of_fault)(const tally_format *format, tally_reason reason, const uint8_t *value,
                             size_t size);
};

/* What a format is, for programs that offer formats to choose from. Those that do not leave it out. */
typedef struct tally_format_about {
    const char *about;  /* what it is for, in a sentence of one line */
    const char *sample; /* the options that it needs, as JSON; NULL: none */
} tally_format_about;

/* The classes, ending with NULL, and what is said about each. */
extern const tally_format_class *const tally_format_classes[];
extern const tally_format_about *const tally_format_abouts[];

/* Makes a format from a description that is read already; see tally_format_new. A problem's place
 * is relative to the description: "keep_last", or empty. */
TALLY_MUST_CHECK tally_status tally_format_from_json(const tally_allocator *allocator,
                                                     const tally_json *description,
                                                     tally_format **out, tally_problem *problem);

/* Whether the format of a description encrypts words, and so takes a cipher; 0 if it has no name of
 * a format. */
int tally_format_takes_cipher(const tally_json *description);

/* As tally_format_from_json, with values of the options of tally_cipher_options that stand outside the description;
 * NULL: one does not. */
TALLY_MUST_CHECK tally_status
tally_format_with_cipher(const tally_allocator *allocator, const tally_json *description,
                         const tally_json *const given[TALLY_SHARED_OPTIONS], tally_format **out,
                         tally_problem *problem);

/* For memory that lives as long as the format: NULL stands for malloc and free. */
const tally_allocator *tally_format_allocator(const tally_format *format);

/* Makes format->own: `size` bytes of zeros, which are released with the format. NULL: there is no
 * memory. */
void *tally_format_own(tally_format *format, size_t size);

/* Sets the identity: `size` bytes, within that of the cipher if it is not FAST.
 * TALLY_ERROR_MEMORY. */
TALLY_MUST_CHECK tally_status tally_format_identify(tally_format *format, const char *identity,
                                                    size_t size);

/* Writes the refusal of a format, "name: ...", with the option at fault; returns
 * TALLY_ERROR_FORMAT. The writer version is for messages with numbers. */
tally_status tally_format_refuse(const tally_format *format, tally_problem *problem,
                                 const char *option, const char *text);
void tally_format_refusal(const tally_format *format, tally_problem *problem, const char *option,
                          tally_writer *out);

/* As tally_format_takes, for a type that was read already. */
TALLY_MUST_CHECK tally_status tally_format_takes_read(const tally_format *format, const char *type,
                                                      const tally_arrow_type *read,
                                                      tally_problem *problem);

/* Writes that a format can't be used for a type, and which types it takes. */
void tally_format_refuse_type(const tally_format *format, const char *type,
                              const tally_arrow_type *read, tally_writer *out);

/* The values that the smallest domain must have: with FAST TALLY_SMALLEST_DOMAIN, or what
 * allow_tiny_domain allows; else the cipher's bound. */
uint64_t tally_format_least_domain(const tally_format *format);

/* Refuses a domain that is smaller than that. */
tally_status tally_format_check_domain(const tally_format *format, tally_problem *problem);

/* A domain of `size` values, or of radix^length. */
tally_domain tally_domain_of_size(uint64_t size);
tally_domain tally_domain_of_words(uint32_t radix, uint64_t length);

/* The layers of FAST for a word; a quarter more for cycle walking. */
uint64_t tally_format_layers(uint32_t radix, uint64_t length, int walks);

#endif
