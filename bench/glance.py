# SPDX-License-Identifier: Apache-2.0
"""The few figures at the head of the document, from a run's results."""

from __future__ import annotations

from dataclasses import dataclass

from .results import Results, duration, figure, rate
from .timing import Section, Timing, Unit

_HEAD = ["| | Tallystick | compared with |", "|---|---|---|"]


def table(results: Results) -> list[str]:
    """Return the lines of a Markdown table; rows that were not measured are left out."""
    rows = (stated.row(results) for stated in STATED)
    return [*_HEAD, *(row for row in rows if row)]


@dataclass(frozen=True, slots=True)
class Stated:
    """A row: what it is about, where in the results it stands, and whom it stands beside.

    `group` is how the group's title begins. Ours is the timing that is named, or the group's first.
    """

    what: str
    section: str
    group: str
    ours: str = ""
    beside: tuple[str, ...] = ()

    def row(self, results: Results) -> str | None:
        """Write the row; None: it was not measured."""
        section: Section | None = getattr(results, self.section)
        groups = section.groups if section else ()
        group = next((each for each in groups if each.title.startswith(self.group)), None)
        if group is None:
            return None
        timings = {timing.label: timing for timing in group.timings}
        ours = timings.get(self.ours) if self.ours else group.timings[0]
        if ours is None:
            return None
        others = (
            f"{label.removeprefix('Tallystick, ')} {_said(timings[label], group.unit)}"
            for label in self.beside
            if label in timings
        )
        return f"| {self.what} | {_said(ours, group.unit)} | {', '.join(others)} |"


STATED = (
    Stated(
        "a value of 16 digits, Python", "words_in_python", "value, 16 digits", "", ("ff3", "pyffx")
    ),
    Stated(
        "a column of 16 digits, Arrow",
        "columns",
        "16 digits",
        "",
        ("fast-cipher", "ff3", "fpe FF1 (Rust)", "fpe FF1 (Go)"),
    ),
    Stated(
        "a column of 16 digits, Polars series",
        "frames",
        "Polars",
        "a series",
        ("Polars copies it",),
    ),
    Stated(
        "a column of 16 digits, DuckDB query",
        "frames",
        "DuckDB",
        "a query, streamed",
        ("DuckDB copies it",),
    ),
    Stated(
        "CSV, 4 of 7 columns", "files", "CSV", "Tallystick, protect", ("pyarrow copies, and fsync",)
    ),
    Stated(
        "Parquet, 4 of 7 columns",
        "files",
        "Parquet",
        "Tallystick, protect",
        ("pyarrow copies, and fsync",),
    ),
    Stated("one word of 16 digits, C", "words_in_c", "radix 10", "encrypt"),
    Stated("a new key and its first word, C", "words_in_c", "radix 10", "first word"),
    Stated(
        "AES-128, blocks, 16 KiB", "aes", "AES-128 encrypt, 16 KiB", "", ("aes (Rust)", "OpenSSL")
    ),
    Stated("AES-128, counter mode, 16 KiB", "aes", "AES-128 CTR, 16 KiB", "", ("OpenSSL",)),
    Stated(
        "AES-128, blocks, without AES instructions, AVX2",
        "aes",
        "AES-128 encrypt, 16 KiB",
        "bitslice-avx2",
        ("bitslice-sse2", "bitslice"),
    ),
    Stated(
        "masked AES-128, two shares, words of 64 bits",
        "masked",
        "order 1, key expanded before, the generator's masks",
        "64 bits",
        ("512 bits",),
    ),
    Stated(
        "Shamir, 1 MB, 2 of 5, split",
        "sharing",
        "split, 1 MB, 2 of 5",
        "",
        ("vsss-rs (Rust)", "Vault (Go)"),
    ),
    Stated("authentic shares, 32 bytes, 3 of 5", "sharing", "authentic split, 32 bytes, 3 of 5"),
    Stated("dispersal, 3 of 5, in memory", "sharing", "disperse, 3 of 5"),
    Stated("Reed-Solomon 10+4", "sharing", "Reed-Solomon 10+4, 128 KiB", "", ("klauspost (Go)",)),
    Stated(
        "a word of 16 digits, Go", "golang", "word of 16 digits", "", ("Tallystick, WebAssembly",)
    ),
    Stated(
        "10,000 strings of 16 digits, Go",
        "golang",
        "batch of 10000, strings of 16 digits",
        "",
        ("fpe FF1",),
    ),
    Stated("Shamir, 1 MB, 2 of 5, split, Go", "golang", "split, 1 MB, 2 of 5", "", ("Vault",)),
    Stated("a column of card numbers, SQLite", "sqlite", "tally_protect", "card"),
    Stated("`tallystick --help`", "startup", "command line", "tallystick --help"),
    Stated("`tallystick protect --help`", "startup", "command line", "tallystick protect --help"),
)


def _said(timing: Timing, unit: Unit) -> str:
    """Return a median in words, in its group's unit."""
    if unit in (Unit.NANOSECONDS, Unit.MILLISECONDS):
        return duration(timing.median)
    if unit is Unit.VALUES_PER_SECOND:
        return rate(1 / timing.median)
    rate_of_bytes = 1 / timing.median
    if rate_of_bytes >= 1e9:
        return f"{figure(rate_of_bytes / 1e9)} GB/s"
    return f"{figure(rate_of_bytes / 1e6)} MB/s"
