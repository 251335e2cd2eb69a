/* SPDX-License-Identifier: Apache-2.0
 *
 * Key rings: named data keys with versions, wrapped under one root key (docs/reference/keyring.md).
 * First read a ring: that tells where its root key comes from. Then unlock it with the root key:
 * that verifies all of it. Then unwrap keys. The caller reads files, and derives a root key from a
 * passphrase. Rings are not changed here. */
#ifndef TALLYSTICK_KEYRING_H
#define TALLYSTICK_KEYRING_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 96..111. */
enum {
    TALLY_ERROR_KEYRING = 96,  /* not a key ring, damaged or edited; a tally_problem says what */
    TALLY_ERROR_ROOT_KEY = 97, /* the root key is not the ring's */
    TALLY_ERROR_NO_KEY = 98,   /* the ring has no such key; a tally_problem says which it has */
    TALLY_ERROR_REFERENCE = 99 /* a reference is not a name and a version, such as people:1 */
};

enum {
    TALLY_KEYRING_SIZE_MAX = 1 << 20,   /* bytes of a file */
    TALLY_ROOT_KEY_SIZE = 32,           /* bytes */
    TALLY_DATA_KEY_SIZE_MAX = 32,       /* bytes; a key has 16, 24 or 32 */
    TALLY_KEY_NAME_SIZE_MAX = 64,       /* bytes, without the zero */
    TALLY_ROOTS_MAX = 16,               /* records of root keys in a ring */
    TALLY_ROOT_NAME_SIZE_MAX = 1024,    /* bytes of the name of a wrapping key */
    TALLY_ROOT_WRAPPED_SIZE_MAX = 4096, /* bytes of a wrapped root key */
    TALLY_SIGNERS_MAX = 16              /* keys that sign policies */
};

/* Rights: what a key may be used for. tally_rule_open of policy.h makes tokenizers that obey them;
 * whoever unwraps a key with tally_keyring_key obeys by themselves. */
enum { TALLY_MAY_PROTECT = 1, TALLY_MAY_REVEAL = 2 };

/* Where a ring's root key comes from. */
typedef enum tally_root_kind {
    TALLY_ROOT_KEY = 0, /* it is 32 bytes kept elsewhere */
    TALLY_ROOT_SCRYPT,  /* derived from a passphrase */
    TALLY_ROOT_SHARES,  /* split into shares */
    TALLY_ROOT_WRAPPED  /* encrypted by a key of a KMS, an HSM or the like */
} tally_root_kind;

typedef struct tally_root {
    tally_root_kind kind;
    uint32_t n, r, p; /* scrypt's costs: n a power of two from 2^14 to 2^18, r = 8, p 1..4 */
    uint8_t salt[16]; /* scrypt's */
    uint8_t set[16];  /* the set of shares */
    uint32_t threshold, count; /* of shares: 2 <= threshold <= count <= 255 */
    uint32_t rights;           /* of whoever opens the ring with it; all, but for wrapped ones */
    const char *by;            /* the name of the wrapping key, such as "age:age1..."; or NULL */
    const char *wrapped;       /* the wrapped root key in base64, or NULL; both as the ring's id */
} tally_root;

/* A data key's name and version: people:1. */
typedef struct tally_key_id {
    char name[TALLY_KEY_NAME_SIZE_MAX + 1];
    uint32_t version; /* 1 or more */
} tally_key_id;

/* The public facts about a data key. */
typedef struct tally_key_info {
    tally_key_id id;
    uint32_t size;    /* 16, 24 or 32 bytes */
    char created[24]; /* UTC: 2026-01-02T03:04:05Z */
    uint32_t rights;  /* TALLY_MAY_PROTECT, TALLY_MAY_REVEAL or both */
} tally_key_info;

typedef struct tally_keyring tally_keyring;

