/* SPDX-License-Identifier: Apache-2.0
 *
 * The key ring. The postmaster opens it once, if the library is preloaded; else each process opens it
 * when it first needs a key. Of the root key nothing stays. */
#include "tally_postgres.h"

#include "root_key.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static tally_keyring *keys_ring;
static bool keys_are_shared; /* the ring is the postmaster's, and can't be freed here */
static bool keys_are_stale;

/* What the user is shown, and what only the log has: the places of files. */
typedef struct keys_problem {
    char text[1024];
    char place[1024 + 64];
} keys_problem;

static void keys_wrong(keys_problem *problem, const char *path, const char *text)
{
    snprintf(problem->text, sizeof problem->text, "%s", text);
    snprintf(problem->place, sizeof problem->place, "The file is \"%s\".", path);
}

static bool keys_read_failed(keys_problem *problem, const char *what, const char *path)
{
    char text[256];
    snprintf(text, sizeof text, "%s can't be read: %m", what);
    keys_wrong(problem, path, text);
    return false;
}

/* Reads a file of at most `capacity` bytes. */
static bool keys_read(const char *what, const char *path, bool is_private, uint8_t *out,
                      size_t capacity, size_t *size, keys_problem *problem)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return keys_read_failed(problem, what, path);
    }
    char text[256];
    bool good = false;
    if (fstat(file, &about) != 0) {
        keys_read_failed(problem, what, path);
    } else if (!S_ISREG(about.st_mode)) {
        snprintf(text, sizeof text, "%s is not a regular file", what);
        keys_wrong(problem, path, text);
    } else if (is_private && (about.st_uid != geteuid() || (about.st_mode & 077) != 0)) {
        snprintf(text, sizeof text,
                 "%s must belong to the server's user, and give no right to group or others: "
                 "use chown and chmod 0600",
                 what);
        keys_wrong(problem, path, text);
    } else {
        *size = 0;
        ssize_t got;
        do {
            got = read(file, out + *size, capacity - *size);
            *size += got > 0 ? (size_t)got : 0;
        } while (*size < capacity && (got > 0 || (got < 0 && errno == EINTR)));
        good = got >= 0;
        if (!good) {
            keys_read_failed(problem, what, path);
        }
    }
    close(file);
    return good;
}

/* The file's text and the key that it says, in locked memory. */
typedef struct keys_root {
    uint8_t text[TALLY_ROOT_DIGITS + 2]; /* room to see that there is too much */
    uint8_t key[TALLY_ROOT_KEY_SIZE];
} keys_root;

static bool keys_read_root(keys_root *root, keys_problem *problem)
{
    static const char what[] = "the root key's file";
    size_t size = 0;
    if (!keys_read(what, tally_pg_root_path, true, root->text, sizeof root->text, &size, problem)) {
        return false;
    }
    if (!tally_root_key_parse(root->text, size, root->key)) {
        keys_wrong(problem, tally_pg_root_path,
                   "the root key's file must have 64 hexadecimal digits and at most one newline");
        return false;
    }
    return true;
}

static const char keys_no_memory[] =
    "there is no memory that can be locked; raise RLIMIT_MEMLOCK (systemd: LimitMEMLOCK), or set "
    "tallystick.require_locked_memory = off";

static void keys_describe(keys_problem *problem, const char *path, const char *what,
                          tally_status status, const tally_problem *cause)
{
    char text[sizeof problem->text];
    snprintf(text, sizeof text, "%s: %s", what,
             status == TALLY_ERROR_MEMORY ? keys_no_memory
             : cause->text[0] != '\0'     ? cause->text
                                          : tally_status_text(status));
    keys_wrong(problem, path, text);
}

/* Reads the ring's file; it stays locked. */
static tally_keyring *keys_read_ring(const tally_allocator *allocator, keys_problem *problem)
{
    static const char what[] = "the key ring";
    tally_keyring *ring = NULL;
    tally_problem cause = {"", ""};
    size_t size = 0;
    uint8_t *const file = malloc(TALLY_KEYRING_SIZE_MAX + 1);
    if (file == NULL) {
        keys_wrong(problem, tally_pg_keyring_path, "the key ring can't be read: out of memory");
        return NULL;
    }
    if (keys_read(what, tally_pg_keyring_path, false, file, TALLY_KEYRING_SIZE_MAX + 1, &size,
                  problem)) {
        const tally_status status = tally_keyring_read(allocator, file, size, &ring, &cause);
        if (status != TALLY_OK) {
            ring = NULL;
            keys_describe(problem, tally_pg_keyring_path, what, status, &cause);
        }
    }
    free(file);
    return ring;
}

static bool keys_unlock(tally_keyring *ring, keys_problem *problem)
{
    tally_problem cause = {"", ""};
    tally_root kind;
    size_t index = 0;
    while (tally_keyring_root_at(ring, index, &kind) && kind.kind != TALLY_ROOT_KEY) {
        index++;
    }
    if (kind.kind != TALLY_ROOT_KEY) {
        char text[256];
        snprintf(text, sizeof text,
                 "the root key of the key ring comes from %s; a server needs a ring whose root key "
                 "is in a file: make one with tallystick keyring new --root file:PATH",
                 kind.kind == TALLY_ROOT_SCRYPT   ? "a passphrase"
                 : kind.kind == TALLY_ROOT_SHARES ? "shares"
                                                  : "a wrapping key");
        keys_wrong(problem, tally_pg_keyring_path, text);
        return false;
    }
    keys_root *const root = tally_pg_private.allocate(NULL, sizeof *root);
    if (root == NULL) {
        keys_wrong(problem, tally_pg_root_path, keys_no_memory);
        return false;
    }
    bool good = keys_read_root(root, problem);
    if (good) {
        const tally_status status = tally_keyring_unlock(ring, root->key, &cause);
        good = status == TALLY_OK;
        if (!good) {
            keys_describe(problem, tally_pg_keyring_path, "the key ring", status, &cause);
        }
    }
    tally_pg_private.release(NULL, root, sizeof *root);
    return good;
}

