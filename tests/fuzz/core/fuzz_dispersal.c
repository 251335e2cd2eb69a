/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispersal. Data is encoded at once and in pieces, by any back ends. Then records are damaged,
 * cut, or forged with the keys, and decoded at once and in pieces with the key that some key shares
 * give. Damaged records release only the data that was encoded, and all of it if enough records are
 * left. An altered key share is identified, and opens nothing. */
#include "fuzz.h"
#include "sharing/dispersal.h"

enum { FEW_SHARES = 6, MOST_SHARES = 255, MOST_STRIPES = 3, FEW_BYTES = 2000 };

/* Data, its records, and where each share's end. */
typedef struct dispersed {
    tally_shares_params params;
    tally_dispersal *dispersal;
    uint8_t *memory; /* of the dispersal */
    size_t memory_size;
    uint8_t *data;
    size_t size, stripe, bytes; /* of the data, of a stripe, of a share's records */
    uint8_t *heads[MOST_SHARES];
    size_t head; /* bytes of each */
    uint8_t *records[MOST_SHARES];
    size_t sizes[MOST_SHARES];
    bool whole[MOST_SHARES]; /* nothing was done to this one */
    bool forged;
} dispersed;

/* Bytes that are cheap to make out of a few of the input. */
static uint8_t *take_data(fuzz_input *input, size_t size)
{
    uint8_t *data = fuzz_buffer(size);
    uint64_t state = fuzz_number(input, 8);
    for (size_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        data[i] = (uint8_t)(state >> 56);
    }
    return data;
}

static void allocate(dispersed *made)
{
    made->memory_size = tally_dispersal_size(&made->params);
    made->memory = fuzz_buffer(made->memory_size);
}

static void begin(fuzz_input *input, dispersed *made)
{
    allocate(made);
    const uint8_t *entropy = fuzz_bytes(input, 32), *salt = fuzz_bytes(input, TALLY_SHARE_SALT);
    made->head = tally_shares_size(&made->params);
    for (uint32_t i = 0; i < made->params.count; i++) {
        made->heads[i] = fuzz_buffer(made->head);
    }
    CHECK_EQUAL(tally_dispersal_init_with_entropy(&made->params, entropy, salt, made->data,
                                                  made->size, made->memory, made->memory_size,
                                                  &made->dispersal, made->heads),
                TALLY_OK);
}

/* Encodes `stripes` at once. */
static void encode(dispersed *made, size_t stripes, uint8_t *const records[])
{
    size_t done = 0, at = 0;
    for (bool is_last = false; !is_last;) {
        const size_t left = made->size - done, most = stripes * made->stripe;
        const size_t some = left < most ? left : most;
        uint8_t *to[MOST_SHARES];
        is_last = some == left;
        for (uint32_t i = 0; i < made->params.count; i++) {
            to[i] = records[i] + at;
        }
        CHECK_EQUAL(tally_dispersal_encode(made->dispersal, done / made->stripe, made->data + done,
                                           some, is_last, to),
                    TALLY_OK);
        at += tally_dispersal_records_size(made->dispersal, some, is_last);
        done += some;
    }
    CHECK_EQUAL(at, made->bytes);
}

/* Gives a share's record another header, and a tag that says it is right. */
static void forge_one(dispersed *made, uint32_t share, size_t stripe, uint32_t header)
{
    const size_t at = stripe * TALLY_DISPERSAL_RECORD;
    const size_t part = tally_record_part(made->dispersal, header & ~TALLY_RECORD_LAST);
    const size_t whole = TALLY_RECORD_HEADER + part + TALLY_RECORD_TAG;
    if (at > made->sizes[share] || whole > made->sizes[share] - at) {
        return;
    }
    uint8_t *record = made->records[share] + at, head[16];
    for (size_t i = 0; i < 4; i++) {
        record[i] = (uint8_t)(header >> (24 - 8 * i));
    }
    if ((header & TALLY_RECORD_LAST) != 0) {
        made->sizes[share] = at + whole;
    }
    tally_cmac_state state;
    tally_record_first_block(stripe, record, (uint8_t)(share + 1), head);
    tally_cmac_init(&state, &made->dispersal->mac);
    tally_cmac_update(&state, head, sizeof head);
    tally_cmac_update(&state, record + TALLY_RECORD_HEADER, part);
    tally_cmac_final(&state, record + TALLY_RECORD_HEADER + part);
    made->whole[share] = false;
    made->forged = true;
}

