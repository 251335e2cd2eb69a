# SPDX-License-Identifier: Apache-2.0
"""Parquet files, row group by row group: replaced columns change, all else stays as it is.

That holds for the schema with its metadata, nested columns, codecs and dictionaries, and for row
groups unless they are too large for memory. No original is left in statistics, dictionaries or
Bloom filters, because all pages are written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from tallystick.errors import FileError
from tallystick.files.job import ColumnJob, Done, Progress, ScanJob, apply_job, check_columns
from tallystick.files.marker import Gate, OpenGate, marker_of, with_marker
from tallystick.files.parquet_settings import writer_settings
from tallystick.files.pipeline import run_in_order
from tallystick.files.places import Place
from tallystick.files.streams import Sink, open_at, watched

MOST_ROWS = 1 << 20
"""Rows in memory at once, at most; a larger row group is split."""
MOST_BYTES = 80 << 20
"""Bytes of these rows, about, at most: as encoded, not compressed."""
READ_BYTES = 1 << 20
"""Bytes of a column that are read at once: it is not whole in memory before it is decoded."""
SLICE_ROWS = 1 << 16
"""Rows that a job is given at once, at most."""
GROUP_ROWS = 64
"""Rows of each row group that a sample looks at, at least."""
AHEAD_BYTES = 128 << 20
"""Bytes of slices at work, about, at most."""
AHEAD_BYTES_EACH = 16 << 20
"""The same for each thread: a few threads have no use for more."""


def transform_parquet(
    source: Place,
    sink: Sink,
    jobs: Sequence[ColumnJob],
    progress: Progress | None = None,
    threads: int = 1,
    gate: Gate | None = None,
) -> Done:
    """Copy a Parquet file to `sink` with columns replaced.

    A job gets the rows of a top-level column in its own type. A column of dictionary type is
    handed over decoded, and encoded again. With several threads one row group is read while slices
    of the one before are at work and the one before that is written: three are in memory, or if
    they are small as many as have `AHEAD_BYTES`.

    Raises
    ------
    FileError
        The file is no Parquet, is damaged, lacks a column, or can't hold a new value.
    UnfitError, PolicyError
        As `apply_job` and `check_columns` say.
    """
    gate = gate or OpenGate()
    with watched(source) as size, _open(source, _int96_unit(source)) as file:
        marker = gate.marker(marker_of(file.schema_arrow))
        check_columns(source, file.schema_arrow.names, jobs, shown=True)
        gate.columns(file.schema_arrow.names)
        schema = with_marker(file.schema_arrow, marker)
        with _arrow_reads(f"{source}: {_DAMAGED}"):
            settings = writer_settings(file.metadata, {job.name for job in jobs})
        with pq.ParquetWriter(sink, schema, **settings) as writer:
            transfer = _Transfer(source, file, writer, jobs, progress)
            run_in_order(
                transfer.slices(parallel=threads > 1),
                transfer.replace,
                transfer.write,
                threads=threads,
                ahead=_ahead(threads),
                weight=lambda part: 1 + (part.size >> 20),
            )
        names = file.schema_arrow.names
    return Done(transfer.rows, tuple(names), size)


def scan_parquet(
    source: Place,
    jobs: Sequence[ScanJob],
    progress: Progress | None = None,
    threads: int = 1,
) -> int:
    """Hand the columns of a Parquet file to `jobs`, and return its rows.

    No other column is read. Memory and errors are those of `transform_parquet`.
    """
    with _open(source, _int96_unit(source)) as file:
        check_columns(source, file.schema_arrow.names, jobs, shown=True)
        scan = _Scan(source, file, jobs, progress)
        run_in_order(
            scan.slices(parallel=threads > 1),
            scan.read,
            scan.done,
            threads=threads,
            ahead=_ahead(threads),
            weight=lambda part: 1 + (part.nbytes >> 20),
        )
    return scan.rows


def parquet_schema(source: Place) -> pa.Schema:
    """Return the schema of a Parquet file."""
    with _open(source, _int96_unit(source)) as file:
        return file.schema_arrow


def sample_parquet(
    source: Place,
    columns: list[str],
    rows: int,
    most_bytes: int,
    take: Callable[[list[pa.Array], int], Sequence[bool]],
) -> bool:
    """Hand rows of every row group to `take`: all rows if the file has at most `most_bytes`.

    Of a larger file, `take` gets the first rows of every row group. Where a column has had no value
    then, row groups follow that have one, or whose statistics do not say, until one was there.

    Parameters
    ----------
    columns : list of str
        What to read.
    rows : int
        How many rows of a larger file to read, about; at least `GROUP_ROWS` of each row group.
    take : callable
        Takes the columns of some rows and the first row's number in the file, and says for each
        column whether a value was there so far.

    Returns
    -------
    bool
        Whether all rows were read.
    """
    with _open(source, _int96_unit(source)) as file:
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        firsts = [sum(group.num_rows for group in groups[:i]) for i in range(len(groups))]
        whole = bool(sum(group.total_byte_size for group in groups) <= most_bytes)
        most = max(GROUP_ROWS, -(-rows // max(1, len(groups))))
        had: Sequence[bool] = [False] * len(columns)
        for number, first in enumerate(firsts):
            for start, batch in _batches(file, source, number, columns, None if whole else most):
                had = take(batch, first + start)
        for number, first in enumerate(firsts) if not whole else ():
            for start, batch in _batches(file, source, number, columns, None):
                if all(had) or not _may_have(groups[number], columns, had):
                    break
                had = take(batch, first + start)
        return whole


def _batches(
    file: pq.ParquetFile, source: Place, number: int, columns: list[str], rows: int | None
) -> Iterator[tuple[int, list[pa.Array]]]:
    """Give rows of a row group in batches, each with its first row's number; None: all rows."""
    seen, size = 0, min(SLICE_ROWS, rows or SLICE_ROWS)
    expected = file.metadata.row_group(number).num_rows
    with _arrow_reads(f"{source}: row group {number + 1} can't be read"):
        for batch in file.iter_batches(size, [number], columns=columns):
            found = {name: _decoded(batch.column(name)) for name in columns}
            yield seen, [found[name] for name in columns]
            seen += len(batch)
            if rows is not None and seen >= rows:
                return
    if seen != expected:
        raise FileError(f"{source}: row group {number + 1} has {seen} rows, not as it says")


