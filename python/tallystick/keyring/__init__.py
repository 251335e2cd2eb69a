# SPDX-License-Identifier: Apache-2.0
"""Key rings: files of named, versioned data keys, each wrapped under one root key.

`Keyring` is the ring, `RootKey` the source of its root key, `Root` a key elsewhere that wraps it,
and `split_root` splits it among people. docs/reference/keyring.md describes the file's format, and
its limits of protection.
"""

from typing import TYPE_CHECKING

from ..later import later
from .names import KeyId as KeyId
from .names import KeyInfo as KeyInfo

if TYPE_CHECKING:
    from .ring import Keyring as Keyring
    from .root import EnvironmentRoot as EnvironmentRoot
    from .root import FileRoot as FileRoot
    from .root import PassphraseRoot as PassphraseRoot
    from .root import RootKey as RootKey
    from .root import SharesRoot as SharesRoot
    from .split import HeldShare as HeldShare
    from .split import Splitting as Splitting
    from .split import split_root as split_root
    from .wrapping import Root as Root
    from .wrapping import WrappingRoot as WrappingRoot
else:
    __getattr__ = later(
        __name__,
        {
            "ring": "Keyring",
            "root": "EnvironmentRoot FileRoot PassphraseRoot RootKey SharesRoot",
            "split": "HeldShare Splitting split_root",
            "wrapping": "Root WrappingRoot",
        },
    )
