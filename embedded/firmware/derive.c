/* SPDX-License-Identifier: Apache-2.0
 *
 * The two chains are the two blocks of a state. Messages are public: they are added to one share. A
 * function on shares is called once for each, is never inlined, and is forgotten in between: so
 * nothing passes from a share's word to the same word of the other share. The tests check the
 * machine code of both compilers. */
#include "derive.h"

#include <string.h>

enum { WORDS = 8 /* of a share of a state */ };

typedef struct shared_state {
    _Alignas(TALLY_MASKED_ALIGNMENT) uint32_t share[2][WORDS];
} shared_state;

/* Memory that is wiped in the end. */
typedef struct working {
    const tally_masked_slicing *slicing;
    shared_state chains, other;
    shared_blocks subkeys;
    uint32_t blocks[WORDS], zeros[WORDS];
} working;

/* Clears the traces of a call: registers, 128 bytes of the stack, and the values on the buses. */
static inline void forget(void)
{
    __asm__ volatile("movs r0, #0\n\tmovs r1, #0\n\tmovs r2, #0\n\tmovs r3, #0\n\tmov r12, r0\n\t"
                     ".rept 8\n\tpush {r0, r1, r2, r3}\n\t.endr\n\t"
                     "add sp, #112\n\tpop {r0, r1, r2, r3}"
                     :
                     :
                     : "r0", "r1", "r2", "r3", "r12", "cc", "memory");
}

__attribute__((noinline)) static void add_share(const uint32_t *from, size_t words, uint32_t *to)
{
    for (size_t i = 0; i < words; i++) {
        to[i] ^= from[i];
    }
}

/* Multiplies the first block by x in GF(2^128) so many times, as RFC 4493, section 2.3, does;
 * without a branch. The second block becomes the same. */
__attribute__((noinline)) static void double_share(uint32_t *words, int times)
{
    while (times-- > 0) {
        uint32_t carry = 0;
        for (size_t i = 4; i-- > 0;) {
            const uint32_t word = __builtin_bswap32(words[i]);
            words[i] = __builtin_bswap32(word << 1 | carry);
            carry = word >> 31;
        }
        words[3] ^= __builtin_bswap32(0x87 & (0 - carry));
    }
    memcpy(words + 4, words, 16);
}

/* Zeros, freshly shared. */
static tally_status share_zeros(const tally_mask_source *source, working *work)
{
    uint8_t *mask = (uint8_t *)work->blocks;
    const uint8_t *const shares[] = {mask, mask};
    tally_status status = source->fill(source->context, mask, sizeof work->blocks);
    if (status == TALLY_OK) {
        tally_masked_slice(work->slicing, shares, 2, &work->chains);
    }
    return status;
}

/* Adds two blocks, given by shares, to the chains. */
static void absorb(const uint32_t *share0, const uint32_t *share1, working *work)
{
    const uint8_t *const shares[] = {(const uint8_t *)share0, (const uint8_t *)share1};
    tally_masked_slice(work->slicing, shares, 2, &work->other);
    add_share(work->other.share[0], WORDS, work->chains.share[0]);
    forget();
    add_share(work->other.share[1], WORDS, work->chains.share[1]);
}

static void unslice(const working *work, shared_blocks *out)
{
    uint8_t *const shares[] = {(uint8_t *)out->share[0], (uint8_t *)out->share[1]};
    tally_masked_unslice(work->slicing, &work->chains, 2, shares);
}

/* The subkey for a last block that is full, or for one that is padded, in the place of both
 * blocks. */
static tally_status make_subkey(const tally_masked_key *key, const tally_mask_source *source,
                                int full, working *work)
{
    tally_status status = share_zeros(source, work);
    if (status == TALLY_OK) {
        status = tally_masked_encrypt_state(key, source, &work->chains);
    }
    if (status != TALLY_OK) {
        return status;
    }
    unslice(work, &work->subkeys);
    forget();
    double_share(work->subkeys.share[0], full ? 1 : 2);
    forget();
    double_share(work->subkeys.share[1], full ? 1 : 2);
    forget();
    return status;
}

/* Block number `at` of both messages, padded; they differ in derive's own counter. */
static void load_block(const tally_fast_encoding *head, const uint8_t *tweak, size_t tweak_size,
                       size_t at, uint32_t out[WORDS])
{
    uint8_t *bytes = (uint8_t *)out;
    const size_t size = head->size + tweak_size;
    for (size_t i = 0; i < 16; i++) {
        const size_t place = 16 * at + i;
        const uint8_t byte = place < head->size ? head->bytes[place]
                             : place < size     ? tweak[place - head->size]
                                                : (uint8_t)(place == size ? 0x80 : 0);
        bytes[i] = byte;
        bytes[16 + i] = byte;
    }
    if (at == 0) {
        bytes[16 + 3] = 1;
    }
}

static tally_status derive(const tally_masked_key *key, const tally_mask_source *source,
                           const tally_fast_encoding *head, const uint8_t *tweak, size_t tweak_size,
                           working *work, shared_blocks *out)
{
    const size_t size = head->size + tweak_size, blocks = (size + 15) / 16;
    tally_status status = tally_masked_choose(1, 32, 0, &work->slicing);
    if (status == TALLY_OK) {
        status = make_subkey(key, source, size % 16 == 0, work);
    }
    if (status == TALLY_OK) {
        status = share_zeros(source, work);
    }
    for (size_t at = 0; at < blocks && status == TALLY_OK; at++) {
        load_block(head, tweak, tweak_size, at, work->blocks);
        absorb(work->blocks, work->zeros, work);
        if (at + 1 == blocks) {
            absorb(work->subkeys.share[0], work->subkeys.share[1], work);
        }
        status = tally_masked_encrypt_state(key, source, &work->chains);
    }
    if (status == TALLY_OK) {
        unslice(work, out);
    }
    return status;
}

tally_status derive_shares(const tally_masked_key *key, const tally_mask_source *source,
                           const tally_fast_encoding *head, const uint8_t *tweak, size_t tweak_size,
                           shared_blocks *out)
{
    working work;
    tally_wipe(&work, sizeof work); /* the stack might hold the other share */
    tally_wipe(out, sizeof *out);
    const tally_status status = derive(key, source, head, tweak, tweak_size, &work, out);
    tally_wipe(&work, sizeof work);
    return status;
}
