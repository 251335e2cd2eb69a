# SPDX-License-Identifier: Apache-2.0
"""Write the core's tables of Unicode, and test vectors for them, from Python's unicodedata.

Run ``python tools/unicode_tables.py``. It needs a Python whose `unicodedata` has the version
`VERSION`. Another version is a change of that constant, which changes messages alone: what is a
letter of a script never changes.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

VERSION = "14.0.0"

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "core" / "unicode" / "tables.c"
VECTORS = ROOT / "vectors" / "unicode.json"

POINTS = range(0x110000)
HANGUL = range(0xAC00, 0xD7A4)
JAMO = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]  # vowels, and final consonants
SECOND, NEVER = 0x100, 0x200
CLASSES = {"L": 0, "Nd": 1, "Z": 2, "Cc": 3}
OTHER = 4


def category(point: int) -> int:
    """Return the class of a code point as unicode.h numbers it."""
    name = unicodedata.category(chr(point))
    return CLASSES.get(name, CLASSES.get(name[0], OTHER))


def pairs() -> list[tuple[int, int, int]]:
    """Return what two characters make one in NFC, without syllables of Hangul."""
    found = []
    for point in POINTS:
        parts = unicodedata.decomposition(chr(point)).split()
        if len(parts) == 2 and parts[0][0] != "<" and is_nfc(chr(point)):
            first, second = (int(part, 16) for part in parts)
            # What nfc.c relies on.
            if len(unicodedata.normalize("NFD", chr(second))) != 1:
                raise ValueError(f"U+{point:04X}: its second part is composed")
            if unicodedata.combining(chr(point)) or unicodedata.combining(chr(first)):
                raise ValueError(f"U+{point:04X}: a mark that is composed")
            found.append((first, second, point))
    return sorted(found)


def is_nfc(text: str) -> bool:
    """Say whether text is in NFC."""
    return unicodedata.is_normalized("NFC", text)


def runs(property_of: Callable[[int], int]) -> list[int]:
    """Return where runs of code points of one property begin, times 2^11, plus the property."""
    items, last = [], None
    for point in POINTS:
        own = property_of(point)
        if own != last:
            items.append(point << 11 | own)
            last = own
    return items


def tables() -> str:
    """Return the C file."""
    composed = pairs()
    seconds = {second for _, second, _ in composed} | {*JAMO}

    def normal(point: int) -> int:
        own = unicodedata.combining(chr(point))
        if not is_nfc(chr(point)):
            return own | NEVER
        return own | SECOND if point in seconds else own

    # Above the least of these, nfc.c looks nothing up.
    if any(map(normal, range(0x300))):
        raise ValueError("a character below U+0300 has a property")
    numbers = [first << 42 | second << 21 | whole for first, second, whole in composed]
    order = sorted(range(len(composed)), key=lambda place: composed[place][2])
    found = {"categories": runs(category), "normal": runs(normal)}
    text = [
        "/* SPDX-License-Identifier: Apache-2.0",
        " *",
        f" * Written by tools/unicode_tables.py from Unicode {VERSION}; changes made by hand are "
        "lost. */",
        '#include "unicode/tables.h"',
        "",
        "/* clang-format off */",
    ]
    for name, items in found.items():
        text += array(f"static const uint32_t unicode_{name}[]", items, 8)
        text += [
            f"const tally_unicode_runs tally_unicode_{name} = {{",
            f"    unicode_{name}, sizeof unicode_{name} / sizeof *unicode_{name}}};",
        ]
    text += array("const uint64_t tally_unicode_pairs[]", numbers, 16)
    text += [f"const size_t tally_unicode_pair_count = {len(numbers)};"]
    text += array("const uint16_t tally_unicode_compositions[]", order, 3)
    return "\n".join([*text, "/* clang-format on */", ""])


def array(declaration: str, items: list[int], digits: int) -> Iterator[str]:
    """Yield the lines of a C array."""
    each = (100 - 4) // (digits + 3)
    words = [f"0x{item:0{digits}x}," for item in items]
    yield from ("", declaration + " = {")
    for start in range(0, len(words), each):
        yield "    " + "".join(words[start : start + each])
    yield "};"


def place(text: str) -> int:
    """Return the byte of the character with which text ceases to be in NFC; its size if none."""
    end = next((end for end in range(len(text) + 1) if not is_nfc(text[:end])), len(text) + 1)
    return len(text[: end - 1].encode())


def bits(texts: Iterable[str]) -> str:
    """Return the SHA-256 of a byte 0 or 1 for each text: whether it is in NFC."""
    return hashlib.sha256(bytes(map(is_nfc, texts))).hexdigest()


def vectors() -> str:
    """Return the test vectors.

    Digests stand for many cases: they are of a byte for each code point, or for each text of two or
    three of the characters that are listed.
    """
    plain = [point for point in POINTS if not 0xD800 <= point < 0xE000]
    composed = pairs()
    marks = sorted(
        {second for _, second, _ in composed}
        | {point for point in plain if unicodedata.combining(chr(point))}
        | {*JAMO}
    )
    starters = sorted(
        {first for first, _, _ in composed}
        | {whole for _, _, whole in composed}
        | {0x1100, 0x1112, 0x1113, 0xAC00, 0xAC01, 0xAC1C, 0xD788, 0xD7A3, 0x61}
    )
    some = marks[::11]
    cases: list[dict[str, object]] = [
        {
            "what": "classes",
            "sha256": hashlib.sha256(bytes(map(category, POINTS))).hexdigest(),
            "combining": hashlib.sha256(
                bytes(unicodedata.combining(chr(point)) for point in POINTS)
            ).hexdigest(),
            "nfc": bits(map(chr, plain)),
        },
        {
            "what": "texts of two",
            "first": hexadecimal(starters),
            "second": hexadecimal(marks),
            "sha256": bits(map("".join, product(map(chr, starters), map(chr, marks)))),
        },
        {
            "what": "texts of three",
            "first": hexadecimal(starters),
            "second": hexadecimal(some),
            "sha256": bits(
                map("".join, product(map(chr, starters), map(chr, some), map(chr, some)))
            ),
        },
    ]
    chance = random.Random(21)  # noqa: S311  # the same texts each time
    pools = [starters, marks, some, [*range(0x20, 0x180)], [*HANGUL[:60]], plain]
    for _ in range(700):
        pool = [chance.choice(chance.choice(pools)) for _ in range(chance.randint(1, 9))]
        text = "".join(map(chr, pool))
        if chance.random() < 0.5:
            text = unicodedata.normalize("NFC", text)
            if chance.random() < 0.5:
                text += chr(chance.choice(marks))
        cases.append({"what": "place", "text": text.encode().hex(), "place": place(text)})
    lines = ",\n ".join(json.dumps(case) for case in cases)
    return f"[\n {lines}\n]\n"


def hexadecimal(points: list[int]) -> str:
    """Return characters as UTF-8 in hexadecimal digits."""
    return "".join(map(chr, points)).encode().hex()


def main() -> None:
    """Write the files."""
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, not {VERSION}")
    TABLES.write_text(tables(), "utf-8")
    VECTORS.write_text(vectors(), "utf-8")


if __name__ == "__main__":
    main()
