/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML of any bytes, as extensions of databases read it: what is read is JSON that the core reads, and
 * a policy of it is made or refused. */
#include <stdlib.h>

#include "fuzz.h"
#include "tallystick/policy.h"
#include "toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = (char *)fuzz_buffer(size);
    tally_problem problem = {"", ""};
    char *json = NULL;
    size_t json_size = 0;
    if (size > 0) memcpy(text, data, size);
    const tally_status status = tally_toml_to_json(text, size, &json, &json_size, &problem);
    if (status == TALLY_OK) {
        tally_policy *policy = NULL;
        CHECK(json != NULL);
        const tally_status made = tally_policy_new(NULL, json, json_size, &policy, &problem);
        CHECK(made == TALLY_OK || problem.text[0] != '\0' || made == TALLY_ERROR_MEMORY);
        CHECK((made == TALLY_OK) == (policy != NULL));
        tally_policy_free(policy);
    } else {
        CHECK(json == NULL);
        CHECK(problem.text[0] != '\0');
    }
    free(json);
    return fuzz_end();
}
