# SPDX-License-Identifier: Apache-2.0
"""What the root key does for a ring: subkeys, wrapping, authentication, and a check value.

Subkeys by HKDF-SHA256 (RFC 5869) with the ring's id as salt, so that one root key may serve
several rings; wrapping by AES-256-GCM (SP 800-38D) with a random nonce; HMAC-SHA256 (RFC 2104).
"""

from __future__ import annotations

import hmac
import secrets
import struct
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .. import memory
from .names import KeyId

ROOT_SIZE = 32  # bytes
_NONCE = 12  # bytes
_LABEL = b"tallystick keyring 1 "


@dataclass(frozen=True, slots=True)
class Subkeys(memory.HoldsKeys):
    """The keys derived from a root key for one ring, and its check value.

    The check value tells a wrong root key from a damaged file. It is an output of HKDF apart
    from the other two, so it says nothing of them.
    """

    ring: bytes
    wrapping: bytes = field(repr=False)
    authentication: bytes = field(repr=False)
    check: str = field(repr=False)

    @classmethod
    def derive(cls, root: bytes | bytearray, ring: str) -> Subkeys:
        """Derive from 32 bytes of root key, for the ring whose id is `ring` in hexadecimal."""
        salt = bytes.fromhex(ring)

        def expand(purpose: bytes, size: int) -> bytes:
            return HKDF(SHA256(), length=size, salt=salt, info=_LABEL + purpose).derive(root)

        return cls(
            ring=salt,
            wrapping=expand(b"wrapping", 32),
            authentication=expand(b"authentication", 32),
            check=expand(b"check", 16).hex(),
        )

    def mac(self, body: bytes) -> str:
        """Authenticate the body of a file: 64 hexadecimal digits."""
        return hmac.digest(self.authentication, body, "sha256").hex()

    def wrap(self, key: bytes, key_id: KeyId) -> bytes:
        """Wrap a data key: nonce, ciphertext, tag."""
        nonce = secrets.token_bytes(_NONCE)
        aad = self._associated(key_id, len(key))
        return nonce + AESGCM(self.wrapping).encrypt(nonce, key, aad)

    def unwrap(self, wrapped: bytes, key_id: KeyId, size: int) -> bytes | None:
        """Unwrap a data key; None if it was not wrapped under this name, version and size."""
        aad = self._associated(key_id, size)
        try:
            return AESGCM(self.wrapping).decrypt(wrapped[:_NONCE], wrapped[_NONCE:], aad)
        except InvalidTag:
            return None

    def _associated(self, key_id: KeyId, size: int) -> bytes:
        """Encode what a wrapped key belongs to; injective, for all but the last has a fixed size.

        16 bytes of ring id, then version (4 bytes) and size (2 bytes), big endian, then the name.
        """
        return self.ring + struct.pack(">IH", key_id.version, size) + key_id.name.encode("ascii")


def wipe(key: bytes | bytearray) -> None:
    """Overwrite a key, if it is of the kind that can be."""
    if isinstance(key, bytearray):
        memory.wipe(key)


def same(left: str, right: str) -> bool:
    """Compare two ASCII texts in a time that does not depend on where they differ."""
    return hmac.compare_digest(left, right)
