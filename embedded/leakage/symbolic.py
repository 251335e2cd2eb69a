# SPDX-License-Identifier: Apache-2.0
"""Exact check of machine code: no point that `lanes` shows depends on a secret.

The chip of `lanes` runs on words whose bits are sums of variables and products (`probing.Sums`).
The mean of a word's Hamming weight is the sum of its bits' means; so if no bit of it has a bias
that depends on a secret, no first-order test finds one either, however many traces it has.

Two rounds are checked. The second one computes the same as the first one, on shares that are as
uniform. So the state before each S-box may get fresh shares, which shortens sums. Words that the
second round overwrites are checked in a run without fresh shares, of memory alone: registers and
buses have constants between rounds. The second round is the last one: functions that always run ten
rounds count them in a word of the frame, which the check sets.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from embedded.circuit.cortex_m0 import SHARE
from embedded.circuit.masking import Program, share
from embedded.circuit.probing import Sums, UndecidedError
from embedded.emulator import chip
from embedded.emulator.chip import ChipError
from embedded.emulator.elf import Image
from embedded.emulator.images import ROOT
from embedded.emulator.lanes import Machine
from embedded.emulator.leaks import Leak
from embedded.emulator.thumb import SP
from embedded.emulator.values import Lanes, Word

WORD = 32
MASK = 2**WORD - 1
_LAST_WORDS = 64


class Bits:
    """A word whose bits are sums, the lowest first; `sums` has their products.

    `alike` words have the same sum in each bit, of other variables.
    """

    __slots__ = ("alike", "of", "sums")

    def __init__(self, sums: Sums, of: tuple[int, ...], alike: bool = False) -> None:
        self.sums, self.of, self.alike = sums, of, alike

    def _combine(self, other: Bits | int, product: bool) -> Bits:
        if isinstance(other, Bits):
            theirs, alike = other.of, self.alike and other.alike
        else:
            theirs = tuple(other >> i & 1 for i in range(WORD))
            alike = self.alike and other in (0, MASK)
        if product:
            return Bits(self.sums, tuple(map(self._product, self.of, theirs)), alike)
        return Bits(self.sums, tuple(a ^ b for a, b in zip(self.of, theirs, strict=True)), alike)

    def _product(self, a: int, b: int) -> int:
        if a in (0, 1) or b in (0, 1):
            return a and b and max(a, b)
        return a if a == b else self.sums.product(a, b)

    def __xor__(self, other: Bits | int) -> Bits:
        return self._combine(other, product=False)

    def __and__(self, other: Bits | int) -> Bits:
        return self._combine(other, product=True)

    def __or__(self, other: Bits | int) -> Bits:
        return self ^ other ^ (self & other)

    __rxor__, __rand__, __ror__ = __xor__, __and__, __or__

    def __lshift__(self, amount: int) -> Bits:
        return Bits(self.sums, ((0,) * amount + self.of)[:WORD])

    def __rshift__(self, amount: int) -> Bits:
        return Bits(self.sums, (*self.of, *(0,) * amount)[amount : amount + WORD])

    def __mul__(self, other: int) -> Bits:
        """Multiply by a constant where nothing carries: bytes are repeated so."""
        total = Bits(self.sums, (0,) * WORD)
        for amount in range(WORD):
            if other >> amount & 1:
                term = self << amount
                if any(a and b for a, b in zip(total.of, term.of, strict=True)):
                    raise ChipError("products of shares with carries are not evaluated")
                total ^= term
        return total

    def __add__(self, other: Bits | int) -> Bits:
        if isinstance(other, int) and other == 0:
            return self
        raise ChipError("sums of shares are not evaluated")


class _EndError(Exception):
    """Enough has been seen."""


@dataclass
class Found:
    """The result of a check: how many bits of points were checked, which leak, and which may."""

    checked: int = 0
    ended: bool = False
    """Whether it came to the function's end."""
    leaks: list[tuple[int, Leak, int]] = field(default_factory=list)
    undecided: list[tuple[int, Leak, int]] = field(default_factory=list)
    """Of each: the instruction's address, the kind of leak, and the bit."""

    @property
    def is_safe(self) -> bool:
        """Whether each point was shown not to depend on a secret."""
        return self.checked > 0 and not self.leaks and not self.undecided


class Check:
    """A chip on shares of secrets.

    Its words are `Bits`, of which the chip's own types know nothing.

    Parameters
    ----------
    image
        The firmware.
    secrets
        How many words of secrets there are; each has two shares.
    randoms
        How many random words may be drawn.
    known
        Words that are drawn before them.
    """

    def __init__(self, image: Image, secrets: int, randoms: int, known: Iterable[int] = ()) -> None:
        names = [f"x{i}" for i in range(WORD * secrets)]
        program = Program(1, [[share(name, s) for s in (0, 1)] for name in names])
        drawn = [program.random() for _ in range(WORD * randoms)]
        self.sums = Sums(program)
        self.found = Found()
        self.looks_at = set(Leak)
        self.ends_early = False
        self._secrets = [
            tuple(self._word([share(name, s) for name in names[i : i + WORD]]) for s in (0, 1))
            for i in range(0, len(names), WORD)
        ]
        unknown = (self._word(drawn[i : i + WORD]) for i in range(0, len(drawn), WORD))
        words = chain[Word](known, unknown)
        self._known: dict[int, bool | None] = {0: False}
        self._alike: dict[tuple[int, ...], bool | None] = {}
        """By shape: the bits of a word mostly differ in the names of variables alone."""
        self._safe: set[Bits] = set()
        """Of the last words; many points have one."""
        self.machine = Machine(image, lambda: next(words))

    def _word(self, names: list[str]) -> Lanes:
        bits = Bits(self.sums, tuple(self.sums.of[name] for name in names), alike=True)
        return cast("Lanes", bits)

    def secret(self) -> tuple[Lanes, ...]:
        """Return both shares of a new secret."""
        return self._secrets.pop()

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        """Check a point."""
        if leak not in self.looks_at:
            return
        self.found.checked += WORD
        bits = cast("Bits", word)
        if bits in self._safe:
            return
        is_safe = True
        for bit, sum_ in enumerate(bits.of[:1] if bits.alike else bits.of):
            leaks = self._leaks(sum_)
            if leaks is not False:
                is_safe = False
                self._refuse(leaks, (address, leak, bit))
        if is_safe:
            if len(self._safe) == _LAST_WORDS:
                self._safe.clear()
            self._safe.add(bits)

    def _refuse(self, leaks: bool | None, point: tuple[int, Leak, int]) -> None:
        (self.found.leaks if leaks else self.found.undecided).append(point)
        if self.ends_early:
            raise _EndError

    def _leaks(self, sum_: int) -> bool | None:
        if sum_ & self.sums.randoms & ~self.sums.inner(sum_):
            return False
        if sum_ not in self._known:
            shape = self.sums.shape(sum_)
            if shape not in self._alike:
                try:
                    self._alike[shape] = not self.sums.is_independent(sum_)
                except UndecidedError:
                    self._alike[shape] = None
            self._known[sum_] = self._alike[shape]
        return self._known[sum_]


