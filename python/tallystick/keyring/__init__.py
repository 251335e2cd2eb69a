# SPDX-License-Identifier: Apache-2.0
"""Key rings: files of named, versioned data keys, each wrapped under one root key.

`Keyring` is the ring, `RootKey` the sources its root key can come from, and `split_root` splits it
among people. The file's format and
what it does and does not protect against are in docs/reference/keyring.md.
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
