# SPDX-License-Identifier: Apache-2.0
"""The kinds of national identifiers: what they are made of, and which there are.

Patterns are as in `tallystick.formats.pattern`; ``{name}`` is a field of `FIELDS`, ``#`` a check
character. What is described never changes with the day, nor with the release of python-stdnum: it
is at most what that library finds valid, and tokens depend on it.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from tallystick.formats.layouts import Field, Texts

Allowed = Callable[[Texts], npt.NDArray[np.bool_]]
"""Of the characters without separators and check characters: which values there are."""


@dataclass(frozen=True)
class Kind:
    """One national identifier.

    Attributes
    ----------
    name : str
        Of its country and itself, as python-stdnum's module.
    title : str
        What it is called.
    patterns : tuple of str
        How it is written.
    check : callable
        Makes, of python-stdnum's module, the function from a value's characters without separators
        and check characters to the check characters; "" if such a value has none.
    allowed : callable, optional
        Which values there are, beyond the patterns.
    sample : str
        One that is valid.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    check: Callable[[Any], Callable[[str], str]]
    sample: str
    allowed: Allowed | None = None

    @property
    def module(self) -> str:
        """The module of python-stdnum."""
        return f"stdnum.{self.name}"


@cache
def check_function(kind: Kind) -> Callable[[str], str]:
    """Import what computes the check characters of a kind."""
    return kind.check(import_module(kind.module))


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days) for days in range((last - first).days + 1)]


def _short_dates(notation: str) -> list[str]:
    """Return the days of a hundred years of which 00 is a leap year."""
    return [day.strftime(notation) for day in _days(date(2000, 1, 1), date(2099, 12, 31))]


def _long_dates() -> list[date]:
    return _days(date(1900, 1, 1), date(2059, 12, 31))


def _pesel_date(day: date) -> str:
    return f"{day.year % 100:02}{day.month + 20 * (day.year >= 2000):02}{day.day:02}"


_MONTHS = "ABCDEHLMPRST"


def _italian_days() -> list[str]:
    """Return month and day of a leap year, the day plus 40 for women."""
    days = _days(date(2000, 1, 1), date(2000, 12, 31))
    return [f"{_MONTHS[day.month - 1]}{day.day + more:02}" for day in days for more in (0, 40)]


FIELDS: dict[str, Callable[[], list[str]]] = {
    "yymmdd": lambda: _short_dates("%y%m%d"),
    "yyyymmdd": lambda: [day.strftime("%Y%m%d") for day in _long_dates()],
    "yymmdd of 1900": lambda: [
        day.strftime("%y%m%d") for day in _days(date(1900, 1, 1), date(1999, 12, 31))
    ],
    "pesel date": lambda: [_pesel_date(day) for day in _long_dates()],
    "hetu date": lambda: [
        day.strftime("%d%m%y") + ("-" if day.year < 2000 else "A") for day in _long_dates()
    ],
    "month": lambda: [f"{month:02}" for month in range(1, 13)],
    "french department": lambda: [f"{number:02}" for number in range(100)] + ["2A", "2B"],
    "italian day": _italian_days,
    "002-899": lambda: [f"{number:03}" for number in range(2, 900)],
}
"""Fields of several characters, by name."""


@cache
def named_field(name: str) -> Field:
    """Return a field of several characters."""
    return Field(FIELDS[name]())


def _not_zero(texts: Texts) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (texts != ord("0")).any(axis=1)
    return found


def _one_repeated(texts: Texts) -> npt.NDArray[np.bool_]:
    """Of ten digits exactly one comes more than once: twice or three times."""
    counts = np.stack([(texts == ord(digit)).sum(axis=1) for digit in string.digits])
    most = counts.max(axis=0)
    found: npt.NDArray[np.bool_] = ((counts > 1).sum(axis=0) == 1) & (most <= 3)
    return found


def _italian_leap(texts: Texts) -> npt.NDArray[np.bool_]:
    """Refuse a 29th of February of another year than a leap year."""
    years = (texts[:, 6] - ord("0")) * 10 + texts[:, 7] - ord("0")
    leap_day = (texts[:, 8] == ord("B")) & (texts[:, 10] == ord("9"))
    leap_day &= (texts[:, 9] == ord("2")) | (texts[:, 9] == ord("6"))
    found: npt.NDArray[np.bool_] = ~leap_day | (years % 4 == 0)
    return found


def _luhn(_: Any) -> Callable[[str], str]:  # noqa: ANN401
    return _function("stdnum.luhn")


