# SPDX-License-Identifier: Apache-2.0
"""Authentic shares from docs/reference/share-format.md: slow, plain, independent."""

from __future__ import annotations

import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC


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


def hkdf(salt: bytes, material: bytes, info: bytes, size: int) -> bytes:
    """Return HKDF-SHA-256 (RFC 5869)."""
    key = hmac.digest(salt, material, "sha256")
    block, out = b"", b""
    for number in range(1, -(-size // 32) + 1):
        block = hmac.digest(key, block + info + bytes([number]), "sha256")
        out += block
    return out[:size]


def at(points: list[tuple[int, bytes]], target: int) -> bytes:
    """Return the value at a point of the polynomials through some others."""
    total = bytes(len(points[0][1]))
    for x, y in points:
        weight = 1
        for other, _ in points:
            if other != x:
                inverse = next(b for b in range(256) if product(x ^ other, b) == 1)
                weight = product(weight, product(target ^ other, inverse))
        table = bytes(product(weight, b) for b in range(256))
        total = bytes(a ^ b for a, b in zip(total, y.translate(table), strict=True))
    return total


def disperse(
    data: bytes, threshold: int, count: int, label: bytes, entropy: bytes, salt: bytes
) -> list[bytes]:
    """Return the shares of a file, whose whole content is the hedge of its key."""
    key = tagged("tallystick file", entropy, data)
    shares = split(key, threshold, count, label, salt, kind=1)
    name = shares[0][14 + len(label) :][:16]
    keys = hkdf(name, key, b"tallystick keys\0", 64)
    stripe_size = threshold * 16384
    starts = range(0, max(len(data), 1), stripe_size)
    for number, start in enumerate(starts):
        stripe = data[start : start + stripe_size]
        last = number == len(starts) - 1
        head = (len(stripe) | (1 << 31 if last else 0)).to_bytes(4, "big")
        part = -(-len(stripe) // (16 * threshold)) * 16
        padded = stripe.ljust(part * threshold, b"\0")
        stream = keystream(keys[:32], number << 64, len(padded))
        sealed = bytes(a ^ b for a, b in zip(padded, stream, strict=True))
        parts = [sealed[i * part : (i + 1) * part] for i in range(threshold)]
        points = list(enumerate(parts, 1))
        parts += [at(points, x) for x in range(threshold + 1, count + 1)]
        for i in range(count):
            mac = CMAC(algorithms.AES(keys[32:]))
            mac.update(number.to_bytes(8, "big") + head + bytes([i + 1, 0, 0, 0]) + parts[i])
            shares[i] += head + parts[i] + mac.finalize()
    return shares
