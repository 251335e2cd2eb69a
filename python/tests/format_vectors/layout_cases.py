# SPDX-License-Identifier: Apache-2.0
"""Cases of patterns, IBANs and national identifiers."""

from __future__ import annotations

import re
from itertools import chain, combinations

from format_vectors.descriptions import form_of
from format_vectors.making import case
from format_vectors.record import Case, Row
from models.iban_structures import STRUCTURES
from models.national_kinds import KINDS

_CLASSES = {"n": "0", "a": "A", "c": "0"}

_PATTERNS: list[tuple[str, list[str]]] = [
    ("AA-9999", ["AB-1234", "ZZ-0000"]),
    ("aaa999", ["abc123", "zzz000"]),
    ("XXXX", ["A1B2", "0000", "ZZZZ"]),
    ("99999(-9999)", ["12345", "12345-6789", "12345-", "12345-678"]),
    ("A(A(A))-A(A) 9(9(9(9)))(E)", ["B-A 1", "MUC-XY 9999E", "HH-AB 12", "M-A 1E", "B-AB 123E"]),
    ("[A-PR-UWYZ]9[A-HJKSTUW](9) 9[ABD-HJLNP-UW-Z][ABD-HJLNP-UW-Z]", ["A1A 1AA", "W1A9 0AX"]),
    ("[A-PR-UWYZ](9(9)) 9[ABD-Z][ABD-Z]", ["M 1AA", "B33 8TH", "M1 1AE"]),
    (r"\A\9\(9999\)", ["A9(1234)"]),
    (r"#9{99}*99.\[9\]?", ["#1{23}*45.[6]?"]),
    (r"[\]\-\[\\]99", ["]12", "-34", "[56", "\\78"]),
    ("[-a]99[z-]", ["-12z", "a34-"]),
    ("[a-a]999", ["a123"]),
    ("[ -~]9", ["a1", " 2", "~3", "é4"]),
    ("[!-/:-@]99", ["!12", "@34"]),
    ("9[0]9", ["101", "909"]),
    ("(A)999", ["A123", "456"]),
    ("(A)(-)999", ["A-123", "-456", "A789", "012"]),
    ("(A9)(b99)999", ["A1b23456", "b12345", "A1234", "123"]),
    (
        "VIN [A-HJ-NPR-Z0-9][A-HJ-NPR-Z0-9][A-HJ-NPR-Z0-9][A-HJ-NPR-Z0-9][A-HJ-NPR-Z0-9]",
        ["VIN WVWZZ"],
    ),
    ("9" * 64, ["7" * 64]),
    ("X" * 49, ["Z" * 49]),
    ("[ab]" * 64, ["ab" * 32]),
    ("[ -_]" * 42 + "[p-w][ab]", ["A9_ " * 10 + "XYpb"]),  # 2**256 values
    (r"\\99", ["\\12"]),
    ("=999", ["=123"]),
    ("[=+]99999", ["=12345"]),
    ("A a9X", ["B c1D"]),
    ("[A-Z0-9][a-z0-9]", ["A1", "zz"]),
]

_TINY = ["9", "A", "[01]", "[01][01]", "9A", "(9)9", "[abc]x"]


def cases() -> list[Case]:
    """Make all of them."""
    return list(chain(_patterns(), [_iban()], _national()))


def _patterns() -> list[Case]:
    made = []
    for i, (pattern, values) in enumerate(_PATTERNS):
        described = {"type": "pattern", "pattern": pattern}
        made.append(case(described, values, mutate=int(i in (0, 3, 4)), types=i == 0))
    nested: Row = {"type": "pattern", "pattern": _nested("a", 30) + "999"}
    made.append(case(nested, ["999", "a" * 30 + "999", "aa123"]))
    parts = "".join(f"([{one}])" for one in "ABCDEFGH")  # each there or not: 256 layouts
    many: Row = {"type": "pattern", "pattern": f"{parts}9999"}
    made.append(case(many, ["1234", "ABCDEFGH1234", "BDFH0000", "A9999", "HA1234"]))
    for pattern in _TINY:
        tiny: Row = {"type": "pattern", "pattern": pattern, "allow_tiny_domain": True}
        made.append(case(tiny, ["0", "1", "00", "01", "A", "7A", "ax", "cx", "5", "55"], draw=2))
    return made


