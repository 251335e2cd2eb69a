/* SPDX-License-Identifier: Apache-2.0
 *
 * From reset to main: the vector table of Armv6-M (Architecture Reference Manual, section B1.5.3),
 * and the C language's memory. */
#include "firmware.h"

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];

/* Nothing here raises an exception: one that comes is an error, at which a debugger finds us. */
static _Noreturn void fault(void)
{
    for (;;) {
    }
}

_Noreturn void reset(void)
{
    const uint32_t *from = data_load;
    for (volatile uint32_t *to = data_start; to < data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t *to = bss_start; to < bss_end; to++) {
        *to = 0;
    }
    serve_mailbox();
}

typedef void handler(void);

enum { RESET, NMI, HARD_FAULT, SV_CALL = 10, PEND_SV = 13, SYS_TICK, EXCEPTIONS };

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler *handlers[EXCEPTIONS];
} vectors = {
    stack_top,
    {[RESET] = reset,
     [NMI] = fault,
     [HARD_FAULT] = fault,
     [SV_CALL] = fault,
     [PEND_SV] = fault,
     [SYS_TICK] = fault},
};
