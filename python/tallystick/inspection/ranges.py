# SPDX-License-Identifier: Apache-2.0
"""Ranges of numbers that a column's format may have: wider than what the sample shows."""

import re
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.inspection.column import Column

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,11})\.(\d{1,6})")

_DIGITS_OF_DOUBLES = 15
_MOST_OF_DOUBLES = 10**_DIGITS_OF_DOUBLES - 1
"""What formats take of float64: numbers of so many digits, which doubles tell apart."""

Suggestion = tuple[str, dict[str, Any]]
"""A format and its options; none: there is no such range."""


def integer_range(column: Column) -> Suggestion:
    """Return the powers of ten around the integers of a column, within its type."""
    if column.is_integer:
        ends = pc.min_max(column.values)
        if not len(column.text):
            return "integer", {}
        low, high = int(ends["min"].as_py()), int(ends["max"].as_py())
        return _ten(low, high, *_limits(column, 2**64))
    numbers = [int(value) for value in column.probe if _INTEGER.fullmatch(value)]
    if not numbers or column.share(_INTEGER) < 0.5:
        return "integer", {}
    numbers += [int(v) for v in column.different.to_pylist() if _INTEGER.fullmatch(v)]
    return _ten(min(numbers), max(numbers), *_limits(column, 10**18 - 1))


def _limits(column: Column, most: int) -> tuple[int, int]:
    """Return the least and the largest integer that columns of all its types can have."""
    kinds = [kind for kind in column.kinds if pa.types.is_integer(kind)]
    limits = [np.iinfo(kind.to_pandas_dtype()) for kind in kinds]
    if any(map(pa.types.is_float64, column.kinds)):
        most = _MOST_OF_DOUBLES
    least = max((int(one.min) for one in limits), default=-most)
    return max(least, -most), min((int(one.max) for one in limits), default=most)


def _ten(low: int, high: int, least: int, most: int) -> Suggestion:
    top = max(2, len(str(max(abs(low), abs(high)))))
    first = -(10**top) + 1 if low < 0 else 0
    return "integer", {"min": max(first, least), "max": min(10**top - 1, most)}


def decimal_range(column: Column) -> Suggestion:
    """Return the powers of ten around the decimal numbers of a column, at their scale."""
    kind = column.values.type
    if (pa.types.is_decimal128(kind) or pa.types.is_decimal256(kind)) and kind.scale >= 0:
        whole = min(kind.precision, 18) - kind.scale
        texts, scale = column.text.to_pylist(), kind.scale
        if whole < 1 or not texts:
            return "decimal", {}
    elif column.is_float:
        numbers = [value for value in column.values.drop_null().to_pylist() if isfinite(value)]
        texts = [np.format_float_positional(value, trim="-") for value in numbers]
        scale = max((len(text.partition(".")[2]) for text in texts), default=0)
        whole = _DIGITS_OF_DOUBLES - scale
        if not 1 <= scale <= 6:
            return "decimal", {}
    else:
        found = [_DECIMAL.fullmatch(value) for value in column.probe]
        scales = {len(one[1]) for one in found if one}
        if not column.is_text or len(scales) != 1 or sum(map(bool, found)) * 2 < len(found):
            return "decimal", {}
        (scale,) = scales
        whole = 18 - scale
        texts = [v for v in column.different.to_pylist() if _DECIMAL.fullmatch(v)]
    top = max(len(text.lstrip("-").partition(".")[0]) for text in texts)
    top = min(max(top, 3 - scale), whole)
    end = "9" * top + ("." + "9" * scale if scale else "")
    low = f"-{end}" if any(text.startswith("-") for text in texts) else "0" + "." * bool(scale)
    return "decimal", {"min": low + "0" * scale if low[0] == "0" else low, "max": end,
                       "scale": scale}  # fmt: skip
