/* SPDX-License-Identifier: Apache-2.0
 *
 * Tallystick 0.1.0: the public headers as one file. Made by
 * tools/amalgamate.py from the files that it names; change those. */
/* clang-format off */

#ifndef TALLYSTICK_H
#define TALLYSTICK_H

/* ---- core/include/tallystick/arrow_c.h ---- */
/*
* The Arrow C data interface, as its specification gives it, with its guards:
 * https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. */
#ifndef TALLYSTICK_ARROW_C_H
#define TALLYSTICK_ARROW_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/export.h ---- */
/*
* What stands before a public function: TALLY_API exports it from a shared library, and
 * TALLY_MUST_CHECK makes compilers warn about a call whose result is not used.
 *
 * Define TALLY_SHARED for a shared library, and TALLY_BUILD too while the library itself is
 * compiled (its CMake target and its pkg-config file do so). A static library, or sources compiled
 * into a program, need neither: then nothing is exported. */
#ifndef TALLYSTICK_EXPORT_H
#define TALLYSTICK_EXPORT_H

#if !defined(TALLY_SHARED)
#define TALLY_API
#elif defined(_WIN32) && defined(TALLY_BUILD)
#define TALLY_API __declspec(dllexport)
#elif defined(_WIN32)
#define TALLY_API __declspec(dllimport)
#elif defined(__GNUC__)
#define TALLY_API __attribute__((visibility("default")))
#else
#define TALLY_API
#endif

#if defined(__GNUC__)
#define TALLY_MUST_CHECK __attribute__((warn_unused_result))
#elif defined(_MSC_VER)
#include <sal.h>
#define TALLY_MUST_CHECK _Check_return_
#else
#define TALLY_MUST_CHECK
#endif

#endif

/* ---- core/include/tallystick/base.h ---- */
/*
* The base of every part of the library: statuses, version, CPU features, wiping, entropy. */
#ifndef TALLYSTICK_BASE_H
#define TALLYSTICK_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of every function that can fail. On any value but TALLY_OK the function has written
 * nothing to its outputs, unless its description says otherwise. Each part of the library has a
 * range of 16 numbers: base 0..15, AES 16..31 (aes.h), FAST 32..47 (fast.h), shares 48..63
 * (shares.h), formats 64..79 (formats.h), tokens 80..95 (tokens.h), key rings 96..111 (keyring.h),
 * policies 112..127 (policy.h), FF1 128..143 (ff1.h), text 144..159 (text.h). */
typedef int32_t tally_status;

enum {
    TALLY_OK = 0,
    TALLY_ERROR_ARGUMENT = 1, /* an argument outside its documented range */
    TALLY_ERROR_ENTROPY = 2,  /* the operating system gave no entropy */
    TALLY_ERROR_MEMORY = 3,   /* the allocator gave no memory */
    TALLY_ERROR_PROBLEM = 4   /* refused: a tally_problem says why */
};

/* Where memory comes from. Functions that take an allocator accept NULL for malloc and free, which
 * a freestanding build does not have: there NULL gives no memory.
 *
 * `allocate` returns memory that is aligned for any object, or NULL; size is at least 1. `release`
 * gets each piece once, with its size. Threads that share an allocator may call both at once. */
typedef struct tally_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *memory, size_t size);
    void *context; /* is passed to both */
} tally_allocator;

/* Why something was refused, for a person to read: UTF-8, zero-terminated, cut if it is too long.
 * `place` is where, as a dotted path that TOML could have (columns.name.format), or empty. `text`
 * says what is wrong and how to mend it. Neither holds a key or a value to be protected. */
typedef struct tally_problem {
    char place[256];
    char text[768];
} tally_problem;

/* The class of a character, which a message may show where the character itself is secret. */
typedef enum tally_character {
    TALLY_CHARACTER_LETTER = 0,
    TALLY_CHARACTER_DIGIT,
    TALLY_CHARACTER_SPACE,
    TALLY_CHARACTER_CONTROL,
    TALLY_CHARACTER_OTHER
} tally_character;

/* A short English sentence for a status of any part; never NULL, static storage. */
TALLY_API const char *tally_status_text(tally_status status);

/* The version of the library, such as "1.2.0"; static storage. */
TALLY_API const char *tally_version(void);

/* CPU features that a back end may need, as bits. */
enum {
    TALLY_CPU_SSSE3 = 1 << 0,
    TALLY_CPU_AESNI = 1 << 1,
    TALLY_CPU_AVX2 = 1 << 2,
    TALLY_CPU_AVX512VBMI = 1 << 3,  /* with AVX512F, AVX512BW and AVX512VL */
    TALLY_CPU_AVX512VBMI2 = 1 << 4, /* with those, BMI1, BMI2 and AVX512IFMA */
    TALLY_CPU_VAES = 1 << 5,
    TALLY_CPU_NEON = 1 << 6, /* of AArch64 */
    TALLY_CPU_GFNI = 1 << 7,
    TALLY_CPU_SHANI = 1 << 8,
    TALLY_CPU_AVX512 = 1 << 9,      /* AVX512F, AVX512BW and AVX512VL */
    TALLY_CPU_ARM_SHA256 = 1 << 10, /* of AArch64, as the next one */
    TALLY_CPU_ARM_SHA512 = 1 << 11,
    TALLY_CPU_BMI2 = 1 << 12,
    TALLY_CPU_ARM_AES = 1 << 13, /* of AArch64 */
    TALLY_CPU_SSE2 = 1 << 14
};

/* The features in use: those of this CPU that the operating system supports. */
TALLY_API uint32_t tally_cpu_features(void);

/* The name of one feature, as people write it ("aes", "avx512"); NULL if it is not one. */
TALLY_API const char *tally_cpu_feature_name(uint32_t feature);

/* Overwrites `size` bytes with zeros; compilers cannot remove the call. `memory` may be NULL if
 * size is 0. */
TALLY_API void tally_wipe(void *memory, size_t size);

/* Fills `out` with `size` bytes from the operating system's generator (getrandom, getentropy or
 * BCryptGenRandom). TALLY_ERROR_ENTROPY: `out` is zeroed. */
