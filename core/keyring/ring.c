/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring: read, unlocked by its root key, and asked for keys. Of the root key only the subkeys stay. */
#include "aes/gcm.h"
#include "base/allocator.h"
#include "base/barrier.h"
#include "base/bytes.h"
#include "base/writer.h"
#include "keyring/document.h"
#include "keyring/key_id.h"
#include "tallystick/sha2.h"

#include <string.h>

struct tally_keyring {
    tally_allocator allocator;
    int has_allocator; /* 0: malloc and free */
    int unlocked;
    tally_keyring_document document;
    uint8_t *body; /* what the MAC authenticates, until it has */
    size_t body_size;
    uint8_t authentication[32];
    tally_aes_key wrapping;
};

static const tally_allocator *ring_allocator(const tally_keyring *ring)
{
    return ring->has_allocator ? &ring->allocator : NULL;
}

static void ring_release_body(tally_keyring *ring)
{
    tally_release(ring_allocator(ring), ring->body, ring->body_size);
    ring->body = NULL;
}

tally_status tally_keyring_read(const tally_allocator *allocator, const uint8_t *file, size_t size,
                                tally_keyring **out, tally_problem *problem)
{
    tally_keyring *const ring = tally_allocate(allocator, sizeof *ring);
    *out = NULL;
    if (ring == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(ring, 0, sizeof *ring);
    if (allocator != NULL) {
        ring->allocator = *allocator;
        ring->has_allocator = 1;
    }
    tally_status status = tally_keyring_decode(ring_allocator(ring), (const char *)file, size,
                                               &ring->document, problem);
    if (status == TALLY_OK) {
        ring->body_size = size - TALLY_KEYRING_TAIL;
        ring->body = tally_allocate(ring_allocator(ring), ring->body_size);
        if (ring->body == NULL) {
            tally_keyring_free(ring);
            return TALLY_ERROR_MEMORY;
        }
        memcpy(ring->body, file, ring->body_size);
        *out = ring;
    } else {
        tally_release(allocator, ring, sizeof *ring);
    }
    return status;
}

void tally_keyring_free(tally_keyring *ring)
{
    if (ring != NULL) {
        const tally_allocator allocator = ring->allocator;
        const int has_allocator = ring->has_allocator;
        ring_release_body(ring);
        tally_keyring_document_free(ring_allocator(ring), &ring->document);
        tally_release_wiped(has_allocator ? &allocator : NULL, ring, sizeof *ring);
    }
}

static void ring_derive(const tally_keyring *ring, const uint8_t *root_key, const char *info,
                        uint8_t *out, size_t size)
{
    /* The size is far below the most, so this can't fail. */
    if (tally_hkdf_sha256(ring->document.id, sizeof ring->document.id, root_key,
                          TALLY_ROOT_KEY_SIZE, (const uint8_t *)info, strlen(info), out,
                          size) != TALLY_OK) {
        memset(out, 0, size);
    }
}

static tally_status ring_refuse(tally_problem *problem, tally_status status, const char *text)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, text);
    }
    return status;
}

/* Verifies the file by the subkey for that, which stays if it is right. */
static tally_status ring_verify(tally_keyring *ring, tally_problem *problem)
{
    uint8_t mac[32];
    tally_hmac_sha256_tag(ring->authentication, 32, ring->body, ring->body_size, mac);
    const int right = tally_equal(mac, ring->document.mac, 32);
    tally_wipe(mac, sizeof mac);
    if (!right) {
        tally_wipe(ring->authentication, sizeof ring->authentication);
        return ring_refuse(problem, TALLY_ERROR_KEYRING,
                           "damaged or edited: the root key is right, but the file was changed "
                           "after Tallystick wrote it; restore it from a backup");
    }
    ring_release_body(ring);
    return TALLY_OK;
}

tally_status tally_keyring_unlock(tally_keyring *ring, const uint8_t root_key[TALLY_ROOT_KEY_SIZE],
                                  tally_problem *problem)
{
    uint8_t derived[32];
    if (ring->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is unlocked already");
    }
    ring_derive(ring, root_key, "tallystick keyring 1 check", derived, 16);
    const int right = tally_equal(derived, ring->document.check, 16);
    tally_wipe(derived, sizeof derived);
    if (!right) {
        return ring_refuse(problem, TALLY_ERROR_ROOT_KEY,
                           "the root key does not belong to this key ring; give the right one; if "
                           "it is the right one, the head of the file is damaged: restore the file "
                           "from a backup");
    }
    ring_derive(ring, root_key, "tallystick keyring 1 authentication", ring->authentication, 32);
    tally_status status = ring_verify(ring, problem);
    if (status == TALLY_OK) {
        ring_derive(ring, root_key, "tallystick keyring 1 wrapping", derived, 32);
        status = tally_aes_key_init(derived, 32, &ring->wrapping);
        tally_wipe(derived, sizeof derived);
        ring->unlocked = status == TALLY_OK;
    }
    return status;
}

