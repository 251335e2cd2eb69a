/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware that is polled, and the health tests of its words. */
#include "tallystick/masked_random.h"

#include <string.h>

#if defined(__GNUC__)
#define NOISE_WORD_AT(p) __builtin_assume_aligned(p, 4)
#else
#define NOISE_WORD_AT(p) (p)
#endif

/* Small CPUs load and store words where these are aligned, and bytes elsewhere. */
static inline int noise_is_aligned(const uint8_t *p)
{
    return (uintptr_t)p % 4 == 0;
}

/* A word, or 0 where none came in time. */
static inline uint32_t noise_word(const volatile uint32_t *status, const volatile uint32_t *data,
                                  uint32_t ready, uint32_t failed, uint32_t polls)
{
    for (; polls > 0; polls--) {
        const uint32_t now = *status;
        if ((now & failed) != 0) {
            break;
        }
        if ((ready & ~now) == 0) {
            const uint32_t word = *data;
            if (word != 0) {
                return word;
            }
        }
    }
    return 0;
}

tally_status tally_polled_fill(void *polled, uint8_t *out, size_t size)
{
    const tally_polled_register *own = polled;
    const volatile uint32_t *const status = own->status, *const data = own->data;
    const uint32_t ready = own->ready, failed = own->failed, polls = own->polls;
    uint32_t word = 0;
    size_t done = 0;
    if (noise_is_aligned(out)) {
        for (; done + 4 <= size; done += 4) {
            word = noise_word(status, data, ready, failed, polls);
            if (word == 0) {
                break;
            }
            memcpy(NOISE_WORD_AT(out + done), &word, 4);
        }
    }
    while (done < size && (word = noise_word(status, data, ready, failed, polls)) != 0) {
        const size_t some = size - done < sizeof word ? size - done : sizeof word;
        memcpy(out + done, &word, some);
        done += some;
    }
    tally_wipe(&word, sizeof word);
    if (done < size || (*status & failed) != 0) {
        tally_wipe(out, size);
        return TALLY_ERROR_ENTROPY;
    }
    return TALLY_OK;
}

static inline uint32_t noise_load(const uint8_t *word)
{
    uint32_t value;
    memcpy(&value, NOISE_WORD_AT(word), 4);
    return value;
}

/* Tests words of one window, which are aligned. A test that failed stays so. */
static void noise_test(tally_noise *own, const uint8_t *words, size_t count)
{
    const uint32_t first = own->seen == 0 ? noise_load(words) : own->first;
    uint32_t last = own->last, ones = 0, zeros = 0, repeated = own->repeated, firsts = 0;
    for (const uint8_t *const end = words + 4 * count; words < end; words += 4) {
        const uint32_t word = noise_load(words);
        if (word == first) {
            firsts++;
        }
        if (word != last) {
            repeated = 0;
        } else if (++repeated >= TALLY_NOISE_REPETITIONS - 1) {
            own->failed = 1;
        }
        last = word;
        ones |= word;
        zeros |= ~word;
    }
    own->first = first;
    own->last = last;
    own->repeated = repeated;
    own->ones |= ones;
    own->zeros |= zeros;
    own->firsts += firsts;
    own->seen += (uint32_t)count;
    if (own->firsts >= TALLY_NOISE_PROPORTION) {
        own->failed = 1;
    }
    if (own->seen == TALLY_NOISE_WINDOW) {
        if ((own->ones & own->zeros) != UINT32_MAX) {
            own->failed = 1;
        }
        own->seen = own->firsts = own->ones = own->zeros = 0;
    }
}

/* Fills and tests whole words. */
static tally_status noise_words(tally_noise *own, uint8_t *out, size_t size)
{
    const tally_status status = own->raw.fill(own->raw.context, out, size);
    for (size_t at = 0; at < size && status == TALLY_OK;) {
        const size_t rest = (size - at) / 4, capacity = TALLY_NOISE_WINDOW - own->seen;
        const size_t count = rest < capacity ? rest : capacity;
        noise_test(own, out + at, count);
        at += 4 * count;
    }
    return own->failed != 0 && status == TALLY_OK ? TALLY_ERROR_ENTROPY : status;
}

/* By a buffer: bytes that are not aligned, or a part of a word. It is a function of its own, so that
 * masks take no stack for it. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static tally_status
noise_bytes(tally_noise *own, uint8_t *out, size_t size)
{
    _Alignas(4) uint8_t words[32];
    tally_status status = TALLY_OK;
    for (size_t done = 0; done < size && status == TALLY_OK;) {
        const size_t some = size - done < sizeof words ? size - done : sizeof words;
        status = noise_words(own, words, some + (4 - some % 4) % 4);
        memcpy(out + done, words, some);
        done += some;
    }
    tally_wipe(words, sizeof words);
    return status;
}

tally_status tally_noise_fill(void *noise, uint8_t *out, size_t size)
{
    tally_noise *own = noise;
    const size_t whole = noise_is_aligned(out) ? size - size % 4 : 0;
    tally_status status = own->failed != 0 ? TALLY_ERROR_ENTROPY : TALLY_OK;
    if (status == TALLY_OK && (whole > 0 || size == 0)) {
        status = noise_words(own, out, whole);
    }
    if (status == TALLY_OK && whole < size) {
        status = noise_bytes(own, out + whole, size - whole);
    }
    if (status != TALLY_OK) {
        own->failed = 1;
        tally_wipe(out, size);
    }
    return status;
}

tally_status tally_noise_init(tally_noise *noise, const tally_mask_source *raw)
{
    _Alignas(4) uint8_t words[64];
    tally_status status = TALLY_OK;
    *noise = (tally_noise){.raw = *raw};
    for (size_t done = 0; done < TALLY_NOISE_STARTUP && status == TALLY_OK; done += 16) {
        status = tally_noise_fill(noise, words, sizeof words);
    }
    tally_wipe(words, sizeof words);
    return status;
}

void tally_noise_wipe(tally_noise *noise)
{
    tally_wipe(noise, sizeof *noise);
    noise->failed = 1;
}
