# SPDX-License-Identifier: Apache-2.0
"""A script's letters as tables: what each character is, and which one a symbol is written with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from tallystick.formats.base import Reason, status_of
from tallystick.formats.code_points import CodePoints, Points
from tallystick.formats.scripts import SCRIPTS

Codes = npt.NDArray[np.uint16]

MARK = 0xFF00
"""Smaller codes are letters. This and a combining class (below 0xF0) is a mark of that class."""
KEPT = 0xFFFE
FOREIGN = 0xFFFF


@dataclass(frozen=True)
class Repertoire:
    """What characters are in text of one script.

    Attributes
    ----------
    name : str
        The script's.
    size, forms : int
        How many letters there are, and in how many forms each.
    code : numpy.ndarray of uint16, shape (65536,)
        For each character of the Basic Multilingual Plane: a letter's symbol times `forms` plus its
        form, or a code from `MARK` on.
    letter : numpy.ndarray of uint32, shape (size * forms,)
        The character of each letter's code.
    final : tuple of int, or None
        A code, the character that it is in the middle of a word, and the one at the end.
    """

    name: str
    size: int
    forms: int
    code: Codes
    letter: Points
    final: tuple[int, int, int] | None

    def read(self, text: CodePoints) -> tuple[Codes, npt.NDArray[np.uint8]]:
        """Look every character up; also say of each row whether it fits.

        A row's status is an index into `REASONS`.
        """
        status = np.zeros(len(text.starts) - 1, np.uint8)
        # Beyond the plane there is no letter: clipped to U+FFFF, which is none either.
        codes = self.code.take(text.points, mode="clip")
        self._check_order(codes, text, status)
        if self.final is not None:
            code, medial, final = self.final
            expected = np.where(self._ends(codes, text, code), final, medial)
            wrong = (codes == code) & (text.points != expected)
            _tell(status, text, wrong, Reason.NOTATION)
        _tell(status, text, codes == FOREIGN, Reason.FOREIGN)
        return codes, status

    def write(self, codes: Codes, chosen: npt.NDArray[np.bool_], text: CodePoints) -> Points:
        """Write letters over those of `text`.

        Parameters
        ----------
        codes : numpy.ndarray of uint16
            For every character its new code.
        chosen : numpy.ndarray of bool
            Which of them are to be written; they are letters before and after.
        """
        points = np.where(chosen, self.letter.take(codes, mode="clip"), text.points)
        if self.final is not None:
            code, _, final = self.final
            points[chosen & self._ends(codes, text, code)] = final
        return points

    def _check_order(self, codes: Codes, text: CodePoints, status: npt.NDArray[np.uint8]) -> None:
        """Refuse rows whose marks are not in the order of their classes, so not in NFC."""
        marks = (codes > MARK) & (codes < KEPT)
        if marks.any():
            behind = np.zeros(len(codes), np.bool_)
            behind[1:] = marks[1:] & marks[:-1] & (codes[1:] < codes[:-1])
            behind[text.starts[:-1][text.starts[:-1] < len(codes)]] = False
            _tell(status, text, behind, Reason.NORMAL)

    @staticmethod
    def _ends(codes: Codes, text: CodePoints, code: int) -> npt.NDArray[np.bool_]:
        """Say which letters of a code have a letter before them and none behind, in their row."""
        places = np.flatnonzero(codes == code)
        ends = np.zeros(len(codes), np.bool_)
        rows = text.rows_of(places)
        inner, last = places > text.starts[rows], places + 1 == text.starts[rows + 1]
        before = codes[places - 1] < MARK  # of the row before, if not inner
        behind = codes.take(places + 1, mode="clip") < MARK
        ends[places] = inner & before & (last | ~behind)
        return ends


def _tell(
    status: npt.NDArray[np.uint8],
    text: CodePoints,
    wrong: npt.NDArray[np.bool_],
    reason: Reason,
) -> None:
    """Give the rows of some characters a reason why they are invalid."""
    places = np.flatnonzero(wrong)
    if len(places):
        status[text.rows_of(places)] = status_of(reason)


@cache
def repertoire(name: str, separators: str) -> Repertoire:
    """Make the tables of a script with some separators."""
    script = SCRIPTS[name]
    forms = len(script.forms)
    code = np.full(0x10000, FOREIGN, np.uint16)
    letter = np.empty(script.size * forms, np.uint32)
    for form, letters in enumerate(script.forms):
        points = np.frombuffer(letters.encode("utf-32-le"), np.uint32)
        code[points] = np.arange(script.size) * forms + form
        letter[form::forms] = points
    final = None
    if script.final is not None:
        medial, last = map(ord, script.final)
        code[last] = code[medial]
        final = (int(code[medial]), medial, last)
    for character in script.signs + separators:
        code[ord(character)] = KEPT
    for order, marks in script.marks:
        for character in marks:
            code[ord(character)] = MARK + order
    return Repertoire(name, script.size, forms, code, letter, final)


@cache
def script_numbers() -> npt.NDArray[np.uint8]:
    """Make a table of each letter's script, by its place in `SCRIPTS` plus 1; 0: it is none."""
    numbers = np.zeros(0x10000, np.uint8)
    for number, script in enumerate(SCRIPTS.values(), 1):
        for letters in script.forms:
            numbers[np.frombuffer(letters.encode("utf-32-le"), np.uint32)] = number
        if script.final is not None:
            numbers[ord(script.final[1])] = number
        for whole, _ in script.composed:
            numbers[ord(whole)] = number
    return numbers
