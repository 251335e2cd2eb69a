/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentic shares, parsed and read, in memory that ends where they do: any bytes, but for the
 * sizes of label and set, which are some of the possible ones; sizes around those of a header, and
 * of a share with a secret of 0 to 5 bytes. Hashing is replaced by what it needs of its arguments
 * (sha2.c has the hash itself). */
#include "arbitrary.h"
#include "sharing/share_format.h"

enum { MOST = 110, SECRET = 5 };

void tally_sha256_init(tally_sha256 *context)
{
    context->size = 0;
}

void tally_sha256_update(tally_sha256 *context, const uint8_t *data, size_t size)
{
    context->size += size;
    /*@ assert \valid_read(data + (0 .. size - 1)); */
}

void tally_sha256_final(tally_sha256 *context, uint8_t out[32])
{
    context->size = 0;
    arbitrary(out, 32);
}

static uint8_t memory[MOST];

static void read_shares(size_t least, size_t most, const uint8_t *label, const uint8_t *count)
{
    for (size_t size = least; size <= most; size++) {
        uint8_t *at = memory + MOST - size;
        tally_share share = {0};
        arbitrary(memory, MOST);
        if (label != NULL && size > 9) {
            at[7] = *count;
            at[9] = *label;
        }
        tally_shares_read(at, size, &share);
    }
}

int main(void)
{
    static const uint8_t labels[] = {0, 3}, counts[] = {2, 5}, depths[] = {1, 3};
    read_shares(0, TALLY_SHARE_HEADER + 2, NULL, NULL);
    for (size_t i = 0; i < sizeof labels; i++) {
        for (size_t j = 0; j < sizeof counts; j++) {
            size_t hashes = (size_t)(2 + depths[j]) * TALLY_SHARE_HASH;
            size_t most = TALLY_SHARE_HEADER + labels[i] + hashes + SECRET;
            read_shares(most - SECRET - 1, most, &labels[i], &counts[j]);
        }
    }
    return 0;
}
