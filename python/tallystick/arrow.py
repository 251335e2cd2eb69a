# SPDX-License-Identifier: Apache-2.0
"""Columns and batches of pyarrow to the core and back, by the Arrow C data interface.

pyarrow is imported within functions, for its own objects alone.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tallystick._core import ffi, lib
from tallystick.capsules import ArrowData, Data, Field, address, owned, taken
from tallystick.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


_WIDTHS = {"u": 4, "z": 4, "U": 8, "Z": 8}
"""Bytes of an offset, by the format strings of text and binary."""

VIEWS = ("vu", "vz")
"""The format strings of views of text and binary."""


def without_values(schema: pa.Schema, columns: Container[str]) -> pa.Schema:
    """Return a schema whose metadata lists no values of some columns, or of what is inside."""
    import pyarrow as pa

    given = Field.of(schema)
    kept = given.without_values(columns)
    return schema if kept is given else pa.schema(kept)


def exported(given: Data | pa.Array | pa.RecordBatch) -> Data:
    """Take an array of pyarrow, or a batch, that is sound.

    Raises `ParameterError`: it is damaged.
    """
    if isinstance(given, Data):
        return given
    kind, values = owned("ArrowSchema"), owned("ArrowArray")
    held = _sound_batch(given) if hasattr(given, "columns") else sound(given)
    held._export_to_c(address(values), address(kind))
    return Data(Field(kind), values)


def is_pyarrow(given: object) -> bool:
    """Return whether an object is of pyarrow, without importing it."""
    kinds = type(given).__mro__  # extension types may have classes of their own
    return any(kind.__module__.startswith("pyarrow.") for kind in kinds)


def column_of(given: Any) -> ArrowData:  # noqa: ANN401
    """Take a column of any library; arrays of pyarrow are not yet `exported`.

    Raises `ParameterError`: it is no column, or damaged.
    """
    if isinstance(given, ArrowData):
        return given
    if is_pyarrow(given) and hasattr(given, "type"):
        return ArrowData(Field.of(given.type), getattr(given, "chunks", [given]))
    return taken(given)


def column_like(given: Any, made: ArrowData) -> Any:  # noqa: ANN401
    """Return a column that is whole as an object of the library that gave another.

    One that makes none of Arrow data gets one of pyarrow.
    """
    found = made_by(given, made)
    if found is not None:
        return found
    import pyarrow as pa

    kind = given.type if is_pyarrow(given) else pa.field(made.type).type
    arrays = [to_pyarrow(array, kind) for array in made.whole()]
    if hasattr(given, "__arrow_c_stream__"):
        return pa.chunked_array(arrays, kind)
    (array,) = arrays
    return array


def made_by(given: Any, made: ArrowData) -> Any:  # noqa: ANN401
    """Return Arrow data as an object of the library that gave other data; None: it makes none.

    It is asked to take it by its class method ``from_arrow``, which such libraries have.
    """
    kind = type(given)
    if kind is ArrowData:
        return made
    if is_pyarrow(given):
        return None
    data: Any = made
    if not hasattr(given, "__arrow_c_stream__"):
        (data,) = made.whole()  # of a single array, which is never split
    if kind.__module__.startswith("nanoarrow."):
        return kind(data)
    return kind.from_arrow(data) if hasattr(kind, "from_arrow") else None


def joined(arrays: Sequence[pa.Array]) -> pa.Array:
    """Put arrays of rows that follow each other together.

    Raises `ParameterError`: the type can't hold all values.
    """
    if len(arrays) == 1:
        return arrays[0]
    import pyarrow as pa

    try:
        return pa.concat_arrays(arrays)
    except pa.ArrowInvalid:
        raise ParameterError(
            f"type {arrays[0].type} can't hold the new values; convert the column to "
            "large_string, or pass fewer rows"
        ) from None


def sound(array: pa.Array) -> pa.Array:
    """Return an array whose offsets no other thread can change, and that lie within its bytes.

    The core checks the rest. It can't check this: the interface does not tell how many bytes there
    are.

    Raises `ParameterError`: the array is damaged.
    """
    import numpy as np
    import pyarrow as pa

    if isinstance(array, pa.DictionaryArray):
        words = sound(array.dictionary)
        if words is array.dictionary:
            return array
        ordered = array.type.ordered
        return pa.DictionaryArray.from_arrays(array.indices, words, ordered=ordered, safe=False)
    if isinstance(array, pa.RunEndEncodedArray):
        validate(array, "its runs do not fit together")
        words = sound(array.values)
        if words is array.values:
            return array
        runs = pa.RunEndEncodedArray.from_arrays(array.run_ends, words, array.type)
        return runs.slice(array.offset, len(array))
    validate(array, "an offset points outside its values")
    kind = format_of(array.type)
    if kind in VIEWS:
        return _exportable(array)
    width = _WIDTHS.get(kind)
    if width is None or not len(array):
        return array
    valid, offsets, values = array.buffers()
    skipped = array.offset % 8 if valid is not None else 0  # a bitmap begins with a whole byte
    begin = array.offset - skipped
    dtype, count = np.int32 if width == 4 else np.int64, skipped + len(array) + 1
    bounds = np.frombuffer(offsets, dtype, count, begin * width).copy()  # on large pages
    if not 0 <= bounds[skipped] <= bounds[-1] <= (0 if values is None else values.size):
        raise damaged("an offset points outside its values")
    held = [None if valid is None else valid.slice(begin // 8), pa.py_buffer(bounds), values]
    return pa.Array.from_buffers(array.type, len(array), held, offset=skipped)


def _exportable(array: pa.Array) -> pa.Array:
    """Return an array of views none of whose buffers is missing: pyarrow 18 crashes on those."""
    import pyarrow as pa

    held = array.buffers()
    if all(one is not None for one in held[2:]):
        return array
    if any(held[2:]):  # of several arrays, joined
        wide = pa.large_string() if pa.types.is_string_view(array.type) else pa.large_binary()
        return array.cast(wide).cast(array.type)
    return pa.Array.from_buffers(array.type, len(array), held[:2], offset=array.offset)


def validate(data: pa.Array | pa.RecordBatch, wrong: str) -> None:
    """Check what pyarrow checks of data without reading values.

    `data`: the data.
    `wrong`: what the message says of damaged data.
    Raises `ParameterError`: the data is damaged.
    """
    import pyarrow as pa

    try:
        data.validate()
    except pa.ArrowInvalid:  # whose message may show bytes of a value
        raise damaged(wrong) from None


def _sound_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch that can be exported: its columns are sound.

    Raises `ParameterError`: the batch is damaged.
    """
    import pyarrow as pa

    columns = list[pa.Array]()
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if _lacks_views(column):  # reading what is written makes all buffers
            field = pa.schema([("", column.type)])
            stream = pa.BufferOutputStream()
            with pa.ipc.new_stream(stream, field) as writer:
                writer.write_batch(pa.RecordBatch.from_arrays([column], schema=field))
            columns.append(pa.ipc.open_stream(stream.getvalue()).read_next_batch().column(0))
            continue
        try:
            columns.append(sound(column))
        except ParameterError as error:
            raise ParameterError(f"column {name!r}: {error}") from None
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _lacks_views(array: pa.Array) -> bool:
    """Whether an array, or one inside, has views and lacks a buffer of theirs."""
    import pyarrow as pa

    if isinstance(array, pa.ExtensionArray):
        inside = [array.storage]
    elif isinstance(array, pa.DictionaryArray):
        inside = [array.dictionary]
    elif isinstance(array, pa.MapArray):  # a list, too
        inside = [array.keys, array.items]
    elif isinstance(array, pa.StructArray | pa.UnionArray):
        inside = [array.field(i) for i in range(array.type.num_fields)]
    elif array.type.num_fields:
        inside = [array.values]
    else:
        kind = array.type
        is_view = pa.types.is_string_view(kind) or pa.types.is_binary_view(kind)
        return is_view and not all(one is not None for one in array.buffers()[2:])
    return any(_lacks_views(one) for one in inside)


