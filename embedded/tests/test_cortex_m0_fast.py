# SPDX-License-Identifier: Apache-2.0
"""FAST with radix 10 in the firmware: results, memory, and what its key derivation leaks."""

import random
import struct

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from embedded.emulator import chip, fast, images, mailbox
from embedded.emulator.board import Board, BoardError
from embedded.emulator.elf import Image
from embedded.emulator.lanes import Machine
from embedded.emulator.mailbox import Command
from embedded.leakage import campaign, ttest
from embedded.leakage.campaign import Batch
from embedded.leakage.ttest import Moments, Points

import reference
import vectors
from cortex_m0_support import needs_gcc, variants

RADIX, LONGEST = 10, 20
KEY = bytes(range(16))
REDRAWN = bytes.fromhex("0000000000000000000000000001f5da")
"""A key whose pool for radix 10 repeats a draw, as one in a million does."""
SHARE = random.Random(1).randbytes(32)  # noqa: S311 (a simulation)
LENGTH_ERROR, SYMBOL_ERROR, ARGUMENT_ERROR = 33, 35, 1
CASES = [
    case
    for case in vectors.load("fast_words")
    if case["radix"] == RADIX and case["length"] <= LONGEST
]
SAFE = [pytest.param(images.SAFE, id="gcc", marks=needs_gcc), pytest.param(images.ZIG, id="zig")]


def board_with(key: bytes, variant: images.Variant = images.ZIG) -> Board:
    """A board with a key and its pool; nothing is counted."""
    board = Board(images.build(variant), counted=False)
    board.set_key(key, SHARE[: len(key)])
    board.draw_pool()
    return board


@pytest.mark.parametrize("variant", variants())
def test_words_are_those_of_the_vectors(variant: images.Variant) -> None:
    assert [case["length"] for case in CASES] == [8, 9, 10, 19, 2, 3]
    for case in CASES:
        board = board_with(bytes.fromhex(case["key"]), variant)
        board.draw_sequence(case["length"], bytes.fromhex(case["tweak"]))
        plain, cipher = bytes(case["plaintext"]), bytes(case["ciphertext"])
        assert board.crypt_word(plain)[0] == cipher
        assert board.crypt_word(cipher, decrypt=True)[0] == plain


@pytest.mark.parametrize("variant", SAFE)
def test_words_of_all_lengths_are_those_of_the_reference(variant: images.Variant) -> None:
    """Under tweaks of other sizes, two of which fill the last block of the CMAC."""
    source = random.Random(2)  # noqa: S311 (a simulation)
    board, model = board_with(KEY, variant), reference.Fast(KEY, RADIX)
    for length in range(2, LONGEST + 1):
        tweak = source.randbytes(length - 2)
        word = bytes(source.randrange(RADIX) for _ in range(length))
        board.draw_sequence(length, tweak)
        found = board.crypt_word(word)[0]
        assert list(found) == model.encrypt(list(word), tweak)
        assert board.crypt_word(found, decrypt=True)[0] == word


def _pool(board: Board, image: Image) -> list[bytes]:
    """The S-boxes as they lie in memory."""
    data = board.emulator.read(image.symbol("fast").address, 256 * RADIX)
    return [data[i : i + RADIX] for i in range(0, len(data), RADIX)]


def test_a_pool_has_s_boxes_and_their_inverses_and_repeats_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = images.build(images.ZIG)
    found = _pool(board_with(REDRAWN), image)
    assert [[byte & 15 for byte in sbox] for sbox in found] == reference.Fast(REDRAWN, RADIX).pool
    for sbox in found:
        assert all(sbox[byte & 15] >> 4 == x for x, byte in enumerate(sbox))

    def uniform(self: reference._Generator, bound: int) -> int:
        return int.from_bytes(self._stream.update(bytes(4)), "big") * bound >> 32

    monkeypatch.setattr(reference._Generator, "uniform", uniform)
    never = reference.Fast(REDRAWN, RADIX).pool
    assert [[byte & 15 for byte in sbox] for sbox in found] != never


def _sequence(board: Board) -> bytes:
    memory = board.emulator.image.symbol("fast").address
    return board.emulator.read(memory + 256 * RADIX, 37 * LONGEST)


def _refused(board: Board, command: Command, status: int, size: int = 0, count: int = 0) -> None:
    with pytest.raises(BoardError, match=f"{command.name} ended with status {status}$"):
        board.ask(command, size, count)