def _nested(inner: str, depth: int) -> str:
    return f"({inner}" * depth + ")" * depth


def iban(country: str, account: str) -> str:
    """Return an IBAN, with its check digits."""
    digits = "".join(str(int(one, 36)) for one in f"{account}{country}00")
    return f"{country}{98 - int(digits) % 97:02}{account}"


def spaced(text: str) -> str:
    """Return an IBAN in groups of four."""
    return " ".join(re.findall(".{1,4}", text))


def _iban() -> Case:
    values = []
    for country, structure in STRUCTURES.items():
        parts = re.findall(r"(\d+)([nac])", structure)
        account = "".join(_CLASSES[kind] * int(count) for count, kind in parts)
        mixed = "".join({"n": "9", "a": "Z", "c": "K"}[kind] * int(count) for count, kind in parts)
        values += [iban(country, account), spaced(iban(country, mixed))]
    probes = [
        "DE89370400440532013001",
        "DE89 37040044 0532013000",
        "de89370400440532013000",
        "GB29NWBK6016133192681A",
    ]
    probes += [
        "XX89370400440532013000",
        "DE00370400440532013000",
        "DE8937040044053201300",
        "DE893704004405320130000",
        "GB29nWBK60161331926819",
    ]
    probes += [
        "DE98370400440532013000",
        "DE89 3704 0044 0532 0130 00 ",
        "",
        "D",
        "DE",
        "GB29 NWBK 6016 1331 9268 19",
        "NO93 8601 1117 947",
        "NO9386011117947",
    ]
    probes += ["MT84MALT011000012345MTLCAST001S", "mt84 malt"]
    return case("iban", values, probes=probes, draw=120, mutate=2, types=True)


def _subsets(text: str) -> list[str]:
    """Return a text without some of its separators: all choices, if there are few."""
    places = [i for i, one in enumerate(text) if one in " .-/"]
    found = []
    for size in range(len(places) + 1):
        for chosen in combinations(places, size):
            found.append("".join(one for i, one in enumerate(text) if i not in chosen))
    return found[:24]


_SAMPLES = {
    "ca.sin": ["123 456 782", "046454286"],
    "fi.hetu": ["131052-308T", "010101A0101", "290200A002L", "311299-9999", "131052+308T"],
    "fr.nir": ["2 95 10 99 126 111 93", "1 95 10 2A 126 111 93", "295109912611193"],
    "se.personnummer": [
        *("880320-0016", "8803200016", "19880320-0016", "198803200016"),
        *("880320+0018", "20000229-0005", "121212-1212", "121212+1212"),
    ],
    "za.idnr": ["750330 5044 08 9", "7503305044089"],
    "in_.aadhaar": ["2341 2341 2346", "2222 2222 2222", "234123412347"],
    "br.cpf": ["390.533.447-05", "39053344705", "000.000.000-00"],
    "br.cnpj": ["16.727.230/0001-97", "16727230000197", "00000000000000"],
    "nl.bsn": ["1112.22.333", "111222333", "000000000"],
    "de.idnr": ["36 574 261 809", "36574261809", "12345678903", "11123456789", "65929970489"],
    "it.codicefiscale": ["RCCMNL83S18D969H", "RSSMRA80A01H501U", "RSSMRA81B29H501X"],
    "pl.pesel": ["44051401359", "02070803628", "02271409862"],
}


def _national() -> list[Case]:
    made = []
    for kind in KINDS:
        described = {"type": "national_id", "kind": kind}
        samples = [*form_of(described).examples, *_SAMPLES.get(kind, [])]
        texts = list(dict.fromkeys(one for sample in samples for one in _subsets(sample)))
        wrong = [sample[:-1] + other for sample in samples[:1] for other in "0123456789AKTX"]
        # Tokens of the sample with and without separators are values of all kinds of sizes.
        made.append(case(described, texts, draw=24, probes=wrong, mutate=1, types=kind == "br.cpf"))
    return made
