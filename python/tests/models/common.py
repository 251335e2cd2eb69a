# SPDX-License-Identifier: Apache-2.0
"""What all models share: reasons, tweaks, and words of FAST."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from enum import IntEnum
from functools import cache
from typing import Any

from tallystick import FastCipher

MAX_TWEAK = 1024
"""Bytes of a whole tweak."""


class Reason(IntEnum):
    """The reasons why values are invalid, by their numbers in the vectors."""

    SHORT = 1
    LONG = 2
    FOREIGN = 3
    DELIMITER = 4
    CHECK = 5
    TWEAK = 6
    NOTATION = 7
    RANGE = 8
    NORMAL = 9


class InvalidError(Exception):
    """A value is invalid, for all of these reasons."""

    def __init__(self, *reasons: Reason) -> None:
        super().__init__(*reasons)
        self.reasons = set(reasons)


class Tokens:
    """The key, the namespace and the tweak of a row."""

    def __init__(self, key: bytes, namespace: str, tweak: bytes | None, *, reveal: bool) -> None:
        self.key = key
        self.namespace = namespace
        self.tweak = tweak
        self.reveal = reveal

    def head(self, identity: str) -> bytes:
        """Return part 1 of the tweak."""
        kind = b"column" if self.tweak is None else b"rows"
        parts = (b"tallystick 1", self.namespace.encode(), identity.encode(), kind)
        return _u32(len(parts)) + b"".join(_u32(len(part)) + part for part in parts)

    def whole(self, identity: str, *kept: bytes, fixed: bytes = b"") -> bytes:
        """Return all parts of the tweak; those of what is kept are behind their sizes."""
        tweak = self.head(identity) + b"".join(_u32(len(part)) + part for part in kept) + fixed
        tweak += self.tweak or b""
        if len(tweak) > MAX_TWEAK:
            raise InvalidError(Reason.TWEAK)
        return tweak

    def word(self, symbols: list[int], radix: int, tweak: bytes) -> list[int]:
        """Encrypt a word, or decrypt it."""
        cipher = _cipher(self.key, radix)
        run = cipher.decrypt if self.reveal else cipher.encrypt
        return list(run(bytes(symbols), tweak))

    def number(self, number: int, size: int, tweak: bytes) -> int:
        """Permute a number below `size`, once, as a word; the result may be too large."""
        length = 2
        while 256**length < size:
            length += 1
        radix = 4
        while radix**length < size:
            radix += 1
        symbols = []
        for _ in range(length):
            number, symbol = divmod(number, radix)
            symbols.append(symbol)
        for symbol in self.word(symbols[::-1], radix, tweak):
            number = number * radix + symbol
        return number


class Model(ABC):
    """A format."""

    identity: list[Any]
    one_way = False

    @property
    def identity_text(self) -> str:
        """The identity's JSON."""
        return json.dumps(self.identity, separators=(",", ":"))

    @abstractmethod
    def run(self, value: str, tokens: Tokens) -> str:
        """Return the token of a value, or the value of a token."""

    @abstractmethod
    def domain(self, value: str) -> int | None:
        """Return how many values are like this one."""


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


@cache
def _cipher(key: bytes, radix: int) -> FastCipher:
    return FastCipher(key, radix)
