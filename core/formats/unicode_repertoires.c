/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/unicode_repertoires.h"

/* Each list is a to z, then its other letters in the order of their code points. The other form of a
 * letter is that of the script `latin`. */

static const tally_unicode_span repertoires_english[] = {{0x0061, 0x007a}};
static const tally_unicode_span repertoires_english_upper[] = {{0x0041, 0x005a}};

/* The characters of ISO 8859-1. Two have no upper case there: they are each other's other form. */
static const tally_unicode_span repertoires_latin_1[] = {
    {0x0061, 0x007a}, {0x00df, 0x00f6}, {0x00f8, 0x00fe}};
static const tally_unicode_span repertoires_latin_1_upper[] = {
    {0x0041, 0x005a}, {0x00ff, 0x00ff}, {0x00c0, 0x00d6}, {0x00d8, 0x00de}};

static const tally_unicode_span repertoires_croatian[] = {{0x0061, 0x007a}, {0x0107, 0x0107},
                                                          {0x010d, 0x010d}, {0x0111, 0x0111},
                                                          {0x0161, 0x0161}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_croatian_upper[] = {{0x0041, 0x005a}, {0x0106, 0x0106},
                                                                {0x010c, 0x010c}, {0x0110, 0x0110},
                                                                {0x0160, 0x0160}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_czech[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f3, 0x00f3}, {0x00fa, 0x00fa}, {0x00fd, 0x00fd}, {0x010d, 0x010d},
    {0x010f, 0x010f}, {0x011b, 0x011b}, {0x0148, 0x0148}, {0x0159, 0x0159},
    {0x0161, 0x0161}, {0x0165, 0x0165}, {0x016f, 0x016f}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_czech_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d3, 0x00d3}, {0x00da, 0x00da}, {0x00dd, 0x00dd}, {0x010c, 0x010c},
    {0x010e, 0x010e}, {0x011a, 0x011a}, {0x0147, 0x0147}, {0x0158, 0x0158},
    {0x0160, 0x0160}, {0x0164, 0x0164}, {0x016e, 0x016e}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_danish[] = {
    {0x0061, 0x007a}, {0x00e5, 0x00e6}, {0x00e9, 0x00e9}, {0x00f8, 0x00f8}};
static const tally_unicode_span repertoires_danish_upper[] = {
    {0x0041, 0x005a}, {0x00c5, 0x00c6}, {0x00c9, 0x00c9}, {0x00d8, 0x00d8}};

static const tally_unicode_span repertoires_dutch[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e4, 0x00e4}, {0x00e8, 0x00e9},
    {0x00eb, 0x00eb}, {0x00ed, 0x00ed}, {0x00ef, 0x00ef}, {0x00f3, 0x00f3},
    {0x00f6, 0x00f6}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_dutch_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c4, 0x00c4}, {0x00c8, 0x00c9},
    {0x00cb, 0x00cb}, {0x00cd, 0x00cd}, {0x00cf, 0x00cf}, {0x00d3, 0x00d3},
    {0x00d6, 0x00d6}, {0x00da, 0x00da}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_finnish[] = {
    {0x0061, 0x007a}, {0x00e4, 0x00e5}, {0x00f6, 0x00f6}, {0x0161, 0x0161}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_finnish_upper[] = {
    {0x0041, 0x005a}, {0x00c4, 0x00c5}, {0x00d6, 0x00d6}, {0x0160, 0x0160}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_french[] = {
    {0x0061, 0x007a}, {0x00e0, 0x00e0}, {0x00e2, 0x00e2}, {0x00e6, 0x00eb}, {0x00ee, 0x00ef},
    {0x00f4, 0x00f4}, {0x00f9, 0x00f9}, {0x00fb, 0x00fc}, {0x00ff, 0x00ff}, {0x0153, 0x0153}};
static const tally_unicode_span repertoires_french_upper[] = {
    {0x0041, 0x005a}, {0x00c0, 0x00c0}, {0x00c2, 0x00c2}, {0x00c6, 0x00cb}, {0x00ce, 0x00cf},
    {0x00d4, 0x00d4}, {0x00d9, 0x00d9}, {0x00db, 0x00dc}, {0x0178, 0x0178}, {0x0152, 0x0152}};

static const tally_unicode_span repertoires_german[] = {
    {0x0061, 0x007a}, {0x00df, 0x00df}, {0x00e4, 0x00e4}, {0x00f6, 0x00f6}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_german_upper[] = {
    {0x0041, 0x005a}, {0x1e9e, 0x1e9e}, {0x00c4, 0x00c4}, {0x00d6, 0x00d6}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_hungarian[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed}, {0x00f3, 0x00f3},
    {0x00f6, 0x00f6}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}, {0x0151, 0x0151}, {0x0171, 0x0171}};
static const tally_unicode_span repertoires_hungarian_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd}, {0x00d3, 0x00d3},
    {0x00d6, 0x00d6}, {0x00da, 0x00da}, {0x00dc, 0x00dc}, {0x0150, 0x0150}, {0x0170, 0x0170}};

