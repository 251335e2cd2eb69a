# SPDX-License-Identifier: Apache-2.0
"""Key rings: files of named, versioned data keys, each wrapped under one root key.

`Keyring` is the ring, `RootKey` the source of its root key, and `split_root` splits the root key
among people. docs/reference/keyring.md describes the file's format, and its limits of protection.
"""

from __future__ import annotations

from .names import KeyId, KeyInfo
from .ring import Keyring
from .root import EnvironmentRoot, FileRoot, PassphraseRoot, RootKey, SharesRoot
from .split import HeldShare, Splitting, split_root

__all__ = [
    "EnvironmentRoot",
    "FileRoot",
    "HeldShare",
    "KeyId",
    "KeyInfo",
    "Keyring",
    "PassphraseRoot",
    "RootKey",
    "SharesRoot",
    "Splitting",
    "split_root",
]
