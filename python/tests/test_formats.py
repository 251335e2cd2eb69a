# SPDX-License-Identifier: Apache-2.0
"""Formats: a token is a value of the same format, what is to stay stays, and what does not fit."""

from __future__ import annotations

import pickle
import string
from calendar import isleap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models import model_of
from models.common import InvalidError, Tokens
from models.text import TextModel, luhn_valid
from tallystick import (
    Counts,
    FastCipher,
    FormatError,
    InvalidValueError,
    ParameterError,
    Tokenizer,
    formats,
)
from tallystick.errors import Fault
from tallystick.fast import range_radix
from tallystick.formats import PRESETS, Format, Reason
from tallystick.tokenizer import OnInvalid, tweak_of

KEY = bytes(range(16))
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
PRINTABLE = "".join(map(chr, range(32, 127)))
NUMBERS = formats.integer(min=0, max=999)
EMAIL_SEPARATORS = ".!#$%&'*+/=?^_`{|}~-"


def tokenizer(
    form: Format, *, key: bytes = KEY, namespace: str = "test", on_invalid: OnInvalid = "error"
) -> Tokenizer:
    return Tokenizer(form, key, namespace=namespace, on_invalid=on_invalid)


def reason_of(form: Format, value: str | int | date, *, reveal: bool = False) -> str:
    tool = tokenizer(form)
    with pytest.raises(InvalidValueError) as caught:
        (tool.reveal if reveal else tool.protect)(value)
    assert caught.value.row == 0
    assert str(caught.value) == f"row 0: {caught.value.why}"
    return caught.value.reason


def spaced(symbols: str, separators: str, least: int, most: int) -> st.SearchStrategy[str]:
    """Text of symbols with a separator here and there."""
    between = st.sampled_from(["", "", "", *separators])
    piece = st.tuples(between, st.sampled_from(symbols)).map("".join)
    body = st.lists(piece, min_size=least, max_size=most).map("".join)
    return st.tuples(body, between).map("".join)


def with_check_digit(payload: list[int]) -> list[int]:
    return next([*payload, digit] for digit in range(10) if luhn_valid([*payload, digit]))


def card_numbers() -> st.SearchStrategy[str]:
    payloads = st.lists(st.integers(0, 9), min_size=11, max_size=18)
    gaps = st.lists(st.sampled_from(["", "", " ", "-"]), min_size=19, max_size=19)
    return st.builds(
        lambda payload, gaps: "".join(
            f"{gap}{digit}" for gap, digit in zip(gaps, with_check_digit(payload), strict=False)
        ),
        payloads,
        gaps,
    )


def addresses(symbols: str = DIGITS + LOWER) -> st.SearchStrategy[str]:
    hosts = st.sampled_from(["example.org", "EXAMPLE.ORG", "[192.0.2.1]", "dömäin.example", "x y"])
    return st.tuples(spaced(symbols, EMAIL_SEPARATORS, 2, 30), st.just("@"), hosts).map("".join)


