# SPDX-License-Identifier: Apache-2.0
"""Which formats a column may have: choices of a format with its options, and what speaks for each.

``docs/reference/inspection.md`` says how the score follows from what is here.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any

from tallystick.inspection.choice import Choice
from tallystick.inspection.column import Column
from tallystick.inspection.knowledge import KNOWLEDGE
from tallystick.inspection.ranges import decimal_range, integer_range


def choices(column: Column) -> Iterator[Choice]:
    """Give the choices for a column, the more special ones first."""
    for rule in RULES:
        yield from rule(column)


_SIMPLE = tuple(
    Choice(
        one["kind"],
        one["title"],
        one["type"],
        one.get("options", {}),
        one["shape"],
        re.compile(one["gate"]),
        1 / one["one_in"] if "one_in" in one else None,
        one.get("note", ""),
    )
    for one in KNOWLEDGE["simple"]
)


def _simple(column: Column) -> Iterator[Choice]:
    for choice in _SIMPLE:
        if choice.gate is None or column.share(choice.gate) > 0:
            yield choice


_NATIONAL_GATES = {
    kind: re.compile(rf"[0-9A-Z .+/\-]{{{one['least']},{one['most']}}}")
    for kind, one in KNOWLEDGE["national"].items()
}
"""What the values of each kind look like, as far as width and characters say."""


def _national(column: Column) -> Iterator[Choice]:
    if not column.probe or max(map(len, column.probe)) > 64:
        return
    for kind, gate in _NATIONAL_GATES.items():
        if column.share(gate) > 0.3:
            one = KNOWLEDGE["national"][kind]
            title = f"national identifier {kind} ({one['title']})"
            shape, chance = one["shape"], 1 / one["one_in"]
            yield Choice("national id", title, "national_id", {"kind": kind}, shape, None, chance)


_GATES = {name: re.compile(pattern) for name, pattern in KNOWLEDGE["notations"].items()}
_LONG_LIVES = 30
"""Years that dates must span to look like dates of birth."""


def _dates(column: Column) -> Iterator[Choice]:
    for notation, gate in _GATES.items() if column.is_text else ():
        if column.share(gate) < 0.3:
            continue
        years = [int(v[notation.index("YYYY") :][:4]) for v in column.probe if gate.fullmatch(v)]
        yield from _date_choices(years, {"notation": notation})


def _date_choices(years: list[int], notation: dict[str, Any]) -> Iterator[Choice]:
    years = sorted(years)
    middle = years[len(years) // 20 : len(years) - len(years) // 20]
    shape = 0.6 if len(years) >= 20 and middle[-1] - middle[0] >= _LONG_LIVES else 0.2
    ranges: list[dict[str, Any]] = [{}]
    if years[0] < 1900 or years[-1] > 2099:
        wide = {"first": date(1800, 1, 1), "last": date(2199, 12, 31)}
        ranges.append(wide)
    for extra in ranges:
        yield Choice("birth", "date (of birth, perhaps)", "date", {**notation, **extra}, shape)


def _calendar(column: Column) -> Iterator[Choice]:
    """Date and timestamp columns."""
    kind = column.values.type
    if "DATE" not in str(kind).upper() and "TIMESTAMP" not in str(kind).upper():
        return
    years = [int(value[:4]) for value in column.probe if value[:4].isdigit()]
    if not years:
        return
    if str(kind).startswith("date"):
        yield from _date_choices(years, {})
        return
    for resolution in ("s", "ms", "us"):
        choice = Choice("birth", "point in time", "timestamp", {"resolution": resolution}, 0.2)
        if choice.form().accepts(kind):
            yield choice


_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3}|\.\d{6})?(?:Z|[+-]\d\d(?::?\d\d)?)?"
)


def _moments(column: Column) -> Iterator[Choice]:
    if not column.is_text or column.share(_MOMENT) < 0.3:
        return
    years = [int(v[:4]) for v in column.probe if _MOMENT.fullmatch(v)]
    extra: dict[str, Any] = {}
    if min(years) < 1970 or max(years) > 2069:
        extra = {"first": datetime(1800, 1, 1), "last": datetime(2199, 12, 31, 23, 59, 59)}
    for resolution in ("s", "ms", "us"):
        options = {"resolution": resolution, **extra}
        yield Choice("birth", "point in time", "timestamp", options, 0.2)


def _codes(column: Column) -> Iterator[Choice]:
    """Patterns of codes, where the name speaks of one: most shapes are of many codes."""
    if not column.probe or max(map(len, column.probe)) > 32:
        return
    for kind, patterns in KNOWLEDGE["patterns"].items():
        if kind in column.hints:
            title = {"postcode": "postal code", "plate": "vehicle plate"}[kind]
            for pattern in patterns:
                yield Choice(kind, title, "pattern", {"pattern": pattern}, 0.2)
            yield from _inferred(column, kind, title)


def _inferred(column: Column, kind: str, title: str) -> Iterator[Choice]:
    """Give the pattern of values that have all the same shape."""
    if len(column.shapes) != 1:
        return
    (shape,) = column.shapes
    pattern = re.sub(r"[\[\]()\\X]", lambda found: "\\" + found[0], shape)
    changing = sum(shape.count(one) for one in "Aa9")
    enough = shape.count("9") + 1.4 * (shape.count("A") + shape.count("a")) >= 2
    if enough and changing <= 32 and shape.isascii() and shape.isprintable():
        yield Choice(kind, title, "pattern", {"pattern": pattern}, 0.1, generic=True)


def _names(column: Column) -> Iterator[Choice]:
    named = [kind for kind in ("given name", "surname", "person name") if kind in column.hints]
    if not column.is_text or (column.name_like < 0.5 and not named):
        return
    kind = named[0] if named else "person name"
    shape = 0.1
    if column.given_names >= 0.15 and column.name_like >= 0.8 and len(column.different) >= 8:
        shape = 0.45 + min(0.4, column.given_names)
    elif column.capitals >= 0.8 and column.variety >= 0.5:
        shape = 0.35
    yield from _letters(column, kind, kind if named else "name of a person", shape)
    if "city" in column.hints:
        yield from _letters(column, "city", "place", 0.1)


def _letters(column: Column, kind: str, title: str, shape: float) -> Iterator[Choice]:
    if column.ascii:
        yield Choice(kind, title, "letters", {}, shape)
    if column.script != "any":
        yield Choice(kind, title, "unicode", {"script": column.script}, shape)
    yield Choice(kind, title, "unicode", {}, shape - 0.01)


_ADDRESS = " -'()./,&#:"


def _addresses(column: Column) -> Iterator[Choice]:
    if not column.is_text or ("address" not in column.hints and column.streets < 0.3):
        return
    shape = 0.75 if column.streets >= 0.3 else 0.2
    texts = "".join(column.probe)
    lower, upper = texts == texts.lower(), texts == texts.upper()
    options: dict[str, Any] = {"separators": _ADDRESS}
    if lower or upper:
        yield Choice(
            "address",
            "address",
            "alphanumeric",
            {**options, "case": "lower" if lower else "upper"},
            shape,
        )
    yield Choice("address", "address", "alphanumeric", options, shape - 0.01)
    yield Choice("address", "address", "unicode", {}, shape - 0.02)
    yield Choice("address", "address", "alphanumeric", {"separators": PUNCTUATION}, shape - 0.03)
    yield _hidden("address", "address", shape - 0.1)


PUNCTUATION = "".join(c for c in map(chr, range(32, 127)) if not c.isalnum())
_ONE_WAY = "one-way: values can't be revealed; no two-way format matches"


def _hidden(kind: str, title: str, shape: float, note: str = "") -> Choice:
    note = f"{_ONE_WAY}; {note}" if note else _ONE_WAY
    return Choice(kind, title, "mask", {"width": 8}, shape, note=note)


def _texts_of(kind: str, title: str, shape: float, note: str) -> Iterator[Choice]:
    """Give the formats of any text: letters and digits change, punctuation stays in its place.

    The format 'ascii' would fit as well. Its tokens may begin with = + - @, which spreadsheets
    take for a formula; tokens of these do only if the value does.
    """
    options: dict[str, Any] = {"separators": PUNCTUATION}
    yield Choice(kind, title, "alphanumeric", options, shape, note=note, generic=True)
    yield Choice(kind, title, "unicode", {}, shape - 0.02, note=note, generic=True)
    yield _hidden(kind, title, shape - 0.03, note)


def _identifiers(column: Column) -> Iterator[Choice]:
    kinds = {
        "identifier": "identifier of a person",
        "national id": "national identifier (its check digits, if any, are replaced like the rest)",
        "ssn": "social security number",
        "card": "payment card number (without a right check digit)",
        "username": "user name",
    }
    for kind, title in kinds.items():
        if kind not in column.hints:
            continue
        fewer = 0.05 if kind != "identifier" else 0.1
        if column.all_integers:
            # As an integer column of the same values gets, so that both have the same tokens.
            name, options = integer_range(column)
            yield Choice(kind, title, name, options, fewer + 0.1, generic=True)
        yield from _inferred(column, kind, title)
        yield Choice(kind, title, "digits", {}, fewer, generic=True)
        if column.is_text:
            extra = {"separators": " -._/"}
            for case in ("lower", "upper", "mixed"):
                options = {"case": case, **extra}
                yield Choice(kind, title, "alphanumeric", options, fewer - 0.02, generic=True)
            options = {"separators": PUNCTUATION}
            yield Choice(kind, title, "alphanumeric", options, fewer - 0.03, generic=True)
            yield Choice(kind, title, "pseudonym", {}, 0.0, note=_ONE_WAY)


def _numbers(column: Column) -> Iterator[Choice]:
    titles = {"money": "amount of money of a person", "age": "age"}
    for kind, title in titles.items():
        if kind in column.hints:
            for format_name, options in (integer_range(column), decimal_range(column)):
                if options:
                    yield Choice(kind, title, format_name, options, 0.1)


def _texts(column: Column) -> Iterator[Choice]:
    if not column.is_text:
        return
    note = (
        "tokens do not make free text safe: lengths and punctuation show; leave the column out, or "
        "hide it with a mask"
    )
    if column.prose >= 0.5 and column.variety >= 0.3:
        yield from _texts_of("free text", "free text", 0.6, note)
    elif "free text" in column.hints and column.prose >= 0.2:
        yield from _texts_of("free text", "free text", 0.1, note)
    if "secret" in column.hints:
        note = "better not in a table at all: leave the column out, or hide it with a mask"
        yield from _texts_of("secret", "password or other secret", 0.2, note)
    if "category" in column.hints:
        note = (
            "few different values, so frequencies show which token is which: add a tweak column, "
            "or hide it with a mask"
        )
        yield from _texts_of("category", "sensitive attribute", 0.1, note)


RULES: tuple[Callable[[Column], Iterator[Choice]], ...] = (
    _simple,
    _national,
    _dates,
    _calendar,
    _moments,
    _codes,
    _names,
    _addresses,
    _identifiers,
    _numbers,
    _texts,
)