/* Makes the id of a key: `name` has 1 to 64 bytes of a-z, 0-9, '_', '.' and '-', and starts with a
 * letter or digit; `version` is from 1 to 2^32 - 1. TALLY_ERROR_REFERENCE. `problem` may be NULL,
 * here and below; it says what follows a path and a colon in a message. */
TALLY_API TALLY_MUST_CHECK tally_status tally_key_id_init(const char *name, size_t size,
                                                          uint64_t version, tally_key_id *out,
                                                          tally_problem *problem);

/* Reads a reference such as "people:1". TALLY_ERROR_REFERENCE: it has another form. */
TALLY_API TALLY_MUST_CHECK tally_status tally_key_id_parse(const char *reference, size_t size,
                                                           tally_key_id *out,
                                                           tally_problem *problem);

/* Reads the bytes of a ring's file, which are copied. Nothing of it is authenticated before
 * tally_keyring_unlock. TALLY_ERROR_KEYRING; TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_read(const tally_allocator *allocator,
                                                           const uint8_t *file, size_t size,
                                                           tally_keyring **out,
                                                           tally_problem *problem);

/* Verifies a ring that was read, with its root key; the caller wipes its copy of that.
 * TALLY_ERROR_ROOT_KEY, TALLY_ERROR_KEYRING: the ring stays locked. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_unlock(
    tally_keyring *ring, const uint8_t root_key[TALLY_ROOT_KEY_SIZE], tally_problem *problem);

/* Verifies a ring that was read, such as a newer copy of the file, with the subkeys of one that is
 * unlocked. TALLY_ERROR_KEYRING: it is another ring, has another root key, or is damaged; it stays
 * locked. TALLY_ERROR_ARGUMENT: `open` is locked, or `ring` is not. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_unlock_like(tally_keyring *ring,
                                                                  const tally_keyring *open,
                                                                  tally_problem *problem);

/* Wipes and releases a ring; NULL is allowed. */
TALLY_API void tally_keyring_free(tally_keyring *ring);

/* The ring's id: 32 hexadecimal digits that never change. It lives as long as the ring. */
TALLY_API const char *tally_keyring_id(const tally_keyring *ring);

/* The first record of where the root key comes from; and any of them. Each leads to the same root
 * key. Returns 0 if there is no such index. */
TALLY_API void tally_keyring_root(const tally_keyring *ring, tally_root *out);
TALLY_API TALLY_MUST_CHECK int tally_keyring_root_at(const tally_keyring *ring, size_t index,
                                                     tally_root *out);

/* How often the file was changed; 0 for a file of format 1, which does not tell. */
TALLY_API uint32_t tally_keyring_revision(const tally_keyring *ring);

/* A public key of Ed25519 (64 hexadecimal digits) whose signature a policy may have; NULL from the
 * last one on. If there is one, policies without a signature must be refused. */
TALLY_API const char *tally_keyring_signer(const tally_keyring *ring, size_t index);

/* The name of the holder of share index + 1, in UTF-8; NULL from the last one on. */
TALLY_API const char *tally_keyring_holder(const tally_keyring *ring, size_t index);

/* The number of keys, and what is known of one, in the order in which they were added. Returns 0 if
 * there is no such index. */
TALLY_API size_t tally_keyring_count(const tally_keyring *ring);
TALLY_API TALLY_MUST_CHECK int tally_keyring_at(const tally_keyring *ring, size_t index,
                                                tally_key_info *out);

/* Unwraps a key. *size receives its bytes: 16, 24 or 32; `out` is wiped by the caller. Any number
 * of threads may unwrap at once. TALLY_ERROR_NO_KEY. TALLY_ERROR_KEYRING: it was wrapped for
 * another place. TALLY_ERROR_ARGUMENT: the ring is locked. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_key(const tally_keyring *ring,
                                                          const tally_key_id *id,
                                                          uint8_t out[TALLY_DATA_KEY_SIZE_MAX],
                                                          size_t *size, tally_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