def lettered(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= 2


def in_hex(address: IPv4Address | IPv6Address) -> str:
    """Write an address as RFC 5952 does, without a dotted part."""
    groups = [f"{address.packed[i] << 8 | address.packed[i + 1]:x}" for i in range(0, 16, 2)]
    runs = [
        (length, -start)
        for start in range(8)
        for length in range(2, 9 - start)
        if set(groups[start : start + length]) == {"0"}
    ]
    if not runs:
        return ":".join(groups)
    length, start = max(runs)
    return f"{':'.join(groups[:-start])}::{':'.join(groups[-start + length :])}"


@dataclass(frozen=True)
class Case:
    """A format, values that fit it, and the characters that it replaces."""

    name: str
    form: Format
    values: st.SearchStrategy[Any]
    symbols: str = ""


def text_case(name: str, form: Format, symbols: str, separators: str, least: int = 2) -> Case:
    return Case(name, form, spaced(symbols, separators, least, 40), symbols)


CASES = [
    text_case("digits", formats.digits(), DIGITS, " -"),
    text_case("hex", formats.hex(), "0123456789abcdef", ""),
    text_case("HEX", formats.hex(case="upper"), "0123456789ABCDEF", ""),
    text_case("letters", formats.letters(), LOWER + UPPER, " -.'"),
    text_case("letters lower", formats.letters(case="lower"), LOWER, " -.'"),
    text_case("letters upper", formats.letters(case="upper"), UPPER, " -.'"),
    text_case("letters mixed", formats.letters(case="mixed"), LOWER + UPPER, " -.'"),
    text_case("alphanumeric", formats.alphanumeric(), DIGITS + LOWER + UPPER, " -"),
    text_case("alphanumeric lower", formats.alphanumeric(case="lower"), DIGITS + LOWER, " -"),
    text_case("alphanumeric upper", formats.alphanumeric(case="upper"), DIGITS + UPPER, " -"),
    text_case("base64url", formats.base64url(), DIGITS + LOWER + UPPER + "-_", "="),
    text_case("ascii", formats.ascii(), PRINTABLE, ""),
    text_case("DNA", formats.alphabet(alphabet="ACGT", separators="\\\"'"), "ACGT", "\\\"'", 4),
    text_case("keeping", formats.digits(keep_first=2, keep_last=3), DIGITS, " -", 7),
    text_case("keeping plainly", formats.digits(keep_last=4, kept_as_tweak=False), DIGITS, "", 6),
    Case("card", formats.card(), card_numbers(), DIGITS),
    Case("card kept", formats.card(keep_first=6, keep_last=2), card_numbers(), DIGITS),
    Case("ssn", formats.ssn(), spaced(DIGITS, "- ", 9, 9), DIGITS),
    Case(
        "phone",
        formats.phone(),
        st.tuples(st.sampled_from(["", "+"]), spaced(DIGITS, " -()./", 6, 15)).map("".join),
        DIGITS,
    ),
    Case("email", formats.email(), addresses(), DIGITS + LOWER),
    Case(
        "email mixed",
        formats.email(case="mixed"),
        addresses(DIGITS + LOWER + UPPER),
        DIGITS + LOWER + UPPER,
    ),
    Case(
        "email all",
        formats.email(part="all"),
        st.tuples(spaced(DIGITS + LOWER, ".", 1, 9), spaced(DIGITS + LOWER, ".-", 1, 9)).map(
            "@".join
        ),
        DIGITS + LOWER,
    ),
    Case("uuid", formats.uuid(), st.uuids().map(str)),
    Case("uuid plain", formats.uuid(), st.uuids().map(lambda uuid: uuid.hex)),
    Case("UUID", formats.uuid(case="upper"), st.uuids().map(lambda uuid: str(uuid).upper())),
    Case("date", formats.date(), st.dates(date(1900, 1, 1), date(2099, 12, 31))),
    Case("date text", formats.date(), st.dates(date(1900, 1, 1), date(2099, 12, 31)).map(str)),
    Case("integer", formats.integer(min=-500, max=10**6), st.integers(-500, 10**6)),
    Case("integer text", formats.integer(min=-500, max=10**6), st.integers(-500, 10**6).map(str)),
    Case("unicode", formats.unicode(), st.text("abcéßłŐ -ĐẠ", min_size=2).filter(lettered)),
    Case(
        "unicode pairs", formats.unicode(script="hangul"), st.text("각힣김", min_size=1, max_size=9)
    ),
    Case(
        "decimal",
        formats.decimal(min="-10.00", max="99999.99", scale=2),
        st.decimals("-10", "99999.99", places=2).map(lambda d: f"{d + 0:.2f}"),
    ),
    Case(
        "timestamp",
        formats.timestamp(),
        st.datetimes(datetime(1970, 1, 1), datetime(2069, 12, 31)).map(
            lambda t: t.isoformat(timespec="seconds")
        ),
    ),
    Case("imei", formats.imei(luhn="none"), spaced(DIGITS, "- /", 15, 15), DIGITS),
    Case("ipv4", formats.ipv4(), st.ip_addresses(v=4).map(str)),
    Case("ipv4 in a network", formats.ipv4(prefix=20), st.ip_addresses(v=4).map(str)),
    Case("ipv6", formats.ipv6(), st.ip_addresses(v=6).map(in_hex)),
    Case("ipv6 in a network", formats.ipv6(prefix=48), st.ip_addresses(v=6).map(in_hex)),
    Case("integer unsigned", formats.integer(min=0, max=2**64 - 1), st.integers(0, 2**64 - 1)),
]
each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def drawn(case: Case, count: int = 60) -> list[Any]:
    """Values of a case, the same in every run."""
    values: list[Any] = []

    @settings(max_examples=count, derandomize=True, database=None)
    @given(case.values)
    def draw(value: object) -> None:
        values.append(value)

    draw()
    return values[:count]


# What every format promises


@each_case
def test_a_token_is_a_value_of_the_format(case: Case) -> None:
    tool = tokenizer(case.form)

    @given(case.values)
    def check(value: str | int | date) -> None:
        token = tool.protect(value)
        assert type(token) is type(value)
        assert tool.reveal(token) == value
        assert tool.reveal(tool.protect(token)) == token

    check()


@each_case
def test_a_column_has_the_tokens_of_its_values(case: Case) -> None:
    tool, values = tokenizer(case.form), drawn(case)
    column = pa.array([None, *values, None], pa.uint64() if "unsigned" in case.name else None)
    tokens = tool.protect(column)
    assert tokens.type == column.type
    assert tokens.to_pylist() == [None, *map(tool.protect, values), None]
    assert tool.reveal(tokens).equals(column)


@pytest.mark.parametrize("case", [case for case in CASES if case.symbols], ids=lambda c: c.name)
def test_what_is_no_symbol_stays(case: Case) -> None:
    tool = tokenizer(case.form)

    @given(case.values)
    def check(value: str) -> None:
        token = tool.protect(value)
        assert len(token) == len(value)
        end = value.find("@") if case.name in ("email", "email mixed") else len(value)
        assert token[end:] == value[end:]
        for old, new in zip(value[:end], token[:end], strict=True):
            assert new in case.symbols if old in case.symbols else new == old

    check()


@each_case
def test_tokens_depend_on_key_domain_and_direction(case: Case) -> None:
    values = drawn(case)
    columns = [
        [tool.protect(value) for value in values]
        for tool in (
            tokenizer(case.form),
            tokenizer(case.form, namespace="test2"),
            tokenizer(case.form, namespace="other"),
            tokenizer(case.form, key=bytes(16)),
            tokenizer(case.form, key=KEY + bytes(8)),
            tokenizer(case.form, key=KEY + bytes(16)),
        )
    ]
    columns.append([tokenizer(case.form).reveal(value) for value in values if case.name != "card"])
    columns.append(values)
    for i, first in enumerate(columns):
        for second in columns[:i]:
            assert first != second


@each_case
def test_equal_values_have_equal_tokens_whatever_the_key_object(case: Case) -> None:
    values = drawn(case, 10)
    first, second = tokenizer(case.form), Tokenizer(case.form, bytearray(KEY), namespace="test")
    assert [first.protect(v) for v in values] == [second.protect(v) for v in values]


@pytest.mark.parametrize("name", sorted(set(PRESETS) - {"mask", "pseudonym", "bucket", "truncate"}))
def test_the_examples_of_ready_formats_fit(name: str) -> None:
    arguments: dict[str, dict[str, object]] = {
        "alphabet": {"alphabet": "abcdefgh"},
        "integer": {"min": -7, "max": 2000},
        "pattern": {"pattern": "AA-999-A"},
        "national_id": {"kind": "pl.pesel"},
        "decimal": {"min": -7, "max": 2000, "scale": 2},
    }
    form = PRESETS[name](**arguments.get(name, {}))
    assert form.examples
    for sample in form.examples:
        tweak = "of a person" if name == "date_shift" else None
        token = tokenizer(form).protect(sample, tweak)
        assert token != sample and tokenizer(form).reveal(token, tweak) == sample


def test_formats_are_values() -> None:
    for make in (formats.digits, formats.card, formats.date, formats.uuid, formats.email):
        form = make()
        assert form == make() and hash(form) == hash(make())
        assert pickle.loads(pickle.dumps(form)) == form  # noqa: S301
        assert form != formats.iban()


# Identity: what tokens depend on


@pytest.mark.parametrize(
    ("form", "other", "value"),
    [
        *(
            (formats.digits(), other, "123456789")
            for other in (
                formats.digits(separators="/", min_length=3, max_length=99),
                formats.ssn(),
                formats.alphabet(alphabet=DIGITS, separators="-"),
                formats.digits(allow_tiny_domain=True),
                formats.digits(kept_as_tweak=False),
            )
        ),
        (formats.letters(case="lower"), formats.alphabet(alphabet=LOWER), "abcdefghi"),
        (
            formats.email(case="mixed"),
            formats.email(case="mixed", allow_tiny_domain=True),
            "abcdefgh@example.org",
        ),
        (NUMBERS, formats.integer(min=0, max=999, allow_tiny_domain=True), 123),
        (formats.date(), formats.date(notation="DD.MM.YYYY"), date(1987, 6, 5)),
    ],
)
def test_equal_identities_have_equal_tokens(
    form: Format, other: Format, value: str | int | date
) -> None:
    assert list(form.identity) == list(other.identity)
    assert tokenizer(form).protect(value) == tokenizer(other).protect(value)


TEXT_FORMATS = [
    formats.digits(),
    formats.digits(keep_first=1),
    formats.digits(keep_last=1),
    formats.digits(keep_first=1, kept_as_tweak=False),
    formats.digits(keep_last=1, kept_as_tweak=False),
    formats.digits(keep_first=2),
    formats.card(min_length=9),
    formats.card(luhn="invalid", min_length=9),
    formats.card(min_length=9, keep_last=1),
    formats.alphabet(alphabet="1234567890"),
    formats.hex(),
    formats.alphanumeric(),
    formats.ascii(),
]


def test_other_identities_have_other_tokens() -> None:
    values = [f"{i:03}8213{digit}6{i % 10}7" for i, digit in enumerate("0123456789" * 8)]
    values = [value for value in values if luhn_valid(list(map(int, value)))]
    assert len(values) > 4
    columns = [tuple(map(tokenizer(form).protect, values)) for form in TEXT_FORMATS]
    assert len(set(columns)) == len(columns)
    for i, column in enumerate(columns):
        for other in columns[:i]:
            assert sum(a == b for a, b in zip(column, other, strict=True)) <= 1


def test_ranges_are_identities() -> None:
    values = list(range(100, 200))
    columns = [
        tuple(map(tokenizer(formats.integer(min=low, max=high)).protect, values))
        for low, high in ((0, 999), (0, 1000), (1, 999), (1, 1000), (-1, 998), (100, 1099))
    ]
    assert len(set(columns)) == len(columns)
    days = [date(1980, 1, 1) + timedelta(7 * i) for i in range(60)]
    dates = [
        tuple(map(tokenizer(formats.date(first=first, last=last)).protect, days))
        for first in (date(1900, 1, 1), date(1901, 1, 1))
        for last in (date(2099, 12, 31), date(2099, 12, 30))
    ]
    assert len(set(dates)) == len(dates)


# Text against a model of it


@st.composite
def text_formats(draw: st.DrawFn) -> Format:
    keep_last, least = draw(st.integers(0, 3)), draw(st.integers(0, 12))
    common: dict[str, Any] = {
        "keep_first": draw(st.integers(0, 3)),
        "keep_last": keep_last,
        "kept_as_tweak": draw(st.booleans()),
        "min_length": least,
        "max_length": least + draw(st.sampled_from([16, 20, 2**15])),
        "allow_tiny_domain": draw(st.booleans()),
    }
    label = draw(
        st.sampled_from(["alphabet", "digits", "letters", "card", "phone", "email", "uuid"])
    )
    if label == "uuid":
        return formats.uuid(case=draw(st.sampled_from(["lower", "upper"])))
    if label == "email":
        own = {name: common[name] for name in ("kept_as_tweak", "allow_tiny_domain")}
        own["part"] = draw(st.sampled_from(["local", "all"]))
        own["case"] = draw(st.sampled_from(["lower", "mixed"]))
        return PRESETS["email"](**own)
    if label == "alphabet":
        alphabet = "".join(draw(st.permutations(PRINTABLE)))[: draw(st.integers(4, 20))]
        rest = draw(st.permutations([c for c in PRINTABLE if c not in alphabet]))
        return formats.alphabet(alphabet=alphabet, separators="".join(rest[:3]), **common)
    if label == "card":
        common["luhn"] = draw(st.sampled_from(["none", "valid", "invalid"]))
    if label == "letters":
        common["case"] = draw(st.sampled_from(["keep", "lower", "upper", "mixed"]))
    separators = draw(st.permutations(" -.'/_"))
    return PRESETS[label](separators="".join(separators[:3]), **common)


@st.composite
def texts(draw: st.DrawFn, form: TextModel) -> str:
    symbols = form.alphabet + (form.alphabet.upper() if form.fold else "")
    most = draw(st.sampled_from([6, 25, 80]))
    body = draw(st.lists(st.sampled_from(symbols), max_size=most))
    for extra in (form.delimiter, form.separators, form.separators):
        if extra:
            place = draw(st.integers(0, len(body)))
            body.insert(place, draw(st.sampled_from(extra)))
    if form.leading and draw(st.booleans()):
        body.insert(0, form.leading[0])
    text = "".join(body)
    if draw(st.integers(0, 5)) == 0:
        place = draw(st.integers(0, len(text)))
        wrong = draw(st.sampled_from(["é", "\0", "\n", *form.leading, *form.delimiter, *PRINTABLE]))
        text = text[:place] + wrong + text[place:]
    if form.luhn != "none" and draw(st.integers(0, 3)):
        text = mended(form, text)
    return text


def mended(form: TextModel, text: str) -> str:
    """Make the check digit right, by trying."""
    places = [i for i, character in enumerate(text) if character in DIGITS]
    for place in reversed(places):
        for digit in DIGITS:
            tried = text[:place] + digit + text[place + 1 :]
            if expected(form, tried, None) != {Reason.CHECK}:
                return tried
    return text


def expected(
    form: TextModel, value: str, own: bytes | None, *, decrypt: bool = False
) -> str | set[Reason]:
    """Return the model's token or, of an invalid value, every reason that it has."""
    try:
        return form.run(value, Tokens(KEY, "ü", own, reveal=decrypt))
    except InvalidError as error:
        return {list(Reason)[reason - 1] for reason in error.reasons}


@pytest.mark.slow
@settings(max_examples=400)
@given(data=st.data(), form=text_formats())
def test_text_is_transformed_as_documented(data: st.DataObject, form: Format) -> None:
    model = model_of({"type": form.label, **form.options})
    assert isinstance(model, TextModel)
    values = data.draw(st.lists(texts(model), min_size=1, max_size=6))
    # What is asked for is the outcome, before anything is done with what does not fit.
    tool, own_tweaks = tokenizer(form, namespace="ü"), data.draw(st.booleans())
    owns = data.draw(
        st.lists(
            st.none() | st.binary(max_size=20) if own_tweaks else st.just(b""),
            min_size=len(values),
            max_size=len(values),
        )
    )
    column = pa.array(values, data.draw(st.sampled_from([pa.string(), pa.large_string()])))
    decrypt = data.draw(st.booleans())
    outcome = tool.outcome(
        column, pa.array(owns, pa.binary()) if own_tweaks else None, decrypt=decrypt
    )
    for value, own, token, status in zip(
        values, owns, outcome.array.to_pylist(), outcome.status, strict=True
    ):
        right = expected(model, value, own or b"" if own_tweaks else None, decrypt=decrypt)
        if own is None:  # a null where a tweak should be
            right = {Reason.TWEAK} | (set() if isinstance(right, str) else right)
        if isinstance(right, str):
            assert (status, token) == (0, right)
        else:
            assert list(Reason)[status - 1] in right
            assert token == value


@pytest.mark.parametrize(
    ("alphabet", "length"), [("ACGT", 4), ("ACGT", 5), (DIGITS, 2), (DIGITS, 3), ("abcdefghij", 2)]
)
def test_a_small_domain_is_permuted(alphabet: str, length: int) -> None:
    places = [len(alphabet) ** i for i in range(length)]
    every = [
        "".join(alphabet[n // place % len(alphabet)] for place in places)
        for n in range(len(alphabet) ** length)
    ]
    tokens = tokenizer(formats.alphabet(alphabet=alphabet)).protect(pa.array(every)).to_pylist()
    assert tokens != every and sorted(tokens) == sorted(every)


def test_case_stays_with_its_place() -> None:
    token = tokenizer(formats.letters()).protect("Anne-Marie O'NEILL iii")
    assert [c.isupper() for c in token] == [c.isupper() for c in "Anne-Marie O'NEILL iii"]
    assert token.lower() == tokenizer(formats.letters()).protect("anne-marie o'neill iii")
    assert token.upper() == tokenizer(formats.letters()).protect("ANNE-MARIE O'NEILL III")


def test_kept_symbols_stay() -> None:
    tool = tokenizer(formats.digits(keep_first=3, keep_last=2))
    token = tool.protect("1-2 34567-8 9")
    assert token[:5] == "1-2 3" and token[-3:] == "8 9" and token[9] == "-"
    assert token[5:9] != "4567"


@pytest.mark.parametrize(
    "form", [formats.digits(), formats.date(), formats.integer(min=0, max=999), formats.timestamp()]
)
def test_what_a_value_lacks_is_reported_before_its_tweak(form: Format) -> None:
    tool = tokenizer(form)
    for tweak in (None, "x" * 1024):
        tweaks = pa.array([tweak, tweak], pa.string())
        with pytest.raises(InvalidValueError, match="row 0: its tweak is null, too long"):
            tool.protect(pa.array([form.examples[0], "?"]), tweaks)
        with pytest.raises(InvalidValueError, match=r"row 0: it (has|is)"):
            tool.protect(pa.array(["?", form.examples[0]]), tweaks)


def test_what_is_kept_is_part_of_the_tweak_unless_disabled() -> None:
    for as_tweak in (True, False):
        tool = tokenizer(formats.digits(keep_first=2, keep_last=2, kept_as_tweak=as_tweak))
        middles = {
            tool.protect(f"{a}12345678{b}")[2:-2] for a in ("00", "17") for b in ("00", "99")
        }
        assert len(middles) == (4 if as_tweak else 1)
        hosts = tokenizer(formats.email(kept_as_tweak=as_tweak))
        locals_ = {
            hosts.protect(f"jane.doe.99@{host}").split("@")[0] for host in ("a.org", "b.org")
        }
        assert len(locals_) == (2 if as_tweak else 1)


def test_a_uuid_keeps_version_and_variant() -> None:
    token = tokenizer(formats.uuid()).protect("f81d4fae-7dec-41d0-a765-00a0c91e6bf6")
    assert (token[14], token[19]) == ("4", "a")
    assert [i for i, c in enumerate(token) if c == "-"] == [8, 13, 18, 23]
    bare = tokenizer(formats.uuid()).protect("f81d4fae7dec41d0a76500a0c91e6bf6")
    assert bare == token.replace("-", "")


def test_a_phone_number_keeps_its_plus() -> None:
    tool = tokenizer(formats.phone())
    token = tool.protect("+1 (202) 555-0143")
    assert token[0] == "+" and token.translate(str.maketrans("", "", DIGITS)) == "+ () -"
    assert tool.protect("12025550143") == "".join(c for c in token if c in DIGITS)


# Cards


def digits_of(text: str) -> list[int]:
    return [int(character) for character in text if character in DIGITS]


@given(value=card_numbers(), first=st.integers(0, 6), last=st.integers(0, 3))
def test_card_tokens_have_the_check_digit_asked_for(value: str, first: int, last: int) -> None:
    valid = tokenizer(formats.card(keep_first=first, keep_last=last))
    invalid = tokenizer(formats.card(keep_first=first, keep_last=last, luhn="invalid"))
    assert luhn_valid(digits_of(valid.protect(value)))
    token = invalid.protect(value)
    assert not luhn_valid(digits_of(token))
    assert invalid.reveal(token) == value
    for tool in (valid, invalid):
        kept, of = digits_of(tool.protect(value)), digits_of(value)
        assert kept[:first] == of[:first] and kept[len(kept) - last :] == of[len(of) - last :]


@pytest.mark.parametrize("luhn", ["valid", "invalid"])
def test_all_cards_of_a_small_domain_are_permuted(luhn: Literal["valid", "invalid"]) -> None:
    form = formats.card(luhn=luhn, min_length=0)
    every = [f"{number:04}" for number in range(10**4)]
    valid = [number for number in every if luhn_valid(digits_of(number))]
    assert len(valid) == 1000
    tokens = tokenizer(form).protect(pa.array(valid)).to_pylist()
    assert len(set(tokens)) == 1000
    assert {luhn_valid(digits_of(token)) for token in tokens} == {luhn == "valid"}
    assert tokenizer(form).reveal(pa.array(tokens)).to_pylist() == valid
    counts = Counts()
    tokenizer(form, on_invalid="null").transform(pa.array(every), decrypt=False, counts=counts)
    assert counts.invalid == {Reason.CHECK: 9000}
    counts = Counts()
    tokenizer(form, on_invalid="null").transform(pa.array(every), decrypt=True, counts=counts)
    assert counts.invalid == {Reason.CHECK: 9000}


@given(value=card_numbers(), change=st.integers(1, 9), place=st.integers(0, 18))
def test_a_wrong_check_digit_does_not_fit(value: str, change: int, place: int) -> None:
    places = [i for i, character in enumerate(value) if character in DIGITS]
    at = places[place % len(places)]
    wrong = value[:at] + str((int(value[at]) + change) % 10) + value[at + 1 :]
    assume(not luhn_valid(digits_of(wrong)))
    for luhn in ("valid", "invalid"):
        assert reason_of(PRESETS["card"](luhn=luhn), wrong) == Reason.CHECK
    assert reason_of(formats.card(), wrong, reveal=True) == Reason.CHECK
    assert reason_of(formats.card(luhn="invalid"), value, reveal=True) == Reason.CHECK


# Values that do not fit


UNSIGNED = formats.integer(min=0, max=2**64 - 1)
UUID = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"
INVALID: list[tuple[Format, Reason, list[str] | list[int] | list[date]]] = [
    (formats.digits(), Reason.SHORT, ["", "7", " - "]),
    (
        formats.digits(),
        Reason.FOREIGN,
        ["12.34", "12a34", "1234\n", "12\x0034", "\uff11\uff12\uff13"],
    ),
    (formats.digits(min_length=5), Reason.SHORT, ["1234"]),
    (formats.digits(max_length=5), Reason.LONG, ["123456"]),
    (formats.digits(), Reason.LONG, ["1" * 1025]),
    (formats.digits(max_length=2**16), Reason.LONG, ["1" * (2**16 + 1)]),
    (formats.digits(keep_first=3, keep_last=3), Reason.SHORT, ["1234567", "123"]),
    (formats.digits(keep_last=1100, max_length=2000), Reason.TWEAK, ["1" * 1200]),
    (formats.hex(), Reason.FOREIGN, ["ABCDEF"]),
    (formats.hex(case="upper"), Reason.FOREIGN, ["abcdef"]),
    (formats.letters(), Reason.FOREIGN, ["Müller"]),
    (formats.letters(), Reason.SHORT, ["a"]),
    (formats.letters(case="lower"), Reason.FOREIGN, ["Anne"]),
    (formats.base64url(), Reason.FOREIGN, ["abc+/d"]),
    (formats.ascii(), Reason.FOREIGN, ["tab\tbed", "delete\x7f"]),
    (formats.alphabet(alphabet="ACGT"), Reason.SHORT, ["ACG"]),
    (formats.alphabet(alphabet="ACGT"), Reason.FOREIGN, ["ACGU"]),
    (formats.card(), Reason.CHECK, ["4111 1111 1111 1112"]),
    (formats.card(), Reason.SHORT, ["41111111112"]),
    (formats.card(), Reason.LONG, ["4" * 20]),
    (formats.card(max_length=100), Reason.LONG, ["0" * 65]),
    (formats.ssn(), Reason.SHORT, ["078-05-112"]),
    (formats.ssn(), Reason.LONG, ["078-05-11200"]),
    (formats.ssn(), Reason.FOREIGN, ["078/05/1120"]),
    (formats.phone(), Reason.FOREIGN, ["1+2025550143", " +12025550143", "++12025550143"]),
    (formats.phone(), Reason.SHORT, ["+12345"]),
    (formats.phone(), Reason.LONG, ["+1234567890123456"]),
    (formats.email(), Reason.DELIMITER, ["jane.doe", "jane@doe@example.org"]),
    (formats.email(part="all"), Reason.DELIMITER, ["jane@doe@example.org"]),
    (formats.email(), Reason.FOREIGN, ["Jane@example.org", "jane doe@example.org"]),
    (formats.email(), Reason.SHORT, ["j@example.org", "@example.org"]),
    (formats.email(), Reason.TWEAK, ["jane@" + "x" * 1000]),
    (formats.email(part="all"), Reason.FOREIGN, ["jane@Example.org"]),
    (formats.uuid(), Reason.SHORT, [UUID[:-1]]),
    (formats.uuid(), Reason.LONG, [UUID + "6"]),
    (formats.uuid(), Reason.FOREIGN, [f"{{{UUID}}}", UUID.upper()]),
    (formats.date(), Reason.NOTATION, ["", "2001-1-11", "2001-01-011", "2001/01/01", "20o1-01-01"]),
    (formats.date(), Reason.NOTATION, ["2001-00-01", "2001-13-01", "2001-01-00", "2001-01-32"]),
    (formats.date(), Reason.NOTATION, ["2001-04-31", "0000-01-01", "2001-01-0é"]),
    (formats.date(), Reason.RANGE, ["1899-12-31", "2100-01-01"]),
    (formats.date(), Reason.RANGE, [date(1899, 12, 31), date(2100, 1, 1), date.min, date.max]),
    (NUMBERS, Reason.RANGE, [-1, 1000, 2**63 - 1, -(2**63), 2**63, 2**200]),
    (UNSIGNED, Reason.RANGE, [-1, 2**64]),
    (NUMBERS, Reason.RANGE, ["1000", "-1", "9" * 18]),
    (NUMBERS, Reason.NOTATION, ["9" * 19, "007", "+7", "", "-", " 7", "7\n", "7\n8", "7.0", "1e2"]),
    (NUMBERS, Reason.NOTATION, ["\u0667"]),
    (formats.integer(min=-9999, max=999), Reason.NOTATION, ["-0"]),
]


@pytest.mark.parametrize(
    ("form", "value", "reason"),
    [(form, value, reason) for form, reason, values in INVALID for value in values],
    ids=lambda argument: None if isinstance(argument, Format) else repr(argument)[:40],
)
def test_a_value_that_does_not_fit(form: Format, value: str | int | date, reason: Reason) -> None:
    for reveal in (False, True):
        assert reason_of(form, value, reveal=reveal) == reason
    if not form.forbids_keep:
        assert tokenizer(form, on_invalid="keep").protect(value) == value
    assert tokenizer(form, on_invalid="null").protect(value) is None


@pytest.mark.parametrize(
    "form",
    [
        formats.card(luhn="invalid"),
        formats.email(part="all", at="tokens.invalid"),
        formats.ipcrypt(mode="nd"),
        formats.ipcrypt(mode="ndx"),
    ],
    ids=lambda form: form.label,
)
def test_a_kept_value_is_never_taken_for_a_token(form: Format) -> None:
    key = bytes(range(form.key_size or 16))
    with pytest.raises(ParameterError, match="could be taken for a token"):
        Tokenizer(form, key, namespace="n", on_invalid="keep")


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (formats.mask(), "abc"),
        (formats.bucket(width=10), 15),
        (formats.truncate(characters=1), "ab"),
    ],
    ids=["mask", "bucket", "truncate"],
)
def test_a_format_without_a_key_takes_no_tweak(form: Format, value: str | int) -> None:
    one_way = Tokenizer(form, None, namespace="")
    with pytest.raises(ParameterError, match="takes no tweak"):
        one_way.protect(pa.array([value]), pa.array(["t"]))
    if isinstance(value, str):
        with pytest.raises(ParameterError, match="takes no tweak"):
            one_way.protect(value, "t")


@pytest.mark.parametrize(
    ("form", "fitting"),
    [
        (formats.digits(), ["12", "1" * 1024]),
        (formats.digits(max_length=2**16), ["1" * 2**16]),
        (formats.digits(max_length=5), ["1-2-3-4-5"]),
        (formats.digits(keep_first=3, keep_last=3), ["12345678"]),
        (formats.alphabet(alphabet="ACGT"), ["ACGT"]),
        (formats.alphabet(alphabet="ACGT", allow_tiny_domain=True), ["AC"]),
        (formats.phone(), ["+123456", "123456789012345"]),
        (formats.email(), ["jd@", "jd@" + "x" * 700]),
        (formats.email(part="all"), ["@jd"]),
        (formats.card(max_length=64), ["0" * 64]),
    ],
    ids=lambda argument: argument.label if isinstance(argument, Format) else "",
)
def test_the_ends_of_what_fits(form: Format, fitting: list[str]) -> None:
    tool = tokenizer(form)
    for value in fitting:
        assert tool.reveal(tool.protect(value)) == value


@pytest.mark.parametrize("length", [2, 100, 1024])
def test_the_longest_length_changes_no_token(length: int) -> None:
    for make, value in ((formats.digits, "7" * length), (formats.unicode, "é" * length)):
        tokens = {tokenizer(make(max_length=most)).protect(value) for most in (1024, 2**16)}
        assert tokens == {tokenizer(make()).protect(value)}


def test_which_tokens_may_be_formulas() -> None:
    text = [formats.ascii(), formats.base64url(), formats.alphabet(alphabet="abc+")]
    assert all(form.may_be_formula for form in (*text, formats.pseudonym(notation="base64url")))
    others = [formats.digits(), formats.phone(), formats.ascii(keep_first=1), formats.pseudonym()]
    assert not any(form.may_be_formula for form in (*others, formats.integer(min=-500, max=500)))


# Dates

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)
NOTATIONS: dict[str, str] = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "YYYYMMDD": "%Y%m%d",
    "DD.MM.YYYY": "%d.%m.%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
    "DDMMYYYY": "%d%m%Y",
    "[DD] MM, YYYY!": "[%d] %m, %Y!",
    "YYYY-DD-MM": "%Y-%d-%m",
    "DYYYYYMMMDDD": "D%YY%mM%dD",
}


