# SPDX-License-Identifier: Apache-2.0
"""One policy, one table and one key ring for every way into Tallystick."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tallystick.keyring import Keyring, RootKey

Table = dict[str, list[str | None]]
"""Texts by column, of which all have as many."""

Way = Callable[[str, Table], Table]
"""Takes "protect" or "reveal"."""

COLUMNS: dict[str, dict[str, object]] = {
    "ssn": {"format": "ssn"},
    "email": {"format": "email"},
    "whole": {"format": {"type": "email", "part": "all"}},
    "card": {"format": {"type": "card", "keep_last": 4}},
    "phone": {"format": "phone"},
    "iban": {"format": "iban"},
    "uuid": {"format": "uuid"},
    "born": {"format": "date"},
    "name": {"format": "unicode"},
    "code": {"format": "alphanumeric", "tweak": "id"},
    "old": {"format": "digits", "cipher": "ff1"},
    "address": {"format": "ipv6"},
    "note": {"format": "digits", "on_invalid": "keep"},
    "maybe": {"format": "digits", "on_invalid": "null"},
}
"""`id` is a column beside them, which stays."""

NAMES = (
    "Zoë Ångström-Jüçek",
    "Γιάννης Παπαδόπουλος",
    "Анна Ковальчук",
    "王小明",
    "김하늘",
    "O'Neill",
)


def rule(column: str) -> dict[str, object]:
    """Return the rule of a column."""
    return COLUMNS[column] | {"key": "people:1", "namespace": column}


def check_digits(country: str, rest: str) -> str:
    """Return an IBAN with its check digits (ISO 7064, MOD 97-10)."""
    digits = "".join(str(int(character, 36)) for character in f"{rest}{country}00")
    return f"{country}{98 - int(digits) % 97:02}{rest}"


def luhn(digits: str) -> str:
    """Return digits with the check digit of cards."""
    total = sum(
        sum(divmod(2 * int(digit), 10)) if at % 2 == 0 else int(digit)
        for at, digit in enumerate(reversed(digits))
    )
    return f"{digits}{-total % 10}"


def rows(count: int) -> Table:
    """Return rows with nulls and invalid values in the columns that allow them."""
    source = random.Random(1)  # noqa: S311

    def digits(size: int) -> str:
        return "".join(source.choices("0123456789", k=size))

    table: Table = {"id": [], **{name: [] for name in COLUMNS}}
    for number in range(count):
        row: dict[str, str | None] = {
            "id": f"row {number}",
            "ssn": f"{source.randint(1, 665):03}-{source.randint(1, 99):02}-{digits(3)}1",
            "email": f"{digits(3)}.jane{number}@example.org",
            "whole": f"jane{digits(4)}@{source.choice('abc')}.example.net",
            "card": luhn(f"4{digits(14)}"),
            "phone": f"+43 660 {digits(7)}",
            "iban": check_digits("DE", digits(18)),
            "uuid": "-".join(
                f"{source.getrandbits(4 * size):0{size}x}" for size in (8, 4, 4, 4, 12)
            ),
            "born": f"19{digits(2)}-{source.randint(1, 12):02}-{source.randint(1, 28):02}",
            "name": source.choice(NAMES),
            "code": f"{source.choice('AZaz')}{digits(6)}",
            "old": digits(source.randint(6, 30)),
            "address": f"2001:db8::{source.getrandbits(16) + 1:x}",
            "note": source.choice((digits(12), "none", "ünknown", "7")),
            "maybe": digits(12),
        }
        if number % 4 == 0:
            row[list(COLUMNS)[number // 4 % len(COLUMNS)]] = None
        for name, values in table.items():
            values.append(row[name])
    return table


@dataclass(frozen=True)
class Place:
    """A folder with the policy and the keys."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Place:
        """Write all files."""
        place = cls(folder)
        Keyring.create(place.ring, RootKey.generate_file(folder / "root.key")).add("people")
        place.policy.write_text(place.as_toml, "utf-8")
        return place

    @property
    def policy(self) -> Path:
        return self.folder / "people.toml"

    @property
    def ring(self) -> Path:
        return self.folder / "people.keys"

    @property
    def root(self) -> str:
        """Where the root key is."""
        return f"file:{self.folder / 'root.key'}"

    @property
    def as_toml(self) -> str:
        """The policy, whose inline tables are the rules."""
        lines = ['unlisted = "error"', 'keep = ["id"]', "[columns]"]
        return "\n".join([*lines, *(f"{name} = {inline(rule(name))}" for name in COLUMNS)]) + "\n"

    @property
    def as_json(self) -> str:
        """The policy for PostgreSQL."""
        return json.dumps({"keep": ["id"], "columns": {name: rule(name) for name in COLUMNS}})

    @cached_property
    def keys(self) -> Keyring:
        """The ring, opened."""
        return Keyring.open(self.ring, RootKey.parse(self.root))


def inline(value: object) -> str:
    """Return a value in TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {inline(item)}' for key, item in value.items())} }}"
    return json.dumps(value)
