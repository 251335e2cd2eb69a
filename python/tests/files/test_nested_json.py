# SPDX-License-Identifier: Apache-2.0
"""Values inside nested JSON, by their paths; every other byte stays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyring_support import make_ring
from tallystick.errors import FileError, InvalidValueError, PolicyError
from tallystick.files import FileOptions, columns_of, json_records, transform_file
from tallystick.inspection import check_file, inspect_file
from tallystick.keyring import KeyId, Keyring
from tallystick.paths import Inside, Rows, steps_of
from tallystick.policy import Policy
from tallystick.policy.rotation import with_keys
from tallystick.protection import RunOptions, preview_file, protect_file, reveal_file
from tallystick.rotation import rotate_file
from toy_jobs import Refusing

Records = list[dict[str, Any]]
PATHS = ("a.b", "l[].x", "m{}", "d[][]", 'q."r.s"', "plain")


@dataclass
class Noting:
    """Changes each value, and keeps what it was given."""

    name: str
    others: tuple[str, ...] = ()
    suffix: str = ""
    seen: list[tuple[int, str | None, tuple[str | None, ...]]] = field(default_factory=list)

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        count = len(values)
        numbers = rows if not isinstance(rows, int) else np.arange(rows, rows + count)
        beside = (
            zip(*(other.to_pylist() for other in others), strict=True) if others else [()] * count
        )
        self.seen += zip(numbers.tolist(), values.to_pylist(), beside, strict=True)
        new = [None if value is None else value + self.suffix for value in values.to_pylist()]
        return pa.array(new, pa.string())


@pytest.fixture(params=[1, 7, None])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param is not None:
        monkeypatch.setattr(json_records, "BLOCK", request.param)
        monkeypatch.setattr(json_records, "MOST_RECORDS", 3)


def transform(folder: Path, data: bytes, *jobs: Any, kind: str = "ndjson") -> bytes:  # noqa: ANN401
    source, target = folder / f"in.{kind}", folder / f"out.{kind}"
    source.write_bytes(data)
    transform_file(source, target, jobs, FileOptions(overwrite=True), private=True)
    return target.read_bytes()


def test_a_name_with_a_backslash_needs_no_quotes(tmp_path: Path) -> None:
    made = transform(tmp_path, rb'{"a\\b": {"c": "1"}}', Noting(r"a\b.c", suffix="x"))
    assert made == rb'{"a\\b": {"c": "1x"}}'


leaf = st.none() | st.text(max_size=3)
other = st.none() | st.booleans() | st.integers() | st.lists(st.text(max_size=2), max_size=2)
item = st.none() | st.fixed_dictionaries({}, optional={"x": leaf, "y": other})
record = st.fixed_dictionaries(
    {},
    optional={
        "a": st.none() | st.fixed_dictionaries({}, optional={"b": leaf, "c": other}),
        "l": st.none() | st.lists(item, max_size=3),
        "m": st.none() | st.dictionaries(st.text(max_size=2), leaf, max_size=3),
        "d": st.none() | st.lists(st.none() | st.lists(leaf, max_size=2), max_size=3),
        "q": st.none() | st.fixed_dictionaries({}, optional={"r.s": leaf, "r": other}),
        "plain": leaf,
        "rest": other,
    },
)  # fmt: skip


def changed(value: Any, steps: Sequence[str | Inside]) -> Any:  # noqa: ANN401
    """Return a value with a mark on each text at the end of a path: slow, and plain."""
    if not steps:
        return None if value is None else value + "!"
    if value is None:
        return None
    step, *rest = steps
    if step is Inside.ITEMS:
        return [changed(item, rest) for item in value]
    if step is Inside.VALUES:
        return {key: changed(item, rest) for key, item in value.items()}
    return {key: changed(item, rest) if key == step else item for key, item in value.items()}


def lines(records: Records, ascii_: bool) -> bytes:
    return "".join(json.dumps(one, ensure_ascii=ascii_) + "\n" for one in records).encode()


COMPLETE = {"a": {"b": "0"}, "l": [{"x": "0"}], "m": {"": "0"}, "d": [["0"]],
            "q": {"r.s": "0"}, "plain": "0"}  # fmt: skip


@pytest.mark.slow
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(record, max_size=5), st.booleans())
@pytest.mark.usefixtures("block")
def test_values_change_and_nothing_else(tmp_path: Path, records: Records, escaped: bool) -> None:
    records = [*records, COMPLETE]  # in which every path is
    data = lines(records, escaped)
    out = transform(tmp_path, data, *(Noting(path, suffix="!") for path in PATHS))
    expected = records
    for path in PATHS:
        expected = [changed(one, steps_of(path)) for one in expected]
    assert [json.loads(line) for line in out.decode().split("\n")[:-1]] == expected
    assert transform(tmp_path, data, *(Noting(path) for path in PATHS)) == data
    array = json.dumps(records, indent=1).encode()
    out = transform(tmp_path, array, *(Noting(path, suffix="!") for path in PATHS), kind="json")
    assert json.loads(out) == expected


@pytest.mark.usefixtures("block")
def test_rows_and_values_beside(tmp_path: Path) -> None:
    data = lines(
        [
            {"id": 7, "a": [{"x": "p", "y": {"t": "1"}}, {"y": None}, None]},
            {"id": 8, "a": []},
            {"id": None},
            {"id": 9, "a": [{"x": 5, "y": {"t": 2}}], "o": {"t": "z"}},
        ],
        True,
    )
    job = Noting("a[].x", ("id", "a[].y.t", "o.t"))
    assert transform(tmp_path, data, job) == data
    assert sorted(job.seen, key=str) == sorted(
        [
            (0, "p", ("7", "1", None)),
            (0, None, ("7", None, None)),
            (0, None, ("7", None, None)),
            (3, "5", ("9", "2", "z")),
        ],
        key=str,
    )
    with pytest.raises(PolicyError, match=r"'b\[\]' is in a list that 'a\[\]\.x' is not in"):
        transform(tmp_path, data, Noting("a[].x", ("b[]",)))


def test_a_whole_name_comes_first(tmp_path: Path) -> None:
    data = lines([{"a.b": "x", "a": "y"}, {"a": {"b": "z"}}], True)
    out = transform(tmp_path, data, Noting("a.b", suffix="!"))
    assert [json.loads(line) for line in out.splitlines()] == [
        {"a.b": "x!", "a": "y"},
        {"a": {"b": "z!"}},
    ]


def test_a_column_is_not_in_two_places(tmp_path: Path) -> None:
    outer: list[object] = [{"b": "secret"}, [], {}]
    for value in outer:
        data = lines([{"n": 1}, {"a.b": "x", "a": value}], True)
        with pytest.raises(FileError, match=r"it has both 'a\.b' and 'a'") as refused:
            transform(tmp_path, data, Noting("a.b"))
        assert "row 2 (line 2)" in str(refused.value)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("a.b", '"x"', "step 1 of the path 'a.b' is not an object"),
        ("a.b", '[{"b": "secret"}]', "step 1 of the path 'a.b' is not an object"),
        ("a[]", '{"b": "secret"}', r"step 1 of the path 'a\[\]' is not an array"),
        ("a[]", '"secret"', r"step 1 of the path 'a\[\]' is not an array"),
        ("a{}", '["secret"]', r"step 1 of the path 'a\{\}' is not an object"),
        ("a[].b", '[{"b": "x"}, "secret"]', r"step 2 of the path 'a\[\]\.b' is not an object"),
        ("a.b", '{"b": "x", "b": "secret"}', "the key 'b' occurs twice"),
        ("a.b", '{"b": ["secret"]}', "neither a string, a number nor null"),
        ("a[]", '["x", true]', "neither a string, a number nor null"),
    ],
)
def test_other_shapes_are_refused(tmp_path: Path, path: str, value: str, says: str) -> None:
    data = f'{{"n": 1}}\n{{"n": 2, "a": {value}}}\n'.encode()
    with pytest.raises(FileError, match=says) as refused:
        transform(tmp_path, data, Noting(path))
    assert "row 2 (line 2)" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert not (tmp_path / "out.ndjson").exists()


def test_places_of_invalid_values(tmp_path: Path) -> None:
    data = lines([{"a": ["x"] * 3}] * 1000 + [{"a": ["x", "bad"]}], True)
    with pytest.raises(InvalidValueError, match=r"column 'a\[\]', row 1001 \(line 1001\)"):
        transform(tmp_path, data, Refusing("a[]", "bad"))


def test_what_is_missing_and_what_is_empty(tmp_path: Path) -> None:
    for empty in ('{"a": null, "l": null}', '{"a": {"b": null}, "l": []}'):
        data = f"{empty}\n".encode()
        assert transform(tmp_path, data, Noting("a.b"), Noting("l[].x")) == data
    with pytest.raises(FileError, match=r"no column 'a\.b'"):
        transform(tmp_path, b'{"a": {"c": 1}}\n', Noting("a.b"))


def test_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(lines([{"a": {"b": "x", "c.d": [1, True]}, "l": []}, {"a": None}], True))
    assert columns_of(path) == [("a", pa.struct([])), ("l", pa.list_(pa.null()))]
    assert columns_of(path, inside=["a.b"]) == [
        ("a.b", pa.string()),
        ('a."c.d"', pa.list_(pa.null())),
        ("l", pa.list_(pa.null())),
    ]
    assert columns_of(path, inside=None) == [
        ("a.b", pa.string()),
        ('a."c.d"[]', pa.bool_()),
        ("l", pa.list_(pa.null())),
    ]


def test_many_names_are_not_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "MOST_NAMES", 100)
    path = tmp_path / "a.ndjson"
    path.write_bytes(lines([{"m": {f"k{i}": "x"}} for i in range(10_000)], True))
    assert len(columns_of(path, inside=None)) <= 101


POLICY = Policy.parse(
    """
