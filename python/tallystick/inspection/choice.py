# SPDX-License-Identifier: Apache-2.0
"""A format that a column may have."""

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
        The kind of the values, as in `knowledge.toml`.
    title : str
        The usual name of the kind.
    type : str
        The format's name.
    options : dict
        Its options.
    shape : float
        The evidence of valid values for the kind, without the name, 0 to 1.
    gate : re.Pattern or None
        A pattern of values of the kind, stricter than the format.
    check : float or None
        The chance that another value has right check digits; None: the format has none.
    note : str
        A remark for the user.
    generic : bool
        Whether it matches many kinds of values, so that a special format is preferred.
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

        Raises `FormatError`: no format has these options.
        """
        return _made(self.type, tuple(self.options.items()))


@lru_cache(256)
def _made(name: str, options: tuple[tuple[str, Any], ...]) -> Format:
    return PRESETS[name](**dict(options))
