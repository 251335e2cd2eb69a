# SPDX-License-Identifier: Apache-2.0
"""Cases of numbers, dates, times and addresses: values that are counted."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain

from format_vectors.descriptions import form_of
from format_vectors.making import case, numbers_in
from format_vectors.record import Case, Row, tokenizer

_WHOLE = [-(2**63), 2**63 - 1]


def cases() -> list[Case]:
    """Make all of them."""
    made = (_integers(), _dates(), _decimals(), _timestamps(), _addresses())
    return list(chain(*made))


def grouped() -> list[Case]:
    """Make those of numbers whose digits are in groups, and of a decimal comma."""
    made = []
    ends = {"min": "-99999999.99", "max": "99999999.99", "scale": 2}
    marks = ((",", "."), (",", ""), (".", ","), (".", "'"), (",", "\u202f"), (".", "\u2019"))
    for point, group in marks:
        described: Row = {"type": "decimal", **ends}
        described |= {"decimal_separator": point, "grouping_separator": group}
        texts = []
        for whole in ("0", "7", "12", "123", "1234", "12345", "999999", "1000000", "99999999"):
            marked = _in_groups(whole, group)
            texts += [f"{marked}{point}50", f"-{marked}{point}05", f"{whole}{point}50"]
        texts += [
            "-0,00",
            "0.00",
            f"1{group}23{point}00",
            f"{group}123{point}00",
            f"0{group}123{point}00",
            f"1{group}2345{point}00",
            f"1{group}234{group}{point}00",
            f"12{point}3{group}45",
            "1 234.50",
        ]
        made.append(case(described, probes=texts, draw=4, mutate=int(group == ".")))
    for group in (",", ".", "_", " ", "\u00a0", "\u2009"):
        described = {"type": "integer", "min": -(10**9), "max": 10**15, "grouping_separator": group}
        wholes = ("0", "-1", "999", "1000", "-123456", "1000000", "999999999999999")
        texts = [_in_groups(whole, group) for whole in wholes] + [*wholes]
        texts += [
            f"1{group}23",
            f"{group}1",
            f"0{group}123",
            f"1{group}{group}234",
            f"1{group}234{group}",
        ]
        made.append(case(described, probes=texts, draw=4, mutate=int(group == ",")))
    return made


def _in_groups(whole: str, group: str) -> str:
    return f"{int(whole):,}".replace(",", group)


def _integers() -> list[Case]:
    texts = [
        "0",
        "7",
        "-0",
        "00",
        "007",
        "+7",
        "-1",
        "1e3",
        "1.0",
        " 7",
        "7 ",
        "",
        "-",
        "--1",
        "9" * 18,
        "9" * 19,
        "-" + "9" * 18,
        "-" + "9" * 19,
        "99",
        "100",
        "101",
        "1234567890",
        "0x10",
        "1_000",
        "٣٤",
        "1\x00",
    ]
    made = []
    tiny = {"allow_tiny_domain": True}
    for low, high, more in (
        (0, 99, {}),
        (1, 100, {}),
        (0, 1, tiny),
        (-5, 4, tiny),
        (10, 12, tiny),
        (-50, 49, {}),
        (0, 255, {}),
        (-128, 127, {}),
        (0, 256, {}),
        (-1000, -1, {}),
        (0, 65535, {}),
        (-32768, 32767, {}),
        (0, 999_999, {}),
        (1, 1_000_000, {}),
        (10**9, 2 * 10**9, {}),
        (-(2**31), 2**31 - 1, {}),
        (0, 2**32 - 1, {}),
        (0, 2**32, {}),
        (-(10**18) + 1, 10**18 - 1, {}),
        (-(10**18), 10**18 - 1, {}),
        (0, 10**18, {}),
        (0, 2**63 - 1, {}),
        (-(2**63), -1, {}),
        (-(2**63), 2**63 - 1, {}),
        (0, 2**64 - 1, {}),
        (2**63, 2**64 - 1, {}),
        (2**64 - 200, 2**64 - 1, {}),
        (-1, 2**63, {}),
        (3_000_000, 3_000_147, {}),
    ):
        numbers = [low, high, (low + high) // 2, low + 1, low - 1, high + 1]
        inside = [str(one) for one in numbers]
        columns = {}
        for kind, first, last in _INTEGERS:
            if first <= low and high <= last:
                fitting = [one for one in [*numbers, 0, -1, first, last] if first <= one <= last]
                columns[kind] = list(dict.fromkeys(fitting))
        if len(columns) > 3:  # the smallest types, and the largest
            columns = {kind: columns[kind] for kind in [*list(columns)[:2], list(columns)[-1]]}
        described: Row = {"type": "integer", "min": low, "max": high, **more}
        text = low > -(10**18) and high < 10**18
        probes = [*inside, *(texts if low in (0, -50) else texts[:8])] if text else []
        if text:
            types, mutate = low in (-50, 10**9), low == -50
            made.append(case(described, probes=probes, columns=columns, types=types, mutate=mutate))
        else:
            made.append(_columns_alone(described, columns))
    return made


_INTEGERS = [
    ("c", -(2**7), 2**7 - 1),
    ("C", 0, 2**8 - 1),
    ("s", -(2**15), 2**15 - 1),
    ("S", 0, 2**16 - 1),
    ("i", -(2**31), 2**31 - 1),
    ("I", 0, 2**32 - 1),
    ("l", -(2**63), 2**63 - 1),
    ("L", 0, 2**64 - 1),
]


def _columns_alone(described: Row, columns: dict[str, list[int]]) -> Case:
    """Make a case of a format that takes no text."""
    made: Case = {"format": described, "key": bytes(range(32)).hex(), "namespace": "n"}
    made |= {"tweak": "row", "values": []}
    if described.get("min") in (2**63, "0"):
        made["types"] = {}
    tool = tokenizer(form_of(described), made)
    made["columns"] = [numbers_in(tool, kind, given) for kind, given in columns.items()]
    return made


def _dates() -> list[Case]:
    days = [-25567, 0, 1, -1, 47481, 47482, -25568, 20000, 2932896, -719162, 2**31 - 1, -(2**31)]
    millis = [day * 86_400_000 for day in days] + [1, -1, 86_400_001] + _WHOLE
    texts = [
        "1999-12-31",
        "2000-02-29",
        "1900-02-29",
        "1900-01-01",
        "2099-12-31",
        "2100-01-01",
        "1899-12-31",
        "0000-01-01",
        "2001-02-29",
        "2001-13-01",
        "2001-00-10",
        "2001-04-31",
        "2001-4-1",
        "20010401",
        "01.04.2001",
        "",
        "0001-01-01",
        "9999-12-31",
    ]
    columns = {"tdD": days, "tdm": millis}
    made = [case("date", texts, columns=columns, types=True, mutate=1)]
    for notation, values in (
        ("YYYYMMDD", ["20010401", "19991231", "20010431"]),
        ("DD.MM.YYYY", ["01.04.2001", "31.12.1999", "29.02.1900"]),
        ("MM/DD/YYYY", ["04/01/2001", "12/31/1999", "13/01/2001"]),
        ("DDMMYYYY", ["01042001", "31121999", "99999999"]),
        (
            "Day DD, month MM, year YYYY.",
            ["Day 01, month 04, year 2001.", "Day 1, month 4, year 2001."],
        ),
        ("YYYY MM~DD", ["2001 04~01"]),
        ("YYYYDDMM" + "x" * 56, ["20010104" + "x" * 56]),
    ):
        described: Row = {"type": "date", "notation": notation}
        made.append(case(described, values, mutate=int(len(notation) < 12)))
    for first, last, more in (
        ("0001-01-01", "9999-12-31", {}),
        ("2000-01-01", "2000-12-31", {}),
        ("2024-02-28", "2024-03-01", {"allow_tiny_domain": True}),
        ("1999-12-31", "2000-01-01", {"allow_tiny_domain": True}),
        ("1582-10-04", "1700-03-01", {}),
        ("9990-01-01", "9999-12-31", {"notation": "DD.MM.YYYY"}),
    ):
        described = {"type": "date", "first": first, "last": last, **more}
        values = [first, last, "2000-02-29", "2024-02-29", "9999-12-31", "31.12.9999"]
        made.append(case(described, values, columns=columns, mutate=int(first == "0001-01-01")))
    return made


def _decimals() -> list[Case]:
    made = []
    texts = [
        "0",
        "-0",
        "0.00",
        "-0.00",
        "1.50",
        "-1.50",
        "1.5",
        ".50",
        "1.",
        "01.50",
        "1,50",
        "+1.50",
        "1.500",
        "1e2",
        "",
        "NaN",
        "99.99",
        "100.00",
        "-99.99",
        "0.01",
        "-0.01",
        "9999999999999999.99",
        "99999999999999999.99",
        "1.5\n",
    ]
    tiny = {"allow_tiny_domain": True}
    for low, high, scale, more in (
        ("0.00", "99.99", 2, {}),
        ("0.00", "0.99", 2, {}),
        ("-1.00", "1.00", 2, {}),
        ("0.0", "0.9", 1, tiny),
        ("-0.5", "0.5", 1, tiny),
        ("-99.99", "-0.01", 2, {}),
        ("-5000.00", "5000.00", 2, {}),
        (0, 1000, 0, {}),
        ("-100", "100", 0, {}),
        (-50, "49.5", 1, {}),
        ("0.000", "1234.567", 3, {}),
        ("-90.000000", "90.000000", 6, {}),
        ("0", "0.000000001", 9, tiny),
        ("0.000000000000000000", "0.999999999999999999", 18, {}),
        ("-0.999999999999999999", "0.999999999999999999", 18, {}),
        ("-1", "1", 18, {}),
        ("0", "10", 17, {}),
        ("-9999999999999999.99", "9999999999999999.99", 2, {}),
        ("-10000000000000000.00", "0.00", 2, {}),
        ("-92233720368547758.08", "92233720368547758.07", 2, {}),
        ("0", "184467440737095516.15", 2, {}),
        ("-9223372036854775808", "9223372036854775807", 0, {}),
        ("0", "18446744073709551615", 0, {}),
        ("1e3", "1.5E4", 0, {}),
        ("-0", "100", 1, {}),
    ):
        described: Row = {"type": "decimal", "min": low, "max": high, "scale": scale, **more}
        first, last = (int(_unscaled(one, scale)) for one in (low, high))
        numbers = [first, last, first + 1, last - 1, first - 1, last + 1, 0, -1, 10**19, -(10**19)]
        columns = {f"d:38,{scale}": list(dict.fromkeys([*numbers, 2**64 + first, first - 2**64]))}
        if f"d:38,{scale}" not in ("d:38,0", "d:38,2", "d:38,18"):
            columns = {}
        if scale == 2 and first > -(10**9) and last < 10**9:
            columns["d:9,2"] = [one for one in numbers if abs(one) < 10**9]
        text = first > -(10**18) and last < 10**18
        written = [_written(one, scale) for one in numbers[:8]]
        if text:
            probes = [*written, *(texts if scale in (1, 2) and not more else texts[:6])]
            types, mutate = low in ("-5000.00", "-100"), first == -9999
            made.append(case(described, probes=probes, columns=columns, types=types, mutate=mutate))
        else:
            made.append(_columns_alone(described, columns))
    return made


def _unscaled(value: str | int, scale: int) -> int:
    return int(Decimal(value).scaleb(scale))


def _written(number: int, scale: int) -> str:
    digits = str(abs(number)).rjust(scale + 1, "0")
    cut = len(digits) - scale
    return "-" * (number < 0) + digits[:cut] + ("." + digits[cut:] if scale else "")


def _timestamps() -> list[Case]:
    texts = [
        "2024-02-29T12:34:56",
        "2024-02-29 12:34:56",
        "2024-02-29T12:34:56Z",
        "2024-02-29T12:34:56+02:00",
        "2024-02-29T12:34:56-0330",
        "2024-02-29T12:34:56+14",
        "2024-02-29T12:34:56+14:59",
        "2024-02-29T12:34:56+15:00",
        "2024-02-29T12:34:56+2",
        "2024-02-29T24:00:00",
        "2024-02-29T23:59:60",
        "2023-02-29T00:00:00",
        "2024-02-29t12:34:56",
        "2024-02-29T12:34:56z",
        "2024-02-29T12:34:56 Z",
        "2024-02-29",
        "2024-02-29T12:34",
        "1970-01-01T00:00:00",
        "2069-12-31T23:59:59",
        "1969-12-31T23:59:59",
        "2070-01-01T00:00:00",
        "2024-02-29T12:34:56.7",
        "2024-02-29T12:34:56,789",
        "0000-01-01T00:00:00",
        "2024-02-29T12:34:56-02:60",
    ]
    fine = [
        text[:19] + fraction + text[19:]
        for text in texts[:6]
        for fraction in (".789", ".789012", ".7890123")
    ]
    made = []
    for resolution in ("s", "ms", "us"):
        per = {"s": 1, "ms": 10**3, "us": 10**6}[resolution]
        columns = {}
        for kind, unit in (
            ("tss:", 1),
            ("tsm:", 10**3),
            ("tsu:", 10**6),
            ("tsn:", 10**9),
            ("tss:UTC", 1),
            ("tsu:Europe/Berlin", 10**6),
        ):
            if unit >= per:
                step = unit // per
                seconds = [0, 1, -1, 1_700_000_000, 3155759999, 3155760000]
                numbers = [second * unit for second in seconds] + [step, 5 * step, *_WHOLE]
                columns[kind] = list(dict.fromkeys(numbers + ([1] if step > 1 else [])))
        described: Row = {"type": "timestamp", "resolution": resolution}
        made.append(case(described, [*texts, *fine], columns=columns, types=True, mutate=1))
    for first, last, more in (
        ("0001-01-01T00:00:00", "9999-12-31T23:59:59", {}),
        ("0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", {"resolution": "us"}),
        ("2020-01-01T00:00:00", "2020-01-01T00:01:39", {}),
        ("2020-01-01T00:00:00", "2020-01-01T00:00:01", {"allow_tiny_domain": True}),
        ("2020-01-01T00:00:00.250", "2020-01-01T00:00:00.750", {"resolution": "ms"}),
        ("2020-01-01T00:00:00+02:00", "2021-01-01T00:00:00Z", {}),
        ("1950-06-15T12:00:00-05:30", "1969-12-31T23:59:59.999999", {"resolution": "us"}),
        ("2262-04-11T00:00:00", "2262-04-12T00:00:00", {}),
    ):
        described = {"type": "timestamp", "first": first, "last": last, **more}
        fraction = {"s": "", "ms": ".500", "us": ".999999"}[str(more.get("resolution", "s"))]
        values = [
            "2020-01-01T00:00:00",
            "2020-06-01 12:00:00+02",
            "1960-01-01T00:00:00Z",
            "0001-01-01T00:00:00",
            "9999-12-31T23:59:59",
            "2262-04-11T12:00:00",
        ]
        values = [one[:19] + fraction + one[19:] for one in values]
        made.append(case(described, values, types=first[:4] == "2262"))
    return made


def _addresses() -> list[Case]:
    made = []
    texts = [
        "0.0.0.0",  # noqa: S104
        "255.255.255.255",
        "10.1.2.3",
        "192.168.0.1",
        "256.0.0.1",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "1.2.3.04",
        "1..2.3",
        "",
        "1.2.3.4 ",
        " 1.2.3.4",
        "1.2.3.a",
        "::1",
        "1.2.3.4/8",
        "1.2.3.٣",
        "999.1.1.1",
        "1.2.3.-4",
        "10.1.2.255",
        "10.1.255.3",
    ]
    for prefix in (0, 1, 7, 8, 16, 23, 24, 25):
        described: Row = {"type": "ipv4", "prefix": prefix}
        made.append(case(described, texts, types=prefix == 8, mutate=int(prefix == 0)))
    for prefix in (26, 30, 31):
        described = {"type": "ipv4", "prefix": prefix, "allow_tiny_domain": True}
        made.append(case(described, texts[:5], draw=2))
    six = [
        "::",
        "::1",
        "1::",
        "2001:db8::7",
        "2001:db8:0:1:1:1:1:1",
        "2001:db8::1:0:0:1",
        "fe80::1:2:3:4",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "1:2:3:4:5:6:7:8",
        "0:1::",
        "::1:0:0:0:2:0",
        "1:0:0:2::",
        "64:ff9b::c000:221",
        "::ffff:0:0",
    ]
    bad = [
        "2001:DB8::7",
        "2001:0db8::7",
        "2001:db8:0:0:0:0:0:7",
        "2001:db8:::7",
        "2001:db8",
        "2001:db8::1::2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "::ffff:192.0.2.1",
        "fe80::1%eth0",
        "::g",
        "",
        ":",
        "::12345",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "2001:db8::/32",
        ":1::",
        "1:0:0:2:0:0:0:3",
        "1::2:0:0:0:3",
    ]
    for prefix in (0, 4, 32, 48, 64, 100, 120):
        described, probes = {"type": "ipv6", "prefix": prefix}, bad if prefix in (0, 64) else []
        whole = prefix == 0
        made.append(case(described, six, probes=probes, types=whole, mutate=int(whole)))
    return made
