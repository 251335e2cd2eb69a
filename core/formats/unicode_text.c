/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of scripts, block by block: the letters of each row become a word, the words of equal length
 * and tweak are encrypted together, and rows are written with the letters of their new words. */
#include "formats/unicode_text.h"

#include <string.h>

#include "base/bytes.h"
#include "fast/words/buckets.h"
#include "fast/words/many_tweaks.h"
#include "fast/words/run.h"
#include "formats/unicode_short.h"
#include "formats/unicode_value.h"
#include "unicode/unicode.h"

enum {
    TEXT_BLOCK = 1 << 17, /* bytes of a block of more than one row */
    TEXT_WIDEST = 3,      /* bytes of a letter */
    TEXT_NO_WORD = 0xFFFF,
    TEXT_NO_PART = 0xFF
};

/* A row of a block. */
typedef struct unicode_text_row {
    uint64_t start; /* in the column's values */
    uint64_t size;
    tally_unicode_value text;
    const uint8_t *tail; /* its own part of the tweak */
    uint32_t tail_size;
    uint16_t bucket;
    uint8_t part, is_null;
} unicode_text_row;

/* A call. */
typedef struct unicode_text_job {
    const tally_unicode_format *own;
    tally_run *run;
    const uint8_t *values;
    const tally_strings_reader *tweaks; /* or NULL */
    uint64_t first;                     /* the block's first row */
    uint8_t *status;                    /* of the block's rows */
    size_t count;
    unicode_text_row *rows;
    uint16_t *order;                  /* of the rows: those of a part follow each other */
    size_t begins[TALLY_SCRIPTS + 1]; /* of each part in it */
    uint8_t *symbols;
    uint16_t *codes;
    uint8_t *tails, *tails_end;
    uint8_t **words;
    tally_fast_buckets *buckets;
    int has_short; /* whether unicode_short.h works on this CPU */
    int together;  /* whether rows are read and written together */
    size_t common; /* bytes of tweak that all rows of a part have */
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
} unicode_text_job;

/* Whether a page has letters. */
static int unicode_text_in_page(const tally_unicode_letters *letters, uint32_t page)
{
    const uint32_t first = page << TALLY_UNICODE_PAGE_BITS;
    if (letters->page_of[page] == 0 && (first > (uint32_t)letters->direct + letters->direct_size ||
                                        first + TALLY_UNICODE_PAGE <= letters->direct)) {
        return 0;
    }
    for (uint32_t i = 0; i < TALLY_UNICODE_PAGE; i++) {
        if (tally_unicode_is_letter(tally_unicode_code(letters, first + i))) {
            return 1;
        }
    }
    return 0;
}

void tally_unicode_find_parts(tally_unicode_format *own)
{
    memset(own->part_of, TEXT_NO_PART, sizeof own->part_of);
    for (uint32_t i = own->count; i-- > 0;) {
        for (uint32_t page = 0; page < TALLY_UNICODE_PAGES; page++) {
            if (unicode_text_in_page(&own->parts[i].letters, page)) {
                own->part_of[page] = (uint8_t)i;
            }
        }
    }
}

/* The part that has a letter; TEXT_NO_PART: none. */
static uint32_t unicode_text_part_of(const tally_unicode_format *own, uint32_t point)
{
    uint32_t part = point <= 0xFFFF ? own->part_of[point >> TALLY_UNICODE_PAGE_BITS] : TEXT_NO_PART;
    for (; part < own->count; part++) { /* nearly always the first one */
        if (tally_unicode_is_letter(tally_unicode_code(&own->parts[part].letters, point))) {
            return part;
        }
    }
    return TEXT_NO_PART;
}

uint32_t tally_unicode_part_of(const tally_unicode_format *own, const uint8_t *value, size_t size)
{
    const uint8_t *end = value + size;
    for (const uint8_t *at = value; at < end;) {
        uint32_t point, width = tally_utf8_decode(at, end, &point);
        if (width == 0) {
            return 0;
        }
        const uint32_t part = unicode_text_part_of(own, point);
        if (part != TEXT_NO_PART) {
            return part;
        }
        at += width;
    }
    return 0;
}

