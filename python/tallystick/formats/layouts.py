# SPDX-License-Identifier: Apache-2.0
"""Layouts: how values of one width are made of characters that stay and fields that change.

The fields of a layout are the positions of a number of mixed radix (``docs/reference/tokens.md``).
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

Texts = npt.NDArray[np.uint8]
"""Of shape (rows, width): the bytes of values of one width."""

Digits = npt.NDArray[np.uint16]
"""Of shape (rows, fields): for each value and field, which choice it has."""

_FOREIGN = 0xFFFF


class Field:
    """Some neighbouring characters of a value that are replaced together.

    Parameters
    ----------
    choices : sequence of str
        What may stand there, in any order: 1..65535 distinct ASCII texts of one width of 1..8.
    """

    __slots__ = ("_bytes", "_keys", "_table", "choices", "width")

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(sorted(choices))
        self.width = len(self.choices[0])
        joined = "".join(self.choices).encode("ascii")
        self._bytes = np.frombuffer(joined, np.uint8).reshape(len(self.choices), self.width)
        self._keys = _keys(self._bytes)
        self._table = np.full(256, _FOREIGN, np.uint16)
        if self.width == 1:
            self._table[self._bytes[:, 0]] = np.arange(len(self.choices))

    def digits(self, texts: Texts) -> npt.NDArray[np.uint16]:
        """Return the number of what stands there in each row; 0xFFFF is no choice."""
        if self.width == 1:
            return self._table[texts[:, 0]]
        keys = _keys(texts)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[found] == keys, found, _FOREIGN).astype(np.uint16)

    def texts(self, digits: npt.NDArray[np.uint16]) -> Texts:
        """Return the choices of those numbers, of shape (rows, width)."""
        return self._bytes[digits]


def _keys(texts: Texts) -> npt.NDArray[np.uint64]:
    """Return numbers in the order of texts of at most eight bytes."""
    keys = np.zeros(len(texts), np.uint64)
    for place in range(texts.shape[1]):
        keys = keys << np.uint64(8) | texts[:, place]
    return keys


@dataclass(frozen=True, eq=False)
class Layout:
    """Values of one width.

    Attributes
    ----------
    width : int
        Bytes.
    literals : tuple of (int, str)
        Characters that stay, with their places.
    fields : tuple of (int, Field)
        What is encrypted, with the place of its first character; the first weighs most.
    checks : tuple of int
        Places of check characters, which follow from the others.
    notation : str
        What messages call the layout.
    kept : bytes
        What of a value is part of its tweak.
    """

    width: int
    literals: tuple[tuple[int, str], ...]
    fields: tuple[tuple[int, Field], ...]
    checks: tuple[int, ...] = ()
    notation: str = ""
    kept: bytes = b""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of choices of each field."""
        return tuple(len(field.choices) for _, field in self.fields)

    @cached_property
    def size(self) -> int:
        """How many values there are."""
        return prod(self.sizes)

    @cached_property
    def symbols(self) -> list[int]:
        """The places of all characters of fields, in order."""
        return [place + i for place, field in self.fields for i in range(field.width)]

    @cached_property
    def _characters(self) -> list[frozenset[str]]:
        """What may stand at each place."""
        found = [frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] * self.width
        for place, character in self.literals:
            found[place] = frozenset(character)
        for place, field in self.fields:
            for i in range(field.width):
                found[place + i] = frozenset(choice[i] for choice in field.choices)
        return found

    @property
    def places(self) -> list[frozenset[str]]:
        """What may stand at each place, by itself: of fields of several characters whole classes.

        Which character of such a field is at fault would tell what the others are.
        """
        found = list(self._characters)
        for place, field in self.fields:
            if field.width > 1:
                for i in range(place, place + field.width):
                    classes = (string.digits, string.ascii_uppercase)
                    found[i] |= {one for each in classes if found[i] & {*each} for one in each}
        return found

    def overlaps(self, other: Layout) -> bool:
        """Say whether a value could be of both layouts."""
        pairs = zip(self._characters, other._characters, strict=False)
        return self.width == other.width and all(one & two for one, two in pairs)

    def read(self, texts: Texts) -> tuple[Digits, npt.NDArray[np.bool_]]:
        """Read the fields of values that have the literals; also say which have fields that fit."""
        digits = np.empty((len(texts), len(self.fields)), np.uint16)
        for column, (place, field) in enumerate(self.fields):
            digits[:, column] = field.digits(texts[:, place : place + field.width])
        fits = (digits != _FOREIGN).all(axis=1)
        digits[~fits] = 0
        return digits, fits

    def write(self, digits: Digits) -> Texts:
        """Return the values of those fields, with zeros at the places of check characters."""
        texts = np.zeros((len(digits), self.width), np.uint8)
        for place, character in self.literals:
            texts[:, place] = ord(character)
        for column, (place, field) in enumerate(self.fields):
            texts[:, place : place + field.width] = field.texts(digits[:, column])
        return texts
