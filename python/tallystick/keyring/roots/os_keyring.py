# SPDX-License-Identifier: Apache-2.0
"""``keyring:NAME``: a key in the keyring of the operating system, which a login unlocks.

The Secret Service of Linux, or the Keychain of macOS: the item of service ``tallystick`` and
account NAME, 64 hexadecimal digits. Such a keyring stores, and encrypts nothing for others: the
program gets the key, and encrypts with it by AES-256-GCM: 12 bytes of nonce, 32 of the root key, 16
of the tag. The context is authenticated.
"""

import base64
import binascii
import re
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ...errors import ParameterError, RootKeyError
from ..root import Ask
from . import changed, denied, library, lost

_SERVICE = "tallystick"
_NAME = re.compile(r"[A-Za-z0-9_.@-]{1,100}")
_KEY = re.compile(r"[0-9a-f]{64}")
_GO = "go-keyring-base64:"  # what zalando/go-keyring writes before items on macOS


def parse(rest: str, _ask: Ask) -> "OsKeyring":
    """Read what follows ``keyring:``.

    Raises `ParameterError`: it is no name.
    """
    if not _NAME.fullmatch(rest):
        raise ParameterError("keyring: is written keyring:NAME, of letters, digits and _.@-")
    return OsKeyring(rest)


@dataclass(frozen=True, slots=True)
class OsKeyring:
    """A key in the keyring of the operating system."""

    account: str

    @property
    def name(self) -> str:
        """The account of the item."""
        return f"keyring:{self.account}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt with the item, which is made if there is none."""
        nonce = secrets.token_bytes(12)
        return nonce + AESGCM(self._key(make=True)).encrypt(nonce, key, context)

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt with the item."""
        try:
            return AESGCM(self._key(make=False)).decrypt(wrapped[:12], wrapped[12:], context)
        except (InvalidTag, ValueError):
            raise changed(self.name) from None

    def _key(self, *, make: bool) -> bytes:
        with library("keyring", "keyring"):
            from keyring.errors import KeyringError, KeyringLocked, NoKeyringError

            import keyring
        try:
            if keyring.get_keyring().priority < 1:
                raise RootKeyError(
                    f"{self.name}: this machine has no keyring that encrypts; log in to a desktop, "
                    "or use another root key"
                )
            text = keyring.get_password(_SERVICE, self.account)
            if text is None and make:
                keyring.set_password(_SERVICE, self.account, secrets.token_hex(32))
                text = keyring.get_password(_SERVICE, self.account)
        except NoKeyringError:
            raise RootKeyError(
                f"{self.name}: this machine has no keyring; log in to a desktop, or use another "
                "root key"
            ) from None
        except KeyringLocked:
            raise denied(self.name, "", "the keyring is locked: unlock it") from None
        except KeyringError as error:
            raise RootKeyError(
                f"{self.name}: the keyring fails ({type(error).__name__}); check that it runs, and "
                "is unlocked"
            ) from None
        if text is None:
            raise lost(self.name)
        return self._parsed(text)

    def _parsed(self, text: str) -> bytes:
        if text.startswith(_GO):
            try:
                text = base64.b64decode(text.removeprefix(_GO), validate=True).decode("latin-1")
            except binascii.Error:
                text = ""
        if not _KEY.fullmatch(text):
            raise RootKeyError(
                f"{self.name}: the item of service {_SERVICE} is not 64 hexadecimal digits; "
                "restore it"
            )
        return bytes.fromhex(text)
