// go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes and numbers made the structs and arrays of pointers that the core takes, and back. */
#include "binding.h"
#include "tallystick_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BINDING_MAX_SHARES = 255 };

static tally_direction binding_direction(uint32_t decrypt)
{
    return decrypt ? TALLY_DECRYPT : TALLY_ENCRYPT;
}

/* Where in its memory an object begins; 0 if there is none. */
static size_t binding_offset(const uint8_t *memory, const void *object)
{
    return object != NULL ? (size_t)((const uint8_t *)object - memory) : 0;
}

void *tally_go_alloc(size_t size)
{
    return calloc(1, size);
}

void tally_go_free(void *memory, size_t size)
{
    if (memory != NULL) {
        tally_wipe(memory, size);
        free(memory);
    }
}

uint32_t tally_go_pool_init(uint32_t profile, uint32_t radix, const uint8_t *key, size_t key_size,
                            uint8_t *memory, size_t size, size_t *at)
{
    tally_fast_pool *pool = NULL;
    const tally_status status = tally_fast_pool_init((tally_fast_profile)profile, radix, key,
                                                     key_size, memory, size, &pool);
    *at = binding_offset(memory, pool);
    return (uint32_t)status;
}

uint32_t tally_go_cipher_init(const uint8_t *pool, size_t capacity, uint8_t *memory, size_t size,
                              size_t *at)
{
    tally_fast_cipher *cipher = NULL;
    const tally_status status =
        tally_fast_cipher_init((const void *)pool, capacity, memory, size, &cipher);
    *at = binding_offset(memory, cipher);
    return (uint32_t)status;
}

void tally_go_cipher_wipe(uint8_t *cipher)
{
    tally_fast_cipher_wipe((void *)cipher);
}

uint32_t tally_go_words(uint8_t *cipher, uint32_t decrypt, uint32_t radix, uint32_t length,
                        uint32_t layers, uint32_t w, uint32_t w_prime, const uint8_t *tweak,
                        size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out)
{
    const tally_fast_params params = {radix, length, layers, w, w_prime};
    return tally_fast_words((void *)cipher, binding_direction(decrypt), &params, tweak, tweak_size,
                            words, count, out);
}

uint32_t tally_go_range(uint8_t *cipher, uint32_t decrypt, uint64_t size, const uint8_t *tweak,
                        size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out)
{
    return tally_fast_range((void *)cipher, binding_direction(decrypt), size, tweak, tweak_size,
                            numbers, count, out);
}

size_t tally_go_ff1_size(uint32_t profile)
{
    return profile == TALLY_GO_FF3_1 ? tally_ff3_1_size() : tally_ff1_size();
}

uint32_t tally_go_ff1_init(uint32_t profile, uint32_t radix, const uint8_t *key, size_t key_size,
                           uint8_t *memory, size_t size, size_t *at)
{
    tally_ff3_1 *old = NULL;
    tally_ff1 *cipher = NULL;
    if (profile == TALLY_GO_FF3_1) {
        const tally_status status = tally_ff3_1_init(radix, key, key_size, memory, size, &old);
        *at = binding_offset(memory, old);
        return (uint32_t)status;
    }
    const tally_status status =
        tally_ff1_init((tally_ff1_profile)profile, radix, key, key_size, memory, size, &cipher);
    *at = binding_offset(memory, cipher);
    return (uint32_t)status;
}

uint32_t tally_go_ff1_words(const uint8_t *cipher, uint32_t profile, uint32_t decrypt,
                            uint32_t length, const uint8_t *tweak, size_t tweak_size,
                            const uint8_t *words, size_t count, uint8_t *out)
{
    if (profile == TALLY_GO_FF3_1) {
        return decrypt ? (uint32_t)tally_ff3_1_decrypt_words((const void *)cipher, length, tweak,
                                                             tweak_size, words, count, out)
                       : TALLY_ERROR_ARGUMENT;
    }
    return (uint32_t)(decrypt ? tally_ff1_decrypt_words : tally_ff1_encrypt_words)(
        (const void *)cipher, length, tweak, tweak_size, words, count, out);
}

