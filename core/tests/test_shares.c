/* SPDX-License-Identifier: Apache-2.0
 *
 * Authentic shares: vectors of an independent model, all subsets of small sets, and every way in
 * which a share can be wrong. */
#include <stdlib.h>

#include "check.h"
#include "json.h"
#include "random.h"
#include "sharing/shares.h"
#include "tallystick/sha2.h"

enum { MOST = 255, LARGEST = 20000, GIVEN = TALLY_SHARES_MAX_GIVEN };

static uint8_t memory[2][MOST][LARGEST];

/* A set of shares. */
typedef struct set {
    tally_shares_params params;
    uint8_t secret[TALLY_SHARES_MAX_SECRET];
    size_t size;
    uint8_t *shares[MOST];
} set;

/* Shares to recover from. */
typedef struct given {
    const uint8_t *shares[GIVEN];
    size_t sizes[GIVEN], count;
    tally_share_verdict verdicts[GIVEN];
    tally_shares_found found;
    uint8_t secret[TALLY_SHARES_MAX_SECRET];
} given;

static void split(set *made, int place, uint32_t threshold, uint32_t count, uint32_t secret_size,
                  const char *label)
{
    made->params = (tally_shares_params){.kind = TALLY_SHARES_SECRET,
                                         .threshold = threshold,
                                         .count = count,
                                         .secret_size = secret_size,
                                         .label_size = (uint32_t)strlen(label),
                                         .label = (const uint8_t *)label};
    made->size = tally_shares_size(&made->params);
    CHECK(made->size != 0 && made->size < LARGEST);
    random_bytes(made->secret, secret_size);
    for (size_t i = 0; i < MOST; i++) {
        made->shares[i] = memory[place][i];
    }
    for (size_t i = 0; i < count; i++) {
        made->shares[i][made->size] = 0xA5;
    }
    CHECK_EQUAL(tally_shares_split(&made->params, made->secret, made->shares), TALLY_OK);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(made->shares[i][made->size], 0xA5);
    }
}

static void give(given *to, const uint8_t *share, size_t size)
{
    to->shares[to->count] = share;
    to->sizes[to->count++] = size;
}

static void give_from(given *to, const set *from, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        give(to, from->shares[i], from->size);
    }
}

static tally_status combine(given *all, const uint8_t *name)
{
    memset(all->secret, 0xA5, sizeof all->secret);
    memset(all->verdicts, 0xA5, sizeof all->verdicts);
    return tally_shares_recover(all->shares, all->sizes, all->count, name, all->verdicts,
                                &all->found, all->secret, sizeof all->secret);
}

/* Recovery succeeds, with and without the secret being asked for. */
static void check_recovers(given *all, const uint8_t *name, const set *from)
{
    tally_shares_found found;
    CHECK_EQUAL(combine(all, name), TALLY_OK);
    CHECK_BYTES(all->secret, from->secret, from->params.secret_size);
    CHECK_EQUAL(all->found.first.params.secret_size, from->params.secret_size);
    CHECK_EQUAL(all->found.sets, 1);
    CHECK_EQUAL(tally_shares_recover(all->shares, all->sizes, all->count, name, all->verdicts,
                                     &found, NULL, 0),
                TALLY_OK);
    CHECK_EQUAL(found.good, all->found.good);
}

static void check_fails(given *all, const uint8_t *name, tally_status expected)
{
    CHECK_EQUAL(combine(all, name), expected);
    bool leaks = false;
    for (size_t i = 1; i < sizeof all->secret; i++) {
        leaks |= all->secret[i] != 0xA5 && all->secret[i] != 0;
    }
    CHECK(!leaks);
}

