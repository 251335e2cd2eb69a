/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked AES on two shares for Armv6-M (Cortex-M0, M0+), two blocks in words of 32 bits: the
 * functions of cortex_m0.h, of parts that `python -m embedded.circuit` writes. docs/explanation/masked-aes.md has the
 * rules by which shares are kept apart.
 *
 * Linear functions process all of share 0 and then all of share 1, in the frame that ENTER makes; r7
 * points to the share. Between shares CLEAN brings constants into the registers and
 * onto the buses. S-boxes do that themselves, and keep values in r8 to r12. */
#include "masked/cortex_m0.h"

#if defined(TALLY_MASKED_CORTEX_M0)
    .syntax unified
    .thumb

    @ A random word: of those at r7, or from the register there.
#if defined(TALLY_RANDOM_REGISTER)
    .macro RANDOM register, number
    ldr \register, [r7]
    .endm
#else
    .macro RANDOM register, number
    ldr \register, [r7, #4 * (\number % 32)]
    .endm
#endif

#include "masked/cortex_m0_parts.inc"

    .macro FUNCTION name
    .section .text.\name, "ax", %progbits
    .global \name
    .type \name, %function
    .thumb_func
\name:
    .endm

    .macro END name
    .ltorg
    .size \name, . - \name
    .endm

    @ Between two shares: constants into the registers that had values, and onto the buses.
    .macro CLEAN
    movs r0, #0
    movs r1, #0
    movs r2, #0
    movs r3, #0
    movs r4, #0
    movs r5, #0
    tst r7, r7
    ldr r6, [sp, #ZERO]
    str r7, [sp, #SCRATCH]
    .endm

    .macro ENTER
    push {r4-r7, lr}
    mov r4, r8
    mov r5, r9
    mov r6, r10
    mov r7, r11
    push {r4-r7}
    sub sp, #FRAME
    str r0, [sp, #KEYS]
    str r1, [sp, #ROUNDS]
    str r2, [sp, #SOURCE]
    str r3, [sp, #STATE]
    movs r4, #0
    str r4, [sp, #ZERO]
    .endm

    @ Brings both shares of the state at r3, with the round key at r6, into the frame.
    .macro ADD_IN
    add r7, sp, #S0_0
    bl add_in
    movs r0, #0
    movs r1, #0
    tst r7, r7
    str r7, [sp, #SCRATCH]
    add r7, sp, #S1_0
    bl add_in
    .endm

    @ Random words for an S-box. The source's status, where it is not zero, ends the function.
    .macro FILL failed
#if defined(TALLY_RANDOM_REGISTER)
    ldr r7, =TALLY_RANDOM_REGISTER
#else
    ldr r0, [sp, #SOURCE]
    ldr r3, [r0]
    ldr r0, [r0, #4]
    add r1, sp, #RANDOMS
    movs r2, #128
    blx r3
    cmp r0, #0
    beq 9f
    b \failed
9:
    add r7, sp, #RANDOMS
#endif
    .endm

    @ Wipes the frame, and returns TALLY_OK, or from 3 on what r0 has.
    .macro RETURN
    CLEAN
    movs r0, #0
3:
    movs r1, #0
    movs r2, #0
    movs r3, #0
    movs r4, #0
    mov r5, sp
    add r6, sp, #FRAME - 12
9:
    stmia r5!, {r1-r4}
    cmp r5, r6
    blo 9b
    stmia r5!, {r1-r3}
    add sp, #FRAME
    pop {r4-r7}
    mov r8, r4
    mov r9, r5
    mov r10, r6
    mov r11, r7
    pop {r4-r7, pc}
    .endm

#if defined(TALLY_MASKED_SHUFFLE)
    @ The order of columns and blocks of a call, where `once` has a constant. A mask gives three bits a.
    @ Bytes are rotated by a + 1 in the beginning and by 7 - a in the end. ORDER has a + 1, and
    @ 14 - a from bit 16 on, so that its Hamming weight is the same in all orders.
    .equ ORDER, CONSTANT

    .macro DRAW_ORDER failed
#if defined(TALLY_RANDOM_REGISTER)
    ldr r0, =TALLY_RANDOM_REGISTER
    ldr r0, [r0]
#else
    ldr r0, [sp, #SOURCE]
    ldr r3, [r0]
    ldr r0, [r0, #4]
    add r1, sp, #ORDER
    movs r2, #4
    blx r3
    cmp r0, #0
    beq 9f
    b \failed
9:
    ldr r0, [sp, #ORDER]
#endif
    ldr r2, =0x00070001
    mvns r1, r0
    lsls r1, r1, #16
    uxth r0, r0
    eors r0, r1
    ldr r1, =0x00070007
    ands r0, r1
    movs r1, #0
    adds r1, r0, r2
    movs r0, #0
    tst r0, r0
    str r1, [sp, #ORDER]
    movs r1, #0
    tst r1, r1
    ldr r0, [sp, #KEYS]
    ldr r1, [sp, #ROUNDS]
    ldr r3, [sp, #STATE]
    .endm

    @ Turns the share at r7 as `amount` says: r4 has the order.
    .macro TURN_STATE
    adds r5, r7, #0
    adds r6, r7, #0
    bl turn
    .endm

    .macro LOAD_ORDER
    ldr r4, [sp, #ZERO]
    ldr r4, [sp, #ORDER]
    .endm

    .macro TURN_IN
    CLEAN
    add r7, sp, #S0_0
    LOAD_ORDER
    TURN_STATE
    CLEAN
    add r7, sp, #S1_0
    LOAD_ORDER
    TURN_STATE
    .endm

    .macro TURN_BACK
    movs r0, #16
    ldr r1, =0x0006fff9
    LOAD_ORDER
    rors r4, r0
    movs r0, #0
    adds r0, r4, r1
    movs r4, #0
    adds r4, r0, #0
    movs r0, #0
    TURN_STATE
    ldr r6, [sp, #KEYS]
    .endm

    @ Turns a share's round key at r6. Then it is at `to`, where an S-box has left words of that share.
    .macro TURN_KEY to
    LOAD_ORDER
    add r5, sp, #\to
    bl turn
    add r6, sp, #\to
    .endm

    .macro MIX_COLUMNS to
    ldr r6, [sp, #KEYS]
    LOAD_ORDER
    add r5, sp, #\to
    bl turn
    str r6, [sp, #KEYS]
    add r6, sp, #\to
    bl mix_columns
    .endm
#else
    .macro DRAW_ORDER failed
    .endm
    .macro TURN_IN
    .endm
    .macro TURN_BACK
    .endm
    .macro TURN_KEY to
    .endm

    .macro MIX_COLUMNS to
    ldr r6, [sp, #KEYS]
    bl mix_columns
    str r6, [sp, #KEYS]
    .endm
#endif

    @ Adds the round constant to the key's planes at r7: two to the power of one less than the round, from
    @ the ninth on x^4 + x^3 + x + 1 times that of eight rounds before.
    .macro ADD_CONSTANT rounds
    ldr r0, [sp, #\rounds]
    ldr r4, =0xc000
    lsls r2, r0, #2
    movs r1, #40
    subs r1, r2
    cmp r0, #2
    bls 4f
    ldr r0, [r7, r1]
    eors r0, r4
    str r0, [r7, r1]
    b 5f
4:
    subs r1, #32
    add r1, r7
    .irp plane, 0, 1, 3, 4
    ldr r0, [r1, #4 * \plane]
    eors r0, r4
    str r0, [r1, #4 * \plane]
    .endr
5:
    .endm

@ (to, from, size)
    FUNCTION tally_masked_cortex_m0_copy
    movs r3, r0
    orrs r3, r1
    orrs r3, r2
    lsls r3, r3, #30
    bne 4f
    b 2f
1:
    ldr r3, [r1, r2]
    str r3, [r0, r2]
2:
    subs r2, #4
    bpl 1b
    b 5f
3:
    ldrb r3, [r1, r2]
    strb r3, [r0, r2]
4:
    subs r2, #1
    bpl 3b
5:
    movs r3, #0
    push {r3}
    pop {r3}
    bx lr
    END tally_masked_cortex_m0_copy

@ (round keys, rounds, source, state)
    FUNCTION tally_masked_cortex_m0_encrypt
    ENTER
    DRAW_ORDER 3f
    mov r6, r0
    ADD_IN
    str r6, [sp, #KEYS]
    TURN_IN
1:
    CLEAN
    FILL 3f
    bl sub_bytes
    add r7, sp, #S0_0
    bl shift_rows
    ldr r0, [sp, #ROUNDS]
    subs r0, #1
    beq 2f
    str r0, [sp, #ROUNDS]
    MIX_COLUMNS V0_0
    CLEAN
    add r7, sp, #S1_0
    bl shift_rows
    MIX_COLUMNS V1_0
    b 1b
2:
    TURN_BACK
    ldr r6, [sp, #KEYS]
    ldr r5, [sp, #STATE]
    bl add_out
    str r6, [sp, #KEYS]
    str r5, [sp, #STATE]
    CLEAN
    add r7, sp, #S1_0
    bl shift_rows
    TURN_BACK
    ldr r6, [sp, #KEYS]
    ldr r5, [sp, #STATE]
    bl add_out
    RETURN
    END tally_masked_cortex_m0_encrypt

@ (round keys, rounds, source, state)
    FUNCTION tally_masked_cortex_m0_decrypt
    ENTER
    DRAW_ORDER 3f
    lsls r1, r1, #6
    adds r6, r0, r1
    ADD_IN
    subs r6, #128
    str r6, [sp, #KEYS]
    TURN_IN
1:
    CLEAN
    add r7, sp, #S0_0
    bl inverse_shift_rows
    CLEAN
    add r7, sp, #S1_0
    bl inverse_shift_rows
    CLEAN
    FILL 3f
    bl inverse_sub_bytes
    add r7, sp, #S0_0
    ldr r6, [sp, #KEYS]
    ldr r0, [sp, #ROUNDS]
    subs r0, #1
    beq 2f
    str r0, [sp, #ROUNDS]
    TURN_KEY V0_0
    bl add_key
    bl before_mix_columns
    ldr r6, =zeros
    bl mix_columns
    CLEAN
    add r7, sp, #S1_0
    ldr r6, [sp, #KEYS]
    adds r6, #32
    TURN_KEY V1_0
    bl add_key
    bl before_mix_columns
    ldr r6, =zeros
    bl mix_columns
    ldr r6, [sp, #KEYS]
    subs r6, #64
    str r6, [sp, #KEYS]
    b 1b
2:
    TURN_BACK
    ldr r5, [sp, #STATE]
    bl add_out
    str r6, [sp, #KEYS]
    str r5, [sp, #STATE]
    CLEAN
    add r7, sp, #S1_0
    TURN_BACK
    ldr r6, [sp, #KEYS]
    ldr r5, [sp, #STATE]
    bl add_out
    RETURN
    END tally_masked_cortex_m0_decrypt

@ (key, its size, source, round keys)
    FUNCTION tally_masked_cortex_m0_expand
    ENTER
    movs r0, #10
    str r0, [sp, #ROUNDS]
    mov r6, r3
    ldr r3, [sp, #KEYS]
    add r7, sp, #S0_0
    bl copy_key
    movs r0, #0
    tst r7, r7
    str r7, [sp, #SCRATCH]
    add r7, sp, #S1_0
    bl copy_key
1:
    CLEAN
    FILL 3f
    bl sub_bytes
    add r7, sp, #S0_0
    ADD_CONSTANT ROUNDS
    ldr r6, [sp, #STATE]
    bl next_key
    CLEAN
    add r7, sp, #S1_0
    ldr r6, [sp, #STATE]
    adds r6, #32
    bl next_key
    adds r6, #32
    str r6, [sp, #STATE]
    ldr r0, [sp, #ROUNDS]
    subs r0, #1
    str r0, [sp, #ROUNDS]
    bne 1b
    RETURN
    END tally_masked_cortex_m0_expand

#if !defined(TALLY_MASKED_SHUFFLE)
@ (source, state)
    FUNCTION tally_masked_cortex_m0_once
    mov r2, r0
    mov r3, r1
    movs r1, #10
    ENTER
    ldr r0, =pair_constants
    str r0, [sp, #CONSTANT]
    add r7, sp, #S0_0
    bl begin
    CLEAN
    ldr r3, [sp, #STATE]
    adds r3, #32
    add r7, sp, #S1_0
    bl begin
1:
    CLEAN
    FILL 3f
    bl sub_bytes
    add r7, sp, #S0_0
    ldr r6, [sp, #CONSTANT]
    bl pair_constant
    str r6, [sp, #CONSTANT]
    bl pair_key
    bl pair_shift_rows
    ldr r0, [sp, #ROUNDS]
    subs r0, #1
    beq 2f
    str r0, [sp, #ROUNDS]
    bl pair_mix_columns
    CLEAN
    add r7, sp, #S1_0
    bl pair_key
    bl pair_shift_rows
    bl pair_mix_columns
    b 1b
2:
    ldr r5, [sp, #STATE]
    bl pair_out
    CLEAN
    add r7, sp, #S1_0
    bl pair_key
    bl pair_shift_rows
    ldr r5, [sp, #STATE]
    adds r5, #32
    bl pair_out
    RETURN
    END tally_masked_cortex_m0_once
#endif

#if !defined(TALLY_MASKED_SMALL)
#include "masked/cortex_m0_order2.inc"
#endif

    .section .rodata.zeros, "a", %progbits
    .align 2
zeros:
    .fill 8, 4, 0
#endif
