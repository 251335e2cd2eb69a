# SPDX-License-Identifier: Apache-2.0
"""Preset formats, by their names in policies."""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import date as calendar_date
from datetime import datetime
from typing import Literal, TypedDict, Unpack

from tallystick.errors import FormatError
from tallystick.formats.base import Format
from tallystick.formats.dates import DateFormat
from tallystick.formats.decimals import DecimalFormat, decimal_of
from tallystick.formats.email_at import MARK, EmailAtFormat
from tallystick.formats.iban import IbanFormat
from tallystick.formats.ipv4_addresses import Ipv4Format
from tallystick.formats.ipv6_addresses import Ipv6Format
from tallystick.formats.mask import MaskFormat
from tallystick.formats.national import NationalFormat
from tallystick.formats.numbers import IntegerFormat
from tallystick.formats.pattern import PatternFormat
from tallystick.formats.pseudonym import Notation, PseudonymFormat
from tallystick.formats.script_text import USUAL_LETTERS, ScriptName, UnicodeFormat
from tallystick.formats.scripts import SEPARATORS
from tallystick.formats.text import Luhn, TextFormat
from tallystick.formats.timestamps import Resolution, TimestampFormat

Case = Literal["keep", "lower", "upper", "mixed"]
"""How letters are read. ``keep``: case is ignored, and each place keeps its case. ``lower``,
``upper``: letters of that case only. ``mixed``: both cases are different symbols.
"""


class Common(TypedDict, total=False):
    """The options that every text format has; see `TextFormat`."""

    separators: str
    keep_first: int
    keep_last: int
    kept_as_tweak: bool
    min_length: int
    max_length: int
    allow_tiny_domain: bool


def digits(**common: Unpack[Common]) -> TextFormat:
    """Decimal digits."""
    settings: Common = {"separators": " -", **common}
    return TextFormat(
        alphabet=string.digits, label="digits", samples=("5304218", "53-042 18"), **settings
    )


def hex(*, case: Literal["lower", "upper"] = "lower", **common: Unpack[Common]) -> TextFormat:
    """Hexadecimal digits."""
    alphabet = _in_case("0123456789abcdef", case, "hex", ("lower", "upper"))
    return TextFormat(alphabet=alphabet, label="hex", samples=(alphabet[10:] + "09",), **common)


def letters(*, case: Case = "keep", **common: Unpack[Common]) -> TextFormat:
    """Letters a to z: names."""
    settings: Common = {"separators": " -.'", **common}
    return TextFormat(
        alphabet=_in_case(string.ascii_lowercase, case, "letters"),
        fold_case=case == "keep",
        label="letters",
        samples={"lower": ("anne o'neill",), "upper": ("ANNE O'NEILL",)}.get(
            case, ("Anne O'Neill",)
        ),
        **settings,
    )


def alphanumeric(
    *, case: Literal["lower", "upper", "mixed"] = "mixed", **common: Unpack[Common]
) -> TextFormat:
    """Letters and digits."""
    settings: Common = {"separators": " -", **common}
    alphabet = string.digits + string.ascii_lowercase
    return TextFormat(
        alphabet=_in_case(alphabet, case, "alphanumeric", ("lower", "upper", "mixed")),
        label="alphanumeric",
        samples={"lower": ("unit 9b",), "upper": ("AB12 CDE",)}.get(case, ("Unit 9B",)),
        **settings,
    )


def base64url(**common: Unpack[Common]) -> TextFormat:
    """Base64url (RFC 4648); padding stays."""
    settings: Common = {"separators": "=", **common}
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    return TextFormat(
        alphabet=alphabet, label="base64url", samples=("dGFsbHk_c3RpY2s=",), **settings
    )


def ascii(**common: Unpack[Common]) -> TextFormat:
    """All 95 printable ASCII characters."""
    alphabet = "".join(map(chr, range(32, 127)))
    return TextFormat(alphabet=alphabet, label="ascii", samples=("Hello, world!",), **common)


