# SPDX-License-Identifier: Apache-2.0
"""Formats whose values have a layout: some characters stay, fields of several sizes change.

The fields are a number of mixed radix, written as a word of FAST, which is encrypted until it is
one of the format again (cycle walking); ``docs/tokens.md`` has it to the byte.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.ciphers import Ciphers
from tallystick.errors import FormatError, ParameterError
from tallystick.formats.base import (
    MAX_TWEAK,
    SMALL_DOMAIN,
    Format,
    Outcome,
    Reason,
    is_text,
    status_of,
)
from tallystick.formats.layouts import Digits, Layout, Texts
from tallystick.formats.strings import Strings
from tallystick.memory import check

_BLOCK = 1 << 14
"""Rows that are worked on together, so that they stay in the cache."""

Rows = npt.NDArray[np.int64]


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

    def accepts(self, kind: pa.DataType) -> bool:
        """Accept string and large_string."""
        return is_text(kind)

    def transform(
        self,
        ciphers: Ciphers,
        values: pa.Array,
        tweak: bytes,
        row_tweaks: pa.Array | None,
        *,
        decrypt: bool,
    ) -> Outcome:
        """Encrypt or decrypt a column."""
        column = Strings.of(values).compact()
        lengths = np.diff(column.offsets)
        if (lengths < 0).any():
            raise ParameterError(f"column of format {self.label}: its offsets descend")
        out = column.values.copy()
        status = np.full(len(values), status_of(Reason.NOTATION), np.uint8)
        rows = np.ones(len(values), np.bool_)
        if row_tweaks is not None:
            lost = self._lost(row_tweaks, len(tweak))
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
            for layout in _of_widths(self, widths):
                chosen = block[(widths == layout.width) & (status[block] != 0)]
                job = _Job(self, layout, ciphers, tweak, decrypt=decrypt)
                small += job.run(column, chosen, row_tweaks, status, out)
        return Outcome(column.with_values(out), status, small)

    def _lost(self, row_tweaks: pa.Array, common: int) -> npt.NDArray[np.bool_]:
        """Say which rows have no tweak, or one that is too long."""
        kept = max(4 + len(layout.kept) for layout in self.layouts)
        lost = np.diff(Strings.of(row_tweaks).offsets) > MAX_TWEAK - common - kept
        if row_tweaks.null_count:
            lost |= row_tweaks.is_null().to_numpy(zero_copy_only=False)
        return lost


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
                f"{form.label}: {layout.notation!r} is too long: at most "
                f"{lib.TALLY_MIXED_MAX_POSITIONS} characters change, and 2**256 values share it"
            )
    for i, layout in enumerate(layouts):
        for other in layouts[:i]:
            if layout.overlaps(other):
                raise FormatError(
                    f"{form.label}: some values would be both {other.notation!r} and "
                    f"{layout.notation!r}, and could not be revealed; make a set smaller, or nest "
                    "optional parts, as in 'A(A(A))'"
                )


def _of_widths(form: MixedFormat, widths: npt.NDArray[Any]) -> Sequence[Layout]:
    """Return the layouts that values of those widths may have."""
    by_width = _by_width(form)
    return [layout for width in np.unique(widths) for layout in by_width.get(int(width), ())]


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


class _Job:
    """The rows of one layout at work."""

    def __init__(
        self, form: MixedFormat, layout: Layout, ciphers: Ciphers, tweak: bytes, *, decrypt: bool
    ) -> None:
        self._form = form
        self._layout = layout
        self._mixed, self._params, _ = _native(layout.sizes)
        self._ciphers = ciphers
        self._tweak = tweak + len(layout.kept).to_bytes(4, "big") + layout.kept
        self._decrypt = decrypt

    def run(
        self,
        column: Strings,
        rows: Rows,
        row_tweaks: pa.Array | None,
        status: npt.NDArray[np.uint8],
        out: npt.NDArray[np.uint8],
    ) -> int:
        """Transform those rows that are of the layout; return those of a small domain."""
        layout = self._layout
        for place, character in layout.literals:
            rows = rows[column.values[column.offsets[rows] + place] == ord(character)]
        if not len(rows):
            return 0
        texts = column.values[column.offsets[rows][:, None] + np.arange(layout.width)]
        digits, fits = layout.read(texts)
        rows, digits, texts = rows[fits], digits[fits], texts[fits]
        expected = texts.copy()
        right = self._form.complete(layout, expected) & (expected == texts).all(axis=1)
        status[rows] = np.where(right, 0, status_of(Reason.CHECK))
        rows, digits = rows[right], digits[right]
        if len(rows):
            tweaks = None if row_tweaks is None else row_tweaks.take(pa.array(rows))
            texts = self._walk(digits, tweaks)
            out[column.offsets[rows][:, None] + np.arange(layout.width)] = texts
        return len(rows) if layout.size < SMALL_DOMAIN else 0

    def _walk(self, digits: Digits, tweaks: pa.Array | None) -> Texts:
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
            self._step(words, tweaks)
            found, done = self._values(words)
            texts[places[done]] = found[done]
            left = ~done
            places, words = places[left], words[left]
            if tweaks is not None and len(places):
                tweaks = tweaks.take(pa.array(np.flatnonzero(left)))
        return texts

    def _step(self, words: npt.NDArray[np.uint8], tweaks: pa.Array | None) -> None:
        """Encrypt or decrypt words once, in place."""
        held = ffi.cast("uint8_t *", words.ctypes.data)
        shared = (self._params, self._tweak, len(self._tweak))
        with self._ciphers.of(self._params.radix).native() as cipher:
            if tweaks is None:
                one = (
                    lib.tally_fast_decrypt_words if self._decrypt else lib.tally_fast_encrypt_words
                )
                result = one(cipher, *shared, held, len(words), held)
            else:
                rows = (
                    lib.tally_fast_decrypt_words_rows
                    if self._decrypt
                    else lib.tally_fast_encrypt_words_rows
                )
                own = Strings.of(tweaks)
                result = rows(cipher, *shared, own.native(), held, held)
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
