# SPDX-License-Identifier: Apache-2.0
"""Second order, two points at a time: t-tests of all products of two centered points of a round.

An attacker of second order multiplies what two points of a trace show, each less its mean. Half of
the traces have a fixed state, and half random ones. Welch's t then compares the means of each
product (Schneider and Moradi, CHES 2015). Points that have the same word in all traces are one
point.

Points are those of an S-box, or those of a function on shares until its second S-box begins: a
whole round, with its linear parts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits
from embedded.circuit.thumb_order2 import Sbox
from embedded.emulator import chip, images
from embedded.emulator.emulator import Cost, Emulator
from embedded.emulator.images import Variant
from embedded.emulator.lanes import Machine
from embedded.emulator.leaks import REMOVED, Leak
from embedded.emulator.tables import table
from embedded.emulator.values import Lanes, Word
from numpy.typing import NDArray

from .evidence import CHANCE
from .ttest import THRESHOLD, PathError, agree, corrected

PLANES, WORD = 8, 4
KEYS, STATE = chip.RAM + 0x800, chip.RAM + 0xE00
LANES = 2000
TRACES, CONTROL_TRACES = 32_000, 4000
ROWS = 512
Lines = tuple[int, ...]
"""How much each line of a word weighs, the lowest bit's first: 255 in all at most."""
ALIKE: Lines = (1,) * 32
"""Hamming weights."""
FIXED: tuple[int, ...] = tuple(
    np.random.default_rng(99).integers(0, 1 << 32, PLANES, np.uint32).tolist()
)
"""The planes of the fixed state."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A function on shares, as in core/masked/slicing.h, and the S-box in it.

    Attributes
    ----------
    is_whole
        Whether all points until the second S-box are looked at; else those of the first S-box.
    """

    title: str
    variant: Variant
    function: str
    sbox: str
    shares: int
    is_whole: bool = False

    @property
    def expands(self) -> bool:
        """Whether it makes round keys of the state, which is a key."""
        return "expand" in self.function

    def arguments(self, rounds: int, source: int) -> tuple[int, int, int, int]:
        """Return its arguments."""
        return (STATE, 16, source, KEYS) if self.expands else (KEYS, rounds, source, STATE)


def _assembly(name: str, function: str) -> Subject:
    function = f"tally_masked_cortex_m0_{function}_order2"
    return Subject(name, images.REGISTER, function, "sub_bytes_order2", 3, is_whole=True)


ASSEMBLY = Subject(
    "three shares, assembly",
    *(images.REGISTER, "tally_masked_cortex_m0_encrypt_order2", "sub_bytes_order2", 3),
)
WHOLE = (
    _assembly("encryption", "encrypt"),
    _assembly("decryption", "decrypt"),
    _assembly("key expansion", "expand"),
)
TWO_SHARES = Subject(
    "two shares, assembly",
    *(images.REGISTER, "tally_masked_cortex_m0_encrypt", "sub_bytes", 2),
)
PORTABLE = Subject(
    "three shares, portable C",
    *(images.PORTABLE, "masked_c32_encrypt_3", "masked_c32_sbox_order2", 3),
)
CONTROLS = (TWO_SHARES, PORTABLE)


class _EndError(Exception):
    """The second S-box begins."""


class _Weights:
    """A probe that stores the weights of words, each word once: of a function, or of all."""

    def __init__(self, inside: range | None, chosen: list[bool] | None, lines: Lines) -> None:
        self.rows: list[NDArray[np.uint8]] = []
        self.points: list[tuple[int, Leak]] = []
        self.chosen: list[bool] = [] if chosen is None else chosen
        self._inside, self._is_first, self._lines = inside, chosen is None, lines
        self._seen: set[bytes] = set()

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        """Take the words of all lanes."""
        if self._inside is not None and address not in self._inside:
            return
        at = len(self.points)
        self.points.append((address, leak))
        if self._is_first:
            content = np.minimum(word, ~word).tobytes()
            self.chosen.append(content not in self._seen)
            self._seen.add(content)
        if self.chosen[at]:
            self.rows.append(weights(word, self._lines))


def weights(words: Lanes, lines: Lines = ALIKE) -> NDArray[np.uint8]:
    """Return the sum of the weights of the lines whose bits are one."""
    if lines == ALIKE:
        return np.bitwise_count(words)
    bytes_ = np.ascontiguousarray(words, "<u4").view(np.uint8).reshape(-1, 4)
    total = np.zeros(len(words), np.uint8)
    for i in range(4):
        of_bits = np.array(lines[8 * i : 8 * i + 8], np.uint8)
        of_byte = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], 1, bitorder="little")
        total += (of_byte @ of_bits)[bytes_[:, i]]
    return total


