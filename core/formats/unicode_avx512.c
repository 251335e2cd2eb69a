/* SPDX-License-Identifier: Apache-2.0
 *
 * Short text of scripts with AVX-512 VBMI2: 32 characters at a time are read, each in 16 bits, and
 * sixteen are written, each in 32 bits. */
#include "formats/unicode_short.h"

#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
/* Without optimization, gcc's intrinsics are macros that convert the sign of their masks. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

#define UNICODE_AVX512_TARGET                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

enum { UNICODE_AVX512_LANES = 16, UNICODE_AVX512_READ = 32 };

int tally_unicode_short_available(void)
{
    return (tally_cpu_features() & TALLY_CPU_AVX512VBMI2) != 0;
}

/* 0 .. 63. */
static inline UNICODE_AVX512_TARGET __m512i unicode_avx512_places(void)
{
    return _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46,
                           45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28,
                           27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
                           9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

/* Where the characters of a value begin, and where they end. */
typedef struct unicode_avx512_value {
    __m512i bytes;
    _Alignas(64) uint8_t start[64], end[64];
    size_t chars;
} unicode_avx512_value;

/* Returns 0 if the value begins within a character. `size` is 1..64. */
static inline UNICODE_AVX512_TARGET int unicode_avx512_load(const uint8_t *text, size_t size,
                                                            unicode_avx512_value *out)
{
    const __m512i places = unicode_avx512_places();
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(in, text);
    const uint64_t behind = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-64)),
                   lead = in & ~behind;
    const uint64_t chars = (uint64_t)_mm_popcnt_u64(lead);
    const __m512i start = _mm512_maskz_compress_epi8(lead, places);
    /* The first place is 0, so the ends are the places but for that, then the size. */
    const __m512i end =
        _mm512_mask_mov_epi8(_mm512_maskz_compress_epi8(lead & (lead - 1), places),
                             UINT64_C(1) << ((chars - 1) & 63), _mm512_set1_epi8((char)size));
    out->bytes = bytes;
    _mm512_store_si512(out->start, start);
    _mm512_store_si512(out->end, end);
    out->chars = (size_t)chars;
    return (lead & 1) != 0;
}

/* Characters first .. first + 15: their UTF-8, least byte first, and their widths. */
static inline UNICODE_AVX512_TARGET __m512i unicode_avx512_take(const unicode_avx512_value *value,
                                                                size_t first, __m512i *widths)
{
    const __m512i replicate = _mm512_set1_epi32(0x03020100);
    const __m512i start =
        _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(value->start + first)));
    const __m512i end =
        _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(value->end + first)));
    const __m512i twice = _mm512_or_si512(start, _mm512_slli_epi32(start, 8));
    const __m512i places =
        _mm512_add_epi8(_mm512_or_si512(twice, _mm512_slli_epi32(twice, 16)), replicate);
    const __m512i width = _mm512_sub_epi32(end, start);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i own = _mm512_sub_epi32(_mm512_sllv_epi32(one, _mm512_slli_epi32(width, 3)), one);
    *widths = width;
    return _mm512_and_si512(_mm512_permutexvar_epi8(places, value->bytes), own);
}

/* Characters side by side, with their code points' upper bits and lower six. */
typedef struct unicode_avx512_characters {
    __m512i page, low; /* of `low`, two more bits are anything */
    uint64_t lead;     /* where they begin */
    size_t size, count;
} unicode_avx512_characters;

/* Takes the first characters of text that has `left` bytes, of at most 64 bytes of it: as many as
 * these have, or 32. Returns 0 if they are not UTF-8, or beyond U+3FFF. */