/* What one who has the keys can do: the same lie in every share, about the size of a stripe. */
static void forge(fuzz_input *input, dispersed *made)
{
    const size_t stripe = fuzz_below(input, made->bytes / TALLY_DISPERSAL_RECORD + 1);
    const uint32_t kind = fuzz_below(input, 4), number = (uint32_t)fuzz_number(input, 4);
    uint32_t header = number;
    if (kind != 0) { /* near a whole stripe, or below, and most often the last */
        header = kind == 1 ? (uint32_t)made->stripe + number % 64 - 32
                           : number % (uint32_t)(2 * made->stripe);
        header |= (number >> 24) % 4 != 0 ? TALLY_RECORD_LAST : 0;
    }
    for (uint32_t share = 0; share < made->params.count; share++) {
        forge_one(made, share, stripe, header);
    }
}

static void damage(fuzz_input *input, dispersed *made)
{
    const bool may_forge = fuzz_below(input, 4) == 0;
    for (uint32_t edits = fuzz_below(input, 8); edits > 0; edits--) {
        const uint32_t share = fuzz_below(input, made->params.count), what = fuzz_below(input, 4);
        if (made->sizes[share] == 0) {
            continue;
        }
        if (what == 1 && may_forge) {
            forge(input, made);
            continue;
        }
        made->whole[share] = false;
        if (what == 0) {
            made->sizes[share] = fuzz_below(input, made->sizes[share]);
        } else {
            const size_t at = fuzz_below(input, made->sizes[share]);
            made->records[share][at] ^= (uint8_t)(1 + fuzz_below(input, 255));
        }
    }
}

/* The result of decoding all of it. */
typedef struct released {
    tally_status status;
    uint8_t *data;
    size_t size;
    uint64_t stripes, damaged[MOST_SHARES];
} released;

static released decode(dispersed *made, const uint8_t *indices, size_t count, size_t stripes)
{
    released out = {.data = fuzz_buffer((MOST_STRIPES + 2) * made->stripe)};
    tally_dispersal_found found = {0};
    while (out.status == TALLY_OK && found.is_last == 0 && out.stripes <= MOST_STRIPES) {
        const uint8_t *records[MOST_SHARES];
        size_t sizes[MOST_SHARES];
        const size_t at = (size_t)out.stripes * TALLY_DISPERSAL_RECORD;
        const size_t most = stripes * TALLY_DISPERSAL_RECORD;
        for (size_t i = 0; i < count; i++) {
            const size_t end = made->sizes[indices[i] - 1];
            sizes[i] = at > end ? 0 : end - at < most ? end - at : most;
            records[i] = fuzz_buffer(sizes[i]);
            if (sizes[i] > 0) {
                memcpy((uint8_t *)(uintptr_t)records[i], made->records[indices[i] - 1] + at,
                       sizes[i]);
            }
        }
        uint8_t *to = fuzz_buffer(stripes * made->stripe);
        out.status = tally_dispersal_decode(made->dispersal, out.stripes, stripes, indices, records,
                                            sizes, count, to, out.damaged, &found);
        CHECK(out.status == TALLY_OK || out.status == TALLY_ERROR_SHARES_FEW);
        CHECK(found.stripes <= stripes && found.size <= found.stripes * made->stripe);
        if (out.stripes <= MOST_STRIPES && found.size <= 2 * made->stripe * stripes &&
            out.size + found.size <= (MOST_STRIPES + 2) * made->stripe) {
            memcpy(out.data + out.size, to, found.size);
            out.size += found.size;
        }
        out.stripes += found.stripes;
        if (out.status == TALLY_OK && found.stripes == 0) {
            break;
        }
    }
    return out;
}

/* What the product has when it recovers: the heads of `threshold` shares, from one on, with what
 * follows them in a file. Combines them, and gives the key. */
