/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of words by the million, with every back end of lanes that this machine has: layers alone,
 * words in memory, columns of text with one tweak, with a tweak for each row and with the last four
 * digits as the tweak, and words one by one. Each line is a JSON object: nanoseconds for a word, and cycles in a nanosecond just after.
 *
 * Arguments: the repetitions, the rows, and "rough" for fewer radices and lengths. Or "steps" (and
 * "rough"): then it prints which instructions the kernels execute. Each piece of work is done with
 * all back ends, one after the other, in memory that was used before. Slow work does fewer rows, so
 * that each measurement takes about TARGET nanoseconds. */
#define _POSIX_C_SOURCE 199309L
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns/columns.h"

enum { LEAST_ROWS = 4096, USUAL_ROWS = 1000000 };
static const double TARGET = 20e6;

static const struct {
    tally_fast_profile profile;
    uint32_t radix;
    int in_rough, own_tweaks;
} kinds[] = {
    {TALLY_FAST, 10, 1, 1},  {TALLY_FAST, 16, 0, 0},
    {TALLY_FAST, 26, 0, 0},  {TALLY_FAST, 36, 0, 0},
    {TALLY_FAST, 62, 1, 1},  {TALLY_FAST, 64, 0, 0},
    {TALLY_FAST, 95, 0, 0},  {TALLY_FAST, 128, 0, 0},
    {TALLY_FAST, 256, 1, 1}, {TALLY_FAST_BYTES_LEGACY, 256, 1, 0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const uint32_t lengths[] = {8, 16, 32};
enum { LENGTHS = sizeof lengths / sizeof lengths[0], ROUGH_LENGTH = 16 };

enum { LANES, WORDS, COLUMN, TWEAKS, KEPT, ONE_WORD, WORKS };
static const struct {
    const char *name;
    work *run;
} works[WORKS] = {{"lanes", work_lanes},   {"words", work_words}, {"column", work_column},
                  {"tweaks", work_tweaks}, {"kept", work_kept},   {"one word", work_one_word}};

/* How many rows each piece of work does: found when it is first done. */
static uint64_t counts[KINDS][LENGTHS][LEVELS][WORKS];

void fail(const char *reason)
{
    fprintf(stderr, "kernels: %s\n", reason);
    exit(EXIT_FAILURE);
}

void must(tally_status status)
{
    if (status != TALLY_OK) {
        fail(tally_status_text(status));
    }
}

/* Memory whose pages are there. */
void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        fail("no memory");
    }
    memset(memory, 1, size);
    return memory;
}

static const char *profile_name(const instance *x)
{
    return x->profile == TALLY_FAST ? "fast" : "legacy";
}

static double time_of(instance *x, rows *data, const tally_fast_params *params, int which,
                      int decrypt, uint64_t count)
{
    double start = worked();
    works[which].run(x, data, params, decrypt, count);
    return worked() - start;
}

/* The rows that take about TARGET, or all of them, if there are more than usual. */
static uint64_t count_for(instance *x, rows *data, const tally_fast_params *params, int which)
{
    uint64_t least = which == LANES ? words_of_lanes(x) : LEAST_ROWS;
    if (which == KEPT) {
        return data->count; /* rows are grouped by tweak over all of them */
    }
    uint64_t most = which == LANES ? UINT64_MAX : which == TWEAKS ? data->tweak_count : data->count;
    double there = 0, back = 0;
    least = least < most ? least : most;
    for (int i = 0; i < 2; i++) { /* the first warms up */
        there = time_of(x, data, params, which, 0, least);
        back = time_of(x, data, params, which, 1, least);
    }
    double target = data->count > USUAL_ROWS ? TARGET * (double)data->count / USUAL_ROWS : TARGET;
    double count = (double)least * 2 * target / (there + back);
    if (which == LANES) {
        return (uint64_t)(TARGET / target * count) / least * least + least;
    }
    return count > (double)most ? most : count < (double)least ? least : (uint64_t)count;
}

static void measure(instance *x, rows *data, const tally_fast_params *params, int which,
                    uint64_t count, int shown)
{
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        double elapsed = time_of(x, data, params, which, decrypt, count), clock = core_clock();
        if (shown) {
            printf("{\"level\": \"%s\", \"profile\": \"%s\", \"radix\": %u, \"length\": %u, "
                   "\"layers\": %u, \"work\": \"%s\", \"decrypt\": %s, \"rows\": %llu, "
                   "\"ns\": %.5g, \"clock\": %.4f}\n",
                   x->level, profile_name(x), x->radix, params->length, params->layers,
                   works[which].name, decrypt ? "true" : "false", (unsigned long long)count,
                   elapsed / (double)count, clock);
        }
    }
}

