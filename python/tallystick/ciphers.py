# SPDX-License-Identifier: Apache-2.0
"""FAST under one key in as many radices as are asked for: what formats are given to work with."""

from __future__ import annotations

from typing import Any

from tallystick._core import ffi
from tallystick.errors import ParameterError, TallyError
from tallystick.fast import FastCipher
from tallystick.memory import secret_memory

_KEY_SIZES = (16, 24, 32)


class Ciphers:
    """The ciphers of one key, one for each radix, made when it is first asked for.

    Parameters
    ----------
    key : bytes-like
        The master key, of 16, 24 or 32 bytes. A copy is kept in memory that is wiped.

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

    def __init__(self, key: bytes | bytearray) -> None:
        if len(key) not in _KEY_SIZES:
            raise ParameterError(f"a key has 16, 24 or 32 bytes, not {len(key)}")
        held = secret_memory(len(key))
        ffi.memmove(held, key, len(key))
        self._key: Any = ffi.buffer(held, len(key))
        self._made: dict[int, FastCipher] = {}

    def __repr__(self) -> str:
        return "Ciphers()"

    def __reduce__(self) -> Any:  # noqa: ANN401
        raise TypeError("Ciphers hold a key and can't be pickled: make them where they are used")

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

    def _make(self, radix: int) -> FastCipher:
        # No lock, which a fork could leave held: of two threads, one makes a cipher for nothing.
        key = self._key
        if key is not None:
            cipher = self._made.setdefault(radix, FastCipher(key, radix))
            if self._key is not None:
                return cipher
            self.close()  # again: it may have passed over this one
        raise TallyError("the cipher is closed")

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
