//go:build cgo

/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the sources of core/numbers as one file. Made by
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
/* ---- core/numbers/dates.c ---- */
/*
 * Notations of dates. */

/* ---- core/numbers/dates.h ---- */
/*
 * Dates as text. A notation is compiled once into blocks of eight bytes that are checked at a time;
 * digits and days are arithmetic without tables. To days: H. Hinnant, "chrono-Compatible Low-Level
 * Date Algorithms", days_from_civil. From days: C. Neri, L. Schneider, "Euclidean affine functions
 * and their application to calendar algorithms", Software: Practice and Experience 53 (2023). */
#ifndef TALLY_NUMBERS_DATES_H
#define TALLY_NUMBERS_DATES_H

enum {
    TALLY_DATES_MAX_WIDTH = 64,    /* bytes of a notation */
    TALLY_DATES_MIN_DAY = -719162, /* 0001-01-01, in days since 1970-01-01 */
    TALLY_DATES_MAX_DAY = 2932896, /* 9999-12-31 */
    TALLY_DATES_BLOCK = 8,
    TALLY_DATES_BLOCKS = TALLY_DATES_MAX_WIDTH / TALLY_DATES_BLOCK,
    TALLY_DATES_SHIFT = 719468, /* from 0000-03-01 */
    TALLY_DATES_DIGIT = 0x76,   /* reaches: of a place for a digit, */
    TALLY_DATES_LITERAL = 0x7f, /* of one for a character of the pattern, */
    TALLY_DATES_ANY = 0         /* and of one for any in ASCII */
};

/* A compiled notation of dates in the proleptic Gregorian calendar, years 1 to 9999. */
typedef struct tally_dates_compiled {
    size_t width, year, month, day; /* and where the digits begin */
    size_t blocks,
        place[TALLY_DATES_BLOCKS];     /* the last ends where the notation does; they may overlap */
    uint64_t text[TALLY_DATES_BLOCKS]; /* the notation, with '0' for its digits */
    uint64_t
        reach[TALLY_DATES_BLOCKS]; /* added to a byte's difference from it, carries into the top
                                   * bit if that is too much */
} tally_dates_compiled;

/* Compiles a notation: YYYY, MM and DD, once each, with printable ASCII around them, 8 to
 * TALLY_DATES_MAX_WIDTH bytes in all. Returns 0 if it is none. */
int tally_dates_compile(const uint8_t *notation, size_t width, tally_dates_compiled *out);

/* Compiles a pattern of out->width bytes, 8 or more, with out->year, month and day set. `reach` is
 * above, for each byte. */
void tally_dates_compile_pattern(const uint8_t *pattern, const uint8_t *reach,
                                 tally_dates_compiled *out);

/* The top bits of a block's bytes that are not what the notation has there. */
static inline uint64_t tally_dates_differ(const tally_dates_compiled *notation, size_t block,
                                          const uint8_t *text)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t bytes;
    memcpy(&bytes, text + notation->place[block], TALLY_DATES_BLOCK);
    bytes ^= notation->text[block]; /* of a digit its value, of 0x3a to 0x3f 10 to 15 */
    return (((bytes & low) + notation->reach[block]) | bytes) & ~low;
}

static inline uint32_t tally_dates_two(const uint8_t *text)
{
    return text[0] * 10u + text[1] - '0' * 11u;
}

/* Days since 1970-01-01 of year y, month m and day d, each below 2^16; INT32_MIN if there is no such
 * day, or `wrong` is not 0. */
static inline int32_t tally_dates_days(uint32_t y, uint32_t m, uint32_t d, uint64_t wrong)
{
    /* Masks instead of conditions: no branch depends on the date. */
    uint32_t century = 0 - (uint32_t)(y % 25 == 0), february = 0 - (uint32_t)(m == 2);
    uint32_t leap = (y & (3 | (12 & century))) == 0;
    uint32_t most = ((28 + leap) & february) | ((30 | (m ^ m >> 3)) & ~february);
    uint32_t bad = 0 - (uint32_t)((wrong != 0) | (y == 0) | (m - 1 > 11) | (d == 0) | (d > most));
    /* Years that begin in March; year 0 is the first. */
    uint32_t early = m <= 2;
    y -= early;
    uint32_t day = (153 * (m + 12 * early - 3) + 2) / 5 + d - 1;
    uint32_t days = y * 365 + y / 4 - y / 100 + y / 400 + day - TALLY_DATES_SHIFT;
    return (int32_t)((days & ~bad) | (UINT32_C(0x80000000) & bad));
}

/* Days since 1970-01-01, or INT32_MIN if the text is no date. */
static inline int32_t tally_dates_parse(const tally_dates_compiled *notation, const uint8_t *text)
{
    uint64_t wrong = tally_dates_differ(notation, 0, text);
    for (size_t i = 1; i < notation->blocks; i++) {
        wrong |= tally_dates_differ(notation, i, text);
    }
    const uint32_t y =
        tally_dates_two(text + notation->year) * 100 + tally_dates_two(text + notation->year + 2);
    return tally_dates_days(y, tally_dates_two(text + notation->month),
                            tally_dates_two(text + notation->day), wrong);
}

/* A day of the calendar. */
typedef struct tally_dates_civil {
    uint32_t year, month, day;
} tally_dates_civil;

static inline tally_dates_civil tally_dates_civil_of(int32_t days)
{
    /* Centuries, years of a century and months, each by Neri and Schneider's linear forms. */
    uint32_t quarters = 4 * (uint32_t)(days + TALLY_DATES_SHIFT) + 3;
    uint32_t century = quarters / 146097;
    uint64_t years = (uint64_t)2939745 * (quarters % 146097 | 3);
    uint32_t of_year = (uint32_t)years / 2939745 / 4;
    uint32_t months = 2141 * of_year + 197913;
    uint32_t late = of_year >= 306; /* January and February are of the next year */
    return (tally_dates_civil){.year = 100 * century + (uint32_t)(years >> 32) + late,
                               .month = (months >> 16) - 12 * late,
                               .day = (months & 0xffff) / 2141 + 1};
}

static inline void tally_dates_write_two(uint32_t number, uint8_t *out)
{
    uint32_t tens = number * 103 >> 10; /* exact below 100 */
    out[0] = (uint8_t)('0' + tens);
    out[1] = (uint8_t)('0' + (number - tens * 10));
}

static inline void tally_dates_format(const tally_dates_compiled *notation, int32_t days,
                                      uint8_t *out)
{
    const tally_dates_civil date = tally_dates_civil_of(days);
    for (size_t i = 0; i < notation->blocks; i++) {
        memcpy(out + notation->place[i], &notation->text[i], TALLY_DATES_BLOCK);
    }
    const uint32_t hundreds = date.year / 100;
    tally_dates_write_two(hundreds, out + notation->year);
    tally_dates_write_two(date.year - hundreds * 100, out + notation->year + 2);
    tally_dates_write_two(date.month, out + notation->month);
    tally_dates_write_two(date.day, out + notation->day);
}

#endif

/* Where `count` letters stand that occur only there; -1: they do not. */
static int dates_find(const uint8_t *notation, size_t width, uint8_t letter, size_t count)
{
    int found = -1;
    for (size_t i = 0; i + count <= width; i++) {
        size_t same = 0;
        while (same < count && notation[i + same] == letter) {
            same++;
        }
        if (same == count) {
            if (found >= 0) {
                return -1;
            }
            found = (int)i;
            i += count - 1; /* matches do not overlap */
        }
    }
    return found;
}

void tally_dates_compile_pattern(const uint8_t *pattern, const uint8_t *reach,
                                 tally_dates_compiled *out)
{
    out->blocks = (out->width + TALLY_DATES_BLOCK - 1) / TALLY_DATES_BLOCK;
    for (size_t i = 0; i < out->blocks; i++) {
        out->place[i] = (i + 1) * TALLY_DATES_BLOCK <= out->width ? i * TALLY_DATES_BLOCK
                                                                  : out->width - TALLY_DATES_BLOCK;
        memcpy(&out->text[i], pattern + out->place[i], TALLY_DATES_BLOCK);
        memcpy(&out->reach[i], reach + out->place[i], TALLY_DATES_BLOCK);
    }
}

