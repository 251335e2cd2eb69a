# SPDX-License-Identifier: Apache-2.0
"""Arrow arrays to the core and back, by the Arrow C data interface; pyarrow is not needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


_KEEP_TYPE = ffi.addressof(lib, "tally_keep_schema")
_KEEP_ARRAY = ffi.addressof(lib, "tally_keep_array")
"""Callbacks that release nothing: Python holds the memory."""

_WIDTHS = {"u": 4, "z": 4, "U": 8, "Z": 8}
"""Bytes of an offset, by the format strings of text and binary."""


class Data:
    """An array with its type, as structures of the C data interface.

    It gives Arrow's PyCapsules (``__arrow_c_array__``, ``__arrow_c_stream__``), so other libraries
    can take it.

    Attributes
    ----------
    type, values : cffi pointers
        ``struct ArrowSchema`` and ``struct ArrowArray``; they are released with the object.
    """

    __slots__ = ("_keep", "type", "values")

    def __init__(self, keep: object = None) -> None:
        self.type = ffi.gc(ffi.new("struct ArrowSchema *"), _release)
        self.values = ffi.gc(ffi.new("struct ArrowArray *"), _release)
        self._keep = keep  # memory that the structures point to

    @classmethod
    def of(cls, given: Any) -> Data:  # noqa: ANN401
        """Export what has ``_export_to_c`` (pyarrow) or ``__arrow_c_array__`` (others)."""
        made = cls()
        if hasattr(given, "_export_to_c"):
            given._export_to_c(_address(made.values), _address(made.type))
        else:
            type_capsule, capsule = given.__arrow_c_array__()
            _move("arrow_schema", type_capsule, made.type)
            _move("arrow_array", capsule, made.values)
        return made

    @classmethod
    def of_one(cls, kind: str, value: bytes) -> Data:
        """Make an array of one value of a fixed size, of a type in the interface's notation."""
        text = ffi.new("char[]", kind.encode())
        held = ffi.new("uint8_t[]", value)
        buffers = ffi.new("void *[]", [ffi.NULL, held])
        made = cls((text, held, buffers))
        made.type.format = text
        made.type.release = _KEEP_TYPE
        made.values.length, made.values.n_buffers = 1, 2
        made.values.buffers = buffers
        made.values.release = _KEEP_ARRAY
        return made

    def result(self, values: Any) -> Data:  # noqa: ANN401
        """Return an array of the same type with other values, which it takes."""
        made = Data(self)
        made.type[0] = self.type[0]
        made.type.release = _KEEP_TYPE
        _take(values, made.values)
        return made


def sound(array: pa.Array) -> pa.Array:
    """Return an array whose offsets no other thread can change, and that lie within its bytes.

    The core checks the rest. It can't check this: the interface does not tell how many bytes there
    are.

    Raises
    ------
    ParameterError
        The array is damaged.
    """
    import pyarrow as pa

    if isinstance(array, pa.DictionaryArray):
        words = sound(array.dictionary)
        if words is array.dictionary:
            return array
        ordered = array.type.ordered
        return pa.DictionaryArray.from_arrays(array.indices, words, ordered=ordered, safe=False)
    try:
        array.validate()
    except pa.ArrowInvalid:  # whose message may show bytes of a value
        raise damaged("an offset points outside its values") from None
    width = _WIDTHS.get(format_of(array.type))
    if width is None or not len(array):
        return array
    valid, offsets, values = array.buffers()
    skipped = array.offset % 8 if valid is not None else 0  # a bitmap begins with a whole byte
    begin = array.offset - skipped
    own = memoryview(offsets)[begin * width : (array.offset + len(array) + 1) * width].tobytes()
    bounds = memoryview(own).cast("i" if width == 4 else "q")
    if not 0 <= bounds[skipped] <= bounds[-1] <= (0 if values is None else values.size):
        raise damaged("an offset points outside its values")
    held = [None if valid is None else valid.slice(begin // 8), pa.py_buffer(own), values]
    return pa.Array.from_buffers(array.type, len(array), held, offset=skipped)


def longest(array: pa.Array) -> int:
    """Return the bytes of the longest value of an array of text or binary that is sound; else 0."""
    width = _WIDTHS.get(format_of(array.type))
    if width is None or not len(array):
        return 0
    held = ffi.from_buffer(array.buffers()[1]) + array.offset * width
    return int(lib.tally_longest(held, width, len(array)))


def damaged(what: str) -> ParameterError:
    """Make the error that an array leads out of its memory."""
    return ParameterError(f"a damaged Arrow array: {what}")


def to_pyarrow(values: Any, kind: pa.DataType) -> pa.Array:  # noqa: ANN401
    """Make a pyarrow array of what the core made; `values` is empty afterwards."""
    import pyarrow as pa

    return pa.Array._import_from_c(_address(values), kind)


def _release(held: Any) -> None:  # noqa: ANN401
    if held.release != ffi.NULL:
        held.release(held)


def _take(source: Any, target: Any) -> None:  # noqa: ANN401
    """Move a structure: its source is released afterwards, as the interface has it."""
    target[0] = source[0]
    source.release = ffi.NULL


def _address(held: Any) -> int:  # noqa: ANN401
    return int(ffi.cast("uintptr_t", held))


def _move(name: str, capsule: object, target: Any) -> None:  # noqa: ANN401
    kinds = {"arrow_schema": "ArrowSchema", "arrow_array": "ArrowArray"}
    kinds["arrow_array_stream"] = "ArrowArrayStream"
    _take(ffi.cast(f"struct {kinds[name]} *", _pointer(capsule, name)), target)


def _pointer(capsule: object, name: str) -> int:
    import ctypes

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(get(capsule, name.encode()))


@lru_cache(256)
def format_of(kind: Any) -> str:  # noqa: ANN401
    """Return the format string of an Arrow type; of a dictionary's values, not of its indices."""
    made = ffi.gc(ffi.new("struct ArrowSchema *"), _release)
    if hasattr(kind, "_export_to_c"):
        kind._export_to_c(_address(made))
    else:
        _move("arrow_schema", kind.__arrow_c_schema__(), made)
    values = made.dictionary if made.dictionary != ffi.NULL else made
    return str(ffi.string(values.format).decode())
