# SPDX-License-Identifier: Apache-2.0
"""Arrow arrays of pyarrow to the core and back, by the Arrow C data interface.

pyarrow is imported within functions: one value alone does not need it.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


_WIDTHS = {"u": 4, "z": 4, "U": 8, "Z": 8}
"""Bytes of an offset, by the format strings of text and binary."""

_VIEWS = ("vu", "vz")
"""The format strings of views of text and binary."""


_VALUES = b"_PL_ENUM_VALUES"
"""How keys of a field's metadata begin under which Polars lists all values of an Enum."""


def without_values(schema: pa.Schema, columns: Container[str]) -> pa.Schema:
    """Return a schema whose metadata lists no values of some columns, or of what is inside."""
    import pyarrow as pa

    return pa.schema(
        [_without_values(field) if field.name in columns else field for field in schema],
        schema.metadata,
    )


def _without_values(field: pa.Field) -> pa.Field:
    import pyarrow as pa

    kind = field.type
    if pa.types.is_struct(kind):
        kind = pa.struct([_without_values(kind.field(i)) for i in range(kind.num_fields)])
    elif pa.types.is_map(kind):
        own, item = _without_values(kind.key_field), _without_values(kind.item_field)
        kind = pa.map_(own, item, kind.keys_sorted)
    elif pa.types.is_fixed_size_list(kind):
        kind = pa.list_(_without_values(kind.value_field), kind.list_size)
    elif pa.types.is_list(kind):
        kind = pa.list_(_without_values(kind.value_field))
    elif pa.types.is_large_list(kind):
        kind = pa.large_list(_without_values(kind.value_field))
    given = field.metadata or {}
    kept = {key: value for key, value in given.items() if not key.startswith(_VALUES)}
    made = field.with_type(kind)
    return made.with_metadata(kept) if kept else made.remove_metadata()


class Data:
    """An array with its type, as structures of the C data interface.

    Attributes
    ----------
    type, values : cffi pointers
        ``struct ArrowSchema`` and ``struct ArrowArray``; they are released with the object.
    """

    __slots__ = ("type", "values")

    def __init__(self) -> None:
        self.type = owned("ArrowSchema")
        self.values = owned("ArrowArray")

    @classmethod
    def of(cls, given: pa.Array | pa.RecordBatch) -> Data:
        """Export an array or a batch of pyarrow."""
        made = cls()
        given._export_to_c(address(made.values), address(made.type))
        return made


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
    if kind in _VIEWS:
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


def sound_batch(batch: pa.RecordBatch, used: Container[str]) -> pa.RecordBatch:
    """Return a batch that can be exported: its columns that are `used` are sound.

    Raises `ParameterError`: the batch is damaged.
    """
    import pyarrow as pa

    validate(batch, "its children do not fit together")
    columns = list[pa.Array]()
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if _lacks_views(column):  # reading what is written makes all buffers
            field = pa.schema([("", column.type)])
            stream = pa.BufferOutputStream()
            with pa.ipc.new_stream(stream, field) as writer:
                writer.write_batch(pa.RecordBatch.from_arrays([column], schema=field))
            columns.append(pa.ipc.open_stream(stream.getvalue()).read_next_batch().column(0))
        else:
            columns.append(sound(column) if name in used else column)
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


def bound_of_sizes(array: pa.Array) -> int:
    """Return what no value of an array of text or binary that is sound has more bytes than; else 0.

    It is less than twice the size of the longest. Of a dictionary it is that of its values.
    """
    import pyarrow as pa

    if isinstance(array, pa.DictionaryArray):  # whose second buffer has indices, not offsets
        array = array.dictionary
    width = _WIDTHS.get(format_of(array.type))
    if width is None or not len(array):
        return 0
    held = ffi.from_buffer(array.buffers()[1]) + array.offset * width
    return int(lib.tally_sizes_bound(held, width, len(array)))


def damaged(what: str) -> ParameterError:
    """Make the error that an array leads out of its memory."""
    return ParameterError(f"a damaged Arrow array: {what}")


def to_pyarrow(values: Any, kind: pa.DataType) -> pa.Array:  # noqa: ANN401
    """Make a pyarrow array of what the core made; `values` is empty afterwards."""
    import pyarrow as pa

    return pa.Array._import_from_c(address(values), kind)


def address(held: Any) -> int:  # noqa: ANN401
    """Return a pointer as a number, as pyarrow takes it."""
    return int(ffi.cast("uintptr_t", held))


def owned(name: str) -> Any:  # noqa: ANN401
    """Make an empty structure of Arrow's C interfaces, which is released with the object."""
    return ffi.gc(ffi.new(f"struct {name} *"), _release)


def _release(held: Any) -> None:  # noqa: ANN401
    if held.release != ffi.NULL:
        held.release(held)


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
    made = owned("ArrowSchema")
    kind._export_to_c(address(made))
    return str(ffi.string(made.format).decode())