/* Something to point to where there are no bytes: NULL would mean that there is no tweak. */
static const uint8_t binding_nothing[1] = {0};

uint32_t tally_go_value(tally_worker *worker, uint32_t decrypt, const uint8_t *value, size_t size,
                        const uint8_t *tweak, size_t tweak_size, uint32_t tweaked, uint8_t *out,
                        size_t capacity, size_t *out_size, uint32_t *reason)
{
    tally_fault fault = {.reason = TALLY_REASON_NONE};
    const uint8_t *given = value != NULL ? value : binding_nothing;
    const uint8_t *own = tweak != NULL ? tweak : binding_nothing;
    const tally_status status = (decrypt ? tally_reveal_value : tally_protect_value)(
        worker, given, size, tweaked ? own : NULL, tweak_size, out, capacity, out_size, &fault);
    *reason = (uint32_t)fault.reason;
    return (uint32_t)status;
}

/* A column as an Arrow array that belongs to somebody else. */
typedef struct binding_column {
    struct ArrowSchema type;
    struct ArrowArray array;
    const void *buffers[3];
} binding_column;

static void binding_keep_type(struct ArrowSchema *type)
{
    type->release = NULL;
}

static void binding_keep_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void binding_column_init(const uint8_t *validity, const int64_t *offsets,
                                const uint8_t *values, size_t rows, binding_column *out)
{
    static const int64_t none[1] = {0};
    memset(out, 0, sizeof *out);
    out->buffers[0] = validity;
    out->buffers[1] = offsets != NULL ? offsets : none;
    out->buffers[2] = values != NULL ? values : binding_nothing;
    out->type.format = "U";
    out->type.release = binding_keep_type;
    out->array.length = (int64_t)rows;
    out->array.null_count = validity != NULL ? -1 : 0;
    out->array.n_buffers = 3;
    out->array.buffers = out->buffers;
    out->array.release = binding_keep_array;
}

uint32_t tally_go_rows(tally_worker *worker, uint32_t reveal, const int64_t *offsets,
                       const uint8_t *values, size_t rows, const int64_t *tweak_offsets,
                       const uint8_t *row_tweaks, const uint8_t *tweak_validity, uint8_t *reasons,
                       void **out, const int64_t **offsets_out, const uint8_t **values_out,
                       size_t *size, uint64_t *small, tally_problem *problem)
{
    binding_column column, tweaks;
    struct ArrowArray *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    binding_column_init(NULL, offsets, values, rows, &column);
    binding_column_init(tweak_validity, tweak_offsets, row_tweaks, rows, &tweaks);
    const int tweaked = tweak_offsets != NULL;
    tally_counts counts = {0};
    const tally_status status = (reveal ? tally_reveal_rows : tally_protect_rows)(
        worker, &column.type, &column.array, tweaked ? &tweaks.type : NULL,
        tweaked ? &tweaks.array : NULL, made, reasons, &counts, problem);
    if (status != TALLY_OK) {
        free(made);
        return (uint32_t)status;
    }
    *out = made;
    *offsets_out = made->buffers[1];
    *values_out = made->buffers[2];
    *size = (size_t)(*offsets_out)[rows];
    *small = counts.small;
    return TALLY_OK;
}

void tally_go_rows_free(void *rows)
{
    struct ArrowArray *array = rows;
    array->release(array);
    free(array);
}

uint32_t tally_go_integer(tally_worker *worker, uint32_t reveal, int64_t value, int64_t *out,
                          uint32_t *reason, tally_problem *problem)
{
    tally_fault fault = {.reason = TALLY_REASON_NONE};
    const tally_status status = (reveal ? tally_reveal_fixed : tally_protect_fixed)(
        worker, "l", &value, NULL, 0, out, &fault, problem);
    *reason = (uint32_t)fault.reason;
    return (uint32_t)status;
}

