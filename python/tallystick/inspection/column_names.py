# SPDX-License-Identifier: Apache-2.0
"""Kinds of values that the name of a column suggests."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from tallystick.inspection.knowledge import HINTS, NEUTRAL

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST = 5  # words of a hint


def folded(text: str) -> str:
    """Return text in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = plain.replace("\u0131", "i").replace("ß", "ss").replace("ø", "o").replace("ł", "l")
    return unicodedata.normalize("NFC", plain)


def words(name: str) -> list[str]:
    """Split a name into words: at signs, digits and capitals; in lower case, without accents."""
    plain = folded(_HUMP.sub(" ", name))
    found = re.findall(r"[^\W\d_]+|\d+", plain)
    return [word for word in found if not word.isdigit()] or found


def hints(name: str) -> Mapping[str, float]:
    """Return the kinds that a name suggests, each with its certainty, 0 to 1.

    Of hints that overlap only the longest count: a "company name" is no name of a person.
    """
    found: dict[str, float] = {}
    parts, known = words(name), _known()
    start = 0
    while start < len(parts):
        for end in range(min(len(parts), start + _LONGEST), start, -1):
            kinds = known.get("".join(parts[start:end]))
            if kinds:
                for kind, sure in kinds.items():
                    found[kind] = max(sure, found.get(kind, 0.0))
                start = end - 1
                break
        start += 1
    if len(found) > 1 and NEUTRAL in found and len(parts) > 1:
        # "patient address type": both; the hint of personal data is less certain.
        found = {kind: sure * (1 if kind == NEUTRAL else 0.8) for kind, sure in found.items()}
    return found


@cache
def _known() -> dict[str, dict[str, float]]:
    """Return the kinds that each phrase suggests; the words of a phrase are joined."""
    known: dict[str, dict[str, float]] = {}
    for kind, sure, phrases in HINTS:
        for phrase in phrases:
            found = known.setdefault("".join(words(phrase)), {})
            found[kind] = max(sure, found.get(kind, 0.0))
    return known
