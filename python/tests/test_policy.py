# SPDX-License-Identifier: Apache-2.0
"""Policies: what is read, and that every mistake is reported with its key and a way to mend it."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from datetime import date, datetime
from pathlib import Path

import pytest

from pages import blocks
from tallystick import formats
from tallystick._core import lib
from tallystick.errors import PolicyError
from tallystick.files import CsvOptions
from tallystick.formats import PRESETS, Format
from tallystick.keyring import KeyId
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.tables import Untouched, check_listed, untouched_columns


def column(name: str = "a", **keys: str | None) -> str:
    """Write a column; what is given replaces or takes away what a column needs."""
    needed = {"format": '"digits"', "key": '"people:1"', "namespace": '"person id"'}
    lines = [f"{key} = {text}" for key, text in (needed | keys).items() if text is not None]
    return "\n".join([f"[columns.{name}]", *lines, ""])


def form_of(text: str) -> Format:
    (rule,) = Policy.parse(column(format=text)).rules
    return rule.form


def mistake(text: str) -> str:
    with pytest.raises(PolicyError) as caught:
        Policy.parse(text, "people.toml")
    message = str(caught.value)
    assert message.startswith("people.toml: ")
    assert "\n" not in message
    for word in ("str", "int", "bool", "dict", "list", "object", "float", "NoneType"):
        assert not re.search(rf"\b{word}\b", message), "Python's word for a type"
    return message.removeprefix("people.toml: ")


# What is right.


def test_a_short_policy() -> None:
    policy = Policy.parse(
        """
        [columns]
        id = { format = "digits", key = "people:1", namespace = "person id" }
        """
    )
    (rule,) = policy.rules
    assert rule == ColumnRule("id", PRESETS["digits"](), KeyId("people", 1), "person id")
    assert rule.tweak is None
    assert rule.on_invalid == "error"
    assert policy.csv is None


def test_a_long_policy() -> None:
    policy = Policy.parse(
        """
        version = 1

        [csv]
        delimiter = ";"
        quote = "'"
        skip_initial_space = true
        header = false

        [columns."card number"]
        format = { type = "card", keep_first = 6, keep_last = 4, luhn = "invalid" }
        key = "cards:12"
        namespace = "card"
        tweak = "customer"
        on_invalid = "null"

        [columns.f0]
        format = "ssn"
        key = "people:1"
        namespace = "person id"
        on_invalid = "keep"
        """
    )
    assert policy.csv == CsvOptions(";", "'", True, False)
    card, ssn = policy.rules  # in the order of the file
    assert card.column == "card number"
    assert card.form == PRESETS["card"](keep_first=6, keep_last=4, luhn="invalid")
    assert (card.key, card.namespace) == (KeyId("cards", 12), "card")
    assert (card.tweak, card.on_invalid) == ("customer", "null")
    assert (ssn.column, ssn.tweak, ssn.on_invalid) == ("f0", None, "keep")


COMMON = "separators = '_', keep_first = 2, keep_last = 1, kept_as_tweak = false, max_length = 30"
COMMON_READ = {
    "separators": "_",
    "keep_first": 2,
    "keep_last": 1,
    "kept_as_tweak": False,
    "max_length": 30,
}
OPTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "digits": (COMMON, COMMON_READ),
    "hex": (f"case = 'upper', {COMMON}", COMMON_READ | {"case": "upper"}),
    "letters": (f"case = 'lower', {COMMON}", COMMON_READ | {"case": "lower"}),
    "alphanumeric": ("case = 'upper', min_length = 8", {"case": "upper", "min_length": 8}),
    "base64url": ("separators = ''", {"separators": ""}),
    "ascii": ("min_length = 3, max_length = 9", {"min_length": 3, "max_length": 9}),
    "alphabet": (f"alphabet = 'ACGT', {COMMON}", COMMON_READ | {"alphabet": "ACGT"}),
    "card": ("luhn = 'none', min_length = 13", {"luhn": "none", "min_length": 13}),
    "ssn": ("separators = '', keep_last = 4", {"separators": "", "keep_last": 4}),
    "phone": ("keep_first = 3", {"keep_first": 3}),
    "email": ("part = 'all', case = 'mixed'", {"part": "all", "case": "mixed"}),
    "uuid": ("case = 'upper'", {"case": "upper"}),
    "date": (
        "first = 1850-01-01, last = 2020-02-29, notation = 'DD.MM.YYYY'",
        {"first": date(1850, 1, 1), "last": date(2020, 2, 29), "notation": "DD.MM.YYYY"},
    ),
    "integer": (
        "min = -9223372036854775808, max = 9223372036854775807",
        {"min": -(2**63), "max": 2**63 - 1},
    ),
    "pattern": ("pattern = 'A(A)9'", {"pattern": "A(A)9"}),
    "iban": ("", {}),
    "national_id": ("kind = 'br.cpf'", {"kind": "br.cpf"}),
    "unicode": (
        "script = 'cjk', separators = '・', keep_first = 1, kept_as_tweak = false, max_length = 9",
        {
            "script": "cjk",
            "separators": "・",
            "keep_first": 1,
            "kept_as_tweak": False,
            "max_length": 9,
        },
    ),
    "decimal": ("min = '-0.5', max = 1000, scale = 2", {"min": "-0.5", "max": 1000, "scale": 2}),
    "timestamp": (
        "first = 2001-02-03T04:05:06.125, last = 2020-02-29T00:00:00, resolution = 'ms'",
        {
            "first": datetime(2001, 2, 3, 4, 5, 6, 125_000),
            "last": datetime(2020, 2, 29),
            "resolution": "ms",
        },
    ),
    "imei": ("luhn = 'invalid', keep_first = 6", {"luhn": "invalid", "keep_first": 6}),
    "ipv4": ("prefix = 24", {"prefix": 24}),
    "ipv6": ("prefix = 64", {"prefix": 64}),
    "ipcrypt": ("mode = 'pfx'", {"mode": "pfx"}),
    "pseudonym": ("notation = 'hex', length = 32", {"notation": "hex", "length": 32}),
}


def test_all_formats_have_options_here() -> None:
    # Without a key: test_one_way_files.py. Dates that move need a tweak.
    without_key = {"mask", "bucket", "truncate", "date_shift"}
    assert set(OPTIONS) == set(PRESETS) - without_key


@pytest.mark.parametrize("kind", OPTIONS)
def test_options_reach_the_format(kind: str) -> None:
    text, expected = OPTIONS[kind]
    form = form_of(f"{{ type = '{kind}'{', ' if text else ''}{text} }}")
    assert form == PRESETS[kind](**expected)


@pytest.mark.parametrize(
    "kind",
    sorted(
        set(PRESETS)
        - {"alphabet", "integer", "decimal", "pattern", "national_id", "mask", "bucket", "truncate"}
        - {"date_shift"}
    ),
)
def test_a_name_alone_means_the_defaults(kind: str) -> None:
    assert form_of(f"'{kind}'") == form_of(f"{{ type = '{kind}' }}") == PRESETS[kind]()


@pytest.mark.parametrize("kind", ["digits", "date", "integer", "email"])
def test_a_tiny_domain_can_be_allowed(kind: str) -> None:
    small = {
        "date": "first = 2000-01-01, last = 2000-01-31",
        "integer": "min = 0, max = 9",
        "digits": "keep_last = 3, max_length = 5",
        "email": "part = 'local'",
    }[kind]
    assert form_of(f"{{ type = '{kind}', {small}, allow_tiny_domain = true }}").options[
        "allow_tiny_domain"
    ]


def test_dates_may_be_dates_or_text_of_toml() -> None:
    plain = form_of("{ type = 'date', first = 1999-12-31, last = 2020-01-01 }")
    quoted = form_of("{ type = 'date', first = '1999-12-31', last = '2020-01-01' }")
    assert plain == quoted == formats.date(first=date(1999, 12, 31), last=date(2020, 1, 1))


def test_numbers_may_be_as_large_as_an_unsigned_column() -> None:
    form = form_of("{ type = 'integer', min = 0, max = 18_446_744_073_709_551_615 }")
    assert form == formats.integer(min=0, max=2**64 - 1)


def test_an_empty_quote_means_that_there_is_none() -> None:
    policy = Policy.parse(column() + "[csv]\nquote = ''\n")
    assert policy.csv == CsvOptions(quote=None)


def test_an_empty_csv_table_is_the_default_dialect() -> None:
    assert Policy.parse(column() + "[csv]\n").csv == CsvOptions()


def test_a_file_may_begin_with_a_mark_and_have_the_line_ends_of_windows(tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_bytes(b"\xef\xbb\xbf" + column('"größe"').replace("\n", "\r\n").encode())
    assert [rule.column for rule in Policy.load(path).rules] == ["größe"]


def test_columns_that_pass_in_clear_can_be_named() -> None:
    policy = Policy.parse('unlisted = "error"\nkeep = ["b", "c d"]\n' + column())
    assert (policy.unlisted, policy.keep) == ("error", ("b", "c d"))
    absent = Policy.parse(column())
    assert (absent.unlisted, absent.keep, absent.mixed_formats) == (None, (), ())
    assert Policy.parse("unlisted = 'keep'\n" + column()).unlisted == "keep"


def test_a_column_beside_one_that_is_kept_is_not_inside_it() -> None:
    policy = Policy.parse('keep = ["user"]\n' + column())
    inside = untouched_columns(policy, ["a", "user.id", "user.email"])
    assert inside == Untouched((), ("user.id", "user.email"))
    beside = untouched_columns(policy, ["a", "user", "user.email"])
    assert beside == Untouched(("user.email",), ("user",))


def test_the_columns_that_a_policy_leaves_in_clear() -> None:
    policy = Policy.parse('keep = ["id", "none"]\n' + column(tweak="'t'"))
    found = untouched_columns(policy, ["x", "id", "a", "t", "y"])
    assert found == Untouched(("x", "y"), ("id", "t"))
    assert found.all == ("x", "y", "id", "t")
    assert untouched_columns(policy, ["x", "a"], protected=["x"]) == Untouched()

    check_listed(policy, found)
    strict = replace(policy, unlisted="error")
    check_listed(strict, Untouched((), ("id",)))
    with pytest.raises(
        PolicyError, match=r"p\.csv: the policy .* does not name 'x', 'y' \(2 columns"
    ):
        check_listed(strict, found, "p.csv")


def test_one_key_may_have_formats_in_several_domains_or_where_it_is_allowed() -> None:
    mixed = column() + column("b", format='"hex"')
    allowed = Policy.parse('mixed_formats = ["person id", "other"]\n' + mixed)
    assert allowed.mixed_formats == ("person id", "other")
    Policy.parse(column() + column("b", format='"hex"', namespace='"other"'))
    Policy.parse(column() + column("b", format='"hex"', key='"people:2"'))
    same = "{ type = 'digits', separators = '.' }"
    Policy.parse(column() + column("b", format=same, tweak="'c'"))
    with pytest.raises(PolicyError, match="columns 'a' and 'b' have two formats"):
        Policy(allowed.rules)


def test_a_policy_can_be_compared_and_not_changed() -> None:
    policy = Policy.parse(column())
    assert policy == Policy.parse(column())
    with pytest.raises(AttributeError):
        policy.csv = None  # type: ignore[misc]


# What is wrong beside `test_policy_vectors`: the text, what the message begins with and must hold.

FORMAT = "columns.a.format"

MISTAKES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "no TOML": ("[columns\n", "not valid TOML: ", ("line 1",)),
    "a key twice": (column() + "key = 'people:2'\n", "not valid TOML: ", ()),
    "nested too deep": ("a = " + "[" * 100_000, "nested too deep; ", ("limit is 16",)),
    "a key of many dots": ("a." * 20_000 + "a = 1", "nested too deep; ", ("limit is 16",)),
    "too large": ("#" * ((1 << 20) + 1), "too large; ", ("1048576 bytes",)),
    "a huge number": ("a = " + "9" * 5000, "not valid TOML: a number has too many digits", ()),
    "no date": (column(format="{type='date', first='1/2/03'}"), f"{FORMAT}.first: ", ("a date",)),
    "impossible date": (column(format="{type='date', first=2001-02-29}"), "not valid TOML: ", ()),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_reported_by_its_key(name: str) -> None:
    text, begins, holds = MISTAKES[name]
    message = mistake(text)
    assert message.startswith(begins)
    for part in holds:
        assert part in message


def test_every_option_of_every_format_is_checked() -> None:
    for kind, (text, _) in OPTIONS.items():
        required = {
            "alphabet": "alphabet = 'ACGT', ",
            "integer": "min = 0, max = 999, ",
            "decimal": "min = 0, max = 999, scale = 0, ",
        }
        names = set(re.findall(r"(\w+) = ", text)) - {"alphabet", "min", "max", "scale"}
        for name in names:
            given = f"{{ type = '{kind}', {required.get(kind, '')}{name} = [] }}"
            message = mistake(column(format=given))
            assert message.startswith(f"{FORMAT}.{name}: must be "), message
            assert message.endswith(", not an array")


# Files.


def load_fails(path: Path) -> str:
    with pytest.raises(PolicyError) as caught:
        Policy.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message


def test_a_policy_that_is_not_there(tmp_path: Path) -> None:
    assert "No such file" in load_fails(tmp_path / "nowhere.toml")


def test_a_policy_that_is_a_directory(tmp_path: Path) -> None:
    assert "can't be read" in load_fails(tmp_path)


def test_a_policy_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_bytes(column().encode() + b"# gr\xf6\xdfe\n")
    assert f"at byte {len(column()) + 4}; save it as UTF-8" in load_fails(path)


def test_a_policy_without_end(tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_text(column() + "#" * (1 << 20))
    assert "too large" in load_fails(path)


def test_the_longest_policy(tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_text(column() + "#" * ((1 << 20) - len(column())))
    assert len(Policy.load(path).rules) == 1


def test_a_mistake_in_a_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_text(column(on_invalid="'skip'"))
    assert "columns.a.on_invalid: " in load_fails(path)


# Documents.

ROOT = Path(__file__).resolve().parents[2]


REFERENCE = ROOT / "docs" / "reference"
DOCUMENTS = [ROOT / "README.md", REFERENCE / "policy.md", *sorted(REFERENCE.glob("formats/*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_policies_of_the_documents_are_policies(document: Path) -> None:
    policies = blocks(document.read_text("utf-8"), "toml")
    assert policies
    for block in policies:
        assert Policy.parse(block if "[columns" in block else column() + block).rules


@pytest.mark.parametrize(
    ("heading", "known"),
    [
        ("Top-level keys", {"version", "unlisted", "keep", "mixed_formats", "cipher"}),
        (
            "Keys of a column",
            {"format", "key", "namespace", "tweak", "on_invalid", "cipher", "tweak_hex"},
        ),
        ("CSV", {field.name for field in fields(CsvOptions)}),
    ],
)
def test_every_key_is_documented(heading: str, known: set[str]) -> None:
    page = (REFERENCE / "policy.md").read_text("utf-8")
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = section.split("\n### ")[0].split("|---|", 1)[1]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == known


def test_every_format_is_named() -> None:
    page = (REFERENCE / "policy.md").read_text("utf-8")
    assert set(re.findall(r"\[`(\w+)`\]\(formats/\1\.md\)", page)) == set(PRESETS)


def test_the_limits_of_the_document() -> None:
    page = (REFERENCE / "policy.md").read_text("utf-8")
    limits = dict(re.findall(r"^\| ([^|`]+) \| ([^|]+) \|$", page.split("## Limits")[1], re.M))
    assert limits["size of a policy"] == f"{lib.TALLY_POLICY_SIZE_MAX >> 20} MiB"
    header = (ROOT / "core" / "json" / "json.h").read_text("utf-8")
    shifts = dict(re.findall(r"(TALLY_JSON_\w+) = 1 << (\d+)", header))
    size, values = (1 << int(shifts[f"TALLY_JSON_{name}_MAX"]) for name in ("SIZE", "VALUES"))
    as_json = limits["the same as JSON, for C, Go and PostgreSQL"]
    assert as_json == f"{size >> 20} MiB, {values:,} values"
    text = (ROOT / "core" / "policy" / "toml.c").read_text("utf-8")
    assert f"TOML_DEPTH = {limits['tables or lists in each other']} " in text
    assert limits["a namespace"] == f"{lib.TALLY_MAX_NAMESPACE} bytes in UTF-8"


def test_a_table_without_a_column_of_the_policy() -> None:
    policy = Policy.parse(column())
    assert [rule.column for rule in policy.for_columns(["a", "x"], "a.csv").rules] == ["a"]
    with pytest.raises(PolicyError, match=r"^a\.csv: has none of the columns that the policy"):
        policy.for_columns(["x"], "a.csv")
