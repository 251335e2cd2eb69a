# SPDX-License-Identifier: Apache-2.0
"""The groups of a printed share: base-32 symbols, a check symbol in each group, two check groups.

A group is four symbols and a check symbol over GF(32), which shows every wrong character. The two
check groups are a Reed-Solomon code over GF(2^20), whose elements are groups: it shows whatever
else happens in one or two groups, and which one it is if it is one. docs/reference/share-format.md
has both.
"""

from collections.abc import Iterator, Sequence

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's: no I, L, O, U."""
VALUES = {
    letter: value
    for value, character in enumerate(ALPHABET)
    for letter in (character, character.lower())
} | {"O": 0, "o": 0, "I": 1, "i": 1, "L": 1, "l": 1}
"""What each character is read as."""

DATA_SYMBOLS = 4
GROUP_SYMBOLS = DATA_SYMBOLS + 1
CHECK_GROUPS = 2
HEADER_GROUPS = 1
FORM = 1
"""The first symbol of all: which form of groups this is."""
MAX_BYTES = 2000
NUMBERS = 31
"""Groups whose numbers differ, but not by a multiple of this, differ in their check symbols. It has
no factor in common with the groups of a line, so lines repeat no sooner."""

_FIELD_32 = 0b100101  # x^5 + x^2 + 1
_FIELD_2_20 = 1 << 20 | 1 << 3 | 1  # x^20 + x^3 + 1, which x generates too


def group_count(size: int) -> int:
    """Return how many groups the printed form of this many bytes has."""
    data_groups = -(-8 * size // (5 * DATA_SYMBOLS))
    return HEADER_GROUPS + data_groups + CHECK_GROUPS


def check_symbol(number: int, word: int) -> int:
    """Return the check symbol of group `number`, from 1, whose symbols make the 20 bits `word`."""
    total = 0
    for shift in (15, 10, 5, 0):
        total = (total ^ (word >> shift & 31)) << 1
        if total >> 5:
            total ^= _FIELD_32
    return total ^ (number % NUMBERS)


def fits(number: int, symbols: Sequence[int]) -> bool:
    """Return whether these are the five symbols of a group with this number; -1 never fits."""
    return (
        len(symbols) == GROUP_SYMBOLS
        and min(symbols) >= 0
        and check_symbol(number, word_of(symbols)) == symbols[-1]
    )


def word_of(symbols: Sequence[int]) -> int:
    """Return a group's first four symbols as 20 bits."""
    word = 0
    for symbol in symbols[:DATA_SYMBOLS]:
        word = word << 5 | symbol
    return word


def characters(words: Sequence[int]) -> Iterator[str]:
    """Give each group as its five characters."""
    for number, word in enumerate(words, 1):
        data = "".join(ALPHABET[word >> shift & 31] for shift in (15, 10, 5, 0))
        yield data + ALPHABET[check_symbol(number, word)]


def pack(data: bytes) -> list[int]:
    """Return all groups of these bytes, without their check symbols: 20 bits each."""
    count = group_count(len(data)) - HEADER_GROUPS - CHECK_GROUPS
    value = int.from_bytes(data, "big") << (20 * count - 8 * len(data))
    words = [FORM << 15 | len(data)]
    words += [value >> 20 * (count - 1 - index) & 0xFFFFF for index in range(count)]
    return words + list(_check_words(words))


def header_size(word: int) -> int | None:
    """Return how many bytes the first group announces, or None if it is not of this form."""
    form, size = word >> 15, word & 0x7FFF
    return size if form == FORM and 1 <= size <= MAX_BYTES else None


def unpack(words: Sequence[int]) -> bytes | None:
    """Return the bytes of all groups, or None if the padding is not zero."""
    size = words[0] & 0x7FFF
    value = 0
    for word in words[HEADER_GROUPS:-CHECK_GROUPS]:
        value = value << 20 | word
    padding = 20 * (len(words) - HEADER_GROUPS - CHECK_GROUPS) - 8 * size
    if value & ((1 << padding) - 1):
        return None
    return (value >> padding).to_bytes(size, "big")


def wrong_group(words: Sequence[int]) -> int | None:
    """Find the group that is wrong, if it is one group alone.

    Returns
    -------
    int or None
        0 if the check groups fit the others. The number of the group, from 1, that must be wrong
        if only one is. None if it can't be one alone.
    """
    *data, first, second = words
    first_check, second_check = _check_words(data)
    error, moved = first ^ first_check, second ^ second_check
    if not error and not moved:
        return 0
    if not error:
        return len(words)
    if not moved:
        return len(words) - 1
    for number in range(len(data), 0, -1):
        if error == moved:
            return number
        error = _times_x(error)
    return None


def _check_words(words: Sequence[int]) -> tuple[int, int]:
    total = weighted = 0
    for word in words:
        total ^= word
        weighted = _times_x(weighted) ^ word
    return total, weighted


def _times_x(word: int) -> int:
    word <<= 1
    return word ^ _FIELD_2_20 if word >> 20 else word
