# SPDX-License-Identifier: Apache-2.0
"""FAST once more, from docs/reference/fast.md: slow, plain, with no code of the package.

The word really rotates, S-boxes are plain lists, AES and CMAC come from ``cryptography``, and the
recommended parameters are exact (``decimal`` with 60 digits).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC

LENGTHS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 50, 64, 100)
RADICES = (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 100, 128, 256)


def table_entry(radix: int, length: int) -> int:
    """Compute an entry of table 1 from the formula behind it (128-bit security, m = 256)."""
    s = 128.0
    root = math.sqrt(length)
    return math.ceil(
        2
        * max(
            2 * s / (length * 8),
            s / (root * math.log(radix - 1)),
            s / (root * math.log2(radix - 1)) + 2 * root,
        )
    )


@dataclass(frozen=True, slots=True)
class Params:
    """One instance of FAST."""

    radix: int
    length: int
    layers: int
    w: int
    w_prime: int


def recommended(radix: int, length: int) -> Params:
    """Give the recommended parameters, exactly."""
    with localcontext() as context:
        context.prec = 60
        row = max(i for i in range(len(RADICES) - 1) if RADICES[i] <= radix)
        column = max(i for i in range(len(LENGTHS) - 1) if LENGTHS[i] <= length)
        first, last = LENGTHS[column], LENGTHS[column + 1]
        reach = min(length, last)

        def at_length(radix: int) -> Decimal:
            before, after = table_entry(radix, first), table_entry(radix, last)
            return before + Decimal((after - before) * (reach - first)) / (last - first)

        low, high = RADICES[row], RADICES[row + 1]
        rounds = at_length(low)
        if at_length(high) != rounds:
            share = Decimal(radix).ln() - Decimal(low).ln()
            share /= Decimal(high).ln() - Decimal(low).ln()
            rounds += share * (at_length(high) - rounds)
        if length > last:
            rounds *= (Decimal(length) / last).sqrt()
        # 60 digits leave no room for a doubt about the ceiling of anything but an integer.
        nearest = rounds.to_integral_value()
        if abs(rounds - nearest) > Decimal("1e-40"):
            nearest = Decimal(math.ceil(rounds))
        w = min(math.isqrt(length - 1) + 1, length - 2)
        return Params(radix, length, int(nearest) * length, w, min(max(1, w - 1), length - w - 1))


def _u32(x: int) -> bytes:
    return x.to_bytes(4, "big")


def _cmac(key: bytes, message: bytes) -> bytes:
    mac = CMAC(algorithms.AES(key))
    mac.update(message)
    return mac.finalize()


def _encode(*parts: bytes) -> bytes:
    return _u32(len(parts)) + b"".join(_u32(len(part)) + part for part in parts)


class _Generator:
    def __init__(self, key: bytes, x: bytes, *, clear_end: bool) -> None:
        iv = _cmac(key, _u32(1) + x)
        if clear_end:
            iv = iv[:14] + bytes(2)
        start = (int.from_bytes(iv, "big") + 1) % 2**128
        mode = modes.CTR(start.to_bytes(16, "big"))
        self._stream = Cipher(algorithms.AES(_cmac(key, _u32(0) + x)), mode).encryptor()

    def uniform(self, bound: int) -> int:
        while True:
            product = int.from_bytes(self._stream.update(bytes(4)), "big") * bound
            if product % 2**32 >= (2**32 - bound) % bound:
                return product >> 32


class Fast:
    """FAST for one key and radix."""

    def __init__(self, key: bytes, radix: int) -> None:
        self.key = key
        self.radix = radix
        head = (b"instance1", _u32(radix), _u32(256))
        draw = _Generator(key, _encode(*head, b"FPE Pool"), clear_end=False)
        self.pool: list[list[int]] = []
        for _ in range(256):
            sbox = list(range(radix))
            for i in range(radix - 1, 0, -1):
                j = draw.uniform(i + 1)
                sbox[i], sbox[j] = sbox[j], sbox[i]
            self.pool.append(sbox)

    def sequence(self, p: Params, tweak: bytes) -> list[int]:
        """Draw the S-box of every layer."""
        x = _encode(
            b"instance1", _u32(p.radix), _u32(256), b"instance2", _u32(p.length), _u32(p.layers),
            _u32(p.w), _u32(p.w_prime), b"FPE SEQ", b"tweak", tweak,
        )  # fmt: skip
        draw = _Generator(self.key, x, clear_end=True)
        return [draw.uniform(256) for _ in range(p.layers)]

    def encrypt(self, word: list[int], tweak: bytes, params: Params | None = None) -> list[int]:
        """Encrypt a word."""
        p = params or recommended(self.radix, len(word))
        a = self.radix
        x = list(word)
        for index in self.sequence(p, tweak):
            sbox = self.pool[index]
            t = sbox[(x[0] + x[p.length - p.w_prime]) % a]
            v = sbox[(t - x[p.w]) % a] if p.w > 0 else sbox[t]
            x = [*x[1:], v]
        return x
