/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "opened.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "root_key.h"
#include "toml.h"

enum {
    OPENED_IDLE = 64 /* workers that are kept for a column */
};

struct tally_opened_column {
    const tally_rule *rule;
    tally_tokenizer *tokenizer;
    pthread_mutex_t lock; /* for what follows */
    size_t idle_count;
    tally_worker *idle[OPENED_IDLE];
};

struct tally_opened {
    tally_policy *policy;
    tally_opened_column *columns;  /* in the order of the policy */
    tally_opened_column **by_name; /* sorted */
    size_t count;                  /* of those that are made */
    int reveals;
};

/* Takes away a character that was cut where a message has its end. */
static void opened_end(char *message)
{
    size_t size = strlen(message);
    if (size + 1 < TALLY_OPENED_MESSAGE) return;
    while (size > 0 && ((unsigned char)message[size - 1] & 0xc0) == 0x80) {
        size--;
    }
    if (size > 0 && ((unsigned char)message[size - 1] & 0x80) != 0) size--;
    message[size] = '\0';
}

__attribute__((format(printf, 2, 3))) static void opened_say(char *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, TALLY_OPENED_MESSAGE, format, arguments);
    va_end(arguments);
    opened_end(message);
}

static tally_status opened_say_problem(char *message, const char *where, tally_status status,
                                       const tally_problem *problem)
{
    const char *const text = problem->text[0] ? problem->text : tally_status_text(status);
    const char *const colon = problem->place[0] ? ": " : "";
    opened_say(message, "%s: %s%s%s", where, problem->place, colon, text);
    return status;
}

static tally_status opened_out_of_memory(char *message)
{
    opened_say(message, "%s", tally_status_text(TALLY_ERROR_MEMORY));
    return TALLY_ERROR_MEMORY;
}

/* Opens a regular file of at most `most` bytes and reads it into memory that the caller wipes and
 * frees. `what` stands before a message. */
static tally_status opened_read(const char *path, const char *what, size_t most, struct stat *about,
                                uint8_t **out, size_t *out_size, char *message)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0 || fstat(file, about) != 0) {
        opened_say(message, "%s: can't be read: %s", what, strerror(errno));
        if (file >= 0) close(file);
        return TALLY_ERROR_PROBLEM;
    }
    tally_status status = TALLY_ERROR_PROBLEM;
    uint8_t *data = NULL;
    size_t size = 0;
    if (!S_ISREG(about->st_mode)) {
        opened_say(message, "%s: is not a regular file", what);
        close(file);
        return status;
    }
    data = malloc(most + 1);
    if (data == NULL) {
        status = opened_out_of_memory(message);
    } else {
        ssize_t got = 1;
        while (size <= most && got > 0) {
            got = read(file, data + size, most + 1 - size);
            if (got < 0 && errno == EINTR) {
                got = 1;
            } else if (got > 0) {
                size += (size_t)got;
            }
        }
        if (got < 0) {
            opened_say(message, "%s: can't be read: %s", what, strerror(errno));
        } else if (size > most) {
            opened_say(message, "%s: has more than %zu bytes", what, most);
        } else {
            status = TALLY_OK;
        }
    }
    close(file);
    if (status == TALLY_OK) {
        *out = data;
        *out_size = size;
    } else if (data != NULL) {
        tally_wipe(data, most + 1);
        free(data);
    }
    return status;
}

/* Whether a text is a root key that somebody put in the place of a path or name. */
static int opened_is_root(const char *text)
{
    uint8_t root[TALLY_ROOT_KEY_SIZE];
    const int is_root = tally_root_key_parse((const uint8_t *)text, strlen(text), root);
    tally_wipe(root, sizeof root);
    return is_root;
}

