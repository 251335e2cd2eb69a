# SPDX-License-Identifier: Apache-2.0
"""What the root key does for a ring that is written: subkeys, wrapping, authentication, a check.

Subkeys by HKDF-SHA256 (RFC 5869) with the ring's id as salt, so that one root key may serve
several rings; wrapping by AES-256-GCM (SP 800-38D) with a random nonce; HMAC-SHA256 (RFC 2104).
"""

import secrets
import struct
from dataclasses import dataclass, field
from typing import Any

from tallystick._core import ffi, lib

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
    wrapping: Any = field(repr=False)  # memory of 32 bytes that is wiped, like the next
    authentication: Any = field(repr=False)
    check: str = field(repr=False)

    @classmethod
    def derive(cls, root: bytes | bytearray, ring: str) -> "Subkeys":
        """Derive from 32 bytes of root key, for the ring whose id is `ring` in hexadecimal."""
        salt = bytes.fromhex(ring)

        def expand(purpose: bytes, size: int) -> Any:  # noqa: ANN401
            info, out = _LABEL + purpose, memory.secret_memory(size)
            with ffi.from_buffer("uint8_t[]", root) as key:
                status = lib.tally_hkdf_sha256(
                    salt, len(salt), key, len(root), info, len(info), out, size
                )
            memory.check(status, "derive a subkey")
            return out

        return cls(
            ring=salt,
            wrapping=expand(b"wrapping", 32),
            authentication=expand(b"authentication", 32),
            check=ffi.buffer(expand(b"check", 16), 16)[:].hex(),
        )

    def mac(self, body: bytes) -> str:
        """Authenticate the body of a file: 64 hexadecimal digits."""
        tag = ffi.new("uint8_t[32]")
        lib.tally_hmac_sha256_tag(self.authentication, 32, body, len(body), tag)
        return bytes(tag).hex()

    def wrap(self, key: bytes, key_id: KeyId) -> bytes:
        """Wrap a data key: nonce, ciphertext, tag."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # takes longer than the rest

        nonce = secrets.token_bytes(_NONCE)
        aad = self._associated(key_id, len(key))
        return nonce + AESGCM(ffi.buffer(self.wrapping, 32)).encrypt(nonce, key, aad)

    def _associated(self, key_id: KeyId, size: int) -> bytes:
        """Encode what a wrapped key belongs to; injective, for all but the last has a fixed size.

        16 bytes of ring id, then version (4 bytes) and size (2 bytes), big endian, then the name.
        """
        return self.ring + struct.pack(">IH", key_id.version, size) + key_id.name.encode("ascii")


def wipe(key: bytes | bytearray) -> None:
    """Overwrite a key, if it is of the kind that can be."""
    if isinstance(key, bytearray):
        memory.wipe(key)
