# SPDX-License-Identifier: Apache-2.0
"""The functions that make formats. Written by tools/formats.py from the tables of the core."""

from collections.abc import Callable, Sequence
from datetime import date as calendar_date
from datetime import datetime
from typing import Literal

from tallystick.formats.format import Format

__all__ = [
    "PRESETS",
    "SEPARATORS",
    "Luhn",
    "Repertoire",
    "Script",
    "alphabet",
    "alphanumeric",
    "ascii",
    "base64url",
    "bucket",
    "card",
    "date",
    "date_shift",
    "decimal",
    "digits",
    "email",
    "hex",
    "iban",
    "imei",
    "integer",
    "ipcrypt",
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
    "truncate",
    "unicode",
    "uuid",
]

Luhn = Literal["none", "valid", "invalid"]
"""Choices of the option `luhn`."""

Script = Literal[
    "any",
    "latin",
    "greek",
    "cyrillic",
    "arabic",
    "hebrew",
    "devanagari",
    "kana",
    "hangul",
    "cjk",
    "japanese",
]
"""Choices of the option `script`."""

Repertoire = Literal[
    "english",
    "latin-1",
    "croatian",
    "czech",
    "danish",
    "dutch",
    "finnish",
    "french",
    "german",
    "hungarian",
    "icelandic",
    "italian",
    "norwegian",
    "polish",
    "portuguese",
    "romanian",
    "slovak",
    "spanish",
    "swedish",
    "turkish",
    "vietnamese",
]
"""Choices of the option `repertoire`."""

SEPARATORS = " -'.\xa0\xb7\u02bb\u02bc\u2010\u2011\u2018\u2019\u3000\u30fb"
"""The long default of `separators`."""


