# SPDX-License-Identifier: Apache-2.0
"""FF3-1 and FF3, slow and plain, with no code of the package; and their vectors.

FF3-1 is that of the first draft of SP 800-38G Revision 1 (2019), with tweaks of 7 bytes, and FF3
that of SP 800-38G (2016), with tweaks of 8. ``PYTHONPATH=python/tests .venv/bin/python -m
models.ff3_1`` prints the vectors, ``vectors/ff3_1.json``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase, digits

from models.ff1 import RADIXES, Case, block_cipher, made_case, num, packed, show, string


def most_symbols(radix: int) -> int:
    """Return the greatest length of words."""
    half = 0
    while radix ** (half + 1) <= 1 << 96:
        half += 1
    return 2 * half


def ff3_1(
    key: bytes, radix: int, tweak: bytes, word: Sequence[int], *, decrypt: bool = False
) -> list[int]:
    """Encrypt or decrypt a word; a tweak of 8 bytes makes it FF3."""
    ciph = block_cipher(key[::-1])
    n = len(word)
    u = (n + 1) // 2
    v = n - u
    a, b = num(word[:u][::-1], radix), num(word[u:][::-1], radix)
    if len(tweak) == 8:
        left, right = tweak[:4], tweak[4:]
    else:
        left = tweak[:3] + bytes([tweak[3] & 0xF0])
        right = tweak[4:] + bytes([(tweak[3] & 0x0F) << 4])
    for i in reversed(range(8)) if decrypt else range(8):
        m, w = (u, right) if i % 2 == 0 else (v, left)
        p = (int.from_bytes(w, "big") ^ i).to_bytes(4, "big")
        p += (a if decrypt else b).to_bytes(12, "big")
        y = int.from_bytes(ciph(p[::-1])[::-1], "big")
        if decrypt:
            a, b = (b - y) % radix**m, a
        else:
            a, b = b, (a + y) % radix**m
    return string(a, radix, u)[::-1] + string(b, radix, v)[::-1]


BASE64 = digits + ascii_uppercase + ascii_lowercase + "+/"
BASE36 = digits + ascii_lowercase
LONG = "EF4359D8D580AA4F7F036D6F04FC6A942B7E151628AED2A6ABF7158809CF4F3C"
LONG_24 = "EF4359D8D580AA4F7F036D6F04FC6A942B7E151628AED2A6"
SAMPLES = (
    # NIST's samples of FF3 (csrc.nist.gov, "Cryptographic Standards and Guidelines", examples).
    (LONG[:32], 10, "D8E7920AFA330A73", digits, "890121234567890000", "750918814058654607"),
    (LONG[:32], 10, "9A768A92F60E12D8", digits, "890121234567890000", "018989839189395384"),
    (
        *(LONG[:32], 10, "D8E7920AFA330A73", digits),
        *("89012123456789000000789000000", "48598367162252569629397416226"),
    ),
    (
        *(LONG[:32], 10, "0000000000000000", digits),
        *("89012123456789000000789000000", "34695224821734535122613701434"),
    ),
    (LONG[:32], 26, "9A768A92F60E12D8", BASE36, "0123456789abcdefghi", "g2pk40i992fn20cjakb"),
    (LONG_24, 10, "D8E7920AFA330A73", digits, "890121234567890000", "646965393875028755"),
    (LONG, 10, "D8E7920AFA330A73", digits, "890121234567890000", "922011205562777495"),
    # ACVP's samples of FF3-1.
    (
        *("2DE79D232DF5585D68CE47882AE256D6", 10, "CBD09280979564", digits),
        *("3992520240", "8901801106"),
    ),
    (
        *("01C63017111438F7FC8E24EB16C71AB5", 10, "C4E822DCD09F27", digits),
        "60761757463116869318437658042297305934914824457484538562",
        "35637144092473838892796702739628394376915177448290847293",
    ),
    (
        *("718385E6542534604419E83CE387A437", 26, "B6F35084FA90E1", ascii_lowercase),
        *("wfmwlrorcd", "ywowehycyd"),
    ),
    (
        *("DB602DFF22ED7E84C8D8C865A941A238", 26, "EBEFD63BCC2083", ascii_lowercase),
        "kkuomenbzqvggfbteqdyanwpmhzdmoicekiihkrm",
        "belcfahcwwytwrckieymthabgjjfkxtxauipmjja",
    ),
    (
        *("AEE87D0D485B3AFD12BD1E0B9D03D50D", 64, "5F9140601D224B", BASE64),
        *("ixvuuIHr0e", "GR90R1q838"),
    ),
    (
        *("7B6C88324732F7F4AD435DA9AD77F917", 64, "3F42102C0BAB39", BASE64),
        *("21q1kbbIVSrAFtdFWzdMeIDpRqpo", "cvQ/4aGUV4wRnyO3CHmgEKW5hk8H"),
    ),
)


def samples() -> Iterator[Case]:
    """Yield the samples of others."""
    for key, radix, tweak, alphabet, plain, token in SAMPLES:
        yield {
            "about": "NIST sample" if len(tweak) == 16 else "ACVP sample",
            "radix": radix,
            "length": len(plain),
            "key": key.lower(),
            "tweak": tweak.lower(),
            "plaintext": packed([alphabet.index(x) for x in plain], radix).hex(),
            "ciphertext": packed([alphabet.index(x) for x in token], radix).hex(),
        }


def made(draw: random.Random) -> Iterator[Case]:
    """Yield many radixes, lengths and sizes of keys, and both sizes of tweaks."""
    for radix in RADIXES:
        most = most_symbols(radix)
        for tweak_size, domain in ((7, 1_000_000), (8, 100)):
            least = next(n for n in range(2, 21) if radix**n >= domain)
            some = draw.sample(range(least, most + 1), min(4, most + 1 - least))
            for length in sorted({least, least + 1, most - 1, most, *some}):
                key = draw.randbytes(draw.choice((16, 24, 32)))
                tweak = draw.randbytes(tweak_size)
                plain = [draw.randrange(radix) for _ in range(length)]
                yield made_case(ff3_1, key, radix, tweak, plain)


def vectors() -> list[Case]:
    """Return all vectors."""
    return [*samples(), *made(random.Random(31))]  # noqa: S311 (the same in every run)


if __name__ == "__main__":
    show(vectors())
