# SPDX-License-Identifier: Apache-2.0
"""Arrow data of other libraries, by PyCapsules: the core checks it before pyarrow takes it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.arrow import Data, address, owned
from tallystick.errors import ParameterError, TallyError

if TYPE_CHECKING:
    from pyarrow import DataType, Schema

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def array_of(given: Any) -> pa.Array:  # noqa: ANN401
    """Take the array of an object with ``__arrow_c_array__``.

    Raises `ParameterError`: the array is damaged.
    """
    data = _data_of(given)
    return pa.Array._import_from_c(address(data.values), address(data.type))


def batch_of(given: Any) -> pa.RecordBatch | None:  # noqa: ANN401
    """Take an array of structs as a batch; None: it is another array. Errors as of `array_of`."""
    data = _data_of(given)
    if ffi.string(data.type.format) != b"+s":
        return None
    return pa.RecordBatch._import_from_c(address(data.values), address(data.type))


def chunks_of(given: Any) -> pa.ChunkedArray:  # noqa: ANN401
    """Read the arrays of an object with ``__arrow_c_stream__``.

    Raises `ParameterError`: one is damaged. `TallyError`: the other library has an error.
    """
    stream, kind = _stream_of(given)
    own = pa.Field._import_from_c(address(kind)).type
    return pa.chunked_array(list(_arrays(stream, pa.Array, own)), own)


def reader_of(given: Any) -> pa.RecordBatchReader:  # noqa: ANN401
    """Return a reader of the batches of a stream. It and this raise errors as `chunks_of` does."""
    stream, kind = _stream_of(given)
    if ffi.string(kind.format) != b"+s":
        raise ParameterError("the stream has a column, no tables; call protect_column")
    schema = pa.Schema._import_from_c(address(kind))
    return pa.RecordBatchReader.from_batches(schema, _arrays(stream, pa.RecordBatch, schema))


def as_given(given: Any, made: Any) -> Any:  # noqa: ANN401
    """Return what was made of Arrow data as an object of the library that gave the data.

    It is asked to take it by its class method ``from_arrow``, which such libraries have; without
    one the object is `made`. Of what has no length it reads batches on demand.
    """
    kind = type(given)
    take = kind if kind.__module__.startswith("nanoarrow.") else getattr(kind, "from_arrow", None)
    return made if take is None else take(made)


def _data_of(given: Any) -> Data:  # noqa: ANN401
    made = Data()
    kind, values = (*given.__arrow_c_array__(), None, None)[:2]
    _move(kind, b"arrow_schema", made.type)
    _move(values, b"arrow_array", made.values)
    _check(made.type, made.values)
    return made


def _stream_of(given: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return a stream, and its type, as structures that are released with them."""
    stream = owned("ArrowArrayStream")
    _move(given.__arrow_c_stream__(), b"arrow_array_stream", stream)
    kind = owned("ArrowSchema")
    _ask(stream, stream.get_schema, kind)
    _check(kind, ffi.NULL)
    return stream, kind


def _arrays(stream: Any, library: Any, kind: Schema | DataType) -> Iterator[Any]:  # noqa: ANN401
    """Yield what is left of a stream, as arrays or batches of pyarrow."""
    own = owned("ArrowSchema")
    kind._export_to_c(address(own))
    while True:
        values = owned("ArrowArray")
        _ask(stream, stream.get_next, values)
        if values.release == ffi.NULL:
            return
        _check(own, values)
        yield library._import_from_c(address(values), kind)


def _ask(stream: Any, function: Any, out: Any) -> None:  # noqa: ANN401
    code = function(stream, out)
    if code:
        text = stream.get_last_error(stream)
        why = f"error {code}" if text == ffi.NULL else ffi.string(text).decode(errors="replace")
        raise TallyError(f"the Arrow stream of another library failed: {why}")


def _move(capsule: Any, name: bytes, out: Any) -> None:  # noqa: ANN401
    """Move the structure of a capsule, which is empty afterwards."""
    try:
        held = ffi.cast(ffi.typeof(out), _pointer(capsule, name))
    except (TypeError, ValueError):
        raise ParameterError(f"Arrow data of another library lacks its {name.decode()}") from None
    out[0] = held[0]
    held.release = ffi.NULL


def _check(kind: Any, values: Any) -> None:  # noqa: ANN401
    """Raise `ParameterError` if structures are damaged.

    They are not released then: what is wrong about them would lead their library astray, too.
    """
    problem = ffi.new("tally_problem *")
    if lib.tally_array_check(kind, values, problem) == lib.TALLY_OK:
        return
    for damaged in (kind, values):
        if damaged != ffi.NULL:
            damaged.release = ffi.NULL
    raise ParameterError(ffi.string(problem.text).decode())
