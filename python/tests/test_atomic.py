# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all, with the right mode, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files_support import change_file
from peak import measured, peak
from tallystick import atomic
from tallystick.atomic import complete_file, complete_files, file_errors
from tallystick.errors import FileError
from tallystick.files import FileKind, FileOptions, transform_file
from toy_jobs import EachValue, WholeBatch


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(params=["csv", "parquet"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of a mebibyte or so."""
    path = tmp_path / f"in.{request.param}"
    if request.param == "csv":
        path.write_bytes(b"a,b\n" + b"".join(b"%d,x\n" % row for row in range(150_000)))
    else:
        table = pa.table({"a": [str(row) for row in range(150_000)], "b": ["x"] * 150_000})
        pq.write_table(table, path, row_group_size=10_000, compression="none")
    return path


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def write(path: Path, data: bytes, *, private: bool = False, overwrite: bool = False) -> None:
    with complete_file(path, private=private, overwrite=overwrite) as stream:
        stream.write(data)


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have the disk asked early; return the sizes that it was asked for."""
    sizes: list[int] = []
    monkeypatch.setattr(atomic, "SYNC_BYTES", 1000)
    monkeypatch.setattr(atomic, "SYNC_SECONDS", 0.001)
    monkeypatch.setattr(atomic, "_data_sync", lambda handle: sizes.append(os.fstat(handle).st_size))
    return sizes


def write_slowly(path: Path, until: Callable[[], object]) -> None:
    with complete_file(path, private=False) as stream:
        end = time.monotonic() + 60
        while not until() and time.monotonic() < end:
            stream.write(b"x" * 400)
            stream.flush()
            time.sleep(0.001)


def test_the_disk_is_kept_busy_meanwhile(tmp_path: Path, syncs: list[int]) -> None:
    before = threading.enumerate()
    write_slowly(tmp_path / "file", lambda: len(syncs) > 2)
    assert len(syncs) > 2
    assert all(after - first >= 1000 for first, after in zip([0, *syncs], syncs, strict=False))
    assert threading.enumerate() == before


@pytest.mark.usefixtures("syncs")
def test_a_disk_that_fails_meanwhile_is_not_overlooked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[int] = []

    def fail(handle: int) -> None:
        failed.append(handle)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(atomic, "_data_sync", fail)
    with pytest.raises(OSError, match="Input/output error"):
        write_slowly(tmp_path / "file", lambda: failed)
    assert len(failed) == 1, "a second try would succeed, although the data is lost"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("syncs")
def test_an_error_ends_the_thread_too(tmp_path: Path) -> None:
    before = threading.enumerate()
    with (
        pytest.raises(ZeroDivisionError),
        complete_file(tmp_path / "file", private=False) as stream,
    ):
        stream.write(b"x" * 5000)
        raise ZeroDivisionError
    assert threading.enumerate() == before
    assert list(tmp_path.iterdir()) == []


def test_a_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with complete_file(path, private=False) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_modes_of_new_files(tmp_path: Path, umask: int) -> None:
    os.umask(umask)
    write(tmp_path / "open", b"")
    write(tmp_path / "private", b"", private=True)
    assert mode(tmp_path / "open") == 0o666 & ~umask
    assert mode(tmp_path / "private") == 0o600


@pytest.mark.parametrize(
    ("before", "private", "after"),
    [(0o644, False, 0o644), (0o664, False, 0o664), (0o640, False, 0o640), (0o600, False, 0o600),
     (0o644, True, 0o600), (0o755, False, 0o644), (0o400, True, 0o400)],
)  # fmt: skip
def test_a_replaced_file_gives_no_more_than_it_gave(
    tmp_path: Path, before: int, private: bool, after: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(before)
    write(path, b"new", private=private, overwrite=True)
    assert path.read_bytes() == b"new"
    assert mode(path) == after


def test_the_content_is_never_open_to_others_on_the_way(tmp_path: Path) -> None:
    with complete_file(tmp_path / "file", private=True) as stream:
        (beside,) = tmp_path.iterdir()
        stream.write(b"secret")
        assert mode(beside) == 0o600


@pytest.mark.parametrize("links", [True, False])
def test_an_existing_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Where there are no links, a rename does."""

    def no_links(path: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    path = tmp_path / "file"
    write(path, b"old")
    assert path.read_bytes() == b"old"
    with pytest.raises(FileError, match="exists"):
        write(path, b"new")
    path.unlink()
    with pytest.raises(FileError, match="exists"), complete_file(path, private=False):
        path.write_bytes(b"came up meanwhile")
    assert path.read_bytes() == b"came up meanwhile"
    assert list(tmp_path.iterdir()) == [path]


def test_links_are_followed_and_other_things_refused(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write(link, b"new", overwrite=True)
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    for other in (tmp_path, Path(os.devnull)):
        with pytest.raises(FileError, match="not a regular file"):
            write(other, b"", overwrite=True)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("exists", [True, False])
def test_after_an_error_nothing_has_changed(
    tmp_path: Path, error: type[BaseException], exists: bool
) -> None:
    path = tmp_path / "file"
    if exists:
        path.write_bytes(b"old")
    with pytest.raises(error), complete_file(path, private=False, overwrite=True) as stream:
        stream.write(b"half")
        raise error
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"] * exists


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_the_last_steps_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    owner: object = os if call == "fsync" else Path
    monkeypatch.setattr(owner, call, full)
    with pytest.raises(OSError, match="No space"):
        write(path, b"new", overwrite=True)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def refuse_to_remove(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files whose names have that part not be removed, once each."""
    unlink, refused = Path.unlink, set[Path]()

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        if name in path.name and path not in refused:
            refused.add(path)
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)


def test_what_can_not_be_removed_is_reported_and_the_rest_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_remove(".b.", monkeypatch)
    with (
        pytest.raises(
            FileError, match=r"No space; free .*; and can't be removed, so delete: .*/\.b\..*part$"
        ),
        file_errors("file"),
        complete_files([tmp_path / name for name in "abc"], private=True),
    ):
        raise OSError(errno.ENOSPC, "No space")
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".b.")


def test_a_name_whose_other_name_stays_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_remove(".file.", monkeypatch)
    with pytest.raises(OSError, match="Input/output error"):
        write(tmp_path / "file", b"new")
    assert list(tmp_path.iterdir()) == []


def test_the_first_error_is_reported_if_closing_fails_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), complete_file(tmp_path / "f", private=False) as stream:
        stream.write(b"left in the buffer")
        os.close(stream.fileno())
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "reported"), [(errno.EIO, True), (errno.EACCES, False), (errno.EINVAL, False)]
)
def test_a_directory_that_fails_to_keep_a_name_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reported: bool
) -> None:
    real = os.open

    def refuse(path: Path, flags: int, *more: int) -> int:
        if path == tmp_path:
            raise OSError(number, os.strerror(number))
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    message = "complete and in place, but may not outlast a power cut"
    with pytest.raises(FileError, match=message) if reported else nullcontext():
        write(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("limit", [1, 4096, 300_001])
def test_a_full_disk_leaves_the_old_output(source: Path, limit: int) -> None:
    """The kernel itself refuses to write on, in the middle of a write too."""
    target = source.with_name(f"out{source.suffix}")
    target.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(FileError, match="too large"):
            change_file(source, target, [EachValue("a")], FileOptions(overwrite=True))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_bytes() == b"old"
    assert set(source.parent.iterdir()) == {source, target}


def test_an_error_of_a_job_leaves_nothing(source: Path) -> None:
    def fail(values: pa.Array) -> pa.Array:
        raise RuntimeError

    target = source.with_name(f"out{source.suffix}")
    with pytest.raises(RuntimeError):
        change_file(source, target, [WholeBatch("a", fail)])
    assert list(source.parent.iterdir()) == [source]


def test_a_file_may_replace_itself_if_asked(source: Path) -> None:
    before = source.read_bytes()
    with pytest.raises(FileError, match="exists"):
        transform_file(source, source, [EachValue("a")], private=False)

    def turn(*, private: bool) -> None:
        job = EachValue("a", lambda value: value[::-1])
        transform_file(source, source, [job], FileOptions(overwrite=True), private=private)

    turn(private=False)
    assert source.read_bytes() != before
    turn(private=True)
    if source.suffix == ".csv":
        assert source.read_bytes() == before
    assert mode(source) == 0o600


@pytest.mark.parametrize("name", ["in.doc", "in", "in.csv.zip"])
def test_the_suffix_says_the_kind_of_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"a\n1\n")
    with pytest.raises(FileError, match="the kind of file is unknown"):
        change_file(path, tmp_path / "out", [])
    report = change_file(path, tmp_path / "out", [], FileOptions(kind=FileKind.CSV))
    assert report.rows == 1


