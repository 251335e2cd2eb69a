# SPDX-License-Identifier: Apache-2.0
"""Calendar dates of a range, in a date column or as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.errors import FormatError
from tallystick.formats.base import Reason, is_text, status_of
from tallystick.formats.faults import DIGITS, farthest
from tallystick.formats.notation import PARTS, check_notation
from tallystick.formats.numbers import RankedFormat, Ranks, replaced
from tallystick.formats.strings import Strings
from tallystick.memory import check


def _counted(values: pa.Array) -> tuple[pa.Array, int]:
    """Return the integers behind a date column, and how many of them are a day."""
    if pa.types.is_date32(values.type):
        return values.view(pa.int32()), 1
    # Milliseconds; Arrow's rule that they are whole days is not one that it enforces.
    return values.view(pa.int64()), 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFormat(RankedFormat):
    """The calendar dates of a range, in a date column or as text in one notation.

    Attributes
    ----------
    first, last : datetime.date
        The ends of the range; both belong to it.
    notation : str
        For text: YYYY, MM and DD, each once, with printable ASCII characters around them, at most
        64 characters in all, such as
        ``YYYY-MM-DD``, ``YYYYMMDD``, ``DD.MM.YYYY`` or ``MM/DD/YYYY``. Tokens do not depend on it.
    """

    first: date = date(1900, 1, 1)
    last: date = date(2099, 12, 31)
    notation: str = "YYYY-MM-DD"
    label: str = field(default="date", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no range or notation."""
        if self.first >= self.last:
            raise FormatError("date: first must be before last")
        check_notation(self.notation)
        self.check_domain()

    @property
    def identity(self) -> Sequence[object]:
        """The range, whatever the notation."""
        return ("date", self.first.isoformat(), self.last.isoformat())

    @property
    def size(self) -> int:
        """The days of the range."""
        return (self.last - self.first).days + 1

    @property
    def examples(self) -> tuple[str, ...]:
        """A date in the notation."""
        middle = date.fromordinal((self.first.toordinal() + self.last.toordinal()) // 2)
        parts = {"YYYY": f"{middle.year:04}", "MM": f"{middle.month:02}", "DD": f"{middle.day:02}"}
        return (PARTS.sub(lambda part: parts[part[0]], self.notation),)

    def accepts(self, kind: pa.DataType) -> bool:
        """Accept date32, date64 and text."""
        return is_text(kind) or pa.types.is_date(kind)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        parts = re.split(f"({PARTS.pattern})", self.notation)
        places = [DIGITS if PARTS.fullmatch(part) else one for part in parts for one in part]
        return farthest(value, [places])

    @property
    def _epoch_first(self) -> int:
        return (self.first - date(1970, 1, 1)).days

    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        if is_text(values.type):
            return self._read(values)
        plain, unit = _counted(values)
        numbers = plain.fill_null(0).to_numpy(zero_copy_only=False)
        status = np.zeros(len(numbers), np.uint8)
        if unit != 1:
            numbers, rest = np.divmod(numbers, unit)
            status[rest != 0] = status_of(Reason.NOTATION)
        # What is before the first day is far behind the last one, modulo 2**64.
        ranks = np.subtract(numbers, self._epoch_first, dtype=np.int64).view(np.uint64)
        outside = ranks >= self.size
        status[outside & (status == 0)] = status_of(Reason.RANGE)
        return ranks, status

    def _read(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        """Read a column of text."""
        ranks, status = np.empty(len(values), np.uint64), np.empty(len(values), np.uint8)
        dates, held = _native(self)
        result = lib.tally_dates_read(
            dates,
            Strings.of(values).native(),
            ffi.cast("uint64_t *", ranks.ctypes.data),
            ffi.cast("uint8_t *", status.ctypes.data),
        )
        del held  # what `dates` points to lived until here
        check(result, f"column of format {self.label}")
        return ranks, status

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        if is_text(values.type):
            return self._write(ranks, rows, values)
        plain, unit = _counted(values)
        numbers = ranks.view(np.int64)
        numbers += self._epoch_first
        if unit != 1:
            numbers *= unit
        return replaced(plain, rows, numbers).view(values.type)

    def _write(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        """Write dates over those rows; each has the width of the notation already."""
        column = Strings.of(values).compact()
        out, passed_over = pa.allocate_buffer(len(column.values)), ~rows
        dates, held = _native(self)
        result = lib.tally_dates_write(
            dates,
            column.native(),
            ffi.cast("uint64_t *", ranks.ctypes.data),
            ffi.cast("uint8_t *", passed_over.ctypes.data),
            ffi.cast("uint8_t *", out.address),
        )
        del held
        check(result, f"column of format {self.label}")
        return column.with_values(out)


@cache
def _native(form: DateFormat) -> tuple[Any, Any]:
    """Make the core's ``tally_dates``, and what it points to."""
    notation = ffi.new("uint8_t[]", form.notation.encode("ascii"))
    days = [(day - date(1970, 1, 1)).days for day in (form.first, form.last)]
    return ffi.new("tally_dates *", (notation, len(form.notation), *days)), notation
