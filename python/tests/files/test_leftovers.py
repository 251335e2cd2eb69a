# SPDX-License-Identifier: Apache-2.0
"""What killed runs leave beside a target, and links of other users on the way to it."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tallystick import leftovers, links
from tallystick.atomic import complete_file
from tallystick.errors import FileError
from tallystick.files.marker import sidecar_of

WRITE = """
import sys, time
from pathlib import Path
from tallystick.atomic import complete_file
with complete_file(Path(sys.argv[1]), private=True) as stream:
    stream.write(b"secret")
    stream.flush()
    print("here", flush=True)
    time.sleep(60)
"""
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes files of other users"
)


def begin(target: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def write(target: Path, data: bytes = b"new") -> None:
    with complete_file(target, private=False, overwrite=True) as stream:
        stream.write(data)


def test_the_next_run_removes_what_a_killed_one_left_and_no_live_ones(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "out.csv"
    dead, live, other = begin(target), begin(target), begin(tmp_path / "other.csv")
    try:
        end(dead)
        end(other)
        assert len(list(tmp_path.glob(".*.part"))) == 3
        write(target)
        assert len(list(tmp_path.glob(".out.csv.*.part"))) == 1
        assert len(list(tmp_path.glob(".other.csv.*.part"))) == 1  # of another target
        assert len(caplog.records) == 1
        said = caplog.records[0].getMessage()
        assert "which a run that was killed had left" in said
        assert str(tmp_path / ".out.csv.") in said
    finally:
        end(live)
    write(target, b"newer")
    assert sorted(path.name for path in tmp_path.glob(".*")) == [
        path.name for path in tmp_path.glob(".other.csv.*.part")
    ]
    assert target.read_bytes() == b"newer"


def test_a_run_says_nothing_if_nothing_was_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    write(tmp_path / "out.csv")
    assert caplog.records == []


def test_what_is_not_such_a_file_stays(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    name = ".out.csv.0123456789abcdef.part"
    for place in (tmp_path / "folder", tmp_path / "link", tmp_path / "pipe"):
        place.mkdir()
    (tmp_path / "folder" / name).mkdir()
    (tmp_path / "link" / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe" / name)
    for place in (tmp_path / "folder", tmp_path / "link", tmp_path / "pipe"):
        (place / ".out.csv.01.part").write_bytes(b"")
        assert leftovers.remove_dead(place / "out.csv") == []
        assert len(list(place.iterdir())) == 2


@needs_root
def test_what_is_another_users_stays(tmp_path: Path) -> None:
    theirs = tmp_path / ".out.csv.0123456789abcdef.part"
    theirs.write_bytes(b"")
    os.chown(theirs, 12345, 12345)
    assert leftovers.remove_dead(tmp_path / "out.csv") == []
    os.chown(theirs, 0, 0)
    assert leftovers.remove_dead(tmp_path / "out.csv") == [theirs]


def test_a_file_that_got_its_name_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / ".out.csv.0123456789abcdef.part"
    part.write_bytes(b"")

    def rename_first(handle: int, flags: int) -> None:
        part.rename(tmp_path / "out.csv")
        part.write_bytes(b"another one")

    monkeypatch.setattr(fcntl, "flock", rename_first)
    assert leftovers.remove_dead(tmp_path / "out.csv") == []
    assert part.exists()


def test_a_lock_that_came_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run takes a file for a dead one's, between its making and its lock."""
    found = tmp_path.glob
    monkeypatch.setattr(fcntl, "flock", lambda handle, flags: next(found(".out.csv.*")).unlink())
    with (
        pytest.raises(FileError, match="was removed by another process; try again"),
        complete_file(tmp_path / "out.csv", private=False),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def sticky(tmp_path: Path) -> Path:
    """Return a folder like /tmp, and in it a link of another user to a file beside the folder."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    (tmp_path / "precious").write_bytes(b"precious")
    (folder / "out.csv").symlink_to(tmp_path / "precious")
    (folder / "way").symlink_to(tmp_path)
    for link in ("out.csv", "way"):
        os.chown(folder / link, 12345, 12345, follow_symlinks=False)
    return folder


@needs_root
@pytest.mark.parametrize("name", ["out.csv", "way/precious", "../tmp/out.csv", "sub/../out.csv"])
def test_another_users_link_in_a_sticky_folder_is_not_followed(sticky: Path, name: str) -> None:
    (sticky / "sub").mkdir()
    with pytest.raises(FileError, match="is another user's link in a folder that anybody may"):
        write(sticky / name)
    assert (sticky.parent / "precious").read_bytes() == b"precious"
    if name == "out.csv":
        with pytest.raises(FileError, match="another user's link"):
            sidecar_of(sticky / name)


@needs_root
@pytest.mark.parametrize("why", ["own link", "folder's owner", "not sticky"])
def test_other_links_are_followed(sticky: Path, why: str) -> None:
    if why == "own link":
        os.chown(sticky / "out.csv", 0, 0, follow_symlinks=False)
    elif why == "folder's owner":
        os.chown(sticky, 12345, 12345)
    else:
        sticky.chmod(0o777)
    write(sticky / "out.csv")
    assert (sticky / "out.csv").is_symlink()
    assert (sticky.parent / "precious").read_bytes() == b"new"


def test_paths_are_resolved_as_the_system_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "up").symlink_to("../a/b")
    (tmp_path / "a" / "far").symlink_to(tmp_path / "a" / "up")
    (tmp_path / "a" / "none").symlink_to("nothing/here")
    monkeypatch.chdir(tmp_path / "a")
    for name in ("x", "up/x", "far/../x", "far", "none", "./up/./x", "missing/../x", str(tmp_path)):
        assert links.resolved(Path(name)) == Path(os.path.realpath(name))
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(FileError, match="links lead in a circle"):
        links.resolved(tmp_path / "round")
