# SPDX-License-Identifier: Apache-2.0
"""Every format from Python, one thread: columns of text, and one value a call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa

from tallystick import Tokenizer, formats

from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, looped, side_by_side

KEY = bytes(range(16))
MEASURED = Path(__file__).parent / "go" / "beside" / "formats.json"
"""What is measured, from Go too: by the title of a group a label, a format and a value of each."""


VALUES = 64
"""Values that are protected one at a time."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A format that is measured.

    Attributes
    ----------
    label : str
        How tables call it.
    form : Format
        The format.
    value : str
        A valid value.
    source : Format
        The format whose tokens of `value` are the column's values.
    entities : int
        How many tweaks the rows have; 0: they have none.
    """

    label: str
    form: formats.Format
    value: str
    source: formats.Format
    entities: int

    @classmethod
    def of(cls, described: dict[str, Any]) -> Measured:
        """Read an entry of `MEASURED`."""
        form = formats.of_description({"type": described["type"], **described.get("options", {})})
        source = formats.of_description(described["source"]) if "source" in described else form
        entities = described.get("entities", 0)
        return cls(described["label"], form, described["value"], source, entities)

    def tokenizer(self) -> Tokenizer:
        """Return what protects values; some of the formats need no key."""
        return Tokenizer(self.form, KEY if self.form.keyed else None, namespace="bench")

    def column(self, rows: int) -> pa.Array:
        """Make values that differ from row to row: tokens of one value under many tweaks."""
        source = Tokenizer(self.source, KEY, namespace="source")
        return source.protect(pa.array([self.value] * rows), pa.array(range(rows)))


def measured() -> Iterator[tuple[str, list[Measured]]]:
    """Give the title of each group with its formats."""
    for title, described in json.loads(MEASURED.read_text()).items():
        yield title, [Measured.of(one) for one in described]


def columns(rows: int, repetitions: int, say: Callable[[str], None]) -> Section:
    """Measure columns of text of every format."""
    groups = []
    for title, own in measured():
        say(f"columns of every format: {title}")
        cases = [_column(one, rows) for one in own]
        timings = side_by_side(cases, repetitions, time.thread_time)
        groups.append(Group(title, Unit.VALUES_PER_SECOND, timings, ratios=False))
    one_row = Measured.of({"label": "digits", "type": "digits", "value": "4916338506082832"})
    call = looped("digits", _column(one_row, 1).run)
    alone = side_by_side([call], repetitions, time.thread_time)
    groups.append(Group("an array of one row", Unit.NANOSECONDS, alone, ratios=False))
    return Section(
        f"Columns of every format, from Python: {rows:,} values, one thread",
        tuple(groups),
        (
            "CPU time of the thread. Values differ from row to row: each is a token of one value "
            "under another tweak. The array of one row shows the cost of a call from Python. It is "
            "at most 2 % of a column's time, so the core alone is not faster by more.",
        ),
    )


def _column(one: Measured, rows: int) -> Case:
    tool, values = one.tokenizer(), one.column(rows)
    tweaks = pa.array([row % one.entities for row in range(rows)]) if one.entities else None
    if not one.form.one_way and tool.reveal(tool.protect(values, tweaks), tweaks) != values:
        raise WrongResultError(f"format {one.label} does not give values back")
    return Case(one.label, lambda: tool.protect(values, tweaks), rows)


def one_value(repetitions: int) -> Section:
    """Measure calls with one value of every format."""
    return Section(
        "One value of every format, from Python",
        tuple(
            Group(
                title,
                Unit.NANOSECONDS,
                side_by_side([_value(one) for one in own], repetitions, time.thread_time),
                ratios=False,
            )
            for title, own in measured()
        ),
        (
            f"Tokenizer.protect with a string, one of {VALUES} values in turn, because some take "
            "more rounds than others. Their tweak is cached, unless a value has its own.",
        ),
    )


def _value(one: Measured) -> Case:
    tool, values = one.tokenizer(), cycle(one.column(VALUES).to_pylist())
    if one.entities:
        return looped(one.label, lambda: tool.protect(next(values), "1"), 0.005)
    return looped(one.label, lambda: tool.protect(next(values)), 0.005)
