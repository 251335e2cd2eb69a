# SPDX-License-Identifier: Apache-2.0
"""Text over an alphabet: its symbols are replaced in place, everything else stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.ciphers import Ciphers
from tallystick.errors import FormatError
from tallystick.formats.base import FORMULAS, SMALL_DOMAIN, SMALLEST_DOMAIN, Format, Outcome, Reason
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings
from tallystick.memory import check

Luhn = Literal["none", "valid", "invalid"]
"""What becomes of a Luhn check digit: there is none; it is valid in the token too; or the token has
a wrong one, so that it can't be taken for the real thing."""

_LUHN = {
    "none": lib.TALLY_LUHN_NONE,
    "valid": lib.TALLY_LUHN_VALID,
    "invalid": lib.TALLY_LUHN_INVALID,
}

MAX_SYMBOLS = 2**16
USUAL_SYMBOLS = 1024
"""The most symbols of a value, unless its format says otherwise: work is of order length^1.5."""
_KEEP_BITS = 64


def _length_for(radix: int, values: int) -> int:
    """Return the least length >= 2 of words of which there are at least `values`."""
    length = 2
    while radix**length < values:
        length += 1
    return length


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFormat(Format):
    """Words over an alphabet of ASCII characters, with what may stand between them.

    Attributes
    ----------
    alphabet : str
        4..95 distinct printable ASCII characters, in the order of their symbols.
    fold_case : bool
        Whether upper-case letters stand for the lower-case ones of the alphabet, which then has
        letters only; their tokens are in upper case as well.
    separators : str
        Characters that stay in their place, wherever they stand.
    leading : str
        Characters that stay, and may only be the first of a value.
    delimiter : str
        A character that stays and must occur exactly once, or nothing.
    keep_after_delimiter : bool
        Whether everything after the delimiter stays in clear, whatever it is.
    keep_first, keep_last : int
        Symbols at either end that stay in clear; `keep_first` at most 64.
    keep_positions : tuple of int
        More symbols, of the first 64, that stay in clear, counted from 0. Each must come before
        those of `keep_last` in a value of `min_length`.
    kept_as_tweak : bool
        Whether what stays in clear becomes part of the tweak, so that values that agree only in
        their encrypted part have unrelated tokens.
    min_length, max_length : int
        Symbols that a value may have, those in clear included. Tokens do not depend on it.
    luhn : {"none", "valid", "invalid"}
        See `Luhn`. The last digit that is not kept is the one that follows from the others.
    samples : tuple of str
        Valid values.
    """

    alphabet: str
    fold_case: bool = False
    separators: str = ""
    leading: str = ""
    delimiter: str = ""
    keep_after_delimiter: bool = False
    keep_first: int = 0
    keep_last: int = 0
    keep_positions: tuple[int, ...] = ()
    kept_as_tweak: bool = True
    min_length: int = 0
    max_length: int = USUAL_SYMBOLS
    luhn: Luhn = "none"
    label: str = field(default="text", compare=False)
    samples: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no format."""
        object.__setattr__(self, "keep_positions", tuple(self.keep_positions))
        self._check_characters()
        if self.keep_first < 0 or self.keep_last < 0 or self.keep_first > _KEEP_BITS:
            raise FormatError(
                f"{self.label}: keep_first must be 0..{_KEEP_BITS}, and keep_last 0 or more"
            )
        if any(not 0 <= position < _KEEP_BITS for position in self.keep_positions):
            raise FormatError(f"{self.label}: keep_positions must be 0..{_KEEP_BITS - 1}")
        if self.keep_positions and max(self.keep_positions) + self.keep_last + 2 > self.min_length:
            # Else the number of symbols that are kept would depend on the value, and the length
            # of its word, by which the core knows short values, would not tell them.
            raise FormatError(
                f"{self.label}: min_length must be so large that keep_positions and keep_last are "
                "different symbols of every value"
            )
        if self.luhn not in _LUHN:
            raise FormatError(f"{self.label}: luhn must be 'none', 'valid' or 'invalid'")
        if self.luhn != "none" and self.alphabet != "0123456789":
            raise FormatError(f"{self.label}: a Luhn check digit needs the alphabet 0123456789")
        if not 0 <= self.min_length <= self.max_length <= MAX_SYMBOLS:
            raise FormatError(
                f"{self.label}: lengths must be 0 <= min_length <= max_length <= {MAX_SYMBOLS}; "
                f"the default of max_length is {USUAL_SYMBOLS}"
            )
        if self._max_word < self._min_word:
            raise FormatError(
                f"{self.label}: a value of {self.max_length} symbols has fewer than "
                f"{self._min_word} to encrypt; keep fewer in clear, or allow longer values"
            )
        self.check_domain()

    def _check_characters(self) -> None:
        alphabet = self.alphabet
        if not 4 <= len(alphabet) <= 95 or len(set(alphabet)) != len(alphabet):
            raise FormatError(f"{self.label}: the alphabet must have 4..95 distinct characters")
        if self.fold_case and not (alphabet.isalpha() and alphabet.islower()):
            raise FormatError(
                f"{self.label}: to keep case, use an alphabet of lower-case letters only, because "
                "a digit can't show the case of its letter"
            )
        if len(self.delimiter) > 1:
            raise FormatError(f"{self.label}: the delimiter must be one character")
        others = self.separators + self.leading + self.delimiter
        if self.fold_case:
            others += alphabet.upper()
        if any(not " " <= character <= "~" for character in alphabet + others):
            raise FormatError(
                f"{self.label}: alphabet, separators, leading and delimiter must be printable ASCII"
            )
        if len(set(others)) != len(others) or set(others) & set(alphabet):
            raise FormatError(
                f"{self.label}: a character is given twice; give it once, as a symbol, a "
                "separator, leading or the delimiter"
            )

    @property
    def identity(self) -> Sequence[object]:
        """What tokens depend on: not the separators or the lengths."""
        return (
            "text",
            self.alphabet,
            self.fold_case,
            self.keep_after_delimiter,
            self.keep_first,
            self.keep_last,
            sorted(set(self.keep_positions)),
            self.kept_as_tweak and self._keeps,
            self.luhn,
        )

    @property
    def radix(self) -> int:
        """The size of the alphabet."""
        return len(self.alphabet)

    @property
    def examples(self) -> tuple[str, ...]:
        """The samples of a preset, or the beginning of the alphabet."""
        return self.samples or (self.alphabet[: max(self.min_length, 6)],)

    @property
    def may_be_formula(self) -> bool:
        """Whether the first symbol may become such a character."""
        return not FORMULAS.isdisjoint(self.alphabet) and not self.keep_first

    @property
    def smallest_domain(self) -> int:
        """The words of the least length that fits."""
        return int(self.radix**self._min_word)

    def domain_of(self, value: str) -> int:
        """Count the words of the value's length."""
        if self.keep_after_delimiter:
            value = value.partition(self.delimiter)[0]
        if self.fold_case:
            value = value.lower()
        symbols = sum(value.count(symbol) for symbol in set(value) & set(self.alphabet))
        return int(self.radix ** max(0, self._word_length(symbols)))

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        if reason is Reason.DELIMITER:  # repeated, or missing
            again = value.find(self.delimiter, value.find(self.delimiter) + 1)
            return None if again < 0 else again
        allowed = {*self.alphabet, *self.separators, self.delimiter}
        if self.fold_case:
            allowed |= set(self.alphabet.upper())
        for place, one in enumerate(value):
            if self.keep_after_delimiter and one == self.delimiter:
                return None
            if one not in allowed and not (place == 0 and one in self.leading):
                return place
        return None

    @property
    def _keeps(self) -> bool:
        return bool(
            self.keep_first or self.keep_last or self.keep_positions or self.keep_after_delimiter
        )

    @property
    def _keep_mask(self) -> int:
        mask = (1 << self.keep_first) - 1
        for position in self.keep_positions:
            mask |= 1 << position
        return mask

    def _word_length(self, symbols: int) -> int:
        """Return how many symbols of a value of so many are encrypted freely."""
        kept = sum(
            1
            for i in range(min(symbols, _KEEP_BITS))
            if self._keep_mask >> i & 1 and i + self.keep_last < symbols
        )
        return symbols - kept - min(symbols, self.keep_last) - (self.luhn != "none")

    @property
    def _min_word(self) -> int:
        least = 2 if self.allow_tiny_domain else _length_for(self.radix, SMALLEST_DOMAIN)
        return max(least, self._word_length(self.min_length))

    @property
    def _max_word(self) -> int:
        return self._word_length(self.max_length)

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column of text."""
        column = Strings.of(values).compact()
        tweaks = None if operation.row_tweaks is None else Strings.of(operation.row_tweaks)
        # Arrow's memory is used again; numpy's comes anew from the system, page by page.
        out = pa.allocate_buffer(len(column.values))
        status = np.empty(len(values), np.uint8)
        small = sum(
            self._run(
                operation.ciphers,
                column.native(start, rows),
                operation.tweak,
                ffi.NULL if tweaks is None else tweaks.native(start, rows),
                ffi.cast("uint8_t *", out.address),
                ffi.from_buffer("uint8_t[]", status[start:]),
                decrypt=operation.decrypt,
            )
            for start, rows in column.batches()
        )
        return Outcome(column.with_values(out), status, small)

    def transform_value(
        self,
        ciphers: Ciphers,
        value: bytes,
        tweak: bytes,
        row_tweak: bytes | None,
        *,
        decrypt: bool,
    ) -> tuple[bytes, int]:
        """Encrypt or decrypt one value, without the cost of a column.

        Parameters
        ----------
        ciphers, tweak, decrypt
            As of an `Operation`.
        value : bytes
            The text in UTF-8.
        row_tweak : bytes or None
            What is appended for the row, if anything is.

        Returns
        -------
        bytes, int
            The other value, and 0; or the value, and an index into `REASONS`.
        """
        out, status = bytearray(value), ffi.new("uint8_t *")
        column, target, held = _one_row(out)
        tweaks, _, tweak_held = (ffi.NULL, None, None) if row_tweak is None else _one_row(row_tweak)
        self._run(ciphers, column, tweak, tweaks, target, status, decrypt=decrypt)
        del held, tweak_held  # what the rows point to lived until here
        return bytes(out), status[0]

    def _run(
        self,
        ciphers: Ciphers,
        column: Any,  # noqa: ANN401
        tweak: bytes,
        row_tweaks: Any,  # noqa: ANN401
        out: Any,  # noqa: ANN401
        status: Any,  # noqa: ANN401
        *,
        decrypt: bool,
    ) -> int:
        """Call the core; return how many rows are of a small domain."""
        report = ffi.new("tally_column_report *")
        with ciphers.of(self.radix).native_with_workspace() as native:
            shape, size = _shape(self), len(tweak)
            result = lib.tally_fast_column(
                *native, decrypt, shape, column, tweak, size, row_tweaks, out, status, report
            )
        check(result, f"column of format {self.label}")
        return int(report.small)


def _one_row(text: bytes | bytearray) -> tuple[Any, Any, Any]:
    """View one text as a column: the column, the text's address, and what both point to."""
    offsets, values = ffi.new("int32_t[2]", (0, len(text))), ffi.from_buffer("uint8_t[]", text)
    column = ffi.new("tally_strings *")
    column.offsets, column.offset_size, column.values, column.rows = offsets, 4, values, 1
    return column, values, offsets


