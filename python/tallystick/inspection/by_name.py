# SPDX-License-Identifier: Apache-2.0
"""The format of a column that has no value in the sample, by its name and type."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tallystick.formats.format import is_text
from tallystick.inspection.choice import Choice
from tallystick.inspection.column_names import words
from tallystick.inspection.knowledge import KNOWLEDGE, NEUTRAL
from tallystick.inspection.rules import PUNCTUATION

_ANY = {"type": "alphanumeric", "options": {"separators": PUNCTUATION}}
"""The format of text of kinds that `knowledge.toml` does not have."""

NOTE = "by its name alone, because the sample has no value; look at the column, and set the format"


def choice_by_name(name: str, hints: Mapping[str, float], kind: pa.DataType) -> Choice | None:
    """Return the format of a column without values; None: its name does not suggest personal data.

    `hints`: the kinds that the name suggests, from `column_names.hints`.
    `kind`: the column's type; a format must accept it.
    """
    personal = {what: sure for what, sure in hints.items() if what != NEUTRAL}
    if not personal or hints.get(NEUTRAL, 0) > max(personal.values()):
        return None
    what = max(personal, key=lambda one: personal[one])
    for choice in _choices(name, what, kind):
        if choice.form().accepts(kind):
            return choice
    return None


def _choices(name: str, what: str, kind: pa.DataType) -> list[Choice]:
    title = {"birth": "date of birth"}.get(what, what)

    def made(format_name: str, options: dict[str, Any]) -> Choice:
        return Choice(what, title, format_name, options, note=NOTE)

    if is_text(kind):
        national = _national(name)
        if what == "national id" and national:
            return [made("national_id", {"kind": national})]
        found = KNOWLEDGE["by_name"].get(what, _ANY)
        return [made(found["type"], found["options"])]
    if pa.types.is_integer(kind):
        limits = np.iinfo(kind.to_pandas_dtype())
        least, most = max(int(limits.min), 1 - 10**18), min(int(limits.max), 10**18 - 1)
        return [made("integer", {"min": least, "max": most})]
    if pa.types.is_decimal128(kind) or pa.types.is_decimal256(kind):
        whole = min(kind.precision, 18) - kind.scale
        end = "9" * max(1, whole) + ("." + "9" * kind.scale if kind.scale > 0 else "")
        return [made("decimal", {"min": f"-{end}", "max": end, "scale": kind.scale})]
    if pa.types.is_float64(kind):
        end = "9999999999.99"
        return [made("decimal", {"min": f"-{end}", "max": end, "scale": 2})]
    if pa.types.is_date(kind):
        return [made("date", {})]
    return [made("timestamp", {"resolution": one}) for one in ("us", "ms", "s")]


def _national(name: str) -> str | None:
    """Return the kind of national identifier whose short name is in a column name."""
    found = set(words(name)) | {"".join(words(name))}
    return next((kind for kind in KNOWLEDGE["national"] if kind.partition(".")[2] in found), None)
