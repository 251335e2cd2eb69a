# SPDX-License-Identifier: Apache-2.0
"""Polars: the attribute `tally` of expressions, Series, DataFrame and LazyFrame.

`tallystick.adapters.polars` converts. `Protector.protect` takes frames too; the attribute takes
tokenizers and formats as well.
"""

from __future__ import annotations

import polars as pl

from tallystick.adapters import polars as adapter
from tallystick.frames.by import By, Column
from tallystick.protector import Protector

__all__ = ["TallyExpr", "TallyFrame", "TallyLazyFrame", "TallySeries"]


@pl.api.register_series_namespace("tally")
class TallySeries:
    """``series.tally``."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def protect(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: pl.Series | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> pl.Series:
        """Replace values with tokens.

        Parameters
        ----------
        by : Protector, Tokenizer, Format or str
            A protector, a tokenizer, or a format (or its name) with `key` and `namespace`.
        column : str, optional
            The column of the policy. By default the series' name.
        tweaks : polars.Series, optional
            One tweak per row: equal values with different tweaks have unrelated tokens.
        key, namespace
            As for `tallystick.Tokenizer`.

        Returns
        -------
        polars.Series
            The tokens, with the name and type of the values.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `Protector.protect_column` and `Tokenizer.protect`.
        """
        found = Column.of(by, name=column or self._series.name, key=key, namespace=namespace)
        made: pl.Series = found.apply_to(adapter, self._series, tweaks, decrypt=False)
        return made

    def reveal(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: pl.Series | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> pl.Series:
        """Return the values of tokens: the inverse of `protect`.

        Parameters
        ----------
        by, column, tweaks, key, namespace
            As for `protect`.

        Returns
        -------
        polars.Series
            The values, with the name and type of the tokens.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `protect`.
        TallyError
            The protector or tokenizer can only protect.
        """
        found = Column.of(by, name=column or self._series.name, key=key, namespace=namespace)
        made: pl.Series = found.apply_to(adapter, self._series, tweaks, decrypt=True)
        return made


@pl.api.register_expr_namespace("tally")
class TallyExpr:
    """``pl.col(...).tally``: element by element, so that lazy queries stream."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def protect(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: pl.Expr | str | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> pl.Expr:
        """Replace values with tokens when the query runs; see `TallySeries.protect`.

        `tweaks` is an expression or a column's name. Errors are raised when the query runs. Some
        engines raise them as `polars.exceptions.ComputeError`.
        """
        return self._mapped(by, column, tweaks, key, namespace, decrypt=False)

    def reveal(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: pl.Expr | str | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> pl.Expr:
        """Return the values of tokens when the query runs: the inverse of `protect`.

        Parameters
        ----------
        by, column, tweaks, key, namespace
            As for `protect`.

        Returns
        -------
        polars.Expr
            The values, with the name and type of the tokens.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `protect`.
        TallyError
            The protector or tokenizer can only protect.
        """
        return self._mapped(by, column, tweaks, key, namespace, decrypt=True)

    def _mapped(
        self,
        by: By,
        name: str | None,
        tweaks: pl.Expr | str | None,
        key: bytes | bytearray | None,
        namespace: str | None,
        *,
        decrypt: bool,
    ) -> pl.Expr:
        # By a policy the name may be that of the series, which is known when the query runs.
        fixed = (
            None
            if isinstance(by, Protector) and name is None
            else Column.of(by, name=name, key=key, namespace=namespace)
        )

        def act(series: pl.Series, own: pl.Series | None) -> pl.Series:
            found = fixed or Column.of(by, name=series.name)
            made: pl.Series = found.apply_to(adapter, series, own, decrypt=decrypt)
            return made

        other = pl.col(tweaks) if isinstance(tweaks, str) else tweaks
        return adapter.mapped(self._expr, act, other)


@pl.api.register_dataframe_namespace("tally")
class TallyFrame:
    """``frame.tally``."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def protect(self, protector: Protector) -> pl.DataFrame:
        """Replace the values of the policy's columns with tokens. Other columns are unchanged.

        Parameters
        ----------
        protector : Protector
            The policy with its keys.

        Returns
        -------
        polars.DataFrame
            A new frame with the same schema.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `Protector.protect`.
        """
        made: pl.DataFrame = protector.protect(self._frame)
        return made

    def reveal(self, protector: Protector) -> pl.DataFrame:
        """Return the values of tokens: the inverse of `protect`.

        Parameters
        ----------
        protector : Protector
            The policy with its keys.

        Returns
        -------
        polars.DataFrame
            A new frame with the same schema.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `protect`.
        TallyError
            The protector or tokenizer can only protect.
        """
        made: pl.DataFrame = protector.reveal(self._frame)
        return made


@pl.api.register_lazyframe_namespace("tally")
class TallyLazyFrame:
    """``lazy_frame.tally``."""

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame

    def protect(self, protector: Protector) -> pl.LazyFrame:
        """Replace the values of the policy's columns with tokens when the query runs.

        The names of the columns are checked at once, and raise errors at once.
        """
        made: pl.LazyFrame = protector.protect(self._frame)
        return made

    def reveal(self, protector: Protector) -> pl.LazyFrame:
        """Return the values of tokens when the query runs: the inverse of `protect`.

        Parameters
        ----------
        protector : Protector
            The policy with its keys.

        Returns
        -------
        polars.LazyFrame
            A new query with the same schema.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `protect`.
        TallyError
            The protector or tokenizer can only protect.
        """
        made: pl.LazyFrame = protector.reveal(self._frame)
        return made
