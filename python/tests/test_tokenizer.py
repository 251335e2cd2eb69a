# SPDX-License-Identifier: Apache-2.0
"""Tokenizers: the bytes of a tweak, Arrow's shapes of a column, tweaks of rows, secrets, faults."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from threading import get_ident
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends import portable
from tallystick import (
    Counts,
    FastCipher,
    InvalidValueError,
    ParameterError,
    TallyError,
    Tokenizer,
    formats,
)
from tallystick import tokenizer as tokenizer_module
from tallystick._core import ffi
from tallystick.fast import range_radix
from tallystick.formats import Format, Reason
from tallystick.tokenizer import OnInvalid, tweak_of

KEY = bytes(range(16))
DIGITS = formats.digits()
NUMBERS = formats.integer(min=-1000, max=10**6)
DATES = formats.date()
CENTS = formats.decimal(min=0, max=1000, scale=2)


def tokenizer(
    form: Format = DIGITS, on_invalid: OnInvalid = "error", namespace: str = "test"
) -> Tokenizer:
    return Tokenizer(form, KEY, namespace=namespace, on_invalid=on_invalid)


# The tweak, against bytes written by hand from docs/reference/tokens.md


def test_the_tweak_of_a_text_column() -> None:
    column = (
        b"\0\0\0\4"
        b"\0\0\0\x0ctallystick 1"
        b"\0\0\0\x09person-id"
        b'\0\0\0\x35["text","0123456789",false,false,0,0,[],false,"none"]'
        b"\0\0\0\6column"
    )
    assert tweak_of(DIGITS, "person-id", rows=False) == column
    rows = column.replace(b"\0\0\0\6column", b"\0\0\0\4rows")
    assert tweak_of(DIGITS, "person-id", rows=True) == rows


@pytest.mark.parametrize(
    ("form", "identity"),
    [
        (
            formats.card(keep_first=6, keep_last=4),
            b'["text","0123456789",false,false,6,4,[],true,"valid"]',
        ),
        (formats.uuid(), b'["text","0123456789abcdef",false,false,0,0,[12,16],true,"none"]'),
        (
            formats.alphabet(alphabet='"\\ab', keep_first=1, kept_as_tweak=False),
            b'["text","\\"\\\\ab",false,false,1,0,[],false,"none"]',
        ),
        (
            formats.letters(),
            b'["text","abcdefghijklmnopqrstuvwxyz",true,false,0,0,[],false,"none"]',
        ),
        (formats.integer(min=-5, max=2**63), b'["integer",-5,9223372036854775808]'),
        (
            formats.date(first=date(1, 2, 3), notation="DD.MM.YYYY"),
            b'["date","0001-02-03","2099-12-31"]',
        ),
    ],
)
def test_the_identity_in_a_tweak(form: Format, identity: bytes) -> None:
    head = b"\0\0\0\4\0\0\0\x0ctallystick 1\0\0\0\3d\xc3\xa9"
    expected = head + len(identity).to_bytes(4, "big") + identity + b"\0\0\0\6column"
    assert tweak_of(form, "dé", rows=False) == expected


def word(text: str) -> bytes:
    return bytes(map(int, text))


def text(word: bytes) -> str:
    return "".join(map(str, word))


def test_a_token_is_fast_under_that_tweak() -> None:
    tweak = tweak_of(DIGITS, "person-id", rows=False)
    token = text(FastCipher(KEY, 10).encrypt(word("5304218"), tweak))
    assert (
        tokenizer(namespace="person-id").protect("530-42 18")
        == f"{token[:3]}-{token[3:5]} {token[5:]}"
    )


def test_what_is_kept_follows_the_tweak() -> None:
    form = formats.digits(keep_first=2, keep_last=1)
    tweak = tweak_of(form, "test", rows=False) + b"\0\0\0\3\7\1\x09"
    token = text(FastCipher(KEY, 10).encrypt(word("5304218"), tweak))
    assert tokenizer(form).protect("7-1-5304218-9") == f"7-1-{token}-9"


def test_what_comes_after_the_mark_follows_the_tweak() -> None:
    form = formats.email()
    tweak = tweak_of(form, "test", rows=False) + b"\0\0\0\x03\xc3\xbc7"
    token = FastCipher(KEY, 36).encrypt(word("304218"), tweak)
    written = "".join("0123456789abcdefghijklmnopqrstuvwxyz"[symbol] for symbol in token)
    assert tokenizer(form).protect("304218@ü7") == f"{written}@ü7"


def test_a_tweak_of_the_row_comes_last() -> None:
    form = formats.digits(keep_last=1)
    tweak = tweak_of(form, "test", rows=True) + b"\0\0\0\1\x08" + "Zoë".encode()
    token = text(FastCipher(KEY, 10).encrypt(word("530421"), tweak))
    assert tokenizer(form).protect("5304218", "Zoë") == f"{token}8"
    plain = tweak_of(DIGITS, "test", rows=True) + b"-17"
    token = text(FastCipher(KEY, 10).encrypt(word("5304218"), plain))
    assert tokenizer().protect(pa.array(["5304218"]), pa.array([-17])).to_pylist() == [token]


def test_numbers_are_permuted_under_that_tweak() -> None:
    size = 10**6 + 1001
    cipher = FastCipher(KEY, range_radix(size))
    for own, rows in ((b"", False), (b"", True), (b"row 7", True)):
        tweak = tweak_of(NUMBERS, "test", rows=rows) + own
        (rank,) = cipher.encrypt_range(size, np.array([1005], np.uint64), tweak)
        tweaks = pa.array([own]) if rows else None
        assert tokenizer(NUMBERS).protect(pa.array([5]), tweaks)[0].as_py() == int(rank) - 1000


def test_no_two_settings_share_a_tweak() -> None:
    namespaces = ["a", "ab", "a\0", "tallystick 1", "column", "[]"]
    forms: list[Format] = [DIGITS, formats.card(), NUMBERS, DATES, formats.integer(min=0, max=999)]
    tweaks = {tweak_of(f, d, rows=r) for f in forms for d in namespaces for r in (True, False)}
    assert len(tweaks) == len(namespaces) * len(forms) * 2
    assert not any(a != b and a.startswith(b) for a in tweaks for b in tweaks)


# Columns of every shape

FORMS: dict[str, tuple[Format, pa.DataType, list[Any]]] = {
    "text": (DIGITS, pa.string(), ["5304218", None, "12-34", "", "x", "99", None, "000000"]),
    "large text": (DIGITS, pa.large_string(), [None, "5304218", "7", "12 34", None, "é", "99"]),
    "card": (
        formats.card(keep_first=6),
        pa.string(),
        ["4111 1111 1111 1111", None, "4111 1111 1111 1112", "378282246310005", "1"],
    ),
    "email": (formats.email(), pa.string(), ["jane@a.org", "doe.jim@b", "x", None, "no mark"]),
    "integers": (NUMBERS, pa.int32(), [5, None, -1000, 10**6, -1001, 2**31 - 1, None, 0]),
    "unsigned": (
        formats.integer(min=9, max=2**64 - 2),
        pa.uint64(),
        [2**64 - 1, 9, None, 2**63, 8, 2**64 - 2],
    ),
    "integer text": (NUMBERS, pa.string(), ["5", None, "05", "-1000", "", "10000000", "77"]),
    "large integer text": (NUMBERS, pa.large_string(), ["5", None, "x", "-999", "77"]),
    "dates": (DATES, pa.date32(), [date(2000, 2, 29), None, date(1, 1, 1), date(1900, 1, 1)]),
    "wide dates": (DATES, pa.date64(), [None, date(2000, 2, 29), date(9999, 1, 1), None]),
    "date text": (DATES, pa.string(), ["2000-02-29", None, "2001-02-29", "x", "1900-01-01"]),
    "scripts": (
        formats.unicode(),
        pa.string(),
        ["Zoë", None, "Анна", "x", "γας", "王", "7", "김민", None, "", "Zoë"],
    ),
    "large scripts": (
        formats.unicode(script="cjk", keep_last=1),
        pa.large_string(),
        ["王小明", None, "王", "王·明", "Zoë"],
    ),
    "decimal text": (
        formats.decimal(min=-9, max="99.5", scale=1),
        pa.string(),
        ["0.0", None, "-0.5", "-0.0", "99.5", "99.6", "5", ""],
    ),
    "decimals": (
        formats.decimal(min=-9, max="99.5", scale=1),
        pa.decimal128(20, 1),
        [Decimal("0.0"), None, Decimal("-9.0"), Decimal("-9.1"), Decimal("99.6")],
    ),
    "timestamps": (
        formats.timestamp(resolution="ms"),
        pa.timestamp("us", "UTC"),
        [
            datetime(2000, 2, 29, 1, tzinfo=UTC),
            None,
            datetime(2000, 2, 29, 1, 0, 0, 1, tzinfo=UTC),
            datetime(1969, 12, 31, tzinfo=UTC),
        ],
    ),
    "large timestamp text": (
        formats.timestamp(),
        pa.large_string(),
        ["2000-02-29 00:00:00", None, "2001-02-29 00:00:00", "x", "2000-02-29T23:59:59+02:00"],
    ),
    "IPv4": (formats.ipv4(prefix=8), pa.string(), ["10.0.0.1", None, "10.0.0.01", "0.0.0.1", "x"]),
    "large IPv6": (
        formats.ipv6(prefix=64),
        pa.large_string(),
        ["::", None, "::1", "1::0", "x", "2001:db8::7"],
    ),
    "large date text": (DATES, pa.large_string(), [None, "2000-02-29", "1899-12-31", "2099-12-31"]),
}
each_form = pytest.mark.parametrize("name", FORMS)


def single(
    form: Format, on_invalid: OnInvalid, value: object, own: object, kind: pa.DataType
) -> object:
    """One row at a time: what a column must be made of."""
    if value is None:
        return None
    column = pa.array([value], kind)
    try:
        tweaks = None if own is ... else pa.array([own], pa.string())
        return tokenizer(form).protect(column, tweaks)[0].as_py()
    except InvalidValueError:
        return value if on_invalid == "keep" else None


@settings(max_examples=50)
@given(data=st.data())
@each_form
def test_any_slice_is_made_of_its_rows(name: str, data: st.DataObject) -> None:
    form, kind, pool = FORMS[name]
    values = data.draw(st.lists(st.sampled_from(pool), max_size=25))
    start = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(start, len(values)))
    on_invalid: OnInvalid = data.draw(st.sampled_from(["null", "keep"]))
    owns: list[Any] = [...] * len(values)
    tweaks = None
    if data.draw(st.booleans()):
        some = st.none() | st.sampled_from(["", "a", "ü", "tweak"])
        owns = data.draw(st.lists(some, min_size=len(values), max_size=len(values)))
        pad = data.draw(st.integers(0, 9))
        padded = pa.array(["x"] * pad + owns + [None], pa.string())
        tweaks = padded.slice(pad + start, stop - start)
    column, before = pa.array(values, kind), pa.array(values, kind)
    counts = Counts()
    tool = tokenizer(form, on_invalid)
    tokens = tool.transform(column[start:stop], tweaks, decrypt=False, counts=counts)
    tokens.validate(full=True)
    assert tokens.type == kind and column.equals(before)
    rows = list(zip(values, owns, strict=True))[start:stop]
    assert tokens.to_pylist() == [single(form, on_invalid, *row, kind) for row in rows]
    invalid_rows = [
        v for v, own in rows if v is not None and single(form, "null", v, own, kind) is None
    ]
    assert counts.invalid.total() == len(invalid_rows)
    assert (counts.rows, counts.nulls) == (stop - start, values[start:stop].count(None))
    if not invalid_rows:
        back = tool.transform(tokens, tweaks, decrypt=True, counts=counts)
        assert back.to_pylist() == values[start:stop]
        assert tokens.slice(1).equals(
            tool.protect(column[start:stop].slice(1), tweaks and tweaks.slice(1))
        )


def chunked(values: list[Any], kind: pa.DataType, sizes: list[int]) -> pa.ChunkedArray:
    chunks, start = [], 0
    for size in [*sizes, len(values)]:
        chunks.append(pa.array(values[start : start + size], kind))
        start += size
    return pa.chunked_array(chunks, kind)


@each_form
def test_chunks_are_slices(name: str) -> None:
    form, kind, values = FORMS[name]
    tool, tweaks = tokenizer(form, "null"), [f"t{i}" for i in range(len(values))]
    whole = tool.protect(pa.array(values, kind))
    tweaked = tool.protect(pa.array(values, kind), pa.array(tweaks))
    assert whole.to_pylist() != tweaked.to_pylist()
    for sizes in ([], [1], [0, 2, 0, 1]):
        column = chunked(values, kind, sizes)
        tokens = tool.protect(column)
        assert isinstance(tokens, pa.ChunkedArray) and tokens.type == kind
        assert [len(c) for c in tokens.chunks] == [len(c) for c in column.chunks]
        assert tokens.to_pylist() == whole.to_pylist()
        for own in (
            pa.array(tweaks),
            chunked(tweaks, pa.string(), [2]),
            pa.array(tweaks * 2)[: len(values)],
        ):
            assert tool.protect(column, own).to_pylist() == tweaked.to_pylist()
            assert tool.protect(pa.array(values, kind), own).equals(tweaked)
            again = tool.reveal(tool.protect(column, own), own).to_pylist()
            assert again == [
                v if t is not None else None
                for v, t in zip(values, tweaked.to_pylist(), strict=True)
            ]


@each_form
def test_nothing_comes_of_nothing(name: str) -> None:
    form, kind, values = FORMS[name]
    tool = tokenizer(form)
    some = pa.array(values, kind)
    for empty in (pa.array([], kind), some[:0], some[3:3], some[len(some) :]):
        for tweaks in (None, pa.array([], pa.string()), pa.array(["a"])[1:]):
            tokens = tool.protect(empty, tweaks)
            assert tokens.type == kind and len(tokens) == 0
    none = tool.protect(pa.chunked_array([], kind))
    assert none.type == kind and none.num_chunks == 0
    nulls = pa.array([None] * 9, kind)
    assert tool.protect(nulls).equals(nulls)
    assert tool.protect(nulls[2:], pa.array(["a"] * 7)).equals(nulls[2:])


@each_form
def test_dictionaries_stay_dictionaries(name: str) -> None:
    form, kind, values = FORMS[name]
    tool = tokenizer(form, "null")
    column = pa.array([*values, *values], kind)
    for index in (pa.int8(), pa.uint16(), pa.int32(), pa.int64()):
        for ordered in (False, True):
            coded = column.dictionary_encode()
            coded = pa.DictionaryArray.from_arrays(
                coded.indices.cast(index), coded.dictionary, ordered=ordered
            )
            for start in (0, 1, len(values)):
                tokens = tool.protect(coded[start:])
                assert tokens.type == coded.type
                assert tokens.dictionary_decode().equals(tool.protect(column[start:]))
    counts = Counts()
    tool.transform(coded, decrypt=False, counts=counts)
    plain = Counts()
    tool.transform(column, decrypt=False, counts=plain)
    assert counts == plain and counts.rows == len(column) and counts.nulls == 2 * values.count(None)


def test_dictionaries_with_nulls_and_strangers_in_them() -> None:
    codes = pa.array([0, 1, 2, None, 0], pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["5304218", None, "99", "unused"]))
    tokens = tokenizer().protect(column)
    expected = [tokenizer().protect("5304218"), None, tokenizer().protect("99"), None]
    assert tokens.to_pylist() == [*expected, expected[0]]


def test_tokens_that_a_dictionary_can_not_number() -> None:
    codes = pa.array([0] * 129, pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["5304218"]))
    tweaks = pa.array(range(129))
    assert len(set(tokenizer().protect(column[1:], tweaks[1:]).to_pylist())) == 128
    with pytest.raises(ParameterError, match="number all tokens"):
        tokenizer().protect(column, tweaks)


@pytest.mark.parametrize("before", [b"", b"junk"])
@pytest.mark.parametrize("after", [b"", b"junk"])
def test_bytes_around_the_values_are_left_behind(before: bytes, after: bytes) -> None:
    # Offsets need not begin at 0, nor values end with the buffer.
    data = pa.py_buffer(before + b"530421899" + after)
    offsets = pa.py_buffer(np.array([0, 7, 7, 9], np.int32) + np.int32(len(before)))
    column = pa.Array.from_buffers(pa.string(), 3, [None, offsets, data])
    assert column.to_pylist() == ["5304218", "", "99"]
    tokens = tokenizer(on_invalid="keep").protect(column)
    expected = [tokenizer().protect("5304218"), "", tokenizer().protect("99")]
    assert tokens.to_pylist() == expected
    assert tokens.buffers()[2].to_pybytes() == "".join(expected).encode()
    assert bytes(data) == before + b"530421899" + after


def test_one_value_is_a_column_of_one() -> None:
    assert tokenizer().protect("5304218") == tokenizer().protect(pa.array(["5304218"]))[0].as_py()
    assert type(tokenizer(NUMBERS).protect(5)) is int
    assert type(tokenizer(DATES).protect(date(2000, 1, 1))) is date
    assert type(tokenizer(DATES).protect("2000-01-01")) is str
    for own in ("a", "", "ü"):
        token = tokenizer().protect("5304218", own)
        assert token == tokenizer().protect(pa.array(["5304218"]), pa.array([own]))[0].as_py()
        assert tokenizer().reveal(token, own) == "5304218"


def test_a_decimal_number_is_that_of_a_column_and_of_text() -> None:
    tool = tokenizer(CENTS)
    for text in ("0.00", "999.99", "12.50"):
        value, tweaks = Decimal(text), pa.array(["a"])
        token = tool.protect(value, "a")
        assert type(token) is Decimal and str(token) == tool.protect(text, "a")
        column = pa.array([value], pa.decimal128(6, 2))
        assert token == tool.protect(column, tweaks)[0].as_py()
        with localcontext() as rough:
            rough.prec = 2
            assert str(tool.reveal(token, "a")) == text
    assert tool.protect(Decimal("12.5")) == tool.protect(Decimal("12.500")) != Decimal("12.5")
    assert tokenizer(CENTS, "keep").protect(Decimal("0.001")) == Decimal("0.001")
    assert tokenizer(CENTS, "null").protect(Decimal("NaN")) is None


def test_a_single_text_of_more_than_a_mebibyte_is_one_for_an_array() -> None:
    tool, text = Tokenizer(formats.mask(), None, namespace=""), "x" * ((1 << 20) + 1)
    with pytest.raises(ParameterError, match="has at most 1 MiB; pass longer values in an Arrow"):
        tool.protect(text)
    assert len(tool.protect(pa.array([text]))[0].as_py()) == len(text)


@pytest.mark.parametrize(
    ("form", "text", "made"),
    [
        (formats.truncate(decimals=2), "52.520008", "52.520000"),
        (formats.truncate(decimals=2), "52", "52.00"),
        (formats.bucket(width=10), "37.5", "30.0"),
        (formats.bucket(width=10), "37", "30"),
        (formats.bucket(width="0.5"), "37.75", "37.50"),
        (formats.bucket(width="0.5"), "37", "37.0"),
    ],
)
def test_a_decimal_number_has_a_scale_of_its_own_if_the_format_has_none(
    form: formats.Format, text: str, made: str
) -> None:
    tool = Tokenizer(form, None, namespace="")
    found = tool.protect(Decimal(text))
    assert str(found) == made
    digits = -Decimal(made).as_tuple().exponent  # type: ignore[operator]
    column = pa.array([Decimal(text)], pa.decimal128(20, digits))
    assert tool.protect(column)[0].as_py() == found


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        *(("0.001", Reason.NOTATION), ("1e-99", Reason.NOTATION), ("NaN", Reason.NOTATION)),
        *(("Infinity", Reason.NOTATION), ("0." + "0" * 80 + "1", Reason.NOTATION)),
        *(("1000.01", Reason.RANGE), ("-0.01", Reason.RANGE), ("1e17", Reason.RANGE)),
        *(("1e400", Reason.RANGE), ("12345678901234567890", Reason.RANGE)),
    ],
)
def test_decimal_numbers_that_do_not_fit(value: str, reason: Reason) -> None:
    with pytest.raises(InvalidValueError) as caught:
        tokenizer(CENTS).protect(Decimal(value))
    assert caught.value.reason == reason
    with pytest.raises(ParameterError, match="format 'digits' can't be used"):
        tokenizer().protect(Decimal(value))


@pytest.mark.parametrize(
    "value", [None, 5.0, b"5304218", ["5304218"], True, datetime(2000, 1, 1, 12), Decimal(5)]
)
def test_values_that_are_none(value: Any) -> None:  # noqa: ANN401 (the point)
    for form in (DIGITS, NUMBERS, DATES):
        with pytest.raises(ParameterError):
            tokenizer(form).protect(value)


# What becomes of values that do not fit


def test_the_first_row_that_does_not_fit_is_named() -> None:
    column = pa.array(["zz", "5304218", None, "99", "secret", "x"])
    with pytest.raises(InvalidValueError) as caught:
        tokenizer().protect(column[1:])
    assert caught.value.row == 3 and caught.value.reason == Reason.FOREIGN
    with pytest.raises(InvalidValueError, match=r"^row 4: "):
        tokenizer().protect(pa.chunked_array([column[1:4], column[1:]])[2:])
    with pytest.raises(InvalidValueError, match=r"^row 6: ") as caught:
        tokenizer().protect(pa.chunked_array([column[1:4], column[1:]]))
    assert caught.value.row == 6


def test_invalid_rows_are_counted_by_reason() -> None:
    column = pa.array(["5304218", None, "7", "x", "", "99", "y", "12345678"])
    for on_invalid, kept in (("null", False), ("keep", True)):
        counts = Counts()
        tool = tokenizer(formats.digits(max_length=7), on_invalid)  # type: ignore[arg-type]
        tokens = tool.transform(column, decrypt=False, counts=counts).to_pylist()
        assert counts.invalid == {Reason.SHORT: 2, Reason.FOREIGN: 2, Reason.LONG: 1}
        assert (counts.rows, counts.nulls, counts.small) == (8, 1, 1)
        for row in (2, 3, 4, 6, 7):
            assert tokens[row] == (column[row].as_py() if kept else None)
        tool.transform(column, decrypt=True, counts=counts)
        assert counts.invalid.total() == 10 and counts.rows == 16


def test_on_invalid_must_be_known() -> None:
    with pytest.raises(ParameterError, match="'error', 'null' or 'keep'"):
        tokenizer(on_invalid="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [0, 15, 17, 33])
def test_a_key_must_have_its_size(size: int) -> None:
    with pytest.raises(ParameterError, match="16, 24 or 32"):
        Tokenizer(DIGITS, bytes(size), namespace="test")


# Tweaks of rows


@pytest.mark.parametrize("form", [DIGITS, NUMBERS, DATES], ids=["text", "integer", "date"])
def test_tweaks_separate_equal_values(form: Format) -> None:
    value = {"digits": "5304218", "integer": "777", "date": "2000-02-29"}[form.label]
    column = pa.array([value] * 4)
    tokens = tokenizer(form).protect(column, pa.array(["a", "b", "", "a"])).to_pylist()
    assert tokens[0] == tokens[3] and len(set(tokens)) == 3
    assert tokenizer(form).protect(value) not in tokens


@pytest.mark.parametrize("form", [DIGITS, NUMBERS, DATES], ids=["text", "integer", "date"])
def test_a_null_tweak_does_not_fit(form: Format) -> None:
    value = {"digits": "5304218", "integer": "777", "date": "2000-02-29"}[form.label]
    column, tweaks = pa.array([value, value, None, None]), pa.array(["a", None, None, "a"])
    with pytest.raises(InvalidValueError, match=r"^row 1: its tweak"):
        tokenizer(form).protect(column, tweaks)
    counts = Counts()
    tool = tokenizer(form, "keep")
    tokens = tool.transform(column, tweaks, decrypt=False, counts=counts).to_pylist()
    assert tokens[1:] == [value, None, None] and tokens[0] != value
    assert counts.invalid == {Reason.TWEAK: 1} and counts.nulls == 2
    for integers in (pa.array([1, None, None, 1]), pa.array([0, 1, None, None, 1])[1:]):
        tool.transform(column, integers, decrypt=False, counts=counts)
    assert counts.invalid == {Reason.TWEAK: 3}


def test_tweaks_of_every_type_are_their_bytes() -> None:
    column = pa.array(["5304218"] * 3)
    names = ["7", "-12", "255"]
    expected = tokenizer().protect(column, pa.array(names))
    kinds = [pa.large_string(), pa.binary(), pa.large_binary()]
    kinds += [pa.int16(), pa.int32(), pa.int64()]
    for kind in kinds:
        whole = pa.array(names).cast(kind)
        assert tokenizer().protect(column, whole).equals(expected), kind
        longer = pa.concat_arrays([whole, whole, whole])
        assert tokenizer().protect(column, longer[3:6]).equals(expected), kind
        assert tokenizer().protect(column, whole.dictionary_encode()).equals(expected), kind
        assert (
            tokenizer().protect(column, pa.chunked_array([whole[:1], whole[1:]])).equals(expected)
        )
    for kind in (pa.uint8(), pa.uint64()):
        tokens = tokenizer().protect(column[:1], pa.array([255], kind))
        assert tokens[0] == expected[2]
    (huge,) = tokenizer().protect(column[:1], pa.array([2**64 - 1], pa.uint64()))
    assert huge.as_py() == tokenizer().protect("5304218", str(2**64 - 1))


@pytest.mark.parametrize(
    "tweaks",
    [
        pa.array(["a"]),
        pa.array(["a", "b", "c"]),
        pa.array([], pa.string()),
        pa.array([1.0, 2.0]),
        pa.array([True, False]),
        pa.array([date(2000, 1, 1)] * 2),
        pa.nulls(2),
        pa.chunked_array([["a"], ["b"], ["c"]]),
        ["a", "b"],
        "ab",
        b"ab",
        5,
    ],
    ids=str,
)
def test_tweaks_that_do_not_fit_are_never_passed_over(tweaks: Any) -> None:  # noqa: ANN401
    column = pa.array(["5304218", "99"])
    pieces: list[Any] = [
        column,
        pa.chunked_array([column[:1], column[1:]]),
        column.dictionary_encode(),
    ]
    for values in pieces:
        for function in (tokenizer().protect, tokenizer().reveal):
            with pytest.raises(ParameterError, match="tweaks"):
                function(values, tweaks)


def test_a_tweak_for_text_has_an_end() -> None:
    own = 1024 - len(tweak_of(DIGITS, "test", rows=True))
    assert tokenizer().protect("5304218", "x" * own) != "5304218"
    with pytest.raises(InvalidValueError, match="too long"):
        tokenizer().protect("5304218", "x" * (own + 1))


# Secrets

SECRET = "".join(["471", "1081", "599", "32"])  # in parts: tracebacks show source lines


def shown(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + str(error.args)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (DIGITS, SECRET + "x"),
        (formats.digits(max_length=4), SECRET),
        (formats.digits(min_length=40), SECRET),
        (formats.card(), SECRET),
        (formats.email(), SECRET),
        (formats.email(), SECRET + "@@"),
        (formats.email(), SECRET + "@" + "x" * 1000),
        (DIGITS, SECRET + "\ud800"),
        (NUMBERS, int(SECRET)),
        (NUMBERS, int(SECRET * 3)),
        (NUMBERS, -int(SECRET * 3)),
        (formats.integer(min=0, max=2**64 - 1), -int(SECRET)),
        (NUMBERS, SECRET),
        (NUMBERS, SECRET + SECRET),
        (NUMBERS, SECRET + "x"),
        (DATES, SECRET),
        (formats.date(notation="YYYY-MM-DD" + "x" * 13), SECRET + "0" * 11),
        (DATES, pa.array([int(SECRET)]).view(pa.date64())),
        (DATES, pa.array([int(SECRET) % 2**31], pa.int32()).view(pa.date32())),
        (NUMBERS, pa.array([int(SECRET)])),
        (NUMBERS, pa.array([int(SECRET)], pa.uint64())),
        (DIGITS, pa.array([SECRET + "x"]).dictionary_encode()),
        (DIGITS, pa.chunked_array([[SECRET + "x"]])),
        (DIGITS, int(SECRET)),
        (DIGITS, pa.array([int(SECRET)])),
        (DIGITS, pa.array([SECRET.encode()], pa.binary(len(SECRET)))),
        (NUMBERS, float(SECRET)),
        (DATES, pa.array([int(SECRET)], pa.timestamp("s"))),
    ],
)
def test_no_message_holds_the_value(form: Format, value: Any) -> None:  # noqa: ANN401
    digits = SECRET if not isinstance(value, pa.Array) else str(int(SECRET) % 2**31)
    for function in (tokenizer(form).protect, tokenizer(form).reveal):
        for tweaks in (None, pa.array([SECRET]) if not isinstance(value, str) else SECRET):
            if tweaks is not None and not isinstance(value, str | pa.Array):
                continue
            with pytest.raises(TallyError) as caught:
                function(value, tweaks)
            assert SECRET not in shown(caught.value) and digits not in shown(caught.value)


def test_no_message_holds_a_tweak() -> None:
    with pytest.raises(InvalidValueError) as caught:
        tokenizer().protect("5304218", SECRET * 100)
    assert SECRET not in shown(caught.value)
    with pytest.raises(ParameterError) as wrong:
        tokenizer().protect(pa.array(["5304218"]), pa.array([float(SECRET)]))
    assert SECRET[:5] not in shown(wrong.value)


def test_no_text_holds_the_key() -> None:
    tool = Tokenizer(DIGITS, SECRET.encode()[:12] + b"1234", namespace="test")
    assert SECRET not in repr(tool) and "namespace='test'" in repr(tool)


@pytest.mark.parametrize(
    ("form", "value"),
    [(formats.letters(), "marilynmonroe"), (NUMBERS, 304218), (DATES, date(1987, 6, 5))],
)
def test_an_idle_worker_holds_no_value(form: Format, value: Any) -> None:  # noqa: ANN401
    tool = tokenizer(form, "keep")
    assert tool.reveal(tool.protect(value)) == value
    worker = tool._idle[0]
    assert str(value).encode() not in bytes(ffi.buffer(worker.out, worker.room))
    assert not any(any(bytes(ffi.buffer(held))) for held in worker.fixed.values())
    if isinstance(value, str):  # a value that was kept, too
        assert tool.protect(SECRET) == SECRET
        assert SECRET.encode() not in bytes(ffi.buffer(worker.out, worker.room))


@pytest.mark.parametrize("name", FORMS)
def test_a_closed_tokenizer_is_of_no_use(name: str) -> None:
    form, kind, values = FORMS[name]
    tool = tokenizer(form, "null")
    tool.protect(pa.array(values, kind))
    tool.close()
    tool.close()
    for function in (tool.protect, tool.reveal):
        with pytest.raises(TallyError, match="closed"):
            function(pa.array(values, kind))


# Threads and back ends


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_chunks_are_shared_by_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_module, "SLICE_ROWS", 7)
    used = set()
    whole = [str(10**7 + row) if row % 6 else None for row in range(200)]
    column = pa.chunked_array([whole[:3], [], whole[3:100], whole[100:]], pa.string())
    tweaks = pa.array([str(row) for row in range(200)])
    tool = tokenizer()
    transform = Tokenizer._made

    def spy(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        used.add(get_ident())
        time.sleep(0.001)
        return transform(*arguments, **options)

    monkeypatch.setattr(Tokenizer, "_made", spy)
    for own in (None, tweaks):
        tokens = tool.protect(column, own, threads=threads)
        assert tokens.type == column.type
        rows = [whole[row : row + 1] for row in range(200)]
        expected = [
            tool.protect(
                pa.array(row, pa.string()), None if own is None else own[number : number + 1]
            )
            for number, row in enumerate(rows)
        ]
        assert tokens.to_pylist() == pa.chunked_array(expected).to_pylist()
        assert tool.reveal(tokens, own, threads=threads).to_pylist() == whole
    assert (len(used - {get_ident()}) > 1) == (threads > 1)
    whole[150] = whole[171] = "secret"
    with pytest.raises(InvalidValueError, match="row 150") as caught:
        tool.protect(pa.chunked_array([whole[:3], whole[3:]]), threads=threads)
    assert caught.value.row == 150


def test_a_number_of_threads_that_can_not_be() -> None:
    for values in ("1234567", pa.array(["1234567"]), pa.chunked_array([["1234567"]])):
        for call in (tokenizer().protect, tokenizer().reveal):
            with pytest.raises(ParameterError, match="threads must be 1 to 1024, not 0"):
                call(values, threads=0)


def test_threads_share_a_tokenizer() -> None:
    tools = {name: tokenizer(form, "null") for name, (form, _, _) in FORMS.items()}
    columns = {name: pa.array(values * 40, kind) for name, (_, kind, values) in FORMS.items()}
    expected = {name: tokenizer(FORMS[name][0], "null").protect(columns[name]) for name in FORMS}

    def work(name: str) -> bool:
        return bool(tools[name].protect(columns[name]).equals(expected[name]))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, [*FORMS] * 8))


@each_form
def test_the_portable_back_end_gives_the_same_tokens(name: str) -> None:
    form, kind, values = FORMS[name]
    column, tweaks = pa.array(values, kind), pa.array(range(len(values)))
    for size in (16, 24, 32):
        tokens: list[list[pa.Array]] = []

        def collect(size: int = size, tokens: list[list[pa.Array]] = tokens) -> None:
            tool = Tokenizer(form, bytes(range(size)), namespace="test", on_invalid="null")
            tokens.append([tool.protect(column), tool.protect(column, tweaks)])

        collect()
        with portable():
            collect()
        collect()
        assert tokens[0] == tokens[1] == tokens[2]


def test_a_tokenizer_keeps_its_back_end() -> None:
    with portable():
        tool = tokenizer()
        token = tool.protect("5304218")
    assert tool.reveal(token) == "5304218" and tokenizer().reveal(token) == "5304218"
    assert tool.protect("5304218", "new tweak") == tokenizer().protect("5304218", "new tweak")


@pytest.mark.parametrize("make", [lambda values: values, lambda values: values.dictionary_encode()])
def test_a_column_is_never_written(make: Callable[[pa.Array], pa.Array]) -> None:
    for form, kind, values in FORMS.values():
        column = make(pa.array(values, kind))
        tokenizer(form, "null").protect(column)
        assert column.to_pylist() == pa.array(values, kind).to_pylist()


@pytest.mark.parametrize("namespace", ["", "x" * 257, "\ud800"])
def test_a_domain_must_be_short_text(namespace: str) -> None:
    with pytest.raises(ParameterError, match="namespace"):
        Tokenizer(DIGITS, KEY, namespace=namespace)


@pytest.mark.parametrize("form", [DIGITS, NUMBERS, DATES], ids=["text", "integer", "date"])
def test_a_tweak_has_at_most_1024_bytes_with_its_prefix(form: Format) -> None:
    value = {"digits": "5304218", "integer": "777", "date": "2000-02-29"}[form.label]
    room = 1024 - len(tweak_of(form, "test", rows=True))
    tool = tokenizer(form)
    longest = "x" * room
    assert tool.reveal(tool.protect(value, longest), longest) == value
    with pytest.raises(InvalidValueError, match="tweak"):
        tool.protect(value, longest + "x")


def _bytes_of(array: pa.Array) -> bytes:
    return b"".join(buffer.to_pybytes() for buffer in array.buffers() if buffer is not None)


@pytest.mark.parametrize(
    ("form", "values", "kind", "secret"),
    [
        (DIGITS, ["078051120", "SECRET12345"], pa.string(), b"SECRET"),
        (DATES, ["2001-02-03", "SECRET-DAY"], pa.string(), b"SECRET"),
        (NUMBERS, ["123", "SECRET"], pa.string(), b"SECRET"),
        (NUMBERS, [123, 0x5345435245], pa.int64(), b"RCES"),
        (DATES, [12345, 0x53454352], pa.date32(), b"RCES"),
        (formats.unicode(), ["Zoë", "SECRET1"], pa.string(), b"SECRET"),
        (formats.unicode(script="devanagari"), ["ऩक", "SECRET"], pa.string(), b"SECRET"),
        (CENTS, ["1.25", "SECRET"], pa.string(), b"SECRET"),
        (CENTS, [Decimal("1.25"), Decimal(0x5345435245).scaleb(-2)], pa.decimal128(20, 2), b"RCES"),
        (formats.timestamp(), ["2001-02-03 04:05:06", "SECRET"], pa.string(), b"SECRET"),
        (formats.timestamp(), [123, 0x5345435245], pa.timestamp("s"), b"RCES"),
        (formats.ipv4(), ["198.51.100.7", "SECRET"], pa.string(), b"SECRET"),
        (formats.ipv4(prefix=24), ["198.51.100.7", "SECRET"], pa.large_string(), b"SECRET"),
        (formats.ipv6(), ["2001:db8::7", "SECRET"], pa.string(), b"SECRET"),
    ],
)
def test_nothing_is_left_under_a_null(
    form: Format, values: list[object], kind: pa.DataType, secret: bytes
) -> None:
    plain = values if kind != pa.date32() else pa.array(values, pa.int32()).cast(kind)
    column = pa.array(plain, kind)
    assert secret in _bytes_of(column)
    erased = tokenizer(form, "null").protect(column)
    assert erased[1].as_py() is None
    assert secret not in _bytes_of(erased)
    valid = pa.py_buffer(b"\x01")
    hidden = pa.Array.from_buffers(kind, 2, [valid, *column.buffers()[1:]])
    assert secret not in _bytes_of(tokenizer(form).protect(hidden))


def test_tweaks_that_lie_outside_their_values() -> None:
    offsets = np.array([0, 3], np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"abc")]
    lying = pa.Array.from_buffers(pa.string(), 1, buffers)
    offsets[1] = 1 << 27  # as a damaged file may have it, behind pyarrow's back
    with pytest.raises(ParameterError, match="damaged Arrow array"):
        tokenizer().protect(pa.array(["5304218"]), lying)
    with pytest.raises(ParameterError, match="damaged Arrow array"):
        tokenizer().protect(lying)
