/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON of any bytes: what is read is written anew, and reads as the same tree. */
#include "base/writer.h"
#include "fuzz_allocator.h"
#include "json/json.h"

static void write_value(tally_writer *writer, const tally_json *node)
{
    static const char *const words[] = {"null", "false", "true"};
    uint32_t count = 0;
    switch (node->kind) {
    case TALLY_JSON_NULL:
    case TALLY_JSON_FALSE:
    case TALLY_JSON_TRUE:
        tally_write(writer, words[node->kind]);
        break;
    case TALLY_JSON_TEXT:
        tally_write_json(writer, node->text, node->size);
        break;
    case TALLY_JSON_ARRAY:
    case TALLY_JSON_OBJECT:
        tally_write(writer, node->kind == TALLY_JSON_ARRAY ? "[" : "{");
        for (const tally_json *item = node->first; item != NULL; item = item->next, count++) {
            tally_write(writer, count > 0 ? ", " : "");
            CHECK((item->key != NULL) == (node->kind == TALLY_JSON_OBJECT));
            if (item->key != NULL) {
                tally_write_json(writer, item->key, item->key_size);
                tally_write(writer, ": ");
            }
            write_value(writer, item); /* as deep as the reader allows */
        }
        CHECK_EQUAL(count, node->count);
        tally_write(writer, node->kind == TALLY_JSON_ARRAY ? "]" : "}");
        break;
    default:
        CHECK_EQUAL(strlen(node->text), node->size);
        if (node->kind == TALLY_JSON_INTEGER) {
            char digits[32];
            snprintf(digits, sizeof digits, "%" PRId64, node->integer);
            CHECK(strcmp(digits, node->text) == 0 || strcmp(node->text, "-0") == 0);
        }
        tally_write_bytes(writer, node->text, node->size);
    }
}

/* Writes a tree; the text is of this input. */
static tally_writer write_tree(const tally_json *root, size_t most)
{
    tally_writer writer;
    tally_writer_init(&writer, (char *)fuzz_buffer(most), most);
    write_value(&writer, root);
    CHECK_EQUAL(writer.size, writer.needed);
    return writer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_pieces pieces = fuzz_pieces_of(&input);
    const tally_allocator allocator = {fuzz_pieces_give, fuzz_pieces_take, &pieces};
    const size_t text_size = input.size;
    const char *const text = (const char *)fuzz_bytes(&input, text_size);
    tally_json_document document = {0}, again = {0};
    tally_problem problem;
    const tally_status status = tally_json_parse(&allocator, text, text_size, &document, &problem);
    if (status == TALLY_OK) {
        const size_t most = 12 * text_size + 64; /* an escape for a byte, ", " for a comma */
        const tally_writer first = write_tree(document.root, most);
        CHECK_EQUAL(tally_json_parse(NULL, first.text, first.size, &again, NULL), TALLY_OK);
        const tally_writer second = write_tree(again.root, most);
        CHECK(strcmp(first.text, second.text) == 0);
        CHECK(tally_json_kind_text(document.root) != NULL);
        tally_json_free(&again);
        tally_json_free(&document);
    } else if (status == TALLY_ERROR_PROBLEM) {
        fuzz_described(&problem);
    } else {
        CHECK_EQUAL(status, TALLY_ERROR_MEMORY);
    }
    CHECK_EQUAL(pieces.out, 0);
    return fuzz_end();
}
