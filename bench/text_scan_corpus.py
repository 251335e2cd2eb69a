# SPDX-License-Identifier: Apache-2.0
"""Lines of text with known values, and lines with near misses, the same ones each time.

Check digits are those of python-stdnum, and phonenumbers judges phone numbers, so the truth does
not come from the scanner. All values are made up.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import tomllib
import uuid
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

SEED = 26
LINES = 200
"""Lines with a value of each kind, and with each near miss."""

WORDS = [
    "the",
    "order",
    "was",
    "sent",
    "to",
    "our",
    "partner",
    "and",
    "the",
    "report",
    "of",
    "last",
    "week",
    "shows",
    "that",
    "nothing",
    "is",
    "open",
    "please",
    "look",
    "at",
    "it",
    "again",
    "before",
    "we",
    "close",
    "this",
    "case",
    "since",
    "the",
    "customer",
    "waits",
    "for",
    "an",
    "answer",
]

NATIONAL = {
    "au.tfn": "123 456 782",
    "br.cnpj": "16.727.230/0001-97",
    "br.cpf": "390.533.447-05",
    "ca.sin": "123-456-782",
    "ch.ssn": "756.9217.0769.85",
    "de.idnr": "36 574 261 809",
    "es.dni": "54362315-K",
    "es.nie": "X-2482300W",
    "fi.hetu": "131052-308T",
    "fr.nir": "2 95 10 99 126 111 93",
    "gb.nhs": "943 476 5870",
    "hr.oib": "33392005961",
    "in_.aadhaar": "2341 2341 2346",
    "it.codicefiscale": "RCCMNL83S18D969H",
    "nl.bsn": "1112.22.333",
    "pl.pesel": "44051401359",
    "se.personnummer": "880320-0016",
    "tr.tckimlik": "17291716060",
    "us.ssn": "536-90-4399",
    "za.idnr": "750330 5044 08 9",
}
"""A published sample of each kind, in its notation."""

LABELS = {
    "au.tfn": "TFN ",
    "br.cnpj": "CNPJ ",
    "br.cpf": "CPF ",
    "ca.sin": "SIN ",
    "ch.ssn": "AHV ",
    "de.idnr": "IdNr ",
    "es.dni": "DNI ",
    "es.nie": "NIE ",
    "fi.hetu": "hetu ",
    "fr.nir": "NIR ",
    "gb.nhs": "NHS number ",
    "hr.oib": "OIB ",
    "in_.aadhaar": "Aadhaar ",
    "it.codicefiscale": "codice fiscale ",
    "nl.bsn": "BSN ",
    "pl.pesel": "PESEL ",
    "se.personnummer": "personnummer ",
    "tr.tckimlik": "TC kimlik no ",
    "us.ssn": "SSN ",
    "za.idnr": "ID number ",
}
"""What people write before an identifier."""

KEPT = {"fr.nir": 11}
"""Characters that stay: python-stdnum takes months and departments that do not exist."""

ALNUM = string.ascii_letters + string.digits
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
KNOWLEDGE = Path(__file__).parents[1] / "tools" / "scan" / "knowledge.toml"
ITEM = re.compile(r"(\[(?:\\.|[^]\\])+\]|\\?.)(?:\{(\d+)(?:,(\d+))?\}|(\?))?")
"""A character or class of a scanner's pattern, and how often it stands."""


