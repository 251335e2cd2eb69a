# SPDX-License-Identifier: Apache-2.0
"""FAST, format-preserving encryption, on words of symbols: the low level.

Durak, Horst, Horst, Vaudenay, "FAST: Secure and High Performance Format-Preserving Encryption and
Tokenization", ASIACRYPT 2021 (IACR ePrint 2021/1171). ``docs/reference/fast.md`` has the exact
bytes. For
values and columns of text see `tallystick.Tokenizer`.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from tallystick._core import ffi, lib
from tallystick.counting import counted
from tallystick.errors import ParameterError, TallyError
from tallystick.memory import ClosesKeys, check, flat, memory, secret_memory
from tallystick.threads import thread_count

Profile = Literal["fast", "bytes-legacy"]
"""``fast`` is the cipher of the paper, for all new data. ``bytes-legacy`` reads and replaces tokens
of the first go-fast (radix 256 only); its round counts are far below the paper's."""

_PROFILES = {"fast": lib.TALLY_FAST, "bytes-legacy": lib.TALLY_FAST_BYTES_LEGACY}

SEQUENCES_KEPT = 64
"""Sequences that a cipher caches, at most: one for each length and tweak."""

CIPHERS_KEPT = thread_count(None)
"""Ciphers that are cached for later calls, at most: 0.30 MB each."""

MAX_ROUNDS = 4096
"""Layers for each symbol, at most. The paper's rule needs at most 1,460."""


@dataclass(frozen=True, slots=True)
class FastParams:
    """The parameters of one instance of FAST.

    `FastCipher` checks them when it uses them. Use `recommended` unless existing tokens were made
    with other parameters.

    Parameters
    ----------
    radix : int
        The number of symbols: 4..256. Symbols are 0..radix-1.
    length : int
        Symbols of a word: 2..65536 (``bytes-legacy``: 0..1048576).
    layers : int
        A multiple of `length`, at most ``MAX_ROUNDS * length``.
    w, w_prime : int
        The branch distances: 0..length-2 and 1..length-1.
    """

    radix: int
    length: int
    layers: int
    w: int
    w_prime: int

    @classmethod
    def recommended(cls, radix: int, length: int, profile: Profile = "fast") -> "FastParams":
        """Return the recommended parameters (128-bit security, table 1 of the paper).

        Parameters
        ----------
        radix, length : int
            As for `FastParams`.
        profile : {"fast", "bytes-legacy"}
            See `Profile`.

        Raises
        ------
        ParameterError
            Radix or length is outside the profile's range, or the profile is unknown.
        """
        params = ffi.new("tally_fast_params *")
        check(
            lib.tally_fast_recommended(
                _profile(profile), _unsigned(radix), _unsigned(length), params
            ),
            f"recommended parameters for radix {radix}, length {length}",
        )
        return cls(radix, length, params.layers, params.w, params.w_prime)

    def _native(self) -> Any:  # noqa: ANN401
        if self.layers > MAX_ROUNDS * self.length:
            raise ParameterError(
                f"{self.layers} layers are too many: words of {self.length} symbols have at most "
                f"{MAX_ROUNDS * self.length}"
            )
        fields = (self.radix, self.length, self.layers, self.w, self.w_prime)
        return ffi.new("tally_fast_params *", tuple(map(_unsigned, fields)))


def _unsigned(value: int) -> int:
    if not 0 <= value < 2**32:
        raise ParameterError(f"a parameter of FAST is 0..2**32-1, not {value}")
    return value


def _profile(profile: str) -> int:
    try:
        return int(_PROFILES[profile])
    except KeyError:
        raise ParameterError(
            f"profile {profile!r} is unknown; pass 'fast' or 'bytes-legacy'"
        ) from None


