# SPDX-License-Identifier: Apache-2.0
"""Formats whose values are counted: integers of a range, and dates of one.

A value's rank in its range is permuted by cycle walking; ``docs/fast.md`` proves that it ends.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.fast import FastCipher, range_radix
from tallystick.formats.base import (
    MAX_TWEAK,
    SMALL_DOMAIN,
    Format,
    Outcome,
    Reason,
    is_text,
    status_of,
)
from tallystick.formats.strings import Strings

Ranks = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFormat(Format):
    """A format that numbers its values 0..size-1."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many values there are; 2..2**64."""

    @property
    def radix(self) -> int:
        """The radix whose words carry the range."""
        return range_radix(self.size)

    @property
    def smallest_domain(self) -> int:
        """The size of the range."""
        return self.size

    @abstractmethod
    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        """Rank every row; also the status of each, with which the rank means nothing unless 0.

        Null rows have status 0 and any rank below the size.
        """

    @abstractmethod
    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        """Return `values` with those of the chosen rows replaced by the ones of `ranks`."""

    def transform(
        self,
        cipher: FastCipher,
        values: pa.Array,
        tweak: bytes,
        row_tweaks: pa.Array | None,
        *,
        decrypt: bool,
    ) -> Outcome:
        """Encrypt or decrypt a column."""
        ranks, status = self._ranks(values)
        valid = np.ones(len(values), np.bool_)
        if values.null_count:
            valid = values.is_valid().to_numpy(zero_copy_only=False)
        if row_tweaks is not None:
            status[_lost_tweaks(row_tweaks, MAX_TWEAK - len(tweak))] = status_of(Reason.TWEAK)
        status[~valid] = 0
        rows = valid & (status == 0)
        function = cipher.decrypt_range if decrypt else cipher.encrypt_range
        chosen = ranks[rows]
        if row_tweaks is None:
            chosen = function(self.size, chosen, tweak)
        else:
            tweaks = Strings.of(row_tweaks)
            raw = tweaks.values.tobytes()
            for i, row in enumerate(np.flatnonzero(rows)):
                own = raw[tweaks.offsets[row] : tweaks.offsets[row + 1]]
                chosen[i : i + 1] = function(self.size, chosen[i : i + 1], tweak + own)
        small = len(chosen) if self.size < SMALL_DOMAIN else 0
        return Outcome(self._unranked(chosen, rows, values), status, small)


def _lost_tweaks(row_tweaks: pa.Array, room: int) -> npt.NDArray[np.bool_]:
    """Say which rows have no tweak, or one that is too long."""
    lost = np.diff(Strings.of(row_tweaks).offsets) > room
    if row_tweaks.null_count:
        lost |= row_tweaks.is_null().to_numpy(zero_copy_only=False)
    return lost


