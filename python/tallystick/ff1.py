# SPDX-License-Identifier: Apache-2.0
"""FF1, format-preserving encryption, on words of symbols: the low level; and FF3-1, to read.

NIST SP 800-38G, "Recommendation for Block Cipher Modes of Operation: Methods for Format-Preserving
Encryption", and the second draft of its Revision 1 (2025). For values and columns of text see
`tallystick.Tokenizer`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError, TallyError
from tallystick.fast import check_bytes, check_words
from tallystick.memory import ClosesKeys, check, flat, secret_memory

Profile = Literal["ff1", "ff1-2016"]
"""``ff1`` demands radix**length >= 1,000,000, as Revision 1 does, and is for all new data.
``ff1-2016`` demands 100, as the edition of 2016 does, and reads data that was encrypted before.
Otherwise they are the same cipher."""

_PROFILES = {"ff1": lib.TALLY_FF1, "ff1-2016": lib.TALLY_FF1_2016}

MAX_LENGTH = int(lib.TALLY_FF1_MAX_LENGTH)
"""Symbols of a word, at most."""

_BYTES = 256
"""The largest radix whose symbols are bytes."""


class _Words(ClosesKeys, ABC):
    """A key and a radix in memory of the core, and words of bytes or of ``uint16``."""

    __slots__ = ("_native", "_symbols", "radix")

    def _open(
        self,
        name: str,
        pointer: str,
        size: int,
        set_up: Callable[..., int],
        key: bytes | bytearray,
        radix: int,
    ) -> None:
        if not lib.TALLY_FF1_MIN_RADIX <= radix <= lib.TALLY_FF1_MAX_RADIX:
            raise ParameterError(
                f"a radix of {name} is {lib.TALLY_FF1_MIN_RADIX}..{lib.TALLY_FF1_MAX_RADIX}, "
                f"not {radix}"
            )
        held, cipher, given = secret_memory(size), ffi.new(pointer), flat(key)
        check(
            set_up(radix, ffi.from_buffer(given), len(given), held, size, cipher),
            f"{name} with a key of {len(given)} bytes",
        )
        self.radix = radix
        self._symbols: Any = np.uint8 if radix <= _BYTES else np.uint16
        self._native: tuple[Any, Any] | None = (held, cipher[0])

    def close(self) -> None:
        """Wipe the key; the cipher can't be used any more."""
        # Not released but let go: calls at work in other threads hold the memory too.
        self._native = None

    @abstractmethod
    def _check_length(self, length: int, tweak_size: int) -> None:
        """Refuse a length that the cipher does not have with a tweak of so many bytes."""

    def _word(
        self,
        apply: Any,  # noqa: ANN401
        word: bytes | bytearray | npt.NDArray[np.uint16],
        tweak: bytes,
    ) -> bytes | npt.NDArray[np.uint16]:
        if self.radix > _BYTES:
            if not isinstance(word, np.ndarray) or word.ndim != 1:
                raise ParameterError(
                    f"a word of radix {self.radix} must be a uint16 array of shape (length,), "
                    f"not {type(word).__name__}"
                )
            row: npt.NDArray[np.uint16] = self._words(apply, word[np.newaxis], tweak, None)[0]
            return row
        if isinstance(word, np.ndarray):
            raise ParameterError(f"a word of radix {self.radix} must be bytes-like, not an array")
        check_bytes(word, tweak)
        given = ffi.from_buffer(word)
        length = len(given)
        out = bytearray(length)
        self._call(apply, length, tweak, given, 1, ffi.from_buffer(out))
        return bytes(out)

    def _words(
        self,
        apply: Any,  # noqa: ANN401
        words: npt.NDArray[Any],
        tweak: bytes,
        out: npt.NDArray[Any] | None,
    ) -> npt.NDArray[Any]:
        check_bytes(tweak)
        given, out = check_words(words, out, self._symbols)
        count, length = words.shape
        self._call(
            apply,
            length,
            tweak,
            ffi.cast("void *", given.ctypes.data),
            count,
            ffi.cast("void *", out.ctypes.data),
        )
        return out

    def _call(
        self,
        apply: Any,  # noqa: ANN401
        length: int,
        tweak: bytes,
        words: Any,  # noqa: ANN401
        count: int,
        out: Any,  # noqa: ANN401
    ) -> None:
        native = self._native
        if native is None:
            raise TallyError("the cipher is closed")
        held = ffi.from_buffer(tweak)
        self._check_length(length, len(held))
        check(
            apply(native[1], length, held, len(held), words, count, out),
            f"{count} words of {length} symbols, radix {self.radix}",
        )


