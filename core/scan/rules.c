/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules from their description in JSON. */
#include "scan/rules.h"

#include <string.h>

#include "base/allocator.h"
#include "base/sort.h"
#include "base/writer.h"
#include "formats/layouts.h"

static const char *const scan_kinds[TALLY_SCAN_KINDS] = {
    "card", "iban", "national_id", "email", "phone", "ipv4",    "ipv6", "mac",
    "uuid", "jwt",  "pem",         "url",   "key",   "entropy", "list", "pattern"};

static const char *const scan_certainties[] = {"weak", "fair", "strong"};

const char *tally_scan_kind_name(uint32_t kind)
{
    return kind < TALLY_SCAN_KINDS ? scan_kinds[kind] : NULL;
}

const char *tally_scan_rule_name(const tally_scan_rules *rules, uint32_t rule)
{
    if (rule < TALLY_SCAN_KINDS) {
        return scan_kinds[rule];
    }
    if (rule < rules->first_key) {
        return tally_scan_national(rule - TALLY_SCAN_KINDS)->name;
    }
    if (rule < rules->first_own) {
        return tally_scan_key(rule - rules->first_key)->name;
    }
    return rule - rules->first_own < rules->names ? rules->name[rule - rules->first_own] : NULL;
}

static const tally_allocator *scan_allocator(const tally_scan_rules *rules)
{
    return rules->has_allocator ? &rules->allocator : NULL;
}

static tally_status scan_refuse(tally_problem *problem, const char *place, const char *name,
                                size_t size, const char *text)
{
    tally_writer out;
    tally_writer_problem(&out, problem);
    tally_write(&out, text);
    tally_writer_init(&out, problem->place, sizeof problem->place);
    tally_write(&out, place);
    if (name != NULL) {
        tally_write_path(&out, name, size);
    }
    return TALLY_ERROR_PROBLEM;
}

void tally_scan_rules_free(tally_scan_rules *rules)
{
    if (rules == NULL) {
        return;
    }
    const tally_allocator copy = rules->allocator;
    const tally_allocator *allocator = rules->has_allocator ? &copy : NULL;
    for (size_t i = 0; i < SCAN_NATIONALS_MOST; i++) {
        tally_format_free(rules->national[i]);
    }
    tally_format_free(rules->iban);
    tally_format_free(rules->phone);
    tally_release(allocator, rules->pattern, rules->pattern_capacity * sizeof *rules->pattern);
    tally_release(allocator, rules->item, rules->item_capacity * sizeof *rules->item);
    tally_release(allocator, rules->term, rules->term_capacity * sizeof *rules->term);
    tally_release(allocator, rules->sorted, rules->term_capacity * sizeof *rules->sorted);
    tally_release_wiped(allocator, rules->text, rules->text_capacity);
    tally_release(allocator, rules->name, rules->name_capacity * sizeof *rules->name);
    tally_release(allocator, rules, sizeof *rules);
}

static tally_status scan_format(const tally_scan_rules *rules, const char *description,
                                tally_format **out)
{
    tally_problem problem;
    return tally_format_new(scan_allocator(rules), description, strlen(description), out, &problem);
}

static void scan_add_gap(tally_scan_rules *rules, size_t number, uint32_t place, uint8_t character)
{
    if (place < SCAN_WIDTHS && scan_is(character, SCAN_GAP)) {
        rules->of_gap[place][character & 7] |= UINT32_C(1) << number;
    }
}

/* The widths of a national identifier, with the separators in each. */
static void scan_add_shapes(tally_scan_rules *rules, size_t number)
{
    const tally_layouts *layouts = rules->national[number]->own;
    for (uint32_t i = 0; i < layouts->count; i++) {
        const tally_layout *layout = &layouts->layout[i];
        uint32_t separators = 0, inside = 0;
        for (uint32_t j = 0; j < layout->literals; j++) {
            separators += (uint32_t)scan_is(layout->literal[j].character, SCAN_GAP);
            scan_add_gap(rules, number, layout->literal[j].place, layout->literal[j].character);
        }
        for (uint32_t j = 0; j < layout->fields; j++) {
            const tally_choices *choices = layout->field[j].choices;
            for (uint32_t k = 0; choices->list != NULL && k < choices->width; k++) {
                inside |= (uint32_t)tally_characters_have(&choices->characters[k], '-');
                for (uint32_t character = ' '; character <= '/'; character++) {
                    if (tally_characters_have(&choices->characters[k], character)) {
                        scan_add_gap(rules, number, layout->field[j].place + k, (uint8_t)character);
                    }
                }
            }
        }
        if (layout->width < SCAN_WIDTHS && separators + 1 < SCAN_GAPS) {
            rules->of_shape[layout->width][separators] |= UINT32_C(1) << number;
            rules->of_shape[layout->width][separators + 1] |= inside << number;
        }
    }
}

