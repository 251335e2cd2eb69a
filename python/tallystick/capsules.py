# SPDX-License-Identifier: Apache-2.0
"""Arrow data of any library, as structures of the C data interface, and its PyCapsules.

No Arrow library is imported. The core checks what another library gives.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from sys import byteorder, modules
from typing import Any

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError, TallyError

METADATA_KEY = b"tallystick"
"""The key of a marker in a schema's metadata."""

_SCHEMA, _ARRAY, _STREAM = range(3)
_NULLABLE = 2  # ARROW_FLAG_NULLABLE
_INVALID, _NO_MEMORY = 22, 12
"""EINVAL and ENOMEM: what streams return."""
_VALUES = b"_PL_ENUM_VALUES"
"""How keys of a field's metadata begin under which Polars lists all values of an Enum."""

_NOT_UTF8 = "a column has a name that is not UTF-8; rename it"
ZERO = "a column has a name with a zero byte, which ends it for some programs; rename it"

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3


def address(held: Any) -> int:  # noqa: ANN401
    """Return a pointer as a number, as pyarrow takes it."""
    return int(ffi.cast("uintptr_t", held))


def owned(name: str) -> Any:  # noqa: ANN401
    """Make an empty structure of Arrow's C interfaces, which is released with the object."""
    return ffi.gc(ffi.new(f"struct {name} *"), _release)


def _release(held: Any) -> None:  # noqa: ANN401
    if held.release != ffi.NULL:
        held.release(held)


def has_zero(given: Any) -> bool:  # noqa: ANN401
    """Say whether a name in a schema or type of pyarrow, or inside, has a zero byte.

    Raises `UnicodeDecodeError`: one is not UTF-8.
    """
    pa = modules.get("pyarrow")
    if pa is None or not isinstance(given, pa.Schema | pa.DataType):
        return False
    left = [pa.struct(list(given)) if isinstance(given, pa.Schema) else given]
    while left:
        kind = left.pop()
        kind = getattr(kind, "storage_type", kind)  # of an extension
        if pa.types.is_dictionary(kind):
            left.append(kind.value_type)
        fields = [kind.field(i) for i in range(kind.num_fields)]
        if any("\0" in field.name for field in fields):
            return True
        left += [field.type for field in fields]
    return False


