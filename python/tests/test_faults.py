# SPDX-License-Identifier: Apache-2.0
"""What a message says of an invalid value: position and class of a character, and no more."""
# ruff: noqa: RUF001 (letters that look like others are the point)

from __future__ import annotations

import json
import re
import unicodedata
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyring_support import make_ring
from tallystick import Tokenizer
from tallystick.cli.main import run
from tallystick.errors import Fault, InvalidValueError
from tallystick.formats import PRESETS, Format, Reason
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.protection import preview_file, protect_file
from tallystick.protector import Protector

KEY = bytes(range(32))
NEEDED: dict[str, dict[str, object]] = {
    "alphabet": {"alphabet": "ACGT"},
    "integer": {"min": -999_999, "max": 999_999},
    "pattern": {"pattern": "AA-99(9)-a"},
    "national_id": {"kind": "se.personnummer"},
    "decimal": {"min": -999_999, "max": 999_999, "scale": 2},
    "bucket": {"width": 10},
    "truncate": {"decimals": 2},
}
FORMS = {name: build(**NEEDED.get(name, {})) for name, build in PRESETS.items()}
FALLIBLE = [name for name, form in FORMS.items() if not form.one_way]
WORDS = {
    "letter": "a letter",
    "digit": "a digit",
    "space": "a space",
    "control": "a control character",
    "other": "another character",
}
MESSAGE = re.compile(
    rf"row 0: (?P<reason>{'|'.join(map(re.escape, Reason))})"
    rf"( \((?P<words>{'|'.join(WORDS.values())}), character (?P<position>\d+)\))?"
)
STRANGE = {
    "letter": "жΩ漢",
    "digit": "٣७",
    "space": "\u2003\u2028",
    "control": "\t\n\x00\x7f",
    "other": "☃²\ufeff\ue000",
}
"""Characters of each class that no format here has."""


def error_of(form: Format, value: str, *, reveal: bool = False) -> InvalidValueError | None:
    tool = Tokenizer(form, KEY[: form.key_size], namespace="test")
    try:
        (tool.reveal if reveal else tool.protect)(value)
    except InvalidValueError as error:
        return error
    return None


def class_of(one: str) -> str:
    """Classify a character by other means than the package does."""
    if one.isalpha():
        return "letter"
    if one.isdecimal():
        return "digit"
    if ord(one) < 32 or 127 <= ord(one) < 160:
        return "control"
    return "space" if one.isspace() else "other"


def bare(form: Format) -> Format:
    """Return the form that has values of one script, in which other letters are foreign."""
    return PRESETS["unicode"](script="latin") if form.label == "unicode" else form


@given(st.sampled_from(FALLIBLE), st.sampled_from(sorted(STRANGE)), st.data())
def test_the_position_and_class_are_those_of_the_strange_character(
    name: str, kind: str, data: st.DataObject
) -> None:
    """One that is put into a value that fits, instead of a character or between two."""
    form = bare(FORMS[name])
    value = data.draw(st.sampled_from(form.examples))
    end = value.index("@") if name == "email" else len(value) - 1  # what follows the @ is free
    place = data.draw(st.integers(0, end))
    strange = data.draw(st.sampled_from(STRANGE[kind]))
    for behind in (place, place + 1):
        error = error_of(form, value[:place] + strange + value[behind:])
        assert error is not None
        assert error.fault == Fault(place + 1, kind)  # type: ignore[arg-type]
        assert str(error) == f"row 0: {error.reason} ({WORDS[kind]}, character {place + 1})"


TEXTS = st.one_of(
    st.text(max_size=12),
    st.text("0123456789-+. :TZ/ABCDEFabcdef@x", max_size=24),
    st.sampled_from([one for form in FORMS.values() for one in form.examples]).flatmap(
        lambda one: st.tuples(st.just(one), st.integers(0, len(one)), st.text(max_size=2)).map(
            lambda made: made[0][: made[1]] + made[2] + made[0][made[1] + 1 :]
        )
    ),
)


@given(st.sampled_from(sorted(FORMS)), TEXTS, st.booleans())
def test_a_message_has_nothing_of_the_value(name: str, value: str, reveal: bool) -> None:
    """It is made of fixed words, a class that the character has, and its position."""
    form = FORMS[name]
    error = error_of(form, value, reveal=reveal and not form.one_way)
    if error is None:
        return
    found = MESSAGE.fullmatch(str(error))
    assert found, "no other words"
    if found["position"] is None:
        assert error.fault is None
        return
    position = int(found["position"])
    assert 1 <= position <= len(value)
    assert found["words"] == WORDS[class_of(value[position - 1])]
    assert error.reason not in (Reason.RANGE, Reason.SHORT, Reason.LONG)
    if error.reason == Reason.CHECK:  # no digit of it
        assert found["words"] != WORDS["digit"]


