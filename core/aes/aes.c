/* SPDX-License-Identifier: Apache-2.0
 *
 * AES: the choice of a back end, made here and nowhere else, when a key is set up. */
#include "aes/backend.h"
#include "base/arch.h"

/* The fastest first; the last one runs everywhere. */
static const struct tally_aes_backend *const backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_aes_vaes_avx512,     &tally_aes_vaes_avx2,     &tally_aes_aesni,
    &tally_aes_bitslice_avx512, &tally_aes_bitslice_avx2, &tally_aes_bitslice_ssse3,
    &tally_aes_bitslice_sse2,
#elif defined(TALLY_ARCH_AARCH64)
    &tally_aes_armv8,
    &tally_aes_bitslice_neon,
#endif
    &tally_aes_bitslice,
};

enum { BACKENDS = sizeof backends / sizeof *backends };

static const struct tally_aes_backend *choose(void)
{
    uint32_t features = tally_cpu_features();
    size_t i = 0;
    while ((backends[i]->needs & ~features) != 0) {
        i++;
    }
    return backends[i];
}

static int is_key_size(size_t size)
{
    return size == 16 || size == 24 || size == 32;
}

static void begin_key(const struct tally_aes_backend *backend, size_t key_size, tally_aes_key *out)
{
    out->backend = backend;
    out->rounds = (uint32_t)key_size / 4 + 6;
    out->reserved = 0;
}

tally_status tally_aes_set_key(const uint8_t *key, size_t key_size, tally_aes_key *out)
{
    if (!is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    begin_key(choose(), key_size, out);
    out->backend->set_key(key, key_size, out);
    return TALLY_OK;
}

tally_status tally_aes_set_keys(const uint8_t *keys, size_t key_size, size_t count,
                                tally_aes_key *out)
{
    if (!is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    const struct tally_aes_backend *backend = choose();
    for (size_t i = 0; i < count; i++) {
        begin_key(backend, key_size, &out[i]);
    }
    backend->set_keys(keys, key_size, count, out);
    return TALLY_OK;
}

tally_status tally_aes_expand(const uint8_t *key, size_t key_size, uint8_t *round_keys)
{
    if (!is_key_size(key_size)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    choose()->expand(key, key_size, round_keys);
    return TALLY_OK;
}

tally_status tally_aes_set_round_keys(const uint8_t *round_keys, size_t size, tally_aes_key *out)
{
    if (size % 16 != 0 || size < 112 || !is_key_size(size / 4 - 28)) {
        return TALLY_ERROR_KEY_SIZE;
    }
    begin_key(choose(), size / 4 - 28, out);
    out->backend->set_round_keys(round_keys, out);
    return TALLY_OK;
}

int tally_aes_backend_at(size_t index, tally_aes_choice *out)
{
    if (index >= BACKENDS) {
        return 0;
    }
    const uint32_t needs = backends[index]->needs;
    *out = (tally_aes_choice){backends[index]->name, needs, needs & ~tally_cpu_features()};
    return 1;
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
