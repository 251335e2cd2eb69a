# SPDX-License-Identifier: Apache-2.0
"""The Cortex-M0+ in lanes beside Unicorn's: each instruction, and the firmware step by step."""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from embedded.emulator import chip, elf, images, mailbox, thumb, values
from embedded.emulator.chip import ChipError
from embedded.emulator.emulator import Emulator
from embedded.emulator.lanes import Machine
from embedded.emulator.leaks import EVERY, REMOVED, Leak
from embedded.emulator.mailbox import Command

from cortex_m0_support import assemble, needs_gcc

LANES = 4
CODE = 0x100
SOME = chip.RAM + 0x400
ADDRESSES = {6: SOME, 7: 8}

BY_REGISTER = (2, 3, 4, 7)  # shifts, whose amounts are the same in all lanes
ROR = 7  # or not
ALU = [
    *(0x1800, 0x1A00, 0x1C00, 0x1E00),  # add and sub of registers and small constants
    *(0x0000, 0x0800, 0x1000),  # shifts by constants
    *(0x2000, 0x2800, 0x3000, 0x3800),  # mov, cmp, add and sub of constants
    *(0x4000 | op << 6 for op in range(16) if op not in BY_REGISTER or op == ROR),
    *(0xB200 | op << 6 for op in range(4)),  # extensions
    *(0xBA00, 0xBA40, 0xBAC0),  # reversals
]
HIGH = [0x4400, 0x4500, 0x4600]  # add, cmp, mov on all registers
MEMORY = [
    *(0x5000 | op << 9 for op in range(8)),  # at a register's offset: base r6, offset r7
    *(0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800),  # at a constant one
    *(0x9000, 0x9800, 0xA000, 0xA800),  # by sp; adr; add of sp
    *(0xC000, 0xC800, 0xB400, 0xBC00, 0xB000, 0xB080),  # many; sp moved
    0x4800,  # a constant from the code
]
EXTREMES = [0, 1, 2, 31, 32, 33, 255, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF]


def word(source: random.Random) -> int:
    return source.choice([source.choice(EXTREMES), source.getrandbits(32)])


def variable_bits(source: random.Random, halfword: int) -> int:
    """The register numbers and constants of an instruction, drawn."""
    if halfword in HIGH:
        low = source.choice([r for r in range(13) if r != 8])
        return halfword | (low & 7) | (low & 8) << 4 | source.randrange(13) << 3
    if halfword < 0x1800:
        return halfword | source.getrandbits(11)
    if halfword < 0x2000:
        return halfword | source.getrandbits(9)
    if halfword < 0x4000:
        return halfword | source.getrandbits(11)
    return halfword | source.getrandbits(6)


def memory_bits(source: random.Random, halfword: int) -> int:
    if halfword < 0x5000 or 0x9000 <= halfword < 0xB000:
        return halfword | source.randrange(6) << 8 | source.randrange(32)
    if halfword < 0x6000:
        return halfword | 7 << 6 | 6 << 3 | source.randrange(6)
    if halfword < 0x9000:
        return halfword | source.getrandbits(5) << 6 | 6 << 3 | source.randrange(6)
    if halfword in (0xB000, 0xB080):
        return halfword | source.randrange(16)
    some = source.randrange(1, 64)
    return halfword | some | (6 << 8 if halfword >= 0xC000 else 0)


