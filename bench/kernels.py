# SPDX-License-Identifier: Apache-2.0
"""Words by the million in C, on each instruction set: what bench/kernels.c's program measures."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .errors import WrongResultError
from .limits import GROUP, Kernel, Limit

LANES, WORDS, COLUMN, TWEAKS, KEPT, ONE_WORD = WORKS = (
    *("lanes", "words", "column", "tweaks", "kept", "one word"),
)
LENGTH = 16
"""What most tables and plots are about; other lengths have a table of their own."""


@dataclass(frozen=True, slots=True)
class Point:
    """What was measured. `profile` is "fast" or "legacy"."""

    level: str
    profile: str
    radix: int
    length: int
    work: str
    decrypt: bool

    @property
    def kernel(self) -> Kernel:
        """The kernel that did it, as limits.py names it."""
        return self.level, self.profile, self.radix, self.decrypt


@dataclass(frozen=True, slots=True)
class Measured:
    """The repetitions: seconds for a word, and the core's clock in Hz after each."""

    layers: int
    rows: int
    seconds: tuple[float, ...]
    clocks: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Words a second: the median."""
        return 1 / statistics.median(self.seconds)

    @property
    def cycles(self) -> float:
        """Cycles for a layer of 64 words: the median. 0: the clock is not known."""
        each = [a * b for a, b in zip(self.seconds, self.clocks, strict=True)]
        return statistics.median(each) * GROUP / self.layers


@dataclass(frozen=True, slots=True)
class Kernels:
    """All points, the limits of kernels, and the levels from the best to the plainest."""

    points: Mapping[Point, Measured]
    limits: Mapping[Kernel, Limit]

    @property
    def levels(self) -> list[str]:
        """The instruction sets, best first."""
        return list(dict.fromkeys(point.level for point in self.points))

    @property
    def kinds(self) -> list[tuple[str, int]]:
        """Profiles and radices, in the order measured."""
        return list(dict.fromkeys((point.profile, point.radix) for point in self.points))

    @property
    def lengths(self) -> list[int]:
        """The lengths, ascending."""
        return sorted({point.length for point in self.points})

    def get(
        self, level: str, kind: tuple[str, int], work: str, *, decrypt: bool, length: int = LENGTH
    ) -> Measured | None:
        """Return what was measured of one point, if it was."""
        return self.points.get(Point(level, *kind, length, work, decrypt))

    def one_word(self, kind: tuple[str, int], *, decrypt: bool) -> Measured | None:
        """Return the loop over single words, which is the same at each level."""
        return next(
            (
                measured
                for point, measured in self.points.items()
                if (point.profile, point.radix) == kind
                and (point.work, point.decrypt, point.length) == (ONE_WORD, decrypt, LENGTH)
            ),
            None,
        )

    def closeness(self, point: Point) -> float | None:
        """Return the limit's cycles over those that a kernel took, if both are known."""
        limit, measured = self.limits.get(point.kernel), self.points.get(point)
        if limit is None or measured is None or point.work != LANES or not measured.cycles:
            return None
        return limit.cycles / measured.cycles

    def disturbed(self) -> list[str]:
        """Return a warning if many points' repetitions differ too much, else nothing."""
        bad = sum(
            statistics.median(measured.seconds) > 1.15 * min(measured.seconds)
            for measured in self.points.values()
        )
        if bad * 20 <= len(self.points):
            return []
        return [
            f"of {len(self.points)} measurements of kernels {bad} took 1.15 times as long as the "
            "best, or longer, so something disturbed them; measure again"
        ]

    def as_json(self) -> dict[str, object]:
        """Return all of it for a JSON document."""
        return {
            "points": [
                asdict(point) | asdict(measured) | {"words_per_second": measured.rate}
                for point, measured in self.points.items()
            ],
            "limits": [
                dict(zip(("level", "profile", "radix", "decrypt"), kernel, strict=True))
                | asdict(limit)
                for kernel, limit in self.limits.items()
            ],
        }


def measure(
    program: Path,
    limits: Mapping[Kernel, Limit],
    *,
    repetitions: int,
    rows: int,
    rough: bool,
    say: Callable[[str], None],
) -> Kernels:
    """Run the program, which goes through everything in turn, `repetitions` times.

    Raises
    ------
    WrongResultError
        It found that two ways to the same token differ.
    """
    command: list[str | Path] = [program, str(repetitions), str(rows)]
    if rough:
        command.append("rough")
    samples: dict[Point, list[dict[str, float]]] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            sample = json.loads(line)
            if "turn" in sample:
                say(f"kernels: turn {sample['turn']} of {sample['of']}")
            else:
                point = Point(**{name: sample[name] for name in Point.__slots__})
                samples.setdefault(point, []).append(sample)
    if running.returncode != 0:
        raise WrongResultError("bench/kernels.c's program failed: what it said is above")
    return Kernels({point: _measured(own) for point, own in samples.items()}, limits)


def _measured(samples: Sequence[Mapping[str, float]]) -> Measured:
    return Measured(
        layers=int(samples[0]["layers"]),
        rows=int(samples[0]["rows"]),
        seconds=tuple(sample["ns"] * 1e-9 for sample in samples),
        clocks=tuple(sample["clock"] * 1e9 for sample in samples),
    )
