# SPDX-License-Identifier: Apache-2.0
"""Polars: eager, lazy and streamed, always with the tokens of files."""

from __future__ import annotations

import pickle
from datetime import datetime
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import tallystick as ts
import tallystick.frames.polars
from tallystick import Protector
from tallystick.adapters import polars as adapter
from tallystick.frames.by import Column
from tallystick.keyring import Keyring
from tallystick.policy import Policy

KEY = bytes(range(32))


@pytest.fixture
def frame(plain: pa.Table) -> pl.DataFrame:
    made = pl.from_arrow(plain)
    assert isinstance(made, pl.DataFrame)
    return made


@pytest.fixture
def wanted(tokens: pa.Table) -> pl.DataFrame:
    made = pl.from_arrow(tokens)
    assert isinstance(made, pl.DataFrame)
    return made


def tally(thing: object) -> Any:  # noqa: ANN401
    """Return a registered namespace, which types know nothing of."""
    return thing.tally  # type: ignore[attr-defined]


def test_a_frame(protector: Protector, frame: pl.DataFrame, wanted: pl.DataFrame) -> None:
    made = tally(frame).protect(protector)
    assert made.schema == frame.schema
    assert made.equals(wanted)
    assert tally(made).reveal(protector).equals(frame)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy(
    protector: Protector,
    frame: pl.DataFrame,
    wanted: pl.DataFrame,
    engine: Any,  # noqa: ANN401
) -> None:
    lazy = tally(frame.lazy()).protect(protector)
    assert lazy.collect_schema() == frame.schema
    made = lazy.collect(engine=engine)
    assert made.equals(wanted)
    back = tally(made.lazy()).reveal(protector).filter(pl.col("id") > 990).collect(engine=engine)
    assert back.equals(frame.filter(pl.col("id") > 990))


def test_expressions(protector: Protector, frame: pl.DataFrame, wanted: pl.DataFrame) -> None:
    made = frame.select(
        "id",
        tally(pl.col("card")).protect(protector),
        tally(pl.col("name")).protect(protector, tweaks="id"),
        renamed=tally(pl.col("born")).protect(protector, column="born"),
    )
    assert made.equals(wanted.select("id", "card", "name", renamed="born"))
    back = made.select(
        tally(pl.col("name")).reveal(protector, tweaks=pl.col("id")),
        born=tally(pl.col("renamed")).reveal(protector, column="born"),
    )
    assert back.equals(frame.select("name", "born"))


def test_series_by_policy_format_and_name(
    protector: Protector, frame: pl.DataFrame, wanted: pl.DataFrame
) -> None:
    card = frame["card"]
    assert tally(card).protect(protector).equals(wanted["card"])
    assert tally(wanted["card"]).reveal(protector).equals(card)
    names = tally(frame["name"]).protect(protector, tweaks=frame["id"])
    assert names.equals(wanted["name"])
    tokenizer = ts.Tokenizer(ts.formats.digits(), KEY, namespace="number")
    ways = [
        tally(card).protect(tokenizer),
        tally(card).protect("digits", key=KEY, namespace="number"),
        tally(card).protect(ts.formats.digits(), key=KEY, namespace="number"),
        frame.select(tally(pl.col("card")).protect("digits", key=KEY, namespace="number"))["card"],
    ]
    for way in ways:
        assert way.to_list() == tokenizer.protect(pa.array(card.to_list())).to_pylist()
    assert tally(ways[0]).reveal("digits", key=KEY, namespace="number").equals(card)


def test_slices_short_strings_and_chunks() -> None:
    tokenizer = ts.Tokenizer(ts.formats.digits(), KEY, namespace="number")
    values = [None if i % 5 == 0 else str(10**i + i)[: i + 1] for i in range(3, 30)] * 7
    series = pl.Series("n", values)
    expected = tokenizer.protect(pa.array(values)).to_pylist()
    assert tally(series).protect(tokenizer).to_list() == expected
    assert tally(series[5:90]).protect(tokenizer).to_list() == expected[5:90]
    chunks = series[:50].append(series[50:])
    assert tally(chunks).protect(tokenizer).to_list() == expected
    assert tally(series[:0]).protect(tokenizer).to_list() == []


def test_timestamps() -> None:
    tokenizer = ts.Tokenizer(ts.formats.timestamp(), KEY, namespace="seen")
    series = pl.Series("t", [datetime(2001, 2, 3, 4, 5, 6), None])
    made = tally(series).protect(tokenizer)
    assert (made.dtype, made[1]) == (series.dtype, None)
    assert made[0] != series[0]
    assert tally(made).reveal(tokenizer).equals(series)


def test_categories(protector: Protector, frame: pl.DataFrame, wanted: pl.DataFrame) -> None:
    made = tally(frame["card"].cast(pl.Categorical)).protect(protector)
    assert made.dtype == pl.Categorical
    assert made.cast(pl.String).equals(wanted["card"])
    fixed = pl.Series("card", ["4111111111111111"], pl.Enum(["4111111111111111"]))
    with pytest.raises(ts.ParameterError, match=r"the type Enum.*; cast it") as error:
        tally(fixed).protect(protector)
    assert tally(fixed.cast(pl.String)).protect(protector)[0] not in str(error.value)
    assert "4111" not in str(error.value)


@pytest.mark.parametrize("on_invalid", ["null", "keep"])
def test_an_enum_is_refused_also_if_no_value_is_left(on_invalid: Any) -> None:  # noqa: ANN401
    """It would have all plaintexts as its categories."""
    tokenizer = ts.Tokenizer(ts.formats.digits(), KEY, namespace="n", on_invalid=on_invalid)
    for values in (["secret"], [None], []):
        with pytest.raises(ts.ParameterError, match=r"the type Enum.*; cast it") as error:
            tally(pl.Series("n", values, pl.Enum(["secret"]))).protect(tokenizer)
        assert "secret" not in str(error.value)


