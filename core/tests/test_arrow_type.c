/* SPDX-License-Identifier: Apache-2.0
 *
 * Format strings of the Arrow C data interface: what they mean, and the names that pyarrow prints. */
#include "arrow/type.h"
#include "check.h"

static const struct {
    const char *format;
    tally_arrow_kind kind;
    uint32_t width;
    const char *name;
} known[] = {
    {"n", TALLY_ARROW_NULL, 0, "null"},
    {"b", TALLY_ARROW_BOOLEAN, 0, "bool"},
    {"c", TALLY_ARROW_INTEGER, 1, "int8"},
    {"C", TALLY_ARROW_INTEGER, 1, "uint8"},
    {"s", TALLY_ARROW_INTEGER, 2, "int16"},
    {"S", TALLY_ARROW_INTEGER, 2, "uint16"},
    {"i", TALLY_ARROW_INTEGER, 4, "int32"},
    {"I", TALLY_ARROW_INTEGER, 4, "uint32"},
    {"l", TALLY_ARROW_INTEGER, 8, "int64"},
    {"L", TALLY_ARROW_INTEGER, 8, "uint64"},
    {"e", TALLY_ARROW_FLOAT, 2, "halffloat"},
    {"f", TALLY_ARROW_FLOAT, 4, "float"},
    {"g", TALLY_ARROW_FLOAT, 8, "double"},
    {"u", TALLY_ARROW_TEXT, 4, "string"},
    {"U", TALLY_ARROW_TEXT, 8, "large_string"},
    {"vu", TALLY_ARROW_TEXT_VIEW, 16, "string_view"},
    {"z", TALLY_ARROW_BINARY, 4, "binary"},
    {"Z", TALLY_ARROW_BINARY, 8, "large_binary"},
    {"vz", TALLY_ARROW_BINARY_VIEW, 16, "binary_view"},
    {"w:16", TALLY_ARROW_BINARY, 16, "fixed_size_binary[16]"},
    {"d:7,2,32", TALLY_ARROW_DECIMAL, 4, "decimal32(7, 2)"},
    {"d:9,2,64", TALLY_ARROW_DECIMAL, 8, "decimal64(9, 2)"},
    {"d:10,2", TALLY_ARROW_DECIMAL, 16, "decimal128(10, 2)"},
    {"d:50,-3,256", TALLY_ARROW_DECIMAL, 32, "decimal256(50, -3)"},
    {"tdD", TALLY_ARROW_DATE, 4, "date32[day]"},
    {"tdm", TALLY_ARROW_DATE, 8, "date64[ms]"},
    {"tts", TALLY_ARROW_OTHER, 4, "time32[s]"},
    {"tDn", TALLY_ARROW_OTHER, 8, "duration[ns]"},
    {"tss:", TALLY_ARROW_TIMESTAMP, 8, "timestamp[s]"},
    {"tsm:", TALLY_ARROW_TIMESTAMP, 8, "timestamp[ms]"},
    {"tsu:UTC", TALLY_ARROW_TIMESTAMP, 8, "timestamp[us, tz=UTC]"},
    {"tsn:Europe/Berlin", TALLY_ARROW_TIMESTAMP, 8, "timestamp[ns, tz=Europe/Berlin]"},
    {"+s", TALLY_ARROW_STRUCT, 0, "struct"},
    {"+l", TALLY_ARROW_LIST, 4, "list"},
    {"+L", TALLY_ARROW_LIST, 8, "large_list"},
    {"+w:3", TALLY_ARROW_LIST, 3, "fixed_size_list[3]"},
    {"+vl", TALLY_ARROW_LIST_VIEW, 4, "list_view"},
    {"+m", TALLY_ARROW_MAP, 4, "map"},
    {"+r", TALLY_ARROW_RUN_ENDS, 0, "run_end_encoded"},
    {"+ud:0,1", TALLY_ARROW_OTHER, 0, "dense_union"},
    {"+us:0", TALLY_ARROW_OTHER, 0, "sparse_union"},
};

static const char *const unknown[] = {
    "",     "x",     "uu",           "d:",          "d:10", "d:10,", "d:10,2,",
    "d:,2", "d:a,2", "d:10,2,16",    "d:10,2,128x", "ts",   "tsx:",  "tss",
    "w:",   "w:-1",  "w:9999999999", "+w:",         "+",    "+u",    "tdx",
};

int main(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_ABOUT("%s", known[i].format);
        tally_arrow_type type;
        char name[64], cut[5];
        CHECK_EQUAL(tally_arrow_type_read(known[i].format, &type), 1);
        CHECK_EQUAL(type.kind, known[i].kind);
        CHECK_EQUAL(type.width, known[i].width);
        CHECK_EQUAL(tally_arrow_type_name(known[i].format, name, sizeof name),
                    strlen(known[i].name));
        CHECK(strcmp(name, known[i].name) == 0);
        CHECK_EQUAL(tally_arrow_type_name(known[i].format, cut, sizeof cut), strlen(known[i].name));
        CHECK(strncmp(cut, known[i].name, 4) == 0 && strlen(cut) <= 4);
        CHECK_EQUAL(tally_arrow_type_name(known[i].format, NULL, 0), strlen(known[i].name));
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        CHECK_ABOUT("'%s'", unknown[i]);
        tally_arrow_type type;
        char name[64];
        CHECK_EQUAL(tally_arrow_type_read(unknown[i], &type), 0);
        CHECK_EQUAL(type.kind, TALLY_ARROW_OTHER);
        (void)tally_arrow_type_name(unknown[i], name, sizeof name);
        CHECK(strcmp(name, "unknown type") == 0);
    }
    CHECK_ABOUT("parts");
    tally_arrow_type type;
    CHECK(tally_arrow_type_read("d:50,-3,256", &type) && type.precision == 50 && type.scale == -3);
    CHECK(tally_arrow_type_read("tsu:UTC", &type) && type.per_second == 1000000);
    CHECK(strcmp(type.timezone, "UTC") == 0);
    CHECK(tally_arrow_type_read("w:16", &type) && type.fixed == 1);
    CHECK(tally_arrow_type_read("l", &type) && type.is_signed == 1);
    CHECK(tally_arrow_type_read("L", &type) && type.is_signed == 0);
    return check_end("arrow types");
}