int tally_dates_compile(const uint8_t *notation, size_t width, tally_dates_compiled *out)
{
    if (width < TALLY_DATES_BLOCK || width > TALLY_DATES_MAX_WIDTH) {
        return 0;
    }
    for (size_t i = 0; i < width; i++) {
        if (notation[i] < ' ' || notation[i] > '~') {
            return 0;
        }
    }
    const int year = dates_find(notation, width, 'Y', 4),
              month = dates_find(notation, width, 'M', 2),
              day = dates_find(notation, width, 'D', 2);
    if (year < 0 || month < 0 || day < 0) {
        return 0;
    }
    out->width = width;
    out->year = (size_t)year;
    out->month = (size_t)month;
    out->day = (size_t)day;
    uint8_t pattern[TALLY_DATES_MAX_WIDTH], reach[TALLY_DATES_MAX_WIDTH];
    memcpy(pattern, notation, width);
    memset(reach, TALLY_DATES_LITERAL, sizeof reach);
    const int place[] = {year, month, day}, count[] = {4, 2, 2};
    for (size_t i = 0; i < 3; i++) {
        memset(pattern + place[i], '0', (size_t)count[i]);
        memset(reach + place[i], TALLY_DATES_DIGIT, (size_t)count[i]);
    }
    tally_dates_compile_pattern(pattern, reach, out);
    return 1;
}

/* ---- core/numbers/mixed.c ---- */
/*
 * Numbers of mixed radix as words of one radix, and back: the plan, the choice of a back end, and
 * rows one behind the other. */

/* ---- core/numbers/mixed.h ---- */
/*
 * Numbers of mixed radix at work, on digits and symbols that are known to fit: no branch and no
 * address depends on them. */
#ifndef TALLY_NUMBERS_MIXED_H
#define TALLY_NUMBERS_MIXED_H

/* ---- core/base/dispatch.h ---- */
/*
 * The choice of a back end. A back end is one file with one constant struct, whose first member is
 * a tally_backend. Each module lists its back ends in one table, the fastest first:
 *
 *     static const tally_backend *const backends[] = {
 *     #if defined(TALLY_ARCH_X86_64)
 *         &tally_example_avx2.backend,
 *     #endif
 *         &tally_example_portable.backend,
 *     };
 *
 * The last back end of a table needs no CPU feature. */
#ifndef TALLY_BASE_DISPATCH_H
#define TALLY_BASE_DISPATCH_H

typedef struct tally_backend {
    const char *name;
    uint32_t needs; /* CPU features, all of them */
} tally_backend;

/* The needed features that are missing or disabled; 0: the back end can be used. */
static inline uint32_t tally_backend_lacks(const tally_backend *backend)
{
    return backend->needs & ~tally_cpu_features();
}

/* The first back end of a table that lacks nothing. Cast the result to the module's struct. */
static inline const tally_backend *tally_dispatch(const tally_backend *const table[], size_t count)
{
    const uint32_t features = tally_cpu_features();
    size_t i = 0;
    while (i + 1 < count && (table[i]->needs & ~features) != 0) {
        i++;
    }
    return table[i];
}

#endif

enum {
    TALLY_MIXED_MAX_POSITIONS = 64,
    TALLY_MIXED_MAX_SIZE = 65536,
    TALLY_MIXED_MAX_LENGTH = 32,                    /* symbols of a word, at most */
    TALLY_MIXED_LIMBS = TALLY_MIXED_MAX_LENGTH / 2, /* of 16 bits */
    TALLY_MIXED_WIDE = 35,                          /* bits of a wide limb */
    TALLY_MIXED_RUNS = 31, /* at most: two neighbours multiply to more than 2^16 */
    TALLY_MIXED_ROWS = 64  /* rows of a block, side by side */
};

/* Numbers of mixed radix: position i holds a digit below sizes[i], most significant first. They
 * represent 0 .. N - 1, where N, the product of the sizes, is 2..2^256. */
typedef struct tally_mixed {
    const uint32_t *sizes; /* 1..TALLY_MIXED_MAX_SIZE each */
    uint32_t positions;    /* 1..TALLY_MIXED_MAX_POSITIONS */
} tally_mixed;

/* How numbers of 16 bits are divided by one of 2..2^16, by products: the upper half h of x *
 * inverse, or of 16 bits more, (x - h) / 2 + h, shifted. */
typedef struct tally_mixed_divisor {
    uint16_t inverse;
    uint8_t shift, is_longer; /* whether the inverse has 17 bits, of which the first is not there */
} tally_mixed_divisor;

/* Neighbouring positions whose sizes multiply to at most 2^16: one digit of the long arithmetic. The
 * quotient of 35 bits behind a rest: the bits from 52 on of x * inverse, shifted. */
typedef struct tally_mixed_run {
    uint64_t inverse;
    uint32_t size;
    uint8_t shift;
    uint8_t top; /* the highest bit of what its positions and those before it can hold */
    uint8_t first, positions;
} tally_mixed_run;

/* What follows from the sizes. Formats have many of them, so it is small. Words that carry the
 * numbers have the least length from 2 on with 256^length >= N, then the least radix from 4 on with
 * radix^length >= N: the rule of tally_fast_range_params for any N. */
typedef struct tally_mixed_plan {
    uint16_t last[TALLY_MIXED_LIMBS]; /* the greatest number, the product of the sizes less 1 */
    uint32_t radix, length, pairs;    /* symbols are worked on two by two */
    uint32_t positions, sizes[TALLY_MIXED_MAX_POSITIONS];
    uint32_t runs;
    tally_mixed_divisor by_size[TALLY_MIXED_MAX_POSITIONS], by_radix;
    tally_mixed_run run[TALLY_MIXED_RUNS], pair; /* of symbols, of which the size is used */
    uint8_t reach[TALLY_MIXED_LIMBS]; /* the highest bit of what the symbols of pairs 0..i can be */
} tally_mixed_plan;

/* The digits of a block: those of a position side by side. */
typedef uint16_t tally_mixed_digits[TALLY_MIXED_MAX_POSITIONS][TALLY_MIXED_ROWS];

typedef struct tally_mixed_lanes {
    tally_backend backend;
    /* The numbers of `rows` rows, 1..TALLY_MIXED_ROWS, become words: symbol s of row i goes to
     * symbols[s * stride + i]. All rows up to TALLY_MIXED_ROWS may be read and written. */
    void (*write)(const tally_mixed_plan *plan, tally_mixed_digits digits, size_t rows,
                  uint8_t *symbols, size_t stride);
    /* The inverse. outside[i] is 1 if word i is no number of the plan, and its digits are 0. */
    void (*read)(const tally_mixed_plan *plan, const uint8_t *symbols, size_t stride, size_t rows,
                 tally_mixed_digits digits, uint8_t outside[TALLY_MIXED_ROWS]);
} tally_mixed_lanes;

/* TALLY_ERROR_ARGUMENT: a field is outside its range, or N is 1. TALLY_ERROR_LENGTH: N is above
 * 2^256. */
tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out);

/* The fastest back end for the CPU features in use. */
const tally_mixed_lanes *tally_mixed_lanes_choose(void);

extern const tally_mixed_lanes tally_mixed_ifma, tally_mixed_avx512, tally_mixed_avx2,
    tally_mixed_portable;

#endif

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

#endif

/* ---- core/base/below.h ---- */
/*
 * A range check on bytes, without a branch on any of them. */
#ifndef TALLY_BASE_BELOW_H
#define TALLY_BASE_BELOW_H

enum { TALLY_BELOW_RUN = 32 /* words of eight bytes: a fixed number is vectorized at -O2 */ };

/* Words in which a byte is at least `limit`, 1..256, have a top bit set. A byte's lower seven bits
 * plus `to_top` set it if they are at least limit, or limit less 128. */
static inline uint64_t tally_below_run(uint32_t limit, uint64_t to_top,
                                       const uint8_t bytes[8 * TALLY_BELOW_RUN])
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t words[TALLY_BELOW_RUN], outside = 0;
    memcpy(words, bytes, sizeof words);
    if (limit <= 128) {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) | words[i];
        }
    } else {
        for (size_t i = 0; i < TALLY_BELOW_RUN; i++) {
            outside |= ((words[i] & low) + to_top) & words[i];
        }
    }
    return outside;
}

/* Returns 1 if every byte is below `limit`, 1..256, else 0. */
static inline int tally_all_below(uint32_t limit, const uint8_t *bytes, size_t size)
{
    enum { BELOW_RUN = 8 * TALLY_BELOW_RUN };
    const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    const uint64_t to_top = ones * (128 - (limit <= 128 ? limit : limit - 128));
    uint64_t outside = 0;
    if (limit == 256) {
        return 1;
    }
    for (; size >= BELOW_RUN; bytes += BELOW_RUN, size -= BELOW_RUN) {
        outside |= tally_below_run(limit, to_top, bytes);
    }
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t x;
        memcpy(&x, bytes, 8);
        uint64_t reaches = (x & ~tops) + to_top;
        outside |= limit <= 128 ? reaches | x : reaches & x;
    }
    outside &= tops;
    for (size_t i = 0; i < size; i++) {
        outside |= (limit - 1 - bytes[i]) >> 31;
    }
    return outside == 0;
}

