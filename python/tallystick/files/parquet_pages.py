# SPDX-License-Identifier: Apache-2.0
"""What a row group of Parquet decodes to, known before it is decoded.

A page of a kilobyte can unpack to a gigabyte, and a dictionary with one long value can stand for
millions of rows. Arrow decodes both without a limit, so page headers are read here first. And
pyarrow ends the process where the footer contradicts itself, so that is looked at too.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from tallystick.files.limits import limits
from tallystick.files.places import Place
from tallystick.files.sizes import check_batch, check_value, decoded_bytes, longest

_HEADER = 1 << 10
"""Bytes in which most page headers fit."""
_LARGEST_HEADER = 1 << 24
_READ = 1 << 20
_DICTIONARY = (2, 8)
"""Encodings of values that are numbers of a dictionary's entries."""
_ROWS = 1 << 13
"""Rows that are measured at once."""


Page = tuple[int, int, bool]
"""A page's size when unpacked, its values, and whether these are coded.

That is, whether they are numbers of a dictionary's entries, or those entries.
"""


class Headers:
    """The page headers of a file. Those of the first row group are read once, although two ask."""

    def __init__(self, file: pq.ParquetFile) -> None:
        self._file = file
        self._first: dict[int, list[Page]] = {}

    def of(self, stream: BinaryIO, number: int, index: int) -> list[Page]:
        """Give the pages of a column chunk."""
        if number == 0 and index in self._first:
            return self._first[index]
        found = list(_pages(stream, self._file.metadata.row_group(number).column(index)))
        if number == 0:
            self._first[index] = found
        return found


_TYPES = (
    *("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE"),
    *("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"),
)
_CODECS, _LZO = range(8), 3


def check_footer(data: bytes, schema: pq.ParquetSchema) -> None:
    """Refuse column chunks for whose metadata pyarrow would end the process.

    `data`: the footer.
    Raises `pyarrow.ArrowInvalid`: the file is damaged.
    """
    leaves = [
        (leaf.physical_type, leaf.max_repetition_level, leaf.max_definition_level)
        for leaf in map(schema.column, range(len(schema)))
    ]
    chunks: list[Any] = []

    def chunk(at: int) -> int:
        fields, at = _struct(data, at, 0)
        chunks.append(fields.get(3))
        return at

    def group(at: int) -> int:
        chunks.clear()
        at = _each(data, at, 1, chunk)
        if len(chunks) != len(leaves) or not all(map(_fits, chunks, leaves)):
            raise IndexError
        if any(found[4] == _LZO for found in chunks):
            raise pa.ArrowInvalid("it is compressed by LZO, which Arrow can't read; convert it")
        return at

    try:
        _each(data, 0, 4, group)
    except IndexError:
        raise pa.ArrowInvalid("the footer contradicts itself") from None


def _fits(chunk: Any, leaf: tuple[str, int, int]) -> bool:  # noqa: ANN401
    """Say whether the metadata of a chunk is that of its column: type and size statistics."""
    kind, *levels = leaf
    if not isinstance(chunk, dict) or chunk.get(1) not in range(len(_TYPES)):
        return False
    sizes = chunk.get(16, {})
    return (
        _TYPES[chunk[1]] == kind
        and chunk.get(4) in _CODECS
        and isinstance(sizes, dict)
        and (1 not in sizes or kind == "BYTE_ARRAY")
        and all(
            sizes.get(field, range(0)) in (range(0), range(level + 1))
            for field, level in zip((2, 3), levels, strict=True)
        )
    )


