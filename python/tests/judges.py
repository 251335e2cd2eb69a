# SPDX-License-Identifier: Apache-2.0
"""What libraries that validate values say of tokens: the share of them that they accept.

Values are made up, valid by the same library, and the same in every run; so is the key.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

import email_validator
import phonenumbers
import pyarrow as pa
import schwifty
from stdnum import iban, imei, luhn
from stdnum.us import ssn

from format_vectors.descriptions import Description, form_of, toml
from models.national_kinds import KINDS
from tallystick import Tokenizer

VALUES = 1000
"""Tokens for each rate."""

Judge = Callable[[str], bool]


class Verdict(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    format : dict or str
        The format.
    judge : str
        The library, and what it is asked.
    values : callable
        Makes values without end.
    accepts : callable
        Whether the library accepts a text.
    """

    format: Description
    judge: str
    values: Callable[[random.Random], Iterator[str]]
    accepts: Judge

    @property
    def written(self) -> str:
        """The format in words of a policy."""
        if isinstance(self.format, str):
            return f"`{self.format}`"
        options = [f"`{name} = {toml(value)}`" for name, value in self.format.items()]
        return f"`{self.format['type']}` with {' and '.join(options[1:])}"

    def share(self, count: int = VALUES) -> float:
        """Return the percentage of so many tokens that are accepted."""
        values = list(islice(self.values(random.Random(1)), count))  # noqa: S311
        tool = Tokenizer(form_of(self.format), bytes(range(16)), namespace="judges")
        tokens = tool.protect(pa.array(values)).to_pylist()
        tool.close()
        return 100 * sum(map(self.accepts, tokens)) / len(tokens)


def _cards(chance: random.Random) -> Iterator[str]:
    while True:
        number = f"4{chance.randrange(10**14):014}"
        yield number + luhn.calc_check_digit(number)


def _imeis(chance: random.Random) -> Iterator[str]:
    while True:
        number = f"35{chance.randrange(10**12):012}"
        yield number + luhn.calc_check_digit(number)


def _ssns(chance: random.Random) -> Iterator[str]:
    while True:
        number = ssn.format(f"{chance.randrange(10**9):09}")
        if ssn.is_valid(number):
            yield number


def _unassignable(chance: random.Random) -> Iterator[str]:
    """Make numbers with zeros in one part, or of an area that is never assigned."""
    while True:
        parts = [f"{chance.randrange(1, 10**width):0{width}}" for width in (3, 2, 4)]
        part = chance.randrange(3)
        parts[part] = "0" * len(parts[part])
        yield "-".join(parts if chance.randrange(2) else (f"{chance.choice((9, 6))}66", *parts[1:]))


def _ibans(chance: random.Random) -> Iterator[str]:
    while True:
        number = str(schwifty.IBAN.random(random=chance))
        if _iban_whole(number):
            yield number


def _iban(text: str, *, whole: bool = False) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # there are countries without an algorithm
            schwifty.IBAN(text, validate_bban=whole)
    except schwifty.exceptions.SchwiftyException:
        return False
    return True


def _iban_whole(text: str) -> bool:
    return _iban(text, whole=True)


_FIRST = ("jane", "john", "m.mueller", "k-w", "o'brien", "j_d", "x+tag", "info", "sales.team")
_BEHIND = ("", ".smith", "_99", ".k.lee", "-de")
_DOMAINS = ("example.org", "mail.example.com", "b-c.example.net")


def _addresses(chance: random.Random) -> Iterator[str]:
    while True:
        local = chance.choice(_FIRST) + chance.choice(_BEHIND) + str(chance.randrange(1000))
        yield f"{local}@{chance.choice(_DOMAINS)}"


def _address(text: str) -> bool:
    """Say whether a text is an address, at a reserved domain or not."""
    try:
        email_validator.validate_email(
            text, check_deliverability=False, globally_deliverable=False, test_environment=True
        )
    except email_validator.EmailNotValidError:
        return False
    return True


_KINDS_OF_NUMBERS = (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE)
_NOTATIONS = (phonenumbers.PhoneNumberFormat.E164, phonenumbers.PhoneNumberFormat.INTERNATIONAL)