static tally_keyring *keys_open(const tally_allocator *allocator, keys_problem *problem)
{
    if (tally_pg_keyring_path == NULL || tally_pg_keyring_path[0] == '\0' ||
        tally_pg_root_path == NULL || tally_pg_root_path[0] == '\0') {
        snprintf(
            problem->text, sizeof problem->text,
            "the settings tallystick.keyring and tallystick.root_key name no files; a superuser "
            "sets them in postgresql.conf");
        problem->place[0] = '\0';
        return NULL;
    }
    tally_keyring *const ring = keys_read_ring(allocator, problem);
    if (ring != NULL && !keys_unlock(ring, problem)) {
        tally_keyring_free(ring);
        return NULL;
    }
    return ring;
}

void tally_pg_keys_preload(void)
{
    keys_problem problem;
    if (tally_pg_keyring_path == NULL || tally_pg_keyring_path[0] == '\0') {
        return;
    }
    keys_ring = keys_open(&tally_pg_shared, &problem);
    if (keys_ring == NULL) {
        ereport(WARNING,
                (errmsg("tallystick: %s", problem.text), errdetail_log("%s", problem.place),
                 errhint("The server runs, and functions that need keys fail until a process can "
                         "open the ring.")));
        return;
    }
    keys_are_shared = true;
    keys_are_stale = false; /* settings that are read count as changed */
    tally_pg_seal();
}

void tally_pg_keys_changed(void)
{
    keys_are_stale = true;
}

static void keys_replace(tally_keyring *ring)
{
    if (!keys_are_shared) {
        tally_keyring_free(keys_ring);
    }
    keys_ring = ring;
    keys_are_shared = false;
    keys_are_stale = false;
}

/* Opens the ring if that is to be done; else raises an error that begins with `who`. */
static void keys_need(const char *who)
{
    keys_problem problem;
    if (keys_ring == NULL || keys_are_stale) {
        tally_keyring *const ring = keys_open(&tally_pg_private, &problem);
        if (ring == NULL) {
            ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("%s: %s", who, problem.text),
                            problem.place[0] != '\0' ? errdetail_log("%s", problem.place) : 0,
                            TALLY_PG_QUIET));
        }
        keys_replace(ring);
    }
}

/* Reads the file again, which may have been given a key since. It opens without the root key. */
static bool keys_read_again(void)
{
    keys_problem problem;
    tally_problem ignored;
    tally_keyring *const ring = keys_read_ring(&tally_pg_private, &problem);
    if (ring == NULL || tally_keyring_unlock_like(ring, keys_ring, &ignored) != TALLY_OK) {
        tally_keyring_free(ring);
        return false;
    }
    keys_replace(ring);
    return true;
}

size_t tally_pg_key(const tally_key_id *id, uint8_t *out, const char *who)
{
    tally_problem cause = {"", ""};
    size_t size = 0;
    keys_need(who);
    tally_status status = tally_keyring_key(keys_ring, id, out, &size, &cause);
    if (status == TALLY_ERROR_NO_KEY && keys_read_again()) {
        status = tally_keyring_key(keys_ring, id, out, &size, &cause);
    }
    if (status != TALLY_OK) {
        ereport(ERROR, (errcode(ERRCODE_CONFIG_FILE_ERROR),
                        errmsg("%s: the key ring: %s", who,
                               cause.text[0] != '\0' ? cause.text : tally_status_text(status)),
                        TALLY_PG_QUIET));
    }
    return size;
}

tally_status tally_pg_rule_open(const tally_rule *rule, const char *who, tally_tokenizer **out,
                                tally_problem *problem)
{
    static const uint32_t all = TALLY_MAY_PROTECT | TALLY_MAY_REVEAL;
    keys_need(who);
    tally_status status = tally_rule_open(&tally_pg_private, rule, keys_ring, all, out, problem);
    if (status == TALLY_ERROR_NO_KEY && keys_read_again()) {
        status = tally_rule_open(&tally_pg_private, rule, keys_ring, all, out, problem);
    }
    return status;
}

PG_FUNCTION_INFO_V1(tally_pg_status);

/* tally_status(): what is open here. It opens the ring, so that a fault shows. */
Datum tally_pg_status(PG_FUNCTION_ARGS)
{
    (void)fcinfo;
    uint64 held, unlocked;
    StringInfoData text;
    keys_problem problem;
    initStringInfo(&text);
    if (keys_ring == NULL || keys_are_stale) {
        tally_keyring *const ring = keys_open(&tally_pg_private, &problem);
        if (ring != NULL) {
            keys_replace(ring);
        }
    }
    if (keys_ring != NULL && !keys_are_stale) {
        appendStringInfo(&text, "key ring %s with %zu keys, opened by %s",
                         tally_keyring_id(keys_ring), tally_keyring_count(keys_ring),
                         keys_are_shared ? "the postmaster" : "this process");
    } else {
        appendStringInfo(&text, "no key ring: %s", problem.text);
    }
    tally_pg_memory_held(&held, &unlocked);
    appendStringInfo(&text, "; %zu bytes for keys, %zu of them not locked; Tallystick %s",
                     (size_t)held, (size_t)unlocked, tally_version());
    PG_RETURN_DATUM(PointerGetDatum(cstring_to_text_with_len(text.data, text.len)));
}
