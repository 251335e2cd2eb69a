# SPDX-License-Identifier: Apache-2.0
"""What the tests of Spark share: a policy, people, and where files and keys are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from tallystick.keyring import Keyring, RootKey

POLICY = """\
unlisted = "error"
keep = ["note"]

[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "people:1", namespace = "name", on_invalid = "null" }
born = { format = "date", key = "people:1", namespace = "birth" }
phone = { format = "phone", key = "people:1", namespace = "phone", tweak = "id" }

[columns.points]
format = { type = "integer", min = 0, max = 9999999 }
key = "people:1"
namespace = "points"
"""
ROWS = 3000


@dataclass(frozen=True, slots=True)
class Place:
    """What the tests share: files, and where the executors have their keys.

    The paths of key ring and root key are for tests that hand them to executors.
    """

    folder: Path
    policy: Path
    ring: Path
    root: Path
    people: Path
    tokens: pa.Table
    root_text: str

    def key(self, reference: str = "people:1") -> bytes:
        """Return a data key, to look for it where it must not be."""
        return Keyring.open(self.ring, RootKey.parse(f"file:{self.root}")).key(reference)

    def write_policy(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path


def people(rows: int) -> pa.Table:
    numbers = range(rows)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "ssn": [f"{row * 7919 % 10**9:09}" for row in numbers],
            "name": [f"P {'abcdefghij'[row % 10] * 6}" if row % 7 else None for row in numbers],
            "born": pa.array([7 * row % 20000 for row in numbers], pa.int32()).cast(pa.date32()),
            "points": pa.array([row * row % 10**7 for row in numbers], pa.int32()),
            "phone": [f"+49 30 {row * 31 % 10**7:07}" for row in numbers],
            "note": [f"note {row}" for row in numbers],
        }
    )  # fmt: skip
