/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-2, HMAC and HKDF: any back end beside portable code, in pieces and at once, many and one. */
#include "base/cpu.h"
#include "fuzz.h"
#include "tests/sha2_backends.h"

enum { MOST = 1200, MOST_PIECES = 12 };

static void check_hash(fuzz_input *input, const struct sha2_kind *kind, uint32_t features)
{
    const size_t size = fuzz_below(input, MOST), count = fuzz_below(input, SHA2_MAX_COUNT + 1);
    const uint8_t *message = fuzz_bytes(input, size), *messages[SHA2_MAX_COUNT];
    uint8_t digest[SHA2_MAX_DIGEST], other[SHA2_MAX_DIGEST];
    size_t ends[MOST_PIECES + 1], pieces = 0;
    while (pieces < MOST_PIECES && fuzz_below(input, 4) != 0) {
        const size_t from = pieces == 0 ? 0 : ends[pieces - 1];
        ends[pieces++] = from + fuzz_below(input, size - from + 1);
    }
    ends[pieces++] = size;
    fuzz_portable();
    kind->digest(message, size, digest);
    tally_cpu_lower(features);
    kind->digest(message, size, other);
    CHECK_BYTES(other, digest, kind->size);
    kind->pieces(message, ends, pieces, other);
    CHECK_BYTES(other, digest, kind->size);

    const size_t some = fuzz_below(input, size + 1);
    uint8_t *out = fuzz_buffer(count * kind->size);
    for (size_t i = 0; i < count; i++) {
        uint8_t *copy = fuzz_buffer(some);
        memcpy(copy, message + fuzz_below(input, size - some + 1), some);
        messages[i] = copy;
    }
    kind->many(messages, some, count, out);
    fuzz_portable();
    for (size_t i = 0; i < count; i++) {
        kind->digest(messages[i], some, digest);
        CHECK_BYTES(out + i * kind->size, digest, kind->size);
    }
}

static void check_hmac(fuzz_input *input, uint32_t features)
{
    const size_t key_size = fuzz_below(input, 200), size = fuzz_below(input, MOST);
    const uint8_t *key = fuzz_bytes(input, key_size), *message = fuzz_bytes(input, size);
    uint8_t tag[32], other[32];
    fuzz_portable();
    tally_hmac_sha256_tag(key, key_size, message, size, tag);
    const size_t prefix = fuzz_below(input, size + 1), count = fuzz_below(input, SHA2_MAX_COUNT);
    tally_cpu_lower(features);
    tally_hmac_sha256 context, copy;
    tally_hmac_sha256_init(&context, key, key_size);
    tally_hmac_sha256_update(&context, message, prefix);
    copy = context;
    tally_hmac_sha256_update(&copy, message + prefix, size - prefix);
    tally_hmac_sha256_final(&copy, other);
    CHECK_BYTES(other, tag, 32);

    /* Rows of what is left, which begin with the prefix. */
    uint64_t *offsets = FUZZ_ARRAY(uint64_t, count + 1);
    uint8_t(*tags)[32] = (uint8_t(*)[32])(void *)fuzz_buffer(count * 32);
    const size_t left = size - prefix;
    uint8_t *values = fuzz_buffer(left), *whole = fuzz_buffer(size);
    memcpy(values, message + prefix, left);
    memcpy(whole, message, prefix);
    offsets[0] = fuzz_below(input, left + 1);
    for (size_t i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + fuzz_below(input, left - offsets[i] + 1);
    }
    tally_hmac_sha256_rows(&context, values, offsets, count, tags);
    fuzz_portable();
    for (size_t i = 0; i < count; i++) {
        const size_t some = (size_t)(offsets[i + 1] - offsets[i]);
        memcpy(whole + prefix, values + offsets[i], some);
        tally_hmac_sha256_tag(key, key_size, whole, prefix + some, tag);
        CHECK_BYTES(tags[i], tag, 32);
    }
    tally_wipe(&context, sizeof context);
}

static void check_hkdf(fuzz_input *input, uint32_t features)
{
    const size_t salt_size = fuzz_below(input, 100), ikm_size = fuzz_below(input, 100);
    const size_t info_size = fuzz_below(input, 100), size = fuzz_below(input, 9000);
    const uint8_t *salt = fuzz_bytes(input, salt_size), *ikm = fuzz_bytes(input, ikm_size);
    const uint8_t *info = fuzz_bytes(input, info_size);
    uint8_t *out = fuzz_buffer(size), *block = fuzz_buffer(32 + info_size + 1), key[32];
    tally_cpu_lower(features);
    const bool fits = size <= TALLY_HKDF_SHA256_MOST;
    CHECK_EQUAL(tally_hkdf_sha256(salt, salt_size, ikm, ikm_size, info, info_size, out, size),
                fits ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fits) {
        fuzz_untouched(out, size);
        return;
    }
    fuzz_portable(); /* RFC 5869, sections 2.2 and 2.3 */
    tally_hmac_sha256_tag(salt, salt_size, ikm, ikm_size, key);
    memcpy(block + 32, info, info_size);
    for (size_t at = 0, i = 1; at < size; at += 32, i++) {
        block[32 + info_size] = (uint8_t)i;
        const size_t skip = i == 1 ? 32 : 0;
        uint8_t next[32];
        tally_hmac_sha256_tag(key, 32, block + skip, 32 + info_size + 1 - skip, next);
        memcpy(block, next, 32);
        CHECK_BYTES(out + at, block, size - at < 32 ? size - at : 32);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const uint32_t features = (uint32_t)fuzz_number(&input, 2);
    switch (fuzz_below(&input, 4)) {
    case 0:
        check_hmac(&input, features);
        break;
    case 1:
        check_hkdf(&input, features);
        break;
    case 2:
        check_hash(&input, &sha2_kinds[0], features);
        break;
    default:
        check_hash(&input, &sha2_kinds[1], features);
    }
    return fuzz_end();
}