static inline UNICODE_AVX512_TARGET int
unicode_avx512_split(uint64_t in, __m512i bytes, size_t left, unicode_avx512_characters *out)
{
    const __m512i places = unicode_avx512_places(), low = _mm512_set1_epi8(0x3F);
    const uint64_t twos = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(-0x3E)),
                                                 _mm512_set1_epi8(0x1E)),
                   threes = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(-0x20)),
                                                   _mm512_set1_epi8(4)),
                   behind = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(-0x40)),
                   more = _mm512_movepi8_mask(bytes);
    const uint64_t second = (twos | threes) << 1, third = threes << 2;
    /* What goes on behind 64 bytes is left for later, if there are more. */
    const uint64_t cut = (twos | threes) >> 63 << 63 | threes >> 62 << 62,
                   later = _pdep_u64(UINT64_C(1) << UNICODE_AVX512_READ, in & ~behind) | (in + 1);
    const size_t size = _tzcnt_u64(left > 64 ? cut | later : later);
    const uint64_t wrong =
        (more ^ (twos | threes | behind)) | (behind ^ (second | third)) | (left <= 64 ? cut : 0);
    const uint64_t used = _bzhi_u64(UINT64_MAX, (uint32_t)size), lead = used & ~behind;
    /* A character's last byte has its lower six bits; the upper ones are in the byte before, and
     * two in the one before that. Of an ASCII character they are in the same byte. */
    const uint64_t last = lead >> 1 | (used ^ used >> 1);
    const __m512i before =
        _mm512_permutexvar_epi8(_mm512_sub_epi8(places, _mm512_set1_epi8(1)), bytes);
    const __m512i first =
        _mm512_maskz_permutexvar_epi8(third, _mm512_sub_epi8(places, _mm512_set1_epi8(2)), bytes);
    const __m512i of_more =
        _mm512_ternarylogic_epi64(low, before, _mm512_slli_epi16(first, 6), 0xCA);
    const __m512i page = _mm512_mask_mov_epi8(
        _mm512_and_si512(_mm512_srli_epi16(bytes, 6), _mm512_set1_epi8(1)), more, of_more);
    /* Those below U+0800 have no three bytes. */
    const uint64_t less = _mm512_mask_cmplt_epu8_mask(third, page, _mm512_set1_epi8(0x20));
    out->page = _mm512_maskz_compress_epi8(last, page);
    out->low = _mm512_maskz_compress_epi8(last, bytes);
    out->lead = lead;
    out->size = size;
    out->count = (size_t)_mm_popcnt_u64(lead);
    return _bzhi_u64(less | wrong, left > size ? (uint32_t)size : 64) == 0;
}

/* Gathers the table's entries of `scale` bytes for the first `count` of 16 lanes; eight take half the
 * time. */
#define UNICODE_AVX512_GATHER(count, active, index, table, scale)                                  \
    ((count) > 8 ? _mm512_mask_i32gather_epi32(index, active, index, table, scale)                 \
                 : _mm512_zextsi256_si512(_mm256_mmask_i32gather_epi32(                            \
                       _mm512_castsi512_si256(index), (__mmask8)(active),                          \
                       _mm512_castsi512_si256(index), (const int *)(const void *)(table), scale)))

/* The codes of the characters. */
static inline UNICODE_AVX512_TARGET __m512i
unicode_avx512_codes(const tally_unicode_letters *letters, const unicode_avx512_characters *text)
{
    const uint8_t *tables = letters->short_page_of;
    const __m512i first = _mm512_permutex2var_epi8(_mm512_loadu_si512(tables), text->page,
                                                   _mm512_loadu_si512(tables + 64)),
                  second = _mm512_permutex2var_epi8(_mm512_loadu_si512(tables + 128), text->page,
                                                    _mm512_loadu_si512(tables + 192)),
                  table = _mm512_mask_mov_epi8(first, _mm512_movepi8_mask(text->page), second);
    const __m512i place = _mm512_ternarylogic_epi64(
        _mm512_set1_epi16(TALLY_UNICODE_PAGE - 1),
        _mm512_cvtepu8_epi16(_mm512_castsi512_si256(text->low)),
        _mm512_slli_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(table)),
                          TALLY_UNICODE_PAGE_BITS),
        0xCA);
    const uint32_t active = _bzhi_u32(UINT32_MAX, (uint32_t)text->count);
    const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(place)),
                  lower =
                      UNICODE_AVX512_GATHER(text->count, (__mmask16)active, low, letters->pages, 2);
    __m512i upper = _mm512_setzero_si512();
    if (text->count > 16) {
        const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(place, 1));
        upper = UNICODE_AVX512_GATHER(text->count - 16, (__mmask16)(active >> 16), high,
                                      letters->pages, 2);
    }
    /* The lower halves of all lanes. */
    const __m512i even =
        _mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26,
                         24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi16(lower, even, upper);
}

