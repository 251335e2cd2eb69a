/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenizers: a format with a key and a namespace. */
#include <string.h>

#include "base/bytes.h"
#include "base/writer.h"
#include "tallystick/sha2.h"
#include "tokens/worker.h"

static const char tokenizer_purpose[] = "tallystick 1", tokenizer_ff1[] = "tallystick ff1";

enum { TOKENIZER_BLOCK = 16 /* bytes of an AES block */ };

static const char *const tokenizer_kinds[2] = {"column", "rows"};

/* Appends a part of encode() behind its size. */
static uint8_t *tokenizer_part(uint8_t *out, const char *part, size_t size)
{
    tally_store_be32((uint32_t)size, out);
    memcpy(out + 4, part, size);
    return out + 4 + size;
}

static size_t tokenizer_described_size(const tally_format *format, size_t name_space_size,
                                       const char *kind)
{
    return 4 + 4 + sizeof tokenizer_purpose - 1 + 4 + name_space_size + 4 +
           strlen(format->identity) + 4 + strlen(kind);
}

static void tokenizer_describe(uint8_t *out, const tally_format *format, const char *name_space,
                               size_t name_space_size, const char *kind)
{
    tally_store_be32(4, out);
    out = tokenizer_part(out + 4, tokenizer_purpose, sizeof tokenizer_purpose - 1);
    out = tokenizer_part(out, name_space, name_space_size);
    out = tokenizer_part(out, format->identity, strlen(format->identity));
    (void)tokenizer_part(out, kind, strlen(kind));
}

static size_t tokenizer_in_blocks(size_t size)
{
    return (size + TOKENIZER_BLOCK - 1) / TOKENIZER_BLOCK * TOKENIZER_BLOCK;
}

/* Sets part 1 of a tweak. That of FF1 ends with an AES block, so that what a row adds to it is alone
 * in the next one. */
static void tokenizer_set_head(tally_tokenizer *tokenizer, int rows)
{
    const tally_cipher_choice *choice = &tokenizer->format->cipher;
    const uint32_t size = tokenizer->described_size[rows];
    if (choice->is_plain) {
        tokenizer->head[rows] = choice->tweak;
        tokenizer->head_size[rows] = (uint32_t)choice->tweak_size;
        return;
    }
    tokenizer->head[rows] = tokenizer->described[rows];
    tokenizer->head_size[rows] =
        choice->cipher == TALLY_CIPHER_FAST ? size : (uint32_t)tokenizer_in_blocks(size);
}

static int tokenizer_is_utf8(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        const uint32_t point = tally_utf8_next(text, size, &at);
        if (point >= 0xd800 && point <= 0xdfff) { /* 0xdc00 and more: no character */
            return 0;
        }
    }
    return 1;
}

/* Writes the error; place is the argument at fault. */
static tally_status tokenizer_refuse(tally_problem *problem, const char *place, const char *text,
                                     tally_status status)
{
    tally_writer writer;
    tally_writer_problem(&writer, problem);
    tally_write(&writer, text);
    tally_writer_init(&writer, problem->place, sizeof problem->place);
    tally_write(&writer, place);
    return status;
}

static void tokenizer_write_format(tally_writer *writer, const tally_format *format)
{
    tally_write(writer, "format ");
    tally_write_repr(writer, format->of->name, strlen(format->of->name));
}

static tally_status tokenizer_check(const tally_format *format, const uint8_t *key, size_t key_size,
                                    const char *name_space, size_t name_space_size,
                                    tally_on_invalid on_invalid, tally_problem *problem)
{
    if (on_invalid != TALLY_INVALID_ERROR && on_invalid != TALLY_INVALID_NULL &&
        on_invalid != TALLY_INVALID_KEEP) {
        return tokenizer_refuse(problem, "on_invalid",
                                "on_invalid must be 'error', 'null' or 'keep'",
                                TALLY_ERROR_ARGUMENT);
    }
    if (key == NULL && format->keyed) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tokenizer_write_format(&writer, format);
        tally_write(&writer, " needs a key");
        return TALLY_ERROR_KEY_SIZE;
    }
    if (key != NULL && key_size != 16 && key_size != 24 && key_size != 32) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "a key has 16, 24 or 32 bytes, not ");
        tally_write_uint(&writer, key_size);
        return TALLY_ERROR_KEY_SIZE;
    }
    if (key != NULL && format->key_size != 0 && key_size != format->key_size) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tokenizer_write_format(&writer, format);
        tally_write(&writer, " needs a key of ");
        tally_write_uint(&writer, format->key_size);
        tally_write(&writer, " bytes in this mode, not ");
        tally_write_uint(&writer, key_size);
        return TALLY_ERROR_KEY_SIZE;
    }
    if (key != NULL && format->of->takes_key != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tokenizer_write_format(&writer, format);
        tally_write(&writer, ": ");
        if (!format->of->takes_key(format, key, &writer)) {
            return TALLY_ERROR_ARGUMENT;
        }
        problem->text[0] = '\0';
    }
    if ((name_space_size == 0 && format->keyed) || name_space_size > TALLY_MAX_NAMESPACE) {
        return tokenizer_refuse(problem, "namespace",
                                "a namespace must have 1 to 256 bytes in UTF-8",
                                TALLY_ERROR_NAMESPACE);
    }
    if (!tokenizer_is_utf8(name_space, name_space_size)) {
        return tokenizer_refuse(problem, "namespace",
                                "a namespace must be text that UTF-8 can encode",
                                TALLY_ERROR_NAMESPACE);
    }
    if (on_invalid == TALLY_INVALID_KEEP && format->forbids_keep) {
        return tokenizer_refuse(problem, "on_invalid",
                                "on_invalid 'keep' can't go with this format, whose tokens are no "
                                "valid values: a value "
                                "kept as invalid could be taken for a token; use 'error' or 'null'",
                                TALLY_ERROR_ARGUMENT);
    }
    return TALLY_OK;
}

