# SPDX-License-Identifier: Apache-2.0
"""Files of typed columns, piece by piece: replaced columns change, all else stays as it is.

What is alike in Parquet, Arrow IPC and ORC is here; each has a module that reads and writes it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.arrow import without_values
from tallystick.capsules import ZERO, has_zero
from tallystick.counting import counted
from tallystick.errors import FileError, ParameterError, PolicyError
from tallystick.files.encodings import Output
from tallystick.files.job import (
    Batch,
    ColumnJob,
    DictionaryJob,
    FileReport,
    Job,
    Named,
    ScanJob,
    Work,
    apply_job,
    apply_to_dictionary,
    check_columns,
)
from tallystick.files.marker import free_metadata, marker_of, with_marker
from tallystick.files.pipeline import run_in_order
from tallystick.files.places import Place
from tallystick.files.sizes import check_table
from tallystick.paths import Found, Leaves, find, leaves, opened, put_back

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

_VALUES = re.compile(r"(Decimal value |date64\[ms\] |time\d\d\[\w+\] |ORC timestamp )(\(.*?\)|\S+)")
"""Values in messages of Arrow."""

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

        `replaced`: the columns that have new values.
        """


def transform_table(file: TableFile, sink: Output, work: Work[ColumnJob]) -> FileReport:
    """Copy a file of typed columns to `sink` with columns replaced.

    A job gets the rows of a column in its own type, or the values of a column inside others. A
    column of dictionary type is handed over decoded, and encoded again. With several threads one
    piece is read while slices of the one before are at work and the one before that is written:
    three are in memory, or if they are small as many as have `AHEAD_BYTES`.

    Raises `FileError`: the file is damaged, lacks a column, or can't hold a new value.
    `InvalidValueError`, `PolicyError`: as `apply_job` and `check_columns` say.
    """
    marker = work.gate.marker(marker_of(file.schema))
    run = _Transfer(file, work)
    work.gate.columns(run.names)
    replaced = {column.field.name for column in run.columns}
    schema = with_marker(without_values(file.schema, replaced), marker)
    with file.writer(sink, schema, replaced) as write:
        run_in_order(
            run.slices(),
            run.replace,
            partial(run.write, write),
            threads=work.threads,
            ahead=_ahead(work.threads),
            weight=lambda part: 1 + (part.size >> 20),
        )
    metadata = tuple(free_metadata(schema, replaced))
    return FileReport(run.rows, tuple(run.names), file.size, metadata=metadata)


def scan_table(file: TableFile, work: Work[ScanJob]) -> int:
    """Hand columns of a file to `jobs`, and return its rows.

    No other column is read, if the kind of file allows it. Memory and errors are those of
    `transform_table`.
    """
    run = _Scan(file, work)
    run_in_order(
        run.slices(),
        run.read,
        run.done,
        threads=work.threads,
        ahead=_ahead(work.threads),
        weight=lambda part: 1 + (part.nbytes >> 20),
    )
    return run.rows


@contextmanager
def arrow_reads(what: str) -> Iterator[None]:
    """Let what Arrow raises of a damaged file be a `FileError`; `what` begins its message."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        said = _VALUES.sub(r"\1...", str(error))
        raise FileError(f"{what}: {said}") from (error if said == str(error) else None)
    except MemoryError:
        raise FileError(
            f"{what}: it needs more memory than there is, or is damaged; use a machine with more "
            "memory, or restore the file"
        ) from None


def checked_names(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose names can be read, also those of columns inside others.

    Raises `UnicodeDecodeError`: one is not UTF-8. `pyarrow.ArrowInvalid`: one has a zero byte.
    """
    if has_zero(schema):
        raise pa.ArrowInvalid(ZERO)
    return schema


def check_rows(what: str, rows: int, expected: int) -> None:
    """Refuse what has other rows than its metadata says; `what` begins the message.

    Raises `FileError`.
    """
    if rows != expected:
        raise FileError(f"{what} has {counted(rows, 'row')}, but its metadata has {expected}")


