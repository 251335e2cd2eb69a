/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences of many tweaks side by side, under one set of parameters. */
#ifndef TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H
#define TALLY_FAST_SCHEDULE_MANY_SEQUENCES_H

#include "aes/cmac.h"
#include "base/dispatch.h"
#include "fast/schedule/encoding.h"
#include "fast/schedule/pool.h"

enum { TALLY_MANY_SEQUENCES = 64 };

/* A back end expands AES-128 keys and encrypts counters under all of them together. */
typedef struct tally_many_sequences_backend {
    tally_backend backend;
    /* Reads the streams of keys and IVs as tally_fast_stream_init takes them: the index of layer i
     * of sequence k becomes out[i * 64 + k], for whole fours of layers. `out` is aligned to 64. */
    void (*read)(uint8_t derived[TALLY_MANY_SEQUENCES][32], size_t layers, uint8_t *out);
} tally_many_sequences_backend;

extern const tally_many_sequences_backend tally_many_sequences_avx512;

/* The back end for the CPU features in use; NULL: there is none, and sequences are derived one by
 * one. */
const tally_many_sequences_backend *tally_many_sequences_choose(void);

/* A row's own part of a tweak. */
typedef struct tally_tweak_tail {
    const uint8_t *bytes; /* NULL if there are none */
    size_t size;
} tally_tweak_tail;

/* The common part of a call's tweaks. */
typedef struct tally_many_sequences {
    const tally_cmac_key *cmac;
    const tally_many_sequences_backend *backend;
    const tally_fast_params *params;
    const uint8_t *common; /* the first part of every tweak */
    size_t common_size;
    /* The chains after the first blocks of messages with a tail of this size: those of both halves
     * of a derived key. */
    size_t tail_size, blocks; /* no blocks: there are none yet */
    uint8_t chains[2][16];
} tally_many_sequences;

/* Prepares. The parameters and the common part must last; pools of the legacy profile and tweaks of
 * more than 2^31 bytes are not allowed. The caller wipes `out`. */
void tally_many_sequences_init(const tally_many_sequences_backend *backend,
                               const tally_fast_pool *pool, const tally_fast_params *params,
                               const uint8_t *common, size_t common_size,
                               tally_many_sequences *out);

/* Derives the sequences of 1..TALLY_MANY_SEQUENCES tweaks, to out[i * 64 + k] for layer i, for whole
 * fours of layers. The columns beyond `count` receive copies of the first. */
void tally_many_sequences_derive(tally_many_sequences *job, const tally_tweak_tail *tails,
                                 size_t count, uint8_t *out);

#endif
