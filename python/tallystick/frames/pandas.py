# SPDX-License-Identifier: Apache-2.0
"""pandas: the accessor `tally` of DataFrame and Series.

Columns in Arrow memory, and numbers without nulls, are passed without a copy. Python objects are
converted to Arrow first. Index, name and type are unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tallystick.errors import ParameterError
from tallystick.frames.by import By, Column
from tallystick.protector import Protector

__all__ = ["TallyFrame", "TallySeries"]


def _apply(
    column: Column, series: pd.Series[Any], tweaks: pd.Series[Any] | None, decrypt: bool
) -> pd.Series[Any]:
    """Protect or reveal a series."""
    values = _array(series)
    result = column.apply(values, None if tweaks is None else _array(tweaks), decrypt=decrypt)
    made = _back(result, series)
    # Of objects pandas would guess the type.
    dtype = series.dtype if series.dtype.kind == "O" and isinstance(made, np.ndarray) else None
    return pd.Series(made, index=series.index, name=series.name, dtype=dtype)


def _array(series: pd.Series[Any]) -> pa.ChunkedArray:
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # whose message has values
        raise ParameterError(
            f"column {series.name!r} of dtype {series.dtype} has objects of several "
            "types, or of a type that Arrow lacks; convert it first, for example by "
            "astype('string')"
        ) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


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


@pd.api.extensions.register_series_accessor("tally")
class TallySeries:
    """``series.tally``."""

    def __init__(self, series: pd.Series[Any]) -> None:
        self._series = series

    def protect(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: pd.Series[Any] | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> pd.Series[Any]:
        """Replace values with tokens.

        Parameters
        ----------
        by : Protector, Tokenizer, Format or str
            A protector, a tokenizer, or a format (or its name) with `key` and `namespace`.
        column : str, optional
            The column of the policy. By default the series' name.
        tweaks : pandas.Series, optional
            One tweak per row: equal values with different tweaks have unrelated tokens.
        key, namespace
            As for `tallystick.Tokenizer`.

        Returns
        -------
        pandas.Series
            The tokens, with the name and type of the values.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `Protector.protect_column` and `Tokenizer.protect`. Rows count by position, from
            0.
        """
        return self._replaced(by, column, tweaks, key, namespace, decrypt=False)

    def reveal(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: pd.Series[Any] | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> pd.Series[Any]:
        """Return the values of tokens: the inverse of `protect`.

        Parameters
        ----------
        by, column, tweaks, key, namespace
            As for `protect`.

        Returns
        -------
        pandas.Series
            The values, with the name and type of the tokens.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `protect`.
        TallyError
            The protector or tokenizer can only protect.
        """
        return self._replaced(by, column, tweaks, key, namespace, decrypt=True)

    def _replaced(
        self,
        by: By,
        column: str | None,
        tweaks: pd.Series[Any] | None,
        key: bytes | bytearray | None,
        namespace: str | None,
        *,
        decrypt: bool,
    ) -> pd.Series[Any]:
        named = self._series.name
        name = column if column is not None or not isinstance(named, str) else named
        found = Column.of(by, name=name, key=key, namespace=namespace)
        return _apply(found, self._series, tweaks, decrypt)


@pd.api.extensions.register_dataframe_accessor("tally")
class TallyFrame:
    """``frame.tally``."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def protect(self, protector: Protector) -> pd.DataFrame:
        """Replace the values of the policy's columns with tokens. Other columns are unchanged.

        Parameters
        ----------
        protector : Protector
            The policy with its keys.

        Returns
        -------
        pandas.DataFrame
            A new frame with the same columns and index.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `Protector.protect`. Rows count by position, from 0.
        """
        return self._replaced(protector, decrypt=False)

    def reveal(self, protector: Protector) -> pd.DataFrame:
        """Return the values of tokens: the inverse of `protect`.

        Parameters
        ----------
        protector : Protector
            The policy with its keys.

        Returns
        -------
        pandas.DataFrame
            A new frame with the same columns and index.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `protect`.
        TallyError
            The protector or tokenizer can only protect.
        """
        return self._replaced(protector, decrypt=True)

    def _replaced(self, protector: Protector, *, decrypt: bool) -> pd.DataFrame:
        frame = self._frame
        names = list(frame.columns)  # one that is no text is no column of a policy
        made = {
            rule.column: _apply(
                Column(protector, rule.column),
                frame[rule.column],
                None if rule.tweak is None else frame[rule.tweak],
                decrypt,
            )
            for rule in protector.rules_for(names, decrypt=decrypt)
        }
        return frame.assign(**made)