/* Makes a row's own part of its tweak. Returns 0 if that is null or too long. */
static int unicode_text_make_tail(unicode_text_job *job, unicode_text_row *row, size_t index,
                                  uint32_t digits)
{
    const tally_unicode_format *own = job->own;
    uint8_t *tail = job->tails;
    if (own->tweak_kept) {
        const size_t symbols = row->text.letters * digits;
        size_t front = own->keep_first * digits, back = own->keep_last * digits;
        front = front < symbols ? front : symbols;
        back = back < symbols - front ? back : symbols - front;
        tally_store_be32((uint32_t)(front + back), tail);
        memcpy(tail + 4, row->text.symbols, front);
        memcpy(tail + 4 + front, row->text.symbols + symbols - back, back);
        tail += 4 + front + back;
    }
    if (job->tweaks != NULL) {
        const uint64_t number = job->first + index;
        const size_t used = job->common + (size_t)(tail - job->tails);
        uint64_t start, size;
        if (tally_row_is_null(job->tweaks->strings, number) ||
            !tally_strings_row(job->tweaks, number, &start, &size) ||
            used > TALLY_FAST_MAX_ROW_TWEAK || size > TALLY_FAST_MAX_ROW_TWEAK - used ||
            size > (uint64_t)(job->tails_end - tail)) {
            return 0;
        }
        if (size != 0) {
            memcpy(tail, job->tweaks->strings->values + start, (size_t)size);
        }
        tail += size;
    }
    row->tail_size = (uint32_t)(tail - job->tails);
    job->tails = tail;
    return job->common + row->tail_size <= TALLY_FAST_MAX_ROW_TWEAK;
}

/* The symbols of a row that are encrypted. */
static uint8_t *unicode_text_word(const unicode_text_job *job, const unicode_text_row *row,
                                  uint32_t digits)
{
    return row->text.symbols + job->own->keep_first * digits;
}

static size_t unicode_text_word_length(const unicode_text_job *job, const unicode_text_row *row,
                                       uint32_t digits)
{
    return (row->text.letters - job->own->keep_first - job->own->keep_last) * digits;
}

/* Checks the length of a row whose text was read, and makes its own part of its tweak. Returns why it
 * is invalid; 0: it is valid. */
static inline tally_reason unicode_text_finish_row(unicode_text_job *job,
                                                   const tally_unicode_part *part, size_t index)
{
    const tally_unicode_letters *letters = &part->letters;
    unicode_text_row *row = &job->rows[index];
    row->tail = job->tails;
    row->tail_size = 0;
    const size_t keeps = (size_t)(job->own->keep_first + job->own->keep_last) * letters->digits,
                 all = row->text.letters * letters->digits;
    if (all > TALLY_FAST_MAX_LENGTH) {
        return TALLY_REASON_LONG;
    }
    if ((job->own->tweak_kept || job->tweaks != NULL) &&
        !unicode_text_make_tail(job, row, index, letters->digits)) {
        return TALLY_REASON_TWEAK;
    }
    return all < keeps + part->least  ? TALLY_REASON_SHORT
           : all - keeps > part->most ? TALLY_REASON_LONG
                                      : TALLY_REASON_NONE;
}

/* Reads a row. */
static tally_reason unicode_text_read_row(unicode_text_job *job, const tally_unicode_part *part,
                                          size_t index)
{
    unicode_text_row *row = &job->rows[index];
    row->text.symbols = job->symbols;
    row->text.codes = job->codes;
    const tally_reason reason = tally_unicode_read(&part->letters, job->values + row->start,
                                                   (size_t)row->size, job->has_short, &row->text);
    return reason == TALLY_REASON_NONE ? unicode_text_finish_row(job, part, index) : reason;
}

/* Adds a row to its bucket, if it is valid. Returns whether it is. */
static inline int unicode_text_add_row(unicode_text_job *job, const tally_unicode_part *part,
                                       size_t index, tally_reason reason)
{
    unicode_text_row *row = &job->rows[index];
    job->status[index] = (uint8_t)reason;
    if (reason != TALLY_REASON_NONE) {
        return 0;
    }
    const size_t length = unicode_text_word_length(job, row, part->letters.digits);
    row->bucket = tally_fast_buckets_add(job->buckets, row->tail, row->tail_size, length);
    job->run->small += length < part->small_symbols;
    return 1;
}

