# SPDX-License-Identifier: Apache-2.0
"""IBANs, against python-stdnum's validation and its copy of the registry."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from stdnum import iban, numdb

import mixed_model
from models.iban_structures import STRUCTURES
from tallystick import InvalidValueError, Tokenizer, formats
from tallystick.formats import Reason

TOOL = Tokenizer(formats.iban(), bytes(range(16)), namespace="test")


def test_the_structures_are_those_of_the_registry() -> None:
    registry = numdb.get("iban")
    for country, structure in STRUCTURES.items():
        ((_, info),) = registry.info(country)
        expected = [(int(n), kind) for n, kind in re.findall(r"(\d+)!([nac])", info["bban"])]
        own = [(int(n), kind) for n, kind in re.findall(r"(\d+)([nac])", structure)]
        assert spelt(own) == spelt(expected), country


def spelt(runs: list[tuple[int, str]]) -> str:
    return "".join(kind * count for count, kind in runs)


def test_tokens_of_every_country_are_valid() -> None:
    values = mixed_model.drawn(TOOL.form, 4 * len(STRUCTURES))
    assert {value[:2] for value in values} == set(STRUCTURES)
    tokens = TOOL.protect(pa.array(values)).to_pylist()
    for value, token in zip(values, tokens, strict=True):
        assert iban.is_valid(value, check_country=False)
        assert iban.is_valid(token, check_country=False)
        assert token[:2] == value[:2] and token != value
        assert token == (iban.format(token) if " " in value else iban.compact(token))
    assert TOOL.reveal(pa.array(tokens)).to_pylist() == values


def test_spaces_do_not_change_the_token() -> None:
    plain = "GB29NWBK60161331926819"
    assert TOOL.protect(iban.format(plain)) == iban.format(TOOL.protect(plain))


def test_check_digits_have_one_form() -> None:
    """Digits 00, 01, 02 and 97, 98, 99 are equal modulo 97; ISO 13616 has 02 to 98."""
    found = 0
    for value in mixed_model.drawn(TOOL.form, 6000, seed=3):
        for other in {"02": ("99",), "97": ("00",), "98": ("01",)}.get(value[2:4], ()):
            found += 1
            with pytest.raises(InvalidValueError) as caught:
                TOOL.protect(value[:2] + other + value[4:])
            assert caught.value.reason == Reason.CHECK
    assert found > 10
