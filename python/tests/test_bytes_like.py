# SPDX-License-Identifier: Apache-2.0
"""What is bytes-like counts with all of its bytes, whatever the size of its items."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tallystick import FastCipher, FF1Cipher, FF31Cipher, Tokenizer, formats
from tallystick.fast import range_radix
from tallystick.hazmat import shamir
from tallystick.shares import combine, read, split

KEY, WORD, TWEAK = bytes(range(16)), bytes(range(10)) + bytes(6), bytes(range(8))


def wide(data: bytes) -> Any:  # noqa: ANN401
    """Return the same bytes in items of two: ``len`` is half of their number."""
    found = memoryview(array("H", data))
    assert (len(found), bytes(found)) == (len(data) // 2, data)
    return found


def ff31(key: Any, word: Any, tweak: Any) -> object:  # noqa: ANN401
    return FF31Cipher(key, 10).decrypt(word, tweak)


def numbers(key: Any, tweak: Any) -> bytes:  # noqa: ANN401
    cipher = FastCipher(key, range_radix(1000))
    return cipher.encrypt_range(1000, np.arange(5, dtype="u8"), tweak).tobytes()


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (lambda key, word, tweak: FF1Cipher(key, 10).encrypt(word, tweak), (KEY, WORD, TWEAK)),
        (lambda key, word, tweak: FF1Cipher(key, 10).decrypt(word, tweak), (KEY, WORD, TWEAK)),
        (ff31, (KEY, WORD, TWEAK)),
        (lambda key, word, tweak: FastCipher(key, 10).encrypt(word, tweak), (KEY, WORD, TWEAK)),
        (numbers, (KEY, TWEAK)),
        (lambda key: Tokenizer(formats.digits(), key, namespace="n").protect("12345678"), (KEY,)),
        (lambda secret: combine(split(secret, shares=3, threshold=2)).secret, (KEY,)),
        (lambda secret: shamir.combine(shamir.split(secret, shares=3, threshold=2)), (KEY,)),
    ],
    ids=["ff1", "ff1-decrypt", "ff3-1", "fast", "range", "tokenizer", "shares", "shamir"],
)
def test_all_bytes_count(call: Callable[..., object], given: tuple[bytes, ...]) -> None:
    expected = call(*given)
    for place in range(len(given)):
        one = [wide(each) if at == place else each for at, each in enumerate(given)]
        assert call(*one) == expected


def test_shares_of_items() -> None:
    made = shamir.split(KEY[:15], shares=3, threshold=2)
    assert shamir.combine([wide(share) for share in made]) == KEY[:15]
    share = split(KEY, shares=3, threshold=2)[0]
    assert read(wide(share)) == read(share)
