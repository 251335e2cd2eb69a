# SPDX-License-Identifier: Apache-2.0
"""The corpora of fuzz targets: an archive for each target, the same bytes for the same inputs."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import corpora
from corpora import CorpusError
from tallystick.formats import PRESETS
from tallystick.policy import Policy

FUZZ = Path(__file__).resolve().parents[2] / "tests" / "fuzz"
NAMES = sorted(
    [path.stem for path in (FUZZ / "core").glob("fuzz_*.c")]
    + [path.stem.replace("fuzz_", "python_", 1) for path in (FUZZ / "python").glob("fuzz_*.py")]
)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder for archives, without any."""
    monkeypatch.setattr(corpora, "FOLDER", tmp_path / "corpus")
    return tmp_path


def test_each_target_has_an_archive_and_nothing_else_is_there() -> None:
    assert sorted(path.name for path in corpora.FOLDER.iterdir()) == [
        f"{name}.tar.xz" for name in NAMES
    ]


def test_each_target_is_on_the_page() -> None:
    page = (FUZZ.parents[1] / "docs" / "explanation" / "fuzzing.md").read_text("utf-8")
    c, python = (part.split("\n### Results")[0] for part in page.split("\n## ")[2:4])
    for name in NAMES:
        section = python if name.startswith("python_") else c
        assert f"`{name.split('_', 1)[1]}`" in section, name


@pytest.mark.parametrize("name", NAMES)
def test_an_archive_is_what_packing_its_inputs_gives(name: str) -> None:
    inputs = corpora.read(name)
    assert inputs
    assert len(set(inputs.values())) == len(inputs)
    with tarfile.open(corpora.archive(name)) as opened:
        members = opened.getmembers()
    assert [member.name for member in members] == sorted(inputs)
    for member in members:
        assert member.isreg()
        kept = (member.mtime, member.uid, member.gid, member.uname, member.gname, member.mode)
        assert kept == (0, 0, 0, "", "", 0o644)


def test_the_same_inputs_give_the_same_bytes_in_any_order() -> None:
    inputs = corpora.read(NAMES[0])
    backwards = dict(reversed(inputs.items()))
    assert list(backwards) != list(inputs)
    assert corpora.packed(backwards) == corpora.packed(inputs)


def test_added_inputs_are_unpacked(empty: Path) -> None:
    assert corpora.add("target", {"b": b"2", "a": b"1", "empty": b""}) == 3
    before = corpora.archive("target").read_bytes()
    assert corpora.add("target", {"c": b"1"}) == 0  # it has that input
    assert corpora.archive("target").read_bytes() == before
    assert corpora.add("target", {"c": b"1", "d": b"3"}) == 1
    folder = empty / "seeds"
    folder.mkdir()
    (folder / "old").touch()
    corpora.unpack("target", folder)
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert found == {"a": b"1", "b": b"2", "d": b"3", "empty": b""}


@pytest.mark.usefixtures("empty")
def test_an_input_that_cannot_be_added_changes_nothing() -> None:
    corpora.add("target", {"a": b"1"})
    before = corpora.archive("target").read_bytes()
    with pytest.raises(CorpusError, match="another input with the name a"):
        corpora.add("target", {"b": b"3", "a": b"2"})
    assert corpora.archive("target").read_bytes() == before


def test_a_target_without_archive_has_no_inputs(empty: Path) -> None:
    assert corpora.read("target") == {}
    assert list(corpora.unpack("target", empty / "seeds").iterdir()) == []


def test_accepted_policies_have_every_format() -> None:
    """Seeds that are refused say nothing about formats, so many of them are policies that work."""
    inputs = corpora.read("python_policy")
    accepted = [text for name, text in inputs.items() if name.startswith("accepted_")]
    rules = [rule for text in accepted for rule in Policy.parse(text.decode("utf-8-sig")).rules]
    assert {rule.form.label for rule in rules} == set(PRESETS)