/* Whether a row can be read with those from `start` on: as text, or as nothing. */
static inline int unicode_text_is_joined(const unicode_text_row *row, uint64_t start)
{
    return (!row->is_null || row->size == 0) && row->start + row->size - start <= TEXT_BLOCK;
}

/* Reads rows that follow each other, from the first on, in vectors. Returns how many were read. */
static size_t unicode_text_read_together(unicode_text_job *job, const tally_unicode_part *part,
                                         size_t first, size_t most, size_t *words)
{
    tally_unicode_rows rows = {.count = 0};
    const uint64_t start = job->rows[first].start;
    while (rows.count < most && first + rows.count < job->count &&
           unicode_text_is_joined(&job->rows[first + rows.count], start)) {
        const unicode_text_row *row = &job->rows[first + rows.count];
        rows.bytes[rows.count++] = (uint32_t)(row->start + row->size - start);
    }
    const size_t count = tally_unicode_rows_read(&part->letters, job->values + start, &rows,
                                                 job->codes, job->symbols);
    uint32_t chars = 0, letters = 0;
    for (size_t i = 0; i < count; i++) {
        unicode_text_row *row = &job->rows[first + i];
        row->text = (tally_unicode_value){.symbols = job->symbols + letters,
                                          .codes = job->codes + chars,
                                          .chars = rows.chars[i] - chars,
                                          .letters = rows.letters[i] - letters,
                                          .is_short = row->size <= TALLY_UNICODE_SHORT};
        row->bucket = TEXT_NO_WORD;
        chars = rows.chars[i];
        letters = rows.letters[i];
        if (row->is_null) {
            job->status[first + i] = TALLY_REASON_NONE;
        } else {
            *words += (size_t)unicode_text_add_row(job, part, first + i,
                                                   unicode_text_finish_row(job, part, first + i));
        }
    }
    job->codes += chars;
    job->symbols += letters;
    return count;
}

/* Reads the rows of a part, and sorts their words into buckets. Returns the number of words. */
static size_t unicode_text_read_rows(unicode_text_job *job, uint32_t number)
{
    const tally_unicode_part *part = &job->own->parts[number];
    const uint32_t digits = part->letters.digits;
    size_t words = 0, together = TALLY_UNICODE_ROWS;
    tally_fast_buckets_clear(job->buckets);
    for (size_t place = job->begins[number]; place < job->begins[number + 1];) {
        if (job->together) {
            const size_t count = unicode_text_read_together(job, part, place, together, &words);
            const int is_whole = count == together;
            place += count;
            /* Few are tried where few were read. */
            together = is_whole ? 2 * together : count + 1;
            together = together < TALLY_UNICODE_ROWS ? together : TALLY_UNICODE_ROWS;
            if (is_whole || place == job->begins[number + 1]) {
                continue;
            }
        }
        const size_t i = job->order[place++];
        unicode_text_row *row = &job->rows[i];
        row->bucket = TEXT_NO_WORD;
        if (row->is_null) {
            job->status[i] = TALLY_REASON_NONE;
        } else if (unicode_text_add_row(job, part, i, unicode_text_read_row(job, part, i))) {
            job->symbols += row->text.letters * digits;
            job->codes += row->text.chars;
            words++;
        }
    }
    return words;
}

/* Whether two symbols of a word stand for no letter. */
static int unicode_text_is_outside(const tally_unicode_letters *letters, const uint8_t *word,
                                   size_t length)
{
    uint32_t outside = 0;
    for (size_t i = 0; i < length; i += 2) {
        outside |= letters->size - 1 - (word[i] * letters->radix + word[i + 1]);
    }
    return outside >> 31 != 0;
}

/* Encrypts the words of buckets of one length: those of bucket sorted[i] are counts[i], and follow
 * each other in `words`, `stride[i]` apart. */
