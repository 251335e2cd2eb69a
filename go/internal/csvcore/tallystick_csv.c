//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: sources of core/: csv. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#if !defined(TALLY_MASKED_PORTABLE)
#define TALLY_MASKED_PORTABLE /* the assembly for Cortex-M0 is not part of this file */
#endif


#include "tallystick.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not every small function of a header is called. GCC inlines what were functions of other files,
 * and then takes arrays of which no element is read for uninitialized ones. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* Internal functions are hidden; a header of the system that is included later is not. */
#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_VISIBILITY_PUSH(which) _Pragma(which)
#define TALLY_VISIBILITY_POP         _Pragma("GCC visibility pop")
#else
#define TALLY_VISIBILITY_PUSH(which)
#define TALLY_VISIBILITY_POP
#endif
#define TALLY_VISIBILITY_HIDDEN  TALLY_VISIBILITY_PUSH("GCC visibility push(hidden)")
#define TALLY_VISIBILITY_DEFAULT TALLY_VISIBILITY_PUSH("GCC visibility push(default)")

TALLY_VISIBILITY_HIDDEN
/* ---- core/csv/gather.c ---- */
/*
 * Copies the scanned CSV fields of one column to an Arrow string array (Arrow columnar format,
 * "Variable-size Binary Layout"). An empty field is null, whether quoted or not. */

/* ---- core/csv/special.h ---- */
/*
 * Finds the special bytes of a CSV dialect: 64 at a time with the vectors that every machine of an
 * architecture has, or else eight at a time in a 64-bit word. A byte b is zero exactly if bit 7 of
 * ((b & 0x7f) + 0x7f) | b is clear. The sum has no carry, so this holds for each byte of a word. */
#ifndef TALLY_CSV_SPECIAL_H
#define TALLY_CSV_SPECIAL_H

/* ---- core/base/arch.h ---- */
/*
 * Which architecture's back ends can be compiled: those that need intrinsics with function-level
 * target attributes, which are GCC's and Clang's. */
#ifndef TALLY_BASE_ARCH_H
#define TALLY_BASE_ARCH_H

#if defined(__GNUC__) && defined(__x86_64__)
#define TALLY_ARCH_X86_64 1
#endif

/* Little-endian alone: in vectors of the other byte order bytes have other places. */
#if defined(__GNUC__) && defined(__AARCH64EL__)
#define TALLY_ARCH_AARCH64 1
#endif

/* A module of WebAssembly has SIMD128 as a whole or not at all: there is nothing to detect. */
#if defined(__wasm_simd128__)
#define TALLY_ARCH_WASM_SIMD128 1
#endif

#endif

/* ---- core/base/bytes.h ---- */
/*
 * Integers as bytes, whatever the machine's byte order; compilers make one instruction of each. */
#ifndef TALLY_BASE_BYTES_H
#define TALLY_BASE_BYTES_H

static inline uint32_t tally_load_le32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline void tally_store_le32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

static inline uint32_t tally_load_be32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | (uint32_t)in[3];
}

static inline void tally_store_be32(uint32_t value, uint8_t *out)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

static inline uint64_t tally_load_le64(const uint8_t *in)
{
    return tally_load_le32(in) | (uint64_t)tally_load_le32(in + 4) << 32;
}

static inline void tally_store_le64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, &value, sizeof value); /* as in tally_store_be64 */
#else
    tally_store_le32((uint32_t)value, out);
    tally_store_le32((uint32_t)(value >> 32), out + 4);
#endif
}

static inline uint64_t tally_load_be64(const uint8_t *in)
{
    return (uint64_t)tally_load_be32(in) << 32 | tally_load_be32(in + 4);
}

/* Without memcpy, GCC builds vectors from the bytes of two numbers, which takes ten times as
 * long. */
static inline void tally_store_be64(uint64_t value, uint8_t *out)
{
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
#else
    tally_store_be32((uint32_t)(value >> 32), out);
    tally_store_be32((uint32_t)value, out + 4);
#endif
}

