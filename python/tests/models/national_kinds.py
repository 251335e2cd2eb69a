# SPDX-License-Identifier: Apache-2.0
"""National identifiers: patterns, and check characters as python-stdnum computes them.

A function takes the characters without separators, literals and check characters; it returns "" if
no check character is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta

import stdnum.au.tfn
import stdnum.br.cnpj
import stdnum.br.cpf
import stdnum.ean
import stdnum.es.dni
import stdnum.es.nie
import stdnum.fi.hetu
import stdnum.fr.nir
import stdnum.gb.nhs
import stdnum.iso7064.mod_11_10
import stdnum.it.codicefiscale
import stdnum.luhn
import stdnum.nl.bsn
import stdnum.pl.pesel
import stdnum.tr.tckimlik
import stdnum.verhoeff


def _days(first: int, last: int) -> list[date]:
    days = (date(last, 12, 31) - date(first, 1, 1)).days
    return [date(first, 1, 1) + timedelta(day) for day in range(days + 1)]


def _short(first: int, last: int) -> list[str]:
    return [day.strftime("%y%m%d") for day in _days(first, last)]


FIELDS: dict[str, Callable[[], list[str]]] = {
    "yymmdd": lambda: _short(2000, 2099),
    "yymmdd of 1900": lambda: _short(1900, 1999),
    "yyyymmdd": lambda: [day.strftime("%Y%m%d") for day in _days(1900, 2059)],
    "pesel date": lambda: [
        f"{day.year % 100:02}{day.month + 20 * (day.year > 1999):02}{day.day:02}"
        for day in _days(1900, 2059)
    ],
    "hetu date": lambda: [
        day.strftime("%d%m%y") + "-A"[day.year > 1999] for day in _days(1900, 2059)
    ],
    "month": lambda: [f"{month:02}" for month in range(1, 13)],
    "french department": lambda: [*(f"{number:02}" for number in range(100)), "2A", "2B"],
    "italian day": lambda: [
        f"{'ABCDEHLMPRST'[day.month - 1]}{day.day + more:02}"
        for day in _days(2000, 2000)
        for more in (0, 40)
    ],
    "002-899": lambda: [f"{number:03}" for number in range(2, 900)],
}
"""Fields of several characters."""


def _digit(number: int) -> str:
    return str(number) if number < 10 else ""


def _is_zero(number: str) -> bool:
    return not number.strip("0")


def _is_no_german(number: str) -> bool:
    return sorted(count for count in Counter(number).values() if count > 1) not in ([2], [3])


def _is_palindrome(number: str) -> bool:
    whole = number + str(stdnum.verhoeff.calc_check_digit(number))
    return whole == whole[::-1]


def _has_no_such_day(number: str) -> bool:
    return number[8:11] in ("B29", "B69") and int(number[6:8]) % 4 > 0


KINDS: dict[str, tuple[tuple[str, ...], Callable[[str], str]]] = {
    "au.tfn": (("999( )999( )99#",), lambda n: _digit(stdnum.au.tfn.checksum(n + "0"))),
    "br.cnpj": (("99(.)999(.)999(/)9999(-)##",), stdnum.br.cnpj.calc_check_digits),
    "br.cpf": (("999(.)999(.)999(-)##",), stdnum.br.cpf._calc_check_digits),
    "ca.sin": (("[1-79]99(-)999(-)99#", "[1-79]99 999 99#"), stdnum.luhn.calc_check_digit),
    "ch.ssn": (("756(.)9999(.)9999(.)9#",), lambda n: str(stdnum.ean.calc_check_digit("756" + n))),
    "de.idnr": (("[1-9]9( )999( )999( )99#",), stdnum.iso7064.mod_11_10.calc_check_digit),
    "es.dni": (("99999999(-)#",), stdnum.es.dni.calc_check_digit),
    "es.nie": (("[XYZ](-)9999999(-)#",), stdnum.es.nie.calc_check_digit),
    "fi.hetu": (
        ("{hetu date}{002-899}#",),
        lambda n: str(stdnum.fi.hetu._calc_checksum(n[:6] + n[7:])),
    ),
    "fr.nir": (
        ("[12]( )99( ){month}( ){french department}( )999( )999( )##",),
        stdnum.fr.nir.calc_check_digits,
    ),
    "gb.nhs": (
        ("999( )999( )999#",),
        lambda n: _digit((11 - stdnum.gb.nhs.checksum(n + "0")) % 11),
    ),
    "hr.oib": (("9999999999#",), stdnum.iso7064.mod_11_10.calc_check_digit),
    "in_.aadhaar": (("[2-9]999( )9999( )999#",), stdnum.verhoeff.calc_check_digit),
    "it.codicefiscale": (("AAAAAA99{italian day}A999#",), stdnum.it.codicefiscale.calc_check_digit),
    "nl.bsn": (("9999(.)99(.)99#",), lambda n: _digit(stdnum.nl.bsn.checksum(n + "0"))),
    "pl.pesel": (("{pesel date}9999#",), stdnum.pl.pesel.calc_check_digit),
    "se.personnummer": (
        ("{yymmdd}(-)999#", "{yymmdd of 1900}+999#", "{yyyymmdd}(-)999#"),
        lambda n: str(stdnum.luhn.calc_check_digit(n[-9:])),
    ),
    "tr.tckimlik": (("[1-9]99999999##",), stdnum.tr.tckimlik.calc_check_digits),
    "za.idnr": (("{yymmdd}( )9999( )[01]9( )#",), stdnum.luhn.calc_check_digit),
}
"""Patterns and the function of check characters, by the names of python-stdnum's modules."""

EXCLUDED: dict[str, Callable[[str], bool]] = {
    "br.cnpj": _is_zero,
    "br.cpf": _is_zero,
    "de.idnr": _is_no_german,
    "in_.aadhaar": _is_palindrome,
    "it.codicefiscale": _has_no_such_day,
    "nl.bsn": _is_zero,
}
"""Which numbers nobody has, by the same characters."""
