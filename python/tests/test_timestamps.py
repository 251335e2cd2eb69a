# SPDX-License-Identifier: Apache-2.0
"""Timestamps: one token in every type and notation, and real points in time alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import FormatError, InvalidValueError, ParameterError, Tokenizer, formats
from tallystick.formats import Reason

KEY = bytes(range(16))
SPECS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
FIRST, LAST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59)
each_resolution = pytest.mark.parametrize("resolution", SPECS)


def tokenizer(**options: Any) -> Tokenizer:  # noqa: ANN401
    return Tokenizer(formats.timestamp(**options), KEY, namespace="test")


def moments(resolution: str, first: datetime, last: datetime) -> st.SearchStrategy[datetime]:
    step = 10**6 // PER_SECOND[resolution]
    return st.datetimes(first, last).map(
        lambda moment: moment.replace(microsecond=moment.microsecond // step * step)
    )


@each_resolution
def test_text_in_every_notation(resolution: str) -> None:
    tool = tokenizer(first=FIRST, last=LAST, resolution=resolution)

    @settings(max_examples=40)
    @given(values=st.lists(moments(resolution, FIRST, LAST), min_size=1, max_size=5))
    def check(values: list[datetime]) -> None:
        texts = [value.isoformat(timespec=SPECS[resolution]) for value in values]
        plain = tool.protect(pa.array(texts)).to_pylist()
        for token in plain:
            assert FIRST <= datetime.fromisoformat(token) <= LAST
            assert datetime.fromisoformat(token).isoformat(timespec=SPECS[resolution]) == token
        for between in "T ":
            for behind in ("", "Z", "+00:00", "-03:30", "+14", "+0530"):
                column = pa.array([text.replace("T", between) + behind for text in texts])
                tokens = tool.protect(column)
                expected = [token.replace("T", between) + behind for token in plain]
                assert tokens.to_pylist() == expected
                assert tool.reveal(tokens).equals(column)

    check()


@each_resolution
@pytest.mark.parametrize("unit", PER_SECOND)
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_columns_have_the_tokens_of_text(resolution: Any, unit: Any, zone: Any) -> None:  # noqa: ANN401
    first, last = datetime(1950, 6, 5, 4), datetime(2200, 1, 1)
    tool = tokenizer(first=first, last=last, resolution=resolution)
    rng = np.random.default_rng(7)
    span = int((last - first).total_seconds())
    values = [first, *(first + timedelta(seconds=int(s)) for s in rng.integers(0, span, 20)), last]
    texts = [value.isoformat(timespec=SPECS[resolution]) for value in values]
    counts = [
        int((value - datetime(1970, 1, 1)).total_seconds()) * PER_SECOND[unit] for value in values
    ]
    column = pa.array([*counts, None], pa.int64()).view(pa.timestamp(unit, zone))
    if PER_SECOND[unit] < PER_SECOND[resolution]:
        with pytest.raises(ParameterError, match="can't hold the range"):
            tool.protect(column)
        return
    tokens = tool.protect(column)
    assert tokens.type == column.type and tool.reveal(tokens).equals(column)
    found = tokens.view(pa.int64()).to_pylist()[:-1]
    for count, text in zip(found, tool.protect(pa.array(texts)).to_pylist(), strict=True):
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        assert count * 10**6 == micros * PER_SECOND[unit]


def test_every_second_of_a_range_is_permuted() -> None:
    first = datetime(1999, 12, 31, 23, 50)
    tool = tokenizer(first=first, last=first + timedelta(seconds=1199))
    values = [(first + timedelta(seconds=i)).isoformat() for i in range(1200)]
    tokens = tool.protect(pa.array(values)).to_pylist()
    assert sorted(tokens) == values != tokens


def test_a_moment_of_python() -> None:
    tool = tokenizer(resolution="us")
    value = datetime(2001, 2, 3, 4, 5, 6, 7)
    token = tool.protect(value)
    assert type(token) is datetime and tool.reveal(token) == value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2001-02-29T00:00:00.000", Reason.NOTATION),
        ("2000-02-29T24:00:00.000", Reason.NOTATION),
        ("2000-02-29T23:60:00.000", Reason.NOTATION),
        ("2000-02-29T23:59:60.000", Reason.NOTATION),
        ("2000-02-29T23:59:59", Reason.NOTATION),
        ("2000-02-29T23:59:59.0000", Reason.NOTATION),
        ("2000-02-29T23:59:59,000", Reason.NOTATION),
        ("2000-02-29t23:59:59.000", Reason.NOTATION),
        ("2000-02-29T23:59:59.000z", Reason.NOTATION),
        ("2000-02-29T23:59:59.000+15:00", Reason.NOTATION),
        ("2000-02-29T23:59:59.000\n", Reason.NOTATION),
        ("2000-02-29", Reason.NOTATION),
        ("0000-01-01T00:00:00.000", Reason.NOTATION),
        ("", Reason.NOTATION),
        ("٢٠٠٠-02-29T23:59:59.000", Reason.NOTATION),
        ("1969-12-31T23:59:59.999", Reason.RANGE),
        ("2069-12-31T23:59:59.001Z", Reason.RANGE),
    ],
)
def test_a_value_that_does_not_fit(value: str, reason: Reason) -> None:
    with pytest.raises(InvalidValueError) as caught:
        tokenizer(resolution="ms").protect(value)
    assert caught.value.reason == reason


def test_parts_below_the_resolution_do_not_fit() -> None:
    column = pa.array([10**9, 10**9 + 1, None], pa.int64()).view(pa.timestamp("ns"))
    outcome = tokenizer().outcome(column, decrypt=False)
    assert outcome.status.tolist() == [0, 7, 0]
    assert outcome.array[1:].equals(column[1:])


def test_nanoseconds_do_not_hold_every_year() -> None:
    with pytest.raises(ParameterError, match="can't hold the range"):
        tokenizer(last=datetime(2300, 1, 1)).protect(pa.array([None], pa.timestamp("ns")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resolution": "ns"}, "resolution: must be"),
        ({"first": datetime(2070, 1, 1)}, "first must be before last"),
        (
            {"first": datetime(2000, 1, 1, microsecond=5), "resolution": "ms"},
            "finer than the resolution",
        ),
        ({"first": datetime(2069, 12, 31, 23, 59)}, "only 60 values"),
    ],
)
def test_formats_that_can_not_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        formats.timestamp(**options)


def test_the_identity_is_the_range_in_universal_time() -> None:
    form = formats.timestamp(first=datetime(2000, 1, 1), resolution="ms")
    assert form.identity == ("timestamp", 946_684_800_000, 3_155_759_999_000, "ms")
    zone = timezone(timedelta(hours=2))
    same = formats.timestamp(first=datetime(2000, 1, 1, 2, tzinfo=zone), resolution="ms")
    assert form.identity == same.identity
