# SPDX-License-Identifier: Apache-2.0
"""What the tests of data frames and SQL share: a policy, its key ring, people, and their tokens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import make_ring
from tallystick import Protector
from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.protection import RunOptions, protect_file

POLICY = """
keep = ["note"]

[columns]
card = { format = { type = "card", keep_last = 4 }, key = "people:1", namespace = "card" }
name = { format = "letters", key = "people:1", namespace = "name", tweak = "id" }
born = { format = "date", key = "people:1", namespace = "birth" }
points = { format = { type = "integer", min = 0, max = 999999 }, key = "people:1", namespace = "p" }
"""


def people(rows: int = 1000) -> pa.Table:
    """Return values for every column of `POLICY`, nulls among them, and columns that stay."""

    def column(make: object, kind: pa.DataType, missing: int) -> pa.Array:
        assert callable(make)
        return pa.array([None if i % 97 == missing else make(i) for i in range(rows)], kind)

    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "card": column(_card, pa.string(), 3),
            "name": column(lambda i: f"Anna {_letters(i)}-Lund", pa.string(), 5),
            "born": column(lambda i: date.fromordinal(700_000 + 7 * i), pa.date32(), 7),
            "points": column(lambda i: i * 37 % 1_000_000, pa.int64(), 11),
            "note": pa.array([f"note {i}" for i in range(rows)]),
        }
    )


def tokens_of_file(table: pa.Table, policy: str, ring: Keyring, directory: Path) -> pa.Table:
    """Return what protecting a Parquet file of the table gives: what every other way must give."""
    source, target = directory / "source.parquet", directory / "target.parquet"
    pq.write_table(table, source)
    protect_file(source, target, Policy.parse(policy), ring, RunOptions(overwrite=True))
    return pq.read_table(target)


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ring")


@pytest.fixture(scope="session")
def ring(directory: Path) -> Keyring:
    return make_ring(directory / "a.keys", "people")


@pytest.fixture(scope="session")
def protector(ring: Keyring) -> Iterator[Protector]:
    with Protector(Policy.parse(POLICY), ring) as made:
        yield made


@pytest.fixture(scope="session")
def plain() -> pa.Table:
    return people()


@pytest.fixture(scope="session")
def tokens(plain: pa.Table, ring: Keyring, directory: Path) -> pa.Table:
    return tokens_of_file(plain, POLICY, ring, directory)


def _card(number: int) -> str:
    digits = f"4{number:014d}"
    doubled = [int(d) * (2 if i % 2 == 0 else 1) for i, d in enumerate(digits)]
    return digits + str(-sum(d // 10 + d % 10 for d in doubled) % 10)


def _letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in f"{number:05d}")
