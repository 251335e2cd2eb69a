# SPDX-License-Identifier: Apache-2.0
"""Tallystick: tokens of the same format in place of sensitive values."""

from typing import TYPE_CHECKING

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
from tallystick.later import later

if TYPE_CHECKING:
    from tallystick import formats
    from tallystick.fast import FastCipher, FastParams
    from tallystick.ff1 import FF1Cipher, FF31Cipher
    from tallystick.protector import Protector
    from tallystick.reveal_log import Reveal, RevealLog
    from tallystick.scanning import Scanner, scan
    from tallystick.tokenizer import Counts, Tokenizer
else:  # Arrow and numpy take their time
    __getattr__ = later(
        __name__,
        {
            "fast": "FastCipher FastParams",
            "ff1": "FF1Cipher FF31Cipher",
            "formats": "formats",
            "protector": "Protector",
            "reveal_log": "Reveal RevealLog",
            "scanning": "Scanner scan",
            "tokenizer": "Counts Tokenizer",
        },
    )

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
    "Reveal",
    "RevealLog",
    "RootKeyError",
    "Scanner",
    "TallyError",
    "Tokenizer",
    "formats",
    "scan",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
