# SPDX-License-Identifier: Apache-2.0
"""Cases of text over an alphabet."""

from __future__ import annotations

import string
from itertools import chain

from format_vectors.descriptions import form_of, toml
from format_vectors.making import case, drawn
from format_vectors.record import Case, Row, fault_of, text_of, tokenizer

_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_ASCII = "".join(map(chr, range(32, 127)))

_KEPT: list[Row] = [
    {},
    {"keep_first": 1},
    {"keep_last": 4},
    {"keep_first": 3, "keep_last": 2},
    {"keep_first": 2, "keep_last": 3, "kept_as_tweak": False},
    {"min_length": 8},
    {"max_length": 9},
    {"keep_last": 3, "min_length": 6, "max_length": 12},
    {"allow_tiny_domain": True},
    {"allow_tiny_domain": True, "keep_first": 1},
    {"keep_first": 64},
    {"keep_last": 70},
    {"separators": ""},
    {"separators": "_ /"},
]

_ALPHABETS: dict[str, tuple[str, str]] = {
    "digits": (_DIGITS, " -"),
    "hex": ("0123456789abcdef", ""),
    "letters": (_LOWER + _UPPER, " -.'"),
    "alphanumeric": (_DIGITS + _LOWER + _UPPER, " -"),
    "base64url": (_UPPER + _LOWER + _DIGITS + "-_", "="),
    "ascii": (_ASCII, ""),
}

_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17, 33, 66, 80)

_CARDS: tuple[str, ...] = (
    "4111 1111 1111 1111",
    "4111111111111111",
    "378282246310005",
    "3782-822463-10005",
)
_CARDS += ("6304000000000000", "30569309025904", "4222222222222", "6799990100000000019")
_IMEI = ("49-015420-323751-8", "490154203237518", "35-209900-176148-1", "352099001761481")


def cases() -> list[Case]:
    """Make those of alphabets."""
    return list(chain(_plain(), _cases(), _own_alphabets(), _long()))


def presets() -> list[Case]:
    """Make those of card numbers, addresses and others with rules of their own."""
    return list(chain(_checked(), _places(), _email()))


def _draw(described: Row, alphabet: str, separators: str, lengths: tuple[int, ...]) -> list[str]:
    separators = described.get("separators", separators)
    first = 0 if described.get("keep_first", 0) < 64 else 60
    return drawn(toml(described), alphabet, separators, (first + one for one in lengths))


def _plain() -> list[Case]:
    made = [case("digits", mutate=1, types=True)]
    for name, (alphabet, separators) in _ALPHABETS.items():
        for options in _KEPT:
            if name not in ("digits", "letters") and len(options) > 1:
                continue
            if name != "digits" and options.get("keep_first") == 64:
                continue
            if name in ("ascii", "base64url") and "separators" in options:
                continue
            described = {"type": name, **options}
            if name == "letters" and options.get("separators"):
                described["separators"] = "_ /"
            values = _draw(
                described, alphabet, separators, _LENGTHS if name == "digits" else _LENGTHS[1:11:2]
            )
            full = name in ("digits", "letters") and not options
            made.append(
                case(described, values, mutate=int(full or options == {"keep_last": 4}), draw=2)
            )
    return made


def _cases() -> list[Case]:
    allowed = {
        "hex": ("lower", "upper"),
        "letters": ("keep", "lower", "upper", "mixed"),
        "alphanumeric": ("lower", "upper", "mixed"),
        "uuid": ("lower", "upper"),
    }
    made = []
    for name, kinds in allowed.items():
        for kind in kinds:
            probes = ["abc123", "ABC123", "aBcDeF", "anne", "ANNE", "AnNe", "00ff00FF"]
            made.append(case({"type": name, "case": kind}, probes=probes, mutate=1))
    for kind in allowed["letters"]:
        described = {"type": "letters", "case": kind, "keep_first": 1, "keep_last": 1}
        made.append(case(described, probes=["Anne O'Neill", "anne", "ANNE-MARIE", "a.b-c d"]))
    return made


