# SPDX-License-Identifier: Apache-2.0
"""Decimals: one token in text and columns, and nothing but fixed notation."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import FormatError, InvalidValueError, ParameterError, Tokenizer, formats
from tallystick.formats import Reason

KEY = bytes(range(16))


def tokenizer(**options: Any) -> Tokenizer:  # noqa: ANN401
    return Tokenizer(formats.decimal(**options), KEY, namespace="test")


def written(number: int, scale: int) -> str:
    sign, digits = "-" * (number < 0), f"{abs(number):0{scale + 1}}"
    return sign + (f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits)


@settings(max_examples=60)
@given(data=st.data(), scale=st.integers(0, 18))
def test_a_number_has_one_token_in_text_and_columns(data: st.DataObject, scale: int) -> None:
    ends = st.integers(1 - 10**18, 10**18 - 1)
    first = data.draw(ends | st.integers(-200, 200))
    last = first + data.draw(st.integers(99, 300) | st.integers(99, 10**18))
    last = max(min(last, 10**18 - 1), first + 99 if first < 10**18 - 99 else first)
    if last - first < 99:
        return
    tool = tokenizer(min=written(first, scale), max=written(last, scale), scale=scale)
    assert tool.form.smallest_domain == last - first + 1
    numbers = data.draw(st.lists(st.integers(first, last), min_size=1, max_size=9))
    values = [first, last, *numbers]
    column = pa.array([written(value, scale) for value in values])
    tokens = tool.protect(column)
    assert tool.reveal(tokens).equals(column)
    exact = [Decimal(value).scaleb(-scale) for value in values]
    typed = pa.array([None, *exact, None], pa.decimal128(38, scale)).slice(1)
    found = tool.protect(typed)
    assert found.type == typed.type and tool.reveal(found).equals(typed)
    assert [
        written(int(d.scaleb(scale)), scale) for d in found.to_pylist()[:-1]
    ] == tokens.to_pylist()
    integers = Tokenizer(formats.integer(min=first, max=last), KEY, namespace="test")
    ranks = [int(token.replace(".", "")) for token in tokens.to_pylist()]
    assert all(first <= rank <= last for rank in ranks)
    assert integers.form.smallest_domain == tool.form.smallest_domain


def test_every_number_of_a_range_is_permuted() -> None:
    tool = tokenizer(min="-1.50", max="2.50", scale=2)
    values = [written(number, 2) for number in range(-150, 251)]
    tokens = tool.protect(pa.array(values)).to_pylist()
    assert sorted(tokens) == sorted(values) != tokens


def test_the_widest_range_is_for_columns_alone() -> None:
    tool = tokenizer(min=-(2**63), max=2**63 - 1, scale=0)
    column = pa.array(
        [Decimal(-(2**63)), Decimal(2**63 - 1), Decimal(-1), None], pa.decimal128(38, 0)
    )
    assert tool.reveal(tool.protect(column)).equals(column)
    with pytest.raises(ParameterError, match="at most 18 digits"):
        tool.protect("5")
    for value, token in zip(
        column.to_pylist()[:-1], tool.protect(column).to_pylist(), strict=False
    ):
        assert tool.protect(value) == token and tool.reveal(token) == value
    tool = tokenizer(min=0, max=2**64 - 1, scale=0)
    column = pa.array([Decimal(0), Decimal(2**64 - 1)], pa.decimal128(20, 0))
    assert tool.reveal(tool.protect(column)).equals(column)
    assert tool.protect(Decimal(2**64 - 1)) == tool.protect(column)[1].as_py()
    for far in (2**64, -1, 2**65, 10**37, 10**38, -(10**40)):
        with pytest.raises(InvalidValueError) as caught:
            tool.protect(Decimal(far))
        assert caught.value.reason == Reason.RANGE
    tool = tokenizer(min="0", max="99999999999999999", scale=2)
    token = tool.protect(Decimal("1.00"))
    assert tool.protect(pa.array([Decimal("1.00")], pa.decimal128(38, 2)))[0].as_py() == token
    assert tool.reveal(token) == Decimal("1.00") and token.as_tuple().exponent == -2
    tool = tokenizer(min=0, max=2**64 - 1, scale=0)
    for far in (2**64, -1, 2**65, 10**19 * 5):
        with pytest.raises(InvalidValueError):
            tool.protect(pa.array([Decimal(far)], pa.decimal128(20, 0)))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("5", Reason.NOTATION),
        ("5.0", Reason.NOTATION),
        ("5.000", Reason.NOTATION),
        ("05.00", Reason.NOTATION),
        ("+5.00", Reason.NOTATION),
        (" 5.00", Reason.NOTATION),
        ("5.00\n", Reason.NOTATION),
        ("-0.00", Reason.NOTATION),
        ("5,00", Reason.NOTATION),
        ("5e00", Reason.NOTATION),
        (".50", Reason.NOTATION),
        ("", Reason.NOTATION),
        ("\N{ARABIC-INDIC DIGIT FIVE}.00", Reason.NOTATION),
        ("12345678901234567.00", Reason.NOTATION),
        ("1234567890123456.00", Reason.RANGE),
        ("-9.01", Reason.RANGE),
        ("1000.01", Reason.RANGE),
    ],
)
def test_a_value_that_does_not_fit(value: str, reason: Reason) -> None:
    with pytest.raises(InvalidValueError) as caught:
        tokenizer(min=-9, max=1000, scale=2).protect(value)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (pa.decimal128(20, 3), "at scale 2"),
        (pa.decimal128(4, 2), "at scale 2"),
        (pa.bool_(), "can't be used for a column of type bool"),
    ],
)
def test_columns_that_do_not_hold_the_range(kind: pa.DataType, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tokenizer(min=-9, max=1000, scale=2).protect(pa.array([None], kind))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min": 0, "max": 1, "scale": 1}, "only 11 values"),
        ({"min": 5, "max": 5, "scale": 2}, "min must be below max"),
        ({"min": "0.005", "max": 5, "scale": 2}, "at most 2 digits after the point"),
        ({"min": "NaN", "max": 5, "scale": 2}, "at most 2 digits after the point"),
        ({"min": "x", "max": 5, "scale": 2}, "min must be a number in text"),
        ({"min": 0.5, "max": 5, "scale": 2}, "min: must be text or a whole number"),
        ({"min": 0, "max": 5, "scale": 19}, "scale must be 0..18"),
        ({"min": 0, "max": 10**18, "scale": 9}, "within"),
        ({"min": -1, "max": 2**64 - 1, "scale": 0}, "within"),
    ],
)
def test_formats_that_can_not_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        formats.decimal(**options)


def test_the_identity_is_the_range_not_how_it_is_written() -> None:
    form = formats.decimal(min="-0.5", max=7, scale=2)
    assert form.identity == ("decimal", -50, 700, 2)
    assert form.identity == formats.decimal(min="-0.50", max="7.00", scale=2).identity