static void unicode_text_run_length(unicode_text_job *job, tally_fast_cipher *cipher,
                                    const uint16_t *sorted, const size_t *starts,
                                    const size_t *counts, size_t count)
{
    const tally_fast_bucket *buckets = job->buckets->bucket;
    tally_fast_params spare;
    const tally_fast_params *params =
        tally_fast_cipher_params(cipher, buckets[sorted[0]].length, &spare);
    size_t words = 0, filled = 0;
    for (size_t i = 0; i < count; i++) {
        words += counts[i];
        filled += counts[i] != 0;
    }
    if (filled == 0) {
        return;
    }
    tally_fast_many_tweaks many;
    if (filled > 1) {
        tally_fast_many_tweaks_init(cipher, params, job->run->direction, job->tweak, job->common,
                                    filled, words, &many);
    }
    for (size_t i = 0; i < count; i++) {
        const tally_fast_bucket *bucket = &buckets[sorted[i]];
        if (counts[i] == 0) {
            continue;
        }
        if (filled > 1) {
            tally_fast_many_tweaks_add(&many, bucket->tail, bucket->tail_size,
                                       job->words + starts[i], counts[i]);
            continue;
        }
        if (bucket->tail_size != 0) {
            memcpy(job->tweak + job->common, bucket->tail, bucket->tail_size);
        }
        tally_fast_run_words(cipher, params, job->run->direction, job->tweak,
                             job->common + bucket->tail_size, job->words + starts[i], counts[i]);
    }
    if (filled > 1) {
        tally_fast_many_tweaks_final(&many);
    }
}

/* Keeps the words of a bucket that are to be encrypted again. */
static size_t unicode_text_keep_outside(const tally_unicode_letters *letters, uint8_t **words,
                                        size_t count, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t *word = words[i];
        words[kept] = word;
        kept += (size_t)unicode_text_is_outside(letters, word, length);
    }
    return kept;
}

/* Encrypts the words of a part that were read. */
static tally_status unicode_text_run_part(unicode_text_job *job, uint32_t number)
{
    const tally_unicode_letters *letters = &job->own->parts[number].letters;
    tally_fast_cipher *cipher = job->run->cipher(job->run, letters->radix);
    size_t *starts = job->run->scratch(job->run, 6, 2 * TALLY_FAST_ROWS * sizeof *starts);
    if (cipher == NULL || starts == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    size_t *counts = starts + TALLY_FAST_ROWS;
    uint16_t sorted[TALLY_FAST_ROWS], next[TALLY_FAST_ROWS];
    const size_t count = job->buckets->count;
    tally_fast_buckets_sort(job->buckets, sorted, next);
    for (size_t i = 0; i < count; i++) {
        starts[i] = next[sorted[i]];
        counts[i] = job->buckets->bucket[sorted[i]].rows;
    }
    for (size_t place = job->begins[number]; place < job->begins[number + 1]; place++) {
        const unicode_text_row *row = &job->rows[job->order[place]];
        if (row->bucket != TEXT_NO_WORD) {
            job->words[next[row->bucket]++] = unicode_text_word(job, row, letters->digits);
        }
    }
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        const size_t length = job->buckets->bucket[sorted[begin]].length;
        while (end < count && job->buckets->bucket[sorted[end]].length == length) {
            end++;
        }
        for (size_t left = 1; left != 0;) {
            unicode_text_run_length(job, cipher, sorted + begin, starts + begin, counts + begin,
                                    end - begin);
            left = 0;
            for (size_t i = begin; letters->digits == 2 && i < end; i++) {
                counts[i] =
                    unicode_text_keep_outside(letters, job->words + starts[i], counts[i], length);
                left += counts[i];
            }
        }
    }
    return TALLY_OK;
}

/* Takes the tweak that all rows of a part have. */
static tally_status unicode_text_begin_part(unicode_text_job *job, uint32_t number)
{
    const tally_run *run = job->run;
    const char *name = job->own->parts[number].letters.script->name;
    const size_t size = job->own->any ? strlen(name) : 0, more = job->own->any ? 4 + size : 0;
    job->common = run->tweak_size + more;
    if (job->common > sizeof job->tweak) {
        return TALLY_ERROR_ARGUMENT;
    }
    memcpy(job->tweak, run->tweak, run->tweak_size);
    if (job->own->any) {
        tally_store_be32((uint32_t)size, job->tweak + run->tweak_size);
        memcpy(job->tweak + run->tweak_size + 4, name, size);
    }
    return TALLY_OK;
}

