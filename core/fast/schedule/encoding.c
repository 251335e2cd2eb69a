/* SPDX-License-Identifier: Apache-2.0
 *
 * What the keys of FAST's generators are derived from: encode(parts) of docs/reference/fast.md. */
#include "fast/schedule/encoding.h"

#include <string.h>

#include "base/bytes.h"

#define TEXT(text) text, sizeof(text) - 1

static void begin(uint32_t parts, tally_fast_encoding *out)
{
    tally_store_be32(0, out->bytes);
    tally_store_be32(parts, out->bytes + 4);
    out->size = 8;
}

static void add_size(size_t size, tally_fast_encoding *out)
{
    tally_store_be32((uint32_t)size, out->bytes + out->size);
    out->size += 4;
}

static void add_text(const char *text, size_t size, tally_fast_encoding *out)
{
    add_size(size, out);
    memcpy(out->bytes + out->size, text, size);
    out->size += (uint32_t)size;
}

static void add_number(uint32_t number, tally_fast_encoding *out)
{
    add_size(4, out);
    tally_store_be32(number, out->bytes + out->size);
    out->size += 4;
}

void tally_fast_encode_pool(uint32_t radix, tally_fast_encoding *out)
{
    begin(4, out);
    add_text(TEXT("instance1"), out);
    add_number(radix, out);
    add_number(TALLY_FAST_POOL_SIZE, out);
    add_text(TEXT("FPE Pool"), out);
}

void tally_fast_encode_sequence(const tally_fast_params *params, size_t tweak_size,
                                tally_fast_encoding *out)
{
    begin(11, out);
    add_text(TEXT("instance1"), out);
    add_number(params->radix, out);
    add_number(TALLY_FAST_POOL_SIZE, out);
    add_text(TEXT("instance2"), out);
    add_number(params->length, out);
    add_number(params->layers, out);
    add_number(params->w, out);
    add_number(params->w_prime, out);
    add_text(TEXT("FPE SEQ"), out);
    add_text(TEXT("tweak"), out);
    add_size(tweak_size, out);
}