class FastCipher(ClosesKeys):
    """FAST under one key and radix.

    Parameters
    ----------
    key : bytes-like
        The master key, of 16, 24 or 32 bytes.
    radix : int
        4..256; ``bytes-legacy``: 256.
    profile : {"fast", "bytes-legacy"}
        See `Profile`.

    Raises
    ------
    ParameterError
        Key size, radix or profile is invalid.

    Notes
    -----
    A cipher is thread-safe, and threads work in parallel: they share the pool, each call has its
    own scratch memory, and the interpreter's lock is released while the core works.

    `close`, or the release of the cipher, wipes keys and pools; if calls are at work in other
    threads, this happens when the last of them ends. The caller's key is not wiped: pass a
    `bytearray` and overwrite it if that matters.

    S-box look-ups by secret index leave traces in the CPU's cache:
    ``docs/explanation/side-channels.md``.
    """

    __slots__ = ("_idle", "_params", "_pool", "profile", "radix")

    def __init__(self, key: bytes | bytearray, radix: int, profile: Profile = "fast") -> None:
        code = _profile(profile)
        size = lib.tally_fast_pool_size(_unsigned(radix))
        held = secret_memory(size)
        pool, given = ffi.new("tally_fast_pool **"), flat(key)
        check(
            lib.tally_fast_pool_init(
                code, _unsigned(radix), ffi.from_buffer(given), len(given), held, size, pool
            ),
            f"cipher of profile {profile!r}, radix {radix}, key of {len(given)} bytes",
        )
        self.radix = radix
        self.profile: Profile = profile
        self._pool: tuple[Any, Any] | None = (held, pool[0])
        self._idle: list[Any] = []
        self._params: dict[int, Any] = {}

    def __repr__(self) -> str:
        return f"FastCipher(radix={self.radix}, profile={self.profile!r})"

    def close(self) -> None:
        """Wipe key, pool and sequences; the cipher can't be used any more."""
        # Not released but let go: calls at work in other threads hold the pool too.
        self._pool = None
        self._release_idle()

    def _release_idle(self) -> None:
        with suppress(IndexError):
            while True:
                ffi.release(self._idle.pop())

    @contextmanager
    def native(self) -> Iterator[Any]:
        """Give a ``tally_fast_cipher *`` that no other thread uses within the block."""
        pool = self._pool
        if pool is None:
            raise TallyError("the cipher is closed")
        try:
            cipher = self._idle.pop()
        except IndexError:
            cipher = _new_cipher(pool[1])
        try:
            yield cipher
        finally:
            if len(self._idle) < CIPHERS_KEPT:
                self._idle.append(cipher)
            else:
                ffi.release(cipher)
            if self._pool is None:
                self._release_idle()

    def encrypt(
        self, word: bytes | bytearray, tweak: bytes = b"", params: FastParams | None = None
    ) -> bytes:
        """Encrypt one word.

        Parameters
        ----------
        word : bytes-like
            n symbols 0..radix-1, one byte each.
        tweak : bytes
            Public bytes of any size. The same word has unrelated tokens under different tweaks.
        params : FastParams, optional
            Explicit parameters instead of the recommended ones.

        Returns
        -------
        bytes
            A word of n symbols of the same radix.

        Raises
        ------
        ParameterError
            A symbol is not below the radix, the profile does not allow the length, or the
            parameters are invalid.
        """
        return self._word(lib.TALLY_ENCRYPT, word, tweak, params)

    def decrypt(
        self, word: bytes | bytearray, tweak: bytes = b"", params: FastParams | None = None
    ) -> bytes:
        """Decrypt one word: the inverse of `encrypt`, with the same parameters and errors."""
        return self._word(lib.TALLY_DECRYPT, word, tweak, params)

    def encrypt_words(
        self,
        words: npt.NDArray[np.uint8],
        tweak: bytes = b"",
        params: FastParams | None = None,
        out: npt.NDArray[np.uint8] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Encrypt many words of one length under one tweak.

        Parameters
        ----------
        words : numpy.ndarray of uint8, shape (count, length)
            A word a row.
        tweak, params
            As for `encrypt`.
        out : numpy.ndarray of uint8, shape (count, length), optional
            C-contiguous and writable; receives the result, and may be `words` itself.

        Returns
        -------
        numpy.ndarray of uint8, shape (count, length)
            `out`, or a new array.

        Raises
        ------
        ParameterError
            As for `encrypt`, or if an array has another shape, type or layout. Nothing is written.
        """
        return self._words(lib.TALLY_ENCRYPT, words, tweak, params, out)

    def decrypt_words(
        self,
        words: npt.NDArray[np.uint8],
        tweak: bytes = b"",
        params: FastParams | None = None,
        out: npt.NDArray[np.uint8] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """Decrypt many words: the inverse of `encrypt_words`, with its parameters and errors."""
        return self._words(lib.TALLY_DECRYPT, words, tweak, params, out)

    def encrypt_range(
        self, size: int, numbers: npt.NDArray[np.uint64], tweak: bytes = b""
    ) -> npt.NDArray[np.uint64]:
        """Encrypt numbers 0..size-1 as numbers of the same range, by cycle walking.

        Parameters
        ----------
        size : int
            How many numbers the range has: 2..2**64. The cipher's radix must be
            ``range_radix(size)``.
        numbers : numpy.ndarray of uint64, shape (count,)
            The numbers, each below `size`.
        tweak : bytes
            As for `encrypt`.

        Returns
        -------
        numpy.ndarray of uint64, shape (count,)
            A new array: the token of each number, below `size`. Different numbers have different
            tokens.

        Raises
        ------
        ParameterError
            The size is not 2..2**64, a number is not below it, the cipher's radix is not
            ``range_radix(size)``, or the array has another shape or type.
        """
        return self._range(lib.TALLY_ENCRYPT, size, numbers, tweak)

    def decrypt_range(
        self, size: int, numbers: npt.NDArray[np.uint64], tweak: bytes = b""
    ) -> npt.NDArray[np.uint64]:
        """Decrypt numbers: the inverse of `encrypt_range`, with the same parameters and errors."""
        return self._range(lib.TALLY_DECRYPT, size, numbers, tweak)

    def _native_params(self, length: int, params: FastParams | None) -> Any:  # noqa: ANN401
        if params is not None:
            if params.length != length:
                raise ParameterError(
                    f"the parameters are for words of {params.length} symbols, not {length}"
                )
            return params._native()
        known = self._params.get(length)
        if known is None:
            known = FastParams.recommended(self.radix, length, self.profile)._native()
            if len(self._params) < 1024:
                self._params[length] = known
        return known

    def _word(
        self,
        direction: int,
        word: bytes | bytearray,
        tweak: bytes,
        params: FastParams | None,
    ) -> bytes:
        check_bytes(word, tweak)
        held = ffi.from_buffer(word)
        out = bytearray(len(held))
        self._run(direction, len(held), tweak, params, held, 1, ffi.from_buffer(out))
        return bytes(out)

    def _words(
        self,
        direction: int,
        words: npt.NDArray[np.uint8],
        tweak: bytes,
        params: FastParams | None,
        out: npt.NDArray[np.uint8] | None,
    ) -> npt.NDArray[np.uint8]:
        given, out = check_words(words, out, np.uint8)
        count, length = words.shape
        held, made = (ffi.cast("uint8_t *", array.ctypes.data) for array in (given, out))
        self._run(direction, length, tweak, params, held, count, made)
        return out

    def _run(
        self,
        direction: int,
        length: int,
        tweak: bytes,
        params: FastParams | None,
        *words: Any,  # noqa: ANN401
    ) -> None:
        """Run words of one length: those that are given, how many, and the memory for new ones."""
        native, given = self._native_params(length, params), ffi.from_buffer(tweak)
        with self.native() as cipher:
            status = lib.tally_fast_words(cipher, direction, native, given, len(given), *words)
        check(status, f"{counted(words[1], 'word')} of {length} symbols, radix {self.radix}")

    def _range(
        self,
        direction: int,
        size: int,
        numbers: npt.NDArray[np.uint64],
        tweak: bytes,
    ) -> npt.NDArray[np.uint64]:
        _check_range(size)
        if numbers.dtype != np.uint64 or numbers.ndim != 1:
            raise ParameterError("numbers must be uint64 of shape (count,)")
        given, held = np.ascontiguousarray(numbers), ffi.from_buffer(tweak)
        out = np.empty(given.shape, np.uint64)
        with self.native() as cipher:
            status = lib.tally_fast_range(
                cipher,
                direction,
                size % 2**64,
                held,
                len(held),
                ffi.cast("uint64_t *", given.ctypes.data),
                len(given),
                ffi.cast("uint64_t *", out.ctypes.data),
            )
        check(status, f"range of {size} numbers, radix {self.radix}")
        return out


def check_bytes(*given: object) -> None:
    """Refuse what is not bytes-like, where a word or a tweak must be.

    Raises
    ------
    ParameterError
        An argument is something else.
    """
    for one in given:
        if not isinstance(one, bytes | bytearray | memoryview):
            raise ParameterError(f"a word and a tweak must be bytes-like, not {type(one).__name__}")


Symbols = TypeVar("Symbols", np.uint8, np.uint16)
"""The type of a symbol in an array of words."""


def check_words(
    words: npt.NDArray[Symbols], out: npt.NDArray[Symbols] | None, symbols: type[Symbols]
) -> tuple[npt.NDArray[Symbols], npt.NDArray[Symbols]]:
    """Return words, a word a row, as the core takes them, and the array that it may write.

    Raises
    ------
    ParameterError
        An array has another shape, type or layout.
    """
    kind = np.dtype(symbols)
    for name, array in (("words", words), ("out", words if out is None else out)):
        if not isinstance(array, np.ndarray):
            raise ParameterError(
                f"{name} must be a NumPy array of {kind}, not {type(array).__name__}"
            )
    if words.dtype != kind or words.ndim != 2:
        raise ParameterError(
            f"words must be {kind} of shape (count, length), not {words.dtype} of {words.shape}"
        )
    if out is None:
        out = np.empty(words.shape, kind)
    elif out.dtype != kind or out.shape != words.shape or not out.flags.carray:
        raise ParameterError(f"out must be C-contiguous, writable {kind} of shape {words.shape}")
    given = np.ascontiguousarray(words)
    if given is not out and np.may_share_memory(given, out):
        given = given.copy()
    return given, out


def _new_cipher(pool: Any) -> Any:  # noqa: ANN401
    """Make a ``tally_fast_cipher *`` that wipes itself before its memory is released."""
    size = lib.tally_fast_cipher_size(SEQUENCES_KEPT)
    held, made = memory(size), ffi.new("tally_fast_cipher **")
    check(lib.tally_fast_cipher_init(pool, SEQUENCES_KEPT, held, size, made), "cipher")
    wipe = lib.tally_fast_cipher_wipe
    # The destructor holds the memory, too.
    return ffi.gc(made[0], lambda cipher: (wipe(cipher), held), size)


def range_radix(size: int) -> int:
    """Return the radix of a cipher for `FastCipher.encrypt_range`.

    Parameters
    ----------
    size : int
        How many numbers the range has: 2..2**64.

    Returns
    -------
    int
        The radix: 4..256.

    Raises
    ------
    ParameterError
        The size is not 2..2**64.
    """
    _check_range(size)
    params = ffi.new("tally_fast_params *")
    check(lib.tally_fast_range_params(size % 2**64, params), f"range of {size} numbers")
    return int(params.radix)


def _check_range(size: int) -> None:
    if not 2 <= size <= 2**64:
        raise ParameterError(f"a range has 2..2**64 numbers, not {size}")
