# SPDX-License-Identifier: Apache-2.0
"""Customers and their orders with what makes a draft go wrong: see `customer_table`.

Values are made up, as in `customers`.
"""

# ruff: noqa: RUF001 (names of several scripts are the point)

from __future__ import annotations

import random

import pyarrow as pa
from stdnum.de import idnr
from stdnum.gb import nhs
from stdnum.iso7064 import mod_11_10

from customers import customers

_CYRILLIC = ("Анна Иванова", "Борис Петров", "Вера Соколова", "Олег Смирнов", "Юлия Кузнецова")
_GREEK = ("Ελένη Παππά", "Νίκος Γεωργίου", "Μαρία Βλάχου", "Σοφία Ιωάννου")
_JAPANESE = ("佐藤 花子", "鈴木 一郎", "高橋 美咲", "田中 太郎", "伊藤 健太")
_TILES = 20
"""How often rows come again, each time with other customer numbers."""


def customer_table(rows: int, seed: int = 5) -> pa.Table:
    """Make customers: 35 columns, four scripts, ten identifiers, sorted by country.

    Only customers of the last country, a sixteenth of all, have an `ssn`. Numbers of customers are
    integers, `contact_email` has capitals, and `tax_id` has valid German tax identifiers.
    """
    chance = random.Random(seed)  # noqa: S311
    few = rows // _TILES
    made = customers(few, seed)
    columns: dict[str, list[object]] = {
        name: list(made[name])
        for name in (
            *("first_name", "surname", "mobile", "home_address", "city", "postcode"),
            *("birth_date", "card_number", "iban", "cpf", "device_imei", "last_ip", "session_id"),
            *("salary", "licence_plate", "username", "order_date", "product_name"),
            *("status", "is_active", "warehouse", "batch"),
        )
    }
    columns["pesel"], columns["bsn"] = list(made["a6"]), list(made["a7"])
    columns["email"] = list(made["e_mail"])
    columns["contact_email"] = [str(one).capitalize() for one in made["a1"]]
    columns["full_name_ru"] = [chance.choice(_CYRILLIC) for _ in range(few)]
    columns["full_name_el"] = [chance.choice(_GREEK) for _ in range(few)]
    columns["full_name_ja"] = [chance.choice(_JAPANESE) for _ in range(few)]
    columns["tax_id"] = [_tax_id(chance) for _ in range(few)]
    columns["nhs_number"] = [_nhs(chance) for _ in range(few)]
    columns["comment"] = [
        f"The parcel {chance.randrange(99)} was late, so {name} phoned at noon"
        for name in chance.choices(["Anna", "Noah", "Emma"], k=few)
    ]
    tiled = {name: values * _TILES for name, values in columns.items()}
    countries = ["France", "Germany", "Poland", "Spain"]
    late = rows - rows // 16
    tiled["ssn"] = [
        f"{chance.randrange(100, 660)}-{chance.randrange(10, 99)}-{chance.randrange(1, 9999):04}"
        if number >= late
        else None
        for number in range(rows)
    ]
    tiled["country"] = [
        "United States" if number >= late else countries[number * 4 // rows]
        for number in range(rows)
    ]
    numbers = chance.sample(range(100_000, 999_999), rows)
    return pa.table({"customer_id": numbers, **tiled})


def as_text(table: pa.Table) -> pa.Table:
    """Return a table as CSV has it: all columns text."""
    return pa.table({name: table[name].cast(pa.string()) for name in table.column_names})


def with_types(table: pa.Table) -> pa.Table:
    """Return customers with columns inside others, and durations, which no format takes."""
    count = len(table)
    tags = pa.array([[("plan", "gold")], None] * (count // 2), pa.map_(pa.string(), pa.string()))
    return (
        table.append_column("profile", pa.array([{"nick": "Anne", "age": 7}] * count))
        .append_column("rooms", pa.array([["a", "b"]] * count))
        .append_column("tags", tags)
        .append_column("rating", pa.array([number / 7 for number in range(count)]))
        .append_column("pause", pa.array(range(count), pa.duration("s")))
    )


def order_table(table: pa.Table) -> pa.Table:
    """Make orders of customers, whose e-mail addresses have capitals in some rows."""
    mails = table["email"].to_pylist()
    return pa.table(
        {
            "order_no": [f"B{number:07}" for number in range(len(table))],
            "customer_id": table["customer_id"],
            "email": [
                mail.upper().replace("EXAMPLE.ORG", "example.org") if number % 5 == 0 else mail
                for number, mail in enumerate(mails)
            ],
            "price": [f"{number % 90}.50" for number in range(len(table))],
        }
    )


def _tax_id(chance: random.Random) -> str:
    while True:
        some = chance.sample("0123456789", 9)
        number = "".join([*some, chance.choice(some)])  # one digit twice
        number += mod_11_10.calc_check_digit(number)
        if idnr.is_valid(number):
            return number


def _nhs(chance: random.Random) -> str:
    while True:
        number = f"{chance.randrange(10**9, 10**10)}"
        if nhs.is_valid(number):
            return number
