# SPDX-License-Identifier: Apache-2.0
"""Formats: what values look like, and so what their tokens look like."""

from tallystick.formats.base import SMALL_DOMAIN, SMALLEST_DOMAIN, Format, Outcome, Reason
from tallystick.formats.dates import DateFormat
from tallystick.formats.iban import IbanFormat
from tallystick.formats.national import NationalFormat
from tallystick.formats.numbers import IntegerFormat
from tallystick.formats.pattern import PatternFormat
from tallystick.formats.ready import (
    READY,
    alphanumeric,
    base64url,
    card,
    custom,
    date,
    digits,
    email,
    hexadecimal,
    iban,
    integer,
    letters,
    national_id,
    pattern,
    phone,
    printable,
    ssn,
    uuid,
)
from tallystick.formats.text import TextFormat

__all__ = [
    "READY",
    "SMALLEST_DOMAIN",
    "SMALL_DOMAIN",
    "DateFormat",
    "Format",
    "IbanFormat",
    "IntegerFormat",
    "NationalFormat",
    "Outcome",
    "PatternFormat",
    "Reason",
    "TextFormat",
    "alphanumeric",
    "base64url",
    "card",
    "custom",
    "date",
    "digits",
    "email",
    "hexadecimal",
    "iban",
    "integer",
    "letters",
    "national_id",
    "pattern",
    "phone",
    "printable",
    "ssn",
    "uuid",
]
