# SPDX-License-Identifier: Apache-2.0
"""Shares typed line by line: what is asked again, and what ends it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tallystick.shares.printed import compact, encode
from tallystick.shares.typed import read_share

SHARE = random.Random(1).randbytes(170)  # noqa: S311
TEXT = encode(SHARE, ["customers root key"])
LINES = [line.split(": ")[1] for line in TEXT.splitlines() if ": " in line]
PROMPTS = ["line 1: ", *(f"line {number} of {len(LINES)}: " for number in range(2, 13))]


class Person:
    """Types lines in order; None is Ctrl-D."""

    def __init__(self, *lines: str | None) -> None:
        self.left = list(lines)
        self.prompts: list[str] = []
        self.reported: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = self.left.pop(0)
        if line is None:
            raise EOFError
        return line

    def tell(self, text: str) -> None:
        self.reported.append(text)


def mistyped(line: str, at: int = 0) -> str:
    return line[:at] + ("7" if line[at] != "7" else "8") + line[at + 1 :]


def test_lines_are_asked_for_in_order() -> None:
    person = Person(*LINES)
    assert read_share(person) == SHARE
    assert person.prompts == PROMPTS
    assert person.reported == []


@pytest.mark.parametrize("of", [str.lower, lambda line: f"  {line.replace(' ', '-')} "])
def test_how_it_is_typed_does_not_matter(of: Callable[[str], str]) -> None:
    assert read_share(Person(*map(of, LINES))) == SHARE


def test_all_is_pasted_with_the_rest_of_the_paper() -> None:
    person = Person(*TEXT.splitlines())
    assert read_share(person) == SHARE
    assert person.left == ["END"]


def test_what_a_scanner_of_qr_codes_types() -> None:
    person = Person(compact(TEXT))
    assert read_share(person) == SHARE
    assert person.prompts == ["line 1: "]


def test_a_mistyped_code_is_asked_for_again() -> None:
    code = compact(TEXT)
    person = Person(mistyped(code, len(code) - 1), code)
    assert read_share(person) == SHARE
    assert len(person.reported) == 1


@pytest.mark.parametrize("number", [1, 2, 12])
def test_a_mistyped_line_is_asked_for_again(number: int) -> None:
    line = LINES[number - 1]
    wrong = [mistyped(line), line[:-1], line + "0", LINES[number % 12], "", "# remark"]
    person = Person(*LINES[: number - 1], *wrong, *LINES[number - 1 :])
    assert read_share(person) == SHARE
    assert person.prompts[number - 1 : number + 5] == [PROMPTS[number - 1]] * 6
    assert len(person.reported) == 4
    assert all(f"line {number}" in text for text in person.reported)


def test_errors_that_cancel_in_a_line_are_seen_at_the_end() -> None:
    """Two symbols of a group changed so that its check symbol fits."""
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    line = LINES[3]
    for symbol in alphabet:
        first = alphabet[(alphabet.index(line[0]) + 1) % 32]
        wrong = first + symbol + line[2:]
        person = Person(*LINES[:3], wrong, line, *LINES[4:])
        person.left += [line]  # asked again at the end, if it was taken
        if wrong != line and read_share(person) == SHARE and person.prompts[-1] == PROMPTS[3]:
            assert person.prompts == [*PROMPTS[:4], PROMPTS[4], *PROMPTS[4:], PROMPTS[3]]
            break
    else:
        pytest.fail("no such change was found")


def test_control_d_begins_anew_and_then_ends() -> None:
    person = Person(*LINES[:5], None, *LINES)
    assert read_share(person) == SHARE
    assert len(person.reported) == 1
    with pytest.raises(EOFError):
        read_share(Person(*LINES[:5], None, None))


def test_lines_beyond_the_last_are_dropped_with_another_first_line() -> None:
    """Line 1 of a longer share, then that of the one wanted after an error that names no line."""
    longer = encode(random.Random(2).randbytes(300))  # noqa: S311
    others = [line.split(": ")[1] for line in longer.splitlines() if ": " in line]
    person = Person(others[0], *others[1:], *LINES)
    assert len(read_share(person)) == 300
    assert read_share(person) == SHARE


def test_nothing_typed_is_repeated() -> None:
    person = Person(*(mistyped(LINES[0], at) for at in range(5)), *LINES)
    read_share(person)
    assert all(group not in text for text in person.reported for group in LINES[0].split())
