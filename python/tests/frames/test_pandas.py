# SPDX-License-Identifier: Apache-2.0
"""pandas: every kind of column, with the tokens of files, index and types as they were."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick as ts
import tallystick.frames.pandas
import tallystick.frames.polars
from tallystick import PolicyError, Protector
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


BIG = [12345678901234567, None, 2**53 + 1]
NUMBERS = ts.formats.integer(min=0, max=10**17 - 1)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(BIG, dtype=object),
        pd.Series(pd.Categorical(BIG)),
        pd.Series(pd.Categorical(pd.array(BIG, dtype="Int64"))),
        pd.Series(BIG, dtype="Int64"),
        pd.Series(BIG, dtype=pd.ArrowDtype(pa.int64())),
        pd.Series([1, None, 5], dtype=pd.CategoricalDtype(pd.Index([1, 5, 9], dtype="int8"))),
    ],
    ids=lambda series: str(getattr(series.dtype, "categories", series).dtype),
)
def test_large_integers_with_nulls(series: pd.Series[Any]) -> None:
    tool = ts.Tokenizer(
        ts.formats.integer(min=0, max=99) if series[0] == 1 else NUMBERS, KEY, namespace="n"
    )
    made = tally(series).protect(tool)
    values = [None if pd.isna(value) else int(value) for value in series]
    tokens = [None if pd.isna(value) else value for value in made]
    assert tokens == [value if value is None else tool.protect(value) for value in values]
    assert not any(isinstance(token, float) for token in tokens)
    back = tally(made).reveal(tool)
    assert [None if pd.isna(value) else value for value in back] == values
    if isinstance(series.dtype, pd.CategoricalDtype):
        assert made.cat.categories.dtype == series.cat.categories.dtype
        assert list(made.cat.categories) == sorted(token for token in tokens if token is not None)
    else:
        pd.testing.assert_series_equal(back, series)


def test_categories_whose_tokens_are_equal_or_null() -> None:
    series = pd.Series(["5555", None, "6666", "none", "5555"], dtype="category", index=range(5, 10))
    mask = ts.Tokenizer(ts.formats.mask(), None, namespace="")
    pd.testing.assert_series_equal(
        tally(series).protect(mask),
        pd.Series(["****", None, "****", "****", "****"], dtype="category", index=series.index),
    )
    digits = ts.Tokenizer(ts.formats.digits(), KEY, namespace="n", on_invalid="null")
    made = tally(series).protect(digits)
    assert made.isna().tolist() == [False, True, False, True, False]
    assert len(made.cat.categories) == 2
    empty = pd.Series([None], dtype=series.dtype)
    assert tally(empty).protect(digits).isna().tolist() == [True]


def test_objects_inside_others_come_out_as_they_were(ring: Keyring) -> None:
    policy = """
    unlisted = "keep"
    [columns]
    "s.x" = { format = "letters", key = "people:1", namespace = "n" }
    "t[]" = { format = "letters", key = "people:1", namespace = "n" }
    """
    zone = timezone(timedelta(hours=2))
    day = datetime(2020, 1, 2, 3, 4, 5, tzinfo=zone)
    frame = pd.DataFrame(
        {
            "s": [
                {"x": "abc", "y": BIG[0], "z": (1, 2), "at": day},
                {"x": "def", "y": None, "z": None, "a": np.array([1, 2], np.int8)},
                None,
                {"x": None, "y": 5, "b": np.array(["2020-01-01T00:00:00.000000001"], "M8[ns]")},
            ],
            "t": [["abc", "def"], ("abc", None), np.array(["abc", "defg"]), np.nan],
        }
    )
    with Protector(Policy.parse(policy), ring) as protector:
        made = protector.protect(frame)
        back = protector.reveal(made)
        name = protector.tokenizer("s.x").protect("abc")
    assert made["s"][0] == frame["s"][0] | {"x": name}
    assert (made["t"][0][0], made["t"][1][0], made["t"][2][0]) == (name, name, name)
    for one in (made, back):
        assert [type(value) for value in one["s"][0].values()] == [str, int, tuple, datetime]
        assert one["s"][0]["at"].utcoffset() == timedelta(hours=2)
        assert one["s"][1]["a"].dtype == np.int8
        assert one["s"][2] is None
        assert one["s"][3]["b"] == frame["s"][3]["b"]
        assert [type(value) for value in one["t"]] == [list, tuple, np.ndarray, float]
        assert [len(text) for text in one["t"][2]] == [3, 4]
    assert back["s"][0] == frame["s"][0]
    assert back["t"][1] == frame["t"][1]


class Point(NamedTuple):
    x: str
    y: str


DAY = date(2020, 1, 1)
MOMENT = datetime(2020, 1, 2, 3, 4, 5)


def inside(ring: Keyring, column: str) -> Protector:
    policy = f'unlisted = "keep"\n[columns]\n"{column}" = '
    policy += '{ format = "digits", key = "people:1", namespace = "n" }'
    return Protector(Policy.parse(policy), ring)


@pytest.mark.parametrize(
    "values",
    [
        [DAY, MOMENT],
        [pd.Timestamp("2020-01-01 00:00:00.000000001")],
        [pd.Timedelta(1, "ns")],
        [MOMENT, MOMENT.replace(tzinfo=UTC)],
        [MOMENT.time().replace(tzinfo=UTC)],
        ["text", b"bytes"],
        [{"1"}],
    ],
    ids=str,
)
def test_objects_that_arrow_would_change_are_refused(ring: Keyring, values: list[Any]) -> None:
    frame = pd.DataFrame({"s": [{"e": "123456", "at": value} for value in values]})
    with (
        inside(ring, "s.e") as protector,
        pytest.raises(ts.ParameterError, match=r"'s' of dtype object .* Arrow lacks or changes"),
    ):
        protector.protect(frame)


def test_names_as_text_and_as_bytes_are_refused(ring: Keyring) -> None:
    frame = pd.DataFrame({"s": [{"e": "123456", b"e": "654321"}]})
    with inside(ring, "s.e") as protector, pytest.raises(ts.ParameterError, match="changes"):
        protector.protect(frame)


@pytest.mark.parametrize(
    "values",
    [
        [1, 1.5, float("nan"), None],
        [Decimal(1), Decimal("1.50")],
        [np.int64(5), np.float32(0.5)],
        [Point("a", "b")],
        [OrderedDict(b="1", a=Counter("ab"))],
        [MOMENT.replace(tzinfo=timezone(timedelta(hours=h))) for h in (1, 2)],
    ],
    ids=str,
)
def test_objects_beside_others_are_unchanged(ring: Keyring, values: list[Any]) -> None:
    frame = pd.DataFrame({"s": [{"e": "123456", "at": value} for value in values]})
    with inside(ring, "s.e") as protector:
        made = protector.protect(frame)
        assert made["s"][0]["e"] != "123456"
        for one in (made, protector.reveal(made)):
            assert [repr(row["at"]) for row in one["s"]] == [repr(value) for value in values]
            assert [type(row["at"]) for row in one["s"]] == [type(value) for value in values]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["123456", b"234567"], dtype=object),
        pd.Series(["123456", b"234567"], dtype="category"),
        pd.Series([["123456"], [b"234567"]], dtype=object),
    ],
    ids=lambda series: str(series[0]) + str(series.dtype),
)
def test_text_beside_bytes_is_refused(ring: Keyring, series: pd.Series[Any]) -> None:
    column = "v[]" if isinstance(series[0], list) else "v"
    with inside(ring, column) as protector:
        with pytest.raises(ts.ParameterError, match="several types") as error:
            protector.protect(pd.DataFrame({"v": series}))
        assert "234567" not in str(error.value)
        alone = series[1:]
        if column == "v":
            alone = alone.astype(object).astype(series.dtype.name)
        whole = pd.DataFrame({"v": alone})
        pd.testing.assert_frame_equal(protector.reveal(protector.protect(whole)), whole)


@pytest.mark.parametrize("values", [[], [None, None], [np.nan]], ids=str)
def test_categories_without_a_value(protector: Protector, values: list[Any]) -> None:
    series = pd.Series(pd.Categorical(values), name="card")
    pd.testing.assert_series_equal(tally(series).protect(protector), series)


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


EAST = timezone(timedelta(hours=2))
SEEN = datetime(2001, 2, 3, 4, 5, 6, 7, EAST)
FINE = pd.Timestamp("2001-02-03 04:05:06.000007").as_unit("ns")


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([SEEN, None], dtype=object),
        pd.Series([SEEN.replace(tzinfo=None), None], dtype=object),
        pd.Series([pd.Timestamp(SEEN), pd.NaT], dtype=object),
        pd.Series([FINE, None], dtype=object),
        pd.Series([FINE.tz_localize("Europe/Vienna"), None], dtype=object),
        pd.Series([FINE.tz_localize("Europe/Vienna"), None]),
        pd.Series(pd.Categorical([pd.Timestamp(SEEN), None])),
        pd.Series(pd.Categorical([FINE, None])),
        pd.Series(pd.Categorical([FINE.tz_localize("Europe/Vienna"), None])),
    ],
    ids=lambda series: f"{series.dtype} of {type(series[0]).__name__} {series[0].tzinfo}",
)
def test_times_come_out_with_their_zone(series: pd.Series[Any]) -> None:
    tokenizer = ts.Tokenizer(ts.formats.timestamp(resolution="us"), KEY, namespace="seen")
    made = tally(series).protect(tokenizer)
    assert type(made[0]) is type(series[0])
    assert made[0].utcoffset() == made[0].replace(tzinfo=series[0].tzinfo).utcoffset()
    assert made[0] != series[0]
    assert made[1] is series[1]
    back = tally(made).reveal(tokenizer)
    assert (back[0], back[0].utcoffset()) == (series[0], series[0].utcoffset())
    assert (made.dtype.kind, back.dtype) == (series.dtype.kind, series.dtype)


def test_objects_keep_nanoseconds() -> None:
    series = pd.Series([FINE + pd.Timedelta(1, "ns"), None], dtype=object, name="seen")
    form = ts.formats.timestamp(resolution="us")
    with pytest.raises(ts.InvalidValueError, match="row 0"):
        tally(series).protect(ts.Tokenizer(form, KEY, namespace="seen"))
    keep = ts.Tokenizer(form, KEY, namespace="seen", on_invalid="keep")
    pd.testing.assert_series_equal(tally(series).protect(keep), series)


def test_a_single_timestamp_keeps_nanoseconds() -> None:
    fine = FINE + pd.Timedelta(1, "ns")
    form = ts.formats.timestamp(resolution="us")
    tokenizer = ts.Tokenizer(form, KEY, namespace="seen")
    assert tokenizer.reveal(tokenizer.protect(FINE)) == FINE
    with pytest.raises(ts.InvalidValueError, match="notation") as error:
        tokenizer.protect(fine)
    assert "000007" not in str(error.value)
    keep = ts.Tokenizer(form, KEY, namespace="seen", on_invalid="keep")
    assert keep.protect(fine) is fine
    with pytest.raises(ts.ParameterError, match="not NaTType"):
        tokenizer.protect(pd.NaT)
    with pytest.raises(ts.ParameterError, match="digits"):
        ts.Tokenizer(ts.formats.digits(), KEY, namespace="n").protect(fine)


@pytest.mark.parametrize(
    "values",
    [
        [date(2001, 2, 3), SEEN],
        [SEEN, SEEN.replace(tzinfo=None)],
        [np.datetime64("2001-02-03T04:05"), FINE],
        [FINE, np.datetime64("2001-02-03T04:05")],
    ],
)
def test_times_of_several_types_are_refused(values: list[Any]) -> None:
    """Arrow would cut their time or zone."""
    tokenizer = ts.Tokenizer(ts.formats.timestamp(), KEY, namespace="seen")
    with pytest.raises(ts.ParameterError, match="several types") as error:
        tally(pd.Series(values, dtype=object)).protect(tokenizer)
    assert "2001" not in str(error.value)


def test_categories_of_several_types_are_refused() -> None:
    tokenizer = ts.Tokenizer(ts.formats.date(), KEY, namespace="born")
    kind = pd.CategoricalDtype(pd.Index([SEEN.date(), SEEN.replace(tzinfo=None)], dtype=object))
    with pytest.raises(ts.ParameterError, match=r"'seen' of dtype .*several types"):
        tally(pd.Series([SEEN.date()], dtype=kind, name="seen")).protect(tokenizer)


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


@pytest.mark.parametrize("name", ["self", "columns", "frame"])
def test_names_of_columns_that_python_uses(ring: Keyring, name: str) -> None:
    policy = f'[columns]\n{name} = {{ format = "digits", key = "people:1", namespace = "n" }}'
    frame = pd.DataFrame({name: ["1234567"]}, index=[3])
    with Protector(Policy.parse(policy), ring) as protector:
        made = protector.protect(frame)
        assert (made[name][3] == "1234567", frame[name][3]) == (False, "1234567")
        pd.testing.assert_frame_equal(protector.reveal(made), frame)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(np.array([5, 6], ">i8"), name="n"),
        pd.Series(pd.arrays.SparseArray([0, 5]), name="n"),
        pd.Series([np.array(["2001-02-03"], "M8[D]")], dtype=object, name="n"),
    ],
    ids=["big-endian", "sparse", "array of days"],
)
def test_types_that_arrow_lacks_are_refused(series: pd.Series[Any]) -> None:
    tokenizer = ts.Tokenizer(NUMBERS, KEY, namespace="n")
    with pytest.raises(
        ts.ParameterError, match=r"'n' of dtype .* a type that Arrow lacks"
    ) as error:
        tally(series).protect(tokenizer)
    assert "2001" not in str(error.value)


def test_a_format_without_a_key_needs_none() -> None:
    series = pd.Series(["4111111111111111"])
    assert tally(series).protect("mask").tolist() == ["*" * 16]


class Sub(pd.DataFrame):  # type: ignore[misc]  # pandas has no types
    @property
    def _constructor(self) -> type[Sub]:
        return Sub


def test_subclasses_are_frames(ring: Keyring) -> None:
    policy = 'unlisted = "keep"\n[columns]\n'
    policy += 'v = { format = "digits", key = "people:1", namespace = "n" }\n'
    frame = Sub({"v": ["123456"], 0: [1], "note": pd.Series([b"5"], dtype=object)})
    frame = pd.concat([frame, frame["note"]], axis=1)
    with Protector(Policy.parse(policy), ring) as protector:
        made = protector.protect(frame)
        assert (type(made), list(made.columns)) == (Sub, ["v", 0, "note", "note"])
        assert made["v"][0] != "123456"
        pd.testing.assert_frame_equal(protector.reveal(made), frame)
        with pytest.raises(ts.PolicyError, match="index has a level 'v'"):
            protector.protect(Sub({"w": [1]}, index=pd.Index(["123456"], name="v")))


@pytest.mark.parametrize("name", [pd.NA, None, float("nan"), pd.NaT, 5])
def test_names_that_are_no_text(ring: Keyring, plain: pa.Table, name: Any) -> None:  # noqa: ANN401
    rule = '{ format = "card", key = "people:1", namespace = "card" }'
    policy = f'keep = ["id", "name", "born", "points"]\ncolumns.card = {rule}'
    protector = Protector(Policy.parse(policy), ring)
    frame = arrow_frame(plain)
    frame.index.name = name
    frame.columns = pd.Index([*frame.columns[:-1], name], dtype=object)
    with pytest.warns(ts.NotProtectedWarning, match=r"in clear: (None|nan|NaT|5)"):
        made = tally(frame).protect(protector)
    pd.testing.assert_frame_equal(tally(made).reveal(protector), frame)
    strict = Protector(Policy.parse(f'unlisted = "error"\n{policy}'), ring)
    with pytest.raises(PolicyError, match=r"does not name (None|nan|NaT|5)"):
        tally(frame).protect(strict)


MISUSE: dict[str, tuple[str, Any]] = {
    "tweaks must be a series of the values' library, with a tweak for each row, not list": (
        "card",
        lambda series, protector: series.protect(protector, tweaks=["1"]),
    ),
    "column must be the name of a column of the policy, not list": (
        "card",
        lambda series, protector: series.protect(protector, column=["card"]),
    ),
    "pass a Protector, a Tokenizer, a format or the name of one, not list": (
        "card",
        lambda series, _: series.reveal(["digits"], key=KEY, namespace="n"),
    ),
    "a namespace must be text": (
        "card",
        lambda series, _: series.protect("digits", key=KEY, namespace=3),
    ),
    "a frame needs a Protector, which knows its columns, not str": (
        "",
        lambda frame, _: frame.reveal("digits"),
    ),
    "a frame needs a Protector, which knows its columns, not Tokenizer": (
        "",
        lambda frame, _: frame.protect(ts.Tokenizer(ts.formats.digits(), KEY, namespace="n")),
    ),
}


@pytest.mark.parametrize("says", MISUSE)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_misuse_is_an_error(protector: Protector, plain: pa.Table, library: str, says: str) -> None:
    frame: Any = arrow_frame(plain) if library == "pandas" else pl.from_arrow(plain)
    column, act = MISUSE[says]
    with pytest.raises(ts.ParameterError, match=re.escape(says)):
        act(tally(frame[column] if column else frame), protector)