#endif

/* ---- core/base/unroll.h ---- */
/*
 * Inlined functions and unrolled loops, for vector code. An array lives in registers only if every
 * loop over it is unrolled. GCC unrolls up to a given number of iterations. TALLY_UNROLL is for GCC
 * and Clang alone. */
#ifndef TALLY_BASE_UNROLL_H
#define TALLY_BASE_UNROLL_H

#if defined(__GNUC__)
#define TALLY_INLINE static inline __attribute__((always_inline))
#else
#define TALLY_INLINE static inline
#endif

#define TALLY_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TALLY_UNROLL(most) TALLY_PRAGMA(clang loop unroll(full))
#else
#define TALLY_UNROLL(most) TALLY_PRAGMA(GCC unroll most)
#endif

#endif

enum { MIXED_LIMB_BITS = 16, MIXED_LIMB_MASK = 0xffff };

#define MIXED(name) mixed_portable_##name
#define MIXED_TARGET
#define MIXED_CHAINS 1

#if defined(__GNUC__) && !defined(__FRAMAC__) /* which does not know vectors */
#define MIXED_ROWS 4
typedef uint32_t mixed_portable_vec __attribute__((vector_size(16)));
typedef uint64_t mixed_portable_wide __attribute__((vector_size(32)));
typedef uint16_t mixed_portable_halves __attribute__((vector_size(8)));
typedef mixed_portable_halves mixed_portable_stored;
typedef uint8_t mixed_portable_bytes __attribute__((vector_size(4)));
#define MIXED_CONVERT(type, from) __builtin_convertvector(from, type)
#define MIXED_BELOW(x, y)         ((mixed_portable_vec)((x) < (y)))
#define MIXED_HALF(x)             ((uint16_t)(x))
#else
#define MIXED_ROWS                1
typedef uint32_t mixed_portable_vec;
typedef uint64_t mixed_portable_wide;
typedef uint32_t mixed_portable_halves; /* in 16 bits, products would be signed */
typedef uint16_t mixed_portable_stored;
typedef uint8_t mixed_portable_bytes;
#define MIXED_CONVERT(type, from) ((type)(from))
#define MIXED_BELOW(x, y)         (0 - (uint32_t)((x) < (y)))
#define MIXED_HALF(x)             (x)
#endif
#define MIXED_HIGH(x, y)                                                                           \
    MIXED_CONVERT(mixed_portable_vec, MIXED_CONVERT(mixed_portable_wide, x) * (uint64_t)(y) >> 32)
#define MIXED_HALF_HIGH(x, y)                                                                      \
    MIXED_CONVERT(mixed_portable_halves, MIXED_CONVERT(mixed_portable_vec, x) * (uint32_t)(y) >> 16)

typedef struct mixed_portable_pack {
    mixed_portable_vec of[MIXED_CHAINS];
} mixed_portable_pack;

TALLY_INLINE mixed_portable_halves mixed_portable_load(const uint8_t *from)
{
    mixed_portable_bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return MIXED_CONVERT(mixed_portable_halves, bytes);
}

TALLY_INLINE void mixed_portable_store(uint8_t *to, mixed_portable_halves value)
{
    const mixed_portable_bytes bytes = MIXED_CONVERT(mixed_portable_bytes, value);
    memcpy(to, &bytes, sizeof bytes);
}

TALLY_INLINE mixed_portable_halves mixed_portable_narrow(const mixed_portable_pack *from)
{
    return MIXED_CONVERT(mixed_portable_halves, from->of[0]);
}

TALLY_INLINE mixed_portable_pack mixed_portable_widen(mixed_portable_halves from)
{
    const mixed_portable_pack wide = {{MIXED_CONVERT(mixed_portable_vec, from)}};
    return wide;
}

/* ---- core/numbers/mixed_limbs_body.h ---- */
/*
 * Long arithmetic for one instruction set: numbers in limbs of 16 bits, each in a lane of 32, of
 * rows side by side in the vectors of a pack.
 *
 * The file that includes this defines, beside what mixed_body.h needs, the type MIXED(vec) of lanes
 * of 32 bits; MIXED(pack), MIXED_CHAINS of them, chains of dependent instructions that run side by
 * side; MIXED_HIGH(x, y), the upper half of the product of each lane and a number; and
 * MIXED_BELOW(x, y), all bits where x is below y. */

#define MIXED_LIMB_BITS 16
#define MIXED_EACH(c)   TALLY_UNROLL(4) for (size_t c = 0; c < MIXED_CHAINS; c++)

/* Numbers of some limbs; limb 0 is the least. */
typedef struct MIXED(numbers) {
    MIXED(pack) limb[TALLY_MIXED_LIMBS];
} MIXED(numbers);

/* number * factor + digit, for a factor of at most 2^16 and digits below it. The number has
 * `before` limbs and gets `after`, at most one more. */
TALLY_INLINE MIXED_TARGET void MIXED(append)(MIXED(numbers) * to, uint32_t factor,
                                             MIXED(pack) digit, size_t before, size_t after)
{
    for (size_t k = 0; k < before; k++) {
        MIXED_EACH(c)
        {
            MIXED(vec) sum = to->limb[k].of[c] * factor + digit.of[c]; /* at most 2^32 - 1 */
            to->limb[k].of[c] = sum & 0xffff;
            digit.of[c] = sum >> 16;
        }
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

/* Divides numbers of so many limbs by 2..2^16; returns the rests. By a product, since division
 * takes a time that may depend on the number. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(split)(MIXED(numbers) * from, const tally_mixed_run *run, size_t limbs)
{
    const uint32_t number = run->size,
                   reciprocal = (uint32_t)(run->inverse >> (20 + run->shift)); /* 2^32 / number */
    MIXED(pack) rest;
    MIXED_EACH(c)
    {
        rest.of[c] = from->limb[limbs - 1].of[c] & 0;
    }
    for (size_t k = limbs; k-- > 0;) {
        MIXED_EACH(c)
        {
            MIXED(vec) part = rest.of[c] << 16 | from->limb[k].of[c];
            MIXED(vec) quotient = MIXED_HIGH(part, reciprocal); /* or 1 less */
            MIXED(vec) much = part - quotient * number, less = much - number;
            MIXED(vec) mended = MIXED_BELOW(less, much);
            rest.of[c] = much - (mended & number);
            from->limb[k].of[c] = quotient - mended;
        }
    }
    return rest;
}

/* Finds the numbers of so many limbs beyond the last one, and sets them to 0. */
TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(find_outside)(MIXED(numbers) * held, const tally_mixed_plan *plan, size_t limbs)
{
    MIXED(pack) borrow; /* of last - number */
    MIXED_EACH(c)
    {
        borrow.of[c] = held->limb[0].of[c] & 0;
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            borrow.of[c] = ((uint32_t)plan->last[k] - held->limb[k].of[c] - borrow.of[c]) >> 31;
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            held->limb[k].of[c] &= borrow.of[c] - 1;
        }
    }
    return borrow;
}

#undef MIXED_EACH

/* ---- core/numbers/mixed_body.h ---- */
/*
 * Numbers of mixed radix as words and back, for one instruction set. Rows are side by side: what 16
 * bits hold in lanes of so many, and long numbers in limbs.
 *
 * The file that includes this defines MIXED(name), MIXED_TARGET and MIXED_ROWS, the rows that are
 * worked on together; MIXED(halves), a lane of 16 bits for each, and MIXED(stored), as many digits
 * in memory; MIXED_CONVERT(type, x), lane by lane; MIXED_HALF(x), a number as a lane; and
 * MIXED_HALF_HIGH(x, y), the upper half of the product of each lane and a number; MIXED(load) and
 * MIXED(store) for symbols.
 *
 * Long numbers are MIXED(numbers), of limbs of MIXED_LIMB_BITS, each a MIXED(pack), with
 * MIXED(narrow) and MIXED(widen) from a pack to halves and back, and MIXED(append), MIXED(split) and
 * MIXED(find_outside) as in mixed_limbs_body.h. */

TALLY_INLINE MIXED_TARGET MIXED(halves) MIXED(load_digits)(const uint16_t *from)
{
    MIXED(stored) digits;
    memcpy(&digits, from, sizeof digits);
    return MIXED_CONVERT(MIXED(halves), digits);
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digits)(uint16_t *to, MIXED(halves) value)
{
    const MIXED(stored) digits = MIXED_CONVERT(MIXED(stored), value);
    memcpy(to, &digits, sizeof digits);
}

