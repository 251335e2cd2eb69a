/* SPDX-License-Identifier: Apache-2.0
 *
 * The records of a dispersed file, for both directions. A record is
 *
 *     size of the stripe's data, its top bit set in the last (4) | part | tag (16)
 */
#ifndef TALLY_SHARING_DISPERSAL_H
#define TALLY_SHARING_DISPERSAL_H

#include "sharing/shares.h"
#include "tallystick/dispersal.h"

enum { TALLY_RECORD_HEADER = 4, TALLY_RECORD_TAG = 16, TALLY_RECORD_MOST = 64 /* tags at once */ };

#define TALLY_RECORD_LAST (UINT32_C(1) << 31)

/* tally_dispersal_begin with entropy of the caller's, for test vectors. */
tally_status tally_dispersal_begin_with(const tally_shares_params *params,
                                        const uint8_t entropy[32],
                                        const uint8_t salt[TALLY_SHARE_SALT], const uint8_t *hedge,
                                        size_t hedge_size, tally_dispersal *out,
                                        uint8_t *const heads[]);

/* The bytes of a part of a stripe with `size` bytes of data: a multiple of 16. */
static inline size_t tally_record_part(const tally_dispersal *dispersal, size_t size)
{
    const size_t blocks = (size_t)dispersal->threshold * 16;
    return (size + blocks - 1) / blocks * 16;
}

/* Sees to it that the matrix leads from the parts of `threshold` shares to those of others. */
void tally_record_matrix(tally_dispersal *dispersal, const uint8_t *from, const uint8_t *to,
                         size_t outputs);

/* The first block of what is authenticated: the stripe, the record's header, the share. */
void tally_record_head(uint64_t stripe, const uint8_t header[TALLY_RECORD_HEADER], uint8_t index,
                       uint8_t out[16]);

/* Encrypts or decrypts a part, whose first byte is byte `at` of its stripe, a multiple of 16. */
void tally_record_crypt(const tally_dispersal *dispersal, uint64_t stripe, size_t at,
                        const uint8_t *in, size_t size, uint8_t *out);

#endif
