/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal and the Reed-Solomon code below it: vectors of an independent model, every subset of
 * small sets, stripes in batches of any size, and every byte of every record damaged in turn. */
#include <stdlib.h>

#include "base/cpu.h"
#include "check.h"
#include "json.h"
#include "random.h"
#include "sharing/dispersal.h"
#include "tallystick/reed_solomon.h"
#include "tallystick/sha2.h"

enum { MOST = 255 };

/* A file in memory, and what was made of it. */
typedef struct file {
    tally_shares_params params;
    tally_dispersal *dispersal;
    size_t size, head, records; /* bytes of the data, of a share's beginning, and of the rest */
    uint8_t *data, *out;
    uint8_t *shares[MOST];
} file;

static void make(file *made, uint32_t threshold, uint32_t count, size_t size)
{
    static const uint8_t label[4] = "file";
    made->params = (tally_shares_params){.kind = TALLY_SHARES_FILE,
                                         .threshold = threshold,
                                         .count = count,
                                         .secret_size = TALLY_DISPERSAL_KEY,
                                         .label_size = sizeof label,
                                         .label = label};
    made->size = size;
    made->data = malloc(size + 1);
    random_bytes(made->data, size);
    made->head = tally_shares_size(&made->params);
    /* Sizes need the threshold alone, and shares are allocated before their keys are drawn. */
    made->dispersal = malloc(tally_dispersal_size(&made->params));
    made->dispersal->threshold = threshold;
    made->records = tally_dispersal_records_size(made->dispersal, size, 1);
    made->out = malloc((size / tally_dispersal_stripe_size(made->dispersal) + 1) *
                       tally_dispersal_stripe_size(made->dispersal));
    for (size_t i = 0; i < count; i++) {
        made->shares[i] = malloc(made->head + made->records + 1);
        made->shares[i][made->head + made->records] = 0xA5;
    }
}

/* Encodes the data by some stripes a call. */
static void encode(file *made, size_t stripes)
{
    const size_t stripe = tally_dispersal_stripe_size(made->dispersal), most = stripes * stripe;
    uint8_t *to[MOST];
    size_t done = 0, at = made->head;
    for (;;) {
        const size_t some = made->size - done < most ? made->size - done : most;
        const int is_last = done + some == made->size;
        for (size_t i = 0; i < made->params.count; i++) {
            to[i] = made->shares[i] + at;
        }
        CHECK_EQUAL(tally_dispersal_encode(made->dispersal, done / stripe, made->data + done, some,
                                           is_last, to),
                    TALLY_OK);
        at += tally_dispersal_records_size(made->dispersal, some, is_last);
        done += some;
        if (is_last) {
            break;
        }
    }
    CHECK_EQUAL(at, made->head + made->records);
    for (size_t i = 0; i < made->params.count; i++) {
        CHECK_EQUAL(made->shares[i][at], 0xA5);
    }
}

static void begin(file *made)
{
    CHECK_EQUAL(tally_dispersal_init(&made->params, made->data, made->size, made->dispersal,
                                     tally_dispersal_size(&made->params), &made->dispersal,
                                     made->shares),
                TALLY_OK);
}

static void dispose(file *made)
{
    for (size_t i = 0; i < made->params.count; i++) {
        free(made->shares[i]);
    }
    free(made->dispersal);
    free(made->data);
    free(made->out);
}

/* Memory of the last opened file, of just the size that it takes. */
static void *opened_memory;

/* Recovers the keys from the shares listed, which are good, and opens the file. */
static tally_dispersal *open_file(const file *made, const uint8_t *indices, size_t count)
{
    const size_t memory_size = tally_dispersal_size(&made->params);
    tally_dispersal *opened = NULL;
    const uint8_t *shares[MOST];
    size_t sizes[MOST];
    tally_share_verdict verdicts[MOST];
    tally_shares_found found;
    uint8_t key[TALLY_DISPERSAL_KEY];
    for (size_t i = 0; i < count; i++) {
        shares[i] = made->shares[indices[i] - 1];
        sizes[i] = made->head + made->records;
    }
    CHECK_EQUAL(tally_shares_recover(shares, sizes, count, NULL, verdicts, &found, key, sizeof key),
                TALLY_OK);
    free(opened_memory);
    opened_memory = malloc(memory_size);
    CHECK_EQUAL(
        tally_dispersal_init_with_key(&found.first, key, opened_memory, memory_size, &opened),
        TALLY_OK);
    return opened;
}