static tally_status scan_make_formats(tally_scan_rules *rules)
{
    tally_status status = TALLY_OK;
    for (size_t i = 0; tally_scan_national(i) != NULL && status == TALLY_OK; i++) {
        status = scan_format(rules, tally_scan_national(i)->format, &rules->national[i]);
        if (status == TALLY_OK) {
            scan_add_shapes(rules, i);
            for (size_t j = 0; j < 2; j++) {
                const uint32_t certainty = tally_scan_national(i)->certainty[j];
                rules->certain[j] |= (uint32_t)(certainty >= rules->least) << i;
                rules->with_word[j] |= (uint32_t)(certainty + 1 >= rules->least) << i;
            }
        }
    }
    status = status == TALLY_OK ? scan_format(rules, "\"iban\"", &rules->iban) : status;
    return status == TALLY_OK
               ? scan_format(rules, "{\"type\":\"phone\",\"country\":\"US\"}", &rules->phone)
               : status;
}

/* Appends a pattern, for which there is room. */
static const char *scan_add_pattern(tally_scan_rules *rules, const char *text, size_t size,
                                    scan_pattern pattern)
{
    const char *why;
    scan_item *item = rules->item + rules->items;
    pattern.items = (uint32_t)tally_scan_parse(text, size, item, &why);
    pattern.item = item;
    if (pattern.items == 0) {
        return why;
    }
    for (uint32_t first = 0; first < 256; first++) {
        if (!scan_item_has(&item[0], (uint8_t)first)) {
            continue;
        }
        rules->of_first[first][rules->patterns / 64] |= UINT64_C(1) << (rules->patterns % 64);
        for (uint32_t second = 0; second < 256; second++) {
            const uint32_t both = first | second << 8;
            rules->begins[both >> 3] |=
                (uint8_t)(scan_item_has(&item[1], (uint8_t)second) << (both & 7));
        }
    }
    rules->items += pattern.items;
    rules->pattern[rules->patterns++] = pattern;
    return NULL;
}

static tally_status scan_make_keys(tally_scan_rules *rules, size_t own)
{
    const tally_allocator *allocator = scan_allocator(rules);
    const size_t keys = rules->first_own - rules->first_key;
    rules->pattern_capacity = keys + own;
    rules->item_capacity = rules->pattern_capacity * TALLY_SCAN_MAX_ITEMS;
    rules->pattern =
        tally_allocate_many(allocator, rules->pattern_capacity, sizeof *rules->pattern);
    rules->item = tally_allocate_many(allocator, rules->item_capacity, sizeof *rules->item);
    if (rules->pattern == NULL || rules->item == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; i < keys; i++) {
        const scan_key *key = tally_scan_key(i);
        if (scan_add_pattern(rules, key->pattern, strlen(key->pattern),
                             (scan_pattern){.kind = TALLY_SCAN_KEY,
                                            .rule = (uint32_t)(rules->first_key + i),
                                            .certainty = key->certainty,
                                            .check = key->check}) != NULL) {
            return TALLY_ERROR_ARGUMENT; /* a test reads all of them */
        }
    }
    return TALLY_OK;
}

/* Names a rule of the user: "list." or "pattern." and the name. */
static tally_status scan_name(tally_scan_rules *rules, const char *kind, const tally_json *named,
                              tally_problem *problem)
{
    tally_writer out;
    if (named->key_size == 0 || named->key_size > 48) {
        return scan_refuse(problem, kind, named->key, named->key_size,
                           "a name has 1 to 48 bytes: choose another one");
    }
    tally_writer_init(&out, rules->name[rules->names], sizeof rules->name[0]);
    tally_write(&out, kind);
    tally_write_char(&out, '.');
    tally_write_bytes(&out, named->key, named->key_size);
    rules->names++;
    return TALLY_OK;
}

