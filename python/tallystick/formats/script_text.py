# SPDX-License-Identifier: Apache-2.0
"""Text of the world's scripts: each letter becomes a letter of the same script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick._core import ffi, lib
from tallystick.errors import FormatError
from tallystick.formats.base import (
    SMALL_DOMAIN,
    Format,
    Outcome,
    Reason,
    joined,
    status_of,
)
from tallystick.formats.code_points import CodePoints, Places, starts_of
from tallystick.formats.faults import first_decomposed, first_outside
from tallystick.formats.operation import Operation
from tallystick.formats.repertoire import MARK, repertoire, script_numbers
from tallystick.formats.scripts import SCRIPTS, SEPARATORS, Script
from tallystick.formats.strings import Strings
from tallystick.memory import check

ScriptName = Literal[
    "any",
    "latin",
    "greek",
    "cyrillic",
    "arabic",
    "hebrew",
    "devanagari",
    "kana",
    "hangul",
    "cjk",
]

MAX_LETTERS = 2**16
USUAL_LETTERS = 1024
"""The most letters of a value, unless its format says otherwise: work is of order length^1.5."""
MAX_PAIRS = 256
"""Letters of a value at most, where two symbols stand for each: longer ones would walk too long."""

_MAX_KEPT = 32
_SLICE_ROWS = 1 << 13  # worked on at once, in a core's cache

Symbols = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnicodeFormat(Format):
    """Text in one script: its letters are encrypted, signs and separators stay in their places.

    Attributes
    ----------
    script : str
        A key of `tallystick.formats.scripts.SCRIPTS`; or ``any``: each value has letters of one of
        them, and its token of the same one.
    separators : str
        Characters of the Basic Multilingual Plane that stay in their place, wherever they stand.
    keep_first, keep_last : int
        Letters at either end that stay in clear, at most 32 each.
    kept_as_tweak : bool
        Whether letters that stay become part of the tweak.
    min_length, max_length : int
        Letters that a value may have, those in clear included; of scripts whose letters are two
        symbols each at most `MAX_PAIRS`.
    """

    script: ScriptName = "any"
    separators: str = SEPARATORS
    keep_first: int = 0
    keep_last: int = 0
    kept_as_tweak: bool = True
    min_length: int = 0
    max_length: int = USUAL_LETTERS
    label: str = field(default="unicode", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no format."""
        names = get_args(ScriptName)
        if self.script not in names:
            raise FormatError(f"{self.label}: script must be one of {', '.join(map(repr, names))}")
        if not (0 <= self.keep_first <= _MAX_KEPT and 0 <= self.keep_last <= _MAX_KEPT):
            raise FormatError(f"{self.label}: keep_first and keep_last must be 0..{_MAX_KEPT}")
        if not 0 <= self.min_length <= self.max_length <= MAX_LETTERS:
            raise FormatError(
                f"{self.label}: lengths must be 0 <= min_length <= max_length <= {MAX_LETTERS}"
            )
        self._check_separators()
        for script in self._scripts:
            if self._most(script) < self._least(script):
                raise FormatError(
                    f"{self.label}: a value of {self.max_length} letters has fewer than "
                    f"{self._least(script)} to encrypt; keep fewer in clear, or allow longer values"
                )
        self.check_domain()

    def _check_separators(self) -> None:
        if len(set(self.separators)) != len(self.separators):
            raise FormatError(f"{self.label}: a separator is given twice")
        for character in self.separators:
            point = ord(character)
            if point > 0xFFFF or 0xD800 <= point < 0xE000 or unicodedata.combining(character):
                raise FormatError(
                    f"{self.label}: separators must be characters of the Basic Multilingual Plane, "
                    "without combining marks"
                )
            for script in self._scripts:
                letters = "".join(script.forms) + "".join(script.final or ())
                if character in letters or character in script.stays:
                    raise FormatError(
                        f"{self.label}: a separator must not be a letter or sign of the script "
                        f"{script.name}"
                    )

    @property
    def _scripts(self) -> tuple[Script, ...]:
        return tuple(SCRIPTS.values()) if self.script == "any" else (SCRIPTS[self.script],)

    @property
    def _keeps(self) -> int:
        return self.keep_first + self.keep_last

    def _least(self, script: Script) -> int:
        """Return the letters of the shortest word: at least two symbols."""
        return max(3 - script.digits, self.min_length - self._keeps)

    def _most(self, script: Script) -> int:
        """Return the letters of the longest word."""
        return min(self.max_length, MAX_LETTERS if script.digits == 1 else MAX_PAIRS) - self._keeps

    @property
    def identity(self) -> Sequence[object]:
        """What tokens depend on: not the separators or the lengths."""
        tweak = bool(self.kept_as_tweak and self._keeps)
        return ("unicode", self.keep_first, self.keep_last, tweak, self.script)

    @property
    def smallest_domain(self) -> int:
        """The words of the least length that fits, in the script that has the fewest."""
        return int(min(script.size ** self._least(script) for script in self._scripts))

    def domain_of(self, value: str) -> int:
        """Count the words of as many letters, in the script that has the most of them."""
        sizes = []
        for script in self._scripts:
            letters = _letters(script.name)
            count = sum(character in letters for character in value)
            sizes.append(script.size ** max(0, count - self._keeps))
        return int(max(sizes))

    @property
    def examples(self) -> tuple[str, ...]:
        """A name in each script."""
        return tuple(script.sample for script in self._scripts)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        if reason is Reason.NORMAL:
            return first_decomposed(value)
        if reason is Reason.NOTATION:  # the form of one letter: its place would tell the letter
            return None
        script = self._scripts[0]
        if self.script == "any":
            found = script_numbers()
            numbers = (found[ord(one)] for one in value if ord(one) < len(found))
            script = self._scripts[next(filter(None, numbers), 1) - 1]
        return first_outside(value, {*_letters(script.name), *script.others, *self.separators})

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column of text."""
        outcomes = []
        for first, rows in Strings.of(values).ascending().batches():
            for start in range(first, max(1, first + rows), _SLICE_ROWS):
                size = min(_SLICE_ROWS, first + rows - start)
                part = values.slice(start, size)
                outcomes.append(self._part(part, operation.slice(start, size)))
        return joined(outcomes)

    def _part(self, values: pa.Array, operation: Operation) -> Outcome:
        if self.script != "any":
            return self._of_script(SCRIPTS[self.script], values, operation)
        outcomes, order = [], []
        for script, rows in _by_script(values):
            # Else two values of different scripts and equal symbols would have equal tokens.
            own, part = operation.under(script.name.encode("ascii")), values
            if len(rows) < len(values):
                own, part = own.take(rows), values.take(pa.array(rows))
            outcomes.append(self._of_script(script, part, own))
            order.append(rows)
        whole_column = joined(outcomes)
        if len(outcomes) == 1:
            return whole_column
        back = np.argsort(np.concatenate(order))
        return Outcome(
            whole_column.array.take(pa.array(back)), whole_column.status[back], whole_column.small
        )

    def _of_script(self, script: Script, values: pa.Array, operation: Operation) -> Outcome:
        taken_apart, composed = _decomposed(script, values)
        text = CodePoints.of(taken_apart)
        letters = repertoire(script.name, self.separators)
        codes, status = letters.read(text)
        if composed is not None:
            status[composed] = status_of(Reason.NORMAL)
        if text.damaged is not None:
            status[text.damaged] = status_of(Reason.FOREIGN)
        _name_decomposed(status, text)
        chosen = codes < MARK
        invalid = status != 0
        if invalid.any():
            chosen &= ~np.repeat(invalid, np.diff(text.starts))
        begins = starts_of(text.sums(chosen))
        read = codes[chosen]
        symbols = read // np.uint16(letters.forms)
        forms = read - symbols * np.uint16(letters.forms)
        word_status, small = _Words(self, script).run(symbols, begins, operation)
        status = np.where(invalid, status, word_status)
        if values.null_count:
            status[values.is_null().to_numpy(zero_copy_only=False)] = 0
        codes[chosen] = symbols * np.uint16(letters.forms) + forms
        new = text.encode(letters.write(codes, chosen, text), values)
        if script.composed:
            for whole, parts in script.composed:
                new = pc.replace_substring(new, parts, whole)
        if invalid.any() and (script.composed or text.damaged is not None):
            new = pc.if_else(pa.array(status != 0), values, new)
        return Outcome(new, status, small)


@dataclass(frozen=True, slots=True)
class _Words:
    """Letters as words of the core, transformed in place."""

    form: UnicodeFormat
    script: Script

    def run(
        self, symbols: Symbols, begins: Places, operation: Operation
    ) -> tuple[npt.NDArray[np.uint8], int]:
        """Replace the symbols of rows with valid values; `begins` says where each row's begin.

        Returns the status of each row, and how many are of a small domain.
        """
        if self.script.digits == 1:
            word = symbols.astype(np.uint8)
            status, small = self._once(word, begins, operation)
            symbols[:] = word
            return status, small
        pairs = np.empty((len(symbols), 2), np.uint8)
        pairs[:, 0], pairs[:, 1] = np.divmod(symbols, self.script.radix)
        status, small = self._once(pairs, begins * 2, operation)
        symbols[:] = self._joined(pairs)
        self._walk(symbols, pairs, begins, operation)
        return status, small

    def _joined(self, pairs: npt.NDArray[np.uint8]) -> Symbols:
        return pairs[:, 0] * np.uint16(self.script.radix) + pairs[:, 1]

    def _walk(
        self,
        symbols: Symbols,
        pairs: npt.NDArray[np.uint8],
        begins: Places,
        operation: Operation,
    ) -> None:
        """Go on with the rows in which two symbols are no letter, until all are (cycle walking)."""
        places = np.arange(len(symbols))
        while True:
            outside = places[symbols[places] >= self.script.size]
            if len(outside) == 0:
                return
            rows = np.unique(np.searchsorted(begins, outside, side="right") - 1)
            lengths = begins[rows + 1] - begins[rows]
            own = starts_of(lengths)
            places = np.arange(own[-1]) + np.repeat(begins[rows] - own[:-1], lengths)
            left = pairs[places]
            self._once(left, own * 2, operation.take(rows))
            pairs[places] = left
            symbols[places] = self._joined(left)

    def _once(
        self, word: npt.NDArray[np.uint8], offsets: Places, operation: Operation
    ) -> tuple[npt.NDArray[np.uint8], int]:
        """Encrypt or decrypt the words of all rows in place."""
        status = np.empty(len(offsets) - 1, np.uint8)
        report = ffi.new("tally_column_report *")
        values = ffi.cast("uint8_t *", word.ctypes.data)
        column = ffi.new("tally_strings *")
        column.offsets, column.offset_size = ffi.cast("void *", offsets.ctypes.data), 8
        column.values, column.rows = values, len(status)
        tweaks = None if operation.row_tweaks is None else Strings.of(operation.row_tweaks)
        with operation.ciphers.of(self.script.radix).native_with_workspace() as native:
            result = lib.tally_fast_column(
                *native,
                operation.decrypt,
                _shape(self.form, self.script.name),
                column,
                operation.tweak,
                len(operation.tweak),
                ffi.NULL if tweaks is None else tweaks.native(),
                values,
                ffi.cast("uint8_t *", status.ctypes.data),
                report,
            )
        check(result, f"column of format {self.form.label}")
        return status, int(report.small)


@cache
def _letters(name: str) -> frozenset[str]:
    script = SCRIPTS[name]
    return frozenset("".join(script.forms) + "".join(script.final or ()))


@cache
def _shape(form: UnicodeFormat, name: str) -> Any:  # noqa: ANN401
    """Make the core's description of words in which every byte is its own symbol."""
    script = SCRIPTS[name]
    shape = ffi.new("tally_shape *", {"struct_size": ffi.sizeof("tally_shape")})
    for symbol in range(script.radix):
        shape.kind[symbol] = lib.TALLY_BYTE_SYMBOL
        shape.symbol[symbol] = shape.letter[0][symbol] = symbol
    shape.radix = script.radix
    shape.min_symbols = script.digits * form._least(script)
    shape.max_symbols = script.digits * form._most(script)
    small = next(length for length in range(1, 99) if script.size**length >= SMALL_DOMAIN)
    shape.small_symbols = script.digits * small
    shape.keep = (1 << script.digits * form.keep_first) - 1
    shape.keep_last = script.digits * form.keep_last
    shape.tweak_kept = form.kept_as_tweak and form._keeps > 0
    return shape


