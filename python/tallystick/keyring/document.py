# SPDX-License-Identifier: Apache-2.0
"""The text of a key ring file: strict JSON with one spelling for each content.

The core says what a ring's file is: of each content, just what `encode` writes. So ``mac`` is last,
and the authenticated part is all bytes but the last `TAIL`. Format 2 is written; format 1, with one
root and no revision, is read.
"""

import json
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from tallystick._core import lib

from .names import ALL_RIGHTS, KeySize, Rights

FORMAT = "tallystick-keyring"
VERSION = 2
MAX_FILE = int(lib.TALLY_KEYRING_SIZE_MAX)  # bytes: about 4000 keys
SIGNERS_MOST = int(lib.TALLY_SIGNERS_MAX)
"""Public keys whose signature a policy must have."""
TAIL = 64 + len('"\n}\n')  # bytes after the authenticated part: the MAC's digits, and the end


class PlainRoot(Struct, frozen=True, tag_field="kind", tag="key"):
    """The root key is 32 bytes kept elsewhere; the ring need not know where."""


class ScryptRoot(Struct, frozen=True, tag_field="kind", tag="scrypt"):
    """The root key is derived from a passphrase by scrypt (RFC 7914).

    The core's bounds are for opening: a hostile file may ask for at most 256 MiB and some seconds.
    """

    salt: str  # hexadecimal
    n: int
    r: int
    p: int


class SharedRoot(Struct, frozen=True, tag_field="kind", tag="shares"):
    """The root key is split: `threshold` shares of this set reconstruct it.

    Whoever is `holders[i]` was given the share with index i + 1. Names are for people to find each
    other, and no share holds one.
    """

    set: str  # hexadecimal
    threshold: int
    count: int
    holders: tuple[str, ...]


class WrappedRoot(Struct, frozen=True, tag_field="kind", tag="wrapped"):
    """The root key is encrypted by a key of a KMS, an HSM or the like."""

    by: str  # the wrapping key's name
    rights: Rights
    wrapped: bytes


RootRecord = PlainRoot | ScryptRoot | SharedRoot | WrappedRoot


class Entry(Struct, frozen=True):
    """One wrapped data key."""

    name: str
    version: int
    created: datetime
    size: KeySize
    wrapped: bytes  # nonce, ciphertext, tag
    rights: Rights = ALL_RIGHTS


class Document(Struct, frozen=True):
    """A whole key ring file. One of format 1 has revision 0 here, and is format 2 once written."""

    format: str
    version: int
    ring: str
    created: datetime
    revision: int
    roots: tuple[RootRecord, ...]
    check: str
    signers: tuple[str, ...]
    keys: tuple[Entry, ...]
    mac: str = "0" * 64


class _First(Struct, frozen=True):
    """A file of format 1."""

    version: int
    ring: str
    created: datetime
    root: RootRecord
    check: str
    keys: tuple[Entry, ...]
    mac: str


class _Head(Struct, frozen=True):
    version: int


def now() -> datetime:
    """Return the time in UTC, to the second, as the format keeps it."""
    return datetime.now(UTC).replace(microsecond=0)


def decode(data: bytes) -> Document:
    """Return what a file says that the core has read, and so found to be valid."""
    if msgspec.json.decode(data, type=_Head).version == VERSION:
        return msgspec.json.decode(data, type=Document)
    old = msgspec.json.decode(data, type=_First)
    return Document(
        format=FORMAT,
        version=VERSION,
        ring=old.ring,
        created=old.created,
        revision=0,
        roots=(old.root,),
        check=old.check,
        signers=(),
        keys=old.keys,
        mac=old.mac,
    )


def encode(document: Document) -> bytes:
    """Return the one text of a document."""
    return json.dumps(msgspec.to_builtins(document), indent=2).encode() + b"\n"
