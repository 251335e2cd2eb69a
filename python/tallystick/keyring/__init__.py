# SPDX-License-Identifier: Apache-2.0
"""Key rings: files of named, versioned data keys, each wrapped under one root key.

`Keyring` is the ring, `RootKey` the sources its root key can come from. The file's format and
what it does and does not protect against are in docs/keyring.md.
"""

from __future__ import annotations

from .names import KeyId, KeyInfo
from .ring import Keyring
from .root import EnvironmentRoot, FileRoot, PassphraseRoot, RootKey

__all__ = [
    "EnvironmentRoot",
    "FileRoot",
    "KeyId",
    "KeyInfo",
    "Keyring",
    "PassphraseRoot",
    "RootKey",
]
