/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library under SuiteB_FFI.cry leaves in memory, and what it does where memory does not
 * suffice. Each call runs on a stack of its own, which is searched afterwards for the key, for
 * round keys and for the message. And a number that GMP can't have, or has no memory for, ends the
 * program in GMP: nothing is written beside what was allocated. The argument is the library. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <gmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "aes_backends.h"
#include "base/bytes.h"
#include "check.h"
#include "random.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { BLOCKS = 300, SIZE = 16 * BLOCKS, STACK = 1 << 17, WORDS = 4 * 15 };

typedef void expand_one(const uint64_t *, uint32_t *, uint32_t *, uint32_t *);
typedef void expand_both(const uint64_t *, uint32_t *, uint32_t *, uint32_t *, uint32_t *,
                         uint32_t *, uint32_t *);
typedef void many_blocks(size_t, size_t, const uint32_t *, const uint32_t *, const uint32_t *,
                         const uint64_t *, uint64_t *);
typedef void blocks_of_number(size_t, size_t, const uint32_t *, const uint32_t *, const uint32_t *,
                              mpz_srcptr, mpz_ptr);
typedef void counter_mode(size_t, size_t, const uint32_t *, const uint32_t *, const uint32_t *,
                          const uint64_t *, mpz_srcptr, mpz_ptr);
typedef void message_tag(size_t, size_t, const uint32_t *, const uint32_t *, const uint32_t *,
                         mpz_srcptr, uint64_t *);
typedef void digest64(size_t, mpz_srcptr, uint64_t *);

static struct {
    expand_one *expand[3][2];
    expand_both *expand_both[3];
    many_blocks *blocks[2];
    blocks_of_number *words[2];
    counter_mode *ctr;
    message_tag *cmac;
    digest64 *sha256;
    uint32_t (*lower)(uint32_t);
} call;

/* What a call takes; that the results are right is tested elsewhere. */
static size_t k, count;
static uint8_t key[32], message[SIZE];
static uint64_t key_words[4], message_words[SIZE / 8], out_words[SIZE / 8];
static uint32_t enc[WORDS], dec[WORDS], out_enc[WORDS], out_dec[WORDS];
static mpz_t number, result;

#define SPLIT(words) words, (words) + 4, (words) + 4 * (k + 6)

static void do_expand(void)
{
    call.expand[k / 2 - 2][0](key_words, SPLIT(out_enc));
    call.expand[k / 2 - 2][1](key_words, SPLIT(out_dec));
    call.expand_both[k / 2 - 2](key_words, SPLIT(out_enc), SPLIT(out_dec));
}

static void do_encrypt_blocks(void)
{
    call.blocks[1](k, count / 16, SPLIT(enc), message_words, out_words);
}

static void do_decrypt_blocks(void)
{
    call.blocks[0](k, count / 16, SPLIT(dec), message_words, out_words);
}

static void do_encrypt_words(void)
{
    call.words[1](k, count / 16, SPLIT(enc), number, result);
}

static void do_decrypt_words(void)
{
    call.words[0](k, count / 16, SPLIT(dec), number, result);
}

static void do_ctr(void)
{
    static const uint64_t counter[2] = {7, 9};
    call.ctr(k, count, SPLIT(enc), counter, number, result);
}

static void do_cmac(void)
{
    call.cmac(k, count, SPLIT(enc), number, out_words);
}

static void do_sha256(void)
{
    call.sha256(8 * count, number, out_words);
}

static void do_leak(void)
{
    volatile uint8_t copy[sizeof message];
    for (size_t i = 0; i < sizeof message; i++) {
        copy[i] = message[i];
    }
    (void)copy[0];
}

static const struct {
    const char *name;
    void (*run)(void);
} calls[] = {{"expansion", do_expand},
             {"encryption of blocks", do_encrypt_blocks},
             {"decryption of blocks", do_decrypt_blocks},
             {"encryption of a word", do_encrypt_words},
             {"decryption of a word", do_decrypt_words},
             {"CTR", do_ctr},
             {"CMAC", do_cmac},
             {"SHA-256", do_sha256}}; /* not SHA-512: it spills words of its message schedule */

/* --- what is left on the stack --- */

static _Alignas(64) uint8_t stack[STACK];
static ucontext_t here, there;

static void on_a_stack_of_its_own(void (*run)(void))
{
    memset(stack, 0x5a, sizeof stack);
    CHECK_EQUAL(getcontext(&there), 0);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, run, 0);
    CHECK_EQUAL(swapcontext(&here, &there), 0);
}

/* What is looked for: eights of bytes, which lie in this order, or turned round as a word. `first`
 * has how their first two begin, so that one pass over the stack finds all. */
static struct {
    uint8_t bytes[4 * WORDS + SIZE / 4][8];
    size_t count;
    bool first[1 << 16];
} wanted;

static void want(const uint8_t bytes[8])
{
    for (size_t turned = 0; turned < 2; turned++) {
        uint8_t *to = wanted.bytes[wanted.count++];
        for (size_t i = 0; i < 8; i++) {
            to[i] = bytes[turned ? 7 - i : i];
        }
        wanted.first[to[0] << 8 | to[1]] = true;
    }
}

static void want_schedule(const uint32_t *words)
{
    for (size_t i = 0; i < 4 * (k + 7); i += 2) {
        uint8_t as_words[8], as_bytes[8];
        memcpy(as_words, words + i, 8);
        want(as_words);
        tally_store_be32(words[i], as_bytes);
        tally_store_be32(words[i + 1], as_bytes + 4);
        want(as_bytes);
    }
}