@cache
def _shape(form: TextFormat) -> Any:  # noqa: ANN401
    """Make the core's description of a format."""
    shape = ffi.new("tally_shape *", {"struct_size": ffi.sizeof("tally_shape")})
    groups = (
        (form.separators, lib.TALLY_BYTE_KEPT),
        (form.leading, lib.TALLY_BYTE_LEADING),
        (form.delimiter, lib.TALLY_BYTE_DELIMITER),
        (form.alphabet, lib.TALLY_BYTE_SYMBOL),
        (form.alphabet.upper() if form.fold_case else "", lib.TALLY_BYTE_UPPER),
    )
    for characters, kind in groups:
        for symbol, byte in enumerate(characters.encode("ascii")):
            shape.kind[byte] = kind
            if kind in (lib.TALLY_BYTE_SYMBOL, lib.TALLY_BYTE_UPPER):
                shape.symbol[byte] = symbol
                shape.letter[kind == lib.TALLY_BYTE_UPPER][symbol] = byte
    shape.radix = form.radix
    shape.min_symbols = form._min_word
    shape.max_symbols = form._max_word
    shape.small_symbols = _length_for(form.radix, SMALL_DOMAIN)
    shape.keep = form._keep_mask
    shape.keep_last = form.keep_last
    shape.keep_after_delimiter = form.keep_after_delimiter
    shape.tweak_kept = form.kept_as_tweak and form._keeps
    shape.luhn = _LUHN[form.luhn]
    return shape
