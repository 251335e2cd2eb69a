# SPDX-License-Identifier: Apache-2.0
"""A small language for codes such as plates and postal codes, and the format of its patterns."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256

from tallystick.errors import FormatError
from tallystick.formats.layouts import Field, Layout
from tallystick.formats.mixed import MixedFormat, check_layouts

MAX_PATTERN = 256
"""Characters of a pattern, at most."""

MAX_LAYOUTS = 256
"""Layouts that the optional parts of a pattern may make, at most."""

CLASSES = {
    "A": string.ascii_uppercase,
    "a": string.ascii_lowercase,
    "9": string.digits,
    "X": string.digits + string.ascii_uppercase,
}
"""What stands for a set of characters."""

CHECK = None
"""A place whose character follows from the others."""

Part = str | Field | None
"""One literal character, a field, or `CHECK`."""

Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternFormat(MixedFormat):
    r"""Codes of some letters and digits, each in its place.

    Attributes
    ----------
    pattern : str
        ``A`` is an upper-case letter, ``a`` a lower-case one, ``9`` a digit, ``X`` an upper-case
        letter or digit, ``[...]`` one character of a set with ranges, ``(...)`` a part that may be
        missing, ``\`` makes the next character an ordinary one. Other printable ASCII characters
        stand for themselves and stay.
    """

    pattern: str
    label: str = field(default="pattern", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no pattern."""
        check_layouts(self)
        self.check_domain()

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """A layout for each choice of optional parts."""
        return _layouts(self.pattern, self.label)

    @property
    def identity(self) -> Sequence[object]:
        """Nothing of the pattern: what tokens depend on of it is in each value's tweak."""
        return ("pattern",)

    @property
    def examples(self) -> tuple[str, ...]:
        """A value with all optional parts."""
        longest = max(self.layouts, key=lambda layout: layout.width)
        characters = dict(longest.literals)
        for number, (place, one) in enumerate(longest.fields):
            characters[place] = one.choices[(number * 7 + 3) % len(one.choices)]
        return ("".join(characters[place] for place in range(longest.width)),)


@cache
def _layouts(pattern: str, label: str) -> tuple[Layout, ...]:
    return tuple(layout_of(parts, kept=_kept(parts)) for parts in parse_pattern(pattern, label))


def _kept(parts: Parts) -> bytes:
    """Return a digest of the fields, so that values of other fields have unrelated tokens."""
    digest = sha256()
    for part in parts:
        if isinstance(part, Field):
            choices = "".join(part.choices).encode("ascii")
            digest.update(len(choices).to_bytes(4, "big") + choices)
    return digest.digest()


def layout_of(parts: Parts, *, kept: bytes) -> Layout:
    """Make the layout of some parts; a field of one choice is a literal."""
    literals, fields, checks, notation, place = [], [], [], "", 0
    for part in parts:
        if part is CHECK:
            checks.append(place)
            notation += "#"
        elif isinstance(part, str):
            literals.append((place, part))
            notation += part
        else:
            fields.append((place, part))
            notation += _notation(part)
        place += part.width if isinstance(part, Field) else 1
    return Layout(place, tuple(literals), tuple(fields), tuple(checks), notation, kept)


def _notation(part: Field) -> str:
    joined = "".join(part.choices)
    for name, characters in CLASSES.items():
        if joined == characters:
            return name
    return f"[{joined}]" if len(joined) <= 40 else "[...]"


def parse_pattern(
    pattern: str, label: str, named: Callable[[str], Field] | None = None
) -> tuple[Parts, ...]:
    """Read a pattern: the parts of each choice of optional ones, the longest first.

    Parameters
    ----------
    pattern, label
        As for `PatternFormat`.
    named : callable, optional
        With it ``{name}`` stands for the field that it returns, and ``#`` is `CHECK`.

    Raises
    ------
    FormatError
        If it is no pattern.
    """
    if not 0 < len(pattern) <= MAX_PATTERN or any(not " " <= one <= "~" for one in pattern):
        raise FormatError(
            f"{label}: a pattern must be 1 to {MAX_PATTERN} printable ASCII characters"
        )
    return _Parser(pattern, label, named).read()


class _Parser:
    """A pattern that is being read."""

    def __init__(self, pattern: str, label: str, named: Callable[[str], Field] | None) -> None:
        self._rest = iter(pattern)
        self._label = label
        self._named = named

    def read(self) -> tuple[Parts, ...]:
        """Read all of it."""
        return self._sequence(nested=False)

    def _wrong(self, what: str) -> FormatError:
        return FormatError(f"{self._label}: {what}")

    def _sequence(self, *, nested: bool) -> tuple[Parts, ...]:
        found: list[Parts] = [()]
        for one in self._rest:
            if one == ")":
                if nested:
                    return tuple(found)
                raise self._wrong("a ')' has no '(' before it; write '\\)' for the character")
            more = (*self._sequence(nested=True), ()) if one == "(" else ((self._part(one),),)
            found = [before + after for before in found for after in more]
            if len(found) > MAX_LAYOUTS:
                raise self._wrong(
                    f"optional parts make more than {MAX_LAYOUTS} layouts; use fewer of them"
                )
        if nested:
            raise self._wrong("a '(' is never closed; write '\\(' for the character")
        return tuple(found)

    def _part(self, one: str) -> Part:
        if one == "\\":
            return self._next("no character follows the last '\\'")
        if one == "[":
            return self._set()
        if one == "]":
            raise self._wrong("a ']' has no '[' before it; write '\\]' for the character")
        if self._named is not None and one == "#":
            return CHECK
        if self._named is not None and one == "{":
            name = ""
            while (letter := self._next("a '{' is never closed")) != "}":
                name += letter
            return self._named(name)
        return _field(CLASSES[one]) if one in CLASSES else one

    def _next(self, otherwise: str) -> str:
        one = next(self._rest, None)
        if one is None:
            raise self._wrong(otherwise)
        return one

    def _set(self) -> Part:
        """Read a set; a '-' at its begin or end is an ordinary character."""
        characters: list[str] = []
        found: set[str] = set()
        ordinary: list[bool] = []
        while (one := self._next("a '[' is never closed")) != "]":
            ordinary.append(one == "\\")
            characters.append(
                self._next("no character follows the last '\\'") if one == "\\" else one
            )
        i = 0
        while i < len(characters):
            first = last = characters[i]
            if i + 2 < len(characters) and characters[i + 1] == "-" and not ordinary[i + 1]:
                last = characters[i + 2]
                i += 2
            i += 1
            members = {chr(code) for code in range(ord(first), ord(last) + 1)}
            if not members or members & found:
                raise self._wrong(
                    f"in a set, the range '{first}-{last}' must begin with the lower character"
                    if not members
                    else "a set has a character twice"
                )
            found |= members
        if not found:
            raise self._wrong("a set is empty; write '\\[' for the character '['")
        return found.pop() if len(found) == 1 else _field("".join(sorted(found)))


@cache
def _field(characters: str) -> Field:
    return Field(characters)
