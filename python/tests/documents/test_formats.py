# SPDX-License-Identifier: Apache-2.0
"""docs/reference/formats/ has a page for each format, and the code does what it says."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pytest

from models.iban_structures import STRUCTURES
from models.national_kinds import KINDS
from pages import blocks
from tallystick import Tokenizer, formats
from tallystick.errors import FormatError, InvalidValueError, ParameterError
from tallystick.formats import LARGEST_DOMAIN, PRESETS, SEPARATORS, Format, Reason, Script
from tallystick.policy import ColumnRule, Policy

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs" / "reference" / "formats"
KEY = bytes(range(16))
COMMON = {
    *("separators", "keep_first", "keep_last", "kept_as_tweak"),
    *("min_length", "max_length", "allow_tiny_domain"),
}
TINY = {"allow_tiny_domain": True}
FRACTIONS = {"min": "0." + "0" * 18, "max": "0." + "9" * 18}
each_format = pytest.mark.parametrize("name", PRESETS)

SECTIONS = [
    "Policy",
    "Example",
    "Values",
    "Options",
    "What stays in clear",
    "Number of values",
    "Column types",
    "Errors",
    "Languages",
    "Next",
]
"""What every page has, in this order; others may stand between them."""

REQUIRED: dict[str, dict[str, Any]] = {
    "alphabet": {"alphabet": "0123456789"},
    "integer": {"min": 0, "max": 999},
    "pattern": {"pattern": "AA-999-A"},
    "national_id": {"kind": "br.cpf"},
    "decimal": {"min": 0, "max": 9, "scale": 2},
    "bucket": {"width": 10},
    "truncate": {"characters": 3},
}
"""The options that can't be left out."""

TWEAKS = {"date_shift": "patient 1"}
"""The tweaks of pages whose policy must name a column of them."""


@cache
def page(name: str) -> dict[str, str]:
    """Return the sections of a page by their headings, and what comes first as ""."""
    begin, *rest = (PAGES / f"{name}.md").read_text("utf-8").split("\n## ")
    return {"": begin} | dict(part.split("\n", 1) for part in rest)


def tables(text: str) -> Iterator[list[list[str]]]:
    """Give the rows of each table, without headings."""
    for table in re.findall(r"^\|[-|]+\|\n((?:\| .* \|\n)+)", text + "\n", re.MULTILINE):
        yield [[cell.strip() for cell in line[2:-2].split(" | ")] for line in table.splitlines()]


def first_table(name: str, section: str) -> list[list[str]]:
    return next(tables(page(name)[section]))


def rule_of(name: str) -> ColumnRule:
    """Return the rule of a page's policy."""
    (block,) = blocks(page(name)["Policy"], "toml")
    (rule,) = Policy.parse(block).rules
    return rule


def tokenizer(name: str) -> Tokenizer:
    rule = rule_of(name)
    return Tokenizer(rule.form, KEY if rule.form.keyed else None, namespace=rule.namespace)


def code(cell: str) -> str:
    """Return the one piece of code that a cell is."""
    assert re.fullmatch("`[^`]+`", cell), cell
    return cell[1:-1]


@each_format
def test_python_has_the_name_of_a_policy(name: str) -> None:
    assert getattr(formats, name) is PRESETS[name]


def test_every_format_has_a_page_and_a_row_in_the_table() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {"index", *PRESETS}
    listed = first_table("index", "")
    assert [cells[0] for cells in listed] == [f"[`{name}`]({name}.md)" for name in PRESETS]
    for name, (_, _, *sample) in zip(PRESETS, listed, strict=True):
        assert sample == first_table(name, "Example")[0]


@each_format
def test_a_page_has_all_sections(name: str) -> None:
    headings = list(page(name))
    assert [one for one in headings if one in SECTIONS] == SECTIONS
    assert page(name)[""].startswith(f"# `{name}`\n\n`{name}` ")
    assert all(page(name)[section].strip() for section in SECTIONS)