static tally_status opened_read_root(const char *source, uint8_t out[TALLY_ROOT_KEY_SIZE],
                                     char *message)
{
    static const char no_key[] =
        "the root key's source has no root key, which is 64 hexadecimal digits and at most one "
        "newline";
    const int is_file = strncmp(source, "file:", 5) == 0;
    const int is_variable = strncmp(source, "env:", 4) == 0;
    const char *const rest = source + (is_file ? 5 : 4);
    if ((!is_file && !is_variable) || *rest == '\0' || opened_is_root(rest)) {
        opened_say(message,
                   "the root key's source is written file:PATH or env:NAME (the name of an "
                   "environment variable); never write the key itself");
        return TALLY_ERROR_ARGUMENT;
    }
    if (is_variable) {
        const char *const text = getenv(rest);
        if (text == NULL) {
            opened_say(message, "the root key's environment variable is not set");
            return TALLY_ERROR_PROBLEM;
        }
        if (tally_root_key_parse((const uint8_t *)text, strlen(text), out)) return TALLY_OK;
        opened_say(message, no_key);
        return TALLY_ERROR_PROBLEM;
    }
    struct stat about;
    uint8_t *text;
    size_t size;
    tally_status status =
        opened_read(rest, "the root key's file", 4096, &about, &text, &size, message);
    if (status != TALLY_OK) return status;
    if (about.st_uid != geteuid()) {
        opened_say(message,
                   "the root key's file belongs to another user; run as its owner, or make "
                   "it yours with chown");
        status = TALLY_ERROR_PROBLEM;
    } else if ((about.st_mode & 077) != 0) {
        opened_say(message,
                   "others may use the root key's file (mode %04o); run chmod 600 on it, and think "
                   "of who may have read it",
                   (unsigned)(about.st_mode & 07777));
        status = TALLY_ERROR_PROBLEM;
    } else if (!tally_root_key_parse(text, size, out)) {
        opened_say(message, no_key);
        status = TALLY_ERROR_PROBLEM;
    }
    tally_wipe(text, size);
    free(text);
    return status;
}

static tally_status opened_read_policy(const char *path, tally_policy **out, char *message)
{
    struct stat about;
    tally_problem problem = {"", ""};
    uint8_t *toml;
    char *json = NULL;
    size_t size, json_size;
    tally_status status =
        opened_read(path, path, TALLY_POLICY_SIZE_MAX, &about, &toml, &size, message);
    if (status != TALLY_OK) return status;
    status = tally_toml_to_json((const char *)toml, size, &json, &json_size, &problem);
    free(toml);
    if (status == TALLY_OK) {
        status = tally_policy_new(NULL, json, json_size, out, &problem);
        free(json);
    }
    return status == TALLY_OK ? status : opened_say_problem(message, path, status, &problem);
}

static tally_status opened_read_ring(const char *path, const char *root, tally_keyring **out,
                                     char *message)
{
    struct stat about;
    tally_problem problem = {"", ""};
    tally_root kind;
    uint8_t key[TALLY_ROOT_KEY_SIZE];
    uint8_t *file;
    size_t size;
    tally_keyring *ring = NULL;
    tally_status status =
        opened_read(path, path, TALLY_KEYRING_SIZE_MAX, &about, &file, &size, message);
    if (status != TALLY_OK) return status;
    status = tally_keyring_read(NULL, file, size, &ring, &problem);
    free(file);
    if (status != TALLY_OK) return opened_say_problem(message, path, status, &problem);
    size_t index = 0;
    while (tally_keyring_root_at(ring, index, &kind) && kind.kind != TALLY_ROOT_KEY) {
        index++;
    }
    if (kind.kind != TALLY_ROOT_KEY) {
        opened_say(message,
                   "%s: the ring's root key comes from %s; databases open rings whose root "
                   "key is in a file or an environment variable",
                   path,
                   kind.kind == TALLY_ROOT_SCRYPT   ? "a passphrase"
                   : kind.kind == TALLY_ROOT_SHARES ? "shares"
                                                    : "a wrapping key");
        status = TALLY_ERROR_PROBLEM;
    } else {
        status = opened_read_root(root, key, message);
        if (status == TALLY_OK) {
            status = tally_keyring_unlock(ring, key, &problem);
            tally_wipe(key, sizeof key);
            if (status != TALLY_OK) opened_say_problem(message, path, status, &problem);
        }
    }
    if (status != TALLY_OK) {
        tally_keyring_free(ring);
        return status;
    }
    *out = ring;
    return TALLY_OK;
}

