# SPDX-License-Identifier: Apache-2.0
"""Tokens in text, slow and plain, from docs/reference/text-tokens.md."""

import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz"


def round_keys(key: bytes, namespace: bytes, scope: bytes, bits: int) -> list[bytes]:
    """HKDF-SHA-256 (RFC 5869) of four keys."""
    info = (
        b"tallystick text 1" + bytes([bits // 8]) + len(namespace).to_bytes(2) + namespace + scope
    )
    secret = hmac.digest(bytes(32), key, "sha256")
    made, block = b"", b""
    for number in range(1, 5):
        block = hmac.digest(secret, block + info + bytes([number]), "sha256")
        made += block
    return [made[at : at + 32] for at in range(0, 128, 32)]


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def stream(key: bytes, check: bytes, size: int) -> bytes:
    counter = check + bytes(16 - len(check))
    cipher = Cipher(algorithms.AES(key), modes.CTR(counter))
    return cipher.encryptor().update(bytes(size))


def body(key: bytes, namespace: bytes, value: bytes, scope: bytes = b"", bits: int = 64) -> str:
    first, second, third, fourth = round_keys(key, namespace, scope, bits)
    size = bits // 8
    check = hmac.digest(first, value, hashlib.sha256)[:size]
    value = xor(value, stream(second, check, len(value)))
    check = xor(check, hmac.digest(third, value, hashlib.sha256)[:size])
    value = xor(value, stream(fourth, check, len(value)))
    digits = f"{len(value) - 1:015b}" + "".join(f"{byte:08b}" for byte in check + value)
    digits += "0" * (-len(digits) % 5)
    return "".join(SYMBOLS[int(digits[at : at + 5], 2)] for at in range(0, len(digits), 5))


def token(frame: str, kind: str, made: str) -> str:
    if frame == "email":
        local = f"tly-{kind}.{made}"
        labels = [local[at : at + 63] for at in range(64, len(local), 63)]
        return f"{local[:64]}@{'.'.join([*labels, 'tly.example'])}"
    return f"tly-{kind}-{made}" if frame == "ascii" else f"\u27e6{kind}:{made}\u27e7"


def vectors() -> list[dict[str, object]]:
    """What vectors/text_tokens.json has."""
    cases = [
        ("unicode", "email", "e-mail", "", 64, 32, b"jane.doe@example.org"),
        ("ascii", "email", "e-mail", "", 64, 32, b"jane.doe@example.org"),
        ("unicode", "card", "card", "tenant 7", 64, 16, b"4111 1111 1111 1111"),
        ("ascii", "name", "n", "", 40, 24, "Zo\u00eb \u6797".encode()),
        ("unicode", "x", "n" * 256, "s" * 256, 128, 32, b"a"),
        ("ascii", "api_key2", "keys", "\u00fc", 96, 32, bytes(range(256))),
        ("unicode", "k" * 32, "n", "", 128, 32, bytes(i % 251 for i in range(4096))),
        ("ascii", "one", "n", "", 72, 32, b"\0"),
        ("email", "email", "e-mail", "", 64, 32, b"jane.doe@example.org"),
        ("email", "email", "e-mail", "", 64, 32, b"name@" + b"long." * 20 + b"example.org"),
    ]
    made = []
    for number, (frame, kind, space, scope, bits, size, value) in enumerate(cases):
        key = bytes((37 * number + i) % 256 for i in range(size))
        text = body(key, space.encode(), value, scope.encode(), bits)
        made.append(
            {
                **{"frame": frame, "kind": kind, "namespace": space, "scope": scope},
                **{"check_bits": bits, "key": key.hex(), "value": value.hex()},
                "token": token(frame, kind, text).encode().hex(),
            }
        )
    return made