unlisted = "error"
keep = ["id", "contact.since"]

[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "mail" }
"orders[].phone" = { format = "phone", key = "people:1", namespace = "phone", tweak = "id" }
"""
)
RECORDS: Records = [
    {"id": "1", "contact": {"email": "jane@example.org", "since": 1999},
     "orders": [{"phone": "+12025550143"}, {"phone": None}]},
    {"id": "2", "contact": None, "orders": []},
    {"id": "3"},
]  # fmt: skip


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    return make_ring(tmp_path / "nested.keys", "people", "people")


def test_all_runs(ring: Keyring, tmp_path: Path) -> None:
    plain, tokens, rotated, back = (tmp_path / f"{n}.ndjson" for n in "abcd")
    plain.write_bytes(lines(RECORDS, True))
    options = RunOptions(report=tmp_path / "report.html")
    report = protect_file(plain, tokens, POLICY, ring, options)
    assert report.columns["orders[].phone"].rows == 2
    assert report.untouched.kept == ("id", "contact.since")
    assert "orders[].phone" in (tmp_path / "report.html").read_text()
    found = json.loads(tokens.read_bytes().splitlines()[0])
    assert found["contact"]["email"] != "jane@example.org" and found["contact"]["since"] == 1999
    assert found["orders"][0]["phone"] != "+12025550143"
    new = with_keys(POLICY, {KeyId("people", 1): KeyId("people", 2)})
    rotate_file(tokens, rotated, [(POLICY, new)], ring)
    reveal_file(rotated, back, new, ring)
    assert back.read_bytes() == plain.read_bytes()
    shown = {one.name: one for one in preview_file(plain, POLICY, ring).columns}
    assert shown["contact.email"].after[0] == found["contact"]["email"]
    assert shown["orders[].phone"].before == ["+12025550143", None]
    checked = {one.rule.column: one for one in check_file(plain, POLICY).columns}
    assert [(one.problem, one.rows, one.nulls) for one in checked.values()] == [
        (None, 3, 2),
        (None, 2, 1),
    ]


def test_what_is_beside_is_refused(ring: Keyring, tmp_path: Path) -> None:
    plain = tmp_path / "a.ndjson"
    records = [{"id": "1", "contact": {"email": "jane@example.org"}, "orders": [{"phone": None}]}]
    plain.write_bytes(lines([*records, {"contact": {"phone": "secret"}}], True))
    with pytest.raises(PolicyError, match=r"does not name 'contact\.phone' \(1 column\)"):
        protect_file(plain, tmp_path / "b.ndjson", POLICY, ring)
    assert not (tmp_path / "b.ndjson").exists()


def test_inspect(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    cards = ["4111111111111111", "5500005555555559", "4012888888881881"]
    records: Records = [
        {"contact": {"email": f"jane{i}@example.org"}, "cards": cards[: i % 4]} for i in range(400)
    ]
    path.write_bytes(lines(records, True))
    found = {one.column: one for one in inspect_file(path).findings}
    assert set(found) == {"contact.email", "cards[]"}
    assert all(one.sensitive for one in found.values())
    assert found["cards[]"].filled == 300


def test_standard_input(ring: Keyring, tmp_path: Path) -> None:
    """Also with columns that may be missing, which a file must not lose for that."""
    text = """