/* The letters that have a letter before them and none behind. */
static inline uint64_t unicode_avx512_ends(uint64_t letters)
{
    return letters & letters << 1 & ~(letters >> 1);
}

/* Reads 64 characters of ASCII, of which those in `in` count: where letters are, and where foreign
 * characters. No letter below U+0080 has a final form. */
static inline UNICODE_AVX512_TARGET uint64_t
unicode_avx512_read_ascii(const tally_unicode_letters *letters, __m512i bytes, uint64_t in,
                          uint16_t *codes, uint8_t *symbols, uint64_t *foreign)
{
    const __m512i code = _mm512_permutex2var_epi8(_mm512_loadu_si512(letters->short_ascii), bytes,
                                                  _mm512_loadu_si512(letters->short_ascii + 64));
    const uint64_t others =
        _mm512_mask_cmpge_epu8_mask(in, code, _mm512_set1_epi8((char)(TALLY_UNICODE_KEPT & 0xFF)));
    *foreign = _mm512_mask_cmpeq_epi8_mask(in, code,
                                           _mm512_set1_epi8((char)(TALLY_UNICODE_FOREIGN & 0xFF)));
    const uint64_t is_letter = in & ~others;
    const __m512i upper = _mm512_set1_epi16((short)-0x100);
    const __m512i first = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(code)),
                  second = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(code, 1));
    _mm512_storeu_si512(
        codes, _mm512_mask_blend_epi16((__mmask32)others, first, _mm512_or_si512(first, upper)));
    _mm512_storeu_si512(codes + 32, _mm512_mask_blend_epi16((__mmask32)(others >> 32), second,
                                                            _mm512_or_si512(second, upper)));
    const __m512i half = _mm512_and_si512(_mm512_srli_epi16(code, 1), _mm512_set1_epi8(0x7F));
    const __m512i symbol = letters->shift != 0 ? half : code;
    _mm512_storeu_si512(symbols, _mm512_maskz_compress_epi8(is_letter, symbol));
    return is_letter;
}

