# SPDX-License-Identifier: Apache-2.0
"""People, some of whose values do not fit, and the run whose report is looked at."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.protection import RunOptions, protect_file
from tallystick.report import page as page_module
from tallystick.report.run import Outline, Report

ROWS = 600
POLICY = """
[columns]
name = { format = "unicode", key = "people:1", namespace = "name", on_invalid = "keep" }
account = { format = "digits", key = "people:1", namespace = "account", tweak = "number" }
born = { format = "date", key = "people:1", namespace = "birth" }
phone = { format = { type = "mask", keep_last = 3 } }
mail = { format = "pseudonym", key = "people:2", namespace = "mail" }
town = { format = "letters", key = "people:1", namespace = "town", on_invalid = "null" }
"""
POLICY_NUMBER = """points = { format = { type = "integer", min = 0, max = 99999999 }, \
key = "people:1", namespace = "points" }
"""


def people() -> pa.Table:
    """Return rows whose values are so unlike all else that a page can be searched for them."""
    draw = random.Random(7)  # noqa: S311  # values, not keys

    def word(size: int, symbols: str = "abcdefghijklmnopqrstuvwxyz") -> str:
        return "".join(draw.choices(symbols, k=size))

    columns: dict[str, list[object]] = {
        "number": [f"n{word(8, '0123456789')}n" for _ in range(ROWS)],
        "name": [f"Jéj{word(7)} Özö{word(draw.randint(5, 9))}" for _ in range(ROWS)],
        "account": [word(draw.choice((9, 10, 12)), "0123456789") for _ in range(ROWS)],
        "born": [date(1950, 1, 1) + timedelta(draw.randint(0, 20_000)) for _ in range(ROWS)],
        "phone": [f"+49 {word(10, '0123456789')}" for _ in range(ROWS)],
        "mail": [f"{word(9)}@{word(5)}.example" for _ in range(ROWS)],
        "town": [draw.choice(("Xyloburgh", "Quuxhaven", "Wibbleton")) for _ in range(ROWS)],
        "remark": [f"remark-{word(10)}" for _ in range(ROWS)],
    }
    for row in range(0, ROWS, 4):
        columns["name"][row] = f"{word(6)} #{word(6)}"
    for row in (10, 20, 590):
        columns["town"][row] = "Q7"  # not of letters
    columns["phone"][5] = columns["account"][6] = None
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def write_wide_report(directory: Path, ring: Keyring) -> Path:
    """Write a report that needs much room: long names, wide symbols, 10,000,000,000 rows.

    The run is a real one of 600 rows; what it counted is multiplied.
    """
    draw = random.Random(3)  # noqa: S311
    letters = "abcdefghijklmnopqrstuvwxyz"
    printable, wide = "".join(map(chr, range(32, 127))), "".join(map(chr, range(0x4E00, 0x4E3C)))
    symbols = {
        "ascii": (printable, "ascii", 200),
        "wide": (wide, "unicode", 9),
        "c": (letters, "letters", 90),
        "customer_billing_address_street_name_and_house_number": (letters, "letters", 9),
        "x" * 150: (letters, "letters", 9),
    }
    columns = {
        name: ["".join(draw.choices(chars, k=draw.randint(2, most))) for _ in range(ROWS)]
        for name, (chars, _, most) in symbols.items()
    }
    columns["customer_billing_address_town" * 3] = ["x"] * ROWS
    columns["c"][:50] = ["1"] * 50
    rules = [
        f'"{name}" = {{ format = "{form}", key = "people:1", '
        f'namespace = "the namespace of {name}", on_invalid = "null" }}'
        for name, (_, form, _) in symbols.items()
    ]
    source = directory / f"{'quarterly_export_of_all_customers_' * 3}.csv"
    pyarrow.csv.write_csv(pa.table(columns), source)
    real, many = page_module.page, 10**10 // ROWS + 1

    def page(report: Report, outline: Outline) -> str:
        for counts in outline.counts.values():
            counts.rows *= many
            counts.small *= many
            counts.invalid.update({reason: n * many for reason, n in counts.invalid.items()})
        done = replace(outline.done, rows=10**10, bytes_in=outline.done.bytes_in * many)
        return real(report, replace(outline, done=done, seconds=123_456.7))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "page", page)
        target, report = directory / f"tokens_of_{source.name}", directory / "wide.html"
        policy = Policy.parse("[columns]\n" + "\n".join(rules))
        protect_file(source, target, policy, ring, RunOptions(report=report))
    return report


@dataclass(frozen=True, slots=True)
class Place:
    """A directory with a file of people, its tokens, the report about both, and what made them."""

    directory: Path
    ring: Keyring
    policy: Policy
    table: pa.Table

    def path(self, name: str) -> Path:
        return self.directory / name
