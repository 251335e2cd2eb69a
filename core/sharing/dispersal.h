/* SPDX-License-Identifier: Apache-2.0
 *
 * The records of a dispersed file, for both directions. A record is
 *
 *     size of the stripe's data, its top bit set in the last (4) | part | tag (16)
 */
#ifndef TALLY_SHARING_DISPERSAL_H
#define TALLY_SHARING_DISPERSAL_H

#include "sharing/shares.h"
#include "tallystick/aes.h"
#include "tallystick/dispersal.h"

enum {
    TALLY_RECORD_HEADER = 4,
    TALLY_RECORD_TAG = 16,
    TALLY_RECORD_BATCH = 64 /* tags that are computed side by side, at most */
};

#define TALLY_RECORD_LAST (UINT32_C(1) << 31)

struct tally_dispersal {
    uint32_t threshold, count;
    tally_aes_key cipher;
    tally_cmac_key mac;
    uint8_t from[256],
        to[256];      /* the shares that the matrix computes from, and those it computes */
    size_t outputs;   /* rows of the matrix in use, of `threshold` bytes each */
    uint8_t matrix[]; /* count - threshold rows */
};

/* tally_dispersal_init with the caller's entropy, for test vectors. */
TALLY_MUST_CHECK tally_status tally_dispersal_init_with_entropy(
    const tally_shares_params *params, const uint8_t entropy[32],
    const uint8_t salt[TALLY_SHARE_SALT], const uint8_t *hedge, size_t hedge_size, void *memory,
    size_t memory_size, tally_dispersal **out, uint8_t *const key_shares[]);

/* The size of a part of a stripe with `size` bytes of data: a multiple of 16. */
static inline size_t tally_record_part(const tally_dispersal *dispersal, size_t size)
{
    const size_t blocks = (size_t)dispersal->threshold * 16;
    return (size + blocks - 1) / blocks * 16;
}

/* Computes the matrix that leads from the parts of `threshold` shares to those of `outputs` others,
 * unless it is the current one. */
void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs);

/* The first block that a tag authenticates: the stripe, the record's header, the share. */
void tally_record_first_block(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER],
                              uint8_t index, uint8_t out[16]);

/* Encrypts or decrypts a part, which begins at byte `at` of its stripe, a multiple of 16. */
void tally_record_crypt(const tally_dispersal *dispersal, uint64_t stripe, size_t at,
                        const uint8_t *in, size_t size, uint8_t *out);

#endif
