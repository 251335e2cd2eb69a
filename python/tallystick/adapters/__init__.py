# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames to Arrow arrays and back, for each library that has them.

A module of the library's name has `takes`, `names`, `get`, `put` and `of_series`; `adapter_of`
finds it, and loads no library that is not in use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

_LIBRARIES = frozenset({"pandas", "polars"})


class Adapter(Protocol):
    """What a module of this package does with data of its library."""

    def takes(self, data: object) -> str | None:
        """Return "frame", "series" or "plan" (of Polars); None: it is something else."""

    def names(self, frame: Any) -> Sequence[str]:  # noqa: ANN401
        """Return the names of a frame's columns."""

    def get(self, frame: Any, name: str) -> Any:  # noqa: ANN401
        """Return a column of a frame as a series."""

    def put(self, frame: Any, columns: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """Return a frame with other series in the place of some."""

    def to_arrow(self, series: Any) -> Any:  # noqa: ANN401
        """Return the values of a series as an Arrow array, or as chunks."""

    def of_arrow(self, values: Any, series: Any) -> Any:  # noqa: ANN401
        """Return Arrow's values as a series like another: with its name, type and index."""

    def plan_names(self, frame: Any) -> Sequence[str]:  # noqa: ANN401
        """Return the names of a query's columns, of Polars alone."""

    def plan(self, frame: Any, columns: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """Return a query whose columns are made anew when it runs, of Polars alone."""


def adapter_of(data: object) -> Adapter | None:
    """Return the adapter of data's library; None: there is none."""
    library = type(data).__module__.partition(".")[0]
    if library not in _LIBRARIES:
        return None
    return cast(Adapter, import_module(f"{__name__}.{library}"))
