# SPDX-License-Identifier: Apache-2.0
"""Files that appear together or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from full_disk import fail_after
from tallystick.atomic import complete_files
from tallystick.errors import FileError


def write(paths: list[Path], *, overwrite: bool = False) -> None:
    with complete_files(paths, private=True, overwrite=overwrite) as streams:
        for number, stream in enumerate(streams):
            stream.write(b"%d" % number)
            assert not any(path.read_bytes() == b"%d" % number for path in paths if path.exists())


def test_all_appear(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    write(paths)
    assert [path.read_bytes() for path in paths] == [b"0", b"1", b"2"]
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}
    assert sorted(tmp_path.iterdir()) == paths


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("whole", [0, 1, 2])
def test_none_appears_if_one_can_not_be_stored(
    tmp_path: Path, whole: int, monkeypatch: pytest.MonkeyPatch, *, overwrite: bool
) -> None:
    paths = [tmp_path / name for name in "abc"]
    if overwrite:
        for path in paths:
            path.write_bytes(b"old")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    fail_after(whole, monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        write(paths, overwrite=overwrite)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", "abc")
def test_none_appears_if_a_name_is_taken_meanwhile(tmp_path: Path, name: str) -> None:
    paths = [tmp_path / each for each in "abc"]
    with pytest.raises(FileError, match=f"{name} exists"), complete_files(paths, private=True):
        (tmp_path / name).write_bytes(b"theirs")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"theirs"


def test_what_is_stopped_between_two_names_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def stop(source: Path, target: Path, **more: bool) -> None:
        if target.name == "b":
            raise KeyboardInterrupt
        link(source, target, **more)

    monkeypatch.setattr(os, "link", stop)
    with pytest.raises(KeyboardInterrupt):
        write([tmp_path / name for name in "abc"])
    assert list(tmp_path.iterdir()) == []