TALLY_API TALLY_MUST_CHECK tally_status tally_entropy(uint8_t *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/aes.h ---- */
/*
* AES-128, AES-192 and AES-256 (FIPS 197) with counter mode (SP 800-38A) and CMAC (SP 800-38B, RFC
 * 4493). The back end is chosen when a key is initialized: the CPU's AES instructions where it has
 * them, else a bit-sliced one on the widest vectors or in portable C (docs/reference/aes.md). No
 * back end has a branch or an address that depends on key or data. */
#ifndef TALLYSTICK_AES_H
#define TALLYSTICK_AES_H

#ifdef __cplusplus
extern "C" {
#endif

#define TALLY_AES_BLOCK 16 /* bytes */

/* Statuses 16..31. */
enum { TALLY_ERROR_KEY_SIZE = 16 /* a key is not of 16, 24 or 32 bytes */ };

/* An expanded key for both directions. Its members are private; `space` is more than they need, so
 * that later versions keep the size. It may be copied, and used by any number of threads at
 * once. */
typedef struct tally_aes_key {
    const struct tally_aes_backend *backend;
    uint32_t rounds; /* 10, 12 or 14 */
    uint32_t reserved;
    union {
        uint8_t bytes[2][15][16]; /* round keys: of encryption, of the equivalent inverse cipher */
        struct {
            uint64_t planes[15][8]; /* bit-sliced round keys, the same for both directions */
            uint8_t bytes[15][16];  /* the same in bytes, for wider slices */
        } sliced;
        uint64_t space[158];
    } round_keys;
} tally_aes_key;

/* Expands a key of 16, 24 or 32 bytes. TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_key_init(const uint8_t *key, size_t key_size,
                                                           tally_aes_key *out);

/* Expands `count` keys of `key_size` bytes each, side by side in memory, to out[0..count-1]. The
 * bit-sliced back ends expand several keys at a time, much faster than one by one.
 * TALLY_ERROR_KEY_SIZE: as tally_aes_key_init. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_keys_init(const uint8_t *keys, size_t key_size,
                                                            size_t count, tally_aes_key *out);

/* Sets up a key from round keys of 176, 208 or 240 bytes. They need not be the expansion of a key.
 * TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_key_init_round_keys(const uint8_t *round_keys,
                                                                      size_t size,
                                                                      tally_aes_key *out);

/* Wipes a key. */
TALLY_API void tally_aes_key_wipe(tally_aes_key *key);

/* Writes the round keys of a key in the order of FIPS 197: 11, 13 or 15 round keys of 16 bytes, for
 * a key of 16, 24 or 32 bytes. TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_aes_expand(const uint8_t *key, size_t key_size,
                                                         uint8_t *round_keys);

/* The name of the back end that a key uses, as in docs/reference/aes.md: "vaes-avx512", ..
 * "bitslice". */
TALLY_API const char *tally_aes_backend_name(const tally_aes_key *key);

/* A back end, and whether new keys can use it. */
typedef struct tally_aes_choice {
    const char *name;
    uint32_t needs; /* CPU features, as tally_cpu_features has them */
    uint32_t lacks; /* needed features that are missing or disabled; 0: usable */
} tally_aes_choice;

/* Describes compiled back end `index`, the fastest first. New keys use the first that lacks
 * nothing; the last one never lacks anything. Returns 1, or 0 if there is no such index. */
TALLY_API TALLY_MUST_CHECK int tally_aes_backend_at(size_t index, tally_aes_choice *out);

/* The same as text: the back end in use, the features that it needs, and for each faster back end
 * the features that are missing. Like snprintf, it writes at most `size` bytes with a final zero to
 * `text` (NULL if 0), and returns the length of the whole text without the zero. */
TALLY_API size_t tally_aes_explain(char *text, size_t size);

/* Encrypts or decrypts `blocks` blocks of 16 bytes, each by itself (ECB). `out` may equal `in`;
 * other overlaps are not allowed. */
TALLY_API void tally_aes_encrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                        uint8_t *out);
TALLY_API void tally_aes_decrypt_blocks(const tally_aes_key *key, const uint8_t *in, size_t blocks,
                                        uint8_t *out);

/* Counter mode: out = in xor stream, where block i of the stream is the encryption of counter + i,
 * a 128-bit big-endian number. `in` may equal `out`, but not overlap it in part, and may be NULL:
 * then `out` is the stream itself. `counter` is advanced by the number of blocks begun, so a call
 * with a multiple of 16 bytes can be continued. */
TALLY_API void tally_aes_ctr(const tally_aes_key *key, uint8_t counter[16], const uint8_t *in,
                             size_t size, uint8_t *out);

/* The same from any byte of a stream: bytes `offset`, offset + 1, .. of the stream that begins with
 * the block `counter`, which is not changed. Everything else is as in tally_aes_ctr. */
TALLY_API void tally_aes_ctr_at(const tally_aes_key *key, const uint8_t counter[16],
                                uint64_t offset, const uint8_t *in, size_t size, uint8_t *out);

/* A CMAC key: an AES key and the two subkeys of RFC 4493, section 2.3. As tally_aes_key, it may be
 * copied and shared by threads. */
typedef struct tally_cmac_key {
    tally_aes_key aes;
    uint8_t k1[16], k2[16];
    uint64_t reserved[4];
} tally_cmac_key;

/* Sets up CMAC for a key of 16, 24 or 32 bytes. TALLY_ERROR_KEY_SIZE: any other size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_cmac_key_init(const uint8_t *key, size_t key_size,
                                                            tally_cmac_key *out);

/* The same for an expanded AES key, which is copied. */
TALLY_API void tally_cmac_key_init_aes(const tally_aes_key *key, tally_cmac_key *out);

/* Wipes a key. */
TALLY_API void tally_cmac_key_wipe(tally_cmac_key *key);

/* The tag of one message of `size` bytes (NULL if 0). */
TALLY_API void tally_cmac(const tally_cmac_key *key, const uint8_t *message, size_t size,
                          uint8_t tag[16]);

/* The tags of `count` messages under one key: messages[i] has sizes[i] bytes (NULL if 0). They
 * are processed side by side. Messages of similar size gain most: short ones take a fraction of the
 * time of single calls. `tags` must not overlap a message. */
TALLY_API void tally_cmac_many(const tally_cmac_key *key, const uint8_t *const messages[],
                               const size_t sizes[], size_t count, uint8_t (*tags)[16]);

/* A message in pieces: init, any number of updates, final. The members are private. The key must
 * outlive the state. */
typedef struct tally_cmac_state {
    const tally_cmac_key *key;
    uint8_t chain[16], buffer[16];
    size_t buffered; /* 0..16 bytes of `buffer` are in use */
    uint64_t reserved[2];
} tally_cmac_state;

TALLY_API void tally_cmac_init(tally_cmac_state *state, const tally_cmac_key *key);
TALLY_API void tally_cmac_update(tally_cmac_state *state, const uint8_t *message, size_t size);

/* Writes the tag, and wipes the state. */
TALLY_API void tally_cmac_final(tally_cmac_state *state, uint8_t tag[16]);

/* Wipes the state of a message that is not finished. */
TALLY_API void tally_cmac_wipe(tally_cmac_state *state);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/csv.h ---- */
/*
* CSV (RFC 4180) in place: finds fields and keeps every byte around them. A file can be written
 * back with some fields replaced and everything else unchanged, including quotes and line ends.
 *
 * Scan a block, gather each wanted column into Arrow's layout, change it, and write it back:
 * in place if the sizes are equal, else with a splice into another buffer. */
#ifndef TALLYSTICK_CSV_H
#define TALLYSTICK_CSV_H

#ifdef __cplusplus
extern "C" {
#endif

/* The dialect of a file. Delimiter and quote are two different ASCII bytes, neither CR nor LF. A
 * later version may append options. */
typedef struct tally_csv_dialect {
    uint32_t struct_size;       /* sizeof(tally_csv_dialect) */
    uint8_t delimiter;          /* not 0; with skip_initial_space not a space */
    uint8_t quote;              /* usually '"'; 0: fields are never quoted */
    uint8_t skip_initial_space; /* 1: spaces before a field are not part of it */
    uint8_t reserved;           /* 0 */
} tally_csv_dialect;

/* Where the content of a field is, in the scanned bytes: without its quotes. */
typedef struct tally_csv_field {
    uint64_t start;
    uint32_t size;
    uint8_t quoted;  /* 1: it stands between quotes */
    uint8_t escaped; /* 1: it holds doubled quotes */
    uint8_t reserved[2];
} tally_csv_field;

typedef enum tally_csv_error {
    TALLY_CSV_OK = 0,
    TALLY_CSV_FIELDS,    /* a record has not `columns` fields */
    TALLY_CSV_OPEN,      /* a quote is never closed */
    TALLY_CSV_QUOTE,     /* bytes between a closing quote and the delimiter */
    TALLY_CSV_TOO_LARGE, /* a field of 2^31 bytes or more */
    TALLY_CSV_UNQUOTABLE /* new content needs quotes in a dialect without them */
} tally_csv_error;

/* The result of a scan. */
typedef struct tally_csv_scan {
    uint64_t records;  /* complete records found; with an error, it is in the one after them */
    uint64_t consumed; /* bytes of them and of skipped lines, line ends included */
    uint64_t error_at; /* with an error: where its record, or its opening quote, begins */
    uint32_t error;    /* a tally_csv_error */
    uint32_t fields;   /* TALLY_CSV_FIELDS: those of the record in error; else of every record */
} tally_csv_scan;

/* Scans complete records of `columns` fields each, at most `max_records`. Writes the fields of the
 * `wanted_count` columns listed in `wanted` (ascending indices) to fields[r * wanted_count + j]. If
 * columns is 0, the first record sets the number of columns, and wanted_count must be 0.
 *
 * last = 1: no bytes follow, so the last record needs no line end. A record ends with LF,
 * CR LF or CR; an empty line is skipped. If columns is 1, it is a record with an empty field.
 * A quote that is not the first byte of a field is part of an unquoted field's content.
 * Stops at the first record in error, with the records before it complete.
 * TALLY_ERROR_ARGUMENT: a dialect or index outside its range. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_csv_scan_records(const tally_csv_dialect *dialect, const uint8_t *bytes, uint64_t size,
                       int last, uint32_t columns, const uint32_t *wanted, uint32_t wanted_count,
                       tally_csv_field *fields, uint64_t max_records, tally_csv_scan *out);

/* The maximum bytes of values from gathering column `index` of `wanted_count`. */
TALLY_API uint64_t tally_csv_gather_capacity(const tally_csv_field *fields, uint64_t records,
                                             uint32_t wanted_count, uint32_t index);

/* Gathers one column of scanned fields, unescaped, as an Arrow string array. It has records + 1
 * offsets, values, and a validity bitmap of (records + 7) / 8 bytes. Empty fields are null. *ascii
 * receives 1 if all values are ASCII, else 0: then they may or may not be UTF-8.
 * `size` is that of the scanned bytes; `quote` the dialect's.
 * TALLY_ERROR_ARGUMENT: `capacity` is below tally_csv_gather_capacity, or that is 2^31 or more. */
TALLY_API TALLY_MUST_CHECK tally_status tally_csv_gather(
    const uint8_t *bytes, uint64_t size, uint8_t quote, const tally_csv_field *fields,
    uint64_t records, uint32_t wanted_count, uint32_t index, int32_t *offsets, uint8_t *values,
    uint64_t capacity, uint8_t *validity, uint64_t *null_count, uint8_t *ascii);

/* New content for one column: an Arrow string array of as many rows as there are records. */
typedef struct tally_csv_column {
    const int32_t *offsets;  /* records + 1, ascending; NULL: the column stays as it is */
    const uint8_t *values;   /* may be NULL if there is no byte of them */
    const uint8_t *validity; /* a bitmap, least significant bit first; NULL: no row is null */
    uint64_t validity_start; /* the bit of row 0 */
} tally_csv_column;

/* Writes new content in place, into the fields of the same size that need no quotes and no doubled
 * quotes for it. *remaining receives the number of fields that were not written. If it is 0,
 * `bytes` equals the result of tally_csv_splice. Otherwise call tally_csv_splice on the changed
 * bytes, with the same fields and columns. TALLY_ERROR_ARGUMENT: a dialect outside its range. */
TALLY_API TALLY_MUST_CHECK tally_status tally_csv_overwrite(
    const tally_csv_dialect *dialect, uint8_t *bytes, const tally_csv_field *fields,
    uint64_t records, const tally_csv_column *columns, uint32_t wanted_count, uint64_t *remaining);

/* The result of a splice. */
typedef struct tally_csv_splice_result {
    uint64_t size;         /* bytes written */
    uint64_t error_record; /* with an error: where */
    uint32_t error_column; /* its index in `columns` */
    uint32_t error;        /* a tally_csv_error */
} tally_csv_splice_result;

/* The maximum bytes that a splice writes. */
TALLY_API uint64_t tally_csv_splice_capacity(uint64_t size, const tally_csv_column *columns,
                                             uint32_t wanted_count, uint64_t records);

/* Copies the scanned bytes to `out` with the content of fields replaced, columns[j] for wanted
 * column j. A null row becomes an empty field. Content that does not change is copied byte for
 * byte. A quoted field stays quoted. Another field gets quotes only if its new content needs
 * them: if it holds the delimiter, a quote, CR or LF, or begins with a space that would be skipped.
 *
 * In a file of one column, a field may become empty without quotes. If nothing follows it, or if it
 * lies between CR and LF, it is no longer a record.
 *
 * TALLY_ERROR_ARGUMENT: a dialect outside its range, `capacity` below tally_csv_splice_capacity. */
TALLY_API TALLY_MUST_CHECK tally_status tally_csv_splice(
    const tally_csv_dialect *dialect, const uint8_t *bytes, uint64_t size,
    const tally_csv_field *fields, uint64_t records, const tally_csv_column *columns,
    uint32_t wanted_count, uint8_t *out, uint64_t capacity, tally_csv_splice_result *result);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/formats.h ---- */
/*
* Formats: which values are valid, and which tokens they get. A format is made once from its
 * description, checked then, and never changes: any number of threads may share it. */
#ifndef TALLYSTICK_FORMATS_H
#define TALLYSTICK_FORMATS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 64..79. */
enum {
    TALLY_ERROR_FORMAT = 64,    /* a description makes no format; a tally_problem says why */
    TALLY_ERROR_TYPE = 65,      /* a format does not take a type; a tally_problem says why */
    TALLY_ERROR_ONE_WAY = 66,   /* tokens of a one-way format can't be revealed */
    TALLY_ERROR_READ_ONLY = 67, /* tokens of cipher "ff3-1" are revealed, and never made */
    TALLY_ERROR_CAPACITY = 68,  /* the result has more bytes than there is room for */
    TALLY_ERROR_TWEAKS = 69     /* the tweaks do not fit: their number or their type */
};

enum {
    TALLY_SMALLEST_DOMAIN = 100, /* of fewer values, a format needs allow_tiny_domain */
    TALLY_SMALL_DOMAIN = 1000000 /* of fewer values, anyone who protects values can list tokens */
};

/* Why a value is invalid. The numbers never change. */
typedef enum tally_reason {
    TALLY_REASON_NONE = 0,
    TALLY_REASON_SHORT,     /* too few symbols to encrypt */
    TALLY_REASON_LONG,      /* more symbols than max_length */
    TALLY_REASON_FOREIGN,   /* a character that is not allowed there */
    TALLY_REASON_DELIMITER, /* the delimiter is missing or repeated */
    TALLY_REASON_CHECK,     /* a wrong check digit */
    TALLY_REASON_TWEAK, /* the row's tweak is null, too long, or not of the size that the cipher needs */
    TALLY_REASON_NOTATION, /* another notation */
    TALLY_REASON_RANGE,    /* outside the range */
    TALLY_REASON_NORMAL    /* not in Unicode normal form NFC */
} tally_reason;

enum { TALLY_REASONS = 10 };

/* The reason in words that follow "row 3: "; never NULL, static storage. */
TALLY_API const char *tally_reason_text(tally_reason reason);

/* What is wrong with a value. */
typedef struct tally_fault {
    tally_reason reason;
    tally_character character; /* of the character at fault, if position is not 0 */
    uint64_t position;         /* of that character, from 1, in characters; 0: no character is */
} tally_fault;

enum { TALLY_FAULT_TEXT = 160 /* bytes that the text of any fault fits in */ };

/* Writes a fault in words that follow "row 3: ", zero-terminated and cut to `capacity` bytes, 1 or
 * more: the reason, then place and class of the character at fault, if there is one. */
TALLY_API void tally_fault_text(const tally_fault *fault, char *out, size_t capacity);

/* How many values a domain has. */
typedef struct tally_domain {
    uint64_t size;  /* UINT64_MAX: that many or more */
    uint32_t known; /* 0: it depends on the values */
    uint32_t reserved;
} tally_domain;

typedef struct tally_format tally_format;

/* Makes a format from its description in JSON: its name, such as "card", or an object with the
 * name as "type" and options: {"type": "card", "keep_last": 4}. docs/reference/formats has names
 * and options. `allocator` may be NULL (malloc and free); it is copied. Free the format with
 * tally_format_free, after all that was made with it.
 *
 * TALLY_ERROR_FORMAT: *problem names the option in `place`, and says what is allowed.
 * TALLY_ERROR_MEMORY: there is not enough. On both *out is NULL. */
TALLY_API TALLY_MUST_CHECK tally_status tally_format_new(const tally_allocator *allocator,
                                                         const char *description, size_t size,
                                                         tally_format **out,
                                                         tally_problem *problem);

/* Releases a format; NULL is allowed. */
TALLY_API void tally_format_free(tally_format *format);

/* The names of all formats, in their order in the documentation; NULL from the last one on. */
TALLY_API const char *tally_format_name_at(size_t index);

/* Writes what a format of that index is, as JSON in UTF-8, zero-terminated and cut to `capacity`
 * bytes, 1 or more, for programs that offer formats to choose from:
 *
 *     {"name": "card", "about": "Payment card numbers, with check digit.", "sample": {},
 *      "ciphers": true, "options": [{"name": "luhn", "kind": "choice", "required": false,
 *      "choices": ["none", "valid", "invalid"], "default": "valid"}, ...]}
 *
 * "sample" has options with which it can be made; "ciphers": it takes "cipher" and "tweak_hex" too.
 * Kinds are "text", "integer", "boolean", "choice", "list", "number" (integer or text), "date" and
 * "datetime" (text in ISO 8601). Returns the size without the zero, 0 from the last format on. */
TALLY_API size_t tally_format_describe(size_t index, char *out, size_t capacity);

/* The format's name in descriptions and messages. Like all texts of a format it lives as long. */
TALLY_API const char *tally_format_name(const tally_format *format);

/* The identity, as JSON: with equal keys and namespaces, equal identities give equal tokens. */
TALLY_API const char *tally_format_identity(const tally_format *format);

/* Whether tokens can't be revealed; whether a key is needed; whether a token may begin with a
 * character that spreadsheets read as a formula although values do not. */
TALLY_API int tally_format_is_one_way(const tally_format *format);
TALLY_API int tally_format_is_keyed(const tally_format *format);
TALLY_API int tally_format_may_be_formula(const tally_format *format);

/* The bytes that a key must have; 0: 16, 24 or 32, or the format has no key. */
TALLY_API size_t tally_format_key_size(const tally_format *format);

/* The algorithm of another standard whose key the format takes: a plain cipher (tweak_hex) or a mode
 * of "ipcrypt". Such a key serves only formats with the same number. 0: none. */
TALLY_API uint32_t tally_format_algorithm(const tally_format *format);

/* Whether values need a tweak of their row, without which they are invalid (TALLY_REASON_TWEAK). */
TALLY_API int tally_format_needs_tweak(const tally_format *format);

/* The cipher: "fast", "ff1", "ff1-2016" or "ff3-1"; NULL: the format encrypts no words. A format of
 * "ff3-1" reveals tokens and makes none. */
TALLY_API const char *tally_format_cipher(const tally_format *format);

/* Whether on_invalid = TALLY_INVALID_KEEP can't go with the format, whose tokens are no valid values:
 * a value that is kept as invalid could be taken for a token. */
TALLY_API int tally_format_forbids_keep(const tally_format *format);

/* The work to protect or reveal a value of `size` bytes, at most, in layers of FAST: for text of
 * order size^1.5. A layer takes some nanoseconds. Other ciphers count as FAST does. 0: no cipher. */
TALLY_API uint64_t tally_format_work(const tally_format *format, size_t size);

/* A valid value, as text in UTF-8, for an index from 0; NULL from the last one on. There is one at
 * least. */
TALLY_API const char *tally_format_example(const tally_format *format, size_t index);

/* The domain of the shortest valid value, and that of a valid value (NULL is not allowed). */
TALLY_API void tally_format_smallest_domain(const tally_format *format, tally_domain *out);
TALLY_API void tally_format_domain_of(const tally_format *format, const uint8_t *value, size_t size,
                                      tally_domain *out);

/* Says whether the format takes columns of an Arrow type, given as the format string of the C data
 * interface: "u", "d:10,2", "tss:UTC". TALLY_ERROR_TYPE: it does not; *problem says what would. */
TALLY_API TALLY_MUST_CHECK tally_status tally_format_takes(const tally_format *format,
                                                           const char *type,
                                                           tally_problem *problem);

/* Completes the fault of an invalid value: position and class of its character, for a reason that
 * is known. For values as text, UTF-8 or not. */
TALLY_API void tally_format_explain(const tally_format *format, const uint8_t *value, size_t size,
                                    tally_reason reason, tally_fault *out);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/gf256.h ---- */
/*
* The finite field GF(2^8), which tallystick/shamir.h and tallystick/reed_solomon.h compute in. An
 * element is a byte: the coefficients of a polynomial over GF(2), modulo an irreducible polynomial
 * of degree 8. */
#ifndef TALLYSTICK_GF256_H
#define TALLYSTICK_GF256_H

#ifdef __cplusplus
extern "C" {
#endif

/* The field by its polynomial. Data of one field does not match the other. */
typedef uint32_t tally_gf256_field;

enum {
    TALLY_GF256_AES = 0x11B, /* x^8 + x^4 + x^3 + x + 1, as in AES */
    TALLY_GF256_RS = 0x11D   /* x^8 + x^4 + x^3 + x^2 + 1, as in most Reed-Solomon codes */
};

/* The name of the back end in use: "gfni-avx512", "gfni-avx2", "nibbles-avx2", "nibbles-neon" or
 * "portable". No back end has a branch or an address that depends on data. */
TALLY_API const char *tally_gf256_backend_name(void);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/keyring.h ---- */
/*
* Key rings: named data keys with versions, wrapped under one root key (docs/reference/keyring.md).
 * First read a ring: that tells where its root key comes from. Then unlock it with the root key:
 * that verifies all of it. Then unwrap keys. The caller reads files, and derives a root key from a
 * passphrase. Rings are not changed here. */
#ifndef TALLYSTICK_KEYRING_H
#define TALLYSTICK_KEYRING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 96..111. */
enum {
    TALLY_ERROR_KEYRING = 96,  /* not a key ring, damaged or edited; a tally_problem says what */
    TALLY_ERROR_ROOT_KEY = 97, /* the root key is not the ring's */
    TALLY_ERROR_NO_KEY = 98,   /* the ring has no such key; a tally_problem says which it has */
    TALLY_ERROR_REFERENCE = 99 /* a reference is not a name and a version, such as people:1 */
};

enum {
    TALLY_KEYRING_SIZE_MAX = 1 << 20,   /* bytes of a file */
    TALLY_ROOT_KEY_SIZE = 32,           /* bytes */
    TALLY_DATA_KEY_SIZE_MAX = 32,       /* bytes; a key has 16, 24 or 32 */
    TALLY_KEY_NAME_SIZE_MAX = 64,       /* bytes, without the zero */
    TALLY_ROOTS_MAX = 16,               /* records of root keys in a ring */
    TALLY_ROOT_NAME_SIZE_MAX = 1024,    /* bytes of the name of a wrapping key */
    TALLY_ROOT_WRAPPED_SIZE_MAX = 4096, /* bytes of a wrapped root key */
    TALLY_SIGNERS_MAX = 16              /* keys that sign policies */
};

/* Rights: what a key may be used for. tally_rule_open of policy.h makes tokenizers that obey them;
 * whoever unwraps a key with tally_keyring_key obeys by themselves. */
enum { TALLY_MAY_PROTECT = 1, TALLY_MAY_REVEAL = 2 };

/* Where a ring's root key comes from. */
typedef enum tally_root_kind {
    TALLY_ROOT_KEY = 0, /* it is 32 bytes kept elsewhere */
    TALLY_ROOT_SCRYPT,  /* derived from a passphrase */
    TALLY_ROOT_SHARES,  /* split into shares */
    TALLY_ROOT_WRAPPED  /* encrypted by a key of a KMS, an HSM or the like */
} tally_root_kind;

typedef struct tally_root {
    tally_root_kind kind;
    uint32_t n, r, p; /* scrypt's costs: n a power of two from 2^14 to 2^18, r = 8, p 1..4 */
    uint8_t salt[16]; /* scrypt's */
    uint8_t set[16];  /* the set of shares */
    uint32_t threshold, count; /* of shares: 2 <= threshold <= count <= 255 */
    uint32_t rights;           /* of whoever opens the ring with it; all, but for wrapped ones */
    const char *by;            /* the name of the wrapping key, such as "age:age1..."; or NULL */
    const char *wrapped;       /* the wrapped root key in base64, or NULL; both as the ring's id */
} tally_root;

/* A data key's name and version: people:1. */
typedef struct tally_key_id {
    char name[TALLY_KEY_NAME_SIZE_MAX + 1];
    uint32_t version; /* 1 or more */
} tally_key_id;

/* The public facts about a data key. */
typedef struct tally_key_info {
    tally_key_id id;
    uint32_t size;    /* 16, 24 or 32 bytes */
    char created[24]; /* UTC: 2026-01-02T03:04:05Z */
    uint32_t rights;  /* TALLY_MAY_PROTECT, TALLY_MAY_REVEAL or both */
} tally_key_info;

typedef struct tally_keyring tally_keyring;

/* Makes the id of a key: `name` has 1 to 64 bytes of a-z, 0-9, '_', '.' and '-', and starts with a
 * letter or digit; `version` is from 1 to 2^32 - 1. TALLY_ERROR_REFERENCE. `problem` may be NULL,
 * here and below; it says what follows a path and a colon in a message. */
TALLY_API TALLY_MUST_CHECK tally_status tally_key_id_init(const char *name, size_t size,
                                                          uint64_t version, tally_key_id *out,
                                                          tally_problem *problem);

/* Reads a reference such as "people:1". TALLY_ERROR_REFERENCE: it has another form. */
TALLY_API TALLY_MUST_CHECK tally_status tally_key_id_parse(const char *reference, size_t size,
                                                           tally_key_id *out,
                                                           tally_problem *problem);

/* Reads the bytes of a ring's file, which are copied. Nothing of it is authenticated before
 * tally_keyring_unlock. TALLY_ERROR_KEYRING; TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_read(const tally_allocator *allocator,
                                                           const uint8_t *file, size_t size,
                                                           tally_keyring **out,
                                                           tally_problem *problem);

/* Verifies a ring that was read, with its root key; the caller wipes its copy of that.
 * TALLY_ERROR_ROOT_KEY, TALLY_ERROR_KEYRING: the ring stays locked. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_unlock(
    tally_keyring *ring, const uint8_t root_key[TALLY_ROOT_KEY_SIZE], tally_problem *problem);

/* Verifies a ring that was read, such as a newer copy of the file, with the subkeys of one that is
 * unlocked. TALLY_ERROR_KEYRING: it is another ring, has another root key, or is damaged; it stays
 * locked. TALLY_ERROR_ARGUMENT: `open` is locked, or `ring` is not. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_unlock_like(tally_keyring *ring,
                                                                  const tally_keyring *open,
                                                                  tally_problem *problem);

/* Wipes and releases a ring; NULL is allowed. */
TALLY_API void tally_keyring_free(tally_keyring *ring);

/* The ring's id: 32 hexadecimal digits that never change. It lives as long as the ring. */
TALLY_API const char *tally_keyring_id(const tally_keyring *ring);

/* The first record of where the root key comes from; and any of them. Each leads to the same root
 * key. Returns 0 if there is no such index. */
TALLY_API void tally_keyring_root(const tally_keyring *ring, tally_root *out);
TALLY_API TALLY_MUST_CHECK int tally_keyring_root_at(const tally_keyring *ring, size_t index,
                                                     tally_root *out);

/* How often the file was changed; 0 for a file of format 1, which does not tell. */
TALLY_API uint32_t tally_keyring_revision(const tally_keyring *ring);

/* A public key of Ed25519 (64 hexadecimal digits) whose signature a policy may have; NULL from the
 * last one on. If there is one, policies without a signature must be refused. */
TALLY_API const char *tally_keyring_signer(const tally_keyring *ring, size_t index);

/* The name of the holder of share index + 1, in UTF-8; NULL from the last one on. */
TALLY_API const char *tally_keyring_holder(const tally_keyring *ring, size_t index);

/* The number of keys, and what is known of one, in the order in which they were added. Returns 0 if
 * there is no such index. */
TALLY_API size_t tally_keyring_count(const tally_keyring *ring);
TALLY_API TALLY_MUST_CHECK int tally_keyring_at(const tally_keyring *ring, size_t index,
                                                tally_key_info *out);

/* Unwraps a key. *size receives its bytes: 16, 24 or 32; `out` is wiped by the caller. Any number
 * of threads may unwrap at once. TALLY_ERROR_NO_KEY. TALLY_ERROR_KEYRING: it was wrapped for
 * another place. TALLY_ERROR_ARGUMENT: the ring is locked. */
TALLY_API TALLY_MUST_CHECK tally_status tally_keyring_key(const tally_keyring *ring,
                                                          const tally_key_id *id,
                                                          uint8_t out[TALLY_DATA_KEY_SIZE_MAX],
                                                          size_t *size, tally_problem *problem);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/scan.h ---- */
/*
* Finds values that have a structure in text: payment cards, IBANs, national identifiers, e-mail
 * addresses, phone numbers, network addresses, UUIDs, JWTs, PEM blocks, keys of services, random
 * strings, and a user's own lists and patterns. docs/reference/text-scan.md describes each.
 *
 * Text comes in pieces of any size, as UTF-8 or other bytes, in one pass. Findings do not depend on
 * where pieces end. Memory is bounded, and time is linear in the text, whatever it is. */
#ifndef TALLYSTICK_SCAN_H
#define TALLYSTICK_SCAN_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_SCAN_MAX_FINDING = 16384, /* bytes of a finding, at most */
    TALLY_SCAN_MAX_TERM = 128,      /* bytes of a term of a list, at least 2 */
    TALLY_SCAN_MAX_TERMS = 262144,  /* terms of all lists together */
    TALLY_SCAN_MAX_PATTERNS = 256,  /* patterns of a user */
    TALLY_SCAN_MAX_PATTERN = 1024,  /* bytes that match a pattern, at most */
    TALLY_SCAN_MAX_ITEMS = 64,      /* characters and classes of a pattern */
    TALLY_SCAN_CAPACITY = 128       /* findings for which a call must have room */
};

/* What a finding is. The numbers never change. */
typedef enum tally_scan_kind {
    TALLY_SCAN_CARD = 0,
    TALLY_SCAN_IBAN,
    TALLY_SCAN_NATIONAL_ID,
    TALLY_SCAN_EMAIL,
    TALLY_SCAN_PHONE,
    TALLY_SCAN_IPV4,
    TALLY_SCAN_IPV6,
    TALLY_SCAN_MAC,
    TALLY_SCAN_UUID,
    TALLY_SCAN_JWT,
    TALLY_SCAN_PEM,
    TALLY_SCAN_URL,     /* with a password */
    TALLY_SCAN_KEY,     /* of a service, by its prefix */
    TALLY_SCAN_ENTROPY, /* a random string */
    TALLY_SCAN_LIST,    /* of a user */
    TALLY_SCAN_PATTERN  /* of a user */
} tally_scan_kind;

enum { TALLY_SCAN_KINDS = 16 };

/* How certain a finding is. */
typedef enum tally_scan_certainty {
    TALLY_SCAN_WEAK = 1, /* a shape or one check digit, which much else has */
    TALLY_SCAN_FAIR,
    TALLY_SCAN_STRONG
} tally_scan_certainty;

typedef struct tally_scan_finding {
    uint64_t offset; /* of its first byte, from the first byte of the text */
    uint32_t size;   /* bytes */
    uint32_t kind;   /* a tally_scan_kind */
    uint32_t certainty;
    uint32_t rule; /* for tally_scan_rule_name */
} tally_scan_finding;

/* What is looked for. It is made once, never changes, and threads may share it. */
typedef struct tally_scan_rules tally_scan_rules;

/* Makes rules from JSON, an object with any of these members:
 *   "kinds": names of the kinds to find; without it all,
 *   "least": "weak", "fair" (as without it) or "strong",
 *   "lists": {"name": ["term", ...]}: whole words, without regard to the case of ASCII letters,
 *   "patterns": {"name": "ID-[0-9]{6}"}; docs/reference/text-scan.md says what a pattern may be.
 * `allocator` may be NULL (malloc and free). Free the rules after all scanners that use them.
 *
 * TALLY_ERROR_PROBLEM: *problem says what is refused. TALLY_ERROR_MEMORY. On both *out is NULL. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scan_rules_new(const tally_allocator *allocator,
                                                             const char *json, size_t size,
                                                             tally_scan_rules **out,
                                                             tally_problem *problem);
TALLY_API void tally_scan_rules_free(tally_scan_rules *rules);

/* The name of a kind, such as "card"; NULL: there is no such kind. */
TALLY_API const char *tally_scan_kind_name(uint32_t kind);

/* The name of a finding's rule, such as "national_id.de.idnr" or "list.customers"; it lives as long
 * as the rules. NULL: there is no such rule. */
TALLY_API const char *tally_scan_rule_name(const tally_scan_rules *rules, uint32_t rule);

/* One text on its way. A scanner belongs to one thread at a time. */
typedef struct tally_scanner tally_scanner;

/* Begins a text. TALLY_ERROR_MEMORY: *out is NULL. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scanner_new(const tally_scan_rules *rules,
                                                          tally_scanner **out);

/* Wipes and releases a scanner; NULL is allowed. */
TALLY_API void tally_scanner_free(tally_scanner *scanner);

/* Takes the next bytes, and writes findings in their order, which do not overlap. `capacity` is at least
 * TALLY_SCAN_CAPACITY. *used: bytes that were taken; if fewer than `size`, the findings are full: call
 * again with the rest. A finding comes out when TALLY_SCAN_MAX_FINDING more bytes and a few hundred
 * are in, or at the end. TALLY_ERROR_ARGUMENT: `capacity` is too small, or the text has ended. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scanner_update(tally_scanner *scanner,
                                                             const uint8_t *bytes, size_t size,
                                                             tally_scan_finding *findings,
                                                             size_t capacity, size_t *used,
                                                             size_t *count);

/* Ends the text, and writes its last findings. *more becomes 1 if the findings are full: call
 * again. After it the scanner can only be freed. TALLY_ERROR_ARGUMENT: `capacity` is too small. */
TALLY_API TALLY_MUST_CHECK tally_status tally_scanner_final(tally_scanner *scanner,
                                                            tally_scan_finding *findings,
                                                            size_t capacity, size_t *count,
                                                            int *more);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/sha2.h ---- */
/*
* SHA-2 (FIPS 180-4): SHA-256 and SHA-512 of one message and of several side by side, SHA-224 and
 * SHA-384 of one, with HMAC-SHA-256 (RFC 2104) and HKDF-SHA-256 (RFC 5869). The back end is chosen
 * when a hash is begun: the CPU's instructions for SHA-2 where it has them, vectors for several
 * messages, else portable C. None has a branch or an address that depends on data; sizes are not
 * secret. */
#ifndef TALLYSTICK_SHA2_H
#define TALLYSTICK_SHA2_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_SHA256_SIZE = 32, /* bytes of a digest */
    TALLY_SHA256_BLOCK = 64,
    TALLY_SHA512_SIZE = 64,
    TALLY_SHA512_BLOCK = 128,
    TALLY_HKDF_SHA256_MOST = 255 * TALLY_SHA256_SIZE /* bytes that one HKDF gives at most */
};

/* A message in pieces: init, any number of updates, final. The members are private, and
 * `reserved` is for later versions. A copy continues from the same prefix. */
typedef struct tally_sha256 {
    const struct tally_sha256_backend *backend;
    uint64_t size; /* bytes so far; size modulo the block's are in `buffer` */
    uint32_t state[8];
    uint8_t buffer[64];
    uint64_t reserved[2];
} tally_sha256;

typedef struct tally_sha512 {
    const struct tally_sha512_backend *backend;
    uint64_t size;
    uint64_t state[8];
    uint8_t buffer[128];
    uint64_t reserved[6];
} tally_sha512;

/* Begins a message. */
TALLY_API void tally_sha256_init(tally_sha256 *context);
TALLY_API void tally_sha512_init(tally_sha512 *context);

/* Begins a message of SHA-224 or SHA-384. Continue as for SHA-256 or SHA-512; the digest is the
 * first 28 or 48 bytes of the output of `final`. */
TALLY_API void tally_sha224_init(tally_sha256 *context);
TALLY_API void tally_sha384_init(tally_sha512 *context);

/* Adds `size` bytes (NULL if 0). A message has less than 2^61 bytes. */
TALLY_API void tally_sha256_update(tally_sha256 *context, const uint8_t *data, size_t size);
TALLY_API void tally_sha512_update(tally_sha512 *context, const uint8_t *data, size_t size);

/* Writes the digest, and wipes the context. */
TALLY_API void tally_sha256_final(tally_sha256 *context, uint8_t out[32]);
TALLY_API void tally_sha512_final(tally_sha512 *context, uint8_t out[64]);

/* Wipes the context of a message that is not finished. */
TALLY_API void tally_sha256_wipe(tally_sha256 *context);
TALLY_API void tally_sha512_wipe(tally_sha512 *context);

/* The digest of one message of `size` bytes (NULL if 0). `out` may overlap it. */
TALLY_API void tally_sha256_digest(const uint8_t *data, size_t size, uint8_t out[32]);
TALLY_API void tally_sha512_digest(const uint8_t *data, size_t size, uint8_t out[64]);

/* The digests of `count` messages (0 or more) of `size` bytes each (NULL if 0), computed
 * side by side: out[i] is the digest of messages[i]. Messages may overlap each other, not `out`. */
TALLY_API void tally_sha256_many(const uint8_t *const messages[], size_t size, size_t count,
                                 uint8_t out[][32]);
TALLY_API void tally_sha512_many(const uint8_t *const messages[], size_t size, size_t count,
                                 uint8_t out[][64]);

/* The name of the back end that `count` messages (1 or more) begin on, static storage: for SHA-256
 * "avx512", "sha-ni-2", "sha-ni", "avx2", "armv8-2", "armv8" or "portable", for SHA-512 "avx512",
 * "avx2", "bmi2", "armv8" or "portable". One message, whole or in pieces, is a count of 1. */
TALLY_API const char *tally_sha256_backend_name(size_t count);
TALLY_API const char *tally_sha512_backend_name(size_t count);

/* HMAC-SHA-256 in pieces, like a hash. A copy of a fresh context saves setting the key up again. */
typedef struct tally_hmac_sha256 {
    tally_sha256 inner, outer;
} tally_hmac_sha256;

/* Begins a message under a key of `key_size` bytes (NULL if 0); any size is allowed. */
TALLY_API void tally_hmac_sha256_init(tally_hmac_sha256 *context, const uint8_t *key,
                                      size_t key_size);
TALLY_API void tally_hmac_sha256_update(tally_hmac_sha256 *context, const uint8_t *data,
                                        size_t size);

/* Writes the whole tag of 32 bytes, and wipes the context. */
TALLY_API void tally_hmac_sha256_final(tally_hmac_sha256 *context, uint8_t tag[32]);

/* Wipes the context of a message that is not finished. */
TALLY_API void tally_hmac_sha256_wipe(tally_hmac_sha256 *context);

/* The tags of `count` messages (0 or more) with a common prefix. Message i is the data that
 * `context` has received, then values[offsets[i] .. offsets[i + 1]). There are count + 1 ascending
 * offsets. `context` is not changed; the caller wipes it. */
TALLY_API void tally_hmac_sha256_rows(const tally_hmac_sha256 *context, const uint8_t *values,
                                      const uint64_t *offsets, size_t count, uint8_t tags[][32]);

/* The tag of one message of `size` bytes (NULL if 0). */
TALLY_API void tally_hmac_sha256_tag(const uint8_t *key, size_t key_size, const uint8_t *data,
                                     size_t size, uint8_t tag[32]);

/* HKDF-SHA-256: derives `size` bytes from the keying material `ikm`, for the purpose `info`. Each
 * input may be NULL if its size is 0; RFC 5869, section 3, says how to choose them. `out` may not
 * overlap an input. TALLY_ERROR_ARGUMENT: `size` is above TALLY_HKDF_SHA256_MOST. */
TALLY_API TALLY_MUST_CHECK tally_status tally_hkdf_sha256(const uint8_t *salt, size_t salt_size,
                                                          const uint8_t *ikm, size_t ikm_size,
                                                          const uint8_t *info, size_t info_size,
                                                          uint8_t *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/shares.h ---- */
/*
* Authentic shares of a secret. Any `threshold` of them recover it, and fewer reveal nothing but
 * its size. Each damaged, altered or foreign share is identified before the secret is recovered.
 *
 * The scheme is adept sharing (Bellare, Dai and Rogaway, "Reimagining Secret Sharing", PoPETs
 * 2020(4)). All coins are derived from the secret, the parameters and fresh randomness. So recovery
 * makes all shares again and accepts no others. A hash tree over the shares finds the good ones
 * with one check a share.
 *
 * docs/reference/share-format.md has the format to the byte, and the limits of its protection.
 *
 * Sharing is computationally secure here: it rests on SHA-256 and AES-256. */
#ifndef TALLYSTICK_SHARES_H
#define TALLYSTICK_SHARES_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_SHARES_SET = 16,           /* bytes of a set's name, a hash over the whole set */
    TALLY_SHARES_MAX_LABEL = 255,    /* bytes */
    TALLY_SHARES_MAX_SECRET = 16384, /* bytes; tallystick/dispersal.h is for more */
    TALLY_SHARES_MAX_GIVEN = 1024    /* shares in one call */
};

/* Statuses 48..63. */
enum {
    TALLY_ERROR_SHARES_FEW = 48,  /* fewer good shares of one set than its threshold */
    TALLY_ERROR_SHARES_SETS = 49, /* more than one set has enough shares */
    TALLY_ERROR_SHARES_FALSE = 50 /* the shares were not made from one secret */
};

/* The kind of secret. */
typedef enum tally_shares_kind {
    TALLY_SHARES_SECRET = 0,
    TALLY_SHARES_FILE = 1 /* the key of a dispersed file; the file's part follows the share */
} tally_shares_kind;

/* The common parameters of all shares of a set. A share with a changed parameter is refused. */
typedef struct tally_shares_params {
    uint32_t kind;        /* a tally_shares_kind */
    uint32_t threshold;   /* 2..count */
    uint32_t count;       /* of shares, at most 255 */
    uint32_t secret_size; /* bytes, 1..TALLY_SHARES_MAX_SECRET */
    uint32_t label_size;  /* bytes of `label`, at most TALLY_SHARES_MAX_LABEL */
    const uint8_t *label; /* what the secret is, in UTF-8; public. NULL if of 0 bytes */
} tally_shares_params;

/* A parsed share. */
typedef struct tally_share {
    tally_shares_params params; /* its label points into the share */
    uint32_t index;             /* 1..params.count */
    uint32_t size;              /* bytes of the share; more may follow */
    uint8_t set[16];
} tally_share;

/* The verdict on a given share. */
typedef int32_t tally_share_verdict;

enum {
    TALLY_SHARE_GOOD = 0,
    TALLY_SHARE_MALFORMED, /* not a share, unknown version, truncated, or too long */
    TALLY_SHARE_DAMAGED,   /* does not match its set's name */
    TALLY_SHARE_FOREIGN,   /* of another set than the recovered one, or than most shares */
    TALLY_SHARE_REPEATED   /* given before */
};

/* The size of each share of a set, in bytes; 0 if a parameter is outside its range. */
TALLY_API size_t tally_shares_size(const tally_shares_params *params);

/* Splits `secret` into shares[0..count), of tally_shares_size bytes each and of the indices 1, 2,
 * ..., with randomness from the operating system. Shares overlap neither each other nor the secret.
 *
 * TALLY_ERROR_ARGUMENT: a parameter is outside its range. TALLY_ERROR_ENTROPY: no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_shares_split(const tally_shares_params *params,
                                                           const uint8_t *secret,
                                                           uint8_t *const shares[]);

/* Reads one share of `size` bytes and checks it against its set's name, which needs no other share.
 * Bytes may follow it only if it is the key of a dispersed file. Writes `out` for
 * TALLY_SHARE_GOOD and TALLY_SHARE_DAMAGED (of which nothing can be trusted), else zeroes it. */
TALLY_API TALLY_MUST_CHECK tally_share_verdict tally_shares_read(const uint8_t *share, size_t size,
                                                                 tally_share *out);

/* The result of tally_shares_recover. */
typedef struct tally_shares_found {
    tally_share first; /* a share of the recovered set, or of the set of most good shares; of size 0
                          if no share is good */
    uint32_t good;     /* different shares of that set */
    uint32_t sets;     /* sets with enough shares; more than one is an error */
} tally_shares_found;

/* Recovers the secret from `count` shares in any order, sizes[i] bytes each. verdicts[i] is the
 * verdict on share i. Recovery uses the good shares only. Then it splits the secret again: the hash
 * over all shares must be the set's name. `secret` receives found->first.params.secret_size bytes,
 * at most secret_capacity. If it is NULL, the shares are only verified. The cost is one hash of
 * each given share, and of each share of the set.
 *
 * If `set` is not NULL, shares of other sets are foreign. The shares must not change during the
 * call. `verdicts` and `found` are written unless `count` is too large. With any status but
 * TALLY_OK, `secret` is zeroed or not written. TALLY_ERROR_SHARES_FEW: no set has as many good
 * shares as its threshold. TALLY_ERROR_SHARES_SETS: more than one set has; choose one with `set`.
 * TALLY_ERROR_SHARES_FALSE: each share matches its set, but the set is not the result of a split:
 * the dealer did not follow the scheme.
 * TALLY_ERROR_ARGUMENT: count is above TALLY_SHARES_MAX_GIVEN, or the secret is larger than
 * secret_capacity. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_shares_recover(const uint8_t *const shares[], const size_t sizes[], size_t count,
                     const uint8_t *set, tally_share_verdict *verdicts, tally_shares_found *found,
                     uint8_t *secret, size_t secret_capacity);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/dispersal.h ---- */
/*
* Dispersal of large data among several people: secret sharing made short (Krawczyk, CRYPTO '93)
 * and authentic. The data is encrypted under a fresh key, stripe by stripe. A stripe is cut into
 * `threshold` parts, a systematic Reed-Solomon code (tallystick/reed_solomon.h) adds parts for the
 * other shares, and each part has a tag. A part with its size and its tag is a record. A share
 * begins with an authentic share of the key (tallystick/shares.h); a record of each stripe follows.
 * So it has about 1/threshold of the size of the data.
 *
 * Both directions stream: the caller holds some stripes at a time, whatever the total size. A
 * stripe is released only after enough of its parts are verified. A part that fails is replaced by
 * the part of another share. docs/reference/share-format.md has the format to the byte.
 *
 * The parts rest on AES-256 in counter mode and AES-256-CMAC. Holders of `threshold` shares have
 * the keys and can forge tags; holders of fewer shares cannot. */
#ifndef TALLYSTICK_DISPERSAL_H
#define TALLYSTICK_DISPERSAL_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_DISPERSAL_PART = 16384, /* bytes of a part; those of the last stripe may be shorter */
    TALLY_DISPERSAL_RECORD = TALLY_DISPERSAL_PART + 20, /* bytes of a record of such a part */
    TALLY_DISPERSAL_KEY = 32                            /* bytes of the shared secret */
};