def _own_alphabets() -> list[Case]:
    made = []
    for alphabet, values in (
        ("ACGT", ["GATTACA", "ACGT", "AAAAAAAAAAAAAAAAAAAAA", "CGCG"]),
        ("01234", ["1234", "00000", "43210", "001"]),
        ("zyxwvutsr", ["zyxw", "rstuv", "zz"]),
        ("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", ["AB2C", "99", "ZZTOP9"]),
        (_ASCII, ["a b", "~~", " leading", "=1+1"]),
        (_ASCII[::-1], ["a b", "~~", " leading", "=1+1"]),
        (_ASCII[1:], ["ab", "!~", "nospace"]),
        ("\"\\/'", ['"\\/\'"""', "////", "''''\\"]),
        ("+-=@abc", ["+++", "@=a", "abcabc"]),
    ):
        described: Row = {"type": "alphabet", "alphabet": alphabet}
        made.append(case(described, values, mutate=int(alphabet == "ACGT")))
        made.append(case(described | {"allow_tiny_domain": True}, values, draw=2))
        if len(alphabet) < 90:
            options = {"separators": "_:" if "a" in alphabet else " .", "keep_last": 1}
            made.append(case(described | options, values, draw=2))
            made.append(case(described | {"keep_first": 1}, values, draw=2))
    return made


def _checked() -> list[Case]:
    made = []
    kept: list[Row] = [
        {},
        {"keep_last": 4},
        {"keep_first": 6},
        {"keep_first": 6, "keep_last": 4},
        {"keep_first": 4, "keep_last": 1, "kept_as_tweak": False},
    ]
    for luhn in ("valid", "invalid", "none"):
        for name, values in (("card", _CARDS), ("imei", _IMEI)):
            for options in kept:
                wrong = [value[:-1] + "9" for value in values[:2]] + ["4111", "0" * 20, "0" * 16]
                described = {"type": name, "luhn": luhn, **options}
                made.append(
                    case(
                        described,
                        values,
                        probes=wrong,
                        mutate=int(options == {} and (name == "card" or luhn == "valid")),
                        draw=3,
                    )
                )
    made.append(case("card", _CARDS, types=True))
    made.append(case({"type": "card", "min_length": 16, "max_length": 16}, _CARDS))
    made.append(
        case(
            {"type": "card", "min_length": 0, "max_length": 70, "separators": ""},
            ["0" * 64],
            probes=["0" * 65, "18", "117", "1115", "0" * 70],
        )
    )
    made.append(
        case({"type": "card", "min_length": 3, "allow_tiny_domain": True}, ["117", "18", "1115"])
    )
    made.append(case({"type": "imei", "separators": "."}, ["49.015420.323751.8"]))
    return made


def _places() -> list[Case]:
    made = [case(name, mutate=1) for name in ("ssn", "phone", "uuid")]
    made += [
        case({"type": "ssn", **options}, ["078-05-1120", "219099999", "987 65 4321"])
        for options in (
            {"keep_last": 4},
            {"keep_first": 3},
            {"keep_last": 4, "kept_as_tweak": False},
            {"min_length": 4, "keep_last": 4, "max_length": 12},
            {"separators": "/"},
            {"keep_first": 3, "keep_last": 4, "allow_tiny_domain": True},
        )
    ]
    numbers = ["+49 30 901820", "0049(30)90-18/20", "+1.202.555.0143", "112233", "+999999999999999"]
    made += [
        case(
            {"type": "phone", **options}, numbers, probes=["++49301234", "49+301234", "12345", "+"]
        )
        for options in (
            {},
            {"keep_first": 2},
            {"keep_first": 3, "keep_last": 2},
            {"keep_last": 4, "kept_as_tweak": False},
            {"separators": ""},
            {"min_length": 3, "max_length": 20},
            {"min_length": 2, "max_length": 20, "allow_tiny_domain": True},
        )
    ]
    made.append(
        case(
            "uuid",
            ["00000000-0000-0000-0000-000000000000", "f81d4fae7dec41d0a76500a0c91e6bf6"],
            probes=["ffffffff-ffff-ffff-ffff-fffffffffff", "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6"],
        )
    )
    return made


_ADDRESSES = [
    "jane.doe+news@example.org",
    "a1@b.example",
    "info@example.com",
    "x_y-z@sub.example.co.uk",
    "o'neill!#$%&*/?^`{|}~@example.net",
    "anna@münchen.example",
]
_NO_ADDRESSES = [
    "jane.doe",
    "a@b@c",
    "@example.org",
    "jane@",
    "JANE@example.org",
    "a=b=cd@x.example",
    "jane doe@example.org",
    "jané@example.org",
    "é@é@é",
    "",
    "@",
    "@@",
]


