# SPDX-License-Identifier: Apache-2.0
"""Formats whose values have a layout: some characters stay, fields of several sizes change.

The fields are a number of mixed radix, written as a word of FAST, which is encrypted until it is
one of the format again (cycle walking); ``docs/reference/tokens.md`` has it to the byte.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.errors import FormatError
from tallystick.formats.base import (
    SMALL_DOMAIN,
    Format,
    Outcome,
    Reason,
    status_of,
)
from tallystick.formats.faults import farthest
from tallystick.formats.layouts import Digits, Layout, Texts
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings
from tallystick.memory import check

_BLOCK = 1 << 14
"""Rows that are worked on together, so that they stay in the cache."""

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedFormat(Format):
    """A format whose values have one of some layouts, each in a token as in its value."""

    @property
    @abstractmethod
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts; no value is of two of them."""

    def complete(self, layout: Layout, texts: Texts) -> npt.NDArray[np.bool_]:
        """Write the check characters of values in place, and say which values there are.

        Must always say the same of the same value: a token is revealed by the same steps.
        """
        del layout
        return np.ones(len(texts), np.bool_)

    @property
    def smallest_domain(self) -> int:
        """The values of the smallest layout."""
        return min(layout.size for layout in self.layouts)

    def domain_of(self, value: str) -> int:
        """Count the values of the value's layout."""
        alike = [
            layout.size
            for layout in _by_width(self).get(len(value), ())
            if all(value[place] == character for place, character in layout.literals)
        ]
        return min(alike, default=self.smallest_domain)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        return farthest(value, (layout.places for layout in self.layouts))

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column."""
        column = Strings.of(values).ascending().compact()
        lengths = np.diff(column.offsets)
        out = column.values.copy()
        unread = status_of(Reason.NOTATION)
        status = np.full(len(values), unread, np.uint8)
        rows = np.ones(len(values), np.bool_)
        if operation.row_tweaks is not None:
            kept = max(4 + len(layout.kept) for layout in self.layouts)
            lost = operation.lost(operation.row_tweaks, kept)
            status[lost] = status_of(Reason.TWEAK)
            rows &= ~lost
        if values.null_count:
            null = values.is_null().to_numpy(zero_copy_only=False)
            out[np.repeat(null, lengths)] = 0
            status[null] = 0
            rows &= ~null
        small = 0
        for first in range(0, len(values), _BLOCK):
            block = first + np.flatnonzero(rows[first : first + _BLOCK])
            widths = lengths[block]
            for width in np.unique(widths).tolist():
                alike = block[widths == width]
                starts = column.offsets[alike]
                layouts = _by_width(self).get(width)
                if layouts is None:
                    continue
                # Views of every run of that many bytes: taking some copies whole values.
                texts = _windows(column.values, width)[starts]
                for layout in layouts:
                    chosen = _with_literals(layout, texts, np.flatnonzero(status[alike] == unread))
                    if not len(chosen):
                        continue
                    own = alike[chosen]
                    done = _Job(self, layout).run(texts[chosen], operation.take(own))
                    status[own] = done.status
                    fit = done.status == 0
                    _windows(out, width)[starts[chosen[fit]]] = done.texts
                    small += done.small
        return Outcome(column.with_values(pa.py_buffer(out)), status, small)


def check_layouts(form: MixedFormat) -> None:
    """Refuse layouts that are too large, or that one value could have two of.

    Raises
    ------
    FormatError
    """
    layouts = form.layouts
    for layout in layouts:
        if not layout.fields:
            raise FormatError(f"{form.label}: {layout.notation!r} has nothing to encrypt")
        if len(layout.fields) > lib.TALLY_MIXED_MAX_POSITIONS or layout.size > 2**256:
            raise FormatError(
                f"{form.label}: {layout.notation!r} is too long; at most "
                f"{lib.TALLY_MIXED_MAX_POSITIONS} characters may change, with at most 2**256 values"
            )
    for i, layout in enumerate(layouts):
        for other in layouts[:i]:
            if layout.overlaps(other):
                raise FormatError(
                    f"{form.label}: a value may match both {other.notation!r} and "
                    f"{layout.notation!r}, so its token could not be revealed; make a set smaller, "
                    "or nest optional parts, as in 'A(A(A))'"
                )


def _windows(values: Texts, width: int) -> Texts:
    return np.lib.stride_tricks.sliding_window_view(values, width, writeable=values.flags.writeable)


def _with_literals(layout: Layout, texts: Texts, rows: Rows) -> Rows:
    """Return those rows that have the characters that stay, in their places."""
    for place, character in layout.literals:
        rows = rows[texts[rows, place] == ord(character)]
    return rows


@cache
def _by_width(form: MixedFormat) -> dict[int, list[Layout]]:
    found: dict[int, list[Layout]] = {}
    for layout in form.layouts:
        found.setdefault(layout.width, []).append(layout)
    return found


@cache
def _native(sizes: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Make the core's ``tally_mixed`` and its parameters of FAST, and what they point to."""
    held = ffi.new("uint32_t[]", sizes)
    mixed = ffi.new("tally_mixed *", (held, len(sizes)))
    params = ffi.new("tally_fast_params *")
    check(lib.tally_mixed_params(mixed, params), "fields of these sizes")
    return mixed, params, held


