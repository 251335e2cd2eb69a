# SPDX-License-Identifier: Apache-2.0
"""Authentic shares as docs/share-format.md has them, written from it: slow, plain, independent."""

from __future__ import annotations

import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def product(a: int, b: int, modulus: int = 0x11B) -> int:
    """Return the product of two bytes in GF(2^8)."""
    result = 0
    while b:
        result ^= a if b & 1 else 0
        a <<= 1
        a ^= modulus if a & 0x100 else 0
        b >>= 1
    return result


def keystream(key: bytes, counter: int, size: int) -> bytes:
    """Return the first bytes of AES-CTR's stream that begins with a counter."""
    cipher = Cipher(algorithms.AES(key), modes.CTR(counter.to_bytes(16, "big"))).encryptor()
    return cipher.update(bytes(size))


def tagged(tag: str, *parts: bytes) -> bytes:
    """Return SHA-256 of a tag in 16 bytes and some parts."""
    return hashlib.sha256(tag.encode().ljust(16, b"\0") + b"".join(parts)).digest()


def header(kind: int, threshold: int, count: int, index: int, label: bytes, size: int) -> bytes:
    """Return the first 14 bytes of a share."""
    fields = bytes([1, kind, threshold, count, index, len(label)])
    return b"TSSH" + fields + size.to_bytes(4, "big")


def split(
    secret: bytes, threshold: int, count: int, label: bytes, salt: bytes, kind: int = 0
) -> list[bytes]:
    """Return the shares of a secret under a salt."""
    common = header(kind, threshold, count, 0, label, len(secret)) + label
    key = tagged("tallystick coin", common, salt, secret)
    shared = salt + secret
    rows = [shared] + [keystream(key, i << 64, len(shared)) for i in range(1, threshold)]
    values = []
    for x in range(1, count + 1):
        value = rows[-1]
        for row in reversed(rows[:-1]):
            value = bytes(product(v, x) ^ c for v, c in zip(value, row, strict=True))
        values.append(value)
    depth = (count - 1).bit_length()
    level = [tagged("tallystick leaf", bytes([x]), v)[:16] for x, v in enumerate(values, 1)]
    level += [bytes(16)] * (2**depth - count)
    levels = [level]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [tagged("tallystick node", left, right)[:16] for left, right in pairs]
        levels.append(level)
    name = tagged("tallystick set", common, level[0])[:16]
    shares = []
    for x, value in enumerate(values, 1):
        path = b"".join(levels[d][(x - 1 >> d) ^ 1] for d in range(depth))
        shares.append(
            header(kind, threshold, count, x, label, len(secret)) + label + name + path + value
        )
    return shares
