# SPDX-License-Identifier: Apache-2.0
"""Formats: which values are valid, and which tokens they get."""

from tallystick.formats.base import SMALL_DOMAIN, SMALLEST_DOMAIN, Format, Outcome, Reason
from tallystick.formats.dates import DateFormat
from tallystick.formats.decimals import DecimalFormat
from tallystick.formats.email_at import EmailAtFormat
from tallystick.formats.iban import IbanFormat
from tallystick.formats.ipv4_addresses import Ipv4Format
from tallystick.formats.ipv6_addresses import Ipv6Format
from tallystick.formats.mask import MaskFormat
from tallystick.formats.national import NationalFormat
from tallystick.formats.numbers import IntegerFormat
from tallystick.formats.pattern import PatternFormat
from tallystick.formats.presets import (
    PRESETS,
    alphabet,
    alphanumeric,
    ascii,
    base64url,
    card,
    date,
    decimal,
    digits,
    email,
    hex,
    iban,
    imei,
    integer,
    ipv4,
    ipv6,
    letters,
    mask,
    national_id,
    pattern,
    phone,
    pseudonym,
    ssn,
    timestamp,
    unicode,
    uuid,
)
from tallystick.formats.pseudonym import PseudonymFormat
from tallystick.formats.script_text import UnicodeFormat
from tallystick.formats.text import TextFormat
from tallystick.formats.timestamps import TimestampFormat

__all__ = [
    "PRESETS",
    "SMALLEST_DOMAIN",
    "SMALL_DOMAIN",
    "DateFormat",
    "DecimalFormat",
    "EmailAtFormat",
    "Format",
    "IbanFormat",
    "IntegerFormat",
    "Ipv4Format",
    "Ipv6Format",
    "MaskFormat",
    "NationalFormat",
    "Outcome",
    "PatternFormat",
    "PseudonymFormat",
    "Reason",
    "TextFormat",
    "TimestampFormat",
    "UnicodeFormat",
    "alphabet",
    "alphanumeric",
    "ascii",
    "base64url",
    "card",
    "date",
    "decimal",
    "digits",
    "email",
    "hex",
    "iban",
    "imei",
    "integer",
    "ipv4",
    "ipv6",
    "letters",
    "mask",
    "national_id",
    "pattern",
    "phone",
    "pseudonym",
    "ssn",
    "timestamp",
    "unicode",
    "uuid",
]