static const tally_unicode_span repertoires_icelandic[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e6, 0x00e6}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f0, 0x00f0}, {0x00f3, 0x00f3}, {0x00f6, 0x00f6}, {0x00fa, 0x00fa}, {0x00fd, 0x00fe}};
static const tally_unicode_span repertoires_icelandic_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c6, 0x00c6}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d0, 0x00d0}, {0x00d3, 0x00d3}, {0x00d6, 0x00d6}, {0x00da, 0x00da}, {0x00dd, 0x00de}};

static const tally_unicode_span repertoires_italian[] = {{0x0061, 0x007a}, {0x00e0, 0x00e0},
                                                         {0x00e8, 0x00e9}, {0x00ec, 0x00ee},
                                                         {0x00f2, 0x00f3}, {0x00f9, 0x00fa}};
static const tally_unicode_span repertoires_italian_upper[] = {{0x0041, 0x005a}, {0x00c0, 0x00c0},
                                                               {0x00c8, 0x00c9}, {0x00cc, 0x00ce},
                                                               {0x00d2, 0x00d3}, {0x00d9, 0x00da}};

static const tally_unicode_span repertoires_norwegian[] = {
    {0x0061, 0x007a}, {0x00e5, 0x00e6}, {0x00e8, 0x00ea}, {0x00f2, 0x00f4}, {0x00f8, 0x00f8}};
static const tally_unicode_span repertoires_norwegian_upper[] = {
    {0x0041, 0x005a}, {0x00c5, 0x00c6}, {0x00c8, 0x00ca}, {0x00d2, 0x00d4}, {0x00d8, 0x00d8}};

static const tally_unicode_span repertoires_polish[] = {
    {0x0061, 0x007a}, {0x00f3, 0x00f3}, {0x0105, 0x0105}, {0x0107, 0x0107}, {0x0119, 0x0119},
    {0x0142, 0x0142}, {0x0144, 0x0144}, {0x015b, 0x015b}, {0x017a, 0x017a}, {0x017c, 0x017c}};
static const tally_unicode_span repertoires_polish_upper[] = {
    {0x0041, 0x005a}, {0x00d3, 0x00d3}, {0x0104, 0x0104}, {0x0106, 0x0106}, {0x0118, 0x0118},
    {0x0141, 0x0141}, {0x0143, 0x0143}, {0x015a, 0x015a}, {0x0179, 0x0179}, {0x017b, 0x017b}};