@given(st.sampled_from(FALLIBLE), st.sampled_from(sorted(STRANGE)), st.data())
def test_characters_of_one_class_have_one_message(
    name: str, kind: str, data: st.DataObject
) -> None:
    form = bare(FORMS[name])
    value = form.examples[0]
    place = data.draw(st.integers(0, value.index("@") if name == "email" else len(value) - 1))
    reported = {
        str(error_of(form, value[:place] + one + value[place + 1 :])) for one in STRANGE[kind]
    }
    assert len(reported) == 1


def form_of(name: str, **options: object) -> Format:
    return PRESETS[name](**{**NEEDED.get(name, {}), **options})


LATIN, ANY = form_of("unicode", script="latin"), form_of("unicode")
PLACED: list[tuple[Format, str, int, str]] = [
    (form_of("digits"), "12x4567", 3, "letter"),
    (form_of("digits"), "1234567 ", 0, ""),  # separators may stand anywhere
    (form_of("phone"), "030+901820", 4, "other"),  # leading, in another place
    (form_of("letters"), "Anne9", 5, "digit"),
    (form_of("email"), "jane doe@example.org", 5, "space"),
    (form_of("email"), "jane.doe.example.org", 0, ""),  # the @ is missing
    (form_of("email", part="all"), "jane@doe@example", 9, "other"),
    (form_of("iban"), "DE8937040044O532013000", 13, "letter"),
    (form_of("iban"), "D089370400440532013000", 2, "digit"),
    (form_of("iban"), "DE89 37040044 0532013000", 10, "digit"),  # no space where one belongs
    (form_of("iban"), "DE893704004405320130001", 23, "digit"),  # too long
    (form_of("iban"), "DE8937040044053201300", 0, ""),  # too short
    (form_of("pattern"), "AB-9-a", 5, "other"),
    (form_of("pattern"), "Ab-99-a", 2, "letter"),
    (form_of("pattern"), "AB-999-7", 8, "digit"),
    (form_of("national_id"), "88O320-0016", 3, "letter"),
    (form_of("national_id"), "880320-0017", 0, ""),  # a wrong check digit
    (form_of("national_id"), "880320-001\t", 11, "control"),
    (form_of("national_id"), "881320-0016", 0, ""),  # a month that is none: its digits are shown
    (form_of("ipv4"), "198.51.100.x", 12, "letter"),
    (form_of("ipv4"), "198.51.100.256", 0, ""),
    (form_of("ipv6"), "2001:db8::G", 11, "letter"),
    (form_of("ipv6"), "2001:db8:0::1", 0, ""),
    (form_of("integer"), "12,000", 3, "other"),
    (form_of("integer"), "007", 0, ""),  # a position would tell that it is 0
    (form_of("integer"), "1-2", 2, "other"),
    (form_of("decimal"), "1.234.50", 6, "other"),
    (form_of("decimal"), "1,50", 2, "other"),
    (form_of("decimal"), "1.5", 0, ""),
    (form_of("decimal", scale=0), "1.5", 2, "other"),
    (form_of("date"), "2024-1-05", 7, "other"),
    (form_of("date"), "2024-02-30", 0, ""),
    (form_of("date"), "2024-02-3O", 10, "letter"),
    (form_of("date"), "2024-02-281", 11, "digit"),
    (form_of("timestamp"), "2024-02-28_10:00:00", 11, "other"),
    (form_of("timestamp"), "2024-02-28T10:00:00+1x:00", 22, "letter"),
    (form_of("timestamp"), "2024-02-28T10:00:00.5", 20, "other"),
    (form_of("timestamp"), "2024-02-28T25:00:00", 0, ""),
    (LATIN, "Anna Жукова", 6, "letter"),
    (ANY, "Жукова Anna", 8, "letter"),
    (ANY, "Ἀνna", 1, "letter"),
    (ANY, "αβγς1", 5, "digit"),
    (ANY, "αβσ", 0, ""),  # a final letter in the wrong form: its place would tell the letter
    (LATIN, "Jose\u0301 Maria", 5, "other"),
    (LATIN, "Ana \U0001f600", 5, "other"),
]


@pytest.mark.parametrize(("form", "value", "position", "kind"), PLACED)
def test_where_a_value_is_at_fault(form: Format, value: str, position: int, kind: str) -> None:
    error = error_of(form, value)
    if not kind and error is None:
        assert form.label == "digits"
        return
    assert error is not None
    assert error.fault == (Fault(position, kind) if kind else None)  # type: ignore[arg-type]
    column = pa.array(["", *form.examples, value][1:])
    with pytest.raises(InvalidValueError) as caught:
        Tokenizer(form, KEY[: form.key_size], namespace="test").protect(column)
    assert caught.value.fault == error.fault
    assert caught.value.row == len(form.examples)