/* Decodes by some stripes a call, from shares that end after `ends` bytes of records. */
static tally_status decode(const file *made, tally_dispersal *dispersal, const uint8_t *indices,
                           size_t count, size_t stripes, const size_t *ends, uint64_t *damaged,
                           size_t *size)
{
    tally_dispersal_found found = {0};
    tally_status status = TALLY_OK;
    uint64_t stripe = 0;
    memset(damaged, 0, count * sizeof *damaged);
    *size = 0;
    while (status == TALLY_OK && !found.is_last) {
        const uint8_t *records[MOST];
        size_t sizes[MOST];
        for (size_t i = 0; i < count; i++) {
            const size_t end = ends == NULL ? made->records : ends[i];
            const size_t at = (size_t)stripe * TALLY_DISPERSAL_RECORD;
            const size_t most = stripes * TALLY_DISPERSAL_RECORD;
            records[i] = made->shares[indices[i] - 1] + made->head + at;
            sizes[i] = at > end ? 0 : end - at < most ? end - at : most;
        }
        status = tally_dispersal_decode(dispersal, stripe, stripes, indices, records, sizes, count,
                                        made->out + *size, damaged, &found);
        *size += found.size;
        stripe += found.stripes;
    }
    return status;
}

static void check_recovers(const file *made, const uint8_t *indices, size_t count, size_t stripes)
{
    tally_dispersal *opened;
    uint64_t damaged[MOST];
    size_t size;
    opened = open_file(made, indices, count);
    CHECK_EQUAL(decode(made, opened, indices, count, stripes, NULL, damaged, &size), TALLY_OK);
    CHECK_EQUAL(size, made->size);
    CHECK_BYTES(made->out, made->data, made->size);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(damaged[i], 0);
    }
}

static void test_vectors(void)
{
    json_file *vectors = json_load(TALLY_VECTORS "/dispersal.json");
    for (size_t i = 0; i < json_count(vectors); i++) {
        const json_case *c = json_at(vectors, i);
        uint8_t entropy[32], salt[16], digest[32], wanted[32], label[255];
        file made;
        CHECK_ABOUT("vector %zu", i);
        make(&made, (uint32_t)json_int(c, "threshold"), (uint32_t)json_int(c, "count"),
             (size_t)json_int(c, "size"));
        made.params.label_size = (uint32_t)json_hex(c, "label", label, sizeof label);
        made.params.label = label;
        CHECK_EQUAL(tally_shares_size(&made.params), made.head);
        CHECK_EQUAL(json_hex(c, "entropy", entropy, sizeof entropy), 32);
        CHECK_EQUAL(json_hex(c, "salt", salt, sizeof salt), 16);
        CHECK_EQUAL(json_hex(c, "digest", wanted, sizeof wanted), 32);
        for (size_t b = 0; b < made.size; b++) { /* as docs/reference/share-format.md says */
            made.data[b] = (uint8_t)((uint64_t)b * b / 7 + b / 256);
        }
        CHECK_EQUAL(tally_dispersal_init_with_entropy(
                        &made.params, entropy, salt, made.data, made.size, made.dispersal,
                        tally_dispersal_size(&made.params), &made.dispersal, made.shares),
                    TALLY_OK);
        encode(&made, 3);
        tally_sha256 hash;
        tally_sha256_init(&hash);
        for (size_t j = 0; j < made.params.count; j++) {
            tally_sha256_update(&hash, made.shares[j], made.head + made.records);
        }
        tally_sha256_final(&hash, digest);
        CHECK_BYTES(digest, wanted, 32);
        dispose(&made);
    }
    json_free(vectors);
}