@dataclass(frozen=True, slots=True)
class Job:
    """A function with arguments as in core/masked/slicing.h, and the S-box that it calls."""

    function: str
    sbox: str = "sub_bytes"

    @property
    def name(self) -> str:
        """Return the last part of the function's name."""
        return self.function.rpartition("_")[2]

    @property
    def has_ten_rounds(self) -> bool:
        """Whether it has them whatever its arguments are."""
        return self.name in ("expand", "once")


_ASSEMBLY = "tally_masked_cortex_m0_"
JOBS = (
    Job(f"{_ASSEMBLY}encrypt"),
    Job(f"{_ASSEMBLY}decrypt", "inverse_sub_bytes"),
    Job(f"{_ASSEMBLY}expand"),
    Job(f"{_ASSEMBLY}once"),
)


def frame_word(name: str) -> int:
    """Return where a word of the assembly's frame is, in bytes from its begin."""
    return int(PARTS.read_text().partition(f".equ {name}, ")[2].split()[0])


PARTS = ROOT / "core" / "masked" / "cortex_m0_parts.inc"
KEYS, STATE = chip.RAM + 0x800, chip.RAM + 0xC00
PLANES, PLANES_SIZE = 8, 32
ROUNDS = 2
_SECRETS, _RANDOMS = 80, 64 * ROUNDS


def check(
    image: Image,
    job: Job,
    *,
    fresh: bool,
    leaks: Collection[Leak] = tuple(Leak),
    rounds: int = ROUNDS,
    ends_early: bool = False,
    order: int | None = None,
) -> Found:
    """Check the first rounds of a function.

    Parameters
    ----------
    image
        The firmware.
    job
        The function to run, with `ROUNDS` rounds.
    fresh
        Whether the state, in the assembly's frame, gets fresh shares before each S-box.
    leaks
        The kinds of leak to check.
    rounds
        How many; the run ends before the S-box of the next one.
    ends_early
        Whether one point that is not known to be safe is enough.
    order
        The first random word, where the build is shuffled. If a point is safe in each order, it is
        in all: the order depends on no secret.

    Raises
    ------
    ChipError
        The program did something impossible on the chip.
    """
    state = Check(image, _SECRETS, _RANDOMS, [] if order is None else [order])
    machine = state.machine
    state.looks_at, state.ends_early = set(leaks), ends_early

    def put(at: int, apart: int = PLANES_SIZE) -> None:
        for p in range(PLANES):
            for s, word in enumerate(state.secret()):
                machine.write_words(at + apart * s + 4 * p, [word])

    put(STATE)
    for round_ in range(ROUNDS + 1):
        put(KEYS + 2 * PLANES_SIZE * round_)
    source = image.symbol("random_register").address
    arguments = {
        "expand": (STATE, 16, source, KEYS),
        "once": (source, STATE),
    }.get(job.name, (KEYS, ROUNDS, source, STATE))
    begun = 0

    def watch(machine: Machine, address: int) -> None:
        nonlocal begun
        if address == sbox:
            begun += 1
            if begun > rounds:
                raise _EndError
            frame = machine.registers[SP]
            assert isinstance(frame, int)  # noqa: S101 (addresses are)
            if fresh:
                put(frame, SHARE)
            if begun == ROUNDS and job.has_ten_rounds:
                machine.write_words(frame + counter, [1])

    sbox, counter = image.symbol(job.sbox).address, frame_word("ROUNDS")
    machine.watch = watch
    with contextlib.suppress(_EndError):
        machine.call(job.function, *arguments, probe=state)
        state.found.ended = True
    return state.found


def check_copies(image: Image, size: int, past: int) -> Found:
    """Check copies of both shares of a value, one right after the other.

    Parameters
    ----------
    image
        The firmware.
    size
        Bytes of a share: at most 32, a multiple of 4.
    past
        How many bytes past a word they are copied to.
    """
    stride = 64
    state = Check(image, size // 4, 0)
    for at in range(0, size, 4):
        for s, word in enumerate(state.secret()):
            state.machine.write_words(KEYS + stride * s + at, [word])
    for s in (0, 1):
        to, from_ = STATE + stride * s + past, KEYS + stride * s
        state.machine.call(f"{_ASSEMBLY}copy", to, from_, size, probe=state)
    return state.found
