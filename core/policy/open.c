/* SPDX-License-Identifier: Apache-2.0
 *
 * A rule with its key, by the rights and signatures that a key ring demands. */
#include "base/allocator.h"
#include "base/writer.h"
#include "tallystick/policy.h"

#include <string.h>

/* The rights of a key; a key that the ring lacks has none. */
static uint32_t open_rights(const tally_keyring *ring, const tally_key_id *id)
{
    tally_key_info info;
    for (size_t i = 0; tally_keyring_at(ring, i, &info); i++) {
        if (info.id.version == id->version && strcmp(info.id.name, id->name) == 0) {
            return info.rights;
        }
    }
    return 0;
}

tally_status tally_rule_open(const tally_allocator *allocator, const tally_rule *rule,
                             const tally_keyring *ring, uint32_t rights, tally_tokenizer **out,
                             tally_problem *problem)
{
    tally_tokenizer *made = NULL;
    uint8_t *key = NULL;
    size_t size = 0;
    tally_status status = TALLY_OK;
    *out = NULL;
    if (tally_keyring_signer(ring, 0) != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, "the key ring demands signed policies, which this Tallystick can't "
                             "verify; use a newer one");
        return TALLY_ERROR_KEYRING;
    }
    if (rule->key.version != 0) {
        rights &= open_rights(ring, &rule->key);
        key = tally_allocate(allocator, TALLY_DATA_KEY_SIZE_MAX); /* keys may need locked memory */
        if (key == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        status = tally_keyring_key(ring, &rule->key, key, &size, problem);
    }
    if (status == TALLY_OK) {
        const tally_policy_text name = rule->name_space;
        status =
            tally_tokenizer_new(allocator, rule->format, key, size, name.size == 0 ? "" : name.text,
                                name.size, rule->on_invalid, &made, problem);
    }
    tally_release_wiped(allocator, key, TALLY_DATA_KEY_SIZE_MAX);
    if (status == TALLY_OK) {
        tally_tokenizer_limit(made, rights);
        *out = made;
    }
    return status;
}
