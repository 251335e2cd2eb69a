# SPDX-License-Identifier: Apache-2.0
"""Statistics of a column for a report, gathered during a run."""

from threading import Lock

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.formats.format import REASONS, Reason
from tallystick.paths import Rows, rows_of
from tallystick.report.values import ValueStatistics

COUNTED_ROWS = 1024
"""Rows of a batch of a large file whose lengths and symbols are counted; or a sixteenth of it."""
MOST_ROW_NUMBERS = 100
"""Rejected rows that are listed for each reason, at most: the first ones."""


class ColumnStatistics:
    """A column before and after, and its rows with invalid values.

    Parameters
    ----------
    whole : bool
        Whether lengths and symbols are counted of all rows, and not of each batch's first ones.
        Batches come from all over a file, so a part of each tells as much about a large file,
        and takes much less time.

    Attributes
    ----------
    before, after : ValueStatistics
        Its values, nulls apart.
    rejected : dict of Reason to list of int
        The first rows with invalid values, from 0, at most `MOST_ROW_NUMBERS` for each reason.
    """

    def __init__(self, *, whole: bool = True) -> None:
        self._whole = whole
        self.before = ValueStatistics()
        self.after = ValueStatistics()
        self.rejected: dict[Reason, list[int]] = {}
        self._lock = Lock()

    def add(
        self, before: pa.Array, after: pa.Array, status: npt.NDArray[np.uint8], rows: Rows
    ) -> None:
        """Take a batch; any thread may, in any order.

        Parameters
        ----------
        before, after : pyarrow.Array
            Its values.
        status : numpy.ndarray of uint8, shape (rows,)
            As of `tallystick.formats.Outcome`.
        rows : int or numpy.ndarray of int64
            Where it begins in the file, from 0; of a column in a list, the row of each value.
        """
        counted = len(before) if self._whole else max(COUNTED_ROWS, len(before) // 16)
        self.before.add(before.slice(0, counted))
        self.after.add(after.slice(0, counted))
        for code in np.flatnonzero(np.bincount(status)[1:]) + 1:
            reason = REASONS[code]
            if reason is None:
                continue
            numbers = rows_of(rows, np.flatnonzero(status == code)[:MOST_ROW_NUMBERS])
            with self._lock:
                found = sorted(self.rejected.get(reason, []) + numbers.tolist())
                self.rejected[reason] = found[:MOST_ROW_NUMBERS]
