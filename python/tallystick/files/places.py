# SPDX-License-Identifier: Apache-2.0
"""Where data comes from and where it goes: files, standard input, standard output."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files; the suffix before says what is in them."""


@dataclass(frozen=True, slots=True)
class Standard:
    """A standard stream of the process; `STDIN` and `STDOUT` are the only ones.

    Attributes
    ----------
    name : str
        What messages call it.
    """

    name: str

    def __str__(self) -> str:
        """Return the name."""
        return self.name


STDIN = Standard("standard input")
STDOUT = Standard("standard output")

Place: TypeAlias = Path | Standard
"""Where data comes from or goes to."""


Given: TypeAlias = str | os.PathLike[str] | Standard
"""What callers may give for a place."""


def place_of(given: Given) -> Place:
    """Return the place that a caller gave: the path as a `pathlib.Path`, or the standard stream."""
    return given if isinstance(given, Standard) else Path(given)


def suffix_of(place: Place) -> str:
    """Return the suffix that names the kind of data, in lower case: that before a compression's."""
    if isinstance(place, Standard):
        return ""
    suffixes = [suffix.lower() for suffix in Path(place.name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def compression_of(place: Place) -> str | None:
    """Return the suffix of `COMPRESSIONS` that a name ends in, or None."""
    if isinstance(place, Standard):
        return None
    suffix = Path(place.name).suffix.lower()
    return suffix if suffix in COMPRESSIONS else None