def test_what_is_wrong_is_refused() -> None:
    board = Board(images.build(images.ZIG), counted=False)
    _refused(board, Command.DRAW_POOL, ARGUMENT_ERROR)
    _refused(board, Command.DRAW_SEQUENCE, ARGUMENT_ERROR, count=16)
    board.set_key(KEY, bytes(16))
    board.draw_sequence(4, b"")
    _refused(board, Command.ENCRYPT_WORD, ARGUMENT_ERROR, count=4)  # no pool
    board.draw_pool()
    _refused(board, Command.ENCRYPT_WORD, ARGUMENT_ERROR, count=4)  # which wiped the sequence
    board.draw_sequence(4, bytes(mailbox.DATA))
    for word in (b"\x00\x0a\x00\x00", b"\xff\x00\x00\x00", b"\x00\x00\x00\x80"):
        for decrypt in (False, True):
            with pytest.raises(BoardError, match=f"status {SYMBOL_ERROR}$"):
                board.crypt_word(word, decrypt)
            box = board.emulator.image.symbol("mailbox").address
            assert board.emulator.read(box + mailbox.DATA_AT, 4) == word
    for length in (0, 2, 3, 5):
        _refused(board, Command.ENCRYPT_WORD, LENGTH_ERROR, count=length)
        _refused(board, Command.DECRYPT_WORD, LENGTH_ERROR, count=length)
    board.crypt_word(bytes(4))
    _refused(board, Command.DRAW_SEQUENCE, ARGUMENT_ERROR, mailbox.DATA + 1, 4)
    board.crypt_word(bytes(4))
    for length in (0, 1, LONGEST + 1, 1 << 31):
        _refused(board, Command.DRAW_SEQUENCE, LENGTH_ERROR, count=length)
        _refused(board, Command.ENCRYPT_WORD, ARGUMENT_ERROR, count=4)
        assert not any(_sequence(board))


@pytest.mark.parametrize("command", [Command.SET_KEY, Command.SELF_TEST])
def test_another_key_wipes_what_was_drawn(command: Command) -> None:
    board = board_with(KEY)
    board.draw_sequence(16, b"tweak")
    memory = board.emulator.image.symbol("fast")
    assert any(board.emulator.read(memory.address, memory.size))
    board.ask(command, 16)
    assert not any(board.emulator.read(memory.address, memory.size))
    _refused(board, Command.ENCRYPT_WORD, ARGUMENT_ERROR, count=16)


@pytest.mark.parametrize("command", [Command.DRAW_POOL, Command.DRAW_SEQUENCE])
def test_without_random_words_nothing_is_drawn(command: Command) -> None:
    board = board_with(KEY)
    board.draw_sequence(16, b"tweak")
    # The source becomes a function that returns 7: movs r0, #7; bx lr.
    function, source = 0xFF00, board.emulator.image.symbol("random_register").address
    board.emulator.write(function, bytes.fromhex("07207047"))
    board.emulator.write(source, struct.pack("<I", function | 1))
    _refused(board, command, 7, count=16)
    _refused(board, Command.ENCRYPT_WORD, ARGUMENT_ERROR, count=16)
    memory = board.emulator.image.symbol("fast").address
    if command is Command.DRAW_POOL:
        assert not any(board.emulator.read(memory, 256 * RADIX))
    assert not any(_sequence(board))


@pytest.mark.parametrize("variant", variants())
def test_the_stack_has_room_whatever_is_asked(variant: images.Variant) -> None:
    """The image has no more memory than the chip, and all of it is counted."""
    image = images.build(variant)
    board = Board(image, counted=False)
    start = image.symbol("bss_end").address
    size = chip.STACK_TOP - start
    assert size >= 2560
    board.emulator.write(start, b"\xa5" * size)
    board.ask(Command.SELF_TEST)
    board.set_key(KEY * 2, bytes(32))
    board.draw_pool()
    board.draw_sequence(LONGEST, bytes(mailbox.DATA))
    board.crypt_word(board.crypt_word(bytes(LONGEST))[0], decrypt=True)
    board.crypt(board.crypt(bytes(64))[0], decrypt=True)
    board.crypt_once(KEY, bytes(16), bytes(16))
    stack = board.emulator.read(start, size)
    untouched = size - len(stack.lstrip(b"\xa5"))
    assert 32 <= untouched < size


def _secrets() -> list[bytes]:
    """What is derived from KEY for a pool and a sequence, and the CMAC's subkeys."""
    p = reference.recommended(RADIX, 16)
    head = (b"instance1", reference._u32(RADIX), reference._u32(256))
    numbers = [reference._u32(x) for x in (p.length, p.layers, p.w, p.w_prime)]
    encoded = (
        reference._encode(*head, b"FPE Pool"),
        reference._encode(*head, b"instance2", *numbers, b"FPE SEQ", b"tweak", b"tweak"),
    )
    derived = [reference._cmac(KEY, reference._u32(half) + x) for x in encoded for half in range(2)]
    zero = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(bytes(16))  # noqa: S305
    doubled = [int.from_bytes(zero, "big") << i & (1 << 128) - 1 for i in range(3)]
    return [KEY, *derived, *(x.to_bytes(16, "big") for x in doubled)]


