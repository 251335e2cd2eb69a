/* SPDX-License-Identifier: Apache-2.0
 *
 * The core as Go calls it. What its public headers take as structs and arrays of pointers comes
 * here as pointers to bytes and numbers: so no memory of Go that is handed over holds a pointer of
 * Go, and the same functions serve in WebAssembly, where memory is copied in and out. Ranges,
 * statuses and what may overlap are as in the headers. */
#ifndef TALLY_GO_BINDING_H
#define TALLY_GO_BINDING_H

#include "tallystick.h"

/* Zeroed memory in WebAssembly, NULL if there is none left; and its end: wiped, then released. */
void *tally_go_alloc(size_t size);
void tally_go_free(void *memory, size_t size);

/* Builds a pool, or a cipher with a cache of `capacity` sequences, in memory of
 * tally_fast_pool_size or tally_fast_cipher_size bytes. It begins at memory[*at]; this address
 * stands for it elsewhere. */
uint32_t tally_go_pool_init(uint32_t profile, uint32_t radix, const uint8_t *key, size_t key_size,
                            uint8_t *memory, size_t size, size_t *at);
uint32_t tally_go_cipher_init(const uint8_t *pool, size_t capacity, uint8_t *memory, size_t size,
                              size_t *at);

/* Wipes what a cipher derived from its key. It cannot be used afterwards. */
void tally_go_cipher_wipe(uint8_t *cipher);

/* Words, with the five parameters as numbers. */
uint32_t tally_go_words(uint8_t *cipher, uint32_t decrypt, uint32_t radix, uint32_t length,
                        uint32_t layers, uint32_t w, uint32_t w_prime, const uint8_t *tweak,
                        size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out);

/* Numbers of a range. */
uint32_t tally_go_range(uint8_t *cipher, uint32_t decrypt, uint64_t size, const uint8_t *tweak,
                        size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out);

/* FF1 by one of its profiles, or FF3-1, in memory of so many bytes. It begins at memory[*at]; this
 * address stands for it elsewhere. FF3-1 is decrypted alone. */
enum { TALLY_GO_FF3_1 = 2 };
size_t tally_go_ff1_size(uint32_t profile);
uint32_t tally_go_ff1_init(uint32_t profile, uint32_t radix, const uint8_t *key, size_t key_size,
                           uint8_t *memory, size_t size, size_t *at);
uint32_t tally_go_ff1_words(const uint8_t *cipher, uint32_t profile, uint32_t decrypt,
                            uint32_t length, const uint8_t *tweak, size_t tweak_size,
                            const uint8_t *words, size_t count, uint8_t *out);

/* One value of a tokenizer's worker: its token, or its value. `tweaked` says whether there is a tweak.
 * *reason receives a tally_reason. */
uint32_t tally_go_value(tally_worker *worker, uint32_t decrypt, const uint8_t *value, size_t size,
                        const uint8_t *tweak, size_t tweak_size, uint32_t tweaked, uint8_t *out,
                        size_t capacity, size_t *out_size, uint32_t *reason);

/* One integer; *reason receives a tally_reason. TALLY_ERROR_TYPE: the format does not take it. */
uint32_t tally_go_integer(tally_worker *worker, uint32_t reveal, int64_t value, int64_t *out,
                          uint32_t *reason, tally_problem *problem);

/* A column of text without nulls: row i is values[offsets[i] .. offsets[i + 1]). tweak_offsets may
 * be NULL: no row has a tweak of its own. tweak_validity is Arrow's bitmap of the tweaks that are not
 * null, or NULL: none is null. reasons[i] receives a tally_reason. *values_out points to *size bytes
 * of the result, and *offsets_out to its offsets, until tally_go_rows_free(*out). *small receives
 * how many rows have a domain below TALLY_SMALL_DOMAIN. */
