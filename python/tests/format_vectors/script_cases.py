# SPDX-License-Identifier: Apache-2.0
"""Cases of text of the world's scripts."""
# ruff: noqa: RUF001 (letters that look like others are the point)

from __future__ import annotations

from format_vectors.making import case
from format_vectors.record import Case, Row

NAMES = {
    "latin": [
        "Zoë Ångström-Kılıç",
        "Nguyễn Thị Ánh",
        "ẞß",
        "D’Arcy O'Neill",
        "İı",
        "Łukasz Żółć",
        "ab",
        "Ÿÿ",
    ],
    "greek": ["Γιάννης Παπαδόπουλος", "ΟΔΥΣΣΕΥΣ", "σας", "Σς", "ς", "σ", "ΐΰ", "ας-ας", "ΑΣ σ"],
    "cyrillic": ["Анна Ковальчук", "Ёлкин", "Ґалаґан", "Өмірбек Қожа", "йЙ"],
    "arabic": ["محمد الهاشمي", "مُحَمَّد", "چوپان", "ڕۆژ", "عبد ـ الله"],
    "hebrew": ["שרה כהן", "שָׁלוֹם", "בן־גוריון", "צ׳רצ׳יל"],
    "devanagari": ["प्रिया शर्मा", "ऩऱऴ", "ज़ाकिर", "कृष्ण", "क़"],
    "kana": ["さとう ハナコ", "ガギグ", "ばびぶ", "ラーメン", "ゞヽ あい"],
    "hangul": ["김민준", "가힣", "남궁 민수"],
    "cjk": ["王小明", "佐々木", "一鿿", "欧阳・娜娜"],
}

WRONG = [
    "",
    "a",
    " ",
    "Zoe\u0308 b",
    "abc1",
    "ab,c",
    "abя",
    "яab",
    "аб1",
    "王a",
    "ñ\u0303n",
    "a\u0301b",
    "ﬁb",
    "αβγа",
    "ab\u200bc",
]
WRONG += [
    "𝒂𝒃",
    "ab😀",
    "ab\x00",
    "日本ご",
    "\u0915\u093c\u0915",
    "क\u094d\u093cष",
    "שּׁב",
    "בָּב",
    "שָׁב",
    "σας ς",
    "ασ",
    "αςα",
    "ｱｲｳ",
    "ab\ue000",
    "가\u11a8나",
]
WRONG += ["が\u3099か", "か\u3099い", "ĸb", "ŉb", "ſb", "가나ㄱ", "𠀀王王", "米" * 3 + "a"]

BYTES = [b"ab\xff", b"\xc3", b"\xed\xa0\x80ab", "Zoë".encode()[:-1], b"\x80ab"]
BYTES.append("김민".encode() + b"\xeb")

_OPTIONS: list[Row] = [
    {"keep_first": 1},
    {"keep_last": 1},
    {"keep_first": 1, "keep_last": 1, "kept_as_tweak": False},
    {"min_length": 3, "max_length": 5},
    {"keep_first": 1, "min_length": 4},
    {"separators": " "},
    {"separators": ""},
]


def cases() -> list[Case]:
    """Make all of them."""
    everything = [name for names in NAMES.values() for name in names]
    made = [case("unicode", everything, probes=[*WRONG, *BYTES], types=True, draw=6)]
    made.append(case({"type": "unicode", "keep_first": 1}, everything, probes=WRONG[:5], draw=3))
    kept: Row = {"type": "unicode", "keep_last": 2, "kept_as_tweak": False}
    made.append(case(kept, everything, draw=0))
    separated: Row = {"type": "unicode", "separators": "_,/€"}
    made.append(case(separated, ["Zoë,Zoë", "王€王", "김_민준", "a b", "x/y"]))
    for script, names in NAMES.items():
        described: Row = {"type": "unicode", "script": script}
        other = ["ab", "яб", "αβ", "王王", "김민"]
        # Marks in every order, and the letters at both ends of a list.
        made.append(case(described, names, probes=[*WRONG, *BYTES, *other], draw=8))
        made += [case(described | options, names, draw=2) for options in _OPTIONS]
        letters = names[0].replace(" ", "").replace("-", "")[:2]
        made.append(case(described, [letters * 16, letters * 60], draw=0))
    latin: Row = {"type": "unicode", "script": "latin"}
    made.append(case(latin | {"keep_first": 32, "keep_last": 32}, ["Ab" * 33, "ab" * 40], draw=2))
    made.append(case(latin | {"max_length": 65536}, ["Zoë" * 21845, "ab" * 600], draw=0))
    made.append(case(latin | {"separators": "0123456789-"}, ["abc-123", "9a8b7c"], probes=["a b"]))
    cjk: Row = {"type": "unicode", "script": "cjk"}
    made.append(case(cjk | {"max_length": 65536}, ["王小" * 128], probes=["王小" * 129], draw=0))
    made.append(case(cjk | {"keep_first": 32, "keep_last": 32}, ["王小" * 33, "明" * 100], draw=2))
    hangul: Row = {"type": "unicode", "script": "hangul"}
    made.append(case(hangul, ["김" * 256, "가" * 255], probes=["김" * 257], draw=0))
    kana: Row = {"type": "unicode", "script": "kana", "min_length": 0, "max_length": 2}
    made.append(case(kana, ["あい", "アイ"], probes=["あいう"]))
    return made