/* Up to eight bytes as a number that differs for different bytes of one size. memcpy of a size that
 * is not constant is a call, which takes longer. */
static inline uint64_t tally_load_few(const uint8_t *in, size_t size)
{
    if (size >= 4) {
        uint32_t first, last; /* which overlap */
        memcpy(&first, in, 4);
        memcpy(&last, in + size - 4, 4);
        return first | (uint64_t)last << 32;
    }
    return size == 0 ? 0 : in[0] | (uint64_t)in[size / 2] << 8 | (uint64_t)in[size - 1] << 16;
}

#endif

#define TALLY_CSV_ONES UINT64_C(0x0101010101010101)
#define TALLY_CSV_LOW7 UINT64_C(0x7f7f7f7f7f7f7f7f)

/* The four special bytes of a dialect, each in all eight places. */
typedef struct tally_csv_special {
    uint64_t delimiter;
    uint64_t quote; /* the delimiter again in a dialect without quotes */
    uint64_t carriage_return;
    uint64_t line_feed;
} tally_csv_special;

static inline int tally_csv_dialect_valid(const tally_csv_dialect *d)
{
    return d->struct_size == sizeof *d && d->reserved == 0 && d->delimiter != 0 &&
           d->delimiter < 0x80 && d->quote < 0x80 && d->delimiter != '\r' && d->delimiter != '\n' &&
           d->quote != '\r' && d->quote != '\n' && d->delimiter != d->quote &&
           d->skip_initial_space <= 1 &&
           !(d->skip_initial_space && (d->delimiter == ' ' || d->quote == ' '));
}

static inline tally_csv_special tally_csv_special_of(const tally_csv_dialect *d)
{
    tally_csv_special s;
    s.delimiter = TALLY_CSV_ONES * d->delimiter;
    s.quote = TALLY_CSV_ONES * (d->quote != 0 ? d->quote : d->delimiter);
    s.carriage_return = TALLY_CSV_ONES * '\r';
    s.line_feed = TALLY_CSV_ONES * '\n';
    return s;
}

/* Eight bytes in the machine's order. */
static inline uint64_t tally_csv_load(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t tally_csv_nonzero(uint64_t x)
{
    return ((x & TALLY_CSV_LOW7) + TALLY_CSV_LOW7) | x;
}

/* Bit 7 of each byte that is special. */
static inline uint64_t tally_csv_special_bytes(const tally_csv_special *s, uint64_t x)
{
    uint64_t plain = tally_csv_nonzero(x ^ s->delimiter) & tally_csv_nonzero(x ^ s->quote) &
                     tally_csv_nonzero(x ^ s->carriage_return) &
                     tally_csv_nonzero(x ^ s->line_feed);
    return ~(plain | TALLY_CSV_LOW7);
}

/* The special bytes among 64: bit i stands for byte i. */
typedef struct tally_csv_masks {
    uint64_t quotes;
    uint64_t ends; /* delimiters, CR and LF */
} tally_csv_masks;

/* tally_csv_find gives the masks of the 64 bytes at p. */
#if defined(__SSE2__)

/* ---- core/csv/special_sse2.h ---- */
/*
 * Special bytes with SSE2, which every 64-bit x86 has. Included by special.h alone. */

TALLY_VISIBILITY_DEFAULT
#include <emmintrin.h>
TALLY_VISIBILITY_POP

static inline tally_csv_masks tally_csv_find(const tally_csv_special *s, const uint8_t *p)
{
    const __m128i delimiter = _mm_set1_epi64x((int64_t)s->delimiter);
    const __m128i quote = _mm_set1_epi64x((int64_t)s->quote);
    const __m128i carriage_return = _mm_set1_epi64x((int64_t)s->carriage_return);
    const __m128i line_feed = _mm_set1_epi64x((int64_t)s->line_feed);
    tally_csv_masks masks = {0, 0};
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i lines =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, carriage_return), _mm_cmpeq_epi8(bytes, line_feed));
        __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiter), lines);
        masks.quotes |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote)) << i;
        masks.ends |= (uint64_t)(uint32_t)_mm_movemask_epi8(ends) << i;
    }
    return masks;
}