static tally_share combine(fuzz_input *input, const dispersed *made, size_t behind,
                           uint8_t key[TALLY_DISPERSAL_KEY])
{
    const uint8_t *given[MOST_SHARES + 1];
    size_t sizes[MOST_SHARES + 1], count = made->params.threshold;
    tally_share_verdict verdicts[MOST_SHARES + 1];
    tally_shares_found found;
    const uint32_t first = fuzz_below(input, made->params.count);
    for (size_t i = 0; i <= count; i++) { /* and one more, which is altered */
        uint8_t *head = fuzz_buffer(made->head + behind);
        memcpy(head, made->heads[(first + i) % made->params.count], made->head);
        sizes[i] = made->head + behind;
        given[i] = head;
    }
    /* Any byte, but most often one of the header: magic, version, kind, threshold, count, index,
     * sizes. */
    const uint32_t where = fuzz_below(input, 256);
    const size_t at = where < 128 ? where % TALLY_SHARE_HEADER : where % made->head;
    uint8_t *altered = (uint8_t *)(uintptr_t)given[count];
    altered[at] ^= (uint8_t)(1 + fuzz_below(input, 255));
    tally_share read;
    memset(&read, FUZZ_GUARD, sizeof read);
    const tally_share_verdict verdict = tally_shares_read(altered, sizes[count], &read);
    CHECK(verdict == TALLY_SHARE_MALFORMED || verdict == TALLY_SHARE_DAMAGED);
    CHECK(verdict == TALLY_SHARE_DAMAGED || read.size == 0);

    memset(key, FUZZ_GUARD, TALLY_DISPERSAL_KEY);
    CHECK_EQUAL(tally_shares_recover(given + 1, sizes + 1, count, NULL, verdicts, &found, key,
                                     TALLY_DISPERSAL_KEY),
                TALLY_ERROR_SHARES_FEW);
    CHECK_EQUAL(verdicts[count - 1], verdict);
    CHECK_EQUAL(found.good, count - 1);
    for (size_t i = 0; i < TALLY_DISPERSAL_KEY; i++) {
        CHECK(key[i] == FUZZ_GUARD || key[i] == 0);
    }
    CHECK_EQUAL(tally_shares_recover(given, sizes, count + 1, NULL, verdicts, &found, key,
                                     TALLY_DISPERSAL_KEY),
                TALLY_OK);
    CHECK_EQUAL(verdicts[count], verdict);
    CHECK_EQUAL(found.good, count);
    CHECK_EQUAL(found.first.params.kind, TALLY_SHARES_FILE);
    CHECK_EQUAL(found.first.size, made->head);
    return found.first;
}

/* A head that is not of a dispersed file, by some of what tally_shares_read can say. */
static void open_altered(fuzz_input *input, const tally_share *first,
                         const uint8_t key[TALLY_DISPERSAL_KEY])
{
    tally_share other = *first;
    tally_shares_params *params = &other.params;
    uint32_t *const fields[] = {&params->kind, &params->secret_size, &params->threshold,
                                &params->count, &params->label_size};
    const uint32_t which = fuzz_below(input, 5), number = (uint32_t)fuzz_number(input, 4);
    const bool near = fuzz_below(input, 2) == 0;
    *fields[which] = near ? *fields[which] + number % 16 - 8 : number;
    const bool fits = params->kind == TALLY_SHARES_FILE &&
                      params->secret_size == TALLY_DISPERSAL_KEY && params->threshold >= 2 &&
                      params->threshold <= params->count && params->count <= 255 &&
                      params->label_size <= TALLY_SHARES_MAX_LABEL;
    const size_t needed = tally_dispersal_size(params);
    CHECK_EQUAL(needed != 0, fits);
    const size_t memory_size = fits ? needed : TALLY_DISPERSAL_PART;
    uint8_t *memory = fuzz_buffer(memory_size);
    tally_dispersal *out = NULL;
    CHECK_EQUAL(tally_dispersal_init_with_key(&other, key, memory, memory_size - fits, &out),
                TALLY_ERROR_ARGUMENT);
    fuzz_untouched(memory, memory_size);
    CHECK_EQUAL(tally_dispersal_init_with_key(&other, key, memory, memory_size, &out),
                fits ? TALLY_OK : TALLY_ERROR_ARGUMENT);
    if (!fits) {
        fuzz_untouched(memory, memory_size);
        CHECK(out == NULL);
    } else {
        CHECK_EQUAL(tally_dispersal_stripe_size(out),
                    (size_t)params->threshold * TALLY_DISPERSAL_PART);
    }
}

