/* SPDX-License-Identifier: Apache-2.0
 *
 * Secrets: keys by their prefixes, JWTs, PEM blocks, random strings; and the terms and patterns of a
 * user, which are found like keys. */
#include <string.h>

#include "base/bits.h"
#include "scan/masks.h"
#include "scan/scanner.h"

enum {
    SECRETS_HEADER = 1024, /* characters of the parts of a JWT */
    SECRETS_PAYLOAD = 12288,
    SECRETS_SIGNATURE = 2048,
    SECRETS_LABEL = 64, /* of a PEM block */
    SECRETS_RUN_LEAST = 20,
    SECRETS_HEX_LEAST = 32,
    SECRETS_DIFFERENT = 8, /* characters of a key, at least; else it is a placeholder */
    SECRETS_BIT = 65536
};

/* Whether a match of a key looks like one of a manual: AKIA...EXAMPLE, ghp_xxxx. */
static int secrets_is_placeholder(const uint8_t *at, size_t size)
{
    uint64_t seen[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < size; i++) {
        seen[at[i] / 64] |= UINT64_C(1) << (at[i] % 64);
    }
    return tally_bits_count(seen[0]) + tally_bits_count(seen[1]) < SECRETS_DIFFERENT ||
           (size >= 7 && memcmp(at + size - 7, "EXAMPLE", 7) == 0);
}

static void secrets_patterns(tally_scanner *s, const uint8_t *at)
{
    const tally_scan_rules *rules = s->rules;
    for (size_t word = 0; word * 64 < rules->patterns; word++) {
        for (uint64_t left = rules->of_first[at[0]][word]; left != 0; left &= left - 1) {
            const scan_pattern *pattern = &rules->pattern[word * 64 + tally_bits_lowest(left)];
            const size_t size = tally_scan_match(pattern, at, &s->steps);
            uint32_t certainty = pattern->certainty;
            if (size == 0 || (scan_is(at[size - 1], SCAN_WORD) && scan_is(at[size], SCAN_WORD))) {
                continue;
            }
            s->steps += (pattern->kind == TALLY_SCAN_KEY) * size +
                        (pattern->check == SCAN_CHECK_CRC32) * size;
            if (pattern->kind == TALLY_SCAN_KEY &&
                (secrets_is_placeholder(at, size) ||
                 (pattern->check == SCAN_CHECK_CRC32 && !tally_scan_crc32(at, size)))) {
                certainty = TALLY_SCAN_WEAK;
            }
            tally_scan_add(s, at, size, (tally_scan_kind)pattern->kind, pattern->rule, certainty);
        }
    }
}

/* The first of terms low .. high - 1, equal before `depth`, whose byte there is not below `byte`. */
static size_t secrets_bound(const tally_scan_rules *rules, size_t low, size_t high, uint32_t depth,
                            uint32_t byte)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const scan_term *term = rules->sorted[middle];
        if (term->size <= depth || term->text[depth] < byte) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The longest term that begins here and ends at the end of a word. */
static void secrets_terms(tally_scanner *s, const uint8_t *at)
{
    const tally_scan_rules *rules = s->rules;
    const scan_term *found = NULL;
    size_t low = 0, high = rules->terms;
    for (uint32_t depth = 0; low < high && depth < TALLY_SCAN_MAX_TERM; depth++) {
        const uint32_t byte = scan_fold(at[depth]);
        low = secrets_bound(rules, low, high, depth, byte);
        high = secrets_bound(rules, low, high, depth, byte + 1);
        const scan_term *term = low < high ? rules->sorted[low] : NULL;
        if (term != NULL && term->size == depth + 1 &&
            !(scan_is(at[depth], SCAN_WORD) && scan_is(at[depth + 1], SCAN_WORD))) {
            found = term;
        }
        s->steps++;
    }
    if (found != NULL) {
        tally_scan_add(s, at, found->size, TALLY_SCAN_LIST, found->rule, TALLY_SCAN_STRONG);
    }
}

