/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of many tweaks: the CMACs of all keys and IVs side by side, then the streams. Messages
 * begin alike, so the chains of the first blocks are computed once. */
#include "fast/schedule/many_sequences.h"

#include <string.h>

#include "base/arch.h"
#include "fast/schedule/derive.h"

enum { MANY_REST = 80 /* bytes after the first blocks; a message with more is done by itself */ };

const tally_many_sequences_backend *tally_many_sequences_choose(void)
{
#if defined(TALLY_ARCH_X86_64)
    if (tally_backend_lacks(&tally_many_sequences_avx512.backend) == 0) {
        return &tally_many_sequences_avx512;
    }
#endif
    return NULL;
}

void tally_many_sequences_init(const tally_many_sequences_backend *backend,
                               const tally_fast_pool *pool, const tally_fast_params *params,
                               const uint8_t *common, size_t common_size, tally_many_sequences *out)
{
    memset(out, 0, sizeof *out);
    out->cmac = &pool->cmac;
    out->backend = backend;
    out->params = params;
    out->common = common;
    out->common_size = common_size;
}

/* The bytes of a message before the tail: block by block, as far as they fit. */
typedef struct many_message {
    tally_fast_encoding head;
    size_t size, blocks; /* of all; blocks before the last one that are without tail */
} many_message;

static many_message many_message_of(const tally_many_sequences *job, size_t tail_size)
{
    many_message m;
    tally_fast_encode_sequence(job->params, job->common_size + tail_size, &m.head);
    const size_t shared = m.head.size + job->common_size;
    m.size = shared + tail_size;
    m.blocks = (tail_size != 0 ? shared : shared - 1) / 16;
    return m;
}

/* Copies bytes of the text before the tail. */
static void many_copy_shared(const tally_many_sequences *job, const many_message *m, size_t at,
                             size_t size, uint8_t *out)
{
    const size_t head = m->head.size;
    if (at < head) {
        const size_t part = head - at < size ? head - at : size;
        memcpy(out, m->head.bytes + at, part);
        out += part;
        at += part;
        size -= part;
    }
    if (size != 0) {
        memcpy(out, job->common + (at - head), size);
    }
}

/* Computes the chains of the first blocks of messages with a tail of this size. */
static void many_start(tally_many_sequences *job, const many_message *m, size_t tail_size)
{
    memset(job->chains, 0, sizeof job->chains);
    for (size_t i = 0; i < m->blocks; i++) {
        uint8_t block[2][16];
        many_copy_shared(job, m, 16 * i, 16, block[0]);
        memcpy(block[1], block[0], 16);
        if (i == 0) {
            block[1][3] = 1;
        }
        const uint8_t *const blocks[2] = {block[0], block[1]};
        tally_cmac_chain(job->cmac, 2, blocks, 1, job->chains);
    }
    job->tail_size = tail_size;
    job->blocks = m->blocks;
}

/* Derives the keys and IVs of all tails of one size, from number `first` on. */
static void many_derive_size(tally_many_sequences *job, const tally_tweak_tail *tails, size_t first,
                             size_t count, uint8_t derived[][32])
{
    const size_t size = tails[first].size;
    const many_message m = many_message_of(job, size);
    const size_t before = m.size - size - 16 * m.blocks, rest = before + size;
    uint8_t bytes[TALLY_MANY_SEQUENCES][MANY_REST], start[16];
    uint8_t tags[2 * TALLY_MANY_SEQUENCES][16];
    const uint8_t *messages[2 * TALLY_MANY_SEQUENCES];
    uint8_t of[TALLY_MANY_SEQUENCES];
    size_t found = 0;
    if (job->blocks == 0 || job->tail_size != size) {
        many_start(job, &m, size);
    }
    many_copy_shared(job, &m, 16 * m.blocks, before, start);
    for (size_t i = first; i < count; i++) {
        if (tails[i].size == size) {
            memcpy(bytes[found], start, before);
            if (size != 0) {
                memcpy(bytes[found] + before, tails[i].bytes, size);
            }
            messages[2 * found] = messages[2 * found + 1] = bytes[found];
            memcpy(tags[2 * found], job->chains, 32);
            of[found++] = (uint8_t)i;
        }
    }
    tally_cmac_continue(job->cmac, messages, rest, 2 * found, tags);
    for (size_t i = 0; i < found; i++) {
        memcpy(derived[of[i]], tags[2 * i], 32);
    }
    tally_wipe(tags, 32 * found);
}

/* The same for one tail of any size. */
static void many_derive_long(const tally_many_sequences *job, const tally_tweak_tail *tail,
                             uint8_t derived[32])
{
    const many_message m = many_message_of(job, tail->size);
    tally_cmac_state state;
    for (uint8_t half = 0; half < 2; half++) {
        tally_fast_encoding head = m.head;
        head.bytes[3] = half;
        tally_cmac_init(&state, job->cmac);
        tally_cmac_update(&state, head.bytes, head.size);
        tally_cmac_update(&state, job->common, job->common_size);
        tally_cmac_update(&state, tail->bytes, tail->size);
        tally_cmac_final(&state, derived + 16 * half);
    }
}

void tally_many_sequences_derive(tally_many_sequences *job, const tally_tweak_tail *tails,
                                 size_t count, uint8_t *out)
{
    uint8_t derived[TALLY_MANY_SEQUENCES][32];
    uint64_t done = 0;
    for (size_t first = 0; first < count; first++) {
        if ((done >> first & 1) != 0) {
            continue;
        }
        if (tails[first].size > MANY_REST - 16) {
            many_derive_long(job, &tails[first], derived[first]);
            continue;
        }
        many_derive_size(job, tails, first, count, derived);
        for (size_t i = first; i < count; i++) {
            done |= (uint64_t)(tails[i].size == tails[first].size) << i;
        }
    }
    for (size_t i = count; i < TALLY_MANY_SEQUENCES; i++) {
        memcpy(derived[i], derived[0], sizeof derived[0]);
    }
    for (size_t i = 0; i < TALLY_MANY_SEQUENCES; i++) {
        derived[i][30] = derived[i][31] = 0;
    }
    job->backend->read(derived, job->params->layers, out);
    tally_wipe(derived, sizeof derived);
}
