# SPDX-License-Identifier: Apache-2.0
"""The scripts' letters: what they are, and that they never change."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from script_letters import SCRIPTS, SEPARATORS, Script

TOKENS = Path(__file__).parents[2] / "docs" / "reference" / "tokens.md"

NAMES = {
    "latin": "LATIN",
    "greek": "GREEK",
    "cyrillic": "CYRILLIC",
    "arabic": "ARABIC",
    "hebrew": "HEBREW",
    "devanagari": "DEVANAGARI",
    "kana": "HIRAGANA|KATAKANA",
    "hangul": "HANGUL SYLLABLE",
    "cjk": "CJK UNIFIED IDEOGRAPH",
}
each_script = pytest.mark.parametrize("script", SCRIPTS.values(), ids=list(SCRIPTS))


def letters(script: Script) -> str:
    return "".join(script.forms) + "".join(script.final or ())[1:]


def spans(text: str) -> str:
    """Write code points as docs/reference/tokens.md does: runs in hexadecimal, in order."""
    written: list[list[int]] = []
    for point in map(ord, text):
        if written and written[-1][1] + 1 == point:
            written[-1][1] = point
        else:
            written.append([point, point])
    return " ".join(f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in written)


def documented() -> dict[str, dict[str, str]]:
    text = TOKENS.read_text(encoding="utf-8")
    blocks = re.findall(
        r"^- `(\w+)`, (\d+) letters, radix (\d+):(.*?)(?=^- `|^\n|\Z)", text, re.M | re.S
    )
    return {
        name: {
            "size": size,
            "radix": radix,
            **{
                kind: " ".join(points.split())
                for kind, points in re.findall(r"(lower|upper|letters)\s+`([^`]*)`", rest)
            },
        }
        for name, size, radix, rest in blocks
    }


@each_script
def test_letters_are_what_is_documented(script: Script) -> None:
    expected = {"size": str(script.size), "radix": str(script.radix)}
    if script.upper:
        expected |= {"lower": spans(script.lower), "upper": spans(script.upper)}
    else:
        expected |= {"letters": spans(script.lower)}
    assert documented()[script.name] == expected


@each_script
def test_signs_are_what_is_documented(script: Script) -> None:
    text = TOKENS.read_text(encoding="utf-8")
    listed = {name.lower(): points for name, points in re.findall(SIGNS, text, re.MULTILINE)}
    found = set()
    for first, last in re.findall(r"U\+(\w{4})(?:-U\+(\w{4}))?", listed.get(script.name, "")):
        found |= {chr(point) for point in range(int(first, 16), int(last or first, 16) + 1)}
    assert found == {*script.stays}
    (separators,) = re.findall(r"^Separators are ([^.]*`\.`.*?), unless", text, re.M | re.S)
    points = re.findall(r"U\+(\w{4})", separators)
    assert {" ", *re.findall("`(.)`", separators), *(chr(int(one, 16)) for one in points)} == {
        *SEPARATORS
    }


SIGNS = r"^\| (\w+) \| (U\+.*) \|$"


@each_script
def test_letters_are_of_the_script(script: Script) -> None:
    for letter in letters(script):
        assert re.match(NAMES[script.name], unicodedata.name(letter))
        assert unicodedata.category(letter) in ("Lu", "Ll", "Lo")
        assert unicodedata.normalize("NFC", letter) == letter


def test_no_character_is_two_letters() -> None:
    everything = "".join(map(letters, SCRIPTS.values()))
    assert len(set(everything)) == len(everything)
    for script in SCRIPTS.values():
        assert all(len(form) == script.size for form in script.forms)
        assert not set(script.stays) & set(everything)
        assert not set(SEPARATORS) & set(everything + script.stays)


@pytest.mark.parametrize(
    ("name", "odd"),
    [("latin", {"\N{LATIN SMALL LETTER DOTLESS I}"}), ("greek", {"ΐ"}), ("cyrillic", set())],
)
def test_forms_are_cases(name: str, odd: set[str]) -> None:
    script = SCRIPTS[name]
    pairs = zip(script.lower, script.upper, strict=True)
    assert {low for low, up in pairs if not low.upper() == up == up.upper()} - {"ß"} == odd
    assert script.upper[script.lower.index("ß")] == "ẞ" if name == "latin" else True


def test_hiragana_and_katakana_are_of_one_sound() -> None:
    script = SCRIPTS["kana"]
    for hiragana, katakana in zip(script.lower, script.upper, strict=True):
        sound = unicodedata.name(hiragana).removeprefix("HIRAGANA ")
        assert unicodedata.name(katakana) == f"KATAKANA {sound}"


@each_script
def test_the_radix_is_the_least(script: Script) -> None:
    assert script.size <= script.radix**script.digits <= script.size * 1.01
    assert (script.radix - 1) ** script.digits < script.size


@each_script
def test_marks_have_their_class(script: Script) -> None:
    for order, marks in script.marks:
        assert {unicodedata.combining(mark) for mark in marks} == {order}
    assert not any(map(unicodedata.combining, script.signs + SEPARATORS))


@each_script
def test_no_sign_makes_another_letter_but_where_it_says(script: Script) -> None:
    apart = {parts: whole for whole, parts in script.composed}
    for letter in letters(script):
        for sign in script.stays + SEPARATORS:
            both = letter + sign
            assert unicodedata.normalize("NFC", both) == apart.get(both, both)
    for first in script.signs + SEPARATORS:
        for second in script.stays + SEPARATORS:
            assert unicodedata.normalize("NFC", first + second) == first + second


@each_script
def test_the_sample_is_of_the_script(script: Script) -> None:
    assert set(script.sample) <= set(letters(script) + script.stays + SEPARATORS)
