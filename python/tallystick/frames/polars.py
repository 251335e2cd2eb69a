# SPDX-License-Identifier: Apache-2.0
"""Polars: the attribute `tally` of expressions, Series, DataFrame and LazyFrame.

Series are passed through Arrow memory without a copy, except text, whose layout changes.
"""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa

from tallystick.errors import ParameterError
from tallystick.frames.by import By, Column
from tallystick.protector import Protector

__all__ = ["TallyExpr", "TallyFrame", "TallyLazyFrame", "TallySeries"]

_OLDEST = pl.CompatLevel.oldest()
"""Text as large_string. Polars 1.31 crashes on short views that pyarrow 18 made."""


def _apply(column: Column, series: pl.Series, tweaks: pl.Series | None, decrypt: bool) -> pl.Series:
    """Protect or reveal a series; its name and type stay."""
    result = column.apply(
        _array(series), None if tweaks is None else _array(tweaks), decrypt=decrypt
    )
    made = pl.Series(series.name, result)
    if made.dtype == series.dtype:
        return made
    try:
        return made.cast(series.dtype)
    except pl.exceptions.PolarsError:  # whose message has values
        raise ParameterError(
            f"column {series.name!r}: the type {series.dtype} can't hold tokens; cast it to String"
        ) from None


def _array(series: pl.Series) -> pa.Array:
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.cast(pl.String)
    return series.to_arrow(compat_level=_OLDEST)


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
        return _apply(found, self._series, tweaks, decrypt=False)

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
        return _apply(found, self._series, tweaks, decrypt=True)


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

        def act(series: pl.Series, own: pl.Series | None = None) -> pl.Series:
            found = fixed or Column.of(by, name=series.name)
            return _apply(found, series, own, decrypt)

        if tweaks is None:
            return self._expr.map_batches(
                act, return_dtype=pl.dtype_of(self._expr), is_elementwise=True
            )
        # One struct, since that is what a function of one argument streams.
        other = pl.col(tweaks) if isinstance(tweaks, str) else tweaks
        both = pl.struct(self._expr, other.alias(_TWEAKS))

        def act_on_both(struct: pl.Series) -> pl.Series:
            fields: Any = struct.struct
            return act(fields.field(fields.fields[0]), fields.field(_TWEAKS))

        named = both.map_batches(
            act_on_both, return_dtype=pl.dtype_of(self._expr), is_elementwise=True
        )
        return named


_TWEAKS = "tallystick tweaks"


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
        return self._replaced(protector, decrypt=False)

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
        return self._replaced(protector, decrypt=True)

    def _replaced(self, protector: Protector, *, decrypt: bool) -> pl.DataFrame:
        frame = self._frame
        return frame.with_columns(
            _apply(
                Column(protector, rule.column),
                frame.get_column(rule.column),
                None if rule.tweak is None else frame.get_column(rule.tweak),
                decrypt,
            )
            for rule in protector.rules_for(frame.columns, decrypt=decrypt)
        )


@pl.api.register_lazyframe_namespace("tally")
class TallyLazyFrame:
    """``lazy_frame.tally``."""

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame

    def protect(self, protector: Protector) -> pl.LazyFrame:
        """Replace the values of the policy's columns with tokens when the query runs.

        The names of the columns are checked at once, and raise errors at once.
        """
        return self._replaced(protector, decrypt=False)

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
        return self._replaced(protector, decrypt=True)

    def _replaced(self, protector: Protector, *, decrypt: bool) -> pl.LazyFrame:
        names = self._frame.collect_schema().names()
        return self._frame.with_columns(
            TallyExpr(pl.col(rule.column))._mapped(
                protector, rule.column, rule.tweak, None, None, decrypt=decrypt
            )
            for rule in protector.rules_for(names, decrypt=decrypt)
        )