def _email() -> list[Case]:
    made = [case("email", _ADDRESSES, probes=_NO_ADDRESSES, mutate=1, types=True)]
    damaged = [b"jane@ex\xffample.org", b"ja\xffne@example.org", b"jane@example.org\xc3"]
    for part in ("local", "all"):
        for kind in ("lower", "mixed"):
            described = {"type": "email", "part": part, "case": kind}
            made.append(case(described, _ADDRESSES, probes=[*_NO_ADDRESSES, *damaged]))
    made.append(case({"type": "email", "kept_as_tweak": False}, _ADDRESSES))
    tiny: Row = {"type": "email", "allow_tiny_domain": True}
    made.append(case(tiny, ["a@b.example", "ab@b.example", "abc@b.example"]))
    tiny = {"type": "email", "part": "all", "allow_tiny_domain": True}
    made.append(case(tiny, ["a@b", "@ab", "ab@"]))
    for at in ("tokens.invalid", "example.com", "x.test", "a-b.c9.example", "mail.example.org"):
        described = {"type": "email", "part": "all", "at": at}
        probes: list[str | bytes] = [
            *_NO_ADDRESSES,
            *damaged,
            f"jane@{at}",
            f"jane=example.org@{at}",
            f"jane=example.org@x{at}",
            f"@{at}",
            f"a=@{at}",
            f"=a@{at}",
            f"jané=x.org@{at}",
            f"a=b=c@{at}",
            f"jane=EXAMPLE.org@{at}",
            f"jane=example.org@{at.upper()}",
            f"j@x@{at}",
            f"jane=example.org@{at}\n",
        ]
        made.append(case(described, _ADDRESSES, probes=probes, mutate=int(at == "x.test")))
    extra: list[Row] = [{"case": "mixed"}, {"kept_as_tweak": False}, {"allow_tiny_domain": True}]
    for options in extra:
        described = {"type": "email", "part": "all", "at": "tokens.invalid", **options}
        made.append(case(described, [*_ADDRESSES, "Jane@Example.ORG", "a@b", "@a1"]))
    return made


def _long() -> list[Case]:
    """Long values, and long tweaks: up to the limits and beyond."""
    made = [
        case("digits", ["0123456789" * 102 + "0123", "7" * 1024], probes=["7" * 1025], draw=0),
        case(
            {"type": "digits", "max_length": 65536},
            ["01" * 32768, "0123456789" * 1000],
            draw=0,
            probes=["01" * 32769],
        ),
        case(
            {"type": "ascii", "max_length": 65536, "keep_first": 64, "keep_last": 100},
            ["ab" * 32768],
            draw=0,
        ),
        case({"type": "letters", "keep_last": 1023, "max_length": 1026}, ["Ab" * 513], draw=0),
        case({"type": "letters", "keep_last": 900}, ["ab" * 452, "ab" * 512], draw=0),
        case({"type": "email"}, ["jane@" + "x" * 800, "ab@" + "." * 900], draw=0),
    ]
    for described in (
        "digits",
        {"type": "digits", "keep_last": 4},
        "date",
        {"type": "pattern", "pattern": "A9999"},
        "ipv4",
        {"type": "ipv4", "prefix": 8},
        "ipv6",
        {"type": "ipv6", "prefix": 32},
        "unicode",
        {"type": "unicode", "script": "latin", "keep_first": 2},
        "iban",
        "pseudonym",
        {"type": "email", "part": "all", "at": "x.test"},
        {"type": "decimal", "min": "0.00", "max": "99.99", "scale": 2},
        "timestamp",
    ):
        one = case(described, draw=0, tweak=False)
        value = one["values"][0]
        fits = _longest_tweak(one)
        one["values"].append(value | {"tweak": {"repeat": "t", "times": fits}})
        one["values"].append(value | {"tweak": "ünïcödé"})
        wrong = [
            value | {"tweak": {"repeat": "t", "times": fits + 1}},
            value | {"null_tweak": True},
        ]
        wrong.append({"hex": "ff", "null_tweak": True})
        if described == "pseudonym":
            wrong.pop()
        for row in wrong:
            row["direction"] = "protect"
        one["invalid"] = wrong
        made.append(one)
    return made


def _longest_tweak(one: Case) -> int:
    """Find the size of the longest tweak of a row with which the first value is valid."""
    tool, value = tokenizer(form_of(one["format"]), one), text_of(one["values"][0])
    good, bad = 0, 1100
    while bad - good > 1:
        middle = (good + bad) // 2
        if fault_of(tool.protect, value, "t" * middle) is None:
            good = middle
        else:
            bad = middle
    return good