static void test_round_trips(void)
{
    static const uint32_t sets[][2] = {{2, 2}, {2, 3}, {3, 5}, {5, 5}, {4, 9}, {10, 14}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        const uint32_t threshold = sets[k][0], count = sets[k][1];
        const size_t stripe = threshold * (size_t)TALLY_DISPERSAL_PART;
        const size_t sizes[] = {
            0,    1,          15,     16,         17,         16 * threshold,    16 * threshold + 1,
            1000, stripe - 1, stripe, stripe + 1, 3 * stripe, 5 * stripe + 12345};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            file made;
            make(&made, threshold, count, sizes[s]);
            begin(&made);
            CHECK_ABOUT("%u of %u, %zu bytes", (unsigned)threshold, (unsigned)count, sizes[s]);
            encode(&made, 1 + random_below(7));
            for (int round = 0; round < (count <= 5 ? 1 << count : random_cases(20)); round++) {
                const uint32_t subset =
                    count <= 5 ? (uint32_t)round : random_below(UINT64_C(1) << count);
                uint8_t indices[MOST];
                size_t chosen = 0;
                const size_t start = random_below(count); /* in a changing order */
                for (size_t i = 0; i < count; i++) {
                    const size_t share = (start + i) % count;
                    if ((subset >> share & 1) != 0) {
                        indices[chosen++] = (uint8_t)(share + 1);
                    }
                }
                if (chosen >= threshold) {
                    check_recovers(&made, indices, chosen, 1 + random_below(7));
                }
            }
            dispose(&made);
        }
    }
    static const uint32_t large[][2] = {{2, 255}, {128, 255}, {254, 255}, {255, 255}, {70, 100}};
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        const uint32_t threshold = large[k][0], count = large[k][1];
        uint8_t indices[MOST];
        file made;
        CHECK_ABOUT("%u of %u", (unsigned)threshold, (unsigned)count);
        make(&made, threshold, count, 100000 + threshold * (size_t)TALLY_DISPERSAL_PART);
        begin(&made);
        encode(&made, 1);
        for (size_t i = 0; i < count; i++) {
            indices[i] = (uint8_t)(count - i);
        }
        check_recovers(&made, indices, threshold, 2);
        check_recovers(&made, indices, count, 2);
        dispose(&made);
    }
}

/* A record with any one byte changed is not believed: the others recover, and it is counted;
 * without the others nothing of its stripe comes out. */
static void test_every_byte(void)
{
    static const uint8_t indices[3] = {3, 1, 4};
    tally_dispersal *opened;
    uint64_t damaged[3];
    size_t size;
    file made;
    make(&made, 2, 4, 2 * TALLY_DISPERSAL_PART + 50);
    begin(&made);
    encode(&made, 2);
    opened = open_file(&made, indices, 3);
    for (size_t which = 0; which < 3; which++) {
        uint8_t *records = made.shares[indices[which] - 1] + made.head;
        for (size_t at = 0; at < made.records; at++) {
            const bool edge = at < 64 || at + 160 > TALLY_DISPERSAL_RECORD;
            if (!edge && at % 61 != 0) {
                continue;
            }
            CHECK_ABOUT("share %u, byte %zu", (unsigned)indices[which], at);
            const uint8_t kept = records[at];
            records[at] ^= (uint8_t)(1 << random_below(8));
            CHECK_EQUAL(decode(&made, opened, indices, 3, 2, NULL, damaged, &size), TALLY_OK);
            CHECK_EQUAL(size, made.size);
            CHECK_BYTES(made.out, made.data, made.size);
            for (size_t i = 0; i < 3; i++) {
                CHECK_EQUAL(damaged[i], i == which);
            }
            memset(made.out, 0xA5, made.size);
            if (which < 2) {
                const bool first = at < TALLY_DISPERSAL_RECORD;
                CHECK_EQUAL(decode(&made, opened, indices, 2, 2, NULL, damaged, &size),
                            TALLY_ERROR_SHARES_FEW);
                CHECK_EQUAL(size, first ? 0 : 2 * TALLY_DISPERSAL_PART);
                CHECK_EQUAL(made.out[size], 0xA5);
                CHECK_EQUAL(made.out[size + 49], 0xA5);
            }
            records[at] = kept;
        }
    }
    dispose(&made);
}

