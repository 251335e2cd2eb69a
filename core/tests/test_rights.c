/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokenizers obey what a key ring says: rights of keys and of who opened it, and signatures that it
 * demands. The rings are those of vectors/keyrings.json, of format 2. */
#include "check.h"
#include "json.h"
#include "tallystick/policy.h"

#include <stdlib.h>

enum { ALL = TALLY_MAY_PROTECT | TALLY_MAY_REVEAL };

static const char policy_json[] =
    "{\"columns\":{\"p\":{\"format\":\"digits\",\"key\":\"people:1\",\"namespace\":\"n\"},"
    "\"r\":{\"format\":\"digits\",\"key\":\"people:2\",\"namespace\":\"n\"},"
    "\"m\":{\"format\":\"mask\"},"
    "\"x\":{\"format\":\"digits\",\"key\":\"people:3\",\"namespace\":\"n\"}}}";

/* What a call of one direction returns, by one value, one number and an array alike. */
static tally_status transform(tally_tokenizer *tokenizer, int reveal)
{
    static const char value[] = "123456789012345";
    const int32_t offsets[] = {0, 15};
    const void *buffers[] = {NULL, offsets, value};
    struct ArrowSchema type = {.format = "u"};
    struct ArrowArray array = {.length = 1, .n_buffers = 3, .buffers = buffers}, out;
    tally_worker *worker = NULL;
    tally_fault fault;
    tally_invalid invalid;
    tally_problem problem;
    uint8_t token[64], reason = 0;
    size_t size = 0;
    type.release = (void (*)(struct ArrowSchema *))free; /* alive; nobody calls it */
    array.release = (void (*)(struct ArrowArray *))free;
    CHECK_EQUAL(tally_worker_new(tokenizer, &worker), TALLY_OK);
    const tally_status status = (reveal ? tally_reveal_value : tally_protect_value)(
        worker, (const uint8_t *)value, 15, NULL, 0, token, sizeof token, &size, &fault);
    CHECK_EQUAL((reveal ? tally_reveal_array : tally_protect_array)(
                    worker, &type, &array, NULL, NULL, &out, NULL, &invalid, &problem),
                status);
    if (out.release != NULL) {
        out.release(&out);
    }
    CHECK_EQUAL((reveal ? tally_reveal_rows : tally_protect_rows)(worker, &type, &array, NULL, NULL,
                                                                  &out, &reason, NULL, &problem),
                status);
    if (out.release != NULL) {
        out.release(&out);
    }
    tally_worker_free(worker);
    return status;
}

static tally_keyring *unlocked(const json_case *c)
{
    uint8_t root_key[TALLY_ROOT_KEY_SIZE];
    const char *const text = json_string(c, "text");
    tally_keyring *ring = NULL;
    json_hex(c, "root_key", root_key, sizeof root_key);
    CHECK_EQUAL(tally_keyring_read(NULL, (const uint8_t *)text, strlen(text), &ring, NULL),
                TALLY_OK);
    CHECK_EQUAL(tally_keyring_unlock(ring, root_key, NULL), TALLY_OK);
    return ring;
}

static void check_opened(const tally_rule *rule, const tally_keyring *ring, uint32_t rights,
                         tally_status protect, tally_status reveal)
{
    tally_tokenizer *made = NULL;
    tally_problem problem = {"", ""};
    CHECK_EQUAL(tally_rule_open(NULL, rule, ring, rights, &made, &problem), TALLY_OK);
    CHECK_EQUAL(transform(made, 0), protect);
    CHECK_EQUAL(transform(made, 1), reveal);
    tally_tokenizer_free(made);
}

static void check_rights(const json_case *c, const tally_policy *policy)
{
    const tally_rule *const protects = tally_policy_rule(policy, 0);
    const tally_rule *const reveals = tally_policy_rule(policy, 1);
    const tally_rule *const masks = tally_policy_rule(policy, 2);
    tally_tokenizer *made = NULL;
    tally_problem problem = {"", ""};
    tally_keyring *const ring = unlocked(c);
    check_opened(protects, ring, ALL, TALLY_OK, TALLY_ERROR_PROTECT_ONLY);
    check_opened(protects, ring, TALLY_MAY_PROTECT, TALLY_OK, TALLY_ERROR_PROTECT_ONLY);
    check_opened(protects, ring, TALLY_MAY_REVEAL, TALLY_ERROR_REVEAL_ONLY,
                 TALLY_ERROR_PROTECT_ONLY);
    check_opened(reveals, ring, ALL, TALLY_ERROR_REVEAL_ONLY, TALLY_OK);
    check_opened(reveals, ring, TALLY_MAY_PROTECT, TALLY_ERROR_REVEAL_ONLY,
                 TALLY_ERROR_PROTECT_ONLY);
    check_opened(masks, ring, ALL, TALLY_OK, TALLY_ERROR_ONE_WAY);
    CHECK_EQUAL(tally_rule_open(NULL, tally_policy_rule(policy, 3), ring, ALL, &made, &problem),
                TALLY_ERROR_NO_KEY);
    CHECK(made == NULL);
    tally_keyring_free(ring);
}

/* Nothing opens, also a rule without a key. */
static void check_signers(const json_case *c, const tally_policy *policy)
{
    tally_tokenizer *made = NULL;
    tally_keyring *const ring = unlocked(c);
    for (size_t i = 0; i < 3; i++) {
        tally_problem problem = {"", ""};
        CHECK_EQUAL(tally_rule_open(NULL, tally_policy_rule(policy, i), ring, ALL, &made, &problem),
                    TALLY_ERROR_KEYRING);
        CHECK(made == NULL && strstr(problem.text, "demands signed policies") != NULL);
    }
    tally_keyring_free(ring);
}

int main(void)
{
    tally_policy *policy = NULL;
    tally_problem problem = {"", ""};
    unsigned found = 0;
    json_file *const file = json_load(TALLY_VECTORS "/keyrings.json");
    CHECK_EQUAL(tally_policy_new(NULL, policy_json, strlen(policy_json), &policy, &problem),
                TALLY_OK);
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *const c = json_at(file, i);
        if (strcmp(json_string(c, "source"), "format 2: rights") == 0) {
            check_rights(c, policy);
            found |= 1;
        } else if (strcmp(json_string(c, "source"), "format 2: rights and signers") == 0) {
            check_signers(c, policy);
            found |= 2;
        }
    }
    CHECK_EQUAL(found, 3);
    tally_policy_free(policy);
    json_free(file);
    return check_end("rights");
}
