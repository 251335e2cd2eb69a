/* SPDX-License-Identifier: Apache-2.0
 *
 * The format "national_id": identifiers of one country, with their check characters. What is
 * described never changes: tokens depend on it. It is at most what python-stdnum finds valid. */
#include <string.h>

#include "base/allocator.h"
#include "base/nearest.h"
#include "formats/layouts_lanes.h"
#include "formats/pattern.h"

enum { NATIONAL_PATTERNS = 3 };

/* A kind. In its patterns {name} is a field of national_fields, # a check character. */
typedef struct national_kind {
    const char *name, *sample;
    tally_check_rule rule;
    const char *pattern[NATIONAL_PATTERNS];
} national_kind;

static const national_kind national_kinds[] = {
    {"au.tfn", "123 456 782", TALLY_CHECK_AU_TFN, {"999( )999( )99#"}},
    {"br.cnpj", "16.727.230/0001-97", TALLY_CHECK_BR_CNPJ, {"99(.)999(.)999(/)9999(-)##"}},
    {"br.cpf", "390.533.447-05", TALLY_CHECK_BR_CPF, {"999(.)999(.)999(-)##"}},
    {"ca.sin", "123-456-782", TALLY_CHECK_LUHN, {"[1-79]99(-)999(-)99#", "[1-79]99 999 99#"}},
    {"ch.ssn", "756.9217.0769.85", TALLY_CHECK_CH_SSN, {"756(.)9999(.)9999(.)9#"}},
    {"de.idnr", "36 574 261 809", TALLY_CHECK_DE_IDNR, {"[1-9]9( )999( )999( )99#"}},
    {"es.dni", "54362315-K", TALLY_CHECK_ES_DNI, {"99999999(-)#"}},
    {"es.nie", "X-2482300W", TALLY_CHECK_ES_NIE, {"[XYZ](-)9999999(-)#"}},
    {"fi.hetu", "131052-308T", TALLY_CHECK_FI_HETU, {"{hetu date}{002-899}#"}},
    {"fr.nir",
     "2 95 10 99 126 111 93",
     TALLY_CHECK_FR_NIR,
     {"[12]( )99( ){month}( ){french department}( )999( )999( )##"}},
    {"gb.nhs", "943 476 5870", TALLY_CHECK_GB_NHS, {"999( )999( )999#"}},
    {"hr.oib", "33392005961", TALLY_CHECK_HR_OIB, {"9999999999#"}},
    {"in_.aadhaar", "2341 2341 2346", TALLY_CHECK_IN_AADHAAR, {"[2-9]999( )9999( )999#"}},
    {"it.codicefiscale",
     "RCCMNL83S18D969H",
     TALLY_CHECK_IT_CODICEFISCALE,
     {"AAAAAA99{italian day}A999#"}},
    {"nl.bsn", "1112.22.333", TALLY_CHECK_NL_BSN, {"9999(.)99(.)99#"}},
    {"pl.pesel", "44051401359", TALLY_CHECK_PL_PESEL, {"{pesel date}9999#"}},
    {"se.personnummer",
     "880320-0016",
     TALLY_CHECK_SE_PERSONNUMMER,
     {"{yymmdd}(-)999#", "{yymmdd of 1900}+999#", "{yyyymmdd}(-)999#"}},
    {"tr.tckimlik", "17291716060", TALLY_CHECK_TR_TCKIMLIK, {"[1-9]99999999##"}},
    {"za.idnr", "750330 5044 08 9", TALLY_CHECK_LUHN, {"{yymmdd}( )9999( )[01]9( )#"}},
};

enum { NATIONAL_KINDS = sizeof national_kinds / sizeof *national_kinds };

/* Texts of a field, in the order of their bytes; counted alone if `text` is NULL. */
typedef struct national_texts {
    uint64_t *text;
    size_t count;
} national_texts;

static void national_append(national_texts *to, uint64_t text)
{
    if (to->text != NULL) {
        to->text[to->count] = text;
    }
    to->count++;
}

/* `digits` decimal digits behind a text. */
static uint64_t national_number(uint64_t before, uint32_t number, uint32_t digits)
{
    for (uint32_t divisor = digits == 2   ? 10
                            : digits == 3 ? 100
                                          : 1000;
         divisor > 0; divisor /= 10) {
        before = before << 8 | (uint64_t)('0' + number / divisor % 10);
    }
    return before;
}

static uint32_t national_days(uint32_t year, uint32_t month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const uint32_t leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 ? leap : 0);
}