def _replaced(
    values: pa.Array, rows: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64] | Ranks
) -> pa.Array:
    """Return an integer array with the chosen rows replaced."""
    dtype = values.type.to_pandas_dtype()
    plain = values.fill_null(0).to_numpy(zero_copy_only=False).copy()
    plain[rows] = numbers.astype(dtype)
    mask = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(plain, values.type, mask=mask)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerFormat(RankedFormat):
    """The integers of a range, in an integer column or as decimal text.

    Text is an optional minus and at most 18 digits without leading zeros; its length may change.

    Attributes
    ----------
    min, max : int
        The first and the last integer, within -2**63 .. 2**64-1 and at most 2**64 of them.
    """

    min: int
    max: int
    label: str = field(default="integer", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no range."""
        if not (-(2**63) <= self.min < self.max < 2**64 and self.size <= 2**64):
            raise FormatError(
                "integer: min is below max, both within -2**63 .. 2**64-1, and there are at most "
                "2**64 integers between them"
            )
        self.check_domain()

    @property
    def identity(self) -> Sequence[object]:
        """The range."""
        return ("integer", self.min, self.max)

    @property
    def size(self) -> int:
        """The integers of the range."""
        return self.max - self.min + 1

    @property
    def examples(self) -> tuple[str, ...]:
        """The ends of the range."""
        return (str(self.min), str(self.max))

    def accepts(self, kind: pa.DataType) -> bool:
        """Accept integers whose type holds the range, and text."""
        if is_text(kind):
            return self.min > -(10**18) and self.max < 10**18
        if not pa.types.is_integer(kind):
            return False
        limits = np.iinfo(kind.to_pandas_dtype())
        return bool(limits.min <= self.min and self.max <= limits.max)

    def refusal(self, kind: pa.DataType) -> str:
        """Say why a column of a type that is not accepted can't have this format."""
        if is_text(kind):
            return f"as text an integer has at most 18 digits, and {self.min}..{self.max} has more"
        if pa.types.is_integer(kind):
            return f"the range {self.min}..{self.max} does not fit {kind}; narrow min and max"
        return Format.refusal(self, kind)

    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        status = np.zeros(len(values), np.uint8)
        if is_text(values.type):
            written = pc.match_substring_regex(values, r"^(0|-?[1-9][0-9]{0,17})$")
            fits = written.fill_null(False)
            status[~fits.to_numpy(zero_copy_only=False)] = status_of(Reason.NOTATION)
            values = pc.cast(pc.if_else(fits, values, "0"), pa.int64())
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        limits = np.iinfo(numbers.dtype)
        low, high = max(self.min, int(limits.min)), min(self.max, int(limits.max))
        outside = (numbers < low) | (numbers > high)
        status[outside & (status == 0)] = status_of(Reason.RANGE)
        # Modulo 2**64 throughout: the difference of two in range is exact.
        ranks = numbers.astype(np.int64 if limits.min < 0 else np.uint64).view(np.uint64)
        return ranks - np.uint64(self.min % 2**64), status

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        numbers = ranks + np.uint64(self.min % 2**64)
        if not is_text(values.type):
            signed = np.iinfo(values.type.to_pandas_dtype()).min < 0
            return _replaced(values, rows, numbers.view(np.int64) if signed else numbers)
        text = pc.cast(pa.array(numbers.view(np.int64)), values.type)
        return pc.replace_with_mask(values, pa.array(rows), text)


def _counted(values: pa.Array) -> tuple[pa.Array, int]:
    """Return the integers behind a date column, and how many of them are a day."""
    if pa.types.is_date32(values.type):
        return values.cast(pa.int32()), 1
    # Milliseconds; Arrow's rule that they are whole days is not one that it enforces.
    return values.cast(pa.int64()), 86_400_000


_DATE_PARTS = re.compile("YYYY|MM|DD")


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
        if sorted(_DATE_PARTS.findall(self.notation)) != ["DD", "MM", "YYYY"]:
            raise FormatError(
                "date: a notation has YYYY, MM and DD once each, as in 'YYYY-MM-DD' or 'DD.MM.YYYY'"
            )
        if any(not " " <= character <= "~" for character in self.notation):
            raise FormatError("date: a notation is printable ASCII")
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
        return (_DATE_PARTS.sub(lambda match: parts[match[0]], self.notation),)

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

    def _part(self, name: str) -> slice:
        start = self.notation.index(name)
        return slice(start, start + len(name))

    def _parse(self, values: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """Read days since 1970 of every row that has the notation and is a date."""
        column, width = Strings.of(values), len(self.notation)
        status = np.full(len(values), status_of(Reason.NOTATION), np.uint8)
        days = np.zeros(len(values), np.int64)
        rows = np.flatnonzero(np.diff(column.offsets) == width)
        places = column.offsets[:-1][rows, None].astype(np.int64) + np.arange(width)
        text = column.values[places] if len(rows) else np.zeros((0, width), np.uint8)
        pattern = np.frombuffer(self.notation.encode("ascii"), np.uint8)
        literal = np.ones(width, np.bool_)
        for name in ("YYYY", "MM", "DD"):
            literal[self._part(name)] = False
        digits = text - np.uint8(ord("0"))
        fits = np.where(literal, text == pattern, digits <= 9).all(axis=1)

        def number(name: str) -> npt.NDArray[np.int64]:
            part = digits[:, self._part(name)].astype(np.int64)
            powers = 10 ** np.arange(part.shape[1] - 1, -1, -1, dtype=np.int64)
            return np.asarray(part @ powers, np.int64)

        year, month, day = number("YYYY"), number("MM"), number("DD")
        fits &= (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
        months = np.where(fits, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
        first = months.astype("datetime64[D]").astype(np.int64)
        following = (months + 1).astype("datetime64[D]").astype(np.int64)
        fits &= day <= following - first
        status[rows[fits]] = 0
        days[rows[fits]] = (first + day - 1)[fits]
        return days, status

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        days = ranks.view(np.int64) + self._epoch_first
        if is_text(values.type):
            return self._print(days, rows, values)
        plain, unit = _counted(values)
        return _replaced(plain, rows, days * unit).cast(values.type)

    def _print(
        self, days: npt.NDArray[np.int64], rows: npt.NDArray[np.bool_], values: pa.Array
    ) -> pa.Array:
        """Write dates over those rows; each has the width of the notation already."""
        column, width = Strings.of(values).compact(), len(self.notation)
        dates = days.astype("datetime64[D]")
        months = dates.astype("datetime64[M]")
        parts = {
            "YYYY": dates.astype("datetime64[Y]").astype(np.int64) + 1970,
            "MM": months.astype(np.int64) % 12 + 1,
            "DD": (dates - months.astype("datetime64[D]")).astype(np.int64) + 1,
        }
        text = np.empty((len(days), width), np.uint8)
        text[:] = np.frombuffer(self.notation.encode("ascii"), np.uint8)
        for name, numbers in parts.items():
            size = len(name)
            powers = 10 ** np.arange(size - 1, -1, -1)
            text[:, self._part(name)] = numbers[:, None] // powers % 10 + ord("0")
        out = column.values.copy()
        if values.null_count:  # whatever lies under a null is not passed on
            valid = values.is_valid().to_numpy(zero_copy_only=False)
            out[~np.repeat(valid, np.diff(column.offsets))] = 0
        starts = column.offsets[:-1][rows].astype(np.int64)
        out[starts[:, None] + np.arange(width)] = text
        return column.with_values(out)
