# SPDX-License-Identifier: Apache-2.0
"""People, some of whose values do not fit, and the run whose report is looked at."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa

from tallystick.keyring import Keyring
from tallystick.policy import Policy

ROWS = 600
POLICY = """
[columns]
name = { format = "unicode", key = "people:1", domain = "name", unfit = "keep" }
account = { format = "digits", key = "people:1", domain = "account", tweak = "number" }
born = { format = "date", key = "people:1", domain = "birth" }
phone = { format = { type = "mask", keep_last = 3 } }
mail = { format = "pseudonym", key = "people:2", domain = "mail" }
town = { format = "letters", key = "people:1", domain = "town", unfit = "null" }
"""
POLICY_NUMBER = """points = { format = { type = "integer", min = 0, max = 99999999 }, \
key = "people:1", domain = "points" }
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


@dataclass(frozen=True, slots=True)
class Place:
    """A directory with a file of people, its tokens, the report about both, and what made them."""

    directory: Path
    ring: Keyring
    policy: Policy
    table: pa.Table

    def path(self, name: str) -> Path:
        return self.directory / name
