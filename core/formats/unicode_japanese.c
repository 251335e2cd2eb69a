/* SPDX-License-Identifier: Apache-2.0
 *
 * Japanese names, which mix kanji, hiragana and katakana. A place keeps its kind, and all letters of
 * a value are one number of mixed radix: a word for each kind would give values with the same kanji
 * tokens with the same kanji, and could not encrypt a single kana. The kinds are part of the tweak,
 * so numbers of values that mix them otherwise have nothing to do with each other. */
#include <string.h>

#include "base/bytes.h"
#include "fast/words/buckets.h"
#include "fast/words/by_direction.h"
#include "fast/words/cipher.h"
#include "formats/unicode_text.h"
#include "numbers/mixed.h"
#include "unicode/unicode.h"

enum {
    JAPANESE_KANJI_MOST = 17, /* in numbers up to 2^256 */
    JAPANESE_BLOCK = 1 << 16, /* bytes of a block of more than one row */
    JAPANESE_ROWS = 1024,     /* of a block */
    JAPANESE_NO_WORD = 0xFFFF,
    JAPANESE_KEPT_BYTES = 3, /* of a kept letter, in the tweak */
    JAPANESE_LETTER = 3,     /* bytes of a letter in UTF-8 */
    JAPANESE_SMALL_KANA = 3  /* so many have a small domain, and one kanji */
};

/* The kana that a number has room for, by the number of kanji. */
static const uint8_t japanese_kana_most[JAPANESE_KANJI_MOST + 1] = {
    39, 37, 35, 33, 30, 28, 26, 24, 21, 19, 17, 15, 13, 10, 8, 6, 4, 1};

/* How a letter is written in the tweak. */
enum { JAPANESE_KANJI, JAPANESE_KANA, JAPANESE_KEPT_KANJI, JAPANESE_KEPT_KANA };

typedef struct japanese_row {
    uint64_t start; /* in the column's values */
    uint64_t size;
    uint16_t *digits; /* of the letters that are encrypted */
    const uint8_t *tail;
    size_t letters; /* all of them */
    uint32_t tail_size;
    uint16_t bucket;
    uint8_t free; /* letters that are encrypted */
    uint8_t is_null, is_small;
} japanese_row;

typedef struct japanese_job {
    const tally_unicode_format *own;
    tally_run *run;
    const uint8_t *values;
    const tally_strings_reader *tweaks; /* or NULL */
    uint64_t first;                     /* the block's first row */
    uint8_t *status;                    /* of the block's rows */
    size_t count;
    japanese_row *rows;
    uint16_t *digits;
    uint8_t *tails, *tails_end;
    const tally_mixed_lanes *lanes;
    uint8_t tweak[TALLY_FAST_MAX_ROW_TWEAK];
} japanese_job;

static int japanese_is_kanji(uint32_t code)
{
    return code >= TALLY_UNICODE_KANJI;
}

/* The character of three bytes of UTF-8. */
static inline uint32_t japanese_point(const uint8_t *at)
{
    return (at[0] & 0x0FU) << 12 | (at[1] & 0x3FU) << 6 | (at[2] & 0x3FU);
}

/* Reads the codes of a value's letters; `codes` has room for one a byte, and one more. */
static tally_reason japanese_read(const tally_unicode_format *own, const uint8_t *value,
                                  size_t size, uint16_t *codes, size_t *letters)
{
    const uint8_t *at = value, *const end = value + size;
    size_t count = 0;
    int foreign = 0;
    while (at < end) {
        uint32_t point;
        if (end - at >= JAPANESE_LETTER && *at > 0xE0 && *at < 0xED && (at[1] & 0xC0) == 0x80 &&
            (at[2] & 0xC0) == 0x80) { /* as all letters have it */
            point = japanese_point(at);
            at += JAPANESE_LETTER;
        } else {
            const uint32_t width = tally_utf8_decode(at, end, &point);
            if (width == 0) {
                return TALLY_REASON_FOREIGN;
            }
            at += width;
        }
        const uint32_t code = tally_unicode_code(&own->parts->letters, point);
        codes[count] = (uint16_t)code;
        count += code < TALLY_UNICODE_MARK;
        foreign |= code == TALLY_UNICODE_FOREIGN;
    }
    *letters = count;
    return !foreign                          ? TALLY_REASON_NONE
           : tally_is_nfc(value, size, NULL) ? TALLY_REASON_FOREIGN
                                             : TALLY_REASON_NORMAL;
}

