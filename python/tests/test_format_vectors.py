# SPDX-License-Identifier: Apache-2.0
"""What every format says and does, by the vectors of all languages: ``vectors/formats_*.json``."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pyarrow as pa
import pytest

from format_vectors.__main__ import MAKERS
from format_vectors.arrow_types import TYPES, column, numbers_of
from format_vectors.descriptions import form_of, refusal_of
from format_vectors.record import (
    REASONS,
    Case,
    column_of_bytes,
    fault_of,
    label_of,
    record,
    text_of,
    tokenizer,
    tweak_of,
)
from tallystick import Tokenizer
from tallystick.formats import LARGEST_DOMAIN, PRESETS
from vectors import VECTORS, load

FILES = [name.removeprefix("formats_") for name in MAKERS]
CIPHERS = {"fast", "ff1", "ff1-2016", "ff3-1"}
each_file = pytest.mark.parametrize("name", FILES)


def test_every_format_and_option_has_vectors() -> None:
    described = [case["format"] for name in FILES for case in load(f"formats_{name}")]
    assert {label_of(one) for one in described} == set(PRESETS)
    options = [one for one in described if not isinstance(one, str)]
    for name, make in PRESETS.items():
        found = {option for one in options if one["type"] == name for option in one}
        assert set(inspect.signature(make).parameters) <= found, name
    plain = {form_of(one).cipher for one in options if "tweak_hex" in one}
    assert plain == {form_of(one).cipher for one in described} - {None} == CIPHERS
    assert [row["text"] for row in load("formats_reasons")] == REASONS[1:]


def test_every_file_of_vectors_has_a_maker() -> None:
    others = {"formats_refused", "formats_reasons"}
    assert {path.stem for path in VECTORS.glob("formats_*.json")} == {*MAKERS, *others}


@each_file
def test_one_value_at_a_time(name: str) -> None:
    for case in load(f"formats_{name}"):
        found, expected = record(case), _capped(case)
        if "types" in case:
            _check_types(found.pop("types"), expected.pop("types"))
        assert found == expected


def _check_types(found: Case, expected: Case) -> None:
    """More types may be accepted than were; the core does not name what nested types consist of."""
    assert set(expected["accepted"]) <= set(found["accepted"])
    for kind, said in expected["refused"].items():
        if kind in found["refused"] and kind not in ("+l", "+s"):
            assert found["refused"][kind] == said, kind


def _capped(found: Any) -> Any:  # noqa: ANN401
    """Return a case with the sizes of domains as the core tells them: at most so many."""
    if isinstance(found, list):
        return [_capped(one) for one in found]
    if not isinstance(found, dict):
        return found
    return {
        key: str(min(int(one), LARGEST_DOMAIN))
        if key in ("domain", "smallest_domain") and one is not None
        else _capped(one)
        for key, one in found.items()
    }


@each_file
def test_columns(name: str) -> None:
    for case in load(f"formats_{name}"):
        tool = tokenizer(form_of(case["format"]), case)
        _check_text(tool, case)
        _check_invalid(tool, case)
        for given in case.get("columns", ()):
            _check_numbers(tool, given, case)


def _check_text(tool: Tokenizer, case: Case) -> None:
    rows = [row for row in case["values"] if "token" in row]
    expected = [row["token"] for row in rows] + [None]
    values = [text_of(row) for row in rows] + [None]
    for kind in ("u", "U", "vu"):
        if not rows:
            continue
        given = pa.array(values, TYPES[kind])
        tokens = tool.protect(given)
        assert tokens.to_pylist() == expected and tokens.type == given.type
        if not case["one_way"]:
            assert tool.reveal(tokens).to_pylist() == values
    rows = [row for row in case["values"] if "tweaked" in row and "tweak" not in row]
    if rows:
        given = pa.array([text_of(row) for row in rows])
        tweaks = pa.array([tweak_of(row, case) for row in rows])
        tokens = tool.protect(given, tweaks)
        assert tokens.to_pylist() == [row["tweaked"] for row in rows]
        if not case["one_way"]:
            assert tool.reveal(tokens, tweaks).equals(given)


def _check_invalid(tool: Tokenizer, case: Case) -> None:
    """Bytes in a column fail as text does that stands alone."""
    for row in case.get("invalid", ()):
        value = text_of(row)
        if "tweak" in row or "null_tweak" in row or isinstance(value, bytes):
            continue
        act = tool.reveal if row.get("direction") == "reveal" else tool.protect
        fault = fault_of(act, value.encode() if value else value, None)
        assert fault == {k: row[k] for k in ("reason", "position", "class") if k in row}
        nulls = tokenizer(tool.form, case, "null")
        found = (nulls.reveal if act == tool.reveal else nulls.protect)(
            column_of_bytes([value.encode()])
        )
        assert found.null_count == 1


def _check_numbers(tool: Tokenizer, given: Case, case: Case) -> None:
    rows = given["values"]
    numbers = [int(row["value"]) for row in rows]
    values = column(given["type"], [None, *numbers])
    for name, tweak in (("token", None), ("tweaked", case.get("tweak"))):
        tweaks = None if tweak is None else pa.array([tweak] * len(values))
        if not rows or name not in rows[0]:
            continue
        tokens = tool.protect(values, tweaks)
        assert tokens.type == TYPES[given["type"]]
        assert numbers_of(tokens) == [None, *(int(row[name]) for row in rows)]
        if not case["one_way"]:
            assert numbers_of(tool.reveal(tokens, tweaks)) == [None, *numbers]


def test_what_is_no_format() -> None:
    for case in load("formats_refused"):
        place, message = refusal_of(case["format"])
        assert place.startswith(case["place"]), case["format"]
        # A list of what there is grows with new options and formats.
        list_of = "; there are: |: digits, |must be 'any', "
        assert re.split(list_of, message)[0] == re.split(list_of, case["message"])[0]
