/* SPDX-License-Identifier: Apache-2.0
 *
 * An AES back end. A new one is a file that defines a tally_aes_backend, its declaration below, and
 * a row in aes.c. The functions at the end serve back ends that have no faster ones. */
#ifndef TALLY_AES_BACKEND_H
#define TALLY_AES_BACKEND_H

#include "base/direction.h"
#include "base/dispatch.h"
#include "tallystick/aes.h"

/* TALLY_AES_MINIMAL leaves out what Go never runs, because Go compiles the core on the machine of its
 * user: the bit-sliced code for AVX2 and AVX-512. CPUs with these have AES instructions; where a
 * hypervisor hides them, bitslice_ssse3.c takes over. */
struct tally_aes_backend {
    tally_backend backend;

    /* Fills round_keys; the key's size has been checked, and out->rounds is set. */
    void (*key_init)(const uint8_t *key, size_t key_size, tally_aes_key *out);

    /* As tally_aes_expand; and the same as key_init from its result, with out->rounds set. */
    void (*expand)(const uint8_t *key, size_t key_size, uint8_t *round_keys);
    void (*key_init_round_keys)(const uint8_t *round_keys, tally_aes_key *out);

    /* As key_init for several keys that follow each other. */
    void (*keys_init)(const uint8_t *keys, size_t key_size, size_t count, tally_aes_key *out);

    /* As tally_aes_encrypt_blocks or tally_aes_decrypt_blocks, and tally_aes_ctr. */
    void (*crypt_blocks)(const tally_aes_key *key, tally_direction direction, const uint8_t *in,
                         size_t blocks, uint8_t *out);
    void (*ctr)(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in, size_t size,
                uint8_t *out);

    /* CBC-MAC of `lanes` messages of `blocks` blocks each, side by side: for every block m of
     * messages[i], chains[i] = E(chains[i] xor m). One message can't fill the CPU, because each
     * block waits for the one before. */
    void (*cbc_mac)(const tally_aes_key *key, size_t lanes, const uint8_t *const messages[],
                    size_t blocks, uint8_t chains[][16]);
};

extern const struct tally_aes_backend tally_aes_vaes_avx512;
extern const struct tally_aes_backend tally_aes_vaes_avx2;
extern const struct tally_aes_backend tally_aes_aesni;
extern const struct tally_aes_backend tally_aes_armv8;
extern const struct tally_aes_backend tally_aes_bitslice_avx512;
extern const struct tally_aes_backend tally_aes_bitslice_avx2;
extern const struct tally_aes_backend tally_aes_bitslice_ssse3;
extern const struct tally_aes_backend tally_aes_bitslice_sse2;
extern const struct tally_aes_backend tally_aes_bitslice_neon;
extern const struct tally_aes_backend tally_aes_bitslice_simd128;
extern const struct tally_aes_backend tally_aes_bitslice;

/* For back ends that have no faster functions: they need only key_init and crypt_blocks. */
void tally_aes_keys_init_singly(const uint8_t *keys, size_t key_size, size_t count,
                                tally_aes_key *out);
void tally_aes_cbc_mac_portable(const tally_aes_key *key, size_t lanes,
                                const uint8_t *const messages[], size_t blocks,
                                uint8_t chains[][16]);

#endif
