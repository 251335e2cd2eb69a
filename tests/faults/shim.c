/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands between a program and the C library (LD_PRELOAD), and lets the system fail: the nth call
 * that concerns a file of one folder gives an error, or the process is killed there, or all reads
 * and writes are short and interrupted; and the clock may be wrong. What it is to do is in memory
 * that a process shares with those that it forks (server.py), so that the calls can be counted from
 * outside.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITES = 1, UNLINKS = 2, READS = 4 }; /* groups of calls, a bit each */
enum { COUNT, FAIL, FAIL_ON, KILL_BEFORE, KILL_AFTER, KILL_AMID, SHORT }; /* what happens */

struct fault_state {
    char folder[1024]; /* calls on files below it count; empty: none does */
    char hit[64];      /* the call that was failed, for messages */
    int groups;
    int kind;
    int error; /* the errno of a failure */
    int at;    /* the call, from 1 */
    atomic_int calls;
    long long clock; /* seconds that the clock is wrong by */
};

struct fault_state *fault_state;

__attribute__((constructor)) static void start(void)
{
    void *shared =
        mmap(NULL, sizeof *fault_state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fault_state = shared == MAP_FAILED ? NULL : shared;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int below(const char *path)
{
    size_t size = strlen(fault_state->folder);
    return size > 0 && (path[0] != '/' || (strncmp(path, fault_state->folder, size) == 0));
}

static int concerns_path(const char *path)
{
    return fault_state != NULL && fault_state->folder[0] != 0 && below(path);
}

static int concerns(int fd)
{
    char link[64], path[1200];
    if (fault_state == NULL || fault_state->folder[0] == 0) {
        return 0;
    }
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (size <= 0) {
        return 0;
    }
    path[size] = 0;
    return path[0] == '/' && below(path);
}

/* Count a call, and say what is to happen: nothing (0), a failure (1), or death amid or after (2,
 * 3). */
static int fate(int group, const char *name)
{
    if (!(fault_state->groups & group) || fault_state->kind == SHORT) {
        return 0;
    }
    int number = atomic_fetch_add(&fault_state->calls, 1) + 1;
    int kind = fault_state->kind;
    if (number != fault_state->at && !(kind == FAIL_ON && number > fault_state->at)) {
        return 0;
    }
    if (kind == COUNT) {
        return 0;
    }
    if (number == fault_state->at) {
        snprintf(fault_state->hit, sizeof fault_state->hit, "%s", name);
    }
    if (kind == KILL_BEFORE) {
        raise(SIGKILL);
    }
    if (kind == KILL_AMID) {
        return 2;
    }
    if (kind == KILL_AFTER) {
        return 3;
    }
    errno = fault_state->error;
    return 1;
}

#define ON(condition, group, name, call)                                                           \
    int fate_of_it = (condition) ? fate(group, name) : 0;                                          \
    if (fate_of_it == 1) {                                                                         \
        return -1;                                                                                 \
    }                                                                                              \
    __typeof__(call) result = call;                                                                \
    if (fate_of_it >= 2) {                                                                         \
        raise(SIGKILL);                                                                            \
    }                                                                                              \
    return result

static int opened(const char *name, const char *path, int flags, int concerned)
{
    if (!concerned) {
        return 0;
    }
    (void)path;
    return fate(flags & (O_WRONLY | O_RDWR | O_CREAT) ? WRITES : READS, name);
}

#define OPEN(name, real)                                                                           \
    int fate_of_it = opened(name, path, flags, concerns_path(path));                               \
    if (fate_of_it == 1) {                                                                         \
        return -1;                                                                                 \
    }                                                                                              \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                        \
    va_end(more);                                                                                  \
    int result = real;                                                                             \
    if (fate_of_it >= 2) {                                                                         \
        raise(SIGKILL);                                                                            \
    }                                                                                              \
    return result

int open(const char *path, int flags, ...)
{
    OPEN("open", REAL(open)(path, flags, mode));
}
int open64(const char *path, int flags, ...)
{
    OPEN("open", REAL(open64)(path, flags, mode));
}
int openat(int at, const char *path, int flags, ...)
{
    OPEN("openat", REAL(openat)(at, path, flags, mode));
}
int openat64(int at, const char *path, int flags, ...)
{
    OPEN("openat", REAL(openat64)(at, path, flags, mode));
}

/* Some of the bytes, and now and then none and EINTR. */
static int shortened(size_t *size)
{
    static _Thread_local unsigned turn;
    if (++turn % 3 == 0) {
        errno = EINTR;
        return 1;
    }
    if (*size > 1) {
        *size = turn % 3 == 1 ? 1 + *size / 2 : 1 + *size / 7;
    }
    return 0;
}

static int is_short(int fd)
{
    return fault_state != NULL && fault_state->kind == SHORT && concerns(fd);
}

ssize_t read(int fd, void *data, size_t size)
{
    if (is_short(fd) && shortened(&size)) {
        return -1;
    }
    ON(concerns(fd), READS, "read", REAL(read)(fd, data, size));
}
ssize_t pread(int fd, void *data, size_t size, off_t place)
{
    if (is_short(fd) && shortened(&size)) {
        return -1;
    }
    ON(concerns(fd), READS, "pread", REAL(pread)(fd, data, size, place));
}
ssize_t pread64(int fd, void *data, size_t size, off64_t place)
{
    if (is_short(fd) && shortened(&size)) {
        return -1;
    }
    ON(concerns(fd), READS, "pread", REAL(pread64)(fd, data, size, place));
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (is_short(fd) && shortened(&size)) {
        return -1;
    }
    int ours = concerns(fd), fate_of_it = ours ? fate(WRITES, "write") : 0;
    if (fate_of_it == 1) { /* a full disk takes some, and nothing the next time */
        if (fault_state->error == ENOSPC && fault_state->kind == FAIL_ON && size > 1 &&
            atomic_load(&fault_state->calls) == fault_state->at) {
            return REAL(write)(fd, data, size / 2);
        }
        return -1;
    }
    ssize_t result = REAL(write)(fd, data, fate_of_it == 2 ? size / 2 : size);
    if (fate_of_it >= 2) {
        raise(SIGKILL);
    }
    return result;
}
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ON(concerns(fd), WRITES, "writev", REAL(writev)(fd, parts, count));
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t place)
{
    ON(concerns(fd), WRITES, "pwrite", REAL(pwrite)(fd, data, size, place));
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t place)
{
    ON(concerns(fd), WRITES, "pwrite", REAL(pwrite64)(fd, data, size, place));
}

int fsync(int fd)
{
    ON(concerns(fd), WRITES, "fsync", REAL(fsync)(fd));
}
int fdatasync(int fd)
{
    ON(concerns(fd), WRITES, "fdatasync", REAL(fdatasync)(fd));
}
int fchmod(int fd, mode_t mode)
{
    ON(concerns(fd), WRITES, "fchmod", REAL(fchmod)(fd, mode));
}
int chmod(const char *path, mode_t mode)
{
    ON(concerns_path(path), WRITES, "chmod", REAL(chmod)(path, mode));
}
int mkdir(const char *path, mode_t mode)
{
    ON(concerns_path(path), WRITES, "mkdir", REAL(mkdir)(path, mode));
}
int rename(const char *from, const char *to)
{
    ON(concerns_path(to), WRITES, "rename", REAL(rename)(from, to));
}
int renameat(int a, const char *from, int b, const char *to)
{
    ON(concerns_path(to), WRITES, "renameat", REAL(renameat)(a, from, b, to));
}
int link(const char *from, const char *to)
{
    ON(concerns_path(to), WRITES, "link", REAL(link)(from, to));
}
int linkat(int a, const char *from, int b, const char *to, int flags)
{
    ON(concerns_path(to), WRITES, "linkat", REAL(linkat)(a, from, b, to, flags));
}
int unlink(const char *path)
{
    ON(concerns_path(path), UNLINKS, "unlink", REAL(unlink)(path));
}
int unlinkat(int at, const char *path, int flags)
{
    ON(concerns_path(path), UNLINKS, "unlinkat", REAL(unlinkat)(at, path, flags));
}
int rmdir(const char *path)
{
    ON(concerns_path(path), UNLINKS, "rmdir", REAL(rmdir)(path));
}

/* A close that fails has closed nevertheless; only those of files that were written are counted. */
int close(int fd)
{
    int flags = fault_state != NULL && fault_state->folder[0] ? fcntl(fd, F_GETFL) : -1;
    int ours = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && concerns(fd);
    int fate_of_it = ours ? fate(WRITES, "close") : 0;
    int result = REAL(close)(fd);
    if (fate_of_it >= 2) {
        raise(SIGKILL);
    }
    if (fate_of_it == 1) {
        errno = fault_state->error;
        return -1;
    }
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = REAL(clock_gettime)(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && fault_state != NULL) {
        now->tv_sec += fault_state->clock;
    }
    return result;
}
time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}
int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    int result = REAL(gettimeofday)(out, zone);
    if (result == 0 && fault_state != NULL) {
        out->tv_sec += fault_state->clock;
    }
    return result;
}
