/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal of large data among several people: secret sharing made short (Krawczyk, CRYPTO '93)
 * and authentic. The data is encrypted under a fresh key, stripe by stripe; a stripe is cut into
 * `threshold` parts, a systematic Reed-Solomon code (tallystick/reed_solomon.h) adds parts for the
 * other shares, and each part has a tag. A share is an authentic share of the key
 * (tallystick/shares.h), then its part of every stripe: about 1/threshold of the data.
 *
 * Both directions stream: the caller holds some stripes at a time, whatever the total size. A
 * stripe is released only after enough of its parts are verified. A part that fails is replaced by
 * the part of another share. docs/reference/share-format.md has the format to the byte.
 *
 * The parts rest on AES-256 in counter mode and AES-256-CMAC. Holders of `threshold` shares have
 * the keys and can forge tags; holders of fewer shares cannot. */
#ifndef TALLYSTICK_DISPERSAL_H
#define TALLYSTICK_DISPERSAL_H

#include "tallystick/aes.h"
#include "tallystick/shares.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_DISPERSAL_PART = 16384, /* bytes of a stripe in one share, but for the last stripe */
    TALLY_DISPERSAL_RECORD = TALLY_DISPERSAL_PART + 20, /* a part with its header and tag */
    TALLY_DISPERSAL_KEY = 32                            /* bytes of the shared secret */
};

/* A dispersal or recovery in progress; the content is private. Wipe it with tally_wipe. */
typedef struct tally_dispersal {
    uint32_t threshold, count;
    tally_aes_key cipher;
    tally_cmac_key mac;
    uint8_t from[256], to[256]; /* the shares that the matrix leads from, and to */
    size_t outputs;             /* its rows */
    uint8_t matrix[128 * 128];  /* outputs * threshold bytes are in use */
} tally_dispersal;

/* Begins a dispersal: draws a key from the operating system and from `hedge`, and writes the
 * beginnings of all shares, heads[0..count), of tally_shares_size bytes each. params->kind is
 * TALLY_SHARES_FILE, and params->secret_size TALLY_DISPERSAL_KEY. `hedge` is the beginning of the
 * data: should the system's randomness be weak, the key is still as hard to guess as that is.
 *
 * TALLY_ERROR_ARGUMENT: a parameter is outside its range. TALLY_ERROR_ENTROPY: no entropy. */
tally_status tally_dispersal_begin(const tally_shares_params *params, const uint8_t *hedge,
                                   size_t hedge_size, tally_dispersal *out, uint8_t *const heads[]);

/* Goes on with data that was dispersed: `first` and `key` are what tally_shares_combine found. What
 * was unsealed can be sealed again, to make lost records: they are the same to the byte.
 *
 * TALLY_ERROR_ARGUMENT: they are not of a dispersed file. */
tally_status tally_dispersal_open(const tally_share *first, const uint8_t key[TALLY_DISPERSAL_KEY],
                                  tally_dispersal *out);

/* The bytes of data in a whole stripe: threshold * TALLY_DISPERSAL_PART. */
size_t tally_dispersal_stripe(const tally_dispersal *dispersal);

/* The bytes that `size` bytes of data become in each share; the last of all data if is_last. */
size_t tally_dispersal_records(const tally_dispersal *dispersal, size_t size, int is_last);

/* Encrypts and cuts up the data from stripe number `stripe` on: records[i] receives the records of
 * share i + 1, of tally_dispersal_records bytes. No stripe may be sealed twice with other data. The
 * more stripes a call has the faster it is, up to 64 records. `records` do not overlap the data.
 *
 * TALLY_ERROR_ARGUMENT: not is_last, and size is no multiple of tally_dispersal_stripe, or 0. */
tally_status tally_dispersal_seal(tally_dispersal *dispersal, uint64_t stripe, const uint8_t *data,
                                  size_t size, int is_last, uint8_t *const records[]);

/* What tally_dispersal_unseal found. */
typedef struct tally_dispersal_found {
    size_t size;         /* bytes of data that were released */
    size_t stripes;      /* that they are, the last one too */
    uint32_t is_last;    /* 1: the data ends with them */
    uint8_t missing[32]; /* where it stopped for want of parts: bit i, from the least significant of
                            the first byte, is set if share i was given and has no authentic part */
} tally_dispersal_found;

/* Checks and decrypts up to `stripes` stripes from number `stripe` on. records[i], of sizes[i]
 * bytes, are the records of share indices[i], from that stripe on, as many as there are,
 * TALLY_DISPERSAL_RECORD bytes apart; shares that have none are left out. damaged[i] is increased
 * by the stripes whose part in that share is missing, cut short or not authentic. `out` has room
 * for `stripes` whole stripes and overlaps no record.
 *
 * TALLY_ERROR_SHARES_FEW: a stripe, number stripe + found->stripes, has fewer authentic parts than
 * the threshold, and found->missing says which; those before it were released, and it was not
 * counted in `damaged`.
 * TALLY_ERROR_ARGUMENT: an index is 0, above the number of shares, or occurs twice. */
tally_status tally_dispersal_unseal(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                    const uint8_t *indices, const uint8_t *const records[],
                                    const size_t sizes[], size_t count, uint8_t *out,
                                    uint64_t *damaged, tally_dispersal_found *found);

#ifdef __cplusplus
}
#endif
#endif
