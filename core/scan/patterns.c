/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns: characters and classes, each repeated within bounds. A match takes as many characters of
 * an item as it can and never gives one back, so it reads each byte once. */
#include <string.h>

#include "scan/rules.h"

/* A position in the text of a pattern. */
typedef struct scan_cursor {
    const char *at, *end;
    const char *why;
} scan_cursor;

static void scan_item_add(scan_item *item, uint32_t first, uint32_t last)
{
    for (uint32_t byte = first; byte <= last; byte++) {
        item->bytes[byte / 64] |= UINT64_C(1) << (byte % 64);
    }
}

/* One character, which \ may stand before; 0: there is none. */
static uint8_t scan_read_character(scan_cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '\\') {
        cursor->at++;
    }
    if (cursor->at == cursor->end || (uint8_t)*cursor->at < 0x20 || (uint8_t)*cursor->at >= 0x7f) {
        cursor->why = "a pattern has printable ASCII characters alone, and one behind each \\";
        return 0;
    }
    return (uint8_t)*cursor->at++;
}

static void scan_read_class(scan_cursor *cursor, scan_item *item)
{
    const char *begin = ++cursor->at;
    while (cursor->why == NULL && cursor->at < cursor->end && *cursor->at != ']') {
        const uint8_t first = scan_read_character(cursor);
        uint8_t last = first;
        if (cursor->end - cursor->at >= 2 && cursor->at[0] == '-' && cursor->at[1] != ']') {
            cursor->at++;
            last = scan_read_character(cursor);
        }
        if (cursor->why == NULL && last < first) {
            cursor->why = "a range of a class ends before it begins";
        }
        if (cursor->why == NULL) {
            scan_item_add(item, first, last);
        }
    }
    if (cursor->why == NULL && (cursor->at == cursor->end || cursor->at == begin)) {
        cursor->why = "a class is empty, or has no ]";
    }
    cursor->at++;
}

static uint32_t scan_read_number(scan_cursor *cursor)
{
    uint32_t number = 0;
    const char *begin = cursor->at;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9' &&
           number <= TALLY_SCAN_MAX_PATTERN) {
        number = number * 10 + (uint32_t)(*cursor->at++ - '0');
    }
    if (cursor->at == begin || number > TALLY_SCAN_MAX_PATTERN) {
        cursor->why = "braces hold one or two numbers up to 1024: {6} or {4,8}";
    }
    return number;
}

static void scan_read_count(scan_cursor *cursor, scan_item *item)
{
    item->least = item->most = 1;
    if (cursor->at < cursor->end && *cursor->at == '?') {
        item->least = 0;
        cursor->at++;
    } else if (cursor->at < cursor->end && *cursor->at == '{') {
        cursor->at++;
        item->least = item->most = (uint16_t)scan_read_number(cursor);
        if (cursor->why == NULL && cursor->at < cursor->end && *cursor->at == ',') {
            cursor->at++;
            item->most = (uint16_t)scan_read_number(cursor);
        }
        if (cursor->why == NULL && (cursor->at == cursor->end || *cursor->at++ != '}' ||
                                    item->most < item->least || item->most == 0)) {
            cursor->why = "braces hold one or two numbers up to 1024: {6} or {4,8}";
        }
    }
}

size_t tally_scan_parse(const char *text, size_t size, scan_item *items, const char **why)
{
    scan_cursor cursor = {text, text + size, NULL};
    size_t count = 0, longest = 0;
    while (cursor.at < cursor.end && cursor.why == NULL) {
        if (count == TALLY_SCAN_MAX_ITEMS) {
            cursor.why = "a pattern has at most 64 characters and classes";
            break;
        }
        scan_item *item = &items[count++];
        memset(item, 0, sizeof *item);
        if (*cursor.at == '[') {
            scan_read_class(&cursor, item);
        } else if (strchr("{}]?*+()|^$", *cursor.at) != NULL) {
            cursor.why = "put \\ before { } ] ? * + ( ) | ^ $ if the character itself is meant";
        } else {
            const uint8_t character = scan_read_character(&cursor);
            scan_item_add(item, character, character);
        }
        if (cursor.why == NULL) {
            scan_read_count(&cursor, item);
            longest += item->most;
        }
    }
    if (cursor.why == NULL && longest > TALLY_SCAN_MAX_PATTERN) {
        cursor.why = "a pattern matches at most 1024 characters";
    }
    if (cursor.why == NULL &&
        (count < 2 || items[0].least != 1 || items[0].most != 1 || items[1].least == 0)) {
        cursor.why = "a pattern begins with two characters or classes, and the first has no count";
    }
    for (uint32_t byte = 0; byte < 128 && cursor.why == NULL; byte++) {
        if (scan_item_has(&items[0], (uint8_t)byte) && !scan_is((uint8_t)byte, SCAN_WORD)) {
            cursor.why = "a pattern begins with a letter, a digit or _";
        }
    }
    *why = cursor.why;
    return cursor.why == NULL ? count : 0;
}

size_t tally_scan_match(const scan_pattern *pattern, const uint8_t *at, uint64_t *steps)
{
    const uint8_t *begin = at;
    for (uint32_t i = 0; i < pattern->items; i++) {
        const scan_item *item = &pattern->item[i];
        uint32_t count = 0;
        while (count < item->most && scan_item_has(item, at[count])) {
            count++;
        }
        at += count;
        if (count < item->least) {
            *steps += (uint64_t)(at - begin) + 1;
            return 0;
        }
    }
    *steps += (uint64_t)(at - begin) + 1;
    return (size_t)(at - begin);
}

int tally_scan_crc32(const uint8_t *at, size_t size)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const uint8_t *begin = memchr(at, '_', size), *end = at + size - 6;
    uint32_t crc = UINT32_MAX;
    if (begin == NULL || begin >= end) {
        return 0;
    }
    for (begin++; begin < end; begin++) {
        crc ^= *begin;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
        }
    }
    crc = ~crc;
    for (int i = 5; i >= 0; i--, crc /= 62) {
        if (end[i] != (uint8_t)digits[crc % 62]) {
            return 0;
        }
    }
    return 1;
}
