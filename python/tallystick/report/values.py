# SPDX-License-Identifier: Apache-2.0
"""How long the values of a column are, and how often each symbol occurs; no value is kept."""

from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.formats.format import is_text
from tallystick.inspection.distinct import bytes_of

LONGEST = 255
"""Longer values are counted as of this length."""
ENOUGH_VALUES = 100
"""With fewer different values, nothing is shown: frequencies could reveal them."""
ENOUGH_ROWS = 10
"""Symbols and lengths of fewer rows are shown as one."""

_FIRST_ROWS = 1 << 8  # common symbols are in enough of them
_LOOKED_AT = 1 << 12
_UNKNOWN = 0xFFFD

Counts = npt.NDArray[np.int64]


class ValueStatistics:
    """The lengths and symbols of values, added up batch by batch, by any number of threads.

    A symbol is a character. Values that are not text are counted as in CSV.

    Attributes
    ----------
    lengths : numpy.ndarray of int64, shape (LONGEST + 1,)
        Values of each length in characters.
    symbols : numpy.ndarray of int64
        How often each code point occurs.
    rows : numpy.ndarray of int64
        In how many rows each code point occurs: exact up to `ENOUGH_ROWS`, at least these above.
    foreign : pyarrow.DataType or None
        A type that can't be written as text; nothing is counted of it.
    """

    def __init__(self) -> None:
        self.lengths: Counts = np.zeros(LONGEST + 1, np.int64)
        self.symbols: Counts = np.zeros(128, np.int64)
        self.rows: Counts = np.zeros(128, np.int64)
        self.foreign: pa.DataType | None = None
        self._different: set[int] = set()
        self._lock = Lock()

    @property
    def counted(self) -> int:
        """The values that were counted."""
        return int(self.lengths.sum())

    @property
    def enough(self) -> bool:
        """Whether there were `ENOUGH_VALUES` different values."""
        return len(self._different) >= ENOUGH_VALUES

    def add(self, values: pa.Array) -> None:
        """Count the values of a batch; nulls are none."""
        present = values.drop_null() if values.null_count else values
        if len(present) == 0:
            return
        texts = _texts(present)
        if texts is None:
            self.foreign = values.type
            return
        self._look(texts)
        codes, bounds = _characters(texts)
        lengths = np.bincount(np.minimum(np.diff(bounds), LONGEST), minlength=LONGEST + 1)
        symbols = np.bincount(codes, minlength=128)
        rows = self._rows(codes, bounds, symbols > 0)
        with self._lock:
            self.lengths += lengths
            self.symbols = _sum(self.symbols, symbols)
            self.rows = _sum(self.rows, rows)

    def _look(self, texts: pa.Array) -> None:
        """Count different values, up to as many as are asked for."""
        for start in range(0, len(texts), _LOOKED_AT):
            if self.enough:
                return
            found = pc.unique(texts.slice(start, _LOOKED_AT))[:ENOUGH_VALUES]
            new = {hash(value) for value in found.cast(_binary(found.type)).to_pylist()}
            with self._lock:
                self._different |= new

    def _rows(
        self, codes: npt.NDArray[Any], bounds: npt.NDArray[Any], wanted: npt.NDArray[np.bool_]
    ) -> Counts:
        """Count the rows of symbols that are not known to be in enough of them."""
        known, size = self.rows, len(wanted)
        rows = np.zeros(size, np.int64)
        rows[: len(known)] = known[:size]
        before = rows.copy()
        start, end = 0, _FIRST_ROWS
        while start < len(bounds) - 1:
            sought = wanted & (rows < ENOUGH_ROWS)
            if not sought.any():
                break
            end = min(end, len(bounds) - 1)
            part = codes[bounds[start] : bounds[end]]
            places = np.flatnonzero(sought[part])
            row = np.searchsorted(bounds, places + bounds[start], "right")
            pairs = np.unique(row * size + part[places])
            rows += np.bincount(pairs % size, minlength=size)
            start, end = end, 16 * end
        return rows - before


def _texts(values: pa.Array) -> pa.Array | None:
    if is_text(values.type):
        return values
    try:
        return values.cast(pa.string())
    except pa.ArrowException:
        return None


def _binary(kind: pa.DataType) -> pa.DataType:
    return pa.large_binary() if kind in (pa.large_string(), pa.large_binary()) else pa.binary()


def _characters(texts: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the code points of a column, and where those of each row begin."""
    offsets, values = bytes_of(texts)
    if len(values) == 0 or values.max() < 0x80:
        return values, offsets
    begins = (values & 0xC0) != 0x80
    before = np.zeros(len(values) + 1, np.int64)
    np.cumsum(begins, out=before[1:])
    try:
        text = values.tobytes().decode()
    except UnicodeDecodeError:  # from Parquet; such values fit no format
        codes = values[begins].astype(np.uint32)
        codes[codes >= 0x80] = _UNKNOWN
    else:
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return codes, before[offsets]


def _sum(one: Counts, other: Counts) -> Counts:
    """Add counts of unlike numbers of symbols."""
    short, long = sorted((one, other), key=len)
    total = long.copy()
    total[: len(short)] += short
    return total
