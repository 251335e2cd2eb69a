/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant time of FF1 and FF3-1: key, words and tweaks are secret; radix, lengths and sizes are
 * public. Calls of one word run in plain C, those of 20 on lanes. Valgrind knows no AVX-512, so the
 * AVX-512 code is checked by reading alone: it has no branch and no address by a number. */
#include "secret.h"

#include "ff1/ff3_1.h"
#include "ff1/lanes.h"

enum { WORDS = 20, LANES = 64, MOST = 200, TWEAK = 45 };

static uint8_t words[2 * WORDS * MOST];

/* Words of symbols 1, which are secret. */
static void fill(uint32_t radix, size_t symbols)
{
    for (size_t i = 0; i < symbols; i++) {
        const uint16_t one = 1;
        if (radix <= 256) {
            words[i] = 1;
        } else {
            memcpy(words + 2 * i, &one, 2);
        }
    }
    make_secret(words, symbols * (radix <= 256 ? 1 : 2));
}

/* Every symbol must depend on the secrets; upper bits of small ones do not. */
static void expect(uint32_t radix, size_t symbols)
{
    const size_t size = radix <= 256 ? 1 : 2;
    expect_secret(words, radix == 256 ? symbols : 0);
    for (size_t i = 0; i < symbols; i++) {
        uint8_t bits[2] = {0};
        (void)VALGRIND_GET_VBITS(words + size * i, bits, size);
        if ((bits[0] | bits[1]) == 0) {
            fail("an output does not depend on the secrets");
        }
    }
}

static void check_ff1(uint32_t radix, uint32_t length)
{
    static uint8_t own[WORDS][TWEAK];
    uint8_t key[16] = {1}, *memory = malloc(tally_ff1_size());
    const uint8_t *rows[WORDS];
    uint8_t *places[WORDS];
    size_t sizes[WORDS];
    tally_ff1 *cipher;
    make_secret(key, sizeof key);
    if (memory == NULL || tally_ff1_init(TALLY_FF1, radix, key, sizeof key, memory,
                                         tally_ff1_size(), &cipher) != TALLY_OK) {
        fail("no cipher");
    }
    for (size_t i = 0; i < WORDS; i++) {
        rows[i] = own[i];
        sizes[i] = i * TWEAK / WORDS;
        places[i] = words + (size_t)length * (radix <= 256 ? 1 : 2) * i;
    }
    make_secret(own, sizeof own);
    fill(radix, WORDS * length);
    const tally_ff1_tweaks tweaks = {.rows = rows, .row_sizes = sizes};
    for (int direction = TALLY_ENCRYPT; direction <= TALLY_DECRYPT; direction++) {
        for (size_t count = 1; count <= WORDS; count += WORDS - 1) {
            if (tally_ff1_run(cipher, (tally_direction)direction, length, &tweaks, places, count,
                              NULL) != TALLY_OK) {
                fail("FF1 fails");
            }
        }
    }
    expect(radix, WORDS * length);
    if (tally_ff1_takes_lanes(cipher, length)) {
        fill(radix, LANES * length);
        if (!tally_ff1_run_lanes(cipher, TALLY_ENCRYPT, length, own[0], TWEAK, words, LANES,
                                 LANES)) {
            fail("FF1 does not run on lanes");
        }
        expect(radix, LANES * length);
    }
    free(memory);
}

static void check_ff3_1(uint32_t radix, uint32_t length)
{
    uint8_t key[16] = {1}, tweak[TALLY_FF3_1_TWEAK] = {1}, *memory = malloc(tally_ff3_1_size());
    uint8_t *places[WORDS];
    tally_ff3_1 *cipher;
    make_secret(key, sizeof key);
    make_secret(tweak, sizeof tweak);
    if (memory == NULL ||
        tally_ff3_1_init(radix, key, sizeof key, memory, tally_ff3_1_size(), &cipher) != TALLY_OK) {
        fail("no cipher");
    }
    for (size_t i = 0; i < WORDS; i++) {
        places[i] = words + (size_t)length * (radix <= 256 ? 1 : 2) * i;
    }
    fill(radix, WORDS * length);
    const tally_ff1_tweaks tweaks = {.common = tweak, .common_size = sizeof tweak};
    if (tally_ff3_1_run(cipher, length, &tweaks, places, WORDS) != TALLY_OK) {
        fail("FF3-1 fails");
    }
    expect(radix, WORDS * length);
    free(memory);
}

static void check(void)
{
    /* Short numbers: modulo powers of two, with y of 64 and 96 bits; small moduli; long ones; and each
     * pair of kinds that two halves can have. The rest are limbs. */
    static const struct {
        uint32_t radix, length;
    } shapes[] = {{10, 6},  {10, 9},    {10, 16},    {10, 17},  {10, 18},  {10, 19},
                  {10, 31}, {10, 36},   {16, 10},    {16, 32},  {256, 6},  {256, 16},
                  {36, 20}, {60000, 6}, {65536, 8},  {10, 38},  {10, 100}, {256, 100},
                  {62, 50}, {2, 130},   {50000, 20}, {65536, 9}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_ff1(shapes[i].radix, shapes[i].length);
        if (shapes[i].length <= tally_ff3_1_max_length(shapes[i].radix)) {
            check_ff3_1(shapes[i].radix, shapes[i].length);
        }
    }
    printf("checked: ff1, with lanes by %s\n", tally_ff1_lanes_choose()->backend.name);
}