/* Writes kept letters for the tweak; returns their end. */
static uint8_t *japanese_tail_kept(const tally_unicode_format *own, const uint16_t *codes,
                                   size_t count, uint8_t *out)
{
    for (size_t i = 0; own->tweak_kept && i < count; i++) {
        const int kanji = japanese_is_kanji(codes[i]);
        const uint32_t symbol = kanji ? codes[i] - (uint32_t)TALLY_UNICODE_KANJI : codes[i] >> 1;
        *out++ = kanji ? JAPANESE_KEPT_KANJI : JAPANESE_KEPT_KANA;
        *out++ = (uint8_t)(symbol >> 8);
        *out++ = (uint8_t)symbol;
    }
    return out;
}

/* Turns the codes of a row into the digits of its number, and writes their kinds as its part of the
 * tweak. Returns why it is invalid: there are too few or too many letters. */
static tally_reason japanese_make_digits(japanese_job *job, japanese_row *row)
{
    const tally_unicode_format *own = job->own;
    const size_t keeps = own->keep_first + own->keep_last;
    if (row->letters < own->min_letters || row->letters <= keeps) {
        return TALLY_REASON_SHORT;
    }
    if (row->letters > own->max_letters || row->letters - keeps > japanese_kana_most[0]) {
        return TALLY_REASON_LONG;
    }
    const size_t letters = row->letters - keeps;
    const uint16_t *codes = row->digits + own->keep_first;
    uint8_t *kind = japanese_tail_kept(own, row->digits, own->keep_first, job->tails + 4);
    size_t kanji = 0;
    for (size_t i = 0; i < letters; i++) { /* overwritten bytes were read before */
        const uint32_t code = codes[i];
        const int is_kanji = japanese_is_kanji(code);
        kind[i] = is_kanji ? JAPANESE_KANJI : JAPANESE_KANA;
        row->digits[i] = (uint16_t)(is_kanji ? code - TALLY_UNICODE_KANJI : code >> 1);
        kanji += (size_t)is_kanji;
    }
    if (kanji == 0 && letters < 2) {
        return TALLY_REASON_SHORT;
    }
    if (kanji > JAPANESE_KANJI_MOST || letters - kanji > japanese_kana_most[kanji]) {
        return TALLY_REASON_LONG;
    }
    const uint8_t *end = japanese_tail_kept(own, codes + letters, own->keep_last, kind + letters);
    row->free = (uint8_t)letters;
    row->is_small = kanji == 0 ? letters <= JAPANESE_SMALL_KANA : (kanji == 1 && letters == 1);
    row->tail = job->tails;
    row->tail_size = (uint32_t)(end - job->tails);
    tally_store_be32(row->tail_size - 4, job->tails);
    return TALLY_REASON_NONE;
}

/* Appends the row's tweak to its part. Returns 0 if that is null or too long. */
static int japanese_take_tweak(const japanese_job *job, japanese_row *row, size_t index)
{
    const size_t used = job->run->tweak_size + row->tail_size;
    uint8_t *tail = job->tails + row->tail_size;
    if (job->tweaks != NULL && used <= TALLY_FAST_MAX_ROW_TWEAK) {
        const uint64_t number = job->first + index;
        uint64_t start, size;
        if (tally_row_is_null(job->tweaks->strings, number) ||
            !tally_strings_row(job->tweaks, number, &start, &size) ||
            size > TALLY_FAST_MAX_ROW_TWEAK - used || size > (uint64_t)(job->tails_end - tail)) {
            return 0;
        }
        if (size != 0) {
            memcpy(tail, job->tweaks->strings->values + start, (size_t)size);
        }
        row->tail_size += (uint32_t)size;
    }
    return used <= TALLY_FAST_MAX_ROW_TWEAK;
}

