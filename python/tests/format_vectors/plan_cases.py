# SPDX-License-Identifier: Apache-2.0
"""Cases of phone numbers that stay in their country, and of social security numbers."""

from __future__ import annotations

import phonenumbers

from format_vectors.making import case
from format_vectors.record import Case, Row

_NUMBERS = [
    *("+1 (202) 555-0143", "+49 30/901820", "+49 (0)30 901820", "0049 (0)30-901820", "+4930901820"),
    *("030/901820", "30 901820", "0151 23456789 ext. 12", "0151 23456789x7", "01512345678#1234567"),
    *("+44 20 7946 0958;ext=99", "0044 20 7946 0958", "+39 06 698 12345", "+39 0549 886377"),
    *(
        "(202) 555-0143",
        "1-202-555-0143",
        "011 44 20 7946 0958",
        "+7 495 123-45-67",
        "8 495 123-45-67",
    ),
    *("+33 6 12 34 56 78", "06 12 34 56 78", "+86 138 0013 8000", "+290 22158", "+800 1234 5678"),
    *("+49 30 0901820", "+49 00 901820", "+39 00 901820", "+1 002 555 0143", "+ 1 202 555 0143"),
]
_WRONG = [
    *(
        "",
        "+",
        "112",
        "+999 123456",
        "++49 30 901820",
        "49+30901820",
        "+49 30 90 18 20 ext",
        "+0 123",
    ),
    *(
        "+49 30 901820 ext. 12345678",
        "+49 30 901820 ext. 12 ",
        "+49 30 901820 y12",
        "+49 30 é",
        "x12",
    ),
    *(
        "+49 1",
        "+1 202 555 014",
        "+1 202 555 01433",
        "00",
        "000",
        "011",
        "1234567890123456789",
        "+٤٩",
    ),
    *(
        "+49\t30901820",
        "+49 (00)30 901820",
        "(0)30 901820",
        "+49 (0)",
        "0",
        "\x00",
        "+1\x002025550143",
    ),
]


def cases() -> list[Case]:
    """Make all of them."""
    made = []
    examples = []
    for code in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE):
        region = phonenumbers.region_code_for_country_code(code)
        number = phonenumbers.example_number(region)
        if number is not None:
            examples.append(
                phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
            )
    damaged: list[str | bytes] = [b"+49 30 901820\xff", b"\xff", b"+49 30 9018\xc3"]
    for country in ("any", "DE", "US", "IT", "FR", "GB", "RU", "CN", "SM", "SH", "AR", "MX"):
        described: Row = {"type": "phone", "country": country}
        few: list[str | bytes] = [*_NUMBERS]
        if country in ("any", "DE", "US", "IT"):
            few += [*_WRONG, *damaged]
        own = examples if country == "any" else []
        made.append(case(described, [*own, *_NUMBERS], probes=few, draw=8, types=country == "any"))
    for assignable in (True, False):
        described = {"type": "ssn", "assignable": assignable}
        texts = [
            "078-05-1120",
            "078 05 1120",
            "07805-1120",
            "078-051120",
            "078051120",
            "987-65-4321",
        ]
        texts += [
            "000-12-3456",
            "666-12-3456",
            "123-00-4567",
            "123-45-0000",
            "899-99-9999",
            "900-01-0001",
        ]
        made.append(case(described, texts, draw=6, mutate=1))
    return made
