# SPDX-License-Identifier: Apache-2.0
"""JSON: values of named keys change, every other byte stays, and Python's reader agrees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from files_support import change_file
from tallystick.errors import FileError, InvalidValueError, PolicyError
from tallystick.files import (
    ColumnJob,
    CsvOptions,
    FileOptions,
    columns_of,
    json_records,
    read_head,
    sample_file,
    scan_file,
)
from tallystick.files.marker import OpenGate
from toy_jobs import EachValue, Refusing

PROPERTY = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
Run = Callable[..., bytes]


@pytest.fixture(params=["ndjson", "json"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[1, 3], ids="{} threads".format)
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    def transform(data: bytes, *jobs: ColumnJob, kind: str = "ndjson", **options: Any) -> bytes:  # noqa: ANN401
        source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
        source.write_bytes(data)
        change_file(
            source,
            target,
            jobs,
            FileOptions(overwrite=True, csv=CsvOptions(**options), threads=request.param),
        )
        return target.read_bytes()

    return transform


@pytest.fixture(params=[1, 7, None])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of few characters and records, so that all borders are met."""
    if request.param is not None:
        monkeypatch.setattr(json_records, "BLOCK", request.param)
        monkeypatch.setattr(json_records, "MOST_RECORDS", 3)


space = st.text(st.sampled_from(" \t\r"), max_size=2)
strings = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/\n\t\x00é😀'))
numbers = st.sampled_from(["0", "-0", "12345678901234567890123", "1.50", "-2E+5", "1e400"])


@st.composite
def written(draw: st.DrawFn, value: object) -> str:
    """Write a string in one of the ways that JSON has."""
    text = json.dumps(value, ensure_ascii=draw(st.booleans()))
    return text.replace("/", "\\/") if draw(st.booleans()) else text


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[dict[str, object]]]:
    """Give objects as text, one a line, and what they are (numbers as written)."""
    lines: list[str] = []
    values: list[dict[str, object]] = []
    for _ in range(draw(st.integers(0, 8))):
        members: list[str] = []
        value: dict[str, object] = {}
        for key in draw(st.lists(st.sampled_from(["a", "b", 'c"é', "d"]), unique=True)):
            what = draw(st.sampled_from(["string", "number", "null", "other"]))
            if what == "other" and key in ("a", "b"):
                what = "null"
            if what == "string":
                value[key] = draw(strings)
                shown = draw(written(value[key]))
            elif what == "number":
                value[key] = shown = draw(numbers)
            elif what == "null":
                value[key], shown = None, "null"
            else:
                shown = draw(st.sampled_from(['{"a": ["}", {}]}', "[ ]", "true", "{}"]))
                value[key] = shown
            name = draw(written(key))
            gaps = [draw(space) for _ in range(4)]
            members.append(f"{gaps[0]}{name}{gaps[1]}:{gaps[2]}{shown}{gaps[3]}")
        lines.append("{" + (",".join(members) or draw(space)) + "}" + draw(space))
        values.append(value)
    return draw(st.sampled_from(["", "\ufeff"])) + "".join(
        line + draw(st.sampled_from(["\n", "\r\n", "\n\n"])) for line in lines
    ), values


def as_array(text: str) -> str:
    mark = text[: text.startswith("\ufeff")]
    lines = [line for line in text[len(mark) :].split("\n") if line.strip()]
    return f"{mark} [\n" + " ,\n".join(lines) + "]\n"


def read(text: str) -> list[dict[str, object]]:
    def load(part: str) -> object:
        return json.loads(part, parse_int=str, parse_float=str)

    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        return load(text)  # type: ignore[return-value]
    return [load(line) for line in text.split("\n") if line.strip()]  # type: ignore[misc]


def present(values: list[dict[str, object]], *names: str) -> bool:
    keys = {key for value in values for key in value}
    return not values or keys.issuperset(names)


