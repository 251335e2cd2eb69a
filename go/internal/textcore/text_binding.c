/* SPDX-License-Identifier: Apache-2.0 */
#include "text_binding.h"

#include <stdlib.h>
#include <string.h>

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

tally_scan_rules *tally_go_scan_rules_new(const uint8_t *json, size_t size, uint32_t *status)
{
    tally_scan_rules *made = NULL;
    tally_problem problem;
    *status = (uint32_t)tally_scan_rules_new(NULL, (const char *)json, size, &made, &problem);
    return made;
}

uint32_t tally_go_scan(const tally_scan_rules *rules, const uint8_t *text, size_t size,
                       tally_scan_finding *out, size_t capacity, size_t *count)
{
    tally_scan_finding found[TALLY_SCAN_CAPACITY];
    tally_scanner *scanner = NULL;
    tally_status status = tally_scanner_new(rules, &scanner);
    size_t at = 0;
    *count = 0;
    for (int more = 1; status == TALLY_OK && more;) {
        size_t used = 0, made = 0;
        status = at < size ? tally_scanner_update(scanner, text + at, size - at, found,
                                                  TALLY_SCAN_CAPACITY, &used, &made)
                           : tally_scanner_final(scanner, found, TALLY_SCAN_CAPACITY, &made, &more);
        at += used;
        if (status == TALLY_OK && *count < capacity) {
            const size_t taken = made < capacity - *count ? made : capacity - *count;
            memcpy(out + *count, found, taken * sizeof *found);
        }
        *count += status == TALLY_OK ? made : 0;
    }
    tally_scanner_free(scanner);
    return (uint32_t)status;
}
