/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instructions a kernel executes, and how often: the trap flag stops the CPU after each one,
 * and a signal handler counts its address. So nothing is assumed about the compiler. */
#define _GNU_SOURCE /* REG_RIP, dl_iterate_phdr */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arch.h"
#include "fast/schedule/pool.h"
#include "kernels.h"

#if defined(TALLY_ARCH_X86_64) && defined(__linux__)

#include <link.h>
#include <ucontext.h>

enum { CODE = 1 << 22 }; /* bytes of this program's code, at most */

static uint32_t executed[CODE]; /* how often the instruction at each address was */
static uintptr_t base;          /* what the addresses in the program's file are relative to */
static volatile sig_atomic_t strayed;

static void on_step(int signal, siginfo_t *info, void *context)
{
    uintptr_t address = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] - base;
    (void)signal;
    (void)info;
    if (address < CODE) {
        executed[address]++;
    } else {
        strayed = 1;
    }
}

static int find_base(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    base = info->dlpi_addr;
    return 1; /* the first is the program itself */
}

/* Below the red zone, where a compiler may keep what it likes. */
#define SET_FLAGS(change)                                                                          \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change                                 \
                     "\n\tpopfq\n\tlea 128(%%rsp), %%rsp"                                          \
                     :                                                                             \
                     :                                                                             \
                     : "memory", "cc")

int count_steps(instance *x, const tally_fast_params *params, int decrypt)
{
    const tally_fast_lanes *lanes = x->pool->lanes;
    const tally_fast_lane_job job = job_of(x, params, decrypt);
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, before;
    dl_iterate_phdr(find_base, NULL);
    for (size_t i = 0; i < CODE; i++) {
        executed[i] = 0;
    }
    if (sigaction(SIGTRAP, &action, &before) != 0) {
        return 0;
    }
    SET_FLAGS("orq $0x100, (%%rsp)");
    lanes->run(decrypt, &job);
    SET_FLAGS("andq $~0x100, (%%rsp)");
    sigaction(SIGTRAP, &before, NULL);
    if (strayed) {
        return 0;
    }
    const char *comma = "";
    for (size_t i = 0; i < CODE; i++) {
        if (executed[i] != 0) {
            printf("%s\"%zx\": %u", comma, i, executed[i]);
            comma = ", ";
        }
    }
    return 1;
}

#else

int count_steps(instance *x, const tally_fast_params *params, int decrypt)
{
    (void)x;
    (void)params;
    (void)decrypt;
    return 0;
}

#endif