@given(days=st.lists(st.dates(FIRST, LAST) | st.sampled_from([FIRST, LAST]), min_size=1))
def test_a_date_has_one_token_in_every_type_and_notation(days: list[date]) -> None:
    column = pa.array([*days, None], pa.date32())
    tokens = tokenizer(formats.date()).protect(column)
    assert all(FIRST <= day <= LAST for day in tokens.to_pylist()[:-1])
    wide = tokenizer(formats.date()).protect(column.cast(pa.date64()))
    assert wide.type == pa.date64() and wide.cast(pa.date32()).equals(tokens)
    for notation, directive in NOTATIONS.items():
        for kind in (pa.string(), pa.large_string()):
            tool = tokenizer(formats.date(notation=notation))
            text = pa.array([day.strftime(directive) for day in days] + [None], kind)
            expected = [day and day.strftime(directive) for day in tokens.to_pylist()]
            assert tool.protect(text).equals(pa.array(expected, kind))
            assert tool.reveal(tool.protect(text)).equals(text)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_day_of_years_around_leap_days_is_permuted(notation: str) -> None:
    for year in (1900, 1904, 1999, 2000, 2096):
        days = [date(year, 1, 1) + timedelta(i) for i in range(366 if isleap(year) else 365)]
        assert days[-1] == date(year, 12, 31)
        form = formats.date(first=days[0], last=days[-1], notation=notation)
        text = [day.strftime(NOTATIONS[notation]) for day in days]
        tokens = tokenizer(form).protect(pa.array(text)).to_pylist()
        assert tokens != text and sorted(tokens) == sorted(text)