@pytest.mark.usefixtures("block")
@PROPERTY
@given(texts())
def test_unchanged_values_leave_every_byte(
    run: Run, kind: str, given: tuple[str, list[dict[str, object]]]
) -> None:
    text, values = given
    text = as_array(text) if kind == "json" else text
    jobs = [EachValue(name) for name in ("a", "b") if present(values, name)]
    assert run(text.encode(), *jobs, kind=kind) == text.encode()
    for job in jobs:
        assert job.seen == [value.get(job.name) for value in values]


@pytest.mark.usefixtures("block")
@PROPERTY
@given(texts())
def test_changed_values_are_read_by_others(
    run: Run, kind: str, given: tuple[str, list[dict[str, object]]]
) -> None:
    text, values = given
    if not present(values, "a"):
        return
    text = as_array(text) if kind == "json" else text

    def turned(value: str) -> str:
        return "7" if value in NUMBERS else value[::-1] + '"\n'

    out = run(text.encode(), EachValue("a", turned), kind=kind).decode()
    assert len(read(out)) == len(values)
    for before, after in zip(read(text), read(out), strict=True):
        assert list(after) == list(before)
        assert after.get("b") == before.get("b")
        if isinstance(before.get("a"), str):
            assert after["a"] == turned(str(before["a"]))
        else:
            assert after.get("a") is None


NUMBERS = {"0", "-0", "12345678901234567890123", "1.50", "-2E+5", "1e400"}


def test_strings_and_numbers_stay_such(run: Run) -> None:
    raw = b'{"a": 12, "b":"12"}\n{"a": null}\n{ }\n{"b": "\\u0041"}'
    out = run(raw, EachValue("a", lambda v: v + "0"), EachValue("b", lambda v: v + "0"))
    assert out == b'{"a": 120, "b":"120"}\n{"a": null}\n{ }\n{"b": "A0"}'
    assert run(raw, EachValue("a", lambda v: None), EachValue("b", lambda v: None)) == (
        b'{"a": null, "b":null}\n{"a": null}\n{ }\n{"b": null}'
    )


def test_a_number_never_becomes_what_is_none(run: Run) -> None:
    with pytest.raises(FileError, match=r"column 'a', row 2 \(line 3\): the value is a JSON num"):
        run(b'{"a": "x"}\n\n{"a": 7}', EachValue("a", lambda value: "0" + value))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        (b'{"a": 1, "\\u0061": 2}', "the key 'a' occurs twice"),
        (b'{"a": NaN}', "NaN or Infinity"),
        (b'{"a": -Infinity}', "not JSON"),
        (b'{"a": 01}', "not JSON: no comma"),
        (b"{'a': 1}", "no key where one must be"),
        (b'{"a" 1}', "no colon"),
        (b'{"a": 1,}', "no key where one must be"),
        (b'{"a": tru, "something long enough": 1}', "a value is malformed"),
        (b'{"a": "\n", "something long enough": 1}', "malformed"),
        (b'{"a": "\\x", "something long enough": 1}', "malformed"),
        (b"[1]", "not a JSON object"),
        (b'"a"', "not a JSON object"),
        (b'{"a": 1} {"a": 2}', "text after it on its line"),
        (b'{"a": 1', "the text ends within it"),
        (b'{"a": "1', "malformed"),
        (b'{"a": true}', "neither a string, a number nor null"),
        (b'{"a": {"b": 1}}', "neither a string, a number nor null"),
        (b'{"a": "\\ud800"}', "half of a surrogate pair"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": ' + b"[" * 200_000, "nested too deeply|ends within it"),
    ],
)
def test_what_is_no_record_is_named_by_its_place(run: Run, line: bytes, message: str) -> None:
    with pytest.raises(FileError, match=message) as caught:
        run(b'{"a": "x"}\n' + line + b"\n", EachValue("a"))
    assert ("row 2" in str(caught.value) and "line 2" in str(caught.value)) or line[6:8] == b'"\xff'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": 1}', "pass --type ndjson"),
        (b"", "not an array"),
        (b'[{"a": 1}', "no comma or bracket"),
        (b'[{"a": 1},]', "no object after a comma"),
        (b'[{"a": 1},', "the array is not closed"),
        (b"[", "the array is not closed"),
        (b'[{"a": 1}] x', "text after the array"),
        (b'[{"a": 1} {"a": 1}]', "no comma or bracket"),
    ],
)
def test_what_is_no_array(run: Run, text: bytes, message: str) -> None:
    with pytest.raises(FileError, match=message):
        run(text, EachValue("a"), kind="json")


