# SPDX-License-Identifier: Apache-2.0
"""Columns of the formats that work in NumPy or in Python around the core, one thread."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from tallystick import Tokenizer, formats
from tallystick.formats import Format
from tallystick.inspection.rules import NATIONAL

from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

KEY = bytes(range(16))

NAMES = {
    "latin": "Zoë Strømsø-Łuczak",
    "greek": "Μαρία Παπαδοπούλου",
    "cyrillic": "Анна Кузнецова",
    "arabic": "فاطمة الزهراء",
    "hebrew": "שרה כהן",
    "devanagari": "अनुराधा कुलकर्णी",
    "kana": "さくら タナカ",
    "hangul": "김서연",
    "cjk": "欧阳明月",
}
"""A name in each script."""


def measure(rows: int, repetitions: int, say: Callable[[str], None]) -> Section:
    """Measure columns of values that are all different."""
    say("columns of other formats")
    columns: dict[str, dict[str, tuple[Format, str]]] = {
        "text of a script": {
            name: (formats.unicode(script=name), text)  # type: ignore[arg-type]
            for name, text in NAMES.items()
        },
        "codes": {
            "pattern AA-999-A": (formats.pattern(pattern="AA-999-A"), "KB-482-X"),
            "iban, Germany": (formats.iban(), "DE89370400440532013000"),
            "phone, Germany": (formats.phone(country="DE"), "030 901820"),
            "ssn, assignable": (formats.ssn(assignable=True), "078-05-1120"),
        },
        "national identifiers": {
            name: (form, form.examples[0])
            for name, form in ((kind, formats.national_id(kind=kind)) for kind in sorted(NATIONAL))
        },
        "numbers and addresses": {
            "decimal, text": (formats.decimal(min=0, max=10**9, scale=2), "1234567.89"),
            "timestamp, text": (formats.timestamp(), "2026-05-04T03:02:01"),
            "imei": (formats.imei(), "490154203237518"),
            "ipv4": (formats.ipv4(), "198.51.100.7"),
            "ipv6": (formats.ipv6(), "2001:db8::7"),
        },
        "one-way": {
            "mask": (formats.mask(keep_last=4), "4111 1111 1111 1234"),
            "pseudonym": (formats.pseudonym(), "Anne O'Neill"),
        },
    }
    return Section(
        f"Other formats, from Python: {rows:,} values, one thread",
        tuple(
            Group(
                title,
                Unit.VALUES_PER_SECOND,
                side_by_side(
                    [_case(name, *what, rows) for name, what in cases.items()], repetitions
                ),
            )
            for title, cases in columns.items()
        ),
        ("Values differ from row to row: each is a token of one value under another tweak.",),
    )


def _case(name: str, form: Format, text: str, rows: int) -> Case:
    tool = Tokenizer(form, KEY, namespace="bench")
    if form.one_way:
        values = pa.array([text] * rows)
    else:
        values = tool.protect(pa.array([text] * rows), pa.array(range(rows)))
        if tool.reveal(tool.protect(values)) != values:
            raise WrongResultError(f"format {name} does not give values back")
    return Case(name, lambda: tool.protect(values), rows)