UNICODE_AVX512_TARGET int tally_unicode_short_read(const tally_unicode_letters *letters,
                                                   const uint8_t *value, size_t size,
                                                   uint16_t *codes, uint8_t *symbols, size_t *chars,
                                                   size_t *count)
{
    unicode_avx512_characters text;
    if (size == 0) {
        *chars = *count = 0;
        return 1;
    }
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const __m512i bytes = _mm512_maskz_loadu_epi8(in, value);
    if (_mm512_movepi8_mask(bytes) == 0) {
        uint64_t foreign;
        *chars = size;
        *count = (size_t)_mm_popcnt_u64(
            unicode_avx512_read_ascii(letters, bytes, in, codes, symbols, &foreign));
        return foreign == 0;
    }
    const __m512i mark = _mm512_set1_epi16((short)TALLY_UNICODE_MARK),
                  kept = _mm512_set1_epi16((short)TALLY_UNICODE_KEPT),
                  nukta =
                      _mm512_set1_epi16((short)(TALLY_UNICODE_MARK + TALLY_UNICODE_NUKTA_ORDER)),
                  whole = _mm512_set1_epi16((short)TALLY_UNICODE_WHOLE),
                  medial = _mm512_set1_epi16((short)letters->medial),
                  final = _mm512_set1_epi16((short)letters->final);
    const __m128i shift = _mm_cvtsi32_si128((int)letters->shift);
    const int has_nukta = letters->script->composed != NULL;
    uint64_t all_letters = 0, marks = 0, medials = 0, finals = 0;
    uint8_t *symbol = symbols;
    size_t i = 0;
    for (size_t at = 0; at < size; at += text.size, i += text.count) {
        const __m512i part = at == 0 ? bytes : _mm512_maskz_loadu_epi8(in >> at, value + at);
        if (!unicode_avx512_split(in >> at, part, size - at, &text)) {
            return 0;
        }
        const __mmask32 active = _bzhi_u32(UINT32_MAX, (uint32_t)text.count);
        const __m512i code = unicode_avx512_codes(letters, &text);
        _mm512_storeu_si512(codes + i, code);
        const __mmask32 is_letter = _mm512_mask_cmplt_epu16_mask(active, code, mark),
                        is_mark = _mm512_mask_cmplt_epu16_mask(active & ~is_letter, code, whole),
                        is_kept = _mm512_mask_cmpeq_epi16_mask(active, code, kept);
        if ((is_letter | is_mark | is_kept) != active ||
            (has_nukta && _mm512_mask_cmpeq_epi16_mask(active, code, nukta) != 0)) {
            return 0;
        }
        const __mmask32 is_final = _mm512_mask_cmpeq_epi16_mask(active, code, final);
        all_letters |= (uint64_t)is_letter << i;
        marks |= (uint64_t)is_mark << i;
        medials |= (uint64_t)_mm512_mask_cmpeq_epi16_mask(active, code, medial) << i;
        finals |= (uint64_t)is_final << i;
        const __m512i number =
            _mm512_srl_epi16(_mm512_mask_mov_epi16(code, is_final, medial), shift);
        _mm256_storeu_si256((__m256i *)(void *)symbol,
                            _mm256_maskz_compress_epi8(is_letter, _mm512_cvtepi16_epi8(number)));
        symbol += _mm_popcnt_u32(is_letter);
    }
    *chars = i;
    *count = (size_t)(symbol - symbols);
    /* Marks side by side may be in another order than NFC's. */
    const uint64_t ends = unicode_avx512_ends(all_letters);
    return (marks & marks << 1) == 0 && (medials & ends) == 0 && (finals & ~ends) == 0;
}