/* Records of another place, share or file, and shares that are cut short or go on. */
static void test_mistaken(void)
{
    static const uint8_t indices[3] = {1, 2, 3};
    const size_t record = TALLY_DISPERSAL_RECORD;
    tally_dispersal *opened;
    uint64_t damaged[3];
    size_t size;
    file made, other;
    make(&made, 2, 3, 5 * 2 * TALLY_DISPERSAL_PART);
    begin(&made);
    make(&other, 2, 3, 5 * 2 * TALLY_DISPERSAL_PART);
    begin(&other);
    encode(&other, 5);
    for (int kind = 0; kind < 4; kind++) {
        encode(&made, 5);
        opened = open_file(&made, indices, 3);
        uint8_t *records = made.shares[1] + made.head;
        CHECK_ABOUT("mistaken, kind %d", kind);
        if (kind == 0) { /* two stripes exchanged */
            memcpy(records + record, made.shares[1] + made.head + 2 * record, record);
            memcpy(records + 2 * record, records, record);
        } else if (kind == 1) { /* another share's part */
            memcpy(records + record, made.shares[0] + made.head + record, record);
            memcpy(records + 2 * record, made.shares[2] + made.head + 2 * record, record);
        } else if (kind == 2) { /* another file's part */
            memcpy(records + record, other.shares[1] + made.head + record, 2 * record);
        } else { /* the last record, earlier */
            memcpy(records + record, records + 4 * record, record);
            memcpy(records + 2 * record, records + 4 * record, record);
        }
        CHECK_EQUAL(decode(&made, opened, indices, 3, 2, NULL, damaged, &size), TALLY_OK);
        CHECK_EQUAL(size, made.size);
        CHECK_BYTES(made.out, made.data, made.size);
        CHECK_EQUAL(damaged[0], 0);
        CHECK_EQUAL(damaged[1], 2);
        CHECK_EQUAL(damaged[2], 0);
    }
    encode(&made, 5);
    for (size_t cut = 0; cut <= made.records + 1; cut += cut % record == 2 ? record - 5 : 1) {
        const size_t ends[3] = {made.records, cut, made.records};
        CHECK_ABOUT("share 2 ends after %zu bytes", cut);
        CHECK_EQUAL(decode(&made, opened, indices, 3, 2, ends, damaged, &size), TALLY_OK);
        CHECK_EQUAL(size, made.size);
        CHECK_BYTES(made.out, made.data, made.size);
        CHECK_EQUAL(damaged[0] + damaged[2], 0);
        CHECK_EQUAL(damaged[1], 5 - cut / record);
        const size_t both[3] = {cut, cut, cut};
        if (cut < made.records) {
            CHECK_EQUAL(decode(&made, opened, indices, 3, 3, both, damaged, &size),
                        TALLY_ERROR_SHARES_FEW);
            CHECK_EQUAL(size, cut / record * 2 * TALLY_DISPERSAL_PART);
        } else { /* what follows the last record is left out */
            CHECK_EQUAL(decode(&made, opened, indices, 3, 3, both, damaged, &size), TALLY_OK);
            CHECK_BYTES(made.out, made.data, made.size);
        }
    }
    dispose(&made);
    dispose(&other);
}

/* Lost records, made again by whoever recovered the file, are what they were. */
static void test_encoded_again(void)
{
    static const uint8_t indices[3] = {2, 4, 5};
    tally_dispersal *opened;
    uint64_t damaged[3];
    size_t size;
    file made, again;
    make(&made, 3, 5, 2 * 3 * TALLY_DISPERSAL_PART + 99);
    begin(&made);
    encode(&made, 2);
    opened = open_file(&made, indices, 3);
    CHECK_EQUAL(decode(&made, opened, indices, 3, 2, NULL, damaged, &size), TALLY_OK);
    make(&again, 3, 5, made.size);
    memcpy(again.data, made.out, made.size);
    memcpy(again.dispersal, opened, tally_dispersal_size(&made.params));
    encode(&again, 3);
    for (size_t i = 0; i < 5; i++) {
        CHECK_ABOUT("share %zu, encoded again", i + 1);
        CHECK_BYTES(again.shares[i] + made.head, made.shares[i] + made.head, made.records);
    }
    dispose(&made);
    dispose(&again);
}

