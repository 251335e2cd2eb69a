# SPDX-License-Identifier: Apache-2.0
"""Arrow IPC, batch by batch: files (also Feather, version 2) and streams.

Batches stay as they are unless they are too large for memory, and so does the schema with its
metadata. New batches are compressed as those of the source are; those of a stream that comes
through a pipe, which can't be looked at first, are not.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tallystick.files.encodings import Output
from tallystick.files.places import Address, Place, compression_of
from tallystick.files.streams import Source, from_start, kept_open, open_at, open_source, watched
from tallystick.files.tables import (
    Write,
    arrow_reads,
    checked_names,
    narrowed,
    plain,
    plain_type,
    split_evenly,
)
from tallystick.paths import Found, find, leaves, opened, put_back

_MAGIC = b"ARROW1\0\0"
_CODECS = {0: "lz4", 1: "zstd"}


class IpcTable:
    """An Arrow IPC file or stream that is read; see `TableFile`."""

    rows = 0

    def __init__(
        self,
        place: Place,
        reader: Any,  # noqa: ANN401, pyarrow has no types
        codec: str | None,
        source: Source | None,
        size: int,
    ) -> None:
        self.place = place
        self.schema = reader.schema
        self._reader = reader
        self._codec = codec
        self._source = source
        self._size = size

    @property
    def size(self) -> int:
        """The bytes that were read."""
        return self._size if self._source is None else self._source.size

    def pieces(self, columns: list[str] | None, *, parallel: bool) -> Iterator[pa.Table]:
        """Give the batches, large ones in parts of about one size."""
        del parallel
        for number, batch in self._batches():
            with arrow_reads(f"{self.place}: batch {number + 1} can't be read"):
                batch.validate(full=True)
            table = pa.Table.from_batches([batch])
            yield from split_evenly(table if columns is None else table.select(columns))

    def _batches(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        number = 0
        while True:
            with arrow_reads(f"{self.place}: batch {number + 1} can't be read"):
                if self._source is None:
                    if number == self._reader.num_record_batches:
                        return
                    batch = self._reader.get_batch(number)
                else:
                    try:
                        batch = self._reader.read_next_batch()
                    except StopIteration:
                        return
            yield number, batch
            number += 1

    @contextmanager
    def writer(self, sink: Output, schema: pa.Schema, replaced: set[str]) -> Iterator[Write]:
        """Give what writes batches."""
        is_file = self._source is None
        # A file has one dictionary for each column, which may grow from batch to batch.
        options = pa.ipc.IpcWriteOptions(compression=self._codec, emit_dictionary_deltas=is_file)
        columns = pa.schema([schema.field(name) for name in replaced] if is_file else [])
        kinds = {path: kind for path, kind in opened(columns) if pa.types.is_dictionary(kind)}
        growing = {
            found: _Growing(pa.field(found.path, kinds[found.path]), self.place)
            for found in find(columns, kinds).values()
        }
        make = pa.ipc.new_file if is_file else pa.ipc.new_stream
        with make(kept_open(sink), schema, options=options) as writer:

            def write(table: pa.Table) -> None:
                for found, dictionary in growing.items():
                    index = schema.get_field_index(found.top)
                    chunks = [dictionary.grown(one, found) for one in table.column(index).chunks]
                    column = pa.chunked_array(chunks, schema.field(index).type)
                    table = table.set_column(index, schema.field(index), column)
                table = table.combine_chunks()
                batches = table.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
                for batch in batches:
                    writer.write_batch(batch.cast(schema) if batch.schema != schema else batch)

            yield write


class _Growing:
    """The dictionary of a column, to which each batch adds what it lacks."""

    def __init__(self, field: pa.Field, place: Place) -> None:
        self._field = field
        self._kind = field.type
        self._place = place
        self._values = pa.array([], plain_type(field.type.value_type))

    def grown(self, column: pa.Array, found: Found) -> pa.Array:
        """Return a column whose values there are encoded by the dictionary."""
        values = plain(leaves({found.top: column}, found).values).cast(self._values.type)
        new = pc.unique(values.drop_null())
        known = pc.is_in(new, value_set=self._values)
        self._values = pa.concat_arrays([self._values, new.filter(pc.invert(known))])
        places = pc.index_in(values, value_set=self._values)
        indices = narrowed(places, self._field, self._place)
        words = self._values.cast(self._kind.value_type)
        made = pa.DictionaryArray.from_arrays(indices, words, ordered=self._kind.ordered)
        return put_back(column, found.steps, made)


@contextmanager
def open_ipc_file(place: Place) -> Iterator[IpcTable]:
    """Open an Arrow IPC file.

    Raises `FileError`: the source is not an Arrow IPC file, is damaged or a pipe, or was changed
    while it was read.
    """
    with watched(place) as size, open_at(place, "an Arrow file") as readable:
        with from_start(readable) as stream:
            codec = None
            if stream.read(len(_MAGIC)) == _MAGIC:
                codec = _codec(stream)
        with from_start(readable) as stream:
            with arrow_reads(f"{place}: not an Arrow IPC file of version 2, or a damaged one"):
                reader = pa.ipc.open_file(stream)
                checked_names(reader.schema)
            yield IpcTable(place, reader, codec, None, size)


@contextmanager
def open_ipc_stream(place: Place) -> Iterator[IpcTable]:
    """Open an Arrow IPC stream, also a compressed one.

    Raises `FileError`: the source is not an Arrow IPC stream, is damaged, or was changed while it
    was read.
    """
    codec = None
    again = isinstance(place, Address) or (isinstance(place, Path) and place.is_file())
    if again and compression_of(place) is None:
        with open_source(place) as source:
            codec = _codec(io.BufferedReader(source, 1 << 20))
    with open_source(place) as source:
        with arrow_reads(f"{place}: not an Arrow IPC stream, or a damaged one"):
            reader = pa.ipc.open_stream(io.BufferedReader(source, 1 << 20))
            checked_names(reader.schema)
        yield IpcTable(place, reader, codec, source, 0)


def _codec(stream: Any) -> str | None:  # noqa: ANN401, any stream of bytes
    """Return how the first batch of a stream is compressed, which pyarrow does not tell."""
    with suppress(pa.ArrowException, OSError, StopIteration, IndexError, EOFError, MemoryError):
        for message in pa.ipc.MessageReader.open_stream(stream):
            if message.type == "record batch":
                return _compression(bytes(message.metadata))
    return None


def _compression(data: bytes) -> str | None:
    """Return the codec in the metadata of a batch: a flat buffer, as Arrow's Message.fbs says."""

    def number(at: int, size: int, *, signed: bool = False) -> int:
        if at < 0 or at + size > len(data):
            raise IndexError
        return int.from_bytes(data[at : at + size], "little", signed=signed)

    def field(table: int, index: int) -> int:
        """Return where a field of a table is, 0 if it is not there."""
        names = table - number(table, 4, signed=True)
        at = 4 + 2 * index
        offset = number(names + at, 2) if at < number(names, 2) else 0
        return offset and table + offset

    def table_at(at: int) -> int:
        return at + number(at, 4)

    header = field(table_at(0), 2)
    if not header:
        return None
    compression = field(table_at(header), 3)
    if not compression:
        return None
    codec = field(table_at(compression), 0)
    return _CODECS.get(number(codec, 1) if codec else 0)