/* Days of the years first .. last, the year of so many digits. */
static void national_dates(national_texts *to, uint32_t first, uint32_t last, uint32_t digits)
{
    for (uint32_t year = first; year <= last; year++) {
        for (uint32_t month = 1; month <= 12; month++) {
            for (uint32_t day = 1; day <= national_days(year, month); day++) {
                uint64_t text = national_number(0, digits == 2 ? year % 100 : year, digits);
                national_append(to, national_number(national_number(text, month, 2), day, 2));
            }
        }
    }
}

static void national_short(national_texts *to) /* a hundred years, of which 00 is a leap year */
{
    national_dates(to, 2000, 2099, 2);
}

static void national_long(national_texts *to)
{
    national_dates(to, 1900, 2059, 4);
}

static void national_last_century(national_texts *to)
{
    national_dates(to, 1900, 1999, 2);
}

/* In this century, the month plus 20. */
static void national_pesel(national_texts *to)
{
    for (uint32_t year = 0; year < 100; year++) {
        for (uint32_t month = 1; month <= (year < 60 ? 24U : 12U); month++) {
            const uint32_t later = month > 12, number = month - later * 12;
            for (uint32_t day = 1; day <= national_days(1900 + later * 100 + year, number); day++) {
                uint64_t text = national_number(0, year, 2);
                text = national_number(text, number + later * 20, 2);
                national_append(to, national_number(text, day, 2));
            }
        }
    }
}

/* Day, month, year and century. */
static void national_hetu(national_texts *to)
{
    for (uint32_t day = 1; day <= 31; day++) {
        for (uint32_t month = 1; month <= 12; month++) {
            for (uint32_t year = 0; year < 100; year++) {
                uint64_t text = national_number(national_number(0, day, 2), month, 2);
                text = national_number(text, year, 2) << 8;
                if (day <= national_days(1900 + year, month)) {
                    national_append(to, text | '-');
                }
                if (year < 60 && day <= national_days(2000 + year, month)) {
                    national_append(to, text | 'A');
                }
            }
        }
    }
}

static void national_month(national_texts *to)
{
    for (uint32_t month = 1; month <= 12; month++) {
        national_append(to, national_number(0, month, 2));
    }
}

static void national_department(national_texts *to)
{
    for (uint32_t number = 0; number < 100; number++) {
        national_append(to, national_number(0, number, 2));
        if (number == 29) { /* Corsica */
            national_append(to, (uint64_t)'2' << 8 | 'A');
            national_append(to, (uint64_t)'2' << 8 | 'B');
        }
    }
}

/* Month and day of a leap year, the day plus 40 for women. */
static void national_italian(national_texts *to)
{
    static const char months[] = "ABCDEHLMPRST";
    for (uint32_t month = 1; month <= 12; month++) {
        const uint32_t days = national_days(2000, month);
        for (uint32_t day = 1; day <= 2 * days; day++) {
            national_append(to, national_number((uint64_t)months[month - 1],
                                                day <= days ? day : day - days + 40, 2));
        }
    }
}

static void national_individual(national_texts *to)
{
    for (uint32_t number = 2; number < 900; number++) {
        national_append(to, national_number(0, number, 3));
    }
}

/* Fields of several characters, by name. */
static const struct {
    const char *name;
    void (*write)(national_texts *to);
    uint32_t width, tail;
} national_fields[] = {
    {"yymmdd", national_short, 6, 2},
    {"yyyymmdd", national_long, 8, 2},
    {"yymmdd of 1900", national_last_century, 6, 2},
    {"pesel date", national_pesel, 6, 2},
    {"hetu date", national_hetu, 7, 3},
    {"month", national_month, 2, 2},
    {"french department", national_department, 2, 2},
    {"italian day", national_italian, 3, 2},
    {"002-899", national_individual, 3, 2},
};

enum { NATIONAL_NAMES = sizeof national_fields / sizeof *national_fields };

