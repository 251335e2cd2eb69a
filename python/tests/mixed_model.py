# SPDX-License-Identifier: Apache-2.0
"""Formats with layouts, from docs/reference/tokens.md: one value at a time, in big integers.

Of the package it uses `FastCipher`, which has tests of its own, and the layouts.
"""

from __future__ import annotations

import random

import numpy as np

from tallystick import FastCipher
from tallystick.formats.layouts import Layout
from tallystick.formats.mixed import MixedFormat
from tallystick.tokenizer import tweak_of


def layout_for(form: MixedFormat, value: str) -> Layout:
    """Return the one layout of a value."""
    (found,) = [layout for layout in form.layouts if _fits(layout, value)]
    return found


def _fits(layout: Layout, value: str) -> bool:
    return (
        len(value) == layout.width
        and all(value[place] == one for place, one in layout.literals)
        and all(value[p : p + field.width] in field.choices for p, field in layout.fields)
    )


def complete(form: MixedFormat, layout: Layout, text: str) -> str | None:
    """Return a value with its check characters; None if there is no such value."""
    texts = np.frombuffer(text.encode("ascii"), np.uint8).reshape(1, -1).copy()
    return texts.tobytes().decode("ascii") if form.complete(layout, texts)[0] else None


def written(layout: Layout, digits: list[int]) -> str:
    """Return a value of those fields, with zeros for check characters."""
    text = ["0"] * layout.width
    for place, one in layout.literals:
        text[place] = one
    for (place, field), digit in zip(layout.fields, digits, strict=True):
        text[place : place + field.width] = sorted(field.choices)[digit]
    return "".join(text)


def token(
    form: MixedFormat, key: bytes, namespace: str, value: str, own: bytes | None = None
) -> str:
    """Return the token of a value that fits."""
    layout = layout_for(form, value)
    sizes = [len(field.choices) for _, field in layout.fields]
    size, rank = 1, 0
    for one in sizes:
        size *= one
    for (place, field), one in zip(layout.fields, sizes, strict=True):
        rank = rank * one + sorted(field.choices).index(value[place : place + field.width])
    length = 2
    while 256**length < size:
        length += 1
    radix = 4
    while radix**length < size:
        radix += 1
    tweak = tweak_of(form, namespace, rows=own is not None)
    tweak += len(layout.kept).to_bytes(4, "big") + layout.kept + (own or b"")
    cipher = FastCipher(key, radix)
    while True:
        word = bytearray(length)
        for i in reversed(range(length)):
            rank, word[i] = divmod(rank, radix)
        rank = 0
        for symbol in cipher.encrypt(word, tweak):
            rank = rank * radix + symbol
        if rank < size:
            rest, digits = rank, []
            for one in reversed(sizes):
                rest, digit = divmod(rest, one)
                digits.append(digit)
            found = complete(form, layout, written(layout, digits[::-1]))
            if found is not None:
                return found


def drawn(form: MixedFormat, count: int, seed: int = 1) -> list[str]:
    """Return values of a format, of all its layouts in turn."""
    rng = random.Random(seed)  # noqa: S311
    found: list[str] = []
    while len(found) < count:
        layout = form.layouts[len(found) % len(form.layouts)]
        digits = [rng.randrange(len(field.choices)) for _, field in layout.fields]
        value = complete(form, layout, written(layout, digits))
        if value is not None:
            found.append(value)
    return found
