# SPDX-License-Identifier: Apache-2.0
"""Columns of registers and logs, made up: other languages, codes, and what only looks personal."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable

from stdnum import luhn, verhoeff
from stdnum.es import dni
from stdnum.fi import hetu
from stdnum.fr import nir

Columns = dict[str, list[str | None]]

_JAPANESE = ["佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村", "小林", "加藤"]
_JAPANESE_GIVEN = ["翔太", "美咲", "健太", "陽菜", "大輔", "結衣", "拓也", "葵"]
_RUSSIAN = ["Иванов", "Петров", "Смирнова", "Кузнецова", "Попов", "Волков"]
_RUSSIAN_GIVEN = ["Анна", "Иван", "Ольга", "Сергей", "Мария"]
_GERMAN = ["Schröder", "Krüger", "Weiß", "Groß", "Köhler", "Böhm", "Zimmermann", "Kühn"]
_GERMAN_GIVEN = [
    "Hans-Peter",
    "Annegret",
    "Karl-Heinz",
    "Gisela",
    "Uwe",
    "Ute",
    "Dörte",
    "Björn",
    "Käthe",
    "Jörg",
]
_WORDS = [
    "quick",
    "report",
    "shows",
    "sales",
    "rose",
    "in",
    "the",
    "third",
    "quarter",
    "while",
    "costs",
    "fell",
    "in",
    "all",
    "plants",
]


class Maker:
    """Makes values of one register."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311
        self.one = self.chance.choice
        self.below = self.chance.randrange

    def digits(self, count: int) -> str:
        return "".join(self.one("0123456789") for _ in range(count))

    def german(self) -> str:
        return f"{self.one(_GERMAN_GIVEN)} {self.one(_GERMAN)}"

    def japanese(self) -> str:
        return self.one(_JAPANESE) + self.one(_JAPANESE_GIVEN)

    def russian(self) -> str:
        return f"{self.one(_RUSSIAN)} {self.one(_RUSSIAN_GIVEN)}"

    def street(self) -> str:
        name = self.one(["Bahnhofstraße", "Marktgasse", "Goetheweg", "Parkallee"])
        return f"{name} {self.below(99)}"

    def words(self, count: int) -> str:
        return " ".join(self.one(_WORDS) for _ in range(count))

    def hetu(self) -> str:
        day = f"{self.below(1, 29):02}{self.below(1, 13):02}{self.below(30, 99)}"
        number = f"{self.below(2, 899):03}"
        return f"{day}-{number}{hetu._calc_checksum(day + number)}"

    def nir(self) -> str:
        number = f"{self.one('12')}{self.digits(2)}{self.below(1, 13):02}{self.below(1, 95):02}"
        number += self.digits(6)
        return str(number + nir.calc_check_digits(number))

    def sin(self) -> str:
        number = self.one("1234567") + self.digits(7)
        number += str(luhn.calc_check_digit(number))
        return f"{number[:3]} {number[3:6]} {number[6:]}"

    def dni(self) -> str:
        number = self.digits(8)
        return str(number + dni.calc_check_digit(number))

    def aadhaar(self) -> str:
        number = self.one("23456789") + self.digits(10)
        return str(number + verhoeff.calc_check_digit(number))

    def ean(self) -> str:
        number = "40" + self.digits(10)
        total = sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(number))
        return number + str(-total % 10)

    def plate(self) -> str:
        district = self.one(["B", "HH", "MUC"])
        return f"{district}-{self.one('ABC')}{self.one('XYZ')} {self.below(1, 9999)}"


Make = Callable[[Maker], str]

