/* SPDX-License-Identifier: Apache-2.0
 *
 * IPv6 addresses as text: groups against a plain model of RFC 5952, the back ends against each
 * other, and text that is nearly an address. */
#include <stdio.h>

#include "base/arch.h"
#include "check.h"
#include "formats/ipv6_text.h"
#include "random.h"

static const tally_ipv6_text *const backends[] = {
    &tally_ipv6_text_portable,
#if defined(TALLY_ARCH_X86_64)
    &tally_ipv6_text_avx512,
#endif
};

enum { BACKENDS = sizeof backends / sizeof *backends };

/* Section 4 of RFC 5952. */
static size_t model_write(const uint16_t groups[8], char out[64])
{
    size_t best = 8, longest = 1, size = 0;
    for (size_t i = 0; i < 8; i++) {
        size_t count = 0;
        while (i + count < 8 && groups[i + count] == 0) {
            count++;
        }
        if (count > longest) {
            longest = count;
            best = i;
        }
    }
    for (size_t i = 0; i < 8; i++) {
        if (i == best) {
            size += (size_t)snprintf(out + size, 64 - size, "::");
            i += longest - 1;
        } else {
            const int colon = i != 0 && out[size - 1] != ':';
            size += (size_t)snprintf(out + size, 64 - size, "%s%x", colon ? ":" : "", groups[i]);
        }
    }
    return size;
}

/* Reads text in memory of exactly its size. */
static int read_text(const tally_ipv6_text *backend, const char *text, size_t size,
                     uint8_t digits[TALLY_IPV6_DIGITS])
{
    uint8_t *held = malloc(size + (size == 0));
    memcpy(held, text, size);
    const int found = backend->read(held, size, digits);
    free(held);
    return found;
}

static void check_address(const uint16_t groups[8])
{
    char text[64], plain[48];
    const size_t size = model_write(groups, text);
    (void)snprintf(plain, sizeof plain, "%04x%04x%04x%04x%04x%04x%04x%04x", groups[0], groups[1],
                   groups[2], groups[3], groups[4], groups[5], groups[6], groups[7]);
    for (size_t b = 0; b < BACKENDS; b++) {
        uint8_t digits[TALLY_IPV6_DIGITS], out[TALLY_IPV6_CAPACITY];
        if (tally_backend_lacks(&backends[b]->backend) != 0) {
            continue;
        }
        CHECK_ABOUT("%s: %s", backends[b]->backend.name, text);
        CHECK(read_text(backends[b], text, size, digits));
        CHECK_BYTES(digits, (const uint8_t *)plain, sizeof digits);
        CHECK_EQUAL(backends[b]->write(digits, out), size);
        CHECK_BYTES(out, (const uint8_t *)text, size);
    }
}

/* Whether text is an address: it is what the model writes for some groups. */
static int model_is_address(const char *text, size_t size)
{
    uint16_t groups[8] = {0};
    size_t count = 0, gap = 8, at = 0;
    char again[64];
    while (at < size && count < 8) {
        if (text[at] == ':') {
            if (at + 1 < size && text[at + 1] == ':' && gap == 8) {
                gap = count;
                at += 2;
                continue;
            }
            at++;
        }
        uint32_t group = 0;
        size_t width = 0;
        for (; at < size && width < 5; at++, width++) {
            const char *digit = memchr("0123456789abcdef", text[at], 16);
            if (digit == NULL) {
                break;
            }
            group = group * 16 + (uint32_t)(digit - "0123456789abcdef");
        }
        if (width == 0) {
            return 0;
        }
        groups[count++] = (uint16_t)group;
    }
    if (gap < 8) {
        memmove(groups + 8 - (count - gap), groups + gap, 2 * (count - gap));
        memset(groups + gap, 0, 2 * (8 - count));
    }
    return model_write(groups, again) == size && memcmp(again, text, size) == 0;
}

static void check_text(const char *text, size_t size)
{
    const int expected = model_is_address(text, size);
    for (size_t b = 0; b < BACKENDS; b++) {
        uint8_t digits[TALLY_IPV6_DIGITS];
        if (tally_backend_lacks(&backends[b]->backend) == 0) {
            CHECK_ABOUT("%s: %.*s", backends[b]->backend.name, (int)size, text);
            CHECK_EQUAL(read_text(backends[b], text, size, digits), expected);
        }
    }
}

static void random_groups(uint16_t groups[8])
{
    const uint32_t zeros = random_below(256) & random_below(256);
    for (size_t i = 0; i < 8; i++) {
        groups[i] = (uint16_t)((random_u64() & 0xffff) >> 4 * random_below(4));
        groups[i] = (zeros >> i & 1) != 0 ? 0 : groups[i];
    }
}

int main(void)
{
    static const char *const texts[] = {
        "",
        ":",
        "::",
        ":::",
        "::1",
        "1::",
        "1:2:3:4:5:6:7:8",
        "1::2::3",
        "1:2",
        "::1:",
        ":1::",
        "1:",
        "0::",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1:0:0:2:3:4:5:6",
        "1::2:3:4:5:6:7",
        "00::1",
        "12345::",
        "::ffff:1.2.3.4",
        "1:2:3:4:5:6:7:8:9",
        "1:0:0:2:0:0:0:3",
        "1:0:0:2::3",
        "1::2:0:0:0:3",
        "::G",
        "FE80::1",
        "1:2:3:4:5:6:7:8::",
        "1::2:0:0:3:4:5",
    };
    uint16_t groups[8];
    char text[64];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_text(texts[i], strlen(texts[i]));
    }
    for (uint32_t zeros = 0; zeros < 256; zeros++) {
        for (size_t i = 0; i < 8; i++) {
            groups[i] = (zeros >> i & 1) != 0 ? 0 : (uint16_t)(1 + random_below(0xffff));
        }
        check_address(groups);
    }
    for (int i = 0; i < random_cases(40000); i++) {
        random_groups(groups);
        check_address(groups);
        size_t size = model_write(groups, text);
        for (uint32_t changes = 1 + random_below(3); changes > 0; changes--) {
            const size_t at = random_below(size + 1);
            if (random_below(2) == 0 && size < 42) {
                memmove(text + at + 1, text + at, size - at);
                text[at] = "0:0:1af:Fg.\xff"[random_below(12)];
                size++;
            } else if (at < size) {
                memmove(text + at, text + at + 1, size - at - 1);
                size--;
            }
        }
        check_text(text, size);
    }
    return check_end("text of IPv6 addresses");
}