/* The limbs up to a bit. */
TALLY_INLINE size_t MIXED(limbs)(uint32_t top)
{
    return top / MIXED_LIMB_BITS + 1;
}

/* Divides; returns the rest. */
TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(split_half)(MIXED(halves) * from, const tally_mixed_divisor *divisor, uint32_t number)
{
    MIXED(halves) whole = *from, quotient = MIXED_HALF_HIGH(whole, divisor->inverse);
    if (number == 1) {
        return whole - whole;
    }
    if (divisor->is_longer) {
        quotient += (whole - quotient) >> 1;
    }
    quotient >>= divisor->shift;
    *from = quotient;
    return whole - quotient * MIXED_HALF(number);
}

/* The digits of a run become one. */
TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(halves) joined = MIXED(load_digits)(digits[run->first] + row);
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        joined = joined * MIXED_HALF(plan->sizes[p]) + MIXED(load_digits)(digits[p] + row);
    }
    return joined;
}

/* The inverse. */
TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(halves) joined, tally_mixed_digits digits,
                                           size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(store_digits)
        (digits[p] + row, MIXED(split_half)(&joined, &plan->by_size[p], plan->sizes[p]));
    }
    MIXED(store_digits)(digits[run->first] + row, joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    const size_t limbs = MIXED(limbs)(plan->run[plan->runs - 1].top);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        held.limb[0] = MIXED(widen)(MIXED(join)(plan, &plan->run[0], digits, row));
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(widen)(MIXED(join)(plan, run, digits, row)),
             MIXED(limbs)(run[-1].top), MIXED(limbs)(run->top));
        }
        size_t s = plan->length, left = limbs;
        for (size_t i = plan->pairs - 1; s > 2; s -= 2, i--) {
            MIXED(pack) rest = MIXED(split)(&held, &plan->pair, left);
            left = MIXED(limbs)(plan->reach[i - 1]);
            MIXED(halves) pair = MIXED(narrow)(&rest);
            MIXED(store)
            (symbols + (s - 1) * stride + row, MIXED(split_half)(&pair, &plan->by_radix, radix));
            MIXED(store)(symbols + (s - 2) * stride + row, pair);
        }
        MIXED(halves) first = MIXED(narrow)(&held.limb[0]);
        if (s == 2) {
            MIXED(store)
            (symbols + stride + row, MIXED(split_half)(&first, &plan->by_radix, radix));
        }
        MIXED(store)(symbols + row, first);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const size_t limbs = MIXED(limbs)(plan->reach[plan->pairs - 1]);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        for (size_t i = 0, s = 0; i < plan->pairs; i++) {
            MIXED(halves) pair = MIXED(load)(symbols + s++ * stride + row);
            if (i != 0 || plan->length % 2 == 0) {
                pair = pair * MIXED_HALF(plan->radix) + MIXED(load)(symbols + s++ * stride + row);
            }
            if (i == 0) {
                held.limb[0] = MIXED(widen)(pair);
                continue;
            }
            MIXED(append)
            (&held, plan->pair.size, MIXED(widen)(pair), MIXED(limbs)(plan->reach[i - 1]),
             MIXED(limbs)(plan->reach[i]));
        }
        MIXED(pack) beyond = MIXED(find_outside)(&held, plan, limbs);
        MIXED(store)(outside + row, MIXED(narrow)(&beyond));
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(pack) rest = MIXED(split)(&held, run, MIXED(limbs)(run->top));
            MIXED(part)(plan, run, MIXED(narrow)(&rest), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], MIXED(narrow)(&held.limb[0]), digits, row);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_CHAINS
#undef MIXED_HIGH
#undef MIXED_HALF_HIGH
#undef MIXED_BELOW
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_LIMB_BITS

const tally_mixed_lanes tally_mixed_portable = {
    {"portable", 0}, mixed_portable_write, mixed_portable_read};

/* The fastest first. */
static const tally_backend *const mixed_backends[] = {
#if defined(TALLY_ARCH_X86_64)
    &tally_mixed_ifma.backend,
    &tally_mixed_avx512.backend,
    &tally_mixed_avx2.backend,
#endif
    &tally_mixed_portable.backend,
};

const tally_mixed_lanes *tally_mixed_lanes_choose(void)
{
    return (const tally_mixed_lanes *)tally_dispatch(mixed_backends, sizeof mixed_backends /
                                                                         sizeof *mixed_backends);
}

/* The highest bit of a number, and 0 of zero. */
static uint8_t mixed_top(const uint32_t number[TALLY_MIXED_LIMBS])
{
    uint32_t limb = TALLY_MIXED_LIMBS - 1, bit = MIXED_LIMB_BITS - 1;
    while (limb > 0 && number[limb] == 0) {
        limb--;
    }
    while (bit > 0 && number[limb] >> bit == 0) {
        bit--;
    }
    return (uint8_t)(limb * MIXED_LIMB_BITS + bit);
}

/* number * size + size - 1; returns what does not fit. */
static uint32_t mixed_grow(uint32_t number[TALLY_MIXED_LIMBS], uint32_t size)
{
    uint32_t carry = size - 1;
    for (size_t k = 0; k < TALLY_MIXED_LIMBS; k++) {
        uint32_t sum = number[k] * size + carry;
        number[k] = sum & MIXED_LIMB_MASK;
        carry = sum >> MIXED_LIMB_BITS;
    }
    return carry;
}

/* Whether words of that radix and length reach `last`, of so many limbs. */
static int mixed_reaches(const uint32_t *last, size_t limbs, uint32_t radix, uint32_t length)
{
    uint32_t word[TALLY_MIXED_LIMBS] = {0}; /* the greatest */
    size_t used = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t carry = radix - 1;
        for (size_t k = 0; k < used; k++) {
            const uint32_t sum = word[k] * radix + carry;
            word[k] = sum & MIXED_LIMB_MASK;
            carry = sum >> MIXED_LIMB_BITS;
        }
        if (carry != 0 && used == limbs) {
            return 1;
        }
        if (carry != 0) {
            word[used++] = carry;
        }
    }
    for (size_t k = limbs; k-- > 0;) {
        if (word[k] != last[k]) {
            return word[k] > last[k];
        }
    }
    return 1;
}

/* How to divide numbers below 2^16 by 2..2^16, exactly. */
static tally_mixed_divisor mixed_divisor(uint32_t number)
{
    uint32_t shift = 0; /* 2^shift < number <= 2^(shift + 1) */
    while (number > UINT32_C(2) << shift) {
        shift++;
    }
    const uint64_t power = UINT64_C(0x10000) << shift, inverse = (power + number - 1) / number;
    if ((inverse * number - power) * MIXED_LIMB_MASK < power) {
        return (tally_mixed_divisor){.inverse = (uint16_t)inverse, .shift = (uint8_t)shift};
    }
    return (tally_mixed_divisor){
        .inverse = (uint16_t)(2 * power / number + 1), .shift = (uint8_t)shift, .is_longer = 1};
}

/* Notes a run's size of 2..2^16, and how to divide by it. */
static void mixed_set_size(tally_mixed_run *run, uint32_t size)
{
    run->size = size;
    while (size > UINT32_C(2) << run->shift) {
        run->shift++;
    }
    /* 2^(52 + shift) / size, rounded up. */
    const uint64_t power = UINT64_C(1) << 52, rest = (power % size) << run->shift;
    run->inverse = (power / size << run->shift) + (rest + size - 1) / size;
}

/* Makes runs of as many positions as 2^16 holds. */
static void mixed_make_runs(tally_mixed_plan *plan)
{
    uint32_t number[TALLY_MIXED_LIMBS] = {0};
    for (uint32_t p = 0; p < plan->positions;) {
        tally_mixed_run *run = &plan->run[plan->runs++];
        uint32_t size = 1;
        run->first = (uint8_t)p;
        for (; p < plan->positions && (uint64_t)size * plan->sizes[p] <= TALLY_MIXED_MAX_SIZE;
             p++) {
            size *= plan->sizes[p];
        }
        run->positions = (uint8_t)(p - run->first);
        mixed_set_size(run, size);
        (void)mixed_grow(number, size);
        run->top = mixed_top(number);
    }
}

/* Notes how long numbers become as symbols are appended. */
static void mixed_measure(tally_mixed_plan *plan)
{
    uint32_t word[TALLY_MIXED_LIMBS] = {0};
    for (uint32_t i = 0; i < plan->pairs; i++) {
        const int single = i == 0 && plan->length % 2 != 0;
        (void)mixed_grow(word, single ? plan->radix : plan->radix * plan->radix);
        plan->reach[i] = mixed_top(word);
    }
}