class Corpus:
    """Makes lines."""

    def __init__(self, seed: int = SEED) -> None:
        self.random = random.Random(seed)  # noqa: S311  # no key is made of it
        self.patterns = cycle(tomllib.loads(KNOWLEDGE.read_text("utf-8"))["keys"])

    def some(self, alphabet: str, count: int) -> str:
        """Return random characters."""
        return "".join(self.random.choices(alphabet, k=count))

    def filler(self) -> str:
        """Return some words."""
        return " ".join(self.random.choices(WORDS, k=self.random.randrange(2, 7)))

    def luhn(self, prefix: str, size: int) -> str:
        """Return a number with its check digit."""
        body = prefix + self.some(string.digits, size - 1 - len(prefix))
        return body + str(import_module("stdnum.luhn").calc_check_digit(body))

    def card(self) -> str:
        """Return a card number, with spaces or hyphens or without."""
        prefix, size = self.random.choice([("4", 16), ("51", 16), ("2221", 16), ("6011", 16)])
        number = self.luhn(prefix, size)
        separator = self.random.choice(["", " ", "-"])
        return separator.join(number[i : i + 4] for i in range(0, size, 4))

    def iban(self) -> str:
        """Return an IBAN of a country whose account part has digits alone."""
        country, size = self.random.choice([("DE", 18), ("AT", 16), ("ES", 20), ("PL", 24)])
        account = self.some(string.digits, size)
        number = country + import_module("stdnum.iban").calc_check_digits(f"{country}00{account}")
        text = number + account
        if self.random.random() < 0.5:
            return str(text)
        return " ".join(text[i : i + 4] for i in range(0, len(text), 4))

    def national(self, kind: str) -> str:
        """Return an identifier that python-stdnum accepts: a sample with other digits."""
        is_valid = import_module(f"stdnum.{kind}").is_valid
        for _ in range(100000):
            text = "".join(
                self.some(string.digits, 1)
                if c.isdigit() and i >= KEPT.get(kind, 0) and self.random.random() < 0.5
                else c
                for i, c in enumerate(NATIONAL[kind])
            )
            letter = self.some(string.ascii_uppercase, 1)
            text = text[:-1] + letter if text[-1].isalpha() else text
            if text != NATIONAL[kind] and is_valid(text):
                return str(text)
        raise AssertionError(kind)

    def email(self) -> str:
        """Return an address."""
        name = self.some(string.ascii_lowercase, self.random.randrange(3, 10))
        domain = self.random.choice(["example.org", "mail.example.com", "example.co.uk"])
        return f"{name}{self.random.choice(['', '.x', '+tag', '_1'])}@{domain}"

    def phone(self) -> str:
        """Return a number in international form that phonenumbers finds valid."""
        phonenumbers = import_module("phonenumbers")
        region = self.random.choice(["DE", "US", "GB", "FR", "IN", "BR", "JP", "ZA"])
        number = phonenumbers.example_number(region)
        for _ in range(1000):
            text = str(number.national_number)[:-4] + self.some(string.digits, 4)
            other = phonenumbers.parse(f"+{number.country_code}{text}")
            if phonenumbers.is_valid_number(other):
                form = phonenumbers.PhoneNumberFormat.INTERNATIONAL
                return str(phonenumbers.format_number(other, form))
        raise AssertionError(region)

    def ipv4(self) -> str:
        """Return an address."""
        return ".".join(str(self.random.randrange(1, 255)) for _ in range(4))

    def ipv6(self) -> str:
        """Return an address, written in full or short."""
        ipaddress = import_module("ipaddress")
        address = ipaddress.IPv6Address((0x20010DB8 << 96) | self.random.getrandbits(64))
        return str(address if self.random.random() < 0.5 else address.exploded)

    def jwt(self) -> str:
        """Return a token with a random signature."""
        parts: list[dict[str, Any]] = [
            {"alg": self.random.choice(["HS256", "RS256"]), "typ": "JWT"},
            {"sub": self.some(string.digits, 10), "iat": 1700000000},
        ]
        coded = [base64.urlsafe_b64encode(json.dumps(one).encode()).decode() for one in parts]
        signature = base64.urlsafe_b64encode(self.random.randbytes(32)).decode()
        return ".".join(one.rstrip("=") for one in (*coded, signature))

    def key(self) -> str:
        """Return a key of one of several services."""
        kind = self.random.randrange(8)
        if kind == 0:
            return "AKIA" + self.some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
        if kind == 1:
            return "ghp_" + self.checked()
        if kind == 2:
            return "xoxb-" + "-".join(
                [*(self.some(string.digits, 12) for _ in "ab"), self.some(ALNUM, 24)]
            )
        if kind == 3:
            return "sk_" + "live_" + self.some(ALNUM, 24)
        if kind == 4:
            return "AIza" + self.some(ALNUM + "_-", 34) + self.some(ALNUM, 1)
        if kind == 5:
            return "glpat-" + self.some(ALNUM, 20)
        if kind == 6:
            return "npm_" + self.checked()
        return "SG." + self.some(ALNUM, 22) + "." + self.some(ALNUM, 43)

    def each_key(self) -> str:
        """Return a key of the next one of the scanner's patterns."""
        one, made = next(self.patterns), ""
        for item, least, most, maybe in ITEM.findall(one["pattern"]):
            chars = item[-1]
            if item[0] == "[":
                chars = "".join(c for c in string.printable if re.fullmatch(item, c))
            low = 0 if maybe else int(least or 1)
            made += self.some(chars, self.random.randint(low, int(most or least or 1)))
        return made[:-36] + self.checked() if one.get("check") == "crc32" else made

    def checked(self) -> str:
        """Return 30 characters with their CRC-32 in six."""
        body = self.some(ALNUM, 30)
        number, tail = zlib.crc32(body.encode()), ""
        for _ in range(6):
            number, digit = divmod(number, 62)
            tail = BASE62[digit] + tail
        return body + tail

    def values(self) -> dict[str, Callable[[], str]]:
        """Return a maker for each kind."""
        return {
            "card": self.card,
            "iban": self.iban,
            **{f"national_id {kind}": partial(self.national, kind) for kind in NATIONAL},
            "email": self.email,
            "phone": self.phone,
            "ipv4": self.ipv4,
            "ipv6": self.ipv6,
            "mac": lambda: ":".join(self.some("0123456789abcdef", 2) for _ in range(6)),
            "uuid": lambda: str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
            "jwt": self.jwt,
            "pem": lambda: (
                "-----BEGIN PRIVATE "
                + "KEY-----MIIE"
                + self.some(ALNUM, 80)
                + "-----END PRIVATE KEY-----"
            ),
            "url": lambda: f"postgres://app:{self.some(ALNUM, 12)}@db.example.com:5432/x",
            "key": self.key,
            "key.each": self.each_key,
            "entropy": lambda: self.some(ALNUM + "+/", 39) + self.some(ALNUM, 1),
        }

    def near_misses(self) -> dict[str, Callable[[], str]]:
        """Return a maker for each kind of text that is no value."""
        changed = {"card": self.card, "iban": self.iban}
        return {
            **{
                f"{kind} with a wrong check digit": partial(self.wrong, make)
                for kind, make in changed.items()
            },
            "order number of 16 digits": lambda: "order " + self.some("123456789", 16),
            "order number of 9 digits": lambda: "order " + self.some("123456789", 9),
            "order number of 11 digits": lambda: "order " + self.some("123456789", 11),
            "time in milliseconds": lambda: "17" + self.some(string.digits, 11),
            "date and time": lambda: (
                f"2026-{self.random.randrange(10, 13)}-11 23:1{self.some(string.digits, 1)}:24,123"
            ),
            "version of four numbers": lambda: (
                "version " + ".".join(self.some("123456789", 1) for _ in range(4))
            ),
            "number with a dot": lambda: (
                f"{self.some('123456789', 3)}.{self.some(string.digits, 3)}"
            ),
            "SHA-1 of a commit": lambda: "commit " + self.some("0123456789abcdef", 40),
            "name with @": lambda: "@" + self.some(string.ascii_lowercase, 8),
            "package and version": lambda: f"left-pad@{self.some('123456789', 1)}.0.1",
            "C++ name": lambda: "std::" + self.random.choice(["vector", "add", "dec", "cafe"]),
            "path": lambda: (
                f"/usr/lib/python3/dist-packages/{self.some(string.ascii_lowercase, 6)}/io2.py"
            ),
            "key of a manual": lambda: "AKIAIOSFODNN7" + "EXAMPLE",
            "placeholder of a key": lambda: "ghp_" + "x" * 36,
            "URL with a port": lambda: (
                f"https://example.com:8080/{self.some(string.ascii_lowercase, 5)}"
            ),
            "prose": lambda: self.filler(),
        }

    def wrong(self, make: Callable[[], str]) -> str:
        """Return a value with another last digit."""
        value = make()
        return value[:-1] + str((int(value[-1]) + self.random.randrange(1, 10)) % 10)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Give the lines: `kind` is None where there is no value."""
        for kind, make in self.values().items():
            for i in range(LINES):
                value, before = make(), self.filler() + " "
                label = ""
                if i % 2:  # half of the lines have a word before the value
                    label = {"entropy": 'secret = "', "key": 'token = "'}.get(
                        kind.split(".")[0], ""
                    )
                    label = LABELS.get(kind.partition(" ")[2], label)
                quote = '"' if label.endswith('"') else ""
                text = f"{before}{label}{value}{quote} {self.filler()}"
                start = len(before) + len(label)
                yield {"kind": kind, "text": text, "start": start, "end": start + len(value)}
        for name, make in self.near_misses().items():
            for _ in range(LINES):
                yield {
                    "kind": None,
                    "miss": name,
                    "text": f"{self.filler()} {make()} {self.filler()}",
                }
