# SPDX-License-Identifier: Apache-2.0
"""Measures Tallystick beside its peers: what `make bench` does.

Single words in C and from Python, columns, and files; each result is checked before it is timed.
Prints tables, and writes the same figures as JSON. The programs of bench/*.c must have been built.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

# A script's own folder is on the path; these modules are a package in the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import columns, files, machine, report, words
from bench.errors import WrongResultError
from bench.timing import Section

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
DATA = ROOT / "build" / "bench-data"


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured: rows, and repetitions of words and of columns and files."""

    rows: int
    words: int
    columns: int


FULL = Scale(rows=1_000_000, words=15, columns=5)
QUICK = Scale(rows=100_000, words=3, columns=3)

Show = Callable[[Console, Section], None]


def measure(scale: Scale, console: Console) -> Iterator[tuple[Section, Show]]:
    """Take all measurements, and say which one is being taken."""
    started = time.monotonic()

    def say(what: str) -> None:
        console.print(f"[dim]{time.monotonic() - started:5.0f} s[/]  {what}")

    say("words in C")
    yield words.in_c(BUILD / "fast", scale.words), report.show_crosswise
    say("words from Python, beside the peers")
    yield words.in_python(scale.words), report.show
    yield columns.columns(scale.rows, scale.columns, say), report.show
    yield files.files(DATA, scale.rows, scale.columns, say), report.show
    say("done")


def warn(console: Console, warnings: list[str]) -> None:
    """Print what makes figures doubtful."""
    for warning in warnings:
        console.print(f"[bold]warning:[/] {warning}")


def main() -> int:
    """Measure, print and save; return the exit code."""
    parser = argparse.ArgumentParser(description="Measure Tallystick beside its peers.")
    parser.add_argument(
        "--quick", action="store_true", help="fewer rows and repetitions: rough figures"
    )
    parser.add_argument(
        "--json", type=Path, default=ROOT / "build" / "bench.json", metavar="FILE",
        help="where all figures go (default: build/bench.json)",
    )  # fmt: skip
    options = parser.parse_args()
    scale = QUICK if options.quick else FULL
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 100

    console.print(
        f"Words, columns and files of {scale.rows:,} rows: {scale.words} repetitions of words, "
        f"{scale.columns} of columns and files, those that are compared in turn."
    )
    description, warnings = machine.describe(BUILD), machine.other_load()
    report.show_machine(console, description)
    warn(console, warnings)
    console.print()
    sections = []
    try:
        for section, show in measure(scale, console):
            show(console, section)
            sections.append(section)
            warn(console, report.disturbed(section))
            warnings += report.disturbed(section)
    except WrongResultError as error:
        console.print(f"bench: FAILED: {error}")
        return 1
    report.save(options.json, description, warnings, sections)
    return 0


if __name__ == "__main__":
    sys.exit(main())
