# SPDX-License-Identifier: Apache-2.0
"""Files that appear together or not at all."""

from __future__ import annotations

import fcntl
import os
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from full_disk import fail_after
from tallystick import atomic, leftovers
from tallystick.atomic import complete_files
from tallystick.errors import FileError
from tallystick.files.streams import open_target


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


def test_two_runs_to_the_same_paths_do_not_mix_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "people.csv", tmp_path / "people.csv.tallystick"]
    rename = atomic._rename

    def run(content: bytes) -> None:
        with complete_files(paths, private=False, overwrite=True, stale=paths[1:]) as streams:
            for stream in streams:
                stream.write(content)

    other = Thread(target=run, args=[b"other"])

    def between(beside: Path, path: Path, done: list[Path], *, overwrite: bool) -> None:
        if path == paths[1] and not other.ident:
            other.start()
            other.join(0.5)
        rename(beside, path, done, overwrite=overwrite)

    monkeypatch.setattr(atomic, "_rename", between)
    run(b"first")
    other.join()
    assert [path.read_bytes() for path in paths] == [b"other"] * 2
    assert sorted(tmp_path.iterdir()) == paths


def test_the_marker_of_a_file_that_came_up_meanwhile_goes_with_it(tmp_path: Path) -> None:
    target = tmp_path / "people.csv"
    opened = partial(open_target, target, private=False, overwrite=True, has_sidecar=True)
    with opened() as sink:
        sink.write(b"in clear")
        with opened(marker=b"other") as others:
            others.write(b"tokens")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [
        ("people.csv", b"in clear")
    ]


def test_a_run_that_holds_a_target_for_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_WAIT", 0.05)
    held = tmp_path / ".a.0000000000000000.part"
    with held.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(FileError, match=r"\.part: another run holds it"):
            write([tmp_path / name for name in "ab"])
    assert list(tmp_path.iterdir()) == [held]
    write([tmp_path / name for name in "ab"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