def shared(words: list[Word], shares: int, rng: np.random.Generator, lanes: int) -> list[Word]:
    """Return shares of words: all of the first share, then those of the next one."""
    others: list[list[Word]] = [[_uniform(rng, lanes) for _ in words] for _ in range(shares - 1)]
    last = words
    for other in others:
        last = [a ^ b for a, b in zip(last, other, strict=True)]
    return [word for share in (*others, last) for word in share]


def _uniform(rng: np.random.Generator, lanes: int) -> Lanes:
    return rng.integers(0, 1 << 32, lanes, np.uint32)


@dataclass(frozen=True)
class Traces:
    """Weights: a row for each point, a column for each trace; even columns are fixed."""

    points: list[tuple[int, Leak]]
    weights: NDArray[np.uint8]

    @property
    def pairs(self) -> int:
        """How many pairs of two points there are."""
        return len(self.points) * (len(self.points) - 1) // 2


def traces(
    subject: Subject,
    count: int,
    seed: int = 0,
    kinds: frozenset[Leak] = REMOVED,
    lines: Lines = ALIKE,
    fixed: Sequence[int] = FIXED,
) -> Traces:
    """Take traces.

    Raises
    ------
    PathError
        A batch has other points than the first one.
    """
    image = images.build(subject.variant)
    rng = np.random.default_rng(seed)
    symbol = image.symbol(subject.sbox)
    inside = None if subject.is_whole else range(symbol.address, symbol.address + symbol.size)
    rounds = 2 if subject.is_whole else 1
    chosen: list[bool] | None = None
    parts, points = [], list[tuple[int, Leak]]()
    source = image.symbol("random_register").address
    for _ in range(0, count, LANES):
        machine = Machine(image, lambda: _uniform(rng, LANES), kinds)
        machine.reset("serve_mailbox")
        state: list[Word] = []
        for word in fixed:
            own = _uniform(rng, LANES)
            own[::2] = word
            state.append(own)
        zeros: list[Word] = [0] * PLANES
        keys = [shared(zeros, subject.shares, rng, LANES) for _ in range(rounds + 1)]
        machine.write_words(KEYS, [word for key in keys for word in key])
        machine.write_words(STATE, shared(state, subject.shares, rng, LANES))
        probe = _Weights(inside, chosen, lines)
        begun = 0

        def watch(_: Machine, at: int) -> None:
            nonlocal begun
            begun += at == symbol.address
            if begun == 2:
                raise _EndError

        machine.watch = watch
        with contextlib.suppress(_EndError):
            machine.call(subject.function, *subject.arguments(rounds, source), probe=probe)
        if chosen is None:
            chosen, points = probe.chosen, probe.points
        elif points != probe.points:
            raise PathError("a batch of traces has other points than the first one")
        parts.append(np.stack(probe.rows))
    assert chosen is not None  # noqa: S101 (there is a batch)
    kept = [point for point, one in zip(points, chosen, strict=True) if one]
    return Traces(kept, np.concatenate(parts, axis=1))


