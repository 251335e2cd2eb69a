# SPDX-License-Identifier: Apache-2.0
"""Tallystick: tokens of the same format in place of sensitive values."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tallystick.errors import (
    FileError,
    FormatError,
    InvalidValueError,
    KeyringError,
    NotProtectedWarning,
    ParameterError,
    PolicyError,
    RootKeyError,
    TallyError,
)

if TYPE_CHECKING:
    from tallystick import formats
    from tallystick.fast import FastCipher, FastParams
    from tallystick.ff1 import FF1Cipher, FF31Cipher
    from tallystick.protector import Protector
    from tallystick.tokenizer import Counts, Tokenizer

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "FF1Cipher",
    "FF31Cipher",
    "FastCipher",
    "FastParams",
    "FileError",
    "FormatError",
    "InvalidValueError",
    "KeyringError",
    "NotProtectedWarning",
    "ParameterError",
    "PolicyError",
    "Protector",
    "RootKeyError",
    "TallyError",
    "Tokenizer",
    "formats",
]


_PLACES = {
    "Counts": "tallystick.tokenizer",
    "FF1Cipher": "tallystick.ff1",
    "FF31Cipher": "tallystick.ff1",
    "FastCipher": "tallystick.fast",
    "FastParams": "tallystick.fast",
    "Protector": "tallystick.protector",
    "Tokenizer": "tallystick.tokenizer",
}
"""Where names are that are loaded when first asked for: Arrow and numpy take their time."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "formats":
        return import_module("tallystick.formats")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