/* A dispersal or recovery in progress: keys, and the matrix of the code. It is opaque, and lies in
 * memory of the caller. One thread at a time. */
typedef struct tally_dispersal tally_dispersal;

/* The size of the memory that a dispersal takes, whatever its alignment: about 4 kB, plus
 * threshold * (count - threshold) bytes. 0 if the parameters are not those of a dispersed file. */
TALLY_API size_t tally_dispersal_size(const tally_shares_params *params);

/* Begins a dispersal in `memory`, of at least tally_dispersal_size bytes; *out points into it.
 * Draws a key from the operating system and from `hedge`, and writes the key shares, with which the
 * shares begin: key_shares[0..count), of tally_shares_size bytes each. params->kind is
 * TALLY_SHARES_FILE, and params->secret_size TALLY_DISPERSAL_KEY. `hedge` is the beginning of the
 * data: if the system's randomness is weak, the key is still as hard to guess as `hedge`.
 *
 * TALLY_ERROR_ARGUMENT: a parameter is outside its range, or there is too little memory.
 * TALLY_ERROR_ENTROPY: no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_dispersal_init(
    const tally_shares_params *params, const uint8_t *hedge, size_t hedge_size, void *memory,
    size_t memory_size, tally_dispersal **out, uint8_t *const key_shares[]);

/* Continues with data that was dispersed: `share` and `key` are found->first and the secret of
 * tally_shares_recover. To replace lost records, decode stripes and encode them again: the records
 * are the same to the byte.
 *
 * TALLY_ERROR_ARGUMENT: the share is not of a dispersed file, or there is too little memory. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_dispersal_init_with_key(const tally_share *share, const uint8_t key[TALLY_DISPERSAL_KEY],
                              void *memory, size_t memory_size, tally_dispersal **out);

/* Wipes the keys. Another initialization may use the memory again. */
TALLY_API void tally_dispersal_wipe(tally_dispersal *dispersal);