tally_status tally_mixed_make_plan(const tally_mixed *mixed, tally_mixed_plan *out)
{
    uint32_t last[TALLY_MIXED_LIMBS] = {0}, wide = 0; /* whether there are two numbers at all */
    memset(out, 0, sizeof *out);
    if (mixed->positions < 1 || mixed->positions > TALLY_MIXED_MAX_POSITIONS) {
        return TALLY_ERROR_ARGUMENT;
    }
    for (size_t p = 0; p < mixed->positions; p++) {
        if (mixed->sizes[p] < 1 || mixed->sizes[p] > TALLY_MIXED_MAX_SIZE) {
            return TALLY_ERROR_ARGUMENT;
        }
        out->sizes[p] = mixed->sizes[p];
        wide |= mixed->sizes[p] - 1;
        if (mixed_grow(last, mixed->sizes[p]) != 0) {
            return TALLY_ERROR_LENGTH;
        }
    }
    if (wide == 0) {
        return TALLY_ERROR_ARGUMENT;
    }
    out->positions = mixed->positions;
    const uint32_t top = mixed_top(last);
    const size_t limbs = top / MIXED_LIMB_BITS + 1;
    out->length = top < 16 ? 2 : top / 8 + 1; /* as few as 256 reaches it with */
    uint32_t below = 3;
    out->radix = 256; /* reaches, and `below` does not count as one that does */
    while (out->radix - below > 1) {
        uint32_t middle = (below + out->radix) / 2;
        if (mixed_reaches(last, limbs, middle, out->length)) {
            out->radix = middle;
        } else {
            below = middle;
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        out->last[k] = (uint16_t)last[k];
    }
    out->pairs = (out->length + 1) / 2;
    out->by_radix = mixed_divisor(out->radix);
    mixed_set_size(&out->pair, out->radix * out->radix);
    for (size_t p = 0; p < out->positions; p++) {
        out->by_size[p] = p > 0 && out->sizes[p] == out->sizes[p - 1]
                              ? out->by_size[p - 1]
                              : mixed_divisor(out->sizes[p]);
    }
    mixed_make_runs(out);
    mixed_measure(out);
    return TALLY_OK;
}

/* ---- core/numbers/mixed_avx2.c ---- */
/*
 * Numbers of mixed radix with AVX2. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define MIXED(name)      mixed_avx2_##name
#define MIXED_TARGET     __attribute__((target("avx2")))
#define MIXED_ROWS       16
#define MIXED_CHAINS     2
#define MIXED_HIGH(x, y) ((mixed_avx2_vec)mixed_avx2_high((__m256i)(x), y))
#define MIXED_HALF_HIGH(x, y)                                                                      \
    ((mixed_avx2_halves)_mm256_mulhi_epu16((__m256i)(x), _mm256_set1_epi16((int16_t)(y))))
#define MIXED_BELOW(x, y)         ((mixed_avx2_vec)((x) < (y)))
#define MIXED_CONVERT(type, from) (from)
#define MIXED_HALF(x)             ((uint16_t)(x))

typedef uint16_t mixed_avx2_halves __attribute__((vector_size(32)));
typedef mixed_avx2_halves mixed_avx2_stored;
typedef uint32_t mixed_avx2_vec __attribute__((vector_size(32)));
typedef struct mixed_avx2_pack {
    mixed_avx2_vec of[MIXED_CHAINS];
} mixed_avx2_pack;

TALLY_INLINE MIXED_TARGET mixed_avx2_halves mixed_avx2_load(const uint8_t *from)
{
    return (mixed_avx2_halves)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)from));
}

TALLY_INLINE MIXED_TARGET void mixed_avx2_store(uint8_t *to, mixed_avx2_halves value)
{
    const __m256i bytes = _mm256_packus_epi16((__m256i)value, (__m256i)value);
    _mm_storeu_si128((__m128i_u *)to, _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, 8)));
}

TALLY_INLINE MIXED_TARGET mixed_avx2_halves mixed_avx2_narrow(const mixed_avx2_pack *from)
{
    const __m256i packed = _mm256_packus_epi32((__m256i)from->of[0], (__m256i)from->of[1]);
    return (mixed_avx2_halves)_mm256_permute4x64_epi64(packed, 0xd8);
}

TALLY_INLINE MIXED_TARGET mixed_avx2_pack mixed_avx2_widen(mixed_avx2_halves from)
{
    const __m128i low = _mm256_castsi256_si128((__m256i)from),
                  high = _mm256_extracti128_si256((__m256i)from, 1);
    const mixed_avx2_pack wide = {
        {(mixed_avx2_vec)_mm256_cvtepu16_epi32(low), (mixed_avx2_vec)_mm256_cvtepu16_epi32(high)}};
    return wide;
}

TALLY_INLINE MIXED_TARGET __m256i mixed_avx2_high(__m256i x, uint32_t y)
{
    const __m256i by = _mm256_set1_epi64x((int64_t)y);
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, by), 32),
                  odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), by);
    return _mm256_blend_epi32(even, odd, 0xaa);
}

/* ---- core/numbers/mixed_limbs_body.h, again ---- */

#define MIXED_LIMB_BITS 16
#define MIXED_EACH(c)   TALLY_UNROLL(4) for (size_t c = 0; c < MIXED_CHAINS; c++)

typedef struct MIXED(numbers) {
    MIXED(pack) limb[TALLY_MIXED_LIMBS];
} MIXED(numbers);

TALLY_INLINE MIXED_TARGET void MIXED(append)(MIXED(numbers) * to, uint32_t factor,
                                             MIXED(pack) digit, size_t before, size_t after)
{
    for (size_t k = 0; k < before; k++) {
        MIXED_EACH(c)
        {
            MIXED(vec) sum = to->limb[k].of[c] * factor + digit.of[c];
            to->limb[k].of[c] = sum & 0xffff;
            digit.of[c] = sum >> 16;
        }
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(split)(MIXED(numbers) * from, const tally_mixed_run *run, size_t limbs)
{
    const uint32_t number = run->size,
                   reciprocal = (uint32_t)(run->inverse >> (20 + run->shift));
    MIXED(pack) rest;
    MIXED_EACH(c)
    {
        rest.of[c] = from->limb[limbs - 1].of[c] & 0;
    }
    for (size_t k = limbs; k-- > 0;) {
        MIXED_EACH(c)
        {
            MIXED(vec) part = rest.of[c] << 16 | from->limb[k].of[c];
            MIXED(vec) quotient = MIXED_HIGH(part, reciprocal);
            MIXED(vec) much = part - quotient * number, less = much - number;
            MIXED(vec) mended = MIXED_BELOW(less, much);
            rest.of[c] = much - (mended & number);
            from->limb[k].of[c] = quotient - mended;
        }
    }
    return rest;
}

TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(find_outside)(MIXED(numbers) * held, const tally_mixed_plan *plan, size_t limbs)
{
    MIXED(pack) borrow;
    MIXED_EACH(c)
    {
        borrow.of[c] = held->limb[0].of[c] & 0;
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            borrow.of[c] = ((uint32_t)plan->last[k] - held->limb[k].of[c] - borrow.of[c]) >> 31;
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            held->limb[k].of[c] &= borrow.of[c] - 1;
        }
    }
    return borrow;
}

#undef MIXED_EACH

/* ---- core/numbers/mixed_body.h, again ---- */

TALLY_INLINE MIXED_TARGET MIXED(halves) MIXED(load_digits)(const uint16_t *from)
{
    MIXED(stored) digits;
    memcpy(&digits, from, sizeof digits);
    return MIXED_CONVERT(MIXED(halves), digits);
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digits)(uint16_t *to, MIXED(halves) value)
{
    const MIXED(stored) digits = MIXED_CONVERT(MIXED(stored), value);
    memcpy(to, &digits, sizeof digits);
}

TALLY_INLINE size_t MIXED(limbs)(uint32_t top)
{
    return top / MIXED_LIMB_BITS + 1;
}

TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(split_half)(MIXED(halves) * from, const tally_mixed_divisor *divisor, uint32_t number)
{
    MIXED(halves) whole = *from, quotient = MIXED_HALF_HIGH(whole, divisor->inverse);
    if (number == 1) {
        return whole - whole;
    }
    if (divisor->is_longer) {
        quotient += (whole - quotient) >> 1;
    }
    quotient >>= divisor->shift;
    *from = quotient;
    return whole - quotient * MIXED_HALF(number);
}

TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(halves) joined = MIXED(load_digits)(digits[run->first] + row);
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        joined = joined * MIXED_HALF(plan->sizes[p]) + MIXED(load_digits)(digits[p] + row);
    }
    return joined;
}

TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(halves) joined, tally_mixed_digits digits,
                                           size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(store_digits)
        (digits[p] + row, MIXED(split_half)(&joined, &plan->by_size[p], plan->sizes[p]));
    }
    MIXED(store_digits)(digits[run->first] + row, joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    const size_t limbs = MIXED(limbs)(plan->run[plan->runs - 1].top);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        held.limb[0] = MIXED(widen)(MIXED(join)(plan, &plan->run[0], digits, row));
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(widen)(MIXED(join)(plan, run, digits, row)),
             MIXED(limbs)(run[-1].top), MIXED(limbs)(run->top));
        }
        size_t s = plan->length, left = limbs;
        for (size_t i = plan->pairs - 1; s > 2; s -= 2, i--) {
            MIXED(pack) rest = MIXED(split)(&held, &plan->pair, left);
            left = MIXED(limbs)(plan->reach[i - 1]);
            MIXED(halves) pair = MIXED(narrow)(&rest);
            MIXED(store)
            (symbols + (s - 1) * stride + row, MIXED(split_half)(&pair, &plan->by_radix, radix));
            MIXED(store)(symbols + (s - 2) * stride + row, pair);
        }
        MIXED(halves) first = MIXED(narrow)(&held.limb[0]);
        if (s == 2) {
            MIXED(store)
            (symbols + stride + row, MIXED(split_half)(&first, &plan->by_radix, radix));
        }
        MIXED(store)(symbols + row, first);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const size_t limbs = MIXED(limbs)(plan->reach[plan->pairs - 1]);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        for (size_t i = 0, s = 0; i < plan->pairs; i++) {
            MIXED(halves) pair = MIXED(load)(symbols + s++ * stride + row);
            if (i != 0 || plan->length % 2 == 0) {
                pair = pair * MIXED_HALF(plan->radix) + MIXED(load)(symbols + s++ * stride + row);
            }
            if (i == 0) {
                held.limb[0] = MIXED(widen)(pair);
                continue;
            }
            MIXED(append)
            (&held, plan->pair.size, MIXED(widen)(pair), MIXED(limbs)(plan->reach[i - 1]),
             MIXED(limbs)(plan->reach[i]));
        }
        MIXED(pack) beyond = MIXED(find_outside)(&held, plan, limbs);
        MIXED(store)(outside + row, MIXED(narrow)(&beyond));
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(pack) rest = MIXED(split)(&held, run, MIXED(limbs)(run->top));
            MIXED(part)(plan, run, MIXED(narrow)(&rest), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], MIXED(narrow)(&held.limb[0]), digits, row);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_CHAINS
#undef MIXED_HIGH
#undef MIXED_HALF_HIGH
#undef MIXED_BELOW
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_LIMB_BITS

const tally_mixed_lanes tally_mixed_avx2 = {
    {"avx2", TALLY_CPU_AVX2}, mixed_avx2_write, mixed_avx2_read};

#else
typedef int tally_mixed_avx2_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/numbers/mixed_avx512.c ---- */
/*
 * Numbers of mixed radix with AVX-512. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define MIXED(name)      mixed_avx512_##name
#define MIXED_TARGET     __attribute__((target("avx512f,avx512bw,avx512vl")))
#define MIXED_ROWS       32
#define MIXED_CHAINS     2
#define MIXED_HIGH(x, y) ((mixed_avx512_vec)mixed_avx512_high((__m512i)(x), y))
#define MIXED_HALF_HIGH(x, y)                                                                      \
    ((mixed_avx512_halves)_mm512_mulhi_epu16((__m512i)(x), _mm512_set1_epi16((int16_t)(y))))
#define MIXED_BELOW(x, y)         ((mixed_avx512_vec)((x) < (y)))
#define MIXED_CONVERT(type, from) (from)
#define MIXED_HALF(x)             ((uint16_t)(x))

typedef uint16_t mixed_avx512_halves __attribute__((vector_size(64)));
typedef mixed_avx512_halves mixed_avx512_stored;
typedef uint32_t mixed_avx512_vec __attribute__((vector_size(64)));
typedef struct mixed_avx512_pack {
    mixed_avx512_vec of[MIXED_CHAINS];
} mixed_avx512_pack;

TALLY_INLINE MIXED_TARGET mixed_avx512_halves mixed_avx512_load(const uint8_t *from)
{
    return (mixed_avx512_halves)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i_u *)from));
}

TALLY_INLINE MIXED_TARGET void mixed_avx512_store(uint8_t *to, mixed_avx512_halves value)
{
    _mm256_storeu_si256((__m256i_u *)to, _mm512_cvtepi16_epi8((__m512i)value));
}

TALLY_INLINE MIXED_TARGET mixed_avx512_halves mixed_avx512_narrow(const mixed_avx512_pack *from)
{
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    const __m512i packed = _mm512_packus_epi32((__m512i)from->of[0], (__m512i)from->of[1]);
    return (mixed_avx512_halves)_mm512_permutexvar_epi64(order, packed);
}

TALLY_INLINE MIXED_TARGET mixed_avx512_pack mixed_avx512_widen(mixed_avx512_halves from)
{
    const __m256i low = _mm512_castsi512_si256((__m512i)from),
                  high = _mm512_extracti64x4_epi64((__m512i)from, 1);
    const mixed_avx512_pack wide = {{(mixed_avx512_vec)_mm512_cvtepu16_epi32(low),
                                     (mixed_avx512_vec)_mm512_cvtepu16_epi32(high)}};
    return wide;
}

TALLY_INLINE MIXED_TARGET __m512i mixed_avx512_high(__m512i x, uint32_t y)
{
    const __m512i by = _mm512_set1_epi64((int64_t)y);
    const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(x, by), 32),
                  odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), by);
    return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}

/* ---- core/numbers/mixed_limbs_body.h, again ---- */

#define MIXED_LIMB_BITS 16
#define MIXED_EACH(c)   TALLY_UNROLL(4) for (size_t c = 0; c < MIXED_CHAINS; c++)

typedef struct MIXED(numbers) {
    MIXED(pack) limb[TALLY_MIXED_LIMBS];
} MIXED(numbers);

TALLY_INLINE MIXED_TARGET void MIXED(append)(MIXED(numbers) * to, uint32_t factor,
                                             MIXED(pack) digit, size_t before, size_t after)
{
    for (size_t k = 0; k < before; k++) {
        MIXED_EACH(c)
        {
            MIXED(vec) sum = to->limb[k].of[c] * factor + digit.of[c];
            to->limb[k].of[c] = sum & 0xffff;
            digit.of[c] = sum >> 16;
        }
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(split)(MIXED(numbers) * from, const tally_mixed_run *run, size_t limbs)
{
    const uint32_t number = run->size,
                   reciprocal = (uint32_t)(run->inverse >> (20 + run->shift));
    MIXED(pack) rest;
    MIXED_EACH(c)
    {
        rest.of[c] = from->limb[limbs - 1].of[c] & 0;
    }
    for (size_t k = limbs; k-- > 0;) {
        MIXED_EACH(c)
        {
            MIXED(vec) part = rest.of[c] << 16 | from->limb[k].of[c];
            MIXED(vec) quotient = MIXED_HIGH(part, reciprocal);
            MIXED(vec) much = part - quotient * number, less = much - number;
            MIXED(vec) mended = MIXED_BELOW(less, much);
            rest.of[c] = much - (mended & number);
            from->limb[k].of[c] = quotient - mended;
        }
    }
    return rest;
}

TALLY_INLINE MIXED_TARGET MIXED(pack)
    MIXED(find_outside)(MIXED(numbers) * held, const tally_mixed_plan *plan, size_t limbs)
{
    MIXED(pack) borrow;
    MIXED_EACH(c)
    {
        borrow.of[c] = held->limb[0].of[c] & 0;
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            borrow.of[c] = ((uint32_t)plan->last[k] - held->limb[k].of[c] - borrow.of[c]) >> 31;
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            held->limb[k].of[c] &= borrow.of[c] - 1;
        }
    }
    return borrow;
}

#undef MIXED_EACH

/* ---- core/numbers/mixed_body.h, again ---- */

TALLY_INLINE MIXED_TARGET MIXED(halves) MIXED(load_digits)(const uint16_t *from)
{
    MIXED(stored) digits;
    memcpy(&digits, from, sizeof digits);
    return MIXED_CONVERT(MIXED(halves), digits);
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digits)(uint16_t *to, MIXED(halves) value)
{
    const MIXED(stored) digits = MIXED_CONVERT(MIXED(stored), value);
    memcpy(to, &digits, sizeof digits);
}

TALLY_INLINE size_t MIXED(limbs)(uint32_t top)
{
    return top / MIXED_LIMB_BITS + 1;
}

TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(split_half)(MIXED(halves) * from, const tally_mixed_divisor *divisor, uint32_t number)
{
    MIXED(halves) whole = *from, quotient = MIXED_HALF_HIGH(whole, divisor->inverse);
    if (number == 1) {
        return whole - whole;
    }
    if (divisor->is_longer) {
        quotient += (whole - quotient) >> 1;
    }
    quotient >>= divisor->shift;
    *from = quotient;
    return whole - quotient * MIXED_HALF(number);
}

TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(halves) joined = MIXED(load_digits)(digits[run->first] + row);
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        joined = joined * MIXED_HALF(plan->sizes[p]) + MIXED(load_digits)(digits[p] + row);
    }
    return joined;
}

TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(halves) joined, tally_mixed_digits digits,
                                           size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(store_digits)
        (digits[p] + row, MIXED(split_half)(&joined, &plan->by_size[p], plan->sizes[p]));
    }
    MIXED(store_digits)(digits[run->first] + row, joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    const size_t limbs = MIXED(limbs)(plan->run[plan->runs - 1].top);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        held.limb[0] = MIXED(widen)(MIXED(join)(plan, &plan->run[0], digits, row));
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(widen)(MIXED(join)(plan, run, digits, row)),
             MIXED(limbs)(run[-1].top), MIXED(limbs)(run->top));
        }
        size_t s = plan->length, left = limbs;
        for (size_t i = plan->pairs - 1; s > 2; s -= 2, i--) {
            MIXED(pack) rest = MIXED(split)(&held, &plan->pair, left);
            left = MIXED(limbs)(plan->reach[i - 1]);
            MIXED(halves) pair = MIXED(narrow)(&rest);
            MIXED(store)
            (symbols + (s - 1) * stride + row, MIXED(split_half)(&pair, &plan->by_radix, radix));
            MIXED(store)(symbols + (s - 2) * stride + row, pair);
        }
        MIXED(halves) first = MIXED(narrow)(&held.limb[0]);
        if (s == 2) {
            MIXED(store)
            (symbols + stride + row, MIXED(split_half)(&first, &plan->by_radix, radix));
        }
        MIXED(store)(symbols + row, first);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const size_t limbs = MIXED(limbs)(plan->reach[plan->pairs - 1]);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        for (size_t i = 0, s = 0; i < plan->pairs; i++) {
            MIXED(halves) pair = MIXED(load)(symbols + s++ * stride + row);
            if (i != 0 || plan->length % 2 == 0) {
                pair = pair * MIXED_HALF(plan->radix) + MIXED(load)(symbols + s++ * stride + row);
            }
            if (i == 0) {
                held.limb[0] = MIXED(widen)(pair);
                continue;
            }
            MIXED(append)
            (&held, plan->pair.size, MIXED(widen)(pair), MIXED(limbs)(plan->reach[i - 1]),
             MIXED(limbs)(plan->reach[i]));
        }
        MIXED(pack) beyond = MIXED(find_outside)(&held, plan, limbs);
        MIXED(store)(outside + row, MIXED(narrow)(&beyond));
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(pack) rest = MIXED(split)(&held, run, MIXED(limbs)(run->top));
            MIXED(part)(plan, run, MIXED(narrow)(&rest), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], MIXED(narrow)(&held.limb[0]), digits, row);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_CHAINS
#undef MIXED_HIGH
#undef MIXED_HALF_HIGH
#undef MIXED_BELOW
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_LIMB_BITS

const tally_mixed_lanes tally_mixed_avx512 = {
    {"avx512", TALLY_CPU_AVX512}, mixed_avx512_write, mixed_avx512_read};

#else
typedef int tally_mixed_avx512_is_for_x86_64; /* a file may not be empty */
#endif

/* ---- core/numbers/mixed_ifma.c ---- */
/*
 * Numbers of mixed radix with AVX-512 IFMA, whose products have 104 bits: limbs of 35 bits, each in
 * a lane of 64. */

#if defined(TALLY_ARCH_X86_64)

TALLY_VISIBILITY_DEFAULT
#include <immintrin.h>
TALLY_VISIBILITY_POP
TALLY_VISIBILITY_DEFAULT
#include <string.h>
TALLY_VISIBILITY_POP

#define MIXED(name)     mixed_ifma_##name
#define MIXED_TARGET    __attribute__((target("avx512f,avx512bw,avx512vl,avx512ifma")))
#define MIXED_ROWS      32
#define MIXED_LIMB_BITS TALLY_MIXED_WIDE
#define MIXED_HALF_HIGH(x, y)                                                                      \
    ((mixed_ifma_halves)_mm512_mulhi_epu16((__m512i)(x), _mm512_set1_epi16((int16_t)(y))))
#define MIXED_CONVERT(type, from) (from)
#define MIXED_HALF(x)             ((uint16_t)(x))
#define MIXED_EACH(c)             TALLY_UNROLL(4) for (size_t c = 0; c < 4; c++)

typedef uint16_t mixed_ifma_halves __attribute__((vector_size(64)));
typedef mixed_ifma_halves mixed_ifma_stored;

/* Vector c has rows c, 4 + c, 8 + c, .., so that halves become packs by shifts alone. */
typedef struct mixed_ifma_pack {
    __m512i of[4];
} mixed_ifma_pack;

typedef struct mixed_ifma_numbers {
    mixed_ifma_pack limb[256 / TALLY_MIXED_WIDE + 1];
} mixed_ifma_numbers;

TALLY_INLINE MIXED_TARGET mixed_ifma_halves mixed_ifma_load(const uint8_t *from)
{
    return (mixed_ifma_halves)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i_u *)from));
}

TALLY_INLINE MIXED_TARGET void mixed_ifma_store(uint8_t *to, mixed_ifma_halves value)
{
    _mm256_storeu_si256((__m256i_u *)to, _mm512_cvtepi16_epi8((__m512i)value));
}

TALLY_INLINE MIXED_TARGET mixed_ifma_halves mixed_ifma_narrow(const mixed_ifma_pack *from)
{
    const __m512i low = _mm512_or_si512(from->of[0], _mm512_slli_epi64(from->of[1], 16)),
                  high = _mm512_or_si512(_mm512_slli_epi64(from->of[2], 32),
                                         _mm512_slli_epi64(from->of[3], 48));
    return (mixed_ifma_halves)_mm512_or_si512(low, high);
}

TALLY_INLINE MIXED_TARGET mixed_ifma_pack mixed_ifma_widen(mixed_ifma_halves from)
{
    const __m512i all = (__m512i)from, mask = _mm512_set1_epi64(0xffff);
    const mixed_ifma_pack wide = {
        {_mm512_and_si512(all, mask), _mm512_and_si512(_mm512_srli_epi64(all, 16), mask),
         _mm512_and_si512(_mm512_srli_epi64(all, 32), mask), _mm512_srli_epi64(all, 48)}};
    return wide;
}

/* As in mixed_limbs_body.h. */
TALLY_INLINE MIXED_TARGET void mixed_ifma_append(mixed_ifma_numbers *to, uint32_t factor,
                                                 mixed_ifma_pack digit, size_t before, size_t after)
{
    const __m512i by = _mm512_set1_epi64(factor),
                  mask = _mm512_set1_epi64((INT64_C(1) << TALLY_MIXED_WIDE) - 1);
    for (size_t k = 0; k < before; k++) {
        MIXED_EACH(c)
        {
            const __m512i sum = _mm512_madd52lo_epu64(digit.of[c], to->limb[k].of[c], by);
            to->limb[k].of[c] = _mm512_and_si512(sum, mask);
            digit.of[c] = _mm512_srli_epi64(sum, TALLY_MIXED_WIDE);
        }
    }
    if (after > before) {
        to->limb[before] = digit;
    }
}

/* A divisor in each lane. */
typedef struct mixed_ifma_divisor {
    __m512i number, inverse, shift;
} mixed_ifma_divisor;

/* Divides one limb behind a rest; returns the next rest. */
TALLY_INLINE MIXED_TARGET __m512i mixed_ifma_divide(__m512i *limb, __m512i rest,
                                                    const mixed_ifma_divisor *by)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i part = _mm512_or_si512(_mm512_slli_epi64(rest, TALLY_MIXED_WIDE), *limb);
    *limb = _mm512_srlv_epi64(_mm512_madd52hi_epu64(zero, part, by->inverse), by->shift);
    return _mm512_sub_epi64(part, _mm512_madd52lo_epu64(zero, *limb, by->number));
}