def _may_have(group: pq.RowGroupMetaData, columns: list[str], had: Sequence[bool]) -> bool:
    """Say whether a row group may have a value of a column that has had none."""
    wanted = {name for name, one in zip(columns, had, strict=True) if not one}
    for index in range(group.num_columns):
        column = group.column(index)
        if column.path_in_schema.partition(".")[0] in wanted:
            statistics = column.statistics
            known = statistics is not None and statistics.has_null_count
            if not known or statistics.null_count < group.num_rows:
                return True
    return False


def _ahead(threads: int) -> int:
    """Return how many MiB may be under way."""
    return min(AHEAD_BYTES, threads * AHEAD_BYTES_EACH) >> 20


class _Scan:
    """One run of `scan_parquet`."""

    def __init__(
        self,
        source: Place,
        file: pq.ParquetFile,
        jobs: Sequence[ScanJob],
        progress: Progress | None,
    ) -> None:
        self.source = source
        self.file = file
        self.jobs = jobs
        self.progress = progress
        self.rows = 0
        self._read = 0

    def slices(self, *, parallel: bool) -> Iterator[_Rows]:
        """Read the columns in use."""
        names = list(dict.fromkeys(name for job in self.jobs for name in (job.name, *job.others)))
        for table in _pieces(self.file, self.source, names, parallel=parallel):
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
                values, *others = (_decoded(column) for column in batch.columns)
                job.read(values, others, first_row, lambda row: None)
                first_row += len(batch)
        return len(part.table)

    def done(self, rows: int) -> None:
        """Tell of progress."""
        self._read += rows
        if self.progress is not None:
            self.progress(self._read, self.file.metadata.num_rows)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of a file: where they begin in it, and their bytes, about."""

    table: pa.Table
    first_row: int
    nbytes: int


class _Piece:
    """A row group, or a part of a large one, on its way; `new` has what its columns become."""

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
    """One run of `transform_parquet`."""

    def __init__(
        self,
        source: Place,
        file: pq.ParquetFile,
        writer: pq.ParquetWriter,
        jobs: Sequence[ColumnJob],
        progress: Progress | None,
    ) -> None:
        self.source = source
        self.file = file
        self.writer = writer
        self.jobs = jobs
        self.progress = progress
        self.fields = [file.schema_arrow.field(job.name) for job in jobs]
        self.rows = 0

    def slices(self, *, parallel: bool) -> Iterator[_Slice]:
        """Read the file; one slice at least comes of each piece, also of an empty one."""
        first_row = 0
        for table in _pieces(self.file, self.source, parallel=parallel):
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
            values, *others = (_decoded(column) for column in batch.columns)
            new = apply_job(job, values, others, first_row, self.source)
            if new.null_count > 0 and not field.nullable:
                raise FileError(
                    f"{self.source}: column {job.name!r} must not have nulls, and a new value is "
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
            table = table.set_column(index, field, _encoded(new, field, self.source))
        self.writer.write_table(table, row_group_size=max(1, len(table)))
        self.rows += len(table)
        if self.progress is not None:
            self.progress(self.rows, self.file.metadata.num_rows)


_DAMAGED = "not a Parquet file, or a damaged one"


@contextmanager
def _arrow_reads(what: str) -> Iterator[None]:
    """Let what Arrow raises of a damaged file be a `FileError`; `what` begins its message."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise FileError(f"{what}: {error}") from error


