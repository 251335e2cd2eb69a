# SPDX-License-Identifier: Apache-2.0
"""The project for an STM32L0 in the emulator: its size, its result, and its random number generator
with its delays, its time-outs and its errors."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC
from embedded.emulator import elf, images, stm32l0
from embedded.emulator.stm32l0 import CECS, CEIS, SECS, SEIS, Board, Rng

from cortex_m0_support import needs_gcc

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
ENTROPY, ARGUMENT = 2, 1
STARTUP = 1024
BUILDS = [
    pytest.param(("gcc", "-Os", "none"), id="gcc", marks=needs_gcc),
    pytest.param(
        ("gcc", "-Os", "newlib"),
        id="newlib",
        marks=pytest.mark.skipif(
            not stm32l0.has_newlib(), reason="libnewlib-arm-none-eabi is not installed"
        ),
    ),
    pytest.param(("zig", "-Os", "none"), id="zig"),
]


def rng(**options: object) -> Rng:
    source = random.Random(5)  # noqa: S311 (a simulation)
    return Rng(lambda: source.getrandbits(32), **options)  # type: ignore[arg-type]


def encrypted(block: bytes) -> bytes:
    return Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(block)  # noqa: S305


def counter_mode(state: bytes, size: int) -> bytes:
    """Encrypt the last 16 bytes of a state, XOR 1, 2 and so on, under the first ones."""
    counter = int.from_bytes(state[16:], "big")
    blocks = b"".join((counter ^ i).to_bytes(16, "big") for i in range(1, size // 16 + 1))
    return Cipher(algorithms.AES(state[:16]), modes.ECB()).encryptor().update(blocks)  # noqa: S305


def cmac(message: bytes) -> bytes:
    tag = CMAC(algorithms.AES(KEY))
    tag.update(message)
    return tag.finalize()


@pytest.mark.parametrize("of", BUILDS)
def test_it_computes_tags_and_is_small(of: tuple[str, str, str]) -> None:
    image = stm32l0.build(*of)
    flash, ram = stm32l0.memory(image)
    assert flash <= (12 << 10) + (2 << 10) * (of[0] == "zig")
    assert ram <= 1 << 10  # without the stack
    board = Board(image, rng())
    assert board.start()[0] == 0
    key = image.symbol("stored_key").address
    stored = board.emulator.read(key, 32)
    assert bytes(a ^ b for a, b in zip(stored[:16], stored[16:], strict=True)) == KEY
    assert stored[:4] != bytes.fromhex("8f1d5a77")  # refreshed
    for message in (b"", bytes(16), bytes(range(40))):
        status, tag, _, stack = board.cmac(message)
        assert (status, tag) == (0, cmac(message))
        assert ram + stack < 1900
    assert board.rng.early == 0


@pytest.mark.parametrize("of", BUILDS[::2])
def test_a_secret_order_takes_a_word_and_no_memory(of: tuple[str, str, str]) -> None:
    plain, shuffled = (stm32l0.build(*of, shuffle=shuffle) for shuffle in (False, True))
    (less, ram), (flash, same) = stm32l0.memory(plain), stm32l0.memory(shuffled)
    assert same == ram
    assert 0 < flash - less < 1 << 10
    costs = []
    for image in (plain, shuffled):
        board = Board(image, rng())
        assert board.start()[0] == 0
        before = board.rng.words
        status, tag, _, stack = board.cmac(bytes(16))  # a subkey, and a block
        assert (status, tag) == (0, cmac(bytes(16)))
        costs.append((board.rng.words - before, stack))
    (words, stack), (more, other) = costs
    assert (more, other) == (words + 2, stack)


@pytest.mark.parametrize("of", BUILDS)
def test_one_block_takes_a_kilobyte_with_the_stack(of: tuple[str, str, str]) -> None:
    image = stm32l0.build(*of, program="block")
    flash, ram = stm32l0.memory(image)
    assert flash <= 12 << 10
    board = Board(image, rng())
    start, masks, block = (job for job in stm32l0.JOBS if job.program == "block")
    stacks = [start.cost(board)[1]]
    assert masks.cost(board)[2] == 32
    for plaintext in (bytes(16), bytes(range(16))):  # the second one has other shares of the key
        job = stm32l0.Job("block", "", block.function, plaintext)
        _, stack, words = job.cost(board)
        stacks.append(stack)
        assert words == 328
        assert board.result() == (0, encrypted(plaintext))
    assert ram + max(stacks) <= 1 << 10
    assert board.rng.early == 0


@needs_gcc
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
@pytest.mark.parametrize("shuffle", [False, True], ids=["in order", "shuffled"])
def test_the_image_of_cmake(tmp_path: Path, shuffle: bool) -> None:
    project = images.ROOT / "embedded" / "stm32l0"
    for command in (
        (
            *("-S", project, "-B", tmp_path, "-DCMAKE_TOOLCHAIN_FILE=toolchain.cmake"),
            *("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DTALLY_MASKED_SHUFFLE={shuffle}"),
        ),
        ("--build", tmp_path, "--target", "block.elf"),
    ):
        subprocess.run(["cmake", *command], check=True)
    image = elf.read(tmp_path / "block.elf")
    by_make = stm32l0.build(program="block", shuffle=shuffle)
    flash, ram = stm32l0.memory(image)
    assert (flash <= 12 << 10, ram) == (True, stm32l0.memory(by_make)[1])
    assert ("turn" in image.symbols) == shuffle
    board = Board(image, rng())
    for job in stm32l0.JOBS:
        if job.program == "block" and job.context is None:
            job.cost(board)
    assert board.result() == (0, encrypted(bytes(16)))
    compiled = json.loads((tmp_path / "compile_commands.json").read_text())
    assert all(
        flag in one["command"].split()
        for one in compiled
        for flag in ("-Os", "-std=gnu11", "-Wall", "-Wconversion", "-Werror")
    )


@needs_gcc
@pytest.mark.parametrize("after", [0, 40, STARTUP + 3, STARTUP + 100, STARTUP + 327])
def test_one_block_under_an_error_of_the_generator(after: int) -> None:
    image = stm32l0.build(program="block")
    board = Board(image, rng(fault=SECS, fault_at=after))
    start, _, block = (job for job in stm32l0.JOBS if job.program == "block")
    start.cost(board)
    block.cost(board)
    assert board.result() == (ENTROPY, bytes(16))
    stored = board.emulator.read(image.symbol("stored_key").address, 32)
    assert bytes(a ^ b for a, b in zip(stored[:16], stored[16:], strict=True)) == KEY  # not lost
    board.rng.fault_at, board.rng.fault = -1, 0
    start.cost(board)
    block.cost(board)
    assert board.result() == (0, encrypted(bytes(16)))


@pytest.mark.parametrize("of", [BUILDS[0], BUILDS[2]])
def test_random_bytes_are_those_of_a_plain_model(of: tuple[str, str, str]) -> None:
    """Of key and counter, which are joined here, in AES in counter mode."""
    image = stm32l0.build(*of, program="random")
    assert stm32l0.memory(image)[0] <= 12 << 10
    board = Board(image, rng())
    start, bytes_of, seed = (job for job in stm32l0.JOBS if job.program == "random")
    assert start.cost(board)[2] == STARTUP + 1336
    generator = image.symbol("generator").address
    seen = set()
    for job in (bytes_of, bytes_of, seed, bytes_of):
        # After the source: two shares of key and counter.
        state = board.emulator.read(generator + 8, 64)
        joined = bytes(a ^ b for a, b in zip(state[:32], state[32:], strict=True))
        job.cost(board)
        status, result = board.result(stm32l0.BUFFER)
        assert status == 0
        if job is bytes_of:
            assert result == counter_mode(joined, stm32l0.BUFFER)
            assert result not in seen
            seen.add(result)


@needs_gcc
def test_the_table_of_costs() -> None:
    """Each figure of it is one that the emulator gives, and the bytes of RAM are all there."""
    text = stm32l0.of_costs()
    image = stm32l0.build()
    board = Board(image, rng(delay=stm32l0.DELAY))
    cycles, stack, words = board.cost("job_start")
    assert f" {cycles:,} | {words:,} | {stack:,} |\n" in text
    flash, ram = stm32l0.memory(image)
    assert f"| gcc, cmac | {flash:,} | {ram:,} | " in text
    assert words == STARTUP + 4 + 320
    (block,) = (line for line in text.splitlines() if line.startswith("| gcc, block | "))
    total = block.split(" | ")[-1].removesuffix(" |")
    assert f"| in all |  | {total} |" in text
    page = (images.ROOT / "embedded" / "README.md").read_text()
    assert f"**{total}**" in page


@needs_gcc
def test_words_that_come_slowly_are_waited_for() -> None:
    image = stm32l0.build()
    costs = []
    for delay in (0, 27, 400):
        board = Board(image, rng(delay=delay))
        assert board.start()[0] == 0
        words = board.rng.words
        status, tag, cycles, _ = board.cmac(b"slow")
        assert (status, tag, board.rng.early) == (0, cmac(b"slow"), 0)
        costs.append((cycles, board.rng.words - words))
    assert len({words for _, words in costs}) == 1
    assert costs[0][0] <= costs[1][0] < costs[2][0]
    assert costs[2][0] > 400 * costs[2][1]


@needs_gcc
def test_a_word_or_a_clock_that_never_comes_ends_the_start() -> None:
    image = stm32l0.build()
    for options in ({"delay": 1 << 40}, {"clock_starts": False}):
        board = Board(image, rng(**options))
        status, cycles = board.start()
        assert status == ENTROPY
        assert cycles < 200_000
        assert board.cmac(b"")[:2] == (ARGUMENT, bytes(16))
        assert (board.rng.words, board.rng.early) == (0, 0)


@needs_gcc
@pytest.mark.parametrize("fault", [CECS, SECS, CEIS, SEIS, CECS | SECS])
@pytest.mark.parametrize("after", [0, 40, STARTUP + 100, STARTUP + 500, STARTUP + 1000])
def test_an_error_of_the_generator_ends_the_operation(fault: int, after: int) -> None:
    board = Board(stm32l0.build(), rng(fault=fault, fault_at=after))
    status, _ = board.start()
    if after < STARTUP + 328:
        assert status == ENTROPY
        # No key is left, nor a part of its round keys.
        memory = board.emulator.image.symbol("key_memory")
        assert board.emulator.read(memory.address, memory.size) == bytes(memory.size)
    else:
        assert status == 0
        status, tag, _, _ = board.cmac(b"text")
        assert (status, tag) == (ENTROPY, bytes(16))
        # It fails until the generator is started again.
        assert board.cmac(b"text")[:2] == (ENTROPY, bytes(16))
    board.rng.fault_at, board.rng.fault = -1, 0
    assert board.start()[0] == 0
    assert board.cmac(b"text")[:2] == (0, cmac(b"text"))


@needs_gcc
@pytest.mark.parametrize("stuck", [lambda _: 7, lambda word: word | 1, lambda word: word % 16 + 1])
def test_a_generator_that_is_stuck_is_found_at_the_start(stuck: object) -> None:
    source = random.Random(6)  # noqa: S311 (a simulation)
    board = Board(stm32l0.build(), Rng(lambda: stuck(source.getrandbits(32))))  # type: ignore[operator]
    assert board.start()[0] == ENTROPY
    assert board.rng.words <= STARTUP


SHUFFLE = ["-DTALLY_SLICE_BITS=32", "-DTALLY_MASKED_SMALL", "-DTALLY_MASKED_SHUFFLE"]


@needs_gcc
def test_forgotten_macros_are_errors() -> None:
    """An image with all words would take 90 KB; masks must be fresh; C has one order."""
    core = images.ROOT / "core"
    for options, message in (
        ([], "TALLY_SLICE_BITS"),
        (["-DTALLY_MASKED_SMALL"], "TALLY_SLICE_BITS"),
        (["-DTALLY_SLICE_BITS=32", "-DTALLY_RANDOM_REGISTER=0x40000000"], "TALLY_RANDOM_WAITS"),
        (["-DTALLY_SLICE_BITS=32", "-DTALLY_MASKED_SHUFFLE"], "define TALLY_MASKED_SMALL"),
        ([*SHUFFLE, "-DTALLY_MASKED_PORTABLE"], "not TALLY_MASKED_PORTABLE"),
    ):
        done = subprocess.run(
            [
                *(images.GCC, "-mcpu=cortex-m0plus", "-mthumb", "-ffreestanding", *options),
                *(f"-I{core}", f"-I{core / 'include'}", f"-I{images.FIRMWARE / 'include'}"),
                *("-fsyntax-only", str(core / "masked" / "masked.c")),
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode != 0
        assert message in done.stderr