keep = ["id", "contact.since"]
[columns]
"contact.email" = { format = "email", key = "people:1", namespace = "mail" }
"orders[].phone" = { format = "phone", key = "people:1", namespace = "phone", tweak = "id" }
"gone.away" = { format = "letters", key = "people:1", namespace = "gone" }
"""
    (tmp_path / "all.toml").write_text(text)
    (tmp_path / "some.toml").write_text(text.replace('"gone', '#"gone'))
    (tmp_path / "a.ndjson").write_bytes(lines(RECORDS, True))
    code = "import sys; from tallystick.cli.main import run; sys.exit(run(sys.argv[1:]))"
    program = [sys.executable, "-c", code, "protect"]
    keys = ["-k", str(ring.path), "--root", f"file:{tmp_path / 'root.key'}", "--quiet"]
    outs = [
        subprocess.run(
            [*program, *files, "-p", str(tmp_path / policy), *keys, *more],
            input=lines(RECORDS, True),
            capture_output=True,
            check=True,
        ).stdout
        for files, policy, more in (
            (("-", "-"), "some.toml", ["--type", "ndjson"]),
            ((str(tmp_path / "a.ndjson"), "-"), "all.toml", ["--ignore-missing"]),
        )
    ]
    assert outs[0] == outs[1] != lines(RECORDS, True)
    assert b"jane" not in outs[0] and b"+12025550143" not in outs[0]
