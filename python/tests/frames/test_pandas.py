# SPDX-License-Identifier: Apache-2.0
"""pandas: every kind of column, with the tokens of files, index and types as they were."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallystick as ts
import tallystick.frames.pandas
from tallystick import Protector
from tallystick.keyring import Keyring
from tallystick.policy import Policy

KEY = bytes(range(32))


def tally(thing: object) -> Any:  # noqa: ANN401
    """Return a registered accessor, which types know nothing of."""
    return thing.tally  # type: ignore[attr-defined]


def arrow_frame(table: pa.Table) -> pd.DataFrame:
    made: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    made.index = pd.Index(range(10, 10 + len(made)))
    return made


def test_a_frame(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    frame, wanted = arrow_frame(plain), arrow_frame(tokens)
    made = tally(frame).protect(protector)
    pd.testing.assert_frame_equal(made, wanted)
    pd.testing.assert_frame_equal(tally(made).reveal(protector), frame)
    pd.testing.assert_frame_equal(frame, arrow_frame(plain))


DTYPES: list[Any] = [
    object,
    "str",
    pd.StringDtype("pyarrow"),
    pd.StringDtype("python"),
    pd.ArrowDtype(pa.string()),
    pd.ArrowDtype(pa.large_string()),
    pd.ArrowDtype(pa.string_view()),
    "category",
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_text(protector: Protector, plain: pa.Table, tokens: pa.Table, dtype: Any) -> None:  # noqa: ANN401
    values, wanted = plain.column("card").to_pylist(), tokens.column("card").to_pylist()
    series = pd.Series(values, index=range(5, 5 + len(values)), name="card", dtype=dtype)
    made = tally(series).protect(protector)
    assert (made.name, list(made.index)) == ("card", list(series.index))
    assert made.dtype == series.dtype or dtype == "category"
    assert [None if pd.isna(value) else value for value in made] == wanted
    back = tally(made).reveal(protector)
    assert [None if pd.isna(value) else value for value in back] == values


@pytest.mark.parametrize("dtype", ["int64", "uint32", "Int64", pd.ArrowDtype(pa.int32())], ids=str)
def test_integers(protector: Protector, dtype: Any) -> None:  # noqa: ANN401
    series = pd.Series([1, 20, 300], dtype=dtype)
    made = tally(series).protect(protector, column="points")
    expected = protector.protect_column("points", pa.array([1, 20, 300])).to_pylist()
    assert made.dtype == series.dtype
    assert list(made) == expected
    pd.testing.assert_series_equal(tally(made).reveal(protector, column="points"), series)


def test_nulls_of_integers_and_objects(protector: Protector) -> None:
    series = pd.Series([1, None, 3], dtype="Int64")
    assert tally(series).protect(protector, column="points").isna().tolist() == [False, True, False]
    mixed = pd.Series(["4111111111111111", None, np.nan, pd.NA], dtype=object)
    made = tally(mixed).protect(protector, column="card")
    assert made[1] is None
    assert made[3] is pd.NA


def test_dates(protector: Protector) -> None:
    days = [date(2000, 1, 1), None, date(1999, 12, 31)]
    expected = protector.protect_column("born", pa.array(days, pa.date32())).to_pylist()
    for series in (
        pd.Series(days, dtype=object),
        pd.Series(days, dtype=pd.ArrowDtype(pa.date32())),
    ):
        made = tally(series).protect(protector, column="born")
        assert [None if pd.isna(value) else value for value in made] == expected
        pd.testing.assert_series_equal(tally(made).reveal(protector, column="born"), series)


@pytest.mark.parametrize(
    "dtype", ["datetime64[us]", "datetime64[us, UTC]", pd.ArrowDtype(pa.timestamp("us"))], ids=str
)
def test_timestamps(dtype: Any) -> None:  # noqa: ANN401
    tokenizer = ts.Tokenizer(ts.formats.timestamp(), KEY, namespace="seen")
    series = pd.Series(["2001-02-03T04:05:06", None, "2010-01-01T00:00:00"], dtype=dtype)
    made = tally(series).protect(tokenizer)
    assert (made.dtype, made.isna().tolist()) == (series.dtype, [False, True, False])
    assert made[0] != series[0]
    pd.testing.assert_series_equal(tally(made).reveal(tokenizer), series)


def test_tweaks_and_formats(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    frame, wanted = arrow_frame(plain), arrow_frame(tokens)
    made = tally(frame["name"]).protect(protector, tweaks=frame["id"])
    pd.testing.assert_series_equal(made, wanted["name"])
    tokenizer = ts.Tokenizer(ts.formats.digits(), KEY, namespace="number")
    by_object = tally(frame["card"]).protect(tokenizer)
    by_name = tally(frame["card"]).protect("digits", key=KEY, namespace="number")
    pd.testing.assert_series_equal(by_object, by_name)
    assert by_name.iloc[0] == tokenizer.protect(frame["card"].iloc[0])


def test_errors_name_column_and_row_and_no_value(protector: Protector) -> None:
    bad = pd.Series(["4111111111111111", "4111-secret"], name="card", index=[70, 71])
    with pytest.raises(ts.InvalidValueError, match=r"column 'card', row 1: ") as error:
        tally(bad).protect(protector)
    assert "secret" not in str(error.value)
    with pytest.raises(ts.ParameterError, match="several types") as mixed:
        tally(pd.Series(["4111-secret", 5], name="card", dtype=object)).protect(protector)
    assert "secret" not in str(mixed.value)
    with pytest.raises(ts.ParameterError, match="pass the column of the policy"):
        tally(pd.Series(["4111111111111111"])).protect(protector)
    with pytest.raises(ts.ParameterError, match="2 columns are named 'card'"):
        both = pd.DataFrame([["1", "2"]], columns=["card", "card"])
        tally(both).protect(protector)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint16"])
def test_numbers_that_become_null_need_a_type_that_has_nulls(dtype: str) -> None:
    form = ts.formats.integer(min=0, max=999)
    tool = ts.Tokenizer(form, KEY, namespace="d", on_invalid="null")
    series = pd.Series([5, 1000, 7], dtype=dtype, name="n")
    nullable = {"int64": "Int64", "int32": "Int32", "uint16": "UInt16"}[dtype]
    with pytest.raises(ts.ParameterError, match=f"'n' of dtype {dtype} .* {nullable!r}"):
        tally(series).protect(tool)
    made = tally(series.astype(nullable)).protect(tool)
    assert list(made.isna()) == [False, True, False]


def test_columns_without_a_value(protector: Protector) -> None:
    for values in ([], [None, None]):
        series = pd.Series(values, dtype=object, name="card")
        pd.testing.assert_series_equal(tally(series).protect(protector), series)


def test_a_column_named_by_a_number_is_none_of_the_policy(ring: Keyring) -> None:
    frame = pd.DataFrame({1: ["4111111111111111"]})
    numbered = Protector(Policy.parse('[columns]\n1 = { format = "mask" }'), ring)
    with numbered, pytest.raises(ts.ParameterError, match="no column '1'"):
        tally(frame).protect(numbered)


def test_a_format_without_a_key_needs_none() -> None:
    series = pd.Series(["4111111111111111"])
    assert tally(series).protect("mask").tolist() == ["*" * 16]