/* The number of shares. */
TALLY_API size_t tally_dispersal_share_count(const tally_dispersal *dispersal);

/* The bytes of data in a whole stripe: threshold * TALLY_DISPERSAL_PART. */
TALLY_API size_t tally_dispersal_stripe_size(const tally_dispersal *dispersal);

/* The size of the records of `size` bytes of data in each share. is_last: the data ends with
 * them. */
TALLY_API size_t tally_dispersal_records_size(const tally_dispersal *dispersal, size_t size,
                                              int is_last);

/* Encrypts and encodes the data from stripe number `stripe` on. records[i] receives the records of
 * share i + 1, of tally_dispersal_records_size bytes. Never encode other data under the number of
 * an encoded stripe. Up to 64 records, a call is the faster the more stripes it has. `records` do
 * not overlap the data.
 *
 * TALLY_ERROR_ARGUMENT: not is_last, and size is 0 or no multiple of
 * tally_dispersal_stripe_size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_dispersal_encode(tally_dispersal *dispersal,
                                                               uint64_t stripe, const uint8_t *data,
                                                               size_t size, int is_last,
                                                               uint8_t *const records[]);

/* The result of tally_dispersal_decode. */
typedef struct tally_dispersal_found {
    size_t size;         /* bytes of data that were released */
    size_t stripes;      /* stripes that were released */
    uint32_t is_last;    /* 1: the data ends with them */
    uint8_t missing[32]; /* with TALLY_ERROR_SHARES_FEW: bit i, from the least significant one of
                            the first byte, is set if share i was given and has no authentic part */
} tally_dispersal_found;

/* Verifies and decrypts up to `stripes` stripes from number `stripe` on. records[i], of sizes[i]
 * bytes, are the records of share indices[i] from that stripe on, as many as there are,
 * TALLY_DISPERSAL_RECORD bytes apart. Leave shares without records out. damaged[i] is increased by
 * the number of stripes whose part in that share is missing, cut short or not authentic. `out` has
 * the capacity of `stripes` whole stripes and overlaps no record.
 *
 * TALLY_ERROR_SHARES_FEW: stripe number stripe + found->stripes has fewer authentic parts than the
 * threshold. found->missing has the shares without one. The stripes before it were released, and
 * `damaged` does not count it.
 * TALLY_ERROR_ARGUMENT: an index is 0, above the number of shares, or occurs twice. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_dispersal_decode(tally_dispersal *dispersal, uint64_t stripe, size_t stripes,
                       const uint8_t *indices, const uint8_t *const records[], const size_t sizes[],
                       size_t count, uint8_t *out, uint64_t *damaged, tally_dispersal_found *found);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/fast.h ---- */
/*
* FAST, format-preserving encryption (Durak, Horst, Horst, Vaudenay, ASIACRYPT 2021, ePrint
 * 2021/1171). Words of `length` symbols 0..radix-1, one byte a symbol, become words of the same
 * radix and length. docs/reference/fast.md has the byte encodings that the paper leaves open.
 *
 * There are two objects. A *pool* depends on the key and the radix alone. It is immutable after its
 * set-up, so any number of threads may share it. A *cipher* uses a pool. It caches the sequences of
 * the most recent tweaks and lengths, has scratch memory, and belongs to one thread at a time.
 *
 * Many words of one length and tweak are processed in vector lanes, one word a lane; no address
 * depends on a symbol. The code for one word looks S-boxes up by secret index:
 * docs/explanation/side-channels.md. */
#ifndef TALLYSTICK_FAST_H
#define TALLYSTICK_FAST_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_FAST_MIN_RADIX = 4,
    TALLY_FAST_MAX_RADIX = 256,
    TALLY_FAST_MIN_LENGTH = 2,              /* profile "fast" */
    TALLY_FAST_MAX_LENGTH = 1 << 16,        /* profile "fast" */
    TALLY_FAST_LEGACY_MAX_LENGTH = 1 << 20, /* profile "bytes-legacy", from 0 */
    TALLY_FAST_POOL_SIZE = 256              /* m, the S-boxes of a pool */
};

/* Statuses 32..47; a key of a wrong size is TALLY_ERROR_KEY_SIZE of aes.h. */
enum {
    TALLY_ERROR_RADIX = 32,  /* a radix is outside 4..256, or not the profile's or cipher's */
    TALLY_ERROR_LENGTH = 33, /* a length is outside its range */
    TALLY_ERROR_PARAMS = 34, /* layers, w or w' do not make a FAST cipher */
    TALLY_ERROR_SYMBOL = 35  /* a symbol is >= the radix, or a number >= the range's size */
};

/* TALLY_FAST is the cipher of the paper, for all new data. TALLY_FAST_BYTES_LEGACY is the key
 * schedule and round counts of the first go-fast: radix 256 only, rounds far below the paper's,
 * and weak at one and two bytes. Use it to read and replace old tokens, never for new
 * data. */
typedef enum tally_fast_profile { TALLY_FAST = 0, TALLY_FAST_BYTES_LEGACY = 1 } tally_fast_profile;

