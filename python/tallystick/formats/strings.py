# SPDX-License-Identifier: Apache-2.0
"""Arrow string arrays as the core sees them, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi
from tallystick.errors import ParameterError

_NARROW, _WIDE = np.dtype(np.int32), np.dtype(np.int64)
_LARGE = (pa.large_string(), pa.large_binary())
_TEXT = (pa.string(), pa.binary(), *_LARGE)
WORK = 1 << 25
"""Of a batch, in bytes to the power of 1.5: a third of a second for the longest values."""
_EVEN_ROWS = 4096
"""Batches of as many rows of the longest value, or more, need not look at each value."""


@dataclass(frozen=True, slots=True)
class Strings:
    """A string or binary array: offsets, values and validity, without copies.

    Attributes
    ----------
    array : pyarrow.Array
        What the others are views of.
    offsets : numpy.ndarray of int32 or int64, shape (rows + 1,)
        Where each row begins in `values`.
    values : numpy.ndarray of uint8
        The bytes of all rows, and maybe more around them.
    """

    array: pa.Array
    offsets: npt.NDArray[Any]
    values: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, array: pa.Array) -> Strings:
        """View an array of string, large_string, binary or large_binary."""
        kind = _WIDE if array.type in _LARGE else _NARROW
        _, offsets, values = array.buffers()
        if offsets is not None and offsets.size:
            places = np.frombuffer(offsets, kind, len(array) + 1, array.offset * kind.itemsize)
        else:
            places = np.zeros(1, kind)
        if values is not None and values.size:
            held = np.frombuffer(values, np.uint8)
        else:
            held = np.zeros(0, np.uint8)
        # An array from outside may lie. That offsets ascend in between is checked by the core, or
        # by `ascending`.
        _check_ends(places, len(held))
        return cls(array, places, held)

    def ascending(self) -> Strings:
        """Return the same, of which each row lies within `values`.

        The core looks at that itself; NumPy and Arrow's functions read wherever offsets point.

        Raises
        ------
        ParameterError
            An offset is below the one before.
        """
        if (self.offsets[1:] < self.offsets[:-1]).any():
            raise ParameterError("a damaged Arrow array: its offsets decrease")
        return self

    def batches(self) -> Iterator[tuple[int, int]]:
        """Yield first row and number of rows of batches, between which signals are handled.

        The work for a value is of order length^1.5. A single value is never split.
        """
        rows = len(self.array)
        size = int(self.offsets[-1]) - int(self.offsets[0])
        lengths = self.offsets[1:] - self.offsets[:-1] if size**1.5 > WORK else None
        if lengths is None or size * float(lengths.max()) ** 0.5 <= WORK:
            yield 0, rows
            return
        even = int(WORK / float(lengths.max()) ** 1.5)
        if even >= _EVEN_ROWS:
            yield from ((start, min(even, rows - start)) for start in range(0, rows, even))
            return
        work = np.cumsum(np.maximum(lengths, 0).astype(np.float64) ** 1.5)
        start, done = 0, 0.0
        while start < rows:
            end = max(start + 1, int(np.searchsorted(work, done + WORK, "right")))
            yield start, end - start
            start, done = end, float(work[end - 1])

    def native(self, start: int = 0, rows: int | None = None) -> Any:  # noqa: ANN401
        """Make the core's ``tally_strings`` of some rows; it is valid as long as this object."""
        array = self.array
        native = ffi.new("tally_strings *")
        native.offsets = ffi.from_buffer(self.offsets[start:])
        native.offset_size = self.offsets.itemsize
        if array.null_count:
            validity = array.buffers()[0]
            native.validity = ffi.cast("uint8_t *", validity.address if validity else 0)
        native.validity_start = array.offset + start
        native.values = ffi.from_buffer("uint8_t[]", self.values)
        native.rows = len(array) - start if rows is None else rows
        return native

    def compact(self) -> Strings:
        """Return the same rows with values that begin at their first byte and end at their last."""
        start, end = int(self.offsets[0]), int(self.offsets[-1])
        if self.array.offset == 0 and start == 0 and end == len(self.values):
            return self
        # In Arrow's memory, which is used again; numpy's may come anew from the system.
        held = pa.allocate_buffer(self.offsets.nbytes)
        offsets = np.frombuffer(held, self.offsets.dtype)
        np.subtract(self.offsets, self.offsets[0], out=offsets)
        values = self.values[start:end]
        valid = self.array.is_valid().buffers()[1] if self.array.null_count else None
        array = pa.Array.from_buffers(
            self.array.type, len(self.array), [valid, held, pa.py_buffer(values)]
        )
        return Strings(array, offsets, values)

    def with_values(self, values: pa.Buffer) -> pa.Array:
        """Make the array of the same offsets and nulls with other bytes."""
        valid, offsets, _ = self.array.buffers()
        return pa.Array.from_buffers(
            self.array.type,
            len(self.array),
            [valid, offsets, values],
            self.array.null_count,
            self.array.offset,
        )


