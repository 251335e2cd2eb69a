# SPDX-License-Identifier: Apache-2.0
"""``aws-kms:KEY``: a symmetric key of AWS KMS, by its id, ARN, ``alias/NAME`` or alias's ARN.

boto3 finds region and credentials as always. The context is the encryption context ``tallystick``.
"""

import re
import urllib.parse
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ...errors import ParameterError, RootKeyError
from ..root import Ask
from . import changed, denied, library, lost, printable
from .post import LOOPBACK

_ALIAS = r"alias/[A-Za-z0-9/_-]{1,250}"
_ID = r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})"
_KEY = re.compile(
    rf"{_ALIAS}|{_ID}|arn:aws[a-z-]*:kms:([a-z0-9-]+):[0-9]{{12}}:(?:key/{_ID}|{_ALIAS})"
)
_LOST = {"NotFoundException", "KMSInvalidStateException"}
_CHANGED = {"InvalidCiphertextException", "IncorrectKeyException"}
_DENIED = {
    *("AccessDeniedException", "DisabledException", "ExpiredTokenException"),
    *("IncompleteSignature", "InvalidClientTokenId", "InvalidSignatureException"),
    *("MissingAuthenticationToken", "NotAuthorized", "OptInRequired"),
    "UnrecognizedClientException",
}


def parse(rest: str, _ask: Ask) -> "AwsKms":
    """Read what follows ``aws-kms:``.

    Raises `ParameterError`: it names no key.
    """
    if not _KEY.fullmatch(rest):
        raise ParameterError(
            "aws-kms: is written aws-kms:KEY, with a key's id or ARN, alias/NAME or an alias's ARN"
        )
    return AwsKms(rest)


@dataclass(frozen=True, slots=True)
class AwsKms:
    """A symmetric key of AWS KMS."""

    key: str

    @property
    def name(self) -> str:
        """The key as it was written."""
        return f"aws-kms:{self.key}"

    def wrap(self, key: bytes, context: bytes) -> bytes:
        """Encrypt in KMS."""
        return bytes(self._call("encrypt", context, Plaintext=key)["CiphertextBlob"])

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        """Decrypt in KMS, by this key alone."""
        return bytes(self._call("decrypt", context, CiphertextBlob=wrapped)["Plaintext"])

    def _call(self, operation: str, context: bytes, **given: bytes) -> Any:  # noqa: ANN401
        with library("aws-kms", "aws"):
            import boto3
            from botocore.config import Config
            from botocore.exceptions import BotoCoreError, ClientError
        found = _KEY.fullmatch(self.key)
        bounds = Config(
            connect_timeout=5,
            read_timeout=10,
            retries={"total_max_attempts": 3, "mode": "standard"},
        )
        try:
            session, region = boto3.session.Session(), found[1] if found else None
            with closing(session.client("kms", region_name=region, config=bounds)) as client:
                self._check(str(client.meta.endpoint_url))
                bound = {"tallystick": context.decode("ascii")}
                return getattr(client, operation)(KeyId=self.key, EncryptionContext=bound, **given)
        except ClientError as error:
            raise self._refused(operation, error.response.get("Error", {})) from None
        except (BotoCoreError, ValueError) as error:
            raise RootKeyError(
                f"{self.name}: can't ask AWS KMS ({type(error).__name__}); check the region and "
                "the credentials (AWS_REGION, AWS_PROFILE, ...), and that its endpoint is reachable"
            ) from None

    def _check(self, endpoint: str) -> None:
        url = urllib.parse.urlsplit(endpoint)
        if url.scheme != "https" and url.hostname not in LOOPBACK:
            raise RootKeyError(
                f"{self.name}: {url.hostname} would get the root key unencrypted; use https:// in "
                "AWS_ENDPOINT_URL"
            )

    def _refused(self, operation: str, error: Any) -> RootKeyError:  # noqa: ANN401
        code, said = error.get("Code"), f"{error.get('Code')}: {error.get('Message')}"
        if code in _LOST:
            return lost(self.name, said)
        if code in _DENIED:
            action = operation.capitalize()
            return denied(
                self.name,
                said,
                f"the credentials must be valid and have the right kms:{action}, and the key must "
                "be enabled",
            )
        if code in _CHANGED:
            return changed(self.name, said)
        return RootKeyError(
            f"{self.name}: AWS KMS refuses to {operation}{printable(said)}; mend that and try again"
        )