class Field:
    """A type with a name: that of a column or, as a struct, of a table. It never changes."""

    __slots__ = ("_root", "native")

    def __init__(self, native: Any, root: Field | None = None) -> None:  # noqa: ANN401
        self.native = native  # ``struct ArrowSchema *``
        self._root = root  # what has it inside

    @classmethod
    def of(cls, given: Any) -> Field:  # noqa: ANN401
        """Take the type of an object with ``__arrow_c_schema__``.

        Raises `ParameterError`: a name has a zero byte, where the C interface ends it, or is not
        UTF-8. Of other libraries than pyarrow what is behind a zero byte can't be seen.
        """
        try:
            zero = has_zero(given)
        except UnicodeDecodeError:
            raise ParameterError(_NOT_UTF8) from None
        if zero:
            raise ParameterError(ZERO)
        native = owned("ArrowSchema")
        _move(given.__arrow_c_schema__(), _SCHEMA, native)
        return cls(native)

    @property
    def name(self) -> str:
        """The name, which may be empty. Raises `UnicodeDecodeError`: it is not UTF-8."""
        held = self.native.name
        return "" if held == ffi.NULL else ffi.string(held).decode()

    def check_names(self) -> None:
        """Raise `ParameterError` if its name, or one inside, is not UTF-8."""
        try:
            _ = self.name
        except UnicodeDecodeError:
            raise ParameterError(_NOT_UTF8) from None
        for child in self.children:
            child.check_names()

    @property
    def format(self) -> str:
        """The format string; of a dictionary that of its values, not of its indices."""
        words = self.native.dictionary
        native = self.native if words == ffi.NULL else words
        return str(ffi.string(native.format).decode(errors="replace"))

    @property
    def is_dictionary(self) -> bool:
        """Whether the values are in a dictionary."""
        return bool(self.native.dictionary != ffi.NULL)

    @property
    def nullable(self) -> bool:
        """Whether there may be nulls."""
        return bool(self.native.flags & _NULLABLE)

    @property
    def children(self) -> list[Field]:
        """The columns of a struct; of a list its items, of a map its entries."""
        return [self.child(number) for number in range(self.native.n_children)]

    def child(self, number: int) -> Field:
        """Return one of the children."""
        return Field(self.native.children[number], self)

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """Keys with their values."""
        if self.native.metadata == ffi.NULL:
            return {}
        at = self.native.metadata

        def number() -> int:
            nonlocal at
            found = int.from_bytes(ffi.buffer(at, 4)[:], byteorder, signed=True)
            at += 4
            return max(found, 0)

        def text() -> bytes:
            nonlocal at
            size = number()
            at += size
            return bytes(ffi.buffer(at - size, size))

        return {text(): text() for _ in range(number())}

    def replaced(self, metadata: Mapping[bytes, bytes], children: Sequence[Field]) -> Field:
        """Return the type with other metadata and children."""
        made, native = ffi.new("struct ArrowSchema *", self.native[0]), owned("ArrowSchema")
        texts = [text for pair in metadata.items() for text in pair]
        held = len(metadata).to_bytes(4, byteorder) + b"".join(
            len(text).to_bytes(4, byteorder) + text for text in texts
        )
        kept = ffi.from_buffer(held)
        made.metadata = kept if metadata else ffi.NULL
        pointers = ffi.new("struct ArrowSchema *[]", [child.native for child in children])
        made.children = pointers
        _copy(made, native)
        return Field(native)

    def without_values(self, columns: Container[str]) -> Field:
        """Return a table's type whose metadata lists no values of columns, or of what is inside."""
        children = [
            child._without_values() if child.name in columns else child for child in self.children
        ]
        return self if children == self.children else self.replaced(self.metadata, children)

    def _without_values(self) -> Field:
        given, inside = self.metadata, self.children
        kept = {key: value for key, value in given.items() if not key.startswith(_VALUES)}
        children = [child._without_values() for child in inside]
        return self if (kept, children) == (given, inside) else self.replaced(kept, children)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and bool(self.native == other.native)

    def __hash__(self) -> int:
        return hash(self.native)

    def __arrow_c_schema__(self) -> object:
        """Return a copy in a PyCapsule."""
        return _capsule(_SCHEMA, lambda out: _copy(self.native, out))


