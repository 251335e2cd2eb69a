# SPDX-License-Identifier: Apache-2.0
"""Which character of an invalid value is at fault. Only values that failed are looked at.

A message tells the position and the class of the character. So a character counts as at fault only
if no value of the format has one of its class there, or if it is outside the format's alphabet: the
digits of an impossible date or of a number beyond the range are not placed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence

from tallystick.errors import CharacterClass, Fault

DIGITS = "0123456789"

Places = Sequence[Collection[str]]
"""For each character of a layout, in order, which ones may stand there."""

_CLASSES: dict[str, CharacterClass] = {"L": "letter", "Nd": "digit", "Z": "space", "Cc": "control"}


def fault_at(value: str, place: int | None) -> Fault | None:
    """Describe the character at a place, counted from 0; None stays None."""
    if place is None:
        return None
    category = unicodedata.category(value[place])
    kind = _CLASSES.get(category) or _CLASSES.get(category[0], "other")
    return Fault(place + 1, kind)


def first_outside(value: str, allowed: Collection[str]) -> int | None:
    """Return the place of the first character that is not allowed anywhere."""
    return next((place for place, one in enumerate(value) if one not in allowed), None)


def farthest(value: str, layouts: Iterable[Places]) -> int | None:
    """Return the place of the first character that no layout has there.

    None if the value is the beginning of a layout: then it is too short, or a combination of its
    characters is not allowed.
    """
    place = max(_alike(value, places) for places in layouts)
    return place if place < len(value) else None


def first_in_number(value: str, *, point: bool) -> int | None:
    """Return the place of the first character that a decimal number in text can't have there."""
    seen = not point
    for place, one in enumerate(value):
        if one == "." and not seen:
            seen = True
        elif one not in DIGITS and not (one == "-" and place == 0):
            return place
    return None


def first_decomposed(value: str) -> int | None:
    """Return the place of the character with which a value ceases to be in NFC."""
    if unicodedata.is_normalized("NFC", value):
        return None
    # Every part of normalized text is normalized, so beginnings are, up to the place.
    good, bad = 0, len(value)
    while bad - good > 1:
        middle = (good + bad) // 2
        if unicodedata.is_normalized("NFC", value[:middle]):
            good = middle
        else:
            bad = middle
    return good


def first_lone_surrogate(value: str) -> int | None:
    """Return the place of the first character that UTF-8 can't hold."""
    return next((place for place, one in enumerate(value) if "\ud800" <= one <= "\udfff"), None)


def _alike(value: str, places: Places) -> int:
    for place, (one, allowed) in enumerate(zip(value, places, strict=False)):
        if one not in allowed:
            return place
    return min(len(value), len(places))
