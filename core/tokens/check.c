/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a value is valid: it is protected under a key that is public, and the token is thrown
 * away, so that no rule stands twice. */
#include <string.h>

#include "base/allocator.h"
#include "formats/format.h"
#include "tallystick/tokens.h"

static tally_status check_value(const tally_format *format, tally_worker *worker,
                                const uint8_t *value, size_t size, tally_fault *fault)
{
    static const uint8_t tweak[1];
    const char *const cipher = tally_format_cipher(format);
    const int reads_alone = cipher != NULL && strcmp(cipher, "ff3-1") == 0;
    size_t capacity = 0, wanted = 2 * size + 64;
    uint8_t *out = NULL;
    tally_status status = TALLY_ERROR_CAPACITY;
    while (status == TALLY_ERROR_CAPACITY) {
        tally_release_wiped(NULL, out, capacity);
        capacity = wanted;
        out = tally_allocate(NULL, capacity);
        if (out == NULL) {
            return TALLY_ERROR_MEMORY;
        }
        status = (reads_alone ? tally_reveal_value : tally_protect_value)(
            worker, value, size, tally_format_needs_tweak(format) ? tweak : NULL, 0, out, capacity,
            &wanted, fault);
    }
    tally_release_wiped(NULL, out, capacity);
    return status;
}

tally_status tally_format_check(const tally_format *format, const uint8_t *value, size_t size,
                                tally_fault *fault)
{
    uint8_t key[32];
    tally_problem problem;
    tally_tokenizer *tokenizer;
    tally_worker *worker;
    const size_t key_size = tally_format_key_size(format);
    for (size_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)i;
    }
    memset(fault, 0, sizeof *fault);
    tally_status status = tally_format_takes(format, "u", &problem);
    if (status != TALLY_OK) {
        return status;
    }
    status = tally_tokenizer_new(NULL, format, tally_format_is_keyed(format) ? key : NULL,
                                 key_size != 0 ? key_size : 16, "check", 5, TALLY_INVALID_ERROR,
                                 &tokenizer, &problem);
    if (status != TALLY_OK) {
        return status;
    }
    status = tally_worker_new(tokenizer, &worker);
    if (status == TALLY_OK) {
        status = check_value(format, worker, value, size, fault);
        tally_worker_free(worker);
    }
    tally_tokenizer_free(tokenizer);
    return status;
}