#elif defined(TALLY_ARCH_AARCH64)

/* ---- core/csv/special_neon.h ---- */
/*
 * Special bytes with NEON, which every AArch64 has. Included by special.h alone. */

TALLY_VISIBILITY_DEFAULT
#include <arm_neon.h>
TALLY_VISIBILITY_POP

/* The highest bits of 64 bytes that are all zeros or all ones. */
static inline uint64_t tally_csv_bits(const uint8x16_t part[4])
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights);
    /* Sums of neighbours, three times: eight bytes of one bit each become one byte. */
    uint8x16_t low = vpaddq_u8(vandq_u8(part[0], weight), vandq_u8(part[1], weight));
    uint8x16_t high = vpaddq_u8(vandq_u8(part[2], weight), vandq_u8(part[3], weight));
    uint8x16_t sums = vpaddq_u8(low, high);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}

static inline tally_csv_masks tally_csv_find(const tally_csv_special *s, const uint8_t *p)
{
    const uint8x16_t delimiter = vdupq_n_u8((uint8_t)s->delimiter);
    const uint8x16_t quote = vdupq_n_u8((uint8_t)s->quote);
    const uint8x16_t carriage_return = vdupq_n_u8('\r'), line_feed = vdupq_n_u8('\n');
    uint8x16_t quotes[4], ends[4];
    for (unsigned i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8(p + 16 * i);
        uint8x16_t lines = vorrq_u8(vceqq_u8(bytes, carriage_return), vceqq_u8(bytes, line_feed));
        quotes[i] = vceqq_u8(bytes, quote);
        ends[i] = vorrq_u8(vceqq_u8(bytes, delimiter), lines);
    }
    tally_csv_masks masks = {tally_csv_bits(quotes), tally_csv_bits(ends)};
    return masks;
}

