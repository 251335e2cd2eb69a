# SPDX-License-Identifier: Apache-2.0
"""Tallystick: tokens of the same format in place of sensitive values."""

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
    "RootKeyError",
    "TallyError",
    "Tokenizer",
    "UnfitError",
    "formats",
]