def alphabet(*, alphabet: str, **common: Unpack[Common]) -> TextFormat:
    """Characters of one's own alphabet."""
    return TextFormat(alphabet=alphabet, label="alphabet", **common)


def card(*, luhn: Luhn = "valid", **common: Unpack[Common]) -> TextFormat:
    """Payment card numbers, with check digit."""
    settings: Common = {"separators": " -", "min_length": 12, "max_length": 19, **common}
    return TextFormat(
        alphabet=string.digits,
        luhn=luhn,
        label="card",
        samples=("4111 1111 1111 1111", "378282246310005"),
        **settings,
    )


def ssn(**common: Unpack[Common]) -> TextFormat:
    """US social security numbers."""
    settings: Common = {"separators": "- ", "min_length": 9, "max_length": 9, **common}
    return TextFormat(
        alphabet=string.digits, label="ssn", samples=("078-05-1120", "078051120"), **settings
    )


def phone(**common: Unpack[Common]) -> TextFormat:
    """Phone numbers."""
    settings: Common = {"separators": " -()./", "min_length": 6, "max_length": 15, **common}
    return TextFormat(
        alphabet=string.digits,
        leading="+",
        label="phone",
        samples=("+1 (202) 555-0143", "030/901820"),
        **settings,
    )


def email(
    *,
    part: Literal["local", "all"] = "local",
    case: Literal["lower", "mixed"] = "lower",
    at: str | None = None,
    kept_as_tweak: bool = True,
    allow_tiny_domain: bool = False,
) -> TextFormat | EmailAtFormat:
    """E-mail addresses; mail to tokens may arrive.

    A token may be somebody's address. If `part` is ``local``, mail to it can arrive at a real
    domain. With ``part="all"`` and `at`, a reserved domain such as ``tokens.invalid``, tokens are
    addresses to which no mail is delivered.
    """
    if part not in ("local", "all"):
        raise FormatError("email: part must be 'local' or 'all'")
    if at is not None and part != "all":
        raise FormatError("email: at needs part = 'all'")
    separators = ".!#$%&'*+/=?^_`{|}~-"
    addresses = TextFormat(
        alphabet=_in_case(
            string.digits + string.ascii_lowercase, case, "email", ("lower", "mixed")
        ),
        separators=separators if at is None else separators.replace(MARK, ""),
        delimiter="@",
        keep_after_delimiter=part == "local",
        kept_as_tweak=kept_as_tweak,
        allow_tiny_domain=allow_tiny_domain,
        label="email",
        samples=("jane.doe+news@example.org",),
    )
    return addresses if at is None else EmailAtFormat(inner=addresses, at=at)


def uuid(*, case: Literal["lower", "upper"] = "lower") -> TextFormat:
    """UUIDs; version and variant stay."""
    alphabet = _in_case("0123456789abcdef", case, "uuid", ("lower", "upper"))
    sample = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"
    return TextFormat(
        alphabet=alphabet,
        separators="-",
        keep_positions=(12, 16),
        min_length=32,
        max_length=32,
        label="uuid",
        samples=(sample.upper() if case == "upper" else sample,),
    )


def date(
    *,
    first: calendar_date = calendar_date(1900, 1, 1),
    last: calendar_date = calendar_date(2099, 12, 31),
    notation: str = "YYYY-MM-DD",
    allow_tiny_domain: bool = False,
) -> DateFormat:
    """Calendar dates of a range."""
    return DateFormat(
        first=first, last=last, notation=notation, allow_tiny_domain=allow_tiny_domain
    )


def integer(*, min: int, max: int, allow_tiny_domain: bool = False) -> IntegerFormat:
    """Integers of a range."""
    return IntegerFormat(min=min, max=max, allow_tiny_domain=allow_tiny_domain)


def pattern(*, pattern: str, allow_tiny_domain: bool = False) -> PatternFormat:
    """Codes by a pattern: plates, postal codes."""
    return PatternFormat(pattern=pattern, allow_tiny_domain=allow_tiny_domain)


