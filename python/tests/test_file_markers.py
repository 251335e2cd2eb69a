# SPDX-License-Identifier: Apache-2.0
"""Markers of files as bytes: where they are, who sees them first, and when they appear."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tallystick import atomic
from tallystick.errors import FileError, PolicyError
from tallystick.files import FileKind, FileOptions, transform_file
from tallystick.files.marker import LARGEST, OpenGate, free_metadata, sidecar_of
from toy_jobs import EachValue


class Watching(OpenGate):
    """A gate that gives a marker, and keeps what it saw."""

    def __init__(self, new: bytes | None, refuses: bool = False) -> None:
        self.new = new
        self.refuses = refuses
        self.seen: list[object] = []

    def marker(self, found: bytes | None) -> bytes | None:
        self.seen.append(found)
        return self.new

    def columns(self, names: Sequence[str]) -> None:
        self.seen.append(list(names))
        if self.refuses:
            raise PolicyError("refused")


@pytest.fixture(params=["csv", "parquet"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"in.{request.param}"
    if request.param == "csv":
        path.write_text("a,b\n1,2\n")
    else:
        table = pa.table({"a": ["1"], "b": ["2"]}).replace_schema_metadata({"own": "x"})
        pq.write_table(table, path)
    return path


def run(source: Path, target: Path, gate: Watching, *, overwrite: bool = False) -> None:
    jobs = [EachValue("a")]
    transform_file(source, target, jobs, FileOptions(overwrite=overwrite), private=False, gate=gate)


def marker(path: Path) -> bytes | None:
    if path.suffix == ".parquet":
        metadata = pq.read_schema(path).metadata
        assert metadata[b"own"] == b"x"
        found = metadata.get(b"tallystick")
        return None if found is None else bytes(found)
    beside = sidecar_of(path)
    return beside.read_bytes() if beside.exists() else None


def test_a_marker_goes_from_the_source_through_the_gate_to_the_target(source: Path) -> None:
    first, second = (source.with_stem(name) for name in ("first", "second"))
    gate = Watching(b"one")
    run(source, first, gate)
    assert gate.seen == [None, ["a", "b"]]
    assert marker(first) == b"one"
    gate = Watching(b"two")
    run(first, second, gate)
    assert gate.seen == [b"one", ["a", "b"]]
    assert marker(second) == b"two"
    run(second, second, Watching(None), overwrite=True)
    assert marker(second) is None
    assert marker(first) == b"one"


def test_what_the_gate_refuses_is_not_read(source: Path) -> None:
    target = source.with_stem("out")

    def fail(value: str) -> str:
        raise AssertionError(value)

    with pytest.raises(PolicyError, match="refused"):
        gate = Watching(b"one", refuses=True)
        transform_file(source, target, [EachValue("a", fail)], private=False, gate=gate)
    assert [path.name for path in source.parent.iterdir()] == [source.name]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text("a,b\n1,2\n")
    return path


@pytest.mark.parametrize("new", [b"new", None])
def test_a_marker_of_no_file_says_nothing(text: Path, new: bytes | None) -> None:
    target = text.with_name("out.csv")
    sidecar_of(target).write_bytes(b"old")
    run(text, target, Watching(new))
    assert marker(target) == new


def test_a_marker_of_a_file_that_may_not_be_replaced_stays(text: Path) -> None:
    target = text.with_name("out.csv")
    run(text, target, Watching(b"old"))
    with pytest.raises(FileError, match=r"out\.csv exists"):
        run(text, target, Watching(b"new"))
    assert marker(target) == b"old"


def test_a_marker_is_beside_the_file_that_a_link_leads_to(text: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    link = tmp_path / "out.csv"
    (there / "real.csv").touch()
    link.symlink_to(there / "real.csv")
    run(text, link, Watching(b"one"), overwrite=True)
    assert marker(there / "real.csv") == b"one"
    gate = Watching(None)
    run(link, tmp_path / "back.csv", gate)
    assert gate.seen[0] == b"one"


def test_a_marker_that_changes_while_its_file_is_read_is_an_error(text: Path) -> None:
    def change(value: str) -> str:
        sidecar_of(text).write_bytes(b"other")
        return value

    with pytest.raises(FileError, match=r"in\.csv\.tallystick\.json: was changed"):
        transform_file(text, text.with_name("out.csv"), [EachValue("a", change)], private=False)
    assert not text.with_name("out.csv").exists()


def test_a_marker_without_end_is_not_read(text: Path) -> None:
    sidecar_of(text).write_bytes(bytes(LARGEST + 1))
    with pytest.raises(FileError, match="delete the file"):
        run(text, text.with_name("out.csv"), Watching(None))


def test_no_marker_is_ever_beside_a_file_of_which_it_is_not(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before each change of a name, as by a kill."""
    target = text.with_name("out.csv")
    run(text, target, Watching(b"old"))
    old = target.read_bytes()
    text.write_text("a,b\n3,4\n")
    states = []

    def state() -> None:
        marker_now = marker(target)
        states.append((target.read_bytes() == old, marker_now))

    for name in ("unlink", "replace"):
        act = getattr(Path, name)

        def watched(path: Path, *given: Any, act: Any = act, **options: Any) -> Any:  # noqa: ANN401
            state()
            return act(path, *given, **options)

        monkeypatch.setattr(Path, name, watched)
    run(text, target, Watching(b"new"), overwrite=True)
    state()
    expected = [(True, b"old"), (True, None), (False, None), (False, b"new")]
    assert list(dict.fromkeys(states)) == expected


