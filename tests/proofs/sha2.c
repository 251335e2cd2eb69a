/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 and SHA-512 without instructions: messages of any bytes, of some sizes up to three
 * blocks, in two pieces, around where padding takes another block. */
#include "tallystick/sha2.h"
#include "arbitrary.h"

enum { MOST = 130 };

uint32_t tally_cpu_features(void)
{
    return 0;
}

int main(void)
{
    static uint8_t memory[MOST], out[64];
    arbitrary(memory, MOST);
    static const uint8_t sizes[] = {0, 55, 56, MOST};
    for (size_t i = 0; i < sizeof sizes; i++) {
        const size_t size = sizes[i];
        const uint8_t *message = memory + MOST - size;
        tally_sha256 narrow;
        tally_sha256_init(&narrow);
        tally_sha256_update(&narrow, message, size / 3);
        tally_sha256_update(&narrow, message + size / 3, size - size / 3);
        tally_sha256_final(&narrow, out);
        tally_sha512 wide;
        tally_sha512_init(&wide);
        tally_sha512_update(&wide, message, size / 3);
        tally_sha512_update(&wide, message + size / 3, size - size / 3);
        tally_sha512_final(&wide, out);
    }
    return 0;
}
