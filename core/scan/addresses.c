/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses: IPv4, IPv6, MAC, UUID, e-mail, URLs with a password. */
#include <string.h>

#include "scan/scanner.h"

enum {
    ADDRESSES_LOCAL = 64,   /* of an e-mail address, before the @: RFC 5321 */
    ADDRESSES_DOMAIN = 253, /* behind it */
    ADDRESSES_SCHEME = 12,
    ADDRESSES_USER = 64,
    ADDRESSES_PASSWORD = 256,
    ADDRESSES_IPV6 = 45
};

/* Reads a number of 0..255 without leading zeros; returns its digits, or 0. */
static size_t addresses_octet(const uint8_t *at)
{
    uint32_t value = 0;
    size_t size = 0;
    while (size < 4 && scan_is(at[size], SCAN_DIGIT)) {
        value = value * 10 + (uint32_t)(at[size++] - '0');
    }
    return size > 3 || value > 255 || (size > 1 && at[0] == '0') ? 0 : size;
}

/* The bytes of four numbers with dots between them, or 0. *large: one of them has three digits. */
static size_t addresses_dotted(const uint8_t *at, int *large)
{
    size_t size = 0;
    *large = 0;
    for (int i = 0; i < 4; i++) {
        const size_t octet = addresses_octet(at + size);
        *large |= octet == 3;
        size += octet;
        if (octet == 0 || (i < 3 && at[size++] != '.')) {
            return 0;
        }
    }
    return size;
}

void tally_scan_ipv4(tally_scanner *s, const uint8_t *at)
{
    int large;
    if (at[-1] == '.' || at[-1] == '-') {
        return;
    }
    const size_t size = addresses_dotted(at, &large);
    s->steps += 16;
    if (size == 0 || scan_is(at[size], SCAN_WORD) || at[size] == '-' ||
        (at[size] == '.' && scan_is(at[size + 1], SCAN_WORD))) {
        return;
    }
    /* Versions have small numbers. */
    const uint32_t version = large ? 0 : tally_scan_context(s, at) & SCAN_CONTEXT_VERSION;
    tally_scan_add(s, at, size, TALLY_SCAN_IPV4, TALLY_SCAN_IPV4,
                   version != 0 ? TALLY_SCAN_WEAK : TALLY_SCAN_FAIR);
}

/* The bytes of `groups` groups of two digits with one separator, or 0. */
static size_t addresses_pairs(const uint8_t *at, size_t groups, uint8_t separator)
{
    for (size_t i = 0; i < groups; i++) {
        if (!scan_is(at[3 * i], SCAN_HEX) || !scan_is(at[3 * i + 1], SCAN_HEX) ||
            (i + 1 < groups && at[3 * i + 2] != separator)) {
            return 0;
        }
    }
    return 3 * groups - 1;
}

static void addresses_mac(tally_scanner *s, const uint8_t *at, size_t size, uint8_t separator)
{
    if (size != 0 && !scan_is(at[-1], SCAN_WORD) && at[-1] != separator &&
        !scan_is(at[size], SCAN_WORD) && at[size] != separator) {
        tally_scan_add(s, at, size, TALLY_SCAN_MAC, TALLY_SCAN_MAC, TALLY_SCAN_FAIR);
    }
}

static size_t addresses_hexadecimal(const uint8_t *at, size_t most)
{
    size_t size = 0;
    while (size < most && scan_is(at[size], SCAN_HEX)) {
        size++;
    }
    return size;
}

void tally_scan_hexadecimal(tally_scanner *s, const uint8_t *at)
{
    if (!scan_is(at[0], SCAN_HEX) || (at[2] != '-' && at[4] != '.' && at[8] != '-')) {
        return;
    }
    s->steps += 40;
    if (at[2] == '-') {
        addresses_mac(s, at, addresses_pairs(at, 6, '-'), '-');
    } else if (at[4] == '.' && at[9] == '.' && addresses_hexadecimal(at, 5) == 4 &&
               addresses_hexadecimal(at + 5, 5) == 4 && addresses_hexadecimal(at + 10, 5) == 4) {
        addresses_mac(s, at, 14, '.');
    } else if (at[8] == '-' && addresses_hexadecimal(at, 9) == 8 &&
               addresses_hexadecimal(at + 9, 5) == 4 && at[13] == '-' &&
               addresses_hexadecimal(at + 14, 5) == 4 && at[18] == '-' &&
               addresses_hexadecimal(at + 19, 5) == 4 && at[23] == '-' &&
               addresses_hexadecimal(at + 24, 13) == 12 && !scan_is(at[36], SCAN_WORD) &&
               at[36] != '-' && at[-1] != '-') {
        /* Versions 1 to 8 of the variant of RFC 9562 are strong. */
        const int known = at[14] >= '1' && at[14] <= '8' && scan_one_of("89abAB", at[19]);
        tally_scan_add(s, at, 36, TALLY_SCAN_UUID, TALLY_SCAN_UUID,
                       known ? TALLY_SCAN_STRONG : TALLY_SCAN_FAIR);
    }
}