@pytest.mark.parametrize("year", [1900, 1901, 1904, 2000, 2023, 2024, 2096])
def test_leap_days_exist_in_leap_years_only(year: int) -> None:
    tool, day = tokenizer(formats.date()), f"{year}-02-29"
    if isleap(year):
        assert tool.reveal(tool.protect(day)) == day
    else:
        assert reason_of(formats.date(), day) == Reason.NOTATION
    assert tool.reveal(tool.protect(f"{year}-02-28")) == f"{year}-02-28"


def test_every_date_that_python_has_and_its_text() -> None:
    form = formats.date(first=date.min, last=date.max)
    every = pa.array(np.arange(date.min.toordinal(), date.max.toordinal() + 1) - 719163, pa.int32())
    days = every.cast(pa.date32())
    tokens = tokenizer(form).protect(days)
    np.testing.assert_array_equal(np.sort(tokens.cast(pa.int32())), every)
    for kind in (pa.string(), pa.large_string()):
        text = days.cast(pa.string()).cast(kind)
        assert text[0].as_py() == str(date.min) and text[-1].as_py() == str(date.max)
        written = tokenizer(form).protect(text)
        assert written.equals(tokens.cast(pa.string()).cast(kind))
        assert tokenizer(form).reveal(written).equals(text)


