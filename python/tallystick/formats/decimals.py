# SPDX-License-Identifier: Apache-2.0
"""Decimal numbers of a range, with so many digits after the point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.formats.base import Format, Reason, is_text, status_of
from tallystick.formats.faults import first_in_number
from tallystick.formats.numbers import RankedFormat, Ranks
from tallystick.formats.strings import Strings, bitmap

MAX_SCALE = 18
_TEXT_BOUND = 10**18
"""Unscaled numbers in text are smaller than this in size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecimalFormat(RankedFormat):
    """The decimal numbers of a range, as text in fixed notation or in a decimal128 column.

    Text is an optional minus, an integer without leading zeros, a point, and `scale` digits; no
    point if `scale` is 0, and zero has no minus. Its length may change.

    Attributes
    ----------
    min, max : decimal.Decimal
        The first and the last number. Times 10**scale they are integers within
        -2**63 .. 2**64-1, at most 2**64 of them.
    scale : int
        Digits after the point, 0..18; those of a decimal128 column must be as many.
    """

    min: Decimal
    max: Decimal
    scale: int
    label: str = field(default="decimal", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no range."""
        if not 0 <= self.scale <= MAX_SCALE:
            raise FormatError(f"decimal: scale must be 0..{MAX_SCALE}")
        for end in (self.min, self.max):
            if not end.is_finite() or abs(end) >= 2**65 or end != self._value(self._unscaled(end)):
                raise FormatError(
                    f"decimal: min and max must be numbers with at most {self.scale} digits after "
                    "the point (scale)"
                )
        if not (-(2**63) <= self._first < self._last < 2**64 and self.size <= 2**64):
            raise FormatError(
                "decimal: min must be below max, both times 10**scale within -2**63 .. 2**64-1; "
                "the range has at most 2**64 numbers"
            )
        self.check_domain()

    def _unscaled(self, value: Decimal) -> int:
        return int(value.scaleb(self.scale))

    def _value(self, unscaled: int) -> Decimal:
        return Decimal(unscaled).scaleb(-self.scale)

    @property
    def _first(self) -> int:
        return self._unscaled(self.min)

    @property
    def _last(self) -> int:
        return self._unscaled(self.max)

    @property
    def identity(self) -> Sequence[object]:
        """The range and the scale."""
        return ("decimal", self._first, self._last, self.scale)

    @property
    def size(self) -> int:
        """The numbers of the range."""
        return self._last - self._first + 1

    @property
    def examples(self) -> tuple[str, ...]:
        """The ends of the range."""
        return tuple(f"{self._value(end):.{self.scale}f}" for end in (self._first, self._last))

    def accepts(self, kind: pa.DataType) -> bool:
        """Accept decimal128 of the scale that holds the range, and text."""
        if is_text(kind):
            return self._first > -_TEXT_BOUND and self._last < _TEXT_BOUND
        if not pa.types.is_decimal128(kind) or kind.scale != self.scale:
            return False
        return bool(max(abs(self._first), abs(self._last)) < 10**kind.precision)

    def refusal(self, kind: pa.DataType) -> str:
        """Say why a column of a type that is not accepted can't have this format."""
        if is_text(kind):
            return (
                "in text, a decimal has at most 18 digits, but the range has more; narrow min and "
                "max, or convert the column"
            )
        if pa.types.is_decimal128(kind):
            return (
                f"type {kind} can't hold the range of format {self.label!r} at scale "
                f"{self.scale}; cast the column, or change scale, min and max"
            )
        return Format.refusal(self, kind)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        return first_in_number(value, point=self.scale > 0)

    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        return self._read(values) if is_text(values.type) else self._from_column(values)

    def _from_column(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        words = _words(values)
        ranks = words[:, 0].view(np.uint64) - np.uint64(self._first % 2**64)
        # The upper word of a number of the range follows from its sign.
        below = np.uint64(max(0, -self._first))
        upper = np.where(ranks < below, -1, 0)
        outside = (ranks > np.uint64(self.size - 1)) | (words[:, 1] != upper)
        status = np.where(outside, status_of(Reason.RANGE), 0).astype(np.uint8)
        return ranks, status

    def _read(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        Strings.of(values).ascending()
        fits = _true(pc.match_substring_regex(values, self._pattern))
        status = np.where(fits, 0, status_of(Reason.NOTATION)).astype(np.uint8)
        plain = pc.if_else(pa.array(fits), values, "0")
        numbers = pc.replace_substring(plain, ".", "").cast(pa.int64())
        numbers = numbers.to_numpy(zero_copy_only=False)
        outside = fits & ((numbers < self._first) | (numbers > self._last))
        status[outside] = status_of(Reason.RANGE)
        return numbers.view(np.uint64) - np.uint64(self._first % 2**64), status

    @property
    def _pattern(self) -> str:
        """What text looks like; a minus before zeros alone is refused by what no zero has."""
        whole = 18 - self.scale
        if self.scale == 0:
            return r"\A(?:0|-?[1-9][0-9]{0,17})\z"
        point = rf"\.[0-9]{{{self.scale}}}\z"
        nonzero = "|".join(
            rf"0{{{zeros}}}[1-9][0-9]{{{self.scale - zeros - 1}}}" for zeros in range(self.scale)
        )
        more = rf"|-?[1-9][0-9]{{0,{whole - 1}}}{point}" if whole else ""
        return rf"\A(?:0{point}|-0\.(?:{nonzero})\z{more})"

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        ranks[~rows] = 0  # of no meaning, maybe beyond the range
        below = ranks < np.uint64(max(0, -self._first))
        numbers = (ranks + np.uint64(self._first % 2**64)).view(np.int64)
        if is_text(values.type):
            return pc.if_else(pa.array(rows), self._written(numbers, values.type), values)
        words = _words(values).copy()
        words[rows, 0] = numbers[rows]
        words[rows, 1] = np.where(below, -1, 0)[rows]
        valid = None
        if values.null_count:
            present = values.is_valid().to_numpy(zero_copy_only=False)
            words[~present] = 0
            valid = bitmap(present)
        buffers = [valid, pa.py_buffer(words)]
        return pa.Array.from_buffers(values.type, len(values), buffers, values.null_count)

    def _written(self, numbers: npt.NDArray[np.int64], kind: pa.DataType) -> pa.Array:
        whole, rest = np.divmod(np.abs(numbers), 10**self.scale)
        sign = pc.if_else(pa.array(numbers < 0), pa.scalar("-", kind), pa.scalar("", kind))
        parts = [sign, pa.array(whole).cast(kind)]
        if self.scale:
            digits = pc.utf8_lpad(pa.array(rest).cast(kind), self.scale, "0")
            parts += [pa.scalar(".", kind), digits]
        return pc.binary_join_element_wise(*parts, pa.scalar("", kind))


def _words(values: pa.Array) -> npt.NDArray[np.int64]:
    """Return the two words of each number, the lower one first."""
    held = values.buffers()[1]
    if held is None or len(values) == 0:
        return np.zeros((len(values), 2), np.int64)
    return np.frombuffer(held, "<i8", 2 * len(values), 16 * values.offset).reshape(-1, 2)


def _true(found: pa.Array) -> npt.NDArray[np.bool_]:
    """Return which rows are true; null rows are not."""
    return np.asarray(found.fill_null(False).to_numpy(zero_copy_only=False))


def decimal_of(value: object, name: str) -> Decimal:
    """Read an end of a range.

    Raises
    ------
    FormatError
        If it is no number.
    """
    try:
        if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
            return Decimal(value)
    except InvalidOperation:
        pass
    raise FormatError(
        f'decimal: {name} must be a number in text, such as "0.00", or a whole number'
    )