/* Reads and encrypts the rows of a part. */
static tally_status unicode_text_do_part(unicode_text_job *job, uint32_t number)
{
    const tally_status status = unicode_text_begin_part(job, number);
    if (status != TALLY_OK) {
        return status;
    }
    return unicode_text_read_rows(job, number) != 0 ? unicode_text_run_part(job, number) : TALLY_OK;
}

/* Writes a valid row; returns its end. */
static uint8_t *unicode_text_write(const unicode_text_job *job, const unicode_text_row *row,
                                   uint8_t *out)
{
    return tally_unicode_write(&job->own->parts[row->part].letters, &row->text,
                               job->values + row->start, (size_t)row->size, out);
}

/* Bytes that a block's rows take at most: a letter may be written with more than it was. */
static uint64_t unicode_text_most(uint64_t size)
{
    return TEXT_WIDEST * size + TALLY_UNICODE_SHORT;
}

/* Memory for the text of `count` rows with `size` bytes in all. */
static tally_status unicode_text_take_text(unicode_text_job *job, size_t count, uint64_t size)
{
    tally_run *run = job->run;
    size_t tails = 64;
    if (size > SIZE_MAX / 8) {
        return TALLY_ERROR_MEMORY;
    }
    if (job->own->tweak_kept) {
        tails += count * (4 + 2 * (size_t)(job->own->keep_first + job->own->keep_last));
    }
    if (job->tweaks != NULL) {
        for (size_t i = 0; i < count; i++) {
            uint64_t start, tweak = 0;
            if (tally_strings_row(job->tweaks, job->first + i, &start, &tweak)) {
                tails +=
                    tweak < TALLY_FAST_MAX_ROW_TWEAK ? (size_t)tweak : TALLY_FAST_MAX_ROW_TWEAK;
            }
        }
    }
    job->symbols = run->scratch(run, 1, (size_t)size + 2 * TALLY_UNICODE_SHORT);
    job->codes = run->scratch(run, 2, ((size_t)size + TALLY_UNICODE_SHORT) * sizeof *job->codes);
    job->tails = run->scratch(run, 3, tails);
    job->tails_end = job->tails + tails;
    return job->symbols != NULL && job->codes != NULL && job->tails != NULL ? TALLY_OK
                                                                            : TALLY_ERROR_MEMORY;
}

/* Memory for the rows of a block, of which at most so many are left. */
static tally_status unicode_text_take_rows(unicode_text_job *job, uint64_t rows)
{
    tally_run *run = job->run;
    const size_t count = rows < TALLY_FAST_ROWS ? (size_t)rows : TALLY_FAST_ROWS;
    job->rows = run->scratch(run, 0, count * sizeof *job->rows);
    job->words = run->scratch(run, 4, count * sizeof *job->words);
    job->order = run->scratch(run, 8, count * sizeof *job->order);
    job->buckets = run->scratch(run, 5, sizeof *job->buckets);
    return job->rows != NULL && job->words != NULL && job->order != NULL && job->buckets != NULL
               ? TALLY_OK
               : TALLY_ERROR_MEMORY;
}

/* Finds the parts of a block's rows, and sorts these by them. */
static void unicode_text_sort(unicode_text_job *job)
{
    size_t next[TALLY_SCRIPTS] = {0};
    memset(job->begins, 0, sizeof job->begins);
    if (!job->own->any) {
        for (size_t i = 0; i < job->count; i++) {
            job->rows[i].part = 0;
            job->order[i] = (uint16_t)i;
        }
        job->begins[1] = job->count;
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        unicode_text_row *row = &job->rows[i];
        row->part = 0;
        if (!row->is_null) {
            row->part = (uint8_t)tally_unicode_part_of(job->own, job->values + row->start,
                                                       (size_t)row->size);
        }
        job->begins[row->part + 1]++;
    }
    for (size_t i = 0; i < TALLY_SCRIPTS; i++) {
        next[i] = job->begins[i];
        job->begins[i + 1] += job->begins[i];
    }
    for (size_t i = 0; i < job->count; i++) {
        job->order[next[job->rows[i].part]++] = (uint16_t)i;
    }
}

