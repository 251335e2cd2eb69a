# SPDX-License-Identifier: Apache-2.0
"""Tokens of formats with another cipher than FAST: ``docs/reference/tokens.md``, "Other ciphers".

``PYTHONPATH=python/tests .venv/bin/python -m models.ciphers`` prints the file of ``vectors/``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from models import model_of
from models.common import Model, Tokens
from models.ff1 import ff1

Row = dict[str, Any]


class FF1Tokens(Tokens):
    """The same for FF1, or for the plain cipher if there is a `tweak_hex`."""

    def __init__(
        self,
        key: bytes,
        namespace: str,
        tweak: bytes | None,
        *,
        tweak_hex: str | None = None,
        reveal: bool,
    ) -> None:
        if tweak_hex is None:
            key = HKDF(SHA256(), len(key), None, b"tallystick ff1").derive(key)
        super().__init__(key, namespace, tweak, reveal=reveal)
        self._tweak_hex = tweak_hex

    def head(self, identity: str) -> bytes:
        """Return part 1 of the tweak."""
        if self._tweak_hex is not None:
            return bytes.fromhex(self._tweak_hex)
        head = super().head(f'["ff1",{identity}]')
        return head + bytes(-len(head) % 16)

    def word(self, symbols: list[int], radix: int, tweak: bytes) -> list[int]:
        """Encrypt a word, or decrypt it."""
        return ff1(self.key, radix, tweak, symbols, decrypt=self.reveal)


def split(described: Row) -> tuple[Model, str | None]:
    """Return the model of a description, and its `tweak_hex`."""
    options = {key: described[key] for key in described.keys() - {"cipher", "tweak_hex"}}
    return model_of(options), described.get("tweak_hex")


_CARD = {"type": "card", "keep_first": 6, "keep_last": 4}
_VALUES: tuple[tuple[Row, tuple[str, ...]], ...] = (
    ({"type": "digits"}, ("530421", "53-042 187", "1234567890123456", "9" * 40, "0" * 19)),
    (_CARD | {"keep_first": 0}, ("4111 1111 1111 1111", "378282246310005")),
    ({"type": "card", "luhn": "invalid"}, ("4111-1111-1111-1111",)),
    ({"type": "letters"}, ("Anne O'Neill", "Jean-Luc Picard")),
    ({"type": "alphanumeric"}, ("Unit 9Bx", "AB12 CDE")),
    ({"type": "hex"}, ("abcdef09", "00" * 32)),
    ({"type": "uuid"}, ("f81d4fae-7dec-41d0-a765-00a0c91e6bf6",)),
    ({"type": "ascii"}, ("Hello, world!", "x" * 130)),
    ({"type": "email"}, ("jane.doe+news@example.org",)),
    ({"type": "email", "part": "all", "at": "tokens.invalid"}, ("jane@example.org",)),
    ({"type": "integer", "min": 0, "max": 999999}, ("0", "1", "999999")),
    ({"type": "integer", "min": -(10**17), "max": 10**18 - 1}, ("-12", "123456789012345678")),
    ({"type": "date", "first": "0001-01-01", "last": "9999-12-31"}, ("1970-01-01", "2000-02-29")),
    (
        {"type": "decimal", "min": "-99999.99", "max": "99999.99", "scale": 2},
        ("0.00", "-12.50", "99999.99"),
    ),
    ({"type": "ipv4"}, ("198.51.100.7",)),
    ({"type": "ipv4", "prefix": 8}, ("10.1.2.3", "11.1.2.3")),
    ({"type": "ipv6", "prefix": 64}, ("2001:db8::7",)),
    ({"type": "pattern", "pattern": "AA-999999(X)"}, ("AB-123456", "AB-123456X")),
    ({"type": "iban"}, ("DE89370400440532013000", "FR1420041010050500013M02606")),
    ({"type": "national_id", "kind": "nl.bsn"}, ("111222333",)),
    ({"type": "ssn", "assignable": True}, ("078-05-1120",)),
    ({"type": "unicode", "script": "latin", "kept_as_tweak": False}, ("Zo\u00eb M\u00fcller",)),
    ({"type": "unicode", "script": "hangul"}, ("\uae40\ucca0\uc218\uc774\uc774",)),
)
_PLAIN: tuple[tuple[Row, str, tuple[str, ...]], ...] = (
    ({"type": "digits"}, "", ("0123456789", "99-88 77 66")),
    ({"type": "digits"}, "39383736353433323130", ("0123456789",)),
    (
        {"type": "alphabet", "alphabet": "0123456789abcdefghijklmnopqrstuvwxyz"},
        "3737373770717273373737",
        ("0123456789abcdefghi",),
    ),
    (_CARD | {"kept_as_tweak": False, "keep_first": 0}, "00" * 20, ("4111 1111 1111 1111",)),
)
_NATIONAL = {
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
    "pl.pesel": "44051401359",
    "se.personnummer": "880320-0016",
    "tr.tckimlik": "17291716060",
    "za.idnr": "750330 5044 08 9",
}
_NAMES = {
    "greek": "\u0393\u03b9\u03ac\u03bd\u03bd\u03b7\u03c2",
    "cyrillic": "\u0410\u043d\u043d\u0430",
    "arabic": "\u0645\u062d\u0645\u062f \u0627\u0644\u0647\u0627\u0634\u0645\u064a",
    "hebrew": "\u05e9\u05e8\u05d4 \u05db\u05d4\u05df",
    "devanagari": "\u092a\u094d\u0930\u093f\u092f\u093e \u0936\u0930\u094d\u092e\u093e",
    "kana": "\u3055\u3068\u3046 \u30cf\u30ca\u30b3",
    "cjk": "\u738b\u5c0f\u660e",
}
_TINY = {"allow_tiny_domain": True, "cipher": "ff1-2016"}
_LATER: tuple[tuple[Row, tuple[str, ...]], ...] = (
    ({"type": "base64url"}, ("SGVsbG8gV29ybGQ=", "-_-_-_")),
    ({"type": "imei"}, ("49-015420-323751-8",)),
    ({"type": "phone"}, ("+49 30 901820", "0049(30)90-18/20")),
    ({"type": "timestamp"}, ("2024-12-31T23:59:59", "2000-02-29 00:00:00Z")),
    ({"type": "hex", "tweak_hex": "00ff17"}, ("abcdef09", "00" * 32)),
    ({"type": "letters", "tweak_hex": ""}, ("Annemarie", "Anne O'Neill")),
    ({"type": "alphanumeric", "tweak_hex": "00ff17"}, ("Unit 9B", "0000000a")),
    ({"type": "base64url", "tweak_hex": "00" * 16}, ("SGVsbG8gV29ybGQ=", "-_-_-_")),
    ({"type": "ascii", "tweak_hex": "00ff17"}, ("Hello, world!", "=1+1    ")),
    ({"type": "imei", "luhn": "none", "tweak_hex": "00ff17"}, ("490154203237518",)),
    *(({"type": "national_id", "kind": kind}, (value,)) for kind, value in _NATIONAL.items()),
    *(({"type": "unicode", "script": name}, (value,)) for name, value in _NAMES.items()),
    (
        {"type": "unicode", "script": "japanese", "min_length": 4},
        ("\u6e21\u8fba \u3055\u304f\u3089\u3053",),
    ),
    ({"type": "unicode", "repertoire": "german"}, ("J\u00fcrgen Wei\u00df",)),
    ({"type": "pattern", "pattern": "[A-PR-UWYZ]9[A-HJKSTUW](9) 9[ABD-HJLN][A-Z]"}, ("D0D4 1AG",)),
    ({"type": "timestamp", "resolution": "us"}, ("2024-12-31T23:59:59.000001",)),
    ({"type": "decimal", "min": 0, "max": 10**9, "scale": 0}, ("0", "123456789")),
    ({"type": "date", **_TINY}, ("1970-01-01", "2000-02-29")),
    ({"type": "date", "first": "2000-01-01", "last": "2000-12-31", **_TINY}, ("2000-02-29",)),
    ({"type": "integer", "min": 0, "max": 99, **_TINY}, ("0", "99")),
    ({"type": "decimal", "min": "0.00", "max": "99.99", "scale": 2, **_TINY}, ("0.00", "12.50")),
    ({"type": "digits", **_TINY}, ("42", "1234-5")),
    ({"type": "letters", **_TINY}, ("Al", "O'Neill")),
    ({"type": "pattern", "pattern": "A99", **_TINY}, ("K07",)),
)
"""Those that came later, at the end of the file: what is before them never changes."""
_TWEAKS = (None, "", "first row", "12345678")


def _rows(described: Row, key: bytes, namespace: str, values: tuple[str, ...]) -> Iterator[Row]:
    model, tweak_hex = split(described)
    for value in values:
        for tweak in _TWEAKS:
            own = None if tweak is None else tweak.encode()
            tokens = FF1Tokens(key, namespace, own, tweak_hex=tweak_hex, reveal=False)
            row = {"value": value, "token": model.run(value, tokens)}
            yield row if tweak is None else {**row, "tweak": tweak}


def _case(described: Row, key: bytes, namespace: str, values: tuple[str, ...]) -> Row:
    form = {**described}
    form["cipher"] = form.pop("cipher", "ff1")  # last
    if "tweak_hex" in form:  # which follows its cipher
        form["tweak_hex"] = form.pop("tweak_hex")
    tokens = list(_rows(form, key, namespace, values))
    return {"format": form, "key": key.hex(), "namespace": namespace, "tokens": tokens}


def vectors() -> Iterator[Row]:
    """Make a few tokens of each format."""
    plain = ((described, {"tweak_hex": tweak}, values) for described, tweak, values in _PLAIN)
    none: Row = {}
    usual = ((described, none, values) for described, values in _VALUES)
    for number, (described, more, values) in enumerate((*usual, *plain)):
        key = bytes(range(number, number + (16, 24, 32)[number % 3]))
        if more:
            key = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C")
        yield _case({**described, **more}, key, "x" * (1 + number), values)
    for number, (described, values) in enumerate(_LATER):
        key = bytes(range(64 + number, 80 + number))
        yield _case(described, key, f"later {number}", values)


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in vectors()) + "\n]")
