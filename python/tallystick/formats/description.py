# SPDX-License-Identifier: Apache-2.0
"""What formats there are, and which options they have: the core's tables."""

import json
from dataclasses import dataclass
from functools import cache
from itertools import count, takewhile
from typing import Any

from tallystick._core import ffi, lib


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a format.

    Attributes
    ----------
    name : str
        Its name in policies.
    kind : str
        ``text``, ``integer``, ``whole`` (of any size), ``boolean``, ``choice``, ``list``,
        ``number`` (an integer or text), ``date`` or ``datetime`` (text in ISO 8601).
    required : bool
        Whether it can't be left out.
    choices : tuple of str
        What a ``choice`` may be.
    default : str, int, bool or None
        What it is if it is left out; dates as text. None: nothing.
    """

    name: str
    kind: str
    required: bool
    choices: tuple[str, ...]
    default: str | int | bool | None


@dataclass(frozen=True, slots=True)
class Description:
    """A format.

    Attributes
    ----------
    name : str
        Its name in policies.
    about : str
        What it is for.
    sample : dict of str to object
        Options with which it can be made.
    ciphers : bool
        Whether it takes ``cipher`` and ``tweak_hex`` as well.
    options : tuple of Option
        Its options.
    """

    name: str
    about: str
    sample: dict[str, Any]
    ciphers: bool
    options: tuple[Option, ...]


@cache
def descriptions() -> dict[str, Description]:
    """Return all formats by their names, in the order of the documentation."""
    found = takewhile(bool, (_described(index) for index in count()))
    return {one["name"]: _of_json(one) for one in map(json.loads, found)}


def _described(index: int) -> str:
    size = lib.tally_format_describe(index, ffi.new("char[]", 1), 1)
    out = ffi.new("char[]", size + 1)
    lib.tally_format_describe(index, out, size + 1)
    return str(ffi.string(out).decode())


def _of_json(one: dict[str, Any]) -> Description:
    options = (Option(**{**given, "choices": tuple(given["choices"])}) for given in one["options"])
    return Description(**{**one, "options": tuple(options)})
