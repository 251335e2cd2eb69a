/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a ring's file: strict JSON with one spelling for each content. */
#ifndef TALLY_KEYRING_DOCUMENT_H
#define TALLY_KEYRING_DOCUMENT_H

#include "tallystick/keyring.h"
#include "json/json.h"

enum {
    TALLY_KEYRING_NONCE = 12,
    TALLY_KEYRING_EXPANSION = TALLY_KEYRING_NONCE + 16, /* bytes that wrapping adds: also a tag */
    TALLY_KEYRING_TAIL = 64 + 4 /* bytes after the authenticated part: the MAC's digits, the end */
};

typedef struct tally_keyring_entry {
    tally_key_id id;
    uint32_t size, rights;
    const char *created;
    uint8_t wrapped[TALLY_KEYRING_EXPANSION + TALLY_DATA_KEY_SIZE_MAX]; /* nonce, key, tag */
} tally_keyring_entry;

/* The content of a file; texts are those of `json`. Nothing of it is authenticated. */
typedef struct tally_keyring_document {
    tally_json_document json;
    uint8_t id[16];
    const char *id_text; /* in hexadecimal */
    uint32_t revision;   /* 0: of format 1 */
    tally_root roots[TALLY_ROOTS_MAX];
    size_t root_count;
    const tally_json *holders; /* the first, or NULL */
    const tally_json *signers; /* the first, or NULL */
    uint8_t check[16], mac[32];
    tally_keyring_entry *entries;
    size_t count, capacity;
} tally_keyring_document;

/* Reads a file; it is strict, and nothing is authenticated. The rest as tally_keyring_read. */
TALLY_MUST_CHECK tally_status tally_keyring_decode(const tally_allocator *allocator,
                                                   const char *text, size_t size,
                                                   tally_keyring_document *out,
                                                   tally_problem *problem);

void tally_keyring_document_free(const tally_allocator *allocator,
                                 tally_keyring_document *document);

#endif
