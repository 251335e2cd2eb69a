# SPDX-License-Identifier: Apache-2.0
"""Write the vectors of all formats to a folder that does not have them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from format_vectors import (
    coarser_cases,
    layout_cases,
    number_cases,
    one_way_cases,
    option_cases,
    plan_cases,
    refused,
    script_cases,
    text_cases,
)
from format_vectors.descriptions import refusal_of
from format_vectors.making import begin
from format_vectors.record import REASONS, Case, record
from vectors import load

MAKERS: dict[str, tuple[int, Callable[[], list[Case]]]] = {
    "formats_text": (0, text_cases.cases),
    "formats_presets": (126, text_cases.presets),
    "formats_numbers": (194, number_cases.cases),
    "formats_layouts": (275, layout_cases.cases),
    "formats_plans": (332, plan_cases.cases),
    "formats_scripts": (332, script_cases.cases),
    "formats_one_way": (424, one_way_cases.cases),
    "formats_grouped": (500, number_cases.grouped),
    "formats_names": (0, lambda: load("formats_names")),  # no program wrote its inputs
    "formats_coarser": (700, coarser_cases.cases),
    "formats_ciphers": (750, coarser_cases.ciphers),
}
"""The number of the first case of each file, and what makes the cases."""

LATER: dict[str, tuple[int, Callable[[], list[Case]]]] = {
    "formats_presets": (600, option_cases.cases),
}
"""The same of cases that came later, at the end of a file: those before them never change."""

_LISTS = ("values", "invalid")


def line(value: object) -> str:
    """Write a value in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _members(table: dict[str, Any], indent: str) -> str:
    parts = []
    for name, value in table.items():
        if name == "columns":
            parts.append(f'"columns": [{", ".join(_object(one, indent + " ") for one in value)}]')
        elif name in _LISTS and value:
            rows = f",\n{indent} ".join(map(line, value))
            parts.append(f"{line(name)}: [\n{indent} {rows}]")
        else:
            parts.append(f"{line(name)}: {line(value)}")
    return f",\n{indent}".join(parts)


def _object(table: dict[str, Any], indent: str = "  ") -> str:
    return "{" + _members(table, indent) + "}"


def text_of_cases(cases: list[Case]) -> str:
    """Write cases, a value a line."""
    return "[\n " + ",\n ".join(map(_object, cases)) + "\n]\n"


def errors() -> list[Case]:
    """Return what is refused, and how."""
    found = []
    for described in refused.candidates():
        try:
            place, message = refusal_of(described)
        except AssertionError:  # it is a format
            continue
        found.append({"format": described, "place": place, "message": message})
    return found


def main(folder: Path) -> None:
    """Write the files; one that exists is an error."""
    for name, (first, make) in MAKERS.items():
        begin(first)
        cases = make()
        if name in LATER:
            first, make = LATER[name]
            begin(first)
            cases += make()
        with (folder / f"{name}.json").open("x", encoding="utf-8") as file:
            file.write(text_of_cases([record(case) for case in cases]))
    reasons = [{"reason": number, "text": text} for number, text in enumerate(REASONS) if number]
    for name, found in (("formats_refused", errors()), ("formats_reasons", reasons)):
        with (folder / f"{name}.json").open("x", encoding="utf-8") as file:
            file.write("[\n " + ",\n ".join(map(line, found)) + "\n]\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
