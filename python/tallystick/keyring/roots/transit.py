# SPDX-License-Identifier: Apache-2.0
"""``transit:MOUNT/KEY``: a key of the transit secrets engine of OpenBao or Vault.

Its clients' variables say where the server is and who asks: ``BAO_ADDR``, ``BAO_TOKEN`` (or
``BAO_TOKEN_FILE``), ``BAO_CACERT``, ``BAO_NAMESPACE``, or the same with ``VAULT_``. The context is
authenticated as ``associated_data``.
"""

import base64
import binascii
import os
import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ParameterError, RootKeyError
from ..credentials import needed, private_file, secret
from ..hexadecimal import is_key
from ..root import Ask
from . import changed, denied, lost, printable
from .post import base, post

_SEGMENT = re.compile(r"[A-Za-z0-9_.-]+")


def parse(rest: str, _ask: Ask) -> "Transit":
    """Read what follows ``transit:``.

    Raises `ParameterError`: it is no mount and key.
    """
    parts = rest.split("/")
    if len(parts) < 2 or not all(map(_SEGMENT.fullmatch, parts)) or any(map(is_key, parts)):
        raise ParameterError(
            "transit: is written transit:MOUNT/KEY, such as transit:transit/people; KEY is the "
            "key's name, never write the key itself"
        )
    return Transit("/".join(parts[:-1]), parts[-1])


def _variable(name: str) -> str | None:
    return os.environ.get(f"BAO_{name}") or os.environ.get(f"VAULT_{name}") or None


def _token() -> str:
    names = ["BAO_TOKEN", "VAULT_TOKEN"]
    if found := secret(names, "token"):
        return found
    kept = Path.home() / ".vault-token"  # where both programs keep the token of a login
    if kept.exists():
        return private_file(kept, "token").strip()
    return needed(names, "token of OpenBao or Vault")


@dataclass(frozen=True, slots=True)
class Transit:
    """A key of a transit engine."""

    mount: str
    key: str

    @property
    def name(self) -> str:
        """The mount and the key; the server's address may change."""
        return f"transit:{self.mount}/{self.key}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt on the server."""
        answer = self._ask("encrypt", "plaintext", base64.b64encode(key).decode(), context)
        return self._field(answer, "ciphertext").encode("ascii", "replace")

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt on the server."""
        answer = self._ask("decrypt", "ciphertext", wrapped.decode("ascii", "replace"), context)
        try:
            return base64.b64decode(self._field(answer, "plaintext"), validate=True)
        except binascii.Error:
            raise self._strange() from None

    def _field(self, answer: object, name: str) -> str:
        data = answer.get("data") if isinstance(answer, dict) else None
        found = data.get(name) if isinstance(data, dict) else None
        if not isinstance(found, str):
            raise self._strange()
        return found

    def _strange(self) -> RootKeyError:
        return RootKeyError(
            f"{self.name}: the server's answer is not one of a transit engine; check the address "
            "in BAO_ADDR or VAULT_ADDR, and the mount"
        )

    def _ask(self, operation: str, field: str, text: str, context: bytes) -> Any:  # noqa: ANN401
        headers = {"X-Vault-Token": _token(), "X-Vault-Request": "true"}
        if namespace := _variable("NAMESPACE"):
            headers["X-Vault-Namespace"] = namespace
        body = {field: text, "associated_data": base64.b64encode(context).decode()}
        address = self._address()
        url = f"{address}/v1/{self.mount}/{operation}/{self.key}"
        try:
            status, answer = post(url, headers, body, self._authorities())
        except OSError as error:
            raise RootKeyError(
                f"{self.name}: can't reach the server at {address} ({error}); check BAO_ADDR or "
                "VAULT_ADDR, and that it runs"
            ) from None
        if status != 200:
            raise self._refused(operation, status, answer)
        return answer

    def _address(self) -> str:
        text = _variable("ADDR")
        if text is None:
            raise RootKeyError(
                f"{self.name}: no server; set BAO_ADDR or VAULT_ADDR, such as https://bao:8200"
            )
        try:
            address = base(text)
        except ValueError as error:
            raise RootKeyError(
                f"{self.name}: {error}; use https:// in BAO_ADDR or VAULT_ADDR"
            ) from None
        if address is None:
            raise RootKeyError(f"{self.name}: BAO_ADDR or VAULT_ADDR is not https://HOST:PORT")
        return address

    def _authorities(self) -> ssl.SSLContext | None:
        path = _variable("CACERT")
        if path is None:
            return None
        try:
            return ssl.create_default_context(cafile=path)
        except OSError as error:
            raise RootKeyError(
                f"{self.name}: can't read the certificates in {path}: {error.strerror}; "
                "check BAO_CACERT or VAULT_CACERT"
            ) from None

    def _refused(self, operation: str, status: int, answer: object) -> RootKeyError:
        messages = answer.get("errors") if isinstance(answer, dict) else None
        said = "; ".join(map(str, messages)) if isinstance(messages, list) else ""
        if status in (401, 403):
            return denied(
                self.name,
                said,
                f"the token needs the right to update {self.mount}/{operation}/{self.key}, and "
                "must not have expired",
            )
        if status == 404 or "key not found" in said:
            return lost(self.name, said)
        if status == 503:
            return RootKeyError(
                f"{self.name}: the server is sealed or in standby{printable(said)}; unseal it"
            )
        if "authentication failed" in said:
            return changed(self.name, said)
        return RootKeyError(
            f"{self.name}: the server refuses to {operation} (status {status}){printable(said)}; "
            "mend that, and try again"
        )