def iban() -> IbanFormat:
    """IBANs, with check digits; the country stays."""
    return IbanFormat()


def national_id(*, kind: str) -> NationalFormat:
    """National identifiers, with check digits."""
    return NationalFormat(kind=kind)


def unicode(
    *,
    script: ScriptName = "any",
    separators: str = SEPARATORS,
    keep_first: int = 0,
    keep_last: int = 0,
    kept_as_tweak: bool = True,
    min_length: int = 0,
    max_length: int = USUAL_LETTERS,
) -> UnicodeFormat:
    """Letters of a script: names of the world."""
    return UnicodeFormat(
        script=script,
        separators=separators,
        keep_first=keep_first,
        keep_last=keep_last,
        kept_as_tweak=kept_as_tweak,
        min_length=min_length,
        max_length=max_length,
    )


def decimal(
    *, min: str | int, max: str | int, scale: int, allow_tiny_domain: bool = False
) -> DecimalFormat:
    """Decimal numbers of a range."""
    return DecimalFormat(
        min=decimal_of(min, "min"),
        max=decimal_of(max, "max"),
        scale=scale,
        allow_tiny_domain=allow_tiny_domain,
    )


def timestamp(
    *,
    first: datetime = datetime(1970, 1, 1),
    last: datetime = datetime(2069, 12, 31, 23, 59, 59),
    resolution: Resolution = "s",
    allow_tiny_domain: bool = False,
) -> TimestampFormat:
    """Points in time of a range."""
    return TimestampFormat(
        first=first, last=last, resolution=resolution, allow_tiny_domain=allow_tiny_domain
    )


def imei(*, luhn: Luhn = "valid", **common: Unpack[Common]) -> TextFormat:
    """IMEI of mobile devices, with check digit."""
    settings: Common = {"separators": " -/", "min_length": 15, "max_length": 15, **common}
    return TextFormat(
        alphabet=string.digits,
        luhn=luhn,
        label="imei",
        samples=("49-015420-323751-8", "490154203237518"),
        **settings,
    )


def ipv4(*, prefix: int = 0, allow_tiny_domain: bool = False) -> Ipv4Format:
    """IPv4 addresses; the network stays."""
    return Ipv4Format(prefix=prefix, allow_tiny_domain=allow_tiny_domain)


def ipv6(*, prefix: int = 0) -> Ipv6Format:
    """IPv6 addresses; the network stays."""
    return Ipv6Format(prefix=prefix)


def mask(
    *,
    keep_first: int = 0,
    keep_last: int = 0,
    character: str = "*",
    separators: str = " -",
    width: int | None = None,
) -> MaskFormat:
    """Text hidden but for its ends; one-way, without a key."""
    return MaskFormat(
        keep_first=keep_first,
        keep_last=keep_last,
        character=character,
        separators=separators,
        width=width,
    )


def pseudonym(*, notation: Notation = "base32", length: int = 26) -> PseudonymFormat:
    """Text replaced by tags under the key (HMAC); one-way."""
    return PseudonymFormat(notation=notation, length=length)


PRESETS: dict[str, Callable[..., Format]] = {
    made.__name__: made
    for made in (
        digits,
        hex,
        letters,
        alphanumeric,
        base64url,
        ascii,
        alphabet,
        card,
        ssn,
        phone,
        email,
        uuid,
        date,
        integer,
        pattern,
        iban,
        national_id,
        unicode,
        decimal,
        timestamp,
        imei,
        ipv4,
        ipv6,
        mask,
        pseudonym,
    )
}
"""The formats of a policy, by name. The name is that of the function."""


def _in_case(
    alphabet: str,
    case: str,
    label: str,
    allowed: tuple[str, ...] = ("keep", "lower", "upper", "mixed"),
) -> str:
    if case not in allowed:
        raise FormatError(f"{label}: case must be one of {', '.join(map(repr, allowed))}")
    if case == "upper":
        return alphabet.upper()
    if case == "mixed":
        return alphabet + string.ascii_uppercase
    return alphabet