static void test_vectors(void)
{
    static uint8_t secret[TALLY_SHARES_MAX_SECRET], expected[LARGEST];
    json_file *file = json_load(TALLY_VECTORS "/authentic_shares.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        uint8_t label[TALLY_SHARES_MAX_LABEL + 1], salt[16], digest[32], wanted[32], *shares[MOST];
        tally_sha256 hash;
        CHECK_ABOUT("vector %zu", i);
        const tally_shares_params params = {
            .kind = (uint32_t)json_int(c, "kind"),
            .threshold = (uint32_t)json_int(c, "threshold"),
            .count = (uint32_t)json_int(c, "count"),
            .secret_size = (uint32_t)json_hex(c, "secret", secret, sizeof secret),
            .label_size = (uint32_t)json_hex(c, "label", label, sizeof label),
            .label = label};
        const size_t size = tally_shares_size(&params);
        CHECK_EQUAL(json_hex(c, "salt", salt, sizeof salt), 16);
        CHECK_EQUAL(json_hex(c, "digest", wanted, sizeof wanted), 32);
        for (size_t j = 0; j < MOST; j++) {
            shares[j] = memory[0][j];
        }
        tally_shares_split_salted(&params, secret, salt, shares);
        tally_sha256_init(&hash);
        for (size_t j = 0; j < params.count; j++) {
            tally_sha256_update(&hash, shares[j], size);
            if (j < json_length(c, "shares")) {
                CHECK_EQUAL(json_item_hex(c, "shares", j, expected, sizeof expected), size);
                CHECK_BYTES(shares[j], expected, size);
            }
        }
        tally_sha256_final(&hash, digest);
        CHECK_BYTES(digest, wanted, 32);
        given all = {.count = 0};
        for (size_t j = params.count; j > params.count - params.threshold; j--) {
            give(&all, shares[j - 1], size);
        }
        CHECK_EQUAL(combine(&all, NULL), TALLY_OK);
        CHECK_BYTES(all.secret, secret, params.secret_size);
    }
    json_free(file);
}

/* All parameters up to 12; every subset of up to 7 shares, in a changing order. */
static void test_subsets(void)
{
    static set made;
    static given all;
    for (uint32_t count = 2; count <= 12; count++) {
        for (uint32_t threshold = 2; threshold <= count; threshold++) {
            CHECK_ABOUT("%u of %u", (unsigned)threshold, (unsigned)count);
            split(&made, 0, threshold, count, 1 + random_below(70), "some of a few");
            const uint32_t tries = count <= 7 ? UINT32_C(1) << count : 40;
            for (uint32_t i = 0; i < tries; i++) {
                const uint32_t subset = count <= 7 ? i : random_below(UINT64_C(1) << count);
                const size_t start = random_below(count);
                all.count = 0;
                for (size_t k = 0; k < count; k++) {
                    const size_t at = (start + k) % count;
                    if ((subset >> at & 1) != 0) {
                        give_from(&all, &made, at, 1);
                    }
                }
                if (all.count >= threshold) {
                    check_recovers(&all, NULL, &made);
                } else {
                    check_fails(&all, NULL, TALLY_ERROR_SHARES_FEW);
                }
                CHECK_EQUAL(all.found.good, all.count);
                for (size_t k = 0; k < all.count; k++) {
                    CHECK_EQUAL(all.verdicts[k], TALLY_SHARE_GOOD);
                }
            }
        }
    }
    static const uint32_t larger[][3] = {{2, 255, 32},  {128, 255, 32},  {255, 255, 5},
                                         {100, 200, 1}, {17, 33, 16384}, {2, 2, 16384},
                                         {3, 16, 240},  {3, 17, 241}};
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
        CHECK_ABOUT("%u of %u", (unsigned)larger[i][0], (unsigned)larger[i][1]);
        split(&made, 0, larger[i][0], larger[i][1], larger[i][2], "");
        all.count = 0;
        give_from(&all, &made, made.params.count - made.params.threshold, made.params.threshold);
        check_recovers(&all, NULL, &made);
        all.count--;
        check_fails(&all, NULL, TALLY_ERROR_SHARES_FEW);
    }
}

/* Every bit of a share: each change is detected, by itself or beside the others, and
 * the others still recover. */
