/* SPDX-License-Identifier: Apache-2.0
 *
 * A reader of test vectors: a JSON array of flat objects, whose members are strings, integers,
 * booleans, null, and arrays of those. A file, member or value that is not as asked for ends the
 * program with a message and exit code 2, because a test without its vectors proves nothing. */
#ifndef TALLY_TESTS_JSON_H
#define TALLY_TESTS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json_file json_file;
typedef struct json_case json_case;

/* Reads a file; json_free releases it and all its cases. */
json_file *json_load(const char *path);
void json_free(json_file *file);

/* The cases: `for (size_t i = 0; i < json_count(file); i++) { c = json_at(file, i); ... }`. */
size_t json_count(const json_file *file);
const json_case *json_at(const json_file *file, size_t index);

/* Whether a case has a member of this name that is not null. */
bool json_has(const json_case *c, const char *name);

/* The value of a member. A string lives as long as the file. */
const char *json_string(const json_case *c, const char *name);
int64_t json_int(const json_case *c, const char *name);

/* Decodes a string of hexadecimal digits to at most `capacity` bytes; returns their number. */
size_t json_hex(const json_case *c, const char *name, uint8_t *out, size_t capacity);

/* Reads an array of integers 0..255, of at most `capacity` items; returns their number. */
size_t json_bytes(const json_case *c, const char *name, uint8_t *out, size_t capacity);

/* The number of items of an array, and one of them as a string or as decoded hexadecimal digits. */
size_t json_length(const json_case *c, const char *name);
const char *json_item_string(const json_case *c, const char *name, size_t index);
size_t json_item_hex(const json_case *c, const char *name, size_t index, uint8_t *out,
                     size_t capacity);

#endif
