# SPDX-License-Identifier: Apache-2.0
"""What inspection knows of values: words, formats and patterns, which `knowledge.toml` has."""

import tomllib
from importlib.resources import files
from typing import Any

KNOWLEDGE: dict[str, Any] = tomllib.loads(
    files("tallystick.inspection").joinpath("knowledge.toml").read_text("utf-8")
)

NEUTRAL = "something else"
"""The kind of words that speak of things, not of persons."""

FAIR = 0.7
"""How sure a word makes of its kind, by itself, if it is a fair one."""

_SURE = {"strong": 0.85, "fair": FAIR, "weak": 0.45}

HINTS = tuple(
    (
        str(one["kind"]),
        _SURE[one["sure"]],
        [" ".join(phrase.split()) for phrase in one["phrases"].split(";")],
    )
    for one in KNOWLEDGE["hints"]
)
"""Kind, how sure its phrases make, and the phrases."""

_WORDS = {name: tuple(text.split()) for name, text in KNOWLEDGE["words"].items()}

GIVEN_NAMES = frozenset(_WORDS["given_names"])
FAMILY_BEGINNINGS = _WORDS["family_beginnings"]
STREET_WORDS = frozenset(_WORDS["streets"])
STREET_ENDS = _WORDS["street_ends"]
