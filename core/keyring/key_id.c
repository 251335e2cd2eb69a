/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and versions of data keys. */
#include "keyring/key_id.h"

#include "base/writer.h"

#include <string.h>

static int key_id_is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

int tally_key_name_is_valid(const char *name, size_t size)
{
    if (size < 1 || size > TALLY_KEY_NAME_SIZE_MAX || !key_id_is_alphanumeric(name[0])) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        const char c = name[i];
        if (!key_id_is_alphanumeric(c) && c != '_' && c != '.' && c != '-') {
            return 0;
        }
    }
    return 1;
}

static tally_status key_id_refuse(tally_problem *problem, const char *text)
{
    if (problem != NULL) {
        tally_writer writer;
        tally_writer_problem(&writer, problem);
        tally_write(&writer, text);
    }
    return TALLY_ERROR_REFERENCE;
}

tally_status tally_key_id_init(const char *name, size_t size, uint64_t version, tally_key_id *out,
                               tally_problem *problem)
{
    if (!tally_key_name_is_valid(name, size)) {
        return key_id_refuse(problem, "a key's name is 1 to 64 of a-z, 0-9, '_', '.' and '-', and "
                                      "starts with a letter or digit");
    }
    if (version < 1 || version > UINT32_MAX) {
        return key_id_refuse(problem, "a key's version is from 1 to 4294967295");
    }
    memset(out, 0, sizeof *out);
    memcpy(out->name, name, size);
    out->version = (uint32_t)version;
    return TALLY_OK;
}

tally_status tally_key_id_parse(const char *reference, size_t size, tally_key_id *out,
                                tally_problem *problem)
{
    const char *const colon = size == 0 ? NULL : memchr(reference, ':', size);
    const size_t name_size = colon == NULL ? 0 : (size_t)(colon - reference);
    const size_t digits = colon == NULL ? 0 : size - name_size - 1;
    uint64_t version = 0;
    int numeric = digits >= 1 && digits <= 10 && colon[1] != '0';
    for (size_t i = 1; i <= digits && numeric; i++) {
        numeric = colon[i] >= '0' && colon[i] <= '9';
        version = version * 10 + (uint64_t)(colon[i] - '0');
    }
    if (!numeric) {
        return key_id_refuse(problem,
                             "a key reference has the form name:version, for example people:1");
    }
    return tally_key_id_init(reference, name_size, version, out, problem);
}

int tally_key_id_equal(const tally_key_id *a, const tally_key_id *b)
{
    return a->version == b->version && strcmp(a->name, b->name) == 0;
}

void tally_write_key_id(tally_writer *writer, const tally_key_id *id)
{
    tally_write(writer, id->name);
    tally_write_char(writer, ':');
    tally_write_uint(writer, id->version);
}