def split_evenly(table: pa.Table) -> Iterator[pa.Table]:
    """Give a table in parts of about one size, none too large; an empty one as it is."""
    rows = len(table)
    pieces = max(1, -(-rows // MOST_ROWS), -(-table.nbytes // MOST_BYTES))
    step = max(1, -(-rows // pieces))
    for start in range(0, max(1, rows), step):
        yield table.slice(start, step)


@dataclass(frozen=True, slots=True)
class _Column(Generic[Job]):
    """A column of a table that is replaced or read, or that such columns are in."""

    field: pa.Field  # the column
    jobs: list[tuple[Job, Found, list[Found]]]
    """The jobs on it, with their columns and the other ones that they get."""
    used: list[str]  # the columns of the table that they need

    def batches(self, table: pa.Table) -> Iterator[dict[str, pa.Array]]:
        """Give the rows of the columns that are needed."""
        indices = [table.schema.get_field_index(name) for name in self.used]
        for batch in table.select(indices).to_batches():
            yield dict(zip(self.used, map(decoded, batch.columns), strict=True))


def _columns(file: TableFile, work: Work[Job]) -> list[_Column[Job]]:
    found = find(file.schema, work.names)
    columns: dict[str, _Column[Job]] = {}
    for job in work.jobs:
        own, others = found[job.name], [found[name] for name in job.others]
        column = columns.setdefault(own.top, _Column(file.schema.field(own.top), [], []))
        column.jobs.append((job, own, others))
        column.used.extend(one.top for one in (own, *others) if one.top not in column.used)
    return list(columns.values())


def _taken(
    given: Mapping[str, pa.Array], own: Found, others: Sequence[Found], place: Place
) -> tuple[Leaves, pa.DataType]:
    """Take the values of a job's columns, dictionaries decoded; and return the own type."""
    try:
        taken = leaves(given, own, others)
    except ParameterError as error:
        raise PolicyError(f"{place}: column {own.path!r}: {error}") from None
    kind = taken.values.type
    taken.values, taken.others = decoded(taken.values), [decoded(one) for one in taken.others]
    return taken, kind


def _ahead(threads: int) -> int:
    """Return how many MiB may be under way."""
    return min(AHEAD_BYTES, threads * AHEAD_BYTES_EACH) >> 20


class _Run(Generic[Job]):
    """What a run over a file needs, whatever it does with the columns.

    Attributes
    ----------
    names : list of str
        The file's columns, as a gate gets them.
    columns : list of _Column
        Those with jobs.
    rows : int
        The rows so far.
    """

    def __init__(self, file: TableFile, work: Work[Job]) -> None:
        self.source = file.place
        self.file = file
        self.work = work
        self.names = [name for name, _ in opened(file.schema, [*work.names, *work.gate.paths])]
        check_columns(file.place, self.names, work.jobs, shown=True)
        self.columns = _columns(file, work)
        self.used = list(dict.fromkeys(name for column in self.columns for name in column.used))
        self.rows = 0

    def pieces(self, names: list[str] | None) -> Iterator[pa.Table]:
        """Read columns (None: all) of the file, whose values and pieces are not too large."""
        for table in self.file.pieces(names, parallel=self.work.threads > 1):
            what = f"the piece of rows {self.rows + 1} to {self.rows + len(table)}"
            check_table(table, self.used, self.source, what)
            yield table
            self.rows += len(table)
            del table

    def tell(self, rows: int) -> None:
        """Report progress."""
        if self.work.progress is not None:
            self.work.progress(rows, self.file.rows)


class _Scan(_Run[ScanJob]):
    """One run of `scan_table`."""

    _read = 0

    def slices(self) -> "Iterator[_Rows]":
        """Read the columns in use."""
        for table in self.pieces(self.used):
            for start in range(0, len(table), SLICE_ROWS):
                part = table.slice(start, SLICE_ROWS)
                yield _Rows(part, self.rows + start, part.nbytes)
            del table

    def read(self, part: "_Rows") -> int:
        """Hand a slice to the jobs, and return its rows."""
        for column in self.columns:
            first_row = part.first_row
            for given in column.batches(part.table):
                for job, own, others in column.jobs:
                    taken, _ = _taken(given, own, others, self.source)
                    values, beside = plain(taken.values), [plain(one) for one in taken.others]
                    job.read(Batch(values, beside, taken.rows(first_row)))
                first_row += len(given[own.top])
        return len(part.table)

    def done(self, rows: int) -> None:
        """Report progress."""
        self._read += rows
        self.tell(self._read)


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
    """Some rows of a piece."""

    piece: _Piece  # what they are of
    start: int  # where they begin in it
    rows: int  # how many they are
    first_row: int  # where they begin in the file
    size: int  # their bytes, about
    last: bool  # whether the piece ends with them


class _Transfer(_Run[ColumnJob]):
    """One run of `transform_table`."""

    def __init__(self, file: TableFile, work: Work[ColumnJob]) -> None:
        super().__init__(file, work)
        self._takes_dictionary = {job.name: isinstance(job, DictionaryJob) for job in work.jobs}
        self._written = 0

    def slices(self) -> Iterator[_Slice]:
        """Read the file; one slice at least comes of each piece, also of an empty one."""
        for table in self.pieces(None):
            piece, rows = _Piece(table, len(self.columns)), len(table)
            row_size = table.nbytes / max(1, rows)
            for start in range(0, max(1, rows), SLICE_ROWS):
                taken = min(SLICE_ROWS, rows - start)
                size, last = int(taken * row_size), start + taken == rows
                yield _Slice(piece, start, taken, self.rows + start, size, last)
            del table, piece

    def replace(self, part: _Slice) -> tuple[_Slice, list[list[pa.Array]]]:
        """Make the new values of a slice; those of a dictionary are made once for the piece."""
        whole = part.piece.table
        table = whole.slice(part.start, part.rows)
        made = []
        for column in self.columns:
            job = self._dictionary_job(column, whole)
            if job is None:
                made.append(self._replaced(table, column, part.first_row))
            elif part.start == 0:
                values = pa.concat_arrays(whole.column(column.field.name).chunks)
                new = apply_to_dictionary(job, values, part.first_row, self.source)
                self._check_nulls(new, values, job, nullable=column.field.nullable)
                made.append([new])
            else:
                made.append([])
        return part, made

    def _dictionary_job(self, column: _Column[ColumnJob], table: pa.Table) -> DictionaryJob | None:
        """Return the job that takes a column as the dictionary that it is, if there is one."""
        job, own, _ = column.jobs[0]
        given = table.column(column.field.name)
        taken = (
            self._takes_dictionary[job.name]
            and not own.steps
            and pa.types.is_dictionary(given.type)
            and given.num_chunks > 0
        )
        return job if taken else None  # type: ignore[return-value]

    def _replaced(
        self, table: pa.Table, column: _Column[ColumnJob], first_row: int
    ) -> list[pa.Array]:
        chunks = []
        for given in column.batches(table):
            whole = given[column.field.name]
            for job, own, others in column.jobs:
                taken, kind = _taken(given, own, others, self.source)
                batch = Batch(taken.values, taken.others, taken.rows(first_row))
                new = apply_job(job, batch, self.source)
                self._check_nulls(new, taken.values, job, nullable=own.nullable)
                if own.steps and new.type != kind:
                    new = encoded([new], pa.field(job.name, kind), self.source).chunk(0)
                whole = put_back(whole, own.steps, new)
            chunks.append(whole)
            first_row += len(whole)
        return chunks

    def _check_nulls(self, new: pa.Array, old: pa.Array, job: Named, *, nullable: bool) -> None:
        if new.null_count > old.null_count and not nullable:
            raise FileError(
                f"{self.source}: column {job.name!r} must not have nulls, but a new value is null"
            )

    def write(self, write: Write, done: tuple[_Slice, list[list[pa.Array]]]) -> None:
        """Take the new values of a slice; with its last one a piece is written."""
        part, columns = done
        piece = part.piece
        for new, chunks in zip(piece.new, columns, strict=True):
            new += chunks
        if not part.last:
            return
        table, replaced = piece.give()
        for column, new in zip(self.columns, replaced, strict=True):
            index = table.schema.get_field_index(column.field.name)
            held = table.schema.field(index)  # a dictionary where that of the file may be none
            table = table.set_column(index, held, encoded(new, held, self.source))
        write(table)
        self._written += len(table)
        self.tell(self._written)


def decoded(column: pa.Array) -> pa.Array:
    """Return a column without its dictionary or its runs, if it has them."""
    if isinstance(column, pa.RunEndEncodedArray):
        kind = column.type.value_type
        words = column.values.cast(plain_type(kind))  # pyarrow decodes no views
        runs = pa.RunEndEncodedArray.from_arrays(column.run_ends, words)
        return pc.run_end_decode(runs.slice(column.offset, len(column))).cast(kind)
    if isinstance(column, pa.DictionaryArray):
        kind = column.type.value_type
        words = column.dictionary.cast(plain_type(kind))
        return pa.DictionaryArray.from_arrays(column.indices, words).dictionary_decode().cast(kind)
    return column


def plain(column: pa.Array) -> pa.Array:
    """Return a column decoded, of a type that pyarrow has all functions for: not views, say."""
    column = decoded(column)
    return column.cast(plain_type(column.type))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of a column that is `plain`."""
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return pa.decimal128(kind.precision, kind.scale)
    return pa.large_binary() if pa.types.is_binary_view(kind) else kind


def narrowed(indices: pa.Array, field: pa.Field, source: Place) -> pa.Array:
    """Return the indices of a dictionary in a field's own type.

    Raises `FileError`: the index type is too small for the dictionary.
    """
    try:
        return indices.cast(field.type.index_type)
    except pa.ArrowInvalid:
        raise FileError(
            f"{source}: column {field.name!r} has more new values than its dictionary's indices "
            f"({field.type.index_type}) can number; use a wider index type"
        ) from None


def encoded(new: list[pa.Array], field: pa.Field, source: Place) -> pa.ChunkedArray:
    """Return values in a field's type, which is theirs, or a dictionary or runs of it."""
    if not new or new[0].type == field.type:
        return pa.chunked_array(new, field.type)
    if pa.types.is_run_end_encoded(field.type):
        return pa.chunked_array([_in_runs(one, field.type) for one in new], field.type)
    plain = pa.chunked_array(new).combine_chunks().dictionary_encode()
    indices = narrowed(plain.indices, field, source)
    encoded = pa.DictionaryArray.from_arrays(indices, plain.dictionary, ordered=field.type.ordered)
    return pa.chunked_array([encoded], field.type)


def _in_runs(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column as runs of equal values: the inverse of `decoded`."""
    words = column.cast(plain_type(column.type))  # pyarrow encodes no views
    runs = pc.run_end_encode(words, run_end_type=kind.run_end_type)
    values = runs.values.cast(kind.value_type)
    return pa.RunEndEncodedArray.from_arrays(runs.run_ends, values, kind)
