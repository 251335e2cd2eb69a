/* SPDX-License-Identifier: Apache-2.0
 *
 * The second part of FAST's key schedule: sequences (paper, section 4; bytes:
 * docs/reference/fast.md). A pool has 256 S-boxes, so uniform(256) is the first byte of a word, and
 * rejects none: any part of a sequence can be computed by itself. */
#include "fast/schedule/sequence.h"

#include <string.h>

#include "fast/schedule/derive.h"

#if defined(__SSE2__)
#include "fast/schedule/sequence_sse2.h"
#else
/* Copies `count` bytes: 0, 4, 8 and so on. */
static void sequence_every_fourth(const uint8_t *words, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = words[4 * i];
    }
}
#endif

static void sequence_derive_legacy(const tally_fast_pool *pool, const tally_fast_params *params,
                                   const uint8_t *tweak, size_t tweak_size, uint8_t derived[32])
{
    uint32_t length = params->length, layers = params->layers;
    uint8_t head[17] = "FPE-SEQ\1\0\1";
    head[11] = (uint8_t)(length >> 8);
    head[12] = (uint8_t)length;
    head[13] = (uint8_t)(layers >> 8);
    head[14] = (uint8_t)layers;
    head[15] = (uint8_t)params->w;
    head[16] = (uint8_t)params->w_prime;
    static const uint8_t one[1] = {1};
    tally_cmac_state state;
    tally_cmac_init(&state, &pool->cmac);
    tally_cmac_update(&state, head, sizeof head);
    tally_cmac_update(&state, tweak, tweak_size);
    tally_cmac_final(&state, derived);
    tally_cmac_init(&state, &pool->cmac);
    tally_cmac_update(&state, head, sizeof head);
    tally_cmac_update(&state, tweak, tweak_size);
    tally_cmac_update(&state, one, sizeof one);
    tally_cmac_final(&state, derived + 16);
}

void tally_fast_sequence_init(const tally_fast_pool *pool, const tally_fast_params *params,
                              const uint8_t *tweak, size_t tweak_size,
                              tally_cmac_prefix_cache *prefix_cache, tally_fast_stream *out)
{
    uint8_t derived[32];
    if (pool->profile == TALLY_FAST_BYTES_LEGACY) {
        sequence_derive_legacy(pool, params, tweak, tweak_size, derived);
    } else {
        tally_fast_encoding head;
        tally_fast_encode_sequence(params, tweak_size, &head);
        tally_fast_derive(&pool->cmac, &head, tweak, tweak_size, prefix_cache, derived);
    }
    derived[30] = 0;
    derived[31] = 0;
    tally_fast_stream_init(derived, out);
    tally_wipe(derived, sizeof derived);
}

void tally_fast_sequence_read(tally_fast_profile profile, const tally_fast_stream *stream,
                              uint64_t first, size_t count, uint8_t *out)
{
    if (profile == TALLY_FAST_BYTES_LEGACY) {
        tally_fast_stream_read(stream, first / 16, count, out);
        return;
    }
    uint8_t words[4 * 512];
    size_t used = 0;
    for (size_t done = 0; done < count; done += 512) {
        size_t part = count - done < 512 ? count - done : 512;
        used = part > used ? part : used;
        tally_fast_stream_read(stream, (first + done) / 4 + 1, 4 * part, words);
        sequence_every_fourth(words, part, out + done);
    }
    tally_wipe(words, 4 * used);
}
