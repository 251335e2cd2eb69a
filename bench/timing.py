# SPDX-License-Identifier: Apache-2.0
"""Repeated measurements, side by side.

The cases of a group take turns (ours, peer, ours, peer, ...), so that a machine whose speed drifts
does so for all of them. The median stands for a case; the best says how much it was disturbed.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import repeat


class Unit(StrEnum):
    """What a figure is given in."""

    NANOSECONDS = "ns"
    MILLISECONDS = "ms"
    VALUES_PER_SECOND = "values/s"
    MEGABYTES_PER_SECOND = "MB/s"

    def figure(self, seconds: float) -> float:
        """Return the figure for one value, or for one byte, that takes so many seconds."""
        if self is Unit.NANOSECONDS:
            return seconds * 1e9
        if self is Unit.MILLISECONDS:
            return seconds * 1e3
        if self is Unit.MEGABYTES_PER_SECOND:
            return 1e-6 / seconds
        return 1 / seconds


@dataclass(frozen=True, slots=True)
class Case:
    """Work to be measured: a call of `run` does `amount` values or bytes of it."""

    label: str
    run: Callable[[], object]
    amount: int


@dataclass(frozen=True, slots=True)
class Timing:
    """Measured work: the seconds for one value, or for one byte, of each repetition."""

    label: str
    amount: int
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the repetitions."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The shortest repetition."""
        return min(self.seconds)

    @property
    def disturbed(self) -> bool:
        """Whether the repetitions differ so much that the median means little."""
        return self.median > 1.15 * self.best


@dataclass(frozen=True, slots=True)
class Group:
    """Timings of the same work, or (`ratios` false) of related work.

    Attributes
    ----------
    title : str
        The work.
    unit : Unit
        What its figures are given in.
    timings : tuple of Timing
        The first is what the others are compared to.
    ratios : bool
        Whether it makes sense to compare them.
    """

    title: str
    unit: Unit
    timings: tuple[Timing, ...]
    ratios: bool = True

    def ratio(self, timing: Timing) -> float:
        """Return the median time of `timing` over that of the first."""
        return timing.median / self.timings[0].median


@dataclass(frozen=True, slots=True)
class Section:
    """Groups that make one table; `notes` say what a reader must know of them."""

    title: str
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()


def side_by_side(
    cases: Sequence[Case], repetitions: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[Timing, ...]:
    """Measure cases in turn, after each has run once for warming up.

    `clock` may be `time.thread_time` for work that this thread does alone: what other programs take
    of its core is not in that.
    """
    for case in cases:
        case.run()
    seconds: list[list[float]] = [[] for _ in cases]
    with _frozen():
        for _ in range(repetitions):
            for case, own in zip(cases, seconds, strict=True):
                own.append(_seconds(case.run, clock) / case.amount)
    return tuple(
        Timing(case.label, case.amount, tuple(own))
        for case, own in zip(cases, seconds, strict=True)
    )


def looped(label: str, call: Callable[[], object], seconds: float = 0.02) -> Case:
    """Return a case that makes a short call as often as takes about so many seconds.

    How often comes from the best of a few tries: one cold or disturbed call would make for samples
    of so few calls that they measure cold caches.
    """
    calls = 1
    with _frozen():
        while (taken := _best(partial(_repeat, call, calls))) < seconds / 4:
            calls *= 2
    calls = max(1, round(calls * seconds / taken))
    return Case(label, partial(_repeat, call, calls), calls)


def _repeat(call: Callable[[], object], calls: int) -> None:
    for _ in repeat(None, calls):
        call()


def _best(run: Callable[[], object]) -> float:
    return min(_seconds(run) for _ in range(3))


@contextmanager
def _frozen() -> Iterator[None]:
    """Let the garbage collector pass over what is there: else each sample waits for that."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _seconds(run: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    gc.collect()
    gc.disable()
    try:
        start = clock()
        run()
        return clock() - start
    finally:
        gc.enable()