void tally_scan_prefixed(tally_scanner *s, const uint8_t *at)
{
    if (!scan_begins(s->rules, at)) {
        return;
    }
    secrets_patterns(s, at);
    if (s->rules->terms > 0) {
        secrets_terms(s, at);
    }
}

static size_t secrets_part(const uint8_t *at, size_t most)
{
    size_t size = 0;
    while (size < most && scan_is(at[size], SCAN_BASE64URL)) {
        size++;
    }
    return size;
}

static uint32_t secrets_six_bits(uint8_t c)
{
    return c >= 'a'   ? c - 'a' + 26U
           : c == '_' ? 63U
           : c >= 'A' ? (uint32_t)(c - 'A')
           : c == '-' ? 62U
                      : c - '0' + 52U;
}

/* Memory for the only allocation of tally_json_parse. */
typedef struct secrets_memory {
    _Alignas(16) uint8_t bytes[32 * 1024];
    int taken;
} secrets_memory;

static void *secrets_allocate(void *context, size_t size)
{
    secrets_memory *memory = context;
    return memory->taken++ == 0 && size <= sizeof memory->bytes ? memory->bytes : NULL;
}

static void secrets_release(void *context, void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
}

/* Whether base64url is a JSON object that has "alg". */
static int secrets_is_header(const uint8_t *at, size_t size)
{
    char text[SECRETS_HEADER];
    size_t count = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 6 | secrets_six_bits(at[i]);
        if (i % 4 != 0) {
            text[count++] = (char)(uint8_t)(bits >> (2 * (3 - i % 4)));
        }
    }
    secrets_memory memory;
    memory.taken = 0;
    const tally_allocator allocator = {secrets_allocate, secrets_release, &memory};
    tally_json_document document = {0};
    if (size % 4 == 1 || tally_json_parse(&allocator, text, count, &document, NULL) != TALLY_OK) {
        return 0;
    }
    const int found = tally_json_member(document.root, "alg") != NULL;
    tally_json_free(&document);
    return found;
}

void tally_scan_jwt(tally_scanner *s, const uint8_t *at)
{
    if (!scan_wants(s, TALLY_SCAN_JWT) || at[-1] == '-' || at[-1] == '.') {
        return;
    }
    const size_t header = secrets_part(at, SECRETS_HEADER);
    s->steps += header;
    if (header == SECRETS_HEADER || at[header] != '.') {
        return;
    }
    s->steps += 2 * header;
    if (!secrets_is_header(at, header)) {
        return;
    }
    const uint8_t *p = at + header + 1;
    const size_t payload = secrets_part(p, SECRETS_PAYLOAD);
    s->steps += payload;
    if (payload == 0 || payload == SECRETS_PAYLOAD || p[payload] != '.') {
        return;
    }
    p += payload + 1;
    const size_t signature = secrets_part(p, SECRETS_SIGNATURE);
    s->steps += signature;
    if (signature < SECRETS_SIGNATURE) { /* none with "alg": "none" */
        tally_scan_add(s, at, (size_t)(p + signature - at), TALLY_SCAN_JWT, TALLY_SCAN_JWT,
                       TALLY_SCAN_STRONG);
    }
}

/* What may stand in a PEM block, also one that is a string of JSON. */
static int secrets_is_body(uint8_t byte)
{
    return scan_is(byte, SCAN_BASE64) ? byte != '-'
                                      : byte != 0 && strchr("= \t\r\n\\:,;.()\"", byte) != NULL;
}