def test_a_notation_has_64_characters_at_most() -> None:
    tool = tokenizer(formats.date(notation="YYYY" + "-" * 56 + "MMDD"))
    day = "2000" + "-" * 56 + "0229"
    assert len(day) == 64 and tool.reveal(tool.protect(day)) == day != tool.protect(day)
    with pytest.raises(FormatError, match="at most 64 characters"):
        formats.date(notation="YYYY" + "-" * 57 + "MMDD")


RANKED: dict[str, tuple[Format, st.SearchStrategy[Any], pa.DataType]] = {
    "date": (formats.date(), st.dates(date(1890, 1, 1), date(2110, 1, 1)), pa.date32()),
    "date text": (
        formats.date(),
        st.dates(date(1890, 1, 1), date(2110, 1, 1)).map(str) | st.text("0123-", max_size=11),
        pa.string(),
    ),
    "integer": (formats.integer(min=-9, max=10**6), st.integers(-12, 10**6 + 3), pa.int64()),
    "integer text": (
        formats.integer(min=-9, max=10**6),
        st.integers(-12, 10**6 + 3).map(str) | st.text("0123-", max_size=8),
        pa.large_string(),
    ),
}


@pytest.mark.parametrize("name", RANKED)
@given(data=st.data())
def test_rows_of_a_column_are_ranked_one_by_one(name: str, data: st.DataObject) -> None:
    form, values, kind = RANKED[name]
    tweak = st.none() | st.sampled_from(["", "a", "b"]) | st.text(max_size=3) | st.just("x" * 1024)
    rows = data.draw(st.lists(st.tuples(st.none() | values, tweak), min_size=1, max_size=30))
    start = data.draw(st.integers(0, len(rows) - 1))
    column = pa.array([value for value, _ in rows], kind)[start:]
    tweaks = pa.array([tweak for _, tweak in rows], pa.string())[start:]
    tool = tokenizer(form, on_invalid="keep")
    for own in (None, tweaks):
        counts = Counts()
        tokens = tool.transform(column, own, decrypt=False, counts=counts)
        tokens.validate(full=True)
        lone: Counts = Counts()
        expected = [
            tool.transform(
                column[i : i + 1],
                None if own is None else own[i : i + 1],
                decrypt=False,
                counts=lone,
            )[0].as_py()
            for i in range(len(column))
        ]
        assert tokens.type == kind and tokens.to_pylist() == expected
        assert (counts.invalid, counts.nulls) == (lone.invalid, lone.nulls)
        if not counts.invalid:
            assert tool.reveal(tokens, own).equals(column)