tally_status tally_keyring_unlock_like(tally_keyring *ring, const tally_keyring *open,
                                       tally_problem *problem)
{
    if (ring->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is unlocked already");
    }
    if (!open->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is locked; unlock it");
    }
    if (memcmp(ring->document.id, open->document.id, sizeof ring->document.id) != 0) {
        return ring_refuse(problem, TALLY_ERROR_KEYRING,
                           "another key ring has replaced it; open it again");
    }
    if (!tally_equal(ring->document.check, open->document.check, sizeof ring->document.check)) {
        return ring_refuse(problem, TALLY_ERROR_KEYRING,
                           "its root key was replaced; open it again with the new root key");
    }
    memcpy(ring->authentication, open->authentication, sizeof ring->authentication);
    const tally_status status = ring_verify(ring, problem);
    if (status == TALLY_OK) {
        ring->wrapping = open->wrapping;
        ring->unlocked = 1;
    }
    return status;
}

const char *tally_keyring_id(const tally_keyring *ring)
{
    return ring->document.id_text;
}

void tally_keyring_root(const tally_keyring *ring, tally_root *out)
{
    *out = ring->document.roots[0];
}

int tally_keyring_root_at(const tally_keyring *ring, size_t index, tally_root *out)
{
    if (index >= ring->document.root_count) {
        return 0;
    }
    *out = ring->document.roots[index];
    return 1;
}

uint32_t tally_keyring_revision(const tally_keyring *ring)
{
    return ring->document.revision;
}

static const char *ring_text_at(const tally_json *first, size_t index)
{
    for (; first != NULL && index > 0; index--) {
        first = first->next;
    }
    return first == NULL ? NULL : first->text;
}

const char *tally_keyring_signer(const tally_keyring *ring, size_t index)
{
    return ring_text_at(ring->document.signers, index);
}

const char *tally_keyring_holder(const tally_keyring *ring, size_t index)
{
    return ring_text_at(ring->document.holders, index);
}

size_t tally_keyring_count(const tally_keyring *ring)
{
    return ring->document.count;
}

int tally_keyring_at(const tally_keyring *ring, size_t index, tally_key_info *out)
{
    if (index >= ring->document.count) {
        return 0;
    }
    const tally_keyring_entry *const entry = &ring->document.entries[index];
    memset(out, 0, sizeof *out);
    out->id = entry->id;
    out->size = entry->size;
    out->rights = entry->rights;
    memcpy(out->created, entry->created, strlen(entry->created)); /* 20 bytes */
    return 1;
}

enum { RING_SHOWN = 5 };

/* Says which newest versions of a name there are, in ascending order. */
static void ring_write_held(const tally_keyring *ring, const char *name, tally_writer *writer)
{
    tally_key_id held[RING_SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < ring->document.count; i++) {
        const tally_key_id *const id = &ring->document.entries[i].id;
        if (strcmp(id->name, name) != 0 || (count == RING_SHOWN && id->version < held[0].version)) {
            continue;
        }
        if (count == RING_SHOWN) {
            memmove(held, held + 1, (RING_SHOWN - 1) * sizeof *held);
            count--;
        }
        size_t at = count++;
        for (; at > 0 && held[at - 1].version > id->version; at--) {
            held[at] = held[at - 1];
        }
        held[at] = *id;
    }
    tally_write(writer,
                count == 0 ? "; no key has this name; add one" : "; the newest of this name: ");
    for (size_t i = 0; i < count; i++) {
        tally_write(writer, i == 0 ? "" : ", ");
        tally_write_key_id(writer, &held[i]);
    }
}

/* Unwraps; what belongs to a key is all that it is wrapped for. */
static int ring_unwrap(const tally_keyring *ring, const tally_keyring_entry *entry, uint8_t *out)
{
    uint8_t associated[16 + 4 + 2 + TALLY_KEY_NAME_SIZE_MAX];
    const size_t name_size = strlen(entry->id.name);
    const uint8_t *const sealed = entry->wrapped + TALLY_KEYRING_NONCE;
    memcpy(associated, ring->document.id, 16);
    tally_store_be32(entry->id.version, associated + 16);
    associated[20] = 0;
    associated[21] = (uint8_t)entry->size;
    memcpy(associated + 22, entry->id.name, name_size);
    return tally_gcm_open(&ring->wrapping, entry->wrapped, associated, 22 + name_size, sealed,
                          entry->size, sealed + entry->size, out);
}

tally_status tally_keyring_key(const tally_keyring *ring, const tally_key_id *id,
                               uint8_t out[TALLY_DATA_KEY_SIZE_MAX], size_t *size,
                               tally_problem *problem)
{
    tally_problem ignored;
    tally_writer writer;
    if (!ring->unlocked) {
        return ring_refuse(problem, TALLY_ERROR_ARGUMENT, "the key ring is locked; unlock it");
    }
    tally_writer_problem(&writer, problem == NULL ? &ignored : problem);
    for (size_t i = 0; i < ring->document.count; i++) {
        const tally_keyring_entry *const entry = &ring->document.entries[i];
        if (!tally_key_id_equal(&entry->id, id)) {
            continue;
        }
        if (!ring_unwrap(ring, entry, out)) {
            tally_write(&writer, "key ");
            tally_write_key_id(&writer, id);
            tally_write(&writer, " is wrapped for another name, version, size or key ring; restore "
                                 "the file from a backup");
            return TALLY_ERROR_KEYRING;
        }
        *size = entry->size;
        return TALLY_OK;
    }
    tally_write(&writer, "no key ");
    tally_write_key_id(&writer, id);
    ring_write_held(ring, id->name, &writer);
    return TALLY_ERROR_NO_KEY;
}
