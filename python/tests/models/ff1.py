# SPDX-License-Identifier: Apache-2.0
"""FF1 of NIST SP 800-38G, slow and plain, with no code of the package; and its vectors.

The names are those of the standard. ``PYTHONPATH=python/tests .venv/bin/python -m models.ff1``
prints the vectors, ``vectors/ff1.json``.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

Block = Callable[[bytes], bytes]
LEAST = {"FF1": 1_000_000, "FF1_2016": 100}
"""The least number of words of each profile."""


def block_cipher(key: bytes) -> Block:
    """Return AES on one block, or on several one by one."""
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update  # noqa: S305 (the standard's)


def num(symbols: Sequence[int], radix: int) -> int:
    """Return the number of some symbols, most significant first."""
    x = 0
    for symbol in symbols:
        x = x * radix + symbol
    return x


def string(x: int, radix: int, m: int) -> list[int]:
    """Return the m symbols of a number."""
    symbols = []
    for _ in range(m):
        x, symbol = divmod(x, radix)
        symbols.append(symbol)
    return symbols[::-1]


def prf(ciph: Block, message: bytes) -> bytes:
    """Return the CBC-MAC."""
    y = bytes(16)
    for at in range(0, len(message), 16):
        y = ciph(bytes(a ^ b for a, b in zip(y, message[at : at + 16], strict=True)))
    return y


def ff1(
    key: bytes, radix: int, tweak: bytes, word: Sequence[int], *, decrypt: bool = False
) -> list[int]:
    """Encrypt or decrypt a word."""
    ciph = block_cipher(key)
    n, t = len(word), len(tweak)
    u = n // 2
    v = n - u
    a, b_half = num(word[:u], radix), num(word[u:], radix)
    b = ((radix**v - 1).bit_length() + 7) // 8
    d = 4 * ((b + 3) // 4) + 4
    p = bytes([1, 2, 1]) + radix.to_bytes(3, "big") + bytes([10, u % 256])
    p += n.to_bytes(4, "big") + t.to_bytes(4, "big")
    start = prf(ciph, p + tweak[: t // 16 * 16])  # of all rounds
    for i in reversed(range(10)) if decrypt else range(10):
        q = tweak[t // 16 * 16 :] + bytes((-t - b - 1) % 16) + bytes([i])
        q += (a if decrypt else b_half).to_bytes(b, "big")
        first = ciph(bytes(x ^ y for x, y in zip(start, q[:16], strict=True)))
        r = first
        for at in range(16, len(q), 16):
            r = ciph(bytes(x ^ y for x, y in zip(r, q[at : at + 16], strict=True)))
        s = r
        for j in range(1, (d + 15) // 16):
            s += ciph((int.from_bytes(r, "big") ^ j).to_bytes(16, "big"))
        y = int.from_bytes(s[:d], "big")
        modulus = radix ** (u if i % 2 == 0 else v)
        if decrypt:
            a, b_half = (b_half - y) % modulus, a
        else:
            a, b_half = b_half, (a + y) % modulus
    return string(a, radix, u) + string(b_half, radix, v)


def packed(symbols: Sequence[int], radix: int) -> bytes:
    """Return symbols as bytes, or as two big-endian bytes each above radix 256."""
    return b"".join(symbol.to_bytes(1 if radix <= 256 else 2, "big") for symbol in symbols)


def unpacked(data: bytes, radix: int) -> list[int]:
    """Return the symbols that ``packed`` has packed."""
    size = 1 if radix <= 256 else 2
    return [int.from_bytes(data[at : at + size], "big") for at in range(0, len(data), size)]


def ruled_word(radix: int, length: int) -> list[int]:
    """Return a word that a rule describes, for vectors that are too long to be written down."""
    return [(i * i * 7919 + i * 104729 + 12345) % radix for i in range(length)]


def ruled_tweak(size: int) -> bytes:
    """Return a tweak that a rule describes."""
    return bytes((37 * i + 1) % 256 for i in range(size))


Case = dict[str, Any]

KEY = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94")
SAMPLES = (
    (16, 10, "", "0123456789", "2433477484"),
    (16, 10, "39383736353433323130", "0123456789", "6124200773"),
    (16, 36, "3737373770717273373737", "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (24, 10, "", "0123456789", "2830668132"),
    (24, 10, "39383736353433323130", "0123456789", "2496655549"),
    (24, 36, "3737373770717273373737", "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (32, 10, "", "0123456789", "6657667009"),
    (32, 10, "39383736353433323130", "0123456789", "1001623463"),
    (32, 36, "3737373770717273373737", "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
)
"""NIST's samples of FF1 (csrc.nist.gov, "Cryptographic Standards and Guidelines", examples)."""


def samples() -> Iterator[Case]:
    """Yield NIST's samples."""
    for number, (size, radix, tweak, plain, token) in enumerate(SAMPLES, 1):
        yield {
            "about": f"NIST sample {number}",
            "profile": "FF1",
            "radix": radix,
            "length": len(plain),
            "key": KEY[:size].hex(),
            "tweak": tweak,
            "plaintext": packed([int(letter, 36) for letter in plain], radix).hex(),
            "ciphertext": packed([int(letter, 36) for letter in token], radix).hex(),
        }


