# SPDX-License-Identifier: Apache-2.0
"""Cases of coarser values, of dates that move, of ipcrypt and of other ciphers."""

from __future__ import annotations

from format_vectors.making import case
from format_vectors.record import Case, Row, described

_NUMBERS = ["0", "37", "-1", "94", "3.7", "-0.5", "1234.5678", "17.9", "99999999", "2.25", "-12"]
_NO_NUMBERS: list[str | bytes] = ["007", "1e3", "", "-", "1.", "+1", "1,5", "1" * 19, "a", b"\xff"]
_DAYS = ["2024-05-17", "2024-12-31T23:59:59.125Z", "0001-01-01", "9999-12-31", "2000-02-29"]
_NO_DAYS: list[str | bytes] = ["2024-02-30", "17.05.2024", "2024-5-17", "2024-05-17T25:00:00", ""]
_TEXTS = ["90210", "90210-1234", "SW1A 1AA", "12", "Zo\u00eb Z", "", "\u738b\u5c0f\u660e\u738b"]
_DAY = 86_400
_WHOLE = {
    "c": [0, 37, -7, 127],
    "S": [0, 9, 65535],
    "l": [0, 37, -1, 10**17, 2**63 - 1],
    "L": [0, 2**63],
    "d:9,2": [0, 3712, -150, 99],
}
_TIMES = {
    "tdD": [0, 19_860, -1, -719_162, 2_932_896],
    "tdm": [0, 19_860 * _DAY * 1000, -_DAY * 1000, 5],
    "tss:": [0, 19_860 * _DAY + 7, -1],
    "tsu:": [0, 19_860 * _DAY * 1_000_000 + 7, -1],
}


def cases() -> list[Case]:
    """Make those of buckets, of values that are cut short, and of dates that move."""
    made = []
    for options, columns in (
        ({"width": 5}, _WHOLE),
        ({"width": 5, "top": 90, "label": "low"}, _WHOLE),
        ({"width": 10, "origin": 3}, _WHOLE),
        ({"width": "2.5"}, {"d:9,2": _WHOLE["d:9,2"]}),
        ({"edges": [0, 18, 65]}, _WHOLE),
        ({"edges": ["-0.5", "0.25"], "label": "low"}, {"d:9,2": [0, 25, -50, -51]}),
    ):
        form: Row = {"type": "bucket", **options}
        made.append(case(form, _NUMBERS, probes=_NO_NUMBERS, columns=columns, types=True))
    for unit in ("month", "quarter", "year"):
        form = {"type": "bucket", "unit": unit}
        made.append(case(form, _DAYS, probes=_NO_DAYS, columns=_TIMES, types=True))
    german: Row = {"type": "bucket", "unit": "month", "notation": "DD.MM.YYYY", "label": "low"}
    made.append(case(german, ["17.05.2024"], probes=["2024-05-17", "31.02.2024"]))
    for characters in ({"characters": 3}, {"characters": 3, "replacement": "0"}):
        made.append(case({"type": "truncate", **characters}, _TEXTS, probes=[b"a\xff"], types=True))
    made.append(case({"type": "truncate", "characters": 64}, [*_TEXTS, "x" * 70]))
    for decimals in (0, 2, 15):
        form = {"type": "truncate", "decimals": decimals}
        cut = {} if decimals == 15 else {"d:9,2": [0, 3712, -150, 99], "d:38,18": [10**18 + 7]}
        made.append(case(form, _NUMBERS, probes=_NO_NUMBERS, columns=cut, types=True))
    return made + _moving()


def _moving() -> list[Case]:
    """Make those of date_shift, where no value has a token without an entity."""
    dates = ["1970-01-31", "2000-02-29", "2024-12-31T23:59:59.125Z", "1900-01-01", "2099-12-31"]
    made = []
    for options in ({}, {"days": 36_500}, {"days": 20, "allow_tiny_domain": True}):
        form = {"type": "date_shift", **options}
        made.append(_moved(form, dates, ["2024-02-30", "1-1-2024", "", "9999-12-31"]))
    made[0]["invalid"] += [
        {"value": "1899-12-31", "direction": "protect"},
        {"value": "2100-12-31", "tweak": "patient 1", "direction": "reveal"},
        {"value": "1970-01-31", "null_tweak": True},
    ]
    made[0]["columns"] = [
        _numbers("tdD", [0, 19_860, -25_567], [60_000]),
        _numbers("tdm", [0, 19_860 * _DAY * 1000], [5]),
        _numbers("tss:", [0, 19_860 * _DAY + 7], [60_000 * _DAY]),
        _numbers("tsu:", [0, 19_860 * _DAY * 1_000_000 + 7], [60_000 * _DAY * 1_000_000]),
    ]
    german: Row = {"type": "date_shift", "notation": "DD.MM.YYYY"}
    german |= {"first": "2000-01-01", "last": "2000-12-31"}
    made.append(_moved(german, ["01.01.2000", "31.12.2000"], ["2000-01-01", "01.01.2009"]))
    return made


