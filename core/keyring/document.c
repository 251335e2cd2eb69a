/* SPDX-License-Identifier: Apache-2.0
 *
 * See document.h. A text is accepted only if writing what was read gives the same bytes. That one
 * rule refuses other spacing or order, and loose base64; and it puts the MAC last. */
#include "keyring/document.h"

#include "base/allocator.h"
#include "base/writer.h"
#include "keyring/key_id.h"

#include <string.h>

enum { DOCUMENT_HOLDER_MAX = 64 /* characters */, DOCUMENT_ALL = 3 /* rights */ };

/* A reader: the first thing that is wrong ends it. */
typedef struct document_reader {
    const tally_allocator *allocator;
    tally_keyring_document *out;
    size_t root;               /* it reads roots[root - 1], or the field root; 0: none */
    size_t entry;              /* it reads keys[entry - 1]; 0: none */
    const char *wrong;         /* the fault, of... */
    const char *field;         /* ...this one of those, or NULL */
    const tally_json *unknown; /* a field that does not belong there, or NULL */
} document_reader;

static int document_refuse(document_reader *reader, const char *field, const char *wrong)
{
    if (reader->wrong == NULL) {
        reader->wrong = wrong;
        reader->field = field;
    }
    return 0;
}

/* Whether an object has these members and no others. `field` is the name of the object. */
static int document_has_fields(document_reader *reader, const tally_json *object, const char *field,
                               const char *const *names, size_t count)
{
    if (object == NULL || object->kind != TALLY_JSON_OBJECT) {
        return document_refuse(reader, field, "must be an object");
    }
    for (const tally_json *member = object->first; member != NULL; member = member->next) {
        size_t i = 0;
        while (i < count && !tally_json_key_is(member, names[i])) {
            i++;
        }
        if (i == count) {
            reader->unknown = member;
            return document_refuse(reader, field, "there is no such field: ");
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (tally_json_member(object, names[i]) == NULL) {
            return document_refuse(reader, names[i], "is missing");
        }
    }
    return 1;
}

static const tally_json *document_text(document_reader *reader, const tally_json *object,
                                       const char *field)
{
    const tally_json *const node = tally_json_member(object, field);
    if (node != NULL && node->kind == TALLY_JSON_TEXT && strlen(node->text) == node->size) {
        return node;
    }
    document_refuse(reader, field, "must be text");
    return NULL;
}

static int document_number(document_reader *reader, const tally_json *object, const char *field,
                           int64_t least, int64_t most, uint32_t *out)
{
    const tally_json *const node = tally_json_member(object, field);
    if (node == NULL || node->kind != TALLY_JSON_INTEGER || node->integer < least ||
        node->integer > most) {
        return document_refuse(reader, field, "must be a whole number within its range");
    }
    *out = (uint32_t)node->integer;
    return 1;
}

static int document_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int document_hex(document_reader *reader, const tally_json *object, const char *field,
                        uint8_t *out, size_t size)
{
    const tally_json *const node = document_text(reader, object, field);
    int valid = node != NULL && node->size == 2 * size;
    for (size_t i = 0; i < size && valid; i++) {
        const int high = document_hex_digit(node->text[2 * i]);
        const int low = document_hex_digit(node->text[2 * i + 1]);
        valid = high >= 0 && low >= 0;
        out[i] = (uint8_t)(valid ? high * 16 + low : 0);
    }
    return valid ||
           document_refuse(reader, field, "must be hexadecimal digits, as many as belong there");
}

static uint32_t document_digits(const char *text, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    return value;
}

/* A time in UTC to the second: 2026-01-02T03:04:05Z. */
static const char *document_time(document_reader *reader, const tally_json *object)
{
    static const char pattern[] = "0000-00-00T00:00:00Z";
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const tally_json *const node = document_text(reader, object, "created");
    int valid = node != NULL && node->size == sizeof pattern - 1;
    for (size_t i = 0; i < sizeof pattern - 1 && valid; i++) {
        valid = pattern[i] == '0' ? node->text[i] >= '0' && node->text[i] <= '9'
                                  : node->text[i] == pattern[i];
    }
    if (valid) {
        const char *const text = node->text;
        const uint32_t year = document_digits(text, 4), month = document_digits(text + 5, 2);
        const uint32_t day = document_digits(text + 8, 2);
        const uint32_t leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        valid = year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
                day <= days[month - 1] + (month == 2 ? leap : 0) &&
                document_digits(text + 11, 2) < 24 && document_digits(text + 14, 2) < 60 &&
                document_digits(text + 17, 2) < 60;
    }
    if (!valid) {
        document_refuse(reader, "created", "must be a time in UTC (Z), to the second");
        return NULL;
    }
    return node->text;
}

static int document_base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* The bytes that a text in base64 stands for, if it is one. */
static size_t document_base64_size(const tally_json *node)
{
    size_t size = node->size / 4 * 3;
    for (size_t i = node->size; i > 0 && node->size - i < 2 && node->text[i - 1] == '='; i--) {
        size -= size > 0;
    }
    return size;
}

/* Base64 of exactly `size` bytes: padded, and with zeros in the bits that are not used. `out` may
 * be NULL. */
static int document_base64(document_reader *reader, const tally_json *node, uint8_t *out,
                           size_t size)
{
    if (node != NULL && node->size % 4 == 0 && node->size != (size + 2) / 3 * 4) {
        return document_refuse(reader, NULL, "the length of a wrapped key does not match its size");
    }
    int valid = node != NULL && node->size % 4 == 0;
    for (size_t group = 0; group * 3 < size && valid; group++) {
        const size_t bytes = size - group * 3 < 3 ? size - group * 3 : 3;
        uint32_t bits = 0;
        for (size_t i = 0; i < 4 && valid; i++) {
            const char c = node->text[group * 4 + i];
            const int digit = document_base64_digit(c);
            valid = i <= bytes ? digit >= 0 : c == '=';
            bits = bits << 6 | (uint32_t)(i <= bytes && valid ? digit : 0);
        }
        valid &= (bits & (0xffffffU >> (8 * bytes))) == 0;
        for (size_t i = 0; i < bytes && out != NULL; i++) {
            out[group * 3 + i] = (uint8_t)(bits >> (16 - 8 * i));
        }
    }
    return valid || document_refuse(reader, "wrapped", "must be base64 with padding");
}

static int document_read_holders(document_reader *reader, const tally_json *object,
                                 const tally_root *root)
{
    const tally_json *const holders = tally_json_member(object, "holders");
    if (holders->kind != TALLY_JSON_ARRAY) {
        return document_refuse(reader, "holders", "must be an array");
    }
    if (holders->count != root->count) {
        return document_refuse(reader, NULL, "there must be a holder for each share");
    }
    for (const tally_json *holder = holders->first; holder != NULL; holder = holder->next) {
        size_t characters = 0;
        int valid = holder->kind == TALLY_JSON_TEXT && holder->size > 0;
        for (size_t at = 0; valid && at < holder->size; characters++) {
            valid = tally_is_shown(tally_utf8_next(holder->text, holder->size, &at));
        }
        if (!valid || characters > DOCUMENT_HOLDER_MAX || holder->text[0] == ' ' ||
            holder->text[holder->size - 1] == ' ') {
            return document_refuse(reader, NULL,
                                   "a holder is 1 to 64 printable characters, without spaces at "
                                   "its ends");
        }
        for (const tally_json *other = holders->first; other != holder; other = other->next) {
            if (tally_json_is(other, holder->text)) {
                return document_refuse(reader, NULL, "a holder is listed twice");
            }
        }
    }
    reader->out->holders = holders->first;
    return 1;
}

/* The rights of a key: "protect reveal", "protect" or "reveal". */
static int document_rights(document_reader *reader, const tally_json *object, uint32_t *out)
{
    const tally_json *const node = document_text(reader, object, "rights");
    *out = node == NULL                            ? 0
           : tally_json_is(node, "protect reveal") ? DOCUMENT_ALL
           : tally_json_is(node, "protect")        ? TALLY_MAY_PROTECT
           : tally_json_is(node, "reveal")         ? TALLY_MAY_REVEAL
                                                   : 0;
    return *out != 0 ||
           document_refuse(reader, "rights", "must be 'protect reveal', 'protect' or 'reveal'");
}

/* The name of a wrapping key: a scheme of a-z, 0-9 and '-', a colon, and printable characters. */
static int document_read_by(document_reader *reader, const tally_json *object, tally_root *root)
{
    const tally_json *const by = document_text(reader, object, "by");
    size_t scheme = 0;
    int valid = by != NULL && by->size <= TALLY_ROOT_NAME_SIZE_MAX;
    while (valid && (document_base64_digit(by->text[scheme]) >= 26 || by->text[scheme] == '-') &&
           by->text[scheme] != '+' && by->text[scheme] != '/') {
        scheme++;
    }
    valid = valid && scheme > 0 && by->text[scheme] == ':' && by->size > scheme + 1;
    for (size_t at = 0; valid && at < by->size;) {
        valid = tally_is_shown(tally_utf8_next(by->text, by->size, &at));
    }
    root->by = valid ? by->text : NULL;
    return valid || document_refuse(reader, "by",
                                    "must be the name of a wrapping key, with its scheme before "
                                    "a colon");
}

static int document_read_wrapped(document_reader *reader, const tally_json *object,
                                 tally_root *root)
{
    const tally_json *const wrapped = document_text(reader, object, "wrapped");
    if (!document_read_by(reader, object, root) ||
        !document_rights(reader, object, &root->rights) || wrapped == NULL) {
        return 0;
    }
    const size_t size = document_base64_size(wrapped);
    if (size < 1 || size > TALLY_ROOT_WRAPPED_SIZE_MAX) {
        return document_refuse(reader, "wrapped", "must have 1 to 4096 bytes, in base64");
    }
    root->wrapped = wrapped->text;
    return document_base64(reader, wrapped, NULL, size);
}

/* Reads `reader->out->roots[reader->root - 1]`. */
static int document_read_root(document_reader *reader, const tally_json *node)
{
    static const char *const key_fields[] = {"kind"};
    static const char *const scrypt_fields[] = {"kind", "salt", "n", "r", "p"};
    static const char *const shares_fields[] = {"kind", "set", "threshold", "count", "holders"};
    static const char *const wrapped_fields[] = {"kind", "by", "rights", "wrapped"};
    const tally_json *const kind = tally_json_member(node, "kind");
    tally_root *const root = &reader->out->roots[reader->root - 1];
    memset(root, 0, sizeof *root);
    root->rights = DOCUMENT_ALL;
    if (kind != NULL && tally_json_is(kind, "key")) {
        root->kind = TALLY_ROOT_KEY;
        return document_has_fields(reader, node, NULL, key_fields, 1);
    }
    if (kind != NULL && tally_json_is(kind, "scrypt")) {
        root->kind = TALLY_ROOT_SCRYPT;
        return document_has_fields(reader, node, NULL, scrypt_fields, 5) &&
               document_hex(reader, node, "salt", root->salt, 16) &&
               document_number(reader, node, "n", 1 << 14, 1 << 18, &root->n) &&
               ((root->n & (root->n - 1)) == 0 ||
                document_refuse(reader, NULL, "scrypt's n must be a power of two")) &&
               document_number(reader, node, "r", 8, 8, &root->r) &&
               document_number(reader, node, "p", 1, 4, &root->p);
    }
    if (kind != NULL && tally_json_is(kind, "shares")) {
        root->kind = TALLY_ROOT_SHARES;
        return document_has_fields(reader, node, NULL, shares_fields, 5) &&
               document_hex(reader, node, "set", root->set, 16) &&
               document_number(reader, node, "threshold", 2, 255, &root->threshold) &&
               document_number(reader, node, "count", 2, 255, &root->count) &&
               (root->threshold <= root->count ||
                document_refuse(reader, NULL, "the threshold is above the number of shares")) &&
               document_read_holders(reader, node, root);
    }
    if (kind != NULL && reader->out->revision > 0 && tally_json_is(kind, "wrapped")) {
        root->kind = TALLY_ROOT_WRAPPED;
        return document_has_fields(reader, node, NULL, wrapped_fields, 4) &&
               document_read_wrapped(reader, node, root);
    }
    return document_refuse(reader, NULL, "must be an object of a known kind");
}

/* Each record leads to the same root key, so there is one of each kind but of wrapped ones. */
static int document_is_root_twice(const tally_keyring_document *document)
{
    const tally_root *const last = &document->roots[document->root_count - 1];
    for (const tally_root *other = document->roots; other < last; other++) {
        if (other->kind == last->kind &&
            (last->kind != TALLY_ROOT_WRAPPED || strcmp(other->by, last->by) == 0)) {
            return 1;
        }
    }
    return 0;
}

static int document_read_roots(document_reader *reader, const tally_json *object)
{
    tally_keyring_document *const out = reader->out;
    const tally_json *const roots = tally_json_member(object, "roots");
    if (out->revision == 0) {
        reader->root = 1;
        out->root_count = 1;
        if (!document_read_root(reader, tally_json_member(object, "root"))) {
            return 0; /* reader->root stays for the message, here and below */
        }
        reader->root = 0;
        return 1;
    }
    if (roots->kind != TALLY_JSON_ARRAY || roots->count < 1 || roots->count > TALLY_ROOTS_MAX) {
        return document_refuse(reader, "roots", "must be an array of 1 to 16 records");
    }
    for (const tally_json *node = roots->first; node != NULL; node = node->next) {
        reader->root = ++out->root_count;
        if (!document_read_root(reader, node)) {
            return 0;
        }
        if (document_is_root_twice(out)) {
            return document_refuse(reader, NULL, "a kind, or a wrapping key, is listed twice");
        }
    }
    reader->root = 0;
    return 1;
}

static int document_read_signers(document_reader *reader, const tally_json *object)
{
    const tally_json *const signers = tally_json_member(object, "signers");
    if (signers->kind != TALLY_JSON_ARRAY || signers->count > TALLY_SIGNERS_MAX) {
        return document_refuse(reader, "signers", "must be an array of at most 16 public keys");
    }
    for (const tally_json *signer = signers->first; signer != NULL; signer = signer->next) {
        int valid = signer->kind == TALLY_JSON_TEXT && signer->size == 64;
        for (size_t i = 0; valid && i < 64; i++) {
            valid = document_hex_digit(signer->text[i]) >= 0;
        }
        for (const tally_json *other = signers->first; valid && other != signer;
             other = other->next) {
            valid = !tally_json_is(other, signer->text);
        }
        if (!valid) {
            return document_refuse(reader, "signers",
                                   "must be different public keys of 64 hexadecimal digits");
        }
    }
    reader->out->signers = signers->first;
    return 1;
}

static int document_read_entry(document_reader *reader, const tally_json *node,
                               tally_keyring_entry *out)
{
    static const char *const fields[] = {"name", "version", "created", "size", "wrapped", "rights"};
    const int has_rights = reader->out->revision > 0;
    if (!document_has_fields(reader, node, NULL, fields, has_rights ? 6 : 5)) {
        return 0;
    }
    const tally_json *const name = document_text(reader, node, "name");
    if (name == NULL || !tally_key_name_is_valid(name->text, name->size)) {
        return document_refuse(reader, "name",
                               "must be 1 to 64 of a-z, 0-9, '_', '.' and '-', and start with a "
                               "letter or digit");
    }
    memset(out, 0, sizeof *out);
    memcpy(out->id.name, name->text, name->size);
    out->created = document_time(reader, node);
    out->rights = DOCUMENT_ALL;
    if (has_rights && !document_rights(reader, node, &out->rights)) {
        return 0;
    }
    return out->created != NULL &&
           document_number(reader, node, "version", 1, UINT32_MAX, &out->id.version) &&
           document_number(reader, node, "size", 16, 32, &out->size) &&
           (out->size % 8 == 0 || document_refuse(reader, "size", "must be 16, 24 or 32")) &&
           document_base64(reader, document_text(reader, node, "wrapped"), out->wrapped,
                           out->size + TALLY_KEYRING_EXPANSION);
}

/* A file has about 4000 keys, so it is enough to compare each with each. */
static int document_is_twice(const tally_keyring_document *document)
{
    const tally_keyring_entry *const last = &document->entries[document->count - 1];
    for (const tally_keyring_entry *other = document->entries; other < last; other++) {
        if (tally_key_id_equal(&other->id, &last->id)) {
            return 1;
        }
    }
    return 0;
}

static int document_read(document_reader *reader, const tally_json *root)
{
    static const char *const fields[2][10] = {
        {"format", "version", "ring", "created", "root", "check", "keys", "mac"},
        {"format", "version", "ring", "created", "revision", "roots", "check", "signers", "keys",
         "mac"}};
    tally_keyring_document *const out = reader->out;
    const int newer = tally_json_member(root, "version")->integer == 2;
    if (!document_has_fields(reader, root, NULL, fields[newer], newer ? 10 : 8) ||
        !document_hex(reader, root, "ring", out->id, 16) || document_time(reader, root) == NULL ||
        (newer && (!document_number(reader, root, "revision", 1, UINT32_MAX, &out->revision) ||
                   !document_read_signers(reader, root))) ||
        !document_read_roots(reader, root) ||
        !document_hex(reader, root, "check", out->check, 16) ||
        !document_hex(reader, root, "mac", out->mac, 32)) {
        return 0;
    }
    out->id_text = tally_json_member(root, "ring")->text;
    const tally_json *const keys = tally_json_member(root, "keys");
    if (keys->kind != TALLY_JSON_ARRAY) {
        return document_refuse(reader, "keys", "must be an array");
    }
    if (keys->count > 0) {
        out->capacity = keys->count;
        out->entries = tally_allocate_many(reader->allocator, keys->count, sizeof *out->entries);
        if (out->entries == NULL) {
            return 0;
        }
    }
    for (const tally_json *key = keys->first; key != NULL; key = key->next) {
        reader->entry = out->count + 1;
        if (!document_read_entry(reader, key, &out->entries[out->count])) {
            return 0;
        }
        out->count++;
        if (document_is_twice(out)) {
            return document_refuse(reader, NULL, "a name and version are listed twice");
        }
    }
    return 1;
}

static void document_write_field(tally_writer *writer, const tally_json *object, const char *name,
                                 const char *indent, const char *before)
{
    const tally_json *const node = tally_json_member(object, name);
    tally_write(writer, before);
    tally_write(writer, indent);
    tally_write_json(writer, name, strlen(name));
    tally_write(writer, ": ");
    if (node->kind == TALLY_JSON_TEXT) {
        tally_write_json(writer, node->text, node->size);
    } else {
        tally_write_int(writer, node->integer);
    }
}

/* Six spaces of indentation or fewer. */
static const char *document_indent(size_t spaces)
{
    return &"      "[6 - spaces];
}

/* Writes an array of texts, which is the member `name` of an object. */
static void document_write_texts(tally_writer *writer, const char *name, const tally_json *first,
                                 size_t indent)
{
    tally_write(writer, ",\n");
    tally_write(writer, document_indent(indent));
    tally_write_json(writer, name, strlen(name));
    tally_write(writer, first == NULL ? ": []" : ": [");
    for (const tally_json *text = first; text != NULL; text = text->next) {
        tally_write(writer, text == first ? "\n  " : ",\n  ");
        tally_write(writer, document_indent(indent));
        tally_write_json(writer, text->text, text->size);
    }
    if (first != NULL) {
        tally_write(writer, "\n");
        tally_write(writer, document_indent(indent));
        tally_write(writer, "]");
    }
}

/* Writes a record of a root key; its fields are so much indented. */
static void document_write_root(tally_writer *writer, const tally_keyring_document *document,
                                size_t index, const tally_json *node, size_t indent)
{
    static const char *const fields[][4] = {{NULL},
                                            {"salt", "n", "r", "p"},
                                            {"set", "threshold", "count", NULL},
                                            {"by", "rights", "wrapped", NULL}};
    const tally_root_kind kind = document->roots[index].kind;
    document_write_field(writer, node, "kind", document_indent(indent), "{\n");
    for (size_t i = 0; i < 4 && fields[kind][i] != NULL; i++) {
        document_write_field(writer, node, fields[kind][i], document_indent(indent), ",\n");
    }
    if (kind == TALLY_ROOT_SHARES) {
        document_write_texts(writer, "holders", document->holders, indent);
    }
    tally_write(writer, "\n");
    tally_write(writer, document_indent(indent - 2));
    tally_write(writer, "}");
}

static void document_write_roots(tally_writer *writer, const tally_keyring_document *document)
{
    const tally_json *const object = document->json.root;
    if (document->revision == 0) {
        tally_write(writer, ",\n  \"root\": ");
        document_write_root(writer, document, 0, tally_json_member(object, "root"), 4);
        return;
    }
    document_write_field(writer, object, "revision", "  ", ",\n");
    tally_write(writer, ",\n  \"roots\": [");
    const tally_json *node = tally_json_member(object, "roots")->first;
    for (size_t i = 0; node != NULL; i++, node = node->next) {
        tally_write(writer, i == 0 ? "\n    " : ",\n    ");
        document_write_root(writer, document, i, node, 6);
    }
    tally_write(writer, "\n  ]");
}

/* Writes a document in its one spelling, as Python's json with an indent of two. */
static void document_write(tally_writer *writer, const tally_keyring_document *document)
{
    static const char *const heads[] = {"format", "version", "ring", "created"};
    static const char *const entries[] = {"name", "version", "created",
                                          "size", "wrapped", "rights"};
    const tally_json *const object = document->json.root;
    const tally_json *const keys = tally_json_member(object, "keys");
    for (size_t i = 0; i < 4; i++) {
        document_write_field(writer, object, heads[i], "  ", i == 0 ? "{\n" : ",\n");
    }
    document_write_roots(writer, document);
    document_write_field(writer, object, "check", "  ", ",\n");
    if (document->revision > 0) {
        document_write_texts(writer, "signers", document->signers, 2);
    }
    tally_write(writer, ",\n  \"keys\": [");
    for (const tally_json *key = keys->first; key != NULL; key = key->next) {
        tally_write(writer, key == keys->first ? "\n    {\n" : ",\n    {\n");
        for (size_t i = 0; i < (document->revision > 0 ? 6U : 5U); i++) {
            document_write_field(writer, key, entries[i], "      ", i == 0 ? "" : ",\n");
        }
        tally_write(writer, "\n    }");
    }
    tally_write(writer, keys->first == NULL ? "]" : "\n  ]");
    document_write_field(writer, object, "mac", "  ", ",\n");
    tally_write(writer, "\n}\n");
}

/* Whether this is the document's one spelling. TALLY_ERROR_MEMORY. */
static tally_status document_check_spelling(const tally_allocator *allocator, const char *text,
                                            size_t size, const tally_keyring_document *document,
                                            tally_writer *problem)
{
    char *const written = tally_allocate(allocator, size + 1);
    tally_writer writer;
    if (written == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_writer_init(&writer, written, size + 1);
    document_write(&writer, document);
    const int equal = writer.needed == size && memcmp(written, text, size) == 0;
    tally_release(allocator, written, size + 1);
    if (!equal) {
        tally_write(
            problem,
            "the file was edited or reformatted: Tallystick writes another text "
            "(a field occurs twice, or spacing or order differ); restore the file from a backup");
    }
    return equal ? TALLY_OK : TALLY_ERROR_KEYRING;
}

/* Looks at as much as any version of the format has, to name a newer one. */
static tally_status document_check_head(const tally_json *root, tally_writer *problem)
{
    const tally_json *const format = tally_json_member(root, "format");
    const tally_json *const version = tally_json_member(root, "version");
    if (format == NULL || version == NULL || format->kind != TALLY_JSON_TEXT ||
        version->kind != TALLY_JSON_INTEGER) {
        tally_write(problem, "not a valid key ring: it has no format and version; restore the file "
                             "from a backup");
    } else if (!tally_json_is(format, "tallystick-keyring")) {
        tally_write(problem, "not a Tallystick key ring; check the path");
    } else if (version->integer != 1 && version->integer != 2) {
        tally_write(problem, "key ring format ");
        tally_write_int(problem, version->integer);
        tally_write(problem,
                    ", and this Tallystick reads formats 1 and 2; use the Tallystick that wrote "
                    "it, or a newer one");
    } else {
        return TALLY_OK;
    }
    return TALLY_ERROR_KEYRING;
}

static int document_begins_object(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
        at++;
    }
    return at < size && text[at] == '{';
}

/* Writes the fault and its place: "keys[0].size must be 16, 24 or 32". */
static tally_status document_invalid(tally_writer *problem, const document_reader *reader,
                                     const char *json)
{
    const int inside = reader->root > 0 || reader->entry > 0;
    tally_write(problem, "not a valid key ring: ");
    if (reader->root > 0 && reader->out->revision == 0) {
        tally_write(problem, "root");
    } else if (reader->root > 0) {
        tally_write(problem, "roots[");
        tally_write_uint(problem, reader->root - 1);
        tally_write(problem, "]");
    } else if (reader->entry > 0) {
        tally_write(problem, "keys[");
        tally_write_uint(problem, reader->entry - 1);
        tally_write(problem, "]");
    }
    if (reader->field != NULL) {
        tally_write(problem, inside ? "." : "");
        tally_write(problem, reader->field);
    }
    tally_write(problem, reader->field != NULL ? " " : inside ? ": " : "");
    tally_write(problem, json != NULL ? json : reader->wrong);
    if (reader->unknown != NULL) {
        tally_write_repr(problem, reader->unknown->key, reader->unknown->key_size);
    }
    tally_write(problem, "; restore the file from a backup");
    return TALLY_ERROR_KEYRING;
}

static tally_status document_decode(const tally_allocator *allocator, const char *text, size_t size,
                                    tally_keyring_document *out, tally_writer *problem)
{
    document_reader reader = {.allocator = allocator, .out = out};
    tally_problem json;
    if (size > TALLY_KEYRING_SIZE_MAX) {
        tally_write(problem, "not a key ring: it is larger than 1 MiB; check the path");
        return TALLY_ERROR_KEYRING;
    }
    if (!document_begins_object(text, size)) {
        tally_write(problem, "not a key ring; check the path");
        return TALLY_ERROR_KEYRING;
    }
    tally_status status = tally_json_parse(allocator, text, size, &out->json, &json);
    if (status != TALLY_OK) {
        return status == TALLY_ERROR_MEMORY ? status
                                            : document_invalid(problem, &reader, json.text);
    }
    status = document_check_head(out->json.root, problem);
    if (status != TALLY_OK) {
        return status;
    }
    if (!document_read(&reader, out->json.root)) {
        return reader.wrong == NULL ? TALLY_ERROR_MEMORY : document_invalid(problem, &reader, NULL);
    }
    return document_check_spelling(allocator, text, size, out, problem);
}

tally_status tally_keyring_decode(const tally_allocator *allocator, const char *text, size_t size,
                                  tally_keyring_document *out, tally_problem *problem)
{
    tally_keyring_document made;
    tally_problem ignored;
    tally_writer writer;
    memset(&made, 0, sizeof made);
    tally_writer_problem(&writer, problem == NULL ? &ignored : problem);
    const tally_status status = document_decode(allocator, text, size, &made, &writer);
    if (status == TALLY_OK) {
        *out = made;
    } else {
        tally_keyring_document_free(allocator, &made);
    }
    return status;
}

void tally_keyring_document_free(const tally_allocator *allocator, tally_keyring_document *document)
{
    tally_release(allocator, document->entries, document->capacity * sizeof *document->entries);
    document->entries = NULL;
    document->json.allocator = allocator;
    tally_json_free(&document->json);
}
