# SPDX-License-Identifier: Apache-2.0
"""Formats whose values are counted, and the first of them: integers of a range.

A value's rank in its range is permuted by cycle walking; ``docs/reference/fast.md`` proves that
it ends.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.errors import FormatError, ParameterError
from tallystick.fast import range_radix
from tallystick.formats.base import (
    SMALL_DOMAIN,
    Format,
    Outcome,
    Reason,
    is_text,
    status_of,
)
from tallystick.formats.faults import first_in_number
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings, bitmap
from tallystick.memory import check

Ranks = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedFormat(Format):
    """A format of values, or of parts of them, that are as many as the numbers of a range."""

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

    def _permute_fitting(
        self,
        values: pa.Array,
        ranks: Ranks,
        status: npt.NDArray[np.uint8],
        operation: Operation,
    ) -> tuple[npt.NDArray[np.bool_], int]:
        """Encrypt or decrypt, in place, the ranks of rows that are not null and fit.

        Also completes the status of each. Returns which rows they are, and how many of them are of
        a small domain.
        """
        if operation.row_tweaks is not None:
            lost = operation.lost(operation.row_tweaks)
            status[lost & (status == 0)] = status_of(Reason.TWEAK)  # what a value lacks comes first
        rows = status == 0
        if values.null_count:
            valid = values.is_valid().to_numpy(zero_copy_only=False)
            status[~valid] = 0
            rows &= valid
        count = int(np.count_nonzero(rows))
        if operation.row_tweaks is not None:
            self._permute_rows(ranks, rows, operation, Strings.of(operation.row_tweaks))
        elif count == len(rows):
            self._permute(ranks, operation)
        else:
            chosen = ranks[rows]
            self._permute(chosen, operation)
            ranks[rows] = chosen
        return rows, count if self.size < SMALL_DOMAIN else 0

    def _permute(self, ranks: Ranks, operation: Operation) -> None:
        """Encrypt or decrypt ranks in place."""
        numbers, tweak = ffi.cast("uint64_t *", ranks.ctypes.data), operation.tweak
        with operation.ciphers.of(self.radix).native() as native:
            result = lib.tally_fast_range(
                native,
                operation.decrypt,
                self.size % 2**64,
                tweak,
                len(tweak),
                numbers,
                len(ranks),
                numbers,
            )
        check(result, f"column of format {self.label}")

    def _permute_rows(
        self, ranks: Ranks, rows: npt.NDArray[np.bool_], operation: Operation, tweaks: Strings
    ) -> None:
        """Encrypt or decrypt the ranks of chosen rows in place, each under its own tweak."""
        numbers = ffi.cast("uint64_t *", ranks.ctypes.data)
        chosen = ffi.cast("uint8_t *", rows.ctypes.data)
        with operation.ciphers.of(self.radix).native_with_workspace() as native:
            result = lib.tally_fast_range_rows(
                *native,
                operation.decrypt,
                self.size % 2**64,
                operation.tweak,
                len(operation.tweak),
                tweaks.native(),
                chosen,
                numbers,
                numbers,
            )
        check(result, f"column of format {self.label}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFormat(CountedFormat):
    """A format that numbers its values 0..size-1."""

    @abstractmethod
    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        """Rank every row; also the status of each, with which the rank means nothing unless 0.

        Null rows have status 0 and any rank below the size.
        """

    @abstractmethod
    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        """Return `values` with those of the chosen rows replaced by the ones of their ranks.

        `ranks` has one for every row; the method may overwrite it.
        """

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column."""
        ranks, status = self._ranks(values)
        rows, small = self._permute_fitting(values, ranks, status, operation)
        return Outcome(self._unranked(ranks, rows, values), status, small)


def replaced(values: pa.Array, rows: npt.NDArray[np.bool_], numbers: npt.NDArray[Any]) -> pa.Array:
    """Return an integer array with the chosen rows replaced by those of `numbers`."""
    dtype = values.type.to_pandas_dtype()
    if rows.all():
        return pa.array(numbers.astype(dtype, copy=False), values.type)
    plain = values.fill_null(0).to_numpy(zero_copy_only=False).copy()
    plain[rows] = numbers[rows].astype(dtype)
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
                "integer: min must be below max, both within -2**63 .. 2**64-1; the range has at "
                "most 2**64 integers"
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
            return (
                f"in text, an integer has at most 18 digits, but {self.min}..{self.max} has more; "
                "narrow min and max, or convert the column"
            )
        if pa.types.is_integer(kind):
            return f"type {kind} can't hold the range {self.min}..{self.max}; narrow min and max"
        return Format.refusal(self, kind)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        return first_in_number(value, point=False)

    def _ranks(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        if is_text(values.type):
            return self._read(values)
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        # Modulo 2**64 throughout: a column's type has no two numbers that are the same then.
        wide = np.int64 if np.iinfo(numbers.dtype).min < 0 else np.uint64
        ranks = numbers.astype(wide, copy=False).view(np.uint64) - np.uint64(self.min % 2**64)
        status = np.zeros(len(values), np.uint8)
        status[ranks > np.uint64(self.size - 1)] = status_of(Reason.RANGE)
        return ranks, status

    def _read(self, values: pa.Array) -> tuple[Ranks, npt.NDArray[np.uint8]]:
        """Read a column of text."""
        ranks, status = np.empty(len(values), np.uint64), np.empty(len(values), np.uint8)
        result = lib.tally_integers_read(
            ffi.new("tally_integers *", (self.min, self.max)),
            Strings.of(values).native(),
            ffi.cast("uint64_t *", ranks.ctypes.data),
            ffi.cast("uint8_t *", status.ctypes.data),
        )
        check(result, f"column of format {self.label}")
        return ranks, status

    def _unranked(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        if is_text(values.type):
            return self._write(ranks, rows, values)
        ranks += np.uint64(self.min % 2**64)
        signed = np.iinfo(values.type.to_pandas_dtype()).min < 0
        return replaced(values, rows, ranks.view(np.int64) if signed else ranks)

    def _write(self, ranks: Ranks, rows: npt.NDArray[np.bool_], values: pa.Array) -> pa.Array:
        """Write a column of text in which those rows are other integers."""
        column, passed_over = Strings.of(values), ~rows
        offsets = np.empty(len(values) + 1, column.offsets.dtype)
        shared = (
            ffi.new("tally_integers *", (self.min, self.max)),
            column.native(),
            ffi.cast("uint64_t *", ranks.ctypes.data),
            ffi.cast("uint8_t *", passed_over.ctypes.data),
            ffi.cast("void *", offsets.ctypes.data),
        )
        result = lib.tally_integers_lay_out(*shared)
        if result == lib.TALLY_ERROR_LENGTH:
            raise ParameterError(
                f"column of format {self.label}: type {values.type} can't hold its tokens; convert "
                "the column to large_string, or pass fewer rows"
            )
        check(result, f"column of format {self.label}")
        out = np.empty(int(offsets[-1]), np.uint8)
        result = lib.tally_integers_write(*shared, ffi.cast("uint8_t *", out.ctypes.data))
        check(result, f"column of format {self.label}")
        validity = None
        if values.null_count:
            valid = values.is_valid().to_numpy(zero_copy_only=False)
            validity = bitmap(valid)
        buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(out)]
        return pa.Array.from_buffers(values.type, len(values), buffers, values.null_count)