def _function(module: str) -> Callable[[str], str]:
    found: Callable[[str], str] = import_module(module).calc_check_digit
    return found


def _one_digit(digit: int) -> str:
    return str(digit) if digit < 10 else ""


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            *("au.tfn", "Australian tax file number", ("999( )999( )99#",)),
            lambda module: lambda number: _one_digit(module.checksum(number + "0")),
            "123 456 782",
        ),
        Kind(
            *("br.cnpj", "Brazilian company (digits only)", ("99(.)999(.)999(/)9999(-)##",)),
            lambda module: module.calc_check_digits,
            "16.727.230/0001-97",
            _not_zero,
        ),
        Kind(
            *("br.cpf", "Brazilian person", ("999(.)999(.)999(-)##",)),
            lambda module: module._calc_check_digits,
            "390.533.447-05",
            _not_zero,
        ),
        Kind(
            *("ca.sin", "Canadian social insurance", ("[1-79]99(-)999(-)99#", "[1-79]99 999 99#")),
            _luhn,
            "123-456-782",
        ),
        Kind(
            *("ch.ssn", "Swiss social insurance (AHV)", ("756(.)9999(.)9999(.)9#",)),
            lambda _: lambda number: _function("stdnum.ean")("756" + number),
            "756.9217.0769.85",
        ),
        Kind(
            *("de.idnr", "German tax identification number", ("[1-9]9( )999( )999( )99#",)),
            lambda _: _function("stdnum.iso7064.mod_11_10"),
            "36 574 261 809",
            _one_repeated,
        ),
        Kind(
            *("es.dni", "Spanish identity card", ("99999999(-)#",)),
            lambda module: module.calc_check_digit,
            "54362315-K",
        ),
        Kind(
            *("es.nie", "Spanish foreigner number", ("[XYZ](-)9999999(-)#",)),
            lambda module: module.calc_check_digit,
            "X-2482300W",
        ),
        Kind(
            *("fi.hetu", "Finnish identity code (1900 on)", ("{hetu date}{002-899}#",)),
            lambda module: lambda number: module._calc_checksum(number[:6] + number[7:]),
            "131052-308T",
        ),
        Kind(
            *(
                "fr.nir",
                "French social security (sex 1 or 2)",
            ),
            ("[12]( )99( ){month}( ){french department}( )999( )999( )##",),
            lambda module: module.calc_check_digits,
            "2 95 10 99 126 111 93",
        ),
        Kind(
            *("gb.nhs", "NHS number of the United Kingdom", ("999( )999( )999#",)),
            lambda module: lambda number: _one_digit((11 - module.checksum(number + "0")) % 11),
            "943 476 5870",
        ),
        Kind(
            *("hr.oib", "Croatian person or company", ("9999999999#",)),
            lambda _: _function("stdnum.iso7064.mod_11_10"),
            "33392005961",
        ),
        Kind(
            *("in_.aadhaar", "Indian Aadhaar", ("[2-9]999( )9999( )999#",)),
            lambda _: lambda number: _no_palindrome(number, _function("stdnum.verhoeff")(number)),
            "2341 2341 2346",
        ),
        Kind(
            *("it.codicefiscale", "Italian tax code", ("AAAAAA99{italian day}A999#",)),
            lambda module: module.calc_check_digit,
            "RCCMNL83S18D969H",
            _italian_leap,
        ),
        Kind(
            *("nl.bsn", "Dutch citizen service number", ("9999(.)99(.)99#",)),
            lambda module: lambda number: _one_digit(module.checksum(number + "0")),
            "1112.22.333",
            _not_zero,
        ),
        Kind(
            *("pl.pesel", "Polish person (born 1900 on)", ("{pesel date}9999#",)),
            lambda module: module.calc_check_digit,
            "44051401359",
        ),
        Kind(
            *(
                "se.personnummer",
                "Swedish person",
            ),
            ("{yymmdd}(-)999#", "{yymmdd of 1900}+999#", "{yyyymmdd}(-)999#"),
            lambda _: lambda number: _function("stdnum.luhn")(number[-9:]),
            "880320-0016",
        ),
        Kind(
            *("tr.tckimlik", "Turkish person", ("[1-9]99999999##",)),
            lambda module: module.calc_check_digits,
            "17291716060",
        ),
        Kind(
            *("za.idnr", "South African person", ("{yymmdd}( )9999( )[01]9( )#",)),
            _luhn,
            "750330 5044 08 9",
        ),
    )
}
"""All kinds, by name."""


def _no_palindrome(number: str, check: str) -> str:
    whole = number + check
    return "" if whole == whole[::-1] else check