UNICODE_AVX512_TARGET uint8_t *tally_unicode_short_write(const tally_unicode_letters *letters,
                                                         const uint8_t *value, size_t size,
                                                         const uint16_t *codes,
                                                         const uint8_t *symbols, uint8_t *out)
{
    unicode_avx512_value text;
    if (size == 0) {
        return out;
    }
    const uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    const int is_ascii = _mm512_movepi8_mask(_mm512_maskz_loadu_epi8(in, value)) == 0;
    text.chars = size;
    if (!is_ascii) {
        (void)unicode_avx512_load(value, size, &text);
    }
    const __m512i mark = _mm512_set1_epi32(TALLY_UNICODE_MARK),
                  forms = _mm512_set1_epi32((1 << letters->shift) - 1),
                  order = _mm512_set1_epi32(0x03020100);
    const __m128i shift = _mm_cvtsi32_si128((int)letters->shift);
    const int has_final = letters->final != TALLY_UNICODE_NONE;
    uint64_t ends = 0;
    if (has_final) {
        uint64_t all = 0;
        for (size_t i = 0; i < text.chars; i += UNICODE_AVX512_LANES) {
            const __m512i code = _mm512_cvtepu16_epi32(
                _mm256_loadu_si256((const __m256i *)(const void *)(codes + i)));
            all |= (uint64_t)_mm512_cmplt_epu32_mask(code, mark) << i;
        }
        ends = unicode_avx512_ends(all & _bzhi_u64(UINT64_MAX, (uint32_t)text.chars));
    }
    for (size_t i = 0; i < text.chars; i += UNICODE_AVX512_LANES) {
        const __mmask16 active = (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)(text.chars - i));
        __m512i raw, widths = _mm512_set1_epi32(1);
        if (is_ascii) {
            raw = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(active, value + i));
        } else {
            raw = unicode_avx512_take(&text, i, &widths);
        }
        const __m512i code =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(codes + i)));
        const __mmask16 is_letter = _mm512_mask_cmplt_epu32_mask(active, code, mark);
        const __m512i symbol = _mm512_cvtepu8_epi32(_mm_maskz_expand_epi8(
            is_letter, _mm_loadu_si128((const __m128i *)(const void *)symbols)));
        symbols += _mm_popcnt_u32(is_letter);
        const __m512i written =
            _mm512_or_si512(_mm512_sll_epi32(symbol, shift), _mm512_and_si512(code, forms));
        const __m512i found =
            UNICODE_AVX512_GATHER(text.chars - i, is_letter, written, letters->bytes, 4);
        __m512i bytes = _mm512_mask_mov_epi32(raw, is_letter, found);
        if (has_final) {
            const __mmask16 end = _mm512_mask_cmpeq_epi32_mask(
                is_letter & (__mmask16)(ends >> i), written, _mm512_set1_epi32(letters->medial));
            bytes = _mm512_mask_mov_epi32(bytes, end, _mm512_set1_epi32((int)letters->final_bytes));
        }
        const __m512i width = _mm512_mask_mov_epi32(
            widths, is_letter, _mm512_srli_epi32(bytes, TALLY_UNICODE_WIDTH_SHIFT));
        const __m512i twice = _mm512_or_si512(width, _mm512_slli_epi32(width, 8));
        const uint64_t used =
            _mm512_cmplt_epu8_mask(order, _mm512_or_si512(twice, _mm512_slli_epi32(twice, 16)));
        const uint64_t own = _pdep_u64(active, UINT64_C(0x1111111111111111)) * 15 & used;
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(own, bytes));
        out += _mm_popcnt_u64(own);
    }
    return out;
}

/* The codes of characters that are letters, of no final form, and kept ones. Returns where letters
 * are; *wrong tells of others. */
static inline UNICODE_AVX512_TARGET uint64_t unicode_avx512_read_plain(
    const tally_unicode_letters *letters, const unicode_avx512_characters *text, uint16_t *codes,
    uint8_t *symbols, uint64_t *wrong)
{
    const __m128i shift = _mm_cvtsi32_si128((int)letters->shift);
    const __mmask32 active = _bzhi_u32(UINT32_MAX, (uint32_t)text->count);
    const __m512i code = unicode_avx512_codes(letters, text);
    _mm512_storeu_si512(codes, code);
    const __mmask32 is_letter = _mm512_mask_cmplt_epu16_mask(
                        active, code, _mm512_set1_epi16((short)TALLY_UNICODE_MARK)),
                    is_kept = _mm512_mask_cmpeq_epi16_mask(
                        active, code, _mm512_set1_epi16((short)TALLY_UNICODE_KEPT));
    *wrong = active ^ (is_letter | is_kept);
    _mm256_storeu_si256(
        (__m256i *)(void *)symbols,
        _mm256_maskz_compress_epi8(is_letter, _mm512_cvtepi16_epi8(_mm512_srl_epi16(code, shift))));
    return is_letter;
}