static void want_message(void)
{
    for (size_t i = 0; i + 8 <= count; i += 8) {
        want(message + SIZE - count + i);
    }
}

static void want_blocks(const uint64_t *words)
{
    for (size_t i = 0; i < count / 16 * 2; i++) {
        uint8_t bytes[8];
        tally_store_be64(words[i], bytes);
        want(bytes);
    }
}

static void want_nothing(void)
{
    memset(&wanted, 0, sizeof wanted);
}

/* At how many places of the stack something wanted lies. */
static size_t left_behind(void)
{
    size_t found = 0;
    for (size_t at = 0; at + 8 <= sizeof stack; at++) {
        if (wanted.first[stack[at] << 8 | stack[at + 1]]) {
            for (size_t i = 0; i < wanted.count; i++) {
                found += memcmp(stack + at, wanted.bytes[i], 8) == 0;
            }
        }
    }
    return found;
}

static void check_what_is_left(const char *backend)
{
    static const size_t sizes[] = {19, 48, SIZE};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            count = sizes[s];
            CHECK_ABOUT("%s of %zu bytes, %s, k = %zu", calls[i].name, count, backend, k);
            mpz_import(number, count, 1, 1, 1, 0, message + SIZE - count);
            for (size_t j = 0; j < count / 8; j++) {
                message_words[j] = tally_load_be64(message + SIZE - count + 8 * j);
            }
            on_a_stack_of_its_own(calls[i].run);
            want_nothing();
            want_schedule(enc);
            CHECK_EQUAL(left_behind(), 0);
            want_nothing();
            want_schedule(dec);
            CHECK_EQUAL(left_behind(), 0);
            want_nothing();
            want_message();
            CHECK_EQUAL(left_behind(), 0);
            if (calls[i].run == do_decrypt_blocks && strstr(backend, "bitslice") == NULL) {
                /* bit-sliced back ends spill what they turn back into blocks */
                want_nothing();
                want_blocks(out_words);
                CHECK_EQUAL(left_behind(), 0);
            }
        }
    }
}

static void check_stacks(void)
{
    random_bytes(message, sizeof message);
    count = SIZE;
    on_a_stack_of_its_own(do_leak); /* that what is left is seen */
    want_nothing();
    want_message();
    CHECK(left_behind() >= SIZE / 8);
    for (size_t i = 0; i < AES_BACKENDS; i++) {
        if (call.lower(aes_backends[i].features) != aes_backends[i].features) {
            printf("skipped: this CPU has no %s\n", aes_backends[i].name);
            continue;
        }
        for (k = 4; k <= 8; k += 2) {
            random_bytes(key, sizeof key);
            for (size_t j = 0; j < 4; j++) {
                key_words[j] = tally_load_be64(key + 8 * j);
            }
            call.expand_both[k / 2 - 2](key_words, SPLIT(enc), SPLIT(dec));
            check_what_is_left(aes_backends[i].name);
        }
    }
}

/* --- where memory does not suffice --- */

/* That a call ends in GMP's abort, which it says on stderr. */
static void check_ends(void (*run)(void), size_t n, rlim_t memory)
{
    CHECK_ABOUT("n = %zu", n);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0}, some = {memory, memory};
        (void)setrlimit(RLIMIT_CORE, &none);
        if (memory != 0 && setrlimit(RLIMIT_AS, &some) != 0) {
            _exit(3);
        }
        (void)close(STDERR_FILENO);
        count = n;
        run();
        _exit(0);
    }
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void do_many(void)
{
    call.words[1](k, count, SPLIT(enc), number, result);
}

static void check_too_much(void)
{
    const size_t top =
        (size_t)1 << 60; /* so many blocks have 2^64 bytes, or 0 if that is forgotten */
    const size_t counts[] = {(size_t)1 << 34, top - 1, top, top + 1, 2 * top + 3, SIZE_MAX};
    k = 4;
    mpz_set_ui(number, 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_ends(do_many, counts[i], 0);
        check_ends(do_ctr, counts[i], 0);
    }
    if (!SANITIZED) { /* they have limits of their own */
        check_ends(do_many, (size_t)1 << 26, (rlim_t)1 << 29);
        check_ends(do_ctr, (size_t)1 << 30, (rlim_t)1 << 29);
    }
}

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(2);
    }
    memcpy(function, &found, sizeof found);
}

int main(int argc, char **arguments)
{
    void *library = dlopen(argc == 2 ? arguments[1] : "no argument", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[3][3] = {
            {"tallyExpand128Encrypt", "tallyExpand128Decrypt", "tallyExpand128Both"},
            {"tallyExpand192Encrypt", "tallyExpand192Decrypt", "tallyExpand192Both"},
            {"tallyExpand256Encrypt", "tallyExpand256Decrypt", "tallyExpand256Both"}};
        find(library, names[i][0], &call.expand[i][0]);
        find(library, names[i][1], &call.expand[i][1]);
        find(library, names[i][2], &call.expand_both[i]);
    }
    find(library, "tallyDecryptBlocks", &call.blocks[0]);
    find(library, "tallyEncryptBlocks", &call.blocks[1]);
    find(library, "tallyDecryptWords", &call.words[0]);
    find(library, "tallyEncryptWords", &call.words[1]);
    find(library, "tallyCtr", &call.ctr);
    find(library, "tallyCmac", &call.cmac);
    find(library, "tallySha256", &call.sha256);
    find(library, "tallyLower", &call.lower);
    mpz_inits(number, result, NULL);
    if (!SANITIZED) { /* their stacks have copies of their own */
        check_stacks();
    }
    check_too_much();
    mpz_clears(number, result, NULL);
    dlclose(library);
    return check_end("suiteb_ffi_memory");
}