static void test_every_bit(void)
{
    static set made;
    static given all;
    uint8_t changed[400];
    tally_share read;
    split(&made, 0, 3, 5, 32, "every bit");
    memcpy(changed, made.shares[1], made.size);
    for (size_t bit = 0; bit < 8 * made.size; bit++) {
        CHECK_ABOUT("bit %zu", bit);
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const tally_share_verdict alone = tally_shares_read(changed, made.size, &read);
        CHECK(alone == TALLY_SHARE_MALFORMED || alone == TALLY_SHARE_DAMAGED);
        CHECK_EQUAL(read.size == 0, alone == TALLY_SHARE_MALFORMED);
        all.count = 0;
        give(&all, changed, made.size); /* the first of those that are given */
        give_from(&all, &made, 0, 1);
        give_from(&all, &made, 3, 1);
        check_fails(&all, NULL, TALLY_ERROR_SHARES_FEW);
        CHECK_EQUAL(all.found.good, 2);
        give_from(&all, &made, 2, 1);
        check_recovers(&all, NULL, &made);
        CHECK_EQUAL(all.verdicts[0], alone);
        CHECK_EQUAL(all.found.good, 3);
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t size = 0; size <= made.size + 1; size++) { /* cut short, and too long */
        uint8_t *exact = malloc(size + 1);
        memcpy(exact, made.shares[1], size < made.size ? size : made.size);
        CHECK_ABOUT("a share of %zu bytes", size);
        CHECK_EQUAL(tally_shares_read(exact, size, &read),
                    size == made.size ? TALLY_SHARE_GOOD : TALLY_SHARE_MALFORMED);
        free(exact);
    }
}

/* Shares of two sets, repeated ones, and many bad ones before the good. */
static void test_mixtures(void)
{
    static set one, two;
    static given all;
    static uint8_t bad[MOST][400];
    split(&one, 0, 3, 5, 32, "the same label");
    split(&two, 1, 3, 5, 32, "the same label");
    CHECK_ABOUT("few of two sets");
    all.count = 0;
    give_from(&all, &one, 0, 2);
    give_from(&all, &two, 2, 1);
    check_fails(&all, NULL, TALLY_ERROR_SHARES_FEW);
    CHECK_EQUAL(all.found.good, 2);
    CHECK_BYTES(all.found.first.set, one.shares[0] + 14 + one.params.label_size, 16);
    CHECK_EQUAL(all.verdicts[2], TALLY_SHARE_FOREIGN);
    CHECK_ABOUT("enough of one set, some of another first");
    all.count = 0;
    give_from(&all, &two, 0, 2);
    give_from(&all, &one, 0, 3);
    check_recovers(&all, NULL, &one);
    CHECK_EQUAL(all.verdicts[0], TALLY_SHARE_FOREIGN);
    CHECK_EQUAL(all.verdicts[1], TALLY_SHARE_FOREIGN);
    CHECK_EQUAL(all.verdicts[4], TALLY_SHARE_GOOD);
    CHECK_ABOUT("enough of two sets");
    give_from(&all, &two, 2, 1);
    check_fails(&all, NULL, TALLY_ERROR_SHARES_SETS);
    CHECK_EQUAL(all.found.sets, 2);
    check_recovers(&all, one.shares[0] + 14 + one.params.label_size, &one);
    check_recovers(&all, two.shares[0] + 14 + two.params.label_size, &two);
    CHECK_EQUAL(all.verdicts[3], TALLY_SHARE_FOREIGN);
    check_fails(&all, one.secret, TALLY_ERROR_SHARES_FEW); /* a set that there is not */
    CHECK_EQUAL(all.found.good, 0);
    CHECK_EQUAL(all.found.first.size, 0);
    CHECK_ABOUT("a share twice is one share");
    all.count = 0;
    give_from(&all, &one, 0, 2);
    give_from(&all, &one, 1, 1);
    check_fails(&all, NULL, TALLY_ERROR_SHARES_FEW);
    CHECK_EQUAL(all.verdicts[2], TALLY_SHARE_REPEATED);
    give_from(&all, &one, 4, 1);
    check_recovers(&all, NULL, &one);
    CHECK_EQUAL(all.found.good, 3);
    CHECK_ABOUT("a repeated index that was changed");
    memcpy(bad[0], one.shares[1], one.size);
    bad[0][one.size - 1] ^= 1;
    all.count = 0;
    give(&all, bad[0], one.size);
    give_from(&all, &one, 0, 3);
    check_recovers(&all, NULL, &one);
    CHECK_EQUAL(all.verdicts[0], TALLY_SHARE_DAMAGED);
    CHECK_EQUAL(all.verdicts[2], TALLY_SHARE_GOOD);
    CHECK_ABOUT("more bad shares than good, and first");
    split(&one, 0, 20, 40, 32, "many");
    all.count = 0;
    for (size_t i = 0; i < 40; i++) {
        if (i % 2 == 0) {
            memcpy(bad[i], one.shares[i], one.size);
            bad[i][random_below(one.size)] ^= (uint8_t)(1 + random_below(255));
            give(&all, bad[i], one.size);
        }
    }
    for (size_t i = 1; i < 40; i += 2) {
        give_from(&all, &one, i, 1);
    }
    check_recovers(&all, NULL, &one);
    for (size_t i = 0; i < 40; i++) {
        CHECK_EQUAL(all.verdicts[i] == TALLY_SHARE_GOOD, i >= 20);
    }
    CHECK_ABOUT("too many shares");
    static const uint8_t *many[TALLY_SHARES_MAX_GIVEN + 1];
    static size_t sizes[TALLY_SHARES_MAX_GIVEN + 1];
    static tally_share_verdict verdicts[TALLY_SHARES_MAX_GIVEN + 1];
    for (size_t i = 0; i <= TALLY_SHARES_MAX_GIVEN; i++) {
        many[i] = one.shares[i % 40];
        sizes[i] = one.size;
    }
    CHECK_EQUAL(tally_shares_recover(many, sizes, TALLY_SHARES_MAX_GIVEN + 1, NULL, verdicts,
                                     &all.found, all.secret, 32),
                TALLY_ERROR_ARGUMENT);
    CHECK_EQUAL(tally_shares_recover(many, sizes, TALLY_SHARES_MAX_GIVEN, NULL, verdicts,
                                     &all.found, all.secret, 32),
                TALLY_OK);
    CHECK_EQUAL(tally_shares_recover(many, sizes, 40, NULL, verdicts, &all.found, all.secret, 31),
                TALLY_ERROR_ARGUMENT);
}

