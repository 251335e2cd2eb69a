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
_KEYLESS = {"bucket", "mask", "truncate"}
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
    """Make the format of a description; in a policy the column has the cipher."""
    options = {"type": described} if isinstance(described, str) else dict(described)
    cipher, tweak_hex = options.pop("cipher", "fast"), options.pop("tweak_hex", None)
    key = "" if options["type"] in _KEYLESS else ', key = "k:1", namespace = "n"'
    tweak = ', tweak = "t"' if options["type"] == "date_shift" else ""
    (rule,) = Policy.parse(_policy(options, key + tweak)).rules
    return rule.form.with_cipher(cipher, tweak_hex)


def refusal_of(described: Description) -> tuple[str, str]:
    """Return the place and the message with which a description is refused."""
    try:
        Policy.parse(_policy(described, ', key = "k:1", namespace = "n"'))
    except PolicyError as error:
        place, message = str(error).removeprefix("policy: columns.c.").split(": ", 1)
        return place, message
    raise AssertionError(f"{described} is a format")