static tally_reason japanese_read_row(japanese_job *job, size_t index)
{
    japanese_row *row = &job->rows[index];
    row->digits = job->digits;
    tally_reason reason = japanese_read(job->own, job->values + row->start, (size_t)row->size,
                                        row->digits, &row->letters);
    if (reason == TALLY_REASON_NONE) {
        reason = japanese_make_digits(job, row);
    }
    if (reason == TALLY_REASON_NONE && !japanese_take_tweak(job, row, index)) {
        reason = TALLY_REASON_TWEAK;
    }
    if (reason == TALLY_REASON_NONE) {
        job->run->small += row->is_small;
        job->digits += row->free;
        job->tails += row->tail_size;
    }
    return reason;
}

/* The sizes of a row's digits. */
static void japanese_sizes(const japanese_row *row, uint32_t *sizes)
{
    size_t count = 0;
    for (const uint8_t *at = row->tail + 4; count < row->free; at++) {
        if (*at >= JAPANESE_KEPT_KANJI) {
            at += JAPANESE_KEPT_BYTES - 1;
        } else {
            sizes[count++] = *at == JAPANESE_KANJI ? TALLY_JAPANESE_KANJI : TALLY_JAPANESE_KANA;
        }
    }
}

/* Rows whose tweaks are equal, and their words. */
typedef struct japanese_words {
    const tally_mixed_lanes *lanes;
    tally_mixed_plan plan;
    japanese_row **rows;
    size_t count;
    uint8_t *words;
    uint8_t symbols[TALLY_MIXED_MAX_LENGTH * TALLY_MIXED_ROWS];
    tally_mixed_digits digits;
} japanese_words;

static size_t japanese_part(const japanese_words *all, size_t first)
{
    const size_t left = all->count - first;
    return left < TALLY_MIXED_ROWS ? left : TALLY_MIXED_ROWS;
}

/* Writes the numbers of all rows as words. */
static void japanese_to_words(japanese_words *all)
{
    const size_t length = all->plan.length;
    for (size_t first = 0; first < all->count; first += TALLY_MIXED_ROWS) {
        const size_t part = japanese_part(all, first);
        for (size_t p = 0; p < all->plan.positions; p++) {
            for (size_t i = 0; i < part; i++) {
                all->digits[p][i] = all->rows[first + i]->digits[p];
            }
            memset(all->digits[p] + part, 0, sizeof all->digits[p] - part * sizeof *all->digits[p]);
        }
        all->lanes->write(&all->plan, all->digits, part, all->symbols, TALLY_MIXED_ROWS);
        for (size_t i = 0; i < part; i++) {
            for (size_t s = 0; s < length; s++) {
                all->words[(first + i) * length + s] = all->symbols[s * TALLY_MIXED_ROWS + i];
            }
        }
    }
}

/* Reads words as numbers again, and keeps the rows and words that are none. */
static void japanese_from_words(japanese_words *all)
{
    const size_t length = all->plan.length;
    size_t kept = 0;
    for (size_t first = 0; first < all->count; first += TALLY_MIXED_ROWS) {
        const size_t part = japanese_part(all, first);
        uint8_t outside[TALLY_MIXED_ROWS];
        for (size_t i = 0; i < part; i++) {
            for (size_t s = 0; s < length; s++) {
                all->symbols[s * TALLY_MIXED_ROWS + i] = all->words[(first + i) * length + s];
            }
        }
        all->lanes->read(&all->plan, all->symbols, TALLY_MIXED_ROWS, part, all->digits, outside);
        for (size_t i = 0; i < part; i++) {
            japanese_row *row = all->rows[first + i];
            if (outside[i] != 0) {
                memmove(all->words + kept * length, all->words + (first + i) * length, length);
                all->rows[kept++] = row;
                continue;
            }
            for (size_t p = 0; p < all->plan.positions; p++) {
                row->digits[p] = all->digits[p][i];
            }
        }
    }
    all->count = kept;
}

