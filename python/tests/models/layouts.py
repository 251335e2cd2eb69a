# SPDX-License-Identifier: Apache-2.0
"""Values with a layout: patterns, IBANs and national identifiers."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import prod

from models.common import InvalidError, Model, Reason, Tokens
from models.iban_structures import STRUCTURES
from models.national_kinds import EXCLUDED, FIELDS, KINDS

_CLASSES = {
    "A": string.ascii_uppercase,
    "a": string.ascii_lowercase,
    "9": string.digits,
    "X": string.digits + string.ascii_uppercase,
}


@dataclass
class Field:
    """Neighbouring characters that are one of some texts, in the order of their bytes."""

    choices: Sequence[str]
    numbers: dict[str, int]


@cache
def _field(choices: tuple[str, ...]) -> Field:
    ordered = sorted(choices)
    return Field(ordered, {choice: number for number, choice in enumerate(ordered)})


Part = str | Field | None
"""A literal, a field, or a check character."""


@dataclass
class Layout:
    """One way to write a value."""

    parts: list[Part]
    kept: bytes

    @property
    def fields(self) -> list[Field]:
        """What is encrypted."""
        return [part for part in self.parts if isinstance(part, Field)]

    @property
    def size(self) -> int:
        """How many values the fields have."""
        return prod(len(field.choices) for field in self.fields)

    def read(self, value: str) -> tuple[list[int], str] | None:
        """Return the numbers of a value's fields and its check characters; None: it has others."""
        numbers, checks, place = [], "", 0
        for part in self.parts:
            width = len(part.choices[0]) if isinstance(part, Field) else 1
            piece = value[place : place + width]
            place += width
            if part is None:
                checks += piece
                if not piece.isascii():
                    return None
            elif isinstance(part, str):
                if piece != part:
                    return None
            elif piece not in part.numbers:
                return None
            else:
                numbers.append(part.numbers[piece])
        return (numbers, checks) if place == len(value) else None

    def write(self, numbers: list[int], checks: str) -> str:
        """Write a value."""
        left, signs = iter(numbers), iter(checks)
        return "".join(
            next(signs)
            if part is None
            else part
            if isinstance(part, str)
            else part.choices[next(left)]
            for part in self.parts
        )


