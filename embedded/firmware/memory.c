/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of string.h, by words where all is aligned, and by the names under which the
 * run-time ABI of Arm has compilers call them. */
#include <stdint.h>
#include <string.h>

#undef memcpy
#undef memset

/* Words that may lie over any type. */
typedef uint32_t __attribute__((may_alias)) any_word;

/* From the lowest byte on: `out` may overlap bytes above it. */
static void copy_up(uint8_t *out, const uint8_t *in, size_t size)
{
    if (((uintptr_t)out | (uintptr_t)in) % 4 == 0) {
        for (; size >= 16; size -= 16, out += 16, in += 16) {
            any_word *to_words = (void *)out;
            const any_word *from_words = (const void *)in;
            const any_word a = from_words[0], b = from_words[1], c = from_words[2],
                           d = from_words[3];
            to_words[0] = a, to_words[1] = b, to_words[2] = c, to_words[3] = d;
        }
    }
    for (; size > 0; size--) {
        *out++ = *in++;
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((uintptr_t)out - (uintptr_t)in >= size) {
        copy_up(out, in, size);
        return to;
    }
    while (size-- > 0) {
        out[size] = in[size];
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    uint8_t *out = to;
    if ((uintptr_t)out % 4 == 0) {
        const uint32_t word = (uint8_t)value * UINT32_C(0x01010101);
        for (; size >= 16; size -= 16, out += 16) {
            any_word *words = (void *)out;
            words[0] = word, words[1] = word, words[2] = word, words[3] = word;
        }
    }
    for (; size > 0; size--) {
        *out++ = (uint8_t)value;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *x = a, *y = b;
    for (size_t i = 0; i < size; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Run-time ABI for the Arm architecture, section 4.3.4: memset's arguments come in another
 * order. */
void __aeabi_memcpy(void *to, const void *from, size_t size);
void __aeabi_memcpy4(void *to, const void *from, size_t size);
void __aeabi_memcpy8(void *to, const void *from, size_t size);
void __aeabi_memset(void *to, size_t size, int value);
void __aeabi_memset4(void *to, size_t size, int value);
void __aeabi_memset8(void *to, size_t size, int value);
void __aeabi_memclr(void *to, size_t size);
void __aeabi_memclr4(void *to, size_t size);
void __aeabi_memclr8(void *to, size_t size);

#define COPIES(name)                                                                               \
    void name(void *to, const void *from, size_t size)                                             \
    {                                                                                              \
        memcpy(to, from, size);                                                                    \
    }
#define SETS(name)                                                                                 \
    void name(void *to, size_t size, int value)                                                    \
    {                                                                                              \
        memset(to, value, size);                                                                   \
    }
#define CLEARS(name)                                                                               \
    void name(void *to, size_t size)                                                               \
    {                                                                                              \
        memset(to, 0, size);                                                                       \
    }
COPIES(__aeabi_memcpy)
COPIES(__aeabi_memcpy4)
COPIES(__aeabi_memcpy8)
SETS(__aeabi_memset)
SETS(__aeabi_memset4)
SETS(__aeabi_memset8)
CLEARS(__aeabi_memclr)
CLEARS(__aeabi_memclr4)
CLEARS(__aeabi_memclr8)
