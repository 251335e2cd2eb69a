# SPDX-License-Identifier: Apache-2.0
"""Columns of Polars, through Arrow memory without a copy."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from tallystick.capsules import ArrowData, taken
from tallystick.errors import ParameterError


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


def levels(_: pl.DataFrame) -> list[str]:
    """Return the names of the index: there is none."""
    return []


def get(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return a column."""
    return frame.get_column(name)


def put(frame: pl.DataFrame, columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return a frame with other columns in the place of some."""
    return frame.with_columns(columns.values())


def to_arrow(series: pl.Series) -> pl.Series:
    """Return a series whose values Arrow can hold: those of Categorical and Enum as text.

    Raises `ParameterError`: there is none.
    """
    if _has_empty_arrays(series.dtype):
        raise ParameterError(
            f"column {series.name!r}: Polars can't take arrays of width 0 back from Arrow; cast "
            "them to lists, or drop the column"
        )
    plain = _plain(series.dtype)
    made = series if plain == series.dtype else series.cast(plain)
    try:
        taken(table({"": made.clear()}))
    except (ParameterError, pl.exceptions.PolarsError):
        raise ParameterError(
            f"column {series.name!r}: Arrow lacks the type {series.dtype.base_type()}, or one "
            "inside it; cast it first, for example to Int64 or String"
        ) from None
    return made


def _has_empty_arrays(kind: object) -> bool:
    if isinstance(kind, pl.Struct):
        return any(_has_empty_arrays(field.dtype) for field in kind.fields)
    if isinstance(kind, pl.Array) and kind.size == 0:
        return True
    return isinstance(kind, pl.List | pl.Array) and _has_empty_arrays(kind.inner)


def _plain(kind: Any) -> Any:  # noqa: ANN401
    """Return a type with text for Categorical and Enum: Polars 1.31 can't export these in lists."""
    if isinstance(kind, pl.Categorical | pl.Enum):
        return pl.String()
    if isinstance(kind, pl.Struct):
        return pl.Struct([pl.Field(field.name, _plain(field.dtype)) for field in kind.fields])
    if isinstance(kind, pl.List):
        return pl.List(_plain(kind.inner))
    return pl.Array(_plain(kind.inner), kind.size) if isinstance(kind, pl.Array) else kind


def column(series: pl.Series) -> ArrowData:
    """Return a series as Arrow data. Errors are those of `to_arrow`."""
    # As a frame: of dates in series, Polars 1.31 exports other types than it says.
    return taken(table({"": to_arrow(series)})).column(0)


def table(columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return columns of `to_arrow` as Arrow data."""
    return pl.DataFrame([series.alias(name) for name, series in columns.items()])


def of_arrow(values: Any, series: pl.Series) -> pl.Series:  # noqa: ANN401
    """Return values as a series like another.

    Raises `ParameterError`: the type can't hold them.
    """
    made = pl.Series(values=values).alias(series.name)
    try:
        if not isinstance(series.dtype, pl.Enum) and _same_enums(made, series):
            return made if made.dtype == series.dtype else made.cast(series.dtype)
    except pl.exceptions.PolarsError:  # whose message has values
        pass
    raise ParameterError(  # without the values of an Enum
        f"column {series.name!r}: the type {series.dtype.base_type()} can't hold tokens; cast it, "
        "or an Enum inside it, to String"
    )


def _same_enums(made: pl.Series, series: pl.Series) -> bool:
    """Return whether Enums inside a series are unchanged: Polars makes nulls of other values."""
    kind = series.dtype
    if isinstance(kind, pl.Enum):
        return made.cast(pl.String).equals(series.cast(pl.String))
    if isinstance(kind, pl.Struct):
        fields = [field.name for field in kind.fields]
        return all(_same_enums(made.struct.field(f), series.struct.field(f)) for f in fields)
    if isinstance(kind, pl.List | pl.Array):
        return _same_enums(made.explode(), series.explode())
    return True


def plan(
    frame: pl.LazyFrame, columns: Mapping[str, tuple[list[str], Callable[..., pl.Series]]]
) -> pl.LazyFrame:
    """Return a query whose columns are made anew when it runs.

    `columns`: of each column the names of those that it is made of, itself first, and what makes it
    of their series.
    """
    return frame.with_columns(
        mapped([pl.col(one) for one in names], act).alias(name)
        for name, (names, act) in columns.items()
    )


def plan_head(frame: pl.LazyFrame) -> pl.DataFrame:
    """Return a frame with a query's columns, and no rows."""
    return pl.DataFrame(schema=frame.collect_schema())


def mapped(columns: list[pl.Expr], act: Callable[..., pl.Series]) -> pl.Expr:
    """Return what is made of columns when the query runs, element by element, like the first."""
    kind = pl.dtype_of(columns[0])
    if len(columns) == 1:
        return columns[0].map_batches(act, return_dtype=kind, is_elementwise=True)
    # One struct, since that is what a function of one argument streams.
    others = (column.alias(f"tallystick {place}") for place, column in enumerate(columns[1:]))
    return pl.struct(columns[0], *others).map_batches(
        lambda struct: act(*struct.struct.unnest().get_columns()),
        return_dtype=kind,
        is_elementwise=True,
    )