/* Any number of copies of a share is one share, wherever they stand: so many that a count of them
 * in a byte would be zero or one again too. */
static void test_copies(void)
{
    static const size_t copies[] = {255, 256, 257, 258, 511, 512, 513, 768, GIVEN - 2};
    static set one;
    static given all;
    split(&one, 0, 3, 5, 32, "copies");
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        for (size_t before = 0; before <= 2; before++) {
            CHECK_ABOUT("%zu copies behind %zu others", copies[i], before);
            all.count = 0;
            give_from(&all, &one, 1, before);
            for (size_t k = 0; k < copies[i]; k++) {
                give_from(&all, &one, 0, 1);
            }
            give_from(&all, &one, 1 + before, 2 - before);
            check_recovers(&all, NULL, &one);
            CHECK_EQUAL(all.found.good, 3);
            for (size_t k = 0; k < all.count; k++) {
                const bool repeated = k > before && k < before + copies[i];
                CHECK_EQUAL(all.verdicts[k], repeated ? TALLY_SHARE_REPEATED : TALLY_SHARE_GOOD);
            }
            all.count = 0; /* with one share fewer they are too few */
            for (size_t k = 0; k <= copies[i]; k++) {
                give_from(&all, &one, k == before ? 1 : 0, 1);
            }
            check_fails(&all, NULL, TALLY_ERROR_SHARES_FEW);
            CHECK_EQUAL(all.found.good, 2);
        }
    }
}

/* The most of everything at once: shares of a set and given, bytes of a label and of a secret. */
static void test_largest(void)
{
    static set one;
    static given all;
    char label[TALLY_SHARES_MAX_LABEL + 1] = {0};
    memset(label, 'l', TALLY_SHARES_MAX_LABEL);
    split(&one, 0, 2, MOST, TALLY_SHARES_MAX_SECRET, label);
    all.count = 0;
    for (size_t i = 0; i < GIVEN; i++) {
        give_from(&all, &one, i % MOST, 1);
    }
    CHECK_ABOUT("the largest set");
    check_recovers(&all, NULL, &one);
    CHECK_EQUAL(all.found.good, MOST);
    CHECK_EQUAL(all.found.first.params.label_size, TALLY_SHARES_MAX_LABEL);
    for (size_t i = 0; i < GIVEN; i++) {
        CHECK_EQUAL(all.verdicts[i], i < MOST ? TALLY_SHARE_GOOD : TALLY_SHARE_REPEATED);
    }
}