/* Whether a kind of work is done. The legacy profile has no columns. Rows with their own tweaks are
 * measured for some radices. Words one by one are measured at the last level: all levels are alike.
 * */
static int applies(int which, const instance *x, int last, int own_tweaks, uint32_t length)
{
    switch (which) {
    case LANES:
        return words_of_lanes(x) != 0;
    case COLUMN:
        return x->profile == TALLY_FAST;
    case TWEAKS:
        return own_tweaks && length == ROUGH_LENGTH;
    case KEPT:
        return x->radix == 10 && length == ROUGH_LENGTH;
    case ONE_WORD:
        return last;
    default:
        return 1;
    }
}

static void check_all(instance *x, const rows *data, const tally_fast_params *params)
{
    check_words(x, data, params);
    if (words_of_lanes(x) != 0) {
        check_lanes(x, data, params);
    }
    if (x->profile == TALLY_FAST) {
        check_column(x, data, params);
    }
}

/* Measures all work of one radix and length. */
static void go_through(size_t kind, size_t at, instance *made, int levels, rows *data, int first)
{
    tally_fast_params params;
    must(tally_fast_recommended(kinds[kind].profile, kinds[kind].radix, lengths[at], &params));
    fill(data, params.radix, params.length);
    for (int level = 0; first && level < levels; level++) {
        check_all(&made[level], data, &params);
    }
    for (int which = 0; which < WORKS; which++) {
        for (int level = 0; level < levels; level++) {
            instance *x = &made[level];
            uint64_t *count = &counts[kind][at][level][which];
            if (!applies(which, x, level + 1 == levels, kinds[kind].own_tweaks, params.length)) {
                continue;
            }
            if (first) {
                *count = count_for(x, data, &params, which);
            }
            measure(x, data, &params, which, *count, !first);
        }
    }
    for (size_t i = 0; i < data->count * params.length; i++) {
        if ((uint8_t)(data->base + data->words[i]) != data->text[i]) {
            fail("what was encrypted and decrypted is not what it was");
        }
    }
}

/* Prints what the kernels execute, for each kind, over a few rounds of short words. */
static void print_steps(int rough)
{
    enum { ROUNDS = 6 }; /* some kernels for decryption do more in every second or third one */
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (rough && !kinds[kind].in_rough) {
            continue;
        }
        instance made[LEVELS];
        int levels = set_up(kinds[kind].profile, kinds[kind].radix, made);
        for (int i = 0; i < 2 * levels; i++) {
            instance *x = &made[i / 2];
            tally_fast_params params;
            must(tally_fast_recommended(x->profile, x->radix, lengths[0], &params));
            params.layers = ROUNDS * params.length;
            if (words_of_lanes(x) != 0) {
                printf("{\"level\": \"%s\", \"profile\": \"%s\", \"radix\": %u, \"decrypt\": %s, "
                       "\"layers\": %u, \"words\": %llu, \"steps\": {",
                       x->level, profile_name(x), x->radix, i % 2 == 1 ? "true" : "false",
                       params.layers, (unsigned long long)words_of_lanes(x));
                int counted = count_steps(x, &params, i % 2);
                printf("}, \"counted\": %s}\n", counted ? "true" : "false");
            }
        }
        free_instances(made, levels);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "steps") == 0) {
        print_steps(argc > 2 && strcmp(argv[2], "rough") == 0);
        return EXIT_SUCCESS;
    }
    static instance instances[KINDS][LEVELS];
    int levels[KINDS] = {0};
    long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    rows data = make_rows(argc > 2 ? strtoull(argv[2], NULL, 10) : USUAL_ROWS);
    int rough = argc > 3 && strcmp(argv[3], "rough") == 0;
    for (long run = 0; run <= runs; run++) { /* the first is for checks and for warming up */
        printf("{\"turn\": %ld, \"of\": %ld}\n", run, runs);
        fflush(stdout);
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (rough && !kinds[kind].in_rough) {
                continue;
            }
            if (run == 0) {
                levels[kind] = set_up(kinds[kind].profile, kinds[kind].radix, instances[kind]);
            }
            for (size_t at = 0; at < LENGTHS; at++) {
                if (!rough || lengths[at] == ROUGH_LENGTH) {
                    go_through(kind, at, instances[kind], levels[kind], &data, run == 0);
                }
            }
        }
    }
    for (size_t kind = 0; kind < KINDS; kind++) {
        free_instances(instances[kind], levels[kind]);
    }
    free_rows(&data);
    return EXIT_SUCCESS;
}