class Pair:
    """One instruction, in Unicorn and in lanes."""

    def __init__(self, halfword: int) -> None:
        code = halfword.to_bytes(2, "little") + bytes.fromhex("00bf") * 255
        image = elf.Image((elf.Segment(CODE, code, len(code)),), {})
        self.unicorn = Emulator(image, iter(()))
        self.image = image

    def check(self, source: random.Random, fixed: dict[int, int]) -> None:
        registers = [
            [word(source) for _ in range(13)] + [chip.STACK_TOP - 256, 0] for _ in range(LANES)
        ]
        for own in registers:
            for number, value in fixed.items():
                own[number] = value
        memory = source.randbytes(1024)
        flags = [source.getrandbits(1) for _ in range(4)]
        flags[1] &= 1 ^ flags[0]
        machine = Machine(self.image, lambda: 0)
        machine.set_flags(*flags)
        machine.registers[:15] = [
            np.array(own, dtype=np.uint32) for own in zip(*registers, strict=True)
        ]
        words = [int.from_bytes(memory[i : i + 4], "little") for i in range(0, 1024, 4)]
        machine.write_words(SOME, words)
        machine.write_words(chip.STACK_TOP - 512, words[:128])
        machine.run(CODE, CODE + 2, None, 2)
        for lane, own in enumerate(registers):
            self.unicorn.write(SOME, memory)
            self.unicorn.write(chip.STACK_TOP - 512, memory[:512])
            for number, value in enumerate(own):
                self.unicorn.set_register(number, value)
            n, z, c, v = flags
            self.unicorn.set_flags((n, z, c, v))
            cost = self.unicorn.run(CODE, CODE + 2, 1)
            assert machine.cycles == cost.cycles
            found = [in_lane(value, lane) for value in machine.registers[:15]]
            assert found == self.unicorn.registers()[:15]
            assert tuple(in_lane(flag, lane) for flag in machine.flags()) == self.unicorn.flags()
            for base, size in ((SOME, 1024), (chip.STACK_TOP - 512, 512)):
                ours = b"".join(
                    in_lane(value, lane).to_bytes(4, "little")
                    for value in machine.read_words(base, size // 4)
                )
                assert ours == self.unicorn.read(base, size)


def in_lane(value: values.Word, lane: int) -> int:
    return value if isinstance(value, int) else int(value[lane])


@pytest.mark.parametrize("halfword", ALU + HIGH, ids=hex)
def test_arithmetic_is_that_of_unicorn(halfword: int) -> None:
    source = random.Random(halfword)  # noqa: S311 (a simulation)
    for _ in range(12):
        Pair(variable_bits(source, halfword)).check(source, {})


@pytest.mark.parametrize("operation", BY_REGISTER)
@pytest.mark.parametrize("amount", [0, 1, 31, 32, 33, 64, 255, 256])
def test_shifts_by_registers_are_those_of_unicorn(operation: int, amount: int) -> None:
    source = random.Random(amount)  # noqa: S311 (a simulation)
    Pair(0x4000 | operation << 6 | 7 << 3 | 1).check(source, {7: amount})


@pytest.mark.parametrize("halfword", MEMORY, ids=hex)
def test_memory_is_that_of_unicorn(halfword: int) -> None:
    source = random.Random(halfword)  # noqa: S311 (a simulation)
    for _ in range(12):
        Pair(memory_bits(source, halfword)).check(source, ADDRESSES)


@needs_gcc
def test_branches_are_those_of_unicorn(tmp_path: Path) -> None:
    count = len(thumb.CONDITIONS)
    text = "movs r4, #0\n" + "".join(
        f"cmp r0, r1\n b{condition} 1f\n adds r4, #1\n 1: lsls r4, #1\n"
        for condition in thumb.CONDITIONS
    )
    image = assemble(text + "mov r0, r4\n bx lr", tmp_path)
    seen = set()
    for a in EXTREMES:
        for b in EXTREMES:
            emulator, machine = Emulator(image, iter(())), Machine(image, lambda: 0)
            cost = emulator.call("program", a, b)
            machine.call("program", np.full(LANES, a, np.uint32), b)
            assert machine.registers[0] == emulator.registers()[0]
            assert machine.cycles == cost.cycles
            seen.add(machine.registers[0])
    assert len(seen) > 3
    assert count == 14


def test_firmware_step_by_step_is_that_of_unicorn() -> None:
    image = images.build(images.ZIG)
    rng = np.random.default_rng(5)
    masks = rng.integers(0, 1 << 32, (1000, LANES), np.uint32)
    key, data = (rng.integers(0, 1 << 32, (8, LANES), np.uint32) for _ in range(2))
    asked = [
        (Command.SET_KEY, 16, 0),
        (Command.SLICE, 0, 2),
        (Command.ENCRYPT_STATE, 0, 0),
        (Command.DECRYPT_BLOCKS, 0, 2),
    ]
    box = image.symbol("mailbox").address
    words = iter(masks)
    machine = Machine(image, lambda: next(words))
    machine.reset("serve_mailbox")
    machine.write_words(box + mailbox.KEY_AT, list(key))
    machine.write_words(box + mailbox.DATA_AT, list(data))
    steps: list[tuple[int, list[values.Word]]] = []
    machine.watch = lambda m, at: steps.append((at, m.registers[:15]))
    for command in asked:
        machine.write_words(box, words_of(mailbox.header(*command)))
        machine.call("do_command")
    assert len(steps) > 49_000
    for lane in range(2):
        emulator = Emulator(image, iter(masks[:, lane].tolist()))
        emulator.reset("serve_mailbox")
        emulator.write(box + mailbox.KEY_AT, key[:, lane].astype("<u4").tobytes())
        emulator.write(box + mailbox.DATA_AT, data[:, lane].astype("<u4").tobytes())
        expected = iter(steps)

        emulator.watch = partial(compare, expected, lane)
        for command in asked:
            emulator.write(box, mailbox.header(*command))
            emulator.call("do_command")
        assert next(expected, None) is None
        ours = [in_lane(w, lane) for w in machine.read_words(box, 53)]
        assert ours == words_of(emulator.read(box, 4 * 53))


def compare(
    expected: Iterator[tuple[int, list[values.Word]]], lane: int, own: Emulator, at: int
) -> None:
    ours_at, registers = next(expected)
    found = [in_lane(value, lane) for value in registers[:13]]
    assert (ours_at, found) == (at, own.registers()[:13])


def words_of(data: bytes) -> list[values.Word]:
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


class Recorder:
    """A probe that keeps what it is shown."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, Leak, list[int]]] = []

    def take(self, address: int, leak: Leak, word: values.Lanes) -> None:
        self.taken.append((address, leak, word.tolist()))


A, B = [0x0F, 0xF0], [0x33, 0x55]
BOTH = [0x3C, 0xA5]  # A xor B


@needs_gcc
@pytest.mark.parametrize(
    ("text", "leak", "expected"),
    [
        ("eors r0, r1", Leak.RESULT, [BOTH]),
        ("movs r2, r0\n movs r2, r1", Leak.REGISTER, [A, BOTH]),
        ("movs r2, r0\n movs r2, #0\n movs r2, r1", Leak.REGISTER, [A, A, B]),
        ("adds r2, r0, #0\n adds r3, r1, #0", Leak.OPERAND_A, [A, BOTH]),
        ("movs r2, r0\n movs r3, #7\n movs r3, r1", Leak.OPERAND_B, [A, BOTH]),
        ("adds r2, r0, #0\n movs r3, r1", Leak.OPERAND_A, [A]),
        ("str r0, [r7]\n str r1, [r7, #4]", Leak.OPERAND_B, [A, BOTH]),
        ("str r0, [r7]\n str r1, [r7, #4]", Leak.WRITE, [A, BOTH]),
        ("str r0, [r7]\n ldr r2, [r7, #8]\n str r1, [r7]", Leak.BUS, [A, A, B]),
        ("str r0, [r7]\n ldr r2, [r7, #8]\n str r1, [r7]", Leak.WRITE, [A, BOTH]),
        ("str r0, [r7]\n str r1, [r7]", Leak.CELL, [A, BOTH]),
        ("str r0, [r7]\n str r1, [r7, #4]\n ldr r2, [r7]\n ldr r2, [r7, #4]", Leak.READ, [A, BOTH]),
        ("stmia r7!, {r0, r1}", Leak.WRITE, [A, BOTH]),
        ("push {r0, r1}\n pop {r2, r3}", Leak.READ, [A, BOTH]),
        ("strb r0, [r7]\n strb r1, [r7, #1]", Leak.WRITE, [
            [0x0F0F0F0F, 0xF0F0F0F0], [0x3C3C3C3C, 0xA5A5A5A5]]),
        ("strb r0, [r7]\n strb r1, [r7]", Leak.CELL, [A, BOTH]),
        ("lsrs r2, r0, #1\n lsrs r3, r1, #2", Leak.FLAG, [[1, 0], [0, 0], [0, 0], [0, 0]]),
        # C, then N: of two shifts, of a shift and a sum, of a difference.
        ("lsls r2, r0, #24\n lsls r3, r1, #26", Leak.FLAG, [[0, 0], [0, 1], [0, 1], [1, 1]]),
        ("lsls r2, r0, #24\n adds r3, r2, r2", Leak.FLAG, [[0, 0], [0, 1], [0, 1], [0, 0]]),
        ("subs r2, r0, r1", Leak.FLAG, [[0, 1], [1, 0]]),
    ],
)  # fmt: skip
def test_what_leaks(text: str, leak: Leak, expected: list[list[int]], tmp_path: Path) -> None:
    assert shown(text, leak, EVERY, tmp_path) == expected
    assert shown(text, leak, EVERY - {leak}, tmp_path) == []


def shown(text: str, leak: Leak, kinds: frozenset[Leak], folder: Path) -> list[list[int]]:
    """The words of a kind that a program shows, whose r0 and r1 have A and B."""
    image = assemble(text + "\n bx lr", folder)
    program = image.symbol("program")
    last = program.address + program.size - 2
    machine = Machine(image, lambda: 0, kinds)
    machine.registers[7] = SOME
    probe = Recorder()
    a, b = (np.array(values, dtype=np.uint32) for values in (A, B))
    machine.call("program", a, b, probe=probe)
    return [word for at, kind, word in probe.taken if kind == leak and at != last]


# What the models of ELMO and ELMO* look at, as their source has it.
OF_MODELS = [
    # The old value of the destination of `ldr` and `mov` is a first operand.
    ("movs r2, r0\n ldr r3, [r7]\n ldr r2, [r7]", Leak.PORT_1, [A]),
    ("eors r0, r1\n mov r1, r4", Leak.PORT_1, [A, BOTH]),
    ("eors r0, r1\n tst r7, r7\n mov r1, r4", Leak.PORT_1, [A, [a ^ SOME for a in A],
                                                          [b ^ SOME for b in B]]),
    ("str r0, [r7]\n str r1, [r7]", Leak.PORT_1, [A]),
    # Loaded and stored words are second operands.
    ("str r0, [r7]\n movs r2, #0\n ldr r2, [r7]", Leak.PORT_2, [A, A, A]),
    ("str r1, [r7]\n mvns r2, r0\n ldr r2, [r7]", Leak.PORT_2, [B, BOTH, BOTH]),
    # ELMO* remembers the last second operand of each class, and follows its register.
    ("orrs r3, r0\n movs r3, #0\n str r1, [r7]", Leak.LAST_ALU, [A, A, BOTH]),
    ("orrs r4, r0\n movs r0, #7\n movs r3, #0\n str r1, [r7]", Leak.LAST_ALU,
     [A, [a ^ 7 for a in A], A, [b ^ 7 for b in B]]),
    ("str r0, [r7]\n movs r3, #0\n orrs r4, r1", Leak.LAST_STORED, [A, A, BOTH]),
    ("str r0, [r7]\n ldr r3, [r7]\n movs r3, #0\n orrs r4, r1", Leak.LAST_LOADED,
     [A, A, A, BOTH]),
    ("mov r3, r0\n orrs r4, r1", Leak.LAST_MOVED, [A, BOTH]),
    ("mov r8, r0\n orrs r4, r1", Leak.LAST_MOVED, [A, B]),
    ("subs r3, r0, #0\n orrs r4, r1", Leak.LAST_ALU, [B]),
    ("eors r0, r1", Leak.BOTH_PORTS, [BOTH]),
    # One port after the other.
    ("adds r2, r0, #1\n orrs r4, r1", Leak.CROSSED, [A, BOTH]),
    ("orrs r4, r0\n subs r3, r1, #1", Leak.CROSSED, [A, BOTH]),
]  # fmt: skip


@needs_gcc
@pytest.mark.parametrize(("text", "leak", "expected"), OF_MODELS)
def test_what_leaks_in_the_models_of_others(
    text: str, leak: Leak, expected: list[list[int]], tmp_path: Path
) -> None:
    assert shown(text, leak, EVERY, tmp_path) == expected
    assert shown(text, leak, EVERY - {leak}, tmp_path) == []


@needs_gcc
def test_fields_of_encodings_that_are_not_used_are_read(tmp_path: Path) -> None:
    """`movs r4, #8` names r0, r1 and r0 in bits 0 to 8, and r4 in bits 8 to 10."""
    found = shown("movs r4, #8\n movs r4, #0", Leak.GHOST, EVERY, tmp_path)
    assert found == [A, B, A, [0, 0], BOTH, [0, 0]]
    assert shown("movs r4, #8", Leak.GHOST, REMOVED, tmp_path) == []


@needs_gcc
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cmp r0, #16\n bhi 1f\n 1: bx lr", r"program\+0x2 a branch depends on data"),
        ("ldr r1, [r7, r0]\n bx lr", r"program\+0x0 an address depends on data"),
        ("lsls r1, r0\n bx lr", r"program\+0x0 the amount of a shift depends on data"),
        ("bx r0", r"program\+0x0 a branch depends on data"),
    ],
)
def test_dependence_on_data_is_reported(text: str, what: str, tmp_path: Path) -> None:
    machine = Machine(assemble(text, tmp_path), lambda: 0)
    machine.registers[7] = SOME
    with pytest.raises(ChipError, match=what):
        machine.call("program", np.array(A, dtype=np.uint32), np.array(B, dtype=np.uint32))