def test_keys_must_be_there(run: Run, kind: str) -> None:
    text = b'[{"a": 1}]' if kind == "json" else b'{"a": 1}\n'
    with pytest.raises(FileError, match="no column 'b'; there are: 'a'"):
        run(text, EachValue("b"), kind=kind)
    with pytest.raises(FileError, match="no column 'b'"):
        run(text, EachValue("a", others=("b",)), kind=kind)
    with pytest.raises(PolicyError, match="has 2 jobs"):
        run(text, EachValue("a"), EachValue("a"), kind=kind)
    for empty in (b"[]", b" [ ] ") if kind == "json" else (b"", b"\n \n"):
        assert run(empty, EachValue("b"), kind=kind) == empty


def test_places_and_tweaks(run: Run) -> None:
    rows = b"".join(b'{"a": "v%d", "t": %d}\n' % (row, row) for row in range(30_000))
    with pytest.raises(InvalidValueError, match=r"column 'a', row 20001 \(line 20001\): too short"):
        run(rows, Refusing("a", "v20000"))
    job = EachValue("a", others=("t",))
    run(rows, job)
    assert job.seen_of("t") == [str(row) for row in range(30_000)]


def test_other_encodings(run: Run) -> None:
    raw = '{"a": "é"}\r\n'.encode("utf-16")
    assert run(raw, EachValue("a", lambda v: v * 2), encoding="utf-16") == '{"a": "éé"}\r\n'.encode(
        "utf-16"
    )


def test_a_huge_record_ends_the_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "LARGEST_RECORD", 3 << 20)
    with pytest.raises(FileError, match="a record of more than 3 MiB"):
        run(b'{"a": "' + b"x" * (16 << 20), EachValue("a"))


def test_the_gate_sees_keys_as_they_come_up(tmp_path: Path) -> None:
    class NoB(OpenGate):
        def marker(self, found: bytes | None) -> bytes | None:
            return None

        def columns(self, names: object) -> None:
            if "b" in list(names):  # type: ignore[call-overload]
                raise PolicyError("b is not named")

    source, target = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    source.write_bytes(b'{"a": "x"}\n' * 50_000 + b'{"b": "y"}\n')
    with pytest.raises(PolicyError, match="b is not named"):
        change_file(source, target, [EachValue("a")], gate=NoB())
    assert list(tmp_path.iterdir()) == [source]


def test_it_is_scanned_sampled_and_previewed(tmp_path: Path, kind: str) -> None:
    text = '{"a": "x", "n": 5, "o": {"p": 1}, "t": true}\n{"a": "y", "l": [1]}\n'
    path = tmp_path / f"in.{kind}"
    path.write_text(as_array(text) if kind == "json" else text)
    assert columns_of(path) == [
        ("a", pa.string()),
        ("n", pa.string()),
        ("o", pa.struct([])),
        ("t", pa.bool_()),
        ("l", pa.list_(pa.null())),
    ]
    assert scan_file(path, []) == 2
    sample = sample_file(path, 10)
    assert sample.columns["a"].to_pylist() == ["x", "y"]
    assert sample.columns["n"].to_pylist() == ["5", None]
    (head,) = read_head(path, [("a", None)], 1)
    assert head.values is not None
    assert head.values.to_pylist() == ["x"]
