/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m tools.circuit` from core/aes/sbox.circuit; changes made by hand are lost.
 * Masked AES on two shares for Armv6-M (Cortex-M0, M0+), two blocks in words of 32 bits.
 * docs/masked-aes.md has the rules by which values are kept apart; cortex_m0.h the functions. */
#if defined(__ARM_ARCH_6M__) && !defined(TALLY_MASKED_PORTABLE)
    .syntax unified
    .thumb

#if defined(TALLY_RANDOM_REGISTER)
    .macro RANDOM register, number
    ldr \register, [r7]
    .endm
#else
    .macro RANDOM register, number
    ldr \register, [r7, #4 * \number]
    .endm
#endif

    .equ S0_0, 0
    .equ S0_1, 4
    .equ S0_2, 8
    .equ S0_3, 12
    .equ S0_4, 16
    .equ S0_5, 20
    .equ S0_6, 24
    .equ S0_7, 28
    .equ K0_0, 32
    .equ K0_1, 36
    .equ K0_2, 40
    .equ K0_3, 44
    .equ S1_0, 48
    .equ S1_1, 52
    .equ S1_2, 56
    .equ S1_3, 60
    .equ S1_4, 64
    .equ S1_5, 68
    .equ S1_6, 72
    .equ S1_7, 76
    .equ K1_0, 80
    .equ K1_1, 84
    .equ K1_2, 88
    .equ K1_3, 92
    .equ V0_0, 96
    .equ V0_1, 100
    .equ V0_2, 104
    .equ V0_3, 108
    .equ V0_4, 112
    .equ V0_5, 116
    .equ V0_6, 120
    .equ V0_7, 124
    .equ V0_8, 128
    .equ V0_9, 132
    .equ V0_10, 136
    .equ V0_11, 140
    .equ V0_12, 144
    .equ V0_13, 148
    .equ V0_14, 152
    .equ V0_15, 156
    .equ V0_16, 160
    .equ V0_17, 164
    .equ V0_18, 168
    .equ V0_19, 172
    .equ V0_20, 176
    .equ V0_21, 180
    .equ V0_22, 184
    .equ V0_23, 188
    .equ V0_24, 192
    .equ V0_25, 196
    .equ V0_26, 200
    .equ V0_27, 204
    .equ V0_28, 208
    .equ V0_29, 212
    .equ V0_30, 216
    .equ V0_31, 220
    .equ V1_0, 224
    .equ V1_1, 228
    .equ V1_2, 232
    .equ V1_3, 236
    .equ V1_4, 240
    .equ V1_5, 244
    .equ V1_6, 248
    .equ V1_7, 252
    .equ V1_8, 256
    .equ V1_9, 260
    .equ V1_10, 264
    .equ V1_11, 268
    .equ V1_12, 272
    .equ V1_13, 276
    .equ V1_14, 280
    .equ V1_15, 284
    .equ V1_16, 288
    .equ V1_17, 292
    .equ V1_18, 296
    .equ V1_19, 300
    .equ V1_20, 304
    .equ V1_21, 308
    .equ V1_22, 312
    .equ V1_23, 316
    .equ V1_24, 320
    .equ V1_25, 324
    .equ V1_26, 328
    .equ V1_27, 332
    .equ V1_28, 336
    .equ V1_29, 340
    .equ V1_30, 344
    .equ V1_31, 348
    .equ KEYS, 352
    .equ ROUNDS, 356
    .equ SOURCE, 360
    .equ STATE, 364
    .equ CONSTANT, 368
    .equ ZERO, 372
    .equ SCRATCH, 376
    .equ RANDOMS, 380
    .equ FRAME, 508


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
    sub sp, #FRAME
    str r0, [sp, #KEYS]
    str r1, [sp, #ROUNDS]
    str r2, [sp, #SOURCE]
    str r3, [sp, #STATE]
    movs r4, #0
    str r4, [sp, #ZERO]
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

    @ Wipes the frame, and returns r0.
    .macro LEAVE
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
    pop {r4-r7, pc}
    .endm

    @ Doubles the round constant in CONSTANT: in r2 as it was.
    .macro NEXT_CONSTANT
    ldr r2, [sp, #CONSTANT]
    lsrs r0, r2, #7
    ldr r1, =0x11b
    muls r0, r1
    lsls r1, r2, #1
    eors r0, r1
    str r0, [sp, #CONSTANT]
    .endm


    .section .text.sub_bytes, "ax", %progbits
    .type sub_bytes, %function
    .thumb_func
sub_bytes:
    ldr r0, [sp, #S0_7]
    ldr r1, [sp, #S0_1]
    eors r0, r1
    str r0, [sp, #V0_0]
    ldr r2, [sp, #S0_6]
    ldr r3, [sp, #S0_5]
    eors r2, r3
    ldr r3, [sp, #S0_7]
    ldr r4, [sp, #S0_4]
    eors r3, r4
    str r3, [sp, #V0_1]
    ldr r5, [sp, #S0_0]
    eors r5, r2
    str r5, [sp, #V0_2]
    eors r1, r5
    str r1, [sp, #V0_3]
    mov r6, r5
    eors r6, r4
    str r6, [sp, #V0_4]
    ldr r6, [sp, #S0_7]
    eors r5, r6
    str r5, [sp, #V0_5]
    ldr r5, [sp, #S0_2]
    eors r4, r5
    str r4, [sp, #V0_6]
    eors r6, r5
    str r6, [sp, #V0_7]
    eors r0, r4
    str r0, [sp, #V0_8]
    ldr r4, [sp, #S0_3]
    eors r0, r4
    ldr r4, [sp, #S0_6]
    eors r4, r0
    str r4, [sp, #V0_9]
    eors r0, r5
    str r0, [sp, #V0_10]
    ldr r5, [sp, #S0_0]
    eors r5, r0
    str r5, [sp, #V0_11]
    eors r0, r2
    str r0, [sp, #V0_12]
    eors r1, r6
    str r1, [sp, #V0_13]
    eors r4, r3
    str r4, [sp, #V0_14]
    eors r2, r4
    str r2, [sp, #V0_15]
    ldr r1, [sp, #S0_0]
    eors r1, r4
    str r1, [sp, #V0_16]
    eors r0, r4
    str r0, [sp, #V0_17]
    ldr r0, [sp, #S1_7]
    ldr r1, [sp, #S1_2]
    eors r0, r1
    str r0, [sp, #V1_0]
    ldr r2, [sp, #S1_7]
    ldr r3, [sp, #S1_4]
    eors r2, r3
    str r2, [sp, #V1_1]
    mov r4, r3
    eors r4, r1
    str r4, [sp, #V1_2]
    ldr r5, [sp, #S1_7]
    ldr r6, [sp, #S1_1]
    eors r5, r6
    str r5, [sp, #V1_3]
    eors r5, r4
    str r5, [sp, #V1_4]
    ldr r4, [sp, #S1_3]
    eors r5, r4
    eors r1, r5
    str r1, [sp, #V1_5]
    ldr r4, [sp, #S1_0]
    eors r4, r1
    str r4, [sp, #V1_6]
    ldr r4, [sp, #S1_6]
    eors r5, r4
    str r5, [sp, #V1_7]
    eors r5, r2
    str r5, [sp, #V1_8]
    ldr r2, [sp, #S1_0]
    eors r2, r5
    str r2, [sp, #V1_9]
    ldr r2, [sp, #S1_5]
    eors r4, r2
    ldr r2, [sp, #S1_0]
    eors r2, r4
    str r2, [sp, #V1_10]
    eors r3, r2
    str r3, [sp, #V1_11]
    ldr r3, [sp, #S1_7]
    eors r3, r2
    str r3, [sp, #V1_12]
    eors r2, r6
    str r2, [sp, #V1_13]
    eors r2, r0
    str r2, [sp, #V1_14]
    eors r1, r4
    str r1, [sp, #V1_15]
    eors r4, r5
    str r4, [sp, #V1_16]
    eors r1, r5
    str r1, [sp, #V1_17]
    RANDOM r0, 0
    mov r1, r0
    ldr r2, [sp, #V0_8]
    ldr r3, [sp, #V0_10]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_18]
    ldr r1, [sp, #V1_4]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r6, [sp, #V1_5]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r2, r6
    eors r0, r2
    RANDOM r1, 1
    mov r2, r1
    ldr r3, [sp, #V0_0]
    ldr r4, [sp, #V0_15]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_19]
    ldr r2, [sp, #V1_3]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_18]
    ldr r0, [sp, #V1_16]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 2
    mov r2, r0
    ldr r3, [sp, #V0_1]
    ldr r4, [sp, #V0_14]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_20]
    ldr r2, [sp, #V1_1]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_19]
    ldr r1, [sp, #V1_8]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 3
    mov r2, r1
    ldr r3, [sp, #V0_18]
    eors r2, r3
    ldr r3, [sp, #V0_13]
    ldr r4, [sp, #V0_11]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_21]
    ldr r2, [sp, #V1_14]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_20]
    ldr r0, [sp, #V1_18]
    eors r1, r0
    ldr r0, [sp, #V1_6]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 4
    mov r2, r0
    ldr r3, [sp, #V0_18]
    eors r2, r3
    ldr r3, [sp, #V0_4]
    ldr r4, [sp, #S0_0]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_22]
    ldr r2, [sp, #V1_11]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_21]
    ldr r1, [sp, #V1_18]
    eors r0, r1
    ldr r1, [sp, #S1_0]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 5
    mov r2, r1
    ldr r3, [sp, #V0_19]
    eors r2, r3
    ldr r3, [sp, #V0_3]
    ldr r4, [sp, #V0_2]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_23]
    ldr r2, [sp, #V1_13]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_22]
    ldr r0, [sp, #V1_19]
    eors r1, r0
    ldr r0, [sp, #V1_10]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 6
    mov r2, r0
    ldr r3, [sp, #V0_19]
    eors r2, r3
    ldr r3, [sp, #V0_5]
    ldr r4, [sp, #V0_16]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_24]
    ldr r2, [sp, #V1_12]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_23]
    ldr r1, [sp, #V1_19]
    eors r0, r1
    ldr r1, [sp, #V1_9]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 7
    mov r2, r1
    ldr r3, [sp, #V0_20]
    eors r2, r3
    ldr r3, [sp, #V0_6]
    ldr r4, [sp, #V0_17]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_25]
    ldr r2, [sp, #V1_2]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_24]
    ldr r0, [sp, #V1_20]
    eors r1, r0
    ldr r0, [sp, #V1_17]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 8
    mov r2, r0
    ldr r3, [sp, #V0_20]
    eors r2, r3
    ldr r3, [sp, #V0_7]
    ldr r4, [sp, #V0_12]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_26]
    ldr r2, [sp, #V1_0]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_25]
    ldr r1, [sp, #V1_20]
    eors r0, r1
    ldr r1, [sp, #V1_15]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    str r0, [sp, #V1_26]
    ldr r0, [sp, #S0_7]
    ldr r1, [sp, #V0_15]
    eors r0, r1
    ldr r2, [sp, #V0_21]
    ldr r3, [sp, #V0_25]
    eors r2, r3
    ldr r4, [sp, #V0_22]
    ldr r5, [sp, #V0_26]
    eors r4, r5
    ldr r6, [sp, #V0_0]
    eors r1, r6
    ldr r6, [sp, #V0_24]
    eors r5, r6
    eors r5, r0
    str r5, [sp, #V0_20]
    ldr r0, [sp, #V0_12]
    ldr r6, [sp, #V0_7]
    eors r0, r6
    ldr r6, [sp, #V0_23]
    eors r3, r6
    eors r4, r0
    str r4, [sp, #V0_19]
    ldr r0, [sp, #V0_9]
    eors r2, r0
    str r2, [sp, #V0_18]
    eors r2, r4
    str r2, [sp, #V0_27]
    eors r3, r1
    str r3, [sp, #V0_28]
    eors r3, r5
    str r3, [sp, #V0_29]
    ldr r0, [sp, #V1_23]
    ldr r1, [sp, #V1_25]
    eors r0, r1
    ldr r2, [sp, #V1_22]
    ldr r3, [sp, #V1_26]
    eors r2, r3
    ldr r4, [sp, #V1_24]
    eors r3, r4
    ldr r4, [sp, #V1_21]
    eors r1, r4
    ldr r4, [sp, #V1_7]
    eors r1, r4
    str r1, [sp, #V1_20]
    ldr r4, [sp, #S1_7]
    ldr r5, [sp, #V1_16]
    eors r4, r5
    ldr r6, [sp, #V1_3]
    eors r5, r6
    eors r3, r4
    str r3, [sp, #V1_19]
    eors r0, r5
    str r0, [sp, #V1_18]
    eors r0, r3
    str r0, [sp, #V1_27]
    ldr r0, [sp, #V1_15]
    ldr r3, [sp, #V1_0]
    eors r0, r3
    eors r2, r0
    str r2, [sp, #V1_28]
    eors r1, r2
    str r1, [sp, #V1_29]
    RANDOM r0, 9
    mov r1, r0
    ldr r2, [sp, #V0_18]
    ldr r3, [sp, #V0_28]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_24]
    ldr r1, [sp, #V1_20]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r6, [sp, #V1_18]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r2, r6
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_24]
    ldr r0, [sp, #V0_19]
    ldr r1, [sp, #V0_24]
    tst r7, r7
    eors r0, r1
    str r0, [sp, #V0_18]
    ldr r0, [sp, #V0_20]
    eors r1, r0
    str r1, [sp, #V0_26]
    ldr r0, [sp, #V1_28]
    ldr r1, [sp, #V1_24]
    eors r0, r1
    str r0, [sp, #V1_20]
    ldr r0, [sp, #V1_19]
    eors r1, r0
    str r1, [sp, #V1_26]
    RANDOM r0, 10
    mov r1, r0
    ldr r2, [sp, #V0_19]
    eors r1, r2
    ldr r2, [sp, #V0_27]
    ldr r3, [sp, #V0_26]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_24]
    ldr r1, [sp, #V1_29]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r3, [sp, #V1_28]
    eors r0, r3
    ldr r3, [sp, #V1_26]
    ands r1, r3
    eors r0, r1
    ands r2, r3
    eors r0, r2
    RANDOM r1, 11
    mov r2, r1
    ldr r3, [sp, #V0_20]
    eors r2, r3
    ldr r3, [sp, #V0_18]
    ldr r4, [sp, #V0_29]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_22]
    ldr r2, [sp, #V1_20]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_24]
    ldr r0, [sp, #V1_19]
    eors r1, r0
    ldr r0, [sp, #V1_27]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 12
    mov r2, r0
    ldr r3, [sp, #V0_24]
    ldr r4, [sp, #V0_16]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_18]
    ldr r2, [sp, #V1_24]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_22]
    ldr r1, [sp, #V1_9]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 13
    mov r2, r1
    ldr r3, [sp, #V0_22]
    ldr r4, [sp, #S0_0]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_29]
    ldr r2, [sp, #V1_22]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_20]
    ldr r0, [sp, #S1_0]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    str r1, [sp, #V1_27]
    ldr r0, [sp, #V0_26]
    ldr r1, [sp, #V0_22]
    eors r0, r1
    str r0, [sp, #V0_16]
    ldr r0, [sp, #V0_24]
    eors r1, r0
    str r1, [sp, #V0_19]
    ldr r0, [sp, #V1_26]
    ldr r1, [sp, #V1_22]
    eors r0, r1
    str r0, [sp, #V1_9]
    ldr r0, [sp, #V1_24]
    eors r1, r0
    str r1, [sp, #V1_28]
    RANDOM r0, 14
    mov r1, r0
    ldr r2, [sp, #V0_20]
    ldr r3, [sp, #V0_16]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_25]
    ldr r1, [sp, #V1_19]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r6, [sp, #V1_9]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r2, r6
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_25]
    ldr r0, [sp, #V0_28]
    ldr r1, [sp, #V0_22]
    eors r0, r1
    ldr r2, [sp, #V0_26]
    ldr r3, [sp, #V0_25]
    eors r2, r3
    str r2, [sp, #V0_16]
    eors r3, r0
    str r3, [sp, #V0_20]
    eors r1, r3
    str r1, [sp, #V0_21]
    ldr r0, [sp, #V1_18]
    ldr r1, [sp, #V1_22]
    eors r0, r1
    ldr r2, [sp, #V1_25]
    eors r0, r2
    str r0, [sp, #V1_9]
    ldr r3, [sp, #V1_26]
    eors r2, r3
    str r2, [sp, #V1_19]
    eors r1, r0
    str r1, [sp, #V1_21]
    RANDOM r0, 15
    mov r1, r0
    ldr r3, [sp, #V0_20]
    ldr r2, [sp, #V0_13]
    mov r4, r3
    ands r4, r2
    eors r1, r4
    str r1, [sp, #V0_26]
    ldr r1, [sp, #V1_9]
    mov r5, r1
    ands r5, r2
    eors r0, r5
    ldr r6, [sp, #V1_14]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r3, r6
    eors r0, r3
    RANDOM r1, 16
    mov r2, r1
    ldr r3, [sp, #V0_27]
    eors r2, r3
    ldr r3, [sp, #V0_24]
    ldr r4, [sp, #V0_16]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_25]
    ldr r2, [sp, #V1_24]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_26]
    ldr r0, [sp, #V1_29]
    eors r1, r0
    ldr r0, [sp, #V1_19]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 17
    mov r2, r0
    ldr r3, [sp, #V0_25]
    ldr r4, [sp, #V0_2]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_16]
    str r1, [sp, #V1_25]
    ldr r1, [sp, #V1_25]
    mov r2, r1
    ands r2, r4
    eors r0, r2
    ldr r6, [sp, #V1_10]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r3, r6
    eors r0, r3
    RANDOM r1, 18
    mov r2, r1
    ldr r3, [sp, #V0_26]
    eors r2, r3
    ldr r3, [sp, #V0_22]
    ldr r4, [sp, #V0_4]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_27]
    ldr r2, [sp, #V1_22]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_19]
    ldr r0, [sp, #V1_26]
    eors r1, r0
    ldr r0, [sp, #V1_11]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 19
    mov r2, r0
    ldr r3, [sp, #V0_18]
    eors r2, r3
    ldr r3, [sp, #V0_25]
    ldr r4, [sp, #V0_3]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_13]
    ldr r2, [sp, #V1_25]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_29]
    ldr r1, [sp, #V1_20]
    eors r0, r1
    ldr r1, [sp, #V1_13]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 20
    mov r2, r1
    ldr r3, [sp, #V0_26]
    eors r2, r3
    ldr r3, [sp, #V0_21]
    ldr r4, [sp, #V0_8]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_28]
    ldr r2, [sp, #V1_21]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_14]
    ldr r0, [sp, #V1_26]
    eors r1, r0
    ldr r0, [sp, #V1_4]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    str r1, [sp, #V1_18]
    ldr r0, [sp, #V0_24]
    ldr r1, [sp, #V0_25]
    eors r0, r1
    str r0, [sp, #V0_26]
    ldr r0, [sp, #V0_20]
    eors r1, r0
    str r1, [sp, #V0_8]
    ldr r0, [sp, #V0_19]
    eors r1, r0
    str r1, [sp, #V0_3]
    ldr r0, [sp, #V1_24]
    ldr r2, [sp, #V1_25]
    tst r7, r7
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_26]
    ldr r0, [sp, #V1_9]
    eors r2, r0
    str r2, [sp, #V1_4]
    ldr r0, [sp, #V1_28]
    eors r2, r0
    str r2, [sp, #V1_13]
    RANDOM r0, 21
    mov r1, r0
    ldr r3, [sp, #V0_26]
    ldr r2, [sp, #V0_15]
    mov r4, r3
    ands r4, r2
    eors r1, r4
    str r1, [sp, #V0_25]
    ldr r1, [sp, #V1_26]
    mov r5, r1
    ands r5, r2
    eors r0, r5
    ldr r6, [sp, #V1_16]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r3, r6
    eors r0, r3
    RANDOM r1, 22
    mov r2, r1
    ldr r3, [sp, #V0_3]
    ldr r4, [sp, #V0_17]
    mov r6, r3
    ands r6, r4
    eors r2, r6
    str r2, [sp, #V0_22]
    ldr r2, [sp, #V1_13]
    mov r5, r2
    ands r5, r4
    eors r1, r5
    str r0, [sp, #V1_25]
    ldr r0, [sp, #V1_17]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 23
    mov r2, r0
    ldr r3, [sp, #V0_26]
    ldr r4, [sp, #V0_0]
    mov r6, r3
    ands r6, r4
    eors r2, r6
    str r2, [sp, #V0_4]
    ldr r2, [sp, #V1_26]
    mov r5, r2
    ands r5, r4
    eors r0, r5
    str r1, [sp, #V1_22]
    ldr r1, [sp, #V1_3]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 24
    mov r2, r1
    ldr r3, [sp, #V0_3]
    ldr r4, [sp, #V0_6]
    mov r6, r3
    ands r6, r4
    eors r2, r6
    str r2, [sp, #V0_2]
    ldr r2, [sp, #V1_13]
    mov r5, r2
    ands r5, r4
    eors r1, r5
    str r0, [sp, #V1_11]
    ldr r0, [sp, #V1_2]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 25
    mov r2, r0
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_19]
    ldr r4, [sp, #V0_1]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_3]
    ldr r2, [sp, #V1_28]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_10]
    ldr r1, [sp, #V1_10]
    eors r0, r1
    ldr r1, [sp, #V1_1]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 26
    mov r2, r1
    ldr r3, [sp, #V0_22]
    eors r2, r3
    ldr r3, [sp, #V0_8]
    ldr r4, [sp, #V0_12]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_6]
    ldr r2, [sp, #V1_4]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_13]
    ldr r0, [sp, #V1_22]
    eors r1, r0
    ldr r0, [sp, #V1_15]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 27
    mov r2, r0
    ldr r3, [sp, #V0_25]
    eors r2, r3
    ldr r3, [sp, #V0_21]
    ldr r4, [sp, #V0_10]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_26]
    ldr r2, [sp, #V1_21]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_2]
    ldr r1, [sp, #V1_25]
    eors r0, r1
    ldr r1, [sp, #V1_5]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 28
    mov r2, r1
    ldr r3, [sp, #V0_22]
    eors r2, r3
    ldr r3, [sp, #V0_19]
    ldr r4, [sp, #V0_14]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_0]
    ldr r2, [sp, #V1_28]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_26]
    ldr r0, [sp, #V1_22]
    eors r1, r0
    ldr r0, [sp, #V1_8]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 29
    mov r2, r0
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_8]
    ldr r4, [sp, #V0_7]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_17]
    ldr r2, [sp, #V1_4]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_3]
    ldr r1, [sp, #V1_10]
    eors r0, r1
    ldr r1, [sp, #V1_0]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    str r0, [sp, #V1_17]
    ldr r0, [sp, #V0_29]
    ldr r1, [sp, #V0_4]
    eors r0, r1
    ldr r1, [sp, #V0_16]
    ldr r2, [sp, #V0_3]
    eors r1, r2
    str r1, [sp, #V0_7]
    ldr r2, [sp, #V0_26]
    eors r0, r2
    str r0, [sp, #V0_8]
    ldr r0, [sp, #V0_28]
    eors r1, r0
    str r1, [sp, #V0_2]
    ldr r0, [sp, #V1_27]
    ldr r1, [sp, #V1_11]
    eors r0, r1
    ldr r1, [sp, #V1_19]
    ldr r2, [sp, #V1_13]
    eors r1, r2
    str r1, [sp, #V1_0]
    ldr r2, [sp, #V1_26]
    eors r0, r2
    str r0, [sp, #V1_4]
    ldr r0, [sp, #V1_18]
    eors r1, r0
    str r1, [sp, #V1_10]
    RANDOM r0, 30
    mov r1, r0
    ldr r2, [sp, #V0_8]
    eors r1, r2
    ldr r2, [sp, #V0_24]
    ldr r3, [sp, #V0_5]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_28]
    ldr r1, [sp, #V1_24]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r3, [sp, #V1_4]
    eors r0, r3
    ldr r3, [sp, #V1_12]
    ands r1, r3
    eors r0, r1
    ands r2, r3
    eors r0, r2
    RANDOM r1, 31
    mov r2, r1
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_20]
    ldr r4, [sp, #V0_11]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_14]
    ldr r2, [sp, #V1_9]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_18]
    ldr r0, [sp, #V1_10]
    eors r1, r0
    ldr r0, [sp, #V1_6]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    str r1, [sp, #V1_8]
    ldr r0, [sp, #V0_4]
    ldr r1, [sp, #V0_13]
    eors r0, r1
    ldr r2, [sp, #V0_3]
    ldr r3, [sp, #V0_8]
    eors r2, r3
    eors r1, r2
    mvns r1, r1
    str r1, [sp, #S0_0]
    ldr r1, [sp, #V0_26]
    ldr r2, [sp, #V0_14]
    eors r1, r2
    str r1, [sp, #S0_4]
    ldr r3, [sp, #V0_25]
    ldr r4, [sp, #V0_0]
    eors r3, r4
    ldr r4, [sp, #V0_2]
    eors r4, r3
    str r4, [sp, #S0_7]
    ldr r4, [sp, #V0_29]
    ldr r5, [sp, #V0_18]
    eors r4, r5
    eors r4, r2
    str r4, [sp, #S0_3]
    ldr r2, [sp, #V0_6]
    ldr r4, [sp, #V0_7]
    eors r2, r4
    ldr r4, [sp, #V0_16]
    eors r3, r4
    eors r1, r3
    mvns r1, r1
    str r1, [sp, #S0_6]
    eors r0, r2
    mvns r0, r0
    str r0, [sp, #S0_1]
    ldr r0, [sp, #V0_28]
    eors r2, r0
    ldr r0, [sp, #V0_27]
    eors r0, r2
    str r0, [sp, #S0_2]
    eors r3, r2
    ldr r0, [sp, #V0_17]
    eors r3, r0
    mvns r3, r3
    str r3, [sp, #S0_5]
    ldr r0, [sp, #V1_13]
    ldr r1, [sp, #V1_4]
    eors r0, r1
    ldr r1, [sp, #V1_26]
    ldr r2, [sp, #V1_8]
    eors r1, r2
    str r1, [sp, #S1_4]
    ldr r3, [sp, #V1_2]
    ldr r4, [sp, #V1_0]
    eors r3, r4
    ldr r4, [sp, #V1_11]
    ldr r5, [sp, #V1_14]
    eors r4, r5
    ldr r6, [sp, #V1_18]
    eors r6, r3
    eors r5, r0
    str r5, [sp, #S1_0]
    eors r4, r3
    str r4, [sp, #S1_1]
    ldr r0, [sp, #V1_27]
    ldr r3, [sp, #V1_20]
    eors r0, r3
    eors r0, r2
    str r0, [sp, #S1_3]
    ldr r0, [sp, #V1_29]
    eors r0, r6
    str r0, [sp, #S1_2]
    ldr r0, [sp, #V1_25]
    ldr r2, [sp, #V1_3]
    eors r0, r2
    ldr r2, [sp, #V1_10]
    eors r2, r0
    str r2, [sp, #S1_7]
    ldr r2, [sp, #V1_19]
    eors r0, r2
    eors r1, r0
    str r1, [sp, #S1_6]
    eors r0, r6
    ldr r1, [sp, #V1_17]
    eors r0, r1
    str r0, [sp, #S1_5]
    bx lr
    .ltorg
    .size sub_bytes, . - sub_bytes


    .section .text.inverse_sub_bytes, "ax", %progbits
    .type inverse_sub_bytes, %function
    .thumb_func
inverse_sub_bytes:
    ldr r0, [sp, #S0_4]
    ldr r1, [sp, #S0_7]
    eors r0, r1
    ldr r2, [sp, #S0_0]
    ldr r3, [sp, #S0_3]
    eors r2, r3
    ldr r4, [sp, #S0_2]
    ldr r5, [sp, #S0_5]
    eors r4, r5
    ldr r6, [sp, #S0_1]
    eors r0, r6
    mvns r0, r0
    eors r4, r1
    mvns r4, r4
    str r4, [sp, #V0_0]
    ldr r4, [sp, #S0_6]
    eors r4, r6
    eors r4, r3
    ldr r3, [sp, #S0_0]
    eors r3, r5
    eors r2, r5
    ldr r5, [sp, #S0_2]
    eors r3, r5
    eors r1, r5
    mov r5, r4
    eors r5, r0
    str r5, [sp, #V0_1]
    str r3, [sp, #V0_2]
    ldr r3, [sp, #S0_4]
    eors r6, r3
    ldr r5, [sp, #S0_6]
    eors r6, r5
    str r6, [sp, #V0_3]
    eors r1, r3
    eors r1, r2
    ldr r3, [sp, #V0_0]
    eors r3, r1
    str r3, [sp, #V0_4]
    str r1, [sp, #V0_5]
    ldr r1, [sp, #S0_3]
    eors r5, r1
    mov r1, r6
    eors r1, r4
    str r1, [sp, #V0_6]
    ldr r1, [sp, #S0_0]
    eors r5, r1
    mov r1, r6
    eors r1, r0
    str r1, [sp, #V0_7]
    mov r1, r6
    eors r1, r5
    str r1, [sp, #V0_8]
    eors r4, r3
    str r4, [sp, #V0_9]
    eors r6, r3
    str r6, [sp, #V0_10]
    ldr r4, [sp, #V0_1]
    eors r1, r4
    str r1, [sp, #V0_11]
    ldr r4, [sp, #V0_2]
    eors r1, r4
    eors r2, r1
    str r2, [sp, #V0_12]
    eors r1, r0
    str r1, [sp, #V0_13]
    ldr r0, [sp, #V0_0]
    eors r0, r1
    str r0, [sp, #V0_14]
    ldr r0, [sp, #V0_6]
    eors r2, r0
    str r2, [sp, #V0_15]
    ldr r0, [sp, #V0_5]
    eors r1, r0
    str r1, [sp, #V0_16]
    ldr r4, [sp, #V0_0]
    eors r4, r2
    str r4, [sp, #V0_17]
    eors r0, r2
    str r0, [sp, #V0_18]
    eors r3, r5
    str r3, [sp, #V0_19]
    eors r1, r2
    str r1, [sp, #V0_20]
    ldr r0, [sp, #V0_7]
    eors r3, r0
    str r3, [sp, #V0_21]
    ldr r0, [sp, #S1_0]
    ldr r1, [sp, #S1_3]
    eors r0, r1
    ldr r2, [sp, #S1_2]
    ldr r3, [sp, #S1_5]
    eors r2, r3
    eors r0, r3
    ldr r4, [sp, #S1_0]
    eors r3, r4
    ldr r5, [sp, #S1_7]
    eors r2, r5
    str r2, [sp, #V1_0]
    ldr r6, [sp, #S1_2]
    eors r6, r5
    ldr r2, [sp, #S1_2]
    eors r3, r2
    ldr r2, [sp, #S1_4]
    eors r5, r2
    eors r6, r2
    str r3, [sp, #V1_1]
    ldr r3, [sp, #S1_6]
    eors r3, r1
    eors r3, r4
    ldr r4, [sp, #S1_1]
    eors r2, r4
    eors r5, r4
    str r3, [sp, #V1_2]
    ldr r3, [sp, #S1_6]
    eors r4, r3
    eors r6, r0
    eors r4, r1
    eors r2, r3
    str r2, [sp, #V1_3]
    mov r1, r2
    eors r1, r4
    str r1, [sp, #V1_4]
    mov r3, r4
    eors r3, r5
    str r3, [sp, #V1_5]
    ldr r1, [sp, #V1_0]
    eors r1, r6
    str r1, [sp, #V1_6]
    eors r4, r1
    str r4, [sp, #V1_7]
    ldr r4, [sp, #V1_2]
    eors r4, r2
    str r4, [sp, #V1_8]
    eors r4, r3
    str r4, [sp, #V1_9]
    mov r3, r1
    eors r3, r2
    str r3, [sp, #V1_10]
    ldr r3, [sp, #V1_1]
    eors r4, r3
    eors r2, r5
    str r2, [sp, #V1_11]
    ldr r3, [sp, #V1_2]
    eors r1, r3
    str r1, [sp, #V1_12]
    eors r1, r2
    str r1, [sp, #V1_13]
    eors r0, r4
    str r0, [sp, #V1_14]
    ldr r1, [sp, #V1_4]
    eors r0, r1
    str r0, [sp, #V1_15]
    mov r1, r6
    eors r1, r0
    str r1, [sp, #V1_16]
    ldr r1, [sp, #V1_0]
    eors r1, r0
    str r1, [sp, #V1_17]
    eors r4, r5
    str r4, [sp, #V1_18]
    eors r6, r4
    str r6, [sp, #V1_19]
    ldr r1, [sp, #V1_0]
    eors r4, r1
    str r4, [sp, #V1_20]
    eors r6, r0
    str r6, [sp, #V1_21]
    RANDOM r0, 0
    mov r1, r0
    ldr r2, [sp, #V0_11]
    ldr r3, [sp, #V0_13]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_5]
    ldr r1, [sp, #V1_9]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r6, [sp, #V1_18]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r2, r6
    eors r0, r2
    RANDOM r1, 1
    mov r2, r1
    ldr r3, [sp, #V0_8]
    ldr r4, [sp, #V0_18]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_2]
    ldr r2, [sp, #V1_8]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_2]
    ldr r0, [sp, #V1_16]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 2
    mov r2, r0
    ldr r3, [sp, #V0_6]
    ldr r4, [sp, #V0_15]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_22]
    ldr r2, [sp, #V1_4]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_1]
    ldr r1, [sp, #V1_15]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 3
    mov r2, r1
    ldr r3, [sp, #V0_5]
    eors r2, r3
    ldr r3, [sp, #V0_21]
    ldr r4, [sp, #V0_14]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_23]
    ldr r2, [sp, #V1_13]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_22]
    ldr r0, [sp, #V1_2]
    eors r1, r0
    ldr r0, [sp, #V1_20]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 4
    mov r2, r0
    ldr r3, [sp, #V0_5]
    eors r2, r3
    ldr r3, [sp, #V0_9]
    ldr r4, [sp, #V0_0]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_24]
    ldr r2, [sp, #V1_7]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_23]
    ldr r1, [sp, #V1_2]
    eors r0, r1
    ldr r1, [sp, #V1_0]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 5
    mov r2, r1
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_19]
    ldr r4, [sp, #V0_4]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_25]
    ldr r2, [sp, #V1_12]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_24]
    ldr r0, [sp, #V1_1]
    eors r1, r0
    ldr r0, [sp, #V1_6]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 6
    mov r2, r0
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_10]
    ldr r4, [sp, #V0_17]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_26]
    ldr r2, [sp, #V1_10]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_25]
    ldr r1, [sp, #V1_1]
    eors r0, r1
    ldr r1, [sp, #V1_17]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 7
    mov r2, r1
    ldr r3, [sp, #V0_22]
    eors r2, r3
    ldr r3, [sp, #V0_1]
    ldr r4, [sp, #V0_20]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_27]
    ldr r2, [sp, #V1_5]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_26]
    ldr r0, [sp, #V1_22]
    eors r1, r0
    ldr r0, [sp, #V1_21]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 8
    mov r2, r0
    ldr r3, [sp, #V0_22]
    eors r2, r3
    ldr r3, [sp, #V0_7]
    ldr r4, [sp, #V0_16]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_28]
    ldr r2, [sp, #V1_11]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_27]
    ldr r1, [sp, #V1_22]
    eors r0, r1
    ldr r1, [sp, #V1_19]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    str r0, [sp, #V1_28]
    ldr r0, [sp, #V0_25]
    ldr r1, [sp, #V0_27]
    eors r0, r1
    ldr r2, [sp, #V0_23]
    eors r1, r2
    ldr r2, [sp, #V0_3]
    ldr r3, [sp, #V0_18]
    eors r2, r3
    ldr r4, [sp, #V0_26]
    ldr r5, [sp, #V0_28]
    eors r4, r5
    ldr r6, [sp, #V0_24]
    eors r5, r6
    ldr r6, [sp, #V0_8]
    eors r3, r6
    eors r0, r3
    str r0, [sp, #V0_22]
    ldr r3, [sp, #V0_12]
    eors r1, r3
    str r1, [sp, #V0_2]
    ldr r3, [sp, #V0_16]
    ldr r6, [sp, #V0_7]
    eors r3, r6
    eors r5, r3
    str r5, [sp, #V0_5]
    eors r4, r2
    str r4, [sp, #V0_29]
    eors r0, r4
    str r0, [sp, #V0_30]
    eors r1, r5
    str r1, [sp, #V0_31]
    ldr r0, [sp, #V1_3]
    ldr r1, [sp, #V1_16]
    eors r0, r1
    ldr r2, [sp, #V1_8]
    eors r1, r2
    ldr r2, [sp, #V1_26]
    ldr r3, [sp, #V1_28]
    eors r2, r3
    ldr r4, [sp, #V1_19]
    ldr r5, [sp, #V1_11]
    eors r4, r5
    ldr r5, [sp, #V1_24]
    eors r3, r5
    ldr r5, [sp, #V1_25]
    ldr r6, [sp, #V1_27]
    eors r5, r6
    eors r3, r4
    str r3, [sp, #V1_22]
    eors r5, r1
    str r5, [sp, #V1_1]
    ldr r1, [sp, #V1_23]
    eors r6, r1
    ldr r1, [sp, #V1_14]
    eors r6, r1
    str r6, [sp, #V1_2]
    eors r2, r0
    str r2, [sp, #V1_29]
    eors r6, r3
    str r6, [sp, #V1_30]
    eors r5, r2
    str r5, [sp, #V1_31]
    RANDOM r0, 9
    mov r1, r0
    ldr r2, [sp, #V0_2]
    ldr r3, [sp, #V0_22]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_26]
    ldr r1, [sp, #V1_2]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r6, [sp, #V1_1]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r2, r6
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_26]
    ldr r0, [sp, #V0_29]
    ldr r1, [sp, #V0_26]
    tst r7, r7
    eors r0, r1
    str r0, [sp, #V0_2]
    ldr r0, [sp, #V0_5]
    eors r1, r0
    str r1, [sp, #V0_28]
    ldr r0, [sp, #V1_29]
    ldr r1, [sp, #V1_26]
    eors r0, r1
    str r0, [sp, #V1_2]
    ldr r0, [sp, #V1_22]
    eors r1, r0
    str r1, [sp, #V1_28]
    RANDOM r0, 10
    mov r1, r0
    ldr r2, [sp, #V0_5]
    eors r1, r2
    ldr r2, [sp, #V0_31]
    ldr r3, [sp, #V0_2]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_26]
    ldr r1, [sp, #V1_30]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r3, [sp, #V1_22]
    eors r0, r3
    ldr r3, [sp, #V1_2]
    ands r1, r3
    eors r0, r1
    ands r2, r3
    eors r0, r2
    RANDOM r1, 11
    mov r2, r1
    ldr r3, [sp, #V0_29]
    eors r2, r3
    ldr r3, [sp, #V0_28]
    ldr r4, [sp, #V0_30]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_24]
    ldr r2, [sp, #V1_28]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_26]
    ldr r0, [sp, #V1_29]
    eors r1, r0
    ldr r0, [sp, #V1_31]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 12
    mov r2, r0
    ldr r3, [sp, #V0_26]
    ldr r4, [sp, #V0_17]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_28]
    ldr r2, [sp, #V1_26]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_24]
    ldr r1, [sp, #V1_17]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 13
    mov r2, r1
    ldr r3, [sp, #V0_24]
    ldr r4, [sp, #V0_0]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_30]
    ldr r2, [sp, #V1_24]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_28]
    ldr r0, [sp, #V1_0]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    str r1, [sp, #V1_31]
    ldr r0, [sp, #V0_26]
    ldr r1, [sp, #V0_24]
    eors r0, r1
    str r0, [sp, #V0_0]
    ldr r0, [sp, #V0_2]
    eors r1, r0
    str r1, [sp, #V0_17]
    ldr r0, [sp, #V1_26]
    ldr r1, [sp, #V1_24]
    eors r0, r1
    str r0, [sp, #V1_0]
    ldr r0, [sp, #V1_2]
    eors r1, r0
    str r1, [sp, #V1_17]
    RANDOM r0, 14
    mov r1, r0
    ldr r2, [sp, #V0_29]
    ldr r3, [sp, #V0_17]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_5]
    ldr r1, [sp, #V1_29]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r6, [sp, #V1_17]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r2, r6
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_22]
    ldr r0, [sp, #V0_22]
    ldr r1, [sp, #V0_24]
    eors r0, r1
    ldr r2, [sp, #V0_5]
    eors r0, r2
    str r0, [sp, #V0_17]
    eors r1, r0
    str r1, [sp, #V0_29]
    ldr r0, [sp, #V0_2]
    eors r2, r0
    str r2, [sp, #V0_3]
    ldr r0, [sp, #V1_1]
    ldr r1, [sp, #V1_24]
    eors r0, r1
    ldr r2, [sp, #V1_22]
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_17]
    eors r1, r0
    str r1, [sp, #V1_29]
    ldr r0, [sp, #V1_2]
    eors r2, r0
    str r2, [sp, #V1_3]
    RANDOM r0, 15
    mov r1, r0
    ldr r3, [sp, #V0_17]
    ldr r2, [sp, #V0_21]
    mov r4, r3
    ands r4, r2
    eors r1, r4
    str r1, [sp, #V0_2]
    ldr r1, [sp, #V1_17]
    mov r5, r1
    ands r5, r2
    eors r0, r5
    ldr r6, [sp, #V1_13]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r3, r6
    eors r0, r3
    RANDOM r1, 16
    mov r2, r1
    ldr r3, [sp, #V0_31]
    eors r2, r3
    ldr r3, [sp, #V0_26]
    ldr r4, [sp, #V0_3]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_5]
    ldr r2, [sp, #V1_26]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_2]
    ldr r0, [sp, #V1_30]
    eors r1, r0
    ldr r0, [sp, #V1_3]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 17
    mov r2, r0
    ldr r3, [sp, #V0_5]
    ldr r4, [sp, #V0_4]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_3]
    str r1, [sp, #V1_22]
    ldr r1, [sp, #V1_22]
    mov r2, r1
    ands r2, r4
    eors r0, r2
    ldr r6, [sp, #V1_6]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r3, r6
    eors r0, r3
    RANDOM r1, 18
    mov r2, r1
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_24]
    ldr r4, [sp, #V0_9]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_31]
    ldr r2, [sp, #V1_24]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_3]
    ldr r0, [sp, #V1_2]
    eors r1, r0
    ldr r0, [sp, #V1_7]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 19
    mov r2, r0
    ldr r3, [sp, #V0_28]
    eors r2, r3
    ldr r3, [sp, #V0_5]
    ldr r4, [sp, #V0_19]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_21]
    ldr r2, [sp, #V1_22]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_30]
    ldr r1, [sp, #V1_28]
    eors r0, r1
    ldr r1, [sp, #V1_12]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 20
    mov r2, r1
    ldr r3, [sp, #V0_2]
    eors r2, r3
    ldr r3, [sp, #V0_29]
    ldr r4, [sp, #V0_11]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_22]
    ldr r2, [sp, #V1_29]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_13]
    ldr r0, [sp, #V1_2]
    eors r1, r0
    ldr r0, [sp, #V1_9]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    str r1, [sp, #V1_1]
    ldr r0, [sp, #V0_26]
    ldr r1, [sp, #V0_5]
    eors r0, r1
    str r0, [sp, #V0_2]
    ldr r0, [sp, #V0_17]
    eors r1, r0
    str r1, [sp, #V0_11]
    ldr r0, [sp, #V0_0]
    eors r1, r0
    str r1, [sp, #V0_19]
    ldr r0, [sp, #V1_26]
    ldr r2, [sp, #V1_22]
    tst r7, r7
    eors r0, r2
    str r7, [sp, #SCRATCH]
    str r0, [sp, #V1_2]
    ldr r0, [sp, #V1_17]
    eors r2, r0
    str r2, [sp, #V1_9]
    ldr r0, [sp, #V1_0]
    eors r2, r0
    str r2, [sp, #V1_12]
    RANDOM r0, 21
    mov r1, r0
    ldr r3, [sp, #V0_2]
    ldr r2, [sp, #V0_18]
    mov r4, r3
    ands r4, r2
    eors r1, r4
    str r1, [sp, #V0_5]
    ldr r1, [sp, #V1_2]
    mov r5, r1
    ands r5, r2
    eors r0, r5
    ldr r6, [sp, #V1_16]
    tst r7, r7
    ands r1, r6
    eors r0, r1
    ands r3, r6
    eors r0, r3
    RANDOM r1, 22
    mov r2, r1
    ldr r3, [sp, #V0_19]
    ldr r4, [sp, #V0_20]
    mov r6, r3
    ands r6, r4
    eors r2, r6
    str r2, [sp, #V0_24]
    ldr r2, [sp, #V1_12]
    mov r5, r2
    ands r5, r4
    eors r1, r5
    str r0, [sp, #V1_22]
    ldr r0, [sp, #V1_21]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 23
    mov r2, r0
    ldr r3, [sp, #V0_2]
    ldr r4, [sp, #V0_8]
    mov r6, r3
    ands r6, r4
    eors r2, r6
    str r2, [sp, #V0_9]
    ldr r2, [sp, #V1_2]
    mov r5, r2
    ands r5, r4
    eors r0, r5
    str r1, [sp, #V1_24]
    ldr r1, [sp, #V1_8]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 24
    mov r2, r1
    ldr r3, [sp, #V0_19]
    ldr r4, [sp, #V0_1]
    mov r6, r3
    ands r6, r4
    eors r2, r6
    str r2, [sp, #V0_4]
    ldr r2, [sp, #V1_12]
    mov r5, r2
    ands r5, r4
    eors r1, r5
    str r0, [sp, #V1_7]
    ldr r0, [sp, #V1_5]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 25
    mov r2, r0
    ldr r3, [sp, #V0_4]
    eors r2, r3
    ldr r3, [sp, #V0_0]
    ldr r4, [sp, #V0_6]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_19]
    ldr r2, [sp, #V1_0]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_6]
    ldr r1, [sp, #V1_6]
    eors r0, r1
    ldr r1, [sp, #V1_4]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 26
    mov r2, r1
    ldr r3, [sp, #V0_24]
    eors r2, r3
    ldr r3, [sp, #V0_11]
    ldr r4, [sp, #V0_16]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_1]
    ldr r2, [sp, #V1_9]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_12]
    ldr r0, [sp, #V1_24]
    eors r1, r0
    ldr r0, [sp, #V1_19]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 27
    mov r2, r0
    ldr r3, [sp, #V0_5]
    eors r2, r3
    ldr r3, [sp, #V0_29]
    ldr r4, [sp, #V0_13]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_2]
    ldr r2, [sp, #V1_29]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_5]
    ldr r1, [sp, #V1_22]
    eors r0, r1
    ldr r1, [sp, #V1_18]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    RANDOM r1, 28
    mov r2, r1
    ldr r3, [sp, #V0_24]
    eors r2, r3
    ldr r3, [sp, #V0_0]
    ldr r4, [sp, #V0_15]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_8]
    ldr r2, [sp, #V1_0]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_2]
    ldr r0, [sp, #V1_24]
    eors r1, r0
    ldr r0, [sp, #V1_15]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    RANDOM r0, 29
    mov r2, r0
    ldr r3, [sp, #V0_4]
    eors r2, r3
    ldr r3, [sp, #V0_11]
    ldr r4, [sp, #V0_7]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_20]
    ldr r2, [sp, #V1_9]
    mov r6, r2
    ands r6, r4
    eors r0, r6
    str r1, [sp, #V1_8]
    ldr r1, [sp, #V1_6]
    eors r0, r1
    ldr r1, [sp, #V1_11]
    ands r2, r1
    eors r0, r2
    ands r3, r1
    eors r0, r3
    str r0, [sp, #V1_21]
    ldr r0, [sp, #V0_3]
    ldr r1, [sp, #V0_19]
    eors r0, r1
    str r0, [sp, #V0_7]
    ldr r1, [sp, #V0_22]
    eors r0, r1
    str r0, [sp, #V0_11]
    ldr r0, [sp, #V0_30]
    ldr r1, [sp, #V0_9]
    eors r0, r1
    ldr r1, [sp, #V0_2]
    eors r0, r1
    str r0, [sp, #V0_4]
    ldr r0, [sp, #V1_3]
    ldr r1, [sp, #V1_12]
    eors r0, r1
    str r0, [sp, #V1_11]
    ldr r1, [sp, #V1_1]
    eors r0, r1
    str r0, [sp, #V1_9]
    ldr r0, [sp, #V1_31]
    ldr r1, [sp, #V1_7]
    eors r0, r1
    ldr r1, [sp, #V1_2]
    eors r0, r1
    str r0, [sp, #V1_6]
    RANDOM r0, 30
    mov r1, r0
    ldr r2, [sp, #V0_4]
    eors r1, r2
    ldr r2, [sp, #V0_26]
    ldr r3, [sp, #V0_10]
    mov r4, r2
    ands r4, r3
    eors r1, r4
    str r1, [sp, #V0_22]
    ldr r1, [sp, #V1_26]
    mov r5, r1
    ands r5, r3
    eors r0, r5
    ldr r3, [sp, #V1_6]
    eors r0, r3
    ldr r3, [sp, #V1_10]
    ands r1, r3
    eors r0, r1
    ands r2, r3
    eors r0, r2
    RANDOM r1, 31
    mov r2, r1
    ldr r3, [sp, #V0_11]
    eors r2, r3
    ldr r3, [sp, #V0_17]
    ldr r4, [sp, #V0_14]
    mov r5, r3
    ands r5, r4
    eors r2, r5
    str r2, [sp, #V0_15]
    ldr r2, [sp, #V1_17]
    mov r6, r2
    ands r6, r4
    eors r1, r6
    str r0, [sp, #V1_1]
    ldr r0, [sp, #V1_9]
    eors r1, r0
    ldr r0, [sp, #V1_20]
    ands r2, r0
    eors r1, r2
    ands r3, r0
    eors r1, r3
    str r1, [sp, #V1_15]
    ldr r0, [sp, #V0_19]
    ldr r1, [sp, #V0_4]
    eors r0, r1
    ldr r1, [sp, #V0_1]
    ldr r2, [sp, #V0_7]
    eors r1, r2
    ldr r2, [sp, #V0_21]
    eors r0, r2
    mvns r0, r0
    ldr r3, [sp, #V0_22]
    eors r3, r1
    ldr r4, [sp, #V0_2]
    ldr r5, [sp, #V0_15]
    eors r4, r5
    ldr r6, [sp, #V0_31]
    eors r6, r3
    ldr r5, [sp, #V0_5]
    str r0, [sp, #V0_17]
    ldr r0, [sp, #V0_8]
    eors r5, r0
    ldr r0, [sp, #V0_9]
    eors r2, r0
    ldr r0, [sp, #V0_11]
    eors r0, r5
    eors r2, r1
    mvns r2, r2
    ldr r1, [sp, #V0_3]
    eors r5, r1
    eors r3, r5
    eors r5, r4
    mvns r5, r5
    ldr r1, [sp, #V0_20]
    eors r3, r1
    mvns r3, r3
    mov r1, r6
    eors r1, r3
    str r6, [sp, #V0_14]
    ldr r6, [sp, #V0_17]
    eors r6, r3
    eors r1, r0
    mvns r1, r1
    str r1, [sp, #S0_0]
    mov r1, r4
    eors r1, r0
    eors r1, r2
    mvns r1, r1
    str r1, [sp, #S0_2]
    mov r1, r2
    eors r1, r4
    eors r1, r5
    str r1, [sp, #S0_7]
    ldr r1, [sp, #V0_14]
    eors r0, r1
    eors r0, r4
    str r0, [sp, #S0_5]
    eors r2, r5
    ldr r0, [sp, #V0_30]
    ldr r4, [sp, #V0_28]
    eors r0, r4
    eors r6, r1
    str r6, [sp, #S0_3]
    ldr r1, [sp, #V0_15]
    eors r0, r1
    eors r2, r0
    str r2, [sp, #S0_4]
    eors r5, r0
    ldr r1, [sp, #V0_17]
    eors r5, r1
    str r5, [sp, #S0_1]
    eors r1, r0
    eors r1, r3
    str r1, [sp, #S0_6]
    ldr r0, [sp, #V1_12]
    ldr r1, [sp, #V1_6]
    eors r0, r1
    ldr r1, [sp, #V1_7]
    ldr r2, [sp, #V1_13]
    eors r1, r2
    ldr r3, [sp, #V1_22]
    ldr r4, [sp, #V1_8]
    eors r3, r4
    eors r2, r0
    ldr r0, [sp, #V1_9]
    eors r0, r3
    ldr r4, [sp, #V1_2]
    ldr r5, [sp, #V1_15]
    eors r4, r5
    mov r6, r4
    eors r6, r0
    str r0, [sp, #V1_17]
    ldr r0, [sp, #V1_3]
    eors r3, r0
    ldr r0, [sp, #V1_5]
    str r2, [sp, #V1_20]
    ldr r2, [sp, #V1_11]
    eors r0, r2
    ldr r2, [sp, #V1_1]
    eors r2, r0
    mov r5, r3
    eors r5, r4
    eors r3, r2
    eors r1, r0
    mov r0, r1
    eors r0, r4
    eors r6, r1
    str r6, [sp, #S1_2]
    eors r1, r5
    eors r0, r5
    str r0, [sp, #S1_7]
    ldr r0, [sp, #V1_21]
    eors r3, r0
    ldr r0, [sp, #V1_31]
    ldr r6, [sp, #V1_28]
    eors r0, r6
    ldr r6, [sp, #V1_15]
    eors r0, r6
    eors r5, r0
    eors r1, r0
    str r1, [sp, #S1_4]
    ldr r1, [sp, #V1_20]
    eors r5, r1
    str r5, [sp, #S1_1]
    eors r0, r1
    eors r1, r3
    eors r0, r3
    str r0, [sp, #S1_6]
    ldr r0, [sp, #V1_30]
    eors r2, r0
    eors r1, r2
    str r1, [sp, #S1_3]
    eors r3, r2
    ldr r0, [sp, #V1_17]
    eors r2, r0
    eors r3, r0
    str r3, [sp, #S1_0]
    eors r2, r4
    str r2, [sp, #S1_5]
    bx lr
    .ltorg
    .size inverse_sub_bytes, . - inverse_sub_bytes


    .section .text.add_in, "ax", %progbits
    .type add_in, %function
    .thumb_func
add_in:
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #0]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #4]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #8]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #12]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #16]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #20]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #24]
    ldmia r3!, {r0}
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size add_in, . - add_in


    .section .text.add_out, "ax", %progbits
    .type add_out, %function
    .thumb_func
add_out:
    ldr r0, [r7, #0]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #4]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #8]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #12]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #16]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #20]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #24]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    ldr r0, [r7, #28]
    ldmia r6!, {r1}
    eors r0, r1
    stmia r5!, {r0}
    bx lr
    .ltorg
    .size add_out, . - add_out


    .section .text.shift_rows, "ax", %progbits
    .type shift_rows, %function
    .thumb_func
shift_rows:
    ldr r3, =0x0f0f0000
    ldr r4, =0x3f003f00
    ldr r5, =0xc000c000
    ldr r6, =0x00ff00ff
    ldr r0, [r7, #0]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #0]
    ldr r0, [r7, #4]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #4]
    ldr r0, [r7, #8]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #8]
    ldr r0, [r7, #12]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #12]
    ldr r0, [r7, #16]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #16]
    ldr r0, [r7, #20]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #20]
    ldr r0, [r7, #24]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #24]
    ldr r0, [r7, #28]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    lsls r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size shift_rows, . - shift_rows


    .section .text.inverse_shift_rows, "ax", %progbits
    .type inverse_shift_rows, %function
    .thumb_func
inverse_shift_rows:
    ldr r3, =0x0f0f0000
    ldr r4, =0xfc00fc00
    ldr r5, =0x03000300
    ldr r6, =0x00ff00ff
    ldr r0, [r7, #0]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #0]
    ldr r0, [r7, #4]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #4]
    ldr r0, [r7, #8]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #8]
    ldr r0, [r7, #12]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #12]
    ldr r0, [r7, #16]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #16]
    ldr r0, [r7, #20]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #20]
    ldr r0, [r7, #24]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #24]
    ldr r0, [r7, #28]
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsls r1, r0, #2
    lsrs r2, r0, #6
    ands r1, r4
    ands r2, r5
    ands r0, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size inverse_shift_rows, . - inverse_shift_rows


    .section .text.mix_columns, "ax", %progbits
    .type mix_columns, %function
    .thumb_func
mix_columns:
    movs r4, #8
    movs r5, #16
    ldr r2, [r7, #28]
    mov r1, r2
    rors r1, r4
    eors r2, r1
    mov r3, r2
    ldr r0, [r7, #0]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    eors r2, r1
    mov r1, r0
    rors r1, r5
    eors r1, r2
    ldmia r6!, {r2}
    eors r1, r2
    str r1, [r7, #0]
    ldr r2, [r7, #4]
    mov r1, r2
    rors r1, r4
    eors r2, r1
    eors r0, r1
    mov r1, r2
    rors r1, r5
    eors r1, r0
    eors r1, r3
    ldmia r6!, {r0}
    eors r1, r0
    str r1, [r7, #4]
    ldr r0, [r7, #8]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    eors r2, r1
    mov r1, r0
    rors r1, r5
    eors r1, r2
    ldmia r6!, {r2}
    eors r1, r2
    str r1, [r7, #8]
    ldr r2, [r7, #12]
    mov r1, r2
    rors r1, r4
    eors r2, r1
    eors r0, r1
    mov r1, r2
    rors r1, r5
    eors r1, r0
    eors r1, r3
    ldmia r6!, {r0}
    eors r1, r0
    str r1, [r7, #12]
    ldr r0, [r7, #16]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    eors r2, r1
    mov r1, r0
    rors r1, r5
    eors r1, r2
    eors r1, r3
    ldmia r6!, {r2}
    eors r1, r2
    str r1, [r7, #16]
    ldr r2, [r7, #20]
    mov r1, r2
    rors r1, r4
    eors r2, r1
    eors r0, r1
    mov r1, r2
    rors r1, r5
    eors r1, r0
    ldmia r6!, {r0}
    eors r1, r0
    str r1, [r7, #20]
    ldr r0, [r7, #24]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    eors r2, r1
    mov r1, r0
    rors r1, r5
    eors r1, r2
    ldmia r6!, {r2}
    eors r1, r2
    str r1, [r7, #24]
    ldr r1, [r7, #28]
    eors r1, r3
    eors r1, r0
    rors r3, r5
    eors r1, r3
    ldmia r6!, {r0}
    eors r1, r0
    str r1, [r7, #28]
    bx lr
    .ltorg
    .size mix_columns, . - mix_columns


    .section .text.before_mix_columns, "ax", %progbits
    .type before_mix_columns, %function
    .thumb_func
before_mix_columns:
    movs r5, #16
    ldr r0, [r7, #24]
    mov r3, r0
    rors r3, r5
    eors r3, r0
    ldr r0, [r7, #28]
    mov r4, r0
    rors r4, r5
    eors r4, r0
    ldr r0, [r7, #0]
    mov r1, r0
    rors r1, r5
    eors r1, r0
    eors r0, r3
    str r0, [r7, #0]
    ldr r0, [r7, #4]
    mov r2, r0
    rors r2, r5
    eors r2, r0
    eors r0, r3
    eors r0, r4
    str r0, [r7, #4]
    ldr r0, [r7, #8]
    mov r6, r0
    rors r6, r5
    eors r6, r0
    eors r0, r4
    eors r0, r1
    str r0, [r7, #8]
    ldr r0, [r7, #12]
    mov r1, r0
    rors r1, r5
    eors r1, r0
    eors r0, r3
    eors r0, r2
    str r0, [r7, #12]
    ldr r0, [r7, #16]
    mov r2, r0
    rors r2, r5
    eors r2, r0
    eors r0, r3
    eors r0, r4
    eors r0, r6
    str r0, [r7, #16]
    ldr r0, [r7, #20]
    mov r6, r0
    rors r6, r5
    eors r6, r0
    eors r0, r4
    eors r0, r1
    str r0, [r7, #20]
    ldr r0, [r7, #24]
    eors r0, r2
    str r0, [r7, #24]
    ldr r0, [r7, #28]
    eors r0, r6
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size before_mix_columns, . - before_mix_columns


    .section .text.add_key, "ax", %progbits
    .type add_key, %function
    .thumb_func
add_key:
    ldr r0, [r7, #0]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #0]
    ldr r0, [r7, #4]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #4]
    ldr r0, [r7, #8]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #8]
    ldr r0, [r7, #12]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #12]
    ldr r0, [r7, #16]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #16]
    ldr r0, [r7, #20]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #20]
    ldr r0, [r7, #24]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #24]
    ldr r0, [r7, #28]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size add_key, . - add_key


    .global tally_masked_cortex_m0_encrypt
    .section .text.tally_masked_cortex_m0_encrypt, "ax", %progbits
    .type tally_masked_cortex_m0_encrypt, %function
    .thumb_func
tally_masked_cortex_m0_encrypt:
    ENTER
    mov r6, r0
    add r7, sp, #S0_0
    bl add_in
    movs r0, #0
    movs r1, #0
    tst r7, r7
    str r7, [sp, #SCRATCH]
    add r7, sp, #S1_0
    bl add_in
    str r6, [sp, #KEYS]
1:
    CLEAN
    FILL 3f
    bl sub_bytes
    CLEAN
    add r7, sp, #S0_0
    bl shift_rows
    ldr r0, [sp, #ROUNDS]
    subs r0, #1
    beq 2f
    str r0, [sp, #ROUNDS]
    ldr r6, [sp, #KEYS]
    bl mix_columns
    str r6, [sp, #KEYS]
    CLEAN
    add r7, sp, #S1_0
    bl shift_rows
    ldr r6, [sp, #KEYS]
    bl mix_columns
    str r6, [sp, #KEYS]
    b 1b
2:
    ldr r6, [sp, #KEYS]
    ldr r5, [sp, #STATE]
    bl add_out
    str r6, [sp, #KEYS]
    str r5, [sp, #STATE]
    CLEAN
    add r7, sp, #S1_0
    bl shift_rows
    ldr r6, [sp, #KEYS]
    ldr r5, [sp, #STATE]
    bl add_out
    CLEAN
    movs r0, #0
3:
    LEAVE
    .ltorg
    .size tally_masked_cortex_m0_encrypt, . - tally_masked_cortex_m0_encrypt


    .global tally_masked_cortex_m0_decrypt
    .section .text.tally_masked_cortex_m0_decrypt, "ax", %progbits
    .type tally_masked_cortex_m0_decrypt, %function
    .thumb_func
tally_masked_cortex_m0_decrypt:
    ENTER
    lsls r1, r1, #6
    adds r6, r0, r1
    add r7, sp, #S0_0
    bl add_in
    movs r0, #0
    movs r1, #0
    tst r7, r7
    str r7, [sp, #SCRATCH]
    add r7, sp, #S1_0
    bl add_in
    subs r6, #128
    str r6, [sp, #KEYS]
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
    CLEAN
    add r7, sp, #S0_0
    ldr r6, [sp, #KEYS]
    ldr r0, [sp, #ROUNDS]
    subs r0, #1
    beq 2f
    str r0, [sp, #ROUNDS]
    bl add_key
    bl before_mix_columns
    ldr r6, =zeros
    bl mix_columns
    CLEAN
    add r7, sp, #S1_0
    ldr r6, [sp, #KEYS]
    adds r6, #32
    bl add_key
    bl before_mix_columns
    ldr r6, =zeros
    bl mix_columns
    ldr r6, [sp, #KEYS]
    subs r6, #64
    str r6, [sp, #KEYS]
    b 1b
2:
    ldr r5, [sp, #STATE]
    bl add_out
    str r6, [sp, #KEYS]
    str r5, [sp, #STATE]
    CLEAN
    add r7, sp, #S1_0
    ldr r6, [sp, #KEYS]
    ldr r5, [sp, #STATE]
    bl add_out
    CLEAN
    movs r0, #0
3:
    LEAVE
    .ltorg
    .size tally_masked_cortex_m0_decrypt, . - tally_masked_cortex_m0_decrypt


    .section .text.copy_key, "ax", %progbits
    .type copy_key, %function
    .thumb_func
copy_key:
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #0]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #4]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #8]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #12]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #16]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #20]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #24]
    ldmia r3!, {r0}
    stmia r6!, {r0}
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size copy_key, . - copy_key


    .section .text.add_constant, "ax", %progbits
    .type add_constant, %function
    .thumb_func
add_constant:
    movs r3, #1
    mov r1, r2
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #0]
    eors r0, r1
    str r0, [r7, #0]
    lsrs r1, r2, #1
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #4]
    eors r0, r1
    str r0, [r7, #4]
    lsrs r1, r2, #2
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #8]
    eors r0, r1
    str r0, [r7, #8]
    lsrs r1, r2, #3
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #12]
    eors r0, r1
    str r0, [r7, #12]
    lsrs r1, r2, #4
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #16]
    eors r0, r1
    str r0, [r7, #16]
    lsrs r1, r2, #5
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #20]
    eors r0, r1
    str r0, [r7, #20]
    lsrs r1, r2, #6
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #24]
    eors r0, r1
    str r0, [r7, #24]
    lsrs r1, r2, #7
    ands r1, r3
    muls r1, r4
    ldr r0, [r7, #28]
    eors r0, r1
    str r0, [r7, #28]
    bx lr
    .ltorg
    .size add_constant, . - add_constant


    .section .text.next_key, "ax", %progbits
    .type next_key, %function
    .thumb_func
next_key:
    ldr r2, =0x03030303
    movs r3, #8
    ldr r4, =0xfcfcfcfc
    ldr r5, =0xf0f0f0f0
    ldr r0, [r7, #0]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #0]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #0]
    str r0, [r6, #64]
    ldr r0, [r7, #4]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #4]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #4]
    str r0, [r6, #68]
    ldr r0, [r7, #8]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #8]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #8]
    str r0, [r6, #72]
    ldr r0, [r7, #12]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #12]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #12]
    str r0, [r6, #76]
    ldr r0, [r7, #16]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #16]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #16]
    str r0, [r6, #80]
    ldr r0, [r7, #20]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #20]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #20]
    str r0, [r6, #84]
    ldr r0, [r7, #24]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #24]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #24]
    str r0, [r6, #88]
    ldr r0, [r7, #28]
    lsrs r0, r0, #6
    ands r0, r2
    rors r0, r3
    ldr r1, [r6, #28]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #28]
    str r0, [r6, #92]
    bx lr
    .ltorg
    .size next_key, . - next_key


    .global tally_masked_cortex_m0_expand
    .section .text.tally_masked_cortex_m0_expand, "ax", %progbits
    .type tally_masked_cortex_m0_expand, %function
    .thumb_func
tally_masked_cortex_m0_expand:
    ENTER
    movs r0, #1
    str r0, [sp, #CONSTANT]
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
    CLEAN
    add r7, sp, #S0_0
    NEXT_CONSTANT
    ldr r4, =0xc000
    bl add_constant
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
    CLEAN
    movs r0, #0
3:
    LEAVE
    .ltorg
    .size tally_masked_cortex_m0_expand, . - tally_masked_cortex_m0_expand


    .section .text.begin, "ax", %progbits
    .type begin, %function
    .thumb_func
begin:
    ldr r5, =0x55555555
    ldr r6, =0x80808080
    ldr r0, [r3, #0]
    ldr r1, [r3, #16]
    lsrs r2, r0, #1
    ands r2, r5
    mov r4, r1
    bics r4, r5
    eors r2, r4
    ands r0, r5
    ands r1, r5
    lsls r1, r1, #1
    eors r0, r1
    eors r0, r2
    str r2, [r7, #32]
    lsrs r1, r0, #1
    ands r1, r5
    ands r0, r5
    lsls r4, r2, #1
    ands r4, r6
    eors r0, r4
    str r0, [r7, #0]
    ands r2, r6
    eors r1, r2
    str r1, [r7, #16]
    ldr r0, [r3, #4]
    ldr r1, [r3, #20]
    lsrs r2, r0, #1
    ands r2, r5
    mov r4, r1
    bics r4, r5
    eors r2, r4
    ands r0, r5
    ands r1, r5
    lsls r1, r1, #1
    eors r0, r1
    eors r0, r2
    str r2, [r7, #36]
    lsrs r1, r0, #1
    ands r1, r5
    ands r0, r5
    lsls r4, r2, #1
    ands r4, r6
    eors r0, r4
    str r0, [r7, #4]
    ands r2, r6
    eors r1, r2
    str r1, [r7, #20]
    ldr r0, [r3, #8]
    ldr r1, [r3, #24]
    lsrs r2, r0, #1
    ands r2, r5
    mov r4, r1
    bics r4, r5
    eors r2, r4
    ands r0, r5
    ands r1, r5
    lsls r1, r1, #1
    eors r0, r1
    eors r0, r2
    str r2, [r7, #40]
    lsrs r1, r0, #1
    ands r1, r5
    ands r0, r5
    lsls r4, r2, #1
    ands r4, r6
    eors r0, r4
    str r0, [r7, #8]
    ands r2, r6
    eors r1, r2
    str r1, [r7, #24]
    ldr r0, [r3, #12]
    ldr r1, [r3, #28]
    lsrs r2, r0, #1
    ands r2, r5
    mov r4, r1
    bics r4, r5
    eors r2, r4
    ands r0, r5
    ands r1, r5
    lsls r1, r1, #1
    eors r0, r1
    eors r0, r2
    str r2, [r7, #44]
    lsrs r1, r0, #1
    ands r1, r5
    ands r0, r5
    lsls r4, r2, #1
    ands r4, r6
    eors r0, r4
    str r0, [r7, #12]
    ands r2, r6
    eors r1, r2
    str r1, [r7, #28]
    bx lr
    .ltorg
    .size begin, . - begin


    .section .text.pair_constant, "ax", %progbits
    .type pair_constant, %function
    .thumb_func
pair_constant:
    ldr r0, [r7, #32]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #32]
    ldr r0, [r7, #36]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #36]
    ldr r0, [r7, #40]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #40]
    ldr r0, [r7, #44]
    ldmia r6!, {r1}
    eors r0, r1
    str r0, [r7, #44]
    bx lr
    .ltorg
    .size pair_constant, . - pair_constant


    .section .text.pair_key, "ax", %progbits
    .type pair_key, %function
    .thumb_func
pair_key:
    ldr r2, =0x01010101
    lsls r3, r2, #1
    ldr r4, =0xfcfcfcfc
    ldr r5, =0xf0f0f0f0
    movs r6, #8
    ldr r0, [r7, #0]
    lsrs r0, r0, #7
    ands r0, r2
    ldr r1, [r7, #16]
    lsrs r1, r1, #6
    ands r1, r3
    eors r0, r1
    rors r0, r6
    ldr r1, [r7, #32]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #32]
    ldr r0, [r7, #4]
    lsrs r0, r0, #7
    ands r0, r2
    ldr r1, [r7, #20]
    lsrs r1, r1, #6
    ands r1, r3
    eors r0, r1
    rors r0, r6
    ldr r1, [r7, #36]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #36]
    ldr r0, [r7, #8]
    lsrs r0, r0, #7
    ands r0, r2
    ldr r1, [r7, #24]
    lsrs r1, r1, #6
    ands r1, r3
    eors r0, r1
    rors r0, r6
    ldr r1, [r7, #40]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #40]
    ldr r0, [r7, #12]
    lsrs r0, r0, #7
    ands r0, r2
    ldr r1, [r7, #28]
    lsrs r1, r1, #6
    ands r1, r3
    eors r0, r1
    rors r0, r6
    ldr r1, [r7, #44]
    eors r0, r1
    lsls r1, r0, #2
    ands r1, r4
    eors r0, r1
    lsls r1, r0, #4
    ands r1, r5
    eors r0, r1
    str r0, [r7, #44]
    bx lr
    .ltorg
    .size pair_key, . - pair_key


    .section .text.pair_shift_rows, "ax", %progbits
    .type pair_shift_rows, %function
    .thumb_func
pair_shift_rows:
    ldr r3, =0x0f0f0000
    ldr r4, =0x55555555
    ldr r5, =0x3f003f00
    ldr r6, =0xc000c000
    ldr r0, [r7, #0]
    ldr r1, [r7, #16]
    ands r0, r4
    ands r1, r4
    lsls r1, r1, #1
    eors r0, r1
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    eors r1, r0
    ands r1, r5
    lsls r2, r0, #6
    eors r2, r0
    ands r2, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #0]
    ldr r0, [r7, #4]
    ldr r1, [r7, #20]
    ands r0, r4
    ands r1, r4
    lsls r1, r1, #1
    eors r0, r1
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    eors r1, r0
    ands r1, r5
    lsls r2, r0, #6
    eors r2, r0
    ands r2, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #4]
    ldr r0, [r7, #8]
    ldr r1, [r7, #24]
    ands r0, r4
    ands r1, r4
    lsls r1, r1, #1
    eors r0, r1
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    eors r1, r0
    ands r1, r5
    lsls r2, r0, #6
    eors r2, r0
    ands r2, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #8]
    ldr r0, [r7, #12]
    ldr r1, [r7, #28]
    ands r0, r4
    ands r1, r4
    lsls r1, r1, #1
    eors r0, r1
    lsrs r1, r0, #4
    eors r1, r0
    ands r1, r3
    eors r0, r1
    lsls r1, r1, #4
    eors r0, r1
    lsrs r1, r0, #2
    eors r1, r0
    ands r1, r5
    lsls r2, r0, #6
    eors r2, r0
    ands r2, r6
    eors r0, r1
    eors r0, r2
    str r0, [r7, #12]
    bx lr
    .ltorg
    .size pair_shift_rows, . - pair_shift_rows


    .section .text.pair_mix_columns, "ax", %progbits
    .type pair_mix_columns, %function
    .thumb_func
pair_mix_columns:
    movs r4, #8
    ldr r5, =0x55555555
    ldr r6, =0x80808080
    ldr r0, [r7, #12]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    lsrs r3, r0, #1
    ands r3, r5
    mov r12, r3
    ands r0, r5
    lsls r2, r0, #1
    eors r2, r3
    ldr r0, [r7, #0]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    eors r2, r1
    mov r1, r0
    rors r1, r4
    rors r1, r4
    eors r1, r2
    mov r3, r12
    lsls r3, r3, #1
    eors r1, r3
    ldr r2, [r7, #32]
    eors r1, r2
    lsrs r3, r1, #1
    ands r3, r5
    ands r1, r5
    lsls r4, r2, #1
    ands r4, r6
    eors r1, r4
    str r1, [r7, #0]
    ands r2, r6
    eors r3, r2
    str r3, [r7, #16]
    movs r4, #8
    ldr r2, [r7, #4]
    mov r1, r2
    rors r1, r4
    eors r2, r1
    eors r0, r1
    mov r1, r2
    rors r1, r4
    rors r1, r4
    eors r1, r0
    mov r3, r12
    eors r1, r3
    ldr r0, [r7, #36]
    eors r1, r0
    lsrs r3, r1, #1
    ands r3, r5
    ands r1, r5
    lsls r4, r0, #1
    ands r4, r6
    eors r1, r4
    str r1, [r7, #4]
    ands r0, r6
    eors r3, r0
    str r3, [r7, #20]
    movs r4, #8
    ldr r0, [r7, #8]
    mov r1, r0
    rors r1, r4
    eors r0, r1
    eors r2, r1
    mov r1, r0
    rors r1, r4
    rors r1, r4
    eors r1, r2
    ldr r2, [r7, #40]
    eors r1, r2
    lsrs r3, r1, #1
    ands r3, r5
    ands r1, r5
    lsls r4, r2, #1
    ands r4, r6
    eors r1, r4
    str r1, [r7, #8]
    ands r2, r6
    eors r3, r2
    str r3, [r7, #24]
    movs r4, #8
    ldr r2, [r7, #12]
    mov r1, r2
    rors r1, r4
    eors r2, r1
    eors r0, r1
    mov r1, r2
    rors r1, r4
    rors r1, r4
    eors r1, r0
    mov r3, r12
    eors r1, r3
    ldr r0, [r7, #44]
    eors r1, r0
    lsrs r3, r1, #1
    ands r3, r5
    ands r1, r5
    lsls r4, r0, #1
    ands r4, r6
    eors r1, r4
    str r1, [r7, #12]
    ands r0, r6
    eors r3, r0
    str r3, [r7, #28]
    movs r4, #0
    mov r12, r4
    bx lr
    .ltorg
    .size pair_mix_columns, . - pair_mix_columns


    .section .text.pair_out, "ax", %progbits
    .type pair_out, %function
    .thumb_func
pair_out:
    ldr r4, =0x55555555
    ldr r0, [r7, #0]
    ldr r1, [r7, #32]
    eors r0, r1
    mov r1, r0
    ands r1, r4
    str r1, [r5, #0]
    lsrs r0, r0, #1
    ands r0, r4
    str r0, [r5, #16]
    ldr r0, [r7, #4]
    ldr r1, [r7, #36]
    eors r0, r1
    mov r1, r0
    ands r1, r4
    str r1, [r5, #4]
    lsrs r0, r0, #1
    ands r0, r4
    str r0, [r5, #20]
    ldr r0, [r7, #8]
    ldr r1, [r7, #40]
    eors r0, r1
    mov r1, r0
    ands r1, r4
    str r1, [r5, #8]
    lsrs r0, r0, #1
    ands r0, r4
    str r0, [r5, #24]
    ldr r0, [r7, #12]
    ldr r1, [r7, #44]
    eors r0, r1
    mov r1, r0
    ands r1, r4
    str r1, [r5, #12]
    lsrs r0, r0, #1
    ands r0, r4
    str r0, [r5, #28]
    bx lr
    .ltorg
    .size pair_out, . - pair_out


    .global tally_masked_cortex_m0_once
    .section .text.tally_masked_cortex_m0_once, "ax", %progbits
    .type tally_masked_cortex_m0_once, %function
    .thumb_func
tally_masked_cortex_m0_once:
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
    CLEAN
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
    CLEAN
    movs r0, #0
3:
    LEAVE
    .ltorg
    .size tally_masked_cortex_m0_once, . - tally_masked_cortex_m0_once


    .global tally_masked_cortex_m0_slice
    .section .text.tally_masked_cortex_m0_slice, "ax", %progbits
    .type tally_masked_cortex_m0_slice, %function
    .thumb_func
tally_masked_cortex_m0_slice:
    push {r4-r7, lr}
    ldr r6, =0x0f0f0f0f
    ldr r2, [r0, #0]
    ldr r3, [r0, #8]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #0]
    str r3, [r1, #16]
    ldr r2, [r0, #16]
    ldr r3, [r0, #24]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #4]
    str r3, [r1, #20]
    ldr r2, [r0, #4]
    ldr r3, [r0, #12]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #8]
    str r3, [r1, #24]
    ldr r2, [r0, #20]
    ldr r3, [r0, #28]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #12]
    str r3, [r1, #28]
    ldr r6, =0x55555555
    ldr r7, =0x33333333
    ldmia r1!, {r2-r5}
    lsrs r0, r2, #1
    eors r0, r3
    ands r0, r6
    eors r3, r0
    lsls r0, r0, #1
    eors r2, r0
    lsrs r0, r4, #1
    eors r0, r5
    ands r0, r6
    eors r5, r0
    lsls r0, r0, #1
    eors r4, r0
    lsrs r0, r2, #2
    eors r0, r4
    ands r0, r7
    eors r4, r0
    lsls r0, r0, #2
    eors r2, r0
    lsrs r0, r3, #2
    eors r0, r5
    ands r0, r7
    eors r5, r0
    lsls r0, r0, #2
    eors r3, r0
    subs r1, #16
    stmia r1!, {r2-r5}
    ldmia r1!, {r2-r5}
    lsrs r0, r2, #1
    eors r0, r3
    ands r0, r6
    eors r3, r0
    lsls r0, r0, #1
    eors r2, r0
    lsrs r0, r4, #1
    eors r0, r5
    ands r0, r6
    eors r5, r0
    lsls r0, r0, #1
    eors r4, r0
    lsrs r0, r2, #2
    eors r0, r4
    ands r0, r7
    eors r4, r0
    lsls r0, r0, #2
    eors r2, r0
    lsrs r0, r3, #2
    eors r0, r5
    ands r0, r7
    eors r5, r0
    lsls r0, r0, #2
    eors r3, r0
    subs r1, #16
    stmia r1!, {r2-r5}
    movs r0, #0
    movs r2, #0
    movs r3, #0
    movs r4, #0
    movs r5, #0
    tst r0, r0
    push {r0}
    pop {r0}
    pop {r4-r7, pc}
    .ltorg
    .size tally_masked_cortex_m0_slice, . - tally_masked_cortex_m0_slice


    .global tally_masked_cortex_m0_unslice
    .section .text.tally_masked_cortex_m0_unslice, "ax", %progbits
    .type tally_masked_cortex_m0_unslice, %function
    .thumb_func
tally_masked_cortex_m0_unslice:
    push {r4-r7, lr}
    ldr r6, =0x0f0f0f0f
    ldr r2, [r0, #0]
    ldr r3, [r0, #16]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #0]
    str r3, [r1, #8]
    ldr r2, [r0, #4]
    ldr r3, [r0, #20]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #16]
    str r3, [r1, #24]
    ldr r2, [r0, #8]
    ldr r3, [r0, #24]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #4]
    str r3, [r1, #12]
    ldr r2, [r0, #12]
    ldr r3, [r0, #28]
    lsrs r4, r2, #4
    eors r4, r3
    ands r4, r6
    eors r3, r4
    lsls r4, r4, #4
    eors r2, r4
    str r2, [r1, #20]
    str r3, [r1, #28]
    ldr r6, =0x55555555
    ldr r7, =0x33333333
    ldr r2, [r1, #0]
    ldr r3, [r1, #16]
    ldr r4, [r1, #4]
    ldr r5, [r1, #20]
    lsrs r0, r2, #1
    eors r0, r3
    ands r0, r6
    eors r3, r0
    lsls r0, r0, #1
    eors r2, r0
    lsrs r0, r4, #1
    eors r0, r5
    ands r0, r6
    eors r5, r0
    lsls r0, r0, #1
    eors r4, r0
    lsrs r0, r2, #2
    eors r0, r4
    ands r0, r7
    eors r4, r0
    lsls r0, r0, #2
    eors r2, r0
    lsrs r0, r3, #2
    eors r0, r5
    ands r0, r7
    eors r5, r0
    lsls r0, r0, #2
    eors r3, r0
    str r2, [r1, #0]
    str r3, [r1, #16]
    str r4, [r1, #4]
    str r5, [r1, #20]
    ldr r2, [r1, #8]
    ldr r3, [r1, #24]
    ldr r4, [r1, #12]
    ldr r5, [r1, #28]
    lsrs r0, r2, #1
    eors r0, r3
    ands r0, r6
    eors r3, r0
    lsls r0, r0, #1
    eors r2, r0
    lsrs r0, r4, #1
    eors r0, r5
    ands r0, r6
    eors r5, r0
    lsls r0, r0, #1
    eors r4, r0
    lsrs r0, r2, #2
    eors r0, r4
    ands r0, r7
    eors r4, r0
    lsls r0, r0, #2
    eors r2, r0
    lsrs r0, r3, #2
    eors r0, r5
    ands r0, r7
    eors r5, r0
    lsls r0, r0, #2
    eors r3, r0
    str r2, [r1, #8]
    str r3, [r1, #24]
    str r4, [r1, #12]
    str r5, [r1, #28]
    movs r0, #0
    movs r2, #0
    movs r3, #0
    movs r4, #0
    movs r5, #0
    tst r0, r0
    push {r0}
    pop {r0}
    pop {r4-r7, pc}
    .ltorg
    .size tally_masked_cortex_m0_unslice, . - tally_masked_cortex_m0_unslice

    .section .rodata.pair_constants, "a", %progbits
    .align 2
pair_constants:
    .word 1, 0, 0, 0
    .word 0, 1, 0, 0
    .word 0, 0, 1, 0
    .word 0, 0, 0, 1
    .word 2, 0, 0, 0
    .word 0, 2, 0, 0
    .word 0, 0, 2, 0
    .word 0, 0, 0, 2
    .word 3, 1, 0, 1
    .word 2, 3, 1, 0

    .section .rodata.zeros, "a", %progbits
    .align 2
zeros:
    .fill 8, 4, 0

#endif
