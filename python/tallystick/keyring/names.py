# SPDX-License-Identifier: Apache-2.0
"""What a data key is called: a name and a version, written ``name:version``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from ..errors import ParameterError

MAX_HOLDER = 64  # characters
NAME_PATTERN = r"^[a-z0-9][a-z0-9_.-]{0,63}\Z"
MAX_VERSION = 2**32 - 1
KeySize = Literal[16, 24, 32]  # bytes
KEY_SIZES: tuple[KeySize, ...] = get_args(KeySize)

_REFERENCE = re.compile(r"([^:]*):([1-9][0-9]{0,9})")


def holder_fits(name: str) -> bool:
    """Return whether this can name the holder of a share: printable, no blanks around it."""
    return 1 <= len(name) <= MAX_HOLDER and name.isprintable() and name == name.strip()


@dataclass(frozen=True, slots=True, order=True)
class KeyId:
    """The name and version of one data key; ``str`` returns the reference, such as ``people:1``.

    Parameters
    ----------
    name : str
        1 to 64 of a-z, 0-9, ``_``, ``.`` and ``-``, starting with a letter or digit.
    version : int
        From 1 to 2**32 - 1.

    Raises
    ------
    ParameterError
        The name or the version is invalid.
    """

    name: str
    version: int

    def __post_init__(self) -> None:
        """Refuse what is not of the form above."""
        if not re.match(NAME_PATTERN, self.name):
            raise ParameterError(
                "a key's name is 1 to 64 of a-z, 0-9, '_', '.' and '-', "
                "and starts with a letter or digit"
            )
        if not 1 <= self.version <= MAX_VERSION:
            raise ParameterError(f"a key's version is from 1 to {MAX_VERSION}")

    @classmethod
    def parse(cls, reference: str) -> KeyId:
        """Read a reference such as ``people:1``.

        Raises
        ------
        ParameterError
            The text is not a name, a colon, and a version without leading zeros.
        """
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise ParameterError("a key reference has the form name:version, for example people:1")
        return cls(match[1], int(match[2]))

    def __str__(self) -> str:
        """Return the reference."""
        return f"{self.name}:{self.version}"


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """The public facts about a data key.

    Attributes
    ----------
    name : str
        The key's name.
    version : int
        The key's version, from 1.
    size : int
        The key's size in bytes: 16, 24 or 32.
    created : datetime
        The time of creation in UTC, to the second.
    """

    name: str
    version: int
    size: int
    created: datetime

    @property
    def id(self) -> KeyId:
        """The key's name and version."""
        return KeyId(self.name, self.version)
