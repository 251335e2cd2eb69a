# SPDX-License-Identifier: Apache-2.0
"""``azure-kv:HOST/KEY``: an RSA key of Azure Key Vault or Managed HSM, by RSA-OAEP with SHA-256.

azure-identity finds the credentials. RSA-OAEP has no authenticated data, so the context is not
bound. What `wrap` returns is ``azure:VERSION:`` and the vault's answer, in base64url.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

from ...errors import ParameterError, RootKeyError
from ..root import Ask
from . import changed, denied, library, lost, printable
from .post import LOOPBACK, post

_KEY = re.compile(r"([a-z0-9.-]{1,250})(:[0-9]{1,5})?/([A-Za-z0-9-]{1,127})")
_WRAPPED = re.compile(r"azure:([0-9A-Za-z]{1,64}):([A-Za-z0-9_-]+)")
_VERSION = "7.4"  # of the interface
_ALGORITHM = "RSA-OAEP-256"


def parse(rest: str, _ask: Ask) -> "AzureKeyVault":
    """Read what follows ``azure-kv:``.

    Raises `ParameterError`: it is no vault and key.
    """
    found = _KEY.fullmatch(rest)
    if not found or not (found[1] in LOOPBACK or (found[1].count(".") > 1 and not found[2])):
        raise ParameterError(
            "azure-kv: is written azure-kv:HOST/KEY, such as azure-kv:people.vault.azure.net/root"
        )
    return AzureKeyVault(found[1] + (found[2] or ""), found[3])


@dataclass(frozen=True, slots=True)
class AzureKeyVault:
    """An RSA key of a vault."""

    vault: str
    key: str

    @property
    def name(self) -> str:
        """The vault's host and the key; a ring's record has the version."""
        return f"azure-kv:{self.vault}/{self.key}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt in the vault, by the key's current version."""
        answer = self._ask("wrapkey", "", key)
        found = re.search(r"/([0-9A-Za-z]{1,64})$", str(answer.get("kid")))
        if not found:
            raise self._strange()
        return f"azure:{found[1]}:{answer.get('value')}".encode("ascii", "replace")

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt in the vault, by the version that wrapped it."""
        found = _WRAPPED.fullmatch(wrapped.decode("ascii", "replace"))
        if not found:
            raise changed(self.name)
        return _decoded(self._ask("unwrapkey", f"{found[1]}/", _decoded(found[2]))["value"])

    def _ask(self, operation: str, version: str, value: bytes) -> dict[str, Any]:
        local = self.vault.partition(":")[0] in LOOPBACK  # an emulator
        domain = "vault.azure.net" if local else self.vault.partition(".")[2]
        address = f"{'http' if local else 'https'}://{self.vault}"
        url = f"{address}/keys/{self.key}/{version}{operation}?api-version={_VERSION}"
        body = {"alg": _ALGORITHM, "value": _encoded(value)}
        headers = {"Authorization": f"Bearer {self._token(f'https://{domain}/.default')}"}
        try:
            status, answer = post(url, headers, body)
        except OSError as error:
            raise RootKeyError(
                f"{self.name}: can't reach {address} ({error}); check the vault's name and the "
                "network"
            ) from None
        if status != 200:
            raise self._refused(operation, status, answer)
        if not isinstance(answer, dict) or not isinstance(answer.get("value"), str):
            raise self._strange()
        return answer

    def _strange(self) -> RootKeyError:
        return RootKeyError(f"{self.name}: the host does not answer as a vault does; check it")

    def _token(self, scope: str) -> str:
        with library("azure-kv", "azure"):
            from azure.core.exceptions import AzureError
            from azure.identity import DefaultAzureCredential
        try:
            with DefaultAzureCredential() as credential:
                return credential.get_token(scope).token
        except (AzureError, ValueError) as error:
            raise RootKeyError(
                f"{self.name}: no credentials of Azure ({type(error).__name__}); set "
                "AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_CERTIFICATE_PATH, use a managed "
                "identity, or run: az login"
            ) from None  # not chained: an answer of the token's server is in it

    def _refused(self, operation: str, status: int, answer: Any) -> RootKeyError:  # noqa: ANN401
        error = answer.get("error") if isinstance(answer, dict) else None
        said = f"{error.get('code')}: {error.get('message')}" if isinstance(error, dict) else ""
        if status == 404:
            return lost(self.name, said)
        if status in (401, 403):
            return denied(
                self.name,
                said,
                f"the identity needs the right {operation} on the key, which must be enabled",
            )
        if status == 400 and operation == "unwrapkey":
            return changed(self.name, said)
        return RootKeyError(
            f"{self.name}: the vault refuses {operation} (status {status}){printable(said)}; "
            "mend that, and try again"
        )


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""  # no root key, and nothing that a vault decrypts
