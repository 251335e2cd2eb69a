/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of one share on Armv6-M, for refreshing and for modes. Nothing but constants is left in the
 * registers, on the operand ports and on the buses, so the other share may be next. */
#include "masked/cortex_m0.h"

#if defined(TALLY_MASKED_CORTEX_M0)
    .syntax unified
    .thumb

@ (to, from, size): to ^= from
    .section .text.tally_masked_cortex_m0_add, "ax", %progbits
    .global tally_masked_cortex_m0_add
    .type tally_masked_cortex_m0_add, %function
    .thumb_func
tally_masked_cortex_m0_add:
    push {r4, lr}
    movs r3, r0
    orrs r3, r1
    orrs r3, r2
    lsls r3, r3, #30
    bne 4f
    b 2f
1:
    ldr r3, [r1, r2]
    ldr r4, [r0, r2]
    eors r4, r3
    str r4, [r0, r2]
2:
    subs r2, #4
    bpl 1b
    b 5f
3:
    ldrb r3, [r1, r2]
    ldrb r4, [r0, r2]
    eors r4, r3
    strb r4, [r0, r2]
4:
    subs r2, #1
    bpl 3b
5:
    movs r3, #0
    movs r4, #0
    tst r3, r4
    push {r3, r4}
    pop {r3, r4}
    pop {r4, pc}
    .size tally_masked_cortex_m0_add, . - tally_masked_cortex_m0_add

@ Zeros into the registers that a call may change, and into 128 bytes below the stack.
    .section .text.tally_masked_cortex_m0_forget, "ax", %progbits
    .global tally_masked_cortex_m0_forget
    .type tally_masked_cortex_m0_forget, %function
    .thumb_func
tally_masked_cortex_m0_forget:
    movs r0, #0
    movs r1, #0
    movs r2, #0
    movs r3, #0
    mov r12, r0
    tst r0, r1
    .rept 8
    push {r0-r3}
    .endr
    add sp, #112
    pop {r0-r3}
    bx lr
    .size tally_masked_cortex_m0_forget, . - tally_masked_cortex_m0_forget
#endif
