# SPDX-License-Identifier: Apache-2.0
"""Text over an alphabet, and what is made of it: e-mail addresses at a domain, and IPv6."""

from __future__ import annotations

import ipaddress
import string
from dataclasses import dataclass
from typing import Any

from models.common import InvalidError, Model, Reason, Tokens

_LOWER, _DIGITS = string.ascii_lowercase, string.digits
_MAIL = ".!#$%&'*+/=?^_`{|}~-"

_PRESETS: dict[str, dict[str, Any]] = {
    "digits": {"alphabet": _DIGITS, "separators": " -"},
    "hex": {"alphabet": _DIGITS + "abcdef", "case": "lower"},
    "letters": {"alphabet": _LOWER, "separators": " -.'", "case": "keep"},
    "alphanumeric": {"alphabet": _DIGITS + _LOWER, "separators": " -", "case": "mixed"},
    "base64url": {"alphabet": string.ascii_uppercase + _LOWER + _DIGITS + "-_", "separators": "="},
    "ascii": {"alphabet": "".join(map(chr, range(32, 127)))},
    "alphabet": {},
    "card": {
        **{"alphabet": _DIGITS, "separators": " -", "luhn": "valid"},
        **{"min_length": 12, "max_length": 19},
    },
    "ssn": {"alphabet": _DIGITS, "separators": "- ", "min_length": 9, "max_length": 9},
    "phone": {
        **{"alphabet": _DIGITS, "separators": " -()./", "leading": "+"},
        **{"min_length": 6, "max_length": 15},
    },
    "imei": {
        **{"alphabet": _DIGITS, "separators": " -/", "luhn": "valid"},
        **{"min_length": 15, "max_length": 15},
    },
    "uuid": {
        **{"alphabet": _DIGITS + "abcdef", "separators": "-", "case": "lower"},
        **{"keep_positions": (12, 16), "min_length": 32, "max_length": 32},
    },
    "email": {
        **{"alphabet": _DIGITS + _LOWER, "separators": _MAIL, "delimiter": "@"},
        **{"case": "lower", "keep_after": True},
    },
}


