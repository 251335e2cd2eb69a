# SPDX-License-Identifier: Apache-2.0
"""``gcp-kms:projects/P/locations/L/keyRings/R/cryptoKeys/K``: a symmetric key of Google Cloud KMS.

google-auth finds the Application Default Credentials. The context is the additional authenticated
data. The variable of the program gcloud, ``CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS``, names
another endpoint.
"""

import base64
import binascii
import os
import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...errors import ParameterError, RootKeyError
from ..root import Ask
from . import changed, denied, library, lost, printable
from .post import base, post

_KEY = re.compile(
    r"projects/[a-z0-9.:-]{1,100}/locations/[a-z0-9-]{1,63}"
    r"/keyRings/[A-Za-z0-9_-]{1,63}/cryptoKeys/[A-Za-z0-9_-]{1,63}"
)
_ENDPOINT = "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS"
_SCOPE = "https://www.googleapis.com/auth/cloudkms"


def parse(rest: str, _ask: Ask) -> "GcpKms":
    """Read what follows ``gcp-kms:``.

    Raises `ParameterError`: it names no key.
    """
    if not _KEY.fullmatch(rest):
        raise ParameterError(
            "gcp-kms: is written gcp-kms:projects/P/locations/L/keyRings/R/cryptoKeys/K"
        )
    return GcpKms(rest)


@dataclass(frozen=True, slots=True)
class GcpKms:
    """A symmetric key of Google Cloud KMS."""

    key: str

    @property
    def name(self) -> str:
        """The key's full name."""
        return f"gcp-kms:{self.key}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt in KMS."""
        return self._ask("encrypt", {"plaintext": key}, context, "ciphertext")

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt in KMS."""
        return self._ask("decrypt", {"ciphertext": wrapped}, context, "plaintext")

    def _ask(self, operation: str, given: dict[str, bytes], context: bytes, field: str) -> bytes:
        try:
            address = base(os.environ.get(_ENDPOINT) or "https://cloudkms.googleapis.com")
        except ValueError as error:
            raise RootKeyError(f"{self.name}: {error}; use https:// in {_ENDPOINT}") from None
        if address is None:
            raise RootKeyError(f"{self.name}: {_ENDPOINT} is not https://HOST:PORT")
        body = given | {"additionalAuthenticatedData": context}
        encoded = {name: base64.b64encode(data).decode() for name, data in body.items()}
        headers = {"Authorization": f"Bearer {self._token()}"}
        try:
            status, answer = post(f"{address}/v1/{self.key}:{operation}", headers, encoded)
        except OSError as error:
            raise RootKeyError(
                f"{self.name}: can't reach {address} ({error}); check the network and {_ENDPOINT}"
            ) from None
        if status != 200:
            raise self._refused(operation, status, answer)
        try:
            return base64.b64decode(answer[field], validate=True)
        except (binascii.Error, KeyError, TypeError):
            raise RootKeyError(
                f"{self.name}: {address} does not answer as Google's KMS does; check {_ENDPOINT}"
            ) from None

    def _token(self) -> str:
        with library("gcp-kms", "gcp"):
            import google.auth
            from google.auth.exceptions import GoogleAuthError
            from google.auth.transport.requests import Request
            from requests import Session
        try:
            credentials, _ = google.auth.default(scopes=[_SCOPE])
            with Session() as session:
                credentials.refresh(partial(Request(session), timeout=10))  # type: ignore[no-untyped-call]
        except GoogleAuthError as error:
            raise RootKeyError(
                f"{self.name}: no credentials of Google Cloud ({type(error).__name__}); set "
                "GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or run: gcloud auth "
                "application-default login"
            ) from None  # not chained: an answer of the token's server is in it
        return str(credentials.token)

    def _refused(self, operation: str, status: int, answer: Any) -> RootKeyError:  # noqa: ANN401
        error = answer.get("error") if isinstance(answer, dict) else None
        said = str(error.get("message") or "") if isinstance(error, dict) else ""
        if status == 404 or "DESTROY" in said:
            return lost(self.name, said)
        if status in (401, 403) or "DISABLED" in said:
            right = f"cloudkms.cryptoKeyVersions.useTo{operation.capitalize()}"
            return denied(
                self.name, said, f"the account needs the right {right}, and the key must be enabled"
            )
        if status == 400 and operation == "decrypt":
            return changed(self.name, said)
        return RootKeyError(
            f"{self.name}: Google Cloud KMS refuses to {operation} (status {status})"
            f"{printable(said)}; mend that, and try again"
        )
