# SPDX-License-Identifier: Apache-2.0
"""Notations of dates, such as ``DD.MM.YYYY``: whole columns of text to days and back.

A column is handled as its characters by place, since then every step is one array operation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from tallystick.errors import FormatError

Characters = npt.NDArray[np.uint8]
"""One character of every row, shape (rows,)."""

Numbers = npt.NDArray[np.int32]

_PARTS = re.compile("YYYY|MM|DD")
_LAST_YEAR = 9999


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write dates.

    Attributes
    ----------
    pattern : str
        YYYY, MM and DD, each once, with printable ASCII characters around them.
    """

    pattern: str

    def __post_init__(self) -> None:
        """Refuse what is no notation."""
        if sorted(_PARTS.findall(self.pattern)) != ["DD", "MM", "YYYY"]:
            raise FormatError(
                "date: a notation has YYYY, MM and DD once each, as in 'YYYY-MM-DD' or 'DD.MM.YYYY'"
            )
        if any(not " " <= character <= "~" for character in self.pattern):
            raise FormatError("date: a notation is printable ASCII")

    @property
    def width(self) -> int:
        """The characters of a date."""
        return len(self.pattern)

    def _places(self, part: str) -> range:
        start = self.pattern.index(part)
        return range(start, start + len(part))

    def read(
        self, text: Sequence[Characters]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Read dates.

        Parameters
        ----------
        text : sequence of numpy.ndarray of uint8, shape (rows,)
            As many as the notation is wide.

        Returns
        -------
        fits : numpy.ndarray of bool, shape (rows,)
            Whether the row is a date in this notation.
        days : numpy.ndarray of int64, shape (rows,)
            Days since 1970-01-01 of rows that fit.
        """
        fits = np.ones(len(text[0]), np.bool_)
        digits = {place for part in ("YYYY", "MM", "DD") for place in self._places(part)}
        for place, characters in enumerate(text):
            if place in digits:
                fits &= (characters - np.uint8(ord("0"))) <= 9
            else:
                fits &= characters == ord(self.pattern[place])

        def number(part: str) -> Numbers:
            total = np.zeros(len(fits), np.int32)
            for place in self._places(part):
                total = total * np.int32(10) + (text[place] - np.uint8(ord("0")))
            return total

        year, month, day = number("YYYY"), number("MM"), number("DD")
        fits &= (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
        months = np.where(fits, year * 12 + month - 13, 0)
        first, following = _months()[months], _months()[months + 1]
        fits &= day <= following - first
        return fits, (first + day - 1).astype(np.int64)

    def write(self, days: npt.NDArray[np.int64]) -> list[Characters]:
        """Write dates: the inverse of `read`, for days of the years 1 to 9999."""
        starts = _months()
        # 400 years are 4,800 months and 146,097 days; that is off by one month at most.
        months = (days - starts[0]) * 4800 // 146_097
        months += starts[months + 1] <= days
        months -= starts[months] > days
        day = days - starts[months] + 1
        numbers = {"YYYY": months // 12 + 1, "MM": months % 12 + 1, "DD": day}
        text = [np.full(len(days), ord(character), np.uint8) for character in self.pattern]
        for part, values in numbers.items():
            rest = values.astype(np.int32)
            for place in reversed(self._places(part)):
                text[place] = (rest % 10 + ord("0")).astype(np.uint8)
                rest //= 10
        return text


@cache
def _months() -> Numbers:
    """List the first day, since 1970, of every month from year 1 on, and of two after the last."""
    months = np.arange("0001-01", f"{_LAST_YEAR + 1}-03", dtype="datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int32)