class _Done(NamedTuple):
    """The statuses of some values, tokens of valid ones, and how many have small domains."""

    status: npt.NDArray[np.uint8]
    texts: Texts
    small: int


class _Job:
    """The values of one layout at work."""

    def __init__(self, form: MixedFormat, layout: Layout) -> None:
        self._form = form
        self._layout = layout
        self._mixed, self._params, _ = _native(layout.sizes)

    def run(self, texts: Texts, operation: Operation) -> _Done:
        """Transform values that have the layout's literals."""
        layout = self._layout
        digits, fits = layout.read(texts)
        status = np.full(len(texts), status_of(Reason.NOTATION), np.uint8)
        expected = texts if fits.all() else texts[fits]
        made = expected.copy()
        right = self._form.complete(layout, made) & (made == expected).all(axis=1)
        status[fits] = np.where(right, 0, status_of(Reason.CHECK))
        if status.any():
            digits = digits[status == 0]
            operation = operation.take(np.flatnonzero(status == 0))
        small = len(digits) if layout.size < SMALL_DOMAIN else 0
        return _Done(status, self._walk(digits, operation.under(layout.kept)), small)

    def _walk(self, digits: Digits, operation: Operation) -> Texts:
        """Encrypt or decrypt, those that are no value again and again, and write values."""
        params, count = self._params, len(digits)
        words = np.empty((count, params.length), np.uint8)
        result = lib.tally_mixed_to_words(
            self._mixed,
            ffi.cast("uint16_t *", np.ascontiguousarray(digits).ctypes.data),
            count,
            ffi.cast("uint8_t *", words.ctypes.data),
        )
        check(result, f"column of format {self._form.label}")
        texts = np.empty((count, self._layout.width), np.uint8)
        places = np.arange(count)
        while len(places):
            self._step(words, operation)
            found, done = self._values(words)
            texts[places[done]] = found[done]
            left = ~done
            places, words = places[left], words[left]
            operation = operation.take(np.flatnonzero(left))
        return texts

    def _step(self, words: npt.NDArray[np.uint8], operation: Operation) -> None:
        """Encrypt or decrypt words once, in place."""
        held = ffi.cast("uint8_t *", words.ctypes.data)
        shared = (self._params, operation.tweak, len(operation.tweak))
        fast = operation.ciphers.of(self._params.radix)
        if operation.row_tweaks is None:
            with fast.native() as cipher:
                result = lib.tally_fast_words(
                    cipher, operation.decrypt, *shared, held, len(words), held
                )
        else:
            own = Strings.of(operation.row_tweaks)
            with fast.native_with_workspace() as native:
                result = lib.tally_fast_words_rows(
                    *native, operation.decrypt, *shared, own.native(), held, held
                )
        check(result, f"column of format {self._form.label}")

    def _values(self, words: npt.NDArray[np.uint8]) -> tuple[Texts, npt.NDArray[np.bool_]]:
        """Write words as values, and say which are values of the format."""
        digits = np.empty((len(words), len(self._layout.fields)), np.uint16)
        outside = np.empty(len(words), np.bool_)
        result = lib.tally_mixed_from_words(
            self._mixed,
            ffi.cast("uint8_t *", words.ctypes.data),
            len(words),
            ffi.cast("uint16_t *", digits.ctypes.data),
            ffi.cast("uint8_t *", outside.ctypes.data),
        )
        check(result, f"column of format {self._form.label}")
        texts = self._layout.write(digits)
        return texts, self._form.complete(self._layout, texts) & ~outside
