# SPDX-License-Identifier: Apache-2.0
"""What speed is aimed at, and the slowest figure of a run for each goal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb, perm

from .kernels import COLUMN, KEPT, LANES, TWEAKS, WORDS, Kernels
from .results import Results, duration, rate
from .timing import Group, Section, Timing

_HEAD = ["| | goal | slowest | which | met |", "|---|---:|---:|---|---|"]
_TEXT_RADICES = range(2, 96)
"""Radices of the columns of text; longer alphabets have two bytes a letter."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: at least so many values a second, or at most so many seconds or times as long.

    Attributes
    ----------
    what : str
        What it is about.
    section : str
        Where in the results that stands.
    groups : tuple of str
        How the titles of the groups begin that count.
    timing : str
        The label of the timing that counts; all count if it is empty.
    least_rate, most_seconds, most_ratio : float
        The limit, one of the three; a ratio is to the group's first timing.
    """

    what: str
    section: str
    groups: tuple[str, ...]
    timing: str = ""
    least_rate: float = 0.0
    most_seconds: float = 0.0
    most_ratio: float = 0.0

    def row(self, results: Results) -> str | None:
        """Write the row; None: nothing of it was measured."""
        section: Section | None = getattr(results, self.section)
        found = [
            (self._measure(group, timing), group, timing)
            for group in (section.groups if section else ())
            if group.title.startswith(self.groups)
            for timing in group.timings
            if self.timing in ("", timing.label)
        ]
        if not found:
            return None
        slowest, group, timing = max(found, key=lambda each: each[0])
        which = group.title if self.timing or self.most_ratio else timing.label
        return _row(
            self.what,
            self._said(self._limit),
            self._said(slowest),
            which,
            met=slowest <= self._limit,
        )

    @property
    def _limit(self) -> float:
        return 1 / self.least_rate if self.least_rate else self.most_seconds or self.most_ratio

    def _measure(self, group: Group, timing: Timing) -> float:
        return group.ratio(timing) if self.most_ratio else timing.median

    def _said(self, measure: float) -> str:
        if self.most_ratio:
            return f"{measure:.2f} times"
        return rate(1 / measure) if self.least_rate else duration(measure)


def _formats(what: str, *groups: str, millions: float) -> Goal:
    return Goal(what, "formats", groups, least_rate=millions * 1e6)


GOALS = (
    _formats(
        "columns of patterns, IBANs, UUIDs, phone numbers, numbers and times",
        *("codes", "phone numbers", "numbers and times"),
        millions=15,
    ),
    _formats("columns of national identifiers", "national identifiers", millions=5),
    _formats("columns of names by script", "names by script", millions=10),
    _formats(
        "columns of IPv4 and IPv6 addresses, rows with a network of their own left out",
        "addresses of networks",
        millions=15,
    ),
    _formats("columns of masks and pseudonyms", "masks and pseudonyms", millions=10),
    Goal(
        "cards whose last four digits are kept, Python",
        "columns",
        ("card, the last four digits kept",),
        least_rate=10e6,
    ),
    Goal(
        "cards whose last four digits are kept, Go with cgo",
        "golang",
        ("column of 1,048,576 cards, the last four digits kept",),
        "Tallystick",
        least_rate=10e6,
    ),
    *(
        Goal(f"{title}, Python", "columns", (title,), least_rate=25e6)
        for title in ("16 digits, 10,000 tweaks", "e-mail, domain as tweak")
    ),
    Goal(
        "words of FF1 in memory, C, with AVX-512 and VAES",
        "ff1",
        ("16 symbols of radix 10",),
        "vaes-avx512, IFMA",
        least_rate=50e6,
    ),
    Goal(
        "words of FF1 in memory, C, with AES-NI alone",
        "ff1",
        ("16 symbols of radix 10",),
        "aes-ni",
        least_rate=8e6,
    ),
    Goal(
        "one word of FF1, C",
        "ff1",
        ("16 symbols of radix 10",),
        "vaes-avx512, IFMA, one a call",
        most_seconds=1e-6,
    ),
    Goal(
        "a column of FF1, Python",
        "columns",
        ("FF1, column of 16 digits",),
        least_rate=35e6,
    ),
    Goal(
        "a column of FF1 with a tweak of 8 bytes for each row, Python",
        "columns",
        ("FF1, 16 digits, a tweak of 8 bytes a row",),
        least_rate=25e6,
    ),
    Goal(
        "a column of FF1, Go with cgo",
        "golang",
        ("FF1, column of 16 digits",),
        "Tallystick",
        least_rate=35e6,
    ),
    Goal(
        "a column of FF1 with a tweak of 8 bytes for each row, Go with cgo",
        "golang",
        ("FF1, column with a tweak of 8 bytes a row",),
        "Tallystick",
        least_rate=25e6,
    ),
    Goal(
        "one value of FF1, Go with cgo",
        "golang",
        ("FF1, text of 16 digits",),
        "Tallystick",
        most_seconds=1.5e-6,
    ),
    Goal("one value, Python", "one_value", ("",), most_seconds=3e-6),
    Goal("one value, Go", "golang", ("one value, ",), "Tallystick", most_seconds=1.5e-6),
    *(
        Goal(
            f"a column of 16 digits in PostgreSQL, one process, {cipher}",
            "postgres",
            ("PostgreSQL, one process",),
            f"tally_protect, {text}",
            least_rate=2e6,
        )
        for cipher, text in (("FAST", "16 digits"), ("FF1", "FF1, 16 digits"))
    ),
    Goal(
        "a second process for a query in PostgreSQL, by the clock",
        "postgres",
        ("PostgreSQL, parallel workers",),
        "FF1, 1 workers",
        most_ratio=0.6,
    ),
    Goal(
        "a column of 16 digits in DuckDB, beside DuckDB's copy",
        "frames",
        ("DuckDB, the extension",),
        "tally_protect",
        most_ratio=1 / 0.6,
    ),
    Goal(
        "a second thread of DuckDB, by the clock",
        "frames",
        ("DuckDB, the extension's threads",),
        "tally_protect, 2 threads",
        most_ratio=0.6,
    ),
    Goal(
        "a column of 16 digits in Node.js, WebAssembly",
        "javascript",
        ("columns",),
        "Tallystick, an Arrow vector",
        least_rate=8e6,
    ),
    Goal(
        "a column of 16 digits in Node.js, native",
        "javascript",
        ("columns",),
        "native, an Arrow vector",
        least_rate=50e6,
    ),
    Goal("one value, Node.js", "javascript", ("one value",), "Tallystick", most_seconds=3e-6),
    Goal(
        "one value, Node.js, native",
        "javascript",
        ("one value",),
        "Tallystick, native",
        most_seconds=3e-6,
    ),
    Goal("a column in SQLite", "sqlite", ("tally_protect",), least_rate=250_000),
    Goal(
        "Parquet, beside pyarrow's copy and fsync",
        "files",
        ("Parquet",),
        "Tallystick, protect",
        most_ratio=1.3,
    ),
    Goal(
        "CSV, beside pyarrow's copy and fsync",
        "files",
        ("CSV",),
        "Tallystick, protect",
        most_ratio=1.2,
    ),
    Goal(
        "`tallystick --help`",
        "startup",
        ("command line",),
        "tallystick --help",
        most_seconds=0.05,
    ),
    Goal(
        "`tallystick protect --help`",
        "startup",
        ("command line",),
        "tallystick protect --help",
        most_seconds=0.15,
    ),
)
MOST_OF_LANES = 1.25
"""How many times as long as in lanes words in memory and text columns may take."""


IDNR_VALUES = 9 * (comb(10, 2) * perm(9, 8) + comb(10, 3) * perm(9, 7))
"""Numbers of `de.idnr`: ten digits, the first not 0, one twice or three times, no other twice."""
_IDNR_RADIX, _IDNR_LENGTH = 98, 5
"""Of the words that carry all numbers of ten digits."""
_IDNR_LANES, _IDNR_ONE = 180e6, 665e-9
"""Such words a second in lanes with AVX-512, and the seconds of one word: measured by themselves on
an Intel Xeon with AVX-512, processor time, the median of 31 repetitions."""


def idnr() -> str:
    """Say what the cipher alone leaves of the goals for `de.idnr`, whose bytes do not change."""
    steps = _IDNR_RADIX**_IDNR_LENGTH / IDNR_VALUES
    least = steps * _IDNR_ONE
    return (
        f"de.idnr takes {steps:.1f} steps of cycle walking on average: of the "
        f"{_IDNR_RADIX}^{_IDNR_LENGTH} words that its cipher permutes, {IDNR_VALUES:,} are "
        f"numbers. Lanes encrypt {_IDNR_LANES / 1e6:.0f} million such words a second, so a column "
        f"can't have more than {rate(_IDNR_LANES / steps)}, if decoding and the check of each step "
        f"took no time. One word takes {duration(_IDNR_ONE)}, so one value takes at least "
        f"{duration(least)}: the goals for one value can't be met."
    )


def table(results: Results) -> list[str]:
    """Return the lines of a Markdown table; goals of which nothing was measured are left out."""
    rows = [
        *_lanes(results.kernels),
        *_row_tweaks(results.kernels),
        *(goal.row(results) for goal in GOALS),
    ]
    return [*_HEAD, *(row for row in rows if row)]


_ROW_TWEAKS = (
    (TWEAKS, "16 digits in C, a tweak for each row", 2.5e6),
    (KEPT, "16 digits in C, the last four kept", 25e6),
)


def _row_tweaks(kernels: Kernels) -> Iterator[str]:
    """Give the goals of columns whose rows have tweaks, with AVX-512."""
    for work, what, least in _ROW_TWEAKS:
        found = [
            (measured.rate, "decrypt" if decrypt else "encrypt")
            for decrypt in (False, True)
            if (measured := kernels.get("avx512", ("fast", 10), work, decrypt=decrypt))
        ]
        if found:
            slowest, which = min(found)
            yield _row(what, rate(least), rate(slowest), which, met=slowest >= least)


def _lanes(kernels: Kernels) -> Iterator[str]:
    """Give the goals of words in memory and columns, on the best instruction set."""
    for work, what in (
        (WORDS, "words in memory"),
        (COLUMN, f"text columns in C, up to radix {_TEXT_RADICES[-1]}"),
    ):
        found = [
            (lanes.rate / own.rate, f"radix {kind[1]}, {'decrypt' if decrypt else 'encrypt'}")
            for kind in kernels.kinds
            if work == WORDS or kind[1] in _TEXT_RADICES
            for decrypt in (False, True)
            if (lanes := kernels.get(kernels.levels[0], kind, LANES, decrypt=decrypt))
            and (own := kernels.get(kernels.levels[0], kind, work, decrypt=decrypt))
        ]
        if found:
            slowest, which = max(found)
            yield _row(
                f"{what}, beside words in lanes",
                f"{MOST_OF_LANES:.2f} times",
                f"{slowest:.2f} times",
                which,
                met=slowest <= MOST_OF_LANES,
            )


def _row(what: str, goal: str, slowest: str, which: str, *, met: bool) -> str:
    return f"| {what} | {goal} | {slowest} | {which} | {'yes' if met else 'no'} |"
