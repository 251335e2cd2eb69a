/* SPDX-License-Identifier: Apache-2.0 */
#include "text_binding.h"

#include <stdlib.h>

tally_text_key *tally_go_text_key_new(const uint8_t *key, size_t key_size, const uint8_t *space,
                                      size_t space_size, const uint8_t *scope, size_t scope_size,
                                      uint32_t check_bits, uint32_t *status)
{
    tally_text_key *const made = calloc(1, sizeof *made);
    *status = made == NULL ? (uint32_t)TALLY_ERROR_MEMORY
                           : (uint32_t)tally_text_key_init(key, key_size, space, space_size, scope,
                                                           scope_size, check_bits, made);
    if (*status != 0) {
        tally_go_text_key_free(made);
        return NULL;
    }
    return made;
}

void tally_go_text_key_free(tally_text_key *key)
{
    if (key != NULL) {
        tally_text_key_wipe(key);
        free(key);
    }
}

tally_text_restorer *tally_go_text_restorer_new(const tally_text_key *const *keys, size_t count,
                                                uint32_t context, uint32_t *status)
{
    tally_text_restorer *made = NULL;
    *status =
        (uint32_t)tally_text_restorer_new(NULL, keys, count, (tally_text_context)context, &made);
    return made;
}

uint32_t tally_go_text_protect(const tally_text_key *key, uint32_t frame, const uint8_t *kind,
                               size_t kind_size, const uint8_t *value, size_t size, uint8_t *out,
                               size_t *out_size)
{
    return (uint32_t)tally_text_protect(key, (tally_text_frame)frame, (const char *)kind, kind_size,
                                        value, size, out, out_size);
}
