# SPDX-License-Identifier: Apache-2.0
"""Files that are only read: whole columns for what counts, or a sample of some rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.atomic import file_errors
from tallystick.files.csv import csv_names, scan_csv
from tallystick.files.csv_records import CsvOptions
from tallystick.files.job import Progress, ScanJob
from tallystick.files.parquet import parquet_sample, parquet_schema, scan_parquet
from tallystick.files.run import FileKind, dialect_of, kind_of_source
from tallystick.threads import thread_count

SAMPLE_BYTES = 16 << 20
"""Bytes of values in the sample of a CSV file, about, at most."""
SAMPLE_GROUPS = 8
"""Row groups that the sample of a Parquet file is of, at most."""


class StopScan(Exception):  # noqa: N818  # not an error: what was wanted has been read
    """Raised by a job, ends the scan."""


def columns_of(
    source: Path, *, kind: FileKind | None = None, csv: CsvOptions | None = None
) -> list[tuple[str, pa.DataType]]:
    """Return name and type of each column; those of CSV are text.

    Raises
    ------
    FileError
        The file can't be read.
    """
    with file_errors(source):
        if kind_of_source(source, kind) is FileKind.PARQUET:
            return [(field.name, field.type) for field in parquet_schema(source)]
        return [(name, pa.string()) for name in csv_names(source, dialect_of(source, csv))]


def scan_file(
    source: Path,
    jobs: Sequence[ScanJob],
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> int:
    """Hand columns of a file to jobs, batch by batch, and return the file's rows.

    Parameters are those of `transform_file`. A job that raises `StopScan` ends the scan; 0 is
    returned then.

    Raises
    ------
    FileError
        The file can't be read, or lacks a column.
    """
    used = thread_count(threads)
    with file_errors(source), suppress(StopScan):
        if kind_of_source(source, kind) is FileKind.PARQUET:
            return scan_parquet(source, jobs, progress, used)
        return scan_csv(source, jobs, dialect_of(source, csv), progress, used)
    return 0


@dataclass(frozen=True)
class Sample:
    """Some rows of a file.

    Attributes
    ----------
    columns : dict of str to pyarrow.Array
        The rows of each column, none of a dictionary type.
    rows : numpy.ndarray of int64, shape (rows,)
        The number of each in the file, from 0.
    groups : int or None
        Of how many row groups they are the first; None: they are the first of the file.
    """

    columns: dict[str, pa.Array]
    rows: npt.NDArray[np.int64]
    groups: int | None


def sample_file(
    source: Path,
    rows: int,
    *,
    kind: FileKind | None = None,
    csv: CsvOptions | None = None,
) -> Sample:
    """Read a sample: the first rows of CSV, those of several row groups of Parquet.

    A column whose name occurs twice is left out. Of CSV there are fewer rows if they are long:
    about `SAMPLE_BYTES` of values.

    Parameters
    ----------
    rows : int
        How many, at most.
    kind, csv
        As for `transform_file`.

    Raises
    ------
    FileError
        The file can't be read.
    """
    listed = columns_of(source, kind=kind, csv=csv)
    counted = Counter(name for name, _ in listed)
    names = [name for name, _ in listed if counted[name] == 1]
    if not names:
        return Sample({}, np.zeros(0, np.int64), None)
    with file_errors(source):
        if kind_of_source(source, kind) is FileKind.PARQUET:
            types = dict(listed)
            return _parquet(source, [(name, types[name]) for name in names], rows)
    room = _Room(SAMPLE_BYTES)
    takers = [_Taker(name, rows, room) for name in names]
    takers[-1].last = True
    scan_file(source, takers, kind=kind, csv=csv, threads=1)
    columns = {taker.name: taker.column(pa.string()) for taker in takers}
    return Sample(columns, np.arange(len(columns[names[0]]), dtype=np.int64), None)


def _parquet(source: Path, columns: list[tuple[str, pa.DataType]], rows: int) -> Sample:
    names = [name for name, _ in columns]
    parts = parquet_sample(source, names, rows, SAMPLE_GROUPS)
    if not parts:
        empty = {name: pa.nulls(0, _plain(kind)) for name, kind in columns}
        return Sample(empty, np.zeros(0, np.int64), 0)
    table = pa.concat_tables([part for _, part in parts])
    numbers = [np.arange(first, first + len(part)) for first, part in parts]
    taken = {name: _combined(table.column(name)) for name in names}
    return Sample(taken, np.concatenate(numbers).astype(np.int64), len(parts))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _combined(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    if isinstance(joined, pa.ChunkedArray):
        joined = pa.concat_arrays(joined.chunks)
    return joined.dictionary_decode() if isinstance(joined, pa.DictionaryArray) else joined


@dataclass
class _Room:
    """What the columns of a sample may still take."""

    bytes: int


@dataclass
class _Taker:
    """Takes the first rows of a column."""

    name: str
    rows: int
    room: _Room
    last: bool = False
    others: tuple[str, ...] = ()
    taken: list[pa.Array] = field(default_factory=list)

    def read(
        self,
        values: pa.Array,
        others: Sequence[pa.Array],
        first_row: int,
        line: Callable[[int], int | None],
    ) -> None:
        """Take a batch, and end the scan when the last column has enough."""
        part = values.slice(0, self.rows - first_row)
        self.taken.append(part)
        self.room.bytes -= part.nbytes
        if self.last and (first_row + len(part) >= self.rows or self.room.bytes <= 0):
            raise StopScan

    def column(self, kind: pa.DataType) -> pa.Array:
        """Return all that was taken."""
        return pa.concat_arrays(self.taken) if self.taken else pa.nulls(0, kind)
