/* SPDX-License-Identifier: Apache-2.0
 *
 * The key schedule. The including file defines AES_EXPAND, the name of the function with its
 * storage class, and AES_SUB_WORD (FIPS 197, section 5.2: the S-box of each byte of a word). */
#include "base/bytes.h"

#include <string.h>

/* KeyExpansion of FIPS 197, section 5.2, with little-endian words. */
AES_EXPAND(const uint8_t *key, size_t key_words, size_t words, uint8_t *out)
{
    uint32_t constant = 1, word = 0;
    memcpy(out, key, 4 * key_words);
    word = tally_load_le32(key + 4 * (key_words - 1));
    for (size_t i = key_words; i < words; i++) {
        if (i % key_words == 0) {
            word = AES_SUB_WORD(word >> 8 | word << 24) ^ constant;
            constant = (constant << 1 ^ (constant >> 7) * 0x1b) & 0xff;
        } else if (key_words == 8 && i % 8 == 4) {
            word = AES_SUB_WORD(word);
        }
        word ^= tally_load_le32(out + 4 * (i - key_words));
        tally_store_le32(word, out + 4 * i);
    }
}

#undef AES_EXPAND
#undef AES_SUB_WORD
