# SPDX-License-Identifier: Apache-2.0
"""Masked AES for a Cortex-M0+: the file of assembly, with the S-boxes from the circuit.

What is linear goes through all of share 0 and then through all of share 1. Between them `clean`
brings constants into the registers and onto the buses, so the shares of no value follow each other.
The planes of a share are at r7 and on, in the frame of whoever calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .circuits import Circuit, Gate, Op
from .thumb_sbox import Sbox

_HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m tools.circuit` from {source}; changes made by hand are lost.
 * Masked AES on two shares for Armv6-M (Cortex-M0, M0+), two blocks in words of 32 bits.
 * docs/masked-aes.md has the rules by which values are kept apart; cortex_m0.h the functions. */
#if defined(__ARM_ARCH_6M__) && !defined(TALLY_MASKED_PORTABLE)
    .syntax unified
    .thumb

#if defined(TALLY_RANDOM_REGISTER)
    .macro RANDOM register, number
    ldr \\register, [r7]
    .endm
#else
    .macro RANDOM register, number
    ldr \\register, [r7, #4 * \\number]
    .endm
#endif
"""

PLANES = range(8)
PAIRS = range(4)
SHARE = 48
"""Bytes of the frame, from its begin, for each share: 8 planes and 4 words of a key."""
STATE = [[f"S{s}_{p}" for s in (0, 1)] for p in PLANES]


def inverse(circuit: Circuit) -> Circuit:
    """Return the inverse S-box: the S-box between two copies of its affine map's inverse.

    Bit i of the inverse map is the sum of bits i + 2, i + 5 and i + 7, and of bit i of 0x05.
    """
    gates: list[Gate] = []

    def affine(inputs: Iterable[str], tag: str) -> tuple[str, ...]:
        wires = tuple(inputs)
        for i in PLANES:
            op = Op.XNOR if 0x05 >> i & 1 else Op.XOR
            gates.append(Gate(f"{tag}s{i}", Op.XOR, wires[(i + 2) % 8], wires[(i + 5) % 8]))
            gates.append(Gate(f"{tag}{i}", op, f"{tag}s{i}", wires[(i + 7) % 8]))
        return tuple(f"{tag}{i}" for i in PLANES)

    inputs = tuple(f"c{i}" for i in PLANES)
    named = dict(zip(circuit.inputs, affine(inputs, "a"), strict=True))
    for gate in circuit.gates:
        gates.append(
            Gate(
                gate.name,
                gate.op,
                named.get(gate.left, gate.left),
                named.get(gate.right, gate.right),
            )
        )
    outputs = affine(circuit.outputs, "b")
    return Circuit(inputs, tuple(gates), outputs)


def assembly(circuit: Circuit, source: str) -> str:
    """Return the file."""
    forward = Sbox(circuit, STATE)
    backward = Sbox(inverse(circuit), STATE)
    values = [
        max(names, key=len) for names in zip(forward.frame.words, backward.frame.words, strict=True)
    ]
    parts = [
        _frame([name for names in values for name in names]),
        _macros(),
        _leaf("sub_bytes", forward.code.lines),
        _leaf("inverse_sub_bytes", backward.code.lines),
        _leaf("add_in", _add_in()),
        _leaf("add_out", _add_out()),
        _leaf("shift_rows", _shift_rows()),
        _leaf("inverse_shift_rows", _inverse_shift_rows()),
        _leaf("mix_columns", _mix_columns()),
        _leaf("before_mix_columns", _before_mix_columns()),
        _leaf("add_key", _add_key()),
        _public("encrypt", _ENCRYPT),
        _public("decrypt", _DECRYPT),
        _leaf("copy_key", _copy_key()),
        _leaf("add_constant", _add_constant()),
        _leaf("next_key", _next_key()),
        _public("expand", _EXPAND),
        _leaf("begin", _begin()),
        _leaf("pair_constant", _pair_constant()),
        _leaf("pair_key", _pair_key()),
        _leaf("pair_shift_rows", _pair_shift_rows()),
        _leaf("pair_mix_columns", _pair_mix_columns()),
        _leaf("pair_out", _pair_out()),
        _public("once", _ONCE),
        _public("slice", _block(_convert(_slice()))),
        _public("unslice", _block(_convert(_unslice()))),
        _pair_constants(),
        '    .section .rodata.zeros, "a", %progbits\n    .align 2\nzeros:\n    .fill 8, 4, 0\n',
        "#endif\n",
    ]
    return _HEAD.format(source=source) + "\n" + "\n".join(parts)


