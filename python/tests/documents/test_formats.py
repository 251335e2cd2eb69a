# SPDX-License-Identifier: Apache-2.0
"""docs/reference/policy.md has every format, option and identifier, and right samples."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pyarrow as pa
import pytest

from tallystick import Tokenizer, formats
from tallystick.formats import READY
from tallystick.formats.iban_structures import STRUCTURES
from tallystick.formats.national_kinds import KINDS
from tallystick.formats.ready import Common

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "policy.md").read_text("utf-8")
COMMON = set(Common.__annotations__)
TINY = {"allow_tiny_domain": True}
FRACTIONS = {"min": "0." + "0" * 18, "max": "0." + "9" * 18}
EVERYWHERE = {"allow_tiny_domain"}


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table under a heading."""
    text = PAGE.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    lines = text[text.index("|---") :].splitlines()[1:]
    tables = [line.strip("|").split(" | ") for line in lines if line.startswith("| ")]
    return [[cell.strip() for cell in cells] for cells in tables]


DOCUMENTED = {cells[0].strip("`"): " ".join(cells[1:]) for cells in rows("## Formats")}


@pytest.mark.parametrize("name", READY)
def test_python_has_the_name_of_a_policy(name: str) -> None:
    assert getattr(formats, name) is READY[name]
    assert name in formats.__all__


def parameters(name: str) -> set[str]:
    """Return the options of a format."""
    found = set(inspect.signature(READY[name]).parameters)
    return found ^ {"common"} | COMMON if "common" in found else found


def test_every_format_is_documented() -> None:
    assert list(DOCUMENTED) == list(READY)


@pytest.mark.parametrize("name", READY)
def test_the_options_of_a_format_are_documented(name: str) -> None:
    every = {option for each in READY for option in parameters(each)}
    told = set(re.findall(r"`(\w+)`", DOCUMENTED[name])) & every
    after = PAGE.split("All of text above `date`", 1)[1].split("\n\n")[0]
    told |= set(re.findall(r"`(\w+)`", after)) & EVERYWHERE & parameters(name)
    if "common" in inspect.signature(READY[name]).parameters:
        told |= set(re.findall(r"`(\w+)`", after)) & COMMON
    assert told == parameters(name)


def test_the_formats_with_common_options_are_those_that_the_page_names() -> None:
    above = list(READY)[: list(READY).index("date")]
    named = {*above, "imei"} - {"email", "uuid"}
    assert named == {n for n in READY if "common" in inspect.signature(READY[n]).parameters}


def test_every_kind_of_identifier_is_documented_with_a_value() -> None:
    listed = {cells[0].strip("`"): cells[2] for cells in rows("### National identifiers")}
    assert list(listed) == sorted(KINDS)
    for kind, sample in listed.items():
        tool = Tokenizer(formats.national_id(kind=kind), bytes(16), namespace="sample")
        assert tool.reveal(tool.protect(sample)) == sample
        tool.close()


def test_the_number_of_countries() -> None:
    assert f"of {len(STRUCTURES)} countries" in PAGE.split("### IBANs")[1]


def test_the_limits_of_options() -> None:
    for build, good, bad in (
        (formats.ipv4, {"prefix": 31, **TINY}, {"prefix": 32, **TINY}),
        (formats.ipv6, {"prefix": 120}, {"prefix": 124}),
        (formats.ipv6, {"prefix": 4}, {"prefix": 2}),
        (formats.alphabet, {"alphabet": "abcd"}, {"alphabet": "abc"}),
        (formats.pseudonym, {"length": 13}, {"length": 12}),  # 65 and 60 bits
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
