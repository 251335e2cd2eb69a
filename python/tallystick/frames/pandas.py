# SPDX-License-Identifier: Apache-2.0
"""pandas: the accessor `tally` of DataFrame and Series; `tallystick.adapters.pandas` converts.

`Protector.protect` takes frames too; the accessor takes tokenizers and formats as well.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from tallystick.adapters import pandas as adapter
from tallystick.frames.by import By, Column
from tallystick.protector import Protector

__all__ = ["TallyFrame", "TallySeries"]


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
        return found.apply_to(adapter, self._series, tweaks, decrypt=decrypt)


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
        made: pd.DataFrame = protector.protect(self._frame)
        return made

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
        made: pd.DataFrame = protector.reveal(self._frame)
        return made
