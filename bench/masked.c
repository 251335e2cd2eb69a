/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of masked AES with words of each size, buffers in cache. Each line is a JSON object: the
 * work, the words, the blocks of a call, and its nanoseconds. Results are checked. Time is the
 * thread's own. */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "tallystick/masked_aes.h"

static const double ENOUGH = 4e6; /* nanoseconds of work that are timed together */

static const uint8_t key_bytes[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                      0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};

static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "masked: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

typedef uint64_t eight __attribute__((vector_size(64)));

/* What costs next to nothing, and masks nothing: to see what the rest costs. Words must be stored
 * as wide as they are loaded again, or the loads wait. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif
static tally_status
count_up(void *context, uint8_t *out, size_t size)
{
    eight counter = *(eight *)context;
    for (; size >= sizeof counter; size -= sizeof counter, out += sizeof counter) {
        memcpy(out, &counter, sizeof counter);
        counter += 8;
    }
    memcpy(out, &counter, size);
    *(eight *)context = counter + 8;
    return TALLY_OK;
}

typedef struct call {
    const tally_masked_slicing *slicing;
    const tally_mask_source *source;
    tally_masked_key *key;
    int expands; /* the key, in every call */
    uint8_t blocks[512], memory[1 << 16];
} call;

static void expand(call *x)
{
    must(tally_masked_key_init(x->slicing, key_bytes, sizeof key_bytes, 1, x->source, x->memory,
                               sizeof x->memory, &x->key) == TALLY_OK,
         "a key was not expanded");
}

static void encrypt(call *x)
{
    if (x->expands) {
        expand(x);
    }
    must(tally_masked_encrypt_blocks(x->key, x->source, x->blocks, tally_masked_blocks(x->slicing),
                                     x->blocks) == TALLY_OK,
         "blocks were not encrypted");
}

static void check(call *x)
{
    tally_aes_key key;
    uint8_t block[16] = {0};
    memset(x->blocks, 0, sizeof x->blocks);
    must(tally_aes_key_init(key_bytes, sizeof key_bytes, &key) == TALLY_OK, "no key");
    tally_aes_encrypt_blocks(&key, block, 1, block);
    encrypt(x);
    for (size_t b = 0; b < tally_masked_blocks(x->slicing); b++) {
        must(memcmp(x->blocks + 16 * b, block, 16) == 0, "a block is not what aes.h makes");
    }
}

static void measure(const char *masks, unsigned order, call *x)
{
    expand(x);
    check(x);
    long calls = 0;
    double taken = 0;
    const double start = worked();
    for (; taken < ENOUGH; taken = worked() - start) {
        for (int i = 0; i < 16; i++, calls++) {
            encrypt(x);
        }
    }
    printf("{\"work\": \"order %u, %s, %s\", \"by\": \"%u bits\", \"blocks\": %zu, "
           "\"ns\": %.6g}\n",
           order, x->expands ? "key expanded in each call" : "key expanded before", masks,
           tally_masked_bits(x->slicing), tally_masked_blocks(x->slicing), taken / (double)calls);
}

int main(void)
{
    static call x;
    static eight counter = {0, 1, 2, 3, 4, 5, 6, 7};
    static tally_mask_generator generator;
    const tally_mask_source sources[] = {{count_up, &counter},
                                         {tally_mask_generator_fill, &generator}};
    static const char *const names[] = {"a counter for masks", "the generator's masks"};
    must(tally_mask_generator_init(&generator) == TALLY_OK, "no entropy");
    for (unsigned order = 1; order <= 2; order++) {
        for (int i = 0; i < 4; i++) {
            for (unsigned bits = 16; bits <= 512; bits *= 2) {
                if (tally_masked_choose(order, bits, 0, &x.slicing) == TALLY_OK) {
                    x.expands = i < 2;
                    x.source = &sources[i % 2];
                    measure(names[i % 2], order, &x);
                }
            }
        }
    }
    return EXIT_SUCCESS;
}
