/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of MANY blocks or more by bitslice_rows_sse2.c, and what is left of them, and shorter ones, by
 * bitslice_vectors_body.h, which has been included before. The including file defines MANY. */

TARGET static void encrypt_many(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                uint8_t *out)
{
    if (blocks >= MANY) {
        const size_t groups = blocks / TALLY_BITSLICE_ROWS, done = groups * TALLY_BITSLICE_ROWS;
        tally_bitslice_rows_encrypt(key, in, groups, out);
        in += 16 * done;
        out += 16 * done;
        blocks -= done;
    }
    encrypt_blocks(key, in, blocks, out);
}

TARGET static void ctr_many(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                            size_t size, uint8_t *out)
{
    if (size >= 16 * MANY) {
        const size_t groups = size / (16 * TALLY_BITSLICE_ROWS);
        const size_t done = groups * (16 * TALLY_BITSLICE_ROWS);
        tally_bitslice_rows_ctr(key, counter, in, groups, out);
        in = in == NULL ? NULL : in + done;
        out += done;
        size -= done;
    }
    ctr(key, counter, in, size, out);
}