REGISTERS: dict[str, tuple[str | None, Make]] = {
    "contact": ("phone", lambda m: f"({m.below(200, 999)}) 555-{m.digits(4)}"),
    "tel": ("phone", lambda m: "0" + m.digits(9)),
    "x1": ("phone", lambda m: f"{m.below(200, 999)}-{m.below(200, 999)}-{m.digits(4)}"),
    "Kunde": ("person name", Maker.german),
    "x2": ("person name", Maker.german),
    "氏名": ("person name", Maker.japanese),
    "x3": ("person name", Maker.japanese),
    "ФИО": ("person name", Maker.russian),
    "x4": ("person name", Maker.russian),
    "Strasse": ("address", Maker.street),
    "x5": ("address", Maker.street),
    "x6": ("national id", Maker.hetu),
    "x7": ("national id", Maker.nir),
    "x8": ("national id", Maker.sin),
    "x9": ("national id", Maker.dni),
    "aadhaar_no": ("national id", Maker.aadhaar),
    "passport": ("identifier", lambda m: f"C{m.one('FGHJK')}{m.digits(7)}"),
    "MRN": ("identifier", lambda m: f"MR{m.digits(6)}"),
    "dob": ("birth", lambda m: f"{m.below(1, 13):02}/{m.below(1, 29):02}/{m.below(1940, 2010)}"),
    "diagnosis": ("category", lambda m: m.one(["I10", "E11.9", "J45", "F32.1"])),
    "Geschlecht": ("category", lambda m: m.one("mwd")),
    "Gehalt": ("money", lambda m: f"{m.below(2000, 9000)}.{m.digits(2)}"),
    "alter": ("age", lambda m: str(m.below(18, 99))),
    "clientIP": ("ip", lambda m: f"10.{m.below(256)}.{m.below(256)}.{m.below(256)}"),
    "notes": ("free text", lambda m: m.words(14)),
    "stadt": ("city", lambda m: m.one(["Köln", "Ulm", "Essen", "Bonn", "Kiel"])),
    "PLZ": ("postcode", lambda m: m.digits(5)),
    "zip_plus4": ("postcode", lambda m: f"{m.digits(5)}-{m.digits(4)}"),
    "uk_postcode": (
        "postcode",
        lambda m: (
            f"{m.one(['SW1A', 'M1', 'CR2', 'B33'])} {m.below(1, 9)}{m.one('ABD')}{m.one('EFG')}"
        ),
    ),
    "Kennzeichen": ("plate", Maker.plate),
    "login": ("username", lambda m: m.one(["kim", "lee", "max"]) + m.digits(3)),
    "nickname": ("username", lambda m: m.one(["Foxy", "Zed", "Mika_"]) + m.digits(2)),
    "pwd": ("secret", lambda m: "$2b$" + m.digits(20)),
    "file_hash": (None, lambda m: f"{m.chance.getrandbits(256):064x}"),
    "url": (None, lambda m: f"https://example.org/{m.digits(5)}"),
    "sku": (None, lambda m: f"{m.one('ABC')}{m.one('XYZ')}-{m.digits(4)}"),
    "lat": (None, lambda m: f"{m.chance.uniform(-90, 90):.5f}"),
    "amount": (None, lambda m: f"{m.below(1, 99_999)}.{m.digits(2)}"),
    "epoch": (None, lambda m: str(m.below(1_600_000_000, 1_800_000_000))),
    "movie": (
        None,
        lambda m: m.one(["The Long Road", "Dark Water", "Blue Night", "Last Train Home"]),
    ),
    "headline": (None, lambda m: m.words(3)),
    "cat": (None, lambda m: m.one(["Sports Goods", "Home Decor", "Pet Food", "Fine Art"])),
    "created": (None, lambda m: f"2024-0{m.below(1, 9)}-1{m.below(9)}T0{m.below(9)}:11:12Z"),
    "trace_id": (None, lambda m: str(uuid.UUID(int=m.chance.getrandbits(128), version=4))),
    "sha1": (None, lambda m: f"{m.chance.getrandbits(160):040x}"),
    "path": (None, lambda m: f"/var/log/{m.digits(3)}.log"),
    "ean13": (None, Maker.ean),
    "firma": (None, lambda m: m.one(["Acme GmbH", "Nordwind AG", "Bau KG", "Tech Haus SE"])),
}
"""For each column: its kind, None if it is not sensitive, and what makes a value."""


def registers(rows: int, seed: int = 1) -> Columns:
    """Make the columns of REGISTERS."""
    maker = Maker(seed)
    return {name: [make(maker) for _ in range(rows)] for name, (_, make) in REGISTERS.items()}
