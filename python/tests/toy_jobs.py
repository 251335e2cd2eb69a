# SPDX-License-Identifier: Apache-2.0
"""Jobs for the tests of the file layer, which needs no cipher to show what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tallystick.errors import InvalidValueError
from tallystick.paths import Rows


@dataclass
class EachValue:
    """Replaces each value by itself, and keeps what it was given, whichever thread calls."""

    name: str
    change: Callable[[str], str | None] = lambda value: value
    others: tuple[str, ...] = ()
    batches: dict[int, tuple[list[Any], list[list[Any]]]] = field(default_factory=dict)

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        given = values.to_pylist()
        assert isinstance(rows, int) and rows not in self.batches
        self.batches[rows] = (given, [other.to_pylist() for other in others])
        new = [None if value is None else self.change(value) for value in given]
        # A slice: results need not begin where their buffers do.
        return pa.array(["unused", None, *new], values.type)[2:]

    @property
    def first_rows(self) -> list[int]:
        return sorted(self.batches)

    @property
    def seen(self) -> list[Any]:
        return self._all(lambda batch: batch[0])

    def seen_of(self, other: str) -> list[Any]:
        index = self.others.index(other)
        return self._all(lambda batch: batch[1][index])

    def _all(self, part: Callable[[tuple[list[Any], list[list[Any]]]], list[Any]]) -> list[Any]:
        """Return what came, batch after batch; no row is missing or came twice."""
        rows = 0
        for first in self.first_rows:
            assert first == rows
            rows += len(self.batches[first][0])
        return [value for first in self.first_rows for value in part(self.batches[first])]


@dataclass(frozen=True)
class Reverse:
    """Puts a batch upside down: a change for columns of every type, and its own inverse."""

    name: str
    others: tuple[str, ...] = ()

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        each = [values[row : row + 1] for row in reversed(range(len(values)))]
        return pa.concat_arrays(each) if each else values


@dataclass(frozen=True)
class Refusing:
    """Finds that one value does not fit."""

    name: str
    value: object
    others: tuple[str, ...] = ()

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        found = values.to_pylist()
        if self.value in found:
            raise InvalidValueError("invalid", reason="too short", row=found.index(self.value))
        return values


@dataclass(frozen=True)
class WholeBatch:
    """Replaces a batch by whatever a function makes of it, be it within the contract or not."""

    name: str
    result: Callable[[pa.Array], pa.Array]
    others: tuple[str, ...] = ()

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        return self.result(values)
