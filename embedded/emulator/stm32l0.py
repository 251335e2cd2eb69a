# SPDX-License-Identifier: Apache-2.0
"""An STM32L0: the registers that its random number generator needs, with its delay and its faults.

Addresses and bits are those of ST's RM0376, as in embedded/stm32l0/registers.h, but written down
anew.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from . import chip, elf, thumb
from .emulator import Device, Emulator
from .images import BUILD, GCC, ROOT, BuildError
from .tables import table

FLASH = 0x0800_0000
SYSCFG, RCC, RNG = 0x4001_0000, 0x4002_1000, 0x4002_5000

CFGR3 = 0x20
CRRCR, AHBENR, APB2ENR, CCIPR = 0x08, 0x30, 0x34, 0x4C
CR, SR, DR = 0x00, 0x04, 0x08
DRDY, CECS, SECS, CEIS, SEIS = 1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 6

DELAY = 27
"""Cycles for a word: 40 periods of 48 MHz, for a core at 32 MHz."""


@dataclass
class Rng:
    """The random number generator and its clock.

    Attributes
    ----------
    word
        Gives the next random word.
    delay
        Cycles from a word that is read, or from the start, to the next one.
    clock_starts
        Whether the oscillator of 48 MHz ever gets ready.
    fault_at
        The number of words after which `fault` comes; none if it is negative.
    fault
        Bits of the status register: CECS or SECS, and no word comes any more. CEIS or SEIS alone:
        an error that was over before anybody looked.
    early
        Reads of the data register when there was no word. They give 0.
    """

    word: Callable[[], int]
    delay: int = DELAY
    clock_starts: bool = True
    fault_at: int = -1
    fault: int = 0
    words: int = 0
    early: int = 0
    _registers: dict[int, int] = field(default_factory=dict)
    _latched: int = 0
    _since: int = 0

    def devices(self) -> list[Device]:
        """Return the pages of memory that it answers for."""
        return [self._device(base) for base in (SYSCFG, RCC, RNG)]

    def _device(self, base: int) -> Device:
        def read(offset: int, now: int) -> int:
            return self.read(base + offset, now)

        def write(offset: int, value: int, now: int) -> None:
            self.write(base + offset, value, now)

        return Device(base, read, write)

    def read(self, at: int, now: int) -> int:
        """Return a register, `now` cycles after the chip was switched on."""
        if at == RCC + CRRCR:
            value = self._registers.get(at, 0)
            wanted = self._registers.get(SYSCFG + CFGR3, 0) & 1 << 13
            return value | (value & 1 and wanted and self.clock_starts and 2)
        if at == RNG + SR:
            self._fail()
            return self._latched | self._now() | (DRDY if self._is_ready(now) else 0)
        if at == RNG + DR:
            if not self._is_ready(now):
                self.early += 1
                return 0
            self.words += 1
            self._since = now
            return self.word()
        return self._registers.get(at, 0)

    def write(self, at: int, value: int, now: int) -> None:
        """Set a register."""
        if at == RNG + SR:
            self._latched &= value  # rc_w0
            return
        if at == RNG + CR and value & 4 and not self._registers.get(at, 0) & 4:
            self._since = now
        self._registers[at] = value

    def _runs(self) -> bool:
        clock = self._registers.get(RCC + CRRCR, 0) & 1 and self.clock_starts
        selected = self._registers.get(RCC + CCIPR, 0) & 1 << 26
        enabled = self._registers.get(RCC + AHBENR, 0) & 1 << 20
        return bool(clock and selected and enabled and self._registers.get(RNG + CR, 0) & 4)

    def _now(self) -> int:
        failed = 0 <= self.fault_at <= self.words
        return self.fault & (CECS | SECS) if failed else 0

    def _fail(self) -> None:
        if 0 <= self.fault_at <= self.words:
            self._latched |= self.fault & (CEIS | SEIS) | self._now() << 4
            if not self._now():
                self.fault_at = -1

    def _is_ready(self, now: int) -> bool:
        return self._runs() and not self._now() and now - self._since >= self.delay


def build(
    compiler: str = "gcc",
    optimize: str = "-Os",
    libc: str = "none",
    program: str = "cmac",
    *,
    shuffle: bool = False,
) -> elf.Image:
    """Build an example of embedded/stm32l0, and read it.

    Raises
    ------
    BuildError
        The compiler is missing or failed.
    """
    command = [
        *("make", "--silent", "-C", str(ROOT / "embedded" / "stm32l0")),
        *(f"COMPILER={compiler}", f"OPT={optimize}", f"LIBC={libc}", f"PROGRAM={program}"),
        f"SHUFFLE={'1' * shuffle}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{done.stderr}")
    name = f"{compiler}{optimize}-{libc}{'-shuffle' * shuffle}"
    return elf.read(BUILD / "stm32l0" / name / f"{program}.elf")


def has_newlib() -> bool:
    """Return whether newlib-nano for Arm is installed."""
    if shutil.which(GCC) is None:
        return False
    done = subprocess.run(
        [GCC, "-print-file-name=nano.specs"], capture_output=True, text=True, check=True
    )
    return done.stdout.strip() != "nano.specs"


class Board:
    """A chip that has been switched on, up to `main`."""

    def __init__(self, image: elf.Image, rng: Rng) -> None:
        self.rng = rng
        self.emulator = Emulator(image, iter([]), flash=FLASH, devices=rng.devices())
        self.emulator.reset("main")

    def start(self) -> tuple[int, int]:
        """Start generator and key; return status and cycles."""
        cycles = self.emulator.call("job_start").cycles
        return self._word("status"), cycles

    def cmac(self, message: bytes) -> tuple[int, bytes, int, int]:
        """Return status, tag, cycles and bytes of stack."""
        at = self.emulator.image.symbol("end").address
        self.emulator.write(at, message)
        cost = self.emulator.call("job_cmac", at, len(message))
        return *self.result(), cost.cycles, cost.stack

    def result(self, size: int = 16) -> tuple[int, bytes]:
        """Return status and result of the last job."""
        at = self.emulator.image.symbol("result").address
        return self._word("status"), self.emulator.read(at, size)

    def cost(self, name: str, *arguments: int) -> tuple[int, int, int]:
        """Return cycles, bytes of stack and words of the generator that a job takes."""
        words = self.rng.words
        cost = self.emulator.call(name, *arguments)
        return cost.cycles, cost.stack, self.rng.words - words

    def _word(self, name: str) -> int:
        at = self.emulator.image.symbol(name).address
        return int.from_bytes(self.emulator.read(at, 4), "little")


@dataclass(frozen=True, slots=True)
class Job:
    """A function of an example, and its arguments: a number, or bytes that are put into memory.

    With a `context`, an object of the image, it is a tally_mask_fill of a number of bytes.
    """

    program: str
    title: str
    function: str
    argument: int | bytes | None = None
    context: str | None = None

    def cost(self, board: Board) -> tuple[int, int, int]:
        """Do it; return cycles, bytes of stack and words of the generator."""
        if self.argument is None:
            return board.cost(self.function)
        at = board.emulator.image.symbol("end").address
        if isinstance(self.argument, int):
            own = board.emulator.image.symbol(self.context).address if self.context else None
            arguments = (self.argument,) if own is None else (own, at, self.argument)
            return board.cost(self.function, *arguments)
        board.emulator.write(at, self.argument)
        return board.cost(self.function, at, len(self.argument))


PROGRAMS = ("cmac", "block", "random")
BUFFER = 64
JOBS = (
    Job("cmac", "start: start-up test, key", "job_start"),
    Job("cmac", "CMAC of 16 bytes", "job_cmac", bytes(16)),
    Job("cmac", "CMAC of 64 bytes", "job_cmac", bytes(64)),
    Job("block", "start: start-up test", "job_start"),
    Job("block", "32 masks, as for an S-box", "tally_noise_fill", 128, "rng_noise"),
    Job("block", "a block, its key refreshed", "job_block", bytes(16)),
    Job("random", "start: start-up test, first seed", "job_start"),
    Job("random", f"{BUFFER} random bytes", "job_random", BUFFER),
    Job("random", "another seed", "job_reseed"),
)
"""What the examples do."""


def memory(image: elf.Image) -> tuple[int, int]:
    """Return bytes of flash, and of RAM without the stack."""
    flash = sum(len(segment.data) for segment in image.segments)
    return flash, image.symbol("bss_end").address - 0x2000_0000


def _words() -> Iterator[int]:
    source = random.Random(5)  # noqa: S311 (a simulation)
    while True:
        yield source.getrandbits(32)


def objects(image: elf.Image) -> list[tuple[str, int]]:
    """Return the objects in RAM and their bytes, and what alignment takes."""
    end = image.symbol("bss_end").address
    found = [
        (symbol.name, symbol.size)
        for symbol in sorted(image.symbols.values(), key=lambda symbol: symbol.address)
        if 0x2000_0000 <= symbol.address < end and symbol.size
    ]
    return [*found, ("alignment", end - 0x2000_0000 - sum(size for _, size in found))]


def frames(job: Job, board: Board) -> list[tuple[str, int]]:
    """Do a job, and return the functions that have the stack where it is deepest, with bytes."""
    entries = {symbol.address: symbol.name for symbol in board.emulator.image.functions()}
    top = chip.STACK_TOP
    stack: list[tuple[str, int]] = []
    deepest: tuple[int, list[tuple[str, int]]] = (top, [])

    def watch(emulator: Emulator, address: int) -> None:
        nonlocal deepest
        now = emulator.registers()[thumb.SP]
        while stack and (stack[-1][1] < now or (address in entries and stack[-1][1] == now)):
            stack.pop()
        if address in entries:
            stack.append((entries[address], now))
        if now < deepest[0]:
            deepest = now, list(stack)

    board.emulator.watch = watch
    job.cost(board)
    board.emulator.watch = None
    ends = [*(at for _, at in deepest[1][1:]), deepest[0]]
    return [(name, at - end) for (name, at), end in zip(deepest[1], ends, strict=True)]


def _of_block() -> str:
    """Return the table of all bytes of RAM that the smallest example takes."""
    image = build(program="block")
    board = Board(image, Rng(_words().__next__))
    start, _, block = (job for job in JOBS if job.program == "block")
    start.cost(board)
    parts = [
        ("memory", [one for one in objects(image) if one[1]]),
        ("stack", [one for one in frames(block, board) if one[1]]),
    ]
    rows = [(kind, f"`{name}`", f"{size:,}") for kind, own in parts for name, size in own]
    total = sum(size for _, own in parts for _, size in own)
    return table(("example `block`, gcc", "of", "bytes"), [*rows, ("in all", "", f"{total:,}")])


def of_costs() -> str:
    """Return tables of the examples: masks that are waited for and tested, and memory."""
    rows: list[tuple[str, ...]] = []
    sizes: list[tuple[str, ...]] = []
    for name, compiler in (("gcc", "gcc"), ("clang", "zig")):
        for program in PROGRAMS:
            image = build(compiler, program=program)
            boards = [Board(image, Rng(_words().__next__, delay)) for delay in (0, DELAY)]
            deepest = 0
            for job in JOBS:
                if job.program != program:
                    continue
                (at_once, _, _), (cycles, stack, words) = (job.cost(board) for board in boards)
                cells = (f"{figure:,}" for figure in (at_once, cycles, words, stack))
                rows.append((f"{name}, {program}: {job.title}", *cells))
                deepest = max(deepest, stack)
            flash, ram = memory(image)
            cells = (f"{figure:,}" for figure in (flash, ram, deepest, ram + deepest))
            sizes.append((f"{name}, {program}", *cells))
    head = ("STM32L0 project, -Os", "words at once", f"a word in {DELAY} cycles")
    return "\n".join([
        table((*head, "words", "stack, bytes"), rows),
        table(
            ("STM32L0 project, bytes", "flash", "RAM without stack", "deepest stack", "RAM in all"),
            sizes,
        ),
        _of_block(),
    ])  # fmt: skip
