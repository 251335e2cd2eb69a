# SPDX-License-Identifier: Apache-2.0
"""Columns of pandas.

Those in Arrow memory, and numbers without nulls, are passed without a copy. Python objects are
converted to Arrow first. Index, name and type are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tallystick.errors import ParameterError


def takes(data: object) -> str | None:
    """Return what data is: "frame", "series" or None."""
    if isinstance(data, pd.DataFrame):
        return "frame"
    return "series" if isinstance(data, pd.Series) else None


def names(frame: pd.DataFrame) -> list[str]:
    """Return the names of columns; one that is no text is no column of a policy."""
    return list(frame.columns)


def get(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return a column."""
    return frame[name]


def put(frame: pd.DataFrame, columns: Mapping[str, pd.Series[Any]]) -> pd.DataFrame:
    """Return a frame with other columns in the place of some."""
    return frame.assign(**columns)


def to_arrow(series: pd.Series[Any]) -> pa.ChunkedArray:
    """Return the values of a series.

    Raises `ParameterError`: Arrow can't hold them.
    """
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # whose message has values
        raise ParameterError(
            f"column {series.name!r} of dtype {series.dtype} has objects of several "
            "types, or of a type that Arrow lacks; convert it first, for example by "
            "astype('string')"
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def of_arrow(values: pa.ChunkedArray, series: pd.Series[Any]) -> pd.Series[Any]:
    """Return values as a series like another.

    Raises `ParameterError`: the type can't hold nulls, and there are some.
    """
    made = _back(values, series)
    # Of objects pandas would guess the type.
    dtype = series.dtype if series.dtype.kind == "O" and isinstance(made, np.ndarray) else None
    return pd.Series(made, index=series.index, name=series.name, dtype=dtype)


def _back(result: pa.ChunkedArray, series: pd.Series[Any]) -> Any:  # noqa: ANN401
    """Return an Arrow array as values of a series' type."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind in "iu" and result.null_count:  # which would become some number
            raise ParameterError(
                f"column {series.name!r} of dtype {dtype} can't hold nulls, but a new "
                "value is null; convert it to "
                f"{dtype.name.capitalize().replace('Ui', 'UI')!r}, or set on_invalid = "
                "'error' in the policy"
            )
        values = result.combine_chunks().to_numpy(zero_copy_only=False)
        if dtype.kind == "O":
            values = np.where(series.isna().to_numpy(), series.to_numpy(), values)
        return values.astype(dtype, copy=False)
    if isinstance(dtype, pd.CategoricalDtype):
        return pd.Categorical(result.cast(result.type.value_type).to_pandas())
    if isinstance(dtype, pd.DatetimeTZDtype):
        return result.to_pandas().astype(dtype).array
    return dtype.__from_arrow__(result)
