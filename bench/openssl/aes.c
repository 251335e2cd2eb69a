/* SPDX-License-Identifier: Apache-2.0
 *
 * Times OpenSSL's AES by EVP for bench/aes.py, with contexts that were set up before, like
 * ../aes.c. Each line is a JSON object: the work, who does it, its bytes, and nanoseconds. */
#define _POSIX_C_SOURCE 200112L
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../aes_sizes.h"
#include "../clock.h"

static _Alignas(64) uint8_t data[AES_MOST];

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "OpenSSL: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

typedef struct work {
    EVP_CIPHER_CTX *context;
    int size;
} work;

static void update(const work *x)
{
    int written = 0;
    EVP_EncryptUpdate(x->context, data, &written, data, x->size);
}

static void update_back(const work *x)
{
    int written = 0;
    EVP_DecryptUpdate(x->context, data, &written, data, x->size);
}

static void measure(const char *name, const EVP_CIPHER *cipher, int encrypt)
{
    static const uint8_t key[32] = AES_KEY, zero[16] = {0};
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    must(context != NULL && EVP_CipherInit_ex(context, cipher, NULL, key, zero, encrypt) == 1 &&
             EVP_CIPHER_CTX_set_padding(context, 0) == 1,
         "no cipher");
    for (size_t i = 0; i < sizeof aes_sizes / sizeof *aes_sizes; i++) {
        const work x = {context, (int)aes_sizes[i].size};
        double taken = 0;
        long calls = 0;
        for (double start = worked(); taken < AES_ENOUGH; taken = worked() - start) {
            for (long k = 0; k < aes_calls(aes_sizes[i].size); k++, calls++) {
                if (encrypt) {
                    update(&x);
                } else {
                    update_back(&x);
                }
            }
        }
        printf("{\"work\": \"%s, %s\", \"by\": \"OpenSSL\", \"bytes\": %d, \"ns\": %.6g}\n", name,
               aes_sizes[i].name, x.size, taken / (double)calls);
    }
    EVP_CIPHER_CTX_free(context);
}

/* Both must have the first block that ../aes.c checks as well. */
static void check(void)
{
    static const uint8_t key[32] = AES_KEY, plain[16] = AES_PLAIN, cipher[16] = AES_CIPHER;
    uint8_t result[32];
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    must(context != NULL && EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), NULL, key, NULL) == 1 &&
             EVP_EncryptUpdate(context, result, &written, plain, 16) == 1 && written == 16 &&
             memcmp(result, cipher, 16) == 0,
         "a block is wrong");
    EVP_CIPHER_CTX_free(context);
}

int main(void)
{
    check();
    measure("AES-128 encrypt", EVP_aes_128_ecb(), 1);
    measure("AES-128 decrypt", EVP_aes_128_ecb(), 0);
    measure("AES-256 encrypt", EVP_aes_256_ecb(), 1);
    measure("AES-128 CTR", EVP_aes_128_ctr(), 1);
    measure("AES-256 CTR", EVP_aes_256_ctr(), 1);
    return EXIT_SUCCESS;
}