/* Where each of `count` things is that lie one behind the other, `size` bytes each. */
static void spread(uint8_t *bytes, size_t size, size_t count, uint8_t **places)
{
    for (size_t i = 0; i < count; i++) {
        places[i] = bytes + i * size;
    }
}

uint32_t tally_go_split(uint32_t field, const uint8_t *secret, size_t size, size_t threshold,
                        size_t count, uint8_t *shares)
{
    uint8_t *places[BINDING_MAX_SHARES];
    if (count > BINDING_MAX_SHARES) {
        return TALLY_ERROR_ARGUMENT;
    }
    spread(shares, size + 1, count, places);
    return tally_shamir_split((tally_gf256_field)field, secret, size, threshold, count, places);
}

uint32_t tally_go_recover(uint32_t field, const uint8_t *shares, size_t count, size_t share_size,
                          uint8_t *secret)
{
    const uint8_t *places[BINDING_MAX_SHARES];
    if (count > BINDING_MAX_SHARES) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = shares + i * share_size;
    }
    return tally_shamir_recover((tally_gf256_field)field, places, count, share_size, secret);
}

static tally_shares_params params_of(const tally_go_set *set)
{
    tally_shares_params params = {set->kind,        set->threshold,  set->count,
                                  set->secret_size, set->label_size, set->label};
    return params;
}

static void describe(const tally_share *share, tally_go_set *out)
{
    memset(out, 0, sizeof *out);
    out->kind = share->params.kind;
    out->threshold = share->params.threshold;
    out->count = share->params.count;
    out->secret_size = share->params.secret_size;
    out->label_size = share->params.label_size;
    out->index = share->index;
    out->size = share->size;
    memcpy(out->set, share->set, sizeof out->set);
    if (share->params.label_size > 0) {
        memcpy(out->label, share->params.label, share->params.label_size);
    }
}

void tally_go_shares_size(tally_go_set *set)
{
    tally_shares_params params = params_of(set);
    set->size = (uint32_t)tally_shares_size(&params);
}

uint32_t tally_go_shares_split(const tally_go_set *set, const uint8_t *secret, uint8_t *shares)
{
    tally_shares_params params = params_of(set);
    uint8_t *places[BINDING_MAX_SHARES];
    if (set->size == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    spread(shares, set->size, set->count, places);
    return tally_shares_split(&params, secret, places);
}

uint32_t tally_go_shares_read(const uint8_t *share, size_t size, tally_go_set *out)
{
    tally_share read;
    tally_share_verdict verdict = tally_shares_read(share, size, &read);
    describe(&read, out);
    return verdict;
}

uint32_t tally_go_shares_recover(const uint8_t *shares, const uint64_t *offsets, size_t count,
                                 const uint8_t *set, uint8_t *verdicts, tally_go_set *first,
                                 uint32_t *good, uint32_t *sets, uint8_t *secret)
{
    const uint8_t *places[TALLY_SHARES_MAX_GIVEN] = {NULL};
    size_t sizes[TALLY_SHARES_MAX_GIVEN] = {0};
    tally_share_verdict found_verdicts[TALLY_SHARES_MAX_GIVEN];
    tally_shares_found found;
    uint32_t status;
    if (count > TALLY_SHARES_MAX_GIVEN) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = shares + offsets[i];
        sizes[i] = (size_t)(offsets[i + 1] - offsets[i]);
    }
    status = tally_shares_recover(places, sizes, count, set, found_verdicts, &found, secret,
                                  TALLY_SHARES_MAX_SECRET);
    for (size_t i = 0; i < count; i++) {
        verdicts[i] = (uint8_t)found_verdicts[i];
    }
    describe(&found.first, first);
    *good = found.good;
    *sets = found.sets;
    return status;
}