/* Shares that go together by their hashes, but that no split made: a dealer's, who broke the rules.
 * The values of one are changed, and the tree is made again. */
static void test_false_dealer(void)
{
    static set made;
    static given all;
    split(&made, 0, 3, 5, 32, "made up");
    const size_t values = made.size - 48, path = values - 3 * 16;
    tally_share_tree tree;
    uint8_t name[16];
    tally_sha256 hash;
    made.shares[4][made.size - 1] ^= 1;
    tally_share_tree_init(&tree, 5);
    for (uint32_t i = 1; i <= 5; i++) {
        tally_share_leaf_init(i, &hash);
        tally_sha256_update(&hash, made.shares[i - 1] + values, 48);
        tally_share_leaf_final(&hash, tally_share_tree_leaf(&tree, i));
    }
    tally_share_tree_final(&tree, &made.params, name);
    for (uint32_t i = 1; i <= 5; i++) {
        tally_share read;
        memcpy(made.shares[i - 1] + path - 16, name, 16);
        tally_share_tree_path(&tree, i, made.shares[i - 1] + path);
        CHECK_EQUAL(tally_shares_read(made.shares[i - 1], made.size, &read), TALLY_SHARE_GOOD);
    }
    for (size_t first = 0; first < 3; first++) { /* those without the changed one, too */
        CHECK_ABOUT("a false dealer, shares from %zu", first + 1);
        all.count = 0;
        give_from(&all, &made, first, 3);
        check_fails(&all, NULL, TALLY_ERROR_SHARES_FALSE);
    }
}

static void test_parameters(void)
{
    static const uint8_t label[256] = {0};
    static const struct {
        uint32_t kind, threshold, count, secret_size, label_size;
    } wrong[] = {{2, 2, 3, 32, 0}, {0, 0, 3, 32, 0},        {0, 1, 3, 32, 0},
                 {0, 4, 3, 32, 0}, {0, 2, 256, 32, 0},      {0, 256, 256, 1, 0},
                 {0, 2, 3, 0, 0},  {0, 2, 3, 16385, 0},     {0, 2, 3, 32, 256},
                 {0, 2, 1, 32, 0}, {UINT32_MAX, 2, 3, 4, 0}};
    uint8_t *shares[MOST], secret[4] = {0};
    for (size_t i = 0; i < MOST; i++) {
        shares[i] = memory[0][i];
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tally_shares_params params = {.kind = wrong[i].kind,
                                            .threshold = wrong[i].threshold,
                                            .count = wrong[i].count,
                                            .secret_size = wrong[i].secret_size,
                                            .label_size = wrong[i].label_size,
                                            .label = label};
        CHECK_ABOUT("parameters, case %zu", i);
        memory[0][0][0] = 0xA5;
        CHECK_EQUAL(tally_shares_size(&params), 0);
        CHECK_EQUAL(tally_shares_split(&params, secret, shares), TALLY_ERROR_ARGUMENT);
        CHECK_EQUAL(memory[0][0][0], 0xA5);
    }
}

/* Two sharings of one secret share nothing: neither name, nor values. */
static void test_fresh(void)
{
    static set one, two;
    split(&one, 0, 2, 3, 32, "again");
    memcpy(two.secret, one.secret, 32);
    for (size_t i = 0; i < MOST; i++) {
        two.shares[i] = memory[1][i];
    }
    CHECK_ABOUT("a second sharing");
    CHECK_EQUAL(tally_shares_split(&one.params, one.secret, two.shares), TALLY_OK);
    for (size_t i = 0; i < 3; i++) {
        CHECK(memcmp(one.shares[i] + 19, two.shares[i] + 19, 16) != 0);
        CHECK(memcmp(one.shares[i] + one.size - 32, two.shares[i] + one.size - 32, 16) != 0);
        CHECK(memcmp(one.shares[i] + one.size - 48, two.shares[i] + one.size - 48, 16) != 0);
    }
}

int main(int argc, char **argv)
{
    test_vectors();
    if (check_vectors_only(argc, argv)) {
        return check_end("shares");
    }
    test_subsets();
    test_every_bit();
    test_mixtures();
    test_copies();
    test_largest();
    test_false_dealer();
    test_parameters();
    test_fresh();
    return check_end("shares");
}
