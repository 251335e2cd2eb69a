# SPDX-License-Identifier: Apache-2.0
"""Text of scripts: a letter becomes one of its script and form, and everything else stays."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.common import Tokens
from models.scripts import ScriptModel
from script_letters import SCRIPTS, SEPARATORS, Script
from tallystick import (
    FormatError,
    InvalidValueError,
    ParameterError,
    Tokenizer,
    formats,
)
from tallystick import tokenizer as module
from tallystick.formats import Format, Reason
from tallystick.formats.format import REASONS

KEY = bytes(range(16))
VECTORS = Path(__file__).parents[2] / "vectors" / "tokens_unicode.json"
each_script = pytest.mark.parametrize("name", SCRIPTS)
Name = Any  # of a script; formats want the literals


def tokenizer(form: Format, **options: Any) -> Tokenizer:  # noqa: ANN401
    return Tokenizer(form, KEY, **{"namespace": "test", **options})


def spelt(script: Script, text: str) -> str:
    """Write letters and signs as text has them."""
    if script.final is None:
        return unicodedata.normalize("NFC", text)
    medial, final = script.final
    letters = "".join(script.forms)
    around = f" {text.replace(final, medial)} "
    return "".join(
        final if c == medial and before in letters and after not in letters else c
        for before, c, after in zip(around, around[1:], around[2:], strict=False)
    )


def words(script: Script, least: int = 2, most: int = 12) -> st.SearchStrategy[str]:
    between = st.sampled_from(["", "", "", *script.stays, *SEPARATORS])
    piece = st.tuples(st.sampled_from("".join(script.forms)), between).map("".join)
    text = st.lists(piece, min_size=least, max_size=most).map("".join)
    return text.map(lambda text: spelt(script, text))


@each_script
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keep_first": 1},
        {"keep_first": 1, "keep_last": 2},
        {"keep_last": 1, "kept_as_tweak": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("among", [False, True], ids=["alone", "any"])
def test_tokens_are_what_the_model_makes(name: Name, options: dict[str, Any], among: bool) -> None:
    form = formats.unicode(script="any" if among else name, **options)
    tool, model = tokenizer(form), ScriptModel(**form.options)
    tokens = Tokens(KEY, "test", None, reveal=False)

    @settings(max_examples=12)
    @given(value=words(SCRIPTS[name], 5, 12))
    def check(value: str) -> None:
        token = tool.protect(value)
        assert token == model.run(value, tokens)
        assert tool.reveal(token) == value

    check()


def test_vectors() -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert {group["format"]["script"] for group in vectors} == {"any", *SCRIPTS}
    for group in vectors:
        form = formats.unicode(**group["format"])
        tool = Tokenizer(form, bytes.fromhex(group["key"]), namespace=group["namespace"])
        for row in group["tokens"]:
            assert tool.protect(row["value"]) == row["token"]
            assert tool.reveal(row["token"]) == row["value"]


# What stays


@each_script
def test_each_place_keeps_its_kind(name: Name) -> None:
    script = SCRIPTS[name]
    tool = tokenizer(formats.unicode(script=name))
    kinds = [*script.forms]
    if script.final:
        kinds[0] += script.final[1]

    def kind(character: str) -> object:
        if any(character == whole for whole, _ in script.composed):
            return 0
        return next((i for i, letters in enumerate(kinds) if character in letters), character)

    @settings(max_examples=40)
    @given(value=words(script))
    def check(value: str) -> None:
        token = tool.protect(value)
        assert unicodedata.is_normalized("NFC", token)
        value, token = (text if name != "devanagari" else apart(text) for text in (value, token))
        assert list(map(kind, token)) == list(map(kind, value))

    check()


def apart(text: str) -> str:
    for whole, parts in SCRIPTS["devanagari"].composed:
        text = text.replace(whole, parts)
    return text


def test_greek_is_spelt_with_its_final_sigma() -> None:
    tool = tokenizer(formats.unicode(script="greek"))
    values = [f"{a}{b} {c}ας.{a}" for a in "αβγδεζ" for b in "ληκσ"[:3] for c in "μνξοπρστ"[:6]]
    tokens = [tool.protect(value) for value in values]
    assert any("ς" in token for token in tokens) and any(
        "\N{GREEK SMALL LETTER SIGMA}" in token for token in tokens
    )
    for token in tokens:
        assert spelt(SCRIPTS["greek"], token) == token


def test_the_same_letters_in_another_script_are_another_word() -> None:
    tool = tokenizer(formats.unicode())
    devanagari, greek = SCRIPTS["devanagari"], SCRIPTS["greek"]
    assert devanagari.radix == greek.radix
    rows = [list(range(i, i + 5)) for i in range(20)]
    symbols = []
    for script in (devanagari, greek):
        tokens = [
            tool.protect(spelt(script, "".join(script.lower[s] for s in row))) for row in rows
        ]
        symbols.append([[script.lower.find(c) for c in token] for token in tokens])
    assert not any(a == b for a, b in zip(*symbols, strict=True))


# All values of small domains


@pytest.mark.parametrize(
    ("name", "length"), [("hebrew", 2), ("devanagari", 2), ("greek", 2), ("hangul", 1), ("cjk", 1)]
)
def test_a_small_domain_is_permuted(name: Name, length: int) -> None:
    script = SCRIPTS[name]
    values = [*script.lower] if length == 1 else [a + b for a in script.lower for b in script.lower]
    values = [spelt(script, value) for value in values]
    tool = tokenizer(formats.unicode(script=name))
    column = pa.array(values)
    tokens = tool.protect(column)
    assert sorted(tokens.to_pylist()) == sorted(values) != tokens.to_pylist()
    assert tool.reveal(tokens).equals(column)


def test_rows_walk_each_under_its_tweak() -> None:
    rng = np.random.default_rng(5)
    values = ["".join(map(chr, rng.integers(0xAC00, 0xD7A4, 200))) for _ in range(40)]
    tool, tweaks = tokenizer(formats.unicode(script="hangul")), [*map(str, range(40))]
    tokens = tool.protect(pa.array(values), pa.array(tweaks))
    assert tokens.to_pylist() == [*map(tool.protect, values, tweaks)]
    assert tool.reveal(tokens, pa.array(tweaks)).to_pylist() == values


# Columns


def test_a_column_of_many_scripts_has_the_tokens_of_its_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_WORK", 7)
    tool = tokenizer(formats.unicode())
    values = [*tool.form.examples, None, *tool.form.examples[::-1]] * 3
    for kind in (pa.string(), pa.large_string()):
        column = pa.array(["", *values], kind).slice(1)
        tokens = tool.protect(column)
        assert tokens.type == kind
        assert tokens.to_pylist() == [v if v is None else tool.protect(v) for v in values]
        assert tool.reveal(tokens).equals(column)
    outcome = tool.outcome(pa.array(values), decrypt=False)
    assert not outcome.status.any()


@pytest.mark.parametrize("name", ["any", *SCRIPTS])
def test_rows_that_do_not_fit_keep_their_bytes(name: Name) -> None:
    form = formats.unicode(script=name)
    good = form.examples[0]
    raw = [
        b"\xc3",
        b"\xa9",
        good.encode(),
        b"\xff\xfe",
        "न\u093cक".encode(),
        b"7",
        good.encode(),
        b"",
    ]
    offsets = np.cumsum([0, *map(len, raw)]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(raw))]
    column = pa.Array.from_buffers(pa.string(), len(raw), buffers)
    outcome = tokenizer(form).outcome(column, decrypt=False)
    held = [scalar.as_buffer().to_pybytes() for scalar in outcome.array]
    token = tokenizer(form).protect(good).encode()
    assert held == [raw[0], raw[1], token, raw[3], raw[4], raw[5], token, raw[7]]
    assert (outcome.status != 0).tolist() == [True, True, False, True, True, True, False, True]


def test_tokens_that_are_too_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(arrays: object) -> None:
        raise pa.ArrowInvalid("offset overflow while concatenating arrays")

    monkeypatch.setattr(module, "_WORK", 1)
    monkeypatch.setattr(pa, "concat_arrays", overflow)  # it would take 2 GiB
    with pytest.raises(ParameterError, match="convert the column to large_string"):
        tokenizer(formats.unicode(script="latin")).protect(pa.array(["Anna", "Maria"]))


# What does not fit


def reason_of(form: Format, value: str) -> str:
    with pytest.raises(InvalidValueError) as caught:
        tokenizer(form).protect(value)
    return caught.value.reason


INVALID = [
    ("latin", Reason.SHORT, ["", "-", "é"]),
    ("cjk", Reason.SHORT, ["", "々"]),
    ("latin", Reason.FOREIGN, ["Anna7", "Аnna"]),  # noqa: RUF001 (Cyrillic)
    ("any", Reason.FOREIGN, ["Аnna", "田中さくら", "12", "अ"]),  # noqa: RUF001
    ("latin", Reason.FOREIGN, ["Anna\N{GRINNING FACE}", "Marq\N{COMBINING ACUTE ACCENT}a"]),
    ("cjk", Reason.FOREIGN, ["\u3400王"]),
    ("latin", Reason.NORMAL, ["Rene\N{COMBINING ACUTE ACCENT}"]),
    ("hangul", Reason.NORMAL, [unicodedata.normalize("NFD", "김민준")]),
    ("kana", Reason.NORMAL, [unicodedata.normalize("NFD", "がぎ")]),
    ("cjk", Reason.NORMAL, ["\N{CJK COMPATIBILITY IDEOGRAPH-F900}王"]),
    ("arabic", Reason.NORMAL, ["ب\u0651\u064eت", "آٰت"]),
    ("devanagari", Reason.NORMAL, ["न\u093cक", "क\u094d\u093cक", "\u095eक"]),
    ("greek", Reason.NOTATION, ["Γιωργοσ", "Γιςργο", "ς αβ"]),
    ("hangul", Reason.LONG, ["김" * 257]),
    ("latin", Reason.LONG, ["a" * 1025]),
]


@pytest.mark.parametrize(
    ("script", "value", "reason"),
    [(script, value, reason) for script, reason, values in INVALID for value in values],
)
def test_a_value_that_does_not_fit(script: Any, value: str, reason: Reason) -> None:  # noqa: ANN401
    assert reason_of(formats.unicode(script=script), value) == reason


def test_the_longest_values() -> None:
    longest = (
        (formats.unicode(script="hangul"), "김" * 256),
        (formats.unicode(script="latin"), "a" * 1024),
        (formats.unicode(script="latin", max_length=65536), "a" * 65536),
    )
    for form, value in longest:
        tool = tokenizer(form)
        assert tool.reveal(tool.protect(value)) == value


def test_lengths_are_in_letters() -> None:
    form = formats.unicode(script="cjk", keep_first=1, min_length=3, max_length=4)
    tool = tokenizer(form)
    for value in ("王小明", "王 小・明々美"):
        token = tool.protect(value)
        assert token[0] == "王" and tool.reveal(token) == value
    assert reason_of(form, "王小") == Reason.SHORT
    assert reason_of(form, "王小明美王") == Reason.LONG


def test_small_domains_are_counted() -> None:
    values = pa.array(["אב", "אבגד", "אבגדה", "7", None])
    tool = tokenizer(formats.unicode(script="hebrew"), on_invalid="keep")
    assert tool.outcome(values, decrypt=False).small == 2
    values = pa.array(["王", "王小", "王小明"])
    assert tokenizer(formats.unicode(script="cjk")).outcome(values, decrypt=False).small == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"script": "klingon"}, "script: must be 'any', 'latin'"),
        ({"separators": "é", "script": "latin"}, "letter or sign of the script latin"),
        ({"separators": "ー"}, "letter or sign of the script kana"),
        ({"separators": "\N{COMBINING ACUTE ACCENT}"}, "without combining marks"),
        ({"separators": "\N{GRINNING FACE}"}, "Basic Multilingual Plane"),
        ({"separators": "\ud800"}, "half of a surrogate pair"),
        ({"min_length": 3, "max_length": 2}, "lengths must be"),
        ({"keep_first": 2, "max_length": 3, "script": "latin"}, "fewer than 2 to encrypt"),
    ],
)
def test_formats_that_can_not_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        formats.unicode(**options)


def test_the_identity() -> None:
    assert formats.unicode().identity == ("unicode", 0, 0, False, "any")
    form = formats.unicode(script="cjk", keep_first=1, keep_last=2, separators="-")
    assert form.identity == ("unicode", 1, 2, True, "cjk")
    assert REASONS[9] == Reason.NORMAL