/* Of the largest dispersal. */
size_t tally_go_dispersal_size(void)
{
    const tally_shares_params params = {.kind = TALLY_SHARES_FILE,
                                        .threshold = 128,
                                        .count = 255,
                                        .secret_size = TALLY_DISPERSAL_KEY};
    return tally_dispersal_size(&params);
}

uint32_t tally_go_dispersal_init(const tally_go_set *set, const uint8_t *hedge, size_t hedge_size,
                                 tally_dispersal *out, uint8_t *heads)
{
    tally_shares_params params = params_of(set);
    uint8_t *places[BINDING_MAX_SHARES];
    if (set->size == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    spread(heads, set->size, set->count, places);
    /* Memory for any object is aligned, so the dispersal lies at its beginning. */
    return tally_dispersal_init(&params, hedge, hedge_size, out, tally_dispersal_size(&params),
                                &out, places);
}

uint32_t tally_go_dispersal_init_with_key(const tally_go_set *set, const uint8_t *key,
                                          tally_dispersal *out)
{
    tally_share first = {0};
    first.params = params_of(set);
    first.index = set->index;
    first.size = set->size;
    memcpy(first.set, set->set, sizeof first.set);
    return tally_dispersal_init_with_key(&first, key, out, tally_dispersal_size(&first.params),
                                         &out);
}

uint32_t tally_go_dispersal_encode(tally_dispersal *dispersal, uint64_t stripe, const uint8_t *data,
                                   size_t size, uint32_t is_last, uint8_t *records)
{
    uint8_t *places[BINDING_MAX_SHARES];
    spread(records, tally_dispersal_records_size(dispersal, size, (int)is_last),
           tally_dispersal_share_count(dispersal), places);
    return tally_dispersal_encode(dispersal, stripe, data, size, (int)is_last, places);
}

uint32_t tally_go_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                   const uint8_t *indices, const uint8_t *records, size_t capacity,
                                   const uint64_t *sizes, size_t count, uint8_t *out,
                                   uint64_t *damaged, uint64_t found[3], uint8_t missing[32])
{
    const uint8_t *places[BINDING_MAX_SHARES];
    size_t all[BINDING_MAX_SHARES];
    tally_dispersal_found result;
    uint32_t status;
    if (count > BINDING_MAX_SHARES) {
        return TALLY_ERROR_ARGUMENT;
    }
    memset(&result, 0, sizeof result);
    for (size_t i = 0; i < count; i++) {
        places[i] = records + i * capacity;
        all[i] = (size_t)sizes[i];
    }
    status = tally_dispersal_decode(dispersal, stripe, stripes, indices, places, all, count, out,
                                    damaged, &result);
    found[0] = result.size;
    found[1] = result.stripes;
    found[2] = result.is_last;
    memcpy(missing, result.missing, sizeof result.missing);
    return status;
}

uint32_t tally_go_ring_read(const uint8_t *file, size_t size, tally_keyring **out,
                            tally_problem *problem)
{
    return (uint32_t)tally_keyring_read(NULL, file, size, out, problem);
}

uint32_t tally_go_ring_unlock(tally_keyring *ring, const uint8_t *root_key, tally_problem *problem)
{
    return (uint32_t)tally_keyring_unlock(ring, root_key, problem);
}

uint32_t tally_go_ring_root_kind(const tally_keyring *ring)
{
    tally_root root;
    tally_keyring_root(ring, &root);
    return (uint32_t)root.kind;
}

uint32_t tally_go_ring_key(const tally_keyring *ring, const uint8_t *reference, size_t size,
                           uint8_t *out, size_t *out_size, tally_problem *problem)
{
    tally_key_id id;
    const tally_status status = tally_key_id_parse((const char *)reference, size, &id, problem);
    return (uint32_t)(status == TALLY_OK ? tally_keyring_key(ring, &id, out, out_size, problem)
                                         : status);
}

uint32_t tally_go_key_id_check(const uint8_t *reference, size_t size, tally_problem *problem)
{
    tally_key_id id;
    return (uint32_t)tally_key_id_parse((const char *)reference, size, &id, problem);
}
