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
        check = 98 - _rest(layout, texts) * 100 % 97
        tens, units = layout.checks
        texts[:, tens] = check // 10 + ord("0")
        texts[:, units] = check % 10 + ord("0")
        return np.ones(len(texts), np.bool_)


_VALUES = np.zeros(256, np.uint32)
"""A to Z count as 10 to 35."""
for _number, _character in enumerate(string.digits + string.ascii_uppercase):
    _VALUES[ord(_character)] = _number

_FACTORS = np.where(_VALUES > 9, np.uint32(100), np.uint32(10))
"""What the digits before a character are moved by."""


def _rest(layout: Layout, texts: Texts) -> npt.NDArray[np.uint32]:
    """Return the remainder, modulo 97, of account and country as digits."""
    rest = np.zeros(len(texts), np.uint32)
    places, weights = _order(layout)
    if weights:
        for place, weight in zip(places, weights, strict=True):
            rest += _VALUES[texts[:, place]] * weight  # all together below 2**17
        return rest % 97
    for place in places:
        characters = texts[:, place]
        rest = (rest * _FACTORS[characters] + _VALUES[characters]) % 97
    return rest


@cache
def _order(layout: Layout) -> tuple[list[int], list[np.uint32]]:
    """Return the places in the order of ISO 13616, and what each weighs, if that is fixed."""
    spaces = {place for place, character in layout.literals if character == " "}
    symbols = [place for place in range(layout.width) if place not in spaces]
    letters = {place: field is _FIELDS["a"] for place, field in layout.fields}
    order, weights, weight = symbols[4:] + symbols[:2], [], 1
    for place in reversed(order):
        weights.append(np.uint32(weight))
        weight = weight * (100 if letters.get(place, True) else 10) % 97
    mixed = any(field is _FIELDS["c"] for _, field in layout.fields)
    return order, [] if mixed else weights[::-1]


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