class Data:
    """An array with its type. Slices share its memory."""

    __slots__ = ("_whole", "type", "values")

    def __init__(self, kind: Field, values: Any) -> None:  # noqa: ANN401
        self._whole = lib.tally_hold_array(values)  # `values` is empty now
        if self._whole == ffi.NULL:
            raise MemoryError
        self._whole = ffi.gc(self._whole, lib.tally_let_go)
        self.type = kind
        self.values = ffi.cast("struct ArrowArray *", self._whole.object)

    def __len__(self) -> int:
        return int(self.values.length)

    def of_type(self, kind: Field, values: Any = None) -> Data:  # noqa: ANN401
        """Return the same array with another type of its layout, or another one in its memory."""
        part = Data.__new__(Data)
        part._whole, part.type = self._whole, kind
        part.values = self.values if values is None else values
        return part

    def child(self, number: int) -> Data:
        """Return a column of a struct."""
        part = self.of_type(self.type.child(number), self.values.children[number])
        return part.slice(int(self.values.offset), len(self))

    def slice(self, start: int, rows: int) -> Data:
        """Return some of the rows, as far as they are there."""
        rows = min(rows, len(self) - start)
        if rows == len(self):
            return self
        part = self.of_type(self.type, ffi.new("struct ArrowArray *", self.values[0]))
        part.values.offset += start
        part.values.length = rows
        nulls = self.values.null_count
        if nulls:  # all rows of an array of the type null are, which has no bitmap
            part.values.null_count = rows if nulls == len(self) else -1
        return part

    def shared(self) -> Any:  # noqa: ANN401
        """Return the array as a structure of its own, to be moved."""
        made = owned("ArrowArray")
        self._share(made)
        return made

    def _share(self, out: Any) -> None:  # noqa: ANN401
        if not lib.tally_array_share(self._whole, self.values, out):
            raise MemoryError

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return type and values in PyCapsules."""
        return self.type.__arrow_c_schema__(), _capsule(_ARRAY, self._share)


class ArrowData:
    """Arrow data that is whole, or is protected or revealed as it is read, once.

    Any library with Arrow's PyCapsule interface can take it: `pyarrow.table`, `polars.DataFrame`,
    DuckDB's replacement scans, `nanoarrow.ArrayStream`.
    """

    def __init__(self, kind: Field, arrays: Iterable[Data]) -> None:
        self.type = kind
        self.arrays: Iterable[Data] | None = arrays

    def whole(self) -> list[Data]:
        """Return all arrays, and keep them."""
        self.arrays = list(self.taken())
        return self.arrays

    def column(self, number: int) -> ArrowData:
        """Return a column of tables."""
        columns = [table.child(number) for table in self.whole()]
        return ArrowData(self.type.child(number), columns)

    def taken(self) -> Iterator[Data]:
        """Yield the arrays: again and again if all are here."""
        arrays = self.arrays
        if arrays is None:
            raise TallyError("the Arrow stream has been read before")
        if not isinstance(arrays, list):
            self.arrays = None
        return iter(arrays)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream in a PyCapsule."""
        return _capsule(_STREAM, _Stream(self.type, self.taken()).begin)


class _Stream:
    """A stream that another library reads."""

    def __init__(self, kind: Field, arrays: Iterator[Data]) -> None:
        self.kind = kind
        self.arrays = arrays
        self.error = ffi.NULL
        self.handle = ffi.new_handle(self)

    def begin(self, out: Any) -> None:  # noqa: ANN401
        """Write the structure, which keeps the object until it is released."""
        _given.add(self)
        out.private_data = self.handle
        out.get_schema = lib.tally_stream_schema
        out.get_next = lib.tally_stream_next
        out.get_last_error = lib.tally_stream_error
        out.release = lib.tally_stream_release

    def attempt(self, act: Callable[[], None]) -> int:
        """Return what a C function returns for what is done, and keep the text of an error."""
        self.error = ffi.NULL
        try:
            act()
        except MemoryError:
            return _NO_MEMORY
        except BaseException as error:  # no exception passes through C
            text = str(error) if isinstance(error, TallyError) else type(error).__name__
            self.error = ffi.new("char[]", text.encode(errors="replace"))
            return _INVALID
        return 0

    def put_next(self, out: Any) -> None:  # noqa: ANN401
        """Write the next array; at the end, an empty structure."""
        array = next(self.arrays, None)
        if array is None:
            out.release = ffi.NULL
        else:
            array._share(out)


_given: set[_Stream] = set()
"""Streams that other libraries have."""


def _of(stream: Any) -> _Stream:  # noqa: ANN401
    held: _Stream = ffi.from_handle(stream.private_data)
    return held


def _put_schema(stream: Any, out: Any) -> int:  # noqa: ANN401
    own = _of(stream)
    return own.attempt(lambda: _copy(own.kind.native, out))


def _put_next(stream: Any, out: Any) -> int:  # noqa: ANN401
    own = _of(stream)
    return own.attempt(lambda: own.put_next(out))


def _forget(stream: Any) -> None:  # noqa: ANN401
    _given.discard(_of(stream))
    stream.release = ffi.NULL


