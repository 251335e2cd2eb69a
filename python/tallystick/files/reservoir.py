# SPDX-License-Identifier: Apache-2.0
"""A sample of rows that are given batch by batch, however many there are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

MOST_BYTES = 64 << 20
"""Bytes of values that a sample keeps, about, at most."""
_SEED = 1
"""Samples of one file are the same each time."""
_FIRST_VALUES = 50
"""Rows with a value of a column that are kept before others, at most."""


@dataclass
class _Batch:
    """Rows that were kept: their keys, their numbers and their columns."""

    keys: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    columns: list[pa.Array]

    def take(self, places: npt.NDArray[np.intp]) -> "_Batch":
        chosen = pa.array(places)
        columns = [column.take(chosen) for column in self.columns]
        return _Batch(self.keys[places], self.order[places], self.rows[places], columns)


class Reservoir:
    """Random rows of all that are given, and the first rows in which each column has a value.

    A column with few values in many rows thus has some of them in the sample. Every row gets a
    random key, and the rows with the smallest keys are kept; rows that bring a column its first
    values get keys below all others.

    `columns`: how many columns there are.
    `rows`: rows that are kept, at most. There are fewer of large values: about `MOST_BYTES` of
    them.

    Attributes
    ----------
    seen : int
        Rows that were given.
    values : list of int
        For each column the rows with a value among those that are preferred for it.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.seen = 0
        self.values = [0] * columns
        self._most = rows
        self._first_values = min(_FIRST_VALUES, max(1, rows // (2 * max(1, columns))))
        self._random = np.random.default_rng(_SEED)
        self._bound = np.inf
        self._kept: list[_Batch] = []
        self._bytes = self._rows = 0

    def add(self, columns: Sequence[pa.Array], first_row: int | None) -> None:
        """Take rows; `first_row` is the number of the first one in the file, None if unknown."""
        count = len(columns[0])
        keys = self._random.random(count)
        for index, column in enumerate(columns):
            wanted = self._first_values - self.values[index]
            if wanted > 0 and column.null_count < count:
                valid = column.is_valid().to_numpy(zero_copy_only=False)
                places = np.flatnonzero(valid)[:wanted]
                self.values[index] += len(places)
                keys[places] -= keys[places] >= 0
        places = np.flatnonzero(keys < self._bound)
        order = self.seen + np.arange(count)
        rows = np.full(count, -1) if first_row is None else first_row + np.arange(count)
        self.seen += count
        if not len(places):
            return
        part = _Batch(keys, order, rows, list(columns)).take(places)
        self._kept.append(part)
        self._rows += len(places)
        self._bytes += sum(column.nbytes for column in part.columns)
        if self._rows > 2 * self._most or self._bytes > 2 * MOST_BYTES:
            self._trim()

    def _trim(self) -> None:
        """Keep the rows with the smallest keys."""
        joined = _Batch(
            np.concatenate([part.keys for part in self._kept]),
            np.concatenate([part.order for part in self._kept]),
            np.concatenate([part.rows for part in self._kept]),
            [
                pa.concat_arrays([part.columns[index] for part in self._kept])
                for index in range(len(self.values))
            ],
        )
        most = self._most
        if self._bytes > MOST_BYTES:
            most = min(most, max(1, self._rows * MOST_BYTES // self._bytes))
        if most < self._rows:
            places = np.sort(np.argpartition(joined.keys, most - 1)[:most])
            joined = joined.take(places)
            self._bound = float(joined.keys.max())
        self._kept = [joined]
        self._rows = len(joined.keys)
        self._bytes = sum(column.nbytes for column in joined.columns)

    def result(self) -> tuple[npt.NDArray[np.int64], list[pa.Array]]:
        """Return the rows' numbers, -1 if unknown, and their columns; in the order they came."""
        if not self._kept:
            return np.zeros(0, np.int64), []
        self._trim()
        (part,) = self._kept
        part = part.take(np.argsort(part.order))
        return part.rows, part.columns