def _block(lines: Iterable[str]) -> str:
    return "".join(line + "\n" if line.endswith(":") else f"    {line}\n" for line in lines)


def _function(name: str, body: str) -> str:
    return f"""
    .section .text.{name}, "ax", %progbits
    .type {name}, %function
    .thumb_func
{name}:
{body}    .ltorg
    .size {name}, . - {name}
"""


def _leaf(name: str, lines: Iterable[str]) -> str:
    """Return a function that calls none, and needs no stack of its own."""
    return _function(name, _block([*lines, "bx lr"]))


def _public(name: str, body: str) -> str:
    """Return a function of cortex_m0.h."""
    name = f"tally_masked_cortex_m0_{name}"
    return f"\n    .global {name}{_function(name, body)}"


def _frame(values: list[str]) -> str:
    """Return the names of words of the frame."""
    names = [f"S{s}_{p}" if p < 8 else f"K{s}_{p - 8}" for s in (0, 1) for p in range(SHARE // 4)]
    names += [*values, "KEYS", "ROUNDS", "SOURCE", "STATE", "CONSTANT", "ZERO", "SCRATCH"]
    lines = [f"    .equ {name}, {4 * i}\n" for i, name in enumerate(names)]
    size = 4 * len(names)
    randoms, end = size, size + 128
    lines.append(f"    .equ RANDOMS, {randoms}\n")
    # Five words are pushed before it, and calls need a stack aligned to 8 bytes; LEAVE wipes 16 bytes
    # at a time, and 12 at the end.
    return "".join(lines) + f"    .equ FRAME, {end + (12 - end) % 16}\n"


def _macros() -> str:
    return """
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
    b \\failed
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
"""


# Two blocks: r7 has the planes of a share, r6 a round key's, of which it takes the next.


def _add_in() -> Iterator[str]:
    """Adds a round key to planes at r3, which come to r7."""
    for p in PLANES:
        yield from ("ldmia r3!, {r0}", "ldmia r6!, {r1}", "eors r0, r1", f"str r0, [r7, #{4 * p}]")


def _add_out() -> Iterator[str]:
    """Adds a round key, and stores the planes at r5."""
    for p in PLANES:
        yield from (f"ldr r0, [r7, #{4 * p}]", "ldmia r6!, {r1}", "eors r0, r1", "stmia r5!, {r0}")


def _add_key() -> Iterator[str]:
    for p in PLANES:
        at = f"[r7, #{4 * p}]"
        yield from (f"ldr r0, {at}", "ldmia r6!, {r1}", "eors r0, r1", f"str r0, {at}")


def _turn(mask: str) -> list[str]:
    """Turn rows 2 and 3 of r0 by two columns; r1 is spoilt."""
    return [
        *("lsrs r1, r0, #4", "eors r1, r0", f"ands r1, {mask}"),
        *("eors r0, r1", "lsls r1, r1, #4", "eors r0, r1"),
    ]


def _shift_rows() -> Iterator[str]:
    """Row r is byte r; the two blocks of column c are its bits 2 c and 2 c + 1."""
    yield from ("ldr r3, =0x0f0f0000", "ldr r4, =0x3f003f00")
    yield from ("ldr r5, =0xc000c000", "ldr r6, =0x00ff00ff")
    for p in PLANES:
        yield f"ldr r0, [r7, #{4 * p}]"
        yield from _turn("r3")
        yield from ("lsrs r1, r0, #2", "lsls r2, r0, #6", "ands r1, r4", "ands r2, r5")
        yield from ("ands r0, r6", "eors r0, r1", "eors r0, r2", f"str r0, [r7, #{4 * p}]")


def _inverse_shift_rows() -> Iterator[str]:
    yield from ("ldr r3, =0x0f0f0000", "ldr r4, =0xfc00fc00")
    yield from ("ldr r5, =0x03000300", "ldr r6, =0x00ff00ff")
    for p in PLANES:
        yield f"ldr r0, [r7, #{4 * p}]"
        yield from _turn("r3")
        yield from ("lsls r1, r0, #2", "lsrs r2, r0, #6", "ands r1, r4", "ands r2, r5")
        yield from ("ands r0, r6", "eors r0, r1", "eors r0, r2", f"str r0, [r7, #{4 * p}]")


def _mix_columns() -> Iterator[str]:
    """MixColumns and a round key.

    With d = a row + the row below it, a row becomes the row below + d of the opposite row + 2 d.
    Doubling moves each plane up by one, and adds the top one to planes 0, 1, 3 and 4.
    """
    yield from ("movs r4, #8", "movs r5, #16", "ldr r2, [r7, #28]")
    yield from ("mov r1, r2", "rors r1, r4", "eors r2, r1", "mov r3, r2")
    new, old = "r0", "r2"  # d of this plane, and of the one before
    for p in range(7):
        yield from (f"ldr {new}, [r7, #{4 * p}]", f"mov r1, {new}", "rors r1, r4")
        yield from (f"eors {new}, r1", f"eors {old}, r1", f"mov r1, {new}", "rors r1, r5")
        yield f"eors r1, {old}"
        if p in (1, 3, 4):
            yield "eors r1, r3"
        yield from (f"ldmia r6!, {{{old}}}", f"eors r1, {old}", f"str r1, [r7, #{4 * p}]")
        new, old = old, new
    # The last plane + its d is the row below.
    yield from ("ldr r1, [r7, #28]", "eors r1, r3", f"eors r1, {old}", "rors r3, r5")
    yield from ("eors r1, r3", "ldmia r6!, {r0}", "eors r1, r0", "str r1, [r7, #28]")


def _before_mix_columns() -> Iterator[str]:
    """What makes MixColumns its inverse: four times the sum of a row and its opposite is added."""
    yield "movs r5, #16"
    for register, p in (("r3", 6), ("r4", 7)):
        yield from (f"ldr r0, [r7, #{4 * p}]", f"mov {register}, r0")
        yield from (f"rors {register}, r5", f"eors {register}, r0")
    terms = {0: ("r3",), 1: ("r3", "r4"), 2: ("r4",), 3: ("r3",), 4: ("r3", "r4"), 5: ("r4",)}
    doubled = ["r1", "r2", "r6"]
    for p in PLANES:
        d, older = doubled[p % 3], doubled[(p + 1) % 3]  # of this plane, of two planes before
        yield f"ldr r0, [r7, #{4 * p}]"
        if p < 6:
            yield from (f"mov {d}, r0", f"rors {d}, r5", f"eors {d}, r0")
        yield from (f"eors r0, {register}" for register in terms.get(p, ()))
        if p >= 2:
            yield f"eors r0, {older}"
        yield f"str r0, [r7, #{4 * p}]"


_ENCRYPT = """\
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
"""

_DECRYPT = """\
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
"""


# The key schedule of AES-128: r7 has a round key's planes after the S-box.


def _copy_key() -> Iterator[str]:
    """Copies planes from r3 to r7 and to r6."""
    for p in PLANES:
        yield from ("ldmia r3!, {r0}", "stmia r6!, {r0}", f"str r0, [r7, #{4 * p}]")


def _add_constant() -> Iterator[str]:
    """Adds the bits of r2, each times r4, to the planes."""
    yield "movs r3, #1"
    for p in PLANES:
        yield from (f"lsrs r1, r2, #{p}" if p else "mov r1, r2", "ands r1, r3", "muls r1, r4")
        yield from (f"ldr r0, [r7, #{4 * p}]", "eors r0, r1", f"str r0, [r7, #{4 * p}]")


def _sums_of_columns(key: str, spare: str) -> list[str]:
    """Each column of a key becomes the sum of those up to it: masks are in r4 and r5."""
    return [
        *(f"lsls {spare}, {key}, #2", f"ands {spare}, r4", f"eors {key}, {spare}"),
        *(f"lsls {spare}, {key}, #4", f"ands {spare}, r5", f"eors {key}, {spare}"),
    ]


def _next_key() -> Iterator[str]:
    """A round key follows that at r6, and comes to r7 too."""
    yield from ("ldr r2, =0x03030303", "movs r3, #8", "ldr r4, =0xfcfcfcfc", "ldr r5, =0xf0f0f0f0")
    for p in PLANES:
        yield from (f"ldr r0, [r7, #{4 * p}]", "lsrs r0, r0, #6", "ands r0, r2", "rors r0, r3")
        yield from (f"ldr r1, [r6, #{4 * p}]", "eors r0, r1")
        yield from _sums_of_columns("r0", "r1")
        yield from (f"str r0, [r7, #{4 * p}]", f"str r0, [r6, #{64 + 4 * p}]")


_EXPAND = """\
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
"""


# One block, and the key schedule on the way. In a plane of the state the block's bits are the even
# ones, and the last column of its round key has odd ones. What is linear is done by pairs of planes,
# p in even bits and p + 4 in odd ones; so is the round key kept, behind the planes.


def _planes_of(j: int, pair: str, key: str, a: str, b: str) -> list[str]:
    """Store a pair as two planes, with the round key's last column; masks are in r5 and r6."""
    return [
        *(f"lsrs {a}, {pair}, #1", f"ands {a}, r5", f"ands {pair}, r5", f"lsls {b}, {key}, #1"),
        *(f"ands {b}, r6", f"eors {pair}, {b}", f"str {pair}, [r7, #{4 * j}]"),
        *(f"ands {key}, r6", f"eors {a}, {key}", f"str {a}, [r7, #{4 * j + 16}]"),
    ]


def _begin() -> Iterator[str]:
    """Takes planes at r3, a block in even bits and its key in odd ones, and adds them."""
    yield from ("ldr r5, =0x55555555", "ldr r6, =0x80808080")
    for j in PAIRS:
        yield from (f"ldr r0, [r3, #{4 * j}]", f"ldr r1, [r3, #{4 * j + 16}]")
        yield from ("lsrs r2, r0, #1", "ands r2, r5", "mov r4, r1", "bics r4, r5", "eors r2, r4")
        yield from ("ands r0, r5", "ands r1, r5", "lsls r1, r1, #1", "eors r0, r1", "eors r0, r2")
        yield f"str r2, [r7, #{32 + 4 * j}]"
        yield from _planes_of(j, "r0", "r2", "r1", "r4")


def _pair_constant() -> Iterator[str]:
    """Adds a round constant to the round key's pairs."""
    for j in PAIRS:
        at = f"[r7, #{32 + 4 * j}]"
        yield from (f"ldr r0, {at}", "ldmia r6!, {r1}", "eors r0, r1", f"str r0, {at}")


def _pair_constants() -> str:
    """Return the table of round constants."""
    words, constant = [], 1
    for _ in range(10):
        words += [constant >> j & 1 | (constant >> j + 4 & 1) << 1 for j in PAIRS]
        constant = constant << 1 ^ 0x11B * (constant >> 7)
    lines = (f"    .word {', '.join(map(str, words[i : i + 4]))}\n" for i in range(0, 40, 4))
    return (
        '    .section .rodata.pair_constants, "a", %progbits\n    .align 2\npair_constants:\n'
        + "".join(lines)
    )


def _pair_key() -> Iterator[str]:
    """The round key becomes the next one, with the last column after the S-box."""
    yield from ("ldr r2, =0x01010101", "lsls r3, r2, #1", "ldr r4, =0xfcfcfcfc")
    yield from ("ldr r5, =0xf0f0f0f0", "movs r6, #8")
    for j in PAIRS:
        yield from (f"ldr r0, [r7, #{4 * j}]", "lsrs r0, r0, #7", "ands r0, r2")
        yield from (f"ldr r1, [r7, #{4 * j + 16}]", "lsrs r1, r1, #6", "ands r1, r3")
        yield from ("eors r0, r1", "rors r0, r6", f"ldr r1, [r7, #{32 + 4 * j}]", "eors r0, r1")
        yield from _sums_of_columns("r0", "r1")
        yield f"str r0, [r7, #{32 + 4 * j}]"


def _pair_shift_rows() -> Iterator[str]:
    yield from ("ldr r3, =0x0f0f0000", "ldr r4, =0x55555555")
    yield from ("ldr r5, =0x3f003f00", "ldr r6, =0xc000c000")
    for j in PAIRS:
        yield from (f"ldr r0, [r7, #{4 * j}]", f"ldr r1, [r7, #{4 * j + 16}]")
        yield from ("ands r0, r4", "ands r1, r4", "lsls r1, r1, #1", "eors r0, r1")
        yield from _turn("r3")
        yield from ("lsrs r1, r0, #2", "eors r1, r0", "ands r1, r5")
        yield from ("lsls r2, r0, #6", "eors r2, r0", "ands r2, r6")
        yield from ("eors r0, r1", "eors r0, r2", f"str r0, [r7, #{4 * j}]")


def _pair_mix_columns() -> Iterator[str]:
    """As `_mix_columns`; the pair before the first one is the last one with its planes exchanged."""
    yield from ("movs r4, #8", "ldr r5, =0x55555555", "ldr r6, =0x80808080", "ldr r0, [r7, #12]")
    yield from ("mov r1, r0", "rors r1, r4", "eors r0, r1", "lsrs r3, r0, #1", "ands r3, r5")
    yield from ("mov r12, r3", "ands r0, r5", "lsls r2, r0, #1", "eors r2, r3")
    new, old = "r0", "r2"
    for j in PAIRS:
        yield from (f"ldr {new}, [r7, #{4 * j}]", f"mov r1, {new}", "rors r1, r4")
        yield from (f"eors {new}, r1", f"eors {old}, r1", f"mov r1, {new}", "rors r1, r4")
        yield from ("rors r1, r4", f"eors r1, {old}")
        if (
            j != 2
        ):  # the top plane belongs to plane 4, an odd one of its pair, and to planes 1 and 3
            yield "mov r3, r12"
            if j == 0:
                yield "lsls r3, r3, #1"
            yield "eors r1, r3"
        yield from (f"ldr {old}, [r7, #{32 + 4 * j}]", f"eors r1, {old}")
        yield from _planes_of(j, "r1", old, "r3", "r4")
        if j != PAIRS[-1]:
            yield "movs r4, #8"
        new, old = old, new
    yield from ("movs r4, #0", "mov r12, r4")


def _pair_out() -> Iterator[str]:
    """Adds the last round key, and stores the block's planes at r5."""
    yield "ldr r4, =0x55555555"
    for j in PAIRS:
        yield from (f"ldr r0, [r7, #{4 * j}]", f"ldr r1, [r7, #{32 + 4 * j}]", "eors r0, r1")
        yield from ("mov r1, r0", "ands r1, r4", f"str r1, [r5, #{4 * j}]")
        yield from ("lsrs r0, r0, #1", "ands r0, r4", f"str r0, [r5, #{4 * j + 16}]")


_ONCE = """\
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
"""


# Bytes to planes. Word c of block b has column c, a row in each byte; bit p of its bytes belongs to
# plane p, in bits 2 c + b of bytes: eight by eight bits are transposed.


def _exchange(a: str, b: str, spare: str, shift: int, mask: str) -> list[str]:
    return [
        *(f"lsrs {spare}, {a}, #{shift}", f"eors {spare}, {b}", f"ands {spare}, {mask}"),
        *(f"eors {b}, {spare}", f"lsls {spare}, {spare}, #{shift}", f"eors {a}, {spare}"),
    ]


def _quad() -> Iterator[str]:
    """Transposes within the words in r2 to r5; masks are in r6 and r7."""
    for a, b, shift, mask in (
        *(("r2", "r3", 1, "r6"), ("r4", "r5", 1, "r6")),
        *(("r2", "r4", 2, "r7"), ("r3", "r5", 2, "r7")),
    ):
        yield from _exchange(a, b, "r0", shift, mask)


_BYTES = [4 * (4 * b + c) for c in range(4) for b in (0, 1)]  # of word 2 c + b
_MASKS = ["ldr r6, =0x55555555", "ldr r7, =0x33333333"]
_NO_SHARE = [
    *("movs r0, #0", "movs r2, #0", "movs r3, #0", "movs r4, #0", "movs r5, #0"),
    *("tst r0, r0", "push {r0}", "pop {r0}"),
]


def _slice() -> Iterator[str]:
    """From bytes at r0 to planes at r1."""
    yield "ldr r6, =0x0f0f0f0f"
    for i in PAIRS:
        yield from (f"ldr r2, [r0, #{_BYTES[i]}]", f"ldr r3, [r0, #{_BYTES[i + 4]}]")
        yield from _exchange("r2", "r3", "r4", 4, "r6")
        yield from (f"str r2, [r1, #{4 * i}]", f"str r3, [r1, #{4 * i + 16}]")
    yield from _MASKS
    for _ in (0, 1):
        yield "ldmia r1!, {r2-r5}"
        yield from _quad()
        yield from ("subs r1, #16", "stmia r1!, {r2-r5}")


def _unslice() -> Iterator[str]:
    """From planes at r0 to bytes at r1."""
    yield "ldr r6, =0x0f0f0f0f"
    for i in PAIRS:
        yield from (f"ldr r2, [r0, #{4 * i}]", f"ldr r3, [r0, #{4 * i + 16}]")
        yield from _exchange("r2", "r3", "r4", 4, "r6")
        yield from (f"str r2, [r1, #{_BYTES[i]}]", f"str r3, [r1, #{_BYTES[i + 4]}]")
    yield from _MASKS
    for at in (0, 4):
        places = list(zip(("r2", "r3", "r4", "r5"), _BYTES[at : at + 4], strict=True))
        yield from (f"ldr {register}, [r1, #{place}]" for register, place in places)
        yield from _quad()
        yield from (f"str {register}, [r1, #{place}]" for register, place in places)


def _convert(lines: Iterable[str]) -> list[str]:
    return ["push {r4-r7, lr}", *lines, *_NO_SHARE, "pop {r4-r7, pc}"]
