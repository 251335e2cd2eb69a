# SPDX-License-Identifier: Apache-2.0
"""Columns of Polars, through Arrow memory without a copy, except text, whose layout changes."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl
import pyarrow as pa

from tallystick.errors import ParameterError

_OLDEST = pl.CompatLevel.oldest()
"""Text as large_string. Polars 1.31 crashes on short views that pyarrow 18 made."""


def takes(data: object) -> str | None:
    """Return what data is: "frame", "series", "plan" or None."""
    if isinstance(data, pl.DataFrame):
        return "frame"
    if isinstance(data, pl.LazyFrame):
        return "plan"
    return "series" if isinstance(data, pl.Series) else None


def names(frame: pl.DataFrame) -> list[str]:
    """Return the names of columns."""
    return frame.columns


def get(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column."""
    return frame.get_column(name)


def put(frame: pl.DataFrame, columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return a frame with other columns in the place of some."""
    return frame.with_columns(columns.values())


def to_arrow(series: pl.Series) -> pa.Array:
    """Return the values of a series."""
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.cast(pl.String)
    return series.to_arrow(compat_level=_OLDEST)


def of_arrow(values: pa.Array, series: pl.Series) -> pl.Series:
    """Return values as a series like another.

    Raises `ParameterError`: the type can't hold them.
    """
    made = pl.Series(series.name, values)
    if made.dtype == series.dtype:
        return made
    try:
        return made.cast(series.dtype)
    except pl.exceptions.PolarsError:  # whose message has values
        raise ParameterError(
            f"column {series.name!r}: the type {series.dtype} can't hold tokens; cast it to String"
        ) from None


Act = Callable[[pl.Series, pl.Series | None], pl.Series]
"""Makes the new series of one and its tweaks."""
_TWEAKS = "tallystick tweaks"


def plan(frame: pl.LazyFrame, columns: Mapping[str, tuple[Act, str | None]]) -> pl.LazyFrame:
    """Return a query whose columns are made anew when it runs, each with its tweak column."""
    return frame.with_columns(
        mapped(pl.col(name), act, None if tweak is None else pl.col(tweak))
        for name, (act, tweak) in columns.items()
    )


def plan_names(frame: pl.LazyFrame) -> list[str]:
    """Return the names of a query's columns."""
    return frame.collect_schema().names()


def mapped(expr: pl.Expr, act: Act, tweaks: pl.Expr | None) -> pl.Expr:
    """Return an expression that is made anew, element by element, when the query runs."""
    if tweaks is None:
        return expr.map_batches(
            lambda series: act(series, None), return_dtype=pl.dtype_of(expr), is_elementwise=True
        )
    # One struct, since that is what a function of one argument streams.
    both = pl.struct(expr, tweaks.alias(_TWEAKS))

    def act_on_both(struct: pl.Series) -> pl.Series:
        fields: Any = struct.struct
        return act(fields.field(fields.fields[0]), fields.field(_TWEAKS))

    return both.map_batches(act_on_both, return_dtype=pl.dtype_of(expr), is_elementwise=True)
