# SPDX-License-Identifier: Apache-2.0
"""Groups of rows that agree in some columns: how small the smallest are (k-anonymity).

A row in a group of its own differs from all others in those columns, whether they hold values or
tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa

from tallystick.errors import ParameterError
from tallystick.files import CsvOptions, FileKind, Stored, columns_of, scan_file
from tallystick.files.job import Batch
from tallystick.files.scan import StopScan
from tallystick.files.tables import decoded

MOST_GROUPS = 1 << 22
"""More groups than this are not counted: nearly every row is alone."""

SIZES = (2, 5, 10, 20)
"""The report says how many rows are in groups smaller than each of these."""

_PENDING_ROWS = 1 << 20
_COUNT = "\0rows"  # no column of a file has this name


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of rows that have equal values in each of some columns."""

    columns: tuple[str, ...]
    """The columns."""
    rows: int
    """The rows that were counted; all of the file, unless there are too many groups."""
    groups: int | None
    """How many groups there are. None: more than `MOST_GROUPS`."""
    smallest: int
    """The rows of the smallest group: the file is k-anonymous in these columns for this k and no
    larger one. 0 without rows or count."""
    below: Mapping[int, int]
    """For each of `SIZES`, how many rows are in smaller groups; empty without rows or count."""


def measure_groups(
    source: Stored,
    columns: Sequence[Sequence[str]],
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
) -> list[Groups]:
    """Read a file, and count the groups of each set of columns.

    Nulls are equal to each other.

    Parameters
    ----------
    source : path or address
        The file.
    columns : sequence of sequences of str
        The sets.
    kind, csv
        As for `tallystick.files.transform_file`.

    Raises
    ------
    FileError
        The file can't be read.
    ParameterError
        A set is empty, names a column twice, or one that the file lacks.
    """
    known = columns_of(source, kind=kind, csv=csv, inside=chain(*columns))
    check_groups(columns, [name for name, _ in known])
    if not columns:
        return []
    counters = [_Counter(tuple(names)) for names in columns]
    scan_file(source, [_Reader(counters)], kind=kind, csv=csv, threads=1)
    return [counter.result() for counter in counters]


def check_groups(
    columns: Sequence[Sequence[str]], known: Sequence[str], *, typed: bool = False
) -> None:
    """Refuse sets that are empty, or that name a column twice or one that a file lacks.

    Parameters
    ----------
    typed : bool
        Whether the names may be paths, of which those into lists are refused.

    Raises
    ------
    ParameterError
    """
    for names in columns:
        _check(names, known)
        for name in names if typed else ():
            if "[]" in name or "{}" in name:
                raise _in_list(name)


def _in_list(name: str) -> ParameterError:
    return ParameterError(
        f"groups: {name!r} is in a list, and groups are those of rows; name columns that a row "
        "has once"
    )


def _check(names: Sequence[str], known: Sequence[str]) -> None:
    if not names:
        raise ParameterError("groups: name at least one column")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"groups: column {name!r} is named twice; name it once")
        if known.count(name) != 1:
            state = "has no column" if name not in known else "has more than one column"
            raise ParameterError(
                f"groups: the file {state} {name!r}; its columns are: {', '.join(map(repr, known))}"
            )


class _Reader:
    """Hands the columns that counters want to them; a job of `scan_file`."""

    def __init__(self, counters: "Sequence[_Counter]") -> None:
        names = list(dict.fromkeys(name for counter in counters for name in counter.names))
        self.name, self.others = names[0], tuple(names[1:])
        self._names = names
        self._counters = counters

    def read(self, batch: Batch) -> None:
        """Take a batch."""
        if not isinstance(batch.rows, int):
            raise _in_list(self.name)
        columns = map(decoded, (batch.values, *batch.others))
        arrays = dict(zip(self._names, columns, strict=True))
        for counter in self._counters:
            counter.add([arrays[name] for name in counter.names])
        if all(counter.is_over for counter in self._counters):
            raise StopScan


class _Counter:
    """Counts the groups of one set of columns."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.is_over = False
        self._rows = 0
        self._counted: pa.Table | None = None
        self._pending: list[pa.Table] = []

    def add(self, arrays: Sequence[pa.Array]) -> None:
        """Take a batch, unless there are too many groups already."""
        if self.is_over:
            return
        ones = pa.array(np.ones(len(arrays[0]), np.int64))
        self._rows += len(ones)
        self._pending.append(pa.table([*arrays, ones], [*self.names, _COUNT]))
        if sum(map(len, self._pending)) >= _PENDING_ROWS:
            self._join()

    def result(self) -> Groups:
        """Return what was counted."""
        self._join()
        if self.is_over or self._counted is None:
            return Groups(self.names, self._rows, None if self.is_over else 0, 0, {})
        sizes = self._counted.column(_COUNT).to_numpy()
        below = {size: int(sizes[sizes < size].sum()) for size in SIZES}
        return Groups(self.names, self._rows, len(sizes), int(sizes.min()), below)

    def _join(self) -> None:
        """Add the pending rows to the groups."""
        if not any(map(len, self._pending)):
            return
        tables = [*([] if self._counted is None else [self._counted]), *self._pending]
        self._pending = []
        joined = pa.concat_tables(tables)
        try:
            made = joined.group_by(list(self.names), use_threads=False).aggregate([(_COUNT, "sum")])
        except pa.ArrowNotImplementedError:
            kinds = ", ".join(f"{name!r} has type {joined[name].type}" for name in self.names)
            raise ParameterError(
                f"groups: pyarrow can't group by lists, structs, maps and some other types: {kinds}"
                "; name columns of text, numbers or dates, or paths to them"
            ) from None
        self._counted = made.select([*self.names, f"{_COUNT}_sum"]).rename_columns(
            [*self.names, _COUNT]
        )
        self.is_over = len(made) > MOST_GROUPS
