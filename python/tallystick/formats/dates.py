# SPDX-License-Identifier: Apache-2.0
"""Calendar dates of a range, in a date column or as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import FormatError
from tallystick.formats.base import Reason, is_text, status_of
from tallystick.formats.notation import Notation
from tallystick.formats.numbers import RankedFormat, Ranks, replaced
from tallystick.formats.strings import Strings


def _counted(values: pa.Array) -> tuple[pa.Array, int]:
    """Return the integers behind a date column, and how many of them are a day."""
    if pa.types.is_date32(values.type):
        return values.cast(pa.int32()), 1
    # Milliseconds; Arrow's rule that they are whole days is not one that it enforces.
    return values.cast(pa.int64()), 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFormat(RankedFormat):
    """The calendar dates of a range, in a date column or as text in one notation.

    Attributes
    ----------
    first, last : datetime.date
        The ends of the range; both belong to it.
    notation : str
        For text: YYYY, MM and DD, each once, with printable ASCII characters around them, such as
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
        Notation(self.notation)
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
        days = np.array([(middle - date(1970, 1, 1)).days])
        return (bytes(np.concatenate(Notation(self.notation).write(days))).decode(),)

    def accepts(self, kind: pa.DataType) -> bool:
        """Accept date32, date64 and text."""
        return is_text(kind) or pa.types.is_date(kind)

    @property
    def _epoch_first(self) -> int:
        return (self.first - date(1970, 1, 1)).days

    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        if is_text(values.type):
            days, status = self._parse(values)
        else:
            plain, unit = _counted(values)
            numbers = plain.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
            days, rest = np.divmod(numbers, unit)
            status = np.where(rest == 0, 0, status_of(Reason.NOTATION)).astype(np.uint8)
        ranks = days - self._epoch_first
        outside = (ranks < 0) | (ranks >= self.size)
        status[outside & (status == 0)] = status_of(Reason.RANGE)
        return ranks.view(np.uint64), status

    def _parse(self, values: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """Read days since 1970 of every row that has the notation and is a date."""
        column, notation = Strings.of(values), Notation(self.notation)
        status = np.full(len(values), status_of(Reason.NOTATION), np.uint8)
        days = np.zeros(len(values), np.int64)
        rows = np.flatnonzero(np.diff(column.offsets) == notation.width)
        starts = column.offsets[:-1][rows]
        fits, found = notation.read([column.values[starts + i] for i in range(notation.width)])
        status[rows[fits]] = 0
        days[rows[fits]] = found[fits]
        return days, status

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        days = ranks.view(np.int64) + self._epoch_first
        if is_text(values.type):
            return self._print(days, rows, values)
        plain, unit = _counted(values)
        return replaced(plain, rows, days * unit).cast(values.type)

    def _print(
        self, days: npt.NDArray[np.int64], rows: npt.NDArray[np.bool_], values: pa.Array
    ) -> pa.Array:
        """Write dates over those rows; each has the width of the notation already."""
        column = Strings.of(values).compact()
        out = column.values.copy()
        if values.null_count:  # whatever lies under a null is not passed on
            valid = values.is_valid().to_numpy(zero_copy_only=False)
            out[~np.repeat(valid, np.diff(column.offsets))] = 0
        starts = column.offsets[:-1][rows]
        for i, characters in enumerate(Notation(self.notation).write(days)):
            out[starts + i] = characters
        return column.with_values(out)
