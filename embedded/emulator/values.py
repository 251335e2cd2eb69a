# SPDX-License-Identifier: Apache-2.0
"""Words of 32 bits in many lanes at once, and the arithmetic of the processor on them.

A word that is the same in all lanes is an int, from 0 to 2^32 - 1; another one is an array of
uint32 with an entry for each lane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Lanes = NDArray[Any]
"""Of uint32; numpy's types make signed ones of operations with an int, which numpy does not."""
Word = int | Lanes
MASK = 0xFFFF_FFFF
SIGN = 1 << 31


def fit(value: Word) -> Word:
    """Return the lowest 32 bits; those of an array are the only ones that it has."""
    return value & MASK if isinstance(value, int) else value


def invert(value: Word) -> Word:
    """Return each bit as the other."""
    return value ^ MASK


def as_bit(condition: Word | NDArray[np.bool_]) -> Word:
    """Return 1 where a condition holds, and 0 elsewhere."""
    return int(condition) if isinstance(condition, int) else condition.astype(np.uint32)


def add(a: Word, b: Word, carry: Word = 0) -> Word:
    """Return the sum."""
    if isinstance(b, int) and isinstance(carry, int) and fit(b + carry) == 0:
        return a
    if isinstance(carry, int) and carry == 0:
        return fit(a + b)
    return fit(fit(a + b) + carry)


def carry_of(a: Word, b: Word, carry: Word = 0) -> Word:
    """Return the carry of the sum."""
    if isinstance(b, int) and isinstance(carry, int) and fit(b + carry) == 0:
        return (b + carry) >> 32
    wide = [word if isinstance(word, int) else word.astype(np.uint64) for word in (a, b, carry)]
    total = wide[0] + wide[1] + wide[2]
    return total >> 32 if isinstance(total, int) else as_bit(total >> np.uint64(32) != 0)


def overflow_of(a: Word, b: Word, total: Word) -> Word:
    """Return whether the sum of signed numbers does not fit."""
    return ((a ^ total) & (b ^ total)) >> 31


def shift_left(value: Word, amount: int) -> tuple[Word, Word | None]:
    """Return the shifted word and the last bit that fell out; None if none did."""
    if amount == 0:
        return value, None
    if amount > 32:
        return 0, 0
    last = value >> 32 - amount & 1
    return (0 if amount == 32 else fit(value << amount)), last


def shift_right(value: Word, amount: int) -> tuple[Word, Word | None]:
    """Return the shifted word and the last bit that fell out; None if none did."""
    if amount == 0:
        return value, None
    if amount > 32:
        return 0, 0
    return (0 if amount == 32 else value >> amount), value >> amount - 1 & 1


def shift_arithmetic(value: Word, amount: int) -> tuple[Word, Word | None]:
    """Return the shifted word and the last bit that fell out; None if none did."""
    if amount == 0:
        return value, None
    amount = min(amount, 32)
    last = value >> amount - 1 & 1
    ones = fit((value >> 31) * MASK)
    if amount == 32:
        return ones, last
    return value >> amount | fit(ones << 32 - amount), last


def rotate(value: Word, amount: int) -> tuple[Word, Word | None]:
    """Return the word rotated to the right and its highest bit; None if it was not rotated."""
    if amount == 0:
        return value, None
    amount %= 32
    turned = value >> amount | fit(value << 32 - amount) if amount else value
    return turned, turned >> 31


def rotate_each(value: Word, amount: Lanes, carry: Word) -> tuple[Word, Word | None]:
    """Return the words, each rotated by its own amount, and their highest bits; `carry` for 0."""
    wide = np.asarray(value, np.uint64) * np.uint64(1 << 32 | 1) >> (amount & 31).astype(np.uint64)
    turned = wide.astype(np.uint32)
    return turned, np.where(amount == 0, carry, turned >> 31).astype(np.uint32)


SHIFTS: dict[str, Callable[[Word, int], tuple[Word, Word | None]]] = {
    "lsl": shift_left,
    "lsr": shift_right,
    "asr": shift_arithmetic,
    "ror": rotate,
}


def signed(value: Word, bits: int) -> Word:
    """Return the lowest 8 or 16 bits as a signed number."""
    top = 1 << bits - 1
    low = value & (2 * top - 1)
    return (
        fit((low ^ top) + (2**32 - top)) if not isinstance(low, int) else (low ^ top) - top & MASK
    )


def reverse(value: Word) -> Word:
    """Return the bytes in the other order."""
    pairs = reverse_pairs(value)
    return pairs >> 16 | fit(pairs << 16)


def reverse_pairs(value: Word) -> Word:
    """Return the bytes of each half in the other order."""
    return (value & 0x00FF00FF) << 8 | value >> 8 & 0x00FF00FF


BINARY: dict[str, Callable[[Word, Word], Word]] = {
    "and": lambda a, b: a & b,
    "eor": lambda a, b: a ^ b,
    "orr": lambda a, b: a | b,
    "bic": lambda a, b: a & invert(b),
    "mul": lambda a, b: fit(a * b),
    "tst": lambda a, b: a & b,
}
UNARY: dict[str, Callable[[Word], Word]] = {
    "mov": lambda a: a,
    "mvn": invert,
    "sxtb": lambda a: signed(a, 8),
    "sxth": lambda a: signed(a, 16),
    "uxtb": lambda a: a & 0xFF,
    "uxth": lambda a: a & 0xFFFF,
    "rev": reverse,
    "rev16": reverse_pairs,
    "revsh": lambda a: signed(reverse_pairs(a), 16),
}
