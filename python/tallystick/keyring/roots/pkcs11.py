# SPDX-License-Identifier: Apache-2.0
"""``pkcs11:token=TOKEN;object=LABEL``: an AES key in a token, by its own AES-GCM (RFC 7512).

``TALLYSTICK_PKCS11_MODULE`` is the path of the token's library, and ``TALLYSTICK_PKCS11_PIN`` (or
``_FILE``) the user's PIN. What `wrap` returns is 12 bytes of nonce, and what the token encrypted,
with 16 bytes of tag. The context is authenticated.
"""

import os
import re
import secrets
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import ParameterError, RootKeyError
from ..credentials import needed
from ..root import Ask
from . import changed, denied, library, lost

_VALUE = r"((?:[A-Za-z0-9_.~-]|%[0-9A-F]{2}){1,192})"
_URI = re.compile(rf"token={_VALUE};object={_VALUE}")
_MODULE = "TALLYSTICK_PKCS11_MODULE"
_PIN = "TALLYSTICK_PKCS11_PIN"
_LOGIN = threading.Lock()  # a token has one login for a process

WAIT = 60.0
"""Seconds that a call of the token's library may take: no call of it can be ended from outside."""


def parse(rest: str, _ask: Ask) -> "Pkcs11":
    """Read what follows ``pkcs11:``.

    Raises `ParameterError`: it has another form.
    """
    found = _URI.fullmatch(rest)
    if not found or not rest.isascii():
        raise ParameterError(
            "pkcs11: is written pkcs11:token=TOKEN;object=LABEL; other characters than letters, "
            "digits and -._~ as %20"
        )
    token, label = (urllib.parse.unquote(part, errors="replace") for part in found.groups())
    return Pkcs11(token, label)


def _bounded(name: str, call: Callable[[], bytes]) -> bytes:
    """Wait for a call, and give up after `WAIT`; the call then goes on in its thread.

    Raises `RootKeyError`: the library has not answered. What the call raises.
    """
    made: list[bytes] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(call())
        except BaseException as error:  # it is raised again
            failed.append(error)

    thread = threading.Thread(target=run, name="tallystick pkcs11", daemon=True)
    thread.start()
    thread.join(WAIT)
    if failed:
        raise failed[0]
    if not made:
        raise RootKeyError(
            f"{name}: the token's library has not answered for {WAIT:g} s, and can't be stopped; "
            "check the token and the connection to it, then start this program again"
        )
    return made[0]


@dataclass(frozen=True, slots=True)
class Pkcs11:
    """An AES key in a token."""

    token: str
    label: str

    @property
    def name(self) -> str:
        """The labels of the token and the key."""
        token, label = (urllib.parse.quote(part, safe="") for part in (self.token, self.label))
        return f"pkcs11:token={token};object={label}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt in the token."""
        return _bounded(self.name, lambda: self._wrap(key, context))

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt in the token."""
        return _bounded(self.name, lambda: self._unwrap(wrapped, context))

    def _wrap(self, key: bytes, context: bytes) -> bytes:
        nonce = secrets.token_bytes(12)
        with self._key("encrypt") as (encrypt, parameters):
            return nonce + bytes(encrypt(key, **parameters(nonce, context)))

    def _unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        with library("pkcs11", "pkcs11"):
            from pkcs11 import exceptions as wrong

        with self._key("decrypt") as (decrypt, parameters):
            try:
                return bytes(decrypt(wrapped[12:], **parameters(wrapped[:12], context)))
            except (
                *(wrong.EncryptedDataInvalid, wrong.EncryptedDataLenRange, wrong.GeneralError),
                *(wrong.ArgumentsBad, wrong.FunctionFailed),
            ):
                raise changed(self.name) from None

    @contextmanager
    def _key(self, operation: str) -> Iterator[Any]:
        """Log in, and find the key's operation; how to call it for AES-GCM comes with it."""
        with library("pkcs11", "pkcs11"):
            import pkcs11
            from pkcs11 import exceptions as wrong
            from pkcs11.mechanisms import GCMParams

        def parameters(nonce: bytes, context: bytes) -> dict[str, Any]:
            given = GCMParams(nonce, context)
            return {"mechanism": pkcs11.Mechanism.AES_GCM, "mechanism_param": given}

        refusals = (
            *(wrong.PinIncorrect, wrong.PinInvalid, wrong.PinLenRange, wrong.PinLocked),
            *(wrong.PinExpired, wrong.UserPinNotInitialized, wrong.UserNotLoggedIn),
            wrong.FunctionRejected,
        )
        pin = needed([_PIN], "PIN of the token")
        with _LOGIN:
            try:
                with self._slot().open(user_pin=pin) as session:
                    wanted = {
                        pkcs11.Attribute.CLASS: pkcs11.ObjectClass.SECRET_KEY,
                        pkcs11.Attribute.LABEL: self.label,
                    }
                    keys = list(session.get_objects(wanted))
                    if not keys:
                        raise lost(self.name)
                    if len(keys) > 1:
                        raise RootKeyError(
                            f"{self.name}: there are {len(keys)} such keys; name one"
                        )
                    if not hasattr(keys[0], operation):
                        raise denied(self.name, "", f"the token must let the key {operation}")
                    yield getattr(keys[0], operation), parameters
            except refusals as error:
                raise denied(
                    self.name,
                    type(error).__name__,
                    f"check {_PIN}; a token locks after a few wrong PINs",
                ) from None
            except wrong.PKCS11Error as error:
                raise RootKeyError(
                    f"{self.name}: the token fails ({type(error).__name__}); check that it has an "
                    "AES key of that label for encryption and decryption, and AES-GCM"
                ) from None

    def _slot(self) -> Any:  # noqa: ANN401
        import pkcs11

        path = os.environ.get(_MODULE)
        if not path:
            raise RootKeyError(
                f"{self.name}: no library of the token; set {_MODULE} to its path, such as "
                "/usr/lib/softhsm/libsofthsm2.so"
            )
        try:
            found = list(pkcs11.lib(path).get_tokens(token_label=self.token))
        except (OSError, RuntimeError) as error:
            raise RootKeyError(
                f"{self.name}: can't load {path} ({type(error).__name__}); check {_MODULE}, and "
                "the configuration of the token's library"
            ) from None
        if not found:
            raise lost(self.name, "no such token")
        if len(found) > 1:
            raise RootKeyError(f"{self.name}: there are {len(found)} such tokens; relabel one")
        return found[0]