/* Makes a field when it is first needed; `context` is the table of those made. */
static const tally_choices *national_choices(tally_layouts *layouts, const char *name, size_t size,
                                             void *context)
{
    const tally_choices **made = context;
    size_t i = 0;
    while (i < NATIONAL_NAMES && (strlen(national_fields[i].name) != size ||
                                  memcmp(national_fields[i].name, name, size) != 0)) {
        i++;
    }
    if (i == NATIONAL_NAMES || made[i] != NULL) {
        return i == NATIONAL_NAMES ? NULL : made[i];
    }
    national_texts texts = {NULL, 0};
    national_fields[i].write(&texts);
    const size_t bytes = texts.count * sizeof *texts.text;
    texts.text = tally_allocate(layouts->arena.allocator, bytes);
    if (texts.text == NULL) {
        return NULL;
    }
    texts.count = 0;
    national_fields[i].write(&texts);
    made[i] = tally_layouts_list(layouts, texts.text, texts.count, national_fields[i].width,
                                 national_fields[i].tail);
    tally_release(layouts->arena.allocator, texts.text, bytes);
    return made[i];
}

static const tally_option national_options[] = {
    {"kind", TALLY_OPTION_TEXT, 1, NULL, NULL},
    TALLY_OPTIONS_END,
};

/* Whether a name begins with the two letters of a country, in any case. */
static int national_begins(const tally_option_value *name, const char *country)
{
    return name->size >= 2 && (name->text[0] | 32) == country[0] &&
           (name->text[1] | 32) == country[1] && (name->size == 2 || name->text[2] == '.');
}

/* Names the first kind of the country that a name begins with. */
static void national_write_country(const tally_option_value *name, tally_writer *out)
{
    for (size_t i = 0; i < NATIONAL_KINDS; i++) {
        const char *const own = national_kinds[i].name;
        if (national_begins(name, own) ||
            (national_begins(name, "uk") && strncmp(own, "gb", 2) == 0)) {
            tally_write_meant(out, own, strlen(own));
            return;
        }
    }
}

static tally_status national_refuse(const tally_format *format, const tally_option_value *kind,
                                    tally_problem *problem)
{
    const char *names[NATIONAL_KINDS];
    tally_writer out;
    tally_format_refusal(format, problem, "kind", &out);
    tally_write(&out, "kind must be one of ");
    for (size_t i = 0; i < NATIONAL_KINDS; i++) {
        tally_write(&out, i == 0 ? "" : ", ");
        tally_write(&out, names[i] = national_kinds[i].name);
    }
    if (national_begins(kind, "us")) {
        tally_write(&out, "; for the USA, take the format 'ssn'");
    } else if (!tally_write_nearest(&out, kind->text, kind->size, names, NATIONAL_KINDS)) {
        national_write_country(kind, &out);
    }
    return TALLY_ERROR_FORMAT;
}

static tally_status national_make(tally_format *format, const tally_option_value *values,
                                  tally_problem *problem)
{
    const tally_choices *made[NATIONAL_NAMES] = {NULL};
    const national_kind *kind = NULL;
    for (size_t i = 0; i < NATIONAL_KINDS; i++) {
        if (strlen(national_kinds[i].name) == values->size &&
            memcmp(national_kinds[i].name, values->text, values->size) == 0) {
            kind = &national_kinds[i];
        }
    }
    if (kind == NULL) {
        return national_refuse(format, values, problem);
    }
    format->keeps_size = 1;
    tally_layouts *layouts = tally_layouts_new(tally_format_allocator(format), TALLY_LAYOUTS);
    format->own = layouts;
    if (layouts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    const tally_pattern_names names = {kind->rule, national_choices, made};
    for (size_t i = 0; i < NATIONAL_PATTERNS && kind->pattern[i] != NULL; i++) {
        tally_status status = tally_pattern_add(format, layouts, kind->pattern[i],
                                                strlen(kind->pattern[i]), &names, problem);
        if (status != TALLY_OK) {
            return status;
        }
    }
    char identity[64];
    tally_writer out;
    tally_writer_init(&out, identity, sizeof identity);
    tally_write(&out, "[\"national_id\",\"");
    tally_write(&out, kind->name);
    tally_write(&out, "\"]");
    tally_layouts_describe(layouts, format);
    format->example[0] = kind->sample;
    const tally_status final = tally_layouts_final(layouts);
    return final == TALLY_OK ? tally_format_identify(format, identity, out.size) : final;
}

const tally_format_about tally_about_national_id = {"National identifiers, with check digits.",
                                                    "{\"kind\":\"br.cpf\"}"};

const tally_format_class tally_format_national_id = {
    .name = "national_id",
    .options = national_options,
    .words = TALLY_WORDS_ANY,
    .make = national_make,
    .destroy = tally_layouts_destroy,
    .text = tally_layouts_text,
    .one = tally_layouts_one,
    .domain_of = tally_layouts_domain_of,
    .place_of_fault = tally_layouts_place_of_fault,
};
