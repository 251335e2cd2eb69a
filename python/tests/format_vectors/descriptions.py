# SPDX-License-Identifier: Apache-2.0
"""Formats described in JSON, as a policy has them in TOML: JSON has dates as text."""

from __future__ import annotations

import json
import re
from typing import Any

from tallystick import PolicyError
from tallystick.formats import Format
from tallystick.policy import Policy

Description = str | dict[str, Any]

_DATES = {"first", "last"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d.*)?")


def toml(value: object, name: str = "") -> str:
    """Write a value in TOML."""
    if isinstance(value, dict) and "$datetime" in value:
        return str(value["$datetime"])
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v, k)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        if name in _DATES and _DATE.fullmatch(value):
            return value
        # No pairs of surrogates, which TOML's escapes have not.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _policy(described: Description, key: str) -> str:
    return f"[columns]\nc = {{format = {toml(described)}{key}}}\n"


def form_of(described: Description) -> Format:
    """Make the format of a description."""
    name = described if isinstance(described, str) else described["type"]
    key = "" if name == "mask" else ', key = "k:1", namespace = "n"'
    (rule,) = Policy.parse(_policy(described, key)).rules
    return rule.form


def refusal_of(described: Description) -> tuple[str, str]:
    """Return the place and the message with which a description is refused."""
    try:
        Policy.parse(_policy(described, ', key = "k:1", namespace = "n"'))
    except PolicyError as error:
        place, message = str(error).removeprefix("policy: columns.c.").split(": ", 1)
        return place, message
    raise AssertionError(f"{described} is a format")
