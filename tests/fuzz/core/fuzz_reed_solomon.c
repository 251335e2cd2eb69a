/* SPDX-License-Identifier: Apache-2.0
 *
 * Reed-Solomon: any numbers of shards, any back end beside portable code, lost shards made
 * again. */
#include "base/cpu.h"
#include "fuzz.h"
#include "tallystick/reed_solomon.h"

enum { FEW = 24, MOST = 256, MOST_SIZE = 700 }; /* 255 shards have numbers */

static bool distinct(const uint8_t *from, size_t inputs, const uint8_t *to, size_t outputs)
{
    bool used[256] = {true}, fine = true;
    for (size_t i = 0; i < inputs + outputs; i++) {
        const uint8_t number = i < inputs ? from[i] : to[i - inputs];
        fine &= !used[number];
        used[number] = true;
    }
    return fine;
}

static void shards(size_t count, size_t size, uint8_t *out[MOST])
{
    for (size_t i = 0; i < count; i++) {
        out[i] = fuzz_buffer(size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t features = (uint32_t)fuzz_number(&input, 2);
    const size_t inputs = fuzz_size(&input, FEW + 1, MOST);
    const size_t outputs =
        fuzz_size(&input, FEW + 1, inputs > FEW ? MOST - (uint32_t)inputs : MOST);
    uint8_t *from = fuzz_bytes(&input, inputs), *to = fuzz_bytes(&input, outputs);
    if (fuzz_below(&input, 4) != 0) { /* as they are numbered most often */
        for (size_t i = 0; i < inputs; i++) {
            from[i] = (uint8_t)(i + 1);
        }
        for (size_t i = 0; i < outputs; i++) {
            to[i] = (uint8_t)(inputs + i + 1);
        }
    }
    const bool fine = inputs > 0 && outputs > 0 && distinct(from, inputs, to, outputs);
    uint8_t *matrix = fuzz_buffer(inputs * outputs), *other = fuzz_buffer(inputs * outputs);
    tally_cpu_lower(features);
    CHECK_EQUAL(tally_reed_solomon_matrix(from, inputs, to, outputs, matrix),
                fine ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fine) {
        fuzz_untouched(matrix, inputs * outputs);
        return fuzz_end();
    }
    const size_t bytes = fuzz_below(&input, MOST_SIZE);
    uint8_t *in[MOST], *fast[MOST], *slow[MOST];
    for (size_t i = 0; i < inputs; i++) {
        in[i] = fuzz_bytes(&input, bytes);
    }
    shards(outputs, bytes, fast);
    shards(outputs, bytes, slow);
    tally_reed_solomon_apply(matrix, (const uint8_t *const *)in, inputs, outputs, bytes, fast);
    fuzz_portable();
    CHECK_EQUAL(tally_reed_solomon_matrix(from, inputs, to, outputs, other), TALLY_OK);
    CHECK_BYTES(matrix, other, inputs * outputs);
    tally_reed_solomon_apply(matrix, (const uint8_t *const *)in, inputs, outputs, bytes, slow);
    for (size_t i = 0; i < outputs; i++) {
        CHECK_BYTES(fast[i], slow[i], bytes);
    }

    /* The first inputs are lost; outputs take their place. */
    const size_t lost = inputs < outputs ? inputs : outputs;
    uint8_t left[MOST], *have[MOST], *back[MOST];
    for (size_t i = 0; i < inputs; i++) {
        left[i] = i < lost ? to[i] : from[i];
        have[i] = i < lost ? fast[i] : in[i];
    }
    shards(lost, bytes, back);
    tally_cpu_lower(features);
    uint8_t *inverse = fuzz_buffer(inputs * lost);
    CHECK_EQUAL(tally_reed_solomon_matrix(left, inputs, from, lost, inverse), TALLY_OK);
    tally_reed_solomon_apply(inverse, (const uint8_t *const *)have, inputs, lost, bytes, back);
    for (size_t i = 0; i < lost; i++) {
        CHECK_BYTES(back[i], in[i], bytes);
    }
    return fuzz_end();
}
