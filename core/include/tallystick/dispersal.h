/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal of large data among several people: secret sharing made short (Krawczyk, CRYPTO '93)
 * and authentic. The data is encrypted under a fresh key, stripe by stripe. A stripe is cut into
 * `threshold` parts, a systematic Reed-Solomon code (tallystick/reed_solomon.h) adds parts for the
 * other shares, and each part has a tag. A part with its size and its tag is a record. A share
 * begins with an authentic share of the key (tallystick/shares.h); a record of each stripe follows.
 * So it has about 1/threshold of the size of the data.
 *
 * Both directions stream: the caller holds some stripes at a time, whatever the total size. A
 * stripe is released only after enough of its parts are verified. A part that fails is replaced by
 * the part of another share. docs/reference/share-format.md has the format to the byte.
 *
 * The parts rest on AES-256 in counter mode and AES-256-CMAC. Holders of `threshold` shares have
 * the keys and can forge tags; holders of fewer shares cannot. */
#ifndef TALLYSTICK_DISPERSAL_H
#define TALLYSTICK_DISPERSAL_H

#include "tallystick/shares.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_DISPERSAL_PART = 16384, /* bytes of a part; those of the last stripe may be shorter */
    TALLY_DISPERSAL_RECORD = TALLY_DISPERSAL_PART + 20, /* bytes of a record of such a part */
    TALLY_DISPERSAL_KEY = 32                            /* bytes of the shared secret */
};

/* A dispersal or recovery in progress: keys, and the matrix of the code. It is opaque, and lies in
 * memory of the caller. One thread at a time. */
typedef struct tally_dispersal tally_dispersal;

/* The size of the memory that a dispersal takes, whatever its alignment: about 4 kB, plus
 * threshold * (count - threshold) bytes. 0 if the parameters are not those of a dispersed file. */
TALLY_API size_t tally_dispersal_size(const tally_shares_params *params);

/* Begins a dispersal in `memory`, of at least tally_dispersal_size bytes; *out points into it.
 * Draws a key from the operating system and from `hedge`, and writes the key shares, with which the
 * shares begin: key_shares[0..count), of tally_shares_size bytes each. params->kind is
 * TALLY_SHARES_FILE, and params->secret_size TALLY_DISPERSAL_KEY. `hedge` is the beginning of the
 * data: if the system's randomness is weak, the key is still as hard to guess as `hedge`.
 *
 * TALLY_ERROR_ARGUMENT: a parameter is outside its range, or there is too little memory.
 * TALLY_ERROR_ENTROPY: no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_dispersal_init(
    const tally_shares_params *params, const uint8_t *hedge, size_t hedge_size, void *memory,
    size_t memory_size, tally_dispersal **out, uint8_t *const key_shares[]);

/* Continues with data that was dispersed: `share` and `key` are found->first and the secret of
 * tally_shares_recover. To replace lost records, decode stripes and encode them again: the records
 * are the same to the byte.
 *
 * TALLY_ERROR_ARGUMENT: the share is not of a dispersed file, or there is too little memory. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_dispersal_init_with_key(const tally_share *share, const uint8_t key[TALLY_DISPERSAL_KEY],
                              void *memory, size_t memory_size, tally_dispersal **out);

/* Wipes the keys. Another initialization may use the memory again. */
TALLY_API void tally_dispersal_wipe(tally_dispersal *dispersal);

/* The number of shares. */
TALLY_API size_t tally_dispersal_share_count(const tally_dispersal *dispersal);

/* The bytes of data in a whole stripe: threshold * TALLY_DISPERSAL_PART. */
TALLY_API size_t tally_dispersal_stripe_size(const tally_dispersal *dispersal);

/* The size of the records of `size` bytes of data in each share. is_last: the data ends with
 * them. */
TALLY_API size_t tally_dispersal_records_size(const tally_dispersal *dispersal, size_t size,
                                              int is_last);

/* Encrypts and encodes the data from stripe number `stripe` on. records[i] receives the records of
 * share i + 1, of tally_dispersal_records_size bytes. Never encode other data under the number of
 * an encoded stripe. Up to 64 records, a call is the faster the more stripes it has. `records` do
 * not overlap the data.
 *
 * TALLY_ERROR_ARGUMENT: not is_last, and size is 0 or no multiple of
 * tally_dispersal_stripe_size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_dispersal_encode(tally_dispersal *dispersal,
                                                               uint64_t stripe, const uint8_t *data,
                                                               size_t size, int is_last,
                                                               uint8_t *const records[]);

/* The result of tally_dispersal_decode. */
typedef struct tally_dispersal_found {
    size_t size;         /* bytes of data that were released */
    size_t stripes;      /* stripes that were released */
    uint32_t is_last;    /* 1: the data ends with them */
    uint8_t missing[32]; /* with TALLY_ERROR_SHARES_FEW: bit i, from the least significant one of
                            the first byte, is set if share i was given and has no authentic part */
} tally_dispersal_found;

/* Verifies and decrypts up to `stripes` stripes from number `stripe` on. records[i], of sizes[i]
 * bytes, are the records of share indices[i] from that stripe on, as many as there are,
 * TALLY_DISPERSAL_RECORD bytes apart. Leave shares without records out. damaged[i] is increased by
 * the number of stripes whose part in that share is missing, cut short or not authentic. `out` has
 * the capacity of `stripes` whole stripes and overlaps no record.
 *
 * TALLY_ERROR_SHARES_FEW: stripe number stripe + found->stripes has fewer authentic parts than the
 * threshold. found->missing has the shares without one. The stripes before it were released, and
 * `damaged` does not count it.
 * TALLY_ERROR_ARGUMENT: an index is 0, above the number of shares, or occurs twice. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                       const uint8_t *indices, const uint8_t *const records[], const size_t sizes[],
                       size_t count, uint8_t *out, uint64_t *damaged, tally_dispersal_found *found);

#ifdef __cplusplus
}
#endif
#endif