def t_of_pairs(weights: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return Welch's t of the product of each two points, less their means, in both classes.

    The second point comes after the first one; pairs are in the order of the first, then the
    second.
    """
    points, found = len(weights), []
    for at in range(0, points, ROWS):
        rows = min(ROWS, points - at)
        means, error = [], np.zeros((rows, points - at))
        for of_class in (weights[at:, ::2], weights[at:, 1::2]):
            mean, count = of_class.mean(1, dtype=np.float64)[:, None], of_class.shape[1]
            first, second = np.zeros_like(error), np.zeros_like(error)
            for i in range(0, count, LANES):
                x = (of_class[:, i : i + LANES] - mean).astype(np.float32)
                first += x[:rows] @ x.T
                x *= x
                second += x[:rows] @ x.T
            first /= count
            error += (second / count - first**2) / (count - 1)
            means.append(first)
        t = (means[0] - means[1]) / np.sqrt(np.maximum(error, 1e-12))
        found.append(t[np.triu_indices(rows, 1, points - at)])
    return np.concatenate(found)


@dataclass(frozen=True)
class Found:
    """The result of a subject."""

    subject: Subject
    traces: int
    points: int
    pairs: int
    above: int
    limit: float
    largest: float
    again: int
    leaking: int
    single: int
    """Points that leak by themselves, at first order."""


def t_of_points(weights: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return Welch's t of each point's mean."""
    classes = weights[:, ::2], weights[:, 1::2]
    means = [one.mean(1, dtype=np.float64) for one in classes]
    spreads = [one.var(1, dtype=np.float64) / (one.shape[1] - 1) for one in classes]
    return np.asarray((means[0] - means[1]) / np.sqrt(np.maximum(sum(spreads), 1e-12)))


def evaluate(
    subject: Subject,
    count: int,
    kinds: frozenset[Leak] = REMOVED,
    lines: Lines = ALIKE,
    fixed: Sequence[int] = FIXED,
) -> Found:
    """Take two sets of traces, and compare all pairs: by the criterion of first order."""
    tests, singles, found = [], [], None
    for seed in (0, 1):
        found = traces(subject, count, seed, kinds, lines, fixed)
        tests.append(t_of_pairs(found.weights))
        singles.append(t_of_points(found.weights))
    assert found is not None  # noqa: S101
    one, other = tests
    limit, again = corrected(found.pairs), agree(one, other)
    leaking = _leaking(limit, one, other)
    single = _leaking(corrected(len(found.points)), *singles)
    return Found(
        *(subject, found.weights.shape[1], len(found.points), found.pairs),
        *(int((np.abs(one) > THRESHOLD).sum()), limit, float(np.abs(one).max())),
        *(int(again.sum()), int(leaking.sum()), int(single.sum())),
    )


def _leaking(
    limit: float, one: NDArray[np.float64], other: NDArray[np.float64]
) -> NDArray[np.bool_]:
    return agree(one, other) | (np.maximum(np.abs(one), np.abs(other)) > limit)


def cost(subject: Subject) -> Cost:
    """Return the cost of ten rounds."""
    image = images.build(subject.variant)
    emulator = Emulator(image, iter(range(1 << 20)))
    emulator.reset("serve_mailbox")
    source = image.symbol("random_register").address
    return emulator.call(subject.function, *subject.arguments(10, source))


@dataclass(frozen=True, slots=True)
class Exact:
    """The result of the exact check of all words that the S-box shows, and of all pairs."""

    words: int
    pairs: int
    by_composition: int
    leaking: int


def check() -> Exact:
    """Check the S-box on three shares."""
    sbox = Sbox(circuits.read(generator.SBOX))
    words = sbox.words_shown()
    left = [pair for pair in combinations(words, 2) if not sbox.is_simulated(*pair)]
    pairs = len(words) * (len(words) - 1) // 2
    leaking = sum(1 for _ in sbox.leaks(words, left))
    return Exact(len(words), pairs, pairs - len(left), leaking)


def gather(count: int, say: Callable[[str], None]) -> tuple[list[Found], Exact]:
    """Run all tests of second order, and report progress."""
    found = []
    for subject, traces_of in (
        (ASSEMBLY, count),
        *((one, min(count, CONTROL_TRACES)) for one in (*CONTROLS, *WHOLE)),
    ):
        say(f"{traces_of:,} traces, pairs of points: {subject.title}")
        found.append(evaluate(subject, traces_of))
    say("all pairs of words, exactly")
    return found, check()


def of_order2(found: list[Found], exact: Exact) -> str:
    """Return the tables of docs/explanation/leakage.md for second order."""
    head = (
        *("", "traces", "points", "pairs", "by chance", "above 4.5"),
        *("again", "largest \\|t\\|", "corrected threshold", "leak"),
    )
    whole = [one for one in found if one.subject.is_whole]
    of_sbox = [one for one in found if not one.subject.is_whole]
    costs = [
        (f"{ASSEMBLY.title}: {one.title}" if one.is_whole else one.title, *_costs(one))
        for one in (*WHOLE, *CONTROLS)
    ]
    figures = (exact.words, exact.pairs, exact.by_composition, exact.leaking)
    return "\n".join([
        "Products of two points of an S-box, second order, without noise:\n",
        table(head, [_row(one) for one in of_sbox]),
        "The same of a whole round on three shares, in assembly:\n",
        table((*head, "leak alone"), [(*_row(one), f"{one.single:,}") for one in whole]),
        "Ten rounds, of a shared state of two blocks or of its keys:\n",
        table(("", "cycles", "stack, bytes", "random words"), costs),
        "Exact check of the S-box on three shares:\n",
        table(
            ("", "words", "pairs", "decided by composition", "depend on a secret"),
            [(ASSEMBLY.title, *(f"{figure:,}" for figure in figures))],
        ),
    ])  # fmt: skip


def _row(one: Found) -> tuple[str, ...]:
    return (
        one.subject.title,
        *(f"{one.traces:,}", f"{one.points:,}", f"{one.pairs:,}", f"{one.pairs * CHANCE:.1f}"),
        *(f"{one.above:,}", f"{one.again:,}", f"{one.largest:.2f}", f"{one.limit:.2f}"),
        f"{one.leaking:,}",
    )


def _costs(subject: Subject) -> tuple[str, ...]:
    found = cost(subject)
    return tuple(f"{figure:,}" for figure in (found.cycles, found.stack, found.random_words))
