# SPDX-License-Identifier: Apache-2.0
"""Columns of text as NumPy's arrays, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.arrow import sound

_WIDE = (pa.large_string(), pa.large_binary())


def bytes_of(array: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """Return where each row begins, from 0, and the bytes of all rows.

    Parameters
    ----------
    array : pyarrow.Array of text or binary
        n rows.

    Returns
    -------
    tuple of numpy.ndarray
        n + 1 offsets, and the bytes.

    Raises
    ------
    ParameterError
        The array is damaged.
    """
    array = sound(array)
    kind = np.dtype(np.int64 if array.type in _WIDE else np.int32)
    _, held, values = array.buffers()
    if not len(array) or values is None:
        return np.zeros(len(array) + 1, kind), np.zeros(0, np.uint8)
    offsets = np.frombuffer(held, kind, len(array) + 1, array.offset * kind.itemsize)
    return offsets - offsets[0], np.frombuffer(values, np.uint8)[offsets[0] : offsets[-1]]
