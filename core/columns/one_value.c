/* SPDX-License-Identifier: Apache-2.0
 *
 * One value: its symbols become a word, the word is run, and its symbols go back to their
 * places. */
#include "columns/one_value.h"

#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "columns/symbols.h"
#include "fast/words/cipher.h"
#include "fast/words/run.h"

size_t tally_one_value_format_size(void)
{
    return TALLY_ALIGNMENT - 1 + sizeof(tally_one_value_format);
}

tally_status tally_one_value_format_init(const tally_shape *shape, void *memory, size_t memory_size,
                                         tally_one_value_format **out)
{
    if (!tally_shape_fits(shape) || memory_size < tally_one_value_format_size()) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_one_value_format *format = tally_align(memory);
    format->shape = *shape;
    format->delimiters = tally_shape_delimiters(shape);
    format->has_short =
        tally_translate_tables_init(shape, &format->tables) && tally_short_available();
    *out = format;
    return TALLY_OK;
}

/* The symbols of a value. */
typedef struct one_value {
    uint8_t all[TALLY_ONE_VALUE];  /* in order; with short.h, only if there is a check digit */
    uint8_t word[TALLY_ONE_VALUE]; /* the free ones */
    uint8_t kept[TALLY_ONE_VALUE]; /* the others, if they are part of the tweak */
    size_t count, length, check;   /* of all; of the word; which of all is the check digit */
    size_t kept_size;
    uint64_t after; /* the first byte after a delimiter */
    tally_short_value where;
} one_value;

static tally_row one_value_gather_short(const tally_one_value_format *format, const uint8_t *value,
                                        size_t size, one_value *out)
{
    const tally_row row =
        tally_short_gather(&format->shape, &format->tables, value, size, out->word, &out->where);
    if (row != TALLY_ROW_OK) {
        return row;
    }
    const uint64_t symbols = out->where.symbols;
    out->count = out->where.count;
    out->length = out->where.length;
    out->kept_size = out->count - out->length;
    out->after = out->where.after;
    if (format->shape.luhn != TALLY_LUHN_NONE) {
        tally_short_compress(&format->tables, value, size, symbols, out->all);
    }
    if (format->shape.tweak_kept && out->kept_size != 0) {
        tally_short_compress(&format->tables, value, size, symbols & ~out->where.free, out->kept);
    }
    return TALLY_ROW_OK;
}

static tally_row one_value_gather(const tally_one_value_format *format, const uint8_t *value,
                                  size_t size, one_value *out)
{
    out->count = 0;
    const tally_row row = tally_symbols_gather(&format->shape, format->delimiters, value, size,
                                               out->all, &out->count, &out->after);
    if (row != TALLY_ROW_OK) {
        return row;
    }
    out->length = 0;
    out->kept_size = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (tally_symbol_is_free(&format->shape, i, out->count)) {
            out->word[out->length++] = out->all[i];
        } else {
            out->kept[out->kept_size++] = out->all[i];
        }
    }
    return TALLY_ROW_OK;
}

typedef struct one_value_tweak {
    size_t size;
    uint8_t bytes[TALLY_FAST_MAX_ROW_TWEAK];
} one_value_tweak;

/* Returns 0 if the tweak would be too long. */
static int one_value_append(one_value_tweak *tweak, const uint8_t *bytes, size_t size)
{
    if (size > sizeof tweak->bytes - tweak->size) {
        return 0;
    }
    if (size != 0) {
        memcpy(tweak->bytes + tweak->size, bytes, size);
        tweak->size += size;
    }
    return 1;
}

/* Appends what stays in clear, after its size. */
static int one_value_append_kept(const one_value *symbols, const uint8_t *value, size_t size,
                                 one_value_tweak *tweak)
{
    const size_t after = size - (size_t)symbols->after;
    uint8_t kept_size[4];
    tally_store_be32((uint32_t)(symbols->kept_size + after), kept_size);
    return one_value_append(tweak, kept_size, sizeof kept_size) &&
           one_value_append(tweak, symbols->kept, symbols->kept_size) &&
           one_value_append(tweak, after != 0 ? value + symbols->after : NULL, after);
}

/* Takes the check digit off the word, and checks both. */
static tally_row one_value_check(const tally_shape *shape, int of_token, one_value *symbols)
{
    const tally_row row = tally_symbols_word_length(shape, &symbols->length);
    if (row != TALLY_ROW_OK || shape->luhn == TALLY_LUHN_NONE) {
        return row;
    }
    symbols->check = tally_symbols_check_place(shape, symbols->count);
    const uint8_t digit = tally_symbols_check_digit(shape, symbols->word, symbols->all,
                                                    symbols->count, symbols->check, of_token);
    return symbols->all[symbols->check] == digit ? TALLY_ROW_OK : TALLY_ROW_CHECK;
}

tally_status tally_one_value(tally_fast_cipher *cipher, const tally_one_value_format *format,
                             tally_direction direction, const uint8_t *tweak, size_t tweak_size,
                             const uint8_t *row_tweak, size_t row_tweak_size, uint8_t *value,
                             size_t size, tally_row *row)
{
    const tally_shape *shape = &format->shape;
    one_value symbols;
    one_value_tweak whole;
    whole.size = 0;
    if (cipher->pool->radix != shape->radix || cipher->pool->profile != TALLY_FAST) {
        return TALLY_ERROR_RADIX;
    }
    if (size > TALLY_ONE_VALUE || !one_value_append(&whole, tweak, tweak_size)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_row found = (format->has_short ? one_value_gather_short
                                         : one_value_gather)(format, value, size, &symbols);
    if (found == TALLY_ROW_OK &&
        ((shape->tweak_kept && !one_value_append_kept(&symbols, value, size, &whole)) ||
         !one_value_append(&whole, row_tweak, row_tweak_size) ||
         !tally_fast_pool_takes_tweak(cipher->pool, whole.size))) {
        found = TALLY_ROW_TWEAK;
    }
    if (found == TALLY_ROW_OK) {
        found = one_value_check(shape, direction == TALLY_DECRYPT, &symbols);
    }
    *row = found;
    if (found == TALLY_ROW_OK) {
        uint8_t *const words[1] = {symbols.word};
        tally_fast_params spare;
        tally_fast_run_words(cipher, tally_fast_cipher_params(cipher, symbols.length, &spare),
                             direction, whole.bytes, whole.size, words, 1);
        if (shape->luhn != TALLY_LUHN_NONE) {
            symbols.word[symbols.length] =
                tally_symbols_check_digit(shape, symbols.word, symbols.all, symbols.count,
                                          symbols.check, direction == TALLY_ENCRYPT);
        }
        if (format->has_short) {
            tally_short_scatter(&format->tables, symbols.word, &symbols.where, value);
        } else {
            tally_symbols_scatter(shape, symbols.word, symbols.count, symbols.after, value);
        }
    }
    tally_wipe(&symbols, sizeof symbols);
    tally_wipe(whole.bytes, whole.size);
    return tally_fast_cipher_take_status(cipher);
}
