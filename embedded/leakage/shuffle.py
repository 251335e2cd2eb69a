# SPDX-License-Identifier: Apache-2.0
"""Masked AES whose columns and blocks are in a secret order: what that hides, and what shows it.

First order is tested as of other builds. Second order is the test of all pairs of points of the
S-box, with the option and without, in models that weigh the lines of a word alike or not. Then each
point of a function is asked for the order.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from embedded.emulator import images, stm32l0
from embedded.emulator.images import Variant
from embedded.emulator.lanes import Machine
from embedded.emulator.leaks import REMOVED, Leak
from embedded.emulator.tables import table
from embedded.emulator.values import Lanes
from numpy.typing import NDArray

from . import campaign, evidence, order2
from .document import title
from .evidence import CHANCE, Test
from .order2 import ALIKE, FIXED, PLANES, Found, Lines, Subject
from .ttest import THRESHOLD, corrected

BUILDS = images.SHUFFLED[:2]
PLAIN_BUILDS = images.REGISTER, images.SAFE
WORKS = (campaign.ENCRYPT, campaign.DECRYPT)
TRACES = 4000
"""Of each test of pairs, and for the order."""
ORDERS = 8
IDENTITY = ORDERS - 1
"""The order that rotates by 8 bits, which changes nothing."""

PLAIN = order2.TWO_SHARES
SHUFFLED = replace(PLAIN, title="shuffled", variant=BUILDS[0])
UNLIKE: Lines = tuple(1 + 3 * i % 7 for i in range(32))
ONE: Lines = (1, *(0 for _ in range(31)))
_RANDOM = random.Random(3)  # noqa: S311 (a state to compare with)
EQUAL = tuple(sum(255 * _RANDOM.getrandbits(1) << 8 * r for r in range(4)) for _ in range(PLANES))
"""The planes of a state whose columns are all the same, in both blocks: no order changes it."""


@dataclass(frozen=True, slots=True)
class Model:
    """Kinds of words, and how much each line of them weighs."""

    title: str
    kinds: frozenset[Leak]
    lines: Lines = ALIKE


_WORDS = REMOVED - {Leak.FLAG}
MODELS = (
    Model("all lines weigh the same", _WORDS),
    Model("lines weigh 1 to 7", _WORDS, UNLIKE),
    Model("the lowest line alone", _WORDS, ONE),
    Model("flags", frozenset({Leak.FLAG})),
)


@dataclass(frozen=True)
class Pairs:
    """Tests of pairs without the option, and with it."""

    model: Model
    columns: str
    plain: Found
    shuffled: Found


@dataclass(frozen=True)
class Shown:
    """How many points of a function tell its order."""

    function: str
    model: Model
    points: int
    identity: int
    """Those that tell the identity from the other orders."""
    others: int
    """Those that tell another order from the rest, without the identity."""


def pairs(model: Model, fixed: tuple[int, ...], columns: str) -> Pairs:
    """Test all pairs of points of the S-box."""
    one, other = (
        order2.evaluate(subject, TRACES, model.kinds, model.lines, fixed)
        for subject in (PLAIN, SHUFFLED)
    )
    return Pairs(model, columns, one, other)


class _All:
    """A probe that stores the weights of all words."""

    def __init__(self, lines: Lines) -> None:
        self.rows: list[NDArray[np.uint8]] = []
        self._lines = lines

    def take(self, _: int, __: Leak, word: Lanes) -> None:
        """Take the words of all lanes."""
        self.rows.append(order2.weights(word, self._lines))


def shown(variant: Variant, work: campaign.Work, model: Model, lanes: int = TRACES) -> Shown:
    """Run two rounds on random states and keys, and look for points that tell the order."""
    image, rng = images.build(variant), np.random.default_rng(5)
    drawn: list[Lanes] = []

    def draw() -> Lanes:
        drawn.append(rng.integers(0, 1 << 32, lanes, np.uint32))
        return drawn[-1]

    machine = Machine(image, draw, model.kinds)
    machine.reset("serve_mailbox")
    machine.write_words(order2.KEYS, [draw() for _ in range(3 * 2 * PLANES)])
    machine.write_words(order2.STATE, [draw() for _ in range(2 * PLANES)])
    drawn.clear()
    probe, source = _All(model.lines), image.symbol("random_register").address
    name = function(work)
    machine.call(name, order2.KEYS, 2, source, order2.STATE, probe=probe)
    tell = _tell(probe.rows, drawn[0] % ORDERS)
    others = np.any(tell[:IDENTITY], axis=0)
    return Shown(work.name, model, len(others), int(tell[IDENTITY].sum()), int(others.sum()))


def _tell(rows: list[NDArray[np.uint8]], order: Lanes) -> NDArray[np.bool_]:
    """Return for each order which points tell it from the others but the identity, by Welch's t."""
    is_order = (order[:, None] == np.arange(ORDERS)).astype(np.float64)
    sums = np.array(
        [[is_order.sum(0), row @ is_order, row.astype(np.float64) ** 2 @ is_order] for row in rows]
    ).transpose(1, 0, 2)

    def moments(of: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        count, mean = of[0], of[1] / of[0]
        return mean, (of[2] / count - mean**2) / (count - 1)

    limit, found = corrected(ORDERS * len(rows)), []
    for one in range(ORDERS):
        rest = [other for other in range(IDENTITY) if other != one]
        means, errors = zip(moments(sums[:, :, one]), moments(sums[:, :, rest].sum(2)), strict=True)
        error = np.sqrt(np.maximum(sum(errors), 1e-12))
        found.append(np.abs(means[0] - means[1]) / error > limit)
    return np.array(found)


def function(work: campaign.Work) -> str:
    """Return the function of the assembly that does it."""
    return f"tally_masked_cortex_m0_{'encrypt' if work is campaign.ENCRYPT else 'decrypt'}"


@dataclass(frozen=True)
class Evidence:
    """All that the page states of the option."""

    tests: list[Test]
    control: Test
    pairs: list[Pairs]
    shown: list[Shown]


def gather(traces: int, say: Callable[[str], None]) -> Evidence:
    """Run all tests, and report progress."""
    tests = []
    for variant, count in zip(BUILDS, (traces, max(traces // evidence.FEWER, 1000)), strict=True):
        for work in WORKS:
            say(f"{count:,} traces: {variant.title}, {work.name}")
            tests.append(evidence.test(variant, work, count))
    say("control, masks off")
    control = evidence.test(BUILDS[0], campaign.ENCRYPT, min(traces, TRACES), masks=False)
    found = []
    for model in MODELS:
        for fixed, columns in ((FIXED, "no"), (EQUAL, "yes")):
            say(f"{TRACES:,} traces, pairs of points, shuffled or not: {model.title}")
            found.append(pairs(model, fixed, columns))
    say("points that tell the order")
    of_order = [shown(BUILDS[0], work, model) for work in WORKS for model in MODELS]
    return Evidence(tests, control, found, of_order)


def of_shuffle(found: Evidence) -> str:
    """Return the tables of docs/explanation/leakage.md for the option."""
    return "\n".join([
        "Ten rounds, of a shared state of two blocks:\n",
        table(
            (
                *("", "cycles", "shuffled", "code, bytes", "shuffled"),
                *("stack, bytes", "shuffled", "random words", "shuffled"),
            ),
            [_costs(work, *both) for both in zip(PLAIN_BUILDS, BUILDS, strict=True)
             for work in WORKS],
        ),
        "Flash of the STM32L0's example `cmac`, bytes:\n",
        table(("", "-Os", "shuffled"), [_flash(name) for name in ("gcc", "zig")]),
        "First order, without noise:\n",
        table(
            (
                *("", "traces", "points", "by chance", "above 4.5", "again"),
                *("largest \\|t\\|", "corrected threshold", "leak"),
            ),
            [_first(one) for one in (*found.tests, found.control)],
        ),
        f"Products of two points of an S-box, second order, {TRACES:,} traces, without noise:\n",
        table(
            (
                *("", "columns of the fixed state are equal", "pairs", "leak", "shuffled"),
                *("largest \\|t\\|", "shuffled", "traces for 4.5", "shuffled"),
            ),
            [_pairs(one) for one in found.pairs],
        ),
        f"Points of two rounds that tell the order, {TRACES:,} traces, without noise:\n",
        table(
            ("", "points", "tell the identity", "tell another order"),
            [
                (
                    f"{one.function}: {one.model.title}",
                    *_figures(one.points, one.identity, one.others),
                )
                for one in found.shown
            ],
        ),
    ])  # fmt: skip


def _figures(*figures: int) -> list[str]:
    return [f"{figure:,}" for figure in figures]


def _costs(work: campaign.Work, *variants: Variant) -> tuple[str, ...]:
    figures = []
    for variant in variants:
        cost = order2.cost(Subject("", variant, function(work), "", 2))
        code = cost.code(images.build(variant))
        figures.append((cost.cycles, code, cost.stack, cost.random_words))
    both = [figure for one in zip(*figures, strict=True) for figure in one]
    return f"{variants[0].title}: {work.name}", *_figures(*both)


def _flash(compiler: str) -> tuple[str, ...]:
    images_ = (stm32l0.build(compiler, shuffle=shuffle) for shuffle in (False, True))
    name = {"zig": "clang"}.get(compiler, compiler)
    return name, *_figures(*(stm32l0.memory(image)[0] for image in images_))


def _first(one: Test) -> tuple[str, ...]:
    points, t = len(one.points.leaks), one.t()
    above = one.above()
    return (
        title(one),
        *(f"{2 * one.points.traces:,}", f"{points:,}", f"{points * CHANCE:.1f}"),
        *(f"{above.sum():,}", f"{one.confirmed().sum():,}" if one.masks else ""),
        *(f"{t.max():.2f}", f"{one.limit:.2f}", f"{one.leaking().sum():,}"),
    )


def _pairs(one: Pairs) -> tuple[str, ...]:
    both = one.plain, one.shuffled
    return (
        *(one.model.title, one.columns, f"{one.plain.pairs:,}"),
        *_figures(*(found.leaking for found in both)),
        *(f"{found.largest:.1f}" for found in both),
        *(f"{found.traces * (THRESHOLD / found.largest) ** 2:,.0f}" for found in both),
    )
