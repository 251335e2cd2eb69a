/* SPDX-License-Identifier: Apache-2.0
 *
 * The inputs of key derivation: encode(parts) of docs/reference/fast.md. */
#include "fast/schedule/encoding.h"

#include <string.h>

#include "base/bytes.h"

#define ENCODING_TEXT(text) text, sizeof(text) - 1

static void encoding_init(uint32_t parts, tally_fast_encoding *out)
{
    tally_store_be32(0, out->bytes);
    tally_store_be32(parts, out->bytes + 4);
    out->size = 8;
}

static void encoding_add_size(size_t size, tally_fast_encoding *out)
{
    tally_store_be32((uint32_t)size, out->bytes + out->size);
    out->size += 4;
}

static void encoding_add_text(const char *text, size_t size, tally_fast_encoding *out)
{
    encoding_add_size(size, out);
    memcpy(out->bytes + out->size, text, size);
    out->size += (uint32_t)size;
}

static void encoding_add_number(uint32_t number, tally_fast_encoding *out)
{
    encoding_add_size(4, out);
    tally_store_be32(number, out->bytes + out->size);
    out->size += 4;
}

void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out)
{
    encoding_init(4, out);
    encoding_add_text(ENCODING_TEXT("instance1"), out);
    encoding_add_number(radix, out);
    encoding_add_number(TALLY_FAST_POOL_SIZE, out);
    encoding_add_text(ENCODING_TEXT("FPE Pool"), out);
}

void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out)
{
    encoding_init(11, out);
    encoding_add_text(ENCODING_TEXT("instance1"), out);
    encoding_add_number(params->radix, out);
    encoding_add_number(TALLY_FAST_POOL_SIZE, out);
    encoding_add_text(ENCODING_TEXT("instance2"), out);
    encoding_add_number(params->length, out);
    encoding_add_number(params->layers, out);
    encoding_add_number(params->w, out);
    encoding_add_number(params->w_prime, out);
    encoding_add_text(ENCODING_TEXT("FPE SEQ"), out);
    encoding_add_text(ENCODING_TEXT("tweak"), out);
    encoding_add_size(tweak_size, out);
}
