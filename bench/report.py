# SPDX-License-Identifier: Apache-2.0
"""The figures as tables for people, and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from .kernels import COLUMN, KEPT, LANES, LENGTH, TWEAKS, WORDS, Kernels, Measured, Point
from .results import Results, figure, in_unit
from .timing import Group, Section, Timing


def show_machine(console: Console, machine: dict[str, str]) -> None:
    """Print what the figures were measured on."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in machine.items():
        table.add_row(f"[bold]{name}", value)
    console.print(table)


def show(console: Console, section: Section) -> None:
    """Print a section: a line for each timing, behind it how it compares."""
    ratios = any(group.ratios for group in section.groups)
    table = Table(title=section.title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("")
    table.add_column("")
    for name in ("median", "best"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("unit")
    if ratios:
        table.add_column("time ratio", justify="right")
    for group in section.groups:
        for number, timing in enumerate(group.timings):
            title = group.title if number == 0 else ""
            figures = (in_unit(group.unit, timing.median), in_unit(group.unit, timing.best))
            ratio = f"{group.ratio(timing):,.2f}" if group.ratios else ""
            table.add_row(title, timing.label, *figures, group.unit, *((ratio,) if ratios else ()))
        table.add_section()
    _print(console, table, section)


def show_crosswise(console: Console, section: Section) -> None:
    """Print a section whose groups have the same timings: a line for each group."""
    groups = section.groups
    title = f"{section.title}, {groups[0].unit}: median (best)"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("")
    for timing in groups[0].timings:
        table.add_column(timing.label, justify="right", no_wrap=True)
    for group in groups:
        table.add_row(group.title, *(_both(group, timing) for timing in group.timings))
    _print(console, table, section)


def show_kernels(console: Console, kernels: Kernels) -> None:
    """Print words by the million on each instruction set, and how close they are to the limit."""
    for level in kernels.levels:
        title = f"Million words/s, {level}, {LENGTH} symbols: encrypted / decrypted"
        table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
        head = ("radix", "lanes", "limit", "memory", "column", "tweaks", "kept", "loop")
        for name in head:
            table.add_column(name, justify="right", no_wrap=True)
        for kind in kernels.kinds:
            points = [Point(level, *kind, LENGTH, LANES, decrypt) for decrypt in (False, True)]
            closeness = [close for point in points if (close := kernels.closeness(point))]
            works = {
                work: _millions(kernels.get(level, kind, work, decrypt=d) for d in (False, True))
                for work in (LANES, WORDS, COLUMN, TWEAKS, KEPT)
            }
            table.add_row(
                str(kind[1]) if kind[0] == "fast" else f"{kind[1]}, {kind[0]}",
                works[LANES],
                " / ".join(f"{close:.0%}" for close in closeness),
                *(works[work] for work in (WORDS, COLUMN, TWEAKS, KEPT)),
                _millions(kernels.one_word(kind, decrypt=d) for d in (False, True)),
            )
        console.print()
        console.print(table)
    notes = (
        "lanes: the layers alone. limit: how close they are to the machine's limit. memory: words "
        "in place. column: Arrow text in place. tweaks: the same, with a tweak for each row. "
        "kept: the same, with the last four digits kept, as the tweak. loop: one word a call. "
        "docs/reference/benchmarks.md explains more, and has the other lengths.",
    )
    for note in notes:
        console.print(Padding(note, (0, 2)), style="dim")
    console.print()


def _millions(found: Iterable[Measured | None]) -> str:
    return " / ".join(figure(each.rate / 1e6) for each in found if each)


def disturbed(section: Section) -> list[str]:
    """Return a warning for each timing whose repetitions differ too much."""
    return [
        f"{group.title}, {timing.label}: the median took {timing.median / timing.best:.1f} times "
        "as long as the best, so other load disturbed it; measure again"
        for group in section.groups
        for timing in group.timings
        if timing.disturbed
    ]


def save(path: Path, results: Results) -> None:
    """Write all figures, with every repetition, in the units that they say."""
    document = {
        "machine": results.machine,
        "rows": results.rows,
        "warnings": [*results.warnings, *results.missing],
        "instructions": {
            level: {name: asdict(cost) for name, cost in costs.items()}
            for level, costs in results.costs.items()
        },
        "kernels": results.kernels.as_json(),
        "sections": [
            {
                "title": section.title,
                "notes": section.notes,
                "groups": [_group(group) for group in section.groups],
            }
            for section in results.sections
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")


def _print(console: Console, table: Table, section: Section) -> None:
    console.print()
    console.print(table)
    for note in section.notes:
        console.print(Padding(note, (0, 2)), style="dim")
    console.print()


def _both(group: Group, timing: Timing) -> str:
    median, best = (in_unit(group.unit, seconds) for seconds in (timing.median, timing.best))
    return f"{median} ({best})"


def _group(group: Group) -> dict[str, object]:
    return {
        "title": group.title,
        "unit": group.unit,
        "timings": [
            {
                "label": timing.label,
                "median": group.unit.figure(timing.median),
                "best": group.unit.figure(timing.best),
                "time_ratio": group.ratio(timing) if group.ratios else None,
                "repetitions": [group.unit.figure(seconds) for seconds in timing.seconds],
                "amount": timing.amount,
            }
            for timing in group.timings
        ],
    }