static const tally_unicode_span repertoires_portuguese[] = {
    {0x0061, 0x007a}, {0x00e0, 0x00e3}, {0x00e7, 0x00e7}, {0x00e9, 0x00ea},
    {0x00ed, 0x00ed}, {0x00f3, 0x00f5}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_portuguese_upper[] = {
    {0x0041, 0x005a}, {0x00c0, 0x00c3}, {0x00c7, 0x00c7}, {0x00c9, 0x00ca},
    {0x00cd, 0x00cd}, {0x00d3, 0x00d5}, {0x00da, 0x00da}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_romanian[] = {{0x0061, 0x007a}, {0x00e2, 0x00e2},
                                                          {0x00ee, 0x00ee}, {0x0103, 0x0103},
                                                          {0x0219, 0x0219}, {0x021b, 0x021b}};
static const tally_unicode_span repertoires_romanian_upper[] = {{0x0041, 0x005a}, {0x00c2, 0x00c2},
                                                                {0x00ce, 0x00ce}, {0x0102, 0x0102},
                                                                {0x0218, 0x0218}, {0x021a, 0x021a}};

static const tally_unicode_span repertoires_slovak[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e4, 0x00e4}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f3, 0x00f4}, {0x00fa, 0x00fa}, {0x00fd, 0x00fd}, {0x010d, 0x010d}, {0x010f, 0x010f},
    {0x013a, 0x013a}, {0x013e, 0x013e}, {0x0148, 0x0148}, {0x0155, 0x0155}, {0x0161, 0x0161},
    {0x0165, 0x0165}, {0x017e, 0x017e}};
static const tally_unicode_span repertoires_slovak_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c4, 0x00c4}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d3, 0x00d4}, {0x00da, 0x00da}, {0x00dd, 0x00dd}, {0x010c, 0x010c}, {0x010e, 0x010e},
    {0x0139, 0x0139}, {0x013d, 0x013d}, {0x0147, 0x0147}, {0x0154, 0x0154}, {0x0160, 0x0160},
    {0x0164, 0x0164}, {0x017d, 0x017d}};

static const tally_unicode_span repertoires_spanish[] = {
    {0x0061, 0x007a}, {0x00e1, 0x00e1}, {0x00e9, 0x00e9}, {0x00ed, 0x00ed},
    {0x00f1, 0x00f1}, {0x00f3, 0x00f3}, {0x00fa, 0x00fa}, {0x00fc, 0x00fc}};
static const tally_unicode_span repertoires_spanish_upper[] = {
    {0x0041, 0x005a}, {0x00c1, 0x00c1}, {0x00c9, 0x00c9}, {0x00cd, 0x00cd},
    {0x00d1, 0x00d1}, {0x00d3, 0x00d3}, {0x00da, 0x00da}, {0x00dc, 0x00dc}};

static const tally_unicode_span repertoires_swedish[] = {
    {0x0061, 0x007a}, {0x00e4, 0x00e5}, {0x00e9, 0x00e9}, {0x00f6, 0x00f6}};
static const tally_unicode_span repertoires_swedish_upper[] = {
    {0x0041, 0x005a}, {0x00c4, 0x00c5}, {0x00c9, 0x00c9}, {0x00d6, 0x00d6}};

static const tally_unicode_span repertoires_turkish[] = {
    {0x0061, 0x007a}, {0x00e7, 0x00e7}, {0x00f6, 0x00f6}, {0x00fc, 0x00fc},
    {0x011f, 0x011f}, {0x0131, 0x0131}, {0x015f, 0x015f}};
static const tally_unicode_span repertoires_turkish_upper[] = {
    {0x0041, 0x005a}, {0x00c7, 0x00c7}, {0x00d6, 0x00d6}, {0x00dc, 0x00dc},
    {0x011e, 0x011e}, {0x0130, 0x0130}, {0x015e, 0x015e}};

