# SPDX-License-Identifier: Apache-2.0
"""National identifiers, against python-stdnum's own validation."""

from __future__ import annotations

import datetime
from importlib import import_module

import pyarrow as pa
import pytest

import mixed_model
from models.national_kinds import EXCLUDED, FIELDS, KINDS
from tallystick import FormatError, InvalidValueError, Tokenizer, formats
from tallystick.formats import Reason

KEY = bytes(range(16))
each_kind = pytest.mark.parametrize("kind", KINDS)


def tool(kind: str) -> Tokenizer:
    return Tokenizer(formats.national_id(kind=kind), KEY, namespace="test")


@each_kind
def test_values_and_tokens_are_valid(kind: str) -> None:
    module, form = import_module(f"stdnum.{kind}"), formats.national_id(kind=kind)
    values = [formats.national_id(kind=kind).examples[0], *mixed_model.drawn(form, 150)]
    tokens = tool(kind).protect(pa.array(values)).to_pylist()
    for value, token in zip(values, tokens, strict=True):
        assert module.is_valid(value) and module.is_valid(token)
        separators = [(i, one) for i, one in enumerate(value) if not one.isalnum()]
        if kind != "fi.hetu":  # whose separator says the century
            assert separators == [(i, one) for i, one in enumerate(token) if not one.isalnum()]
    assert tool(kind).reveal(pa.array(tokens)).to_pylist() == values


@each_kind
def test_a_wrong_check_character_does_not_fit(kind: str) -> None:
    value = formats.national_id(kind=kind).examples[0]
    for other in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        if other != value[-1]:
            with pytest.raises(InvalidValueError) as caught:
                tool(kind).protect(value[:-1] + other)
            assert caught.value.reason == Reason.CHECK


@pytest.mark.parametrize("kind", EXCLUDED)
def test_a_number_that_nobody_has_is_outside_the_range(kind: str) -> None:
    numbers = {
        "de.idnr": "1234567890",
        "in_.aadhaar": "20000990000",
        "it.codicefiscale": "RSSMRA81B29H501",
    }
    number = numbers.get(kind, "0" * {"br.cnpj": 12, "br.cpf": 9, "nl.bsn": 8}.get(kind, 0))
    value = number + KINDS[kind][1](number)
    assert not import_module(f"stdnum.{kind}").is_valid(value)
    with pytest.raises(InvalidValueError) as caught:
        tool(kind).protect(value)
    assert caught.value.reason == Reason.RANGE


@pytest.mark.parametrize("kind", ["se.personnummer", "za.idnr", "fi.hetu", "pl.pesel"])
def test_leap_days(kind: str) -> None:
    form = formats.national_id(kind=kind)
    leap = {"fi.hetu": ("290200A", "290296-"), "pl.pesel": ("002229", "960229")}
    for date in leap.get(kind, ("000229", "960229")):
        model = mixed_model.model(form)
        layout = next(one for one in model.layouts if len(one.fields[0].choices[0]) == len(date))
        digits = [layout.fields[0].choices.index(date)] + [1] * (len(layout.fields) - 1)
        value = layout.write(digits, model.checks(layout, digits) or "")
        assert import_module(f"stdnum.{kind}").is_valid(value)
        assert tool(kind).reveal(tool(kind).protect(value)) == value


def test_dates_are_days_of_the_calendar() -> None:
    assert len(FIELDS["yymmdd"]()) == 36525
    assert len(FIELDS["yyyymmdd"]()) == 160 * 365 + 39  # 1900 was no leap year
    for text in FIELDS["yyyymmdd"]():
        datetime.date.fromisoformat(text)


def test_what_is_no_kind() -> None:
    with pytest.raises(FormatError, match=r"au\.tfn"):
        formats.national_id(kind="de.xyz")