static void test_refusals(void)
{
    file made;
    tally_dispersal *opened;
    tally_dispersal_found found;
    uint64_t damaged[MOST + 1] = {0};
    make(&made, 2, 3, 4);
    begin(&made);
    CHECK_ABOUT("refusals");
    CHECK_EQUAL(tally_dispersal_encode(made.dispersal, 0, made.data, 4, 0, made.shares),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_dispersal_encode(made.dispersal, 0, made.data, 0, 0, made.shares),
                TALLY_ERROR_ARGUMENT);
    static const uint8_t wrong[][3] = {{0, 1, 2}, {1, 2, 2}, {1, 2, 4}, {255, 1, 2}};
    const uint8_t *records[3] = {made.shares[0], made.shares[1], made.shares[2]};
    const size_t sizes[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQUAL(tally_dispersal_decode(made.dispersal, 0, 1, wrong[i], records, sizes, 3,
                                           made.out, damaged, &found),
                    TALLY_ERROR_ARGUMENT);
    }
    static const uint8_t some[3] = {1, 3, 2};
    CHECK_EQUAL(tally_dispersal_encode(made.dispersal, 0, made.data, 4, 1, made.shares), TALLY_OK);
    const size_t whole[3] = {20, 36, 35};
    CHECK_EQUAL(tally_dispersal_decode(made.dispersal, 0, 1, some, records, whole, 3, made.out,
                                       damaged, &found),
                TALLY_ERROR_SHARES_FEW);
    CHECK_EQUAL(found.missing[0], 1 << 1 | 1 << 2 | 1 << 3);
    const size_t two[3] = {36, 35, 36};
    made.shares[2][7] ^= 1;
    CHECK_EQUAL(tally_dispersal_decode(made.dispersal, 0, 1, some, records, two, 3, made.out,
                                       damaged, &found),
                TALLY_ERROR_SHARES_FEW);
    CHECK_EQUAL(found.missing[0], 1 << 3 | 1 << 2);
    CHECK_EQUAL(tally_dispersal_decode(made.dispersal, 0, 1, wrong[0], records, sizes, 0, made.out,
                                       damaged, &found),
                TALLY_ERROR_SHARES_FEW);
    tally_shares_params params = made.params;
    params.kind = TALLY_SHARES_SECRET;
    static uint8_t memory[1 << 14];
    const size_t size = tally_dispersal_size(&made.params);
    CHECK_EQUAL(tally_dispersal_size(&params), 0);
    CHECK_EQUAL(tally_dispersal_init(&params, NULL, 0, memory, sizeof memory, &opened, made.shares),
                TALLY_ERROR_ARGUMENT);
    params = made.params;
    params.secret_size = 31;
    CHECK_EQUAL(tally_dispersal_init(&params, NULL, 0, memory, sizeof memory, &opened, made.shares),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_dispersal_init(&made.params, NULL, 0, memory, size - 1, &opened, made.shares),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_dispersal_init(&made.params, NULL, 0, NULL, size, &opened, made.shares),
                TALLY_ERROR_ARGUMENT);
    tally_share share;
    begin(&made);
    CHECK_EQUAL(tally_shares_read(made.shares[0], made.head, &share), TALLY_SHARE_GOOD);
    share.params.kind = TALLY_SHARES_SECRET;
    CHECK_EQUAL(tally_dispersal_init_with_key(&share, made.data, memory, sizeof memory, &opened),
                TALLY_ERROR_ARGUMENT);
    share.params.kind = TALLY_SHARES_FILE;
    CHECK_EQUAL(tally_dispersal_init_with_key(&share, made.data, memory, size - 1, &opened),
                TALLY_ERROR_ARGUMENT);
    dispose(&made);
}

/* Memory of every alignment, of which no byte is touched before or behind, and none of the keys is
 * left in the end. */
static void test_memory(void)
{
    enum { AROUND = 64 };
    static const uint8_t key[TALLY_DISPERSAL_KEY] = {1, 2, 3}, zeros[sizeof(tally_dispersal)] = {0};
    static const uint32_t sets[][2] = {{2, 2}, {2, 3}, {3, 5}, {128, 255}};
    static uint8_t memory[(1 << 15) + 2 * AROUND];
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        tally_share share = {.params = {.kind = TALLY_SHARES_FILE,
                                        .threshold = sets[i][0],
                                        .count = sets[i][1],
                                        .secret_size = TALLY_DISPERSAL_KEY}};
        const size_t size = tally_dispersal_size(&share.params);
        CHECK_ABOUT("%u of %u", sets[i][0], sets[i][1]);
        CHECK(size <= sizeof memory - 2 * AROUND);
        CHECK(size < 5000 + (size_t)sets[i][0] * (sets[i][1] - sets[i][0]));
        for (size_t at = 1; at <= AROUND; at++) {
            tally_dispersal *opened = NULL;
            memset(memory, 0xA5, sizeof memory);
            CHECK_EQUAL(tally_dispersal_init_with_key(&share, key, memory + at, size, &opened),
                        TALLY_OK);
            CHECK_EQUAL(tally_dispersal_share_count(opened), sets[i][1]);
            CHECK_EQUAL(memory[at - 1], 0xA5);
            CHECK_EQUAL(memory[at + size], 0xA5);
            tally_dispersal_wipe(opened);
            CHECK_BYTES((const uint8_t *)opened, zeros, sizeof zeros);
        }
    }
}

