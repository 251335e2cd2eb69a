# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames to Arrow arrays and back, for each library that has them.

A module has the name of its library. Of data, `takes` returns "frame", "series", "plan" (a
lazy frame of Polars) or None. Of a frame, `names` returns the columns, `levels` the names of its
index, `get` a column as a series, and `put` a frame with other series in the place of some. Of a
lazy frame, `plan_head` returns a frame without rows, and `plan` makes columns anew when it runs.
`to_arrow` and `of_arrow` convert a series.
"""

from importlib import import_module
from typing import Any

_LIBRARIES = frozenset({"pandas", "polars"})


def adapter_of(data: object) -> Any:  # noqa: ANN401
    """Return the module for data's library; None: there is none. It loads no other library."""
    roots = (kind.__module__.partition(".")[0] for kind in type(data).__mro__)  # of a subclass too
    library = next((root for root in roots if root in _LIBRARIES), None)
    return None if library is None else import_module(f"{__name__}.{library}")