static const tally_unicode_span repertoires_vietnamese[] = {
    {0x0061, 0x007a}, {0x00e0, 0x00e3}, {0x00e8, 0x00ea}, {0x00ec, 0x00ed}, {0x00f2, 0x00f5},
    {0x00f9, 0x00fa}, {0x00fd, 0x00fd}, {0x0103, 0x0103}, {0x0111, 0x0111}, {0x0129, 0x0129},
    {0x0169, 0x0169}, {0x01a1, 0x01a1}, {0x01b0, 0x01b0}, {0x1ea1, 0x1ea1}, {0x1ea3, 0x1ea3},
    {0x1ea5, 0x1ea5}, {0x1ea7, 0x1ea7}, {0x1ea9, 0x1ea9}, {0x1eab, 0x1eab}, {0x1ead, 0x1ead},
    {0x1eaf, 0x1eaf}, {0x1eb1, 0x1eb1}, {0x1eb3, 0x1eb3}, {0x1eb5, 0x1eb5}, {0x1eb7, 0x1eb7},
    {0x1eb9, 0x1eb9}, {0x1ebb, 0x1ebb}, {0x1ebd, 0x1ebd}, {0x1ebf, 0x1ebf}, {0x1ec1, 0x1ec1},
    {0x1ec3, 0x1ec3}, {0x1ec5, 0x1ec5}, {0x1ec7, 0x1ec7}, {0x1ec9, 0x1ec9}, {0x1ecb, 0x1ecb},
    {0x1ecd, 0x1ecd}, {0x1ecf, 0x1ecf}, {0x1ed1, 0x1ed1}, {0x1ed3, 0x1ed3}, {0x1ed5, 0x1ed5},
    {0x1ed7, 0x1ed7}, {0x1ed9, 0x1ed9}, {0x1edb, 0x1edb}, {0x1edd, 0x1edd}, {0x1edf, 0x1edf},
    {0x1ee1, 0x1ee1}, {0x1ee3, 0x1ee3}, {0x1ee5, 0x1ee5}, {0x1ee7, 0x1ee7}, {0x1ee9, 0x1ee9},
    {0x1eeb, 0x1eeb}, {0x1eed, 0x1eed}, {0x1eef, 0x1eef}, {0x1ef1, 0x1ef1}, {0x1ef3, 0x1ef3},
    {0x1ef5, 0x1ef5}, {0x1ef7, 0x1ef7}, {0x1ef9, 0x1ef9}};
static const tally_unicode_span repertoires_vietnamese_upper[] = {
    {0x0041, 0x005a}, {0x00c0, 0x00c3}, {0x00c8, 0x00ca}, {0x00cc, 0x00cd}, {0x00d2, 0x00d5},
    {0x00d9, 0x00da}, {0x00dd, 0x00dd}, {0x0102, 0x0102}, {0x0110, 0x0110}, {0x0128, 0x0128},
    {0x0168, 0x0168}, {0x01a0, 0x01a0}, {0x01af, 0x01af}, {0x1ea0, 0x1ea0}, {0x1ea2, 0x1ea2},
    {0x1ea4, 0x1ea4}, {0x1ea6, 0x1ea6}, {0x1ea8, 0x1ea8}, {0x1eaa, 0x1eaa}, {0x1eac, 0x1eac},
    {0x1eae, 0x1eae}, {0x1eb0, 0x1eb0}, {0x1eb2, 0x1eb2}, {0x1eb4, 0x1eb4}, {0x1eb6, 0x1eb6},
    {0x1eb8, 0x1eb8}, {0x1eba, 0x1eba}, {0x1ebc, 0x1ebc}, {0x1ebe, 0x1ebe}, {0x1ec0, 0x1ec0},
    {0x1ec2, 0x1ec2}, {0x1ec4, 0x1ec4}, {0x1ec6, 0x1ec6}, {0x1ec8, 0x1ec8}, {0x1eca, 0x1eca},
    {0x1ecc, 0x1ecc}, {0x1ece, 0x1ece}, {0x1ed0, 0x1ed0}, {0x1ed2, 0x1ed2}, {0x1ed4, 0x1ed4},
    {0x1ed6, 0x1ed6}, {0x1ed8, 0x1ed8}, {0x1eda, 0x1eda}, {0x1edc, 0x1edc}, {0x1ede, 0x1ede},
    {0x1ee0, 0x1ee0}, {0x1ee2, 0x1ee2}, {0x1ee4, 0x1ee4}, {0x1ee6, 0x1ee6}, {0x1ee8, 0x1ee8},
    {0x1eea, 0x1eea}, {0x1eec, 0x1eec}, {0x1eee, 0x1eee}, {0x1ef0, 0x1ef0}, {0x1ef2, 0x1ef2},
    {0x1ef4, 0x1ef4}, {0x1ef6, 0x1ef6}, {0x1ef8, 0x1ef8}};

