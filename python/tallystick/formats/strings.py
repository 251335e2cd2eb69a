# SPDX-License-Identifier: Apache-2.0
"""Arrow string arrays as the core sees them, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi
from tallystick.errors import ParameterError


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
        large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
        kind = np.dtype(np.int64 if large else np.int32)
        _, offsets, values = array.buffers()
        places, held = np.zeros(1, kind), np.zeros(0, np.uint8)
        if offsets is not None and offsets.size:
            places = np.frombuffer(offsets, kind, len(array) + 1, array.offset * kind.itemsize)
        if values is not None and values.size:
            held = np.frombuffer(values, np.uint8)
        # An array from outside may lie. That offsets ascend in between is for the core to check.
        if not 0 <= places[0] <= places[-1] <= len(held):
            raise ParameterError("a damaged Arrow array: its offsets lie outside its values")
        return cls(array, places, held)

    def native(self) -> Any:  # noqa: ANN401
        """Make the core's ``tally_strings``; it is valid as long as this object."""
        validity = self.array.buffers()[0] if self.array.null_count else None
        return ffi.new(
            "tally_strings *",
            {
                "offsets": ffi.cast("void *", self.offsets.ctypes.data),
                "offset_size": self.offsets.itemsize,
                "validity": ffi.cast("uint8_t *", validity.address if validity else 0),
                "validity_start": self.array.offset,
                "values": ffi.cast("uint8_t *", self.values.ctypes.data),
                "rows": len(self.array),
            },
        )

    def compact(self) -> Strings:
        """Return the same rows with values that begin at their first byte and end at their last."""
        start, end = int(self.offsets[0]), int(self.offsets[-1])
        if self.array.offset == 0 and start == 0 and end == len(self.values):
            return self
        offsets = self.offsets - self.offsets[0]
        values = self.values[start:end]
        valid = self.array.is_valid().buffers()[1] if self.array.null_count else None
        array = pa.Array.from_buffers(
            self.array.type,
            len(self.array),
            [valid, pa.py_buffer(offsets), pa.py_buffer(values)],
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
