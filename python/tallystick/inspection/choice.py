# SPDX-License-Identifier: Apache-2.0
"""A format that a column may have."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tallystick.formats import PRESETS, Format


@dataclass(frozen=True)
class Choice:
    """A format with options, as a policy has it.

    Attributes
    ----------
    kind : str
        What the values would be; as hints call it.
    title : str
        What people call it.
    type : str
        The format's name.
    options : dict
        Its options.
    shape : float
        How much valid values speak for the kind by themselves, 0 to 1.
    gate : re.Pattern or None
        What values of the kind look like, beyond the format.
    check : float or None
        With which chance a value that is none of them has right check digits; None: it has none.
    note : str
        What else is to be said of it.
    generic : bool
        Whether it fits many kinds of values, so that a special format goes before it.
    """

    kind: str
    title: str
    type: str
    options: dict[str, Any] = field(default_factory=dict)
    shape: float = 0.0
    gate: re.Pattern[str] | None = None
    check: float | None = None
    note: str = ""
    generic: bool = False

    def form(self) -> Format:
        """Make the format.

        Raises
        ------
        FormatError
            There is none with these options.
        """
        return _made(self.type, tuple(self.options.items()))


@lru_cache(256)
def _made(name: str, options: tuple[tuple[str, Any], ...]) -> Format:
    return PRESETS[name](**dict(options))
