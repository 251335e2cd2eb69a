# SPDX-License-Identifier: Apache-2.0
"""Tallystick: tokens of the same format in place of sensitive values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallystick import formats
from tallystick.errors import (
    FileError,
    FormatError,
    KeyringError,
    ParameterError,
    PolicyError,
    RootKeyError,
    TallyError,
    UnfitError,
)
from tallystick.fast import FastCipher, FastParams
from tallystick.tokenizer import Counts, Tokenizer

if TYPE_CHECKING:
    from tallystick.protector import Protector

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "FastCipher",
    "FastParams",
    "FileError",
    "FormatError",
    "KeyringError",
    "ParameterError",
    "PolicyError",
    "Protector",
    "RootKeyError",
    "TallyError",
    "Tokenizer",
    "UnfitError",
    "formats",
]


def __getattr__(name: str) -> type[Protector]:
    # Key rings and policies are not loaded for those who need a tokenizer alone.
    if name == "Protector":
        from tallystick.protector import Protector

        return Protector
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