def most_rows(
    stream: BinaryIO,
    file: pq.ParquetFile,
    headers: Headers,
    number: int,
    columns: Sequence[str] | None,
    place: Place,
    most_bytes: int,
    held: Collection[str] = (),
) -> int:
    """Return how many rows of a row group may be decoded at once: all, unless that is too much.

    `stream`: the file's bytes, read at any position.
    `file`: the file.
    `headers`: its page headers.
    `number`: the row group.
    `columns`: the top-level columns that matter; None: all.
    `most_bytes`: what the rows may take that are decoded at once, if all would take more than a
    batch may.
    `held`: columns that come as dictionaries, so that each value is there once.
    Raises `FileError`: a page unpacks to more than a batch may have, or has too long a value.
    `pyarrow.ArrowInvalid`: the file is damaged.
    """
    group = file.metadata.row_group(number)
    repeated = []
    for index in range(group.num_columns):
        chunk = group.column(index)
        path = file.schema.column(index).path  # of a damaged file the chunk may have another
        if (columns is not None and not _is_of(path, columns)) or chunk.num_values == 0:
            continue
        name = path.split(".")[0]
        text = chunk.physical_type == "BYTE_ARRAY"
        pages = headers.of(stream, number, index)
        for size, values, _ in pages:
            check_batch(size, place, f"a page of column {name!r} in row group {number + 1}")
            if text:
                check_value((size - 4 * values) // max(1, values), place, name)
        # A value that a dictionary has once takes no more than the dictionary's page.
        once = path in held and all(
            size <= limits().value and (coded or values == 0) for size, values, coded in pages
        )
        if text and chunk.has_dictionary_page and not once:
            repeated.append((path, chunk.num_values))
    if not repeated or group.num_rows == 0:
        return max(1, int(group.num_rows))
    stream.seek(0)
    kept = pq.ParquetFile(
        stream, read_dictionary=[path for path, _ in repeated], pre_buffer=False, buffer_size=_READ
    )
    total = row = 0
    for path, values in repeated:
        first = next(kept.iter_batches(1, [number], columns=[path]), None)
        most = 0 if first is None else max(map(longest, first.columns), default=0)
        check_value(most, place, path.split(".")[0])
        if most * values > limits().batch:
            for batch in kept.iter_batches(_ROWS, [number], columns=[path], use_threads=False):
                total += sum(map(decoded_bytes, batch.columns))
            row += most * -(-values // group.num_rows)
    if total <= limits().batch:
        return max(1, int(group.num_rows))
    return max(1, min(most_bytes, limits().batch // 2) // row)


def _is_of(path: str, columns: Collection[str]) -> bool:
    """Return whether a path is in one of some top-level columns, whose names may have dots."""
    steps = path.split(".")
    return any(".".join(steps[:end]) in columns for end in range(1, len(steps) + 1))


def dictionary_columns(stream: BinaryIO, file: pq.ParquetFile, headers: Headers) -> list[str]:
    """Return the columns of text whose values are all in a dictionary, by the first row group.

    They are decoded faster as arrays of dictionary type, which is right for other row groups too.

    Raises `pyarrow.ArrowInvalid`: the file is damaged.
    """
    if file.metadata.num_row_groups == 0:
        return []
    group = file.metadata.row_group(0)
    paths = Counter(column.path for column in map(file.schema.column, range(group.num_columns)))
    text = {field.name for field in file.schema_arrow if field.type == pa.string()}
    return [
        chunk.path_in_schema
        for index, chunk in enumerate(map(group.column, range(group.num_columns)))
        if chunk.path_in_schema in text
        and paths[chunk.path_in_schema] == 1
        and chunk.has_dictionary_page
        and chunk.num_values > 0
        and getattr(chunk, "bloom_filter_offset", None) is None
        and all(coded for _, values, coded in headers.of(stream, 0, index) if values > 0)
    ]


def _pages(stream: BinaryIO, chunk: pq.ColumnChunkMetaData) -> Iterator[Page]:
    """Give the pages of a column chunk."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        at = min(at, chunk.dictionary_page_offset)
    end = at + chunk.total_compressed_size
    while at < end:
        header, size = _header(stream, at)
        unpacked, packed = header.get(2, 0), header.get(3, 0)
        if (
            not isinstance(unpacked, int)
            or not isinstance(packed, int)
            or min(unpacked, packed) < 0
        ):
            raise pa.ArrowInvalid("a page without a size")
        kind = next((i for i in (5, 7, 8) if isinstance(header.get(i), dict)), 0)
        details: dict[int, Any] = header[kind] if kind else {}
        values = details.get(1, 0)
        coded = kind == 7 or details.get(4 if kind == 8 else 2) in _DICTIONARY
        yield unpacked, max(0, values) if isinstance(values, int) else 0, coded
        at += size + packed


def _header(stream: BinaryIO, at: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a page's header, and its bytes."""
    room = _HEADER
    while True:
        stream.seek(at)
        data = stream.read(room)
        try:
            return _struct(data, 0, 0)
        except IndexError:
            if len(data) < room or room >= _LARGEST_HEADER:
                raise pa.ArrowInvalid("a page header is cut") from None
            room *= 16


# Thrift's compact protocol, as far as it takes to read a header: fields by their numbers, and
# lists as ranges of their lengths.
_DEEPEST = 16


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    fields: dict[int, Any] = {}
    number = 0
    while data[at]:
        kind, number, at = _field(data, at, number)
        fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def _each(data: bytes, at: int, wanted: int, act: Callable[[int], int]) -> int:
    """Let `act` read each struct of a list that is a field of a struct, and return its end."""
    number = 0
    while data[at]:
        kind, number, at = _field(data, at, number)
        if number != wanted:
            _, at = _value(data, at, kind, 0)
            continue
        size, inner, at = _list(data, at)
        if (kind, inner) != (9, 12):
            raise IndexError
        for _ in range(size):
            at = act(at)
    return at + 1


def _field(data: bytes, at: int, number: int) -> tuple[int, int, int]:
    """Return the type of a field, its number, and where its value is."""
    kind, step = data[at] & 15, data[at] >> 4
    if step:
        return kind, number + step, at + 1
    return kind, *_integer(data, at + 1)


def _list(data: bytes, at: int) -> tuple[int, int, int]:
    """Return the length of a list, the type of its values, and where they are."""
    size, inner = data[at] >> 4, data[at] & 15
    at += 1
    if size == 15:
        size, at = _plain(data, at)
    if size > len(data) - at:  # each value takes a byte at least
        raise IndexError
    return size, inner, at


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise IndexError
    match kind:
        case 1 | 2:  # true and false
            return kind == 1, at
        case 3:
            return data[at], at + 1
        case 4 | 5 | 6:
            return _integer(data, at)
        case 7:
            return None, at + 8
        case 8:
            size, at = _plain(data, at)
            return None, at + size
        case 9 | 10:
            size, inner, at = _list(data, at)
            for _ in range(size):
                _, at = _value(data, at + (inner < 3), inner, depth + 1)
            return range(size), at
        case 12:
            return _struct(data, at, depth + 1)
        case _:
            raise IndexError  # a map: no header has one


def _plain(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise IndexError


def _integer(data: bytes, at: int) -> tuple[int, int]:
    value, at = _plain(data, at)
    return (value >> 1) ^ -(value & 1), at