def digits(
    *,
    separators: str = " -",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Decimal digits.

    ``docs/reference/formats/digits.md`` has values and options.
    """
    return Format("digits", locals())


def hex(
    *,
    case: Literal["lower", "upper"] = "lower",
    separators: str = "",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Hexadecimal digits.

    ``docs/reference/formats/hex.md`` has values and options.
    """
    return Format("hex", locals())


def letters(
    *,
    case: Literal["keep", "lower", "upper", "mixed"] = "keep",
    separators: str = " -.'",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Letters a to z: names.

    ``docs/reference/formats/letters.md`` has values and options.
    """
    return Format("letters", locals())


def alphanumeric(
    *,
    case: Literal["lower", "upper", "mixed"] = "mixed",
    separators: str = " -",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Letters and digits.

    ``docs/reference/formats/alphanumeric.md`` has values and options.
    """
    return Format("alphanumeric", locals())


def base64url(
    *,
    separators: str = "=",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Base64url (RFC 4648); padding stays.

    ``docs/reference/formats/base64url.md`` has values and options.
    """
    return Format("base64url", locals())


def ascii(
    *,
    separators: str = "",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """All 95 printable ASCII characters.

    ``docs/reference/formats/ascii.md`` has values and options.
    """
    return Format("ascii", locals())


def alphabet(
    *,
    alphabet: str,
    separators: str = "",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Characters of one's own alphabet.

    ``docs/reference/formats/alphabet.md`` has values and options.
    """
    return Format("alphabet", locals())


def card(
    *,
    luhn: Luhn = "valid",
    separators: str = " -",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 12,
    max_length: int = 19,
    allow_tiny_domain: bool = False,
) -> Format:
    """Payment card numbers, with check digit.

    ``docs/reference/formats/card.md`` has values and options.
    """
    return Format("card", locals())


def ssn(
    *,
    assignable: bool | None = None,
    separators: str = "- ",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 9,
    max_length: int = 9,
    allow_tiny_domain: bool = False,
) -> Format:
    """US social security numbers.

    ``docs/reference/formats/ssn.md`` has values and options.
    """
    return Format("ssn", locals())


def phone(
    *,
    country: str | None = None,
    separators: str = " -()./",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 6,
    max_length: int = 15,
    allow_tiny_domain: bool = False,
) -> Format:
    """Phone numbers.

    ``docs/reference/formats/phone.md`` has values and options.
    """
    return Format("phone", locals())


def email(
    *,
    part: Literal["local", "all"] = "local",
    case: Literal["lower", "mixed"] = "lower",
    at: str | None = None,
    kept_as_tweak: bool = True,
    allow_tiny_domain: bool = False,
) -> Format:
    """E-mail addresses; mail to tokens may arrive.

    ``docs/reference/formats/email.md`` has values and options.
    """
    return Format("email", locals())


def uuid(
    *,
    case: Literal["lower", "upper"] = "lower",
) -> Format:
    """UUIDs; version and variant stay.

    ``docs/reference/formats/uuid.md`` has values and options.
    """
    return Format("uuid", locals())


def date(
    *,
    first: calendar_date = calendar_date(1900, 1, 1),
    last: calendar_date = calendar_date(2099, 12, 31),
    notation: str = "YYYY-MM-DD",
    allow_tiny_domain: bool = False,
) -> Format:
    """Calendar dates of a range.

    ``docs/reference/formats/date.md`` has values and options.
    """
    return Format("date", locals())


def date_shift(
    *,
    days: int = 365,
    first: calendar_date = calendar_date(1900, 1, 1),
    last: calendar_date = calendar_date(2099, 12, 31),
    notation: str = "YYYY-MM-DD",
    allow_tiny_domain: bool = False,
) -> Format:
    """Dates moved by days, the same for each tweak.

    ``docs/reference/formats/date_shift.md`` has values and options.
    """
    return Format("date_shift", locals())


def integer(
    *,
    min: int,
    max: int,
    grouping_separator: str = "",
    allow_tiny_domain: bool = False,
) -> Format:
    """Integers of a range.

    ``docs/reference/formats/integer.md`` has values and options.
    """
    return Format("integer", locals())


def pattern(
    *,
    pattern: str,
    allow_tiny_domain: bool = False,
) -> Format:
    """Codes by a pattern: plates, postal codes.

    ``docs/reference/formats/pattern.md`` has values and options.
    """
    return Format("pattern", locals())


def iban() -> Format:
    """IBANs, with check digits; the country stays.

    ``docs/reference/formats/iban.md`` has values and options.
    """
    return Format("iban")


def national_id(
    *,
    kind: str,
) -> Format:
    """National identifiers, with check digits.

    ``docs/reference/formats/national_id.md`` has values and options.
    """
    return Format("national_id", locals())


def unicode(
    *,
    script: Script = "any",
    repertoire: Repertoire | None = None,
    separators: str = SEPARATORS,
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
) -> Format:
    """Letters of a script: names of the world.

    ``docs/reference/formats/unicode.md`` has values and options.
    """
    return Format("unicode", locals())


def decimal(
    *,
    min: str | int,
    max: str | int,
    scale: int,
    decimal_separator: str = ".",
    grouping_separator: str = "",
    allow_tiny_domain: bool = False,
) -> Format:
    """Decimal numbers of a range.

    ``docs/reference/formats/decimal.md`` has values and options.
    """
    return Format("decimal", locals())


def timestamp(
    *,
    first: datetime = datetime(1970, 1, 1, 0, 0),
    last: datetime = datetime(2069, 12, 31, 23, 59, 59),
    resolution: Literal["s", "ms", "us"] = "s",
    allow_tiny_domain: bool = False,
) -> Format:
    """Points in time of a range.

    ``docs/reference/formats/timestamp.md`` has values and options.
    """
    return Format("timestamp", locals())


def imei(
    *,
    luhn: Luhn = "valid",
    separators: str = " -/",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 15,
    max_length: int = 15,
    allow_tiny_domain: bool = False,
) -> Format:
    """IMEI of mobile devices, with check digit.

    ``docs/reference/formats/imei.md`` has values and options.
    """
    return Format("imei", locals())


def ipv4(
    *,
    prefix: int = 0,
    allow_tiny_domain: bool = False,
) -> Format:
    """IPv4 addresses; the network stays.

    ``docs/reference/formats/ipv4.md`` has values and options.
    """
    return Format("ipv4", locals())


def ipv6(
    *,
    prefix: int = 0,
) -> Format:
    """IPv6 addresses; the network stays.

    ``docs/reference/formats/ipv6.md`` has values and options.
    """
    return Format("ipv6", locals())


def ipcrypt(
    *,
    mode: Literal["deterministic", "nd", "ndx", "pfx"] = "deterministic",
) -> Format:
    """IPv4 and IPv6 addresses by draft-denis-ipcrypt; the key is the draft's own.

    ``docs/reference/formats/ipcrypt.md`` has values and options.
    """
    return Format("ipcrypt", locals())


def mask(
    *,
    keep_first: int = 0,
    keep_last: int = 0,
    character: str = "*",
    separators: str = " -",
    width: int | None = None,
) -> Format:
    """Text hidden but for its ends; one-way, without a key.

    ``docs/reference/formats/mask.md`` has values and options.
    """
    return Format("mask", locals())


def pseudonym(
    *,
    notation: Literal["hex", "base32", "base64url"] = "base32",
    length: int = 26,
) -> Format:
    """Text replaced by tags under the key (HMAC); one-way.

    ``docs/reference/formats/pseudonym.md`` has values and options.
    """
    return Format("pseudonym", locals())


def bucket(
    *,
    width: str | int | None = None,
    origin: str | int | None = None,
    top: str | int | None = None,
    edges: Sequence[str | int] | None = None,
    unit: Literal["month", "quarter", "year"] | None = None,
    notation: str | None = None,
    label: Literal["range", "low"] = "range",
) -> Format:
    """Ranges of numbers and dates: ages; one-way, without a key.

    ``docs/reference/formats/bucket.md`` has values and options.
    """
    return Format("bucket", locals())


def truncate(
    *,
    characters: int | None = None,
    decimals: int | None = None,
    replacement: str = "",
) -> Format:
    """Text and decimals cut short: postal codes; one-way, without a key.

    ``docs/reference/formats/truncate.md`` has values and options.
    """
    return Format("truncate", locals())


PRESETS: dict[str, Callable[..., Format]] = {
    "digits": digits,
    "hex": hex,
    "letters": letters,
    "alphanumeric": alphanumeric,
    "base64url": base64url,
    "ascii": ascii,
    "alphabet": alphabet,
    "card": card,
    "ssn": ssn,
    "phone": phone,
    "email": email,
    "uuid": uuid,
    "date": date,
    "date_shift": date_shift,
    "integer": integer,
    "pattern": pattern,
    "iban": iban,
    "national_id": national_id,
    "unicode": unicode,
    "decimal": decimal,
    "timestamp": timestamp,
    "imei": imei,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "ipcrypt": ipcrypt,
    "mask": mask,
    "pseudonym": pseudonym,
    "bucket": bucket,
    "truncate": truncate,
}
"""The functions by their names, which are those of a policy's formats."""