/* The parameters of one instance. */
typedef struct tally_fast_params {
    uint32_t radix;   /* a, 4..256 */
    uint32_t length;  /* l, symbols of a word */
    uint32_t layers;  /* n, a multiple of l, at least l */
    uint32_t w;       /* branch distance, 0..l-2 */
    uint32_t w_prime; /* branch distance, 1..l-1 (recommended: at most l-w-1) */
} tally_fast_params;

/* The parameters that the profile recommends: for TALLY_FAST, 128-bit security by table 1 of the
 * paper, interpolated. TALLY_ERROR_RADIX, TALLY_ERROR_LENGTH: outside the profile's range.
 * TALLY_ERROR_ARGUMENT: the profile is unknown. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_recommended(tally_fast_profile profile,
                                                               uint32_t radix, uint32_t length,
                                                               tally_fast_params *out);

/* The S-box pool of one key and radix, with the key's CMAC, in memory of the caller. */
typedef struct tally_fast_pool tally_fast_pool;

/* Bytes of memory for a pool; 0 for a radix outside 4..256. */
TALLY_API size_t tally_fast_pool_size(uint32_t radix);

/* Builds a pool in `memory`, of tally_fast_pool_size(radix) bytes and any alignment; *out points
 * into it. The memory must not move while the pool is in use. Dispose of it with
 * tally_fast_pool_wipe. TALLY_ERROR_RADIX: outside 4..256, or not 256 in the legacy profile.
 * TALLY_ERROR_KEY_SIZE: not 16, 24 or 32. TALLY_ERROR_ARGUMENT: memory too small, or an unknown
 * profile. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_pool_init(tally_fast_profile profile,
                                                             uint32_t radix, const uint8_t *key,
                                                             size_t key_size, void *memory,
                                                             size_t memory_size,
                                                             tally_fast_pool **out);

/* Wipes all of a pool. Its ciphers cannot be used afterwards, so wipe them first. */
TALLY_API void tally_fast_pool_wipe(tally_fast_pool *pool);

/* A cipher caches the sequences of `capacity` tweaks and lengths. A new one replaces
 * the least recently used one. */
typedef struct tally_fast_cipher tally_fast_cipher;

/* Bytes of memory for a cipher that caches `capacity` sequences: 0 unless that is in 1..4096. A
 * cipher of 64 takes at most 320,000 bytes. */
TALLY_API size_t tally_fast_cipher_size(size_t capacity);

/* Sets a cipher up in `memory`, of tally_fast_cipher_size(capacity) bytes and any alignment. The
 * pool must outlive it. Dispose of it with tally_fast_cipher_wipe. TALLY_ERROR_ARGUMENT: the
 * capacity is not in 1..4096, or memory too small. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_cipher_init(const tally_fast_pool *pool,
                                                               size_t capacity, void *memory,
                                                               size_t memory_size,
                                                               tally_fast_cipher **out);

/* Wipes the cached sequences, which depend on the key; words are wiped in each call already. Memory
 * that was never used is not touched. The cipher cannot be used afterwards. */
TALLY_API void tally_fast_cipher_wipe(tally_fast_cipher *cipher);

/* Encrypts or decrypts `count` words of params->length symbols, side by side in memory, under one
 * tweak of any size (NULL if 0). `out` may equal `words`; other overlaps are not allowed.
 * One word is a count of 1. `words` must not change during the call.
 * TALLY_ERROR_RADIX: params are not of the pool's radix. TALLY_ERROR_LENGTH, TALLY_ERROR_PARAMS:
 * they are no instance of FAST (legacy profile: not the recommended parameters).
 * TALLY_ERROR_SYMBOL: a symbol is not below the radix. TALLY_ERROR_ARGUMENT: the words do
 * not fit in the address space. After an error `out` is what it was before. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_encrypt_words(
    tally_fast_cipher *cipher, const tally_fast_params *params, const uint8_t *tweak,
    size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out);
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_decrypt_words(
    tally_fast_cipher *cipher, const tally_fast_params *params, const uint8_t *tweak,
    size_t tweak_size, const uint8_t *words, size_t count, uint8_t *out);

/* The radix and length of words for the numbers 0..size-1 (size 0 stands for 2^64). The length is
 * the least one >= 2 with 256^length >= size, and the radix the least >= 4 with
 * radix^length >= size. A cipher for
 * tally_fast_encrypt_range must have this radix. TALLY_ERROR_ARGUMENT: size is 1. */
TALLY_API TALLY_MUST_CHECK tally_status tally_fast_range_params(uint64_t size,
                                                                tally_fast_params *out);

/* A permutation of the numbers 0..size-1 (size 0 stands for 2^64). A number is a word of
 * tally_fast_range_params, most significant symbol first. It is encrypted until it is below size
 * again (cycle walking; docs/reference/fast.md proves that it ends). `out` may equal `numbers`.
 * TALLY_ERROR_RADIX: the cipher has another radix, or is of the legacy profile.
 * TALLY_ERROR_SYMBOL: a number is not below size. TALLY_ERROR_ARGUMENT: size is 1. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_fast_encrypt_range(tally_fast_cipher *cipher, uint64_t size, const uint8_t *tweak,
                         size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out);
TALLY_API TALLY_MUST_CHECK tally_status
tally_fast_decrypt_range(tally_fast_cipher *cipher, uint64_t size, const uint8_t *tweak,
                         size_t tweak_size, const uint64_t *numbers, size_t count, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/ff1.h ---- */
/*
* FF1, the format-preserving encryption of NIST SP 800-38G (2016) and of the second draft of its
 * Revision 1 (2025). Words of `length` symbols 0..radix-1 become words of the same radix and length,
 * under a tweak of any size
 * (docs/reference/ff1.md).
 *
 * A symbol is one byte if the radix is at most 256, else a uint16_t in the machine's byte order. The
 * first symbol is the most significant one, as in the standard.
 *
 * A cipher is immutable after its set-up, so any number of threads may share it. Words of one length
 * are processed side by side. No branch and no address depends on the key, a word or a tweak; what a
 * call takes depends on sizes and counts alone. */
#ifndef TALLYSTICK_FF1_H
#define TALLYSTICK_FF1_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_FF1_MIN_RADIX = 2,
    TALLY_FF1_MAX_RADIX = 1 << 16,
    TALLY_FF1_MAX_LENGTH = 1 << 16 /* symbols; the least length is tally_ff1_min_length */
};

/* Statuses 128..143; a key of a wrong size is TALLY_ERROR_KEY_SIZE of aes.h. */
enum {
    TALLY_ERROR_FF1_RADIX = 128,     /* a radix is outside 2..2^16 */
    TALLY_ERROR_FF1_LENGTH = 129,    /* a length is outside the range for the radix */
    TALLY_ERROR_FF1_SYMBOL = 130,    /* a symbol is >= the radix */
    TALLY_ERROR_FF1_TWEAK_SIZE = 131 /* a tweak has too many bytes; of FF3-1: not 7 or 8 */
};

/* The two editions differ in the shortest words alone. TALLY_FF1 demands radix^length >= 1,000,000,
 * as Revision 1 does. TALLY_FF1_2016 demands radix^length >= 100: use it to read data that was
 * encrypted before. Whoever has pairs of values and tokens can recover the rest of so small a
 * domain. */
typedef enum tally_ff1_profile { TALLY_FF1 = 0, TALLY_FF1_2016 = 1 } tally_ff1_profile;

/* The least length of words of a radix; 0 if the radix or the profile does not exist. */
TALLY_API uint32_t tally_ff1_min_length(tally_ff1_profile profile, uint32_t radix);

/* A key, a radix and a profile, in memory of the caller. */
typedef struct tally_ff1 tally_ff1;

/* Bytes of memory for a cipher. */
TALLY_API size_t tally_ff1_size(void);

/* Sets a cipher up in `memory`, of tally_ff1_size() bytes and any alignment; *out points into it. The
 * memory must not move while the cipher is in use. Dispose of it with tally_ff1_wipe.
 * TALLY_ERROR_FF1_RADIX: outside 2..2^16. TALLY_ERROR_KEY_SIZE: not 16, 24 or 32.
 * TALLY_ERROR_ARGUMENT: memory too small, or an unknown profile. */
TALLY_API TALLY_MUST_CHECK tally_status tally_ff1_init(tally_ff1_profile profile, uint32_t radix,
                                                       const uint8_t *key, size_t key_size,
                                                       void *memory, size_t memory_size,
                                                       tally_ff1 **out);

/* Wipes the key. The cipher cannot be used afterwards. */
TALLY_API void tally_ff1_wipe(tally_ff1 *cipher);

/* Encrypts or decrypts `count` words of `length` symbols, side by side in memory, under one tweak of
 * 0..2^32-1 bytes (NULL if 0). `words` and `out` have any alignment. `out` may equal `words`; other
 * overlaps are not allowed. `words` must not change during the call. Words with halves of some
 * thousand bits or more need memory, which comes from malloc; shorter ones need none.
 * TALLY_ERROR_FF1_LENGTH: below tally_ff1_min_length, or above TALLY_FF1_MAX_LENGTH.
 * TALLY_ERROR_FF1_TWEAK_SIZE: the tweak is too long. TALLY_ERROR_FF1_SYMBOL: a symbol is not below
 * the radix. TALLY_ERROR_ARGUMENT: the words do not fit in the address space. TALLY_ERROR_MEMORY:
 * there is too little. After an error `out` is what it was before. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_ff1_encrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                        size_t tweak_size, const void *words, size_t count, void *out);
TALLY_API TALLY_MUST_CHECK tally_status
tally_ff1_decrypt_words(const tally_ff1 *cipher, uint32_t length, const uint8_t *tweak,
                        size_t tweak_size, const void *words, size_t count, void *out);

/* FF3-1 of the first draft of Revision 1 (2019), and FF3 of SP 800-38G (2016): to read data that was
 * encrypted before, not for new data. The second draft of Revision 1 has neither, since attacks on
 * both were published (Durak and Vaudenay 2017; Beyne 2021). So there is decryption alone. */
enum {
    TALLY_FF3_1_TWEAK = 7, /* bytes: FF3-1 */
    TALLY_FF3_TWEAK = 8    /* bytes: FF3 */
};

/* A key and a radix, in memory of the caller; immutable after its set-up. */
typedef struct tally_ff3_1 tally_ff3_1;

/* Bytes of memory for it. */
TALLY_API size_t tally_ff3_1_size(void);

/* Sets it up, as tally_ff1_init does; the same statuses. */
TALLY_API TALLY_MUST_CHECK tally_status tally_ff3_1_init(uint32_t radix, const uint8_t *key,
                                                         size_t key_size, void *memory,
                                                         size_t memory_size, tally_ff3_1 **out);

/* Wipes the key. */
TALLY_API void tally_ff3_1_wipe(tally_ff3_1 *cipher);

/* The least and the greatest length of words of a radix: radix^length is at least 1,000,000 with
 * tweaks of 7 bytes, or 100 with tweaks of 8, and half of the symbols have at most 2^96 values. 0: the
 * radix or the size of tweaks does not exist. */
TALLY_API uint32_t tally_ff3_1_min_length(size_t tweak_size, uint32_t radix);
TALLY_API uint32_t tally_ff3_1_max_length(uint32_t radix);

/* Decrypts `count` words of `length` symbols, as tally_ff1_decrypt_words does; the same statuses.
 * A tweak of 7 bytes chooses FF3-1, one of 8 bytes FF3. TALLY_ERROR_FF1_TWEAK_SIZE: it has another
 * size. TALLY_ERROR_FF1_LENGTH: the length is outside its range. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_ff3_1_decrypt_words(const tally_ff3_1 *cipher, uint32_t length, const uint8_t *tweak,
                          size_t tweak_size, const void *words, size_t count, void *out);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/masked_aes.h ---- */
/*
* AES-128, AES-192 and AES-256 (FIPS 197) on Boolean shares, bit-sliced, for CPUs whose power or
 * radiation an attacker can measure. Every bit of state and key is the XOR of order + 1 shares;
 * each AND takes fresh randomness.
 *
 * The proof is about the circuit: no wire of an S-box (order 1) and no two wires of an S-box
 * (order 2) depend on the shared value, if the sharing of the inputs is uniform. C code cannot
 * guarantee this: a compiler may combine shares of one value, and registers, memory and buses leak
 * the transition from one value to the next. For a Cortex-M0+, AES-128 with two shares is assembly
 * that avoids both.
 * docs/explanation/masked-aes.md has the details. */
#ifndef TALLYSTICK_MASKED_AES_H
#define TALLYSTICK_MASKED_AES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Randomness: a function that fills `out` with `size` uniform and independent bytes that no
 * attacker knows. If it returns another status than TALLY_OK, the calling function stops, wipes its
 * results and returns that status. It must wait for slow hardware, but not for ever.
 * masked_random.h has such a function for a register with flags, and tests of health. With
 * TALLY_RANDOM_REGISTER it also gets size 0 and NULL, and says whether all words were sound. */
typedef tally_status tally_mask_fill(void *context, uint8_t *out, size_t size);

typedef struct tally_mask_source {
    tally_mask_fill *fill;
    void *context;
} tally_mask_source;

/* A ready-made source: the AES-128-CTR stream of a key from the operating system's entropy. It
 * uses the AES of aes.h, which is not masked. Each generator draws a new key, and a leak about it
 * reveals masks, not the masked key. One thread at a time. */
typedef struct tally_mask_generator {
    tally_aes_key key;
    uint8_t counter[16];
    uint64_t reserved[2];
} tally_mask_generator;

/* TALLY_ERROR_ENTROPY: the operating system gave no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_mask_generator_init(tally_mask_generator *out);
/* A tally_mask_fill, whose context is the generator; always TALLY_OK. */
TALLY_API TALLY_MUST_CHECK tally_status tally_mask_generator_fill(void *generator, uint8_t *out,
                                                                  size_t size);
TALLY_API void tally_mask_generator_wipe(tally_mask_generator *generator);

/* Bytes, of bit-sliced memory: a cache line, or on a small machine what its words need. */
#if defined(TALLY_SLICE_BITS)
#define TALLY_MASKED_ALIGNMENT 8
#else
#define TALLY_MASKED_ALIGNMENT 64
#endif

/* A slicing: the layout of blocks in words. A word has 16, 32, 64, 128, 256 or 512 bits, and bits /
 * 16 blocks. Opaque; the library has them as constants. */
typedef struct tally_masked_slicing tally_masked_slicing;

/* The slicing with words of `bits`; bits = 0: the narrowest that takes `blocks` blocks at once, or
 * the widest of this CPU, if none does. `order` is 1 (two shares) or 2 (three).
 * TALLY_ERROR_ARGUMENT: this CPU, or this build, has no such words; or the order is another. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_choose(unsigned order, unsigned bits,
                                                            size_t blocks,
                                                            const tally_masked_slicing **out);

TALLY_API unsigned tally_masked_bits(const tally_masked_slicing *slicing);
TALLY_API size_t tally_masked_blocks(const tally_masked_slicing *slicing); /* at once: bits / 16 */
TALLY_API size_t tally_masked_shares(const tally_masked_slicing *slicing); /* order + 1 */

/* Bytes of a bit-sliced state: for each share eight planes of one word, plane p of bit p of every
 * byte. The byte of row r and column c of block b is bit (4 r + c) blocks + b of a word of at most
 * 64 bits, in the CPU's byte order. Wider ones consist of units of 128 bits, where it is bit b /
 * units of byte 4 r + c of unit b modulo units. */
TALLY_API size_t tally_masked_state_size(const tally_masked_slicing *slicing);

