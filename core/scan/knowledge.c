/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the scanner, and how they are read. */
#include "scan/knowledge.h"

#include <string.h>

#include "tallystick/scan.h"

typedef struct scan_card {
    uint32_t first, last; /* six digits */
    uint32_t sizes;       /* as bits */
} scan_card;

typedef struct scan_word {
    const char *text;
    uint32_t contexts;
} scan_word;

#include "scan/tables.h"

#define SCAN_COUNT(table) (sizeof(table) / sizeof *(table))

uint32_t tally_scan_weight(uint32_t count)
{
    return scan_weights[count];
}

int tally_scan_is_card(uint32_t first_six, uint32_t digits)
{
    for (size_t i = 0; i < SCAN_COUNT(scan_cards); i++) {
        if (first_six >= scan_cards[i].first && first_six <= scan_cards[i].last &&
            (scan_cards[i].sizes >> digits & 1) != 0) {
            return 1;
        }
    }
    return 0;
}

const scan_national *tally_scan_national(size_t index)
{
    return index < SCAN_COUNT(scan_nationals) ? &scan_nationals[index] : NULL;
}

const scan_key *tally_scan_key(size_t index)
{
    return index < SCAN_COUNT(scan_keys) ? &scan_keys[index] : NULL;
}

uint32_t tally_scan_word(const uint8_t *word, size_t size)
{
    char text[SCAN_WORD_MOST + 1];
    /* With bit 5 letters are in lower case, and digits as they were. */
    const uint32_t hash = ((word[0] | 0x20U) + (word[1] | 0x20U) * 8 +
                           (word[size - 1] | 0x20U) * 64 + (uint32_t)size * 3) %
                          1024;
    if (size > SCAN_WORD_MOST || (scan_hashes[hash / 64] >> (hash % 64) & 1) == 0) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)(word[i] | 0x20);
    }
    text[size] = '\0';
    for (size_t low = 0, high = SCAN_COUNT(scan_words); low < high;) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(scan_words[middle].text, text);
        if (order == 0) {
            return scan_words[middle].contexts;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return 0;
}
