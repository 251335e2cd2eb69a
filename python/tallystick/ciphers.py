# SPDX-License-Identifier: Apache-2.0
"""What formats are given to work with: FAST under one key in any radices, and tags by HMAC."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError, TallyError
from tallystick.fast import FastCipher
from tallystick.memory import HoldsKeys, check, secret_memory, secret_struct

_KEY_SIZES = (16, 24, 32)
_CLOSED = "the cipher is closed"


class Ciphers(HoldsKeys):
    """The ciphers of one key, one for each radix, made when it is first asked for.

    Parameters
    ----------
    key : bytes-like or None
        The master key, of 16, 24 or 32 bytes. A copy is kept in memory that is wiped. None: for
        formats that work without one.

    Raises
    ------
    ParameterError
        If the key has another size.

    Notes
    -----
    Any number of threads may use one object at once. `close` wipes the key and all ciphers, as does
    releasing the object; under calls at work in other threads, when the last of them ends.
    """

    __slots__ = ("_key", "_made")

    def __init__(self, key: bytes | bytearray | None) -> None:
        if key is None:
            key = b""
        elif len(key) not in _KEY_SIZES:
            raise ParameterError(f"a key has 16, 24 or 32 bytes, not {len(key)}")
        held = secret_memory(len(key))
        ffi.memmove(held, key, len(key))
        self._key: Any = ffi.buffer(held, len(key))
        self._made: dict[int, FastCipher] = {}

    def __repr__(self) -> str:
        return "Ciphers()"

    def of(self, radix: int) -> FastCipher:
        """Return the cipher of a radix; it stays the same one.

        Parameters
        ----------
        radix : int
            4..256.

        Raises
        ------
        ParameterError
            If the radix is outside that.
        TallyError
            After `close`.
        """
        try:
            return self._made[radix]
        except KeyError:
            return self._make(radix)

    def tags(
        self,
        purpose: bytes,
        head: bytes,
        values: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int32] | npt.NDArray[np.int64],
    ) -> npt.NDArray[np.uint8]:
        """Compute HMAC-SHA-256 of many messages, under HKDF-SHA-256 of the key.

        Parameters
        ----------
        purpose : bytes
            HKDF's info; there is no salt.
        head : bytes
            What all messages begin with.
        values : numpy.ndarray of uint8
            What follows in each, one behind the other.
        offsets : numpy.ndarray of integers, shape (messages + 1,)
            Where each begins in `values`; none is below the one before.

        Returns
        -------
        numpy.ndarray of uint8, shape (messages, 32)

        Raises
        ------
        TallyError
            After `close`.
        """
        key = self._key
        if key is None:
            raise TallyError(_CLOSED)
        bounds = np.ascontiguousarray(offsets, np.uint64)
        out = np.empty((len(bounds) - 1, 32), np.uint8)
        derived, context = secret_memory(32), secret_struct("tally_hmac_sha256")
        check(
            lib.tally_hkdf_sha256(
                *(ffi.NULL, 0, ffi.from_buffer(key), len(key)),
                *(purpose, len(purpose), derived, 32),
            ),
            "deriving a key",
        )
        lib.tally_hmac_sha256_init(context, derived, 32)
        lib.tally_hmac_sha256_update(context, head, len(head))
        lib.tally_hmac_sha256_rows(
            context,
            ffi.cast("uint8_t *", values.ctypes.data),
            ffi.cast("uint64_t *", bounds.ctypes.data),
            len(out),
            ffi.cast("uint8_t (*)[32]", out.ctypes.data),
        )
        return out

    def _make(self, radix: int) -> FastCipher:
        # No lock, which a fork could leave held: of two threads, one makes a cipher for nothing.
        key = self._key
        if key is not None:
            cipher = self._made.setdefault(radix, FastCipher(key, radix))
            if self._key is not None:
                return cipher
            self.close()  # again: it may have passed over this one
        raise TallyError(_CLOSED)

    def close(self) -> None:
        """Wipe key and ciphers; none can be used any more."""
        # Not released but let go: a thread that makes a cipher holds the key too.
        self._key = None
        while self._made:
            try:
                _, cipher = self._made.popitem()
            except KeyError:  # another thread that closes took the last
                break
            cipher.close()
