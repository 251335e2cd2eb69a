# SPDX-License-Identifier: Apache-2.0
"""A table of customers as companies have them, made up, with what each column truly is.

Values are made here, not by the formats under test; python-stdnum computes check digits.
"""

# ruff: noqa: RUF001 (names have letters that look like others)

from __future__ import annotations

import random
import re
import uuid
from datetime import date, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address

from stdnum import iban as stdnum_iban
from stdnum import luhn
from stdnum.br import cpf
from stdnum.nl import bsn
from stdnum.pl import pesel

Columns = dict[str, list[str | None]]

_FIRST = [
    "Anna",
    "Jürgen",
    "Chloé",
    "Marek",
    "Søren",
    "Ayşe",
    "Liam",
    "Olivia",
    "Mateo",
    "Giulia",
    "Noah",
    "Emma",
    "Lukas",
    "Sofie",
    "Ines",
    "Pedro",
    "Ewa",
    "Henrik",
    "Aino",
    "Timo",
    "Zoë",
    "Nils",
    "Ravi",
    "Priya",
    "Wei",
    "Kenji",
    "Amara",
    "Kofi",
    "Leila",
    "Omar",
    "Yasmin",
    "Tariq",
    "Freya",
]
_LAST = [
    "Müller",
    "Schmidt",
    "Dubois",
    "Lefèvre",
    "Kowalski",
    "Nowak",
    "García",
    "Fernández",
    "Rossi",
    "Bianchi",
    "Jansen",
    "De-Vries",
    "Andersson",
    "Nieminen",
    "Okafor",
    "Mensah",
    "Tanaka",
    "Singh",
    "Patel",
    "O'Brien",
    "Fitzgerald",
    "Yılmaz",
    "Novák",
    "Horváth",
    "Whitfield",
    "Ashcombe",
    "Penhaligon",
    "Brandvold",
    "Lindqvist",
    "Castellano",
    "Oyelaran",
    "Marchetti",
]
_STREETS = ["Main", "Church", "Mill", "Station", "Oak", "Cedar", "Hill", "Park", "Bridge", "River"]
_CITIES = [
    "Leeds",
    "Utrecht",
    "Lyon",
    "Kraków",
    "Porto",
    "Turku",
    "Graz",
    "Basel",
    "Ghent",
    "Malmö",
    "Bilbao",
    "Verona",
]
_NOUNS = [
    "parcel",
    "invoice",
    "delivery",
    "order",
    "window",
    "neighbour",
    "refund",
    "courier",
    "letter",
    "garden",
    "dog",
]

CLEAR = {
    "customer_no": "identifier",
    "first_name": "given name",
    "surname": "surname",
    "e_mail": "email",
    "mobile": "phone",
    "home_address": "address",
    "city": "city",
    "postcode": "postcode",
    "birth_date": "birth",
    "card_number": "card",
    "iban": "iban",
    "ssn": "ssn",
    "cpf": "national id",
    "device_imei": "imei",
    "last_ip": "ip",
    "session_id": "uuid",
    "salary": "money",
    "licence_plate": "plate",
    "username": "username",
    "comment": "free text",
    "order_date": None,
    "order_id": None,
    "product_name": None,
    "quantity": None,
    "price": None,
    "status": None,
    "country": None,
    "isbn": None,
    "updated_at": None,
    "score": None,
    "version": None,
    "is_active": None,
    "warehouse": None,
    "batch": None,
}
"""Columns with names that say what they are, and the kind of each; None: not sensitive."""

OPAQUE = {
    "a1": "email",
    "a2": "card",
    "a3": "iban",
    "a4": "ssn",
    "a5": "national id",
    "a6": "national id",
    "a7": "national id",
    "a8": "ip",
    "a9": "ip",
    "b1": "phone",
    "b2": "birth",
    "b3": "person name",
    "b4": "free text",
    "b5": "mac",
    "b6": "address",
    "b7": "imei",
    "c1": None,
    "c2": None,
    "c3": None,
    "c4": None,
    "c5": None,
    "c6": None,
    "c7": None,
    "c8": None,
    "c9": None,
}
"""Columns whose names say nothing, so that values alone decide."""


def customers(rows: int, seed: int = 1) -> Columns:
    """Make the columns of CLEAR and OPAQUE."""
    chance = random.Random(seed)  # noqa: S311
    table: Columns = {name: [] for name in (*CLEAR, *OPAQUE)}
    for _ in range(rows):
        for name, value in _row(chance).items():
            table[name].append(value)
    return table


