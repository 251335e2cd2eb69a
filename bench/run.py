# SPDX-License-Identifier: Apache-2.0
"""Measures Tallystick beside its peers: what `make bench` does.

Kernels on each instruction set, single words in C and from Python, columns and values of every
format, frames, SQL, files, AES, FF1, hashes, sharing, masked AES, also on an emulated Cortex-M0+,
the Go packages, PostgreSQL, and Spark; each result is checked before it is timed. Prints tables,
and writes the same figures as JSON and as a document with plots. The programs of bench/*.c must
have been built.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

# A script's own folder is on the path; these modules are a package in the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import (
    aes,
    arrays,
    columns,
    cortex_m0,
    ff1,
    files,
    foreign,
    formats,
    frames,
    glance,
    goals,
    golang,
    hashes,
    javascript,
    kernels,
    limits,
    machine,
    masked,
    plots,
    postgres,
    report,
    sharing,
    spark,
    sqlite,
    startup,
    words,
)
from bench.document import document
from bench.errors import WrongResultError
from bench.results import Results
from bench.timing import Section

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
DATA = ROOT / "build" / "bench-data"
LEAST_ROWS, MANY_ROWS, MOST_ROWS = 10_000, 5_000_000, 50_000_000
MOST_OF_FORMATS = 100_000
"""Rows of each format, by its name and by the type of Arrow, and of SQLite: more tell no more."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured: rows, and repetitions of words, of kernels, and of columns and files.

    `spark` is rows there, where fewer would be lost in what any job takes. `rough` leaves out most
    radices and lengths of kernels.
    """

    rows: int
    words: int
    kernels: int
    columns: int
    spark: int
    rough: bool


FULL = Scale(rows=1_000_000, words=15, kernels=5, columns=5, spark=4_000_000, rough=False)
QUICK = Scale(rows=100_000, words=3, kernels=3, columns=3, spark=1_000_000, rough=True)


def measure(
    scale: Scale,
    console: Console,
    description: dict[str, str],
    warnings: list[str],
    say: Callable[[str], None],
) -> Results:
    """Take all measurements, print each when it is there, and say which one is being taken."""
    threads = machine.cores()

    def done(section: Section, show: Callable[[Console, Section], None]) -> Section:
        show(console, section)
        doubts = report.disturbed(section)
        warn(console, doubts)
        warnings.extend(doubts)
        return section

    others, missing = foreign.build(BUILD, say)
    for sentence in missing:
        console.print(sentence)
    say("what instructions cost, and which ones the kernels execute")
    costs = limits.instruction_costs(BUILD / "ports", scale.words)
    bounds = limits.limits(BUILD / "kernels", costs, rough=scale.rough)
    in_lanes = kernels.measure(
        BUILD / "kernels", bounds, repetitions=scale.kernels, rows=scale.rows, rough=scale.rough,
        say=say,
    )  # fmt: skip
    report.show_kernels(console, in_lanes)
    warn(console, in_lanes.disturbed())
    warnings += in_lanes.disturbed()
    say("words in C")
    in_c = done(words.in_c(BUILD / "fast", BUILD / "cold", scale.words), report.show_crosswise)
    say("words from Python, beside the peers")
    in_python = done(words.in_python(scale.words), report.show)
    in_memory = columns.columns(scale.rows, scale.columns, threads, others, say)
    done(in_memory, report.show)
    some = min(scale.rows, MOST_OF_FORMATS)
    in_formats = done(formats.columns(some, scale.columns, say), report.show)
    say("one value of every format")
    one_value = done(formats.one_value(scale.columns), report.show)
    say("columns by Arrow type")
    by_type = done(arrays.arrays(some, scale.columns), report.show)
    in_frames = done(frames.frames(10 * scale.rows, scale.columns, say), report.show)
    say("SQLite")
    in_sqlite = done(sqlite.sqlite(some, scale.columns), report.show)
    say("start-up of Python")
    starts = done(startup.startup(scale.columns), report.show)
    on_disk = done(files.files(DATA, scale.rows, scale.columns, threads, say), report.show)
    say("FF1 in C")
    standard = done(ff1.ff1(BUILD / "ff1", scale.words, others), report.show)
    say("hashes in C")
    digests = done(hashes.hashes(BUILD / "sha2", scale.words), report.show)
    aes_peers, no_aes_peers = aes.build(BUILD, say)
    for sentence in no_aes_peers:
        console.print(sentence)
    say("AES, beside the peers")
    ciphers = done(aes.aes(BUILD / "aes", aes_peers, scale.columns), report.show)
    programs, more_missing = sharing.build(BUILD, say)
    for sentence in more_missing:
        console.print(sentence)
    say("sharing, beside the peers")
    by_pycryptodome = sharing.pycryptodome(scale.columns)
    shared = done(
        sharing.sharing(BUILD / "sharing", programs, by_pycryptodome, scale.columns), report.show
    )
    say("masked AES")
    in_shares = done(masked.masked(BUILD / "masked", scale.columns), report.show)
    in_go, no_go = golang.build(BUILD, say)
    for sentence in no_go:
        console.print(sentence)
    say("the Go packages, beside their peers")
    from_go = done(golang.golang(in_go, scale.columns), report.show)
    say("JavaScript in Node.js")
    from_node = done(javascript.javascript(scale.columns), report.show)
    in_postgres, no_postgres = postgres.postgres(10 * scale.rows, scale.columns, say)
    for sentence in no_postgres:
        console.print(sentence)
    if in_postgres:
        done(in_postgres, report.show)
    on_spark, no_spark = spark.spark(DATA, scale.spark, scale.columns, say)
    for sentence in no_spark:
        console.print(sentence)
    if on_spark:
        done(on_spark, report.show)
    return Results(
        scale.rows, threads, description, warnings, costs, in_lanes, in_c, in_python, in_memory,
        in_formats, one_value, by_type, in_frames, in_sqlite, starts, on_disk, ciphers, standard,
        digests, shared, in_shares, from_go, from_node,
        missing + no_aes_peers + more_missing + no_go + no_postgres + no_spark, in_postgres,
        on_spark,
    )  # fmt: skip


def publish(results: Results, docs: Path) -> None:
    """Write the document with its plots into a folder."""
    plots.draw(results, docs / "benchmarks")
    (docs / "benchmarks.md").write_text(document(results, "benchmarks"))


def warn(console: Console, warnings: list[str]) -> None:
    """Print what makes figures doubtful."""
    for warning in warnings:
        console.print(f"[bold]warning:[/] {warning}")


def options_of() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description="Measure Tallystick beside its peers.")
    parser.add_argument(
        "--quick", action="store_true",
        help="fewer rows, radices and repetitions: rough figures, which go to build/bench-docs/",
    )  # fmt: skip
    parser.add_argument(
        "--rows", type=int, metavar="N",
        help=f"rows of columns and files, {LEAST_ROWS} to {MOST_ROWS} (default: {FULL.rows}; "
        f"quick: {QUICK.rows})",
    )  # fmt: skip
    parser.add_argument(
        "--json", type=Path, default=ROOT / "build" / "bench.json", metavar="FILE",
        help="where all figures go (default: build/bench.json)",
    )  # fmt: skip
    options = parser.parse_args()
    if options.rows is not None and not LEAST_ROWS <= options.rows <= MOST_ROWS:
        parser.error(f"--rows must be {LEAST_ROWS} to {MOST_ROWS}")
    return options


def main() -> int:
    """Measure, print and save; return the exit code."""
    options = options_of()
    usual = QUICK if options.quick else FULL
    rows = options.rows or usual.rows
    # Many rows tell as much in fewer repetitions.
    repetitions = usual.columns if rows < MANY_ROWS else min(usual.columns, 3)
    scale = Scale(rows, usual.words, usual.kernels, repetitions, usual.spark, usual.rough)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 100
    lacks = files.lacking(DATA, rows)
    if lacks:
        console.print(f"bench: FAILED: {'; '.join(lacks)}; choose fewer rows (ROWS=...)")
        return 1
    console.print(
        f"Kernels, words, columns and files of {rows:,} rows: {scale.kernels} repetitions of "
        f"kernels, {scale.words} of words, {scale.columns} of columns and files, those that are "
        "compared in turn."
    )
    description, warnings = machine.describe(BUILD), machine.other_load()
    report.show_machine(console, description)
    warn(console, warnings)
    console.print()
    started = time.monotonic()

    def say(what: str) -> None:
        console.print(f"[dim]{time.monotonic() - started:5.0f} s[/]  {what}")

    try:
        results = measure(scale, console, description, warnings, say)
    except WrongResultError as error:
        console.print(f"bench: FAILED: {error}")
        return 1
    say("masked AES on an emulated Cortex-M0+")
    cycles, not_counted = cortex_m0.tables()
    console.print(cycles, soft_wrap=True, markup=False)
    for sentence in not_counted:
        console.print(sentence)
    report.save(options.json, results)
    docs = ROOT / "build" / "bench-docs" if options.quick else ROOT / "docs" / "reference"
    publish(results, docs)
    if not (options.quick or not_counted):
        cortex_m0.put_in(ROOT / "docs" / "reference" / "masked-aes.md", cycles)
    say("at a glance:")
    console.print("\n".join(glance.table(results)), soft_wrap=True, markup=False)
    say("goals:")
    console.print("\n".join(goals.table(results)), soft_wrap=True, markup=False)
    say(f"done: {(docs / 'benchmarks.md').relative_to(ROOT)} and its plots are written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