@each_format
def test_examples_are_the_tokens_of_their_values(name: str) -> None:
    tool = tokenizer(name)
    assert (KEY.hex() in page(name)["Example"]) is tool.form.keyed
    for value, token in first_table(name, "Example"):
        assert tool.protect(code(value), TWEAKS.get(name)) == code(token)
        if not tool.form.one_way:
            assert tool.reveal(code(token), TWEAKS.get(name)) == code(value)


@each_format
def test_values_are_accepted_or_refused_as_the_page_says(name: str) -> None:
    tool, results = tokenizer(name), set()
    for value, result, _ in first_table(name, "Values"):
        try:
            tool.protect(code(value), TWEAKS.get(name))
            found = "accepted"
        except InvalidValueError as error:
            found = f"`{Reason(error.reason).name.lower()}`"
        assert found == result, value
        results.add(result)
    assert "accepted" in results
    # The reasons that the page lists are those, and others that no short value shows.
    listed = re.search(r"reasons\].*?:\s(.*?)\.\s", page(name)["Errors"], re.DOTALL)
    reasons = set(re.findall(r"`([a-z]+)`", listed[1])) if listed else set()
    assert {code(one) for one in results - {"accepted"}} <= reasons
    assert reasons <= {one.name.lower() for one in Reason} | {"tweak"}
    assert bool(listed) is not tool.form.one_way


def parameters(name: str) -> dict[str, Any]:
    """Return the options of a format with their defaults; `inspect.Parameter.empty`: none."""
    return {key: one.default for key, one in inspect.signature(PRESETS[name]).parameters.items()}


def default_of(cell: str) -> object:
    """Read a cell of defaults: TOML, or words."""
    words = {"required": inspect.Parameter.empty, "none": None}
    return words[cell] if cell in words else tomllib.loads(f"a = {code(cell)}")["a"]


@each_format
def test_options_are_those_of_the_code(name: str) -> None:
    own = parameters(name)
    section = page(name)["Options"]
    if not own:
        assert "has no options" in section
        return
    listed = {code(cells[0]): cells[1:3] for cells in first_table(name, "Options")}
    assert set(listed) == set(own)
    for option, (default, allowed) in listed.items():
        if default == "see below":  # too long for a cell
            assert own[option] == SEPARATORS
            assert {
                *re.findall("`(.)`", section.split("separators are")[1]),
                *" \u00a0\u3000",
            } == set(SEPARATORS)
        else:
            assert default_of(default) == own[option], option
        check_range(name, option, allowed)


@each_format
def test_defaults_are_those_of_the_core(name: str) -> None:
    required = REQUIRED.get(name, {})
    given, none = built(name), Format(name, required)
    assert given.identity == none.identity and given.examples == none.examples
    assert given.smallest_domain == none.smallest_domain
    own = parameters(name)
    for text in ("7" * 1025, "7" * 1024, "7" * 65, "7" * 21, "7", "", *map(chr, range(32, 127))):
        if given.no_text is None and own.keys() >= COMMON:
            values = (text, f"a{text}a", f"1234567890{text}12345")
            assert list(map(given.check, values)) == list(map(none.check, values)), text


def built(name: str, **options: object) -> Format:
    return PRESETS[name](**{**REQUIRED.get(name, {}), **options})


def check_range(name: str, option: str, allowed: str) -> None:
    """Build the format with the ends of a range that a cell states, and with what is beyond."""
    own = parameters(name)
    if re.fullmatch(r"(`[^`]+`(, )?)+", allowed):
        choices = [default_of(one) for one in allowed.split(", ")]
        for choice in choices:
            built(name, **{option: choice})
        if choices != [True, False]:
            with pytest.raises(FormatError):
                built(name, **{option: "other"})
    elif ends := re.fullmatch(r"(\d+) to ([\d,]+)(, a multiple of 4)?", allowed):
        least, most = (int(end.replace(",", "")) for end in ends.groups()[:2])
        wide = {"max_length": 65536, "min_length": 0} if "max_length" in own else {}
        tiny = TINY if "allow_tiny_domain" in own else {}
        for end in (least, most):
            built(name, **{**wide, **tiny, option: end})
        for beyond in (least - 1, most + 1):
            with pytest.raises(FormatError):
                built(name, **{**wide, **tiny, option: beyond})
    elif "65,536" in allowed:
        built(name, **{option: 65536})
        with pytest.raises(FormatError):
            built(name, **{option: 65537})