def _decomposed(script: Script, values: pa.Array) -> tuple[pa.Array, npt.NDArray[np.bool_] | None]:
    """Take characters apart that stand for a letter and a mark.

    Also say in which rows they were apart, so not in NFC; None: in none.
    """
    apart = None
    for whole, parts in script.composed:
        found = pc.match_substring(values, parts)
        if pc.any(found).as_py():
            rows = found.fill_null(False).to_numpy(zero_copy_only=False)
            apart = rows if apart is None else apart | rows
        values = pc.replace_substring(values, whole, parts)
    return values, apart


def _name_decomposed(status: npt.NDArray[np.uint8], text: CodePoints) -> None:
    """Tell rows that have a strange character because they are not in NFC from the others."""
    for row in np.flatnonzero(status == status_of(Reason.FOREIGN)):
        points = text.points[text.starts[row] : text.starts[row + 1]]
        if not unicodedata.is_normalized("NFC", str(points.data, "utf-32-le")):
            status[row] = status_of(Reason.NORMAL)


def _by_script(values: pa.Array) -> Iterator[tuple[Script, Places]]:
    """Sort rows by the script of their first letter; those that have none are with the first."""
    text = CodePoints.of(values)
    numbers = script_numbers().take(text.points, mode="clip")
    places = np.append(np.flatnonzero(numbers), len(numbers))
    first = places[np.searchsorted(places, text.starts[:-1])]
    of_row = np.ones(len(values), np.uint8)
    found = first < text.starts[1:]
    of_row[found] = numbers[first[found]]
    scripts = list(SCRIPTS.values())
    for number in np.unique(of_row) if len(values) else [1]:
        yield scripts[number - 1], np.flatnonzero(of_row == number)
