/* SPDX-License-Identifier: Apache-2.0
 *
 * Key rings of any bytes, also sealed anew after an edit, to see what is behind the seal. */
#include "fuzz_allocator.h"
#include "tallystick/keyring.h"
#include "tallystick/sha2.h"

enum { RING_TAIL = 68 /* the MAC's digits, and the end */ };

static const uint8_t *root_key(void)
{
    static uint8_t key[TALLY_ROOT_KEY_SIZE];
    for (uint8_t i = 0; i < TALLY_ROOT_KEY_SIZE; i++) {
        key[i] = i;
    }
    return key;
}

static void write_hex(const uint8_t *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < 2 * size; i++) {
        out[i] = "0123456789abcdef"[bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    }
}

static void derive(const uint8_t id[16], const char *info, uint8_t *out, size_t size)
{
    CHECK_EQUAL(tally_hkdf_sha256(id, 16, root_key(), TALLY_ROOT_KEY_SIZE, (const uint8_t *)info,
                                  strlen(info), out, size),
                TALLY_OK);
}

/* Where a field's value begins in a file; NULL: it is not there, or has not `size` bytes. */
static char *find(char *file, size_t size, const char *field, size_t wanted)
{
    const size_t field_size = strlen(field);
    for (size_t i = 0; i + field_size + wanted <= size; i++) {
        if (memcmp(file + i, field, field_size) == 0) {
            return file + i + field_size;
        }
    }
    return NULL;
}

/* Writes the check value and MAC that belong to a file, as far as it has such. */
static void seal(char *file, size_t size)
{
    uint8_t id[16] = {0}, derived[32], mac[32];
    char *const ring = find(file, size, "\"ring\": \"", 32);
    char *const check = find(file, size, "\"check\": \"", 32);
    if (ring == NULL || size < RING_TAIL) {
        return;
    }
    for (size_t i = 0; i < 32; i++) {
        const char c = ring[i];
        const int digit = c >= 'a' ? c - 'a' + 10 : c - '0';
        id[i / 2] = (uint8_t)(id[i / 2] << 4 | (digit & 15));
    }
    if (check != NULL) {
        derive(id, "tallystick keyring 1 check", derived, 16);
        write_hex(derived, 16, check);
    }
    derive(id, "tallystick keyring 1 authentication", derived, 32);
    tally_hmac_sha256_tag(derived, 32, (const uint8_t *)file, size - RING_TAIL, mac);
    write_hex(mac, 32, file + size - RING_TAIL);
}

static void check_ring(const tally_keyring *ring)
{
    tally_problem problem;
    tally_key_info info;
    tally_root root;
    uint8_t key[TALLY_DATA_KEY_SIZE_MAX];
    size_t size, holders = 0;
    CHECK_EQUAL(strlen(tally_keyring_id(ring)), 32);
    tally_keyring_root(ring, &root);
    while (tally_keyring_holder(ring, holders) != NULL) {
        CHECK(tally_keyring_holder(ring, holders++)[0] != '\0');
    }
    CHECK_EQUAL(holders, root.kind == TALLY_ROOT_SHARES ? root.count : 0);
    for (size_t i = 0; i < tally_keyring_count(ring); i++) {
        CHECK(tally_keyring_at(ring, i, &info));
        CHECK_EQUAL(strlen(info.created), 20);
        const tally_status status = tally_keyring_key(ring, &info.id, key, &size, &problem);
        if (status == TALLY_OK) {
            CHECK_EQUAL(size, info.size);
        } else { /* behind a seal of ours it may have been wrapped for another place */
            CHECK_EQUAL(status, TALLY_ERROR_KEYRING);
            fuzz_described(&problem);
        }
    }
    CHECK(!tally_keyring_at(ring, tally_keyring_count(ring), &info));
    const tally_key_id none = {"people", 4000000000U};
    const tally_status status = tally_keyring_key(ring, &none, key, &size, &problem);
    if (status != TALLY_OK) {
        fuzz_described(&problem);
    }
}

static void check_reference(const char *text, size_t size)
{
    tally_problem problem;
    tally_key_id id;
    memset(&id, FUZZ_GUARD, sizeof id);
    const tally_status status = tally_key_id_parse(text, size, &id, &problem);
    if (status == TALLY_OK) {
        char written[80];
        const int length = snprintf(written, sizeof written, "%s:%" PRIu32, id.name, id.version);
        CHECK(length >= 0 && (size_t)length == size && memcmp(written, text, size) == 0);
    } else {
        CHECK_EQUAL(status, TALLY_ERROR_REFERENCE);
        fuzz_untouched(&id, sizeof id);
        fuzz_described(&problem);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_pieces pieces = fuzz_pieces_of(&input);
    const tally_allocator allocator = {fuzz_pieces_give, fuzz_pieces_take, &pieces};
    const int sealed = (int)fuzz_below(&input, 2);
    const size_t file_size = input.size;
    char *const file = (char *)fuzz_bytes(&input, file_size);
    tally_keyring *ring = NULL;
    tally_problem problem;
    if (sealed) {
        seal(file, file_size);
    }
    tally_status status =
        tally_keyring_read(&allocator, (const uint8_t *)file, file_size, &ring, &problem);
    CHECK((status == TALLY_OK) == (ring != NULL));
    if (status == TALLY_OK) {
        status = tally_keyring_unlock(ring, root_key(), &problem);
        if (status == TALLY_OK) {
            check_ring(ring);
        }
    }
    if (status == TALLY_ERROR_KEYRING || status == TALLY_ERROR_ROOT_KEY) {
        fuzz_described(&problem);
    } else {
        CHECK(status == TALLY_OK || status == TALLY_ERROR_MEMORY);
    }
    tally_keyring_free(ring);
    CHECK_EQUAL(pieces.out, 0);
    check_reference(file, file_size < 100 ? file_size : 100);
    return fuzz_end();
}
