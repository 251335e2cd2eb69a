# SPDX-License-Identifier: Apache-2.0
"""A state of a ring's file in the core, which reads, verifies and unwraps."""

from pathlib import Path
from typing import Any

from tallystick._core import ffi, lib

from ..errors import KeyringError, ParameterError, RootKeyError
from ..memory import HoldsKeys, secret_memory
from ..mistaken import hint
from .document import Document, decode
from .names import KeyId

_ELSEWHERE = "not a key ring; check the path"
"""What the core says of bytes that are nothing like a ring."""
_ROOT_KEY = "the root key"
"""How the core begins what it says of a root key that is another ring's."""
_ERRORS = {
    lib.TALLY_ERROR_MEMORY: MemoryError,
    lib.TALLY_ERROR_ROOT_KEY: RootKeyError,
    lib.TALLY_ERROR_ARGUMENT: ParameterError,
}


class Opened(HoldsKeys):
    """What a ring's file says, and its keys once it is unlocked.

    The core's memory, subkeys and all, is wiped when this is let go.

    `data`: the file. Nothing of it is authenticated before it is unlocked.
    `where`: its name in messages.
    Raises `KeyringError`: it is not a key ring of this version in the one spelling.
    """

    __slots__ = ("_ring", "_where", "document")

    def __init__(self, data: bytes, where: Path) -> None:
        made, problem = ffi.new("tally_keyring **"), ffi.new("tally_problem *")
        self._where = where
        status = lib.tally_keyring_read(ffi.NULL, data, len(data), made, problem)
        self._ring = ffi.gc(made[0], lib.tally_keyring_free)
        self._check(status, problem)
        self.document: Document = decode(data)

    def unlock(self, root: bytes | bytearray, source: object) -> None:
        """Verify the file by its root key, of 32 bytes; messages name its source.

        Raises `RootKeyError`: the root key is not the ring's. `KeyringError`: the file was damaged
        or edited.
        """
        problem = ffi.new("tally_problem *")
        with ffi.from_buffer("uint8_t[32]", root) as key:
            status = lib.tally_keyring_unlock(self._ring, key, problem)
        self._check(status, problem, f"{_ROOT_KEY} from {source}")

    def unlock_like(self, other: "Opened") -> None:
        """Verify the file by another state of the ring, which is unlocked.

        Raises `KeyringError`: it is another ring, has another root key, or was damaged or edited.
        """
        problem = ffi.new("tally_problem *")
        self._check(lib.tally_keyring_unlock_like(self._ring, other._ring, problem), problem)

    def key(self, key_id: KeyId) -> bytes:
        """Unwrap a data key.

        Raises `KeyringError`: there is none of this name and version, or it was wrapped for another
        place.
        """
        key, size = secret_memory(lib.TALLY_DATA_KEY_SIZE_MAX), ffi.new("size_t *")
        problem = ffi.new("tally_problem *")
        self._check(lib.tally_keyring_key(self._ring, key_id.struct(), key, size, problem), problem)
        return bytes(ffi.buffer(key, size[0]))

    def _check(self, status: int, problem: Any, root_key: str = _ROOT_KEY) -> None:  # noqa: ANN401
        if status == lib.TALLY_OK:
            return
        text = ffi.string(problem.text).decode()
        if text == _ELSEWHERE:
            text = f"not a key ring{hint(self._where, 'a key ring') or '; check the path'}"
        if status == lib.TALLY_ERROR_ROOT_KEY:
            text = text.replace(_ROOT_KEY, root_key, 1)
        raise _ERRORS.get(status, KeyringError)(f"{self._where}: {text}")