class FF1Cipher(_Words):
    """FF1 under one key and radix.

    Parameters
    ----------
    key : bytes-like
        The AES key, of 16, 24 or 32 bytes.
    radix : int
        2..65536. Symbols are 0..radix-1: bytes if the radix is at most 256, else ``uint16``.
    profile : {"ff1", "ff1-2016"}
        See `Profile`.

    Attributes
    ----------
    min_length : int
        The fewest symbols of a word, which follows from radix and profile.

    Raises
    ------
    ParameterError
        Key size, radix or profile is invalid.

    Notes
    -----
    A cipher is thread-safe, and threads work in parallel: the interpreter's lock is released while
    the core works.

    `close`, or the release of the cipher, wipes the key; if calls are at work in other threads,
    this happens when the last of them ends. The caller's key is not wiped: pass a `bytearray` and
    overwrite it if that matters.

    No branch and no address depends on the key, a word or a tweak.

    Examples
    --------
    Sample 1 of NIST's for FF1:

    >>> from tallystick import FF1Cipher
    >>> cipher = FF1Cipher(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), 10)
    >>> list(cipher.encrypt(bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])))
    [2, 4, 3, 3, 4, 7, 7, 4, 8, 4]
    """

    __slots__ = ("min_length", "profile")

    def __init__(self, key: bytes | bytearray, radix: int, *, profile: Profile = "ff1") -> None:
        if profile not in _PROFILES:
            raise ParameterError(f"profile {profile!r} is unknown; pass 'ff1' or 'ff1-2016'")
        code = _PROFILES[profile]
        set_up = partial(lib.tally_ff1_init, code)
        self._open("FF1", "tally_ff1 **", lib.tally_ff1_size(), set_up, key, radix)
        self.profile: Profile = profile
        self.min_length = int(lib.tally_ff1_min_length(code, radix))

    def __repr__(self) -> str:
        return f"FF1Cipher(radix={self.radix}, profile={self.profile!r})"

    @overload
    def encrypt(self, word: bytes | bytearray, tweak: bytes = b"") -> bytes: ...
    @overload
    def encrypt(
        self, word: npt.NDArray[np.uint16], tweak: bytes = b""
    ) -> npt.NDArray[np.uint16]: ...
    def encrypt(
        self, word: bytes | bytearray | npt.NDArray[np.uint16], tweak: bytes = b""
    ) -> bytes | npt.NDArray[np.uint16]:
        """Encrypt one word.

        Parameters
        ----------
        word : bytes-like, or numpy.ndarray of uint16, shape (length,)
            Symbols 0..radix-1: one byte each if the radix is at most 256, else an array. A word has
            `min_length` to 65,536 symbols.
        tweak : bytes
            Public bytes, at most 2**32 - 1. The same word has unrelated tokens under different
            tweaks.

        Returns
        -------
        bytes, or numpy.ndarray of uint16
            A word of the same length and radix.

        Raises
        ------
        ParameterError
            A symbol is not below the radix, the length is outside its range, or the word is not of
            the type for this radix.
        """
        return self._word(lib.tally_ff1_encrypt_words, word, tweak)

    @overload
    def decrypt(self, word: bytes | bytearray, tweak: bytes = b"") -> bytes: ...
    @overload
    def decrypt(
        self, word: npt.NDArray[np.uint16], tweak: bytes = b""
    ) -> npt.NDArray[np.uint16]: ...
    def decrypt(
        self, word: bytes | bytearray | npt.NDArray[np.uint16], tweak: bytes = b""
    ) -> bytes | npt.NDArray[np.uint16]:
        """Decrypt one word: the inverse of `encrypt`, with the same parameters and errors."""
        return self._word(lib.tally_ff1_decrypt_words, word, tweak)

    def encrypt_words(
        self,
        words: npt.NDArray[Any],
        tweak: bytes = b"",
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]:
        """Encrypt many words of one length under one tweak.

        Parameters
        ----------
        words : numpy.ndarray of uint8 or uint16, shape (count, length)
            A word a row: ``uint8`` if the radix is at most 256, else ``uint16``.
        tweak : bytes
            As for `encrypt`.
        out : numpy.ndarray, optional
            Of the type and shape of `words`, C-contiguous and writable; receives the result, and
            may be `words` itself.

        Returns
        -------
        numpy.ndarray
            `out`, or a new array.

        Raises
        ------
        ParameterError
            As for `encrypt`, or if an array has another shape, type or layout. Nothing is written.
        """
        return self._words(lib.tally_ff1_encrypt_words, words, tweak, out)

    def decrypt_words(
        self,
        words: npt.NDArray[Any],
        tweak: bytes = b"",
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]:
        """Decrypt many words: the inverse of `encrypt_words`, with its parameters and errors."""
        return self._words(lib.tally_ff1_decrypt_words, words, tweak, out)

    def _check_length(self, length: int, tweak_size: int) -> None:
        del tweak_size  # it has no part in the bounds
        if self.min_length <= length <= MAX_LENGTH:
            return
        text = _bounds(self.radix, self.min_length, MAX_LENGTH, length)
        if lib.tally_ff1_min_length(lib.TALLY_FF1_2016, self.radix) <= length < self.min_length:
            text += "; to read tokens of so short words, pass profile='ff1-2016'"
        raise ParameterError(text)


