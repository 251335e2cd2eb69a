/* SPDX-License-Identifier: Apache-2.0
 *
 * What everything rests on: loads and stores, wiping, texts of any status. */
#include "tallystick/base.h"
#include "arbitrary.h"
#include "base/barrier.h"
#include "base/bytes.h"

enum { MOST = 70 };

int main(void)
{
    static uint8_t memory[MOST];
    uint64_t sum = 0;
    arbitrary(memory, MOST);
    for (size_t at = 0; at + 8 <= MOST; at++) {
        uint8_t *here = memory + at;
        sum ^= tally_load_le32(here) ^ tally_load_be32(here);
        sum ^= tally_load_le64(here) ^ tally_load_be64(here);
        tally_store_le32((uint32_t)sum, here);
        tally_store_be32((uint32_t)sum, here);
        tally_store_le64(sum, here);
        tally_store_be64(tally_barrier(sum), here);
    }
    for (size_t size = 0; size <= MOST; size++) {
        tally_wipe(memory + MOST - size, size);
    }
    tally_wipe(NULL, 0);
    return tally_status_text((tally_status)any_32())[0];
}