UNICODE_AVX512_TARGET size_t tally_unicode_rows_read(const tally_unicode_letters *letters,
                                                     const uint8_t *values,
                                                     tally_unicode_rows *rows, uint16_t *codes,
                                                     uint8_t *symbols)
{
    const size_t size = rows->count == 0 ? 0 : rows->bytes[rows->count - 1];
    size_t row = 0, chars = 0, count = 0;
    unicode_avx512_characters text;
    for (; row < rows->count && rows->bytes[row] == 0; row++) {
        rows->chars[row] = rows->letters[row] = 0;
    }
    for (size_t at = 0; at < size; at += text.size) {
        const size_t left = size - at;
        const uint64_t in = _bzhi_u64(UINT64_MAX, left < 64 ? (uint32_t)left : 64);
        const __m512i bytes =
            left >= 64 ? _mm512_loadu_si512(values + at) : _mm512_maskz_loadu_epi8(in, values + at);
        uint64_t wrong, is_letter;
        if (_mm512_movepi8_mask(bytes) == 0) {
            text.lead = in;
            text.size = text.count = left < 64 ? left : 64;
            is_letter = unicode_avx512_read_ascii(letters, bytes, in, codes + chars,
                                                  symbols + count, &wrong);
        } else {
            if (!unicode_avx512_split(in, bytes, left, &text)) {
                return row;
            }
            is_letter =
                unicode_avx512_read_plain(letters, &text, codes + chars, symbols + count, &wrong);
        }
        const size_t before = row;
        for (; row < rows->count && rows->bytes[row] <= at + text.size; row++) {
            const size_t end = rows->bytes[row] - at;
            const uint32_t own = (uint32_t)_mm_popcnt_u64(_bzhi_u64(text.lead, (uint32_t)end));
            wrong |= end < text.size ? ~text.lead >> end & 1 : 0; /* it ends within a character */
            rows->chars[row] = (uint32_t)chars + own;
            rows->letters[row] =
                (uint32_t)count + (uint32_t)_mm_popcnt_u64(_bzhi_u64(is_letter, own));
        }
        if (wrong != 0) {
            return before;
        }
        chars += text.count;
        count += (size_t)_mm_popcnt_u64(is_letter);
    }
    return row;
}

/* Characters of text, the bytes of each in 32 bits: those that it does not have are anything. */
typedef struct unicode_avx512_raw {
    __m512i bytes;
    uint64_t own; /* those that it has */
    size_t size;  /* of the text's bytes */
} unicode_avx512_raw;

