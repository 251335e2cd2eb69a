# SPDX-License-Identifier: Apache-2.0
"""Parquet files, row group by row group: replaced columns change, all else stays as it is.

That holds for the schema with its metadata, nested columns, codecs and dictionaries, and for row
groups unless they are too large for memory. No original is left in statistics, dictionaries or
Bloom filters, because all pages are written anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BufferedWriter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tallystick.errors import FileError
from tallystick.files.job import ColumnJob, Progress, apply_job, check_columns
from tallystick.files.parquet_settings import writer_settings

MOST_ROWS = 1 << 20
"""Rows in memory at once, at most; a larger row group is split."""
MOST_BYTES = 1 << 30
"""Bytes of these rows, about, at most: as encoded, not compressed."""


def transform_parquet(
    source: Path,
    sink: BufferedWriter,
    jobs: Sequence[ColumnJob],
    progress: Progress | None = None,
    threads: int = 1,
) -> int:
    """Copy a Parquet file to `sink` with the columns of `jobs` replaced, and return its rows.

    A job gets the rows of a top-level column in its own type. A column of dictionary type is
    handed over decoded, and encoded again.

    Raises
    ------
    FileError
        The file is no Parquet, is damaged, lacks a column, or can't hold a new value.
    UnfitError, PolicyError
        As `apply_job` and `check_columns` say.
    """
    with _open(source, _int96_unit(source)) as file:
        check_columns(source, file.schema_arrow.names, jobs, shown=True)
        settings = writer_settings(file.metadata, {job.name for job in jobs})
        row, total = 0, file.metadata.num_rows
        with pq.ParquetWriter(sink, file.schema_arrow, **settings) as writer:
            for table in _pieces(file, source):
                for job in jobs:
                    table = _replace(table, job, row, source)
                writer.write_table(table, row_group_size=max(1, len(table)))
                row += len(table)
                if progress is not None:
                    progress(row, total)
    return row


def _open(source: Path, int96_unit: str) -> pq.ParquetFile:
    with source.open("rb"):
        pass  # whether it can be opened, in the operating system's words
    try:
        return pq.ParquetFile(source, coerce_int96_timestamp_unit=int96_unit, pre_buffer=False)
    except pa.ArrowInvalid as error:
        raise FileError(f"{source}: not a Parquet file, or a damaged one: {error}") from error


def _int96_unit(source: Path) -> str:
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
    file: pq.ParquetFile, source: Path, columns: list[str] | None = None
) -> Iterator[pa.Table]:
    """Give the row groups of a file, large ones in parts."""
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        most = min(MOST_ROWS, group.num_rows * MOST_BYTES // max(1, group.total_byte_size))
        seen = 0
        try:
            if group.num_rows <= most:
                table = file.read_row_group(number, columns=columns)
                seen = len(table)
                yield table
            else:
                for batch in file.iter_batches(max(1, most), [number], columns=columns):
                    seen += len(batch)
                    yield pa.Table.from_batches([batch])
        except (pa.ArrowInvalid, OSError) as error:
            raise FileError(f"{source}: row group {number + 1} can't be read: {error}") from error
        if seen != group.num_rows:
            raise FileError(f"{source}: row group {number + 1} has {seen} rows, not as it says")


def _replace(table: pa.Table, job: ColumnJob, first_row: int, source: Path) -> pa.Table:
    index = table.schema.get_field_index(job.name)
    field = table.schema.field(index)
    used = [index] if job.tweak is None else [index, table.schema.get_field_index(job.tweak)]
    chunks = []
    for batch in table.select(used).to_batches():
        values, *tweaks = (_decoded(column) for column in batch.columns)
        new = apply_job(job, values, tweaks[0] if tweaks else None, first_row, source)
        if new.null_count > 0 and not field.nullable:
            raise FileError(
                f"{source}: column {job.name!r} must not have nulls, and a new value is null"
            )
        chunks.append(_encoded(new, field, source))
        first_row += len(batch)
    return table.set_column(index, field, pa.chunked_array(chunks, type=field.type))


def _decoded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def _encoded(values: pa.Array, field: pa.Field, source: Path) -> pa.Array:
    """Return values in a field's type, which is theirs or a dictionary of it."""
    if values.type == field.type:
        return values
    plain = values.dictionary_encode()
    try:
        indices = plain.indices.cast(field.type.index_type)
    except pa.ArrowInvalid:
        raise FileError(
            f"{source}: column {field.name!r} has more new values than its dictionary's indices "
            f"({field.type.index_type}) can tell apart; give it a wider type"
        ) from None
    return pa.DictionaryArray.from_arrays(indices, plain.dictionary, ordered=field.type.ordered)