/* With a key or a set that is not the file's, no part is authentic. */
static void open_falsely(fuzz_input *input, const dispersed *made, tally_share first,
                         const uint8_t key[TALLY_DISPERSAL_KEY])
{
    uint8_t other[TALLY_DISPERSAL_KEY];
    memcpy(other, key, sizeof other);
    const uint32_t at = fuzz_below(input, sizeof other + sizeof first.set);
    *(at < sizeof other ? &other[at] : &first.set[at - sizeof other]) ^=
        (uint8_t)(1 + fuzz_below(input, 255));
    tally_dispersal *out = NULL;
    const size_t memory_size = tally_dispersal_size(&first.params);
    CHECK_EQUAL(
        tally_dispersal_init_with_key(&first, other, fuzz_buffer(memory_size), memory_size, &out),
        TALLY_OK);
    const uint8_t *records[MOST_SHARES];
    uint8_t indices[MOST_SHARES], *to = fuzz_buffer(made->stripe);
    uint64_t damaged[MOST_SHARES] = {0};
    tally_dispersal_found found;
    for (uint32_t i = 0; i < made->params.count; i++) {
        indices[i] = (uint8_t)(i + 1);
        records[i] = made->records[i];
    }
    CHECK_EQUAL(tally_dispersal_decode(out, 0, 1, indices, records, made->sizes, made->params.count,
                                       to, damaged, &found),
                TALLY_ERROR_SHARES_FEW);
    CHECK(found.size == 0 && found.stripes == 0);
    fuzz_untouched(to, made->stripe);
}

/* With the system's own randomness, so that nothing of a run is in its input; what is checked holds
 * of any. Parameters of any values, or the encoded data comes back by the key that the heads
 * give. */