def test_names_that_contradict_each_other(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"a\n1\n")
    with pytest.raises(FileError, match="the name has another ending"):
        change_file(tmp_path / "in.csv", tmp_path / "out.pq", [])


def test_tabs_are_the_delimiter_of_tsv(tmp_path: Path) -> None:
    (tmp_path / "in.TSV").write_bytes(b"a\tb,c\n1\t2\n")
    change_file(tmp_path / "in.TSV", tmp_path / "out.tsv", [EachValue("b,c", lambda v: "3")])
    assert (tmp_path / "out.tsv").read_bytes() == b"a\tb,c\n1\t3\n"


@pytest.mark.parametrize("name", ["missing.csv", "missing.parquet"])
def test_files_that_are_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match=f"{name}: No such file"):
        change_file(tmp_path / name, tmp_path / "out", [])
    (tmp_path / "in.csv").write_bytes(b"a\n")
    with pytest.raises(FileError, match="No such file"):
        change_file(tmp_path / "in.csv", tmp_path / "none" / "out.csv", [])
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


MEMORY = """
import sys
from pathlib import Path
from tallystick.files import transform_file
from toy_jobs import WholeBatch
job = WholeBatch("a", lambda values: values)
transform_file(Path(sys.argv[1]), Path(sys.argv[2]), [job], private=True)
"""


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    def peak_of(parts: int) -> int:
        """Return the mebibytes that a file of about 8 MiB times `parts` takes."""
        path = tmp_path / f"{parts}.{kind}"
        if kind == "csv":
            with path.open("wb") as stream:
                stream.write(b"a,b\n")
                for _ in range(parts):
                    stream.write(b"some text,and some more\n" * 350_000)
        else:
            table = pa.table({"a": [str(row) * 20 for row in range(80_000)]})
            with pq.ParquetWriter(path, table.schema, use_dictionary=False) as writer:
                for _ in range(parts):
                    writer.write_table(table)
        command = [sys.executable, "-c", MEMORY, f"{path}", f"{tmp_path}/out.{parts}.{kind}"]
        search = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        report = tmp_path / "peak"
        subprocess.run(measured(command, report), check=True, env=os.environ | search)
        return peak(report)

    assert peak_of(36) < peak_of(12) + 60, "192 MiB more; a small file does not fill all queues"
