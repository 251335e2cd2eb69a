# SPDX-License-Identifier: Apache-2.0
"""Formats that replace text for good: nothing gives the values back."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import ParameterError
from tallystick.formats.base import Format, Outcome, joined
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings, bitmap, too_large

_SLICE_ROWS = 1 << 14  # worked on at once: a mask takes some 40 bytes of memory for each of text


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWayFormat(Format):
    """A replacement of text that can't be undone. Every text fits."""

    one_way: ClassVar[bool] = True

    @property
    def smallest_domain(self) -> None:
        """None: what it is depends on the values alone."""

    def refusal(self, kind: pa.DataType) -> str:
        """Say why a column of a type that is not accepted can't have this format."""
        return (
            f"format {self.label!r} can't be used for a column of type {kind}; convert it to text"
        )

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Replace a column of text.

        Raises
        ------
        ParameterError
            If it is to be revealed.
        """
        if operation.decrypt:
            raise ParameterError(f"format {self.label!r} is one-way: values can't be revealed")
        Strings.of(values).ascending()
        outcomes = []
        for start in range(0, max(1, len(values)), _SLICE_ROWS):
            part = values.slice(start, _SLICE_ROWS)
            status = np.zeros(len(part), np.uint8)
            own = operation.slice(start, _SLICE_ROWS)
            array = self._replace(Strings.of(part).compact(), own, status)
            outcomes.append(Outcome(array, status, 0))
        return joined(outcomes)

    @abstractmethod
    def _replace(
        self, column: Strings, operation: Operation, status: npt.NDArray[np.uint8]
    ) -> pa.Array:
        """Return the new column; set the status of rows with invalid values."""


def text_of(column: Strings, values: npt.NDArray[np.uint8], offsets: npt.NDArray[Any]) -> pa.Array:
    """Make an array of a column's type and nulls with other text.

    Parameters
    ----------
    column : Strings
        Compact.
    values : numpy.ndarray of uint8
        The text of all rows, in UTF-8.
    offsets : numpy.ndarray of integers, shape (rows + 1,)
        Where each row begins in `values`.

    Raises
    ------
    ParameterError
        The type can't hold as many bytes.
    """
    if int(offsets[-1]) > np.iinfo(column.offsets.dtype).max:
        raise too_large(column.array.type)
    validity = None
    if column.array.null_count:
        valid = column.array.is_valid().to_numpy(zero_copy_only=False)
        validity = bitmap(valid)
    buffers = [validity, pa.py_buffer(offsets.astype(column.offsets.dtype)), pa.py_buffer(values)]
    return pa.Array.from_buffers(column.array.type, len(column.array), buffers)
