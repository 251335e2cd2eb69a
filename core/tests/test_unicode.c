/* SPDX-License-Identifier: Apache-2.0
 *
 * UTF-8, normal form C and classes of characters, against what Python's unicodedata says of every
 * code point and of texts of two, three and more characters (tools/unicode_tables.py). */
#include "check.h"
#include "json.h"

#include "tallystick/sha2.h"
#include "unicode/unicode.h"

enum { MOST = 1 << 15, SURROGATES = 0xD800, SURROGATES_END = 0xE000 };

static void check_hex(const json_case *c, const char *name, tally_sha256 *context)
{
    uint8_t expected[32], digest[32];
    CHECK_EQUAL(json_hex(c, name, expected, sizeof expected), sizeof expected);
    tally_sha256_final(context, digest);
    CHECK_BYTES(digest, expected, sizeof expected);
}

static void hash(tally_sha256 *context, uint8_t byte)
{
    tally_sha256_update(context, &byte, 1);
}

/* Every code point. */
static void check_points(const json_case *c)
{
    tally_sha256 classes, combining, normal;
    tally_sha256_init(&classes);
    tally_sha256_init(&combining);
    tally_sha256_init(&normal);
    bool same = true;
    for (uint32_t point = 0; point <= TALLY_UNICODE_LAST; point++) {
        hash(&classes, (uint8_t)tally_character_class(point));
        hash(&combining, tally_combining_class(point));
        if (point < SURROGATES || point >= SURROGATES_END) {
            uint8_t text[TALLY_UTF8_MAX_BYTES];
            uint32_t size = tally_utf8_encode(point, text), back = 0;
            same = same && tally_utf8_decode(text, text + size, &back) == size && back == point;
            same = same && tally_utf8_decode(text, text + size - 1, &back) == 0;
            hash(&normal, tally_is_nfc(text, size, NULL));
        }
    }
    CHECK(same);
    check_hex(c, "sha256", &classes);
    check_hex(c, "combining", &combining);
    check_hex(c, "nfc", &normal);
}

/* The characters of a member, as UTF-8 with the place of each; returns how many there are. */
static size_t read_characters(const json_case *c, const char *name, uint8_t *text, uint16_t *places)
{
    size_t size = json_hex(c, name, text, MOST), count = 0;
    for (size_t at = 0; at < size;) {
        uint32_t point, width = tally_utf8_decode(text + at, text + size, &point);
        if (!check_that(width > 0, __FILE__, __LINE__, name)) {
            return 0;
        }
        places[count++] = (uint16_t)at;
        at += width;
    }
    places[count] = (uint16_t)size;
    return count;
}

/* Every text of a first character and one or two second ones. */
static void check_texts(const json_case *c, bool three)
{
    static uint8_t first[MOST], second[MOST];
    static uint16_t firsts[MOST], seconds[MOST];
    size_t count = read_characters(c, "first", first, firsts);
    size_t others = read_characters(c, "second", second, seconds);
    CHECK(count > 0 && others > 0);
    tally_sha256 context;
    tally_sha256_init(&context);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < others; j++) {
            uint8_t text[3 * TALLY_UTF8_MAX_BYTES], *end = text;
            size_t size = (size_t)(firsts[i + 1] - firsts[i]);
            memcpy(end, first + firsts[i], size);
            end += size;
            size = (size_t)(seconds[j + 1] - seconds[j]);
            memcpy(end, second + seconds[j], size);
            end += size;
            for (size_t k = 0; k < (three ? others : 1); k++) {
                size = three ? (size_t)(seconds[k + 1] - seconds[k]) : 0;
                memcpy(end, second + seconds[k], size);
                hash(&context, tally_is_nfc(text, (size_t)(end - text) + size, NULL));
            }
        }
    }
    check_hex(c, "sha256", &context);
}

static void check_place(const json_case *c)
{
    uint8_t text[64];
    size_t size = json_hex(c, "text", text, sizeof text), place = 99;
    size_t expected = (size_t)json_int(c, "place");
    CHECK_EQUAL(tally_is_nfc(text, size, &place), expected == size);
    CHECK_EQUAL(place, expected);
}

/* What is not UTF-8. */
static void check_utf8(void)
{
    static const char *const damaged[] = {"\x80",
                                          "\xBF",
                                          "\xC0\x80",
                                          "\xC1\xBF",
                                          "\xC2",
                                          "\xC2\x41",
                                          "\xE0\x80\x80",
                                          "\xE0\x9F\xBF",
                                          "\xED\xA0\x80",
                                          "\xED\xBF\xBF",
                                          "\xE1\x80",
                                          "\xE1\x80\xC0",
                                          "\xF0\x80\x80\x80",
                                          "\xF0\x8F\xBF\xBF",
                                          "\xF4\x90\x80\x80",
                                          "\xF5\x80\x80",
                                          "\xF1\x80\x80",
                                          "\xF1\x80\x80\x41",
                                          "\xFE",
                                          "\xFF"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        const uint8_t *text = (const uint8_t *)damaged[i];
        size_t place = 99, size = strlen(damaged[i]);
        uint32_t point = 77;
        CHECK_ABOUT("damaged %zu", i);
        CHECK_EQUAL(tally_utf8_decode(text, text + size, &point), 0);
        CHECK_EQUAL(point, 77);
        CHECK(tally_is_nfc(text, size, &place));
        CHECK_EQUAL(place, size);
    }
    CHECK_ABOUT("%s", "");
    uint32_t point = 77;
    CHECK_EQUAL(tally_utf8_decode((const uint8_t *)"", (const uint8_t *)"", &point), 0);
    CHECK(tally_is_nfc((const uint8_t *)"", 0, NULL));
    /* A damaged byte ends what a mark could compose with. */
    CHECK(tally_is_nfc((const uint8_t *)"e\xFF\xCC\x81", 4, NULL));
    size_t place = 0;
    CHECK(!tally_is_nfc((const uint8_t *)"\xFF"
                                         "e\xCC\x81",
                        4, &place));
    CHECK_EQUAL(place, 2);
}

int main(void)
{
    json_file *file = json_load(TALLY_VECTORS "/unicode.json");
    for (size_t i = 0; i < json_count(file); i++) {
        const json_case *c = json_at(file, i);
        const char *what = json_string(c, "what");
        CHECK_ABOUT("%s, case %zu", what, i);
        if (strcmp(what, "classes") == 0) {
            check_points(c);
        } else if (strcmp(what, "place") == 0) {
            check_place(c);
        } else {
            check_texts(c, strcmp(what, "texts of three") == 0);
        }
    }
    json_free(file);
    check_utf8();
    return check_end("unicode");
}