static tally_status opened_make_column(const tally_rule *rule, const tally_keyring *ring,
                                       uint32_t rights, const char *path,
                                       tally_opened_column *column, char *message)
{
    tally_problem problem = {"", ""};
    if (pthread_mutex_init(&column->lock, NULL) != 0) return opened_out_of_memory(message);
    column->rule = rule;
    const tally_status status =
        tally_rule_open(NULL, rule, ring, rights, &column->tokenizer, &problem);
    if (status != TALLY_OK) {
        pthread_mutex_destroy(&column->lock);
        return opened_say_problem(message, path, status, &problem);
    }
    return TALLY_OK;
}

static int opened_order(const void *left, const void *right)
{
    const tally_policy_text a = (*(tally_opened_column *const *)left)->rule->column;
    const tally_policy_text b = (*(tally_opened_column *const *)right)->rule->column;
    const int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

tally_status tally_opened_new(const char *policy, const char *ring, const char *root, int reveal,
                              tally_opened **out, char message[TALLY_OPENED_MESSAGE])
{
    if (opened_is_root(policy) || opened_is_root(ring)) {
        opened_say(message, "a root key stands in the place of a path; it is in the query's text "
                            "now, so make a new one");
        return TALLY_ERROR_ARGUMENT;
    }
    tally_keyring *keys = NULL;
    tally_opened *const opened = calloc(1, sizeof *opened);
    if (opened == NULL) return opened_out_of_memory(message);
    opened->reveals = reveal;
    const uint32_t rights = reveal ? TALLY_MAY_PROTECT | TALLY_MAY_REVEAL : TALLY_MAY_PROTECT;
    size_t count = 0;
    tally_status status = opened_read_policy(policy, &opened->policy, message);
    if (status == TALLY_OK) {
        while (tally_policy_rule(opened->policy, count) != NULL) {
            count++;
        }
        opened->columns = calloc(count + 1, sizeof *opened->columns);
        opened->by_name = calloc(count + 1, sizeof *opened->by_name);
        status = opened->columns == NULL || opened->by_name == NULL
                     ? opened_out_of_memory(message)
                     : opened_read_ring(ring, root, &keys, message);
    }
    while (status == TALLY_OK && opened->count < count) {
        tally_opened_column *const column = &opened->columns[opened->count];
        status = opened_make_column(tally_policy_rule(opened->policy, opened->count), keys, rights,
                                    ring, column, message);
        opened->by_name[opened->count] = column;
        opened->count += status == TALLY_OK;
    }
    tally_keyring_free(keys);
    if (status != TALLY_OK) {
        tally_opened_free(opened);
        return status;
    }
    qsort(opened->by_name, count, sizeof *opened->by_name, opened_order);
    *out = opened;
    return TALLY_OK;
}

void tally_opened_free(tally_opened *opened)
{
    if (opened == NULL) return;
    for (size_t i = 0; i < opened->count; i++) {
        tally_opened_column *const column = &opened->columns[i];
        while (column->idle_count > 0) {
            tally_worker_free(column->idle[--column->idle_count]);
        }
        tally_tokenizer_free(column->tokenizer);
        pthread_mutex_destroy(&column->lock);
    }
    tally_policy_free(opened->policy);
    free(opened->columns);
    free(opened->by_name);
    free(opened);
}

int tally_opened_reveals(const tally_opened *opened)
{
    return opened->reveals;
}

tally_opened_column *tally_opened_find(const tally_opened *opened, const char *name, size_t size)
{
    const tally_rule rule = {.column = {name, size}};
    tally_opened_column wanted = {.rule = &rule};
    const tally_opened_column *const key = &wanted;
    tally_opened_column **const found =
        bsearch(&key, opened->by_name, opened->count, sizeof *opened->by_name, opened_order);
    return found == NULL ? NULL : *found;
}

tally_opened_column *tally_opened_at(const tally_opened *opened, size_t index)
{
    return index < opened->count ? &opened->columns[index] : NULL;
}

const tally_rule *tally_opened_rule(const tally_opened_column *column)
{
    return column->rule;
}

tally_worker *tally_opened_take(tally_opened_column *column)
{
    tally_worker *worker = NULL;
    pthread_mutex_lock(&column->lock);
    if (column->idle_count > 0) worker = column->idle[--column->idle_count];
    pthread_mutex_unlock(&column->lock);
    if (worker == NULL && tally_worker_new(column->tokenizer, &worker) != TALLY_OK) return NULL;
    return worker;
}

void tally_opened_give(tally_opened_column *column, tally_worker *worker)
{
    pthread_mutex_lock(&column->lock);
    if (column->idle_count < OPENED_IDLE) {
        column->idle[column->idle_count++] = worker;
        worker = NULL;
    }
    pthread_mutex_unlock(&column->lock);
    tally_worker_free(worker);
}

static const char *opened_function(int reveal)
{
    return reveal ? "tally_reveal" : "tally_protect";
}

void tally_opened_say_name(const tally_opened *opened, int reveal,
                           char message[TALLY_OPENED_MESSAGE])
{
    opened_say(message, "%s: the second argument is the value, and the first must be one of",
               opened_function(reveal));
    for (size_t i = 0; i < opened->count; i++) {
        const size_t used = strlen(message);
        (void)snprintf(message + used, TALLY_OPENED_MESSAGE - used, "%s '%s'", i == 0 ? "" : ",",
                       opened->columns[i].rule->column.text);
    }
    opened_end(message);
}

void tally_opened_say_invalid(const tally_opened_column *column, int reveal,
                              const tally_fault *fault, char message[TALLY_OPENED_MESSAGE])
{
    char why[TALLY_FAULT_TEXT];
    tally_fault_text(fault, why, sizeof why);
    opened_say(message, "%s('%s', ...): invalid value: %s; %s", opened_function(reveal),
               column->rule->column.text, why,
               reveal
                   ? "it can't be a token of this policy; open the policy that protected the data"
                   : "correct the value, change the options of the format, or set on_invalid = "
                     "'null' or 'keep' for the column in the policy");
}

void tally_opened_say_tweak(const tally_opened_column *column, int reveal,
                            char message[TALLY_OPENED_MESSAGE])
{
    const tally_policy_text tweak = column->rule->tweak;
    if (tweak.text == NULL) {
        opened_say(message, "%s('%s', ...): the column has no tweak; leave out the third argument",
                   opened_function(reveal), column->rule->column.text);
    } else {
        opened_say(message, "%s('%s', ...): the third argument must be the tweak, '%s'",
                   opened_function(reveal), column->rule->column.text, tweak.text);
    }
}

void tally_opened_say_status(const tally_opened_column *column, int reveal, tally_status status,
                             const tally_problem *problem, char message[TALLY_OPENED_MESSAGE])
{
    const char *const text =
        problem != NULL && problem->text[0] ? problem->text : tally_status_text(status);
    opened_say(message, "%s('%s', ...): %s", opened_function(reveal), column->rule->column.text,
               text);
}

void tally_opened_describe(const tally_opened_column *column, tally_opened_row *out)
{
    static const char *const on_invalid[] = {"error", "null", "keep"};
    const tally_rule *const rule = column->rule;
    *out = (tally_opened_row){
        .column = rule->column.text,
        .format = tally_format_name(rule->format),
        .cipher = tally_format_cipher(rule->format),
        .name_space = rule->key.version == 0 ? NULL : rule->name_space.text,
        .tweak = rule->tweak.text,
        .on_invalid = on_invalid[rule->on_invalid],
        .is_one_way = tally_format_is_one_way(rule->format),
    };
    if (rule->key.version != 0) {
        (void)snprintf(out->key, sizeof out->key, "%s:%lu", rule->key.name,
                       (unsigned long)rule->key.version);
    }
}