TALLY_INLINE MIXED_TARGET mixed_ifma_pack mixed_ifma_split(mixed_ifma_numbers *from,
                                                           const tally_mixed_run *run, size_t limbs)
{
    const mixed_ifma_divisor by = {_mm512_set1_epi64(run->size),
                                   _mm512_set1_epi64((int64_t)run->inverse),
                                   _mm512_set1_epi64(run->shift)};
    const __m512i zero = _mm512_setzero_si512();
    mixed_ifma_pack rest = {{zero, zero, zero, zero}};
    for (mixed_ifma_pack *limb = from->limb + limbs; limb-- > from->limb;) {
        rest.of[0] = mixed_ifma_divide(&limb->of[0], rest.of[0], &by);
        rest.of[1] = mixed_ifma_divide(&limb->of[1], rest.of[1], &by);
        rest.of[2] = mixed_ifma_divide(&limb->of[2], rest.of[2], &by);
        rest.of[3] = mixed_ifma_divide(&limb->of[3], rest.of[3], &by);
    }
    return rest;
}

/* A wide limb of the greatest number. */
TALLY_INLINE uint64_t mixed_ifma_last(const tally_mixed_plan *plan, size_t limb)
{
    const size_t first = limb * TALLY_MIXED_WIDE / 16;
    uint64_t bits = 0;
    for (size_t k = first; k < first + 4 && k < TALLY_MIXED_LIMBS; k++) {
        bits |= (uint64_t)plan->last[k] << 16 * (k - first);
    }
    return bits >> limb * TALLY_MIXED_WIDE % 16 & ((UINT64_C(1) << TALLY_MIXED_WIDE) - 1);
}

TALLY_INLINE MIXED_TARGET mixed_ifma_pack mixed_ifma_find_outside(mixed_ifma_numbers *held,
                                                                  const tally_mixed_plan *plan,
                                                                  size_t limbs)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    mixed_ifma_pack borrow = {{zero, zero, zero, zero}}; /* of last - number */
    for (size_t k = 0; k < limbs; k++) {
        const __m512i last = _mm512_set1_epi64((int64_t)mixed_ifma_last(plan, k));
        MIXED_EACH(c)
        {
            const __m512i left = _mm512_sub_epi64(last, held->limb[k].of[c]);
            borrow.of[c] = _mm512_srli_epi64(_mm512_sub_epi64(left, borrow.of[c]), 63);
        }
    }
    for (size_t k = 0; k < limbs; k++) {
        MIXED_EACH(c)
        {
            const __m512i mask = _mm512_sub_epi64(borrow.of[c], one);
            held->limb[k].of[c] = _mm512_and_si512(held->limb[k].of[c], mask);
        }
    }
    return borrow;
}

/* ---- core/numbers/mixed_body.h, again ---- */

TALLY_INLINE MIXED_TARGET MIXED(halves) MIXED(load_digits)(const uint16_t *from)
{
    MIXED(stored) digits;
    memcpy(&digits, from, sizeof digits);
    return MIXED_CONVERT(MIXED(halves), digits);
}

TALLY_INLINE MIXED_TARGET void MIXED(store_digits)(uint16_t *to, MIXED(halves) value)
{
    const MIXED(stored) digits = MIXED_CONVERT(MIXED(stored), value);
    memcpy(to, &digits, sizeof digits);
}

TALLY_INLINE size_t MIXED(limbs)(uint32_t top)
{
    return top / MIXED_LIMB_BITS + 1;
}

TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(split_half)(MIXED(halves) * from, const tally_mixed_divisor *divisor, uint32_t number)
{
    MIXED(halves) whole = *from, quotient = MIXED_HALF_HIGH(whole, divisor->inverse);
    if (number == 1) {
        return whole - whole;
    }
    if (divisor->is_longer) {
        quotient += (whole - quotient) >> 1;
    }
    quotient >>= divisor->shift;
    *from = quotient;
    return whole - quotient * MIXED_HALF(number);
}

TALLY_INLINE MIXED_TARGET MIXED(halves)
    MIXED(join)(const tally_mixed_plan *plan, const tally_mixed_run *run, tally_mixed_digits digits,
                size_t row)
{
    MIXED(halves) joined = MIXED(load_digits)(digits[run->first] + row);
    for (size_t p = run->first + 1U; p < (size_t)run->first + run->positions; p++) {
        joined = joined * MIXED_HALF(plan->sizes[p]) + MIXED(load_digits)(digits[p] + row);
    }
    return joined;
}

TALLY_INLINE MIXED_TARGET void MIXED(part)(const tally_mixed_plan *plan, const tally_mixed_run *run,
                                           MIXED(halves) joined, tally_mixed_digits digits,
                                           size_t row)
{
    for (size_t p = (size_t)run->first + run->positions - 1; p > run->first; p--) {
        MIXED(store_digits)
        (digits[p] + row, MIXED(split_half)(&joined, &plan->by_size[p], plan->sizes[p]));
    }
    MIXED(store_digits)(digits[run->first] + row, joined);
}

MIXED_TARGET static void MIXED(write)(const tally_mixed_plan *plan, tally_mixed_digits digits,
                                      size_t rows, uint8_t *symbols, size_t stride)
{
    MIXED(numbers) held;
    const uint32_t radix = plan->radix;
    const size_t limbs = MIXED(limbs)(plan->run[plan->runs - 1].top);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        held.limb[0] = MIXED(widen)(MIXED(join)(plan, &plan->run[0], digits, row));
        for (size_t r = 1; r < plan->runs; r++) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(append)
            (&held, run->size, MIXED(widen)(MIXED(join)(plan, run, digits, row)),
             MIXED(limbs)(run[-1].top), MIXED(limbs)(run->top));
        }
        size_t s = plan->length, left = limbs;
        for (size_t i = plan->pairs - 1; s > 2; s -= 2, i--) {
            MIXED(pack) rest = MIXED(split)(&held, &plan->pair, left);
            left = MIXED(limbs)(plan->reach[i - 1]);
            MIXED(halves) pair = MIXED(narrow)(&rest);
            MIXED(store)
            (symbols + (s - 1) * stride + row, MIXED(split_half)(&pair, &plan->by_radix, radix));
            MIXED(store)(symbols + (s - 2) * stride + row, pair);
        }
        MIXED(halves) first = MIXED(narrow)(&held.limb[0]);
        if (s == 2) {
            MIXED(store)
            (symbols + stride + row, MIXED(split_half)(&first, &plan->by_radix, radix));
        }
        MIXED(store)(symbols + row, first);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

MIXED_TARGET static void MIXED(read)(const tally_mixed_plan *plan, const uint8_t *symbols,
                                     size_t stride, size_t rows, tally_mixed_digits digits,
                                     uint8_t outside[TALLY_MIXED_ROWS])
{
    MIXED(numbers) held;
    const size_t limbs = MIXED(limbs)(plan->reach[plan->pairs - 1]);
    for (size_t row = 0; row < rows; row += MIXED_ROWS) {
        for (size_t i = 0, s = 0; i < plan->pairs; i++) {
            MIXED(halves) pair = MIXED(load)(symbols + s++ * stride + row);
            if (i != 0 || plan->length % 2 == 0) {
                pair = pair * MIXED_HALF(plan->radix) + MIXED(load)(symbols + s++ * stride + row);
            }
            if (i == 0) {
                held.limb[0] = MIXED(widen)(pair);
                continue;
            }
            MIXED(append)
            (&held, plan->pair.size, MIXED(widen)(pair), MIXED(limbs)(plan->reach[i - 1]),
             MIXED(limbs)(plan->reach[i]));
        }
        MIXED(pack) beyond = MIXED(find_outside)(&held, plan, limbs);
        MIXED(store)(outside + row, MIXED(narrow)(&beyond));
        for (size_t r = plan->runs; r-- > 1;) {
            const tally_mixed_run *run = &plan->run[r];
            MIXED(pack) rest = MIXED(split)(&held, run, MIXED(limbs)(run->top));
            MIXED(part)(plan, run, MIXED(narrow)(&rest), digits, row);
        }
        MIXED(part)(plan, &plan->run[0], MIXED(narrow)(&held.limb[0]), digits, row);
    }
    tally_wipe(&held, limbs * sizeof *held.limb);
}

#undef MIXED
#undef MIXED_TARGET
#undef MIXED_ROWS
#undef MIXED_LIMB_BITS
#undef MIXED_HALF_HIGH
#undef MIXED_CONVERT
#undef MIXED_HALF
#undef MIXED_EACH

const tally_mixed_lanes tally_mixed_ifma = {
    {"avx512ifma", TALLY_CPU_AVX512VBMI2}, mixed_ifma_write, mixed_ifma_read};

#else
typedef int tally_mixed_ifma_is_for_x86_64; /* a file may not be empty */
#endif

TALLY_VISIBILITY_POP
