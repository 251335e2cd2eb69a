# SPDX-License-Identifier: Apache-2.0
"""Points in time of a range, as text or in a timestamp column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.formats.base import Format, Reason, is_text, status_of
from tallystick.formats.dates import DateFormat
from tallystick.formats.faults import DIGITS, Places, farthest
from tallystick.formats.numbers import RankedFormat, Ranks, replaced
from tallystick.formats.strings import Strings, of_one_width, rows_of_bytes

Resolution = Literal["s", "ms", "us"]

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FRACTION = {"s": 0, "ms": 3, "us": 6}
_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400
_CLOCK = (11, 3600), (14, 60), (17, 1)
"""Where the two digits of hours, minutes and seconds are, and how many seconds each is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampFormat(RankedFormat):
    """The points in time of a range, at a resolution.

    Text is ISO 8601: ``YYYY-MM-DD``, then ``T`` or a space, ``HH:MM:SS``, a point and three digits
    (resolution ``ms``) or six (``us``), and then nothing, ``Z`` or an offset such as ``+02:00``,
    ``+0200`` or ``+02``. The character between date and time and what follows the time stay; date
    and time are replaced as they are written, whatever the offset.

    Attributes
    ----------
    first, last : datetime.datetime
        The ends of the range; both belong to it. Without time zone; those of columns that have one
        are UTC.
    resolution : {"s", "ms", "us"}
        What times are counted in. Columns of a finer unit must have whole ones.
    """

    first: datetime = datetime(1970, 1, 1)
    last: datetime = datetime(2069, 12, 31, 23, 59, 59)
    resolution: Resolution = "s"
    label: str = field(default="timestamp", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no range."""
        if self.resolution not in _FRACTION:
            raise FormatError("timestamp: resolution must be 's', 'ms' or 'us'")
        for name in ("first", "last"):
            end = getattr(self, name)
            if end.tzinfo is not None:
                object.__setattr__(self, name, end.astimezone(UTC).replace(tzinfo=None))
            if end.microsecond % (10**6 // self._unit):
                raise FormatError(
                    f"timestamp: {name} is finer than the resolution {self.resolution!r}; round it"
                )
        if self.first >= self.last:
            raise FormatError("timestamp: first must be before last")
        self.check_domain()

    @property
    def _unit(self) -> int:
        """Units of the resolution in a second."""
        return _PER_SECOND[self.resolution]

    @property
    def _first(self) -> int:
        return self._count(self.first)

    def _count(self, moment: datetime) -> int:
        return (moment - _EPOCH) // timedelta(microseconds=10**6 // self._unit)

    @property
    def identity(self) -> Sequence[object]:
        """The range, in units of the resolution since 1970, and the resolution."""
        return ("timestamp", self._first, self._count(self.last), self.resolution)

    @property
    def size(self) -> int:
        """The points in time of the range."""
        return self._count(self.last) - self._first + 1

    @property
    def examples(self) -> tuple[str, ...]:
        """A point in the middle, in two notations."""
        middle = self.first + (self.last - self.first) / 2
        spec = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}[self.resolution]
        text = middle.isoformat(timespec=spec)
        return (text.replace("T", " "), f"{text}Z")

    def accepts(self, kind: pa.DataType) -> bool:
        """Accept text, and timestamps of at least the resolution that hold the range."""
        if is_text(kind):
            return True
        if not pa.types.is_timestamp(kind) or _PER_SECOND[kind.unit] < self._unit:
            return False
        finer = _PER_SECOND[kind.unit] // self._unit
        return all(abs(self._count(end) * finer) < 2**63 for end in (self.first, self.last))

    def refusal(self, kind: pa.DataType) -> str:
        """Say why a column of a type that is not accepted can't have this format."""
        if pa.types.is_timestamp(kind):
            return (
                f"type {kind} can't hold the range at resolution {self.resolution!r}; change "
                "resolution, first or last"
            )
        return Format.refusal(self, kind)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        fraction = "." + "0" * self._digits if self._digits else ""
        return farthest(value, (_places(fraction + offset) for offset in _OFFSETS))

    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        if is_text(values.type):
            numbers, status = self._read(values)
        else:
            finer = _PER_SECOND[values.type.unit] // self._unit
            numbers = values.view(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
            status = np.zeros(len(numbers), np.uint8)
            if finer != 1:
                numbers, rest = np.divmod(numbers, finer)
                status[rest != 0] = status_of(Reason.NOTATION)
        # What is before the first is far behind the last, modulo 2**64.
        ranks = np.subtract(numbers, self._first, dtype=np.int64).view(np.uint64)
        status[(ranks >= self.size) & (status == 0)] = status_of(Reason.RANGE)
        return ranks, status

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        ranks[~rows] = 0  # of no meaning, maybe beyond the range
        numbers = ranks.view(np.int64) + self._first
        if is_text(values.type):
            return self._write(numbers, rows, values)
        numbers *= _PER_SECOND[values.type.unit] // self._unit
        return replaced(values.view(pa.int64()), rows, numbers).view(values.type)

    @property
    def _digits(self) -> int:
        """Digits of a second's fraction."""
        return _FRACTION[self.resolution]

    @property
    def _width(self) -> int:
        """Bytes of a date and time."""
        return 19 + (self._digits + 1 if self._digits else 0)

    @property
    def _pattern(self) -> str:
        fraction = rf"\.[0-9]{{{self._digits}}}" if self._digits else ""
        clock = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
        offset = "(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?"
        return rf"\A[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{clock}{fraction}{offset}\z"

    def _read(self, values: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        Strings.of(values).ascending()
        fits = pc.match_substring_regex(values, self._pattern).fill_null(False)
        blank = "0001-01-01 00:00:00.000000"[: self._width]
        texts = _matrix(pc.if_else(fits, values, blank), self._width)
        days, status = _CALENDAR._ranks(of_one_width(texts[:, :10]))
        digits = texts.astype(np.int64) - ord("0")
        seconds = (days.view(np.int64) + _CALENDAR._epoch_first) * _DAY
        for place, worth in _CLOCK:
            seconds += (digits[:, place] * 10 + digits[:, place + 1]) * worth
        numbers = seconds * self._unit
        for place in range(self._digits):
            numbers += digits[:, 20 + place] * 10 ** (self._digits - 1 - place)
        status[~fits.to_numpy(zero_copy_only=False)] = status_of(Reason.NOTATION)
        return numbers, status

    def _write(
        self, numbers: npt.NDArray[np.int64], rows: npt.NDArray[np.bool_], values: pa.Array
    ) -> pa.Array:
        """Write times over those rows, and leave what stands between and behind."""
        chosen = pa.array(rows)
        blank = "0001-01-01 00:00:00.000000"[: self._width]
        times = pc.if_else(chosen, values, blank)  # the others may be no UTF-8
        texts = _matrix(times, self._width).copy()
        seconds, fraction = np.divmod(numbers, self._unit)
        days, clock = np.divmod(seconds, _DAY)
        ranks = (days - _CALENDAR._epoch_first).view(np.uint64)
        dates = _CALENDAR._unranked(
            ranks, np.ones(len(rows), np.bool_), of_one_width(texts[:, :10])
        )
        texts[:, :10] = _matrix(dates, 10)
        for place, worth in _CLOCK:
            part, clock = np.divmod(clock, worth)
            texts[:, place], texts[:, place + 1] = part // 10 + ord("0"), part % 10 + ord("0")
        for place in range(self._width - 1, 19, -1):
            fraction, digit = np.divmod(fraction, 10)
            texts[:, place] = digit + ord("0")
        behind = pc.utf8_slice_codeunits(times, self._width).fill_null("")
        new = pc.binary_join_element_wise(
            of_one_width(texts).cast(values.type), behind, pa.scalar("", values.type)
        )
        return pc.if_else(chosen, new, values)


_OFFSETS = ("", "Z", "+00", "+0000", "+00:00")


def _places(behind: str) -> Places:
    """Return what may stand at each place of a time, with what is behind its seconds."""
    classes = {"0": DIGITS, "T": "T ", "+": "+-"}
    return [classes.get(one, one) for one in "0000-00-00T00:00:00" + behind]


_CALENDAR = DateFormat(first=datetime(1, 1, 1).date(), last=datetime(9999, 12, 31).date())
"""Reads and writes the days of all years that have four digits."""


def _matrix(texts: pa.Array, width: int) -> npt.NDArray[np.uint8]:
    """Return the first bytes of rows that are ASCII and have at least so many."""
    cut = pc.utf8_slice_codeunits(texts.fill_null("0" * width), 0, width)
    return rows_of_bytes(cut, width)
