/* SPDX-License-Identifier: Apache-2.0
 *
 * Modes of operation for masked AES: counter mode and CBC (SP 800-38A), CMAC (SP 800-38B). The key
 * is on shares, and so is all that lies between data and results: keystream, decrypted blocks
 * before they are chained, subkeys and chains of CMAC. Data and results are in the clear.
 *
 * The key has one key for all blocks, of tally_masked_key_init or its like with count 1; other keys
 * are refused with TALLY_ERROR_ARGUMENT. One of tally_masked_key_init_state is taken to be so. A
 * mode does not refresh the key: see tally_masked_refresh. Sizes are in bytes; `out` may equal
 * `in`, and other overlaps are not allowed; pointers to no bytes may be NULL.
 *
 * If the source of masks fails, its status is returned, all of `out` is zeroed, and counter or IV
 * are as before. Neither mode tells whether data were changed: use a CMAC, of the ciphertext and
 * its IV, with another key. */
#ifndef TALLYSTICK_MASKED_MODES_H
#define TALLYSTICK_MASKED_MODES_H

#include "tallystick/masked_aes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TALLY_ERROR_TAG = 17 /* a tag is not that of the message */ };

/* Encrypts or decrypts `size` bytes, 0 or more, in counter mode. `counter` is the first counter
 * block, a big-endian number of 128 bits, and is replaced by the next unused one. So data may come
 * in pieces, of which all but the last have multiples of 16 bytes. No key may ever take a counter
 * twice. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_ctr(const tally_masked_key *key,
                                                         const tally_mask_source *source,
                                                         uint8_t counter[16], const uint8_t *in,
                                                         size_t size, uint8_t *out);

/* Encrypts or decrypts in CBC mode, without padding. `iv` is replaced by the last block of
 * ciphertext, for the next piece. Of a message's first piece it must be unpredictable to whoever
 * chooses plaintexts. TALLY_ERROR_ARGUMENT: `size` is not a multiple of 16. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cbc_encrypt(const tally_masked_key *key,
                                                                 const tally_mask_source *source,
                                                                 uint8_t iv[16], const uint8_t *in,
                                                                 size_t size, uint8_t *out);
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cbc_decrypt(const tally_masked_key *key,
                                                                 const tally_mask_source *source,
                                                                 uint8_t iv[16], const uint8_t *in,
                                                                 size_t size, uint8_t *out);

/* The CMAC of a message of any size. Its first bytes are a shorter tag. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cmac(const tally_masked_key *key,
                                                          const tally_mask_source *source,
                                                          const uint8_t *in, size_t size,
                                                          uint8_t tag[16]);

/* Checks a tag of 4 to 16 bytes, in a time that does not depend on where it differs. The right tag
 * leaves no trace. SP 800-38B advises at least 8 bytes. TALLY_ERROR_TAG: it is another message's or
 * another key's; TALLY_ERROR_ARGUMENT: any other tag_size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cmac_verify(const tally_masked_key *key,
                                                                 const tally_mask_source *source,
                                                                 const uint8_t *in, size_t size,
                                                                 const uint8_t *tag,
                                                                 size_t tag_size);

#ifdef __cplusplus
}
#endif
#endif