/* Encrypts the rows of a block. */
static tally_status unicode_text_do_block(unicode_text_job *job)
{
    unicode_text_sort(job);
    for (uint32_t i = 0; i < job->own->count; i++) {
        if (job->begins[i] != job->begins[i + 1]) {
            const tally_status status = unicode_text_do_part(job, i);
            if (status != TALLY_OK) {
                return status;
            }
        }
    }
    return TALLY_OK;
}

/* Writes valid rows that follow each other, from the first on, in vectors. Returns how many were
 * written. */
static size_t unicode_text_write_together(const unicode_text_job *job, tally_text_out *out,
                                          size_t first)
{
    const unicode_text_row *row = &job->rows[first], *const begin = row;
    tally_unicode_rows rows = {.count = 0};
    uint32_t chars = 0, letters = 0;
    for (; rows.count < TALLY_UNICODE_ROWS && first + rows.count < job->count &&
           row->bucket != TEXT_NO_WORD && row->start + row->size - begin->start <= TEXT_BLOCK &&
           row->text.codes == begin->text.codes + chars &&
           row->text.symbols == begin->text.symbols + letters;
         row++) {
        chars += (uint32_t)row->text.chars;
        letters += (uint32_t)row->text.letters;
        rows.bytes[rows.count] = (uint32_t)(row->start + row->size - begin->start);
        rows.chars[rows.count++] = chars;
    }
    if (rows.count == 0) {
        return 0;
    }
    (void)tally_unicode_rows_write(&job->own->parts->letters, job->values + begin->start, &rows,
                                   begin->text.codes, begin->text.symbols, out->values + out->size);
    for (size_t i = 0, end = 0; i < rows.count; end = rows.bytes[i++]) {
        tally_text_out_end(out, rows.bytes[i] - end);
    }
    return rows.count;
}

static tally_status unicode_text_write_block(const unicode_text_job *job, tally_text_out *out,
                                             uint64_t size)
{
    const tally_status status = tally_text_out_reserve(out, unicode_text_most(size));
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->together) {
            i += unicode_text_write_together(job, out, i);
            if (i == job->count) {
                break;
            }
        }
        const unicode_text_row *row = &job->rows[i];
        uint8_t *start = out->values + out->size;
        uint64_t written = row->is_null ? 0 : row->size;
        if (row->bucket != TEXT_NO_WORD) {
            written = (uint64_t)(unicode_text_write(job, row, start) - start);
        } else if (written != 0) {
            memcpy(start, job->values + row->start, (size_t)written);
        }
        tally_text_out_end(out, written);
    }
    return TALLY_OK;
}

/* Takes the rows of the next block: as many as fit, and one at least. Returns the bytes of all;
 * UINT64_MAX: another thread has changed the offsets. */
static uint64_t unicode_text_next_rows(unicode_text_job *job, tally_strings_reader *in)
{
    uint64_t bytes = 0;
    size_t count = 0;
    for (; count < TALLY_FAST_ROWS && in->row < in->strings->rows && bytes <= TEXT_BLOCK; count++) {
        unicode_text_row *row = &job->rows[count];
        row->is_null = (uint8_t)tally_row_is_null(in->strings, in->row);
        if (!tally_strings_next(in, &row->start, &row->size)) {
            return UINT64_MAX;
        }
        bytes += row->size;
    }
    job->count = count;
    return bytes;
}

