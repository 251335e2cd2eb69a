# SPDX-License-Identifier: Apache-2.0
"""Patterns: what they mean, what is refused, and the table in docs/reference/formats/pattern.md."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

import mixed_model
from tallystick import FormatError, Tokenizer, formats

KEY = bytes(range(16))
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats" / "pattern.md"


def protect(pattern: str, value: str) -> str:
    return Tokenizer(formats.pattern(pattern=pattern), KEY, namespace="test").protect(value)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("99\u00e9", "1 to 256 printable"),
        ("99\n", "1 to 256 printable"),
        ("999)", "'\\)' has no"),
        ("999]", "'\\]' has no"),
        ("999[ab", "'\\[' is never closed"),
        ("999[ab\\", "no character follows"),
        ("999[c-a]", "range 'c-a' must begin with the lower"),
        ("9()", "both '9' and '9'"),
        ("---", "nothing to encrypt"),
        ("9(9)99(-)(-)", "both"),
        ("A(9)(X)99", "both 'A999' and 'AX99'"),
        ("A9(X)(9)99", "both"),
        ("A", "only 26 values"),
        ("999" + "(9)" * 9, "more than 256 layouts"),
        ("9" * 65, "too long"),
        ("X" * 50, "too long"),
    ],
)
def test_what_else_is_no_pattern(pattern: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        formats.pattern(pattern=pattern)


def test_a_tiny_domain_can_be_allowed() -> None:
    form = formats.pattern(pattern="9", allow_tiny_domain=True)
    tool = Tokenizer(form, KEY, namespace="test")
    tokens = tool.protect(pa.array(list("0123456789"))).to_pylist()
    assert sorted(tokens) == list("0123456789")
    assert tool.reveal(pa.array(tokens)).to_pylist() == list("0123456789")


def test_tokens_depend_on_the_fields_of_a_value_alone() -> None:
    token = protect("AA-999-A", "AB-123-C")
    assert protect("AA999A", "AB123C") == token.replace("-", "")
    assert protect("(X)AA-999-A", "AB-123-C") == token
    assert protect("[A-Z]A(-)[0-9]99(-)A", "AB-123-C") == token
    assert protect("AA-999-[A-Y]", "AB-123-C") != token
    # As many values, and the same places in the alphabets, but other fields.
    other = protect("aA-999-A", "aB-123-C")
    assert other.upper() != token


def rows() -> list[tuple[str, str, list[str]]]:
    text = PAGE.read_text("utf-8")
    found = re.findall(
        r"^\| ([^|`]+) \| `([^`]+)` \| ((?:`[^`]+`(?:, )?)+) \|$", text, re.MULTILINE
    )
    return [(about, pattern, re.findall("`([^`]+)`", values)) for about, pattern, values in found]


def test_the_page_has_a_table() -> None:
    assert len(rows()) == 21


@pytest.mark.parametrize(("about", "pattern", "values"), rows(), ids=lambda one: str(one))
def test_the_patterns_of_the_page(about: str, pattern: str, values: list[str]) -> None:
    del about
    form = formats.pattern(pattern=pattern)
    tool = Tokenizer(form, KEY, namespace="test")
    for value in values:
        token = tool.protect(value)
        assert mixed_model.layout_for(form, token) == mixed_model.layout_for(form, value)
        assert tool.reveal(token) == value
