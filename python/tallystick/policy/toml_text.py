# SPDX-License-Identifier: Apache-2.0
"""TOML as text: its strings, comments and structure, and how deep it is nested."""

from __future__ import annotations

import re

MAX_DEPTH = 16
"""Tables and lists that may lie in each other, by brackets or by the dots of one key. Four have a
meaning; ``go/policy`` has the same limit."""

TOKEN = re.compile(
    r"""
    \#[^\n]*+                                         # a comment
    | "{3} (?: [^\\"]++ | \\. | "{1,2}+(?!") )*+ "{0,5}  # a string of several lines
    | '{3} (?: [^']++ | '{1,2}+(?!') )*+ '{0,5}
    | " (?P<basic> (?: [^\\"\n]++ | \\. )*+ ) "?      # a string of one line
    | ' (?P<literal> [^'\n]*+ ) '?
    | (?P<structure> [\[\]{}.\n=,] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Comments, strings and structure. A string without an end ends where a parser would stop."""


def too_deep(text: str) -> bool:
    """Say whether TOML is nested deeper than `MAX_DEPTH`; the text need not be valid.

    To be asked before the text is parsed: the memory and time of `tomllib` grow with the square of
    the depth.
    """
    brackets = dots = 0
    for token in TOKEN.finditer(text):
        structure = token["structure"]
        if structure == ".":
            dots += 1
        elif structure is not None:
            dots = 0
            if structure in "[{":
                brackets += 1
            elif structure in "]}":
                brackets = max(brackets - 1, 0)
        if brackets > MAX_DEPTH or dots >= MAX_DEPTH:
            return True
    return False