@pytest.mark.parametrize("variant", SAFE)
def test_no_key_is_left_in_memory(variant: images.Variant) -> None:
    board = board_with(KEY, variant)
    board.draw_sequence(16, b"tweak")
    memory = board.emulator.read(chip.RAM, chip.RAM_SIZE)
    assert b"tweak" in memory  # the mailbox has it
    for secret in (SHARE, *_secrets()):
        assert secret[:12] not in memory
        assert secret[4:] not in memory


@pytest.mark.parametrize("variant", SAFE)
def test_time_does_not_depend_on_keys_and_words(variant: images.Variant) -> None:
    source = random.Random(3)  # noqa: S311 (a simulation)
    costs: set[tuple[str, int]] = set()
    for _ in range(2):
        uncounted = board_with(source.randbytes(16), variant)
        uncounted.draw_sequence(16, source.randbytes(8))
        board = Board(images.build(variant), seed=source.getrandbits(32))
        memory = uncounted.emulator.read(chip.RAM, chip.RAM_SIZE)
        board.emulator.write(chip.RAM, memory)
        for decrypt in (False, True):
            word = bytes(source.randrange(RADIX) for _ in range(16))
            costs.add((f"decrypt={decrypt}", board.crypt_word(word, decrypt)[1].cycles))
        costs.add(("sequence", board.draw_sequence(2, source.randbytes(8)).cycles))
    assert len(costs) == 3


class _EndError(Exception):
    pass


def derivation(variant: images.Variant, traces: int, masks: bool = True) -> tuple[Points, Points]:
    """The moments of the derivation for a pool, half of which is from one key, in two runs."""
    image, rng, moments = images.build(variant), np.random.default_rng(1), Moments(traces, 2)
    batch = Batch(image, 2 * traces, rng, masks)
    key = [batch.random() for _ in range(4)]
    for word in key:
        fixed = word.reshape(2, 2, -1)[:, 0]
        fixed[:] = fixed[:, :1]
    batch.set_key(key)
    following = image.symbol("tally_masked_key_init_shares").address

    def watch(machine: Machine, address: int) -> None:
        if address == following:
            raise _EndError

    batch.machine.watch = watch
    words = campaign.as_words(mailbox.header(Command.DRAW_POOL))
    batch.machine.write_words(image.symbol("mailbox").address, words)
    with pytest.raises(_EndError):
        batch.machine.call("do_command", probe=moments, within="derive_shares")
    moments.end_batch()
    return moments.points(0), moments.points(1)


@pytest.mark.parametrize("variant", SAFE)
def test_the_derivation_of_keys_does_not_leak(variant: images.Variant) -> None:
    """Neither values nor changes: what compilers make of derive.c, and the AES that it calls."""
    image = images.build(variant)
    one, two = derivation(variant, 2000)
    found = one.addresses[ttest.above(one, two)]
    assert [image.place(at) for at in found] == []
    one, two = derivation(variant, 200, masks=False)
    found = one.addresses[ttest.above(one, two)]
    names = {image.place(at).partition("+")[0].partition(".")[0] for at in found}
    assert {"add_share", "double_share"} <= names


def test_the_table_of_costs() -> None:
    of = fast.costs(images.ZIG)
    text = fast.of_costs({"clang": of})
    assert [name.partition(",")[0] for name in of] == [
        *("pool", "sequence", "a word of 16 digits", "such a word"),
    ]
    assert of["pool"].random_words == 320 * (2 + 4 + 288) + 8 * (2 + 288)
    for name, cost in of.items():
        assert f"| clang: {name} | {cost.cycles:,} | {cost.stack:,} |" in text


def test_the_page_has_the_memory_of_the_image() -> None:
    image = images.build(images.ZIG)
    board = Board(image)
    tested = board.ask(Command.SELF_TEST)[0].stack
    key = board.set_key(KEY * 2, bytes(32)).stack
    most = max(board.draw_pool().stack, board.draw_sequence(LONGEST, bytes(mailbox.DATA)).stack)
    available = chip.STACK_TOP - image.symbol("bss_end").address
    page = (images.ROOT / "docs" / "reference" / "masked-aes.md").read_text("utf-8")
    assert (
        f"at most {most:,} for pool or sequence; {key:,} to set a key of 32 bytes; "
        f"{tested:,} for the self-test; available | {available:,} |"
    ) in page
