# SPDX-License-Identifier: Apache-2.0
"""Cases of masks and pseudonyms."""

from __future__ import annotations

from format_vectors.making import case
from format_vectors.record import Case, Row

_TEXTS: list[str | bytes] = [
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "4111 1111 1111 1111",
    "Anne O'Neill",
    "anna@münchen.example",
    "Zoë",
    "王小明",
    "😀😀 é",
    "--",
    " a ",
    "a-b c-d",
]
_TEXTS += ["e\u0301e\u0301", "a\tb\nc", "x" * 30, "*", "\x00\x01", "é" * 9]
_BYTES: list[str | bytes] = [
    b"\xff",
    b"ab\xffcd",
    b"\x80\x80abc",
    b"abc\xc3",
    b"\xc3\xa9\xa9\xa9b",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"- \xff -",
    b"\xe2\x82-a",
]

_MASKS: list[Row] = [
    {},
    {"keep_first": 1},
    {"keep_last": 4},
    {"keep_first": 1, "keep_last": 1},
    {"keep_first": 6, "keep_last": 4},
    {"character": "#"},
    {"character": " ", "keep_last": 2},
    {"character": "\\"},
    {"separators": ""},
    {"separators": "", "keep_last": 3},
    {"separators": "@.", "keep_first": 2},
    {"separators": "abcba", "keep_first": 1},
    {"width": 1},
    {"width": 8},
    {"width": 5, "keep_first": 1},
    {"width": 4, "keep_last": 4},
    {"width": 3, "keep_first": 2, "keep_last": 2, "separators": " -@."},
    {"width": 1024},
    {"keep_first": 1024},
    {"keep_first": 1024, "keep_last": 1024, "width": 2},
    {"character": "=", "keep_last": 1},
]


def cases() -> list[Case]:
    """Make all of them."""
    made = [case("mask", [*_TEXTS, *_BYTES], types=True)]
    made += [case({"type": "mask", **options}, [*_TEXTS, *_BYTES]) for options in _MASKS]
    made.append(case({"type": "mask", "keep_last": 4}, ["ab " * 5000]))
    made.append(case("pseudonym", [*_TEXTS, *_BYTES, "long " * 3000], types=True))
    for notation, lengths in (
        ("hex", (16, 17, 31, 32, 64)),
        ("base32", (13, 14, 26, 50, 51)),
        ("base64url", (11, 12, 22, 41, 42)),
    ):
        for length in lengths:
            described = {"type": "pseudonym", "notation": notation, "length": length}
            made.append(case(described, ["", "Anne O'Neill", "王小明", b"\xff\x00"]))
    return made
