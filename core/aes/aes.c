/* SPDX-License-Identifier: Apache-2.0
 *
 * AES: the choice of a back end, made here and nowhere else, when a key is set up. */
#include "aes/backend.h"
#include "base/arch.h"

/* The fastest first; the last one runs everywhere. */
static const struct tally_aes_backend *const backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_aes_vaes_avx512,     &tally_aes_vaes_avx2,     &tally_aes_aesni,
    &tally_aes_bitslice_avx512, &tally_aes_bitslice_avx2, &tally_aes_bitslice_sse2,
#elif defined(__aarch64__) && defined(__GNUC__)
    &tally_aes_armv8,
    &tally_aes_bitslice_neon,
#endif
    &tally_aes_bitslice,
};

static const struct tally_aes_backend *choose(void)
{
    uint32_t features = tally_cpu_features();
    size_t i = 0;
    while ((backends[i]->features & ~features) != 0) {
        i++;
    }
    return backends[i];
}

tally_status tally_aes_set_key(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    if (key_size != 16 && key_size != 24 && key_size != 32) {
        return TALLY_ERROR_KEY_SIZE;
    }
    out->backend = choose();
    out->rounds = (uint32_t)key_size / 4 + 6;
    out->reserved = 0;
    out->backend->set_key(key, key_size, out);
    return TALLY_OK;
}

const char *tally_aes_backend_name(const tally_aes_key *key)
{
    return key->backend->name;
}

void tally_aes_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                              uint8_t *out)
{
    key->backend->encrypt_blocks(key, in, blocks, out);
}

void tally_aes_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                              uint8_t *out)
{
    key->backend->decrypt_blocks(key, in, blocks, out);
}

void tally_aes_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                   uint8_t *out)
{
    key->backend->ctr(key, counter, in, size, out);
}