ffi.def_extern("tally_stream_schema", _INVALID)(_put_schema)
ffi.def_extern("tally_stream_next", _INVALID)(_put_next)
ffi.def_extern("tally_stream_error")(lambda stream: _of(stream).error)
ffi.def_extern("tally_stream_release")(_forget)


def _copy(kind: Any, out: Any) -> None:  # noqa: ANN401
    if not lib.tally_schema_copy(kind, out):
        raise MemoryError


_KINDS = ("ArrowSchema", "ArrowArray", "ArrowArrayStream")
_NAMES = [lib.tally_capsule_name(kind) for kind in (_SCHEMA, _ARRAY, _STREAM)]
_FREE = address(ffi.addressof(lib, "tally_capsule_free"))


def _capsule(kind: int, fill: Callable[[Any], None]) -> object:
    """Make a PyCapsule of what `fill` writes."""
    made = ffi.new(f"struct {_KINDS[kind]} *")
    fill(made)
    held = lib.tally_capsule_memory(kind, made)
    if held == ffi.NULL:
        _release(made)
        raise MemoryError
    return _new(address(held), address(_NAMES[kind]), _FREE)


def _move(capsule: Any, kind: int, out: Any) -> None:  # noqa: ANN401
    """Move the structure of a capsule, which is empty afterwards."""
    name = ffi.string(_NAMES[kind])
    try:
        held = ffi.cast(ffi.typeof(out), _pointer(capsule, name))
    except (TypeError, ValueError):
        raise ParameterError(f"Arrow data of another library lacks its {name.decode()}") from None
    out[0] = held[0]
    held.release = ffi.NULL


def taken(given: Any) -> ArrowData:  # noqa: ANN401
    """Take the data of an object with ``__arrow_c_stream__`` or ``__arrow_c_array__``.

    Raises `ParameterError`: it is damaged. `TallyError`: the other library has an error. Reading
    arrays of a stream raises these, too.
    """
    kind = owned("ArrowSchema")
    if hasattr(given, "__arrow_c_stream__"):
        stream = owned("ArrowArrayStream")
        _move(given.__arrow_c_stream__(), _STREAM, stream)
        _ask(stream, stream.get_schema, kind)
        _check(kind, ffi.NULL)
        field = Field(kind)
        return ArrowData(field, _arrays(stream, field))
    values = owned("ArrowArray")
    capsules = (*given.__arrow_c_array__(), None, None)
    _move(capsules[0], _SCHEMA, kind)
    _move(capsules[1], _ARRAY, values)
    _check(kind, values)
    field = Field(kind)
    return ArrowData(field, [Data(field, values)])


def _arrays(stream: Any, kind: Field) -> Iterator[Data]:  # noqa: ANN401
    while True:
        values = owned("ArrowArray")
        _ask(stream, stream.get_next, values)
        if values.release == ffi.NULL:
            return
        _check(kind.native, values, own=True)
        yield Data(kind, values)


def _ask(stream: Any, function: Any, out: Any) -> None:  # noqa: ANN401
    code = function(stream, out)
    if code:
        text = stream.get_last_error(stream)
        why = f"error {code}" if text == ffi.NULL else ffi.string(text).decode(errors="replace")
        raise TallyError(f"the Arrow stream of another library failed: {why}")


def _check(kind: Any, values: Any, *, own: bool = False) -> None:  # noqa: ANN401
    """Raise `ParameterError` if structures are damaged.

    They are not released then: what is wrong about them would lead their library astray, too.
    `own`: the type was checked before.
    """
    problem = ffi.new("tally_problem *")
    if lib.tally_array_check(kind, values, problem) == lib.TALLY_OK:
        return
    for damaged in (values,) if own else (kind, values):
        if damaged != ffi.NULL:
            damaged.release = ffi.NULL
    raise ParameterError(ffi.string(problem.text).decode())