uint32_t tally_go_rows(tally_worker *worker, uint32_t reveal, const int64_t *offsets,
                       const uint8_t *values, size_t rows, const int64_t *tweak_offsets,
                       const uint8_t *row_tweaks, const uint8_t *tweak_validity, uint8_t *reasons,
                       void **out, const int64_t **offsets_out, const uint8_t **values_out,
                       size_t *size, uint64_t *small, tally_problem *problem);
void tally_go_rows_free(void *rows);

/* Raw shares, one behind the other. */
uint32_t tally_go_split(uint32_t field, const uint8_t *secret, size_t size, size_t threshold,
                        size_t count, uint8_t *shares);
uint32_t tally_go_recover(uint32_t field, const uint8_t *shares, size_t count, size_t share_size,
                          uint8_t *secret);

/* A set of authentic shares, or one share. */
typedef struct tally_go_set {
    uint32_t kind, threshold, count, secret_size, label_size;
    uint32_t index; /* of one share; else 0 */
    uint32_t size;  /* bytes of each share; of a share that was read, without what follows it */
    uint8_t set[16];
    uint8_t label[256];
} tally_go_set;

/* Fills set->size in; 0 if a parameter is outside its range. */
void tally_go_shares_size(tally_go_set *set);

/* Authentic shares of set->size bytes each, one behind the other. */
uint32_t tally_go_shares_split(const tally_go_set *set, const uint8_t *secret, uint8_t *shares);

/* A verdict; `out` is zeroed unless the share is good or damaged. */
uint32_t tally_go_shares_read(const uint8_t *share, size_t size, tally_go_set *out);

/* shares[i] is shares[offsets[i] .. offsets[i + 1]). `set` may be NULL. `secret` has
 * TALLY_SHARES_MAX_SECRET bytes. */
uint32_t tally_go_shares_recover(const uint8_t *shares, const uint64_t *offsets, size_t count,
                                 const uint8_t *set, uint8_t *verdicts, tally_go_set *first,
                                 uint32_t *good, uint32_t *sets, uint8_t *secret);

/* A dispersal in memory of tally_go_dispersal_size bytes. Heads and records lie one behind the
 * other: those of share i + 1 begin at i * set->size, and at i * tally_dispersal_records_size. */
size_t tally_go_dispersal_size(void);
uint32_t tally_go_dispersal_init(const tally_go_set *set, const uint8_t *hedge, size_t hedge_size,
                                 tally_dispersal *out, uint8_t *heads);
uint32_t tally_go_dispersal_init_with_key(const tally_go_set *set, const uint8_t *key,
                                          tally_dispersal *out);
uint32_t tally_go_dispersal_encode(tally_dispersal *dispersal, uint64_t stripe, const uint8_t *data,
                                   size_t size, uint32_t is_last, uint8_t *records);

/* records[i] begins at i * capacity and has sizes[i] bytes. `out` takes all stripes. */
uint32_t tally_go_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                                   const uint8_t *indices, const uint8_t *records, size_t capacity,
                                   const uint64_t *sizes, size_t count, uint8_t *out,
                                   uint64_t *damaged, uint64_t found[3], uint8_t missing[32]);

/* A key ring, which the core allocates; the other functions of tallystick/keyring.h go with it. */
uint32_t tally_go_ring_read(const uint8_t *file, size_t size, tally_keyring **out,
                            tally_problem *problem);
uint32_t tally_go_ring_unlock(tally_keyring *ring, const uint8_t *root_key, tally_problem *problem);
uint32_t tally_go_ring_root_kind(const tally_keyring *ring);

/* Unwraps the key of a reference; `out` has TALLY_DATA_KEY_SIZE_MAX bytes. */
uint32_t tally_go_ring_key(const tally_keyring *ring, const uint8_t *reference, size_t size,
                           uint8_t *out, size_t *out_size, tally_problem *problem);
uint32_t tally_go_key_id_check(const uint8_t *reference, size_t size, tally_problem *problem);

#endif
