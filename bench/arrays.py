# SPDX-License-Identifier: Apache-2.0
"""Columns by their Arrow types, from Python, one thread."""

from __future__ import annotations

import time
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallystick import Tokenizer, formats

from . import data
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

KEY = bytes(range(16))
DISTINCT = 1000
"""Different values of a dictionary."""

_Columns = dict[str, tuple[formats.Format, pa.Array]]


def arrays(rows: int, repetitions: int) -> Section:
    """Measure a column of each type that a format takes."""
    groups = {"16 digits": _texts(rows), "numbers": _numbers(rows), "times": _times(rows)}
    return Section(
        f"Columns by Arrow type, from Python: {rows:,} values, one thread",
        tuple(
            Group(
                title,
                Unit.VALUES_PER_SECOND,
                side_by_side(
                    [_case(label, *column) for label, column in columns.items()],
                    repetitions,
                    time.thread_time,
                ),
                ratios=False,
            )
            for title, columns in groups.items()
        ),
        (
            f"A dictionary has {DISTINCT:,} values, and each is protected once. Shifted dates have "
            "a tweak for each row, one of 1,000.",
        ),
    )


def _texts(rows: int) -> _Columns:
    random, form = data.random_numbers(), formats.digits()
    text = data.digits(random, rows)
    indices = pa.array(random.integers(0, DISTINCT, rows, np.int32))
    return {
        "string": (form, text),
        "large_string": (form, text.cast(pa.large_string())),
        "string_view": (form, text.cast(pa.string_view())),
        "dictionary": (form, pa.DictionaryArray.from_arrays(indices, text.slice(0, DISTINCT))),
    }


def _numbers(rows: int) -> _Columns:
    numbers = data.integers(data.random_numbers(), rows)
    integer = formats.integer(min=0, max=10**9)
    decimal = formats.decimal(min=0, max=10**7, scale=2)
    floats = pc.divide(numbers.cast(pa.float64()), 100.0)
    return {
        "integer, int64": (integer, numbers),
        "integer, float64": (integer, numbers.cast(pa.float64())),
        "decimal, decimal128": (decimal, floats.cast(pa.decimal128(12, 2))),
        "decimal, float64": (decimal, floats),
        "bucket, int64": (formats.bucket(width=1000), numbers),
    }


def _times(rows: int) -> _Columns:
    random = data.random_numbers()
    days = data.dates(random, rows)
    span = formats.date(first=date(1900, 1, 1), last=date(2029, 12, 31))
    seconds = pa.array(random.integers(0, 1_700_000_000, rows))
    return {
        "date, date32": (span, days),
        "date_shift, date32": (formats.date_shift(), days),
        "timestamp, of seconds": (formats.timestamp(), seconds.cast(pa.timestamp("s"))),
        "timestamp, of microseconds": (
            formats.timestamp(),
            seconds.cast(pa.timestamp("s")).cast(pa.timestamp("us")),
        ),
        "bucket, date32": (formats.bucket(unit="month"), days),
    }


def _case(label: str, form: formats.Format, values: pa.Array) -> Case:
    tool = Tokenizer(form, KEY if form.keyed else None, namespace="bench")
    shifted = form.label == "date_shift"
    tweaks = pa.array([row % 1000 for row in range(len(values))]) if shifted else None
    if not form.one_way:
        back = tool.reveal(tool.protect(values, tweaks), tweaks)
        if _plain(back) != _plain(values):
            raise WrongResultError(f"{label}: revealing does not undo protecting")
    return Case(label, lambda: tool.protect(values, tweaks), len(values))


def _plain(values: pa.Array) -> pa.Array:
    """Return the rows alone: the entries of a dictionary come back in another order."""
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
