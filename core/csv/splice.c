/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies scanned CSV with new content in fields. The bytes between two replaced fields are copied
 * at once, with the fields among them whose content does not change. */
#include "csv/special.h"

/* 1 if an unquoted field could not hold this content. */
static int csv_splice_needs_quotes(const tally_csv_dialect *d, const tally_csv_special *special,
                                   const uint8_t *content, uint64_t size)
{
    if (size > 0 && content[0] == ' ' && d->skip_initial_space) {
        return 1;
    }
    for (; size >= 8; content += 8, size -= 8) {
        if (tally_csv_special_bytes(special, tally_csv_load(content)) != 0) {
            return 1;
        }
    }
    uint64_t word = 0;
    for (uint64_t i = 0; i < size; i++) {
        word = word << 8 | content[i];
    }
    return tally_csv_special_bytes(special, word) != 0; /* the zeros above are not special */
}

/* Writes content with each quote doubled, and returns its new size. */
static uint64_t csv_splice_escape(const uint8_t *from, uint64_t size, uint8_t quote, uint8_t *to)
{
    uint64_t written = 0;
    for (uint64_t i = 0; i < size; i++) {
        to[written++] = from[i];
        if (from[i] == quote) {
            to[written++] = quote;
        }
    }
    return written;
}

uint64_t tally_csv_splice_capacity(uint64_t size, const tally_csv_column *columns,
                                   uint32_t wanted_count, uint64_t records)
{
    for (uint32_t j = 0; j < wanted_count; j++) {
        if (columns[j].offsets != NULL) {
            uint64_t content = (uint64_t)(columns[j].offsets[records] - columns[j].offsets[0]);
            size += 2 * content + 2 * records;
        }
    }
    return size;
}

/* Whether this field is all of a last record without a line end: if it became empty, no byte of the
 * record would be left. */
static int csv_splice_is_all_of_last_record(const uint8_t *bytes, uint64_t size,
                                            const tally_csv_field *field)
{
    return field->start + field->size == size &&
           (field->start == 0 || bytes[field->start - 1] == '\n' ||
            bytes[field->start - 1] == '\r');
}

tally_status tally_csv_splice(const tally_csv_dialect *dialect, const uint8_t *bytes, uint64_t size,
                              const tally_csv_field *fields, uint64_t records,
                              const tally_csv_column *columns, uint32_t wanted_count, uint8_t *out,
                              uint64_t capacity, tally_csv_splice_result *result)
{
    if (!tally_csv_dialect_valid(dialect) ||
        capacity < tally_csv_splice_capacity(size, columns, wanted_count, records)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_csv_dialect d = *dialect;
    tally_csv_special special = tally_csv_special_of(&d);
    tally_csv_splice_result done = {0};
    uint64_t copied = 0, written = 0; /* of the bytes, to the output */
    for (uint64_t r = 0; r < records; r++) {
        for (uint32_t j = 0; j < wanted_count; j++) {
            const tally_csv_column *column = &columns[j];
            if (column->offsets == NULL) {
                continue;
            }
            const tally_csv_field *field = &fields[r * wanted_count + j];
            uint64_t content_size;
            const uint8_t *content = tally_csv_content(column, r, &content_size);
            if (content_size == field->size && !field->escaped &&
                (content_size == 0 ||
                 memcmp(content, bytes + field->start, (size_t)content_size) == 0)) {
                continue;
            }
            int quotes =
                !field->quoted && (csv_splice_needs_quotes(&d, &special, content, content_size) ||
                                   (content_size == 0 && d.quote != 0 &&
                                    csv_splice_is_all_of_last_record(bytes, size, field)));
            if (quotes && d.quote == 0) {
                done.error = TALLY_CSV_UNQUOTABLE;
                done.error_record = r;
                done.error_column = j;
                *result = done;
                return TALLY_OK;
            }
            memcpy(out + written, bytes + copied, (size_t)(field->start - copied));
            written += field->start - copied;
            copied = field->start + field->size;
            if (quotes) {
                out[written++] = d.quote;
            }
            if (quotes || field->quoted) {
                written += csv_splice_escape(content, content_size, d.quote, out + written);
            } else if (content_size > 0) {
                memcpy(out + written, content, (size_t)content_size);
                written += content_size;
            }
            if (quotes) {
                out[written++] = d.quote;
            }
        }
    }
    if (size > copied) {
        memcpy(out + written, bytes + copied, (size_t)(size - copied));
    }
    done.size = written + (size - copied);
    *result = done;
    return TALLY_OK;
}
