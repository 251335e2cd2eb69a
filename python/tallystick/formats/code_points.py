# SPDX-License-Identifier: Apache-2.0
"""Arrow text as code points, one number a character, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.formats.strings import Strings, bitmap, too_large

Points = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodePoints:
    """A column of text, decoded.

    Attributes
    ----------
    points : numpy.ndarray of uint32
        The characters of all rows, one after the other; null rows have none.
    starts : numpy.ndarray of int64, shape (rows + 1,)
        Where each row begins in `points`.
    damaged : numpy.ndarray of bool, shape (rows,), or None
        Rows that are no UTF-8, which have no characters here; None: there is none.
    """

    points: Points
    starts: Places
    damaged: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, values: pa.Array) -> CodePoints:
        """Decode an array of string or large_string, whose offsets are known to ascend."""
        if values.null_count:
            # Nothing that lies under a null is looked at.
            values = values.fill_null("")
        column = Strings.of(values)
        offsets, held = column.offsets, column.values
        first, last = int(offsets[0]), int(offsets[-1])
        begins = offsets[:-1][offsets[1:] > offsets[:-1]]
        if ((held[begins] & 0xC0) == 0x80).any():  # within a character
            return cls._row_by_row(column)
        try:
            text = str(held[first:last].data, "utf-8")
        except UnicodeDecodeError:
            return cls._row_by_row(column)
        lengths = pc.utf8_length(values).to_numpy(zero_copy_only=False)
        return cls(_points(text), starts_of(lengths))

    @classmethod
    def _row_by_row(cls, column: Strings) -> CodePoints:
        """Decode what is not all UTF-8."""
        rows = len(column.array)
        texts, damaged = [], np.zeros(rows, np.bool_)
        for row in range(rows):
            start, end = column.offsets[row : row + 2]
            try:
                texts.append(str(column.values[start:end].data, "utf-8"))
            except UnicodeDecodeError:
                texts.append("")
                damaged[row] = True
        return cls(_points("".join(texts)), starts_of(np.array([*map(len, texts)])), damaged)

    def rows_of(self, places: Places) -> Places:
        """Return the row of each of some places in `points`."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def sums(self, numbers: npt.NDArray[Any]) -> Places:
        """Add up, for each row, the numbers of its characters."""
        full = np.flatnonzero(self.starts[1:] > self.starts[:-1])
        sums = np.zeros(len(self.starts) - 1, np.int64)
        if len(full):
            sums[full] = np.add.reduceat(numbers, self.starts[full], dtype=np.int64)
        return sums

    def encode(self, points: Points, values: pa.Array) -> pa.Array:
        """Make an array of the same rows with other characters in them.

        Parameters
        ----------
        points : numpy.ndarray of uint32
            As many as `self.points`.
        values : pyarrow.Array
            What was decoded: the type and nulls of the result are its.

        Raises
        ------
        ParameterError
            If the type's offsets can't number as many bytes.
        """
        widths = (points > 0x7F).view(np.uint8) + (points > 0x7FF) + (points > 0xFFFF)
        offsets = self.starts + starts_of(self.sums(widths))
        kind = np.int64 if pa.types.is_large_string(values.type) else np.int32
        if offsets[-1] > np.iinfo(kind).max:
            raise too_large(values.type)
        encoded = str(points.data, "utf-32-le").encode() if len(points) else b""
        valid = None
        if values.null_count:
            rows = values.is_valid().to_numpy(zero_copy_only=False)
            valid = bitmap(rows)
        buffers = [valid, pa.py_buffer(offsets.astype(kind, copy=False)), pa.py_buffer(encoded)]
        return pa.Array.from_buffers(values.type, len(values), buffers, values.null_count)


def starts_of(lengths: npt.NDArray[Any]) -> Places:
    """Return where each of some runs begins that lie one after the other, and the end of all."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def _points(text: str) -> Points:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)
