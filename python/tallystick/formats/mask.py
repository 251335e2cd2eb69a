# SPDX-License-Identifier: Apache-2.0
"""Text of which only some characters at the ends are left to see; no key is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import FormatError, ParameterError
from tallystick.formats.one_way import OneWayFormat, text_of
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings

_MOST = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskFormat(OneWayFormat):
    """Text whose characters are hidden but for some at the ends.

    A value that would show more characters than it hides is hidden whole.

    Attributes
    ----------
    keep_first, keep_last : int
        Characters at either end that stay; 0..1024.
    character : str
        What stands for a hidden character: one of printable ASCII.
    separators : str
        ASCII characters that stay in their place and are not counted.
    width : int or None
        If given, what is hidden is written as so many characters, 1..1024, however many it had,
        and separators go: the length does not show.
    """

    keyed: ClassVar[bool] = False

    keep_first: int = 0
    keep_last: int = 0
    character: str = "*"
    separators: str = " -"
    width: int | None = None
    label: str = field(default="mask", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no mask."""
        if not (0 <= self.keep_first <= _MOST and 0 <= self.keep_last <= _MOST):
            raise FormatError(f"mask: keep_first and keep_last must be 0..{_MOST}")
        if self.width is not None and not 1 <= self.width <= _MOST:
            raise FormatError(f"mask: width must be 1..{_MOST}")
        if len(self.character) != 1 or not " " <= self.character <= "~":
            raise FormatError("mask: character must be one printable ASCII character")
        if any(not " " <= separator <= "~" for separator in self.separators):
            raise FormatError("mask: separators must be printable ASCII")

    @property
    def identity(self) -> Sequence[object]:
        """All of it."""
        return (
            *("mask", self.keep_first, self.keep_last, self.character),
            *("".join(sorted(set(self.separators))), self.width or 0),
        )

    @property
    def examples(self) -> tuple[str, ...]:
        """A card number."""
        return ("4111 1111 1111 1111",)

    def _replace(
        self, column: Strings, operation: Operation, status: npt.NDArray[np.uint8]
    ) -> pa.Array:
        if operation.row_tweaks is not None:
            raise ParameterError(
                "a mask takes no tweak: its result depends on the value alone; remove the tweak"
            )
        # What lies under a null is left out, else some of it would be shown.
        text = column
        if column.array.null_count:
            text = Strings.of(column.array.fill_null("")).compact()
        parts = _Characters(text, self.separators)
        fair = parts.count >= 2 * (self.keep_first + self.keep_last)
        # Before its first character a row has separators, and bytes of none if it is no UTF-8.
        first = (parts.place >= 0) & (parts.place < np.where(fair, self.keep_first, 0)[parts.row])
        last = parts.place >= (parts.count - np.where(fair, self.keep_last, 0))[parts.row]
        write = _in_place if self.width is None else _in_width
        values, lengths = write(self, text, parts, first, last)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return text_of(column, values, offsets)


class _Characters:
    """The characters of a compact column of UTF-8, byte by byte.

    Attributes
    ----------
    begins : numpy.ndarray of bool, shape (bytes,)
        Whether a character begins there.
    separator : numpy.ndarray of bool, shape (bytes,)
        Whether it is a separator.
    row, place : numpy.ndarray of int64, shape (bytes,)
        The row, and how many characters that are no separators it has before this byte's.
    count : numpy.ndarray of int64, shape (rows,)
        How many it has in all.
    """

    def __init__(self, column: Strings, separators: str) -> None:
        bounds = column.offsets.astype(np.int64)
        kinds = np.zeros(256, bool)
        kinds[list(separators.encode("ascii"))] = True
        self.begins = (column.values & 0xC0) != 0x80
        self.separator = kinds[column.values]
        self.row = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        before = np.zeros(len(column.values) + 1, np.int64)
        np.cumsum(self.begins & ~self.separator, out=before[1:])
        self.count = before[bounds[1:]] - before[bounds[:-1]]
        # That of a character's first byte, for its others too.
        self.place = before[1:] - 1 - before[bounds[:-1]][self.row]


def _in_place(
    form: MaskFormat,
    column: Strings,
    parts: _Characters,
    first: npt.NDArray[np.bool_],
    last: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Write one character for each that is hidden; return the bytes, and how many each row has."""
    hidden = ~(first | last | parts.separator)
    written = parts.begins | ~hidden
    values = np.where(hidden, np.uint8(ord(form.character)), column.values)[written]
    return values, np.bincount(parts.row[written], minlength=len(parts.count))


def _in_width(
    form: MaskFormat,
    column: Strings,
    parts: _Characters,
    first: npt.NDArray[np.bool_],
    last: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Write as many characters for what is hidden as the form says; return as `_in_place` does."""
    assert form.width is not None  # noqa: S101  # for the type checker
    rows = len(parts.count)
    shown = (first | last) & ~parts.separator
    lengths = np.bincount(parts.row[shown], minlength=rows) + form.width
    starts = np.cumsum(lengths) - lengths
    values = np.full(int(lengths.sum()), ord(form.character), np.uint8)
    row = parts.row[shown]
    ordinal = np.arange(len(row)) - (starts - np.arange(rows) * form.width)[row]
    values[starts[row] + ordinal + np.where(first[shown], 0, form.width)] = column.values[shown]
    return values, lengths
