# SPDX-License-Identifier: Apache-2.0
"""``age:``: root keys in age's format (age-encryption.org/v1), for an identity or a passphrase.

``age:PATH`` is a file with one X25519 identity, as age-keygen writes it. ``age:age1...`` is its
public recipient, which wraps and can't unwrap. ``age:passphrase`` asks. age has no authenticated
data, so the context is not bound.
"""

import re
from dataclasses import dataclass, field

from ...errors import ParameterError, RootKeyDeniedError, RootKeyError, RootKeyLostError
from ...memory import HoldsKeys
from ..credentials import private_file, secret
from ..hexadecimal import is_key
from ..root import Ask
from . import library

_RECIPIENT = re.compile(r"age1[02-9ac-hj-np-z]{58}")
_IDENTITY = re.compile(r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}")
_PASSPHRASE = ["TALLYSTICK_AGE_PASSPHRASE"]
_WORK = 22  # log2 of the most work of scrypt that is done for a file, as the age program


def parse(rest: str, ask: Ask) -> "Identity | Passphrase":
    """Read what follows ``age:``. A file is read now, since the ring records its public recipient.

    Raises `RootKeyError`: the file can't be read, is no identity, or others may use it.
    `RootKeyLostError`: there is no such file.
    `ParameterError`: an identity itself was written.
    """
    if is_key(rest):
        raise ParameterError("age: takes the path of an identity file; never write an identity")
    with library("age", "age"):
        import pyrage
    if rest == "passphrase":
        return Passphrase(ask)
    if _RECIPIENT.fullmatch(rest):
        return Identity(rest)
    found = _identities(rest)
    if len(found) != 1:
        raise RootKeyError(
            f"{rest}: has {len(found)} X25519 identities, and one is needed (AGE-SECRET-KEY-1...); "
            "make one with age-keygen; an encrypted identity file must be decrypted first"
        )
    try:
        return Identity(str(pyrage.x25519.Identity.from_str(found[0]).to_public()), rest)
    except pyrage.IdentityError:
        raise RootKeyError(
            f"{rest}: the age identity has a typing error; find a good copy"
        ) from None


def _identities(path: str) -> list[str]:
    try:
        return _IDENTITY.findall(private_file(path, "age identity"))
    except RootKeyError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        raise RootKeyLostError(
            f"{path}: no such age identity file; check the path; if the file is lost, open the "
            "ring with another of its roots, or restore the file from a backup"
        ) from None


@dataclass(frozen=True, slots=True)
class Identity(HoldsKeys):
    """An X25519 identity in a file, or its recipient alone."""

    recipient: str
    path: str | None = None

    @property
    def name(self) -> str:
        """The recipient, which is public."""
        return f"age:{self.recipient}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt to the recipient."""
        import pyrage

        try:
            return bytes(pyrage.encrypt(key, [pyrage.x25519.Recipient.from_str(self.recipient)]))
        except (pyrage.RecipientError, pyrage.EncryptError):
            raise RootKeyError(
                f"{self.name}: no age recipient; check it for typing errors"
            ) from None

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt with the identity."""
        import pyrage

        if self.path is None:
            raise RootKeyError(
                f"{self.name}: a recipient only wraps; to open the ring, give the path of its "
                "identity file: age:PATH"
            )
        text = _identities(self.path)
        try:
            return bytes(
                pyrage.decrypt(wrapped, [pyrage.x25519.Identity.from_str(one) for one in text])
            )
        except (pyrage.DecryptError, pyrage.IdentityError):
            raise RootKeyDeniedError(
                f"{self.path}: the age identity does not open the key ring's root key; give the "
                f"identity of {self.recipient}, or restore the key ring from a backup"
            ) from None


@dataclass(frozen=True, slots=True)
class Passphrase(HoldsKeys):
    """A passphrase, with age's scrypt: from the environment, a file, or the terminal."""

    ask: Ask = field(repr=False)

    @property
    def name(self) -> str:
        """A ring has one passphrase, which needs no other name."""
        return "age:passphrase"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt by the passphrase."""
        import pyrage

        from ..passphrase import weakness

        given = secret(_PASSPHRASE, "passphrase")
        if given is None:
            given = self.ask("New passphrase of age: ")
            if self.ask("The same again: ") != given:
                raise RootKeyError(f"{self.name}: the two passphrases differ; try again")
        if weak := weakness(given):
            raise RootKeyError(f"{self.name}: the passphrase {weak}")
        return bytes(pyrage.passphrase.encrypt(key, given))

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt by the passphrase."""
        import pyrage

        _check_work(wrapped)
        given = secret(_PASSPHRASE, "passphrase")
        if given is None:
            given = self.ask("Passphrase of age: ")
        try:
            return bytes(pyrage.passphrase.decrypt(wrapped, given))
        except pyrage.DecryptError:
            raise RootKeyDeniedError(
                f"{self.name}: the passphrase does not open the key ring's root key; type it again"
            ) from None


def _check_work(wrapped: bytes) -> None:
    """Refuse a hostile file that asks for hours of scrypt."""
    found = re.match(
        rb"age-encryption\.org/v1\n-> scrypt [A-Za-z0-9+/]{22} ([0-9]{1,2})\n", wrapped
    )
    if not found or int(found[1]) > _WORK:
        raise RootKeyError(
            "age:passphrase: the key ring's record is no passphrase's, or asks for too much work; "
            "restore the key ring from a backup"
        )
