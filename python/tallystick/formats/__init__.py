# SPDX-License-Identifier: Apache-2.0
"""Formats: which values are valid, and which tokens they get.

The functions have the names that a policy uses, and its options. ``docs/reference/formats`` has a
page for each.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date as calendar_date
from datetime import datetime
from typing import Any, Literal

from tallystick.errors import FormatError
from tallystick.formats.format import LARGEST_DOMAIN as LARGEST_DOMAIN
from tallystick.formats.format import SMALL_DOMAIN as SMALL_DOMAIN
from tallystick.formats.format import SMALLEST_DOMAIN as SMALLEST_DOMAIN
from tallystick.formats.format import Format as Format
from tallystick.formats.format import Reason as Reason
from tallystick.formats.format import names

Case = Literal["keep", "lower", "upper", "mixed"]
"""How letters are read. ``keep``: case is ignored, and each place keeps its case. ``lower``,
``upper``: letters of that case only. ``mixed``: both cases are different symbols.
"""

Luhn = Literal["none", "valid", "invalid"]
"""What becomes of a Luhn check digit: there is none; it is valid in the token too; or the token has
a wrong one, so that it can't be taken for the real thing."""

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
"""A script, or that of each value's first letter."""

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
"""The letters of a language, for names that look like names of it."""

SEPARATORS = " -'.\u00a0\u00b7\u02bb\u02bc\u2010\u2011\u2018\u2019\u3000\u30fb"
"""The characters that `unicode` leaves in their places."""


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
    """Decimal digits."""
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
    """Hexadecimal digits."""
    return Format("hex", locals())


def letters(
    *,
    case: Case = "keep",
    separators: str = " -.'",
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = 1024,
    allow_tiny_domain: bool = False,
) -> Format:
    """Letters a to z: names."""
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
    """Letters and digits."""
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
    """Base64url (RFC 4648); padding stays."""
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
    """All 95 printable ASCII characters."""
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
    """Characters of one's own alphabet."""
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
    """Payment card numbers, with check digit."""
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
    """US social security numbers."""
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
    """Phone numbers."""
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

    A token may be somebody's address. If `part` is ``local``, mail to it can arrive at a real
    domain. With ``part="all"`` and `at`, a reserved domain such as ``tokens.invalid``, tokens are
    addresses to which no mail is delivered.
    """
    return Format("email", locals())


def uuid(*, case: Literal["lower", "upper"] = "lower") -> Format:
    """UUIDs; version and variant stay."""
    return Format("uuid", locals())


def date(
    *,
    first: calendar_date = calendar_date(1900, 1, 1),
    last: calendar_date = calendar_date(2099, 12, 31),
    notation: str = "YYYY-MM-DD",
    allow_tiny_domain: bool = False,
) -> Format:
    """Calendar dates of a range."""
    return Format("date", locals())


def date_shift(
    *,
    days: int = 365,
    first: calendar_date = calendar_date(1900, 1, 1),
    last: calendar_date = calendar_date(2099, 12, 31),
    notation: str = "YYYY-MM-DD",
    allow_tiny_domain: bool = False,
) -> Format:
    """Dates moved by days, the same for each tweak."""
    return Format("date_shift", locals())


def integer(
    *, min: int, max: int, grouping_separator: str = "", allow_tiny_domain: bool = False
) -> Format:
    """Integers of a range."""
    return Format("integer", locals())


def pattern(*, pattern: str, allow_tiny_domain: bool = False) -> Format:
    """Codes by a pattern: plates, postal codes."""
    return Format("pattern", locals())


def iban() -> Format:
    """IBANs, with check digits; the country stays."""
    return Format("iban")


def national_id(*, kind: str) -> Format:
    """National identifiers, with check digits."""
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
    """Letters of a script: names of the world."""
    options = locals()
    if repertoire is not None and script == "any":
        options["script"] = "latin"
    return Format("unicode", options)


def decimal(
    *,
    min: str | int,
    max: str | int,
    scale: int,
    decimal_separator: str = ".",
    grouping_separator: str = "",
    allow_tiny_domain: bool = False,
) -> Format:
    """Decimal numbers of a range."""
    return Format("decimal", locals())


def timestamp(
    *,
    first: datetime = datetime(1970, 1, 1),
    last: datetime = datetime(2069, 12, 31, 23, 59, 59),
    resolution: Literal["s", "ms", "us"] = "s",
    allow_tiny_domain: bool = False,
) -> Format:
    """Points in time of a range."""
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
    """IMEI of mobile devices, with check digit."""
    return Format("imei", locals())


def ipv4(*, prefix: int = 0, allow_tiny_domain: bool = False) -> Format:
    """IPv4 addresses; the network stays."""
    return Format("ipv4", locals())


def ipv6(*, prefix: int = 0) -> Format:
    """IPv6 addresses; the network stays."""
    return Format("ipv6", locals())


def ipcrypt(*, mode: Literal["deterministic", "nd", "ndx", "pfx"] = "deterministic") -> Format:
    """IPv4 and IPv6 addresses by draft-denis-ipcrypt; the key is the draft's own."""
    return Format("ipcrypt", locals())


def mask(
    *,
    keep_first: int = 0,
    keep_last: int = 0,
    character: str = "*",
    separators: str = " -",
    width: int | None = None,
) -> Format:
    """Text hidden but for its ends; one-way, without a key."""
    return Format("mask", locals())


def pseudonym(
    *, notation: Literal["hex", "base32", "base64url"] = "base32", length: int = 26
) -> Format:
    """Text replaced by tags under the key (HMAC); one-way."""
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
    """Ranges of numbers and dates: ages; one-way, without a key."""
    return Format("bucket", locals())


def truncate(
    *, characters: int | None = None, decimals: int | None = None, replacement: str = ""
) -> Format:
    """Text and decimals cut short: postal codes; one-way, without a key."""
    return Format("truncate", locals())


def _plain(name: str) -> Callable[..., Format]:
    return lambda **options: Format(name, options)


PRESETS: dict[str, Callable[..., Format]] = {
    name: globals().get(name) or _plain(name) for name in names()
}
"""The functions by their names, which are those of a policy's formats. A format that has none here
takes all options that the core knows."""


def of_description(described: str | Mapping[str, Any]) -> Format:
    """Make the format that a policy describes: a name, or a table with ``type`` and options.

    Raises
    ------
    FormatError
        There is no such format, or it can't have these options.
    """
    options = {} if isinstance(described, str) else dict(described)
    name = described if isinstance(described, str) else options.pop("type", None)
    if not isinstance(name, str):
        raise FormatError("a table of options needs a 'type': the name of the format")
    own = dict(options)
    cipher = {key: own.pop(key) for key in ("cipher", "tweak_hex") if key in own}
    try:
        # With the usual options too, so that formats compare.
        form = PRESETS[name](**own) if name in PRESETS else Format(name, own)
    except TypeError:  # of an option that is missing, or that there is not: the core says it
        return Format(name, options)
    return form.with_cipher(**cipher) if cipher else form
