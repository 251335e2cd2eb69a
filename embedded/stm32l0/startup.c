/* SPDX-License-Identifier: Apache-2.0
 *
 * From reset to main: the vector table of Armv6-M with the 32 interrupts of an STM32L0, and the C
 * language's memory. The chip starts at 2.1 MHz (MSI), and nothing here needs more. */
#include <stdint.h>

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];

int main(void);
_Noreturn void reset(void);

/* No interrupt is on: one that comes is an error, at which a debugger finds us. */
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
    main();
    fault();
}

typedef void handler(void);

enum { EXCEPTIONS = 15, INTERRUPTS = 32 };

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    handler *handlers[EXCEPTIONS + INTERRUPTS];
} vectors = {stack_top, {reset, [1 ... EXCEPTIONS + INTERRUPTS - 1] = fault}};