#define REPERTOIRES_LIST(spans)                                                                    \
    {                                                                                              \
        (spans), sizeof(spans) / sizeof *(spans)                                                   \
    }

const tally_repertoire tally_repertoires[TALLY_REPERTOIRES] = {
    {"english",
     {.name = "latin",
      .sample = "\x41\x6e\x6e\x65\x20\x4f\x27\x4e\x65\x69\x6c\x6c",
      .lower = REPERTOIRES_LIST(repertoires_english),
      .upper = REPERTOIRES_LIST(repertoires_english_upper)}},
    {"latin-1",
     {.name = "latin",
      .sample = "\x5a\x6f\xc3\xab\x20\xc3\x85\x6e\x67\x73\x74\x72\xc3\xb6\x6d\x2d\x4d\x75\xc3\xb1"
                "\x6f\x7a",
      .lower = REPERTOIRES_LIST(repertoires_latin_1),
      .upper = REPERTOIRES_LIST(repertoires_latin_1_upper)}},
    {"croatian",
     {.name = "latin",
      .sample = "\xc5\xbd\x65\x6c\x6a\x6b\x6f\x20\xc4\x90\x75\x72\x69\xc4\x87",
      .lower = REPERTOIRES_LIST(repertoires_croatian),
      .upper = REPERTOIRES_LIST(repertoires_croatian_upper)}},
    {"czech",
     {.name = "latin",
      .sample = "\x4a\x69\xc5\x99\xc3\xad\x20\x44\x76\x6f\xc5\x99\xc3\xa1\x6b",
      .lower = REPERTOIRES_LIST(repertoires_czech),
      .upper = REPERTOIRES_LIST(repertoires_czech_upper)}},
    {"danish",
     {.name = "latin",
      .sample = "\x53\xc3\xb8\x72\x65\x6e\x20\x4b\x6a\xc3\xa6\x72",
      .lower = REPERTOIRES_LIST(repertoires_danish),
      .upper = REPERTOIRES_LIST(repertoires_danish_upper)}},
    {"dutch",
     {.name = "latin",
      .sample = "\x44\x61\x6e\x69\xc3\xab\x6c\x20\x64\x65\x20\x47\x72\x6f\x6f\x74",
      .lower = REPERTOIRES_LIST(repertoires_dutch),
      .upper = REPERTOIRES_LIST(repertoires_dutch_upper)}},
    {"finnish",
     {.name = "latin",
      .sample = "\x56\xc3\xa4\x69\x6e\xc3\xb6\x20\x4d\xc3\xa4\x6b\x65\x6c\xc3\xa4",
      .lower = REPERTOIRES_LIST(repertoires_finnish),
      .upper = REPERTOIRES_LIST(repertoires_finnish_upper)}},
    {"french",
     {.name = "latin",
      .sample = "\x46\x72\x61\x6e\xc3\xa7\x6f\x69\x73\x20\x4c\x65\x66\xc3\xa8\x76\x72\x65",
      .lower = REPERTOIRES_LIST(repertoires_french),
      .upper = REPERTOIRES_LIST(repertoires_french_upper)}},
    {"german",
     {.name = "latin",
      .sample = "\x4a\xc3\xbc\x72\x67\x65\x6e\x20\x57\x65\x69\xc3\x9f",
      .lower = REPERTOIRES_LIST(repertoires_german),
      .upper = REPERTOIRES_LIST(repertoires_german_upper)}},
    {"hungarian",
     {.name = "latin",
      .sample = "\x47\x79\xc5\x91\x7a\xc5\x91\x20\x53\x7a\xc5\xb1\x63\x73",
      .lower = REPERTOIRES_LIST(repertoires_hungarian),
      .upper = REPERTOIRES_LIST(repertoires_hungarian_upper)}},
    {"icelandic",
     {.name = "latin",
      .sample = "\xc3\x9e\xc3\xb3\x72\xc3\xb0\x75\x72\x20\xc3\x86\x67\x69\x73\x73\x6f\x6e",
      .lower = REPERTOIRES_LIST(repertoires_icelandic),
      .upper = REPERTOIRES_LIST(repertoires_icelandic_upper)}},
    {"italian",
     {.name = "latin",
      .sample = "\x4e\x69\x63\x63\x6f\x6c\xc3\xb2\x20\x5a\x61\x6e\xc3\xa8",
      .lower = REPERTOIRES_LIST(repertoires_italian),
      .upper = REPERTOIRES_LIST(repertoires_italian_upper)}},
    {"norwegian",
     {.name = "latin",
      .sample = "\x42\x6a\xc3\xb8\x72\x6e\x20\xc3\x98\x64\x65\x67\xc3\xa5\x72\x64",
      .lower = REPERTOIRES_LIST(repertoires_norwegian),
      .upper = REPERTOIRES_LIST(repertoires_norwegian_upper)}},
    {"polish",
     {.name = "latin",
      .sample = "\xc5\x81\x75\x6b\x61\x73\x7a\x20\xc5\xbb\xc3\xb3\xc5\x82\xc4\x87",
      .lower = REPERTOIRES_LIST(repertoires_polish),
      .upper = REPERTOIRES_LIST(repertoires_polish_upper)}},
    {"portuguese",
     {.name = "latin",
      .sample = "\x4a\x6f\xc3\xa3\x6f\x20\x47\x6f\x6e\xc3\xa7\x61\x6c\x76\x65\x73",
      .lower = REPERTOIRES_LIST(repertoires_portuguese),
      .upper = REPERTOIRES_LIST(repertoires_portuguese_upper)}},
    {"romanian",
     {.name = "latin",
      .sample = "\xc8\x98\x74\x65\x66\x61\x6e\x20\xc8\x9a\xc4\x83\x72\x61\x6e",
      .lower = REPERTOIRES_LIST(repertoires_romanian),
      .upper = REPERTOIRES_LIST(repertoires_romanian_upper)}},
    {"slovak",
     {.name = "latin",
      .sample = "\xc4\xbd\x75\x62\x69\x63\x61\x20\x4b\x6f\x76\xc3\xa1\xc4\x8d\x6f\x76\xc3\xa1",
      .lower = REPERTOIRES_LIST(repertoires_slovak),
      .upper = REPERTOIRES_LIST(repertoires_slovak_upper)}},
    {"spanish",
     {.name = "latin",
      .sample = "\x4a\x6f\x73\xc3\xa9\x20\x4d\x75\xc3\xb1\x6f\x7a",
      .lower = REPERTOIRES_LIST(repertoires_spanish),
      .upper = REPERTOIRES_LIST(repertoires_spanish_upper)}},
    {"swedish",
     {.name = "latin",
      .sample = "\xc3\x85\x73\x61\x20\xc3\x96\x62\x65\x72\x67",
      .lower = REPERTOIRES_LIST(repertoires_swedish),
      .upper = REPERTOIRES_LIST(repertoires_swedish_upper)}},
    {"turkish",
     {.name = "latin",
      .sample = "\x41\x79\xc5\x9f\x65\x20\x4b\xc4\xb1\x6c\xc4\xb1\xc3\xa7",
      .lower = REPERTOIRES_LIST(repertoires_turkish),
      .upper = REPERTOIRES_LIST(repertoires_turkish_upper)}},
    {"vietnamese",
     {.name = "latin",
      .sample = "\x4e\x67\x75\x79\xe1\xbb\x85\x6e\x20\x54\x68\xe1\xbb\x8b\x20\x48\xc6\xb0\xc6\xa1"
                "\x6e\x67",
      .lower = REPERTOIRES_LIST(repertoires_vietnamese),
      .upper = REPERTOIRES_LIST(repertoires_vietnamese_upper)}},
};

#undef REPERTOIRES_LIST