static tally_status scan_read_patterns(tally_scan_rules *rules, const tally_json *patterns,
                                       tally_problem *problem)
{
    const tally_json *one = patterns == NULL ? NULL : patterns->first;
    for (; one != NULL; one = one->next) {
        if (one->kind != TALLY_JSON_TEXT) {
            return scan_refuse(problem, "patterns", one->key, one->key_size,
                               "a pattern is a text, such as \"ID-[0-9]{6}\"");
        }
        const scan_pattern pattern = {.kind = TALLY_SCAN_PATTERN,
                                      .rule = (uint32_t)(rules->first_own + rules->names),
                                      .certainty = TALLY_SCAN_STRONG};
        const tally_status status = scan_name(rules, "pattern", one, problem);
        if (status != TALLY_OK) {
            return status;
        }
        const char *why = scan_add_pattern(rules, one->text, one->size, pattern);
        if (why != NULL) {
            return scan_refuse(problem, "patterns", one->key, one->key_size, why);
        }
    }
    return TALLY_OK;
}

static const char *scan_add_term(tally_scan_rules *rules, const tally_json *term, uint32_t rule)
{
    if (term->kind != TALLY_JSON_TEXT || term->size < 2 || term->size > TALLY_SCAN_MAX_TERM) {
        return "a list has texts of 2 to 128 bytes";
    }
    uint8_t *text = rules->text + rules->text_size;
    for (size_t i = 0; i < term->size; i++) {
        text[i] = scan_fold((uint8_t)term->text[i]);
        if (text[i] < 0x20) {
            return "a term has no control characters";
        }
    }
    rules->wide |= text[0] >= 0x80;
    if (text[0] < 0x80 && !scan_is(text[0], SCAN_WORD)) {
        return "a term begins with a letter, a digit or _";
    }
    for (uint32_t upper = 0; upper < 4; upper++) {
        const uint8_t first =
                          upper & 1 && text[0] >= 'a' && text[0] <= 'z' ? text[0] ^ 32 : text[0],
                      second =
                          upper & 2 && text[1] >= 'a' && text[1] <= 'z' ? text[1] ^ 32 : text[1];
        const uint32_t both = first | (uint32_t)second << 8;
        rules->begins[both >> 3] |= (uint8_t)(1 << (both & 7));
    }
    rules->term[rules->terms++] = (scan_term){text, (uint32_t)term->size, rule};
    rules->text_size += term->size;
    return NULL;
}

