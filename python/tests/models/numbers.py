# SPDX-License-Identifier: Apache-2.0
"""Plain models of formats that only the core has: dates that move, buckets, numbers cut short."""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import date, timedelta
from decimal import ROUND_DOWN, ROUND_FLOOR, Context, Decimal
from typing import Any

from models.common import InvalidError, Reason


def shift(key: bytes, namespace: str, days: int, entity: bytes) -> int:
    """Return by how many days the dates of an entity move."""
    derived = hmac.new(bytes(32), key, hashlib.sha256).digest()
    derived = hmac.new(derived, b"tallystick date shift 1\x01", hashlib.sha256).digest()
    head = (4).to_bytes(4, "big")
    for part in ("tallystick 1", namespace, f'["date_shift",{days}]', "rows"):
        head += len(part.encode()).to_bytes(4, "big") + part.encode()
    number = int.from_bytes(hmac.new(derived, head + entity, hashlib.sha256).digest()[:8], "big")
    index = number * 2 * days >> 64
    return index - days if index < days else index - days + 1


def shifted(case: dict[str, Any], value: str, entity: str) -> str:
    """Return the token of a date; what follows it is its time."""
    days = shift(
        bytes.fromhex(case["key"]),
        case["namespace"],
        case["format"].get("days", 365),
        entity.encode(),
    )
    notation = case["format"].get("notation", ISO)
    size = len(notation)
    moved = read_date(notation, value[:size]) + timedelta(days)
    return write_date(notation, moved) + value[size:]


ISO = "YYYY-MM-DD"


def read_date(notation: str, text: str) -> date:
    """Return the date that text says in a notation; `ValueError`: there is no such day."""
    pattern = re.escape(notation)
    for name, digits in (("YYYY", 4), ("MM", 2), ("DD", 2)):
        pattern = pattern.replace(name, f"(?P<{name}>[0-9]{{{digits}}})")
    found = re.fullmatch(pattern, text)
    if found is None:
        raise InvalidError(Reason.NOTATION)
    return date(int(found["YYYY"]), int(found["MM"]), int(found["DD"]))


def write_date(notation: str, day: date) -> str:
    """Return a date in a notation."""
    numbers = {"YYYY": f"{day.year:04}", "MM": f"{day.month:02}", "DD": f"{day.day:02}"}
    return re.sub("YYYY|MM|DD", lambda found: numbers[found[0]], notation)


def bucket(options: dict[str, Any], value: str) -> str:
    """Return the range of a number or date, as text."""
    low = options.get("label") == "low"
    if "unit" in options:
        notation = options.get("notation", ISO)
        day = read_date(notation, value[: len(notation)])
        year, month = day.year, day.month
        first = {"month": month, "quarter": (month - 1) // 3 * 3 + 1, "year": 1}[options["unit"]]
        if low:
            return write_date(notation, date(year, first, 1))
        part = {"month": f"-{month:02}", "quarter": f"-Q{(month + 2) // 3}", "year": ""}
        return f"{year:04}{part[options['unit']]}"
    number = Decimal(value)
    if "edges" in options:
        edges = [Decimal(edge) for edge in options["edges"]]
        scale = max(map(_digits, edges))
        place = sum(number >= edge for edge in edges) - 1
        if place < 0:
            return f"<{edges[0]:.{scale}f}"
        begin, end = edges[place], edges[place + 1] if place + 1 < len(edges) else None
    else:
        width, origin = Decimal(options["width"]), Decimal(options.get("origin", 0))
        top = Decimal(options["top"]) if "top" in options else None
        scale = max(_digits(one) for one in (width, origin, top) if one is not None)
        steps = ((number - origin) / width).to_integral_value(ROUND_FLOOR)
        begin = origin + steps * width
        end = begin + width
        if top is not None and number >= top:
            begin, end = top, None
    if low:
        return f"{begin:.{scale}f}"
    if end is None:
        return f"{begin:.{scale}f}+"
    if scale:
        return f"{begin:.{scale}f}..<{end:.{scale}f}"
    return f"{begin}" if end - begin == 1 else f"{begin}..{end - 1}"


def _digits(number: Decimal) -> int:
    """Return how many digits a number needs after the point."""
    scale = 0
    while number.scaleb(scale) % 1:
        scale += 1
    return scale


def truncated(options: dict[str, Any], value: str) -> str:
    """Return text or a number cut short."""
    if "decimals" in options:
        step = Decimal(1).scaleb(-options["decimals"])
        cut = Decimal(value).quantize(step, ROUND_DOWN, Context(prec=60))
        return f"{cut if cut else abs(cut):.{options['decimals']}f}"
    kept, replacement = options["characters"], options.get("replacement", "")
    rest = [one if replacement and one in " -" else replacement for one in value[kept:]]
    return value[:kept] + "".join(rest)


def token(case: dict[str, Any], row: dict[str, str]) -> str:
    """Return the token of a value of ``vectors/tokens_coarser.json``."""
    kind = case["format"]["type"]
    if kind == "date_shift":
        return shifted(case, row["value"], row["tweak"])
    return (bucket if kind == "bucket" else truncated)(case["format"], row["value"])
