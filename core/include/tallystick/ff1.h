/* SPDX-License-Identifier: Apache-2.0
 *
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

#include "tallystick/aes.h"

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
