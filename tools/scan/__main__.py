# SPDX-License-Identifier: Apache-2.0
"""Write core/scan/tables.h from the scanner's knowledge, and from inspection's.

``python -m tools.scan`` writes the file. With ``--check`` it exits with 1 if the file differs.
"""

import math
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "core" / "scan" / "tables.h"
CONTEXTS = ("card", "national_id", "phone", "secret", "version")
CERTAINTIES = {"fair": "TALLY_SCAN_FAIR", "strong": "TALLY_SCAN_STRONG"}
CHECKS = {"": "SCAN_CHECK_NONE", "crc32": "SCAN_CHECK_CRC32"}
LONGEST = 256
"""Characters of a run whose entropy is computed, at most."""

HEAD = """\
/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by `python -m tools.scan` from tools/scan/knowledge.toml and from
 * python/tallystick/inspection/knowledge.toml. Included by knowledge.c alone. */
"""


def load(path: str) -> dict[str, Any]:
    """Read one of the two files."""
    return tomllib.loads((ROOT / path).read_text("utf-8"))


def certainty_of(one_in: float, shape: float, *, punctuated: bool) -> int:
    """Return how certain a national identifier is, by its check and its notation."""
    chance = one_in * (20 if shape >= 0.95 else 1) * (20 if punctuated else 1)
    return 3 if chance >= 1000 else 2 if chance >= 90 else 1


def nationals(own: dict[str, Any], inspection: dict[str, Any]) -> list[str]:
    """Give the rows of national identifiers."""
    given = [
        {"kind": kind, "format": f'{{"type":"national_id","kind":"{kind}"}}', **one}
        for kind, one in inspection["national"].items()
    ]
    rows = []
    for one in (*given, *own["national"]):
        sure = [
            certainty_of(one["one_in"], one["shape"], punctuated=punctuated)
            for punctuated in (False, True)
        ]
        name = f"national_id.{one['kind'].replace('in_.', 'in.')}"
        text = one["format"].replace('"', '\\"')
        rows.append(f'    {{"{name}", "{text}", {{{sure[0]}, {sure[1]}}}}},')
    return rows


def contexts(own: dict[str, Any], inspection: dict[str, Any]) -> dict[str, int]:
    """Return the words of contexts, with a bit for each context."""
    words: dict[str, int] = {}
    for bit, name in enumerate(CONTEXTS):
        one = own["context"][name]
        found = set(one["words"].split())
        for hint in inspection["hints"]:
            if hint["kind"] in one["words_of"]:
                phrases = (phrase.strip() for phrase in hint["phrases"].split(";"))
                found |= {" ".join(phrase.split()) for phrase in phrases}
        for word in found:
            if word.isascii() and word.isalnum() and 2 <= len(word) <= 24:
                words[word] = words.get(word, 0) | 1 << bit
    return words


def common(words: dict[str, int]) -> list[str]:
    """Give the hashes of the words, as bits: most other words have none of them."""
    bits = [0] * 16
    for word in words:
        place = hash_of(word)
        bits[place // 64] |= 1 << place % 64
    return ["    " + ", ".join(f"UINT64_C({one:#x})" for one in bits)]


def hash_of(word: str) -> int:
    """Return what knowledge.c computes of a word."""
    return (ord(word[0]) + ord(word[1]) * 8 + ord(word[-1]) * 64 + len(word) * 3) % 1024


def classes() -> list[str]:
    """Give the classes of each byte, as bits; the names are those of scan.h."""
    email = set(b"%+.-_")
    rows = []
    for byte in range(256):
        one = bytes([byte])
        alnum = byte < 0x80 and one.isalnum()
        bits = (
            (1 if alnum or one == b"_" else 0)
            | (2 if one.isdigit() else 0)
            | (4 if one in b"0123456789abcdefABCDEF" else 0)
            | (8 if alnum or one in b"-_" else 0)
            | (16 if alnum or one in b"-_+/" else 0)
            | (32 if alnum or byte in email else 0)
            | (64 if alnum or one == b"-" else 0)
            | (128 if one.isdigit() or one.isupper() else 0)
            | (256 if one in b".,-/+" else 0)
            | (512 if one in b" .-/+" else 0)
        )
        rows.append(bits)
    return ["    " + ", ".join(map(str, rows[i : i + 16])) + "," for i in range(0, len(rows), 16)]


def table(head: str, rows: list[str]) -> str:
    """Write one table."""
    return "\n".join([f"{head} = {{", *rows, "};", ""])


def text() -> str:
    """Return what the file has to be."""
    own = load("tools/scan/knowledge.toml")
    inspection = load("python/tallystick/inspection/knowledge.toml")
    cards = [
        f"    {{{one['first']}, {one['last']}, {sum(1 << size for size in one['sizes']):#x}}},"
        for one in own["cards"]
    ]
    keys = [
        '    {{"key.{}", "{}", {}, {}}},'.format(
            one["name"],
            one["pattern"].replace("\\", "\\\\"),
            CERTAINTIES[one.get("certainty", "strong")],
            CHECKS[one.get("check", "")],
        )
        for one in own["keys"]
    ]
    words = contexts(own, inspection)
    weights = [0, *(round(count * math.log2(count) * 65536) for count in range(1, LONGEST + 1))]
    lines = ["    " + ", ".join(map(str, weights[i : i + 10])) + "," for i in range(0, 257, 10)]
    return "\n".join(
        [
            HEAD,
            "/* clang-format off */",
            table("const uint16_t tally_scan_classes[256]", classes()),
            table("static const scan_card scan_cards[]", cards),
            table("static const scan_national scan_nationals[]", nationals(own, inspection)),
            table("static const scan_key scan_keys[]", keys),
            table(
                "static const scan_word scan_words[]",
                [f'    {{"{word}", {bits}}},' for word, bits in sorted(words.items())],
            ),
            table("static const uint64_t scan_hashes[16]", common(words)),
            "/* count * log2(count), times 65536. */",
            table("static const uint32_t scan_weights[]", lines),
            "/* clang-format on */",
            "",
        ]
    )


def main() -> int:
    """Write or check the file."""
    if "--check" in sys.argv[1:]:
        return int(TARGET.read_text("utf-8") != text())
    TARGET.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