/* The bytes of an IPv6 address in any notation of RFC 4291, or 0. */
static size_t addresses_ipv6(const uint8_t *at)
{
    uint32_t groups = 0, written = 0;
    int gap = 0, global = 0;
    size_t size = 0;
    if (at[0] == ':' && at[1] == ':') {
        gap = 1;
        size = 2;
    }
    for (;;) {
        const size_t hex = addresses_hexadecimal(at + size, 5);
        if (hex == 0 || hex > 4) {
            break;
        }
        if (at[size + hex] == '.' && groups <= 6 && (groups == 6 || gap)) {
            int large;
            const size_t dotted = addresses_dotted(at + size, &large);
            groups += dotted != 0 ? 2 : 0;
            written += dotted != 0 ? 3 : 0;
            size += dotted;
            break;
        }
        if (groups == 0 && !gap && hex == 4) { /* 2000::/3, fc00::/7, fe80::/10, ff00::/8 */
            global = at[size] == '2' || at[size] == '3' || (at[size] | 0x20) == 'f';
        }
        groups++;
        written++;
        size += hex;
        if (groups == 8 || at[size] != ':') {
            break;
        }
        if (at[size + 1] == ':') {
            if (gap) {
                break;
            }
            gap = 1;
            size += 2;
        } else if (scan_is(at[size + 1], SCAN_HEX)) {
            size++;
        } else {
            break;
        }
    }
    const int loopback = size == 3 && at[0] == ':' && at[2] == '1';
    return (gap ? groups < 8 && (written >= 3 || global || loopback) : groups == 8) ? size : 0;
}

static void addresses_colons(tally_scanner *s, const uint8_t *colon)
{
    enum { LEAST = 13 }; /* 0:0:0:0:0:0:0, before the rest of an IPv4 address */
    const uint8_t *at = colon, *end = colon;
    int gap = 0;
    if (scan_offset(s, colon) < s->colons_until) {
        return;
    }
    while (colon - at < 5 && scan_is(at[-1], SCAN_HEX)) {
        at--;
    }
    while (end - colon < ADDRESSES_IPV6 && (scan_is(*end, SCAN_HEX) || *end == ':')) {
        gap |= end[0] == ':' && end[1] == ':';
        end++;
    }
    s->steps += 2 * (uint64_t)(end - at);
    s->colons_until = scan_offset(s, end);
    if (scan_is(at[-1], SCAN_WORD) || at[-1] == ':' || colon - at > 4 ||
        (end - at < LEAST && !gap)) { /* a time, most often */
        return;
    }
    addresses_mac(s, at, addresses_pairs(at, 6, ':'), ':');
    const size_t size = addresses_ipv6(at);
    if (size != 0 && !scan_is(at[size], SCAN_WORD) && at[size] != ':') {
        tally_scan_add(s, at, size, TALLY_SCAN_IPV6, TALLY_SCAN_IPV6, TALLY_SCAN_FAIR);
    }
}

static int addresses_is_host(uint8_t byte)
{
    return scan_is(byte, SCAN_LABEL) || byte == '.' || byte == ':' || byte == '_';
}