def with_own_offsets(array: pa.Array) -> pa.Array:
    """Return the same array with copies of its offsets and its bitmap, if it is text or binary.

    Another thread may write to the memory of an array that a user gives. What is checked and then
    used must be a copy that nobody else has. Bytes of values need none: any byte is read as it is.
    """
    if array.type not in _TEXT:
        return array
    valid, offsets, values = array.buffers()
    if offsets is None or not offsets.size:
        return array
    skipped, rows = array.offset % 8, len(array)  # the copied bitmap begins with a whole byte
    kind = _WIDE if array.type in _LARGE else _NARROW
    held = pa.allocate_buffer((skipped + rows + 1) * kind.itemsize)
    places = np.frombuffer(held, kind)
    places[:skipped] = 0
    places[skipped:] = np.frombuffer(offsets, kind, rows + 1, array.offset * kind.itemsize)
    _check_ends(places[skipped:], 0 if values is None else values.size)
    buffers = [_own_bitmap(array, valid), held, values]
    return pa.Array.from_buffers(array.type, rows, buffers, offset=skipped)


def without_layout(array: pa.Array) -> pa.Array:
    """Return a dictionary or views as a plain array, after they were checked in copies.

    Raises
    ------
    ParameterError
        An index lies outside the dictionary, or a view outside its bytes.
    """
    try:
        if pa.types.is_dictionary(array.type):
            indices, words = array.indices, with_own_offsets(array.dictionary)
            if words.type in _TEXT:
                Strings.of(words).ascending()
            mask = indices.is_null().to_numpy(zero_copy_only=False)
            indices = pa.array(indices.fill_null(0).to_numpy(), indices.type, mask=mask)
            return pa.DictionaryArray.from_arrays(indices, words).dictionary_decode()
        wide = pa.large_string() if pa.types.is_string_view(array.type) else pa.large_binary()
        if not _makes_views():
            array.validate(full=True)
            return array.cast(wide)
        valid, views, *values = array.buffers()
        skipped, rows = array.offset % 8, len(array)
        own = np.frombuffer(views, np.uint8, 16 * (skipped + rows), 16 * (array.offset - skipped))
        buffers = [_own_bitmap(array, valid), pa.py_buffer(own.tobytes()), *values]
        # As binary: text that is no UTF-8 is judged row by row.
        pa.Array.from_buffers(pa.binary_view(), rows, buffers, offset=skipped).validate(full=True)
        return pa.Array.from_buffers(array.type, rows, buffers, offset=skipped).cast(wide)
    except (pa.ArrowInvalid, pa.ArrowIndexError):  # whose messages may show bytes of a value
        raise ParameterError(
            "a damaged Arrow array: an index or a view points outside it"
        ) from None


@cache
def _makes_views() -> bool:
    """Say whether pyarrow makes views from buffers; 18 does not, and has to check them in place."""
    nothing = pa.py_buffer(b"")
    try:
        pa.Array.from_buffers(pa.binary_view(), 0, [None, nothing, nothing])
    except ValueError:
        return False
    return True


def _own_bitmap(array: pa.Array, valid: pa.Buffer | None) -> pa.Buffer | None:
    """Copy the bytes of a bitmap from the one that has an array's first row."""
    if valid is None:
        return None
    size = (array.offset % 8 + len(array) + 7) // 8
    return pa.py_buffer(np.frombuffer(valid, np.uint8, size, array.offset // 8).tobytes())


def _check_ends(offsets: npt.NDArray[Any], size: int) -> None:
    """Refuse offsets of which the first or the last lies outside so many bytes."""
    if not 0 <= offsets[0] <= offsets[-1] <= size:
        raise ParameterError("a damaged Arrow array: an offset points outside its values")


def too_large(kind: pa.DataType) -> ParameterError:
    """Make the error that new values are more bytes than a type of text can number."""
    return ParameterError(
        f"type {kind} can't hold the new values; convert the column to large_string, or pass fewer "
        "rows"
    )


def of_one_width(texts: npt.NDArray[np.uint8], valid: pa.Buffer | None = None) -> pa.Array:
    """Make an array of large_string of rows of bytes, shape (rows, width); `valid` is a bitmap."""
    rows, width = texts.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * width
    buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(texts))]
    return pa.Array.from_buffers(pa.large_string(), rows, buffers)


def rows_of_bytes(texts: pa.Array, width: int) -> npt.NDArray[np.uint8]:
    """View an array of text whose rows all have so many bytes as shape (rows, width)."""
    if len(texts) == 0:
        return np.empty((0, width), np.uint8)
    first = texts.offset * width
    held = np.frombuffer(texts.buffers()[2], np.uint8)
    return held[first : first + len(texts) * width].reshape(-1, width)


def bitmap(valid: npt.NDArray[np.bool_]) -> pa.Buffer:
    """Write which rows are not null as Arrow has it."""
    return pa.py_buffer(np.packbits(valid, bitorder="little"))
