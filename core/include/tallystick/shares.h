/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentic shares of a secret. Any `threshold` of them recover it, and fewer reveal nothing but
 * its size. Each damaged, altered or foreign share is identified before the secret is recovered.
 *
 * The scheme is adept sharing (Bellare, Dai and Rogaway, "Reimagining Secret Sharing", PoPETs
 * 2020(4)). All coins are derived from the secret, the parameters and fresh randomness. So recovery
 * makes all shares again and accepts no others. A hash tree over the shares finds the good ones
 * with one check a share.
 *
 * docs/reference/share-format.md has the format to the byte, and the limits of its protection.
 *
 * Sharing is computationally secure here: it rests on SHA-256 and AES-256. */
#ifndef TALLYSTICK_SHARES_H
#define TALLYSTICK_SHARES_H

#include "tallystick/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_SHARES_SET = 16,           /* bytes of a set's name, a hash over the whole set */
    TALLY_SHARES_MAX_LABEL = 255,    /* bytes */
    TALLY_SHARES_MAX_SECRET = 16384, /* bytes; tallystick/dispersal.h is for more */
    TALLY_SHARES_MAX_GIVEN = 1024    /* shares in one call */
};

/* Statuses 48..63. */
enum {
    TALLY_ERROR_SHARES_FEW = 48,  /* fewer good shares of one set than its threshold */
    TALLY_ERROR_SHARES_SETS = 49, /* more than one set has enough shares */
    TALLY_ERROR_SHARES_FALSE = 50 /* the shares were not made from one secret */
};

/* The kind of secret. */
typedef enum tally_shares_kind {
    TALLY_SHARES_SECRET = 0,
    TALLY_SHARES_FILE = 1 /* the key of a dispersed file; the file's part follows the share */
} tally_shares_kind;

/* The common parameters of all shares of a set. A share with a changed parameter is refused. */
typedef struct tally_shares_params {
    uint32_t kind;        /* a tally_shares_kind */
    uint32_t threshold;   /* 2..count */
    uint32_t count;       /* of shares, at most 255 */
    uint32_t secret_size; /* bytes, 1..TALLY_SHARES_MAX_SECRET */
    uint32_t label_size;  /* bytes of `label`, at most TALLY_SHARES_MAX_LABEL */
    const uint8_t *label; /* what the secret is, in UTF-8; public. NULL if of 0 bytes */
} tally_shares_params;

/* A parsed share. */
typedef struct tally_share {
    tally_shares_params params; /* its label points into the share */
    uint32_t index;             /* 1..params.count */
    uint32_t size;              /* bytes of the share; more may follow */
    uint8_t set[16];
} tally_share;

/* The verdict on a given share. */
typedef int32_t tally_share_verdict;

enum {
    TALLY_SHARE_GOOD = 0,
    TALLY_SHARE_MALFORMED, /* not a share, unknown version, truncated, or too long */
    TALLY_SHARE_DAMAGED,   /* does not match its set's name */
    TALLY_SHARE_FOREIGN,   /* of another set than the recovered one, or than most shares */
    TALLY_SHARE_REPEATED   /* given before */
};

/* The size of each share of a set, in bytes; 0 if a parameter is outside its range. */
TALLY_API size_t tally_shares_size(const tally_shares_params *params);

/* Splits `secret` into shares[0..count), of tally_shares_size bytes each and of the indices 1, 2,
 * ..., with randomness from the operating system. Shares overlap neither each other nor the secret.
 *
 * TALLY_ERROR_ARGUMENT: a parameter is outside its range. TALLY_ERROR_ENTROPY: no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_shares_split(const tally_shares_params *params,
                                                           const uint8_t *secret,
                                                           uint8_t *const shares[]);

/* Reads one share of `size` bytes and checks it against its set's name, which needs no other share.
 * Bytes may follow it only if it is the key of a dispersed file. Writes `out` for
 * TALLY_SHARE_GOOD and TALLY_SHARE_DAMAGED (of which nothing can be trusted), else zeroes it. */
TALLY_API TALLY_MUST_CHECK tally_share_verdict tally_shares_read(const uint8_t *share, size_t size,
                                                                 tally_share *out);

/* The result of tally_shares_recover. */
typedef struct tally_shares_found {
    tally_share first; /* a share of the recovered set, or of the set of most good shares; of size 0
                          if no share is good */
    uint32_t good;     /* different shares of that set */
    uint32_t sets;     /* sets with enough shares; more than one is an error */
} tally_shares_found;

/* Recovers the secret from `count` shares in any order, sizes[i] bytes each. verdicts[i] is the
 * verdict on share i. Recovery uses the good shares only. Then it splits the secret again: the hash
 * over all shares must be the set's name. `secret` receives found->first.params.secret_size bytes,
 * at most secret_capacity. If it is NULL, the shares are only verified. The cost is one hash of
 * each given share, and of each share of the set.
 *
 * If `set` is not NULL, shares of other sets are foreign. The shares must not change during the
 * call. `verdicts` and `found` are written unless `count` is too large. With any status but
 * TALLY_OK, `secret` is zeroed or not written. TALLY_ERROR_SHARES_FEW: no set has as many good
 * shares as its threshold. TALLY_ERROR_SHARES_SETS: more than one set has; choose one with `set`.
 * TALLY_ERROR_SHARES_FALSE: each share matches its set, but the set is not the result of a split:
 * the dealer did not follow the scheme.
 * TALLY_ERROR_ARGUMENT: count is above TALLY_SHARES_MAX_GIVEN, or the secret is larger than
 * secret_capacity. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_shares_recover(const uint8_t *const shares[], const size_t sizes[], size_t count,
                     const uint8_t *set, tally_share_verdict *verdicts, tally_shares_found *found,
                     uint8_t *secret, size_t secret_capacity);

#ifdef __cplusplus
}
#endif
#endif