/* scheme://user:password@host */
static void addresses_url(tally_scanner *s, const uint8_t *colon)
{
    const uint8_t *at = colon, *p = colon + 3;
    size_t user = 0, password = 0, host = 0;
    while (colon - at <= ADDRESSES_SCHEME && scan_is(at[-1], SCAN_BASE64) && at[-1] != '/') {
        at--;
    }
    while (user < ADDRESSES_USER && (scan_is(p[user], SCAN_LOCAL | SCAN_WORD) || p[user] == '%')) {
        user++;
    }
    s->steps += user + 1;
    if (p[user] != ':' || colon - at < 2 || colon - at > ADDRESSES_SCHEME) {
        return;
    }
    p += user + 1;
    while (password < ADDRESSES_PASSWORD && p[password] > ' ' && p[password] != '@' &&
           !scan_one_of("\"'`<>/\\:", p[password])) {
        password++;
    }
    s->steps += password + 1;
    if (p[password] != '@' || password == 0) {
        return;
    }
    const int placeholder = scan_one_of("${*[x", p[0]) && (p[0] != 'x' || p[1] == 'x');
    p += password + 1;
    while (host < ADDRESSES_DOMAIN && addresses_is_host(p[host])) {
        host++;
    }
    s->steps += host + 1;
    while (host > 0 && !scan_is(p[host - 1], SCAN_WORD)) {
        host--;
    }
    if (host > 0) {
        tally_scan_add(s, at, (size_t)(p + host - at), TALLY_SCAN_URL, TALLY_SCAN_URL,
                       placeholder ? TALLY_SCAN_WEAK : TALLY_SCAN_STRONG);
    }
}

void tally_scan_colon(tally_scanner *s, const uint8_t *at)
{
    if (at[1] == '/' && at[2] == '/' && scan_wants(s, TALLY_SCAN_URL)) {
        addresses_url(s, at);
    } else if ((scan_is(at[-1], SCAN_HEX) || at[1] == ':') &&
               (scan_is(at[1], SCAN_HEX) || at[1] == ':')) {
        addresses_colons(s, at);
    }
}

/* Whether two bytes are a letter of Latin, Greek or Cyrillic, or a mark on one, in UTF-8: other
 * characters that are not ASCII are often punctuation, or stand without spaces. */
static int addresses_is_letter(const uint8_t *at)
{
    return at[0] >= 0xc3 && at[0] <= 0xd4 && (at[1] & 0xc0) == 0x80;
}

/* The bytes of a domain with a top-level domain of letters, or 0. *steps grows by what was read. */
static size_t addresses_domain(const uint8_t *at, uint64_t *steps)
{
    size_t size = 0, found = 0, label = 0;
    int letters = 1;
    for (; size <= ADDRESSES_DOMAIN; size++) {
        const uint8_t byte = at[size];
        if (addresses_is_letter(at + size)) {
            size++;
            continue;
        }
        if (scan_is(byte, SCAN_LABEL)) {
            letters &= !scan_is(byte, SCAN_DIGIT) && byte != '-';
            continue;
        }
        const size_t width = size - label;
        const int punycode = width > 4 && memcmp(at + label, "xn--", 4) == 0;
        if (width == 0 || at[label] == '-' || at[size - 1] == '-') {
            break;
        }
        if (label > 0 && width >= 2 && (letters || punycode)) {
            found = size;
        } else if (label > 0) {
            found = 0;
        }
        if (byte != '.') {
            break;
        }
        label = size + 1;
        letters = 1;
    }
    *steps += size + 1;
    return size > ADDRESSES_DOMAIN || scan_is(at[found], SCAN_WORD) ? 0 : found;
}

void tally_scan_at(tally_scanner *s, const uint8_t *at)
{
    size_t local = 0;
    if (!scan_wants(s, TALLY_SCAN_EMAIL)) {
        return;
    }
    while (local <= ADDRESSES_LOCAL) {
        if (scan_is(*(at - local - 1), SCAN_LOCAL)) {
            local++;
        } else if (addresses_is_letter(at - local - 2)) {
            local += 2;
        } else {
            break;
        }
    }
    const size_t before = local;
    while (local > 0 && *(at - local) < 0x80 && !scan_is(*(at - local), SCAN_WORD)) {
        local--;
    }
    const size_t domain = addresses_domain(at + 1, &s->steps);
    s->steps += before + 1;
    if (local > 0 && before <= ADDRESSES_LOCAL && at[-1] != '.' && domain > 0) {
        tally_scan_add(s, at - local, local + 1 + domain, TALLY_SCAN_EMAIL, TALLY_SCAN_EMAIL,
                       TALLY_SCAN_FAIR);
    }
}
