# SPDX-License-Identifier: Apache-2.0
"""`Protector.protect` takes data of any library with Arrow memory, and gives it back as it was."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import duckdb
import nanoarrow
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallystick import ParameterError, Protector
from tallystick.protector import ArrowData


def test_pandas(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    frame = plain.to_pandas(types_mapper=pd.ArrowDtype)
    made = protector.protect(frame)
    pd.testing.assert_frame_equal(made, tokens.to_pandas(types_mapper=pd.ArrowDtype))
    pd.testing.assert_frame_equal(protector.reveal(made), frame)
    series = protector.protect(frame["card"])
    assert (series.name, list(series)) == ("card", list(made["card"]))


def test_polars(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    frame: Any = pl.from_arrow(plain)
    made = protector.protect(frame)
    assert made.equals(pl.from_arrow(tokens))
    assert protector.reveal(made).equals(frame)
    assert protector.protect(frame.lazy()).collect().equals(made)
    assert protector.protect(frame["card"]).equals(made["card"])


def test_relations_of_duckdb(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    with duckdb.connect() as connection:
        connection.register("people", plain)
        made = protector.protect(connection.sql("FROM people"))
        assert isinstance(made, duckdb.DuckDBPyRelation)
        connection.execute("CREATE TABLE safe AS FROM made")
        safe = connection.sql("FROM safe")
        assert safe.fetchall() == connection.sql("FROM tokens").fetchall()
        back = protector.reveal(safe)
        assert back.fetchall() == connection.sql("FROM people").fetchall()


def test_data_of_other_libraries(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    made = protector.protect(nanoarrow.ArrayStream(plain))
    assert isinstance(made, ArrowData)
    table = pa.table(nanoarrow.ArrayStream(made))
    assert table.equals(tokens)
    back: Any = pl.DataFrame(protector.reveal(nanoarrow.ArrayStream(table)))
    assert back.equals(pl.from_arrow(plain))


class Batch:
    """A batch of another library."""

    def __init__(self, held: pa.Array | pa.RecordBatch) -> None:
        self.held = held

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self.held.__arrow_c_array__(requested_schema)  # type: ignore[no-any-return]


def test_a_batch_of_another_library(
    protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    batch = plain.combine_chunks().to_batches()[0]
    made = protector.protect(Batch(batch))
    assert pa.Table.from_batches([made]).equals(tokens)
    assert protector.reveal(Batch(made)).equals(batch)
    with pytest.raises(ParameterError, match="data must be a frame of pandas or Polars"):
        protector.protect(Batch(batch.column(0)))


def test_a_column_of_another_library(
    protector: Protector, plain: pa.Table, tokens: pa.Table
) -> None:
    card = plain["card"].combine_chunks()
    expected = tokens["card"].combine_chunks()
    tokenizer = protector.tokenizer("card")
    assert tokenizer.protect(Batch(card)).equals(expected)
    assert tokenizer.reveal(nanoarrow.Array(expected)).equals(card)
    series: Any = tokenizer.protect(pl.Series(plain["card"]))
    assert series.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize("data", [[1], {"card": ["4111"]}, pa.array(["4111"]), "4111"])
def test_what_is_no_table(protector: Protector, data: object) -> None:
    with pytest.raises(ParameterError, match="data must be a frame of pandas or Polars"):
        protector.protect(data)  # type: ignore[call-overload]


def test_one_value_needs_neither_arrow_nor_numpy() -> None:
    code = """
import sys
for name in ("numpy", "pyarrow", "pandas", "polars"):
    sys.modules[name] = None
from datetime import date
import tallystick
from tallystick import Tokenizer, formats
for form, value in (
    (formats.card(keep_last=4), "4111 1111 1111 1111"),
    (formats.integer(min=0, max=10**9), 12345),
    (formats.date(), date(2001, 2, 3)),
    (formats.unicode(), "Zoë"),
):
    tokenizer = Tokenizer(form, bytes(32), namespace="sample")
    token = tokenizer.protect(value)
    assert token != value and tokenizer.reveal(token) == value
"""
    subprocess.run([sys.executable, "-c", code], check=True)
