# SPDX-License-Identifier: Apache-2.0
"""Columns inside others, by their paths: in Arrow data, frames, SQL and Parquet."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallystick import (
    InvalidValueError,
    NotProtectedWarning,
    ParameterError,
    PolicyError,
    Protector,
    Tokenizer,
    formats,
)
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.protection import protect_file, reveal_file

POLICY = Policy.parse(
    """
unlisted = "error"
keep = ["attributes"]

[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "mail" }
"orders[].phone" = { format = "phone", key = "people:1", namespace = "phone", tweak = "id" }
name = { format = "letters", key = "people:1", namespace = "name" }
"""
)
ORDERS = pa.list_(pa.struct([("phone", pa.string()), ("pieces", pa.int32())]))
TABLE = pa.table(
    {
        "id": ["1", "2", "3"],
        "name": ["Anne", "Bobby", None],
        "contact": [{"email": "jane@example.org", "since": 1999}, None, {"email": None}],
        "orders": pa.array(
            [[{"phone": "+12025550143", "pieces": 3}, {"phone": None}], [], None], ORDERS
        ),
        "attributes": pa.array([[("a", "x")], [], None], pa.map_(pa.string(), pa.string())),
    }
)


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keyring:
    monkeypatch.setenv("NESTED_ROOT", secrets.token_hex(32))
    ring = Keyring.create(tmp_path / "nested.keys", RootKey.parse("env:NESTED_ROOT"))
    ring.add("people")
    return ring


@pytest.fixture
def protector(ring: Keyring) -> Protector:
    return Protector(POLICY, ring)


def test_tables(protector: Protector, ring: Keyring) -> None:
    made = protector.protect(TABLE)
    mails = Tokenizer(formats.email(), ring.key("people:1"), namespace="mail")
    phones = Tokenizer(formats.phone(), ring.key("people:1"), namespace="phone")
    assert made["contact"].to_pylist() == [
        {"email": mails.protect("jane@example.org"), "since": 1999},
        None,
        {"email": None, "since": None},
    ]
    assert made["orders"][0].as_py() == [
        {"phone": phones.protect("+12025550143", "1"), "pieces": 3},
        {"phone": None, "pieces": None},
    ]
    assert made["attributes"] == TABLE["attributes"] and made["name"] != TABLE["name"]
    assert protector.reveal(made).equals(TABLE)
    reader = protector.protect(TABLE.to_reader(max_chunksize=1))
    assert reader.read_all().equals(made)
    whole = TABLE.slice(1).to_batches()[0]
    assert protector.protect(whole).to_pylist() == made.slice(1).to_pylist()


def test_frames(protector: Protector) -> None:
    made = protector.protect(TABLE)
    polars: Any = pl.from_arrow(TABLE.drop(["attributes"]))
    tokens = protector.protect(polars)
    assert tokens.equals(pl.from_arrow(made.drop(["attributes"])))
    assert protector.reveal(tokens).equals(polars)
    frame = TABLE.to_pandas(types_mapper=pd.ArrowDtype)
    pd.testing.assert_frame_equal(
        protector.protect(frame), made.to_pandas(types_mapper=pd.ArrowDtype)
    )


def test_sql(protector: Protector) -> None:
    with duckdb.connect() as connection:
        people = TABLE.drop(["attributes"])  # DuckDB finds it by its name
        relation = protector.protect(connection.sql("FROM people"))
        rows = relation.fetchall()
    expected = [tuple(row.values()) for row in protector.protect(people).to_pylist()]
    assert rows == expected


def test_files(protector: Protector, ring: Keyring, tmp_path: Path) -> None:
    plain, tokens, back = (tmp_path / f"{name}.parquet" for name in ("plain", "tokens", "back"))
    pq.write_table(TABLE, plain)
    report = protect_file(plain, tokens, POLICY, ring)
    assert list(report.columns) == ["name", "contact.email", "orders[].phone"]
    assert report.columns["orders[].phone"].rows == 2
    assert report.untouched.kept == ("id", "attributes")
    assert pq.read_table(tokens).to_pylist() == protector.protect(TABLE).to_pylist()
    reveal_file(tokens, back, POLICY, ring)
    assert pq.read_table(back).equals(TABLE)


def test_invalid_values(protector: Protector, ring: Keyring, tmp_path: Path) -> None:
    contact = pa.array([None, None, {"email": "secret", "since": 1}])
    table = TABLE.set_column(2, "contact", contact)
    with pytest.raises(
        InvalidValueError, match=r"^column 'contact\.email', row 2: its delim"
    ) as one:
        protector.protect(table)
    assert "secret" not in str(one.value)
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    with pytest.raises(InvalidValueError, match=r"column 'contact', row 3: in 'contact\.email': "):
        protect_file(path, tmp_path / "b.parquet", POLICY, ring)
    assert not (tmp_path / "b.parquet").exists()


def test_what_is_not_there(protector: Protector) -> None:
    with pytest.raises(ParameterError, match=r"no column 'contact\.email'"):
        protector.protect(TABLE.drop(["contact"]))
    wrong = TABLE.set_column(2, "contact", pa.array([{"email": 5}] * 3))
    with pytest.raises(PolicyError, match="can't be used for a column of type int64"):
        protector.protect(wrong)


def test_other_columns_are_noticed(ring: Keyring) -> None:
    rules = '[columns]\n"contact.email" = {format = "email", key = "people:1", namespace = "m"}\n'
    with (
        Protector(Policy.parse(rules), ring) as protector,
        pytest.warns(NotProtectedWarning, match=r"'id', 'name', 'orders', 'attributes'"),
    ):
        protector.protect(TABLE)
