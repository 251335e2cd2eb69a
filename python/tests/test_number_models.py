# SPDX-License-Identifier: Apache-2.0
"""The vectors of formats that make values coarser are those of plain models."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from models.numbers import shift, token
from tallystick import Tokenizer
from tallystick.formats import PRESETS, integer
from tallystick.formats import decimal as decimal_format
from vectors import load


def test_the_vectors_are_those_of_the_models() -> None:
    cases = load("tokens_coarser")
    assert {case["format"]["type"] for case in cases} == {"date_shift", "bucket", "truncate"}
    for case in cases:
        for row in case["tokens"]:
            assert token(case, row) == row["token"], (case["format"], row)


def test_the_vectors_of_formats_are_those_of_the_models() -> None:
    for case in load("formats_coarser"):
        for row in case["values"]:
            given = {"value": row["value"], "tweak": case.get("tweak")}
            assert token(case, given) == row.get("token", row.get("tweaked")), (case["format"], row)


def test_entities_move_by_every_number_of_days_but_none() -> None:
    found = {shift(bytes(16), "n", 5, str(entity).encode()) for entity in range(500)}
    assert found == {*range(-5, 0), *range(1, 6)}


def test_tokens_are_those_of_the_vectors() -> None:
    for case in load("tokens_coarser"):
        options = dict(case["format"])
        form = PRESETS[options.pop("type")](**options)
        key = bytes.fromhex(case["key"]) if form.keyed else None
        tool = Tokenizer(form, key, namespace=case.get("namespace", ""))
        values, tokens = ([row[name] for row in case["tokens"]] for name in ("value", "token"))
        tweaks = [row["tweak"] for row in case["tokens"]] if form.keyed else None
        column = pa.array([*values, None])
        own = pa.array([*tweaks, None]) if tweaks else None
        assert tool.protect(column, own).to_pylist() == [*tokens, None]
        for place, value in enumerate(values):
            assert tool.protect(value, tweaks[place] if tweaks else None) == tokens[place]
        if not form.one_way:
            assert tool.reveal(pa.array(tokens), pa.array(tweaks)).to_pylist() == values
        tool.close()


def test_a_number_has_one_token_in_every_notation() -> None:
    key = bytes(16)
    ends: dict[str, Any] = {"min": "-99999999.99", "max": "99999999.99", "scale": 2}
    plain = Tokenizer(decimal_format(**ends), key, namespace="n")
    german = Tokenizer(
        decimal_format(**ends, decimal_separator=",", grouping_separator="."), key, namespace="n"
    )
    swiss = Tokenizer(decimal_format(**ends, grouping_separator="\u2019"), key, namespace="n")
    whole = Tokenizer(integer(min=-(10**9), max=10**9), key, namespace="n")
    english = Tokenizer(
        integer(min=-(10**9), max=10**9, grouping_separator=","), key, namespace="n"
    )
    for number in ("0.00", "-0.07", "12.30", "999.99", "1000.00", "-1234567.89", "87654321.00"):
        token = plain.protect(number)
        english_token, english_value = f"{Decimal(token):,.2f}", f"{Decimal(number):,.2f}"
        swap = str.maketrans(",.", ".,")
        assert german.protect(english_value.translate(swap)) == english_token.translate(swap)
        assert swiss.protect(english_value.replace(",", "\u2019")) == english_token.replace(
            ",", "\u2019"
        )
        assert swiss.reveal(swiss.protect(english_value.replace(",", "\u2019"))) == (
            english_value.replace(",", "\u2019")
        )
        one = int(Decimal(number))
        assert english.protect(f"{one:,}") == f"{int(whole.protect(str(one))):,}"