def test_the_formats_with_the_options_of_text_are_those_that_the_index_names() -> None:
    section = page("index")["Options of text formats"]
    named = set(re.findall(r"`(\w+)`", section.split(" have these options")[0]))
    assert named == {n for n in PRESETS if set(inspect.signature(PRESETS[n]).parameters) >= COMMON}
    assert {code(cells[0]) for cells in next(tables(section))} == COMMON


@each_format
def test_the_numbers_of_values(name: str) -> None:
    form = rule_of(name).form
    listed = list(tables(page(name)["Number of values"]))
    assert bool(listed) is not form.one_way
    for value, count in listed[0] if listed else []:
        assert min(number(count), LARGEST_DOMAIN) == form.domain_of(code(value)), value


def number(text: str) -> int:
    """Read a number such as 10,000 or 26^3 times 10^3."""
    product = 1
    for factor in text.replace(",", "").split("\N{MULTIPLICATION SIGN}"):
        base, _, power = factor.partition("^")
        product *= int(base) ** int(power or 1)
    return product


TYPES: dict[str, pa.DataType] = {
    **{
        name: getattr(pa, name)()
        for name in (
            *("string", "large_string", "string_view", "binary", "large_binary", "binary_view"),
            *("date32", "date64"),
        )
    },
    **{
        f"{kind}{bits}": getattr(pa, f"{kind}{bits}")()
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    **{f"timestamp[{unit}]": pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")},
    "float64": pa.float64(),
    "decimal128": pa.decimal128(20, 2),
    "decimal256": pa.decimal256(20, 2),
}  # fmt: skip
NARROW: dict[str, dict[str, Any]] = {
    "integer": {"min": 0, "max": 100},
    "timestamp": {"first": datetime(2000, 1, 1), "last": datetime(2001, 1, 1)},
    "date": {"first": date(2000, 1, 1), "last": date(2001, 1, 1)},
}
"""Ranges that every type of the format holds."""


@each_format
def test_column_types_are_those_that_the_code_accepts(name: str) -> None:
    form = built(name, **NARROW.get(name, {}))
    tool = Tokenizer(form, KEY if form.keyed else None, namespace="sample")
    section = page(name)["Column types"]
    accepted = {kind for kind, type_ in TYPES.items() if takes(tool, type_)}
    said = set(re.findall(r"`([\w\[\]]+)`", section.replace("`decimal256` and floating", "")))
    assert {one for one in said if one in TYPES} == accepted
    assert "dictionaries" in section
    assert takes(tool, pa.dictionary(pa.int32(), pa.string()))


def takes(tool: Tokenizer, kind: pa.DataType) -> bool:
    try:
        tool.protect(pa.nulls(1, kind))
    except ParameterError:
        return False
    return True


@each_format
def test_languages_are_those_that_have_the_format(name: str) -> None:
    section = page(name)["Languages"]
    assert f"`tallystick.formats.{name}`" in section
    made = (ROOT / "go" / "fast" / "presets.go").read_text("utf-8")
    functions = re.findall(r"`fast\.(\w+)`", section)
    assert functions
    for function in functions:
        assert re.search(rf"^func {function}\(", made, re.MULTILINE)
        assert name.replace("_", "") in function.lower()


SPEEDS = [("index", "Speed and long values")]
SPEEDS += [(name, "Speed") for name in PRESETS if "Speed" in page(name)]


@pytest.mark.parametrize(("name", "heading"), SPEEDS)
def test_speeds_are_in_a_section_of_the_benchmarks(name: str, heading: str) -> None:
    text = " ".join(page(name)[heading].split())
    assert "Python" not in text  # every format is in the core
    named = re.findall(r"\]\(([^)#]+)\) has [^.]*?, under “([^”]+)”", text)
    assert named and len(named) == text.count("benchmarks.md")
    for link, section in named:
        headings = re.findall(r"^#+ (.*)", (PAGES / link).read_text("utf-8"), re.MULTILINE)
        assert any(heading.startswith(section) for heading in headings), section


def test_the_addresses_at_a_reserved_domain() -> None:
    section = page("email")["Mail to tokens"]
    (block,) = blocks(section, "toml")
    (rule,) = Policy.parse(block).rules
    found = re.search(r"token of\s+`([^`]+)` is, under the key above,\s+`([^`]+)`", section)
    assert found
    assert Tokenizer(rule.form, KEY, namespace=rule.namespace).protect(found[1]) == found[2]


def test_every_kind_of_identifier_is_documented_with_a_value() -> None:
    listed = {code(kind): sample for kind, _, sample in first_table("national_id", "Kinds")}
    assert list(listed) == sorted(KINDS)
    assert f"{len(KINDS)} kinds" in page("national_id")[""]
    for kind, sample in listed.items():
        tool = Tokenizer(formats.national_id(kind=kind), bytes(16), namespace="sample")
        assert tool.reveal(tool.protect(sample)) == sample
        tool.close()


def test_every_script_is_documented() -> None:
    assert [code(cells[0]) for cells in first_table("unicode", "Scripts")] == [
        one for one in get_args(Script) if one != "any"
    ]


def test_the_names_of_one_language() -> None:
    section = page("unicode")["Names of one language"]
    (block,) = blocks(section, "toml")
    rules = {rule.column: rule for rule in Policy.parse(block).rules}
    for column, value, token in next(tables(section)):
        rule = rules[code(column)]
        tool = Tokenizer(rule.form, KEY, namespace=rule.namespace)
        assert tool.protect(code(value)) == code(token)


def test_the_number_of_countries() -> None:
    assert f"of {len(STRUCTURES)} countries" in page("iban")["Values"]


@pytest.mark.parametrize("notation", ["base32", "hex", "base64url"])
def test_the_lengths_of_pseudonyms(notation: str) -> None:
    options = list(tables(page("pseudonym")["Options"]))[1]
    (span,) = (cells[1] for cells in options if cells[0] == f'`"{notation}"`')
    least, most = map(int, span.split(" to "))
    for length in (least, most):
        built("pseudonym", notation=notation, length=length)
    for length in (least - 1, most + 1):
        with pytest.raises(FormatError):
            built("pseudonym", notation=notation, length=length)


def test_the_limits_of_options() -> None:
    for build, good, bad in (
        (formats.ipv6, {"prefix": 4}, {"prefix": 2}),
        (formats.alphabet, {"alphabet": "abcd"}, {"alphabet": "abc"}),
        (formats.date, {"notation": "YYYYMMDD" + "-" * 56}, {"notation": "YYYYMMDD" + "-" * 57}),
        (formats.decimal, {**FRACTIONS, "scale": 18}, {**FRACTIONS, "scale": 19}),
        (formats.pattern, {"pattern": "9" * 64}, {"pattern": "9" * 65}),
        (formats.pattern, {"pattern": "9(-)" * 8}, {"pattern": "9(-)" * 9}),  # 256 and 512 choices
    ):
        build(**good)
        with pytest.raises(ValueError):
            build(**bad)


def test_a_null_stays_null() -> None:
    tool = Tokenizer(formats.digits(), bytes(16), namespace="sample")
    assert tool.protect(pa.array([None, "12345"]))[0].as_py() is None