def _row(chance: random.Random) -> dict[str, str | None]:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    born = date(1935, 1, 1) + timedelta(chance.randrange(26_000))
    ordered = date(2025, 1, 1) + timedelta(chance.randrange(400))
    words = " ".join(chance.choice(_NOUNS) for _ in range(3))
    kind = chance.choice(["Street", "Road", "Lane"])
    street = f"{chance.randrange(1, 240)} {chance.choice(_STREETS)} {kind}"
    thing = f"{chance.choice(['Blue', 'Red', 'Green'])} {chance.choice(['Lamp', 'Chair', 'Desk'])}"
    mail = f"{chance.choice('abcdefghij')}.{_word(chance, 7)}{chance.randrange(100)}@example.org"
    moment = datetime(2026, 1, 1) + timedelta(seconds=chance.randrange(10**7))
    return {
        "customer_no": f"{chance.randrange(10**8):08}",
        "first_name": first,
        "surname": last,
        "e_mail": mail,
        "mobile": f"+44 7{_digits(chance, 3)} {_digits(chance, 6)}",
        "home_address": street,
        "city": chance.choice(_CITIES),
        "postcode": f"{_digits(chance, 5)}",
        "birth_date": born.isoformat(),
        "card_number": _card(chance),
        "iban": _iban(chance, "DE", 18),
        "ssn": f"{chance.randrange(100, 660)}-{chance.randrange(10, 99)}-{_digits(chance, 4)}",
        "cpf": _cpf(chance),
        "device_imei": _with_luhn("35" + _digits(chance, 12)),
        "last_ip": str(IPv4Address(chance.getrandbits(32))),
        "session_id": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        "salary": str(chance.randrange(18_000, 160_000)),
        "licence_plate": f"{_upper(chance, 2)}-{_digits(chance, 3)}-{_upper(chance, 2)}",
        "username": f"{_word(chance, 6)}{chance.randrange(100)}",
        "comment": f"{first} asked about the {words} and wants a call at home before noon"
        if chance.random() < 0.6
        else None,
        "order_date": ordered.isoformat(),
        "order_id": f"{chance.randrange(10**7)}",
        "product_name": thing,
        "quantity": str(chance.randrange(1, 40)),
        "price": f"{chance.randrange(5, 900)}.{_digits(chance, 2)}",
        "status": chance.choice(["open", "paid", "shipped"]),
        "country": chance.choice(["Germany", "France", "Poland", "Japan"]),
        "isbn": _isbn(chance),
        "updated_at": moment.isoformat(),
        "score": f"{chance.random():.3f}",
        "version": f"{chance.randrange(9)}.{chance.randrange(20)}.{chance.randrange(20)}",
        "is_active": chance.choice(["true", "false"]),
        "warehouse": chance.choice(["North", "South", "East"]),
        "batch": f"B{_digits(chance, 6)}",
        "a1": mail,
        "a2": re.sub(r"(\d{4})(?=\d)", r"\1 ", _card(chance)),
        "a3": _iban(chance, "NL", 10, "ABNA"),
        "a4": f"{chance.randrange(100, 660)}-{chance.randrange(10, 99)}-{_digits(chance, 4)}",
        "a5": _cpf(chance),
        "a6": _pesel(chance, born),
        "a7": _bsn(chance),
        "a8": str(IPv4Address(chance.getrandbits(32))),
        "a9": str(IPv6Address(chance.getrandbits(128))),
        "b1": f"+49 {chance.randrange(30, 900)} {_digits(chance, 7)}",
        "b2": born.strftime("%d.%m.%Y"),
        "b3": f"{first} {last}",
        "b4": f"The {words} were late again, so {first} from number {chance.randrange(99)} phoned",
        "b5": ":".join(f"{chance.randrange(256):02x}" for _ in range(6)),
        "b6": street,
        "b7": _with_luhn("86" + _digits(chance, 12)),
        "c1": f"{chance.randrange(10**9):09}",
        "c2": f"{chance.randrange(10**11):011}",
        "c3": ordered.isoformat(),
        "c4": chance.choice(["gold", "silver", "bronze"]),
        "c5": f"{chance.gauss(20, 5):.2f}",
        "c6": str(chance.randrange(1, 40)),
        "c7": f"{_upper(chance, 3)}{_digits(chance, 3)}",
        "c8": chance.choice(["Blue Lamp", "Red Chair", "Green Desk", "Oak Table"]),
        "c9": _digits(chance, 16),
    }


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choice("0123456789") for _ in range(count))


def _upper(chance: random.Random, count: int) -> str:
    return "".join(chance.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(count))


def _word(chance: random.Random, count: int) -> str:
    return "".join(chance.choice("abcdefghijklmnoprstuvw") for _ in range(count))


def _with_luhn(digits: str) -> str:
    return digits + str(luhn.calc_check_digit(digits))


def _card(chance: random.Random) -> str:
    return _with_luhn(chance.choice(["4", "51", "54"]).ljust(2, "5") + _digits(chance, 13))


def _iban(chance: random.Random, country: str, digits: int, bank: str = "") -> str:
    account = bank + _digits(chance, digits)
    return f"{country}{stdnum_iban.calc_check_digits(f'{country}00{account}')}{account}"


def _cpf(chance: random.Random) -> str:
    number = _digits(chance, 9)
    return cpf.format(number + cpf._calc_check_digits(number))


def _pesel(chance: random.Random, born: date) -> str:
    number = born.strftime("%y%m%d") + _digits(chance, 4)
    return number + str(pesel.calc_check_digit(number))


def _bsn(chance: random.Random) -> str:
    while True:
        number = _digits(chance, 8)
        check = bsn.checksum(number + "0") % 11
        if check < 10 and int(number) > 10**6:
            return number + str(check)


def _isbn(chance: random.Random) -> str:
    """Make an ISBN of ten digits; its check is that of an NHS number."""
    while True:
        number = _digits(chance, 9)
        check = -sum((10 - i) * int(digit) for i, digit in enumerate(number)) % 11
        if check < 10:
            return number + str(check)
