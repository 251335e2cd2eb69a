# SPDX-License-Identifier: Apache-2.0
"""Second order, two points at a time: t-tests of all products of two centered points of an S-box.

An attacker of second order multiplies what two points of a trace show, each less its mean. Half of
the traces have a fixed state, and half random ones. Welch's t then compares the means of each
product (Schneider and Moradi, CHES 2015). One round of an encryption runs, from shares to shares,
and points of its S-box are looked at. Those that have the same word in all traces are one point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from embedded.circuit import __main__ as generator
from embedded.circuit import circuits
from embedded.circuit.thumb_order2 import Sbox
from embedded.emulator import chip, images
from embedded.emulator.emulator import Emulator
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


@dataclass(frozen=True, slots=True)
class Subject:
    """An encryption on shares, as in core/masked/slicing.h, and the S-box in it."""

    title: str
    variant: Variant
    function: str
    sbox: str
    shares: int


ASSEMBLY = Subject(
    "three shares, assembly",
    *(images.REGISTER, "tally_masked_cortex_m0_encrypt_order2", "sub_bytes_order2", 3),
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


class _Weights:
    """A probe that stores Hamming weights of the S-box, of each word once."""

    def __init__(self, inside: range, chosen: list[bool] | None) -> None:
        self.rows: list[NDArray[np.uint8]] = []
        self.points: list[tuple[int, Leak]] = []
        self.chosen: list[bool] = [] if chosen is None else chosen
        self._inside, self._is_first = inside, chosen is None
        self._seen: set[bytes] = set()

    def take(self, address: int, leak: Leak, word: Lanes) -> None:
        """Take the words of all lanes."""
        if address not in self._inside:
            return
        at = len(self.points)
        self.points.append((address, leak))
        if self._is_first:
            content = np.minimum(word, ~word).tobytes()
            self.chosen.append(content not in self._seen)
            self._seen.add(content)
        if self.chosen[at]:
            self.rows.append(np.bitwise_count(word))


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
    """Hamming weights: a row for each point, a column for each trace; even columns are fixed."""

    points: list[tuple[int, Leak]]
    weights: NDArray[np.uint8]

    @property
    def pairs(self) -> int:
        """How many pairs of two points there are."""
        return len(self.points) * (len(self.points) - 1) // 2


def traces(subject: Subject, count: int, seed: int = 0, kinds: frozenset[Leak] = REMOVED) -> Traces:
    """Take traces.

    Raises
    ------
    PathError
        A batch has other points than the first one.
    """
    image = images.build(subject.variant)
    rng = np.random.default_rng(seed)
    symbol = image.symbol(subject.sbox)
    inside = range(symbol.address, symbol.address + symbol.size)
    fixed = np.random.default_rng(99).integers(0, 1 << 32, PLANES, np.uint32)
    chosen: list[bool] | None = None
    parts, points = [], list[tuple[int, Leak]]()
    source = image.symbol("random_register").address
    for _ in range(0, count, LANES):
        machine = Machine(image, lambda: _uniform(rng, LANES), kinds)
        machine.reset("serve_mailbox")
        state: list[Word] = []
        for word in fixed.tolist():
            own = _uniform(rng, LANES)
            own[::2] = word
            state.append(own)
        zeros: list[Word] = [0] * PLANES
        keys = [shared(zeros, subject.shares, rng, LANES) for _ in range(2)]
        machine.write_words(KEYS, [word for key in keys for word in key])
        machine.write_words(STATE, shared(state, subject.shares, rng, LANES))
        probe = _Weights(inside, chosen)
        machine.call(subject.function, KEYS, 1, source, STATE, probe=probe)
        if chosen is None:
            chosen, points = probe.chosen, probe.points
        elif points != probe.points:
            raise PathError("a batch of traces has other points than the first one")
        parts.append(np.stack(probe.rows))
    assert chosen is not None  # noqa: S101 (there is a batch)
    kept = [point for point, one in zip(points, chosen, strict=True) if one]
    return Traces(kept, np.concatenate(parts, axis=1))


def t_of_pairs(weights: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return Welch's t of the product of each two points, less their means, in both classes."""
    means, variances, counts = [], [], []
    for of_class in (weights[:, ::2], weights[:, 1::2]):
        mean = of_class.mean(1, dtype=np.float64)[:, None]
        points, count = of_class.shape
        first, second = np.zeros((points, points)), np.zeros((points, points))
        for at in range(0, count, LANES):
            x = (of_class[:, at : at + LANES] - mean).astype(np.float32)
            first += x @ x.T
            x *= x
            second += x @ x.T
        first /= count
        second /= count
        second -= first**2
        means.append(first)
        variances.append(second)
        counts.append(count - 1)
    error = np.sqrt(np.maximum(sum(v / n for v, n in zip(variances, counts, strict=True)), 1e-12))
    return np.asarray((means[0] - means[1]) / error)


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


def evaluate(subject: Subject, count: int, kinds: frozenset[Leak] = REMOVED) -> Found:
    """Take two sets of traces, and compare all pairs: by the criterion of first order."""
    upper, tests, found = None, [], None
    for seed in (0, 1):
        found = traces(subject, count, seed, kinds)
        if upper is None:
            upper = np.triu_indices(len(found.points), 1)
        tests.append(t_of_pairs(found.weights)[upper])
    assert found is not None  # noqa: S101
    one, other = tests
    limit = corrected(found.pairs)
    again = agree(one, other)
    leaking = again | (np.maximum(np.abs(one), np.abs(other)) > limit)
    return Found(
        *(subject, found.weights.shape[1], len(found.points), found.pairs),
        *(int((np.abs(one) > THRESHOLD).sum()), limit, float(np.abs(one).max())),
        *(int(again.sum()), int(leaking.sum())),
    )


def cycles(subject: Subject) -> tuple[int, int, int]:
    """Return cycles, bytes of stack and random words of ten rounds, two blocks."""
    image = images.build(subject.variant)
    emulator = Emulator(image, iter(range(1 << 20)))
    emulator.reset("serve_mailbox")
    source = image.symbol("random_register").address
    cost = emulator.call(subject.function, KEYS, 10, source, STATE)
    return cost.cycles, cost.stack, cost.random_words


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
        *((one, min(count, CONTROL_TRACES)) for one in CONTROLS),
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
    rows = [
        (
            one.subject.title,
            *(f"{one.traces:,}", f"{one.points:,}", f"{one.pairs:,}", f"{one.pairs * CHANCE:.1f}"),
            *(f"{one.above:,}", f"{one.again:,}", f"{one.largest:.2f}", f"{one.limit:.2f}"),
            f"{one.leaking:,}",
        )
        for one in found
    ]
    costs = [
        (one.subject.title, *(f"{figure:,}" for figure in cycles(one.subject))) for one in found
    ]
    figures = (exact.words, exact.pairs, exact.by_composition, exact.leaking)
    return "\n".join([
        "Products of two points, second order, without noise:\n",
        table(head, rows),
        "Encryption of a shared state of two blocks, ten rounds:\n",
        table(("", "cycles", "stack, bytes", "random words"), costs),
        "Exact check of the S-box on three shares:\n",
        table(
            ("", "words", "pairs", "decided by composition", "depend on a secret"),
            [(ASSEMBLY.title, *(f"{figure:,}" for figure in figures))],
        ),
    ])  # fmt: skip