def _moved(form: Row, values: list[str], wrong: list[str]) -> Case:
    found = case(form, draw=0, types=True)  # its examples are invalid without an entity
    found["values"] = [described(value) for value in values]
    found["invalid"] += [described(value) for value in wrong]
    return found


def _numbers(kind: str, values: list[int], wrong: list[int]) -> Case:
    return {
        "type": kind,
        "values": [{"value": str(one)} for one in values],
        "invalid": [{"value": str(one)} for one in wrong],
    }


_ADDRESSES = ["0.0.0.1", "255.255.255.255", "192.0.2.1", "::", "::1", "2001:db8::7", "::fffe:1:2"]
_NO_ADDRESSES = ["1.2.3.256", "1.2.3", "01.2.3.4", "::ffff:1.2.3.4", "::FFFF", "1::2::3", "", "g::"]
_DIGITS = ["530421", "53-042 187", "1234567890123456", "9" * 40]
_CARDS = ["4111 1111 1111 1111", "378282246310005"]


def ciphers() -> list[Case]:
    """Make those of ipcrypt, and of formats with a cipher of their own."""
    made = []
    for mode in ("deterministic", "pfx"):
        form: Row = {"type": "ipcrypt", "mode": mode}
        made.append(case(form, _ADDRESSES, probes=_NO_ADDRESSES, draw=0, mutate=1, types=True))
    for mode in ("nd", "ndx"):  # ipcrypt.json has their tokens: two of a value differ
        found = case({"type": "ipcrypt", "mode": mode}, draw=0, types=True, tweak=False)
        wrong: list[Row] = [{"value": one} for one in _NO_ADDRESSES]
        wrong += [{"value": "192.0.2.1", "tweak": "short"}, {"value": "0" * 47}]
        made.append(found | {"values": [], "invalid": wrong})
    short = ["12345", "123", "12", "1", ""]
    for cipher in ({"cipher": "ff1"}, {"cipher": "ff1-2016"}, {}):
        plain: Row = {"tweak_hex": "00ff17", **cipher}
        for options in (cipher, plain) if cipher else (plain,):
            digits: Row = {"type": "digits", **options}
            made.append(case(digits, _DIGITS, probes=short, mutate=1, types=True))
            kept: Row = {"keep_last": 4, "kept_as_tweak": "tweak_hex" not in options}
            made.append(case({"type": "card", **kept, **options}, _CARDS))
            made.append(case({"type": "hex", **options}, ["abcdef09", "00" * 32], draw=2))
    for cipher in ({"cipher": "ff1"}, {"cipher": "ff1-2016"}):
        whole: Row = {"type": "integer", "min": 0, "max": 999_999, **cipher}
        columns = {"i": [0, 1, 999_999, 1_000_000, -1], "l": [4711]}
        made.append(case(whole, ["0", "999999"], probes=["1000000"], columns=columns, types=True))
    tiny: Row = {"type": "digits", "cipher": "ff1-2016", "allow_tiny_domain": True}
    made.append(case(tiny, _DIGITS, probes=short))
    made.append(
        case({"type": "ascii", "separators": ""}, ["a b", "pa ss~wo!d"], probes=["\u00e9a"])
    )
    for tweak in ("00" * 7, "d8e7920afa330a"):
        form = {"type": "digits", "cipher": "ff3-1", "tweak_hex": tweak}
        made.append(
            {
                "format": form,
                "key": bytes(range(16)).hex(),
                "namespace": "n",
                "values": [],
                "revealed": [{"token": one} for one in ("530421", "53-042 187", "0" * 19)],
                "invalid": [{"value": one, "direction": "reveal"} for one in ("12345", "12a4567")],
            }
        )
    return made