void tally_scan_hyphens(tally_scanner *s, const uint8_t *at)
{
    static const char begin[] = "-----BEGIN ", end[] = "-----END ";
    size_t label = sizeof begin - 1, size;
    int private_key;
    if (at[1] != '-' || at[-1] == '-' || memcmp(at, begin, label) != 0 ||
        !scan_wants(s, TALLY_SCAN_PEM)) {
        return;
    }
    while (label < SECRETS_LABEL && (scan_is(at[label], SCAN_CAPITAL) || at[label] == ' ')) {
        label++;
    }
    private_key = label > 11 + 11 && memcmp(at + label - 11, "PRIVATE KEY", 11) == 0;
    private_key |= label > 11 + 16 && memcmp(at + label - 17, "PRIVATE KEY BLOCK", 17) == 0;
    private_key |= label == 11 + 11 && memcmp(at + 11, "PRIVATE KEY", 11) == 0;
    if (memcmp(at + label, "-----", 5) != 0) {
        return;
    }
    size = label + 5;
    const size_t most = TALLY_SCAN_MAX_FINDING - 128;
    while (size < most && (secrets_is_body(at[size]) || (at[size] == '-' && at[size + 1] != '-'))) {
        size++;
    }
    s->steps += size;
    const int ended = memcmp(at + size, end, sizeof end - 1) == 0 &&
                      memcmp(at + size + 9, at + 11, label - 11 + 5) == 0;
    size += ended ? 9 + label - 11 + 5 : 0;
    if (ended || private_key) {
        tally_scan_add(s, at, size, TALLY_SCAN_PEM, TALLY_SCAN_PEM,
                       private_key && ended ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
    }
}

/* The entropy of a run per character, in 65536ths of a bit: log2(n) - sum(c * log2(c)) / n. */
static uint32_t secrets_entropy(const uint8_t *at, uint32_t size)
{
    uint16_t count[128] = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size; i++) {
        count[at[i]]++;
    }
    for (uint32_t i = '+'; i <= 'z'; i++) {
        sum += tally_scan_weight(count[i]);
    }
    return (uint32_t)((tally_scan_weight(size) - sum) / size);
}

/* Whether more than one in eight of fewer than 64 characters are no letters and digits, as in a path
 * or a name in parts. */
static int secrets_is_path(const uint8_t *at, uint32_t size)
{
    const scan_masks masks = scan_find(at);
    const uint64_t plain = masks.word & ~masks.under & ((UINT64_C(1) << size) - 1);
    return (size - tally_bits_count(plain)) * 8 > size;
}

void tally_scan_run(tally_scanner *s, const uint8_t *at)
{
    uint32_t size = SECRETS_RUN_LEAST, digits = 0, upper = 0, lower = 0, hex = 0, others = 0;
    if (!scan_wants(s, TALLY_SCAN_ENTROPY)) {
        return;
    }
    while (size <= SCAN_ENTROPY_MOST && scan_is(at[size], SCAN_BASE64)) {
        size++;
    }
    s->steps += size;
    if (size > SCAN_ENTROPY_MOST) {
        return;
    }
    if (size < SCAN_BLOCK && secrets_is_path(at, size)) {
        return;
    }
    s->steps += 2 * (uint64_t)size; /* here and for the entropy */
    for (uint32_t i = 0; i < size; i++) {
        digits += (uint32_t)scan_is(at[i], SCAN_DIGIT);
        upper += at[i] >= 'A' && at[i] <= 'Z';
        lower += at[i] >= 'a' && at[i] <= 'z';
        hex += (uint32_t)scan_is(at[i], SCAN_HEX);
    }
    others = size - digits - upper - lower;
    if (digits == 0 || digits == size || (upper == 0 && lower == 0)) {
        return;
    }
    const int is_hex = hex == size && (upper == 0 || lower == 0);
    if (is_hex ? size < SECRETS_HEX_LEAST : others * 8 > size) { /* a path or a name in parts */
        return;
    }
    const uint64_t entropy = secrets_entropy(at, size), most = tally_scan_weight(size) / size;
    const uint64_t wanted = is_hex                                    ? 3 * SECRETS_BIT
                            : most * 88 / 100 < 43 * SECRETS_BIT / 10 ? most * 88 / 100
                                                                      : 43 * SECRETS_BIT / 10;
    if (entropy < wanted) {
        return;
    }
    uint32_t certainty = !is_hex && upper > 0 && lower > 0 ? TALLY_SCAN_FAIR : TALLY_SCAN_WEAK;
    certainty += (tally_scan_context(s, at) & SCAN_CONTEXT_SECRET) != 0;
    for (uint32_t i = 0; i < 2 && at[size] == '='; i++) {
        size++;
    }
    tally_scan_add(s, at, size, TALLY_SCAN_ENTROPY, TALLY_SCAN_ENTROPY, certainty);
}