/* The random bytes that a call takes from its source to share a state, to encrypt or decrypt one,
 * or to expand a key of 16, 24 or 32 bytes. tally_masked_key_init first masks the keys. For each
 * byte of the keys it takes one more random byte at order 1, and two at order 2. */
TALLY_API size_t tally_masked_share_cost(const tally_masked_slicing *slicing);
TALLY_API size_t tally_masked_crypt_cost(const tally_masked_slicing *slicing, size_t key_size);
TALLY_API size_t tally_masked_expand_cost(const tally_masked_slicing *slicing, size_t key_size);

/* An expanded key on shares, in memory of the caller. It holds a key for each of the blocks of a
 * word. Wipe it with tally_masked_key_wipe. Any number of threads may use it at once. */
typedef struct tally_masked_key tally_masked_key;

/* The size of the memory that a key of 16, 24 or 32 bytes takes, whatever its alignment. A build
 * with TALLY_MASKED_SMALL has keys of 16 bytes alone: the others are of a wrong size there. */
TALLY_API size_t tally_masked_key_size(const tally_masked_slicing *slicing, size_t key_size);

#if defined(TALLY_SLICE_BITS)
/* The same for two shares, for memory that is not allocated. */
#define TALLY_MASKED_KEY_SIZE(key_size) (24 + ((key_size) / 4 + 7) * 2 * TALLY_SLICE_BITS)
#endif

/* Expands `count` keys of `key_size` bytes each, one after the other in memory: one, for all
 * blocks; or one for each block of a word. They are masked before anything else is done with them.
 * TALLY_ERROR_KEY_SIZE; TALLY_ERROR_ARGUMENT: another count, or too little memory; or what the
 * source returns. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_key_init(
    const tally_masked_slicing *slicing, const uint8_t *keys, size_t key_size, size_t count,
    const tally_mask_source *source, void *memory, size_t memory_size, tally_masked_key **out);

/* The same with shared keys: shares[s] has share s of all keys. The keys are the XOR of their
 * shares. */
TALLY_API TALLY_MUST_CHECK tally_status
tally_masked_key_init_shares(const tally_masked_slicing *slicing, const uint8_t *const shares[],
                             size_t key_size, size_t count, const tally_mask_source *source,
                             void *memory, size_t memory_size, tally_masked_key **out);

/* Makes new shares of an expanded key in its place; the key stays the same. Whoever can average
 * over many uses of the same shares learns each of them more and more precisely: so refresh a key
 * that stays at least once in TALLY_MASKED_REFRESH_BLOCKS blocks. It takes
 * tally_masked_refresh_cost random bytes. No other thread may use the key meanwhile. If the source
 * fails, some round keys have their old shares, and the key still works.
 * TALLY_ERROR_ARGUMENT: the key was wiped; or what the source returns. */
#define TALLY_MASKED_REFRESH_BLOCKS 256
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_refresh(tally_masked_key *key,
                                                             const tally_mask_source *source);
TALLY_API size_t tally_masked_refresh_cost(const tally_masked_slicing *slicing, size_t key_size);

/* The same of bytes that are the XOR of `count` shares, 2 or 3, of `size` bytes each: a key as it is
 * stored, for tally_masked_key_init_shares and tally_masked_encrypt_once. Takes size random bytes
 * with two shares, and three times that with three. TALLY_ERROR_ARGUMENT: another count. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_refresh_shares(
    uint8_t *const shares[], size_t count, size_t size, const tally_mask_source *source);

/* Encrypts or decrypts blocks of 16 bytes, each by itself: they are shared before the first
 * round, and their shares are combined after the last one. With a key for each block of a word,
 * block i takes key i modulo tally_masked_blocks. `out` may equal `in`; other overlaps are not
 * allowed. Errors are those of the source alone; with them `out` is zeroed. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_encrypt_blocks(const tally_masked_key *key,
                                                                    const tally_mask_source *source,
                                                                    const uint8_t *in,
                                                                    size_t blocks, uint8_t *out);
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_decrypt_blocks(const tally_masked_key *key,
                                                                    const tally_mask_source *source,
                                                                    const uint8_t *in,
                                                                    size_t blocks, uint8_t *out);

/* Encrypts one block under a key of AES-128 that is used once, given by two shares. The key is
 * expanded during the rounds, which on a Cortex-M0+ costs no memory and little time. `out` may
 * equal `in`; errors as above. Random bytes: those of two blocks to share, and of 20 S-boxes (10 on
 * a Cortex-M0+). */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_encrypt_once(const uint8_t *const key[2],
                                                                  const tally_mask_source *source,
                                                                  const uint8_t in[16],
                                                                  uint8_t out[16]);

/* Encrypts or decrypts a shared state in place; shares are never combined. The state is aligned to
 * TALLY_MASKED_ALIGNMENT, and zeroed on any status but TALLY_OK. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_encrypt_state(const tally_masked_key *key,
                                                                   const tally_mask_source *source,
                                                                   void *state);
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_decrypt_state(const tally_masked_key *key,
                                                                   const tally_mask_source *source,
                                                                   void *state);

/* Converts shares of `blocks` blocks each to a state, and back. If there are fewer blocks than a
 * word has, the others are zero. Both functions are linear, and never combine shares. */
TALLY_API void tally_masked_slice(const tally_masked_slicing *slicing,
                                  const uint8_t *const shares[], size_t blocks, void *state);
TALLY_API void tally_masked_unslice(const tally_masked_slicing *slicing, const void *state,
                                    size_t blocks, uint8_t *const shares[]);

/* The same with shared and bit-sliced keys. `states` has one state, or two for keys of more than 16
 * bytes: the second one has the remaining bytes of each key, then zeros. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_key_init_state(
    const tally_masked_slicing *slicing, const void *states, size_t key_size,
    const tally_mask_source *source, void *memory, size_t memory_size, tally_masked_key **out);

/* Wipes the round keys. The key cannot be used afterwards; wiping it again does nothing. */
TALLY_API void tally_masked_key_wipe(tally_masked_key *key);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/reed_solomon.h ---- */
/*
* A systematic Reed-Solomon code over GF(2^8), modulo 0x11B, for lost shards. Bytes b of the shards
 * 1, 2, ..., k are the values at 1, 2, ..., k of a polynomial of degree below k. Byte b of any
 * other shard, up to 255, is the value of that polynomial at the shard's number. Any k shards give
 * all others. The code corrects erasures, not errors: the caller must know which shards are lost.
 *
 * No branch and no address depends on the bytes of a shard. */
#ifndef TALLYSTICK_REED_SOLOMON_H
#define TALLYSTICK_REED_SOLOMON_H

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the matrix that makes the shards of the numbers to[0..outputs) from those of the numbers
 * from[0..inputs): outputs rows of inputs bytes each. To encode, from is 1, 2, ..., k. A matrix can
 * be applied any number of times.
 *
 * TALLY_ERROR_ARGUMENT: inputs or outputs is not 1..255, a number is 0, or a number occurs twice
 * (in `from` and `to` together). */
TALLY_API TALLY_MUST_CHECK tally_status tally_reed_solomon_matrix(const uint8_t *from,
                                                                  size_t inputs, const uint8_t *to,
                                                                  size_t outputs, uint8_t *matrix);

/* Computes the shards out[0..outputs) from in[0..inputs), of `size` bytes each. Outputs overlap
 * neither each other nor an input. */
TALLY_API void tally_reed_solomon_apply(const uint8_t *matrix, const uint8_t *const in[],
                                        size_t inputs, size_t outputs, size_t size,
                                        uint8_t *const out[]);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/shamir.h ---- */
/*
* Shamir's secret sharing (Communications of the ACM 22, 1979) over GF(2^8), byte by byte, in the
 * layout of HashiCorp Vault and OpenBao. Hazardous: a raw share has no integrity check, so a wrong
 * or altered share gives a wrong secret without an error. A holder who knows the secret and the
 * other shares can choose a share that gives any other secret. Use tallystick/shares.h, whose
 * shares are authentic; raw shares are for compatibility with other tools.
 *
 * A share of a secret of `size` bytes has size + 1: f_b(x) for each byte b of the secret, then x,
 * 1..255. f_b has degree threshold - 1, f_b(0) is byte b, and every other coefficient is uniform,
 * zero included. Any `threshold` shares recover the secret; fewer reveal only its size.
 *
 * New shares, and those of Vault, are of the field TALLY_GF256_AES. Some older tools use
 * TALLY_GF256_RS.
 *
 * No branch and no address depends on a secret, a share's bytes or a coefficient. Sizes, thresholds
 * and the x coordinates are public. */
#ifndef TALLYSTICK_SHAMIR_H
#define TALLYSTICK_SHAMIR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Splits a secret into shares[0..count), of size + 1 bytes each, under x coordinates that are
 * distinct and otherwise uniform. Coefficients are the stream of AES-256 in counter mode, under a
 * key that each call takes from the operating system. Shares overlap neither each other nor the
 * secret.
 *
 * TALLY_ERROR_ARGUMENT: size is 0, or not 2 <= threshold <= count <= 255, or the field is unknown.
 * TALLY_ERROR_ENTROPY: the operating system gave no entropy. */
TALLY_API TALLY_MUST_CHECK tally_status tally_shamir_split(tally_gf256_field field,
                                                           const uint8_t *secret, size_t size,
                                                           size_t threshold, size_t count,
                                                           uint8_t *const shares[]);

/* Recovers the secret, of share_size - 1 bytes, from `count` shares of share_size bytes. The caller
 * must know the threshold, and give at least as many shares. If shares are too few or wrong, the
 * secret is wrong and no error is returned. `secret` overlaps no share.
 *
 * TALLY_ERROR_ARGUMENT: share_size is below 2, count is not 2..255, an x coordinate is 0 or occurs
 * twice, or the field is unknown. */
TALLY_API TALLY_MUST_CHECK tally_status tally_shamir_recover(tally_gf256_field field,
                                                             const uint8_t *const shares[],
                                                             size_t count, size_t share_size,
                                                             uint8_t *secret);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/text.h ---- */
/*
* Tokens inside text: prompts, logs, documents (docs/reference/text-tokens.md). A token recognizes
 * itself: it carries a check of 40 to 128 bits, so a restorer finds the tokens of its keys in any
 * text, leaves everything else as it is, and reveals an invented token with a chance of 2^-bits. */
#ifndef TALLYSTICK_TEXT_H
#define TALLYSTICK_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 144..159. */
enum {
    TALLY_ERROR_TEXT_CHECK_BITS = 144, /* not 40..128 in steps of 8 */
    TALLY_ERROR_TEXT_KIND = 145,       /* not a kind, see tally_text_protect */
    TALLY_ERROR_TEXT_VALUE = 146,      /* not 1..4096 bytes */
    TALLY_ERROR_TEXT_KEYS = 147        /* not 1..16 keys with one number of check bits */
};

enum {
    TALLY_TEXT_CHECK_BITS = 64, /* the default */
    TALLY_TEXT_CHECK_BITS_MIN = 40,
    TALLY_TEXT_CHECK_BITS_MAX = 128,
    TALLY_TEXT_KIND_SIZE_MAX = 32,    /* bytes */
    TALLY_TEXT_VALUE_SIZE_MAX = 4096, /* bytes */
    TALLY_TEXT_SPACE_SIZE_MAX = 256,  /* bytes of a namespace */
    TALLY_TEXT_SCOPE_SIZE_MAX = 256,  /* bytes */
    TALLY_TEXT_KEYS_MAX = 16,         /* of a restorer */
    TALLY_TEXT_HELD_MAX =
        1 << 16, /* bytes of text that a token may take, with all that escaping adds */
    TALLY_TEXT_TOKEN_SIZE_MAX = 6624 /* bytes of a token as it is made */
};

/* How a token is written. */
typedef enum tally_text_frame {
    TALLY_TEXT_UNICODE = 0, /* U+27E6, the kind, a colon, the body, U+27E7 */
    TALLY_TEXT_ASCII = 1,   /* tly-, the kind, a hyphen, the body */
    TALLY_TEXT_EMAIL = 2 /* of an e-mail address: tly-, the kind, a dot, the body, at tly.example;
                             * what of the body has no room before the @ follows it. ASCII for other
                             * values, and for those that are too long for an address */
} tally_text_frame;

/* How a restorer writes values, so that they stay data in their surroundings. */
typedef enum tally_text_context {
    TALLY_TEXT_PLAIN = 0, /* as they are */
    TALLY_TEXT_JSON = 1,  /* as part of a string of JSON */
    TALLY_TEXT_HTML = 2   /* as part of HTML's text or of a quoted attribute */
} tally_text_context;

/* Checks a text policy (docs/reference/text-tokens.md). A binding reads its TOML, and hands it over as
 * the JSON of policy.h. Regular expressions are not looked at: each language has its own.
 *
 * TALLY_ERROR_POLICY: the problem's place is the key at fault, or empty, which stands for all of the
 * policy. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_policy_check(const tally_allocator *allocator,
                                                                const char *json, size_t size,
                                                                tally_problem *problem);

/* A key for one namespace and scope. The members are private. It may be copied, and any number of
 * threads may share it. */
typedef struct tally_text_key {
    tally_hmac_sha256 first, third;
    tally_aes_key second, fourth;
    uint32_t check_size; /* bytes */
    uint32_t reserved;
} tally_text_key;

/* Derives a key from a data key of 16, 24 or 32 bytes. `space` is the namespace, 1 to 256 bytes.
 * `scope` has 0 to 256 bytes (NULL if 0), such as a tenant or a conversation: tokens of other scopes
 * are not revealed. TALLY_ERROR_KEY_SIZE, TALLY_ERROR_TEXT_CHECK_BITS; TALLY_ERROR_ARGUMENT: sizes of
 * `space` or `scope`. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_key_init(const uint8_t *key, size_t key_size,
                                                            const uint8_t *space, size_t space_size,
                                                            const uint8_t *scope, size_t scope_size,
                                                            uint32_t check_bits,
                                                            tally_text_key *out);
TALLY_API void tally_text_key_wipe(tally_text_key *key);

/* Writes the token of a value of 1 to 4096 bytes to `out`, which has room for
 * TALLY_TEXT_TOKEN_SIZE_MAX; *out_size is its size. `kind` is a label for people and models, which
 * is not authenticated: 1 to 32 of a-z, 0-9 and '_', a letter first, not tly last. `out` does not
 * overlap an input. TALLY_ERROR_TEXT_KIND, TALLY_ERROR_TEXT_VALUE; TALLY_ERROR_ARGUMENT: no such
 * frame. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_protect(const tally_text_key *key,
                                                           tally_text_frame frame, const char *kind,
                                                           size_t kind_size, const uint8_t *value,
                                                           size_t size, uint8_t *out,
                                                           size_t *out_size);

/* Finds tokens in a text that arrives in chunks, and puts their values in. It holds back at most one
 * candidate. It belongs to one thread at a time. */
typedef struct tally_text_restorer tally_text_restorer;

/* Makes a restorer for tokens of 1 to 16 keys, which are tried in their order and must outlive it.
 * TALLY_ERROR_TEXT_KEYS, TALLY_ERROR_MEMORY; TALLY_ERROR_ARGUMENT: no such context. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_restorer_new(const tally_allocator *allocator,
                                                                const tally_text_key *const keys[],
                                                                size_t count,
                                                                tally_text_context context,
                                                                tally_text_restorer **out);

/* Wipes and releases a restorer; NULL is allowed. */
TALLY_API void tally_text_restorer_free(tally_text_restorer *restorer);

