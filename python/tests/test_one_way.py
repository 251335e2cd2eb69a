# SPDX-License-Identifier: Apache-2.0
"""Masks and pseudonyms: against plain models, and what can't be done with them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.common import Tokens
from models.one_way import MaskModel, PseudonymModel
from tallystick import FormatError, InvalidValueError, ParameterError, Tokenizer, formats
from tallystick.formats import Reason

KEY = bytes(range(32))


def masked(value: str, **options: Any) -> str:  # noqa: ANN401
    return Tokenizer(formats.mask(**options), None, namespace="").protect(value)


def pseudonymizer(key: bytes = KEY, namespace: str = "name", **options: Any) -> Tokenizer:  # noqa: ANN401
    return Tokenizer(formats.pseudonym(**options), key, namespace=namespace)


# Masks


def test_a_mask_shows_no_bytes_that_are_no_text_and_none_under_a_null() -> None:
    rows = [b"\x80\x81", b" \x80\x81ab", b"ab\x80", b"12345678"]
    column = pa.array(rows, pa.binary())
    cases: list[tuple[dict[str, Any], list[bytes]]] = [
        ({}, [b"", b" **", b"**", b"********"]),
        ({"keep_first": 1}, [b"", b" a*", b"a*", b"1*******"]),
        ({"width": 1}, [b"*"] * 4),
    ]
    for options, shown in cases:
        tool = Tokenizer(formats.mask(**options), None, namespace="")
        text = pa.Array.from_buffers(pa.string(), 4, column.buffers())
        assert tool.protect(text).cast(pa.binary()).to_pylist() == shown
        hidden = pa.Array.from_buffers(pa.string(), 4, [pa.py_buffer(b"\0"), *column.buffers()[1:]])
        made = tool.protect(hidden)
        assert made.null_count == 4
        assert set(bytes(made.buffers()[2])) <= set(b"*")


@pytest.mark.parametrize(
    ("options", "value", "shown"),
    [
        ({}, "Anne", "****"),
        ({"keep_last": 4}, "4111 1111 1111 1234", "**** **** **** 1234"),
        ({"keep_last": 4, "width": 4}, "4111 1111 1111 1234", "****1234"),
        ({"keep_first": 6, "keep_last": 2, "width": 1, "character": "#"}, "4111-1111-1111-1234",
         "411111#34"),
        ({"keep_first": 1, "keep_last": 1}, "Åße Ö", "Å** Ö"),
        ({"keep_first": 1, "separators": "@."}, "jane@example.org", "j***@*******.***"),
        ({"keep_last": 4}, "1234567", "*******"),  # four shown would be more than three hidden
        ({"keep_last": 4}, "12345678", "****5678"),
        ({"width": 3}, "", "***"),
        ({}, "", ""),
        ({"separators": ""}, "1 2", "***"),
        ({"keep_first": 1}, "名前は", "名**"),
    ],
)  # fmt: skip
def test_a_mask_shows_what_it_says(options: dict[str, Any], value: str, shown: str) -> None:
    assert masked(value, **options) == shown


@given(
    st.lists(st.none() | st.text(st.sampled_from("ab -éÖ名𝔸"), max_size=12), max_size=8),
    st.integers(0, 3),
    st.integers(0, 3),
    st.none() | st.integers(1, 5),
    st.sampled_from([pa.string(), pa.large_string()]),
)
def test_a_column_is_masked_row_by_row(
    values: list[str | None], first: int, last: int, width: int | None, kind: pa.DataType
) -> None:
    form = formats.mask(keep_first=first, keep_last=last, width=width)
    model = MaskModel(keep_first=first, keep_last=last, width=width)
    tokens = Tokens(b"", "", None, reveal=False)
    column = pa.array([*values, "before"], kind).slice(0, len(values))
    result = Tokenizer(form, None, namespace="").protect(column)
    result.validate(full=True)
    assert result.type == kind
    assert result.to_pylist() == [
        None if value is None else model.run(value, tokens) for value in values
    ]


def test_no_mask() -> None:
    with pytest.raises(FormatError, match="mask"):
        formats.mask(character="•")


# Pseudonyms


def expected(value: str, notation: str, length: int, tweak: bytes | None) -> str:
    tokens = Tokens(KEY, "name", tweak, reveal=False)
    return PseudonymModel(notation, length).run(value, tokens)


@pytest.mark.parametrize(
    ("notation", "length"),
    [("hex", 16), ("hex", 64), ("hex", 17), ("base32", 26), ("base32", 13), ("base32", 51),
     ("base64url", 11), ("base64url", 42)],
)  # fmt: skip
def test_a_pseudonym_is_the_tag_of_its_value(notation: str, length: int) -> None:
    made = pseudonymizer(notation=notation, length=length)
    values = ["Anne", "", "名前", "x" * 1000, None]
    column = made.protect(pa.array(values))
    assert column.to_pylist() == [
        None if value is None else expected(value, notation, length, None) for value in values
    ]
    tweaks = pa.array(["7", "", "eight", "9", "10"])
    column = made.protect(pa.array(values), tweaks)
    assert column.to_pylist() == [
        None if value is None else expected(value, notation, length, tweak.encode())
        for value, tweak in zip(values, tweaks.to_pylist(), strict=True)
    ]
    assert made.protect("Anne", "7") == column[0].as_py()


def test_one_pseudonym_is_another_in_another_domain_key_or_length() -> None:
    made = {
        pseudonymizer().protect("Anne"),
        pseudonymizer(namespace="city").protect("Anne"),
        pseudonymizer(key=bytes(32)).protect("Anne"),
        pseudonymizer(key=bytes(16)).protect("Anne"),
        pseudonymizer(length=25).protect("Anne"),
        pseudonymizer().protect("anne"),
    }
    assert len({text[:20] for text in made}) == len(made)


def test_a_row_whose_tweak_is_null_does_not_fit() -> None:
    form = formats.pseudonym()
    values, tweaks = pa.array(["a", "b", None]), pa.array(["x", None, None])
    with pytest.raises(InvalidValueError, match="row 1: its tweak") as raised:
        Tokenizer(form, KEY, namespace="d").protect(values, tweaks)
    assert raised.value.reason == Reason.TWEAK
    for on_invalid, left in (("null", None), ("keep", "b")):
        made = Tokenizer(form, KEY, namespace="d", on_invalid=on_invalid).protect(values, tweaks)  # type: ignore[arg-type]
        made.validate(full=True)
        assert made.to_pylist()[1:] == [left, None]
        assert made[0].as_py() == Tokenizer(form, KEY, namespace="d").protect("a", "x")


def test_many_rows_in_threads_and_dictionaries() -> None:
    values = [f"customer {i % 1000}" for i in range(200_000)]
    made = pseudonymizer()
    column = made.protect(pa.chunked_array([pa.array(values)]), threads=2)
    assert column[:1000].to_pylist() == [made.protect(value) for value in values[:1000]]
    assert len(set(column.to_pylist())) == 1000
    coded = made.protect(pa.array(values[:2000]).dictionary_encode())
    assert coded.to_pylist() == column[:2000].to_pylist()


def test_no_pseudonym() -> None:
    with pytest.raises(FormatError, match="pseudonym"):
        formats.pseudonym(notation="octal")  # type: ignore[arg-type]


# Both


@pytest.mark.parametrize("form", [formats.mask(), formats.pseudonym()], ids=["mask", "pseudonym"])
def test_nothing_gives_values_back(form: formats.Format) -> None:
    made = Tokenizer(form, KEY, namespace="d")
    for value in ("****", pa.array(["****"])):
        with pytest.raises(ParameterError, match="one-way"):
            made.reveal(value)


def test_what_has_no_key_needs_none_and_what_has_one_needs_it() -> None:
    with pytest.raises(ParameterError, match="key"):
        Tokenizer(formats.pseudonym(), None, namespace="d")
    with pytest.raises(ParameterError, match="key"):
        Tokenizer(formats.digits(), None, namespace="d")


@pytest.mark.parametrize("form", [formats.mask(), formats.pseudonym()], ids=["mask", "pseudonym"])
def test_only_text_can_become_other_text(form: formats.Format) -> None:
    with pytest.raises(ParameterError, match="convert it to text"):
        Tokenizer(form, KEY, namespace="d").protect(pa.array([1, 2]))


def test_a_mask_has_no_tweak() -> None:
    with pytest.raises(ParameterError, match="no tweak"):
        Tokenizer(formats.mask(), None, namespace="").protect(pa.array(["a"]), pa.array(["b"]))


def test_large_columns_are_worked_on_in_slices() -> None:
    values = pa.array([None if i % 7 == 0 else f"{i:08}" for i in range(40_000)])
    tweaks = pa.array([str(i % 5) for i in range(40_000)])
    mask, tool = Tokenizer(formats.mask(keep_last=2), None, namespace=""), pseudonymizer()
    for made, few in ((mask.protect(values), mask.protect), (tool.protect(values), tool.protect)):
        assert made[16_380:16_390].equals(few(values[16_380:16_390]))
        assert (len(made), made.null_count) == (len(values), values.null_count)
    rows = slice(32_760, 32_770)
    assert tool.protect(values, tweaks)[rows].equals(tool.protect(values[rows], tweaks[rows]))
