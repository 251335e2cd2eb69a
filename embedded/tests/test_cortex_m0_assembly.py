# SPDX-License-Identifier: Apache-2.0
"""Masked AES in assembly for a Cortex-M0+: both compilers take it, and its functions keep to the
calling standard, leave nothing behind, and end when the random source fails."""

import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from embedded.emulator import chip, elf, images, thumb
from embedded.emulator.board import Board
from embedded.emulator.emulator import Cost, Emulator

import vectors
from cortex_m0_support import call_public, needs_gcc

CORE = images.ROOT / "core"
ASSEMBLY = CORE / "masked" / "cortex_m0.S"
PARTS = CORE / "masked" / "cortex_m0_parts.inc"
KEY, PLAIN, CIPHER = next(
    tuple(bytes.fromhex(case[name]) for name in ("key", "plaintext", "ciphertext"))
    for case in vectors.load("aes_blocks")
    if len(case["key"]) == 32 and len(case["plaintext"]) >= 64
)
VARIANTS = [
    pytest.param(images.REGISTER, id="register", marks=needs_gcc),
    pytest.param(images.SAFE, id="callback", marks=needs_gcc),
    pytest.param(images.ZIG, id="zig"),
]
BY_CALLBACK = VARIANTS[1:]
PREFIX = "tally_masked_cortex_m0_"
RANDOM = ["expand", "encrypt", "decrypt", "once"]
"""Those that take random words."""
NAMES = ["slice", "unslice", "copy", *RANDOM]
ORDER_2 = ["expand_order2", "encrypt_order2", "decrypt_order2"]
FRAMES = [int(line.split()[0]) // 4 for line in PARTS.read_text().split(".equ FRAME, ")[1:]]
"""Words of their frame: with a register for random words, and with space for those of an S-box."""


def assembled(command: list[str], folder: Path, *options: str) -> elf.Image:
    """The object that a compiler makes."""
    target = folder / "assembly.o"
    cache = {f"ZIG_{kind}_CACHE_DIR": str(images.BUILD / "zig") for kind in ("GLOBAL", "LOCAL")}
    done = subprocess.run(
        [
            *(*command, "-c", "-Wall", "-Wextra", "-Werror", *options),
            *(f"-I{CORE}", f"-I{CORE / 'include'}", "-o", str(target), str(ASSEMBLY)),
        ],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | cache,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return elf.read(target)


GCC = [images.GCC, "-mcpu=cortex-m0plus", "-mthumb"]
CLANG = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi",
         "-mcpu=cortex_m0plus"]  # fmt: skip


WAITS = ("-DTALLY_RANDOM_REGISTER=0x40000000", "-DTALLY_RANDOM_WAITS")


SHUFFLE = ("-DTALLY_MASKED_SHUFFLE", "-DTALLY_MASKED_SMALL", "-DTALLY_SLICE_BITS=32")


@pytest.mark.parametrize("options", [(), WAITS, SHUFFLE, (*SHUFFLE, *WAITS)], ids=str)
@pytest.mark.parametrize("command", [pytest.param(GCC, marks=needs_gcc), CLANG], ids=["gcc", "zig"])
def test_it_assembles(command: list[str], options: tuple[str, ...], tmp_path: Path) -> None:
    found = assembled(command, tmp_path, *options).functions()
    public = {function.name for function in found if function.name.startswith(PREFIX)}
    small = [name for name in NAMES if name != "once"]
    names = small if SHUFFLE[0] in options else [*NAMES, *ORDER_2]
    assert public == {PREFIX + name for name in names}
    assert ("turn" in {function.name for function in found}) == (SHUFFLE[0] in options)
    assert all(function.size > 0 for function in found)


@needs_gcc
def test_both_assemblers_make_the_same_sboxes(tmp_path: Path) -> None:
    codes = set()
    for variant in (images.SAFE, images.ZIG):
        image = images.build(variant)
        for name in ("sub_bytes", "inverse_sub_bytes", "sub_bytes_order2"):
            function = image.symbol(name)
            codes.add((name, Emulator(image, iter([])).read(function.address, function.size)))
    assert len(codes) == 3


# A function is called by itself, with memory of its own between the firmware's and the stack.

ROUNDS, STATES = 10, 11 * 64
PATTERN = 0xC3C3C3C3
KEPT = {number: 0x10101010 * number % 0xFFFFFFFF for number in range(4, 12)}


@dataclass(frozen=True)
class Left:
    """What a call left: its status and cost, words of the stack from the lowest on, registers."""

    status: int
    cost: Cost
    stack: list[int]
    registers: list[int]


class Chip:
    """A chip with memory for a function's arguments."""

    def __init__(self, variant: images.Variant, seed: int) -> None:
        self.image = images.build(variant)
        self.random = random.Random(seed)  # noqa: S311 (a simulation)
        self.emulator = Emulator(self.image, iter(lambda: self.random.getrandbits(32), -1))
        self.emulator.reset("serve_mailbox")
        self.keys = -(-self.image.symbol("bss_end").address // 64) * 64
        self.state = self.keys + STATES
        self.source = self.state + 128
        self.free = self.source + 16
        for at in range(self.keys, self.free, 4):
            self.emulator.write(at, struct.pack("<I", self.random.getrandbits(32)))
        callback = self.image.symbol("random_register").address
        self.emulator.write(self.source, self.emulator.read(callback, 8))

    def call(self, name: str, *arguments: int) -> Left:
        """Call a function, whose stack has a pattern before."""
        words = (chip.STACK_TOP - self.free) // 4
        assert words * 4 > 1400
        self.emulator.write(self.free, struct.pack(f"<{words}I", *[PATTERN] * words))
        for number, value in KEPT.items():
            self.emulator.set_register(number, value)
        cost = self.emulator.call(name, *arguments)
        data = self.emulator.read(chip.STACK_TOP - cost.stack, cost.stack)
        below = self.emulator.read(self.free, 4 * words - cost.stack)
        assert set(struct.unpack(f"<{len(below) // 4}I", below)) == {PATTERN}
        registers = self.emulator.registers()
        return Left(
            registers[0], cost, list(struct.unpack(f"<{cost.stack // 4}I", data)), registers
        )

    def call_public(self, name: str, *arguments: int) -> Cost:
        """Call a function of the public header."""
        return call_public(self.image, self.emulator, name, *arguments)

    def arguments(self, name: str) -> list[int]:
        """Of a function of cortex_m0.h."""
        return {
            "slice": [self.state, self.keys],
            "unslice": [self.state, self.keys],
            "copy": [self.state, self.keys, 32],
            "expand": [self.state, 16, self.source, self.keys],
            "encrypt": [self.keys, ROUNDS, self.source, self.state],
            "decrypt": [self.keys, ROUNDS, self.source, self.state],
            "once": [self.source, self.state],
        }[name]


def of_each(names: list[str], *variants: images.Variant) -> list[object]:
    """Functions of builds; a shuffled one has no `once`."""
    return [
        pytest.param(
            *(name, variant),
            id=f"{name}-{variant.name}",
            marks=needs_gcc if variant.compiler == "gcc" else [],
        )
        for name, variant in product(names, variants)
        if not (name == "once" and variant.shuffle)
    ]


@pytest.mark.parametrize(("name", "variant"), of_each(NAMES, *images.ASSEMBLY, *images.SHUFFLED))
def test_registers_are_kept_and_nothing_is_left(name: str, variant: images.Variant) -> None:
    """What is left does not depend on data: other keys, states, masks and orders leave the same."""
    found = []
    for seed in (1, 2):
        one = Chip(variant, seed)
        aligned: list[int] = []
        fill = one.image.symbol("fill").address
        one.emulator.watch = lambda e, at, fill=fill, aligned=aligned: (
            aligned.append(e.registers()[thumb.SP] % 8) if at == fill else None
        )
        left = one.call(PREFIX + name, *one.arguments(name))
        assert {number: left.registers[number] for number in KEPT} == KEPT
        assert left.registers[thumb.SP] == chip.STACK_TOP
        assert set(aligned) <= {0}
        if name in RANDOM:
            assert left.status == 0
            assert left.cost.random_words == 320 + (variant.shuffle and name != "expand")
        found.append((left.stack, left.registers[1:4] + left.registers[12:13]))
    assert found[0] == found[1]
    if name == "copy":
        assert found[0][0] == [0]
        return
    # Above what a callback used there are the frame, all zeros, and the caller's registers and lr.
    pushed = [4, 5, 6, 7] if name not in RANDOM else [8, 9, 10, 11, 4, 5, 6, 7]
    stack, saved = found[0][0][: -len(pushed) - 1], found[0][0][-len(pushed) - 1 :]
    assert saved == [*(KEPT[number] for number in pushed), chip.RETURN | 1]
    frame = FRAMES[0 if variant.register else 1]
    assert len(FRAMES) == 2
    assert len(stack) >= frame or name not in RANDOM
    assert not any(stack[-frame:] if name in RANDOM else stack)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [0, 1, 4, 7, 8, 16, 32])
@pytest.mark.parametrize(("to", "past"), [(0, 0), (1, 0), (0, 2), (3, 3)])
def test_copies_are_what_they_are_of(
    to: int, past: int, size: int, variant: images.Variant
) -> None:
    one = Chip(variant, 3)
    before = one.emulator.read(one.state, 64)
    data = one.random.randbytes(40)
    one.emulator.write(one.keys, data)
    one.call(f"{PREFIX}copy", one.state + to, one.keys + past, size)
    expected = before[:to] + data[past : past + size] + before[to + size :]
    assert one.emulator.read(one.state, 64) == expected


STACK = 1200
"""Bytes that no function on two shares takes, the source of masks included."""


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("past", [0, 1])
def test_no_function_takes_more_stack_than_it_is_to(past: int, variant: images.Variant) -> None:
    """With keys and blocks that are aligned to words, and that are not."""
    one = Chip(variant, 5)
    slicing, memory, out = (
        one.image.symbol(name) for name in ("tally_masked_cortex_m0", "key_memory", "key")
    )
    keys, pointers, blocks = one.keys + past, one.keys + 256, one.keys + 320 + past
    one.emulator.write(pointers, struct.pack("<2I", keys, keys + 128))
    rest = one.source, memory.address, memory.size, out.address
    for key_size, count in ((32, 2), (24, 1), (16, 2), (16, 1)):
        for name, key in (("key_init", keys), ("key_init_shares", pointers)):
            cost = one.call_public(name, slicing.address, key, key_size, count, *rest)
            assert one.emulator.registers()[0] == 0
            assert cost.random_words >= 256
            assert cost.stack < STACK
    (key,) = struct.unpack("<I", one.emulator.read(out.address, 4))
    for name, arguments in {
        "encrypt_once": [pointers, one.source, blocks, blocks],
        "encrypt_blocks": [key, one.source, blocks, 3, blocks],
        "decrypt_blocks": [key, one.source, blocks, 3, blocks],
        "encrypt_state": [key, one.source, one.state],
        "decrypt_state": [key, one.source, one.state],
    }.items():
        cost = one.call_public(name, *arguments)
        assert one.emulator.registers()[0] == 0
        assert cost.random_words >= 320
        assert cost.stack < STACK
    for blocks_of in (1, 2):
        for arguments in ([pointers, blocks_of, one.state], [one.state, blocks_of, pointers]):
            name = "slice" if arguments[0] == pointers else "unslice"
            assert one.call_public(name, slicing.address, *arguments).stack < STACK


# A source of masks that fails at a certain call: no instruction of it needs the stack.

FAILED = 9
CODE = struct.pack(
    "<8H",
    0x6803,  # ldr r3, [r0]
    0x3B01,  # subs r3, #1
    0x6003,  # str r3, [r0]
    0xD001,  # beq the last two
    0x2000,  # movs r0, #0
    0x4770,  # bx lr
    0x2000 | FAILED,  # movs r0, #9
    0x4770,  # bx lr
)


class Failing(Chip):
    """A chip whose source of masks fails."""

    def __init__(self, variant: images.Variant, seed: int = 1) -> None:
        super().__init__(variant, seed)
        code = chip.FLASH + chip.FLASH_SIZE - 64
        self.counter = self.source + 8
        self.emulator.write(code, CODE)
        self.emulator.write(self.source, struct.pack("<2I", code | 1, self.counter))

    def fail_at(self, call: int) -> None:
        """Fail at a call, counted from 1."""
        self.emulator.write(self.counter, struct.pack("<I", call))

    def calls_left(self) -> int:
        """How many calls there may still be."""
        return int.from_bytes(self.emulator.read(self.counter, 4), "little")


@pytest.mark.parametrize(
    ("name", "variant"), of_each(RANDOM, *images.ASSEMBLY[1:], *images.SHUFFLED[1:])
)
def test_a_source_that_fails_ends_the_function(name: str, variant: images.Variant) -> None:
    """A shuffled build asks it for an order first."""
    one, cycles = Failing(variant), []
    calls = ROUNDS + (variant.shuffle and name != "expand")
    for call in range(1, calls + 2):
        one.fail_at(call)
        left = one.call(PREFIX + name, *one.arguments(name))
        assert left.status == (FAILED if call <= calls else 0)
        assert one.calls_left() == (0 if call <= calls else 1)
        assert {number: left.registers[number] for number in KEPT} == KEPT
        assert [word for word in left.stack[:-9] if word] == []
        cycles.append(left.cost.cycles)
    assert cycles == sorted(set(cycles))


@pytest.mark.parametrize("variant", BY_CALLBACK)
@pytest.mark.parametrize("name", ["encrypt", "decrypt"])
def test_a_source_that_fails_leaves_no_state(name: str, variant: images.Variant) -> None:
    one = Failing(variant)
    key = key_of(one)
    for call in (1, 5, ROUNDS):
        one.emulator.write(one.state, bytes(range(64)))
        one.fail_at(call)
        left = one.call(f"tally_masked_{name}_state", key, one.source, one.state)
        assert (left.status, one.calls_left()) == (FAILED, 0)
        assert one.emulator.read(one.state, 64) == bytes(64)
    one.emulator.write(one.state, bytes(range(64)))
    one.fail_at(ROUNDS + 1)
    assert one.call(f"tally_masked_{name}_state", key, one.source, one.state).status == 0
    assert one.emulator.read(one.state, 64) != bytes(64)


@pytest.mark.parametrize("variant", BY_CALLBACK)
def test_a_source_that_fails_leaves_no_block(variant: images.Variant) -> None:
    """One call of the source is for the block's shares."""
    one = Failing(variant)
    block, pointers = one.state, one.state + 32
    one.emulator.write(pointers, struct.pack("<2I", one.keys, one.keys + 16))
    one.emulator.write(one.keys, KEY + bytes(16))
    for call in range(1, ROUNDS + 3):
        one.emulator.write(block, PLAIN[:16])
        one.fail_at(call)
        left = one.call("tally_masked_encrypt_once", pointers, one.source, block, block)
        ends_well = call == ROUNDS + 2
        assert left.status == (0 if ends_well else FAILED)
        expected = CIPHER[:16] if ends_well else bytes(16)
        assert one.emulator.read(block, 16) == expected


def key_of(one: Chip) -> int:
    """The key that a mailbox has set; by the emulated register."""
    board = Board(one.image)
    board.set_key(KEY, bytes(16))
    for symbol in ("key_memory", "key"):
        where = one.image.symbol(symbol)
        one.emulator.write(where.address, board.emulator.read(where.address, where.size))
    return int.from_bytes(board.emulator.read(one.image.symbol("key").address, 4), "little")


def blocks_of_128() -> Iterator[tuple[bytes, bytes, bytes]]:
    for case in vectors.load("aes_blocks"):
        key, plain, cipher = (
            bytes.fromhex(case[name]) for name in ("key", "plaintext", "ciphertext")
        )
        if len(key) == 16:
            for at in range(0, len(plain), 16):
                yield key, plain[at : at + 16], cipher[at : at + 16]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_block_and_its_key_by_mailbox(variant: images.Variant) -> None:
    board, source = Board(images.build(variant)), random.Random(4)  # noqa: S311
    some = list(blocks_of_128())
    assert len(some) > 4
    cycles = set()
    for key, plain, cipher in some:
        found, cost = board.crypt_once(key, source.randbytes(16), plain)
        assert found == cipher
        assert cost.random_words == 320 + 4
        cycles.add(cost.cycles)
    assert len(cycles) == 1
