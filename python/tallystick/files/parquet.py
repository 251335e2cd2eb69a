# SPDX-License-Identifier: Apache-2.0
"""Parquet files, row group by row group: replaced columns change, all else stays as it is.

That holds for the schema with its metadata, nested columns, codecs and dictionaries, and for row
groups unless they are too large for memory. No original is left in statistics, dictionaries or
Bloom filters, because all pages are written anew.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from tallystick.errors import FileError
from tallystick.files.encodings import Output
from tallystick.files.parquet_pages import Headers, check_footer, dictionary_columns, most_rows
from tallystick.files.parquet_settings import key_values, writer_settings
from tallystick.files.places import Place
from tallystick.files.streams import from_start, kept_open, open_at, watched
from tallystick.files.tables import (
    MOST_BYTES,
    MOST_ROWS,
    SLICE_ROWS,
    Write,
    arrow_reads,
    check_rows,
    checked_names,
    decoded,
)

READ_BYTES = 1 << 20
"""Bytes of a column that are read at once: it is not whole in memory before it is decoded."""
GROUP_ROWS = 64
"""Rows of each row group that a sample looks at, at least."""


class ParquetTable:
    """A Parquet file that is read; see `TableFile`."""

    def __init__(self, source: "_Source", schema: pa.Schema, size: int) -> None:
        self.place = source.place
        self.schema = schema
        self.rows = source.file.metadata.num_rows
        self.size = size
        self._source = source
        self._file = source.file

    def pieces(self, columns: list[str] | None, *, parallel: bool) -> Iterator[pa.Table]:
        """Give the row groups, large ones in parts of about one size."""
        return _pieces(self._source, columns, parallel=parallel)

    @contextmanager
    def writer(self, sink: Output, schema: pa.Schema, replaced: set[str]) -> Iterator[Write]:
        """Give what writes row groups."""
        with arrow_reads(f"{self.place}: {_DAMAGED}"):
            settings = writer_settings(self._file.metadata, replaced)
        held = self._file.schema_arrow.with_metadata(schema.metadata)
        with pq.ParquetWriter(kept_open(sink), held, **settings) as writer:
            yield lambda table: writer.write_table(
                table.unify_dictionaries(), row_group_size=max(1, len(table))
            )
            added = key_values(self._file.metadata, schema)
            if added:
                writer.add_key_value_metadata(added)


@contextmanager
def open_parquet(place: Place, plain: Collection[str] | None = None) -> Iterator[ParquetTable]:
    """Open a Parquet file.

    `plain`: the columns that are wanted as the schema has them. Others of text may come, and are
    written, as dictionaries. None: all columns.
    Raises `FileError`: the source is not a Parquet file, is damaged, is a pipe, or was changed
    while it was read.
    """
    with watched(place) as size, ExitStack() as stack:
        source = stack.enter_context(_open(place))
        schema = source.file.schema_arrow
        held = [] if plain is None else _held(source, plain)
        if held:
            source = stack.enter_context(_reopened(source, source.unit, held))
        yield ParquetTable(source, schema, size)


def _held(source: "_Source", plain: Collection[str]) -> list[str]:
    """Return the columns to read as dictionaries."""
    with (
        open_at(source.place, "Parquet") as readable,
        from_start(readable) as stream,
        arrow_reads(f"{source.place}: {_DAMAGED}"),
    ):
        found = dictionary_columns(stream, source.file, source.headers)
        return [name for name in found if name not in plain]


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

    `columns`: what to read.
    `rows`: how many rows of a larger file to read, about; at least `GROUP_ROWS` of each row group.
    `take`: takes the columns of some rows and the first row's number in the file, and says for each
    column whether a value was there so far.

    Returns
    -------
    bool
        Whether all rows were read.
    """
    with _open(source) as opened:
        file = opened.file
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        firsts = [sum(group.num_rows for group in groups[:i]) for i in range(len(groups))]
        whole = bool(sum(group.total_byte_size for group in groups) <= most_bytes)
        most = max(GROUP_ROWS, -(-rows // max(1, len(groups))))
        had: Sequence[bool] = [False] * len(columns)
        for number, first in enumerate(firsts):
            for start, batch in _batches(opened, number, columns, None if whole else most):
                had = take(batch, first + start)
        for number, first in enumerate(firsts) if not whole else ():
            for start, batch in _batches(opened, number, columns, None):
                if all(had) or not _may_have(groups[number], columns, had):
                    break
                had = take(batch, first + start)
        return whole


def _batches(
    source: "_Source", number: int, columns: list[str], rows: int | None
) -> Iterator[tuple[int, list[pa.Array]]]:
    """Give rows of a row group in batches, each with its first row's number; None: all rows."""
    file = source.file
    most = _most_rows(source, number, columns)
    seen, size = 0, min(SLICE_ROWS, rows or SLICE_ROWS, most)
    expected = file.metadata.row_group(number).num_rows
    with arrow_reads(f"{source}: row group {number + 1} can't be read"):
        for batch in file.iter_batches(size, [number], columns=columns):
            _check_indices(batch)
            found = {name: decoded(batch.column(name)) for name in columns}
            yield seen, [found[name] for name in columns]
            seen += len(batch)
            if rows is not None and seen >= rows:
                return
    check_rows(f"{source}: row group {number + 1}", seen, expected)


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


_SIGNATURE = 28
"""Bytes of the signature of a footer in clear, of a file with encrypted columns."""
_DAMAGED = "not a Parquet file, or a damaged one"


@dataclass(frozen=True, slots=True)
class _Source:
    """A file that is open."""

    place: Place
    file: pq.ParquetFile
    headers: Headers
    unit: str  # the unit in which timestamps of the old 96-bit type are read
    held: Sequence[str] = ()  # the columns that are read as dictionaries

    def __str__(self) -> str:
        return str(self.place)


@contextmanager
def _open(place: Place) -> Iterator[_Source]:
    """Open a file, with the unit that its timestamps of 96 bits need: usually "ns".

    These reach further than 64 bits of nanoseconds do, and pyarrow wraps them around silently;
    where one does not fit, all are read as microseconds (which is as fine as Spark writes them).
    """
    with _read(place, "ns") as file:
        fine = _Source(place, file, Headers(file), "ns")
        schema = file.schema
        if all(schema.column(i).physical_type != "INT96" for i in range(len(schema))):
            yield fine
            return
        with _reopened(fine, "us") as coarse:
            yield coarse if _needs_coarse(fine, coarse) else fine


@contextmanager
def _reopened(source: _Source, unit: str, held: Sequence[str] = ()) -> Iterator[_Source]:
    """Open a file again, to read it in another way; its metadata is not read again."""
    with _read(source.place, unit, held, source.file.metadata) as file:
        yield _Source(source.place, file, source.headers, unit, held)


@contextmanager
def _read(
    source: Place,
    int96_unit: str,
    dictionaries: Sequence[str] = (),
    metadata: pq.FileMetaData | None = None,
) -> Iterator[pq.ParquetFile]:
    with open_at(source, "Parquet") as readable:
        footer = None if metadata is not None else _footer(source, readable)
        with arrow_reads(f"{source}: {_DAMAGED}"):
            file = pq.ParquetFile(
                readable,
                metadata=metadata,
                read_dictionary=dictionaries,
                coerce_int96_timestamp_unit=int96_unit,
                pre_buffer=False,
                buffer_size=READ_BYTES,
            )
            checked_names(file.schema_arrow)  # not before it is asked for is it read
        with file:
            if footer == file.metadata.serialized_size + _SIGNATURE:
                raise _encrypted(source)
            if footer is not None:
                with from_start(readable) as stream, arrow_reads(f"{source}: {_DAMAGED}"):
                    stream.seek(-8 - footer, SEEK_END)
                    check_footer(stream.read(footer), file.schema)
            yield file


def _footer(source: Place, readable: Path | BinaryIO) -> int:
    """Return the bytes of the footer's metadata, with its signature if it has one.

    Of encrypted files only the signature tells: pyarrow ends the process if it is asked for more.
    """
    with from_start(readable) as stream:
        stream.seek(max(0, stream.seek(0, SEEK_END) - 8))
        end = stream.read(8)
    if end[4:] == b"PARE":
        raise _encrypted(source)
    return int.from_bytes(end[:4], "little")


def _encrypted(source: Place) -> FileError:
    return FileError(
        f"{source}: the file or some of its columns are encrypted; write it without Parquet's "
        "encryption first"
    )


def _needs_coarse(fine: _Source, coarse: _Source) -> bool:
    """Say whether a timestamp of 96 bits does not fit into nanoseconds."""
    pairs = zip(fine.file.schema_arrow, coarse.file.schema_arrow, strict=True)
    schema = pa.schema([field for field, other in pairs if field.type != other.type])
    for table in _pieces(coarse, schema.names) if schema.names else ():
        try:
            table.cast(schema)
        except pa.ArrowInvalid:
            return True
    return False


def _most_rows(source: _Source, number: int, columns: list[str] | None) -> int:
    """Return how many rows of a row group may be decoded at once; see `parquet_pages`."""
    with (
        open_at(source.place, "Parquet") as readable,
        from_start(readable) as stream,
        arrow_reads(f"{source}: row group {number + 1} can't be read"),
    ):
        return most_rows(
            *(stream, source.file, source.headers, number, columns),
            *(source.place, MOST_BYTES, source.held),
        )


def _pieces(
    source: _Source, columns: list[str] | None = None, *, parallel: bool = True
) -> Iterator[pa.Table]:
    """Give the row groups of a file, large ones in parts of about one size."""
    file = source.file
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        rows, size = group.num_rows, group.total_byte_size
        most = _most_rows(source, number, columns)
        pieces = max(1, -(-rows // MOST_ROWS), -(-size // MOST_BYTES), -(-rows // most))
        seen = 0
        with arrow_reads(f"{source}: row group {number + 1} can't be read"):
            if pieces == 1 or rows == 0:
                table = file.read_row_group(number, columns=columns, use_threads=parallel)
                _check_indices(table)
                seen = len(table)
                yield table
                del table
            else:
                for batch in file.iter_batches(
                    max(1, -(-rows // pieces)), [number], columns=columns, use_threads=parallel
                ):
                    _check_indices(batch)
                    seen += len(batch)
                    yield pa.Table.from_batches([batch])
        check_rows(f"{source}: row group {number + 1}", seen, rows)


def _check_indices(table: pa.Table | pa.RecordBatch) -> None:
    """Refuse indices that a dictionary does not have: pyarrow reads them, and writes what is there.

    Text is not looked at: bytes that are not UTF-8 stay in columns that are not replaced.
    Raises `pyarrow.ArrowInvalid`: there are some.
    """
    left = list(table.columns)
    while left:
        column = left.pop()
        if isinstance(column, pa.ChunkedArray):
            left += column.chunks if _may_have_indices(column.type) else []
        elif isinstance(column, pa.DictionaryArray):
            words = pa.nulls(len(column.dictionary))
            pa.DictionaryArray.from_arrays(column.indices, words, safe=False).validate(full=True)
        elif isinstance(column, pa.MapArray):
            left += [column.keys, column.items]
        elif isinstance(column, pa.StructArray):
            left += [column.field(i) for i in range(column.type.num_fields)]
        elif _may_have_indices(column.type):
            left.append(column.values)


def _may_have_indices(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) or pa.types.is_nested(kind))