@pytest.mark.parametrize("name", FALLIBLE)
def test_bytes_that_are_no_text_are_placed(name: str) -> None:
    value = FORMS[name].examples[0][:3].encode() + b"\xff\xfe"
    column = pa.Array.from_buffers(
        pa.string(),
        1,
        [None, pa.py_buffer(bytes([0, 0, 0, 0, len(value), 0, 0, 0])), pa.py_buffer(value)],
    )
    with pytest.raises(InvalidValueError) as caught:
        Tokenizer(FORMS[name], KEY[: FORMS[name].key_size], namespace="test").protect(column)
    assert caught.value.fault == Fault(4, "other")


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_lone_surrogate_is_placed(name: str) -> None:
    before = FORMS[name].examples[0][:2]
    error = error_of(FORMS[name], before + "\ud800")
    assert error is not None
    assert error.fault == Fault(len(before) + 1, "other")


def test_values_that_are_no_text_have_no_position() -> None:
    numbers = FORMS["integer"]
    with pytest.raises(InvalidValueError) as caught:
        Tokenizer(numbers, KEY, namespace="test").protect(pa.array([5_000_000]))
    assert caught.value.fault is None
    assert numbers.fault(5_000_000, Reason.RANGE) is None
    assert numbers.fault(date(2024, 1, 1), Reason.NOTATION) is None
    assert numbers.fault(Decimal(1), Reason.NOTATION) is None
    assert numbers.fault(pa.scalar(None, pa.string()), Reason.NOTATION) is None


def test_good_values_are_never_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Format, "fault", None)
    tool = Tokenizer(FORMS["digits"], KEY, namespace="test", on_invalid="keep")
    assert len(tool.protect(pa.array(["1234567", "x", None]))) == 3
    assert tool.protect("1234567") != "1234567"


def test_classes_are_those_of_unicode() -> None:
    for point in range(0x3000):
        one = chr(point)
        fault = FORMS["uuid"].fault(one, Reason.FOREIGN)
        if fault is not None and unicodedata.category(one) != "Cn":
            assert fault.kind == class_of(one), hex(point)


# Wherever a value is reported

POLICY = """
[columns]
id = { format = "digits", key = "people:1", namespace = "id" }
born = { format = "date", key = "people:1", namespace = "born" }
"""
REPORTED = "does not allow there (a letter, character 3)"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_ring(tmp_path / "k", "people")
    (tmp_path / "p.toml").write_text(POLICY)
    (tmp_path / "a.csv").write_text("id,born\n1234567,2024-01-01\n12q45678,2024-01-01\n")
    return tmp_path


def test_errors_of_files_and_tables_say_so(place: Path) -> None:
    policy = Policy.load(place / "p.toml")
    ring = Keyring.open(place / "k", RootKey.parse(f"file:{place / 'root.key'}"))
    with pytest.raises(InvalidValueError, match=re.escape("line 3): it has a character")) as caught:
        protect_file(place / "a.csv", place / "b.csv", policy, ring)
    assert REPORTED in str(caught.value)
    assert caught.value.fault == Fault(3, "letter")
    assert caught.value.row == 1
    problems = preview_file(place / "a.csv", policy, ring).columns[0].problems
    assert problems[0] is None
    assert problems[1] is not None
    assert problems[1].endswith(REPORTED)
    table = pa.table({"id": ["12q45678"], "born": ["2024-01-01"]})
    with Protector(policy, ring) as protector:
        for act in (protector.protect, protector.reveal):
            with pytest.raises(InvalidValueError) as caught:
                act(table)
            assert REPORTED in str(caught.value)
            assert caught.value.fault == Fault(3, "letter")


def test_the_command_line_says_so(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = f"-p {place}/p.toml -k {place}/k -r file:{place}/root.key".split()
    for command in ("protect", "reveal"):
        assert run([command, f"{place}/a.csv", f"{place}/b.csv", *keys]) == 5
        shown = capsys.readouterr().err
        assert REPORTED in shown
        assert "12q" not in shown


def test_check_says_so(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", f"{place}/a.csv", "-p", f"{place}/p.toml"]) == 3
    assert "row 2 (line 3, a letter, character 3)" in capsys.readouterr().out
    assert run(["check", f"{place}/a.csv", "-p", f"{place}/p.toml", "--json"]) == 3
    (invalid_rows,) = json.loads(capsys.readouterr().out)["columns"]["id"]["invalid"].values()
    assert invalid_rows["first"] == [{"row": 2, "line": 3, "position": 3, "class": "letter"}]
