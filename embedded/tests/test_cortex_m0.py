# SPDX-License-Identifier: Apache-2.0
"""The emulated Cortex-M0+: its cycles, beside sums made by hand; and the firmware on it."""

import random
from contextlib import nullcontext
from pathlib import Path

import pytest
from embedded.emulator import chip, elf, images, mailbox, thumb
from embedded.emulator.board import Board, BoardError
from embedded.emulator.emulator import Emulator
from embedded.emulator.mailbox import Command

import vectors
from cortex_m0_support import FIRMWARE, assemble, needs_gcc, variants

AES = vectors.load("aes_blocks")

# Programs, and the sum of what their instructions take according to the manual's table.
SEQUENCES = {
    "return": ("bx lr", 2),
    "arithmetic": ("movs r0, #1\n adds r0, #2\n eors r0, r0\n muls r0, r0\n nop\n bx lr", 5 + 2),
    "delay loop": ("movs r0, #10\n 1: subs r0, #1\n bne 1b\n bx lr", 1 + 9 * 3 + 2 + 2),
    "branch not taken": ("movs r0, #0\n bne 1f\n nop\n 1: bx lr", 1 + 1 + 1 + 2),
    "branch always": ("b 1f\n nop\n 1: bx lr", 2 + 2),
    "load and store": (
        "sub sp, #8\n str r0, [sp]\n ldr r1, [sp]\n add sp, #8\n bx lr",
        1 + 2 + 2 + 1 + 2,
    ),
    "bytes and halves": (
        "sub sp, #8\n mov r1, sp\n strb r0, [r1]\n ldrh r0, [r1]\n movs r2, #0\n"
        "ldrsb r0, [r1, r2]\n add sp, #8\n bx lr",
        1 + 1 + 2 + 2 + 1 + 2 + 1 + 2,
    ),
    "constant": ("ldr r0, =0x12345678\n bx lr\n .ltorg", 2 + 2),
    "push and pop": ("push {r4, r5, lr}\n pop {r4, r5, pc}", (1 + 3) + (3 + 3)),
    "pop without pc": ("push {r4, r5}\n pop {r4, r5}\n bx lr", (1 + 2) + (1 + 2) + 2),
    "multiple": (
        "sub sp, #16\n mov r0, sp\n stmia r0!, {r1, r2, r3}\n mov r0, sp\n ldmia r0!, {r1, r2}\n"
        "add sp, #16\n bx lr",
        2 + 4 + 1 + 3 + 1 + 2,
    ),
    "call": (
        "push {lr}\n bl inner\n pop {pc}\n .thumb_func\n .type inner, %function\n inner: bx lr",
        (1 + 1) + 3 + 2 + (3 + 1),
    ),
    "call of a register": (
        "push {lr}\n adr r0, 1f\n adds r0, #1\n blx r0\n pop {pc}\n .align 2\n 1: bx lr",
        2 + 1 + 1 + 2 + 2 + 4,
    ),
    "high registers": ("mov r8, r0\n add r8, r1\n mov r0, r8\n mov pc, lr", 3 + 2),
    "interrupts": ("mrs r0, primask\n cpsid i\n msr primask, r0\n bx lr", 3 + 1 + 3 + 2),
    "barrier": ("dsb\n isb\n bx lr", 3 + 3 + 2),
}  # fmt: skip


def emulator(image: elf.Image, seed: int = 1) -> Emulator:
    source = random.Random(seed)  # noqa: S311 (a simulation)
    return Emulator(image, iter(lambda: source.getrandbits(32), -1))


@needs_gcc
@pytest.mark.parametrize(("text", "cycles"), SEQUENCES.values(), ids=SEQUENCES)
def test_cycles_of_known_sequences(text: str, cycles: int, tmp_path: Path) -> None:
    assert emulator(assemble(text, tmp_path)).call("program").cycles == cycles


@needs_gcc
def test_stack_and_random_words_are_counted(tmp_path: Path) -> None:
    text = """push {r4, lr}
        sub sp, #24
        ldr r0, =0x40000000
        ldr r1, [r0]
        ldr r2, [r0]
        add sp, #24
        pop {r4, pc}
        .ltorg"""
    image = assemble(text, tmp_path)
    cost = emulator(image).call("program")
    assert (cost.stack, cost.random_words, cost.instructions) == (8 + 24, 2, 7)
    assert cost.code(image) == image.symbol("program").size == 7 * 2 + 2 + 4


