/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the program `kernels` share: an instance of FAST on one back end, the data that
 * all instances work on, and how work is timed. */
#ifndef TALLY_BENCH_KERNELS_H
#define TALLY_BENCH_KERNELS_H

#include "fast/lanes/lanes.h"
#include "fast/words/workspace.h"

enum { MAX_LENGTH = 32, LEVELS = 4, TWEAK_SIZE = 8, CHECKED = 3 * 8 * 64 + 17 };

/* A pool and a cipher at one level of CPU features, for one radix. */
typedef struct instance {
    const char *level; /* the back end's name, "portable" without one */
    uint32_t features; /* with which it is chosen */
    tally_fast_profile profile;
    uint32_t radix;
    void *memory[5]; /* of what follows */
    tally_fast_pool *pool;
    tally_fast_cipher *cipher;
    tally_fast_workspace *workspace;
    tally_fast_cipher *single; /* of the same pool, for words that go one by one */
} instance;

/* The rows that all instances work on: the same symbols as words and as text. */
typedef struct rows {
    uint64_t count;
    uint32_t radix, length;
    uint8_t base; /* the letter of symbol 0 */
    uint8_t *words, *text, *status;
    int32_t *offsets;
    uint64_t tweak_count; /* rows that have tweaks of their own */
    uint8_t *tweaks;
    int32_t *tweak_offsets;
} rows;

/* Makes an instance for each back end: the fastest, then the fastest without its features, until
 * there is none. Returns how many. */
int set_up(tally_fast_profile profile, uint32_t radix, instance made[LEVELS]);
void free_instances(instance *made, int count);

/* Memory for so many rows, of MAX_LENGTH symbols at most. */
rows make_rows(uint64_t count);
void free_rows(rows *data);

/* Fills the rows with symbols that look random (xorshift), the same ones each time. */
void fill(rows *data, uint32_t radix, uint32_t length);

/* Work on the first `count` rows; it must come back to what it began with when it is done once in
 * each direction. */
typedef void work(instance *x, rows *data, const tally_fast_params *params, int decrypt,
                  uint64_t count);

work work_words, work_column, work_tweaks, work_kept, work_one_word;

/* The layers alone, on words that are in lanes already; `count` is a multiple of words_of_lanes. */
work work_lanes;
uint64_t words_of_lanes(const instance *x);
tally_fast_lane_job job_of(const instance *x, const tally_fast_params *params, int decrypt);

/* Prints how often the kernel executes the instruction at each address of this program's file while
 * it runs all layers, as members of a JSON object. Returns 0 if it cannot be counted here. */
int count_steps(instance *x, const tally_fast_params *params, int decrypt);

/* Fail unless an instance does what the one-word code does, on the first rows. */
void check_lanes(instance *x, const rows *data, const tally_fast_params *params);
void check_words(instance *x, const rows *data, const tally_fast_params *params);
void check_column(instance *x, const rows *data, const tally_fast_params *params);

void fail(const char *reason);
void must(tally_status status);
void *allocate(size_t size);

#endif
