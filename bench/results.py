# SPDX-License-Identifier: Apache-2.0
"""All that a run has measured, and how its figures are written."""

from __future__ import annotations

from dataclasses import dataclass

from .kernels import Kernels
from .limits import Cost
from .timing import Section, Timing, Unit


@dataclass(frozen=True, slots=True)
class Results:
    """What a run has measured, and on what."""

    rows: int
    threads: int
    machine: dict[str, str]
    warnings: list[str]
    costs: dict[str, dict[str, Cost]]
    kernels: Kernels
    words_in_c: Section
    words_in_python: Section
    columns: Section
    formats: Section
    one_value: Section
    arrays: Section
    frames: Section
    sqlite: Section
    startup: Section
    files: Section
    aes: Section
    ff1: Section
    hashes: Section
    sharing: Section
    masked: Section
    golang: Section
    javascript: Section
    missing: list[str]
    postgres: Section | None = None
    spark: Section | None = None

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that are lists of groups."""
        return (
            *(self.words_in_c, self.words_in_python, self.columns),
            *(self.formats, self.one_value, self.arrays),
            *(self.frames, self.sqlite, self.startup),
            *(self.files, self.aes, self.ff1, self.hashes, self.sharing),
            *(self.masked, self.golang, self.javascript),
            *((self.postgres,) if self.postgres else ()),
            *((self.spark,) if self.spark else ()),
        )


def find(section: Section, group: str, timing: str) -> Timing | None:
    """Return a timing by the beginning of its group's title and by its label, if there is one."""
    return next(
        (
            own
            for each in section.groups
            if each.title.startswith(group)
            for own in each.timings
            if own.label == timing
        ),
        None,
    )


def figure(value: float) -> str:
    """Write a figure with three digits that mean something."""
    if value >= 1000:
        digits = len(str(int(value)))
        return f"{round(value, 3 - digits):,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def rate(values_per_second: float) -> str:
    """Write values a second, millions as such."""
    if values_per_second >= 1e6:
        return f"{figure(values_per_second / 1e6)} million/s"
    return f"{figure(values_per_second)}/s"


def duration(seconds: float) -> str:
    """Write a duration with its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{figure(seconds / size)} {unit}"
    return f"{figure(seconds * 1e9)} ns"


def in_unit(unit: Unit, seconds: float) -> str:
    """Write the time of one value or byte as a figure of a unit, without that unit's name."""
    return figure(unit.figure(seconds))