def test_a_marker_that_can_not_appear_does_not_hide_that_its_file_did(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = text.with_name("out.csv")
    run(text, target, Watching(b"old"))
    text.write_text("a,b\n3,4\n")
    rename = atomic._rename

    def fail(beside: Path, path: Path, appeared: list[Path], *, overwrite: bool) -> None:
        if path.name.endswith(".json"):
            raise OSError(errno.EIO, "no room", str(path))
        rename(beside, path, appeared, overwrite=overwrite)

    monkeypatch.setattr(atomic, "_rename", fail)
    with pytest.raises(FileError, match=r"json: no room; but .*out\.csv is complete and in place"):
        run(text, target, Watching(b"new"), overwrite=True)
    assert target.read_text() == "a,b\n3,4\n"
    assert sorted(path.name for path in text.parent.iterdir()) == ["in.csv", "out.csv"]
    target.unlink()
    with pytest.raises(FileError, match=r"json: no room$"):
        run(text, target, Watching(b"new"))
    assert [path.name for path in text.parent.iterdir()] == ["in.csv"]


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_a_marker_that_is_no_file_is_an_error_that_names_it(text: Path, tmp_path: Path) -> None:
    sidecar = sidecar_of(text)
    sidecar.mkdir()
    with pytest.raises(FileError, match=re.escape(str(sidecar))):
        run(text, tmp_path / "out.csv", Watching(None))
    sidecar.rmdir()
    os.mkfifo(sidecar)
    with pytest.raises(FileError, match=re.escape(str(sidecar))):
        run(text, tmp_path / "out.csv", Watching(None))
    assert not (tmp_path / "out.csv").exists()


def test_a_target_is_not_called_as_a_marker(text: Path) -> None:
    target, kind = text.with_name("x.csv.tallystick.json"), FileOptions(kind=FileKind.CSV)
    with pytest.raises(FileError, match=r"names that end in .* are for markers"):
        transform_file(text, target, [EachValue("a")], kind, private=False)
    assert not target.exists()


def test_metadata_that_may_have_values() -> None:
    inside = pa.struct(
        [pa.field("b", pa.string(), metadata={"vals": "x", "ARROW:extension:name": ""})]
    )
    schema = pa.schema([pa.field("a", inside), pa.field("c", pa.string(), metadata={"d": "x"})])
    assert list(free_metadata(schema, {"a"})) == ["a.b: vals"]
    spark = "org.apache.spark.sql.parquet.row.metadata"
    plain = {
        "pandas": '{"attributes": {}, "columns": [{"metadata": {"timezone": "UTC"}}]}',
        spark: '{"fields":[{"name":"a","metadata":{}}]}',
    }
    assert list(free_metadata(schema.with_metadata(plain), ())) == []
    used = {
        "pandas": '{"attributes": {"first": "x"}}',
        spark: '{"fields":[{"name":"a","metadata":{"ml_attr":{"vals":["x"]}}}]}',
        b"\xff": "x",
    }
    assert list(free_metadata(schema.with_metadata(used), ())) == ["pandas", spark, r"\xff"]