def _numbers(chance: random.Random, regions: Iterable[str]) -> Iterator[Any]:
    """Make numbers of regions: examples whose last digits are others."""
    while True:
        for region in regions:
            kind = chance.choice(_KINDS_OF_NUMBERS)
            example = phonenumbers.example_number_for_type(region, kind)
            number = example or phonenumbers.example_number(region)
            if number is None:
                continue
            first = (number.national_number or 0) // 10_000 * 10_000
            for _ in range(20):
                other = phonenumbers.PhoneNumber()
                other.merge_from(number)
                other.national_number = first + chance.randrange(10_000)
                if phonenumbers.is_valid_number(other):
                    number = other
                    break
            yield number


def _phones(chance: random.Random) -> Iterator[str]:
    for number in _numbers(chance, sorted(phonenumbers.SUPPORTED_REGIONS)):
        yield phonenumbers.format_number(number, chance.choice(_NOTATIONS))


def _phone(text: str, says: Callable[[Any], bool], region: str | None = None) -> bool:
    try:
        return says(phonenumbers.parse(text, region))
    except phonenumbers.NumberParseException:
        return False


def _possible(text: str) -> bool:
    return _phone(text, phonenumbers.is_possible_number)


def _valid(text: str) -> bool:
    return _phone(text, phonenumbers.is_valid_number)


def _nationally(region: str) -> list[Verdict]:
    """Judge numbers of a country in its national notation."""

    def values(chance: random.Random) -> Iterator[str]:
        national = phonenumbers.PhoneNumberFormat.NATIONAL
        for number in _numbers(chance, [region]):
            yield phonenumbers.format_number(number, national)

    def judge(says: Callable[[Any], bool]) -> Judge:
        return lambda text: _phone(text, says, region)

    form: Description = {"type": "phone", "country": region}
    return [
        Verdict(form, "phonenumbers, possible", values, judge(phonenumbers.is_possible_number)),
        Verdict(form, "phonenumbers, valid", values, judge(phonenumbers.is_valid_number)),
    ]


def _identifiers(kind: str) -> Callable[[random.Random], Iterator[str]]:
    """Make values of a kind: its example's token, the token of that, and so on."""

    def values(chance: random.Random) -> Iterator[str]:
        form = form_of({"type": "national_id", "kind": kind})
        tool = Tokenizer(form, bytes(32), namespace=str(chance.random()))
        value = form.examples[0]
        while True:
            yield value
            value = tool.protect(value)

    return values


def _national() -> list[Verdict]:
    return [
        Verdict(
            {"type": "national_id", "kind": kind},
            f"python-stdnum, `{kind}`",
            _identifiers(kind),
            import_module(f"stdnum.{kind}").is_valid,
        )
        for kind in KINDS
    ]


VERDICTS = [
    Verdict("card", "python-stdnum, `luhn`", _cards, luhn.is_valid),
    Verdict({"type": "card", "luhn": "invalid"}, "python-stdnum, `luhn`", _cards, luhn.is_valid),
    Verdict("imei", "python-stdnum, `imei`", _imeis, imei.is_valid),
    Verdict("ssn", "python-stdnum, `us.ssn`", _ssns, ssn.is_valid),
    Verdict({"type": "ssn", "assignable": True}, "python-stdnum, `us.ssn`", _ssns, ssn.is_valid),
    Verdict(
        {"type": "ssn", "assignable": False}, "python-stdnum, `us.ssn`", _unassignable, ssn.is_valid
    ),
    Verdict("iban", "schwifty", _ibans, _iban),
    Verdict("iban", "schwifty, with check digits inside of accounts", _ibans, _iban_whole),
    Verdict("iban", "python-stdnum, `iban`", _ibans, iban.is_valid),
    Verdict("email", "email-validator", _addresses, _address),
    Verdict({"type": "email", "part": "all"}, "email-validator", _addresses, _address),
    Verdict(
        {"type": "email", "part": "all", "at": "tokens.invalid"},
        "email-validator",
        _addresses,
        _address,
    ),
    Verdict("phone", "phonenumbers, possible", _phones, _possible),
    Verdict("phone", "phonenumbers, valid", _phones, _valid),
    Verdict({"type": "phone", "keep_first": 3}, "phonenumbers, possible", _phones, _possible),
    Verdict({"type": "phone", "keep_first": 3}, "phonenumbers, valid", _phones, _valid),
    Verdict({"type": "phone", "country": "any"}, "phonenumbers, possible", _phones, _possible),
    Verdict({"type": "phone", "country": "any"}, "phonenumbers, valid", _phones, _valid),
    *_nationally("DE"),
    *_nationally("US"),
]
"""The rows of the table but one."""

NATIONAL = _national()
"""The kinds of national identifiers, which are one row of the table."""
