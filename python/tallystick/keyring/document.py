# SPDX-License-Identifier: Apache-2.0
"""The text of a key ring file: strict JSON with one spelling for each content.

A file is accepted only if encoding what was decoded gives the same bytes. That one rule refuses
repeated fields, other spacing or order, and loose base64, and it puts ``mac`` last, so the
authenticated part is all bytes but the last `TAIL`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ..errors import KeyringError
from ..mistaken import hint
from .names import MAX_HOLDER, MAX_VERSION, NAME_PATTERN, KeySize, holder_fits

FORMAT = "tallystick-keyring"
MAX_FILE = 1 << 20  # bytes: about 4000 keys
WRAPPING_EXPANSION = 12 + 16  # bytes: nonce and tag
TAIL = 64 + len('"\n}\n')  # bytes after the authenticated part: the MAC's digits, and the end

_Hex16 = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
_Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class PlainRoot(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="key"):
    """The root key is 32 bytes kept elsewhere; the ring need not know where."""


class ScryptRoot(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="scrypt"):
    """The root key is derived from a passphrase by scrypt (RFC 7914).

    The bounds are for opening: a hostile file may ask for at most 256 MiB and some seconds.
    """

    salt: _Hex16
    n: Annotated[int, Meta(ge=1 << 14, le=1 << 18)]
    r: Literal[8]
    p: Annotated[int, Meta(ge=1, le=4)]

    def __post_init__(self) -> None:
        """Refuse what the types above let through."""
        if self.n & (self.n - 1):
            raise ValueError("scrypt's n must be a power of two")


class SharedRoot(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="shares"):
    """The root key is split: `threshold` shares of this set reconstruct it.

    Whoever is `holders[i]` was given the share with index i + 1. Names are for people to find each
    other, and no share holds one.
    """

    set: _Hex16
    threshold: Annotated[int, Meta(ge=2, le=255)]
    count: Annotated[int, Meta(ge=2, le=255)]
    holders: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse what the types above let through."""
        if self.threshold > self.count:
            raise ValueError("the threshold is above the number of shares")
        if len(self.holders) != self.count:
            raise ValueError("there must be a holder for each share")
        if not all(map(holder_fits, self.holders)):
            raise ValueError(
                f"a holder is 1 to {MAX_HOLDER} printable characters, without spaces at its ends"
            )
        if len(set(self.holders)) != self.count:
            raise ValueError("a holder is listed twice")


RootRecord = PlainRoot | ScryptRoot | SharedRoot


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """One wrapped data key."""

    name: Annotated[str, Meta(pattern=NAME_PATTERN)]
    version: Annotated[int, Meta(ge=1, le=MAX_VERSION)]
    created: datetime
    size: KeySize
    wrapped: bytes  # nonce, ciphertext, tag

    def __post_init__(self) -> None:
        """Refuse what the types above let through."""
        if len(self.wrapped) != self.size + WRAPPING_EXPANSION:
            raise ValueError("the length of a wrapped key does not match its size")
        _check_time(self.created)


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole key ring file."""

    format: Literal["tallystick-keyring"]
    version: Literal[1]
    ring: _Hex16
    created: datetime
    root: RootRecord
    check: _Hex16
    keys: tuple[Entry, ...]
    mac: _Hex32 = "0" * 64

    def __post_init__(self) -> None:
        """Refuse what the types above let through."""
        _check_time(self.created)
        if len({(entry.name, entry.version) for entry in self.keys}) != len(self.keys):
            raise ValueError("a name and version are listed twice")


class _Header(Struct):
    """As much as any version of the format has, to name a newer version in the message."""

    format: str
    version: int


def now() -> datetime:
    """Return the time in UTC, to the second, as the format keeps it."""
    return datetime.now(UTC).replace(microsecond=0)


def encode(document: Document) -> bytes:
    """Return the one text of a document."""
    return json.dumps(msgspec.to_builtins(document), indent=2).encode() + b"\n"


def decode(data: bytes, where: Path) -> Document:
    """Read a file's bytes, strictly. Nothing in the result is authenticated yet.

    Raises
    ------
    KeyringError
        If it is not a key ring of this version in the one spelling; `where` names it.
    """
    mend = "restore the file from a backup"
    try:
        header = msgspec.json.decode(data, type=_Header)
        if header.format != FORMAT:
            raise KeyringError(f"{where}: not a Tallystick key ring; check the path")
        if header.version != 1:
            raise KeyringError(
                f"{where}: key ring format {header.version}, and this Tallystick reads format 1; "
                "use the Tallystick that wrote it, or a newer one"
            )
        document = msgspec.json.decode(data, type=Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        # The message may quote a field's name from a hostile file: no control characters.
        if not data.lstrip().startswith(b"{"):
            instead = hint(where, "a key ring") or "; check the path"
            raise KeyringError(f"{where}: not a key ring{instead}") from None
        detail = "".join(c if c.isprintable() else "?" for c in str(error))[:200]
        raise KeyringError(f"{where}: not a valid key ring: {detail}; {mend}") from None
    if encode(document) != data:
        raise KeyringError(
            f"{where}: the file was edited or reformatted: Tallystick writes another text (a field "
            f"occurs twice, or spacing or order differ); {mend}"
        )
    return document


def _check_time(time: datetime) -> None:
    if time.utcoffset() != timedelta(0) or time.microsecond:
        raise ValueError("a time must be in UTC (Z), to the second")
