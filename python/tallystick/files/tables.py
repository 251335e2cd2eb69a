# SPDX-License-Identifier: Apache-2.0
"""Files of typed columns, piece by piece: replaced columns change, all else stays as it is.

What is alike in Parquet, Arrow IPC and ORC is here; each has a module that reads and writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from tallystick.errors import FileError
from tallystick.files.encodings import Output
from tallystick.files.job import ColumnJob, Done, Progress, ScanJob, apply_job, check_columns
from tallystick.files.marker import Gate, OpenGate, marker_of, with_marker
from tallystick.files.pipeline import run_in_order
from tallystick.files.places import Place
from tallystick.files.sizes import check_table

MOST_ROWS = 1 << 20
"""Rows in memory at once, at most; larger pieces are split."""
MOST_BYTES = 80 << 20
"""Bytes of these rows, about, at most: as encoded, not compressed."""
SLICE_ROWS = 1 << 16
"""Rows that a job is given at once, at most."""
AHEAD_BYTES = 128 << 20
"""Bytes of slices at work, about, at most."""
AHEAD_BYTES_EACH = 16 << 20
"""The same for each thread: a few threads have no use for more."""

Write = Callable[[pa.Table], None]


class TableFile(Protocol):
    """An open file of typed columns."""

    @property
    def place(self) -> Place:
        """The place itself; messages name it."""

    @property
    def schema(self) -> pa.Schema:
        """Its columns, and its metadata."""

    @property
    def rows(self) -> int:
        """The number of rows; 0 if it is unknown."""

    @property
    def size(self) -> int:
        """The bytes that were read from it, at the end."""

    def pieces(self, columns: list[str] | None, *, parallel: bool) -> Iterator[pa.Table]:
        """Give all rows of some columns (None: of all) in pieces that fit in memory."""

    def writer(
        self, sink: Output, schema: pa.Schema, replaced: set[str]
    ) -> AbstractContextManager[Write]:
        """Give a writer of tables of a schema into a file like this one.

        Parameters
        ----------
        replaced : set of str
            The columns that have new values.
        """


def transform_table(
    file: TableFile,
    sink: Output,
    jobs: Sequence[ColumnJob],
    progress: Progress | None = None,
    threads: int = 1,
    gate: Gate | None = None,
) -> Done:
    """Copy a file of typed columns to `sink` with columns replaced.

    A job gets the rows of a top-level column in its own type. A column of dictionary type is
    handed over decoded, and encoded again. With several threads one piece is read while slices
    of the one before are at work and the one before that is written: three are in memory, or if
    they are small as many as have `AHEAD_BYTES`.

    Raises
    ------
    FileError
        The file is damaged, lacks a column, or can't hold a new value.
    InvalidValueError, PolicyError
        As `apply_job` and `check_columns` say.
    """
    gate = gate or OpenGate()
    marker = gate.marker(marker_of(file.schema))
    check_columns(file.place, file.schema.names, jobs, shown=True)
    gate.columns(file.schema.names)
    schema = with_marker(file.schema, marker)
    with file.writer(sink, schema, {job.name for job in jobs}) as write:
        transfer = _Transfer(file, write, jobs, progress)
        run_in_order(
            transfer.slices(parallel=threads > 1),
            transfer.replace,
            transfer.write,
            threads=threads,
            ahead=_ahead(threads),
            weight=lambda part: 1 + (part.size >> 20),
        )
    return Done(transfer.rows, tuple(file.schema.names), file.size)


def scan_table(
    file: TableFile,
    jobs: Sequence[ScanJob],
    progress: Progress | None = None,
    threads: int = 1,
) -> int:
    """Hand columns of a file to `jobs`, and return its rows.

    No other column is read, if the kind of file allows it. Memory and errors are those of
    `transform_table`.
    """
    check_columns(file.place, file.schema.names, jobs, shown=True)
    scan = _Scan(file, jobs, progress)
    run_in_order(
        scan.slices(parallel=threads > 1),
        scan.read,
        scan.done,
        threads=threads,
        ahead=_ahead(threads),
        weight=lambda part: 1 + (part.nbytes >> 20),
    )
    return scan.rows


@contextmanager
def arrow_reads(what: str) -> Iterator[None]:
    """Let what Arrow raises of a damaged file be a `FileError`; `what` begins its message."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FileError(f"{what}: {error}") from error


