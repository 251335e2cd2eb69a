# SPDX-License-Identifier: Apache-2.0
"""Formats of text once more, one value at a time, straight from docs/reference/tokens.md.

Of the package it uses `FastCipher`, which has tests of its own, and the options of the format.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import cache
from typing import Any

from tallystick import FastCipher
from tallystick.formats import Format, Reason

MAX_TWEAK = 1024


@cache
def cipher(key: bytes, radix: int) -> FastCipher:
    return FastCipher(key, radix)


@dataclass(frozen=True, kw_only=True)
class Text:
    """What a format of text consists of."""

    alphabet: str
    fold_case: bool = False
    separators: str = ""
    leading: str = ""
    delimiter: str = ""
    keep_after_delimiter: bool = False
    keep_first: int = 0
    keep_last: int = 0
    keep_positions: tuple[int, ...] = ()
    kept_as_tweak: bool = True
    min_length: int = 0
    max_length: int = 1024
    luhn: str = "none"
    allow_tiny_domain: bool = False


def text_of(form: Format) -> Text:
    """Return what a format consists of, by its name and options."""
    options: dict[str, Any] = dict(form.options)
    case, part = options.pop("case", ""), options.pop("part", "")
    lower, upper = string.ascii_lowercase, string.ascii_uppercase
    alphabets = {"letters": lower, "email": string.digits + lower, "uuid": string.hexdigits[:16]}
    options.setdefault("alphabet", alphabets.get(form.label, string.digits))
    if case == "upper":
        options["alphabet"] = options["alphabet"].upper()
    elif case == "mixed":
        options["alphabet"] += upper
    if form.label == "letters":
        options["fold_case"] = case == "keep"
    if form.label == "phone":
        options["leading"] = "+"
    if form.label == "uuid":
        options |= {"separators": "-", "keep_positions": (12, 16)}
        options |= {"min_length": 32, "max_length": 32}
    if form.label == "email":
        options |= {"delimiter": "@", "keep_after_delimiter": part == "local"}
        options["separators"] = ".!#$%&'*+/=?^_`{|}~-"
    return Text(**options)


def luhn_valid(digits: list[int]) -> bool:
    """Double every second digit from the right, add all digits of the results, end in 0."""
    doubled = [2 * d if i % 2 else d for i, d in enumerate(reversed(digits))]
    return sum(sum(map(int, str(number))) for number in doubled) % 10 == 0


def encode(*parts: bytes) -> bytes:
    sized = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return len(parts).to_bytes(4, "big") + sized


def transform(
    form: Text,
    key: bytes,
    tweak: bytes,
    value: str,
    own: bytes | None = b"",
    *,
    decrypt: bool = False,
) -> str | set[Reason]:
    """Return the token or, if a value does not fit, every reason that it has.

    `tweak` is part 1 of docs/reference/tokens.md, `own` part 3; None is a null in the tweak column.
    """
    text, reasons = value.encode(), set[Reason]()
    alphabet, upper = form.alphabet.encode(), b""
    if form.fold_case:
        upper = form.alphabet.upper().encode()
    delimiter, end = form.delimiter.encode(), len(text)
    if delimiter and text.count(delimiter) != 1:
        reasons.add(Reason.DELIMITER)
    if delimiter and form.keep_after_delimiter and delimiter in text:
        end = text.index(delimiter)

    places, symbols = [], []
    for i, byte in enumerate(text[:end]):
        if byte in upper:
            places.append(i)
            symbols.append(upper.index(byte))
        elif byte in alphabet:
            places.append(i)
            symbols.append(alphabet.index(byte))
        elif byte in form.leading.encode() and i == 0:
            pass
        elif byte not in form.separators.encode() + delimiter:
            reasons.add(Reason.FOREIGN)

    count, check = len(symbols), form.luhn != "none"
    kept = set(range(form.keep_first)) | set(form.keep_positions)
    kept |= set(range(max(0, count - form.keep_last), count))
    free = [i for i in range(count) if i not in kept]
    length = len(free) - check
    tiny = length < 2 or (len(alphabet) ** length < 100 and not form.allow_tiny_domain)
    if count < form.min_length or tiny:
        reasons.add(Reason.SHORT)
    if count > form.max_length or (check and count > 64):
        reasons.add(Reason.LONG)

    if form.kept_as_tweak and (
        form.keep_first or form.keep_last or form.keep_positions or form.keep_after_delimiter
    ):
        clear = bytes(symbols[i] for i in range(count) if i in kept)
        clear += text[end + 1 :] if form.keep_after_delimiter else b""
        tweak += len(clear).to_bytes(4, "big") + clear
    if own is None or len(tweak + own) > MAX_TWEAK:
        reasons.add(Reason.TWEAK)

    if check and free:
        read = list(symbols)
        if decrypt and form.luhn == "invalid":
            read[free[-1]] = (read[free[-1]] - 1) % 10
        if not luhn_valid(read):
            reasons.add(Reason.CHECK)
    if reasons or own is None:
        return reasons

    run = cipher(key, len(alphabet))
    word = bytes(symbols[i] for i in free[:length])
    for i, symbol in zip(
        free, (run.decrypt if decrypt else run.encrypt)(word, tweak + own), strict=False
    ):
        symbols[i] = symbol
    if check:
        right = next(
            d for d in range(10) if luhn_valid([*symbols[: free[-1]], d, *symbols[free[-1] + 1 :]])
        )
        symbols[free[-1]] = (right + (form.luhn == "invalid" and not decrypt)) % 10
    token = bytearray(text)
    for place, symbol in zip(places, symbols, strict=True):
        token[place] = (upper if text[place] in upper else alphabet)[symbol]
    return token.decode()