@needs_gcc
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("movs r0, #1\n lsls r0, #28\n str r0, [r0]", "program\\+0x4: .*write"),
        ("ldr r0, =0x40000000\n str r0, [r0]\n bx lr\n .ltorg", "random register was written"),
        ("1: b 1b", "after 1000 instructions"),
    ],
)
def test_errors_of_a_program_are_reported(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(chip.ChipError, match=message):
        emulator(assemble(text, tmp_path)).call("program", limit=1000)


def test_halfwords_that_are_no_instructions() -> None:
    for first, second in ((0xDE00, 0), (0xE800, 0), (0xF000, 0x8000), (0xBF30, 0), (0xB100, 0)):
        with pytest.raises(thumb.DecodingError, match=f"{first:#06x}"):
            thumb.decode(first, second, 0)


def test_files_that_are_no_images(tmp_path: Path) -> None:
    bad = tmp_path / "bad.elf"
    bad.write_bytes(b"no")
    with pytest.raises(elf.ImageError, match=r"bad\.elf is not a 32-bit"):
        elf.read(bad)
    bad.write_bytes(b"\x7fELF\x01\x01".ljust(18, b"\0") + (62).to_bytes(2, "little") + bytes(40))
    with pytest.raises(elf.ImageError, match="machine 62"):
        elf.read(bad)


@pytest.mark.parametrize("variant", variants())
def test_firmware_passes_its_own_vectors(variant: images.Variant) -> None:
    cost, count, passed = Board(images.build(variant)).ask(Command.SELF_TEST)
    assert passed == count == len(AES)
    assert cost.random_words > 0


@pytest.mark.parametrize("variant", variants())
def test_firmware_agrees_with_the_vectors_by_mailbox(variant: images.Variant) -> None:
    board = Board(images.build(variant), seed=7)
    source = random.Random(2)  # noqa: S311 (a simulation)
    for case in AES:
        key, plain, cipher = (
            bytes.fromhex(case[name]) for name in ("key", "plaintext", "ciphertext")
        )
        board.set_key(key, source.randbytes(len(key)))
        assert board.crypt(plain)[0] == cipher
        assert board.crypt(cipher, decrypt=True)[0] == plain
        some = plain[:32]
        board.slice(some, source.randbytes(len(some)))
        board.ask(Command.ENCRYPT_STATE)
        assert board.unslice(len(some) // 16) == cipher[:32]
        board.ask(Command.DECRYPT_STATE)
        assert board.unslice(len(some) // 16) == some


def test_firmware_refuses_what_is_wrong() -> None:
    board = Board(images.build(images.ZIG))
    for command, key_size, count in (
        (Command.ENCRYPT_STATE, 0, 0),  # no key yet
        (Command.SET_KEY, 17, 0),
        (Command.SLICE, 0, 3),
        (Command.ENCRYPT_BLOCKS, 0, 5),
    ):
        with pytest.raises(BoardError, match=f"{command.name} ended with status"):
            board.ask(command, key_size, count)


@pytest.mark.parametrize("variant", variants())
def test_the_mailbox_keeps_no_key(variant: images.Variant) -> None:
    board = Board(images.build(variant))
    at = board.emulator.image.symbol("mailbox").address + mailbox.KEY_AT
    for key_size in (16, 24, 32, 17):
        board.emulator.write(at, bytes(range(1, 2 * mailbox.KEY + 1)))
        with nullcontext() if key_size != 17 else pytest.raises(BoardError):
            board.ask(Command.SET_KEY, key_size)
        assert board.emulator.read(at, 2 * mailbox.KEY) == bytes(2 * mailbox.KEY)
    board.crypt_once(bytes(range(1, 17)), bytes(16), bytes(16))
    assert board.emulator.read(at, 2 * mailbox.KEY) == bytes(2 * mailbox.KEY)


MOVES = """push {r4, lr}
 bl memmove
 pop {r4, pc}"""


@needs_gcc
@pytest.mark.parametrize(
    ("to", "from_"), [(0, 4), (0, 1), (4, 0), (1, 0), (0, 48), (3, 40), (8, 8)]
)
def test_memory_is_moved(to: int, from_: int, tmp_path: Path) -> None:
    """Over itself, by words and by bytes."""
    image = assemble(MOVES, tmp_path, FIRMWARE / "memory.c")
    at, data = chip.RAM + 0x400, bytes(range(96))
    for size in (0, 1, 16, 37):
        chip_ = emulator(image)
        chip_.write(at, data)
        chip_.call("program", at + to, at + from_, size)
        assert chip_.registers()[0] == at + to
        expected = bytearray(data)
        expected[to : to + size] = data[from_ : from_ + size]
        assert chip_.read(at, 96) == expected


@pytest.mark.parametrize("variant", variants())
def test_time_does_not_depend_on_values(variant: images.Variant) -> None:
    board = Board(images.build(variant))
    source = random.Random(3)  # noqa: S311 (a simulation)
    costs = set()
    for _ in range(3):
        key = board.set_key(source.randbytes(16), source.randbytes(16))
        _, blocks = board.crypt(source.randbytes(32))
        costs.add((key.cycles, key.random_words, blocks.cycles, blocks.random_words))
    assert len(costs) == 1
    assert costs.pop()[1::2] == (320, 320 + 8)
