/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentic shares for use inside the core. */
#ifndef TALLY_SHARING_SHARES_H
#define TALLY_SHARING_SHARES_H

#include "sharing/share_format.h"

/* tally_shares_split with the caller's salt: a random one (dispersal), or a fixed one (test
 * vectors). The parameters must be valid. */
void tally_shares_split_salted(const tally_shares_params *params, const uint8_t *secret,
                               const uint8_t salt[TALLY_SHARE_SALT], uint8_t *const shares[]);

#endif