static int scan_term_order(const void *x, const void *y)
{
    const scan_term *a = x, *b = y;
    const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static tally_status scan_read_lists(tally_scan_rules *rules, const tally_json *lists,
                                    tally_problem *problem)
{
    const tally_allocator *allocator = scan_allocator(rules);
    size_t terms = 0, bytes = 0;
    const tally_json *one = lists == NULL ? NULL : lists->first;
    for (; one != NULL; one = one->next) {
        if (one->kind != TALLY_JSON_ARRAY) {
            return scan_refuse(problem, "lists", one->key, one->key_size,
                               "a list is an array of texts");
        }
        for (const tally_json *term = one->first; term != NULL; term = term->next, terms++) {
            bytes += term->size;
        }
    }
    if (terms > TALLY_SCAN_MAX_TERMS) {
        return scan_refuse(problem, "lists", NULL, 0,
                           "all lists together have at most 262144 terms");
    }
    rules->term_capacity = terms + 1;
    rules->text_capacity = bytes + 1;
    rules->term = tally_allocate_many(allocator, rules->term_capacity, sizeof *rules->term);
    rules->text = tally_allocate(allocator, rules->text_capacity);
    rules->sorted = tally_allocate_many(allocator, rules->term_capacity, sizeof *rules->sorted);
    if (rules->term == NULL || rules->text == NULL || rules->sorted == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    for (one = lists == NULL ? NULL : lists->first; one != NULL; one = one->next) {
        const uint32_t rule = (uint32_t)(rules->first_own + rules->names);
        const tally_status status = scan_name(rules, "list", one, problem);
        if (status != TALLY_OK) {
            return status;
        }
        for (const tally_json *term = one->first; term != NULL; term = term->next) {
            const char *why = scan_add_term(rules, term, rule);
            if (why != NULL) {
                return scan_refuse(problem, "lists", one->key, one->key_size, why);
            }
        }
    }
    for (size_t i = 0; i < rules->terms; i++) {
        rules->sorted[i] = &rules->term[i];
    }
    tally_sort(rules->sorted, rules->terms, scan_term_order);
    return TALLY_OK;
}

static tally_status scan_read_choice(tally_scan_rules *rules, const tally_json *kinds,
                                     const tally_json *least, tally_problem *problem)
{
    rules->kinds = kinds == NULL ? (1U << TALLY_SCAN_KINDS) - 1 : 0;
    rules->least = least == NULL ? TALLY_SCAN_FAIR : 0;
    for (const tally_json *one = kinds == NULL ? NULL : kinds->first; one != NULL;
         one = one->next) {
        uint32_t kind = 0;
        while (kind < TALLY_SCAN_KINDS && !tally_json_is(one, scan_kinds[kind])) {
            kind++;
        }
        if (kind == TALLY_SCAN_KINDS) {
            return scan_refuse(problem, "kinds", NULL, 0,
                               "kinds are card, iban, national_id, email, phone, ipv4, ipv6, mac, "
                               "uuid, jwt, pem, url, key, entropy, list, pattern");
        }
        rules->kinds |= 1U << kind;
    }
    for (uint32_t i = 0; i < 3 && least != NULL; i++) {
        rules->least = tally_json_is(least, scan_certainties[i]) ? i + 1 : rules->least;
    }
    return rules->least != 0 ? TALLY_OK
                             : scan_refuse(problem, "least", NULL, 0,
                                           "least is \"weak\", \"fair\" or \"strong\"");
}

/* Finds the members of a description, all of which may be missing. */
static tally_status scan_members(const tally_json *root, const tally_json *out[4],
                                 tally_problem *problem)
{
    static const char *const names[4] = {"kinds", "least", "lists", "patterns"};
    static const tally_json_kind kinds[4] = {TALLY_JSON_ARRAY, TALLY_JSON_TEXT, TALLY_JSON_OBJECT,
                                             TALLY_JSON_OBJECT};
    if (root->kind != TALLY_JSON_OBJECT) {
        return scan_refuse(problem, "", NULL, 0, "rules are a table");
    }
    for (const tally_json *one = root->first; one != NULL; one = one->next) {
        size_t i = 0;
        while (i < 4 && !tally_json_key_is(one, names[i])) {
            i++;
        }
        if (i == 4) {
            return scan_refuse(problem, "", one->key, one->key_size,
                               "rules have kinds, least, lists and patterns alone");
        }
        if (one->kind != kinds[i]) {
            return scan_refuse(problem, names[i], NULL, 0,
                               "kinds is an array, least a text, lists and patterns are tables");
        }
        out[i] = one;
    }
    return TALLY_OK;
}

static tally_status scan_make(tally_scan_rules *rules, const tally_json *root,
                              tally_problem *problem)
{
    const tally_json *member[4] = {NULL, NULL, NULL, NULL};
    tally_status status = scan_members(root, member, problem);
    const size_t lists = member[2] == NULL ? 0 : member[2]->count,
                 patterns = member[3] == NULL ? 0 : member[3]->count;
    if (status == TALLY_OK && patterns > TALLY_SCAN_MAX_PATTERNS) {
        return scan_refuse(problem, "patterns", NULL, 0, "there are at most 256 patterns");
    }
    rules->name_capacity = lists + patterns + 1;
    rules->name =
        tally_allocate_many(scan_allocator(rules), rules->name_capacity, sizeof *rules->name);
    for (rules->first_key = TALLY_SCAN_KINDS;
         tally_scan_national(rules->first_key - TALLY_SCAN_KINDS) != NULL;) {
        rules->first_key++;
    }
    for (rules->first_own = rules->first_key;
         tally_scan_key(rules->first_own - rules->first_key) != NULL;) {
        rules->first_own++;
    }
    status = status == TALLY_OK && rules->name == NULL ? TALLY_ERROR_MEMORY : status;
    status = status == TALLY_OK ? scan_read_choice(rules, member[0], member[1], problem) : status;
    status = status == TALLY_OK ? scan_make_keys(rules, patterns) : status;
    status = status == TALLY_OK ? scan_read_lists(rules, member[2], problem) : status;
    status = status == TALLY_OK ? scan_read_patterns(rules, member[3], problem) : status;
    return status == TALLY_OK ? scan_make_formats(rules) : status;
}

tally_status tally_scan_rules_new(const tally_allocator *allocator, const char *json, size_t size,
                                  tally_scan_rules **out, tally_problem *problem)
{
    tally_json_document document = {0};
    *out = NULL;
    tally_scan_rules *rules = tally_allocate(allocator, sizeof *rules);
    if (rules == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memset(rules, 0, sizeof *rules);
    rules->has_allocator = allocator != NULL;
    if (allocator != NULL) {
        rules->allocator = *allocator;
    }
    tally_status status = tally_json_parse(allocator, json, size, &document, problem);
    if (status == TALLY_OK) {
        status = scan_make(rules, document.root, problem);
        tally_json_free(&document);
    }
    if (status != TALLY_OK) {
        tally_scan_rules_free(rules);
        return status;
    }
    *out = rules;
    return TALLY_OK;
}
