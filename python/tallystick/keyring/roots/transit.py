# SPDX-License-Identifier: Apache-2.0
"""``transit:MOUNT/KEY``: a key of the transit secrets engine of OpenBao or Vault.

Its clients' variables say where the server is and who asks: ``BAO_ADDR``, ``BAO_TOKEN`` (or
``BAO_TOKEN_FILE``), ``BAO_CACERT``, ``BAO_NAMESPACE``, or the same with ``VAULT_``. The context is
authenticated as ``associated_data``.
"""

import base64
import binascii
import http.client
import json
import os
import re
import ssl
import urllib.parse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ParameterError, RootKeyDeniedError, RootKeyError, RootKeyLostError
from ..credentials import needed, private_file, secret
from ..root import Ask

_SEGMENT = re.compile(r"[A-Za-z0-9_.-]+")
_LIMIT = 1 << 20  # bytes of an answer
_TIMEOUT = 10  # seconds
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def parse(rest: str, _ask: Ask) -> "Transit":
    """Read what follows ``transit:``.

    Raises `ParameterError`: it is no mount and key.
    """
    parts = rest.split("/")
    if len(parts) < 2 or not all(map(_SEGMENT.fullmatch, parts)):
        raise ParameterError(
            "transit: is written transit:MOUNT/KEY, such as transit:transit/people"
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
        path = f"/v1/{self.mount}/{operation}/{self.key}"
        connection = self._connection()
        try:
            connection.request("POST", path, json.dumps(body), headers)
            response = connection.getresponse()
            data = response.read(_LIMIT)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise RootKeyError(
                f"{self.name}: can't reach the server at {connection.host}:{connection.port} "
                f"({type(error).__name__}); check BAO_ADDR or VAULT_ADDR, and that it runs"
            ) from None  # not chained: a header's error would show the token
        finally:
            connection.close()
        try:
            answer = json.loads(data)
        except ValueError:
            answer = None
        if response.status != 200:
            raise self._refused(operation, response.status, answer)
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        address = _variable("ADDR")
        if address is None:
            raise RootKeyError(
                f"{self.name}: no server; set BAO_ADDR or VAULT_ADDR, such as https://bao:8200"
            )
        try:
            url = urllib.parse.urlsplit(address)
            host, port = url.hostname, url.port
        except ValueError:
            host, port = None, None
        if not host or url.scheme not in ("https", "http") or url.path not in ("", "/"):
            raise RootKeyError(f"{self.name}: BAO_ADDR or VAULT_ADDR is not https://HOST:PORT")
        if url.scheme == "http":
            if host not in _LOOPBACK:
                raise RootKeyError(
                    f"{self.name}: {host} would get the token and the root key unencrypted; use "
                    "https:// in BAO_ADDR or VAULT_ADDR"
                )
            return http.client.HTTPConnection(host, port, timeout=_TIMEOUT)
        authorities = _variable("CACERT")
        try:
            secure = ssl.create_default_context(cafile=authorities)
        except OSError as error:
            raise RootKeyError(
                f"{self.name}: can't read the certificates in {authorities}: {error.strerror}; "
                "check BAO_CACERT or VAULT_CACERT"
            ) from None
        return http.client.HTTPSConnection(host, port, timeout=_TIMEOUT, context=secure)

    def _refused(self, operation: str, status: int, answer: object) -> RootKeyError:
        messages = answer.get("errors") if isinstance(answer, dict) else None
        said = "; ".join(map(str, messages))[:300] if isinstance(messages, list) else ""
        said = "".join(c if c.isprintable() else " " for c in said)
        why = f" ({said})" if said else ""
        if status in (401, 403):
            return RootKeyDeniedError(
                f"{self.name}: the server denies it{why}; the token needs the right to update "
                f"{self.mount}/{operation}/{self.key}, and must not have expired"
            )
        if status == 404 or "key not found" in said:
            return RootKeyLostError(
                f"{self.name}: the server has no such key{why}; check mount and name; if the key "
                "was deleted, open the ring with another of its roots, or restore the key from the "
                "server's backup"
            )
        if status == 503:
            return RootKeyError(f"{self.name}: the server is sealed or in standby{why}; unseal it")
        return RootKeyError(
            f"{self.name}: the server refuses to {operation} (status {status}){why}; if it says "
            "that authentication failed, the ring's record was changed: restore the ring"
        )
