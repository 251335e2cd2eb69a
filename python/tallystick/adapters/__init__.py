# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames to Arrow arrays and back, for each library that has them.

A module has the name of its library. Of data, `takes` returns "frame", "series", "plan" (a
lazy frame of Polars) or None. Of a frame, `names` returns the columns, `levels` the names of its
index, `get` a column as a series, and `put` a frame with other series in the place of some. Of a
lazy frame, `plan_head` returns a frame without rows, and `plan` makes columns anew when it runs.
`to_arrow` makes a series that can be given to Arrow, and `table` a table of such. `column` makes
Arrow data of a series, and `of_arrow` the other way.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_LIBRARIES = frozenset({"pandas", "polars"})


def adapter_of(data: object) -> Any:  # noqa: ANN401
    """Return the module for data's library; None: there is none. It loads no other library."""
    roots = (kind.__module__.partition(".")[0] for kind in type(data).__mro__)  # of a subclass too
    library = next((root for root in roots if root in _LIBRARIES), None)
    return None if library is None else import_module(f"{__name__}.{library}")


def series_to_arrow(values: Any, tweaks: Any) -> tuple[Any, Any, Callable[[Any], Any]] | None:  # noqa: ANN401
    """Return a series and its tweaks as Arrow data, and how new values are a series like it again.

    None: the values are no series. Raises `ParameterError`: Arrow can't hold them.
    """
    adapter = adapter_of(values)
    if adapter is None or adapter.takes(values) != "series":
        return None
    own = adapter.column(tweaks) if adapter.takes(tweaks) == "series" else tweaks
    return adapter.column(values), own, lambda made: adapter.of_arrow(made, values)