def bound_of_sizes(array: Data) -> int:
    """Return what no value of an array of text or binary has more bytes than; 0 of other types.

    It is less than twice the size of the longest. Of a dictionary it is that of its values.
    """
    values = array.values
    if array.type.is_dictionary:  # whose second buffer has indices, not offsets
        values = values.dictionary
    kind = array.type.format
    width = 16 if kind in VIEWS else _WIDTHS.get(kind)
    if width is None or not values.length:
        return 0
    held = ffi.cast("const uint8_t *", values.buffers[1]) + values.offset * width
    return int(lib.tally_sizes_bound(held, width, values.length))


def damaged(what: str) -> ParameterError:
    """Make the error that an array leads out of its memory."""
    return ParameterError(f"a damaged Arrow array: {what}")


def to_pyarrow(array: Data, kind: pa.DataType) -> pa.Array:
    """Make an array of pyarrow."""
    import pyarrow as pa

    values = array.shared()
    return pa.Array._import_from_c(address(values), kind)


def format_of(kind: Any) -> str:  # noqa: ANN401
    """Return the format string of an Arrow type; of a dictionary's values, not of its indices."""
    import pyarrow as pa

    while True:
        if isinstance(kind, pa.BaseExtensionType):  # its class decides what is equal and hashable
            kind = kind.storage_type
        elif isinstance(kind, pa.DictionaryType):
            kind = kind.value_type
        else:
            return _format_of(kind)


@lru_cache(256)
def _format_of(kind: Any) -> str:  # noqa: ANN401
    return Field.of(kind).format