/* Runs the next block. */
static tally_status unicode_text_run_block(unicode_text_job *job, tally_strings_reader *in,
                                           tally_text_column *column)
{
    tally_status status = unicode_text_take_rows(job, in->strings->rows - job->first);
    if (status != TALLY_OK) {
        return status;
    }
    const uint64_t bytes = unicode_text_next_rows(job, in);
    if (bytes == UINT64_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    status = unicode_text_take_text(job, job->count, bytes);
    if (status != TALLY_OK) {
        return status;
    }
    job->status = column->status + job->first;
    status = unicode_text_do_block(job);
    job->first += job->count;
    return status == TALLY_OK ? unicode_text_write_block(job, column->out, bytes) : status;
}

tally_status tally_unicode_text(const tally_format *format, tally_run *run,
                                tally_text_column *column)
{
    tally_strings_reader in, tweaks;
    unicode_text_job job = {.own = format->own,
                            .run = run,
                            .values = column->in.values,
                            .has_short = tally_unicode_short_available()};
    job.together =
        job.has_short && !job.own->any && tally_unicode_rows_fit(&job.own->parts->letters);
    if (column->in.rows == 0) {
        return TALLY_OK;
    }
    if (!tally_strings_init_ends(&column->in, &in) ||
        (run->row_tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &tweaks))) {
        return TALLY_ERROR_ARGUMENT;
    }
    job.tweaks = run->row_tweaks != NULL ? &tweaks : NULL;
    tally_status status = TALLY_OK;
    while (status == TALLY_OK && job.first < column->in.rows) {
        status = unicode_text_run_block(&job, &in, column);
    }
    tally_wipe(job.tweak, sizeof job.tweak);
    return status;
}

/* Encrypts the word of the only row. */
static tally_status unicode_text_run_one(unicode_text_job *job, const tally_unicode_part *part)
{
    const tally_unicode_letters *letters = &part->letters;
    const unicode_text_row *row = job->rows;
    tally_fast_cipher *cipher = job->run->cipher(job->run, letters->radix);
    if (cipher == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    uint8_t *word = unicode_text_word(job, row, letters->digits);
    const size_t length = unicode_text_word_length(job, row, letters->digits);
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(cipher, length, &spare);
    if (row->tail_size != 0) {
        memcpy(job->tweak + job->common, row->tail, row->tail_size);
    }
    do {
        tally_fast_run_words(cipher, params, job->run->direction, job->tweak,
                             job->common + row->tail_size, &word, 1);
    } while (letters->digits == 2 && unicode_text_is_outside(letters, word, length));
    job->run->small += length < part->small_symbols;
    return TALLY_OK;
}

/* Writes the only row. */
static tally_status unicode_text_write_one(const unicode_text_job *job, tally_one *one)
{
    const uint64_t most = unicode_text_most(one->size);
    uint8_t *out = one->out;
    if (most > one->capacity) {
        out = job->run->scratch(job->run, 7, (size_t)most);
    }
    if (out == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    one->out_size = (size_t)(unicode_text_write(job, job->rows, out) - out);
    if (one->out_size > one->capacity) {
        return TALLY_ERROR_CAPACITY;
    }
    if (out != one->out) {
        memcpy(one->out, out, one->out_size);
    }
    return TALLY_OK;
}

tally_status tally_unicode_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const tally_unicode_format *own = format->own;
    const uint64_t offsets[2] = {0, one->row_tweak_size};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    const tally_strings_reader reader = {.strings = &tweaks, .end = one->row_tweak_size};
    unicode_text_row row = {.size = one->size};
    unicode_text_job job;
    job.own = own;
    job.run = run;
    job.values = one->value;
    job.has_short = tally_unicode_short_available();
    job.tweaks = one->row_tweak != NULL ? &reader : NULL;
    job.first = 0;
    job.rows = &row;
    const uint32_t number = own->any ? tally_unicode_part_of(own, one->value, one->size) : 0;
    row.part = (uint8_t)number;
    tally_status status = unicode_text_take_text(&job, 1, one->size);
    if (status == TALLY_OK) {
        status = unicode_text_begin_part(&job, number);
    }
    if (status != TALLY_OK) {
        return status;
    }
    one->reason = unicode_text_read_row(&job, &own->parts[number], 0);
    if (one->reason == TALLY_REASON_NONE) {
        status = unicode_text_run_one(&job, &own->parts[number]);
        if (status == TALLY_OK) {
            status = unicode_text_write_one(&job, one);
        }
    }
    tally_wipe(job.tweak, job.common + row.tail_size);
    return status;
}
