/* SPDX-License-Identifier: Apache-2.0
 *
 * Encryption of BITSLICE_MANY blocks or more by bitslice_rows_sse2.c. Its remainder, and all else,
 * is for bitslice_vectors_body.h, which the including file includes before. */

BITSLICE_TARGET static void BITSLICE(crypt_many)(const tally_aes_key *key,
                                                 tally_direction direction, const uint8_t *in,
                                                 size_t blocks, uint8_t *out)
{
    if (direction == TALLY_ENCRYPT && blocks >= BITSLICE_MANY) {
        const size_t groups = blocks / TALLY_BITSLICE_ROWS, done = groups * TALLY_BITSLICE_ROWS;
        tally_bitslice_rows_encrypt(key, in, groups, out);
        in += 16 * done;
        out += 16 * done;
        blocks -= done;
    }
    BITSLICE(crypt_blocks)(key, direction, in, blocks, out);
}

BITSLICE_TARGET static void BITSLICE(ctr_many)(const tally_aes_key *key, uint8_t counter[16],
                                               const uint8_t *in, size_t size, uint8_t *out)
{
    if (size >= 16 * BITSLICE_MANY) {
        const size_t groups = size / (16 * TALLY_BITSLICE_ROWS);
        const size_t done = groups * (16 * TALLY_BITSLICE_ROWS);
        tally_bitslice_rows_ctr(key, counter, in, groups, out);
        in = in == NULL ? NULL : in + done;
        out += done;
        size -= done;
    }
    BITSLICE(ctr)(key, counter, in, size, out);
}