@contextmanager
def _open(source: Place, int96_unit: str) -> Iterator[pq.ParquetFile]:
    with open_at(source, "Parquet") as readable:
        with _arrow_reads(f"{source}: {_DAMAGED}"):
            file = pq.ParquetFile(
                readable,
                coerce_int96_timestamp_unit=int96_unit,
                pre_buffer=False,
                buffer_size=READ_BYTES,
            )
            _ = file.schema_arrow.names  # not before it is asked for is it read
        with file:
            yield file


def _int96_unit(source: Place) -> str:
    """Return the unit in which timestamps of the old 96-bit type are read: usually "ns".

    These reach further than 64 bits of nanoseconds do, and pyarrow wraps them around silently;
    where one does not fit, all are read as microseconds (which is as fine as Spark writes them).
    """
    with _open(source, "ns") as fine, _open(source, "us") as coarse:
        pairs = zip(fine.schema_arrow, coarse.schema_arrow, strict=True)
        schema = pa.schema([field for field, other in pairs if field.type != other.type])
        for table in _pieces(coarse, source, schema.names) if schema.names else ():
            try:
                table.cast(schema)
            except pa.ArrowInvalid:
                return "us"
    return "ns"


def _pieces(
    file: pq.ParquetFile,
    source: Place,
    columns: list[str] | None = None,
    *,
    parallel: bool = True,
) -> Iterator[pa.Table]:
    """Give the row groups of a file, large ones in parts of about one size."""
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        rows, size = group.num_rows, group.total_byte_size
        pieces = max(1, -(-rows // MOST_ROWS), -(-size // MOST_BYTES))
        seen = 0
        with _arrow_reads(f"{source}: row group {number + 1} can't be read"):
            if pieces == 1 or rows == 0:
                table = file.read_row_group(number, columns=columns, use_threads=parallel)
                seen = len(table)
                yield table
                del table
            else:
                for batch in file.iter_batches(
                    max(1, -(-rows // pieces)), [number], columns=columns, use_threads=parallel
                ):
                    seen += len(batch)
                    yield pa.Table.from_batches([batch])
        if seen != rows:
            raise FileError(f"{source}: row group {number + 1} has {seen} rows, not as it says")


def _decoded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def _encoded(new: list[pa.Array], field: pa.Field, source: Place) -> pa.ChunkedArray:
    """Return values in a field's type, which is theirs or a dictionary of it."""
    if not new or new[0].type == field.type:
        return pa.chunked_array(new, field.type)
    plain = pa.chunked_array(new).combine_chunks().dictionary_encode()
    try:
        indices = plain.indices.cast(field.type.index_type)
    except pa.ArrowInvalid:
        raise FileError(
            f"{source}: column {field.name!r} has more new values than its dictionary's indices "
            f"({field.type.index_type}) can tell apart; give it a wider type"
        ) from None
    encoded = pa.DictionaryArray.from_arrays(indices, plain.dictionary, ordered=field.type.ordered)
    return pa.chunked_array([encoded], field.type)
