/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens inside text: prompts, logs, documents (docs/reference/text-tokens.md). A token recognizes
 * itself: it carries a check of 40 to 128 bits, so a restorer finds the tokens of its keys in any
 * text, leaves everything else as it is, and reveals an invented token with a chance of 2^-bits. */
#ifndef TALLYSTICK_TEXT_H
#define TALLYSTICK_TEXT_H

#include "tallystick/aes.h"
#include "tallystick/base.h"
#include "tallystick/sha2.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 144..159. */
enum {
    TALLY_ERROR_TEXT_CHECK_BITS = 144, /* not 40..128 in steps of 8 */
    TALLY_ERROR_TEXT_KIND = 145,       /* not a kind, see tally_text_protect */
    TALLY_ERROR_TEXT_VALUE = 146,      /* not 1..4096 bytes */
    TALLY_ERROR_TEXT_KEYS = 147        /* not 1..16 keys with one number of check bits */
};

enum {
    TALLY_TEXT_CHECK_BITS = 64, /* the default */
    TALLY_TEXT_CHECK_BITS_MIN = 40,
    TALLY_TEXT_CHECK_BITS_MAX = 128,
    TALLY_TEXT_KIND_SIZE_MAX = 32,    /* bytes */
    TALLY_TEXT_VALUE_SIZE_MAX = 4096, /* bytes */
    TALLY_TEXT_SPACE_SIZE_MAX = 256,  /* bytes of a namespace */
    TALLY_TEXT_SCOPE_SIZE_MAX = 256,  /* bytes */
    TALLY_TEXT_KEYS_MAX = 16,         /* of a restorer */
    TALLY_TEXT_HELD_MAX =
        1 << 16, /* bytes of text that a token may take, with all that escaping adds */
    TALLY_TEXT_TOKEN_SIZE_MAX = 6624 /* bytes of a token as it is made */
};

/* How a token is written. */
typedef enum tally_text_frame {
    TALLY_TEXT_UNICODE = 0, /* U+27E6, the kind, a colon, the body, U+27E7 */
    TALLY_TEXT_ASCII = 1,   /* tly-, the kind, a hyphen, the body */
    TALLY_TEXT_EMAIL = 2 /* of an e-mail address: tly-, the kind, a dot, the body, at tly.example;
                             * what of the body has no room before the @ follows it. ASCII for other
                             * values, and for those that are too long for an address */
} tally_text_frame;

/* How a restorer writes values, so that they stay data in their surroundings. */
typedef enum tally_text_context {
    TALLY_TEXT_PLAIN = 0, /* as they are */
    TALLY_TEXT_JSON = 1,  /* as part of a string of JSON */
    TALLY_TEXT_HTML = 2   /* as part of HTML's text or of a quoted attribute */
} tally_text_context;

/* Checks a text policy (docs/reference/text-tokens.md). A binding reads its TOML, and hands it over as
 * the JSON of policy.h. Regular expressions are not looked at: each language has its own.
 *
 * TALLY_ERROR_POLICY: the problem's place is the key at fault, or empty, which stands for all of the
 * policy. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_policy_check(const tally_allocator *allocator,
                                                                const char *json, size_t size,
                                                                tally_problem *problem);

/* A key for one namespace and scope. The members are private. It may be copied, and any number of
 * threads may share it. */
typedef struct tally_text_key {
    tally_hmac_sha256 first, third;
    tally_aes_key second, fourth;
    uint32_t check_size; /* bytes */
    uint32_t reserved;
} tally_text_key;

/* Derives a key from a data key of 16, 24 or 32 bytes. `space` is the namespace, 1 to 256 bytes.
 * `scope` has 0 to 256 bytes (NULL if 0), such as a tenant or a conversation: tokens of other scopes
 * are not revealed. TALLY_ERROR_KEY_SIZE, TALLY_ERROR_TEXT_CHECK_BITS; TALLY_ERROR_ARGUMENT: sizes of
 * `space` or `scope`. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_key_init(const uint8_t *key, size_t key_size,
                                                            const uint8_t *space, size_t space_size,
                                                            const uint8_t *scope, size_t scope_size,
                                                            uint32_t check_bits,
                                                            tally_text_key *out);
TALLY_API void tally_text_key_wipe(tally_text_key *key);

/* Writes the token of a value of 1 to 4096 bytes to `out`, which has room for
 * TALLY_TEXT_TOKEN_SIZE_MAX; *out_size is its size. `kind` is a label for people and models, which
 * is not authenticated: 1 to 32 of a-z, 0-9 and '_', a letter first, not tly last. `out` does not
 * overlap an input. TALLY_ERROR_TEXT_KIND, TALLY_ERROR_TEXT_VALUE; TALLY_ERROR_ARGUMENT: no such
 * frame. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_protect(const tally_text_key *key,
                                                           tally_text_frame frame, const char *kind,
                                                           size_t kind_size, const uint8_t *value,
                                                           size_t size, uint8_t *out,
                                                           size_t *out_size);

/* Finds tokens in a text that arrives in chunks, and puts their values in. It holds back at most one
 * candidate. It belongs to one thread at a time. */
typedef struct tally_text_restorer tally_text_restorer;

/* Makes a restorer for tokens of 1 to 16 keys, which are tried in their order and must outlive it.
 * TALLY_ERROR_TEXT_KEYS, TALLY_ERROR_MEMORY; TALLY_ERROR_ARGUMENT: no such context. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_restorer_new(const tally_allocator *allocator,
                                                                const tally_text_key *const keys[],
                                                                size_t count,
                                                                tally_text_context context,
                                                                tally_text_restorer **out);

/* Wipes and releases a restorer; NULL is allowed. */
TALLY_API void tally_text_restorer_free(tally_text_restorer *restorer);

/* The room that the next chunk of `size` bytes needs at most, or the end with 0. */
TALLY_API size_t tally_text_restore_capacity(const tally_text_restorer *restorer, size_t size);

/* Takes a chunk (NULL if size is 0) and writes what is certain of the text to `out`. With `finish`
 * not 0 the text ends after the chunk: everything is written, and the next chunk begins a new text.
 * TALLY_ERROR_ARGUMENT: `capacity` is below tally_text_restore_capacity; nothing was taken. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_restore(tally_text_restorer *restorer,
                                                           const uint8_t *chunk, size_t size,
                                                           int finish, uint8_t *out,
                                                           size_t capacity, size_t *out_size);

/* How many tokens were revealed so far, and how many complete ones were left alone because none of
 * the keys made them. */
TALLY_API uint64_t tally_text_restored(const tally_text_restorer *restorer);
TALLY_API uint64_t tally_text_refused(const tally_text_restorer *restorer);

#ifdef __cplusplus
}
#endif
#endif
