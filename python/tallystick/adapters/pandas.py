# SPDX-License-Identifier: Apache-2.0
"""Columns of pandas.

Those in Arrow memory, and numbers without nulls, are passed without a copy. Python objects are
converted to Arrow first. Index, name and type are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tallystick.capsules import ArrowData
from tallystick.errors import ParameterError


def takes(data: object) -> str | None:
    """Return what data is: "frame", "series" or None."""
    if isinstance(data, pd.DataFrame):
        return "frame"
    return "series" if isinstance(data, pd.Series) else None


def names(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns; one that is no text is no column of a policy."""
    return _comparable(frame.columns)


def levels(frame: pd.DataFrame) -> list[str]:
    """Return the names of the index, without levels that have none."""
    return [name for name in _comparable(frame.index.names) if name is not None]


def _comparable(names: Iterable[Any]) -> list[Any]:
    """Return names without `pd.NA`, which can't be looked for in a list; NaN stands for it."""
    return [np.nan if name is pd.NA else name for name in names]


def get(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return a column."""
    return frame[name]


def put(frame: pd.DataFrame, columns: Mapping[str, pd.Series[Any]]) -> pd.DataFrame:
    """Return a frame with other columns in the place of some."""
    made = frame.copy(deep=False)
    for name, series in columns.items():
        made[name] = series
    return made


def to_arrow(series: pd.Series[Any]) -> pa.ChunkedArray:
    """Return the values of a series.

    Raises `ParameterError`: Arrow can't hold them.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = series.dtype.categories.to_series(name=series.name)
        if values.empty:  # all are null; without values, pandas chooses the type
            return pa.chunked_array([pa.nulls(len(series))])
        codes = series.cat.codes.to_numpy()
        indices = pa.array(codes, mask=codes < 0)
        made = pa.DictionaryArray.from_arrays(indices, to_arrow(values).combine_chunks())
        return pa.chunked_array([made])
    try:
        array = pa.array(series, from_pandas=True)
        if series.dtype.kind == "O":
            if pa.types.is_temporal(array.type):
                array = _times(series, array)
            elif pa.types.is_nested(array.type) or pa.types.is_binary(array.type):
                _check_same(series, array)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # their messages have values
        raise ParameterError(
            f"column {series.name!r} of dtype {series.dtype} has objects of several "
            "types, or a type that Arrow lacks or changes; convert it first, for example by "
            "astype('string')"
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


column = to_arrow


def table(columns: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """Return columns of `to_arrow` as Arrow data."""
    return pa.table(columns)


def _times(series: pd.Series[Any], array: pa.Array) -> pa.Array:
    """Return dates or times without what Arrow does to objects: it cuts what its type can't hold.

    Raises `pa.ArrowTypeError`: they are of several types.
    """
    values = [value for value in series if not pd.isna(value)]
    if len({(isinstance(v, datetime), getattr(v, "tzinfo", None) is None) for v in values}) > 1:
        raise pa.ArrowTypeError
    if any(getattr(value, "nanosecond", 0) for value in values):
        return pa.array(series, pa.timestamp("ns", array.type.tz), from_pandas=True)
    return array


def _check_same(series: pd.Series[Any], array: pa.Array) -> None:
    """Check that objects come back from Arrow as they are.

    Raises `pa.ArrowTypeError`: Arrow changes one.
    """
    if not all(
        _same(_like(new, old), old) for new, old in zip(array.to_pylist(), series, strict=True)
    ):
        raise pa.ArrowTypeError


def _same(new: Any, old: Any) -> bool:  # noqa: ANN401
    """Return whether an object of `_like` has the type and the value of the old one."""
    if new is old:
        return True
    if type(new) is not type(old):
        return False
    if isinstance(old, dict):
        return all(_same(new[name], old[name]) for name in old)
    if isinstance(old, list | tuple | np.ndarray):
        return len(new) == len(old) and all(map(_same, new, old))
    return bool(new == old or (new != new and old != old))  # NaN


def of_arrow(values: Any, series: pd.Series[Any]) -> pd.Series[Any]:  # noqa: ANN401
    """Return values as a series like another.

    Raises `ParameterError`: the type can't hold nulls, and there are some.
    """
    values = pa.chunked_array(values) if isinstance(values, ArrowData) else values
    dtype = series.dtype
    made: Any
    if isinstance(dtype, pd.CategoricalDtype):
        if pa.types.is_null(values.type):
            return series.copy()
        kind = dtype.categories.dtype
        plain = values.cast(values.type.value_type).combine_chunks().dictionary_encode()
        found = pd.Index(_back(pa.chunked_array([plain.dictionary]), kind), dtype=kind)
        codes = plain.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        made = pd.Categorical.from_codes(codes, found).reorder_categories(found.sort_values())
        return pd.Series(made, index=series.index, name=series.name)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and values.null_count:
        raise ParameterError(  # they would become some number
            f"column {series.name!r} of dtype {dtype} can't hold nulls, but a new "
            "value is null; convert it to "
            f"{dtype.name.capitalize().replace('Ui', 'UI')!r}, or set on_invalid = "
            "'error' in the policy"
        )
    made = _back(values, dtype)
    if isinstance(made, list):
        made = list(map(_like, made, series))
    return pd.Series(made, index=series.index, name=series.name, dtype=dtype)


def _back(result: pa.ChunkedArray, dtype: Any) -> Any:  # noqa: ANN401
    """Return an Arrow array as values of a type: for objects, a list."""
    if isinstance(dtype, pd.DatetimeTZDtype):
        return result.to_pandas().astype(dtype).array
    if not isinstance(dtype, np.dtype):
        return dtype.__from_arrow__(result)
    if dtype.kind == "O":  # not by numpy: its integers have no nulls, and its times no zone
        return result.to_pylist()
    return result.combine_chunks().to_numpy(zero_copy_only=False).astype(dtype, copy=False)


def _like(new: Any, old: Any) -> Any:  # noqa: ANN401
    """Return an object that Arrow made as what it was: the old null, tuple or array of numpy."""
    if new is None:
        return old if pd.isna(old) is True else None
    if isinstance(old, pd.Timestamp):
        return pd.Timestamp(new)
    if isinstance(old, np.datetime64 | np.timedelta64):
        return (pd.Timestamp if old.dtype.kind == "M" else pd.Timedelta)(new).to_numpy()
    if isinstance(old, dict):  # whose order Arrow changes, and which gets the others' names
        held = copy(old)
        for name in old:
            held[name] = _like(new[name.decode() if isinstance(name, bytes) else name], old[name])
        return held
    if isinstance(old, list | tuple):  # a named tuple has _make
        return getattr(type(old), "_make", type(old))(map(_like, new, old))
    if isinstance(old, np.ndarray):
        made, kind = np.fromiter(map(_like, new, old), object, len(new)), old.dtype.kind
        if kind in "iub" and None in new:
            return made
        return made.astype(kind if kind in "US" else old.dtype)
    return old if new == old else new  # Arrow may have given it another type or zone
