# SPDX-License-Identifier: Apache-2.0
"""What a data key is called: a name and a version, written ``name:version``."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from tallystick._core import ffi, lib

from ..errors import ParameterError

MAX_HOLDER = 64  # characters
MAX_VERSION = 2**32 - 1
KeySize = Literal[16, 24, 32]  # bytes
Rights = Literal["protect reveal", "protect", "reveal"]
"""What a key, or whoever opens a ring, may do. The libraries obey; nothing makes others obey."""
RIGHTS: tuple[Rights, ...] = get_args(Rights)
ALL_RIGHTS: Rights = "protect reveal"
KEY_SIZES: tuple[KeySize, ...] = get_args(KeySize)


def holder_fits(name: str) -> bool:
    """Return whether this can name the holder of a share: printable, no blanks around it."""
    return 1 <= len(name) <= MAX_HOLDER and name.isprintable() and name == name.strip()


def _made(make: Callable[..., int], *given: object) -> Any:  # noqa: ANN401
    key_id, problem = ffi.new("tally_key_id *"), ffi.new("tally_problem *")
    if make(*given, key_id, problem) != lib.TALLY_OK:
        raise ParameterError(ffi.string(problem.text).decode())
    return key_id


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
        self.struct()

    def struct(self) -> Any:  # noqa: ANN401
        """Return it as the core has it."""
        name = self.name.encode("utf-8", "replace")
        version = self.version if 0 <= self.version <= MAX_VERSION else 0
        return _made(lib.tally_key_id_init, name, len(name), version)

    @classmethod
    def parse(cls, reference: str) -> "KeyId":
        """Read a reference such as ``people:1``.

        Raises
        ------
        ParameterError
            The text is not a name, a colon, and a version without leading zeros.
        """
        text = reference.encode("utf-8", "replace")
        read = _made(lib.tally_key_id_parse, text, len(text))
        return cls(ffi.string(read.name).decode(), read.version)

    def __str__(self) -> str:
        """Return the reference."""
        return f"{self.name}:{self.version}"


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """The public facts about a data key."""

    name: str
    """The key's name."""
    version: int
    """The key's version, from 1."""
    size: int
    """The key's size in bytes: 16, 24 or 32."""
    created: datetime
    """The time of creation in UTC, to the second."""
    rights: Rights = "protect reveal"
    """What the key may be used for."""

    @property
    def id(self) -> KeyId:
        """The key's name and version."""
        return KeyId(self.name, self.version)