def split_evenly(table: pa.Table) -> Iterator[pa.Table]:
    """Give a table in parts of about one size, none too large; an empty one as it is."""
    rows = len(table)
    pieces = max(1, -(-rows // MOST_ROWS), -(-table.nbytes // MOST_BYTES))
    step = max(1, -(-rows // pieces))
    for start in range(0, max(1, rows), step):
        yield table.slice(start, step)


def _ahead(threads: int) -> int:
    """Return how many MiB may be under way."""
    return min(AHEAD_BYTES, threads * AHEAD_BYTES_EACH) >> 20


class _Scan:
    """One run of `scan_table`."""

    def __init__(
        self,
        file: TableFile,
        jobs: Sequence[ScanJob],
        progress: Progress | None,
    ) -> None:
        self.source = file.place
        self.file = file
        self.jobs = jobs
        self.progress = progress
        self.rows = 0
        self._read = 0

    def slices(self, *, parallel: bool) -> Iterator[_Rows]:
        """Read the columns in use."""
        names = list(dict.fromkeys(name for job in self.jobs for name in (job.name, *job.others)))
        for table in self.file.pieces(names, parallel=parallel):
            check_table(table, names, self.file.place, _named(self.rows, table))
            for start in range(0, len(table), SLICE_ROWS):
                part = table.slice(start, SLICE_ROWS)
                yield _Rows(part, self.rows + start, part.nbytes)
            self.rows += len(table)
            del table

    def read(self, part: _Rows) -> int:
        """Hand a slice to the jobs, and return its rows."""
        for job in self.jobs:
            first_row = part.first_row
            used = [part.table.schema.get_field_index(name) for name in (job.name, *job.others)]
            for batch in part.table.select(used).to_batches():
                values, *others = (decoded(column) for column in batch.columns)
                job.read(values, others, first_row, lambda row: None)
                first_row += len(batch)
        return len(part.table)

    def done(self, rows: int) -> None:
        """Report progress."""
        self._read += rows
        if self.progress is not None:
            self.progress(self._read, self.file.rows)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of a file: where they begin in it, and their bytes, about."""

    table: pa.Table
    first_row: int
    nbytes: int


class _Piece:
    """A piece of a file on its way; `new` has what its columns become."""

    def __init__(self, table: pa.Table, jobs: int) -> None:
        self.table = table
        self.new: list[list[pa.Array]] = [[] for _ in range(jobs)]

    def give(self) -> tuple[pa.Table, list[list[pa.Array]]]:
        """Return both, and keep nothing: the piece is held longer than memory has room for them."""
        table, self.table = self.table, pa.table({})
        new, self.new = self.new, []
        return table, new


@dataclass(frozen=True, slots=True)
class _Slice:
    """Some rows of a piece.

    Attributes
    ----------
    piece : _Piece
        What they are of.
    start, rows : int
        Where they begin in it, and how many they are.
    first_row : int
        Where they begin in the file.
    size : int
        Their bytes, about.
    last : bool
        Whether the piece ends with them.
    """

    piece: _Piece
    start: int
    rows: int
    first_row: int
    size: int
    last: bool


class _Transfer:
    """One run of `transform_table`."""

    def __init__(
        self,
        file: TableFile,
        write: Write,
        jobs: Sequence[ColumnJob],
        progress: Progress | None,
    ) -> None:
        self.source = file.place
        self.file = file
        self._write = write
        self.jobs = jobs
        self.progress = progress
        self._used = [name for job in jobs for name in (job.name, *job.others)]
        self.fields = [file.schema.field(job.name) for job in jobs]
        self.rows = 0

    def slices(self, *, parallel: bool) -> Iterator[_Slice]:
        """Read the file; one slice at least comes of each piece, also of an empty one."""
        first_row = 0
        for table in self.file.pieces(None, parallel=parallel):
            check_table(table, self._used, self.source, _named(first_row, table))
            piece, rows = _Piece(table, len(self.jobs)), len(table)
            row_size = table.nbytes / max(1, rows)
            for start in range(0, max(1, rows), SLICE_ROWS):
                taken = min(SLICE_ROWS, rows - start)
                size, last = int(taken * row_size), start + taken == rows
                yield _Slice(piece, start, taken, first_row + start, size, last)
            first_row += rows
            del table, piece

    def replace(self, part: _Slice) -> tuple[_Slice, list[list[pa.Array]]]:
        """Make the new values of a slice."""
        table = part.piece.table.slice(part.start, part.rows)
        return part, [
            self._replaced(table, job, field, part.first_row)
            for job, field in zip(self.jobs, self.fields, strict=True)
        ]

    def _replaced(
        self, table: pa.Table, job: ColumnJob, field: pa.Field, first_row: int
    ) -> list[pa.Array]:
        used = [table.schema.get_field_index(name) for name in (job.name, *job.others)]
        chunks = []
        for batch in table.select(used).to_batches():
            values, *others = (decoded(column) for column in batch.columns)
            new = apply_job(job, values, others, first_row, self.source)
            if new.null_count > 0 and not field.nullable:
                raise FileError(
                    f"{self.source}: column {job.name!r} must not have nulls, but a new value is "
                    "null"
                )
            chunks.append(new)
            first_row += len(batch)
        return chunks

    def write(self, done: tuple[_Slice, list[list[pa.Array]]]) -> None:
        """Take the new values of a slice; with its last one a piece is written."""
        part, columns = done
        piece = part.piece
        for new, chunks in zip(piece.new, columns, strict=True):
            new += chunks
        if not part.last:
            return
        table, replaced = piece.give()
        for field, new in zip(self.fields, replaced, strict=True):
            index = table.schema.get_field_index(field.name)
            table = table.set_column(index, field, encoded(new, field, self.source))
        self._write(table)
        self.rows += len(table)
        if self.progress is not None:
            self.progress(self.rows, self.file.rows)


def decoded(column: pa.Array) -> pa.Array:
    """Return a column without its dictionary, if it has one."""
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def _named(first_row: int, table: pa.Table) -> str:
    """Name a piece of a file by its rows, counted from 1."""
    return f"the piece of rows {first_row + 1} to {first_row + len(table)}"


def narrowed(indices: pa.Array, field: pa.Field, source: Place) -> pa.Array:
    """Return the indices of a dictionary in a field's own type.

    Raises
    ------
    FileError
        The index type is too small for the dictionary.
    """
    try:
        return indices.cast(field.type.index_type)
    except pa.ArrowInvalid:
        raise FileError(
            f"{source}: column {field.name!r} has more new values than its dictionary's indices "
            f"({field.type.index_type}) can number; use a wider index type"
        ) from None


def encoded(new: list[pa.Array], field: pa.Field, source: Place) -> pa.ChunkedArray:
    """Return values in a field's type, which is theirs or a dictionary of it."""
    if not new or new[0].type == field.type:
        return pa.chunked_array(new, field.type)
    plain = pa.chunked_array(new).combine_chunks().dictionary_encode()
    indices = narrowed(plain.indices, field, source)
    encoded = pa.DictionaryArray.from_arrays(indices, plain.dictionary, ordered=field.type.ordered)
    return pa.chunked_array([encoded], field.type)
