/* SPDX-License-Identifier: Apache-2.0
 *
 * AES: a back end is chosen when a key is initialized. */
#include "aes/backend.h"
#include "aes/key.h"
#include "base/arch.h"

_Static_assert(sizeof(void *) != 8 || sizeof(tally_aes_key) == 1280,
               "the size of a key is part of the ABI");

/* The fastest first; the last one runs everywhere. */
static const tally_backend *const aes_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_aes_vaes_avx512.backend,     &tally_aes_vaes_avx2.backend,     &tally_aes_aesni.backend,
#if !defined(TALLY_AES_MINIMAL)
    &tally_aes_bitslice_avx512.backend, &tally_aes_bitslice_avx2.backend,
#endif
    &tally_aes_bitslice_ssse3.backend,  &tally_aes_bitslice_sse2.backend,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_aes_armv8.backend,
    &tally_aes_bitslice_neon.backend,
#elif defined(TALLY_ARCH_WASM_SIMD128)
    &tally_aes_bitslice_simd128.backend,
#endif
    &tally_aes_bitslice.backend,
};

enum { AES_BACKENDS = sizeof aes_backends / sizeof *aes_backends };

static const struct tally_aes_backend *aes_choose(void)
{
    return (const struct tally_aes_backend *)tally_dispatch(aes_backends, AES_BACKENDS);
}

static int aes_is_key_size(size_t size)
{
    return size == 16 || size == 24 || size == 32;
}

static void aes_set_size(const struct tally_aes_backend *backend, size_t key_size,
                         tally_aes_key *out)
{
    out->backend = backend;
    out->rounds = (uint32_t)key_size / 4 + 6;
    out->reserved = 0;
}

static void aes_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    aes_set_size(aes_choose(), key_size, out);
    out->backend->key_init(key, key_size, out);
}

tally_status tally_aes_key_init(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    if (!aes_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    aes_key_init(key, key_size, out);
    return TALLY_OK;
}

void tally_aes_key_init_128(const uint8_t key[16], tally_aes_key *out)
{
    aes_key_init(key, 16, out);
}

void tally_aes_key_init_256(const uint8_t key[32], tally_aes_key *out)
{
    aes_key_init(key, 32, out);
}

tally_status tally_aes_keys_init(const uint8_t *keys, size_t key_size, size_t count,
                                 tally_aes_key *out)
{
    if (!aes_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    const struct tally_aes_backend *backend = aes_choose();
    for (size_t i = 0; i < count; i++) {
        aes_set_size(backend, key_size, &out[i]);
    }
    backend->keys_init(keys, key_size, count, out);
    return TALLY_OK;
}

tally_status tally_aes_key_init_round_keys(const uint8_t *round_keys, size_t size,
                                           tally_aes_key *out)
{
    if (size % 16 != 0 || size < 112 || !aes_is_key_size(size / 4 - 28)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    aes_set_size(aes_choose(), size / 4 - 28, out);
    out->backend->key_init_round_keys(round_keys, out);
    return TALLY_OK;
}

void tally_aes_key_wipe(tally_aes_key *key)
{
    tally_wipe(key, sizeof *key);
}

tally_status tally_aes_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    if (!aes_is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    aes_choose()->expand(key, key_size, round_keys);
    return TALLY_OK;
}

int tally_aes_backend_at(size_t index, tally_aes_choice *out)
{
    if (index >= AES_BACKENDS) {
        return 0;
    }
    const tally_backend *backend = aes_backends[index];
    *out = (tally_aes_choice){backend->name, backend->needs, tally_backend_lacks(backend)};
    return 1;
}

const char *tally_aes_backend_name(const tally_aes_key *key)
{
    return key->backend->backend.name;
}

void tally_aes_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                              uint8_t *out)
{
    key->backend->crypt_blocks(key, TALLY_ENCRYPT, in, blocks, out);
}

void tally_aes_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                              uint8_t *out)
{
    key->backend->crypt_blocks(key, TALLY_DECRYPT, in, blocks, out);
}

void tally_aes_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                   uint8_t *out)
{
    key->backend->ctr(key, counter, in, size, out);
}
