/* SPDX-License-Identifier: Apache-2.0
 *
 * Entropy in WebAssembly, which has no operating system: Go gives it. Instead of
 * core/base/entropy.c. */
#include "tallystick/base.h"

__attribute__((import_module("tallystick"), import_name("entropy"))) uint32_t
tally_go_host_entropy(uint8_t *out, size_t size);

tally_status tally_entropy(uint8_t *out, size_t size)
{
    if (tally_go_host_entropy(out, size) != 0) {
        tally_wipe(out, size);
        return TALLY_ERROR_ENTROPY;
    }
    return TALLY_OK;
}