class LayoutsModel(Model):
    """Values of some layouts."""

    layouts: list[Layout]

    def checks(self, layout: Layout, numbers: list[int]) -> str | None:
        """Return the check characters; None: none are right."""
        del layout, numbers
        return ""

    def excludes(self, layout: Layout, numbers: list[int]) -> bool:
        """Say whether there is no such value, whatever its check characters are."""
        del layout, numbers
        return False

    def domain(self, value: str) -> int:
        """Count the values of the value's layout."""
        (found,) = (layout.size for layout in self.layouts if layout.read(value) is not None)
        return found

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace the fields."""
        found = [(layout, layout.read(value)) for layout in self.layouts]
        layout, read = next((one for one in found if one[1] is not None), (None, None))
        reasons = set()
        if layout is None or read is None:
            reasons.add(Reason.NOTATION)
            layout = max(self.layouts, key=lambda one: len(one.kept))
        elif self.checks(layout, read[0]) != read[1]:
            reasons.add(Reason.CHECK)
        elif self.excludes(layout, read[0]):
            reasons.add(Reason.RANGE)
        tweak = b""
        try:
            tweak = tokens.whole(self.identity_text, layout.kept)
        except InvalidError as error:
            reasons |= error.reasons
        if reasons or read is None:
            raise InvalidError(*reasons)
        number = 0
        for field, digit in zip(layout.fields, read[0], strict=True):
            number = number * len(field.choices) + digit
        while True:
            number = tokens.number(number, layout.size, tweak)
            if number >= layout.size:
                continue
            rest, digits = number, []
            for field in reversed(layout.fields):
                rest, digit = divmod(rest, len(field.choices))
                digits.append(digit)
            checks = self.checks(layout, digits[::-1])
            if checks is not None and not self.excludes(layout, digits[::-1]):
                return layout.write(digits[::-1], checks)


def parse(pattern: str, *, named: bool = False) -> list[list[Part]]:
    """Read a pattern: the parts of each choice of optional ones."""
    return _sequence(list(pattern)[::-1], named=named)


def _sequence(rest: list[str], *, named: bool) -> list[list[Part]]:
    """Read up to the end or a bracket; `rest` is the pattern from its end."""
    found: list[list[Part]] = [[]]
    while rest and rest[-1] != ")":
        one = rest.pop()
        more: list[list[Part]]
        if one == "(":
            more = [*_sequence(rest, named=named), []]
            rest.pop()
        elif one == "\\":
            more = [[rest.pop()]]
        elif one == "[":
            more = [[_set(rest)]]
        elif named and one == "#":
            more = [[None]]
        elif named and one == "{":
            name = ""
            while (letter := rest.pop()) != "}":
                name += letter
            more = [[_field(tuple(FIELDS[name]()))]]
        else:
            more = [[_field(tuple(_CLASSES[one])) if one in _CLASSES else one]]
        found = [before + after for before in found for after in more]
    return found


def _set(rest: list[str]) -> Part:
    """Read a set; one character is a literal."""
    members: list[tuple[str, bool]] = []
    while (one := rest.pop()) != "]":
        members.append((rest.pop(), True) if one == "\\" else (one, False))
    found: set[str] = set()
    while members:
        first = last = members.pop(0)[0]
        if len(members) >= 2 and members[0] == ("-", False):
            last = members[1][0]
            del members[:2]
        found |= {chr(code) for code in range(ord(first), ord(last) + 1)}
    return found.pop() if len(found) == 1 else _field(tuple(found))


class PatternModel(LayoutsModel):
    """Codes by a pattern."""

    def __init__(self, pattern: str) -> None:
        self.identity = ["pattern"]
        self.layouts = []
        for parts in parse(pattern):
            digest = sha256()
            for part in parts:
                if isinstance(part, Field):
                    digest.update(len(part.choices).to_bytes(4, "big"))
                    digest.update("".join(part.choices).encode())
            self.layouts.append(Layout(parts, digest.digest()))


class IbanModel(LayoutsModel):
    """IBANs."""

    def __init__(self) -> None:
        self.identity = ["iban"]
        self.layouts = []
        kinds = {"n": _CLASSES["9"], "a": _CLASSES["A"], "c": _CLASSES["X"]}
        for country, structure in STRUCTURES.items():
            parts: list[Part] = [*country, None, None]
            for count, kind in re.findall(r"(\d+)([nac])", structure):
                parts += [_field(tuple(kinds[kind]))] * int(count)
            spaced: list[Part] = []
            for place, part in enumerate(parts):
                spaced += [" ", part] if place and place % 4 == 0 else [part]
            self.layouts += [Layout(found, country.encode()) for found in (parts, spaced)]

    def checks(self, layout: Layout, numbers: list[int]) -> str:
        """Compute the check digits of ISO 13616."""
        account = _rest(layout, numbers)
        digits = "".join(str(int(one, 36)) for one in f"{account}{layout.kept.decode()}00")
        return f"{98 - int(digits) % 97:02}"


class NationalModel(LayoutsModel):
    """National identifiers."""

    def __init__(self, kind: str) -> None:
        self.identity = ["national_id", kind]
        patterns, self.function = KINDS[kind]
        self.excluded = EXCLUDED.get(kind, lambda _: False)
        self.layouts = [
            Layout(parts, b"") for pattern in patterns for parts in parse(pattern, named=True)
        ]

    function: Callable[[str], str]
    excluded: Callable[[str], bool]

    def checks(self, layout: Layout, numbers: list[int]) -> str | None:
        """Compute the check characters."""
        return self.function(_rest(layout, numbers)) or None

    def excludes(self, layout: Layout, numbers: list[int]) -> bool:
        """Say which numbers nobody has."""
        return self.excluded(_rest(layout, numbers))


def _rest(layout: Layout, numbers: list[int]) -> str:
    """Return the characters of the fields."""
    return "".join(
        field.choices[number] for field, number in zip(layout.fields, numbers, strict=True)
    )