def test_enums_inside_others(ring: Keyring) -> None:
    """Polars would make nulls of tokens. Enums that are not protected stay."""
    policy = 'unlisted = "keep"\n[columns."s.x"]\n'
    policy += 'format = "letters"\nkey = "people:1"\nnamespace = "n"\n'
    kind = pl.Enum(["alice", "bob"])
    values = [{"x": "alice", "y": "bob"}, None]
    with Protector(Policy.parse(policy), ring) as protector:
        frame = pl.DataFrame({"s": values}, {"s": pl.Struct({"x": pl.String, "y": kind})})
        made = protector.protect(frame)
        assert made.schema == frame.schema
        assert made["s"][0]["y"] == "bob"
        assert protector.reveal(made).equals(frame)
        frame = pl.DataFrame({"s": values}, {"s": pl.Struct({"x": kind, "y": kind})})
        with pytest.raises(
            ts.ParameterError, match=r"'s': the type Struct .* Enum inside"
        ) as error:
            protector.protect(frame)
        assert "bob" not in str(error.value)
    names = pl.Series("n", [["bob"], None, []], pl.List(kind))
    assert adapter.of_arrow(pa.array([["bob"], None, []]), names).equals(names)
    with pytest.raises(ts.ParameterError, match=r"'n': the type List .* Enum inside"):
        adapter.of_arrow(pa.array([[None], None, []]), names)


@pytest.mark.parametrize("kind", [pl.Int128(), pl.List(pl.Int128)], ids=str)
def test_types_that_arrow_lacks_are_refused(kind: Any) -> None:  # noqa: ANN401
    tokenizer = ts.Tokenizer(ts.formats.integer(min=0, max=10**9), KEY, namespace="n")
    with pytest.raises(ts.ParameterError, match=r"'n': Arrow lacks the type .*; cast it first"):
        tally(pl.Series("n", [], kind)).protect(tokenizer)


NO_ITEMS = pl.Array(pl.String, 0)


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        ("a[]", [], NO_ITEMS),
        ("a[][]", [[]], pl.List(NO_ITEMS)),
        ("a.b[]", {"b": []}, pl.Struct({"b": NO_ITEMS})),
        ("a[][]", [[], []], pl.Array(NO_ITEMS, 2)),
    ],
)
def test_arrays_without_items_are_refused(
    ring: Keyring,
    path: str,
    value: object,
    kind: Any,  # noqa: ANN401
) -> None:
    rule = '{ format = "digits", key = "people:1", namespace = "a" }'
    protector = Protector(Policy.parse(f"columns.'{path}' = {rule}"), ring)
    frame = pl.DataFrame({"a": pl.Series([value], dtype=kind)})
    for data in (frame, frame.lazy()):
        with pytest.raises(
            ts.ParameterError, match="column 'a': Polars can't take arrays of width"
        ):
            tally(data).protect(protector)


@pytest.mark.parametrize("tweaks", [["id"], 1])
def test_tweaks_of_an_expression(protector: Protector, tweaks: Any) -> None:  # noqa: ANN401
    with pytest.raises(ts.ParameterError, match="must be an expression or the name of a column"):
        tally(pl.col("name")).protect(protector, tweaks=tweaks)


def test_errors_name_column_and_row_and_no_value(protector: Protector) -> None:
    bad = pl.Series("card", ["4111111111111111", "4111-secret"])
    with pytest.raises(ts.InvalidValueError, match=r"column 'card', row 1: ") as error:
        tally(bad).protect(protector)
    assert "secret" not in str(error.value)
    lazy = pl.LazyFrame({"card": bad}).select(tally(pl.col("card")).protect(protector))
    with pytest.raises(
        (ts.InvalidValueError, pl.exceptions.ComputeError), match=r"column 'card'"
    ) as late:
        lazy.collect()
    assert "secret" not in str(late.value)
    with pytest.raises(ts.ParameterError, match=r"no column 'other'"):
        tally(bad.alias("other")).protect(protector)
    with pytest.raises(ts.ParameterError, match=r"key and namespace belong to a format"):
        tally(bad).protect(protector, key=KEY)
    with pytest.raises(ts.ParameterError, match=r"needs key=... and namespace"):
        tally(bad).protect("digits")
    with pytest.raises(ts.ParameterError, match=r"there is no format 'digit'"):
        tally(bad).protect("digit", key=KEY, namespace="x")
    with pytest.raises(ts.ParameterError, match=r"'integer' needs options"):
        tally(bad).protect("integer", key=KEY, namespace="x")
    with pytest.raises(ts.ParameterError, match=r"the data has no column 'card'"):
        tally(pl.LazyFrame({"id": [1]})).protect(protector)


def test_keys_do_not_travel_in_plans(protector: Protector) -> None:
    plan = pl.LazyFrame({"card": ["4111111111111111"]}).select(
        tally(pl.col("card")).protect("digits", key=KEY, namespace="number")
    )
    assert KEY.hex() not in plan.explain()
    for by in (protector, ts.Tokenizer(ts.formats.digits(), KEY, namespace="number")):
        with pytest.raises(TypeError, match=r"hold.* key"):
            pickle.dumps(Column(by))


def test_subclasses_are_frames(
    protector: Protector, frame: pl.DataFrame, wanted: pl.DataFrame
) -> None:
    class Sub(pl.DataFrame):
        pass

    for made in (protector.protect(Sub(frame)), tally(Sub(frame)).protect(protector)):
        assert isinstance(made, pl.DataFrame)
        assert made.equals(wanted)
