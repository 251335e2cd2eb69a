/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens in text as Go calls them: pointers and numbers alone, as in core/binding.h. */
#ifndef TALLY_GO_TEXT_BINDING_H
#define TALLY_GO_TEXT_BINDING_H

#include "tallystick.h"

/* A key of text.h, in memory of its own: NULL, and *status says why. */
tally_text_key *tally_go_text_key_new(const uint8_t *key, size_t key_size, const uint8_t *space,
                                      size_t space_size, const uint8_t *scope, size_t scope_size,
                                      uint32_t check_bits, uint32_t *status);
/* Wipes and releases it; NULL is allowed. */
void tally_go_text_key_free(tally_text_key *key);

/* A restorer of `count` keys: NULL, and *status says why. */
tally_text_restorer *tally_go_text_restorer_new(const tally_text_key *const *keys, size_t count,
                                                uint32_t context, uint32_t *status);

uint32_t tally_go_text_protect(const tally_text_key *key, uint32_t frame, const uint8_t *kind,
                               size_t kind_size, const uint8_t *value, size_t size, uint8_t *out,
                               size_t *out_size);

/* Rules of scan.h: NULL, and *status says why. */
tally_scan_rules *tally_go_scan_rules_new(const uint8_t *json, size_t size, uint32_t *status);
/* Scans a whole text. *count: how many findings it has; the first `capacity` are in `out`. */
uint32_t tally_go_scan(const tally_scan_rules *rules, const uint8_t *text, size_t size,
                       tally_scan_finding *out, size_t capacity, size_t *count);

#endif
