# SPDX-License-Identifier: Apache-2.0
"""Root keys of rings, wrapped by keys that stay where they are: in a KMS, an HSM, an identity.

The ring's root key is random. Each wrapping key encrypts it, and the ring's file has the results.
To open the ring, one of them decrypts its own.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, runtime_checkable

from tallystick._core import lib

from ..errors import ParameterError, RootKeyError
from .document import RootRecord, WrappedRoot
from .names import ALL_RIGHTS, RIGHTS, Rights
from .root import Ask, RootKey, ask_terminal
from .seal import ROOT_SIZE, wipe

MOST = int(lib.TALLY_ROOTS_MAX)
"""Root keys of one ring."""
_NAME_MAX = int(lib.TALLY_ROOT_NAME_SIZE_MAX)
_WRAPPED_MAX = int(lib.TALLY_ROOT_WRAPPED_SIZE_MAX)


@runtime_checkable
class Root(Protocol):
    """A key that wraps root keys, and never leaves its home. Implement it for homes of your own.

    Raise `RootKeyError` or one of its subclasses for everything that goes wrong. Its message says
    what, where and how to mend it, and shows neither a key nor a credential.
    """

    @property
    def name(self) -> str:
        """The key's public name, which the ring's file records, such as ``transit:transit/people``.

        A scheme, a colon, and 1 to 1000 printable characters. Equal names are the same key.
        """

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt a root key of 32 bytes; the result has 1 to 4096.

        Bind it to `context` if the home has authenticated data, and ignore it otherwise: the ring's
        check value tells another ring's root key in any case.
        """

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt what `wrap` returned for the same context."""


def context(ring_id: str) -> bytes:
    """Return what a root key is wrapped for: ``tallystick keyring `` and the ring's id."""
    return b"tallystick keyring " + ring_id.encode("ascii")


@dataclass(frozen=True, slots=True)
class WrappingRoot(RootKey):
    """A root key that a `Root` wraps.

    Parameters
    ----------
    root : Root
        The wrapping key.
    rights : {"protect reveal", "protect", "reveal"}
        What whoever opens a ring with it may do. Recorded when the ring is wrapped.
    """

    root: Root
    rights: Rights = ALL_RIGHTS

    def __post_init__(self) -> None:
        """Refuse a name that a ring can't record, and unknown rights."""
        scheme, colon, rest = self.root.name.partition(":")
        good = scheme.replace("-", "").isalnum() and scheme.isascii() and scheme.islower()
        if not (good and colon and rest and self.root.name.isprintable()) or (
            len(self.root.name.encode("utf-8", "replace")) > _NAME_MAX
        ):
            raise ParameterError("a wrapping key's name is a scheme, a colon, and printable text")
        if self.rights not in RIGHTS:
            raise ParameterError(f"rights are one of {', '.join(map(repr, RIGHTS))}")

    def opens(self, record: RootRecord) -> bool:
        """Return whether this key wrapped the record."""
        return isinstance(record, WrappedRoot) and record.by == self.root.name

    def establish(
        self, ring: Path, ring_id: str, key: bytes | None = None
    ) -> tuple[bytes, RootRecord]:
        """Wrap the root key that another source gave, or a random one."""
        key = secrets.token_bytes(ROOT_SIZE) if key is None else key
        wrapped = self.root.wrap(key, context(ring_id))
        if not 1 <= len(wrapped) <= _WRAPPED_MAX:
            raise RootKeyError(
                f"{ring}: {self} returned {len(wrapped)} bytes for a wrapped root key, and 1 to "
                f"{_WRAPPED_MAX} fit in a ring; use another wrapping key"
            )
        return key, WrappedRoot(self.root.name, self.rights, wrapped)

    def recover(self, ring: Path, record: RootRecord, ring_id: str) -> bytearray:
        """Let the wrapping key decrypt its record."""
        assert isinstance(record, WrappedRoot)  # noqa: S101 (`opens` said so)
        key = bytearray(self.root.unwrap(record.wrapped, context(ring_id)))
        if len(key) != ROOT_SIZE:
            wipe(key)
            raise RootKeyError(
                f"{ring}: {self} unwrapped something that is not a root key; restore the file "
                "from a backup"
            )
        return key

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return self.root.name


SCHEMES = {
    "age": "age",
    "aws-kms": "aws_kms",
    "azure-kv": "azure_kv",
    "gcp-kms": "gcp_kms",
    "keyring": "os_keyring",
    "pkcs11": "pkcs11",
    "transit": "transit",
}
"""The module in `tallystick.keyring.roots` of each scheme; its `parse` makes the root."""


def parse_root(text: str, ask: Ask = ask_terminal) -> RootKey | None:
    """Read a wrapping key from its text; None: it has no known scheme.

    Raises `ParameterError`: what follows the scheme is invalid.
    """
    scheme, _, rest = text.partition(":")
    if scheme not in SCHEMES or not rest or not text.isprintable():
        return None
    parse: Callable[[str, Ask], Root] = import_module(
        f"tallystick.keyring.roots.{SCHEMES[scheme]}"
    ).parse
    return WrappingRoot(parse(rest, ask))


def as_source(root: RootKey | Root) -> RootKey:
    """Return the source that a caller gave, or one around a wrapping key of the caller's own."""
    return root if isinstance(root, RootKey) else WrappingRoot(root)


def establish(
    roots: Sequence[RootKey | Root], ring: Path, ring_id: str
) -> tuple[bytes, tuple[RootRecord, ...]]:
    """Return the root key of a ring, and the records by which each of the roots leads to it.

    Raises `ParameterError`: there are none, too many, or two that each are a root key of its own.
    """
    if not 1 <= len(roots) <= MOST:
        raise ParameterError(f"a key ring has 1 to {MOST} root keys")
    sources = [as_source(root) for root in roots]
    own = [source for source in sources if not isinstance(source, WrappingRoot)]
    wrapping = [source for source in sources if isinstance(source, WrappingRoot)]
    if len(own) > 1:
        raise ParameterError(
            f"{own[0]} and {own[1]} are two root keys; give one of them, and wrapping keys "
            "beside it"
        )
    key, first = (own or wrapping)[0].establish(ring, ring_id)
    others = wrap_beside(key, wrapping if own else wrapping[1:], ring, ring_id)
    _refuse_twice([first, *others])
    return key, (first, *others)


def wrap_beside(
    key: bytes, roots: Sequence[RootKey | Root], ring: Path, ring_id: str
) -> tuple[RootRecord, ...]:
    """Return the records by which wrapping keys lead to a root key that there is.

    Raises `ParameterError`: there are too many, or one is no wrapping key.
    """
    sources = [as_source(root) for root in roots]
    for source in sources:
        if not isinstance(source, WrappingRoot):
            raise ParameterError(f"{source} can't wrap a root key; give a wrapping key")
    if len(sources) >= MOST:
        raise ParameterError(f"a key ring has 1 to {MOST} root keys")
    records = [source.establish(ring, ring_id, key)[1] for source in sources]
    _refuse_twice(records)
    return tuple(records)


def _refuse_twice(records: Sequence[RootRecord]) -> None:
    names = [record.by for record in records if isinstance(record, WrappedRoot)]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{name} is given twice")