class FF31Cipher(_Words):
    """FF3-1 and FF3 under one key and radix, to read data that was encrypted before.

    FF3-1 is of the first draft of Revision 1 of SP 800-38G (2019), and FF3 of the edition of 2016.
    The second draft has neither, because attacks on both were published: so there is no `encrypt`.

    Parameters
    ----------
    key : bytes-like
        The key of the other tool, of 16, 24 or 32 bytes, as it was: the order of its bytes is not
        reversed.
    radix : int
        2..65536. Symbols are 0..radix-1: bytes if the radix is at most 256, else ``uint16``.

    Raises
    ------
    ParameterError
        Key size or radix is invalid.

    Notes
    -----
    As for `FF1Cipher`.

    Examples
    --------
    >>> from tallystick import FF31Cipher
    >>> cipher = FF31Cipher(bytes.fromhex("ad41ec5d2356deae53ae76f50b4ba6d2"), 10)
    >>> list(cipher.decrypt(bytes([4, 7, 1, 6, 5, 6, 9, 2, 0, 8]), bytes.fromhex("cf29da1e18d970")))
    [6, 5, 2, 0, 9, 3, 5, 4, 9, 6]
    """

    __slots__ = ()

    def __init__(self, key: bytes | bytearray, radix: int) -> None:
        self._open(
            "FF3-1", "tally_ff3_1 **", lib.tally_ff3_1_size(), lib.tally_ff3_1_init, key, radix
        )

    def __repr__(self) -> str:
        return f"FF31Cipher(radix={self.radix})"

    @overload
    def decrypt(self, word: bytes | bytearray, tweak: bytes) -> bytes: ...
    @overload
    def decrypt(self, word: npt.NDArray[np.uint16], tweak: bytes) -> npt.NDArray[np.uint16]: ...
    def decrypt(
        self, word: bytes | bytearray | npt.NDArray[np.uint16], tweak: bytes
    ) -> bytes | npt.NDArray[np.uint16]:
        """Decrypt one word.

        Parameters
        ----------
        word : bytes-like, or numpy.ndarray of uint16, shape (length,)
            A token, as for `FF1Cipher.decrypt`. radix**length is at least 1,000,000 (FF3-1) or 100
            (FF3), and half of the symbols have at most 2**96 values: 56 digits.
        tweak : bytes
            7 bytes for FF3-1, or 8 bytes for FF3.

        Returns
        -------
        bytes, or numpy.ndarray of uint16
            A word of the same length and radix.

        Raises
        ------
        ParameterError
            A symbol is not below the radix, the length or the tweak's size is outside its range, or
            the word is not of the type for this radix.
        """
        return self._word(lib.tally_ff3_1_decrypt_words, word, tweak)

    def decrypt_words(
        self, words: npt.NDArray[Any], tweak: bytes, out: npt.NDArray[Any] | None = None
    ) -> npt.NDArray[Any]:
        """Decrypt many words of one length under one tweak.

        Parameters
        ----------
        words, out : numpy.ndarray
            As for `FF1Cipher.decrypt_words`.
        tweak : bytes
            As for `decrypt`.

        Returns
        -------
        numpy.ndarray
            `out`, or a new array.

        Raises
        ------
        ParameterError
            As for `decrypt`, or if an array has another shape, type or layout. Nothing is written.
        """
        return self._words(lib.tally_ff3_1_decrypt_words, words, tweak, out)

    def _check_length(self, length: int, tweak_size: int) -> None:
        least = int(lib.tally_ff3_1_min_length(tweak_size, self.radix))
        if least == 0:
            raise ParameterError(
                f"a tweak has 7 bytes in FF3-1, and 8 bytes in FF3, not {tweak_size}"
            )
        most = int(lib.tally_ff3_1_max_length(self.radix))
        if not least <= length <= most:
            raise ParameterError(_bounds(self.radix, least, most, length))


def _bounds(radix: int, least: int, most: int, length: int) -> str:
    return f"a word of radix {radix} has {least} to {most} symbols, not {length}"