def luhn_valid(digits: list[int]) -> bool:
    """Say whether digits satisfy Luhn's formula."""
    doubled = (d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def text_model(name: str, options: dict[str, Any]) -> Model:
    """Make the model of a preset."""
    settings = {**_PRESETS[name], **options}
    case, alphabet = settings.pop("case", ""), settings.pop("alphabet")
    part, at = settings.pop("part", "local"), settings.pop("at", None)
    if case == "upper":
        alphabet = alphabet.upper()
    if case == "mixed":
        alphabet += string.ascii_uppercase
    if part == "all":
        settings["keep_after"] = False
    if at is not None:
        settings["separators"] = _MAIL.replace("=", "")
    text = TextModel(alphabet=alphabet, fold=case == "keep", **settings)
    return text if at is None else MailModel(text, at)


@dataclass(kw_only=True)
class TextModel(Model):
    """Text whose symbols are replaced in their places."""

    alphabet: str
    fold: bool = False
    separators: str = ""
    leading: str = ""
    delimiter: str = ""
    keep_after: bool = False
    keep_first: int = 0
    keep_last: int = 0
    keep_positions: tuple[int, ...] = ()
    kept_as_tweak: bool = True
    min_length: int = 0
    max_length: int = 1024
    luhn: str = "none"
    allow_tiny_domain: bool = False

    def __post_init__(self) -> None:
        keeps = self.keep_first or self.keep_last or self.keep_positions or self.keep_after
        self.tweak_kept = bool(self.kept_as_tweak and keeps)
        self.identity = [
            *("text", self.alphabet, self.fold, self.keep_after, self.keep_first, self.keep_last),
            *(sorted(self.keep_positions), self.tweak_kept, self.luhn),
        ]

    def _symbol(self, one: str) -> int | None:
        """Return the number of a character."""
        if self.fold and one in self.alphabet.upper():
            one = one.lower()
        return self.alphabet.index(one) if one in self.alphabet else None

    def _free(self, count: int) -> list[int]:
        """Return which of so many symbols are not kept."""
        kept = {*range(self.keep_first), *self.keep_positions}
        return [i for i in range(count - self.keep_last) if i not in kept]

    def domain(self, value: str) -> int:
        """Count the words of the value's length."""
        if self.keep_after:
            value = value.partition(self.delimiter)[0]
        count = sum(self._symbol(one) is not None for one in value)
        return int(len(self.alphabet) ** (len(self._free(count)) - (self.luhn != "none")))

    def run(self, value: str, tokens: Tokens, *, identity: str = "") -> str:
        """Replace the symbols."""
        wrong: set[Reason] = set()
        end = len(value)
        if self.delimiter:
            if value.count(self.delimiter) != 1:
                wrong.add(Reason.DELIMITER)
            if self.keep_after and self.delimiter in value:
                end = value.index(self.delimiter)
        places, symbols = [], []
        for place, one in enumerate(value[:end]):
            symbol = self._symbol(one)
            if symbol is not None:
                places.append(place)
                symbols.append(symbol)
            elif one not in self.separators + self.delimiter and (place or one not in self.leading):
                wrong.add(Reason.FOREIGN)
        count, radix = len(symbols), len(self.alphabet)
        checked = self.luhn != "none"
        free = self._free(count)
        word, encrypted = free[: len(free) - checked], set(free)
        tiny = not self.allow_tiny_domain and radix ** len(word) < 100
        if count < self.min_length or len(word) < 2 or tiny:
            wrong.add(Reason.SHORT)
        if count > self.max_length or (checked and count > 64):
            wrong.add(Reason.LONG)
        if checked and free:
            read = list(symbols)
            if tokens.reveal and self.luhn == "invalid":
                read[free[-1]] = (read[free[-1]] - 1) % 10
            if not luhn_valid(read):
                wrong.add(Reason.CHECK)
        kept = bytes(symbol for i, symbol in enumerate(symbols) if i not in encrypted)
        kept += value[end + 1 :].encode()
        tweak = b""
        try:
            tweak = tokens.whole(identity or self.identity_text, *[kept] * self.tweak_kept)
        except InvalidError as error:
            wrong |= error.reasons
        if wrong:
            raise InvalidError(*wrong)

        for i, symbol in zip(
            word, tokens.word([symbols[i] for i in word], radix, tweak), strict=True
        ):
            symbols[i] = symbol
        if checked:
            last = free[-1]
            symbols[last] = next(
                d for d in range(10) if luhn_valid([*symbols[:last], d, *symbols[last + 1 :]])
            )
            symbols[last] += self.luhn == "invalid" and not tokens.reveal
            symbols[last] %= 10
        text = list(value)
        for place, symbol in zip(places, symbols, strict=True):
            letter = self.alphabet[symbol]
            upper = self.fold and text[place].isupper()
            text[place] = letter.upper() if upper else letter
        return "".join(text)


class MailModel(Model):
    """E-mail addresses whose tokens are at a reserved domain."""

    def __init__(self, inner: TextModel, at: str) -> None:
        self.inner = inner
        self.end = f"@{at}"
        self.identity = ["email", at, *inner.identity]

    def domain(self, value: str) -> int:
        """Count the addresses of the value's length."""
        return self.inner.domain(value)

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace the whole address."""
        if not tokens.reveal:
            token = self.inner.run(value, tokens, identity=self.identity_text)
            return token.replace("@", "=") + self.end
        if not value.endswith(self.end):
            raise InvalidError(Reason.NOTATION)
        address = value.removesuffix(self.end).replace("=", "@")
        return self.inner.run(address, tokens, identity=self.identity_text)


class Ipv6Model(Model):
    """IPv6 addresses as Python's own library writes them, but without a dotted part."""

    def __init__(self, prefix: int = 0) -> None:
        self.identity = ["ipv6", prefix]
        self.digits = TextModel(
            alphabet=_DIGITS + "abcdef", keep_first=prefix // 4, min_length=32, max_length=32
        )

    def domain(self, value: str) -> int:
        """Count the addresses of the network."""
        return self.digits.domain("0" * 32)

    @staticmethod
    def _written(digits: str) -> str:
        groups = [f"{int(digits[i : i + 4], 16):x}" for i in range(0, 32, 4)]
        for length in range(8, 1, -1):
            for first in range(9 - length):
                if groups[first : first + length] == ["0"] * length:
                    left, right = groups[:first], groups[first + length :]
                    return ":".join(left) + "::" + ":".join(right)
        return ":".join(groups)

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace the digits behind the network's."""
        try:
            digits = ipaddress.IPv6Address(value).exploded.replace(":", "")
        except ValueError:
            raise InvalidError(Reason.NOTATION) from None
        if self._written(digits) != value:
            raise InvalidError(Reason.NOTATION)
        return self._written(self.digits.run(digits, tokens, identity=self.identity_text))