def made_case(
    cipher: Callable[[bytes, int, bytes, list[int]], list[int]],
    key: bytes,
    radix: int,
    tweak: bytes,
    plain: list[int],
) -> Case:
    """Return the vector of a word that a cipher encrypts."""
    return {
        "radix": radix,
        "length": len(plain),
        "key": key.hex(),
        "tweak": tweak.hex(),
        "plaintext": packed(plain, radix).hex(),
        "ciphertext": packed(cipher(key, radix, tweak, plain), radix).hex(),
    }


RADIXES = (
    *(2, 3, 4, 5, 7, 8, 10, 11, 15, 16, 17, 26, 31, 32, 36, 37, 52, 62, 64, 85, 94, 95, 100, 127),
    *(128, 200, 251, 255, 256, 257, 500, 1000, 1024, 4095, 4096, 10000, 12345, 32767, 32768),
    *(37667, 50000, 60000, 65521, 65535, 65536),
)
HALVES = (8, 16, 24, 31, 32, 33, 40, 48, 50, 52, 62, 63, 64, 65, 80, 95, 96, 97, 127, 128, 256, 600)
"""Bits of halves: words are generated on both sides of each."""
BOUND_RADIXES, BOUND_HALVES = (3, 10, 36, 62, 255, 1000), (29, 32, 50, 60, 62, 64)
"""The same, for each of these radixes."""
TWEAKS = (0, 1, 4, 7, 8, 10, 11, 12, 15, 16, 17, 26, 27, 28, 32, 33, 47, 64, 100)


def least_length(profile: str, radix: int) -> int:
    """Return the least length of words of a profile."""
    return next(n for n in range(2, 21) if radix**n >= LEAST[profile])


def lengths(radix: int) -> Iterator[tuple[str, int]]:
    """Yield profiles and lengths at which something changes."""
    for profile in LEAST:
        yield profile, least_length(profile, radix)
    least = least_length("FF1", radix)
    found = {least + 1, least + 2}
    for bits in HALVES:
        half = next(n for n in range(1, 10**4) if radix**n > 1 << bits)
        found |= {2 * half - 3, 2 * half - 2, 2 * half - 1, 2 * half}
    yield from (("FF1", length) for length in sorted(found) if least < length <= 300)


def made(draw: random.Random) -> Iterator[Case]:
    """Yield many radixes, lengths, sizes of tweaks and of keys."""
    for radix in RADIXES:
        every = [*lengths(radix)]
        chosen = every[:2] + draw.sample(every[2:], 12)
        for profile, length in sorted(set(chosen)):
            key = draw.randbytes(draw.choice((16, 24, 32)))
            tweak = draw.randbytes(draw.choice(TWEAKS))
            kind = draw.randrange(8)
            symbols = range(radix - 1, radix) if kind == 0 else range(1 if kind == 1 else radix)
            plain = [draw.choice(symbols) for _ in range(length)]
            yield {"profile": profile, **made_case(ff1, key, radix, tweak, plain)}


def bounds(draw: random.Random) -> Iterator[Case]:
    """Yield words on both sides of bounds that the others may have missed."""
    for radix in BOUND_RADIXES:
        for bits in BOUND_HALVES:
            half = next(n for n in range(1, 100) if radix**n > 1 << bits)
            for length in range(2 * half - 2, 2 * half + 1):
                key, tweak = draw.randbytes(16), draw.randbytes(8)
                plain = [radix - 1] * length if length % 2 else draw.choices(range(radix), k=length)
                yield {"profile": "FF1", **made_case(ff1, key, radix, tweak, plain)}


def ruled(draw: random.Random) -> Iterator[Case]:
    """Yield long words and tweaks, by rules and hashes."""
    for radix, length, tweak_size in (
        (2, 65536, 0),
        (10, 65536, 5),
        (10, 4096, 70000),
        (10, 16, 65536 + 3),
        (36, 20, 1000),
        (256, 65535, 9),
        (257, 1001, 300),
        (65535, 5000, 16),
        (65536, 65536, 31),
    ):
        key = draw.randbytes(draw.choice((16, 24, 32)))
        token = ff1(key, radix, ruled_tweak(tweak_size), ruled_word(radix, length))
        yield {
            "profile": "FF1",
            "radix": radix,
            "length": length,
            "key": key.hex(),
            "tweak_size": tweak_size,
            "sha256": hashlib.sha256(packed(token, radix)).hexdigest(),
        }


def vectors() -> list[Case]:
    """Return all vectors."""
    draw = random.Random(38)  # noqa: S311 (the same in every run)
    return [*samples(), *made(draw), *ruled(draw), *bounds(draw)]


def show(cases: list[Case]) -> None:
    """Print vectors, one a line."""
    lines = (json.dumps(case, separators=(",", ":")) for case in cases)
    print("[" + ",\n".join(lines) + "]")


if __name__ == "__main__":
    show(vectors())