def test_nothing_is_passed_on_under_a_null_of_integers_as_text() -> None:
    text = pa.array(["12", "345678", "9"])
    offsets, values = text.buffers()[1:]
    hidden = pa.Array.from_buffers(
        pa.string(), 3, [pa.py_buffer(bytes([0b101])), offsets, values], 1
    )
    tokens = tokenizer(formats.integer(min=0, max=10**6)).protect(hidden)
    expected = tokenizer(formats.integer(min=0, max=10**6)).protect(pa.array(["12", "9"]))
    assert tokens.to_pylist() == [expected[0].as_py(), None, expected[1].as_py()]
    assert tokens.buffers()[2].to_pybytes() == "".join(expected.to_pylist()).encode()


def permuted(size: int, numbers: npt.NDArray[np.uint64], form: Format) -> npt.NDArray[np.uint64]:
    """Encrypt numbers of a range as a column of the format is."""
    cipher = FastCipher(KEY, range_radix(size))
    return cipher.encrypt_range(size, numbers, tweak_of(form, "test", rows=False))


def test_dates_are_permuted_as_their_distance_from_the_first() -> None:
    form = formats.date(first=date(2000, 2, 28), last=date(2001, 1, 1))
    offsets = np.array([0, 1, 2, 309 - 1], np.uint64)
    tool = tokenizer(form)
    expected = permuted(309, offsets, form)
    days = pa.array([date(2000, 2, 28), date(2000, 2, 29), date(2000, 3, 1), date(2001, 1, 1)])
    assert form.smallest_domain == 309
    assert tool.protect(days).to_pylist() == [
        date(2000, 2, 28) + timedelta(int(offset)) for offset in expected
    ]


DAY = 86_400_000


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()])
def test_dates_that_no_calendar_has(kind: pa.DataType) -> None:
    width = pa.int32() if kind == pa.date32() else pa.int64()
    extremes = [-(2 ** (width.bit_width - 1)), 2 ** (width.bit_width - 1) - 1]
    raw = pa.array([*extremes, 0, None], width)
    counts = Counts()
    tool = tokenizer(formats.date(), on_invalid="keep")
    result = tool.transform(raw.view(kind), decrypt=False, counts=counts).view(width)
    assert result[:2].equals(raw[:2]) and result[2] != raw[2] and not result[3].is_valid
    assert counts.invalid.total() == 2


def test_milliseconds_that_are_no_whole_day_do_not_fit() -> None:
    raw = pa.array([5 * DAY, 5 * DAY + 1, 6 * DAY - 1, -DAY, -1, DAY * (2**32 + 5), None])
    counts = Counts()
    tool = tokenizer(formats.date(), on_invalid="keep")
    result = tool.transform(raw.view(pa.date64()), decrypt=False, counts=counts).view(pa.int64())
    assert counts.invalid == {Reason.NOTATION: 3, Reason.RANGE: 1}
    changed = [a != b for a, b in zip(raw.to_pylist(), result.to_pylist(), strict=True)]
    assert changed == [True, False, False, True, False, False, False]
    tool = tokenizer(formats.date(), on_invalid="null")
    result = tool.protect(raw.view(pa.date64()))
    assert [value.is_valid for value in result] == [True, False, False, True, False, False, False]