/* Takes the next sixteen characters of text, of three bytes at most, or as many as there are. */
static inline UNICODE_AVX512_TARGET void unicode_avx512_next(const uint8_t *text, size_t left,
                                                             unicode_avx512_raw *out)
{
    const uint64_t in = _bzhi_u64(UINT64_MAX, left < 64 ? (uint32_t)left : 64),
                   each = UINT64_C(0x1111111111111111);
    const __m512i four =
        _mm512_set_epi8(15, 15, 15, 15, 14, 14, 14, 14, 13, 13, 13, 13, 12, 12, 12, 12, 11, 11, 11,
                        11, 10, 10, 10, 10, 9, 9, 9, 9, 8, 8, 8, 8, 7, 7, 7, 7, 6, 6, 6, 6, 5, 5, 5,
                        5, 4, 4, 4, 4, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i behind = _mm512_set1_epi8(-0x40),
                  bytes = left >= 64 ? _mm512_loadu_si512(text) : _mm512_maskz_loadu_epi8(in, text);
    const uint64_t lead = in & ~_mm512_cmplt_epi8_mask(bytes, behind);
    const __m512i start = _mm512_maskz_compress_epi8(lead, unicode_avx512_places());
    out->bytes = _mm512_permutexvar_epi8(
        _mm512_add_epi8(_mm512_permutexvar_epi8(four, start), _mm512_set1_epi32(0x03020100)),
        bytes);
    const uint64_t more = _mm512_cmplt_epi8_mask(out->bytes, behind), second = more & each << 1;
    out->own = each | second | (more & second << 1);
    const uint64_t next = _tzcnt_u64(_pdep_u64(1 << UNICODE_AVX512_LANES, lead));
    out->size = next < left ? next : left;
}

UNICODE_AVX512_TARGET uint8_t *tally_unicode_rows_write(const tally_unicode_letters *letters,
                                                        const uint8_t *values,
                                                        tally_unicode_rows *rows,
                                                        const uint16_t *codes,
                                                        const uint8_t *symbols, uint8_t *out)
{
    const size_t chars = rows->chars[rows->count - 1], size = rows->bytes[rows->count - 1];
    const __m512i mark = _mm512_set1_epi32(TALLY_UNICODE_MARK),
                  forms = _mm512_set1_epi32((1 << letters->shift) - 1);
    const __m128i shift = _mm_cvtsi32_si128((int)letters->shift);
    uint8_t *const first = out;
    unicode_avx512_raw raw;
    size_t row = 0;
    for (; row < rows->count && rows->chars[row] == 0; row++) {
        rows->bytes[row] = 0;
    }
    for (size_t i = 0, at = 0; i < chars; i += UNICODE_AVX512_LANES, at += raw.size) {
        unicode_avx512_next(values + at, size - at, &raw);
        const size_t left = chars - i < UNICODE_AVX512_LANES ? chars - i : UNICODE_AVX512_LANES;
        const __mmask16 active = (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)left);
        const __m512i code =
            _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(active, (const void *)(codes + i)));
        const __mmask16 is_letter = _mm512_mask_cmplt_epu32_mask(active, code, mark);
        const __mmask16 there = (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)_mm_popcnt_u32(is_letter));
        const __m512i symbol = _mm512_maskz_expand_epi32(
            is_letter, _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, (const void *)symbols)));
        symbols += _mm_popcnt_u32(is_letter);
        const __m512i written =
            _mm512_or_si512(_mm512_sll_epi32(symbol, shift), _mm512_and_si512(code, forms));
        const __m512i found = _mm512_mask_i32gather_epi32(raw.bytes, is_letter, written,
                                                          (const int *)letters->bytes, 4);
        /* No letter has a byte that is 0, but behind its last one. The highest is its width. */
        const uint64_t has = _mm512_test_epi8_mask(found, _mm512_set1_epi32(0xFFFFFF)),
                       of_letters = _pdep_u64(is_letter, UINT64_C(0x1111111111111111)) * 15,
                       all = _bzhi_u64(UINT64_MAX, 4 * (uint32_t)left),
                       own = all & ((has & of_letters) | (raw.own & ~of_letters));
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(own, found));
        for (; row < rows->count && rows->chars[row] <= i + UNICODE_AVX512_LANES; row++) {
            const uint32_t end = 4 * (uint32_t)(rows->chars[row] - i);
            rows->bytes[row] =
                (uint32_t)((size_t)(out - first) + (size_t)_mm_popcnt_u64(_bzhi_u64(own, end)));
        }
        out += _mm_popcnt_u64(own);
    }
    return out;
}

#else

int tally_unicode_short_available(void)
{
    return 0;
}

int tally_unicode_short_read(const tally_unicode_letters *letters, const uint8_t *value,
                             size_t size, uint16_t *codes, uint8_t *symbols, size_t *chars,
                             size_t *count)
{
    (void)letters, (void)value, (void)size, (void)codes, (void)symbols, (void)chars, (void)count;
    return 0;
}

uint8_t *tally_unicode_short_write(const tally_unicode_letters *letters, const uint8_t *value,
                                   size_t size, const uint16_t *codes, const uint8_t *symbols,
                                   uint8_t *out)
{
    (void)letters, (void)value, (void)size, (void)codes, (void)symbols;
    return out;
}

size_t tally_unicode_rows_read(const tally_unicode_letters *letters, const uint8_t *values,
                               tally_unicode_rows *rows, uint16_t *codes, uint8_t *symbols)
{
    (void)letters, (void)values, (void)rows, (void)codes, (void)symbols;
    return 0;
}

uint8_t *tally_unicode_rows_write(const tally_unicode_letters *letters, const uint8_t *values,
                                  tally_unicode_rows *rows, const uint16_t *codes,
                                  const uint8_t *symbols, uint8_t *out)
{
    (void)letters, (void)values, (void)rows, (void)codes, (void)symbols;
    return out;
}

#endif
