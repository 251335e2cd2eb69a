/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of FF1 and FF3-1 that others have made: NIST's ACVP server, and tokens that other
 * implementations agree on. */
#ifndef TALLY_TESTS_FF1_OTHERS_H
#define TALLY_TESTS_FF1_OTHERS_H

#include "check.h"
#include "json.h"

enum { FF1_OTHERS_MOST = 256 /* bytes of a word or tweak */ };

typedef struct ff1_other {
    uint32_t radix, length;
    uint8_t key[32], tweak[FF1_OTHERS_MOST], plain[FF1_OTHERS_MOST], token[FF1_OTHERS_MOST];
    size_t key_size, tweak_size;
} ff1_other;

/* Runs a check of each vector whose symbols are bytes, of which there are `least`. The vectors of
 * Python and Go have larger radices. */
static inline void ff1_others(const char *path, size_t least, void (*check)(const ff1_other *other))
{
    json_file *file = json_load(path);
    size_t done = 0;
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        ff1_other other = {.radix = (uint32_t)json_int(c, "radix")};
        if (other.radix > 256) {
            continue;
        }
        CHECK_ABOUT("%s case %zu", path + strlen(TALLY_VECTORS), i);
        other.key_size = json_hex(c, "key", other.key, sizeof other.key);
        other.tweak_size = json_hex(c, "tweak", other.tweak, sizeof other.tweak);
        other.length = (uint32_t)json_bytes(c, "plaintext", other.plain, sizeof other.plain);
        CHECK_EQUAL(json_bytes(c, "ciphertext", other.token, sizeof other.token), other.length);
        check(&other);
        done++;
    }
    CHECK(done >= least);
    json_free(file);
}

#endif