/* The room that the next chunk of `size` bytes needs at most, or the end with 0. */
TALLY_API size_t tally_text_restore_capacity(const tally_text_restorer *restorer, size_t size);

/* Takes a chunk (NULL if size is 0) and writes what is certain of the text to `out`. With `finish`
 * not 0 the text ends after the chunk: everything is written, and the next chunk begins a new text.
 * TALLY_ERROR_ARGUMENT: `capacity` is below tally_text_restore_capacity; nothing was taken. */
TALLY_API TALLY_MUST_CHECK tally_status tally_text_restore(tally_text_restorer *restorer,
                                                           const uint8_t *chunk, size_t size,
                                                           int finish, uint8_t *out,
                                                           size_t capacity, size_t *out_size);

/* How many tokens were revealed so far, and how many complete ones were left alone because none of
 * the keys made them. */
TALLY_API uint64_t tally_text_restored(const tally_text_restorer *restorer);
TALLY_API uint64_t tally_text_refused(const tally_text_restorer *restorer);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/tokens.h ---- */
/*
* Tokens: a format with a key. A *tokenizer* has a format, a key and a namespace; it never changes,
 * and any number of threads may share it. A *worker* works for one tokenizer, in one thread at a
 * time: it has ciphers, which it makes when they are first needed, and memory to work in. */
#ifndef TALLYSTICK_TOKENS_H
#define TALLYSTICK_TOKENS_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TALLY_MAX_NAMESPACE = 256, /* bytes */
    TALLY_MAX_VALUE = 1 << 20, /* bytes of one value */
    TALLY_FINGERPRINT = 32     /* bytes */
};

/* Statuses 80..95. */
enum {
    TALLY_ERROR_NAMESPACE = 80,    /* a namespace is empty, too long or not UTF-8 */
    TALLY_ERROR_INVALID = 81,      /* a value is invalid, and on_invalid is TALLY_INVALID_ERROR */
    TALLY_ERROR_ARRAY = 82,        /* an Arrow structure is damaged; a tally_problem says where */
    TALLY_ERROR_PROTECT_ONLY = 83, /* the key has no right to reveal */
    TALLY_ERROR_REVEAL_ONLY = 84   /* the key has no right to protect */
};

/* What becomes of an invalid value. */
typedef enum tally_on_invalid {
    TALLY_INVALID_ERROR = 0, /* the call fails, and says which */
    TALLY_INVALID_NULL,      /* it is replaced by a null */
    TALLY_INVALID_KEEP       /* it stays, in clear */
} tally_on_invalid;

typedef struct tally_tokenizer tally_tokenizer;
typedef struct tally_worker tally_worker;

/* Makes a tokenizer. The key has 16, 24 or 32 bytes, and is copied; for a format without a key it
 * is NULL. The namespace, 1..256 bytes of UTF-8, names what the values mean (without a key it may
 * be empty). The format must outlive the tokenizer.
 *
 * TALLY_ERROR_KEY_SIZE, TALLY_ERROR_NAMESPACE, TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: on_invalid
 * is none of its values, or can't go with the format; *problem says why. */
TALLY_API TALLY_MUST_CHECK tally_status tally_tokenizer_new(
    const tally_allocator *allocator, const tally_format *format, const uint8_t *key,
    size_t key_size, const char *name_space, size_t name_space_size, tally_on_invalid on_invalid,
    tally_tokenizer **out, tally_problem *problem);

/* Takes the rights away that are not in `rights` (TALLY_MAY_PROTECT, TALLY_MAY_REVEAL); a new
 * tokenizer has both. Calls without the right fail with TALLY_ERROR_PROTECT_ONLY or
 * TALLY_ERROR_REVEAL_ONLY. Call it before the tokenizer is shared. */
TALLY_API void tally_tokenizer_limit(tally_tokenizer *tokenizer, uint32_t rights);

/* Wipes the key, and releases a tokenizer; NULL is allowed. Its workers must be freed before. */
TALLY_API void tally_tokenizer_free(tally_tokenizer *tokenizer);

/* 32 public bytes that identify the key (docs/explanation/what-a-token-reveals.md). Zeros without
 * a key. */
TALLY_API void tally_tokenizer_fingerprint(const tally_tokenizer *tokenizer,
                                           uint8_t out[TALLY_FINGERPRINT]);

/* What tokens depend on beside the key: encode("tallystick 1", namespace, identity, kind) of
 * docs/reference/tokens.md. `rows`: whether a tweak of each row's own follows. Returns its size,
 * and writes as much of it as there is room for. */
TALLY_API size_t tally_tokenizer_head(const tally_tokenizer *tokenizer, int rows, uint8_t *out,
                                      size_t capacity);

/* Makes a worker; it takes little memory until its first call. Free it with tally_worker_free,
 * which wipes what depends on the key or on values. */
TALLY_API TALLY_MUST_CHECK tally_status tally_worker_new(const tally_tokenizer *tokenizer,
                                                         tally_worker **out);
TALLY_API void tally_worker_free(tally_worker *worker);

/* Replaces a value by its token, or a token by its value. Values of numbers and dates are given as
 * text. `tweak` is the row's own tweak, or NULL if there is none (an empty one is not NULL).
 * *out_size receives the size of the result. The result of an invalid value is the value itself,
 * whatever on_invalid is: the caller looks at fault->reason, which is TALLY_REASON_NONE if all is
 * well. `out` must not overlap `value`.
 *
 * TALLY_ERROR_TYPE: the format does not take text, because its numbers have too many digits.
 * TALLY_ERROR_CAPACITY: `capacity` is too small; *out_size says what is needed. TALLY_ERROR_ONE_WAY.
 * TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: the value has more than TALLY_MAX_VALUE bytes. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_value(tally_worker *worker,
                                                            const uint8_t *value, size_t size,
                                                            const uint8_t *tweak, size_t tweak_size,
                                                            uint8_t *out, size_t capacity,
                                                            size_t *out_size, tally_fault *fault);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_value(tally_worker *worker,
                                                           const uint8_t *token, size_t size,
                                                           const uint8_t *tweak, size_t tweak_size,
                                                           uint8_t *out, size_t capacity,
                                                           size_t *out_size, tally_fault *fault);

/* The same for one integer, date, timestamp or decimal, with the bytes that an array has for it.
 * `type` is the format string of the C data interface, such as "l" or "tdD". `out` may equal
 * `value`. If the value is invalid, `out` receives the value.
 *
 * TALLY_ERROR_TYPE: the format does not take the type; *problem says what it takes.
 * TALLY_ERROR_ONE_WAY, TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: the type is of text, or the tweak
 * has more than TALLY_MAX_VALUE bytes. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_fixed(tally_worker *worker, const char *type,
                                                            const void *value, const uint8_t *tweak,
                                                            size_t tweak_size, void *out,
                                                            tally_fault *fault,
                                                            tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_fixed(tally_worker *worker, const char *type,
                                                           const void *token, const uint8_t *tweak,
                                                           size_t tweak_size, void *out,
                                                           tally_fault *fault,
                                                           tally_problem *problem);

/* Counts of an array's rows. */
typedef struct tally_counts {
    uint64_t rows, nulls;
    uint64_t invalid[16]; /* by tally_reason: rows that became null or were kept */
    uint64_t small;       /* rows of a domain smaller than TALLY_SMALL_DOMAIN */
} tally_counts;

/* The first invalid row of a call that failed with TALLY_ERROR_INVALID. */
typedef struct tally_invalid {
    uint64_t row; /* from 0, of the array */
    tally_fault fault;
} tally_invalid;

/* Replaces every value of an array by its token, or the other way. `type` describes `values`; the
 * result is an array of the same type and length, with offset 0 and memory of its own from the
 * tokenizer's allocator, released by its callback. Nulls stay null. Accepted are the types that the
 * format takes, as text views too, and dictionaries and run ends of them. The bytes of an invalid
 * value that becomes null are nowhere in the result. The callback wipes a result that was revealed,
 * or in which invalid values were kept.
 *
 * Each value of a dictionary is protected once. The new dictionary has no equal tokens, and no
 * invalid values that no row uses. With tweaks, the rows are encoded again.
 *
 * `tweaks`, with its type, has one row for each value: text, binary or integers (in decimal), or
 * dictionaries and views of them; NULL if there are none. A null makes its row invalid.
 *
 * Rows are added to *counts, unless it is NULL. The first one that is invalid ends the call if
 * on_invalid is TALLY_INVALID_ERROR.
 *
 * The structures may be wrong: lengths, offsets, nulls and children are checked. The sizes of
 * buffers can't be checked, except those of text views. Another thread may change the arrays'
 * memory during a call: the call then stays within the lengths and offsets that it has checked, and
 * its result is useless.
 *
 * On any error out->release is NULL. TALLY_ERROR_INVALID: *invalid says which row and why.
 * TALLY_ERROR_TYPE, TALLY_ERROR_TWEAKS, TALLY_ERROR_ARRAY: *problem. TALLY_ERROR_CAPACITY: the tokens
 * have too many bytes for the type's offsets, or are too many for the type of a dictionary's
 * indices; *problem. TALLY_ERROR_ONE_WAY, TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_array(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *values,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    tally_counts *counts, tally_invalid *invalid, tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_array(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *tokens,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    tally_counts *counts, tally_invalid *invalid, tally_problem *problem);

/* The same, whatever on_invalid is: reasons[i] receives the tally_reason of row i, and a row that is
 * invalid keeps its value. `reasons` has as many bytes as `values` has rows; NULL if there are none.
 * Not for dictionaries and run ends: TALLY_ERROR_ARGUMENT. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_rows(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *values,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    uint8_t *reasons, tally_counts *counts, tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_rows(
    tally_worker *worker, const struct ArrowSchema *type, const struct ArrowArray *tokens,
    const struct ArrowSchema *tweak_type, const struct ArrowArray *tweaks, struct ArrowArray *out,
    uint8_t *reasons, tally_counts *counts, tally_problem *problem);

/* Checks an array of another program, and all that lies in it, before it is handed to a library that
 * takes it at its word: types, lengths, offsets, numbers of nulls, buffers and children, that buffers
 * are there, and that children have the rows that their parents need. Values, and offsets within
 * their buffers, are not read. `values` may be NULL: then the type alone is checked.
 * TALLY_ERROR_ARRAY: *problem. */
TALLY_API TALLY_MUST_CHECK tally_status tally_array_check(const struct ArrowSchema *type,
                                                          const struct ArrowArray *values,
                                                          tally_problem *problem);

/* A column of a table that is protected or revealed. A table is an array of structs, such as a
 * record batch. A path says where the column is: the index of a child of the table, then of a child
 * of that child, and so on. A list has child 0. A map has child 0, whose child 1 has the values.
 * tally_path_find of policy.h finds a path by name. Each column has a worker of its own. */
typedef struct tally_field {
    tally_worker *worker;
    const uint32_t *path;
    const uint32_t *tweak; /* the column with the rows' own tweaks; it is not protected */
    uint32_t depth;        /* of the path, at most 32; 0: the table itself is the column */
    uint32_t tweak_depth;  /* 0: there are no tweaks */
    tally_counts counts;   /* a call that succeeds adds its values here */
} tally_field;

/* The column at fault in a call on a table or stream. */
typedef struct tally_table_fault {
    size_t field;          /* its index */
    tally_invalid invalid; /* of TALLY_ERROR_INVALID; the row is the table's or stream's */
} tally_table_fault;

/* Protects columns of a table. On success `table` is moved to *out: its release becomes NULL. What
 * is not protected is not copied; it is released with the last part of *out. On an error `table`
 * stays, and out->release is NULL.
 *
 * A value in a list has the tweak of its row. If the tweak column is in the same list, the value
 * has the tweak of its item. Values under a null struct or list become null.
 *
 * Errors are those of tally_protect_array, with fault->field, and problem->place as a path of names:
 * orders[].phone. TALLY_ERROR_ARGUMENT too: a path leads nowhere, or to a column above another.
 * TALLY_ERROR_TYPE: a path leads through an array of another type. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_table(
    tally_field *fields, size_t count, const struct ArrowSchema *type, struct ArrowArray *table,
    struct ArrowArray *out, tally_table_fault *fault, tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_table(
    tally_field *fields, size_t count, const struct ArrowSchema *type, struct ArrowArray *table,
    struct ArrowArray *out, tally_table_fault *fault, tally_problem *problem);

/* Wraps a stream of tables: each one that is asked for is protected. On success `source` is moved to
 * *out (its release becomes NULL), which is released by its callback. Fields with their workers must
 * live as long, and are for the thread that asks for tables. There is one field at least.
 *
 * get_next fails with EINVAL or ENOMEM; the message has column and row. After that, and after any
 * call, tally_stream_status returns the status with fault and problem, which have the row from the
 * beginning of the stream. TALLY_ERROR_ARRAY: `source` gives no schema. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_protect_stream(tally_field *fields, size_t count,
                                                             struct ArrowArrayStream *source,
                                                             struct ArrowArrayStream *out,
                                                             tally_problem *problem);
TALLY_API TALLY_MUST_CHECK tally_status tally_reveal_stream(tally_field *fields, size_t count,
                                                            struct ArrowArrayStream *source,
                                                            struct ArrowArrayStream *out,
                                                            tally_problem *problem);

/* The status of the last table of such a stream. TALLY_ERROR_ARGUMENT: the stream is another. */
TALLY_API TALLY_MUST_CHECK tally_status tally_stream_status(const struct ArrowArrayStream *stream,
                                                            tally_table_fault *fault,
                                                            tally_problem *problem);

/* Says whether a value is valid for a format, without a key: fault->reason is 0, or why it is not, with
 * the position and class of its character. A format of "ff3-1" is asked about a token. It takes some
 * tens of microseconds; a tokenizer checks each value that it protects.
 *
 * TALLY_ERROR_MEMORY. TALLY_ERROR_ARGUMENT: the value has more than TALLY_MAX_VALUE bytes.
 * TALLY_ERROR_TYPE: the format takes no text. */
TALLY_API TALLY_MUST_CHECK tally_status tally_format_check(const tally_format *format,
                                                           const uint8_t *value, size_t size,
                                                           tally_fault *fault);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/masked_modes.h ---- */
/*
* Modes of operation for masked AES: counter mode and CBC (SP 800-38A), CMAC (SP 800-38B). The key
 * is on shares, and so is all that lies between data and results: keystream, decrypted blocks
 * before they are chained, subkeys and chains of CMAC. Data and results are in the clear.
 *
 * The key has one key for all blocks, of tally_masked_key_init or its like with count 1; other keys
 * are refused with TALLY_ERROR_ARGUMENT. One of tally_masked_key_init_state is taken to be so. A
 * mode does not refresh the key: see tally_masked_refresh. Sizes are in bytes; `out` may equal
 * `in`, and other overlaps are not allowed; pointers to no bytes may be NULL.
 *
 * If the source of masks fails, its status is returned, all of `out` is zeroed, and counter or IV
 * are as before. Neither mode tells whether data were changed: use a CMAC, of the ciphertext and
 * its IV, with another key. */
#ifndef TALLYSTICK_MASKED_MODES_H
#define TALLYSTICK_MASKED_MODES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { TALLY_ERROR_TAG = 17 /* a tag is not that of the message */ };

