# SPDX-License-Identifier: Apache-2.0
"""The inputs of cases: given values, values drawn from them, and texts that may be none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from format_vectors.arrow_types import column, numbers_of
from format_vectors.descriptions import Description, form_of
from format_vectors.record import Case, Row, described, fault_of, number_fault, tokenizer
from tallystick import Tokenizer

_TWEAKS = ("customer 17", "é7", "", "4711", "a longer tweak of a row, of some 50 characters in all")
_NAMESPACES = ("name", "person id", "Kunden-Nr. ä", "n", 'with "quotes" and \\', "ü" * 128)
_numbers = iter(count())

_DAMAGED = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"\x80")


def begin(number: int) -> None:
    """Count cases from a number on: keys and tweaks depend on it."""
    global _numbers
    _numbers = iter(count(number))


def case(
    described_as: Description,
    values: Iterable[str | bytes] = (),
    *,
    draw: int = 4,
    probes: Iterable[str | bytes] = (),
    mutate: int = 0,
    columns: Mapping[str, Sequence[int]] | None = None,
    types: bool = False,
    tweak: bool = True,
) -> Case:
    """Make the inputs of a case.

    Parameters
    ----------
    described_as
        The format.
    values
        Values, beside the format's examples.
    draw
        How many more there are: tokens of those under other namespaces are values, too.
    probes
        Texts that may be invalid.
    mutate
        From how many of the values more such texts are made, by changing a character.
    columns
        Numbers by the types of columns; those out of range are invalid.
    types
        Whether the types of columns are asked for.
    tweak
        Whether there are tokens with the tweak of a row.
    """
    number, form = next(_numbers), form_of(described_as)
    found: Case = {"format": described_as}
    if form.keyed:
        size = form.key_size or (16, 24, 32)[number % 3]
        found["key"] = bytes((number * 7 + i) % 256 for i in range(size)).hex()
        found["namespace"] = _NAMESPACES[number % len(_NAMESPACES)]
        if tweak:
            found["tweak"] = _TWEAKS[number % len(_TWEAKS)]
    tool = tokenizer(form, found)
    good: list[str | bytes] = []
    rejected: list[Row] = []
    for value in dict.fromkeys([*form.examples, *values]):
        if fault_of(tool.protect, value, None) is None:
            good.append(value)
        else:
            rejected += _rejected(tool, value)
    texts = [value for value in good if isinstance(value, str)]
    if not form.one_way and texts:
        for i in range(draw):
            other = Tokenizer(form, bytes(16), namespace=f"draw {i}")
            token = other.protect(texts[i % len(texts)])
            if token not in good and fault_of(tool.protect, token, None) is None:
                good.append(token)
            other.close()
    for value in dict.fromkeys([*probes, *(m for v in texts[:mutate] for m in mutations(v))]):
        if value in good:
            continue
        if len(good) < 40 and fault_of(tool.protect, value, None) is None:
            good.append(value)
        rejected += _rejected(tool, value)
    found["values"] = [described(value) for value in good]
    if rejected:
        found["invalid"] = rejected
    if columns:
        found["columns"] = [numbers_in(tool, kind, given) for kind, given in columns.items()]
    if types:
        found["types"] = {}
    tool.close()
    return found


def _rejected(tool: Tokenizer, value: str | bytes) -> list[Row]:
    """Return the row of a text that is invalid in one direction or both."""
    names = ["protect"] if tool.form.one_way else ["protect", "reveal"]
    bad = [name for name in names if fault_of(getattr(tool, name), value, None) is not None]
    if not bad:
        return []
    return [described(value) | ({"direction": bad[0]} if len(bad) < 2 else {})]


def numbers_in(tool: Tokenizer, kind: str, given: Sequence[int]) -> Case:
    good: list[Row] = []
    bad: list[Row] = []
    for number in given:
        fault = number_fault(tool.protect, kind, number)
        (good if fault is None else bad).append({"value": str(number)})
    tokens = []
    for i, row in enumerate(() if tool.form.one_way else good[:3]):
        other = Tokenizer(tool.form, bytes(16), namespace=f"draw {i}")
        token = numbers_of(other.protect(column(kind, [int(row["value"])])))[0]
        tokens.append({"value": str(token)})
    return {"type": kind, "values": good + [row for row in tokens if row not in good]} | (
        {"invalid": bad} if bad else {}
    )


def mutations(value: str) -> list[str | bytes]:
    """Return texts that differ from a value in a character or two."""
    middle, last = len(value) // 2, max(0, len(value) - 1)
    found: list[str | bytes] = ["", value[1:], value[:-1], value + value[-1:], value[:1]]
    for other in ("0", "A", " ", ".", "é", "٣", "\x00", "😀"):
        for place in (0, middle, last):
            found.append(value[:place] + other + value[place + 1 :])
    found += [f" {value}", f"{value} ", f"{value}\n", f"-{value}", f"+{value}", f"{value}0"]
    found += [value[:middle] + one + value[middle:] for one in (" ", "-", "x", "\t", "@", "€")]
    raw = value.encode()
    half = len(raw) // 2
    found += [raw[:half] + damaged + raw[half:] for damaged in _DAMAGED[:4]]
    found += [raw + _DAMAGED[1], _DAMAGED[0]]
    found.append(value.swapcase())
    found += [f"{value}{value}", "x" * 20, "-", "0"]
    return found


def drawn(seed: str, alphabet: str, separators: str, lengths: Iterable[int]) -> list[str]:
    """Return texts of so many symbols, with some separators among them."""
    chance = random.Random(seed)  # noqa: S311
    found = []
    for length in lengths:
        text = ""
        for i in range(length):
            if separators and i and chance.random() < 0.2:
                text += chance.choice(separators)
            text += chance.choice(alphabet)
        found.append(text)
    return found