static void check_begin(fuzz_input *input, const dispersed *made)
{
    tally_shares_params params = made->params;
    dispersed own = {.params = made->params, .data = made->data};
    uint32_t *const fields[] = {&params.kind, &params.secret_size, &params.threshold, &params.count,
                                &params.label_size};
    const uint32_t which = fuzz_below(input, 5);
    *fields[which] = fuzz_below(input, 300);
    const bool fits = params.kind == TALLY_SHARES_FILE &&
                      params.secret_size == TALLY_DISPERSAL_KEY && params.threshold >= 2 &&
                      params.threshold <= params.count && params.count <= 255;
    uint8_t *untouched = fuzz_buffer(TALLY_DISPERSAL_PART);
    if (!fits && params.label_size <= TALLY_SHARES_MAX_LABEL) {
        CHECK_EQUAL(tally_dispersal_init(&params, made->data, made->size, untouched,
                                         TALLY_DISPERSAL_PART, &own.dispersal, NULL),
                    TALLY_ERROR_ARGUMENT);
        fuzz_untouched(untouched, TALLY_DISPERSAL_PART);
    }
    allocate(&own);
    own.head = tally_shares_size(&own.params);
    for (uint32_t i = 0; i < own.params.count; i++) {
        own.heads[i] = fuzz_buffer(own.head);
    }
    CHECK_EQUAL(tally_dispersal_init(&own.params, made->data, made->size, own.memory,
                                     own.memory_size, &own.dispersal, own.heads),
                TALLY_OK);
    own.stripe = made->stripe;
    own.size = made->size < 100 ? made->size : 100;
    own.bytes = tally_dispersal_records_size(own.dispersal, own.size, 1);
    uint8_t indices[MOST_SHARES], key[TALLY_DISPERSAL_KEY];
    for (uint32_t i = 0; i < own.params.count; i++) {
        own.records[i] = fuzz_buffer(own.bytes);
        own.sizes[i] = own.bytes;
        indices[i] = (uint8_t)(own.params.count - i);
    }
    encode(&own, 1, own.records);
    const tally_share first = combine(input, &own, 0, key);
    CHECK_EQUAL(
        tally_dispersal_init_with_key(&first, key, own.memory, own.memory_size, &own.dispersal),
        TALLY_OK);
    const released out = decode(&own, indices, own.params.threshold, 1);
    CHECK_EQUAL(out.status, TALLY_OK);
    CHECK_EQUAL(out.size, own.size);
    CHECK_BYTES(out.data, own.data, own.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    static const uint8_t label[TALLY_SHARES_MAX_LABEL] = "file";
    dispersed made = {.params = {.kind = TALLY_SHARES_FILE,
                                 .secret_size = TALLY_DISPERSAL_KEY,
                                 .label_size = 4,
                                 .label = label}};
    made.params.count = 2 + fuzz_size(&input, FEW_SHARES - 1, MOST_SHARES - 2);
    made.params.threshold = 2 + fuzz_below(&input, made.params.count - 1);
    const bool many = made.params.count > FEW_SHARES; /* a stripe of so many would take seconds */
    made.params.label_size = many ? TALLY_SHARES_MAX_LABEL : 4;
    made.stripe = (size_t)made.params.threshold * TALLY_DISPERSAL_PART;
    made.size = fuzz_below(&input, 4) == 0 && !many
                    ? fuzz_below(&input, MOST_STRIPES * made.stripe + 1)
                    : fuzz_below(&input, FEW_BYTES);
    made.data = take_data(&input, made.size);
    fuzz_cpu(&input);
    begin(&input, &made);
    CHECK_EQUAL(tally_dispersal_stripe_size(made.dispersal), made.stripe);
    made.bytes = tally_dispersal_records_size(made.dispersal, made.size, 1);
    uint8_t *again[MOST_SHARES];
    for (uint32_t i = 0; i < made.params.count; i++) {
        made.records[i] = fuzz_buffer(made.bytes);
        again[i] = fuzz_buffer(made.bytes);
        made.sizes[i] = made.bytes;
        made.whole[i] = true;
    }
    encode(&made, 1 + fuzz_below(&input, 3), made.records);
    fuzz_cpu(&input);
    encode(&made, MOST_STRIPES + 1, again);
    for (uint32_t i = 0; i < made.params.count; i++) {
        CHECK_BYTES(made.records[i], again[i], made.bytes);
    }

    damage(&input, &made);
    uint8_t indices[MOST_SHARES];
    size_t count = 0, whole = 0;
    const uint32_t given = fuzz_below(&input, 256), first = fuzz_below(&input, FEW_SHARES);
    for (uint32_t i = 0; i < made.params.count; i++) {
        const uint32_t share = (first + i) % made.params.count;
        if ((given >> share % 8 & 1) == 0) {
            indices[count++] = (uint8_t)(share + 1);
            whole += made.whole[share];
        }
    }
    /* From here on nothing is left of the encoder's state. */
    uint8_t key[TALLY_DISPERSAL_KEY];
    const tally_share opened = combine(&input, &made, fuzz_below(&input, 64), key);
    open_altered(&input, &opened, key);
    open_falsely(&input, &made, opened, key);
    memset(made.memory, FUZZ_GUARD, made.memory_size);
    CHECK_EQUAL(
        tally_dispersal_init_with_key(&opened, key, made.memory, made.memory_size, &made.dispersal),
        TALLY_OK);
    const released at_once = decode(&made, indices, count, MOST_STRIPES + 2);
    fuzz_cpu(&input);
    const released pieces = decode(&made, indices, count, 1 + fuzz_below(&input, 2));
    CHECK_EQUAL(at_once.status, pieces.status);
    if (!made.forged) {
        CHECK_EQUAL(at_once.size, pieces.size);
        CHECK_EQUAL(at_once.stripes, pieces.stripes);
        CHECK(at_once.size <= made.size);
        CHECK_BYTES(at_once.data, made.data, at_once.size);
        CHECK_BYTES(pieces.data, made.data, pieces.size);
        CHECK(at_once.status != TALLY_OK || at_once.size == made.size);
        CHECK(whole < made.params.threshold || at_once.status == TALLY_OK);
        for (size_t i = 0; i < count; i++) {
            CHECK_EQUAL(at_once.damaged[i], pieces.damaged[i]);
            CHECK(!made.whole[indices[i] - 1] || at_once.damaged[i] == 0);
        }
    }
    for (uint32_t i = 0; i < made.params.count; i++) { /* lost records are made again */
        memset(made.records[i], FUZZ_GUARD, made.bytes);
    }
    encode(&made, 1 + fuzz_below(&input, 3), made.records);
    for (uint32_t i = 0; i < made.params.count; i++) {
        CHECK_BYTES(made.records[i], again[i], made.bytes);
    }
    check_begin(&input, &made);
    return fuzz_end();
}