/* Encrypts or decrypts `size` bytes, 0 or more, in counter mode. `counter` is the first counter
 * block, a big-endian number of 128 bits, and is replaced by the next unused one. So data may come
 * in pieces, of which all but the last have multiples of 16 bytes. No key may ever take a counter
 * twice. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_ctr(const tally_masked_key *key,
                                                         const tally_mask_source *source,
                                                         uint8_t counter[16], const uint8_t *in,
                                                         size_t size, uint8_t *out);

/* Encrypts or decrypts in CBC mode, without padding. `iv` is replaced by the last block of
 * ciphertext, for the next piece. Of a message's first piece it must be unpredictable to whoever
 * chooses plaintexts. TALLY_ERROR_ARGUMENT: `size` is not a multiple of 16. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cbc_encrypt(const tally_masked_key *key,
                                                                 const tally_mask_source *source,
                                                                 uint8_t iv[16], const uint8_t *in,
                                                                 size_t size, uint8_t *out);
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cbc_decrypt(const tally_masked_key *key,
                                                                 const tally_mask_source *source,
                                                                 uint8_t iv[16], const uint8_t *in,
                                                                 size_t size, uint8_t *out);

/* The CMAC of a message of any size. Its first bytes are a shorter tag. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cmac(const tally_masked_key *key,
                                                          const tally_mask_source *source,
                                                          const uint8_t *in, size_t size,
                                                          uint8_t tag[16]);

/* Checks a tag of 4 to 16 bytes, in a time that does not depend on where it differs. The right tag
 * leaves no trace. SP 800-38B advises at least 8 bytes. TALLY_ERROR_TAG: it is another message's or
 * another key's; TALLY_ERROR_ARGUMENT: any other tag_size. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_cmac_verify(const tally_masked_key *key,
                                                                 const tally_mask_source *source,
                                                                 const uint8_t *in, size_t size,
                                                                 const uint8_t *tag,
                                                                 size_t tag_size);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/masked_random.h ---- */
/*
* Random bytes on a chip without an operating system: sources of masks for masked_aes.h.
 *
 *   hardware register  ->  tally_polled_fill    waits for each word, at most for a stated time
 *                      ->  tally_noise_fill     the health tests of SP 800-90B: take this for masks
 *                      ->  tally_masked_drbg    AES in counter mode on shares: keys, nonces, IVs
 *
 * Each of these is a tally_mask_fill, and any function of this type may take the place of the first.
 * Each fills `out` with any number of bytes. On any status but TALLY_OK `out` is zeroed. With size 0
 * they tell whether all bytes that they gave before were sound. One thread at a time. */
#ifndef TALLYSTICK_MASKED_RANDOM_H
#define TALLYSTICK_MASKED_RANDOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* A generator of words of 32 bits that has a status register and a data register. The caller sets
 * all members, and switches the generator on. */
typedef struct tally_polled_register {
    const volatile uint32_t *status;
    const volatile uint32_t *data;
    uint32_t ready;  /* bits of the status that are all 1 when `data` has a fresh word */
    uint32_t failed; /* bits of the status of which any 1 is an error, also one that is over */
    uint32_t polls;  /* the time-out: how often the status is read for one word, 1 or more */
} tally_polled_register;

/* A tally_mask_fill, whose context is a tally_polled_register. A word is read after its status says
 * that it is ready; one of 0 is taken for one that was not ready after all. The status is read once
 * more in the end. TALLY_ERROR_ENTROPY: an error, or time-out. */
TALLY_API TALLY_MUST_CHECK tally_status tally_polled_fill(void *polled, uint8_t *out, size_t size);

/* Health tests of a raw source (SP 800-90B, section 4.4), each word of 32 bits being a sample. They
 * fail wherever the source fails altogether, and find no small biases. Masks must be uniform: that
 * is for the maker of the hardware to claim. The tests assume half a bit of min-entropy in a bit.
 *
 * - Repetition count: fails at TALLY_NOISE_REPETITIONS equal words in a row.
 * - Adaptive proportion: fails when the first of TALLY_NOISE_WINDOW words is there
 *   TALLY_NOISE_PROPORTION times.
 * - Stuck bits, which is no test of that document: fails when a bit is the same in all words of a
 *   window.
 * - Start-up: all of these over TALLY_NOISE_STARTUP words, which are not used. */
#define TALLY_NOISE_ALPHA       30  /* a sound source fails a test with probability 2^-30 at most */
#define TALLY_NOISE_ENTROPY     16  /* bits of min-entropy in a word */
#define TALLY_NOISE_REPETITIONS 3   /* 1 + ceil(alpha / entropy) */
#define TALLY_NOISE_WINDOW      512 /* words */
#define TALLY_NOISE_PROPORTION  4   /* 1 + critbinom(window, 2^-entropy, 1 - 2^-alpha) */
#define TALLY_NOISE_STARTUP     1024 /* words */

/* Its members are private. */
typedef struct tally_noise {
    tally_mask_source raw;
    uint32_t last, first;      /* the last word; the first one of the window */
    uint32_t ones, zeros;      /* bits that were 1, and 0, in this window */
    uint32_t seen, firsts;     /* words of this window so far; those that equal its first one */
    uint32_t repeated, failed; /* how often the last word was repeated; 1: a test failed */
} tally_noise;

/* Takes a raw source and does the start-up test: TALLY_NOISE_STARTUP words. Do it after each reset,
 * and to start again after a failure. TALLY_ERROR_ENTROPY: a test failed, or what the source
 * returns; then every tally_noise_fill fails. */
TALLY_API TALLY_MUST_CHECK tally_status tally_noise_init(tally_noise *noise,
                                                         const tally_mask_source *raw);

/* A tally_mask_fill, whose context is a tally_noise. It draws whole words of the source.
 * TALLY_ERROR_ENTROPY: a test failed, now or before; or what the source returns. After any error it
 * fails until tally_noise_init. */
TALLY_API TALLY_MUST_CHECK tally_status tally_noise_fill(void *noise, uint8_t *out, size_t size);

/* Wipes it, with the words that it remembers. Every tally_noise_fill fails until tally_noise_init. */
TALLY_API void tally_noise_wipe(tally_noise *noise);

/* A deterministic random bit generator of AES-128 in counter mode. Key and counter are on two
 * shares, and so is each update of them. It is the CTR_DRBG of SP 800-90A, section 10.2.1, without a
 * derivation function, but for one thing: block i of a request is the encryption of V XOR i where
 * the document has V + i, because an XOR with a public number needs no carry on shares. So it
 * is not that DRBG, and can't be validated as one.
 *
 * The buffer takes TALLY_MASKED_DRBG_BUFFER bytes at a time, and then key and counter are replaced:
 * whoever learns them later can't tell what was given before. Bytes that were given are wiped. A
 * seed is 128 bytes of the source: 64 bytes with at least 256 bits of min-entropy, on two shares. A
 * new seed is added after TALLY_MASKED_DRBG_INTERVAL buffers.
 *
 * Take it for keys, nonces and IVs. As a source of masks it would be a poor bargain: its own AES
 * takes some 80 words of the source for each word that it gives. */
#define TALLY_MASKED_DRBG_BUFFER   64  /* bytes */
#define TALLY_MASKED_DRBG_INTERVAL 256 /* buffers, so 16 KiB */

/* Its members are private. */
typedef struct tally_masked_drbg {
    tally_mask_source noise; /* of seeds and of masks */
    uint8_t state[2][32];    /* shares of key and counter */
    uint8_t buffer[TALLY_MASKED_DRBG_BUFFER];
    uint32_t left;    /* bytes at the buffer's end that were not given yet */
    uint32_t buffers; /* since the last seed */
    uint32_t reserved[4];
} tally_masked_drbg;

/* Takes a source, which is to be a tally_noise_fill, and seeds itself. On any status but TALLY_OK,
 * which is the source's, all is wiped; so it is when a later function fails. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_drbg_init(tally_masked_drbg *drbg,
                                                               const tally_mask_source *noise);

/* A tally_mask_fill, whose context is a tally_masked_drbg. TALLY_ERROR_ENTROPY: it was wiped; or
 * what the source returns. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_drbg_fill(void *drbg, uint8_t *out,
                                                               size_t size);

/* Adds a new seed at once, and drops the buffer. Errors as above. */
TALLY_API TALLY_MUST_CHECK tally_status tally_masked_drbg_reseed(tally_masked_drbg *drbg);

/* Wipes it; wiping it again does nothing. */
TALLY_API void tally_masked_drbg_wipe(tally_masked_drbg *drbg);

#ifdef __cplusplus
}
#endif
#endif

/* ---- core/include/tallystick/policy.h ---- */
/*
* Policies: which columns of a table are protected, how and under which key
 * (docs/reference/policy.md). A binding reads TOML with a library of its language and hands it over
 * as JSON: a table is an object, with its keys in their order. A value that JSON has not is an object
 * with one member: {"$date": "2000-12-31"}, {"$datetime": "2000-12-31T23:59:59"}, {"$time":
 * "23:59:59"}, {"$float": "nan"}. */
#ifndef TALLYSTICK_POLICY_H
#define TALLYSTICK_POLICY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses 112..127. */
enum { TALLY_ERROR_POLICY = 112 /* this is no policy; a tally_problem says where and why */ };

enum {
    TALLY_PATH_DEPTH = 16,          /* steps down from a table; the values of a map are two */
    TALLY_POLICY_SIZE_MAX = 1 << 20 /* bytes of a policy's TOML */
};

/* What becomes of columns that a policy does not name. */
typedef enum tally_unlisted {
    TALLY_UNLISTED_UNSAID = 0, /* the policy does not say: they pass in clear, with a warning */
    TALLY_UNLISTED_KEEP,       /* they pass in clear */
    TALLY_UNLISTED_ERROR       /* they are an error */
} tally_unlisted;

/* A text in UTF-8, zero-terminated; the size is without the zero. */
typedef struct tally_policy_text {
    const char *text; /* NULL: there is none */
    size_t size;
} tally_policy_text;

/* How one column is protected. */
typedef struct tally_rule {
    tally_policy_text column; /* its name or path, as the policy writes it */
    const tally_format *format;
    tally_key_id key;             /* version 0: the format has no key */
    tally_policy_text name_space; /* empty without a key */
    tally_policy_text tweak;      /* the tweak column, if there is one */
    tally_on_invalid on_invalid;
} tally_rule;

/* The CSV dialect. What the policy does not say has its default. */
typedef struct tally_csv_options {
    char delimiter; /* 0: a tab in .tsv files, else a comma */
    char quote;     /* 0: there is none; '"' by default */
    uint8_t skip_initial_space;
    uint8_t header;             /* 1 by default */
    tally_policy_text encoding; /* none: UTF-8 */
} tally_csv_options;

typedef struct tally_policy tally_policy;

/* Checks the TOML of a policy before a library reads it, whose memory and time may grow with the
 * square of the depth. It has at most TALLY_POLICY_SIZE_MAX bytes. Tables and lists lie in each other
 * at most 16 deep, by brackets or by the dots of one key. Nothing else of it is looked at.
 *
 * TALLY_ERROR_POLICY: the problem has no place. */
TALLY_API TALLY_MUST_CHECK tally_status tally_policy_check_text(const char *toml, size_t size,
                                                                tally_problem *problem);

/* Makes a policy from JSON; formats are made with it. `allocator` may be NULL (malloc and free); it
 * is copied. The policy never changes, and any number of threads may share it.
 *
 * TALLY_ERROR_POLICY: the problem's place is the key at fault, or empty, which stands for all of the
 * policy. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_policy_new(const tally_allocator *allocator,
                                                         const char *json, size_t size,
                                                         tally_policy **out,
                                                         tally_problem *problem);

/* Releases a policy with its formats; NULL is allowed. */
TALLY_API void tally_policy_free(tally_policy *policy);

/* The rules, in the order of the policy; NULL from the last one on. They and their texts live as
 * long as the policy. */
TALLY_API const tally_rule *tally_policy_rule(const tally_policy *policy, size_t index);

TALLY_API tally_unlisted tally_policy_unlisted(const tally_policy *policy);

/* Columns that pass in clear on purpose, and namespaces in which one key may serve several formats.
 * There is no text from the last one on. */
TALLY_API tally_policy_text tally_policy_keep(const tally_policy *policy, size_t index);
TALLY_API tally_policy_text tally_policy_mixed_format(const tally_policy *policy, size_t index);

/* The CSV dialect. Returns 0, and the defaults, if the policy has none. */
TALLY_API int tally_policy_csv(const tally_policy *policy, tally_csv_options *out);

/* Checks rules that a program has made, as those of a policy are checked. Refused are a column with
 * two rules, a column with a rule that is also kept or a tweak, and one key with two formats in a
 * namespace. TALLY_ERROR_POLICY: the problem has no place. TALLY_ERROR_MEMORY. */
TALLY_API TALLY_MUST_CHECK tally_status tally_rules_check(
    const tally_allocator *allocator, const tally_rule *rules, size_t count,
    const tally_policy_text *keep, size_t keep_count, const tally_policy_text *mixed_formats,
    size_t mixed_count, tally_problem *problem);

/* Makes the tokenizer of a rule with the key that an unlocked ring has for it, and obeys what the ring
 * says: the tokenizer has the rights of the key that are in `rights` too, those of whoever opened the
 * ring (TALLY_MAY_PROTECT | TALLY_MAY_REVEAL for the root key itself). A ring that demands signed
 * policies is refused. The rule's format must outlive the tokenizer.
 *
 * TALLY_ERROR_KEYRING: the ring is damaged, or demands signed policies. TALLY_ERROR_NO_KEY;
 * TALLY_ERROR_ARGUMENT: the ring is locked. The errors of tally_tokenizer_new. */
TALLY_API TALLY_MUST_CHECK tally_status tally_rule_open(const tally_allocator *allocator,
                                                        const tally_rule *rule,
                                                        const tally_keyring *ring, uint32_t rights,
                                                        tally_tokenizer **out,
                                                        tally_problem *problem);

/* Where a column of a table is: the index of a child of the table, then of that child's, ... */
typedef struct tally_path {
    uint32_t depth;
    uint32_t child[TALLY_PATH_DEPTH];
} tally_path;

/* Finds the column that a rule means in a table, which is a struct. A column that has the whole
 * text as its name comes first. Else the text is a path: names of fields with dots between them,
 * "[]" for the items of a list, "{}" for the values of a map: contact.email, orders[].phone,
 * attributes{}. A name with one of .[]{}" is in double quotes, and in those a backslash stands
 * before a double quote or backslash. A name alone is no path.
 *
 * Returns 1, or 0 if there is no such column, or -1 if several fields have the name. */
TALLY_API TALLY_MUST_CHECK int tally_path_find(const struct ArrowSchema *table, const char *column,
                                               size_t size, tally_path *out);

/* A step of a path. */
typedef enum tally_step {
    TALLY_STEP_NONE = 0, /* what stands there is no step */
    TALLY_STEP_FIELD,    /* to a field, by its name */
    TALLY_STEP_ITEMS,    /* to the items of a list */
    TALLY_STEP_VALUES    /* to the values of a map */
} tally_step;

/* Reads the step of a path that begins at *at, below `size`, and moves *at behind it. The first one
 * begins at 0. The name of a field is written to `out` without quotes, zero-terminated and cut to
 * `capacity` bytes, 1 or more. *name_size receives its size without the zero, at most `size`. */
TALLY_API tally_step tally_path_step(const char *column, size_t size, size_t *at, char *out,
                                     size_t capacity, size_t *name_size);

#ifdef __cplusplus
}
#endif
#endif

#endif