/* Every shard out of every choice of the others, on each back end. */
static void test_reed_solomon(void)
{
    enum { SIZE = 300 };
    static uint8_t shards[MOST][SIZE], made[MOST][SIZE], matrix[MOST * MOST];
    static const uint32_t levels[] = {
        UINT32_MAX, ~(uint32_t)(TALLY_CPU_AVX512 | TALLY_CPU_AVX512VBMI),
        ~(uint32_t)(TALLY_CPU_AVX512 | TALLY_CPU_AVX512VBMI | TALLY_CPU_GFNI), 0};
    for (int round = 0; round < random_cases(200); round++) {
        const size_t count = 2 + random_below(round % 20 == 0 ? 254 : 12);
        const size_t inputs = 1 + random_below(count - 1), size = random_below(SIZE + 1);
        uint8_t order[MOST], *out[MOST];
        const uint8_t *in[MOST];
        tally_cpu_lower(levels[round % 4]);
        CHECK_ABOUT("Reed-Solomon %zu of %zu, %zu bytes", inputs, count, size);
        for (size_t i = 0; i < count; i++) {
            const size_t at = random_below(i + 1);
            order[i] = order[at];
            order[at] = (uint8_t)(i + 1);
        }
        /* Any `inputs` shards fix the others; those, or a part of them, then give the first
         * back. */
        for (size_t i = 0; i < inputs; i++) {
            random_bytes(shards[order[i] - 1], size);
            in[i] = shards[order[i] - 1];
        }
        for (size_t i = inputs; i < count; i++) {
            out[i - inputs] = shards[order[i] - 1];
        }
        CHECK_EQUAL(
            tally_reed_solomon_matrix(order, inputs, order + inputs, count - inputs, matrix),
            TALLY_OK);
        tally_reed_solomon_apply(matrix, in, inputs, count - inputs, size, out);
        const size_t lost = 1 + random_below(inputs < count - inputs ? inputs : count - inputs);
        for (size_t i = 0; i < inputs; i++) {
            in[i] = shards[order[lost + i] - 1];
        }
        for (size_t i = 0; i < lost; i++) {
            out[i] = made[i];
        }
        CHECK_EQUAL(tally_reed_solomon_matrix(order + lost, inputs, order, lost, matrix), TALLY_OK);
        tally_reed_solomon_apply(matrix, in, inputs, lost, size, out);
        for (size_t i = 0; i < lost; i++) {
            CHECK_BYTES(made[i], shards[order[i] - 1], size);
        }
    }
    tally_cpu_lower(UINT32_MAX);
    static const uint8_t good[2] = {1, 2}, twice[2] = {3, 3}, zero[2] = {0, 3}, both[2] = {2, 3};
    CHECK_ABOUT("Reed-Solomon, refusals");
    CHECK_EQUAL(tally_reed_solomon_matrix(good, 2, twice, 2, matrix), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_reed_solomon_matrix(twice, 2, good, 2, matrix), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_reed_solomon_matrix(good, 2, zero, 2, matrix), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_reed_solomon_matrix(good, 2, both, 2, matrix), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_reed_solomon_matrix(good, 0, both, 1, matrix), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_reed_solomon_matrix(good, 1, both, 0, matrix), TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_reed_solomon_matrix(good, 256, both, 1, matrix), TALLY_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    test_vectors();
    if (check_vectors_only(argc, argv)) {
        return check_end("dispersal");
    }
    test_reed_solomon();
    test_round_trips();
    test_every_byte();
    test_mistaken();
    test_encoded_again();
    test_refusals();
    test_memory();
    free(opened_memory);
    return check_end("dispersal");
}
