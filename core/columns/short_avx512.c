/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of short values with AVX-512 VBMI2: bytes are looked up in tables of 128 entries in
 * registers, and symbols are compressed out of the value, and expanded back into it. */
#include "columns/short.h"

#include "base/arch.h"

#if defined(TALLY_ARCH_X86_64)

#include <immintrin.h>

#define SHORT_TARGET                                                                               \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

int tally_short_available(void)
{
    return (tally_cpu_features() & TALLY_CPU_AVX512VBMI2) != 0;
}

static SHORT_TARGET __m512i short_look_up(const uint8_t table[128], __m512i index)
{
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), index, _mm512_load_si512(table + 64));
}

/* A vector that crosses a line of the cache waits for both of them, whatever its mask says: values
 * far apart gain by smaller ones. */
static SHORT_TARGET __m512i short_load(const uint8_t *value, size_t size)
{
    if (size <= 16) {
        const __mmask16 all = (__mmask16)_bzhi_u32(UINT16_MAX, (uint32_t)size);
        return _mm512_zextsi128_si512(_mm_maskz_loadu_epi8(all, value));
    }
    if (size <= 32) {
        const __mmask32 all = _bzhi_u32(UINT32_MAX, (uint32_t)size);
        return _mm512_zextsi256_si512(_mm256_maskz_loadu_epi8(all, value));
    }
    return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (uint32_t)size), value);
}

/* Which of the symbols stay in clear. */
static SHORT_TARGET uint64_t short_kept_of(const tally_shape *shape, uint64_t symbols)
{
    uint64_t kept = _pdep_u64(shape->keep, symbols);
    uint64_t count = (uint64_t)_mm_popcnt_u64(symbols);
    if (shape->keep_last >= count) {
        return symbols;
    }
    /* The symbols from number count - keep_last on. */
    uint64_t others = _bzhi_u64(UINT64_MAX, (uint32_t)(count - shape->keep_last));
    return kept | _pdep_u64(~others, symbols);
}

SHORT_TARGET tally_row tally_short_gather(const tally_shape *shape,
                                          const tally_translate_tables *tables,
                                          const uint8_t *value, size_t size, uint8_t *word,
                                          tally_short_value *out)
{
    __m512i bytes = short_load(value, size);
    __m512i codes = short_look_up(tables->code, bytes);
    uint64_t in = _bzhi_u64(UINT64_MAX, (uint32_t)size);
    uint64_t high = _mm512_movepi8_mask(bytes); /* beyond ASCII: foreign, whatever was looked up */
    uint64_t others = (_mm512_movepi8_mask(codes) | high) & in;
    out->after = (uint32_t)size;
    if (others != 0) {
        uint64_t delimiters =
            _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8((char)(128 | TALLY_BYTE_DELIMITER)));
        delimiters &= others & ~high;
        if (delimiters != 0 && shape->keep_after_delimiter) {
            out->after = (uint32_t)_tzcnt_u64(delimiters) + 1;
            in &= _blsmsk_u64(delimiters);
            others &= in;
        }
        uint64_t kept =
            _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8((char)(128 | TALLY_BYTE_KEPT)));
        uint64_t leading =
            _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8((char)(128 | TALLY_BYTE_LEADING)));
        if ((others & ~((kept | (leading & 1) | delimiters) & ~high)) != 0) {
            return TALLY_ROW_FOREIGN;
        }
        if (_mm_popcnt_u64(delimiters) != tables->delimiters) {
            return TALLY_ROW_DELIMITER;
        }
    } else if (tables->delimiters != 0) {
        return TALLY_ROW_DELIMITER;
    }
    out->symbols = in & ~others;
    out->free = out->symbols;
    if ((shape->keep | shape->keep_last) != 0) {
        out->free &= ~short_kept_of(shape, out->symbols);
    }
    out->upper = tables->has_upper ? _mm512_movepi8_mask(short_look_up(tables->upper, bytes)) : 0;
    out->count = (uint32_t)_mm_popcnt_u64(out->symbols);
    out->length = (uint32_t)_mm_popcnt_u64(out->free);
    _mm512_storeu_si512(word, _mm512_maskz_compress_epi8(out->free, codes));
    return TALLY_ROW_OK;
}

SHORT_TARGET void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value,
                                       size_t size, uint64_t mask, uint8_t *out)
{
    __m512i codes = short_look_up(tables->code, short_load(value, size));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(mask, codes));
}

SHORT_TARGET void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                                      const tally_short_value *where, uint8_t *value)
{
    __m512i symbols = _mm512_maskz_expand_epi8(where->free, _mm512_loadu_si512(word));
    __m512i letters = short_look_up(tables->letter[0], symbols);
    if (where->upper != 0) {
        letters = _mm512_mask_blend_epi8(where->upper, letters,
                                         short_look_up(tables->letter[1], symbols));
    }
    if (where->free <= UINT16_MAX) {
        _mm_mask_storeu_epi8(value, (__mmask16)where->free, _mm512_castsi512_si128(letters));
    } else if (where->free <= UINT32_MAX) {
        _mm256_mask_storeu_epi8(value, (__mmask32)where->free, _mm512_castsi512_si256(letters));
    } else {
        _mm512_mask_storeu_epi8(value, where->free, letters);
    }
}

#else /* there are no tables, so nothing else is ever called */

int tally_short_available(void)
{
    return 0;
}

tally_row tally_short_gather(const tally_shape *shape, const tally_translate_tables *tables,
                             const uint8_t *value, size_t size, uint8_t *word,
                             tally_short_value *out)
{
    (void)shape;
    (void)tables;
    (void)value;
    (void)size;
    (void)word;
    (void)out;
    return TALLY_ROW_FOREIGN;
}

void tally_short_compress(const tally_translate_tables *tables, const uint8_t *value, size_t size,
                          uint64_t mask, uint8_t *out)
{
    (void)tables;
    (void)value;
    (void)size;
    (void)mask;
    (void)out;
}

void tally_short_scatter(const tally_translate_tables *tables, const uint8_t *word,
                         const tally_short_value *where, uint8_t *value)
{
    (void)tables;
    (void)word;
    (void)where;
    (void)value;
}

#endif