@pytest.mark.parametrize(
    "notation", ["YYYY", "YY-MM-DD", "MM-DD-MM-YYYY", "YYYY\tMM\tDD", "YYYYYYYYMMDD"]
)
def test_notations_that_are_none(notation: str) -> None:
    with pytest.raises(FormatError, match="notation"):
        formats.date(notation=notation)


# Integers

INTEGER_TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
INTEGER_TYPES += [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


def limits(kind: pa.DataType) -> tuple[int, int]:
    info = np.iinfo(kind.to_pandas_dtype())
    return int(info.min), int(info.max)


def test_an_integer_has_one_token_in_every_type() -> None:
    form = formats.integer(min=0, max=99)
    values = [*range(100), None]
    columns = [tokenizer(form).protect(pa.array(values, kind)) for kind in INTEGER_TYPES]
    assert [column.type for column in columns] == INTEGER_TYPES
    first = columns[0].to_pylist()
    assert sorted(first[:-1]) == list(range(100)) and first[-1] is None
    assert all(column.to_pylist() == first for column in columns)
    for kind in (pa.string(), pa.large_string()):
        text = pa.array([*map(str, range(100)), None], kind)
        token = tokenizer(form).protect(text)
        assert token.type == kind
        assert token.to_pylist() == [*map(str, first[:-1]), None]
        assert tokenizer(form).reveal(token).equals(text)


@pytest.mark.parametrize("kind", INTEGER_TYPES, ids=str)
def test_the_whole_range_of_a_type(kind: pa.DataType) -> None:
    low, high = limits(kind)
    form = formats.integer(min=low, max=high)
    values = sorted({low, low + 1, -1, 0, 1, high // 2, high - 1, high} - set(range(-1, low)))
    column = pa.array([*values, None], kind)
    tokens = tokenizer(form).protect(column)
    assert tokens.type == kind and len(set(tokens.to_pylist())) == len(column)
    assert tokenizer(form).reveal(tokens).equals(column)
    for value, token in zip(values, tokens.to_pylist(), strict=False):
        assert tokenizer(form).protect(value) == token
        assert tokenizer(form).reveal(token) == value
    if kind.bit_width == 8:
        every = pa.array(range(low, high + 1), kind)
        assert sorted(tokenizer(form).protect(every).to_pylist()) == every.to_pylist()


@given(data=st.data(), kind=st.sampled_from(INTEGER_TYPES))
def test_integers_are_permuted_as_their_distance_from_the_least(
    data: st.DataObject, kind: pa.DataType
) -> None:
    lowest, highest = limits(kind)
    low = data.draw(st.integers(lowest, highest - 99))
    high = data.draw(st.integers(low + 99, highest))
    form = formats.integer(min=low, max=high)
    values = data.draw(st.lists(st.integers(low, high) | st.sampled_from([low, high])))
    tool = tokenizer(form)
    ranks = np.array([value - low for value in values], np.uint64)
    expected = permuted(high - low + 1, ranks, form)
    tokens = tool.protect(pa.array(values, kind))
    assert tokens.to_pylist() == [low + int(rank) for rank in expected]
    assert tool.reveal(tokens).to_pylist() == values


@pytest.mark.parametrize("kind", INTEGER_TYPES, ids=str)
def test_integers_just_outside_the_range(kind: pa.DataType) -> None:
    low, high = limits(kind)
    form, counts = formats.integer(min=low + 3, max=high - 2), Counts()
    values = [low, low + 2, low + 3, high - 2, high - 1, high]
    tool = tokenizer(form, on_invalid="keep")
    result = tool.transform(pa.array(values, kind), decrypt=False, counts=counts).to_pylist()
    assert counts.invalid == {Reason.RANGE: 4}
    assert [result[i] for i in (0, 1, 4, 5)] == [values[i] for i in (0, 1, 4, 5)]
    assert tool.reveal(result[2]) == low + 3 and tool.reveal(result[3]) == high - 2


@pytest.mark.parametrize(
    ("low", "high", "kinds"),
    [
        (0, 127, "int8 int16 int32 int64 uint8 uint16 uint32 uint64 string large_string double"),
        (-1, 127, "int8 int16 int32 int64 string large_string double"),
        (0, 128, "int16 int32 int64 uint8 uint16 uint32 uint64 string large_string double"),
        (-129, 127, "int16 int32 int64 string large_string double"),
        (0, 256, "int16 int32 int64 uint16 uint32 uint64 string large_string double"),
        (0, 2**32, "int64 uint64 string large_string double"),
        (-(10**18) + 1, 10**18 - 1, "int64 string large_string"),
        (-(10**18), 0, "int64"),
        (0, 10**18, "int64 uint64"),
        (0, 2**63, "uint64"),
        (2**64 - 200, 2**64 - 1, "uint64"),
        (-1, 2**63, ""),
    ],
)
def test_the_columns_that_hold_a_range(low: int, high: int, kinds: str) -> None:
    form = formats.integer(min=low, max=high)
    others = [pa.float64(), pa.bool_(), pa.date32(), pa.binary(4), pa.null(), pa.decimal128(5)]
    every = [*INTEGER_TYPES, pa.string(), pa.large_string(), *others, pa.timestamp("s")]
    assert " ".join(str(kind) for kind in every if form.accepts(kind)) == kinds


def test_text_of_the_widest_range() -> None:
    form = formats.integer(min=-(10**18) + 1, max=10**18 - 1)
    values = ["-999999999999999999", "999999999999999999", "0", "-1", "1"]
    tokens = tokenizer(form).protect(pa.array(values))
    assert tokenizer(form).reveal(tokens).to_pylist() == values
    assert tokens.to_pylist() == [str(tokenizer(form).protect(int(value))) for value in values]


@pytest.mark.parametrize(
    ("low", "high"),
    [(5, 5), (6, 5), (-(2**63) - 1, 0), (0, 2**64), (-1, 2**64 - 1), (-(2**63), 2**63)],
)
def test_ranges_that_are_none(low: int, high: int) -> None:
    with pytest.raises(FormatError, match="integer"):
        formats.integer(min=low, max=high, allow_tiny_domain=True)


# Domains


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda **options: formats.integer(min=1, max=99, **options), "allow_tiny_domain"),
        (lambda **options: formats.integer(min=0, max=1, **options), "allow_tiny_domain"),
        (
            lambda **options: formats.date(first=FIRST, last=FIRST + timedelta(98), **options),
            "allow_tiny_domain",
        ),
        (lambda **options: formats.alphabet(alphabet="ACGT", max_length=3, **options), "than 4"),
        (
            lambda **options: formats.alphabet(alphabet="012345678", max_length=2, **options),
            "than 3",
        ),
    ],
)
def test_a_tiny_domain_must_be_allowed(make: Callable[..., Format], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        make()
    size = make(allow_tiny_domain=True).smallest_domain
    assert size is not None and size < 100


def test_a_hundred_values_are_no_tiny_domain() -> None:
    assert formats.integer(min=0, max=99).smallest_domain == 100
    assert formats.date(first=FIRST, last=FIRST + timedelta(99)).smallest_domain == 100
    assert formats.ssn(keep_last=7).smallest_domain == 100
    assert formats.digits().smallest_domain == 100
    assert formats.alphabet(alphabet="ACGT").smallest_domain == 256
    assert formats.alphabet(alphabet="ACGT", allow_tiny_domain=True).smallest_domain == 16


@pytest.mark.parametrize("size", [2, 3, 10, 16, 17, 99])
def test_a_tiny_domain_that_is_allowed_is_permuted(size: int) -> None:
    form = formats.integer(min=-1, max=size - 2, allow_tiny_domain=True)
    every = pa.array(range(-1, size - 1))
    tokens = tokenizer(form).protect(every)
    assert sorted(tokens.to_pylist()) == every.to_pylist()
    assert tokenizer(form).reveal(tokens).equals(every)


@pytest.mark.parametrize(
    ("form", "values", "small"),
    [
        (formats.digits(), ["12", "12345", "1-2-3-4-5", "123456", None, "x", "1"], 3),
        (formats.digits(keep_last=4), ["123456789", "1234567890"], 1),
        (formats.card(), ["000000000000", "4111111111111111"], 0),
        (formats.card(keep_first=6), ["000000000000", "0000000000000"], 1),
        (formats.letters(), ["abcd", "abcde"], 1),
        (formats.hex(), ["abcd", "abcde"], 1),
        (formats.alphabet(alphabet="ACGT"), ["A" * 9, "A" * 10], 1),
        (formats.email(), ["jane@x", "jan@x", "jd@x", "x"], 2),
        (formats.date(), ["2001-01-01", "2001-02-29", None], 1),
        (formats.integer(min=0, max=999_998), [1, 2, None, -1], 2),
        (formats.integer(min=0, max=999_999), [1, 2, None, -1], 0),
    ],
)
def test_rows_of_a_small_domain_are_counted(
    form: Format, values: list[str | None], small: int
) -> None:
    counts = Counts()
    tool = tokenizer(form, on_invalid="null")
    tokens = tool.transform(pa.array(values), decrypt=False, counts=counts)
    invalid = counts.invalid.total()
    assert (counts.rows, counts.nulls) == (len(values), values.count(None))
    assert counts.small == small
    assert tokens.null_count == counts.nulls + invalid
    tool.transform(tokens, decrypt=True, counts=counts)
    assert counts.small == 2 * small


# Formats that can't be, beside those of the vectors (test_format_vectors.py)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: formats.alphabet(alphabet="ABC"), "4..95 distinct"),
        (lambda: formats.alphabet(alphabet="ABCDA"), "4..95 distinct"),
        (lambda: formats.alphabet(alphabet=PRINTABLE + "é"), "4..95 distinct"),
        (lambda: formats.alphabet(alphabet="abc\n"), "printable ASCII"),
        (lambda: formats.digits(separators="5"), "given twice"),
        (lambda: formats.digits(keep_last=2**16), "to encrypt"),
        (lambda: formats.digits(keep_last=2**40), "to encrypt"),
        (lambda: formats.card(max_length=12, keep_first=10), "to encrypt"),
        (lambda: formats.card(luhn="maybe"), "luhn"),  # type: ignore[arg-type]
        (lambda: formats.letters(case="UPPER"), "must be '"),  # type: ignore[arg-type]
        (lambda: formats.date(first=LAST, last=FIRST), "before"),
        (lambda: formats.date(first=LAST, last=LAST), "before"),
    ],
)
def test_formats_that_can_not_be(make: Callable[[], Format], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        make()


@pytest.mark.parametrize(
    ("form", "column"),
    [
        (formats.digits(), pa.array([123456])),
        (formats.digits(), pa.array([b"123456"], pa.binary(6))),
        (formats.digits(), pa.array([123.5])),
        (formats.digits(), pa.array([["123456"]])),
        (formats.digits(), pa.array([date(2001, 1, 1)])),
        (formats.digits(), pa.array([123456]).dictionary_encode()),
        (formats.date(), pa.array([20010101])),
        (formats.date(), pa.array([0], pa.timestamp("s"))),
        (formats.integer(min=0, max=999), pa.array([1], pa.int8())),
        (formats.integer(min=0, max=999), pa.array([True])),
    ],
)
def test_columns_of_another_type_are_refused(form: Format, column: pa.Array) -> None:
    with pytest.raises(
        ParameterError, match=r"can't be used for a column of type|int8 can't hold the range"
    ):
        tokenizer(form).protect(column)


def test_a_value_is_checked_without_a_key() -> None:
    card = formats.card()
    assert card.check("4111 1111 1111 1111") is None
    assert card.check("4111 1111 1111 1112") == (Reason.CHECK, None)
    assert card.check("4111 1111 1111 111x") == (Reason.FOREIGN, Fault(19, "letter"))
    assert formats.letters().check("jane\ud800") is not None
    assert formats.date_shift(days=400).check("2000-02-29") is None
    with pytest.raises(ParameterError, match=r"^a value of more than 1 MiB can't be checked$"):
        card.check("4" * (2**20 + 1))
    for form in map(formats.of_description, EXAMPLES):
        assert form.check(form.examples[0]) is None, form
    with pytest.raises(FormatError, match="18 digits"):
        formats.integer(min=2**63, max=2**64 - 1).check("1")


EXAMPLES: list[str | dict[str, Any]] = [
    *("digits", "email", "uuid", "ipv6", "ipcrypt", "date", "timestamp", "mask", "pseudonym"),
    {"type": "digits", "cipher": "ff3-1", "tweak_hex": "00" * 7},
    {"type": "national_id", "kind": "de.idnr"},
]


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ({"type": "digits", "keep_lst": 4}, "keep_last"),
        ({"type": "national_id"}, "kind"),
        ("integer", "min"),
        ({"keep_last": 4}, "needs a 'type'"),
        ({"type": 5}, "needs a 'type'"),
        ("digit", "digits"),
    ],
)
def test_descriptions_that_are_none(described: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(FormatError, match=message):
        formats.of_description(described)


def test_an_option_is_not_the_format() -> None:
    with pytest.raises(FormatError, match="'type' is no option"):
        Format("card", {"type": "digits"})
    with pytest.raises(FormatError) as caught:
        Format("digits\n\x1b[31m")
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


@pytest.mark.parametrize("top", ["1e25", 10**20, "184467440737095516.16"])
def test_a_range_that_is_too_large_is_said_to_be_so(top: Any) -> None:  # noqa: ANN401
    with pytest.raises(FormatError, match="within"):
        formats.decimal(min="0", max=top, scale=2)


@pytest.mark.parametrize(
    ("given", "meant"),
    [({"luhn": "Valid"}, "valid"), ({"cipher": "FF1"}, "ff1"), ({"cipher": "FF3"}, "ff3-1")],
)
def test_the_nearest_of_a_few_choices_is_named(given: dict[str, Any], meant: str) -> None:
    with pytest.raises(FormatError, match=f"did you mean '{meant}'"):
        Format("card", given)