#else
static inline tally_csv_masks tally_csv_find(const tally_csv_special *s, const uint8_t *p)
{
    tally_csv_special ends = *s;
    ends.quote = s->delimiter;
    tally_csv_masks masks = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        uint64_t word = tally_load_le64(p + 8 * i);
        uint64_t quotes = ~(tally_csv_nonzero(word ^ s->quote) | TALLY_CSV_LOW7) >> 7;
        uint64_t others = tally_csv_special_bytes(&ends, word) >> 7;
        /* The product moves bit 8 j to bit 56 + j. */
        masks.quotes |= (quotes * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
        masks.ends |= (others * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return masks;
}
#endif

static inline int tally_csv_is_valid(const tally_csv_column *column, uint64_t row)
{
    uint64_t bit = column->validity_start + row;
    return column->validity == NULL || (column->validity[bit >> 3] >> (bit & 7) & 1);
}

/* The new content of a row; NULL if it is empty or null. A column without bytes may have no
 * values. */
static inline const uint8_t *tally_csv_content(const tally_csv_column *column, uint64_t row,
                                               uint64_t *size)
{
    const int32_t start = column->offsets[row], end = column->offsets[row + 1];
    *size = tally_csv_is_valid(column, row) ? (uint64_t)(end - start) : 0;
    return *size != 0 ? column->values + start : NULL;
}

#endif

/* Copies 1 to 16 bytes as 16, if both buffers have as many: most fields are short, and a call of
 * memcpy would cost more than the copy. The next field overwrites the bytes beyond `size`. */
static inline void csv_gather_copy(uint8_t *to, uint64_t to_capacity, const uint8_t *from,
                                   uint64_t from_size, uint64_t size)
{
    if (size <= 16 && to_capacity >= 16 && from_size >= 16) {
        memcpy(to, from, 16);
    } else if (size > 0) {
        memcpy(to, from, (size_t)size);
    }
}

/* Copies a field's content with single quotes for doubled ones, and returns its new size. */
static uint64_t csv_gather_unescape(const uint8_t *from, uint64_t size, uint8_t quote, uint8_t *to)
{
    uint64_t written = 0;
    for (uint64_t i = 0; i < size; i++) {
        to[written++] = from[i];
        i += from[i] == quote; /* content doubles every quote: the second is skipped */
    }
    return written;
}

/* Whether no byte has its highest bit. */
static uint8_t csv_gather_is_ascii(const uint8_t *values, uint64_t size)
{
    uint64_t high = 0;
    for (; size >= 32; values += 32, size -= 32) {
        high |= tally_csv_load(values) | tally_csv_load(values + 8) | tally_csv_load(values + 16) |
                tally_csv_load(values + 24);
    }
    for (uint64_t i = 0; i < size; i++) {
        high |= values[i];
    }
    return (high & ~TALLY_CSV_LOW7) == 0;
}

uint64_t tally_csv_gather_capacity(const tally_csv_field *fields, uint64_t records,
                                   uint32_t wanted_count, uint32_t index)
{
    uint64_t size = 0;
    for (uint64_t r = 0; r < records; r++) {
        size += fields[r * wanted_count + index].size;
    }
    return size;
}

tally_status tally_csv_gather(const uint8_t *bytes, uint64_t size, uint8_t quote,
                              const tally_csv_field *fields, uint64_t records,
                              uint32_t wanted_count, uint32_t index, int32_t *offsets,
                              uint8_t *values, uint64_t capacity, uint8_t *validity,
                              uint64_t *null_count, uint8_t *ascii)
{
    uint64_t needed = tally_csv_gather_capacity(fields, records, wanted_count, index);
    if (capacity < needed || needed > INT32_MAX) {
        return TALLY_ERROR_ARGUMENT;
    }
    uint64_t written = 0, nulls = 0;
    uint8_t bits = 0;
    offsets[0] = 0;
    for (uint64_t r = 0; r < records; r++) {
        const tally_csv_field *field = &fields[r * wanted_count + index];
        const uint8_t *from = bytes + field->start;
        if (field->escaped) {
            written += csv_gather_unescape(from, field->size, quote, values + written);
        } else {
            csv_gather_copy(values + written, capacity - written, from, size - field->start,
                            field->size);
            written += field->size;
        }
        offsets[r + 1] = (int32_t)written;
        uint8_t valid = field->size != 0;
        nulls += !valid;
        bits = (uint8_t)(bits | valid << (r & 7));
        if ((r & 7) == 7 || r + 1 == records) {
            validity[r >> 3] = bits;
            bits = 0;
        }
    }
    *null_count = nulls;
    *ascii = csv_gather_is_ascii(values, written);
    return TALLY_OK;
}

/* ---- core/csv/overwrite.c ---- */
/*
 * Writes new content into scanned CSV fields in place. Tokens have the size of their values, so
 * most fields can be written so, and no other byte changes. */

static void csv_overwrite_store(uint8_t *p, uint64_t word)
{
    memcpy(p, &word, sizeof word);
}

/* Copies 8 bytes or more, unless one of them is special. The last words may overlap others. All
 * bytes are checked before the first is written, so up to 32 bytes stay in registers. */
static inline int csv_overwrite_copy_plain(const tally_csv_special *special, uint8_t *to,
                                           const uint8_t *from, uint64_t size)
{
    uint64_t low = tally_csv_load(from), high = tally_csv_load(from + size - 8);
    uint64_t found = tally_csv_special_bytes(special, low) | tally_csv_special_bytes(special, high);
    if (size <= 16) {
        if (found != 0) {
            return 0;
        }
        csv_overwrite_store(to, low);
        csv_overwrite_store(to + size - 8, high);
        return 1;
    }
    if (size <= 32) {
        uint64_t second = tally_csv_load(from + 8), third = tally_csv_load(from + size - 16);
        found |= tally_csv_special_bytes(special, second) | tally_csv_special_bytes(special, third);
        if (found != 0) {
            return 0;
        }
        csv_overwrite_store(to, low);
        csv_overwrite_store(to + 8, second);
        csv_overwrite_store(to + size - 16, third);
        csv_overwrite_store(to + size - 8, high);
        return 1;
    }
    for (uint64_t i = 8; i < size - 8; i += 8) {
        found |= tally_csv_special_bytes(special, tally_csv_load(from + i));
    }
    if (found != 0) {
        return 0;
    }
    memcpy(to, from, (size_t)size);
    return 1;
}

static inline int csv_overwrite_copy_few(const tally_csv_special *special, uint8_t *to,
                                         const uint8_t *from, uint64_t size)
{
    uint64_t word = 0;
    for (uint64_t i = 0; i < size; i++) {
        word = word << 8 | from[i];
    }
    if (tally_csv_special_bytes(special, word) != 0) { /* the zeros above are not special */
        return 0;
    }
    for (uint64_t i = 0; i < size; i++) {
        to[i] = from[i];
    }
    return 1;
}

tally_status tally_csv_overwrite(const tally_csv_dialect *dialect, uint8_t *bytes,
                                 const tally_csv_field *fields, uint64_t records,
                                 const tally_csv_column *columns, uint32_t wanted_count,
                                 uint64_t *remaining)
{
    if (!tally_csv_dialect_valid(dialect)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_csv_special plain = tally_csv_special_of(dialect), quoted = plain;
    quoted.delimiter = quoted.carriage_return = quoted.line_feed = plain.quote;
    uint8_t skipped = dialect->skip_initial_space ? ' ' : 0;
    uint64_t others = 0;
    for (uint64_t r = 0; r < records; r++) {
        for (uint32_t j = 0; j < wanted_count; j++) {
            const tally_csv_column *column = &columns[j];
            if (column->offsets == NULL) {
                continue;
            }
            const tally_csv_field *field = &fields[r * wanted_count + j];
            uint64_t size;
            const uint8_t *from = tally_csv_content(column, r, &size);
            if (size == 0 && field->size == 0) {
                continue;
            }
            if (size != field->size || field->escaped ||
                (skipped != 0 && !field->quoted && from[0] == skipped)) {
                others++;
                continue;
            }
            const tally_csv_special *special = field->quoted ? &quoted : &plain;
            uint8_t *to = bytes + field->start;
            others += (uint64_t) !(size >= 8 ? csv_overwrite_copy_plain(special, to, from, size)
                                             : csv_overwrite_copy_few(special, to, from, size));
        }
    }
    *remaining = others;
    return TALLY_OK;
}

/* ---- core/csv/scan.c ---- */
/*
 * Finds the fields of CSV records (RFC 4180, with bare CR and LF as line ends too). This is the
 * complete reader, which also reports errors. regular.h has the fast one. */

/* ---- core/csv/regular.h ---- */
/*
 * The fast reader, for blocks in which every quote opens or closes a field. Most blocks of most
 * files are such. A byte is between quotes if the number of quotes before it is odd, so the ends of
 * fields follow from masks of 64 bytes (as in Langdale and Lemire, "Parsing Gigabytes of JSON per
 * Second", 2019). scan.c reads all other blocks, also those with doubled quotes. */
#ifndef TALLY_CSV_REGULAR_H
#define TALLY_CSV_REGULAR_H

typedef struct tally_csv_regular {
    const uint8_t *bytes;
    uint64_t size;
    tally_csv_special special;
    uint64_t has_quotes; /* all ones, or 0 in a dialect without them */
    uint64_t base;       /* the place of the 64 loaded bytes */
    uint64_t ends;       /* ends of fields in these bytes, but for those returned */
    uint64_t inside;     /* all ones if the next 64 bytes begin between quotes */
    uint64_t after_end,
        after_close; /* 1: they begin after the end of a field, or a closing quote */
} tally_csv_regular;

/* Bit i is the parity of the bits 0 to i. */
static inline uint64_t tally_csv_parities(uint64_t x)
{
    x ^= x << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    x ^= x << 16;
    return x ^ x << 32;
}

/* Loads those of the 64 bytes at base that `selected` has. 0: they are not regular, or fewer than
 * 64. */
static inline int tally_csv_regular_load(tally_csv_regular *r, uint64_t selected)
{
    if (r->size - r->base < 64) {
        return 0;
    }
    tally_csv_masks found = tally_csv_find(&r->special, r->bytes + r->base);
    uint64_t quotes = found.quotes & r->has_quotes & selected;
    uint64_t inside = tally_csv_parities(quotes) ^ r->inside;
    uint64_t ends = found.ends & selected & ~inside;
    uint64_t opens = quotes & inside, closes = quotes & ~inside;
    uint64_t first = selected & (~selected + 1) & (0 - r->after_end);
    uint64_t irregular = (opens & ~(ends << 1 | first)) | ((closes << 1 | r->after_close) & ~ends);
    r->ends = ends;
    r->inside = 0 - (inside >> 63);
    r->after_end = ends >> 63;
    r->after_close = closes >> 63;
    return irregular == 0;
}

/* The end of the next field. The size: the fast reader cannot find it. */
static inline uint64_t tally_csv_regular_end(tally_csv_regular *r)
{
    while (r->ends == 0) {
        r->base += 64;
        if (!tally_csv_regular_load(r, ~UINT64_C(0))) {
            return r->size;
        }
    }
    uint64_t end = r->base + (uint64_t)__builtin_ctzll(r->ends);
    r->ends &= r->ends - 1;
    return end;
}

static inline int tally_csv_is_line_end(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

/* Scans records of `columns` fields from *at on, as tally_csv_scan_records does, and advances *at
 * and *records. Stops before the first record that it cannot read. Returns the place from which on
 * it may be tried again. */
static uint64_t tally_csv_scan_regular(const tally_csv_dialect *d, const uint8_t *bytes,
                                       uint64_t size, uint32_t columns, const uint32_t *wanted,
                                       uint32_t wanted_count, uint64_t max_records,
                                       tally_csv_field *fields, uint64_t *at, uint64_t *records)
{
    tally_csv_regular r = {.bytes = bytes, .size = size, .after_end = 1};
    r.special = tally_csv_special_of(d);
    r.has_quotes = d->quote != 0 ? ~UINT64_C(0) : 0;
    r.base = *at & ~UINT64_C(63);
    if (!tally_csv_regular_load(&r, ~UINT64_C(0) << (*at & 63))) {
        return r.base + 64;
    }
    while (*records < max_records && *at < size) {
        if (columns != 1 && tally_csv_is_line_end(bytes[*at])) {
            return *at + 1;
        }
        uint32_t column = 0, found = 0;
        uint64_t start = *at, end;
        for (;; start = end + 1) {
            end = tally_csv_regular_end(&r);
            if (end == size) {
                return r.base + 64;
            }
            if (found < wanted_count && wanted[found] == column) {
                uint8_t quoted = bytes[start] == d->quote && d->quote != 0;
                uint64_t content = end - start - 2 * (uint64_t)quoted;
                if (content > INT32_MAX) {
                    return size;
                }
                tally_csv_field field = {start + quoted, (uint32_t)content, quoted, 0, {0, 0}};
                fields[*records * wanted_count + found++] = field;
            }
            column++;
            if (bytes[end] != d->delimiter) {
                break;
            }
        }
        uint64_t next = end + 1;
        if (bytes[end] == '\r') {
            if (next == size) {
                return size;
            }
            if (bytes[next] == '\n' && tally_csv_regular_end(&r) != next++) {
                return r.base + 64;
            }
        }
        if (column != columns) {
            return size;
        }
        *records += 1;
        *at = next;
    }
    return size;
}

#endif

/* Returns the special bytes in order. `mask` has the remaining ones of the 64 bytes from `base`. */
typedef struct csv_scan_cursor {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t base;
    uint64_t mask;
    tally_csv_special special;
} csv_scan_cursor;

static void csv_scan_cursor_load(csv_scan_cursor *c)
{
    uint64_t left = c->size - c->base;
    tally_csv_masks found;
    if (left >= 64) {
        found = tally_csv_find(&c->special, c->bytes + c->base);
    } else {
        uint8_t tail[64] = {0};
        memcpy(tail, c->bytes + c->base, (size_t)left);
        found = tally_csv_find(&c->special, tail);
    }
    c->mask = found.quotes | found.ends;
}

/* Moves the cursor to byte `at`, which is not beyond the last one. */
static void csv_scan_cursor_seek(csv_scan_cursor *c, uint64_t at)
{
    c->base = at & ~UINT64_C(63);
    csv_scan_cursor_load(c);
    c->mask &= ~UINT64_C(0) << (at & 63);
}

/* The place of the next special byte, or the size if there is none. */
static inline uint64_t csv_scan_cursor_next(csv_scan_cursor *c)
{
    while (c->mask == 0) {
        if (c->size - c->base <= 64) {
            return c->size;
        }
        c->base += 64;
        csv_scan_cursor_load(c);
    }
    uint64_t at = c->base + (uint64_t)__builtin_ctzll(c->mask);
    c->mask &= c->mask - 1;
    return at;
}

/* A result of reading a field or a record, beside a tally_csv_error. */
enum { CSV_SCAN_MORE_BYTES = -1 };

/* Reads the field at `at` into *field; *end is the byte after it: a delimiter, CR, LF or the end.
 * The cursor is after *end. */
static inline int csv_scan_read_field(csv_scan_cursor *c, const tally_csv_dialect *d, int last,
                                      uint64_t at, tally_csv_field *field, uint64_t *end)
{
    const uint8_t *bytes = c->bytes;
    uint64_t size = c->size, stop;
    uint8_t quote = d->quote;
    if (d->skip_initial_space) {
        while (at < size && bytes[at] == ' ') {
            at++;
        }
    }
    field->start = at;
    field->quoted = field->escaped = 0;
    field->reserved[0] = field->reserved[1] = 0;
    if (quote != 0 && at < size && bytes[at] == quote) {
        field->start = csv_scan_cursor_next(c) + 1;
        field->quoted = 1;
        for (;;) {
            do {
                stop = csv_scan_cursor_next(c);
            } while (stop < size && bytes[stop] != quote);
            if (stop == size) {
                return last ? TALLY_CSV_OPEN : CSV_SCAN_MORE_BYTES;
            }
            if (size - stop < 2 || bytes[stop + 1] != quote) {
                break;
            }
            field->escaped = 1;
            csv_scan_cursor_next(c);
        }
        *end = csv_scan_cursor_next(c);
        if (*end != stop + 1) {
            return stop + 1 == size ? CSV_SCAN_MORE_BYTES : TALLY_CSV_QUOTE;
        }
    } else {
        do {
            stop = csv_scan_cursor_next(c);
        } while (stop < size && bytes[stop] == quote && quote != 0);
        *end = stop;
    }
    if (*end == size && !last) {
        return CSV_SCAN_MORE_BYTES;
    }
    if (stop - field->start > INT32_MAX) {
        return TALLY_CSV_TOO_LARGE;
    }
    field->size = (uint32_t)(stop - field->start);
    return TALLY_CSV_OK;
}

/* Steps over the line end at *at, if there is one. The cursor is after *at. */
static inline int csv_scan_read_line_end(csv_scan_cursor *c, int last, uint64_t *at)
{
    if (*at == c->size) {
        return TALLY_CSV_OK;
    }
    if (c->bytes[*at] == '\r') {
        if (c->size - *at < 2) {
            if (!last) {
                return CSV_SCAN_MORE_BYTES; /* perhaps half of CR LF */
            }
        } else if (c->bytes[*at + 1] == '\n') {
            csv_scan_cursor_next(c);
            *at += 1;
        }
    }
    *at += 1;
    return TALLY_CSV_OK;
}

/* Reads the record at *at, writes its wanted fields, and moves *at to the next record. */
static inline int csv_scan_read_record(csv_scan_cursor *c, const tally_csv_dialect *d, int last,
                                       const uint32_t *wanted, uint32_t wanted_count,
                                       tally_csv_field *fields, uint64_t record, uint64_t *at,
                                       uint64_t *error_at, uint32_t *count)
{
    uint32_t column = 0, found = 0;
    uint64_t start = *at, end;
    for (;; start = end + 1) {
        tally_csv_field field = {0};
        int error = csv_scan_read_field(c, d, last, start, &field, &end);
        if (error != TALLY_CSV_OK) {
            *error_at = field.quoted ? field.start - 1 : field.start;
            return error;
        }
        if (found < wanted_count && wanted[found] == column) {
            fields[record * wanted_count + found++] = field;
        }
        column++;
        if (end == c->size || c->bytes[end] != d->delimiter) {
            break;
        }
    }
    *count = column;
    *error_at = *at;
    int error = csv_scan_read_line_end(c, last, &end);
    *at = end;
    return error;
}

static int csv_scan_wanted_valid(const uint32_t *wanted, uint32_t count, uint32_t columns)
{
    for (uint32_t j = 0; j < count; j++) {
        if (wanted[j] >= columns || (j > 0 && wanted[j] <= wanted[j - 1])) {
            return 0;
        }
    }
    return 1;
}

tally_status tally_csv_scan_records(const tally_csv_dialect *dialect, const uint8_t *bytes,
                                    uint64_t size, int last, uint32_t columns,
                                    const uint32_t *wanted, uint32_t wanted_count,
                                    tally_csv_field *fields, uint64_t max_records,
                                    tally_csv_scan *out)
{
    tally_csv_dialect d = *dialect;
    if (!tally_csv_dialect_valid(&d) || !csv_scan_wanted_valid(wanted, wanted_count, columns)) {
        return TALLY_ERROR_ARGUMENT;
    }
    tally_csv_scan scan = {0};
    csv_scan_cursor c = {bytes, size, 0, 0, tally_csv_special_of(&d)};
    if (size > 0) {
        csv_scan_cursor_load(&c);
    }
    /* The fast reader needs the number of columns, and cannot skip spaces. */
    uint64_t at = 0, regular_from = columns == 0 || d.skip_initial_space ? size : 0;
    while (scan.records < max_records && at < size) {
        if (at >= regular_from) {
            regular_from = tally_csv_scan_regular(&d, bytes, size, columns, wanted, wanted_count,
                                                  max_records, fields, &at, &scan.records);
            scan.fields = columns;
            scan.consumed = at;
            if (scan.records == max_records || at == size) {
                break;
            }
            csv_scan_cursor_seek(&c, at);
        }
        if (columns != 1 && (bytes[at] == '\n' || bytes[at] == '\r')) {
            csv_scan_cursor_next(&c);
            if (csv_scan_read_line_end(&c, last, &at) != TALLY_CSV_OK) {
                break;
            }
            scan.consumed = at;
            continue;
        }
        uint32_t count = 0;
        uint64_t error_at = 0;
        int error = csv_scan_read_record(&c, &d, last, wanted, wanted_count, fields, scan.records,
                                         &at, &error_at, &count);
        if (error == CSV_SCAN_MORE_BYTES) {
            break;
        }
        if (error == TALLY_CSV_OK && columns == 0) {
            columns = count;
        }
        if (error == TALLY_CSV_OK && count != columns) {
            error = TALLY_CSV_FIELDS;
        }
        scan.fields = error == TALLY_CSV_FIELDS ? count : columns;
        if (error != TALLY_CSV_OK) {
            scan.error = (uint32_t)error;
            scan.error_at = error_at;
            break;
        }
        scan.records++;
        scan.consumed = at;
    }
    *out = scan;
    return TALLY_OK;
}

/* ---- core/csv/splice.c ---- */
/*
 * Copies scanned CSV with new content in fields. The bytes between two replaced fields are copied
 * at once, with the fields among them whose content does not change. */

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

TALLY_VISIBILITY_POP