/* Encrypts rows whose tweaks are equal, until each is a number again (cycle walking). The order of
 * `rows` is lost. */
static tally_status japanese_run_rows(japanese_job *job, japanese_row **rows, size_t count)
{
    tally_run *run = job->run;
    uint32_t sizes[TALLY_MIXED_MAX_POSITIONS];
    const tally_mixed mixed = {.sizes = sizes, .positions = rows[0]->free};
    japanese_words *all = run->scratch(run, 6, sizeof *all);
    if (all == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    japanese_sizes(rows[0], sizes);
    tally_status status = tally_mixed_make_plan(&mixed, &all->plan);
    if (status != TALLY_OK) {
        return status;
    }
    all->lanes = job->lanes;
    all->rows = rows;
    all->count = count;
    all->words = run->scratch(run, 7, count * all->plan.length);
    tally_fast_cipher *cipher = run->cipher(run, all->plan.radix);
    if (cipher == NULL || all->words == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    memcpy(job->tweak, run->tweak, run->tweak_size);
    memcpy(job->tweak + run->tweak_size, rows[0]->tail, rows[0]->tail_size);
    const size_t tweak_size = run->tweak_size + rows[0]->tail_size;
    tally_fast_params spare;
    const tally_fast_params *params = tally_fast_cipher_params(cipher, all->plan.length, &spare);
    japanese_to_words(all);
    while (all->count != 0 && status == TALLY_OK) {
        status = tally_fast_words(cipher, run->direction, params, job->tweak, tweak_size,
                                  all->words, all->count, all->words);
        japanese_from_words(all);
    }
    return status;
}

/* Writes a valid row, whose letters have the places and sizes that they had. */
static void japanese_write(const japanese_job *job, const japanese_row *row, uint8_t *out)
{
    const tally_unicode_letters *letters = &job->own->parts->letters;
    const uint8_t *value = job->values + row->start;
    size_t place = 0 - (size_t)job->own->keep_first; /* beyond row->free, if the letter is kept */
    memcpy(out, value, (size_t)row->size);
    for (size_t at = 0; at < row->size;) {
        if (value[at] < 0xE0) {
            at += value[at] < 0x80 ? 1 : 2;
            continue;
        }
        const uint32_t code = tally_unicode_code(letters, japanese_point(value + at));
        if (code < TALLY_UNICODE_MARK && place++ < row->free) {
            const uint32_t digit = row->digits[place - 1];
            if (japanese_is_kanji(code)) {
                (void)tally_utf8_encode(letters->direct + digit, out + at);
            } else {
                const uint32_t bytes = letters->bytes[digit << 1 | (code & 1)];
                out[at] = (uint8_t)bytes;
                out[at + 1] = (uint8_t)(bytes >> 8);
                out[at + 2] = (uint8_t)(bytes >> 16);
            }
        }
        at += JAPANESE_LETTER;
    }
}

/* Memory for the text of `count` rows with `size` bytes in all. */
static tally_status japanese_take_text(japanese_job *job, size_t count, uint64_t size)
{
    const size_t letters =
        (size_t)(job->own->keep_first + job->own->keep_last) * JAPANESE_KEPT_BYTES +
        japanese_kana_most[0];
    size_t tails = count * (4 + letters) + 64;
    if (size > SIZE_MAX / 8) {
        return TALLY_ERROR_MEMORY;
    }
    for (size_t i = 0; job->tweaks != NULL && i < count; i++) {
        uint64_t start, tweak = 0;
        if (tally_strings_row(job->tweaks, job->first + i, &start, &tweak)) {
            tails += tweak < TALLY_FAST_MAX_ROW_TWEAK ? (size_t)tweak : TALLY_FAST_MAX_ROW_TWEAK;
        }
    }
    /* Codes of foreign characters are written, too, over each other. */
    job->digits = job->run->scratch(job->run, 1, ((size_t)size + 1) * sizeof *job->digits);
    job->tails = job->run->scratch(job->run, 2, tails);
    job->tails_end = job->tails + tails;
    return job->digits != NULL && job->tails != NULL ? TALLY_OK : TALLY_ERROR_MEMORY;
}

/* Encrypts the rows of a block, those of equal tweaks together. */
static tally_status japanese_do_block(japanese_job *job)
{
    tally_fast_buckets *buckets = job->run->scratch(job->run, 3, sizeof *buckets);
    japanese_row **sorted = job->run->scratch(job->run, 4, job->count * sizeof *sorted);
    size_t next[JAPANESE_ROWS], at = 0;
    if (buckets == NULL || sorted == NULL) {
        return TALLY_ERROR_MEMORY;
    }
    tally_fast_buckets_clear(buckets);
    for (size_t i = 0; i < job->count; i++) {
        japanese_row *row = &job->rows[i];
        const tally_reason reason = row->is_null ? TALLY_REASON_NONE : japanese_read_row(job, i);
        job->status[i] = (uint8_t)reason;
        row->bucket = JAPANESE_NO_WORD;
        if (!row->is_null && reason == TALLY_REASON_NONE) {
            row->bucket = tally_fast_buckets_add(buckets, row->tail, row->tail_size, row->free);
        }
    }
    for (size_t i = 0; i < buckets->count; i++) {
        next[i] = at;
        at += buckets->bucket[i].rows;
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->rows[i].bucket != JAPANESE_NO_WORD) {
            sorted[next[job->rows[i].bucket]++] = &job->rows[i];
        }
    }
    for (size_t i = 0; i < buckets->count; i++) {
        const size_t rows = buckets->bucket[i].rows;
        const tally_status status = japanese_run_rows(job, sorted + next[i] - rows, rows);
        if (status != TALLY_OK) {
            return status;
        }
    }
    return TALLY_OK;
}

static tally_status japanese_write_block(const japanese_job *job, tally_text_out *out,
                                         uint64_t size)
{
    const tally_status status =
        tally_text_out_reserve(out, size); /* all letters have three bytes */
    if (status != TALLY_OK) {
        return status;
    }
    for (size_t i = 0; i < job->count; i++) {
        const japanese_row *row = &job->rows[i];
        uint8_t *start = out->values + out->size;
        const uint64_t written = row->is_null ? 0 : row->size;
        if (row->bucket != JAPANESE_NO_WORD) {
            japanese_write(job, row, start);
        } else if (written != 0) {
            memcpy(start, job->values + row->start, (size_t)written);
        }
        tally_text_out_end(out, written);
    }
    return TALLY_OK;
}

/* Takes the rows of the next block: as many as fit, and one at least. Returns the bytes of all;
 * UINT64_MAX: another thread has changed the offsets. */
static uint64_t japanese_take_rows(japanese_job *job, tally_strings_reader *in)
{
    uint64_t bytes = 0;
    for (job->count = 0; job->count < JAPANESE_ROWS && in->row < in->strings->rows; job->count++) {
        japanese_row *row = &job->rows[job->count];
        if (job->count != 0 && bytes > JAPANESE_BLOCK) {
            break;
        }
        row->is_null = (uint8_t)tally_row_is_null(in->strings, in->row);
        if (!tally_strings_next(in, &row->start, &row->size)) {
            return UINT64_MAX;
        }
        bytes += row->size;
    }
    return bytes;
}

tally_status tally_unicode_japanese_text(const tally_format *format, tally_run *run,
                                         tally_text_column *column)
{
    tally_strings_reader in, tweaks;
    japanese_job job;
    job.own = format->own;
    job.run = run;
    job.values = column->in.values;
    job.tweaks = run->row_tweaks != NULL ? &tweaks : NULL;
    job.first = 0;
    job.lanes = tally_mixed_lanes_choose();
    job.rows = run->scratch(run, 0, JAPANESE_ROWS * sizeof *job.rows);
    if (column->in.rows == 0) {
        return TALLY_OK;
    }
    if (!tally_strings_init_ends(&column->in, &in) ||
        (job.tweaks != NULL && !tally_strings_init_ends(run->row_tweaks, &tweaks))) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_status status = job.rows != NULL ? TALLY_OK : TALLY_ERROR_MEMORY;
    while (status == TALLY_OK && job.first < column->in.rows) {
        const uint64_t bytes = japanese_take_rows(&job, &in);
        if (bytes == UINT64_MAX) {
            status = TALLY_ERROR_ARGUMENT;
            break;
        }
        job.status = column->status + job.first;
        status = japanese_take_text(&job, job.count, bytes);
        if (status == TALLY_OK) {
            status = japanese_do_block(&job);
        }
        if (status == TALLY_OK) {
            status = japanese_write_block(&job, column->out, bytes);
        }
        job.first += job.count;
    }
    tally_wipe(job.tweak, sizeof job.tweak);
    return status;
}

tally_status tally_unicode_japanese_one(const tally_format *format, tally_run *run, tally_one *one)
{
    const uint64_t offsets[2] = {0, one->row_tweak_size};
    const tally_strings tweaks = {
        .offsets = offsets, .offset_size = 8, .values = one->row_tweak, .rows = 1};
    const tally_strings_reader reader = {.strings = &tweaks, .end = one->row_tweak_size};
    japanese_row row = {.size = one->size}, *rows = &row;
    japanese_job job;
    job.own = format->own;
    job.run = run;
    job.values = one->value;
    job.tweaks = one->row_tweak != NULL ? &reader : NULL;
    job.first = 0;
    job.lanes = tally_mixed_lanes_choose();
    job.rows = rows;
    tally_status status = japanese_take_text(&job, 1, one->size);
    if (status != TALLY_OK) {
        return status;
    }
    one->reason = japanese_read_row(&job, 0);
    if (one->reason != TALLY_REASON_NONE) {
        return TALLY_OK;
    }
    status = japanese_run_rows(&job, &rows, 1);
    one->out_size = one->size;
    if (status == TALLY_OK && one->size > one->capacity) {
        status = TALLY_ERROR_CAPACITY;
    }
    if (status == TALLY_OK) {
        japanese_write(&job, &row, one->out);
    }
    tally_wipe(job.tweak, sizeof job.tweak);
    return status;
}

void tally_unicode_japanese_domain(const tally_unicode_format *own, const uint8_t *value,
                                   size_t size, tally_domain *out)
{
    const size_t keeps = own->keep_first + own->keep_last;
    size_t letters = 0, letter = 0;
    *out = (tally_domain){.size = 1, .known = 1};
    for (int counts = 1; counts >= 0; counts--) {
        for (size_t at = 0; at < size;) {
            const uint32_t code = tally_unicode_code(
                &own->parts->letters, tally_utf8_next((const char *)value, size, &at));
            if (code >= TALLY_UNICODE_MARK) {
                continue;
            }
            if (counts) {
                letters++;
                continue;
            }
            if (letters > keeps && letter >= own->keep_first && letter < letters - own->keep_last) {
                const uint64_t kind =
                    japanese_is_kanji(code) ? TALLY_JAPANESE_KANJI : TALLY_JAPANESE_KANA;
                out->size = out->size > UINT64_MAX / kind ? UINT64_MAX : out->size * kind;
            }
            letter++;
        }
    }
}
