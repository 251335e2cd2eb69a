# SPDX-License-Identifier: Apache-2.0
"""The peers from PyPI: fast-cipher (FAST), fastfpe (FF1), ff3 (FF3-1), pyffx (FFX, ten rounds).

fast-cipher and fastfpe do the same work, so their results must be equal to ours before they are
timed. The other two are other ciphers on the same values. They are pinned in
requirements/bench.txt, and have no types, hence `import_module`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from tallystick import FastCipher, FF1Cipher

from .errors import WrongResultError

NO_TWEAK = bytes(7)
"""What FF3-1 takes where there is nothing to bind a value to: its tweak always has 56 bits."""

DIGITS = "0123456789"


def fast_cipher(key: bytes, radix: int, length: int) -> Any:  # noqa: ANN401
    """Return fast-cipher's cipher with its recommended parameters, which are ours too."""
    module = import_module("fast_cipher")
    return module.FastCipher(module.calculate_recommended_params(radix, length), key)


def check_equal(key: bytes, radix: int, length: int) -> None:
    """Check that fast-cipher and Tallystick encrypt and decrypt alike.

    Raises
    ------
    WrongResultError
        They do not.
    """
    peer, ours = fast_cipher(key, radix, length), FastCipher(key, radix)
    for serial in range(16):
        word = bytes((serial + 3 * place) % radix for place in range(length))
        tweak = serial.to_bytes(serial, "big")
        token = ours.encrypt(word, tweak)
        if peer.encrypt_bytes(word, tweak) != token or peer.decrypt_bytes(token, tweak) != word:
            raise WrongResultError(
                f"fast-cipher and Tallystick differ at radix {radix}, length {length}"
            )


def fast_cipher_digits(key: bytes, length: int, tweak: bytes) -> Callable[[str], str]:
    """Return a function that encrypts a string of digits with fast-cipher."""
    cipher = fast_cipher(key, len(DIGITS), length)
    symbols = bytes.maketrans(DIGITS.encode(), bytes(range(len(DIGITS))))
    digits = bytes.maketrans(bytes(range(len(DIGITS))), DIGITS.encode())

    def encrypt(value: str) -> str:
        word = value.encode().translate(symbols)
        return str(cipher.encrypt_bytes(word, tweak).translate(digits), "ascii")

    return encrypt


def fastfpe_digits(key: bytes) -> Callable[[str, bytes], str]:
    """Return a function that encrypts a string of digits by FF1 with fastfpe."""
    ff1 = import_module("fastfpe.ff1")
    key_text = key.hex()

    def encrypt(value: str, tweak: bytes = b"") -> str:
        return str(ff1.encrypt(key_text, tweak.hex(), DIGITS, value))

    return encrypt


def check_equal_ff1(key: bytes) -> None:
    """Check that fastfpe and Tallystick encrypt alike by FF1.

    Raises
    ------
    WrongResultError
        They do not.
    """
    peer, ours = fastfpe_digits(key), FF1Cipher(key, len(DIGITS))
    for serial in range(16):
        word, tweak = bytes((serial + 3 * place) % 10 for place in range(16)), bytes(serial)
        token = "".join(DIGITS[symbol] for symbol in ours.encrypt(word, tweak))
        if peer("".join(DIGITS[symbol] for symbol in word), tweak) != token:
            raise WrongResultError("fastfpe and Tallystick differ by FF1")


def ff3_digits(key: bytes) -> Callable[[str, bytes], str]:
    """Return a function that encrypts a string of digits under a tweak of seven bytes with ff3."""
    cipher = import_module("ff3").FF3Cipher(key.hex(), NO_TWEAK.hex(), len(DIGITS))
    _check_round_trip("ff3", cipher.encrypt, cipher.decrypt)

    def encrypt(value: str, tweak: bytes = NO_TWEAK) -> str:
        return str(cipher.encrypt_with_tweak(value, tweak.hex()))

    return encrypt


def pyffx_digits(key: bytes, length: int) -> Callable[[str], str]:
    """Return a function that encrypts a string of digits with pyffx, which knows no tweaks."""
    cipher = import_module("pyffx").String(key, DIGITS, length)
    _check_round_trip("pyffx", cipher.encrypt, cipher.decrypt)
    encrypt: Callable[[str], str] = cipher.encrypt
    return encrypt


def _check_round_trip(
    peer: str, encrypt: Callable[[str], str], decrypt: Callable[[str], str]
) -> None:
    value = "0123456789012345"
    token = encrypt(value)
    if token == value or len(token) != len(value) or decrypt(token) != value:
        raise WrongResultError(f"{peer} does not give a value back")
