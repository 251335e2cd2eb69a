# SPDX-License-Identifier: Apache-2.0
"""Findings: which part of a text is to be protected, and as what."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tallystick.errors import ParameterError


class Finding(NamedTuple):
    """A part of a text: characters `start` to `end` - 1."""

    start: int
    end: int
    kind: str
    """A kind of the policy, such as ``email``."""


Recognizer = Callable[[str], Iterable[tuple[int, int, str]]]
"""It is given a text, and yields start, end and kind of each part to protect."""


def joined(findings: Iterable[tuple[int, int, str]], size: int) -> list[Finding]:
    """Return findings in order, none over another.

    Those that overlap become one from the first start to the last end, of the longest one's kind:
    no character of a finding stays in clear.

    Raises `ParameterError`: a finding is not within the text.
    """
    made: list[Finding] = []
    longest = 0
    for start, end, kind in sorted(findings, key=lambda found: (found[0], -found[1])):
        if not 0 <= start <= end <= size:
            raise ParameterError(
                f"a finding is from {start} to {end}, and the text has {size} characters: "
                "was it found in another text?"
            )
        if start == end:
            continue
        if made and start < made[-1].end:
            last = made[-1]
            kind = kind if end - start > longest else last.kind
            longest = max(longest, end - start)
            made[-1] = Finding(last.start, max(last.end, end), kind)
        else:
            made.append(Finding(start, end, kind))
            longest = end - start
    return made


def apart(findings: Iterable[Finding], taken: list[tuple[int, int]]) -> list[Finding]:
    """Return findings without the parts that are taken. Both are in order, none over another."""
    made: list[Finding] = []
    at = 0
    for start, end, kind in findings:
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        one = at
        while one < len(taken) and taken[one][0] < end:
            if start < taken[one][0]:
                made.append(Finding(start, taken[one][0], kind))
            start, one = max(start, taken[one][1]), one + 1
        if start < end:
            made.append(Finding(start, end, kind))
    return made