/* A key serves one cipher: that of FF1 is derived, unless the plain cipher is asked for. */
static void tokenizer_cipher_key(tally_tokenizer *tokenizer)
{
    const tally_cipher_choice *choice = &tokenizer->format->cipher;
    memcpy(tokenizer->cipher_key, tokenizer->key, tokenizer->key_size);
    if (choice->cipher != TALLY_CIPHER_FAST && !choice->is_plain) {
        const tally_status status = tally_hkdf_sha256(
            NULL, 0, tokenizer->key, tokenizer->key_size, (const uint8_t *)tokenizer_ff1,
            sizeof tokenizer_ff1 - 1, tokenizer->cipher_key, tokenizer->key_size);
        (void)status; /* the sizes are valid */
    }
}

tally_status tally_tokenizer_new(const tally_allocator *allocator, const tally_format *format,
                                 const uint8_t *key, size_t key_size, const char *name_space,
                                 size_t name_space_size, tally_on_invalid on_invalid,
                                 tally_tokenizer **out, tally_problem *problem)
{
    *out = NULL;
    const tally_status status =
        tokenizer_check(format, key, key_size, name_space, name_space_size, on_invalid, problem);
    if (status != TALLY_OK) {
        return status;
    }
    size_t described_size[2], memory_size = sizeof(tally_tokenizer);
    for (int rows = 0; rows < 2; rows++) {
        described_size[rows] =
            tokenizer_described_size(format, name_space_size, tokenizer_kinds[rows]);
        memory_size += tokenizer_in_blocks(described_size[rows]);
    }
    tally_tokenizer *tokenizer = tally_allocate(allocator, memory_size);
    if (tokenizer == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(tokenizer, 0, memory_size);
    if (allocator != NULL) {
        tokenizer->allocator = *allocator;
    }
    tokenizer->format = format;
    tokenizer->on_invalid = on_invalid;
    tokenizer->rights = TALLY_MAY_PROTECT | TALLY_MAY_REVEAL;
    tokenizer->memory_size = memory_size;
    if (key != NULL) {
        memcpy(tokenizer->key, key, key_size);
        tokenizer->key_size = key_size;
        tokenizer_cipher_key(tokenizer);
    }
    uint8_t *at = (uint8_t *)(tokenizer + 1);
    for (int rows = 0; rows < 2; rows++) {
        tokenizer->described[rows] = at;
        tokenizer->described_size[rows] = (uint32_t)described_size[rows];
        tokenizer_describe(at, format, name_space, name_space_size, tokenizer_kinds[rows]);
        tokenizer_set_head(tokenizer, rows);
        at += tokenizer_in_blocks(described_size[rows]);
    }
    *out = tokenizer;
    return TALLY_OK;
}

void tally_tokenizer_limit(tally_tokenizer *tokenizer, uint32_t rights)
{
    tokenizer->rights &= rights;
}

void tally_tokenizer_free(tally_tokenizer *tokenizer)
{
    if (tokenizer != NULL) {
        const tally_allocator allocator = tokenizer->allocator;
        tally_release_wiped(&allocator, tokenizer, tokenizer->memory_size);
    }
}

void tally_tokenizer_fingerprint(const tally_tokenizer *tokenizer, uint8_t out[TALLY_FINGERPRINT])
{
    static const char purpose[] = "tallystick key fingerprint 1";
    memset(out, 0, TALLY_FINGERPRINT);
    if (tokenizer->key_size == 0) {
        return;
    }
    uint8_t derived[32];
    if (tally_hkdf_sha256(NULL, 0, tokenizer->key, tokenizer->key_size, (const uint8_t *)purpose,
                          sizeof purpose - 1, derived, sizeof derived) == TALLY_OK) {
        tally_hmac_sha256_tag(derived, sizeof derived, NULL, 0, out);
    }
    tally_wipe(derived, sizeof derived);
}

size_t tally_tokenizer_head(const tally_tokenizer *tokenizer, int rows, uint8_t *out,
                            size_t capacity)
{
    const size_t size = tokenizer->described_size[rows != 0];
    if (capacity > 0) {
        memcpy(out, tokenizer->described[rows != 0], size < capacity ? size : capacity);
    }
    return size;
}
