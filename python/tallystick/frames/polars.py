# SPDX-License-Identifier: Apache-2.0
"""Polars: the attribute `tally` of expressions, Series, DataFrame and LazyFrame.

`tallystick.adapters.polars` converts. `Protector.protect` takes frames too; the attribute takes
tokenizers and formats as well.
"""

import polars as pl

from tallystick.adapters import polars as adapter
from tallystick.errors import ParameterError
from tallystick.frames.accessors import FrameAccessor, SeriesAccessor
from tallystick.frames.by import By, Column
from tallystick.protector import Protector

__all__ = ["TallyExpr", "TallyFrame", "TallyLazyFrame", "TallySeries"]


@pl.api.register_series_namespace("tally")
class TallySeries(SeriesAccessor[pl.Series]):
    """``series.tally``."""


@pl.api.register_dataframe_namespace("tally")
class TallyFrame(FrameAccessor[pl.DataFrame]):
    """``frame.tally``."""


@pl.api.register_lazyframe_namespace("tally")
class TallyLazyFrame(FrameAccessor[pl.LazyFrame]):
    """``lazy_frame.tally``."""


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
        """Return the values of tokens when the query runs: the inverse of `protect`."""
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
            made: pl.Series = found.apply(series, own, decrypt=decrypt)
            return made

        if tweaks is not None and not isinstance(tweaks, str | pl.Expr | pl.Series):
            raise ParameterError(
                f"tweaks must be an expression or the name of a column, not {type(tweaks).__name__}"
            )
        other = pl.col(tweaks) if isinstance(tweaks, str) else tweaks
        return adapter.mapped([self._expr] if other is None else [self._expr, other], act)
