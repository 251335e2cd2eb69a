# SPDX-License-Identifier: Apache-2.0
"""IBANs (ISO 13616): the account changes, the country stays, the check digits are right."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from tallystick.formats.iban_structures import STRUCTURES
from tallystick.formats.layouts import Field, Layout, Texts
from tallystick.formats.mixed import MixedFormat

_FIELDS = {
    "n": Field(string.digits),
    "a": Field(string.ascii_uppercase),
    "c": Field(string.digits + string.ascii_uppercase),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IbanFormat(MixedFormat):
    """IBANs in upper case, without spaces or with one behind every four characters.

    Country and spaces stay. Check digits inside the account part, which some countries have, are
    encrypted like its other digits, so that those of a token are wrong as a rule.
    """

    label: str = field(default="iban", compare=False)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """A layout for each country, with and without spaces."""
        return _layouts()

    @property
    def identity(self) -> Sequence[object]:
        """Only the name; the country is part of each value's tweak."""
        return ("iban",)

    @property
    def examples(self) -> tuple[str, ...]:
        """The registry's own."""
        return ("DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819")

    def complete(self, layout: Layout, texts: Texts) -> npt.NDArray[np.bool_]:
        """Write the check digits: 98 less the rest, modulo 97, of account, country and 00."""
        symbols = [place for place in range(layout.width) if place not in _spaces(layout)]
        rest = np.zeros(len(texts), np.uint64)
        for number, place in enumerate((*symbols[4:], *symbols[:2])):
            characters = texts[:, place]
            rest = rest * _FACTORS[characters] + _VALUES[characters]
            if number % 8 == 7:  # 97 * 100**8 is below 2**64
                rest %= 97
        check = 98 - rest % 97 * 100 % 97
        tens, units = layout.checks
        texts[:, tens] = check // 10 + ord("0")
        texts[:, units] = check % 10 + ord("0")
        return np.ones(len(texts), np.bool_)


_VALUES = np.zeros(256, np.uint64)
"""A to Z count as 10 to 35."""
for _number, _character in enumerate(string.digits + string.ascii_uppercase):
    _VALUES[ord(_character)] = _number

_FACTORS = np.where(_VALUES > 9, np.uint64(100), np.uint64(10))
"""What the digits before a character are moved by."""


def _spaces(layout: Layout) -> set[int]:
    return {place for place, character in layout.literals if character == " "}


@cache
def _layouts() -> tuple[Layout, ...]:
    return tuple(
        _layout(country, structure, spaced)
        for country, structure in STRUCTURES.items()
        for spaced in (False, True)
    )


def _layout(country: str, structure: str, spaced: bool) -> Layout:
    account = [
        _FIELDS[kind]
        for count, kind in re.findall(r"(\d+)([nac])", structure)
        for _ in range(int(count))
    ]
    places = [i + i // 4 * spaced for i in range(4 + len(account))]
    width = places[-1] + 1
    literals = [(places[i], country[i]) for i in range(2)]
    literals += [(place, " ") for place in sorted(set(range(width)) - set(places))]
    return Layout(
        width,
        tuple(literals),
        tuple(zip(places[4:], account, strict=True)),
        (places[2], places[3]),
        f"IBAN of {country}",
        country.encode("ascii"),
    )
